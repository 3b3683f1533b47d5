"""Faces wherever they are seen, also in pictures that no other detector doubts.

The whole picture is proposed, not only the face: where a face is to be seen, so is the room. It
is proposed for as long as the picture stays alike before and after the look, but not for much longer
than until the next looks, and between two looks that soon follow each other.
"""

from __future__ import annotations

from itertools import pairwise

from scrubin.screen import face_looks, features
from scrubin.screen.detectors.detector import Detector, ObservedFile
from scrubin.screen.detectors.scene import observer
from scrubin.screen.face_looks import Look
from scrubin.screen.histograms import Histograms
from scrubin.screen.novelty import alike_run
from scrubin.screen.params import ScreenParams
from scrubin.screen.pass_over_file import Observer
from scrubin.screen.proposals import Numbers, Proposal, frames_s, joined, widened
from scrubin.screen.sightings import WITHIN_S

REACH_S, REACH_FRAMES = 3 * face_looks.EVERY_S, 3 * face_looks.EVERY_FRAMES
"""A face that is still there then has been seen again; tissue that was taken for one may look alike for long."""


def face_observer(_: ScreenParams) -> Observer:
    """Return what looks for faces."""
    return face_looks.OBSERVER


def propose(seen: ObservedFile, params: ScreenParams) -> list[Proposal]:
    """Return the spans in which faces are seen, in order of time."""
    histograms = features.features(seen.observed[features.NAME]).histograms
    looks = [look for look in face_looks.looks(seen.observed[face_looks.NAME]) if look.faces]
    between = [(one.number, two.number) for one, two in pairwise(looks) if seen.times_s[two.number] - seen.times_s[one.number] <= WITHIN_S]
    extents = sorted([*(_around(look.number, histograms, seen.times_s) for look in looks), *between])
    joints = joined(extents, seen.times_s, params.min_span_s + 2 * params.margin_s)
    return [_span(first, last, looks, seen, params) for first, last in joints]


def _around(number: int, histograms: Histograms, times_s: Numbers) -> tuple[int, int]:
    """Return the first and last frame around a look that all resemble it, as far as `REACH_S` or, if that is more, `REACH_FRAMES`."""
    first, last = alike_run(histograms, number)
    start, end = widened(number, number, times_s, REACH_S)
    return max(first, min(start, number - REACH_FRAMES)), min(last, max(end, number + REACH_FRAMES))


def _span(first: int, last: int, looks: list[Look], seen: ObservedFile, params: ScreenParams) -> Proposal:
    mine = [look for look in looks if first <= look.number <= last]
    interval_s = frames_s(*widened(first, last, seen.times_s, params.margin_s), seen.boundaries_s)
    score, count = max(look.sure for look in mine), max(look.faces for look in mine)
    return Proposal("out_of_body", interval_s, score, "face", faces=count, core=(first, last))


FACE = Detector(propose, (observer, face_observer))
