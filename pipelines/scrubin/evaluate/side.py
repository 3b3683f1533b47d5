"""One side of a score, ground truth or predictions: its labels by video, what is wrong with its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import numpy.typing as npt

from scrubin.base import files, strangers
from scrubin.base.errors import MetricsError
from scrubin.base.faults import Fault, count_text
from scrubin.base.vocabulary.vocabulary import Vocabulary, related
from scrubin.evaluate.series import IntArray, Series
from scrubin.labels import instance_spans, policy
from scrubin.labels.choices import Instant
from scrubin.labels.files import reader, suspicions
from scrubin.labels.files.reader import Options, Reading
from scrubin.labels.files.verdict import verdict_of
from scrubin.labels.formats.ground_truth import MANIFEST, inside_release
from scrubin.labels.model import Labels
from scrubin.labels.rates import Numbering, of_clock
from scrubin.labels.registry import WRITERS, DatasetFormat, Format

Wanted = Literal["instances", "boxes", "phases"]
NAMES: Mapping[Wanted, str] = {"instances": "classes of triplets or instruments", "boxes": "boxes", "phases": "phases"}
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
        That of files that do not name their own; None: that of the format, the folder or the other side.
    fps
        Frames per second by which files number frames where they do not say it; None: the custom of the format.
    instant
        Which instant of a frame's period decides its phase where files have spans of time.
    """

    path: Path
    format: str | None = None
    vocabulary: Vocabulary | None = None
    fps: Fraction | None = None
    instant: Instant = "start"


@dataclass(frozen=True, eq=False)
class Video:
    """What one side says of a video.

    Parameters
    ----------
    labels
        Labels or predictions.
    form, fps
        In which format they were read, and at which rate somebody says that its frames are numbered.
    """

    labels: Labels
    form: Format | DatasetFormat
    fps: Fraction | None

    @property
    def name(self) -> str:
        """Its name."""
        return self.labels.recording

    def series(self, file: str, frames: IntArray, values: npt.NDArray[Any], *, is_counted: bool = True) -> Series:
        """Return what is at each frame.

        Parameters
        ----------
        file
            Where it stands; named in messages when it is that of the video alone.
        is_counted
            Whether the format says how frames are numbered, where nobody says it; else as on the other side.

        Raises
        ------
        MetricsError
            When the format counts otherwise than is said.
        """
        numbering = _numbering(self.labels, self.form, self.fps) if is_counted or self.fps is not None else None
        return Series(frames, values, numbering, file if PurePosixPath(file).stem == self.name else "", self.labels.counts_time)


@dataclass(frozen=True, eq=False)
class Side:
    """One side, as far as it has what is wanted.

    Parameters
    ----------
    form
        In which format it was read.
    videos
        Those with labels, or predictions, of the wanted kind.
    paths
        The files that were read.
    faults
        What is wrong with them and stops nothing.
    line
        As what they were read, and which frames count, as every command says it; "" for what is no path by itself.
    """

    form: Format | DatasetFormat
    videos: tuple[Video, ...]
    paths: tuple[Path, ...] = ()
    faults: tuple[Fault, ...] = ()
    line: str = ""


@dataclass(frozen=True, eq=False)
class Predictions:
    """What is predicted in the classes of the truth, by video, what stops nothing, and as what the files were read."""

    series: Mapping[str, Series]
    faults: tuple[Fault, ...] = ()
    line: str = ""


def read_truth(source: Source, wanted: Wanted) -> Side:
    """Return the ground truth.

    Raises
    ------
    ScrubinError
        With everything that is wrong in any file.
    """
    options = Options(classes=source.vocabulary, instant=source.instant)
    reading = reader.read_path(source.path, source.format, options, wanted)
    return _side(source, wanted, reading)


def read_predictions(source: Source, wanted: Wanted, classes: Vocabulary) -> Side:
    """Return the predictions.

    Parameters
    ----------
    classes
        The vocabulary of the ground truth.

    Raises
    ------
    ScrubinError
        With everything that is wrong in any file.
    """
    options = Options(classes=source.vocabulary or classes, box_tolerance=PREDICTED_TOLERANCE, instant=source.instant)
    reading = reader.read_path(source.path, source.format, options, wanted, links_may_lead_out=False)
    read = _side(source, wanted, reading)
    if not read.videos and reading.collection.recordings:
        held = " and ".join(_held(reading.collection.recordings)) or "nothing that can be scored"
        raise refusal(source, "task-missing", f"the predictions hold {held}, but no {NAMES[wanted]}", "name those of this task")
    return read


