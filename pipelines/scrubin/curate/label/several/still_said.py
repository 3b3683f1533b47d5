"""In which frames people still differ as an adjudicator saw it: the same answers are given there, by whomever.

An answer counts in these frames alone. Where somebody gives another answer than then, nobody has decided between the present ones. What
counts as one edge, and how many must agree, may be set otherwise since: whoever decided has decided, unless all say the same by now.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from scrubin.curate.label.events import Instant, Span
from scrubin.labels.keyframes import Track, expanded, rounded

Flags = npt.NDArray[np.bool_]
"""Of the frames ``[first, end)``, shape (end - first,)."""
NEAR = 0.002
"""Of the picture, by which a place may be apart and is the same: tools round, and a key frame on the way between two moves nothing."""
Place = tuple[str, bool, tuple[float, ...]]
"""Label, whether it is hidden, and where it is, in shares of the picture."""


def of_spans(seen: Mapping[int, Sequence[Span]], now: Mapping[int, Sequence[Span]], first: int, end: int, is_open: Flags) -> Flags:
    """Return in which of the frames ``[first, end)`` the sets of labels that people give are those that were seen.

    Parameters
    ----------
    seen, now
        Spans by annotator.
    is_open
        Where they are disputed now; elsewhere a frame counts unless all say the same.

    >>> of_spans({1: [Span(0, 4, "a")], 2: []}, {1: [Span(2, 4, "a")], 2: []}, 0, 4, np.zeros(4, np.bool_)).tolist()
    [False, False, True, True]
    """
    every = [span for said in (seen, now) for spans in said.values() for span in spans]
    edges = {edge for span in every for edge in (span.first, span.end) if first < edge < end}
    same, differ = np.zeros(end - first, np.bool_), np.zeros(end - first, np.bool_)
    for start, stop in itertools.pairwise(sorted({first, end} | edges)):
        labels = _labels_at(now, start)
        same[start - first : stop - first] = _labels_at(seen, start) == labels
        differ[start - first : stop - first] = len(labels) > 1
    return same & (is_open | differ)


def of_tracks(seen: Mapping[int, Sequence[Track]], now: Mapping[int, Sequence[Track]], first: int, end: int, is_open: Flags) -> Flags:
    """Return in which of the frames ``[first, end)`` the sets of places that people give are those that were seen, see `NEAR`.

    Parameters
    ----------
    seen, now
        Tracks by annotator, both cut to these frames.
    is_open
        Where they are disputed now; elsewhere a frame counts unless all say the same.
    """
    is_same = {tuple(tracks) for tracks in seen.values()} == {tuple(tracks) for tracks in now.values()}
    if is_same and is_open.all():
        return np.ones(end - first, np.bool_)
    before, after = ([_places(tracks) for tracks in said.values()] for said in (seen, now))
    counts = np.zeros(end - first, np.bool_)
    for frame in range(first, end):
        one, other = ({tuple(of.get(frame, ())) for of in people} for people in (before, after))
        counts[frame - first] = (is_open[frame - first] or len(other) > 1) and (one == other or _are_near(one, other))
    return counts


def of_instants(seen: Mapping[int, Sequence[Instant]], now: Mapping[int, Sequence[Instant]], frames: Iterable[int]) -> set[int]:
    """Return in which of some frames the sets of triplets that people give, or that they give none, differ and are those that were seen."""
    triplets = [[{one.frame: one.triplets for one in instants} for instants in said.values()] for said in (seen, now)]
    at = {frame: [{of.get(frame) for of in people} for people in triplets] for frame in frames}
    return {frame for frame, (one, other) in at.items() if one == other and len(other) > 1}


def _labels_at(said: Mapping[int, Sequence[Span]], frame: int) -> set[frozenset[tuple[str, ...]]]:
    return {frozenset(span.names for span in spans if span.first <= frame < span.end) for spans in said.values()}


def _are_near(one: set[tuple[Place, ...]], other: set[tuple[Place, ...]]) -> bool:
    """Return whether each answer of either set has one in the other that says the same."""
    return all(any(_is_near(a, b) for b in other) for a in one) and all(any(_is_near(a, b) for a in one) for b in other)


def _is_near(one: Sequence[Place], other: Sequence[Place]) -> bool:
    """Return whether two answers have the same labels in the same state, each near one of the other."""
    left = list(other)
    for label, is_hidden, place in one:
        near = (of for of in left if of[:2] == (label, is_hidden) and np.allclose(of[2], place, rtol=0, atol=NEAR))
        found = next(near, None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _places(tracks: Sequence[Track]) -> dict[int, list[Place]]:
    """Return what somebody says of each frame, sorted: tracks may be put together otherwise."""
    found: dict[int, list[Place]] = {}
    for track in tracks:
        places = expanded(track)
        for frame, place, is_hidden in zip(places.frames.tolist(), places.places.tolist(), places.is_hidden.tolist(), strict=True):
            found.setdefault(frame, []).append((track.label, is_hidden, rounded(place)))
    return {frame: sorted(of) for frame, of in found.items()}
