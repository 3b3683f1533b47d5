"""`scrubin frames VIDEO OUT_DIR`: extract frames by the frame contract."""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from scrubin.cli.arguments import existing_video, section_or
from scrubin.core.errors import ReleaseError
from scrubin.core.files import disk_of, set_fixed_time, sha256_of
from scrubin.frames.extract import extract
from scrubin.frames.frame_store import judged
from scrubin.frames.params import SMALLEST_HEIGHT_PX, FramesParams
from scrubin.frames.sinks import SHARD_NAME, file_name, without
from scrubin.tables import io
from scrubin.tables.frames import FRAMES

DEFAULT = FramesParams(fps=Fraction(1), format="jpg", quality=95, height=None, shards="none")
FIX = "export it again"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the files and the form of the frames."""
    there = "frames.{} of params.yaml where there is one, else {}"
    parser.add_argument("video", help="the video; frame k is its first frame at or after k / fps seconds from its first frame")
    parser.add_argument("out_dir", help="new or empty folder; the files are named 000000.jpg and so on, by k")
    parser.add_argument(
        "--fps", type=rate, metavar="R", help=f"frames per second, such as 1, 0.5 or 30000/1001 (default: {there.format('fps', 1)})"
    )
    parser.add_argument("--format", choices=("jpg", "png"), help=f"of the files (default: {there.format('format', 'jpg')})")
    parser.add_argument("--quality", type=_quality, metavar="Q", help=f"of JPEG, 1 to 100 (default: {there.format('quality', 95)})")
    parser.add_argument(
        "--height",
        type=_height,
        metavar="H",
        help="px; larger pictures are made smaller, to an even width, smaller ones stay (default: as the video)",
    )
    parser.add_argument("--shard", action="store_true", help=f"write one tar, {SHARD_NAME}, instead of loose files")
    parser.add_argument(
        "--table",
        metavar="FRAMES.parquet",
        help="also write the table of frames: number in the video, time in seconds, quality; black ones are redacted",
    )


def rate(text: str) -> Fraction:
    """Return an exact rate."""
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = Fraction(0)
    if not Fraction(1, 1000) <= value <= 1000:
        msg = f"'{text}' is no rate between 0.001 and 1000 per second, such as 1 or 30000/1001"
        raise argparse.ArgumentTypeError(msg)
    return value


def _quality(text: str) -> int:
    """Return a JPEG quality."""
    return _whole(text, 1, 100)


def _height(text: str) -> int:
    """Return a height in px."""
    return _whole(text, SMALLEST_HEIGHT_PX, 1 << 16)


def run(args: argparse.Namespace) -> int:
    """Extract into a folder beside the wanted one, and move it there when it is complete."""
    video, out = existing_video(args.video), Path(args.out_dir)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        msg = f"{out}: it is not an empty folder; name a new one"
        raise ReleaseError(msg)
    params = _params_of(args)
    with disk_of(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    with disk_of(out), tempfile.TemporaryDirectory(prefix=".part-", dir=out.parent) as temporary:
        folder = Path(temporary) / "frames"
        folder.mkdir()
        rows = [_row(row, video, params) for row in extract(video, folder, params, args.video, fix=FIX)]
        _drop(folder, rows, params)
        for path in sorted(folder.iterdir()):
            set_fixed_time(path, sha256_of(path))
        table = io.frame_of(FRAMES, rows)
        if args.table:
            io.write(FRAMES, table, Path(args.table))
        folder.rename(out)
    dropped = f", {int(table.dropped.sum())} dropped" if table.dropped.any() else ""
    size = f"{rows[0]['width']}x{rows[0]['height']} px"
    sys.stdout.write(f"{out}: {len(rows)} frames of {size} at {params.fps} per second, the last at {rows[-1]['time_s']:.3f} s{dropped}\n")
    return 0


def _params_of(args: argparse.Namespace) -> FramesParams:
    """Return the parameters: what is given, else of params.yaml, else the defaults."""
    base = section_or("frames", DEFAULT)
    named = {name: getattr(args, name) for name in ("fps", "format", "quality", "height") if getattr(args, name) is not None}
    return replace(base, **named, shards="per-recording" if args.shard else "none")


def _row(row: dict[str, Any], video: Path, params: FramesParams) -> dict[str, Any]:
    place = "" if params.shards == "none" else f"{SHARD_NAME}/"
    decided = judged(row, params)
    path = None if decided["dropped"] else f"{place}{file_name(row['frame'], params.format)}"
    return {**decided, "id": video.stem, "camera": "mono", "path": path}


def _drop(folder: Path, rows: list[dict[str, Any]], params: FramesParams) -> None:
    dropped = [row["frame"] for row in rows if row["dropped"]]
    if params.shards == "none":
        for frame in dropped:
            (folder / file_name(frame, params.format)).unlink()
    elif dropped:
        whole = (folder / SHARD_NAME).rename(folder / f"whole-{SHARD_NAME}")
        without(whole, dropped, folder / SHARD_NAME)
        whole.unlink()


def _whole(text: str, low: int, high: int) -> int:
    if not text.isdecimal() or not low <= int(text) <= high:
        msg = f"'{text}' is no whole number from {low} to {high}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)
