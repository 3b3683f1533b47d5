"""What a detector is: what it is told, what it must see of a recording, what it proposes from that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scrubin.base.params import ranged
from scrubin.media.networks.misreadings import WordFinder
from scrubin.stages.screen.pass_over_file import Observed, Observer
from scrubin.stages.screen.proposals import Numbers, Proposal
from scrubin.stages.screen.scene_scores import SCENES


@dataclass(frozen=True)
class OnnxModel:
    """A network of the curator's own that tells inside from outside, see `scrubin.stages.screen.onnx_detector`.

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
    scene
        What the recordings show, one of `scrubin.stages.screen.scene_scores.SCENES`, for all or by task; ``any``: whatever each shows.
    model
        A network of the curator's own, which then proposes as well; None: there is none.
    thumbnail_height
        Height in pixels at which frames are judged.
    outside_score
        From this score on, 0 to 1, a frame is outside the body.
    min_span_s
        Shorter spans are proposed only when they are clear; shorter gaps between two spans are filled.
    clear_score
        From this score on a frame is clear: then a span counts however short it is.
    margin_s
        Hidden before and after each out-of-body span.
    black_level
        Luma, 0 to 255, that no pixel of a black frame exceeds.
    frozen_s
        A picture that stands still for at least this long is reported as frozen.
    text_every_s
        Text is looked for where strokes like letters are new and stand still, and all over the picture at least once in so many seconds.
    """

    detectors: tuple[str, ...] = ranged(choices=("scene", "appearance", "face", "black", "frozen", "text"))
    scene: Mapping[str, str] | str = ranged(choices=tuple(SCENES))
    model: OnnxModel | None = ranged()
    thumbnail_height: int = ranged(low=16, high=256)
    outside_score: float = ranged(low=0.01, high=0.99)
    min_span_s: float = ranged(low=0, high=60)
    clear_score: float = ranged(low=0, high=1)
    margin_s: float = ranged(low=0, high=60)
    black_level: int = ranged(low=0, high=255)
    frozen_s: float = ranged(low=0.1, high=3600)
    text_every_s: float = ranged(low=1, high=3600)

    def scene_of(self, task: str | None) -> str:
        """Return what the recordings of a task show; ``any`` where nobody said."""
        return self.scene if isinstance(self.scene, str) else self.scene.get(task or "", "any")


DEFAULTS = ScreenParams(
    detectors=("scene", "appearance", "face", "black", "frozen", "text"),
    scene="any",
    model=None,
    thumbnail_height=36,
    outside_score=0.6,
    min_span_s=0.2,
    clear_score=0.8,
    margin_s=0.2,
    black_level=24,
    frozen_s=2.0,
    text_every_s=60,
)
"""As shipped, for a file that belongs to no study."""


@dataclass(frozen=True)
class ObservedFile:
    """One video file, as far as detectors know it.

    Parameters
    ----------
    boundaries_s
        Presentation time of every frame in source seconds, then the end of the last; shape (n + 1,).
    size_px
        Width and height of the picture as displayed.
    observed
        What the observers noted, by their names.
    scene
        What the recording shows, as far as somebody said; one of `scrubin.stages.screen.scene_scores.SCENES`.
    private_words
        Finds the study's own private words in what was read.
    """

    boundaries_s: Numbers
    size_px: tuple[int, int]
    observed: Mapping[str, Observed] = field(default_factory=dict)
    scene: str = "any"
    private_words: WordFinder = field(default_factory=lambda: WordFinder(()))

    @property
    def times_s(self) -> Numbers:
        """Presentation time of every frame, shape (n,)."""
        return self.boundaries_s[:-1]


@dataclass(frozen=True)
class Detector:
    """A member of the registry.

    Parameters
    ----------
    propose
        Returns the proposals for one file.
    observers
        Return what must look at every frame for it.
    """

    propose: Callable[[ObservedFile, ScreenParams], list[Proposal]]
    observers: tuple[Callable[[ScreenParams], Observer], ...]
