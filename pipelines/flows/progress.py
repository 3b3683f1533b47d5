"""Progress of a stage: a bar on a terminal; elsewhere, such as in a log, a line a minute."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator

from tqdm import tqdm

from scrubin.curate.engine.run import progress_sentence, shares_read, time_text

LOG = logging.getLogger("scrubin")
EVERY_S = 60.0


@contextlib.contextmanager
def steps(name: str, total: int, unit: str = "recording") -> Iterator[Callable[[], object]]:
    """Yield what is to be called whenever one more is done."""
    if sys.stderr.isatty():
        with tqdm(total=total, desc=name, unit=unit) as bar:
            yield bar.update
        return
    begin, done = time.monotonic(), [0]

    def one_more() -> None:
        done[0] += 1

    with _saying(lambda: progress_sentence(name, done[0], total, time.monotonic() - begin, shares_read(), unit)):
        yield one_more


@contextlib.contextmanager
def of_stage(name: str) -> Iterator[None]:
    """Say that a stage is at work while none of its `steps` says more."""
    begin = time.monotonic()
    if sys.stderr.isatty():
        yield
        return
    with _saying(lambda: f"{name}: at work for {time_text(time.monotonic() - begin)}"):
        yield


_SPEAKERS: list[object] = []
"""Who speaks: the last one."""


@contextlib.contextmanager
def _saying(says: Callable[[], str]) -> Iterator[None]:
    """Say a line a minute, unless another one has begun since and not ended."""
    is_over, me = threading.Event(), object()

    def speak() -> None:
        while not is_over.wait(EVERY_S):
            if _SPEAKERS[-1:] == [me]:
                LOG.info("%s", says())

    _SPEAKERS.append(me)
    speaker = threading.Thread(target=speak, daemon=True)
    speaker.start()
    try:
        yield
    finally:
        is_over.set()
        speaker.join()
        _SPEAKERS.remove(me)
