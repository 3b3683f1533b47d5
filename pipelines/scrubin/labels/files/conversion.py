"""Label files of one format written in another one: read, fitted, saved, with an account of what was merged or lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, count_text, summary
from scrubin.labels import policy
from scrubin.labels.choices import READ_AS
from scrubin.labels.files import loss, output, reader
from scrubin.labels.files.detect import unread_faults
from scrubin.labels.files.loss import Fit
from scrubin.labels.files.reader import Options, Reading
from scrubin.labels.files.verdict import Verdict, verdict_of
from scrubin.labels.model import SOURCE_FRAMES, Clock, Collection, Labels
from scrubin.labels.rates import (
    Numbering,
    counted,
    fits,
    frames_at,
    is_by_frame,
    is_of_others,
    kept_rates,
    likely_fps,
    refused_fps,
    stated_otherwise,
    stated_unasked,
)
from scrubin.labels.registry import DatasetFormat, Format, Writer, format_of, readable

NAMED = 3
ASK_RATE = "say how many frames per second the videos have by --fps; videos of another rate are converted by themselves"


@dataclass(frozen=True)
class ConversionRequest:
    """What is converted, and how.

    Parameters
    ----------
    path, source
        What is read, and its format; None: by what the files look like.
    out, target
        Where it is written, and the format.
    options
        How files are read, with the merges of triplets.
    fps, to_fps
        Frames per second by which the labels are numbered, and labels per second to write; None: as the formats say.
    size
        Width and height of the images in px, where a format needs it.
    only_instruments
        Take instances as instruments, without verb and target.
    check
        Is given what was read before anything is written, with the frames per second by which labels of source frames are converted,
        where their format or somebody says it; it may refuse them.
    """

    path: Path
    source: str | None
    out: Path
    target: str
    options: Options
    fps: Fraction | None = None
    to_fps: Fraction | None = None
    size: tuple[int, int] | None = None
    only_instruments: bool = False
    check: Callable[[Collection, Fraction | None], None] = field(default=lambda collection, fps: None)


@dataclass(frozen=True)
class Conversion:
    """What was read, written, merged and lost.

    Parameters
    ----------
    read
        The verdict on what was read.
    writer
        Name of the written format.
    files
        Names of the written files, sorted.
    rows
        How many recordings and rows of each kind were written.
    merged
        Instances by triplet and what it became.
    lost
        How many of each thing the target cannot hold.
    notes
        What a person should know, in sentences.
    """

    read: Verdict
    writer: str
    files: tuple[str, ...]
    rows: Mapping[str, int]
    merged: Mapping[tuple[str, str], int]
    lost: Mapping[str, int]
    notes: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """Return it as plain values, without the notes."""
        return {
            "read": self.read.as_json(),
            "written": {"format": self.writer, "files": list(self.files), "rows": dict(self.rows)},
            "merged": [{"from": of, "to": to, "instances": count} for (of, to), count in self.merged.items()],
            "not_written": dict(self.lost),
        }

    @property
    def summary(self) -> str:
        """What was written, on one line."""
        rows = ", ".join(count_text(count, what) for what, count in self.rows.items() if count) or "no rows"
        return f"{count_text(len(self.files), 'file')}, {rows}"


def convert(asked: ConversionRequest) -> Conversion:
    """Read, fit, write.

    Raises
    ------
    AnnotationError
        When anything is wrong with what is asked or read; then nothing is written.
    """
    writer = output.writer_of(asked.target)
    _refuse_source(asked.path, asked.out)
    named = None if asked.source is None else format_of(asked.source)
    reading = reader.read_path(asked.path, named, asked.options)
    policy.enforce("convert", reading.faults)
    form = reading.form
    misnamed = [path for path in reading.others if path.suffix and form.expected.endswith(path.suffix.lower())]
    if misnamed and not reading.collection.recordings and reading.collection.scores is None:
        what = f"it is not called as files of {form.name} are, and no labels are read from any file"
        raise AnnotationError([Fault(str(misnamed[0]), "no-labels", what, f"rename it: expected {form.expected}")])
    collection = _at_rate(reading.collection, form, asked.fps)
    if form.by_hand.fps_unstated and asked.fps is None and _writes_times(writer, asked):
        _refuse_unknown_times(collection)
    # A rate that is only a custom is said to be one, and a rate that somebody says of such files is that of their labels.
    asked.check(collection, None if form.by_hand.fps_unstated else asked.fps or form.by_hand.fps)
    fit = Fit(form.name, asked.fps or form.by_hand.fps, asked.to_fps, asked.size, asked.only_instruments, asked.options.first)
    kept, losses = loss.fitted(collection, writer, fit)
    written = output.render(kept, writer)
    form_of_out = readable().get(READ_AS.get(writer.name, writer.name))
    paths = output.save(written.files, asked.out, form_of_out, reading.paths)
    merged = _merged(collection)
    notes = [
        *_notes_on_reading(asked, reading, collection),
        *_unstated_rate(kept, form_of_out, writer),
        *written.notes,
        *summary((*reading.faults, *unread_faults(form.name, reading.unread))),
    ]
    if asked.options.label_map is not None and not merged:
        notes.append(f"label map {asked.options.label_map.name}: no instance was merged")
    names = sorted(path.relative_to(asked.out).as_posix() if asked.out.is_dir() else path.name for path in paths)
    lost = dict(sorted((losses + written.losses).items()))
    return Conversion(verdict_of(reading), writer.name, tuple(names), _counts(kept, written.unwritten), merged, lost, tuple(notes))


def _notes_on_reading(asked: ConversionRequest, reading: Reading, collection: Collection) -> Iterator[str]:
    if reading.others:
        names = ", ".join(str(other.relative_to(asked.path)) for other in reading.others[:NAMED])
        more = ", ..." if len(reading.others) > NAMED else ""
        yield f"{len(reading.others)} other files in {asked.path} are not of this format: {names}{more}"
    form = reading.form
    if form.by_hand.fps_unstated:
        kept = kept_rates(reading.collection.recordings, asked.fps)
        yield from (f"{one}: --fps {asked.fps} is for those that state none" for one in kept)
    if form.by_hand.fps_unstated and not asked.fps and any(is_by_frame(labels) for labels in collection.recordings):
        yield f"{form.name}: no file states the rate; frames are read as {form.by_hand.fps} per second (change it by --fps)"


def _unstated_rate(kept: Collection, form: Format | DatasetFormat | None, writer: Writer) -> Iterator[str]:
    """Yield at which rate frames are numbered in files that do not say it, where that is not what they are read as."""
    # Spans of a known rate are written in seconds; who has a rate of its own says it.
    if form is None or not form.by_hand.fps_unstated or form.by_hand.rate_is or "spans" in writer.holds:
        return
    rates = {1 / labels.clock.period_s for labels in kept.recordings if labels.clock.period_s is not None}
    stated = " and ".join(map(str, sorted(rates - {form.by_hand.fps})))
    if stated and not (writer.several_rates and len(rates) > 1):
        yield f"{form.name}: frames are numbered at {stated} per second, which no file of it states; read it with --fps {stated}"


def _refuse_source(path: Path, out: Path) -> None:
    try:
        strangers.real(out).exists()
    except (OSError, ValueError) as error:
        raise AnnotationError(f"{str(out)[:80]}: there can be no such path; name another one") from error
    if out.exists() and path.exists() and out.samefile(path):
        raise AnnotationError(f"{out}: this is what is read, which is never overwritten; name another path")


def _writes_times(writer: Writer, asked: ConversionRequest) -> bool:
    """Return whether spans are written in seconds; the format `spans` has frames, too, as long as spans stay as they are."""
    stay = asked.to_fps is None and not asked.only_instruments
    return writer.phases_as_spans or ("spans" in writer.holds and not stay)


def _refuse_unknown_times(collection: Collection) -> None:
    """Refuse spans and phases by frames of a source whose rate nobody says: seconds would be made up. Pictures may well be one a second."""
    for labels in collection.recordings:
        if labels.clock == SOURCE_FRAMES and any(one is not None for one in (labels.spans, labels.segments, labels.phases)):
            what = "its spans are numbered by frames of a source whose rate no file states, and this format has seconds"
            raise AnnotationError([Fault(labels.recording, "rate-unknown", what, ASK_RATE)])


def _at_rate(collection: Collection, form: Format | DatasetFormat, fps: Fraction | None) -> Collection:
    """Return the collection at a stated rate, where no file states another one."""
    if fps is None and form.by_hand.asks_fps and any(is_by_frame(labels) for labels in collection.recordings):
        without = next(labels.recording for labels in collection.recordings if is_by_frame(labels))
        what = f"no file of {form.name} states the rate of its frames"
        fix = f"{ASK_RATE}. {form.by_hand.rate_is}" if form.by_hand.rate_is else ASK_RATE
        raise AnnotationError([Fault(without if form.by_hand.rate_is else "", "rate-unknown", what, fix)])
    if fps is None:
        for labels in collection.recordings if form.by_hand.fps_unstated else ():
            if stated := stated_unasked(labels, form.by_hand.fps):
                raise AnnotationError(f"{stated}, not {form.by_hand.fps}: {_rate_to_say(labels, collection, ASK_RATE)}")
        return collection
    if form.by_hand.fps is None and not form.by_hand.asks_fps:
        raise AnnotationError(f"--fps {fps}: {form.name} states the rate of its labels; leave --fps out")
    if not form.by_hand.fps_unstated:
        return collection
    for labels in collection.recordings:
        if (stated := stated_otherwise(labels, fps)) and not is_of_others(labels, collection.recordings, fps):
            raise AnnotationError(f"--fps {fps}: {stated}; {_rate_to_say(labels, collection, 'leave --fps out')}")
    return replace(collection, recordings=tuple(_of_frames(labels, fps) for labels in collection.recordings))


def _rate_to_say(labels: Labels, collection: Collection, or_else: str) -> str:
    """Return what to do about a rate that contradicts labels; no rate that they may have is advised which others contradict."""
    rate = likely_fps(labels) if is_by_frame(labels) else ""
    others = rate and next((one.recording for one in collection.recordings if stated_otherwise(one, Fraction(rate))), "")
    return f"{others} has another rate: convert them one by one" if others else refused_fps(labels, "--fps", or_else)


def _of_frames(labels: Labels, fps: Fraction) -> Labels:
    """Return labels by frames of a rate; spans in seconds or milliseconds have none, and what states its rate keeps it."""
    if labels.rounded_s is not None and labels.phases is not None:
        frames = frames_at(labels.phases.positions, counted(labels, None), Numbering(fps))
        if frames is None:
            what = f"--fps {fps}: its rows are numbered by time, which cannot be frames at {fps} per second"
            fix = "correct it, or leave --fps out: then times are taken as they are"
            raise AnnotationError([Fault(labels.phases.file, "rate-contradicted", what, fix)])
        phases = replace(labels.phases, positions=frames, rows=labels.phases.rows.assign(position=frames))
        return replace(labels, clock=Clock(1 / fps), phases=phases, rounded_s=None)
    return replace(labels, clock=Clock(1 / fps)) if is_by_frame(labels) or fits(labels, fps) else labels


def _merged(collection: Collection) -> dict[tuple[str, str], int]:
    counts: Counter[tuple[str, str]] = Counter()
    for labels in collection.recordings:
        counts.update(labels.merged)
    return dict(sorted(counts.items()))


def _counts(kept: Collection, unwritten: Mapping[str, int]) -> dict[str, int]:
    counts = {"recording": len(kept.recordings)}
    counts["instance"] = sum(len(labels.instances.rows) for labels in kept.recordings if labels.instances is not None)
    counts["phase"] = sum(len(labels.phases.rows) for labels in kept.recordings if labels.phases is not None)
    counts["span"] = sum(len(rows) for labels in kept.recordings for rows in (labels.segments, labels.spans) if rows is not None)
    counts["mark"] = sum(len(labels.marks.rows) for labels in kept.recordings if labels.marks is not None)
    counts["rating"] = 0 if kept.scores is None else len(kept.scores.ratings)
    counts["error label"] = 0 if kept.scores is None else len(kept.scores.errors)
    counts["combined score"] = 0 if kept.scores is None else len(kept.scores.skill)
    return {what: count - unwritten.get(what, 0) for what, count in counts.items()}
