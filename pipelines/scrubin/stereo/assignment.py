"""Which released recording was made with which rig, and the rig for its released pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from scrubin.core import csvtext, strangers
from scrubin.core.errors import CalibrationError
from scrubin.stereo.rig import Rig
from scrubin.stereo.study import SHEET, read_rigs
from scrubin.tables.io import records


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
    sheet = csvtext.read(SHEET, strangers.read_bytes(raw / SHEET))
    CalibrationError.raise_any(sheet.file_faults)
    return {row.cells["recording"]: row.cells["rig"] for row in sheet.rows if row.cells.get("rig") and row.cells.get("recording")}
