"""A release as its versions are compared: its list of files, its tables, its recordings under whatever id."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from scrubin.base import file_lists, strangers, unpacking
from scrubin.base.errors import ReleaseError
from scrubin.base.file_lists import CHECKSUMS as SUMS
from scrubin.base.files import sha256_of, sha256_of_all
from scrubin.data.diff.tables import KEYS

DOCUMENT = "croissant.json"
_TABLE = re.compile(r"tables/([^/]+)\.parquet")
DATA = ("tables", "splits", "Annotation", "groundtruth", "calibration")
"""Folders in which nothing lies that a release does not list."""
OF_TRAINING = frozenset({"frames", "yolo", "yolo4"})
"""Folders in a ground truth into which users link pictures, and programs that train write."""
_SMALL = re.compile(r"(splits|Annotation|groundtruth)/(?!.*\bframes/)")


@dataclass(frozen=True)
class Released:
    """A release.

    Parameters
    ----------
    folder
        Where it lies.
    document
        Its metadata, as ``croissant.json`` has them.
    sha256
        The hash of every file, by relative name, as ``SHA256SUMS`` lists them.
    """

    folder: Path
    document: Mapping[str, Any]
    sha256: Mapping[str, str]

    @classmethod
    def open(cls, folder: Path) -> Released:
        """Open a release folder; videos and pictures need not be there.

        Raises
        ------
        ReleaseError
            When it is no release, or its lists cannot be read.
        """
        for name in (DOCUMENT, SUMS):
            if not (folder / name).is_file():
                raise ReleaseError(f"{folder}: it is no release, {name} is missing; name the folder of a release, or {_verify(folder)}")
        try:
            document = strangers.read_json(folder / DOCUMENT, inside=folder)
            sha256, odd = file_lists.read_checksums(strangers.read_text(folder / SUMS, inside=folder))
        except (OSError, ValueError) as error:
            raise ReleaseError(f"{folder}: its metadata cannot be read ({error}); {_verify(folder)}") from error
        if not isinstance(document, dict) or not isinstance(document.get("name"), str) or not isinstance(document.get("version"), str):
            raise ReleaseError(f"{folder / DOCUMENT}: it does not say the name and version of the release; {_verify(folder)}")
        if odd:
            raise ReleaseError(f"{folder / SUMS}, line {odd[0]}: expected a SHA-256, two spaces and a file name; {_verify(folder)}")
        if "tables/videos.parquet" not in sha256:
            msg = f"{folder}: {SUMS} lists no tables/videos.parquet, so nobody can say which recordings it holds; {_verify(folder)}"
            raise ReleaseError(msg)
        return cls(folder, document, sha256)

    @property
    def name(self) -> str:
        """What the data set is called."""
        return str(self.document["name"])

    @property
    def version(self) -> str:
        """The number of the version, such as 1.0.0."""
        return str(self.document["version"])

    @property
    def tables(self) -> set[str]:
        """The names of its tables."""
        return {match[1] for name in self.sha256 if (match := _TABLE.fullmatch(name))}

    def refuse_damaged(self) -> None:
        """Hold sheets and ground truth that are there against the list of files, but for label files of single frames.

        Raises
        ------
        ReleaseError
            When one of them has other bytes than the release lists, is gone from a folder of which others are there, or is not listed:
            what the list says would not be what people read.
        """
        there = {name: self.folder / name for name in self.sha256 if _SMALL.match(name) and (self.folder / name).is_file()}
        for name, sha256 in sha256_of_all(there).items():
            if sha256 != self.sha256[name]:
                raise _other_bytes(self.folder, name)
        ids, sheets = ({name: PurePosixPath(name).stem for name in self.sha256 if name.startswith(f"{of}/")} for of in ("videos", "splits"))
        small = [name for name in self.sha256 if _SMALL.match(name)]
        # Sheets of splits are all alike, as files of recordings are.
        if gone := file_lists.missing(small, there, {*ids.values()}) or file_lists.missing(sheets, there, {*sheets.values()}):
            raise _missing(self.folder, gone[0])
        for name in _data_in(self.folder):
            if name not in self.sha256 and not file_lists.is_litter(name):
                raise ReleaseError(f"{self.folder / name}: {SUMS} does not list it; take it out, or {_verify(self.folder)}")

    def lacks(self, name: str) -> bool:
        """Whether a file of the release is not in this copy: somebody took a part of it."""
        return name in self.sha256 and not (self.folder / name).exists()

    def table(self, name: str) -> pa.Table:
        """Read a table.

        Raises
        ------
        ReleaseError
            When it is missing, is not the file that the release lists, cannot be read, or has a row of nobody.
        """
        path = self.path(f"tables/{name}.parquet")
        try:
            table = unpacking.parquet(path, path)
        except OSError as error:
            raise ReleaseError(f"{path}: it cannot be read as a table ({error}); {_verify(self.folder)}") from error
        for column in ("id", "scheme"):
            if name in KEYS and column in table.column_names and table[column].null_count:
                row = 1 + table[column].is_null().index(True).as_py()
                raise ReleaseError(f"{path}, row {row}: {column!r} is missing, so nobody can say whose row it is; write the table anew")
        return table

    def json(self, name: str) -> Any:
        """Read a JSON file.

        Raises
        ------
        ReleaseError
            When it is missing, is not the file that the release lists, or cannot be read.
        """
        path = self.path(name)
        try:
            return strangers.read_json(path)
        except (OSError, ValueError) as error:
            raise ReleaseError(f"{path}: it cannot be read ({error}); {_verify(self.folder)}") from error

    def path(self, name: str) -> Path:
        """Return where a file that is to be read lies; it must be the one that is listed.

        Raises
        ------
        ReleaseError
            When it is missing or has other bytes.
        """
        path = self.folder / name
        if not path.is_file():
            raise _missing(self.folder, name)
        if sha256_of(path) != self.sha256[name]:
            raise _other_bytes(self.folder, name)
        return path


def _other_bytes(folder: Path, name: str) -> ReleaseError:
    return ReleaseError(f"{folder / name}: its bytes are not those that {SUMS} lists; {_verify(folder)}")


def _missing(folder: Path, name: str) -> ReleaseError:
    return ReleaseError(f"{folder / name}: it is missing, but {SUMS} lists it; {_verify(folder)}")


def _data_in(folder: Path) -> Iterator[str]:
    """Yield the names of the files that are there in the folders of data, sorted, but for media."""
    for top in DATA:
        for place, inner, names in os.walk(folder / top):
            inner[:] = sorted(set(inner) - OF_TRAINING)
            for name in sorted(names):
                yield (Path(place) / name).relative_to(folder).as_posix()


def _verify(folder: Path) -> str:
    return f"'scrubin verify {folder}' says what is wrong with the copy"


@dataclass(frozen=True)
class Recordings:
    """Which recordings two releases have.

    Parameters
    ----------
    added, removed
        Ids that only the new, and only the old release has, but for renamed ones.
    renamed
        New ids by old ones.
    known
        All ids, as the new release calls them.
    """

    added: frozenset[str]
    removed: frozenset[str]
    renamed: Mapping[str, str]
    known: frozenset[str]

    def path(self, name: str) -> str:
        """Return how the new release would call a file of the old one."""
        if not self.renamed or (id_ := named_in(name, self.renamed)) is None:
            return name
        return _with_id(name, id_, self.renamed[id_])

    def of_path(self, name: str) -> str | None:
        """Return whose file it is, by the new id; None for files of all."""
        return named_in(name, self.known)

    def brought_over(self, old: pa.Table) -> pa.Table:
        """Return a table of the old release with the new ids, also in paths."""
        if not self.renamed or "id" not in old.column_names:
            return old
        concerned = pc.is_in(old["id"], pa.array(list(self.renamed), old["id"].type)).to_pylist()
        for column in ("path", "id"):  # the id last: the path needs the old one
            if column in old.column_names:
                cells = zip(old["id"].to_pylist(), old[column].to_pylist(), concerned, strict=True)
                values = [_with_id(value, id_, self.renamed[id_]) if theirs and value else value for id_, value, theirs in cells]
                place = old.column_names.index(column)
                old = old.set_column(place, old.schema.field(column), pa.array(values, old[column].type))
        return old


def recordings(old: pa.Table, new: pa.Table) -> Recordings:
    """Compare the recordings of two tables ``videos``.

    A recording is renamed when each of its videos that the new release has stands there under one and the same new id.
    """
    before, after = set(old["id"].to_pylist()), set(new["id"].to_pylist())
    gone, come = _by_hash(old, before - after), _by_hash(new, after - before)
    partners: dict[str, set[str]] = defaultdict(set)
    back: dict[str, set[str]] = defaultdict(set)
    for sha256 in gone.keys() & come.keys():
        for one in gone[sha256]:
            partners[one] |= come[sha256]
        for one in come[sha256]:
            back[one] |= gone[sha256]
    renamed = {one: next(iter(partners[one])) for one in sorted(partners) if len(partners[one]) == 1}
    renamed = {one: other for one, other in renamed.items() if len(back[other]) == 1}
    return Recordings(
        frozenset(after - before - set(renamed.values())),
        frozenset(before - after - set(renamed)),
        renamed,
        frozenset(after | (before - set(renamed))),
    )


def named_in(path: str, ids: Mapping[str, str] | frozenset[str]) -> str | None:
    """Return the id that a path names as a folder or file; None when it names none.

    >>> named_in("frames/PegTransfer/left/abelo.tar", frozenset({"abelo"}))
    'abelo'
    """
    return next((stem for part in path.split("/") if (stem := part.partition(".")[0]) in ids), None)


def _with_id(path: str, old: str, new: str) -> str:
    """Return a path with another id, where a folder or file has it."""
    return "/".join(new + part[len(old) :] if part.partition(".")[0] == old else part for part in path.split("/"))


def _by_hash(videos: pa.Table, ids: set[str]) -> dict[str, set[str]]:
    by_hash: dict[str, set[str]] = defaultdict(set)
    for id_, sha256 in zip(videos["id"].to_pylist(), videos["sha256"].to_pylist(), strict=True):
        if id_ in ids:
            by_hash[sha256].add(id_)
    return by_hash
