"""The desk at which a person reviews a study: everything that the page or a command asks for, every decision."""

from __future__ import annotations

import dataclasses
import datetime
import getpass
import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.audit.expected import withdrawal_memory
from scrubin.audit.expected.plan import FACE_KIND, TEXT_KIND
from scrubin.base.errors import ReviewError
from scrubin.base.layout import LINKAGE_PATH, VERDICT_PATH, quarantine_path
from scrubin.base.tables import io
from scrubin.base.tables.private import LINKAGE, QUARANTINE
from scrubin.stages.review import Line, attention, events, study, undoing, views
from scrubin.stages.review.attention import Look, Progress, progress
from scrubin.stages.review.events import ACCEPT, ADD, ASKED, REJECT, Box, Decided, DecidedSpan
from scrubin.stages.review.outcome import without
from scrubin.stages.review.questions import Sight
from scrubin.stages.review.standing import FileKey, Run, Standing, seconds_of
from scrubin.stages.review.state import State
from scrubin.stages.review.status import asked_inside, frames_on_screen
from scrubin.stages.review.views import DRAWN, RecordingSummary, RecordingView

SAME_S = 1e-6
"""Times come from the same boundaries, but may have been written and read in between."""
QUARANTINES = ("ingest", "screen", "render")
CHANGE = "change"
WHATS = (ACCEPT, REJECT, CHANGE, ADD)
GONE = "nothing is written about it any more, and nothing of it is shown; 'make repro' takes it out of the page"
WITHDREW = f"this recording was withdrawn from the study: {GONE}"


