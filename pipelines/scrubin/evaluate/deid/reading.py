"""What any tool wrote, frame by frame: every stream of pictures, which source frame each shows, how much detail of a planted one.

A released frame gains the likeness of its fingerprint to that of a source frame. From one released frame
to the next, the source goes on by as many frames as the clock says; other small steps cost a little, and
a jump to anywhere, forwards or back, costs ``JUMP``. Pictures that show nothing go on with the clock.

Detail is a picture without its local mean. In each tile the detail of the released picture is fitted by
least squares as ``share`` x planted detail + ``other`` x clean detail; ``likeness`` is the partial correlation
of released and planted detail with the clean one held fixed. A copy has share and likeness 1, a black tile 0,
a blurred one a small share. Contrast and brightness that a tool or an encoder changed matter little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from scrubin.base import strangers
from scrubin.media.upright import upright

Fingerprints = npt.NDArray[np.float32]
"""Shape (frames, values); rows of length 1 or 0."""

STEP, JUMP = 0.1, 2.0
CLEARLY = 0.2
SURE = 0.3
"""A frame that is less like the one it was put to may show anything, also a negative, and is where the clock says."""
NEAR = 3
BLOCK = 64
MOST_CELLS = 9_000_000
"""Beyond this many pairs of frames the way is first looked for among every n-th frame, and then beside it."""


def align(released: Fingerprints, times_s: npt.NDArray[np.float64], source: Fingerprints, fps: float) -> npt.NDArray[np.int64]:
    """Return the source frame that each released frame shows, shape (released frames,).

    Parameters
    ----------
    times_s
        Of the released frames.
    fps
        Of the source.
    """
    steps = np.diff(times_s, prepend=times_s[:1]) * fps
    every = ceil((len(released) * len(source) / MOST_CELLS) ** 0.5)
    if every <= 1:
        way = _way(released, steps, source, np.zeros(len(released), np.int64), len(source))
    else:
        coarse = _way(released[::every], steps[::every], source[::every], np.zeros(len(released[::every]), np.int64), len(source[::every]))
        wide = min(8 * every, len(source))
        middle = np.interp(np.arange(len(released)), np.arange(len(coarse)) * every, coarse * every)
        bases = np.clip(middle.astype(np.int64) - wide // 2, 0, len(source) - wide)
        way = _way(released, steps, source, bases, wide)
    return _by_the_clock(_settled(way, released, source), steps, released, source)


def _way(
    released: Fingerprints, steps: npt.NDArray[np.float64], source: Fingerprints, bases: npt.NDArray[np.int64], wide: int
) -> npt.NDArray[np.int64]:
    """Return the best way; released frame j may show the source frames bases[j] to bases[j] + wide - 1."""
    usual = float(np.median(steps[1:])) if len(steps) > 1 else 1.0
    reach = range(max(4, ceil(2 * usual)) + 1)
    likenesses = _likenesses(released, source, bases, wide)
    total = next(likenesses)
    came_from = np.zeros((len(released), wide), np.int32)
    for j in range(1, len(released)):
        moved = int(bases[j] - bases[j - 1])
        best_place = int(total.argmax())
        best, origin = np.full(wide, total[best_place] - JUMP), np.full(wide, best_place, np.int32)
        for step in reach:
            # Place k of this row is source frame bases[j] + k; it comes from place k + moved - step of the row before.
            low, high = max(0, step - moved), min(wide, wide + step - moved)
            if low >= high:
                continue
            before = total[low + moved - step : high + moved - step] - STEP * abs(step - steps[j])
            better = before > best[low:high]
            best[low:high][better] = before[better]
            origin[low:high][better] = np.arange(low + moved - step, high + moved - step, dtype=np.int32)[better]
        total = best + next(likenesses)
        came_from[j] = origin
    places = np.empty(len(released), np.int64)
    place = int(total.argmax())
    for j in range(len(released) - 1, -1, -1):
        places[j] = place
        place = int(came_from[j, place])
    return places + bases


def _likenesses(released: Fingerprints, source: Fingerprints, bases: npt.NDArray[np.int64], wide: int) -> Iterator[npt.NDArray[np.float32]]:
    """Yield the likenesses of each released frame to the source frames that it may show; many are computed at once, which is faster."""
    for start in range(0, len(released), BLOCK):
        mine = bases[start : start + BLOCK]
        low, high = int(mine.min()), int(mine.max()) + wide
        block = released[start : start + BLOCK] @ source[low:high].T
        for row, base in zip(block, mine.tolist(), strict=True):
            yield row[base - low : base - low + wide]


def _settled(way: npt.NDArray[np.int64], released: Fingerprints, source: Fingerprints) -> npt.NDArray[np.int64]:
    """Return the way with frames that clearly show a neighbour's picture put there: a span may begin in a pause of the clock."""
    settled = way.copy()
    for j, frame in enumerate(way):
        low, high = max(0, frame - NEAR), min(len(source), frame + NEAR + 1)
        likeness = source[low:high] @ released[j]
        if likeness.max() - likeness[frame - low] > CLEARLY:
            settled[j] = low + int(likeness.argmax())
    return settled


