"""`scrubin new-study FOLDER`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scrubin import study


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the folder."""
    parser.add_argument("folder", help="where, such as data/raw; what exists there is left alone")


def run(given: argparse.Namespace) -> int:
    """Make what is missing and list it."""
    made = study.create(Path(given.folder))
    sys.stdout.write("".join(f"{path}\n" for path in made) or f"{given.folder}: nothing was missing\n")
    return 0
