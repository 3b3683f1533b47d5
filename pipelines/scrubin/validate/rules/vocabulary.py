"""Rules about names, ids and triplets: a label says what its vocabulary says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd

from scrubin.validate.registry import rule
from scrubin.validate.row_joins import by_distinct, looked_up
from scrubin.validate.study import Study
from scrubin.vocabulary.vocabulary import KINDS, Vocabulary

PARTS = ["instrument_id", "verb_id", "target_id"]


@rule(
    "error",
    "a triplet is its instrument, verb and target, and three parts that the vocabulary combines are a triplet",
    triplets=("vocabulary", "triplet_id", *PARTS),
)
def triplet_in_vocabulary(study: Study, table: str) -> pd.Series[bool]:
    """Find rows whose triplet is not made of their parts, or whose parts make a triplet that they do not name."""
    known = _triplets(study.vocabularies)

    def wrong(rows: pd.DataFrame) -> pd.Series[bool]:
        rows = rows.astype(dict.fromkeys(["triplet_id", *PARTS], "float64"))
        return _differ(looked_up(rows, known, ["vocabulary", *PARTS])["triplet_id"], rows["triplet_id"])

    broken = by_distinct(study.columns(table, "vocabulary", "triplet_id", *PARTS), wrong)
    if not study.as_written:
        return broken
    at = pd.MultiIndex.from_frame(study.columns(table, "id", "frame"))
    return broken & ~at.isin(sorted(study.as_written))


@rule(
    "error",
    "names and ids agree by the vocabulary, which is a known one",
    triplets=("vocabulary", "instrument", "verb", "target", "triplet", "instrument_id", "verb_id", "target_id", "triplet_id"),
    phases=("vocabulary", "phase", "phase_id"),
)
def name_of_id(study: Study, table: str) -> pd.Series[bool]:
    """Find rows where a name is not the name of the id beside it, or the vocabulary is unknown."""
    kinds = ("phase",) if table == "phases" else ("instrument", "verb", "target", "triplet")
    rows = study.columns(table, "vocabulary", *kinds, *(f"{kind}_id" for kind in kinds))
    names = _names(study.vocabularies)
    broken = ~rows["vocabulary"].isin(list(study.vocabularies))
    for kind in kinds:
        known = names.loc[names["kind"] == kind, ["vocabulary", "id", "name"]]
        broken |= by_distinct(rows[["vocabulary", f"{kind}_id", kind]], partial(_misnamed, known))
    return broken


def _misnamed(known: pd.DataFrame, rows: pd.DataFrame) -> pd.Series[bool]:
    named = rows.set_axis(["vocabulary", "id", "name"], axis=1).astype({"id": "float64"})
    expected = looked_up(named, known, ["vocabulary", "id"])["name"]
    # An id that the vocabulary does not have must not pass as "no name for no id".
    return _differ(expected, named["name"]) | (named["id"].notna() & expected.isna())


def _differ(expected: pd.Series, actual: pd.Series) -> pd.Series[bool]:
    # Missing on both sides is agreement.
    return ~((expected == actual).fillna(value=False).astype(bool) | (expected.isna() & actual.isna()))


def _triplets(vocabularies: Mapping[str, Vocabulary]) -> pd.DataFrame:
    rows = [
        (name, triplet, *parts) for name, vocabulary in sorted(vocabularies.items()) for triplet, parts in enumerate(vocabulary.triplets)
    ]
    table = pd.DataFrame(rows, columns=["vocabulary", "triplet_id", *PARTS])
    return table.astype({"vocabulary": "str", **dict.fromkeys(["triplet_id", *PARTS], "float64")})


def _names(vocabularies: Mapping[str, Vocabulary]) -> pd.DataFrame:
    rows: list[tuple[str, str, int, str]] = []
    for name, vocabulary in sorted(vocabularies.items()):
        rows += [(kind, name, i, word) for kind in KINDS for i, word in enumerate(vocabulary.names(kind))]
        rows += [("triplet", name, i, vocabulary.triplet_name(i)) for i in range(len(vocabulary.triplets))]
    table = pd.DataFrame(rows, columns=["kind", "vocabulary", "id", "name"])
    return table.astype({"kind": "str", "vocabulary": "str", "id": "float64", "name": "str"})
