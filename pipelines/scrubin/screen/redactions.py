"""What is hidden in a recording: the detector's proposals after the curator's decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.errors import RecordingError
from scrubin.screen.decisions import NAME, Decision
from scrubin.screen.detect import Span
from scrubin.screen.params import ScreenParams

Interval = tuple[float, float]
# Rounding of times that the curator read off a player.
TICK_S = 0.001


def redactions(
    recording: str,
    camera: str,
    spans: Sequence[Span],
    decided: Sequence[Decision],
    size_px: tuple[int, int],
    boundaries_s: npt.NDArray[np.float64],
    params: ScreenParams,
) -> list[dict[str, Any]]:
    """Return the rows of the table `redactions` for one video file.

    A decision holds for exactly its interval: what is rejected in the middle of a detected span
    is shown, the rest of the span stays hidden. Only what then remains of the span's own margin
    is shown as well.

    Parameters
    ----------
    spans
        What the detector found, in frame numbers.
    decided
        The curator's rows for this file.
    size_px
        Width and height of the video as displayed.
    boundaries_s
        Presentation time of every frame in source seconds, then the end of the last; shape (n + 1,).

    Raises
    ------
    RecordingError
        When a decision lies outside the video.
    """
    last_s = float(boundaries_s[-1])
    for row in decided:
        _refuse_outside(row, size_px, last_s)
    rows = []
    for span in spans:
        found = (float(boundaries_s[span.first]), float(boundaries_s[span.last + 1]))
        rejected = [_interval(row, last_s) for row in decided if row.decision == "reject" and row.kind == span.kind]
        kept = [part for part in _without(found, rejected) if not _is_margin(part, found, last_s, params.margin_s)]
        for interval in kept:
            rows.append(_row(recording, camera, span.kind, interval, None, span.score, accepted=span.score >= params.accept_above))
        for interval in _without(found, kept):
            rows.append(_row(recording, camera, span.kind, interval, None, span.score, accepted=False))
    for row in decided:
        if row.decision != "reject":
            rows.append(_row(recording, camera, row.kind, _interval(row, last_s), row.box_xywh, None, accepted=True))
    return rows


def _is_margin(part: Interval, found: Interval, last_s: float, margin_s: float) -> bool:
    """Whether what a rejection left is no more than the margin that was put around the span."""
    if part == found or part[1] - part[0] > margin_s + TICK_S:
        return False
    # At the ends of the video the margin is cut off: what touches them may be the span itself.
    return (part[0] == found[0] and found[0] > 0) or (part[1] == found[1] and found[1] < last_s)


def _refuse_outside(row: Decision, size_px: tuple[int, int], last_s: float) -> None:
    place = f"{NAME}, line {row.line}"
    if (row.start_s or 0.0) >= last_s:
        raise RecordingError(place, f"start_s {row.start_s:g} lies behind the end of the video at {last_s:.3f} s", "correct it")
    if row.box_xywh is not None:
        x, y, w, h = row.box_xywh
        if x + w > size_px[0] or y + h > size_px[1]:
            reason = f"the rectangle {x},{y},{w},{h} reaches beyond the picture of {size_px[0]}x{size_px[1]} pixels"
            raise RecordingError(place, reason, "correct it; x,y is its top left corner")


def _interval(row: Decision, last_s: float) -> Interval:
    return row.start_s or 0.0, min(row.end_s, last_s) if row.end_s is not None else last_s


def _without(interval: Interval, removed: Sequence[Interval]) -> list[Interval]:
    """Return what is left of an interval, in order."""
    left = [interval]
    for start, end in removed:
        left = [part for a, b in left for part in ((a, min(b, start)), (max(a, end), b)) if part[0] < part[1]]
    return sorted(left)


def _row(
    recording: str,
    camera: str,
    kind: str,
    interval_s: Interval,
    box_xywh: tuple[int, int, int, int] | None,
    score: float | None,
    *,
    accepted: bool,
) -> dict[str, Any]:
    x, y, w, h = box_xywh or (None, None, None, None)
    return {
        "recording": recording,
        "camera": camera,
        "kind": kind,
        "start_s": interval_s[0],
        "end_s": interval_s[1],
        "x": x,
        "y": y,
        "w": w,
        "h": h,
        "score": score,
        "source": "curator" if score is None else "detector",
        "accepted": accepted,
    }
