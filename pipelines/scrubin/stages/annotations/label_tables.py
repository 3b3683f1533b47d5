"""All labels of a study to the tables labelled, triplets, phases, spans, with a report."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults, count_text
from scrubin.base.tables.public import LABELLED, PHASES, REFERENCE_CAMERAS, TRIPLETS
from scrubin.labels import instance_spans
from scrubin.labels.instance_spans import numbers_of
from scrubin.labels.model import MASK, IntArray, Labels
from scrubin.labels.rows import joined, rows_of_labelled, rows_of_phases, rows_of_triplets
from scrubin.labels.tracks import ONLY
from scrubin.stages.annotations import lengths, placing, report, span_places
from scrubin.stages.annotations.placing import NS, PlacedLayer, Timeline, timeline
from scrubin.stages.annotations.windows import Windows


@dataclass(frozen=True)
class ReleasedRecording:
    """One released recording, seen by its reference camera (left, mono, else right)."""

    id: str
    line: Timeline
    hidden: IntArray
    source_frames: int
    source_s: float
    source_size: tuple[int, int]


@dataclass(frozen=True)
class Tables:
    """The tables of the stage, and its report."""

    labelled: pd.DataFrame
    triplets: pd.DataFrame
    phases: pd.DataFrame
    spans: pd.DataFrame
    report: dict[str, Any]


def released(recordings: pd.DataFrame, cuts: pd.DataFrame, videos: pd.DataFrame, frames: pd.DataFrame) -> dict[str, ReleasedRecording]:
    """Return the released recordings by the curator's name.

    Labels of left and right are the same, as both are cut at the same instants.
    """
    order = {camera: i for i, camera in enumerate(REFERENCE_CAMERAS)}
    both = cuts.merge(videos[["id", "camera", "duration_s"]], on=["id", "camera"])
    sources = recordings[["recording", "camera", "frame_count", "duration_s"]]
    both = both.merge(sources, on=["recording", "camera"], suffixes=("", "_source"))
    both = both.sort_values("camera", key=lambda cameras: cameras.map(order), kind="stable").drop_duplicates("recording")
    by_video = dict(list(frames.groupby(["id", "camera"])))
    nothing = frames.iloc[:0]
    return {
        str(row.recording): _released(row, by_video.get((row.id, row.camera), nothing))
        for row in both.sort_values("recording").itertuples()
    }


def _released(row: Any, frames: pd.DataFrame) -> ReleasedRecording:
    frames = frames.sort_values("frame")
    line = timeline(
        frames["frame"].to_numpy(np.int64),
        frames["time_s"].to_numpy(np.float64),
        frames["source_frame"].to_numpy(np.int64),
        offset_s=Fraction(row.offset_s),
        duration_s=float(row.duration_s),
        first_source_frame=int(row.first_source_frame),
        frame_count=int(row.frame_count),
    )
    hidden = frames.loc[frames["redacted"], "frame"].to_numpy(np.int64)
    size = (int(row.source_width), int(row.source_height))
    return ReleasedRecording(row.id, line, hidden, int(row.frame_count_source), float(row.duration_s_source), size)


def tables(
    outcomes: Sequence[Labels | AnnotationError],
    known: Mapping[str, ReleasedRecording],
    left_out: Collection[str],
    tolerance_s: float,
    faults: Faults,
    windows: Windows | None = None,
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

    Raises
    ------
    AnnotationError
        With everything that is wrong in any file.
    """
    labels = [outcome for outcome in outcomes if isinstance(outcome, Labels)]
    for outcome in outcomes:
        if isinstance(outcome, AnnotationError):
            faults.extend(outcome.faults)
    for one in labels:
        to = known[one.recording]
        lengths.check(
            one,
            source_frames=to.source_frames,
            source_s=to.source_s,
            source_size=to.source_size,
            tolerance_s=tolerance_s,
            faults=faults,
        )
    AnnotationError.raise_any(faults)
    names = sorted({one.recording for one in labels}, key=lambda name: known[name].id)
    recordings = [_recording(known[name], [one for one in labels if one.recording == name], windows) for name in names]
    with_instances = {one.id: one.instances for one in recordings if one.instances is not None}
    with_phases = {one.id: one.phases for one in recordings if one.phases is not None}
    labelled = [rows_of_labelled(id_, "instances", one.vocabulary, one.frames, one.detail) for id_, one in with_instances.items()]
    labelled += [rows_of_labelled(id_, "phases", one.vocabulary, one.frames) for id_, one in with_phases.items()]
    triplets = joined(TRIPLETS, [rows_of_triplets(id_, one.vocabulary, one.rows) for id_, one in with_instances.items()])
    numbers = [rows for id_, one in with_instances.items() if (rows := numbers_of(id_, one.rows, "frame")) is not None]
    ids = {one.id: one.entry for one in recordings}
    unlabelled = {to.id for to in known.values()} - set(ids)
    return Tables(
        labelled=joined(LABELLED, labelled),
        triplets=triplets,
        phases=joined(PHASES, [rows_of_phases(id_, one.vocabulary, one.rows) for id_, one in with_phases.items()]),
        spans=instance_spans.from_triplets(triplets, pd.concat(numbers) if numbers else None),
        report={"ids": ids, "totals": report.totals(ids), "left_out_recordings": len(left_out), "without_labels": len(unlabelled)},
    )


@dataclass(frozen=True)
class _Recording:
    """The labels of one recording that count, on its frames, and what the report says of them."""

    id: str
    phases: PlacedLayer | None
    instances: PlacedLayer | None
    entry: dict[str, Any]


def _recording(to: ReleasedRecording, sources: Sequence[Labels], windows: Windows | None) -> _Recording:
    phases, phase_notes = placing.choose_phases([placing.place(one, one.phases, to.line) for one in sources if one.phases])
    placed = [one for source in sources if (one := _placed_instances(source, to, windows)) is not None]
    instances, notes = placing.choose_instances(placed)
    # Published: what is wrong, never the name of a file or recording.
    warnings = [f"{one.format}: {what}" for one in sources for what in (*(fault.what for fault in one.faults), *_unreleased(one))]
    return _Recording(to.id, phases, instances, _entry(to, phases, instances, [*phase_notes, *notes], warnings))


def _unreleased(labels: Labels) -> Iterator[str]:
    """Yield a sentence for each kind of label that no table of a release has a column for."""
    if labels.instances is not None:
        rows = labels.instances.rows
        for name in (str(name) for name in rows.columns if name == MASK or str(name).endswith(ONLY)):
            count = int(rows[name].notna().sum())
            if count:
                yield f"not in the release: '{name}' of {count_text(count, 'instance')}"
    if labels.marks is not None and len(labels.marks.rows):
        yield f"not in the release: {count_text(len(labels.marks.rows), 'mark')} of annotators"


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
