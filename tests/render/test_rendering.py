"""The renderer on real files: what is planned is what comes out, frame by frame."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

import clips
from scrubin.audit.pictures.stills import not_black
from scrubin.base.errors import VideoError
from scrubin.base.pixels import is_black
from scrubin.curate.by_hand.one_render import RenderRequest
from scrubin.data.export.lerobot_videos import black_frames
from scrubin.media.probe import probe
from scrubin.media.raw_file import stored_sha256
from scrubin.media.source import Source
from scrubin.media.structure import Structure
from scrubin.stages.render import RenderParams
from scrubin.stages.render.check import check_seams, check_video
from scrubin.stages.render.encode import encode
from scrubin.stages.render.parts import Parts
from scrubin.stages.render.plan import Plan, Redaction, SourceFile, plan
from scrubin.stages.render.rendering import FileToRender, prepare

PARAMS = RenderParams("smart", 18, "ultrafast", 0.0)


def rendered(source: Path, target: Path, interval_s=(0.0, 1e9), redactions=(), params: RenderParams = PARAMS) -> Plan:
    found = probe(source, source.name)
    planned = plan(found.pts, found.time_base, found.end_s, interval_s, redactions, (found.width, found.height))
    encode([SourceFile(source, source.name, found, Structure((), "unknown"))], target, planned, params, source.name)
    check_video(target, planned, source.name)
    return planned


@pytest.mark.parametrize("suffix", ["mkv", "mp4"])
def test_exactly_the_frames_of_the_interval_are_in_the_file(tmp_path, suffix):
    source = clips.numbered(tmp_path / f"a.{suffix}", 60)
    rendered(source, tmp_path / "out.mkv", (0.52, 2.1))
    assert clips.decoded_numbers(tmp_path / "out.mkv") == list(range(11, 42))


def test_redacted_frames_are_black_and_their_neighbours_untouched(tmp_path):
    source = clips.numbered(tmp_path / "a.mkv", 60)
    rendered(source, tmp_path / "out.mkv", (0.5, 2.5), [Redaction(0.0, 0.75, None), Redaction(1.26, 1.3, None), Redaction(1.5, 1.75, None)])
    black = set(range(10, 15)) | {25} | set(range(30, 35))
    assert clips.decoded_numbers(tmp_path / "out.mkv") == [0 if n in black else n for n in range(10, 50)]


@pytest.mark.cases(3)
@pytest.mark.parametrize("preset", ["ultrafast", "veryfast"])
@pytest.mark.parametrize("crf", [24, 27, 30, 32, 35, 40])
def test_hidden_frames_are_black_to_the_check_the_audit_and_loaders_at_every_quality(tmp_path, crf, preset):
    source = clips.clip(tmp_path / "a.mkv", seconds=2)
    params = RenderParams("reencode", crf, preset, 0.0)
    planned = rendered(source, tmp_path / "out.mkv", redactions=[Redaction(0.5, 0.8, None), Redaction(1.0, 1.6, None)], params=params)
    hidden = [number for item in planned.hidden for number in range(item.first, item.last + 1)]
    with av.open(str(tmp_path / "out.mkv")) as container:
        pictures = [frame.to_ndarray(format="bgr24") for frame in container.decode(video=0)]
    assert [n for n, picture in enumerate(pictures) if not_black(picture, None) == ""] == hidden
    assert [n for n, picture in enumerate(pictures) if is_black(picture)] == hidden
    assert [n for n, (black, _) in enumerate(black_frames(tmp_path / "out.mkv", "out.mkv")) if black] == hidden


@pytest.mark.slow
@pytest.mark.parametrize("name", clips.LAST_IS_SLOW)
def test_real_footage_is_cut_hidden_and_kept_in_step(tmp_path, name):
    planned = rendered(clips.REAL[name], tmp_path / "out.mkv", (0.9, 3.1), [Redaction(1.5, 2.0, None), Redaction(0, 9, (20, 10, 50, 30))])
    source_s = [float(time) for time in probe(clips.REAL[name], name).times_s]
    fps = float(probe(clips.REAL[name], name).fps)
    assert planned.frame_count == sum(0.9 <= time < 3.1 for time in source_s)
    with av.open(str(clips.REAL[name])) as a, av.open(str(tmp_path / "out.mkv")) as b:
        kept = [frame for frame, time in zip(a.decode(video=0), source_s, strict=True) if 0.9 <= time < 3.1]
        out = list(b.decode(video=0))
    for before, after, time in zip(kept, out, [time for time in source_s if 0.9 <= time < 3.1], strict=True):
        x, y = before.to_ndarray(format="rgb24").astype(int), after.to_ndarray(format="rgb24").astype(int)
        if 1.5 - 1 / fps < time < 2.0:
            assert y.max() == 0
        else:
            assert y[10:40, 20:70].mean() < 4
            x[10:40, 20:70] = y[10:40, 20:70] = 0
            assert np.abs(x - y)[: y.shape[0], : y.shape[1]].mean() < 3


def test_what_ffmpeg_says_when_it_fails_is_the_same_in_each_run(tmp_path):
    source = clips.numbered(tmp_path / "a.mkv", 20)
    found = probe(source, "a.mkv")
    planned = plan(found.pts, found.time_base, found.end_s, (0.0, 1.0), (), (found.width * 2, found.height))
    said = []
    for _ in range(2):
        with pytest.raises(VideoError, match="ffmpeg failed: ") as refused:
            encode([SourceFile(source, "a.mkv", found, Structure((), "unknown"))], tmp_path / "out.mkv", planned, PARAMS, "a.mkv")
        said.append(str(refused.value))
    assert said[0] == said[1]
    assert "elapsed=" not in said[0]  # on a busy machine another time in each run
    assert "0x" not in said[0]


def test_nothing_but_one_bare_video_stream_is_left(tmp_path):
    (tmp_path / "chapters.txt").write_text(";FFMETADATA1\ntitle=Jane Doe\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=Jane Doe\n")
    (tmp_path / "s.srt").write_text("1\n00:00:00,000 --> 00:00:01,000\nJane Doe\n")
    (tmp_path / "note.txt").write_text("Jane Doe")
    clips.clip(tmp_path / "plain.mp4", more=("-metadata", "artist=Jane Doe"))
    inputs = (
        "-i",
        tmp_path / "plain.mp4",
        "-f",
        "lavfi",
        "-i",
        "sine=duration=2",
        "-i",
        tmp_path / "s.srt",
        "-i",
        tmp_path / "chapters.txt",
    )
    maps = ("-map", 0, "-map", 1, "-map", 2, "-map_metadata", 3, "-map_chapters", 3, "-c:v", "copy")
    said = ("-metadata", "creation_time=2023-04-17T08:00:00Z", "-metadata:s:v:0", "title=Jane Doe")
    attached = ("-attach", tmp_path / "note.txt", "-metadata:s:t", "mimetype=text/plain")
    clips.ffmpeg(*inputs, *maps, *said, *attached, tmp_path / "a.mkv")
    rendered(tmp_path / "a.mkv", tmp_path / "out.mkv")
    with av.open(str(tmp_path / "out.mkv")) as container:
        assert [stream.type for stream in container.streams] == ["video"]
        assert container.metadata == {"encoder": "Lavf"}
        assert set(container.streams.video[0].metadata) <= {"DURATION"}
        assert container.chapters() == []
        for packet in container.demux(video=0):
            data, position = bytes(packet), 0
            while position < len(data):  # length-prefixed NAL units; 6 is SEI
                length = int.from_bytes(data[position : position + 4])
                assert data[position + 4] & 31 != 6
                position += 4 + length
    assert b"Jane" not in (tmp_path / "out.mkv").read_bytes()


@pytest.mark.parametrize("count", [100, pytest.param(1500, marks=pytest.mark.slow)])
def test_hundreds_of_redactions_are_all_carried_out(tmp_path, count):
    source = clips.clip(tmp_path / "a.mkv", seconds=count / 12, fps="25", size="64x64")
    spans = [Redaction(n * 0.08, n * 0.08 + 0.04, (8, 8, 16, 16)) for n in range(count)]
    assert len(rendered(source, tmp_path / "out.mkv", redactions=spans).hidden) == count


@pytest.mark.slow
def test_the_group_of_pictures_starts_on_the_hidden_frame_at_every_rate(tmp_path):
    for k in range(5, 15):
        rendered(clips.REAL["carphone_pristine"], tmp_path / "out.mkv", redactions=[Redaction(k * 1001 / 30000 + 0.0001, 2.0, None)])
        with av.open(str(tmp_path / "out.mkv")) as container:
            assert [frame.key_frame for frame in container.decode(video=0)][k]


def test_an_avi_whose_readers_disagree_about_its_clock_keeps_the_right_frames(tmp_path):
    clips.numbered(tmp_path / "a.mkv", 60)
    clips.ffmpeg(
        "-i", tmp_path / "a.mkv", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "1", "-bf", "2", "-r", "20", tmp_path / "h.avi"
    )
    rendered(tmp_path / "h.avi", tmp_path / "out.mkv", (0.5, 2.5))
    assert clips.decoded_numbers(tmp_path / "out.mkv") == list(range(10, 50))


def test_the_same_input_gives_the_same_bytes(tmp_path):
    source = clips.clip(tmp_path / "a.mp4")
    for name in ("x.mkv", "y.mkv"):
        rendered(source, tmp_path / name, (0.3, 1.7), [Redaction(0.5, 0.9, None)])
    assert (tmp_path / "x.mkv").read_bytes() == (tmp_path / "y.mkv").read_bytes()


@pytest.mark.parametrize(
    "more",
    [("-pix_fmt", "yuvj420p"), ("-pix_fmt", "yuv444p"), ("-pix_fmt", "yuv420p10le"), ("-flags", "+ildct")],
    ids=["full range", "4:4:4", "10 bit", "interlaced"],
)
def test_other_pixel_formats_become_plain_and_black_stays_black(tmp_path, more):
    source = clips.clip(tmp_path / "a.mp4", seconds=0.8, more=more)
    rendered(source, tmp_path / "out.mkv", (0.2, 0.7), [Redaction(0.4, 0.5, None)])
    with av.open(str(tmp_path / "out.mkv")) as container:
        assert container.streams.video[0].codec_context.pix_fmt == "yuv420p"


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_rotated_video_is_released_upright(tmp_path, degrees):
    clip = clips.clip(tmp_path / "a.mp4", size="96x64", seconds=0.4)
    clips.ffmpeg("-display_rotation", -degrees, "-i", clip, "-c", "copy", tmp_path / "b.mp4")
    planned = rendered(tmp_path / "b.mp4", tmp_path / "out.mkv")
    with av.open(str(clip)) as a, av.open(str(tmp_path / "out.mkv")) as b:
        before, after = next(a.decode(video=0)).to_ndarray(format="rgb24"), next(b.decode(video=0))
        assert after.rotation == 0
        turned = np.rot90(before, -degrees // 90).astype(int)
        assert turned.shape[:2] == (planned.height, planned.width)
        assert np.abs(turned - after.to_ndarray(format="rgb24")).mean() < 12


def test_an_odd_size_loses_its_last_column_and_row(tmp_path):
    source = clips.clip(tmp_path / "a.mkv", size="97x65", more=("-pix_fmt", "yuv444p"))
    planned = rendered(source, tmp_path / "out.mkv")
    assert (planned.width, planned.height) == (96, 64)


@pytest.mark.parametrize("name", ["-y.mp4", "pipe:0.mp4", "a b'c\"d.mp4", "line\nbreak.mp4", "ü日本.mp4", "$(touch x);*.mp4", "%d.mp4"])
def test_hostile_file_names_are_just_names(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    clips.clip(Path("plain.mp4"), seconds=0.2).rename(name)
    assert rendered(Path(name), Path("out.mkv")).frame_count == 5
    assert not (tmp_path / "x").exists()


def test_a_video_damaged_in_the_middle_is_refused_and_leaves_nothing(tmp_path):
    source = clips.clip(tmp_path / "a.mkv", seconds=4, size="320x240")
    data = bytearray(source.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 20_000] = os.urandom(20_000)
    source.write_bytes(data)
    with pytest.raises(VideoError):
        rendered(source, tmp_path / "out.mkv")


def test_frames_that_matroska_cannot_tell_apart_are_refused_where_they_are_kept(tmp_path):
    def file(name: str, fps: str, start_s: float, end_s: float) -> FileToRender:
        source = Source.of_file(name, stored_sha256(clips.clip(tmp_path / name, fps=fps, seconds=0.05), name))
        return FileToRender("r", "mono", source, "T", "id", start_s, end_s, fps, False, ())

    assert prepare(tmp_path, file("a.mp4", "1000", 0.0, 0.05), PARAMS).plan.frame_count == 50
    assert prepare(tmp_path, file("b.mp4", "2000", 0.01, 0.0105), PARAMS).plan.frame_count == 1
    match = (
        r"b.mp4: 60 frames are less than 1 ms apart, which Matroska cannot state; export it with a constant frame rate of 1000 fps or below"
    )
    with pytest.raises(VideoError, match=match):
        RenderRequest(tmp_path / "b.mp4", "b.mp4", 0.01, 0.041, (), ()).prepared(PARAMS)
    with pytest.raises(VideoError, match=match):
        prepare(tmp_path, file("b.mp4", "2000", 0.01, 0.041), PARAMS)


def test_the_check_finds_each_kind_of_wrong_result(tmp_path):
    source = clips.numbered(tmp_path / "a.mkv", 60)
    planned = rendered(source, tmp_path / "out.mkv", (0.5, 2.5), [Redaction(1.0, 1.5, None)])
    found = probe(source, "a")
    size = (found.width, found.height)

    def other(interval_s, redactions) -> Plan:
        return plan(found.pts, found.time_base, found.end_s, interval_s, redactions, size)

    cases = [
        (other((0.5, 2.55), [Redaction(1.0, 1.5, None)]), "40 of 41 planned frames"),
        (other((0.5, 2.45), [Redaction(1.0, 1.5, None)]), "more than the planned 39 frames"),
        (other((0.5, 2.5), [Redaction(0.95, 1.5, None)]), "frame 9 is not black"),
        (other((0.5, 2.5), [Redaction(1.0, 1.55, (0, 0, 8, 8))]), "frame 20 is not black"),
    ]
    for wrong, message in cases:
        with pytest.raises(VideoError, match=message):
            check_video(tmp_path / "out.mkv", wrong, "a")
    check_video(tmp_path / "out.mkv", planned, "a")


@pytest.mark.parametrize(
    "check", [check_video, lambda path, planned, name: check_seams(path, planned, Parts("smart", "", ()), {}, name)], ids=["whole", "seams"]
)
def test_frames_that_were_rendered_at_one_time_are_found(check, tmp_path):
    clips.clip(tmp_path / "a.mkv", fps="2000", seconds=0.01, more=("-pix_fmt", "yuv420p", "-bsf:v", "filter_units=remove_types=6-8"))
    planned = plan(range(20), Fraction(1, 2000), Fraction(1, 100), (0.0, 1.0), (), (96, 64))
    with pytest.raises(
        VideoError, match=r"frames \d and \d were rendered at one time: .* Matroska cannot state; export it with a constant"
    ):
        check(tmp_path / "a.mkv", planned, "a")
