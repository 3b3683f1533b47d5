"""A rig as OpenCV's YAML or in whatever form it was delivered, read with every doubt, written so that nobody must guess.

Nothing is guessed: what a file does not say, the unit of lengths above all, is asked for.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.base import machine, strangers
from scrubin.base.errors import CalibrationError, FileError
from scrubin.base.faults import Faults, error, printable
from scrubin.base.files import write_text
from scrubin.base.text import repeated_keys
from scrubin.media.rigs.rig import CONVENTION, MM_PER_UNIT, MODELS, MOST_FOLDED_SHARE, Camera, Matrix, Rig

MATRIX_TAGS = ("tag:yaml.org,2002:opencv-matrix", "tag:yaml.org,2002:opencv-nd-matrix")
"""OpenCV 5 writes an array of one dimension with the second one."""
# OpenCV up to version 4 writes the version with a colon, which YAML does not have.
JSON_MATRICES = ("opencv-matrix", "opencv-nd-matrix")
"""JSON has no tags: there OpenCV writes them as a key."""
HEADER = re.compile(r"\A\ufeff?%YAML[: ]\S*[ \t]*\r?\n")


@dataclass(frozen=True)
class Entry:
    """A value of the file, and where it stands."""

    key: str
    value: Any
    place: str


@dataclass(frozen=True)
class Document:
    """A calibration file.

    Parameters
    ----------
    name
        The file as the curator knows it.
    entries
        By key.
    """

    name: str
    entries: dict[str, Entry]

    def first(self, keys: Iterable[str]) -> Entry | None:
        """Return the entry of the first of these keys that the file has."""
        return next((self.entries[key] for key in keys if key in self.entries), None)


def parse(data: bytes, name: str) -> Document:
    """Return what a calibration file says; matrices of OpenCV are arrays.

    Raises
    ------
    CalibrationError
        When it is empty, no YAML, or no mapping of keys to values.
    """
    machine.require_package("yaml", name)
    import yaml

    if not data.strip():
        raise _unreadable(name, "it is empty", "copy it again")
    try:
        text = _yaml(data)
        strangers.refuse_yaml_bomb(text, name)
        loader = yaml.SafeLoader(text)
        # Objects are made here, and not by tags that a file brings along.
        node = loader.get_single_node()
        entries = dict(_entries(loader, node, yaml)) if isinstance(node, yaml.MappingNode) else {}
    except (yaml.YAMLError, *strangers.BROKEN_VALUES) as fault:
        mark = getattr(fault, "problem_mark", None)
        why = getattr(fault, "problem", None) or ("its bytes are no text" if isinstance(fault, UnicodeDecodeError) else _said(fault))
        raise _unreadable(
            name, f"it is no YAML ({why})", "copy it again, or correct it", f"line {mark.line + 1}" if mark else ""
        ) from fault
    if not entries:
        raise _unreadable(name, "it has no keys", "name the YAML file with camera matrices, distortion, R and t")
    return Document(name, entries)


def _yaml(data: bytes) -> str:
    """Return the text with an empty first line in place of OpenCV's, so that lines keep their numbers."""
    return HEADER.sub("\n", data.decode("utf-8"))


def _said(fault: Exception) -> str:
    return printable(fault.strerror if isinstance(fault, FileError) else str(fault) or type(fault).__name__)


def _entries(loader: Any, node: Any, yaml: Any) -> Iterable[tuple[str, Entry]]:
    for key_node, value_node in node.value:
        key = str(loader.construct_object(key_node))
        if value_node.tag in MATRIX_TAGS and isinstance(value_node, yaml.MappingNode):
            value = _matrix(loader.construct_mapping(value_node, deep=True))
        else:
            value = loader.construct_object(value_node, deep=True)
            if isinstance(value, dict) and value.get("type_id") in JSON_MATRICES:
                value = _matrix(value)
        yield key, Entry(key, value, f"line {key_node.start_mark.line + 1}, key '{key}'")


def _matrix(parts: dict[str, Any]) -> Any:
    """Return an OpenCV matrix as nested lists; what is no matrix is returned as it is, for its reader to refuse."""
    values, shape = parts.get("data"), parts.get("sizes", [parts.get("rows"), parts.get("cols")])
    if not isinstance(values, list) or not isinstance(shape, list) or not all(isinstance(length, int) for length in shape):
        return parts
    return np.array(values, dtype=object).reshape(shape).tolist() if math.prod(shape) == len(values) else parts


