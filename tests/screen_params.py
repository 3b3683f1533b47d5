"""The screen parameters that tests use, independent of what a curator may set."""

from scrubin.screen.params import ScreenParams

SCREEN = ScreenParams(
    thumbnail_height=36, outside_distance=0.35, spread=6.0, min_span_s=0.2, margin_s=0.2, black_level=24, accept_above=0.5
)
