"""Every transfer syntax that is read: the stream bit for bit, its own frames, and the times of the header."""

from __future__ import annotations

import hashlib
from fractions import Fraction

import av
import numpy as np
import pytest

import dicom_objects
from rendered_video import rendered
from scrubin.media.containers import dicom_recording as recording
from scrubin.media.containers.pieces import Pieces
from scrubin.media.decode import decoded
from scrubin.media.frame_reader import FrameReader
from scrubin.media.opening import is_dicom
from scrubin.media.probe import probe
from scrubin.media.structure import structure

COPYABLE = [name for name in dicom_objects.KINDS if name.startswith("H.264")]


@pytest.fixture(params=dicom_objects.KINDS, scope="module")
def made(request, tmp_path_factory):
    """A recording of each kind, its stream as a file, and the name of the kind."""
    return *dicom_objects.recording(tmp_path_factory.mktemp("dicom") / "a.dcm", request.param), request.param


def luma_hashes(frames):
    """A hash of each frame's samples as decoded."""
    hashes = []
    for frame in frames:
        digest = hashlib.sha256()
        for plane in frame.planes:
            rows = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
            digest.update(rows[:, : plane.width * (2 if "10" in frame.format.name else 1)].tobytes())
        hashes.append(digest.hexdigest())
    return hashes


def own_hashes(stream):
    with av.open(str(stream)) as container:
        return luma_hashes(container.decode(video=0))


@pytest.mark.cases(4)
def test_the_stream_is_taken_out_bit_for_bit(made):
    path, stream, _ = made
    of = recording.stream_of(path)
    data = Pieces(path, of.header.fragments).read()
    expected = stream.read_bytes()
    assert is_dicom(path)
    assert not is_dicom(stream)
    if of.header.syntax.codec == "mjpeg":  # each picture is padded to an even length
        expected = b"".join(one + b"\0" * (len(one) % 2) for one in dicom_objects.pictures_of(expected))
    assert data.removesuffix(b"\0") == expected.removesuffix(b"\0")
    assert len(data) - len(expected) in (0, 1)


def test_every_frame_is_that_of_the_stream_with_the_time_of_the_header(made):
    path, stream, _ = made
    probed = probe(path, "a.dcm")
    frames = list(decoded(path, "a.dcm"))
    assert luma_hashes(frames) == own_hashes(stream)
    assert [frame.pts for frame in frames] == list(probed.pts)
    assert (probed.frame_count, probed.fps, probed.variable_rate) == (dicom_objects.FRAMES, 25, False)
    assert probed.end_s == 2
    assert not probed.has_audio


@pytest.mark.cases(3)
def test_any_frame_is_read_by_its_number(made):
    path, stream, _ = made
    expected = [frame.to_ndarray(format="bgr24") for frame in decoded(stream, "s")] if made[1].suffix == ".mp4" else None
    reader = FrameReader(path, "a.dcm", probe(path, "a.dcm"))
    in_order = [frame.to_ndarray(format="bgr24") for frame in decoded(path, "a.dcm")]
    for number in (43, 7, 0, 49, 21, 22):
        assert np.array_equal(reader.picture(number), in_order[number])
        assert expected is None or np.array_equal(reader.picture(number), expected[number])
    reader.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", COPYABLE)
def test_released_frames_are_those_of_the_stream_and_untouched_groups_are_copied(name, tmp_path):
    path, stream = dicom_objects.recording(tmp_path / "a.dcm", name)
    assert structure(path, "a.dcm").unsure == ""
    done = rendered(path, tmp_path / "out.mkv", (0.2, 1.8), (1.7, 1.75))
    assert done.mode == "smart"
    copied = [number for part in done.parts if part.copied for number in range(part.first, part.last + 1)]
    assert len(copied) >= 20
    released, own = luma_hashes(decoded(tmp_path / "out.mkv", "out")), own_hashes(stream)
    assert len(released) == 40
    assert all(released[number] == own[number + 5] for number in copied)
    assert b"Mustermann" not in (tmp_path / "out.mkv").read_bytes()


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", ["MPEG-2 high level, fragments", "MPEG-2 program stream", "HEVC raw", "HEVC 10 bit MP4", "JPEG"])
def test_what_is_not_copied_is_encoded_frame_for_frame(name, tmp_path):
    path, _ = dicom_objects.recording(tmp_path / "a.dcm", name)
    done = rendered(path, tmp_path / "out.mkv", (0.2, 1.8), (0.9, 1.0))
    assert done.mode == "reencode"
    assert [file.name for file in tmp_path.iterdir() if file.name not in ("a.dcm", "out.mkv") and "stream." not in file.name] == []
    source = [frame.to_ndarray(format="gray").astype(int) for frame in decoded(path, "a.dcm")]
    released = [frame.to_ndarray(format="gray").astype(int) for frame in decoded(tmp_path / "out.mkv", "out")]
    assert len(released) == 40
    for number, picture in enumerate(released):
        if 17 <= number < 20:
            continue  # hidden
        errors = [float(np.abs(picture - source[near]).mean()) for near in (number + 4, number + 5, number + 6)]
        assert min(errors) == errors[1] < 4.5, number


