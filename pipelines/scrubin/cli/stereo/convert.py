"""`scrubin stereo convert RIG OUT`: a calibration as this project has it, also for pictures that were cropped or resized."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from scrubin.cli.stereo import arguments
from scrubin.core.errors import CalibrationError
from scrubin.stereo.reading import STATED_DATE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare both files, and what was done to the pictures since the rig was calibrated."""
    arguments.add_calibration(parser)
    parser.add_argument("out", metavar="OUT", help="the new file, OpenCV's YAML")
    parser.add_argument("--crop", type=arguments.rectangle, metavar="X,Y,W,H", help="part of the pictures that was kept, in pixels")
    parser.add_argument("--scale-to", type=arguments.size, metavar="WxH", help="size to which pictures were resized, after --crop")
    parser.add_argument("--date", help="when the rig was calibrated, such as 2024-03")


def run(args: argparse.Namespace) -> int:
    """Read, change and write."""
    rig = arguments.calibration(args)
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
    arguments.save(args.out, rig)
    sys.stdout.write(
        f"{args.out}: {rig.width}x{rig.height} pixels, baseline {rig.baseline_mm:.2f} mm, "
        f"cameras turned by {rig.angle_deg:.2f} degrees, model {rig.model}\n"
    )
    return 0
