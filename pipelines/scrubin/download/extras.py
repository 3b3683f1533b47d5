"""Files that no list has: litter of systems, unfinished downloads, unpacked archives, copies, and what belongs elsewhere."""

from __future__ import annotations

import zipfile
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath

from scrubin.core import unpacking
from scrubin.core.faults import Fault, error, warning
from scrubin.download import marks
from scrubin.download.moves import EMPTY, Move


def faults(
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
        if marks.is_litter(name):
            kinds[PurePosixPath(name).name[:2] if PurePosixPath(name).name.startswith("._") else PurePosixPath(name).name].append(name)
    for names in kinds.values():
        more = f" ({len(names):,} of its kind)" if len(names) > 1 else ""
        yield (
            set(names),
            warning(names[0], "litter", f"a system or program left it there{more}: it is no part of the release", "it does no harm"),
        )


def _unfinished(extra: Collection[str], truth: Mapping[str, str]) -> Iterator[tuple[set[str], Fault]]:
    for name in sorted(extra):
        target = marks.unfinished(name)
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
            names = {name for name in extra if name.startswith(place) and name.removeprefix(place) in members and not marks.is_litter(name)}
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
            own = PurePosixPath(name)
            move = Move(name, max(same, key=lambda one: (_ending(own, PurePosixPath(one)), one)))
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


def _ending(one: PurePosixPath, other: PurePosixPath) -> int:
    count = 0
    for a, b in zip(reversed(one.parts), reversed(other.parts), strict=False):
        if a != b:
            break
        count += 1
    return count


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
