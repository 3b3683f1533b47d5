"""`scrubin splits check FILE.csv`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from scrubin.core.errors import SplitError
from scrubin.public_splits.datasets import dataset
from scrubin.public_splits.overlaps.mixed import common_dataset, equals, shared
from scrubin.public_splits.people import People, from_sheet, from_table
from scrubin.public_splits.sheet import LineFault, SplitRow, SplitSheet, read, read_columns
from scrubin.public_splits.soundness import Question, faults_of, sizes


def add_arguments(parser: argparse.ArgumentParser) -> None:
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


def run(args: argparse.Namespace) -> int:
    """Print every fault; 0 only when there are none."""
    sheet = read(Path(args.file), args.file)
    question = question_of(args, sheet)
    faults = faults_of(question, shared(sheet))
    if args.json:
        sys.stdout.write(json.dumps(document(question, faults), indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in lines(question, faults)))
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
    name = common_dataset(sheet)
    if name is None:
        return str.strip
    home = dataset(name)
    return lambda text: home.video(text) or text.strip()


def lines(question: Question, faults: list[LineFault]) -> Iterator[str]:
    """Yield the report for reading."""
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


def document(question: Question, faults: list[LineFault]) -> dict[str, Any]:
    """Return the report as plain values; row 0 is the file as a whole."""
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
