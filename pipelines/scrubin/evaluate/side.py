"""One side of a score, ground truth or predictions: its labels by video, what is wrong with its files."""

from __future__ import annotations

from collections.abc import Collection as Names
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np

from scrubin.base import files, strangers
from scrubin.base.errors import AnnotationError, MetricsError
from scrubin.base.faults import Fault, count_text, error, warning
from scrubin.base.vocabulary.vocabulary import Component, Vocabulary, related
from scrubin.evaluate.released_truth import stated_rate
from scrubin.evaluate.series import Series, listed
from scrubin.labels.choices import Instant
from scrubin.labels.files import reader, suspicions
from scrubin.labels.files.detect import PREDICTIONS_FROM, are_empty, detected, unread_faults
from scrubin.labels.files.reader import FrameReading, NumberedLabels, Options, Reading
from scrubin.labels.files.verdict import verdict_of
from scrubin.labels.formats.ground_truth import inside_release
from scrubin.labels.model import ClassList, Labels, Recognition
from scrubin.labels.registry import AnyFormat

Wanted = Literal["instances", "boxes", "points"]
NAMES: Mapping[Wanted, str] = {"instances": "classes of triplets or instruments", "boxes": "boxes", "points": "points"}
PREDICTED_TOLERANCE = 1.0
"""What is predicted may leave the image; what leaves it by more than its side is in pixels."""


@dataclass(frozen=True)
class Source:
    """The files of one side, and what they do not say.

    Parameters
    ----------
    path
        A file or folder.
    form
        The format; None: by what the files look like.
    vocabulary
        That of files that do not name their own; None: that of the format, the folder or the other side.
    fps
        Frames per second by which files number frames where they do not say it; None: the custom of the format.
    instant
        Which instant of a frame's period decides its phase where files have spans of time.
    image_size
        Width and height in px of images whose size no file states.
    spans_fps
        At how many instants a second spans of phases are taken where nobody says ``fps``; None: the usual one.
    frames_alone
        Whether labels may be frames of which nothing is labelled, as participants get them: then nothing can be scored.
    """

    path: Path
    form: AnyFormat | None = None
    vocabulary: Vocabulary | None = None
    fps: Fraction | None = None
    instant: Instant = "start"
    image_size: tuple[int, int] | None = None
    frames_alone: bool = False
    spans_fps: Fraction | None = None


@dataclass(frozen=True, eq=False)
class Side:
    """One side, as far as it has what is wanted.

    Parameters
    ----------
    of_frames
        What was read.
    line
        As what it was read, and which frames count, as every command says it; "" for what is no path by itself.
    beside
        What is to be said of files that it was not made of.
    is_vocabulary_said
        Whether somebody said of which vocabulary the classes are.
    """

    of_frames: FrameReading
    line: str = ""
    beside: tuple[Fault, ...] = ()
    is_vocabulary_said: bool = False

    @property
    def form(self) -> AnyFormat:
        """In which format it was read."""
        return self.of_frames.reading.form

    @property
    def videos(self) -> tuple[NumberedLabels, ...]:
        """Those with labels, or predictions, of the wanted kind."""
        return self.of_frames.recordings

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that were read."""
        return self.of_frames.reading.paths

    def file_of(self, told: str) -> str:
        """Return where labels stand: some formats of several videos tell only the video, and of one file alone all are in it."""
        return str(self.paths[0]) if len(self.paths) == 1 else told

    @property
    def lists(self) -> tuple[ClassList, ...]:
        """What the numbers of classes mean where predictions do not name them: what the files list of what is labelled.

        Without a list they are the instruments of the vocabulary where instruments are labelled; where triplets are, there is none.
        """
        labelled = [labels for labels in self.of_frames.found if labels.instances is not None or labels.spans is not None]
        if len({labels.detail for labels in labelled}) != 1:
            return ()
        triplets = labelled[0].detail == "triplet"
        listed = tuple(one for one in self.of_frames.reading.collection.lists if one.triplets == triplets)
        return listed if listed or triplets else (_whole(labelled[0].vocabulary),)

    @property
    def whole_lists(self) -> tuple[ClassList, ...]:
        """All classes, where only their names say which vocabulary they are of; none where it is said, or a format has just one."""
        return () if self.is_vocabulary_said else self.of_frames.reading.collection.lists

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong with them and stops nothing; whether one side is shifted against the other is judged where they are compared."""
        reading = self.of_frames.reading
        as_read = (fault for fault in reading.faults if fault.rule != suspicions.FROM_ONE)
        return (*as_read, *self.of_frames.lost, *unread_faults(reading.form.name, reading.unread), *self.beside)


