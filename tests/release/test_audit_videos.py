"""Every rule about videos, broken on purpose: the audit must name it, and nothing else."""

import os
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import av
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clips
from scrubin.audit.containers import matroska, mp4
from scrubin.audit.pictures.decoding import examine, is_length
from toy_release import BARE, BLACK, FRAMES_IN_CLIP


def remux(*more: object, keep: tuple[object, ...] = BARE):
    """Copy the video stream with something added."""
    return lambda source, target: clips.ffmpeg("-i", source, *more, "-c:v", "copy", *keep, target)


def planted(release, make) -> set[str]:
    release.replace_video(make)
    release.seal()
    return release.rules()


@pytest.mark.parametrize(
    ("tag", "said"),
    [
        ("title=Anything", "the element Title may not"),
        ("comment=x", "the tag COMMENT = 'x'"),
        ("creation_time=2023-04-17T12:00:00Z", "the element DateUTC may not"),
        ("timecode=01:02:03:04", "the tag TIMECODE = '01:02:03:04'"),
    ],
)
def test_a_container_tag_is_found(release, tag, said):
    release.replace_video(remux("-metadata", tag))
    release.seal()
    assert any(finding.rule == "container" and said in finding.message for finding in release.findings())


def test_a_stream_tag_is_found(release):
    assert planted(release, remux("-metadata:s:v:0", "handler=Endo 3")) == {"container"}


def test_an_encoder_string_is_found(release):
    def encode(source: Path, target: Path) -> None:
        clips.ffmpeg("-i", source, "-c:v", "libx264", "-crf", "1", "-force_key_frames", "0,0.25,0.5", *BARE, target)

    assert planted(release, encode) == {"container"}


def test_a_muxer_version_is_found(release):
    assert "container" in planted(release, remux(keep=("-map_metadata", "-1")))


def test_an_audio_track_is_found(release):
    assert planted(release, remux("-f", "lavfi", "-i", "sine=duration=1", "-map", "0:v", "-map", "1:a", "-c:a", "flac")) >= {"streams"}


def test_a_subtitle_track_is_found(release, tmp_path):
    subtitles = tmp_path / "words.srt"
    subtitles.write_text("1\n00:00:00,000 --> 00:00:01,000\nhello\n")
    assert planted(release, remux("-i", subtitles, "-map", "0:v", "-map", "1:s")) >= {"streams"}


def test_an_attachment_is_found(release, tmp_path):
    (tmp_path / "note.txt").write_text("hello")
    assert planted(release, remux("-attach", tmp_path / "note.txt", "-metadata:s:t", "mimetype=text/plain")) >= {"container", "streams"}


