"""Suspects of what lies at a path, in any format: labels, predictions of them, and the videos in which each can be looked at."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault
from scrubin.labels.files import reader
from scrubin.labels.files.detect import PREDICTIONS_FROM
from scrubin.labels.files.reader import Options, Reading
from scrubin.labels.model import Labels
from scrubin.labels.policy import enforce
from scrubin.labels.registry import AnyFormat
from scrubin.labels.suspects import pages, ranking
from scrubin.labels.suspects.pages import Shown
from scrubin.labels.suspects.ranking import Ranking
from scrubin.labels.suspects.suspect import Suspect

VIDEO_SUFFIXES = (".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpg", ".webm")
RELEASED_VIDEOS = "videos"


def suspects(
    path: Path,
    form: AnyFormat | None,
    options: Options,
    predictions: Sequence[Path] = (),
    of_predictions: AnyFormat | None = None,
    videos: Path | None = None,
    more: Iterable[Suspect] = (),
    shown: Mapping[str, Shown] | None = None,
) -> Ranking:
    """Return what is probably wrong in the labels at a path; of files with errors, in what could be read.

    Parameters
    ----------
    path, form, options
        As of `reader.read_path`.
    predictions
        Where predictions lie of models that have not seen the recording which they predict; phases and triplets may lie apart.
    of_predictions
        Their format; None: as the files look.
    videos
        Folder with videos that are called as the recordings; None: those of a release.
    more
        Suspects of other evidence.
    shown
        Recordings that the label page shows, by the name that their labels have; None for none.

    Raises
    ------
    AnnotationError
        When nothing can be read, predictions have an error, or there are no recordings with labels of frames.
    """
    reading = reader.read_path(path, form, options)
    recordings = _by_frame(reading)
    if not recordings:
        what = "there is no recording with labels of frames, so that nothing in it can be suspect"
        raise AnnotationError([Fault(str(path), "no-recording", what, "name label files of phases, instruments, triplets or marks")])
    asked = replace(options, classes=recordings[0].vocabulary, vocabulary=None, format_option=PREDICTIONS_FROM)
    predicted = [_predicted(one, of_predictions, asked) for one in predictions]
    found = ranking.rank(recordings, reading.form.by_hand.fps, _joined(predicted) if predicted else None, more, options.first)
    found = replace(
        found,
        notes=(*_unread(reading), *found.notes),
        suspects=tuple(_with_pages(found.suspects, recordings, shown or {}, options.first)),
    )
    folder = videos or (path / RELEASED_VIDEOS if (path / RELEASED_VIDEOS).is_dir() else None)
    return found if folder is None else replace(found, suspects=tuple(_linked(found.suspects, folder)))


def _by_frame(reading: Reading) -> list[Labels]:
    form = reading.form
    # What of spans no frame has is said by `validate`, which shows suspects beside it.
    by_frame = [reader.all_by_frame(labels, form, None, Counter()) for labels in reading.collection.recordings]
    return [one for one in by_frame if any(layer is not None for layer in (one.phases, one.instances, one.recognition, one.marks))]


def _unread(reading: Reading) -> list[str]:
    """Return in a sentence that something was not looked at, as it could not be read."""
    errors = [one for one in reading.faults if one.severity == "error"]
    if not errors:
        return []
    first = ", ".join(filter(None, (errors[0].file, errors[0].place)))
    return [f"what has errors is not looked at: {len(errors)}, such as {first}: {errors[0].what}"]


def _predicted(path: Path, form: AnyFormat | None, options: Options) -> list[Labels]:
    reading = reader.read_path(path, form, options)
    enforce("score", reading.faults)
    return _by_frame(reading)


def _joined(every: Iterable[Iterable[Labels]]) -> list[Labels]:
    """Return predictions with the layers of all places by recording; of two that say the same, the first counts."""
    joined: dict[str, Labels] = {}
    for labels in itertools.chain.from_iterable(every):
        before = joined.setdefault(labels.recording, labels)
        if before.vocabulary.name == labels.vocabulary.name:
            joined[labels.recording] = replace(
                before,
                phases=before.phases or labels.phases,
                instances=before.instances or labels.instances,
                recognition=before.recognition or labels.recognition,
            )
    return list(joined.values())


def _with_pages(suspects: Iterable[Suspect], recordings: Iterable[Labels], shown: Mapping[str, Shown], first: int) -> Iterator[Suspect]:
    clocks = {labels.recording: labels.clock for labels in recordings}
    for one in suspects:
        if one.page or one.recording not in shown or one.recording not in clocks:
            yield one
        else:
            yield replace(one, page=pages.address(one, clocks[one.recording], shown[one.recording], first))


def _linked(suspects: Iterable[Suspect], folder: Path) -> list[Suspect]:
    """Return suspects with a link into a video of their recording, as browsers and players open it: ``#t=`` and the second."""
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in VIDEO_SUFFIXES)
    first = {path.stem: path for path in reversed(files)}
    return [
        one
        if one.time_s is None or one.recording not in first
        else replace(one, open=f"{quote(first[one.recording].as_posix())}#t={one.time_s:.3f}")
        for one in suspects
    ]
