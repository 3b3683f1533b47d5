"""`scrubin splits leaks --train NAME:SUBSET --test NAME:SUBSET`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from scrubin.cli.answers import print_json, print_lines
from scrubin.public_splits.catalogue import available
from scrubin.public_splits.datasets import ALL, UNLISTED, dataset, names, ranges
from scrubin.public_splits.leak import Fix, Leak
from scrubin.public_splits.relations import SOME, Video, corpora
from scrubin.public_splits.selection import Selection, leak_of, select, videos_of

MANY = 20
"""More names than these are not listed when they are all that a dataset has."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the two sides and the form of the answer."""
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


def run(args: argparse.Namespace) -> int:
    """Print the verdict and its evidence; 0 only when it is clean."""
    train, test = [select(text) for text in args.train], [select(text) for text in args.test]
    leakage = leak_of(train, test)
    if args.json:
        print_json(document(train, test, leakage))
    else:
        print_lines(lines(train, test, leakage))
    return 0 if leakage.verdict == "clean" else 1


def lines(train: Sequence[Selection], test: Sequence[Selection], leakage: Leak) -> Iterator[str]:
    """Yield the verdict in words."""
    for side, selections in (("train", train), ("test", test)):
        for selection in selections:
            partly = dict.fromkeys(video for one in selection.partial for video in one.videos)
            more = f", and some of {_listed(partly)}" if partly else ""
            yield f"{side}: {selection.text}, {_count(selection.videos)}{more}" + (f" ({selection.note})" if selection.note else "")
    yield f"verdict: {leakage.verdict}"
    if leakage.shared:
        yield f"shared operations: {len(leakage.shared)}"
    for shared in leakage.shared:
        yield f"  {_listed(shared.train)} (train) = {_listed(shared.test)} (test)"
    for block in leakage.sets:
        how_many = f"at least {block.at_least}" if block.at_least else "perhaps some"
        sides = f"{_listed(block.train)} (train) and {_listed(block.test)} (test)"
        yield f"shared in sets whose pairing is not published: {how_many} of {sides}"
    for unverified in leakage.unverified:
        yield f"unverified: {_listed(unverified.train)} (train) and {_listed(unverified.test)} (test): {unverified.why}"
    if leakage.fix:
        yield from _fix(leakage.fix, videos_of(train), videos_of(test))


def _fix(fix: Fix, train: Sequence[Video], test: Sequence[Video]) -> Iterator[str]:
    parts = [
        f"{_count(videos)} of {side}: {_listed(videos)}"
        for side, videos in (("train", fix.smallest_train), ("test", fix.smallest_test))
        if videos
    ]
    yield f"smallest fix: leave out {'; and '.join(parts)}; then {fix.then}"
    yield f"from train alone: {_count(fix.from_train)}: {_listed(fix.from_train)}"
    yield f"from test alone: {_count(fix.from_test)}: {_listed(fix.from_test)}"
    for side, videos, dropped in (("train on", train, fix.smallest_train), ("test on", test, fix.smallest_test)):
        if not set(videos) - set(dropped):
            yield f"after the smallest fix nothing is left to {side}"


def document(train: Sequence[Selection], test: Sequence[Selection], leakage: Leak) -> dict[str, Any]:
    """Return the verdict as plain values; videos are lists by dataset."""
    fix = leakage.fix
    return {
        "verdict": leakage.verdict,
        "train": [_selection(one) for one in train],
        "test": [_selection(one) for one in test],
        "shared": [{"train": by_dataset(one.train), "test": by_dataset(one.test)} for one in leakage.shared],
        "shared_sets": [
            {"train": by_dataset(one.train), "test": by_dataset(one.test), "at_least": one.at_least, "source": one.source}
            for one in leakage.sets
        ],
        "unverified": [{"train": by_dataset(one.train), "test": by_dataset(one.test), "why": one.why} for one in leakage.unverified],
        "fix": None
        if fix is None
        else {
            "smallest": {
                "count": len(fix.smallest_train) + len(fix.smallest_test),
                "train": by_dataset(fix.smallest_train),
                "test": by_dataset(fix.smallest_test),
            },
            "from_train": {"count": len(fix.from_train), "videos": by_dataset(fix.from_train)},
            "from_test": {"count": len(fix.from_test), "videos": by_dataset(fix.from_test)},
            "then": fix.then,
        },
    }


def _selection(one: Selection) -> dict[str, Any]:
    document: dict[str, Any] = {"asked": one.text, "videos": by_dataset(one.videos), "note": one.note or None}
    if one.partial:
        partly = [
            {"videos": by_dataset(of.videos), "missing": None if of.missing == SOME else of.missing, "source": of.source}
            for of in one.partial
        ]
        document["partly"] = partly
    return document


def by_dataset(videos: Iterable[Video]) -> dict[str, list[str]]:
    """Return the ids by dataset, in the order of the dataset; an id that ends with "..." stands for videos whose ids are not known."""
    ids_of: dict[str, list[str]] = {}
    for video in sorted(videos):
        ids_of.setdefault(video.dataset, []).append(video.id)
    return {name: sorted(ids, key=_places(name).__getitem__) for name, ids in ids_of.items()}


def _places(name: str) -> dict[str, int]:
    home = dataset(name)
    unlisted = [f"{part} {UNLISTED}" for part in home.unlisted]
    return {video: i for i, video in enumerate([*home.videos, *unlisted])}


def _listed(videos: Iterable[Video]) -> str:
    parts = []
    for name, ids in by_dataset(videos).items():
        plain = [video for video in ids if not video.endswith(UNLISTED)]
        hidden = [video.removesuffix(f" {UNLISTED}") for video in ids if video.endswith(UNLISTED)]
        unlisted = ["videos without a known list" if part == ALL else f"videos of '{part}' without a known list" for part in hidden]
        home = dataset(name)
        numbers = f"all {len(plain)}" if not home.numbered and len(plain) == len(home.videos) > MANY else ranges(plain, home.videos)
        parts.append(f"{name} {' and '.join([*([numbers] if plain else []), *unlisted])}")
    return ", ".join(parts)


def _count(videos: Iterable[Video]) -> str:
    every = set(videos)
    plain = [video for video in every if not video.unlisted]
    counted = f"{len(plain)} video{'' if len(plain) == 1 else 's'}"
    if len(plain) == len(every):
        return counted
    return f"{counted} and an unknown list" if plain else "an unknown list of videos"
