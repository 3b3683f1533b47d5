"""Smart rendering of real H.264 streams: what is copied decodes as in the source, in every decoder."""

from __future__ import annotations

import hashlib
import subprocess
from fractions import Fraction
from pathlib import Path

import av
import cv2
import imageio_ffmpeg
import numpy as np
import pytest

from clips import LAST_IS_SLOW, REAL, clip, ffmpeg, with_other_units
from scrubin.media.containers import h264
from scrubin.media.probe import Probe, pixel_aspect_of, probe
from scrubin.media.structure import structure
from scrubin.stages.render import RenderParams, smart
from scrubin.stages.render.check import check_video
from scrubin.stages.render.parts import SMART, Parts, parts
from scrubin.stages.render.plan import Plan, Redaction, SourceFile, plan
from scrubin.stages.render.rendering import execute

PARAMS = RenderParams("smart", 18, "ultrafast", 0.0)
SPANS = (Redaction(3.11, 3.53, None), Redaction(5.2, 5.28, (10, 12, 30, 20)))

SOURCES = {
    "B-frames": ("a.mp4", ("-bf", 3, "-g", 50, "-preset", "veryfast")),
    "no B-frames": ("a.mkv", ("-bf", 0, "-g", 40, "-profile:v", "baseline")),
    "many references": ("a.mkv", ("-bf", 8, "-refs", 8, "-b-pyramid", "strict", "-g", 60, "-preset", "medium")),
    "slices": ("a.mp4", ("-slices", 4, "-g", 45)),
    "without CABAC": ("a.mov", ("-coder", 0, "-g", 50)),
    "rate control data": ("a.mkv", ("-x264-params", "nal-hrd=vbr:vbv-maxrate=900:vbv-bufsize=900:keyint=50:aud=1:pic-struct=1")),
    "transport stream": ("a.ts", ("-g", 50, "-muxdelay", 0)),
    "full range": ("a.mkv", ("-pix_fmt", "yuvj420p", "-g", 50)),
    "colours stated": ("a.mp4", ("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-g", 50)),
    "not square": ("a.mkv", ("-vf", "setsar=4/3", "-g", 50)),
    "sound and tags": ("a.mp4", ("-g", 50, "-metadata", "title=Dr. Who")),
}


def planned(path: Path, start_s: float, end_s: float, redactions=()) -> tuple[Probe, Plan, Parts]:
    found = probe(path, path.name)
    cut = plan(found.pts, found.time_base, found.end_s, (start_s, end_s), redactions, (found.width, found.height))
    return found, cut, parts(cut, structure(path, path.name), "smart", found.rotation_deg)


def rendered(path: Path, target: Path, start_s: float, end_s: float, redactions=(), params: RenderParams = PARAMS) -> tuple[Plan, Parts]:
    found, cut, how = planned(path, start_s, end_s, redactions)
    done = execute([SourceFile(path, path.name, found, structure(path, path.name))], target, found, cut, how, params, path.name)
    return cut, done


def hashes_by_pyav(path: Path) -> list[str]:
    with av.open(str(path)) as container:
        return [hashlib.md5(frame.to_ndarray().tobytes()).hexdigest() for frame in container.decode(video=0)]


def hashes_by_ffmpeg(path: Path) -> list[str]:
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", str(path), "-map", "0:v:0", "-fps_mode", "passthrough"]
    done = subprocess.run([*command, "-f", "framehash", "-hash", "md5", "-"], check=True, capture_output=True, text=True)
    assert done.stderr == ""
    return [line.rsplit(",", 1)[1].strip() for line in done.stdout.splitlines() if not line.startswith("#")]


def pictures_by_opencv(path: Path) -> list[bytes]:
    capture = cv2.VideoCapture(str(path))
    pictures = []
    while True:
        got, picture = capture.read()
        if not got:
            return pictures
        pictures.append(hashlib.md5(np.ascontiguousarray(picture).tobytes()).digest())


@pytest.fixture(params=SOURCES, scope="module")
def source(request, tmp_path_factory) -> Path:
    name, more = SOURCES[request.param]
    return clip(tmp_path_factory.mktemp("source") / name, seconds=8, size="192x128", more=more)


@pytest.fixture(scope="module")
def output(source, tmp_path_factory) -> tuple[Path, Plan, Parts]:
    """The source rendered: the file, what was planned and how it was carried out. Tests only read it."""
    target = tmp_path_factory.mktemp("output") / "out.mkv"
    return target, *rendered(source, target, 0.5, 7.3, SPANS)


