"""Files of matrices, of numpy, of tables or in JSON, to labels or predictions of recordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.base import strangers, unpacking
from scrubin.base.errors import FileError
from scrubin.base.faults import Faults
from scrubin.base.text import csv_text
from scrubin.base.vocabulary.vocabulary import COMPONENTS, Vocabulary, fold
from scrubin.labels import registry
from scrubin.labels.formats.plain import matrix_tables
from scrubin.labels.formats.plain.matrix import CheckedMatrix, Matrix, Meaning, checked, is_by_vocabulary
from scrubin.labels.model import ClassesOf, Clock, Collection, LabelFiles, Labels, Layer, Recognition
from scrubin.labels.parse import columns, documents, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, dataset_format
from scrubin.labels.rows import instances_of_classes

Arrays = Mapping[str, npt.NDArray[Any]]
Named = tuple[npt.NDArray[Any], tuple[ClassesOf | None, Meaning | None]]
CLASSES: tuple[ClassesOf, ...] = ("ivt", "i")
"""Our own archives have a matrix of triplets, and of each part; that of the triplets says all."""
MEANINGS: Mapping[str, Meaning] = {"targets": "labels", "labels": "labels", "predictions": "scores", "scores": "scores"}
LENGTHS = "video_lengths"
EMPTY = np.zeros(0)
KNOWN: Mapping[str, str] = {fold(name): name for name in (*CLASSES, *(f"{one}_ids" for one in CLASSES), *MEANINGS, LENGTHS)}
NAMING = "another format, such as COCO"
"""What would say which classes the columns of a matrix are."""


def has_matrix(path: Path) -> bool:
    """Return whether an array file can be a matrix: only an array with one value per frame, as of phases, can not."""
    try:
        arrays = unpacking.arrays(strangers.read_bytes(path), "", packed=path.suffix.lower() == ".npz")
    except OSError:
        return True
    return any(array.ndim != 1 for array in arrays.values())


def read_npy(file: str, data: bytes, faults: Faults) -> dict[str, list[Matrix]]:
    """Return the matrix of an npy file by recording; an empty mapping after noting what is wrong."""
    arrays = _arrays(file, data, ".npy", faults)
    return {} if arrays is None else {PurePosixPath(file).stem: [Matrix(file, "", None, arrays[""])]}


def read_npz(file: str, data: bytes, faults: Faults) -> dict[str, list[Matrix]]:
    """Return the matrices of an npz file by recording: labels and scores, where it has both."""
    written = _arrays(file, data, ".npz", faults)
    arrays = None if written is None else _by_known_name(file, written, faults)
    if arrays is None:
        return {}
    number = columns.first_of(arrays, "frame")
    frames = None if number is None else arrays[number]
    unnumbered = {name: array for name, array in arrays.items() if name != number}
    named = _named(file, unnumbered, faults)
    if number is None and _may_be_numbered(file, arrays, {len(array) for array, _ in named if array.ndim}, faults):
        return {}
    if _may_order_columns(file, unnumbered, named, faults):
        return {}
    if LENGTHS not in arrays:
        return {PurePosixPath(file).stem: [Matrix(file, "", frames, array, *says) for array, says in named]} if named else {}
    by_recording: dict[str, list[Matrix]] = {}
    for array, says in named:
        for name, part_frames, part in _parts(file, array, frames, arrays[LENGTHS], faults):
            by_recording.setdefault(name, []).append(Matrix(file, f"video {name}", part_frames, part, *says))
    return by_recording


def is_list_of_scores(path: Path) -> bool:
    """Return whether a JSON file has a plain list per frame."""
    document = registry.document(path)
    return (
        isinstance(document, Mapping)
        and bool(document)
        and all(documents.frame_number(key) is not None and isinstance(value, list) for key, value in document.items())
    )


def read_json(file: str, data: bytes, faults: Faults) -> dict[str, list[Matrix]]:
    """Return the lists of scores of a JSON file as a matrix, by recording."""
    document = documents.opened(documents.json_object, file, data, faults)
    if document is None:
        return {}
    before = len(faults)
    rows = {frame: row for key, value in document.items() for frame, row in _row(file, key, value, faults)}
    widths = {len(row) for row in rows.values()}
    if len(widths) > 1:
        what = f"frames have {' or '.join(map(str, sorted(widths)))} scores"
        faults.error(file, "matrix-classes", what, "give one per class in every frame")
    if len(rows) < len(document) and len(faults) == before:
        faults.error(file, "frame-repeated", "a frame stands twice", "give every frame once")
    if len(faults) > before:
        return {}
    frames = sorted(rows)
    values = np.array([rows[frame] for frame in frames], np.float64).reshape(len(frames), max(widths, default=0))
    return {PurePosixPath(file).stem: [Matrix(file, "", np.array(frames, np.int64), values)]}


def _arrays(file: str, data: bytes, suffix: str, faults: Faults) -> Arrays | None:
    try:
        return unpacking.arrays(data, "", packed=suffix == ".npz")
    except FileError as error:
        fix = f"write it again by numpy.save{'z' if suffix == '.npz' else ''}"
        faults.error(file, "array-syntax", f"cannot be read as {suffix[1:]}: {error}", fix)
        return None


def _by_known_name(file: str, arrays: Arrays, faults: Faults) -> Arrays | None:
    """Return arrays by the names that are known here, however these are written; None after noting two of one name."""
    named: dict[str, npt.NDArray[Any]] = {}
    written: dict[str, str] = {}
    for name, array in arrays.items():
        known = KNOWN.get(fold(name), name)
        if known in named:
            what = f"the arrays '{csv_text.shown(written[known])}' and '{csv_text.shown(name)}' have one name"
            faults.error(file, "archive-keys", what, "keep one of them")
            return None
        named[known], written[known] = array, name
    return named


def _named(file: str, arrays: Arrays, faults: Faults) -> list[Named]:
    """Return the matrices of an archive with what their names say of classes and meaning."""
    classes = next((name for name in CLASSES if name in arrays), None)
    named: list[Named] = []
    if classes is not None:
        named.append((arrays[classes], (classes, None)))
    named += [(arrays[name], (None, meaning)) for name, meaning in MEANINGS.items() if name in arrays]
    others = [name for name, array in arrays.items() if name != LENGTHS and array.ndim != 1]
    if not named and len(others) == 1:
        named = [(arrays[others[0]], (None, None))]
    if named:
        in_order = [_in_order(file, arrays, array, says, faults) for array, says in named]
        return [one for one in in_order if one is not None]
    what = f"holds {', '.join(sorted(arrays)) or 'nothing'}"
    fix = f"name the matrix 'ivt' or 'i', or one of labels {_quoted('labels')}, one of predictions {_quoted('scores')}"
    faults.error(file, "archive-keys", what, fix)
    return []


def _in_order(
    file: str, arrays: Arrays, array: npt.NDArray[Any], says: tuple[ClassesOf | None, Meaning | None], faults: Faults
) -> Named | None:
    """Return a matrix with its columns in the order of the vocabulary, where the archive numbers them as our own ones do."""
    width = array.shape[1] if array.ndim == 2 else -1
    classes = next((one for one in CLASSES if says[0] in (None, one) and arrays.get(f"{one}_ids", EMPTY).shape == (width,)), None)
    stated = [name for name in _names_of_ids(says[0]) if name in arrays]
    if not stated:
        return array, says
    ids = EMPTY if classes is None else arrays[f"{classes}_ids"]
    if classes is None or ids.dtype.kind not in "iu" or sorted(ids.tolist()) != list(range(width)):
        what = f"'{stated[0]}' does not number the {width} columns of the matrix from 0, each class once"
        faults.error(file, "matrix-classes", what, f"give the id of each column, or leave '{stated[0]}' out for the vocabulary's order")
        return None
    return array[:, np.argsort(ids)], (classes, says[1])


def _may_be_numbered(file: str, arrays: Arrays, rows: set[int], faults: Faults) -> bool:
    """Note arrays with an entry per row that may number the rows of a matrix, as they are not numbered by a known one."""
    beside = {name: array for name, array in arrays.items() if name != LENGTHS and array.shape[:1] == (array.size,) and array.size in rows}
    unknown = [name for name, array in beside.items() if not columns.says_how_sure(name, [str(one) for one in array.ravel().tolist()])]
    if unknown:
        columns.note_unused(Where(faults, file), unknown, "array")
    return bool(unknown)


def _may_order_columns(file: str, arrays: Arrays, named: Sequence[Named], faults: Faults) -> bool:
    """Note arrays with an entry per column that may number the columns of a matrix, as they are not numbered by a known one."""
    known = {f"{one}_ids" for one in COMPONENTS if one in arrays} | {LENGTHS}
    videos = len(np.atleast_1d(arrays[LENGTHS])) if LENGTHS in arrays else None
    others = {name: array for name, array in arrays.items() if name not in known and array.shape != (videos,)}
    for matrix, (classes, _) in named:
        names = _names_of_ids(classes)
        if matrix.ndim == 2 and not any(name in arrays for name in names):
            unknown = [name for name, array in others.items() if _may_be_ids(array, *matrix.shape)]
            if unknown:
                columns.note_unused(Where(faults, file), unknown, "array", " or ".join(f"'{name}'" for name in names), "columns")
                return True
    return False


def _may_be_ids(array: npt.NDArray[Any], rows: int, width: int) -> bool:
    """Return whether an array may say which class each column is, in another order than the vocabulary's: numbers or names, each once."""
    if array.shape != (width,) and (array.shape != (1, width) or rows == 1):
        return False
    cells = array.ravel()
    if array.dtype.kind not in "iufUS" or len(np.unique(cells)) < max(width, 2):
        return False
    if array.dtype.kind in "US":
        return rows != width
    numbers = [np.arange(width), np.arange(1, width + 1)]
    return any(np.array_equal(np.sort(cells), one) for one in numbers) and not any(np.array_equal(cells, one) for one in numbers)


