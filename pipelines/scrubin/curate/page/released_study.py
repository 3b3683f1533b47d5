"""The released videos of a study: they are looked at by the numbers or the times of their own frames, nothing is decided."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.base.errors import ReviewError
from scrubin.curate.page.open_study import OpenStudy, edition
from scrubin.curate.page.stills import FileKey, Served, Stills
from scrubin.media.decode import boundaries_s
from scrubin.media.raw_file import stored_probe
from scrubin.media.source import Source
from scrubin.stages.release import released_clips
from scrubin.stages.release.released_clips import RELEASE, ReleasedVideo
from scrubin.stages.review.attention import Look, Progress
from scrubin.stages.review.desk import Desk
from scrubin.stages.review.ledger import Line
from scrubin.stages.review.standing import Flags, seconds_of, true_runs
from scrubin.stages.review.views import FileView, RecordingSummary, RecordingView
from scrubin.stages.screen.proposals import Numbers

VIEW = "released"
NOT_RELEASED = "it is not in the release"


@dataclass(frozen=True)
class ReleasedStudy(OpenStudy):
    """A study as its released videos show it.

    Parameters
    ----------
    videos
        By number of the recording, and camera.
    folder
        The project.
    """

    videos: Mapping[FileKey, ReleasedVideo]
    folder: Path
    _times_s: dict[FileKey, Numbers] = field(default_factory=dict)
    _seen: dict[FileKey, Flags] = field(default_factory=dict)

    def times_s(self, file: FileKey) -> Numbers:
        """Return the time of every released frame of a file, then the end of the last; shape (n + 1,)."""
        if file not in self.videos:
            msg = "there is no such released video"
            raise ReviewError(msg)
        if file not in self._times_s:
            video = self.videos[file]
            self._times_s[file] = boundaries_s(stored_probe(self.folder / RELEASE / video.path, video.path, video.sha256))
        return self._times_s[file]

    def recordings(self) -> list[RecordingSummary]:
        """Return all recordings; done are those of which every released second was seen in this session."""
        return [self._summary(one) for one in self.desk.recordings()]

    def recording(self, number: int) -> RecordingView:
        """Return the released videos of a recording."""
        view = self.desk.recording(number)
        files = tuple(self._file(number, file) for file in view.files if (number, file.camera) in self.videos)
        return replace(view, summary=self._summary(view.summary), files=files, proposals=(), drawn=(), missing=())

    def mine(self, number: int) -> dict[str, Any]:
        """Return what is left to see of a recording in this session; nothing is proposed."""
        return {"unseen": {file.camera: file.unseen for file in self.recording(number).files}, "seen": [], "decided": [], "stops": {}}

    def progress(self) -> Progress:
        """Return how much of the release was seen in this session."""
        kept = [one for one in self.recordings() if one.status == "kept"]
        return Progress(sum(one.done for one in kept), sum(not one.done for one in kept), sum(one.unseen_s for one in kept), None)

    def note_seen(self, file: FileKey, view: str, frames: Sequence[int], look: Look, nonce: str) -> Line | None:
        """Append which frames of the source the released stills showed."""
        return self._note_seen(file, file, frames, look, nonce)

    def _note_seen(self, file: FileKey, source: FileKey, frames: Sequence[int], look: Look, nonce: str) -> Line | None:
        """Append which frames of a source file the stills of a released one showed."""
        first = self.videos[file].first_source_frame
        line = self.desk.seen(*source, VIEW, [first + frame for frame in frames], look, nonce)
        for start, end in seconds_of(frames, self.times_s(file)):
            self._flags(file)[start : end + 1] = True
        return line

    def _summary(self, one: RecordingSummary) -> RecordingSummary:
        files = [(one.number, camera) for camera in one.cameras if (one.number, camera) in self.videos]
        nothing = replace(
            one, proposals=0, undecided=0, asked=0, unseen_s=0, lenses_missing=0, stops_missing=0, disputed=0, lost=0, done=True
        )
        if not files:
            return replace(nothing, status="excluded", reason=NOT_RELEASED) if one.status == "kept" else nothing
        unseen_s = sum(self._unseen_s(file) for file in files)
        duration_s = max(self._duration_s(file) for file in files)
        cameras = tuple(camera for _, camera in files)
        return replace(nothing, cameras=cameras, unseen_s=unseen_s, done=not unseen_s, status="kept", reason="", duration_s=duration_s)

    def _file(self, number: int, file: FileView) -> FileView:
        key = number, file.camera
        times_s, video = self.times_s(key), self.videos[key]
        interval_s = 0.0, float(times_s[-1])
        unseen = tuple(true_runs(~self._flags(key)))
        return replace(
            file,
            path=video.path,
            sha256=video.sha256,
            frame_count=len(times_s) - 1,
            duration_s=interval_s[1],
            interval_s=interval_s,
            unseen=unseen,
            lost=0,
            stops=(),
            unseen_stops=(),
            unlooked=0,
        )

    def _unseen_s(self, file: FileKey) -> int:
        return int((~self._seen[file]).sum()) if file in self._seen else math.ceil(self._duration_s(file))

    def _duration_s(self, file: FileKey) -> float:
        """Return how long a released video lasts, by the times of its source: to read all of them would take long."""
        video = self.videos[file]
        source_s = self.desk.boundaries_s(*file)
        return float(source_s[video.first_source_frame + video.frame_count] - source_s[video.first_source_frame])

    def _flags(self, file: FileKey) -> Flags:
        if file not in self._seen:
            self._seen[file] = np.zeros(math.ceil(self.times_s(file)[-1]), dtype=np.bool_)
        return self._seen[file]


def open_released(folder: Path, by: str | None, generation: int, now_s: Callable[[], float] = time.monotonic) -> ReleasedStudy:
    """Return the study of a project as its released videos show it; ``now_s`` is a clock that nobody sets.

    Raises
    ------
    ReviewError
        When there is no release of what is rendered.
    """
    desk = Desk.open(folder, by)
    by_name = released_clips.load_released(folder)
    if not all((folder / RELEASE / video.path).is_file() for video in by_name.values()):
        msg = f"{RELEASE}: there is no release of these videos, so there is nothing to look at; run: make repro"
        raise ReviewError(msg)
    keys = [(one, camera) for one in desk.recordings() for camera in one.cameras]
    videos = {(one.number, camera): by_name[one.name, camera] for one, camera in keys if (one.name, camera) in by_name}
    files = {key: Source.of_file(video.path, video.sha256) for key, video in videos.items()}
    stills = Stills(folder / RELEASE, files)
    return ReleasedStudy(desk, stills, Served(now_s), edition(desk, files), generation, videos, folder)