TIMES = {
    "29.97, rounded": ({"FrameTime": "33.37", "CineRate": "30"}, Fraction(30000, 1001)),
    "30": ({"FrameTime": "33.33", "CineRate": "30"}, Fraction(30)),
    "59.94": ({"FrameTime": "16.683", "CineRate": "60"}, Fraction(60000, 1001)),
    "an odd rate": ({"FrameTime": "125.5"}, Fraction(2000, 251)),
    "a rate alone": ({"CineRate": "15"}, Fraction(15)),
    "shown at": ({"RecommendedDisplayFrameRate": "12"}, Fraction(12)),
    "one time in a vector": ({"FrameTimeVector": ["0"], "FrameTime": "50"}, Fraction(20)),
    "one time in a vector beside a rate": ({"FrameTimeVector": ["40"], "CineRate": "20"}, Fraction(20)),
    "nothing": ({}, Fraction(25)),
}


@pytest.mark.parametrize("case", TIMES)
def test_a_raw_stream_has_the_rate_of_its_header(case, tmp_path):
    stated, fps = TIMES[case]
    dataset = dicom_objects.header(dicom_objects.KINDS["H.264 raw"])
    del dataset.FrameTime, dataset.CineRate, dataset.FrameIncrementPointer
    for keyword, value in stated.items():
        setattr(dataset, keyword, value)
    path, _ = dicom_objects.recording(tmp_path / "a.dcm", "H.264 raw", dataset=dataset)
    assert probe(path, "a.dcm").fps == fps


@pytest.mark.parametrize("first", [["0"], []])
def test_a_vector_of_times_is_a_variable_rate_with_the_time_of_the_first_frame_and_without(first, tmp_path):
    kind = dicom_objects.KINDS["JPEG"]
    dataset = dicom_objects.header(kind, 5)
    del dataset.FrameTime, dataset.CineRate
    dataset.FrameTimeVector = [*first, "40", "120.5", "40", "33.25"]
    path, _ = dicom_objects.recording(tmp_path / "a.dcm", "JPEG", 5, dataset=dataset)
    probed = probe(path, "a.dcm")
    assert probed.times_s == tuple(Fraction(ms) / 1000 for ms in ("0", "40", "160.5", "200.5", "233.75"))
    assert probed.variable_rate


@pytest.mark.parametrize("end", ["000001B7", "000001B700", "000001B7" + "00" * 300])
def test_zeros_behind_the_end_of_a_sequence_are_no_frame(end, tmp_path):
    """DICOM pads to an even length; FFmpeg gives these zeros as a packet."""
    kind = dicom_objects.KINDS["MPEG-2 main level"]
    data = dicom_objects.stream(tmp_path, kind, 8).read_bytes().removesuffix(bytes.fromhex("000001B7")) + bytes.fromhex(end)
    (tmp_path / "a.m2v").write_bytes(data)
    dicom_objects.write(tmp_path / "a.dcm", dicom_objects.header(kind, 8), kind, [data])
    for name in ("a.m2v", "a.dcm"):
        assert probe(tmp_path / name, name).frame_count == len(list(decoded(tmp_path / name, name))) == 8


def test_a_container_keeps_its_own_times(tmp_path):
    dataset = dicom_objects.header(dicom_objects.KINDS["H.264 MP4"])
    dataset.FrameTime, dataset.CineRate = "100", "10"
    path, _ = dicom_objects.recording(tmp_path / "a.dcm", "H.264 MP4", dataset=dataset)
    assert probe(path, "a.dcm").fps == 25


def test_pieces_are_read_as_one_file(tmp_path):
    (tmp_path / "a").write_bytes(bytes(range(100)))
    from scrubin.media.containers.pieces import Piece

    joined = bytes([7, 7]) + bytes(range(10, 20)) + bytes(range(50, 53))
    file = Pieces(tmp_path / "a", [b"\7\7", Piece(10, 10), Piece(3, 0), Piece(50, 3)])
    assert file.size == len(joined)
    assert file.read() == joined
    for start in range(len(joined) + 2):
        for count in (0, 1, 4, 40):
            file.seek(start)
            assert file.read(count) == joined[start : start + count]
    assert file.seek(-3, 2) == file.tell() == len(joined) - 3
    with pytest.raises(ValueError, match="no position -1"):
        file.seek(-1)
