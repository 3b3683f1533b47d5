"""Annotated and predicted boxes of triplets or instruments from files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.errors import AnnotationError, MetricsError
from scrubin.evaluation import label_files
from scrubin.evaluation.ground_truth import part_of
from scrubin.evaluation.label_files import Asked
from scrubin.evaluation.series import Track
from scrubin.labels import detect, label_folder, reader
from scrubin.labels.formats import box_lists
from scrubin.labels.model import BOX, Labels
from scrubin.labels.registry import DatasetFormat, Format
from scrubin.vocabulary.vocabulary import Vocabulary

SUBMISSION = "cholectriplet2022"


@dataclass(frozen=True, eq=False)
class Side:
    """Boxes of all videos.

    Parameters
    ----------
    tracks
        By video the frames that can be scored.
    rows
        By video: ``position``, ids, box and score.
    words
        Names of the classes.
    whole
        Whether every box has a whole triplet; else instruments only.
    notes
        What the user should know.
    every_frame
        Whether the format has every frame, also those in which nothing is detected.
    """

    tracks: Mapping[str, Track]
    rows: Mapping[str, pd.DataFrame]
    words: Vocabulary
    whole: bool
    notes: tuple[str, ...] = ()
    every_frame: bool = False

    @property
    def sizes(self) -> dict[str, int]:
        """How many classes each component has."""
        words = self.words
        if not self.whole:
            return {"i": len(words.instruments)}
        return {"ivt": len(words.triplets), "i": len(words.instruments), "v": len(words.verbs), "t": len(words.targets)}


def truth_of(asked: Asked) -> Side:
    """Return the annotated boxes; frames with an instance without box or whole class are left out.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or without boxes.
    """
    if asked.format is None and (found := box_lists.read(asked.path, asked.vocabulary, asked.fps, strict=True)) is not None:
        return _side(found, asked, "ground truth")
    asked = replace(asked, path=part_of(asked.path, "detection", asked.vocabulary))
    collection, form = label_files.collection_of(asked)
    label_files.check_vocabulary(asked, collection)
    side = _side([(one, label_files.numbering_of(one, form, asked.fps)) for one in collection.recordings], asked, "ground truth")
    return replace(side, notes=(*side.notes, *label_files.notes_of(collection)))


def predictions_of(asked: Asked, truth: Side, truth_asked: Asked) -> Side:
    """Return the predicted boxes in the classes of the truth.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or in other classes than the truth.
    """
    name = asked.vocabulary or truth.words.name
    if asked.format is None and (found := box_lists.read(asked.path, name, asked.fps, strict=False)) is not None:
        return _agreeing(_side(found, asked, "predictions"), truth, asked)
    if (results := _coco_results(asked)) is not None:
        return _agreeing(_of_results(*results, asked, truth_asked), truth, asked)
    named = Asked(part_of(asked.path, "detection", name), asked.format, name, asked.fps)
    collection, form = label_files.collection_of(named, box_lists.PREDICTED_TOLERANCE)
    side = _side([(one, label_files.numbering_of(one, form, asked.fps)) for one in collection.recordings], asked, "predictions")
    every_frame = form.name == SUBMISSION
    return _agreeing(replace(side, notes=(*side.notes, *label_files.notes_of(collection)), every_frame=every_frame), truth, asked)


def _side(found: Sequence[tuple[Labels, Any]], asked: Asked, what: str) -> Side:
    labelled = [(one, numbering) for one, numbering in found if one.instances is not None]
    rows = {one.recording: one.instances.rows for one, _ in labelled if one.instances is not None}
    boxed = {name for name, of in rows.items() if of["x"].notna().any()}
    # A video in which no instrument occurs is labelled too: what is detected there is wrong.
    usable = boxed | {name for name, of in rows.items() if not len(of)}
    if not boxed and (what == "ground truth" or any(len(of) for of in rows.values()) or not rows):
        msg = f"{asked.path}: no instance of the {what} has a box; detection needs boxes"
        raise MetricsError(msg)
    words = {one.vocabulary.name: one.vocabulary for one, _ in labelled}
    if len(words) > 1:
        msg = f"{asked.path}: there are several vocabularies ({', '.join(sorted(words))}); score them one by one"
        raise MetricsError(msg)
    whole = all(one.detail == "triplet" and bool(of["triplet_id"].notna().any()) for one, _ in labelled if len(of := rows[one.recording]))
    tracks, kept, left_out = {}, {}, 0
    for one, numbering in labelled:
        if one.instances is None or (what == "ground truth" and one.recording not in usable):
            continue
        of = rows[one.recording]
        complete = of[[*BOX, *(["triplet_id"] if whole else ["instrument_id"])]].notna().all(axis=1)
        refused = set(of.loc[~complete, "position"])
        frames = np.array([frame for frame in one.instances.positions.tolist() if frame not in refused], np.int64)
        left_out += len(refused)
        kept[one.recording] = of[~of["position"].isin(list(refused))]
        _check_boxes(kept[one.recording][list(BOX)].to_numpy(np.float64), one.recording, what)
        if what == "ground truth":
            _check_certain(asked, one.recording, kept[one.recording])
        tracks[one.recording] = Track(frames, np.arange(len(frames)), numbering, label_files.file_of(one, one.instances))
    notes = [f"{left_out} frames of the {what} have an instance without box or whole class, and do not count"] * bool(left_out)
    without = len(labelled) - len(tracks)
    notes += [f"{without} videos of the {what} have no box and do not count"] * bool(without)
    return Side(tracks, kept, next(iter(words.values())), whole, tuple(notes))


def _check_boxes(boxes: npt.NDArray[np.float64], name: str, what: str) -> None:
    """Refuse boxes that all look like two corners: readers judge single boxes, of which one may leave the image a little."""
    corners = (boxes[:, 2:] > boxes[:, :2]).all() and (boxes[:, :2] >= 0).all()
    beyond = (boxes[:, :2] + boxes[:, 2:] > 1 + box_lists.TOLERANCE).any(axis=1)
    if len(boxes) and corners and beyond.any():
        at = int(np.flatnonzero(beyond)[0])
        msg = f"{name}: all boxes of the {what} look like two corners, such as {boxes[at].tolist()}; give width and height instead"
        raise MetricsError(msg)


def _check_certain(asked: Asked, name: str, rows: pd.DataFrame) -> None:
    """Refuse annotations with confidences: they are predictions."""
    unsure = rows[rows["score"].fillna(1.0) != 1]
    if len(unsure):
        frame, score = int(unsure["position"].iloc[0]), float(unsure["score"].iloc[0])
        msg = f"{asked.path}: {name}, frame {frame}: an annotated box has the confidence {score}; are ground truth and predictions swapped?"
        raise MetricsError(msg)


def _agreeing(found: Side, truth: Side, asked: Asked) -> Side:
    if found.words.name != truth.words.name or (truth.whole and not found.whole):
        kinds = ["triplets" if side.whole else "instruments" for side in (found, truth)]
        words = [side.words.name for side in (found, truth)]
        msg = f"{asked.path}: these are {kinds[0]} of '{words[0]}', the ground truth has {kinds[1]} of '{words[1]}'; predict these"
        raise MetricsError(msg)
    return found


def _coco_results(asked: Asked) -> tuple[Path, list[Any]] | None:
    """Return COCO results, a list of detections by image id, of a file or a folder with just one; None for anything else."""
    path = asked.path
    if path.is_dir():
        inside = [file for file in sorted(path.glob("*.json")) if not label_folder.is_note(file)]
        path = inside[0] if len(inside) == 1 else path
    if path.suffix.lower() != ".json" or not path.is_file() or asked.format not in (None, "coco"):
        return None
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    return (path, document) if isinstance(document, list) else None


def _of_results(source: Path, results: list[Any], asked: Asked, truth_asked: Asked) -> Side:
    """Return COCO results as boxes: images and categories are those of the ground truth, which must be one COCO file."""
    form, (name, data) = _one_coco_file(source, truth_asked)
    document = json.loads(data)
    for number, one in enumerate(results):
        if not isinstance(one, Mapping) or "score" not in one:
            fault = "has no score" if isinstance(one, Mapping) else "is no object"
            msg = f"{source}: result {number} {fault}; give image_id, category_id, bbox and score of each"
            raise MetricsError(msg)
    merged = {**document, "annotations": [{"iscrowd": 0, **one, "id": number + 1} for number, one in enumerate(results)]}
    given = {f"{source.parent.name}/{source.name}" if form.name == "coco" else name: json.dumps(merged).encode()}
    collection = reader.read(given, form, reader.Options(truth_asked.vocabulary, box_tolerance=box_lists.PREDICTED_TOLERANCE))
    return _side([(one, label_files.numbering_of(one, form, truth_asked.fps)) for one in collection.recordings], asked, "predictions")


def _one_coco_file(source: Path, truth: Asked) -> tuple[Format | DatasetFormat, tuple[str, bytes]]:
    """Return format, name and content of the only COCO file that is the ground truth."""
    path = part_of(truth.path, "detection", truth.vocabulary)
    try:
        form = detect.format_of_path(path, truth.format)
        files = label_folder.find(path, form).contents
    except AnnotationError:
        files = {}
    if len(files) != 1 or form.name not in ("coco", "endoscapes"):
        msg = f"{source}: these are COCO results by image id, but the ground truth is no single COCO file; give that file"
        raise MetricsError(msg)
    ((name, data),) = files.items()
    return form, (name, data)
