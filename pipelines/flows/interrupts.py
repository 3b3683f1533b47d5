"""Ctrl-C while a program of this folder still loads its modules, or has done its work: it ends at once, without a traceback."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType

INTERRUPTED = 130


def end_at_once() -> None:
    """From now on Ctrl-C ends this process where it stands: nothing is under way that needs an end."""
    if is_ours() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def end_in_order() -> None:
    """From now on Ctrl-C raises ``KeyboardInterrupt``, so that what was started is stopped."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def is_ours() -> bool:
    """Return whether this is the process of a program of this folder: others may import its modules."""
    return Path(sys.argv[0]).resolve().parent == Path(__file__).resolve().parent


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


# On import, because that comes first and takes seconds until all others are there.
end_at_once()
