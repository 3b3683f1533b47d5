"""`scrubin deid make FOLDER`, `scrubin deid score KEY FOLDER`."""

from __future__ import annotations

import argparse
import math
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin.base import strangers
from scrubin.base.errors import ArgumentsError
from scrubin.base.faults import count_text
from scrubin.cli.answers import print_lines
from scrubin.cli.arguments import whole_number, written
from scrubin.evaluate.choices import SHORTEST_S, SMALLEST_HEIGHT_PX, BenchmarkRequest

if TYPE_CHECKING:
    from scrubin.evaluate.deid.score import Score, Tally


DEFAULT = BenchmarkRequest()
LARGEST_SEED = 2**31
HIGHEST_PX, LONGEST_S, MOST_RECORDINGS = 2160, 7200, 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare making and scoring."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    making = actions.add_parser(
        "make",
        help="write recordings with planted identifiers, and the answer key",
        description="Write recordings with planted identifiers (raw/) and the answer key (key/). The same options and seed give the same "
        "bytes.",
    )
    making.add_argument("folder", type=written, metavar="FOLDER", help="a new or empty folder")
    making.add_argument(
        "--footage",
        metavar="DIR",
        help="pictures and videos of operations, with nobody to be seen (default: the synthetic study's operation)",
    )
    making.add_argument("--outside", metavar="DIR", help="pictures and videos of rooms and people (default: the synthetic study's rooms)")
    making.add_argument(
        "--recordings",
        type=whole_number(1, MOST_RECORDINGS),
        default=DEFAULT.recordings,
        metavar="N",
        help="how many (default: %(default)s)",
    )
    making.add_argument(
        "--seed",
        type=whole_number(0, LARGEST_SEED),
        metavar="S",
        help="of every choice; the same one gives the same bytes (default: a new one, which is printed and stands in the key)",
    )
    making.add_argument(
        "--height",
        type=whole_number(SMALLEST_HEIGHT_PX, HIGHEST_PX),
        default=DEFAULT.height,
        metavar="PX",
        help="of the picture, 16 to 9 (default: %(default)s)",
    )
    making.add_argument(
        "--length-s",
        type=whole_number(SHORTEST_S, LONGEST_S),
        default=DEFAULT.length_s,
        metavar="S",
        help="of each recording (default: %(default)s)",
    )
    scoring = actions.add_parser(
        "score",
        help="score what any tool wrote against the answer key",
        description="Score what any tool wrote against the answer key: actions done, frames leaked, useful things lost.",
        epilog="Files may be renamed, trimmed, encoded again, of another rate or size. docs/deid.md defines every number.",
    )
    scoring.add_argument("key", metavar="KEY", help="the folder that `scrubin deid make` wrote, or its key/")
    scoring.add_argument("folder", metavar="FOLDER", help="what the tool wrote; it is never changed")
    scoring.add_argument(
        "--map", metavar="CSV", help="columns raw,output: paths below raw/ and below FOLDER (default: files are known by their pictures)"
    )
    scoring.add_argument("--out", type=written, metavar="DIR", help="write score.json, score.csv, items.csv and index.html there")


def run(args: argparse.Namespace) -> int:
    """Make a benchmark, or score an output."""
    from scrubin.evaluate.deid.documents import write
    from scrubin.evaluate.deid.key import found, read
    from scrubin.evaluate.deid.score import score
    from scrubin.evaluate.deid.tool_files import read_map

    if args.action == "make":
        return _make(args)
    folder, key_folders = Path(args.folder), set[Path]()
    if args.out:
        file = found(Path(args.key))
        key_folders = set() if file is None else {file.parent.absolute(), strangers.real(file.parent)}
        # The benchmark's own folder is not one of them: what lies beside key/ and raw/ is read by nobody.
        _refuse_inside(Path(args.out), (*key_folders, *(one.parent / "raw" for one in key_folders if one.name == "key"), folder))
    key = read(Path(args.key))
    if args.out:  # a key folder may have been renamed, and raw/ beside it is known by what is in it
        beside = (one.parent / "raw" for one in key_folders)
        _refuse_inside(Path(args.out), [raw for raw in beside if any((raw / one.file).exists() for one in key.recordings)])
    scored = score(key, folder, read_map(Path(args.map), key, folder) if args.map else {})
    print_lines(lines(scored))
    if args.out:
        write(scored, key, Path(args.out))
    return 0