@pytest.mark.slow
def test_copied_frames_decode_as_in_the_source_in_every_decoder(source, output):
    target, cut, done = output
    assert done.mode == SMART, done.why
    assert 0 < done.encoded_count < cut.frame_count
    kept = slice(cut.first_source_frame, cut.first_source_frame + cut.frame_count)
    copied = [number for part in done.parts if part.copied for number in range(part.first, part.last + 1)]
    for read in (hashes_by_pyav, hashes_by_ffmpeg, pictures_by_opencv):
        before, after = read(source)[kept], read(target)
        assert len(after) == cut.frame_count
        assert [number for number in copied if before[number] != after[number]] == []
    check_video(target, cut, source.name)  # decodes everything: times, sizes, blackness


@pytest.mark.cases(3)
def test_what_is_not_hidden_is_still_to_be_seen(source, output):
    target, cut, _ = output
    with av.open(str(source)) as container:
        before = [frame.to_ndarray(format="gray").astype(int) for frame in container.decode(video=0)][cut.first_source_frame :]
    with av.open(str(target)) as container:
        after = [frame.to_ndarray(format="gray").astype(int) for frame in container.decode(video=0)]
    hidden = [number for item in cut.hidden for number in range(item.first, item.last + 1)]
    for number, (a, b) in enumerate(zip(before, after, strict=False)):
        if number not in hidden:
            assert np.abs(a - b).mean() < 4, number


@pytest.mark.cases(3)
@pytest.mark.parametrize("preset", ["ultrafast", "veryfast"])
@pytest.mark.parametrize("crf", [30, 35, 40])
@pytest.mark.parametrize("more", [("-g", 50), ("-pix_fmt", "yuvj420p", "-g", 50)], ids=["limited range", "full range"])
def test_hidden_frames_are_black_at_every_quality(tmp_path, more, crf, preset):
    path = clip(tmp_path / "a.mkv", seconds=6, size="192x128", more=more)
    cut, done = rendered(path, tmp_path / "out.mkv", 0.5, 5.3, [Redaction(3.11, 3.53, None)], RenderParams("smart", crf, preset, 0.0))
    assert done.mode == SMART
    check_video(tmp_path / "out.mkv", cut, path.name)


@pytest.mark.cases(3)
def test_nothing_but_pictures_is_left(output):
    target, _, _ = output
    data = target.read_bytes()
    for trace in (b"x264", b"Lavc", b"title", b"Who"):
        assert trace not in data
    with av.open(str(target)) as container:
        stream = container.streams.video[0]
        length_bytes = h264.header(bytes(stream.codec_context.extradata)).length_bytes
        packets = [packet for packet in container.demux(stream) if packet.size]
        kinds = {h264.unit_type(unit) for packet in packets for unit in h264.units(memoryview(packet), length_bytes)}
        assert kinds == {h264.SLICE, h264.IDR}
        assert len(container.streams) == 1
        assert min(packet.pts for packet in packets) == 0


@pytest.mark.parametrize("coder", [0, 1], ids=["CAVLC", "CABAC"])
def test_what_stands_behind_a_picture_stays_behind_and_the_other_groups_are_copied(tmp_path, coder):
    """In frames 30 and 57 of groups of 25, the second and the third."""
    behind = b"Ottilie Quast 1957-03-14"
    path = clip(tmp_path / "a.mkv", seconds=5, more=("-preset", "medium", "-bf", 0, "-g", 25, "-coder", coder))
    planted = with_other_units(path, tmp_path / "b.mkv", lambda number, unit: unit + behind * (number in (30, 57)))
    assert planted.read_bytes().count(behind) == 2
    cut, done = rendered(planted, tmp_path / "out.mkv", 0.0, 4.6)
    assert [(part.first, part.last, part.copied) for part in done.parts] == [(0, 24, True), (25, 74, False), (75, 114, True)]
    assert behind not in (tmp_path / "out.mkv").read_bytes()
    check_video(tmp_path / "out.mkv", cut, "b.mkv")


@pytest.mark.cases(3)
def test_the_same_bytes_come_out_every_time(source, output, tmp_path):
    again = tmp_path / "again.mkv"
    rendered(source, again, 0.5, 7.3, SPANS)
    assert again.read_bytes() == output[0].read_bytes()


