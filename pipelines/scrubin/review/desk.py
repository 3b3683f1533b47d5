"""The desk at which a person reviews a study: everything that the page and the commands ask for, and every decision."""

from __future__ import annotations

import datetime
import getpass
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.core import params
from scrubin.core.errors import ReviewError
from scrubin.review import events, study
from scrubin.review.coverage import Run, lens_frames, seconds_of
from scrubin.review.events import ACCEPT, ADD, REJECT, Box, Decided, DecidedSpan
from scrubin.review.ledger import LEDGER_PATH, Ledger, Line
from scrubin.review.params import ReviewParams
from scrubin.review.progress import Progress, progress
from scrubin.review.standing import FileKey, Standing
from scrubin.review.status import FileStatus, Judged, file_status, judged
from scrubin.tables import io
from scrubin.tables.private.quarantine import QUARANTINE
from scrubin.tables.private.recordings import RECORDINGS
from scrubin.video.probe_cache import stored_sha256

QUARANTINES = ("ingest", "screen", "render")
DRAWN = "line:"
"""The key of what a person added: the line of the ledger that did."""
CHANGE = "change"
WHATS = (ACCEPT, REJECT, CHANGE, ADD)


@dataclass(frozen=True)
class FileView:
    """One video file; ``unseen`` seconds as runs, ``lost`` lines of the ledger about another file of that name."""

    camera: str
    path: str
    sha256: str
    size_px: tuple[int, int]
    frame_count: int
    duration_s: float
    interval_s: tuple[float, float]
    fps: str
    variable_rate: bool
    unseen: tuple[Run, ...]
    lost: int


@dataclass(frozen=True)
class ProposalView:
    """A proposal: frames ``[first, last]`` of the source; ``parts`` are frames and what was decided about them."""

    key: str
    camera: str
    kind: str
    source: str
    score: float | None
    faces: int | None
    first: int
    last: int
    start_s: float
    end_s: float
    box_xywh: Box | None
    decision: str
    hidden: bool
    disputed: bool
    lens: tuple[Run, ...]
    lens_seen: bool
    parts: tuple[tuple[float, float, str], ...]


@dataclass(frozen=True)
class DrawnView:
    """What a person added."""

    key: str
    camera: str
    kind: str
    first: int
    last: int
    start_s: float
    end_s: float
    box_xywh: Box | None
    by: str
    why: str


@dataclass(frozen=True)
class RecordingSummary:
    """A line of the list: ``status`` is kept, excluded or quarantined; ``done`` when nothing is unseen or undecided."""

    number: int
    name: str
    task: str
    cameras: tuple[str, ...]
    status: str
    reason: str
    duration_s: float
    proposals: int
    undecided: int
    unseen_s: int
    lenses_missing: int
    disputed: int
    lost: int
    done: bool


@dataclass(frozen=True)
class RecordingView:
    """One recording, all of it."""

    summary: RecordingSummary
    files: tuple[FileView, ...]
    proposals: tuple[ProposalView, ...]
    drawn: tuple[DrawnView, ...]
    missing: tuple[str, ...]
    log: tuple[Mapping[str, Any], ...]


