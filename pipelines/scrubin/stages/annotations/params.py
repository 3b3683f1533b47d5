"""The parameters of the stage annotations."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

from scrubin.base.errors import ParamsError
from scrubin.base.faults import Fault, error
from scrubin.base.params import ranged
from scrubin.base.vocabulary import vocabulary
from scrubin.labels import formats
from scrubin.labels.model import SOURCE_FRAMES, Clock, Labels
from scrubin.labels.rates import NS, is_by_frame, stated_otherwise, stated_unasked
from scrubin.labels.registry import DATASET_FORMATS, FORMATS, contents_of, format_of
from scrubin.stages.annotations.windows import Windows

__all__ = ["AnnotationsParams", "SourceParams", "WindowsParams", "formats"]

SOURCE = "source"
"""Stands for the rate of the source video."""
RATE = re.compile(r"[1-9][0-9]{0,6}(?:/[1-9][0-9]{0,6})?")
OF_FRAMES = {"phases", "instances", "marks"}
READABLE = (*FORMATS, *(name for name, form in DATASET_FORMATS.items() if contents_of(form) & OF_FRAMES and form.by_hand.files is None))
"""Formats whose files say something of frames, of one recording or of many; a ground truth is made of a release."""


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
    label_map
        Merges of triplets: the name of a map of the library, or a CSV file in ``annotations/`` of the raw folder.
    fps
        Frames per second by which files number frames that do not state it, such as ``25`` or ``30000/1001``; ``source``: those of the
        source video. None: as the format is used to.
    """

    format: str = ranged(choices=tuple(sorted(READABLE)))
    folder: str = ranged()
    vocabulary: str = ranged(choices=tuple(sorted(vocabulary.known())))
    label_map: str | None = field(default=None, metadata={})
    fps: str | None = field(default=None, metadata={"added_later": True})

    def __post_init__(self) -> None:
        """Refuse a rate that is none, or of files that state their own."""
        if self.fps is None:
            return
        where = f"params.yaml: 'annotations.sources': fps of '{self.folder}'"
        if not format_of(self.format).by_hand.fps_unstated:
            raise ParamsError(f"{where}: files of {self.format} tell how they count; leave it out")
        if self.fps != SOURCE and not RATE.fullmatch(self.fps):
            raise ParamsError(f'{where}: "{self.fps}" is no rate; write it as "25", "30000/1001" or "{SOURCE}"')

    @property
    def clock(self) -> Clock | None:
        """What the numbers of frames count; None: what the reader says."""
        if self.fps is None:
            return None
        return SOURCE_FRAMES if self.fps == SOURCE else Clock(1 / Fraction(self.fps))

    @property
    def rate(self) -> Fraction | None:
        """The frames per second that it says; None where it says none, or those of the source video."""
        return None if self.clock is None or self.clock.period_s is None else 1 / self.clock.period_s

    def refused_rate(self, labels: Labels, file: str) -> Fault | None:
        """Return that ``fps`` contradicts what a file states, or is needed, as frames that a program counted are none of the source."""
        clock, here = self.clock, f"fps of '{self.folder}' in annotations.sources"
        if stated := stated_otherwise(labels, self.rate):
            fix = "say one that fits" if is_by_frame(labels) else "leave it out"
            return error(file, "rate-contradicted", f"{stated}, and {here} is {self.fps}", fix)
        custom, rate_is = format_of(self.format).by_hand.fps, format_of(self.format).by_hand.rate_is
        if clock is None and (stated := stated_unasked(labels, custom)):
            return error(file, "rate-contradicted", f"{stated}, not {custom}", f"say it as {here}, in params.yaml")
        if clock is None and rate_is and is_by_frame(labels):
            what = f"no file of {self.format} states the rate of the frames of {labels.recording}"
            return error(file, "rate-unknown", what, f"say it as {here}, in params.yaml. {rate_is}")
        return None


@dataclass(frozen=True)
class WindowsParams:
    """How far actions reach beyond contacts (ProstaTD, section 3.4).

    Parameters
    ----------
    continuous_after_s, momentary_before_s, momentary_after_s
        The paper has 2 s for each.
    momentary
        Verbs, or triplets ``instrument,verb,target``, that are momentary; all others are continuous.
    """

    continuous_after_s: float = ranged(low=0, high=60)
    momentary_before_s: float = ranged(low=0, high=60)
    momentary_after_s: float = ranged(low=0, high=60)
    momentary: tuple[str, ...] = ranged()

    def windows(self) -> Windows:
        """Return the same in whole nanoseconds."""
        lengths_s = (self.continuous_after_s, self.momentary_before_s, self.momentary_after_s)
        continuous_after_ns, momentary_before_ns, momentary_after_ns = (round(length_s * NS) for length_s in lengths_s)
        return Windows(continuous_after_ns, momentary_before_ns, momentary_after_ns, self.momentary)


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
    windows
        How spans of contacts become actions; None: spans are actions.
    """

    sources: tuple[SourceParams, ...] = ranged()
    box_tolerance: float = ranged(low=0, high=0.2)
    length_tolerance_s: float = ranged(low=0, high=60)
    windows: WindowsParams | None = field(default=None, metadata={})

    def __post_init__(self) -> None:
        """Refuse windows that no source uses: only spans have contacts."""
        if self.windows is not None and not any(source.format == "spans" for source in self.sources):
            raise ParamsError("params.yaml: 'annotations.windows' is for spans, but no source has the format spans; set it to null")
