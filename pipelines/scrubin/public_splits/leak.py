"""Training on one dataset, testing on another: overlap, clean or unverified, with the smallest fix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from scrubin.base.faults import natural
from scrubin.public_splits.datasets import dataset, names
from scrubin.public_splits.relations import Operations, Relations, Video, known

Node = TypeVar("Node")


def smallest_cover(edges: Mapping[Node, Sequence[Node]]) -> tuple[frozenset[Node], frozenset[Node]]:
    """Return the smallest set of nodes that touches every edge, as its left and its right part.

    Among equally small sets the one with most nodes on the left. Deterministic for a given order of ``edges``.

    Parameters
    ----------
    edges
        Left node to its right nodes; the two sides are kept apart even where nodes are equal.

    >>> smallest_cover({"a": ["x"], "b": ["x"], "c": ["y"]})
    (frozenset({'c'}), frozenset({'x'}))
    """
    partner = _matching(edges)
    matched = set(partner.values())
    # König: what alternating paths from unmatched left nodes reach; a matched edge lies in or out as a whole.
    left_reached = {node for node, right in edges.items() if right and node not in matched}
    right_reached: set[Node] = set()
    open_nodes = list(left_reached)
    while open_nodes:
        for right in edges[open_nodes.pop()]:
            if right not in right_reached:
                right_reached.add(right)
                follower = partner[right]
                if follower not in left_reached:
                    left_reached.add(follower)
                    open_nodes.append(follower)
    return frozenset(node for node, right in edges.items() if right and node not in left_reached), frozenset(right_reached)


def _matching(edges: Mapping[Node, Sequence[Node]]) -> dict[Node, Node]:
    """Return a largest matching, right node to left node, by augmenting paths found breadth first."""
    partner: dict[Node, Node] = {}
    for start in edges:
        came_from: dict[Node, Node] = {}
        level, free = [start], None
        while level and free is None:
            following = []
            for node in level:
                for right in edges[node]:
                    if right in came_from:
                        continue
                    came_from[right] = node
                    if right not in partner:
                        free = right
                        break
                    following.append(partner[right])
                if free is not None:
                    break
            level = following
        _augment(partner, came_from, free, start)
    return partner


def _augment(partner: dict[Node, Node], came_from: Mapping[Node, Node], free: Node | None, start: Node) -> None:
    """Take the path back from a free right node to the start, and flip its edges."""
    while free is not None:
        node = came_from[free]
        previous = next((right for right, left in partner.items() if left == node), None) if node != start else None
        partner[free] = node
        free = previous


LeakVerdict = Literal["overlap", "clean", "unverified"]


@dataclass(frozen=True)
class SharedOperation:
    """One operation that both sides show."""

    train: tuple[Video, ...]
    test: tuple[Video, ...]


@dataclass(frozen=True)
class SharedSet:
    """Videos of two sets that pair one to one in an unknown order.

    Parameters
    ----------
    train, test
        The videos of the sets that are on each side.
    at_least
        How many operations are certainly on both sides; with 0 there may be some.
    source
        Who says so.
    """

    train: tuple[Video, ...]
    test: tuple[Video, ...]
    at_least: int
    source: str


@dataclass(frozen=True)
class UnverifiedVideos:
    """Videos of two datasets of which nobody says whether they share an operation."""

    train: tuple[Video, ...]
    test: tuple[Video, ...]
    why: str


@dataclass(frozen=True)
class Fix:
    """What to leave out so that nothing known is shared: three ways.

    Parameters
    ----------
    from_train, from_test
        When only training, or only test videos are left out.
    smallest_train, smallest_test
        The fewest videos altogether.
    then
        The verdict when they are left out.
    """

    from_train: tuple[Video, ...]
    from_test: tuple[Video, ...]
    smallest_train: tuple[Video, ...]
    smallest_test: tuple[Video, ...]
    then: LeakVerdict


@dataclass(frozen=True)
class Leak:
    """The verdict with its evidence; ``fix`` is None when nothing known is shared."""

    verdict: LeakVerdict
    shared: tuple[SharedOperation, ...]
    sets: tuple[SharedSet, ...]
    unverified: tuple[UnverifiedVideos, ...]
    fix: Fix | None


def public_operations() -> Operations:
    """Return what is known of the public datasets."""
    return Operations(known(), {name: dataset(name).kind for name in names()}, {name: dataset(name).centres for name in names()})


def leak(train: Sequence[Video], test: Sequence[Video], operations: Operations, relations: Relations) -> Leak:
    """Return what training and test share.

    *overlap*: an operation is certainly on both sides. *clean*: every training video is known to be of
    another operation than every test video. *unverified*: everything else.

    Parameters
    ----------
    train, test
        The videos of each side; a video given twice counts once.
    operations, relations
        What is known.
    """
    left, right = in_order(train), in_order(test)
    edges: dict[Video, list[Video]] = {video: [] for video in left}
    unknown: dict[tuple[str, str], tuple[dict[Video, None], dict[Video, None]]] = {}
    for one in left:
        for other in right:
            relation = operations.relation(one, other)
            if relation in ("same", "paired"):
                edges[one].append(other)
            elif relation == "unknown":
                sides = unknown.setdefault((one.dataset, other.dataset), ({}, {}))
                sides[0][one], sides[1][other] = None, None
    shared = _shared(left, right, operations)
    sets = _sets(left, right, operations)
    unverified = tuple(
        UnverifiedVideos(tuple(ones), tuple(others), why(pair, relations)) for pair, (ones, others) in sorted(unknown.items())
    )
    verdict: LeakVerdict = "clean"
    if shared or any(one.at_least for one in sets):
        verdict = "overlap"
    elif sets or unverified:
        verdict = "unverified"
    return Leak(verdict, shared, sets, unverified, _fix(edges, left, right, operations, relations))


def in_order(videos: Iterable[Video]) -> list[Video]:
    """Return videos once each, by dataset and id, numbers by value."""
    return sorted(set(videos), key=lambda video: (video.dataset, natural(video.id)))


def why(pair: tuple[str, str], relations: Relations) -> str:
    """Return why nothing is known of a pair of datasets."""
    reasons = [reason for datasets, reason in relations.unknown if datasets <= set(pair)]
    if reasons:
        return "; ".join(reasons)
    return no_source(*pair) if pair[0] != pair[1] else f"no source tells the videos of {pair[0]} apart"


def no_source(one: str, other: str) -> str:
    """Return what is said of two datasets that nobody relates."""
    return f"no source relates {one} and {other}"


def _shared(left: Sequence[Video], right: Sequence[Video], operations: Operations) -> tuple[SharedOperation, ...]:
    sides: dict[frozenset[Video], tuple[list[Video], list[Video]]] = {}
    for side, videos in enumerate((left, right)):
        for video in videos:
            sides.setdefault(operations.members(video), ([], []))[side].append(video)
    return tuple(SharedOperation(tuple(ones), tuple(others)) for ones, others in sides.values() if ones and others)


def _sets(left: Sequence[Video], right: Sequence[Video], operations: Operations) -> tuple[SharedSet, ...]:
    """Return the sets of which each side has a part, in either direction; n and more of n pairs must meet."""
    sets = []
    for block in operations.blocks:
        for train_set, test_set in ((block.one, block.other), (block.other, block.one)):
            in_train, ones = _present(train_set, left, operations)
            in_test, others = _present(test_set, right, operations)
            if ones and others:
                sets.append(SharedSet(ones, others, max(0, in_train + in_test - len(block.one)), block.source))
    return tuple(sets)


def _present(wanted: frozenset[Video], videos: Sequence[Video], operations: Operations) -> tuple[int, tuple[Video, ...]]:
    """Return how many operations of a set are on a side, and by which videos."""
    by_class = {operations.members(video) for video in wanted}
    present = tuple(video for video in videos if operations.members(video) in by_class)
    return len({operations.members(video) for video in present}), present


def _fix(
    edges: dict[Video, list[Video]], left: Sequence[Video], right: Sequence[Video], operations: Operations, relations: Relations
) -> Fix | None:
    touched = {video for others in edges.values() for video in others}
    if not touched:
        return None
    drop_train, drop_test = smallest_cover(edges)
    kept = [video for video in left if video not in drop_train], [video for video in right if video not in drop_test]
    return Fix(
        from_train=tuple(video for video in left if edges[video]),
        from_test=tuple(video for video in right if video in touched),
        smallest_train=tuple(video for video in left if video in drop_train),
        smallest_test=tuple(video for video in right if video in drop_test),
        then=leak(*kept, operations, relations).verdict,
    )
