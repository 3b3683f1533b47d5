"""Official splits of public datasets, as data with a source and a checksum: ``available``, ``load``, ``rows``."""

from scrubin.public_splits.catalogue import Official, available, load
from scrubin.public_splits.placing import missing, rows

__all__ = ["Official", "available", "load", "missing", "rows"]
