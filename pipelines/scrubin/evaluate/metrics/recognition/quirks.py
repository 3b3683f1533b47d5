"""Known differences of the published recognition metrics from their definition, by name.

Each entry has a test of the same name in ``tests/metrics/test_recognition_quirks.py`` that shows it on a minimal example.
"""

from __future__ import annotations

from scrubin.evaluate.metrics.quirks import Quirk

QUIRKS = (
    Quirk(
        "undefined-class",
        "bug",
        "A class without positives is found by the text -0.0, which scikit-learn returned up to 1.5; from 1.6 on it returns 0.0, "
        "so the class counts as 0 and the mean collapses (0.71 to 0.10 on identical data).",
        "Positives are counted: without any, NaN with n = 0, left out of every mean.",
        "Both: scikit_learn='<=1.5' or '>=1.6'.",
    ),
    Quirk(
        "tied-scores",
        "definition",
        "Equal scores of a class are one threshold; all scores equal give the share of positives.",
        "The same.",
        "The same.",
    ),
    Quirk(
        "videos-weigh-the-same",
        "definition",
        "Video-wise: mean over the videos where a class is defined, then over classes. Global: frames of all videos pooled.",
        "The same.",
        "The same.",
    ),
    Quirk(
        "null-triplets-last",
        "choice",
        "ignore_null drops the last six positions of ivt, whatever they are, and changes no other component: null triplets stay in "
        "the maxima of the parts.",
        "The null triplets of the map are left out of ivt; of 100 triplets without further word the last six.",
        "The last six positions.",
    ),
    Quirk(
        "ignore-null-of-the-constructor",
        "bug",
        "Recognition(ignore_null=True) is stored and never used.",
        "Only functions that compute take it.",
        "Stored and never used.",
    ),
    Quirk(
        "top-k-ties",
        "bug",
        "The k highest scores come from a sort that is not stable: with ties the number depends on processor and NumPy.",
        "The lowest class first; the least and the most of any choice are told.",
        "The lowest class first; the published number lies between the bounds.",
    ),
    Quirk(
        "top-k-without-positives",
        "choice",
        "Top-k accuracy without any positive is 0.",
        "NaN with n = 0.",
        "0.",
    ),
    Quirk(
        "top-class-undefined",
        "choice",
        "Undefined classes are listed last, with NaN, when fewer than k are defined; equal ones come in any order.",
        "Undefined classes are left out; of equal ones the lower first.",
        "Listed last; of equal ones the lower first.",
    ),
    Quirk(
        "pending-frames",
        "bug",
        "compute_video_AP, compute_global_AP, topK and topClass append the frames of the open video to the closed videos at every "
        "call, and video_end appends them once more.",
        "Computing while a video is open is refused.",
        "Appended.",
    ),
    Quirk(
        "reset-keeps-closed-videos",
        "choice",
        "reset() drops the frames of the open video only, not what earlier calls made of them.",
        "A new accumulator is a new start.",
        "The same as published.",
    ),
    Quirk(
        "no-open-video",
        "choice",
        "compute_AP sees the open video only: after video_end it fails with an IndexError or ValueError.",
        "Closed videos are what counts.",
        "MetricsError.",
    ),
    Quirk(
        "empty-video",
        "choice",
        "A video closed without frames makes compute_video_AP fail; compute_global_AP works.",
        "It has no defined class and changes nothing.",
        "MetricsError from compute_video_ap.",
    ),
    Quirk(
        "unknown-component",
        "bug",
        "An unknown component ends the process in the functions for all videos, after the open frames were appended; vt, which the "
        "documentation names, is one.",
        "MetricsError.",
        "MetricsError, after the open frames were appended.",
    ),
    Quirk(
        "positions-for-ids",
        "choice",
        "Vectors of iv and it, and the keys of topClass, are by position among the pairs that occur: position 3 of iv is id 8.",
        "Classes are named by their ids.",
        "By position.",
    ),
    Quirk(
        "other-class-counts",
        "bug",
        "The map of CholecT50 is fixed: with fewer than 100 classes only ivt works, with more the further ones are in no part; a single "
        "class fails.",
        "The map is given, and matrices must have as many columns as it has triplets.",
        "As published, errors being MetricsError; the map is given.",
    ),
    Quirk(
        "map-of-90-rows",
        "bug",
        "ivtdmetrics carries a map of 90 triplets: fed with 100 classes, its parts are silently wrong.",
        "The map is given, and matrices must fit it.",
        "Not reproduced as such; give its map and num_class=100.",
    ),
    Quirk(
        "unchecked-frames",
        "bug",
        "Targets and predictions with different numbers of frames are taken and fail only when AP is computed; topK then counts the "
        "frames of the shorter one. Labels other than 0 and 1 give NaN without a word, and topK takes NaN scores.",
        "MetricsError at once.",
        "MetricsError at once.",
    ),
    Quirk(
        "precision-of-scores",
        "choice",
        "Scores are held as float64, in the later repository as float32, which can make ties of float64 scores.",
        "Scores are compared as given.",
        "Scores are compared as given, as in 0.1.5.",
    ),
)
