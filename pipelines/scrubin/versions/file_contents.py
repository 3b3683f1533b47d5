"""Rows of a file that repeats tables in another form: what somebody gets out of it, without stamps and consecutive numbers."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from scrubin.core import strangers, unpacking
from scrubin.core.errors import ReleaseError
from scrubin.versions import rows, table_contents
from scrubin.versions.renaming import Recordings

# What is in one of these is known by one of these columns.
KEYS = ("scheme", "fold", "id", "camera", "frame", "rater", "aspect", "error")
WORD = re.compile(r"[A-Za-z0-9]+")
ERRORS = (OSError, ValueError, LookupError, TypeError, csv.Error, zipfile.BadZipFile, pa.ArrowException)


def change(old: Path, new: Path, recordings: Recordings) -> str | None:
    """Return what happened to the contents of a file: ``changed``, also where rows are gone, or only ``added``; None: the same.

    Parameters
    ----------
    old, new
        The file in both releases.
    recordings
        Which the releases have: renamed ones count as the same, and those that only one release has do not count.

    Raises
    ------
    ReleaseError
        When a file cannot be read.
    """
    alone = recordings.added | recordings.removed
    before, after = _of_others(_read(old, recordings.renamed), alone), _of_others(_read(new, {}), alone)
    shared = [one for one in before.column_names if one in after.column_names]
    if len(shared) < len(before.column_names) or any(not rows.same_type(before[one].type, after[one].type) for one in shared):
        return "changed"
    key = [one for one in KEYS if one in shared] or shared
    pairing = rows.pair(before, after, key)
    differs = rows.differing(before, after, pairing, [one for one in shared if one not in key])
    if len(pairing.removed) or any(one.any() for one in differs.values()):
        return "changed"
    return "added" if len(pairing.added) or len(after.column_names) > len(shared) else None


def _of_others(table: pa.Table, ids: frozenset[str]) -> pa.Table:
    """Return the rows of a file that are not of these recordings."""
    if not ids or not {"id", "line"} & set(table.column_names):
        return table
    if "id" in table.column_names:
        return table_contents.of_others(table, ids)[0]
    return table.filter(pa.array([not ids & set(WORD.findall(line)) for line in table["line"].to_pylist()], pa.bool_()))


def _read(path: Path, renamed: Mapping[str, str]) -> pa.Table:
    try:
        if path.suffix in TEXTS:
            return rows.plain(TEXTS[path.suffix](_renamed(strangers.read_text(path), renamed)))
        if path.suffix == ".npz":
            return rows.plain(_arrays(path))
        return Recordings(frozenset(), frozenset(), renamed, frozenset()).brought_over(rows.plain(unpacking.parquet(path, path)))
    except ERRORS as error:
        msg = f"{path}: it cannot be read ({type(error).__name__}: {error}); 'scrubin verify' says what is wrong with the copy"
        raise ReleaseError(msg) from error


def _renamed(text: str, renamed: Mapping[str, str]) -> str:
    """Return a text with the new ids of recordings, where one stands as a whole word."""
    if not renamed:
        return text
    return WORD.sub(lambda word: renamed.get(word[0], word[0]), text)


def _sheet(text: str) -> pa.Table:
    header = text.partition("\n")[0]
    lines = list(csv.reader(io.StringIO(text), delimiter=";" if header.count(";") > header.count(",") else ","))
    names = lines[0] if lines else []
    body = [line for line in lines[1:] if line]
    return pa.table({name: pa.array([line[at] for line in body], pa.string()) for at, name in enumerate(names)})


def _arrays(path: Path) -> pa.Table:
    """Return arrays by frame, each row of one as its bytes; an array that does not go by frame is a column that is named by its content."""
    stored = unpacking.arrays(strangers.read_bytes(path), path, packed=True)
    arrays = {name: np.ascontiguousarray(array) for name, array in stored.items() if name != "stamp"}
    frames = arrays.pop("frame", np.zeros(1, dtype=np.int64))
    columns: dict[str, Any] = {"frame": pa.array(frames)}
    for name, array in sorted(arrays.items()):
        if array.ndim and len(array) == len(frames) and array.nbytes and not name.endswith("_ids"):
            row = pa.binary(array.nbytes // len(array))
            cells = pa.FixedSizeBinaryArray.from_buffers(row, len(array), [None, pa.py_buffer(array.tobytes())])
            columns[f"{name} {array.dtype} {array.shape[1:]}"] = cells
        else:
            content = hashlib.sha256(array.tobytes()).hexdigest()
            columns[f"{name} {array.dtype} {array.shape} {content}"] = pa.nulls(len(frames))
    return pa.table(columns)


def _document(text: str) -> pa.Table:
    document = strangers.json_value(text)
    if not isinstance(document, dict):
        return _lines([json.dumps(document, sort_keys=True)])
    if {"images", "annotations", "categories"} <= document.keys():
        return _lines(_coco(document))
    document.pop("stamp", None)
    frames = document.pop("frame", None)
    if not isinstance(frames, list):
        return _lines(json.dumps([name, value], sort_keys=True) for name, value in [*document.items(), ("frame", frames)])
    columns = {"frame": [json.dumps(frame) for frame in frames]}
    for name, value in sorted(document.items()):
        cells = value if isinstance(value, list) and len(value) == len(frames) else [value] * len(frames)
        columns[name] = [json.dumps(cell, sort_keys=True) for cell in cells]
    return pa.table(columns)


def _coco(document: Mapping[str, Any]) -> Iterable[str]:
    """Yield images, boxes and classes of a COCO file; ids of images and boxes only number them."""
    names = {image["id"]: image["file_name"] for image in document["images"]}
    for image in document["images"]:
        yield json.dumps(["image", {**image, "id": None}], sort_keys=True)
    for box in document["annotations"]:
        yield json.dumps([names[box["image_id"]], {**box, "id": None, "image_id": None}], sort_keys=True)
    for category in document["categories"]:
        yield json.dumps(["category", category], sort_keys=True)


def _lines(lines: Iterable[str]) -> pa.Table:
    return pa.table({"line": pa.array(list(lines), pa.string())})


TEXTS: Mapping[str, Callable[[str], pa.Table]] = {
    ".csv": _sheet,
    ".json": _document,
    ".txt": lambda text: _lines(text.splitlines()),
}
FORMS = frozenset({*TEXTS, ".npz", ".parquet"})
"""Files with one of these suffixes are compared by what is in them; others by their bytes."""
