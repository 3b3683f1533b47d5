"""Recordings of usable files: which files are the cameras or the parts of one, by their names, times, sizes; what it is called."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import PurePosixPath

from scrubin.base.faults import count_text
from scrubin.curate.draft import RecordedFile, Unusable
from scrubin.curate.draft.series import FOLLOWS_S, Link, Named, Run, is_cut_off, runs
from scrubin.stages.ingest import file_names

MONO, LEFT, RIGHT = "mono", "left", "right"


@dataclass
class Group:
    """A recording before it has a name: its runs by camera, what is noted of all of its files, and whether no other has such names."""

    cameras: dict[str, Run]
    alone: bool = False
    guesses: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    @property
    def members(self) -> list[Named]:
        """All of its files, by camera and part."""
        return [member for _, run in sorted(self.cameras.items()) for member in run.members]


# Cameras of a pair are started by one button or by two hands.
PAIR_START_S, PAIR_LENGTH_S, PAIR_LENGTH_SHARE = 5.0, 10.0, 0.1
EQUAL_LENGTH_S = 0.5
"""Cameras of a pair that differ by more are looked at: frames of both belong together by their time from the start."""


def pairs(lefts: Sequence[Run], rights: Sequence[Run], *, sure: bool) -> list[Group]:
    """Return recordings of two cameras, and those whose partner is not there.

    Parameters
    ----------
    lefts, rights
        Runs whose names differ in nothing but camera, number and time.
    sure
        Whether the names say which camera is which; numbers of cameras do not.
    """
    groups, waiting = [], list(rights)
    for left in lefts:
        right = next((run for run in waiting if _are_partners(left, run)), None)
        if right is None:
            groups.append(_unpaired(left, LEFT, sure=sure))
            continue
        waiting.remove(right)
        apart = _apart(left, right, sure=sure)
        if apart:
            groups += [Group({MONO: run}, doubts=[apart]) for run in (left, right)]
            continue
        group = Group({LEFT: left, RIGHT: right})
        if not sure:
            group.doubts.append("which camera is the left one is not known, the lower number was taken")
        if len(left.members) != len(right.members):
            group.doubts.append(f"left has {count_text(len(left.members), 'file')}, right {len(right.members)}")
        elif (apart_s := _length_apart_s(left, right)) > EQUAL_LENGTH_S:
            group.doubts.append(f"left and right differ in length by {apart_s:.1f} s: are they of one recording, and does one begin later?")
        groups.append(group)
    return groups + [_unpaired(run, RIGHT, sure=sure) for run in waiting]


def single(run: Run) -> Group:
    """Return the recording of one of several cameras that are no pair."""
    camera = run.members[0].name.camera
    word = camera.word if camera else ""
    return Group({MONO: run}, doubts=[f"'{word}' in its name names one of several cameras: exclude it, or write left or right"])


def _unpaired(run: Run, side: str, *, sure: bool) -> Group:
    if not sure:
        return single(run)
    other = RIGHT if side == LEFT else LEFT
    return Group({side: run}, doubts=[f"no file of the {other} camera; when there is none, write mono"])


def _are_partners(left: Run, right: Run) -> bool:
    first, second = left.members[0].name.recorded_s, right.members[0].name.recorded_s
    if first is not None and second is not None and abs(first - second) > PAIR_START_S:
        return False
    return bool(left.numbers & right.numbers) if left.numbers and right.numbers else left.numbers == right.numbers


def _apart(left: Run, right: Run, *, sure: bool) -> str:
    """Return why two runs are rather no pair, "" when they may be one: only what both have can be compared."""
    left_words = " and ".join(f"'{run.members[0].name.camera.word}'" for run in (left, right) if run.members[0].name.camera)
    by_number = {member.number: member for member in right.members}
    for member in left.members:
        partner = by_number.get(member.number) if len(left.members) + len(right.members) > len((left, right)) else right.members[0]
        if partner is None:
            continue
        if other := member.differs(partner):
            return f"{left_words} could be a pair, but are of another {other} by their DICOM headers: taken as two recordings"
        first, second = member.file.header, partner.file.header
        if not sure and (first.width, first.height) != (second.width, second.height):
            return f"{left_words} have pictures of different sizes: taken as two recordings; exclude what is not wanted"
        if first.duration_s is None or second.duration_s is None:
            return ""
        apart_s = abs(first.duration_s - second.duration_s)
        if apart_s <= max(PAIR_LENGTH_S, PAIR_LENGTH_SHARE * max(first.duration_s, second.duration_s)):
            return ""
        return f"{left_words} could be a pair, but differ in length by {apart_s:.0f} s: taken as two recordings"
    return ""


def _length_apart_s(left: Run, right: Run) -> float:
    first, second = left.duration_s, right.duration_s
    return 0.0 if first is None or second is None else abs(first - second)


WIDE, TALL = 2.9, 1.0


@dataclass(frozen=True)
class Placed:
    """A file in its place: camera and part of a recording.

    Parameters
    ----------
    part
        From 1; None when it is the only file of its camera.
    guesses
        What was guessed, and by what.
    doubts
        What speaks against a guess, or is left open.
    """

    file: RecordedFile
    camera: str
    part: int | None
    guesses: tuple[str, ...]
    doubts: tuple[str, ...]


def placed(group: Group) -> Iterator[Placed]:
    """Yield the files of a recording in the order of cameras and parts."""
    parts = _parts(group)
    for camera, run in sorted(group.cameras.items()):
        for place, (member, part) in enumerate(zip(run.members, parts[camera], strict=True)):
            guesses, doubts = [_camera_guess(camera, member)], [*group.doubts, *_of_picture(member)]
            link = run.links[place - 1] if place else None
            if part is not None:
                guesses.append(_part_guess(part, member, link))
            elif member.name.count is not None and not member.is_part:
                guesses.append(f"part: none, '{member.name.count.word}' in its name is taken for the number of a recording")
            doubts += [link.doubt] if link and link.doubt else []
            yield Placed(member.file, camera, part, tuple(guesses), tuple(doubts))


def _parts(group: Group) -> dict[str, list[int | None]]:
    """Return the part of every file, by camera: as its name counts, so that a missing part leaves a gap, else by its place."""
    numbers = {camera: _numbers(run) for camera, run in group.cameras.items()}
    counted = all(run.numbers for run in group.cameras.values())
    if not counted or any(before >= after for of_run in numbers.values() for before, after in pairwise(of_run)):
        numbers = {camera: list(range(1, len(run.members) + 1)) for camera, run in group.cameras.items()}
    lowest = min(number for of_run in numbers.values() for number in of_run)
    said = all(member.is_part for member in group.members)
    shift = 0 if said and lowest > 0 else 1 - lowest
    if all(len(of_run) == 1 and (not said or of_run[0] + shift == 1) for of_run in numbers.values()):
        return {camera: [None] for camera in numbers}
    return {camera: [number + shift for number in of_run] for camera, of_run in numbers.items()}


def _numbers(run: Run) -> list[int]:
    """Return the numbers of a run's files; one without a number stands before the others."""
    before = min(run.numbers, default=1) - 1
    return [before if member.number is None else member.number for member in run.members]


