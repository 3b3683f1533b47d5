"""Where a raw study names a recording: lists by a column, label files by their names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scrubin.annotations.params import SourceParams
from scrubin.core import csvtext, strangers
from scrubin.core.errors import ManifestError
from scrubin.core.faults import Fault
from scrubin.core.suggest import near
from scrubin.ingest import manifest
from scrubin.labels.registry import FORMATS
from scrubin.review import sheet as redactions
from scrubin.splits.sheet import ID_COLUMNS
from scrubin.withdrawal import sheet as withdrawals


@dataclass(frozen=True)
class NamingList:
    """A CSV, as it was read, and its column of recordings; ``is_own``: the list that says which recordings there are."""

    path: Path
    text: str
    sheet: csvtext.Sheet
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
    columns.append((raw / manifest.NAME, "recording"))
    found, faults = [], list[Fault]()
    for path, column in columns:
        if not path.is_file() or path.name.startswith("."):
            continue
        read = csvtext.read_path(path, str(path))
        faults += read.file_faults
        named = {name.lower(): name for name in reversed(read.columns)}
        naming = column or next((named[name] for name in ID_COLUMNS if name in named), read.columns[0] if read.columns else "")
        if not read.file_faults and naming in read.columns:
            text = strangers.read_bytes(path).decode("utf-8")
            found.append(NamingList(path, text, read, naming, path == raw / manifest.NAME))
    ManifestError.raise_any(faults)
    return found


def label_files(raw: Path, sources: tuple[SourceParams, ...], recording: str) -> Iterator[LabelFile]:
    """Yield the label files of a recording."""
    for source in sources:
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
        With the near miss.
    """
    known = names(of)
    if name not in known:
        close = near(name, known)
        msg = f"'{name}' is no recording of {manifest.NAME}{f'; did you mean {close!r}?' if close else ''}"
        raise ManifestError(msg)


def names(of: list[NamingList]) -> set[str]:
    """Return all recordings that ``recordings.csv`` names."""
    own = next((one for one in of if one.is_own), None)
    rows = [] if own is None else [*own.sheet.rows, *(misfit.row for misfit in own.sheet.misfits)]
    return {name for row in rows if (name := row.cells.get("recording", ""))}
