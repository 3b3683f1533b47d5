"""`scrubin frames`, `frames-check`: the frames of a video by the frame contract."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubin.base.errors import ReleaseError
from scrubin.base.files import disk_of, set_fixed_time, sha256_of
from scrubin.cli.answers import print_json, print_lines
from scrubin.cli.arguments import existing_video, section_or
from scrubin.stages.frames.frame_params import SHARD_NAME, SMALLEST_HEIGHT_PX, FramesParams

if TYPE_CHECKING:
    from scrubin.stages.frames.verdict import FolderVerdict

DEFAULT = FramesParams(fps=Fraction(1), format="jpg", quality=95, height=None, shards="none")
FIX = "export it again"


def add_frames_arguments(parser: argparse.ArgumentParser) -> None:
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


def run_frames(args: argparse.Namespace) -> int:
    """Extract into a folder beside the wanted one, and move it there when it is complete."""
    from scrubin.base.tables import io
    from scrubin.base.tables.public import FRAMES
    from scrubin.stages.frames.extract import extract

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
    from scrubin.stages.frames.extract import file_name
    from scrubin.stages.frames.frame_store import judged

    place = "" if params.shards == "none" else f"{SHARD_NAME}/"
    decided = judged(row, params)
    path = None if decided["dropped"] else f"{place}{file_name(row['frame'], params.format)}"
    return {**decided, "id": video.stem, "camera": "mono", "path": path}


def _drop(folder: Path, rows: list[dict[str, Any]], params: FramesParams) -> None:
    from scrubin.stages.frames.extract import file_name, without

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


NAMED = 5


def add_frames_check_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folder and its video."""
    parser.add_argument("folder", help="folder of .jpg or .png frames of one video, numbered in their names; or a tar of them")
    parser.add_argument("video", help="the video that they were made of; it is decoded once")
    parser.add_argument(
        "--fps",
        type=rate,
        metavar="R",
        help="pictures per second that the folder should have (default: the simplest rate within 1 %% of it)",
    )
    parser.add_argument("--allow-missing", action="store_true", help="frames without a file were dropped on purpose")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines; shifts in seconds and in frames of the video")


def run_frames_check(args: argparse.Namespace) -> int:
    """Print the verdict; 0 only when picture k is the first frame at or after k / fps."""
    from scrubin.stages.frames.verdict import check

    video = existing_video(args.video)
    verdict = check(Path(args.folder), video, args.folder, args.video, args.fps, allow_missing=args.allow_missing)
    if args.json:
        print_json(verdict.as_json(), allow_nan=False)
    else:
        print_lines(_lines(verdict))
    return 0 if verdict.follows_contract else 1


def _lines(verdict: FolderVerdict) -> Iterator[str]:
    """Yield the verdict as lines for people."""
    yield f"pictures      {verdict.pictures}, numbered from {verdict.number_start}" + (
        f" in steps of {verdict.number_step}" if verdict.number_step > 1 else ""
    )
    yield f"video         {verdict.video_frames} frames"
    yield f"convention    {verdict.convention}"
    for name in verdict.also:
        yield f"              the same as {name}"
    for name in verdict.possible:
        yield f"              possible: {name}"
    if verdict.shift is not None:
        shift = verdict.shift
        yield f"shift         {shift.median_s:+.3f} s ({shift.median_frames:+g} frames) against frame k at k/{verdict.rate} s"
        yield f"              from {shift.least_s:+.3f} to {shift.most_s:+.3f} s, drift {shift.drift_s_per_hour:+.1f} s/h"
    for title, names in (
        ("missing", [str(k) for k in verdict.missing]),
        ("moved from", [f"{name} ({moved:+d})" for name, moved in verdict.moved_at.items()]),
        ("do not fit", verdict.unfit),
    ):
        if names:
            yield f"{title:<13} {', '.join(names[:NAMED])}" + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    yield ""
    yield f"{'tried':<48} {'fit':>12} {'missing or':>11}  first frames"
    yield f"{'':<48} {'':>12} {'doubled at':>11}"
    for one in verdict.tried:
        begins = f", from k = {one.begins_at}" if one.begins_at else ""
        fit = f"{one.fit} of {one.pictures}"
        yield f"{one.convention + begins:<48} {fit:>12} {one.places_missing_or_doubled:>11}  {', '.join(map(str, one.first_frames))}"
    yield ""
    yield "these frames follow the contract" if verdict.follows_contract else "these frames do not follow the contract"
    for sentence in verdict.what_to_do:
        yield f"- {sentence}"
