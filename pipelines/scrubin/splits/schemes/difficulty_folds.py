"""``difficulty_folds``: every fold has easy and difficult recordings alike.

Source: CholecT50 (Nwoye and Padoy 2022), section on cross-validation: sorted by the duration of
the procedure, cut into clusters of as many as there are folds, and each cluster dealt at random.
Here participants are dealt, so that those with several recordings stay whole; a participant is as
difficult as its recordings are on average.
"""

from __future__ import annotations

import math

import pandas as pd

from scrubin.core.errors import SplitError
from scrubin.splits.cohort import Cohort
from scrubin.splits.schemes.folding import folds, shares
from scrubin.splits.schemes.k_fold import check_enough
from scrubin.splits.search.groups import fraction
from scrubin.splits.split import Split, rows_of


def difficulty_folds(cohort: Cohort, difficulty: str, n_folds: int, repeats: int, seed: int, *, validation: bool) -> Split:
    """Return k folds per repetition; each fold tests exactly one of each cluster.

    The last cluster has fewer members when participants cannot be divided by k: it is the one of
    the least difficult, and which folds get one of it is random.

    Raises
    ------
    SplitError
        With fewer participants than folds, or when the difficulty of a recording is no number.
    """
    check_enough(cohort, n_folds)
    ranked = clusters(cohort, difficulty, n_folds, seed)
    ids = {str(who): list(rows.id) for who, rows in cohort.people.groupby("participant")}
    rows: list[tuple[int, str, str]] = []
    for repeat in range(repeats):
        parts: list[list[str]] = [[] for _ in range(n_folds)]
        for number, cluster in enumerate(ranked):
            order = sorted(range(n_folds), key=lambda fold: fraction(seed, str(repeat), str(number), str(fold)))
            for who, fold in zip(cluster, order, strict=False):
                parts[fold] += ids[who]
        rows += folds(parts, repeat * n_folds, validation=validation)
    share_of = shares(n_folds, validation=validation)
    return Split(rows_of(rows), tuple(share_of), shares=share_of)


def clusters(cohort: Cohort, difficulty: str, size: int, seed: int) -> list[list[str]]:
    """Return the participants in clusters of equal difficulty, the most difficult first."""
    column = cohort.column(difficulty)
    values = pd.to_numeric(column.values, errors="coerce")
    if values.isna().any():
        id_ = cohort.people.id[values.isna()].iloc[0]
        msg = f"recording '{id_}' has no number in column '{difficulty}', so it cannot be sorted; fill it in, or choose another column"
        raise SplitError(msg)
    rows = cohort.people.assign(value=values.astype(float))
    difficulty_of = {str(who): (math.fsum(group.value) / len(group), min(group.id)) for who, group in rows.groupby("participant")}
    # Equal difficulties are ordered by chance, not by a name.
    ranked = sorted(difficulty_of, key=lambda who: (-difficulty_of[who][0], fraction(seed, difficulty_of[who][1])))
    return [ranked[i : i + size] for i in range(0, len(ranked), size)]
