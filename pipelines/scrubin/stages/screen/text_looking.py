"""Reads a recording while it is decoded: cheap measures three times a second decide where to read, or when.

Four things start a look:

- strokes like text that are new and stand still for three samples: that part of the picture is read;
- a picture with many more such strokes than usual, as a screen or a sheet of paper shows: all of it that has strokes;
- a *round*, at the beginning and at least once in ``every_s``: the same;
- text that was read once, and has no strokes of its own: it is read again every second, as long as it is there.

What stands is read whatever it costs, once: a name may stand in any of it. A purse of pixels, filled by decoding and
emptied by looks, only limits how often a restless picture is read as a whole.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median

import cv2
import numpy as np
import numpy.typing as npt
from av.video.reformatter import VideoReformatter

from scrubin.base.pixels import Box
from scrubin.media.networks.reading import Reading, read
from scrubin.media.upright import turned
from scrubin.stages.screen.pass_over_file import DecodedPicture, Observed
from scrubin.stages.screen.proposals import Numbers
from scrubin.stages.screen.text_places import FEWEST_STROKES_PX, History, Place, Strokes, around, padded, regions, same, strokes, text_cells

SAMPLE_S = 1 / 3
STANDS = 3
"""Text must stand in so many samples to count as standing: a second."""
WIDEST_PX = 960
LEAST = 0.25
"""Readings from here on are noted: below the usual limit only those count that hit a private word."""
SURE = 0.5
LETTERS = 2
SURELY_A_LINE, WIDE_LINE = 0.88, 1.5
"""A line in letters that the reader does not know: so sure it must be that it is one, and so many times wider than high. Of 108
lines in ten scripts on pictures of four sources 100 are so sure; of 24 patterns of tissue 5 are, all of them high."""
LOW_SHARE, HIGH_SHARE, ALWAYS_LOW_PX = 1 / 8, 1 / 6, 40
"""Of the shorter side of the picture: as high as such a line, or as one that is not read well, may be; so many pixels it may be in any."""
HIGH_LETTERS = 4
"""Tissue is taken for a line as high as half of the picture, which then says little, and doubtfully; letters so high are read well."""
STANDS_SHARE = 0.5
"""Of the strokes of a line that says nothing, at least so many stand for a second: text of an overlay does, folds of tissue move."""
MOVING_SHARE = 0.35
"""Of the strokes of a line that stands, at least so many are at the same pixels for a second."""
PAD_PX = 8
FOLLOW_PAD_PX = 40
FOLLOW_SAMPLES = 3
ROUND_CROSSINGS = 12.0
EDGE_PX, GROWN_LINES = 5, 8
LUMA_FIRST = frozenset({"yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuvj444p", "nv12", "gray"})
ROUND_SIDE_PX = 640
"""Rounds look for large and faint text; what is small and stands still has strokes."""
FIRST_PX, MOST_PX = 800_000, 1_600_000
PX_PER_DECODED_PX = 8e-4
"""What comes into the purse: reading a pixel takes 250 times as long as decoding it, so this is a fifth of decoding."""
WHOLE_SHARE = 0.6
USUAL_SAMPLES = 30
JUMP_FACTOR, JUMP_CELLS = 2.0, 40
JUMP_SAMPLES = 15
FORGET_SAMPLES = 60
"""Strokes that were looked at and no longer stand count as new again after 20 to 40 s: text may stand where tissue had strokes."""
MOST_PLACES = 200
Picture = npt.NDArray[np.uint8]


def sample_numbers(times_s: Numbers) -> list[int]:
    """Return the frames to sample: the first one at or after every third of a second, and the last frame.

    >>> sample_numbers(np.arange(30) / 25)
    [0, 9, 17, 25, 29]
    """
    if not len(times_s):
        return []
    wanted = np.searchsorted(times_s, np.arange(0, float(times_s[-1]) + SAMPLE_S, SAMPLE_S) - 1e-9)
    return sorted({int(number) for number in wanted if number < len(times_s)} | {len(times_s) - 1})


class Looking:
    """Sees the frames of one file; its notes are the places where text was read, and what was read there.

    Parameters
    ----------
    times_s
        Presentation time of each frame, shape (n,).
    every_s
        A round at least once in so many seconds.
    """

    def __init__(self, times_s: Numbers, every_s: float) -> None:
        self._numbers = sample_numbers(times_s)
        self._sample_of = {number: sample for sample, number in enumerate(self._numbers)}
        self._times_s = times_s
        self._every_s = every_s
        self._reformatter = VideoReformatter()
        self._size_px = (1, 1)
        self._history = History(round(max(every_s, 4.0) / SAMPLE_S))
        self._recent: deque[Strokes] = deque(maxlen=STANDS)
        self._usual: deque[int] = deque(maxlen=USUAL_SAMPLES)
        self._looked_at: Strokes | None = None
        self._still_there: Strokes | None = None
        self._purse_px: float = FIRST_PX
        self._before = 0
        self._round_s = -every_s
        self._jump_sample = self._unseen_since = 0
        self._places: list[Place] = []
        self._read_px = 0
        self._looks = 0

    def see(self, number: int, decoded: DecodedPicture) -> None:
        """Measure a sampled frame, and read where something is new."""
        if number not in self._sample_of:
            return
        sample = self._sample_of[number]
        view = _View(decoded, self._reformatter)
        self._size_px = view.size_px
        shown = strokes(view.gray)
        income_px = PX_PER_DECODED_PX * decoded.frame.width * decoded.frame.height * (number - self._before)
        self._purse_px, self._before = min(self._purse_px + income_px, MOST_PX), number
        self._recent.append(shown)
        self._history.add(shown)
        for place in self._places:
            was_open = place.is_open
            place.see(sample, shown)
            if was_open and not place.is_open:
                self._forget(place.box_xywh)
        standing = self._standing()
        self._follow(sample, standing, view)
        self._follow_moving(sample, view)
        self._new(sample, standing, view)
        self._round(sample, shown, standing, view)

    def finish(self) -> Observed:
        """Return the places with text, and the frames that were sampled."""
        for place in self._places:
            place.close()
        value = {
            "samples": self._numbers,
            "size_px": self._size_px,
            "places": [place.noted() for place in self._places if place.confirmed],
            "looks": self._looks,
            "read_px": self._read_px,
        }
        return Observed({}, value)

    def _standing(self) -> Strokes | None:
        """Return the strokes that stand still for a second."""
        if len(self._recent) < STANDS:
            return None
        standing = self._recent[0]
        for shown in list(self._recent)[1:]:
            standing = standing & shown
        return standing

    def _forget(self, box_xywh: Box) -> None:
        """Look at a part of the picture again when something stands there: the text that was there has gone, and may come back."""
        x, y, w, h = padded(box_xywh, PAD_PX, self._size_px)
        for looked_at in (self._looked_at, self._still_there):
            if looked_at is not None:
                for one in (looked_at.bright, looked_at.dark):
                    one[y : y + h, x : x + w] = 0

    def _new(self, sample: int, standing: Strokes | None, view: _View) -> None:
        """Read where strokes like text stand that were not looked at before, and that no open place explains."""
        if standing is None:
            return
        unseen = standing
        if self._looked_at is not None and self._still_there is not None:
            self._still_there |= standing & self._looked_at
            unseen = standing.without(self._looked_at)
        if sample % FORGET_SAMPLES == 0:
            self._looked_at, self._still_there = self._still_there, Strokes.none(standing.bright.shape)
        fresh = unseen.either
        for place in self._places:
            if place.is_open and place.template is not None:
                x, y, w, h = padded(place.box_xywh, 2, self._size_px)
                fresh[y : y + h, x : x + w] = 0
        for box_xywh, _ in regions(text_cells(fresh), self._size_px):
            self._look(sample, padded(box_xywh, PAD_PX, self._size_px), standing, view, free=False)

    def _round(self, sample: int, shown: Strokes, standing: Strokes | None, view: _View) -> None:
        """Read everything that has strokes like text, when it is time or the picture shows many more of them than usual."""
        if sample % STANDS:
            return
        cells = text_cells(shown.either, ROUND_CROSSINGS)
        count, now_s = int(np.count_nonzero(cells)), float(self._times_s[self._numbers[sample]])
        usual = median(self._usual) if self._usual else count
        self._usual.append(count)
        jumps = count > JUMP_FACTOR * usual + JUMP_CELLS and sample >= self._jump_sample + JUMP_SAMPLES and self._purse_px > 0
        if not jumps and now_s < self._round_s + self._every_s:
            return
        if jumps:
            self._jump_sample, self._unseen_since = sample, max(sample - STANDS, 0)
        else:
            self._round_s = now_s
        boxes = [padded(box_xywh, PAD_PX, self._size_px) for box_xywh, _ in regions(cells, self._size_px)]
        if sum(w * h for _, _, w, h in boxes) > WHOLE_SHARE * self._size_px[0] * self._size_px[1]:
            boxes = [(0, 0, *self._size_px)]
        for box_xywh in boxes:
            self._look(sample, box_xywh, standing, view, free=not jumps, side_px=ROUND_SIDE_PX)
        self._unseen_since = sample

    def _follow(self, sample: int, standing: Strokes | None, view: _View) -> None:
        """Look again for text without strokes of its own."""
        for place in self._places:
            if place.template is not None or not place.is_open or sample < place.next_look:
                continue
            where = padded(place.box_xywh, FOLLOW_PAD_PX, self._size_px)
            readings = [one for one in self._readings(where, view, free=not place.confirmed) if _counts(one)]
            again = [one for one in readings if _same_text(place, one) or same(place.box_xywh, one.box_xywh)]
            place.next_look = sample + FOLLOW_SAMPLES
            if again:
                place.box_xywh, place.last, place.misses, place.confirmed = around(place.box_xywh, again[0].box_xywh), sample, 0, True
                place.note(again[0])
                place.stand(again[0].box_xywh, self._template(again[0].box_xywh, standing))
            else:
                # It may have been there until now.
                place.last = sample - 1 if not place.misses and place.confirmed else place.last
                place.misses += 1
                if place.misses >= (2 if place.confirmed else 1):
                    place.close()
                    self._forget(place.box_xywh)
        self._places = [place for place in self._places if place.confirmed or place.is_open]

    def _follow_moving(self, sample: int, view: _View) -> None:
        """Read what moves once a second: tissue has strokes as well, and would lead a place astray."""
        for place in self._places:
            if not (place.moves and place.is_open) or sample < place.next_look:
                continue
            place.next_look = sample + FOLLOW_SAMPLES
            if any(_counts(one) for one in self._readings(padded(place.now_xywh, PAD_PX, self._size_px), view, free=True)):
                place.read_at = sample
            elif sample - place.read_at > 2 * FOLLOW_SAMPLES:
                place.last = min(place.last, max(place.read_at, place.first) + FOLLOW_SAMPLES)
                place.close()
                self._forget(place.box_xywh)

    def _look(self, sample: int, box_xywh: Box, standing: Strokes | None, view: _View, *, free: bool, side_px: int = WIDEST_PX) -> None:
        """Read a part of the picture and note what is there."""
        if standing is not None:
            if self._looked_at is None or self._still_there is None:
                self._looked_at, self._still_there = Strokes.none(standing.bright.shape), Strokes.none(standing.bright.shape)
            # Noise moves the edges of strokes by a pixel or two.
            part = standing.crop(box_xywh).wider()
            for looked_at in (self._looked_at, self._still_there):
                here = looked_at.crop(box_xywh)
                here |= part
        readings = self._readings(box_xywh, view, free=free, side_px=side_px)
        grown = self._grown(box_xywh, readings)
        if grown != box_xywh:
            readings = self._readings(grown, view, free=free, side_px=side_px)
        for one in readings:
            if not (_letters(one) or self._is_line(one)):
                continue
            known = [place for place in self._places if place.is_open and same(place.box_xywh, one.box_xywh)]
            if known:
                known[0].note(one, is_line=self._is_line(one))
                known[0].grow(one.box_xywh, standing)
            elif len(self._places) < MOST_PLACES:
                self._begin(sample, one, standing)

    def _grown(self, part: Box, readings: Sequence[Reading]) -> Box:
        """Return a part of the picture, longer where a line reaches its edge and the picture goes on there."""
        left, top, width, height = part
        right = left + width
        for x, _, w, h in (one.box_xywh for one in readings):
            if x - part[0] < EDGE_PX:
                left = max(min(left, part[0] - GROWN_LINES * h), 0)
            if part[0] + width - x - w < EDGE_PX:
                right = min(max(right, part[0] + width + GROWN_LINES * h), self._size_px[0])
        return left, top, right - left, height

    def _is_line(self, one: Reading) -> bool:
        """Whether it is a line, whatever it says."""
        _, _, w, h = one.box_xywh
        is_wide = max(w, h) >= WIDE_LINE * one.height_px and one.height_px <= max(LOW_SHARE * min(self._size_px), ALWAYS_LOW_PX)
        return is_wide and one.is_line >= SURELY_A_LINE

    def _begin(self, sample: int, one: Reading, standing: Strokes | None) -> None:
        template = self._template(one.box_xywh, standing)
        if template is not None and (_letters(one) or self._share_standing(one.box_xywh, standing) >= STANDS_SHARE):
            place = Place(one.box_xywh, template, sample, sample)
            place.first, place.read_at = self._history.since(place, sample), sample
        elif template is None and _counts(one):
            place = Place(one.box_xywh, None, self._unseen_since, sample, confirmed=False, next_look=sample + FOLLOW_SAMPLES)
        else:
            return
        place.note(one, is_line=self._is_line(one))
        self._places.append(place)

    def _template(self, box_xywh: Box, standing: Strokes | None) -> Strokes | None:
        """Return the strokes by which a line is known again: those that stand, all of this sample when the line moves; None for too few."""
        if standing is None:
            return None
        standing_here, shown_here = standing.crop(box_xywh), self._recent[-1].crop(box_xywh)
        template = standing_here if self._share_standing(box_xywh, standing) >= MOVING_SHARE else shown_here
        return template if template.count >= max(FEWEST_STROKES_PX, box_xywh[2] * box_xywh[3] // 20) else None

    def _share_standing(self, box_xywh: Box, standing: Strokes | None) -> float:
        """Return which share of the strokes in a rectangle stands for a second."""
        shown_here = self._recent[-1].crop(box_xywh).count
        return standing.crop(box_xywh).count / shown_here if standing is not None and shown_here else 0.0

    def _readings(self, box_xywh: Box, view: _View, *, free: bool, side_px: int = WIDEST_PX) -> list[Reading]:
        """Return what is read in a part of the picture, with its place in the whole."""
        x, y, w, h = box_xywh
        self._looks += 1
        self._read_px += w * h
        if not free:
            self._purse_px -= w * h
        # A part is read at the scale of the whole.
        part = np.ascontiguousarray(view.bgr[y : y + h, x : x + w])
        readings = read(part, LEAST, round(side_px * max(w, h) / max(self._size_px)), SURELY_A_LINE)
        likely = (one for one in readings if _is_likely(one, min(self._size_px)))
        return [replace(one, box_xywh=(x + a, y + b, c, d)) for one in likely for a, b, c, d in [one.box_xywh]]


class _View:
    """One frame as it is displayed, at most 960 px wide: its luma, and its colours when they are asked for."""

    def __init__(self, decoded: DecodedPicture, reformatter: VideoReformatter) -> None:
        self._frame, self._reformatter = decoded.frame, reformatter
        frame = decoded.frame
        width = min(frame.width, WIDEST_PX)
        self._scaled_px = width, max(1, round(frame.height * width / frame.width))
        self.gray = turned(self._luma(), frame)
        self._bgr: Picture | None = None

    @property
    def size_px(self) -> tuple[int, int]:
        return self.gray.shape[1], self.gray.shape[0]

    @property
    def bgr(self) -> Picture:
        if self._bgr is None:
            self._bgr = turned(self._reformatted("bgr24"), self._frame)
        return self._bgr

    def _luma(self) -> Picture:
        frame = self._frame
        if frame.format.name not in LUMA_FIRST:
            return self._reformatted("gray")
        # Its first plane, as it is: scaling a copy of it would cost more than all the measures.
        plane = frame.planes[0]
        luma: Picture = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)[: frame.height, : frame.width]
        if frame.width == self._scaled_px[0]:
            return luma
        return cv2.resize(luma, self._scaled_px, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)

    def _reformatted(self, colours: str) -> Picture:
        picture = self._reformatter.reformat(self._frame, *self._scaled_px, colours, interpolation="AREA")
        return picture.to_ndarray().astype(np.uint8, copy=False)


def start(every_s: float) -> Callable[[Numbers], Looking]:
    """Return what begins a file."""
    return lambda times_s: Looking(times_s, every_s)


def _is_likely(reading: Reading, side_px: int) -> bool:
    """Whether a line is not much higher than letters are in a picture whose shorter side is given, or is surely read."""
    letters = sum(letter.isalnum() for letter in reading.text)
    return reading.height_px <= max(HIGH_SHARE * side_px, ALWAYS_LOW_PX) or (letters >= HIGH_LETTERS and reading.confidence >= SURE)


def _letters(reading: Reading) -> bool:
    """Whether a reading says anything: from two letters or digits on, single ones are found in every other pattern."""
    return sum(letter.isalnum() for letter in reading.text) >= LETTERS and reading.confidence >= LEAST


def _counts(reading: Reading) -> bool:
    return _letters(reading) and reading.confidence >= SURE


def _same_text(place: Place, reading: Reading) -> bool:
    pairs = {reading.text[i : i + 2].casefold() for i in range(len(reading.text) - 1)}
    for one in place.readings:
        others = {one.text[i : i + 2].casefold() for i in range(len(one.text) - 1)}
        if 2 * len(pairs & others) >= min(len(pairs), len(others)) > 0:
            return True
    return False
