"""``redactions.csv`` into the ledger, or out of it, for people who like sheets."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scrubin.base.errors import ManifestError, RecordingError
from scrubin.base.faults import count_text
from scrubin.stages.review import events
from scrubin.stages.review.events import ADD, REJECT, Decided, DecidedSpan, Event
from scrubin.stages.review.outcome import REJECTED, TICK_S, covers, rejects, without
from scrubin.stages.review.redaction_sheet import COLUMNS, NAME, Decision, parse
from scrubin.stages.review.standing import Standing
from scrubin.stages.review.status import frames_on_screen
from scrubin.stages.review.study import Boundaries, ReviewedStudy, StudyFile

RedactionRow = tuple[str, str, str, float, float, events.Box | None, str]
"""Recording, camera, kind, start_s, end_s, rectangle, decision."""


@dataclass(frozen=True)
class Import:
    """What a sheet adds to the ledger.

    Parameters
    ----------
    events
        New decisions, then the note that the sheet was imported.
    changes
        Sentences: decisions of the ledger that these overrule.
    absent
        Sentences: decisions of the ledger that are not in the sheet; they stay.
    unmet
        Sentences: rejections of what no detector has proposed.
    passed_over
        Sentences: recordings whose rows count nothing now, because they are not reviewed.
    """

    events: tuple[Event, ...]
    changes: tuple[str, ...]
    absent: tuple[str, ...]
    unmet: tuple[str, ...]
    passed_over: tuple[str, ...]


def read_sheet(data: bytes, of: ReviewedStudy, standing: Standing, boundaries_s: Boundaries, set_aside: Iterable[str] = ()) -> Import:
    """Return what a sheet would add to the ledger.

    Parameters
    ----------
    data
        The sheet's bytes.
    boundaries_s
        When the frames of each file are shown.
    set_aside
        Recordings of the manifest that are not reviewed: their rows count nothing, and are proposed when these come back.

    Raises
    ------
    ManifestError
        When a row cannot be used: a half-read sheet would leave out what somebody wants hidden.
    """
    cameras: dict[str, tuple[str, ...]] = {}
    for recording, camera in of.files:
        cameras[recording] = (*cameras.get(recording, ()), camera)
    decided = parse(data, cameras, set(set_aside) - set(cameras), of.withdrawn)
    if decided.errors:
        raise ManifestError([fault for error in decided.errors.values() for fault in error.faults])
    known = rows(of, standing)
    wanted = [_row(one, of.files[one.recording, one.camera]) for one in decided.rows]
    # A rejection in a sheet beats an acceptance, wherever it stands: later lines of the ledger win.
    new = sorted((row for row in dict.fromkeys(wanted) if not any(_same(row, other) for other in known)), key=lambda row: row[6] == REJECT)
    for one, row in zip(decided.rows, wanted, strict=True):
        _refuse_outside(row, of.files[row[0], row[1]], f"line {one.line}")
    overruled = [other for other in known if any(_contradict(row, other) for row in new)]
    absent = [other for other in known if other not in overruled and not any(_same(row, other) for row in wanted)]
    added: list[Event] = [_event(row, of.files[row[0], row[1]], boundaries_s) for row in new]
    added.append(events.Sheet(hashlib.sha256(data).hexdigest(), len(new)))
    unmet = [row for row in new if row[6] == REJECT and not _meets(row, of, standing)]
    passed_over = tuple(f"'{name}': {count_text(count, 'row')}" for name, count in sorted(decided.passed_over.items()))
    said = [tuple(map(_says, one)) for one in (overruled, absent, unmet)]
    return Import(tuple(added), said[0], said[1], said[2], passed_over)


def sheet_text(of: ReviewedStudy, standing: Standing) -> str:
    """Return all decisions that stand as a ``redactions.csv``, but for rejections that a sheet cannot say.

    In a sheet the rejection of a whole frame is about all of its kind. Who was asked about a whole frame said nothing of the
    rectangles in it: where there are any, whoever imports the sheet is asked anew.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    every = rows(of, standing)
    for row in every:
        if _shows_too_much(row, every, of, standing):
            continue
        recording, camera, kind, start_s, end_s, box, decision = row
        writer.writerow((recording, camera, kind, f"{start_s!r}", f"{end_s!r}", *(box or ("", "", "", "")), decision))
    return text.getvalue()


