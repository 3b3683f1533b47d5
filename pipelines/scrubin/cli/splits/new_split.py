"""What `make` and `extend` share: options of the search, and the file and text that come of it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scrubin.cli.splits.balance_text import lines
from scrubin.core import files
from scrubin.core.errors import ParamsError, SplitError
from scrubin.splits.balance import balance
from scrubin.splits.cohort import Cohort
from scrubin.splits.listings import csv_text
from scrubin.splits.params import MOST_WORK, check_shares
from scrubin.splits.search.best_split import Effort
from scrubin.splits.split import Split

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
        sys.stdout.write(json.dumps({"scheme": scheme, "seed": args.seed, **whole}, indent=2) + "\n")
        return 0
    for name, (one, cohort) in split_of.items():
        folds = one.rows.fold.nunique()
        what = f"{len(cohort.people)} recordings of {len(cohort.participants)} participants, {folds} {'fold' if folds == 1 else 'folds'}"
        sys.stdout.write("\n".join([f"{name}: {what}", *lines(values[name], one)]) + "\n")
    sys.stdout.write(f"written: {args.out}\n")
    return 0


def _value(split: Split, cohort: Cohort) -> dict[str, Any]:
    value = balance(split, cohort)
    named = [one.sentence(named=True) for one in split.obstacles]  # whoever has the table knows the participants
    return {"recordings": len(cohort.people), "participants": len(cohort.participants), **value, "obstacles": named}


def _csv(split_of: dict[str, Split]) -> str:
    # Split by task, folds of the same number have nothing to do with each other: each task is a scheme of its own.
    by_task = any("." in name for name in split_of)
    several = any(one.rows.fold.nunique() > 1 for one in split_of.values())
    header = [*(["scheme"] if by_task else []), *(["fold"] if several else []), "id", "subset"]
    rows = [one.rows.assign(scheme=name)[header] for name, one in split_of.items()]
    return csv_text(header, sorted(row for part in rows for row in part.itertuples(index=False, name=None)), ",")
