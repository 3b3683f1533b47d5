"""A suspect: a place in labels that is probably wrong, why, and what it may be instead; several reasons for one place are one suspect.

Its address on the page of `scrubin label` is what stands behind the ``#``: the released id and the frame.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from scrubin.labels.model import Clock

OfLayer = Literal["phases", "triplets", "instruments", "boxes", "marks", "steps", "actions", "quality", "points"]
NOTHING = ""
"""Instead of a label: there is none."""
STAMP_S = Fraction(1, 1000)
"""By so much a time may be off that a file of video keeps in milliseconds."""


@dataclass(frozen=True)
class Suspect:
    """Labels of positions ``[first, end)`` that are probably wrong.

    Parameters
    ----------
    recording, layer
        Whose labels, and which of them.
    first, end
        Positions as the label files number them, half open.
    label
        What is labelled; "" where a label is probably missing.
    probable
        What it would probably be; "" where probably nothing is there, or nobody knows.
    score
        How probable it is that the label is wrong, in 0..1. It orders suspects; it is not calibrated for any data set.
    evidence
        Names of the rules, ``sequence`` (the other recordings), ``predictions`` or ``people``, sorted.
    says
        Why, in half a sentence.
    time_s
        Seconds from the start of the source; None where no file states a rate.
    camera
        Whose picture it is, where labels are of one camera; "" for all.
    open
        Where it can be looked at: a link into a video; "" where no video is known.
    page
        What stands behind the address of the page of `scrubin label`, so that it opens there; "" where that page does not show it.
    """

    recording: str
    layer: OfLayer
    first: int
    end: int
    label: str
    probable: str
    score: float
    evidence: tuple[str, ...]
    says: str
    time_s: float | None = None
    camera: str = ""
    open: str = ""
    page: str = ""
    is_expected: bool = True
    """Whether something else is probable; where people differ evenly, nothing is."""

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON value; ``last`` is the last position."""
        value = dict(vars(self))
        end = value.pop("end")
        return {**value, "last": end - 1, "score": round(self.score, 4), "evidence": list(self.evidence)}

    @property
    def sentence(self) -> str:
        """Place, reason and score in a line."""
        frames = f"frame {self.first}" if self.end - self.first == 1 else f"frames {self.first}..{self.end - 1}"
        time = "" if self.time_s is None else f" ({_clock(self.time_s)})"
        camera = f", {self.camera}" if self.camera else ""
        expected = f", probably {self.probable or 'nothing'}" if self.label != self.probable and self.is_expected else ""
        says = f"{self.label or 'nothing'}{expected}"
        link = (f"; {self.open}" if self.open else "") + (f"; scrubin label: {self.page}" if self.page else "")
        return f"{self.score:.2f} {self.recording}{camera}, {frames}{time}, {self.layer}: {says}; {self.says}{link}"


def ranked(suspects: Iterable[Suspect]) -> list[Suspect]:
    """Return suspects from the most probable one on, those of one place and label as one.

    The score of several independent reasons is the probability that at least one is right. The order is that of scores, then of places:
    it does not depend on the order in which they come.
    """
    groups: dict[tuple[str, str, str, str], list[Suspect]] = {}
    for one in sorted(suspects, key=lambda one: (-one.score, *_place(one), one.evidence, one.probable)):
        places = groups.setdefault((one.recording, one.camera, one.layer, one.label), [])
        at = next((at for at, other in enumerate(places) if _are_one(one, other)), None)
        if at is None:
            places.append(one)
        else:
            places[at] = _joined(places[at], one)
    return sorted((one for places in groups.values() for one in places), key=lambda one: (-one.score, *_place(one), one.probable))


def at_least_one(first: float, second: float) -> float:
    """Return the probability that one of two independent reasons is right.

    >>> at_least_one(0.5, 0.5)
    0.75
    """
    return 1 - (1 - first) * (1 - second)


def counts(suspects: Iterable[Suspect]) -> Mapping[str, int]:
    """Return how many suspects each kind of evidence has, by name, sorted."""
    every = [name for one in suspects for name in one.evidence]
    return {name: every.count(name) for name in sorted(set(every))}


@dataclass(frozen=True)
class ShownRecording:
    """A recording as the page shows it.

    Parameters
    ----------
    id
        The released one.
    first, frame_count
        The source frame that is the first one shown, and how many are.
    offset_s
        Its time in the source.
    fps
        Of the released video; None: of a variable rate.
    is_source
        Whether labels are of the source; otherwise of the released video.
    """

    id: str
    first: int
    frame_count: int
    offset_s: Fraction
    fps: Fraction | None
    is_source: bool


def page_of(id_: str, frame: int) -> str:
    """Return what stands behind the address of the page.

    >>> page_of("borunga", 60)
    '#borunga/60'
    """
    return f"#{id_}/{frame}"


def address_on_page(one: Suspect, clock: Clock, shown: ShownRecording, first: int = 0) -> str:
    """Return where a suspect is on the page; "" where the page shows nothing of it, or nobody knows which frame has its time.

    Parameters
    ----------
    clock
        What the positions of its labels count.
    first
        The number of the first frame, at time 0.

    Examples
    --------
    >>> suspect = Suspect("op1", "phases", 30, 40, "a", "b", 0.5, ("flip",), "")
    >>> shown = ShownRecording("borunga", 20, 100, Fraction(4, 5), Fraction(25), is_source=True)
    >>> address_on_page(suspect, Clock(None), shown), address_on_page(suspect, Clock(Fraction(1, 30)), shown)
    ('#borunga/10', '#borunga/5')
    """
    begins, ends = (_shown_frame(position - first, clock, shown) for position in (one.first, one.end))
    if begins is None or ends is None or begins >= shown.frame_count or ends <= 0:
        return ""
    return page_of(shown.id, max(begins, 0))


def _are_one(one: Suspect, other: Suspect) -> bool:
    """Return whether two of a label overlap for different reasons, and do not expect different labels."""
    overlap = one.first < other.end and other.first < one.end
    expects = one.probable == other.probable or not (one.probable and other.probable)
    return overlap and not set(one.evidence) & set(other.evidence) and expects


def _joined(best: Suspect, other: Suspect) -> Suspect:
    return replace(
        best,
        score=at_least_one(best.score, other.score),
        probable=best.probable or other.probable,
        evidence=tuple(sorted({*best.evidence, *other.evidence})),
        says=f"{best.says}; {other.says}",
    )


def _place(one: Suspect) -> tuple[str, str, int, int, str, str]:
    return one.recording, one.camera, one.first, one.end, one.layer, one.label


def _clock(time_s: float) -> str:
    minutes, seconds = divmod(time_s, 60)
    return f"{int(minutes) // 60}:{int(minutes) % 60:02d}:{seconds:06.3f}"


def _shown_frame(position: int, clock: Clock, shown: ShownRecording) -> int | None:
    """Return the first shown frame at or after a position, counted from the first one shown."""
    if clock.period_s is None or (shown.fps is not None and clock.period_s * shown.fps == 1):
        return position - (shown.first if shown.is_source else 0)
    if shown.fps is None:
        return None
    begins_s = position * clock.period_s - (shown.offset_s if shown.is_source else 0)
    return math.ceil((begins_s - STAMP_S) * shown.fps)
