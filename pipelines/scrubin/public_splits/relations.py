"""Which videos of public datasets are of the same operation, as far as somebody has published it.

Known pairs make an equivalence. Two classes of it are *different* operations when a source says so:
both have a video in one dataset (two videos of a dataset are two operations), or each has one in two
datasets whose shared operations are all known, or they are of kinds that are never the same, or of hospitals that are not the same.
So a complete relation carries over: CholecSeg8k is a part of Cholec80, hence all that is known of
Cholec80 and CholecT50 is known of CholecSeg8k and CholecT50.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from scrubin.public_splits.datasets import CORPORA_FILE, RELATIONS_FILE, UNLISTED, dataset, document, listed


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
    stated = document(RELATIONS_FILE)
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


Relation = Literal["same", "paired", "different", "unknown"]
"""``paired``: both lie in sets that pair one to one, so one of them may be the other."""


class Operations:
    """The equivalence over the known pairs.

    Parameters
    ----------
    relations
        What is known.
    kinds
        The kind of operation by dataset; a dataset that is not named has none.
    centres
        By dataset, in which hospitals all of its operations were recorded; a dataset that is not named, or has none, may be of any.
    """

    def __init__(self, relations: Relations, kinds: Mapping[str, str], centres: Mapping[str, Collection[str]] | None = None) -> None:
        self._relations = relations
        self._kinds = kinds
        self._centres = {name: frozenset(of) for name, of in (centres or {}).items()}
        self._members = _classes(relations.links)
        # For a video of a block, the videos of which it is one; a video may be in several blocks. It, or a known twin,
        # is exactly one of each set.
        candidates: dict[Video, list[frozenset[Video]]] = {}
        for block in relations.blocks:
            for video in block.one:
                candidates.setdefault(video, []).append(block.other)
        self._possible = {
            video: [possible for member in sorted(self.members(video)) for possible in candidates.get(member, [])]
            for twin in candidates
            for video in self.members(twin)
        }

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The sets that pair one to one."""
        return self._relations.blocks

    def members(self, video: Video) -> frozenset[Video]:
        """Return all videos that are known to be of the operation of this one, itself included."""
        return self._members.get(video, frozenset([video]))

    def relation(self, one: Video, other: Video) -> Relation:
        """Return what is known of two videos; symmetric."""
        if other in self.members(one):
            return "same"
        paired = self._paired(one, other) or self._paired(other, one)
        if self._different(one, other):
            return "different"
        return "paired" if paired else "unknown"

    def _paired(self, one: Video, other: Video) -> bool:
        return any(self.members(candidate) & self.members(other) for possible in self._possible.get(one, ()) for candidate in possible)

    def _different(self, one: Video, other: Video) -> bool:
        if self._stated_different(one, other):
            return True
        for video, against in ((one, other), (other, one)):
            # The video is one of these: when none of them can be the other, neither can the video.
            if any(all(self._apart(candidate, against) for candidate in possible) for possible in self._possible.get(video, ())):
                return True
        return False

    def _apart(self, candidate: Video, against: Video) -> bool:
        return not self.members(candidate) & self.members(against) and self._stated_different(candidate, against)

    def _stated_different(self, one: Video, other: Video) -> bool:
        """Whether a source says that two videos which no pair joins are of different operations."""
        if self._paired(one, other) or self._paired(other, one):
            # A complete relation of sets says nothing of two videos inside of one block, but two
            # videos of one dataset stay two operations.
            return bool({video.dataset for video in self.members(one)} & {video.dataset for video in self.members(other)})
        for first in self.members(one):
            for second in self.members(other):
                datasets = frozenset([first.dataset, second.dataset])
                kinds = frozenset([self._kinds.get(first.dataset, first.dataset), self._kinds.get(second.dataset, second.dataset)])
                if len(datasets) == 1 and not self._vague(first, second):
                    return True
                if datasets in self._relations.complete or kinds in self._relations.different_kinds:
                    return True
                if self._relations.photographs in kinds and len(kinds) > 1:
                    return True
                centres = [self._centres.get(video.dataset, frozenset()) for video in (first, second)]
                if all(centres) and not centres[0] & centres[1]:
                    return True
        return False

    def _vague(self, one: Video, other: Video) -> bool:
        return one.dataset in self._relations.parts_may_share and (one.unlisted or other.unlisted)


def _classes(links: Iterable[tuple[Video, Video]]) -> dict[Video, frozenset[Video]]:
    """Return the class of every video that occurs in a pair."""
    classes: dict[Video, set[Video]] = {}
    for one, other in links:
        joined = classes.get(one, {one}) | classes.get(other, {other})
        for video in joined:
            classes[video] = joined
    return {video: frozenset(members) for video, members in classes.items()}


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
        for name, stated in document(CORPORA_FILE)["corpora"].items()
    }


@lru_cache(maxsize=1)
def _by_spelling() -> dict[str, Corpus]:
    return {_folded(name): one for one in _all().values() for name in (*one.weights, one.name)}


def _folded(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
