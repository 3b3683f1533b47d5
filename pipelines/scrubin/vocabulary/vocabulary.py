"""One vocabulary: names and ids of instruments, verbs, targets, triplets and phases.

Ids are 0-based; what a format numbers from 1 is converted where it is read. A vocabulary is two
data files beside this module, ``<name>.json`` and ``<name>_triplets.csv``, each with its source.
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
from pathlib import Path
from typing import Any, Literal, get_args

from scrubin.errors import AnnotationError

Kind = Literal["instrument", "verb", "target", "phase"]
Component = Literal["i", "v", "t", "iv", "it", "ivt"]
KINDS: tuple[Kind, ...] = get_args(Kind)
COMPONENTS: tuple[Component, ...] = get_args(Component)
FOLDER = Path(__file__).resolve().parent
TRIPLETS_SUFFIX = "_triplets.csv"


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
    spellings: Mapping[Kind, Mapping[str, int]] = field(repr=False)

    def names(self, kind: Kind) -> tuple[str, ...]:
        """Return the names of one kind, by id."""
        return {"instrument": self.instruments, "verb": self.verbs, "target": self.targets, "phase": self.phases}[kind]

    def id_of(self, kind: Kind, name: str) -> int:
        """Return the id of a name in any known spelling.

        Case, spaces, hyphens and underscores do not count.

        Raises
        ------
        AnnotationError
            For an unknown name, with the nearest known one.

        >>> load("cholect50").id_of("phase", "CalotTriangleDissection")
        1
        """
        found = self.spellings[kind].get(_fold(name))
        if found is not None:
            return found
        near = difflib.get_close_matches(_fold(name), self.spellings[kind], n=1)
        names = self.names(kind)
        hint = f"did you mean '{names[self.spellings[kind][near[0]]]}'?" if near else f"known are {', '.join(names)}"
        msg = f"'{name}' is no {kind} of the vocabulary '{self.name}'; {hint}"
        raise AnnotationError(msg)

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


def available() -> tuple[str, ...]:
    """Return the names of all vocabularies."""
    return tuple(sorted(path.name.removesuffix(TRIPLETS_SUFFIX) for path in FOLDER.glob(f"*{TRIPLETS_SUFFIX}")))


@lru_cache
def load(name: str) -> Vocabulary:
    """Return a vocabulary by name.

    Raises
    ------
    AnnotationError
        For an unknown name, with the known ones.
    """
    if name not in available():
        near = difflib.get_close_matches(name, available(), n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(available())}"
        msg = f"'{name}' is no vocabulary; {hint}"
        raise AnnotationError(msg)
    words_bytes = (FOLDER / f"{name}.json").read_bytes()
    triplets_bytes = (FOLDER / f"{name}{TRIPLETS_SUFFIX}").read_bytes()
    words = json.loads(words_bytes)
    spellings = {kind: _spellings(words, kind) for kind in KINDS}
    triplets = _triplets(triplets_bytes.decode("utf-8"), spellings)
    null_verb = words["verbs"].index(words["null"]["verb"])
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
    )


def _fold(name: str) -> str:
    # CalotTriangleDissection, calot-triangle-dissection and "Calot triangle dissection" are one name.
    return re.sub(r"[\W_]+", "", name).casefold()


def _spellings(words: Mapping[str, Any], kind: Kind) -> dict[str, int]:
    names = words[f"{kind}s"]
    spellings = {_fold(name): i for i, name in enumerate(names)}
    for synonym in words["synonyms"][kind]:
        spellings[_fold(synonym["spelling"])] = names.index(synonym["name"])
    return spellings


def _triplets(text: str, spellings: Mapping[Kind, Mapping[str, int]]) -> tuple[tuple[int, int, int], ...]:
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    by_id = {
        int(row["triplet"]): (
            spellings["instrument"][_fold(row["instrument"])],
            spellings["verb"][_fold(row["verb"])],
            spellings["target"][_fold(row["target"])],
        )
        for row in rows
    }
    return tuple(by_id[i] for i in range(len(by_id)))
