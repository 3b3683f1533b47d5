"""`scrubin splits`: official splits, split files beside them, splits of one's own, leaks between public datasets."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin import cli
from scrubin.base.errors import ArgumentsError
from scrubin.cli.answers import print_json, print_lines
from scrubin.cli.arguments import asked, written
from scrubin.stages.splits.split_params import KINDS

if TYPE_CHECKING:
    from scrubin.curate.by_hand.own_split import OwnSplits, Roles, SplitRequest
    from scrubin.public_splits.catalogue import Official


SUBCOMMANDS = {
    "show": "list the official splits, or the videos of one",
    "diff": "tell which videos of a split file sit elsewhere than in an official split",
    "check": "tell whether a split file is sound",
    "make": "divide the recordings of a table, balanced or in folds, participants whole",
    "extend": "add new recordings to a released split without moving anybody",
    "leaks": "tell which operations training and test share, over all public datasets",
}
"""Every subcommand and what it does."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands."""
    cli.add_subcommands(parser, SUBCOMMANDS, __name__)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; without one, print the help."""
    return cli.run_subcommand(args, __name__)


def add_show_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the name and the form of the answer."""
    parser.description = (
        "Print an official split: its source, its notes, and the videos of every subset and fold. "
        "Folds are numbered from 1, as in the papers."
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="such as cholect50/rdv, or a fold, cholect45/cv@1 (default: list all)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines; every video is named")


def run_show(args: argparse.Namespace) -> int:
    """Print one split, or the list of all."""
    from scrubin.public_splits import reports
    from scrubin.public_splits.catalogue import available, load

    splits = [_shown(args.name)] if args.name else [load(name) for name in available()]
    if args.json:
        documents = [reports.show_document(split) for split in splits]
        print_json(documents[0] if args.name else documents)
    else:
        print_lines(reports.show_lines(splits[0]) if args.name else reports.list_lines(splits))
    return 0


def _shown(text: str) -> Official:
    """Return a split, or one fold of it as it is numbered there."""
    from scrubin.public_splits.catalogue import named

    with asked():
        split, fold = named(text)
    return split if fold is None else replace(split, placed={fold: split.placed[fold]})


def add_diff_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the split, the file and the form of the answer."""
    parser.description = (
        "Tell which videos of a file sit elsewhere than in an official split, which are missing and which are unknown. The file is a CSV "
        "(comma, semicolon or tab) with a column 'id' or 'video', a column 'subset' or 'split' (train, val, test and their usual other "
        "names), and for a cross-validation a column 'fold'; further columns are ignored. Videos may be written 68, VID68, video68, "
        "68.json. Folds are matched by content, whatever their numbers. The exit code is 0 only when the file is the split."
    )
    parser.add_argument(
        "name", metavar="NAME", help="an official split such as cholect50/rdv; cholect50/cv@2 compares with its fold 2 alone"
    )
    parser.add_argument("file", metavar="FILE.csv", help="the split file; it is only read")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")


def run_diff(args: argparse.Namespace) -> int:
    """Print the differences; 0 only when there are none."""
    from scrubin.public_splits.catalogue import named
    from scrubin.public_splits.compare import compare
    from scrubin.public_splits.reports import diff_document, diff_lines
    from scrubin.public_splits.sheet import read

    with asked():
        split, fold = named(args.name)
    sheet = read(Path(args.file), args.file)
    diff = compare(split, sheet, fold)
    if args.json:
        print_json(diff_document(split, sheet, diff))
    else:
        print_lines(diff_lines(args.name, split, sheet, diff))
    return 0 if diff.equal else 1


def add_check_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file, the table beside it and the form of the answer."""
    parser.description = (
        "Tell whether a split file is sound: every video once per fold and scheme, no empty subset, the same videos in every fold, each "
        "held out equally often, no group in two subsets, nobody forgotten, pinned videos only in train, and no operation of public "
        "datasets on two sides. The file is a CSV (comma, semicolon or tab) with a column 'id' or 'video', a column 'subset' or 'split', "
        "and where there are several 'fold' and 'scheme'. The exit code is 0 only when it is sound."
    )
    parser.add_argument("file", metavar="FILE.csv", help="the split file; it is only read")
    parser.add_argument("--table", metavar="TABLE.csv", help="one row per video: who is in it; without it, the columns of FILE.csv tell")
    parser.add_argument(
        "--group", metavar="COLUMN", help="whom to keep in one subset (default: participant, patient, subject or group, where there is one)"
    )
    parser.add_argument("--pin-train", metavar="COLUMN", help="true or false: videos that must be in train (default: none)")
    parser.add_argument(
        "--repeats",
        type=_times,
        metavar="N",
        help="how many folds must hold each video out, as in a repeated cross-validation (default: as many as hold out most videos)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")


