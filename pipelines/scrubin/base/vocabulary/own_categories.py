"""A file's own categories as a vocabulary, where a data set's names are not known or not known beforehand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, Faults, within
from scrubin.base.text.csv_text import shown
from scrubin.base.vocabulary.vocabulary import NAMINGS, PARTS, Naming, Vocabulary, bare, fold, known, load

PREFIX = "own-"
SOURCE = "the categories of the label files themselves"
NULL = ("null", "nullverb")


def vocabulary_of(names: Mapping[Naming, Sequence[str]], triplets: Sequence[tuple[int, int, int]] = ()) -> Vocabulary:
    """Return a vocabulary of names by kind; its name says its content.

    Raises
    ------
    AnnotationError
        When two names of a kind are one by `fold`, or a triplet stands twice.

    >>> vocabulary_of({"instrument": ["stapler"]}).name
    'own-c0aa1873'
    """
    lists = {kind: list(names.get(kind, ())) for kind in NAMINGS}
    spellings = {kind: {fold(name): i for i, name in enumerate(of_kind)} for kind, of_kind in lists.items()}
    for kind, of_kind in lists.items():
        if len(spellings[kind]) < len(of_kind):
            one, other = next((name, of_kind[last]) for i, name in enumerate(of_kind) if (last := spellings[kind][fold(name)]) != i)
            differs = "" if one == other else f", also as '{shown(other)}'"
            twice = f"the {kind} '{shown(one)}' stands twice in the categories{differs}"
            raise AnnotationError([_alike(kind, (other, ""), (one, "")) or Fault("", "name-repeated", twice, "give every name one id")])
    if len(set(triplets)) < len(triplets):
        raise AnnotationError([Fault("", "name-repeated", "a triplet stands twice in the categories", "give every triplet one id")])
    # Marks came later: vocabularies without any keep their names.
    counted = {kind: of_kind for kind, of_kind in lists.items() if of_kind or kind != "mark"}
    digest = hashlib.sha256(json.dumps([counted, triplets], ensure_ascii=False).encode()).hexdigest()
    return Vocabulary(
        name=f"{PREFIX}{digest[:8]}",
        version=digest[:8],
        source=SOURCE,
        sha256=digest,
        instruments=tuple(lists["instrument"]),
        verbs=tuple(lists["verb"]),
        targets=tuple(lists["target"]),
        phases=tuple(lists["phase"]),
        triplets=tuple(triplets),
        null_triplets=tuple(i for i, (_, verb, _) in enumerate(triplets) if fold(lists["verb"][verb]) in NULL),
        spellings=spellings,
        steps=tuple(lists["step"]),
        gestures=tuple(lists["gesture"]),
        marks=tuple(lists["mark"]),
    )


def one_each(kind: Naming, written: Iterable[tuple[str, str]]) -> list[str]:
    """Return the first spelling of each name, where no list says which names there are.

    Parameters
    ----------
    written
        Names, each with the file in which it stands.

    Raises
    ------
    AnnotationError
        For two spellings of one name that differ in what may tell two names apart, as `bare` says.

    >>> one_each("phase", [("Clip", "a.csv"), ("Cut", "a.csv"), ("clip", "b.csv")])
    ['Clip', 'Cut']
    """
    first: dict[str, tuple[str, str]] = {}
    alike: dict[str, Fault | None] = {}
    for name, file in written:
        if name not in alike:
            alike[name] = _alike(kind, (name, file), first.setdefault(fold(name), (name, file)))
    AnnotationError.raise_any([fault for fault in alike.values() if fault is not None])
    return [name for name, _ in first.values()]


def _alike(kind: Naming, written: tuple[str, str], before: tuple[str, str]) -> Fault | None:
    """Return the fault of two spellings of one name, each with its file, that may be two; None where nothing could tell them apart."""
    (name, file), (first, first_file) = written, before
    if bare(name) == bare(first):
        return None
    of_file = "" if first_file == file else f" of {first_file}"
    what = f"the {kind}s '{shown(first)}'{of_file} and '{shown(name)}' would be one name, as the signs in which they differ do not count"
    return Fault(file, "name-alike", what, "if they are one, write one spelling; if not, names that differ in a letter or a digit")


FILES_OWN = replace(vocabulary_of({}), name="")
"""Stands for the vocabulary that a reader takes from the files."""


def of_categories(file: str, categories: Mapping[Naming | str, Sequence[str]]) -> Vocabulary:
    """Return the vocabulary of lists of names by kind, with ``triplet`` as names ``instrument,verb,target``.

    Parameters
    ----------
    file
        Where the lists stand, for messages.

    Raises
    ------
    AnnotationError
        For a triplet whose parts are not among the names, or a name that stands twice.
    """
    names: dict[Naming, Sequence[str]] = {kind: categories.get(kind, ()) for kind in NAMINGS}
    ids = {kind: {fold(name): i for i, name in enumerate(of_kind)} for kind, of_kind in names.items()}
    triplets: list[tuple[int, int, int]] = []
    for name in categories.get("triplet", ()):
        parts = [fold(part) for part in name.split(",")]
        ids_of_parts = [ids[kind].get(part) for kind, part in zip(PARTS, parts, strict=False)]
        if len(parts) != len(PARTS) or None in ids_of_parts:
            what = f"the triplet '{name}' is not instrument,verb,target of the same file"
            raise AnnotationError([Fault(file, "triplet-unknown", what, "correct it", place="categories")])
        triplets.append((ids_of_parts[0] or 0, ids_of_parts[1] or 0, ids_of_parts[2] or 0))
    try:
        return vocabulary_of(names, triplets)
    except AnnotationError as error:
        raise AnnotationError(within(error.faults, file)) from error


def known_or_own(file: str, categories: Mapping[Naming | str, Sequence[str]]) -> Vocabulary:
    """Return the known vocabulary that has just these names by kind, else one of their own; as `of_categories`."""
    folded = {kind: [fold(name) for name in names] for kind, names in categories.items()}
    for known_one in map(load, known()):
        lists = as_categories(known_one)
        if all([fold(name) for name in lists.get(kind, [])] == names for kind, names in folded.items()):
            return known_one
    return of_categories(file, categories)


def reference(vocabulary: Vocabulary) -> str | dict[str, list[str]]:
    """Return how a JSON file names its vocabulary: by its name where it is known, else by its lists."""
    return vocabulary.name if vocabulary.name in known() else as_categories(vocabulary)


def of_reference(file: str, named: Any) -> Vocabulary:
    """Return the vocabulary that a file names as `reference` does.

    Raises
    ------
    AnnotationError
        For an unknown name, or lists that are none.
    """
    if isinstance(named, str):
        try:
            return load(named)
        except AnnotationError as error:
            raise AnnotationError(within(error.faults, file)) from error
    if not isinstance(named, Mapping) or not all(_are_names(kind, names) for kind, names in named.items()):
        fix = f"give the name of a vocabulary, or lists of names by {', '.join((*NAMINGS, 'triplet'))}"
        raise AnnotationError([Fault(file, "vocabulary-form", "'vocabulary' is no vocabulary", fix)])
    return of_categories(file, named)


def _are_names(kind: str, names: Any) -> bool:
    return kind in (*NAMINGS, "triplet") and isinstance(names, list) and all(isinstance(name, str) for name in names)


def as_categories(vocabulary: Vocabulary) -> dict[str, list[str]]:
    """Return the names of a vocabulary by kind, as ``of_categories`` takes them; empty kinds are left out."""
    lists = {str(kind): list(vocabulary.names(kind)) for kind in NAMINGS} | {
        "triplet": [vocabulary.triplet_name(i) for i in range(len(vocabulary.triplets))]
    }
    return {kind: names for kind, names in lists.items() if names}


def id_lists(file: str, raw: Any) -> dict[str, list[str]]:
    """Return names by id from ``[{"id": 0, "name": ...}]`` or ``{"0": ...}`` per kind; ids must run from 0.

    Raises
    ------
    AnnotationError
        With the first fault of every kind.
    """
    if not isinstance(raw, Mapping):
        raise AnnotationError([Fault(file, "value-type", "expected an object, kind to names", "export the file again", place="categories")])
    faults = Faults()
    lists = {str(kind): _by_id(file, f"categories, {kind}", of_kind, faults) for kind, of_kind in raw.items()}
    AnnotationError.raise_any(faults.all())
    return lists


def _by_id(file: str, place: str, raw: Any, faults: Faults) -> list[str]:
    pairs = list(raw.items()) if isinstance(raw, Mapping) else []
    if isinstance(raw, list):
        pairs = [(one.get("id"), one.get("name")) if isinstance(one, Mapping) else (None, None) for one in raw]
    elif not isinstance(raw, Mapping):
        faults.error(file, "value-type", "expected names by id", "export the file again", place=place)
    by_id: dict[int, str] = {}
    for key, name in pairs:
        number = int(key) if isinstance(key, int) or (isinstance(key, str) and key.isascii() and key.isdigit()) else -1
        if isinstance(key, bool) or number < 0 or not isinstance(name, str) or number in by_id:
            what = f"'{key}' with name '{name}' is no new id with a name"
            faults.error(file, "category-id", what, "ids are different whole numbers from 0", place=place)
            return []
        by_id[number] = name
    if sorted(by_id) != list(range(len(by_id))):
        rule, start = ("id-from-one", "these start at 1") if min(by_id) == 1 else ("category-id", "there is a gap")
        faults.error(file, rule, "ids must run from 0 without a gap", start, place=place)
        return []
    return [by_id[i] for i in range(len(by_id))]