class Desk:
    """A study, its ledger and one person; not for several threads at once.

    Parameters
    ----------
    folder
        The project.
    of
        What is reviewed.
    ledger
        Where decisions go.
    by
        Who decides.
    """

    def __init__(self, folder: Path, of: study.ReviewedStudy, ledger: Ledger, by: str, raw: Path) -> None:
        self._folder, self._study, self._ledger, self.by, self._raw = folder, of, ledger, by, raw
        self.session = secrets.token_hex(8)
        self._standing = of.standing()
        self._applied = 0
        self._boundaries: dict[FileKey, npt.NDArray[np.float64]] = {}
        self._status: dict[str, list[tuple[FileStatus, list[Judged]]]] = {}
        rows = io.records(io.read(RECORDINGS, folder / study.INTERIM / "recordings.parquet"))
        self._rows: dict[str, list[dict[str, Any]]] = {}
        for row in sorted(rows, key=lambda row: (row["recording"], row["camera"])):
            self._rows.setdefault(row["recording"], []).append(row)
        self._names = list(self._rows)

    @classmethod
    def open(cls, folder: Path = Path(), by: str | None = None) -> Desk:
        """Return the desk of a project.

        Raises
        ------
        ReviewError
            When there is nothing to review yet, or the ledger's chain is broken.
        """
        path = folder / params.PARAMS_PATH
        reviewers = params.load("review", ReviewParams, path).reviewers
        margin_s = float(params.read(path).get("screen", {}).get("margin_s", 0))
        of = study.load(reviewers, margin_s, folder)
        desk = cls(folder, of, Ledger(folder / LEDGER_PATH), by or getpass.getuser(), folder / params.raw_folder(path))
        desk._update()
        return desk

    @property
    def head(self) -> str:
        """Changes with every line of the ledger, also with those of other programs."""
        self._update()
        return self._ledger.head

    @property
    def reviewed(self) -> study.ReviewedStudy:
        """The study."""
        return self._study

    @property
    def standing(self) -> Standing:
        """What stands now."""
        self._update()
        return self._standing

    def boundaries_s(self, number: int, camera: str) -> npt.NDArray[np.float64]:
        """Return the presentation time of every frame, then the end of the last; shape (n + 1,)."""
        return self.times_s((self._name(number), camera))

    def file(self, number: int, camera: str) -> study.StudyFile:
        """Return a file of a recording.

        Raises
        ------
        ReviewError
            When there is none.
        """
        key = self._name(number), camera
        if key not in self._study.files:
            msg = "there is no such video file to review"
            raise ReviewError(msg)
        return self._study.files[key]

    def path(self, file: study.StudyFile) -> Path:
        """Return where a file lies."""
        return self._raw / file.path

    def recordings(self) -> list[RecordingSummary]:
        """Return all recordings of the manifest, by name."""
        self._update()
        return [self._summary(number) for number in range(len(self._names))]

    def recording(self, number: int) -> RecordingView:
        """Return one recording."""
        self._update()
        name = self._name(number)
        status = self._statuses(name)
        files = tuple(self._file_view(one) for one, _ in status)
        proposals = tuple(self._proposal_view(one.key, item) for one, items in status for item in items)
        drawn = tuple(view for one, _ in status for view in self._drawn(one.key))
        log = tuple(self._log(name))
        return RecordingView(self._summary(number), files, proposals, drawn, tuple(self._missing(status)), log)

    def progress(self) -> Progress:
        """Return how much is done, and how long the rest takes at the pace so far."""
        summaries = [one for one in self.recordings() if one.status == "kept"]
        return progress(summaries, self._ledger.lines())

    def decide(
        self,
        number: int,
        camera: str,
        what: str,
        kind: str,
        first: int,
        last: int,
        *,
        box_xywh: Box | None = None,
        proposal_key: str = "",
        why: str = "",
        nonce: str = "",
        to_first: int | None = None,
        to_last: int | None = None,
    ) -> Line:
        """Append a decision about frames ``[first, last]``; ``change`` accepts ``[to_first, to_last]`` instead.

        Rejecting what a person added withdraws it; changing it withdraws it and adds the new span.

        Raises
        ------
        ReviewError
            When the frames or the rectangle lie outside, or what it is about is gone.
        """
        self._update()
        file = self.file(number, camera)
        self._refuse_other_file(file)
        if what not in WHATS or kind not in events.KINDS:
            msg = f"a decision is one of {', '.join(WHATS)} about one of {', '.join(events.KINDS)}"
            raise ReviewError(msg)
        target = (to_first, to_last) if what == CHANGE and to_first is not None and to_last is not None else (first, last)
        for a, b in ((first, last), target):
            if not 0 <= a <= b < file.frame_count:
                msg = f"frames {a} to {b} are no span of a file with frames 0 to {file.frame_count - 1}"
                raise ReviewError(msg)
        self._refuse_box(file, box_xywh)
        if proposal_key.startswith(DRAWN):
            return self._decide_drawn(file, what, kind, target, box_xywh, proposal_key, why, nonce)
        if what in (ACCEPT, REJECT, CHANGE):
            self._refuse_changed(file.key, proposal_key)
        times_s = self.times_s(file.key)
        spans = _spans(what, (first, last), target, times_s)
        decided = Decided(file.recording, camera, file.sha256, kind, spans, box_xywh, why, proposal_key, self._study.detectors)
        return self._append("decided", decided, nonce)

    def seen(self, number: int, camera: str, view: str, frames: Sequence[int], nonce: str = "") -> Line | None:
        """Append that stills were seen; None when there are none."""
        file = self.file(number, camera)
        numbers = sorted({int(frame) for frame in frames})
        if not numbers:
            return None
        if view not in events.VIEWS or numbers[0] < 0 or numbers[-1] >= file.frame_count:
            msg = f"no such stills: view '{view}', frames {numbers[0]} to {numbers[-1]} of {file.frame_count}"
            raise ReviewError(msg)
        seconds = tuple(seconds_of(numbers, self.times_s(file.key)))
        return self._append("seen", events.Seen(file.recording, camera, file.sha256, view, events.runs(numbers), seconds), nonce)

    def exclude(self, number: int, why: str, nonce: str = "") -> Line:
        """Append that a recording is not to be released."""
        name = self._name(number)
        if not why.strip():
            msg = "say why the recording is excluded"
            raise ReviewError(msg)
        sha256 = {key[1]: self._study.files[key].sha256 for key in self._study.cameras(name)}
        if not sha256:
            msg = f"'{name}' is not kept: it is not released anyway"
            raise ReviewError(msg)
        return self._append("excluded", events.Excluded(name, sha256, why.strip()), nonce)

    def include(self, number: int, nonce: str = "") -> Line:
        """Append that an exclusion counts no longer."""
        self._update()
        entry = self._standing.excludes(self._name(number))
        if entry is None:
            msg = "the recording is not excluded by a reviewer"
            raise ReviewError(msg)
        return self._append("withdrawn", events.Withdrawn(entry[0].number, ""), nonce)

    def acknowledge(self, subject: str, key: str, why: str, until: str | None = None, nonce: str = "") -> Line:
        """Append that somebody knows of a quarantined recording, a warning or a near-duplicate."""
        if subject not in events.SUBJECTS or not why.strip():
            msg = f"an acknowledgement is about one of {', '.join(events.SUBJECTS)}, and needs a reason"
            raise ReviewError(msg)
        if until is not None and not _is_date(until):
            msg = f"'{until}' is no date such as 2027-01-31"
            raise ReviewError(msg)
        return self._append("acknowledged", events.Acknowledged(subject, key, why.strip(), until), nonce)

    def undo(self, nonce: str = "") -> Line | None:
        """Withdraw this person's latest decision, exclusion or acknowledgement that still stands; None when there is none."""
        self._update()
        mine = [line.number for line, _ in self._standing.lines.values() if line.by == self.by and self._standing.stands(line.number)]
        return self._append("withdrawn", events.Withdrawn(max(mine), ""), nonce) if mine else None

    def times_s(self, key: FileKey) -> npt.NDArray[np.float64]:
        """Return the presentation time of every frame of a file, then the end of the last; shape (n + 1,)."""
        if key not in self._boundaries:
            self._boundaries[key] = study.times_s(self._raw, self._study.files[key])
        return self._boundaries[key]

    def set_aside(self) -> set[str]:
        """Return the recordings of the manifest that cannot be reviewed: nothing of them is released."""
        quarantined = {str(row["recording"]) for row in self.quarantined()}
        return (set(self._names) | quarantined) - set(self._study.recordings())

    def append_all(self, imported: Sequence[events.Event]) -> None:
        """Append decisions of a sheet; the last event is the sheet itself."""
        for event in imported[:-1]:
            self._append("decided", event, "")
        self._append("imported", imported[-1], "")

    def append_exported(self, sheet: events.Sheet) -> None:
        """Append that a sheet was written."""
        self._append("exported", sheet, "")

    def quarantined(self) -> list[dict[str, Any]]:
        """Return the quarantined files of all stages that ran, each with its acknowledgement."""
        self._update()
        rows = []
        for stage in QUARANTINES:
            path = self._folder / study.INTERIM / f"quarantine_{stage}.parquet"
            rows += io.records(io.read(QUARANTINE, path)) if path.is_file() else []
        return [{**row, "acknowledged": self._acknowledged("quarantine", row["recording"])} for row in rows]

    def warnings(self) -> list[dict[str, Any]]:
        """Return the rules of the last validation that warned, each with its acknowledgement."""
        self._update()
        failed = [one for one in self._outcomes() if one["result"] == "failed" and one["severity"] == "warning"]
        rows = [{"key": f"{one['table']}.{one['rule']}", "says": one["says"], "count": one["count"]} for one in failed]
        return [{**row, "acknowledged": self._acknowledged("warning", row["key"])} for row in rows]

    def near_duplicates(self) -> list[dict[str, Any]]:
        """Return the pairs of released ids that the last validation found to show the same, each with its acknowledgement."""
        self._update()
        found = [row for one in self._outcomes() if one["rule"] == "near_duplicate_recording" for row in one["keys"]]
        keys = sorted({",".join(sorted((row["id"], row["like"]))) for row in found})
        return [{"key": key, "acknowledged": self._acknowledged("near-duplicate", key)} for key in keys]

    def _outcomes(self) -> list[dict[str, Any]]:
        try:
            said = json.loads((self._folder / study.INTERIM / "validation.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []  # the stage validate has not run yet
        outcomes: list[dict[str, Any]] = said["outcomes"]
        return outcomes

    def _acknowledged(self, subject: str, key: str) -> dict[str, Any] | None:
        entry = self._standing.acknowledged.get((subject, key))
        return None if entry is None else {"by": entry[0].by, "why": entry[1].why, "until": entry[1].until}

    def _update(self) -> None:
        lines = self._ledger.lines()
        if len(lines) < self._applied:  # another file under this name
            self._standing, self._applied = self._study.standing(), 0
        if len(lines) > self._applied:
            self._standing.apply(lines[self._applied :])
            for line in lines[self._applied :]:
                self._status.pop(str(line.facts.get("recording", "")), None)
                if line.event == "withdrawn":
                    self._status.clear()
            self._applied = len(lines)

    def _append(self, event: str, says: events.Event, nonce: str) -> Line:
        line = self._ledger.append(event, events.facts(says), by=self.by, session=self.session, nonce=nonce)
        self._update()
        return line

    def _decide_drawn(
        self,
        file: study.StudyFile,
        what: str,
        kind: str,
        target: tuple[int, int],
        box_xywh: Box | None,
        key: str,
        why: str,
        nonce: str,
    ) -> Line:
        number = int(key.removeprefix(DRAWN).partition(":")[0])
        if not self._standing.stands(number):
            msg = "this span was withdrawn in the meantime; look at it again"
            raise ReviewError(msg)
        if what == CHANGE:
            # The new span first: whatever happens between the two lines, nothing is shown.
            spans = _spans(ADD, target, target, self.times_s(file.key))
            decided = Decided(file.recording, file.camera, file.sha256, kind, spans, box_xywh, why, key, self._study.detectors)
            line = self._append("decided", decided, nonce and f"{nonce}+")
            self._append("withdrawn", events.Withdrawn(number, why), nonce)
            return line
        if what == REJECT:
            if self._study.reviewers > 1 and self._standing.lines[number][0].by != self.by:
                msg = f"'{self._standing.lines[number][0].by}' added this span, and only they can withdraw it"
                raise ReviewError(msg)
            return self._append("withdrawn", events.Withdrawn(number, why), nonce)
        msg = "what a person added is hidden already"
        raise ReviewError(msg)

    def _refuse_other_file(self, file: study.StudyFile) -> None:
        path = self.path(file)
        if not path.is_file():
            msg = f"{file.path}: the file is gone; put it back, then run: .venv/bin/dvc repro screen"
            raise ReviewError(msg)
        if stored_sha256(path, file.path) != file.sha256:
            msg = f"{file.path}: the file is another one than was screened; run: .venv/bin/dvc repro screen"
            raise ReviewError(msg)

    def _refuse_box(self, file: study.StudyFile, box_xywh: Box | None) -> None:
        if box_xywh is None:
            return
        x, y, w, h = box_xywh
        if x < 0 or y < 0 or w < 1 or h < 1 or x + w > file.size_px[0] or y + h > file.size_px[1]:
            msg = f"the rectangle {x},{y},{w},{h} is not inside the picture of {file.size_px[0]}x{file.size_px[1]} pixels"
            raise ReviewError(msg)

    def _refuse_changed(self, key: FileKey, proposal_key: str) -> None:
        known = {item.proposal.key for one, items in self._statuses(key[0]) if one.key == key for item in items}
        if proposal_key not in known:
            msg = "this proposal is no longer there: the detectors ran again, or the other camera changed; look at it again"
            raise ReviewError(msg)

    def _name(self, number: int) -> str:
        if not 0 <= number < len(self._names):
            msg = "there is no such recording"
            raise ReviewError(msg)
        return self._names[number]

    def _statuses(self, name: str) -> list[tuple[FileStatus, list[Judged]]]:
        if name not in self._status:
            done = []
            for key in self._study.cameras(name):
                items = judged(self._study, key, self._standing, self.times_s)
                done.append((file_status(self._study, key, self._standing, items), items))
            self._status[name] = done
        return self._status[name]

    def _summary(self, number: int) -> RecordingSummary:
        name = self._names[number]
        rows = self._rows[name]
        status = self._statuses(name)
        state, reason = self._state(name, rows)
        undecided = sum(len(one.undecided) for one, _ in status)
        return RecordingSummary(
            number=number,
            name=name,
            task=rows[0]["task"],
            cameras=tuple(one.key[1] for one, _ in status) or tuple(sorted(row["camera"] for row in rows)),
            status=state,
            reason=reason,
            duration_s=max((row["duration_s"] or 0.0 for row in rows), default=0.0),
            proposals=sum(len(items) for _, items in status),
            undecided=undecided,
            unseen_s=sum(one.unseen_s for one, _ in status),
            lenses_missing=sum(len(one.unseen_lenses) for one, _ in status),
            disputed=sum(len(one.disputed) for one, _ in status),
            lost=sum(one.lost for one, _ in status),
            done=state != "kept" or (not undecided and all(one.is_seen for one, _ in status)),
        )

    def _state(self, name: str, rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
        entry = self._standing.excludes(name)
        if entry is not None:
            return "excluded", f"{entry[1].why} ({entry[0].by})"
        if self._study.cameras(name):
            return "kept", ""
        bad = next((row for row in rows if row["status"] != "kept"), None)
        return (str(bad["status"]), str(bad["reason"] or "")) if bad else ("quarantined", "it could not be screened, see the report")

    def _file_view(self, status: FileStatus) -> FileView:
        file = self._study.files[status.key]
        names = ("camera", "path", "sha256", "size_px", "frame_count", "duration_s", "interval_s", "fps", "variable_rate")
        return FileView(**{name: getattr(file, name) for name in names}, unseen=status.unseen, lost=status.lost)

    def _proposal_view(self, key: FileKey, item: Judged) -> ProposalView:
        proposal = item.proposal
        return ProposalView(
            key=proposal.key,
            camera=key[1],
            kind=proposal.kind,
            source=proposal.source,
            score=proposal.score,
            faces=proposal.faces,
            first=item.first,
            last=item.last,
            start_s=proposal.interval_s[0],
            end_s=proposal.interval_s[1],
            box_xywh=proposal.box_xywh,
            decision=item.decision,
            hidden=item.hidden,
            disputed=any(part.disputed for part in item.parts),
            lens=tuple(lens_frames(item.first, item.last, self._study.files[key].frame_count)),
            lens_seen=len(item.lens_seen_by) >= self._study.reviewers,
            parts=tuple((*part.interval_s, part.decision) for part in item.parts),
        )

    def _drawn(self, key: FileKey) -> list[DrawnView]:
        views = []
        for number, (by, one) in self._standing.decided.get(key, {}).items():
            for place, span in enumerate(one.spans):
                if span.what == ADD:
                    name = f"{DRAWN}{number}" + (f":{place}" if place else "")
                    views.append(
                        DrawnView(name, key[1], one.kind, span.first, span.last, span.start_s, span.end_s, one.box_xywh, by, one.why)
                    )
        return views

    def _log(self, name: str) -> list[dict[str, Any]]:
        """Return what was decided about a recording, the latest first; what was seen is not among it."""
        rows = []
        for line, event in self._standing.lines.values():
            about = event
            if isinstance(event, events.Withdrawn):
                about = self._standing.lines[event.line][1] if event.line in self._standing.lines else event
            if getattr(about, "recording", None) == name:
                stands = self._standing.stands(line.number)
                rows.append({"line": line.number, "at": line.at, "by": line.by, "event": line.event, "stands": stands, **dict(line.facts)})
        return rows[::-1]

    def _missing(self, status: Sequence[tuple[FileStatus, Sequence[Judged]]]) -> list[str]:
        says = []
        for one, _ in status:
            if one.unseen:
                says.append(f"{one.key[1]}: {one.unseen_s} s unseen, the first at {one.unseen[0][0]} s")
            if one.unseen_lenses:
                says.append(f"{one.key[1]}: the lens of {len(one.unseen_lenses)} proposals unseen")
            if one.undecided:
                says.append(f"{one.key[1]}: {len(one.undecided)} proposals undecided, so they are hidden")
            if one.disputed:
                says.append(f"{one.key[1]}: people disagree about {len(one.disputed)} proposals, so they are hidden")
            if one.lost:
                says.append(f"{one.key[1]}: the file changed, {one.lost} earlier entries count no longer")
        return says


def _spans(what: str, proposed: Run, target: Run, boundaries_s: npt.NDArray[np.float64]) -> tuple[DecidedSpan, ...]:
    def span(name: str, first: int, last: int) -> DecidedSpan:
        return DecidedSpan(name, first, last, float(boundaries_s[first]), float(boundaries_s[last + 1]))

    if what != CHANGE:
        return (span(what, *proposed),)
    left = [(proposed[0], min(proposed[1], target[0] - 1)), (max(proposed[0], target[1] + 1), proposed[1])]
    return (*(span(REJECT, first, last) for first, last in left if first <= last), span(ACCEPT, *target))


def _is_date(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
