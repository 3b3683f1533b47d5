"""Released pictures have the colours of their source, in every reader: one matrix and one range a video, and both stated."""

from __future__ import annotations

import hashlib
from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace

import av
import numpy as np
import pytest

import clips
from scrubin.base.errors import VideoError
from scrubin.cli import main
from scrubin.media import ffmpeg as program
from scrubin.media.colours import Colours
from scrubin.media.source import FilePart, Source
from scrubin.stages.render import RenderParams, encode, rendering
from scrubin.stages.render.parts import Parts
from scrubin.stages.render.plan import Redaction

RED = (200, 40, 30)
BT709, BT601 = ("bt709", "bt709"), ("bt601", "smpte170m")
KNOWN = {1: "bt709", 5: "bt601", 6: "bt601"}
H264 = ("-c:v", "libx264", "-crf", 8, "-g", 10, "-bf", 0)
MPEG2 = ("-c:v", "mpeg2video", "-q:v", 2, "-bf", 0)
MADE: dict[tuple[object, ...], bytes] = {}


def red(path: Path, matrix=None, *more, pixels="yuv420p", size="96x64") -> Path:
    """A film in one colour of a second, with 25 frames, made once for all tests; without a matrix it is RGB."""
    colour = "0x" + "".join(f"{value:02x}" for value in RED)
    options: tuple[object, ...] = ("-pix_fmt", pixels)
    if matrix:
        full = "pc" if pixels.startswith("yuvj") else "tv"
        options = (
            "-vf",
            f"scale=out_color_matrix={matrix[0]}:out_range={full},format={pixels}",
            "-colorspace",
            matrix[1],
            "-color_range",
            full,
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    key = (path.suffix, options, more, size)
    if key not in MADE:
        clips.ffmpeg("-f", "lavfi", "-i", f"color=c={colour}:s={size}:r=25:d=1,format=rgb24", *options, *more, path)
        MADE[key] = path.read_bytes()
    path.write_bytes(MADE[key])
    return path


def behind_each_other(first: Path, second: Path, path: Path) -> Path:
    """Two bare streams as one transport stream."""
    both = path.with_suffix(first.suffix)
    both.write_bytes(first.read_bytes() + second.read_bytes())
    key = (both.read_bytes(), path.suffix)
    if key not in MADE:
        clips.ffmpeg("-r", 25, "-i", both, "-c", "copy", "-bsf:v", "setts=pts=N/(25*TB):dts=N/(25*TB)", path)
        MADE[key] = path.read_bytes()
    path.write_bytes(MADE[key])
    return path


def shown(path: Path) -> tuple[set[str], list[bool], int]:
    """Return which matrices container and frames state, which frames are black, and by how much the worst other one is not red."""
    stated, black, worst = set(), [], 0
    with av.open(str(path)) as container:
        stated.add(KNOWN.get(container.streams.video[0].codec_context.colorspace, "unknown"))
        for frame in container.decode(video=0):
            stated.add(KNOWN.get(frame.colorspace, "unknown"))
            picture = frame.to_ndarray(format="rgb24").reshape(-1, 3).astype(int)
            black.append(bool(picture.max() < 12))
            if not black[-1]:
                worst = max(worst, int(np.abs(np.median(picture, axis=0) - RED).max()))
    return stated, black, worst


def rendered(path: Path, mode: str) -> tuple[set[str], list[bool], int]:
    target = path.with_name("out.mkv")
    assert main(["render", str(path), str(target), "--start", "0.2", "--redact", "0.4-0.48", "--mode", mode]) == 0
    return shown(target)


CHANGES = {
    "matrix, H.264": ("h264", BT709, BT601, "yuv420p", H264),
    "range, H.264": ("h264", BT709, BT709, "yuvj420p", H264),
    "matrix and range, H.264": ("h264", BT601, BT709, "yuvj420p", H264),
    "matrix, MPEG-2": ("m2v", BT601, BT709, "yuv420p", MPEG2),
}


@pytest.mark.cases(2)
@pytest.mark.parametrize("mode", ["smart", "reencode"])
@pytest.mark.parametrize("change", list(CHANGES))
def test_a_film_whose_colours_change_on_the_way_is_released_in_those_of_its_first_frame(change, mode, tmp_path):
    suffix, first, second, pixels, codec = CHANGES[change]
    one = red(tmp_path / f"1.{suffix}", first, *codec)
    both = behind_each_other(one, red(tmp_path / f"2.{suffix}", second, *codec, pixels=pixels), tmp_path / "both.ts")
    stated, black, worst = rendered(both, mode)
    assert black == [5 <= frame < 7 for frame in range(45)]
    assert stated == {first[0]}
    assert worst <= 4


@pytest.mark.parametrize("size", ["64x48", "128x96"])
def test_a_film_whose_size_changes_on_the_way_is_refused_by_the_frame(size, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, two = red(tmp_path / "1.h264", BT601, *H264), red(tmp_path / "2.h264", BT601, *H264, size=size)
    both = behind_each_other(one, two, tmp_path / "both.ts")
    with pytest.raises(VideoError, match="its picture changes size at frame 25; export it with one size"):
        executed([both], "smart")


def metadata(**fields):
    return ("-bsf:v", "h264_metadata=" + ":".join(f"{key}={value}" for key, value in fields.items()))


NONE = metadata(colour_primaries=2, transfer_characteristics=2, matrix_coefficients=2)


@pytest.mark.parametrize("mode", ["smart", "reencode"])
@pytest.mark.parametrize("change", ["rotation", "rotation and colours"])
def test_a_film_that_players_turn_from_a_frame_on_is_refused(change, mode, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    second = red(tmp_path / "2.h264", BT601 if change == "rotation" else BT709, *H264)
    clips.ffmpeg("-i", second, "-c", "copy", *metadata(display_orientation="insert", rotate=180), tmp_path / "3.h264")
    both = behind_each_other(red(tmp_path / "1.h264", BT601, *H264), tmp_path / "3.h264", tmp_path / "both.ts")
    with pytest.raises(VideoError, match="players turn its picture otherwise from frame 25 on; export it upright"):
        executed([both], mode)


@pytest.mark.parametrize(
    "name",
    ["rotated, other samples", "from RGB", "to YCgCo", "to BT.601, to YCgCo", "full to video range", "full to video range beside copies"],
)
def test_a_film_whose_colours_change_where_nobody_converts_them_is_told_the_frame(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rgb = ("-c:v", "libx264rgb", *H264[2:])
    pixels = "yuvj420p" if name.startswith("full") else "yuv422p" if name.startswith("rotated") else "yuv420p"
    one = tmp_path / "1.h264"
    first = red(one, None, *rgb, pixels="gbrp") if name == "from RGB" else red(one, BT709, *H264, pixels=pixels)
    second = red(tmp_path / "2.h264", BT709, *H264)
    if name.endswith("to YCgCo"):
        clips.ffmpeg("-i", second, "-c", "copy", *metadata(matrix_coefficients=8), tmp_path / "3.h264")
        second = tmp_path / "3.h264"
    if "BT.601" in name:
        behind_each_other(first, red(tmp_path / "4.h264", BT601, *H264), tmp_path / "5.ts")
        first = tmp_path / "5.h264"
    both = behind_each_other(first, second, tmp_path / "both.ts")
    if "rotated" in name:
        both = turned(both)
    files, mode = ([red(tmp_path / "0.mp4", BT709, *H264), both], "smart") if "copies" in name else ([both], "reencode")
    with pytest.raises(VideoError, match=f"its colours change at frame {50 if 'BT.601' in name else 25}; export it"):
        executed(files, mode, 3.0)
    assert not list(tmp_path.glob("encoded-*"))


def turned(path: Path) -> Path:
    """The same film, to be shown on its side."""
    target = path.with_name("turned.mkv")
    clips.ffmpeg("-display_rotation", 90, "-i", path, "-c", "copy", target)
    return target


@pytest.mark.parametrize("change", ["matrix", "range", "range that was not known"])
def test_a_rotated_film_whose_colours_change_is_released_upright_in_those_of_its_first_frame(change, tmp_path):
    first = red(tmp_path / "1.h264", BT601, *H264)
    if change == "range that was not known":
        first = red(tmp_path / "0.h264", None, *H264)
        clips.ffmpeg("-i", first, "-c", "copy", NONE[0], f"{NONE[1]}:video_full_range_flag=0", tmp_path / "2.h264")
    else:
        red(tmp_path / "2.h264", BT709 if change == "matrix" else BT601, *H264, pixels="yuv420p" if change == "matrix" else "yuvj420p")
    both = turned(behind_each_other(first, tmp_path / "2.h264", tmp_path / "both.ts"))
    stated, black, worst = rendered(both, "reencode")
    assert black == [5 <= frame < 7 for frame in range(45)]
    assert stated == {"bt601" if change != "range that was not known" else "unknown"}
    assert worst <= 4
    with av.open(str(tmp_path / "out.mkv")) as container:
        assert (container.streams.video[0].width, container.streams.video[0].height) == (64, 96)


@pytest.mark.parametrize("beside", ["alone", "behind another", "before another"])
def test_a_matrix_that_is_stated_on_the_way_only_is_never_overwritten(beside, tmp_path, monkeypatch):
    """What comes before it is taken for BT.601, as where frames are extracted from a film that states none."""
    monkeypatch.chdir(tmp_path)
    parts = red(tmp_path / "1.h264", None, *H264), red(tmp_path / "2.h264", BT709, *H264)
    both = behind_each_other(*parts, tmp_path / "both.ts")
    other = red(tmp_path / "other.mp4", BT709, *H264)
    executed({"alone": [both], "behind another": [other, both], "before another": [both, other]}[beside], "reencode", 3.0)
    stated, black, worst = shown(tmp_path / "out.mkv")
    assert stated == {"bt709" if beside == "behind another" else "bt601"}
    assert len(black) == (50 if beside == "alone" else 75)
    assert worst <= 4


def bare_films(folder: Path, size: str = "96x64") -> dict[str, Path]:
    """Bare streams of a second each, by what they state; that of "none" is of BT.601."""
    return {
        "BT.709": red(folder / "709.h264", BT709, *H264, size=size),
        "BT.601": red(folder / "601.h264", BT601, *H264, size=size),
        "none": red(folder / "none.h264", BT601, *H264, *NONE, size=size),
        "YCgCo": red(folder / "ycgco.h264", BT709, *H264, *metadata(matrix_coefficients=8), size=size),
        "4:2:2": red(folder / "422.h264", BT709, *H264, pixels="yuv422p", size=size),
        "RGB": red(folder / "rgb.h264", None, "-c:v", "libx264rgb", *H264[2:], pixels="gbrp", size=size),
    }


def as_one(films: list[Path], path: Path) -> Path:
    """Bare streams as one transport stream."""
    one = path.with_suffix(".h264")
    one.write_bytes(b"".join(film.read_bytes() for film in films[:-1]))
    return behind_each_other(one, films[-1], path)


@pytest.mark.parametrize(
    ("states", "refused_at"),
    [
        (["BT.709", "none"], 25),
        (["BT.601", "BT.709", "none"], 50),
        (["none", "BT.709", "none"], 50),
        (["BT.709", "none", "BT.709"], 25),
        (["BT.709", "BT.601", "none"], 50),
        (["none", "BT.601", "none"], None),
    ],
)
def test_pictures_that_state_no_matrix_are_never_taken_for_another_one_that_was_stated_before_them(
    states, refused_at, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    films = bare_films(tmp_path)
    one = as_one([films[state] for state in states], tmp_path / "one.ts")
    if refused_at is not None:
        with pytest.raises(VideoError, match=f"its colours change at frame {refused_at}; export it"):
            executed([one], "reencode", float(len(states)))
        return
    executed([one], "reencode", float(len(states)))
    assert shown(tmp_path / "out.mkv")[2] <= 4


TALL = "64x580"
"""Of so many lines that what states no matrix is of BT.709."""


@pytest.mark.parametrize(
    ("states", "size", "start_s", "end_s", "matrix"),
    [
        (["YCgCo", "BT.709"], "96x64", 1.2, 2.0, "bt709"),
        (["BT.601", "BT.709"], "96x64", 1.2, 2.0, "bt709"),
        (["BT.709", "none"], "96x64", 1.2, 2.0, "bt601"),
        (["none", "BT.709", "BT.601"], "96x64", 1.2, 3.0, "bt709"),
        (["BT.709", "BT.601", "YCgCo"], "96x64", 0.0, 2.0, "bt709"),
        (["BT.709", "BT.601", "4:2:2"], "96x64", 0.0, 1.9, "bt709"),
        *((["BT.709", "RGB"], size, start_s, 1.8, "bt709") for size in ("96x64", TALL) for start_s in (0.0, 1.2)),
        *((["BT.601", "RGB"], size, 1.2, 1.8, "bt601") for size in ("96x64", TALL)),
        (["BT.709", "BT.601", "RGB"], "96x64", 1.2, 2.8, "bt601"),
        (["none", "RGB"], "96x64", 1.2, 1.8, "bt601"),
        (["none", "RGB"], TALL, 1.2, 1.8, "bt709"),
    ],
)
def test_a_film_is_released_in_the_matrix_of_its_first_kept_frame_whatever_is_cut_away_or_follows(
    states, size, start_s, end_s, matrix, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    films = bare_films(tmp_path, size)
    one = as_one([films[state] for state in states], tmp_path / "one.ts")
    executed([turned(one) if "4:2:2" in states else one], "reencode", end_s, start_s)
    stated, black, worst = shown(tmp_path / "out.mkv")
    assert stated == {matrix}
    assert black == [frame == 5 for frame in range(round((end_s - start_s) * 25))]
    assert worst <= 4


def test_colours_of_a_file_that_is_cut_away_do_not_count(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    films = bare_films(tmp_path)
    one = as_one([films["BT.709"], films["BT.601"]], tmp_path / "one.ts")
    full = behind_each_other(red(tmp_path / "full.h264", BT709, *H264, pixels="yuvj420p"), films["BT.709"], tmp_path / "two.ts")
    executed([one, full], "reencode", 2.0)
    stated, black, worst = shown(tmp_path / "out.mkv")
    assert (stated, len(black)) == ({"bt709"}, 50)
    assert worst <= 4


def test_pictures_of_no_matrix_that_turn_into_red_green_and_blue_are_of_bt601_and_so_is_a_file_beside_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    films = bare_films(tmp_path)
    clips.ffmpeg("-r", 25, "-i", films["none"], "-c", "copy", tmp_path / "beside.mp4")
    executed([tmp_path / "beside.mp4", as_one([films["none"], films["RGB"]], tmp_path / "two.ts")], "reencode", 3.0)
    stated, black, worst = shown(tmp_path / "out.mkv")
    assert (stated, len(black)) == ({"bt601"}, 75)
    assert worst <= 4


@pytest.mark.parametrize("end_s", [0.96, 1.0])
def test_what_a_release_states_does_not_depend_on_the_frame_behind_its_end(end_s, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    films = bare_films(tmp_path)
    executed([as_one([films["none"], films["BT.709"]], tmp_path / "one.ts")], "reencode", end_s)
    assert shown(tmp_path / "out.mkv")[0] == {"unknown"}


@pytest.mark.parametrize("states", [["YCgCo"], ["YCgCo", "full"], ["BT.709", "YCgCo"]])
def test_a_matrix_that_nobody_converts_is_named(states, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    films = bare_films(tmp_path)
    films["full"] = red(tmp_path / "full.h264", BT709, *H264, *metadata(matrix_coefficients=8), pixels="yuvj420p")
    one = as_one([films[state] for state in states], tmp_path / "one.ts")
    start_s = 1.2 if states[0] == "BT.709" else 0.0
    with pytest.raises(VideoError, match=r"one\.ts: its colours have matrix 8 \(YCgCo\), which nobody converts; export it in BT\.709"):
        executed([one], "reencode", float(len(states)), start_s)


def test_a_matrix_that_ffmpeg_knows_is_not_blamed_for_another_failure(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    film = red(tmp_path / "0.h264", BT601, *H264, *metadata(matrix_coefficients=0))
    made, refused = encode._encoding, SimpleNamespace(preset="nonsense", crf=14)
    monkeypatch.setattr(encode, "_encoding", lambda stream, target, steady, _: made(stream, target, steady, refused))
    with pytest.raises(VideoError, match="ffmpeg failed") as failed:
        executed([as_one([film, film], tmp_path / "one.ts")], "reencode", 2.0)
    assert "matrix" not in str(failed.value)


FILMS = {
    "stated late": (["late.ts"], False),
    "stated late, beside copies": (["unstated.mp4", "late.ts"], False),
    "stated early": (["early.ts"], True),
    "stated early, beside copies": (["stated.mp4", "early.ts"], True),
    "in another file": (["unstated.mp4", "stated.mp4"], False),
    "in the file before it": (["stated.mp4", "unstated.mp4"], True),
}


@pytest.mark.cases(8)
@pytest.mark.parametrize("mode", ["smart", "reencode"])
@pytest.mark.parametrize("films", list(FILMS))
@pytest.mark.parametrize(("size", "matrix"), [("64x578", BT709), ("96x64", BT601)])
def test_pictures_without_a_matrix_have_the_one_that_is_stated_beside_them_only_where_their_size_has_it(
    size, matrix, films, mode, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    bare = red(tmp_path / "unstated.h264", matrix, *H264, *NONE, size=size), red(tmp_path / "stated.h264", BT709, *H264, size=size)
    behind_each_other(*bare, tmp_path / "late.ts")
    behind_each_other(*reversed(bare), tmp_path / "early.ts")
    for path in bare:
        clips.ffmpeg("-r", 25, "-i", path, "-c", "copy", path.with_suffix(".mp4"))
    names, begins_stated = FILMS[films]
    if "early" in films and matrix == BT601:  # they would be taken for what was stated
        with pytest.raises(VideoError, match=r"early\.ts: its colours change at frame 25; export it"):
            executed([tmp_path / name for name in names], mode, 3.0)
        return
    executed([tmp_path / name for name in names], mode, 3.0)
    stated, _, worst = shown(tmp_path / "out.mkv")
    assert stated == {"bt709" if matrix == BT709 or begins_stated else "bt601"}
    assert worst <= 4


@pytest.mark.parametrize(("then", "pixels"), [(2, "yuvj420p"), (1, "yuv420p"), (6, "yuv420p")])
def test_a_film_whose_container_alone_knows_the_matrix_is_refused_only_where_it_states_another_later(then, pixels, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number, matrix in ((1, 2), (2, then)):
        film = red(tmp_path / f"film{number}.h264", BT709, *H264, pixels=pixels if number == 2 else "yuv420p")
        clips.ffmpeg("-i", film, "-c", "copy", *metadata(matrix_coefficients=matrix), tmp_path / f"{number}.h264")
    both = behind_each_other(tmp_path / "1.h264", tmp_path / "2.h264", tmp_path / "both.ts")
    clips.ffmpeg("-i", both, "-c", "copy", "-colorspace", "bt709", tmp_path / "a.mkv")
    if then == 6:
        with pytest.raises(VideoError, match="its colours change at frame 25; export it"):
            executed([tmp_path / "a.mkv"], "reencode")
        return
    stated, _, worst = rendered(tmp_path / "a.mkv", "reencode")
    assert stated == {"bt709"}
    assert worst <= 4


REBUILDS = b"[fc#0 @ 0x55bd] Reconfiguring filter graph because video parameters changed\n"
ENDED = {"ffmpeg failed: .* changed; look": (-9, REBUILDS), "ffmpeg failed: it is busy; look": (1, b"it is busy")}


@pytest.mark.parametrize("reason", ["frame 3 is not black where it is hidden", "ffmpeg did not finish within 120 s", *ENDED])
def test_a_film_that_fails_for_another_reason_is_not_blamed_for_its_colours(reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parts = red(tmp_path / "1.h264", BT601, *H264), red(tmp_path / "2.h264", BT709, *H264)
    both = behind_each_other(*parts, tmp_path / "both.ts")

    def refuse(*_: object) -> None:
        raise VideoError("r", reason, "look at it")

    if reason in ENDED:
        code, said = ENDED[reason]
        monkeypatch.setattr(program.subprocess, "run", lambda command, **_: CompletedProcess(command, code, b"", said))
    else:
        monkeypatch.setattr(*((rendering, "check_video") if "black" in reason else (program, "run")), refuse)
    with pytest.raises(VideoError, match=reason):
        executed([both], "reencode")


@pytest.mark.parametrize(("pixels", "believed"), [("yuv420p", True), ("gbrp", False), ("bgr0", False), ("pal8", False)])
def test_a_container_that_states_a_matrix_is_not_believed_of_red_green_and_blue(pixels, believed):
    assert Colours(2, 2, 2, 0).is_left_to(Colours(1, 1, 1, 1), pixels) is believed


@pytest.mark.parametrize("mode", ["smart", "reencode"])
@pytest.mark.parametrize("matrix", [0, 8, 10, 14])
def test_a_matrix_of_a_container_that_nobody_converts_is_not_believed(matrix, mode, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    red(tmp_path / "plain.mp4", BT601, *H264, *NONE)
    clips.ffmpeg("-i", tmp_path / "plain.mp4", "-c", "copy", "-colorspace", matrix, tmp_path / "a.mkv")
    assert executed([tmp_path / "a.mkv"], mode).mode == mode


def test_what_a_stream_states_of_primaries_and_transfer_stays_where_its_container_knows_the_matrix(tmp_path):
    stream = metadata(colour_primaries=1, transfer_characteristics=1, matrix_coefficients=2)
    red(tmp_path / "plain.mp4", BT709, *H264, *stream)
    more = ("-colorspace", "bt709", "-color_primaries", 9, "-color_trc", 2)
    clips.ffmpeg("-i", tmp_path / "plain.mp4", "-c", "copy", *more, tmp_path / "a.mkv")
    rendered(tmp_path / "a.mkv", "reencode")
    with av.open(str(tmp_path / "out.mkv")) as container:
        frame = next(container.decode(video=0))
        assert (frame.colorspace, frame.color_primaries, frame.color_trc) == (1, 1, 1)


def test_what_ffmpeg_says_of_a_change_is_heard_behind_how_far_it_came():
    said = "frame=  10 fps=0.0 size= 1KiB speed=1x    \r[fc#0 @ 0x55bd] Reconfiguring filter graph because display matrix changed\nend"
    assert program.REBUILT.findall(said) == [" display matrix changed"]


def test_what_is_encoded_beside_copies_states_what_their_frames_state_and_so_does_the_file(tmp_path):
    red(tmp_path / "plain.mp4", BT601, *H264)
    other = ("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-movflags", "+write_colr")
    clips.ffmpeg("-i", tmp_path / "plain.mp4", "-c", "copy", *other, tmp_path / "other.mov")
    stated, black, worst = rendered(tmp_path / "other.mov", "smart")
    assert stated == {"bt601"}
    assert black.count(True) == 2
    assert worst <= 4


@pytest.mark.parametrize("mode", ["smart", "reencode"])
def test_what_the_container_alone_knows_is_stated_by_every_frame(mode, tmp_path, capsys):
    path = red(tmp_path / "a.mkv", BT709, *H264, *NONE)
    stated, _, worst = rendered(path, mode)
    assert stated == {"bt709"}
    assert worst <= 4
    assert mode == "reencode" or "its pictures say that their colours are not known" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "pixels", "size", "matrix"),
    [("a.avi", "rgb24", "1280x16", "bt709"), ("a.mkv", "bgr0", "96x64", "bt601"), ("a.mkv", "gbrp", "16x576", "bt601")],
)
def test_the_matrix_that_was_chosen_for_red_green_and_blue_is_stated(name, pixels, size, matrix, tmp_path):
    codec = ("-c:v", "huffyuv" if name.endswith("avi") else "ffv1")
    stated, _, worst = rendered(red(tmp_path / name, None, *codec, pixels=pixels, size=size), "smart")
    assert stated == {matrix}
    assert worst <= 4


def executed(paths: list[Path], mode: str, end_s: float = 2.0, start_s: float = 0.0) -> Parts:
    """Render a span of files as one recording beside the first of them; frame 5 of it is hidden."""
    files = tuple(FilePart(path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in paths)
    params = RenderParams(mode=mode, crf=14, preset="fast", duration_jitter_s=0.0)
    hidden = (Redaction(start_s + 0.2, start_s + 0.24, None),)
    file = rendering.FileToRender("r", "c", Source(files), "T", "id", start_s, end_s, "25", False, hidden)
    known = rendering.prepare(paths[0].parent, file, params)
    return rendering.execute(known.files, paths[0].parent / "out.mkv", known.probe, known.plan, known.parts, params, "r")


PARTS = {
    "copied first": ("smart", (BT709, H264), (BT601, MPEG2)),
    "copied last": ("smart", (BT601, MPEG2), (BT709, H264)),
    "RGB beside copies": ("smart", (BT709, H264), (None, ("-c:v", "ffv1"))),
    "nothing copied": ("reencode", (BT709, MPEG2), (BT601, MPEG2)),
}


@pytest.mark.cases(2)
@pytest.mark.parametrize("way", list(PARTS))
def test_parts_of_other_colours_become_those_of_the_video(way, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mode, *parts = PARTS[way]
    paths = [
        red(tmp_path / f"raw/{number}.mkv", matrix, *codec, pixels="yuv420p" if matrix else "bgr0")
        for number, (matrix, codec) in enumerate(parts)
    ]
    done = executed(paths, mode)
    assert done.mode == mode
    stated, black, worst = shown(tmp_path / "raw/out.mkv")
    assert stated == {"bt709"}
    assert black == [frame == 5 for frame in range(50)]
    assert worst <= 4
