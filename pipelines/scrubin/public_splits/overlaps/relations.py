"""The facts of ``relations.json``: who shares operations with whom, and how much of that is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from scrubin.public_splits.datasets import UNLISTED, dataset
from scrubin.public_splits.documents import document
from scrubin.public_splits.ids import listed

FILE = "relations.json"
FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True, order=True)
class Video:
    """A video of a dataset; an id such as ``"train ..."`` stands for the videos of a part whose ids are not known."""

    dataset: str
    id: str

    @property
    def unlisted(self) -> bool:
        """Whether this stands for videos whose ids are not known."""
        return self.id.endswith(UNLISTED)

    def __str__(self) -> str:
        return f"{self.dataset} {self.id}"


@dataclass(frozen=True)
class Block:
    """Two sets of equal size whose videos pair one to one; which with which is not known."""

    one: frozenset[Video]
    other: frozenset[Video]
    source: str


@dataclass(frozen=True)
class Relations:
    """What is known.

    Parameters
    ----------
    links
        Pairs of videos of the same operation.
    blocks
        Sets that pair one to one, in an unknown order.
    complete
        Pairs of datasets whose shared operations are all known: all links, or all blocks.
    different_kinds
        Pairs of kinds of operations that are never the same operation.
    parts_may_share
        Datasets of whose unlisted videos it is not known whether they lie in one part only.
    unknown
        Datasets of which something is known to be unknown, and what.
    photographs
        The kind of datasets that show no operation; "" when there is none.
    """

    links: tuple[tuple[Video, Video], ...]
    blocks: tuple[Block, ...] = ()
    complete: frozenset[frozenset[str]] = frozenset()
    different_kinds: frozenset[frozenset[str]] = frozenset()
    parts_may_share: frozenset[str] = frozenset()
    unknown: tuple[tuple[frozenset[str], str], ...] = ()
    photographs: str = ""


@lru_cache(maxsize=1)
def known() -> Relations:
    """Return the facts of the data file."""
    stated = document(FILE, FOLDER)
    links: list[tuple[Video, Video]] = []
    for fact in stated["same_ids"]:
        one, other = fact["datasets"]
        shared = [video for video in dataset(one).videos if video in set(dataset(other).videos)]
        links += [(Video(one, video), Video(other, video)) for video in shared]
    for fact in stated["pairs"]:
        one, other = fact["datasets"]
        links += [(Video(one, first), Video(other, second)) for first, second in fact["pairs"].items()]
    blocks = []
    for fact in stated["sets"]:
        one, other = fact["datasets"]
        for first, second in fact["blocks"]:
            sides = frozenset(Video(one, video) for video in listed(first)), frozenset(Video(other, video) for video in listed(second))
            blocks.append(Block(*sides, source=fact["source"]))
    facts = [*stated["same_ids"], *stated["pairs"], *stated["sets"]]
    return Relations(
        links=tuple(links),
        blocks=tuple(blocks),
        complete=frozenset(frozenset(fact["datasets"]) for fact in facts if fact["complete"]),
        different_kinds=frozenset(frozenset(pair) for fact in stated["kinds"] for pair in pairwise(fact["kinds"])),
        parts_may_share=frozenset(stated["parts_may_share"]),
        unknown=tuple((frozenset(fact["datasets"]), fact["why"]) for fact in stated["unknown"]),
        photographs=stated["photographs"]["kind"],
    )
