"""Names and ids in our tables say the same, and what the vocabulary says."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from scrubin.core.faults import Faults
from scrubin.labels.formats.tables.notes import rate
from scrubin.labels.model import BOX, IDS
from scrubin.labels.parse import fields
from scrubin.labels.parse.where import Where
from scrubin.tables import io
from scrubin.vocabulary.vocabulary import Vocabulary, fold

IN_TRIPLETS: Mapping[str, str] = {"instrument_id": "instrument", "verb_id": "verb", "target_id": "target", "triplet_id": "triplet"}
IN_PHASES: Mapping[str, str] = {"phase_id": "phase"}


def check(file: str, rows: pd.DataFrame, vocabulary: Vocabulary, columns: Mapping[str, str], faults: Faults) -> None:
    """Note the first row of each column of ids that the vocabulary does not have, or whose name is another one."""
    for ids, named in columns.items():
        names = _names(vocabulary, named)
        pairs = rows[[ids, named]].drop_duplicates().astype(object)
        wrong = [pair for pair in pairs.where(pairs.notna(), None).itertuples(index=False, name=None) if _what(vocabulary, names, pair)]
        if not wrong:
            continue
        id_, name = min(wrong, key=str)
        these = rows[ids].isna() if id_ is None else (rows[ids] == id_).fillna(value=False)
        row = rows[these & (rows[named].isna() if name is None else rows[named] == name)].iloc[0]
        rule, fix = "name-of-id", "correct one of them"
        if id_ is not None and _is_name(names, id_ - 1, name):
            rule, fix = "id-from-one", fields.FROM_ZERO
        elif id_ is not None and not 0 <= id_ < len(names):
            rule = "id-range"
        _where(faults, file, row).error(rule, f"{ids} {id_}: {_what(vocabulary, names, (id_, name))}", fix)


def check_triplets(file: str, rows: pd.DataFrame, vocabulary: Vocabulary, faults: Faults) -> None:
    """Note the first triplet that does not have its parts, and the first box of which a side is missing."""
    for row in rows[rows["triplet_id"].notna()].drop_duplicates(list(IDS)).to_dict("records"):
        parts = tuple(None if pd.isna(row[column]) else int(row[column]) for column in IDS[:3])
        triplet = int(row["triplet_id"])
        if triplet < len(vocabulary.triplets) and parts != vocabulary.triplets[triplet]:
            name, wanted = vocabulary.triplet_name(triplet), vocabulary.triplets[triplet]
            rule, fix = fields.parts_fault(vocabulary.triplets, triplet - 1, parts)
            _where(faults, file, row).error(rule, f"triplet_id {triplet} is {name}, ids {wanted}, but the row has {parts}", fix)
            break
    sides = rows[list(BOX)].notna().sum(axis=1)
    for row in rows[(sides != 0) & (sides != len(BOX))].head(1).to_dict("records"):
        _where(faults, file, row).error("box-form", "a box lacks some of x, y, w, h", "give all four, or none")


def check_segments(file: str, rows: pd.DataFrame, vocabulary: Vocabulary, faults: Faults) -> None:
    """Note the first span of time whose label disagrees with its id, that ends before it starts, or that is counted otherwise."""
    for row in io.records(rows):
        names = vocabulary.names(row["kind"])
        where = Where(faults, file, f"{row['id']}, span {row['number']}")
        wrong = _what(vocabulary, names, (row["label_id"], row["label"]))
        if wrong:
            where.error("name-of-id", f"label_id {row['label_id']}: {wrong}", "correct one of them")
        elif row["end"] <= row["start"]:
            where.error("span-order", f"it ends at {row['end']}, but starts at {row['start']}", "give the end after the start")
        elif row["per_second"] != rows["per_second"].iloc[0] or rate(row["per_second"]) is None:
            what = f"per_second is '{row['per_second']}'"
            where.error("rate", what, 'give the spans of a recording one rate, such as "1000" or "30000/1001"')
        else:
            continue
        return


def _where(faults: Faults, file: str, row: Mapping[Hashable, Any] | pd.Series[Any]) -> Where:
    return Where(faults, file, str(row["id"]), (int(row["frame"]),))


def _names(vocabulary: Vocabulary, named: str) -> tuple[str, ...]:
    if named == "triplet":
        return tuple(vocabulary.triplet_name(i) for i in range(len(vocabulary.triplets)))
    lists = {
        "instrument": vocabulary.instruments,
        "verb": vocabulary.verbs,
        "target": vocabulary.targets,
        "phase": vocabulary.phases,
    }
    return lists[named]


def _is_name(names: tuple[str, ...], id_: Any, name: Any) -> bool:
    return 0 <= id_ < len(names) and name is not None and fold(names[id_]) == fold(name)


def _what(vocabulary: Vocabulary, names: tuple[str, ...], pair: tuple[Any, ...]) -> str:
    """Return what is wrong with an id and its name; "" for nothing."""
    id_, name = pair
    if id_ is None:
        return "" if name is None else f"the name is '{name}', but there is no id"
    if not 0 <= id_ < len(names):
        return f"it is not in 0..{len(names) - 1} of '{vocabulary.name}'"
    is_name = name is None or _is_name(names, id_, name)
    return "" if is_name else f"it is '{names[id_]}' in '{vocabulary.name}', but the name is '{name}'"
