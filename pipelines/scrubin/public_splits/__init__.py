"""Official splits of public datasets, as data with a source, a checksum: ``available``, ``load``, ``rows``."""

from __future__ import annotations

from scrubin.public_splits.catalogue import Official, available, load, missing, rows

__all__ = ["Official", "available", "load", "missing", "rows"]
