"""What both cameras of a rig recorded, frame by frame, raw or rectified: which frames were taken at one instant."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scrubin.base import pixels
from scrubin.base.errors import CalibrationError, FileError, VideoError
from scrubin.base.faults import error
from scrubin.base.files import whole
from scrubin.media.frame_reader import FrameReader
from scrubin.media.probe import Probe, probe
from scrubin.media.released.frame_files import source_frames
from scrubin.media.rigs import written_rig
from scrubin.media.rigs.rig import HALF, ROUNDING, Rectification, Rig, Side, apart, opencv, rectification, rectified
from scrubin.media.source import Source, SourceReader

Picture = npt.NDArray[np.uint8]
Times = npt.NDArray[np.float64]
SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff"}


@dataclass(frozen=True, eq=False)
class Footage:
    """The frames of one camera: of a video, of several that are one recording, or the pictures of a folder in the order of their names.

    Parameters
    ----------
    name
        The file or folder as the curator knows it.
    count
        Number of frames.
    size
        Width and height as displayed, in pixels.
    picture
        Returns a frame by its place: blue, green, red, shape (height, width, 3); raises `VideoError` when it cannot be decoded, and
        `CalibrationError` for a picture that cannot be read, or is of another size than the first one.
    fps, times_s
        Frames per second, and the time of each frame from the first one; None and empty for pictures.
    stems
        The names of the pictures; empty for a video.
    """

    name: str
    count: int
    size: tuple[int, int]
    picture: Callable[[int], Picture]
    fps: Fraction | None = None
    times_s: tuple[Fraction, ...] = ()
    stems: tuple[str, ...] = ()

    @property
    def numbers(self) -> list[int]:
        """The number of each frame; of pictures their names, where these are numbers."""
        are_numbers = bool(self.stems) and all(stem.isascii() and stem.isdecimal() for stem in self.stems)
        return [int(stem) for stem in self.stems] if are_numbers else list(range(self.count))


def _of_video(name: str, probed: Probe, reader: FrameReader | SourceReader) -> Footage:
    return Footage(name, probed.frame_count, (probed.width, probed.height), reader.picture, probed.fps, probed.times_s)


def _of_size(size: tuple[int, int], paths: Sequence[Path], number: int) -> Picture:
    """Return a picture of a folder, all of which must be of one size."""
    picture = read_picture(paths[number])
    height, width = picture.shape[:2]
    if (width, height) != size:
        what = f"it is {width}x{height}, but the first picture is {size[0]}x{size[1]}"
        raise CalibrationError([error(str(paths[number]), "size", what, "use pictures of one size")])
    return picture


@contextmanager
def footage(path: Path, name: str) -> Iterator[Footage]:
    """Open the frames of one camera: a video, or a folder of pictures.

    Raises
    ------
    VideoError
        When the video is missing, empty or cannot be read.
    CalibrationError
        When the folder has no pictures.
    """
    if path.is_dir():
        paths = pictures_of(path, name)
        height, width = read_picture(paths[0]).shape[:2]
        size, stems = (width, height), tuple(path.stem for path in paths)
        yield Footage(name, len(paths), size, partial(_of_size, size, paths), stems=stems)
        return
    if not path.is_file() or not path.stat().st_size:
        reason = "the file is empty (0 bytes)" if path.is_file() else "the file is missing"
        raise VideoError(name, reason, "name a video or a folder of pictures")
    probed = probe(path, name)
    reader = FrameReader(path, name, probed)
    try:
        yield _of_video(name, probed, reader)
    finally:
        reader.close()


@contextmanager
def source_footage(folder: Path, source: Source) -> Iterator[Footage]:
    """Open the frames of one camera whose recording is one file or several, relative to a folder.

    Raises
    ------
    VideoError
        When one of them cannot be read, or they do not belong together.
    """
    reader = source.reader(folder)
    try:
        yield _of_video(source.path, source.probe(folder), reader)
    finally:
        reader.close()


def pictures_of(folder: Path, name: str) -> tuple[Path, ...]:
    """Return the pictures of a folder by their names.

    Raises
    ------
    CalibrationError
        When there is none, or two differ in their ending only.
    """
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and not path.name.startswith("."))
    if not paths:
        raise CalibrationError([error(name, "pictures", f"it has no pictures ({', '.join(sorted(SUFFIXES))})", "name a folder that has")])
    if len({path.stem for path in paths}) < len(paths):
        raise CalibrationError([error(name, "pictures", "two of its pictures differ in their ending only", "keep one of them")])
    return tuple(paths)


def read_picture(path: Path) -> Picture:
    """Return the picture of a file: blue, green, red.

    Raises
    ------
    CalibrationError
        When it is none.
    """
    opencv()
    try:
        picture = pixels.read_picture(path)
    except FileError as refused:
        raise CalibrationError(refused.faults) from refused
    if picture is None:
        raise CalibrationError([error(str(path), "picture", "it cannot be read as a picture", "copy it again, or remove it")])
    return np.asarray(picture, dtype=np.uint8)


def refuse_other_size(rig_size: tuple[int, int], rig_name: str, of: Footage) -> None:
    """Refuse a calibration of another size than the pictures.

    Raises
    ------
    CalibrationError
        Says how the calibration is changed to fit, if it was the same picture.
    """
    if of.size == rig_size:
        return
    (width, height), (own_width, own_height) = of.size, rig_size
    what = f"the calibration is of pictures of {own_width}x{own_height} pixels, but {of.name} is {width}x{height}"
    convert = f"scrubin stereo convert {shlex.quote(rig_name)} NEW --scale-to {width}x{height} (or --crop)"
    fix = f"if the pictures were resized or cropped: {convert}"
    raise CalibrationError([error(rig_name, "size", what, fix)])


@contextmanager
def both(rig_size: tuple[int, int], rig_name: str, cameras: Iterable[AbstractContextManager[Footage]]) -> Iterator[tuple[Footage, Footage]]:
    """Open the left and the right camera of a rig; `CalibrationError` as of `refuse_other_size`."""
    with ExitStack() as opened:
        left, right = (opened.enter_context(camera) for camera in cameras)
        for camera in (left, right):
            refuse_other_size(rig_size, rig_name, camera)
        yield left, right


def every(left: Footage, right: Footage, every_s: Fraction) -> list[int]:
    """Return the numbers of the frames at every multiple of ``every_s``, as the frame contract has it; all pictures of folders.

    Raises
    ------
    CalibrationError
        When both are not alike: other names, other numbers of frames, other rates, or frames of other instants.
    """
    refuse_unlike(left, right)
    if not left.times_s:
        return list(range(left.count))
    if differ := rates_differ(left, right):
        raise _refused(right.name, differ, HOW)
    numbers, wanted = [], Fraction(0)
    for number, time_s in enumerate(left.times_s):
        if time_s >= wanted:
            numbers.append(number)
            wanted += every_s * max(1, int((time_s - wanted) / every_s) + 1)
    if differ := two_instants(_seconds(left)[numbers], _seconds(right)[numbers], slower_fps(left, right)):
        raise _refused(right.name, differ, f"{HOW} with one clock: frame k of both must be of one instant")
    return numbers


MOST_DRIFT_FRAMES = 1.0
MOST_JITTER_FRAMES = 0.1
"""Of clocks that are right: a clock that jumped meets frames by chance only."""
HOW = "export both cameras again"


def rates_differ(left: Footage, right: Footage) -> str | None:
    """Return in a half-sentence how rates differ; None where that is less than a frame over the recording."""
    if left.fps and right.fps and abs(left.fps / right.fps - 1) * max(left.count, right.count) >= MOST_DRIFT_FRAMES:
        return f"the left camera has {left.fps} frames a second, the right one {right.fps}"
    return None


def two_instants(left_s: Times, right_s: Times, fps: float) -> str | None:
    """Return in a half-sentence how many pairs are of two instants; None where each is of one.

    Parameters
    ----------
    left_s, right_s
        When the pictures of each pair were taken, on one clock, shape (n,).
    fps
        Frames a second of the slower camera.

    >>> two_instants(np.array([0.0, 1.0]), np.array([0.0, 1.06]), 15)
    '1 of 2 pairs is of two instants, 60 ms apart'
    """
    off = np.abs(left_s - right_s)
    count = int(apart(left_s, right_s, fps).sum())
    are, most = ("is", "") if count == 1 else ("are", "up to ")
    return f"{count} of {len(off)} pairs {are} of two instants, {most}{1000 * off.max():.0f} ms apart" if count else None


def clocks_differ(left: Footage, right: Footage) -> str | None:
    """Return in a half-sentence how clocks of two videos differ, as far as both reach; None where frame k is of one instant."""
    if not numbers_apart(left, right).any():
        return None
    common = min(left.count, right.count)
    most_ms = 1000 * np.abs(_seconds(left)[:common] - _seconds(right)[:common]).max()
    return f"by the clocks of both files frames of one number are up to {most_ms:.0f} ms apart"


def numbers_apart(left: Footage, right: Footage) -> npt.NDArray[np.bool_]:
    """Return for each frame of the left camera whether that of its number in the right one is of another instant, by both clocks.

    None is where no number says which ones belong together: of pictures, behind the end of the shorter video, and of videos that have
    other numbers of frames because their rates differ, or because one lacks some frames, and clocks that tell of all others.
    """
    is_apart = np.zeros(left.count, np.bool_)
    if not left.times_s or not right.times_s or (left.count != right.count and (rates_differ(left, right) or _lacks_frames(left, right))):
        return is_apart
    common = min(left.count, right.count)
    is_apart[:common] = apart(_seconds(left)[:common], _seconds(right)[:common], slower_fps(left, right))
    return is_apart


def _lacks_frames(left: Footage, right: Footage) -> bool:
    """Return whether of two videos each frame of the shorter one, as far as the other reaches, has one of the other's at its time."""
    shorter, longer = sorted((left, right), key=lambda camera: camera.count)
    others = partners(shorter, longer)
    off_s = np.abs(_seconds(shorter)[: len(others)] - _seconds(longer)[others])
    return bool((off_s * slower_fps(left, right) <= MOST_JITTER_FRAMES).all())


