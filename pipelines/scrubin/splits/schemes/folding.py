"""From parts to folds: each part is tested once, the others train."""

from __future__ import annotations

from collections.abc import Sequence

from scrubin.core.errors import SplitError


def folds(parts: Sequence[Sequence[str]], first: int, *, validation: bool) -> list[tuple[int, str, str]]:
    """Return rows (fold, subset, id): fold ``first + i`` tests part i, and validates on the next one when asked to.

    Raises
    ------
    SplitError
        When nothing would be left for training.

    >>> folds([["a"], ["b"], ["c"]], 0, validation=True)[:3]
    [(0, 'test', 'a'), (0, 'val', 'b'), (0, 'train', 'c')]
    """
    if len(parts) < (3 if validation else 2):
        msg = f"{len(parts)} folds leave nothing to train on; ask for more folds" + (", or for no validation" if validation else "")
        raise SplitError(msg)
    rows = []
    for i in range(len(parts)):
        for j, part in enumerate(parts):
            subset = "test" if j == i else "val" if validation and j == (i + 1) % len(parts) else "train"
            rows += [(first + i, subset, id_) for id_ in part]
    return rows


def shares(n_folds: int, *, validation: bool) -> dict[str, float]:
    """Return the share of each subset of a fold, the one for training first.

    >>> shares(5, validation=False)
    {'train': 0.8, 'test': 0.2}
    """
    tested = {"val": 1 / n_folds, "test": 1 / n_folds} if validation else {"test": 1 / n_folds}
    return {"train": (n_folds - len(tested)) / n_folds, **tested}
