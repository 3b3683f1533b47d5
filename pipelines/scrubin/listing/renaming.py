"""A recording gets another name in every list, in the names of its label files, and in what the pipeline keeps of it: its id stays."""

from __future__ import annotations

import json
from pathlib import Path

from scrubin.annotations.params import SourceParams
from scrubin.core.errors import ManifestError
from scrubin.core.files import json_text
from scrubin.listing import mentions, table_text
from scrubin.listing.changes import Change
from scrubin.listing.given_ids import BOOK, given_ids
from scrubin.release import shrinking
from scrubin.review import questions
from scrubin.withdrawal.memory import Memory


def plan(raw: Path, sources: tuple[SourceParams, ...], old: str, new: str, withdrawn: Memory, *, goes_on: bool = False) -> list[Change]:
    """Return what is to be changed in lists and files; the ledger of decisions has its own way, see `scrubin.review.renaming`.

    Parameters
    ----------
    raw
        Folder of the raw study.
    sources
        Of label files.
    old, new
        Names of the recording.
    withdrawn
        Whose names nobody may have again.
    goes_on
        Whether the same rename was stopped in the middle: some lists have the new name already.

    Raises
    ------
    ManifestError
        When there is no recording of the old name, or the new one cannot be taken.
    """
    lists = mentions.lists(raw)
    if not goes_on:
        mentions.require_listed(lists, old)
        _refuse_name(new, {*mentions.names(lists), *given_ids(), *given_ids().values()}, withdrawn)
    changes = []
    for one in lists:
        changed = table_text.renamed(one.text, one.sheet, one.column, old, new)
        if changed.rows:
            count = len(changed.rows)
            changes.append(Change(one.path, f"'{new}' in {count} row{'s' if count > 1 else ''}", changed.text.encode(), rows=changed.rows))
    moves = [Change(one.path, f"becomes {one.named(new)}", to=one.named(new)) for one in mentions.label_files(raw, sources, old)]
    for move in moves:
        if move.to is not None and move.to.exists():
            msg = f"{move.to}: there is such a label file already; move it away, or take another name"
            raise ManifestError(msg)
    return [*_kept(old, new), *moves, *changes]


def _refuse_name(new: str, taken: set[str], withdrawn: Memory) -> None:
    if not new or new != new.strip() or not new.isprintable() or set("/\\") & set(new) or new.startswith("."):
        msg = f"'{new}': a name is printable text without blanks at its ends and without / and \\, because files are called so"
        raise ManifestError(msg)
    if new in taken or new in withdrawn:
        msg = f"'{new}' is the name of another recording, or was one; take another name"
        raise ManifestError(msg)


def _kept(old: str, new: str) -> list[Change]:
    """Return the changes of what the pipeline keeps by name: the ids that it gave, and what the last release held."""
    changes = []
    if old in given_ids():
        # Every cell of it is in quotes, and no other column can have this text in this place.
        before, after = (f',"{name.replace(chr(34), chr(34) * 2)}","'.encode() for name in (old, new))
        changes.append(Change(BOOK, "its id stays", BOOK.read_bytes().replace(before, after)))
    if shrinking.PATH.is_file():
        said = json.loads(shrinking.PATH.read_text(encoding="utf-8"))
        if old in said.get("recordings", {}):
            said["recordings"] = {new if name == old else name: id_ for name, id_ in said["recordings"].items()}
            changes.append(Change(shrinking.PATH, "the last release held it under this name", json_text(said).encode()))
    asked = questions.load()
    if any(one.recording == old for one in asked):
        changes.append(Change(questions.QUESTIONS_PATH, "the audit asks under this name", questions.renamed(asked, old, new).encode()))
    return changes
