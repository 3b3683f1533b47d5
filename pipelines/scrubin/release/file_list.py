"""``metadata/files.csv``: bytes and SHA-256 of the released files, so that a copy can be checked by size alone."""

from __future__ import annotations

from collections.abc import Mapping

from scrubin.core import checksum_list
from scrubin.release.metadata import croissant

NAME = "metadata/files.csv"
HEADER = "path,bytes,sha256"
LATER = (NAME, croissant.NAME, checksum_list.NAME)
"""Files that are written when the others are; none of them is in the list."""


def text(sha256: Mapping[str, str], sizes: Mapping[str, int]) -> str:
    r"""Return the list, sorted by name.

    >>> text({"b.csv": "1" * 4, "a, b.csv": "0" * 4}, {"b.csv": 7, "a, b.csv": 0})
    'path,bytes,sha256\n"a, b.csv",0,0000\nb.csv,7,1111\n'
    """
    rows = (f"{_quoted(name)},{sizes[name]},{sha256[name]}" for name in sorted(sha256) if name not in LATER)
    return "".join(f"{line}\n" for line in (HEADER, *rows))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(letter in name for letter in ',"') else name
