"""Which recordings of a study the label page shows, by the name that labels have: the curator's, or the released id."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from scrubin.base import machine, params
from scrubin.base.errors import ParamsError, TableError
from scrubin.base.layout import CUTS_PATH, VIDEOS_PATH
from scrubin.base.params import PARAMS_PATH
from scrubin.base.tables import io
from scrubin.base.tables.private import CUTS
from scrubin.base.tables.public import REFERENCE_CAMERAS, VIDEOS
from scrubin.curate.label.params import SECTION
from scrubin.labels.suspects.suspect import ShownRecording


def of_study(path: Path, folder: Path = Path()) -> Mapping[str, ShownRecording]:
    """Return the recordings of a study; none where the path is not in it, or it has nothing to label yet.

    Parameters
    ----------
    path
        Where labels are.
    folder
        The project.
    """
    # A study is made with more than the base wing; there, labels alone are validated.
    if not (folder / PARAMS_PATH).is_file() or not machine.is_installed("yaml"):
        return {}
    try:
        if not path.resolve().is_relative_to(folder.resolve()) or SECTION not in params.read(folder / PARAMS_PATH):
            return {}
        cuts = io.records(io.read(CUTS, folder / CUTS_PATH))
        videos = io.records(io.read(VIDEOS, folder / VIDEOS_PATH))
    except (ParamsError, TableError):
        return {}
    rates = {(row["id"], row["camera"]): None if row["variable_rate"] else Fraction(row["fps"]) for row in videos}
    shown: dict[str, ShownRecording] = {}
    # Of several cameras the page shows the first.
    for row in sorted(cuts, key=lambda row: REFERENCE_CAMERAS.index(row["camera"])):
        id_, fps = row["id"], rates.get((row["id"], row["camera"]))
        for name, is_source in ((row["recording"], True), (id_, False)):
            offset_s = Fraction(row["offset_s"])
            shown.setdefault(name, ShownRecording(id_, row["first_source_frame"], row["frame_count"], offset_s, fps, is_source))
    return shown
