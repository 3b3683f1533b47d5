"""In which frames people still differ as an adjudicator saw it: the same answers are given there, by whomever.

An answer counts in these frames alone. Where somebody gives another answer than then, nobody has decided between the present ones.
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


def of_spans(seen: Mapping[int, Sequence[Span]], now: Mapping[int, Sequence[Span]], first: int, end: int) -> Flags:
    """Return in which of the frames ``[first, end)`` the sets of labels that people give are those that were seen.

    >>> of_spans({1: [Span(0, 4, "a")], 2: []}, {1: [Span(2, 4, "a")], 2: []}, 0, 4).tolist()
    [False, False, True, True]
    """
    every = [span for said in (seen, now) for spans in said.values() for span in spans]
    edges = {edge for span in every for edge in (span.first, span.end) if first < edge < end}
    same = np.zeros(end - first, np.bool_)
    for start, stop in itertools.pairwise(sorted({first, end} | edges)):
        same[start - first : stop - first] = _labels_at(seen, start) == _labels_at(now, start)
    return same


def of_tracks(seen: Mapping[int, Sequence[Track]], now: Mapping[int, Sequence[Track]], first: int, end: int) -> Flags:
    """Return in which of the frames ``[first, end)`` the sets of places that people give are those that were seen.

    Parameters
    ----------
    seen, now
        Tracks by annotator, both cut to these frames.
    """
    if {tuple(tracks) for tracks in seen.values()} == {tuple(tracks) for tracks in now.values()}:
        return np.ones(end - first, np.bool_)
    places = [[_places(tracks) for tracks in said.values()] for said in (seen, now)]
    at = [[{tuple(of.get(frame, ())) for of in people} for people in places] for frame in range(first, end)]
    return np.array([one == other for one, other in at], np.bool_)


def of_instants(seen: Mapping[int, Sequence[Instant]], now: Mapping[int, Sequence[Instant]], frames: Iterable[int]) -> set[int]:
    """Return in which of some frames the sets of triplets that people give, or that they give none, are those that were seen."""
    triplets = [[{one.frame: one.triplets for one in instants} for instants in said.values()] for said in (seen, now)]
    at = {frame: [{of.get(frame) for of in people} for people in triplets] for frame in frames}
    return {frame for frame, (one, other) in at.items() if one == other}


def _labels_at(said: Mapping[int, Sequence[Span]], frame: int) -> set[frozenset[tuple[str, ...]]]:
    return {frozenset(span.names for span in spans if span.first <= frame < span.end) for spans in said.values()}


def _places(tracks: Sequence[Track]) -> dict[int, list[tuple[str, tuple[float, ...], bool]]]:
    """Return what somebody says of each frame, sorted: tracks may be put together otherwise."""
    found: dict[int, list[tuple[str, tuple[float, ...], bool]]] = {}
    for track in tracks:
        places = expanded(track)
        for frame, place, is_hidden in zip(places.frames.tolist(), places.places.tolist(), places.is_hidden.tolist(), strict=True):
            found.setdefault(frame, []).append((track.label, rounded(place), is_hidden))
    return {frame: sorted(of) for frame, of in found.items()}
