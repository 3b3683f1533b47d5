"""`scrubin splits make`, `extend`: a split of the recordings in a table."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubin.base import files
from scrubin.base.errors import ParamsError, SplitError
from scrubin.cli.answers import print_json
from scrubin.cli.splits import cohort_sheet
from scrubin.stages.splits.split_params import (
    MOST_WORK,
    BalancedParams,
    DifficultyFoldsParams,
    KFoldParams,
    LeaveOutParams,
    SchemeParams,
    check_shares,
)

if TYPE_CHECKING:
    from scrubin.stages.splits.best_split import Effort
    from scrubin.stages.splits.cohort import Cohort
    from scrubin.stages.splits.split import Split

BY_HAND = ("balanced", "difficulty_folds", "k_fold", "leave_n_participants_out")


def add_make_arguments(parser: argparse.ArgumentParser) -> None:
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
    add_arguments(parser)


def run_make(args: argparse.Namespace) -> int:
    """Make the split; the exit code is 0 when it is written."""
    from scrubin.stages.splits import registry
    from scrubin.stages.splits.recording_sheet import read

    check(args, [args.table])
    roles = cohort_sheet.roles_of(args)
    if args.scheme != "difficulty_folds":
        roles = replace(roles, difficulty=None)
    cohort = cohort_sheet.cohort_of(read(args.table), roles)
    if args.per_task and cohort.tasks() == [""]:
        msg = f"{args.table}: --per-task needs a column 'task'"
        raise SplitError(msg)
    p = _params(args, cohort.features)
    setting = registry.Setting(args.seed, effort(args), args.table.parent, progress)
    split_of = registry.make(args.scheme, cohort, p, setting)
    return finish(args, args.scheme, {name: (one, _of(cohort, name, args)) for name, one in split_of.items()})


def _of(cohort: Cohort, name: str, args: argparse.Namespace) -> Cohort:
    from scrubin.stages.splits import registry

    return registry.of_task(cohort, name.removeprefix(f"{args.scheme}.")) if args.per_task else cohort


def _params(args: argparse.Namespace, balance: tuple[str, ...]) -> SchemeParams:
    for name, low in (("folds", 2), ("repeats", 1), ("leave_out", 1)):
        if getattr(args, name) < low:
            msg = f"--{name.replace('_', '-')} must be at least {low}, but is {getattr(args, name)}"
            raise SplitError(msg)
    joint = not args.per_task
    if args.scheme == "balanced":
        return BalancedParams(shares(args.subsets), joint, None, "balanced", balance)
    if args.pin_train is not None:
        msg = f"--pin-train is of balanced: in {args.scheme} every recording is tested once"
        raise SplitError(msg)
    if args.scheme == "k_fold":
        return KFoldParams(joint, args.validation, "k_fold", balance, args.folds, args.repeats)
    if args.scheme == "difficulty_folds":
        return DifficultyFoldsParams(args.difficulty, joint, args.validation, "difficulty_folds", args.folds, args.repeats)
    return LeaveOutParams(joint, "leave_n_participants_out", args.leave_out, args.repeats)


def add_extend_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("released", type=Path, metavar="RELEASED.csv", help="the released split: id and subset (or split)")
    parser.add_argument("table", type=Path, metavar="TABLE.csv", help="one row per recording, old and new, as for make")
    cohort_sheet.add_arguments(parser)
    add_arguments(parser)


def run_extend(args: argparse.Namespace) -> int:
    """Extend the split; the exit code is 0 when it is written."""
    from scrubin.stages.splits.recording_sheet import read, read_released
    from scrubin.stages.splits.released_splits import extension
    from scrubin.stages.splits.schemes import balanced

    check(args, [args.released, args.table])
    _refuse_several(args.released)
    subsets = shares(args.subsets)
    cohort = cohort_sheet.cohort_of(read(args.table), cohort_sheet.roles_of(args))
    old = extension(cohort, read_released(args.released), list(subsets))
    if old.gone:
        msg = (
            f"{args.table}: recording '{old.gone[0]}' of the released split is missing ({len(old.gone)} are); without their participants "
            "nobody knows where new recordings may go: give all recordings, old and new"
        )
        raise SplitError(msg)
    split = balanced(old.cohort, subsets, args.seed, effort(args), old.placed, progress)
    split = replace(split, notes=old.notes())
    return finish(args, "balanced", {"balanced": (split, old.cohort)})


def _refuse_several(released: Path) -> None:
    """Refuse a file of several folds or schemes: only one split can be extended."""
    from scrubin.stages.splits.recording_sheet import read

    frame = read(released).frame
    for name in frame.columns:
        if str(name).lower() in ("fold", "scheme") and frame[name].nunique() > 1:
            several = f"column '{name}' has {frame[name].nunique()} different values"
            msg = f"{released}: {several}; only one split can be extended, without folds"
            raise SplitError(msg)


SUBSETS = "train=0.75,val=0.10,test=0.15"
WORK_LIMIT = 20.0
"""Work of the search, as in params.yaml."""
GAP = 0.0005
"""Imbalance that is not worth a longer search."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the search."""
    parser.add_argument("--out", required=True, type=Path, metavar="SPLIT.csv", help="where the split is written")
    parser.add_argument("--subsets", default=SUBSETS, metavar="NAME=SHARE,...", help=f"the first is for training; default {SUBSETS}")
    parser.add_argument("--seed", type=int, default=0, help="decides between equally good splits; default 0")
    parser.add_argument(
        "--work-limit",
        type=float,
        default=WORK_LIMIT,
        metavar="WORK",
        help="how much is searched; 1 is about a second, but counted in steps, so that every machine makes the same split; "
        f"default {WORK_LIMIT:g}",
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON, for machines")


def check(args: argparse.Namespace, inputs: Sequence[Path]) -> None:
    """Refuse what cannot be written to, or must not be, before anything is searched for.

    Raises
    ------
    SplitError
        When --out is one of the inputs, no plain file, or in no folder; or for a seed that is none.
    """
    out: Path = args.out
    try:
        obstacle = "is a link" if out.is_symlink() else "is no plain file" if out.exists() and not out.is_file() else ""
        obstacle = obstacle or next(
            (f"is the same file as {path}" for path in inputs if out.exists() and path.exists() and out.samefile(path)), ""
        )
        folder = next((parent for parent in out.absolute().parents if parent.exists()), Path("/"))
        obstacle = obstacle or ("" if folder.is_dir() else f"lies below {folder}, which is no folder")
        part = out.with_name(f".part-{out.name}") if out.name else out
        obstacle = obstacle or (f"is written by way of {part}, which exists" if part.exists() else "")
    except OSError as error:
        obstacle = f"cannot be used: {error.strerror}"
    if obstacle:
        msg = f"--out {str(out)[:200]!r} {obstacle}; name another file"
        raise SplitError(msg)
    if args.seed < 0:
        msg = f"--seed must be at least 0, but is {args.seed}"
        raise SplitError(msg)


def shares(text: str) -> dict[str, float]:
    """Return the shares of ``train=0.75,test=0.25``; whole numbers such as ``75:25`` in percent are none.

    Raises
    ------
    SplitError
        When it is none of such a list.
    """
    share_of: dict[str, float] = {}
    for part in text.split(","):
        name, _, share = part.partition("=")
        try:
            value = float(share)
        except ValueError as error:
            msg = f"--subsets: '{part}' is not NAME=SHARE, such as train=0.75"
            raise SplitError(msg) from error
        if name.strip() in share_of:
            msg = f"--subsets: '{name.strip()}' stands twice"
            raise SplitError(msg)
        share_of[name.strip()] = value
    try:
        check_shares(share_of, "--subsets")
    except ParamsError as error:
        raise SplitError(str(error)) from error
    if len(share_of) < 2:
        msg = "--subsets: name at least two"
        raise SplitError(msg)
    return share_of


def effort(args: argparse.Namespace) -> Effort:
    """Return how long to search.

    Raises
    ------
    SplitError
        For a limit that is none.
    """
    from scrubin.stages.splits.best_split import Effort

    if not 0 <= args.work_limit <= MOST_WORK:
        msg = f"--work-limit must lie in [0, {MOST_WORK:g}], but is {args.work_limit:g}"
        raise SplitError(msg)
    return Effort(GAP, args.work_limit)


def progress(objective: float, bound: float, work: float) -> None:
    """Show how the search gets on, on the terminal only."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\rsearching: objective {objective:.5f}, bound {bound:.5f}, work {work:.1f} ")
        sys.stderr.flush()


def finish(args: argparse.Namespace, scheme: str, split_of: dict[str, tuple[Split, Cohort]]) -> int:
    """Write the split, print what is to be known, and return the exit code."""
    try:
        files.write_text(args.out, _csv({name: one for name, (one, _) in split_of.items()}))
    except OSError as error:
        msg = f"--out {str(args.out)[:200]!r} cannot be written: {error.strerror}; name another file"
        raise SplitError(msg) from error
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    values = {name: _value(one, cohort) for name, (one, cohort) in split_of.items()}
    if args.json:
        whole: Any = next(iter(values.values())) if len(values) == 1 else {"splits": values}
        print_json({"scheme": scheme, "seed": args.seed, **whole}, ascii_only=True)
        return 0
    for name, (one, cohort) in split_of.items():
        folds = one.rows.fold.nunique()
        what = f"{len(cohort.people)} recordings of {len(cohort.participants)} participants, {folds} {'fold' if folds == 1 else 'folds'}"
        sys.stdout.write("\n".join([f"{name}: {what}", *lines(values[name], one)]) + "\n")
    sys.stdout.write(f"written: {args.out}\n")
    return 0


def _value(split: Split, cohort: Cohort) -> dict[str, Any]:
    from scrubin.stages.splits.assessment import balance

    value = balance(split, cohort)
    named = [one.sentence(named=True) for one in split.obstacles]  # whoever has the table knows the participants
    return {"recordings": len(cohort.people), "participants": len(cohort.participants), **value, "obstacles": named}


def _csv(split_of: dict[str, Split]) -> str:
    # Split by task, folds of the same number have nothing to do with each other: each task is a scheme of its own.
    from scrubin.stages.splits.study import csv_text

    by_task = any("." in name for name in split_of)
    several = any(one.rows.fold.nunique() > 1 for one in split_of.values())
    header = [*(["scheme"] if by_task else []), *(["fold"] if several else []), "id", "subset"]
    rows = [one.rows.assign(scheme=name)[header] for name, one in split_of.items()]
    return csv_text(header, sorted(row for part in rows for row in part.itertuples(index=False, name=None)), ",")


SHOWN = 60
"""So many measures are printed; --json has all."""


def lines(value: dict[str, Any], split: Split) -> Iterator[str]:
    """Yield the lines: per measure what each subset has of what it should have, then the proof."""
    table = value["imbalance"]["measures"]
    folds = sorted({row["fold"] for row in table})
    yield from _subset_lines(table, split) if len(folds) == 1 else _fold_lines(table, len(folds))
    mean, worst = value["imbalance"]["mean"], value["imbalance"]["worst"]
    over = "" if len(folds) == 1 else f" over {len(folds)} folds"
    yield f"imbalance{over}: mean {mean:.2%}, worst {worst:.2%}"
    for proof in value["proofs"]:
        bound = f"no split has less than {proof['bound']:.6f}"
        yield f"objective {proof['objective']:.6f}, {bound}: proven gap {proof['gap']:.4%} ({proof['status']})"
    yield from (f"cannot be balanced: {one.sentence(named=True)}" for one in split.obstacles)
    yield from (f"note: {note}" for note in value["notes"])


def _subset_lines(table: list[dict[str, Any]], split: Split) -> Iterator[str]:
    fine = [cell["imbalance"] for row in table if row["fine"] for cell in row["subsets"].values()]
    table = [row for row in table if not row["fine"]]
    head = "".join(f"{subset:>26}" for subset in split.subsets)
    yield f"{'':32}{head}"
    for row in table[:SHOWN]:
        cells = "".join(f"{cell['value']:>9.4g} of {cell['wanted']:>6.1f} {cell['imbalance']:>6.1%}" for cell in row["subsets"].values())
        yield f"{_name(row):32}{cells}"
    yield from _more(table)
    if fine:
        yield f"finer parts of distributions, see --json: mean {math.fsum(fine) / len(fine):.1%}, worst {max(fine):.1%}"


def _fold_lines(table: list[dict[str, Any]], folds: int) -> Iterator[str]:
    of: dict[str, list[float]] = {}
    for row in (row for row in table if not row["fine"]):
        of.setdefault(_name(row), []).append(row["subsets"]["test"]["imbalance"])
    yield f"{'imbalance of the tested fold':40}{'mean':>9}{'worst':>9}"
    for name, values in list(of.items())[:SHOWN]:
        yield f"{name:40}{math.fsum(values) / folds:>9.1%}{max(values):>9.1%}"
    yield from _more(list(of))


def _more(rows: list[Any]) -> Iterator[str]:
    if len(rows) > SHOWN:
        yield f"... and {len(rows) - SHOWN} more, see --json"


def _name(row: dict[str, Any]) -> str:
    return " ".join(filter(None, (row["task"], row["measure"])))
