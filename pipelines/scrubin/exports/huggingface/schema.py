"""Columns of the parquet files, as Arrow and as the data set library has them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

PICTURE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
INSTANCE = pa.struct(
    [
        ("instance", pa.int64()),
        *(
            (name + id_, kind)
            for name in ("instrument", "verb", "target", "triplet")
            for id_, kind in (("", pa.string()), ("_id", pa.int64()))
        ),
        *((name, pa.float64()) for name in ("x", "y", "w", "h", "score")),
    ]
)
FRAMES: Mapping[str, pa.DataType] = {
    "image": PICTURE,
    "id": pa.string(),
    "task": pa.string(),
    "camera": pa.string(),
    "frame": pa.int64(),
    "source_frame": pa.int64(),
    "time_s": pa.float64(),
    "width": pa.int64(),
    "height": pa.int64(),
    "phase": pa.string(),
    "phase_id": pa.int64(),
    "phase_vocabulary": pa.string(),
    "instances": pa.list_(INSTANCE),
    "instances_vocabulary": pa.string(),
    "instances_detail": pa.string(),
}
ERRORS = pa.list_(pa.struct([("error", pa.string()), ("occurred", pa.bool_())]))


def recordings(scores: Mapping[str, pa.DataType]) -> Mapping[str, pa.DataType]:
    """Return the columns of recordings with these scores."""
    return {"id": pa.string(), "task": pa.string(), **scores, "errors": ERRORS}


def schema(columns: Mapping[str, pa.DataType]) -> pa.Schema:
    """Return the schema of a file, with the features that the library makes of it."""
    features = {name: {"_type": "Image"} if kind == PICTURE else _feature(kind) for name, kind in columns.items()}
    metadata = {"huggingface": json.dumps({"info": {"features": features}}, sort_keys=True)}
    return pa.schema([pa.field(name, kind) for name, kind in columns.items()], metadata=metadata)


def _feature(kind: pa.DataType) -> Any:
    if pa.types.is_list(kind):
        return [_feature(kind.value_type)]
    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    return {"dtype": "float64" if pa.types.is_float64(kind) else str(kind), "_type": "Value"}
