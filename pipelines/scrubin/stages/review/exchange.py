"""``redactions.csv`` into the ledger, or out of it, for people who like sheets."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from scrubin.base.errors import ManifestError, ReviewError
from scrubin.base.faults import Fault, count_text
from scrubin.stages.review import events
from scrubin.stages.review.events import ACCEPT, ADD, REJECT, Decided, DecidedSpan, Event
from scrubin.stages.review.outcome import (
    REJECTED,
    STILLS_STEP_S,
    TICK_S,
    Interval,
    Part,
    Proposed,
    added,
    covers,
    overlaps,
    rejects,
    without,
)
from scrubin.stages.review.redaction_sheet import COLUMNS, NAME, WHOLE, Decision, parse
from scrubin.stages.review.standing import FileKey, Standing
from scrubin.stages.review.status import frames_on_screen
from scrubin.stages.review.study import NO_SHEET, Boundaries, ReviewedStudy, StudyFile

RedactionRow = tuple[str, str, str, float, float, events.Box | None, str]
"""Recording, camera, kind, start_s, end_s, rectangle, decision."""
Hidden = tuple[Interval, events.Box | None]
"""When something is hidden, and its rectangle."""
Place = tuple[ReviewedStudy, Mapping[FileKey, Sequence[Hidden]]]
"""A study with the proposals of where a sheet may be imported, and what the decisions of here would hide there, by file."""


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


def read_sheet(
    data: bytes,
    of: ReviewedStudy,
    standing: Standing,
    boundaries_s: Boundaries,
    by: str,
    set_aside: Iterable[str] = (),
    listed: Container[str] = (),
) -> Import:
    """Return what a sheet would add to the ledger.

    Parameters
    ----------
    data
        The sheet's bytes.
    boundaries_s
        When the frames of each file are shown.
    by
        Who imports it. Where several must agree, what others decided is not said yet by this person.
    set_aside
        Recordings of the manifest that are not reviewed: their rows count nothing, and are proposed when these come back.
    listed
        Recordings that the manifest names now, to tell those that no run has read from those that it does not know.

    Raises
    ------
    ManifestError
        When a row cannot be used: a half-read sheet would leave out what somebody wants hidden.
    """
    cameras: dict[str, tuple[str, ...]] = {}
    for recording, camera in of.files:
        cameras[recording] = (*cameras.get(recording, ()), camera)
    decided = parse(data, cameras, set(set_aside) - set(cameras), of.withdrawn, listed)
    if decided.errors:
        raise ManifestError([fault for error in decided.errors.values() for fault in error.faults])
    line_of = _lines(of, standing, by)
    known = _in_order(line_of)
    wanted = [_row(one, of.files[one.recording, one.camera]) for one in decided.rows]
    new = _not_said(list(dict.fromkeys(wanted)), line_of)
    for one, row in zip(decided.rows, wanted, strict=True):
        _refuse_outside(row, of.files[row[0], row[1]], f"line {one.line}")
    overruled = [other for other in known if any(_contradicts(row, other) for row in new)]
    absent = [other for other in known if other not in overruled and not any(_same(row, other) for row in wanted)]
    added: list[Event] = [_event(row, of.files[row[0], row[1]], boundaries_s) for row in new]
    added.append(events.Sheet(hashlib.sha256(data).hexdigest(), len(new)))
    unmet = [row for row in new if row[6] == REJECT and not _meets(row, of, standing)]
    passed_over = tuple(f"'{name}': {count_text(count, 'row')}" for name, count in sorted(decided.passed_over.items()))
    said = [tuple(map(_says, one)) for one in (overruled, absent, unmet)]
    return Import(tuple(added), said[0], said[1], said[2], passed_over)


def _not_said(wanted: Sequence[RedactionRow], line_of: Mapping[RedactionRow, int]) -> list[RedactionRow]:
    """Return what a sheet says and the ledger does not, or no longer: whoever imports a sheet means it now, whatever was imported since.

    Rejections come last: in a sheet they beat acceptances, wherever they stand, and later lines of the ledger win.

    Parameters
    ----------
    line_of
        The line of each decision that stands.
    """
    rejections = [row for row in wanted if row[6] == REJECT]
    hiding = [row for row in wanted if row[6] != REJECT and not _hides_already(row, rejections, line_of)]
    showing = [row for row in rejections if any(_undoes(other, row) for other in hiding) or not _shows_already(row, line_of)]
    return [*hiding, *showing]


def _hides_already(row: RedactionRow, rejections: Iterable[RedactionRow], line_of: Mapping[RedactionRow, int]) -> bool:
    """Whether the ledger says what the sheet's own rejections leave of a row that hides something."""
    left = without(row[3:5], [other[3:5] for other in rejections if _contradicts(other, row)])
    return all(_is_said(row, part, line_of) for part in left)


