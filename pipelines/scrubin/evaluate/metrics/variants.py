"""What can be chosen of every metric: the variants that are published, the default of each.

Of words and numbers alone, without tables or files: help texts and documents read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from scrubin.base.statistics import FORMS, PRIMARY

SEED = 0
RESAMPLES = 1000
LEVEL = 0.95
ONE_VIDEO = "with one video every resample is the same, so the intervals say nothing"

Strategy = Literal["A", "B", "zero", "one"]
STRATEGIES: tuple[Strategy, ...] = ("A", "B", "zero", "one")

PhaseScope = Literal["video-wise", "frame-wise"]
PHASE_SCOPES: tuple[PhaseScope, ...] = ("video-wise", "frame-wise")

AveragingOrder = Literal["all", "macro-first", "by-phase", "by-video"]
AVERAGING_ORDERS: tuple[AveragingOrder, ...] = ("all", "macro-first", "by-phase", "by-video")

OVERLAPS = (10, 25, 50)

BINS = 15
"""As in Guo's experiments."""

Component = Literal["i", "v", "t", "iv", "it", "ivt"]
COMPONENTS: tuple[Component, ...] = get_args(Component)
ONLY_INSTRUMENTS = "only instruments are labelled"
"""What every command says where a component of triplets is asked for, and there are none."""

Interpolation = Literal["step", "11-point", "101-point", "101-point linear"]
INTERPOLATIONS: tuple[Interpolation, ...] = get_args(Interpolation)

BoxScope = Literal["global", "video-wise"]
BOX_SCOPES: tuple[BoxScope, ...] = get_args(BoxScope)


@dataclass(frozen=True)
class Choice:
    """One thing that can be chosen of a metric.

    Parameters
    ----------
    values
        What it can be; empty for a number, which ``check`` must take.
    default
        What it is when nothing is said.
    meaning
        For the help.
    """

    values: tuple[str, ...]
    default: str
    meaning: str


