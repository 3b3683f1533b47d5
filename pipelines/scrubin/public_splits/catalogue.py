"""The official splits by name, also for a study whose recordings are videos of that dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from scrubin.base.errors import SplitError
from scrubin.base.faults import hint
from scrubin.public_splits.datasets import NO_SPLITS, Dataset, dataset, document, index, listed, whole_number

if TYPE_CHECKING:
    import pandas as pd


SUBSETS = ("train", "val", "test")
TRAINVAL = "trainval"
NO_FOLD = 0
REST = "rest"


@dataclass(frozen=True)
class Official:
    """One official split.

    Parameters
    ----------
    name, dataset, source, notes
        What it is, of which dataset, where it is stated, and what else one must know.
    interpretation
        What of it is not stated by the source; "" when all is.
    people
        Who is on two sides of it by design; "" when nobody is, or when it is not known.
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
    people: str
    sha256: str
    placed: Mapping[int, Mapping[str, tuple[str, ...]]] = field(repr=False)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What must be known before a number on it is believed: its interpretation, and who is on two sides."""
        return tuple(text for text in (self.interpretation, self.people) if text)

    @property
    def folds(self) -> tuple[int, ...]:
        """The numbers of the folds: from 1, or 0 alone."""
        return tuple(self.placed)

    @property
    def rows(self) -> pd.DataFrame:
        """A new frame of fold (int64), subset and video (text), in the order of the source."""
        import pandas as pd  # only here: names of splits are asked for by help texts

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
            raise SplitError(f"'{self.name}' has no fold {fold}; {self.which_folds}")
        return {video: subset for subset, videos in self.placed[fold].items() for video in videos}

    @property
    def which_folds(self) -> str:
        """What folds there are, in words."""
        return "it has no folds" if self.folds == (NO_FOLD,) else f"its folds are {self.folds[0]} to {self.folds[-1]}"


@cache
def available() -> tuple[str, ...]:
    """Return the names of all official splits, sorted."""
    return tuple(sorted(file.removesuffix(".json").replace("_", "/", 1) for file in index() if file not in NO_SPLITS))


def load(name: str) -> Official:
    """Return an official split.

    Raises
    ------
    SplitError
        For an unknown name, with the nearest known one; when the data file is not the one of the index.
    """
    if name not in available():
        raise SplitError(f"'{name}' is no official split; {hint(name, available())}")
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
        raise SplitError(f"'{text}': '{written}' is no fold of '{split.name}'; {split.which_folds}")
    return split, number


@cache
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
        people=stated.get("people", ""),
        sha256=index()[file],
        placed={i if many else NO_FOLD: _fold(name, home, scope, texts) for i, texts in enumerate(stated["folds"], start=1)},
    )


def _fold(name: str, home: Dataset, scope: tuple[str, ...], texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    lists = {subset: set(listed(text)) for subset, text in texts.items() if text != REST}
    named = [video for videos in lists.values() for video in videos]
    if len(named) != len(set(named)) or set(named) - set(scope):
        raise SplitError(f"{name}: a fold names a video twice, or one that '{home.name}' does not have")
    members = {subset: lists.get(subset, set(scope) - set(named)) for subset in SUBSETS if subset in texts}
    return {subset: tuple(video for video in home.videos if video in videos) for subset, videos in members.items()}


def rows(name: str, videos: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows of the table ``splits``: scheme, fold, subset, id, sorted by fold and id.

    The table numbers folds from 0: the papers' fold 1 is fold 0 here. Several ids may be of one video;
    they share its subset. Videos of the split that nobody has are no error: see ``missing``.

    Parameters
    ----------
    name
        Name of the official split; it becomes the scheme.
    videos
        The dataset's video by own id, in any spelling (``68``, ``VID68``, ``video 68``).

    Raises
    ------
    SplitError
        When a video is not in the split; names the id and what stands there.
    """
    import pandas as pd

    split = load(name)
    known = _known(split, videos)
    first = min(split.folds)
    subset_rows = [
        (name, fold - first, subsets[video], own)
        for fold in split.folds
        for subsets in (split.subset_of(fold),)
        for own, video in sorted(known.items())
    ]
    frame = pd.DataFrame(subset_rows, columns=["scheme", "fold", "subset", "id"])
    return frame.astype({"scheme": "str", "fold": "int64", "subset": "str", "id": "str"})


def missing(name: str, videos: Mapping[str, str]) -> tuple[str, ...]:
    """Return the videos of the split that no own id is of, in the order of the dataset."""
    split = load(name)
    had = set(_known(split, videos).values())
    return tuple(video for video in split.videos if video not in had)


def _known(split: Official, videos: Mapping[str, str]) -> dict[str, str]:
    home, used = dataset(split.dataset), set(split.videos)
    video_of = {own: home.video(text) for own, text in videos.items()}
    wrong = sorted(own for own, video in video_of.items() if video not in used)
    if wrong:
        shown = "; ".join(f"'{own}' is of '{videos[own]}'" for own in wrong[:5]) + (f"; {len(wrong) - 5} more" if len(wrong) > 5 else "")
        raise SplitError(f"{split.name}: {shown}, which is no video of this split; correct it, or leave it out")
    return {own: video for own, video in video_of.items() if video is not None}
