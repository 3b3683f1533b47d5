"""Detection of triplets or instruments: average precision, best confidence, association."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.annotations.labels import BOX, Labels
from scrubin.convert import reading, signs
from scrubin.errors import MetricsError
from scrubin.metrics.bootstrap import IntArray
from scrubin.metrics.detection import compat_ivtdmetrics, compat_ivtmetrics
from scrubin.metrics.detection.association import association
from scrubin.metrics.detection.average_precision import average_precision
from scrubin.metrics.detection.boxes import check_normalised
from scrubin.metrics.detection.confidence import at_best_confidence
from scrubin.metrics.detection.map_range import average_precision_range
from scrubin.metrics.detection.precision_recall import INTERPOLATIONS
from scrubin.metrics.detection.rows import Boxes, Rows, Scene, Study, checked, video
from scrubin.metrics.result import Result
from scrubin.scoring import box_lists
from scrubin.scoring import labels as label_files
from scrubin.scoring.computed import Choice, Computed
from scrubin.scoring.labels import Asked
from scrubin.scoring.tracks import Track, join
from scrubin.vocabulary.vocabulary import Vocabulary

COMPONENTS = ("ivt", "i", "v", "t")
ID_OF = {"ivt": "triplet_id", "i": "instrument_id", "v": "verb_id", "t": "target_id"}
SCOPES = ("both", "video-wise", "global")
PROGRAMS = ("ivtmetrics-0.1.5", "ivtmetrics-0.1.2", "ivtdmetrics-0.1")
CHOICES: Mapping[str, Mapping[str, Choice]] = {
    "paper": {
        "component": Choice(("all", *COMPONENTS), "all", "whose class must be right"),
        "scope": Choice(SCOPES, "both", "mean over videos, or all frames together"),
        "iou": Choice((), "0.5", "least IoU of a true detection, in 0..1"),
        "interpolation": Choice(INTERPOLATIONS, "step", "how the area under the curve is taken"),
    },
    "compat": {
        "program": Choice(PROGRAMS, PROGRAMS[0], "which published program"),
        "component": Choice(("all", *COMPONENTS), "all", "as the program names them"),
        "scope": Choice(SCOPES, "both", "compute_video_AP or compute_global_AP, where the program has it"),
        "iou": Choice((), "0.5", "threshold of the program"),
        "style": Choice(("coco", "11point"), "coco", "of ivtdmetrics"),
    },
}


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
    """

    tracks: Mapping[str, Track]
    rows: Mapping[str, pd.DataFrame]
    words: Vocabulary
    whole: bool
    notes: tuple[str, ...] = ()

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
    if asked.format is None and (found := box_lists.read(asked.path, asked.vocabulary, strict=True)) is not None:
        return _side(found, asked, "ground truth")
    collection, form = label_files.collection_of(asked)
    return _side([(one, label_files.numbering_of(one, form, asked.fps)) for one in collection.recordings], asked, "ground truth")


def predictions_of(asked: Asked, truth: Side, truth_asked: Asked) -> Side:
    """Return the predicted boxes in the classes of the truth.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or in other classes than the truth.
    """
    if asked.format is None and (found := box_lists.read(asked.path, asked.vocabulary or truth.words.name, strict=False)) is not None:
        return _agreeing(_side(found, asked, "predictions"), truth, asked)
    if (results := _coco_results(asked)) is not None:
        return _agreeing(_of_results(results, asked, truth_asked), truth, asked)
    named = Asked(asked.path, asked.format, asked.vocabulary or truth.words.name, asked.fps)
    collection, form = label_files.collection_of(named, box_lists.PREDICTED_TOLERANCE)
    return _agreeing(
        _side([(one, label_files.numbering_of(one, form, asked.fps)) for one in collection.recordings], asked, "predictions"), truth, asked
    )


def computed(truth: Side, predictions: Side, semantics: str, choice: Mapping[str, str]) -> tuple[list[Computed], list[str]]:
    """Return what is to be computed of truth and predictions, and what the user should know.

    Raises
    ------
    MetricsError
        When they do not fit each other, or a choice does not fit the boxes.
    """
    joined = join(truth.tracks, predictions.tracks, every_frame=False)
    unpredicted = sum(int(np.count_nonzero(pair.prediction < 0)) for pair in joined.pairs.values())
    notes = [
        *joined.notes,
        *([f"{unpredicted} labelled frames are not among the predictions: nothing is detected there"] * bool(unpredicted)),
    ]
    names = tuple(joined.pairs)
    lengths = [len(joined.pairs[name].frames) for name in names]
    at_truth = {name: truth.tracks[name].frames[pair.truth] for name, pair in joined.pairs.items()}
    at_found = {
        name: np.where(
            pair.prediction < 0, -1, predictions.tracks[name].frames[pair.prediction] if len(predictions.tracks[name].frames) else -1
        )
        for name, pair in joined.pairs.items()
    }
    study = Study(names, lengths, truth.sizes, _rows(truth, names, at_truth), _rows(predictions, names, at_found))
    scene = checked(study)
    components = _components(truth, choice["component"])
    threshold = _iou(choice["iou"])
    results = _paper if semantics == "paper" else _compat

    def of(draw: IntArray | None) -> list[Result]:
        return results(scene if draw is None else drawn(scene, draw), components, threshold, choice)

    return [Computed(names, of)], notes


