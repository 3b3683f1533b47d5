"""Merges of triplets by id, for labels whose format names no triplets while it is read."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pandas as pd

from scrubin.core.errors import AnnotationError
from scrubin.core.faults import Fault
from scrubin.labels.merges.label_map import LabelMap
from scrubin.labels.model import IDS, Labels
from scrubin.vocabulary.vocabulary import Vocabulary


def with_merges(labels: Labels, label_map: LabelMap | None) -> Labels:
    """Return labels with merged triplets; what is merged is counted in ``merged``. None merges nothing; raises as `merged`."""
    if label_map is None or labels.instances is None:
        return labels
    rows, counts = merged(labels, labels.instances.rows, label_map)
    return replace(labels, instances=replace(labels.instances, rows=rows), merged=counts)


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
    vocabulary, counts = labels.vocabulary, Counter(labels.merged)
    targets = _targets(vocabulary, label_map)
    before = rows["triplet_id"]
    these = before.isin(list(targets))
    if not these.any():
        return rows, counts
    old = [int(triplet) for triplet in before[these]]
    for triplet in old:
        counts[vocabulary.triplet_name(triplet), vocabulary.triplet_name(targets[triplet])] += 1
    changed = rows.copy()
    ids = [(*vocabulary.triplets[targets[triplet]], targets[triplet]) for triplet in old]
    for place, column in enumerate(IDS):
        changed.loc[these, column] = pd.array([one[place] for one in ids], dtype="Int64")
    return changed, counts


def _targets(vocabulary: Vocabulary, label_map: LabelMap) -> dict[int, int]:
    """Return which triplet of a vocabulary becomes which."""
    targets: dict[int, int] = {}
    for of, to in label_map.merges.items():
        before = vocabulary.find_triplet(",".join(of))
        if before is None:
            continue  # nothing of these labels can be this triplet
        if before in targets:
            what = f"'{','.join(of)}' is merged twice, in another spelling"
            raise AnnotationError([Fault(label_map.file, "merge-repeated", what, "keep one of the rows")])
        targets[before] = vocabulary.triplet_of(",".join(to))
    chained = sorted(set(targets.values()) & set(targets))
    if chained:
        what = f"'{vocabulary.triplet_name(chained[0])}' is merged, and others are merged into it"
        raise AnnotationError([Fault(label_map.file, "merge-chain", what, "merge all into the last one")])
    return targets
