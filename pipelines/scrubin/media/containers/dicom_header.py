"""The header of a DICOM recording, as far as it says what the stream does not: nothing else of it is kept.

DICOM PS3.10, 7.1 (preamble and prefix); PS3.3, C.7.6.5 (cine), C.7.6.6 (multi-frame); PS3.5, A.4 (fragments).
"""

from __future__ import annotations

import re
import struct
import threading
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import pydicom
from pydicom.errors import BytesLengthException, InvalidDicomError
from pydicom.uid import UID

from scrubin.base import strangers
from scrubin.media.containers.pieces import Piece, UnreadableError

BASE = "1.2.840.10008.1.2.4"
JPEG_BASELINE, JPEG_EXTENDED = f"{BASE}.50", f"{BASE}.51"
H264_HIGH_41, H264_HIGH_42 = f"{BASE}.102", f"{BASE}.104"
FRAGMENTABLE = ".1"


@dataclass(frozen=True)
class TransferSyntax:
    """How pixel data are coded.

    Parameters
    ----------
    codec
        FFmpeg's name of it.
    demuxer
        FFmpeg's name for the raw stream.
    """

    name: str
    codec: str
    demuxer: str


_MOVING = {
    "100": TransferSyntax("MPEG-2 Main Profile, Main Level", "mpeg2video", "mpegvideo"),
    "101": TransferSyntax("MPEG-2 Main Profile, High Level", "mpeg2video", "mpegvideo"),
    "102": TransferSyntax("MPEG-4 AVC/H.264 High Profile, Level 4.1", "h264", "h264"),
    "103": TransferSyntax("MPEG-4 AVC/H.264 BD-compatible High Profile, Level 4.1", "h264", "h264"),
    "104": TransferSyntax("MPEG-4 AVC/H.264 High Profile, Level 4.2, 2D", "h264", "h264"),
    "105": TransferSyntax("MPEG-4 AVC/H.264 High Profile, Level 4.2, 3D", "h264", "h264"),
}
SYNTAXES: dict[str, TransferSyntax] = {
    JPEG_BASELINE: TransferSyntax("JPEG Baseline", "mjpeg", "mjpeg"),
    JPEG_EXTENDED: TransferSyntax("JPEG Extended, 8 bits", "mjpeg", "mjpeg"),
    **{f"{BASE}.{number}": syntax for number, syntax in _MOVING.items()},
    # The same stream, cut into fragments of any length.
    **{f"{BASE}.{number}{FRAGMENTABLE}": syntax for number, syntax in _MOVING.items()},
    f"{BASE}.107": TransferSyntax("HEVC/H.265 Main Profile, Level 5.1", "hevc", "hevc"),
    f"{BASE}.108": TransferSyntax("HEVC/H.265 Main 10 Profile, Level 5.1", "hevc", "hevc"),
}
"""Without those of two eyes in one stream (MVC): decoders show one of them, and the other would be lost in silence."""
TWO_EYES = {f"{BASE}.106", f"{BASE}.106{FRAGMENTABLE}"}

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


FIX_COPY = "copy it again from the archive (PACS), or exclude the recording in recordings.csv"
FIX_EXPORT = "export it again from the archive (PACS) as a video, or remove its rows from recordings.csv"
_PIXEL_DATA = bytes.fromhex("E07F1000")
_ITEM, _END = bytes.fromhex("FEFF00E0"), bytes.fromhex("FEFFDDE0")
UNDEFINED = 0xFFFFFFFF
# Filters of warnings, and pydicom's settings, belong to the whole process.
_ONE_AT_A_TIME = threading.Lock()
STREAMED = ("h264", "hevc", "mpeg2video")
_TIME = re.compile(r"(\d{14})(\.\d{1,6})?")


@dataclass(frozen=True, repr=False)
class Origin:
    """Whose an object is and where it stands among others, "" and None where the header does not say it.

    Private: it is compared with that of another object, and written nowhere.

    Parameters
    ----------
    number
        Of the object in its series.
    """

    patient: str
    study: str
    series: str
    number: int | None

    def differs(self, other: Origin) -> str:
        """Return what of both differs so that they are not of one recording, "patient" or "study"; "" when nothing is known to."""
        known = {"patient": (self.patient, other.patient), "study": (self.study, other.study)}
        return next((word for word, both in known.items() if all(both) and len(set(both)) > 1), "")


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
    origin, started
        Whose it is, and when it began. Private.
    """

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
    origin: Origin
    started: str

    @property
    def recorded(self) -> datetime | None:
        """When it began, by the recorder's clock; None where the header does not say it to the second."""
        match = _TIME.match(self.started)
        try:
            return datetime.strptime(f"{match[1]}{match[2] or '.0'}", "%Y%m%d%H%M%S.%f") if match else None
        except ValueError:
            return None


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
            raise UnreadableError("its DICOM header is damaged", FIX_COPY) from None  # pydicom's own message repeats the header


