"""Random masks of a few videos, as arrays of pixels and as the study that metrics take."""

import contextlib
import io
import math
from dataclasses import dataclass

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from scrubin.evaluate.metrics.masks import MaskRows, MaskStudy
from scrubin.labels.masks import polygons, rle

CLASSES = 3
LENGTHS = (4, 3, 5)
HEIGHT, WIDTH = 120, 160


@dataclass
class Instance:
    """One instance: frame among all, class, confidence, pixels, crowd, stated area (None: that of the mask)."""

    place: int
    class_: int
    score: float
    pixels: np.ndarray
    crowd: bool = False
    area: float | None = None


def drawn(seed, *, crowds=True, overlapping=True, lengths=LENGTHS, sized=(HEIGHT, WIDTH)):
    """Return annotated and predicted instances: predictions near annotated ones, somewhere else, of another class, or none at all.

    Where they do not overlap, a pixel is of the first instance that has it.
    """
    rng = np.random.default_rng(seed)
    truth, found = [], []
    for place in range(sum(lengths)):
        for _ in range(int(rng.integers(0, 5))):
            pixels = shape(rng, *sized)
            crowd = crowds and rng.random() < 0.2
            area = float(pixels.sum() * rng.uniform(0.4, 1.4)) if rng.random() < 0.3 else None
            class_ = int(rng.integers(0, CLASSES))
            truth.append(Instance(place, class_, 1.0, pixels, crowd, area))
            for _ in range(int(rng.integers(0, 3))):
                moved = np.roll(pixels, tuple(rng.integers(-4, 5, 2)), (0, 1))
                found.append(Instance(place, class_ if rng.random() < 0.8 else int(rng.integers(0, CLASSES)), float(rng.random()), moved))
        for _ in range(int(rng.integers(0, 2))):
            found.append(Instance(place, int(rng.integers(0, CLASSES)), float(rng.random()), shape(rng, *sized)))
    for side in () if overlapping else (truth, found):
        taken = np.zeros((sum(lengths), *sized), bool)
        for one in side:
            one.pixels = one.pixels & ~taken[one.place]
            taken[one.place] |= one.pixels
    return truth, found


def shape(rng, height, width):
    """A polygon around a point, a rectangle, or once in a while nothing."""
    kind = rng.random()
    if kind < 0.05:
        return np.zeros((height, width), bool)
    at = rng.uniform(0, 1, 2) * (width, height)
    size = float(rng.choice([6, 15, 33, 50]))
    if kind < 0.3:
        pixels = np.zeros((height, width), bool)
        left, top = (int(one) for one in at)
        pixels[top : top + int(size), left : left + int(size)] = True
        return pixels
    angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 9))))
    outline = at + np.stack([np.cos(angles), np.sin(angles)], axis=1) * size
    return rle.picture(polygons.runs_of_polygons([outline], height, width), height, width)


def with_void(seed, sized):
    """Return annotated and predicted instances that do not overlap, some empty, at most one crowd of a class in a frame, and what is not
    counted in each frame, (frames, height, width): a polygon, half of the picture, all of it, or nothing."""
    truth, found = drawn(seed, overlapping=False, sized=sized)
    seen = set()
    for one in truth:
        one.crowd = one.crowd and (one.place, one.class_) not in seen
        seen |= {(one.place, one.class_)} if one.crowd else set()
    # An empty mask is of no pixel of a picture of segments.
    truth, found = ([one for one in side if one.pixels.any()] for side in (truth, found))
    rng = np.random.default_rng(100_000 + seed)
    void = np.zeros((sum(LENGTHS), *sized), bool)
    for place in range(sum(LENGTHS)):
        kind = rng.random()
        if kind < 0.7:
            void[place] = shape(rng, *sized)
        elif kind < 0.85:
            void[place, :, : sized[1] // 2] = True
        elif kind < 0.9:
            void[place] = True
    return truth, found, void


def study(truth, found, lengths=LENGTHS, sized=(HEIGHT, WIDTH), classes=CLASSES, void=()):
    """Return both sides as metrics take them, of the component ``i``; ``void`` is what is not counted in each frame."""
    starts = np.concatenate([[0], np.cumsum(lengths)])
    images = np.tile([sized[1], sized[0]], (int(starts[-1]), 1))
    ignored = {place: rle.text_of_runs(rle.runs_of_picture(pixels)) for place, pixels in enumerate(void) if pixels.any()}
    return MaskStudy(tuple("abcdefgh"[: len(lengths)]), starts, {"i": classes}, images, rows(truth), rows(found), ignored=ignored)


def rows(side):
    ordered = sorted(side, key=lambda one: one.place)
    return MaskRows(
        np.array([one.place for one in ordered], np.int64),
        {"i": np.array([one.class_ for one in ordered], np.int64)},
        [rle.text_of_runs(rle.runs_of_picture(one.pixels)) for one in ordered],
        np.array([one.score for one in ordered], float),
        np.array([one.crowd for one in ordered], bool),
        np.array([np.nan if one.area is None else one.area for one in ordered], float),
    )


def outline(mask):
    """The pixels of a mask with a side to the outside, one by one."""
    inside = {(int(y), int(x)) for y, x in zip(*np.nonzero(mask), strict=True)}
    return [(y, x) for y, x in sorted(inside) if {(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)} - inside]


def ways(ones, others):
    return np.array([min(math.dist(one, other) for other in others) for one in ones])


def by_hand(truth, found, tolerance):
    """Dice, IoU, NSD and HD95 of two masks, by their definitions."""
    if not truth.any() and not found.any():
        return [math.nan] * 4
    if not truth.any() or not found.any():
        return [0, 0, 0, math.dist((0, 0), truth.shape)]
    there, back = ways(outline(truth), outline(found)), ways(outline(found), outline(truth))
    near = ((there <= tolerance).sum() + (back <= tolerance).sum()) / (len(there) + len(back))
    shared = (truth & found).sum()
    return [
        2 * shared / (truth.sum() + found.sum()),
        shared / (truth | found).sum(),
        near,
        max(np.percentile(there, 95), np.percentile(back, 95)),
    ]


def published(truth, found):
    """The twelve numbers that pycocotools prints, -1 where it has none."""
    images = [{"id": place, "width": WIDTH, "height": HEIGHT} for place in range(sum(LENGTHS))]
    categories = [{"id": class_, "name": str(class_)} for class_ in range(CLASSES)]
    annotations = [
        {
            "id": number + 1,
            "image_id": one.place,
            "category_id": one.class_,
            "iscrowd": int(one.crowd),
            "segmentation": segmentation(one),
            "area": float(one.pixels.sum()) if one.area is None else one.area,
            "bbox": [0, 0, 1, 1],
        }
        for number, one in enumerate(truth)
    ]
    data = COCO()
    data.dataset = {"images": images, "categories": categories, "annotations": annotations}
    of_found = [{"image_id": one.place, "category_id": one.class_, "score": one.score, "segmentation": segmentation(one)} for one in found]
    with contextlib.redirect_stdout(io.StringIO()):
        data.createIndex()
        evaluation = COCOeval(data, data.loadRes(of_found), "segm")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation.stats


def segmentation(one):
    return {"size": list(one.pixels.shape), "counts": rle.text_of_runs(rle.runs_of_picture(one.pixels))}
