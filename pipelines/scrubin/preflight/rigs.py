"""Stereo rigs: every rig that is named has a calibration that can be read and is of its recordings' size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from scrubin.core.errors import CalibrationError, ScrubinError, VideoError
from scrubin.core.faults import error
from scrubin.core.ranges import count_text
from scrubin.drafting.header import read_header
from scrubin.ingest.manifest import NAME, Row
from scrubin.preflight.findings import Findings, names
from scrubin.preflight.listed_study import ListedStudy
from scrubin.stereo.rig import Rig
from scrubin.stereo.study import FOLDER, read_rigs
from scrubin.tables import io
from scrubin.tables.private.recordings import RECORDINGS

INGESTED = Path("data/interim/recordings.parquet")
MOST_HEADERS = 100
"""Heads of videos are read of so many recordings, spread over the list: that takes a second."""
STEREO = {"left", "right"}


def look(study: ListedStudy, noted: Findings) -> None:
    """Note rigs without calibration, calibrations that cannot be used or are of another size, and files that nobody names."""
    rows = {name: study.recordings[name] for name in study.kept}
    stereo = {name: own for name, own in rows.items() if {row.camera for row in own} == STEREO}
    named = {name: own[0].rig for name, own in stereo.items() if own[0].rig}
    rigs, faults = read_rigs(study.raw, set(named.values()))
    with noted.noting():
        CalibrationError.raise_any(faults)
    if rigs:
        noted.counts["stereo rig"] = len(rigs)
    _look_at_files(study.raw, set(named.values()), noted)
    if alone := {name for name, own in rows.items() if own[0].rig and name not in stereo}:
        noted.remark(f"{names(alone)} named with a rig, but without a left and a right camera", "nothing is done with their rig", NAME)
    if named and (without := stereo.keys() - named.keys()):
        what = f"{count_text(len(without), 'stereo recording')} without a rig: {names(without)}"
        noted.remark(what, "fill in the column 'rig' where it is known; they are released without a calibration", NAME)
    _look_at_sizes(study.raw, {name: stereo[name] for name, rig in named.items() if rig in rigs}, rigs, noted)


def _look_at_files(raw: Path, named: set[str], noted: Findings) -> None:
    folder = raw / FOLDER
    there = sorted(path for path in folder.iterdir() if not path.name.startswith(".")) if folder.is_dir() else []
    for path in there:
        file = f"{FOLDER}/{path.name}"
        if path.suffix != ".yaml" or not path.is_file():
            if path.suffix.lower() in (".yaml", ".yml", ".json", ".xml"):
                noted.remark(
                    "it is not read, because its name does not end in .yaml", f"rename it to {path.stem}.yaml, or move it away", file
                )
        elif path.stem not in named:
            what = f"no stereo recording that is kept names rig '{path.stem}'"
            noted.remark(what, f"name it in the column 'rig' of {NAME}, or move it away", file)


def _look_at_sizes(raw: Path, rows: Mapping[str, Sequence[Row]], rigs: Mapping[str, Rig], noted: Findings) -> None:
    for name, (width, height) in _sizes(raw, rows, rigs):
        rig = rigs[rows[name][0].rig]
        if rig.size != (width, height):
            file = f"{FOLDER}/{rows[name][0].rig}.yaml"
            what = f"it is of pictures of {rig.width}x{rig.height} pixels, but '{name}' is {width}x{height}"
            fix = (
                f"name the rig of that recording; if its pictures were resized or cropped: "
                f"scrubin stereo convert {file} {FOLDER}/NEW.yaml --scale-to {width}x{height} (or --crop), and name NEW"
            )
            noted.errors.append(error(file, "size", what, fix))


def _sizes(raw: Path, rows: Mapping[str, Sequence[Row]], rigs: Mapping[str, Rig]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the size of recordings as the head of a file says it; those that fitted in the last run are not opened again."""
    measured = _measured()
    fitted = {name for name, own in rows.items() if measured.get(own[0].path) == rigs[own[0].rig].size}
    others = [name for name in rows if name not in fitted]
    for place in sorted({int(place) for place in np.linspace(0, len(others) - 1, min(len(others), MOST_HEADERS))}):
        row = rows[others[place]][0]
        if row.view is not None:
            yield row.recording, (row.view.w, row.view.h)
            continue
        try:
            header = read_header(raw / row.path, row.path)
        except VideoError:
            continue  # said where files are looked at, or when it is ingested
        yield row.recording, (header.width, header.height)


def _measured() -> dict[str, tuple[int, int]]:
    try:
        table = io.read(RECORDINGS, INGESTED)
    except (ScrubinError, OSError):
        return {}
    known = table.dropna(subset=["width", "height"])
    return {path: (int(width), int(height)) for path, width, height in zip(known.path, known.width, known.height, strict=True)}