def test_a_chapter_is_found(release, tmp_path):
    chapters = tmp_path / "chapters.txt"
    chapters.write_text(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=Start\n")
    release.replace_video(remux("-f", "ffmetadata", "-i", chapters, "-map", "0:v", "-map_chapters", "1", keep=("-fflags", "+bitexact")))
    release.seal()
    assert {"Segment/Chapters", "chapters"} <= {finding.place.split(" at ")[0] for finding in release.findings()}


def test_an_sei_message_is_found_in_every_packet_that_has_one(release):
    """x264 writes its settings into the first packet; a camera could write a clock into each."""

    def with_sei(source: Path, target: Path) -> None:
        message = "h264_metadata=sei_user_data=086f3693-b7b3-4f2c-9653-21492feee5b8+hello"
        clips.ffmpeg("-i", source, "-c:v", "copy", "-bsf:v", message, "-fflags", "+bitexact", "-map_metadata", "-1", target)

    release.replace_video(with_sei)
    release.seal()
    findings = [finding for finding in release.findings() if finding.rule == "sei"]
    assert findings
    assert findings[0].place == "packet 0"
    assert "NAL type 6" in findings[0].message
    assert release.rules() == {"sei"}


def test_bytes_in_unused_space_are_found(release):
    def hide(source: Path, target: Path) -> None:
        data = bytearray(source.read_bytes())
        void = data.index(b"\xec\x01\x00\x00\x00\x00\x00\x00")
        data[void + 20 : void + 25] = b"hello"
        target.write_bytes(data)

    assert planted(release, hide) == {"container"}


def test_bytes_after_the_video_are_found(release):
    assert planted(release, lambda source, target: target.write_bytes(source.read_bytes() + b"hello")) == {"container"}


def test_an_extra_frame_is_found(release):
    release.plan = replace(release.plan, videos=tuple(replace(video, frame_count=FRAMES_IN_CLIP - 1) for video in release.plan.videos))
    assert release.rules() == {"frame-count"}


def test_a_missing_frame_is_found(release):
    def cut(source: Path, target: Path) -> None:
        with av.open(str(source)) as old, av.open(str(target), "w", options={"fflags": "+bitexact"}) as new:
            stream = new.add_stream_from_template(old.streams.video[0])
            for packet in list(old.demux(video=0))[: FRAMES_IN_CLIP - 3]:
                if packet.size:
                    packet.stream = stream
                    new.mux(packet)

    assert "frame-count" in planted(release, cut)


def test_a_frame_that_is_not_black_is_found_with_its_number(release):
    first = replace(release.plan.videos[0].hidden[-1], first=BLACK[1] + 1, last=BLACK[1] + 1, box_xywh=None)
    videos = (replace(release.plan.videos[0], hidden=(first,)), *release.plan.videos[1:])
    release.plan = replace(release.plan, videos=videos)
    assert [(finding.rule, finding.place) for finding in release.findings()] == [("not-black", f"frame {BLACK[1] + 1}")]


def test_a_rectangle_that_is_shown_is_found(release):
    hidden = tuple(replace(item, box_xywh=item.box_xywh and (48, 16, 48, 32)) for item in release.plan.videos[0].hidden)
    release.plan = replace(release.plan, videos=(replace(release.plan.videos[0], hidden=hidden), *release.plan.videos[1:]))
    assert release.rules() == {"not-black"}


def test_a_video_that_does_not_start_at_zero_is_found(release):
    assert "timestamps" in planted(release, remux("-output_ts_offset", "1"))


def test_a_file_time_that_tells_is_found(release):
    os.utime(release.video, (1_681_732_800, 1_681_732_800))
    assert release.rules() == {"file-time"}


def test_other_bytes_than_those_in_the_table_are_found(release):
    release.plan = replace(release.plan, videos=(replace(release.plan.videos[0], sha256="0" * 64), *release.plan.videos[1:]))
    assert release.rules() == {"checksum"}


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_truncated_video_is_found(release, share):
    def cut(source: Path, target: Path) -> None:
        data = source.read_bytes()
        target.write_bytes(data[: int(share * len(data))])

    assert {"container"} < planted(release, cut) <= {"container", "frame-count", "nal", "streams", "unreadable"}


def test_an_empty_video_is_found(release):
    assert planted(release, lambda source, target: target.write_bytes(b"")) >= {"unreadable", "streams"}


def test_a_codec_whose_hidden_data_are_not_understood_is_refused(tmp_path):
    path = tmp_path / "a.mkv"
    clips.ffmpeg("-f", "lavfi", "-i", "testsrc2=size=96x64:rate=20:duration=0.2", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", path)
    assert [(fault.rule, fault.message) for fault in examine(path).faults if fault.rule == "nal"] == [
        ("nal", "the codec mjpeg cannot be proven clean; release H.264 or HEVC")
    ]


class TestMp4:
    """MP4 is not what the pipeline writes, but what others release."""

    @pytest.fixture
    def source(self, release):
        return release.video

    def of(self, source: Path, *more: object) -> Path:
        target = source.with_name("a.mp4")
        # Without B-frames and with plain time stamps the muxer needs no edit list.
        clips.ffmpeg("-i", source, "-c:v", "libx264", "-bf", "0", "-use_editlist", "0", "-an", *BARE, *more, target)
        clips.ffmpeg("-i", target, "-c", "copy", "-use_editlist", "0", *BARE, *more, target.with_name("b.mp4"))
        return target.with_name("b.mp4")

    def messages(self, path: Path) -> str:
        return "\n".join(f"{fault.place}: {fault.message}" for fault in mp4.read(BytesIO(path.read_bytes())).faults)

    def test_an_edit_list_is_found(self, source):
        clips.ffmpeg("-ss", "0.1", "-i", source, "-c", "copy", *BARE, source.with_name("e.mp4"))
        assert "an edit list hides pictures" in self.messages(source.with_name("e.mp4"))

    def test_frames_behind_an_edit_list_are_counted(self, release):
        path = release.video.with_name("e.mp4")
        clips.ffmpeg("-ss", "0.1", "-i", release.video, "-c", "copy", *BARE, path)
        faults = examine(path, replace(release.plan.videos[0], frame_count=18, hidden=())).faults
        assert any(f"{FRAMES_IN_CLIP} decode" in fault.message for fault in faults)

    def test_a_plain_track_has_no_faults_but_empty_user_data(self, source):
        assert {fault.place.split(" at ")[0] for fault in mp4.read(BytesIO(self.of(source).read_bytes())).faults} <= {"moov/udta"}

    def test_a_creation_time_is_found(self, source):
        path = self.of(source)
        data = bytearray(path.read_bytes())
        at = data.index(b"mvhd") + 8
        data[at : at + 4] = b"\xd0\x00\x00\x01"
        path.write_bytes(data)
        assert "creation or modification time" in self.messages(path)

    def test_a_title_is_found_with_its_text(self, source):
        path = self.of(source, "-metadata", "title=Schmidt")
        assert "user data hold tags" in self.messages(path)
        assert any("Schmidt" in text.text for text in mp4.read(BytesIO(path.read_bytes())).texts)

    def test_media_bytes_that_no_frame_uses_are_found(self, source):
        path = self.of(source)
        path.write_bytes(path.read_bytes() + b"\x00\x00\x00\x0dmdathello")
        assert "5 bytes at byte" in self.messages(path)
        assert "belong to no picture" in self.messages(path)

    def test_a_box_that_is_cut_short_is_found(self, source):
        path = self.of(source)
        path.write_bytes(path.read_bytes()[:-5])
        assert "belong to no box" in self.messages(path)


def test_an_unknown_matroska_element_is_found(release):
    """0x4D00 is no element; what it holds cannot be judged, so it is refused."""
    data = release.video.read_bytes()
    segment = data.index(b"\x18\x53\x80\x67")
    size = int.from_bytes(data[segment + 5 : segment + 12], "big") + 9
    grown = data[: segment + 5] + size.to_bytes(7, "big") + data[segment + 12 :] + b"\x4d\x00\x86hello!"
    release.video.write_bytes(grown)
    faults = matroska.read(BytesIO(release.video.read_bytes())).faults
    assert ["this element is not known" in fault.message for fault in faults] == [True]


@given(last=st.integers(0, 10**9), longest=st.integers(1, 10**6), ticks=st.sampled_from([1000, 90_000, 30_000]), shown=st.floats(0, 1))
def test_a_header_may_let_the_last_picture_be_shown_for_no_time_or_as_long_as_any(last, longest, ticks, shown):
    stated_us = round((last + shown * longest) / ticks * 1e6)
    assert is_length(stated_us / 1e6, last, longest, 1 / ticks)


@pytest.mark.parametrize("stated_s", [3.0, 3.9, 6.2, 3600.0])
def test_a_header_with_the_length_of_the_source_is_told_from_that_of_the_pictures(stated_s):
    assert not is_length(stated_s, 5000, 40, 0.001)
