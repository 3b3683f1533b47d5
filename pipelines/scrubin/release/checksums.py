"""``SHA256SUMS``: every file of the release, for ``sha256sum -c``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from scrubin.core import checksum_list
from scrubin.core.checksum_list import NAME
from scrubin.core.errors import ReleaseError
from scrubin.core.files import sha256_of_all
from scrubin.release.audit.findings import Finding


def hashes(folder: Path, known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the SHA-256 of every file below a folder but the list itself, by relative name, sorted.

    Parameters
    ----------
    folder
        The release.
    known
        Hashes that others state, by name: these files are not read.
    """
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    stated = dict(known or {})
    sha256 = stated | sha256_of_all({name: path for name, path in files.items() if name not in stated and name != NAME})
    return {name: sha256[name] for name in sorted(files) if name != NAME}


def text(sha256: Mapping[str, str]) -> str:
    r"""Return the list, sorted by name.

    Raises
    ------
    ReleaseError
        For a name with a line break or a backslash, which sha256sum would have to escape.

    >>> text({"a/b.csv": "0" * 64})[60:]
    '0000  a/b.csv\n'
    """
    odd = sorted(name for name in sha256 if any(letter in name for letter in "\\\n\r"))
    if odd:
        msg = f"{odd[0]!r}: a released file name may not hold a line break or a backslash; rename it"
        raise ReleaseError(msg)
    return "".join(f"{sha256[name]}  {name}\n" for name in sorted(sha256))


def findings(folder: Path, sha256: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what the list in a release gets wrong; a release without a list is not finished."""
    path = folder / NAME
    if not path.is_file():
        yield Finding(NAME, "", "checksum", "the list of checksums is missing; run the release stage again")
        return
    listed, odd = checksum_list.read(path.read_text(encoding="utf-8", errors="replace"))
    for number in odd:
        yield Finding(NAME, f"line {number}", "checksum", "expected a SHA-256, two spaces and a file name")
    if list(listed) != sorted(listed):
        yield Finding(
            NAME, "", "order", "the names are not sorted, and their order could be that of the recordings; run the release stage again"
        )
    there = {name: value for name, value in sha256.items() if name != NAME}
    for name in sorted(listed.keys() - there.keys()):
        yield Finding(name, "", "checksum", f"{NAME} lists it, but it is missing")
    for name in sorted(there.keys() - listed.keys()):
        yield Finding(name, "", "checksum", f"{NAME} does not list it; run the release stage again")
    for name in sorted(there.keys() & listed.keys()):
        if there[name] != listed[name]:
            yield Finding(name, "", "checksum", f"its SHA-256 is not the one in {NAME}; run the release stage again")
