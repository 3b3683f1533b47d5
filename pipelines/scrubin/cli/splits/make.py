"""`scrubin splits make`: a split of the recordings in a table."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from scrubin.cli.splits import cohort_sheet, new_split
from scrubin.core.errors import SplitError
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
    new_split.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Make the split; the exit code is 0 when it is written."""
    new_split.check(args, [args.table])
    roles = cohort_sheet.roles_of(args)
    if args.scheme != "difficulty_folds":
        roles = replace(roles, difficulty=None)
    cohort = cohort_sheet.cohort_of(read(args.table), roles)
    if args.per_task and cohort.tasks() == [""]:
        msg = f"{args.table}: --per-task needs a column 'task'"
        raise SplitError(msg)
    p = _params(args, cohort.features)
    setting = registry.Setting(args.seed, new_split.effort(args), args.table.parent, new_split.progress)
    split_of = registry.make(args.scheme, cohort, p, setting)
    return new_split.finish(args, args.scheme, {name: (one, _of(cohort, name, args)) for name, one in split_of.items()})


def _of(cohort: Cohort, name: str, args: argparse.Namespace) -> Cohort:
    return registry.of_task(cohort, name.removeprefix(f"{args.scheme}.")) if args.per_task else cohort


def _params(args: argparse.Namespace, balance: tuple[str, ...]) -> SchemeParams:
    for name, low in (("folds", 2), ("repeats", 1), ("leave_out", 1)):
        if getattr(args, name) < low:
            msg = f"--{name.replace('_', '-')} must be at least {low}, but is {getattr(args, name)}"
            raise SplitError(msg)
    joint = not args.per_task
    if args.scheme == "balanced":
        return BalancedParams(new_split.shares(args.subsets), joint, None, "balanced", balance)
    if args.pin_train is not None:
        msg = f"--pin-train is of balanced: in {args.scheme} every recording is tested once"
        raise SplitError(msg)
    if args.scheme == "k_fold":
        return KFoldParams(joint, args.validation, "k_fold", balance, args.folds, args.repeats)
    if args.scheme == "difficulty_folds":
        return DifficultyFoldsParams(args.difficulty, joint, args.validation, "difficulty_folds", args.folds, args.repeats)
    return LeaveOutParams(joint, "leave_n_participants_out", args.leave_out, args.repeats)
