"""CholecT50's vectors when all of a file are what nearly all are: read at once, as columns.

Nothing is judged here. Where any vector is out of the ordinary, the reader takes them one by one and says what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.model import BOX, INSTANCE_COLUMNS
from scrubin.labels.parse.fields import LARGEST

TRIPLET, INSTRUMENT, SCORE, FIRST_SIDE, VERB, TARGET, TARGET_SCORE, PHASE, ITEMS = 0, 1, 2, 3, 7, 8, 9, 14, 15
IDS = (TRIPLET, INSTRUMENT, VERB, TARGET, PHASE)
PARTS = ("instrument_id", "verb_id", "target_id")
NULL = -1
Table = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def read(frames: Mapping[int, Sequence[Any]], vocabulary: Vocabulary, details: Sequence[str]) -> tuple[pd.DataFrame, dict[int, int]] | None:
    """Return the instances and the phase of each frame; None where something has to be looked at.

    Parameters
    ----------
    frames
        Vectors by frame.
    details
        Names for score and box of the target; one that no instance has is no column.
    """
    positions = sorted(frames)
    table = _table([vector for position in positions for vector in frames[position]])
    if table is None:
        return None
    at = np.repeat(np.array(positions, np.int64), [len(frames[position]) for position in positions])
    ids = {item: table[item].astype(np.int64) for item in IDS}
    parts = _parts(ids, vocabulary)
    nothing = (ids[TRIPLET] == NULL) & (ids[INSTRUMENT] == NULL)
    same_phase = (at[1:] != at[:-1]) | (ids[PHASE][1:] == ids[PHASE][:-1])
    if parts is None or not same_phase.all() or not _are_plain(table, nothing, ids):
        return None
    kept = ~nothing
    columns: dict[str, Any] = {"position": at[kept]}
    columns |= {name: _integers(parts[place][kept]) for place, name in enumerate(PARTS)}
    columns["triplet_id"] = _integers(ids[TRIPLET][kept])
    box = table[FIRST_SIDE : FIRST_SIDE + len(BOX), kept]
    columns |= dict(zip(BOX, np.where((box == NULL).all(axis=0), np.nan, box), strict=True))
    columns["score"] = _numbers(table[SCORE, kept])
    of_target = {name: _numbers(table[TARGET_SCORE + place, kept]) for place, name in enumerate(details)}
    stated = {name: values for name, values in of_target.items() if not np.isnan(values).all()}
    phases = {int(position): int(phase) for position, phase in zip(at, ids[PHASE], strict=True) if phase != NULL}
    return pd.DataFrame({**{name: columns[name] for name in INSTANCE_COLUMNS}, **stated}), phases


def _table(vectors: Sequence[Any]) -> Table | None:
    """Return vectors as columns, shape (15, n), when each item has the type that it should have."""
    if not vectors or any(type(vector) is not list or len(vector) != ITEMS for vector in vectors):
        return None
    columns = list(zip(*vectors, strict=True))
    for item, column in enumerate(columns):
        types = set(map(type, column))
        if not types <= ({int} if item in IDS else {int, float}):
            return None
    try:
        table = np.array(columns, np.float64)
    except OverflowError:
        return None
    return table if (np.abs(table) < LARGEST).all() else None  # what is no number is not


def _parts(ids: Mapping[int, npt.NDArray[np.int64]], vocabulary: Vocabulary) -> npt.NDArray[np.int64] | None:
    """Return instrument, verb and target of all instances, shape (3, n): those of the triplet; None where they are in doubt."""
    sizes = (len(vocabulary.triplets), len(vocabulary.instruments), len(vocabulary.verbs), len(vocabulary.targets), len(vocabulary.phases))
    if any((ids[item] < NULL).any() or (ids[item] >= size).any() for item, size in zip(IDS, sizes, strict=True)):
        return None
    stated = np.stack([ids[item] for item in (INSTRUMENT, VERB, TARGET)])
    has_triplet = ids[TRIPLET] != NULL
    wanted = np.array([*vocabulary.triplets, (NULL, NULL, NULL)], np.int64)[ids[TRIPLET]].T
    differ = has_triplet & (stated != NULL) & (stated != wanted)
    nameless = ~has_triplet & (stated != NULL).all(axis=0)
    return None if differ.any() or nameless.any() else np.where(has_triplet, wanted, stated)


def _are_plain(table: Table, nothing: Bools, ids: Mapping[int, npt.NDArray[np.int64]]) -> bool:
    """Return whether boxes lie in the image, scores in 0..1, and vectors that say that nothing is there say no more."""
    x, y, w, h = box = table[FIRST_SIDE : FIRST_SIDE + len(BOX)]
    inside = (x >= 0) & (x < x + w) & (x + w <= 1) & (y >= 0) & (y < y + h) & (y + h <= 1)
    has_score = (table[SCORE] >= 0) & (table[SCORE] <= 1)
    something = (inside | (box == NULL).all(axis=0)) & (has_score | (table[SCORE] == NULL))
    of_target = table[TARGET_SCORE + 1 : PHASE]
    silent = (ids[VERB] == NULL) & (ids[TARGET] == NULL) & (box <= 0).all(axis=0) & (of_target <= 0).all(axis=0)
    return bool(np.where(nothing, silent, something).all())


def _integers(values: npt.NDArray[np.int64]) -> Any:
    return pd.arrays.IntegerArray(values, values == NULL)


def _numbers(values: Table) -> Table:
    return np.where(values == NULL, np.nan, values)
