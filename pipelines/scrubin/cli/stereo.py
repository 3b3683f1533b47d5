"""`scrubin stereo`: a rig is calibrated, its pictures are rectified, what was recorded with it is checked."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin import cli
from scrubin.base.errors import ArgumentsError, CalibrationError, ScrubinError
from scrubin.base.faults import Faults, summary
from scrubin.cli.answers import print_json, print_lines, shown
from scrubin.cli.arguments import exact_number, written

if TYPE_CHECKING:
    from scrubin.base.pixels import Box
    from scrubin.media.rigs.rig import Rig
    from scrubin.stages.stereo.findings import Checked


SUBCOMMANDS = {
    "calibrate": "make a rig's calibration from pictures of a board",
    "convert": "write a calibration as this project has it, for pictures that were cropped or resized",
    "rectify": "write rectified pairs of two videos or of two folders of pictures",
    "check": "tell whether recordings fit their rig: rows, order of the cameras, time",
}
"""Every subcommand and what it does."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands."""
    cli.add_subcommands(parser, SUBCOMMANDS, __name__)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; without one, print the help."""
    return cli.run_subcommand(args, __name__)


UNITS = ("mm", "cm", "m")
"""As of `scrubin.media.rigs.rig.MM_PER_UNIT`, whose module needs NumPy."""
SIZE = re.compile(r"(\d+)x(\d+)")
RECTANGLE = re.compile(r"(\d+),(\d+),(\d+),(\d+)")


def add_calibration(parser: argparse.ArgumentParser) -> None:
    """Declare a calibration file, and what it may not say of itself."""
    parser.add_argument("rig", metavar="RIG", help="the rig's calibration: OpenCV's YAML, or LASANA's camera_calibration.yaml")
    _add_what_it_lacks(parser)


def _add_what_it_lacks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--unit", choices=UNITS, help="unit of the translation, where the file does not say it")
    parser.add_argument("--size", type=size, metavar="WxH", help="size of the calibrated pictures, where the file does not say it")


def given_calibration(args: argparse.Namespace) -> Rig:
    """Return the rig that was named, and say what looks wrong in it."""
    from scrubin.media.rigs.rig_file import read

    warnings = Faults()
    rig = read(Path(args.rig), args.rig, args.unit, args.size, warnings)
    sys.stderr.writelines(f"{line}\n" for line in summary(warnings.all()))
    return rig


def size(text: str) -> tuple[int, int]:
    """Return the numbers of ``960x540``."""
    match = SIZE.fullmatch(text)
    if not match or not int(match[1]) or not int(match[2]):
        raise argparse.ArgumentTypeError(f"'{text}' is no size such as 960x540")
    return int(match[1]), int(match[2])


def rectangle(text: str) -> Box:
    """Return the numbers of ``X,Y,W,H``."""
    match = RECTANGLE.fullmatch(text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is no rectangle such as 8,6,640,360: left, top, width and height in pixels")
    return int(match[1]), int(match[2]), int(match[3]), int(match[4])


def alpha(text: str) -> float:
    """Return a share from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 0 (no black border) to 1 (no pixel lost)")
    return value


def save(name: str, rig: Rig) -> None:
    """Write a rig to a new file.

    Raises
    ------
    CalibrationError
        When the file is there already, cannot be written, or no command would read it.
    """
    from scrubin.media.rigs.rig_file import read_bytes
    from scrubin.media.rigs.written_rig import text, write

    path = Path(name)
    if path.exists():
        raise CalibrationError(f"{name}: it is there already and is not overwritten; name another file")
    read_bytes(text(rig).encode(), name)
    try:
        write(path, rig)
    except OSError as fault:
        raise CalibrationError(f"{name}: it cannot be written ({fault.strerror}); name another file") from fault


def add_calibrate_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the pictures and the board."""
    parser.add_argument("left", metavar="LEFT", help="folder of the left camera's pictures (PNG or JPEG)")
    parser.add_argument("right", metavar="RIGHT", help="folder of the right camera's pictures; those of a pair have one name")
    parser.add_argument("out", type=written, metavar="OUT", help="the new calibration, OpenCV's YAML")
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--chessboard", type=size, metavar="CxR", help="inner corners of a chessboard, such as 9x6")
    kind.add_argument("--charuco", type=size, metavar="CxR", help="squares of a ChArUco board, such as 10x7")
    parser.add_argument("--square-mm", type=float, required=True, metavar="MM", help="width of a square as measured on the print")
    parser.add_argument("--marker-mm", type=float, default=0.0, metavar="MM", help="ChArUco: width of a marker")
    parser.add_argument("--dictionary", default="", help="ChArUco: OpenCV's list of markers, such as 5X5_100")
    parser.add_argument("--date", default="", help="when the rig was calibrated, such as 2024-03; it is not taken from a clock")


def run_calibrate(args: argparse.Namespace) -> int:
    """Detect, calibrate, say how well it fits, and write."""
    from scrubin.stages.stereo import calibration as stereo_calibration
    from scrubin.stages.stereo.board import Board
    from scrubin.stages.stereo.calibration import calibrate

    try:
        columns, rows = args.chessboard or args.charuco
        kind = "chessboard" if args.chessboard else "charuco"
        board = Board(kind, columns, rows, args.square_mm, args.marker_mm, args.dictionary)  # type: ignore[arg-type]
    except ValueError as fault:
        raise ArgumentsError(str(fault)) from fault
    _refuse_no_date(args.date)
    read = stereo_calibration.read(Path(args.left), Path(args.right), board)
    sys.stderr.writelines(f"{line}\n" for line in summary(read.warnings))
    calibration = calibrate(board, read.pairs, read.size)
    save(args.out, replace(calibration.rig, date=args.date))
    print_lines(stereo_calibration.lines(calibration))
    sys.stderr.writelines(f"{line}\n" for line in summary(calibration.warnings))
    return 0


def _refuse_no_date(date: str | None) -> None:
    from scrubin.media.rigs.rig_file import STATED_DATE

    if date and not STATED_DATE.fullmatch(date):
        raise ArgumentsError(f"--date {date}: write 2024, 2024-03 or 2024-03-18")


def add_convert_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare both files, and what was done to the pictures since the rig was calibrated."""
    add_calibration(parser)
    parser.add_argument("out", type=written, metavar="OUT", help="the new file, OpenCV's YAML")
    parser.add_argument("--crop", type=rectangle, metavar="X,Y,W,H", help="part of the pictures that was kept, in pixels")
    parser.add_argument("--scale-to", type=size, metavar="WxH", help="size to which pictures were resized, after --crop")
    parser.add_argument("--date", help="when the rig was calibrated, such as 2024-03")


