"""``k_fold``: folds of whole participants, alike in size and in all that is balanced.

The first repetition is searched for like a balanced split, with its bound; the others start from
another random deal each and are improved until no move or exchange makes them better, because
the best split is the best one every time.
"""

from __future__ import annotations

from scrubin.core.errors import SplitError
from scrubin.splits.cohort import Cohort
from scrubin.splits.schemes.balanced import deal
from scrubin.splits.schemes.folding import folds, shares
from scrubin.splits.search.best_split import Effort, Progress, drawn, solve
from scrubin.splits.search.groups import groups
from scrubin.splits.search.obstacles import obstacles
from scrubin.splits.search.program import Program
from scrubin.splits.split import Proof, Split, proof, rows_of


def k_fold(
    cohort: Cohort, n_folds: int, repeats: int, seed: int, effort: Effort, *, validation: bool, progress: Progress | None = None
) -> Split:
    """Return k folds per repetition, numbered on: those of repetition r are r x k to r x k + k - 1.

    Raises
    ------
    SplitError
        With fewer participants than folds.
    """
    check_enough(cohort, n_folds)
    people_groups = groups(cohort.people, cohort.measures(), {}, seed)
    program = Program(people_groups, cohort.measures(), (1 / n_folds,) * n_folds, seed)
    solution = solve(program, effort, progress)
    counts, proofs = [solution.counts], [proof(solution)]
    for repeat in range(1, repeats):
        counts.append(drawn(program, seed, repeat))
        proofs.append(Proof(program.objective(counts[-1]), solution.bound, "sampled"))
    rows = [row for r, one in enumerate(counts) for row in folds(deal(people_groups, one), r * n_folds, validation=validation)]
    participant_of = dict(zip(cohort.people.id, cohort.people.participant, strict=True))
    names = [f"fold {i}" for i in range(n_folds)]
    share_of = shares(n_folds, validation=validation)
    return Split(rows_of(rows), tuple(share_of), tuple(proofs), obstacles(program, names, participant_of), shares=share_of)


def check_enough(cohort: Cohort, n_folds: int) -> None:
    """Refuse more folds than participants.

    Raises
    ------
    SplitError
        Names both numbers.
    """
    participants = len(cohort.participants)
    if participants < n_folds:
        msg = f"{participants} participants cannot fill {n_folds} folds, because each stays whole; ask for fewer folds"
        raise SplitError(msg)
