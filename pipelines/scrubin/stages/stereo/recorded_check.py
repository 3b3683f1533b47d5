"""Recordings as they lie in files held to their rig: one that is named, or all of a raw study."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from scrubin.base.errors import CalibrationError, RecordingError, ScrubinError
from scrubin.media.raw_file import stored_sha256
from scrubin.media.rigs.rig import Rig
from scrubin.media.source import FilePart, Source
from scrubin.stages.recordings_list import files_below, several
from scrubin.stages.stereo import recordings
from scrubin.stages.stereo.check import check
from scrubin.stages.stereo.findings import Checked, Finding, of_instants
from scrubin.stages.stereo.fit import alpha_fit, of_fit
from scrubin.stages.stereo.footage import SUFFIXES, Footage, both, footage, released_pairs, slower_fps, source_footage, two_instants
from scrubin.stages.stereo.recordings import CameraFiles, StereoRecording

Shown = Callable[[Sequence[StereoRecording]], Iterable[StereoRecording]]
"""Passes on the recordings, and may show how far it is."""


def check_one(
    rig: Rig, rig_name: str, cameras: Sequence[str], rectified: str | None, alpha: float | None, every_s: Fraction = Fraction(1)
) -> Checked:
    """Return what is wrong with one recording.

    Parameters
    ----------
    rig, rig_name
        The calibration, and how it is called in messages.
    cameras
        The left one, then the right one: each a video, or a folder of pictures.
    rectified, alpha
        A folder of pairs of it that were rectified, and the alpha that is stated of them; both or none.
    every_s
        Of videos, a release takes one pair every so many seconds.

    Raises
    ------
    CalibrationError
        When the pictures have another size than the rig, or only one of the last two is given.
    VideoError
        When a video cannot be read.
    """
    if (rectified is None) != (alpha is None):
        raise CalibrationError("--rectified and --alpha belong together: name both")
    with both(rig.size, rig_name, (footage(Path(name), name) for name in cameras)) as (left, right):
        done = check(rig, left, right, cameras[0], rig_name)
        more = [*_instants(left, right, every_s)]
        more += [] if rectified is None or alpha is None else _alpha(rig, left, rectified, alpha)
    return Checked(done.name, done.rig, done.measured, (*done.findings, *more))


def _alpha(rig: Rig, left: Footage, folder: str, stated: float) -> Sequence[Finding]:
    with footage(Path(folder) / "left", f"{folder}/left") as made:
        numbers = made.numbers
        middle = len(numbers) // 2
        if numbers[middle] >= left.count:
            msg = f"{folder}/left: its names are no numbers of frames of {left.name}; take what 'scrubin stereo rectify' writes"
            raise CalibrationError(msg)
        return list(of_fit(alpha_fit(rig, left.picture(numbers[middle]), made.picture(middle), stated)))


def _instants(left: Footage, right: Footage, every_s: Fraction) -> Iterable[Finding]:
    pairs = released_pairs(left, right, every_s)
    what = None if pairs is None else two_instants(*pairs, slower_fps(left, right))
    if what is not None:
        yield of_instants(what)


def check_study(folder: Path, shown: Shown, tell: Callable[[str, ScrubinError], None], every_s: Fraction = Fraction(1)) -> list[Checked]:
    """Return what is wrong with every stereo recording of a raw study.

    Parameters
    ----------
    folder
        The raw study.
    shown
        Passes on the recordings while they are checked.
    tell
        Is told the name of a recording that cannot be checked, and why.
    every_s
        Of videos, a release takes one pair every so many seconds.

    Raises
    ------
    CalibrationError
        When the study has no rigs, or a calibration cannot be used.
    """
    raw = recordings.read(folder)
    done = []
    for recording in shown(raw.recordings):
        rig, rig_name = raw.rigs[recording.rig], f"{recordings.FOLDER}/{recording.rig}.yaml"
        try:
            with both(rig.size, rig_name, (_opened(folder, files) for files in (recording.left, recording.right))) as (left, right):
                said = check(rig, left, right, recording.name, recording.rig)
                done.append(replace(said, findings=(*said.findings, *_instants(left, right, every_s))))
        except (CalibrationError, RecordingError) as fault:
            tell(recording.name, fault)
            done.append(recordings.unread(recording, fault))
    return done


def _opened(folder: Path, files: CameraFiles) -> AbstractContextManager[Footage]:
    """Open the files of one camera; of a single one, which may be a folder of pictures, nothing is kept for another time."""
    first = folder / files.paths[0]
    shows_pictures = first.is_dir() and any(path.suffix.lower() in SUFFIXES for path in first.iterdir())
    every = [] if shows_pictures or first.is_file() else files_below(folder)
    paths = [path for named in files.paths for path in several(named, every) or [named]]
    if len(paths) == 1 and files.view is None:
        return footage(first, paths[0])
    return source_footage(folder, Source(tuple(FilePart(path, stored_sha256(folder / path, path)) for path in paths), files.view))


def lines(done: Sequence[Checked]) -> list[str]:
    """Return a table of what was measured, with every finding below."""
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
