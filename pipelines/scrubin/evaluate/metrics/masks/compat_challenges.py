"""What challenges scored pixels of classes by: SAR-RARP50's own program, and ISINet's, by which EndoVis 2017 and 2018 are compared.

Sources: github.com/surgical-vision/SAR_RARP50-evaluation, ``scripts/evaluate.py`` and ``sarrarp50/metrics/segmentation.py``, which call
MONAI; ISINet's evaluation as github.com/wenxi-yue/SurgicalSAM, ``surgicalSAM/utils.py``, has it and names it (both read in November 2026).
The challenge of 2018 itself published no program.

Both read a picture of class numbers: a pixel is of one class. Who made it had left out what is hardly seen; so detections below
``confidence`` are not painted. Where masks overlap here, the most confident one is on top, and of annotated ones the last. Neither knows
pixels that are not counted.

**SAR-RARP50.** In each frame IoU and NSD at 10 px of every class, also those on neither side, which count as 1; a class on one side is 0,
and so are all of a frame that is not predicted: that the files of the predictions do not have. COCO results have every image of the ground
truth, as none is named in them: one without a detection is predicted as empty, and absent classes are 1 there. The mean over classes and
frames of a video, then over videos; the score is the root of the product of both means.

**ISINet.** Over all frames together: *challenge IoU* is the mean over frames of the mean over the classes that are annotated there; *IoU*
that over classes annotated or predicted; *mean class IoU* the mean over classes of the mean over these frames; *pooled IoU* shared pixels
over those of either side, of all frames and classes. A frame in which nothing is predicted is 0 for what is annotated, and is not in the
pooled one; a frame in which nothing is annotated is only in the second and third.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from scrubin.base import statistics
from scrubin.evaluate.metrics.masks import BoolArray, FloatArray, IntArray, MaskStudy, frames_of
from scrubin.evaluate.metrics.masks.pixels import IOU, NSD, of_class
from scrubin.evaluate.metrics.registry import Quirk, declare
from scrubin.evaluate.metrics.result import Result, Value, Variant, exact, mean_of, mean_over
from scrubin.evaluate.metrics.variants import SAR_RARP50
from scrubin.labels.masks import rle

SCORE = declare(
    "SAR-RARP50 segmentation score",
    task="detection",
    says="root of mean IoU times mean NSD of pixels, as SAR-RARP50 ranked",
    source="Psychogyios et al. 2023",
)
TOLERANCE_PX = 10.0
QUIRKS = (
    Quirk(
        "absent-classes-are-perfect",
        "choice",
        "SAR_RARP50-evaluation counts a class that is neither annotated nor predicted in a frame as 1: rare classes lift the mean.",
        "Left out, n says how many frames have a value; empty=counted on request.",
        "As published.",
    ),
    Quirk(
        "only-annotated-classes",
        "choice",
        "The challenge IoU of ISINet looks at classes that are annotated in a frame: a class that is only predicted there costs nothing.",
        "A class on either side counts; on one side only it is 0.",
        "As published; its IoU counts both.",
    ),
    Quirk(
        "unpredicted-frames-not-pooled",
        "bug",
        "ISINet leaves frames without any prediction out of its pooled IoU, but counts them as 0 in the others.",
        "There is no pooled IoU.",
        "As published.",
    ),
)


@dataclass(frozen=True, eq=False)
class Published:
    """What every frame says of every class: (frames, classes) each.

    Parameters
    ----------
    iou, nsd
        NaN where a class is on neither side.
    true, found, shared
        Pixels.
    starts
        (videos + 1,), where the frames of each video begin.
    lacking
        (frames,), whether the predictions lack the frame.
    names
        Of the videos.
    program, component, confidence
        Which program, of which classes, and of which detections: those from so much on.
    there
        The classes that take part: on neither side they are perfect. Another one counts where it is predicted, as 0.
    """

    iou: FloatArray
    nsd: FloatArray
    true: IntArray
    found: IntArray
    shared: IntArray
    starts: IntArray
    lacking: BoolArray
    names: tuple[str, ...]
    program: str
    component: str
    confidence: float
    there: IntArray

    @property
    def further(self) -> tuple[int, ...]:
        """Classes that only predictions have and that count; of SAR-RARP50 those that take part are none."""
        only = np.flatnonzero(self.found.any(axis=0) & ~self.true.any(axis=0))
        return tuple(np.setdiff1d(only, self.there).tolist() if self.program == SAR_RARP50 else only.tolist())

    def results(self, draw: IntArray | None = None) -> list[Result]:
        """Return what the program prints.

        Parameters
        ----------
        draw
            Positions of videos, which may repeat; None: all.
        """
        videos = range(len(self.names)) if draw is None else draw.tolist()
        spans = [np.arange(self.starts[at], self.starts[at + 1]) for at in videos]
        return self._sar_rarp50(spans, drawn=draw is not None) if self.program == SAR_RARP50 else self._isinet(spans)

    def _variant(self, metric: str, **options: str) -> Variant:
        classes = len(self.there) if self.program == SAR_RARP50 else self.iou.shape[1]
        own = {"component": self.component, "classes": str(classes), "program": self.program, "confidence": exact(self.confidence)}
        return Variant(metric, "compat", {**own, **options})

    def _sar_rarp50(self, spans: list[IntArray], *, drawn: bool) -> list[Result]:
        found = []
        for metric, values, options in ((IOU, self.iou, {}), (NSD, self.nsd, {"tolerance": "10 px"})):
            filled = np.where(self.lacking[:, None], 0.0, np.where(np.isnan(values), 1.0, values))[:, self.there]
            counted = len(self.there) + (~np.isnan(np.delete(values, self.there, axis=1))).sum(axis=1)
            of_videos = [float(filled[span].sum() / counted[span].sum()) if len(span) else math.nan for span in spans]
            own = {} if drawn else {name: Value(value, len(span)) for name, value, span in zip(self.names, of_videos, spans, strict=True)}
            overall = Value(statistics.mean(of_videos), len(of_videos))
            found.append(Result(self._variant(metric, **options), overall, videos=own))
        score = Value(math.sqrt(found[0].overall.value * found[1].overall.value), len(spans))
        return [*found, Result(self._variant(SCORE), score)]

    def _isinet(self, spans: list[IntArray]) -> list[Result]:
        frames = np.concatenate([np.zeros(0, np.int64), *spans])
        iou, true, found, shared = (of[frames] for of in (self.iou, self.true, self.found, self.shared))
        of_frames = [mean_of(row) for row in iou]
        of_annotated = [mean_of(row[annotated > 0]) for row, annotated in zip(iou, true, strict=True)]
        classes = {str(at): mean_of(iou[:, at]) for at in range(iou.shape[1])}
        pooled = found.sum(axis=1) > 0
        either = int((true + found - shared)[pooled].sum())
        whole = Value(int(shared[pooled].sum()) / either if either else math.nan, int(pooled.sum()))
        return [
            Result(self._variant(IOU, statistic="challenge IoU"), mean_over(of_annotated)),
            Result(self._variant(IOU, statistic="IoU"), mean_over(of_frames)),
            Result(self._variant(IOU, statistic="mean class IoU"), mean_over(classes.values()), classes),
            Result(self._variant(IOU, statistic="pooled IoU"), whole),
        ]


def frames_by_program(study: MaskStudy, component: str, program: str, confidence: float) -> Published:
    """Measure every class of a component in every frame, one class per pixel.

    Parameters
    ----------
    program
        `SAR_RARP50` or ISINet.
    confidence
        Detections below do not count.

    Raises
    ------
    MetricsError
        When the runs of a mask do not cover its picture.
    """
    shape = (len(study.images), study.sizes[component])
    iou, nsd = np.full(shape, math.nan), np.full(shape, math.nan)
    true, found, shared = (np.zeros(shape, np.int64) for _ in range(3))
    for frame in frames_of(study):
        scores = study.predictions.scores[frame.found]
        by_score = np.argsort(scores, kind="stable")[(scores < confidence).sum() :]
        of_truth = study.truth.classes[component][frame.truth]
        of_found = study.predictions.classes[component][frame.found][by_score]
        layers = [frame.found_masks[at] for at in by_score.tolist()]
        ones = _painted(of_truth, list(frame.true_masks), frame.height, frame.width)
        others = _painted(of_found, layers, frame.height, frame.width)
        for class_ in np.union1d(of_truth, of_found).tolist():
            sides = rle.runs_of_picture(ones == class_), rle.runs_of_picture(others == class_)
            _, iou[frame.place, class_], nsd[frame.place, class_], _ = of_class(*sides, frame.height, frame.width, TOLERANCE_PX)
            true[frame.place, class_], found[frame.place, class_] = rle.area(sides[0]), rle.area(sides[1])
            shared[frame.place, class_] = int(((ones == class_) & (others == class_)).sum())
    lacking = np.zeros(len(study.images), np.bool_) if study.unpredicted is None else study.unpredicted
    there = np.array(study.there.get(component, range(study.sizes[component])), np.int64)
    return Published(iou, nsd, true, found, shared, study.starts, lacking, study.names, program, component, confidence, there)


def _painted(classes: IntArray, masks: list[IntArray], height: int, width: int) -> IntArray:
    """Return the class of each pixel, -1 for none, (height, width); later masks are on top."""
    picture = np.full((height, width), -1, np.int64, order="F")
    for class_, runs in zip(classes.tolist(), masks, strict=True):
        picture[rle.picture(runs, height, width)] = class_
    return picture
