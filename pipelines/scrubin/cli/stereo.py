"""`scrubin stereo`: calibrate a rig, rectify its pictures, check what was recorded with it."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin.base.errors import CalibrationError
from scrubin.base.faults import summary
from scrubin.base.files import whole
from scrubin.cli import Command, command_of
from scrubin.cli.answers import print_lines

if TYPE_CHECKING:
    from scrubin.base.pixels import Box
    from scrubin.media.rig import Rectification, Rig, Side
    from scrubin.stages.stereo.calibration import Calibration
    from scrubin.stages.stereo.footage import Footage, Picture

SUBCOMMANDS = {
    "calibrate": "make a rig's calibration from pictures of a board",
    "convert": "write a calibration as this project has it, for pictures that were cropped or resized",
    "rectify": "write rectified pairs of two videos or of two folders of pictures",
    "check": "tell whether recordings fit their rig: rows, order of the cameras, time",
}
"""Every subcommand and what it does; its module has the same name."""
USAGE = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands."""
    parser.set_defaults(subcommand=None, help_text=parser.format_help)
    subcommands = parser.add_subparsers(dest="subcommand", metavar="SUBCOMMAND")
    for name, does in SUBCOMMANDS.items():
        sub = subcommands.add_parser(name, help=does, description=does[0].upper() + does[1:] + ".")
        _command(name).add_arguments(sub)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; without one, print the help."""
    if args.subcommand is None:
        sys.stdout.write(args.help_text())
        return USAGE
    return _command(args.subcommand).run(args)


def _command(name: str) -> Command:
    return command_of("scrubin.cli.stereo_check" if name == "check" else "scrubin.cli.stereo", name)


SIZE = re.compile(r"(\d+)x(\d+)")
RECTANGLE = re.compile(r"(\d+),(\d+),(\d+),(\d+)")


def add_calibration(parser: argparse.ArgumentParser) -> None:
    """Declare a calibration file, and what it may not say of itself."""
    from scrubin.media.rig import MM_PER_UNIT

    parser.add_argument("rig", metavar="RIG", help="the rig's calibration: OpenCV's YAML, or LASANA's camera_calibration.yaml")
    parser.add_argument("--unit", choices=tuple(MM_PER_UNIT), help="unit of the translation, where the file does not say it")
    parser.add_argument("--size", type=size, metavar="WxH", help="size of the calibrated pictures, where the file does not say it")


def given_calibration(args: argparse.Namespace) -> Rig:
    """Return the rig that was named."""
    from scrubin.media.rig_reading import read

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
    from scrubin.media.rig_writing import write

    path = Path(name)
    if path.exists():
        msg = f"{name}: it is there already and is not overwritten; name another file"
        raise CalibrationError(msg)
    try:
        write(path, rig)
    except OSError as fault:
        msg = f"{name}: it cannot be written ({fault.strerror}); name another file"
        raise CalibrationError(msg) from fault


def add_calibrate_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the pictures and the board."""
    parser.add_argument("left", metavar="LEFT", help="folder of the left camera's pictures (PNG or JPEG)")
    parser.add_argument("right", metavar="RIGHT", help="folder of the right camera's pictures; those of a pair have one name")
    parser.add_argument("out", metavar="OUT", help="the new calibration, OpenCV's YAML")
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--chessboard", type=size, metavar="CxR", help="inner corners of a chessboard, such as 9x6")
    kind.add_argument("--charuco", type=size, metavar="CxR", help="squares of a ChArUco board, such as 10x7")
    parser.add_argument("--square-mm", type=float, required=True, metavar="MM", help="width of a square as measured on the print")
    parser.add_argument("--marker-mm", type=float, default=0.0, metavar="MM", help="ChArUco: width of a marker")
    parser.add_argument("--dictionary", default="", help="ChArUco: OpenCV's list of markers, such as 5X5_100")
    parser.add_argument("--date", default="", help="when the rig was calibrated, such as 2024-03; it is not taken from a clock")


def run_calibrate(args: argparse.Namespace) -> int:
    """Detect, calibrate, say how well it fits, and write."""
    from scrubin.media.rig_reading import STATED_DATE
    from scrubin.stages.stereo import calibration as stereo_calibration
    from scrubin.stages.stereo.board import Board
    from scrubin.stages.stereo.calibration import calibrate

    try:
        columns, rows = args.chessboard or args.charuco
        kind = "chessboard" if args.chessboard else "charuco"
        board = Board(kind, columns, rows, args.square_mm, args.marker_mm, args.dictionary)  # type: ignore[arg-type]
    except ValueError as fault:
        raise CalibrationError(str(fault)) from fault
    if args.date and not STATED_DATE.fullmatch(args.date):
        msg = f"--date {args.date}: write 2024, 2024-03 or 2024-03-18"
        raise CalibrationError(msg)
    read = stereo_calibration.read(Path(args.left), Path(args.right), board)
    sys.stderr.writelines(f"{line}\n" for line in summary(read.warnings))
    calibration = calibrate(board, read.pairs, read.size)
    save(args.out, replace(calibration.rig, date=args.date))
    print_lines(_lines(calibration))
    sys.stderr.writelines(f"{line}\n" for line in summary(calibration.warnings))
    return 0


