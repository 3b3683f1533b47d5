"""Bad DICOM files: what is wrong and the mend are named, and nothing else of the file is."""

from __future__ import annotations

import random
import traceback
from dataclasses import replace
from functools import cache

import pydicom
import pytest

import clips
import dicom_objects
from scrubin.base.errors import VideoError
from scrubin.media.containers import dicom_header as header
from scrubin.media.containers.dicom_recording import stream_of
from scrubin.media.opening import contradictions
from scrubin.media.probe import probe
from scrubin.media.structure import structure

RAW = dicom_objects.KINDS["H.264 raw"]
H264, MPEG2, HEVC = (dicom_objects.KINDS[name].syntax for name in ("H.264 raw", "MPEG-2 main level", "HEVC raw"))
KINDS = ("H.264 raw", "H.264 MP4", "JPEG", "MPEG-2 main level")
FRAMES = 8


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return dicom_objects.recording(tmp_path_factory.mktemp("dicom") / "a.dcm", "H.264 raw")


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    """The pixel data of a short recording of a kind, made once."""

    @cache
    def of(name, frames=FRAMES):
        kind = dicom_objects.KINDS[name]
        data = dicom_objects.stream(tmp_path_factory.mktemp("stream"), kind, frames).read_bytes()
        return dicom_objects.pictures_of(data) if kind.suffix == "mjpeg" else [data]

    return of


@pytest.fixture
def changed(pieces, tmp_path):
    """Write a short recording with other elements; None removes one."""

    def of(name="H.264 raw", to="a.dcm", data=None, frames=FRAMES, syntax=None, **elements):
        kind = dicom_objects.KINDS[name]
        dataset = dicom_objects.header(kind, frames)
        for keyword, value in elements.items():
            if value is None:
                delattr(dataset, keyword)
            else:
                setattr(dataset, keyword, value)
        (tmp_path / to).parent.mkdir(exist_ok=True)
        kind = replace(kind, syntax=syntax or kind.syntax)
        return dicom_objects.write(tmp_path / to, dataset, kind, pieces(name, frames) if data is None else data)

    return of


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


def test_an_object_without_pictures_is_named(tmp_path):
    dataset = dicom_objects.header(RAW)
    dataset.file_meta = pydicom.dataset.FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = RAW.syntax
    pydicom.dcmwrite(tmp_path / "a.dcm", dataset, enforce_file_format=True)
    assert "no pixel data" in refusal(tmp_path / "a.dcm").reason


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


LARGER = {"Rows": 384, "Columns": 640}
STANDS_STILL = ["0", "40", "40", "0", *["40"] * 4]


@pytest.mark.parametrize(
    ("name", "elements", "reason"),
    [
        ("H.264 raw", {"data": []}, "its pixel data are empty"),
        ("H.264 raw", {"data": [b"RIFF" * 500]}, "MPEG-4 AVC"),
        ("JPEG", {"frames": 1}, "it is a still image"),
        ("JPEG", {"PhotometricInterpretation": "RGB"}, "its colours are stored as RGB"),
        ("JPEG", {"FrameTime": None, "CineRate": None}, "neither its header nor its stream"),
        ("H.264 raw", {"FrameTime": None, "FrameTimeVector": ["0", "40"]}, "its FrameTimeVector has 2 times for 8 frames"),
        ("H.264 raw", {"NumberOfFrames": 1}, "its header states 1 frame, its stream holds 8"),
        ("H.264 raw", {"FrameTime": None, "FrameTimeVector": STANDS_STILL}, "its FrameTimeVector does not go on at frame 3"),
        *((name, {"NumberOfFrames": 10}, "it is truncated: 8 of the 10 frames of its header are there") for name in KINDS),
        *((name, {"NumberOfFrames": 7}, "its header states 7 frames, its stream holds 8") for name in KINDS),
        ("H.264 raw", LARGER, "its header states 640x384 pixels, its stream holds 192x128"),
        ("H.264 MP4", LARGER, "its header states 640x384 pixels, its stream holds 192x128"),
        ("JPEG", LARGER, "its header states 640x384 pixels, its stream holds 192x128"),
        ("H.264 raw", {"PhotometricInterpretation": "MONOCHROME1"}, "its header states MONOCHROME1, which decoders"),
        ("H.264 raw", {"syntax": MPEG2}, "transfer syntax MPEG-2 Main Profile, Main Level, its stream is MPEG-4 AVC/H.264"),
        ("H.264 raw", {"syntax": HEVC}, "transfer syntax HEVC/H.265 Main Profile, Level 5.1, its stream is MPEG-4 AVC/H.264"),
        ("MPEG-2 main level", {"syntax": H264}, "transfer syntax MPEG-4 AVC/H.264 High Profile, Level 4.1, its stream is MPEG-2"),
        ("H.264 MP4", {"syntax": MPEG2}, "transfer syntax MPEG-2 Main Profile, Main Level, its stream is MPEG-4 AVC/H.264"),
    ],
)
def test_a_recording_that_its_header_contradicts_is_refused_with_what_both_say(name, elements, reason, changed):
    assert probe(changed(name), "a.dcm").frame_count == FRAMES
    error = refusal(changed(name, **elements))
    assert reason in error.reason
    assert error.fix


