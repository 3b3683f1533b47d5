"""Which detection finds which annotated box, by the overlap of boxes.

CholecT50 splits and ivtmetrics paper, section 3.3, equations 4 and 6: a detection is true when its class is right and its
IoU with the annotated box is at least theta. The paper leaves open which box a detection takes when several would do. Here
detections of a class take turns in a frame by confidence, and each takes the box not yet taken of the largest IoU. Detections of equal
confidence have their turn together: of all their boxes the pair of the largest IoU is first, so that who lies further left does not decide.
Only where these IoUs are equal, too, coordinates do.

Frames do not touch each other, so that all detections whose turn is the same are matched at once. No function changes its input: the
published conversion to corners in place makes perfect predictions score 0.73 (see `compat_common.QUIRKS`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.detection import BoolArray, Boxes, FloatArray, IntArray, Scene, taken
from scrubin.evaluate.metrics.inputs import unmasked


def corners(boxes: npt.ArrayLike) -> FloatArray:
    """Return left, top, right, bottom (..., 4) of left, top, width, height (..., 4) as a new array."""
    values = np.asarray(unmasked(boxes, "the boxes"), dtype=np.float64)
    if values.shape[-1:] != (4,):
        raise MetricsError(f"boxes have the shape {values.shape}; the last axis must be left, top, width, height")
    return np.concatenate([values[..., :2], values[..., :2] + values[..., 2:]], axis=-1)


def iou(one: npt.ArrayLike, other: npt.ArrayLike) -> FloatArray:
    """Return the intersection over union of boxes, pair by pair.

    Parameters
    ----------
    one, other
        (..., 4), left, top, width, height; broadcast against each other.

    Returns
    -------
    FloatArray
        (...), 0 to 1; 1 for equal boxes exactly. A degenerate box, whose width or height is not positive, overlaps nothing: 0.

    Raises
    ------
    MetricsError
        When the last axis is not 4 long.

    >>> iou([0, 0, 2, 2], [[1, 0, 2, 2], [0, 0, 2, 2], [0, 0, 2, 0]]).round(4).tolist()
    [0.3333, 1.0, 0.0]
    """
    return of_corners(corners(one), corners(other))


def of_corners(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the intersection over union of boxes given by their corners (..., 4)."""
    # All sizes are differences of corners, so that equal boxes have equal areas to the last bit.
    inside = np.minimum(one[..., 2:], other[..., 2:]) - np.maximum(one[..., :2], other[..., :2])
    shared = np.maximum(inside[..., 0], 0) * np.maximum(inside[..., 1], 0)
    union = _area(one) + _area(other) - shared
    overlap = np.zeros(shared.shape)
    np.divide(shared, union, out=overlap, where=shared > 0)
    return overlap


def _area(box: FloatArray) -> FloatArray:
    sides = np.maximum(box[..., 2:] - box[..., :2], 0)
    area: FloatArray = sides[..., 0] * sides[..., 1]
    return area


@dataclass(frozen=True, eq=False)
class Pairs:
    """Detections and annotated boxes that may belong together, in the order in which they are tried.

    Parameters
    ----------
    detections, truths
        (pairs,), rows of the two sides.
    overlaps
        (pairs,), IoU.
    turns
        (turns + 1,), where each turn begins. No box is wanted twice in a turn by detections of different groups.
    """

    detections: IntArray
    truths: IntArray
    overlaps: FloatArray
    turns: IntArray


@dataclass(frozen=True, eq=False)
class Matching:
    """Outcome of a matching.

    Parameters
    ----------
    partners
        (detections,), row of the box that each has found, or -1.
    taken
        (annotated boxes,), whether each was found.
    """

    partners: IntArray
    taken: BoolArray

    @property
    def hits(self) -> BoolArray:
        """Whether each detection has found a box (detections,)."""
        return self.partners >= 0


def ranked(scene: Scene) -> Scene:
    """Return the scene with detections of a frame by falling score, equal ones by their coordinates.

    Ties are thereby broken by what the boxes are, never by the order of rows; `equal_together` asks for the IoU first.
    """
    if "ranked" not in scene.memo:
        detections = scene.predictions
        falling = detections.taken(np.lexsort((-detections.scores, detections.places)))
        if _has_ties(falling):
            falling = falling.taken(np.lexsort((*falling.boxes.T[::-1], -falling.scores, falling.places)))
        one = Scene(scene.names, scene.sizes, scene.starts, scene.truth, falling)
        # It is its own ranking.
        scene.memo["ranked"] = one.memo["ranked"] = one
    known: Scene = scene.memo["ranked"]
    return known


