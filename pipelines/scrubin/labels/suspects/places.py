"""Suspects of probabilities: positions of which a phase or a class is probably another one, with what it would be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scrubin.labels.model import IntArray
from scrubin.labels.suspects.sequence import UNKNOWN, Floats, LabelSequence, runs
from scrubin.labels.suspects.suspect import NOTHING, OfLayer, Suspect, at_least_one

LEAST = 0.02
"""What is less probably wrong is no suspect."""
PROBABLE = 0.5
"""Positions that follow each other are one suspect where each is more probably wrong than right."""


def of_phases(sequence: LabelSequence, instead: IntArray, wrong: Floats, names: Sequence[str], evidence: str, says: str) -> list[Suspect]:
    """Return the phases that are probably others.

    Parameters
    ----------
    instead
        Id of the phase that each position probably has, (n,).
    wrong
        How probable it is that the labelled one is wrong, (n,).
    evidence, says
        As of `Suspect`.
    """
    # Only positions that are more probably wrong than right join.
    keys = [
        (given, other, -1 if one >= PROBABLE else at)
        for at, (given, other, one) in enumerate(zip(sequence.phases.tolist(), instead.tolist(), wrong.tolist(), strict=True))
    ]
    found = []
    for first, end in runs(keys):
        given, other, _ = keys[first]
        score = float(wrong[first:end].max())
        if given not in (UNKNOWN, other) and score >= LEAST:
            found.append(_suspect(sequence, "phases", (first, end), (names[given], names[other]), score, evidence, says))
    return found


def of_classes(
    sequence: LabelSequence, at: IntArray, wrong: Floats, missing: Floats, names: Sequence[str], evidence: str, says: str
) -> list[Suspect]:
    """Return the classes that are probably not there, and those that are probably missing; of one position one with the other.

    Parameters
    ----------
    at
        Which positions of the sequence the rows are, (m,).
    wrong, missing
        How probable it is that a labelled class is not there, and that one without a label is, (m, classes); 0 elsewhere.
    """
    by_labels: dict[tuple[int, int], list[tuple[int, float]]] = {}
    for row, place in enumerate(at.tolist()):
        for given, other, score in _pairs(wrong[row], missing[row]):
            by_labels.setdefault((given, other), []).append((place, score))
    found = []
    for (given, other), scored in by_labels.items():
        label, probable = (names[id_] if id_ != UNKNOWN else NOTHING for id_ in (given, other))
        # Places that follow each other have the same difference to their rank.
        keys = [(place - rank, -1 if score >= PROBABLE else rank) for rank, (place, score) in enumerate(scored)]
        for first, end in runs(keys):
            of_run = scored[first:end]
            places = of_run[0][0], of_run[-1][0] + 1
            found.append(_suspect(sequence, sequence.layer, places, (label, probable), max(score for _, score in of_run), evidence, says))
    return found


def _pairs(wrong: Floats, missing: Floats) -> list[tuple[int, int, float]]:
    """Return for one position which class is probably which other one, with the probability; `UNKNOWN` stands for none."""
    givens = [(float(wrong[id_]), int(id_)) for id_ in np.flatnonzero(wrong >= LEAST)]
    others = [(float(missing[id_]), int(id_)) for id_ in np.flatnonzero(missing >= LEAST)]
    givens.sort(key=lambda one: (-one[0], one[1]))
    others.sort(key=lambda one: (-one[0], one[1]))
    pairs = []
    for rank in range(max(len(givens), len(others))):
        score, given = givens[rank] if rank < len(givens) else (0.0, UNKNOWN)
        more, other = others[rank] if rank < len(others) else (0.0, UNKNOWN)
        pairs.append((given, other, at_least_one(score, more) if given != UNKNOWN else more))
    return pairs


def _suspect(
    sequence: LabelSequence, layer: OfLayer, places: tuple[int, int], labels: tuple[str, str], score: float, evidence: str, says: str
) -> Suspect:
    first, end = int(sequence.positions[places[0]]), int(sequence.ends[places[1] - 1])
    return Suspect(sequence.recording, layer, first, end, *labels, score, (evidence,), says)
