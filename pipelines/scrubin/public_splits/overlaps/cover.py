"""The fewest videos whose removal parts two sides: a minimum vertex cover of a bipartite graph (König 1931)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

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
