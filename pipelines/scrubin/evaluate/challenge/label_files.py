"""Hidden labels in files of any format: which are of a subset, and its frames alone, which are public.

The frames alone are files, too: pictures with their size, and the classes; nothing is labelled in them. `scrubin submission check` takes
them in place of labels, so participants check at home what is checked on a platform.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection as Names
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.base import strangers
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.evaluate.contest_tasks import COCO, CONTESTS
from scrubin.evaluate.side import Source
from scrubin.evaluate.tasks.entries import Entries, held_against
from scrubin.labels.files import loss, output, reader
from scrubin.labels.files.loss import Fit
from scrubin.labels.files.reader import Options, Reading
from scrubin.labels.formats.objects import coco
from scrubin.labels.model import SOURCE_FRAMES, ClassList, Clock, Collection, Labels, Layer, mark_rows
from scrubin.labels.registry import WRITERS

Files = Mapping[str, bytes]
OF_PICTURES = "frames.json"
SIZE = ("position", "width", "height", "file_name")
"""What the frames alone say of a frame."""


def of_subset(
    path: Path, task: str, names: Names[str], classes: Vocabulary | None = None, image_size: tuple[int, int] | None = None
) -> tuple[Entries, Files, Files]:
    """Return what submissions are held against, the files of the hidden labels, and the frames alone.

    Parameters
    ----------
    path
        Labels in any format, of these videos and perhaps of others.
    names
        The hidden videos; those without labels are left out.
    classes
        Vocabulary of files that do not name their own.
    image_size
        Width and height in px of images whose size no file states.

    Raises
    ------
    ScrubinError
        With everything that is wrong with the labels.
    """
    declared = CONTESTS[task]
    against = held_against(task, Source(path, vocabulary=classes, image_size=image_size), dict.fromkeys(names, 0))
    reading = reader.read_path(path, None, Options(classes=classes, image_size=image_size), declared.wanted)
    hidden = set(against.videos)
    if declared.alone_format == COCO and reading.form.name == COCO and len(reading.paths) == 1:
        labelled, alone = ({OF_PICTURES: _part_of(reading.paths[0], hidden, labelled=one)} for one in (True, False))
        return against, labelled if declared.truth_format else _files_of(path, reading, hidden), alone
    subset = [labels for labels in reading.collection.recordings if labels.recording in hidden]
    if reading.form.by_hand.fps is None:  # where there is a custom, frames stay at it
        subset = [_by_number(labels) for labels in subset]
    # The frames alone count classes from 0: so must the labels, or a number would mean one class at home and another one on the platform.
    lists = [one for one in reading.collection.lists if one.is_of(hidden)]
    counts_otherwise = any(one.first for one in lists)
    # A size that somebody says is in no file: it has to be written into one.
    says_size = image_size is not None and reading.form.name in WRITERS
    truth_format = declared.truth_format or (reading.form.name if counts_otherwise or says_size else "")
    files = _written(subset, truth_format, reading, image_size) if truth_format else _files_of(path, reading, hidden)
    blank = [_blank(labels, against) for labels in subset]
    alone_format = declared.alone_format or reading.form.name
    frames = _written(blank, alone_format, reading, image_size) if alone_format in WRITERS else _table(blank)
    return against, files, frames if declared.truth_format or alone_format != COCO else _as_numbered(frames, lists)


def _by_number(labels: Labels) -> Labels:
    """Return labels whose frames of a source of unknown rate are written by their numbers, by which submissions are compared."""
    return labels if labels.clock != SOURCE_FRAMES else replace(labels, clock=Clock(Fraction(1)))


def _as_numbered(alone: Files, lists: Sequence[ClassList]) -> Files:
    """Return COCO files of frames alone with the classes in the order of the labels, which stay as they are: by it numbers are read."""
    orders = {(one.triplets, one.ids) for one in lists}
    if len(orders) != 1:
        return alone
    documents = {name: json.loads(data) for name, data in alone.items()}
    ((_, ids),) = orders
    for document in documents.values():
        every = document["categories"]
        document["categories"] = [{**every[id_], "id": number} for number, id_ in enumerate(ids, start=1)]
    return {name: _json(document) for name, document in documents.items()}


def _files_of(path: Path, reading: Reading, hidden: Names[str]) -> Files:
    """Return the files as they are, without those of other videos alone."""
    recordings = reading.collection.recordings
    of_file: dict[str, set[str]] = {}
    for labels in recordings:
        for layer in (labels.instances, labels.marks):
            of_file.setdefault(layer.file if layer is not None else "", set()).add(labels.recording)
    videos_in = {file: [videos for name, videos in of_file.items() if name and file.as_posix().endswith(name)] for file in reading.paths}
    beside: dict[Path, set[str]] = {}
    for file, known in videos_in.items():
        beside.setdefault(file.parent, set()).update(*known)
    files = {}
    for file, known in videos_in.items():
        # What lists the classes of the videos beside it goes with them.
        about = known or [videos for videos in (beside[file.parent],) if videos]
        if not about or any(not videos.isdisjoint(hidden) for videos in about):
            files[file.relative_to(path).as_posix() if path.is_dir() else file.name] = strangers.read_bytes(file)
    return files


def _part_of(file: Path, hidden: Names[str], *, labelled: bool) -> bytes:
    """Return a COCO file with the images of some videos alone, ids as they are; what is said beyond labels is left out."""
    document = strangers.read_json(file)
    frames = {number: frame for number, image in enumerate(document["images"]) if (frame := coco.frame_of(image)) and frame[0] in hidden}
    images = [
        {**{key: document["images"][number][key] for key in ("id", "file_name", "width", "height") if key in document["images"][number]}}
        | {"recording": recording, "frame": position}
        for number, (recording, position) in frames.items()
    ]
    ids = {image["id"] for image in images}
    annotations = [one for one in document["annotations"] if one["image_id"] in ids] if labelled else []
    return _json({"images": images, "annotations": annotations, "categories": document["categories"]})


def _blank(labels: Labels, against: Entries) -> Labels:
    """Return frames alone."""
    layer, marked = labels.instances, labels.marks
    series = against.truth.series[labels.recording]
    return Labels(
        labels.recording,
        labels.format,
        labels.vocabulary,
        labels.clock,
        instances=None if layer is None else replace(layer, rows=layer.rows.iloc[:0]),
        detail=labels.detail,
        frames=None if labels.frames is None else labels.frames[[name for name in SIZE if name in labels.frames]],
        marks=None if marked is None else _unsaid(marked, series.frames.tolist(), against.truth),
        counts_time=labels.counts_time,
    )


def _unsaid(layer: Layer, frames: Sequence[int], truth: Any) -> Layer:
    """Return the judged frames with the names of criteria and annotators; all say no."""
    rows = [(frame, name, rater, 0.0) for frame in frames for name in truth.names for rater in truth.raters]
    return replace(layer, positions=np.array(frames, np.int64), rows=mark_rows(rows))


def _written(recordings: Sequence[Labels], name: str, reading: Reading, image_size: tuple[int, int] | None) -> Files:
    """Return recordings in a format."""
    writer = output.writer_of(name)
    kept, _ = loss.fitted(Collection(tuple(recordings)), writer, Fit(reading.form.name, reading.form.by_hand.fps, image_size=image_size))
    return output.render(kept, writer).files


def _table(recordings: Sequence[Labels]) -> Files:
    """Return frames and criteria as a plain table, for formats that are only read."""
    layers = {labels.recording: labels.marks for labels in recordings if labels.marks is not None}
    names = sorted({str(name) for layer in layers.values() for name in layer.rows["mark"]})
    rows = [f"{video},{frame}{',0' * len(names)}" for video, layer in layers.items() for frame in layer.positions.tolist()]
    return {"frames.csv": "".join(f"{row}\n" for row in (",".join(["video", "frame", *names]), *rows)).encode()}


def images_in(alone: Files) -> tuple[dict[str, list[dict[str, Any]]], list[dict[str, Any]]]:
    """Return the images of every video, sorted by frame, and the categories of frames alone."""
    (data,) = alone.values()
    document = json.loads(data)
    images: dict[str, list[dict[str, Any]]] = {}
    for image in sorted(document["images"], key=lambda one: (one["recording"], one["frame"])):
        images.setdefault(image["recording"], []).append(image)
    return images, document["categories"]


def criteria_in(alone: Files) -> tuple[str, ...]:
    """Return the names of the criteria of frames alone."""
    with on_disk(alone) as folder:
        names: tuple[str, ...] = held_against("criteria", Source(folder)).truth.names
    return names


@contextmanager
def on_disk(files: Files) -> Iterator[Path]:
    """Yield a folder with files, as long as it is needed."""
    with tempfile.TemporaryDirectory() as place:
        write(files, Path(place))
        yield Path(place)


def write(files: Files, folder: Path) -> None:
    """Write files into a folder."""
    for name, data in sorted(files.items()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def _json(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n").encode()
