"""What the release will hide of a frame, by the decisions so far."""

from __future__ import annotations

from scrubin.review.events import Box
from scrubin.review.outcome import AUDIT, REJECTED
from scrubin.review.views import RecordingView

# Times come from the same boundaries, but may have been written and read in between.
SAME_S = 1e-6


def hidden_boxes(view: RecordingView, camera: str, time_s: float) -> list[Box | None]:
    """Return the rectangles that the release will blacken in the frame of a time, in pixels; None: the whole frame.

    What nobody has decided is hidden as well; what the audit asks is hidden by the span that somebody draws for an answer.
    """
    hidden = [
        (start_s, end_s, one.box_xywh)
        for one in view.proposals
        for start_s, end_s, decision in one.parts
        if one.camera == camera and decision != REJECTED and one.source != AUDIT
    ]
    hidden += [(one.start_s, one.end_s, one.box_xywh) for one in view.drawn if one.camera == camera]
    return [box for start_s, end_s, box in hidden if start_s - SAME_S <= time_s < end_s - SAME_S]
