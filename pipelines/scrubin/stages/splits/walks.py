"""Walks of tabu search in windows of participants, each followed by a polish of the objective.

It minimises the sum of squared deviations: what that sum changes by is known for every exchange at
once from products of pairs, whatever the number of measures.

Work is counted in steps, never in seconds, so that a busy machine finds the same split. Rounds come one after the
other whatever the limit, so that a higher limit goes on where a lower one stops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scrubin.stages.splits.members import Draws, Members, Scaled, Whole, polish
from scrubin.stages.splits.program import Counts
from scrubin.stages.splits.start import largest_first, random_order

NEVER = 2.0**60
"""Larger than any change."""
SHORTEST, LONGEST = 5, 17
"""For so many steps a member does not go back to where it was."""


def tabu(squares: Scaled, subset: Whole, window: Whole, steps: int, draws: Draws) -> tuple[Whole, Whole]:
    """Return the best split of a walk, and where the walk ended: the subset of each member.

    Parameters
    ----------
    squares
        What is squared, of all members.
    subset
        Subset of each member, where the walk begins.
    window
        Numbers of the members that may move.
    steps
        Length of the walk.
    draws
        How long moves are not taken back.
    """
    walk = _Walk(squares, subset, window)
    tenures = SHORTEST + draws.below(LONGEST - SHORTEST, 2 * steps)
    best, best_subset = 0.0, walk.subset.copy()
    for step in range(steps):
        change = walk.step(step, tenures[2 * step : 2 * step + 2])
        if change >= NEVER / 2:
            break
        if walk.changed < best:
            best, best_subset = walk.changed, walk.subset.copy()
    found, ended = subset.copy(), subset.copy()
    found[window], ended[window] = best_subset, walk.subset
    return found, ended


class _Walk:
    """Where the members of a window are, and what every move of one of them would change.

    Members of one subset exchange nothing: ``blocked`` holds ``NEVER`` for such pairs.
    """

    def __init__(self, squares: Scaled, subset: Whole, window: Whole) -> None:
        value = squares.value[:, window]
        deviations = squares.deviations(subset)
        self.products = np.stack([one @ one.T for one in value])  # (subsets, window, window)
        self.own = np.stack([np.diag(one) for one in self.products], axis=1)
        self.linear = 2 * np.stack([one @ row for one, row in zip(value, deviations, strict=True)], axis=1)
        self.subset = subset[window]
        self.members = np.bincount(subset, minlength=len(value))
        self.until = np.zeros(self.linear.shape, dtype=np.int64)
        at = np.arange(len(window))
        own_rows = self.products[self.subset, at]
        self.shared = -2 * (own_rows + own_rows.T)
        self.blocked = np.where(self.subset[:, None] == self.subset[None, :], NEVER, 0.0)
        self.at = at
        self.changed = 0.0

    def step(self, step: int, tenures: Whole) -> float:
        """Take the best move and return by how much it changes the sum of squares; ``NEVER`` when there is none."""
        subset, at = self.subset, self.at
        leave = self.own[at, subset] - self.linear[at, subset]
        moved = self.own + self.linear + leave[:, None] + np.where(self.until > step, NEVER, 0.0)
        there = moved[:, subset]
        exchanged = there + there.T
        exchanged += self.shared
        exchanged += self.blocked
        moved[at, subset] = NEVER
        moved[self.members[subset] < 2] = NEVER
        alone, pair = int(moved.argmin()), int(exchanged.argmin())
        first, to = divmod(alone, moved.shape[1])
        change, moves = float(moved[first, to]), [(first, to)]
        if exchanged.flat[pair] < change:
            one, other = divmod(pair, len(at))
            change, moves = float(exchanged[one, other]), [(one, int(subset[other])), (other, int(subset[one]))]
        if change >= NEVER / 2:
            return NEVER
        for (member, entered), tenure in zip(moves, tenures, strict=False):
            self.until[member, subset[member]] = step + tenure
            self._move(member, entered)
        self.changed += change
        return change

    def _move(self, member: int, entered: int) -> None:
        left = int(self.subset[member])
        self.linear[:, left] -= 2 * self.products[left, member]
        self.linear[:, entered] += 2 * self.products[entered, member]
        difference = 2 * (self.products[left, member] - self.products[entered, member])
        self.shared[member] += difference
        self.shared[:, member] += difference
        self.members[left], self.members[entered] = self.members[left] - 1, self.members[entered] + 1
        self.subset[member] = entered
        together = np.where(self.subset == entered, NEVER, 0.0)
        self.blocked[member], self.blocked[:, member] = together, together


WORK = 10**9
"""Steps of one unit of work, about a second of one core of 2026."""
WINDOW = 120
"""So many participants move at once."""
WALK, KICK = 500, 4
"""Steps of a walk where all participants move, and where they are too many for that."""


@dataclass(frozen=True)
class Round:
    """What is known after a round.

    Parameters
    ----------
    counts
        The best split so far, shape (groups, subsets).
    objective
        That of the program.
    work
        Done since the start, in units of ``WORK``.
    """

    counts: Counts
    objective: float
    work: float


def rounds(members: Members, draws: Draws, *, dealt_at_random: bool = False) -> Iterator[Round]:
    """Yield the state after each round, without end; the first one is the start."""
    program = members.program
    subset = random_order(members, draws) if dealt_at_random else largest_first(members)
    dealing = 1000 * members.weighted.value.size
    work = dealing
    best, objective = members.counts(subset), program.objective(members.counts(subset))
    best, walking, walk, length = subset, subset, 0, 1
    counts, objective = members.counts(subset), program.objective(members.counts(subset))
    while True:
        yield Round(counts, objective, work / WORK)
        window = draws.some(members.free, WINDOW)
        if len(window) == 0:
            work += WORK
            continue
        # Few participants: one walk goes on and on, and begins anew after 1, 2, 4 ... rounds. Many: some of them leave the best split.
        few = len(window) == len(members.free)
        if few and walk == length:
            walking, walk, length = random_order(members, draws), 0, 2 * length
            work += dealing
        found, ended = tabu(members.rooted, walking if few else best, window, WALK if few else KICK, draws)
        walking, walk = ended, walk + 1
        polished, looked_at = polish(members, found if few else ended, window)
        work += _steps(members, len(window), WALK if few else KICK) + 6 * looked_at
        if (value := program.objective(members.counts(polished))) < objective:
            best, counts, objective = polished, members.counts(polished), value


def _steps(members: Members, window: int, walk: int) -> int:
    """Return what a walk costs beside the polish: its steps, and what is computed before the first one."""
    subsets, everyone, measures = (int(n) for n in members.weighted.value.shape)
    return walk * (10 * window * window + 30_000) + subsets * measures * (60 * everyone + window * window) + 1_000_000
