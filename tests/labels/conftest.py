"""Small label files in the published layouts."""

from label_fixtures import make

__all__ = ["make"]
