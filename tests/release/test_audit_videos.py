"""Every rule about videos, broken on purpose: the audit must name it, and nothing else."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import av
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clips
from scrubin.audit.containers import mp4
from scrubin.audit.pictures.decoding import examine, is_length
from toy_release import BARE, BLACK, CLIP_PLAN, FRAMES_IN_CLIP, black_clip, findings_of


@pytest.fixture(scope="module")
def clip(tmp_path_factory) -> Path:
    return black_clip(tmp_path_factory.mktemp("clip") / "a.mkv")


def remux(*more: object, keep: tuple[object, ...] = BARE):
    """Copy the video stream with something added."""
    return lambda source, target: clips.ffmpeg("-i", source, *more, "-c:v", "copy", *keep, target)


def with_file(name: str, text: str, *options: object, keep: tuple[object, ...] = BARE):
    """Copy the video stream with something of a file; ``options`` name the file as FILE."""

    def make(source: Path, target: Path) -> None:
        path = target.with_name(name)
        path.write_text(text)
        remux(*(path if option == "FILE" else option for option in options), keep=keep)(source, target)

    return make


def encoded(source: Path, target: Path) -> None:
    clips.ffmpeg("-i", source, "-c:v", "libx264", "-crf", "1", "-force_key_frames", "0,0.25,0.5", *BARE, target)


def fewer_frames(source: Path, target: Path) -> None:
    with av.open(str(source)) as old, av.open(str(target), "w", options={"fflags": "+bitexact"}) as new:
        stream = new.add_stream_from_template(old.streams.video[0])
        for packet in list(old.demux(video=0))[: FRAMES_IN_CLIP - 3]:
            if packet.size:
                packet.stream = stream
                new.mux(packet)


SUBTITLES = "1\n00:00:00,000 --> 00:00:01,000\nhello\n"
CHAPTERS = ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=Start\n"
OF_CHAPTERS = ("-f", "ffmetadata", "-i", "FILE", "-map", "0:v", "-map_chapters", "1")
PLANTED = {
    "a title": (remux("-metadata", "title=Anything"), {"container"}, "the element Title may not"),
    "a tag": (remux("-metadata", "comment=x"), {"container"}, "the tag COMMENT = 'x'"),
    "a time": (remux("-metadata", "creation_time=2023-04-17T12:00:00Z"), {"container"}, "the element DateUTC may not"),
    "a timecode": (remux("-metadata", "timecode=01:02:03:04"), {"container"}, "the tag TIMECODE = '01:02:03:04'"),
    "a tag of the stream": (remux("-metadata:s:v:0", "handler=Endo 3"), {"container"}, ""),
    "the name of the encoder": (encoded, {"container"}, ""),
    "the version of the muxer": (remux(keep=("-map_metadata", "-1")), {"container"}, ""),
    "subtitles": (
        with_file("words.srt", SUBTITLES, "-i", "FILE", "-map", "0:v", "-map", "1:s"),
        {"container", "frame-count", "streams"},
        "",
    ),
    "an attachment": (
        with_file("note.txt", "hello", "-attach", "FILE", "-metadata:s:t", "mimetype=text/plain"),
        {"container", "streams"},
        "",
    ),
    "a chapter": (with_file("chapters.txt", CHAPTERS, *OF_CHAPTERS, keep=("-fflags", "+bitexact")), {"container"}, "Segment/Chapters at "),
    "a chapter, as the demuxer sees it": (
        with_file("chapters.txt", CHAPTERS, *OF_CHAPTERS, keep=("-fflags", "+bitexact")),
        {"container"},
        "chapters: ",
    ),
    "a missing frame": (fewer_frames, {"frame-count"}, ""),
    "a start that is not 0": (remux("-output_ts_offset", "1"), {"timestamps"}, ""),
    "no byte": (lambda _, target: target.write_bytes(b""), {"frame-count", "streams", "unreadable"}, ""),
}


@pytest.mark.parametrize(("make", "rules", "said"), PLANTED.values(), ids=PLANTED)
def test_what_a_video_may_not_have_is_found(clip, tmp_path, make, rules, said):
    make(clip, tmp_path / "a.mkv")
    found = findings_of(tmp_path / "a.mkv", CLIP_PLAN)
    assert {finding.rule for finding in found} == rules
    assert any(said in f"{finding.place}: {finding.message}" for finding in found if finding.rule in rules)


def planted(release, make) -> set[str]:
    release.replace_video(make)
    release.seal()
    return release.rules()


def test_an_audio_track_is_found(release):
    assert planted(release, remux("-f", "lavfi", "-i", "sine=duration=1", "-map", "0:v", "-map", "1:a", "-c:a", "flac")) >= {"streams"}


def test_an_sei_message_is_found_in_every_packet_that_has_one(release):
    """x264 writes its settings into the first packet; a camera could write a clock into each."""

    def with_sei(source: Path, target: Path) -> None:
        message = "h264_metadata=sei_user_data=086f3693-b7b3-4f2c-9653-21492feee5b8+hello"
        clips.ffmpeg("-i", source, "-c:v", "copy", "-bsf:v", message, "-fflags", "+bitexact", "-map_metadata", "-1", target)

    assert planted(release, with_sei) == {"sei"}
    first = min((finding for finding in release.findings()), key=lambda finding: int(finding.place.split()[1]))
    assert (first.place, "NAL type 6" in first.message) == ("packet 0", True)


def test_a_frame_that_is_not_black_is_found_with_its_number(clip):
    first = replace(CLIP_PLAN.hidden[0], first=BLACK[1] + 1, last=BLACK[1] + 1)
    found = findings_of(clip, replace(CLIP_PLAN, hidden=(first,)))
    assert [(finding.rule, finding.place) for finding in found] == [("not-black", f"frame {BLACK[1] + 1}")]


def test_what_the_plan_says_otherwise_is_found(clip):
    shown = replace(CLIP_PLAN.hidden[1], box_xywh=(48, 16, 48, 32))
    others = ({"frame_count": FRAMES_IN_CLIP - 1}, {"hidden": (shown,)}, {"size_px": (98, 64)})
    rules = [{finding.rule for finding in findings_of(clip, replace(CLIP_PLAN, **other))} for other in others]
    assert rules == [{"frame-count"}, {"not-black"}, {"size"}]


def test_a_file_time_that_tells_and_other_bytes_than_those_in_the_table_are_found(release):
    release.video.touch()
    first, second, *others = release.plan.videos
    release.plan = replace(release.plan, videos=(first, replace(second, sha256="0" * 64), *others))
    assert release.broken() == {first.path: {"file-time"}, second.path: {"checksum"}}


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_truncated_video_is_found(clip, tmp_path, share):
    data = clip.read_bytes()
    (tmp_path / "a.mkv").write_bytes(data[: int(share * len(data))])
    found = {finding.rule for finding in findings_of(tmp_path / "a.mkv", CLIP_PLAN)}
    assert {"container"} < found <= {"container", "frame-count", "nal", "streams", "unreadable"}


def test_a_codec_whose_hidden_data_are_not_understood_is_refused(tmp_path):
    path = tmp_path / "a.mkv"
    clips.ffmpeg("-f", "lavfi", "-i", "testsrc2=size=96x64:rate=20:duration=0.2", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", path)
    assert [(fault.rule, fault.message) for fault in examine(path).faults if fault.rule == "nal"] == [
        ("nal", "the codec mjpeg cannot be proven clean; release H.264 or HEVC")
    ]


def test_frames_behind_an_edit_list_of_mp4_are_counted(clip, tmp_path):
    """MP4 is not what the pipeline writes, but what others release."""
    clips.ffmpeg("-ss", "0.1", "-i", clip, "-c", "copy", *BARE, tmp_path / "e.mp4")
    messages = [fault.message for fault in examine(tmp_path / "e.mp4", replace(CLIP_PLAN, frame_count=18, hidden=())).faults]
    assert any(f"{FRAMES_IN_CLIP} decode" in message for message in messages)


def test_a_title_of_mp4_is_found_with_its_text(clip, tmp_path):
    clips.ffmpeg("-i", clip, "-c", "copy", *BARE, "-metadata", "title=Schmidt", tmp_path / "a.mp4")
    read = mp4.read(BytesIO((tmp_path / "a.mp4").read_bytes()))
    assert any("user data hold tags" in fault.message for fault in read.faults)
    assert any("Schmidt" in text.text for text in read.texts)


@given(last=st.integers(0, 10**9), longest=st.integers(1, 10**6), ticks=st.sampled_from([1000, 90_000, 30_000]), shown=st.floats(0, 1))
def test_a_header_may_let_the_last_picture_be_shown_for_no_time_or_as_long_as_any(last, longest, ticks, shown):
    stated_us = round((last + shown * longest) / ticks * 1e6)
    assert is_length(stated_us / 1e6, last, longest, 1 / ticks)


@pytest.mark.parametrize("stated_s", [3.0, 3.9, 6.2, 3600.0])
def test_a_header_with_the_length_of_the_source_is_told_from_that_of_the_pictures(stated_s):
    assert not is_length(stated_s, 5000, 40, 0.001)
