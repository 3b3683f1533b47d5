"""Labels of frames as arrays, from the tables of a release: what is not labelled is masked, never 0.

Everything is taken from the same functions as the ground truth of the release, so that a model is trained on what it is
scored against.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.errors import ReleaseError, TableError
from scrubin.base.faults import hint
from scrubin.base.tables import Table, io
from scrubin.base.tables.public import MARKS, MASKS, POINTS, TRACKS, LayerName, skill_table
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import Component, Vocabulary
from scrubin.data.load import ReleasedTables, damaged, instances
from scrubin.data.load.instances import InstanceLabel, Kind
from scrubin.data.load.rows import BoolArray, FrameRows, IntArray
from scrubin.labels import truth
from scrubin.labels.rows import complete_frames
from scrubin.labels.truth import Layer, Recording, detection, objects, recognition
from scrubin.labels.truth.objects import Details


def skill_of(tables: ReleasedTables, ids: Sequence[str]) -> pd.DataFrame:
    """Return task, GRS and aspects of recordings, by id; undefined scores are NaN."""
    table = tables.whole("skill")
    beside = set(skill_table(()).column_names) - {"task", "GRS"}
    return table[table["id"].isin(ids)].set_index("id").drop(columns=[column for column in table.columns if column in beside - {"id"}])


def errors_of(tables: ReleasedTables, ids: Sequence[str], task: str | None) -> pd.DataFrame:
    """Return task and one column per error of recordings, by id; errors that another task has are missing.

    Columns are the errors of a task, or of all tasks, whichever the recordings have: subsets have the same ones.
    """
    table = tables.whole("errors")
    table = table if task is None else table[table["task"] == task]
    names, own = sorted(table["error"].unique()), table[table["id"].isin(ids)]
    wide = own.drop_duplicates("id").set_index("id")[["task"]].sort_index()
    for name in names:
        wide[name] = own[own["error"] == name].set_index("id")["occurred"].astype("boolean").reindex(wide.index)
    return wide


MASK = "_mask"
NO_ID = -100
"""What stands for a phase, or the triplet of a box, that is not labelled: torch's losses ignore it."""
Box = tuple[int, int, tuple[float, float, float, float]]
"""Triplet, instrument, and left, top, width and height in shares of the picture."""
Fields = dict[str, Any]


class Label(Protocol):
    """One kind of label of the rows of a data set."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Names in the order of columns or ids."""

    @property
    def known(self) -> BoolArray:
        """(n,), whether anything of it is labelled, per row."""

    def of(self, row: int) -> Fields:
        """Return the values and the mask of a row."""

    def of_all(self, rows: IntArray) -> tuple[Any, npt.NDArray[np.bool_]]:
        """Return the values and the masks of several rows."""

    def where(self, chosen: BoolArray) -> Self:
        """Return it for some of the rows."""


