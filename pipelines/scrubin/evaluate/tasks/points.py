"""Points of instruments: both sides from files, average precision by keypoint similarity, distances.

An annotated instance without points, of a class that has some elsewhere, is ignored as one whose points are all not labelled: nobody has to
find it. Instances of classes of which nobody annotated a point are left out on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pandas as pd

from scrubin.base.errors import MetricsError
from scrubin.base.faults import Fault, Faults, count_text, error, hint, warning
from scrubin.evaluate import side
from scrubin.evaluate.computation import Computation, Computed, Scoring, number_of, refuse_foreign, stating, with_alone
from scrubin.evaluate.metrics.detection.sizes import ROUNDING
from scrubin.evaluate.metrics.points import FloatArray, PointRows, PointStudy, distances, similarity
from scrubin.evaluate.metrics.variants import POINT_CHOICES, SIGMA
from scrubin.evaluate.score_document import class_names as of_vocabulary
from scrubin.evaluate.series import IntArray, paired, series_of
from scrubin.evaluate.side import Side, Source
from scrubin.evaluate.tasks import masks
from scrubin.evaluate.tasks.detection import IMAGE, Boxes, Role, frames_at, image_sizes, one_size, placed, side_of_results, sizes_text
from scrubin.labels.formats.objects import coco
from scrubin.labels.formats.plain import coco_results
from scrubin.labels.masks import rle
from scrubin.labels.model import BOX, MASK
from scrubin.labels.parse.points import numbered
from scrubin.labels.points import POINTS, VISIBLE, have_points, names_of

CLASS = "instrument_id"
Names = Mapping[int, tuple[str, ...]]
"""By class, the names of its points."""
OF_KIND: Mapping[str, Sequence[str]] = {
    "similarity": ("sigma", "counted", "image"),
    "distances": ("within", "reference", "confidence", "counted", "image"),
}


def truth_of(source: Source) -> Boxes:
    """Return the annotated instances of classes that have points.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or without points.
    """
    return _instances(source, side.read_truth(source, "points"), "ground truth")


def predictions_of(source: Source, truth: Boxes, truth_source: Source) -> Boxes:
    """Return the predicted instances; errors as of `truth_of`, and for other classes than those of the truth."""
    form = side.form_of_predictions(source, truth.form, "points")
    if form.name == coco_results.NAME:
        read = side_of_results(source, truth, truth_source)
    else:
        sized = replace(source, form=form, image_size=source.image_size or one_size(truth))
        read = side.read_predictions(sized, "points", truth.vocabulary, truth.lists, truth.series)
    found = _instances(source, read, "predictions")
    if found.vocabulary.name != truth.vocabulary.name:
        what = f"these are instruments of '{found.vocabulary.name}', the ground truth has those of '{truth.vocabulary.name}'"
        raise MetricsError([error(str(source.path), "classes-other", what, "predict these")])
    return found


def _instances(source: Source, read: Side, role: Role) -> Boxes:
    file = str(source.path)
    labelled = [(video, layer) for video in read.videos if (layer := video.labels.instances) is not None]
    has_points = any(have_points(layer.rows).any() for _, layer in labelled)
    needs_points = role == "ground truth" and not source.frames_alone
    if not has_points and (needs_points or not labelled or any(len(layer.rows) for _, layer in labelled)):
        what = f"no instance of the {role} has points"
        raise MetricsError([error(file, "no-points", what, "give files with key points"), *read.faults])
    vocabulary = side.one_vocabulary(source, read, [video for video, _ in labelled])
    series, rows, left_out = {}, {}, 0
    for video, layer in labelled:
        of_video = layer.rows
        if role == "ground truth" and (layer.boxless or len(of_video)) and not have_points(of_video).any():
            left_out += 1
            continue
        nameless = of_video[have_points(of_video) & of_video[CLASS].isna()]
        unsure = of_video[of_video["score"].fillna(1.0) != 1]
        if len(nameless):
            what = f"{video.name}: {count_text(len(nameless), 'instance')} with points but without instrument"
            raise MetricsError([error(file, "class-missing", what, "name it"), *read.faults])
        if role == "ground truth" and len(unsure):
            what = f"{video.name}: an annotated instance has the confidence {float(unsure['score'].iloc[0])}"
            raise MetricsError([error(file, "label-value", what, "are ground truth and predictions swapped?"), *read.faults])
        series[video.name] = series_of(video, read.file_of(layer.file), layer.positions, np.arange(len(layer.positions)), of_video)
        rows[video.name] = of_video[of_video[CLASS].notna()]
    what = f"{count_text(left_out, 'video')} of the {role} left out: nothing in it has points"
    notes: tuple[Fault, ...] = (warning("", "points-missing", what, "annotate points"),) if left_out else ()
    images = {video.name: sizes for video, _ in labelled if (sizes := video.labels.frames) is not None}
    of_files = Boxes(series, rows, vocabulary, "i", (*notes, *read.faults), line=read.line, images=images)
    return replace(of_files, form=read.form, paths=read.paths, lists=read.lists)


def computed(truth: Boxes, predictions: Boxes, choice: Mapping[str, str]) -> Scoring:
    """Return what is to be computed of truth and predictions.

    Raises
    ------
    MetricsError
        When they do not fit each other, or a choice cannot be used.
    """
    refuse_foreign(choice, POINT_CHOICES["paper"], OF_KIND)
    names, found_names = (_names_by_class(side_) for side_ in (truth, predictions))
    by_place = _renaming(names, found_names)
    joined = paired(truth.series, predictions.series, every_frame=predictions.every_frame)
    videos = tuple(joined.pairs)
    at_truth = frames_at(truth, {name: pair.truth for name, pair in joined.pairs.items()})
    at_found = frames_at(predictions, {name: pair.prediction for name, pair in joined.pairs.items()})
    images = image_sizes(choice["image"], videos, at_truth, truth.images)
    points = tuple(names.get(class_, ()) for class_ in range(len(truth.vocabulary.instruments)))
    starts = np.concatenate([[0], np.cumsum([len(at_truth[name]) for name in videos])]).astype(np.int64)
    sides = [
        _rows(placed(of, videos, at), starts, images, points, renamed)
        for of, at, renamed in ((truth, at_truth, {}), (predictions, at_found, by_place))
    ]
    if choice["counted"] == "visible":
        sides[0] = (replace(sides[0][0], known=sides[0][0].known & (sides[0][1] == VISIBLE)), sides[0][1])
    found = _outside(sides[1][0], images, masks.ignored_of(videos, at_truth, truth.images))
    study = PointStudy(videos, starts, points, images, sides[0][0], found)
    every = with_alone(_computation(study, choice), "points", choice, lambda draw: (study if draw is None else study.drawn(draw),))
    every = stating(every, {IMAGE: sizes_text(images)})
    part = Computed(videos, every, of_vocabulary(truth.vocabulary), joined.frames, truth.vocabulary.name)
    return Scoring([part], joined.faults, _notes(choice, by_place))


def _outside(found: PointRows, images: FloatArray, ignored: Mapping[int, str]) -> PointRows:
    """Return the predictions without those whose points all lie in pixels that are not counted.

    Parameters
    ----------
    ignored
        Compressed counts of such pixels, by frame counted through all videos.
    """
    kept = np.ones(len(found), np.bool_)
    for place, text in ignored.items():
        # Rows are in order of frames.
        rows = np.arange(*np.searchsorted(found.places, [place, place + 1]))
        width, height = (int(side) for side in images[place])
        inside = rle.picture(rle.runs_of_text(text, height, width), height, width) if len(rows) else np.zeros((0, 0), np.bool_)
        for row in rows.tolist():
            x, y = np.floor(found.places_px[row, found.known[row]]).astype(np.int64).T
            in_picture = (x >= 0) & (y >= 0) & (x < width) & (y < height)
            kept[row] = not len(x) or not in_picture.all() or not inside[y, x].all()
    return found.taken(kept)


def _names_by_class(of: Boxes) -> Names:
    every = [rows.loc[have_points(rows), [CLASS, POINTS]] for rows in of.rows.values() if POINTS in rows]
    together = pd.concat(every) if every else pd.DataFrame({CLASS: [], POINTS: []})
    return {int(str(class_)): names_of(values) for class_, values in together.groupby(CLASS, sort=True)[POINTS]}


def _renaming(truth: Names, found: Names) -> dict[int, dict[str, str]]:
    """Return, by class, how points of predictions are called that one side only numbers: both are then taken by their place.

    Raises
    ------
    MetricsError
        For predicted points that the truth does not have.
    """
    faults, renamed = Faults(), {}
    for class_, names in sorted(found.items()):
        known = truth.get(class_, names)
        if len(names) == len(known) and names != known and numbered(len(names)) in (names, known):
            renamed[class_] = dict(zip(names, known, strict=True))
            continue
        for name in sorted(set(names) - set(known)):
            faults.error("", "point-unknown", f"the ground truth has no point '{name}' of this instrument", hint(name, known))
    MetricsError.raise_any(faults)
    return renamed


def _rows(
    of: tuple[IntArray, IntArray, pd.DataFrame],
    starts: IntArray,
    images: FloatArray,
    points: tuple[tuple[str, ...], ...],
    renamed: Mapping[int, Mapping[str, str]],
) -> tuple[PointRows, IntArray]:
    """Return instances of one side in order of frames, in px, and the visibility of each point, (rows, points).

    Raises
    ------
    MetricsError
        For predicted instances of a class with points that have none.
    """
    videos, frames, every = of
    kept = np.array([bool(points[int(class_)]) for class_ in every[CLASS]], np.bool_)
    places, rows = (starts[videos] + frames)[kept], every[kept]
    order = np.argsort(places, kind="stable")
    places, rows = places[order], rows.iloc[order]
    sizes = images[places]
    most = max(map(len, points), default=0)
    shares, seen = np.zeros((len(rows), most, 2)), np.zeros((len(rows), most), np.int64)
    classes = rows[CLASS].to_numpy(np.int64)
    for row, (class_, value) in enumerate(zip(classes.tolist(), rows[POINTS] if POINTS in rows else [None] * len(rows), strict=True)):
        names = renamed.get(class_, {})
        for point in value if isinstance(value, tuple) else ():
            at = points[class_].index(names.get(point.name, point.name))
            shares[row, at], seen[row, at] = (point.x, point.y), point.visibility
    sides = np.concatenate([sizes, sizes], axis=1)
    boxes_px = np.round(rows[list(BOX)].to_numpy(np.float64) * sides, ROUNDING)
    places_px = np.round(shares * sizes[:, None], ROUNDING)
    crowds = rows[coco.CROWD].notna().to_numpy(np.bool_) if coco.CROWD in rows else np.zeros(len(rows), np.bool_)
    own = (boxes_px, _areas(rows, boxes_px, sizes), rows["score"].fillna(1.0).to_numpy(np.float64), crowds)
    return PointRows(places, {"i": classes}, places_px, seen > 0, *own), seen


def _areas(rows: pd.DataFrame, boxes_px: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the area of each instance in square pixels: as its file states it, else of its mask, else of its box, else NaN."""
    areas = boxes_px[:, 2] * boxes_px[:, 3]
    if MASK in rows:
        masked = np.flatnonzero(rows[MASK].notna().to_numpy())
        texts = rows[MASK].to_numpy(object)
        areas[masked] = [rle.area(rle.runs_of_text(texts[at], int(sizes[at, 1]), int(sizes[at, 0]))) for at in masked.tolist()]
    if coco.AREA in rows:
        stated = rows[coco.AREA].to_numpy(np.float64)
        areas = np.where(np.isnan(stated), areas, stated)
    return areas


