"""What the other recordings make improbable: each recording is looked at by a model that has counted all others of its vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.rows import triplet_names
from scrubin.labels.suspects import course, places, presence
from scrubin.labels.suspects.sequence import UNKNOWN, Floats, LabelSequence
from scrubin.labels.suspects.suspect import Suspect

EVIDENCE = "sequence"
OF_PHASE = "the course and the instruments of the other recordings say so"
OF_CLASS = "its neighbours and the other recordings say so"
FEWEST = 2


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
    counts = {one.recording: course.counted(one, len(names.phases)) for one in having}
    every = sum(list(counts.values())[1:], start=next(iter(counts.values())))
    return {one.recording: course.posteriors(one, every - counts[one.recording], names) for one in having}


def _classes(looked_at: Sequence[LabelSequence], of_phases: Mapping[str, Floats], names: Vocabulary) -> list[Suspect]:
    used = np.flatnonzero(np.any([one.present.any(axis=0) for one in looked_at], axis=0))
    of_class = triplet_names(names) if looked_at[0].classes_of == "ivt" else names.instruments
    counts = {one.recording: presence.counted(one, of_phases[one.recording]) for one in looked_at}
    every = sum(list(counts.values())[1:], start=next(iter(counts.values())))
    found = []
    for one in looked_at:
        probable = presence.posteriors(one, of_phases[one.recording], every - counts[one.recording])
        given = one.present[one.is_looked_at]
        is_used = np.isin(np.arange(given.shape[1]), used)
        wrong, missing = np.where(given, 1 - probable, 0.0), np.where(~given & is_used, probable, 0.0)
        found += places.of_classes(one, np.flatnonzero(one.is_looked_at), wrong, missing, of_class, EVIDENCE, OF_CLASS)
    return found
