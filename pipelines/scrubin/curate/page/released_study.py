"""The released videos of a study, looked at by their own frames: all of them, or clips drawn at random, each with its outcome."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.base.errors import ReviewError
from scrubin.base.layout import RELEASE, UNRELEASED
from scrubin.curate.page.open_study import OpenStudy, edition
from scrubin.curate.page.stills import FileKey, Served, Stills
from scrubin.media.decode import boundaries_s
from scrubin.media.raw_file import stored_probe
from scrubin.media.source import Source
from scrubin.stages.release import gates, released_clips
from scrubin.stages.release.released_clips import ReleasedVideo
from scrubin.stages.review import Line
from scrubin.stages.review.attention import Look, Progress
from scrubin.stages.review.desk import Desk
from scrubin.stages.review.events import FINDING, Box, Clip, Sampled
from scrubin.stages.review.sample import STILLS_EVERY_S, Judgement, judgements
from scrubin.stages.review.standing import Flags, seconds_of, true_runs
from scrubin.stages.review.views import WITHDRAWN, FileView, RecordingSummary, RecordingView
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
    root
        Where they lie.
    """

    videos: Mapping[FileKey, ReleasedVideo]
    root: Path
    _times_s: dict[FileKey, Numbers] = field(default_factory=dict)
    _seen: dict[FileKey, Flags] = field(default_factory=dict)

    def going_on(self, before: OpenStudy) -> OpenStudy:
        """Return this study with what was shown and seen of it before: whoever saw a video saw it, whatever became of others."""
        if isinstance(before, ReleasedStudy):
            places = before._places()
            then = {file: places[place] for place, file in self._places().items() if place in places}
            self._seen.update({file: before._seen[one] for file, one in then.items() if one in before._seen})
        return super().going_on(before)

    def times_s(self, file: FileKey) -> Numbers:
        """Return the time of every released frame of a file, then the end of the last; shape (n + 1,)."""
        if file not in self.videos:
            raise ReviewError("there is no such released video")
        if file not in self._times_s:
            video = self.videos[file]
            self._times_s[file] = boundaries_s(stored_probe(self.root / video.path, video.path, video.sha256))
        return self._times_s[file]

    def recordings(self) -> list[RecordingSummary]:
        """Return all recordings; done are those of which every released second was seen in this session."""
        return [self._summary(one) for one in self.desk.recordings()]

    def hidden(self, file: FileKey, time_s: float) -> list[Box | None]:
        """Return nothing: what is hidden is black in these videos."""
        return []

    def recording(self, number: int) -> RecordingView:
        """Return the released videos of a recording."""
        view = self.desk.recording(number)
        files = tuple(self._file(number, file) for file in view.files if (number, file.camera) in self.videos)
        return replace(view, summary=self._summary(view.summary), files=files, proposals=(), drawn=(), missing=())

    def mine(self, number: int) -> dict[str, Any]:
        """Return what is left to see of a recording in this session; nothing is proposed."""
        return {"unseen": {file.camera: file.unseen for file in self.recording(number).files}, "seen": [], "decided": {}, "stops": {}}

    def progress(self) -> Progress:
        """Return how much of the release was seen in this session."""
        kept = [one for one in self.recordings() if one.status == "kept"]
        return Progress(sum(one.done for one in kept), sum(not one.done for one in kept), sum(one.unseen_s for one in kept), None)

    def note_seen(self, file: FileKey, view: str, frames: Sequence[int], look: Look, nonce: str) -> Line | None:
        """Append which frames of the source the released stills showed."""
        line = self._note_seen(file, file, frames, look, nonce)
        for start, end in seconds_of(frames, self.times_s(file)):
            self._flags(file)[start : end + 1] = True
        return line

    def _note_seen(self, file: FileKey, source: FileKey, frames: Sequence[int], look: Look, nonce: str) -> Line | None:
        """Append which frames of a source file the stills of a released one showed."""
        first = self.videos[file].first_source_frame
        return self.desk.seen(*source, VIEW, [first + frame for frame in frames], look, nonce)

    def _places(self) -> dict[tuple[int, ReleasedVideo], FileKey]:
        """Return the files by what they show: a recording may get another number."""
        return {(0, video): file for file, video in self.videos.items()}

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
        """Return which seconds were seen in this session; of a clip which frames."""
        if file not in self._seen:
            self._seen[file] = np.zeros(self._flag_count(file), dtype=np.bool_)
        return self._seen[file]

    def _flag_count(self, file: FileKey) -> int:
        return math.ceil(float(self.times_s(file)[-1]))


