"""The labelled recordings: which frames of which recording are labelled, and with what.

The runs of labelled frames come from the report of the stage annotations, because a table of
triplets has no row for a frame that is labelled as "no instrument". That frame is a true
negative of every class; a frame without a label is none and must not be scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.errors import TableError
from scrubin.vocabulary import vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary

IntArray = npt.NDArray[np.int64]
CAMERA_ORDER = {"left": 0, "mono": 1, "right": 2}


@dataclass(frozen=True)
class Layer:
    """Labels of one kind of one recording.

    Parameters
    ----------
    vocabulary
        Names and ids.
    frames
        Labelled frames, increasing, shape (n,).
    rows
        Rows of the table ``triplets`` or ``phases``.
    """

    vocabulary: Vocabulary
    frames: IntArray
    rows: pd.DataFrame


@dataclass(frozen=True)
class Recording:
    """One recording with labels; a kind that is not labelled is None.

    Parameters
    ----------
    whole_triplets
        Whether instrument, verb and target of every instance are labelled.
    dropped_frames
        Number of labelled frames that are left out because they were dropped as unusable.
    """

    id: str
    instances: Layer | None
    phases: Layer | None
    whole_triplets: bool
    dropped_frames: int = 0


def labelled(report: Mapping[str, Any], triplets: pd.DataFrame, phases: pd.DataFrame) -> list[Recording]:
    """Return the recordings that have labels, sorted by id.

    Parameters
    ----------
    report
        ``reports/annotations.json``.
    triplets, phases
        The tables of the same name.

    Raises
    ------
    TableError
        When the report and a table are not of the same run.
    """
    instances_of, phases_of = dict(list(triplets.groupby("id"))), dict(list(phases.groupby("id")))
    unknown = sorted({*triplets["id"], *phases["id"]} - set(report["ids"]))
    if unknown:
        msg = f"reports/annotations.json: has no entry for {unknown[0]}, which has labels; run 'dvc repro annotations'"
        raise TableError(msg)
    recordings = []
    for id_, entry in sorted(report["ids"].items()):
        instances = _layer(id_, entry["instances"], instances_of.get(id_, triplets.iloc[:0]))
        detail = entry["instances"]["detail"] if instances is not None else ""
        whole = instances is not None and detail == "triplet" and bool(instances.rows["triplet_id"].notna().all())
        recordings.append(Recording(id_, instances, _layer(id_, entry["phases"], phases_of.get(id_, phases.iloc[:0])), whole))
    return recordings


def with_files(found: Sequence[Recording], frames: pd.DataFrame) -> list[Recording]:
    """Return recordings without the labels of dropped frames: without a picture nobody can predict them.

    Parameters
    ----------
    found
        The labelled recordings.
    frames
        The table ``frames``; the camera that labels refer to decides.
    """
    seen = labelled_camera(frames)
    dropped = {str(id_): np.sort(group.to_numpy(np.int64)) for id_, group in seen[seen["path"].isna()].groupby("id")["frame"]}
    return [_without(one, dropped[one.id]) if one.id in dropped else one for one in found]


def labelled_camera(frames: pd.DataFrame) -> pd.DataFrame:
    """Return the frames of the camera that labels refer to: of each recording left, mono, else right."""
    order = frames["camera"].map(CAMERA_ORDER)
    return frames[order == order.groupby(frames["id"]).transform("min")]


def _without(one: Recording, dropped: IntArray) -> Recording:
    labelled_frames = {frame for layer in (one.instances, one.phases) if layer is not None for frame in layer.frames.tolist()}
    count = len(labelled_frames.intersection(dropped.tolist()))
    return replace(one, instances=_kept(one.instances, dropped), phases=_kept(one.phases, dropped), dropped_frames=count)


def _kept(layer: Layer | None, dropped: IntArray) -> Layer | None:
    if layer is None:
        return None
    return replace(layer, frames=layer.frames[~np.isin(layer.frames, dropped)], rows=layer.rows[~layer.rows["frame"].isin(dropped)])


def _layer(id_: str, entry: Mapping[str, Any] | None, rows: pd.DataFrame) -> Layer | None:
    frames = expand([] if entry is None else entry["runs"])
    outside = sorted(set(rows["frame"]) - set(frames.tolist()))
    if outside:
        msg = f"reports/annotations.json: {id_}, frame {outside[0]} has a label but is in no run; run 'dvc repro annotations'"
        raise TableError(msg)
    return None if entry is None else Layer(vocabulary.load(entry["vocabulary"]), frames, rows)


def expand(runs: Sequence[Sequence[int]]) -> IntArray:
    """Return the frames of half-open runs.

    >>> expand([[0, 3], [7, 8]]).tolist()
    [0, 1, 2, 7]
    """
    return np.concatenate([np.arange(start, end, dtype=np.int64) for start, end in runs]) if runs else np.zeros(0, np.int64)
