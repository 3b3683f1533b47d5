"""Where people differ, and what stands there: what nobody has to settle, what an adjudicator has settled.

Of a layer of spans every frame has a set of labels by each person: one at most of an exclusive layer. Frames where enough people agree are
agreed; the others, joined to runs, are disputes. An edge that all have, apart by no more than ``edge_s``, is no dispute: it lies in the
middle of their edges. Of an exclusive layer that holds only where nobody's spans meet or part by it: what follows at once still does.

An adjudicator's answer counts in the frames of a dispute that are still disputed as it was seen, and, where ``edge_s`` or ``settle`` is
another one by now and would leave nothing to settle, in those in which as many say each thing as then. Where somebody's other word
has ended the dispute, that stands; where people give other answers than then, the frames are disputed anew.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from scrubin.curate.label.events import Instant, Settled, Sheet, Span
from scrubin.curate.label.params import EXCLUSIVE
from scrubin.curate.label.several import still_said
from scrubin.labels import keyframes
from scrubin.labels.keyframes import Track

Names = tuple[str, ...]
FloatArray = npt.NDArray[np.float64]


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

    @property
    def digest(self) -> str:
        """What stands for the answers and their place. Who gives which goes not in: nobody can find it out by trying."""
        people = {*self.said, *self.tracks, *self.instants}
        every = sorted(repr((self.said.get(one), self.tracks.get(one), self.instants.get(one))) for one in people)
        return hashlib.sha256(repr((self.layer, self.first, self.end, every)).encode()).hexdigest()


@dataclass(frozen=True)
class Answered:
    """What an adjudicator said of a dispute, and the dispute as it was when they said it."""

    settled: Settled
    seen: Dispute


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


@dataclass(frozen=True)
class SettledAnswer:
    """What stands in the frames of a dispute.

    Parameters
    ----------
    people
        Those who said the same there, by number, sorted; none where the answer is the adjudicator's own.
    """

    spans: tuple[Span, ...]
    tracks: tuple[Track, ...]
    instants: tuple[Instant, ...]
    people: tuple[int, ...]


def of_layer(
    layer: str,
    said: Mapping[int, Sequence[Span]],
    frame_count: int,
    answered: Sequence[Answered] = (),
    *,
    edge: float,
    clock: FloatArray | None = None,
    majority: bool,
) -> Outcome:
    """Return what stands of a layer.

    Parameters
    ----------
    said
        Spans by annotator, of all who were to label it.
    frame_count
        Of the source.
    answered
        What adjudicators said of this layer, in that order; of two that were asked what people say now, the later one counts.
    edge
        Edges that are so far apart are the same, in the unit of ``clock``.
    clock
        When each frame begins, then when the last one ends, shape (frame_count + 1,); None: frames are counted.
    majority
        Whether more than half are enough; otherwise all must agree.
    """
    people = sorted(said)
    joined = _with_common_edges(
        {person: sorted(said[person], key=_place) for person in people},
        edge,
        np.arange(frame_count + 1.0) if clock is None else clock,
        is_exclusive=layer in EXCLUSIVE,
    )
    classes = sorted({span.names for spans in joined.values() for span in spans})
    votes = {names: _votes(joined.values(), names, frame_count) for names in classes}
    needed = len(people) // 2 + 1 if majority else len(people)
    agreed = {names: counts >= needed for names, counts in votes.items()}
    is_open = np.zeros(frame_count, np.bool_)
    for counts in votes.values():
        # Under a majority, what fewer say is outvoted; a tie is not.
        is_open |= (counts > 0) & (counts < needed) & ((len(people) - counts < needed) if majority else True)
    if majority and layer in EXCLUSIVE and classes:
        # Most say that there is something, and no label has most: without this nobody would be told of such a frame.
        is_open |= (sum(votes.values()) >= needed) & ~np.logical_or.reduce(list(agreed.values()))
    by_answer = np.full(frame_count, -1, np.int64)
    for number, one in enumerate(answered):
        first, end = one.seen.first, one.seen.end
        is_seen = still_said.of_spans(one.seen.said, _within(said, first, end), _within(joined, first, end), first, end, is_open[first:end])
        by_answer[first:end][is_seen] = number
    still_open, settled = (
        tuple(Dispute(layer, first, end, _within(said, first, end)) for first, end in runs(flags))
        for flags in (is_open & (by_answer < 0), by_answer >= 0)
    )
    spans = [Span(first, end, *names) for names, flags in agreed.items() for first, end in runs(flags & (by_answer < 0))]
    for number, one in enumerate(answered):
        for span in one.settled.spans:
            flags = np.zeros(frame_count, np.bool_)
            flags[span.first : span.end] = True
            spans += [Span(first, end, *span.names) for first, end in runs(flags & (by_answer == number))]
    return Outcome(tuple(merged(spans)), still_open, settled)


def answered(settled: Settled, said: Mapping[int, Sequence[Span]]) -> Answered:
    """Return an answer with the dispute that it settles, of what people say at that time, by annotator."""
    return Answered(settled, Dispute(settled.layer, settled.first, settled.end, _within(said, settled.first, settled.end)))


def settled_answer(outcome: Outcome, dispute: Dispute) -> SettledAnswer:
    """Return what stands in the frames of a dispute that is settled."""
    first, end = dispute.first, dispute.end
    spans = tuple(within(outcome.spans, first, end))
    tracks = tuple(inside for track in outcome.tracks if (inside := keyframes.cut(track, first, end)) is not None)
    instants = tuple(one for one in outcome.instants if first <= one.frame < end)
    stands = merged(spans), _places_of_tracks(tracks), sorted(instants)
    people = tuple(
        person
        for person in sorted({*dispute.said, *dispute.tracks, *dispute.instants})
        if stands
        == (
            merged(dispute.said.get(person, ())),
            _places_of_tracks(dispute.tracks.get(person, ())),
            sorted(dispute.instants.get(person, ())),
        )
    )
    return SettledAnswer(spans, tracks, instants, people)


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
    return sorted(joined, key=_place)


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


Edge = tuple[int, Names, str, int]
"""Whose, of which label, ``first`` or ``end``, and in which frame."""


def _with_common_edges(said: dict[int, list[Span]], edge: float, clock: FloatArray, *, is_exclusive: bool) -> dict[int, list[Span]]:
    """Return the spans with edges of a label moved to their middle where everybody has one nearby."""
    if len(said) < 2 or edge == 0:
        return said
    common = _common_edges(said, edge, clock)
    if not is_exclusive:
        return _moved(said, {edge: to for of in common for edge, to in of.items()})
    moves: dict[Edge, int] = {}
    for of in _touching(said, common):
        # Where spans of one person would meet, part or vanish by it, these edges stay as they are, and votes decide.
        tried = _moved(said, moves | of)
        if all(_follows_alike(said[person], tried[person]) for person in said):
            moves |= of
    return _moved(said, moves)


def _common_edges(said: Mapping[int, Sequence[Span]], edge: float, clock: FloatArray) -> list[dict[Edge, int]]:
    """Return the edges of a label that everybody has, with their middle."""
    found = []
    for names, side in itertools.product(sorted({span.names for spans in said.values() for span in spans}), ("first", "end")):
        edges = sorted((getattr(span, side), person) for person, spans in said.items() for span in spans if span.names == names)
        for group in _groups(edges, edge, clock):
            if Counter(person for _, person in group) == Counter(list(said)):
                # Half a frame goes to the later one, as labels do between two frames.
                middle = (2 * sum(at for at, _ in group) + len(group)) // (2 * len(group))
                found.append({(person, names, side, at): middle for at, person in group})
    return found


def _touching(said: Mapping[int, Sequence[Span]], common: Sequence[dict[Edge, int]]) -> list[dict[Edge, int]]:
    """Return common edges with those at which somebody's next span begins: they move together, or not at all."""
    at = {(person, frame): set[int]() for person, spans in said.items() for span in spans for frame in (span.first, span.end)}
    for number, edges in enumerate(common):
        for person, _, _, frame in edges:
            at[person, frame].add(number)
    joined: list[dict[Edge, int]] = []
    left = set(range(len(common)))
    while left:
        group, new = set[int](), {min(left)}
        while new:
            group |= new
            new = {other for number in new for person, _, _, frame in common[number] for other in at[person, frame]} - group
        left -= group
        joined.append({edge: to for number in sorted(group) for edge, to in common[number].items()})
    return joined


