"""The list ``withdrawn.csv``: who withdrew, as the curator wrote it; whom its rows name.

``data/private/withdrawn.json``. A name, an id or the hash of a file can be asked for; none can be read from it.
"""

from __future__ import annotations

import csv
import datetime
import io
import re
import secrets
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ManifestError
from scrubin.base.faults import Fault, error, meant
from scrubin.base.files import write_text
from scrubin.base.layout import DEMO
from scrubin.base.text import csv_text, naming
from scrubin.stages import recordings_list
from scrubin.stages.recordings_list import files_below, files_named


@dataclass(frozen=True)
class WithdrawalsParams:
    """Who withdrew stands in ``withdrawn.csv`` of the raw study."""


NAME = "withdrawn.csv"
COLUMNS = ("participant", "recording", "date", "reason")
RANDOM = "random"
"""A column that says nothing: ``dvc.lock`` holds the MD5 of the list and may be public, and names, days and reasons can be tried."""
REASONS = ("consent", "request", "legal", "quality", "other")
"""Codes, because they are published: consent withdrawn, on request, for legal reasons, for want of quality, another reason."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class WithdrawnRow:
    """One row: a participant with all recordings, or a single recording; the other is "".

    The date is the curator's own: a row counts from the next run on, whatever its date.
    """

    line: int
    participant: str
    recording: str
    date: str
    reason: str

    @property
    def place(self) -> str:
        """Where it stands; "" of a row that is about to be written."""
        return f"line {self.line}" if self.line else ""


def read(path: Path) -> tuple[WithdrawnRow, ...]:
    """Return the rows of a list; a study without the file has none.

    Raises
    ------
    ManifestError
        With every fault: whoever withdrew must never be passed over.
    """
    if not path.exists():
        return ()
    data, unread = csv_text.data_of(path, NAME)
    text, odd = csv_text.text_of(NAME, data)
    ManifestError.raise_any([*unread, *odd])
    # A row that was typed without the random cell is whole.
    sheet = csv_text.read(NAME, unguessable(text).encode(), COLUMNS, (RANDOM,))
    faults = [*sheet.faults, *(fault for row in sheet.rows for fault in _faults(row))]
    ManifestError.raise_any(faults)
    return tuple(WithdrawnRow(row.line, **{column: row.cells[column] for column in COLUMNS}) for row in sheet.rows)


def text_with(text: str, row: WithdrawnRow) -> str:
    r"""Return the text of a list with one row more, in the list's own delimiter and line ends.

    >>> text_with("participant;recording;date;reason\r\n", WithdrawnRow(2, "P07", "", "2026-01-31", "consent")).splitlines()[1][:24]
    'P07;;2026-01-31;consent;'
    """
    above = text if text.strip() else ",".join(COLUMNS)
    delimiter = csv_text.delimiter_of(above)
    end = "\r\n" if "\r\n" in text else "\n"
    columns = csv_text.read(NAME, above.encode(), COLUMNS, (RANDOM,)).columns
    columns = columns if set(COLUMNS) <= set(columns) <= {*COLUMNS, RANDOM} else COLUMNS
    line = _written([_random() if column == RANDOM else getattr(row, column) for column in columns], delimiter)
    return unguessable(f"{above}{'' if above.endswith(end) else end}{line}{end}")


def unguessable(text: str) -> str:
    """Return the text of a list with something random in each row; as it is, without rows, or where it would be read otherwise then."""
    delimiter, lines = csv_text.delimiter_of(text), text.splitlines(keepends=True)
    filled = [number for number, line in enumerate(lines) if line.strip(f"{delimiter}\ufeff \t\r\n")]
    cells = {number: next(csv.reader([lines[number].rstrip("\r\n")], delimiter=delimiter)) for number in filled}
    if len(filled) < 2:
        return text
    header = [cell.strip() for cell in cells[filled[0]]]
    named = max((place + 1 for place, cell in enumerate(header) if cell), default=0)
    place = header.index(RANDOM) if RANDOM in header else named
    if any(len(row) < place for row in cells.values()):
        return text  # a cell is missing: its reader says so
    for number in filled:
        row = cells[number] + [""] * (place + 1 - len(cells[number]))
        if not row[place].strip():
            row[place] = RANDOM if number == filled[0] else _random()
            lines[number] = _written(row, delimiter) + lines[number][len(lines[number].rstrip("\r\n")) :]
    changed = "".join(lines)
    return changed if _says_the_same(text, changed) else text


def hide_hash(raw: Path) -> None:
    """Write something random into rows of the list that people typed; the synthetic study, which is made anew, is left as it is.

    DVC hashes what a stage reads when the stage has ended, so the stage `withdrawals` comes in time, also by a bare ``dvc repro``.
    """
    path = raw / NAME
    if raw == DEMO:
        return
    try:
        text = path.read_bytes().decode()
        changed = unguessable(text)
        if changed != text:
            write_text(path, changed)
    except (OSError, UnicodeDecodeError):
        return  # it is missing, cannot be written, or its reader says what is wrong


def _says_the_same(text: str, changed: str) -> bool:
    """Return whether a changed list can be read, and its rows are those of before, where these could be read."""
    before, after = (csv_text.read(NAME, one.encode(), COLUMNS, (RANDOM,)) for one in (text, changed))
    rows = [[tuple(row.cells[column] for column in COLUMNS) for row in sheet.rows] for sheet in (before, after) if not sheet.faults]
    return not after.faults and all(of == rows[-1] for of in rows)


def _written(row: Sequence[str], delimiter: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="").writerow(row)
    return out.getvalue()


def _random() -> str:
    return secrets.token_hex(16)


def text_without(text: str, rows: Iterable[WithdrawnRow]) -> str:
    """Return the text of a list without some of its rows."""
    gone = {row.line for row in rows}
    return "".join(line for number, line in enumerate(text.splitlines(keepends=True), start=1) if number not in gone)


def _faults(row: csv_text.CsvRow) -> Iterator[Fault]:
    cells = row.cells
    named = [column for column in ("participant", "recording") if cells[column]]
    if not named:
        fix = "fill in the participant, or one recording, or remove the row"
        yield error(NAME, "nobody-named", "it names nobody", fix, place=row.place)
    if len(named) > 1:
        fix = "fill in the participant when all recordings of theirs are withdrawn, else the recording"
        yield error(NAME, "both-named", "it names a participant and a recording", fix, place=row.place)
    if not is_date(cells["date"]):
        fix = "write year, month and day as 2026-01-31"
        yield error(NAME, "date", f"'{csv_text.shown(cells['date'])}' is no date", fix, place=row.place)
    if cells["reason"] not in REASONS:
        what = f"'{csv_text.shown(cells['reason'])}' is no code of a reason"
        yield error(NAME, "reason", what, f"use one of {', '.join(REASONS)}", place=row.place)


def is_date(text: str) -> bool:
    """Whether a text is a date of the calendar, written as year, month, day.

    >>> is_date("2024-02-29"), is_date("2023-02-29"), is_date("29.02.2024")
    (True, False, False)
    """
    try:
        return _DATE.fullmatch(text) is not None and bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False


@dataclass(frozen=True)
class Listed:
    """One recording of the study: who is in it, its raw files, and where it was made."""

    participant: str
    paths: tuple[str, ...]
    site: str = ""


@dataclass(frozen=True)
class Named:
    """Who withdrew.

    Parameters
    ----------
    participants
        Those with all their recordings.
    reasons
        By recording.
    """

    participants: frozenset[str]
    reasons: Mapping[str, str]


def listed(raw: Path) -> dict[str, Listed]:
    """Return the recordings that ``recordings.csv`` lists, also those whose rows cannot be used for anything else.

    Raises
    ------
    ManifestError
        When the file cannot be read as such a list.
    """
    done: dict[str, Listed] = {}
    files = files_below(raw)
    for row in recordings_list.read_rows(raw, ("recording", "participant", "path")):
        name, participant = (row.cells.get(column, "") for column in ("recording", "participant"))
        written = row.as_written("path") if row.cells.get("path") else ""
        paths = files_named(written, files) if written else []
        if name:
            before = done.get(name, Listed(participant, (), row.cells.get("site", "")))
            done[name] = replace(before, paths=(*before.paths, *paths))
    return done


def named(rows: Sequence[WithdrawnRow], participant_of: Mapping[str, str], memory: Memory) -> Named:
    """Return whom the rows name.

    Parameters
    ----------
    rows
        Of the list.
    participant_of
        By recording, of the study as it is listed and as the last run knew it.
    memory
        Of those who withdrew earlier, whose rows and files may be gone.

    Raises
    ------
    ManifestError
        For every row that names nobody of the study.
    """
    reasons: dict[str, str] = {}
    faults = []
    people, recordings = _by_look((who, name) for name, who in participant_of.items()), _by_look((name, name) for name in participant_of)
    for row in rows:
        if row.participant:
            theirs = people.get(naming.look(row.participant), [])
            known = bool(theirs) or memory.has_participant(row.participant)
        else:
            theirs = recordings.get(naming.look(row.recording), [])
            known = bool(theirs) or memory.reason(row.recording) is not None
        reasons |= {name: row.reason for name in theirs if name not in reasons}
        if not known:
            faults.append(_nobody(row, participant_of))
    ManifestError.raise_any(faults)
    gone = {naming.look(row.participant) for row in rows if row.participant}
    spelt = {participant_of[name] for who in gone for name in people.get(who, [])}
    return Named(frozenset({row.participant for row in rows if row.participant} | spelt), reasons)


def _by_look(names: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return recordings by a name as it is seen."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, recording in names:
        found[naming.look(name)].append(recording)
    return dict(found)


def come_back(study: Mapping[str, Listed], said: Named, memory: Memory) -> Iterator[Fault]:
    """Yield a fault for each listed recording that was withdrawn earlier and that no row of ``withdrawn.csv`` names any more."""
    for name, one in sorted(study.items()):
        if name not in said.reasons and (memory.reason(name) is not None or memory.has_participant(one.participant)):
            what = f"'{name}' stands in it, but was withdrawn earlier, and no row of {NAME} says so any more"
            column, who = ("participant", one.participant) if memory.has_participant(one.participant) else ("recording", name)
            undo = f"if they never withdrew, run: .venv/bin/scrubin withdraw --undo --{column} {shlex.quote(who)}"
            yield error(recordings_list.NAME, "withdrawn-again", what, f"take its rows out, or put the row of {NAME} back; {undo}")


def _nobody(row: WithdrawnRow, participant_of: Mapping[str, str]) -> Fault:
    recordings, participants = set(participant_of), set(participant_of.values())
    name, mine, others = (row.participant, participants, recordings) if row.participant else (row.recording, recordings, participants)
    column, other = ("participant", "recording") if row.participant else ("recording", "participant")
    fix = meant(name, mine, "correct it; of somebody whose rows are gone already, name them before their rows go")
    if name in others:
        fix = f"it is the name of a {other}: write it in that column"
    return error(NAME, f"{column}-unknown", f"'{csv_text.shown(name)}' is no {column} of {recordings_list.NAME}", fix, place=row.place)
