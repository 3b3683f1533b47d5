"""The calibrations of a release: which files they are, under which names, and which recordings each belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from scrubin.core.errors import CalibrationError
from scrubin.stereo import writing
from scrubin.stereo.reading import read
from scrubin.stereo.rig import Rig

FOLDER = "calibration"


def documents(rigs: Mapping[str, Rig], rig_of: Mapping[str, str]) -> dict[str, str]:
    """Return the calibrations that a release has, by path.

    Names are ``rig_1``, ``rig_2``, ... in the order of the numbers inside, so that neither a name nor the order of a study
    can be read from them. Of a date the year is left.

    Parameters
    ----------
    rigs
        By the curator's name.
    rig_of
        The curator's name of the rig of each released recording, by its released id.

    >>> documents({}, {})
    {}
    """
    by_rig: dict[str, list[str]] = {}
    for id_, name in sorted(rig_of.items()):
        by_rig.setdefault(name, []).append(id_)
    ordered = sorted(by_rig, key=lambda name: (repr(rigs[name].key()), by_rig[name]))
    return {
        f"{FOLDER}/rig_{number}.yaml": writing.text(replace(rigs[name], date=rigs[name].date[:4], recordings=tuple(by_rig[name])))
        for number, name in enumerate(ordered, start=1)
    }


def rigs(folder: Path) -> dict[str, Rig]:
    """Return the rig of each recording of a release that has one, by id.

    Raises
    ------
    CalibrationError
        When a calibration is damaged, or two name one recording.
    """
    by_id: dict[str, Rig] = {}
    for path in sorted((folder / FOLDER).glob("*.yaml")):
        name = f"{FOLDER}/{path.name}"
        rig = read(path, name)
        for id_ in rig.recordings:
            if id_ in by_id:
                msg = f"{name}: recording '{id_}' stands in another calibration, too; run 'scrubin verify {folder}'"
                raise CalibrationError(msg)
            by_id[id_] = rig
    return by_id
