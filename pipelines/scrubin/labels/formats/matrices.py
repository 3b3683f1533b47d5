"""Matrices of frames by classes from array files: npz, npy, CSV, parquet and JSON."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from scrubin.errors import AnnotationError, MetricsError
from scrubin.evaluation.series import IntArray, Track
from scrubin.labels import documents
from scrubin.labels.formats import matrix_tables
from scrubin.labels.formats.matrix_tables import Found
from scrubin.labels.rates import Numbering

Role = Literal["truth", "predictions"]
ROLE_KEYS: Mapping[Role, tuple[str, ...]] = {"truth": ("targets", "labels"), "predictions": ("predictions", "scores")}
FRAME_KEYS = ("frame", "frames")
LENGTHS_KEY = "video_lengths"
OWN_TABLES = ("triplets.parquet", "triplets.csv")
"""What a folder of our tables holds: these are labels, not a matrix of one video."""


def files_in(path: Path) -> list[Path]:
    """Return the array files of a path: itself, or those directly in a folder, all of one kind; empty when there are none."""
    if path.is_file():
        return [path] if path.suffix.lower() in READERS or _is_list_of_scores(path) else []
    if not path.is_dir() or any((path / name).is_file() for name in OWN_TABLES):
        return []
    files = [file for file in sorted(path.iterdir()) if file.is_file() and not file.name.startswith(".")]
    found = [file for file in files if file.suffix.lower() in READERS or _is_list_of_scores(file)]
    kinds = sorted({file.suffix.lower() for file in found})
    if len(kinds) > 1:
        msg = f"{path}: there are array files of several kinds ({', '.join(kinds)}); keep one kind, or name one file"
        raise MetricsError(msg)
    return found


def read(files: list[Path], role: Role, component: str, classes: int, fps: Fraction | None) -> dict[str, Track]:
    """Return the matrix of every video.

    Parameters
    ----------
    files
        One per video, named after it; or tables of several videos with a column ``id``; or an archive of several, one after the
        other, with their lengths in ``video_lengths``.
    role
        Which matrix of an archive that has both.
    component
        Which matrix of an archive of several: ``ivt`` or ``i``.
    classes
        How many columns a matrix must have.
    fps
        Frames per second by which frames are numbered, where it is said.

    Raises
    ------
    MetricsError
        Names file, place and mend of everything that cannot be used.
    """
    found: dict[str, Track] = {}
    faults: list[str] = []
    numbering = None if fps is None else Numbering(fps)
    for file in files:
        try:
            for name, (frames, values) in READERS.get(file.suffix.lower(), _json)(file, role, component, classes).items():
                if name in found:
                    faults.append(f"{file.name}: video {name} is also in another file; give every video once")
                else:
                    found[name] = _track(
                        f"{file.name}: video {name}" if name != file.stem else file.name, frames, values, classes, numbering, role
                    )
        except (MetricsError, AnnotationError) as error:
            faults.append(str(error))
    if faults:
        raise MetricsError("\n  ".join(["the matrices cannot be used:", *faults] if len(faults) > 1 else faults))
    return found


def component_of(file: Path) -> str:
    """Return what a file of labels holds: ``ivt``, or ``i`` where only instruments are labelled."""
    suffix = file.suffix.lower()
    if suffix == ".npz":
        names = set(_archive(file))
        return "i" if "i" in names and "ivt" not in names else "ivt"
    columns: set[str] = set()
    if suffix == ".parquet":
        columns = set(map(str, matrix_tables.read_parquet(file).columns))
    elif suffix == ".csv":
        columns = set(matrix_tables.header_of(file) or ())
    by_instrument, by_triplet = (
        {f"{prefix}0" for prefix in prefixes} & columns for prefixes in (("i_", "instrument_"), ("ivt_", "triplet_"))
    )
    return "i" if by_instrument and not by_triplet else "ivt"


def _track(where: str, frames: IntArray | None, values: npt.NDArray[Any], classes: int, numbering: Numbering | None, role: Role) -> Track:
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        msg = f"{where}: the matrix has the shape {values.shape} and type {values.dtype}; give numbers, frames by {classes} classes"
        raise MetricsError(msg)
    if values.shape[1] != classes:
        hint = "; is the first column the frame? name it 'frame' in a header" if values.shape[1] == classes + 1 else ""
        msg = f"{where}: {values.shape[1]} classes, expected {classes} in the order of the vocabulary{hint}"
        raise MetricsError(msg)
    numbers = np.arange(len(values), dtype=np.int64) if frames is None else _whole(where, frames)
    if len(numbers) != len(values):
        msg = f"{where}: {len(numbers)} frame numbers for {len(values)} rows; give one per row"
        raise MetricsError(msg)
    order = np.argsort(numbers, kind="stable")
    numbers = numbers[order]
    twice = np.flatnonzero(np.diff(numbers) == 0)
    if len(twice) or (len(numbers) and numbers[0] < 0):
        fault = f"frame {numbers[twice[0]]} stands twice" if len(twice) else f"frame {numbers[0]} is below 0"
        msg = f"{where}: {fault}; give every frame once, numbered from 0"
        raise MetricsError(msg)
    _check_values(where, numbers, values[order], role)
    return Track(numbers, values[order], numbering)


def _check_values(where: str, frames: IntArray, values: npt.NDArray[Any], role: Role) -> None:
    wrong = (values != 0) & (values != 1) if role == "truth" else ~np.isfinite(values)
    if not wrong.any():
        return
    row, column = (int(place) for place in np.argwhere(wrong)[0])
    what, rule = {
        "truth": ("label", "labels are 0 or 1; are ground truth and predictions swapped?"),
        "predictions": ("score", "scores must be finite; give a number for every class"),
    }[role]
    msg = f"{where}: the {what} of frame {frames[row]}, class {column} is {values[row, column]}; {rule}"
    raise MetricsError(msg)


def _whole(where: str, frames: npt.NDArray[Any]) -> IntArray:
    array = np.asarray(frames)
    if array.ndim != 1 or array.dtype.kind not in "iuf" or not np.array_equal(array, np.floor(array)):
        msg = f"{where}: the frame numbers are no whole numbers; give one per row"
        raise MetricsError(msg)
    return array.astype(np.int64)


def _archive(file: Path) -> dict[str, npt.NDArray[Any]]:
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        msg = f"{file.name}: cannot be read as npz: {str(error).splitlines()[0]}; write it again by numpy.savez"
        raise MetricsError(msg) from error


def _npz(file: Path, role: Role, component: str, classes: int) -> Found:
    arrays = _archive(file)
    frames = next((arrays[key] for key in FRAME_KEYS if key in arrays), None)
    named = [key for key in (component, *ROLE_KEYS[role]) if key in arrays]
    # What is named as the other side is not taken for this one: the paths may be swapped.
    foreign = [key for keys in ROLE_KEYS.values() for key in keys if key not in ROLE_KEYS[role]]
    others = [key for key in arrays if key not in (*FRAME_KEYS, LENGTHS_KEY, *foreign)]
    if not named and len(others) != 1:
        names = " or ".join(f"'{key}'" for key in (component, *ROLE_KEYS[role]))
        msg = f"{file.name}: holds {', '.join(sorted(arrays)) or 'nothing'}; name the matrix of the {role} {names}"
        raise MetricsError(msg)
    matrix = arrays[(named or others)[0]]
    return {file.stem: (frames, matrix)} if LENGTHS_KEY not in arrays else _parts(file, matrix, frames, arrays[LENGTHS_KEY])


def _parts(file: Path, matrix: npt.NDArray[Any], frames: IntArray | None, lengths: npt.NDArray[Any]) -> Found:
    """Return the videos of a matrix that holds several, named by their numbers."""
    if lengths.ndim != 1 or lengths.dtype.kind not in "iu" or (lengths < 0).any() or int(lengths.sum()) != len(matrix):
        msg = f"{file.name}: '{LENGTHS_KEY}' are {lengths.tolist()} for a matrix of {len(matrix)} rows; give the frames of each video"
        raise MetricsError(msg)
    ends = np.cumsum(lengths)[:-1]
    numbers: list[Any] = [None] * len(lengths) if frames is None else np.split(frames, ends)
    return {str(number): pair for number, pair in enumerate(zip(numbers, np.split(matrix, ends), strict=True))}


def _npy(file: Path, role: Role, component: str, classes: int) -> Found:
    try:
        return {file.stem: (None, np.load(file, allow_pickle=False))}
    except (OSError, ValueError) as error:
        msg = f"{file.name}: cannot be read as npy: {str(error).splitlines()[0]}; write it again by numpy.save"
        raise MetricsError(msg) from error


def _parquet(file: Path, role: Role, component: str, classes: int) -> Found:
    return matrix_tables.of_parquet(file, component, classes)


def _csv(file: Path, role: Role, component: str, classes: int) -> Found:
    return matrix_tables.of_csv(file, component, classes)


def _is_list_of_scores(file: Path) -> bool:
    """Return whether a JSON file has a plain list of numbers per frame."""
    if file.suffix.lower() != ".json":
        return False
    try:
        document = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(document, Mapping)
        and bool(document)
        and all(documents.frame_number(key) is not None and isinstance(value, list) for key, value in document.items())
    )


def _json(file: Path, role: Role, component: str, classes: int) -> Found:
    document = documents.json_object(file.name, file.read_bytes())
    rows: dict[int, list[Any]] = {}
    for key, value in document.items():
        frame = documents.frame_number(key)
        if frame is None or frame in rows:
            msg = f"{file.name}: the key '{key}' {'stands twice' if frame in rows else 'is no frame number'}; number frames from 0"
            raise MetricsError(msg)
        if len(value) != classes or not all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in value):
            msg = f"{file.name}, frame {key}: expected {classes} numbers, but got {documents.shown(value)}"
            raise MetricsError(msg)
        rows[frame] = value
    frames = sorted(rows)
    return {file.stem: (np.array(frames, np.int64), np.array([rows[frame] for frame in frames], np.float64).reshape(len(frames), classes))}


READERS: Mapping[str, Callable[[Path, Role, str, int], Found]] = {".npz": _npz, ".npy": _npy, ".csv": _csv, ".parquet": _parquet}
