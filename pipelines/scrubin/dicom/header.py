"""The header of a DICOM recording, as far as it says what the stream does not: nothing else of it is kept.

DICOM PS3.10, 7.1 (preamble and prefix); PS3.3, C.7.6.5 (cine), C.7.6.6 (multi-frame); PS3.5, A.4 (fragments).
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pydicom
from pydicom.uid import UID

from scrubin.core import strangers
from scrubin.dicom import elements
from scrubin.dicom.elements import DAMAGED
from scrubin.dicom.transfer_syntaxes import JPEG_EXTENDED, SYNTAXES, TWO_EYES, TransferSyntax
from scrubin.video.pieces import Piece
from scrubin.video.unreadable_error import UnreadableError

FIX_COPY = "copy it again from the archive (PACS), or exclude the recording in recordings.csv"
FIX_EXPORT = "export it again from the archive (PACS) as a video, or remove its rows from recordings.csv"
_PIXEL_DATA = bytes.fromhex("E07F1000")
_ITEM, _END = bytes.fromhex("FEFF00E0"), bytes.fromhex("FEFFDDE0")
UNDEFINED = 0xFFFFFFFF
# Filters of warnings, and pydicom's settings, belong to the whole process.
_ONE_AT_A_TIME = threading.Lock()
STREAMED = ("h264", "hevc", "mpeg2video")


@dataclass(frozen=True)
class Header:
    """What stands in front of a stream.

    Parameters
    ----------
    fragments
        Where the stream lies, in order, without the table of offsets.
    frame_count
        As the header states it; None where it does not.
    frame_time_ms, frame_times_ms, cine_rate
        What the header says of times, as its own text; None where it says nothing.
    photometric
        How colours are stored.
    rows, columns, bits_stored
        Of a picture, as the header states them; no bits where it does not.
    hints
        What the object says of its own picture: name of the element, and its value.
    counts
        Number of elements by group, such as ``0010``, nested ones included; odd groups are private.
    series, number, started
        UID of the series, number of the object in it, and when it began. Private.
    """

    sop_class: str
    syntax: TransferSyntax
    syntax_uid: str
    fragments: tuple[Piece, ...]
    frame_count: int | None
    frame_time_ms: str | None
    frame_times_ms: tuple[str, ...] | None
    cine_rate: str | None
    photometric: str
    rows: int
    columns: int
    bits_stored: int | None
    hints: tuple[tuple[str, str], ...]
    counts: dict[str, int]
    series: str
    number: int | None
    started: str


HINTS = ("BurnedInAnnotation", "RecognizableVisualFeatures")


def read(path: Path) -> Header:
    """Read the header of a DICOM file, and where its fragments are; the stream itself is not read.

    Raises
    ------
    UnreadableError
        When it is damaged, holds no moving pictures, or such that are not read.
    """
    with _in_silence(), strangers.opened(path) as file:
        try:
            return _read(file, path.stat().st_size)
        except UnreadableError:
            raise
        except DAMAGED:
            msg = "its DICOM header is damaged"
            raise UnreadableError(msg, FIX_COPY) from None  # pydicom's own message repeats the header


def _read(file: BinaryIO, size: int) -> Header:
    dataset = pydicom.dcmread(file, stop_before_pixels=True)
    syntax_uid = str(dataset.file_meta.get("TransferSyntaxUID", ""))
    frame_count = _whole(dataset.get("NumberOfFrames"))
    syntax = _syntax(dataset, syntax_uid, frame_count or 1)
    fragments = tuple(_fragments(file, size, syntax_uid))
    behind = _behind(file)
    vector = dataset.get("FrameTimeVector")
    return Header(
        sop_class=str(dataset.get("SOPClassUID", "")),
        syntax=syntax,
        syntax_uid=syntax_uid,
        fragments=fragments,
        frame_count=frame_count,
        frame_time_ms=_text(dataset.get("FrameTime")),
        frame_times_ms=None if vector is None else tuple(str(one) for one in _several(vector)),
        cine_rate=_text(dataset.get("CineRate")) or _text(dataset.get("RecommendedDisplayFrameRate")),
        photometric=str(dataset.get("PhotometricInterpretation", "")).strip(),
        rows=int(dataset.Rows),
        columns=int(dataset.Columns),
        bits_stored=_whole(dataset.get("BitsStored")),
        hints=tuple((name, str(dataset.get(name)).strip().upper()) for name in HINTS if dataset.get(name) is not None),
        counts=elements.counts([dataset.file_meta, dataset, *behind]),
        series=str(dataset.get("SeriesInstanceUID", "")),
        number=_whole(dataset.get("InstanceNumber")),
        started=str(dataset.get("AcquisitionDateTime") or f"{dataset.get('ContentDate') or ''}{dataset.get('ContentTime') or ''}"),
    )


@contextmanager
def _in_silence() -> Iterator[None]:
    """Read without a word about odd values: they stay behind, and a warning may repeat them."""
    with _ONE_AT_A_TIME, warnings.catch_warnings(), pydicom.config.disable_value_validation():
        warnings.simplefilter("ignore")
        yield


def _syntax(dataset: pydicom.FileDataset, uid: str, frame_count: int) -> TransferSyntax:
    if "Rows" not in dataset:
        msg = "it holds no pictures, or is truncated in front of them"
        raise UnreadableError(msg, FIX_EXPORT)
    if frame_count < 2 and not (uid in SYNTAXES and SYNTAXES[uid].codec in STREAMED):
        msg = "it is a still image"
        raise UnreadableError(msg, FIX_EXPORT)
    name = UID(uid).name if uid else "not stated"
    if uid in TWO_EYES:
        msg = f"it holds two eyes in one stream ({name})"
        raise UnreadableError(msg, "export each eye as a video of its own")
    if uid not in SYNTAXES or (uid == JPEG_EXTENDED and dataset.get("BitsAllocated") != 8):
        what = f"its transfer syntax {uid} is not read" if name == uid else f"its transfer syntax is not read ({name})"
        raise UnreadableError(what, "export it as MPEG-2, MPEG-4 AVC, HEVC or JPEG Baseline")
    return SYNTAXES[uid]


def _fragments(file: BinaryIO, size: int, syntax_uid: str) -> Iterator[Piece]:
    """Yield where the fragments are; the file stands behind them then."""
    head = file.read(12)
    if not head:
        msg = "it holds no pixel data, or is truncated in front of them"
        raise UnreadableError(msg, FIX_EXPORT)
    if head[:4] != _PIXEL_DATA:
        msg = "it holds no pixel data"
        raise UnreadableError(msg, FIX_EXPORT)
    if len(head) < 12 or int.from_bytes(head[8:], "little") != UNDEFINED:
        msg = f"its pixel data are not in fragments, as its transfer syntax {syntax_uid} demands"
        raise UnreadableError(msg, FIX_EXPORT)
    is_table = True
    while True:
        item = file.read(8)
        length, offset = int.from_bytes(item[4:], "little"), file.tell()
        if len(item) < 8 or (item[:4] == _ITEM and offset + length > size):
            msg = "it is truncated: its pixel data have no end"
            raise UnreadableError(msg, FIX_COPY)
        if item[:4] == _END:
            return
        if item[:4] != _ITEM or length == UNDEFINED:
            msg = "its pixel data are damaged: something else stands where a fragment should"
            raise UnreadableError(msg, FIX_COPY)
        if not is_table:
            yield Piece(offset, length)
        is_table = False
        file.seek(offset + length)


def _behind(file: BinaryIO) -> Sequence[pydicom.Dataset]:
    """Return what stands behind the pixel data: padding, signatures, or what somebody hid there."""
    try:
        return [pydicom.filereader.read_dataset(file, is_implicit_VR=False, is_little_endian=True)]
    except DAMAGED:
        return []


def _whole(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None


def _text(value: Any) -> str | None:
    return None if value is None or str(value).strip() == "" else str(value).strip()


def _several(value: Any) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