def _lines(calibration: Calibration) -> list[str]:
    rig, errors = calibration.rig, calibration.errors
    wide = max(len("pair"), *(len(one.name) for one in errors))
    lines = [f"{'pair':<{wide}}  left px  right px  both px"]
    for one in errors:
        left_out = "  left out" if one.left_out else ""
        lines.append(f"{one.name:<{wide}}  {one.left_px:7.3f}  {one.right_px:8.3f}  {one.pair_px:7.3f}{left_out}")
    used = len([one for one in errors if not one.left_out])
    return [
        *lines,
        f"{used} of {len(errors)} pairs used, reprojection error {calibration.rms_px:.3f} px",
        f"baseline {rig.baseline_mm:.3f} mm, cameras turned by {rig.angle_deg:.2f} degrees",
        f"focal length left {rig.left.matrix[0, 0]:.1f} +- {calibration.focal_sd_px[0]:.1f} px, "
        f"right {rig.right.matrix[0, 0]:.1f} +- {calibration.focal_sd_px[1]:.1f} px",
    ]


def add_convert_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare both files, and what was done to the pictures since the rig was calibrated."""
    add_calibration(parser)
    parser.add_argument("out", metavar="OUT", help="the new file, OpenCV's YAML")
    parser.add_argument("--crop", type=rectangle, metavar="X,Y,W,H", help="part of the pictures that was kept, in pixels")
    parser.add_argument("--scale-to", type=size, metavar="WxH", help="size to which pictures were resized, after --crop")
    parser.add_argument("--date", help="when the rig was calibrated, such as 2024-03")


def run_convert(args: argparse.Namespace) -> int:
    """Read, change and write."""
    from scrubin.media.rig_reading import STATED_DATE

    rig = given_calibration(args)
    try:
        rig = rig.cropped(args.crop) if args.crop else rig
        rig = rig.scaled(*args.scale_to) if args.scale_to else rig
    except ValueError as fault:
        msg = f"{args.rig}: {fault}"
        raise CalibrationError(msg) from fault
    if args.date and not STATED_DATE.fullmatch(args.date):
        msg = f"--date {args.date}: write 2024, 2024-03 or 2024-03-18"
        raise CalibrationError(msg)
    rig = replace(rig, date=args.date or rig.date)
    save(args.out, rig)
    sys.stdout.write(
        f"{args.out}: {rig.width}x{rig.height} pixels, baseline {rig.baseline_mm:.2f} mm, "
        f"cameras turned by {rig.angle_deg:.2f} degrees, model {rig.model}\n"
    )
    return 0


SIDES: tuple[Side, Side] = ("left", "right")


def add_rectify_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the rig, both cameras, and alpha, which has no default: results of another one cannot be compared."""
    add_calibration(parser)
    parser.add_argument("left", metavar="LEFT", help="the left camera: a video, or a folder of pictures")
    parser.add_argument("right", metavar="RIGHT", help="the right camera, alike")
    parser.add_argument("out", metavar="OUT", help="new folder: left/, right/ and rectification.yaml")
    parser.add_argument("--alpha", type=alpha, required=True, help="0: no black border; 1: no pixel is lost. State it beside every result")
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


def run_rectify(args: argparse.Namespace) -> int:
    """Rectify and write."""
    from scrubin.media import rig_writing
    from scrubin.media.rig import rectification
    from scrubin.stages.stereo.footage import every, footage, refuse_other_size

    rig = given_calibration(args)
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
    rig_writing.write(out / "rectification.yaml", rig, way.as_entries())
    sys.stdout.write(f"{out}: {len(numbers)} pairs, alpha {args.alpha:g}, focal length {way.focal_px:.1f} px\n")
    return 0


def _write(folder: Path, camera: Footage, way: Rectification, side: Side, numbers: list[int]) -> None:
    from tqdm import tqdm

    from scrubin.media.rig import rectified

    maps = way.maps(side)
    shown: Iterable[int] = tqdm(numbers, desc=f"rectify {side}", disable=not sys.stderr.isatty())
    for number in shown:
        _save(folder / f"{number:06d}.png", rectified(camera.picture(number), maps))


def _save(path: Path, picture: Picture) -> None:
    from scrubin.media.rig import opencv

    done, data = opencv().imencode(".png", picture)
    if not done:  # a picture of uint8 always can be
        raise AssertionError(path)
    with whole(path) as part:
        part.write_bytes(data.tobytes())
