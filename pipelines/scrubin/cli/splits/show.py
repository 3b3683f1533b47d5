"""`scrubin splits show [NAME]`."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from typing import Any

from scrubin.public_splits.catalogue import NO_FOLD, Official, available, load, named
from scrubin.public_splits.datasets import dataset
from scrubin.public_splits.ids import shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the name and the form of the answer."""
    parser.description = (
        "Print an official split: its source, its notes, and the videos of every subset and fold. "
        "Folds are numbered from 1, as in the papers."
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="such as cholect50/rdv, or a fold, cholect45/cv@1 (default: list all)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines; every video is named")


def run(args: argparse.Namespace) -> int:
    """Print one split, or the list of all."""
    splits = [_shown(args.name)] if args.name else [load(name) for name in available()]
    if args.json:
        documents: Any = [document(split) for split in splits]
        sys.stdout.write(json.dumps(documents[0] if args.name else documents, indent=2, ensure_ascii=False) + "\n")
    elif args.name:
        sys.stdout.write("".join(f"{line}\n" for line in lines(splits[0])))
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


def lines(split: Official) -> list[str]:
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


def document(split: Official) -> dict[str, Any]:
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
