"""The ground truth of a study, written file by file, for all or for each subset of a split.

Files of single recordings are listed with their hashes, not written again; what a program takes as
one file for a whole subset (parquet, COCO, sheets, the list of pictures for YOLO) is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base import files, unpacking
from scrubin.base.errors import TableError
from scrubin.base.tables import io
from scrubin.base.tables.public import of_reference_camera, skill_table
from scrubin.base.vocabulary.vocabulary import Component, Vocabulary
from scrubin.labels.truth import Layer, Recording, detection, judgements, objects, recognition, split_columns
from scrubin.labels.truth.detection import BoxedFrames
from scrubin.labels.truth.judgements import Judgements
from scrubin.labels.truth.objects import Objects
from scrubin.labels.truth.recognition import Matrix
from scrubin.stages.groundtruth import LIST, Stamps, Subset, compact, digest, write_sidecar


def phases(recording: Recording, layer: Layer) -> str:
    """Return the phase sequence of a recording: ``frame,phase_id,phase,hidden``, labelled frames only."""
    rows = layer.rows.sort_values("frame")[["frame", "phase_id", "phase"]]
    return _csv(rows.assign(hidden=recording.is_hidden(rows["frame"].to_numpy())))


def skill_sheets(table: pd.DataFrame, splits: pd.DataFrame) -> dict[str, str]:
    """Return one CSV per task: ``id``, the split columns, and the columns of the table ``skill``."""
    tasks = table.groupby("task", sort=True)
    return {str(task): _with_splits(rows.drop(columns="task").set_index("id"), splits) for task, rows in tasks}


def error_sheets(errors: pd.DataFrame, splits: pd.DataFrame) -> dict[str, str]:
    """Return one CSV per task: ``id``, the split columns, and one True/False column per error."""
    tasks = errors.groupby("task", sort=True)
    # Set and unstack fails on a repeated key, which a pivot table would average.
    wide = {str(task): rows.set_index(["id", "error"])["occurred"].unstack() for task, rows in tasks}  # noqa: PD010
    return {task: _with_splits(rows, splits) for task, rows in wide.items()}


def _with_splits(rows: pd.DataFrame, splits: pd.DataFrame) -> str:
    rows = rows.sort_index()
    return _csv(split_columns(splits).reindex(rows.index).join(rows).reset_index())


def read_skill(path: Path) -> pd.DataFrame:
    """Return the table ``skill`` with whatever aspects the study rates.

    Raises
    ------
    TableError
        When the file cannot be read or breaks the declaration.
    """
    try:
        names = unpacking.parquet_schema(path).names
    except OSError as error:
        raise TableError(f"{path}: cannot be read as parquet: {error}; run 'dvc repro' to make it again") from error
    fixed = set(skill_table(()).column_names)
    return io.read(skill_table(tuple(name for name in names if name not in fixed)), path)


def _csv(frame: pd.DataFrame) -> str:
    return frame.to_csv(index=False, lineterminator="\n")


@dataclass(frozen=True)
class Pictures:
    """One picture per recording and frame, of the camera that labels refer to.

    Parameters
    ----------
    table
        See `images`.
    """

    table: pd.DataFrame

    def of(self, id_: str, frames: Sequence[int]) -> dict[int, str]:
        """Return the paths of the pictures of some frames.

        Raises
        ------
        TableError
            When a labelled frame has none.
        """
        rows = self.table.iloc[self._places.get(id_, [])]
        paths: dict[int, str] = dict(zip(rows["frame"].tolist(), rows["path"].tolist(), strict=True))
        missing = sorted(set(frames) - paths.keys())
        if missing:
            raise TableError(f"table 'frames': {id_} has labels at frame {missing[0]}, but no such row; run 'dvc repro annotations'")
        return {frame: paths[frame] for frame in frames}

    @cached_property
    def _places(self) -> Mapping[Any, Any]:
        """By recording the numbers of its rows."""
        return self.table.groupby("id").indices


@dataclass(frozen=True)
class WrittenRecording:
    """What was written of one recording, and what the files over all recordings need of it.

    Parameters
    ----------
    pictures
        Path of the picture of each frame of `boxed`.
    files, folders
        Its own files and folders, relative to the ground truth: names, and per folder number and SHA-256 of its files.
    """

    recording: Recording
    matrices: dict[Component, Matrix]
    boxed: BoxedFrames | None
    pictures: Mapping[int, str]
    files: tuple[str, ...]
    folders: Mapping[str, Mapping[str, Any]]

    def counts(self) -> dict[str, Any]:
        """Return what of the recording can be scored; a kind that is not labelled is null."""
        instances, phases = self.recording.instances, self.recording.phases
        return {
            "vocabulary": {"instances": _name(instances), "phases": _name(phases)},
            "recognition_frames": None if instances is None else len(instances.frames),
            "recognition_components": sorted(self.matrices),
            "detection_frames": None if self.boxed is None else len(self.boxed.frames),
            "detection_frames_left_out": None if self.boxed is None else self.boxed.left_out,
            "phase_frames": None if phases is None else len(phases.frames),
            "dropped_frames_left_out": self.recording.dropped_frames,
            "hidden_frames": len(self.recording.hidden & self._labelled()),
        }

    def _labelled(self) -> set[int]:
        return {frame for layer in _layers(self.recording) for frame in layer.frames.tolist()}


def counts_of(written: Sequence[WrittenRecording], objects: ObjectFiles) -> dict[str, dict[str, Any]]:
    """Return what of each recording can be scored; numbers of masks, points, tracks and marks only where there are any."""
    counts = {one.recording.id: one.counts() for one in written}
    return {id_: counts.get(id_, {}) | objects.counts.get(id_, {}) for id_ in sorted(counts.keys() | objects.counts.keys())}


@dataclass(frozen=True)
class VocabularyFiles:
    """What is written of all recordings of one vocabulary; None where nothing is labelled so."""

    vocabulary: Vocabulary
    recognition: pd.DataFrame | None
    coco: Mapping[str, Any] | None


def write_recording(folder: Path, stamps: Stamps, pictures: Pictures, recording: Recording) -> WrittenRecording:
    """Write the files of one recording."""
    matrices = recognition.matrices(recording)
    boxed = detection.boxed(recording)
    names: list[str] = []
    folders: dict[str, Mapping[str, Any]] = {}
    paths: dict[int, str] = {}
    if recording.instances is not None:
        vocabulary = recording.instances.vocabulary
        names.append(f"{vocabulary.name}/recognition/{recording.id}.npz")
        hidden, stamp = recording.is_hidden(recording.instances.frames), stamps.of("recognition", vocabulary)
        with files.whole(folder / names[-1]) as part:
            part.write_bytes(recognition.archive(recording.instances, hidden, matrices, stamp))
        if boxed is not None:
            names.append(f"{vocabulary.name}/detection/{recording.id}.json")
            files.write_text(
                folder / names[-1], compact({**detection.layouts(boxed, vocabulary), "stamp": stamps.of("detection", vocabulary)})
            )
            paths = pictures.of(recording.id, boxed.frames)
            for layout in detection.LAYOUTS:
                folders |= _write_labels(folder, f"{vocabulary.name}/{layout}", detection.label_files(boxed, vocabulary, paths, layout))
    if recording.phases is not None:
        names.append(f"{recording.phases.vocabulary.name}/phases/{recording.id}.csv")
        files.write_text(folder / names[-1], phases(recording, recording.phases))
    return WrittenRecording(recording, matrices, boxed, paths, tuple(names), folders)


def _write_labels(folder: Path, below: str, texts: Mapping[str, str]) -> dict[str, Mapping[str, Any]]:
    written: dict[str, list[Path]] = {}
    for name, text in texts.items():
        path = folder / below / name
        files.write_text(path, text)
        written.setdefault(path.parent.relative_to(folder).as_posix(), []).append(path)
    return {name: digest(paths) for name, paths in written.items()}


def write_vocabularies(folder: Path, stamps: Stamps, written: Sequence[WrittenRecording], pictures: Pictures) -> list[VocabularyFiles]:
    """Write the files over all recordings of each vocabulary; return them for all vocabularies that are used."""
    used = {layer.vocabulary.name: layer.vocabulary for one in written for layer in _layers(one.recording)}
    wholes = []
    for name, vocabulary in sorted(used.items()):
        own = [one for one in written if _name(one.recording.instances) == name]
        boxed = [one.boxed for one in own if one.boxed is not None]
        rows = recognition.rows(vocabulary, [(one.recording, one.matrices) for one in own]) if own else None
        coco = detection.coco(vocabulary, boxed, pictures.table) if boxed else None
        wholes.append(VocabularyFiles(vocabulary, rows, coco))
        write_whole(folder / name, stamps, wholes[-1])
        for layout in detection.LAYOUTS if boxed else ():
            files.write_text(folder / name / layout / detection.NAMES, detection.names(vocabulary))
            write_sidecar(folder / name / layout, stamps.of("yolo", vocabulary))
        if (folder / name / "phases").is_dir():
            write_sidecar(folder / name / "phases", stamps.of("phases", vocabulary))
    return wholes


def write_whole(folder: Path, stamps: Stamps, whole: VocabularyFiles, **subset: Any) -> None:
    """Write recognition and detection of many recordings, each as the one file that a program takes."""
    if whole.recognition is not None:
        recognition.write(
            folder / "recognition.parquet", whole.vocabulary, whole.recognition, stamps.of("recognition", whole.vocabulary, **subset)
        )
    if whole.coco is not None:
        info = {"description": stamps.of("coco", whole.vocabulary)["definition"], "version": whole.vocabulary.version}
        info["stamp"] = stamps.of("coco", whole.vocabulary, **subset)
        files.write_text(folder / "coco.json", compact({"info": info, **whole.coco}))


def write_sheets(folder: Path, stamps: Stamps | None, skill: pd.DataFrame, errors: pd.DataFrame, splits: pd.DataFrame) -> None:
    """Write skill and errors per task, with their stamps where there are any."""
    for sheet, of_tasks in (("skill", skill_sheets(skill, splits)), ("errors", error_sheets(errors, splits))):
        for task, text in of_tasks.items():
            files.write_text(folder / sheet / f"{task}.csv", text)
        if of_tasks and stamps is not None:
            write_sidecar(folder / sheet, stamps.of(sheet, None))


def images(frames: pd.DataFrame) -> pd.DataFrame:
    """Return one image per recording and frame that has a file: of the left camera, mono, else right."""
    seen = of_reference_camera(frames)
    columns = ["id", "camera", "frame", "path", "width", "height"]
    return seen.loc[seen["path"].notna(), columns].sort_values(["id", "frame"], ignore_index=True)


def _layers(recording: Recording) -> list[Layer]:
    return [layer for layer in (recording.instances, recording.phases) if layer is not None]


def _name(layer: Layer | None) -> str | None:
    return None if layer is None else layer.vocabulary.name


PICTURES = "yolo.txt"
FOLDER_NAME = re.compile(r"\w[\w.-]*")


MASKS, POINTS, TRACKS, MARKS = "masks", "points", "tracks", "marks"


@dataclass
class ObjectFiles:
    """What was written.

    Parameters
    ----------
    wholes
        COCO data sets of all recordings, by vocabulary and kind.
    vocabularies
        The vocabularies, by name.
    names
        By recording its own files, relative to the ground truth.
    counts
        By recording what of it can be scored.
    """

    wholes: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    vocabularies: dict[str, Vocabulary] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    counts: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, id_: str, names: Iterable[str]) -> None:
        """Add files of a recording."""
        self.names.setdefault(id_, []).extend(names)

    def count(self, id_: str, **numbers: int) -> None:
        """Add numbers of frames of a recording; what is 0 is no kind of label there."""
        self.counts.setdefault(id_, {}).update({name: number for name, number in numbers.items() if number})


def write_objects(
    folder: Path, stamps: Stamps, every: Sequence[Objects], judged: Sequence[Judgements], images: pd.DataFrame
) -> ObjectFiles:
    """Write the files of all recordings.

    Parameters
    ----------
    folder
        The ground truth.
    every
        Recordings with masks, points or tracks, sorted by id.
    judged
        Recordings with marks, sorted by id.
    images
        Extracted frames, as `images` returns them.
    """
    first = images.drop_duplicates("id")
    sizes = dict(zip(first["id"].tolist(), zip(first["width"].tolist(), first["height"].tolist(), strict=True), strict=True))
    written = ObjectFiles(vocabularies={one.vocabulary.name: one.vocabulary for one in every})
    for name, vocabulary in sorted(written.vocabularies.items()):
        own = [one for one in every if one.vocabulary.name == name]
        for kind, coco_of in ((MASKS, objects.masks_coco), (POINTS, objects.points_coco)):
            document = coco_of(vocabulary, own, images)
            if document is not None:
                written.wholes[name, kind] = document
        for one in own:
            _write_tracks(folder, name, one, sizes, written)
        if (folder / name / TRACKS).is_dir():
            write_sidecar(folder / name / TRACKS, stamps.of(TRACKS, vocabulary))
    _write_wholes(folder, stamps, written, written.wholes)
    for of_marks in judged:
        path = f"{MARKS}/{of_marks.id}.csv"
        files.write_text(folder / path, judgements.sheet(of_marks))
        written.add(of_marks.id, [path])
        written.count(of_marks.id, mark_frames=len(of_marks.frames), mark_frames_left_out=of_marks.dropped_frames)
    if judged:
        write_sidecar(folder / MARKS, stamps.of(MARKS, None))
    return written


def write_objects_of_subset(folder: Path, stamps: Stamps, every: ObjectFiles, subset: Subset, ids: Set[str]) -> None:
    """Write masks and points of the recordings of a subset, into its folder; what is of one recording is listed there, and not repeated."""
    parts = {key: detection.only(document, ids) for key, document in every.wholes.items()}
    _write_wholes(folder, stamps, every, {key: part for key, part in parts.items() if part["images"]}, subset=subset)


def _write_tracks(folder: Path, name: str, one: Objects, sizes: Mapping[str, tuple[float, float]], written: ObjectFiles) -> None:
    width, height = sizes.get(one.id, (1, 1))
    for kind in one.kinds():
        texts = objects.track_files(one, kind, (int(width), int(height)))
        for file, text in texts.items():
            files.write_text(folder / name / TRACKS / kind / file, text)
        written.add(one.id, [f"{name}/{TRACKS}/{kind}/{file}" for file in texts])
    tracked = {frame for kind in one.kinds() for frame in one.tracked(kind)}
    written.count(one.id, mask_frames=len(one.masked()), point_frames=len(one.pointed()), track_frames=len(tracked))


def _write_wholes(
    folder: Path, stamps: Stamps, every: ObjectFiles, wholes: Mapping[tuple[str, str], Mapping[str, Any]], **subset: Any
) -> None:
    for (name, kind), document in wholes.items():
        vocabulary = every.vocabularies[name]
        stamp = stamps.of(kind, vocabulary, **subset)
        info = {"description": stamp["definition"], "version": vocabulary.version, "stamp": stamp}
        files.write_text(folder / name / f"{kind}.json", compact({"info": info, **document}))


@dataclass(frozen=True)
class WholeGroundTruth:
    """All that subsets are taken from.

    Parameters
    ----------
    written
        The recordings with labels.
    wholes
        What was written per vocabulary.
    skill, errors, splits
        The tables of the same name.
    objects
        What was written of masks, points, tracks and marks.
    """

    written: Sequence[WrittenRecording]
    wholes: Sequence[VocabularyFiles]
    skill: pd.DataFrame
    errors: pd.DataFrame
    splits: pd.DataFrame
    objects: ObjectFiles = field(default_factory=ObjectFiles)


def of_splits(splits: pd.DataFrame) -> Iterator[tuple[Subset, frozenset[str]]]:
    """Yield every subset of every fold of every scheme, with its recordings.

    Raises
    ------
    TableError
        When a name cannot be that of a folder.
    """
    keys = sorted(set(zip(splits["scheme"].tolist(), splits["fold"].tolist(), splits["subset"].tolist(), strict=True)))
    for key in keys:
        subset = Subset(*key)
        for column, name in (("scheme", subset.scheme), ("subset", subset.subset)):
            if not FOLDER_NAME.fullmatch(name):
                msg = f"table 'splits', column '{column}': '{name}' becomes the name of a folder: use letters, digits, '.', _ and -"
                raise TableError(msg)
        own = (splits["scheme"] == subset.scheme) & (splits["fold"] == subset.fold) & (splits["subset"] == subset.subset)
        yield subset, frozenset(splits.loc[own, "id"])


def write(folder: Path, stamps: Stamps, every: WholeGroundTruth, subset: Subset, ids: Set[str]) -> None:
    """Write the folder of one subset.

    Parameters
    ----------
    folder
        The ground truth, with the files of all recordings.
    stamps
        Of this run.
    every
        Labels, scores and errors of all recordings.
    subset, ids
        Which subset, and its recordings.
    """
    own = folder / subset.folder
    written = [one for one in every.written if one.recording.id in ids]
    for whole in every.wholes:
        _write_vocabulary(own / whole.vocabulary.name, stamps, _part(whole, ids), written, subset)
    write_objects_of_subset(own, stamps, every.objects, subset, ids)
    skill, errors = (table[table["id"].isin(ids)] for table in (every.skill, every.errors))
    write_sheets(own, None, skill, errors, every.splits.iloc[:0])  # which subset it is, the folder tells
    recordings: dict[str, dict[str, Any]] = {id_: {"files": {}, "folders": {}} for id_ in sorted(ids)}
    for one in written:
        recordings[one.recording.id] = {
            "files": {name: files.sha256_of(folder / name) for name in one.files},
            "folders": dict(one.folders),
        }
    for id_ in sorted(ids & every.objects.names.keys()):
        recordings[id_]["files"] |= {name: files.sha256_of(folder / name) for name in every.objects.names[id_]}
    hashes = {path.relative_to(own).as_posix(): files.sha256_of(path) for path in sorted(own.rglob("*")) if path.is_file()}
    files.write_json(own / LIST, {"stamp": stamps.of("subset", None, subset), "files": hashes, "recordings": recordings})


def _part(whole: VocabularyFiles, ids: Set[str]) -> VocabularyFiles:
    """Return what is of some recordings; None where they have nothing of a kind."""
    rows, coco = whole.recognition, whole.coco
    rows = None if rows is None else rows[rows["id"].isin(ids)].reset_index(drop=True)
    coco = None if coco is None else detection.only(coco, ids)
    rows = None if rows is None or rows.empty else rows
    return replace(whole, recognition=rows, coco=coco if coco and coco["images"] else None)


def _write_vocabulary(folder: Path, stamps: Stamps, part: VocabularyFiles, written: Sequence[WrittenRecording], subset: Subset) -> None:
    write_whole(folder, stamps, part, subset=subset)
    if part.coco is not None:
        shown = {image["recording"] for image in part.coco["images"]}
        of_vocabulary = [one for one in written if one.recording.id in shown]
        boxed = [one.boxed for one in of_vocabulary if one.boxed is not None]
        files.write_text(folder / PICTURES, detection.picture_list(boxed, {one.recording.id: one.pictures for one in of_vocabulary}))