def _held(recordings: Sequence[Labels]) -> list[str]:
    """Return what any recording has, in words."""
    has = {
        "phases": any(_has(labels, "phases") for labels in recordings),
        "recognition": any(labels.recognition is not None for labels in recordings),
        "instances": any(len(labels.instances.rows) if labels.instances else labels.spans is not None for labels in recordings),
    }
    return [name for name, is_there in has.items() if is_there]


def read_predicted_bytes(
    source: Source, wanted: Wanted, classes: Vocabulary, contents: Mapping[str, bytes], form: Format | DatasetFormat
) -> Side:
    """Return predictions from what was put together of several files; parameters as `read_predictions`, ``contents`` by name."""
    options = Options(classes=source.vocabulary or classes, box_tolerance=PREDICTED_TOLERANCE)
    return _side(source, wanted, reader.read_contents(contents, form, options))


def _side(source: Source, wanted: Wanted, reading: Reading) -> Side:
    policy.enforce("score", reading.faults)
    with_wanted = [labels for labels in reading.collection.recordings if _has(labels, wanted)]
    by_frame = [_with_frames(labels, reading.form, source.fps) for labels in with_wanted]
    videos = tuple(Video(labels, reading.form, source.fps) for labels in by_frame)
    line = f"{source.path}: {verdict_of(reading).line}" if reading.paths else ""
    # Whether one side is shifted against the other is judged where they are compared.
    faults = tuple(fault for fault in reading.faults if fault.rule != suspicions.FROM_ONE)
    return Side(reading.form, videos, reading.paths, faults, line)


def _has(labels: Labels, wanted: Wanted) -> bool:
    if wanted == "phases":
        return labels.phases is not None or labels.segments is not None
    return labels.instances is not None or labels.spans is not None or labels.recognition is not None


def _with_frames(labels: Labels, form: Format | DatasetFormat, fps: Fraction | None) -> Labels:
    """Return labels with the instances of spans by frame: where the spans count frames, by theirs, else one per second."""
    if labels.spans is None:
        return labels
    return instance_spans.with_frames(labels, WRITERS["tables"], fps or form.by_hand.fps, None, 0, Counter())


def _numbering(labels: Labels, form: Format | DatasetFormat, fps: Fraction | None) -> Numbering | None:
    """Return how labels are counted; None where that is only a custom and nobody says it.

    Raises
    ------
    MetricsError
        When the format counts otherwise than is said.
    """
    if labels.counts_time:
        return of_clock(labels.clock, None)
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


def one_vocabulary(source: Source, read: Side, videos: Sequence[Video]) -> Vocabulary:
    """Return the vocabulary of videos; raises `MetricsError` where they have several, or name other classes than were chosen."""
    chosen = source.vocabulary
    for video in videos:
        own = video.labels.vocabulary
        if chosen is not None and own.name != chosen.name and not related(own.name, chosen.name):
            what = f"{video.name} names the classes of '{own.name}', not of '{chosen.name}'"
            raise refusal(source, "vocabulary-chosen", what, "leave --vocabulary out", read=read)
    names = sorted({video.labels.vocabulary.name for video in videos})
    if len(names) > 1:
        what = f"there are several vocabularies ({', '.join(names)})"
        raise refusal(source, "vocabulary-several", what, "score them one by one", read=read)
    return videos[0].labels.vocabulary


def refusal(
    source: Source, rule: str, what: str, fix: str, *, place: str = "", frames: Iterable[int] = (), read: Side | None = None
) -> MetricsError:
    """Return the error of a side that cannot be scored; parameters as of ``Fault``.

    Parameters
    ----------
    read
        Where what is wanted is not in the files: what was read, whose faults may say why.
    """
    fault = Fault(str(source.path), rule, what, fix, place, frames=tuple(frames))
    return MetricsError([fault, *(() if read is None else read.faults)])


def sentence_on_changed_truth(truth: Path) -> str | None:
    """Return the sentence on files that have changed since their manifest was written; None where none has, or there is no manifest.

    Parameters
    ----------
    truth
        A release, its ground truth, or a part of that.
    """
    inside = inside_release(truth).absolute()
    root = next((folder for folder in (inside, *inside.parents) if (folder / MANIFEST).is_file()), None)
    if root is None:
        return None
    try:
        document = strangers.read_json(root / MANIFEST)
    except (OSError, ValueError):
        return None
    if not isinstance(document, dict) or not {"frame_contract", "files"} <= document.keys():
        return None  # another program's file of this name
    named = document["files"]
    there = {name: root / name for name in named if (root / name).is_relative_to(inside) and (root / name).is_file()}
    changed = sorted(name for name, path in there.items() if files.sha256_of(path) != named[name])
    if not changed:
        return None
    what = f"{count_text(len(changed), 'file')} of the ground truth changed since the release, such as {changed[0]}"
    return f"{what}: the numbers are not those of others; run: scrubin ground-truth-check {truth}"


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
