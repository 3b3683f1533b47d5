"""A study as its review sees it: the files, what is proposed in each, what stands in the ledger."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.audit.expected import withdrawal_memory
from scrubin.base import strangers
from scrubin.base.errors import ManifestError, ReviewError, TableError
from scrubin.base.layout import INTERIM, PARTS_PATH, RECORDINGS_PATH, quarantine_path
from scrubin.base.tables import io
from scrubin.base.tables.private import PARTS, PROPOSALS, QUARANTINE, RECORDINGS, STOPS
from scrubin.media.decode import boundaries_s
from scrubin.media.source import Source, sources
from scrubin.stages.review.events import ADD, REJECT
from scrubin.stages.review.outcome import (
    ACCEPTED,
    NO_DRAWING,
    REJECTED,
    SHEET,
    UNREVIEWED,
    Asked,
    Drawing,
    Eye,
    Part,
    Proposed,
    added,
    drawings,
    gaps,
    holds,
    mirrored,
    parts,
    rows,
)
from scrubin.stages.review.questions import Question, is_rejected
from scrubin.stages.review.redaction_sheet import NAME, parse
from scrubin.stages.review.standing import FileKey, KnownFile, Standing


@dataclass(frozen=True)
class StudyFile:
    """One video file that can be reviewed; times are source seconds from the first frame."""

    recording: str
    camera: str
    source: Source
    size_px: tuple[int, int]
    frame_count: int
    duration_s: float
    interval_s: tuple[float, float]
    fps: str
    variable_rate: bool

    @property
    def path(self) -> str:
        """Its first file, relative to the raw folder."""
        return self.source.path

    @property
    def sha256(self) -> str:
        """What stands for all its bytes."""
        return self.source.sha256

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
class Stop:
    """A still that must be looked at by itself: frame, and when it appears; ``kind`` as in the table `stops`."""

    frame: int
    time_s: float
    kind: str


@dataclass(frozen=True)
class SheetThere:
    """``redactions.csv`` as it lies there: until it is imported, what it wants hidden is proposed; then, in files that came later.

    Parameters
    ----------
    sha256, rows
        Of its bytes; how many of its rows count.
    proposals
        By file, what it wants hidden.
    fault
        What cannot be used of it; "" when all can.
    passed_over
        Recordings of its rows that are not reviewed now.
    """

    sha256: str
    proposals: Mapping[FileKey, Sequence[Proposed]]
    rows: int
    fault: str
    passed_over: tuple[str, ...] = ()


NO_SHEET = SheetThere("", {}, 0, "")


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
    sheet
        ``redactions.csv`` as it lies there.
    withdrawn
        Recordings that were withdrawn.
    questions
        By file, what the last audit asks; the page alone has them, because nothing that is hidden depends on them.
    stops
        By file, in order of time.
    folds
        Parameter ``review.folds``.
    """

    files: Mapping[FileKey, StudyFile]
    proposals: Mapping[FileKey, Sequence[Proposed]]
    frames: Mapping[tuple[FileKey, str], FrameRange]
    detectors: str
    reviewers: int
    margin_s: float
    sheet: SheetThere
    withdrawn: Container[str] = ()
    questions: Mapping[FileKey, Sequence[Question]] = field(default_factory=dict)
    stops: Mapping[FileKey, Sequence[Stop]] = field(default_factory=dict)
    folds: float = 0.0

    def asking(self, questions: Iterable[Question]) -> ReviewedStudy:
        """Return the study as its page shows it: without who withdrew, with those questions that are about its files as they are now."""
        gone = {name for name in self.recordings() if name in self.withdrawn}
        files = {key: file for key, file in self.files.items() if key[0] not in gone}
        by_file: dict[FileKey, list[Question]] = {}
        for one in questions:
            file = files.get((one.recording, one.camera))
            if file is not None and file.sha256 == one.sha256 and one.sight.last < file.frame_count:
                by_file.setdefault(file.key, []).append(one)
        return replace(self, files=files, questions=by_file)

    def answered(self, key: FileKey, asked: Asked, standing: Standing) -> Part:
        """Return what was decided about a question: accepted where it is hidden now, whoever drew that."""
        answers = self.answers(key, asked, standing)
        drawn = (one for one in added(self._decided(key, standing), self.reviewers) if one.hides(asked))
        if ADD in answers.values() or any(drawn):
            return Part(asked.interval_s, ACCEPTED, disputed=REJECT in answers.values())
        return Part(asked.interval_s, REJECTED if is_rejected(answers, self.reviewers) else UNREVIEWED)

    def answers(self, key: FileKey, asked: Asked, standing: Standing) -> dict[str, str]:
        """Return what each person answered to a question; with one reviewer it is the last answer, whoever gave it."""
        about = [(by, one) for by, one in self._decided(key, standing) if one.proposal == asked.key]
        return {"" if self.reviewers == 1 else by: one.spans[0].what for by, one in about}

    def standing(self) -> Standing:
        """Return the state before any line of the ledger."""
        known = {key: KnownFile(file.sha256, file.frame_count, file.duration_s) for key, file in self.files.items()}
        return Standing(known, folds=self.folds)

    def cameras(self, recording: str) -> list[FileKey]:
        """Return the files of a recording, by camera."""
        return [key for key in self.files if key[0] == recording]

    def recordings(self) -> list[str]:
        """Return the recordings in order."""
        return list(dict.fromkeys(recording for recording, _ in self.files))

    def proposed(self, key: FileKey, standing: Standing, unsaid: Container[Proposed] = ()) -> list[Proposed]:
        """Return all that is proposed in a file: by the detectors, because the other camera hides it, and between two hidden spans.

        What people accepted of the latter two, or of a sheet, is no longer proposed, but for what is ``unsaid``: as if nobody had.
        """
        decided = self._decided(key, standing)
        own, drawn = self._own(key, standing, unsaid), [one for one in added(decided, self.reviewers) if one not in unsaid]
        hidden_here = [one for one in self._hidden_alone(key, standing, unsaid) if one not in unsaid]
        eye = Eye([*own, *drawn], hidden_here, [one for _, one in decided], self.files[key].duration_s, self.files[key].size_px)
        others = [other for other in self.cameras(key[0]) if other != key]
        hidden_there = [hidden for other in others for hidden in self._hidden_alone(other, standing)]
        every = [*own, *mirrored(hidden_there, self._drawn(others, key, standing), eye)]
        whole = [(one, part) for one in every if one.box_xywh is None for part in self.judged(key, one, standing)]
        hidden = [replace(one, interval_s=part.interval_s) for one, part in whole if part.decision != REJECTED]
        shown = [part.interval_s for _, part in whole if part.decision == REJECTED]
        return [*every, *gaps([*hidden, *drawn], shown)]

    def redactions(self, key: FileKey, standing: Standing) -> list[dict[str, Any]]:
        """Return the rows of the table `redactions` of a file: what the release will hide, and what people show."""
        return rows(*key, self.proposed(key, standing), self._decided(key, standing), self.reviewers)

    def offers(self, key: FileKey, proposal: str, standing: Standing) -> bool:
        """Whether a file has a proposal, or the audit a question about it, of this key."""
        asked = (question.sight.key for question in self.questions.get(key, ()))
        return proposal in {*asked, *(one.key for one in self.proposed(key, standing))}

    def judged(self, key: FileKey, proposal: Proposed, standing: Standing) -> list[Part]:
        """Return the parts of a proposal with what was decided about each."""
        return parts(proposal, self._decided(key, standing), self.reviewers)

    def _own(self, key: FileKey, standing: Standing, unsaid: Container[Proposed] = ()) -> list[Proposed]:
        """Return what the detectors propose in a file, and what a sheet does that was not imported for it."""
        return [*self.proposals.get(key, ()), *self.sheet_asks(key, standing, unsaid)]

    def sheet_asks(self, key: FileKey, standing: Standing, unsaid: Container[Proposed] = ()) -> list[Proposed]:
        """Return what the sheet that lies there wants hidden in a file, and nobody has decided about, but for what is ``unsaid``.

        Its import counts for the files that were there: one that came later, or was replaced, has no decision of before.
        """
        hidden_then = added(standing.sheets.get(self.sheet.sha256, {}).get(key, ()), self.reviewers)
        people = (one for one in added(self._decided(key, standing), self.reviewers) if one not in unsaid)
        known = [(one.kind, one.interval_s, one.box_xywh) for one in people]
        asked = [one for one in self.sheet.proposals.get(key, ()) if (one.kind, one.interval_s, one.box_xywh) not in known]
        return [one for one in asked if not any(holds(earlier, one) for earlier in hidden_then)]

    def sheet_wants(self, key: FileKey, standing: Standing) -> bool:
        """Whether the sheet that lies there wants something hidden in a file that nobody decided about, there or by rejecting that."""
        parts_of = (part for one in self.sheet_asks(key, standing) for part in self.judged(key, one, standing))
        return any(part.decision == UNREVIEWED for part in parts_of)

    def _decided(self, key: FileKey, standing: Standing) -> list[Any]:
        return list(standing.decided.get(key, {}).values())

    def _drawn(self, others: Iterable[FileKey], key: FileKey, standing: Standing) -> dict[Proposed, Drawing]:
        """Return what people drew in the other files of a recording, and how many decisions about this one had been made by then.

        What was taken back, and is there again, is as young as the line that brought it back: who decided meanwhile did not mean it.
        """
        done: dict[Proposed, Drawing] = {}
        for other in others:
            numbers = list(standing.decided.get(other, {}))
            for one, place, is_added in drawings(self._decided(other, standing), self.reviewers, self.proposals.get(other, ())):
                drawn_at = standing.restored.get(numbers[place], numbers[place])
                before = sum(number < drawn_at for number in standing.decided.get(key, {}))
                known = done.get(one, NO_DRAWING)
                done[one] = Drawing(max(before, known.before), is_added=is_added or known.is_added)
        return done

    def _hidden_alone(self, key: FileKey, standing: Standing, unsaid: Container[Proposed] = ()) -> Iterable[Proposed]:
        """Yield what is hidden in a file, but for what the other camera proposes."""
        for proposal in self._own(key, standing, unsaid):
            for part in self.judged(key, proposal, standing):
                if part.decision != REJECTED:
                    yield Proposed(
                        proposal.kind, proposal.source, part.interval_s, proposal.box_xywh, proposal.score, proposal.faces, proposal.text
                    )
        yield from added(self._decided(key, standing), self.reviewers)


