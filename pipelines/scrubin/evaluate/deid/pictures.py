"""What the pictures of one output still show of what was planted, what they lost of everything else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from scrubin.base import pixels
from scrubin.base.pixels import Box
from scrubin.evaluate.deid.key import Item, Key, RecordingKey
from scrubin.evaluate.deid.reading import LETTERS, PICTURE, Bgr, Fingerprints, Luma, Tiles, align, detail, edges, luma, pictures, tiles
from scrubin.evaluate.deid.search import NEARBY, Search, best_likeness, changed_part, cut, is_read, letters_nearby, reader, shows_nothing
from scrubin.evaluate.deid.tool_files import Output, watched
from scrubin.media.frame_reader import FrameReader

SMALL, SMALL_DETAIL_PX = (160, 90), 15
ROWS, COLUMNS = 6, 10
LEAKED_SHARE = 0.1
"""A frame is leaked when at least this share of its tiles is still shown."""
KEPT_SHARE = 0.5
"""A frame of the operation is kept when at least this share of its tiles, those with something planted left out, is shown."""
TEXT_SHARE = 0.25
"""A text is leaked in a frame when at least this share of its windows is shown."""
FACE_PX, FACE_DETAIL_PX, FACE_INNER = 32, 11, 0.7
MEASURED = 200
"""In so many frames of a recording, evenly spread, PSNR and SSIM are measured."""
LOSSLESS_DB = 99.0
OTHER_LEVELS = 16
"""A tile whose mean brightness is off by more shows something else, also where it has no detail."""
SURELY = 0.6
"""A face counts from this likeness on in an orientation or plane in which it was not planted."""
VARIED = 3.0
"""Standard deviation of brightness, in levels, from which on a rectangle may hold letters at another size or place."""
READ_EVERY = 12
"""A text that is not hidden by one colour is given to the reader of text in every so many of its frames."""
BESIDE_PX = 16
"""An encoder's blocks carry what a tool did to a rectangle so far beyond it."""


@dataclass
class Shown:
    """What one output shows of its recording.

    Parameters
    ----------
    leaked
        Item to the source frames in which it is still shown.
    how
        Item to the way in which it was found first, where it was not found as it was planted.
    kept
        Source frames of the operation that are shown, each with the largest share of its tiles.
    time_errors_s
        Of each kept frame: its time in the output less its time in the source.
    mean_square_errors, ssim
        Of single source frames of the operation, where nothing is planted or hidden, against the frame as planted. A frame that is
        shown more than once, as where a tool holds it over a room, counts as the best of them.
    width, height, frames, duration_s
        Of the output.
    """

    width: int = 0
    height: int = 0
    frames: int = 0
    duration_s: float = 0.0
    fps: float = 0.0
    leaked: dict[str, set[int]] = field(default_factory=dict)
    how: dict[str, str] = field(default_factory=dict)
    kept: dict[int, float] = field(default_factory=dict)
    time_errors_s: list[float] = field(default_factory=list)
    mean_square_errors: dict[int, float] = field(default_factory=dict)
    ssim: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class _Source:
    """The pictures of a recording, planted and clean, and its items by frame."""

    recording: RecordingKey
    planted: FrameReader
    clean: FrameReader
    by_frame: dict[int, list[Item]]
    measured: frozenset[int]
    search: Search


def look(key: Key, recording: RecordingKey, output: Output, source: Fingerprints, search: Search) -> Shown:
    """Return what an output shows, frame by frame.

    Parameters
    ----------
    source
        Fingerprints of the recording as planted.
    search
        What is looked for where the recording is not shown.
    """
    if output.main is None:
        return Shown()
    planted = [item for item in key.items_of(recording.name) if item.frames]
    readers = [reader(key, name) for name in (recording.planted, recording.clean)]
    by_frame = _by_frame(planted)
    of_source = _Source(recording, readers[0], readers[1], by_frame, _measured(recording.frame_count, by_frame), search)
    shown = Shown(leaked={item.item: set() for item in planted})
    main = output.main
    _look_through(shown, of_source, output, align(main.fingerprints, main.times_s, source, float(recording.rate)), main.times_s)
    if output.hides_frames:
        # What players pass over is in the file all the same; it is no use to anybody else.
        every = watched(output.path, main.stream, ignore_edit_list=True)
        way = align(every.fingerprints, every.times_s, source, float(recording.rate))
        more = Shown(leaked=shown.leaked, how=shown.how)
        _look_through(more, of_source, output, way, every.times_s, ignore_edit_list=True)
    for one in readers:
        one.close()
    return shown


def _by_frame(items: list[Item]) -> dict[int, list[Item]]:
    by_frame: dict[int, list[Item]] = {}
    for item in items:
        for number in item.frame_numbers:
            by_frame.setdefault(number, []).append(item)
    return by_frame


