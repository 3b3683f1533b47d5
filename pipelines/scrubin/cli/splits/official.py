"""`scrubin splits show`, `diff`, `check`: a split file, beside the official ones."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubin.base.errors import SplitError
from scrubin.cli.answers import print_json, print_lines
from scrubin.public_splits.catalogue import NO_FOLD, Official, available, load, named
from scrubin.public_splits.datasets import dataset, shown
from scrubin.public_splits.sheet import LineFault, People, SplitRow, SplitSheet, from_sheet, from_table, read, read_columns
from scrubin.public_splits.soundness import Question, faults_of, sizes

if TYPE_CHECKING:
    from scrubin.public_splits.compare import Diff, FoldDiff


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
    splits = [_shown(args.name)] if args.name else [load(name) for name in available()]
    if args.json:
        documents: Any = [show_document(split) for split in splits]
        print_json(documents[0] if args.name else documents)
    elif args.name:
        print_lines(show_lines(splits[0]))
    else:
        width = max(len(name) for name in available())
        sys.stdout.write("".join(f"{split.name:<{width}}  {summary(split)}\n" for split in splits))
    return 0


def _shown(text: str) -> Official:
    """Return a split, or one fold of it as it is numbered there."""
    split, fold = named(text)
    return split if fold is None else replace(split, placed={fold: split.placed[fold]})


def summary(split: Official) -> str:
    """Return the sizes of a split as one line."""
    folds = f"{len(split.folds)} fold{'s' if len(split.folds) > 1 else ''}, " if split.folds != (NO_FOLD,) else ""
    sizes = [sorted({len(subsets[name]) for subsets in split.placed.values()}) for name in split.placed[split.folds[0]]]
    names = list(split.placed[split.folds[0]])
    counts = ", ".join(f"{name} {' or '.join(map(str, size))}" for name, size in zip(names, sizes, strict=True))
    return f"{len(split.videos)} videos of {split.dataset}: {folds}{counts}"


def show_lines(split: Official) -> list[str]:
    """Return a split in words."""
    order = dataset(split.dataset).videos
    text = [split.name, summary(split), f"source: {split.source}"]
    text += [f"note: {note}" for note in split.notes]
    text += [f"interpretation: {split.interpretation}"] if split.interpretation else []
    text += [f"sha256: {split.sha256}"]
    for fold, subsets in split.placed.items():
        text += [f"fold {fold}"] if fold != NO_FOLD else []
        text += [f"{name} ({len(videos)}): {shown(videos, order)}" for name, videos in subsets.items()]
    return text


def show_document(split: Official) -> dict[str, Any]:
    """Return a split as plain values; the one fold of a split without folds is 0."""
    return {
        "name": split.name,
        "dataset": split.dataset,
        "source": split.source,
        "notes": list(split.notes),
        "interpretation": split.interpretation or None,
        "sha256": split.sha256,
        "folds": [
            {
                "fold": fold,
                "counts": {name: len(videos) for name, videos in subsets.items()},
                "subsets": {name: list(videos) for name, videos in subsets.items()},
            }
            for fold, subsets in split.placed.items()
        ],
    }


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
    from scrubin.public_splits.compare import compare

    split, fold = named(args.name)
    sheet = read(Path(args.file), args.file)
    diff = compare(split, sheet, fold)
    if args.json:
        print_json(diff_document(split, sheet, diff))
    else:
        print_lines(diff_lines(args.name, split, sheet, diff))
    return 0 if diff.equal else 1


def diff_lines(name: str, split: Official, sheet: SplitSheet, diff: Diff) -> Iterator[str]:
    """Yield the comparison for reading."""
    yield from (f"{sheet.name}: {note}" for note in sheet.notes)
    if split.interpretation:
        yield f"{split.name}: {split.interpretation}"
    for fold in diff.folds:
        yield from _fold(sheet, split, fold)
    for number in diff.only_official:
        yield f"fold {number} of {split.name} has no partner in {sheet.name}"
    for label in diff.only_file:
        yield f"fold {label} of {sheet.name} has no partner in {split.name}"
    yield from (fault.sentence for _, fault in diff.wrong)
    if diff.nearest:
        yield _nearest(split, diff.nearest)
    yield f"{sheet.name} is {name}" if diff.equal else f"{sheet.name} is not {name}"


def _fold(sheet: SplitSheet, split: Official, diff: FoldDiff) -> Iterator[str]:
    theirs = f"fold {diff.file} of {sheet.name}" if diff.file else sheet.name
    ours = f"fold {diff.official} of {split.name}" if diff.official != NO_FOLD else split.name
    counts = f"{len(diff.elsewhere)} elsewhere, {len(diff.missing)} missing" if diff.count else "equal"
    yield f"{theirs} and {ours}: {counts}"
    for video in diff.elsewhere:
        yield f"  video {video.video}: {video.official}, but {video.file} in line {video.line}"
    for missing, subset in diff.missing:
        yield f"  video {missing}: {subset}, but missing"


def _nearest(split: Official, diff: FoldDiff) -> str:
    theirs = f"fold {diff.file} of the file" if diff.file else "the file"
    ours = f"fold {diff.official}" if diff.official != NO_FOLD else split.name
    differs = f"{diff.count} videos differ" if diff.count else "they are equal"
    hint = f"; to compare with this fold alone, name {split.name}@{diff.official}" if diff.official != NO_FOLD else ""
    return f"nearest: {theirs} and {ours}, {differs}{hint}"


def diff_document(split: Official, sheet: SplitSheet, diff: Diff) -> dict[str, Any]:
    """Return the comparison as plain values."""

    def fold_document(fold: FoldDiff) -> dict[str, Any]:
        return {
            "official_fold": fold.official,
            "file_fold": fold.file or None,
            "elsewhere": [{"video": one.video, "official": one.official, "file": one.file, "row": one.line} for one in fold.elsewhere],
            "missing": [{"video": video, "official": subset} for video, subset in fold.missing],
        }

    return {
        "official": split.name,
        "file": sheet.name,
        "equal": diff.equal,
        "folds": [fold_document(fold) for fold in diff.folds],
        "nearest": {"official_fold": diff.nearest.official, "file_fold": diff.nearest.file or None} if diff.nearest else None,
        "only_official": list(diff.only_official),
        "only_file": list(diff.only_file),
        "wrong": [{"row": line, **fault.as_json()} for line, fault in diff.wrong],
        "notes": [*sheet.notes, *([split.interpretation] if split.interpretation else [])],
    }


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
        type=times,
        metavar="N",
        help="how many folds must hold each video out, as in a repeated cross-validation (default: as many as hold out most videos)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")


def times(text: str) -> int:
    """Return a number of times."""
    if not text.isascii() or not text.isdigit() or not 1 <= len(text) <= 6 or int(text) < 1:
        msg = f"'{text}' is no number of times such as 2"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def run_check(args: argparse.Namespace) -> int:
    """Print every fault; 0 only when there are none."""
    from scrubin.public_splits.compare import shared

    sheet = read(Path(args.file), args.file)
    question = question_of(args, sheet)
    faults = faults_of(question, shared(sheet))
    if args.json:
        print_json(check_document(question, faults))
    else:
        print_lines(check_lines(question, faults))
    return 1 if faults else 0


def question_of(args: argparse.Namespace, sheet: SplitSheet) -> Question:
    """Return the file with what it is checked against.

    Raises
    ------
    SplitError
        When a table or column is missing.
    """
    spelling = _spelling(sheet)

    def key(row: SplitRow) -> str:
        return f"{row.cells[sheet.columns['dataset']].casefold()}/{row.video}" if "dataset" in sheet.columns else spelling(row.video)

    people: People | None
    if args.table is None:
        people = from_sheet(sheet, key, args.group, args.pin_train)
    elif "dataset" in sheet.columns:
        by = sheet.columns["dataset"]
        what = f"its videos are told apart by '{by}', which --table cannot say"
        raise SplitError([sheet.fault("table", what, "put the groups into this file")])
    else:
        people = from_table(read_columns(Path(args.table), args.table), sheet, spelling, args.group, args.pin_train)
    return Question(sheet, key, people, args.repeats)


def _spelling(sheet: SplitSheet) -> Callable[[str], str]:
    """Return how videos are told apart: by the ids of a public dataset that has them all, or as they are written."""
    from scrubin.public_splits.compare import common_dataset

    name = common_dataset(sheet)
    if name is None:
        return str.strip
    home = dataset(name)
    return lambda text: home.video(text) or text.strip()


def check_lines(question: Question, faults: list[LineFault]) -> Iterator[str]:
    """Yield the report for reading."""
    from scrubin.public_splits.compare import equals

    sheet, people = question.sheet, question.people
    yield from (f"{sheet.name}: {note}" for note in sheet.notes)
    for (scheme, fold), counts in sizes(question).items():
        place = " ".join([*([f"scheme {scheme}"] if scheme else []), *([f"fold {fold}"] if fold else [])]) or "videos"
        yield f"{place}: " + ", ".join(f"{name} {count}" for name, count in counts.items())
    if people is None or people.group is None:
        yield "groups: not checked, no column tells them (see --group)"
    else:
        yield f"groups: {people.group} of {people.table or sheet.name}, {len(set(people.groups.values()))} in all"
    for name in equals(sheet):
        yield f"equals the official split {name}"
    yield from (fault.sentence for _, fault in faults)
    yield f"{sheet.name} is " + (f"not sound: {len(faults)} fault{'s' if len(faults) > 1 else ''}" if faults else "sound")


def check_document(question: Question, faults: list[LineFault]) -> dict[str, Any]:
    """Return the report as plain values; row 0 is the file as a whole."""
    from scrubin.public_splits.compare import equals

    sheet, people = question.sheet, question.people
    return {
        "file": sheet.name,
        "sound": not faults,
        "findings": [{"row": line, **fault.as_json()} for line, fault in faults],
        "sizes": [
            {"scheme": scheme or None, "fold": fold or None, "counts": dict(counts)} for (scheme, fold), counts in sizes(question).items()
        ],
        "group": people.group if people else None,
        "equals": equals(sheet),
        "notes": list(sheet.notes),
    }