Times = npt.NDArray[np.float64]
Boundaries = Mapping[FileKey, Times]
"""By file, the presentation time of every frame in source seconds, then the end of the last; each of shape (n + 1,)."""


class FrameTimes(Boundaries):
    """When the frames of a study's files are shown, as it was stored when they were ingested.

    A file's times are read when they are first asked for, then kept: a long study has gigabytes of them, and few of its files are looked
    at in one sitting. Asking raises a `VideoError` when nothing is stored and the file cannot be read.

    Parameters
    ----------
    raw
        Folder of the raw study.
    files
        Of the study.
    """

    def __init__(self, raw: Path, files: Mapping[FileKey, StudyFile]) -> None:
        self._raw, self._files = raw, files
        self._known: dict[FileKey, Times] = {}

    def __getitem__(self, key: FileKey) -> Times:
        """Return the times of a file."""
        if key not in self._known:
            self._known[key] = boundaries_s(self._files[key].source.probe(self._raw))
        return self._known[key]

    def __iter__(self) -> Iterator[FileKey]:
        """Return all files."""
        return iter(self._files)

    def __len__(self) -> int:
        """Return how many files there are."""
        return len(self._files)


def load(reviewers: int, margin_s: float, raw: Path, folder: Path = Path(), *, folds: float = 0.0) -> ReviewedStudy:
    """Return the study of which the stages ingest and screen have written the tables.

    Parameters
    ----------
    raw
        Folder of the raw study.

    Raises
    ------
    ReviewError
        When they have not run yet.
    """
    try:
        recordings = io.read(RECORDINGS, folder / RECORDINGS_PATH)
        parts = io.read(PARTS, folder / PARTS_PATH)
        proposals = io.read(PROPOSALS, folder / INTERIM / "proposals.parquet")
        stops = io.read(STOPS, folder / INTERIM / "stops.parquet")
        quarantined = {name for stage in ("ingest", "screen") for name in io.read(QUARANTINE, folder / quarantine_path(stage)).recording}
    except TableError as error:
        raise ReviewError(f"{error}; the stages ingest and screen make what is reviewed, run: .venv/bin/dvc repro screen") from error
    try:
        sheet = strangers.read_bytes(raw / NAME)
    except OSError as error:
        raise ReviewError(f"{raw / NAME}: cannot be read ({error.strerror}); a file with just its header means: nothing to add") from error
    memory = withdrawal_memory.load(folder)
    return replace(of_tables(recordings, parts, proposals, stops, quarantined, reviewers, margin_s, sheet, memory), folds=folds)


