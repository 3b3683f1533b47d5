"""Rectified pairs of what both cameras recorded, written as pictures into a new folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from scrubin.base.errors import CalibrationError
from scrubin.base.files import whole
from scrubin.media.rigs import rig_file
from scrubin.media.rigs.rig import Rectification, Rig, Side, opencv, rectification, rectified
from scrubin.stages.stereo.footage import Footage, Picture, both, every, footage

SIDES: tuple[Side, Side] = ("left", "right")
Shown = Callable[[Sequence[int], str], Iterable[int]]
"""Passes on the numbers of frames, and may show how far it is; it is told the side."""


@dataclass(frozen=True)
class RectifiedPairs:
    """What was written: how many pairs, with which focal length in px."""

    count: int
    focal_px: float


def write(rig: Rig, rig_name: str, cameras: tuple[str, str], out: Path, alpha: float, every_s: Fraction, shown: Shown) -> RectifiedPairs:
    """Rectify both cameras, and write ``left/``, ``right/`` and ``rectification.yaml``.

    Parameters
    ----------
    rig, rig_name
        The calibration, and how it is called in messages.
    cameras
        The left one, then the right one: each a video, or a folder of pictures.
    out
        A new or empty folder.
    alpha
        0: no black border; 1: no pixel is lost.
    every_s
        Of videos, one pair is taken every so many seconds.
    shown
        Passes on the numbers of frames while they are written.

    Raises
    ------
    CalibrationError
        When the folder is not new, or the pictures have another size than the rig.
    VideoError
        When a video cannot be read.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise CalibrationError(f"{out}: it is there already and is not overwritten; name a new folder")
    with both(rig.size, rig_name, (footage(Path(name), name) for name in cameras)) as (left, right):
        numbers = every(left, right, every_s)
        way = rectification(rig, alpha)
        for side, camera in zip(SIDES, (left, right), strict=True):
            _write(out / side, camera, way, side, shown(numbers, side))
    rig_file.write(out / "rectification.yaml", rig, way.as_entries())
    return RectifiedPairs(len(numbers), way.focal_px)


def _write(folder: Path, camera: Footage, way: Rectification, side: Side, numbers: Iterable[int]) -> None:
    maps = way.maps(side)
    for number in numbers:
        _save(folder / f"{number:06d}.png", rectified(camera.picture(number), maps))


def _save(path: Path, picture: Picture) -> None:
    done, data = opencv().imencode(".png", picture)
    if not done:  # a picture of uint8 always can be
        raise AssertionError(path)
    with whole(path) as part:
        part.write_bytes(data.tobytes())