@dataclass(frozen=True, eq=False)
class Predictions:
    """What is predicted in the classes of the truth, by video, what stops nothing, and as what the files were read."""

    series: Mapping[str, Series]
    faults: tuple[Fault, ...] = ()
    line: str = ""
    further: tuple[str, ...] = ()
    """Phases that the truth does not have; their ids are the next ones."""
    source: Path = Path()
    """What was named."""


def read_truth(source: Source, wanted: Wanted) -> Side:
    """Return the labelled instances of the ground truth.

    Raises
    ------
    ScrubinError
        With everything that is wrong in any file.
    """
    options = Options(classes=source.vocabulary, instant=source.instant, image_size=source.image_size)
    reading = reader.read_path(source.path, source.form, options, wanted)
    by_frame = reader.instances_by_frame(reading, true_rate(source.path, source.fps))
    return Side(by_frame, _line(source, reading), is_vocabulary_said=source.vocabulary is not None)


def taking_part(
    lists: Sequence[ClassList], vocabulary: Vocabulary, component: Component, labelled: Iterable[int], number: int
) -> tuple[int, ...]:
    """Return the ids of the classes of a component that take part where one counts that nobody labels.

    What a vocabulary has beyond what files list is none of a study that was only found to use its names.

    Parameters
    ----------
    lists
        Of the ground truth, as `Side.whole_lists`; without any the whole vocabulary takes part.
    labelled
        Ids that are labelled. What is predicted decides nothing: all teams have the same classes.
    number
        How many classes the component has.
    """
    if not lists:
        return tuple(range(number))
    of_triplet = vocabulary.component(component)
    own = [one for one in lists if one.triplets or component == "i"]
    return tuple(sorted({*labelled, *(of_triplet[id_] if one.triplets else id_ for one in own for id_ in one.ids)}))


def only_predicted(
    further: Mapping[str, Iterable[int]],
    names: Mapping[str, Mapping[str, str]],
    so: str = "what is predicted of them is false",
    fix: str = "correct what is one of theirs, or name the vocabulary by --vocabulary",
) -> tuple[Fault, ...]:
    """Return the warning of classes that predictions have and the labels do not have, or where it matters neither list nor have.

    Parameters
    ----------
    further
        Their ids, by component.
    names
        As `score_document.class_names`.
    so, fix
        What follows, and what to do.
    """
    every = dict.fromkeys(f"'{names[component][str(id_)]}'" for component, ids in further.items() for id_ in sorted(ids))
    what = f"the labels do not have these classes, so {so}: {listed([*every])}"
    return (warning("", "class-further", what, fix),) if every else ()


def read_true_phases(source: Source) -> Side:
    """Return the labelled phases of the ground truth; errors as of `read_truth`."""
    reading = reader.read_path(source.path, source.form, Options(classes=source.vocabulary, instant=source.instant), "phases")
    fps, spans_fps = true_rate(source.path, source.fps), source.spans_fps or reader.SPANS_FPS
    said = reader.said_of_spans(reading.collection.recordings, fps, spans_fps)
    return Side(reader.phases_by_frame(reading, fps, spans_fps), f"{_line(source, reading)}{said and f'{said} (--fps)'}")


def read_true_marks(source: Source) -> Side:
    """Return what annotators say of frames, by marks; errors as of `read_truth`."""
    reading = reader.read_path(source.path, source.form, Options(classes=source.vocabulary), "marks")
    return Side(reader.marks_by_frame(reading, true_rate(source.path, source.fps)), _line(source, reading))


def true_rate(truth: Path, fps: Fraction | None) -> Fraction | None:
    """Return the frames per second of labels: those that their release states, else what somebody says; None where nobody says it.

    Raises
    ------
    MetricsError
        When somebody says another rate than the release.
    """
    stated = stated_rate(truth)
    if stated is not None and fps not in (None, stated):
        what = f"the release has {stated} extracted frames per second, not {fps}"
        raise MetricsError([error(str(truth), "rate-contradicted", what, "leave --fps out")])
    return stated or fps


