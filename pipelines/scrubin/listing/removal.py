"""A recording that should not have been in the study goes from every list; files that were its own are set aside, not deleted."""

from __future__ import annotations

from pathlib import Path

from scrubin.annotations.params import SourceParams
from scrubin.listing import mentions, table_text
from scrubin.listing.changes import Change
from scrubin.listing.several_files import files_below, several
from scrubin.withdrawal import sheet as withdrawals

ASIDE = "removed"
"""Folder of the raw study that no stage reads."""
ROWS = "rows.txt"


def plan(raw: Path, sources: tuple[SourceParams, ...], name: str, id_: str | None) -> list[Change]:
    """Return what is to be changed.

    Parameters
    ----------
    raw
        Folder of the raw study.
    sources
        Of label files.
    name, id_
        The recording, and its released id, by which sheets may call it.

    Raises
    ------
    ManifestError
        When there is no such recording, or a list cannot be read.
    """
    lists = mentions.lists(raw)
    mentions.require_listed(lists, name)
    changes, kept = [], []
    for one in lists:
        if one.path.name == withdrawals.NAME:
            continue  # who withdrew stays in it
        wanted = {name} if one.is_own or id_ is None else {name, id_}
        changed = table_text.without(one.text, one.sheet, one.column, wanted)
        if changed.rows:
            changes.append(Change(one.path, f"{_rows(len(changed.rows))} out", changed.text.encode(), rows=changed.rows))
            kept += [f"{one.path.relative_to(raw).as_posix()}, line {number}: {row}\n" for number, row in changed.rows]
    files = [one.path for one in mentions.label_files(raw, sources, name)]
    files += [path for path in _videos(raw, lists, name) if path.is_file()]
    moves = [Change(path, f"goes to {to}", to=to) for path in files for to in (raw / ASIDE / path.relative_to(raw),)]
    note = raw / ASIDE / ROWS
    before = note.read_text(encoding="utf-8") if note.is_file() else ""
    said = Change(note, "gets all rows that are taken out", (before + "".join(kept)).encode())
    # The list of recordings last: as long as it names the recording, the same command does what is left.
    return [said, *moves, *changes]


def _videos(raw: Path, lists: list[mentions.NamingList], name: str) -> list[Path]:
    """Return the raw files that this recording names and no other one does."""
    own = next(one for one in lists if one.is_own)
    below = files_below(raw)
    every = [
        (row.cells["recording"], path)
        for row in own.sheet.rows
        if "path" in row.cells
        for path in several(row.as_written("path"), below) or [row.as_written("path")]
    ]
    others = {path for recording, path in every if recording != name}
    return [raw / path for recording, path in every if recording == name and path not in others]


def _rows(count: int) -> str:
    return "1 row goes" if count == 1 else f"{count} rows go"
