"""A release as its versions are compared: what it says of itself, its list of files, and its tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from scrubin.core import checksum_list, strangers, unpacking
from scrubin.core.checksum_list import NAME as SUMS
from scrubin.core.errors import ReleaseError
from scrubin.core.files import sha256_of, sha256_of_all

DOCUMENT = "croissant.json"
_TABLE = re.compile(r"tables/([^/]+)\.parquet")
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
                msg = f"{folder}: it is no release, {name} is missing; name the folder of a release, or {_verify(folder)}"
                raise ReleaseError(msg)
        try:
            document = strangers.read_json(folder / DOCUMENT, inside=folder)
            sha256, odd = checksum_list.read(strangers.read_text(folder / SUMS, inside=folder))
        except (OSError, ValueError) as error:
            msg = f"{folder}: its metadata cannot be read ({error}); {_verify(folder)}"
            raise ReleaseError(msg) from error
        if not isinstance(document, dict) or not isinstance(document.get("name"), str) or not isinstance(document.get("version"), str):
            msg = f"{folder / DOCUMENT}: it does not say the name and version of the release; {_verify(folder)}"
            raise ReleaseError(msg)
        if odd:
            msg = f"{folder / SUMS}, line {odd[0]}: expected a SHA-256, two spaces and a file name; {_verify(folder)}"
            raise ReleaseError(msg)
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
        """Read the sheets and the ground truth that are there, but for label files of single frames.

        Raises
        ------
        ReleaseError
            When one of them has other bytes than the release lists: what its hash says would not be what people read.
        """
        there = {name: self.folder / name for name in self.sha256 if _SMALL.match(name) and (self.folder / name).is_file()}
        for name, sha256 in sha256_of_all(there).items():
            if sha256 != self.sha256[name]:
                raise _other_bytes(self.folder, name)

    def table(self, name: str) -> pa.Table:
        """Read a table.

        Raises
        ------
        ReleaseError
            When it is missing, is not the file that the release lists, or cannot be read.
        """
        path = self.path(f"tables/{name}.parquet")
        try:
            return unpacking.parquet(path, path)
        except OSError as error:
            msg = f"{path}: it cannot be read as a table ({error}); {_verify(self.folder)}"
            raise ReleaseError(msg) from error

    def path(self, name: str) -> Path:
        """Return where a file that is to be read lies; it must be the one that is listed.

        Raises
        ------
        ReleaseError
            When it is missing or has other bytes.
        """
        path = self.folder / name
        if not path.is_file():
            msg = f"{path}: it is missing, but {SUMS} lists it; {_verify(self.folder)}"
            raise ReleaseError(msg)
        if sha256_of(path) != self.sha256[name]:
            raise _other_bytes(self.folder, name)
        return path


def _other_bytes(folder: Path, name: str) -> ReleaseError:
    return ReleaseError(f"{folder / name}: its bytes are not those that {SUMS} lists; {_verify(folder)}")


def _verify(folder: Path) -> str:
    return f"'scrubin verify {folder}' says what is wrong with the copy"
