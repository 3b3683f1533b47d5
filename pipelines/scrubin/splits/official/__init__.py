"""Official splits of public datasets, as data with a source and a checksum: ``available``, ``load``, ``rows``."""

from scrubin.splits.official.catalogue import Official, available, load
from scrubin.splits.official.placing import missing, rows

__all__ = ["Official", "available", "load", "missing", "rows"]
