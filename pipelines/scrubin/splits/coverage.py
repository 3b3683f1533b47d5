"""Which classes occur in which subset: a class that training never saw cannot be learnt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd


def coverage(
    splits: pd.DataFrame, triplets: pd.DataFrame, phases: pd.DataFrame, errors: pd.DataFrame, subsets: Sequence[str]
) -> dict[str, Any]:
    """Return, for triplets, phases and errors, the classes per subset, and those missing in the first.

    Parameters
    ----------
    splits
        Rows of one scheme and fold: subset, id.
    triplets, phases, errors
        The tables of these names. An error is a class when it occurred.
    subsets
        The subsets; the first is the one for training.

    Returns
    -------
    dict
        Per kind: ``classes`` (number in the whole study); per subset ``present`` (number) and
        ``missing`` (names); ``not_in_<first>``: per other subset the names that occur there but not
        in the first.
    """
    kinds = {
        "triplets": triplets.dropna(subset="triplet").assign(name=lambda rows: rows.vocabulary + ": " + rows.triplet),
        "phases": phases.assign(name=lambda rows: rows.vocabulary + ": " + rows.phase),
        "errors": errors[errors.occurred].assign(name=lambda rows: rows.task + ": " + rows.error),
    }
    subset_of = splits.set_index("id").subset
    return {kind: _kind(rows[["id", "name"]].drop_duplicates(), subset_of, subsets) for kind, rows in kinds.items()}


def _kind(rows: pd.DataFrame, subset_of: pd.Series[str], subsets: Sequence[str]) -> dict[str, Any]:
    placed = rows.assign(subset=rows.id.map(subset_of)).dropna(subset="subset")
    names = set(placed.name)
    present = {subset: set(placed.name[placed.subset == subset]) for subset in subsets}
    first = subsets[0]
    return {
        "classes": len(names),
        "subsets": {subset: {"present": len(present[subset]), "missing": sorted(names - present[subset])} for subset in subsets},
        f"not_in_{first}": {subset: sorted(present[subset] - present[first]) for subset in subsets[1:]},
    }
