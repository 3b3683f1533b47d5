"""`scrubin splits diff NAME FILE.csv`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrubin.public_splits.catalogue import NO_FOLD, Official, named
from scrubin.public_splits.compare import Diff, FoldDiff, compare
from scrubin.public_splits.sheet import SplitSheet, read


def add_arguments(parser: argparse.ArgumentParser) -> None:
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


def run(args: argparse.Namespace) -> int:
    """Print the differences; 0 only when there are none."""
    split, fold = named(args.name)
    sheet = read(Path(args.file), args.file)
    diff = compare(split, sheet, fold)
    if args.json:
        sys.stdout.write(json.dumps(document(split, sheet, diff), indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in lines(args.name, split, sheet, diff)))
    return 0 if diff.equal else 1


def lines(name: str, split: Official, sheet: SplitSheet, diff: Diff) -> Iterator[str]:
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


def document(split: Official, sheet: SplitSheet, diff: Diff) -> dict[str, Any]:
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
