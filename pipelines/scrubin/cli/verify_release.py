"""`scrubin verify` of a release: whether a downloaded copy is whole and unchanged, and what is withheld by intention."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from scrubin.core.faults import Fault
from scrubin.download import journal, verification
from scrubin.download.verification import Progress, Verification

SHOWN = 100
INTERRUPTED = 130


def run(folder: Path, args: argparse.Namespace) -> int:
    """Say what is wrong with a copy; 0 only when nothing is."""
    verification.refuse_no_release(folder)
    state = Path(args.state) if args.state else journal.default_path(folder)
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
    sys.stdout.write("".join(f"{line}\n" for line in _lines(result)))
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
    return [*lines[:SHOWN], f"and {len(lines) - SHOWN:,} more; --json FILE has all"] if len(lines) > SHOWN else lines


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
