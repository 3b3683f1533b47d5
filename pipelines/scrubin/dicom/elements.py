"""How many elements a DICOM object holds, by group: that much may be said of them, and no value."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import pydicom
from pydicom.errors import BytesLengthException, InvalidDicomError

GROUPS = {
    "0002": "file",
    "0008": "study, series, people, places",
    "0010": "patient",
    "0018": "acquisition and device",
    "0020": "identifiers and order",
    "0028": "picture",
    "0032": "request",
    "0038": "visit",
    "0040": "procedure",
}
PIXEL_DATA = 0x7FE00010
DAMAGED = (
    *(InvalidDicomError, BytesLengthException, struct.error),
    *(EOFError, ValueError, LookupError, NotImplementedError, AttributeError, TypeError),
)
"""What pydicom raises for an odd header, some of it only when a value is asked for."""


def counts(datasets: Iterable[pydicom.Dataset]) -> dict[str, int]:
    """Return the number of elements by group, such as ``0010``, those in nested sequences included, without the pixel data."""
    found: Counter[str] = Counter()
    for dataset in datasets:
        found.update(_groups(dataset))
    return dict(sorted(found.items()))


def is_private(group: str) -> bool:
    """Return whether a group is private: its number is odd.

    >>> is_private("0009"), is_private("0010")
    (True, False)
    """
    return int(group, 16) % 2 == 1


def text(found: Mapping[str, int]) -> str:
    """Return counts as one word per group.

    >>> text({"0009": 3, "0010": 5})
    '0009:3 0010:5'
    """
    return " ".join(f"{group}:{count}" for group, count in sorted(found.items()))


def sentence(found: Mapping[str, int]) -> str:
    """Return counts for reading.

    >>> sentence({"0009": 3, "0010": 5})
    '8 elements in 2 groups, 3 of them private'
    """
    total, private = sum(found.values()), sum(count for group, count in found.items() if is_private(group))
    return f"{total} elements in {len(found)} groups, {private} of them private"


def _groups(dataset: pydicom.Dataset) -> Iterator[str]:
    for tag in sorted(dataset.keys()):
        if tag == PIXEL_DATA:
            continue
        yield f"{tag >> 16:04X}"
        if dataset.get_item(tag).VR in ("SQ", "UN", None):
            yield from _nested(dataset, tag)


def _nested(dataset: pydicom.Dataset, tag: int) -> Iterator[str]:
    try:
        value = dataset[tag].value
    except DAMAGED:
        return  # it cannot be read, and is left behind like the others
    if isinstance(value, pydicom.Sequence):
        for item in value:
            yield from _groups(item)
