"""What a release says that its files are: ``SHA256SUMS`` and ``metadata/files.csv``, read also where they are damaged."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from scrubin.core.checksum_list import read_line
from scrubin.core.faults import Fault, error
from scrubin.download.marks import FILES, SUMS

_EXACT = re.compile(r"[0-9a-f]{64}  (?!\./)\S.*")
_HASH = re.compile(r"[0-9a-f]{64}")
AGAIN = "get this list again, of the same version"
SHOWN = 5


@dataclass
class Listing:
    """One list.

    Parameters
    ----------
    sha256
        By name.
    bytes
        By name; empty where the list has none.
    lines
        Number of the line of each name, from 1.
    faults
        What is wrong with the list itself.
    """

    sha256: dict[str, str] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def read_sums(data: bytes) -> Listing:
    """Return what ``SHA256SUMS`` says; every line that can be read counts."""
    listing, text = Listing(), _text(data)
    odd, rewritten = [], False
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        shown = line.rstrip("\r")
        entry = read_line(shown)
        if entry is None:
            if shown.strip() or number < len(lines):
                odd.append(number)
            continue
        rewritten |= _EXACT.fullmatch(shown) is None
        _add(listing, number, entry[0].removeprefix("./"), entry[1])
    if not listing.sha256:
        listing.faults.append(error(SUMS, "damaged", "it holds no checksums", AGAIN))
        return listing
    listing.faults += _of_lines(text, odd, number_of_lines=len(lines))
    form = _form(data, text) or (
        "it was written again, by another program" if rewritten or list(listing.sha256) != sorted(listing.sha256) else ""
    )
    if form:
        listing.faults.append(error(SUMS, "form", form, AGAIN))
    elif not text.endswith("\n") and not odd:
        listing.faults.append(error(SUMS, "damaged", "its last line has no end: the list was cut off", AGAIN))
    return listing


def read_files(data: bytes) -> Listing:
    """Return what ``metadata/files.csv`` says; its own checksum stands in ``SHA256SUMS``."""
    listing = Listing()
    rows = csv.reader(io.StringIO(_text(data), newline=""))
    try:
        for number, row in enumerate(rows, start=1):
            if number == 1 or not row:
                continue
            if len(row) != 3 or not row[1].isdecimal() or not _HASH.fullmatch(row[2]):
                listing.faults.append(error(FILES, "damaged", "expected path, bytes and SHA-256", AGAIN, place=f"line {number}"))
            elif not _is_unsafe(row[0]):
                listing.sha256[row[0]], listing.bytes[row[0]], listing.lines[row[0]] = row[2], int(row[1]), number
    except csv.Error as failure:
        listing.faults.append(error(FILES, "damaged", f"it is no CSV ({failure})", AGAIN))
    if not listing.sha256 and not listing.faults:
        listing.faults.append(error(FILES, "damaged", "it lists no file", AGAIN))
    return listing


def _add(listing: Listing, number: int, name: str, sha256: str) -> None:
    if _is_unsafe(name):
        what = f"the name {name!r} leads out of the release, so nothing is read there"
        listing.faults.append(error(SUMS, "unsafe", what, AGAIN, place=f"line {number}"))
    elif name in listing.sha256:
        same = "with the same SHA-256" if listing.sha256[name] == sha256 else "with another SHA-256"
        what = f"{name!r} stands there a second time, {same} than in line {listing.lines[name]}".replace(
            "same SHA-256 than", "same SHA-256 as"
        )
        listing.faults.append(error(SUMS, "twice", what, AGAIN, place=f"line {number}"))
    else:
        listing.sha256[name], listing.lines[name] = sha256, number


def _of_lines(text: str, odd: list[int], *, number_of_lines: int) -> Iterator[Fault]:
    if odd == [number_of_lines] and not text.endswith("\n"):
        yield error(SUMS, "damaged", "the list was cut off in the middle of this line", AGAIN, place=f"line {odd[0]}")
    elif odd:
        shown = ", ".join(map(str, odd[:SHOWN])) + (f" and {len(odd) - SHOWN} more" if len(odd) > SHOWN else "")
        yield error(SUMS, "damaged", "expected a SHA-256, two spaces and a file name", AGAIN, place=f"line {shown}")


def _form(data: bytes, text: str) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "its text was stored as UTF-16, by an editor"
    if "\r\n" in text:
        return "its line ends are those of Windows: git or an editor changed them, and sha256sum finds no file"
    return "it begins with a byte order mark: an editor changed it" if data[:3] == b"\xef\xbb\xbf" else ""


def _text(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="surrogateescape")


def _is_unsafe(name: str) -> bool:
    return (
        name.startswith(("/", "\\"))
        or (".." in name and ".." in name.split("/"))
        or re.match(r"[A-Za-z]:", name) is not None
        or "\0" in name
    )
