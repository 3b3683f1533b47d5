"""Whom the rows of ``withdrawn.csv`` name: recordings of the study as it is listed, and as the last run knew it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scrubin.core import csvtext
from scrubin.core.errors import ManifestError
from scrubin.core.faults import Fault, error
from scrubin.core.suggest import near
from scrubin.listing.several_files import files_below, several
from scrubin.withdrawal.memory import Memory
from scrubin.withdrawal.sheet import NAME, Row

MANIFEST = "recordings.csv"
UNDO = "if they never withdrew, run: .venv/bin/scrubin withdraw --undo"


@dataclass(frozen=True)
class Listed:
    """One recording of the study: who is in it, and its raw files."""

    participant: str
    paths: tuple[str, ...]


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
    sheet = csvtext.read_path(raw / MANIFEST, MANIFEST, ("recording", "participant", "path"))
    ManifestError.raise_any(sheet.file_faults)
    done: dict[str, Listed] = {}
    files = files_below(raw)
    for row in (*sheet.rows, *(misfit.row for misfit in sheet.misfits)):
        name, participant = (row.cells.get(column, "") for column in ("recording", "participant"))
        written = row.as_written("path") if row.cells.get("path") else ""
        paths = (several(written, files) or [PurePosixPath(written).as_posix()]) if written else []
        if name:
            before = done.get(name, Listed(participant, ()))
            done[name] = Listed(before.participant, (*before.paths, *paths))
    return done


def named(rows: Sequence[Row], participant_of: Mapping[str, str], memory: Memory) -> Named:
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
    for row in rows:
        if row.participant:
            theirs = [name for name, who in participant_of.items() if who == row.participant]
            known = bool(theirs) or memory.has_participant(row.participant)
        else:
            theirs = [row.recording] if row.recording in participant_of else []
            known = bool(theirs) or memory.reason(row.recording) is not None
        reasons |= {name: row.reason for name in theirs if name not in reasons}
        if not known:
            faults.append(_nobody(row, participant_of))
    ManifestError.raise_any(faults)
    return Named(frozenset(row.participant for row in rows if row.participant), reasons)


def come_back(study: Mapping[str, Listed], said: Named, memory: Memory) -> Iterator[Fault]:
    """Yield a fault for each listed recording that was withdrawn earlier and that no row of ``withdrawn.csv`` names any more."""
    for name, one in sorted(study.items()):
        if name not in said.reasons and (memory.reason(name) is not None or memory.has_participant(one.participant)):
            what = f"'{name}' stands in it, but was withdrawn earlier, and no row of {NAME} says so any more"
            yield error(MANIFEST, "withdrawn-again", what, f"take its rows out, or put the row of {NAME} back; {UNDO}")


def _nobody(row: Row, participant_of: Mapping[str, str]) -> Fault:
    recordings, participants = set(participant_of), set(participant_of.values())
    name, mine, others = (row.participant, participants, recordings) if row.participant else (row.recording, recordings, participants)
    column, other = ("participant", "recording") if row.participant else ("recording", "participant")
    fix = "correct it; of somebody whose rows are gone already, name them before their rows go"
    if name in others:
        fix = f"it is the name of a {other}: write it in that column"
    elif (close := near(name, mine)) is not None:
        fix = f"did you mean '{close}'?"
    return error(NAME, f"{column}-unknown", f"'{csvtext.shown(name)}' is no {column} of {MANIFEST}", fix, place=row.place)
