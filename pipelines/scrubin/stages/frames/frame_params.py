"""Frame params."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from scrubin.base.errors import ParamsError
from scrubin.base.params import ranged

SMALLEST_HEIGHT_PX = 16


@dataclass(frozen=True)
class DropParams:
    """Thresholds beyond which a frame is dropped, in the units of the table `frames`; None drops nothing.

    Too dark, too bright or too much of it saturated is extreme lighting, too little contrast is
    smoke, too little sharpness a dirty lens.
    """

    min_brightness: float | None = ranged(low=0, high=255)
    max_brightness: float | None = ranged(low=0, high=255)
    max_saturated_share: float | None = ranged(low=0, high=1)
    min_contrast: float | None = ranged(low=0, high=127)
    min_sharpness: float | None = ranged(low=0)

    def __post_init__(self) -> None:
        low, high = self.min_brightness, self.max_brightness
        if low is not None and high is not None and low > high:
            msg = f"params.yaml: 'frames.drop.min_brightness' is {low:g}, above 'max_brightness' {high:g}: every frame would be dropped"
            raise ParamsError(msg)


NOTHING = DropParams(None, None, None, None, None)


@dataclass(frozen=True)
class FramesParams:
    """How the extracted frames are made.

    Parameters
    ----------
    fps
        Frames per second, an exact fraction.
    format
        Of the files: jpg or png.
    quality
        Of JPEG files.
    height
        Pixels; larger pictures are made smaller, to an even width that keeps the aspect. Smaller
        ones stay as they are: enlarging adds nothing. None keeps every picture's own size.
    shards
        ``per-recording`` packs the frames of a video into one tar.
    drop
        Which frames are left out.
    """

    fps: Fraction = ranged(low=0.001, high=1000)
    format: str = ranged(choices=("jpg", "png"))
    quality: int = ranged(low=1, high=100)
    height: int | None = ranged(low=SMALLEST_HEIGHT_PX)
    shards: str = ranged(choices=("none", "per-recording"))
    drop: DropParams = field(default=NOTHING)


SHARD_NAME = "frames.tar"
