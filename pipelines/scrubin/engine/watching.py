"""How far work has come, for who looks from outside: items done, rate, time left, and how far the files are read that are open now."""

from __future__ import annotations

import math
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from scrubin.core.ranges import count_text

LARGE_BYTES = 8 << 20
"""Smaller files are read before anybody asks."""
SHOWN = 4
MINUTE_S, HOUR_S = 60, 3600


def sentence(name: str, done: int, total: int, elapsed_s: float, shares: Mapping[str, float], unit: str = "recording") -> str:
    """Return one line: how many are done, how fast, how long it will take, and where the long ones are.

    Parameters
    ----------
    name
        Of the work.
    elapsed_s
        Since it began.
    shares
        By file that is being read, how much of it has been, 0 to 1.

    >>> sentence("screen", 12, 97, 240, {"a.mkv": 0.43})
    'screen: 12 of 97 recordings done, 3.1 a minute, about 27 min left; reading a.mkv (43 %)'
    >>> sentence("screen", 0, 1, 60, {})
    'screen: 0 of 1 recording done after 1 min'
    """
    said = f"{name}: {done:,} of {count_text(total, unit)} done"
    work = min(done + math.fsum(shares.values()), float(total))
    if work > 0:
        said += f", {work / elapsed_s * MINUTE_S:.1f} a minute, about {time_text((total - work) * elapsed_s / work)} left"
    else:
        said += f" after {time_text(elapsed_s)}"
    return said + (f"; reading {_reading(shares)}" if shares else "")


def time_text(seconds: float) -> str:
    """Return a time for reading.

    >>> time_text(20), time_text(90), time_text(9000)
    ('1 min', '2 min', '2.5 h')
    """
    return f"{max(1, round(seconds / MINUTE_S))} min" if seconds < 2 * HOUR_S else f"{seconds / HOUR_S:.1f} h"


def shares_read(pid: int | None = None) -> dict[str, float]:
    """Return how far this process, and all that it started, have read the large files that they have open; empty where nobody knows.

    Programs that read a film from its beginning to its end are as far as their place in the file.
    """
    shares: dict[str, float] = {}
    for one in _descendants(os.getpid() if pid is None else pid):
        for path, share in _open_files(one):
            shares[path.name] = max(share, shares.get(path.name, 0.0))
    return dict(sorted(shares.items()))


def _descendants(pid: int) -> Iterator[int]:
    yield pid
    try:
        tasks = sorted(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return
    for task in tasks:
        try:
            children = (task / "children").read_text(encoding="ascii").split()
        except OSError:
            continue
        for child in children:
            yield from _descendants(int(child))


def _open_files(pid: int) -> Iterator[tuple[Path, float]]:
    try:
        links = list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return
    for link in links:
        try:
            path, state = link.readlink(), link.stat()
            if not stat.S_ISREG(state.st_mode) or state.st_size < LARGE_BYTES or path.is_relative_to(sys.prefix):
                continue
            words = Path(f"/proc/{pid}/fdinfo/{link.name}").read_text(encoding="ascii").split()
            facts = dict(zip(words[::2], words[1::2], strict=False))
            if int(facts["flags:"], 8) & os.O_ACCMODE == os.O_RDONLY:
                yield path, min(int(facts["pos:"]) / state.st_size, 1.0)
        except (OSError, ValueError, KeyError):
            continue  # closed in the meantime


def _reading(shares: Mapping[str, float]) -> str:
    first = sorted(shares.items())[:SHOWN]
    more = f" and {len(shares) - SHOWN} more" if len(shares) > SHOWN else ""
    return ", ".join(f"{name} ({100 * share:.0f} %)" for name, share in first) + more
