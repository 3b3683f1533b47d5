"""Corpora and weights that were trained on several datasets: which, as far as somebody has published it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from scrubin.public_splits.documents import document
from scrubin.public_splits.overlaps.relations import FOLDER

FILE = "corpora.json"
SOME = -1
"""Of how many videos are not in it, when nobody says it."""


@dataclass(frozen=True)
class Member:
    """A dataset, or a part of one, in a corpus.

    Parameters
    ----------
    selection
        As `select` takes it.
    source
        Who says so, and when.
    role
        For what it was used; "" for training.
    missing
        How many of the videos are not in it, without anybody saying which; ``SOME`` when not even the number is known.
    """

    selection: str
    source: str
    role: str = ""
    missing: int = 0


@dataclass(frozen=True)
class Corpus:
    """A corpus; ``weights`` are the names under which networks trained on it are published."""

    name: str
    about: str
    source: str
    weights: tuple[str, ...]
    members: tuple[Member, ...]


def corpora() -> tuple[str, ...]:
    """Return the names of all corpora, sorted."""
    return tuple(sorted(_all()))


def corpus(name: str) -> Corpus | None:
    """Return a corpus by its name or by that of weights trained on it, however it is spelt; None when it is not known.

    >>> corpus("EndoViT SPR").name, corpus("nothing")
    ('endovit-spr', None)
    """
    return _by_spelling().get(_folded(name))


@lru_cache(maxsize=1)
def _all() -> dict[str, Corpus]:
    return {
        name: Corpus(
            name,
            stated["about"],
            stated["source"],
            tuple(stated["weights"]),
            tuple(Member(one["select"], one["source"], one.get("role", ""), one.get("missing", 0)) for one in stated["members"]),
        )
        for name, stated in document(FILE, FOLDER)["corpora"].items()
    }


@lru_cache(maxsize=1)
def _by_spelling() -> dict[str, Corpus]:
    return {_folded(name): one for one in _all().values() for name in (*one.weights, one.name)}


def _folded(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
