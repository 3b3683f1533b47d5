"""What is said of splits: an official one, a file beside it, a leak between two sides; as lines for people or plain values for machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from scrubin.public_splits.catalogue import NO_FOLD, Official
from scrubin.public_splits.compare import Diff, FoldDiff, equals
from scrubin.public_splits.datasets import ALL, UNLISTED, dataset, ranges, shown
from scrubin.public_splits.leak import Fix, Leak
from scrubin.public_splits.relations import SOME, Video
from scrubin.public_splits.selection import Selection, videos_of
from scrubin.public_splits.sheet import LineFault, SplitSheet
from scrubin.public_splits.soundness import Question, sizes

MANY = 20
"""More names than these are not listed when they are all that a dataset has."""


def summary(split: Official) -> str:
    """Return the sizes of a split as one line."""
    folds = f"{len(split.folds)} fold{'s' if len(split.folds) > 1 else ''}, " if split.folds != (NO_FOLD,) else ""
    sizes = [sorted({len(subsets[name]) for subsets in split.placed.values()}) for name in split.placed[split.folds[0]]]
    names = list(split.placed[split.folds[0]])
    counts = ", ".join(f"{name} {' or '.join(map(str, size))}" for name, size in zip(names, sizes, strict=True))
    return f"{len(split.videos)} videos of {split.dataset}: {folds}{counts}"


def list_lines(splits: Sequence[Official]) -> list[str]:
    """Return one line per split, with its sizes."""
    width = max(len(split.name) for split in splits)
    return [f"{split.name:<{width}}  {summary(split)}" for split in splits]


def show_lines(split: Official) -> list[str]:
    """Return a split in words."""
    order = dataset(split.dataset).videos
    text = [split.name, summary(split), f"source: {split.source}"]
    text += [f"note: {note}" for note in split.notes]
    text += [f"interpretation: {split.interpretation}"] if split.interpretation else []
    text += [f"people: {split.people}"] if split.people else []
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
        **({"people": split.people} if split.people else {}),
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


def diff_lines(name: str, split: Official, sheet: SplitSheet, diff: Diff) -> Iterator[str]:
    """Yield the comparison for reading."""
    yield from (f"{sheet.name}: {note}" for note in sheet.notes)
    yield from (f"{split.name}: {caution}" for caution in split.cautions)
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
        "notes": [*sheet.notes, *split.cautions],
    }


def check_lines(question: Question, faults: list[LineFault]) -> Iterator[str]:
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


def check_document(question: Question, faults: list[LineFault]) -> dict[str, Any]:
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


def leak_lines(train: Sequence[Selection], test: Sequence[Selection], leakage: Leak) -> Iterator[str]:
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


def leak_document(train: Sequence[Selection], test: Sequence[Selection], leakage: Leak) -> dict[str, Any]:
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