PRECISION = "precision"
CALIBRATION = "calibration"
SCOPES = ("both", "video-wise", "global")
RECOGNITION_CHOICES: Mapping[str, Mapping[str, Choice]] = {
    "paper": {
        "kind": Choice(
            (PRECISION, CALIBRATION), PRECISION, "average precision and top-k; or calibration error and Brier score of probabilities"
        ),
        "component": Choice(("all", *COMPONENTS), "all", "instrument, verb, target, their pairs, or the triplet"),
        "scope": Choice(SCOPES, "both", "mean over videos, or frames of all videos pooled"),
        "null": Choice(("both", "counted", "left-out"), "both", "whether null triplets count in ivt"),
        "k": Choice((), "5,10,20", "of top-k accuracy, whole numbers with commas"),
        "bins": Choice((), str(BINS), "of the calibration error"),
    },
    "compat": {
        "component": Choice(("all", *COMPONENTS), "all", "as ivtmetrics names them"),
        "scope": Choice(SCOPES, "both", "compute_video_AP or compute_global_AP"),
        "null": Choice(("both", "counted", "left-out"), "both", "ignore_null"),
        "k": Choice((), "5,10,20", "of topK, whole numbers with commas"),
        "scikit-learn": Choice(("<=1.5", ">=1.6"), "<=1.5", "the release that ivtmetrics ran with: from 1.6 on, absent classes count as 0"),
    },
}
BOX_COMPONENTS = ("ivt", "i", "v", "t")
BOX_PROGRAMS = ("ivtmetrics-0.1.5", "ivtmetrics-0.1.2", "ivtdmetrics-0.1")
SAR_RARP50 = "SAR_RARP50-evaluation"
MASK_PROGRAMS = (SAR_RARP50, "ISINet")
BOXES = "boxes"
SIZES = "sizes"
CURVES = "curves"
BOX_KINDS = (SIZES, CURVES)
MASKS = "masks"
PIXELS = "pixels"
MASK_KINDS = (MASKS, PIXELS)
STATED = "stated"
TOLERANCE_PX = 10
"""What SAR-RARP50 was scored with."""
CONFIDENCE = 0.5
EMPTY = ("left-out", "counted")
DETECTION_CHOICES: Mapping[str, Mapping[str, Choice]] = {
    "paper": {
        "kind": Choice(
            (BOXES, *BOX_KINDS, *MASK_KINDS),
            BOXES,
            "AP, best confidence, association; AP by COCO's sizes, with its crowds and areas; curves of every class (JSON); "
            "AP and panoptic quality of masks; Dice, IoU and distances of the pixels of a class",
        ),
        "component": Choice(("all", *BOX_COMPONENTS), "all", "whose class must be right"),
        "scope": Choice(SCOPES, "both", "mean over videos, or all frames together"),
        "iou": Choice((), "0.5", "least IoU of a true detection, in 0..1"),
        "interpolation": Choice(INTERPOLATIONS, "step", "how the area under the curve is taken"),
        "image": Choice((), STATED, "size of the images in px, such as 854x480, where no file states it"),
        "confidence": Choice((), str(CONFIDENCE), "least one of a detection in panoptic quality and of pixels, in 0..1"),
        "tolerance": Choice((), str(TOLERANCE_PX), "of the surface distance, in px"),
        "empty": Choice(EMPTY, EMPTY[0], "whether a class that is neither annotated nor predicted in a frame counts as perfect"),
    },
    "compat": {
        "program": Choice((*BOX_PROGRAMS, *MASK_PROGRAMS), BOX_PROGRAMS[0], "which published program; the last two are of pixels"),
        "component": Choice(("all", *BOX_COMPONENTS), "all", "as the program names them"),
        "scope": Choice(SCOPES, "both", "compute_video_AP or compute_global_AP, where the program has it"),
        "iou": Choice((), "0.5", "threshold of the program"),
        "style": Choice(("coco", "11point"), "coco", "of ivtdmetrics"),
        "confidence": Choice((), str(CONFIDENCE), "least one of a detection, in 0..1, of the programs of pixels"),
    },
}
FRAMES = "frames"
NO_BACKGROUND = "none"
PHASE_KIND = Choice(
    (FRAMES, "segments", "events", "videos"),
    FRAMES,
    "rates of frames; edit score and F1 of segments; errors of onsets and offsets in s; spread of the rates over videos",
)
PHASE_KIND_CHOICES: Mapping[str, Choice] = {
    "overlap": Choice((), ",".join(map(str, OVERLAPS)), "of F1 of segments: least IoU in percent, whole numbers with commas"),
    "background": Choice((), NO_BACKGROUND, "name or id of the phase whose segments do not count"),
}
RELAXED_S = 10
KNOWN_ORDER = "known"
"""The order of the vocabulary, or of ids."""
PHASE_CHOICES: Mapping[str, Mapping[str, Choice]] = {
    "paper": {
        "kind": PHASE_KIND,
        "scope": Choice(PHASE_SCOPES, "video-wise", "per video, or frames of all videos pooled"),
        "undefined": Choice(STRATEGIES, "A", "what becomes of undefined values"),
        "averaged": Choice(
            AVERAGING_ORDERS, "all", "order of averaging over runs, videos and phases; deviations are those of all, or of macro-first"
        ),
        "bessel": Choice(("yes", "no"), "yes", "whether standard deviations divide by n - 1"),
        "every": Choice(("no", "yes"), "no", "all combinations of the above at once"),
        "omega": Choice((), f"{RELAXED_S}s", "width of relaxed boundaries, in seconds (10s) or frames (10)"),
        "relaxed-undefined": Choice(STRATEGIES, "B", "what becomes of undefined relaxed values"),
        "window": Choice(("segment", "literal"), "segment", "whether a window ends with its segment"),
        "crosses": Choice(("left-out", "accepted"), "left-out", "the transitions crossed out in Figure 3"),
        "counted": Choice(
            ("either", "own"), "either", "frames annotated or predicted, or only the predicted (precision) or annotated ones"
        ),
        "above-one": Choice(("kept", "clipped"), "kept", "relaxed precision and recall above 1"),
        **PHASE_KIND_CHOICES,
    },
    "compat": {
        "omega": Choice((), f"{RELAXED_S}s", "width of relaxed boundaries, in seconds (10s) or frames (10)"),
        "order": Choice(
            (), KNOWN_ORDER, "all phases in the order of the operation, names with commas, where files name phases that are not known"
        ),
    },
}
CRITERIA_CHOICES: Mapping[str, Mapping[str, Choice]] = {
    "paper": {
        "kind": Choice(
            ("predictions", "raters"),
            "predictions",
            "average precision, Brier score, balanced accuracy; or what annotators reach themselves",
        ),
        "scope": Choice(SCOPES, "both", "mean over videos, or frames of all videos pooled"),
        "threshold": Choice((), "0.5", "mean of annotators from which a criterion is met"),
    },
    "compat": {},
}
AGREEMENT = "agreement"
SKILL_CHOICES: Mapping[str, Mapping[str, Choice]] = {
    "paper": {
        "kind": Choice(
            (AGREEMENT, "ranks", "levels", "raters"),
            AGREEMENT,
            "concordance, Spearman, MAE; Spearman, Kendall's tau-b; quadratic kappa of whole numbers; what raters reach themselves",
        ),
        "form": Choice(FORMS, PRIMARY, "of Lin's concordance: which divisors"),
    },
    "compat": {},
}
TRACK_KINDS = ("visibility", "intracorporeal", "intraoperative")
CLASSES_TOGETHER = ("one", "averaged", "pooled")
TRACK_CLASSES = "all"
_TRACKS: Mapping[str, Choice] = {
    "kind": Choice(
        TRACK_KINDS, TRACK_KINDS[-1], "how long two boxes are one instrument: while it is in view, in the body, or in the operation"
    ),
    "classes": Choice(
        (TRACK_CLASSES, *CLASSES_TOGETHER), TRACK_CLASSES, "all boxes as one class; the mean of single classes; boxes of all classes pooled"
    ),
    "iou": Choice((), "0.5", "least IoU of a true box, in 0..1, of all but HOTA and its parts"),
}
TRACK_CHOICES: Mapping[str, Mapping[str, Choice]] = {"paper": _TRACKS, "compat": _TRACKS}
SIGMA = "0.05"
"""Between those of eyes (0.025) and hips (0.107) of people in COCO."""
POINT_CHOICES: Mapping[str, Mapping[str, Choice]] = {
    "paper": {
        "kind": Choice(
            ("similarity", "distances"),
            "similarity",
            "AP and AR by keypoint similarity; or the share of points within a distance, and the mean error in px",
        ),
        "sigma": Choice(
            (), SIGMA, "of the similarity, for every point or by name (tip=0.03,hinge=0.05): how far apart two people place it"
        ),
        "counted": Choice(
            ("labelled", "visible"), "labelled", "which annotated points count: also hidden ones (1), or only those that are seen (2)"
        ),
        "image": Choice((), STATED, "size of the images in px, such as 854x480, where no file states it"),
        "within": Choice((), "0.05,0.1,0.2", "distances up to which a point is right, with commas"),
        "reference": Choice(
            ("box", "image", "px"), "box", "of what they are shares: longer side of the box, diagonal of the picture; or px"
        ),
        "confidence": Choice((), str(CONFIDENCE), "least one of a prediction whose distances are measured, in 0..1"),
    },
    "compat": {},
}
ERROR_CHOICES: Mapping[str, Mapping[str, Choice]] = {"paper": {}, "compat": {}}


