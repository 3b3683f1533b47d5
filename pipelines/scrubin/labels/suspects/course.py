"""Which phase each position probably has: a hidden Markov model that has seen only the other recordings.

The phase is hidden. What is seen: the labelled phase, which is another one in a share of the positions; the classes that are there; how far
the operation is. How long phases last, what follows what, and which classes and times go with a phase is counted in the other recordings.
So nothing that is wrong in a recording speaks for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.model import IntArray
from scrubin.labels.suspects.sequence import UNKNOWN, Floats, LabelSequence, gaps_of, weights_of_labels

WRONG = 0.05
"""Share of labels that are taken to be wrong before anything is seen."""
TIME_BINS = 10
PRIOR_POSITIONS = 10.0
"""So many positions of the overall mean are added to each phase: what was seen twice says little."""
INDEPENDENCE = 0.6
"""Positions beside each other say nearly the same: the classes of one count as this share of an independent observation."""
LONGEST_GAP = 10.0
"""In a longer gap, in usual steps, anything may have happened: no more is counted or concluded from it."""
FORBIDDEN, UNSEEN = 0.01, 0.1
"""Transitions that are added to those seen: where the workflow of the vocabulary forbids them, and elsewhere."""


@dataclass(frozen=True, eq=False)
class Sums:
    """What is counted in recordings: numbers that are added, and taken away again, one by one."""

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    def __sub__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, one.name) - getattr(other, one.name) for one in fields(self)))


@dataclass(frozen=True, eq=False)
class Counts(Sums):
    """What is counted in a recording: changes and time by phase, positions by phase, with each class, in each tenth of the time."""

    changes: Floats
    time: Floats
    positions: Floats
    looked_at: Floats
    classes: Floats
    bins: Floats


def counted(sequence: LabelSequence, phases: int) -> Counts:
    """Return what is counted in a recording."""
    ids, gaps = sequence.phases, gaps_of(sequence.positions)
    is_known = ids != UNKNOWN
    changes, time = np.zeros((phases, phases)), np.zeros(phases)
    pair = is_known[1:] & is_known[:-1] & (gaps[1:] <= LONGEST_GAP)
    np.add.at(time, ids[:-1][pair], gaps[1:][pair])
    moved = pair & (ids[1:] != ids[:-1])
    np.add.at(changes, (ids[:-1][moved], ids[1:][moved]), 1.0)
    one_hot = np.zeros((len(ids), phases))
    one_hot[is_known, ids[is_known]] = 1.0
    seen = one_hot[sequence.is_looked_at]
    bins = np.zeros((len(ids), TIME_BINS))
    bins[np.arange(len(ids)), _bins(sequence)] = 1.0
    of_classes = seen.T @ sequence.present[sequence.is_looked_at]
    return Counts(changes, time, one_hot.sum(axis=0), seen.sum(axis=0), of_classes, one_hot.T @ bins)


def posteriors(sequence: LabelSequence, others: Counts, names: Vocabulary) -> Floats:
    """Return how probable each phase is at each position.

    Parameters
    ----------
    others
        What is counted in the other recordings.

    Returns
    -------
    Floats
        (n, phases); rows sum to 1.
    """
    rates, jumps = _transitions(others, names)
    return _smoothed(_emissions(sequence, others), rates, jumps, gaps_of(sequence.positions))


def _bins(sequence: LabelSequence) -> IntArray:
    span = max(int(sequence.positions[-1] - sequence.positions[0]), 1) if len(sequence.positions) else 1
    return np.asarray(np.minimum((sequence.positions - sequence.positions[:1]) * TIME_BINS // (span + 1), TIME_BINS - 1), np.int64)


def _transitions(others: Counts, names: Vocabulary) -> tuple[Floats, Floats]:
    """Return by which rate a phase is left per usual step, (phases,), and what then follows, (phases, phases)."""
    phases = len(others.time)
    left = others.changes.sum(axis=1)
    usual = max(others.time.sum() / max(left.sum() + 1.0, 1.0), 1.0)
    rates = (left + 1.0) / (others.time + usual)
    allowed = vocabulary.transitions(names)
    added = np.full((phases, phases), UNSEEN)
    if allowed is not None:
        pairs = [[(one, other) in allowed for other in names.phases] for one in names.phases]
        added = np.where(np.array(pairs, np.bool_), 1.0, FORBIDDEN)
    np.fill_diagonal(added, 0.0)
    jumps = others.changes + added
    return rates, jumps / np.maximum(jumps.sum(axis=1, keepdims=True), 1e-12)


def _emissions(sequence: LabelSequence, others: Counts) -> Floats:
    """Return the logarithm of how probable what is seen is in each phase, up to a constant per position, (n, phases)."""
    phases = len(others.time)
    overall = (others.classes.sum(axis=0) + 0.1) / (others.looked_at.sum() + 1.0)
    rates = (others.classes + PRIOR_POSITIONS * overall) / (others.looked_at[:, None] + PRIOR_POSITIONS)
    rates = np.clip(rates, 1e-6, 1 - 1e-6)
    there = sequence.present.astype(np.float64)
    of_classes = there @ np.log(rates).T + (1 - there) @ np.log1p(-rates).T
    time = (others.bins + PRIOR_POSITIONS / TIME_BINS) / (others.bins.sum(axis=1, keepdims=True) + PRIOR_POSITIONS)
    seen = INDEPENDENCE * (of_classes * sequence.is_looked_at[:, None] + np.log(time).T[_bins(sequence)])
    of_label = np.full((len(sequence.phases), phases), np.log(WRONG / max(phases - 1, 1)))
    is_known = sequence.phases != UNKNOWN
    of_label[np.flatnonzero(is_known), sequence.phases[is_known]] = np.log(1 - WRONG)
    of_label[~is_known] = 0.0
    return np.asarray(seen + of_label * weights_of_labels(sequence.phases)[:, None])


def _smoothed(emissions: Floats, rates: Floats, jumps: Floats, gaps: Floats) -> Floats:
    """Return the probabilities of states given everything before and after, by forward and backward recursion."""
    count, states = emissions.shape
    weights = np.exp(emissions - emissions.max(axis=1, keepdims=True)) if count else emissions
    steps = {gap: _step(rates, jumps, gap) for gap in sorted({min(float(gap), LONGEST_GAP) for gap in gaps})}
    moves: Sequence[Floats] = [steps[min(float(gap), LONGEST_GAP)] for gap in gaps]
    forward, backward = np.ones((count, states)), np.ones((count, states))
    for at in range(count):
        before = np.full(states, 1 / states) if at == 0 else forward[at - 1] @ moves[at]
        forward[at] = before * weights[at]
        forward[at] /= forward[at].sum()
    for at in range(count - 2, -1, -1):
        backward[at] = moves[at + 1] @ (weights[at + 1] * backward[at + 1])
        backward[at] /= backward[at].sum()
    both = forward * backward
    return np.asarray(both / both.sum(axis=1, keepdims=True))


def _step(rates: Floats, jumps: Floats, gap: float) -> Floats:
    stays = np.exp(-rates * gap)
    return np.asarray(np.diag(stays) + (1 - stays)[:, None] * jumps)
