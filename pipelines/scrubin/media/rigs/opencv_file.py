"""A calibration file as its keys and values: YAML or JSON, also as OpenCV's FileStorage writes them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrubin.base import machine, strangers
from scrubin.base.errors import CalibrationError, FileError
from scrubin.base.faults import error, printable

MATRIX_TAGS = ("tag:yaml.org,2002:opencv-matrix", "tag:yaml.org,2002:opencv-nd-matrix")
"""OpenCV 5 writes an array of one dimension with the second one."""
# OpenCV up to version 4 writes the version with a colon, which YAML does not have.
JSON_MATRICES = ("opencv-matrix", "opencv-nd-matrix")
"""JSON has no tags: there OpenCV writes them as a key."""
HEADER = re.compile(r"\A\ufeff?%YAML[: ]\S*[ \t]*\r?\n")


@dataclass(frozen=True)
class Entry:
    """A value of the file, and where it stands."""

    key: str
    value: Any
    place: str


@dataclass(frozen=True)
class Document:
    """A calibration file.

    Parameters
    ----------
    name
        The file as the curator knows it.
    entries
        By key.
    """

    name: str
    entries: dict[str, Entry]

    def first(self, keys: Iterable[str]) -> Entry | None:
        """Return the entry of the first of these keys that the file has."""
        return next((self.entries[key] for key in keys if key in self.entries), None)


def parse(data: bytes, name: str) -> Document:
    """Return what a calibration file says; matrices of OpenCV are arrays.

    Raises
    ------
    CalibrationError
        When it is empty, no YAML, or no mapping of keys to values.
    """
    machine.require_package("yaml", name)
    import yaml

    if not data.strip():
        raise _unreadable(name, "it is empty", "copy it again")
    try:
        text = yaml_text(data)
        strangers.refuse_yaml_bomb(text, name)
        loader = yaml.SafeLoader(text)
        # Objects are made here, and not by tags that a file brings along.
        node = loader.get_single_node()
        entries = dict(_entries(loader, node, yaml)) if isinstance(node, yaml.MappingNode) else {}
    except (yaml.YAMLError, *strangers.BROKEN_VALUES) as fault:
        mark = getattr(fault, "problem_mark", None)
        why = getattr(fault, "problem", None) or ("its bytes are no text" if isinstance(fault, UnicodeDecodeError) else _said(fault))
        raise _unreadable(
            name, f"it is no YAML ({why})", "copy it again, or correct it", f"line {mark.line + 1}" if mark else ""
        ) from fault
    if not entries:
        raise _unreadable(name, "it has no keys", "name the YAML file with camera matrices, distortion, R and t")
    return Document(name, entries)


def yaml_text(data: bytes) -> str:
    """Return the text with an empty first line in place of OpenCV's, so that lines keep their numbers."""
    return HEADER.sub("\n", data.decode("utf-8"))


def _said(fault: Exception) -> str:
    return printable(fault.strerror if isinstance(fault, FileError) else str(fault) or type(fault).__name__)


def _entries(loader: Any, node: Any, yaml: Any) -> Iterable[tuple[str, Entry]]:
    for key_node, value_node in node.value:
        key = str(loader.construct_object(key_node))
        if value_node.tag in MATRIX_TAGS and isinstance(value_node, yaml.MappingNode):
            value = _matrix(loader.construct_mapping(value_node, deep=True))
        else:
            value = loader.construct_object(value_node, deep=True)
            if isinstance(value, dict) and value.get("type_id") in JSON_MATRICES:
                value = _matrix(value)
        yield key, Entry(key, value, f"line {key_node.start_mark.line + 1}, key '{key}'")


def _matrix(parts: dict[str, Any]) -> Any:
    """Return an OpenCV matrix as nested lists; what is no matrix is returned as it is, for its reader to refuse."""
    values, shape = parts.get("data"), parts.get("sizes", [parts.get("rows"), parts.get("cols")])
    if not isinstance(values, list) or not isinstance(shape, list) or not all(isinstance(length, int) for length in shape):
        return parts
    return np.array(values, dtype=object).reshape(shape).tolist() if math.prod(shape) == len(values) else parts


def _unreadable(name: str, what: str, fix: str, place: str = "") -> CalibrationError:
    return CalibrationError([error(name, "calibration", what, fix, place=place)])