@dataclass(frozen=True)
class Metric:
    """One kind of metric.

    Parameters
    ----------
    does
        For the help.
    choices
        By semantics.
    """

    does: str
    choices: Mapping[str, Mapping[str, Choice]]


METRICS: Mapping[str, Metric] = {
    "recognition": Metric("average precision and top-k accuracy of triplets and their parts, per frame", RECOGNITION_CHOICES),
    "detection": Metric("average precision, best confidence and association of boxes; masks and pixels", DETECTION_CHOICES),
    "tracks": Metric("HOTA, CLEAR MOT and identity scores of tracked instruments", TRACK_CHOICES),
    "points": Metric("average precision by keypoint similarity, and distances, of points such as tips of instruments", POINT_CHOICES),
    "phases": Metric("accuracy, precision, recall, F1, Jaccard; relaxed boundaries; segments and events", PHASE_CHOICES),
    "criteria": Metric(
        "average precision, Brier score and balanced accuracy of criteria that annotators judge, such as the critical view of safety",
        CRITERIA_CHOICES,
    ),
    "skill": Metric("Lin's concordance, rank correlations, mean absolute error, quadratic kappa of scores", SKILL_CHOICES),
    "errors": Metric("accuracy, balanced accuracy, sensitivity, specificity of errors", ERROR_CHOICES),
}
"""Every kind of metric by name."""
