"""How far people agree on the triplets of sampled frames, of frames that both labelled.

``f1`` is twice the triplets that both say by the sum of all of one and all of the other. ``jaccard`` is the mean over frames of those
that both say by those that either says; 1 where both say that nothing is in view. ``both`` is the share of the frames that one of them
labelled which both labelled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrubin.curate.label.events import Instant, Triplet
from scrubin.curate.label.several.agreement import by_pair_and_class


@dataclass(frozen=True)
class TwiceSampled:
    """A recording of which two people labelled frames: what each says."""

    recording: str
    one: Sequence[Instant]
    other: Sequence[Instant]


@dataclass(frozen=True)
class _Counts:
    """Of frames that both labelled: triplets of one, of the other and of both, the Jaccard indices; frames that either labelled."""

    one: int
    other: int
    shared: int
    jaccards: tuple[float, ...] = ()
    either: int = 0


def of_instants(pairs: Mapping[tuple[int, int], Sequence[TwiceSampled]]) -> dict[str, Any]:
    """Return the agreement on a layer of sampled frames, as a JSON value.

    Parameters
    ----------
    pairs
        By two annotators, the recordings that both have finished.

    Returns
    -------
    dict
        ``recordings``; per pair ``a-b`` and of ``all`` together ``f1``, ``jaccard`` and ``both``; ``classes``: ``f1`` per triplet of all
        pairs together. Each value has ``value``, ``low`` and ``high``; null where undefined.
    """
    counted = {pair: [(one.recording, _counts(one)) for one in of_pair] for pair, of_pair in pairs.items()}
    every = [twice for of_pair in pairs.values() for twice in of_pair]
    names = sorted({triplet for twice in every for instant in (*twice.one, *twice.other) for triplet in instant.triplets})
    classes = {", ".join(filter(None, name)): [(one.recording, _of_class(one, name)) for one in every] for name in names}
    return {"recordings": len({one.recording for one in every}), **by_pair_and_class(counted, classes, _values, _of_one)}


def _both(twice: TwiceSampled) -> list[tuple[set[Triplet], set[Triplet]]]:
    other = {instant.frame: set(instant.triplets) for instant in twice.other}
    return [(set(instant.triplets), other[instant.frame]) for instant in twice.one if instant.frame in other]


def _counts(twice: TwiceSampled) -> _Counts:
    both = _both(twice)
    sums = (sum(len(one) for one, _ in both), sum(len(other) for _, other in both), sum(len(one & other) for one, other in both))
    jaccards = tuple(len(one & other) / len(one | other) if one | other else 1.0 for one, other in both)
    return _Counts(*sums, jaccards, len({instant.frame for instant in (*twice.one, *twice.other)}))


def _of_class(twice: TwiceSampled, name: Triplet) -> _Counts:
    both = [(name in one, name in other) for one, other in _both(twice)]
    return _Counts(sum(one for one, _ in both), sum(other for _, other in both), sum(one and other for one, other in both))


def _of_one(counts: Sequence[_Counts]) -> dict[str, float]:
    labelled = sum(one.one + one.other for one in counts)
    return {"f1": 2 * sum(one.shared for one in counts) / labelled if labelled else math.nan}


def _values(counts: Sequence[_Counts]) -> dict[str, float]:
    jaccards = [value for one in counts for value in one.jaccards]
    either = sum(one.either for one in counts)
    mean = math.fsum(jaccards) / len(jaccards) if jaccards else math.nan
    return {**_of_one(counts), "jaccard": mean, "both": len(jaccards) / either if either else math.nan}