def open_released(folder: Path, by: str | None, generation: int, now_s: Callable[[], float] = time.monotonic) -> ReleasedStudy:
    """Return the study of a project as its released videos show it; ``now_s`` is a clock that nobody sets.

    Raises
    ------
    ReviewError
        When there is no release of what is rendered.
    """
    desk = Desk.open(folder, by)
    by_name = released_clips.load_released(folder)
    if not _holds(folder / RELEASE, by_name):
        raise ReviewError(f"{RELEASE}: there is no release of these videos, so there is nothing to look at; run: make repro")
    keys = [(one.number, key) for one in desk.recordings() for key in desk.reviewed.cameras(one.name)]
    videos = {(number, key[1]): by_name[key] for number, key in keys if key in by_name}
    files = {key: Source.of_file(video.path, video.sha256) for key, video in videos.items()}
    root = folder / RELEASE
    return ReleasedStudy(desk, Stills(root, files), Served(now_s), edition(desk, files), generation, videos, root)


# As the sheet of the page lays stills out; times are fractions that a float misses by a little.
SAME_CELL = 1e-6


@dataclass(frozen=True, kw_only=True)
class SampledStudy(ReleasedStudy):
    """Clips of released videos; their number is the place in the draw, and takes the place of the recording's.

    Parameters
    ----------
    drawn
        What is looked at.
    recording_of
        Number of the recording, by the number of the clip.
    """

    drawn: Sampled
    recording_of: Mapping[int, int]

    @property
    def clips(self) -> tuple[Clip, ...]:
        """The clips, in the order in which they were drawn."""
        return self.drawn.clips

    def recordings(self) -> list[RecordingSummary]:
        """Return all clips in the order of the draw; done are those that somebody judged: people share a sample.

        Of who withdrew meanwhile there is nothing to look at.
        """
        known = {one.number: one for one in self.desk.recordings()}
        judged = self._judged()
        return [self._entry(number, known[self.recording_of[number]], judged) for number in range(len(self.clips))]

    def recording(self, number: int) -> RecordingView:
        """Return the released videos of a clip, of which only its seconds are to be seen.

        Raises
        ------
        ReviewError
            When there is no such clip.
        """
        if number not in self.recording_of:
            raise ReviewError("there is no such clip")
        view = self.desk.recording(self.recording_of[number])
        files = tuple(self._file(number, file) for file in view.files if (number, file.camera) in self.videos)
        judged = self._judged()
        summary = self._entry(number, view.summary, judged)
        return replace(view, summary=summary, files=files, proposals=(), drawn=(), missing=(), log=())

    def mine(self, number: int) -> dict[str, Any]:
        """Return what is left to see of a clip in this session, and what this person said about it."""
        mine = [one for one in judgements(self.desk.lines(), self.drawn) if (one.clip, one.by) == (self.clips[number], self.desk.by)]
        outcome = {"outcome": mine[0].outcome, "why": mine[0].why} if mine else None
        return {**super().mine(number), "judged": outcome, "raw": self.raw_command(number)}

    def progress(self) -> Progress:
        """Return how many clips somebody judged, of those that can be."""
        kept = [one for one in self.recordings() if one.status == "kept"]
        done = sum(one.done for one in kept)
        return Progress(done, len(kept) - done, 0, None)

    def note_seen(self, file: FileKey, view: str, frames: Sequence[int], look: Look, nonce: str) -> Line | None:
        """Append which frames of the source the stills showed."""
        line = self._note_seen(file, (self.recording_of[file[0]], file[1]), frames, look, nonce)
        self._flags(file)[list(frames)] = True
        return line

    def judge(self, number: int, outcome: str, why: str, nonce: str) -> Line:
        """Append what this person says about a clip.

        Raises
        ------
        ReviewError
            When not enough of the clip was seen to say anything.
        """
        if number not in self.recording_of:
            raise ReviewError("there is no such clip")
        if outcome != FINDING:
            self._refuse_unseen(number)
        return self.desk.check(self.drawn.videos, self.clips[number], outcome, why, nonce)

    def raw_command(self, number: int) -> str:
        """Return the command that opens the raw review where a clip begins: what is seen in a clip is hidden there.

        "" for a clip of somebody who withdrew.
        """
        if not self._cameras(number):
            return ""
        clip, file = self.clips[number], self._cameras(number)[0]
        video = self.videos[file]
        frame = int(np.searchsorted(self.times_s(file)[:-1], clip.start_s - 1e-6))
        source_s = self.desk.boundaries_s(self.recording_of[number], file[1])
        return gates.command_at(clip.recording, float(source_s[video.first_source_frame + frame]))

    def _entry(self, number: int, of: RecordingSummary, judged: Mapping[Clip, Judgement]) -> RecordingSummary:
        clip, judgement = self.clips[number], judged.get(self.clips[number])
        nothing = replace(of, proposals=0, undecided=0, asked=0, lenses_missing=0, stops_missing=0, disputed=0, lost=0)
        named = replace(nothing, number=number, name=f"{number + 1}: {of.name}, {_clock(clip.start_s)}")
        if of.status == WITHDRAWN:
            return named
        return replace(
            named,
            status="kept",
            cameras=tuple(camera for _, camera in self._cameras(number)),
            reason="" if judgement is None else judgement.outcome,
            duration_s=clip.end_s - clip.start_s,
            unseen_s=0 if judgement is not None else math.ceil(clip.end_s - clip.start_s),
            done=judgement is not None,
        )

    def _file(self, number: int, file: FileView) -> FileView:
        clip, view = self.clips[number], super()._file(number, file)
        interval_s = clip.start_s, min(clip.end_s, view.duration_s)
        unseen = np.zeros(math.ceil(interval_s[1]), dtype=np.bool_)
        unseen[np.floor(self._unseen_cells((number, file.camera)) * STILLS_EVERY_S + SAME_CELL).astype(np.int64)] = True
        return replace(view, interval_s=interval_s, unseen=tuple(true_runs(unseen)))

    def _cameras(self, number: int) -> list[FileKey]:
        return [file for file in self.videos if file[0] == number]

    def _judged(self) -> dict[Clip, Judgement]:
        """Return what stands about each clip: a finding, if anybody says so."""
        said = judgements(self.desk.lines(), self.drawn)
        return {one.clip: one for one in sorted(said, key=lambda one: one.outcome == FINDING)}

    def _places(self) -> dict[tuple[int, ReleasedVideo], FileKey]:
        """Return the files by the clip and what it is of: what was seen in one clip was not seen in another."""
        return {(file[0], video): file for file, video in self.videos.items()}

    def _flag_count(self, file: FileKey) -> int:
        return len(self.times_s(file)) - 1

    def _unseen_cells(self, file: FileKey) -> Numbers:
        """Return the places of the stills of a clip, in ``STILLS_EVERY_S``, of which no frame was shown."""
        clip, times_s = self.clips[file[0]], self.times_s(file)[:-1]
        cells = np.floor(times_s / STILLS_EVERY_S + SAME_CELL)
        inside = (times_s >= clip.start_s - SAME_CELL) & (times_s < clip.end_s - SAME_CELL)
        return np.setdiff1d(cells[inside], cells[inside & self._flags(file)])

    def _refuse_unseen(self, number: int) -> None:
        for file in self._cameras(number):
            unseen = self._unseen_cells(file)
            if len(unseen):
                msg = (
                    f"{file[1]}: look at all of the clip first, at {1 / STILLS_EVERY_S:.0f} stills a second or more: nothing was seen of "
                    f"{_clock(unseen[0] * STILLS_EVERY_S)} (+ shows more stills, Space goes on)"
                )
                raise ReviewError(msg)