def _names_of_ids(classes: ClassesOf | None) -> list[str]:
    """Return the names of the arrays that number the columns of a matrix."""
    return [f"{one}_ids" for one in CLASSES if classes in (None, one)]


def _quoted(meaning: Meaning) -> str:
    return " or ".join(f"'{name}'" for name, of in MEANINGS.items() if of == meaning)


def _parts(
    file: str, matrix: npt.NDArray[Any], frames: npt.NDArray[Any] | None, lengths: npt.NDArray[Any], faults: Faults
) -> list[tuple[str, npt.NDArray[Any] | None, npt.NDArray[Any]]]:
    """Return number, frames and rows of each video of a matrix that holds several, one after the other."""
    if lengths.ndim != 1 or lengths.dtype.kind not in "iu" or (lengths < 0).any() or int(lengths.sum()) != len(matrix):
        what = f"'{LENGTHS}' are {lengths.tolist()} for a matrix of {len(matrix)} rows"
        faults.error(file, "archive-lengths", what, "give the frames of each video")
        return []
    ends = np.cumsum(lengths)[:-1]
    numbers: list[Any] = [None] * len(lengths) if frames is None else np.split(frames, ends)
    return [(str(k), numbers[k], part) for k, part in enumerate(np.split(matrix, ends))]


