"""`scrubin new-study FOLDER`: the empty folders and lists of a raw study."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scrubin import study


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folder."""
    parser.add_argument("folder", help="where, such as data/raw; what exists there is left alone")


def run(args: argparse.Namespace) -> int:
    """Make what is missing and list it."""
    paths = study.create(Path(args.folder))
    sys.stdout.write("".join(f"{path}\n" for path in paths) or f"{args.folder}: nothing was missing\n")
    return 0