def run_check(args: argparse.Namespace) -> int:
    """Print every fault; 0 only when there are none."""
    from scrubin.public_splits.compare import shared
    from scrubin.public_splits.reports import check_document, check_lines
    from scrubin.public_splits.sheet import read
    from scrubin.public_splits.soundness import faults_of, question_of

    sheet = read(Path(args.file), args.file)
    question = question_of(sheet, args.table, args.group, args.pin_train, args.repeats)
    faults = faults_of(question, shared(sheet))
    if args.json:
        print_json(check_document(question, faults))
    else:
        print_lines(check_lines(question, faults))
    return 1 if faults else 0


def _times(text: str) -> int:
    """Return a number of times."""
    if not text.isascii() or not text.isdigit() or not 1 <= len(text) <= 6 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of times such as 2")
    return int(text)


SCHEMES = ("balanced", "difficulty_folds", "k_fold", "leave_n_participants_out")
SCHEMES_OF = {
    "subsets": SCHEMES[:1],
    "folds": SCHEMES[1:3],
    "repeats": SCHEMES[1:],
    "validation": SCHEMES[1:3],
    "leave_out": SCHEMES[3:],
    "difficulty": SCHEMES[1:2],
}
"""Options that mean something with these schemes alone."""
DIFFICULTY = "duration"


def add_make_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "table",
        type=Path,
        metavar="TABLE.csv",
        help="one row per recording; the first column, or one named id, recording or video, names it",
    )
    parser.add_argument("--scheme", choices=SCHEMES, default="balanced", help="default balanced")
    _add_columns(parser)
    parser.add_argument("--folds", type=int, help="of difficulty_folds and k_fold; default 5")
    parser.add_argument("--repeats", type=int, help="of schemes with folds: so many times, numbered on; default 1")
    parser.add_argument("--validation", action="store_true", help="of difficulty_folds and k_fold: each fold validates on the next")
    parser.add_argument("--leave-out", type=int, metavar="N", help="of leave_n_participants_out; default 1")
    parser.add_argument(
        "--difficulty", metavar="COLUMN", help=f"of difficulty_folds: numbers, or times such as 0:01:05; default {DIFFICULTY}"
    )
    parser.add_argument(
        "--per-task", action="store_true", help="split every task by itself (column task), as LASANA does; default: jointly"
    )
    _add_search(parser)


def run_make(args: argparse.Namespace) -> int:
    """Make the split; the exit code is 0 when it is written."""
    from scrubin.curate.by_hand.own_split import made, refuse_target

    _refuse_foreign(args)
    refuse_target(Path(args.out), [args.table], args.seed)
    return _finish(args, made(args.table, _roles(args), _request(args), _progress))


def _refuse_foreign(args: argparse.Namespace) -> None:
    """Refuse an option that the scheme would ignore; the default of one says nothing."""
    from scrubin.curate.by_hand.own_split import SplitRequest

    for name, schemes in SCHEMES_OF.items():
        default = {"subsets": SUBSETS, "difficulty": DIFFICULTY}.get(name, getattr(SplitRequest, name, None))
        if getattr(args, name) not in (None, default) and args.scheme not in schemes:
            from scrubin.stages.release.metadata.sentences import listed

            msg = f"--{name.replace('_', '-')} is of {listed(schemes)}, but the scheme is {args.scheme}; name it by --scheme"
            raise ArgumentsError(msg)


def add_extend_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("released", type=Path, metavar="RELEASED.csv", help="the released split: id and subset (or split)")
    parser.add_argument("table", type=Path, metavar="TABLE.csv", help="one row per recording, old and new, as for make")
    _add_columns(parser)
    _add_search(parser)