def _row(file: str, key: str, value: Any, faults: Faults) -> list[tuple[int, list[float]]]:
    frame = documents.frame_number(documents.whole_text(key))
    if frame is None:
        faults.error(file, "frame-key", f"the key '{key}' is no frame number", "number frames from 0")
        return []
    if not isinstance(value, list) or not all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in value):
        what = f"expected a list of numbers, but got {documents.shown(value)}"
        faults.error(file, "value-type", what, "give one number per class", frames=[frame])
        return []
    return [(frame, [float(one) for one in value])]


READERS: Mapping[str, Callable[[str, bytes, Faults], dict[str, list[Matrix]]]] = {
    ".npz": read_npz,
    ".npy": read_npy,
    ".csv": matrix_tables.read_csv,
    ".parquet": matrix_tables.read_parquet,
    ".json": read_json,
}
EVIDENCE: Mapping[str, Callable[[Path], bool]] = {
    ".npz": has_matrix,
    ".npy": has_matrix,
    ".csv": matrix_tables.has_matrix,
    ".parquet": matrix_tables.has_matrix,
    ".json": is_list_of_scores,
}


def _has_matrix(path: Path) -> bool:
    return EVIDENCE[path.suffix.lower()](path)


@dataset_format(
    "matrices",
    # HeiChole's points of skill are a row of numbers, too, and have a format of their own.
    pattern=r"(?![^/]+_(?i:skill)\.csv$)[^/]+\.(?i:npz|npy|csv|parquet|json)",
    expected="<video>.npz, .npy, .csv, .parquet or .json, or a table of several videos with a column id",
    title="matrices, a row per frame and a column per class: labels of triplets or instruments, or predicted scores; read only",
    by_hand=ByHand(
        vocabulary="cholect50",
        named_by_folder=True,
        fps=Fraction(1),
        fps_unstated=True,
        evidence=_has_matrix,
        holds=("instances", "boxless", "empty frames", "recognition"),
        precedence=2,
    ),
)
def read(source: LabelFiles) -> Collection:
    """Return the labels or scores of the videos without an error; all faults are in ``Collection.faults``.

    The files are one per video, named after it, or tables of several videos with a column ``id``, or an archive of several,
    one after the other, with their lengths in ``video_lengths``.
    """
    faults = Faults()
    recordings: list[Labels] = []
    file_of: dict[str, str] = {}
    names = video_files.names_of(source.files, faults)
    for file, data in sorted(source.files.items()):
        for own, matrices in READERS[PurePosixPath(file).suffix.lower()](file, data, faults).items():
            name = names[file] if own == PurePosixPath(file).stem else own
            if file_of.setdefault(name, file) != file:
                faults.error(file, "file-repeated", f"the video {name} is also in {file_of[name]}", "give every video once")
                continue
            listed = columns.as_listed(Where(faults, file), source, NAMING) if _are_as_listed(source, matrices) else None
            checked_matrices = [checked(matrix, source.vocabulary, faults, listed) for matrix in matrices]
            sound = [one for one in checked_matrices if one is not None]
            recordings += [_labels(name, sound, source.vocabulary)] if len(sound) == len(checked_matrices) else []
    return Collection(tuple(sorted(recordings, key=lambda labels: labels.recording)), faults=faults.all())


