"""Bad DICOM files: what is wrong and the mend are named, and nothing else of the file is."""

from __future__ import annotations

import random
import traceback
from dataclasses import replace

import pydicom
import pytest

import dicom_objects
from scrubin.base.errors import VideoError
from scrubin.media.containers import dicom_header as header
from scrubin.media.containers.dicom_recording import stream_of
from scrubin.media.probe import probe
from scrubin.media.structure import structure

RAW = dicom_objects.KINDS["H.264 raw"]
STANDS_STILL = ["0", *["40"] * 20, "0", *["40"] * 28]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return dicom_objects.recording(tmp_path_factory.mktemp("dicom") / "a.dcm", "H.264 raw")


def changed(tmp_path, sound, **elements):
    """The sound recording with other elements; None removes one."""
    dataset = dicom_objects.header(RAW)
    for keyword, value in elements.items():
        if value is None:
            delattr(dataset, keyword)
        else:
            setattr(dataset, keyword, value)
    return dicom_objects.write(tmp_path / "a.dcm", dataset, RAW, [sound[1].read_bytes()])


def refusal(path):
    with pytest.raises(VideoError) as caught:
        probe(path, "a.dcm")
    assert "Mustermann" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("share", [0.01, 0.02, 0.3, 0.999])
def test_a_truncated_file_is_named_wherever_it_ends(share, sound, tmp_path):
    data = sound[0].read_bytes()
    path = tmp_path / "a.dcm"
    path.write_bytes(data[: max(133, round(len(data) * share))])
    assert any(word in refusal(path).reason for word in ("truncated", "damaged", "no pixel data", "not read"))


def test_no_damage_of_a_header_is_more_than_a_refusal(sound, tmp_path):
    """Whatever pydicom raises, and whatever that repeats of the header."""
    data, chance, path = sound[0].read_bytes(), random.Random(7), tmp_path / "a.dcm"
    end, refused = data.index(bytes.fromhex("E07F1000")) + 20, []
    for _ in range(60):
        damaged = bytearray(data)
        for _ in range(chance.choice((1, 2, 8))):
            place = chance.randrange(132, end)
            damaged[place] = chance.choice((0, 255, chance.randrange(256), damaged[place] ^ 1))
        path.write_bytes(damaged)
        try:
            probe(path, "a.dcm")
        except VideoError as error:
            refused.append("".join(traceback.format_exception(error)))
    assert 5 < len(refused) < 60
    assert not [text for text in refused if "Muster" in text]


def test_the_end_of_the_last_fragment_must_be_there(sound, tmp_path):
    path = tmp_path / "a.dcm"
    path.write_bytes(sound[0].read_bytes()[:-8])
    error = refusal(path)
    assert error.reason == "it is truncated: its pixel data have no end"
    assert error.fix.startswith("copy it again from the archive (PACS)")


@pytest.mark.parametrize(
    ("frames", "reason"),
    [
        (60, "it is truncated: 50 of the 60 frames of its header are there"),
        (49, "its header states 49 frames, its stream holds 50"),
    ],
)
@pytest.mark.parametrize("name", ["H.264 raw", "H.264 MP4", "JPEG", "MPEG-2 main level"])
def test_the_number_of_frames_must_be_that_of_the_header(name, frames, reason, tmp_path):
    dataset = dicom_objects.header(dicom_objects.KINDS[name], frames)
    path, _ = dicom_objects.recording(tmp_path / "a.dcm", name, dataset=dataset)
    assert refusal(path).reason == reason


def test_an_object_without_pictures_is_named(tmp_path):
    dataset = dicom_objects.header(RAW)
    dataset.file_meta = pydicom.dataset.FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = RAW.syntax
    pydicom.dcmwrite(tmp_path / "a.dcm", dataset, enforce_file_format=True)
    assert "no pixel data" in refusal(tmp_path / "a.dcm").reason


def test_empty_pixel_data_are_named(tmp_path):
    path = dicom_objects.write(tmp_path / "a.dcm", dicom_objects.header(RAW), RAW, [])
    assert "empty" in refusal(path).reason


def test_a_still_image_is_named(tmp_path):
    dataset = dicom_objects.header(dicom_objects.KINDS["JPEG"], 1)
    path, _ = dicom_objects.recording(tmp_path / "a.dcm", "JPEG", 1, dataset=dataset)
    assert refusal(path).reason == "it is a still image"


@pytest.mark.parametrize(
    ("syntax", "words"),
    [
        ("1.2.840.10008.1.2.4.90", "JPEG 2000"),
        ("1.2.840.10008.1.2.1", "Explicit VR Little Endian"),
        ("1.2.840.10008.1.2.4.106", "two eyes"),
        ("1.2.276.0.99", "1.2.276.0.99"),
    ],
)
def test_a_transfer_syntax_that_is_not_read_is_named(syntax, words, sound, tmp_path):
    data = sound[0].read_bytes()
    old, new = RAW.syntax.encode(), syntax.encode()
    old, new = old + b"\0" * (len(old) % 2), new + b"\0" * (len(new) % 2)
    size = int.from_bytes(data[140:144], "little") + len(new) - len(old)
    place = data.index(old)
    changed_bytes = data[: place - 2] + len(new).to_bytes(2, "little") + new + data[place + len(old) :]
    (tmp_path / "a.dcm").write_bytes(changed_bytes[:140] + size.to_bytes(4, "little") + changed_bytes[144:])
    error = refusal(tmp_path / "a.dcm")
    assert words in error.reason
    assert error.fix.startswith("export")


