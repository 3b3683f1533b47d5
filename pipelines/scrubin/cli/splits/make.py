"""`scrubin splits make`: a split of the recordings in a table."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrubin.cli.splits import cohort_sheet, making
from scrubin.errors import SplitError
from scrubin.splits.cohort import Cohort
from scrubin.splits.params import BalancedParams, DifficultyFoldsParams, KFoldParams, LeaveOutParams, SchemeParams
from scrubin.splits.schemes import registry
from scrubin.splits.sheet import read

BY_HAND = ("balanced", "difficulty_folds", "k_fold", "leave_n_participants_out")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "table",
        type=Path,
        metavar="TABLE.csv",
        help="one row per recording; the first column, or one named id, recording or video, names it",
    )
    parser.add_argument("--scheme", choices=BY_HAND, default="balanced", help="default balanced")
    cohort_sheet.add_arguments(parser)
    parser.add_argument("--folds", type=int, default=5, help="of difficulty_folds and k_fold; default 5")
    parser.add_argument("--repeats", type=int, default=1, help="of schemes with folds: so many times, numbered on; default 1")
    parser.add_argument("--validation", action="store_true", help="of difficulty_folds and k_fold: each fold validates on the next")
    parser.add_argument("--leave-out", type=int, default=1, metavar="N", help="of leave_n_participants_out; default 1")
    parser.add_argument("--difficulty", metavar="COLUMN", default="duration", help="of difficulty_folds; default duration")
    parser.add_argument(
        "--per-task", action="store_true", help="split every task by itself (column task), as LASANA does; default: jointly"
    )
    making.add_arguments(parser)


def run(given: argparse.Namespace) -> int:
    """Make the split; the exit code is 0 when it is written."""
    making.check(given, [given.table])
    asked = cohort_sheet.wanted(given)
    if given.scheme != "difficulty_folds":
        asked = cohort_sheet.Wanted(asked.group, asked.balance, asked.pin_train, None)
    cohort = cohort_sheet.cohort_of(read(given.table), asked)
    if given.per_task and cohort.tasks() == [""]:
        msg = f"{given.table}: --per-task needs a column 'task'"
        raise SplitError(msg)
    p = _params(given, cohort.features)
    setting = registry.Setting(given.seed, making.effort(given), given.table.parent, making.progress)
    made = registry.make(given.scheme, cohort, p, setting)
    return making.finish(given, given.scheme, {name: (one, _of(cohort, name, given)) for name, one in made.items()})


def _of(cohort: Cohort, name: str, given: argparse.Namespace) -> Cohort:
    return registry.of_task(cohort, name.removeprefix(f"{given.scheme}.")) if given.per_task else cohort


def _params(given: argparse.Namespace, balance: tuple[str, ...]) -> SchemeParams:
    for name, low in (("folds", 2), ("repeats", 1), ("leave_out", 1)):
        if getattr(given, name) < low:
            msg = f"--{name.replace('_', '-')} must be at least {low}, but is {getattr(given, name)}"
            raise SplitError(msg)
    joint = not given.per_task
    if given.scheme == "balanced":
        return BalancedParams(making.shares(given.subsets), joint, None, "balanced", balance)
    if given.pin_train is not None:
        msg = f"--pin-train is of balanced: in {given.scheme} every recording is tested once"
        raise SplitError(msg)
    if given.scheme == "k_fold":
        return KFoldParams(joint, given.validation, "k_fold", balance, given.folds, given.repeats)
    if given.scheme == "difficulty_folds":
        return DifficultyFoldsParams(given.difficulty, joint, given.validation, "difficulty_folds", given.folds, given.repeats)
    return LeaveOutParams(joint, "leave_n_participants_out", given.leave_out, given.repeats)
