"""A release as its users load it: ``from scrubin.load import Release``."""

from __future__ import annotations

from scrubin.data.load.frames import collate
from scrubin.data.load.release import Release
from scrubin.data.load.warnings import ErrataWarning

__all__ = ["ErrataWarning", "Release", "collate"]
