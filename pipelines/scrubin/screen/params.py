"""The section ``screen`` of ``params.yaml``."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.core.params import ranged


@dataclass(frozen=True)
class OnnxModel:
    """A network of the curator's own that tells inside from outside, see `scrubin.screen.detectors.onnx`.

    Parameters
    ----------
    path
        The file.
    sha256
        Of its bytes: another network needs another line here, so that DVC sees the change.
    output
        ``probability`` or ``logits``, what the network's first output holds.
    index
        Which of the output's numbers stands for "outside the body"; 0 when there is only one.
    mean, std
        Subtracted from, and then divided into, the red, green and blue of a picture in 0 to 1.
    """

    path: str
    sha256: str
    output: str = ranged(choices=("probability", "logits"))
    index: int = ranged(low=0, high=100_000)
    mean: tuple[float, ...] = ranged(low=0, high=1)
    std: tuple[float, ...] = ranged(low=0.001, high=10)


@dataclass(frozen=True)
class ScreenParams:
    """Limits of the detectors. What they propose is hidden until a person rejects it.

    Parameters
    ----------
    detectors
        Which of the built-in ones look at a recording.
    model
        A network of the curator's own, which then proposes as well; None: there is none.
    thumbnail_height
        Height in pixels at which frames are judged.
    outside_distance
        Hellinger distance from the recording's own colours, 0 to 1, above which a frame is outside.
    spread
        How many robust standard deviations above the usual distance it must be as well.
    min_span_s
        Shorter spans are proposed only when they are clear; shorter gaps between two spans are filled.
    clear_distance
        From this distance on a frame is clear: then a span counts however short it is.
    margin_s
        Hidden before and after each out-of-body span.
    black_level
        Luma, 0 to 255, that no pixel of a black frame exceeds.
    frozen_s
        A picture that stands still for at least this long is reported as frozen.
    text_every_s
        Burned-in text is looked for once in so many seconds, in short recordings more often.
    """

    detectors: tuple[str, ...] = ranged(choices=("appearance", "black", "frozen", "text"))
    model: OnnxModel | None = ranged()
    thumbnail_height: int = ranged(low=16, high=256)
    outside_distance: float = ranged(low=0, high=1)
    spread: float = ranged(low=0, high=100)
    min_span_s: float = ranged(low=0, high=60)
    clear_distance: float = ranged(low=0, high=1)
    margin_s: float = ranged(low=0, high=60)
    black_level: int = ranged(low=0, high=255)
    frozen_s: float = ranged(low=0.1, high=3600)
    text_every_s: float = ranged(low=1, high=3600)


DEFAULTS = ScreenParams(
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
    text_every_s=60,
)
"""As shipped, for a file that belongs to no study."""