def _measured(frame_count: int, by_frame: dict[int, list[Item]]) -> frozenset[int]:
    """Return the frames of the operation in which quality is measured."""
    useful = [number for number in range(frame_count) if all(item.boxes for item in by_frame.get(number, []))]
    if not useful:
        return frozenset()
    places = np.linspace(0, len(useful) - 1, min(MEASURED, len(useful))).astype(int)
    return frozenset(useful[place] for place in places)


def _look_through(
    shown: Shown,
    source: _Source,
    output: Output,
    way: npt.NDArray[np.int64],
    times_s: npt.NDArray[np.float64],
    *,
    ignore_edit_list: bool = False,
) -> None:
    stream = output.main.stream.index if output.main else 0
    size = source.recording.width, source.recording.height
    for (time_s, bgr), number in zip(pictures(output.path, stream, ignore_edit_list=ignore_edit_list), way.tolist(), strict=False):
        shown.width, shown.height = bgr.shape[1], bgr.shape[0]
        released = bgr if (shown.width, shown.height) == size else _resized(bgr, size)
        _look_at(shown, source, number, time_s, released)
    shown.frames = len(times_s)
    if len(times_s) > 1:
        frame_s = float(np.median(np.diff(times_s)))
        shown.duration_s, shown.fps = float(times_s[-1]) + frame_s, 1 / frame_s if frame_s else 0.0


def _resized(bgr: Bgr, size: tuple[int, int]) -> Bgr:
    smaller = size[0] < bgr.shape[1]
    return np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA if smaller else cv2.INTER_CUBIC), np.uint8)


def _look_at(shown: Shown, source: _Source, number: int, time_s: float, released: Bgr) -> None:
    """Compare one released frame with the source frame that it shows."""
    items = source.by_frame.get(number, [])
    planted = source.planted.picture(number)
    bright, bright_planted = luma(released), luma(planted)
    small = [np.asarray(cv2.resize(one, SMALL, interpolation=cv2.INTER_AREA), np.float32) for one in (bright, bright_planted)]
    whole = _frame_tiles(*small)
    outside = [item for item in items if not item.boxes]
    boxes = [item.box_at(number) for item in items]
    region: Bgr | None = released
    if outside:
        if whole.counted.any() and whole.share >= LEAKED_SHARE:
            for item in outside:
                shown.leaked[item.item].add(number)
            # A room that is turned is like itself in places: only what is plainly shown needs no search.
            region = None if whole.share >= KEPT_SHARE else region
    else:
        share = _share_beside(whole, boxes, bright.shape)
        # A picture with nothing to see, such as a black one of the source itself, is no loss.
        if not share < KEPT_SHARE:
            shown.kept[number] = max(shown.kept.get(number, 0.0), share if share == share else 1.0)
            shown.time_errors_s.append(time_s - float(number / source.recording.rate))
            changed = changed_part(small[0], small[1], [box for box in boxes if box is not None], (bright.shape[1], bright.shape[0]))
            region = None if changed is None else cut(released, changed)
    clean = source.clean.picture(number) if any(item.boxes and item.kind != "face" for item in items) else None
    for item in items:
        box = item.box_at(number)
        if box is not None:
            how = _how_it_is_shown(item, number, box, released, planted, None if item.kind == "face" else clean)
            if how is not None:
                _note(shown, item, number, how)
    if region is not None:
        for find in source.search.finds(region, items):
            if find.item.kind == "outside":
                # Rooms are alike: what is shown in the place of one is shown of it, whichever it is most like, and so are the people in it.
                frame = number if outside else find.frame
                for item in source.by_frame.get(frame, []):
                    if not item.boxes or item.kind == "face":
                        _note(shown, item, frame, find.how)
            elif find.item.frames:
                _note(shown, find.item, number if find.item in items else find.frame, find.how)
            elif not outside:
                # A room that is shown in its own place is no camera of the room, however alike they are.
                shown.how.setdefault(find.item.item, find.how)
    if number in source.measured and number in shown.kept:
        beside = _beside(boxes, bright.shape) & _left_alone(whole, bright, bright_planted)
        if beside.any():
            error = float(((bright - bright_planted) ** 2)[beside].mean())
            shown.mean_square_errors[number] = min(error, shown.mean_square_errors.get(number, error))
            likeness = float(ssim(bright, bright_planted)[beside].mean())
            shown.ssim[number] = max(likeness, shown.ssim.get(number, likeness))


def _note(shown: Shown, item: Item, number: int, how: str) -> None:
    shown.leaked[item.item].add(number)
    if how:
        shown.how.setdefault(item.item, how)


