"""Whether the rows of a table are frames, or spans of which the first frame alone would have a label."""

from __future__ import annotations

import itertools
import math
import re
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scrubin.base.text import csv_text
from scrubin.labels.parse import columns
from scrubin.labels.parse.fields import Where
from scrubin.labels.rates import Unit

MEND = (
    "read spans as the format phase-spans (--from, --predictions-from), with columns such as start_s,end_s,phase; else write a row per "
    "frame; if the column says something else, call it otherwise, or leave it out"
)
FEWEST = 3
"""So many steps must a column meet that is not called like ends."""
STARTS = ("start", "starts", "first", "begin", "beginn", "from", "onset")
ENDS = ("end", "ends", "ende", "stop", "to", "until", "finish", "offset", "last")
LENGTHS = ("length", "len", "duration", "dauer")
UNITS: Mapping[str, Unit] = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("frame", "frames"), "frame"),
}
_PLACES = ("time", "timestamp", "t", "h", "hh", "mm", "ss", "in", "at", "number", "no", "nr", "index", "idx", "id")
FILLERS = frozenset((*_PLACES, "phase", "inclusive", "exclusive"))
_JOINED = re.compile(r"(start|begin|end|stop)(time|frame|sec)")
Placed = Sequence[tuple[int, str]]
"""The rows of a video in their order: the frame or nanosecond, and the phase."""


@dataclass(frozen=True)
class Edge:
    """A column of starts or of ends: its name, what it counts (None: a clock), whether it is the last instant of a phase (None: unsaid)."""

    name: str
    unit: Unit | None
    is_last: bool | None = None


def edges_of(header: Iterable[str], words: Sequence[str]) -> list[Edge]:
    """Return the columns that are called by one of some words, such as those of `STARTS`, with nothing but a unit or a filler beside it.

    >>> [edge.name for edge in edges_of(["Start (s)", "endTime", "to_frame", "blunt end"], ENDS)]
    ['endTime', 'to_frame']
    """
    return [edge for name in header if (edge := _edge(name, words)) is not None]


def _edge(name: str, words: Sequence[str]) -> Edge | None:
    apart = _JOINED.sub(r"\1 \2", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold())
    tokens = re.findall(r"[^\W_]+", apart)
    units = {UNITS[token] for token in tokens if token in UNITS}
    if sum(token in words for token in tokens) != 1 or len(units) > 1 or not set(tokens) <= {*words, *UNITS, *FILLERS}:
        return None
    is_last = True if {"last", "inclusive"} & set(tokens) else False if {"until", "exclusive"} & set(tokens) else None
    return Edge(name, next(iter(units), None), is_last)


def says_spans(file: str, head: str) -> bool:
    """Return whether columns, or clock times in the first row, say what starts and ends count, and no other column numbers the rows."""
    sheet = csv_text.read(file, "\n".join(head.splitlines()[:2]).encode())
    edges = [edges_of(sheet.columns, words) for words in (STARTS, ENDS)]
    if columns.first_of(sheet.columns, "phase") is None or columns.first_of(sheet.columns, "frame", "seconds", "milliseconds") is not None:
        return False
    cells = [row.cells[edge.name] for row in sheet.rows for of in edges for edge in of]
    are_clocks = bool(cells) and all(":" in cell for cell in cells)
    return all(len(of) == 1 and (of[0].unit is not None or are_clocks) for of in edges)


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


def tile(videos: Sequence[Placed], least: int) -> bool:
    """Return whether the cells of a column called like ends reach to where the next rows start, or are lengths, and not all are short.

    Parameters
    ----------
    videos
        Of each row its frame or nanosecond, and the cell.
    least
        As of `are_frames`: times may be in seconds or milliseconds.
    """
    for _, spans in _readings(videos, least):
        steps = _steps_and_spans(videos, spans)
        met = sum(step == span for step, span in steps)
        # The last of rows by the second ends with its film, also where a second is missing; of uneven rows it is a span of its own.
        even = {step for step, span in steps if step == span}
        last = max(least, 2 * min(even)) if least > 1 and len(even) == 1 and 2 * met > len(steps) else least
        is_long = any(span > (last if at == len(of) else least) for of in spans for at, span in enumerate(of, start=1))
        if steps and is_long and all(0 < span <= step for step, span in steps) and 2 * met >= len(steps):
            return True
    return False


