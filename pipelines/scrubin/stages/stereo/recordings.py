"""The stereo recordings of a study with their rigs: what is said of a rig over all its recordings."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd

from scrubin.base import strangers
from scrubin.base.errors import CalibrationError, ScrubinError
from scrubin.base.faults import Faults, hint
from scrubin.base.tables.io import records
from scrubin.base.text import csv_text
from scrubin.media.rigs.rig import Rig
from scrubin.media.rigs.rig_file import read as read_rig
from scrubin.media.source import View
from scrubin.stages.recordings_list import NAME
from scrubin.stages.stereo.findings import UNKNOWN, Checked, Drift, Finding, drift


@dataclass(frozen=True)
class StereoParams:
    """What is released of a rig's calibration beside its numbers.

    Parameters
    ----------
    year
        Whether a released calibration says in which year it was made.
    """

    year: bool


FOLDER = "calibration"
SPOIL_ROWS = {"unmatched", "same", "flipped", "order", "lag"}
NEEDED = ("recording", "camera", "path", "rig")


@dataclass(frozen=True)
class CameraFiles:
    """What the list says of one camera of a recording.

    Parameters
    ----------
    paths
        Its files in their order, relative to the raw folder; one may be a folder or a pattern.
    view
        The part of their pictures that is this camera's; None: all of it.
    """

    paths: tuple[str, ...]
    view: View | None = None


@dataclass(frozen=True)
class StereoRecording:
    """A recording with both cameras."""

    name: str
    rig: str
    left: CameraFiles
    right: CameraFiles


@dataclass(frozen=True, eq=False)
class StereoStudy:
    """All stereo recordings that name a rig, in the order of the list, and these rigs by name."""

    recordings: tuple[StereoRecording, ...]
    rigs: dict[str, Rig]


def read(folder: Path) -> StereoStudy:
    """Return the stereo recordings of a raw study.

    Raises
    ------
    CalibrationError
        When the list has no rigs, or a calibration is missing or cannot be used: all of them at once.
    """
    path = folder / NAME
    if not path.is_file():
        raise CalibrationError(f"{folder}: it has no {NAME}; name the folder of a raw study, or RIG LEFT RIGHT")
    sheet = csv_text.read(NAME, strangers.read_bytes(path), NEEDED, None)
    CalibrationError.raise_any(sheet.file_faults)
    rows: dict[str, list[Mapping[str, str]]] = {}
    for row in sheet.rows:
        if row.cells["rig"] and not row.cells.get("exclude"):
            rows.setdefault(row.cells["recording"], []).append(row.cells)
    recordings = tuple(
        StereoRecording(name, own[0]["rig"], _files(own, "left"), _files(own, "right"))
        for name, own in rows.items()
        if {"left", "right"} <= {_side(row) for row in own}
    )
    if not recordings:
        raise CalibrationError(f"{NAME}: no recording with a left and a right camera names a rig; fill in the column 'rig'")
    rigs, faults = read_rigs(folder, {one.rig for one in recordings})
    CalibrationError.raise_any(faults)
    return StereoStudy(recordings, rigs)


def _side(row: Mapping[str, str]) -> str:
    return row["camera"].partition("=")[0].strip()


def _files(rows: Sequence[Mapping[str, str]], camera: str) -> CameraFiles:
    """Return the files of a camera; where both cameras are in one picture, its name says which part is whose: left=crop(0 0 960 1080)."""
    own = sorted((row for row in rows if _side(row) == camera), key=lambda row: (len(row.get("part", "")), row.get("part", "")))
    numbers = [int(number) for number in re.findall(r"\d+", own[0]["camera"].partition("=")[2])]
    return CameraFiles(tuple(row["path"] for row in own), View(*numbers) if len(numbers) == len(fields(View)) else None)


def read_rigs(folder: Path, names: Iterable[str]) -> tuple[dict[str, Rig], Faults]:
    """Return the calibrations of a raw study by name, and everything that is wrong with any of them.

    Parameters
    ----------
    folder
        The raw study.
    names
        Of the rigs, as the column ``rig`` has them.
    """
    rigs, faults = {}, Faults()
    for name in sorted(names):
        file = f"{FOLDER}/{name}.yaml"
        if PurePosixPath(name).name != name or "\0" in name:
            faults.error(NAME, "rig", f"'{name}' is no name of a rig", f"name a file of {FOLDER}/ without its ending, such as tower_2")
            continue
        if not (folder / file).is_file():
            known = sorted(path.stem for path in (folder / FOLDER).glob("*.yaml"))
            fix = f"put the calibration there, or correct the column 'rig'; {hint(name, known) if known else 'the folder has none'}"
            faults.error(NAME, "rig", f"it names rig '{name}', but there is no {file}", fix)
            continue
        try:
            rigs[name] = read_rig(folder / file, file, warnings=faults)
        except CalibrationError as error:
            faults.extend(error.faults)
    return rigs, faults


def unread(recording: StereoRecording, fault: ScrubinError) -> Checked:
    """Return what is said of a recording that could not be read."""
    one = fault.faults[0]
    return Checked(recording.name, recording.rig, UNKNOWN, (Finding("unmatched", "error", one.what, one.fix),))


@dataclass(frozen=True)
class RigOverStudy:
    """What is said of a rig over its recordings, in their order."""

    rig: str
    drift: Drift
    findings: tuple[Finding, ...]

    def lines(self) -> list[str]:
        """Return it for reading."""
        return [f"rig {self.rig}: {finding.severity}: {finding.what}; {finding.fix}" for finding in self.findings]

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        own = {"change_px": round(self.drift.change_px, 4), "chance": round(self.drift.chance, 6)}
        return {"rig": self.rig, **own, "findings": [finding.as_json() for finding in self.findings]}


def over(done: Sequence[Checked]) -> list[RigOverStudy]:
    """Return what is said of each rig with at least six recordings that could be measured."""
    summaries = []
    for rig in sorted({one.rig for one in done}):
        own = [one for one in done if one.rig == rig]
        measured = drift([math.nan if _says_nothing_of_rows(one) else one.measured.offset_px for one in own])
        if measured is not None:
            summaries.append(RigOverStudy(rig, measured, tuple(_findings(own, measured))))
    return summaries


def _says_nothing_of_rows(one: Checked) -> bool:
    """Return whether something was found of a recording because of which its rows are not those of its rig."""
    spoilt = {finding.rule for finding in one.findings if finding.rule != "lag" or finding.severity != "undecided"}
    return bool(spoilt & SPOIL_ROWS)


def _findings(own: Sequence[Checked], measured: Drift) -> list[Finding]:
    findings = []
    if measured.is_one:
        what = f"the vertical offset changes by {measured.change_px:.1f} px from the first to the last of {len(own)} recordings"
        findings.append(Finding("drift", "warning", what, "calibrate again, and use each calibration for the recordings around its day"))
    if measured.apart:
        names = ", ".join(own[place].name for place in measured.apart)
        what = f"the vertical offset of {names} is more than 1 px off that of the others"
        findings.append(Finding("apart", "warning", what, "see that these were recorded with this rig"))
    return findings


@dataclass(frozen=True)
class Assignment:
    """The rigs of released recordings.

    Parameters
    ----------
    rigs
        By the curator's name, each for pictures of the size in which its recordings are released.
    rig_of
        The curator's name of each recording's rig, by released id; recordings that it does not fit are not in it.
    unfit
        Why the rig that is named does not fit, by released id.
    """

    rigs: Mapping[str, Rig] = field(default_factory=dict)
    rig_of: Mapping[str, str] = field(default_factory=dict)
    unfit: Mapping[str, str] = field(default_factory=dict)


def assignment(raw: Path, cuts: pd.DataFrame, videos: pd.DataFrame) -> Assignment:
    """Return the rigs of the released recordings of a raw study.

    Parameters
    ----------
    raw
        Its folder.
    cuts, videos
        The tables of these names.

    Raises
    ------
    CalibrationError
        With everything that is wrong with the calibrations that are named.
    """
    named = _named(raw)
    released = {row["id"]: (row["width"], row["height"]) for row in records(videos[videos.camera == "left"])}
    sources = {
        row["id"]: (named[row["recording"]], (row["source_width"], row["source_height"]))
        for row in records(cuts[cuts.camera == "left"])
        if row["recording"] in named and row["id"] in released
    }
    own, faults = read_rigs(raw, {name for name, _ in sources.values()})
    CalibrationError.raise_any(faults)
    rigs: dict[str, Rig] = {}
    rig_of: dict[str, str] = {}
    unfit: dict[str, str] = {}
    for id_, (name, size) in sorted(sources.items()):
        rig = own[name]
        if size != rig.size:
            has, wants = f"{rig.width}x{rig.height}", f"{size[0]}x{size[1]}"
            unfit[id_] = (
                f"its rig was calibrated with pictures of {has} pixels, but it is {wants}; if its pictures were resized or cropped: "
                f"scrubin stereo convert RIG NEW --scale-to {wants} (or --crop), and name the new rig"
            )
            continue
        rig_of[id_] = name
        # What the stage render does to a picture: an odd last column or row is cut off.
        rigs[name] = rig.cropped((0, 0, *released[id_]))
    return Assignment(rigs, rig_of, unfit)


def _named(raw: Path) -> dict[str, str]:
    """Return the rig of each recording whose rows name one."""
    sheet = csv_text.read(NAME, strangers.read_bytes(raw / NAME))
    CalibrationError.raise_any(sheet.file_faults)
    return {row.cells["recording"]: row.cells["rig"] for row in sheet.rows if row.cells.get("rig") and row.cells.get("recording")}
