"""What a release says that its files are; where two lists say otherwise, the files that are there show who is right."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from scrubin.base.faults import Fault, error
from scrubin.base.file_lists import read_checksum
from scrubin.data.verify import FILES, SUMS

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
        entry = read_checksum(shown)
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
    """Return whether a name may lead out of a folder; a backslash separates folders on Windows, and no release has one."""
    return (
        name.startswith("/")
        or "\\" in name
        or (".." in name and ".." in name.split("/"))
        or re.match(r"[A-Za-z]:", name) is not None
        or "\0" in name
    )


FEW = 5
"""So many contradictions, and not more than a tenth of a list, are single lines that somebody changed; more are another version."""


@dataclass
class Claims:
    """What is said of the files.

    Parameters
    ----------
    sha256
        By source, then by name; the source that counts most comes first.
    sizes
        Bytes by name.
    lines
        Of ``SHA256SUMS``: number of the line of a name.
    complete
        Sources that list all files: a name that such a one lacks is no file of its version.
    later
        Names that no complete list but the first has to have.
    """

    sha256: Mapping[str, Mapping[str, str]]
    sizes: Mapping[str, int]
    lines: Mapping[str, int]
    complete: tuple[str, ...]
    later: frozenset[str]


@dataclass
class Verdict:
    """What the files should be.

    Parameters
    ----------
    sha256
        By name; "" where nobody says it.
    faults
        Sources that are of another version, or were changed.
    """

    sha256: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def judge(claims: Claims, actual: Mapping[str, str], there: Collection[str]) -> Verdict:
    """Return what the files should be.

    Parameters
    ----------
    claims
        What is said.
    actual
        SHA-256 of the files that were read.
    there
        Names of the files that are there.
    """
    verdict = Verdict()
    said: dict[str, dict[str, str]] = defaultdict(dict)
    for source, of_source in claims.sha256.items():
        for name, sha256 in of_source.items():
            said[name][source] = sha256
    disputed = {name: of_name for name, of_name in said.items() if len(set(of_name.values())) > 1}
    trust, wrong = _trust(disputed, actual)
    for name, of_name in sorted(said.items()):
        verdict.sha256[name] = next(iter(of_name.values()))
        if name not in disputed:
            continue
        right = [source for source, sha256 in of_name.items() if sha256 == actual.get(name)]
        best = right[0] if right else max(of_name, key=lambda source: trust[source])
        verdict.sha256[name] = of_name[best]
        if not right:  # nobody is right, or nobody has read the file: whoever was wrong elsewhere is
            for source, sha256 in of_name.items():
                if sha256 != of_name[best] and trust[source] < trust[best]:
                    wrong[source].append(name)
    for source in claims.sha256:
        _judge_names(source, claims, trust, there, verdict)
    for source, names in sorted(wrong.items()):
        verdict.faults += _contradictions(source, sorted(names), claims)
    return verdict


def _trust(disputed: Mapping[str, Mapping[str, str]], actual: Mapping[str, str]) -> tuple[Counter[str], dict[str, list[str]]]:
    """Return how often each source was right rather than wrong about a file that was read, and where it was wrong."""
    trust, wrong = Counter[str](), defaultdict(list)
    for name, of_name in disputed.items():
        right = {source for source, sha256 in of_name.items() if sha256 == actual.get(name)}
        trust.update(right)
        if right:
            trust.subtract(of_name.keys() - right)
            for source in of_name.keys() - right:
                wrong[source].append(name)
    return trust, wrong


def _judge_names(source: str, claims: Claims, trust: Mapping[str, int], there: Collection[str], verdict: Verdict) -> None:
    """Leave out what only a list of another version says; note the names that a list lacks."""
    others = [one for one in claims.complete if one != source and claims.sha256.get(one)]
    if source not in claims.complete or not others:
        return
    own = claims.sha256[source]
    if trust[source] < 0:
        for name in own:
            if not any(name in of_other for other, of_other in claims.sha256.items() if other != source):
                if name in there or name in claims.later:
                    verdict.sha256[name] = ""
                else:
                    del verdict.sha256[name]
    lacking = sorted({name for other in others for name in claims.sha256[other] if name not in own and name in there})
    lacking = [name for name in lacking if name not in claims.later or source == next(iter(claims.sha256))]
    if lacking:
        more = f" and {len(lacking) - 1:,} more" if len(lacking) > 1 else ""
        what = f"it lacks {lacking[0]}{more}, which {others[0]} has: it was cut off or changed, or is of another version"
        verdict.faults.append(error(source, "lacking", what, "get this list again, of the same version"))


def _contradictions(source: str, names: list[str], claims: Claims) -> Iterator[Fault]:
    others = sorted(one for one, of_source in claims.sha256.items() if one != source and any(name in of_source for name in names))
    by = f"{' and '.join(others)} and the file itself say otherwise" if others else "the file itself says otherwise"
    if len(names) > FEW or 10 * len(names) > len(claims.sha256[source]) + 9:
        what = (
            f"its SHA-256 of {len(names):,} files, such as {names[0]}, is not that of {' and '.join(others)}: it belongs to another version"
        )
        yield error(source, "version", what, "get this file again, of the version that the others have")
        return
    for name in names:
        place = f"line {claims.lines[name]}" if source == SUMS and name in claims.lines else ""
        yield error(source, "line", f"the SHA-256 of {name} is not the released one: {by}", "get this file again", place=place)
