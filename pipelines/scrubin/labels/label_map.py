"""Label maps: triplets that are merged into others, as data with a source (ProstaTD, section A.4).

A map is a CSV with the columns instrument, verb, target, to_instrument, to_verb, to_target. What it
merges need not be in the vocabulary, what it merges into must be. No class is merged twice: a triplet
has one row, and what others are merged into is not merged itself, in any spelling of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, Faults
from scrubin.base.text import csv_text
from scrubin.base.vocabulary.vocabulary import FOLDER, PARTS, Vocabulary, fold

if TYPE_CHECKING:
    import pandas as pd


MAPS = FOLDER / "label_maps"
COLUMNS = ("instrument", "verb", "target", "to_instrument", "to_verb", "to_target")
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

    @property
    def file(self) -> str:
        """How messages name the map."""
        return f"label map {self.name}"

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
        When there is none, or it is faulty; names file, row and fix.
    """
    path = MAPS / f"{name}.csv" if name in available() else Path(name)
    if not path.is_file():
        fix = f"name a CSV file, or one of {', '.join(available())}"
        raise AnnotationError([Fault(name, "file-missing", "no such label map", fix)])
    return parse(path.stem if name in available() else name, strangers.read_bytes(path))


def parse(name: str, data: bytes) -> LabelMap:
    """Return the map of a CSV; lines with ``#`` above the header are its source.

    Raises
    ------
    AnnotationError
        For missing columns, an empty cell, or a class that is merged twice.
    """
    sheet = csv_text.read(name, data, required=COLUMNS, optional=(), comments=True)
    faults = Faults()
    faults.extend(sheet.faults)
    merges: dict[Names, Names] = {}
    for row in sheet.rows:
        empty = [column for column in COLUMNS if not row.cells[column]]
        if empty:
            faults.error(name, "cell-empty", f"{empty[0]} is empty", "fill every cell", place=row.place)
            continue
        instrument, verb, target, *to = (row.cells[column] for column in COLUMNS)
        of = (instrument, verb, target)
        if any(_key(of, None) == _key(other, None) for other in merges):
            faults.error(name, "merge-repeated", f"'{','.join(of)}' is merged twice", "keep one of the rows", place=row.place)
            continue
        merges[of] = (to[0], to[1], to[2])
    _note_chains(name, merges, faults)
    AnnotationError.raise_any(faults.all())
    source = " ".join(line.lstrip("# ").removeprefix("source:").strip() for line in sheet.comments)
    return LabelMap(name, source, merges)


def check(label_map: LabelMap, vocabulary: Vocabulary) -> None:
    """Refuse a map that merges into something that the vocabulary does not have, or that merges a class twice.

    Two spellings of the vocabulary are the same class: of ``fascia`` and ``fascias`` only one can be merged.

    Raises
    ------
    AnnotationError
        Names the merge.
    """
    faults = Faults()
    seen: dict[tuple[str, ...], Names] = {}
    for of in label_map.merges:
        other = seen.setdefault(_key(of, vocabulary), of)
        if other != of:
            what = f"'{','.join(other)}' and '{','.join(of)}' are the same class, which is merged twice"
            faults.error(label_map.file, "merge-repeated", what, "keep one of the rows")
    _note_chains(label_map.file, label_map.merges, faults, vocabulary)
    for of, to in label_map.merges.items():
        if vocabulary.find_triplet(",".join(to)) is None:
            unknown = vocabulary.unknown_triplet(",".join(to))
            what = f"'{','.join(of)}' is merged into '{','.join(to)}': {unknown.what}"
            faults.error(label_map.file, unknown.rule, what, unknown.fix)
    AnnotationError.raise_any(faults.all())


def within(label_map: LabelMap, vocabulary: Vocabulary) -> LabelMap:
    """Return the map for labels in a vocabulary, after ``check``: every known spelling of a class is that class.

    Raises
    ------
    AnnotationError
        As ``check``.
    """
    check(label_map, vocabulary)
    return replace(label_map, vocabulary=vocabulary)


def table(counts: Mapping[tuple[str, str], int]) -> pd.DataFrame:
    """Return what was merged, sorted: ``from``, ``to``, ``instances``."""
    import pandas as pd  # only here: names of maps are asked for by help texts

    rows = [(of, to, n) for (of, to), n in sorted(counts.items())]
    return pd.DataFrame(rows, columns=["from", "to", "instances"]).astype({"from": "str", "to": "str", "instances": "int64"})


def _key(names: Names, vocabulary: Vocabulary | None) -> tuple[str, ...]:
    """Return what is the same for every spelling of a triplet: ids of known names, else what counts of the spelling."""
    if vocabulary is None:
        return tuple(fold(name) for name in names)
    known = (vocabulary.find(naming, name) for naming, name in zip(PARTS, names, strict=True))
    return tuple(fold(name) if id_ is None else f"#{id_}" for name, id_ in zip(names, known, strict=True))


def _note_chains(file: str, merges: Mapping[Names, Names], faults: Faults, vocabulary: Vocabulary | None = None) -> None:
    sources = {_key(of, vocabulary) for of in merges}
    for of, to in merges.items():
        if _key(of, vocabulary) == _key(to, vocabulary):
            spelled = "" if _key(of, None) == _key(to, None) else f", as '{','.join(to)}' is another spelling of it"
            faults.error(file, "merge-chain", f"'{','.join(of)}' is merged into itself{spelled}", "remove the row")
        elif _key(to, vocabulary) in sources:
            what = f"'{','.join(of)}' is merged into '{','.join(to)}', which is merged itself"
            faults.error(file, "merge-chain", what, "merge both into the last one")
