"""A release as its users load it: ``from scrubin.load import Release``."""

from scrubin.load.collation import collate
from scrubin.load.errata import ErrataWarning
from scrubin.load.release import Release

__all__ = ["ErrataWarning", "Release", "collate"]
