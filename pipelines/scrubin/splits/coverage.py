"""Which classes occur in which subset: a class that training never saw cannot be learnt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

KINDS = ("triplets", "phases", "phase transitions", "errors")
"""What has classes."""


def classes(triplets: pd.DataFrame, phases: pd.DataFrame, errors: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return which class occurs in which recording, per kind: columns id, name, no row twice.

    Parameters
    ----------
    triplets, phases, errors
        The tables of these names. An error is a class when it occurred; a phase transition is a change
        between two successive labelled frames.
    """
    named = phases.assign(name=phases.vocabulary + ": " + phases.phase)
    by_kind = {
        "triplets": triplets.dropna(subset="triplet").assign(name=lambda rows: rows.vocabulary + ": " + rows.triplet),
        "phases": named,
        "phase transitions": _transitions(phases),
        "errors": errors[errors.occurred].assign(name=lambda rows: rows.task + ": " + rows.error),
    }
    return {kind: by_kind[kind][["id", "name"]].drop_duplicates(ignore_index=True) for kind in KINDS}


def coverage(rows: pd.DataFrame, occurring: dict[str, pd.DataFrame], subsets: Sequence[str]) -> dict[str, Any]:
    """Return per kind the classes per subset, and those missing in the first.

    Parameters
    ----------
    rows
        Rows of one scheme and fold: subset, id.
    occurring
        What ``classes`` returns.
    subsets
        The subsets; the first is the one for training.

    Returns
    -------
    dict
        Per kind: ``classes`` (number in the recordings of the split); per subset ``present`` (number) and
        ``missing`` (names); ``not_in_<first>``: per other subset the names that occur there but not
        in the first.
    """
    subset_of = rows.set_index("id").subset
    return {kind: _kind(rows_of_kind, subset_of, subsets) for kind, rows_of_kind in occurring.items()}


def warnings(covered: dict[str, Any], first: str) -> Iterator[str]:
    """Yield what cannot be learnt: classes that a subset has and training has not."""
    for kind, facts in covered.items():
        for subset, names in facts[f"not_in_{first}"].items():
            if names:
                shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
                what = f"1 {kind.removesuffix('s')} occurs" if len(names) == 1 else f"{len(names)} {kind} occur"
                yield f"{what} in {subset} but not in {first}: {shown}"


def _transitions(phases: pd.DataFrame) -> pd.DataFrame:
    ordered = phases.sort_values(["vocabulary", "id", "frame"], kind="stable")
    before = ordered[["vocabulary", "id", "phase"]].shift()
    changes = (before.id == ordered.id) & (before.vocabulary == ordered.vocabulary) & (before.phase != ordered.phase)
    starts = ordered[changes]
    return starts.assign(name=starts.vocabulary + ": " + before.phase[changes] + " > " + starts.phase)


def _kind(occurring: pd.DataFrame, subset_of: pd.Series[str], subsets: Sequence[str]) -> dict[str, Any]:
    placed = occurring.assign(subset=occurring.id.map(subset_of)).dropna(subset="subset")
    names = set(placed.name)
    present = {subset: set(placed.name[placed.subset == subset]) for subset in subsets}
    first = subsets[0]
    return {
        "classes": len(names),
        "subsets": {subset: {"present": len(present[subset]), "missing": sorted(names - present[subset])} for subset in subsets},
        f"not_in_{first}": {subset: sorted(present[subset] - present[first]) for subset in subsets[1:]},
    }