def draw(scene: Scene, videos: IntArray) -> Scene:
    """Return the videos at these positions, which may repeat: a resample for the bootstrap.

    What is decided within a frame or a video is taken from the scene given, where it is decided once for all draws.

    Parameters
    ----------
    scene
        As `rows.checked` returns it.
    videos
        (videos,), positions in `scene.names`.
    """
    one = taken(ranked(scene), videos)
    # Frames are copied whole, so they stay ranked.
    one.memo["ranked"] = one
    return one


def _has_ties(falling: Boxes) -> bool:
    """Return whether a frame holds equal scores, of rows by frame and falling score."""
    return bool(((falling.scores[1:] == falling.scores[:-1]) & (falling.places[1:] == falling.places[:-1])).any())


def keys(side: Boxes, component: str, size: int) -> IntArray:
    """Return one number per frame and class (rows,)."""
    return side.places * size + side.classes[component]


def joined(left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
    """Return positions of all pairs with equal keys, by position on the left, then on the right."""
    order = np.argsort(right, kind="stable")
    bounds = run_bounds(right[order])
    run, equal = _runs_of(left, right[order][bounds[:-1]])
    first, counts = bounds[run], np.where(equal, np.diff(bounds, append=bounds[-1])[run], 0)
    ones = np.repeat(np.arange(len(left)), counts)
    within = np.arange(len(ones)) - np.repeat(np.cumsum(counts) - counts, counts)
    return ones, order[np.repeat(first, counts) + within]


def occurring(left: IntArray, right: IntArray) -> BoolArray:
    """Return which keys on the left occur on the right."""
    return _runs_of(left, np.sort(right))[1]


def run_bounds(ordered: IntArray) -> IntArray:
    """Return where runs of equal values begin, and the end of the last."""
    begins = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.concatenate([np.zeros(1, dtype=np.int64), begins, np.full(min(len(ordered), 1), len(ordered))])


def _runs_of(left: IntArray, ordered: IntArray) -> tuple[IntArray, BoolArray]:
    """Return where each key is or would be in an ordered list, and whether it is there."""
    at = np.searchsorted(ordered, left)
    inside = at < len(ordered)
    equal = np.zeros(len(left), dtype=np.bool_)
    equal[inside] = ordered[at[inside]] == left[inside]
    return at, equal


def turns_of(groups: IntArray) -> IntArray:
    """Return how many rows of its group come before each row (rows,)."""
    order = np.argsort(groups, kind="stable")
    bounds = run_bounds(groups[order])
    turns = np.empty(len(groups), dtype=np.int64)
    turns[order] = np.arange(len(groups)) - np.repeat(bounds[:-1], np.diff(bounds))
    return turns


def turns_of_equal(side: Boxes, component: str, size: int) -> IntArray:
    """Return how many rows of the same frame, class and score come before each row (rows,)."""
    if not _has_ties(side):
        return np.zeros(len(side), dtype=np.int64)
    of_classes = keys(side, component, size)
    order = np.lexsort((side.scores, of_classes))
    classes, scores = of_classes[order], side.scores[order]
    groups = np.empty(len(side), dtype=np.int64)
    groups[order] = np.cumsum(np.concatenate([[False], (classes[1:] != classes[:-1]) | (scores[1:] != scores[:-1])]))
    return turns_of(groups)


def pairs_of(ones: IntArray, others: IntArray, overlaps: FloatArray, turns: IntArray) -> Pairs:
    """Return pairs by turn, keeping their order within a detection.

    Parameters
    ----------
    ones, others, overlaps
        (pairs,), as of `Pairs`.
    turns
        (detections,), when it is the turn of each detection.
    """
    return _by_turn(ones, others, overlaps, turns[ones])


def _by_turn(ones: IntArray, others: IntArray, overlaps: FloatArray, when: IntArray) -> Pairs:
    """Return pairs by their turns (pairs,), in each turn as they stand."""
    order = np.argsort(when, kind="stable")
    when = when[order]
    rounds = int(when[-1]) + 1 if len(when) else 0
    return Pairs(ones[order], others[order], overlaps[order], np.searchsorted(when, np.arange(rounds + 1)))


def best_first(scene: Scene, component: str) -> Pairs:
    """Return pairs of one frame and class, for each detection by falling IoU; the scene must be `ranked`."""
    size = scene.size(component)
    if ("pairs", component) not in scene.memo:
        of_detections = keys(scene.predictions, component, size)
        ones, others = joined(of_detections, keys(scene.truth, component, size))
        scene.memo["pairs", component] = by_overlap(scene, ones, others, turns_of(of_detections))
    pairs: Pairs = scene.memo["pairs", component]
    return pairs


def by_overlap(scene: Scene, ones: IntArray, others: IntArray, turns: IntArray) -> Pairs:
    """Return pairs by turn, for each detection by falling IoU, equal ones by the coordinates of the annotated box."""
    overlaps = of_corners(corners(scene.predictions.boxes)[ones], corners(scene.truth.boxes)[others])
    order = np.lexsort((-overlaps, ones))
    before, after = order[:-1], order[1:]
    # Without overlap any box will do.
    if ((ones[after] == ones[before]) & (overlaps[after] == overlaps[before]) & (overlaps[after] > 0)).any():
        order = np.lexsort((*scene.truth.boxes[others].T[::-1], -overlaps, ones))
    return pairs_of(ones[order], others[order], overlaps[order], turns)


def equal_together(scene: Scene, component: str) -> Pairs:
    """Return pairs of one frame and class as `best_first` does, but of equal confidences by falling IoU of them all, a turn for each pair.

    Pairs that do not overlap are left out where there are such.
    """
    pairs, size = best_first(scene, component), scene.size(component)
    before = turns_of_equal(scene.predictions, component, size)
    if not before.any():
        return pairs
    if ("equal together", component) not in scene.memo:
        of_detections = keys(scene.predictions, component, size)
        turns = turns_of(of_detections)
        # The turn of the first of equals stands for all of them.
        first = turns - before
        groups = of_detections * (int(first.max()) + 1) + first
        is_shared = np.isin(groups, groups[before > 0])
        kept = pairs.overlaps > 0
        ones, others, overlaps = pairs.detections[kept], pairs.truths[kept], pairs.overlaps[kept]
        # Rows are by coordinates where confidences are equal, see `ranked`.
        order = np.lexsort((*scene.truth.boxes[others].T[::-1], ones, -overlaps, groups[ones]))
        ones, others, overlaps = ones[order], others[order], overlaps[order]
        begins = np.concatenate([[True], groups[ones][1:] != groups[ones][:-1]]) | is_shared[ones] if len(ones) else np.zeros(0, np.bool_)
        number, bounds = np.cumsum(begins), run_bounds(of_detections[ones])
        when: IntArray = number - np.repeat(number[bounds[:-1]], np.diff(bounds))
        scene.memo["equal together", component] = _by_turn(ones, others, overlaps, when)
    together: Pairs = scene.memo["equal together", component]
    return together


def taken_in_turn(pairs: Pairs, eligible: BoolArray, before: Matching) -> Matching:
    """Let each detection take the first eligible box that is free.

    Parameters
    ----------
    pairs
        What may belong together.
    eligible
        (pairs,), which of them will do.
    before
        Detections that are served, and boxes that are taken, already; not changed.
    """
    partners, taken = before.partners.copy(), before.taken.copy()
    for begin, end in zip(pairs.turns[:-1].tolist(), pairs.turns[1:].tolist(), strict=True):
        ones, others = pairs.detections[begin:end], pairs.truths[begin:end]
        free = np.flatnonzero(eligible[begin:end] & ~taken[others] & (partners[ones] < 0))
        if not len(free):
            continue
        ones, others = ones[free], others[free]
        # Pairs of a detection are together: its first is its choice.
        chosen = np.flatnonzero(np.concatenate([[True], ones[1:] != ones[:-1]]))
        partners[ones[chosen]] = others[chosen]
        taken[others[chosen]] = True
    return Matching(partners, taken)


def nothing_yet(scene: Scene) -> Matching:
    """Return that no detection has found anything."""
    return Matching(np.full(len(scene.predictions), -1, dtype=np.int64), np.zeros(len(scene.truth), dtype=np.bool_))


def matched(scene: Scene, component: str, thresholds: Sequence[float]) -> BoolArray:
    """Return which detections are true at each threshold, matched anew at each.

    Parameters
    ----------
    scene
        As `ranked` returns it.
    component
        Whose classes must agree.
    thresholds
        Least IoUs, above 0 to 1.

    Returns
    -------
    BoolArray
        (thresholds, detections).
    """
    by_threshold = [hits_at(scene, component, threshold) for threshold in thresholds]
    return np.stack(by_threshold) if by_threshold else np.zeros((0, len(scene.predictions)), dtype=np.bool_)


def hits_at(scene: Scene, component: str, threshold: float) -> BoolArray:
    """Return which detections are true at one threshold (detections,)."""
    if scene.drawn:
        return hits_at(scene.drawn.source, component, threshold)[scene.drawn.predictions]
    if ("hits", component, threshold) not in scene.memo:
        pairs = equal_together(scene, component)
        scene.memo["hits", component, threshold] = taken_in_turn(pairs, pairs.overlaps >= threshold, nothing_yet(scene)).hits
    hits: BoolArray = scene.memo["hits", component, threshold]
    return hits


def check_threshold(threshold: float) -> float:
    """Return a threshold of the IoU; raises `MetricsError` when it is not above 0 and at most 1."""
    number = not isinstance(threshold, bool) and isinstance(threshold, int | float | np.number)
    if not (number and 0 < threshold <= 1):
        raise MetricsError(f"the IoU threshold is {threshold}; it must be above 0 and at most 1, such as 0.5")
    return float(threshold)
