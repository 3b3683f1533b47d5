"""Which frames of two cameras were taken at one instant."""

from __future__ import annotations

from fractions import Fraction

from scrubin.core.errors import CalibrationError
from scrubin.core.faults import error
from scrubin.stereo.footage import Footage, PictureFootage


def every(left: Footage, right: Footage, every_s: Fraction) -> list[int]:
    """Return the numbers of the frames at every multiple of ``every_s``, as the frame contract has it; all pictures of folders.

    Raises
    ------
    CalibrationError
        When both are not alike: other names, or other numbers of frames.
    """
    refuse_unlike(left, right)
    if not left.times_s:
        return list(range(left.count))
    numbers, wanted = [], Fraction(0)
    for number, time_s in enumerate(left.times_s):
        if time_s >= wanted:
            numbers.append(number)
            wanted += every_s * max(1, int((time_s - wanted) / every_s) + 1)
    return numbers


def refuse_unlike(left: Footage, right: Footage) -> None:
    """Refuse two cameras whose frames cannot be of the same instants.

    Raises
    ------
    CalibrationError
        Names what differs.
    """
    if isinstance(left, PictureFootage) and isinstance(right, PictureFootage):
        names = [{path.stem for path in one.paths} for one in (left, right)]
        if names[0] != names[1]:
            alone = sorted(names[0] ^ names[1])
            raise _refused(right.name, f"pictures without partner: {', '.join(alone[:5])}", "give both pictures of a pair one name")
    elif left.fps is None or right.fps is None:
        raise _refused(right.name, "one camera is a video, the other a folder", "name two videos or two folders")
    elif left.count != right.count:
        what = f"it has {right.count} frames, but {left.name} has {left.count}"
        raise _refused(right.name, what, "cut both to the same frames first: frame k of both must be of one instant")


def _refused(name: str, what: str, fix: str) -> CalibrationError:
    return CalibrationError([error(name, "pairs", what, fix)])
