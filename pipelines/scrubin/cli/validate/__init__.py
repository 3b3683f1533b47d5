"""`scrubin validate PATH [--from FORMAT] [--json]`."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrubin.errors import AnnotationError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the path, its format, and what files do not say."""
    parser.add_argument(
        "path", metavar="PATH", help="label file or folder in any format, folder of our own tables (parquet or CSV), or a released dataset"
    )
    parser.add_argument(
        "--from", dest="source", metavar="FORMAT", help="format of PATH, as in `scrubin convert` (default: told by the files)"
    )
    parser.add_argument("--vocabulary", metavar="NAME", help="names and ids of PATH (default: that of the format, or the file's own)")
    parser.add_argument("--first-frame", type=int, default=0, metavar="N", help="number of the first frame in PATH (default: 0)")
    parser.add_argument(
        "--params",
        metavar="FILE",
        help="a params.yaml whose section `validate` has severities, declared totals and limits (default: the library's own)",
    )
    parser.add_argument("--json", action="store_true", help="write everything as JSON to stdout (default: sentences)")


def run(given: argparse.Namespace) -> int:
    """Ask every rule that applies; 0 only when no rule of severity error is broken."""
    # Great Expectations takes seconds to import.
    from scrubin.cli.validate import asking, material, text
    from scrubin.labels.reader import Options

    if given.first_frame < 0:
        msg = f"--first-frame {given.first_frame}: give 0 or more"
        raise AnnotationError(msg)
    found = material.read(Path(given.path), given.source, Options(given.vocabulary, first=given.first_frame))
    result = asking.ask(found, Path(given.params) if given.params else None)
    text.tell_json(given.path, found, result) if given.json else text.tell(given.path, found, result)
    return 0 if result.passed else 1
