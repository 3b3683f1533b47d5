"""Spans that say when an instrument touches its target, to spans of actions: the windows of ``windows`` for every instance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from scrubin.annotations.windows import Contact, Interval, Windows, of_contacts
from scrubin.core.errors import AnnotationError
from scrubin.labels.model import IDS, span_rows
from scrubin.vocabulary.vocabulary import Vocabulary

ACTION = ["verb_id", "target_id", "triplet_id"]
_Action = tuple[int | None, int | None, int | None]
_Momentary = tuple[int | None, int | None, int | None]


def apply(spans: pd.DataFrame, vocabulary: Vocabulary, windows: Windows, source_ns: int) -> pd.DataFrame:
    """Return spans of actions for spans of contacts, both in nanoseconds.

    Spans with the null verb, or without verb, say when an instance is in view. An instance that has none
    is in view at times that are not known: it gets no null action, and its windows reach as far as defined,
    but not into spans that say that nothing is in view.

    Parameters
    ----------
    source_ns
        Length of the video, beyond which no window reaches.
    """
    momentary = momentary_ids(vocabulary, windows.momentary)
    empty = spans[spans["instrument_id"].isna()]
    nothing = [(int(a), int(b)) for a, b in empty[["start", "end"]].to_numpy(np.int64).tolist()]
    rows: list[dict[str, Any]] = [{"start": start, "end": end} for start, end in nothing]
    null_triplets = {vocabulary.triplets[triplet][0]: triplet for triplet in vocabulary.null_triplets}
    null_verbs = {vocabulary.triplets[triplet][1] for triplet in vocabulary.null_triplets}
    for _, group in spans[spans["instrument_id"].notna()].groupby(["instrument_id", "instance"], sort=True):
        instrument, instance = group[["instrument_id", "instance"]].to_numpy(np.int64)[0].tolist()
        in_view = group["verb_id"].isna() | group["verb_id"].isin(null_verbs)
        actions = group.loc[~in_view, ACTION].drop_duplicates().reset_index(drop=True)
        numbers = {(_plain(a), _plain(b), _plain(c)): i for i, (a, b, c) in enumerate(actions.itertuples(index=False))}
        contacts = [_contact(row, numbers, momentary) for row in group[~in_view].to_dict("records")]
        seen = [(int(a), int(b)) for a, b in group.loc[in_view, ["start", "end"]].to_numpy().tolist()]
        view = seen or (_without(nothing, source_ns) if nothing else None)
        for window in of_contacts(contacts, view, (0, source_ns), windows):
            if window.action is None and not seen:
                continue  # in view only as far as nothing says otherwise
            row: dict[str, Any] = {"instrument_id": instrument, "instance": instance, "start": window.start, "end": window.end}
            null = _null(null_triplets.get(instrument), vocabulary)
            rows.append(row | (null if window.action is None else dict(zip(ACTION, actions.iloc[window.action], strict=True))))
    return span_rows(sorted(rows, key=lambda row: (row["start"], row.get("instrument_id", -1), row.get("instance", -1))))


def momentary_ids(vocabulary: Vocabulary, names: tuple[str, ...]) -> frozenset[_Momentary]:
    """Return what is momentary as ids of instrument, verb and target; a verb alone holds for every instrument and target.

    Raises
    ------
    AnnotationError
        For a name that is no verb and no triplet of the vocabulary.
    """
    ids: set[_Momentary] = set()
    for name in names:
        try:
            ids.add(vocabulary.triplets[vocabulary.triplet_of(name)] if "," in name else (None, vocabulary.id_of("verb", name), None))
        except AnnotationError as error:
            msg = f"params.yaml: 'annotations.windows.momentary': {error}"
            raise AnnotationError(msg) from error
    return frozenset(ids)


def _contact(row: Mapping[Any, Any], numbers: Mapping[_Action, int], momentary: frozenset[_Momentary]) -> Contact:
    verb, target, triplet = (_plain(row[name]) for name in ACTION)
    is_momentary = not momentary.isdisjoint({(None, verb, None), (int(row["instrument_id"]), verb, target)})
    return Contact(int(row["start"]), int(row["end"]), numbers[verb, target, triplet], "momentary" if is_momentary else "continuous")


def _null(triplet: int | None, vocabulary: Vocabulary) -> dict[str, int]:
    # A vocabulary may have no null triplet of an instrument: then it is only known to be in view.
    return {} if triplet is None else dict(zip(IDS[1:], (*vocabulary.triplets[triplet][1:], triplet), strict=True))


def _plain(value: Any) -> int | None:
    return None if pd.isna(value) else int(value)


def _without(intervals: list[Interval], length: int) -> list[Interval]:
    """Return what is left of a video without the intervals."""
    edges = [0, *(edge for interval in sorted(intervals) for edge in interval), length]
    return [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b > a]
