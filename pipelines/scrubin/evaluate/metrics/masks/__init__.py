"""What metrics of masks take: all masks of all videos, one row per instance, and the size of every picture.

A mask is its compressed run lengths, as `scrubin.labels.masks` has them; they are unpacked frame by frame, so that 10,000 frames need no
more memory than their text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import AnnotationError, MetricsError
from scrubin.labels.masks import rle

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MaskRows:
    """Instances of one side, one per row, in order of frames.

    Parameters
    ----------
    places
        (rows,), frame counted through all videos, not falling.
    classes
        By component (``ivt``, ``i``, ``v``, ``t``), (rows,), class ids from 0.
    masks
        (rows,), compressed counts.
    scores
        (rows,), confidences; 1 throughout for annotations.
    crowds
        (rows,), annotated masks around several instances that nobody drew one by one.
    areas
        (rows,), square pixels that a file states; NaN: those of the mask.
    """

    places: IntArray
    classes: Mapping[str, IntArray]
    masks: Sequence[str]
    scores: FloatArray
    crowds: BoolArray
    areas: FloatArray

    def __len__(self) -> int:
        """How many instances there are."""
        return len(self.places)


@dataclass(frozen=True, eq=False)
class MaskStudy:
    """Annotated and predicted masks of some videos.

    Parameters
    ----------
    names
        Ids of the videos.
    starts
        (videos + 1,), where the frames of each video begin among all of them.
    sizes
        By component, how many classes there are.
    images
        (frames, 2), width and height of each picture in px.
    truth, predictions
        The masks.
    unpredicted
        (frames,), whether the predictions lack the frame; None: they have all.
    ignored
        Compressed counts of the pixels that are not counted, by frame that has any.
    there
        By component, the classes that take part where those on neither side count; of a component that is not named, all.
    """

    names: tuple[str, ...]
    starts: IntArray
    sizes: Mapping[str, int]
    images: IntArray
    truth: MaskRows
    predictions: MaskRows
    unpredicted: BoolArray | None = None
    ignored: Mapping[int, str] = field(default_factory=dict)
    there: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @property
    def videos(self) -> IntArray:
        """The video of each frame, (frames,)."""
        return np.repeat(np.arange(len(self.names)), np.diff(self.starts))


class Frame(NamedTuple):
    """One frame with anything annotated or predicted: rows of both sides, the run lengths of each, those of what is not counted."""

    place: int
    height: int
    width: int
    truth: IntArray
    found: IntArray
    true_masks: Sequence[IntArray]
    found_masks: Sequence[IntArray]
    ignored: IntArray | None = None

    def counted(self, masks: Sequence[IntArray]) -> Sequence[IntArray]:
        """Return masks without the pixels that are not counted."""
        return masks if self.ignored is None else [rle.without(runs, self.ignored) for runs in masks]


def frames_of(study: MaskStudy) -> Iterator[Frame]:
    """Yield every frame that has a mask, one after the other, its masks unpacked.

    Raises
    ------
    MetricsError
        When the runs of a mask do not cover its picture; names side, video and frame.
    """
    bounds = [np.searchsorted(side.places, np.arange(len(study.images) + 1)) for side in (study.truth, study.predictions)]
    for place, (width, height) in enumerate(study.images.tolist()):
        (first, last), (begin, end) = ((int(of[place]), int(of[place + 1])) for of in bounds)
        if first == last and begin == end:
            continue
        true_masks = _unpacked(study, "ground truth", study.truth.masks[first:last], place)
        found_masks = _unpacked(study, "predictions", study.predictions.masks[begin:end], place)
        ignored = _unpacked(study, "ground truth", [study.ignored[place]], place)[0] if place in study.ignored else None
        yield Frame(place, height, width, np.arange(first, last), np.arange(begin, end), true_masks, found_masks, ignored)


def _unpacked(study: MaskStudy, side: str, texts: Sequence[str], place: int) -> list[IntArray]:
    width, height = study.images[place].tolist()
    try:
        masks = rle.runs_of_texts(texts)
        for runs in masks:
            if int(runs.sum()) != height * width:
                rle.checked_runs(runs, height, width)
    except AnnotationError as error:
        at = int(np.searchsorted(study.starts, place, side="right")) - 1
        what = f"{study.names[at]}, frame {place - int(study.starts[at])} of the {side}: {error.faults[0].what}; {error.faults[0].fix}"
        raise MetricsError(what) from error
    return masks
