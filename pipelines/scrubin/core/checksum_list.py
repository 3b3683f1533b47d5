"""``SHA256SUMS``: one line per file, as ``sha256sum`` writes and checks them."""

from __future__ import annotations

import re

NAME = "SHA256SUMS"
_LINE = re.compile(r"\\?([0-9a-fA-F]{64}) [ *](\S.*)")
"""GNU marks names that it had to escape by a backslash, and files read as binary by a star."""


def read_line(line: str) -> tuple[str, str] | None:
    """Return name and SHA-256 of a line without its end; None when it is none.

    >>> read_line("0" * 64 + " *a/b.csv")[0]
    'a/b.csv'
    """
    match = _LINE.fullmatch(line)
    return None if match is None else (match[2], match[1].lower())


def read(text: str) -> tuple[dict[str, str], list[int]]:
    """Return the SHA-256 by name, in the order of the list, and the numbers of the lines (from 1) that cannot be read."""
    sha256, odd = {}, []
    # Not splitlines(): a name may hold what other programs take for the end of a line.
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], start=1):
        entry = read_line(line.removesuffix("\r"))
        if entry is None:
            odd.append(number)
        else:
            sha256[entry[0]] = entry[1]
    return sha256, odd