def _shows_already(row: RedactionRow, line_of: Mapping[RedactionRow, int]) -> bool:
    """Whether the ledger says a rejection, and after all acceptances that hide something of what it is about."""
    undone = [(other, line) for other, line in line_of.items() if _undoes(other, row)]
    parts = [((max(row[3], other[3]), min(row[4], other[4])), line) for other, line in undone]
    return all(_is_said(row, part, line_of, after) for part, after in ((row[3:5], 0), *parts))


def _is_said(row: RedactionRow, part: Interval, line_of: Mapping[RedactionRow, int], after: int = 0) -> bool:
    """Whether lines after one say what a row says, during all of a part of its time."""
    same = [other[3:5] for other, line in line_of.items() if line > after and (other[:3], other[5:]) == (row[:3], row[5:])]
    # Also a millisecond that was not said: the frame that is on the screen in it is to be hidden.
    return not without(part, same)


def _undoes(accepted: RedactionRow, rejected: RedactionRow) -> bool:
    """Whether an acceptance, where it is the later one, hides something that a rejection shows."""
    is_there = accepted[:3] == rejected[:3] and accepted[3] < rejected[4] and rejected[3] < accepted[4]
    return accepted[6] == ACCEPT and is_there and (rejected[5] is None or overlaps(accepted[5], rejected[5]))


