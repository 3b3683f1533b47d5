"""Which tracks of several people are the same thing, frame by frame: a box with a box, a point with a point.

Two places fit when they are of one label, and boxes have an IoU of at least one half, points lie apart by at most 5 % of the width and of
the height of the picture. Of several that fit, those go together that fit in more frames, so that nothing jumps from frame to frame.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from scrubin.labels.keyframes import FloatArray, Places, Track, expanded, runs_of

LEAST_IOU = 0.5
POINT_SHARE = 0.05
"""Points that are closer, in each direction, as a share of that side of the picture, are the same."""


@dataclass(frozen=True)
class Said:
    """A track of a person, and where it is in every frame."""

    person: int
    track: Track

    @cached_property
    def places(self) -> Places:
        """Where it is."""
        return expanded(self.track)

    @property
    def member(self) -> tuple[int, str]:
        """Tells it from all others."""
        return self.person, self.track.name


@dataclass(frozen=True)
class Pair:
    """Two tracks of two people that fit in some frames: these frames, and how well, from 0 to 1, in each."""

    one: Said
    other: Said
    frames: npt.NDArray[np.int64]
    closeness: FloatArray

    @property
    def rank(self) -> tuple[int, list[Track]]:
        """The earlier one counts more; it does not depend on who says what."""
        return -len(self.frames), sorted((self.one.track, self.other.track))


@dataclass(frozen=True)
class Stretch:
    """Frames ``[first, end)`` in which the same tracks are there and the same pairs fit."""

    first: int
    end: int
    present: Sequence[Said]
    pairs: Sequence[Pair]


def pairs_of(layer: str, said: Sequence[Said], first: int | None = None) -> list[Pair]:
    """Return the pairs that fit anywhere, those first that fit longest.

    Parameters
    ----------
    first
        Whose track is `Pair.one`; None: whichever comes first.
    """
    found = []
    for a, b in itertools.combinations(said, 2):
        one, other = (b, a) if b.person == first else (a, b)
        if one.person == other.person or one.track.label != other.track.label:
            continue
        frames, at, at_other = np.intersect1d(one.places.frames, other.places.frames, assume_unique=True, return_indices=True)
        if not len(frames):
            continue
        closeness, fits = closeness_of(layer, one.places.places[at], other.places.places[at_other])
        if fits.any():
            found.append(Pair(one, other, frames[fits], closeness[fits]))
    return sorted(found, key=lambda pair: pair.rank)


def closeness_of(layer: str, one: FloatArray, other: FloatArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return how close places are, (n,), and whether they fit: of boxes the IoU, of points 1 less the larger distance in shares."""
    if layer == "points":
        apart = np.abs(one - other).max(axis=1)
        return 1 - apart, apart <= POINT_SHARE
    low = np.maximum(one[:, :2], other[:, :2])
    high = np.minimum(one[:, :2] + one[:, 2:], other[:, :2] + other[:, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=1)
    iou = shared / (np.prod(one[:, 2:], axis=1) + np.prod(other[:, 2:], axis=1) - shared)
    return iou, iou >= LEAST_IOU


def stretches(said: Sequence[Said], pairs: Sequence[Pair]) -> Iterator[Stretch]:
    """Yield the stretches in which anything is there, in order of time."""
    starts: dict[int, list[Said | Pair]] = {}
    ends: dict[int, list[Said | Pair]] = {}
    every: list[Said | Pair] = [*said, *pairs]
    for one in every:
        for first, end in runs_of(one.frames if isinstance(one, Pair) else one.places.frames):
            starts.setdefault(first, []).append(one)
            ends.setdefault(end, []).append(one)
    order = {id(one): at for at, one in enumerate(every)}
    here: dict[int, Said | Pair] = {}
    for first, end in itertools.pairwise(sorted({*starts, *ends})):
        for one in ends.get(first, ()):
            del here[id(one)]
        here |= {id(one): one for one in starts.get(first, ())}
        ordered = [here[key] for key in sorted(here, key=order.__getitem__)]
        present = [one for one in ordered if isinstance(one, Said)]
        if present:
            yield Stretch(first, end, present, [one for one in ordered if isinstance(one, Pair)])


def groups(stretch: Stretch) -> list[tuple[Said, ...]]:
    """Return the tracks of a stretch in groups of the same thing: one of a person at most, and any two of a group fit."""
    group_of: dict[tuple[int, str], list[Said]] = {one.member: [one] for one in stretch.present}
    fitting = {frozenset((pair.one.member, pair.other.member)) for pair in stretch.pairs}
    for pair in stretch.pairs:
        one, other = group_of[pair.one.member], group_of[pair.other.member]
        if one is other or {of.person for of in one} & {of.person for of in other}:
            continue
        if all(frozenset((a.member, b.member)) in fitting for a, b in itertools.product(one, other)):
            joined = [*one, *other]
            group_of |= {of.member: joined for of in joined}
    distinct = {id(group): group for group in group_of.values()}
    return [tuple(sorted(group, key=lambda of: of.track)) for group in distinct.values()]


def matched(stretch: Stretch) -> list[Pair]:
    """Return as many pairs of two people as can be at once, each track in one at most; those first that fit longest."""
    of_one: dict[tuple[int, str], list[Pair]] = {}
    for pair in stretch.pairs:
        of_one.setdefault(pair.one.member, []).append(pair)
    taken: dict[tuple[int, str], Pair] = {}

    def place(member: tuple[int, str], asked: set[tuple[int, str]]) -> bool:
        for pair in of_one.get(member, ()):
            other = pair.other.member
            if other in asked:
                continue
            asked.add(other)
            if other not in taken or place(taken[other].one.member, asked):
                taken[other] = pair
                return True
        return False

    for member in of_one:
        place(member, set())
    return sorted(taken.values(), key=lambda pair: pair.rank)


def said_by(people: Mapping[int, Sequence[Track]]) -> list[Said]:
    """Return the tracks of people that have a place anywhere, sorted by what they say."""
    every = [Said(person, track) for person, tracks in sorted(people.items()) for track in tracks]
    return sorted((one for one in every if len(one.places.frames)), key=lambda one: one.track)