def open_sampled(
    folder: Path, by: str | None, generation: int, drawn: Sampled, now_s: Callable[[], float] = time.monotonic
) -> SampledStudy:
    """Return the clips of a draw as the released videos show them; ``now_s`` is a clock that nobody sets.

    Raises
    ------
    ReviewError
        When the videos are other ones by now, or the study no longer has what was released of a clip.
    """
    desk = Desk.open(folder, by)
    by_name = released_clips.load_released(folder)
    if released_clips.sha256_of_release(by_name) != drawn.videos:
        msg = "the released videos are other ones than those from which the clips were drawn; start 'scrubin review --sample' again"
        raise ReviewError(msg)
    numbers = {one.name: one.number for one in desk.recordings()}
    looked_at = {clip.recording for clip in drawn.clips} - {name for name in numbers if name in desk.reviewed.withdrawn}
    released_clips.require_reviewed([key for key in by_name if key[0] in looked_at], desk.reviewed.files)
    recording_of = {number: numbers[clip.recording] for number, clip in enumerate(drawn.clips)}
    videos = {
        (number, camera): by_name[name, camera]
        for number, clip in enumerate(drawn.clips)
        for name, camera in desk.reviewed.cameras(clip.recording)
        if (name, camera) in by_name
    }
    files = {key: Source.of_file(video.path, video.sha256) for key, video in videos.items()}
    # A finding keeps these very videos from being released again. Whoever takes it back looks at them where they wait.
    root = next((one for one in (folder / RELEASE, folder / UNRELEASED) if _holds(one, by_name)), folder / RELEASE)
    return SampledStudy(
        desk, Stills(root, files), Served(now_s), edition(desk, files), generation, videos, root, drawn=drawn, recording_of=recording_of
    )


def _holds(root: Path, by_name: Mapping[tuple[str, str], ReleasedVideo]) -> bool:
    return all((root / video.path).is_file() for video in by_name.values())


def _clock(time_s: float) -> str:
    minutes, seconds = divmod(time_s, 60)
    return f"{minutes:.0f}:{seconds:04.1f}".removesuffix(".0")
