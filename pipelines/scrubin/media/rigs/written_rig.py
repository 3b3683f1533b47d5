"""Calibrations as they are written and released: text in which nobody must guess, under names that tell nothing of the study."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from scrubin.base.errors import CalibrationError
from scrubin.base.files import write_text
from scrubin.media.rigs import rig_file
from scrubin.media.rigs.rig import CONVENTION, MODELS, Matrix, Rig

WRITTEN_HEADER = "%YAML 1.2\n---\n"


def write(path: Path, rig: Rig, more: Mapping[str, Matrix | float] | None = None) -> None:
    """Write a rig, whole or not at all; parameters as `text`."""
    write_text(path, text(rig, more))


def text(rig: Rig, more: Mapping[str, Matrix | float] | None = None) -> str:
    """Return a rig as text that OpenCV's FileStorage and every YAML reader takes; equal rigs give equal bytes.

    Parameters
    ----------
    rig
        What is written.
    more
        Further matrices and numbers by key, such as those of a rectification.
    """
    lines = [
        "# 1 is the left camera, 2 the right one; matrices are in pixels, the centre of the first pixel is (0, 0).",
        f"image_width: {rig.width}",
        f"image_height: {rig.height}",
        f"unit: {rig.unit}",
        f"convention: {json.dumps(CONVENTION)}",
        f"distortion_model: {rig.model}",
        *([f"date: {json.dumps(rig.date)}"] if rig.date else []),
        *_recordings(rig),
        *_matrix_text("K1", rig.left.matrix),
        *_matrix_text("D1", _of_model(rig.left.distortion, rig.model)[:, None]),
        *_matrix_text("K2", rig.right.matrix),
        *_matrix_text("D2", _of_model(rig.right.distortion, rig.model)[:, None]),
        *_matrix_text("R", rig.rotation),
        *_matrix_text("T", rig.translation[:, None]),
    ]
    for key, value in (more or {}).items():
        lines += _matrix_text(key, value) if isinstance(value, np.ndarray) else [f"{key}: {_number(value)}"]
    return WRITTEN_HEADER + "\n".join(lines) + "\n"


def _of_model(distortion: Matrix, model: str) -> Matrix:
    """Return coefficients of one lens with as many zeros behind them as the model of both lenses needs.

    >>> _of_model(np.array([0.1, 0.2, 0.0, 0.0]), "rational").tolist()
    [0.1, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    counts = {count for count, own in MODELS.items() if own == model}
    return distortion if len(distortion) in counts else np.pad(distortion, (0, min(counts) - len(distortion)))


def _recordings(rig: Rig) -> list[str]:
    return ["recordings:", *(f"   - {_quoted(name)}" for name in rig.recordings)] if rig.recordings else []


def _quoted(text: str) -> str:
    r"""Return text in quotation marks as JSON and YAML read it alike; JSON's pairs for letters beyond the first 65536 are none in YAML.

    >>> _quoted("Zoë")
    '"Zo\\u00eb"'
    """
    inside = (json.dumps(letter)[1:-1] if ord(letter) < 0x10000 else f"\\U{ord(letter):08x}" for letter in text)
    return '"' + "".join(inside).replace("\x7f", "\\u007f") + '"'


def _matrix_text(key: str, values: Matrix) -> list[str]:
    rows, columns = values.shape
    lines = [f"{key}: !!opencv-matrix", f"   rows: {rows}", f"   cols: {columns}", "   dt: d"]
    numbers = [_number(value) for value in values.ravel()]
    by_row = [", ".join(numbers[columns * row : columns * (row + 1)]) for row in range(rows)]
    return [*lines, "   data: [ " + ",\n       ".join(by_row) + " ]"]


def _number(value: float) -> str:
    """Return a number that reads back as the same one; YAML 1.1 takes it for a number only with a point.

    >>> _number(1e-05), _number(3.0), _number(0.1)
    ('1.0e-05', '3.0', '0.1')
    """
    written = repr(float(value))
    mantissa, e, exponent = written.partition("e")
    return f"{mantissa}.0e{exponent}" if e and "." not in mantissa else written


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
        f"{FOLDER}/{released}.yaml": text(replace(rigs[name], date=rigs[name].date[:4] if with_year else "", recordings=_ids(rig_of, name)))
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
        rig = rig_file.read(path, name, is_released=True)
        for id_ in rig.recordings:
            if id_ in by_id:
                raise CalibrationError(f"{name}: recording '{id_}' stands in another calibration, too; run 'scrubin verify {folder}'")
            by_id[id_] = rig
    return by_id
