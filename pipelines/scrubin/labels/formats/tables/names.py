"""Names and ids in our tables say the same, and what the vocabulary says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from scrubin.core.faults import Faults
from scrubin.labels import fields
from scrubin.labels.model import BOX, IDS
from scrubin.vocabulary.vocabulary import Vocabulary, fold

IN_TRIPLETS: Mapping[str, str] = {"instrument_id": "instrument", "verb_id": "verb", "target_id": "target", "triplet_id": "triplet"}
IN_PHASES: Mapping[str, str] = {"phase_id": "phase"}


def check(file: str, rows: pd.DataFrame, words: Vocabulary, columns: Mapping[str, str], faults: Faults) -> None:
    """Note the first row of each column of ids that the vocabulary does not have, or whose name is another one."""
    for ids, named in columns.items():
        names = _names(words, named)
        pairs = rows[[ids, named]].drop_duplicates().astype(object)
        wrong = [pair for pair in pairs.where(pairs.notna(), None).itertuples(index=False, name=None) if _fault(words, names, pair)]
        if not wrong:
            continue
        id_, name = min(wrong, key=str)
        these = rows[ids].isna() if id_ is None else (rows[ids] == id_).fillna(value=False)
        row = rows[these & (rows[named].isna() if name is None else rows[named] == name)].iloc[0]
        mend = fields.FROM_ZERO if id_ is not None and _is_name(names, id_ - 1, name) else "correct one of them"
        faults.error(file, "format", f"{ids} {id_}: {_fault(words, names, (id_, name))}", mend, place=f"{row['id']} frame {row['frame']}")


def check_triplets(file: str, rows: pd.DataFrame, words: Vocabulary, faults: Faults) -> None:
    """Note the first triplet that does not have its parts, and the first box that is given in part."""
    for row in rows[rows["triplet_id"].notna()].drop_duplicates(list(IDS)).to_dict("records"):
        parts = tuple(None if pd.isna(row[column]) else int(row[column]) for column in IDS[:3])
        triplet = int(row["triplet_id"])
        if triplet < len(words.triplets) and parts != words.triplets[triplet]:
            fault = f"triplet_id {triplet} is {words.triplet_name(triplet)}, ids {words.triplets[triplet]}, but the row has {parts}"
            faults.error(
                file, "format", fault, fields.shift_mend(words.triplets, triplet - 1, parts), place=f"{row['id']} frame {row['frame']}"
            )
            break
    given = rows[list(BOX)].notna().sum(axis=1)
    for row in rows[(given != 0) & (given != len(BOX))].head(1).to_dict("records"):
        faults.error(file, "format", "a box lacks some of x, y, w, h", "give all four, or none", place=f"{row['id']} frame {row['frame']}")


def _names(words: Vocabulary, kind: str) -> tuple[str, ...]:
    if kind == "triplet":
        return tuple(words.triplet_name(i) for i in range(len(words.triplets)))
    lists = {"instrument": words.instruments, "verb": words.verbs, "target": words.targets, "phase": words.phases}
    return lists[kind]


def _is_name(names: tuple[str, ...], id_: Any, name: Any) -> bool:
    return 0 <= id_ < len(names) and name is not None and fold(names[id_]) == fold(name)


def _fault(words: Vocabulary, names: tuple[str, ...], pair: tuple[Any, ...]) -> str:
    id_, name = pair
    if id_ is None:
        return "" if name is None else f"the name is '{name}', but there is no id"
    if not 0 <= id_ < len(names):
        return f"it is not in 0..{len(names) - 1} of '{words.name}'"
    return "" if name is None or _is_name(names, id_, name) else f"it is '{names[id_]}' in '{words.name}', but the name is '{name}'"
