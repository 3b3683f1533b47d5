"""`scrubin verify [PROJECT]`: read store, cache and outputs again, and restore what is damaged from a sound copy."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from scrubin.engine.only_run import only_run
from scrubin.upkeep import verification

SHOWN = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the project, and whether to restore."""
    parser.add_argument("project", nargs="?", default=".", help="folder of the project (default: this one)")
    parser.add_argument(
        "--fix", action="store_true", help="restore every damaged copy from a sound one; remove what no sound copy is left of"
    )


def run(args: argparse.Namespace) -> int:
    """Say what is sound; 1 when something is not, and was not restored."""
    project = Path(args.project)
    with only_run(project):
        result = verification.verify(project, lambda paths: tqdm(paths, desc="read", unit="file", disable=not sys.stderr.isatty()))
        for place, (files, size) in result.read.items():
            sys.stdout.write(f"{place:<8}{files:>10,} files {size:>18,} bytes\n")
        for one in result.damages[:SHOWN]:
            sys.stdout.write(f"{one.line()}\n")
        if len(result.damages) > SHOWN:
            sys.stdout.write(f"and {len(result.damages) - SHOWN:,} more\n")
        for path, md5 in result.lists.items():
            sys.stdout.write(f"cache {md5}: the list of {path} is missing or damaged, so its files cannot be checked; run 'make repro'\n")
        for md5 in result.rebuilt:
            sys.stdout.write(f"cache {md5}: the list of a folder is missing or damaged; the folder is sound\n")
        if result.sound:
            sys.stdout.write("every copy is sound\n")
            return 0
        if not args.fix:
            sys.stdout.write("nothing was changed; 'scrubin verify --fix' restores what it can\n")
            return 1
        for line in verification.restore(project, result):
            sys.stdout.write(f"{line}\n")
    again = verification.verify(project)
    return 0 if again.sound else 1
