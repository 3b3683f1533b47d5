"""Label maps: triplets that are merged into others, as data with a source (ProstaTD, section A.4).

A map is a CSV with the columns instrument, verb, target, to_instrument, to_verb, to_target. What it
merges need not be in the vocabulary, what it merges into must be. No class is merged twice: a triplet
has one row, and what others are merged into is not merged itself, in any spelling of the vocabulary.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.errors import AnnotationError
from scrubin.vocabulary.vocabulary import FOLDER, Kind, Vocabulary, fold

MAPS = FOLDER / "label_maps"
COLUMNS = ("instrument", "verb", "target", "to_instrument", "to_verb", "to_target")
CHANGED = ("instrument", "verb", "target", "triplet", "instrument_id", "verb_id", "target_id", "triplet_id")
KINDS: tuple[Kind, ...] = ("instrument", "verb", "target")
Names = tuple[str, str, str]


@dataclass(frozen=True)
class LabelMap:
    """Which triplet becomes which.

    Parameters
    ----------
    name, source
        What it is and where it comes from.
    merges
        ``(instrument, verb, target)`` to the same, in the spelling of the file.
    vocabulary
        Whose synonyms and known typos are the same name; None: only the spelling counts.
    """

    name: str
    source: str
    merges: Mapping[Names, Names]
    vocabulary: Vocabulary | None = None

    def merged(self, names: Names) -> Names:
        """Return what a triplet becomes; itself where nothing is said of it.

        Case, spaces, hyphens and underscores do not count, nor which known spelling of the vocabulary is used.
        """
        return self._targets.get(_key(names, self.vocabulary), names)

    @cached_property
    def _targets(self) -> Mapping[tuple[str, ...], Names]:
        return {_key(of, self.vocabulary): to for of, to in self.merges.items()}


def available() -> tuple[str, ...]:
    """Return the names of the maps that come with the library."""
    return tuple(sorted(path.stem for path in MAPS.glob("*.csv")))


def load(name: str) -> LabelMap:
    """Return a map of the library by name, or one in a CSV file by its path.

    Raises
    ------
    AnnotationError
        When there is none, or it is faulty; names file, row and mend.
    """
    path = MAPS / f"{name}.csv" if name in available() else Path(name)
    if not path.is_file():
        msg = f"{name}: no such label map; name a CSV file, or one of {', '.join(available())}"
        raise AnnotationError(msg)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{name}: is not UTF-8 text; save it as CSV UTF-8"
        raise AnnotationError(msg) from error
    return parse(path.stem if name in available() else name, text)


def parse(name: str, text: str) -> LabelMap:
    """Return the map of a CSV text; lines with ``#`` are its source.

    Raises
    ------
    AnnotationError
        For missing columns, an empty cell, or a class that is merged twice.
    """
    notes = [line for line in text.splitlines() if line.startswith("#")]
    reader = csv.reader(line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    rows = [[cell.strip() for cell in row] for row in reader]
    if not rows or tuple(rows[0]) != COLUMNS:
        msg = f"{name}: the columns are {', '.join(rows[0]) if rows else 'missing'}; expected {', '.join(COLUMNS)}"
        raise AnnotationError(msg)
    merges: dict[Names, Names] = {}
    for number, row in enumerate(rows[1:], start=1):
        if len(row) != len(COLUMNS) or not all(row):
            msg = f"{name}, merge {number}: {len([cell for cell in row if cell])} names, expected {len(COLUMNS)}; fill every cell"
            raise AnnotationError(msg)
        of, to = (row[0], row[1], row[2]), (row[3], row[4], row[5])
        if any(_key(of, None) == _key(other, None) for other in merges):
            msg = f"{name}, merge {number}: '{','.join(of)}' is merged twice; keep one of the rows"
            raise AnnotationError(msg)
        merges[of] = to
    _refuse_chains(name, merges)
    return LabelMap(name, " ".join(note.lstrip("# ").removeprefix("source:").strip() for note in notes), merges)


def check(label_map: LabelMap, vocabulary: Vocabulary) -> None:
    """Refuse a map that merges into something that the vocabulary does not have, or that merges a class twice.

    Two spellings of the vocabulary are the same class: of ``fascia`` and ``fascias`` only one can be merged.

    Raises
    ------
    AnnotationError
        Names the merge.
    """
    name = f"label map {label_map.name}"
    seen: dict[tuple[str, ...], Names] = {}
    for of in label_map.merges:
        other = seen.setdefault(_key(of, vocabulary), of)
        if other != of:
            msg = f"{name}: '{','.join(other)}' and '{','.join(of)}' are the same class, which is merged twice; keep one of the rows"
            raise AnnotationError(msg)
    _refuse_chains(name, label_map.merges, vocabulary)
    for of, to in label_map.merges.items():
        try:
            vocabulary.triplet_of(",".join(to))
        except AnnotationError as error:
            msg = f"{name}: '{','.join(of)}' is merged into '{','.join(to)}': {error}"
            raise AnnotationError(msg) from error


def within(label_map: LabelMap, vocabulary: Vocabulary) -> LabelMap:
    """Return the map for labels in a vocabulary, after ``check``: every known spelling of a class is that class.

    Raises
    ------
    AnnotationError
        As ``check``.
    """
    check(label_map, vocabulary)
    return replace(label_map, vocabulary=vocabulary)


def apply(label_map: LabelMap, triplets: pd.DataFrame, vocabulary: Vocabulary) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a table ``triplets`` with merged classes, and what was merged.

    Parameters
    ----------
    triplets
        Columns instrument, verb, target, triplet and their ids; other columns are kept.
    vocabulary
        Of the merged triplets.

    Returns
    -------
    tuple
        The new table, and ``from``, ``to``, ``instances``: one row per merge that occurred.
    """
    label_map = within(label_map, vocabulary)
    values: dict[str, list[Any]] = {name: triplets[name].astype(object).tolist() for name in CHANGED}
    counts: Counter[tuple[str, str]] = Counter()
    names = triplets[["instrument", "verb", "target"]].astype(object)
    for at, row in enumerate(names.itertuples(index=False)):
        of = (row[0], row[1], row[2])
        if any(pd.isna(part) for part in of):
            continue
        to = label_map.merged(of)
        if to == of:
            continue
        triplet = vocabulary.triplet_of(",".join(to))
        parts = vocabulary.triplets[triplet]
        named = (vocabulary.instruments[parts[0]], vocabulary.verbs[parts[1]], vocabulary.targets[parts[2]])
        for name, value in zip(CHANGED, (*named, vocabulary.triplet_name(triplet), *parts, triplet), strict=True):
            values[name][at] = value
        counts[",".join(of), ",".join(named)] += 1
    columns = {name: pd.Series(values[name], index=triplets.index, dtype=triplets[name].dtype) for name in CHANGED}
    return triplets.assign(**columns), table(counts)


