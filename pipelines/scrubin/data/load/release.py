"""A released data set in a folder: open it, then take frames, clips, scores, ground truth from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from scrubin.base import strangers
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import hint, near
from scrubin.base.object_store import is_address
from scrubin.base.tables.public import of_reference_camera
from scrubin.data import load
from scrubin.data.load import (
    GROUND_TRUTH_FOLDER,
    SPLITS_FOLDER,
    TABLES_FOLDER,
    GroundTruth,
    ReleasedSplits,
    ReleasedTables,
    damaged,
    labelling,
    video_clips,
    warnings,
)
from scrubin.data.load.frames import FrameDataset, Transform
from scrubin.data.load.labelling import Matrix, Phase, errors_of
from scrubin.data.load.place import InFolder, Place, in_store
from scrubin.data.load.rows import REFERENCE, VIDEO_COLUMNS, Choice
from scrubin.data.load.sources import FileSource, ReleasedVideo, VideoSource
from scrubin.data.load.stereo import StereoDataset, rectified_pairs
from scrubin.data.load.video_clips import ClipDataset, Window
from scrubin.data.load.warnings import warn_if_empty
from scrubin.media.rigs import written_rig
from scrubin.media.rigs.rig import Rig

Seconds = float | str | Fraction
METADATA = "croissant.json"
NEEDED = (METADATA, "SHA256SUMS", "tables/frames.parquet", "tables/videos.parquet")
"""Without these a folder is no release."""
OF_SCORING = (GROUND_TRUTH_FOLDER, SPLITS_FOLDER, TABLES_FOLDER, "metadata")
"""What `scrubin score` may read of a release."""
OF_SINGLE_FRAMES = frozenset({"boxes", "marks", "masks", "points", "tracks"})


class _ByRecording:
    """Rows of a table by recording."""

    def __init__(self, rows: pd.DataFrame) -> None:
        self._rows, self._places = rows, rows.groupby("id").indices

    def of(self, id_: str) -> pd.DataFrame:
        """Return the rows of a recording in their order; of one that has none the columns alone."""
        return self._rows.iloc[self._places.get(id_, np.empty(0, np.intp))]


class Release:
    """A released data set.

    Tables are read when they are first asked for, pictures when an item is. Needs numpy, pandas and pyarrow; pictures need
    one of TurboJPEG, OpenCV and Pillow, videos PyAV.

    Parameters
    ----------
    folder
        The release folder: the one that has ``croissant.json`` and ``tables``; or its address in an object store, such as
        ``s3://bucket/study/1.0.0``: each file is fetched when it is first needed, once, and proven by ``SHA256SUMS``.
    errata
        ``warn``: of each known error of this version once, as `ErrataWarning`; or ``ignore``.

    cache
        Of an address: the folder in which fetched files are kept, for all releases; None: ``scrubin`` in the user's folder of caches.
    storage_options
        Of an address: what fsspec is given, such as ``{"anon": True}`` or ``{"endpoint_url": "http://127.0.0.1:9000"}``.

    Raises
    ------
    ReleaseError
        When the folder is no release, or not a whole one: names what is missing. With an address, also later: when a file cannot
        be had, or is not the one that ``SHA256SUMS`` lists.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        errata: Literal["warn", "ignore"] = "warn",
        cache: str | Path | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        _refuse_unknown("errata", errata, ("warn", "ignore"))
        self.place: Place = in_store(str(folder), cache, storage_options) if is_address(folder) else InFolder(Path(folder))
        self.folder = self.place.folder
        for name in NEEDED:
            self.place.hold(name)
        _refuse_incomplete(self.folder)
        self.tables = ReleasedTables(self.place)
        if errata == "warn":
            self._warn()

    @cached_property
    def metadata(self) -> Mapping[str, Any]:
        """What ``croissant.json`` says."""
        try:
            return dict(strangers.read_json(self.folder / METADATA, inside=self.folder))
        except (OSError, ValueError, TypeError) as error:
            raise damaged(self.folder, f"{METADATA} cannot be read ({error})") from error

    @property
    def name(self) -> str:
        """Short name."""
        return str(self.metadata.get("name", self.folder.name))

    @property
    def version(self) -> str:
        """Version; belongs beside every number that is published."""
        return str(self.metadata.get("version", ""))

    @property
    def citation(self) -> str:
        """How to cite it, as BibTeX."""
        return str(self.metadata.get("citeAs", ""))

    @cached_property
    def errata(self) -> tuple[Mapping[str, Any], ...]:
        """The known errors of this version."""
        self.place.hold(warnings.NAME)
        return warnings.of_release(self.folder, self.version)

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of all subsets, such as ``balanced/train`` or ``five_folds/2/test``."""
        return self._splits.names if "splits" in self.tables else ()

    @cached_property
    def recordings(self) -> pd.DataFrame:
        """One row per recording: ``id`` (index), ``task``, ``cameras``, ``duration_s`` of the longest, ``frames`` of one camera."""
        videos, frames = self.tables.whole("videos"), self.tables.columns("frames", ["id", "camera", "frame"])
        of_recording = videos.groupby("id", sort=True)
        count = frames.groupby(["id", "camera"]).size().groupby("id").max()
        cameras = of_recording["camera"].agg(lambda names: ", ".join(sorted(names)))
        table = pd.DataFrame({"task": of_recording["task"].first(), "cameras": cameras, "duration_s": of_recording["duration_s"].max()})
        return table.assign(frames=count.reindex(table.index).fillna(0).astype("int64"))

    def __repr__(self) -> str:
        return f"Release({self.name} {self.version}: {len(self.recordings)} recordings in {self.place.address})"

    def frames(
        self,
        split: str | None = None,
        labels: Iterable[str] = (),
        *,
        task: str | None = None,
        camera: str = REFERENCE,
        source: Literal["frames", "videos"] = "frames",
        vocabulary: str | None = None,
        include_hidden: bool = False,
        include_dropped: bool = False,
        missing: Literal["mask", "drop"] = "mask",
        transform: Transform | None = None,
    ) -> FrameDataset:
        """Return the extracted frames of a subset with their labels.

        Parameters
        ----------
        split
            A name of `splits`; None: all recordings.
        labels
            Any of triplets, instruments, verbs, targets, phases, boxes, masks, points, tracks, marks, skill, errors. Each adds its
            values and ``<label>_mask``, which is False where nobody labelled them: they are NaN then, or -100 for phases.
        task, camera
            A task; a camera, ``reference`` (the one that labels refer to) or ``all``.
        source
            ``frames``: the files of the frames; ``videos``: the same frames of the released videos, which were not compressed
            once more.
        vocabulary
            Whose labels, where recordings have labels of several vocabularies.
        include_hidden, include_dropped
            Whether to keep frames that are black, or too poor to be used (which only the videos have); else
            `FrameDataset.left_out` counts them.
        missing
            ``mask``: frames without a label stay; ``drop``: frames that lack one of the labels are left out.
        transform
            Called with each picture, uint8 red, green, blue, shape (height, width, 3).

        Raises
        ------
        ValueError
            For a name that there is not: says which was meant.
        ReleaseError
            When tables do not fit one another.
        """
        _refuse_unknown("missing", missing, ("mask", "drop"))
        _refuse_unknown("source", source, ("frames", "videos"))
        if include_dropped and source == "frames":
            raise ValueError("dropped frames have no file: take their pictures from the videos, by source='videos'")
        rows = Choice(split, task, camera).frames(self.tables, lambda: self._splits)
        dropped = rows.dropped & (not include_dropped)
        hidden = rows.hidden & ~dropped & (not include_hidden)
        rows = rows.where(~dropped & ~hidden)
        of_rows = labelling.of_rows(self.tables, rows, labels, vocabulary, task)
        lacking = np.zeros(len(rows), np.bool_)
        for one in of_rows if missing == "drop" else ():
            lacking |= ~one.known
        left_out = {"hidden": int(hidden.sum()), "dropped": int(dropped.sum()), "unlabelled": int(lacking.sum())}
        order = np.flatnonzero(~lacking)
        pictures = FileSource(self.place) if source == "frames" else VideoSource(self._videos)
        name = f"'{split}'" if split else self.name
        warn_if_empty(len(order), f"frames of {name}", left_out)
        return FrameDataset(name, rows, of_rows, pictures, left_out, transform, order)

    def stereo(
        self,
        split: str | None = None,
        labels: Iterable[str] = (),
        *,
        task: str | None = None,
        vocabulary: str | None = None,
        include_hidden: bool = False,
        missing: Literal["mask", "drop"] = "mask",
        rectified: float | None = None,
        transform: Transform | None = None,
    ) -> StereoDataset:
        """Return the frames of which both cameras have a picture of one instant, as pairs; other parameters as `frames`.

        A pair is hidden when one of its pictures is. Labels, and what is missing of them, are those of the left frame. Pairs whose
        pictures were taken half a frame of the slower camera apart, or more, are left out and counted as ``apart``.

        Parameters
        ----------
        rectified
            None: pictures as they were recorded. Else the alpha, from 0 (no black border) to 1 (no pixel lost), with which they
            are rectified by the calibration in the release, before the transform, and boxes, masks and points with them;
            recordings without one are left out and counted. Needs OpenCV and PyYAML.

        Raises
        ------
        ReleaseError
            As `frames`; and when pairs are to be rectified and the release has no calibration.
        """
        _refuse_unknown("missing", missing, ("mask", "drop"))
        left = self.frames(split, labels, task=task, camera="left", vocabulary=vocabulary, include_hidden=True, transform=transform)
        right = self.frames(split, (), task=task, camera="right", include_hidden=True, transform=transform)
        pairs = StereoDataset.of(left, right, self._slower_fps, include_hidden=include_hidden)
        if missing == "drop":
            pairs = pairs.labelled()
        if rectified is not None:
            self._hold_below(written_rig.FOLDER)
            pairs = rectified_pairs(pairs, self.folder, rectified)
        is_one_sided = not (len(left) and len(right))  # and said already
        warn_if_empty(len(pairs) + is_one_sided, f"stereo pairs of {left.name}", pairs.left_out)
        return pairs

    def rig(self, id_: str) -> Rig:
        """Return the cameras of a recording: matrices, distortion, how they stand, size, unit.

        Raises
        ------
        ValueError
            When the release has no calibration of it.
        """
        known = self._rigs
        if id_ not in known:
            msg = f"the release has no calibration of '{id_}': {hint(id_, list(known)) if near(id_, known) else f'it has {len(known)}'}"
            raise ValueError(msg)
        return known[id_]

    def clips(
        self,
        length_s: Seconds,
        stride_s: Seconds,
        fps: Seconds,
        *,
        split: str | None = None,
        labels: Iterable[str] = (),
        task: str | None = None,
        camera: str = REFERENCE,
        vocabulary: str | None = None,
        include_hidden: bool = False,
        transform: Transform | None = None,
    ) -> ClipDataset:
        """Return windows of the released videos with the labels of the extracted frames inside.

        Parameters
        ----------
        length_s, stride_s, fps
            Windows of this length start at every multiple of the stride, as long as they are whole. Frame j of a window is the
            first frame of the video at or after its start + j / fps. 0.1 is a tenth; a text such as ``"30000/1001"`` is exact.
        include_hidden
            Whether to keep windows with an extracted frame that is hidden; else `ClipDataset.left_out` counts them.
        split, labels, task, camera, vocabulary, transform
            As for `frames`; boxes, masks, points, tracks and marks belong to single frames. The transform is called with all
            pictures of a clip.

        Raises
        ------
        ValueError
            For a name that there is not, or a length that is no whole number of frames.
        ReleaseError
            When tables do not fit one another, or a video that must be looked at is missing or damaged.
        """
        names = [labels] if isinstance(labels, str) else list(labels)
        for single in OF_SINGLE_FRAMES & set(names):
            raise ValueError(f"{single} belong to single frames, and a clip has several: take them from frames()")
        rows = Choice(split, task, camera).frames(self.tables, lambda: self._splits)
        of_rows = labelling.of_rows(self.tables, rows, names, vocabulary, task)
        name = f"'{split}'" if split else self.name
        videos, window = self.tables.columns("videos", VIDEO_COLUMNS), Window.of(length_s, stride_s, fps)
        clips = video_clips.of_rows(rows, videos, self._videos, window, include_hidden=include_hidden)
        warn_if_empty(len(clips), f"clips of {name}", clips.left_out)
        of_frames = tuple(label for label in of_rows if isinstance(label, Matrix | Phase))
        return replace(clips, name=name, labels=of_frames, transform=transform)

    def skill(self, split: str | None = None, task: str | None = None) -> pd.DataFrame:
        """Return one row per rated recording, by id: task, GRS, aspects, how many ratings, and how far raters disagree.

        What too few raters scored is NaN.
        """
        return self._of_recordings("skill", split, task).set_index("id")

    def errors(self, split: str | None = None, task: str | None = None) -> pd.DataFrame:
        """Return one row per recording, by id: task, and whether each error occurred; missing where it is no error of the task."""
        return errors_of(self.tables, sorted(self._of_recordings("errors", split, task)["id"].unique()), task)

    def phases(self, id_: str) -> pd.DataFrame:
        """Return the phases of a recording in order: ``frame``, ``time_s``, ``phase_id``, ``phase``, ``hidden``; labelled frames only.

        Raises
        ------
        ValueError
            For a recording that there is not.
        """
        known = self.recordings.index
        if id_ not in known:
            raise ValueError(f"there is no recording '{id_}': {hint(id_, list(known)) if near(id_, known) else 'see the table videos'}")
        frames, phases = self._by_recording
        shown = of_reference_camera(frames.of(id_))[["frame", "time_s", "redacted"]].rename(columns={"redacted": "hidden"})
        own = phases.of(id_)[["frame", "phase_id", "phase"]]
        merged = own.merge(shown, on="frame").sort_values("frame", ignore_index=True)
        return merged[["frame", "time_s", "phase_id", "phase", "hidden"]]

    def ground_truth(self, split: str) -> GroundTruth:
        """Return where the ground truth of a subset lies, and how `scrubin score` takes it.

        Raises
        ------
        ValueError
            For a split that there is not.
        ReleaseError
            When its folder is not there.
        """
        key = self._splits.key(split)
        self._hold_below(*OF_SCORING)
        return load.of_split(self.folder, key, self._splits.ids(split), several_folds=self._splits.has_several_folds(key[0]))

    @cached_property
    def _by_recording(self) -> tuple[_ByRecording, _ByRecording]:
        """Return released frames, then phases: read once for all recordings."""
        frames = self.tables.columns("frames", ["id", "camera", "frame", "time_s", "redacted", "path"])
        shown, phases = frames[frames["path"].notna()], self.tables.whole("phases")
        return _ByRecording(shown), _ByRecording(phases)

    @cached_property
    def _videos(self) -> Mapping[tuple[str, str], ReleasedVideo]:
        videos = self.tables.columns("videos", VIDEO_COLUMNS)
        keys = zip(videos["id"], videos["camera"], strict=True)
        files = zip(videos["path"], videos["frame_count"], strict=True)
        return {key: ReleasedVideo(self.place, path, int(count)) for key, (path, count) in zip(keys, files, strict=True)}

    @cached_property
    def _slower_fps(self) -> Mapping[str, float]:
        """Frames a second of the slower camera of each recording, by id."""
        videos = self.tables.columns("videos", VIDEO_COLUMNS)
        slower = videos["fps"].map(lambda fps: float(Fraction(fps))).groupby(videos["id"]).min()
        return {str(id_): float(fps) for id_, fps in slower.items()}

    @cached_property
    def _rigs(self) -> Mapping[str, Rig]:
        self._hold_below(written_rig.FOLDER)
        return written_rig.rigs(self.folder)

    def _hold_below(self, *folders: str) -> None:
        for folder in folders:
            for name in self.place.names(f"{folder}/"):
                self.place.hold(name)

    def _of_recordings(self, name: str, split: str | None, task: str | None) -> pd.DataFrame:
        ids = Choice(split, task).videos(self.tables, lambda: self._splits)["id"]
        table = self.tables[name]
        return table[table["id"].isin(ids)].sort_values("id", ignore_index=True)

    @cached_property
    def _splits(self) -> ReleasedSplits:
        return ReleasedSplits(self.tables)

    def _warn(self) -> None:
        warnings.warn(self.errata, f"{self.name} {self.version}")


def _refuse_unknown(argument: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ValueError(f"{argument}='{value}': {hint(value, known)}")


def _refuse_incomplete(folder: Path) -> None:
    missing = [name for name in NEEDED if not (folder / name).is_file()]
    if not missing:
        return
    inside = folder / "data/release"
    if not folder.is_dir():
        msg = f"{folder}: there is no such folder"
    elif all((inside / name).is_file() for name in NEEDED):
        msg = f"{folder}: this is a project; its release is {inside}"
    elif len(missing) == len(NEEDED):
        msg = f"{folder}: this is no release: it has no {', no '.join(NEEDED)}"
    else:
        msg = f"{folder}: the release is not whole: {', '.join(missing)} is missing; 'scrubin verify {folder}' says what else"
    raise ReleaseError(msg)
