"""Public datasets: which videos they hold, as far as that is known, how these are called."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from scrubin.base.errors import SplitError
from scrubin.base.faults import hint, natural
from scrubin.base.files import sha256_of
from scrubin.base.text.naming import spelling

FOLDER = Path(__file__).resolve().parent / "lists"
INDEX = "index.json"


def index(folder: Path = FOLDER) -> dict[str, str]:
    """Return the SHA-256 of every data file, by its name."""
    sha256_by_name: dict[str, str] = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    return sha256_by_name


def document(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """Return a data file.

    Raises
    ------
    SplitError
        When its bytes are not those that the index states: an official split must not change unnoticed.
    """
    stated, path = index(folder).get(name), folder / name
    if stated is None or not path.is_file():
        msg = f"{name}: {'not in the index of' if stated is None else 'missing among'} the official splits; install scrubin again"
        raise SplitError(msg)
    actual = sha256_of(path)
    if actual != stated:
        raise SplitError(f"{name}: its SHA-256 is {actual}, but the index states {stated}; install scrubin again, or correct {INDEX}")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


# Endings of files that are named after a video, and of the label files of Cholec80.
ENDING = re.compile(r"(?:[-_](?:phase|tool|timestamp))?(?:\.(?:json|txt|csv|tsv|mp4|mkv|avi|mov|m4v|png|jpg|zip))*$")
# 68.0 and 1.62e+02 are what pandas and numpy make of an id when they write a column of numbers.
WHOLE_FLOAT = re.compile(r"([0-9]+)(?:\.0*)?(?:e\+?0*([0-9]{1,2}))?|([0-9])\.([0-9]*)e\+?0*([0-9]{1,2})")
RANGE = re.compile(r"([0-9]+)-([0-9]+)")
SEPARATORS = r"[\s_\-#:.]*"
NAMED = re.compile(r"([a-z]+(?:[\s_\-]+[a-z]+)*)[\s_\-]*([0-9]+)")
LONGEST = 9


def listed(text: str) -> tuple[str, ...]:
    """Return the ids of a list such as ``"1-3 8 12"``; a range is of numbers only.

    >>> listed("1-3 8, esadv1")
    ('1', '2', '3', '8', 'esadv1')

    Raises
    ------
    ValueError
        When a range runs backwards.
    """
    ids: list[str] = []
    for item in text.replace(",", " ").split():
        bounds = RANGE.fullmatch(item)
        if not bounds:
            ids.append(item)
            continue
        first, last = int(bounds[1]), int(bounds[2])
        if first > last or len(bounds[2]) > LONGEST or last - first > 10_000:
            raise ValueError(f"'{item}' is no range such as 41-80")
        ids += [str(number) for number in range(first, last + 1)]
    return tuple(ids)


def shown(videos: Iterable[str], order: Sequence[str] = ()) -> str:
    """Return ids as one line, in the order of the dataset, numbers by value."""
    place = {video: i for i, video in enumerate(order)}
    return " ".join(sorted(videos, key=lambda video: (place.get(video, len(place)), natural(video))))


def ranges(videos: Iterable[str], order: Sequence[str]) -> str:
    """Return ids in the order of the dataset, three or more numbers in a row as a range.

    >>> ranges(["3", "1", "2", "7"], ["1", "2", "3", "7"])
    '1-3 7'
    """
    items = shown(videos, order).split() if videos else []
    runs: list[list[str]] = []
    for item in items:
        follows = bool(runs) and item.isdigit() and runs[-1][-1].isdigit() and int(item) == int(runs[-1][-1]) + 1
        runs[-1].append(item) if follows else runs.append([item])
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else " ".join(run) for run in runs)


def folded(text: str) -> str:
    """Return what a person wrote without folder, file ending, surrounding space and case."""
    return ENDING.sub("", re.split(r"[/\\]", text.strip())[-1].casefold(), count=1).strip()


def number_of(text: str, prefixes: Iterable[str]) -> str | None:
    """Return the number of a video: 68, VID68, VID068, video68, "video 68", 68.json, 68.0 are all ``"68"``.

    None when no or several numbers could be meant.

    >>> number_of("VID068", ["vid"]), number_of("68-2", ["vid"]), number_of("1.620000e+02", [])
    ('68', None, '162')
    """
    name = folded(text)
    for prefix in sorted(prefixes, key=len, reverse=True):
        rest = re.fullmatch(rf"{re.escape(prefix)}{SEPARATORS}([0-9]+)", name)
        if rest:
            return _plain(rest[1])
    return _plain(whole_number(name))


def whole_number(text: str) -> str:
    """Return the digits of a whole number, also of one written as a float; "" when it is none."""
    match = WHOLE_FLOAT.fullmatch(text.strip().casefold())
    if not match:
        return ""
    if match[1] is not None:
        return match[1] + "0" * int(match[2] or 0)
    places, exponent = match[4].rstrip("0"), int(match[5])
    return match[3] + places.ljust(exponent, "0") if len(places) <= exponent else ""


def name_of(text: str, names: Iterable[str]) -> str | None:
    """Return the one of ``names`` that is meant: case, spaces, hyphens, underscores and leading zeros do not count.

    >>> name_of("ESADv 01.json", ["esadv1", "esadv2"]), name_of("knot tying b1", ["Knot_Tying_B001"])
    ('esadv1', 'Knot_Tying_B001')
    """
    wanted = _bare(text)
    return next((name for name in names if wanted and _bare(name) == wanted), None)


@lru_cache(maxsize=4096)
def _bare(text: str) -> str:
    """Return a name without what does not count; "" when it is no name with one number."""
    parts = NAMED.fullmatch(folded(text))
    return f"{re.sub(SEPARATORS, '', parts[1])}{int(parts[2])}" if parts and len(parts[2]) <= LONGEST else ""


def _plain(digits: str) -> str | None:
    return str(int(digits)) if digits and len(digits) <= LONGEST else None


NO_SPLITS = FILE, RELATIONS_FILE, CORPORA_FILE = "datasets.json", "relations.json", "corpora.json"
"""What is known of datasets: all other data files are splits."""
UNLISTED = "..."
"""Stands in the data file for videos that exist, but whose ids no source states."""
ALL = "all"


@dataclass(frozen=True)
class Dataset:
    """One dataset.

    Parameters
    ----------
    name, kind, source
        What it is, of which kind of operation its videos are, and where that is said.
    videos
        The known ids, in the order of the source.
    parts
        Named parts with their known ids; the parts are disjoint.
    unlisted
        Names of the parts (``"all"`` where there are none) that hold videos whose ids are not known.
    prefixes
        Words that may stand before the number of a video, besides that of its id.
    centres
        In which hospitals all of its operations were recorded; empty when that is not known.
    """

    name: str
    kind: str
    source: str
    videos: tuple[str, ...]
    parts: tuple[tuple[str, tuple[str, ...]], ...]
    unlisted: tuple[str, ...]
    prefixes: tuple[str, ...]
    centres: tuple[str, ...] = ()

    @property
    def numbered(self) -> bool:
        """Whether the ids are numbers."""
        return all(video.isdigit() for video in self.videos)

    def video(self, text: str) -> str | None:
        """Return the id that is meant, or None when it is none of this dataset's, or several could be meant.

        >>> dataset("cholect50").video("VID068"), dataset("cholect50").video("video 3")
        ('68', None)
        """
        id_ = number_of(text, self.prefixes) if self.numbered else name_of(self._renamed(text), self.videos)
        return id_ if id_ in set(self.videos) else None

    def _renamed(self, text: str) -> str:
        """Return a name with the dataset's own word (``CASE007``) as that of its ids here (``psiv7``), where all ids have one word."""
        words = {video.rstrip("0123456789") for video in self.videos}
        written = NAMED.fullmatch(folded(text))
        return f"{words.pop()}{written[2]}" if len(words) == 1 and written and written[1] in self.prefixes else text


