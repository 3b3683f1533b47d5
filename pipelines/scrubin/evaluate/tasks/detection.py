"""Detection of triplets or instruments: both sides from files, average precision, best confidence, association, sizes, curves."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError, MetricsError
from scrubin.base.faults import Fault, Faults, count_text, error, warning
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.evaluate import side
from scrubin.evaluate.computation import (
    ComparedBoxes,
    Computation,
    Computed,
    Scoring,
    number_of,
    refuse_foreign,
    scopes_of,
    stating,
    with_alone,
)
from scrubin.evaluate.metrics import variants
from scrubin.evaluate.metrics.bootstrap import Draw
from scrubin.evaluate.metrics.detection import (
    BoxRows,
    BoxStudy,
    FloatArray,
    Scene,
    checked,
    compat_ivtdmetrics,
    compat_ivtmetrics,
    in_px,
    matching,
    sizes,
)
from scrubin.evaluate.metrics.detection.association import association
from scrubin.evaluate.metrics.detection.average_precision import (
    at_best_confidence,
    average_precision,
    average_precision_range,
    curves,
    ranking,
)
from scrubin.evaluate.metrics.result import Result
from scrubin.evaluate.metrics.variants import BOXES, DETECTION_CHOICES, MASK_KINDS, MASK_PROGRAMS, STATED
from scrubin.evaluate.score_document import class_names as of_vocabulary
from scrubin.evaluate.series import IntArray, Series, listed, paired, series_of, stated_sizes
from scrubin.evaluate.side import Side, Source
from scrubin.evaluate.tasks import masks
from scrubin.labels.files.detect import label_folder, unknown_fault, unread_faults
from scrubin.labels.formats.ground_truth import WHOLES
from scrubin.labels.formats.objects import coco
from scrubin.labels.formats.plain import coco_results
from scrubin.labels.model import BOX, ClassesOf, ClassList, Layer
from scrubin.labels.registry import AnyFormat, format_of
from scrubin.labels.rows import boxed_layer, counts_for_detection, detected_classes, has_boxes

SIZE = re.compile(r"(?P<width>[1-9][0-9]{0,5})x(?P<height>[1-9][0-9]{0,5})")


def by_size(scene: Scene, components: Sequence[str], in_pixels: FloatArray) -> Computation:
    """Return average precision by size of boxes.

    Parameters
    ----------
    in_pixels
        (frames of all videos, 2), width and height of the images.
    """
    matched = [sizes.sized(scene, name, in_pixels) for name in components]
    return lambda draw: [result for one in matched for result in one.results(draw)]


def with_curves(scene: Scene, components: Sequence[str], threshold: float) -> Computation:
    """Return average precision over the frames of all videos, with the curve of every class; draws have none."""

    def results(draw: IntArray | None) -> list[Result]:
        of = scene if draw is None else matching.draw(scene, draw)
        values = [average_precision(of, name, threshold=threshold, scope="global") for name in components]
        return values if draw is not None else [_with_curves(one, scene, threshold) for one in values]

    return results


def _with_curves(result: Result, scene: Scene, threshold: float) -> Result:
    component, ranked = result.variant.options["component"], matching.ranked(scene)
    ranks = ranking(ranked, component, "global")
    found = curves(ranks, matching.matched(ranked, component, [threshold]))
    by_class = {
        str(class_): {"recall": one.recall[0].tolist(), "precision": one.precision[0].tolist(), "score": one.scores.tolist()}
        for _, class_, one in found
    }
    return replace(result, curves=by_class)


def image_sizes(text: str, names: Sequence[str], positions: Mapping[str, IntArray], images: Mapping[str, pd.DataFrame]) -> FloatArray:
    """Return width and height in px of the image of each frame, of all videos in order, (frames, 2).

    Parameters
    ----------
    text
        ``854x480``, or `STATED`.
    names
        The videos.
    positions
        By video, the frames as the ground truth numbers them.
    images
        By video, ``position``, ``width`` and ``height``, where files state them.

    Raises
    ------
    MetricsError
        For a size that is none, or where none is stated.
    """
    if text != STATED:
        match = SIZE.fullmatch(text)
        if match is None:
            raise MetricsError(f"--variant image={text}: give width and height in px, such as 854x480")
        frames = int(np.sum([len(positions[name]) for name in names]))
        return np.tile(np.array([float(match["width"]), float(match["height"])]), (frames, 1))
    found = {name: stated_sizes(positions[name], images.get(name)) for name in names}
    missing = [name for name in names if np.isnan(found[name]).any()]
    if missing:
        what = f"sizes are in pixels, but no file of the ground truth states the size of the images of {listed(missing)}"
        raise MetricsError(f"{what}; say it by --variant image=854x480, or give labels in a format that states it, such as COCO")
    return np.concatenate([found[name] for name in names])


IMAGE = "image"
"""Under what numbers state the sizes of images in px that they are of."""
MOST_SIZES = 4
"""More different sizes of images are stated by their number and a hash."""


def sizes_text(images: FloatArray) -> str:
    """Return the different sizes of images of (frames, 2), as numbers state them.

    >>> sizes_text(np.array([[854.0, 480.0], [640.0, 360.0], [854.0, 480.0]]))
    '640x360, 854x480'
    >>> sizes_text(np.array([[width, 480.0] for width in range(800, 805)]))
    '5 sizes (1b72ce18)'
    """
    sizes = [f"{width:.0f}x{height:.0f}" for width, height in np.unique(images, axis=0).tolist()]
    text = ", ".join(sizes)
    return text if len(sizes) <= MOST_SIZES else f"{len(sizes)} sizes ({hashlib.sha256(text.encode()).hexdigest()[:8]})"


Role = Literal["ground truth", "predictions"]
SUBMISSION = "cholectriplet2022"
CORNERS_BEYOND = 0.02
"""Drawn boxes leave the image by less."""

ID_OF = {"ivt": "triplet_id", "i": "instrument_id", "v": "verb_id", "t": "target_id"}

OF_KIND: Mapping[str, Sequence[str]] = {
    BOXES: ("component", "scope", "iou", "interpolation"),
    "sizes": ("component", "image"),
    "curves": ("component", "iou"),
    "masks": ("component", "image", "confidence"),
    "pixels": ("component", "scope", "image", "confidence", "tolerance", "empty"),
    **dict.fromkeys(variants.BOX_PROGRAMS, ("component", "scope", "iou")),
    "ivtdmetrics-0.1": ("component", "scope", "iou", "style"),
    **dict.fromkeys(MASK_PROGRAMS, ("component", "confidence")),
}
"""By kind, and by published program, what can be chosen of it."""


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes of all videos, of one side.

    Parameters
    ----------
    series
        By video the frames that can be scored.
    rows
        By video: ``position``, ids, box and score.
    vocabulary, classes
        What the boxes are of: triplets or instruments of which vocabulary.
    faults
        What stops nothing.
    every_frame
        Whether the format has every frame, also those in which nothing is detected.
    line
        As what the files were read.
    images
        By video, the size of its images in px: ``position``, ``width``, ``height``; only those whose files state it.
    form, paths
        In which format the files were read, and where they are.
    lists
        What the numbers of classes mean in files that do not name them.
    whole_lists
        All classes that files list, where these alone say which of the vocabulary there are.
    """

    series: Mapping[str, Series]
    rows: Mapping[str, pd.DataFrame]
    vocabulary: Vocabulary
    classes: ClassesOf
    faults: tuple[Fault, ...] = ()
    every_frame: bool = False
    line: str = ""
    images: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    form: AnyFormat | None = None
    paths: tuple[Path, ...] = ()
    lists: tuple[ClassList, ...] = ()
    whole_lists: tuple[ClassList, ...] = ()

    @property
    def sizes(self) -> dict[str, int]:
        """How many classes each component has."""
        vocabulary = self.vocabulary
        if self.classes == "i":
            return {"i": len(vocabulary.instruments)}
        return {"ivt": len(vocabulary.triplets), "i": len(vocabulary.instruments), "v": len(vocabulary.verbs), "t": len(vocabulary.targets)}


