"""Public datasets: which videos they hold, as far as that is known, and how these are called."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from scrubin.core.errors import SplitError
from scrubin.core.suggest import hint
from scrubin.public_splits.documents import document
from scrubin.public_splits.ids import listed, name_of, number_of

FILE = "datasets.json"
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
        Words that may stand before the number of a video.
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
        id_ = number_of(text, self.prefixes) if self.numbered else name_of(text, self.videos)
        return id_ if id_ in set(self.videos) else None


def names() -> tuple[str, ...]:
    """Return the names of all datasets, sorted."""
    return tuple(sorted(_all()))


def dataset(name: str) -> Dataset:
    """Return a dataset.

    Raises
    ------
    SplitError
        For an unknown name, with the nearest known one.
    """
    known = _all().get(name)
    if known is None:
        msg = f"'{name}' is no known dataset; {hint(name, names())}"
        raise SplitError(msg)
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
