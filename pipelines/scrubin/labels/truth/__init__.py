"""Labels of released recordings as each metric takes them: which frames of which recording are labelled, with what.

The table ``labelled`` says which, because a table of triplets has no row for a frame that is
labelled as "no instrument". That frame is a true negative of every class; a frame without a label
is none and must not be scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base.errors import TableError
from scrubin.base.tables.public import LayerName, of_reference_camera
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import Vocabulary

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
TABLE_OF: Mapping[LayerName, str] = {"instances": "triplets", "phases": "phases"}
AGAIN = "run 'dvc repro annotations'"


@dataclass(frozen=True)
class Layer:
    """One layer of the labels of one recording.

    Parameters
    ----------
    vocabulary
        Names and ids.
    frames
        Labelled frames, increasing, shape (n,).
    rows
        Rows of the table ``triplets`` or ``phases``.
    detail
        What is labelled of an instance, ``triplet`` or ``instrument``; None for phases.
    """

    vocabulary: Vocabulary
    frames: IntArray
    rows: pd.DataFrame
    detail: str | None = None


@dataclass(frozen=True)
class Recording:
    """One recording with labels; a layer that is not labelled is None.

    Parameters
    ----------
    whole_triplets
        Whether instrument, verb and target of every instance are labelled.
    dropped_frames
        Number of labelled frames that are left out because they were dropped as unusable.
    hidden
        Numbers of the frames whose picture is black as a whole, so that nobody is recognised.
    """

    id: str
    instances: Layer | None
    phases: Layer | None
    whole_triplets: bool
    dropped_frames: int = 0
    hidden: frozenset[int] = frozenset()

    def is_hidden(self, frames: Sequence[int] | IntArray) -> BoolArray:
        """Return for each frame whether its picture is black: its labels say what was there, and no picture shows it."""
        return np.isin(np.asarray(frames, np.int64), sorted(self.hidden))


def of_tables(labelled: pd.DataFrame, triplets: pd.DataFrame, phases: pd.DataFrame) -> list[Recording]:
    """Return the recordings that have labels, sorted by id.

    Parameters
    ----------
    labelled, triplets, phases
        The tables of the same name.

    Raises
    ------
    TableError
        When the tables are not of the same run.
    """
    instances, with_phases = _layers("instances", labelled, triplets), _layers("phases", labelled, phases)
    whole = {id_ for id_, one in instances.items() if one.detail == "triplet" and one.rows["triplet_id"].notna().all()}
    ids = sorted({*instances, *with_phases})
    return [Recording(id_, instances.get(id_), with_phases.get(id_), id_ in whole) for id_ in ids]


def with_files(recordings: Sequence[Recording], frames: pd.DataFrame) -> list[Recording]:
    """Return recordings without the labels of dropped frames, which have no picture, and with the numbers of hidden ones.

    Parameters
    ----------
    recordings
        Those with labels.
    frames
        The table ``frames``; the camera that labels refer to decides.
    """
    seen = of_reference_camera(frames)
    dropped = {str(id_): np.sort(group.to_numpy(np.int64)) for id_, group in seen[seen["path"].isna()].groupby("id")["frame"]}
    hidden = {str(id_): frozenset(group["frame"].tolist()) for id_, group in seen[seen["redacted"]].groupby("id")}
    kept = [_without(one, dropped[one.id]) if one.id in dropped else one for one in recordings]
    return [replace(one, hidden=hidden.get(one.id, frozenset())) for one in kept]


def _without(one: Recording, dropped: IntArray) -> Recording:
    labelled_frames = {frame for layer in (one.instances, one.phases) if layer is not None for frame in layer.frames.tolist()}
    count = len(labelled_frames.intersection(dropped.tolist()))
    return replace(one, instances=_kept(one.instances, dropped), phases=_kept(one.phases, dropped), dropped_frames=count)


def _kept(layer: Layer | None, dropped: IntArray) -> Layer | None:
    if layer is None:
        return None
    return replace(layer, frames=layer.frames[~np.isin(layer.frames, dropped)], rows=layer.rows[~layer.rows["frame"].isin(dropped)])


def _layers(layer: LayerName, labelled: pd.DataFrame, rows: pd.DataFrame) -> dict[str, Layer]:
    """Return one layer of every recording that has it, by id."""
    own = labelled[labelled["layer"] == layer]
    known = pd.MultiIndex.from_frame(own[["id", "frame"]])
    outside = rows[~pd.MultiIndex.from_frame(rows[["id", "frame"]]).isin(known)]
    for row in outside.head(1).itertuples():
        raise TableError(f"table 'labelled': {row.id}, frame {row.frame} has a row in '{TABLE_OF[layer]}', but is not labelled; {AGAIN}")
    rows_of = dict(list(rows.groupby("id")))
    return {str(id_): _layer(f"{id_}, {layer}", group, rows_of.get(id_, rows.iloc[:0])) for id_, group in own.groupby("id")}


def _layer(place: str, labelled: pd.DataFrame, rows: pd.DataFrame) -> Layer:
    facts = labelled[["vocabulary", "detail"]].drop_duplicates()
    if len(facts) != 1:
        raise TableError(f"table 'labelled': {place}: {len(facts)} different vocabularies or details, but a recording has one; {AGAIN}")
    name, detail = facts.iloc[0]
    frames = np.sort(labelled["frame"].to_numpy(np.int64))
    return Layer(vocabulary.load(name), frames, rows, None if pd.isna(detail) else detail)


def split_columns(splits: pd.DataFrame) -> pd.DataFrame:
    """Return one column ``split_<scheme>`` per scheme, or ``split_<scheme>_<fold>`` where it has several folds.

    The index is ``id``; a recording that a scheme does not use is empty.
    """
    columns: dict[str, pd.Series[str]] = {}
    for scheme, rows in splits.groupby("scheme", sort=True):
        several = len(set(rows["fold"])) > 1
        for fold, part in rows.groupby("fold", sort=True):
            columns[f"split_{scheme}_{fold}" if several else f"split_{scheme}"] = part.set_index("id")["subset"]
    ids = pd.Index(sorted(set(splits["id"])), name="id", dtype="str")
    return pd.DataFrame({name: column.reindex(ids) for name, column in columns.items()}, index=ids)