def end_rows(videos: Sequence[Placed], placed: Sequence[Placed], least: int) -> bool:
    """Return whether the cells of a column, whatever it is called, end rows that are more than a frame or second apart.

    They do where all lie behind their row and none beyond the next one, and most reach just to it; or where nearly all lie so, the phase
    changes in most rows, and they are no count of their own, such as frames of another rate. Rows that lie evenly and go on with their
    phase are frames.

    Parameters
    ----------
    videos, least
        As of `tile`.
    placed
        The same rows with their phases.
    """
    gaps, same = _steps(placed)
    changes, is_uneven = 2 * same <= len(gaps), len(set(gaps)) > 1
    if not gaps or statistics.median_low(gaps) <= least or not (changes or is_uneven):
        return False
    for is_end, spans in _readings(videos, least):
        steps, every = _steps_and_spans(videos, spans), [span for of in spans for span in of]
        # Lengths that are all the same may be anything, such as a rate.
        if max(every) <= least or any(of[-1] <= 0 for of in spans if of) or (not is_end and len(set(every)) == 1):
            continue
        met = sum(step == span for step, span in steps)
        lie_between = sum(0 < span <= step for step, span in steps)
        reach = (met >= FEWEST and 3 * met >= 2 * len(steps)) or (is_end and not same and met == len(steps))
        if lie_between == len(steps) and reach:
            return True
        if is_end and changes and is_uneven and 5 * lie_between >= 4 * len(steps) and _fill(steps) and not _is_count(videos, spans, least):
            return True
    return False


def are_spans(videos: Sequence[Sequence[tuple[int, int]]], least: int, *, called_end: bool) -> bool:
    """Return whether pairs of numbers are where rows start and end: in order, behind each other, and no two counts of the same frames.

    Parameters
    ----------
    videos
        Of each row both numbers, as it stands.
    least
        A frame or a second: spans are longer.
    called_end
        Whether the second one is called like ends: then spans may lie over each other.
    """
    starts = [[(start, "") for start, _ in rows] for rows in videos]
    spans = [[end - start for start, end in rows] for rows in videos]
    steps = _steps_and_spans(starts, spans)
    is_in_order = all(step > 0 for step, _ in steps) and all(span >= 0 for of in spans for span in of)
    if not steps or not is_in_order or max(map(max, spans)) <= least:
        return False
    # Also ends that are the last frame.
    met, lie_between = sum(step - span in (0, least) for step, span in steps), sum(span <= step for step, span in steps)
    follow = 5 * lie_between >= 4 * len(steps) and _fill(steps) and not _is_count(starts, spans, least)
    return called_end or met == len(steps) or follow


def _readings(videos: Sequence[Placed], least: int) -> Iterator[tuple[bool, list[list[int]]]]:
    """Yield how long rows are by every reading of the cells of a column, and whether that is one of ends; nothing where any is no number.

    A reading is a length, an end behind the last frame, or an end that is the last frame; of times in seconds or milliseconds.
    """
    try:
        numbers = [[(at, _number(cell)) for at, cell in rows] for rows in videos]
    except ValueError:
        return
    if not all(math.isfinite(number * least) for rows in numbers for _, number in rows):
        return
    for scale in (1,) if least == 1 else (least, least // 1000):
        for of_end, more in ((0, 0), (1, 0)) if least > 1 else ((0, 0), (1, 0), (1, 1)):
            yield of_end == 1, [[round(number * scale) - of_end * at + more for at, number in rows] for rows in numbers]


def _number(cell: str) -> float:
    """Return a number, or the seconds of a clock."""
    if (time := columns.nanoseconds(cell)) is not None and ":" in cell:
        return time / columns.NS
    return csv_text.number(cell)


def _steps_and_spans(videos: Sequence[Placed], spans: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return of each row but the last one of its video how far the next one is, and how long it is."""
    return [(later[0] - one[0], span) for rows, of in zip(videos, spans, strict=True) for (one, later), span in _stepped(rows, of)]


def _fill(steps: Sequence[tuple[int, int]]) -> bool:
    """Return whether spans cover at least half of the time: phases follow each other."""
    return 2 * sum(min(span, step) for step, span in steps) >= sum(step for step, _ in steps)


def _is_count(videos: Sequence[Placed], spans: Sequence[Sequence[int]], least: int) -> bool:
    """Return whether ends lie on a line over their rows, as frames of another rate, or from another one on, do; three rows tell."""
    for rows, of in zip(videos, spans, strict=True):
        points = [(at, at + span) for (at, _), span in zip(rows, of, strict=True)]
        (x, y), (x_end, y_end) = points[0], points[-1]
        if len(points) > 2 and any(abs((v - y) * (x_end - x) - (u - x) * (y_end - y)) > least * (x_end - x) for u, v in points):
            return False
    return True


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
