"""Our own ground truth: ``<vocabulary>/{recognition/<id>.npz, detection/<id>.json, phases/<id>.csv}``, whole or a subset; read only.

The folder of a vocabulary, one of its parts, the ground truth of several vocabularies and a whole release are all this format.
A subset of a split has ``<vocabulary>/{recognition.parquet, coco.json}`` instead, of all its recordings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from scrubin.base import strangers
from scrubin.base.faults import Faults
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import registry
from scrubin.labels.formats.objects import coco
from scrubin.labels.formats.plain import box_lists, matrices, phase_tables
from scrubin.labels.model import INSTANCE_DTYPES, Clock, Collection, LabelFiles, Labels, Layer
from scrubin.labels.registry import ByHand, CollectionReader, dataset_format, is_note
from scrubin.labels.rows import ID_OF

NAME = "ground-truth"
PARTS = {"recognition": "*.npz", "detection": "*.json", "phases": "*.csv"}
WHOLES = {"recognition": "recognition.parquet", "detection": "coco.json"}
"""What a subset has instead of the folder of a part."""
DEFAULT = "cholect50"
"""The vocabulary of files that nothing names."""
LOOKED_AT = 20
"""So many files of a part are looked at."""
RELEASED, MANIFEST = "groundtruth", "manifest.json"
"""The folder of a release that is the ground truth, which has a manifest."""


def inside_release(path: Path) -> Path:
    """Return the ground truth of a released dataset; any other path as it is."""
    return path / RELEASED if (path / RELEASED / MANIFEST).is_file() else path


def sheets_in(path: Path, part: str) -> Path:
    """Return the folder of sheets, skill or errors, in a ground truth or a subset of it; any other path as it is."""
    inside = inside_release(path) / part
    return inside if inside.is_dir() else path


def part_in(path: Path, *names: str) -> Path:
    """Return the first of some parts that one vocabulary of a ground truth has, such as ``masks.json``; any other path as it is.

    Parameters
    ----------
    path
        A ground truth, a vocabulary or subset of it, or a release.
    names
        Files or folders of a vocabulary that not every ground truth has.
    """
    folder = inside_release(path)
    if not files_of(path):
        return path
    for name in names:
        there = [one / name for one in (folder, *sorted(folder.iterdir())) if (one / name).exists()]
        if len(there) == 1:
            return there[0]
    return path


def files_of(path: Path) -> list[Path]:
    """Return the files of a ground truth of ours that a path is, names a part of or has inside; none for any other path."""
    folder = inside_release(path)
    if not folder.is_dir():
        return []
    if folder.name in ("", ".", ".."):
        folder = strangers.real(folder)
    if folder.name in PARTS and folder.parent.name in vocabulary.known():
        return _parts(folder.parent)
    return _parts(folder) or [file for inner in sorted(folder.iterdir()) if inner.is_dir() for file in _parts(inner)]


def is_subset(paths: Sequence[Path]) -> bool:
    """Return whether files are those of a subset, which has no phases of its own."""
    return bool(paths) and all(path.name in WHOLES.values() for path in paths)


def _parts(folder: Path) -> list[Path]:
    return [file for part in PARTS for file in _part(folder, part)]


def _part(folder: Path, part: str) -> list[Path]:
    files = [file for file in sorted((folder / part).glob(PARTS[part])) if file.is_file() and not is_note(file)]
    is_named = strangers.real(folder).name in vocabulary.known()
    looked_at = files[:LOOKED_AT]
    # Where every file is damaged nothing else tells: they are to be refused by name, not passed over.
    if any(_is_of_ours(part, file) for file in looked_at) or (looked_at and is_named and all(_is_damaged(file) for file in looked_at)):
        return files
    whole = folder / WHOLES.get(part, part)
    return [whole] if whole.is_file() and is_named else []


def _is_damaged(file: Path) -> bool:
    """Return whether a file is no JSON, or no text, so that its content cannot tell whose it is."""
    if file.suffix == ".json":
        return registry.document(file) is None
    text = registry.head(file)
    return not text.strip() or "\0" in text or "\N{REPLACEMENT CHARACTER}" in text


def _is_of_ours(part: str, file: Path) -> bool:
    if part == "detection":
        return registry.keys(frame=list, list=list)(file)
    return part == "recognition" or {"frame", "phase_id"} <= set(registry.head(file).split("\n", 1)[0].strip().split(","))


@dataset_format(
    NAME,
    pattern=r"(?:recognition/[^/]+\.npz|detection/[^/]+\.json|phases/[^/]+\.csv|recognition\.parquet|coco\.json)",
    expected="<vocabulary>/recognition/<id>.npz, detection/<id>.json and phases/<id>.csv, or recognition.parquet and coco.json",
    title="our own ground truth or a subset of it, or a release that has it; read only",
    by_hand=ByHand(
        fps=Fraction(1),
        fps_unstated=True,
        first=0,
        evidence=registry.named,
        files=files_of,
        holds=("instances", "actions", "boxes", "boxless", "partial", "repeats", "phases", "empty frames"),
        precedence=0,
    ),
)
def read(source: LabelFiles) -> Collection:
    """Return the labels of all recordings of one vocabulary; all faults are in ``Collection.faults``."""
    faults = Faults()
    folders = _by_folder(source.files)
    chosen = [folder for folder in folders if folder.name == source.vocabulary.name] or list(folders)
    if len(chosen) != 1:
        names = ", ".join(sorted(folder.name for folder in chosen))
        fix = "name one of these folders, or one vocabulary"
        faults.error("", "vocabulary-several", f"there is ground truth of several vocabularies ({names})", fix)
        return Collection(faults=faults.all())
    (folder,) = chosen
    chosen_vocabulary = source.vocabulary if source.vocabulary.name else _named_after(folder)
    readers: Mapping[str, CollectionReader] = {"recognition": matrices.read, "detection": box_lists.read, "phases": phase_tables.read}
    parts: dict[str, dict[str, Labels]] = {}
    for part, files in folders[folder].items():
        is_coco = part == "detection" and any(file.endswith(WHOLES["detection"]) for file in files)
        of_part = (coco.read if is_coco else readers[part])(replace(source, files=files, vocabulary=chosen_vocabulary, lists=()))
        faults.extend(of_part.faults)
        parts[part] = {labels.recording: labels for labels in of_part.recordings if not _is_predicted(labels, faults)}
    names_of_all = sorted({name for of_part in parts.values() for name in of_part})
    recordings = [_whole(name, {part: of[name] for part, of in parts.items() if name in of}, chosen_vocabulary) for name in names_of_all]
    return Collection(tuple(recordings), faults=faults.all())


def _is_predicted(labels: Labels, faults: Faults) -> bool:
    """Return whether a matrix has scores and no labels, after noting that it is no ground truth."""
    scores = labels.recognition
    if scores is None or scores.beside_labels:
        return False
    unsure = np.argwhere(np.isfinite(scores.scores) & (scores.scores != 0) & (scores.scores != 1))
    score = "scores"
    if len(unsure):
        row, column = unsure[0].tolist()
        score = f"the score {scores.scores[row, column]:g} of class {column} in frame {scores.positions[row]}"
    what = f"has {score}, but labels are 0 or 1"
    fix = "are ground truth and predictions swapped? Predictions in such folders are of the format 'matrices'"
    faults.error(scores.file, "label-value", what, fix)
    return True


def _by_folder(files: Mapping[str, bytes]) -> dict[PurePosixPath, dict[str, dict[str, bytes]]]:
    """Return the files by the folder of their vocabulary, and by part."""
    folders: dict[PurePosixPath, dict[str, dict[str, bytes]]] = {}
    part_of_whole = {name: part for part, name in WHOLES.items()}
    for file, data in sorted(files.items()):
        path = PurePosixPath(file)
        whole = part_of_whole.get(path.name)
        folder, part = (path.parent.parent, path.parent.name) if whole is None else (path.parent, whole)
        folders.setdefault(folder, {}).setdefault(part, {})[file] = data
    return folders


def _named_after(folder: PurePosixPath) -> Vocabulary:
    return vocabulary.load(folder.name if folder.name in vocabulary.known() else DEFAULT)


def _whole(name: str, parts: Mapping[str, Labels], chosen_vocabulary: Vocabulary) -> Labels:
    """Return what the parts of a recording say together."""
    classes, boxes, phases = (parts.get(part) for part in PARTS)
    triplets = [one for one in (classes, boxes) if one is not None and one.detail == "triplet"]
    return Labels(
        recording=name,
        format=NAME,
        vocabulary=chosen_vocabulary,
        clock=Clock(Fraction(1)),
        phases=None if phases is None else phases.phases,
        instances=_instances(classes, boxes),
        detail="triplet" if triplets else "instrument",
        frames=None if boxes is None else boxes.frames,
    )


def _instances(classes: Labels | None, boxes: Labels | None) -> Layer | None:
    """Return the instances with boxes, and as instances without box the classes of which a frame has none."""
    if classes is None or boxes is None or classes.instances is None or boxes.instances is None:
        one = classes or boxes
        return None if one is None else one.instances
    labelled, boxed = classes.instances, boxes.instances
    key = ID_OF["ivt" if classes.detail == "triplet" else "i"]
    drawn = pd.MultiIndex.from_frame(boxed.rows[["position", key]])
    rest = labelled.rows[~pd.MultiIndex.from_frame(labelled.rows[["position", key]]).isin(drawn)]
    rows = pd.concat([boxed.rows, rest]).sort_values("position", kind="stable", ignore_index=True).astype(INSTANCE_DTYPES)
    return Layer(boxed.file, np.union1d(labelled.positions, boxed.positions), rows)
