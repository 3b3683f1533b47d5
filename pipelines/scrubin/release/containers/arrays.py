"""Numpy arrays. Source: NEP 1, a simple file format for NumPy arrays."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.release.audit.findings import Contents, Fault, Text
from scrubin.release.audit.strings import numbers
from scrubin.release.audit.strings.private_columns import Public, of_a_day


def read_array(data: bytes) -> Contents:
    """Return the faults and texts of a numpy array.

    Raises
    ------
    ValueError
        When it holds Python objects, or is no array.
    """
    stream = io.BytesIO(data)
    array = np.lib.format.read_array(stream, allow_pickle=False)
    end = stream.tell()
    names = array.dtype.names or ()
    texts = [Text("header", data[: end - array.nbytes].decode("latin-1")), Text("fields", "\n".join(names), structured=True)]
    faults = [
        Fault("private-column", f"field {name}", "this field is private; leave it out")
        for name in sorted(names)
        if Public().identifies(name)
    ]
    if end != len(data):
        faults.append(Fault("unreadable", f"byte {end}", f"{len(data) - end} bytes after the array; write it again"))
        texts.append(Text("after the array", data[end:].decode("latin-1")))
    for name in names or ("",):
        values = array[name] if name else array
        texts += _texts(values, name)
        if values.dtype.kind not in "biufSU":
            faults.append(Fault("unreadable", "values", f"values of type {values.dtype} cannot be proven clean; write numbers or texts"))
    return Contents(faults, texts)


def _texts(values: npt.NDArray[Any], name: str) -> Iterator[Text]:
    place = f"values of {name}" if name else "values"
    day = of_a_day(name)
    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8", "replace")
    if values.dtype.kind == "U":
        yield Text(place, "\n".join(map(str, np.unique(values))), structured=not day)
    elif values.dtype.kind in "iuf":
        yield from numbers.text_of(place, values, day=day)
