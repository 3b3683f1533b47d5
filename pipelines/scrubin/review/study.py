"""A study as its review sees it: the files, what is proposed in each, and what stands in the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.core.errors import ReviewError, TableError
from scrubin.review.outcome import REJECTED, Limits, Part, Proposed, added, mirrored, parts
from scrubin.review.standing import FileKey, KnownFile, Standing
from scrubin.tables import io
from scrubin.tables.private.proposals import PROPOSALS
from scrubin.tables.private.quarantine import QUARANTINE
from scrubin.tables.private.recordings import RECORDINGS
from scrubin.video.frame_times import boundaries_s
from scrubin.video.probe_cache import stored_probe

INTERIM = Path("data/interim")


@dataclass(frozen=True)
class StudyFile:
    """One video file that can be reviewed; times are source seconds from the first frame."""

    recording: str
    camera: str
    path: str
    sha256: str
    size_px: tuple[int, int]
    frame_count: int
    duration_s: float
    interval_s: tuple[float, float]
    fps: str
    variable_rate: bool

    @property
    def key(self) -> FileKey:
        """Recording and camera."""
        return self.recording, self.camera


@dataclass(frozen=True)
class FrameRange:
    """Frames ``[first, last]`` of a proposal, as the detector counted them."""

    first: int
    last: int


@dataclass(frozen=True)
class ReviewedStudy:
    """What is to be reviewed.

    Parameters
    ----------
    files
        By recording and camera; only of recordings that are kept and could be screened.
    proposals
        By file; the detectors' own.
    frames
        By file and key of a proposal.
    detectors
        Their version.
    reviewers, margin_s
        Parameters ``review.reviewers`` and ``screen.margin_s``.
    """

    files: Mapping[FileKey, StudyFile]
    proposals: Mapping[FileKey, Sequence[Proposed]]
    frames: Mapping[tuple[FileKey, str], FrameRange]
    detectors: str
    reviewers: int
    margin_s: float

    def standing(self) -> Standing:
        """Return the state before any line of the ledger."""
        return Standing({key: KnownFile(file.sha256, file.frame_count, file.duration_s) for key, file in self.files.items()})

    def cameras(self, recording: str) -> list[FileKey]:
        """Return the files of a recording, by camera."""
        return [key for key in self.files if key[0] == recording]

    def recordings(self) -> list[str]:
        """Return the recordings in order."""
        return list(dict.fromkeys(recording for recording, _ in self.files))

    def limits(self, key: FileKey) -> Limits:
        """Return what bounds the decisions of a file."""
        return Limits(self.files[key].duration_s, self.margin_s)

    def proposed(self, key: FileKey, standing: Standing) -> list[Proposed]:
        """Return all that is proposed in a file: by the detectors, and because the other camera hides it."""
        own = list(self.proposals.get(key, ()))
        mine = [*own, *added(self._decided(key, standing), self.reviewers)]
        others = [hidden for other in self.cameras(key[0]) if other != key for hidden in self._hidden_alone(other, standing)]
        return [*own, *mirrored(others, mine, self.files[key].duration_s)]

    def judged(self, key: FileKey, proposal: Proposed, standing: Standing) -> list[Part]:
        """Return the parts of a proposal with what was decided about each."""
        return parts(proposal, self._decided(key, standing), self.reviewers, self.limits(key))

    def _decided(self, key: FileKey, standing: Standing) -> list[Any]:
        return list(standing.decided.get(key, {}).values())

    def _hidden_alone(self, key: FileKey, standing: Standing) -> Iterable[Proposed]:
        """Yield what is hidden in a file, but for what the other camera proposes."""
        for proposal in self.proposals.get(key, ()):
            for part in self.judged(key, proposal, standing):
                if part.decision != REJECTED:
                    yield Proposed(
                        proposal.kind, proposal.source, part.interval_s, proposal.box_xywh, proposal.score, proposal.faces, proposal.text
                    )
        yield from added(self._decided(key, standing), self.reviewers)


def times_s(raw: Path, file: StudyFile) -> npt.NDArray[np.float64]:
    """Return the presentation time of every frame of a file in source seconds, then the end of the last; shape (n + 1,).

    Raises
    ------
    VideoError
        When it cannot be read.
    """
    return boundaries_s(stored_probe(raw / file.path, file.path, file.sha256))


def load(reviewers: int, margin_s: float, folder: Path = Path()) -> ReviewedStudy:
    """Return the study of which the stages ingest and screen have written the tables.

    Raises
    ------
    ReviewError
        When they have not run yet.
    """
    try:
        recordings = io.read(RECORDINGS, folder / INTERIM / "recordings.parquet")
        proposals = io.read(PROPOSALS, folder / INTERIM / "proposals.parquet")
        quarantined = {
            name
            for stage in ("ingest", "screen")
            for name in io.read(QUARANTINE, folder / INTERIM / f"quarantine_{stage}.parquet").recording
        }
    except TableError as error:
        msg = f"{error}; the stages ingest and screen make what is reviewed, run: .venv/bin/dvc repro screen"
        raise ReviewError(msg) from error
    return of_tables(recordings, proposals, quarantined, reviewers, margin_s)


def of_tables(
    recordings: pd.DataFrame, proposals: pd.DataFrame, quarantined: Iterable[str], reviewers: int, margin_s: float
) -> ReviewedStudy:
    """Return the study of these tables; quarantined recordings cannot be reviewed, and are not released."""
    kept = recordings[(recordings.status == "kept") & ~recordings.recording.isin(set(quarantined))]
    files = {(row["recording"], row["camera"]): _file(row) for row in io.records(kept.sort_values(["recording", "camera"]))}
    by_file: dict[FileKey, list[Proposed]] = {}
    frames: dict[tuple[FileKey, str], FrameRange] = {}
    for row in io.records(proposals):
        key = row["recording"], row["camera"]
        one = _proposed(row)
        by_file.setdefault(key, []).append(one)
        frames[key, one.key] = FrameRange(row["first_frame"], row["last_frame"])
    versions = sorted(set(proposals.detectors))
    return ReviewedStudy(files, by_file, frames, ",".join(versions), reviewers, margin_s)


def _file(row: Mapping[str, Any]) -> StudyFile:
    names = ("recording", "camera", "path", "sha256", "frame_count", "duration_s", "fps", "variable_rate")
    interval_s = (row["start_s"], row["end_s"])
    return StudyFile(**{name: row[name] for name in names}, size_px=(row["width"], row["height"]), interval_s=interval_s)


def _proposed(row: Mapping[str, Any]) -> Proposed:
    box = None if row["x"] is None else (row["x"], row["y"], row["w"], row["h"])
    return Proposed(row["kind"], row["source"], (row["start_s"], row["end_s"]), box, row["score"], row["faces"], row["text"])
