"""Sources that recorders, phones and careless exports make: rendered right, or refused with a reason."""

from __future__ import annotations

import re
from pathlib import Path

import av
import pytest

from clips import clip, cropped_by_its_header, decoded_numbers, ffmpeg, numbered
from scrubin.audit.containers import matroska
from scrubin.cli import main

GROUPS = ("-c:v", "libx264", "-crf", 5, "-x264-params", "keyint=20:min-keyint=20:scenecut=0:bframes=2")
WANTED = [0 if 30 <= n < 34 else n for n in range(7, 64)]
ASKED = ["--start", "0.35", "--end", "3.2", "--redact", "1.5-1.7"]


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Path:
    return numbered(tmp_path_factory.mktemp("plain") / "plain.mkv", 70, fps=20)


def rendered(path: Path, folder: Path, *more: str) -> list[int]:
    assert main(["render", str(path), str(folder / "out.mkv"), *ASKED, *more]) == 0
    with av.open(str(folder / "out.mkv")) as container:
        assert [stream.type for stream in container.streams] == ["video"]
    return decoded_numbers(folder / "out.mkv")


@pytest.mark.cases(3)
@pytest.mark.parametrize("mode", ["smart", "reencode"])
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("negative.mkv", ("-output_ts_offset", "-1.3")),
        ("late.mp4", ("-output_ts_offset", "7.7")),
        ("wrapped.ts", ("-output_ts_offset", "95442", "-muxdelay", "0")),  # 33 bits at 90 kHz end after 95443.7 s
        ("fragmented.mp4", ("-movflags", "+frag_keyframe+empty_moov+default_base_moof")),
        ("flash.flv", ()),
    ],
)
def test_every_clock_gives_the_same_frames(mode, name, more, plain, tmp_path):
    path = tmp_path / name
    ffmpeg("-i", plain, *GROUPS, *more, path)
    assert rendered(path, tmp_path, "--mode", mode) == WANTED


@pytest.mark.parametrize("mode", ["smart", "reencode"])
def test_a_cover_picture_and_sound_stay_behind(mode, plain, tmp_path):
    ffmpeg("-f", "lavfi", "-i", "color=red:size=64x64", "-frames:v", 1, tmp_path / "cover.png")
    sound = ("-f", "lavfi", "-i", "sine=duration=3")
    maps = ("-map", 0, "-map", 1, "-map", 2, "-c:v:1", "png", "-disposition:v:1", "attached_pic")
    ffmpeg("-i", plain, *sound, "-i", tmp_path / "cover.png", *maps, "-c:a", "aac", *GROUPS, "-c:v:1", "png", tmp_path / "covered.mp4")
    assert rendered(tmp_path / "covered.mp4", tmp_path, "--mode", mode) == WANTED


@pytest.mark.parametrize("mode", ["smart", "reencode"])
def test_a_file_without_its_first_key_frame_is_refused(mode, plain, tmp_path, capsys):
    ffmpeg("-i", plain, *GROUPS, tmp_path / "whole.mkv")
    ffmpeg("-i", tmp_path / "whole.mkv", "-c", "copy", "-bsf:v", "noise=drop='eq(n,0)'", tmp_path / "headless.mkv")
    assert main(["render", str(tmp_path / "headless.mkv"), str(tmp_path / "out.mkv"), *ASKED, "--mode", mode]) == 1
    assert "frames can be decoded" in capsys.readouterr().err


def test_packets_lost_in_the_middle_are_located(tmp_path, capsys):
    path = clip(tmp_path / "a.ts", seconds=4, more=("-g", 20))
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 188 * 188
    for place in range(middle, middle + 40 * 188, 188):
        data[place] = 0  # the sync byte of a transport packet
    path.write_bytes(data)
    assert main(["render", str(path), str(tmp_path / "out.mkv"), "--redact", "0.1-3"]) == 1
    said = capsys.readouterr().err
    assert re.search(r"1 packet is damaged, the first at [12]\.\d\d s", said)
    assert "times begin again" not in said
    assert not (tmp_path / "out.mkv").exists()


SCREEN = "mastering-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)"


