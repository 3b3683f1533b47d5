"""Files that no list has where they lie: moved, exchanged, litter of systems, unfinished downloads, copies."""

from __future__ import annotations

import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from scrubin.base import unpacking
from scrubin.base.faults import Fault, error, warning
from scrubin.base.file_lists import is_litter
from scrubin.data import verify

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


def faults_of_moves(moves: Iterable[Move], listed: Collection[str], *, sure: bool) -> Iterator[Fault]:
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
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def faults_of_extras(
    root: Path, extra: Collection[str], sizes: Mapping[str, int], actual: Mapping[str, str], truth: Mapping[str, str]
) -> Iterator[Fault]:
    """Yield what each of them is.

    Parameters
    ----------
    root
        The release.
    extra
        Names of the files.
    sizes, actual
        Bytes and, as far as they were read, SHA-256 of the files that are there.
    truth
        SHA-256 that the files of the release should have.
    """
    rest = set(extra)
    if not rest:
        return
    for names, fault in (*_litter(rest), *_unfinished(rest, truth), *_unpacked(root, rest, sizes, actual, truth)):
        rest -= names
        yield fault
    for names, fault in _copies(rest, actual, truth):
        rest -= names
        yield fault
    yield from _unknown(rest, truth)


def _litter(extra: Collection[str]) -> Iterator[tuple[set[str], Fault]]:
    kinds: dict[str, list[str]] = defaultdict(list)
    for name in sorted(extra):
        if is_litter(name):
            kinds[PurePosixPath(name).name[:2] if PurePosixPath(name).name.startswith("._") else PurePosixPath(name).name].append(name)
    for names in kinds.values():
        more = f" ({len(names):,} of its kind)" if len(names) > 1 else ""
        yield (
            set(names),
            warning(names[0], "litter", f"a system or program left it there{more}: it is no part of the release", "it does no harm"),
        )


def _unfinished(extra: Collection[str], truth: Mapping[str, str]) -> Iterator[tuple[set[str], Fault]]:
    for name in sorted(extra):
        target = verify.unfinished(name)
        if target in truth:
            yield (
                {name},
                error(name, "unfinished", f"an unfinished download of {target}", f"let it end, or remove it and get '{target}' again"),
            )


def _unpacked(
    root: Path, extra: Collection[str], sizes: Mapping[str, int], actual: Mapping[str, str], truth: Mapping[str, str]
) -> Iterator[tuple[set[str], Fault]]:
    for archive in sorted(name for name in truth if name.startswith("archives/") and name in sizes and extra):
        try:
            with zipfile.ZipFile(root / archive) as opened:
                members = {entry.filename: entry.file_size for entry in opened.infolist()}
        except (OSError, *unpacking.BROKEN_ZIP):
            continue
        stem = PurePosixPath(archive).stem
        for place in ("archives/", f"archives/{stem}/", f"{stem}/", ""):
            names = {name for name in extra if name.startswith(place) and name.removeprefix(place) in members and not is_litter(name)}
            sound = {name for name in names if _is_whole(name, name.removeprefix(place), members, sizes, actual, truth)}
            for name in sorted(names - sound):
                what = f"it was unpacked from {archive}, but not with the bytes that are in there"
                yield {name}, error(name, "unpacked", what, "remove it: the release has that file in its own place")
            if sound:
                what = f"unpacked from {archive} ({len(sound):,} files)"
                yield sound, warning(min(sound), "unpacked", what, "it does no harm; the release has these files in their own places")
            extra = set(extra) - names


def _is_whole(
    name: str, member: str, members: Mapping[str, int], sizes: Mapping[str, int], actual: Mapping[str, str], truth: Mapping[str, str]
) -> bool:
    expected = truth.get(f"videos/{member}", truth.get(member, ""))
    return sizes[name] == members[member] and (not actual.get(name) or not expected or actual[name] == expected)


def _copies(extra: Collection[str], actual: Mapping[str, str], truth: Mapping[str, str]) -> Iterator[tuple[set[str], Fault]]:
    places: dict[str, list[str]] = defaultdict(list)
    for name, sha256 in truth.items():
        if sha256 not in ("", EMPTY):
            places[sha256].append(name)
    groups: dict[tuple[str, str], list[Move]] = defaultdict(list)
    for name in sorted(extra):
        same = places.get(actual.get(name, ""), ())
        if same:
            move = Move(name, max(same, key=lambda one: (_tail(name, one), one)))
            groups[move.ends].append(move)
    for (at, to), group in sorted(groups.items()):
        names = {move.at for move in group}
        if all(
            name.startswith("groundtruth/") and "/yolo" in name and move.to.startswith("frames/") for move in group for name in [move.at]
        ):
            yield names, warning(min(names), "copy", f"copies of frames beside YOLO's labels ({len(group):,} files)", "they do no harm")
        elif len(group) > 1:
            what = f"a second copy of {to or 'files of the release'} ({len(group):,} files)"
            yield names, error(at or min(names), "copy", what, "remove it: whatever reads all files here would read them twice")
        else:
            what = f"a second copy of {group[0].to}"
            yield names, error(group[0].at, "copy", what, "remove it: whatever reads all files here would read it twice")


def _unknown(extra: Collection[str], truth: Mapping[str, str]) -> Iterator[Fault]:
    folders = {parent.as_posix() for place in {name.rpartition("/")[0] for name in truth} for parent in PurePosixPath(place, "x").parents}
    groups: dict[str, list[str]] = defaultdict(list)
    for name in sorted(extra):
        strange = [parent.as_posix() for parent in PurePosixPath(name).parents if parent.as_posix() not in folders]
        groups[strange[-1] if strange else name].append(name)
    for place, names in sorted(groups.items()):
        media = place.split("/")[0] in ("videos", "frames")
        fix = "take it out; if it came with a download, files of another version are mixed with these" if media else "take it out"
        if [place] == names:
            yield error(place, "extra", "no file of this release", fix)
        else:
            yield error(place, "extra", f"no folder of this release ({len(names):,} files, such as {names[0]})", fix)
