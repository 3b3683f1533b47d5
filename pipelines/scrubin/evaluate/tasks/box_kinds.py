"""Boxes otherwise than by one IoU: average precision by COCO's sizes, the curve of every class as numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from scrubin.base.errors import MetricsError
from scrubin.evaluate.computation import Computation
from scrubin.evaluate.metric_choices import STATED
from scrubin.evaluate.metrics.detection import average_precision, matching, sizes
from scrubin.evaluate.metrics.detection.rows import FloatArray, Scene
from scrubin.evaluate.metrics.result import Result
from scrubin.evaluate.series import IntArray, listed

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
        values = [average_precision.average_precision(of, name, threshold=threshold, scope="global") for name in components]
        return values if draw is not None else [_with_curves(one, scene, threshold) for one in values]

    return results


def _with_curves(result: Result, scene: Scene, threshold: float) -> Result:
    component, ranked = result.variant.options["component"], matching.ranked(scene)
    ranks = average_precision.ranking(ranked, component, "global")
    found = average_precision.curves(ranks, matching.matched(ranked, component, [threshold]))
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
            msg = f"--variant image={text}: give width and height in px, such as 854x480"
            raise MetricsError(msg)
        frames = int(np.sum([len(positions[name]) for name in names]))
        return np.tile(np.array([float(match["width"]), float(match["height"])]), (frames, 1))
    found = {name: _stated(positions[name], images.get(name)) for name in names}
    missing = [name for name in names if np.isnan(found[name]).any()]
    if missing:
        what = f"sizes of boxes are in pixels, but no file of the ground truth states the size of the images of {listed(missing)}"
        msg = f"{what}; say it by --variant image=854x480, or give labels in a format that states it, such as COCO"
        raise MetricsError(msg)
    return np.concatenate([found[name] for name in names])


def _stated(positions: IntArray, images: pd.DataFrame | None) -> FloatArray:
    if images is None:
        return np.full((len(positions), 2), np.nan)
    return images.set_index("position")[["width", "height"]].astype("float64").reindex(positions).to_numpy(np.float64)