def truth_of(source: Source, classes: ClassesOf | None = None, *, without_class: bool = False) -> Boxes:
    """Return the annotated boxes; frames with an instance without box or whole class are left out.

    Parameters
    ----------
    classes
        Of which the boxes are to be; None: triplets, where all files have them.
    without_class
        Whether boxes without a class are kept, and their frames count.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or without boxes.
    """
    return _boxes(source, side.read_truth(source, "boxes"), "ground truth", classes, without_class=without_class)


def predictions_of(
    source: Source, truth: Boxes, truth_source: Source, classes: ClassesOf | None = None, *, without_class: bool = False
) -> Boxes:
    """Return the predicted boxes in the classes of the truth.

    Parameters
    ----------
    classes, without_class
        As of `truth_of`.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or in other classes than the truth.
    """
    form = side.form_of_predictions(source, truth.form, "boxes")
    if form.name == coco_results.NAME:
        boxes = _boxes(source, side_of_results(source, truth, truth_source), "predictions", classes, without_class=without_class)
    else:
        sized = replace(source, form=form, image_size=source.image_size or one_size(truth))
        read = side.read_predictions(sized, "boxes", truth.vocabulary, truth.lists, truth.series)
        # Only results say of which detections the mask is the size, see `coco_results.with_images`.
        boxes = _without_areas(_boxes(source, read, "predictions", classes, without_class=without_class))
    if boxes.vocabulary.name != truth.vocabulary.name or (truth.classes == "ivt" and boxes.classes == "i"):
        theirs, ours = (f"{'triplets' if one.classes == 'ivt' else 'instruments'} of '{one.vocabulary.name}'" for one in (boxes, truth))
        what = f"these are {theirs}, the ground truth has {ours}"
        unknown = [name for name in boxes.vocabulary.instruments if truth.vocabulary.find("instrument", name) is None]
        there = f"predict these; {listed(unknown)} is not among them" if unknown else "predict these"
        raise MetricsError([error(str(source.path), "classes-other", what, there)])
    return boxes


