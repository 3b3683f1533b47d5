"""All suspects of labels, read already or at a path in any format, from the most probable one on."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import quote

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault
from scrubin.labels.files import reader
from scrubin.labels.files.detect import PREDICTIONS_FROM
from scrubin.labels.files.reader import Options, Reading
from scrubin.labels.model import ClassesOf, Labels
from scrubin.labels.policy import enforce
from scrubin.labels.registry import AnyFormat
from scrubin.labels.rows import detected_classes
from scrubin.labels.suspects import of_predictions, other_recordings, rules, suspect
from scrubin.labels.suspects.sequence import LabelSequence, of_labels
from scrubin.labels.suspects.suspect import ShownRecording, Suspect

VIDEO_SUFFIXES = (".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpg", ".webm")
RELEASED_VIDEOS = "videos"


def at_path(
    path: Path,
    form: AnyFormat | None,
    options: Options,
    predictions: Sequence[Path] = (),
    of_predictions: AnyFormat | None = None,
    videos: Path | None = None,
    more: Iterable[Suspect] = (),
    shown: Mapping[str, ShownRecording] | None = None,
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
    found = rank(recordings, reading.form.by_hand.fps, _joined(predicted) if predicted else None, more, options.first)
    found = replace(
        found,
        notes=(*_unread(reading), *found.notes),
        suspects=tuple(_with_pages(found.suspects, recordings, shown or {}, options.first)),
    )
    folder = videos or (path / RELEASED_VIDEOS if (path / RELEASED_VIDEOS).is_dir() else None)
    return found if folder is None else replace(found, suspects=tuple(_linked(found.suspects, folder)))


def rank(
    recordings: Sequence[Labels],
    source_fps: Fraction | None = None,
    predictions: Sequence[Labels] | None = None,
    more: Iterable[Suspect] = (),
    first: int = 0,
) -> Ranking:
    """Return what is probably wrong in labels; nothing is changed.

    Parameters
    ----------
    recordings
        Labels by frame.
    source_fps
        Frames per second of the source, where labels are numbered by its frames; None where nobody says it.
    predictions
        Of a model that has not seen the labels of the recording that it predicts; None for none.
    more
        Suspects of other evidence, such as people who differ; their times stay.
    first
        The number of the first frame, at time 0.
    """
    recordings = sorted(recordings, key=lambda one: one.recording)
    found, notes = [one for labels in recordings for one in rules.suspects(labels, source_fps)], []
    by_name = {one.recording: one for one in predictions or ()}
    sequences: dict[str, LabelSequence] = {}
    for of_kind, classes_of in _kinds(recordings):
        names = of_kind[0].vocabulary
        of_them = [of_labels(labels, source_fps, classes_of) for labels in of_kind]
        sequences |= {one.recording: one for one in of_them}
        found += other_recordings.suspects(of_them, names)
        if len(of_kind) < other_recordings.FEWEST:
            like_it = "triplets" if classes_of == "ivt" else "instruments without verbs and targets"
            with_them = f" with {like_it}" if len([one for one in recordings if one.vocabulary.name == names.name]) > 1 else ""
            only = f"{of_kind[0].recording} is the only recording of '{names.name}'{with_them}"
            notes.append(f"{only}: no other one can say what is unusual in it")
        known = {name: one for name, one in by_name.items() if one.vocabulary.name == names.name}
        found += of_predictions.suspects(of_them, known, names)
    if predictions is not None:
        notes += _unused(by_name, recordings)
    timed = (replace(one, time_s=sequences[one.recording].time_s(one.first - first)) for one in found)
    return Ranking(tuple(suspect.ranked([*timed, *more])), tuple(notes))


@dataclass(frozen=True)
class Ranking:
    """Suspects, most probable first, and in sentences what was not asked, or not found in the predictions."""

    suspects: tuple[Suspect, ...]
    notes: tuple[str, ...] = ()

    def as_json(self, count: int) -> dict[str, Any]:
        """Return the first ones as a JSON value, with how many there are by evidence."""
        return {
            "found": len(self.suspects),
            "by_evidence": dict(suspect.counts(self.suspects)),
            "notes": list(self.notes),
            "listed": [{"rank": rank, **one.as_json()} for rank, one in enumerate(self.suspects[:count], start=1)],
        }

    def lines(self, count: int) -> list[str]:
        """Return the first ones as lines, below how many there are."""
        listed = self.suspects[:count]
        by_evidence = ", ".join(f"{name} {number}" for name, number in suspect.counts(self.suspects).items())
        found = f"{len(self.suspects)} places that are perhaps wrong" + (f" ({by_evidence})" if by_evidence else "")
        numbered = (f"{number:4d}. {one.sentence}" for number, one in enumerate(listed, start=1))
        return [f"suspects: the first {len(listed)} of {found}", *(f"note: {note}" for note in self.notes), *numbered]


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


def _with_pages(
    suspects: Iterable[Suspect], recordings: Iterable[Labels], shown: Mapping[str, ShownRecording], first: int
) -> Iterator[Suspect]:
    clocks = {labels.recording: labels.clock for labels in recordings}
    for one in suspects:
        if one.page or one.recording not in shown or one.recording not in clocks:
            yield one
        else:
            yield replace(one, page=suspect.address_on_page(one, clocks[one.recording], shown[one.recording], first))


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


def _kinds(recordings: Sequence[Labels]) -> Iterator[tuple[list[Labels], ClassesOf]]:
    """Yield the recordings that can be compared: of one vocabulary and kind of classes; those without any go with the most."""
    by_vocabulary: dict[tuple[str, str], list[Labels]] = {}
    for labels in recordings:
        by_vocabulary.setdefault((labels.vocabulary.name, labels.vocabulary.sha256), []).append(labels)
    for _, of_one in sorted(by_vocabulary.items()):
        has_any = [labels.instances is not None and len(labels.instances.rows) > 0 for labels in of_one]
        kinds = Counter(detected_classes(labels) for labels, has in zip(of_one, has_any, strict=True) if has)
        most: ClassesOf = "ivt" if kinds["ivt"] and kinds["ivt"] >= kinds["i"] else "i"
        for kind in sorted(kinds) or [most]:
            yield [one for one, has in zip(of_one, has_any, strict=True) if (detected_classes(one) if has else most) == kind], kind


def _unused(by_name: Mapping[str, Labels], recordings: Sequence[Labels]) -> list[str]:
    """Return which predictions say nothing of any labels, and why."""
    vocabularies = {labels.recording: labels.vocabulary.name for labels in recordings}
    unknown = sorted(set(by_name) - set(vocabularies))
    notes = [f"predictions of recordings without labels are not used: {len(unknown)}, such as {unknown[0]}"] if unknown else []
    without = sorted(set(vocabularies) - set(by_name))
    notes += [f"recordings without predictions: {len(without)}, such as {without[0]}"] if without else []
    for name in sorted(set(by_name) & set(vocabularies)):
        if by_name[name].vocabulary.name != vocabularies[name]:
            theirs = by_name[name].vocabulary.name
            notes.append(f"predictions of {name} are of the vocabulary '{theirs}', its labels of '{vocabularies[name]}': they are not used")
    return notes
