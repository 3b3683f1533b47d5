"""`scrubin splits extend`: new recordings join a released split, and nobody is moved."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from scrubin.cli.splits import cohort_sheet, new_split
from scrubin.core.errors import SplitError
from scrubin.splits.extension import extension
from scrubin.splits.schemes.balanced import balanced
from scrubin.splits.sheet import read, read_released


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("released", type=Path, metavar="RELEASED.csv", help="the released split: id and subset (or split)")
    parser.add_argument("table", type=Path, metavar="TABLE.csv", help="one row per recording, old and new, as for make")
    cohort_sheet.add_arguments(parser)
    new_split.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Extend the split; the exit code is 0 when it is written."""
    new_split.check(args, [args.released, args.table])
    _refuse_several(args.released)
    subsets = new_split.shares(args.subsets)
    cohort = cohort_sheet.cohort_of(read(args.table), cohort_sheet.roles_of(args))
    old = extension(cohort, read_released(args.released), list(subsets))
    if old.gone:
        msg = (
            f"{args.table}: recording '{old.gone[0]}' of the released split is missing ({len(old.gone)} are); without their participants "
            "nobody knows where new recordings may go: give all recordings, old and new"
        )
        raise SplitError(msg)
    split = balanced(old.cohort, subsets, args.seed, new_split.effort(args), old.placed, new_split.progress)
    split = replace(split, notes=old.notes())
    return new_split.finish(args, "balanced", {"balanced": (split, old.cohort)})


def _refuse_several(released: Path) -> None:
    """Refuse a file of several folds or schemes: only one split can be extended."""
    frame = read(released).frame
    for name in frame.columns:
        if str(name).lower() in ("fold", "scheme") and frame[name].nunique() > 1:
            several = f"column '{name}' has {frame[name].nunique()} different values"
            msg = f"{released}: {several}; only one split can be extended, without folds"
            raise SplitError(msg)