def slower_fps(left: Footage, right: Footage) -> float:
    """Return the frames a second of the slower of two videos."""
    return float(min(left.fps or 0, right.fps or 0))


def released_pairs(left: Footage, right: Footage, every_s: Fraction) -> tuple[Times, Times] | None:
    """Return when both pictures of each pair were taken that a release takes every so many seconds, (n,) each; None of pictures."""
    if not left.times_s or not right.times_s:
        return None
    numbers = (source_frames(camera.times_s, 1 / every_s) for camera in (left, right))
    chosen = list(zip(*numbers, strict=False))
    left_s, right_s = (_seconds(camera)[[pair[side] for pair in chosen]] for side, camera in enumerate((left, right)))
    return left_s, right_s


def partners(left: Footage, right: Footage) -> Sequence[int]:
    """Return for each frame of the left camera, as far as both reach, the nearest in time of the right one; of pictures those in order."""
    if not left.times_s or not right.times_s or left.times_s == right.times_s:
        return range(min(left.count, right.count))
    own, other = _seconds(left), _seconds(right)
    own = own[own <= other[-1] + 0.5 / slower_fps(left, right)]
    nearest: list[int] = np.searchsorted((other[1:] + other[:-1]) / 2, own).tolist()
    return nearest


def alone_first(left: Footage, right: Footage) -> int:
    """Return how many frames the left camera has, by both clocks, before the right one begins; of pictures none.

    >>> left, right = (Footage("", 3, (1, 1), print, Fraction(1), tuple(map(Fraction, at))) for at in ([0, 1, 2], [1, 2, 3]))
    >>> alone_first(left, right), alone_first(right, left)
    (1, 0)
    """
    if not left.times_s or not right.times_s:
        return 0
    first_s = float(right.times_s[0]) - HALF / slower_fps(left, right)
    return int((_seconds(left) <= first_s + ROUNDING).sum())


