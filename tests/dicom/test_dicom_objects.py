"""The way back: a released video in a de-identified DICOM object, and out of it again."""

from __future__ import annotations

import re
import shutil
import subprocess

import av
import pydicom
import pytest

from clips import clip, numbered
from rendered_video import rendered
from scrubin.base.errors import VideoError
from scrubin.cli import main
from scrubin.media.containers import dicom_recording as recording
from scrubin.media.containers.pieces import Pieces
from scrubin.media.decode import decoded
from scrubin.media.ffmpeg import strip_head
from scrubin.media.probe import probe
from scrubin.media.released import dicom_objects as objects


def render(source, target, mode="smart"):
    """A released video of a source: 4 s, one of them black."""
    assert rendered(source, target, (0.6, 4.6), (1.5, 2.5), mode=mode, crf=18).mode == mode
    return target


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    source = clip(folder / "Dr Who.mp4", seconds=5, fps="30000/1001", more=("-g", 20, "-metadata", "title=Dr Who"))
    return {mode: render(source, folder / f"{mode}.mkv", mode) for mode in ("smart", "reencode")}


def coded(path):
    """The coded pictures of a video, as they are stored."""
    from scrubin.media.opening import open_video

    with open_video(path) as container:
        return [bytes(packet) for packet in container.demux(video=0) if packet.size]


def planes(path):
    return [frame.to_ndarray().tobytes() for frame in decoded(path, "v")]


@pytest.mark.parametrize("mode", ["smart", "reencode"])
def test_a_released_video_comes_back_bit_for_bit_with_its_times(mode, released, tmp_path):
    objects.write(released[mode], tmp_path / "a.dcm", "v.mkv")
    before, after = probe(released[mode], "v"), probe(tmp_path / "a.dcm", "v")
    assert coded(tmp_path / "a.dcm") == coded(released[mode])
    assert planes(tmp_path / "a.dcm") == planes(released[mode])
    assert (after.fps, after.frame_count, after.variable_rate) == (before.fps, before.frame_count, False)
    assert after.pts[0] == 0
    assert all(abs(one - other) < 0.001 for one, other in zip(after.times_s, before.times_s, strict=True))


def test_the_same_video_gives_the_same_bytes_and_another_one_other_uids(released, tmp_path):
    for name, mode in (("a", "smart"), ("b", "smart"), ("c", "reencode")):
        objects.write(released[mode], tmp_path / f"{name}.dcm", "v.mkv")
    assert (tmp_path / "a.dcm").read_bytes() == (tmp_path / "b.dcm").read_bytes()
    first, other = pydicom.dcmread(tmp_path / "a.dcm"), pydicom.dcmread(tmp_path / "c.dcm")
    for keyword in ("SOPInstanceUID", "SeriesInstanceUID", "StudyInstanceUID"):
        assert re.fullmatch(r"2\.25\.[1-9]\d{30,38}", first[keyword].value)
        assert first[keyword].value != other[keyword].value


def test_the_object_says_how_it_was_de_identified_and_tells_of_nobody(released, tmp_path):
    objects.write(released["smart"], tmp_path / "a.dcm", "v.mkv", "abelo")
    dataset = pydicom.dcmread(tmp_path / "a.dcm")
    assert dataset.SOPClassUID == objects.VIDEO_ENDOSCOPIC
    assert dataset.PatientIdentityRemoved == "YES"
    assert [item.CodeValue for item in dataset.DeidentificationMethodCodeSequence] == ["113100"]
    assert (dataset.PatientID, str(dataset.PatientName)) == ("abelo", "")
    assert (dataset.NumberOfFrames, dataset.Rows, dataset.Columns) == (120, 64, 96)
    stated = [element for element in dataset.iterall() if element.VR in ("DA", "TM", "DT")]
    assert stated
    assert not [element for element in stated if element.value]
    assert not [element for element in dataset.iterall() if element.tag.is_private]
    data = (tmp_path / "a.dcm").read_bytes()
    assert b"Dr Who" not in data
    assert b"Lav" not in data
    assert b"x264" not in data


def test_a_long_stream_is_cut_into_fragments(released, tmp_path):
    objects.write(released["smart"], tmp_path / "a.dcm", "v.mkv", largest_fragment=10_000)
    of = recording.stream_of(tmp_path / "a.dcm")
    assert len(of.header.fragments) > 2
    assert of.header.syntax_uid.endswith(".102.1")
    objects.write(released["smart"], tmp_path / "b.dcm", "v.mkv")
    whole = recording.stream_of(tmp_path / "b.dcm")
    joined = [Pieces(tmp_path / name, one.header.fragments).read() for name, one in (("a.dcm", of), ("b.dcm", whole))]
    assert joined[0] == joined[1]
    assert coded(tmp_path / "a.dcm") == coded(released["smart"])


