"""A render plan as JSON: what the curator reads before it is carried out, and what the audit holds a file to."""

from __future__ import annotations

from typing import Any

from scrubin.render.estimate import estimate_s
from scrubin.render.params import RenderParams
from scrubin.render.parts import Parts
from scrubin.render.plan import Plan


def document(plan: Plan, parts: Parts, params: RenderParams) -> dict[str, Any]:
    """Return a plan with everything that is decided; frame numbers are those of the released video, both ends included."""
    return {
        "first_source_frame": plan.first_source_frame,
        "offset_s": float(plan.offset_s),
        "frame_count": plan.frame_count,
        "duration_s": float(plan.duration_s),
        "width": plan.width,
        "height": plan.height,
        "hidden": [{"first": item.first, "last": item.last, "box_xywh": item.box_xywh} for item in plan.hidden],
        "mode": parts.mode,
        "why": parts.why,
        "copied_frames": plan.frame_count - parts.encoded_count,
        "encoded_frames": parts.encoded_count,
        "parts": [{"first": part.first, "last": part.last, "copied": part.copied, "why": part.why} for part in parts.parts],
        "preset": params.preset,
        "crf": params.crf,
        "estimate_s": estimate_s(plan, parts, params),
    }
