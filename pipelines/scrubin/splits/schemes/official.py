"""``official``: a published split, for a study that has the recordings of a public dataset."""

from __future__ import annotations

from pathlib import Path

from scrubin.core.errors import SplitError
from scrubin.public_splits import placing
from scrubin.public_splits.catalogue import load
from scrubin.splits.cohort import Cohort
from scrubin.splits.sheet import read
from scrubin.splits.split import Split, rows_of

ORDER = ("train", "val", "test")


def published(cohort: Cohort, split: str, videos: Path) -> Split:
    """Return an official split in the study's own ids.

    Parameters
    ----------
    cohort
        The recordings; ``people`` has a column ``recording``, the curator's name.
    split
        Name of the official split.
    videos
        CSV ``recording,video``: which recording is which video of the dataset.

    Raises
    ------
    SplitError
        For an unknown split, recording or video.
    """
    sheet = read(videos)
    id_of = dict(zip(cohort.people.recording, cohort.people.id, strict=True)) | {id_: id_ for id_ in cohort.people.id}
    named = dict(zip(sheet.filled("recording"), sheet.filled("video"), strict=True))
    unknown = [name for name in named if name not in id_of]
    video_of = {id_of[name]: video for name, video in named.items() if name in id_of}
    if not video_of:
        msg = f"{videos}: none of its {len(named)} recordings is released; name recordings of the manifest"
        raise SplitError(msg)
    rows = placing.rows(split, video_of)
    missing = placing.missing(split, video_of)
    notes = []
    if unknown:
        notes.append(f"{len(unknown)} recordings of {videos.name} are not released")
    if missing:
        notes.append(f"{len(missing)} of {len(load(split).videos)} videos of {split} are missing: {', '.join(missing[:20])}")
    if left := len(cohort.people) - len(video_of):
        notes.append(f"{left} recordings of the study are no video of {split}")
    # All subsets of the split, also those of which the study has no video: training must not be taken for another one.
    names = {subset for fold in load(split).folds for subset in load(split).subset_of(fold).values()}
    subsets = tuple(name for name in ORDER if name in names) + tuple(sorted(names - set(ORDER)))
    return Split(rows_of(list(zip(rows.fold, rows.subset, rows.id, strict=True))), subsets, notes=tuple(notes))
