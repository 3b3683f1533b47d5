"""What the label page asks and says, for one person at a time: their recordings, labels, findings; of an adjudicator, what is in dispute.

Whoever labels sees released ids, released frames and their own labels. Frames of the page are those of the released video, from 0; the
ledger keeps those of the source.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.audit.expected import withdrawal_memory
from scrubin.base import params
from scrubin.base.errors import ReviewError, StageError, TableError, VideoError
from scrubin.base.layout import PARTS_PATH, RECORDINGS_PATH, RELEASE
from scrubin.base.params import PARAMS_PATH
from scrubin.base.tables import io
from scrubin.base.tables.private import PARTS, RECORDINGS
from scrubin.base.tables.public import REFERENCE_CAMERAS
from scrubin.curate.label import assignment, blackened, checks, events, from_page, people, rewriting, settling, shown, written
from scrubin.curate.label import params as label_params
from scrubin.curate.label.blackened import Blackened
from scrubin.curate.label.events import About, Assigned, Change, Done, Event, Labelled, Span, Worked
from scrubin.curate.label.from_page import FromPage
from scrubin.curate.label.params import TRIPLETS, LabelParams
from scrubin.curate.label.people import Person
from scrubin.curate.label.pictures import Pictures, sampled
from scrubin.curate.label.proposed import reading, taking
from scrubin.curate.label.proposed.reading import Proposal
from scrubin.curate.label.proposed.taking import Pick
from scrubin.curate.label.settling import Settlement
from scrubin.curate.label.standing import Standing
from scrubin.media.decode import boundaries_s
from scrubin.media.raw_file import identity, stored_probe
from scrubin.media.source import Source, sources
from scrubin.ratings import ScoresParams
from scrubin.stages import recordings_list
from scrubin.stages.release.released_clips import ReleasedVideo, load_released
from scrubin.stages.review import FIRST, FROM_ANOTHER, Line

SLACK_S = 5
"""So much longer than the server's own clock may somebody have worked: requests take a while."""
SESSION = "labels"
"""One for all runs of the server: a page that got no answer sends the same wish to the next run, too."""


@dataclass(frozen=True)
class Recording:
    """A recording that is labelled.

    Parameters
    ----------
    name, id
        The curator's name, and the released one.
    task
        What was done.
    videos
        Released videos by camera, in the order in which cameras count.
    pictures
        Of the first camera: left and right are cut at the same instants.
    """

    name: str
    id: str
    task: str
    videos: Mapping[str, ReleasedVideo]
    pictures: Pictures
    duration_s: float

    @property
    def about(self) -> About:
        """Which pictures its labels are about."""
        return self.pictures.about

    @property
    def shown_sampled(self) -> list[int]:
        """The frames whose triplets are labelled, as the page counts them."""
        return [frame - self.pictures.first for frame in self.pictures.sampled]


