"""A rename that was stopped in the middle: both names are noted from its first change to its last, so that it can be ended."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scrubin.core.errors import ManifestError, ScrubinError
from scrubin.core.files import write_json

PATH = Path("data/private/renaming.json")


def names() -> tuple[str, str] | None:
    """Return the old and the new name of the rename that was stopped, None when there is none."""
    if not PATH.is_file():
        return None
    try:
        old, new = json.loads(PATH.read_text(encoding="utf-8"))
        return str(old), str(new)
    except (OSError, ValueError) as error:
        msg = f"{PATH}: it cannot be read, but notes a rename that was stopped; see which lists have the old name, then remove it"
        raise ManifestError(msg) from error


def refuse(allowed: tuple[str, str] | None = None) -> None:
    """Refuse to go on while lists have two names of one recording.

    Parameters
    ----------
    allowed
        The rename that may go on.

    Raises
    ------
    ManifestError
        Names the command that ends it.
    """
    stopped = names()
    if stopped is not None and stopped != allowed:
        old, new = stopped
        msg = f"'{old}' was to become '{new}', and that was stopped in the middle; run: scrubin {shlex.join(['rename', old, new])} --yes"
        raise ManifestError(msg)


@contextmanager
def noted(old: str, new: str) -> Iterator[None]:
    """Note a rename while it is done. One that is refused and taken back is no longer noted, unless it goes on from one that was killed."""
    goes_on = PATH.is_file()
    write_json(PATH, [old, new])
    try:
        yield
    except ScrubinError:
        if not goes_on:
            PATH.unlink(missing_ok=True)
        raise
    PATH.unlink(missing_ok=True)
