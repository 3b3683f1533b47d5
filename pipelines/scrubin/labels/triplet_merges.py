"""Merges of triplets by id, for labels whose format names no triplets while it is read."""

from __future__ import annotations

from collections import Counter

import pandas as pd

from scrubin.errors import AnnotationError
from scrubin.labels.label_map import LabelMap, Names
from scrubin.labels.model import IDS, Labels
from scrubin.vocabulary.vocabulary import Vocabulary


def merged(labels: Labels, rows: pd.DataFrame, label_map: LabelMap) -> tuple[pd.DataFrame, Counter[tuple[str, str]]]:
    """Return instances with merged triplets, and how many were merged, with those that were while the files were read.

    All merges happen at once: no instance is merged twice, and their number stays.

    Parameters
    ----------
    rows
        Of the labels' instances: ``IDS`` and any other columns, which are kept.

    Raises
    ------
    AnnotationError
        When the map merges a class of the vocabulary twice, or into something that it does not have.
    """
    words, counts = labels.vocabulary, Counter(labels.merged)
    targets = _targets(words, label_map)
    before = rows["triplet_id"]
    these = before.isin(list(targets))
    if not these.any():
        return rows, counts
    old = [int(triplet) for triplet in before[these]]
    for triplet in old:
        counts[words.triplet_name(triplet), words.triplet_name(targets[triplet])] += 1
    changed = rows.copy()
    ids = [(*words.triplets[targets[triplet]], targets[triplet]) for triplet in old]
    for place, column in enumerate(IDS):
        changed.loc[these, column] = pd.array([one[place] for one in ids], dtype="Int64")
    return changed, counts


def _targets(words: Vocabulary, label_map: LabelMap) -> dict[int, int]:
    """Return which triplet of a vocabulary becomes which."""
    targets: dict[int, int] = {}
    for of, to in label_map.merges.items():
        before = _known(words, of)
        if before is None:
            continue  # nothing of these labels can be this triplet
        if before in targets:
            msg = f"label map {label_map.name}: '{','.join(of)}' is merged twice, in another spelling; keep one of the rows"
            raise AnnotationError(msg)
        targets[before] = words.triplet_of(",".join(to))
    chained = sorted(set(targets.values()) & set(targets))
    if chained:
        name = words.triplet_name(chained[0])
        msg = f"label map {label_map.name}: '{name}' is merged, and others are merged into it; merge all into the last one"
        raise AnnotationError(msg)
    return targets


def _known(words: Vocabulary, names: Names) -> int | None:
    try:
        return words.triplet_of(",".join(names))
    except AnnotationError:
        return None