def _follows_alike(before: Sequence[Span], after: Sequence[Span]) -> bool:
    """Return whether all of a person's spans are there, in their order, none meets the next, and what touched still does."""
    if [span.names for span in before] != [span.names for span in after]:
        return False
    pairs = zip(itertools.pairwise(before), itertools.pairwise(after), strict=True)
    return all(two.first >= one.end and (two.first == one.end) == (second.first == first.end) for (first, second), (one, two) in pairs)


def _moved(said: Mapping[int, Sequence[Span]], moved: Mapping[Edge, int]) -> dict[int, list[Span]]:
    """Return the spans with some edges elsewhere, those of an exclusive layer in order; one of which nothing is left is left out."""
    shifted: dict[int, list[Span]] = {}
    for person, spans in said.items():
        for span in spans:
            first = moved.get((person, span.names, "first", span.first), span.first)
            end = moved.get((person, span.names, "end", span.end), span.end)
            shifted.setdefault(person, []).extend([Span(first, end, *span.names)] if first < end else [])
    return {person: shifted.get(person, []) for person in said}


def _groups(edges: Sequence[tuple[int, int]], within: float, clock: FloatArray) -> Iterator[list[tuple[int, int]]]:
    """Yield edges that lie no further apart than so much of the clock, from the first on."""
    group: list[tuple[int, int]] = []
    for edge in edges:
        if group and clock[edge[0]] - clock[group[0][0]] > within:
            yield group
            group = []
        group.append(edge)
    if group:
        yield group


def _place(span: Span) -> tuple[int, int, Names]:
    return span.first, span.end, span.names


def _within(said: Mapping[int, Sequence[Span]], first: int, end: int) -> dict[int, tuple[Span, ...]]:
    """Return what each person says of frames, cut to them."""
    return {person: tuple(within(spans, first, end)) for person, spans in said.items()}


def _places_of_tracks(tracks: Sequence[Track]) -> list[tuple[int, str, tuple[float, ...], bool]]:
    """Return where tracks are, frame by frame: the same also where they are put together otherwise."""
    found = []
    for track in tracks:
        places = keyframes.expanded(track)
        for frame, place, is_hidden in zip(places.frames.tolist(), places.places.tolist(), places.is_hidden.tolist(), strict=True):
            found.append((frame, track.label, keyframes.rounded(place), is_hidden))
    return sorted(found)
