"""`scrubin diff OLD NEW [--json] [--html FILE]`: what differs between two releases, and whether the version number says so."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scrubin.core import extras, files, strangers
from scrubin.core.errors import ReleaseError
from scrubin.versions.comparison import Comparison, compare
from scrubin.versions.lines import lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare both releases and the form of the answer."""
    parser.add_argument("old", metavar="OLD", help="folder of the older release; it is only read")
    parser.add_argument("new", metavar="NEW", help="folder of the newer release; it is only read")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines: every count, by recording")
    parser.add_argument("--html", metavar="FILE", help="also write a page that opens offline; needs jinja2")
    parser.epilog = (
        "Videos and pictures need not be there: they are compared by the hashes in SHA256SUMS. Exit code: 0 when the version of NEW "
        "is at least what changed asks for, else 1."
    )


def run(args: argparse.Namespace) -> int:
    """Compare, and say what differs; 0 when the number of the new release fits."""
    if args.html:
        extras.require("jinja2", "--html")
    comparison = compare(Path(args.old), Path(args.new))
    if args.html:
        _write(comparison, Path(args.html))
    if args.json:
        sys.stdout.write(files.json_text(comparison.document()))
    else:
        sys.stdout.write("".join(f"{line}\n" for line in lines(comparison)))
    return 0 if comparison.verdict.fits else 1


def _write(comparison: Comparison, path: Path) -> None:
    # The page needs a template engine, which comparing does not.
    from scrubin.versions.page import page

    for released in (comparison.old, comparison.new):
        if strangers.real(released.folder) in strangers.real(path).parents:
            msg = f"{path}: lies in {released.folder}, which is never changed; name another file"
            raise ReleaseError(msg)
    try:
        files.write_text(path, page(comparison))
    except OSError as error:
        msg = f"{path}: cannot be written: {error.strerror}; correct that or name another file"
        raise ReleaseError(msg) from error
