"""The search of any study: walks of tabu search in windows of participants, each followed by a polish of the objective.

Work is counted in steps, never in seconds, so that a busy machine finds the same split. Rounds come one after the
other whatever the limit, so that a higher limit goes on where a lower one stops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scrubin.splits.search.draws import Draws
from scrubin.splits.search.members import Members
from scrubin.splits.search.polish import polish
from scrubin.splits.search.program import Counts
from scrubin.splits.search.start import largest_first, random_order
from scrubin.splits.search.tabu import tabu

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
