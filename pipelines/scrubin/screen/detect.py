"""A detector of out-of-body and black spans that calibrates itself on the recording.

Most of a recording shows the inside of the body or of the box, so what looks unlike most of
its own frames is outside. It needs no weights, and it is honest about its limit: a recording
that is outside for more than half of its time is judged the wrong way round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.screen.features import COLOUR_CELLS, Features
from scrubin.screen.params import ScreenParams

MAD_TO_SD = 1.4826


@dataclass(frozen=True)
class Span:
    """Frames ``[first, last]`` of a recording, both included, that could identify; score 0 to 1."""

    kind: str
    first: int
    last: int
    score: float


def detect(features: Features, times_s: npt.NDArray[np.float64], params: ScreenParams) -> list[Span]:
    """Return the detected spans in order of time.

    Parameters
    ----------
    features
        Of every frame.
    times_s
        Presentation time of every frame in seconds from the first, shape (n,).
    params
        The limits.
    """
    if len(times_s) == 0:
        return []
    black = features.brightest <= params.black_level
    distance = _distance(features, black)
    outside = (distance > _limit(distance[~black], params)) & ~black
    spans = [_span("out_of_body", first, last, distance) for first, last in _runs(outside, times_s, params, params.margin_s)]
    # Without margin: the frames beside a black span hide nobody.
    spans += [Span("black", first, last, 1.0) for first, last in _runs(black, times_s, params, 0.0)]
    return sorted(spans, key=lambda span: (span.first, span.last, span.kind))


def _distance(features: Features, black: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return the Hellinger distance of every frame to the recording's usual frame, shape (n,)."""
    inside = features.histograms[~black] if not black.all() else features.histograms
    both = []
    for cells in (slice(0, COLOUR_CELLS**2), slice(COLOUR_CELLS**2, None)):
        share = features.histograms[:, cells] / features.pixels
        usual = np.median(inside[:, cells], axis=0) / features.pixels
        overlap = np.sqrt(share * (usual / max(usual.sum(), 1e-12))).sum(axis=1)
        both.append(1.0 - np.minimum(overlap, 1.0))
    # Colour and brightness count alike: a white drape changes both, smoke only the brightness.
    distance: npt.NDArray[np.float64] = np.sqrt((both[0] + both[1]) / 2)
    return distance


def _limit(distance: npt.NDArray[np.float64], params: ScreenParams) -> float:
    if len(distance) == 0:
        return 1.0
    middle = float(np.median(distance))
    spread = float(np.median(np.abs(distance - middle))) * MAD_TO_SD
    return max(params.outside_distance, middle + params.spread * spread)


def _span(kind: str, first: int, last: int, distance: npt.NDArray[np.float64]) -> Span:
    # Six digits: the score goes into a table, and the last bits differ between processors.
    return Span(kind, first, last, round(float(np.median(distance[first : last + 1])), 6))


def _runs(flags: npt.NDArray[np.bool_], times_s: npt.NDArray[np.float64], params: ScreenParams, margin_s: float) -> list[tuple[int, int]]:
    """Return runs of true flags: gaps filled, short ones dropped, margins added."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    runs = [(int(first), int(end) - 1) for first, end in edges.reshape(-1, 2)]
    joined: list[tuple[int, int]] = []
    for first, last in runs:
        if joined and times_s[first] - times_s[joined[-1][1]] < params.min_span_s + 2 * margin_s:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    frame_s = float(np.median(np.diff(times_s))) if len(times_s) > 1 else 0.0
    long = [(first, last) for first, last in joined if times_s[last] - times_s[first] + frame_s >= params.min_span_s]
    return [
        (
            int(np.searchsorted(times_s, times_s[first] - margin_s, side="left")),
            int(np.searchsorted(times_s, times_s[last] + margin_s, side="right")) - 1,
        )
        for first, last in long
    ]
