"""`scrubin stereo rectify RIG LEFT RIGHT OUT --alpha A`: rectified pairs as PNG, and how they were made."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path

from tqdm import tqdm

from scrubin.cli.stereo import arguments
from scrubin.core.errors import CalibrationError
from scrubin.core.files import whole
from scrubin.stereo import writing
from scrubin.stereo.footage import Footage, Picture, footage, refuse_other_size
from scrubin.stereo.pairs import every
from scrubin.stereo.rectification import Rectification, Side, opencv, rectification, rectified

SIDES: tuple[Side, Side] = ("left", "right")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the rig, both cameras, and alpha, which has no default: results of another one cannot be compared."""
    arguments.add_calibration(parser)
    parser.add_argument("left", metavar="LEFT", help="the left camera: a video, or a folder of pictures")
    parser.add_argument("right", metavar="RIGHT", help="the right camera, alike")
    parser.add_argument("out", metavar="OUT", help="new folder: left/, right/ and rectification.yaml")
    parser.add_argument(
        "--alpha", type=arguments.alpha, required=True, help="0: no black border; 1: no pixel is lost. State it beside every result"
    )
    parser.add_argument(
        "--every-s", type=_seconds, default=Fraction(1), metavar="S", help="videos: one pair every so many seconds (default: 1)"
    )


def _seconds(text: str) -> Fraction:
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = Fraction(0)
    if value <= 0:
        msg = f"'{text}' is no time in seconds such as 0.5"
        raise argparse.ArgumentTypeError(msg)
    return value


def run(args: argparse.Namespace) -> int:
    """Rectify and write."""
    rig = arguments.calibration(args)
    out = Path(args.out)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        msg = f"{out}: it is there already and is not overwritten; name a new folder"
        raise CalibrationError(msg)
    with ExitStack() as opened:
        cameras = [opened.enter_context(footage(Path(name), name)) for name in (args.left, args.right)]
        for camera in cameras:
            refuse_other_size(rig.size, args.rig, camera)
        numbers = every(cameras[0], cameras[1], args.every_s)
        way = rectification(rig, args.alpha)
        for side, camera in zip(SIDES, cameras, strict=True):
            _write(out / side, camera, way, side, numbers)
    writing.write(out / "rectification.yaml", rig, way.as_entries())
    sys.stdout.write(f"{out}: {len(numbers)} pairs, alpha {args.alpha:g}, focal length {way.focal_px:.1f} px\n")
    return 0


def _write(folder: Path, camera: Footage, way: Rectification, side: Side, numbers: list[int]) -> None:
    maps = way.maps(side)
    shown: Iterable[int] = tqdm(numbers, desc=f"rectify {side}", disable=not sys.stderr.isatty())
    for number in shown:
        _save(folder / f"{number:06d}.png", rectified(camera.picture(number), maps))


def _save(path: Path, picture: Picture) -> None:
    done, data = opencv().imencode(".png", picture)
    if not done:  # a picture of uint8 always can be
        raise AssertionError(path)
    with whole(path) as part:
        part.write_bytes(data.tobytes())
