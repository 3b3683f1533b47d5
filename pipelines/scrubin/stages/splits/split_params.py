"""The section ``splits`` of ``params.yaml``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from scrubin.base.errors import ParamsError
from scrubin.base.params import ranged
from scrubin.public_splits.catalogue import available, load

FEATURES = ("GRS", "error", "duration", "site", "instrument", "triplet", "phase")
"""What can be balanced: each has its columns in ``features``."""
MOST_WORK = 10_000
"""Of a search: hours."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
FOLD = re.compile(r"0|[1-9][0-9]*")
"""The number of a fold, as it stands in the name of a column."""


@dataclass(frozen=True)
class BalancedParams:
    """Subsets of given shares, alike in all that is balanced.

    Parameters
    ----------
    subsets
        Share of each subset; the first is the one for training.
    balance
        What is balanced beside the number of recordings.
    joint
        Whether a participant is in the same subset in every task; otherwise every task is split by itself.
    extends
        A split that is already released, as a file below the raw folder: nobody in it is moved.
    """

    subsets: dict[str, float]
    joint: bool
    extends: str | None
    kind: str = ranged(choices=("balanced",))
    balance: tuple[str, ...] = ranged(choices=FEATURES)

    def __post_init__(self) -> None:
        check_shares(self.subsets, "params.yaml: 'splits' subsets")


@dataclass(frozen=True)
class KFoldParams:
    """Folds that are alike in all that is balanced; each is tested once."""

    joint: bool
    validation: bool
    kind: str = ranged(choices=("k_fold",))
    balance: tuple[str, ...] = ranged(choices=FEATURES)
    folds: int = ranged(low=2)
    repeats: int = ranged(low=1)


@dataclass(frozen=True)
class DifficultyFoldsParams:
    """Folds as CholecT50 makes them: sorted by difficulty, cut into clusters, each dealt over the folds."""

    difficulty: str
    joint: bool
    validation: bool
    kind: str = ranged(choices=("difficulty_folds",))
    folds: int = ranged(low=2)
    repeats: int = ranged(low=1)


@dataclass(frozen=True)
class LeaveOutParams:
    """Every fold tests so many participants; with 1, leave one user out."""

    joint: bool
    kind: str = ranged(choices=("leave_n_participants_out",))
    participants: int = ranged(low=1)
    repeats: int = ranged(low=1)


@dataclass(frozen=True)
class OfficialParams:
    """A published split, for a study that has the recordings of a public dataset.

    Parameters
    ----------
    split
        Its name, such as ``cholect50/rdv``.
    videos
        A CSV below the raw folder, ``recording,video``: which recording is which video of the dataset.
    """

    split: str
    videos: str
    kind: str = ranged(choices=("official",))


def check_shares(subsets: dict[str, float], where: str) -> None:
    """Refuse shares that are none.

    Raises
    ------
    ParamsError
        Names the share.
    """
    for name, share in subsets.items():
        if not 0 < share < 1:
            raise ParamsError(f"{where}: '{name}' must be a share between 0 and 1, but is {share:g}")
        if not NAME.fullmatch(name):
            raise ParamsError(f"{where}: '{name}' becomes part of file names: use letters, digits, _ and -")
    total = math.fsum(subsets.values())
    if abs(total - 1) > 1e-9:
        raise ParamsError(f"{where} must be shares that add up to 1, but they add up to {total:g}")


SchemeParams = BalancedParams | KFoldParams | DifficultyFoldsParams | LeaveOutParams | OfficialParams


@dataclass(frozen=True)
class SplitsParams:
    """How recordings are divided.

    Parameters
    ----------
    schemes
        Each scheme by its name, which becomes a file name; the first is the one of LASANA's files and of the report.
    seed
        Decides between equally good splits, and how folds are dealt.
    gap
        Imbalance by which a balanced split may miss the best possible one; 0 = the proven best.
    work_limit
        Work after which the best split so far is taken, with its proven gap. 1 is about a second of one core of 2026,
        but counted in steps of the search: the split is the same on every machine, however busy.
    """

    REPLACED: ClassVar[Mapping[str, str]] = {
        "node_limit": "write 'work_limit: 20' instead, which counts all steps of the search",
        "time_limit_s": "write 'work_limit: 20' instead, which counts steps, not seconds, so that every machine makes the same split",
    }

    schemes: dict[str, SchemeParams]
    seed: int = ranged(low=0)
    gap: float = ranged(low=0, high=1)
    work_limit: float = ranged(low=0, high=MOST_WORK)

    def __post_init__(self) -> None:
        if not self.schemes:
            raise ParamsError("params.yaml: 'splits.schemes' is empty; name at least one, such as balanced")
        for name in self.schemes:
            if not NAME.fullmatch(name):
                raise ParamsError(f"params.yaml: 'splits.schemes.{name}' becomes a file name: use letters, digits, _ and -")
            if taken := _taken(name, self.schemes):
                raise ParamsError(f"params.yaml: 'splits.schemes.{name}' {taken}; call it otherwise")


def _taken(name: str, schemes: Mapping[str, SchemeParams]) -> str:
    """Return what of another scheme is released under a name that a scheme would have; "" for nothing."""
    joint = is_joint(schemes[name])
    alike = next((other for other, p in schemes.items() if other.lower() == name.lower() and is_joint(p) == joint), name)
    if alike != name:
        return f"would have the file of '{alike}' on macOS and Windows, for which '{name}' is the same name"
    base, _, fold = name.rpartition("_")
    # What is split by task has the task in its name, and what has folds their numbers.
    if not joint or _folds(schemes[name]) != 0 or base not in schemes or not is_joint(schemes[base]) or not FOLD.fullmatch(fold):
        return ""
    most = _folds(schemes[base])
    if int(fold) >= most:
        return ""
    verb = "shares" if math.isfinite(most) else "may share"
    return f"{verb} the column 'split_{name}' of the sheets of skill and errors with fold {fold} of the scheme '{base}'"


def is_joint(p: SchemeParams) -> bool:
    """Return whether a scheme is one split, not one per task."""
    return getattr(p, "joint", True)


def _folds(p: SchemeParams) -> float:
    """Return how many numbered folds a scheme has; 0 for one without, infinity where only the number of participants says it."""
    if isinstance(p, KFoldParams | DifficultyFoldsParams):
        return p.folds * p.repeats
    if isinstance(p, OfficialParams):
        folds = len(load(p.split).folds) if p.split in available() else 0
        return folds if folds > 1 else 0
    return 0 if isinstance(p, BalancedParams) else math.inf


KINDS = {
    "flag": "True or False: how often it is True",
    "number": "a measurement: its distribution (recordings in each third, fifth and tenth, and up to each fifth), mean and spread",
    "count": "a number of things: their total, and the recordings that have any",
    "category": "a word: recordings per word",
}
"""What is balanced of a column, by its kind."""