def _without_areas(boxes: Boxes) -> Boxes:
    return replace(boxes, rows={name: of.drop(columns=coco.AREA, errors="ignore") for name, of in boxes.rows.items()})


def one_size(truth: Boxes) -> tuple[int, int] | None:
    """Return width and height in px of all images of the truth; None where its files do not state one."""
    sizes = sizes_of(truth)
    return sizes.pop() if len(sizes) == 1 else None


def sizes_of(truth: Boxes) -> set[tuple[int, int]]:
    """Return width and height in px of the images of the truth, as far as its files, or who said it, state them."""
    stated = [of[["width", "height"]].dropna().drop_duplicates() for of in truth.images.values()]
    return {(int(width), int(height)) for of in stated for width, height in of.to_numpy()}


def _boxes(source: Source, read: Side, role: Role, classes: ClassesOf | None, *, without_class: bool) -> Boxes:
    labelled = [(video, layer) for video in read.videos if (layer := video.labels.instances) is not None]
    boxed = [video.labels for video, layer in labelled if has_boxes(layer)]
    needs_none = source.frames_alone and not boxed
    if not boxed and ((role == "ground truth" and not needs_none) or not labelled or any(len(layer.rows) for _, layer in labelled)):
        what, fix = f"no instance of the {role} has a box or a mask", "give labels with boxes or masks"
        beside = [folder / "tables" for folder in (source.path, source.path.parent) if (folder / "tables").is_dir()]
        if role == "ground truth" and beside:
            fix += f"; a release has its boxes without a whole triplet in '{beside[0]}'"
        if labelled and not any(len(layer.rows) for _, layer in labelled):
            what, fix = f"the {role} has frames, but no instance in any of them", "give labels with instances: there is nothing to find"
        raise MetricsError([error(str(source.path), "no-boxes", what, fix), *read.faults])
    vocabulary = side.one_vocabulary(source, read, [video for video, _ in labelled])
    # Frames alone have the classes of their format; a prediction of nothing has any.
    instruments = [video.name for video, _ in labelled if needs_none and video.labels.detail == "instrument"]
    classes = classes or ("ivt" if not instruments and all(detected_classes(labels) == "ivt" for labels in boxed) else "i")
    series, rows, left_out = {}, {}, 0
    for video, layer in labelled:
        if role == "ground truth" and not counts_for_detection(layer):
            continue
        kept = boxed_layer(layer, None if without_class else classes)
        left_out += len(layer.positions) - len(kept.positions)
        _check_boxes(source, read, video.name, kept, role)
        series[video.name] = series_of(video, read.file_of(layer.file), kept.positions, np.arange(len(kept.positions)), kept.rows)
        rows[video.name] = kept.rows
    faults = (*_left_out(role, left_out, len(labelled) - len(series)), *read.faults)
    images = {video.name: sizes for video, _ in labelled if (sizes := video.labels.frames) is not None}
    every_frame = read.form.name == SUBMISSION
    listed_of = (read.lists, read.whole_lists)
    return Boxes(series, rows, vocabulary, classes, faults, every_frame, read.line, images, read.form, read.paths, *listed_of)


