"""Which phase may follow which: workflows of operations, as data files with their source.

A workflow is a CSV in ``workflows`` with the columns ``from`` and ``to``; its head names the source and the
vocabularies of the same operation. Of other operations no order is published, so none is assumed.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import lru_cache

from scrubin.vocabulary.vocabulary import FOLDER, Vocabulary

WORKFLOWS = FOLDER / "workflows"
Transitions = frozenset[tuple[str, str]]


def transitions(vocabulary: Vocabulary) -> Transitions | None:
    """Return the pairs (phase, next phase) that a vocabulary's workflow allows, by name; None when none is known.

    >>> from scrubin.vocabulary.vocabulary import load
    >>> ("preparation", "calot-triangle-dissection") in transitions(load("cholect50"))
    True
    """
    pairs = _workflows().get(vocabulary.name)
    return None if pairs is None else named(vocabulary, pairs)


def named(vocabulary: Vocabulary, pairs: Iterable[tuple[str, str]]) -> Transitions:
    """Return pairs of phases in the vocabulary's own spelling.

    Raises
    ------
    AnnotationError
        For a name that is no phase of the vocabulary.
    """
    own = vocabulary.phases
    return frozenset((own[vocabulary.id_of("phase", of)], own[vocabulary.id_of("phase", to)]) for of, to in pairs)


@lru_cache
def _workflows() -> dict[str, tuple[tuple[str, str], ...]]:
    pairs_of: dict[str, tuple[tuple[str, str], ...]] = {}
    for path in sorted(WORKFLOWS.glob("*.csv")):
        lines = path.read_text(encoding="utf-8").splitlines()
        head = dict(line[1:].split(":", 1) for line in lines if line.startswith("#"))
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        pairs = tuple((row["from"], row["to"]) for row in rows)
        pairs_of |= {name.strip(): pairs for name in head[" vocabularies"].split(",")}
    return pairs_of
