"""Where a raw study names a recording: lists by a column, label files by their names, the ids that were given."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scrubin.base import strangers
from scrubin.base.errors import ManifestError
from scrubin.base.faults import Fault, meant
from scrubin.base.layout import PRIVATE
from scrubin.base.text import csv_text
from scrubin.labels.registry import FORMATS
from scrubin.stages import pseudonymize, recordings_list, withdrawals
from scrubin.stages.annotations.params import SourceParams
from scrubin.stages.recordings_list import every_row
from scrubin.stages.review import redaction_sheet as redactions
from scrubin.stages.splits.recording_sheet import ID_COLUMNS

BOOK, KEY = PRIVATE / "ids.csv", PRIVATE / "pseudonym.key"


def given_ids() -> dict[str, str]:
    """Return the ids by recording; none before the first run.

    Raises
    ------
    PrivacyError
        When key or list are damaged, or one is missing.
    """
    return pseudonymize.read_ledger(BOOK, pseudonymize.fingerprint(pseudonymize.private_key(KEY, BOOK))) if BOOK.is_file() else {}


_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")


@dataclass(frozen=True)
class Changed:
    """A changed text, and the rows that were changed: the line in which each begins, and how it was written."""

    text: str
    rows: tuple[tuple[int, str], ...]


def table_without(text: str, sheet: csv_text.Sheet, column: str, names: Container[str]) -> Changed:
    """Return a text without the rows whose cell in a column is one of these names.

    Parameters
    ----------
    text, sheet
        The file as text, and as it was read.
    """
    return _changed(text, sheet, column, names, lambda row: "")


def table_renamed(text: str, sheet: csv_text.Sheet, column: str, old: str, new: str) -> Changed:
    """Return a text in which a cell of a column that has the old name has the new one; parameters as of `table_without`."""

    def with_name(row: str) -> str:
        end = row[len(row.rstrip("\r\n")) :]
        cells = next(csv.reader([row.rstrip("\r\n")], delimiter=sheet.delimiter, skipinitialspace=True))
        at = list(sheet.columns).index(column) + sheet.row_numbers
        written = io.StringIO()
        csv.writer(written, delimiter=sheet.delimiter, lineterminator="").writerow([*cells[:at], new, *cells[at + 1 :]])
        return written.getvalue() + end

    return _changed(text, sheet, column, {old}, with_name)


def _changed(text: str, sheet: csv_text.Sheet, column: str, names: Container[str], change: Callable[[str], str]) -> Changed:
    rows = every_row(sheet)
    wanted = {row.line for row in rows if row.cells.get(column, "") in names and row.cells.get(column)}
    if not wanted:
        return Changed(text, ())
    lines: Sequence[str] = _LINES.findall(text)
    starts = sorted({row.line for row in rows})
    ends = dict(zip(starts, [*starts[1:], len(lines) + 1], strict=True))
    first = starts[0] - 1
    parts, done = ["".join(lines[:first])], []
    for start in starts:
        row = "".join(lines[start - 1 : ends[start] - 1])
        if start in wanted:
            done.append((start, row.rstrip("\r\n")))
            row = change(row)
        parts.append(row)
    return Changed("".join(parts), tuple(done))


@dataclass(frozen=True)
class NamingList:
    """A CSV, as it was read, and its column of recordings; ``is_own``: the list that says which recordings there are."""

    path: Path
    text: str
    sheet: csv_text.Sheet
    column: str
    is_own: bool = False


@dataclass(frozen=True)
class LabelFile:
    """A label file whose name holds that of a recording, from ``start`` to ``end`` in ``inside``, its path in the source's folder."""

    folder: Path
    inside: str
    start: int
    end: int

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / self.inside

    def named(self, name: str) -> Path:
        """Return where it would lie for another recording."""
        return self.folder / f"{self.inside[: self.start]}{name}{self.inside[self.end :]}"


def lists(raw: Path) -> list[NamingList]:
    """Return all lists that can name a recording, the list of recordings last.

    Raises
    ------
    ManifestError
        When one of them cannot be read: what it names nobody would know.
    """
    columns = [(raw / redactions.NAME, "recording"), (raw / withdrawals.NAME, "recording")]
    columns += [(path, "id") for path in sorted((raw / "ratings").glob("*.csv"))]
    columns += [(path, "") for path in sorted((raw / "splits").glob("*.csv"))]
    columns.append((raw / recordings_list.NAME, "recording"))
    found, faults = [], list[Fault]()
    for path, column in columns:
        if not path.is_file() or path.name.startswith("."):
            continue
        read = csv_text.read_path(path, str(path))
        faults += read.file_faults
        named = {name.lower(): name for name in reversed(read.columns)}
        naming = column or next((named[name] for name in ID_COLUMNS if name in named), read.columns[0] if read.columns else "")
        if not read.file_faults and naming in read.columns:
            text = strangers.read_bytes(path).decode("utf-8")
            found.append(NamingList(path, text, read, naming, path == raw / recordings_list.NAME))
    ManifestError.raise_any(faults)
    return found


def label_files(raw: Path, sources: tuple[SourceParams, ...], recording: str) -> Iterator[LabelFile]:
    """Yield the label files of a recording; files that are of several recordings are none of it."""
    for source in sources:
        if source.format not in FORMATS:
            continue
        folder = raw / source.folder
        for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
            inside = PurePosixPath(path.relative_to(folder)).as_posix()
            match = FORMATS[source.format].pattern.fullmatch(inside) if path.is_file() else None
            if match is not None and match["recording"] == recording:
                yield LabelFile(folder, inside, *match.span("recording"))


def require_listed(of: list[NamingList], name: str) -> None:
    """Refuse a name that ``recordings.csv`` does not have.

    Raises
    ------
    ManifestError
        With the near miss, or when there is no such list.
    """
    if not any(one.is_own for one in of):
        msg = f"{recordings_list.NAME}: there is no such list in the raw study, so nobody knows which recordings there are; put it back"
        raise ManifestError(msg)
    known = names(of)
    if name not in known:
        fix = meant(name, known, "the list names all of them")
        raise ManifestError(f"'{name}' is no recording of {recordings_list.NAME}; {fix}")


def names(of: list[NamingList]) -> set[str]:
    """Return all recordings that ``recordings.csv`` names."""
    own = next((one for one in of if one.is_own), None)
    rows = () if own is None else every_row(own.sheet)
    return {name for row in rows if (name := row.cells.get("recording", ""))}
