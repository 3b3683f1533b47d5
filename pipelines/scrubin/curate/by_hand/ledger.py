"""The ledger of a review as a command asks for it: proven, fed from a sheet, written as one, given a sample of the release."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from scrubin.audit.expected import withdrawal_memory
from scrubin.base import files, params, strangers
from scrubin.base.errors import ManifestError, ReviewError
from scrubin.base.faults import count_text
from scrubin.stages.recordings_list import read_rows
from scrubin.stages.release import released_clips
from scrubin.stages.release.certificate import issue
from scrubin.stages.review import LEDGER_PATH, Ledger, Line, events, exchange, rewriting, sample
from scrubin.stages.review.desk import Desk
from scrubin.stages.review.events import Sampled
from scrubin.stages.review.redaction_sheet import NAME


def prove(path: Path = LEDGER_PATH) -> list[str]:
    """Prove the chain of the ledger, and that it goes on from what the pipeline has seen; return what is in it, for people.

    Raises
    ------
    ReviewError
        When the chain is broken, or lines at its end are gone.
    """
    ledger = Ledger(path)
    lines = ledger.lines()
    rewriting.refuse_shortened(path, lines)
    return list(_told(path, ledger, lines))


def _told(path: Path, ledger: Ledger, lines: Sequence[Line]) -> Iterator[str]:
    people = sorted({line.by for line in lines if line.event not in events.NOBODYS})
    by = "1 person" if len(people) == 1 else f"{len(people)} people"
    yield f"{path}: {count_text(len(lines), 'line')} by {by}, the chain holds; head {ledger.head}"
    for person in people:
        mine = [line.event for line in lines if line.by == person]
        counts = ", ".join(f"{mine.count(event)} {event}" for event in events.EVENTS if event in mine)
        yield f"  {person}: {counts}"
    for line in lines:
        if line.event == "forgotten":
            yield f"  {line.facts['lines']} of {line.facts['of']} lines were taken out, because somebody withdrew"
        if line.event == "renamed":
            yield f"  {line.facts['changed']} of {line.facts['of']} lines say another name of a recording, because it was renamed"
    # What tells of a chain that was written anew stands first, with the time of what was last then.
    back = sum(later.at < earlier.at for earlier, later in pairwise(line for line in lines if line.event not in events.NOBODYS))
    if back:
        yield f"  a clock was set back {count_text(back, 'time')}; the order of the lines is that of the file"
    if ledger.torn_bytes:
        yield f"  {ledger.torn_bytes} bytes of an unfinished line at the end count nothing; the next decision sets them aside"


def take(sheet: Path, by: str | None) -> list[str]:
    """Append what a sheet says and the ledger does not; return what was done, for people.

    Raises
    ------
    ManifestError, ReviewError
        When a row cannot be used: then nothing is appended.
    """
    data = _bytes(sheet)
    desk = Desk.open(by=by)
    listed: set[str] = set()
    with suppress(ManifestError, OSError):  # said where the list is read
        listed = {row.cells["recording"] for row in read_rows(params.raw_folder(), ("recording",))}
    try:
        done = exchange.read_sheet(data, desk.reviewed, desk.standing, desk.times_s, desk.by, desk.set_aside(), listed)
    except ManifestError as error:
        raise ManifestError([replace(fault, file=str(sheet)) if fault.file == NAME else fault for fault in error.faults]) from error
    desk.append_all(done.events)
    return [
        f"{sheet}: {count_text(len(done.events) - 1, 'new decision')}",
        *_listed("these overrule earlier ones:", done.changes),
        *_listed("decided earlier and not in the sheet; they stay (withdraw them on the page):", done.absent),
        *_listed("rejects what no detector has proposed:", done.unmet),
        *_listed(
            "passed over, as these are not reviewed now; when they are, what the sheet wants hidden there is proposed:", done.passed_over
        ),
    ]


def _listed(heading: str, sentences: Sequence[str]) -> list[str]:
    return [heading, *(f"  {sentence}" for sentence in sentences)] if sentences else []


@dataclass(frozen=True)
class Export:
    """Decisions as a sheet, how many rows it has, and sentences about those that are not in it."""

    text: str
    rows: int
    left_out: tuple[str, ...]


def text(by: str | None) -> Export:
    """Return all decisions that stand as a sheet."""
    return _exported(Desk.open(by=by))


def write(sheet: Path, by: str | None) -> Export:
    """Write all decisions that stand as a sheet, and note it in the ledger."""
    desk = Desk.open(by=by)
    _refuse_to_replace(sheet, desk)
    done = _exported(desk)
    files.write_text(sheet, done.text)
    desk.append_exported(events.Sheet(hashlib.sha256(done.text.encode()).hexdigest(), done.rows))
    return done


def _exported(desk: Desk) -> Export:
    said = exchange.sheet_text(desk.reviewed, desk.standing)
    return Export(said, said.count("\n") - 1, tuple(_left_out(desk, said)))


def _left_out(desk: Desk, said: str) -> Iterator[str]:
    """Yield what of the decisions that stand is not in a sheet, one sentence for each reason."""
    excluded = [name for name in desk.reviewed.recordings() if desk.standing.excludes(name) is not None]
    decided = exchange.rows(desk.reviewed, desk.standing)
    rejected = sum(row[6] == events.REJECT and row[0] not in excluded for row in decided)
    if unsaid := rejected - sum(line.endswith(f",{events.REJECT}") for line in said.splitlines()):
        yield (
            f"left out: {count_text(unsaid, 'rejection')} that a sheet cannot say, or that would show elsewhere what is hidden here; "
            "whoever imports it is asked about these"
        )
    if excluded:
        names = ", ".join(map(repr, excluded))
        yield f"left out: that these are excluded, which no sheet says, and what was rejected in them; exclude them there, too: {names}"
    lines, aside = desk.lines(), desk.set_aside()
    gone = events.withdrawn_lines(lines)
    of_aside = Counter(
        line.facts["recording"]
        for line in lines
        if line.event == "decided" and line.number not in gone and line.facts["recording"] in aside
    )
    if of_aside:
        names = ", ".join(f"'{name}' ({count_text(number, 'line')})" for name, number in sorted(of_aside.items()))
        yield f"left out: what is decided about recordings that are not reviewed now: {names}"


def _refuse_to_replace(sheet: Path, desk: Desk) -> None:
    """Raise a `ReviewError` where the sheet that lies there wants hidden what no decision hides: in its place, an export would show it."""
    there, own = desk.reviewed.sheet, params.raw_folder() / NAME
    if not own.is_file() or not sheet.is_file() or not sheet.samefile(own):
        return
    asked = sorted({*exchange.hidden_by_sheet_alone(desk.reviewed, desk.standing), *there.passed_over})
    if asked or there.fault:
        what = f"it wants hidden what nobody has decided, of {', '.join(map(repr, asked))}" if asked else there.fault
        raise ReviewError(f"{sheet}: {what}; import it first, or export into another file")


def _bytes(path: Path) -> bytes:
    try:
        return strangers.read_bytes(path)
    except OSError as error:
        raise ReviewError(f"{path}: cannot be read ({error.strerror}); name a sheet such as data/raw/redactions.csv") from error


MOST_CLIPS = 2000
AGAIN = "Somebody of whom clips were drawn withdrew: run the same command again. It draws of the others, and what was said of these stands."


def draw_clips(count: int, seed: int, by: str | None, folder: Path = Path()) -> tuple[Sampled, list[str]]:
    """Draw clips of the finished release and note them in the ledger; the same draw is noted once, and goes on where it stopped.

    Nobody looks at those who withdrew while the release still has them: none of their clips is drawn, and their recordings are returned
    as well. What was said about a clip of the others counts in every draw that holds it.

    A draw that was noted needs no release: what somebody saw in it may be what keeps these videos from being released again.

    Raises
    ------
    ReviewError
        When there is no finished release to draw from, nothing in it to look at, or the study no longer has some of it.
    """
    if not 1 <= count <= MOST_CLIPS or seed < 0:
        raise ReviewError(f"--sample is a number of clips from 1 to {MOST_CLIPS}, and --seed a whole number from 0")
    desk, videos = Desk.open(folder, by), released_clips.load_released(folder)
    gone = sorted({name for name, _ in videos if name in desk.reviewed.withdrawn})
    others = {key: one for key, one in videos.items() if key[0] not in gone}
    released_clips.require_reviewed(others, desk.reviewed.files)
    population = released_clips.population(folder, others, desk.times_s)
    if not population:
        raise ReviewError("every released second is black: there is nothing to look at")
    sha256 = released_clips.sha256_of_release(videos)
    wanted = Sampled(sha256, seed, len(population), sample.draw(population, count, seed, sha256))
    if wanted not in [one.drawn for one in sample.samples(desk.lines())]:
        released_clips.require_finished(folder, videos)
        desk.sample(wanted)
    return wanted, gone


@dataclass(frozen=True)
class Conclusion:
    """What a sample proves, in lines for people, and whether something was found in it."""

    lines: tuple[str, ...]
    has_findings: bool


def conclude(wanted: Sampled, folder: Path = Path()) -> Conclusion:
    """Return what a sample proves, and renew the private certificate; what was said about those who withdrew counts nothing."""
    lines, withdrawn = Ledger(folder / LEDGER_PATH).lines(), withdrawal_memory.load(folder)
    left = replace(wanted, clips=tuple(clip for clip in wanted.clips if clip.recording not in withdrawn))
    # A run of the pipeline takes them out of the draw as well.
    noted = next((one for one in sample.samples(lines) if one.drawn in (wanted, left)), None)
    said, findings = [AGAIN] if left != wanted else [], False
    if noted is not None:
        drawn = replace(noted, judgements=sample.judgements(lines, left))
        said = [sample.sentence(sample.proof(drawn)), *(_findings(drawn) if drawn.findings else said)]
        findings = bool(drawn.findings)
    return Conclusion((*said, *issue.renew(folder, lines).splitlines()), findings)


def _findings(drawn: sample.Sample) -> Iterator[str]:
    for finding in drawn.findings:
        clip = finding.clip
        place = f"'{clip.recording}' (released as {clip.id}), {clip.start_s:g} to {clip.end_s:g} s of the release"
        yield f"  finding: {place}: {finding.why}"
    if drawn.findings:
        yield "Hide it: run 'scrubin review', decide, then make repro. The new videos need a new sample."
