"""Files that are taken for one recording: the cameras of a pair, each with its parts in order, each guess of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from scrubin.curate.draft.recorded_file import RecordedFile
from scrubin.curate.draft.series import Link, Named, Run

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
            group.doubts.append(f"left has {_files(len(left.members))}, right {len(right.members)}")
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


def _files(count: int) -> str:
    return f"{count} file{'s' if count != 1 else ''}"


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
