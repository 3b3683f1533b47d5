"""The official splits by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import pandas as pd

from scrubin.core.errors import SplitError
from scrubin.core.suggest import hint
from scrubin.public_splits.datasets import Dataset, dataset
from scrubin.public_splits.documents import document, index
from scrubin.public_splits.ids import listed, whole_number

SUBSETS = ("train", "val", "test")
TRAINVAL = "trainval"
NO_FOLD = 0
REST = "rest"
NAMES = (
    "cholec80-cvs",
    "cholec80/32-8-40",
    "cholec80/40-40",
    "cholec80/40-8-32",
    "cholec80/4fold",
    "cholect45/cv",
    "cholect50/challenge",
    "cholect50/cv",
    "cholect50/rdv",
    "endoscapes",
    "prostatd/5fold",
)


@dataclass(frozen=True)
class Official:
    """One official split.

    Parameters
    ----------
    name, dataset, source, notes
        What it is, of which dataset, where it is stated, and what else one must know.
    interpretation
        What of it is not stated by the source; "" when all is.
    sha256
        Of its data file.
    placed
        Fold, then subset, then videos in the order of the dataset. Folds are numbered from 1 as in the
        papers; a split without folds has the one fold 0.
    """

    name: str
    dataset: str
    source: str
    notes: tuple[str, ...]
    interpretation: str
    sha256: str
    placed: Mapping[int, Mapping[str, tuple[str, ...]]] = field(repr=False)

    @property
    def folds(self) -> tuple[int, ...]:
        """The numbers of the folds: from 1, or 0 alone."""
        return tuple(self.placed)

    @property
    def rows(self) -> pd.DataFrame:
        """A new frame of fold (int64), subset and video (text), in the order of the source."""
        return pd.DataFrame(
            [(fold, subset, video) for fold, subsets in self.placed.items() for subset, videos in subsets.items() for video in videos],
            columns=["fold", "subset", "video"],
        ).astype({"fold": "int64", "subset": "str", "video": "str"})

    @property
    def videos(self) -> tuple[str, ...]:
        """All videos, in the order of the dataset."""
        used = {video for subsets in self.placed.values() for videos in subsets.values() for video in videos}
        return tuple(video for video in dataset(self.dataset).videos if video in used)

    def subset_of(self, fold: int) -> dict[str, str]:
        """Return the subset of every video in one fold.

        Raises
        ------
        SplitError
            When there is no such fold.
        """
        if fold not in self.placed:
            msg = f"'{self.name}' has no fold {fold}; {self.which_folds}"
            raise SplitError(msg)
        return {video: subset for subset, videos in self.placed[fold].items() for video in videos}

    @property
    def which_folds(self) -> str:
        """What folds there are, in words."""
        return "it has no folds" if self.folds == (NO_FOLD,) else f"its folds are {self.folds[0]} to {self.folds[-1]}"


def available() -> tuple[str, ...]:
    """Return the names of all official splits, sorted."""
    return NAMES


def load(name: str) -> Official:
    """Return an official split.

    Raises
    ------
    SplitError
        For an unknown name, with the nearest known one; when the data file is not the one of the index.
    """
    if name not in NAMES:
        msg = f"'{name}' is no official split; {hint(name, NAMES)}"
        raise SplitError(msg)
    return _load(name)


def named(text: str) -> tuple[Official, int | None]:
    """Return the split that ``NAME`` or ``NAME@FOLD`` names, and its fold; None where none is named.

    Raises
    ------
    SplitError
        For an unknown name or fold.
    """
    name, at, written = text.partition("@")
    split = load(name.strip())
    if not at:
        return split, None
    digits = whole_number(written)
    number = int(digits) if digits and len(digits) < 4 else -1
    if split.folds == (NO_FOLD,) or number not in split.folds:
        msg = f"'{text}': '{written}' is no fold of '{split.name}'; {split.which_folds}"
        raise SplitError(msg)
    return split, number


@lru_cache(maxsize=len(NAMES))
def _load(name: str) -> Official:
    file = f"{name.replace('/', '_')}.json"
    stated = document(file)
    home = dataset(stated["dataset"])
    scope = listed(stated["videos"]) if "videos" in stated else home.videos
    many = len(stated["folds"]) > 1
    return Official(
        name=stated["name"],
        dataset=home.name,
        source=stated["source"],
        notes=tuple(stated["notes"]),
        interpretation=stated["interpretation"],
        sha256=index()[file],
        placed={i if many else NO_FOLD: _fold(name, home, scope, texts) for i, texts in enumerate(stated["folds"], start=1)},
    )


def _fold(name: str, home: Dataset, scope: tuple[str, ...], texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    lists = {subset: set(listed(text)) for subset, text in texts.items() if text != REST}
    named = [video for videos in lists.values() for video in videos]
    if len(named) != len(set(named)) or set(named) - set(scope):
        msg = f"{name}: a fold names a video twice, or one that '{home.name}' does not have"
        raise SplitError(msg)
    members = {subset: lists.get(subset, set(scope) - set(named)) for subset in SUBSETS if subset in texts}
    return {subset: tuple(video for video in home.videos if video in videos) for subset, videos in members.items()}
