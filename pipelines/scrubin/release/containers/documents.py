"""Text files: CSV, JSON, Markdown, checksums; and numpy arrays."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from scrubin.release.declared import IDENTIFYING, private_columns
from scrubin.release.findings import Contents, Fault, Text
from scrubin.release.order import fault as order_fault
from scrubin.release.order import names_fault
from scrubin.tables.catalogue import PRIVATE_TABLES

DELIMITERS = ";,\t"
ID_KEYS = ("id", "video", "video_id", "name", "recording_id", "file_name")


def read_text(data: bytes) -> Contents:
    """Return the text of a document.

    Raises
    ------
    ValueError
        When it is not UTF-8.
    """
    return Contents(texts=[Text("text", data.decode("utf-8"))])


def read_csv(data: bytes, ids: frozenset[str]) -> Contents:
    """Return the faults and texts of a CSV file with a header, in any usual dialect."""
    text = data.decode("utf-8")
    header = text.split("\n", 1)[0]
    delimiter = max(DELIMITERS, key=header.count)
    columns = next(csv.reader([header.strip("\r\ufeff")], delimiter=delimiter), [])
    faults = [
        Fault("private-column", f"column {name}", "this column is private; leave it out")
        for name in sorted({column.strip() for column in columns} & private_columns())
    ]
    for table in PRIVATE_TABLES:
        if set(table.column_names) <= set(columns):
            faults.append(Fault("private-table", "header", f"this is the private table '{table.name}'; take the file out"))
    if "id" in columns:
        rows = pd.read_csv(io.StringIO(text), sep=delimiter, dtype=str, keep_default_na=False)
        message = order_fault(rows, ids)
        faults += [Fault("order", "rows", message)] if message else []
    return Contents(faults, [Text("text", text, structured=True)])


def read_json(data: bytes, ids: frozenset[str]) -> Contents:
    """Return the faults and texts of a JSON file."""
    faults: dict[Fault, None] = {}
    texts: dict[str, None] = {}
    for place, value in _values(json.loads(data.decode("utf-8")), "$"):
        if isinstance(value, str):
            texts[value] = None
        elif isinstance(value, dict):
            texts.update(dict.fromkeys(value))
            # A released id is harmless under any key.
            for key in sorted(key for key in set(value) & IDENTIFYING if not (isinstance(value[key], str) and value[key] in ids)):
                faults[Fault("private-column", f"{place}.{key}", "this key is private; leave it out")] = None
            message = names_fault(list(value), ids)
            if message:
                faults[Fault("order", place, message)] = None
        elif isinstance(value, list):
            message = names_fault([name for item in value if (name := _id_of(item, ids))], ids)
            if message:
                faults[Fault("order", place, message)] = None
    return Contents(list(faults), [Text("values and keys", "\n".join(texts), structured=True)])


def read_array(data: bytes) -> Contents:
    """Return the texts of a numpy array.

    Raises
    ------
    ValueError
        When it holds Python objects, or is no array.
    """
    array = np.load(io.BytesIO(data), allow_pickle=False)
    names = array.dtype.names or ()
    texts = [Text("fields", "\n".join(names), structured=True)]
    faults = [Fault("private-column", f"field {name}", "this field is private; leave it out") for name in sorted(set(names) & IDENTIFYING)]
    for field in names or (None,):
        values = array if field is None else array[field]
        if values.dtype.kind == "U":
            texts.append(Text("values", "\n".join(map(str, np.unique(values))), structured=True))
        elif values.dtype.kind not in "biufS":
            faults.append(Fault("unreadable", "values", f"values of type {values.dtype} cannot be proven clean; write numbers or texts"))
    return Contents(faults, texts)


def _values(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    stack = [(place, value)]
    while stack:
        where, item = stack.pop()
        yield where, item
        if isinstance(item, dict):
            stack += [(f"{where}.{key}", child) for key, child in item.items()]
        elif isinstance(item, list):
            # One place for all items: a million boxes have the same fault a million times.
            stack += [(f"{where}[]", child) for child in item if isinstance(child, (dict, list, str))]


def _id_of(item: Any, ids: frozenset[str]) -> str:
    """Return the released id that an item of a list is about, "" when it is about none."""
    if isinstance(item, str):
        return item if item in ids else ""
    if isinstance(item, dict):
        for key in ID_KEYS:
            name = item.get(key)
            if isinstance(name, str):
                return next((part for part in name.replace(".", "/").split("/") if part in ids), "")
    return ""
