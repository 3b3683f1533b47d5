"""What faults say, for tests: one sentence each."""

from __future__ import annotations


def sentences(faults, severity=None):
    """Return the sentences of faults in their order, of one severity or of all."""
    return tuple(fault.sentence for fault in faults if severity in (None, fault.severity))