def _part_guess(part: int, member: Named, link: Link | None) -> str:
    count = member.name.count
    by = f"'{count.word}' in its path" if count else "the time in its name" if member.name.recorded_s is not None else "its name"
    return f"part: {part}, by {by}" + (f"; {link.reason}" if link and link.reason else "")


def _camera_guess(camera: str, member: Named) -> str:
    word = member.name.camera.word if member.name.camera else ""
    if camera == MONO:
        return "camera: mono, as no second one was recognised"
    return f"camera: {camera}, by '{word}' in its path"


def _of_picture(member: Named) -> list[str]:
    header = member.file.header
    if header.width >= WIDE * header.height:
        return [f"its picture is {header.width}x{header.height}: perhaps both cameras side by side"]
    if header.width <= TALL * header.height:
        return [f"its picture is {header.width}x{header.height}: perhaps upright, or both cameras one above the other"]
    return []


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
    """Note files that follow another one by their number alone, where no clock or header says that they do not belong to it.

    Of files that are called by nothing but a number any may be a part. Others may where their lengths are those of parts as well.
    """
    lengths = [member.file.header.duration_s for run in runs_of_mono for member in run.members]
    for before, after in pairwise(runs_of_mono):
        last, first = before.members[-1], after.members[0]
        group = next(group for group in groups if group.cameras.get(MONO) is after)
        if (other := last.differs(first)) and first.is_part:
            group.doubts.append(f"by its name a part of the recording of '{last.file.path.name}', by its DICOM header of another {other}")
        follows = last.number is not None and first.number is not None and file_names.follows(last.number, first.number)
        if other or not follows or _tell_times(last, first):
            continue
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
    mono = [group for group in groups if MONO in group.cameras]
    ends: dict[tuple[str, str, int], list[tuple[float, Named]]] = defaultdict(list)
    for group in mono:
        last = group.members[-1]
        for clock, at_s in last.clocks_s.items():
            if at_s is not None and last.file.header.duration_s is not None:
                end_s = at_s + last.file.header.duration_s
                ends[last.name.folder, clock, round(end_s / FOLLOWS_S)].append((end_s, last))
    for group in mono:
        first = group.members[0]
        for clock, at_s in first.clocks_s.items():
            if not at_s:
                continue
            near = [one for place in (-1, 0, 1) for one in ends[first.name.folder, clock, round(at_s / FOLLOWS_S) + place]]
            same = [last for end_s, last in near if abs(end_s - at_s) <= FOLLOWS_S and last.file.header.kind == first.file.header.kind]
            other = next((last for last in same if last not in group.members and not last.differs(first)), None)
            if other is not None and not any(other.file.path.name in doubt for doubt in group.doubts):
                group.doubts.append(f"it begins when '{other.file.path.name}' ends, by its {clock}: perhaps it is its next part")


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
                if other is group or length_s is None or other_s is None or group.members[0].differs(first := other.members[0]):
                    continue
                if abs(length_s - other_s) <= SAME_LENGTH_S:
                    group.doubts.append(f"'{first.file.path}' began at the same time and is as long: perhaps another camera of it")
                    break
