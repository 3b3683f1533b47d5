"""What happened to a file whose bytes are not the released ones, as far as the file itself tells."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from scrubin.base import strangers, unpacking

AGAIN = "get that file again"
TEXTS = (".csv", ".tsv", ".json", ".md", ".txt", ".ini", ".bib", ".yaml", ".yml")
TEXT_BYTES = 1 << 26
END_BYTES = 1 << 16
ZEROS = 512
_PAGE = re.compile(rb"\s*(?:<!doctype html|<html|<\?xml[^>]*>\s*<(?:Error|html))", re.IGNORECASE)
_POINTERS = (b"version https://git-lfs.github.com/spec/", b"outs:\n- md5:", b"/annex/objects/", b"../.git/annex/")
_HEADS = {
    ".jpg": (b"\xff\xd8\xff",),
    ".jpeg": (b"\xff\xd8\xff",),
    ".png": (b"\x89PNG",),
    ".mkv": (b"\x1a\x45\xdf\xa3",),
    ".parquet": (b"PAR1",),
    ".zip": (b"PK\x03\x04", b"PK\x05\x06"),
    ".npz": (b"PK\x03\x04", b"PK\x05\x06"),
}
_ENDS = {".jpg": b"\xff\xd9", ".jpeg": b"\xff\xd9", ".png": b"IEND\xaeB\x60\x82", ".parquet": b"PAR1"}


def what_happened(path: Path, sha256: str, size: int | None) -> tuple[str, str, str]:
    """Return rule, what and fix of a file that holds other bytes than were released.

    Parameters
    ----------
    path
        The file.
    sha256
        What it should be; "" when nobody has read the file, only its size is wrong.
    size
        What it should be, in bytes; None when nobody says so.
    """
    there = path.stat().st_size
    head, end = _ends(path, there)
    suffix = path.suffix.lower()
    for judged in (_nothing(there), _pointer(head), _rewritten(path, sha256, there) if suffix in TEXTS or not suffix else None):
        if judged:
            return judged
    is_other = suffix in (*_ENDS, ".zip", ".npz") and head.startswith(_HEADS[suffix]) and not _is_cut(path, head, end)
    if size is not None and there < size and is_other:
        what = f"it has {there:,} bytes, {size - there:,} fewer than were released, but is not cut off: it is another file"
        return "changed", f"{what}, or of another version", AGAIN
    if size is not None and there < size and suffix in TEXTS and _is_whole_text(suffix, path, end):
        what = f"it has {there:,} bytes, {size - there:,} fewer than were released, and ends as a whole file does: it was edited"
        return "changed", f"{what}, or is of another version", AGAIN
    if size is not None and there < size:
        return "truncated", f"it ends after {there:,} of {size:,} bytes: the download was cut off", AGAIN
    if len(end) >= ZEROS and not end[-ZEROS:].strip(b"\0") and suffix != ".tar":
        zeros = len(end) - len(end.rstrip(b"\0"))
        return "truncated", f"it ends with {zeros:,} zero bytes or more: a download that reserved its room was cut off", AGAIN
    if size is not None and there > size:
        return "changed", f"it has {there:,} bytes, {there - size:,} more than were released", AGAIN
    if size is None and (cut := _is_cut(path, head, end)):
        return "truncated", f"{cut} ({there:,} bytes): the download was cut off", AGAIN
    if suffix in _HEADS and not head.startswith(_HEADS[suffix]):
        return "changed", f"it is no {suffix[1:]} file, whatever its name says", AGAIN
    return (
        "changed",
        "its bytes are not those that were released (its size is)" if size is not None else "its bytes are not those that were released",
        AGAIN,
    )


def _is_whole_text(suffix: str, path: Path, end: bytes) -> bool:
    """Return whether a text ends at the end of a line, as JSON behind its last bracket: what is cut off hardly ever does."""
    if suffix != ".json":
        return end.endswith(b"\n")
    try:
        json.loads(path.read_bytes()[:TEXT_BYTES])
    except (ValueError, RecursionError):
        return False
    return True


def _ends(path: Path, size: int) -> tuple[bytes, bytes]:
    with strangers.opened(path) as file:
        head = file.read(END_BYTES)
        file.seek(max(0, size - END_BYTES))
        return head, file.read(END_BYTES)


def is_broken(path: Path, size: int) -> str:
    """Return why a file cannot be whole, judged by its ends only; "" when they are sound."""
    if not size:
        return ""
    head, end = _ends(path, size)
    if pointer := _pointer(head):
        return pointer[1]
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _HEADS and not head.startswith(_HEADS[suffix]):
        return f"it is no {suffix[1:]} file, whatever its name says"
    return _is_cut(path, head, end)


def _nothing(size: int) -> tuple[str, str, str] | None:
    return ("truncated", "it is empty (0 bytes): its download never began", AGAIN) if not size else None


def _pointer(head: bytes) -> tuple[str, str, str] | None:
    if any(head.startswith(one) for one in _POINTERS[:2]) or any(one in head[:300] for one in _POINTERS[2:]):
        return (
            "pointer",
            "it is a pointer of git or DVC, not the file itself",
            "get the file with 'git lfs pull', 'dvc get' or 'git annex get'",
        )
    if _PAGE.match(head[:1000]):
        return (
            "pointer",
            "it is a web page or the error message of a server, not the file",
            "get that file again; you may have to log in first",
        )
    return None


def _rewritten(path: Path, sha256: str, size: int) -> tuple[str, str, str] | None:
    """Whether the released text is still in there, in another form."""
    if not sha256 or size > TEXT_BYTES:
        return None
    for form, data in _forms(strangers.read_bytes(path)):
        if hashlib.sha256(data).hexdigest() == sha256:
            return "line-ends" if "line ends" in form else "form", form, "get that file again; with git, set core.autocrlf to false before"
    return None


def _forms(data: bytes) -> Iterator[tuple[str, bytes]]:
    yield "its line ends were changed to those of Windows", data.replace(b"\r\n", b"\n")
    yield "its line ends were changed to those of old Macs", data.replace(b"\r", b"\n")
    plain = data.removeprefix(b"\xef\xbb\xbf")
    yield "a byte order mark was added at its begin", plain
    yield "its line ends were changed to those of Windows, and a byte order mark was added", plain.replace(b"\r\n", b"\n")
    yield "the end of its last line was removed", data + b"\n"
    yield "blank lines or blanks were changed at its end", data.rstrip() + b"\n"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", errors="replace").encode("utf-8", errors="replace")
        yield "its text was stored as UTF-16", text
        yield "its text was stored as UTF-16, with line ends of Windows", text.replace(b"\r\n", b"\n")
    else:
        yield "its text was stored in another encoding", data.decode("latin-1").encode("utf-8")


def _is_cut(path: Path, head: bytes, end: bytes) -> str:
    """Return how one sees that a file ends too early; "" when one does not."""
    suffix = path.suffix.lower()
    if suffix in _ENDS and not end.endswith(_ENDS[suffix]):
        return "its end is missing"
    if suffix in (".zip", ".npz"):
        try:
            zipfile.ZipFile(path).close()
        except (OSError, *unpacking.BROKEN_ZIP):
            return "its directory of contents, which stands at the end, is missing"
    if suffix == ".tar" and end[-1024:].strip(b"\0"):
        return "its end is missing"
    if suffix == ".mkv" and (expected := _matroska_bytes(head)) is not None and expected > path.stat().st_size:
        return f"it should have {expected:,} bytes, as it says itself"
    return ""


def _matroska_bytes(head: bytes) -> int | None:
    """Return how many bytes a Matroska file says it has; None when it does not say so."""
    file = io.BytesIO(head)
    for wanted in (0x1A45DFA3, 0x18538067):
        identifier, size = int.from_bytes(file.read(4), "big"), _length(file)
        if identifier != wanted or size is None:
            return None
        if wanted == 0x1A45DFA3:
            file.seek(size, 1)
    return file.tell() + size if size is not None else None


def _length(file: io.BytesIO) -> int | None:
    first = file.read(1)
    if not first or not first[0]:
        return None
    width = 9 - first[0].bit_length()
    value = int.from_bytes(bytes([first[0] & ((1 << (8 - width)) - 1)]) + file.read(width - 1), "big")
    return None if value == (1 << (7 * width)) - 1 else value
