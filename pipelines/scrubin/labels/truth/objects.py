"""Masks, key points and tracks of instruments in labelled frames, as COCO and MOTChallenge have them.

Classes are the instruments, whatever else is labelled of an instance. Only frames count of which every instance has what is asked for: a
mask that is not drawn would make a right one a false alarm. A frame labelled as "no instrument" is such a frame, but only in a
recording that has any. Frames that are black as a whole show nothing to be drawn: they have tracks, and neither masks nor points.

Where a rectangle of the picture is black, masks end at its edge and points in it are not labelled. Its pixels are not counted:
``ignored`` of an image has them as run lengths. COCO itself knows no such thing, as a crowd is of one class. An instance that lies in it
altogether is no annotation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.masks import rle
from scrubin.labels.masks.blackened import Black
from scrubin.labels.masks.rle import IntArray
from scrubin.labels.points import Point, names_of, unlabelled
from scrubin.labels.truth import Recording

Box = tuple[float, float, float, float]
PIXEL_DIGITS = 4


@dataclass(frozen=True)
class Mask:
    """A mask as it was labelled: compressed counts of a picture of this size in px."""

    counts: str
    width: int
    height: int

    def runs(self, height: int, width: int) -> IntArray:
        """Return the run lengths in a picture of a size, (runs,), scaled by the nearest pixel where that is another one."""
        runs = rle.runs_of_text(self.counts, self.height, self.width)
        same = (self.height, self.width) == (height, width)
        return runs if same else rle.scaled(runs, self.height, self.width, height, width)


@dataclass(frozen=True)
class Instance:
    """An instrument in a frame; what nobody labelled is None or empty."""

    number: int
    instrument: int
    box: Box
    mask: Mask | None = None
    points: tuple[Point, ...] = ()
    tracks: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Objects:
    """The instruments of a recording, with masks, points or tracks.

    Parameters
    ----------
    by_frame
        The instances of each labelled frame, in order.
    black
        Frames that are hidden as a whole.
    blackened
        What is hidden of other frames.
    """

    id: str
    vocabulary: Vocabulary
    by_frame: Mapping[int, tuple[Instance, ...]]
    black: frozenset[int]
    blackened: Mapping[int, Black] = field(default_factory=dict)

    def masked(self) -> dict[int, tuple[Instance, ...]]:
        """Return the frames that masks can be scored on, with the instances that are not hidden altogether."""
        drawn = {frame: tuple(one for one in own if one.mask or not self._is_hidden(frame, one)) for frame, own in self.by_frame.items()}
        return self._complete(drawn, lambda one: one.mask is not None)

    def pointed(self) -> dict[int, tuple[Instance, ...]]:
        """Return the frames that points can be scored on."""
        return self._complete(self.by_frame, lambda one: bool(one.points))

    def shown(self, frame: int, mask: Mask, height: int, width: int) -> IntArray | None:
        """Return the run lengths of a mask in a picture of a size, (runs,), without what is black in it; None where nothing is left."""
        runs, black = mask.runs(height, width), self.blackened.get(frame)
        # Of a picture with an odd side the video lacks a row: scaled to it, the edge of a mask may come to lie beyond that of a rectangle.
        left = runs if black is None else rle.without(runs, black.runs(height, width))
        return left if rle.area(left) else None

    def kinds(self) -> list[str]:
        """Return the kinds of tracks, sorted."""
        return sorted({kind for own in self.by_frame.values() for one in own for kind in one.tracks})

    def tracked(self, kind: str) -> dict[int, tuple[Instance, ...]]:
        """Return the frames that tracks of a kind can be scored on; black ones are among them."""
        return {frame: own for frame, own in self.by_frame.items() if all(kind in one.tracks for one in own)}

    def _complete(self, frames: Mapping[int, tuple[Instance, ...]], has: Callable[[Instance], bool]) -> dict[int, tuple[Instance, ...]]:
        if not any(has(one) for own in frames.values() for one in own):
            return {}
        return {frame: own for frame, own in frames.items() if frame not in self.black and all(has(one) for one in own)}

    def _is_hidden(self, frame: int, one: Instance) -> bool:
        """Return whether the box of an instance is black altogether, by pixels of the video."""
        black = self.blackened.get(frame)
        if black is None:
            return False
        pixels = rle.picture(black.runs(black.height, black.width), black.height, black.width)
        x, y, w, h = one.box
        left, top = int(x * black.width), int(y * black.height)
        return bool(pixels[top : max(top + 1, round((y + h) * black.height)), left : max(left + 1, round((x + w) * black.width))].all())


@dataclass(frozen=True)
class Details:
    """What the tables ``masks``, ``points`` and ``tracks`` have, by recording, frame and instance."""

    masks: Mapping[tuple[str, int, int], Mask]
    points: Mapping[tuple[str, int, int], tuple[Point, ...]]
    tracks: Mapping[tuple[str, int, int], Mapping[str, int]]

    @classmethod
    def of_tables(cls, masks: pd.DataFrame, points: pd.DataFrame, tracks: pd.DataFrame) -> Details:
        """Return the rows of the tables of the same name."""
        points_of: dict[tuple[str, int, int], list[Point]] = {}
        for key, row in _keyed(points):
            name, visibility = str(row["point"]), int(row["visibility"])
            point = Point(name, float(row["x"]), float(row["y"]), visibility) if visibility else unlabelled(name)
            points_of.setdefault(key, []).append(point)
        tracks_of: dict[tuple[str, int, int], dict[str, int]] = {}
        for key, row in _keyed(tracks):
            tracks_of.setdefault(key, {})[str(row["kind"])] = int(row["track"])
        masks_of = {key: Mask(str(row["counts"]), int(row["width"]), int(row["height"])) for key, row in _keyed(masks)}
        return cls(masks_of, {key: tuple(own) for key, own in points_of.items()}, tracks_of)

    @cached_property
    def ids(self) -> frozenset[str]:
        """The recordings that have any."""
        return frozenset(id_ for table in (self.masks, self.points, self.tracks) for id_, _, _ in table)


def _keyed(table: pd.DataFrame) -> Iterator[tuple[tuple[str, int, int], dict[str, Any]]]:
    for row in table.to_dict("records"):
        yield (str(row["id"]), int(row["frame"]), int(row["instance"])), {str(name): value for name, value in row.items()}


def of_recordings(every: Iterable[Recording], details: Details, blackened: Mapping[tuple[str, int], Black] | None = None) -> list[Objects]:
    """Return the instruments of every recording that has any detail, as `of_recording` does.

    Parameters
    ----------
    blackened
        What is hidden of frames, by recording and frame.
    """
    hidden: dict[str, dict[int, Black]] = {}
    for (id_, frame), black in (blackened or {}).items():
        hidden.setdefault(id_, {})[frame] = black
    return [found for one in every if (found := of_recording(one, details, hidden.get(one.id, {}))) is not None]


def of_recording(recording: Recording, details: Details, blackened: Mapping[int, Black]) -> Objects | None:
    """Return the instruments of a recording, of frames in which every instance has an instrument and a box; None without any detail.

    Parameters
    ----------
    recording
        With its labels.
    details
        Of all recordings.
    blackened
        What is hidden of its frames.
    """
    layer = recording.instances
    if layer is None or recording.id not in details.ids:
        return None
    by_frame: dict[int, list[Instance] | None] = {frame: [] for frame in layer.frames.tolist()}
    for row in layer.rows.sort_values(["frame", "instance"]).to_dict("records"):
        frame, number = int(row["frame"]), int(row["instance"])
        own, key = by_frame.get(frame), (recording.id, frame, number)
        if own is None or pd.isna(row["instrument_id"]) or any(pd.isna(row[side]) for side in "xywh"):
            by_frame[frame] = None
            continue
        box = (float(row["x"]), float(row["y"]), float(row["w"]), float(row["h"]))
        details_of_one = details.masks.get(key), details.points.get(key, ()), details.tracks.get(key, {})
        own.append(Instance(number, int(row["instrument_id"]), box, *details_of_one))
    complete = {frame: tuple(own) for frame, own in by_frame.items() if own is not None}
    return Objects(recording.id, layer.vocabulary, complete, recording.hidden, blackened)


def masks_coco(vocabulary: Vocabulary, recordings: Sequence[Objects], images: pd.DataFrame) -> dict[str, Any] | None:
    """Return the masks of all recordings as one COCO data set, category ids are instrument ids + 1; None where there are none.

    Parameters
    ----------
    recordings
        Of this vocabulary, sorted by id.
    images
        Extracted frames with ``id``, ``frame``, ``path``, ``width`` and ``height`` in px: masks have this size.
    """
    document = _Document(vocabulary, images)
    for one in recordings:
        for frame, instances in one.masked().items():
            image = document.add_image(one.id, frame)
            for instance in instances:
                if segmentation := _shown(one, frame, instance, image):
                    document.add(image, instance, segmentation)
            if (black := one.blackened.get(frame)) is not None:
                image["ignored"] = _segmentation(image, black.runs(image["height"], image["width"]))["segmentation"]
    return document.coco()


def points_coco(vocabulary: Vocabulary, recordings: Sequence[Objects], images: pd.DataFrame) -> dict[str, Any] | None:
    """Return the points of all recordings as one COCO data set; parameters and result as `masks_coco`."""
    document = _Document(vocabulary, images)
    pointed = [(one, one.pointed()) for one in recordings]
    names = names_of(instance.points for _, frames in pointed for own in frames.values() for instance in own)
    for one, frames in pointed:
        for frame, instances in frames.items():
            image = document.add_image(one.id, frame)
            for instance in instances:
                document.add(image, instance, {**_shown(one, frame, instance, image), **_keypoints(image, instance, names)})
    return document.coco({"keypoints": list(names), "skeleton": []})


class _Document:
    """A COCO data set as it is put together; ids of images and annotations start at 1."""

    def __init__(self, vocabulary: Vocabulary, images: pd.DataFrame) -> None:
        self._vocabulary = vocabulary
        self._where = {(row["id"], row["frame"]): row for row in images.to_dict("records")}
        self._images: list[dict[str, Any]] = []
        self._annotations: list[dict[str, Any]] = []

    def add_image(self, id_: str, frame: int) -> dict[str, Any]:
        row = self._where[id_, frame]
        image = {"id": len(self._images) + 1, "file_name": row["path"], "width": int(row["width"]), "height": int(row["height"])}
        self._images.append({**image, "recording": id_, "frame": frame})
        return self._images[-1]

    def add(self, image: Mapping[str, Any], one: Instance, details: Mapping[str, Any]) -> None:
        sides = (image["width"], image["height"], image["width"], image["height"])
        bbox = [round(share * side, PIXEL_DIGITS) for share, side in zip(one.box, sides, strict=True)]
        self._annotations.append(
            {
                "id": len(self._annotations) + 1,
                "image_id": image["id"],
                "category_id": one.instrument + 1,
                "bbox": bbox,
                "area": round(bbox[2] * bbox[3], PIXEL_DIGITS),
                "iscrowd": 0,
                "instance": one.number,
                **details,
            }
        )

    def coco(self, of_categories: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
        names = self._vocabulary.instruments
        categories = [{"id": i + 1, "name": name, "supercategory": "instrument", **(of_categories or {})} for i, name in enumerate(names)]
        return {"images": self._images, "annotations": self._annotations, "categories": categories} if self._images else None


def _shown(one: Objects, frame: int, instance: Instance, image: Mapping[str, Any]) -> dict[str, Any]:
    """Return area and run lengths of what the image shows of an instance; nothing where that has no pixel, or no mask."""
    runs = None if instance.mask is None else one.shown(frame, instance.mask, image["height"], image["width"])
    return {} if runs is None else _segmentation(image, runs)


def _segmentation(image: Mapping[str, Any], runs: IntArray) -> dict[str, Any]:
    return {"area": rle.area(runs), "segmentation": {"size": [image["height"], image["width"]], "counts": rle.text_of_runs(runs)}}


def _keypoints(image: Mapping[str, Any], instance: Instance, names: Sequence[str]) -> dict[str, Any]:
    places = {point.name: point for point in instance.points}
    flat: list[float] = []
    for name in names:
        point = places.get(name, unlabelled(name))
        flat += [round(point.x * image["width"], PIXEL_DIGITS), round(point.y * image["height"], PIXEL_DIGITS), point.visibility]
    return {"keypoints": flat, "num_keypoints": int(np.count_nonzero(flat[2::3]))}


def track_files(one: Objects, kind: str, size: tuple[int, int]) -> dict[str, str]:
    """Return the tracks of a kind as MOTChallenge has them: ``<id>/gt/gt.txt`` and ``<id>/seqinfo.ini``; nothing where there are none.

    Frames are numbered from 1, so that frame k has the number k + 1. ``seqLength`` stands where every frame from the first on counts.

    Parameters
    ----------
    size
        Width and height of the pictures in px.
    """
    frames = one.tracked(kind)
    if not any(frames.values()):
        return {}
    lines = [_line(frame, instance, kind, size) for frame, own in frames.items() for instance in own]
    length = [f"seqLength={len(frames)}"] if list(frames) == list(range(len(frames))) else []
    info = [f"name={one.id}", *length, f"imWidth={size[0]}", f"imHeight={size[1]}", f"classes={','.join(one.vocabulary.instruments)}"]
    return {f"{one.id}/gt/gt.txt": "".join(lines), f"{one.id}/seqinfo.ini": "[Sequence]\n" + "".join(f"{line}\n" for line in info)}


def _line(frame: int, one: Instance, kind: str, size: tuple[int, int]) -> str:
    sides = (size[0], size[1], size[0], size[1])
    box = (f"{share * side:.{PIXEL_DIGITS}f}".rstrip("0").rstrip(".") for share, side in zip(one.box, sides, strict=True))
    return ",".join([str(frame + 1), str(one.tracks[kind]), *box, "1", str(one.instrument), "-1"]) + "\n"
