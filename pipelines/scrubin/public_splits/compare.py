"""A split file against public datasets: which videos sit elsewhere, which operations are on two sides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product

from scrubin.base.errors import SplitError
from scrubin.public_splits.catalogue import TRAINVAL, Official, available, load
from scrubin.public_splits.datasets import Dataset, dataset, folded, joined, name_meant, names, whole_number
from scrubin.public_splits.leak import leak, public_operations
from scrubin.public_splits.relations import Video, known
from scrubin.public_splits.sheet import SUBSETS, TEST, TRAIN, LineFault, SplitRow, SplitSheet, subset


@dataclass(frozen=True)
class MovedVideo:
    """A video that the file places in another subset than the official split."""

    video: str
    official: str
    file: str
    line: int


@dataclass(frozen=True)
class FoldDiff:
    """One fold of the file against one official fold.

    Parameters
    ----------
    official
        Number of the official fold; 0 where there are none.
    file
        Label of the file's fold; "" where there are none.
    elsewhere
        Videos in another subset.
    missing
        Videos (with their official subset) that the file does not place.
    """

    official: int
    file: str
    elsewhere: tuple[MovedVideo, ...]
    missing: tuple[tuple[str, str], ...]

    @property
    def count(self) -> int:
        """How many videos differ."""
        return len(self.elsewhere) + len(self.missing)


@dataclass(frozen=True)
class Diff:
    """A file against an official split.

    Parameters
    ----------
    equal
        Whether the file is that split, all folds of it and nothing else.
    folds
        The folds that belong together, by content; of a file without folds, every official fold.
    nearest
        Where one side has folds and the other has one: the fold with the fewest differences.
    only_official, only_file
        Folds that have no partner.
    wrong
        Rows that are not of this split, stand twice, or are incomplete.
    """

    equal: bool
    folds: tuple[FoldDiff, ...]
    nearest: FoldDiff | None
    only_official: tuple[int, ...]
    only_file: tuple[str, ...]
    wrong: tuple[LineFault, ...]


def compare(split: Official, sheet: SplitSheet, fold: int | None = None) -> Diff:
    """Return the differences.

    Folds are matched by their content, whatever their numbers: the matching with the fewest differences.

    Parameters
    ----------
    split
        The official split.
    sheet
        The file.
    fold
        Compare with this official fold only.

    Raises
    ------
    SplitError
        When the file holds several schemes, or there is no such fold.
    """
    if len(sheet.schemes) > 1:
        what = f"it holds several schemes ({', '.join(map(repr, sheet.schemes))})"
        raise SplitError([sheet.fault("schemes", what, "keep the rows of the one to compare")])
    wanted = split.folds if fold is None else (fold,)
    official = {number: split.subset_of(number) for number in wanted}
    placed, wrong = _placed(split, sheet)
    costs = {(label, number): _diff(number, official[number], label, rows) for label, rows in placed.items() for number in wanted}
    if len(wanted) > 1 and len(placed) > 1:
        pairs = _matching(list(placed), list(wanted), {key: diff.count for key, diff in costs.items()})
        folds = tuple(sorted((costs[pair] for pair in pairs), key=lambda diff: diff.official))
        nearest = None
    else:
        folds = tuple(costs.values())
        nearest = min(folds, key=lambda diff: diff.count) if len(folds) > 1 else None
    matched = {diff.official for diff in folds}, {diff.file for diff in folds}
    only_official = tuple(number for number in wanted if number not in matched[0])
    only_file = tuple(label for label in placed if label not in matched[1])
    equal = not (wrong or only_official or only_file or nearest or any(diff.count for diff in folds))
    return Diff(equal, folds, nearest, only_official, only_file, tuple(wrong))


def agree(official: str, file: str) -> bool:
    """Whether a subset as written in a file is the official one; ``trainval`` agrees with train and val."""
    return file == official or (file == TRAINVAL and official in ("train", "val"))


def _placed(split: Official, sheet: SplitSheet) -> tuple[dict[str, dict[str, SplitRow]], list[LineFault]]:
    """Return row by video for each fold of the file, and what is wrong with rows."""
    home, used = dataset(split.dataset), set(split.videos)
    placed: dict[str, dict[str, SplitRow]] = {label: {} for label in sheet.folds if label or "fold" not in sheet.columns}
    wrong: dict[LineFault, None] = {}

    def note(line: int, rule: str, what: str, fix: str) -> None:
        wrong[line, sheet.fault(rule, what, fix, line)] = None

    for row in sheet.rows:
        video = home.video(row.video)
        gap = row.gap(sheet.columns)
        if gap:
            note(row.line, "cell-empty", gap, "fill it in or remove the row")
        elif video is None or video not in used:
            note(row.line, "video-unknown", unknown(row.video, video, split, home), "correct it or remove the row")
        elif video in placed[row.fold]:
            first = placed[row.fold][video]
            where = f"'{row.video}' stands already in line {first.line}" + (f" as '{first.video}'" if first.video != row.video else "")
            note(row.line, "video-repeated", f"{where}, there {first.subset}, here {row.subset}", "place it once")
        else:
            placed[row.fold][video] = row
    return placed, list(wrong)


def unknown(written: str, video: str | None, split: Official, home: Dataset) -> str:
    """Return why a text names no video of a split."""
    if video is None:
        return f"'{written}' is no video of {home.name}"
    return f"'{written}' is a video of {home.name}, but not in {split.name}"


def _diff(number: int, official: Mapping[str, str], label: str, rows: Mapping[str, SplitRow]) -> FoldDiff:
    elsewhere = tuple(
        MovedVideo(video, subset, rows[video].subset, rows[video].line)
        for video, subset in official.items()
        if video in rows and not agree(subset, rows[video].subset)
    )
    return FoldDiff(number, label, elsewhere, tuple((video, subset) for video, subset in official.items() if video not in rows))


def _matching(labels: Sequence[str], numbers: Sequence[int], costs: Mapping[tuple[str, int], int]) -> list[tuple[str, int]]:
    """Return the pairs with the fewest differences: as many as possible, first in the order of the file.

    Exact, by dynamic programming over the sets of official folds (eight at most).
    """
    skips = max(0, len(labels) - len(numbers))
    best: dict[frozenset[int], tuple[int, tuple[tuple[str, int], ...]]] = {frozenset(): (0, ())}
    for i, label in enumerate(labels, start=1):
        following: dict[frozenset[int], tuple[int, tuple[tuple[str, int], ...]]] = {}
        for used, (cost, pairs) in best.items():
            options = [
                (used | {number}, cost + costs[label, number], (*pairs, (label, number))) for number in numbers if number not in used
            ]
            if i - len(used) <= skips:
                options.append((used, cost, pairs))
            for key, total, chosen in options:
                if key not in following or (total, _order(chosen)) < (following[key][0], _order(following[key][1])):
                    following[key] = (total, chosen)
        best = following
    return list(min(best.values(), key=lambda option: (-len(option[1]), option[0], _order(option[1])))[1])


def _order(pairs: Sequence[tuple[str, int]]) -> tuple[int, ...]:
    return tuple(number for _, number in pairs)


_STATED = re.compile(r"(?P<dataset>[^/\\:]+)[/\\:]\s*(?P<video>.+)")
# How two datasets with the same ids spell them (Nwoye and Padoy 2022, section 2); a bare number tells nothing.
_SPELT = (
    (re.compile(r"VID[\s_\-]*[0-9]+"), "cholect50"),
    (re.compile(r"video[\s_\-]*[0-9]+"), "cholec80"),
    (re.compile(r"(?i:esad|psi|pwh)v"), "prostatd"),
)
_KINDS = frozenset(
    kind + end
    for kind in (
        *("annotation", "clip", "disk", "drive", "file", "fold", "frame", "image", "label", "mask", "part", "picture", "video", "view"),
        *("avi", "backup", "batch", "copy", "cropped", "data", "depth", "extracted", "flow", "fps", "full", "jpg", "left", "mkv", "mov"),
        *("mp", "new", "old", "original", "png", "raw", "resized", "rgb", "right", "small", "v", "version"),
    )
    for end in ("", "s")
)
"""Words of folders that tell which files lie there, not whose."""
_NUMBERED = re.compile(
    r"(?<![^\W\d_])(?:v|versions?|mp|disks?|drives?|copy|copies|backups?|folds?|views?|fps|rgb|depths?|flows?|lefts?|rights?|jpgs?|pngs?"
    r"|raw|resized|cropped|full|small|original|extracted|old|new)[\W_]*[0-9]+(?:[\W_]+[0-9]+)*|(?<![0-9])[0-9]+[\W_]*fps",
    re.IGNORECASE,
)
"""Numbers of a version, disk, fold, view or encoding (``v2``, ``mp4``, ``25_fps``): any other (``video01``) tells whose files."""
_DRIVE = re.compile("[A-Za-z]:")
_FOLDERS = re.compile(r"[/\\]")
_WORDS = re.compile(r"[^\W\d_]+")
_OF_SUBSET = re.compile(rf"{TRAIN}(?!ee|e(?:d|rs?)[a-z]?$)|{TEST}(?!(?:[ei]s|ers?)[a-z]?$|ic[lu])")
"""How the first word of a folder of a subset begins, as in ``testSetA`` and ``traincases``; ``traineesA`` and ``testisB`` are none."""
_OF_SUBSET_AS_WRITTEN = re.compile("(?:[Tt]rain|[Tt]est)(?=[A-Z])")
"""As ``testERCP``: a capital letter begins another word."""


@dataclass(frozen=True)
class ToldApart:
    """By what videos, each with its dataset ("" where none is said), are told apart.

    Parameters
    ----------
    home
        A public dataset that has every video of which none is said; None when there is none.
    unsaid
        By what each of these is told, by how it is written.
    """

    home: str | None
    unsaid: Mapping[str, str]

    def key(self, of: str, video: str) -> str:
        """Return the id in a public dataset, or else how a video is written, behind the dataset that is said."""
        if not of:
            return self.unsaid[video]
        public = self.public(of, video)
        return f"{name_meant(of) or of.casefold()}/{public.id if public else _path(video)}"

    def public(self, of: str, video: str) -> Video | None:
        """Return the public video that is meant; None when it is none."""
        return _of_dataset(of or self.home, _path(video))


def told_apart(videos: Iterable[tuple[str, str]], listed: Iterable[str] = ()) -> ToldApart:
    """Return by what videos, each with its dataset, are told apart; also those that a table lists, which says none.

    Folders tell bare numbers apart, as those of several hospitals do. Where one may be the end of another, as no folder is of each, the
    videos are one.
    """
    unsaid = {video: _path(video) for of, video in videos if not of}
    home = _common(unsaid.values())
    unsaid |= {video: _path(video) for video in listed}
    public = {path: video for path in unsaid.values() if (video := _of_dataset(home, path))}
    folders: dict[Video, set[str]] = {}
    for path, video in public.items():
        folders.setdefault(video, set()).add(_folder_told(path))

    def key(path: str) -> str:
        video = public.get(path)
        if video is None:
            return path
        parts = _folder_told(path).split("/")
        ends = ("/".join(parts[start:]) for start in range(len(parts), -1, -1))
        return f"{next(end for end in ends if end in folders[video])}/{video.id}"

    return ToldApart(home, {video: key(path) for video, path in unsaid.items()})


def folder_of(video: str) -> str:
    """Return the folder in which a video is said to lie; "" where none is said."""
    return _path(video).rpartition("/")[0]


def _path(video: str) -> str:
    """Return how a video is written as a path, also one behind a public dataset and a colon; what changes nothing in a path is left out."""
    stated = _STATED.fullmatch(video)
    written = f"{stated['dataset']}/{stated['video']}" if stated and name_meant(stated["dataset"]) else video
    parts: list[str] = []
    for part in map(str.strip, _FOLDERS.split(written)):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


@lru_cache(maxsize=4096)
def _folder_told(path: str) -> str:
    """Return the folder that may tell a video from others of its number: of a bare number only, and not that of a public dataset.

    The frames of a video are the video: what kind of files a folder holds tells nothing.
    """
    folder, _, name = path.rpartition("/")
    parts = [joined(part) for part in folder.split("/") if not _is_of_subset(part) and not _is_kind(part)]
    public = tuple(map(joined, names()))
    return "/".join(parts) if whole_number(folded(name)) and not any(part.startswith(public) for part in parts) else ""


def _is_of_subset(folder: str) -> bool:
    """Return whether a folder is called like a subset (``test_videos``, ``val2``), which says nothing of who is in it."""
    word = re.split("[^a-z]", folder.casefold(), maxsplit=1)[0]
    return any((subset(word) in SUBSETS, _OF_SUBSET.match(word), _OF_SUBSET_AS_WRITTEN.match(folder)))


def _is_kind(folder: str) -> bool:
    """Return whether a folder is called by what it holds (``rgb_frames``, ``v2``) or is a drive (``C:``)."""
    words = _WORDS.findall(folder.casefold())
    has_number = re.search("[0-9]", _NUMBERED.sub("", folder)) is not None
    return _DRIVE.fullmatch(folder) is not None or (bool(words) and all(word in _KINDS for word in words) and not has_number)


def recognised(row: SplitRow, sheet: SplitSheet) -> Video | None:
    """Return the public video that a row means, by its column ``dataset`` or its spelling; None when it cannot be told."""
    return _of_dataset(sheet.dataset(row), row.video) if "dataset" in sheet.columns else _by_spelling(row.video)


def _common(videos: Iterable[str]) -> str | None:
    written = {video for video in videos if video}
    spelt = {public.dataset for video in written if (public := _by_spelling(video))}
    if not written or len(spelt) > 1:
        return None
    return next((name for name in (*spelt, *names()) if all(dataset(name).video(text) for text in written)), None)


def _by_spelling(written: str) -> Video | None:
    stated = _STATED.fullmatch(written)
    if stated and name_meant(stated["dataset"]):
        return _of_dataset(stated["dataset"], stated["video"])
    return _of_dataset(next((name for pattern, name in _SPELT if pattern.match(written)), None), written)


def _of_dataset(of: str | None, written: str) -> Video | None:
    name = name_meant(of) if of else None
    video = dataset(name).video(written) if name else None
    return Video(name, video) if name and video else None


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
    if len(sheet.schemes) > 1 or "dataset" in sheet.columns or _common(row.video for row in sheet.rows) is None:
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
