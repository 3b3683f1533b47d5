"""Which severity of a fault stops which command, as the library decides it."""

from __future__ import annotations

from reference.markdown import table
from scrubin.base.faults import SEVERITIES
from scrubin.labels.policy import POLICY


def text() -> str:
    """Return the table of severities by command."""
    rows = ((_name(command), *(follows[severity] for severity in SEVERITIES)) for command, follows in POLICY.items())
    return table(("command", *SEVERITIES), rows)


def _name(command: str) -> str:
    return f"stage `{command}`" if command == "annotations" else f"`{command}`"
