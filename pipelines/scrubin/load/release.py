"""A released data set in a folder: open it, and take frames, clips, scores and ground truth from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from scrubin.core.errors import ReleaseError
from scrubin.core.suggest import hint
from scrubin.load import errata, labelling
from scrubin.load.damage import damaged
from scrubin.load.frame_dataset import FrameDataset, Transform
from scrubin.load.rows import REFERENCE, Choice
from scrubin.load.sources import FileSource
from scrubin.load.splits import ReleasedSplits
from scrubin.load.tables import ReleasedTables

METADATA = "croissant.json"
NEEDED = (METADATA, "SHA256SUMS", "tables/frames.parquet", "tables/videos.parquet")
"""Without these a folder is no release."""


class Release:
    """A released data set.

    Tables are read when they are first asked for, pictures when an item is. Needs numpy, pandas and pyarrow; pictures need
    one of TurboJPEG, OpenCV and Pillow, videos PyAV.

    Parameters
    ----------
    folder
        The release folder: the one that has ``croissant.json`` and ``tables``.
    errata
        ``warn``: of each known error of this version once, as `ErrataWarning`; or ``ignore``.

    Raises
    ------
    ReleaseError
        When the folder is no release, or not a whole one: names what is missing.
    """

    def __init__(self, folder: str | Path, *, errata: Literal["warn", "ignore"] = "warn") -> None:
        self.folder = Path(folder)
        _refuse_incomplete(self.folder)
        self.tables = ReleasedTables(self.folder)
        if errata not in ("warn", "ignore"):
            msg = f"errata='{errata}': {hint(errata, ('warn', 'ignore'))}"
            raise ValueError(msg)
        if errata == "warn":
            self._warn()

    @cached_property
    def metadata(self) -> Mapping[str, Any]:
        """What ``croissant.json`` says."""
        try:
            return dict(json.loads((self.folder / METADATA).read_text(encoding="utf-8")))
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
        return errata.of_release(self.folder, self.version)

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of all subsets, such as ``balanced/train`` or ``five_folds/2/test``."""
        return self._splits.names if "splits" in self.tables else ()

    @cached_property
    def recordings(self) -> pd.DataFrame:
        """One row per recording: ``id`` (index), ``task``, ``cameras``, ``duration_s`` of the longest, ``frames`` of one camera."""
        videos, frames = self.tables["videos"], self.tables.columns("frames", ["id", "camera", "frame"])
        of_recording = videos.groupby("id", sort=True)
        count = frames.groupby(["id", "camera"]).size().groupby("id").max()
        cameras = of_recording["camera"].agg(lambda names: ", ".join(sorted(names)))
        table = pd.DataFrame({"task": of_recording["task"].first(), "cameras": cameras, "duration_s": of_recording["duration_s"].max()})
        return table.assign(frames=count.reindex(table.index).fillna(0).astype("int64"))

    def __repr__(self) -> str:
        return f"Release({self.name} {self.version}: {len(self.recordings)} recordings in {self.folder})"

    def frames(
        self,
        split: str | None = None,
        labels: Iterable[str] = (),
        *,
        task: str | None = None,
        camera: str = REFERENCE,
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
            Any of triplets, instruments, verbs, targets, phases, boxes, skill, errors. Each adds its values and
            ``<label>_mask``, which is False where nobody labelled them: they are NaN then, or -100 for phases.
        task, camera
            A task; a camera, ``reference`` (the one that labels refer to) or ``all``.
        vocabulary
            Whose labels, where recordings have labels of several vocabularies.
        include_hidden, include_dropped
            Whether to keep frames that are black, or too poor to be used; else `FrameDataset.left_out` counts them.
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
        if missing not in ("mask", "drop"):
            msg = f"missing='{missing}': {hint(missing, ('mask', 'drop'))}"
            raise ValueError(msg)
        rows = Choice(split, task, camera).frames(self.tables, lambda: self._splits)
        dropped = rows.dropped & (not include_dropped)
        hidden = rows.hidden & ~dropped & (not include_hidden)
        rows = rows.where(~dropped & ~hidden)
        of_rows = labelling.of_rows(self.tables, rows, labels, vocabulary)
        lacking = np.zeros(len(rows), np.bool_)
        for one in of_rows if missing == "drop" else ():
            lacking |= ~one.known
        left_out = {"hidden": int(hidden.sum()), "dropped": int(dropped.sum()), "unlabelled": int(lacking.sum())}
        order = np.flatnonzero(~lacking)
        return FrameDataset(f"'{split}'" if split else self.name, rows, of_rows, FileSource(self.folder), left_out, transform, order)

    @cached_property
    def _splits(self) -> ReleasedSplits:
        return ReleasedSplits(self.folder, self.tables)

    def _warn(self) -> None:
        errata.warn(self.errata, f"{self.name} {self.version}")


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
