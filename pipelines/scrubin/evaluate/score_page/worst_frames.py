"""The frames on which predictions of classes or boxes are worst or best, by video."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.evaluate.computation import ComparedBoxes, ComparedClasses
from scrubin.evaluate.metrics.detection.matching import hits_at, ranked
from scrubin.evaluate.metrics.inputs import BoolArray, FloatArray

NAMED = 3
"""So many classes of a frame are named."""
SMALLEST = 1e-7
CROSS_ENTROPY = "mean cross-entropy of the probabilities of all classes"
RANKING = "share of pairs of a labelled and another class that are in the wrong order"


@dataclass(frozen=True)
class NamedFrame:
    """One frame.

    Parameters
    ----------
    video, frame
        Where.
    loss
        How wrong it is.
    labelled, predicted
        Names of the labelled classes, and of those with the highest scores.
    """

    video: str
    frame: int
    loss: float
    labelled: Sequence[str]
    predicted: Sequence[str]


@dataclass(frozen=True)
class BoxFrame:
    """One frame with boxes.

    Parameters
    ----------
    video, frame
        Where.
    boxes, missed, wrong
        How many boxes are annotated, how many of them nothing finds, and how many detections find none.
    surest
        The highest confidence of a detection that finds none; None where there is none.
    """

    video: str
    frame: int
    boxes: int
    missed: int
    wrong: int
    surest: float | None


def of_classes(compared: ComparedClasses, names: Mapping[str, str], most: int) -> tuple[str, list[NamedFrame], list[NamedFrame]]:
    """Return what the loss is, and the frames where it is highest and lowest.

    The lowest ones are of frames in which something is labelled: an empty frame is easily right.
    """
    is_probability = all(_in_unit(np.asarray(video.scores)) for video in compared.videos)
    loss_of = _cross_entropy if is_probability else _ranking
    every = []
    for place, video in enumerate(compared.videos):
        labels, scores = np.asarray(video.targets).astype(np.bool_), np.asarray(video.scores)
        losses, labelled = loss_of(labels, scores.astype(np.float64)), np.count_nonzero(labels, axis=1)
        every += [(loss, place, row, bool(labelled[row])) for row, loss in enumerate(losses.tolist()) if not np.isnan(loss)]
    worst = sorted(every, key=lambda one: (-one[0], one[1], one[2]))[:most]
    best = sorted((one for one in every if one[3]), key=lambda one: one[:3])[:most]

    def named(of: Sequence[tuple[float, int, int, bool]]) -> list[NamedFrame]:
        return [_named(compared, names, place, row, loss) for loss, place, row, _ in of]

    return CROSS_ENTROPY if is_probability else RANKING, named(worst), named(best)


def of_boxes(compared: ComparedBoxes, component: str, most: int) -> list[BoxFrame]:
    """Return the frames with the most missed boxes; of as many, those with the surest wrong detection."""
    scene = ranked(compared.scene)
    hits = hits_at(scene, component, compared.threshold)
    frames = int(scene.starts[-1])
    boxes = np.bincount(scene.truth.places, minlength=frames)
    missed = boxes - np.bincount(scene.predictions.places[hits], minlength=frames)
    wrong = np.bincount(scene.predictions.places[~hits], minlength=frames)
    surest = np.full(frames, -np.inf)
    np.maximum.at(surest, scene.predictions.places[~hits], scene.predictions.scores[~hits])
    order = np.lexsort((np.arange(frames), -surest, -missed))
    faulty = [at for at in order[: most + 1].tolist() if missed[at] or wrong[at]][:most]
    return [_box_frame(compared, at, int(boxes[at]), int(missed[at]), int(wrong[at]), float(surest[at])) for at in faulty]


def _box_frame(compared: ComparedBoxes, at: int, boxes: int, missed: int, wrong: int, surest: float) -> BoxFrame:
    scene = compared.scene
    video = int(scene.starts.searchsorted(at, side="right")) - 1
    name = scene.names[video]
    return BoxFrame(name, int(compared.frames[name][at - scene.starts[video]]), boxes, missed, wrong, surest if wrong else None)


def _named(compared: ComparedClasses, names: Mapping[str, str], place: int, row: int, loss: float) -> NamedFrame:
    video = compared.videos[place]
    labels, scores = np.asarray(video.targets)[row].astype(np.bool_), np.asarray(video.scores)[row]
    first = np.argsort(-scores, kind="stable")[:NAMED].tolist()
    labelled = [_name(names, class_) for class_ in np.flatnonzero(labels).tolist()]
    predicted = [f"{_name(names, class_)} {scores[class_]:.2f}" for class_ in first]
    return NamedFrame(video.name, int(compared.frames[video.name][row]), loss, labelled, predicted)


def _name(names: Mapping[str, str], class_: int) -> str:
    return names.get(str(class_), str(class_))


def _in_unit(scores: FloatArray) -> bool:
    return bool(((scores >= 0) & (scores <= 1)).all())


def _cross_entropy(labels: BoolArray, scores: FloatArray) -> FloatArray:
    sure = np.clip(np.where(labels, scores, 1 - scores), SMALLEST, 1)
    losses: FloatArray = -np.log(sure).mean(axis=1)
    return losses


def _ranking(labels: BoolArray, scores: FloatArray) -> FloatArray:
    """Return the share of wrong pairs by frame, equal scores by half; NaN where nothing or everything is labelled."""
    losses = np.full(len(labels), np.nan)
    for row, (own, score) in enumerate(zip(labels, scores, strict=True)):
        if own.any() and not own.all():
            apart = score[own][:, np.newaxis] - score[~own][np.newaxis]
            losses[row] = ((apart < 0) + 0.5 * (apart == 0)).mean()
    return losses
