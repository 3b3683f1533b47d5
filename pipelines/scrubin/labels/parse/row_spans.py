"""Whether the rows of a table are frames, or spans of which the first frame alone would have a label."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Mapping, Sequence

from scrubin.base.text import csv_text
from scrubin.labels.parse.fields import Where

MEND = (
    "write a row per frame, or the spans as segments.csv with VideoID,StartTime,EndTime,labelID, by seconds and names of phases "
    "(format surch, which takes any vocabulary that --vocabulary names), or by a program of spans; if the column says something else, "
    "call it otherwise"
)
FEWEST = 3
"""So many steps must a column meet that is not called like ends."""
Placed = Sequence[tuple[int, str]]
"""The rows of a video in their order: the frame or nanosecond, and the phase."""


def are_frames(where: Where, ends: Mapping[str, Sequence[str]], videos: Sequence[Placed], least: int, tiling: Sequence[str]) -> bool:
    """Return whether rows are frames and no spans, after noting columns that are called like ends.

    Parameters
    ----------
    where
        Of the names of the columns.
    ends
        The cells of columns that are called like ends, by name.
    least
        A frame, or a second in nanoseconds: spans are longer.
    tiling
        The columns called like ends whose cells `tile`.
    """
    if not ends and not tiling:
        return True
    steps, same = _steps(videos)
    named = ", ".join(map(csv_text.shown, tiling or ends))
    # Phases go on from frame to frame, and what rows share is no end of theirs: how long a video is stands in each of its rows.
    go_on = same * 2 >= len(steps)
    shared = all(len(set(cells)) < len(cells) for cells in ends.values())
    if (
        not tiling
        and steps
        and ((statistics.median_low(steps) <= least and (go_on or least == 1)) or (len(set(steps)) == 1 and go_on and shared))
    ):
        where.warning("column-end", f"there is a row per frame; not read: {named}", "leave it out, or call it otherwise")
        return True
    note_ends(where, named)
    return False


def note_ends(where: Where, named: str) -> None:
    """Note columns that say where rows end."""
    what = f"{named} says where rows end: these are spans, and here a row is one frame"
    where.error("column-end", what, MEND)


def tile(videos: Sequence[Placed], least: int, *, called_end: bool) -> bool:
    """Return whether the cells of a column end rows where the next ones start, or are their lengths, and not all rows are short.

    Parameters
    ----------
    videos
        Of each row its frame or nanosecond, and the cell.
    least
        As of `are_frames`: times may be in seconds or milliseconds.
    called_end
        Whether the column is called like ends; of another one, three steps or more must all be met: a few numbers meet by chance.
    """
    try:
        numbers = [[(at, csv_text.number(cell)) for at, cell in rows] for rows in videos]
    except ValueError:
        return False
    if not all(math.isfinite(number * least) for rows in numbers for _, number in rows):
        return False
    for scale in (1,) if least == 1 else (least, least // 1000):
        # A length, an end behind the last frame, an end that is the last frame.
        for of_end, more in ((0, 0), (1, 0)) if least > 1 else ((0, 0), (1, 0), (1, 1)):
            spans = [[round(number * scale) - of_end * at + more for at, number in rows] for rows in numbers]
            steps = [(later[0] - one[0], span) for rows, of in zip(videos, spans, strict=True) for (one, later), span in _stepped(rows, of)]
            met = sum(step == span for step, span in steps)
            # The last of rows by the second ends with its film, also where a second is missing; of uneven rows it is a span of its own.
            even = {step for step, span in steps if step == span}
            last = max(least, 2 * min(even)) if least > 1 and len(even) == 1 and 2 * met > len(steps) else least
            fewest, least_met = (1, (len(steps) + 1) // 2) if called_end else (FEWEST, len(steps))
            is_long = any(span > (last if at == len(of) else least) for of in spans for at, span in enumerate(of, start=1))
            if len(steps) >= fewest and is_long and all(0 < span <= step for step, span in steps) and met >= least_met:
                return True
    return False


def _stepped(rows: Placed, spans: Sequence[int]) -> list[tuple[tuple[tuple[int, str], tuple[int, str]], int]]:
    return list(zip(itertools.pairwise(rows), spans, strict=False))


def are_starts(videos: Sequence[Placed], least: int) -> bool:
    """Return whether rows look like the starts of phases, more than a frame or second apart."""
    steps, same = _steps(videos)
    # Two rows have one step; of times that is enough, as nobody labels just two frames with seconds between them.
    are_two = least > 1 and max(map(len, videos), default=0) == 2
    return not same and min(steps, default=0) > least and (len(set(steps)) > 1 or are_two)


def note_starts(where: Where, videos: Sequence[Placed], least: int) -> None:
    """Note rows that look like the starts of phases: all frames between them have no label."""
    if are_starts(videos, least):
        what = "the phase changes in every row, like a list of where phases start"
        where.warning("phase-starts", what, "only these frames have a label: write a row per frame")


def _steps(videos: Sequence[Placed]) -> tuple[list[int], int]:
    """Return from each row to the next one of its video, and how many of these have the phase of the row before."""
    pairs = [pair for rows in videos for pair in itertools.pairwise(rows)]
    return [other[0] - one[0] for one, other in pairs], sum(one[1] == other[1] for one, other in pairs)
