"""`scrubin diff`, `export`, `verify` of a release: what somebody who has downloaded one does with it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin.base import files, machine, strangers
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import Fault, count_text
from scrubin.cli.answers import print_json, print_lines
from scrubin.data.export.registry import EXPORTS, export, new_folder
from scrubin.data.verify import digests

if TYPE_CHECKING:
    from scrubin.data.diff.comparison import Comparison
    from scrubin.data.verify.verification import Progress, Verification


def add_diff_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare both releases and the form of the answer."""
    parser.add_argument("old", metavar="OLD", help="folder of the older release; it is only read")
    parser.add_argument("new", metavar="NEW", help="folder of the newer release; it is only read")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines: every count, by recording")
    parser.add_argument("--html", metavar="FILE", help="also write a page that opens offline; needs jinja2")
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

    for released in (comparison.old, comparison.new):
        if strangers.real(released.folder) in strangers.real(path).parents:
            msg = f"{path}: lies in {released.folder}, which is never changed; name another file"
            raise ReleaseError(msg)
    try:
        files.write_text(path, page(comparison))
    except OSError as error:
        msg = f"{path}: cannot be written: {error.strerror}; correct that or name another file"
        raise ReleaseError(msg) from error


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the release, the new folder and its layout."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("release", metavar="RELEASE", help="the folder of a release; it is only read")
    parser.add_argument("folder", metavar="FOLDER", help="a folder that is not there yet; it appears whole or not at all")
    parser.add_argument("--to", required=True, metavar="LAYOUT", choices=EXPORTS, help=f"{', '.join(EXPORTS)}")
    parser.epilog = "\n".join(f"  {name:<12} {does}" for name, (_, does) in EXPORTS.items())


def run_export(args: argparse.Namespace) -> int:
    """Write the export, and say what is in it and what is not."""
    from scrubin.data.export import contents as export_contents
    from scrubin.data.export.contents import Contents

    contents = Contents(Path(args.release))
    with new_folder(Path(args.folder), contents.release) as folder:
        summary = export(args.to).write(contents, folder, _shown)
        rigs = export_contents.copy(contents, folder)
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


FAULTS_SHOWN = 100
INTERRUPTED = 130


def verify_copy(folder: Path, args: argparse.Namespace) -> int:
    """Say what is wrong with a copy; 0 only when nothing is."""
    from scrubin.data.verify import verification

    verification.refuse_no_release(folder)
    state = Path(args.state) if args.state else digests.default_path(folder)
    try:
        result = verification.verify(folder, quick=args.quick, partial=args.partial, journal=state, begin=_progress)
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped; what has been read is noted: run the same command again to go on\n")
        return INTERRUPTED
    text = json.dumps(result.as_json(), indent=2, sort_keys=True) + "\n"
    if args.json == "-":
        sys.stdout.write(text)
        return 0 if result.sound else 1
    if args.json:
        Path(args.json).write_text(text, encoding="utf-8", newline="\n")
    print_lines(_lines(result))
    return 0 if result.sound else 1


def _lines(result: Verification) -> Iterable[str]:
    name = " ".join(part for part in (result.name, result.version) if part) or "a release without name"
    yield f"{name}: {result.here:,} of {result.listed:,} files are here, {result.size:,} bytes"
    if not result.quick:
        before = f", {result.read_before:,} before, and they have not changed since" if result.read_before else ""
        yield f"read: {result.read:,} files{before}"
    for one in result.counts:
        videos, frames = f"{one.videos_here:,} of {one.videos:,} videos", f"{one.frames_here:,} of {one.frames:,} frames"
        yield f"{one.task}: {one.recordings:,} recordings, {videos}, {frames}"
    for top, count in result.absent.items():
        yield f"left out: {top} ({count:,} files)"
    yield from _section("withheld by intention", [one.says for one in result.withheld])
    yield from _section("notes", _sentences(result.notes))
    yield from _section("wrong", _sentences(result.errors))
    if result.sound:
        what = "every name and size is right; the bytes were not read" if result.quick else "sound: every file is as it was released"
        yield f"{what}{', but for what was left out' if result.absent else ''}"
    else:
        yield f"not sound: {len(result.errors):,} finding{'s' if len(result.errors) > 1 else ''}"


def _sentences(faults: Iterable[Fault]) -> list[str]:
    lines = [fault.line() for fault in faults]
    return [*lines[:FAULTS_SHOWN], f"and {len(lines) - FAULTS_SHOWN:,} more; --json FILE has all"] if len(lines) > FAULTS_SHOWN else lines


def _section(title: str, lines: Iterable[str]) -> Iterable[str]:
    shown = [f"  {line}" for line in lines]
    return [f"{title}:", *shown] if shown else []


def _progress(files: int, size: int) -> Progress:
    """Show on a terminal how far the reading is, where tqdm is installed."""
    silent: Callable[[int, int], None] = lambda files, size: None  # noqa: E731
    if not sys.stderr.isatty() or not files:
        return silent
    try:
        from tqdm import tqdm
    except ImportError:
        sys.stderr.write(f"reading {files:,} files, {size:,} bytes\n")
        return silent
    bar = tqdm(total=size, unit="B", unit_scale=True, desc="read")

    def hear(_: int, read: int) -> None:
        bar.update(read)
        if bar.n >= size:
            bar.close()

    return hear
