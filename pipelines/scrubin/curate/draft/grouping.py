"""Recordings of usable files: which files belong together by their names, times, sizes; what a recording is called."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import PurePosixPath

from scrubin.curate.draft.group import LEFT, MONO, RIGHT, Group, Placed, pairs, placed, single
from scrubin.curate.draft.recorded_file import RecordedFile, Unusable
from scrubin.curate.draft.series import FOLLOWS_S, Named, Run, is_cut_off, runs
from scrubin.stages.ingest import file_names


def titles(groups: Sequence[Group]) -> list[str]:
    """Return a name for each recording, all of them different."""
    per_folder = Counter(group.members[0].name.folder for group in groups)
    firsts = [_name(group, per_folder) for group in groups]
    uses = Counter(firsts)
    fuller = [_with_folder(group, name) if uses[name] > 1 else name for group, name in zip(groups, firsts, strict=True)]
    used: set[str] = set()
    for place, name in enumerate(fuller):
        free = next(one for one in itertools.chain([name], (f"{name} ({number})" for number in itertools.count(2))) if one not in used)
        used.add(free)
        fuller[place] = free
    return fuller


def _name(group: Group, per_folder: Mapping[str, int]) -> str:
    first = group.members[0].name
    if MONO in group.cameras and first.camera is not None:
        # What could be a camera is then what tells it from others.
        first = replace(first, title=file_names.tidy(group.members[0].file.path.stem), stem="")
    several = any(len(run.members) > 1 for run in group.cameras.values())
    is_part, telling = group.members[0].is_part, file_names.is_telling(first.stem)
    shared = (several or telling) if is_part else (several and group.alone and telling)
    text = first.stem if first.stem and shared else first.title
    if file_names.is_telling(text) or not first.folder:
        return text or first.title or "recording"
    folder = first.folder.replace("/", " ")
    return folder if per_folder[first.folder] == 1 else f"{folder} {text}"


def _with_folder(group: Group, name: str) -> str:
    folder = group.members[0].name.folder.replace("/", " ")
    return name if not folder or name.startswith(folder) else f"{folder} {name}"


SAME_START_S, SAME_LENGTH_S = 1.0, 0.2
CLOCKS: tuple[tuple[str, Callable[[Named], float | None]], ...] = (
    ("the time in its name", lambda member: member.name.recorded_s),
    ("its creation time", lambda member: member.file.header.recorded_s),
    ("its timecode", lambda member: member.file.header.timecode_s),
    ("the clock of its transport stream", lambda member: member.file.header.stream_s),
)
Key = tuple[str, str]


@dataclass(frozen=True)
class Recording:
    """One drafted recording; its files in the order of cameras and parts."""

    name: str
    files: tuple[Placed, ...]


def recordings(files: Iterable[RecordedFile]) -> list[Recording]:
    """Return the recordings of all usable files, each file in exactly one; the order of the files does not matter.

    Parameters
    ----------
    files
        Usable ones, and others: a recording says which file is missing to it.
    """
    ordered = sorted(files, key=lambda file: file.path.as_posix())
    read = _read_names([file.path for file in ordered])
    usable = [Named(file, read[file.path]) for file in ordered if not isinstance(file.content, Unusable)]
    missing: dict[Key, list[RecordedFile]] = defaultdict(list)
    for file in ordered:
        if isinstance(file.content, Unusable):
            missing[read[file.path].key].append(file)
    per_folder = Counter(member.name.folder for member in usable)
    groups = [group for bundle in _bundles(usable) for group in _of_bundle(bundle, per_folder)]
    for group in groups:
        _note_missing(group, missing[group.members[0].name.key], read)
    _note_same_time(groups)
    _note_following(groups)
    named = zip(titles(groups), groups, strict=True)
    return sorted((Recording(name, tuple(placed(group))) for name, group in named), key=lambda recording: recording.name)


def _read_names(paths: Sequence[PurePosixPath]) -> dict[PurePosixPath, file_names.Name]:
    """Return what all paths say; a short word for a camera counts only where its partner is."""
    read = {path: file_names.read(path) for path in paths}
    read = file_names.with_letters(read)
    sides = {(name.key, name.camera.side) for name in read.values() if name.camera}
    partner = {LEFT: RIGHT, RIGHT: LEFT}
    return {
        path: file_names.without_short_camera(path)
        if name.camera and name.camera.is_short and (name.key, partner[name.camera.side]) not in sides
        else name
        for path, name in read.items()
    }


def _bundles(usable: Sequence[Named]) -> list[list[Named]]:
    """Return files by what their names have in common, in order."""
    by_key: dict[Key, list[Named]] = defaultdict(list)
    by_title: dict[Key, list[Named]] = defaultdict(list)
    for member in usable:
        by_key[member.name.key].append(member)
        by_title[member.name.key[0], file_names.key_of(member.name.title)].append(member)
    for key, bundle in sorted(by_key.items()):
        counts = [member.name.count for member in bundle if member.name.count]
        if counts and not any(count.is_part or count.number <= 1 for count in counts):
            # `case 12` belongs to `case 12-2`, where its own number was read as one that counts files.
            for first in (member for member in by_title[key] if member.name.key != key):
                by_key[first.name.key].remove(first)
                bundle.append(replace(first, name=replace(first.name, key=key, stem=first.name.title, count=None)))
    return [bundle for _, bundle in sorted(by_key.items()) if bundle]


def _of_bundle(bundle: Sequence[Named], per_folder: Mapping[str, int]) -> list[Group]:
    """Return the recordings among files whose names differ in camera, number or time only."""
    alone = _is_alone(bundle) and per_folder[bundle[0].name.folder] == len(bundle)
    by_side: dict[str, list[Named]] = defaultdict(list)
    for member in bundle:
        by_side[member.name.camera.side if member.name.camera else MONO].append(member)
    by_camera = {side: runs(members, alone=alone) for side, members in sorted(by_side.items())}
    numbered = [side for side in by_camera if side.isdecimal()]
    groups = [Group({MONO: run}) for run in by_camera.get(MONO, [])]
    if numbered in (["0", "1"], ["1", "2"]):
        groups += pairs(by_camera[numbered[0]], by_camera[numbered[1]], sure=False)
    else:
        groups += [single(run) for side in numbered for run in by_camera[side]]
    groups += pairs(by_camera.get(LEFT, []), by_camera.get(RIGHT, []), sure=True)
    _note_numbers(by_camera.get(MONO, []), groups)
    for group in groups:
        group.alone = len(groups) == 1
    return groups


def _note_numbers(runs_of_mono: Sequence[Run], groups: Sequence[Group]) -> None:
    """Note files that follow another one by their number alone, where no clock says that they do not belong to it.

    Of files that are called by nothing but a number any may be a part. Others may where their lengths are those of parts as well.
    """
    lengths = [member.file.header.duration_s for run in runs_of_mono for member in run.members]
    for before, after in pairwise(runs_of_mono):
        last, first = before.members[-1], after.members[0]
        if last.number is None or first.number is None or not file_names.follows(last.number, first.number) or _tell_times(last, first):
            continue
        group = next(group for group in groups if group.cameras.get(MONO) is after)
        if first.name.is_generic:
            group.doubts.append(f"nothing but its number says that it is no part of the recording of '{last.file.path.name}'")
        elif last.file.header.kind == first.file.header.kind and is_cut_off(last, first, lengths):
            group.doubts.append(f"by its number, length and format it may be a part of the recording of '{last.file.path.name}'")


def _tell_times(before: Named, after: Named) -> bool:
    """Return whether a clock tells two files apart; some recorders write the time of the first one into all parts."""
    times = ((before.name.recorded_s, after.name.recorded_s), (before.file.header.recorded_s, after.file.header.recorded_s))
    return any(second is not None and first != second for first, second in times)


def _is_alone(bundle: Sequence[Named]) -> bool:
    """Return whether files are called by nothing but numbers from 0 or 1 on, in a folder with a telling name."""
    folder = bundle[0].name.folder
    numbers = sorted({member.number for member in bundle if member.number is not None})
    return (
        bool(numbers)
        and numbers == list(range(numbers[0], numbers[-1] + 1))
        and numbers[0] <= 1
        and not bundle[0].name.key[1]
        and file_names.is_telling(folder.rpartition("/")[2])
    )


def _note_missing(group: Group, missing: Sequence[RecordedFile], read: Mapping[PurePosixPath, file_names.Name]) -> None:
    """Note files that belong here by their names and cannot be used, and numbers that are missing."""
    numbers = set().union(*(run.numbers for run in group.cameras.values()))
    for file in missing:
        count = read[file.path].count
        near = count is None or not numbers or min(numbers) - 1 <= count.number <= max(numbers) + 1
        if near and isinstance(file.content, Unusable):
            group.doubts.append(f"'{file.shown}' belongs here by its name and cannot be used: {file.content.reason}")
    for camera, run in sorted(group.cameras.items()):
        counts = [count for member in run.members if (count := member.name.count) is not None]
        first = 1 if counts and counts[0].is_part and min(numbers) else min(numbers, default=0)
        last = max([*numbers, *(count.of for count in counts if count.of is not None)], default=0)
        begun_anew = (run.members[0].number or 0) > (run.members[-1].number or 0)
        if counts and not begun_anew and (len(run.members) > 1 or counts[0].is_part):
            named = run.numbers | ({1} if len(counts) < len(run.members) else set())
            absent = sorted(set(range(first, last + 1)) - named)
            of = f" of camera {camera}" if len(group.cameras) > 1 else ""
            group.doubts += [f"no file with number {number}{of}" for number in absent[:3]]


def _note_following(groups: Sequence[Group]) -> None:
    """Note recordings that begin when another one of their folder ends: perhaps they are one."""
    for clock, begin_s in CLOCKS:
        ends: dict[tuple[str, int], list[tuple[float, Named]]] = defaultdict(list)
        for group in groups:
            last = group.members[-1]
            at_s, length_s = begin_s(last), last.file.header.duration_s
            if MONO in group.cameras and at_s is not None and length_s is not None:
                ends[last.name.folder, round((at_s + length_s) / FOLLOWS_S)].append((at_s + length_s, last))
        for group in groups:
            first = group.members[0]
            at_s = begin_s(first)
            if MONO not in group.cameras or not at_s:
                continue
            near = [one for place in (-1, 0, 1) for one in ends[first.name.folder, round(at_s / FOLLOWS_S) + place]]
            same = [last for end_s, last in near if abs(end_s - at_s) <= FOLLOWS_S and last.file.header.kind == first.file.header.kind]
            other = next((last for last in same if last not in group.members), None)
            if other is not None and not any(other.file.path.name in doubt for doubt in group.doubts):
                group.doubts.append(f"it begins when '{other.file.path.name}' ends, by {clock}: perhaps it is its next part")


def _note_same_time(groups: Sequence[Group]) -> None:
    """Note recordings of one camera that began at the same time and last as long: perhaps cameras of one recording."""
    by_start: dict[int, list[Group]] = defaultdict(list)
    for group in groups:
        start_s = group.members[0].file.header.recorded_s
        if MONO in group.cameras and start_s is not None:
            by_start[round(start_s / SAME_START_S)].append(group)
    for same in by_start.values():
        for group in same:
            length_s = group.cameras[MONO].duration_s
            for other in same:
                other_s = other.cameras[MONO].duration_s
                if other is not group and length_s is not None and other_s is not None and abs(length_s - other_s) <= SAME_LENGTH_S:
                    group.doubts.append(
                        f"'{other.members[0].file.path}' began at the same time and is as long: perhaps another camera of it"
                    )
                    break
