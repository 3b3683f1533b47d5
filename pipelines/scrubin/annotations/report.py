"""What became of the labels: counts per recording, with released ids only.

``runs`` are the labelled frames, half open. A table of triplets cannot tell a frame labelled as
"no instrument" from a frame without a label; these runs can, and the ground truth needs it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from scrubin.annotations.alignment import NS, Timeline
from scrubin.annotations.params import SourceParams, WindowsParams
from scrubin.annotations.placing import Placed
from scrubin.labels.label_map import LabelMap
from scrubin.labels.label_map import table as label_map_table
from scrubin.labels.model import IntArray, Labels
from scrubin.labels.spans.span_table import runs

__all__ = ["document", "layer", "merges", "runs", "shift_warning", "totals"]


def layer(placed: Placed, line: Timeline, hidden: IntArray) -> dict[str, Any]:
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
        "runs": runs(placed.frames),
    }
    if "instrument_id" in placed.rows:
        counts |= {"detail": placed.detail, "boxes": int(placed.rows["x"].notna().sum())}
    return counts


def shift_warning(placed: Placed, line: Timeline) -> list[str]:
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
    found = []
    for source, label_map in maps.items():
        labels = [one for of, one in read if of == source]
        counts: Counter[tuple[str, str]] = Counter()
        for one in labels:
            counts.update(one.merged)
        rows = label_map_table(counts).to_dict("records")
        tables = [one.spans if one.instances is None else one.instances.rows for one in labels]
        total = len(pd.concat(given)) if (given := [table[["triplet_id"]] for table in tables if table is not None]) else 0
        entry = {"format": source.format, "vocabulary": source.vocabulary, "map": label_map.name, "source": label_map.source}
        found.append({**entry, "instances": total, "merged_instances": counts.total(), "merged": rows})
    return found


def document(summary: Mapping[str, Any], merged: Sequence[Mapping[str, Any]], windows: WindowsParams | None) -> dict[str, Any]:
    """Return the whole report; what no label was changed by is not in it."""
    changed = {"label_maps": list(merged), "windows": None if windows is None else asdict(windows)}
    return {**summary, **{name: value for name, value in changed.items() if value}}


def totals(ids: dict[str, Any]) -> dict[str, int]:
    """Return the sums over all recordings."""
    keys = ("labelled_frames", "unlabelled_frames", "rows", "labels_before_cut", "labels_after_cut")
    return {
        f"{kind}_{key}": sum(entry[kind][key] for entry in ids.values() if entry[kind] is not None)
        for kind in ("phases", "instances")
        for key in keys
    }
