"""`scrubin verify` of a project: read store, cache and outputs again, and restore what is damaged from a sound copy."""

from __future__ import annotations

import sys
from pathlib import Path

from tqdm import tqdm

from scrubin.engine.only_run import only_run
from scrubin.upkeep import verification

SHOWN = 100


def run(project: Path, *, fix: bool) -> int:
    """Say what is sound; 1 when something is not, and was not restored."""
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
        if not fix:
            sys.stdout.write("nothing was changed; 'scrubin verify --fix' restores what it can\n")
            return 1
        for line in verification.restore(project, result):
            sys.stdout.write(f"{line}\n")
    again = verification.verify(project)
    return 0 if again.sound else 1
