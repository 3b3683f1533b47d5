"""``leave_n_participants_out``: every participant is tested once, n at a time.

With n = 1 it is leave-one-user-out as JIGSAWS defines it. Such folds tell which recordings are of
one person: do not publish them where that is private.
"""

from __future__ import annotations

from scrubin.core.errors import SplitError
from scrubin.splits.cohort import Cohort
from scrubin.splits.schemes.folding import folds
from scrubin.splits.search.groups import fraction
from scrubin.splits.split import Split, rows_of


def leave_n_participants_out(cohort: Cohort, n: int, repeats: int, seed: int) -> Split:
    """Return as many folds per repetition as there are n participants; the last may test fewer.

    Raises
    ------
    SplitError
        When n participants are all there are.
    """
    ids = {str(who): list(rows.id) for who, rows in cohort.people.groupby("participant")}
    if n >= len(ids):
        msg = f"leaving {n} of {len(ids)} participants out leaves nobody to train on; leave fewer out"
        raise SplitError(msg)
    rows: list[tuple[int, str, str]] = []
    first = 0
    for repeat in range(repeats):
        order = sorted(ids, key=lambda who: fraction(seed, str(repeat), min(ids[who])))
        parts = [[id_ for who in order[i : i + n] for id_ in ids[who]] for i in range(0, len(order), n)]
        rows += folds(parts, first, validation=False)
        first += len(parts)
    notes = ("each fold tests a single participant, so that the folds tell which recordings are of one person",) if n == 1 else ()
    return Split(rows_of(rows), ("train", "test"), notes=notes)
