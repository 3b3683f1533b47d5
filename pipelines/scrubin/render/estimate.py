"""How long a plan will take, before it starts."""

from __future__ import annotations

from scrubin.render.params import RenderParams
from scrubin.render.parts import Parts
from scrubin.render.plan import Plan

# Noisy endoscopic pictures at crf 18 through x264 on two cores, decoding included; on another machine the
# estimate is as wrong as that machine is faster or slower.
MEGAPIXELS_PER_S = {
    "ultrafast": 155.0,
    "superfast": 76.0,
    "veryfast": 60.0,
    "faster": 43.0,
    "fast": 31.0,
    "medium": 24.0,
    "slow": 12.0,
    "slower": 7.9,
    "veryslow": 3.9,
}
COPIED_FRAMES_PER_S = 20_000.0
START_S = 0.5


def estimate_s(plan: Plan, parts: Parts, params: RenderParams) -> float:
    """Return the seconds that rendering will take on two cores, rounded to one digit behind the point."""
    return frames_s(plan.frame_count - parts.encoded_count, parts.encoded_count, (plan.width, plan.height), params.preset)


def frames_s(copied: int, encoded: int, size_px: tuple[int, int], preset: str) -> float:
    """Return the seconds that so many frames of a width and height will take on two cores, rounded to one digit behind the point."""
    megapixels = encoded * size_px[0] * size_px[1] / 1e6
    return round(START_S + megapixels / MEGAPIXELS_PER_S[preset] + copied / COPIED_FRAMES_PER_S, 1)
