"""`scrubin stereo check`: whether recordings fit their rig, one recording, or all of a raw study."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from scrubin.base.errors import CalibrationError, RecordingError
from scrubin.cli import stereo
from scrubin.cli.answers import print_json, print_lines
from scrubin.stages.recordings_list import files_below, several

if TYPE_CHECKING:
    from scrubin.media.rig import Rig
    from scrubin.stages.stereo import recordings
    from scrubin.stages.stereo.findings import Checked, Finding
    from scrubin.stages.stereo.footage import Footage

ONE, THREE = 1, 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare one recording or a study, and what may have been rectified before."""
    parser.add_argument(
        "what",
        nargs="+",
        metavar="RIG LEFT RIGHT",
        help="a calibration and two videos or folders of pictures; or the folder of a raw study",
    )
    parser.add_argument("--unit", choices=("mm", "cm", "m"), help="unit of the translation, where the file does not say it")
    parser.add_argument("--size", type=stereo.size, metavar="WxH", help="size of the calibrated pictures, where the file does not say it")
    parser.add_argument(
        "--rectified", metavar="FOLDER", help="rectified pictures of this recording (left/), to see with which alpha they were made"
    )
    parser.add_argument("--alpha", type=stereo.alpha, help="the alpha that is stated of them")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.epilog = "A study has calibration/RIG.yaml and a column 'rig' in recordings.csv. Exit code: 1 when a recording does not fit."


def run(args: argparse.Namespace) -> int:
    """Check and say what is wrong; 1 when there is an error."""
    from scrubin.stages.stereo import recordings

    if len(args.what) == ONE:
        done = _study(Path(args.what[0]))
    elif len(args.what) == THREE:
        done = [_one(args)]
    else:
        msg = "name RIG LEFT RIGHT, or the folder of a raw study"
        raise CalibrationError(msg)
    rigs = recordings.over(done)
    if args.json:
        document = {"recordings": [one.as_json() for one in done], "rigs": [one.as_json() for one in rigs]}
        print_json(document, sort_keys=True)
    else:
        print_lines([*_table(done), *(line for one in rigs for line in one.lines())])
    return 1 if any(one.verdict == "error" for one in done) else 0


def _one(args: argparse.Namespace) -> Checked:
    from scrubin.media.rig_reading import read
    from scrubin.stages.stereo.check import check
    from scrubin.stages.stereo.findings import Checked
    from scrubin.stages.stereo.footage import footage, refuse_other_size

    rig_name, *names = args.what
    rig = read(Path(rig_name), rig_name, args.unit, args.size)
    if (args.rectified is None) != (args.alpha is None):
        msg = "--rectified and --alpha belong together: name both"
        raise CalibrationError(msg)
    with ExitStack() as opened:
        left, right = (opened.enter_context(footage(Path(name), name)) for name in names)
        for camera in (left, right):
            refuse_other_size(rig.size, rig_name, camera)
        done = check(rig, left, right, names[0], rig_name)
        more = _alpha(rig, left, args.rectified, args.alpha) if args.rectified is not None else []
    return Checked(done.name, done.rig, done.measured, (*done.findings, *more))


def _alpha(rig: Rig, left: Footage, folder: str, stated: float) -> Sequence[Finding]:
    from scrubin.stages.stereo.fit import alpha_fit, of_fit
    from scrubin.stages.stereo.footage import footage

    with footage(Path(folder) / "left", f"{folder}/left") as made:
        numbers = made.numbers
        middle = len(numbers) // 2
        if numbers[middle] >= left.count:
            msg = f"{folder}/left: its names are no numbers of frames of {left.name}; take what 'scrubin stereo rectify' writes"
            raise CalibrationError(msg)
        return list(of_fit(alpha_fit(rig, left.picture(numbers[middle]), made.picture(middle), "left", stated)))


def _study(folder: Path) -> list[Checked]:
    from tqdm import tqdm

    from scrubin.stages.stereo import recordings
    from scrubin.stages.stereo.check import check
    from scrubin.stages.stereo.footage import refuse_other_size

    raw = recordings.read(folder)
    done = []
    for one in tqdm(raw.recordings, desc="stereo check", disable=not sys.stderr.isatty()):
        try:
            with ExitStack() as opened:
                left, right = (opened.enter_context(_opened(folder, files)) for files in (one.left, one.right))
                rig = raw.rigs[one.rig]
                for camera in (left, right):
                    refuse_other_size(rig.size, f"{recordings.FOLDER}/{one.rig}.yaml", camera)
                done.append(check(rig, left, right, one.name, one.rig))
        except (CalibrationError, RecordingError) as fault:
            sys.stderr.write(f"{one.name}: {fault}\n")
            done.append(recordings.unread(one, fault))
    return done


def _opened(folder: Path, files: recordings.CameraFiles) -> AbstractContextManager[Footage]:
    """Open the files of one camera; of a single one, which may be a folder of pictures, nothing is kept for another time."""
    from scrubin.media.raw_file import stored_sha256
    from scrubin.media.source import FilePart, Source
    from scrubin.stages.stereo.footage import SUFFIXES, footage, source_footage

    first = folder / files.paths[0]
    shows_pictures = first.is_dir() and any(path.suffix.lower() in SUFFIXES for path in first.iterdir())
    every = [] if shows_pictures or first.is_file() else files_below(folder)
    paths = [path for named in files.paths for path in several(named, every) or [named]]
    if len(paths) == 1 and files.view is None:
        return footage(first, paths[0])
    return source_footage(folder, Source(tuple(FilePart(path, stored_sha256(folder / path, path)) for path in paths), files.view))


def _table(done: Sequence[Checked]) -> list[str]:
    wide = max(len("recording"), *(len(one.name) for one in done))
    lines = [f"{'recording':<{wide}}  points  offset px  95 % px  lag frames  depth mm  verdict"]
    for one in done:
        own = one.measured
        figures = f"{own.match_count:6d}  {_number(own.offset_px, 9, 2)}  {_number(own.p95_px, 7, 2)}  {_number(own.lag_frames, 10, 2)}"
        lines.append(f"{one.name:<{wide}}  {figures}  {_number(own.depth_mm, 8, 0)}  {one.verdict}")
    lines += [f"{one.name}: {finding.severity}: {finding.what}; {finding.fix}" for one in done for finding in one.findings]
    return lines


def _number(value: float, wide: int, digits: int) -> str:
    return f"{value:{wide}.{digits}f}" if math.isfinite(value) else " " * (wide - 1) + "-"