def _left_out(role: Role, frames: int, videos: int) -> list[Fault]:
    faults = []
    if frames:
        what = f"{count_text(frames, 'frame')} of the {role} left out: an instance has no box or no whole class"
        faults.append(warning("", "box-missing", what, "draw every box"))
    if videos:
        faults.append(
            warning("", "box-missing", f"{count_text(videos, 'video')} of the {role} left out: nothing in it has a box", "draw every box")
        )
    return faults


def _check_boxes(source: Source, read: Side, name: str, layer: Layer, role: Role) -> None:
    """Refuse boxes that all look like two corners: readers judge single boxes, of which one may leave the image a little.

    Annotations with confidences are refused, too: they are predictions.
    """
    boxes = layer.rows[list(BOX)].to_numpy(np.float64)
    corners = (boxes[:, 2:] > boxes[:, :2]).all() and (boxes[:, :2] >= 0).all()
    beyond = np.flatnonzero((boxes[:, :2] + boxes[:, 2:] > 1 + CORNERS_BEYOND).any(axis=1))
    if len(boxes) and corners and len(beyond):
        what = f"{name}: all boxes of the {role} look like two corners, such as {boxes[int(beyond[0])].tolist()}"
        raise MetricsError([error(str(source.path), "box-form", what, "give width and height instead"), *read.faults])
    unsure = layer.rows[layer.rows["score"].fillna(1.0) != 1]
    if role == "ground truth" and len(unsure):
        frame, score = int(unsure["position"].iloc[0]), float(unsure["score"].iloc[0])
        what = f"{name}, frame {frame}: an annotated box has the confidence {score}"
        fix = "are ground truth and predictions swapped?"
        raise MetricsError([error(str(source.path), "label-value", what, fix), *read.faults])


def side_of_results(source: Source, truth: Boxes, truth_source: Source) -> Side:
    """Return COCO results as labels: images and categories are those of the ground truth, which must be one COCO file."""
    of_images = truth.form is not None and truth.form.name in coco_results.IMAGES_IN
    files = [path for path in truth.paths if of_images or path.name == WHOLES["detection"]]
    results = label_folder(source.path, format_of(coco_results.NAME), "boxes", videos=truth.series)
    AnnotationError.raise_any([unknown_fault(file) for file in sorted(results.unknown)])
    if len(results.contents) != 1:
        what = f"there are several files of COCO results: {listed(sorted(PurePath(name).name for name in results.contents))}"
        raise MetricsError([error(str(source.path), "results-several", what, "put all results into one list, in one file")])
    if len(files) != 1:
        what = "these are COCO results by image id, but the ground truth is no single COCO file"
        raise MetricsError([error(str(source.path), "images-unknown", what, "score them against the file that has these images")])
    ((file, data),) = results.contents.items()
    faults = Faults()
    merged = coco_results.with_images(file, data, strangers.read_bytes(files[0]), faults)
    AnnotationError.raise_any(faults)
    assert merged is not None
    form = truth.form if of_images and truth.form is not None else format_of("coco")
    # A format may know its files by their names.
    name = file if form.name == "coco" else str(files[0])
    read = side.read_predicted_bytes(replace(source, fps=truth_source.fps), truth.vocabulary, {name: merged}, form)
    return replace(read, beside=(*read.beside, *unread_faults(coco_results.NAME, results.unread)))