def _read(file: BinaryIO, size: int) -> Header:
    dataset = pydicom.dcmread(file, stop_before_pixels=True, force=True)
    syntax_uid = str(dataset.file_meta.get("TransferSyntaxUID", ""))
    frame_count = _whole(dataset.get("NumberOfFrames"))
    syntax = _syntax(dataset, syntax_uid, frame_count or 1)
    fragments = tuple(_fragments(file, size, syntax_uid))
    behind = _behind(file)
    vector = dataset.get("FrameTimeVector")
    return Header(
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
        counts=counts([dataset.file_meta, dataset, *behind]),
        origin=Origin(
            patient=_text(dataset.get("PatientID")) or "",
            study=_text(dataset.get("StudyInstanceUID")) or "",
            series=_text(dataset.get("SeriesInstanceUID")) or "",
            number=_whole(dataset.get("InstanceNumber")),
        ),
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
        raise UnreadableError("it holds no pictures, or is truncated in front of them", FIX_EXPORT)
    if frame_count < 2 and not (uid in SYNTAXES and SYNTAXES[uid].codec in STREAMED):
        raise UnreadableError("it is a still image", FIX_EXPORT)
    name = UID(uid).name if uid else "not stated"
    if uid in TWO_EYES:
        raise UnreadableError(f"it holds two eyes in one stream ({name})", "export each eye as a video of its own")
    if uid not in SYNTAXES or (uid == JPEG_EXTENDED and dataset.get("BitsAllocated") != 8):
        what = f"its transfer syntax {uid} is not read" if name == uid else f"its transfer syntax is not read ({name})"
        raise UnreadableError(what, "export it as MPEG-2, MPEG-4 AVC, HEVC or JPEG Baseline")
    return SYNTAXES[uid]


def _fragments(file: BinaryIO, size: int, syntax_uid: str) -> Iterator[Piece]:
    """Yield where the fragments are; the file stands behind them then."""
    head = file.read(12)
    if not head:
        raise UnreadableError("it holds no pixel data, or is truncated in front of them", FIX_EXPORT)
    if head[:4] != _PIXEL_DATA:
        raise UnreadableError("it holds no pixel data", FIX_EXPORT)
    if len(head) < 12 or int.from_bytes(head[8:], "little") != UNDEFINED:
        raise UnreadableError(f"its pixel data are not in fragments, as its transfer syntax {syntax_uid} demands", FIX_EXPORT)
    is_table = True
    while True:
        item = file.read(8)
        length, offset = int.from_bytes(item[4:], "little"), file.tell()
        if len(item) < 8 or (item[:4] == _ITEM and offset + length > size):
            raise UnreadableError("it is truncated: its pixel data have no end", FIX_COPY)
        if item[:4] == _END:
            return
        if item[:4] != _ITEM or length == UNDEFINED:
            raise UnreadableError("its pixel data are damaged: something else stands where a fragment should", FIX_COPY)
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


def parts(headers: Mapping[Path, Header]) -> list[dict[Path, Header]]:
    """Return the files of each series that has more than one, in the order of their numbers, then of their beginnings and names."""
    by_series: dict[str, list[Path]] = {}
    for path, header in headers.items():
        if header.origin.series:
            by_series.setdefault(header.origin.series, []).append(path)
    several = [sorted(files, key=lambda path: _order(path, headers[path])) for files in by_series.values() if len(files) > 1]
    return [{path: headers[path] for path in files} for files in several]


def _order(path: Path, header: Header) -> tuple[bool, int, str, str]:
    return header.origin.number is None, header.origin.number or 0, header.started, path.as_posix()


def mend(found: Mapping[Path, Header]) -> str:
    """Return what a curator does with the files of one series, which are in their order."""
    row = "name it in each row of recordings.csv"
    numbers = [header.origin.number for header in found.values() if header.origin.number is not None]
    starts = [header.started for header in found.values() if header.started]
    if len(set(numbers)) < len(numbers) or len(set(starts)) < len(starts):
        cameras = f"if they are the two cameras of one recording, {row} and write left and right into the column camera"
        return f"some have one number, or began at one time: {cameras}; parts are only those that go on where another one ends"
    numbered = ", ".join(f"{path.name} {number}" for number, path in enumerate(found, start=1))
    return f"if they are one recording, {row} and number them in the column part: {numbered}"
