"""A rig as OpenCV's YAML or in whatever form it was delivered, read with every doubt.

Nothing is guessed: what a file does not say, the unit of lengths above all, is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.base import strangers
from scrubin.base.errors import CalibrationError
from scrubin.base.faults import Faults, printable
from scrubin.base.text import repeated_keys
from scrubin.media.rigs import lens_words
from scrubin.media.rigs.opencv_file import Document, Entry, parse, yaml_text
from scrubin.media.rigs.rig import CONVENTION, MM_PER_UNIT, MODELS, MOST_FOLDED_SHARE, Camera, Matrix, Rig

KEYS = {
    "camera matrix of the left camera": ("K1", "k1", "M1", "cameraMatrix1"),
    "distortion of the left camera": ("D1", "d1", "distCoeffs1"),
    "camera matrix of the right camera": ("K2", "k2", "M2", "cameraMatrix2"),
    "distortion of the right camera": ("D2", "d2", "distCoeffs2"),
    "rotation": ("R", "r"),
    "translation": ("T", "t"),
}
"""What every file must say, and the keys under which it may stand."""
COUNTS = {what: MODELS.keys() if "distortion" in what else {3} if what == "translation" else {9} for what in KEYS}
"""Of how many numbers each is; what else stands under such a key, a date as ``t``, is something else."""
UNIT, DATE, RECORDINGS, CONVENTION_KEY, MODEL = "unit", "date", "recordings", "convention", "distortion_model"
WIDTH, HEIGHT, SIZES = "image_width", "image_height", ("image_size", "size", "imageSize")
INVERSE = re.sub(r"\s", "", "X_left = R X_right + t").casefold()
STATED_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
# Files with six digits of each number are rotations to about this; what is further off is another matrix.
ROTATION_ERROR = 1e-3
# What programs leave of a 0 or 1 that they computed, in a matrix of hundreds of pixels.
MOST_NOISE = 1e-6
MOST_ANGLE_DEG = 45.0
MOST_SIDE_PX = 32767
"""OpenCV rectifies no larger pictures."""


def read(
    path: Path,
    name: str,
    unit: str | None = None,
    size: tuple[int, int] | None = None,
    warnings: Faults | None = None,
    *,
    is_released: bool = False,
) -> Rig:
    """Return the rig of a calibration file.

    Parameters
    ----------
    path, name
        The file, and the file as the curator knows it, for messages.
    unit
        Unit of the translation, where the file does not say it.
    size
        Width and height of the calibrated pictures in pixels, where the file does not say them.
    warnings
        Where it is noted what looks wrong.
    is_released
        Of a release: what would not be released any more, but was, is read. Labels have no place where a lens model folds.

    Raises
    ------
    CalibrationError
        With everything that is missing or impossible in it, each with its line and the mend.
    """
    try:
        data = strangers.read_bytes(path, limit="yaml_mb")
    except OSError as fault:
        raise CalibrationError(f"{name}: it cannot be read ({fault.strerror}); name the calibration file of the rig") from fault
    return read_bytes(data, name, unit, size, warnings, is_released=is_released)


def read_bytes(
    data: bytes,
    name: str,
    unit: str | None = None,
    size: tuple[int, int] | None = None,
    warnings: Faults | None = None,
    *,
    is_released: bool = False,
) -> Rig:
    """Return the rig of the bytes of a calibration file; parameters and errors as `read`."""
    document, faults = parse(data, name), Faults()
    faults.extend(repeated_keys.of_text(yaml_text(data), name))
    reader = _Reader(document, faults, is_released)
    rig = reader.rig(unit, size)
    CalibrationError.raise_any(reader.faults)
    if warnings is not None:
        warnings.extend(reader.faults.all())
    if rig is None:  # then there were faults
        raise AssertionError
    return rig


@dataclass
class _Reader:
    """Reads one document and notes everything that is wrong with it."""

    document: Document
    faults: Faults
    is_released: bool

    def rig(self, unit: str | None, size: tuple[int, int] | None) -> Rig | None:
        """Return the rig; None when something is missing or impossible."""
        unit, size = self._unit(unit), self._size(size)
        self._refuse_other_models()
        self._refuse_contradictions()
        left, right = self._camera("left", size), self._camera("right", size)
        rotation, translation = self._rotation(), self._vector("translation", (3,))
        date, recordings = self._date(), self._recordings()
        if unit is None or size is None or left is None or right is None or rotation is None or translation is None:
            return None
        rig = Rig(left, right, rotation, translation, *size, unit, date, recordings)
        rig = self._of_convention(rig)
        self._refuse_impossible(rig)
        return rig

    def _camera(self, side: str, size: tuple[int, int] | None) -> Camera | None:
        matrix, distortion = self._vector(f"camera matrix of the {side} camera", (3, 3)), self._distortion(side)
        if matrix is None or distortion is None:
            return None
        place = self._entry(f"camera matrix of the {side} camera").place
        exact = np.array([[matrix[0, 0], 0, matrix[0, 2]], [0, matrix[1, 1], matrix[1, 2]], [0, 0, 1]])
        off = np.abs(matrix - exact)
        skew, off[0, 1] = off[0, 1], 0
        if off.max() >= MOST_NOISE or min(matrix[0, 0], matrix[1, 1]) <= 0:
            self._error("camera_matrix", "it is no camera matrix", "it is fx 0 cx / 0 fy cy / 0 0 1, in pixels", place)
        elif skew >= MOST_NOISE:
            # OpenCV reads fx, fy, cx and cy, and passes over the skew without a word.
            what = f"the camera matrix has a skew of {matrix[0, 1]:.6g} px, which OpenCV's model does not know"
            self._error("camera_matrix", what, "calibrate without skew, so that the matrix is fx 0 cx / 0 fy cy / 0 0 1", place)
        elif size is None:
            pass
        elif not (0 < matrix[0, 2] < size[0] and 0 < matrix[1, 2] < size[1]):
            centre = f"{matrix[0, 2]:.0f}, {matrix[1, 2]:.0f}"
            what = f"the optical centre ({centre}) lies outside of pictures of {size[0]}x{size[1]} pixels"
            self._error("size", what, "state the size of the pictures that were calibrated; a crop or resize comes after", place)
        elif not self.is_released:
            self._look_for_folds(side, Camera(exact, distortion), size)
        return Camera(exact, distortion)

    def _look_for_folds(self, side: str, camera: Camera, size: tuple[int, int]) -> None:
        share = camera.folded_share(size)
        if not share:
            return
        what = f"the lens model of the {side} camera folds in {_percent(share)} of pictures of {size[0]}x{size[1]}: it has no inverse there"
        fix = "calibrate again with the board in every corner, or with fewer coefficients; or state the size that was calibrated"
        place = self._entry(f"distortion of the {side} camera").place
        if share >= MOST_FOLDED_SHARE:
            self._error("distortion", what, fix, place)
        else:
            self.faults.warning(self.document.name, "distortion", f"{what}, and labels there are left out", fix, place=place)

    def _distortion(self, side: str) -> Matrix | None:
        entry = self._entry(f"distortion of the {side} camera")
        values = self._numbers(entry)
        if values is None:
            return None
        flat = values.ravel()
        if len(flat) not in MODELS:
            lengths = ", ".join(map(str, MODELS))
            what = f"{len(flat)} coefficients of distortion are of no model of OpenCV"
            self._error("distortion", what, f"give {lengths} numbers: k1 k2 p1 p2 k3 ...", entry.place)
            return None
        return flat

    def _rotation(self) -> Matrix | None:
        rotation = self._vector("rotation", (3, 3))
        if rotation is None:
            return None
        place = self._entry("rotation").place
        left, _, right = np.linalg.svd(rotation)
        nearest: Matrix = left @ right
        error = float(np.abs(rotation - nearest).max())
        if error > ROTATION_ERROR:
            what = f"R is no rotation: it is {error:.2g} off the nearest one"
            self._error("rotation", what, "copy all nine numbers, row by row, from the calibration", place)
        elif np.linalg.det(nearest) < 0:
            what = "R is a mirror and no rotation: its determinant is -1"
            self._error("rotation", what, "calibrate again with pictures that are not mirrored", place)
        return nearest

    def _of_convention(self, rig: Rig) -> Rig:
        stated = self.document.first([CONVENTION_KEY])
        if stated is None:
            return rig
        text = re.sub(r"\s", "", str(stated.value)).casefold()
        if text == INVERSE:
            return rig.inverse_motion()
        if text != re.sub(r"\s", "", CONVENTION).casefold():
            self._error("convention", f"'{stated.value}' is no convention", f"state '{CONVENTION}' or its inverse", stated.place)
        return rig

    def _refuse_impossible(self, rig: Rig) -> None:
        """Note rigs that no left and right camera can be."""
        x, y, z = rig.right_centre
        place = self._entry("translation").place
        if rig.baseline_mm == 0:
            self._error("translation", "both cameras stand at one place: t is 0", "copy t from the calibration", place)
        elif abs(y) > abs(x) or abs(z) > abs(x):
            where = "above or below" if abs(y) >= abs(z) else "before or behind"
            what = f"the right camera would stand {where} the left one ({x:.3g}, {y:.3g}, {z:.3g} {rig.unit})"
            self._error("translation", what, "the pictures must be upright, and the cameras beside one another", place)
        elif x < 0:
            fix = f"state R and t as {CONVENTION}, or add '{CONVENTION_KEY}: X_left = R X_right + t', or exchange both cameras' keys"
            self._error("convention", f"the right camera would stand {-x:.3g} {rig.unit} left of the left one", fix, place)
        if rig.angle_deg > MOST_ANGLE_DEG:
            what = f"the cameras would be turned by {rig.angle_deg:.0f} degrees to one another"
            self._error("rotation", what, "copy R from the calibration", self._entry("rotation").place)

    def _unit(self, stated: str | None) -> str | None:
        entry = self.document.first([UNIT])
        if entry is not None and stated is not None and str(entry.value) != stated:
            self._error(UNIT, f"it says '{entry.value}', but '{stated}' is asked for", "correct one of them", entry.place)
        unit = stated if entry is None else str(entry.value)
        if unit is None:
            names = ", ".join(MM_PER_UNIT)
            self._error(UNIT, "it does not say in which unit t is", f"add the line 'unit: mm' ({names}), or pass --unit", "")
        elif unit not in MM_PER_UNIT:
            self._error(UNIT, f"'{unit}' is no unit", f"use one of {', '.join(MM_PER_UNIT)}", "" if entry is None else entry.place)
            return None
        return unit

    def _size(self, stated: tuple[int, int] | None) -> tuple[int, int] | None:
        both = [self.document.first([key]) for key in (WIDTH, HEIGHT)]
        entry = both[0] or self.document.first(SIZES)
        values: list[Any] = [one.value for one in both if one] if both[0] else (_listed(entry.value) if entry else [])
        if entry is None:
            if stated is None:
                fix = f"add '{WIDTH}: 960' and '{HEIGHT}: 540', or pass --size 960x540: the size of the pictures that were calibrated"
                self._error("size", "it does not say of which size the calibrated pictures are", fix, "")
            return stated
        if len(values) != 2 or not all(isinstance(value, int) and 0 < value <= MOST_SIDE_PX for value in values):
            fix = f"give two whole numbers of pixels, up to {MOST_SIDE_PX}"
            self._error("size", f"{values} is no width and height", fix, entry.place)
            return None
        size = (int(values[0]), int(values[1]))
        if stated not in (None, size):
            self._error(
                "size", f"it says {size[0]}x{size[1]}, but {stated[0]}x{stated[1]} is asked for", "correct one of them", entry.place
            )
        return size

    def _date(self) -> str:
        entry = self.document.first([DATE])
        if entry is None or entry.value in (None, ""):
            return ""
        if not STATED_DATE.fullmatch(str(entry.value)):
            self._error(DATE, f"'{entry.value}' is no date", "write 2024, 2024-03 or 2024-03-18", entry.place)
        return str(entry.value)

    def _recordings(self) -> tuple[str, ...]:
        entry = self.document.first([RECORDINGS])
        return () if entry is None else tuple(map(str, _listed(entry.value)))

    def _refuse_other_models(self) -> None:
        """Note whatever a file states of its lenses that is no model of OpenCV's pinhole camera, or has fewer coefficients than they do."""
        for entry in self.document.entries.values():
            for path, value in _leaves((entry.key,), entry.value) if entry.key != RECORDINGS else ():
                word = str(value)
                if lens_words.is_foreign(path, value):
                    names = ", ".join(dict.fromkeys(MODELS.values()))
                    fix = (
                        f"calibrate with OpenCV's pinhole model; if it is one of {names}, state it so; state a device under 'device', and "
                        "what else is to be noted behind '#', which is not read"
                    )
                    said = word if isinstance(value, str) else f"{'.'.join(path)}: {word}"
                    self._error(MODEL, f"the lens model '{printable(said)}' is not supported", fix, entry.place)
                    break
                # Of a device "none" says nothing of its lens.
                if lens_words.is_of_model(path) and ("dist" in lens_words.letters("".join(path)) or word.casefold() != "none"):
                    self._refuse_other_counts(word, entry.place)

    def _refuse_other_counts(self, word: str, place: str) -> None:
        """Note coefficients that a stated model of OpenCV does not have; those that it has and the file lacks are 0, as for OpenCV."""
        most = lens_words.most_coefficients(word)
        for side in ("left", "right"):
            values = self._numbers(self._entry(f"distortion of the {side} camera"))
            if values is not None and values.size in MODELS and values.ravel()[most:].any():
                behind = f" behind the first {most}" if most else ""
                what = f"the {side} camera has coefficients that are not 0{behind}, but the model is said to be '{printable(word)}'"
                self._error(MODEL, what, "correct the model or the coefficients", place)

    def _refuse_contradictions(self) -> None:
        """Note what stands under two names with different values: which one is meant is not guessed."""
        for what in KEYS:
            first, *others = self._of_size(what) or [Entry("", None, "")]
            for other in others:
                one, two = (_floats(entry.value) for entry in (first, other))
                if two is None:
                    self._numbers(other)
                elif one is not None and not _equal(one.ravel(), two.ravel()):
                    self._error("contradiction", f"it is another {what} than '{first.key}' is", "keep the right one of them", other.place)

    def _of_size(self, what: str) -> list[Entry]:
        """Return the entries under keys of something that have as many values as it has."""
        entries = (self.document.entries[key] for key in KEYS[what] if key in self.document.entries)
        return [entry for entry in entries if len(_listed(entry.value)) in COUNTS[what]]

    def _entry(self, what: str) -> Entry:
        return next(iter(self._of_size(what)), None) or self.document.first(KEYS[what]) or Entry("", None, "")

    def _vector(self, what: str, shape: tuple[int, ...]) -> Matrix | None:
        entry = self._entry(what)
        values = self._numbers(entry)
        if values is None:
            if not entry.key:
                first, *others = KEYS[what]
                self._error("missing", f"it has no {what}", f"add it under the key {first} (or {', '.join(others)})", "")
            return None
        if values.size != int(np.prod(shape)):
            self._error("shape", f"it has {values.size} numbers and not {int(np.prod(shape))}", f"give the {what}", entry.place)
            return None
        return values.reshape(shape)

    def _numbers(self, entry: Entry) -> Matrix | None:
        """Return the value of an entry as numbers; None when there is none, or when it was noted that they are none."""
        if not entry.key:
            return None
        values = _floats(entry.value)
        if values is None:
            self._error("numbers", "it is no list of numbers", "copy it from the calibration", entry.place)
        return values

    def _error(self, rule: str, what: str, fix: str, place: str) -> None:
        self.faults.error(self.document.name, rule, what, fix, place=place)