def run_extend(args: argparse.Namespace) -> int:
    """Extend the split; the exit code is 0 when it is written."""
    from scrubin.curate.by_hand.own_split import extended, refuse_target

    refuse_target(Path(args.out), [args.released, args.table], args.seed)
    return _finish(args, extended(args.released, args.table, _roles(args), _request(args), _progress))


def _roles(args: argparse.Namespace) -> Roles:
    from scrubin.curate.by_hand.own_split import Roles

    columns = None if args.balance is None else tuple(name.strip() for name in args.balance.split(",") if name.strip())
    difficulty = (args.difficulty or DIFFICULTY) if hasattr(args, "difficulty") else None  # nothing of a split that is extended
    return Roles(args.group, columns, args.pin_train, difficulty)


def _request(args: argparse.Namespace) -> SplitRequest:
    from scrubin.curate.by_hand.own_split import SplitRequest

    only_make = ("per_task", "validation", "folds", "repeats", "leave_out")
    chosen = {name: getattr(args, name) for name in only_make if getattr(args, name, None) is not None}
    return SplitRequest(getattr(args, "scheme", "balanced"), args.subsets or SUBSETS, args.seed, args.work_limit, **chosen)


def _progress(objective: float, bound: float, work: float) -> None:
    """Show how the search gets on, on the terminal only."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\rsearching: objective {objective:.5f}, bound {bound:.5f}, work {work:.1f} ")
        sys.stderr.flush()


def _finish(args: argparse.Namespace, splits: OwnSplits) -> int:
    splits.write(Path(args.out))
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    if args.json:
        print_json(splits.document(args.seed), ascii_only=True)
    else:
        print_lines([*splits.lines(), f"written: {args.out}"])
    return 0


def _add_columns(parser: argparse.ArgumentParser) -> None:
    """Declare the options that name columns."""
    parser.add_argument("--group", required=True, metavar="COLUMN", help="the participant, patient or procedure that stays whole")
    parser.add_argument(
        "--balance",
        metavar="COLUMNS",
        help="what is balanced beside the number of recordings, separated by commas; a kind may follow after a colon "
        f"({', '.join(KINDS)}), as in sutures:count; otherwise the values tell it. "
        "Default: GRS and every True/False column",
    )
    parser.add_argument("--pin-train", metavar="COLUMN", help="True/False: recordings that may only be in the first subset")


SUBSETS = "train=0.75,val=0.10,test=0.15"
WORK_LIMIT = 20.0
"""Work of the search, as in params.yaml."""


def _add_search(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the search."""
    parser.add_argument("--out", required=True, type=written, metavar="SPLIT.csv", help="where the split is written")
    parser.add_argument("--subsets", metavar="NAME=SHARE,...", help=f"the first is for training; default {SUBSETS}")
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


def add_leaks_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the two sides and the form of the answer."""
    from scrubin.public_splits.catalogue import available
    from scrubin.public_splits.datasets import names
    from scrubin.public_splits.relations import corpora

    parser.description = (
        "Tell which operations training and test share, over all public datasets. overlap: some are shared; clean: every training video is "
        "known to be of another operation than every test video; unverified: everything else. The smallest fix is the fewest videos to "
        "leave out. It is about operations, not about patients. The exit code is 0 only when the verdict is clean."
    )
    parser.epilog = (
        f"official splits: {', '.join(available())}. datasets: {', '.join(names())}. corpora and weights: {', '.join(corpora())}."
    )
    what = "NAME, NAME:SUBSET, NAME@FOLD:SUBSET or NAME:1-40,68, such as"
    parser.add_argument("--train", action="append", required=True, metavar="NAME:SUBSET", help=f"{what} cholec80/40-40:train; repeatable")
    parser.add_argument("--test", action="append", required=True, metavar="NAME:SUBSET", help=f"{what} cholect50/cv@1:test; repeatable")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines; every video is named")


def run_leaks(args: argparse.Namespace) -> int:
    """Print the verdict and its evidence; 0 only when it is clean."""
    from scrubin.public_splits.reports import leak_document, leak_lines
    from scrubin.public_splits.selection import leak_of, select

    with asked():
        train, test = [select(text) for text in args.train], [select(text) for text in args.test]
    leakage = leak_of(train, test)
    if args.json:
        print_json(leak_document(train, test, leakage))
    else:
        print_lines(leak_lines(train, test, leakage))
    return 0 if leakage.verdict == "clean" else 1
