"""Files of matrices to labels or predictions of recordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path, PurePosixPath

import numpy as np

from scrubin.core.faults import Faults
from scrubin.labels.formats.plain.matrices import arrays, table_files
from scrubin.labels.formats.plain.matrices.matrix import CheckedMatrix, Matrix, checked
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, Layer, Recognition
from scrubin.labels.parse import fields
from scrubin.labels.registry import ByHand, dataset_format
from scrubin.labels.rows import instances_of_classes
from scrubin.vocabulary.vocabulary import Vocabulary

READERS: Mapping[str, Callable[[str, bytes, Faults], dict[str, list[Matrix]]]] = {
    ".npz": arrays.read_npz,
    ".npy": arrays.read_npy,
    ".csv": table_files.read_csv,
    ".parquet": table_files.read_parquet,
    ".json": arrays.read_json,
}
EVIDENCE: Mapping[str, Callable[[Path], bool]] = {
    ".npz": arrays.has_matrix,
    ".npy": arrays.has_matrix,
    ".csv": table_files.has_matrix,
    ".parquet": table_files.has_matrix,
    ".json": arrays.is_list_of_scores,
}


def _has_matrix(path: Path) -> bool:
    return EVIDENCE[path.suffix.lower()](path)


@dataset_format(
    "matrices",
    pattern=r"[^/]+\.(?i:npz|npy|csv|parquet|json)",
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
    names = fields.video_names(source.files, faults)
    for file, data in sorted(source.files.items()):
        for own, matrices in READERS[PurePosixPath(file).suffix.lower()](file, data, faults).items():
            name = names[file] if own == PurePosixPath(file).stem else own
            if file_of.setdefault(name, file) != file:
                faults.error(file, "file-repeated", f"the video {name} is also in {file_of[name]}", "give every video once")
                continue
            checked_matrices = [checked(matrix, source.vocabulary, faults) for matrix in matrices]
            sound = [one for one in checked_matrices if one is not None]
            recordings += [_labels(name, sound, source.vocabulary)] if len(sound) == len(checked_matrices) else []
    return Collection(tuple(sorted(recordings, key=lambda labels: labels.recording)), faults=faults.all())


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
