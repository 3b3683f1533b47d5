"""What became of the labels: counts per recording, with released ids only. People read it; no stage does.

``runs`` are the labelled frames, half open, which the table ``labelled`` has row by row.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.files import json_text
from scrubin.base.tables.seals import RANDOM, Seal
from scrubin.labels.formats.plain import label_files
from scrubin.labels.formats.plain.label_files import PROVENANCE
from scrubin.labels.formats.plain.label_tracks import INTERPOLATED, places_of
from scrubin.labels.keyframes import runs_of
from scrubin.labels.label_map import LabelMap
from scrubin.labels.label_map import table as label_map_table
from scrubin.labels.model import IntArray, Labels
from scrubin.stages.annotations.params import SourceParams, WindowsParams
from scrubin.stages.annotations.placing import NS, PlacedLayer, Timeline

LAYERS = ("instances", "phases")
CHANGED = ("label_maps", "windows")
MISSING = "missing_sources"
DIGEST = "annotations.sha256"
"""The file of the digest."""
IN_DIGEST = ("ids", "totals", "left_out_recordings", "without_labels", *CHANGED)
BEYOND_BOXES = ("details", "marks", "marks_beside")
"""What a report says only of recordings that have it."""
OF_RECORDING_IN_DIGEST = ("frames", *LAYERS, "comparisons", "warnings", *BEYOND_BOXES)


def layer(placed: PlacedLayer, line: Timeline, hidden: IntArray) -> dict[str, Any]:
    """Return what became of one layer of labels.

    Parameters
    ----------
    hidden
        Frames that are wholly black in the release.
    """
    alignment = placed.alignment
    counts: dict[str, Any] = {
        "format": placed.format,
        "vocabulary": placed.vocabulary.name,
        "labelled_frames": len(placed.frames),
        "unlabelled_frames": len(line.frames) - len(placed.frames),
        "labelled_hidden_frames": int(np.isin(placed.frames, hidden).sum()),
        "rows": len(placed.rows),
        "labels_before_cut": alignment.before,
        "labels_after_cut": alignment.after,
        "labels_between_frames": alignment.between,
        "largest_shift_s": round(int(np.abs(alignment.shifts_ns).max(initial=0)) / NS, 6),
        "runs": list(map(list, runs_of(placed.frames))),
    }
    if "instrument_id" in placed.rows:
        counts |= {"detail": placed.detail, "boxes": int(placed.rows["x"].notna().sum())}
    return counts


def beyond_boxes(details: Mapping[str, int], marks: Sequence[PlacedLayer], line: Timeline, hidden: IntArray) -> dict[str, Any]:
    """Return what became of masks, tracks and points, counted as ``details``, and of marks; nothing where there are none."""
    there: dict[str, Any] = {"details": dict(details)} if details else {}
    if not marks:
        return there
    of_each = [layer(one, line, hidden) for one in marks]
    # Of the first source, as ever; of others, whose marks are of other names, beside it.
    return {**there, "marks": of_each[0]} | ({"marks_beside": of_each[1:]} if of_each[1:] else {})


def interpolated(instances: PlacedLayer | None) -> dict[str, Any]:
    """Return of how many places of boxes and points nobody said where they are; nothing where labels do not tell."""
    if instances is None or INTERPOLATED not in instances.rows:
        return {}
    unsaid, every = places_of(instances.rows)
    return {INTERPOLATED: {"n": unsaid, "of": every}}


def provenance(sources: Sequence[Labels]) -> dict[str, Any]:
    """Return who labelled a recording, by number, where its files say so."""
    stated = [said for one in sources if (said := label_files.provenance_of(one)) is not None]
    return {PROVENANCE: asdict(stated[0])} if stated else {}


def shift_warning(placed: PlacedLayer, line: Timeline) -> list[str]:
    """Return a warning when the cut does not start on a label, so that all labels move."""
    if placed.clock.period_s is None:
        return []
    period_ns = round(placed.clock.period_s * NS)
    past_ns = line.start_ns % period_ns
    shift_ns = past_ns if 2 * past_ns <= period_ns else past_ns - period_ns
    if shift_ns == 0:
        return []
    return [f"{placed.format}: the cut does not start on a label; labels and frames are about {shift_ns / NS:+.3f} s apart"]


def merges(read: Sequence[tuple[SourceParams, Labels]], maps: Mapping[SourceParams, LabelMap]) -> list[dict[str, Any]]:
    """Return what the label maps merged, source by source: how many instances of which triplet became which.

    Parameters
    ----------
    read
        The labels of every recording with their source.
    maps
        The map of each source that has one.
    """
    entries = []
    for source, label_map in maps.items():
        labels = [one for of, one in read if of == source]
        counts: Counter[tuple[str, str]] = Counter()
        for one in labels:
            counts.update(one.merged)
        rows = label_map_table(counts).to_dict("records")
        tables = [one.spans if one.instances is None else one.instances.rows for one in labels]
        total = len(pd.concat(triplet_ids)) if (triplet_ids := [table[["triplet_id"]] for table in tables if table is not None]) else 0
        entry = {"format": source.format, "vocabulary": source.vocabulary, "map": label_map.name, "source": label_map.source}
        entries.append({**entry, "instances": total, "merged_instances": counts.total(), "merged": rows})
    return entries


def document(
    summary: Mapping[str, Any], merged: Sequence[Mapping[str, Any]], windows: WindowsParams | None, missing: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the whole report; what no label was changed by is not in it, nor sources when no folder is ``missing``."""
    changed = {"label_maps": list(merged), "windows": None if windows is None else asdict(windows), MISSING: list(missing)}
    return {**summary, **{name: value for name, value in changed.items() if value}}


