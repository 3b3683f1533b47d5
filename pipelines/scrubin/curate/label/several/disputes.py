"""Where people differ, and what stands when nobody has to settle it.

Of a layer of spans every frame has a set of labels by each person: one at most of an exclusive layer. Frames where enough people agree are
agreed; the others, joined to runs, are disputes. An edge that all have, apart by no more than ``edge_s``, is no dispute: it lies in the
middle of their edges.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from scrubin.curate.label.events import Instant, Settled, Sheet, Span
from scrubin.labels.keyframes import Track

Names = tuple[str, ...]


@dataclass(frozen=True)
class Dispute:
    """Frames ``[first, end)`` of a layer where people differ, with what each says there, by annotator."""

    layer: str
    first: int
    end: int
    said: Mapping[int, tuple[Span, ...]]
    tracks: Mapping[int, tuple[Track, ...]] = field(default_factory=dict)
    """The same, of a layer of tracks."""
    instants: Mapping[int, tuple[Instant, ...]] = field(default_factory=dict)
    """The same, of a layer of sampled frames; who has none of a frame did not label it."""


@dataclass(frozen=True)
class Outcome:
    """What stands of a layer, and what is still to be settled."""

    spans: tuple[Span, ...]
    open: tuple[Dispute, ...]
    settled: tuple[Dispute, ...]
    tracks: tuple[Track, ...] = ()
    """What stands of a layer of tracks."""
    instants: tuple[Instant, ...] = ()
    """The labelled frames of a layer of sampled frames."""


def of_layer(
    layer: str,
    said: Mapping[int, Sequence[Span]],
    frame_count: int,
    settlements: Sequence[Settled] = (),
    *,
    edge_frames: int,
    majority: bool,
) -> Outcome:
    """Return what stands of a layer.

    Parameters
    ----------
    said
        Spans by annotator, of all who were to label it.
    frame_count
        Of the source.
    settlements
        Of this layer, in the order in which they were said; of two that meet, the later one counts.
    edge_frames
        Edges that are so many frames apart are the same.
    majority
        Whether more than half are enough; otherwise all must agree.
    """
    people = sorted(said)
    joined = _with_common_edges({person: list(said[person]) for person in people}, edge_frames)
    classes = sorted({span.names for spans in joined.values() for span in spans})
    votes = {names: _votes(joined.values(), names, frame_count) for names in classes}
    needed = len(people) // 2 + 1 if majority else len(people)
    agreed = {names: counts >= needed for names, counts in votes.items()}
    is_open = np.zeros(frame_count, np.bool_)
    for counts in votes.values():
        # Under a majority, what fewer say is outvoted; a tie is not.
        is_open |= (counts > 0) & (counts < needed) & ((len(people) - counts < needed) if majority else True)
    by_settlement = np.full(frame_count, -1, np.int64)
    for number, one in enumerate(settlements):
        by_settlement[one.first : one.end] = number
    disputes = [Dispute(layer, first, end, _within(said, first, end)) for first, end in runs(is_open)]
    settled = tuple(one for one in disputes if (by_settlement[one.first : one.end] >= 0).all())
    still_open = tuple(one for one in disputes if one not in settled)
    spans = [
        span for names, flags in agreed.items() for first, end in runs(flags & (by_settlement < 0)) for span in [Span(first, end, *names)]
    ]
    for number, one in enumerate(settlements):
        for span in one.spans:
            flags = np.zeros(frame_count, np.bool_)
            flags[span.first : span.end] = True
            spans += [Span(first, end, *span.names) for first, end in runs(flags & (by_settlement == number))]
    return Outcome(tuple(merged(spans)), still_open, settled)


def of_sheets(sheets: Mapping[int, Sheet], points: float) -> list[str]:
    """Return the aspects and errors in which ratings differ: scores by more than so many points, ``failed`` and errors at all."""
    if len(sheets) < 2:
        return []
    every = list(sheets.values())
    found = ["failed"] if len({one.failed for one in every}) > 1 else []
    for name in sorted({name for one in every for name in one.scores}):
        values = [one.scores[name] for one in every if name in one.scores]
        found += [name] if max(values) - min(values) > points else []
    for name in sorted({name for one in every for name in one.errors}):
        found += [name] if len({one.errors.get(name, False) for one in every}) > 1 else []
    return found


def runs(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the runs of true values, half open.

    >>> runs(np.array([False, True, True, False, True]))
    [(1, 3), (4, 5)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(first), int(end)) for first, end in zip(edges[::2], edges[1::2], strict=True)]


def _votes(said: Iterable[Sequence[Span]], names: Names, frame_count: int) -> npt.NDArray[np.int64]:
    """Return how many people give each frame a label, (frames,)."""
    votes = np.zeros(frame_count, np.int64)
    for spans in said:
        flags = np.zeros(frame_count, np.bool_)
        for span in spans:
            if span.names == names:
                flags[span.first : span.end] = True
        votes += flags
    return votes


def _with_common_edges(said: dict[int, list[Span]], edge_frames: int) -> dict[int, list[Span]]:
    """Return the spans with edges of a label moved to their middle where everybody has one nearby."""
    if len(said) < 2 or edge_frames == 0:
        return said
    moved: dict[tuple[int, Names, str, int], int] = {}
    for names, side in itertools.product(sorted({span.names for spans in said.values() for span in spans}), ("first", "end")):
        edges = sorted((getattr(span, side), person) for person, spans in said.items() for span in spans if span.names == names)
        for group in _groups(edges, edge_frames):
            if Counter(person for _, person in group) == Counter(list(said)):
                # Half a frame goes to the later one, as labels do between two frames.
                middle = (2 * sum(at for at, _ in group) + len(group)) // (2 * len(group))
                moved |= {(person, names, side, at): middle for at, person in group}
    shifted: dict[int, list[Span]] = {}
    for person, spans in said.items():
        for span in spans:
            first = moved.get((person, span.names, "first", span.first), span.first)
            end = moved.get((person, span.names, "end", span.end), span.end)
            shifted.setdefault(person, []).extend([Span(first, end, *span.names)] if first < end else [])
    return {person: shifted.get(person, []) for person in said}


def _groups(edges: Sequence[tuple[int, int]], within: int) -> Iterator[list[tuple[int, int]]]:
    """Yield edges that lie no further apart than so many frames, from the first on."""
    group: list[tuple[int, int]] = []
    for edge in edges:
        if group and edge[0] - group[0][0] > within:
            yield group
            group = []
        group.append(edge)
    if group:
        yield group


def _within(said: Mapping[int, Sequence[Span]], first: int, end: int) -> dict[int, tuple[Span, ...]]:
    """Return what each person says of frames, cut to them."""
    return {person: tuple(within(spans, first, end)) for person, spans in said.items()}


def within(spans: Sequence[Span], first: int, end: int) -> list[Span]:
    """Return the spans that meet frames ``[first, end)``, cut to them."""
    meeting = [span for span in spans if span.first < end and first < span.end]
    return [Span(max(one.first, first), min(one.end, end), *one.names) for one in meeting]


def merged(spans: Sequence[Span]) -> list[Span]:
    """Return spans in order, those of a label that touch as one."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.names, span.first, span.end)):
        if joined and joined[-1].names == span.names and span.first <= joined[-1].end:
            joined[-1] = Span(joined[-1].first, max(joined[-1].end, span.end), *span.names)
        else:
            joined.append(span)
    return sorted(joined, key=lambda span: (span.first, span.end, span.names))