def computed(truth: Boxes, predictions: Boxes, semantics: str, choice: Mapping[str, str]) -> Scoring:
    """Return what is to be computed of truth and predictions.

    Raises
    ------
    MetricsError
        When they do not fit each other, or a choice does not fit the boxes.
    """
    of_masks = choice["kind"] in MASK_KINDS if semantics == "paper" else choice["program"] in MASK_PROGRAMS
    left_out: tuple[Fault, ...] = ()
    if of_masks:
        series, rows, left_out = masks.masked(truth.series, truth.rows)
        truth = replace(truth, series=series, rows=rows)
        masks.refuse_without(predictions.rows)
    joined = paired(truth.series, predictions.series, every_frame=predictions.every_frame)
    names = tuple(joined.pairs)
    lengths = [len(joined.pairs[name].frames) for name in names]
    at_truth = frames_at(truth, {name: pair.truth for name, pair in joined.pairs.items()})
    at_prediction = frames_at(predictions, {name: pair.prediction for name, pair in joined.pairs.items()})
    of_both = [placed(of, names, at) for of, at in ((truth, at_truth), (predictions, at_prediction))]
    sizes_px = np.concatenate([stated_sizes(at_truth[name], truth.images.get(name)) for name in names])
    if semantics != "paper" or choice["kind"] not in (BOXES, variants.CURVES):
        sizes_px[:] = np.nan  # published programs take shares, and what is of pixels has them by itself
    starts = np.cumsum([0, *lengths[:-1]])
    sides = (_rows(*one, truth.sizes, sizes_px[starts[one[0]] + one[1]]) for one in of_both)
    scene = checked(BoxStudy(names, lengths, truth.sizes, *sides))
    components = _components(truth, choice["component"])
    class_names, threshold = of_vocabulary(truth.vocabulary), iou_of(choice["iou"])
    refuse_foreign(choice, DETECTION_CHOICES[semantics], OF_KIND)
    if semantics == "paper" and choice["kind"] == variants.SIZES:
        images = image_sizes(choice["image"], names, at_truth, truth.images)
        results = stating(by_size(scene, components, images), {IMAGE: sizes_text(images)})
    elif semantics == "paper" and choice["kind"] == variants.CURVES:
        results = with_curves(scene, components, threshold)
    elif of_masks:
        images = image_sizes(choice.get("image", STATED), names, at_truth, truth.images)
        masks.refuse_other_sizes(images, names, at_prediction, predictions.images)
        of_sides = replace(masks.study_of(scene, images, *of_both), ignored=masks.ignored_of(names, at_truth, truth.images))
        left_out = (*left_out, *masks.passed_over({} if semantics == "paper" else of_sides.ignored, predictions.images))
        lacking = np.concatenate([at_prediction[name] < 0 for name in names])
        there = {name: _taking_part(truth, scene, name) for name in components}
        results, further = masks.computation(replace(of_sides, unpredicted=lacking, there=there), components, choice)
        # Only that program asks which classes the vocabulary has.
        fix = {} if choice.get("program") == variants.SAR_RARP50 else {"fix": "correct what is one of theirs, or leave it out"}
        left_out = (*left_out, *side.only_predicted(further, class_names, **fix))
    else:
        results_of = _paper if semantics == "paper" else _compat
        results = results_of(scene, components, threshold, choice)
    if semantics == "paper":
        results = with_alone(results, "detection", choice, lambda draw: (scene if draw is None else matching.draw(scene, draw),))
    results = stating(results, {IMAGE: sizes_text(images)} if of_masks else {})
    frames = {name: pair.frames for name, pair in joined.pairs.items()}
    compared = None if of_masks else ComparedBoxes(scene, frames, threshold, choice.get("interpolation", "step"))
    return Scoring([Computed(names, results, class_names, joined.frames, truth.vocabulary.name, compared)], (*left_out, *joined.faults))


def _taking_part(truth: Boxes, scene: Scene, component: str) -> tuple[int, ...]:
    labelled = scene.truth.classes[component].tolist()
    return side.taking_part(truth.whole_lists, truth.vocabulary, cast("Any", component), labelled, truth.sizes[component])


def _paper(scene: Scene, components: Sequence[str], threshold: float, choice: Mapping[str, str]) -> Computation:
    area = cast("Any", choice["interpolation"])

    def results(draw: Draw | None) -> list[Result]:
        of = scene if draw is None else matching.draw(scene, draw)
        values: list[Result] = []
        for scope in cast("Any", scopes_of(choice)):
            for name in components:
                values.append(average_precision(of, name, threshold=threshold, interpolation=area, scope=scope))
                values.append(average_precision_range(of, name, interpolation=area, scope=scope))
                best = at_best_confidence(of, name, threshold=threshold, scope=scope)
                values += [best.precision, best.recall, best.f1]
            if "ivt" in components:
                values += association(of, threshold=threshold, scope=scope).values()
        return values

    return results


