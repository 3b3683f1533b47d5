"""A recording goes, or gets another name: planned first, then done whole or not at all."""

from __future__ import annotations

import errno
import json
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ManifestError, ScrubinError, StageError
from scrubin.base.files import json_text, whole, write_json
from scrubin.base.layout import PRIVATE, REVIEW_PATH
from scrubin.curate.label import rewriting as of_labels
from scrubin.curate.label import written
from scrubin.curate.lists import mentions
from scrubin.curate.lists.mentions import BOOK, given_ids
from scrubin.stages import withdrawals
from scrubin.stages.annotations.params import SourceParams
from scrubin.stages.recordings_list import files_below, several
from scrubin.stages.release import gates
from scrubin.stages.review import Ledger, questions, rewriting


@dataclass(frozen=True)
class Change:
    """One file that gets another text, or another place.

    Parameters
    ----------
    path
        The file.
    says
        What happens to it, in half a sentence.
    data
        Its new bytes; None: it is moved.
    to
        Where it is moved.
    rows
        Rows that are taken out or changed, as they were written, each with its line.
    """

    path: Path
    says: str
    data: bytes | None = None
    to: Path | None = None
    rows: Sequence[tuple[int, str]] = field(default=())

    def lines(self) -> Iterator[str]:
        """Yield what happens, for reading."""
        yield f"{self.path}: {self.says}"
        for number, row in self.rows:
            yield f"  line {number}: {row}"


def apply(changes: Sequence[Change]) -> None:
    """Make all changes in their order; when one fails, take back those that were made.

    Killed in the middle, the same plan made anew holds what is left to do, as long as the list that names the recording comes last.

    Raises
    ------
    StageError
        When a file cannot be written or moved; then all are as before.
    """
    before: list[tuple[Change, bytes | None]] = []
    try:
        for one in changes:
            before.append((one, one.path.read_bytes() if one.data is not None and one.path.exists() else None))
            _make(one)
    except OSError as error:
        for one, data in reversed(before):
            _take_back(one, data)
        msg = f"{before[-1][0].path}: it cannot be changed ({error.strerror}); all lists are as they were, mend this and do it again"
        raise StageError(msg) from error


def _make(one: Change) -> None:
    if one.data is not None:
        mode = one.path.stat().st_mode & 0o777 if one.path.exists() else 0o644
        with whole(one.path) as part:
            part.touch(mode=mode)
            part.write_bytes(one.data)
            part.chmod(mode)
    elif one.to is not None:
        if one.to.exists():
            raise FileExistsError(errno.EEXIST, f"{one.to} is there already", str(one.to))
        one.to.parent.mkdir(parents=True, exist_ok=True)
        one.path.rename(one.to)


def _take_back(one: Change, data: bytes | None) -> None:
    if one.to is not None and one.to.exists() and not one.path.exists():
        one.to.rename(one.path)
    if one.data is not None and data is not None and one.path.read_bytes() != data:
        with whole(one.path) as part:
            part.write_bytes(data)
            part.chmod(one.path.stat().st_mode & 0o777)
    elif one.data is not None and data is None:
        one.path.unlink(missing_ok=True)


UNFINISHED_PATH = PRIVATE / "renaming.json"


def unfinished_names() -> tuple[str, str] | None:
    """Return the old and the new name of the rename that was stopped, None when there is none."""
    if not UNFINISHED_PATH.is_file():
        return None
    try:
        old, new = json.loads(UNFINISHED_PATH.read_text(encoding="utf-8"))
        return str(old), str(new)
    except (OSError, ValueError) as error:
        msg = (
            f"{UNFINISHED_PATH}: it cannot be read, but notes a rename that was stopped; see which lists have the old name, then remove it"
        )
        raise ManifestError(msg) from error


def refuse_unfinished(allowed: tuple[str, str] | None = None) -> None:
    """Refuse to go on while lists have two names of one recording.

    Parameters
    ----------
    allowed
        The rename that may go on.

    Raises
    ------
    ManifestError
        Names the command that ends it.
    """
    stopped = unfinished_names()
    if stopped is not None and stopped != allowed:
        old, new = stopped
        msg = f"'{old}' was to become '{new}', and that was stopped in the middle; run: scrubin {shlex.join(['rename', old, new])} --yes"
        raise ManifestError(msg)


