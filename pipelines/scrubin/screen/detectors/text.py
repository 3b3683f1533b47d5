"""Burned-in text, and text that is filmed: names, dates and clocks that recorders write into the picture, screens, labels.

What was read where, and from when to when it stands, is noted during the one decode, see
`scrubin.screen.text.looking`. Here readings become proposals: a private word of the study in any
reading, however badly read, has score 1; else the usual limit of the reader counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from scrubin.networks.misreadings import WordFinder
from scrubin.networks.reading import LEAST
from scrubin.screen.detectors.detector import Detector, ObservedFile
from scrubin.screen.params import ScreenParams
from scrubin.screen.pass_over_file import Observer
from scrubin.screen.proposals import Interval, Proposal
from scrubin.screen.text.covering import covering
from scrubin.screen.text.looking import start

NAME = "text"
CODE = (
    "screen/decoded_picture.py",
    *(f"screen/text/{name}.py" for name in ("looking", "places", "strokes")),
    *(f"networks/{name}.py" for name in ("proof", "reading", "sessions", "weights")),
)
PACKAGES = ("av", "numpy", "onnxruntime", "opencv-python-headless", "rapidocr")
JOINED_S = 2.0
MARGIN = 2
SURELY_PRIVATE = 1.0
# Makers write these on instruments and scopes. On something that moves they name nobody.
_MAKERS = """\
aesculap arthrex boston conmed covidien ethicon fujifilm fujinon germany intuitive karl karlstorz medtronic nephew olympus pentax
richard smith sony storz stryker tuttlingen wolf
"""
MAKERS = WordFinder(_MAKERS.split())


def observer(params: ScreenParams) -> Observer:
    """Return what reads a recording while it is decoded."""
    return Observer(NAME, CODE, PACKAGES, {"every_s": params.text_every_s}, start(params.text_every_s))


def propose(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return a rectangle for each place where text stands and each span in which it does."""
    value = seen.observed[NAME].value
    proposals = []
    for place in value["places"]:
        judged = _judged(place["readings"], seen.private_words, stands=place["stands"])
        if judged is None:
            continue
        text, score = judged
        scale = (seen.size_px[0] / value["size_px"][0], seen.size_px[1] / value["size_px"][1])
        box_xywh = covering(tuple(place["box"]), scale, seen.size_px)
        for interval_s in _intervals_s(place["spans"], value["samples"], seen):
            proposals.append(Proposal("text", interval_s, score, NAME, box_xywh, text=text))
    return sorted(proposals, key=lambda one: (one.box_xywh or (), one.interval_s))


def _judged(readings: Sequence[Mapping[str, Any]], private: WordFinder, *, stands: bool) -> tuple[str, float] | None:
    """Return what a place says, and the score; None when nothing there counts as text."""
    hits = [one for one in readings if private.hits(one["text"])]
    if hits:
        return _surest(hits)["text"], SURELY_PRIVATE
    counting = [one for one in readings if one["confidence"] >= LEAST]
    if not counting or (not stands and all(MAKERS.hits(one["text"]) for one in counting)):
        return None
    # The usual confidence of what counts, 0.5 to 1, stretched to 0 to 1.
    score = min(max(2 * median(one["confidence"] for one in counting) - 1, 0), 1)
    return _surest(counting)["text"], round(score, 2)


def _surest(readings: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return max(readings, key=lambda one: (one["confidence"], len(one["text"]), one["text"]))


def _intervals_s(spans: Sequence[Sequence[int]], samples: Sequence[int], seen: ObservedFile) -> list[Interval]:
    """Return when text is there: two samples more on both sides, because a text's first pictures may be blurred."""
    intervals: list[Interval] = []
    for first, last in sorted(map(tuple, spans)):
        start_s = float(seen.boundaries_s[samples[first - MARGIN] + 1]) if first >= MARGIN else 0.0
        end_s = float(seen.boundaries_s[samples[last + MARGIN]]) if last + MARGIN < len(samples) else float(seen.boundaries_s[-1])
        if intervals and start_s <= intervals[-1][1] + JOINED_S:
            intervals[-1] = (intervals[-1][0], max(end_s, intervals[-1][1]))
        else:
            intervals.append((start_s, end_s))
    return intervals


TEXT = Detector(propose, (observer,))
