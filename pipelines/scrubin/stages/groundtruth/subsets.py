"""One folder per subset of a split: exactly its files, for whoever takes one subset only.

Files of single recordings are listed with their hashes, not written again; what a program takes as
one file for a whole subset (parquet, COCO, sheets, the list of pictures for YOLO) is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base import files
from scrubin.base.errors import TableError
from scrubin.labels.truth import detection
from scrubin.stages.groundtruth import writing
from scrubin.stages.groundtruth.stamps import LIST, Stamps, Subset
from scrubin.stages.groundtruth.writing import VocabularyFiles, WrittenRecording

PICTURES = "yolo.txt"
FOLDER_NAME = re.compile(r"\w[\w.-]*")


@dataclass(frozen=True)
class WholeGroundTruth:
    """All that subsets are taken from.

    Parameters
    ----------
    written
        The recordings with labels.
    wholes
        What was written per vocabulary.
    skill, errors, splits
        The tables of the same name.
    """

    written: Sequence[WrittenRecording]
    wholes: Sequence[VocabularyFiles]
    skill: pd.DataFrame
    errors: pd.DataFrame
    splits: pd.DataFrame


def of_splits(splits: pd.DataFrame) -> Iterator[tuple[Subset, frozenset[str]]]:
    """Yield every subset of every fold of every scheme, with its recordings.

    Raises
    ------
    TableError
        When a name cannot be that of a folder.
    """
    keys = sorted(set(zip(splits["scheme"].tolist(), splits["fold"].tolist(), splits["subset"].tolist(), strict=True)))
    for key in keys:
        subset = Subset(*key)
        for column, name in (("scheme", subset.scheme), ("subset", subset.subset)):
            if not FOLDER_NAME.fullmatch(name):
                msg = f"table 'splits', column '{column}': '{name}' becomes the name of a folder: use letters, digits, '.', _ and -"
                raise TableError(msg)
        own = (splits["scheme"] == subset.scheme) & (splits["fold"] == subset.fold) & (splits["subset"] == subset.subset)
        yield subset, frozenset(splits.loc[own, "id"])


def write(folder: Path, stamps: Stamps, every: WholeGroundTruth, subset: Subset, ids: Set[str]) -> None:
    """Write the folder of one subset.

    Parameters
    ----------
    folder
        The ground truth, with the files of all recordings.
    stamps
        Of this run.
    every
        Labels, scores and errors of all recordings.
    subset, ids
        Which subset, and its recordings.
    """
    own = folder / subset.folder
    written = [one for one in every.written if one.recording.id in ids]
    for whole in every.wholes:
        _write_vocabulary(own / whole.vocabulary.name, stamps, _part(whole, ids), written, subset)
    _write_sheets(own, every, ids)
    recordings: dict[str, dict[str, Any]] = {id_: {"files": {}, "folders": {}} for id_ in sorted(ids)}
    for one in written:
        recordings[one.recording.id] = {
            "files": {name: files.sha256_of(folder / name) for name in one.files},
            "folders": dict(one.folders),
        }
    hashes = {path.relative_to(own).as_posix(): files.sha256_of(path) for path in sorted(own.rglob("*")) if path.is_file()}
    files.write_json(own / LIST, {"stamp": stamps.of("subset", None, subset), "files": hashes, "recordings": recordings})


def _part(whole: VocabularyFiles, ids: Set[str]) -> VocabularyFiles:
    """Return what is of some recordings; None where they have nothing of a kind."""
    rows, coco = whole.recognition, whole.coco
    rows = None if rows is None else rows[rows["id"].isin(ids)].reset_index(drop=True)
    coco = None if coco is None else detection.only(coco, ids)
    rows = None if rows is None or rows.empty else rows
    return replace(whole, recognition=rows, coco=coco if coco and coco["images"] else None)


def _write_vocabulary(folder: Path, stamps: Stamps, part: VocabularyFiles, written: Sequence[WrittenRecording], subset: Subset) -> None:
    writing.write_whole(folder, stamps, part, subset=subset)
    if part.coco is not None:
        shown = {image["recording"] for image in part.coco["images"]}
        of_vocabulary = [one for one in written if one.recording.id in shown]
        boxed = [one.boxed for one in of_vocabulary if one.boxed is not None]
        files.write_text(folder / PICTURES, detection.picture_list(boxed, {one.recording.id: one.pictures for one in of_vocabulary}))


def _write_sheets(folder: Path, every: WholeGroundTruth, ids: Set[str]) -> None:
    skill, errors = (table[table["id"].isin(ids)] for table in (every.skill, every.errors))
    none = every.splits.iloc[:0]  # which subset it is, the folder tells
    for sheet, of_tasks in (("skill", writing.skill_sheets(skill, none)), ("errors", writing.error_sheets(errors, none))):
        for task, text in of_tasks.items():
            files.write_text(folder / sheet / f"{task}.csv", text)