@dataclass
class Workbench:
    """A study that is labelled, with its ledger; for any number of threads.

    Parameters
    ----------
    folder
        The project.
    p, scores
        What is labelled; how ratings are made, where they are.
    recordings
        By released id.
    proposed
        What a program proposes, by released id and its key.
    black
        Where the released videos hide something, by released id and camera.
    """

    folder: Path
    p: LabelParams
    scores: ScoresParams | None
    recordings: Mapping[str, Recording]
    proposed: Mapping[str, Mapping[str, Proposal]] = field(default_factory=dict)
    black: Mapping[tuple[str, str], Sequence[Blackened]] = field(default_factory=dict)
    now_s: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self.ledger = rewriting.ledger_of(self.folder)
        self._lock = threading.RLock()
        self._standing, self._applied, self._head = Standing(), 0, FIRST
        self._worked: dict[int, float] = {}
        self._times: dict[tuple[str, str], npt.NDArray[np.float64]] = {}
        self._settlements: dict[str, tuple[tuple[str, int, tuple[int, ...], tuple[int, ...]], Settlement]] = {}

    @classmethod
    def open(cls, folder: Path = Path()) -> Workbench:
        """Return the workbench of a project.

        Raises
        ------
        ReviewError
            When nothing is rendered yet, or a recording was renamed or removed since.
        """
        path = folder / PARAMS_PATH
        p = label_params.load(path)
        scores = params.load("scores", ScoresParams, path) if "ratings" in p.layers else None
        try:
            rows = io.records(io.read(RECORDINGS, folder / RECORDINGS_PATH))
            of_parts = sources(io.read(PARTS, folder / PARTS_PATH))
        except TableError as error:
            raise ReviewError(str(error)) from error
        files = {(row["recording"], row["camera"]): row for row in rows}
        # Also of those who were written into the list of the withdrawn by hand.
        withdrawn = withdrawal_memory.load(folder)
        videos: dict[str, dict[str, ReleasedVideo]] = {}
        for (name, camera), video in sorted(load_released(folder).items(), key=lambda one: REFERENCE_CAMERAS.index(one[0][1])):
            if (
                name not in withdrawn
                and (folder / RELEASE / video.path).is_file()
                and (not p.tasks or files[name, camera]["task"] in p.tasks)
            ):
                videos.setdefault(name, {})[camera] = video
        if not videos:
            raise ReviewError(f"{RELEASE}: there is no released video of these tasks, so there is nothing to label; run: make repro")
        recordings = [_recording(name, of, files, of_parts) for name, of in sorted(videos.items())]
        recordings = [_timed(one, folder / RELEASE) for one in recordings]
        raw = folder / params.raw_folder(path)
        if p.every_s is not None and TRIPLETS in p.layers:
            recordings = [_sampled(one, of_parts[one.name, one.about.camera], raw, p.every_s) for one in recordings]
        _refuse_other_names(raw, list(videos))
        rewriting.forget(rewriting.ledger_of(folder), withdrawn)
        written.forget(raw, withdrawn, folder / written.EXPORTED_PATH)
        bench = cls(folder, p, scores, {one.id: one for one in sorted(recordings, key=lambda one: one.id)}, black=blackened.load(folder))
        if p.proposals is not None:
            ids = list(bench.recordings)
            found = reading.load(folder, p.proposals, p, ids, bench.known_times_s, lambda id_: bench.recordings[id_].shown_sampled)
            bench.proposed = {id_: {one.key: one for one in of} for id_, of in found.items()}
        _refuse_other_people(bench.ledger.path, bench.standing(), bench.annotators())
        return bench

    # What stands

    def standing(self) -> Standing:
        """Return what stands, with the lines that others wrote."""
        with self._lock:
            lines = self.ledger.lines()
            if [line.sha256 for line in lines[: self._applied][-1:]] != [self._head] * bool(self._applied):
                self._standing, self._applied = Standing(), 0
                # A chain that was restored from a copy may go on otherwise, with the same numbers.
                self._settlements.clear()
            self._standing.apply(lines[self._applied :])
            self._applied, self._head = len(lines), self.ledger.head
            self._chain = lines[0].sha256 if lines else FIRST
            return self._standing

    @property
    def head(self) -> str:
        """Changes with every line."""
        self.standing()
        return self.ledger.head

    def annotators(self) -> list[int]:
        """Return the numbers of those who label."""
        return [one.number for one in people.load(self.folder / people.PATH) if one.role == "annotator"]

    def adjudicators(self) -> list[int]:
        """Return the numbers of those who settle."""
        return [one.number for one in people.load(self.folder / people.PATH) if one.role == "adjudicator"]

    def settlement(self, recording: Recording) -> Settlement:
        """Return how far a recording is."""
        with self._lock:
            standing, chiefs = self.standing(), self.adjudicators()
            # A rewritten chain numbers its lines anew: its first hash is another one.
            # What is closed may be open again once its film is there.
            state = self._chain, standing.last_line.get(recording.name, 0), tuple(chiefs), self._film(recording)
            known = self._settlements.get(recording.id)
            if known is None or known[0] != state:
                known = self._settlements[recording.id] = state, settling.of_recording(recording.pictures, standing, chiefs, self.p)
            return known[1]

    def _film(self, recording: Recording) -> tuple[int, ...]:
        """Return by what the film is known again of which the times of frames are read; () where it is gone, or none is needed."""
        if recording.pictures.read_s is None:
            return ()
        path = self.folder / RELEASE / recording.videos[recording.about.camera].path
        try:
            return tuple(identity(path, path.name).values())
        except (OSError, VideoError):
            return ()

    def closed(self) -> dict[str, str]:
        """Return by released id of which recordings nobody can tell what stands, and why."""
        return {one.id: why for one in self.recordings.values() if (why := self.settlement(one).closed)}

    def assign(self) -> dict[str, tuple[int, ...]]:
        """Say who labels the recordings that nobody labels yet; return what is new, by the curator's name."""
        with self._lock:
            durations_s = {one.name: one.duration_s for one in self._left()}
            active = [one.number for one in people.load(self.folder / people.PATH) if one.role == "annotator" and one.token_sha256]
            drawn = assignment.draw(durations_s, active, self.standing().assigned, self.p)
            if drawn:
                self._append(Assigned(drawn), 0, "")
            return drawn

    def _left(self) -> list[Recording]:
        """Return the recordings without who withdrew while the page was open: nothing of them is shown, nothing written about them."""
        withdrawn = withdrawal_memory.load(self.folder)
        return [one for one in self.recordings.values() if one.name not in withdrawn]

    # What a person asks

    def of_person(self, person: Person) -> list[Recording]:
        """Return the recordings of a person, in their order: those to label, or of an adjudicator those to settle."""
        standing = self.standing()
        mine = [one for one in self._left() if _is_of(person, one, standing)]
        if person.role == "adjudicator":
            return mine
        return [self.recordings[id_] for id_ in assignment.in_order(sorted(one.id for one in mine), person.number, self.p)]

    def shows(self, person: Person, id_: str) -> bool:
        """Whether a person may see a recording, at this moment."""
        one = self.recordings.get(id_)
        return one is not None and one.name not in withdrawal_memory.load(self.folder) and _is_of(person, one, self.standing())

    def waits(self, person: Person, id_: str) -> bool:
        """Whether a recording is settled by a person as soon as everybody is done with it again."""
        one, standing = self.recordings.get(id_), self.standing()
        if person.role != "adjudicator" or one is None or one.name in withdrawal_memory.load(self.folder):
            return False
        return len(standing.assigned.get(one.name, ())) > 1 and bool(settling.missing(one.about, standing))

    def recording(self, person: Person, id_: str) -> Recording:
        """Return a recording that a person may see.

        Raises
        ------
        ReviewError
            When it is none of theirs.
        """
        if self.shows(person, id_):
            return self.recordings[id_]
        what = "somebody goes on with this recording: it is settled when everybody is done with it"
        raise ReviewError(what if self.waits(person, id_) else "this recording is not yours to label")

    def refuse_other_film(self, person: Person, id_: str, film: str) -> None:
        """Refuse what a page says that was opened before the recording was released with another cut.

        Raises
        ------
        ReviewError
            Also when the recording is none of theirs.
        """
        if self.recording(person, id_).pictures.film != film:
            msg = "this recording was released anew, and its film is cut otherwise than on your page: nothing was labelled; reload the page"
            raise ReviewError(msg)

    def times_s(self, recording: Recording, camera: str) -> npt.NDArray[np.float64]:
        """Return the time of every released frame, then the end of the last; shape (n + 1,)."""
        key = recording.id, camera
        if key not in self._times:
            self._times[key] = _released_times_s(recording.videos[camera], self.folder / RELEASE)
        return self._times[key]

    def released_times_s(self, id_: str) -> npt.NDArray[np.float64]:
        """Return the same of the first camera of a recording, by its released id."""
        one = self.recordings[id_]
        return self.times_s(one, one.about.camera)

    def known_times_s(self, id_: str) -> npt.NDArray[np.float64] | None:
        """Return the same; None where the film is another one by now: whoever opens the recording is told."""
        try:
            return self.released_times_s(id_)
        except ReviewError:
            return None

    def sampled(self, person: Person, id_: str) -> list[int]:
        """Return the frames of a recording whose triplets are labelled, as the page counts them."""
        return self.recording(person, id_).shown_sampled

    def named(self, layer: str, label: str, verb: str, target: str) -> dict[str, str]:
        """Return what somebody typed of an action as the vocabulary spells it, as a JSON value.

        Raises
        ------
        ReviewError, AnnotationError
            For a name that nobody knows, with the nearest known one; or when there is a verb or a target alone.
        """
        if bool(verb) != bool(target):
            raise ReviewError("an action is instrument, verb and target, with commas between them, or the instrument alone")
        span = from_page.named(layer, Span(0, 1, label, verb, target), self.p)
        return {"label": span.label, "verb": span.verb, "target": span.target}

    def proposals(self, person: Person, id_: str) -> list[dict[str, Any]]:
        """Return what a program proposes for a recording, as JSON values."""
        return [shown.proposal(one) for one in self.proposed.get(self.recording(person, id_).id, {}).values()]

    def work(self, person: Person) -> dict[str, Any]:
        """Return what a person has to do, as a JSON value."""
        standing = self.standing()
        return {
            "you": person.number,
            "role": person.role,
            "head": self.ledger.head,
            "layers": [shown.layer(name, self.p, self.scores) for name in self.p.layers],
            "recordings": [self._summary(person, one, standing) for one in self.of_person(person)],
        }

    def view(self, person: Person, id_: str) -> dict[str, Any]:
        """Return a recording with what this person said of it, and what looks wrong, as a JSON value."""
        one, standing = self.recording(person, id_), self.standing()
        mine = standing.of(one.about, person.number)
        shift = one.pictures.first
        settlement = self.settlement(one) if person.role == "adjudicator" else None
        if settlement is not None and settlement.closed:
            raise ReviewError(settlement.closed)
        findings = [
            *checks.of_person(mine, one.pictures, self.p, self.scores, one.task),
            *checks.names_unknown({layer: mine.spans(layer) for layer in self.p.layers}, self.p),
        ]
        if settlement is not None:
            # Who settles labels only what they choose to, and rates where ratings differ.
            findings = [of for of in findings if of.rule not in checks.LEFT or (of.layer == "ratings" and settlement.differ)]
        view: dict[str, Any] = {
            "head": self.ledger.head,
            "recording": self._summary(person, one, standing),
            "cameras": list(one.videos),
            "frames": one.pictures.end - shift,
            "film": one.pictures.film,
            "hidden": {camera: [dataclasses.asdict(of) for of in self.black.get((one.id, camera), ())] for camera in one.videos},
            "items": shown.items(mine, shift),
            "findings": [shown.finding(one, shift) for one in findings],
            "apart": len(standing.apart(one.about)),
            "decided": shown.decided(mine),
            "errors": list(self.scores.errors.get(one.task, ())) if self.scores else [],
            "undo": standing.last(person.number, one.name)[0],
        }
        if settlement is not None:
            view |= shown.disputed(settlement, assignment.letters(settlement.annotators, one.name, self.p), shift)
        return view

    # What a person says

    def label(
        self, person: Person, id_: str, changes: Sequence[Change], nonce: str, before: Mapping[tuple[str, str], Any] | None = None
    ) -> Line:
        """Write changes of a person, frames as the page counts them: all of them, or none.

        Parameters
        ----------
        before
            On what they rest, as for `from_page.resting`.

        Raises
        ------
        ReviewError
            When they cannot be: names, frames, two labels at once where there is one at a time, or another page changed the same.
        """
        with self._lock:
            one = self.recording(person, id_)
            if (said := self.ledger.written(SESSION, nonce)) is not None:
                return said
            mine = self.standing().of(one.about, person.number)
            rested = from_page.resting(changes, before or {}, shown.items(mine, one.pictures.first) if before else {})
            shifted = tuple(self._from_page(one).change(change) for change in rested)
            if not 0 < len(shifted) <= events.MOST_CHANGES or len({(c.layer, c.key) for c in shifted}) < len(shifted):
                raise ReviewError(f"1 to {events.MOST_CHANGES} different items can be changed at once")
            from_page.refuse_overlaps(mine, shifted)
            from_page.refuse_two_labels(mine, shifted)
            from_page.refuse_taken_twice(mine, shifted)
            judged = taking.judged(shifted, mine, one.pictures.first, self.proposed.get(one.id, {}))
            return self._append(Labelled(one.about, self.p.vocabulary, judged), person.number, nonce)

    def take(self, person: Person, id_: str, picks: Sequence[Pick], nonce: str) -> Line:
        """Make labels of what is proposed, exactly as it is: all that is picked, or nothing.

        Raises
        ------
        ReviewError
            When there is no such proposal, or it cannot be a label.
        """
        with self._lock:
            one = self.recording(person, id_)
            if (said := self.ledger.written(SESSION, nonce)) is not None:
                return said
            mine = self.standing().of(one.about, person.number)
            changes = taking.changes(picks, self.proposed.get(one.id, {}), mine, one.pictures.first)
            return self.label(person, id_, changes, nonce)

    def undo(self, person: Person, id_: str, nonce: str, last: int | None = None) -> Line | None:
        """Take back the last change of a person to a recording; None where there is none.

        Parameters
        ----------
        last
            Number of the line that the page saw as the last one, 0 for none.

        Raises
        ------
        ReviewError
            When another one is the last, of another page.
        """
        with self._lock:
            if (said := self.ledger.written(SESSION, nonce)) is not None:
                return said
            number, before = self.standing().last(person.number, self.recording(person, id_).name)
            if last not in (None, number):
                what = "another page of yours changed this recording after what you see here, so nothing was taken back"
                raise ReviewError(f"{id_}: {what}; this page shows now what stands: U again takes back the last change of it")
            return None if before is None else self._append(dataclasses.replace(before, undoes=number), person.number, nonce)

    def refuse(self, person: Person, id_: str, picks: Sequence[Pick], nonce: str, *, refused: bool) -> Line:
        """Note that a person does not take proposals, or parts of them; or that they take this back.

        Raises
        ------
        ReviewError
            When there is no such proposal.
        """
        with self._lock:
            one = self.recording(person, id_)
            for pick in picks:
                taking.known(pick, self.proposed.get(one.id, {}))
            return self._append(events.Refused(one.about, tuple(pick.key for pick in picks), refused), person.number, nonce)

    def say_done(self, person: Person, id_: str, nonce: str, *, done: bool) -> Line:
        """Note that a person has finished a recording, or goes on with it."""
        with self._lock:
            return self._append(Done(self.recording(person, id_).name, done), person.number, nonce)

    def worked(self, person: Person, id_: str, seconds: int, nonce: str) -> Line | None:
        """Note how long a person worked on a recording: no longer than has passed since they last said so."""
        with self._lock:
            name, now_s = self.recording(person, id_).name, self.now_s()
            passed_s = now_s - self._worked.get(person.number, now_s - seconds)
            self._worked[person.number] = now_s
            counted = min(seconds, int(passed_s) + SLACK_S)
            return self._append(Worked(name, counted), person.number, nonce) if counted > 0 else None

    def settle(
        self,
        person: Person,
        id_: str,
        layer: str,
        frames: tuple[int, int],
        answer: Sequence[events.Answer],
        nonce: str,
        seen: str,
    ) -> Line:
        """Write what an adjudicator says of frames in dispute: spans, of a layer of tracks or sampled frames these.

        Parameters
        ----------
        seen
            What the page showed of it, as `adjudication.settled`.

        Raises
        ------
        ReviewError
            When nobody disputes them, people say something else than the page showed, or the spans are none that could be labelled.
        """
        with self._lock:
            if person.role != "adjudicator":
                raise ReviewError("only an adjudicator settles")
            if (said := self.ledger.written(SESSION, nonce)) is not None:
                return said
            one = self.recording(person, id_)
            event = settling.settled_dispute(layer, frames, answer, self.settlement(one), self._from_page(one), seen)
            return self._append(event, person.number, nonce)

    # Parts

    def _from_page(self, one: Recording) -> FromPage:
        return FromPage(one.pictures, one.task, self.p, self.scores)

    def _append(self, event: Event, person: int, nonce: str) -> Line:
        name, facts = events.facts(event)
        return self.ledger.append(name, facts, by=str(person), session=SESSION, nonce=nonce)

    def _summary(self, person: Person, one: Recording, standing: Standing) -> dict[str, Any]:
        mine = standing.of(one.about, person.number)
        summary: dict[str, Any] = {
            "id": one.id,
            "duration_s": one.duration_s,
            "labels": sum(len(items) for items in mine.items.values()),
            "done": one.name in standing.done.get(person.number, set()),
            "worked_s": standing.worked_s.get((person.number, one.name), 0),
        }
        if person.role == "adjudicator":
            settlement = self.settlement(one)
            summary |= {"open": len(settlement.open), "differ": list(settlement.differ), "done": settlement.is_complete}
            summary["closed"] = settlement.closed
        return summary