def drawn(scene: Scene, draw: IntArray) -> Scene:
    """Return a scene of some of the videos, which may repeat."""
    parts = [video(scene, at) for at in draw.tolist()]
    starts = np.concatenate([[0], np.cumsum([int(part.starts[-1]) for part in parts])]).astype(np.int64)

    def joined(sides: Sequence[Boxes]) -> Boxes:
        return Boxes(
            np.concatenate([side.places + start for side, start in zip(sides, starts[:-1], strict=True)]),
            np.concatenate([np.full(len(side), number, np.int64) for number, side in enumerate(sides)]),
            {name: np.concatenate([side.classes[name] for side in sides]) for name in sides[0].classes},
            np.concatenate([side.boxes for side in sides]),
            np.concatenate([side.scores for side in sides]),
        )

    names = tuple(f"{part.names[0]}#{number}" for number, part in enumerate(parts))
    return Scene(names, scene.sizes, starts, joined([part.truth for part in parts]), joined([part.predictions for part in parts]))


def _paper(scene: Scene, components: Sequence[str], threshold: float, choice: Mapping[str, str]) -> list[Result]:
    found = []
    area = cast("Any", choice["interpolation"])
    for scope in cast("Any", _scopes(choice)):
        for name in components:
            found.append(average_precision(scene, name, threshold=threshold, interpolation=area, scope=scope))
            found.append(average_precision_range(scene, name, interpolation=area, scope=scope))
            best = at_best_confidence(scene, name, threshold=threshold, scope=scope)
            found += [best.precision, best.recall, best.f1]
        if "ivt" in components:
            found += association(scene, threshold=threshold, scope=scope).values()
    return found


def _compat(scene: Scene, components: Sequence[str], threshold: float, choice: Mapping[str, str]) -> list[Result]:
    found: list[Result] = []
    program, scopes = choice["program"], _scopes(choice)
    if "ivt" not in scene.sizes:
        msg = f"{program} needs triplets and instruments, but only instruments are labelled; use the semantics 'paper'"
        raise MetricsError(msg)
    if program == "ivtdmetrics-0.1":
        style = cast("Any", choice["style"])
        newer = compat_ivtdmetrics.of_videos(scene, threshold)
        for name in components:
            found += newer.compute_video_ap(name, style).values() if "video-wise" in scopes else ()
            found += newer.compute_global_ap(name, style).values() if "global" in scopes else ()
        return found
    release = cast("Any", program.removeprefix("ivtmetrics-"))
    older = compat_ivtmetrics.of_videos(scene, threshold, program=release)
    for name in components:
        if name in ("v", "t") and choice["component"] == "all":
            continue  # ivtmetrics returns the numbers of i for these
        found += older.compute_video_ap(name).values() if "video-wise" in scopes else ()
        if "global" in scopes and (release != "0.1.5" or choice["scope"] == "global"):
            found += older.compute_global_ap(name).values()
    return found


def _scopes(choice: Mapping[str, str]) -> tuple[str, ...]:
    return SCOPES[1:] if choice["scope"] == "both" else (choice["scope"],)


def _components(truth: Side, wanted: str) -> tuple[str, ...]:
    if wanted == "all":
        return tuple(truth.sizes)
    if wanted not in truth.sizes:
        msg = f"component {wanted}: only instruments are labelled; choose component=i"
        raise MetricsError(msg)
    return (wanted,)