def _shows_too_much(row: RedactionRow, every: Sequence[RedactionRow], of: ReviewedStudy, standing: Standing) -> bool:
    """Whether a rejection of a whole frame would, in a sheet, show a rectangle that is hidden here; what was added stays hidden."""
    recording, camera, kind, start_s, end_s, box, decision = row
    if decision != REJECT or box is not None:
        return False
    drawn = [(other[5], other[3], other[4]) for other in every if other[:3] == row[:3] and other[6] == ADD]
    for one in of.redactions((recording, camera), standing):
        hidden = None if one["x"] is None else (one["x"], one["y"], one["w"], one["h"])
        is_there = one["kind"] == kind and one["start_s"] < end_s and start_s < one["end_s"] and one["decision"] != REJECTED
        if is_there and hidden is not None and not any(at == hidden and a <= one["start_s"] and one["end_s"] <= b for at, a, b in drawn):
            return True
    return False


def rows(of: ReviewedStudy, standing: Standing) -> list[RedactionRow]:
    """Return the decisions that stand, without what later ones overrule, sorted."""
    done: list[RedactionRow] = []
    for key in of.files:
        decided = [one for _, one in standing.decided.get(key, {}).values() if not one.lets_through]
        said = [(one, span) for one in decided for span in one.spans]
        for place, (one, span) in enumerate(said):
            later = [other for other in said[place + 1 :] if span.what != ADD and _overrules(other, (one, span))]
            for start_s, end_s in without((span.start_s, span.end_s), [(other.start_s, other.end_s) for _, other in later]):
                done.append((*key, one.kind, start_s, end_s, one.box_xywh, span.what))
    return sorted(dict.fromkeys(done), key=lambda row: (*row[:2], row[3:5], row[2], row[5] or (), row[6]))


def _overrules(later: tuple[Decided, DecidedSpan], earlier: tuple[Decided, DecidedSpan]) -> bool:
    same_place = later[0].box_xywh in (None, earlier[0].box_xywh)
    if later[0].kind != earlier[0].kind or not same_place or later[1].what == ADD:
        return False
    return later[1].what != REJECT or rejects(later[0], earlier[0].box_xywh)


def _row(one: Decision, file: StudyFile) -> RedactionRow:
    start_s, end_s = one.interval_s(file.duration_s)
    return one.recording, one.camera, one.kind, start_s, end_s, one.box_xywh, one.decision


def _same(a: RedactionRow, b: RedactionRow) -> bool:
    return (a[:3], a[5:]) == (b[:3], b[5:]) and abs(a[3] - b[3]) <= TICK_S and abs(a[4] - b[4]) <= TICK_S


def _contradict(new: RedactionRow, old: RedactionRow) -> bool:
    if new[:3] != old[:3] or ADD in (new[6], old[6]) or new[6] == old[6]:
        return False
    return new[5] in (None, old[5]) and new[3] < old[4] and old[3] < new[4]


def _meets(row: RedactionRow, of: ReviewedStudy, standing: Standing) -> bool:
    """Whether something is proposed that a rejection is about."""
    return any(
        one.kind == row[2] and covers(row[5], one.box_xywh) and one.interval_s[0] < row[4] and row[3] < one.interval_s[1]
        for one in of.proposed((row[0], row[1]), standing)
    )


def _refuse_outside(row: RedactionRow, file: StudyFile, place: str) -> None:
    if row[3] >= file.duration_s:
        reason = f"start_s {row[3]:g} lies behind the end of the video at {file.duration_s:.3f} s"
        raise RecordingError(NAME, reason, "correct it", place)
    if row[5] is not None:
        x, y, w, h = row[5]
        if x + w > file.size_px[0] or y + h > file.size_px[1]:
            reason = f"the rectangle {x},{y},{w},{h} reaches beyond the picture of {file.size_px[0]}x{file.size_px[1]} pixels"
            raise RecordingError(NAME, reason, "correct it; x,y is its top left corner", place)


def _event(row: RedactionRow, file: StudyFile, boundaries_s: Boundaries) -> Decided:
    first, last = frames_on_screen((row[3], row[4]), boundaries_s[file.key])
    # The times as they were typed: whoever exports the sheet again finds them.
    span = DecidedSpan(row[6], first, last, row[3], row[4])
    return Decided(file.recording, file.camera, file.sha256, row[2], (span,), row[5], f"from {NAME}", "", "")


def _says(row: RedactionRow) -> str:
    place = "" if row[5] is None else f", rectangle {','.join(map(str, row[5]))}"
    return f"'{row[0]}', {row[1]}: {row[6]} {row[2]} from {row[3]:.3f} to {row[4]:.3f} s{place}"