def _is_of(person: Person, one: Recording, standing: Standing) -> bool:
    """Whether a recording is a person's to label, or an adjudicator's to settle."""
    annotators = standing.assigned.get(one.name, ())
    if person.role == "adjudicator":
        return len(annotators) > 1 and not settling.missing(one.about, standing)
    return person.number in annotators


def _refuse_other_names(raw: Path, names: Sequence[str]) -> None:
    """Refuse to go on with names of the last run that the list no longer has: what was labelled has the new ones already."""
    if not (raw / recordings_list.NAME).is_file():
        return
    listed = {row.cells["recording"] for row in recordings_list.read_rows(raw, ("recording",))}
    gone = sorted(set(names) - listed)
    if gone:
        what = f"{raw / recordings_list.NAME} no longer has {', '.join(map(repr, gone))}, which the last run released"
        raise ReviewError(f"{what}: renamed or removed since; nothing is labelled or exported until then, run: make repro")


def _refuse_other_people(path: Path, standing: Standing, annotators: Collection[int]) -> None:
    """Refuse a ledger that is not of these people: its numbers mean somebody else in another clone."""
    given = {number for numbers in standing.assigned.values() for number in numbers}
    for number in sorted(given | set(standing.done)):
        finished = standing.done.get(number, set())
        if number in annotators and all(number in standing.assigned.get(name, ()) for name in finished):
            continue
        what = "has finished what was given to others" if number in annotators else f"is no annotator in {people.PATH}"
        msg = f"{path}: annotator {number} {what}, so the two files are of two clones; bring both from one; {FROM_ANOTHER['labels']}"
        raise ReviewError(msg)


