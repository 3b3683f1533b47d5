"""Known differences of the published detection metrics from their definition, by name.

Each entry has a test of the same name in ``tests/metrics/test_detection_quirks.py`` that shows it on a minimal example. Unless
another program is named, ivtmetrics is the release 0.1.5 and its later repository ("0.1.2"), ivtdmetrics is 0.1.
"""

from __future__ import annotations

from scrubin.evaluate.metrics.quirks import Quirk

QUIRKS = (
    Quirk(
        "boxes-in-place",
        "bug",
        "ivtmetrics turns width and height into right and bottom in the stored rows, at every comparison: a box that is compared twice has "
        "grown. Perfect predictions score 0.73 where frames hold two boxes of a class; in the association only annotated boxes grow.",
        "Boxes never change.",
        "As published; in_place=False is the same program without the growth. ivtdmetrics copies.",
    ),
    Quirk(
        "ranked-within-frames",
        "bug",
        "ivtmetrics ranks detections by confidence within a frame only and then goes by the order of frames.",
        "Ranked over the whole scope.",
        "As published. ivtdmetrics ranks over the scope.",
    ),
    Quirk(
        "interpolation",
        "choice",
        "ivtmetrics averages the best precision at 11 recalls; equation 1 is an area.",
        "The steps of equation 1; 11-point, 101-point and 101-point linear on request.",
        "As published.",
    ),
    Quirk(
        "best-precision",
        "choice",
        "Pre of ivtmetrics is the highest point of the precision curve, not the precision of all detections.",
        "Precision is read at the best confidence, with recall and F1.",
        "As published.",
    ),
    Quirk(
        "detected-not-annotated",
        "choice",
        "In ivtmetrics a class with detections and no annotated box has AP 0 and lowers the mean; ivtdmetrics calls that an error.",
        "Undefined, NaN with n = 0.",
        "As published.",
    ),
    Quirk(
        "first-fit",
        "choice",
        "A detection takes the first annotated box that reaches the threshold, the last given first, instead of the best one.",
        "The box of largest IoU that is free.",
        "As published, in both programs.",
    ),
    Quirk(
        "order-of-ties",
        "bug",
        "Equal confidences in a frame come in the order of a sort that is not stable: the number depends on the processor.",
        "Equal confidences in different frames are one threshold; in one frame they take turns by their coordinates.",
        "The last given first, as the published programs do with a stable sort.",
    ),
    Quirk(
        "empty-frames",
        "bug",
        "ivtmetrics 0.1.2 takes an empty side of a frame for a box of class -1, which is the last class.",
        "Nothing is annotated, nothing detected.",
        "As published; 0.1.5 skips empty sides.",
    ),
    Quirk(
        "global-fails",
        "bug",
        "compute_global_AP of ivtmetrics 0.1.5 always ends with KeyError: 'fp'.",
        "Global is a scope like the other.",
        "MetricsError; program='0.1.2' works.",
    ),
    Quirk(
        "other-components",
        "bug",
        "ivtmetrics returns the numbers of the instrument for v, t, iv and it, without a word.",
        "Components that the boxes have; others are refused.",
        "As published; the variant says so. ivtdmetrics refuses, MetricsError.",
    ),
    Quirk(
        "reset-keeps-videos",
        "bug",
        "reset and reset_global go back to slot 1 and delete nothing: compute_global_AP counts earlier videos until their slot is reused.",
        "There is no state.",
        "As published.",
    ),
    Quirk(
        "nothing-yet",
        "choice",
        "compute_AP before the first update ends with KeyError: 0.",
        "There is no state.",
        "MetricsError.",
    ),
    Quirk(
        "shorter-list",
        "bug",
        "Lists of annotated and predicted frames of different length are cut to the shorter.",
        "A frame that the video does not have is refused.",
        "The same as paper: cut before.",
    ),
    Quirk(
        "unsorted-axis",
        "bug",
        "ivtdmetrics sorts hits by confidence but interpolates precision and recall over the confidences as they came.",
        "Sorted.",
        "As published; sorted_confidence=True is the program fed with sorted detections.",
    ),
    Quirk(
        "linear-envelope",
        "definition",
        "ivtdmetrics adds precision 1 at recall 0 and 0 at recall 1 and interpolates linearly: a perfect class is 0.995, 1 of 10 0.55.",
        "interpolation='101-point linear'; not comparable with COCO, which is '101-point'.",
        "The same.",
    ),
    Quirk(
        "eleven-points-fail",
        "bug",
        "The style 11point of ivtdmetrics keeps classes that are not annotated: it fails when one has a detection, and counts their "
        "precision, recall and F1 as 0 otherwise.",
        "Undefined classes are left out in every interpolation.",
        "MetricsError where it fails, zeros otherwise.",
    ),
    Quirk(
        "open-video-counts",
        "bug",
        "For the same reason the open video without frames that video_end leaves lowers precision, recall and F1 of the style 11point.",
        "There is no state.",
        "As published.",
    ),
    Quirk(
        "matched-once",
        "choice",
        "ivtdmetrics matches at its threshold and tests the same pairs at 0.5 to 0.95; above 0.5 the low ones inherit it.",
        "Matched anew at every threshold.",
        "As published.",
    ),
    Quirk(
        "raw-thresholds",
        "bug",
        "The thresholds of ivtdmetrics are running sums: IoU 0.6 fails at 0.6000000000000001.",
        "Exact.",
        "As published.",
    ),
    Quirk(
        "f1-of-classes",
        "definition",
        "mF1 of ivtdmetrics is the mean of the F1 of classes, not the harmonic mean of mean precision and mean recall.",
        "The same.",
        "The same.",
    ),
    Quirk(
        "first-row-lost",
        "bug",
        'In the association, row number 0 is taken for "not found": IDS and MIL of the first box are lost.',
        "Counted.",
        "As published, in both programs.",
    ),
    Quirk(
        "unknown-vanish",
        "bug",
        "When no detection of an annotated triplet is left for the IDM stage, detections of other triplets are neither IDM nor false.",
        "Counted.",
        "As published, in both programs.",
    ),
    Quirk(
        "idm-takes-nothing",
        "bug",
        "IDM removes no box, which is counted as missed too, and several detections may claim one.",
        "A box is used up; that is our reading.",
        "As published, in both programs.",
    ),
    Quirk(
        "exclusive-theta",
        "bug",
        "The threshold is inclusive for LM and exclusive for IDS and IDM.",
        "Inclusive throughout.",
        "As published, in both programs.",
    ),
    Quirk(
        "no-association",
        "choice",
        "ivtmetrics 0.1.2 has no association scores; the others return the same ones for every component.",
        "They are of triplets.",
        "As published.",
    ),
)
