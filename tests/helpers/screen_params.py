"""The screen parameters that tests use, independent of what a curator may set."""

from scrubin.screen.params import ScreenParams

SCREEN = ScreenParams(
    detectors=("appearance", "black", "frozen", "text"),
    model=None,
    thumbnail_height=36,
    outside_distance=0.3,
    spread=6.0,
    min_span_s=0.2,
    clear_distance=0.35,
    margin_s=0.2,
    black_level=24,
    frozen_s=2.0,
    text_every_s=60.0,
)