def sheet_text(of: ReviewedStudy, standing: Standing) -> str:
    """Return all decisions that stand as a ``redactions.csv``, but for rejections that would show more elsewhere than is shown here.

    In a sheet a rejection is about all of its kind that lies in its rectangle, whoever else hides some of it. Where that shows
    what is hidden here, the rejection is left out: whoever imports the sheet is asked anew.
    Of a recording that is excluded here all are.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    sayable = dict.fromkeys(_as_import_takes_it(row) for row in rows(of, standing))
    for recording, said in groupby((row for row in sayable if row is not None), key=lambda row: row[0]):
        for row in _showing_no_more(recording, list(said), of, standing):
            start_s, end_s = (np.format_float_positional(time_s, trim="0") for time_s in row[3:5])
            writer.writerow((*row[:3], start_s, end_s, *(row[5] or ("", "", "", "")), row[6]))
    return text.getvalue()


def _as_import_takes_it(row: RedactionRow) -> RedactionRow | None:
    """Return a decision as a sheet can say it; None for a rejection that none can."""
    kind, box, decision = row[2], row[5], row[6]
    if kind in WHOLE and box is not None and decision == REJECT:
        return None
    return (*row[:6], ADD) if kind == "text" and box is None and decision == ACCEPT else row


def _showing_no_more(recording: str, said: Sequence[RedactionRow], of: ReviewedStudy, standing: Standing) -> list[RedactionRow]:
    """Return the rows of a recording without rejections by which an import would show what is hidden here, tried out."""
    if standing.excludes(recording) is not None:
        return [row for row in said if row[6] != REJECT]
    places = _places(recording, of, standing)
    # In the order of the sheet, which is that of the ledger after the import: what is younger than a drawing answers its proposal.
    kept, left_out = list(said), list[RedactionRow]()
    while shown := _shown_by_import(kept, places):
        rejections = [row for row in kept if row[6] == REJECT]
        near = [row for row in rejections if any(row[3] < end + STILLS_STEP_S and start - STILLS_STEP_S < row[4] for start, end in shown)]
        left_out += near or rejections
        kept = [row for row in kept if row not in left_out]
        if not rejections:
            raise ReviewError(f"'{recording}': what is hidden cannot be said in a {NAME}; keep the ledger instead")
    for row in left_out:
        more = [one for one in said if one in kept or one == row]
        kept = kept if _shown_by_import(more, places) else more
    return kept


def _places(recording: str, of: ReviewedStudy, standing: Standing) -> list[Place]:
    """Return where the sheet may be imported: without the one that lies here, and where that one asks what it asks here."""
    keys = of.cameras(recording)
    asked = {key: of.sheet_asks(key, standing) for key in keys}
    sheets = [NO_SHEET, replace(NO_SHEET, proposals=asked)] if any(asked.values()) else [NO_SHEET]
    studies = [replace(of, sheet=sheet) for sheet in sheets]
    return [(study, {key: _hidden(study, key, standing) for key in keys}) for study in studies]


def _shown_by_import(said: Iterable[RedactionRow], places: Iterable[Place]) -> list[Interval]:
    """Return when something that is hidden here would be shown where one person, who alone decides, imports these rows only."""
    ordered = sorted(said, key=lambda row: row[6] == REJECT)
    shown: list[Interval] = []
    for study, hidden in places:
        there, of = study.standing(), replace(study, reviewers=1)
        for number, row in enumerate(ordered):
            key = row[0], row[1]
            there.decided.setdefault(key, {})[number] = "", _decided(row, of.files[key], (0, 0))
        for key, here in hidden.items():
            shown += _shown(here, _hidden(of, key, there))
    return shown


def hidden_by_sheet_alone(of: ReviewedStudy, standing: Standing) -> list[str]:
    """Return the recordings of which the sheet that lies there wants something hidden that no person's decision hides.

    What a detector or the other camera proposes there as well is no decision: somebody may reject it tomorrow.
    """
    names = []
    for key in of.files:
        asked = [(part.interval_s, one.box_xywh) for one, part in _open_wishes(of, key, standing)]
        people = added(list(standing.decided.get(key, {}).values()), of.reviewers) if asked else []
        if _shown(asked, [(one.interval_s, one.box_xywh) for one in people]):
            names.append(key[0])
    return sorted(set(names))


def _open_wishes(of: ReviewedStudy, key: FileKey, standing: Standing) -> Iterator[tuple[Proposed, Part]]:
    """Yield what the sheet wants hidden in a file, but for what a person rejected of it."""
    for one in of.sheet_asks(key, standing):
        yield from ((one, part) for part in of.judged(key, one, standing) if part.decision != REJECTED)


def _shown(here: Iterable[Hidden], elsewhere: Sequence[Hidden]) -> list[Interval]:
    """Return when something that is hidden here is not hidden elsewhere."""
    return [
        left for interval_s, box in here for left in without(interval_s, [other_s for other_s, around in elsewhere if covers(around, box)])
    ]


def _hidden(of: ReviewedStudy, key: FileKey, standing: Standing) -> list[Hidden]:
    rows_hidden = (row for row in of.redactions(key, standing) if row["decision"] != REJECTED)
    return [((row["start_s"], row["end_s"]), None if row["x"] is None else (row["x"], row["y"], row["w"], row["h"])) for row in rows_hidden]


def rows(of: ReviewedStudy, standing: Standing, by: str | None = None) -> list[RedactionRow]:
    """Return the decisions that stand, without what later ones overrule, sorted.

    Parameters
    ----------
    by
        Whose, where several must agree: what one person says overrules nothing of what others do. None: everybody's.
    """
    return _in_order(_lines(of, standing, by))


def _in_order(said: Iterable[RedactionRow]) -> list[RedactionRow]:
    return sorted(said, key=lambda row: (*row[:2], row[3:5], row[2], row[5] or (), row[6]))


def _lines(of: ReviewedStudy, standing: Standing, by: str | None) -> dict[RedactionRow, int]:
    """Return the line of each decision that stands; the last one of several that say the same."""
    done: dict[RedactionRow, int] = {}
    for key in of.files:
        decided = [(line, who, one) for line, (who, one) in standing.decided.get(key, {}).items() if not one.lets_through]
        people = {None} if of.reviewers == 1 else {who for _, who, _ in decided if by in (None, who)}
        for person in people:
            said = [(line, one, span) for line, who, one in decided if person in (None, who) for span in one.spans]
            for place, (line, one, span) in enumerate(said):
                taken = [
                    (other.start_s, other.end_s)
                    for _, later, other in said[place + 1 :]
                    if _overrules((later, other.what), (one, span.what))
                ]
                for start_s, end_s in without((span.start_s, span.end_s), taken):
                    row = (*key, one.kind, start_s, end_s, one.box_xywh, span.what)
                    done[row] = max(line, done.get(row, line))
    return done


def _overrules(later: tuple[Decided, str], earlier: tuple[Decided, str]) -> bool:
    """Whether of an earlier decision nothing is left during a later one: what was added can only be withdrawn."""
    (one, what), (other, was) = later, earlier
    if one.kind != other.kind or ADD in (what, was):
        return False
    if what == was:
        return one.box_xywh == other.box_xywh
    return rejects(one, other.box_xywh) if what == REJECT else one.box_xywh in (None, other.box_xywh)


def _row(one: Decision, file: StudyFile) -> RedactionRow:
    start_s, end_s = one.interval_s(file.duration_s)
    return one.recording, one.camera, one.kind, start_s, end_s, one.box_xywh, one.decision


def _same(a: RedactionRow, b: RedactionRow) -> bool:
    return (a[:3], a[5:]) == (b[:3], b[5:]) and abs(a[3] - b[3]) <= TICK_S and abs(a[4] - b[4]) <= TICK_S


def _contradicts(new: RedactionRow, old: RedactionRow) -> bool:
    if new[:3] != old[:3] or ADD in (new[6], old[6]) or new[6] == old[6]:
        return False
    about = covers(new[5], old[5]) if new[6] == REJECT else new[5] in (None, old[5])
    return about and new[3] < old[4] and old[3] < new[4]


def _meets(row: RedactionRow, of: ReviewedStudy, standing: Standing) -> bool:
    """Whether something is proposed that a rejection is about."""
    return any(
        one.kind == row[2] and covers(row[5], one.box_xywh) and one.interval_s[0] < row[4] and row[3] < one.interval_s[1]
        for one in of.proposed((row[0], row[1]), standing)
    )


def _refuse_outside(row: RedactionRow, file: StudyFile, place: str) -> None:
    if row[3] >= file.duration_s:
        reason = f"start_s {row[3]:g} lies behind the end of the video at {file.duration_s:.3f} s"
        raise ManifestError([Fault(NAME, "outside", reason, "correct it", place)])
    if row[5] is not None:
        x, y, w, h = row[5]
        if x + w > file.size_px[0] or y + h > file.size_px[1]:
            reason = f"the rectangle {x},{y},{w},{h} reaches beyond the picture of {file.size_px[0]}x{file.size_px[1]} pixels"
            raise ManifestError([Fault(NAME, "outside", reason, "correct it; x,y is its top left corner", place)])


def _event(row: RedactionRow, file: StudyFile, boundaries_s: Boundaries) -> Decided:
    return _decided(row, file, frames_on_screen((row[3], row[4]), boundaries_s[file.key]))


def _decided(row: RedactionRow, file: StudyFile, frames: tuple[int, int]) -> Decided:
    # The times as they were typed: whoever exports the sheet again finds them.
    span = DecidedSpan(row[6], *frames, row[3], row[4])
    return Decided(file.recording, file.camera, file.sha256, row[2], (span,), row[5], f"from {NAME}", "", "")


def _says(row: RedactionRow) -> str:
    place = "" if row[5] is None else f", rectangle {','.join(map(str, row[5]))}"
    return f"'{row[0]}', {row[1]}: {row[6]} {row[2]} from {row[3]:.3f} to {row[4]:.3f} s{place}"