@pytest.mark.parametrize("mode", ["smart", "reencode"])
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("two_views.mp4", ("-x264-params", "keyint=20:frame-packing=3")),
        ("two_views.mkv", ("-metadata:s:v", "stereo_mode=left_right")),
        ("screen.mp4", ("-x264-params", f"keyint=20:{SCREEN}:cll=1000,400")),
        ("screen.mkv", ("-x264-params", f"keyint=20:{SCREEN}")),
    ],
)
def test_what_a_source_says_of_views_and_screens_stays_behind(mode, name, more, tmp_path):
    """The audit refuses a whole release for it, and of one view of two it would be untrue."""
    path, out = clip(tmp_path / name, seconds=1.2, more=more), tmp_path / "out.mkv"
    assert main(["render", str(path), str(out), "--redact", "0.9-1", "--mode", mode]) == 0
    with out.open("rb") as file:
        assert matroska.read(file).faults == []
    with av.open(str(out)) as container:
        stream = container.streams.video[0]
        assert (stream.metadata, stream.sample_aspect_ratio) == ({}, stream.codec_context.sample_aspect_ratio)


@pytest.mark.parametrize("more", [("-c:v", "mpeg2video", "-q:v", 3), ("-x264-params", "tff=1")])
def test_pictures_that_stay_woven_are_released_as_whole_ones(more, tmp_path):
    path, out = clip(tmp_path / "a.ts", more=("-vf", "setfield=tff", "-flags", "+ilme+ildct", *more)), tmp_path / "out.mkv"
    assert main(["render", str(path), str(out), "--redact", "0.9-1"]) == 0
    head = out.read_bytes()[:500]
    assert b"\x9a\x81\x02" in head  # FlagInterlaced: no
    assert b"\x9d\x81" not in head  # FieldOrder


def test_every_frame_of_a_rate_that_varies_keeps_its_time_when_it_is_encoded(tmp_path):
    """Of the first packets of a Matroska file nobody knows when they are decoded, and what ffmpeg guessed moved the third frame."""
    times = ("-vf", "settb=1/1000,setpts=40*N+5*mod(N*N\\,7)", "-fps_mode", "passthrough", "-enc_time_base", "1/1000")
    path, out = clip(tmp_path / "a.mp4", seconds=4, size="320x240", more=times), tmp_path / "out.mkv"
    shown = [tick for n in range(100) if (tick := 40 * n + 5 * (n * n % 7)) >= 500]
    assert main(["render", str(path), str(out), "--mode", "reencode", "--start", "0.5"]) == 0
    with av.open(str(out)) as container:
        assert [frame.pts for frame in container.decode(video=0)] == [tick - shown[0] for tick in shown]


@pytest.mark.parametrize("b_frames", [0, 3])
def test_every_frame_of_an_avi_from_which_some_were_dropped_keeps_its_time(b_frames, plain, tmp_path):
    dropped = ("-vf", "setpts=(N+2*floor(N/10))/20/TB", "-fps_mode", "passthrough")
    ffmpeg("-i", plain, *GROUPS[:4], "-bf", b_frames, *dropped, tmp_path / "a.avi")
    assert main(["render", str(tmp_path / "a.avi"), str(tmp_path / "out.mkv"), "--start", "0.35", "--end", "3.2"]) == 0
    wanted = {n: n + 2 * (n // 10) - 7 for n in range(70) if 7 <= n + 2 * (n // 10) < 64}
    assert decoded_numbers(tmp_path / "out.mkv") == list(wanted)
    with av.open(str(tmp_path / "out.mkv")) as container:
        assert [frame.pts for frame in container.decode(video=0)] == [50 * tick for tick in wanted.values()]


@pytest.mark.parametrize("mode", ["smart", "reencode"])
@pytest.mark.parametrize("name", ["header.mkv", "stream.mp4"])
def test_what_players_crop_away_is_not_rendered(name, mode, tmp_path, capsys):
    path, out = tmp_path / name, tmp_path / "out.mkv"
    if name == "header.mkv":
        cropped_by_its_header(path)
    else:
        clip(path, more=("-pix_fmt", "yuv420p", "-bsf:v", "h264_metadata=crop_left=8"))
    for asked in (["render", str(path), str(out), "--redact", "0.9-1", "--mode", mode], ["probe", str(path)]):
        assert main(asked) == 1
        assert re.search(rf"{name}: it.* players show .*; export it again", capsys.readouterr().err)
    assert not out.exists()
