"""What detection metrics take: all boxes of all videos as flat arrays, one row per box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.bootstrap import drawn_names
from scrubin.evaluate.metrics.inputs import unmasked

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
# The area of a larger box is no number any more.
LARGEST = 1e100
PX_DIGITS = 9
"""So many digits of a px are those of a file; further ones are of its share of the image."""


@dataclass(frozen=True, eq=False)
class BoxRows:
    """Boxes, one per row, in any order.

    Parameters
    ----------
    videos
        (rows,), position of the video in `Study.names`.
    frames
        (rows,), frame of that video from 0.
    classes
        By component (``ivt``, ``i``, ``v``, ``t``), (rows,), class ids from 0.
    boxes
        (rows, 4), left, top, width, height; any unit, the same in truth and predictions. A box whose width or height is not positive
        overlaps nothing, as in published programs.
    scores
        (rows,), confidences; None: 1 throughout, as for annotations.
    crowds
        (rows,), annotated boxes around several instances that nobody drew one by one; None: there is none.
    areas
        (rows,), square pixels that a file states, or those of a mask without a box; NaN or None: width times height. As ``crowds``
        for average precision by size only.
    """

    videos: npt.ArrayLike
    frames: npt.ArrayLike
    classes: Mapping[str, npt.ArrayLike]
    boxes: npt.ArrayLike
    scores: npt.ArrayLike | None = None
    crowds: npt.ArrayLike | None = None
    areas: npt.ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class BoxStudy:
    """Annotated and predicted boxes of some videos.

    Parameters
    ----------
    names
        Ids of the videos.
    lengths
        (videos,), how many frames each has, those without boxes included.
    sizes
        By component, how many classes there are; only these components can be computed.
    truth, predictions
        The boxes.
    """

    names: Sequence[str]
    lengths: npt.ArrayLike
    sizes: Mapping[str, int]
    truth: BoxRows
    predictions: BoxRows


@dataclass(frozen=True, eq=False)
class Boxes:
    """Checked boxes of one side, in order of frames; rows of a frame as given.

    Parameters
    ----------
    places
        (rows,), frame counted through all videos.
    videos, classes, boxes, scores, crowds, areas
        As of `BoxRows`, in arrays of their own.
    """

    places: IntArray
    videos: IntArray
    classes: Mapping[str, IntArray]
    boxes: FloatArray
    scores: FloatArray
    crowds: BoolArray
    areas: FloatArray

    def __len__(self) -> int:
        """How many boxes there are."""
        return len(self.places)

    def taken(self, which: npt.NDArray[Any]) -> Boxes:
        """Return some of the rows, or all in another order."""
        classes = {name: ids[which] for name, ids in self.classes.items()}
        own = (self.boxes[which], self.scores[which], self.crowds[which], self.areas[which])
        return Boxes(self.places[which], self.videos[which], classes, *own)


@dataclass(frozen=True, eq=False)
class Scene:
    """A checked study.

    Parameters
    ----------
    names, sizes
        As of `BoxStudy`.
    starts
        (videos + 1,), where the frames of each video begin among all of them.
    truth, predictions
        The boxes.
    memo
        What was derived from it before, so that several metrics of one scene do not repeat it.
    drawn
        Where its videos come from, when they were drawn from another scene; None when they were not.
    """

    names: tuple[str, ...]
    sizes: Mapping[str, int]
    starts: IntArray
    truth: Boxes
    predictions: Boxes
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)
    drawn: DrawnVideos | None = None

    def size(self, component: str) -> int:
        """Return how many classes a component has.

        Raises
        ------
        MetricsError
            When the study does not have it.
        """
        if component not in self.sizes:
            raise MetricsError(f"there is no component {component!r} in these boxes; choose one of {', '.join(sorted(self.sizes))}")
        return self.sizes[component]


@dataclass(frozen=True, eq=False)
class DrawnVideos:
    """Where the videos of a scene come from. What is decided within a video need not be decided again.

    Parameters
    ----------
    source
        The scene that they were drawn from.
    videos
        (videos,), positions there.
    predictions
        (detections,), rows there.
    """

    source: Scene
    videos: IntArray
    predictions: IntArray


def checked(study: BoxStudy | Scene) -> Scene:
    """Check a study; a scene, which was checked before, is returned as it is.

    Returns
    -------
    Scene
        Copies: nothing that is computed from it reaches the arrays given.

    Raises
    ------
    MetricsError
        When there is no video, a name comes twice, columns differ in length, a class, video or frame is out of range or no
        whole number, or a box or score is not finite; names the side and the first row.
    """
    if isinstance(study, Scene):
        return study
    names = tuple(study.names)
    if not names or len(set(names)) != len(names):
        raise MetricsError("no video is given; at least one is needed" if not names else "a video is given twice; give every video once")
    lengths = _whole(study.lengths, "lengths of videos")
    if lengths.shape != (len(names),) or (lengths < 0).any():
        raise MetricsError(f"there are {len(names)} videos but lengths {lengths.tolist()}; give the number of frames of each, from 0")
    wrong = sorted(
        f"{name}: {size!r}"
        for name, size in study.sizes.items()
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1
    )
    if wrong or not study.sizes:
        raise MetricsError(f"the numbers of classes are {', '.join(wrong) or 'missing'}; give a whole number from 1 for every component")
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    truth = _side(study.truth, study.sizes, names, starts, "annotations")
    return Scene(names, dict(study.sizes), starts, truth, _side(study.predictions, study.sizes, names, starts, "predictions"))


def video(scene: Scene, at: int) -> Scene:
    """Return one video of a scene as a scene of its own."""

    def own(side: Boxes) -> Boxes:
        # Rows are in order of frames, so those of a video are together.
        first, last = np.searchsorted(side.places, scene.starts[at : at + 2])
        kept = side.taken(np.arange(first, last))
        return replace(kept, places=kept.places - scene.starts[at], videos=np.zeros_like(kept.videos))

    starts = scene.starts[at : at + 2] - scene.starts[at]
    return Scene(scene.names[at : at + 1], scene.sizes, starts, own(scene.truth), own(scene.predictions))


def taken(scene: Scene, videos: npt.ArrayLike) -> Scene:
    """Return the videos of a scene at these positions, which may repeat, each under a name of its own; see `matching.draw`."""
    positions = np.asarray(videos, dtype=np.int64)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.diff(scene.starts)[positions])])

    def own(side: Boxes) -> tuple[Boxes, IntArray]:
        bounds = np.searchsorted(side.places, scene.starts)
        counts = np.diff(bounds)[positions]
        numbers = np.repeat(np.arange(len(positions)), counts)
        within = np.arange(len(numbers)) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = bounds[positions][numbers] + within
        kept = side.taken(rows)
        places = kept.places + (starts[:-1] - scene.starts[positions])[numbers]
        return replace(kept, places=places, videos=numbers), rows

    (truth, _), (predictions, rows) = own(scene.truth), own(scene.predictions)
    names = drawn_names(scene.names, positions)
    return Scene(names, scene.sizes, starts, truth, predictions, drawn=DrawnVideos(scene, positions, rows))


def _side(rows: BoxRows, sizes: Mapping[str, int], names: Sequence[str], starts: IntArray, what: str) -> Boxes:
    missing = sorted(set(sizes) - set(rows.classes))
    if missing:
        msg = f"the {what} have no classes of the component {', '.join(missing)}; give one id per box, or leave the component out of sizes"
        raise MetricsError(msg)
    videos, frames = _whole(rows.videos, f"videos of the {what}"), _whole(rows.frames, f"frames of the {what}")
    classes = {name: _whole(rows.classes[name], f"classes {name} of the {what}") for name in sizes}
    boxes = _numbers(rows.boxes, f"boxes of the {what}")
    scores = np.ones(len(videos)) if rows.scores is None else _numbers(rows.scores, f"scores of the {what}")
    boxes = boxes.reshape(0, 4) if not boxes.size else boxes
    if boxes.shape != (len(videos), 4):
        msg = f"the boxes of the {what} have the shape {boxes.shape} for {len(videos)} rows; give left, top, width and height of each"
        raise MetricsError(msg)
    crowds = np.zeros(len(videos), np.bool_) if rows.crowds is None else np.asarray(rows.crowds, np.bool_)
    areas = np.full(len(videos), np.nan) if rows.areas is None else _numbers(rows.areas, f"areas of the {what}")
    own = (("frames", frames), ("scores", scores), ("crowds", crowds), ("areas", areas))
    for column, values in (*own, *((f"classes {name}", ids) for name, ids in classes.items())):
        if values.shape != videos.shape:
            raise MetricsError(f"the {what} have {len(videos)} videos but {column} of shape {values.shape}; give one of each per box")
    _in_range(videos, np.full(len(videos), len(names)), f"video of the {what}", "videos")
    _in_range(frames, np.diff(starts)[videos], f"frame of the {what}", "frames in its video")
    for name, ids in classes.items():
        _in_range(ids, np.full(len(ids), sizes[name]), f"class {name} of the {what}", "classes")
    for column, finite in (("box", (np.abs(boxes) < LARGEST).all(axis=1)), ("score", np.abs(scores) < LARGEST)):
        if not finite.all():
            at = int(np.flatnonzero(~finite)[0])
            shown = (boxes if column == "box" else scores)[at].tolist()
            raise MetricsError(f"the {column} of row {at} of the {what} is {shown}; it must be finite, below {LARGEST:g}")
    places = starts[videos] + frames
    checked_rows = Boxes(places, videos, classes, boxes, scores, crowds, areas)
    # Copies also when nothing moves.
    return checked_rows.taken(np.argsort(places, kind="stable"))


def _numbers(values: npt.ArrayLike, what: str) -> FloatArray:
    try:
        array = np.asarray(unmasked(values, f"the {what}"))
    except ValueError as error:
        raise MetricsError(f"the {what} have rows of different lengths; give one row of numbers per box") from error
    if array.dtype.kind not in "iuf" and array.size:
        raise MetricsError(f"the {what} are of type {array.dtype}; give numbers")
    return array.astype(np.float64)


def _whole(values: npt.ArrayLike, what: str) -> IntArray:
    array = _numbers(values, what)
    if array.ndim != 1:
        raise MetricsError(f"the {what} have the shape {array.shape}; give one whole number per row")
    # Doubles hold whole numbers up to 2 ** 53.
    wrong = ~((array == np.floor(array)) & (np.abs(array) < 2.0**53))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise MetricsError(f"row {at} of the {what} is {array[at]}; it must be a whole number")
    return array.astype(np.int64)


def _in_range(values: IntArray, ends: IntArray, what: str, of: str) -> None:
    wrong = (values < 0) | (values >= ends)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise MetricsError(f"row {at}: the {what} is {values[at]}, but there are {ends[at]} {of}; ids count from 0")


def in_px(boxes: FloatArray, sizes_px: FloatArray) -> FloatArray:
    """Return boxes in px where the size of their image is known, else in shares of it.

    In shares, boxes of whole px that overlap by just a threshold can be rounded below it.

    Parameters
    ----------
    boxes
        (rows, 4), left, top, width and height in shares of the image.
    sizes_px
        (rows, 2), width and height of the image of each; NaN where they are not known.
    """
    whole = np.tile(sizes_px, 2)
    found: FloatArray = np.where(np.isnan(whole), boxes, np.round(boxes * whole, PX_DIGITS))
    return found
