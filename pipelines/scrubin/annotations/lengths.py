"""Whether labels and video are of the same length: labels of another cut belong nowhere."""

from __future__ import annotations

import math
from fractions import Fraction

from scrubin.annotations.labels import Clock, Labels, Layer
from scrubin.annotations.problems import Problems

ASPECT_TOLERANCE = 0.01


def check(
    labels: Labels, *, source_frames: int, source_s: float, source_size: tuple[int, int], tolerance_s: float, problems: Problems
) -> None:
    """Note labels beyond the end of the source, missing rows, and images of another shape.

    Parameters
    ----------
    labels
        Of one recording and format.
    source_frames, source_s
        Length of the source video, in frames and seconds.
    source_size
        Width and height of the source in px.
    tolerance_s
        Differences up to this are not an error.
    """
    for layer in (labels.phases, labels.instances):
        if layer is not None and len(layer.positions):
            _check_layer(layer, labels.clock, source_frames, source_s, tolerance_s, problems)
    for file, size in sorted((labels.image_sizes or {}).items()):
        if abs(math.log((size[0] * source_size[1]) / (size[1] * source_size[0]))) > ASPECT_TOLERANCE:
            fault = f"the labelled image is {size[0]}x{size[1]}, the video {source_size[0]}x{source_size[1]}: another shape"
            problems.add(file, "", fault, "check that the labels are of this video and of whole frames")


def _check_layer(layer: Layer, clock: Clock, source_frames: int, source_s: float, tolerance_s: float, problems: Problems) -> None:
    last = int(layer.positions[-1])
    if clock.period_s is not None:
        labels_s = float((last + 1) * clock.period_s)
        # The last label covers up to a period, of which the video may have any part.
        beyond_s = float(last * clock.period_s) - source_s
        if beyond_s > tolerance_s:
            fault = f"the last label is at {float(last * clock.period_s):g} s, the video ends at {source_s:g} s"
            problems.add(layer.file, f"frame {last}", fault, _offset_mend(labels_s - source_s, clock.period_s))
        missing_s = source_s - labels_s
        if layer.every_frame and missing_s > tolerance_s:
            fault = f"the labels end at {labels_s:g} s, the video at {source_s:g} s"
            mend = f"{missing_s:g} s are not labelled: label them, or check that the labels are of this video"
            problems.add(layer.file, "", fault, mend)
        return
    extra = last + 1 - source_frames
    seconds = extra * source_s / source_frames
    if seconds > tolerance_s or (layer.every_frame and -seconds > tolerance_s):
        fault = f"the labels have {last + 1} frames, the video {source_frames} ({source_s:g} s)"
        if seconds > 0:
            problems.add(layer.file, f"frame {last}", fault, _offset_mend(seconds, Fraction(1)))
        else:
            mend = f"{-extra} frames ({-seconds:g} s) are not labelled: label them, or check that the labels are of this video"
            problems.add(layer.file, "", fault, mend)


def _offset_mend(seconds: float, period_s: Fraction) -> str:
    if seconds > float(period_s) / 2:
        return f"likely the video lacks its first {seconds:g} s: take that off the labels, or bring the whole video"
    return "remove the labels beyond the end"
