"""Whether each class is probably there at each position: a chain for each class that has seen only the other recordings.

Hidden is whether a class is there. Seen is whether it is labelled, which is wrong in a share of the positions. How often a class is there
in a phase, and for how long, is counted in the other recordings; what is labelled before and after says the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrubin.labels.suspects.course import LONGEST_GAP, PRIOR_POSITIONS, WRONG, Sums
from scrubin.labels.suspects.sequence import Floats, LabelSequence, gaps_of, weights_of_labels

USUAL_RATE = 0.3
"""By which rate per usual step a class is left that was hardly ever seen."""


@dataclass(frozen=True, eq=False)
class Presence(Sums):
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


def counted(sequence: LabelSequence, of_phases: Floats) -> Presence:
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
    return Presence((before * (1 - after)).sum(axis=0), time, weights.T @ there, weights.sum(axis=0)[:, None])


def posteriors(sequence: LabelSequence, of_phases: Floats, others: Presence) -> Floats:
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
    return _smoothed(is_there, is_not, usual, np.exp(-np.outer(gaps, rate)))


def _smoothed(is_there: Floats, is_not: Floats, usual: Floats, kept: Floats) -> Floats:
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
