"""What the other recordings make improbable: each recording is looked at by chains that have counted all others of its vocabulary.

Phases. The phase is hidden, in a Markov model. What is seen: the labelled phase, which is another one in a share of the positions; the
classes that are there; how far the operation is. How long phases last, what follows what, and which classes and times go with a phase is
counted in the other recordings. So nothing that is wrong in a recording speaks for itself.

Classes. Hidden is whether a class is there, in a chain for each class. Seen is whether it is labelled, which is wrong in a share of the
positions. How often a class is there in a phase, and for how long, is counted in the other recordings; what is labelled before and after
says the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.model import IntArray
from scrubin.labels.rows import triplet_names
from scrubin.labels.suspects import places
from scrubin.labels.suspects.sequence import UNKNOWN, Floats, LabelSequence, gaps_of, weights_of_labels
from scrubin.labels.suspects.suspect import Suspect

EVIDENCE = "sequence"
OF_PHASE = "the course and the instruments of the other recordings say so"
OF_CLASS = "its neighbours and the other recordings say so"
FEWEST = 2
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
USUAL_RATE = 0.3
"""By which rate per usual step a class is left that was hardly ever seen."""


def suspects(sequences: Sequence[LabelSequence], names: Vocabulary) -> list[Suspect]:
    """Return what is improbable in recordings of one vocabulary whose classes are of one kind; nothing of one recording alone.

    Parameters
    ----------
    sequences
        Of at least two recordings.
    """
    sequences = [one for one in sequences if len(one.positions)]
    if len(sequences) < FEWEST:
        return []
    having = [one for one in sequences if (one.phases != UNKNOWN).any()]
    of_phases = _phases(having, names) if len(having) >= FEWEST else {}
    found = []
    for one in having if of_phases else []:
        given = np.where(one.phases == UNKNOWN, 0, one.phases)
        probable = of_phases[one.recording].copy()
        wrong = 1 - probable[np.arange(len(given)), given]
        probable[np.arange(len(given)), given] = -1.0
        found += places.of_phases(one, probable.argmax(axis=1), wrong, names.phases, EVIDENCE, OF_PHASE)
    looked_at = [one for one in sequences if one.is_looked_at.any()]
    if len(looked_at) < FEWEST:
        return found
    if not all(one.recording in of_phases for one in looked_at):
        of_phases = {one.recording: np.ones((len(one.positions), 1)) for one in looked_at}
    return found + _classes(looked_at, of_phases, names)


def _phases(having: Sequence[LabelSequence], names: Vocabulary) -> Mapping[str, Floats]:
    """Return how probable each phase is at each position, by recording."""
    counts = {one.recording: phase_counts(one, len(names.phases)) for one in having}
    every = sum(list(counts.values())[1:], start=next(iter(counts.values())))
    return {one.recording: phase_posteriors(one, every - counts[one.recording], names) for one in having}


def _classes(looked_at: Sequence[LabelSequence], of_phases: Mapping[str, Floats], names: Vocabulary) -> list[Suspect]:
    used = np.flatnonzero(np.any([one.present.any(axis=0) for one in looked_at], axis=0))
    of_class = triplet_names(names) if looked_at[0].classes_of == "ivt" else names.instruments
    counts = {one.recording: class_counts(one, of_phases[one.recording]) for one in looked_at}
    every = sum(list(counts.values())[1:], start=next(iter(counts.values())))
    found = []
    for one in looked_at:
        probable = class_posteriors(one, of_phases[one.recording], every - counts[one.recording])
        given = one.present[one.is_looked_at]
        is_used = np.isin(np.arange(given.shape[1]), used)
        wrong, missing = np.where(given, 1 - probable, 0.0), np.where(~given & is_used, probable, 0.0)
        found += places.of_classes(one, np.flatnonzero(one.is_looked_at), wrong, missing, of_class, EVIDENCE, OF_CLASS)
    return found


@dataclass(frozen=True, eq=False)
class Sums:
    """What is counted in recordings: numbers that are added, and taken away again, one by one."""

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    def __sub__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, one.name) - getattr(other, one.name) for one in fields(self)))


@dataclass(frozen=True, eq=False)
class PhaseCounts(Sums):
    """What is counted in a recording: changes and time by phase, positions by phase, with each class, in each tenth of the time."""

    changes: Floats
    time: Floats
    positions: Floats
    looked_at: Floats
    classes: Floats
    bins: Floats


def phase_counts(sequence: LabelSequence, phases: int) -> PhaseCounts:
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
    return PhaseCounts(changes, time, one_hot.sum(axis=0), seen.sum(axis=0), of_classes, one_hot.T @ bins)


def phase_posteriors(sequence: LabelSequence, others: PhaseCounts, names: Vocabulary) -> Floats:
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
    return _smoothed_phases(_emissions(sequence, others), rates, jumps, gaps_of(sequence.positions))


def _bins(sequence: LabelSequence) -> IntArray:
    span = max(int(sequence.positions[-1] - sequence.positions[0]), 1) if len(sequence.positions) else 1
    return np.asarray(np.minimum((sequence.positions - sequence.positions[:1]) * TIME_BINS // (span + 1), TIME_BINS - 1), np.int64)


def _transitions(others: PhaseCounts, names: Vocabulary) -> tuple[Floats, Floats]:
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


def _emissions(sequence: LabelSequence, others: PhaseCounts) -> Floats:
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


def _smoothed_phases(emissions: Floats, rates: Floats, jumps: Floats, gaps: Floats) -> Floats:
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


@dataclass(frozen=True, eq=False)
class ClassCounts(Sums):
    """What is counted in a recording.

    Parameters
    ----------
    ends, time
        How often a class ends, and for how many usual steps it is there, (classes,).
    there, looked_at
        Positions with a class, and all, by the probable phase, (phases, classes) and (phases, 1).
    """

    ends: Floats
    time: Floats
    there: Floats
    looked_at: Floats


def class_counts(sequence: LabelSequence, of_phases: Floats) -> ClassCounts:
    """Return what is counted in a recording.

    Parameters
    ----------
    of_phases
        How probable each phase is at each position, (n, phases); one column of ones where there are no phases.
    """
    there, gaps = sequence.present[sequence.is_looked_at].astype(np.float64), gaps_of(sequence.positions[sequence.is_looked_at])
    weights = of_phases[sequence.is_looked_at]
    near = (gaps[1:] <= LONGEST_GAP)[:, None]
    before, after = there[:-1] * near, there[1:]
    time = (before * gaps[1:, None]).sum(axis=0)
    return ClassCounts((before * (1 - after)).sum(axis=0), time, weights.T @ there, weights.sum(axis=0)[:, None])


def class_posteriors(sequence: LabelSequence, of_phases: Floats, others: ClassCounts) -> Floats:
    """Return how probable it is that each class is there at each position where instances were labelled, (positions, classes)."""
    given = sequence.present[sequence.is_looked_at]
    overall = (others.there.sum(axis=0) + 0.1) / (others.looked_at.sum() + PRIOR_POSITIONS)
    by_phase = (others.there + PRIOR_POSITIONS * overall) / (others.looked_at + PRIOR_POSITIONS)
    usual = np.clip(of_phases[sequence.is_looked_at] @ by_phase, 1e-6, 0.95)
    per_position = max(float(overall.sum()), 1e-6)
    # A label that is wrong is half of the time any class, half of the time a frequent one.
    false = np.clip(WRONG * (0.5 * per_position / len(overall) + 0.5 * overall), 1e-6, 0.5)
    rate = (others.ends + 3 * USUAL_RATE) / (others.time + 3) / (1 - np.clip(overall, 0, 0.9))
    weights = weights_of_labels(given)
    is_there = np.where(given, 1 - WRONG, WRONG) ** weights
    is_not = np.where(given, false, 1 - false) ** weights
    gaps = np.minimum(gaps_of(sequence.positions[sequence.is_looked_at]), LONGEST_GAP)
    return _smoothed_classes(is_there, is_not, usual, np.exp(-np.outer(gaps, rate)))


def _smoothed_classes(is_there: Floats, is_not: Floats, usual: Floats, kept: Floats) -> Floats:
    """Return the probability of being there given everything before and after, for all classes at once, (positions, classes).

    Parameters
    ----------
    is_there, is_not
        How probable the label is when a class is there, and when it is not.
    usual
        How often it is there.
    kept
        How probable it is that nothing changed since the position before; otherwise it is there as often as usual.
    """
    count, unusual, lost = len(is_there), 1 - usual, 1 - kept
    forward, backward = np.empty(is_there.shape), np.full(is_there.shape, 0.5)
    for at in range(count):
        before = usual[at] if at == 0 else kept[at] * forward[at - 1] + lost[at] * usual[at]
        there = before * is_there[at]
        forward[at] = there / (there + (1 - before) * is_not[at])
    for at in range(count - 2, -1, -1):
        there, gone = backward[at + 1] * is_there[at + 1], (1 - backward[at + 1]) * is_not[at + 1]
        changed = lost[at + 1] * (there * usual[at + 1] + gone * unusual[at + 1])
        there = kept[at + 1] * there + changed
        backward[at] = there / (there + kept[at + 1] * gone + changed)
    both = forward * backward
    return np.asarray(both / (both + (1 - forward) * (1 - backward)))
