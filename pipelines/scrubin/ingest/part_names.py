"""What the names of a recording's files say about their order: a number that is missing, runs back, or is there twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from scrubin.drafting import names
from scrubin.drafting.names import Name

SECOND = 2
FIX = "add the row of the missing file; hidden until somebody says in the review that none is missing"
FIX_ORDER = "correct the order; hidden until somebody says in the review that it is right"


def doubtful(paths: Sequence[str]) -> dict[int, str]:
    """Return, by the place of a file from 0, what its name says against its place behind the one before.

    Only names that differ in their number are compared: `case_001` and `case_003`, not `case_001` and `closing_003`.

    >>> doubtful(["videos/a_001.mp4", "videos/a_003.mp4"])[1]
    "the names skip from number 1 ('videos/a_001.mp4') to 3 ('videos/a_003.mp4'): add the row of the missing file; \
hidden until somebody says in the review that none is missing"
    >>> doubtful(["videos/100MEDIA/DJI_0999.MP4", "videos/101MEDIA/DJI_0001.MP4"])
    {}
    """
    read = [names.read(PurePosixPath(path)) for path in paths]
    said: dict[int, str] = {}
    for place in range(1, len(paths)):
        sentence = _between(read[place - 1], read[place], paths[place - 1], paths[place])
        if sentence:
            said[place] = sentence
    first, last = read[0].count, read[-1].count
    # A camera counts on from card to card, but seldom from 2 on.
    if first is not None and (first.number > 1 if first.is_part else first.number == SECOND) and len(paths) > 1:
        said[0] = f"'{paths[0]}' is the first file and calls itself number {first.number}: {FIX}"
    if last is not None and last.of is not None and last.number < last.of:
        told = f"'{paths[-1]}' is the last file and calls itself number {last.number} of {last.of}: {FIX}"
        said[len(paths) - 1] = "; ".join(filter(None, (said.get(len(paths) - 1), told)))
    return said


def _between(before: Name, after: Name, path_before: str, path: str) -> str:
    """Return what two names say against that the second file follows the first; "" when nothing."""
    if before.key[1] != after.key[1]:
        return ""
    is_part = after.count is not None and after.count.is_part
    if before.recorded_s is not None and after.recorded_s is not None and before.recorded_s != after.recorded_s:
        if after.recorded_s < before.recorded_s:
            return f"by the times in their names '{path}' was recorded before '{path_before}': {FIX_ORDER}"
        if not is_part:
            return ""  # a number behind a time may count within that time
    if after.count is None:
        return ""
    # `case12` and `case12-2`: the first one is not numbered.
    first, second = before.count.number if before.count else 1, after.count.number
    if names.follows(first, second):
        return ""
    here = f"from number {first} ('{path_before}') to {second} ('{path}')"
    if second == first:
        return f"number {first} is there twice, '{path_before}' and '{path}': {FIX_ORDER}"
    return f"the names skip {here}: {FIX}" if second > first else f"the names go back {here}: {FIX_ORDER}"
