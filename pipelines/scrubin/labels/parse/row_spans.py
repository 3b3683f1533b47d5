"""Whether the rows of a table are frames, or spans of which the first frame alone would have a label."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Mapping, Sequence

from scrubin.base import csv_text
from scrubin.labels.parse.fields import Where

Placed = Sequence[tuple[int, str]]
"""The rows of a video in their order: the frame or nanosecond, and the phase."""


def are_frames(where: Where, ends: Mapping[str, Sequence[str]], videos: Sequence[Placed], least: int) -> bool:
    """Return whether rows are frames and no spans, after noting columns that are called like ends.

    Parameters
    ----------
    where
        Of the names of the columns.
    ends
        The cells of columns that are called like ends, by name.
    least
        A frame, or a second in nanoseconds: spans are longer.
    """
    if not ends:
        return True
    steps, same = _steps(videos)
    named = ", ".join(map(csv_text.shown, ends))
    # Phases go on from frame to frame, and what rows share is no end of theirs: how long a video is stands in each of its rows.
    go_on = same * 2 >= len(steps)
    shared = all(len(set(cells)) < len(cells) for cells in ends.values())
    if steps and ((statistics.median_low(steps) <= least and (go_on or least == 1)) or (len(set(steps)) == 1 and go_on and shared)):
        where.warning("column-end", f"there is a row per frame; not read: {named}", "leave it out, or call it otherwise")
        return True
    what = f"{named} says where rows end: these are spans, and here a row is one frame"
    where.error("column-end", what, "write a row per frame; if the column says something else, call it otherwise")
    return False


def note_starts(where: Where, videos: Sequence[Placed], least: int) -> None:
    """Note rows that look like the starts of phases, more than a frame or second apart: all frames between them have no label."""
    steps, same = _steps(videos)
    # Two rows have one step; of times that is enough, as nobody labels just two frames with seconds between them.
    are_two = least > 1 and max(map(len, videos), default=0) == 2
    if not same and min(steps, default=0) > least and (len(set(steps)) > 1 or are_two):
        what = "the phase changes in every row, like a list of where phases start"
        where.warning("phase-starts", what, "only these frames have a label: write a row per frame")


def _steps(videos: Sequence[Placed]) -> tuple[list[int], int]:
    """Return from each row to the next one of its video, and how many of these have the phase of the row before."""
    pairs = [pair for rows in videos for pair in itertools.pairwise(rows)]
    return [other[0] - one[0] for one, other in pairs], sum(one[1] == other[1] for one, other in pairs)
