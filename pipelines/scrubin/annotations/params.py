"""The parameters of the stage annotations."""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.annotations import formats
from scrubin.annotations.registry import FORMATS
from scrubin.core.params import ranged
from scrubin.vocabulary import vocabulary

__all__ = ["AnnotationsParams", "SourceParams", "formats"]


@dataclass(frozen=True)
class SourceParams:
    """One folder of label files.

    Parameters
    ----------
    format
        How its files are read.
    folder
        Where they are, relative to the raw folder, inside ``annotations/``.
    vocabulary
        Names and ids.
    """

    format: str = ranged(choices=tuple(sorted(FORMATS)))
    folder: str = ranged()
    vocabulary: str = ranged(choices=vocabulary.available())


@dataclass(frozen=True)
class AnnotationsParams:
    """The section ``annotations``.

    Parameters
    ----------
    sources
        The folders; where two label the same recording, the first one counts.
    box_tolerance
        A box may leave the image by this share of its side; it is then cut to the image.
    length_tolerance_s
        Labels and video may differ in length by this much.
    """

    sources: tuple[SourceParams, ...] = ranged()
    box_tolerance: float = ranged(low=0, high=0.2)
    length_tolerance_s: float = ranged(low=0, high=60)
