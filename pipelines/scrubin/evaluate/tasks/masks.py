"""Masks of instances: what of both sides counts, average precision and panoptic quality, pixels of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from scrubin.base.errors import MetricsError
from scrubin.base.faults import Fault, count_text, error, warning
from scrubin.evaluate.computation import Computation, number_of, scopes_of
from scrubin.evaluate.metrics.detection import BoolArray, Boxes, FloatArray, Scene
from scrubin.evaluate.metrics.masks import MaskRows, MaskStudy, average_precision, compat_challenges, panoptic, pixels
from scrubin.evaluate.metrics.result import Result
from scrubin.evaluate.metrics.variants import MASKS
from scrubin.evaluate.series import IntArray, Series, listed
from scrubin.labels.model import IGNORED, MASK

Rows = Mapping[str, pd.DataFrame]
DRAW = "draw the mask of every instance, or leave --variant kind out to score boxes"


def masked(series: Mapping[str, Series], rows: Rows) -> tuple[dict[str, Series], dict[str, pd.DataFrame], tuple[Fault, ...]]:
    """Return the annotated frames of which every instance has its mask, and what is to be said of the others.

    A video in which nothing has a mask does not count, but one in which nothing is annotated does: somebody looked.

    Raises
    ------
    MetricsError
        When no instance has a mask.
    """
    # Frames of which nothing is labelled are what participants get.
    if any(len(of_video) for of_video in rows.values()) and not any(_has_mask(of_video).any() for of_video in rows.values()):
        raise MetricsError([error("", "mask-missing", "no instance of the ground truth has a mask", DRAW)])
    kept_series, kept_rows, frames, videos = {}, {}, 0, 0
    for name, of_video in rows.items():
        has_mask = _has_mask(of_video)
        if len(has_mask) and not has_mask.any():
            videos += 1
            continue
        own = series.get(name)
        if own is None:
            continue
        kept = ~np.isin(own.frames, of_video["position"].to_numpy(np.int64)[~has_mask])
        frames += int((~kept).sum())
        kept_series[name] = replace(own, frames=own.frames[kept], values=own.values[kept])
        kept_rows[name] = of_video[of_video["position"].isin(own.frames[kept])]
    said = [
        *([f"{count_text(frames, 'frame')} of the ground truth left out: an instance has no mask"] * bool(frames)),
        *([f"{count_text(videos, 'video')} of the ground truth left out: nothing in it has a mask"] * bool(videos)),
    ]
    return kept_series, kept_rows, tuple(warning("", "mask-missing", what, "draw every mask") for what in said)


def refuse_without(rows: Rows) -> None:
    """Refuse predicted instances without a mask; raises `MetricsError` with their number."""
    without = {name: int((~_has_mask(of_video)).sum()) for name, of_video in rows.items()}
    named = [name for name, number in without.items() if number]
    if named:
        what = f"{count_text(sum(without.values()), 'predicted instance')} of {listed(named)} without mask"
        raise MetricsError([error("", "mask-missing", what, "predict the mask of every instance")])


def passed_over(counted: Mapping[int, str], stated: Rows) -> tuple[Fault, ...]:
    """Return what is to be said of pixels that files say are not counted, and that are counted.

    Parameters
    ----------
    counted
        Those of the ground truth, as `ignored_of`, where published programs count them.
    stated
        By video, what files of the predictions say of frames: only the ground truth can say it.
    """
    of_predictions = sum(int(of_video[IGNORED].notna().sum()) for of_video in stated.values() if IGNORED in of_video)
    said = (
        ("ground truth", len(counted), "published programs do not know them, and count them", "kind=pixels leaves them out"),
        ("predictions", of_predictions, "they are taken as of no class", "only the ground truth says what is not counted"),
    )
    return tuple(
        warning("", "ignored-pixels", f"{count_text(frames, 'frame')} of the {role} with pixels that are not to be counted: {so}", fix)
        for role, frames, so, fix in said
        if frames
    )


def refuse_other_sizes(images: FloatArray, names: Sequence[str], at: Mapping[str, IntArray], stated: Rows) -> None:
    """Refuse predictions whose files state another size of a picture than the ground truth; raises `MetricsError` with the first.

    Parameters
    ----------
    images
        (frames of all videos, 2), width and height by the ground truth in px.
    names
        The videos.
    at
        By video, its frames as the predictions number them; -1 where there is none.
    stated
        By video, what its files say of frames.
    """
    first = 0
    for name in names:
        of_video = images[first : first + len(at[name])]
        first += len(at[name])
        own = stated.get(name)
        if own is None or not {"width", "height"} <= set(own):
            continue
        sizes = own.set_index("position")[["width", "height"]].astype("float64").reindex(at[name]).to_numpy(np.float64)
        other = np.flatnonzero((~np.isnan(sizes) & (sizes != of_video)).any(axis=1))
        if len(other):
            theirs, ours = (f"{int(of[other[0]][0])} x {int(of[other[0]][1])} px" for of in (sizes, of_video))
            what = f"{name}, frame {int(at[name][other[0]])}: masks of {theirs} are predicted, the picture has {ours}"
            raise MetricsError([error("", "mask-size", what, "predict masks of the size of the picture")])


def ignored_of(names: Sequence[str], at: Mapping[str, IntArray], stated: Rows) -> dict[int, str]:
    """Return the pixels that are not counted, as compressed counts by frame counted through all videos.

    Parameters
    ----------
    names, at
        The videos, and by video its frames as the ground truth numbers them.
    stated
        By video, what its files say of frames.
    """
    found: dict[int, str] = {}
    first = 0
    for name in names:
        if name in stated and IGNORED in stated[name]:
            own = stated[name].set_index("position")[IGNORED].reindex(at[name])
            found |= {first + place: str(own.iloc[place]) for place in np.flatnonzero(own.notna()).tolist()}
        first += len(at[name])
    return found


def study_of(
    scene: Scene, images: FloatArray, truth: tuple[IntArray, IntArray, pd.DataFrame], predictions: tuple[IntArray, IntArray, pd.DataFrame]
) -> MaskStudy:
    """Return the masks of both sides.

    Parameters
    ----------
    scene
        Their boxes, checked.
    images
        (frames of all videos, 2), width and height in px.
    truth, predictions
        Video, frame in it and row of each instance, in the order from which the scene was made.
    """

    def side(boxes: Boxes, videos: IntArray, frames: IntArray, rows: pd.DataFrame) -> MaskRows:
        order = np.argsort(scene.starts[videos] + frames, kind="stable")
        texts = rows[MASK].to_numpy(object)[order].tolist() if len(rows) else []
        return MaskRows(boxes.places, boxes.classes, texts, boxes.scores, boxes.crowds, boxes.areas)

    sides = side(scene.truth, *truth), side(scene.predictions, *predictions)
    return MaskStudy(scene.names, scene.starts, scene.sizes, images.astype(np.int64), *sides)


def computation(study: MaskStudy, components: Sequence[str], choice: Mapping[str, str]) -> tuple[Computation, Mapping[str, Sequence[int]]]:
    """Return what ``kind=masks``, ``kind=pixels`` or a published program computes, and the classes that count and that no label has.

    Returns
    -------
    tuple
        Also the ids of these classes by component. Of SAR-RARP50's program none is a class that takes part.

    Raises
    ------
    MetricsError
        For a confidence or tolerance that is none.
    """
    confidence = confidence_of(choice)
    if "program" in choice:
        published = [compat_challenges.frames_by_program(study, name, choice["program"], confidence) for name in components]
        further = {one.component: one.further for one in published}
        return lambda draw: [result for one in published for result in one.results(draw)], further
    if choice["kind"] == MASKS:
        decided = [(average_precision.matched(study, name), panoptic.counted(study, name, confidence)) for name in components]

        def results(draw: IntArray | None) -> list[Result]:
            every = ([*average_precision.results(found, draw), *counted.results(draw)] for found, counted in decided)
            return [result for of_component in every for result in of_component]

        return results, {counted.component: counted.further for _, counted in decided}
    tolerance_px = number_of("tolerance", choice["tolerance"], lambda value: value >= 0, "a number from 0 on")
    measured = [
        pixels.measured(study, name, tolerance_px=tolerance_px, confidence=confidence, empty=choice["empty"]) for name in components
    ]
    scopes = scopes_of(choice)
    further = {one.component: one.further for one in measured}
    return lambda draw: [result for one in measured for result in one.results(scopes, draw)], further


def _has_mask(rows: pd.DataFrame) -> BoolArray:
    return rows[MASK].notna().to_numpy(np.bool_) if MASK in rows else np.zeros(len(rows), np.bool_)


def confidence_of(choice: Mapping[str, str]) -> float:
    """Return the confidence from which predictions count; raises `MetricsError` where it can be none."""
    return number_of("confidence", choice["confidence"], lambda value: 0 <= value <= 1, "a number from 0 to 1")
