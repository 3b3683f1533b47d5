"""Split files whose videos are of public datasets: which, and which operations are on two sides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, product

from scrubin.public_splits.catalogue import Official, available, load
from scrubin.public_splits.compare import compare
from scrubin.public_splits.datasets import dataset, names
from scrubin.public_splits.overlaps.leak import leak, public_operations
from scrubin.public_splits.overlaps.relations import Video, known
from scrubin.public_splits.sheet import LineFault, SplitRow, SplitSheet

_STATED = re.compile(r"(?P<dataset>[^/\\:]+)[/\\:]\s*(?P<video>.+)")
# How two datasets with the same ids spell them (Nwoye and Padoy 2022, section 2); a bare number tells nothing.
_SPELT = (
    (re.compile(r"VID[\s_\-]*[0-9]+"), "cholect50"),
    (re.compile(r"video[\s_\-]*[0-9]+"), "cholec80"),
    (re.compile(r"(?i:esad|psi|pwh)v"), "prostatd"),
)


def common_dataset(sheet: SplitSheet) -> str | None:
    """Return a dataset that has every video of the file; None when there is none."""
    stated = {recognised(row, sheet) for row in sheet.rows}
    if "dataset" in sheet.columns or len({video.dataset for video in stated if video}) > 1:
        return None
    written = {row.video for row in sheet.rows if row.video}
    return next((name for name in names() if written and all(dataset(name).video(text) for text in written)), None)


def recognised(row: SplitRow, sheet: SplitSheet) -> Video | None:
    """Return the public video that a row means, by its column ``dataset`` or its spelling; None when it cannot be told."""
    written, name = row.video, None
    stated = _STATED.fullmatch(written)
    if "dataset" in sheet.columns:
        name = row.cells[sheet.columns["dataset"]].strip().casefold()
    elif stated and stated["dataset"].strip().casefold() in names():
        name, written = stated["dataset"].strip().casefold(), stated["video"]
    else:
        name = next((dataset_name for pattern, dataset_name in _SPELT if pattern.match(written)), None)
    video = dataset(name).video(written) if name in names() else None
    return Video(name, video) if name is not None and video is not None else None


def shared(sheet: SplitSheet) -> Iterator[LineFault]:
    """Yield line and fault for every operation that two subsets of a fold show in several datasets."""
    videos = {row.line: recognised(row, sheet) for row in sheet.rows}
    if len({video.dataset for video in videos.values() if video}) < 2:
        return
    operations = public_operations()
    by_part: dict[tuple[str, str], dict[str, dict[Video, int]]] = {}
    for row in sheet.rows:
        video = videos[row.line]
        if video is not None:
            by_part.setdefault((row.scheme, row.fold), {}).setdefault(row.subset, {}).setdefault(video, row.line)
    for (_, fold), subsets in by_part.items():
        where = f" in fold {fold}" if fold else ""
        for one, other in combinations(sorted(subsets), 2):
            overlap = leak(tuple(subsets[one]), tuple(subsets[other]), operations, known())
            for same in overlap.shared:
                for first, second in product(same.train, same.test):
                    # The same video of the same dataset twice is a fault of the file itself, noted elsewhere.
                    if first != second:
                        before = f"{first} (line {subsets[one][first]}) in '{one}'"
                        what = f"{second} is in '{other}'{where}, but {before} is the same operation"
                        line = subsets[other][second]
                        yield line, sheet.fault("operation-twice", what, "keep both in one subset", line)
            for block in overlap.sets:
                if block.at_least:
                    these = f"at least {block.at_least} of the operations of {_list(block.test)} in '{other}'{where}"
                    line = min(subsets[other][video] for video in block.test)
                    what = f"{these} are also in '{one}', as {_list(block.train)}"
                    yield line, sheet.fault("operations-twice", what, "keep them in one subset", line)


def equals(sheet: SplitSheet) -> list[str]:
    """Return the names of the official splits (``name@fold`` for one fold) that the file is."""
    if len(sheet.schemes) > 1 or common_dataset(sheet) is None:
        return []
    return [equal for name in available() for equal in _equal(load(name), sheet)]


def _equal(split: Official, sheet: SplitSheet) -> list[str]:
    if compare(split, sheet).equal:
        return [split.name]
    if len(split.folds) > 1 and len(sheet.folds) == 1:
        return [f"{split.name}@{fold}" for fold in split.folds if compare(split, sheet, fold).equal]
    return []


def _list(videos: tuple[Video, ...]) -> str:
    return ", ".join(map(str, videos))
