"""What a detector is: what it must see of a recording, and what it proposes from that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scrubin.networks.misreadings import WordFinder
from scrubin.screen.params import ScreenParams
from scrubin.screen.pass_over_file import Observed, Observer
from scrubin.screen.proposals import Numbers, Proposal


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
        What the recording shows, as far as somebody said; one of `scrubin.screen.scenes.SCENES`.
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
