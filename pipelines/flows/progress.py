"""Progress of a stage: a bar on a terminal, elsewhere a line a minute; on a cluster, too, both say what is done on all machines."""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from tqdm import tqdm

from scrubin.base import files
from scrubin.curate.engine.run import progress_sentence, reading_text, shares_read, time_text

Item = TypeVar("Item")
LOG = logging.getLogger("scrubin")
EVERY_S = 60.0
LAST = Path(".cache/stage_seconds.json")
"""How long each stage took the last time it ended well: what a stage without steps says of the time that is left. No output reads it."""


class Clock:
    """What a line a minute goes by."""

    def now_s(self) -> float:
        """Return the seconds since some instant."""
        return time.monotonic()

    def is_over(self, end: threading.Event, seconds: float) -> bool:
        """Wait for an end, so long at most, and return whether it has come."""
        return end.wait(seconds)


CLOCK = Clock()


@contextlib.contextmanager
def steps(
    name: str, total: int, unit: str = "recording", shares: Callable[[], Mapping[str, float]] = shares_read
) -> Iterator[Callable[[], object]]:
    """Yield what is to be called whenever one more is done.

    Parameters
    ----------
    name
        Of the work.
    total, unit
        How many of what there are.
    shares
        Says by file how much of it has been read, 0 to 1, wherever the work is done.
    """
    if sys.stderr.isatty():
        with (
            tqdm(total=total, desc=name, unit=unit) as bar,
            _saying(lambda: reading_text(shares()), bar.set_postfix_str),
        ):
            yield bar.update
        return
    begin_s, done = CLOCK.now_s(), [0]

    def one_more() -> None:
        done[0] += 1

    with _saying(lambda: progress_sentence(name, done[0], total, CLOCK.now_s() - begin_s, shares(), unit)):
        yield one_more


def over(name: str, items: Sequence[Item], unit: str = "recording") -> Iterator[Item]:
    """Yield the items of a loop, and say how far it is."""
    with steps(name, len(items), unit) as one_more:
        for item in items:
            yield item
            one_more()


@contextlib.contextmanager
def of_stage(name: str) -> Iterator[None]:
    """Say that a stage is at work while none of its `steps` says more, and how long it took the last time."""
    begin_s, last_s = CLOCK.now_s(), _last_seconds()

    def says() -> str:
        took = f", the last time it took {time_text(last_s[name])}" if name in last_s else ""
        return f"{name}: at work for {time_text(CLOCK.now_s() - begin_s)}{took}"

    with _saying(says):
        yield
    with contextlib.suppress(OSError):  # a full disk must not spoil a stage that is done
        files.write_json(LAST, {**_last_seconds(), name: round(CLOCK.now_s() - begin_s, 1)})


def _last_seconds() -> dict[str, float]:
    try:
        return {str(name): float(seconds) for name, seconds in json.loads(LAST.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


_SPEAKERS: list[object] = []
"""Who speaks: the last one."""


def _log(text: str) -> None:
    LOG.info("%s", text)


@contextlib.contextmanager
def _saying(says: Callable[[], str], say: Callable[[str], object] = _log) -> Iterator[None]:
    """Say a line a minute, unless another one has begun since and not ended."""
    is_over, me = threading.Event(), object()

    def speak() -> None:
        while not CLOCK.is_over(is_over, EVERY_S):
            if _SPEAKERS[-1:] == [me]:
                say(says())

    _SPEAKERS.append(me)
    speaker = threading.Thread(target=speak, daemon=True)
    speaker.start()
    try:
        yield
    finally:
        is_over.set()
        speaker.join()
        _SPEAKERS.remove(me)