def beyond_tables(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the curator's page shows of the labels although no table has it.

    Parameters
    ----------
    report
        As ``document`` returns it.

    Returns
    -------
    dict
        ``left_out_recordings``; by layer the number of labels ``before_cut`` and ``after_cut``; ``notes``, sentences by
        released id; ``label_maps`` and ``windows`` where they changed a label; ``provenance`` and ``interpolated`` by released id,
        where they are stated; ``missing_sources``, those whose folder is not there.
    """
    stated = _of_each(report, PROVENANCE)
    sums = report["totals"]
    return {
        "left_out_recordings": report["left_out_recordings"],
        "outside_cut": {layer: {side: sums[f"{layer}_labels_{side}"] for side in ("before_cut", "after_cut")} for layer in LAYERS},
        "notes": {id_: said for id_, entry in report["ids"].items() if (said := [*entry["warnings"], *entry["comparisons"]])},
        **{name: report[name] for name in (*CHANGED, MISSING) if name in report},
        **({PROVENANCE: stated} if stated else {}),
        **({INTERPOLATED: drawn} if (drawn := _of_each(report, INTERPOLATED)) else {}),
    }


def _of_each(report: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {id_: entry[name] for id_, entry in report["ids"].items() if name in entry}


def digest(report: Mapping[str, Any], seal: Seal) -> str:
    """Return the SHA-256 by which the stamps of the ground truth name its labels, as ``annotations``: of other labels it is another.

    Of the report counts what it said in version 0.1, so that a report that says more does not change a ground truth of the same
    labels. It is sealed, because what it says of labels beyond the trims is not released, and of a few recordings guessed at once.

    Parameters
    ----------
    report
        As ``document`` returns it.
    seal
        That of the study's private files.
    """
    ids = {id_: {key: entry[key] for key in OF_RECORDING_IN_DIGEST if key in entry} for id_, entry in report["ids"].items()}
    stamped = {key: report[key] for key in IN_DIGEST if key in report}
    return hashlib.sha256(json_text({**stamped, "ids": ids, RANDOM: seal.of(DIGEST)}).encode()).hexdigest()


def totals(ids: dict[str, Any]) -> dict[str, int]:
    """Return the sums over all recordings; of masks, tracks, points and marks only where there are any."""
    keys = ("labelled_frames", "unlabelled_frames", "rows", "labels_before_cut", "labels_after_cut")
    beyond: Counter[str] = Counter()
    for entry in ids.values():
        beyond.update(entry.get("details", {}))
        of_marks = [entry["marks"], *entry.get("marks_beside", ())] if "marks" in entry else []
        beyond.update({"marks": sum(one["rows"] for one in of_marks)} if of_marks else {})
    return {
        f"{kind}_{key}": sum(entry[kind][key] for entry in ids.values() if entry[kind] is not None)
        for kind in ("phases", "instances")
        for key in keys
    } | dict(sorted(beyond.items()))