def test_every_group_of_pictures_can_be_reached_by_seeking(output):
    target, cut, _ = output
    straight = hashes_by_pyav(target)
    times_ms = [round(time_s * 1000) for time_s in cut.times_s]
    with av.open(str(target)) as container:
        for time_ms in range(0, times_ms[-1], 700):
            container.seek(time_ms, stream=container.streams.video[0])
            frame = next(container.decode(video=0))
            assert frame.pts <= time_ms
            assert hashlib.md5(frame.to_ndarray().tobytes()).hexdigest() == straight[times_ms.index(frame.pts)]


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", LAST_IS_SLOW)
def test_real_footage_is_copied_where_it_is_not_touched(name, tmp_path):
    target = tmp_path / "out.mkv"
    cut, done = rendered(REAL[name], target, 0.0, 3.7, [Redaction(2.5, 2.6, None)])
    assert done.mode == SMART, done.why
    before, after = hashes_by_ffmpeg(REAL[name]), hashes_by_ffmpeg(target)
    same = [a == b for a, b in zip(before, after, strict=False)]
    assert all(all(same[part.first : part.last + 1]) for part in done.parts if part.copied)
    check_video(target, cut, name)


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("name", "more", "why"),
    [
        ("a.mkv", ("-pix_fmt", "yuv420p10le"), "its pixels are yuv420p10le"),
        ("a.mkv", ("-pix_fmt", "yuv444p"), "its pixels are yuv444p"),
        ("a.mkv", ("-x264-params", "interlaced=1"), "interlaced"),
        ("a.mkv", ("-c:v", "libx265", "-x265-params", "log-level=none"), "its codec is hevc"),
        ("a.mkv", ("-c:v", "mpeg4"), "its codec is mpeg4"),
        ("a.mkv", ("-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-bf", "0"), "its codec is mjpeg"),
        ("a.ts", ("-c:v", "mpeg2video", "-bf", "2"), "its codec is mpeg2video"),
        ("a.avi", ("-bf", "2"), "its container avi states no presentation times"),
    ],
)
def test_what_is_not_sure_is_encoded_again_and_the_plan_says_why(name, more, why, tmp_path):
    path = clip(tmp_path / name, seconds=2, more=more)
    cut, done = rendered(path, tmp_path / "out.mkv", 0.4, 1.6)
    assert done.mode == "reencode"
    assert why in done.why
    assert len(hashes_by_ffmpeg(tmp_path / "out.mkv")) == cut.frame_count


def test_a_key_frame_of_an_open_group_is_no_place_to_cut(tmp_path):
    path = clip(tmp_path / "a.mkv", seconds=6, more=("-x264-params", "open-gop=1:keyint=25:bframes=3:scenecut=0"))
    with av.open(str(path)) as container:
        assert sum(packet.is_keyframe for packet in container.demux(video=0)) == 6
    _, done = rendered(path, tmp_path / "out.mkv", 0.0, 4.9, [Redaction(4.1, 4.2, None)])
    assert [part.copied for part in done.parts] == [True, False]
    before, after = hashes_by_ffmpeg(path), hashes_by_ffmpeg(tmp_path / "out.mkv")
    assert before[: done.parts[0].last + 1] == after[: done.parts[0].last + 1]
    assert done.parts[0].last > 95
    _, late = rendered(path, tmp_path / "late.mkv", 1.5, 4.9)
    assert late.mode == "reencode"


def test_frames_behind_an_edit_list_do_not_come_back(tmp_path):
    whole = clip(tmp_path / "whole.mp4", seconds=6, more=("-g", 50))
    cut_by_copying = tmp_path / "cut.mp4"
    ffmpeg("-ss", 1.3, "-i", whole, "-c", "copy", cut_by_copying)
    with av.open(str(cut_by_copying), options={"ignore_editlist": "1"}) as container:
        stored = sum(1 for packet in container.demux(video=0) if packet.size)
    found, cut, how = planned(cut_by_copying, 0.0, 4.0)
    assert stored > found.frame_count
    assert how.mode == SMART
    assert how.parts[0].why == "an edit list hides packets"
    execute(
        [SourceFile(cut_by_copying, "cut.mp4", found, structure(cut_by_copying, ""))],
        tmp_path / "out.mkv",
        found,
        cut,
        how,
        PARAMS,
        "cut.mp4",
    )
    before = hashes_by_pyav(cut_by_copying)
    after = hashes_by_pyav(tmp_path / "out.mkv")
    assert len(after) == cut.frame_count
    copied = slice(how.parts[1].first, how.parts[1].last + 1)
    assert after[copied] == before[copied]


