"""The screen parameters that tests use, independent of what a curator may set."""

from scrubin.stages.screen.detector import ScreenParams

SCREEN = ScreenParams(
    detectors=("scene", "appearance", "face", "black", "frozen", "text"),
    scene="other",
    model=None,
    thumbnail_height=36,
    outside_score=0.6,
    min_span_s=0.2,
    clear_score=0.8,
    margin_s=0.2,
    black_level=24,
    frozen_s=2.0,
    text_every_s=60.0,
)
