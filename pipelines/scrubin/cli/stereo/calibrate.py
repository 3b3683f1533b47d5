"""`scrubin stereo calibrate LEFT RIGHT OUT`: a rig's calibration from pictures of a board, with the error of every pair."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from scrubin.cli.stereo import arguments
from scrubin.core.errors import CalibrationError
from scrubin.core.faults import summary
from scrubin.stereo import board_pictures
from scrubin.stereo.board import Board
from scrubin.stereo.calibration import Calibration, calibrate
from scrubin.stereo.reading import STATED_DATE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the pictures and the board."""
    parser.add_argument("left", metavar="LEFT", help="folder of the left camera's pictures (PNG or JPEG)")
    parser.add_argument("right", metavar="RIGHT", help="folder of the right camera's pictures; those of a pair have one name")
    parser.add_argument("out", metavar="OUT", help="the new calibration, OpenCV's YAML")
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--chessboard", type=arguments.size, metavar="CxR", help="inner corners of a chessboard, such as 9x6")
    kind.add_argument("--charuco", type=arguments.size, metavar="CxR", help="squares of a ChArUco board, such as 10x7")
    parser.add_argument("--square-mm", type=float, required=True, metavar="MM", help="width of a square as measured on the print")
    parser.add_argument("--marker-mm", type=float, default=0.0, metavar="MM", help="ChArUco: width of a marker")
    parser.add_argument("--dictionary", default="", help="ChArUco: OpenCV's list of markers, such as 5X5_100")
    parser.add_argument("--date", default="", help="when the rig was calibrated, such as 2024-03; it is not taken from a clock")


def run(args: argparse.Namespace) -> int:
    """Detect, calibrate, say how well it fits, and write."""
    try:
        columns, rows = args.chessboard or args.charuco
        kind = "chessboard" if args.chessboard else "charuco"
        board = Board(kind, columns, rows, args.square_mm, args.marker_mm, args.dictionary)  # type: ignore[arg-type]
    except ValueError as fault:
        raise CalibrationError(str(fault)) from fault
    if args.date and not STATED_DATE.fullmatch(args.date):
        msg = f"--date {args.date}: write 2024, 2024-03 or 2024-03-18"
        raise CalibrationError(msg)
    read = board_pictures.read(Path(args.left), Path(args.right), board)
    sys.stderr.writelines(f"{line}\n" for line in summary(read.warnings))
    calibration = calibrate(board, read.pairs, read.size)
    arguments.save(args.out, replace(calibration.rig, date=args.date))
    sys.stdout.write("".join(f"{line}\n" for line in _lines(calibration)))
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
