"""`scrubin probe VIDEO`: what a video file holds."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from scrubin.cli.arguments import existing_video, steady
from scrubin.video.probe import probe
from scrubin.video.structure import structure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file and the form of the answer."""
    parser.add_argument("video", help="the video file; every packet is read, none is decoded")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")


def run(args: argparse.Namespace) -> int:
    """Print what the file holds."""
    path = existing_video(args.video)
    with steady(path):
        description = _description(path, args.video)
    if args.json:
        sys.stdout.write(json.dumps(description, indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("".join(f"{key:<18} {value}\n" for key, value in description.items()))
    return 0


def _description(path: Path, name: str) -> dict[str, Any]:
    """Return what a video file holds as plain values; rates are exact fractions.

    Raises
    ------
    VideoError
        When it cannot be used.
    """
    probed, groups = probe(path, name), structure(path, name)
    lengths = [group.end - group.first for group in groups.groups]
    return {
        "video": name,
        "container": probed.container,
        "codec": probed.codec,
        "pixel_format": probed.pixel_format,
        "full_range": probed.full_range,
        "width": probed.width,
        "height": probed.height,
        "rotation_deg": probed.rotation_deg,
        "fps": str(probed.fps),
        "variable_rate": probed.variable_rate,
        "frame_count": probed.frame_count,
        "duration_s": float(probed.end_s),
        "has_audio": probed.has_audio,
        "groups_of_pictures": len(lengths),
        "longest_group": max(lengths, default=None),
        "copyable": not groups.unsure,
        "why_not_copyable": groups.unsure,
    }