@contextmanager
def noted_rename(old: str, new: str) -> Iterator[None]:
    """Note a rename while it is done. One that is refused and taken back is no longer noted, unless it goes on from one that was killed."""
    goes_on = UNFINISHED_PATH.is_file()
    write_json(UNFINISHED_PATH, [old, new])
    try:
        yield
    except ScrubinError:
        if not goes_on:
            UNFINISHED_PATH.unlink(missing_ok=True)
        raise
    UNFINISHED_PATH.unlink(missing_ok=True)


def rename(changes: Sequence[Change], ledger: Ledger, old: str, new: str) -> None:
    """Make all changes of a rename, in the ledgers as well, noted until it is done.

    Raises
    ------
    StageError
        When a file cannot be written or moved; then all are as before.
    """
    # The ledgers first: each is whole or as it was, and the rest can be taken back.
    with noted_rename(old, new):
        if rewriting.rename(ledger, old, new):
            # It repeats what people decided; the stage review writes it anew.
            REVIEW_PATH.unlink(missing_ok=True)
        labels = of_labels.ledger_of()
        of_labels.rename(labels, old, new)
        try:
            apply(changes)
        except ScrubinError:
            of_labels.rename(labels, new, old)
            rewriting.rename(ledger, new, old)
            raise


ASIDE = "removed"
"""Folder of the raw study that no stage reads."""
ROWS = "rows.txt"


def plan_removal(raw: Path, sources: tuple[SourceParams, ...], name: str, id_: str | None) -> list[Change]:
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
        changed = mentions.table_without(one.text, one.sheet, one.column, wanted)
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
    return [said, *_exported(raw, moves, changes, aside=True), *moves, *changes]


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


def plan_renaming(
    raw: Path, sources: tuple[SourceParams, ...], old: str, new: str, withdrawn: Memory, *, goes_on: bool = False
) -> list[Change]:
    """Return what is to be changed in lists and files; the ledger of decisions has its own way, see `scrubin.stages.review.rewriting`.

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
        changed = mentions.table_renamed(one.text, one.sheet, one.column, old, new)
        if changed.rows:
            count = len(changed.rows)
            changes.append(Change(one.path, f"'{new}' in {count} row{'s' if count > 1 else ''}", changed.text.encode(), rows=changed.rows))
    moves = [Change(one.path, f"becomes {one.named(new)}", to=one.named(new)) for one in mentions.label_files(raw, sources, old)]
    for move in moves:
        if move.to is not None and move.to.exists():
            raise ManifestError(f"{move.to}: there is such a label file already; move it away, or take another name")
    return [*_kept(old, new), *_exported(raw, moves, changes), *moves, *changes]


def _exported(raw: Path, moves: Sequence[Change], changes: Sequence[Change], *, aside: bool = False) -> list[Change]:
    """Return the change of the list of exported files: those that are moved or rewritten here are still ours to replace.

    Parameters
    ----------
    aside
        Whether what is moved is out of the study.
    """
    moved = {one.path: None if aside else one.to for one in moves}
    data = written.followed(raw, moved, {one.path: one.data for one in changes if one.data is not None})
    says = "what was exported is known again as it is then"
    return [] if data is None else [Change(written.EXPORTED_PATH, says, data)]


def _refuse_name(new: str, taken: set[str], withdrawn: Memory) -> None:
    if not new or new != new.strip() or not new.isprintable() or set("/\\") & set(new) or new.startswith("."):
        msg = f"'{new}': a name is printable text without blanks at its ends and without / and \\, because files are called so"
        raise ManifestError(msg)
    if new in taken or new in withdrawn:
        raise ManifestError(f"'{new}' is the name of another recording, or was one; take another name")


def _kept(old: str, new: str) -> list[Change]:
    """Return the changes of what the pipeline keeps by name: the ids that it gave, and what the last release held."""
    changes = []
    if old in given_ids():
        # Every cell of it is in quotes, and no other column can have this text in this place.
        before, after = (f',"{name.replace(chr(34), chr(34) * 2)}","'.encode() for name in (old, new))
        changes.append(Change(BOOK, "its id stays", BOOK.read_bytes().replace(before, after)))
    if gates.LAST_RELEASE_PATH.is_file():
        said = json.loads(gates.LAST_RELEASE_PATH.read_text(encoding="utf-8"))
        if old in said.get("recordings", {}):
            said["recordings"] = {new if name == old else name: id_ for name, id_ in said["recordings"].items()}
            changes.append(Change(gates.LAST_RELEASE_PATH, "the last release held it under this name", json_text(said).encode()))
    asked = questions.load()
    if any(one.recording == old for one in asked):
        changes.append(Change(questions.QUESTIONS_PATH, "the audit asks under this name", questions.renamed(asked, old, new).encode()))
    return changes
