"""Arguments that several subcommands of stereo have: a calibration file, sizes, rectangles, alpha."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from scrubin.core.errors import CalibrationError
from scrubin.core.pixels import Box
from scrubin.stereo.reading import read
from scrubin.stereo.rig import MM_PER_UNIT, Rig
from scrubin.stereo.writing import write

SIZE = re.compile(r"(\d+)x(\d+)")
RECTANGLE = re.compile(r"(\d+),(\d+),(\d+),(\d+)")


def add_calibration(parser: argparse.ArgumentParser) -> None:
    """Declare a calibration file, and what it may not say of itself."""
    parser.add_argument("rig", metavar="RIG", help="the rig's calibration: OpenCV's YAML, or LASANA's camera_calibration.yaml")
    parser.add_argument("--unit", choices=tuple(MM_PER_UNIT), help="unit of the translation, where the file does not say it")
    parser.add_argument("--size", type=size, metavar="WxH", help="size of the calibrated pictures, where the file does not say it")


def calibration(args: argparse.Namespace) -> Rig:
    """Return the rig that was named."""
    return read(Path(args.rig), args.rig, args.unit, args.size)


def size(text: str) -> tuple[int, int]:
    """Return the numbers of ``960x540``."""
    match = SIZE.fullmatch(text)
    if not match or not int(match[1]) or not int(match[2]):
        msg = f"'{text}' is no size such as 960x540"
        raise argparse.ArgumentTypeError(msg)
    return int(match[1]), int(match[2])


def rectangle(text: str) -> Box:
    """Return the numbers of ``X,Y,W,H``."""
    match = RECTANGLE.fullmatch(text)
    if not match:
        msg = f"'{text}' is no rectangle such as 8,6,640,360: left, top, width and height in pixels"
        raise argparse.ArgumentTypeError(msg)
    return int(match[1]), int(match[2]), int(match[3]), int(match[4])


def alpha(text: str) -> float:
    """Return a share from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        msg = f"'{text}' is no number from 0 (no black border) to 1 (no pixel lost)"
        raise argparse.ArgumentTypeError(msg)
    return value


def save(name: str, rig: Rig) -> None:
    """Write a rig to a new file.

    Raises
    ------
    CalibrationError
        When the file is there already, or cannot be written.
    """
    path = Path(name)
    if path.exists():
        msg = f"{name}: it is there already and is not overwritten; name another file"
        raise CalibrationError(msg)
    try:
        write(path, rig)
    except OSError as fault:
        msg = f"{name}: it cannot be written ({fault.strerror}); name another file"
        raise CalibrationError(msg) from fault
