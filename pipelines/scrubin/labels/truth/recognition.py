"""Recognition: per labelled frame, per class, whether it occurs (Nwoye & Padoy 2022, section 3).

Components are the maximum over the triplets that share the component (equation 3). Their vectors
hold only the ids that occur in the vocabulary, increasing; null triplets take part.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.base import files
from scrubin.base.tables import Column, Table
from scrubin.base.tables import io as tables_io
from scrubin.base.vocabulary.vocabulary import COMPONENTS, Component, Vocabulary
from scrubin.labels.rows import occurs
from scrubin.labels.truth import BoolArray, Layer, Recording

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip header can hold
UNIX = 3


def npz(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return the bytes of an ``.npz`` file that ``numpy.load`` reads.

    Unlike ``numpy.savez`` it has no clock in its headers. It is stored, not deflated: zlib builds
    differ in their output.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(arrays):
            entry = zipfile.ZipInfo(f"{name}.npy", EPOCH)
            entry.create_system = UNIX
            entry.external_attr = 0o644 << 16
            array = io.BytesIO()
            np.lib.format.write_array(array, np.asarray(arrays[name], order="C"), version=(1, 0), allow_pickle=False)
            archive.writestr(entry, array.getvalue())
    return buffer.getvalue()


Matrix = npt.NDArray[np.int8]
NAMES: dict[Component, str] = {
    "i": "instrument",
    "v": "verb",
    "t": "target",
    "iv": "instrument and verb",
    "it": "instrument and target",
    "ivt": "triplet",
}


def disentangle(ivt: Matrix, vocabulary: Vocabulary, component: Component) -> Matrix:
    """Return the component matrix of a triplet matrix.

    Parameters
    ----------
    ivt
        Shape (n frames, n triplets), 0 or 1.

    Returns
    -------
    Matrix
        Shape (n frames, n component ids), columns in the order of ``vocabulary.component_ids``.
    """
    of_triplet = np.array(vocabulary.component(component))
    columns = [ivt[:, of_triplet == value].max(axis=1) for value in vocabulary.component_ids(component)]
    return np.stack(columns, axis=1).astype(np.int8)


def matrices(recording: Recording) -> dict[Component, Matrix]:
    """Return the matrices of a recording, rows in the order of its labelled frames.

    All six components where every instance is a whole triplet. Otherwise only ``i``: what is not
    labelled is undefined, not absent.
    """
    layer = recording.instances
    if layer is None:
        return {}
    if not recording.whole_triplets:
        return {"i": _occurs(layer, "instrument_id", len(layer.vocabulary.instruments))}
    ivt = _occurs(layer, "triplet_id", len(layer.vocabulary.triplets))
    return {component: disentangle(ivt, layer.vocabulary, component) for component in COMPONENTS}


def archive(layer: Layer, hidden: BoolArray, matrices: Mapping[Component, Matrix], stamp: Mapping[str, Any]) -> bytes:
    """Return the ``.npz`` of a recording.

    It has ``frame`` and ``hidden`` (shape (n,)), per component its matrix and ``<component>_ids``, and the stamp as JSON text.
    """
    ids = {f"{component}_ids": np.array(layer.vocabulary.component_ids(component), np.int64) for component in matrices}
    stamp_json = np.array(json.dumps(stamp, sort_keys=True))
    frames = {"frame": layer.frames, "hidden": hidden}
    return npz({**frames, **ids, **{str(component): matrix for component, matrix in matrices.items()}, "stamp": stamp_json})


def table(vocabulary: Vocabulary) -> Table:
    """Return the declaration of the recognition table: one column per component and id."""
    columns = [
        Column(f"{component}_{id_}", "bool", "", f"{NAMES[component]} {id_} occurs in the frame", null="not labelled in this recording")
        for component in COMPONENTS
        for id_ in vocabulary.component_ids(component)
    ]
    return Table(
        "recognition",
        f"labelled frames and what occurs in them; ids of the vocabulary {vocabulary.name} {vocabulary.version}",
        private=False,
        key=("id", "frame"),
        columns=(
            Column("id", "str", "", "released pseudo-English id of the recording"),
            Column("frame", "int64", "", "number of the extracted frame, from 0", between=(0, None)),
            Column("hidden", "bool", "", "whether the picture is black: the labels say what was there, and no picture shows it"),
            *columns,
        ),
    )


def rows(vocabulary: Vocabulary, of_recordings: Sequence[tuple[Recording, Mapping[Component, Matrix]]]) -> pd.DataFrame:
    """Return the recognition table of recordings with the same vocabulary."""
    declared = table(vocabulary)
    parts = [_part(declared, vocabulary, one, of_one) for one, of_one in of_recordings if one.instances and len(one.instances.frames)]
    return tables_io.conform(declared, pd.concat(parts)) if parts else tables_io.frame_of(declared, [])


def write(path: Path, vocabulary: Vocabulary, rows: pd.DataFrame, stamp: Mapping[str, Any]) -> None:
    """Write rows of the recognition table as parquet, with the stamp as JSON text among its metadata."""
    schema = table(vocabulary).schema
    arrow = pa.Table.from_pandas(rows, schema=schema, preserve_index=False)
    metadata = {**schema.metadata, b"stamp": json.dumps(stamp, sort_keys=True).encode()}
    with files.whole(path) as part:
        pq.write_table(arrow.replace_schema_metadata(metadata), part, compression="zstd")


def _part(declared: Table, vocabulary: Vocabulary, recording: Recording, matrices: Mapping[Component, Matrix]) -> pd.DataFrame:
    frames = recording.instances.frames if recording.instances is not None else np.zeros(0, np.int64)
    columns: dict[str, Any] = {"id": [recording.id] * len(frames), "frame": frames, "hidden": recording.is_hidden(frames)}
    for component in COMPONENTS:
        for k, value in enumerate(vocabulary.component_ids(component)):
            occurs = matrices[component][:, k].astype(bool) if component in matrices else [None] * len(frames)
            columns[f"{component}_{value}"] = pd.array(occurs, dtype="boolean")
    return pd.DataFrame(columns, columns=declared.column_names)


def _occurs(layer: Layer, column: str, n_classes: int) -> Matrix:
    return occurs(layer.frames, layer.rows["frame"].to_numpy(np.int64), layer.rows[column].to_numpy(np.int64), n_classes)
