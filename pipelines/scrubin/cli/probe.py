"""`scrubin probe VIDEO`."""

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


def run(given: argparse.Namespace) -> int:
    """Print what the file holds."""
    path = existing_video(given.video)
    with steady(path):
        found = describe(path, given.video)
    if given.json:
        sys.stdout.write(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("".join(f"{key:<18} {value}\n" for key, value in found.items()))
    return 0


def describe(path: Path, name: str) -> dict[str, Any]:
    """Return what a video file holds as plain values; rates are exact fractions.

    Raises
    ------
    VideoError
        When it cannot be used.
    """
    found, groups = probe(path, name), structure(path, name)
    lengths = [group.end - group.first for group in groups.groups]
    return {
        "video": name,
        "container": found.container,
        "codec": found.codec,
        "pixel_format": found.pixel_format,
        "full_range": found.full_range,
        "width": found.width,
        "height": found.height,
        "rotation_deg": found.rotation_deg,
        "fps": str(found.fps),
        "variable_rate": found.variable_rate,
        "frame_count": found.frame_count,
        "duration_s": float(found.end_s),
        "has_audio": found.has_audio,
        "groups_of_pictures": len(lengths),
        "longest_group": max(lengths, default=None),
        "copyable": not groups.unsure,
        "why_not_copyable": groups.unsure,
    }