def _seconds(camera: Footage) -> Times:
    return np.array([float(time_s) for time_s in camera.times_s])


def refuse_unlike(left: Footage, right: Footage) -> None:
    """Refuse two cameras whose frames cannot be of the same instants.

    Raises
    ------
    CalibrationError
        Names what differs.
    """
    if left.stems and right.stems:
        if alone := sorted({*left.stems} ^ {*right.stems}):
            raise _refused(right.name, f"pictures without partner: {', '.join(alone[:5])}", "give both pictures of a pair one name")
    elif left.fps is None or right.fps is None:
        raise _refused(right.name, "one camera is a video, the other a folder", "name two videos or two folders")
    elif left.count != right.count:
        what = f"it has {right.count} frames, but {left.name} has {left.count}"
        raise _refused(right.name, what, "cut both to the same frames first: frame k of both must be of one instant")


def _refused(name: str, what: str, fix: str) -> CalibrationError:
    return CalibrationError([error(name, "pairs", what, fix)])


SIDES: tuple[Side, Side] = ("left", "right")
Progress = Callable[[Sequence[int], str], Iterable[int]]
"""Passes on the numbers of frames, and may show how far it is; it is told the side."""


@dataclass(frozen=True)
class RectifiedPairs:
    """What was written: how many pairs, with which focal length in px."""

    count: int
    focal_px: float


def write_rectified(
    rig: Rig, rig_name: str, cameras: tuple[str, str], out: Path, alpha: float, every_s: Fraction, shown: Progress
) -> RectifiedPairs:
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
            _write_side(out / side, camera, way, side, shown(numbers, side))
    written_rig.write(out / "rectification.yaml", rig, way.as_entries())
    return RectifiedPairs(len(numbers), way.focal_px)


def _write_side(folder: Path, camera: Footage, way: Rectification, side: Side, numbers: Iterable[int]) -> None:
    maps = way.maps(side)
    for number in numbers:
        _save_picture(folder / f"{number:06d}.png", rectified(camera.picture(number), maps))


def _save_picture(path: Path, picture: Picture) -> None:
    done, data = opencv().imencode(".png", picture)
    if not done:  # a picture of uint8 always can be
        raise AssertionError(path)
    with whole(path) as part:
        part.write_bytes(data.tobytes())