def read_predicted_marks(source: Source, videos: Names[str], criteria: Names[str]) -> Side:
    """Return predicted marks; errors as of `read_predictions`, ``criteria`` are those of the ground truth."""
    options = Options(classes=source.vocabulary, criteria=frozenset(criteria), predicted=True, format_option=PREDICTIONS_FROM)
    reading = reader.read_path(source.path, source.form, options, "marks", videos=videos)
    return _predicted(source, reader.marks_by_frame(reading, source.fps), "criteria", _line(source, reading))


def form_of_predictions(source: Source, of_truth: AnyFormat | None, wanted: Literal["boxes", "points"]) -> AnyFormat:
    """Return as what predicted instances are read.

    Files that are all empty can tell no format. As texts of the ground truth's they predict nothing, which a tracker may do.

    Raises
    ------
    AnnotationError
        As `detected`.
    """
    if source.form is not None:
        return source.form
    try:
        form = detected(source.path, wanted, option=PREDICTIONS_FROM)
    except AnnotationError:
        if of_truth is None or not are_empty(source.path, of_truth):
            raise
    else:
        # Lists of classes alone may have told it.
        if of_truth is None or form is of_truth or not are_empty(source.path, of_truth):
            return form
    return of_truth


def read_predictions(source: Source, wanted: Wanted, classes: Vocabulary, lists: tuple[ClassList, ...], videos: Names[str]) -> Side:
    """Return the predicted instances, or scores of classes.

    Parameters
    ----------
    classes, lists
        The vocabulary of the ground truth, and what it means by numbers.
    videos
        Those that count: what others mean by numbers says nothing.

    Raises
    ------
    ScrubinError
        With everything that is wrong in any file.
    """
    options = _as_predicted(source, classes, _lists_of(videos, lists, classes))
    reading = reader.read_path(source.path, source.form, options, wanted, videos=videos)
    return _predicted(source, reader.instances_by_frame(reading, source.fps), NAMES[wanted], _line(source, reading))


def read_predicted_phases(
    source: Source, classes: Vocabulary, videos: Names[str], true_fps: Fraction | None = None, *, may_have_further: bool = False
) -> Side:
    """Return the predicted phases; errors as of `read_predictions`.

    Parameters
    ----------
    classes, videos
        The vocabulary of the ground truth, and its videos.
    true_fps
        The rate that the release of the ground truth states: spans of time are taken at it.
    may_have_further
        Whether tables may have phases that are not in this vocabulary.
    """
    spans_fps = true_fps or source.spans_fps or reader.SPANS_FPS
    options = replace(_as_predicted(source, classes), labelled_videos=frozenset(videos), may_have_further=may_have_further)
    reading = reader.read_path(source.path, source.form, options, "phases", videos=videos)
    by_frame = reader.phases_by_frame(reading, source.fps, spans_fps)
    said = reader.said_of_spans(reading.collection.recordings, source.fps, spans_fps)
    return _predicted(source, by_frame, "phases", f"{_line(source, reading)}{said and f'{said} (--predictions-fps)'}")


def read_predicted_bytes(source: Source, classes: Vocabulary, contents: Mapping[str, bytes], form: AnyFormat) -> Side:
    """Return predictions from what was put together of several files; parameters as `read_predictions`, ``contents`` by name."""
    options = Options(classes=source.vocabulary or classes, box_tolerance=PREDICTED_TOLERANCE, predicted=True)
    return _predicted(source, reader.instances_by_frame(reader.read_contents(contents, form, options), source.fps), NAMES["boxes"])


def _as_predicted(source: Source, classes: Vocabulary, lists: tuple[ClassList, ...] = ()) -> Options:
    known = source.vocabulary or classes
    own = lists if known.name == classes.name else ()
    return Options(
        classes=known,
        box_tolerance=PREDICTED_TOLERANCE,
        instant=source.instant,
        image_size=source.image_size,
        lists=own,
        predicted=True,
        format_option=PREDICTIONS_FROM,
    )


def _lists_of(videos: Iterable[str], lists: tuple[ClassList, ...], classes: Vocabulary) -> tuple[ClassList, ...]:
    """Return the lists of some videos; the instruments of the vocabulary where only others have some."""
    names = set(videos)
    listed = tuple(one for one in lists if one.is_of(names))
    return listed if listed or not lists or lists[0].triplets else (_whole(classes),)


def _whole(classes: Vocabulary) -> ClassList:
    return ClassList("", tuple(range(len(classes.instruments))))


def _line(source: Source, reading: Reading) -> str:
    return f"{source.path}: {verdict_of(reading).line}"


