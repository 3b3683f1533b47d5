"""`scrubin` by hand: one library call per command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from scrubin import settings, study
from scrubin.core.params import PARAMS_PATH
from scrubin.errors import ScrubinError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0 only when its result is good."""
    given = _parser().parse_args(arguments)
    try:
        if given.command == "new-study":
            made = study.create(Path(given.folder))
            sys.stdout.write("".join(f"{path}\n" for path in made) or f"{given.folder}: nothing was missing\n")
        else:
            checked = settings.check_all(Path(given.path))
            sys.stdout.write(f"{given.path}: {len(checked)} sections, all as declared\n")
    except ScrubinError as error:
        sys.stderr.write(f"scrubin {given.command}: {error}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scrubin", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    new = commands.add_parser("new-study", help="make the empty folders and lists of a raw study")
    new.add_argument("folder", help="where, such as data/raw; what exists there is left alone")
    check = commands.add_parser("check-params", help="check every section of a params.yaml")
    check.add_argument("path", nargs="?", default=str(PARAMS_PATH), help="the file (default: %(default)s)")
    return parser
