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


def names(rigs: Mapping[str, Rig], rig_of: Mapping[str, str]) -> dict[str, str]:
    """Return under which name each rig of some recordings is released.

    Names are ``rig_1``, ``rig_2``, ... in the order of the numbers inside, so that neither a name nor the order of a study
    can be read from them; equal calibrations follow in the order of their first released id.

    Parameters
    ----------
    rigs
        As they are released, by the curator's name.
    rig_of
        The curator's name of the rig of each released recording, by its released id.

    >>> names({}, {})
    {}
    """
    ordered = sorted(set(rig_of.values()), key=lambda name: (repr(rigs[name].key()), _ids(rig_of, name)))
    return {name: f"rig_{number}" for number, name in enumerate(ordered, start=1)}


def documents(rigs: Mapping[str, Rig], rig_of: Mapping[str, str], *, with_year: bool = False) -> dict[str, str]:
    """Return the calibrations that a release has, by path; parameters as `names`.

    Of a date nothing is left, or its year.
    """
    return {
        f"{FOLDER}/{released}.yaml": writing.text(
            replace(rigs[name], date=rigs[name].date[:4] if with_year else "", recordings=_ids(rig_of, name))
        )
        for name, released in names(rigs, rig_of).items()
    }


def _ids(rig_of: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(sorted(id_ for id_, own in rig_of.items() if own == name))


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