@dataclass(frozen=True)
class Matrix:
    """Numbers per row: several classes that occur or not, or scores; missing ones are NaN.

    Parameters
    ----------
    values
        (k, classes), as small as they can be kept.
    place
        (n,), row of ``values`` of each row of the data set; -1: not labelled.
    """

    name: str
    classes: tuple[str, ...]
    values: npt.NDArray[np.int8] | npt.NDArray[np.float32]
    place: IntArray
    missing = np.nan

    @property
    def of_recordings(self) -> bool:
        """Whether all rows of a recording have the same: they are scores, not classes that occur in a frame."""
        return self.values.dtype == np.float32

    @property
    def known(self) -> BoolArray:
        """(n,), whether any value is there."""
        some = np.isfinite(self.values).any(axis=1)
        return np.asarray((self.place >= 0) & np.append(some, False)[self.place])

    def of(self, row: int) -> Fields:
        """Return the values as float32, and the mask: of the frame, or of each score."""
        values, mask = self.of_all(np.array([row]))
        return {self.name: values[0], self.name + MASK: bool(mask[0]) if mask.ndim == 1 else mask[0]}

    def of_all(self, rows: IntArray) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Return values, (n, classes), and mask, (n,) of frames or (n, classes) of scores."""
        place = self.place[rows]
        values = np.full((len(rows), len(self.classes)), np.nan, np.float32)
        values[place >= 0] = self.values[place[place >= 0]]
        return values, np.isfinite(values) if self.of_recordings else np.asarray(place >= 0, np.bool_)

    def where(self, chosen: BoolArray) -> Self:
        """Return it for some of the rows."""
        return replace(self, place=self.place[chosen])


@dataclass(frozen=True)
class Phase:
    """One id per row.

    Parameters
    ----------
    values
        (n,), id of the phase, or `NO_ID`.
    """

    name: str
    classes: tuple[str, ...]
    values: IntArray
    missing = NO_ID

    @property
    def known(self) -> BoolArray:
        """(n,), whether the phase is labelled."""
        return np.asarray(self.values != NO_ID, np.bool_)

    def of(self, row: int) -> Fields:
        """Return the id and the mask."""
        value = int(self.values[row])
        return {self.name: value, self.name + MASK: value != NO_ID}

    def of_all(self, rows: IntArray) -> tuple[IntArray, npt.NDArray[np.bool_]]:
        """Return ids and masks, both (n,)."""
        values = self.values[rows]
        return values, values != NO_ID

    def where(self, chosen: BoolArray) -> Self:
        """Return it for some of the rows."""
        return replace(self, values=self.values[chosen])


@dataclass(frozen=True)
class Boxes:
    """Any number of boxes per row.

    Parameters
    ----------
    boxes
        (m, 4), left, top, width and height in shares of the picture, of all rows one after the other.
    triplets, instruments
        (m,), their ids; a triplet that is not labelled is `NO_ID`.
    first
        (k + 1,), where the boxes of each labelled frame begin.
    place
        (n,), which labelled frame each row is; -1: boxes are not labelled, or not all of them.
    """

    name: str
    classes: tuple[str, ...]
    boxes: npt.NDArray[np.float32]
    triplets: IntArray
    instruments: IntArray
    first: IntArray
    place: IntArray

    @property
    def known(self) -> BoolArray:
        """(n,), whether all boxes of the frame are labelled."""
        return self.place >= 0

    def of(self, row: int) -> Fields:
        """Return the boxes, the ids of their triplets and instruments, and the mask."""
        place = int(self.place[row])
        own = slice(self.first[place], self.first[place + 1]) if place >= 0 else slice(0, 0)
        return {
            self.name: self.boxes[own].copy(),
            f"{self.name}_triplets": self.triplets[own].copy(),
            f"{self.name}_instruments": self.instruments[own].copy(),
            self.name + MASK: place >= 0,
        }

    def of_all(self, rows: IntArray) -> tuple[list[npt.NDArray[np.float32]], npt.NDArray[np.bool_]]:
        """Return the boxes of each row, and masks, (n,)."""
        return [self.of(int(row))[self.name] for row in rows], self.known[rows]

    def where(self, chosen: BoolArray) -> Self:
        """Return it for some of the rows."""
        return replace(self, place=self.place[chosen])


COMPONENT_OF: Mapping[str, Component] = {"triplets": "ivt", "instruments": "i", "verbs": "v", "targets": "t"}
OF_RECORDINGS = ("skill", "errors")
LABELS = (*COMPONENT_OF, "phases", "boxes", *instances.KINDS, instances.MARKS, *OF_RECORDINGS)


def of_rows(
    tables: ReleasedTables, rows: FrameRows, names: Iterable[str], vocabulary_name: str | None, task: str | None
) -> tuple[Label, ...]:
    """Return labels of frames.

    Parameters
    ----------
    names
        Which of `LABELS`.
    vocabulary_name
        Which vocabulary, where recordings have labels of several; the labels of the others are masked.
    task
        The task that all rows are of; None: of any.

    Raises
    ------
    ValueError
        For a label or vocabulary that there is not, or when there are several vocabularies and none is named.
    ReleaseError
        When labels have no frame, or names that the vocabulary does not have.
    """
    wanted = [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in LABELS:
            raise ValueError(f"there is no label '{name}': {hint(name, LABELS)}")
    of_frames = _OfFrames(tables, rows, vocabulary_name) if set(wanted) - set(OF_RECORDINGS) else None
    if of_frames is not None:
        of_frames.refuse_other_vocabulary(wanted)
    return tuple(
        _of_recordings(tables, rows, name, task) if of_frames is None or name in OF_RECORDINGS else of_frames.label(name) for name in wanted
    )


class _OfFrames:
    """Makes the labels of frames from the tables `labelled`, `triplets` and `phases`."""

    def __init__(self, tables: ReleasedTables, rows: FrameRows, vocabulary_name: str | None) -> None:
        self._tables, self._folder, self._rows, self._vocabulary = tables, tables.folder, rows, vocabulary_name
        labelled, triplets, phases = (tables.whole(name) for name in ("labelled", "triplets", "phases"))
        if vocabulary_name is not None and vocabulary_name not in (known := sorted(set(labelled["vocabulary"]))):
            raise ValueError(f"no label is of the vocabulary '{vocabulary_name}': {hint(vocabulary_name, known)}")
        own = [one[one["id"].isin(rows.ids)] for one in (labelled, triplets, phases)]
        frames = tables.columns("frames", ["id", "camera", "frame", "path", "redacted"])
        frames = frames[frames["id"].isin(rows.ids)]
        _refuse_without_frame(tables.folder, own[0], frames)
        try:
            whole = truth.of_tables(own[0], own[1], own[2])
        except TableError as error:
            raise damaged(tables.folder, str(error)) from error
        of_layers = labelled.drop_duplicates(["layer", "vocabulary"]).groupby("layer")["vocabulary"]
        self._vocabularies = {str(layer): sorted(names) for layer, names in of_layers}
        self._recordings = {one.id: one for one in truth.with_files(whole, frames)}

    def refuse_other_vocabulary(self, labels: Sequence[str]) -> None:
        """Refuse a vocabulary that none of the labels has: one that only some of them have chooses among these."""
        drawn = [name for name in labels if name not in (*OF_RECORDINGS, instances.MARKS)]
        known = sorted({one for name in drawn for one in self._vocabularies.get("phases" if name == "phases" else "instances", [])})
        if self._vocabulary is not None and drawn and self._vocabulary not in known:
            raise ValueError(f"no label of {', '.join(drawn)} is of the vocabulary '{self._vocabulary}': {hint(self._vocabulary, known)}")

    def label(self, name: str) -> Label:
        if name == "phases":
            return self._phases()
        if name in instances.KINDS:
            return self._instances(next(kind for kind in instances.KINDS if kind == name))
        if name == instances.MARKS:
            return instances.of_marks(self._table(MARKS), self._rows)
        return self._boxes() if name == "boxes" else self._matrix(name)

    def _table(self, declared: Table) -> pd.DataFrame:
        """Return a table; without rows where the release is older than it is."""
        return self._tables[declared.name] if declared.name in self._tables else io.frame_of(declared, [])

    def _matrix(self, name: str) -> Matrix:
        component = COMPONENT_OF[name]
        words, chosen = self._of_one_vocabulary("instances", name, lambda one: one.instances)
        parts, place, count = [np.zeros((0, len(words.component_ids(component)) if words else 0), np.int8)], self._nowhere(), 0
        for one, layer, own in chosen:
            matrix = recognition.matrices(one).get(component)
            if matrix is not None:
                at = _places(layer.frames, self._rows.frame[own])
                place[own] = np.where(at >= 0, at + count, -1)
                parts.append(matrix)
                count += len(matrix)
        return Matrix(name, _class_names(words, component) if words else (), np.concatenate(parts), place)

    def _phases(self) -> Phase:
        words, chosen = self._of_one_vocabulary("phases", "phases", lambda one: one.phases)
        values = np.full(len(self._rows), NO_ID, np.int64)
        for _, layer, own in chosen:
            at = _places(layer.frames, self._rows.frame[own])
            by_frame = layer.rows.sort_values("frame")
            _refuse_other_frames(self._folder, layer, by_frame)
            ids = by_frame["phase_id"].to_numpy(np.int64)
            values[own] = np.where(at >= 0, np.append(ids, NO_ID)[at], NO_ID)
        return Phase("phases", words.phases if words else (), values)

    def _boxes(self) -> Boxes:
        words, chosen = self._of_one_vocabulary("instances", "boxes", lambda one: one.instances)
        place = self._nowhere()
        listed: list[list[Box]] = []
        for one, _, own in chosen:
            frames, of_frames = _boxed(one)
            at = _places(np.array(frames, np.int64), self._rows.frame[own])
            # A box is one of the picture that was labelled; where it is in the other one of a pair, nobody said.
            place[own] = np.where((at >= 0) & self._rows.is_reference[own], at + len(listed), -1)
            listed += of_frames
        first = np.concatenate([[0], np.cumsum([len(frame) for frame in listed], dtype=np.int64)]).astype(np.int64)
        flat = [box for frame in listed for box in frame]
        boxes = np.array([box for _, _, box in flat], np.float32).reshape(-1, 4)
        triplets, instruments = (np.array([box[k] for box in flat], np.int64) for k in (0, 1))
        return Boxes("boxes", _class_names(words, "ivt") if words else (), boxes, triplets, instruments, first, place)

    def _instances(self, name: Kind) -> InstanceLabel:
        words, chosen = self._of_one_vocabulary("instances", name, lambda one: one.instances)
        own = (table[table["id"].isin(self._rows.ids)] for table in map(self._table, (MASKS, POINTS, TRACKS)))
        details = Details.of_tables(*own)
        if name == "masks" and words and details.masks:
            self._tables.place.hold(instances.list_of_masks(words.name))
        black = instances.ignored_pixels(self._folder, words.name) if name == "masks" and words and details.masks else {}
        every = objects.of_recordings((one for one, _, _ in chosen), details, black)
        return instances.of_objects(name, every, self._rows, words.instruments if words else (), self._folder)

    def _nowhere(self) -> IntArray:
        return np.full(len(self._rows), -1, np.int64)

    def _of_one_vocabulary(
        self, layer_name: LayerName, label: str, layer_of: Callable[[Recording], Layer | None]
    ) -> tuple[Vocabulary | None, list[tuple[Recording, Layer, slice]]]:
        """Return the vocabulary, and the labelled recordings with their rows."""
        present = {self._rows.ids[code]: own for code, own in self._rows.by_recording()}
        layers = [(one, layer, present[id_]) for id_, one in self._recordings.items() if id_ in present and (layer := layer_of(one))]
        names = sorted({layer.vocabulary.name for _, layer, _ in layers})
        everywhere = self._vocabularies.get(layer_name, [])
        if len(names) > 1 and self._vocabulary not in everywhere:
            msg = f"the labels '{label}' are of {len(names)} vocabularies, {', '.join(names)}: name one by vocabulary='{names[0]}'"
            raise ValueError(msg)
        # A subset without labels has the columns of the others.
        named = [self._vocabulary] if self._vocabulary in everywhere else names or everywhere
        chosen = [one for one in layers if one[1].vocabulary.name in named]
        for _, layer, _ in chosen:
            _refuse_other_names(layer_name, layer)
        return (vocabulary.load(named[0]) if len(named) == 1 and named[0] else None), chosen


def _boxed(one: Recording) -> tuple[list[int], list[list[Box]]]:
    """Return the frames of which every box is known, and their boxes; where only instruments are labelled, triplets are not known."""
    if one.whole_triplets:
        boxed = detection.boxed(one)
        return ([], []) if boxed is None else (boxed.frames, boxed.rows)
    layer = one.instances
    if layer is None or not layer.rows["x"].notna().any():
        return [], []
    complete = layer.rows[[*detection.BOX, "instrument_id"]].notna().all(axis=1)
    frames: list[int] = complete_frames(layer.frames, layer.rows["frame"].to_numpy(np.int64), complete.to_numpy()).tolist()
    by_frame: dict[int, list[Box]] = {frame: [] for frame in frames}
    known = layer.rows[layer.rows["frame"].isin(frames)].sort_values(["frame", "instance"])
    for frame, instrument, x, y, w, h in known[["frame", "instrument_id", *detection.BOX]].itertuples(index=False):
        by_frame[int(frame)].append((NO_ID, int(instrument), (float(x), float(y), float(w), float(h))))
    return frames, list(by_frame.values())


def _of_recordings(tables: ReleasedTables, rows: FrameRows, name: str, task: str | None) -> Matrix:
    """Return scores or errors, which all frames of a recording share."""
    wide = skill_of(tables, rows.ids) if name == "skill" else errors_of(tables, rows.ids, task)
    wide = wide.reindex(list(rows.ids))
    values = wide.drop(columns="task").astype("float64").to_numpy(np.float32, na_value=np.nan)
    return Matrix(name, tuple(str(column) for column in wide.columns.drop("task")), values, rows.recording)


def _places(labelled: IntArray, frames: IntArray) -> IntArray:
    """Return the position of each frame among the labelled ones, which increase; -1 where it is none."""
    at = np.searchsorted(labelled, frames)
    there = np.append(labelled, -1)[at] == frames
    return np.where(there, at, -1)


def _class_names(words: Vocabulary, component: Component) -> tuple[str, ...]:
    names: Mapping[Component, Sequence[str]] = {"i": words.instruments, "v": words.verbs, "t": words.targets}
    if component == "ivt":
        return tuple(words.triplet_name(id_) for id_ in words.component_ids("ivt"))
    return tuple(names[component][id_] for id_ in words.component_ids(component))


def _refuse_without_frame(folder: Path, labelled: pd.DataFrame, frames: pd.DataFrame) -> None:
    there = pd.MultiIndex.from_frame(frames[["id", "frame"]].drop_duplicates())
    strange = labelled[~pd.MultiIndex.from_frame(labelled[["id", "frame"]]).isin(there)]
    for row in strange.head(1).to_dict("records"):
        what = f"frame {row['frame']} of '{row['id']}' is labelled in tables/labelled.parquet, but tables/frames.parquet does not have it"
        raise damaged(folder, what)


def _refuse_other_frames(folder: Path, layer: Layer, by_frame: pd.DataFrame) -> None:
    if by_frame["frame"].tolist() != layer.frames.tolist():
        raise damaged(folder, f"tables/phases.parquet and tables/labelled.parquet name other frames of '{by_frame['id'].iloc[0]}'")


def _refuse_other_names(layer_name: LayerName, layer: Layer) -> None:
    """Hold the names of a layer to the vocabulary of this program: ids of another version would mean something else."""
    words = layer.vocabulary
    if layer_name == "phases":
        pairs = [("phase", words.phases)]
    else:
        every = tuple(words.triplet_name(id_) for id_ in range(len(words.triplets)))
        pairs = [("triplet", every), ("instrument", words.instruments)]
    for column, names in pairs:
        for name, id_ in layer.rows[[column, f"{column}_id"]].dropna().drop_duplicates().itertuples(index=False):
            if not 0 <= id_ < len(names) or names[id_] != name:
                other = f"'{names[id_]}'" if 0 <= id_ < len(names) else "nothing"
                what = f"{column} {id_} is '{name}' in the release, but {other} in the vocabulary '{words.name}' of this Scrub-in"
                raise ReleaseError(f"{what}: install the version that the release was made with, or a newer one")
