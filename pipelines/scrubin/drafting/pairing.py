"""Cameras of a pair: which recordings of a left and a right camera, or of two numbered ones, are one."""

from __future__ import annotations

from collections.abc import Sequence

from scrubin.drafting.group import LEFT, MONO, RIGHT, Group
from scrubin.drafting.series import Run

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