def _refuse_inside(out: Path, folders: Sequence[Path]) -> None:
    """Refuse to write where the key and the outputs lie: the next score would take it for one of them."""
    for folder in folders:
        if folder.is_dir() and strangers.real(out).is_relative_to(strangers.real(folder)):
            raise ArgumentsError(f"--out {out}: it lies in {folder}, which is never changed; name a folder elsewhere")


def _make(args: argparse.Namespace) -> int:
    from scrubin.evaluate.deid.benchmark import make
    from scrubin.evaluate.deid.key import KINDS

    own = {name: Path(value) if value else None for name, value in (("footage", args.footage), ("outside", args.outside))}
    # A key that everybody knows can be learnt by heart.
    seed = secrets.randbelow(LARGEST_SEED) if args.seed is None else args.seed
    request = BenchmarkRequest(args.recordings, seed, args.height // 2 * 2, args.length_s, own["footage"], own["outside"])
    key = make(request, Path(args.folder))
    counts = {kind: sum(item.kind == kind for item in key.items) for kind in KINDS}
    recordings, items = count_text(len(key.recordings), "recording"), count_text(len(key.items), "planted identifier")
    sys.stdout.write(f"{args.folder}: {recordings} in raw/, {items} in key/\n")
    sys.stdout.write(f"seed {seed}: publish it when the comparison is done; --seed {seed} makes the same benchmark again\n")
    sys.stdout.write("".join(f"  {count:5}  {kind:15} {KINDS[kind].planted}\n" for kind, count in counts.items() if count))
    return 0


def lines(scored: Score) -> list[str]:
    """Return the score for reading: a line per kind, then what was lost."""
    from scrubin.evaluate.deid.score import overall

    rows: list[tuple[str, ...]] = [
        ("kind", "done", "%", "95 % interval", "joined", "missing", "lost", "frames leaked", "whole", "part", "none")
    ]
    both = scored.joined
    rows += [_row(kind, one, both.kinds[kind]) for kind, one in scored.kinds.items()]
    rows.append(_row("all", scored.total, both.value))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lost = overall(scored.losses)
    return [
        f"joined: {_three(both.value)}, the harmonic mean of done ({_three(both.done)}) and kept ({_three(both.kept)}); "
        f"{both.items:,} identifiers, {both.useful_frames:,} useful frames",
        *table,
        f"recordings without an output: {lost['recordings_missing']:.0f} of {lost['recordings']:.0f}",
        f"useful: {lost['lost_s']:.1f} of {lost['useful_s']:.1f} s lost, "
        f"{lost['useful_frames'] - lost['kept_frames']:,.0f} of {lost['useful_frames']:,.0f} frames not shown",
        f"quality: PSNR {lost['psnr_db']:.1f} dB, SSIM {lost['ssim']:.4f}, height {100 * lost['height_share']:.0f} %, "
        f"area of kept frames {100 * lost['area_share']:.1f} %",
        f"time: {lost['time_error_s']:.3f} s off in the middle, {lost['largest_time_error_s']:.3f} s at most",
    ]


def _three(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.3f}"


def _row(name: str, one: Tally, joined: float) -> tuple[str, ...]:
    frames = (f"{one.leaked_frames:,} of {one.frames:,}", str(one.whole), str(one.part), str(one.none)) if one.frames else ("", "", "", "")
    interval = f"{100 * one.low:.1f} to {100 * one.high:.1f}"
    return (
        name,
        f"{one.done} of {one.items}",
        f"{100 * one.share:.1f}",
        interval,
        _three(joined),
        str(one.missing or ""),
        str(one.lost or ""),
        *frames,
    )