def _iou(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 1:
        msg = f"--variant iou={text}: give a number above 0, up to 1, such as 0.5"
        raise MetricsError(msg)
    return value


def _side(found: Sequence[tuple[Labels, Any]], asked: Asked, what: str) -> Side:
    labelled = [(one, numbering) for one, numbering in found if one.instances is not None]
    rows = {one.recording: one.instances.rows for one, _ in labelled if one.instances is not None}
    boxed = {name for name, of in rows.items() if of["x"].notna().any()}
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
        if one.instances is None or (what == "ground truth" and one.recording not in boxed):
            continue
        of = rows[one.recording]
        complete = of[[*BOX, *(["triplet_id"] if whole else ["instrument_id"])]].notna().all(axis=1)
        refused = set(of.loc[~complete, "position"])
        frames = np.array([frame for frame in one.instances.positions.tolist() if frame not in refused], np.int64)
        left_out += len(refused)
        kept[one.recording] = of[~of["position"].isin(list(refused))]
        _check_boxes(kept[one.recording][list(BOX)].to_numpy(np.float64), one.recording, what)
        tracks[one.recording] = Track(frames, np.arange(len(frames)), numbering)
    notes = [f"{left_out} frames of the {what} have an instance without box or whole class, and do not count"] * bool(left_out)
    without = len(labelled) - len(tracks)
    notes += [f"{without} videos of the {what} have no box and do not count"] * bool(without)
    return Side(tracks, kept, next(iter(words.values())), whole, tuple(notes))


def _check_boxes(boxes: npt.NDArray[np.float64], name: str, what: str) -> None:
    """Refuse boxes that are not top-left corner and size in 0..1; predicted ones may leave the image."""
    if what == "ground truth":
        return check_normalised(boxes, f"{name}: boxes of the {what}")
    corners = (boxes[:, 2:] > boxes[:, :2]).all() and (boxes[:, :2] >= 0).all()
    beyond = (boxes[:, :2] + boxes[:, 2:] > 1 + box_lists.TOLERANCE).any(axis=1)
    if len(boxes) and corners and beyond.any():
        at = int(np.flatnonzero(beyond)[0])
        msg = f"{name}: all boxes of the {what} look like two corners, such as {boxes[at].tolist()}; give width and height instead"
        raise MetricsError(msg)
    return None


def _agreeing(found: Side, truth: Side, asked: Asked) -> Side:
    if found.words.name != truth.words.name or (truth.whole and not found.whole):
        kinds = ["triplets" if side.whole else "instruments" for side in (found, truth)]
        words = [side.words.name for side in (found, truth)]
        msg = f"{asked.path}: these are {kinds[0]} of '{words[0]}', the ground truth has {kinds[1]} of '{words[1]}'; predict these"
        raise MetricsError(msg)
    return found


def _rows(side: Side, names: Sequence[str], frames: Mapping[str, npt.NDArray[Any]]) -> Rows:
    videos, places, parts = [], [], []
    for number, name in enumerate(names):
        place_of = {frame: place for place, frame in enumerate(frames[name].tolist()) if frame >= 0}
        rows = side.rows[name]
        rows = rows[rows["position"].isin(list(place_of))]
        videos.append(np.full(len(rows), number, np.int64))
        places.append(np.array([place_of[frame] for frame in rows["position"].tolist()], np.int64))
        parts.append(rows)
    every = pd.concat(parts, ignore_index=True)
    classes = {name: every[column].to_numpy(np.int64) for name, column in ID_OF.items() if name in side.sizes}
    scores = every["score"].fillna(1.0).to_numpy(np.float64)
    return Rows(np.concatenate(videos), np.concatenate(places), classes, every[list(BOX)].to_numpy(np.float64), scores)


def _coco_results(asked: Asked) -> list[Any] | None:
    """Return COCO results, a list of detections by image id; None for anything else."""
    if asked.path.suffix.lower() != ".json" or not asked.path.is_file() or asked.format not in (None, "coco"):
        return None
    try:
        document = json.loads(asked.path.read_bytes())
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, list) else None


def _of_results(results: list[Any], asked: Asked, truth_asked: Asked) -> Side:
    """Return COCO results as boxes: images and categories are those of the ground truth, which must be one COCO file."""
    form = signs.format_of_path(truth_asked.path, truth_asked.format)
    files = reading.find(truth_asked.path, form).files
    if form.name not in ("coco", "endoscapes") or len(files) != 1:
        msg = (
            f"{asked.path}: these are COCO results by image id, but the ground truth is no single COCO file; give that file as ground truth"
        )
        raise MetricsError(msg)
    ((name, data),) = files.items()
    document = json.loads(data)
    if not all(isinstance(one, Mapping) for one in results):
        msg = f"{asked.path}: a result is no object; give image_id, category_id, bbox and score of each"
        raise MetricsError(msg)
    merged = {**document, "annotations": [{"iscrowd": 0, **one, "id": number + 1} for number, one in enumerate(results)]}
    given = {f"{asked.path.parent.name}/{asked.path.name}" if form.name == "coco" else name: json.dumps(merged).encode()}
    collection = reading.read(given, form, reading.Options(truth_asked.vocabulary, box_tolerance=box_lists.PREDICTED_TOLERANCE))
    return _side([(one, label_files.numbering_of(one, form, truth_asked.fps)) for one in collection.recordings], asked, "predictions")