def of_tables(
    recordings: pd.DataFrame,
    parts: pd.DataFrame,
    proposals: pd.DataFrame,
    stops: pd.DataFrame,
    quarantined: Iterable[str],
    reviewers: int,
    margin_s: float,
    sheet: bytes,
    withdrawn: Container[str] = (),
) -> ReviewedStudy:
    """Return the study of these tables; quarantined recordings cannot be reviewed, and are not released."""
    kept = recordings[(recordings.status == "kept") & ~recordings.recording.isin(set(quarantined))]
    of_files = sources(parts)
    files = {(row["recording"], row["camera"]): _file(row, of_files) for row in io.records(kept.sort_values(["recording", "camera"]))}
    by_file: dict[FileKey, list[Proposed]] = {}
    frames: dict[tuple[FileKey, str], FrameRange] = {}
    for row in io.records(proposals):
        key = row["recording"], row["camera"]
        one = _proposed(row)
        by_file.setdefault(key, []).append(one)
        frames[key, one.key] = FrameRange(row["first_frame"], row["last_frame"])
    versions = sorted(set(proposals.detectors))
    there = _sheet_there(sheet, files, {str(name) for name in recordings.recording} | set(quarantined), withdrawn)
    return ReviewedStudy(files, by_file, frames, ",".join(versions), reviewers, margin_s, there, withdrawn, stops=_stops(stops, files))


