"""The place of each file in its recording, and what of it is a guess."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from scrubin.drafting.group import MONO, Group
from scrubin.drafting.recorded_file import RecordedFile
from scrubin.drafting.series import Link, Named, Run

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