def _computation(study: PointStudy, choice: Mapping[str, str]) -> Computation:
    if choice["kind"] == "similarity":
        decided = similarity.matched(study, _sigmas(choice["sigma"], study.points))
        said = {"sigma": choice["sigma"], "counted": choice["counted"]}
        return lambda draw: similarity.results(decided, said, draw)
    reference = cast("Any", choice["reference"])
    if reference == "px" and choice["within"] == POINT_CHOICES["paper"]["within"].default:
        raise MetricsError("--variant reference=px: say which distances, such as within=5,10,20")
    thresholds = [_above_0("within", one) for one in choice["within"].split(",")]
    confidence = masks.confidence_of(choice)
    measured = distances.measured(study, thresholds, reference, confidence)
    said = {"counted": choice["counted"], "confidence": choice["confidence"]}
    return lambda draw: measured.results(said, draw)


def _sigmas(text: str, points: Sequence[tuple[str, ...]]) -> FloatArray:
    """Return the sigma of each point of each class, (classes, points): one for all, or one by name."""
    every = list(dict.fromkeys(name for names in points for name in names))
    of_name = dict.fromkeys(every, 0.0)
    if "=" in text:
        stated = dict(part.rpartition("=")[::2] for part in text.split(","))
        unknown, missing = [name for name in stated if name not in of_name], [name for name in every if name not in stated]
        if unknown or missing:
            raise MetricsError(f"--variant sigma={text}: give one for each of {', '.join(every)}, such as {every[0]}={SIGMA}")
        of_name = {name: _above_0("sigma", value) for name, value in stated.items()}
    else:
        of_name = dict.fromkeys(every, _above_0("sigma", text))
    sigmas = np.full((len(points), max(map(len, points), default=0)), np.nan)
    for class_, names in enumerate(points):
        sigmas[class_, : len(names)] = [of_name[name] for name in names]
    return sigmas


def _above_0(name: str, text: str) -> float:
    return number_of(name, text, lambda value: value > 0, "a number above 0")


def _notes(choice: Mapping[str, str], by_place: Mapping[int, Mapping[str, str]]) -> list[str]:
    notes = []
    if choice["kind"] == "similarity" and choice["sigma"] == SIGMA:
        notes.append(f"sigma is {SIGMA} for every point, which nobody measured: say yours by --variant sigma=...")
    if by_place:
        notes.append("one side numbers points without names: both are taken by their place")
    return notes