def _compat(scene: Scene, components: Sequence[str], threshold: float, choice: Mapping[str, str]) -> Computation:
    program = choice["program"]
    if "ivt" not in scene.sizes:
        raise MetricsError(f"{program} needs triplets and instruments, but only instruments are labelled; use the semantics 'paper'")
    if program == "ivtdmetrics-0.1":
        return _published(compat_ivtdmetrics.of_videos(scene, threshold), components, scopes_of(choice), choice["style"])
    release = cast("Any", program.removeprefix("ivtmetrics-"))
    published = compat_ivtmetrics.of_videos(scene, threshold, program=release)
    # For v and t ivtmetrics returns the numbers of i, and 0.1.5 has no global ones: only chosen by name.
    own = [name for name in components if name in ("ivt", "i") or choice["component"] != "all"]
    scopes = [scope for scope in scopes_of(choice) if scope == "video-wise" or release != "0.1.5" or choice["scope"] == "global"]
    return _published(published, own, scopes)


def _published(whole: Any, components: Sequence[str], scopes: Sequence[str], *style: str) -> Computation:
    """Return what a published accumulator has of some components; ``style`` is what the program takes beside a component."""

    def results(draw: Draw | None) -> list[Result]:
        of = whole if draw is None else whole.take(draw)
        values: list[Result] = []
        for name in components:
            values += of.compute_video_ap(name, *style).values() if "video-wise" in scopes else ()
            values += of.compute_global_ap(name, *style).values() if "global" in scopes else ()
        return values

    return results


def _components(truth: Boxes, wanted: str) -> tuple[str, ...]:
    if wanted == "all":
        return tuple(truth.sizes)
    if wanted not in truth.sizes:
        raise MetricsError(f"component {wanted}: {variants.ONLY_INSTRUMENTS}; choose component=i")
    return (wanted,)


def iou_of(text: str) -> float:
    """Return the least IoU of a true box; raises `MetricsError` where it can be none."""
    return number_of("iou", text, lambda value: 0 < value <= 1, "a number above 0, up to 1, such as 0.5")


def frames_at(side: Boxes, positions: Mapping[str, IntArray]) -> dict[str, IntArray]:
    """Return by video how a side numbers frames, by their positions in its series; -1 where it has none."""
    own = {name: side.series[name].frames for name in positions}
    return {name: np.where(at < 0, -1, own[name][at] if len(own[name]) else -1) for name, at in positions.items()}


def placed(boxes: Boxes, names: Sequence[str], frames: Mapping[str, npt.NDArray[Any]]) -> tuple[IntArray, IntArray, pd.DataFrame]:
    """Return the video and the frame in it of each instance that counts, and their rows."""
    videos, places, parts = [], [], []
    for number, name in enumerate(names):
        place_of = {frame: place for place, frame in enumerate(frames[name].tolist()) if frame >= 0}
        rows = boxes.rows[name]
        rows = rows[rows["position"].isin(list(place_of))]
        videos.append(np.full(len(rows), number, np.int64))
        places.append(np.array([place_of[frame] for frame in rows["position"].tolist()], np.int64))
        parts.append(rows)
    return np.concatenate(videos), np.concatenate(places), pd.concat(parts, ignore_index=True)


def _rows(videos: IntArray, frames: IntArray, every: pd.DataFrame, sizes_of: Mapping[str, int], sizes_px: FloatArray) -> BoxRows:
    classes = {name: every[column].to_numpy(np.int64) for name, column in ID_OF.items() if name in sizes_of}
    scores = every["score"].fillna(1.0).to_numpy(np.float64)
    crowds = every[coco.CROWD].notna().to_numpy() if coco.CROWD in every else None
    areas = every[coco.AREA].to_numpy(np.float64) if coco.AREA in every else None
    boxes = in_px(every[list(BOX)].to_numpy(np.float64), sizes_px)
    return BoxRows(videos, frames, classes, boxes, scores, crowds, areas)