def _frame_tiles(released: Luma, planted: Luma) -> Tiles:
    small = [detail(one, SMALL_DETAIL_PX) for one in (released, planted)]
    return tiles(small[0], small[1], None, edges(SMALL[1], ROWS), edges(SMALL[0], COLUMNS))


def _share_beside(whole: Tiles, boxes: list[Box | None], shape: tuple[int, ...]) -> float:
    """Return the share of tiles that are shown, without those that a planted box touches."""
    free = np.ones((ROWS, COLUMNS), bool)
    for x, y, w, h in (box for box in boxes if box is not None):
        rows = slice(y * ROWS // shape[0], (y + h - 1) * ROWS // shape[0] + 1)
        free[rows, x * COLUMNS // shape[1] : (x + w - 1) * COLUMNS // shape[1] + 1] = False
    return Tiles(whole.counted & free, whole.shown & free).share


def _how_it_is_shown(item: Item, number: int, box: Box, released: Bgr, planted: Bgr, clean: Bgr | None) -> str | None:
    """Return in which way a rectangle is shown, empty: as it was planted; None: it is hidden."""
    bright, bright_planted = luma(released), luma(planted)
    bright_clean = None if clean is None else luma(clean)
    if item.kind != "text":
        return "" if face_is_shown(bright, bright_planted, bright_clean, box) else _face_undone(box, released, planted, clean)
    if text_share(bright, bright_planted, bright_clean, box) >= TEXT_SHARE:
        return ""
    return _text_undone(item, number, box, released, planted, clean)


def _text_undone(item: Item, number: int, box: Box, released: Bgr, planted: Bgr, clean: Bgr | None) -> str | None:
    x, y, w, h = box
    # Encoding mixes the colours of a rectangle's edge with those beside it.
    inner = (x + 1, y + 1, w - 2, h - 2)
    own = cut(released, inner)
    if shows_nothing(own):
        return None
    edge = min(4, h // 4)
    varied = float(luma(cut(released, (x + edge, y + edge, w - 2 * edge, h - 2 * edge))).std()) >= VARIED
    side = max(3, h // 2 | 1)
    likeness, share, orientation = best_likeness(own, cut(planted, inner), None if clean is None else cut(clean, inner), side, h / 4)
    if likeness >= LETTERS.likeness and share >= LETTERS.share:
        return f"{orientation}, whatever its levels"
    letters = luma(cut(planted, box)) - (0 if clean is None else luma(cut(clean, box)))
    near = cut(released, (x - h, y - h // 2, w + 2 * h, 2 * h))
    if varied and letters_nearby(luma(near), letters, side) >= NEARBY:
        return "at another place"
    if varied and (number - item.frames[0][0]) % READ_EVERY == 0 and is_read(near, item.text):
        return "it is read"
    return None


def _face_undone(box: Box, released: Bgr, planted: Bgr, clean: Bgr | None) -> str | None:
    window = _inner(box)
    if shows_nothing(released[window]):
        return None
    parts = [
        np.asarray(cv2.resize(one[window], (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA), np.uint8)
        for one in (released, planted, *(() if clean is None else (clean,)))
    ]
    likeness, share, orientation = best_likeness(
        parts[0], parts[1], parts[2] if clean is not None else None, FACE_DETAIL_PX, FACE_DETAIL_PX / 2
    )
    return f"{orientation}, whatever its levels" if likeness >= SURELY and share >= PICTURE.share else None


def text_share(released: Luma, planted: Luma, clean: Luma | None, box: Box) -> float:
    """Return the share of a text's windows, each about as wide as its box is high, that still show it; 0 where there is no text."""
    side = max(3, box[3] // 2 | 1)
    parts = [_cut(picture, box, side) for picture in _with_difference(released, planted, clean)]
    inner = np.s_[side : side + box[3], side : side + box[2]]
    windows = edges(box[2], max(1, round(box[2] / box[3])))
    seen = tiles(parts[0][inner], parts[1][inner], parts[2][inner], [0], windows, LETTERS)
    return seen.share if seen.counted.any() else 0.0


def face_is_shown(released: Luma, planted: Luma, clean: Luma | None, box: Box) -> bool:
    """Return whether the inner part of a face's box still shows the face."""
    window = _inner(box)
    pictures_ = [released, planted] if clean is None else _with_difference(released, planted, clean)
    small = [
        detail(np.asarray(cv2.resize(one[window], (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA)), FACE_DETAIL_PX) for one in pictures_
    ]
    return bool(tiles(small[0], small[1], small[2] if clean is not None else None, [0], [0]).shown.any())


def _inner(box: Box) -> tuple[slice, slice]:
    """Return where the inner part of a face's box is."""
    x, y, w, h = box
    inner_w, inner_h = max(8, int(w * FACE_INNER)), max(8, int(h * FACE_INNER))
    left, top = x + (w - inner_w) // 2, y + (h - inner_h) // 2
    return np.s_[max(top, 0) : top + inner_h, max(left, 0) : left + inner_w]


def _with_difference(released: Luma, planted: Luma, clean: Luma | None) -> list[Luma]:
    """Return the released picture, what was planted alone, and the clean picture."""
    below = np.zeros_like(planted) if clean is None else clean
    return [released, planted - below, below]


def _cut(picture: Luma, box: Box, margin: int) -> Luma:
    """Return the detail of a box with a margin on all sides; beyond the picture it goes on as at its edge."""
    x, y, w, h = box
    wide = cv2.copyMakeBorder(picture, margin, margin, margin, margin, cv2.BORDER_REPLICATE)
    return detail(np.asarray(wide[y : y + h + 2 * margin, x : x + w + 2 * margin], np.float32), margin)


def _beside(boxes: list[Box | None], shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Return which pixels are at least ``BESIDE_PX`` away from everything planted."""
    free = np.ones(shape[:2], bool)
    for x, y, w, h in (box for box in boxes if box is not None):
        free[max(0, y - BESIDE_PX) : y + h + BESIDE_PX, max(0, x - BESIDE_PX) : x + w + BESIDE_PX] = False
    return free


def _left_alone(whole: Tiles, released: Luma, planted: Luma) -> npt.NDArray[np.bool_]:
    """Return which pixels lie in tiles that are shown, and whose neighbours are: what else is hidden is lost area, not lost quality."""
    height, width = planted.shape
    means = [cv2.resize(one, (COLUMNS, ROWS), interpolation=cv2.INTER_AREA) for one in (released, planted)]
    lost = (whole.counted & ~whole.shown) | (np.abs(means[0] - means[1]) > OTHER_LEVELS)
    wide = cv2.dilate(lost.astype(np.uint8), np.ones((3, 3), np.uint8))
    return np.asarray(cv2.resize(wide, (width, height), interpolation=cv2.INTER_NEAREST) == 0)


def ssim(a: Luma, b: Luma) -> npt.NDArray[np.float64]:
    """Return the structural similarity of two pictures around each pixel (Wang et al. 2004, equation 13).

    The window is Gaussian, of 11 px with a standard deviation of 1.5.
    """
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2

    def blurred(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.asarray(cv2.GaussianBlur(values, (11, 11), 1.5), np.float64)

    x, y = a.astype(np.float64), b.astype(np.float64)
    mean_x, mean_y = blurred(x), blurred(y)
    var_x, var_y, cov = blurred(x * x) - mean_x**2, blurred(y * y) - mean_y**2, blurred(x * y) - mean_x * mean_y
    above = (2 * mean_x * mean_y + c1) * (2 * cov + c2)
    return np.asarray(above / ((mean_x**2 + mean_y**2 + c1) * (var_x + var_y + c2)))


def psnr_db(mean_square_errors: Collection[float]) -> float:
    """Return the peak signal-to-noise ratio of the mean error of several frames, at most 99 dB; NaN without frames."""
    if not mean_square_errors:
        return float("nan")
    error = float(np.mean(list(mean_square_errors)))
    return LOSSLESS_DB if error == 0 else min(LOSSLESS_DB, float(10 * np.log10(255**2 / error)))


def covered(kept: Iterator[int] | list[int], frame_count: int, reach: int) -> npt.NDArray[np.bool_]:
    """Return which source frames have a kept one no more than ``reach`` frames away."""
    near = np.zeros(frame_count, bool)
    for number in kept:
        near[max(0, number - reach) : number + reach + 1] = True
    return near


def look_beside(outputs: Iterable[Output], images: Iterable[Path], searches: Mapping[str, Search]) -> dict[str, tuple[set[int], str]]:
    """Return what all other pictures show: further streams, covers, files that show no recording, and images.

    Returns
    -------
    dict
        Item to its frames that are shown there, and where.
    """
    seen: dict[str, tuple[set[int], str]] = {}
    for one in outputs:
        for further in one.further:
            for _, bgr in pictures(one.path, further.stream.index):
                _look_for(seen, bgr, f"stream {further.stream.index} of {one.name}", searches)
    for path in images:
        picture = pixels.read_picture(path)
        if picture is not None:
            _look_for(seen, np.asarray(picture, np.uint8), path.name, searches)
    return seen


def _look_for(seen: dict[str, tuple[set[int], str]], bgr: Bgr, where: str, searches: Mapping[str, Search]) -> None:
    for search in searches.values():
        for find in search.finds(bgr, ()):
            frames, _ = seen.setdefault(find.item.item, (set(), f"{where}: {find.how}"))
            if find.frame >= 0:
                frames.add(find.frame)
