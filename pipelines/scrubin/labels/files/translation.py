"""Labels of one vocabulary in another, by names or known spellings."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd

from scrubin.base.vocabulary.vocabulary import Naming, Vocabulary, fold
from scrubin.labels.model import IDS, Labels, Layer


def translate(labels: Labels, to: Vocabulary, losses: Counter[str]) -> Labels:
    """Return labels in another vocabulary; what it has no name for is left out and counted.

    A frame keeps its other instances: of the classes of the vocabulary, they are all that is there.
    """
    if labels.vocabulary.name == to.name:
        return labels
    return replace(
        labels,
        vocabulary=to,
        phases=_phases(labels, to, losses),
        instances=_instances(labels, to, losses),
        segments=_segments(labels, to, losses),
        recognition=None,
        about={},
    )


def _ids(of: Vocabulary, to: Vocabulary, kind: Naming) -> dict[int, int]:
    spellings = to.spellings[kind]
    return {i: spellings[fold(name)] for i, name in enumerate(of.names(kind)) if fold(name) in spellings}


def _phases(labels: Labels, to: Vocabulary, losses: Counter[str]) -> Layer | None:
    if labels.phases is None:
        return None
    known = _ids(labels.vocabulary, to, "phase")
    rows = labels.phases.rows
    kept = rows[rows["phase_id"].isin(list(known))]
    _note(losses, "phases", labels.vocabulary.phases, rows.loc[~rows["phase_id"].isin(list(known)), "phase_id"], to)
    if not len(kept):
        return None
    positions = kept["position"].to_numpy(np.int64)
    return replace(labels.phases, positions=positions, rows=kept.assign(phase_id=kept["phase_id"].map(known)).reset_index(drop=True))


def _segments(labels: Labels, to: Vocabulary, losses: Counter[str]) -> pd.DataFrame | None:
    if labels.segments is None:
        return None
    parts = []
    kinds: tuple[Naming, ...] = ("phase", "step", "gesture", "mark")
    for kind in kinds:
        rows = labels.segments[labels.segments["kind"] == kind]
        known = _ids(labels.vocabulary, to, kind)
        inside = rows["label_id"].isin(list(known))
        _note(losses, f"spans of {kind}s", labels.vocabulary.names(kind), rows.loc[~inside, "label_id"], to)
        parts.append(rows[inside].assign(label_id=rows.loc[inside, "label_id"].map(known)))
    joined = pd.concat(parts).sort_index()
    return joined.reset_index(drop=True) if len(joined) else None


def _instances(labels: Labels, to: Vocabulary, losses: Counter[str]) -> Layer | None:
    if labels.instances is None:
        return None
    layer, of = labels.instances, labels.vocabulary
    kinds: tuple[Naming, ...] = ("instrument", "verb", "target")
    rows = layer.rows.copy()
    unknown = pd.Series(data=False, index=rows.index)
    for kind, column in zip(kinds, IDS[:3], strict=True):
        known = _ids(of, to, kind)
        foreign = rows[column].notna() & ~rows[column].isin(list(known))
        _note(losses, f"{kind}s of instances", of.names(kind), rows.loc[foreign & ~unknown, column], to)
        unknown |= foreign
        rows[column] = rows[column].map(known).astype("Int64")
    rows = rows[~unknown].reset_index(drop=True)
    index = {parts: i for i, parts in enumerate(to.triplets)}
    keys = zip(*(rows[column].astype(object).where(rows[column].notna(), None) for column in IDS[:3]), strict=True)
    rows["triplet_id"] = pd.array([index.get(key) for key in keys], dtype="Int64")
    return replace(layer, rows=rows)


def _note(losses: Counter[str], what: str, names: tuple[str, ...], ids: pd.Series[int], to: Vocabulary) -> None:
    for id_, count in sorted(Counter(int(id_) for id_ in ids).items()):
        losses[f"{what} without a name in '{to.name}': {names[id_]}"] += count
