"""The files that are there against those that should be: missing, changed, moved, too many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from scrubin.base.faults import Fault, error, warning
from scrubin.base.file_lists import is_litter
from scrubin.data import verify
from scrubin.data.verify import Folder, damage, strays

KNOWN = {verify.SUMS: ", of the same version: without it nothing proves the bytes"}


@dataclass(frozen=True)
class Expected:
    """What should be there.

    Parameters
    ----------
    sha256
        By name; "" where nobody says it.
    sizes
        Bytes by name, as far as somebody says so.
    details
        What is known of a file beyond its bytes: rule, what and fix.
    """

    sha256: Mapping[str, str]
    sizes: Mapping[str, int]
    details: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)


@dataclass
class Comparison:
    """What came of it.

    Parameters
    ----------
    faults
        Errors and notes.
    missing, changed
        Names of files that are not there under their name, and of those that hold other bytes.
    absent
        Top folders that are not there as a whole, with the number of their files, where that is allowed.
    """

    faults: list[Fault] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    absent: dict[str, int] = field(default_factory=dict)


def compare(folder: Folder, expected: Expected, actual: Mapping[str, str], *, quick: bool, partial: bool) -> Comparison:
    """Hold a folder to what should be there.

    Parameters
    ----------
    folder
        What is there.
    expected
        What should be.
    actual
        SHA-256 of the files that were read; of others names and sizes are compared.
    quick
        Whether files were left unread: then names and sizes tell where bytes may lie.
    partial
        Whether whole top folders may be absent.
    """
    result, sizes = Comparison(), {name: entry.size for name, entry in folder.files.items()}
    spelled = _spelled_otherwise(folder, expected.sha256)
    result.missing = {name for name in expected.sha256 if name not in sizes and name not in spelled and not folder.is_hidden(name)}
    result.changed = {name for name in expected.sha256 if name in sizes and _is_changed(name, expected, sizes, actual)}
    extra = {name for name in sizes if name not in expected.sha256 and name not in spelled.values()}
    for name, there in sorted(spelled.items()):
        result.faults.append(
            warning(name, "spelling", f"this file system calls it '{there}' and takes both names for one", "nothing is to be done")
        )
    moved = _moves(result, extra, expected, actual)
    result.faults += strays.faults_of_moves(moved, expected.sha256.keys(), sure=True)
    if quick:
        likely = _likely_moves(result, extra, expected, {name: size for name, size in sizes.items() if name not in actual}, moved)
        result.faults += strays.faults_of_moves(likely, expected.sha256.keys(), sure=False)
        moved += likely
    settled = {move.at for move in moved} | {move.to for move in moved}
    missing = result.missing - settled
    if partial:
        result.absent = _absent(missing, expected.sha256)
        missing = {name for name in missing if name.partition("/")[0] not in result.absent}
    result.faults += _missing(missing, expected, sizes, extra)
    result.faults += _changed(folder, sorted(result.changed - settled), expected, actual)
    result.faults += strays.faults_of_extras(folder.root, extra - settled, sizes, actual, expected.sha256)
    result.faults += _empty(folder, expected.sha256)
    return result


def _is_changed(name: str, expected: Expected, sizes: Mapping[str, int], actual: Mapping[str, str]) -> bool:
    if actual.get(name) and expected.sha256[name]:
        return actual[name] != expected.sha256[name]
    return name in expected.sizes and sizes[name] != expected.sizes[name]


def _spelled_otherwise(folder: Folder, names: Collection[str]) -> dict[str, str]:
    """Return the names that are not there as written, although the file system opens them: it knows no case or Unicode form."""
    unlisted = [name for name in folder.files if name not in names]
    wanted = [name for name in names if name not in folder.files] if unlisted else []
    pairs = {
        move.to: move.at for move in strays.by_name(wanted, unlisted) if move.to.casefold() == move.at.casefold() or not move.to.isascii()
    }
    return {to: at for to, at in pairs.items() if (folder.root / to).exists() and (folder.root / to).samefile(folder.root / at)}


def _moves(result: Comparison, extra: set[str], expected: Expected, actual: Mapping[str, str]) -> list[strays.Move]:
    wanting, holding = result.missing | result.changed, {name for name in extra if not is_litter(name)} | result.changed
    return strays.by_bytes(actual, {name: sha256 for name, sha256 in expected.sha256.items() if sha256}, wanting, holding)


def _likely_moves(
    result: Comparison, extra: set[str], expected: Expected, unread: Mapping[str, int], moved: list[strays.Move]
) -> list[strays.Move]:
    """Return what names and sizes tell of the files that were not read."""
    done = {move.at for move in moved} | {move.to for move in moved}
    strange = {name for name in extra & unread.keys() if not is_litter(name)}
    likely = strays.by_name(result.missing - done, strange)
    likely = [move for move in likely if expected.sizes.get(move.to, unread[move.at]) == unread[move.at]]
    done |= {move.at for move in likely} | {move.to for move in likely}
    changed = result.changed & unread.keys()
    holding = {name for name in (strange | changed) - done if verify.unfinished(name) is None}
    return likely + strays.by_size(unread, expected.sizes, (result.missing | changed) - done, holding)


def _absent(missing: Collection[str], names: Iterable[str]) -> dict[str, int]:
    """Return the top folders of which nothing is there."""
    there = Counter(name.partition("/")[0] for name in missing if "/" in name)
    whole = Counter(name.partition("/")[0] for name in names if "/" in name)
    return {top: count for top, count in sorted(there.items()) if whole[top] == count}


def _missing(missing: Collection[str], expected: Expected, sizes: Mapping[str, int], extra: Collection[str]) -> Iterator[Fault]:
    """Yield each missing file, or the folder of which nothing is there."""
    lost = Counter(parent.as_posix() for name in missing for parent in PurePosixPath(name).parents)
    whole = Counter(parent.as_posix() for name in expected.sha256 for parent in PurePosixPath(name).parents) if missing else lost
    begun = {target: name for name in sorted(extra) if (target := verify.unfinished(name)) is not None}
    groups: dict[str, list[str]] = {}
    for name in sorted(missing):
        gone = [parent.as_posix() for parent in PurePosixPath(name).parents if lost[parent.as_posix()] == whole[parent.as_posix()] > 1]
        groups.setdefault(next((one for one in reversed(gone) if one != "."), name), []).append(name)
    for place, names in groups.items():
        if names == [place]:
            rule, what, fix = "missing", "it is missing", f"{damage.AGAIN}{KNOWN.get(place, '')}"
            if place in begun:
                of = f" of {expected.sizes[place]:,}" if place in expected.sizes else ""
                what = f"it is missing: '{begun[place]}' is its unfinished download ({sizes[begun[place]]:,}{of} bytes)"
            yield error(place, rule, what, fix)
        else:
            top = "; say --partial if you left it out on purpose" if "/" not in place else ""
            yield error(place, "missing", f"the whole folder is missing ({len(names):,} files)", f"get this folder again{top}")


def _changed(folder: Folder, names: Iterable[str], expected: Expected, actual: Mapping[str, str]) -> Iterator[Fault]:
    copies = {}
    for name, sha256 in sorted(expected.sha256.items(), reverse=True):
        if sha256 and sha256 != strays.EMPTY:
            copies[sha256] = name
    for name in names:
        if name in actual and actual[name] in copies:
            of = copies[actual[name]]
            yield error(name, "exchanged", f"it holds the bytes of {of}, which is there as well: its own are lost", damage.AGAIN)
            continue
        try:
            rule, what, fix = damage.what_happened(
                folder.root / name, expected.sha256[name] if name in actual else "", expected.sizes.get(name)
            )
        except OSError as failure:
            rule, what, fix = "unreadable", f"it cannot be read ({failure.strerror})", damage.AGAIN
        if name in expected.details and rule in ("changed", "truncated"):
            rule, what, fix = expected.details[name]
        yield error(name, rule, what, fix)


def _empty(folder: Folder, names: Iterable[str]) -> Iterator[Fault]:
    known = {parent.as_posix() for name in names for parent in PurePosixPath(name).parents} if folder.empty else set()
    for name in folder.empty:
        if name not in known and name not in verify.MAY_BE_EMPTY and not is_litter(name):
            yield warning(name, "empty", "an empty folder that is not in the release", "remove it")
