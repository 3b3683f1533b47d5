"""`scrubin frames`, `frames-check`: the frames of a video by the frame contract."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from scrubin.base.strangers import existing_video
from scrubin.cli.answers import print_json, print_lines
from scrubin.cli.arguments import exact_number, section_or, whole_number, written
from scrubin.cli.video.given_video import called, given_video
from scrubin.stages.frames.frame_params import SHARD_NAME, SMALLEST_HEIGHT_PX, FramesParams

DEFAULT = FramesParams(fps=Fraction(1), format="jpg", quality=95, height=None, shards="none")
RATE = exact_number("rate between 0.001 and 1000 per second, such as 1 or 30000/1001", Fraction(1, 1000), Fraction(1000))


def add_frames_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the files and the form of the frames."""
    there = "frames.{} of params.yaml where there is one, else {}"
    parser.add_argument(
        "video",
        help="the video, or its address in an object store; frame k is its first frame at or after k / fps seconds from its first frame",
    )
    parser.add_argument("out_dir", type=written, help="new or empty folder; the files are named 000000.jpg and so on, by k")
    parser.add_argument(
        "--fps", type=RATE, metavar="R", help=f"frames per second, such as 1, 0.5 or 30000/1001 (default: {there.format('fps', 1)})"
    )
    parser.add_argument("--format", choices=("jpg", "png"), help=f"of the files (default: {there.format('format', 'jpg')})")
    parser.add_argument(
        "--quality", type=whole_number(1, 100), metavar="Q", help=f"of JPEG, 1 to 100 (default: {there.format('quality', 95)})"
    )
    parser.add_argument(
        "--height",
        type=whole_number(SMALLEST_HEIGHT_PX, 1 << 16),
        metavar="H",
        help="px; larger pictures are made smaller, to an even width, smaller ones stay (default: as the video)",
    )
    parser.add_argument("--shard", action="store_true", help=f"write one tar, {SHARD_NAME}, instead of loose files")
    parser.add_argument(
        "--table",
        type=written,
        metavar="FRAMES.parquet",
        help="also write the table of frames: number in the video, time in seconds, quality; black ones are redacted",
    )


def run_frames(args: argparse.Namespace) -> int:
    """Extract, and say what came out."""
    from scrubin.stages.frames.one_video import extract_into

    out, params = Path(args.out_dir), _params_of(args)
    with given_video(args.video) as video:
        table = extract_into(out, video, called(args.video), params, Path(args.table) if args.table else None)
    dropped = f", {int(table.dropped.sum())} dropped" if table.dropped.any() else ""
    first, last = table.iloc[0], table.iloc[-1]
    size = f"{first.width}x{first.height} px"
    sys.stdout.write(f"{out}: {len(table)} frames of {size} at {params.fps} per second, the last at {last.time_s:.3f} s{dropped}\n")
    return 0


def _params_of(args: argparse.Namespace) -> FramesParams:
    """Return the parameters: what is given, else of params.yaml, else the defaults."""
    base = section_or("frames", DEFAULT)
    named = {name: getattr(args, name) for name in ("fps", "format", "quality", "height") if getattr(args, name) is not None}
    return replace(base, **named, shards="per-recording" if args.shard else "none")


def add_frames_check_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folder and its video."""
    parser.add_argument("folder", help="folder of .jpg or .png frames of one video, numbered in their names; or a tar of them")
    parser.add_argument("video", help="the video that they were made of; it is decoded once")
    parser.add_argument(
        "--fps",
        type=RATE,
        metavar="R",
        help="pictures per second that the folder should have (default: the simplest rate within 1 %% of it)",
    )
    parser.add_argument("--allow-missing", action="store_true", help="frames without a file were dropped on purpose")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines; shifts in seconds and in frames of the video")


def run_frames_check(args: argparse.Namespace) -> int:
    """Print the verdict; 0 only when picture k is the first frame at or after k / fps."""
    from scrubin.stages.frames.verdict import check, lines

    video = existing_video(args.video)
    verdict = check(Path(args.folder), video, args.folder, args.video, args.fps, allow_missing=args.allow_missing)
    if args.json:
        print_json(verdict.as_json(), allow_nan=False)
    else:
        print_lines(lines(verdict))
    return 0 if verdict.follows_contract else 1
