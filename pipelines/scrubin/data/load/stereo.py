"""Pairs of frames: both pictures of one number, as they were recorded or rectified."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.errors import ReleaseError
from scrubin.data.load.frames import FrameDataset, IndexedDataset, Item, Several
from scrubin.data.load.instances import IGNORED, InstanceLabel, MarkLabel
from scrubin.data.load.labelling import Boxes, Fields, Label, Matrix, Phase
from scrubin.data.load.rows import BoolArray, FrameRows, IntArray
from scrubin.data.load.sources import Picture, PictureSource
from scrubin.media.rigs import written_rig
from scrubin.media.rigs.rig import Map, Rectification, Rig, Side, apart, opencv, rectification, rectified, seen


@dataclass(frozen=True, repr=False)
class StereoDataset(IndexedDataset):
    """Pairs of frames.

    Parameters
    ----------
    left, right
        Frames of each camera, in the same order.
    left_out
        How many pairs are not in it, by reason: ``hidden``, ``unpaired`` (frames without the other one), and where there are such,
        ``apart`` (of two instants), ``unlabelled``, ``uncalibrated``.
    """

    left: FrameDataset
    right: FrameDataset
    left_out: Mapping[str, int]

    @classmethod
    def of(cls, left: FrameDataset, right: FrameDataset, fps: Mapping[str, float], *, include_hidden: bool) -> StereoDataset:
        """Return the pairs of two data sets, each of one camera; ``fps`` are the frames a second of the slower one, by id."""
        keys = ["id", "frame"]
        numbered = [side.table.assign(place=np.arange(len(side)))[[*keys, "place", "hidden", "time_s"]] for side in (left, right)]
        pairs = numbered[0].merge(numbered[1], on=keys, suffixes=("_left", "_right")).sort_values(keys)
        hidden = (pairs["hidden_left"] | pairs["hidden_right"]).to_numpy()
        shown = pairs[~hidden | include_hidden]
        left_out = {"hidden": len(pairs) - len(shown), "unpaired": len(left) + len(right) - 2 * len(pairs)}
        left_s, right_s = (shown[f"time_s_{side}"].to_numpy(np.float64) for side in ("left", "right"))
        kept = shown[~apart(left_s, right_s, shown["id"].map(fps).to_numpy(np.float64))]
        if len(kept) < len(shown):
            left_out["apart"] = len(shown) - len(kept)
        return cls(left[kept["place_left"].to_numpy()], right[kept["place_right"].to_numpy()], left_out)

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.left)

    def item(self, index: int) -> Item:
        """Return a pair: ``left`` and ``right`` are the pictures; everything else is of the left frame, which labels refer to."""
        one, other = self.left[index], self.right[index]
        pair = {"left": one.pop("image"), "right": other["image"], **one, "hidden": one["hidden"] or other["hidden"]}
        del pair["camera"]
        return pair

    def part(self, several: Several) -> StereoDataset:
        """Return some of the pairs."""
        return replace(self, left=self.left[several], right=self.right[several])

    def labelled(self) -> StereoDataset:
        """Return the pairs of which the left frame has all labels; others are counted as ``unlabelled``."""
        known = np.ones(len(self), np.bool_)
        for label in self.left.labels:
            known &= label.known[self.left.order]
        return replace(self[known], left_out={**self.left_out, "unlabelled": int((~known).sum())})

    def __repr__(self) -> str:
        left_out = ", ".join(f"{count} {why}" for why, count in self.left_out.items())
        return f"StereoDataset({len(self)} pairs of {self.left.name}; left out: {left_out})"

    @property
    def classes(self) -> dict[str, tuple[str, ...]]:
        """Names of the classes of each label, in the order of columns or ids."""
        return self.left.classes

    @property
    def table(self) -> pd.DataFrame:
        """Which frames these are, one row per pair; no picture is read."""
        return self.left.table.drop(columns="camera")


MOST_MAPS = 16


@dataclass(frozen=True)
class RectifiedSource:
    """Pictures of another source, rectified.

    Parameters
    ----------
    source
        Of the pictures as they were recorded.
    rigs
        By id of the recording.
    alpha
        0: no black border; 1: no pixel is lost.
    """

    source: PictureSource
    rigs: Mapping[str, Rig]
    alpha: float

    def picture(self, row: int, rows: FrameRows) -> Picture:
        """Return the picture, rectified at its own size.

        Raises
        ------
        ReleaseError
            When the picture is of another shape than the calibration.
        """
        picture = self.source.picture(row, rows)
        id_, side = rows.ids[rows.recording[row]], "left" if rows.camera[row].as_py() == "left" else "right"
        height, width = picture.shape[:2]
        return rectified(picture, _maps(_way(self.rigs, id_, self.alpha, (width, height)), side))


@dataclass(frozen=True)
class RectifiedLabel:
    """Boxes, masks, points or tracks of the left frames, where they lie in the rectified pictures.

    Parameters
    ----------
    label
        As they lie in the recorded pictures.
    rows
        The frames, for the size of their pictures.
    rigs
        By id of the recording.
    alpha
        0: no black border; 1: no pixel is lost.
    """

    label: Boxes | InstanceLabel
    rows: FrameRows
    rigs: Mapping[str, Rig]
    alpha: float

    @property
    def name(self) -> str:
        """What it is called."""
        return self.label.name

    @property
    def classes(self) -> tuple[str, ...]:
        """Names in the order of columns or ids."""
        return self.label.classes

    @property
    def known(self) -> BoolArray:
        """(n,), whether anything of it is labelled, per row."""
        return self.label.known

    def of(self, row: int) -> Fields:
        """Return the values and the mask of a row; an instance that lies outside of the rectified picture altogether is left out.

        Raises
        ------
        ReleaseError
            When the picture is of another shape than the calibration.
        """
        fields = self.label.of(row)
        # An empty frame, too, has pixels that are not counted.
        if self.name == "tracks" or (self.name != "masks" and not len(fields[self.name])):
            return fields
        size = int(self.rows.width[row]), int(self.rows.height[row])
        way = _way(self.rigs, self.rows.ids[self.rows.recording[row]], self.alpha, size)
        if self.name == "points":
            return fields | {"points": _points(fields["points"], way)}
        if self.name == "masks":
            fields["masks"], fields[f"masks{IGNORED}"] = _masks(fields["masks"], fields[f"masks{IGNORED}"], _maps(way, "left"))
            kept = fields["masks"].any(axis=(1, 2))
        else:
            fields["boxes"], kept = _boxes(fields["boxes"], way)
        beside = (name for name in fields if name in (self.name, *(f"{self.name}_{of}" for of in ("triplets", "instruments", "instances"))))
        return fields | {name: fields[name][kept] for name in beside}

    def of_all(self, rows: IntArray) -> tuple[list[Any], BoolArray]:
        """Return the values of each row, and whether it is labelled, (n,)."""
        return [self.of(int(row))[self.name] for row in rows], self.known[rows]

    def where(self, chosen: BoolArray) -> RectifiedLabel:
        """Return it for some of the rows."""
        return replace(self, label=self.label.where(chosen), rows=self.rows.where(chosen))


def _rectified_label(label: Label, rows: FrameRows, rigs: Mapping[str, Rig], alpha: float) -> Label:
    """Return a label as it is in rectified pictures; those of the whole frame have no place in it."""
    if isinstance(label, Boxes | InstanceLabel):
        return RectifiedLabel(label, rows, rigs, alpha)
    if isinstance(label, Matrix | Phase | MarkLabel):
        return label
    raise ValueError(f"labels '{label.name}' cannot be rectified: take them with rectified=None")


Places = npt.NDArray[np.float64]
EDGE_STEPS = 16
"""Pieces of each edge of a box: its outline is bent by a lens."""
HALF_PX = 0.5


def _boxes(boxes: npt.NDArray[np.float32], way: Rectification) -> tuple[npt.NDArray[np.float32], BoolArray]:
    """Return the boxes around rectified outlines of boxes, cut at the edge of the picture, and which of them lie in it; shares, (m, 4)."""
    steps = np.arange(EDGE_STEPS) / EDGE_STEPS
    none, one = np.zeros(EDGE_STEPS), np.ones(EDGE_STEPS)
    outline = np.stack([np.concatenate([steps, one, 1 - steps, none]), np.concatenate([none, steps, one, 1 - steps])], axis=1)
    shares = boxes[:, None, :2].astype(np.float64) + outline * boxes[:, None, 2:]
    moved = _moved(shares.reshape(-1, 2), way).reshape(shares.shape)
    first, last = np.zeros((len(boxes), 2)), np.zeros((len(boxes), 2))
    for number, whole in enumerate(moved):
        # Cut before it is measured: what lies beyond one edge of the picture must not stretch the box along another one.
        # An outline of which a part has no place in the rectified picture is of no box.
        shown = _cut(whole) if np.isfinite(whole).all() else whole[:0]
        if len(shown):
            first[number], last[number] = shown.min(axis=0), shown.max(axis=0)
    return np.concatenate([first, last - first], axis=1).astype(np.float32), np.asarray((last > first).all(axis=1))


def _cut(outline: Places) -> Places:
    """Return the part of a polygon, (n, 2), that lies in the picture, 0 to 1; each edge of the picture is cut off after the other."""
    for axis in (0, 1):
        for edge, inward in ((0.0, 1.0), (1.0, -1.0)):
            inside_by = (outline[:, axis] - edge) * inward
            next_by, following = np.roll(inside_by, -1), np.roll(outline, -1, axis=0)
            inside = inside_by >= 0
            crosses = inside != (next_by >= 0)
            share = np.divide(inside_by, inside_by - next_by, out=np.zeros(len(outline)), where=crosses)
            crossing = outline + share[:, None] * (following - outline)
            crossing[:, axis] = edge
            # In the order of the outline: a point, then where the line to the next one crosses.
            outline = np.stack([outline, crossing], axis=1)[np.stack([inside, crosses], axis=1)]
    return outline


def _points(points: npt.NDArray[np.float32], way: Rectification) -> npt.NDArray[np.float32]:
    """Return points with their visibility, (m, points, 3); one that lies outside of the rectified picture, or nowhere, is not labelled."""
    moved = points.copy()
    labelled = points[..., 2] > 0
    moved[labelled, :2] = _moved(points[labelled, :2].astype(np.float64), way)
    outside = labelled & ~((moved[..., :2] >= 0) & (moved[..., :2] <= 1)).all(axis=-1)
    moved[outside] = np.nan, np.nan, 0
    return moved


def _moved(shares: Places, way: Rectification) -> Places:
    """Return where points lie in the rectified left picture, NaN: nowhere; shares of it from its corner, half a pixel from a centre."""
    size = np.array(way.rig.size, np.float64)
    moved: Places = (way.points(shares * size - HALF_PX, "left") + HALF_PX) / size
    return moved


def _masks(masks: BoolArray, ignored: BoolArray, maps: tuple[Map, Map]) -> tuple[BoolArray, BoolArray]:
    """Return masks, (m, height, width), by the nearest pixel, and what is not counted, (height, width).

    Not counted is what a hidden pixel has any part of, and what the camera did not see.
    """
    cv2 = opencv()
    # As numbers with a point: a part of less than half a grey level would be rounded away.
    black = cv2.remap(ignored.astype(np.float32), maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT) > 0
    out = np.asarray(black | ~seen(maps), np.bool_)
    moved = np.zeros_like(masks)
    for number, mask in enumerate(masks):
        nearest = cv2.remap(mask.astype(np.uint8), maps[0], maps[1], cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT)
        moved[number] = (nearest > 0) & ~out
    return moved, out


def rectified_pairs(pairs: StereoDataset, folder: Path, alpha: float) -> StereoDataset:
    """Return the pairs of calibrated recordings, rectified with their labels; others are counted as ``uncalibrated``.

    Raises
    ------
    ReleaseError
        When the release has no calibration.
    ValueError
        When ``alpha`` is not from 0 to 1, or for labels that nobody can rectify.
    """
    # True is 1, and no alpha that somebody chose.
    if isinstance(alpha, bool) or not isinstance(alpha, numbers.Real) or not 0 <= alpha <= 1:
        raise ValueError(f"rectified={alpha!r}: it is alpha, from 0 (no black border) to 1 (no pixel lost)")
    rigs = written_rig.rigs(folder)
    if not rigs:
        msg = f"{folder}: the release has no calibration of its cameras ({written_rig.FOLDER}/), so its pairs cannot be rectified"
        raise ReleaseError(msg)
    known = np.flatnonzero(pairs.table["id"].isin(list(rigs)).to_numpy())
    part = pairs[known]
    left, right = (replace(side, source=RectifiedSource(side.source, rigs, float(alpha))) for side in (part.left, part.right))
    left = replace(left, labels=tuple(_rectified_label(label, left.rows, rigs, float(alpha)) for label in left.labels))
    return replace(part, left=left, right=right, left_out={**pairs.left_out, "uncalibrated": len(pairs) - len(known)})


def _way(rigs: Mapping[str, Rig], id_: str, alpha: float, size: tuple[int, int]) -> Rectification:
    """Return how the pictures of a recording are rectified at their size; `ReleaseError` when they are of another shape than the rig's."""
    try:
        return _way_of(rigs[id_], alpha, size)
    except ValueError as error:
        raise ReleaseError(f"recording '{id_}': its calibration does not fit its pictures: {error}") from error


@lru_cache(maxsize=MOST_MAPS)
def _way_of(rig: Rig, alpha: float, size: tuple[int, int]) -> Rectification:
    """Return the same of a rig; a rig is told from others by what it is, not by what it says."""
    return rectification(rig.scaled(*size), alpha)


@lru_cache(maxsize=MOST_MAPS)
def _maps(way: Rectification, side: Side) -> tuple[Map, Map]:
    """Return the maps of one camera."""
    return way.maps(side)