def test_a_variable_rate_keeps_its_times(tmp_path):
    path = tmp_path / "vfr.mkv"
    ffmpeg(
        "-f", "lavfi", "-i", "testsrc2=size=96x64:rate=50:duration=12", "-vf", "select='lt(n,60)+not(mod(n,40))+gt(n,400)*lt(mod(n,50),9)'",
        "-fps_mode", "passthrough", "-c:v", "libx264", "-g", "20", path,
    )  # fmt: skip
    cut, done = rendered(path, tmp_path / "out.mkv", 0.0, 11.0, [Redaction(9.2, 9.3, None)])
    assert done.mode == SMART
    assert len({b - a for a, b in zip(cut.times_s, cut.times_s[1:], strict=False)}) > 1
    check_video(tmp_path / "out.mkv", cut, "vfr")


def test_a_copy_that_does_not_decode_as_the_source_is_noticed_and_encoded_again(tmp_path, monkeypatch):
    path = clip(tmp_path / "a.mkv", seconds=4, more=("-g", 25))
    real = h264.free_id
    # Both parameter sets with one id: what a careless splice does.
    monkeypatch.setattr(h264, "free_id", lambda *sets: real(*sets) - 1)
    cut, done = rendered(path, tmp_path / "out.mkv", 0.5, 3.0, [Redaction(1.5, 1.6, None)])
    assert done.mode == "reencode"
    assert "copying failed" in done.why
    check_video(tmp_path / "out.mkv", cut, "a.mkv")


def test_a_group_that_begins_halfway_between_two_ticks_of_matroska_is_copied(tmp_path):
    path = clip(tmp_path / "a.mp4", seconds=5, fps="30000/1001", more=("-g", "15"))
    cut, done = rendered(path, tmp_path / "out.mkv", 0.5, 4.5, (Redaction(1.5, 2.5, None),))
    group = 15  # the one before the redaction, from which the seam is checked
    assert (cut.ticks[group] * cut.time_base * 1000).denominator == 2
    assert (done.mode, done.why) == (SMART, "")


@pytest.mark.cases(3)
@pytest.mark.parametrize("name", ["shown.mp4", "shown.mkv", "shown.mov"])
@pytest.mark.parametrize("of_frames", ["1", "0"])
def test_a_width_of_pixels_that_the_container_alone_states_is_that_of_the_copied_film(tmp_path, name, of_frames):
    # Frames that are stored in another order than they are shown, and are not evenly apart: a copy that guesses their times moves some.
    varying = f"setsar={of_frames},settb=1/1000,setpts=40*N+13*mod(N\\,3)"
    more = ("-vf", varying, "-g", "25", "-bf", "3", "-preset", "veryfast", "-fps_mode", "passthrough", "-enc_time_base", "1:1000")
    film = clip(tmp_path / "film.mp4", seconds=4, size="320x240", more=more)
    source = tmp_path / name
    ffmpeg("-i", film, "-c", "copy", "-aspect", "16:9", source)
    target, plain = tmp_path / "released.mkv", tmp_path / "plain.mkv"
    cut, done = rendered(source, target, 0.5, 4, SPANS[:1])
    assert (done.mode, pixel_aspect_of(target, name)) == (SMART, Fraction(4, 3))
    assert not list(tmp_path.glob("unstated*"))
    check_video(target, cut, name)
    rendered(film, plain, 0.5, 4, SPANS[:1])
    assert pixel_aspect_of(plain, name) == 1
    assert hashes_by_pyav(target) == hashes_by_pyav(plain)
    assert probe(target, name).times_s == probe(plain, name).times_s


def test_a_width_of_pixels_that_matroska_rounds_is_that_of_the_frames_and_the_film_is_written_once(tmp_path, monkeypatch):
    film = clip(tmp_path / "film.mkv", seconds=4, size="192x128", more=("-vf", "setsar=12/11", "-g", "25"))
    monkeypatch.setattr(smart, "show_as", None)
    _, done = rendered(film, tmp_path / "released.mkv", 0, 4, SPANS[:1])
    assert done.mode == SMART
