"""A verified copy told to people: what is here, what is withheld or left out, what is wrong."""

from __future__ import annotations

from collections.abc import Iterable

from scrubin.base.faults import Fault
from scrubin.data.verify.verification import Verification

FAULTS_SHOWN = 100


def lines(result: Verification) -> Iterable[str]:
    """Yield what was found, line by line."""
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