def test_a_variable_rate_is_kept(tmp_path):
    numbered(tmp_path / "a.mkv", 6, pts=[0, 50, 200, 210, 400, 460])
    rendered(tmp_path / "a.mkv", tmp_path / "b.mkv", (0, 1), crf=18)
    objects.write(tmp_path / "b.mkv", tmp_path / "a.dcm", "b.mkv")
    assert [float(time_s) for time_s in probe(tmp_path / "a.dcm", "a").times_s] == [0, 0.05, 0.2, 0.21, 0.4, 0.46]
    assert pydicom.dcmread(tmp_path / "a.dcm").FrameTimeVector == [0, 50, 150, 10, 190, 60]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (("-metadata", "title=Dr Who"), "sound, tags"),
        (("-c:v", "mpeg4"), "mpeg4"),
        (("-pix_fmt", "yuv444p"), "yuv444p"),
    ],
)
def test_what_no_release_holds_is_refused(more, reason, tmp_path):
    source = clip(tmp_path / "a.mkv", seconds=1, more=("-bf", 0, *more))
    with pytest.raises(VideoError, match=reason):
        objects.write(source, tmp_path / "a.dcm", "a.mkv")
    assert not (tmp_path / "a.dcm").exists()


def test_messages_in_the_stream_are_refused(tmp_path):
    source = clip(tmp_path / "a.mkv", seconds=1, more=("-bf", 0))
    strip_head(source)
    with av.open(str(source)) as old, av.open(str(tmp_path / "b.mkv"), "w", options={"fflags": "+bitexact"}) as new:
        track = new.add_stream_from_template(old.streams.video[0])
        track.metadata.clear()
        for packet in old.demux(video=0):
            if packet.size:
                packet.stream = track
                new.mux(packet)
    with pytest.raises(VideoError, match="messages"):
        objects.write(tmp_path / "b.mkv", tmp_path / "a.dcm", "a.mkv")


def test_a_level_that_no_transfer_syntax_has_is_refused(tmp_path):
    render(clip(tmp_path / "big.mp4", seconds=5, more=("-x264-params", "level=5.1:keyint=15")), tmp_path / "b.mkv")
    with pytest.raises(VideoError, match=r"level 5\.1"):
        objects.write(tmp_path / "b.mkv", tmp_path / "a.dcm", "b.mkv")


def test_nothing_is_written_of_a_video_that_changes_meanwhile(released, tmp_path, monkeypatch):
    video = shutil.copy(released["smart"], tmp_path / "growing.mkv")

    def grows(*written):
        yield from stream(*written)
        with video.open("ab") as file:
            file.write(b"more")

    stream = objects._stream
    monkeypatch.setattr(objects, "_stream", grows)
    with pytest.raises(VideoError, match="it changed while it was read"):
        objects.write(video, tmp_path / "a.dcm", "growing.mkv")
    assert [path.name for path in tmp_path.iterdir()] == ["growing.mkv"]


def test_the_command_writes_and_shows(released, tmp_path, capsys):
    assert main(["dicom", "write", str(released["smart"]), str(tmp_path / "a.dcm"), "--id", "abelo"]) == 0
    assert "PS3.15 basic profile" in capsys.readouterr().out
    assert main(["dicom", "show", str(tmp_path / "a.dcm")]) == 0
    shown = capsys.readouterr().out
    assert "MPEG-4 AVC/H.264 High Profile, Level 4.1, 1 fragment\n" in shown
    assert "120, 30000/1001 a second" in shown
    assert "abelo" not in shown
    assert main(["dicom", "show", str(released["smart"]), str(tmp_path / "a.dcm")]) == 1
    assert "it is no DICOM file" in capsys.readouterr().err
    assert main(["dicom", "write", str(released["smart"]), str(tmp_path / "b.dcm"), "--id", "Dr Who"]) == 2
    (tmp_path / "folder").mkdir()
    capsys.readouterr()
    assert main(["dicom", "write", str(released["smart"]), str(tmp_path / "folder")]) == 1
    assert f"{tmp_path / 'folder'}: this is a folder; name the DICOM file to write" in capsys.readouterr().err
    (tmp_path / "empty.dcm").touch()
    asked = [str(tmp_path / name) for name in ("empty.dcm", "missing.dcm", "a.dcm")]
    assert main(["dicom", "show", *asked]) == 1
    said = capsys.readouterr()
    assert "empty.dcm: the file is empty" in said.err
    assert "missing.dcm: the file is missing" in said.err
    assert "MPEG-4 AVC/H.264 High Profile" in said.out, "the others are told all the same"


@pytest.mark.skipif(shutil.which("dciodvfy") is None, reason="dciodvfy of dicom3tools is not installed")
def test_dciodvfy_finds_no_error(released, tmp_path):
    """It is older than the fragmentable syntaxes, so that one fragment is what it can judge."""
    objects.write(released["smart"], tmp_path / "a.dcm", "v.mkv", "abelo")
    done = subprocess.run(["dciodvfy", "-new", str(tmp_path / "a.dcm")], capture_output=True, text=True, check=False)
    said = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("Error")]
    assert said == []
    assert "VideoEndoscopicImage" in done.stdout + done.stderr
