"""Which conventions a folder of frames could follow, how well each explains it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from scrubin.stages.frames.conventions import SHIFTED, Convention, IntArray, Timeline, conventions_at_rate, every_nth, simplest_rates
from scrubin.stages.frames.thumbnails import SUBSET, FloatArray, Line, Pictures, ThumbnailComparison, VideoThumbnails, line_through, margin

NEAR_SHARE = 0.01  # a rate this close to a simple one was meant to be it
EXACT_SHARE = 0.002
WIDEST_SHARE = 0.5
MOST_RATES = 6
UNCOUNTED = 2.5  # pictures that a convention may give more or fewer than another
FAR = 5  # so many pictures may be missing or doubled at one place
NEIGHBOURS = 2
WIDEST = 200
MOST_TRIED = 24
RELIABLE = 0.25


@dataclass(frozen=True)
class Explained:
    """How well a convention explains the pictures.

    Parameters
    ----------
    convention, begins_at
        What is tried, and the number k of the convention's picture that comes first in the folder.
    frames
        The frame of the video that each picture then shows.
    moved
        By how many pictures each picture lies ahead of its place: a picture that is missing moves all later ones.
    unfit
        Which pictures show something else.
    apart
        Squared difference of all pictures, in grey levels.
    length
        How many pictures the convention gives.
    """

    convention: Convention
    begins_at: int
    frames: IntArray
    moved: IntArray
    unfit: IntArray
    apart: float
    length: int

    @property
    def changes(self) -> int:
        """At how many places pictures are missing or doubled."""
        return int(np.count_nonzero(np.diff(self.moved)) + (self.moved[0] != 0))

    @property
    def faults(self) -> int:
        """What the convention does not explain."""
        return len(self.unfit) + self.changes


@dataclass(frozen=True)
class Evidence:
    """What is known before any convention is tried.

    Parameters
    ----------
    seconds, frames
        The lines on which the pictures lie, by time and by number of frame; their share is 0 when they only follow from
        the number of pictures.
    rate
        The simple rate that the folder was meant to have.
    unexplained
        Median share of a picture's variance that no frame explains: near 0 when they are of this video.
    least, margin
        Least difference of each picture to a frame near its place, and what may be added to it by chance.
    """

    seconds: Line
    frames: Line
    rate: Fraction
    unexplained: float
    least: FloatArray
    margin: float


def gather(pictures: Pictures, video: VideoThumbnails, comparison: ThumbnailComparison, fps: Fraction | None) -> list[Evidence]:
    """Look for the pictures in the video.

    Returns
    -------
    What their number says, if they cover the whole video, and what their content says, where enough moves.
    """
    line, places = video.timeline, np.array(pictures.places)
    which, nearest, unexplained = comparison.search()
    count = int(places[-1]) + 1
    lines = [(Line((float(line.times_s[-1]) + line.frame_s) / count, 0.0, 0.0), Line(len(line.ticks) / count, 0.0, 0.0), UNCOUNTED / count)]
    seconds = line_through(places[which], line.times_s[nearest], 2 * line.frame_s)
    frames = line_through(places[which], nearest.astype(np.float64), 2.0)
    if max(seconds.share, frames.share) >= RELIABLE:
        if seconds.share < RELIABLE:  # the rate varies, and frames were counted
            frame_s = float(line.times_s[-1]) / (len(line.ticks) - 1)
            seconds = Line(frames.slope * frame_s, frames.start * frame_s, frames.share)
        lines.append((seconds, frames, 0.0))
    least = np.min([comparison.least(*_window(one, places, line)) for one, _, _ in lines], axis=0)
    return [
        Evidence(one, other, fps or _meant(one, other, line, max(NEAR_SHARE, min(slack, WIDEST_SHARE))), unexplained, least, margin(least))
        for one, other, slack in lines
    ]


def _window(one: Line, places: IntArray, line: Timeline) -> tuple[IntArray, int]:
    """Return the frame at which each picture lies, and how many frames around it are worth a look."""
    centres = np.searchsorted(line.times_s, one.slope * places + one.start).clip(0, len(line.ticks) - 1)
    return centres, min(WIDEST, NEIGHBOURS + int(1.5 * one.slope / line.frame_s))


def _meant(seconds: Line, frames: Line, line: Timeline, share: float) -> Fraction:
    """Return the simple rate that is near enough to have been meant; else that of every n-th frame, else the simplest there is."""
    near = 1 / seconds.slope
    simplest = simplest_rates(near, share, 1)[0]
    if min(simplest.numerator, simplest.denominator) == 1:
        return simplest
    average = Fraction(len(line.ticks) - 1) / (int(line.ticks[-1]) * line.time_base) if len(line.ticks) > 1 else simplest
    nth = (average / max(1, round(frames.slope))).limit_denominator(1001)
    return nth if abs(float(nth) / near - 1) < EXACT_SHARE else simplest


def meant_by(one: Explained, pictures: Pictures, line: Timeline) -> Fraction:
    """Return the simple rate that an explanation amounts to."""
    some = np.unique(np.linspace(0, len(one.frames) - 1, SUBSET).round().astype(np.int64))
    places = np.array(pictures.places)[some]
    seconds = line_through(places, line.times_s[one.frames[some]], 2 * line.frame_s)
    frames = line_through(places, one.frames[some].astype(np.float64), 2.0)
    return _meant(seconds, frames, line, NEAR_SHARE) if seconds.share >= RELIABLE else one.convention.rate or Fraction(1)


def explained(pictures: Pictures, video: VideoThumbnails, comparison: ThumbnailComparison, known: Evidence) -> list[Explained]:
    """Return every convention that may be meant, the best explanation first; of equal ones ours, then the simplest.

    A grid that begins anywhere is tried only where no usual convention explains everything.
    """
    conventions = [(one, begins_at) for one in _conventions(pictures, video.timeline, known) for begins_at in _begins(one, pictures, known)]
    explanations = _best(conventions, pictures, video, comparison, known)
    if explanations[0].faults and known.seconds.share:
        grids = _best([(one, 0) for one in _grids(video.timeline, known)], pictures, video, comparison, known)
        explanations = _sorted([*explanations, *grids[:1]])
    return explanations


def _best(
    tried: list[tuple[Convention, int]], pictures: Pictures, video: VideoThumbnails, comparison: ThumbnailComparison, known: Evidence
) -> list[Explained]:
    # Most are nonsense, which some pictures show.
    some = np.unique(np.linspace(0, len(pictures.names) - 1, SUBSET).round().astype(np.int64))
    doubts = [_misfits(one, some, pictures, video.timeline, comparison, known) for one in tried]
    order = sorted(range(len(tried)), key=lambda i: (doubts[i], i))[:MOST_TRIED]
    return _sorted([_explain(*tried[i], pictures, video.timeline, comparison, known) for i in sorted(order) if doubts[i] <= len(some)])


def _sorted(explanations: list[Explained]) -> list[Explained]:
    return sorted(explanations, key=lambda one: (one.faults, one.apart if one.faults else 0.0))


def _conventions(pictures: Pictures, line: Timeline, known: Evidence) -> list[Convention]:
    span = max(1, pictures.places[-1])
    tolerance = min(0.05, max(1e-4, 4 * line.frame_s / (span * known.seconds.slope)))
    conventions = conventions_at_rate(known.rate)
    if known.frames.slope > 0:
        slack = max(0.5, 4 / span)
        low, high = np.ceil(known.frames.slope - slack), np.floor(known.frames.slope + slack)
        nths = sorted(range(max(1, int(low)), int(high) + 1), key=lambda every: abs(every - known.frames.slope))[:MOST_RATES]
        start = round(known.frames.start)
        for every in nths:
            firsts = {0, *((start + d) % every for d in range(-NEIGHBOURS, NEIGHBOURS + 1))}
            conventions += [every_nth(every, first) for first in sorted(firsts)]
    others = [rate for rate in simplest_rates(1 / known.seconds.slope, tolerance, MOST_RATES) if rate != known.rate]
    return conventions + [convention for rate in others for convention in conventions_at_rate(rate)]


def _begins(convention: Convention, pictures: Pictures, known: Evidence) -> list[int]:
    """Return the numbers k with which the folder may begin: 0, what its first file says, and where its first picture lies."""
    if convention.rate is None:
        near = round((known.frames.start - convention.first) / convention.every)
    else:
        near = round(known.seconds.start * float(convention.rate))
    said = pictures.numbers[0] if pictures.step == 1 else 0
    return sorted({0, said, *(max(0, near + d) for d in (-1, 0, 1))})


def _misfits(
    one: tuple[Convention, int], some: IntArray, pictures: Pictures, line: Timeline, comparison: ThumbnailComparison, known: Evidence
) -> int:
    """Return how many of some pictures a convention does not explain; more than all when it gives no picture."""
    picked, wanted = one[0].frames(line), one[1] + np.array(pictures.places)
    if one[1] >= len(picked):
        return len(some) + 1
    apart = _at(comparison, some, wanted[some], picked)
    return int(np.count_nonzero(apart - known.least[some] > known.margin))


def _explain(
    convention: Convention, begins_at: int, pictures: Pictures, line: Timeline, comparison: ThumbnailComparison, known: Evidence
) -> Explained:
    picked = convention.frames(line)
    wanted = begins_at + np.array(pictures.places)
    moves = sorted(range(-FAR, FAR + 1), key=abs)
    apart = np.full((len(moves), len(wanted)), np.inf)
    everyone = np.arange(len(wanted))
    apart[0] = _at(comparison, everyone, wanted, picked)
    fits = apart - known.least <= known.margin
    if not fits[0].all():
        for row, move in enumerate(moves[1:], start=1):
            apart[row] = _at(comparison, everyone, wanted + move, picked)
        fits = apart - known.least <= known.margin
    chosen, unfit = np.zeros(len(wanted), np.int64), []
    row = 0
    for i in range(len(wanted)):
        if not fits[row, i]:
            better = np.flatnonzero(fits[:, i])
            if len(better) and _stays(fits[:, i:], int(better[0])):
                row = int(better[0])
            else:
                unfit.append(i)
        chosen[i] = row
    moved = np.array(moves)[chosen]
    total = apart[chosen, everyone]
    frames = picked[(wanted + moved).clip(0, len(picked) - 1)]
    return Explained(convention, begins_at, frames, moved, np.array(unfit, np.int64), float(total[np.isfinite(total)].sum()), len(picked))


def _stays(fits: np.ndarray, row: int) -> bool:
    """Whether a move also explains the next picture: a single wrong picture moves nothing."""
    return fits.shape[1] == 1 or bool(fits[row, 1])


def _at(comparison: ThumbnailComparison, everyone: IntArray, wanted: IntArray, picked: IntArray) -> FloatArray:
    inside = (wanted >= 0) & (wanted < len(picked))
    apart = np.full(len(wanted), np.inf)
    apart[inside] = comparison.apart(everyone[inside], picked[wanted[inside]])
    return apart


def _grids(line: Timeline, known: Evidence) -> list[Convention]:
    """Return grids k / rate + shift around the line, a quarter of a frame apart."""
    shifts_s = sorted(np.arange(-2.0, 2.25, 0.25) * line.frame_s, key=abs)
    return [Convention(SHIFTED, known.rate, shift_s=Fraction(round((known.seconds.start + s) * 10**6), 10**6)) for s in shifts_s]
