"""Files whose bytes lie under another name than their own: renamed, exchanged, put into another folder."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote

from scrubin.core.faults import Fault, error

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""SHA-256 of nothing: empty files are alike and tell nothing."""
MANY = 3
"""More files of one folder than these that hold each other's bytes are one finding."""


@dataclass(frozen=True, order=True)
class Move:
    """What lies at ``at`` belongs to ``to``."""

    at: str
    to: str

    @property
    def ends(self) -> tuple[str, str]:
        """Both names without the folders and the name at their end that are the same: a whole folder was moved."""
        at, to = PurePosixPath(self.at).parts, PurePosixPath(self.to).parts
        same = _alike(reversed(at), reversed(to))
        return "/".join(at[: len(at) - same]), "/".join(to[: len(to) - same])


def by_bytes(actual: Mapping[str, str], truth: Mapping[str, str], wanting: Collection[str], holding: Collection[str]) -> list[Move]:
    """Return which files hold what others lack.

    Parameters
    ----------
    actual
        SHA-256 of the files that are there, by name.
    truth
        SHA-256 that the files should have, by name.
    wanting
        Names of files that are missing, or hold other bytes than their own.
    holding
        Names of files that hold no bytes of their own: changed, or no files of the release.
    """
    places: dict[str, list[str]] = defaultdict(list)
    for name in sorted(wanting):
        if name in truth and truth[name] != EMPTY:
            places[truth[name]].append(name)
    moves, taken = [], set()
    for name in sorted(holding, key=lambda one: (one not in truth, one)):
        free = [place for place in places.get(actual.get(name, ""), ()) if place not in taken and place != name]
        if free:
            own = truth.get(name, "")
            best = max(free, key=lambda place: (bool(own) and actual.get(place) == own, _tail(name, place), _head(name, place)))
            moves.append(Move(name, best))
            taken.add(best)
    return moves


def by_name(missing: Iterable[str], extra: Iterable[str]) -> list[Move]:
    """Return which files that do not belong are probably missing ones: another case or spelling, other separators, other folders."""
    wanted = {_folded(name): name for name in sorted(missing)}
    moves, taken = [], set()
    for name in sorted(extra):
        parts = name.split("/")
        forms = [name, name.replace("\\", "/"), unquote(name), *("/".join(parts[depth:]) for depth in range(1, len(parts)))]
        to = next((wanted[_folded(form)] for form in forms if _folded(form) in wanted), None)
        if to is not None and to not in taken:
            moves.append(Move(name, to))
            taken.add(to)
    return moves


def by_size(sizes: Mapping[str, int], truth: Mapping[str, int], wanting: Collection[str], holding: Collection[str]) -> list[Move]:
    """Return which files have the size of just one that lacks its own, where nothing was hashed."""
    places: dict[tuple[int, str], list[str]] = defaultdict(list)
    holders: dict[tuple[int, str], list[str]] = defaultdict(list)
    for name in sorted(wanting):
        if truth.get(name, 0):
            places[truth[name], PurePosixPath(name).suffix.lower()].append(name)
    for name in sorted(holding):
        holders[sizes[name], PurePosixPath(name).suffix.lower()].append(name)
    return [Move(at[0], places[key][0]) for key, at in sorted(holders.items()) if len(at) == 1 and len(places.get(key, ())) == 1]


def faults(moves: Iterable[Move], listed: Collection[str], *, sure: bool) -> Iterator[Fault]:
    """Yield what was moved where: a folder that moved as a whole is one fault.

    Parameters
    ----------
    moves
        All of them.
    listed
        Names that the release has.
    sure
        Whether the bytes were compared; else only names or sizes.
    """
    groups: dict[frozenset[str], list[Move]] = defaultdict(list)
    for move in sorted(moves):
        groups[frozenset(move.ends)].append(move)
    alone: dict[str, list[Move]] = defaultdict(list)
    for ends, group in sorted(groups.items(), key=lambda item: item[1][0]):
        mutual = {move.ends for move in group} >= {group[0].ends, group[0].ends[::-1]}
        if len(group) == 1 and group[0].at in listed and PurePosixPath(group[0].at).parent == PurePosixPath(group[0].to).parent:
            alone[str(PurePosixPath(group[0].at).parent)].append(group[0])
        elif mutual and len(ends) == 2:
            yield _exchanged(group, sure=sure)
        else:
            yield _moved(group, listed, sure=sure)
    for parent, group in sorted(alone.items()):
        if len(group) > MANY:
            what = f"{len(group):,} files of this folder hold the bytes of others of it: they were numbered or named again"
            yield error(parent, "shuffled", f"{what}; {group[0].at} holds those of {group[0].to}", "get this folder again")
        else:
            yield from (_moved([move], listed, sure=sure) for move in group)


def _exchanged(group: list[Move], *, sure: bool) -> Fault:
    first, second = sorted(group[0].ends)
    files = [move for move in group if move.ends == group[0].ends]
    if len(group) == 2 and {move.at for move in group} == {first, second}:
        how = "were exchanged: each holds the bytes of the other" if sure else "were probably exchanged: each has the size of the other"
        return error(first, "exchanged", f"this file and {second} {how}", "give both their own names again, or get both again")
    probably, number = "" if sure else "probably ", max(len(files), len(group) - len(files))
    what = f"this folder and {second} were {probably}exchanged ({number:,} files)"
    return error(first, "exchanged", what, "give both folders their own names again, or get both again")


def _moved(group: list[Move], listed: Collection[str], *, sure: bool) -> Fault:
    at, to = group[0].ends
    if len(group) == 1:
        at, to = group[0].at, group[0].to
    number = f" ({len(group):,} files)" if len(group) > 1 else ""
    thing, probably = "folder" if len(group) > 1 else "file", "" if sure else "probably "
    if group[0].at in listed:
        what = f"this {thing} holds the bytes of {to}{number}" if sure else f"this {thing} has the size of {to}{number}"
        return error(at, "exchanged", what, f"get '{at}' and '{to}' again")
    mend = f"rename '{at}' to '{to}'"
    if not to:
        return error(at, "nested", f"files of the release lie one folder too deep, in here{number}", "move them up, out of this folder")
    if not at:
        return error(to, "nested", f"what belongs into this folder lies outside of it{number}", f"move it into '{to}'")
    if _normal(at) == _normal(to):
        return error(to, "unicode-form", f"it is there, but its name is in another Unicode form{number}", mend)
    if at.casefold() == to.casefold():
        return error(to, "case", f"it is there as '{at}': small and capital letters of the name were changed{number}", mend)
    if at.replace("\\", "/") == to or (len(group) == 1 and "\\" in at):
        return error(
            to, "renamed", f"it is there as one name with backslashes, '{at}'{number}", "unpack again with a program that makes folders"
        )
    return error(to, "renamed", f"it is {probably}there under another name, '{at}'{number}", mend)


def _folded(name: str) -> str:
    return _normal(name).casefold()


def _normal(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _tail(one: str, other: str) -> int:
    return _alike(reversed(PurePosixPath(one).parts), reversed(PurePosixPath(other).parts))


def _head(one: str, other: str) -> int:
    return _alike(PurePosixPath(one).parts, PurePosixPath(other).parts)


def _alike(one: Iterable[str], other: Iterable[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count
