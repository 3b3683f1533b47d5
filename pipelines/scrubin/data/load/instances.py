"""Masks, points, tracks and marks of frames as arrays: any number of instances per frame, as many marks as the release names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError
from scrubin.data.load import GROUND_TRUTH_FOLDER, damaged
from scrubin.data.load.rows import BoolArray, FrameRows, IntArray
from scrubin.labels.masks import rle
from scrubin.labels.masks.blackened import BlackPixels
from scrubin.labels.truth.objects import Instance, Objects

Kind = Literal["masks", "points", "tracks"]
KINDS: tuple[Kind, ...] = ("masks", "points", "tracks")
MARKS = "marks"
LABELLED = "_mask"
IGNORED = "_ignored"
NO_TRACK = -1
Key = tuple[str, int]


@dataclass(frozen=True)
class InstanceLabel:
    """What frames have of each instance: its mask, its points, or the numbers of its tracks.

    Parameters
    ----------
    classes
        Names of instruments for masks, of points for points, kinds of tracks for tracks.
    instances
        By id and frame, in all frames of which every instance has what is asked for.
    recordings
        What is hidden of their frames, by id.
    place
        (n,), id and frame of each row; None where it is not labelled, or in another camera than the labelled one.
    rows
        The rows, for the size of their pictures.
    release
        For messages.
    """

    name: Kind
    classes: tuple[str, ...]
    instances: Mapping[Key, tuple[Instance, ...]]
    recordings: Mapping[str, Objects]
    place: tuple[Key | None, ...]
    rows: FrameRows
    release: Any

    @property
    def known(self) -> BoolArray:
        """(n,), whether every instance of the frame has it."""
        return np.array([key is not None for key in self.place], np.bool_)

    def of(self, row: int) -> dict[str, Any]:
        """Return the values of each instance, its number in the frame and its instrument, and whether it is labelled.

        Of masks also the pixels that are not counted.
        """
        key = self.place[row]
        own = self.instances[key] if key is not None else ()
        ignored = {f"{self.name}{IGNORED}": self._ignored(key, row)} if self.name == "masks" else {}
        return {
            self.name: self._values(own, row),
            **ignored,
            f"{self.name}_instances": np.array([one.number for one in own], np.int64),
            f"{self.name}_instruments": np.array([one.instrument for one in own], np.int64),
            self.name + LABELLED: key is not None,
        }

    def of_all(self, rows: IntArray) -> tuple[list[Any], BoolArray]:
        """Return the values of each row, and whether it is labelled, (n,)."""
        return [self.of(int(row))[self.name] for row in rows], self.known[rows]

    def where(self, chosen: BoolArray) -> Self:
        """Return it for some of the rows."""
        kept = tuple(key for key, is_chosen in zip(self.place, chosen.tolist(), strict=True) if is_chosen)
        return replace(self, place=kept, rows=self.rows.where(chosen))

    def _values(self, own: Sequence[Instance], row: int) -> npt.NDArray[Any]:
        if self.name == "masks":
            return self._masks(own, row)
        if self.name == "tracks":
            numbers = [[one.tracks.get(kind, NO_TRACK) for kind in self.classes] for one in own]
            return np.array(numbers, np.int64).reshape(len(own), len(self.classes))
        places = np.full((len(own), len(self.classes), 3), np.nan, np.float32)
        places[:, :, 2] = 0
        at = {name: number for number, name in enumerate(self.classes)}
        for instance, one in enumerate(own):
            for point in one.points:
                if point.labelled:
                    places[instance, at[point.name]] = point.x, point.y, point.visibility
        return places

    def _masks(self, own: Sequence[Instance], row: int) -> BoolArray:
        key, (height, width) = self.place[row], self._size(row)
        pixels = np.zeros((len(own), height, width), np.bool_)
        try:
            for number, one in enumerate(own):
                runs = self.recordings[key[0]].shown(key[1], one.mask, height, width) if key is not None and one.mask is not None else None
                if runs is not None:
                    pixels[number] = rle.picture(runs, height, width)
        except AnnotationError as error:
            raise damaged(self.release, f"tables/masks.parquet: {error.faults[0].what}") from error
        return pixels

    def _ignored(self, key: Key | None, row: int) -> BoolArray:
        height, width = self._size(row)
        black = self.recordings[key[0]].blackened.get(key[1]) if key is not None else None
        return np.zeros((height, width), np.bool_) if black is None else rle.picture(black.runs(height, width), height, width)

    def _size(self, row: int) -> tuple[int, int]:
        return int(self.rows.height[row]), int(self.rows.width[row])


def list_of_masks(vocabulary: str) -> str:
    """Return the file of the release that has the masks of a vocabulary."""
    return f"{GROUND_TRUTH_FOLDER}/{vocabulary}/masks.json"


def ignored_pixels(release: Path, vocabulary: str) -> dict[Key, BlackPixels]:
    """Return the pixels that are not counted, by id and frame, as the ground truth names them; what is hidden stands in no public table.

    Parameters
    ----------
    release
        The folder.
    vocabulary
        Whose masks.

    Raises
    ------
    ReleaseError
        When the file is not there, or not as it was written.
    """
    name = list_of_masks(vocabulary)
    try:
        images = strangers.read_json(release / name, inside=release)["images"]
        found: dict[Key, BlackPixels] = {}
        for image in images:
            if "ignored" in image:
                height, width = image["ignored"]["size"]
                runs = rle.runs_of_text(image["ignored"]["counts"], height, width)
                found[str(image["recording"]), int(image["frame"])] = BlackPixels(runs, width, height)
    except (OSError, ValueError, LookupError, TypeError, AnnotationError) as error:
        why = "is missing" if isinstance(error, FileNotFoundError) else "cannot be read"
        raise damaged(release, f"{name} {why}, which names the pixels that are not counted") from error
    return found


def of_objects(name: Kind, every: Sequence[Objects], rows: FrameRows, instruments: tuple[str, ...], release: Any) -> InstanceLabel:
    """Return one kind of label of frames.

    Parameters
    ----------
    every
        Recordings that have masks, points or tracks.
    rows
        Frames.
    instruments
        Names of the instruments by id.
    release
        The folder, for messages.
    """
    instances: dict[Key, tuple[Instance, ...]] = {}
    for one in every:
        frames = {"masks": one.masked, "points": one.pointed}.get(name, lambda one=one: _tracked(one))()
        instances |= {(one.id, frame): own for frame, own in frames.items()}
    found = [instance for own in instances.values() for instance in own]
    classes = {
        "masks": instruments,
        "points": tuple(sorted({point.name for one in found for point in one.points})),
        "tracks": tuple(sorted({kind for one in found for kind in one.tracks})),
    }[name]
    keys = [(rows.ids[code], frame) for code, frame in zip(rows.recording.tolist(), rows.frame.tolist(), strict=True)]
    place = (key if seen and key in instances else None for key, seen in zip(keys, rows.is_reference.tolist(), strict=True))
    return InstanceLabel(name, classes, instances, {one.id: one for one in every}, tuple(place), rows, release)


def _tracked(one: Objects) -> dict[int, tuple[Instance, ...]]:
    """Return the frames of which every instance is in a track of each kind that the recording has."""
    by_kind = [one.tracked(kind) for kind in one.kinds()]
    return {frame: own for frame, own in by_kind[0].items() if all(frame in other for other in by_kind)} if by_kind else {}


@dataclass(frozen=True)
class MarkLabel:
    """What annotators say of frames.

    Parameters
    ----------
    classes
        Names of the marks.
    raters
        Numbers of the annotators; "" for values of nobody by name.
    values
        (k, marks, raters), NaN where somebody did not judge.
    place
        (n,), row of ``values`` of each row; -1: nobody judged it.
    """

    name: str
    classes: tuple[str, ...]
    raters: tuple[str, ...]
    values: npt.NDArray[np.float32]
    place: IntArray

    @property
    def known(self) -> BoolArray:
        """(n,), whether anybody judged any mark."""
        return np.asarray(self.of_all(np.arange(len(self.place)))[1].any(axis=1), np.bool_)

    def of(self, row: int) -> dict[str, Any]:
        """Return the mean over annotators, what each of them says, and which marks anybody judged."""
        means, mask = self.of_all(np.array([row]))
        return {self.name: means[0], f"{self.name}_raters": self._said(np.array([row]))[0], self.name + LABELLED: mask[0]}

    def of_all(self, rows: IntArray) -> tuple[npt.NDArray[np.float32], BoolArray]:
        """Return means, (n, marks), and masks, (n, marks)."""
        said = self._said(rows)
        count = np.isfinite(said).sum(axis=2)
        total = np.nansum(said, axis=2)
        means = np.divide(total, count, out=np.full(total.shape, np.nan, np.float32), where=count > 0)
        return means, np.asarray(count > 0, np.bool_)

    def where(self, chosen: BoolArray) -> Self:
        """Return it for some of the rows."""
        return replace(self, place=self.place[chosen])

    def _said(self, rows: IntArray) -> npt.NDArray[np.float32]:
        place = self.place[rows]
        said = np.full((len(rows), len(self.classes), len(self.raters)), np.nan, np.float32)
        said[place >= 0] = self.values[place[place >= 0]]
        return said


def of_marks(marks: pd.DataFrame, rows: FrameRows) -> MarkLabel:
    """Return the marks of frames; columns are the marks and annotators of the whole release, so that subsets have the same ones.

    Parameters
    ----------
    marks
        The table of this name.
    rows
        Frames.
    """
    named = marks.assign(rater=marks["rater"].fillna("").astype("str"))
    names, raters = (tuple(sorted(map(str, named[column].unique()), key=_order)) for column in ("mark", "rater"))
    own = named[named["id"].isin(rows.ids)]
    keys = sorted(set(zip(own["id"].tolist(), own["frame"].tolist(), strict=True)))
    place_of = {key: place for place, key in enumerate(keys)}
    values = np.full((len(keys), len(names), len(raters)), np.nan, np.float32)
    at = [place_of[key] for key in zip(own["id"].tolist(), own["frame"].tolist(), strict=True)]
    columns = ([listed.index(str(one)) for one in own[column]] for listed, column in ((names, "mark"), (raters, "rater")))
    values[(at, *columns)] = own["value"].to_numpy(np.float32)
    frames = zip(rows.recording.tolist(), rows.frame.tolist(), strict=True)
    place = np.array([place_of.get((rows.ids[code], frame), -1) for code, frame in frames], np.int64)
    return MarkLabel(MARKS, names, raters, values, place)


def _order(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isascii() and name.isdecimal() else (-1, name)