def table(counts: Mapping[tuple[str, str], int]) -> pd.DataFrame:
    """Return what was merged, sorted: ``from``, ``to``, ``instances``."""
    rows = [(of, to, n) for (of, to), n in sorted(counts.items())]
    return pd.DataFrame(rows, columns=["from", "to", "instances"]).astype({"from": "str", "to": "str", "instances": "int64"})


def _key(names: Names, vocabulary: Vocabulary | None) -> tuple[str, ...]:
    """Return what is the same for every spelling of a triplet: ids of known names, else what counts of the spelling."""
    if vocabulary is None:
        return tuple(fold(name) for name in names)
    known = (vocabulary.spellings[kind].get(fold(name)) for kind, name in zip(KINDS, names, strict=True))
    return tuple(fold(name) if id_ is None else f"#{id_}" for name, id_ in zip(names, known, strict=True))


def _refuse_chains(name: str, merges: Mapping[Names, Names], vocabulary: Vocabulary | None = None) -> None:
    sources = {_key(of, vocabulary) for of in merges}
    for of, to in merges.items():
        if _key(of, vocabulary) == _key(to, vocabulary):
            spelled = "" if _key(of, None) == _key(to, None) else f", as '{','.join(to)}' is another spelling of it"
            msg = f"{name}: '{','.join(of)}' is merged into itself{spelled}; remove the row"
            raise AnnotationError(msg)
        if _key(to, vocabulary) in sources:
            msg = f"{name}: '{','.join(of)}' is merged into '{','.join(to)}', which is merged itself; merge both into the last one"
            raise AnnotationError(msg)