def test_a_stream_of_another_codec_is_named(tmp_path):
    path = dicom_objects.write(tmp_path / "a.dcm", dicom_objects.header(RAW), RAW, [b"RIFF" * 500])
    assert "MPEG-4 AVC" in refusal(path).reason


def test_colours_that_decoders_would_take_for_others_are_named(tmp_path):
    dataset = dicom_objects.header(dicom_objects.KINDS["JPEG"], 5)
    dataset.PhotometricInterpretation = "RGB"
    path, _ = dicom_objects.recording(tmp_path / "a.dcm", "JPEG", 5, dataset=dataset)
    assert refusal(path).reason == "its colours are stored as RGB"


@pytest.mark.parametrize(
    ("elements", "reason"),
    [
        ({"FrameTime": None, "FrameTimeVector": ["0", "40"]}, "its FrameTimeVector has 2 times for 50 frames"),
        (
            {"FrameTime": None, "FrameTimeVector": STANDS_STILL},
            "its FrameTimeVector does not go on at frame 21",
        ),
    ],
)
def test_impossible_times_are_named(elements, reason, sound, tmp_path):
    assert refusal(changed(tmp_path, sound, **elements)).reason == reason


def test_frames_without_any_time_are_named(tmp_path):
    dataset = dicom_objects.header(dicom_objects.KINDS["JPEG"], 5)
    del dataset.FrameTime, dataset.CineRate
    path, _ = dicom_objects.recording(tmp_path / "a.dcm", "JPEG", 5, dataset=dataset)
    assert "neither its header nor its stream" in refusal(path).reason


def test_what_is_refused_is_refused_by_every_reader(sound, tmp_path):
    path = changed(tmp_path, sound, NumberOfFrames=60)
    with pytest.raises(VideoError, match="60 frames of its header"):
        structure(path, "a.dcm")


def test_objects_of_one_series_are_parts_in_their_order(sound, tmp_path):
    numbers = {"c": 3, "a": 10, "b": 1}
    headers = {}
    for name, number in numbers.items():
        (tmp_path / name).mkdir()
        path = changed(tmp_path / name, sound, InstanceNumber=number)
        headers[path] = stream_of(path).header
    (tmp_path / "d").mkdir()
    other = changed(tmp_path / "d", sound, SeriesInstanceUID="1.2.9")
    headers[other] = stream_of(other).header
    (found,) = header.parts(headers)
    assert [path.parent.name for path in found] == ["b", "c", "a"]
    assert "column part" in header.mend(found)


H264, MPEG2, HEVC = (dicom_objects.KINDS[name].syntax for name in ("H.264 raw", "MPEG-2 main level", "HEVC raw"))


@pytest.mark.parametrize(
    ("name", "elements", "reason"),
    [
        ("H.264 raw", {"Rows": 384, "Columns": 640}, "its header states 640x384 pixels, its stream holds 192x128"),
        ("H.264 MP4", {"Rows": 384, "Columns": 640}, "its header states 640x384 pixels, its stream holds 192x128"),
        ("JPEG", {"Rows": 384, "Columns": 640}, "its header states 640x384 pixels, its stream holds 192x128"),
        ("H.264 raw", {"PhotometricInterpretation": "MONOCHROME1"}, "its header states MONOCHROME1, which decoders"),
        ("H.264 raw", {"syntax": MPEG2}, "transfer syntax MPEG-2 Main Profile, Main Level, its stream is MPEG-4 AVC/H.264"),
        ("H.264 raw", {"syntax": HEVC}, "transfer syntax HEVC/H.265 Main Profile, Level 5.1, its stream is MPEG-4 AVC/H.264"),
        ("MPEG-2 main level", {"syntax": H264}, "transfer syntax MPEG-4 AVC/H.264 High Profile, Level 4.1, its stream is MPEG-2"),
        ("H.264 MP4", {"syntax": MPEG2}, "transfer syntax MPEG-2 Main Profile, Main Level, its stream is MPEG-4 AVC/H.264"),
    ],
)
def test_a_header_that_contradicts_its_stream_is_refused_with_what_both_say(name, elements, reason, tmp_path):
    path, alone = dicom_objects.recording(tmp_path / "a.dcm", name, 8)
    kind = dicom_objects.KINDS[name]
    dataset = dicom_objects.header(kind, 8)
    kind = replace(kind, syntax=elements.pop("syntax", kind.syntax))
    for keyword, value in elements.items():
        setattr(dataset, keyword, value)
    pieces = dicom_objects.pictures_of(alone.read_bytes()) if kind.suffix == "mjpeg" else [alone.read_bytes()]
    assert probe(path, "a.dcm").frame_count == 8
    error = refusal(dicom_objects.write(path, dataset, kind, pieces))
    assert reason in error.reason
    assert error.fix


def test_what_a_raw_stream_states_of_its_rate_and_other_bits_are_told_and_harmless(tmp_path, sound):
    assert stream_of(sound[0]).told == ()
    path = changed(tmp_path, sound, FrameTime="20", CineRate="50", BitsStored=10)
    assert probe(path, "a.dcm").fps == 50
    assert stream_of(path).told == (
        "its header states 50 frames a second, its stream 25; the header counts, as for every raw stream",
        "its header states 10 bits, its stream has 8; the stream counts",
    )
