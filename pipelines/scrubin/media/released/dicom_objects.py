"""A released video as a de-identified DICOM object: its coded pictures bit for bit, under a header that tells of nobody.

DICOM PS3.3, A.32.5 (Video Endoscopic Image); PS3.5, 8.2.7 (H.264 in MP4), A.4 (fragments); PS3.15, E.1 (Basic Application Level
Confidentiality Profile); PS3.16, CID 7050 (codes of its options).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

import av
import numpy as np
import pydicom
from av.error import FFmpegError
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import UID

from scrubin.base.errors import VideoError
from scrubin.base.files import whole
from scrubin.base.strangers import steady
from scrubin.media.containers import h264, movie
from scrubin.media.containers.dicom_header import FRAGMENTABLE, H264_HIGH_41, H264_HIGH_42
from scrubin.media.opening import open_video, packets
from scrubin.media.probe import Probe, picture_stream, probe

VIDEO_ENDOSCOPIC = "1.2.840.10008.5.1.4.1.1.77.1.1.1"
METHOD = "Scrub-in; PS3.15 basic profile; no source element is kept"
BASIC_PROFILE = ("113100", "DCM", "Basic Application Confidentiality Profile")
# The standard demands a place in the body; a video does not say which.
ANYWHERE = ("123037004", "SCT", "Body structure")
EMPTY = (
    *("PatientName", "PatientBirthDate", "PatientSex", "StudyDate", "StudyTime", "StudyID", "AccessionNumber", "ReferringPhysicianName"),
    *("Manufacturer", "PatientOrientation", "Laterality"),
)
"""What must be there, and may be empty (type 2)."""
FIX_RENDER = "render it first (scrubin render), and give the released video"
RELEASED_UNITS = frozenset([h264.SLICE, h264.IDR, h264.SPS, h264.PPS, h264.DELIMITER])
BASELINE, MAIN, HIGH = 66, 77, 100
CONSTRAINED = 0x40
LEVEL_41, LEVEL_42 = 41, 42
LARGEST_FRAGMENT = (1 << 32) - 2
LONGEST_TEXT = 65_534
"""Bytes of a value whose length has 16 bits."""
_PIXEL_DATA = bytes.fromhex("E07F10004F420000FFFFFFFF")
_ITEM, _END = bytes.fromhex("FEFF00E0"), bytes.fromhex("FEFFDDE000000000")


@dataclass(frozen=True)
class Coded:
    """The coded pictures of a video, as they become an MP4."""

    probe: Probe
    samples: movie.Samples
    head: bytes
    syntax_uid: str
    pixel_aspect: Fraction

    @property
    def size(self) -> int:
        """Bytes of the whole MP4."""
        return len(self.head) + int(self.samples.sizes.sum())


def write(video: Path, target: Path, name: str, patient_id: str = "", largest_fragment: int = LARGEST_FRAGMENT) -> None:
    """Write a DICOM Video Endoscopic Image object of a released video; the same video gives the same bytes.

    Parameters
    ----------
    video, name
        An H.264 video without sound, tags or messages, and what the user calls it.
    target
        The DICOM file.
    patient_id
        The released, invented id of the recording; without one it is derived from the video's bytes.
    largest_fragment
        A longer stream is cut into several fragments.

    Raises
    ------
    VideoError
        When the video is not as a release has it, cannot be in a DICOM object, or changed while it was read; then nothing is written.
    """
    with whole(target) as part, steady(video):
        coded = _coded(video, name)
        digest = hashlib.sha256()
        for data in _stream(video, name, coded):
            digest.update(data)
        dataset = _dataset(coded, digest.digest(), patient_id, fragmented=coded.size > largest_fragment)
        with part.open("wb") as file:
            pydicom.dcmwrite(file, dataset, enforce_file_format=True)
            _write_fragments(file, _stream(video, name, coded), coded.size, largest_fragment)


def _coded(video: Path, name: str) -> Coded:
    """Return how the video is coded.

    Raises
    ------
    VideoError
        When it is not as a release has it.
    """
    probed = probe(video, name)
    try:
        with open_video(video) as container:
            stream = picture_stream(container, name)
            if probed.codec != "h264" or probed.rotation_deg or probed.pixel_format not in ("yuv420p", "yuvj420p"):
                raise VideoError(name, f"it is {probed.codec} in {probed.pixel_format}, not upright H.264 in 8-bit 4:2:0", FIX_RENDER)
            if len(container.streams) != 1 or container.metadata.keys() - {"encoder"} or stream.metadata.keys() - {"DURATION"}:
                raise VideoError(name, "it has sound, tags or other streams", FIX_RENDER)
            extradata = bytes(stream.codec_context.extradata or b"")
            aspect = Fraction(stream.codec_context.sample_aspect_ratio or 1)
            samples = _samples(container, stream, name, extradata)
    except (FFmpegError, ValueError) as error:
        raise VideoError(name, "its coded pictures cannot be read", FIX_RENDER) from error
    picture = movie.Picture("h264", probed.width, probed.height, extradata)
    head = movie.head(picture, samples, _boundaries_s(probed), movie.MP4)
    return Coded(probed, samples, head, _syntax(extradata, name), aspect)


def _samples(container: av.container.InputContainer, stream: av.VideoStream, name: str, extradata: bytes) -> movie.Samples:
    stated = h264.header(extradata)
    if stated.length_bytes != h264.LENGTH_BYTES:
        raise VideoError(name, "its pictures are not stored as in Matroska or MP4", FIX_RENDER)
    sizes, keys, times = [], [], []
    for packet in packets(container, stream, name):
        types = {h264.unit_type(unit) for unit in h264.units(memoryview(packet), stated.length_bytes)}
        if not types <= RELEASED_UNITS:
            raise VideoError(name, f"its stream holds messages (NAL units of type {min(types - RELEASED_UNITS)})", FIX_RENDER)
        sizes.append(packet.size)
        keys.append(h264.IDR in types)
        times.append(packet.pts)
    ranks = np.empty(len(sizes), dtype=np.int64)
    ranks[sorted(range(len(sizes)), key=lambda place: times[place] or 0)] = np.arange(len(sizes))
    return movie.Samples(np.array(sizes, dtype=np.int64), ranks, np.array(keys, dtype=np.bool_))


def _boundaries_s(probed: Probe) -> list[Fraction]:
    if probed.variable_rate:
        return [*probed.times_s, probed.end_s]
    return [number / probed.fps for number in range(probed.frame_count + 1)]


def _syntax(extradata: bytes, name: str) -> str:
    """Return the transfer syntax that allows this profile and level (PS3.5, 8.2.7 and 8.2.8)."""
    sequences = [h264.sequence(unit) for unit in h264.header(extradata).sequences]
    allowed = all(one.profile in (MAIN, HIGH) or (one.profile == BASELINE and one.compatibility & CONSTRAINED) for one in sequences)
    level = max((one.level for one in sequences), default=0)
    if not sequences or not allowed or level > LEVEL_42:
        profiles = ", ".join(sorted({str(one.profile) for one in sequences}))
        reason = f"no transfer syntax of DICOM has H.264 of profile {profiles} at level {level / 10}"
        raise VideoError(name, reason, "set render.mode to reencode and make it smaller: High Profile, up to level 4.2")
    return H264_HIGH_41 if level <= LEVEL_41 else H264_HIGH_42


def _stream(video: Path, name: str, coded: Coded) -> Iterator[bytes]:
    """Yield the MP4: its head, then the coded pictures as they are."""
    yield coded.head
    with open_video(video) as container:
        for packet in packets(container, picture_stream(container, name), name):
            yield bytes(packet)


def _dataset(coded: Coded, content: bytes, patient_id: str, *, fragmented: bool) -> Dataset:
    """Return every element in front of the pixel data."""
    probed = coded.probe
    dataset = Dataset()
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.FileMetaInformationVersion = b"\0\1"
    dataset.file_meta.TransferSyntaxUID = UID(coded.syntax_uid + (FRAGMENTABLE if fragmented else ""))
    dataset.file_meta.ImplementationClassUID = _uid("implementation", b"scrubin")
    dataset.SOPClassUID, dataset.SOPInstanceUID = UID(VIDEO_ENDOSCOPIC), _uid("instance", content)
    dataset.file_meta.MediaStorageSOPClassUID, dataset.file_meta.MediaStorageSOPInstanceUID = dataset.SOPClassUID, dataset.SOPInstanceUID
    dataset.StudyInstanceUID, dataset.SeriesInstanceUID = _uid("study", content), _uid("series", content)
    dataset.PatientID = patient_id or f"scrubin-{content.hex()[:16]}"
    for keyword in EMPTY:
        setattr(dataset, keyword, "")
    dataset.AcquisitionContextSequence, dataset.AnatomicRegionSequence = [], [_code(*ANYWHERE)]
    dataset.Modality, dataset.SeriesNumber, dataset.InstanceNumber = "ES", 1, 1
    dataset.ImageType = ["DERIVED", "PRIMARY"]
    dataset.PatientIdentityRemoved, dataset.LongitudinalTemporalInformationModified = "YES", "REMOVED"
    dataset.DeidentificationMethod = METHOD
    dataset.DeidentificationMethodCodeSequence = [_code(*BASIC_PROFILE)]
    _describe_pixels(dataset, coded)
    _describe_times(dataset, probed)
    return dataset


def _describe_pixels(dataset: Dataset, coded: Coded) -> None:
    probed = coded.probe
    dataset.Rows, dataset.Columns = probed.height, probed.width
    dataset.NumberOfFrames, dataset.SamplesPerPixel = probed.frame_count, 3
    dataset.PhotometricInterpretation, dataset.PlanarConfiguration = "YBR_PARTIAL_420", 0
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 8, 8, 7, 0
    if coded.pixel_aspect != 1:
        dataset.PixelAspectRatio = [coded.pixel_aspect.denominator, coded.pixel_aspect.numerator]
    raw_bytes = 3 * probed.width * probed.height * probed.frame_count
    dataset.LossyImageCompression, dataset.LossyImageCompressionMethod = "01", "ISO_14496_10"
    dataset.LossyImageCompressionRatio = f"{raw_bytes / coded.size:.2f}"


def _describe_times(dataset: Dataset, probed: Probe) -> None:
    """State the times; those of the MP4 are exact, these are rounded as DICOM rounds."""
    dataset.CineRate = max(1, round(probed.fps))
    steps_s = [later - earlier for earlier, later in zip(probed.times_s, probed.times_s[1:], strict=False)]
    vector = ["0", *(_ms(step_s) for step_s in steps_s)]
    if probed.variable_rate and len("\\".join(vector)) <= LONGEST_TEXT:
        dataset.FrameTimeVector = vector
        dataset.FrameIncrementPointer = pydicom.tag.Tag("FrameTimeVector")
    else:
        dataset.FrameTime = _ms(1 / probed.fps)
        dataset.FrameIncrementPointer = pydicom.tag.Tag("FrameTime")


def _ms(time_s: Fraction) -> str:
    return f"{float(time_s * 1000):.6f}".rstrip("0").rstrip(".")


def _code(value: str, scheme: str, meaning: str) -> Dataset:
    item = Dataset()
    item.CodeValue, item.CodingSchemeDesignator, item.CodeMeaning = value, scheme, meaning
    return item


def _uid(role: str, content: bytes) -> UID:
    """Return a UID under 2.25 that only this content has (PS3.5, B.2)."""
    value = int.from_bytes(hashlib.sha256(role.encode() + b"\0" + content).digest()[:16], "big")
    # Such a UID is a UUID as a number: version 8, made by a rule of one's own (RFC 9562).
    value = value & ~(0xF << 76) & ~(0x3 << 62) | 8 << 76 | 2 << 62
    return UID(f"2.25.{value}")


def _write_fragments(file: BinaryIO, stream: Iterator[bytes], size: int, largest: int) -> None:
    """Write the stream behind an empty table of offsets, each fragment as long as it may be."""
    file.write(_PIXEL_DATA + _ITEM + bytes(4))
    left_in_fragment = 0
    left = size
    for data in stream:
        view = memoryview(data)
        while len(view):
            if not left_in_fragment:
                left_in_fragment = min(left, largest)
                file.write(_ITEM + (left_in_fragment + left_in_fragment % 2).to_bytes(4, "little"))
            done = min(len(view), left_in_fragment)
            file.write(view[:done])
            view, left, left_in_fragment = view[done:], left - done, left_in_fragment - done
    file.write(bytes(size % 2) + _END)
