"""In which frames people still differ as an adjudicator saw it: the same answers are given there, by whomever.

An answer counts in these frames alone. Where somebody gives another answer than then, nobody has decided between the present ones. Where
a frame is disputed no more, the answer counts only if people still differ there and as many say each thing as then: then only what counts
as one edge, or how many must agree, was set otherwise since, and whoever decided has decided. Else somebody's word has ended the dispute.
Frames that common edges passed over were decided by where these edges are, so the frames beside them must be as they were seen, too.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from scrubin.curate.label.events import Instant, Span
from scrubin.labels.keyframes import Track, expanded, rounded, runs_of

T = TypeVar("T")
Flags = npt.NDArray[np.bool_]
"""Of the frames ``[first, end)``, shape (end - first,)."""
NEAR = 0.002
"""Of the picture, by which a place may be apart and is the same: tools round, and a key frame on the way between two moves nothing."""
Place = tuple[str, bool, tuple[float, ...]]
"""Label, whether it is hidden, and where it is, in shares of the picture."""


def of_spans(
    seen: Mapping[int, Sequence[Span]],
    now: Mapping[int, Sequence[Span]],
    joined: Mapping[int, Sequence[Span]],
    first: int,
    end: int,
    is_open: Flags,
) -> Flags:
    """Return in which of the frames ``[first, end)`` an answer counts: the sets of labels that people give are those that were seen.

    Parameters
    ----------
    seen, now
        Spans by annotator.
    joined
        Those of now with edges that are one in their middle.
    is_open
        Where they are disputed now.

    >>> now = {1: [Span(2, 4, "a")], 2: []}
    >>> of_spans({1: [Span(0, 4, "a")], 2: []}, now, now, 0, 4, np.array([False, True, True, False])).tolist()
    [False, False, True, True]
    """
    every = [span for said in (seen, now, joined) for spans in said.values() for span in spans]
    edges = {edge for span in every for edge in (span.first, span.end) if first < edge < end}
    same, is_as_often, differ, is_moved = np.zeros((4, end - first), np.bool_)
    for start, stop in itertools.pairwise(sorted({first, end} | edges)):
        here = slice(start - first, stop - first)
        one, other = _labels_at(seen, start), _labels_at(now, start)
        same[here], is_as_often[here], differ[here] = one.keys() == other.keys(), one == other, len(other) > 1
        is_moved[here] = other != _labels_at(joined, start)
    for start, stop in runs_of(np.flatnonzero(is_moved)):
        is_as_often[start:stop] &= is_as_often[max(start - 1, 0) : stop + 1].all()
    return same & (is_open | (is_as_often & differ))


def of_tracks(seen: Mapping[int, Sequence[Track]], now: Mapping[int, Sequence[Track]], first: int, end: int, is_open: Flags) -> Flags:
    """Return in which of the frames ``[first, end)`` an answer counts: the sets of places that people give are those seen, see `NEAR`.

    Parameters
    ----------
    seen, now
        Tracks by annotator, both cut to these frames.
    is_open
        Where they are disputed now.
    """
    if is_open.all() and Counter(map(tuple, seen.values())) == Counter(map(tuple, now.values())):
        return is_open  # as the loop finds, which is slow
    before, after = ([_places(tracks) for tracks in said.values()] for said in (seen, now))
    counts = np.zeros(end - first, np.bool_)
    for frame in range(first, end):
        one, other = ([tuple(of.get(frame, ())) for of in people] for people in (before, after))
        if is_open[frame - first]:
            counts[frame - first] = _are_near(set(one), set(other))
        else:
            counts[frame - first] = len(set(other)) > 1 and _are_paired(one, other, _is_near)
    return counts


def of_instants(
    seen: Mapping[int, Sequence[Instant]], now: Mapping[int, Sequence[Instant]], frames: Iterable[int], is_open: Callable[[int], bool]
) -> set[int]:
    """Return in which of some frames an answer counts: people differ, and the sets of triplets that they give, or none, are those seen."""
    triplets = [[{one.frame: one.triplets for one in instants} for instants in said.values()] for said in (seen, now)]
    at = {frame: [Counter(of.get(frame) for of in people) for people in triplets] for frame in frames}
    # A frame that is sampled only since then lies in the dispute, and nobody differs there.
    return {
        frame for frame, (one, other) in at.items() if len(other) > 1 and (one.keys() == other.keys() if is_open(frame) else one == other)
    }


def _labels_at(said: Mapping[int, Sequence[Span]], frame: int) -> Counter[frozenset[tuple[str, ...]]]:
    return Counter(frozenset(span.names for span in spans if span.first <= frame < span.end) for spans in said.values())


def _are_near(one: set[tuple[Place, ...]], other: set[tuple[Place, ...]]) -> bool:
    """Return whether each answer of either set has one in the other that says the same."""
    return all(any(_is_near(a, b) for b in other) for a in one) and all(any(_is_near(a, b) for a in one) for b in other)


def _is_near(one: Sequence[Place], other: Sequence[Place]) -> bool:
    """Return whether two answers have the same labels in the same state, each near one of the other."""
    return one == other or _are_paired(one, other, _is_near_place)


def _is_near_place(one: Place, other: Place) -> bool:
    # Plain numbers: this is asked of every pair in every frame.
    return one[:2] == other[:2] and all(abs(a - b) <= NEAR for a, b in zip(one[2], other[2], strict=True))


def _are_paired(one: Sequence[T], other: Sequence[T], is_same: Callable[[T, T], bool]) -> bool:
    """Return whether each of either has one of its own in the other that is the same."""
    left = list(other)
    for a in one:
        at = next((at for at, b in enumerate(left) if is_same(a, b)), None)
        if at is None:
            return False
        del left[at]
    return not left


def _places(tracks: Sequence[Track]) -> dict[int, list[Place]]:
    """Return what somebody says of each frame, sorted: tracks may be put together otherwise."""
    found: dict[int, list[Place]] = {}
    for track in tracks:
        places = expanded(track)
        for frame, place, is_hidden in zip(places.frames.tolist(), places.places.tolist(), places.is_hidden.tolist(), strict=True):
            found.setdefault(frame, []).append((track.label, is_hidden, rounded(place)))
    return {frame: sorted(of) for frame, of in found.items()}
