"""Labels on our frames: the one rule from positions in source time to our frame index, which source counts.

The rule
--------
1. Released frame k has the source time ``offset_s + time_s``: the cut's offset plus the frame's
   true time. A label at second s has the source time s. A label at source frame n has that frame's
   time: as the video has it where its rate varies, so that no label crosses a hole; else, where n was not extracted,
   between its neighbours in proportion to the numbers.
2. A label belongs to the frame whose source time is nearest, if they are at most half a period
   apart: the period of the labels, or of the extracted frames for labels by source frame.
   From a tie the label goes to the later frame, so that all labels of a recording move the same way.
3. A frame takes at most one label: the nearest, from a tie the earlier one. Frames that show the same
   picture, as the video stands still, are one frame here.
4. A label by source frame outside the cut is not used, however near: its image is not released.

Times are whole nanoseconds, so that nothing drifts and ties are ties.

The first source in the order of ``params.yaml`` counts; one that labels whole triplets comes
before one that only says which instruments are present. The others are compared with it and
their differences counted: nothing is mixed, so a row always comes from one file. Marks of different names are
different things: of each name the first source counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
import pandas as pd

from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.model import Clock, Detail, IntArray, Labels, Layer
from scrubin.stages.annotations.lengths import picture_sizes

NS = 10**9
TIE_NS = 1_000  # timestamps are coarser than 10 us, so a smaller difference is rounding
UNUSED = -1


@dataclass(frozen=True)
class Timeline:
    """The extracted frames of one recording, in source time.

    Parameters
    ----------
    frames
        Frame numbers, increasing, shape (n,).
    source_frames
        Their source frame numbers, shape (n,).
    times_ns
        Their source times, shape (n,).
    start_ns, end_ns
        The cut in source time, half open.
    start_source_frame, end_source_frame
        The cut in source frames, half open.
    every_ns
        Source times of all frames of the cut, increasing, shape (end_source_frame - start_source_frame,), of a video whose rate
        varies; None: it does not, and times between extracted frames follow from those.
    """

    frames: IntArray
    source_frames: IntArray
    times_ns: IntArray
    start_ns: int
    end_ns: int
    start_source_frame: int
    end_source_frame: int
    every_ns: IntArray | None = None


@dataclass(frozen=True)
class Alignment:
    """Where each label went.

    Parameters
    ----------
    frames
        The frame of each position, -1 where it has none, shape (n,).
    shifts_ns
        Frame time minus label time of each position, 0 where it has no frame, shape (n,).
    before, after
        Labels outside the cut.
    between
        Labels inside the cut that no frame took, such as 24 of 25 labels at 25 per second.
    """

    frames: IntArray
    shifts_ns: IntArray
    before: int
    after: int
    between: int


def timeline(
    frames: IntArray,
    frame_times_s: np.typing.NDArray[np.float64],
    frame_numbers: IntArray,
    *,
    offset_s: Fraction,
    duration_s: float,
    first_source_frame: int,
    frame_count: int,
    every_ns: IntArray | None = None,
) -> Timeline:
    """Return the timeline of a recording from its released frames and its cut.

    Parameters
    ----------
    frames, frame_times_s, frame_numbers
        ``frame``, ``time_s`` and ``source_frame`` of the table ``frames``, shape (n,).
    offset_s, first_source_frame, frame_count
        Of the table ``cuts``.
    duration_s
        Of the released video.
    every_ns
        Times of all frames of the released video, from its first, shape (frame_count,), where its rate varies.
    """
    offset_ns = _ns(offset_s)
    times_ns = offset_ns + np.rint(np.asarray(frame_times_s, np.float64) * NS).astype(np.int64)
    return Timeline(
        frames=np.asarray(frames, np.int64),
        source_frames=np.asarray(frame_numbers, np.int64) + first_source_frame,
        times_ns=times_ns,
        start_ns=offset_ns,
        end_ns=offset_ns + round(duration_s * NS),
        start_source_frame=first_source_frame,
        end_source_frame=first_source_frame + frame_count,
        every_ns=None if every_ns is None else offset_ns + every_ns,
    )


def align(positions: IntArray, clock: Clock, line: Timeline) -> Alignment:
    """Map label positions to frames by the rule above.

    Parameters
    ----------
    positions
        Increasing, shape (n,).

    Examples
    --------
    >>> line = timeline(np.arange(3), np.array([0.0, 1.0, 2.0]), np.array([0, 25, 50]),
    ...                 offset_s=Fraction(10), duration_s=3.0, first_source_frame=250, frame_count=75)
    >>> align(np.array([9, 10, 12, 13]), Clock(Fraction(1)), line).frames.tolist()
    [-1, 0, 2, -1]
    """
    positions = np.asarray(positions, np.int64)
    times_ns = source_times_ns(positions, clock, line)
    if clock.period_s is None:
        before, after = positions < line.start_source_frame, positions >= line.end_source_frame
        usable, period_ns = ~(before | after), _frame_period_ns(line)
    else:
        before, after = times_ns < line.start_ns, times_ns >= line.end_ns
        usable, period_ns = np.ones(len(positions), bool), _ns(clock.period_s)
    index = _nearest(times_ns, line.times_ns)
    frames = np.full(len(positions), UNUSED, np.int64)
    shifts_ns = np.zeros(len(positions), np.int64)
    best: dict[int, tuple[int, int]] = {}  # frame index -> distance, label index
    for label in np.flatnonzero(usable & (index >= 0)).tolist():
        distance = abs(int(line.times_ns[index[label]] - times_ns[label]))
        taken = best.get(int(index[label]))
        if 2 * distance <= period_ns + TIE_NS and (taken is None or distance < taken[0] - TIE_NS):
            best[int(index[label])] = (distance, label)
    for at, (_, label) in best.items():
        frames[label] = line.frames[at]
        shifts_ns[label] = line.times_ns[at] - times_ns[label]
    unused = frames == UNUSED
    n_before, n_after = int((unused & before).sum()), int((unused & after).sum())
    return Alignment(frames, shifts_ns, n_before, n_after, int(unused.sum()) - n_before - n_after)


def source_times_ns(positions: IntArray, clock: Clock, line: Timeline) -> IntArray:
    """Return the source time of each position, shape (n,), by point 1 of the rule above."""
    if clock.period_s is not None:
        return np.array([_ns(position * clock.period_s) for position in positions.tolist()], np.int64)
    if len(line.frames) == 0:
        return np.full(len(positions), line.start_ns, np.int64)
    # From the known frames outwards at the mean rate; between them in proportion.
    known, known_ns = line.source_frames, line.times_ns
    if line.every_ns is not None:
        known, known_ns = np.arange(line.start_source_frame, line.end_source_frame), line.every_ns
    mean_ns = (line.end_ns - line.start_ns) / (line.end_source_frame - line.start_source_frame)
    inside = np.interp(positions, known, known_ns)
    inside = np.where(positions < known[0], known_ns[0] + (positions - known[0]) * mean_ns, inside)
    inside = np.where(positions > known[-1], known_ns[-1] + (positions - known[-1]) * mean_ns, inside)
    return np.rint(inside).astype(np.int64)


def _frame_period_ns(line: Timeline) -> int:
    # A video shorter than a period has one frame, and all its labels are near it.
    if len(line.times_ns) < 2:
        return 2 * (line.end_ns - line.start_ns)
    return int(np.median(np.diff(line.times_ns)))


def _nearest(times_ns: IntArray, frame_times_ns: IntArray) -> IntArray:
    """Return the index of the nearest frame, of the later one from a tie; -1 without frames.

    Of several frames at one instant, which are one picture, it is the first: two of them must not have different labels.
    """
    if len(frame_times_ns) == 0:
        return np.full(len(times_ns), UNUSED, np.int64)
    later = np.searchsorted(frame_times_ns, times_ns, side="left").clip(0, len(frame_times_ns) - 1)
    earlier = (later - 1).clip(0)
    to_earlier = np.abs(times_ns - frame_times_ns[earlier])
    to_later = np.abs(frame_times_ns[later] - times_ns)
    nearest = np.where(to_earlier < to_later - TIE_NS, earlier, later)
    return np.searchsorted(frame_times_ns, frame_times_ns[nearest], side="left").astype(np.int64)


def _ns(seconds: Fraction) -> int:
    return round(seconds * NS)


@dataclass(frozen=True)
class PlacedLayer:
    """One layer of labels on the frames of a recording.

    Parameters
    ----------
    format, vocabulary, detail, clock
        Where the labels come from.
    frames
        Labelled frames, increasing, shape (n,).
    rows
        As in the layer, with ``frame`` instead of ``position``.
    alignment
        What went where.
    file
        Where they stand, for messages.
    positions
        The position of the label of each frame, in units of the clock, shape (n,).
    sizes
        Width and height in px of the labelled picture by position, where the format states them.
    """

    format: str
    vocabulary: Vocabulary
    detail: Detail
    clock: Clock
    frames: IntArray
    rows: pd.DataFrame
    alignment: Alignment
    file: str
    positions: IntArray
    sizes: Mapping[int, tuple[int, int]] = field(default_factory=dict)


def place(labels: Labels, layer: Layer, line: Timeline) -> PlacedLayer:
    """Return a layer on the frames of its recording; labels without a frame are left out."""
    alignment = align(layer.positions, labels.clock, line)
    pairs = _with_repeats(layer.positions, alignment.frames, line)
    rows = layer.rows.merge(pairs, on="position", how="inner").drop(columns="position")
    rows = rows.sort_values("frame", kind="stable", ignore_index=True)
    pairs = pairs.sort_values("frame", kind="stable")
    frames, positions = (pairs[name].to_numpy(dtype=np.int64) for name in ("frame", "position"))
    of_labels = (labels.format, labels.vocabulary, labels.detail, labels.clock)
    return PlacedLayer(*of_labels, frames, rows, alignment, layer.file, positions, picture_sizes(labels))


def _with_repeats(positions: IntArray, frames: IntArray, line: Timeline) -> pd.DataFrame:
    """Return position and frame of every use of a label.

    Where a video stands still for longer than a period, several extracted frames are the same
    picture, and what holds for one of them holds for all.
    """
    used = frames != UNUSED
    pairs = pd.DataFrame({"position": positions[used], "frame": frames[used]})
    pictures = pd.DataFrame({"frame": line.frames, "picture": line.source_frames})
    same = pairs.merge(pictures, on="frame").merge(pictures, on="picture", suffixes=("_labelled", ""))
    repeats = same.loc[~same["frame"].isin(pairs["frame"]), ["position", "frame"]].drop_duplicates("frame", keep="last")
    return pd.concat([pairs, repeats], ignore_index=True)


def choose_phases(placed: Sequence[PlacedLayer]) -> tuple[PlacedLayer | None, list[str]]:
    """Return the phases that count, and how the other sources differ from them."""
    if not placed:
        return None, []
    first, *others = placed
    return first, [_compare("phases", first, other, _phase_names) for other in others]


def choose_marks(placed: Sequence[PlacedLayer]) -> tuple[list[PlacedLayer], list[str]]:
    """Return the marks of annotators that count, and how those of the other sources differ, by the mean of all annotators.

    Marks of different names say different things, as criteria and faults of the picture do: they stand side by side. Of each name the
    first source that has it counts, with all its frames.
    """
    standing: list[PlacedLayer] = []
    notes: list[str] = []
    for one in placed:
        names, taken = _mark_names(one), set().union(*map(_mark_names, standing))
        for before in standing:
            if shared := names & _mark_names(before):
                notes.append(_compare("marks", _only_marks(before, shared), _only_marks(one, shared), _marked))
        if names - taken or not standing:
            standing.append(_only_marks(one, names - taken))
    return standing, notes


def _mark_names(placed: PlacedLayer) -> set[str]:
    return set(placed.rows["mark"])


def _only_marks(placed: PlacedLayer, names: set[str]) -> PlacedLayer:
    """Return a layer with the marks of these names alone, and the frames that were looked at for them: all."""
    return placed if names == _mark_names(placed) else replace(placed, rows=placed.rows[placed.rows["mark"].isin(names)])


def choose_instances(placed: Sequence[PlacedLayer]) -> tuple[PlacedLayer | None, list[str]]:
    """Return the instances that count, and how the instruments of the other sources differ."""
    if not placed:
        return None, []
    first, *others = sorted(placed, key=lambda one: one.detail != "triplet")
    return first, [_compare("instruments", first, other, _instrument_names) for other in others]


_Names = Callable[[PlacedLayer, IntArray], dict[int, tuple[str, ...]]]


def _compare(what: str, first: PlacedLayer, other: PlacedLayer, names: _Names) -> str:
    shared = np.intersect1d(first.frames, other.frames)
    ours, theirs = names(first, shared), names(other, shared)
    differing = [frame for frame in shared.tolist() if ours.get(frame, ()) != theirs.get(frame, ())]
    where = f" (first: frame {differing[0]})" if differing else ""
    return f"{what}: {first.format} counts; {other.format} differs in {len(differing)} of {len(shared)} shared frames{where}"


def _phase_names(placed: PlacedLayer, frames: IntArray) -> dict[int, tuple[str, ...]]:
    rows = placed.rows[placed.rows["frame"].isin(frames)]
    pairs = zip(rows["frame"].tolist(), rows["phase_id"].tolist(), strict=True)
    return {frame: (placed.vocabulary.phases[phase],) for frame, phase in pairs}


def _marked(placed: PlacedLayer, frames: IntArray) -> dict[int, tuple[str, ...]]:
    rows = placed.rows[placed.rows["frame"].isin(frames)]
    means = rows.groupby(["frame", "mark"], sort=True)["value"].mean().reset_index()
    names: dict[int, list[str]] = {}
    for frame, mark, mean in zip(means["frame"].tolist(), means["mark"].tolist(), means["value"].tolist(), strict=True):
        names.setdefault(frame, []).append(f"{mark} {mean:.6f}")
    return {frame: tuple(said) for frame, said in names.items()}


def _instrument_names(placed: PlacedLayer, frames: IntArray) -> dict[int, tuple[str, ...]]:
    # Presence does not count instances, so neither does the comparison.
    rows = placed.rows[placed.rows["frame"].isin(frames)].drop_duplicates(["frame", "instrument_id"])
    names: dict[int, list[str]] = {}
    for frame, instrument in zip(rows["frame"].tolist(), rows["instrument_id"].tolist(), strict=True):
        names.setdefault(frame, []).append(placed.vocabulary.instruments[instrument])
    return {frame: tuple(sorted(instruments)) for frame, instruments in names.items()}
