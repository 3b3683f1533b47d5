"""One side of a score, ground truth or predictions: its files in any format to labels, and what is wrong with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path, PurePosixPath

from scrubin.core.faults import Fault
from scrubin.errors import MetricsError
from scrubin.labels import policy, reader
from scrubin.labels.export import span_frames
from scrubin.labels.model import Labels
from scrubin.labels.rates import Numbering, of_clock
from scrubin.labels.reader import Reading
from scrubin.labels.registry import WRITERS, Content, DatasetFormat, Format
from scrubin.vocabulary import vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary, related

UNIMPORTANT = ("not-kept", "frames-from-one")
"""What tables cannot hold is not needed for scores, and frames from 1 show when both sides are joined."""
PREDICTED_TOLERANCE = 1.0
"""What is predicted may leave the image; what leaves it by more than its side is in pixels."""


@dataclass(frozen=True)
class Source:
    """The files of one side, and what they do not say.

    Parameters
    ----------
    path
        A file or folder.
    format
        Name of the format; None: by what the files look like.
    vocabulary
        Name of the vocabulary of files that do not name their own; None: that of the format, the folder or the other side.
    fps
        Frames per second by which files number frames where they do not say it; None: the custom of the format.
    """

    path: Path
    format: str | None = None
    vocabulary: str | None = None
    fps: Fraction | None = None


def read_truth(source: Source, wanted: Content) -> Reading:
    """Return the labels of the ground truth.

    Raises
    ------
    ScrubinError
        With everything that is wrong in any file; also for files that name other classes than those that were chosen.
    """
    classes = vocabulary.load(source.vocabulary) if source.vocabulary else None
    reading = _read(source, wanted, reader.Options(classes=classes))
    for labels in reading.collection.recordings:
        if classes is not None and labels.vocabulary.name != classes.name and not related(labels.vocabulary.name, classes.name):
            what = f"{labels.recording} names the classes of '{labels.vocabulary.name}', not of '{classes.name}'"
            raise refusal(source, "vocabulary-chosen", what, "leave --vocabulary out")
    return reading


def read_predictions(source: Source, wanted: Content, classes: Vocabulary | None) -> Reading:
    """Return the predictions.

    Parameters
    ----------
    classes
        The vocabulary of the ground truth, where it has one.

    Raises
    ------
    AnnotationError
        With everything that is wrong in any file.
    """
    chosen = vocabulary.load(source.vocabulary) if source.vocabulary else classes
    return _read(source, wanted, reader.Options(classes=chosen, box_tolerance=PREDICTED_TOLERANCE))


def _read(source: Source, wanted: Content, options: reader.Options) -> Reading:
    reading = reader.read_path(source.path, source.format, options, wanted)
    policy.enforce("score", reading.faults)
    recordings = tuple(_with_frames(labels, reading.form, source.fps) for labels in reading.collection.recordings)
    faults = tuple(fault for fault in reading.faults if fault.rule not in UNIMPORTANT)
    return replace(reading, collection=replace(reading.collection, recordings=recordings), faults=faults)


def _with_frames(labels: Labels, form: Format | DatasetFormat, fps: Fraction | None) -> Labels:
    """Return labels with the instances of spans by frame: where the spans count frames, by theirs, else one per second."""
    if labels.spans is None:
        return labels
    return span_frames.with_frames(labels, WRITERS["tables"], fps or form.by_hand.fps, None, 0, Counter())


def one_vocabulary(source: Source, recordings: Sequence[Labels]) -> Vocabulary:
    """Return the vocabulary of recordings; raises `MetricsError` where they have several."""
    names = sorted({labels.vocabulary.name for labels in recordings})
    if len(names) > 1:
        what = f"there are several vocabularies ({', '.join(names)})"
        raise refusal(source, "vocabulary-several", what, "score them one by one")
    return recordings[0].vocabulary


def file_of(labels: Labels, file: str) -> str:
    """Return the file of a recording when it is that of the recording alone, for messages; "" when there are several."""
    return file if PurePosixPath(file).stem == labels.recording else ""


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
        what = f"{form.name} labels are numbered {counted.per_second} per second by the files themselves, not {fps}"
        fix = "leave --fps or --predictions-fps out, or number them anew"
        raise MetricsError([Fault(labels.recording, "rate-contradicted", what, fix)])
    return counted


def refusal(source: Source, rule: str, what: str, fix: str, *, place: str = "", frames: Iterable[int] = ()) -> MetricsError:
    """Return the error of a side that cannot be scored; parameters as of ``Fault``."""
    return MetricsError([Fault(str(source.path), rule, what, fix, place, frames=tuple(frames))])
