"""Phases otherwise than frame by frame: segments, when phases begin, how numbers spread over videos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

from scrubin.base.errors import MetricsError
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.evaluate.computation import Computation
from scrubin.evaluate.metric_choices import FRAMES, NO_BACKGROUND
from scrubin.evaluate.metrics.inputs import FloatArray
from scrubin.evaluate.metrics.phases import phase_videos, rates, segments
from scrubin.evaluate.metrics.phases.phase_videos import PhaseVideo

OF_FRAMES = ("scope", "undefined", "averaged", "bessel", "every", "omega", "relaxed-undefined", "window", "crosses", "counted", "above-one")
OF_KIND: Mapping[str, Sequence[str]] = {
    FRAMES: OF_FRAMES,
    "segments": ("overlap", "background", "bessel"),
    "events": ("background",),
    "videos": ("undefined", "bessel"),
}


def computation(
    videos: Sequence[PhaseVideo], vocabulary: Vocabulary, times_s: Mapping[str, FloatArray], choice: Mapping[str, str]
) -> Computation:
    """Return what is to be computed.

    Parameters
    ----------
    vocabulary
        With the names of the phases.
    times_s
        By video, when each frame begins.
    choice
        With a ``kind`` other than frames.

    Raises
    ------
    MetricsError
        For an overlap or a background that there is not.
    """
    names, kind, bessel = vocabulary.phases, choice["kind"], choice["bessel"] == "yes"
    if kind == "videos":
        confusions, undefined = phase_videos.confusions_of_videos(videos, names), cast("Any", choice["undefined"])
        return lambda draw: rates.spread_results(confusions if draw is None else confusions.take(draw), undefined, bessel=bessel)
    background = _background(choice["background"], vocabulary)
    if kind == "events":
        found = segments.events_of_videos(videos, names, times_s, background)
        return lambda draw: segments.event_results(found if draw is None else found.take(draw))
    counts = segments.count(videos, names, _overlaps(choice["overlap"]), background)
    return lambda draw: segments.segment_results(counts if draw is None else counts.take(draw), bessel=bessel)


def notes(kind: str, rate: Fraction | None) -> list[str]:
    """Return what is assumed: where nothing states a rate, times are those of our frame contract."""
    return ["no file states a rate: frames are taken as one per second; say another by --fps"] * (kind == "events" and rate is None)


def _background(text: str, vocabulary: Vocabulary) -> str:
    if text == NO_BACKGROUND:
        return ""
    names = vocabulary.phases
    id_ = int(text) if text.isascii() and text.isdigit() and text not in names else vocabulary.find("phase", text)
    if id_ is None or id_ >= len(names):
        msg = f"--variant background={text}: the phases are {', '.join(names)}"
        raise MetricsError(msg)
    return names[id_]


def _overlaps(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and 0 < int(part) <= 100 for part in parts):
        msg = f"--variant overlap={text}: give percent with commas, whole numbers from 1 to 100, such as 10,25,50"
        raise MetricsError(msg)
    return tuple(dict.fromkeys(map(int, parts)))