def _recording(
    name: str, videos: Mapping[str, ReleasedVideo], files: Mapping[tuple[str, str], Any], of_parts: Mapping[Any, Any]
) -> Recording:
    camera = next(iter(videos))
    row, video = files[name, camera], videos[camera]
    per_second = row["frame_count"] / row["duration_s"]
    about = About(name, camera, of_parts[name, camera].sha256)
    first = video.first_source_frame
    fps = None if row["variable_rate"] or not row["fps"] else Fraction(row["fps"])
    pictures = Pictures(about, row["frame_count"], per_second, first, first + video.frame_count, fps=fps)
    return Recording(name, video.id, row["task"], videos, pictures, video.frame_count / per_second)


def _released_times_s(video: ReleasedVideo, release: Path) -> npt.NDArray[np.float64]:
    """Return the time of every released frame, then the end of the last; shape (n + 1,).

    Raises
    ------
    ReviewError
        When the film is not the one that was released.
    """
    try:
        return boundaries_s(stored_probe(release / video.path, video.path, video.sha256))
    except (StageError, VideoError) as error:
        what = f"{video.path} cannot be read, or is another film than the one that was released"
        raise ReviewError(f"{what}; whoever leads the study runs: make repro, and starts 'scrubin label' again") from error


def _timed(one: Recording, release: Path) -> Recording:
    """Return a recording with the times of its frames, where the time between them varies.

    They are those of the released video, which is there wherever it is labelled: what stands must not depend on whether raw files are.
    Frames that are not released, of which nobody says anything, are as far apart as they are on average.
    """
    pictures = one.pictures

    def read_s() -> npt.NDArray[np.float64]:
        released_s = _released_times_s(one.videos[pictures.about.camera], release)
        before_s = np.arange(-pictures.first, 0) / pictures.per_second
        after_s = np.arange(1, pictures.frame_count - pictures.end + 1) / pictures.per_second
        return np.concatenate([released_s[0] + before_s, released_s, released_s[-1] + after_s])

    return one if pictures.fps is not None else dataclasses.replace(one, pictures=dataclasses.replace(pictures, read_s=read_s))


def _sampled(one: Recording, source: Source, raw: Path, every_s: float) -> Recording:
    pictures = one.pictures
    frames = sampled(boundaries_s(source.probe(raw)), every_s)
    inside = frames[(frames >= pictures.first) & (frames < pictures.end)]
    return dataclasses.replace(one, pictures=dataclasses.replace(pictures, sampled=tuple(inside.tolist())))