class Desk:
    """A study, its ledger and one person; not for several threads at once.

    Parameters
    ----------
    folder
        The project.
    state
        The study and its ledger.
    by
        Who decides.
    """

    def __init__(self, folder: Path, state: State, by: str) -> None:
        self._folder, self._state, self.by = folder, state, by
        self.session = secrets.token_hex(8)
        self._elsewhere_s = self._spent_elsewhere_s()

    @classmethod
    def open(cls, folder: Path = Path(), by: str | None = None) -> Desk:
        """Return the desk of a project.

        Raises
        ------
        ReviewError
            When there is nothing to review yet, the ledger's chain is broken, or it has another spelling of the name.
        """
        state, by = State.load(folder), getpass.getuser() if by is None else by
        state.ledger.refuse_respelt(by)
        return cls(folder, state, by)

    @property
    def head(self) -> str:
        """Changes with every line of the ledger, also with those of other programs."""
        self._state.update()
        return self._state.ledger.head

    @property
    def reviewed(self) -> study.ReviewedStudy:
        """The study."""
        return self._state.study

    @property
    def standing(self) -> Standing:
        """What stands now."""
        self._state.update()
        return self._state.standing

    def boundaries_s(self, number: int, camera: str) -> npt.NDArray[np.float64]:
        """Return the presentation time of every frame, then the end of the last; shape (n + 1,)."""
        return self._state.times_s[self._state.name(number), camera]

    def file(self, number: int, camera: str) -> study.StudyFile:
        """Return a file of a recording.

        Raises
        ------
        ReviewError
            When there is none.
        """
        key = self._state.name(number), camera
        if key not in self._state.study.files:
            raise ReviewError(WITHDREW if key[0] in self._state.study.withdrawn else "there is no such video file to review")
        return self._state.study.files[key]

    def recordings(self) -> list[RecordingSummary]:
        """Return all recordings of the manifest, by name."""
        self._state.update()
        return [self._summary(number) for number in range(len(self._state.names))]

    def recording(self, number: int) -> RecordingView:
        """Return one recording."""
        self._state.update()
        name = self._state.name(number)
        status, of, standing = self._state.statuses(name), self._state.study, self._state.standing
        return RecordingView(
            self._summary(number),
            tuple(views.file_view(of.files[one.key], one, of.stops.get(one.key, ())) for one, _ in status),
            tuple(views.proposal_view(of.files[one.key], item, items, of.reviewers) for one, items in status for item in items),
            tuple(view for one, items in status for view in views.drawn(one.key, items, standing, self._state.times_s)),
            tuple(views.missing(status)),
            () if name in of.withdrawn else tuple(views.log(name, standing)),
        )

    def hidden(self, number: int, camera: str, time_s: float) -> list[Box | None]:
        """Return the rectangles that the release will blacken in the frame of a time, in pixels; None: the whole frame.

        What nobody has decided is hidden as well; what the audit asks is hidden by the span that somebody draws for an answer.
        """
        self._state.update()
        key = self.file(number, camera).key
        hidden = [row for row in self._state.study.redactions(key, self._state.standing) if row["accepted"]]
        now = [row for row in hidden if row["start_s"] - SAME_S <= time_s < row["end_s"] - SAME_S]
        return [None if row["x"] is None else (row["x"], row["y"], row["w"], row["h"]) for row in now]

    def progress(self) -> Progress:
        """Return how much is done, and how long the rest takes this person at their pace so far."""
        summaries = [one for one in self.recordings() if one.status == "kept"]
        return progress(summaries, self._state.work, self.by, self._state.study.folds)

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

        Rejecting a proposal says nothing of others that lie inside it: each is asked by itself, and stays as it is until then.
        Rejecting what a person added withdraws it; changing it withdraws it and adds the new span. Accepting a question of the audit
        adds a span: for a face whole frames, for a text its rectangle, with the margin around it.

        Raises
        ------
        ReviewError
            When the frames or the rectangle lie outside, or what it is about is gone.
        """
        self._state.update()
        file = self.file(number, camera)
        self._refuse_other_file(file)
        if what not in WHATS or kind not in events.KINDS:
            raise ReviewError(f"a decision is one of {', '.join(WHATS)} about one of {', '.join(events.KINDS)}")
        target = (to_first, to_last) if what == CHANGE and to_first is not None and to_last is not None else (first, last)
        for a, b in ((first, last), target):
            if not 0 <= a <= b < file.frame_count:
                raise ReviewError(f"frames {a} to {b} are no span of a file with frames 0 to {file.frame_count - 1}")
        if what == CHANGE and (target[1] < first or last < target[0]):
            msg = f"the new ends, frames {target[0]} to {target[1]}, do not touch the span from {first} to {last}; draw a new one instead"
            raise ReviewError(msg)
        self._refuse_box(file, box_xywh)
        if nonce and (known := self.written(nonce)) is not None:
            return known
        if proposal_key.startswith(DRAWN):
            self._refuse_other_span(file.key, kind, (first, last), box_xywh, proposal_key)
            return self._decide_drawn(file, what, kind, target, box_xywh, proposal_key, why, nonce)
        if what in (ACCEPT, REJECT, CHANGE) or proposal_key.startswith(ASKED):
            self._refuse_changed(file.key, proposal_key)
        if proposal_key.startswith(ASKED):
            return self._answer(file, what, target, proposal_key, why, nonce)
        inside = self._inside(file, kind, (first, last), box_xywh, proposal_key)
        spans = _spans(what, (first, last), target, self._state.times_s[file.key], inside)
        if not spans:
            raise ReviewError("other proposals fill all of it, and are asked by themselves: decide them")
        decided = Decided(file.recording, camera, file.sha256, kind, spans, box_xywh, why, proposal_key, self._state.study.detectors)
        return self._append("decided", decided, nonce)

    def _inside(self, file: study.StudyFile, kind: str, within: Run, box_xywh: Box | None, proposal_key: str) -> list[Run]:
        """Return the frames of other proposals that a decision about a proposal says nothing of."""
        if not proposal_key:
            return []
        items = next(items for status, items in self._state.statuses(file.recording) if status.key == file.key)
        return [(one.first, one.last) for one in asked_inside(items, kind, within, box_xywh, proposal_key)]

    def seen(self, number: int, camera: str, view: str, frames: Sequence[int], look: Look, nonce: str = "") -> Line | None:
        """Append that stills were looked at; None when there are none.

        Raises
        ------
        ReviewError
            When they were too small, or too short on the screen, to count.
        """
        file = self.file(number, camera)
        numbers = sorted({int(frame) for frame in frames})
        if not numbers:
            return None
        if view not in events.VIEWS or numbers[0] < 0 or numbers[-1] >= file.frame_count:
            raise ReviewError(f"no such stills: view '{view}', frames {numbers[0]} to {numbers[-1]} of {file.frame_count}")
        if reason := attention.why_not(view, len(numbers), look):
            raise ReviewError(reason)
        seconds = tuple(seconds_of(numbers, self._state.times_s[file.key]))
        stills = events.runs(numbers)
        says = events.Seen(file.recording, camera, file.sha256, view, stills, seconds, **dataclasses.asdict(look))
        return self._append("seen", says, nonce)

    def folded(self, number: int, camera: str, stood: Mapping[int, Sequence[Run]], limit: float, nonce: str = "") -> Line:
        """Append that stills, which were looked at, stood for seconds at which nobody looked.

        Parameters
        ----------
        stood
            Runs of seconds ``(first, last)`` by the frame that stood for them.
        limit
            Parameter ``review.folds``.
        """
        file = self.file(number, camera)
        seconds = tuple(sorted(run for runs in stood.values() for run in runs))
        says = events.Folded(file.recording, camera, file.sha256, events.runs(sorted(stood)), seconds, limit)
        return self._append("folded", says, nonce)

    def written(self, nonce: str) -> Line | None:
        """Return the line that a wish of this session was written as; None when it was not."""
        return self._state.ledger.written(self.session, nonce)

    def newly_elsewhere_s(self) -> float:
        """Return how much attention this person has spent in other sessions since this was asked last."""
        before, self._elsewhere_s = self._elsewhere_s, self._spent_elsewhere_s()
        return max(0.0, self._elsewhere_s - before)

    def _spent_elsewhere_s(self) -> float:
        self._state.update()
        return self._state.work.elsewhere_s(self.by, self.session)

    def planted(self, number: int, camera: str, frame: int, kind: str, size: float, outcome: str, nonce: str = "") -> Line:
        """Append that a check was shown, and whether this person noticed it."""
        file = self.file(number, camera)
        return self._append("planted", events.Planted(file.recording, camera, file.sha256, frame, kind, size, outcome), nonce)

    def sample(self, drawn: events.Sampled) -> Line:
        """Append that clips of the released videos were drawn."""
        return self._append("sampled", drawn, "")

    def check(self, videos: str, clip: events.Clip, outcome: str, why: str, nonce: str = "") -> Line:
        """Append what this person says about a clip of the released videos.

        Raises
        ------
        ReviewError
            For another outcome than clean and finding, and for a finding that does not say what there is to see.
        """
        if outcome not in (events.CLEAN, events.FINDING):
            raise ReviewError(f"a clip is {events.CLEAN}, or it is a {events.FINDING}")
        if outcome == events.FINDING and not why.strip():
            raise ReviewError("say what there is to see in the clip")
        return self._append("checked", events.Checked(videos, clip, outcome, why.strip()), nonce)

    def lines(self) -> list[Line]:
        """Return all lines of the ledger."""
        return self._state.ledger.lines()

    def exclude(self, number: int, why: str, nonce: str = "") -> Line:
        """Append that a recording is not to be released."""
        name = self._state.name(number)
        if not why.strip():
            raise ReviewError("say why the recording is excluded")
        sha256 = {key[1]: self._state.study.files[key].sha256 for key in self._state.study.cameras(name)}
        if not sha256:
            raise ReviewError(f"'{name}' is not kept: it is not released anyway")
        if nonce and (known := self.written(nonce)) is not None:
            return known
        self._state.update()
        entry = self._state.standing.excludes(name)
        # A second exclusion would take the place of the first: whoever undid it would let the recording in.
        if entry is not None:
            raise ReviewError(f"'{entry[0].by}' has excluded this recording already: {entry[1].why}")
        return self._append("excluded", events.Excluded(name, sha256, why.strip()), nonce)

    def include(self, number: int, nonce: str = "") -> Line:
        """Append that an exclusion counts no longer."""
        if nonce and (known := self.written(nonce)) is not None:
            return known
        self._state.update()
        entry = self._state.standing.excludes(self._state.name(number))
        if entry is None:
            raise ReviewError("the recording is not excluded by a reviewer")
        if self._state.study.reviewers > 1 and entry[0].by != self.by:
            raise ReviewError(f"'{entry[0].by}' excluded this recording, and only they can take that back")
        return self._append("withdrawn", events.Withdrawn(entry[0].number, "", undoable=True), nonce)

    def acknowledge(self, subject: str, key: str, why: str, until: str | None = None, nonce: str = "") -> Line:
        """Append that somebody knows of a quarantined recording, a warning or a near-duplicate.

        Raises
        ------
        ReviewError
            Without a reason, with a day that is over or none, or when there is nothing of that name to know of.
        """
        if subject not in events.SUBJECTS or not why.strip():
            raise ReviewError(f"an acknowledgement is about one of {', '.join(events.SUBJECTS)}, and needs a reason")
        if until is not None and not _is_date(until):
            raise ReviewError(f"'{until}' is no date such as 2027-01-31")
        if events.has_ended(until, self._state.ledger.today):
            raise ReviewError(f"{until} is over (today is {self._state.ledger.today}, UTC): name a day to come, or none for good")
        if key not in self._acknowledgeable(subject):
            raise ReviewError(f"there is no {subject} '{key}' to acknowledge; the page lists what there is")
        return self._append("acknowledged", events.Acknowledged(subject, key, why.strip(), until), nonce)

    def _acknowledgeable(self, subject: str) -> set[str]:
        if subject == "quarantine":
            return {str(row["recording"]) for row in self.quarantined()}
        rows = self.warnings() if subject == "warning" else self.near_duplicates()
        return {str(row["key"]) for row in rows}

    def undo(self, number: int | None = None, *, nonce: str = "") -> Line | None:
        """Undo what this person did last of what still counts, and return the last line of it; None when there is nothing.

        What they took away, moved or included stands again as it was. Doing so again goes on to what they did before that. What is about
        somebody who withdrew is passed over: nothing is written about them.

        Parameters
        ----------
        number
            The recording in which; acknowledgements are about the study, and in every one. None: in whichever it was.

        Raises
        ------
        ReviewError
            When the last is in another recording: names it. When this one is of somebody who withdrew.
        """
        if nonce and (known := self.written(nonce)) is not None:
            return known
        self._state.update()
        every = list(undoing.actions(self._state.standing, self.by))
        withdrawn = withdrawal_memory.load(self._folder)
        done = [one for one in every if not self._is_about(withdrawn, events.Withdrawn(one.lines[-1], ""))]
        name = None if number is None else self._state.name(number)
        places = "", name
        here = [one for one in done if name is None or one.recording in places]
        if not here:
            if name is not None and name in withdrawn and any(one.recording in places for one in every):
                raise ReviewError(WITHDREW)
            if done:
                msg = (
                    f"nothing of yours is left to undo in this recording; your last decision is about {done[0].where}: open it to undo that"
                )
                raise ReviewError(msg)
            return None
        *first, last = here[0].lines
        for line in first:
            self._append("withdrawn", events.Withdrawn(line, ""), nonce and f"{nonce}{undoing.PART}{line}")
        return self._append("withdrawn", events.Withdrawn(last, ""), nonce)

    @property
    def times_s(self) -> study.FrameTimes:
        """When the frames of each file are shown."""
        return self._state.times_s

    def set_aside(self) -> set[str]:
        """Return the recordings of the manifest that cannot be reviewed: nothing of them is released."""
        quarantined = {str(row["recording"]) for row in self.quarantined()}
        return (set(self._state.names) | quarantined) - set(self._state.study.recordings())

    def append_all(self, imported: Sequence[events.Event]) -> None:
        """Append decisions of a sheet; the last event is the sheet itself.

        Raises
        ------
        ReviewError
            When the disk takes no more: says how many decisions it took. To import the sheet again adds the others.
        """
        for number, event in enumerate(imported):
            try:
                self._append("decided" if event is not imported[-1] else "imported", event, "")
            except ReviewError as error:
                if not number:
                    raise
                msg = f"{error}; {number} of {len(imported) - 1} decisions of the sheet were written before: import it again to go on"
                raise ReviewError(msg) from error

    def append_exported(self, sheet: events.Sheet) -> None:
        """Append that a sheet was written."""
        self._append("exported", sheet, "")

    def quarantined(self) -> list[dict[str, Any]]:
        """Return the quarantined files of all stages that ran, each with its acknowledgement."""
        self._state.update()
        rows = []
        for stage in QUARANTINES:
            path = self._folder / quarantine_path(stage)
            rows += io.records(io.read(QUARANTINE, path)) if path.is_file() else []
        return [{**row, "acknowledged": self._state.acknowledged("quarantine", row["recording"])} for row in rows]

    def warnings(self) -> list[dict[str, Any]]:
        """Return the rules of the last validation that warned, each with its acknowledgement."""
        self._state.update()
        rows = events.warnings_of(self._outcomes())
        return [{**row, "acknowledged": self._state.acknowledged("warning", row["key"])} for row in rows]

    def near_duplicates(self) -> list[dict[str, Any]]:
        """Return the pairs of released ids that the last validation found to show the same, each with its acknowledgement.

        It passes over what was acknowledged: those pairs are here as well, while nobody has set one of the two aside.
        """
        self._state.update()
        found = [row for one in self._outcomes() if one["rule"] == "near_duplicate_recording" for row in one["keys"]]
        names = self._names_by_id()
        known = [key for subject, key in self._state.standing.acknowledged if subject == "near-duplicate"]
        keep = [key for key in known if all(self._is_kept(names.get(one)) for one in key.split(","))]
        keys = sorted({",".join(sorted((row["id"], row["like"]))) for row in found} | set(keep))
        return [
            {
                "key": key,
                "recordings": [names.get(one, one) for one in key.split(",")],
                "acknowledged": self._state.acknowledged("near-duplicate", key),
            }
            for key in keys
        ]

    def _is_kept(self, name: str | None) -> bool:
        return name is not None and bool(self._state.study.cameras(name)) and self._state.standing.excludes(name) is None

    def _names_by_id(self) -> dict[str, str]:
        path = self._folder / LINKAGE_PATH
        return {str(row["id"]): str(row["recording"]) for row in io.records(io.read(LINKAGE, path))} if path.is_file() else {}

    def _outcomes(self) -> list[dict[str, Any]]:
        try:
            said = json.loads((self._folder / VERDICT_PATH).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []  # the stage validate has not run yet
        outcomes: list[dict[str, Any]] = said["outcomes"]
        return outcomes

    def _summary(self, number: int) -> RecordingSummary:
        name = self._state.names[number]
        rows, status = self._state.rows[name], self._state.statuses(name)
        if not status and name in self._state.study.withdrawn:
            return views.summary(number, rows, status, views.WITHDRAWN, GONE)
        return views.summary(number, rows, status, *views.state_of(rows, self._state.standing, is_reviewed=bool(status)))

    def _append(self, event: str, says: events.Event, nonce: str) -> Line:
        self._refuse_withdrawn(says)
        line = self._state.ledger.append(event, events.facts(says), by=self.by, session=self.session, nonce=nonce)
        self._state.update()
        return line

    def _refuse_withdrawn(self, says: events.Event) -> None:
        """Raise a `ReviewError` for a line about somebody who withdrew, also while this desk was open: its study is of before that."""
        if self._is_about(withdrawal_memory.load(self._folder), says):
            raise ReviewError(WITHDREW)

    def _is_about(self, withdrawn: withdrawal_memory.Memory, says: events.Event) -> bool:
        return any(name in withdrawn for name in self._names_in(says))

    def _names_in(self, says: events.Event) -> tuple[str, ...]:
        """Return the recordings that a line is about, and what an acknowledgement is about."""
        if isinstance(says, events.Withdrawn):
            # By its number alone it says of nobody.
            says = self._state.standing.about(says.line)
        if isinstance(says, events.Acknowledged):
            return events.names_acknowledged(says.subject, says.key)
        clips = says.clips if isinstance(says, events.Sampled) else (says.clip,) if isinstance(says, events.Checked) else ()
        return (getattr(says, "recording", ""), *(name for clip in clips for name in (clip.recording, clip.id)))

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
        number = views.line_of(key) or 0
        by = self._state.standing.decided[file.key][number][0]
        if self._state.study.reviewers > 1 and by != self.by:
            raise ReviewError(f"'{by}' added this span, and only they can change or withdraw it; draw one of your own")
        if what == CHANGE:
            # The new span first: whatever happens between the two lines, nothing is shown.
            spans = _spans(ADD, target, target, self._state.times_s[file.key])
            moved = Decided(file.recording, file.camera, file.sha256, kind, spans, box_xywh, why, key, self._state.study.detectors)
            wish = nonce or _wish()
            line = self._append("decided", moved, f"{wish}{undoing.PART}")
            self._append("withdrawn", events.Withdrawn(number, why, undoable=True), wish)
            return line
        if what == REJECT:
            return self._append("withdrawn", events.Withdrawn(number, why, undoable=True), nonce)
        raise ReviewError("what a person added is hidden already")

    def _answer(self, file: study.StudyFile, what: str, target: Run, key: str, why: str, nonce: str) -> Line:
        """Append the answer to a question of the audit: a span to hide, or that what is there may be seen."""
        sight, times_s = Sight.of_key(key), self._state.times_s[file.key]
        kind = "text" if sight.kind == TEXT_KIND else "out_of_body"
        asked = sight.first, sight.last
        wish = nonce or _wish()
        if what == REJECT:
            spans = _spans(REJECT, asked, asked, times_s)
            for number in self._hidden_for(file.key, key):
                # What was hidden for an answer stays hidden otherwise.
                self._append("withdrawn", events.Withdrawn(number, why, undoable=True), f"{wish}{undoing.PART}{number}")
        else:
            ends = self._with_margin(asked, times_s) if what == ACCEPT else target
            spans = _spans(ADD, ends, ends, times_s)
        box = None if sight.kind == FACE_KIND and what != REJECT else sight.box_xywh
        detectors = self._state.study.detectors
        return self._append("decided", Decided(file.recording, file.camera, file.sha256, kind, spans, box, why, key, detectors), wish)

    def _hidden_for(self, key: FileKey, question: str) -> list[int]:
        """Return the lines in which this person, or with one reviewer anybody, had a span hidden for an answer."""
        decided = self._state.standing.decided.get(key, {}).items()
        mine = [(number, one) for number, (by, one) in decided if by == self.by or self._state.study.reviewers == 1]
        return [number for number, one in mine if one.proposal == question and not one.lets_through]

    def _with_margin(self, run: Run, times_s: npt.NDArray[np.float64]) -> Run:
        margin_s = self._state.study.margin_s
        return frames_on_screen((float(times_s[run[0]]) - margin_s, float(times_s[run[1] + 1]) + margin_s), times_s)

    def _refuse_other_file(self, file: study.StudyFile) -> None:
        gone = next((path for path in file.source.paths if not (self._state.raw / path).is_file()), None)
        if gone is not None:
            raise ReviewError(f"{gone}: the file is gone; put it back, then run: .venv/bin/dvc repro screen")
        changed = file.source.changed(self._state.raw)
        if changed is not None:
            raise ReviewError(f"{changed}: the file is another one than was screened; run: .venv/bin/dvc repro screen")

    def _refuse_box(self, file: study.StudyFile, box_xywh: Box | None) -> None:
        if box_xywh is None:
            return
        x, y, w, h = box_xywh
        if x < 0 or y < 0 or w < 1 or h < 1 or x + w > file.size_px[0] or y + h > file.size_px[1]:
            raise ReviewError(f"the rectangle {x},{y},{w},{h} is not inside the picture of {file.size_px[0]}x{file.size_px[1]} pixels")

    def _refuse_other_span(self, key: FileKey, kind: str, run: Run, box_xywh: Box | None, drawn: str) -> None:
        """Raise a `ReviewError` when the line now says another span: a rename, or somebody who withdrew, moved the lines of the ledger."""
        if views.line_of(drawn) not in self._state.standing.decided.get(key, {}):
            raise ReviewError("this span was withdrawn in the meantime; look at it again")
        items = next(items for one, items in self._state.statuses(key[0]) if one.key == key)
        now = views.drawn(key, items, self._state.standing, self._state.times_s)
        if (drawn, kind, run, box_xywh) not in [(one.key, one.kind, (one.first, one.last), one.box_xywh) for one in now]:
            raise ReviewError("the ledger was written anew in the meantime, and this span stands elsewhere in it; load the page again")

    def _refuse_changed(self, key: FileKey, proposal_key: str) -> None:
        if not self._state.study.offers(key, proposal_key, self._state.standing):
            raise ReviewError("this proposal is no longer there: the detectors ran again, or the other camera changed; look at it again")


def _spans(
    what: str, proposed: Run, target: Run, boundaries_s: npt.NDArray[np.float64], inside: Sequence[Run] = ()
) -> tuple[DecidedSpan, ...]:
    def span(name: str, first: int, last: int) -> DecidedSpan:
        return DecidedSpan(name, first, last, float(boundaries_s[first]), float(boundaries_s[last + 1]))

    def rejected(first: int, last: int) -> list[DecidedSpan]:
        left = without((first, last + 1), ((a, b + 1) for a, b in inside))
        return [span(REJECT, int(a), int(b) - 1) for a, b in left]

    if what == REJECT:
        return tuple(rejected(*proposed))
    if what != CHANGE:
        return (span(what, *proposed),)
    left = [(proposed[0], min(proposed[1], target[0] - 1)), (max(proposed[0], target[1] + 1), proposed[1])]
    return (*(one for first, last in left if first <= last for one in rejected(first, last)), span(ACCEPT, *target))


def _wish() -> str:
    """Return a nonce for what nobody named, so that its lines belong together."""
    return secrets.token_hex(8)


def _is_date(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