def _unreadable(name: str, what: str, fix: str, place: str = "") -> CalibrationError:
    return CalibrationError([error(name, "calibration", what, fix, place=place)])


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
ANY = set(MODELS)
STATED_MODELS: dict[str, set[int]] = {
    **{re.sub("-", "", model): {count for count, own in MODELS.items() if own == model} for model in MODELS.values()},
    **{"radtan": {4, 5}, "rationalpolynomial": {8}, "fullopencv": {8}, "none": ANY},
    **dict.fromkeys(("plumbbob", "brown", "brownconrady", "conrady", "opencv", "standard", "polynomial", "pinhole", "perspective"), ANY),
}
"""Words by which files state a model of OpenCV, their letters only, and of how many coefficients it is."""
OWN_WORD = re.compile("|".join(sorted(STATED_MODELS, key=len, reverse=True)))
FISHEYE, NOT_SO = "fisheye", {"0", "0.0", "false", "no", "n", "off", "none"}
FOREIGN = re.compile(rf"{FISHEYE}|equidistant|equisolid|kannala|omnidir|eucm|doublesphere|scaramuzza")
"""Names of models that are not OpenCV's, which mean nothing else: they count wherever a file has them."""
FOREIGN_ALONE = {"kb", "kb4", "kb8", "mei", "ds", "fov", "equi", "omni", "ocam", "ocamcalib", "division"}
"""Names of such models that are other words, too: they count where a key of `ABOUT_LENSES` states nothing else, but words of OpenCV's."""
ABOUT_LENSES = re.compile("model|type|lens|dist|projection|camera|flags")
CLOSED_KEY = re.compile("dist(ortion)?(model|type|name)(left|right)?$")
"""Keys whose values are models of lenses, and never names of devices: what is unknown there is refused."""
MODEL_KEY = re.compile(r"(camera|lens|projection)?model(type)?(left|right)?")
"""Keys whose values are models of lenses or of devices: of what is known there the coefficients are counted."""
DENIED, MOST_WORDS = {"not", "no", "non", "never", "without"}, 4
"""A text that denies, or of more words under another key, is a note."""
FILE_NAME = re.compile(r"[/\\]|\.[A-Za-z]\w{1,4}$")


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
    faults.extend(repeated_keys.of_text(_yaml(data), name))
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
        """Note whatever a file states of its lenses that is no model of OpenCV's pinhole camera, or of another number of coefficients."""
        for entry in self.document.entries.values():
            for path, value in _leaves((entry.key,), entry.value) if entry.key != RECORDINGS else ():
                key, word = _letters("".join(path)), str(value)
                if FISHEYE in key:
                    is_denied = bool(DENIED & {*_words(".".join(path))})
                    is_other = (word.casefold() in NOT_SO) == is_denied
                    word = f"{'.'.join(path)}: {word}"
                else:
                    is_other = isinstance(value, str) and _is_foreign(key, word)
                    is_other |= bool(CLOSED_KEY.search(key)) and not _own_words(word)
                if is_other:
                    names = ", ".join(dict.fromkeys(MODELS.values()))
                    fix = f"calibrate with OpenCV's pinhole model; if it is one of {names}, state it so; a device's name needs another key"
                    self._error(MODEL, f"the lens model '{printable(word)}' is not supported", fix, entry.place)
                    break
                if CLOSED_KEY.search(key) or (MODEL_KEY.fullmatch(key) and word.casefold() != "none"):
                    self._refuse_other_counts(word, entry.place)

    def _refuse_other_counts(self, word: str, place: str) -> None:
        """Note coefficients of another number than a stated model of OpenCV has, or such that are not 0 where there are to be none."""
        own = _own_words(word)
        for side in ("left", "right") if own else ():
            values = self._numbers(self._entry(f"distortion of the {side} camera"))
            if values is None or values.size not in MODELS:
                continue
            if any(values.size not in STATED_MODELS[one] for one in own):
                has = f"{values.size} coefficients"
            elif "none" in own and values.any():
                has = "coefficients that are not 0"
            else:
                continue
            what = f"the {side} camera has {has}, but the model is said to be '{printable(word)}'"
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


def _letters(text: str) -> str:
    """Return the letters of a text, so that spellings are one.

    >>> _letters("FISH_EYE-model 2")
    'fisheyemodel'
    """
    return re.sub(r"[^a-z]", "", text.casefold())


def _words(text: str) -> list[str]:
    """Return the words of a text in small letters, also of such as are written in one.

    >>> _words("notFisheye"), _words("KB4, pinhole-equi")
    (['not', 'fisheye'], ['kb4', 'pinhole', 'equi'])
    """
    return re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).casefold())


def _own_words(text: str) -> list[str]:
    """Return by which words of `STATED_MODELS` a text states a model; none when it says anything else.

    >>> _own_words("plumb_bob (OpenCV)"), _own_words("PINHOLE"), _own_words("pinhole-equi")
    (['plumbbob', 'opencv'], ['pinhole'], [])
    """
    letters = _letters(text)
    words = OWN_WORD.findall(letters)
    return words if "".join(words) == letters else []


def _is_foreign(key: str, text: str) -> bool:
    """Return whether a text states a lens model that is not OpenCV's; of its key the letters.

    >>> _is_foreign("lens", "FISH_EYE"), _is_foreign("cameramodel", "pinhole-equi"), _is_foreign("author", "Mei")
    (True, True, False)
    >>> _is_foreign("note", "not a fisheye"), _is_foreign("source", "fisheye/left.png"), _is_foreign("camera", "Endocam Logic")
    (False, False, False)
    """
    words = _words(text)
    is_of_lenses = bool(ABOUT_LENSES.search(key))
    if DENIED & {*words} or FILE_NAME.search(text) or (len(text.split()) > MOST_WORDS and not is_of_lenses):
        return False
    if FOREIGN.search(_letters(text)):
        return True
    others = [word for word in words if word not in FOREIGN_ALONE]
    return is_of_lenses and len(others) < len(words) and all(_own_words(word) for word in others)


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
        rig = read(path, name, is_released=True)
        for id_ in rig.recordings:
            if id_ in by_id:
                raise CalibrationError(f"{name}: recording '{id_}' stands in another calibration, too; run 'scrubin verify {folder}'")
            by_id[id_] = rig
    return by_id
