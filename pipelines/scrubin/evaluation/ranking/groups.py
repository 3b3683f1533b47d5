"""Groups of teams that cannot be told apart, and teams that share a rank.

A group is a largest possible set of teams no two of which differ significantly. "Not different" is not transitive, so a team may be in
several groups: the first and the last team of a ranking may differ while neither differs from the one between them. Each group has a
letter, and two teams share a letter exactly when they cannot be told apart (the compact letter display of Piepho (2004), "An algorithm
for a letter-based representation of all-pairwise comparisons", Journal of Computational and Graphical Statistics 13(2), 456-466).

Groups need not be neighbours by rank: a team between two others can differ from both where they do not differ from each other, because
its differences come back in every video and theirs do not. Such a group says so.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.labels.formats.submission.content import FloatArray

Adjacency = Sequence[frozenset[int]]


@dataclass(frozen=True)
class Group:
    """Teams that cannot be told apart.

    Parameters
    ----------
    letter
        Its name: a, b, ... z, aa, ab, ...
    teams
        Their places in the ranking, increasing.
    """

    letter: str
    teams: tuple[int, ...]

    @property
    def neighbours(self) -> bool:
        """Whether nobody outside the group ranks between its teams."""
        return self.teams[-1] - self.teams[0] == len(self.teams) - 1


def indistinguishable(different: npt.NDArray[np.bool_]) -> list[Group]:
    """Return all groups, in order of their best teams.

    Parameters
    ----------
    different
        (teams, teams), symmetric; whether two teams, in order of rank, differ significantly.

    >>> apart = np.zeros((3, 3), bool)
    >>> apart[0, 2] = apart[2, 0] = True
    >>> [(group.letter, group.teams) for group in indistinguishable(apart)]
    [('a', (0, 1)), ('b', (1, 2))]
    """
    teams = range(len(different))
    like = [frozenset(other for other in teams if other != one and not different[one, other]) for one in teams]
    largest = sorted(_largest(like, (), frozenset(teams), frozenset()))
    return [Group(letter(at), members) for at, members in enumerate(largest) if members]


def letter(place: int) -> str:
    """Return the name of a group by its place.

    >>> letter(0), letter(25), letter(26), letter(701), letter(702)
    ('a', 'z', 'aa', 'zz', 'aaa')
    """
    text = ""
    while place >= 0:
        place, last = divmod(place, 26)
        text = string.ascii_lowercase[last] + text
        place -= 1
    return text


def ties(ranks: FloatArray) -> list[list[int]]:
    """Return places of teams that share a rank, a list per shared rank.

    >>> ties(np.array([1.0, 1.0, 3.0, np.nan]))
    [[0, 1]]
    """
    by_rank: dict[float, list[int]] = {}
    for place, rank in enumerate(ranks.tolist()):
        by_rank.setdefault(rank, []).append(place)
    return [places for rank, places in sorted(by_rank.items()) if len(places) > 1 and rank == rank]


def _largest(like: Adjacency, chosen: tuple[int, ...], open_: frozenset[int], done: frozenset[int]) -> list[tuple[int, ...]]:
    """Return the maximal cliques (Bron and Kerbosch 1973, with a pivot)."""
    if not open_ and not done:
        return [tuple(sorted(chosen))]
    pivot = max(sorted(open_ | done), key=lambda one: len(like[one] & open_))
    found: list[tuple[int, ...]] = []
    for one in sorted(open_ - like[pivot]):
        found += _largest(like, (*chosen, one), open_ & like[one], done & like[one])
        open_, done = open_ - {one}, done | {one}
    return found
