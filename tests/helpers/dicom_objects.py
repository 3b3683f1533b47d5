"""DICOM recordings for tests: streams of every kind that is read, made by ffmpeg, in objects made by pydicom."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pydicom
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.encaps import encapsulate

from clips import ffmpeg

BASE = "1.2.840.10008.1.2.4"
ENDOSCOPIC, MICROSCOPIC, PHOTOGRAPHIC = (f"1.2.840.10008.5.1.4.1.1.77.1.{number}" for number in ("1.1", "2.1", "4.1"))
FRAMES, FPS = 50, 25
_X264 = ("-c:v", "libx264", "-preset", "veryfast", "-g", 20, "-bf", 3)


@dataclass(frozen=True)
class Kind:
    """A transfer syntax, and how ffmpeg makes a stream of it."""

    syntax: str
    suffix: str
    options: tuple[object, ...]
    sop_class: str = ENDOSCOPIC
    parts: int = 1


KINDS = {
    "MPEG-2 main level": Kind(f"{BASE}.100", "m2v", ("-c:v", "mpeg2video", "-bf", 2, "-g", 12, "-q:v", 3)),
    "MPEG-2 high level, fragments": Kind(f"{BASE}.101.1", "m2v", ("-c:v", "mpeg2video", "-bf", 2, "-g", 12, "-q:v", 3), MICROSCOPIC, 5),
    "MPEG-2 program stream": Kind(f"{BASE}.101", "mpg", ("-c:v", "mpeg2video", "-bf", 2, "-g", 12, "-f", "vob", "-muxrate", 4000000)),
    "H.264 raw": Kind(f"{BASE}.102", "h264", _X264),
    "H.264 raw, fragments": Kind(f"{BASE}.102.1", "h264", (*_X264, "-b-pyramid", "strict", "-refs", 5), PHOTOGRAPHIC, 7),
    "H.264 MP4": Kind(f"{BASE}.102", "mp4", _X264),
    "H.264 MP4 4.2, fragments": Kind(f"{BASE}.104.1", "mp4", (*_X264, "-movflags", "+faststart"), ENDOSCOPIC, 3),
    "H.264 Blu-ray transport stream": Kind(f"{BASE}.103", "ts", (*_X264, "-muxdelay", 0)),
    "HEVC raw": Kind(f"{BASE}.107", "hevc", ("-c:v", "libx265", "-preset", "veryfast", "-x265-params", "log-level=none:keyint=20")),
    "HEVC 10 bit MP4": Kind(
        f"{BASE}.108",
        "mp4",
        ("-c:v", "libx265", "-pix_fmt", "yuv420p10le", "-preset", "veryfast", "-x265-params", "log-level=none:keyint=20"),
    ),
    "JPEG": Kind(f"{BASE}.50", "mjpeg", ("-c:v", "mjpeg", "-q:v", 3, "-pix_fmt", "yuvj422p")),
}


def stream(folder: Path, kind: Kind, frames: int = FRAMES, size: str = "192x128") -> Path:
    """Return a file with the stream alone."""
    path = folder / f"stream.{kind.suffix}"
    picture = f"testsrc2=size={size}:rate={FPS}:duration={frames / FPS}"
    ffmpeg("-f", "lavfi", "-i", picture, *kind.options, f"file:{path}")
    return path


def pictures_of(data: bytes) -> list[bytes]:
    """Return the single pictures of a stream of JPEGs."""
    starts = [place for place in range(len(data)) if data.startswith(b"\xff\xd8\xff", place)]
    return [data[start:end] for start, end in zip(starts, [*starts[1:], len(data)], strict=True)]


def fragments_of(data: bytes, count: int) -> list[bytes]:
    """Return data in so many pieces of even length, but for the last."""
    step = len(data) // count // 2 * 2
    return [data[k * step : (k + 1) * step if k < count - 1 else len(data)] for k in range(count)]


def header(kind: Kind, frames: int = FRAMES) -> Dataset:
    """Return the elements that an honest recorder writes."""
    dataset = Dataset()
    dataset.SOPClassUID, dataset.SOPInstanceUID = kind.sop_class, "1.2.3.4.5"
    dataset.StudyInstanceUID, dataset.SeriesInstanceUID, dataset.InstanceNumber = "1.2.3", "1.2.3.4", 1
    dataset.Modality, dataset.PatientName, dataset.PatientID = "ES", "Mustermann^Erika", "4711"
    dataset.Rows, dataset.Columns, dataset.NumberOfFrames, dataset.SamplesPerPixel = 128, 192, frames, 3
    dataset.PhotometricInterpretation = "YBR_FULL_422" if kind.suffix == "mjpeg" else "YBR_PARTIAL_420"
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 8, 8, 7, 0
    dataset.FrameTime, dataset.CineRate = "40", "25"
    dataset.FrameIncrementPointer = pydicom.tag.Tag("FrameTime")
    return dataset


def write(path: Path, dataset: Dataset, kind: Kind, fragments: Sequence[bytes]) -> Path:
    """Write an object whose pixel data are these fragments."""
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = kind.syntax
    dataset.file_meta.MediaStorageSOPClassUID = dataset.SOPClassUID
    dataset.file_meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID
    dataset.PixelData = encapsulate(list(fragments), has_bot=False) if fragments else bytes.fromhex("FEFF00E000000000")
    dataset["PixelData"].VR = "OB"
    dataset["PixelData"].is_undefined_length = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pydicom.dcmwrite(path, dataset, enforce_file_format=True)
    return path


def recording(path: Path, name: str, frames: int = FRAMES, *, dataset: Dataset | None = None) -> tuple[Path, Path]:
    """Write a recording of a kind, and return it and its stream as a file."""
    kind = KINDS[name]
    path.parent.mkdir(parents=True, exist_ok=True)
    alone = stream(path.parent, kind, frames)
    data = alone.read_bytes()
    pieces = pictures_of(data) if kind.suffix == "mjpeg" else fragments_of(data, kind.parts)
    return write(path, dataset or header(kind, frames), kind, pieces), alone