@pytest.fixture
def cut(pieces, tmp_path):
    """Write a film of 25 frames whose edit list hides the first ones, as FFmpeg cuts it."""

    def of(*more):
        (tmp_path / "whole.mp4").write_bytes(pieces("H.264 MP4", 25)[0])
        clips.ffmpeg("-ss", 0.3, "-i", tmp_path / "whole.mp4", "-c", "copy", *more, tmp_path / "cut.mp4")
        return tmp_path / "cut.mp4"

    return of


def test_an_edit_list_that_is_refused_in_a_file_is_refused_in_an_object(cut, changed):
    film = cut("-movflags", "frag_keyframe+delay_moov")
    with pytest.raises(VideoError, match="its edit list hides") as of_file:
        probe(film, "a.mp4")
    of_object = refusal(changed("H.264 MP4", data=[film.read_bytes()], NumberOfFrames=None))
    assert of_object.reason == of_file.value.reason
    assert "FILE" not in of_object.fix


def test_an_object_may_count_the_frames_that_are_shown_or_those_that_are_stored(cut, changed):
    film = [cut().read_bytes()]
    shown = probe(changed("H.264 MP4", data=film, NumberOfFrames=None), "a.dcm").frame_count
    assert shown < 25
    for stated in (shown, 25):
        assert probe(changed("H.264 MP4", data=film, NumberOfFrames=stated), "a.dcm").frame_count == shown
    reason = refusal(changed("H.264 MP4", data=film, NumberOfFrames=24)).reason
    assert reason == f"its header states 24 frames, its stream holds 25, of which {shown} are shown"


def test_a_film_behind_the_one_that_is_read_of_an_object_is_told(pieces, changed):
    (data,) = pieces("H.264 MP4")
    (told,) = contradictions(changed("H.264 MP4", data=[data + data]))
    assert told.startswith(f"another recording begins at byte {len(data)}, and nothing of it is read; export it")
    assert "FILE" not in told


@pytest.mark.parametrize("name", KINDS)
def test_an_object_without_its_preamble_is_read_as_one_with_it(name, changed, tmp_path):
    path = changed(name)
    (tmp_path / "b.dcm").write_bytes(path.read_bytes()[132:])
    assert probe(tmp_path / "b.dcm", "b.dcm") == probe(path, "a.dcm")
    group_8 = 132 + 12 + int.from_bytes(path.read_bytes()[140:144], "little")
    (tmp_path / "c.dcm").write_bytes(path.read_bytes()[group_8:])
    assert refusal(tmp_path / "c.dcm").reason == "its transfer syntax is not read (not stated)"


def test_what_is_refused_is_refused_by_every_reader(changed):
    with pytest.raises(VideoError, match="10 frames of its header"):
        structure(changed(NumberOfFrames=10), "a.dcm")


def test_objects_of_one_series_are_parts_in_their_order(changed):
    recordings = [changed(to=f"{name}/a.dcm", InstanceNumber=number) for name, number in {"c": 3, "a": 10, "b": 1}.items()]
    recordings.append(changed(to="d/a.dcm", SeriesInstanceUID="1.2.9"))
    (found,) = header.parts({path: stream_of(path).header for path in recordings})
    assert [path.parent.name for path in found] == ["b", "c", "a"]
    assert header.mend(found).endswith("number them in the column part: a.dcm 1, a.dcm 2, a.dcm 3")


@pytest.mark.parametrize("elements", [{"InstanceNumber": 1}, {"InstanceNumber": 2, "AcquisitionDateTime": "20240131140509"}])
def test_objects_of_one_number_or_beginning_are_perhaps_cameras_and_no_parts(elements, changed):
    recordings = [changed(to="a.dcm", AcquisitionDateTime="20240131140509"), changed(to="b.dcm", **elements)]
    (found,) = header.parts({path: stream_of(path).header for path in recordings})
    assert "write left and right into the column camera" in header.mend(found)
    assert "b.dcm" not in header.mend(found)


def test_what_a_raw_stream_states_of_its_rate_and_other_bits_are_told_and_harmless(changed):
    assert stream_of(changed()).told == ()
    path = changed(FrameTime="20", CineRate="50", BitsStored=10)
    assert probe(path, "a.dcm").fps == 50
    assert stream_of(path).told == (
        "its header states 50 frames a second, its stream 25; the header counts, as for every raw stream",
        "its header states 10 bits, its stream has 8; the stream counts",
    )