def _by_the_clock(
    way: npt.NDArray[np.int64], steps: npt.NDArray[np.float64], released: Fingerprints, source: Fingerprints
) -> npt.NDArray[np.int64]:
    """Return the way with frames that show none of the source put where the clock goes on from the last one that does."""
    sure = np.flatnonzero(np.einsum("ij,ij->i", released, source[way]) >= SURE)
    if not len(sure):
        return way
    places = np.arange(len(way))
    anchors = sure[np.maximum(np.searchsorted(sure, places, side="right") - 1, 0)]
    elapsed = np.cumsum(steps)
    return np.clip(way[anchors] + np.rint(elapsed - elapsed[anchors]).astype(np.int64), 0, len(source) - 1)


Bgr = npt.NDArray[np.uint8]
FINGERPRINT = (64, 36)
FINGERPRINT_DETAIL_PX = 7
MOST_DETAIL = 4.0
"""Stronger detail counts as this: the edges of a black rectangle must not outweigh the whole operation around it."""
FLAT = 1.0
"""A fingerprint with less detail than this many levels is that of a picture that shows nothing."""
QUIET = 1.5e-5
"""Half a step of 16 bits, -96 dB of full scale: anybody can make loud again what is louder. Silence that is decoded is below."""


@dataclass(frozen=True)
class PictureStream:
    """A stream of pictures in a file; a cover is a single picture."""

    index: int
    is_cover: bool


def picture_streams(path: Path) -> list[PictureStream]:
    """Return the streams of pictures; none for what is no video or no picture."""
    try:
        with _opened(path) as container:
            return [
                PictureStream(stream.index, bool(stream.disposition & av.stream.Disposition.attached_pic))
                for stream in container.streams.video
            ]
    except (FFmpegError, IndexError, OSError, ValueError):
        return []


def pictures(path: Path, stream: int, *, ignore_edit_list: bool = False) -> Iterator[tuple[float, Bgr]]:
    """Yield every picture of a stream with its time in s from the first one; ends where nothing more can be decoded.

    Parameters
    ----------
    ignore_edit_list
        Yield also what an mp4 edit list hides from players.
    """
    first: float | None = None
    count = 0
    with suppress(FFmpegError, IndexError, OSError, ValueError), _opened(path, ignore_edit_list=ignore_edit_list) as container:
        chosen: Any = container.streams[stream]
        chosen.thread_type = "AUTO"
        for frame in container.decode(chosen):
            time_s = frame.time if frame.time is not None else count / float(chosen.average_rate or 25)
            first = time_s if first is None else first
            yield time_s - first, upright(frame)
            count += 1


def fingerprint(bgr: Bgr) -> npt.NDArray[np.float32]:
    """Return the detail of a small copy of a picture as a vector of length 1; of length 0 when it shows nothing."""
    small = luma(np.asarray(cv2.resize(bgr, FINGERPRINT, interpolation=cv2.INTER_AREA), np.uint8))
    fine = small - cv2.blur(small, (FINGERPRINT_DETAIL_PX, FINGERPRINT_DETAIL_PX))
    flat = np.clip(fine, -MOST_DETAIL, MOST_DETAIL).reshape(-1)
    norm = float(np.sqrt((flat * flat).sum()))
    return np.asarray(flat / norm if norm >= FLAT * np.sqrt(flat.size) else np.zeros_like(flat), np.float32)


def is_heard(path: Path) -> bool:
    """Return whether a file has sound louder than -96 dB of full scale; sound that cannot be decoded counts as heard."""
    try:
        with _opened(path) as container:
            count = len(container.streams.audio)
        return any(_loud(path, number) for number in range(count))
    except (FFmpegError, IndexError, OSError, ValueError):
        return bool(picture_streams(path))


