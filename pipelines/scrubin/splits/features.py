"""What of a study can be balanced: columns per recording, from its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from scrubin.splits.columns import Column


@dataclass(frozen=True)
class Tables:
    """The tables that features are made of; ``sites`` has one row per recording: id, site (None = unknown)."""

    skill: pd.DataFrame
    errors: pd.DataFrame
    videos: pd.DataFrame
    triplets: pd.DataFrame
    phases: pd.DataFrame
    sites: pd.DataFrame


def columns(ids: pd.Series[str], tables: Tables) -> list[Column]:
    """Return every feature that the study has, in the order of the ids.

    A feature of several columns, such as one per error, names them ``<feature> <what>``.
    """
    return [column for feature in FEATURES.values() for column in feature(ids, tables)]


def _grs(ids: pd.Series[str], tables: Tables) -> Iterator[Column]:
    yield _looked_up("GRS", "number", ids, tables.skill.set_index("id").GRS)


def _errors(ids: pd.Series[str], tables: Tables) -> Iterator[Column]:
    for error, rows in tables.errors.groupby("error"):
        yield _looked_up(f"error {error}", "flag", ids, rows.set_index("id").occurred)


def _duration(ids: pd.Series[str], tables: Tables) -> Iterator[Column]:
    first = tables.videos.sort_values(["id", "camera"]).drop_duplicates("id").set_index("id")
    yield _looked_up("duration", "number", ids, first.duration_s)


def _sites(ids: pd.Series[str], tables: Tables) -> Iterator[Column]:
    sites = tables.sites.drop_duplicates("id").set_index("id").site
    yield _looked_up("site", "category", ids, sites)


def _instruments(ids: pd.Series[str], tables: Tables) -> Iterator[Column]:
    yield from _frequencies("instrument", ids, tables.triplets)


def _triplets(ids: pd.Series[str], tables: Tables) -> Iterator[Column]:
    yield from _frequencies("triplet", ids, tables.triplets)


def _phases(ids: pd.Series[str], tables: Tables) -> Iterator[Column]:
    yield from _frequencies("phase", ids, tables.phases)


def _frequencies(name: str, ids: pd.Series[str], rows: pd.DataFrame) -> Iterator[Column]:
    labelled = rows.dropna(subset=name)
    for (vocabulary, label), of_label in labelled.groupby(["vocabulary", name]):
        counts = of_label.groupby("id").size()
        yield Column(f"{name} {vocabulary}: {label}", "count", ids.map(counts).fillna(0).astype(float).reset_index(drop=True))


def _looked_up(name: str, kind: str, ids: pd.Series[str], values: pd.Series[Any]) -> Column:
    by_row = ids.map(values).reset_index(drop=True)
    if kind == "number":
        return Column(name, kind, by_row.astype(float))
    plain = by_row.astype(object)
    if kind == "flag":
        return Column(name, kind, plain.map(lambda value: None if pd.isna(value) else bool(value)))
    return Column(name, kind, plain.where(plain.notna() & plain.ne(""), None))


FEATURES: dict[str, Callable[[pd.Series[str], Tables], Iterator[Column]]] = {
    "GRS": _grs,
    "error": _errors,
    "duration": _duration,
    "site": _sites,
    "instrument": _instruments,
    "triplet": _triplets,
    "phase": _phases,
}
"""Every feature by its name in ``balance``."""