def _are_as_listed(source: LabelFiles, matrices: Sequence[Matrix]) -> bool:
    """Return whether the columns of any matrix are what the ground truth lists in an order of its own."""
    vocabulary = source.vocabulary
    whole = {of: tuple(range(len(vocabulary.triplets if of else vocabulary.instruments))) for of in (True, False)}
    if all(one.ids == whole[one.triplets] for one in source.lists):
        return False
    first = source.lists[0]
    return not all(is_by_vocabulary(one, vocabulary, len(first.ids), triplets=first.triplets) for one in matrices)


def _labels(name: str, checked_matrices: Sequence[CheckedMatrix], vocabulary: Vocabulary) -> Labels:
    labels = next((one for one in checked_matrices if one.meaning == "labels"), None)
    scores = next((one for one in checked_matrices if one.meaning == "scores"), None)
    return Labels(
        recording=name,
        format="matrices",
        vocabulary=vocabulary,
        clock=Clock(Fraction(1)),
        instances=None if labels is None else _layer(labels, vocabulary),
        detail="triplet" if checked_matrices[0].classes == "ivt" else "instrument",
        recognition=None if scores is None else _recognition(scores, beside_labels=labels is not None),
    )


def _layer(labels: CheckedMatrix, vocabulary: Vocabulary) -> Layer:
    rows = instances_of_classes(labels.positions, labels.values, vocabulary, labels.classes)
    return Layer(labels.file, labels.positions, rows, boxless=True)


def _recognition(scores: CheckedMatrix, *, beside_labels: bool) -> Recognition:
    # Scores of single precision stay so: the mean of several models would be another one.
    values = scores.values if scores.values.dtype.kind == "f" else scores.values.astype(np.float64)
    return Recognition(scores.file, scores.positions, values, scores.classes, beside_labels)
