"""`scrubin export RELEASE FOLDER --to LAYOUT`: a release in a layout that other programs load."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from scrubin.core.ranges import count_text
from scrubin.exports import calibrations
from scrubin.exports.contents import Contents
from scrubin.exports.folder import new_folder
from scrubin.exports.registry import EXPORTS, export


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the release, the new folder and its layout."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("release", metavar="RELEASE", help="the folder of a release; it is only read")
    parser.add_argument("folder", metavar="FOLDER", help="a folder that is not there yet; it appears whole or not at all")
    parser.add_argument("--to", required=True, metavar="LAYOUT", choices=EXPORTS, help=f"{', '.join(EXPORTS)}")
    parser.epilog = "\n".join(f"  {name:<12} {does}" for name, (_, does) in EXPORTS.items())


def run(args: argparse.Namespace) -> int:
    """Write the export, and say what is in it and what is not."""
    contents = Contents(Path(args.release))
    with new_folder(Path(args.folder), contents.release) as folder:
        summary = export(args.to).write(contents, folder, _shown)
        rigs = calibrations.copy(contents, folder)
    of_rigs = f", {count_text(rigs, 'calibration')}" if rigs else ""
    sys.stdout.write(f"{args.folder}: {summary.recordings:,} recordings, {summary.frames:,} frames{of_rigs}\n")
    for reason, count in summary.left_out.items():
        sys.stdout.write(f"not in it: {count:,} {reason}\n")
    for error in contents.known_errors:
        sys.stdout.write(f"known error: {error}\n")
    return 0


def _shown(recordings: Sequence[str]) -> Iterable[str]:
    """Pass on the recordings, with a bar on a terminal; the base install has none."""
    if not sys.stderr.isatty():
        return recordings
    try:
        from tqdm import tqdm
    except ImportError:
        return recordings
    return tqdm(recordings, desc="export", unit="recording")