def _predicted(source: Source, by_frame: FrameReading, name: str, line: str = "") -> Side:
    """Return predictions, with a warning where nothing is predicted; raises `MetricsError` where there are some, but none of this task."""
    recordings = by_frame.reading.collection.recordings
    held = _held(recordings)
    if not by_frame.found and recordings:
        what = f"the predictions hold {' and '.join(held) or 'nothing that can be scored'}, but no {name}"
        raise MetricsError([error(str(source.path), "task-missing", what, "name those of this task")])
    fix = "look whether whatever predicts has written its files to the end"
    empty = warning(str(source.path), "predictions-empty", "nothing is predicted in any video", fix)
    return Side(by_frame, line, () if held else (empty,))


def _held(recordings: Sequence[Labels]) -> list[str]:
    """Return what any recording has, in words."""
    has = {
        "phases": any(labels.phases is not None or labels.segments is not None for labels in recordings),
        "recognition": any(labels.recognition is not None for labels in recordings),
        "criteria": any(labels.marks is not None for labels in recordings),
        "instances": any(len(labels.instances.rows) if labels.instances else labels.spans is not None for labels in recordings),
    }
    return [name for name, is_there in has.items() if is_there]


def refuse_predicted(source: Source, read: Side) -> None:
    """Refuse a truth whose labels have scores: they are predictions; raises `MetricsError`."""
    for video in read.videos:
        scores, layer = video.labels.recognition, video.labels.instances
        unsure = layer is not None and bool((layer.rows["score"].fillna(1.0) != 1).any())
        if unsure or (scores is not None and not scores.beside_labels):
            what = f"{video.name} has {_first_score(scores)}, but labels are 0 or 1"
            fix = "are ground truth and predictions swapped?"
            raise MetricsError([error(str(source.path), "label-value", what, fix), *read.faults])


def _first_score(scores: Recognition | None) -> str:
    if scores is None:
        return "instances with a confidence"
    unsure = np.argwhere((scores.scores != 0) & (scores.scores != 1))
    if not len(unsure):
        return "predicted scores"
    row, column = unsure[0].tolist()
    return f"the score {scores.scores[row, column]:g} of class {column} in frame {scores.positions[row]}"


def one_vocabulary(source: Source, read: Side, videos: Sequence[NumberedLabels]) -> Vocabulary:
    """Return the vocabulary of videos; raises `MetricsError` where they have several, or name other classes than were chosen."""
    file, chosen = str(source.path), source.vocabulary
    names = {video.name: video.labels.vocabulary.name for video in videos}
    other = next((video for video, own in names.items() if chosen and own != chosen.name and not related(own, chosen.name)), None)
    if chosen is not None and other is not None:
        what = f"{other} names the classes of '{names[other]}', not of '{chosen.name}'"
        raise MetricsError([error(file, "vocabulary-chosen", what, "leave --vocabulary out"), *read.faults])
    if len(set(names.values())) > 1:
        what = f"there are several vocabularies ({', '.join(sorted(set(names.values())))})"
        raise MetricsError([error(file, "vocabulary-several", what, "score them one by one"), *read.faults])
    return videos[0].labels.vocabulary


NOTHING = 2
"""A file of fewer bytes is the same for many videos, such as a list without boxes."""


def sentence_on_copied_truth(truth: Path, predictions: Path) -> str | None:
    """Return the sentence on predictions all of whose files have the content of files of the ground truth; None otherwise.

    Parameters
    ----------
    truth, predictions
        Files or folders that exist.
    """
    theirs = {path: path.stat().st_size for path in _files(predictions)}
    by_size: dict[int, list[Path]] = {}
    for path in _files(truth):
        by_size.setdefault(path.stat().st_size, []).append(path)
    # Sizes first: most predictions need not be read a second time.
    if not any(size > NOTHING for size in theirs.values()) or not all(size in by_size for size in theirs.values()):
        return None
    hashes: dict[int, set[str]] = {}
    for path, size in theirs.items():
        if size not in hashes:
            hashes[size] = {files.sha256_of(one) for one in by_size[size]}
        if files.sha256_of(path) not in hashes[size]:
            return None
    of = count_text(len(theirs), "file")
    name = strangers.real(predictions).name
    return f"{name}: the labels are scored against themselves: {of}, all with the SHA-256 of files of the ground truth"


def _files(path: Path) -> list[Path]:
    inside = inside_release(path)
    return [inside] if inside.is_file() else sorted(one for one in inside.rglob("*") if one.is_file())