SAME_S = 1e-6
"""Times this close are the same, here as where the stage screen tells which frames are kept."""


def _stops(stops: pd.DataFrame, files: Mapping[FileKey, StudyFile]) -> dict[FileKey, list[Stop]]:
    """Return the stops of each file that lie in its kept interval."""
    done: dict[FileKey, list[Stop]] = {}
    for row in io.records(stops.sort_values(["recording", "camera", "frame"])):
        file = files.get((row["recording"], row["camera"]))
        if file is not None and file.interval_s[0] - SAME_S <= row["time_s"] < file.interval_s[1] - SAME_S:
            done.setdefault(file.key, []).append(Stop(row["frame"], row["time_s"], row["kind"]))
    return done


def _sheet_there(data: bytes, files: Mapping[FileKey, StudyFile], known: set[str], withdrawn: Container[str]) -> SheetThere:
    cameras: dict[str, tuple[str, ...]] = {}
    for recording, camera in files:
        cameras[recording] = (*cameras.get(recording, ()), camera)
    sha256 = hashlib.sha256(data).hexdigest()
    try:
        decided = parse(data, cameras, known - set(cameras), withdrawn)
    except ManifestError as error:
        return SheetThere(sha256, {}, 1, str(error))
    by_file: dict[FileKey, list[Proposed]] = {}
    for row in decided.rows:
        interval_s = row.interval_s(files[row.recording, row.camera].duration_s)
        if row.decision != REJECT and interval_s[0] < interval_s[1]:
            by_file.setdefault((row.recording, row.camera), []).append(Proposed(row.kind, SHEET, interval_s, row.box_xywh))
    faults = [str(error) for _, error in sorted(decided.errors.items())]
    # A row without a camera holds for each of them, and is one row.
    count = len({row.line for row in decided.rows}) + len(faults)
    return SheetThere(sha256, by_file, count, "; ".join(faults), tuple(sorted(decided.passed_over)))


def _file(row: Mapping[str, Any], of_files: Mapping[FileKey, Source]) -> StudyFile:
    names = ("recording", "camera", "frame_count", "duration_s", "fps", "variable_rate")
    interval_s = (row["start_s"], row["end_s"])
    return StudyFile(
        **{name: row[name] for name in names},
        source=of_files[row["recording"], row["camera"]],
        size_px=(row["width"], row["height"]),
        interval_s=interval_s,
    )


def _proposed(row: Mapping[str, Any]) -> Proposed:
    box = None if row["x"] is None else (row["x"], row["y"], row["w"], row["h"])
    return Proposed(row["kind"], row["source"], (row["start_s"], row["end_s"]), box, row["score"], row["faces"], row["text"])
