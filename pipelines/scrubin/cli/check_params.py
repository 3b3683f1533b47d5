"""`scrubin check-params [PATH]`: check every section of a params.yaml."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scrubin import settings
from scrubin.core.params import PARAMS_PATH


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file."""
    parser.add_argument("path", nargs="?", default=str(PARAMS_PATH), help="the file (default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Check every section."""
    checked = settings.check_all(Path(args.path))
    sys.stdout.write(f"{args.path}: {len(checked)} sections, all as declared\n")
    return 0
