"""Burned-in text: names, dates, clocks that recorders write into the picture, also text that is filmed.

What was read where, and from when to when it stands, is noted during the one decode, see
`scrubin.stages.screen.text_looking`. Here readings become proposals: a private word of the study in any
reading, however badly read, has score 1; else the usual limit of the reader counts. A line that
stands still counts whatever its letters are: the reader does not know every script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from statistics import median
from typing import Any

from scrubin.base.pixels import Box, shared_px
from scrubin.media.networks.misreadings import WordFinder
from scrubin.media.networks.reading import LEAST
from scrubin.stages.screen import text_looking
from scrubin.stages.screen.detector import Detector, ObservedFile, ScreenParams
from scrubin.stages.screen.pass_over_file import Observer
from scrubin.stages.screen.proposals import Interval, Proposal
from scrubin.stages.screen.text_places import around

NAME = "text"
JOINED_S = 2.0
MARGIN = 2
ALIKE_SHARE = 0.7
MOST_SHOWN = 3
SHORT_LETTERS, SHORT_LEAST = 4, 0.8
"""Two or three letters are read in many a pattern: they count when the reader is surer."""
SURELY_PRIVATE = 1.0
UNREAD_SCORE = 0.3
"""Of a line that stands, in letters that the reader does not know: it has no text."""
# Makers write these on instruments and scopes. On something that moves they name nobody.
_MAKERS = """\
aesculap arthrex boston conmed covidien ethicon fujifilm fujinon germany intuitive karl karlstorz medtronic nephew olympus pentax
richard smith sony storz stryker tuttlingen wolf
"""
MAKERS = WordFinder(_MAKERS.split())
# As they stand on instruments and cables, where a part of the mark is seen; names that people have as well are not among them.
MARKS = (
    "aesculap",
    "appliedmedical",
    "arthrex",
    "autosuture",
    "conmed",
    "covidien",
    "endopath",
    "ethiconendosurgery",
    "fujifilm",
    "karlstorztuttlingengermany",
    "ligasure",
    "medtronic",
    "olympus",
    "singleuseonly",
    "stainlesssteel",
    "stryker",
)
MARK_LETTERS = 5


def observer(params: ScreenParams) -> Observer:
    """Return what reads a recording while it is decoded."""
    return Observer(NAME, text_looking.__name__, {"every_s": params.text_every_s}, text_looking.start(params.text_every_s))


def propose(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return a rectangle for each place where text stands and each span in which it does."""
    value = seen.observed[NAME].value
    judged = [_judged(place, seen.private_words) for place in value["places"]]
    scale = (seen.size_px[0] / value["size_px"][0], seen.size_px[1] / value["size_px"][1])
    proposals = []
    for spot in _spots([one for one in judged if one is not None]):
        box_xywh = covering(reduce(around, [text.box_xywh for text in spot]), scale, seen.size_px)
        for interval_s, texts in _intervals(spot, value["samples"], seen):
            score = max(text.score for text in texts)
            proposals.append(Proposal("text", interval_s, score, NAME, box_xywh, text=_label(texts)))
    return sorted(proposals, key=lambda one: (one.box_xywh or (), one.interval_s))


@dataclass(frozen=True)
class _Text:
    """What one place says, how sure that is, and where and when it stands, in pixels and numbers of samples."""

    text: str
    score: float
    box_xywh: Box
    spans: tuple[tuple[int, int], ...]


def _judged(place: Mapping[str, Any], private: WordFinder) -> _Text | None:
    """Return the text of a place; None when nothing there counts as text."""
    readings = place["readings"]
    where = (tuple(place["box"]), tuple((first, last) for first, last in place["spans"]))
    hits = [one for one in readings if private.hits(one["text"])]
    if hits:
        return _Text(_surest(hits)["text"], SURELY_PRIVATE, *where)
    counting = [one for one in readings if _counts(one) and not _is_mark(one["text"])]
    if not counting and place["is_line"] and place["stands"] and not any(_is_mark(one["text"]) for one in readings):
        return _Text("", UNREAD_SCORE, *where)
    if not counting or (not place["stands"] and all(MAKERS.hits(one["text"]) for one in counting)):
        return None
    # The usual confidence of what counts, 0.5 to 1, stretched to 0 to 1.
    score = min(max(2 * median(one["confidence"] for one in counting) - 1, 0), 1)
    return _Text(_surest(counting)["text"], round(score, 2), *where)


