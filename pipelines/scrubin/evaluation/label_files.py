"""Label files of any format as ground truth or as predictions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path, PurePosixPath

from scrubin.core.faults import summary
from scrubin.errors import MetricsError
from scrubin.labels import detect, policy, reader
from scrubin.labels.export import span_frames
from scrubin.labels.model import Collection, Labels, Layer
from scrubin.labels.rates import Numbering, of_clock
from scrubin.labels.registry import WRITERS, DatasetFormat, Format
from scrubin.vocabulary.vocabulary import related

NOTES_SHOWN = 5
UNIMPORTANT = ("not-kept", "frames-from-one")


@dataclass(frozen=True)
class Asked:
    """How the files of one side are read.

    Parameters
    ----------
    path
        A file or folder.
    format
        Name of the format; None: by its signs.
    vocabulary
        Name of the vocabulary; None: that of the format or files.
    fps
        Frames per second by which files number frames where they do not say it; None: the custom of the format.
    """

    path: Path
    format: str | None = None
    vocabulary: str | None = None
    fps: Fraction | None = None


def collection_of(asked: Asked, box_tolerance: float = reader.BOX_TOLERANCE) -> tuple[Collection, Format | DatasetFormat]:
    """Return what the files say, and the format in which they were read.

    Parameters
    ----------
    asked
        Which files.
    box_tolerance
        A box may leave the image by this share of its side.

    Raises
    ------
    AnnotationError
        With everything that is wrong in any file.
    """
    form = detect.format_of_path(asked.path, asked.format)
    names_its_own = form.by_hand.brings_words or form.by_hand.vocabulary_of is not None
    options = reader.Options(None if names_its_own else asked.vocabulary, box_tolerance=box_tolerance)
    reading = reader.read_path(asked.path, form.name, options)
    policy.enforce("score", reading.faults)
    found = reading.collection
    recordings = tuple(_with_frames(labels, form, asked.fps) for labels in found.recordings)
    return replace(found, recordings=recordings, faults=reading.faults), form


def _with_frames(labels: Labels, form: Format | DatasetFormat, fps: Fraction | None) -> Labels:
    """Return labels with the instances of spans by frame: where the spans count frames, by theirs, else one per second."""
    if labels.spans is None:
        return labels
    return span_frames.with_frames(labels, WRITERS["tables"], fps or form.by_hand.fps, None, 0, Counter())


def check_vocabulary(asked: Asked, collection: Collection) -> None:
    """Refuse a ground truth whose files name other classes than those asked for; raises `MetricsError`."""
    for one in collection.recordings:
        name = one.vocabulary.name
        if asked.vocabulary is not None and name != asked.vocabulary and not related(name, asked.vocabulary):
            msg = f"{asked.path}: {one.recording} names the classes of '{name}', not of '{asked.vocabulary}'; leave --vocabulary out"
            raise MetricsError(msg)


def notes_of(collection: Collection) -> tuple[str, ...]:
    """Return what looked wrong when files were read, the first few.

    What tables cannot hold is not needed for scores, and frames from 1 show when both sides are joined.
    """
    return tuple(summary([fault for fault in collection.faults if fault.rule not in UNIMPORTANT], NOTES_SHOWN))


def file_of(labels: Labels, layer: Layer) -> str:
    """Return the file of a layer when it is that of the recording alone, for messages; "" when there are several."""
    return layer.file if PurePosixPath(layer.file).stem == labels.recording else ""


def numbering_of(labels: Labels, form: Format | DatasetFormat, fps: Fraction | None) -> Numbering | None:
    """Return how labels are counted; None where that is only a custom and nobody says it.

    Raises
    ------
    MetricsError
        When the format counts otherwise than is said.
    """
    if form.by_hand.fps_unstated:
        return None if fps is None else Numbering(fps)
    if labels.clock.period_s is None:
        return of_clock(labels.clock, fps or form.by_hand.fps)
    counted = of_clock(labels.clock, None)
    if fps is not None and counted.per_second != fps:
        msg = (
            f"{labels.recording}: {form.name} labels are numbered {counted.per_second} per second by the files themselves, not {fps}; "
            "leave --fps or --predictions-fps out, or number them anew"
        )
        raise MetricsError(msg)
    return counted
