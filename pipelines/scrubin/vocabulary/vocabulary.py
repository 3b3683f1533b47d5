"""One vocabulary: names and ids of instruments, verbs, targets, triplets, phases, steps and gestures.

Ids are 0-based; what a format numbers from 1 is converted where it is read. A vocabulary is one or
two data files beside this module, ``<name>.json`` and, where there are triplets, ``<name>_triplets.csv``,
each with its source. Where a data set's names are not known, a file's own categories are the
vocabulary (module ``own``).
"""

from __future__ import annotations

import csv
import difflib
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, Literal, get_args

from scrubin.core.faults import Fault
from scrubin.errors import AnnotationError

Kind = Literal["instrument", "verb", "target", "phase"]
Naming = Literal["instrument", "verb", "target", "phase", "step", "gesture"]
Component = Literal["i", "v", "t", "iv", "it", "ivt"]
KINDS: tuple[Kind, ...] = get_args(Kind)
NAMINGS: tuple[Naming, ...] = get_args(Naming)
COMPONENTS: tuple[Component, ...] = get_args(Component)
FOLDER = Path(__file__).resolve().parent
TRIPLETS_SUFFIX = "_triplets.csv"
SAME_LISTS = {"cholect45": "cholect50"}
"""Data sets whose lists are those of another one."""
RELATED = ({"cholec80", "cholect50", "cholectrack20"},)
"""Vocabularies of the same operations: elsewhere the same word is another thing."""


@dataclass(frozen=True)
class Vocabulary:
    """Names by id, ids by any known spelling.

    Parameters
    ----------
    name, version, source, sha256
        What it is, where it comes from, and the SHA-256 of its data files.
    instruments, verbs, targets, phases
        Names; the position is the id.
    triplets
        ``(instrument id, verb id, target id)``; the position is the triplet id.
    null_triplets
        Ids of the triplets without an action.
    spellings
        Per kind: id by folded spelling, synonyms and known typos included.
    steps, gestures
        Names of finer activities, where the data set has them.
    """

    name: str
    version: str
    source: str
    sha256: str
    instruments: tuple[str, ...]
    verbs: tuple[str, ...]
    targets: tuple[str, ...]
    phases: tuple[str, ...]
    triplets: tuple[tuple[int, int, int], ...]
    null_triplets: tuple[int, ...]
    spellings: Mapping[Naming, Mapping[str, int]] = field(repr=False)
    steps: tuple[str, ...] = ()
    gestures: tuple[str, ...] = ()

    def names(self, kind: Naming) -> tuple[str, ...]:
        """Return the names of one kind, by id."""
        names: dict[Naming, tuple[str, ...]] = {
            "instrument": self.instruments,
            "verb": self.verbs,
            "target": self.targets,
            "phase": self.phases,
            "step": self.steps,
            "gesture": self.gestures,
        }
        return names[kind]

    def id_of(self, kind: Naming, name: str) -> int:
        """Return the id of a name in any known spelling.

        Case, spaces, hyphens and underscores do not count.

        Raises
        ------
        AnnotationError
            For an unknown name, with the nearest known one.

        >>> load("cholect50").id_of("phase", "CalotTriangleDissection")
        1
        """
        found = self.spellings[kind].get(fold(name))
        if found is not None:
            return found
        near = difflib.get_close_matches(fold(name), self.spellings[kind], n=1)
        names = self.names(kind)
        known = f"known are {', '.join(names)}" if names else f"it has no {kind}s"
        hint = f"did you mean '{names[self.spellings[kind][near[0]]]}'?" if near else known
        raise AnnotationError([Fault("", "name-unknown", f"'{name}' is no {kind} of the vocabulary '{self.name}'", hint)])

    def triplet_id(self, instrument: int, verb: int, target: int) -> int | None:
        """Return the id of a combination, or None when the vocabulary does not have it."""
        try:
            return self.triplets.index((instrument, verb, target))
        except ValueError:
            return None

    def triplet_name(self, triplet: int) -> str:
        """Return ``instrument,verb,target``, the published way to write a triplet.

        >>> load("cholect50").triplet_name(94)
        'grasper,null_verb,null_target'
        """
        instrument, verb, target = self.triplets[triplet]
        return f"{self.instruments[instrument]},{self.verbs[verb]},{self.targets[target]}"

    def triplet_of(self, name: str) -> int:
        """Return the id of ``instrument,verb,target``, each in any known spelling.

        Raises
        ------
        AnnotationError
            For an unknown name, or a combination that the vocabulary does not have.
        """
        parts = name.split(",")
        found = None
        if len(parts) == 3:
            instrument, verb, target = parts
            found = self.triplet_id(self.id_of("instrument", instrument), self.id_of("verb", verb), self.id_of("target", target))
        if found is None:
            msg = f"'{name}' is no triplet of the vocabulary '{self.name}'"
            raise AnnotationError(msg)
        return found

    def component(self, component: Component) -> tuple[int, ...]:
        """Return the component id of each triplet, in order of triplet ids.

        ``iv = n_verbs * i + v`` and ``it = n_targets * i + t`` (Nwoye & Padoy 2022, section 3, equation 3).
        """
        n_verbs, n_targets = len(self.verbs), len(self.targets)
        columns: dict[Component, tuple[int, ...]] = {
            "i": tuple(i for i, _, _ in self.triplets),
            "v": tuple(v for _, v, _ in self.triplets),
            "t": tuple(t for _, _, t in self.triplets),
            "iv": tuple(n_verbs * i + v for i, v, _ in self.triplets),
            "it": tuple(n_targets * i + t for i, _, t in self.triplets),
            "ivt": tuple(range(len(self.triplets))),
        }
        return columns[component]

    def component_ids(self, component: Component) -> tuple[int, ...]:
        """Return the ids that occur, increasing: position k of a component vector has the k-th of them.

        >>> len(load("cholect50").component_ids("iv")), len(load("cholect50").component_ids("it"))
        (26, 59)
        """
        return tuple(sorted(set(self.component(component))))