def names() -> tuple[str, ...]:
    """Return the names of all datasets, sorted."""
    return tuple(sorted(_all()))


@lru_cache(maxsize=4096)
def name_meant(written: str) -> str | None:
    """Return the name of the dataset that is meant; case, spaces, hyphens and underscores do not count. None when none is known by it.

    >>> name_meant("Cholec 80"), name_meant("cholec80_cvs"), name_meant("Mainz")
    ('cholec80', 'cholec80-cvs', None)
    """
    wanted = joined(written)
    return next((name for name in names() if joined(name) == wanted), None)


def joined(name: str) -> str:
    """Return a name without what does not count in those of datasets and folders: blanks, hyphens, underscores, case.

    >>> joined("Site A_1")
    'sitea1'
    """
    return re.sub(r"[\s_\-]+", "", spelling(name))


def dataset(name: str) -> Dataset:
    """Return a dataset.

    Raises
    ------
    SplitError
        For an unknown name, with the nearest known one.
    """
    known = _all().get(name)
    if known is None:
        raise SplitError(f"'{name}' is no known dataset; {hint(name, names())}")
    return known


@lru_cache(maxsize=1)
def _all() -> dict[str, Dataset]:
    datasets = {}
    for name, stated in document(FILE).items():
        lists = {part: text.split() for part, text in stated.get("parts", {ALL: stated.get("videos", "")}).items()}
        parts = {part: listed(" ".join(item for item in items if item != UNLISTED)) for part, items in lists.items()}
        videos = tuple(video for ids in parts.values() for video in ids)
        datasets[name] = Dataset(
            name=name,
            kind=stated["kind"],
            source=stated["source"],
            videos=videos,
            parts=tuple(parts.items()) if "parts" in stated else (),
            unlisted=tuple(part for part, items in lists.items() if UNLISTED in items),
            prefixes=tuple(stated["prefixes"]),
            centres=tuple(stated.get("centres", ())),
        )
    return datasets
