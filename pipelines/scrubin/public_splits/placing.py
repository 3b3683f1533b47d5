"""An official split for a study whose recordings are videos of that dataset."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from scrubin.core.errors import SplitError
from scrubin.public_splits.catalogue import Official, load
from scrubin.public_splits.datasets import dataset


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
        msg = f"{split.name}: {shown}, which is no video of this split; correct it, or leave it out"
        raise SplitError(msg)
    return {own: video for own, video in video_of.items() if video is not None}