def related(one: str, other: str) -> bool:
    """Return whether labels of one vocabulary can be told in the words of another.

    >>> related("cholec80", "cholect50"), related("multibypass140", "cholect50")
    (True, False)
    """
    return one == other or any({one, other} <= family for family in RELATED)


def available() -> tuple[str, ...]:
    """Return the names of the vocabularies that a study's tables may have: those with triplets of their own."""
    return tuple(sorted(path.name.removesuffix(TRIPLETS_SUFFIX) for path in FOLDER.glob(f"*{TRIPLETS_SUFFIX}")))


def known() -> tuple[str, ...]:
    """Return the names of all vocabularies that can be loaded."""
    listed = (path.stem for path in FOLDER.glob("*.json") if "counts" not in facts(path.stem))
    return tuple(sorted({*listed, *SAME_LISTS}))


def named_by_folder(file: str) -> str | None:
    """Return the vocabulary that the folder of a file is named after, or one of the two folders above it; None when none is.

    >>> named_by_folder("groundtruth/prostatd/recognition/a.npz"), named_by_folder("a.npz")
    ('prostatd', None)
    """
    return next((folder.name for folder in list(PurePosixPath(file).parents)[:3] if folder.name in known()), None)


@lru_cache
def facts(name: str) -> Mapping[str, Any]:
    """Return everything in the data file of a data set, such as the number of its classes."""
    value: Mapping[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return value


@lru_cache
def load(name: str) -> Vocabulary:
    """Return a vocabulary by name.

    Raises
    ------
    AnnotationError
        For an unknown name, with the known ones.
    """
    if name not in known():
        near = difflib.get_close_matches(name, known(), n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(known())}"
        msg = f"'{name}' is no vocabulary; {hint}"
        raise AnnotationError(msg)
    name = SAME_LISTS.get(name, name)
    words_bytes = (FOLDER / f"{name}.json").read_bytes()
    words = json.loads(words_bytes)
    listed = FOLDER / f"{words.get('triplets_of', name)}{TRIPLETS_SUFFIX}"
    triplets_bytes = listed.read_bytes() if listed.is_file() else b""
    spellings = {kind: _spellings(words, kind) for kind in NAMINGS}
    triplets = _triplets(triplets_bytes.decode("utf-8"), spellings)
    null_verb = words["verbs"].index(words["null"]["verb"]) if "null" in words else None
    return Vocabulary(
        name=words["name"],
        version=words["version"],
        source=words["source"],
        sha256=hashlib.sha256(words_bytes + b"\0" + triplets_bytes).hexdigest(),
        instruments=tuple(words["instruments"]),
        verbs=tuple(words["verbs"]),
        targets=tuple(words["targets"]),
        phases=tuple(words["phases"]),
        triplets=triplets,
        null_triplets=tuple(i for i, triplet in enumerate(triplets) if triplet[1] == null_verb),
        spellings=spellings,
        steps=tuple(words.get("steps", ())),
        gestures=tuple(words.get("gestures", ())),
    )


def fold(name: str) -> str:
    """Return what counts of a name: CalotTriangleDissection, calot-triangle-dissection and "Calot triangle dissection" are one."""
    return re.sub(r"[\W_]+", "", name).casefold()


def _spellings(words: Mapping[str, Any], kind: Naming) -> dict[str, int]:
    names = words.get(f"{kind}s", [])
    spellings = {fold(name): i for i, name in enumerate(names)}
    for synonym in words["synonyms"].get(kind, []):
        spellings[fold(synonym["spelling"])] = names.index(synonym["name"])
    return spellings


def _triplets(text: str, spellings: Mapping[Naming, Mapping[str, int]]) -> tuple[tuple[int, int, int], ...]:
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    by_id = {
        int(row["triplet"]): (
            spellings["instrument"][fold(row["instrument"])],
            spellings["verb"][fold(row["verb"])],
            spellings["target"][fold(row["target"])],
        )
        for row in rows
    }
    return tuple(by_id[i] for i in range(len(by_id)))
