"""All labels of a study to the tables of labels, with a report."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError, VideoError
from scrubin.base.faults import Faults
from scrubin.base.tables import io
from scrubin.base.tables.public import LABELLED, MARKS, MASKS, PHASES, POINTS, REFERENCE_CAMERAS, TRACKS, TRIPLETS, of_reference_camera
from scrubin.labels import instance_spans
from scrubin.labels.formats.plain import label_files
from scrubin.labels.instance_spans import numbers_of
from scrubin.labels.model import IntArray, Labels
from scrubin.labels.rows import joined, rows_of_labelled, rows_of_phases, rows_of_triplets
from scrubin.labels.timing import BESIDE_PHASES, OVERLAP
from scrubin.media.probe import SQUARE_PIXEL, probe
from scrubin.stages.annotations import lengths, placing, report, span_places
from scrubin.stages.annotations.details import Details, HiddenAreas, areas_of, of_layer
from scrubin.stages.annotations.placing import NS, PlacedLayer, Timeline, timeline
from scrubin.stages.annotations.windows import Windows


@dataclass(frozen=True)
class ReleasedRecording:
    """One released recording, seen by its reference camera (left, mono, else right), whose video has this path.

    ``source_sha256s`` are of all its cameras.
    """

    id: str
    line: Timeline
    hidden: IntArray
    source_frames: int
    source_s: float
    source_size: tuple[int, int]
    source_sha256s: frozenset[str]
    areas: HiddenAreas
    path: str = ""


@dataclass(frozen=True)
class Tables:
    """The tables of the stage, and its report."""

    labelled: pd.DataFrame
    triplets: pd.DataFrame
    phases: pd.DataFrame
    spans: pd.DataFrame
    masks: pd.DataFrame
    tracks: pd.DataFrame
    points: pd.DataFrame
    marks: pd.DataFrame
    report: dict[str, Any]


def varying_times(videos: pd.DataFrame, folder: Path) -> dict[str, IntArray]:
    """Return the times of all frames of each video whose rate varies, in ns from its first frame, shape (frame_count,), by its path.

    Parameters
    ----------
    videos
        The table of this name; only the camera that labels refer to is read.
    folder
        Where the paths begin.

    Raises
    ------
    VideoError
        When a file cannot be read, or has another number of frames.
    """
    times = {}
    varying = of_reference_camera(videos)
    varying = varying[varying["variable_rate"]].sort_values("path")
    for path, frame_count in zip(varying["path"].tolist(), varying["frame_count"].tolist(), strict=True):
        probed = probe(folder / path, path)
        if probed.frame_count != frame_count:
            what = f"it has {probed.frame_count} frames, and the table of videos says {frame_count}"
            raise VideoError(path, what, "run 'dvc repro', whose stage render makes it again")
        times[path] = np.array([round(time_s * NS) for time_s in probed.times_s], np.int64)
    return times


def released(
    recordings: pd.DataFrame,
    cuts: pd.DataFrame,
    videos: pd.DataFrame,
    frames: pd.DataFrame,
    hidden: pd.DataFrame,
    times: Mapping[str, IntArray] = MappingProxyType({}),
) -> dict[str, ReleasedRecording]:
    """Return the released recordings by the curator's name; the parameters are the tables of these names, and what `varying_times` returns.

    Labels of left and right are the same, as both are cut at the same instants.
    """
    order = {camera: i for i, camera in enumerate(REFERENCE_CAMERAS)}
    both = cuts.merge(videos[["id", "camera", "path", "duration_s", "width", "height"]], on=["id", "camera"])
    sources = recordings[["recording", "camera", "frame_count", "duration_s"]]
    both = both.merge(sources, on=["recording", "camera"], suffixes=("", "_source"))
    both = both.sort_values("camera", key=lambda cameras: cameras.map(order), kind="stable").drop_duplicates("recording")
    sha256s = recordings.dropna(subset=["sha256"]).groupby("recording")["sha256"].agg(frozenset)
    frames_of, hidden_in = (dict(list(rows.groupby(["id", "camera"]))) for rows in (frames, hidden))
    return {
        str(row.recording): _released(
            row,
            frames_of.get((row.id, row.camera), frames.iloc[:0]),
            hidden_in.get((row.id, row.camera), hidden.iloc[:0]),
            sha256s.get(row.recording, frozenset()),
            times.get(str(row.path)),
        )
        for row in both.sort_values("recording").itertuples()
    }


def _released(
    row: Any, frames: pd.DataFrame, hidden: pd.DataFrame, sha256s: frozenset[str], every_ns: IntArray | None
) -> ReleasedRecording:
    frames = frames.sort_values("frame")
    line = timeline(
        frames["frame"].to_numpy(np.int64),
        frames["time_s"].to_numpy(np.float64),
        frames["source_frame"].to_numpy(np.int64),
        offset_s=Fraction(row.offset_s),
        duration_s=float(row.duration_s),
        first_source_frame=int(row.first_source_frame),
        frame_count=int(row.frame_count),
        every_ns=every_ns,
    )
    black = frames.loc[frames["redacted"], "frame"].to_numpy(np.int64)
    size = (int(row.source_width), int(row.source_height))
    areas = areas_of(hidden, size, (int(row.width), int(row.height)))
    return ReleasedRecording(
        row.id, line, black, int(row.frame_count_source), float(row.duration_s_source), size, sha256s, areas, str(row.path)
    )


def tables(
    outcomes: Sequence[Labels | AnnotationError],
    known: Mapping[str, ReleasedRecording],
    left_out: Collection[str],
    tolerance_s: float,
    faults: Faults,
    windows: Windows | None = None,
    pixel_aspect: Callable[[str], Fraction] = lambda _: SQUARE_PIXEL,
) -> Tables:
    """Return the tables of all released recordings.

    Parameters
    ----------
    outcomes
        What came of reading each batch, in the order of the sources: the first that labels a recording counts.
    known
        The released recordings.
    left_out
        Labelled recordings that are not released; they are counted.
    tolerance_s
        Labels and video may differ in length by this much.
    faults
        What was found before, such as files that fit nowhere.
    windows
        How spans of contacts become actions; None: they are actions.
    pixel_aspect
        Returns the width of a pixel of a released video as a multiple of its height, by its path.

    Raises
    ------
    AnnotationError
        With everything that is wrong in any file.
    """
    labels = [outcome for outcome in outcomes if isinstance(outcome, Labels)]
    for outcome in outcomes:
        if isinstance(outcome, AnnotationError):
            faults.extend(outcome.faults)
    for number, one in enumerate(labels):
        to, noted = known[one.recording], Faults()
        _refuse_other_source(one, to.source_sha256s, noted)
        lengths.check(
            one,
            source_frames=to.source_frames,
            source_s=to.source_s,
            source_size=to.source_size,
            tolerance_s=tolerance_s,
            faults=noted,
            pixel_aspect=partial(pixel_aspect, to.path),
        )
        faults.extend(noted.all())
        labels[number] = replace(one, faults=(*one.faults, *noted.all()))
    AnnotationError.raise_any(faults)
    names = sorted({one.recording for one in labels}, key=lambda name: known[name].id)
    recordings = [_recording(known[name], [one for one in labels if one.recording == name], windows) for name in names]
    with_instances = {one.id: one.instances for one in recordings if one.instances is not None}
    with_phases = {one.id: one.phases for one in recordings if one.phases is not None}
    with_marks = {one.id: one.marks for one in recordings if one.marks}
    labelled = [rows_of_labelled(id_, "instances", one.vocabulary, one.frames, one.detail) for id_, one in with_instances.items()]
    labelled += [rows_of_labelled(id_, "phases", one.vocabulary, one.frames) for id_, one in with_phases.items()]
    labelled += [rows for id_, marks in with_marks.items() for rows in _labelled_for_marks(id_, marks)]
    triplets = joined(TRIPLETS, [rows_of_triplets(id_, one.vocabulary, one.rows) for id_, one in with_instances.items()])
    numbers = [rows for id_, one in with_instances.items() if (rows := numbers_of(id_, one.rows, "frame")) is not None]
    ids = {one.id: one.entry for one in recordings}
    unlabelled = {to.id for to in known.values()} - set(ids)
    return Tables(
        labelled=joined(LABELLED, labelled),
        triplets=triplets,
        phases=joined(PHASES, [rows_of_phases(id_, one.vocabulary, one.rows) for id_, one in with_phases.items()]),
        spans=instance_spans.from_triplets(triplets, pd.concat(numbers) if numbers else None),
        masks=io.frame_of(MASKS, [row for one in recordings for row in one.details.masks]),
        tracks=io.frame_of(TRACKS, [row for one in recordings for row in one.details.tracks]),
        points=io.frame_of(POINTS, [row for one in recordings for row in one.details.points]),
        marks=marks_table({id_: pd.concat([one.rows for one in marks]) for id_, marks in with_marks.items()}),
        report={"ids": ids, "totals": report.totals(ids), "left_out_recordings": len(left_out), "without_labels": len(unlabelled)},
    )


def _labelled_for_marks(id_: str, marks: Sequence[PlacedLayer]) -> Iterator[pd.DataFrame]:
    """Yield the frames that somebody judged, each once: of several sources with marks of different names, by the first."""
    before = np.zeros(0, np.int64)
    for one in marks:
        yield rows_of_labelled(id_, "marks", one.vocabulary, np.setdiff1d(one.frames, before))
        before = np.union1d(before, one.frames)


def _refuse_other_source(labels: Labels, sha256s: Collection[str], faults: Faults) -> None:
    stated = label_files.source_sha256_of(labels)
    if stated is not None and stated not in sha256s:
        file = next((one.file for one in (labels.phases, labels.instances, labels.marks) if one is not None), labels.recording)
        what = f"it was labelled on another file of the recording, with the SHA-256 {stated[:12]}..."
        faults.error(file, "source-differs", what, "bring back the file that was labelled, or label the new one and export again")


@dataclass(frozen=True)
class _Recording:
    """The labels of one recording that count, on its frames, and what the report says of them."""

    id: str
    phases: PlacedLayer | None
    instances: PlacedLayer | None
    marks: Sequence[PlacedLayer]
    details: Details
    entry: dict[str, Any]


def _recording(to: ReleasedRecording, sources: Sequence[Labels], windows: Windows | None) -> _Recording:
    placed_phases = [_placed_phases(source, to) for source in sources]
    phases, phase_notes = placing.choose_phases([one for one, _ in placed_phases if one is not None])
    placed = [one for source in sources if (one := _placed_instances(source, to, windows)) is not None]
    instances, notes = placing.choose_instances(placed)
    marks, mark_notes = placing.choose_marks([placing.place(one, one.marks, to.line) for one in sources if one.marks])
    details = Details() if instances is None else of_layer(to.id, instances, to.line, to.areas, to.hidden)
    # Published: what is wrong, never the name of a file or recording.
    warnings = [f"{one.format}: {fault.what}" for one in sources for fault in one.faults]
    warnings += [f"{one.format}: {OVERLAP}: {count}" for one, count in placed_phases if one is not None and count]
    warnings += [f"{one.format}: not in the release: {what}: {count}" for one in sources for what, count in _beside_phases(one)]
    if instances is not None:
        warnings += [f"{instances.format}: {sentence}" for sentence in details.sentences()]
    entry = _entry(to, phases, instances, [*phase_notes, *notes, *mark_notes], warnings)
    entry |= report.beyond_boxes(details.counts(), marks, to.line, to.hidden) | report.provenance(sources) | report.interpolated(instances)
    return _Recording(to.id, phases, instances, marks, details, entry)


def _placed_phases(labels: Labels, to: ReleasedRecording) -> tuple[PlacedLayer | None, int]:
    """Return the phases of a source, by frame where it has such, else those of spans; and in how many frames two of these compete."""
    if labels.phases is not None:
        return placing.place(labels, labels.phases, to.line), 0
    return span_places.place_phases(labels, to.line)


def _beside_phases(labels: Labels) -> list[tuple[str, int]]:
    """Return what no table has of the spans of a source, with its number: steps, gestures, phases beside those of single frames."""
    if labels.segments is None:
        return []
    kinds = Counter(labels.segments["kind"])
    what = BESIDE_PHASES if labels.phases is None else {"phase": "spans of phases beside phases by frame", **BESIDE_PHASES}
    return [(sentence, kinds[kind]) for kind, sentence in what.items() if kinds[kind]]


def _placed_instances(labels: Labels, to: ReleasedRecording, windows: Windows | None) -> PlacedLayer | None:
    if labels.spans is not None:
        return span_places.place(labels, labels.spans, to.line, source_ns=round(to.source_s * NS), windows=windows)
    return placing.place(labels, labels.instances, to.line) if labels.instances else None


def _entry(
    to: ReleasedRecording, phases: PlacedLayer | None, instances: PlacedLayer | None, comparisons: list[str], warnings: list[str]
) -> dict[str, Any]:
    both = [placed for placed in (instances, phases) if placed is not None]
    shifts = dict.fromkeys(warning for placed in both for warning in report.shift_warning(placed, to.line))
    return {
        "frames": len(to.line.frames),
        "phases": None if phases is None else report.layer(phases, to.line, to.hidden),
        "instances": None if instances is None else report.layer(instances, to.line, to.hidden),
        "comparisons": comparisons,
        "warnings": [*warnings, *shifts],
    }


def marks_table(rows_of: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the table ``marks``: who judged is a number, the same in all recordings, that tells nobody's name.

    Parameters
    ----------
    rows_of
        By released id the marks of its frames: ``frame``, ``mark``, ``rater`` ("" for a value of nobody by name) and ``value``.
    """
    parts = [rows.assign(id=id_)[MARKS.column_names] for id_, rows in rows_of.items() if len(rows)]
    if not parts:
        return io.frame_of(MARKS, [])
    rows = pd.concat(parts, ignore_index=True)
    return io.conform(MARKS, rows.assign(rater=rows["rater"].map({"": None, **rater_numbers(rows["rater"])})))


def rater_numbers(raters: Iterable[str]) -> dict[str, str]:
    """Return a number from 1 for each annotator.

    Numbers keep their order; names come in that of their hashes, so that their place in the alphabet is not told.

    >>> rater_numbers(["10", "2", "", "2"])
    {'2': '1', '10': '2'}
    """
    names = sorted({name for name in raters if name}, key=_rater_order)
    return {name: str(number) for number, name in enumerate(names, start=1)}


def _rater_order(name: str) -> tuple[bool, int, str]:
    is_number = name.isascii() and name.isdecimal()
    return not is_number, int(name) if is_number else 0, name if is_number else hashlib.sha256(name.encode()).hexdigest()
