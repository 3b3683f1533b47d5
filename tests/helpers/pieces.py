"""Work that is sent to other processes; a function inside a test cannot be."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scrubin.base.errors import VideoError
from scrubin.base.machine import decoder_threads
from scrubin.base.store import store
from scrubin.curate.engine import Piece


def piece(work: Callable[[Any], Any], item: Any, root: Path = Path()) -> Piece:
    return Piece(work, item, root.resolve() / store.STORE_PATH, None)


def doubled(number: int) -> int:
    time.sleep(0.01)
    return 2 * number


def process(_: Any) -> tuple[int, int, str]:
    return os.getpid(), decoder_threads(), os.environ.get("OMP_NUM_THREADS", "")


def process_after(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def meets_another(folder: Path) -> int:
    """Wait until a second process is here, half a minute at most; return how many there are."""
    (folder / str(os.getpid())).touch()
    until = time.monotonic() + 30
    while len(list(folder.iterdir())) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    return len(list(folder.iterdir()))


def written(path: Path) -> None:
    path.write_text("P01")


def refused(name: str) -> None:
    raise VideoError(name, "it is no video", "export it again", "line 3")


def odd(_: Any) -> None:
    class Odd(Exception):
        pass

    msg = "of a class that nobody else knows"
    raise Odd(msg)


def dies_once(marker: Path) -> str:
    """End as the kernel ends a process that needs too much memory, the first time."""
    if not marker.exists():
        marker.write_text("")
        os.kill(os.getpid(), 9)
    return "done"


def dies(_: Any) -> None:
    os.kill(os.getpid(), 9)


def stored(number: int) -> int:
    entry, _ = store.make(store.key_of("pieces", "code", {"n": number}), lambda folder: (folder / "a.txt").write_text("x") and number)
    return int(entry.value)


def slow(folder: Path) -> None:
    (folder / "started").write_text(str(os.getpid()))
    time.sleep(600)


def half_read(path: Path) -> None:
    """Read a film of 16 MB half, and go on when there is a file beside it that says so."""
    with path.open("rb") as film:
        film.seek(8 << 20)
        while not path.with_name("go on").exists():
            time.sleep(0.05)