def run_convert(args: argparse.Namespace) -> int:
    """Read, change and write."""
    rig = given_calibration(args)
    try:
        rig = rig.cropped(args.crop) if args.crop else rig
        rig = rig.scaled(*args.scale_to) if args.scale_to else rig
    except ValueError as fault:
        raise CalibrationError(f"{args.rig}: {fault}") from fault
    _refuse_no_date(args.date)
    rig = replace(rig, date=args.date or rig.date)
    save(args.out, rig)
    sys.stdout.write(
        f"{args.out}: {rig.width}x{rig.height} pixels, baseline {rig.baseline_mm:.2f} mm, "
        f"cameras turned by {rig.angle_deg:.2f} degrees, model {rig.model}\n"
    )
    return 0


def add_rectify_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the rig, both cameras, and alpha, which has no default: results of another one cannot be compared."""
    add_calibration(parser)
    parser.add_argument("left", metavar="LEFT", help="the left camera: a video, or a folder of pictures")
    parser.add_argument("right", metavar="RIGHT", help="the right camera, alike")
    parser.add_argument("out", type=written, metavar="OUT", help="new folder: left/, right/ and rectification.yaml")
    parser.add_argument("--alpha", type=alpha, required=True, help="0: no black border; 1: no pixel is lost. State it beside every result")
    _add_every_s(parser, "videos: one pair every so many seconds (default: 1)")


def _add_every_s(parser: argparse.ArgumentParser, text: str) -> None:
    number = exact_number("time in seconds such as 0.5")
    parser.add_argument("--every-s", type=number, default=Fraction(1), metavar="S", help=text)


def run_rectify(args: argparse.Namespace) -> int:
    """Rectify and write."""
    from scrubin.stages.stereo import footage

    rig, cameras = given_calibration(args), (args.left, args.right)
    done = footage.write_rectified(
        rig, args.rig, cameras, Path(args.out), args.alpha, args.every_s, lambda numbers, side: shown(numbers, f"rectify {side}")
    )
    sys.stdout.write(f"{Path(args.out)}: {done.count} pairs, alpha {args.alpha:g}, focal length {done.focal_px:.1f} px\n")
    return 0


ONE, THREE = 1, 3


def add_check_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare one recording or a study, and what may have been rectified before."""
    parser.add_argument(
        "what",
        nargs="+",
        metavar="RIG LEFT RIGHT",
        help="a calibration and two videos or folders of pictures; or the folder of a raw study",
    )
    _add_what_it_lacks(parser)
    parser.add_argument(
        "--rectified", metavar="FOLDER", help="rectified pictures of this recording (left/), to see with which alpha they were made"
    )
    parser.add_argument("--alpha", type=alpha, help="the alpha that is stated of them")
    _add_every_s(parser, "videos: a release takes one pair every so many seconds, 1 / frames.fps (default: 1)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.epilog = "A study has calibration/RIG.yaml and a column 'rig' in recordings.csv. Exit code: 1 when a recording does not fit."


def run_check(args: argparse.Namespace) -> int:
    """Check and say what is wrong; 1 when there is an error."""
    from scrubin.stages.stereo import recorded_check, recordings

    done = _checked(args)
    rigs = recordings.over(done)
    if args.json:
        document = {"recordings": [one.as_json() for one in done], "rigs": [one.as_json() for one in rigs]}
        print_json(document, sort_keys=True)
    else:
        print_lines([*recorded_check.lines(done), *(line for one in rigs for line in one.lines())])
    return 1 if any(one.verdict == "error" for one in done) else 0


def _checked(args: argparse.Namespace) -> Sequence[Checked]:
    from scrubin.media.rigs.rig_file import read
    from scrubin.stages.stereo.recorded_check import check_one, check_study

    def tell(name: str, fault: ScrubinError) -> None:
        sys.stderr.write(f"{name}: {fault}\n")

    if len(args.what) == ONE:
        return check_study(Path(args.what[0]), lambda recordings: shown(recordings, "stereo check"), tell, args.every_s)
    if len(args.what) == THREE:
        rig_name, *cameras = args.what
        rig = read(Path(rig_name), rig_name, args.unit, args.size)
        return [check_one(rig, rig_name, cameras, args.rectified, args.alpha, args.every_s)]
    raise ArgumentsError("name RIG LEFT RIGHT, or the folder of a raw study")
