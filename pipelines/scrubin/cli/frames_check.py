"""`scrubin frames-check DIR VIDEO`: which convention made a folder of frames, and its offset."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from scrubin.cli.arguments import existing_video
from scrubin.cli.frames import rate
from scrubin.frames.check.verdict import Verdict, check

NAMED = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
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


def run(args: argparse.Namespace) -> int:
    """Print the verdict; 0 only when picture k is the first frame at or after k / fps."""
    video = existing_video(args.video)
    verdict = check(Path(args.folder), video, args.folder, args.video, args.fps, allow_missing=args.allow_missing)
    if args.json:
        sys.stdout.write(json.dumps(verdict.as_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in _lines(verdict)))
    return 0 if verdict.follows_contract else 1


def _lines(verdict: Verdict) -> Iterator[str]:
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