def _spots(texts: Sequence[_Text]) -> list[list[_Text]]:
    """Return those together that lie almost in the same rectangle, as readings of a value that changes do."""
    spots: list[list[_Text]] = []
    for text in texts:
        near = [spot for spot in spots if _alike(spot[0].box_xywh, text.box_xywh)]
        if near:
            near[0].append(text)
        else:
            spots.append([text])
    return spots


def _alike(a: Box, b: Box) -> bool:
    return shared_px(a, b) >= ALIKE_SHARE * max(a[2] * a[3], b[2] * b[3])


def _intervals(texts: Sequence[_Text], samples: Sequence[int], seen: ObservedFile) -> list[tuple[Interval, list[_Text]]]:
    """Return when there is text, and which: two samples more on both sides, because a text's first pictures may be blurred."""
    intervals: list[tuple[Interval, list[_Text]]] = []
    for first, last, number in sorted((*span, number) for number, text in enumerate(texts) for span in text.spans):
        start_s = float(seen.boundaries_s[samples[first - MARGIN] + 1]) if first >= MARGIN else 0.0
        end_s = float(seen.boundaries_s[samples[last + MARGIN]]) if last + MARGIN < len(samples) else float(seen.boundaries_s[-1])
        if intervals and start_s <= intervals[-1][0][1] + JOINED_S:
            (begins_s, ends_s), there = intervals[-1]
            intervals[-1] = ((begins_s, max(end_s, ends_s)), [*there, texts[number]])
        else:
            intervals.append(((start_s, end_s), [texts[number]]))
    return intervals


def _label(texts: Sequence[_Text]) -> str | None:
    """Return what a reviewer reads beside a rectangle: what is surely private first; None where nothing was read."""
    shown = dict.fromkeys(one.text for one in sorted(texts, key=lambda one: one.score < SURELY_PRIVATE) if one.text)
    if not shown:
        return None
    return " / ".join(list(shown)[:MOST_SHOWN]) + (" ..." if len(shown) > MOST_SHOWN else "")


def _counts(reading: Mapping[str, Any]) -> bool:
    letters = sum(letter.isalnum() for letter in reading["text"])
    return bool(reading["confidence"] >= (LEAST if letters >= SHORT_LETTERS else SHORT_LEAST))


def _is_mark(text: str) -> bool:
    letters = "".join(letter for letter in text.casefold() if letter.isalnum())
    return len(letters) >= MARK_LETTERS and any(letters in mark for mark in MARKS)


def _surest(readings: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return max(readings, key=lambda one: (one["confidence"], len(one["text"]), one["text"]))


GRID_PX = 8
MARGIN_SHARE = 0.25


def covering(box_xywh: Box, scale: tuple[float, float], size_px: tuple[int, int]) -> Box:
    """Return the rectangle to hide: in pixels of the video, with a margin, on a grid of 8 px, inside the picture.

    The grid keeps small differences between processors out of the table.
    """
    x, y, w, h = box_xywh
    margin = max(2.0, MARGIN_SHARE * h)
    sides = []
    for start, length, factor, limit in ((x, w, scale[0], size_px[0]), (y, h, scale[1], size_px[1])):
        low = int((start - margin) * factor // GRID_PX) * GRID_PX
        high = -int(-(start + length + margin) * factor // GRID_PX) * GRID_PX
        sides.append((max(low, 0), min(high, limit)))
    (left, right), (top, bottom) = sides
    return left, top, right - left, bottom - top


TEXT = Detector(propose, (observer,))