def _loud(path: Path, number: int) -> bool:
    with _opened(path) as container:
        resampler = av.AudioResampler(format="flt", layout="mono")
        for frame in container.decode(audio=number):
            for part in resampler.resample(frame):
                if float(np.abs(part.to_ndarray()).max(initial=0.0)) > QUIET:
                    return True
    return False


def tags(path: Path) -> list[tuple[str, str]]:
    """Return every tag that a reader shows, of file, streams and chapters, as name and value."""
    try:
        with _opened(path) as container:
            pairs = list(container.metadata.items())
            for stream in container.streams:
                pairs += list(stream.metadata.items())
            for chapter in container.chapters():
                pairs += list(dict(chapter.get("metadata", {})).items())
            return [(str(name), str(value)) for name, value in pairs]
    except (FFmpegError, IndexError, OSError, ValueError):
        return []


def _opened(path: Path, *, ignore_edit_list: bool = False) -> av.container.InputContainer:
    options = {"ignore_editlist": "1"} if ignore_edit_list else {}
    return strangers.opened_video(path, options)


Luma = npt.NDArray[np.float32]
"""Brightness 0 to 255, shape (height, width)."""


@dataclass(frozen=True)
class Limits:
    """From which likeness and which share of detail on a tile is shown; how they were chosen stands in docs/deid.md."""

    likeness: float
    share: float


PICTURE, LETTERS = Limits(0.5, 0.2), Limits(0.4, 0.06)
"""Letters are read as long as a faint trace of each stroke is left; what is seen in a picture is not."""
SMALLEST_DETAIL = 2.0
"""Standard deviation of detail, in levels of brightness, below which a tile has nothing to show."""


@dataclass(frozen=True)
class Tiles:
    """What each tile of a picture shows; arrays of shape (rows, columns).

    Parameters
    ----------
    counted
        Whether there is any planted detail.
    shown
        Whether it is still to be seen.
    """

    counted: npt.NDArray[np.bool_]
    shown: npt.NDArray[np.bool_]

    @property
    def share(self) -> float:
        """Share of the counted tiles that are shown; NaN when none counts."""
        total = int(self.counted.sum())
        return float(self.shown.sum()) / total if total else float("nan")


def luma(bgr: npt.NDArray[np.uint8]) -> Luma:
    """Return the brightness of a picture, blue first."""
    return cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY).astype(np.float32)


def detail(picture: Luma, side_px: int) -> Luma:
    """Return a picture without its mean over squares of so many pixels."""
    return np.asarray(picture - cv2.blur(picture, (side_px, side_px)), np.float32)


def tiles(
    released: Luma, planted: Luma, clean: Luma | None, row_edges: Sequence[int], column_edges: Sequence[int], limits: Limits = PICTURE
) -> Tiles:
    """Return which tiles of a picture still show what was planted.

    Parameters
    ----------
    released, planted, clean
        Details, as of `detail`, of one shape; ``clean`` is what is in the picture anyway, None: nothing.
    row_edges, column_edges
        Where tiles begin, from 0.
    """

    def summed(values: Luma) -> npt.NDArray[np.float64]:
        rows = np.add.reduceat(values.astype(np.float64), row_edges, axis=0)
        return np.asarray(np.add.reduceat(rows, column_edges, axis=1))

    size = summed(np.ones_like(planted))
    rr, pp, rp = summed(released * released), summed(planted * planted), summed(released * planted)
    if clean is not None:
        cc = summed(clean * clean) + 1e-6
        rc, pc = summed(released * clean), summed(planted * clean)
        rr, pp, rp = rr - rc * rc / cc, pp - pc * pc / cc, rp - rc * pc / cc
    counted = pp >= SMALLEST_DETAIL**2 * size
    safe = np.maximum(pp, 1e-6)
    likeness = rp / np.sqrt(np.maximum(rr, 1e-6) * safe)
    return Tiles(counted, counted & (likeness >= limits.likeness) & (rp / safe >= limits.share))


def edges(length: int, count: int) -> list[int]:
    """Return where ``count`` parts of about the same length begin.

    >>> edges(10, 3)
    [0, 3, 6]
    """
    return [length * part // count for part in range(count)]
