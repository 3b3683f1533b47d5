"""What follows from a fault: the one table of severities by command.

Readers report the same faults to every command. Here, and only here, stands which severities stop which command.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, Severity

Command = Literal["validate", "convert", "score", "submission check", "rank", "annotations"]
COMMANDS: tuple[Command, ...] = get_args(Command)
POLICY: Mapping[Command, Mapping[Severity, str]] = {
    "validate": {"error": "fails; other files are still looked at", "deviation": "shown", "warning": "shown"},
    "convert": {"error": "stops; nothing is written", "deviation": "shown", "warning": "shown"},
    "score": {"error": "stops", "deviation": "shown", "warning": "shown"},
    "submission check": {"error": "fails: cannot be scored", "deviation": "fails: can be scored as it is", "warning": "shown"},
    "rank": {"error": "stops: the team is not ranked", "deviation": "shown", "warning": "shown"},
    "annotations": {"error": "stops the stage", "deviation": "shown in the report", "warning": "shown in the report"},
}
"""What a command does with faults of each severity. ``stops`` raises; ``fails`` ends with exit code 1 after everything was looked at."""


def stopping(command: Command, faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return the faults that stop a command, or let it fail."""
    return tuple(fault for fault in faults if POLICY[command][fault.severity].startswith(("stops", "fails")))


def enforce(command: Command, faults: Iterable[Fault]) -> None:
    """Stop a command when the policy says so.

    Raises
    ------
    AnnotationError
        With all faults that stop it.
    """
    if stops := stopping(command, faults):
        raise AnnotationError(stops)