def _percent(share: float) -> str:
    """Return a share for reading.

    >>> _percent(0.0012), _percent(0.345)
    ('0.12 %', '34 %')
    """
    return f"{100 * share:.2g} %"


def _floats(value: Any) -> Matrix | None:
    """Return a value of a file as numbers; None when it is something else."""
    try:
        values = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    return values if values.size and np.isfinite(values).all() else None


def _equal(one: Matrix, other: Matrix) -> bool:
    """Whether two lists are one as far as six digits tell; coefficients of distortion that the shorter one does not have are 0."""
    length = max(len(one), len(other))
    first, second = (np.pad(values, (0, length - len(values))) for values in (one, other))
    return np.allclose(first, second, rtol=1e-5, atol=MOST_NOISE)


def _leaves(path: tuple[str, ...], value: Any) -> Iterable[tuple[tuple[str, ...], Any]]:
    """Return every single value that a value holds, and the keys that lead to it; none of what is empty."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves((*path, str(key)), part)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(path, part)
    elif value not in (None, ""):
        yield path, value


def _listed(value: Any) -> list[Any]:
    """Return a list or a matrix of OpenCV as one flat list; a single value as a list of it."""
    if isinstance(value, list):
        return [one for item in value for one in _listed(item)]
    return [] if value in (None, "") else [value]
