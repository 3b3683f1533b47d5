"""A file's own categories as a vocabulary, where a data set's names are not known or not known beforehand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from scrubin.errors import AnnotationError
from scrubin.vocabulary.vocabulary import NAMINGS, Naming, Vocabulary, fold

PREFIX = "own-"
SOURCE = "the categories of the label files themselves"
NULL = ("null", "nullverb")
PARTS: tuple[Naming, ...] = ("instrument", "verb", "target")


def vocabulary_of(names: Mapping[Naming, Sequence[str]], triplets: Sequence[tuple[int, int, int]] = ()) -> Vocabulary:
    """Return a vocabulary of names by kind; its name tells its content.

    Raises
    ------
    AnnotationError
        When two names of a kind are the same but for case and separators, or a triplet stands twice.

    >>> vocabulary_of({"instrument": ["stapler"]}).name
    'own-c0aa1873'
    """
    lists = {kind: list(names.get(kind, ())) for kind in NAMINGS}
    spellings = {kind: {fold(name): i for i, name in enumerate(of_kind)} for kind, of_kind in lists.items()}
    for kind, of_kind in lists.items():
        if len(spellings[kind]) < len(of_kind):
            twice = next(name for i, name in enumerate(of_kind) if spellings[kind][fold(name)] != i)
            msg = f"the {kind} '{twice}' stands twice in the categories; give every name one id"
            raise AnnotationError(msg)
    if len(set(triplets)) < len(triplets):
        msg = "a triplet stands twice in the categories; give every triplet one id"
        raise AnnotationError(msg)
    digest = hashlib.sha256(json.dumps([lists, triplets], ensure_ascii=False).encode()).hexdigest()
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
    )


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
        found = [ids[kind].get(part) for kind, part in zip(PARTS, parts, strict=False)]
        if len(parts) != 3 or None in found:
            msg = f"{file}: categories: the triplet '{name}' is not instrument,verb,target of the same file; correct it"
            raise AnnotationError(msg)
        triplets.append((found[0] or 0, found[1] or 0, found[2] or 0))
    try:
        return vocabulary_of(names, triplets)
    except AnnotationError as error:
        msg = f"{file}: {error}"
        raise AnnotationError(msg) from error


def as_categories(words: Vocabulary) -> dict[str, list[str]]:
    """Return the names of a vocabulary by kind, as ``of_categories`` takes them; empty kinds are left out."""
    lists = {str(kind): list(words.names(kind)) for kind in NAMINGS} | {
        "triplet": [words.triplet_name(i) for i in range(len(words.triplets))]
    }
    return {kind: names for kind, names in lists.items() if names}


def id_lists(file: str, raw: Any, problems_at: str = "categories") -> dict[str, list[str]]:
    """Return names by id from ``[{"id": 0, "name": ...}]`` or ``{"0": ...}`` per kind; ids must run from 0.

    Raises
    ------
    AnnotationError
        Names file, kind and id of the first fault.
    """
    if not isinstance(raw, Mapping):
        msg = f"{file}, {problems_at}: expected an object, kind to names; export the file again"
        raise AnnotationError(msg)
    return {str(kind): _by_id(f"{file}, {problems_at}, {kind}", of_kind) for kind, of_kind in raw.items()}


def _by_id(place: str, raw: Any) -> list[str]:
    pairs = list(raw.items()) if isinstance(raw, Mapping) else []
    if isinstance(raw, list):
        pairs = [(one.get("id"), one.get("name")) if isinstance(one, Mapping) else (None, None) for one in raw]
    elif not isinstance(raw, Mapping):
        msg = f"{place}: expected names by id; export the file again"
        raise AnnotationError(msg)
    found: dict[int, str] = {}
    for key, name in pairs:
        number = int(key) if isinstance(key, int) or (isinstance(key, str) and key.isascii() and key.isdigit()) else -1
        if isinstance(key, bool) or number < 0 or not isinstance(name, str) or number in found:
            msg = f"{place}: '{key}' with name '{name}' is no new id with a name; ids are different whole numbers from 0"
            raise AnnotationError(msg)
        found[number] = name
    if sorted(found) != list(range(len(found))):
        start = " these start at 1" if found and min(found) == 1 else " there is a gap"
        msg = f"{place}: ids must run from 0 without a gap;{start}"
        raise AnnotationError(msg)
    return [found[i] for i in range(len(found))]
