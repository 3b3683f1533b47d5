"""`scrubin diff`, `export`, `audit`: what is asked of a finished release."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin.base import files, machine
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import count_text
from scrubin.cli.answers import print_json, print_lines, shown
from scrubin.cli.arguments import written
from scrubin.data.export import EXPORTS, export, new_folder

if TYPE_CHECKING:
    from scrubin.audit.pictures.looks import Sampling
    from scrubin.data.diff.comparison import Comparison


def add_diff_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare both releases and the form of the answer."""
    parser.add_argument("old", metavar="OLD", help="folder of the older release; it is only read")
    parser.add_argument("new", metavar="NEW", help="folder of the newer release; it is only read")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines: every count, by recording")
    parser.add_argument("--html", type=written, metavar="FILE", help="also write a page that opens offline; needs jinja2")
    parser.epilog = (
        "Videos and pictures need not be there: they are compared by the hashes in SHA256SUMS. Exit code: 0 when the version of NEW "
        "is at least what changed asks for, else 1."
    )


def run_diff(args: argparse.Namespace) -> int:
    """Compare, and say what differs; 0 when the number of the new release fits."""
    from scrubin.data.diff.comparison import compare, lines

    if args.html:
        machine.require_package("jinja2", "--html")
    comparison = compare(Path(args.old), Path(args.new))
    if args.html:
        _write(comparison, Path(args.html))
    if args.json:
        print_json(comparison.document(), sort_keys=True)
    else:
        print_lines(lines(comparison))
    return 0 if comparison.verdict.fits else 1


def _write(comparison: Comparison, path: Path) -> None:
    # The page needs a template engine, which comparing does not.

    from scrubin.data.diff.comparison import page

    try:
        files.write_text(path, page(comparison))
    except OSError as error:
        raise ReleaseError(f"{path}: cannot be written: {error.strerror}; correct that or name another file") from error


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the release, the new folder and its layout."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("release", metavar="RELEASE", help="the folder of a release; it is only read")
    parser.add_argument("folder", type=written, metavar="FOLDER", help="a folder that is not there yet; it appears whole or not at all")
    parser.add_argument("--to", required=True, metavar="LAYOUT", choices=EXPORTS, help=f"{', '.join(EXPORTS)}")
    parser.epilog = "\n".join(f"  {name:<12} {does}" for name, (_, does) in EXPORTS.items())


def run_export(args: argparse.Namespace) -> int:
    """Write the export, and say what is in it and what is not."""
    from scrubin.data.export import contents as export_contents
    from scrubin.data.export.contents import Contents

    contents = Contents(Path(args.release))
    with new_folder(Path(args.folder), contents.release) as folder:
        summary = export(args.to).write(contents, folder, lambda recordings: shown(recordings, "export", "recording"))
        rigs = export_contents.copy(contents, folder)
    of_rigs = f", {count_text(rigs, 'calibration')}" if rigs else ""
    sys.stdout.write(f"{args.folder}: {count_text(summary.recordings, 'recording')}, {count_text(summary.frames, 'frame')}{of_rigs}\n")
    for reason, count in summary.left_out.items():
        sys.stdout.write(f"not in it ({count:,}): {reason}\n")
    for error in contents.known_errors:
        sys.stdout.write(f"known error: {error}\n")
    return 0


def add_audit_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is read, against what, and the form of the answer."""
    parser.add_argument("path", help="a finished release folder, or one file of it; it is only read")
    parser.add_argument(
        "--project",
        metavar="DIR",
        help="the study's project, whose private tables say what must be black and what must not occur (default: the working folder, "
        "when it is one)",
    )
    parser.add_argument("--plan", metavar="PLAN.json", help="for one video: what it must be, as 'scrubin render --plan' prints it")
    parser.add_argument(
        "--needle", metavar="TEXT", action="append", default=[], help="a text that must not occur, beside those of the project; repeatable"
    )
    looks = parser.add_mutually_exclusive_group()
    looks.add_argument(
        "--every-frame",
        action="store_true",
        help="look for text and faces in every picture, which takes hours; without, where it is worth it",
    )
    looks.add_argument("--no-pictures", action="store_true", help="look at no picture for text and faces; the proof says so")
    parser.add_argument("--fresh", action="store_true", help="decode again what an earlier run has decoded and found the same bytes of")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table: every finding at every place")


def run_audit(args: argparse.Namespace) -> int:
    """Read everything again and tell what was found; 0 only when nothing was."""
    from scrubin.curate.by_hand.audit import AuditRequest, prove, table

    sampling: Sampling = "every" if args.every_frame else "none" if args.no_pictures else "sampled"
    plan = Path(args.plan) if args.plan else None
    asked = AuditRequest(Path(args.path), args.project, plan, args.needle, sampling, args.fresh)
    result = prove(asked, lambda readings, count: shown(readings, "read", "part", count))
    if args.json:
        print_json(result.as_json())
    else:
        sys.stdout.write(table(args.path, result))
    return 0 if result.clean else 1
