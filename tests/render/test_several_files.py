"""Recordings that the recorder cut into files: every released frame is the right one, across all seams."""

from __future__ import annotations

from fractions import Fraction

import av
import numpy as np
import pandas as pd
import pytest

import clips
from coded_films import FPS, film, numbers_of
from scrubin.base.errors import VideoError
from scrubin.base.files import sha256_of
from scrubin.base.tables import io
from scrubin.base.tables.public import GAPS
from scrubin.stages.frames import frame_store
from scrubin.stages.frames.frame_params import FramesParams
from scrubin.stages.ingest import joining
from scrubin.stages.ingest.manifest import ClockParams, ManifestRow
from scrubin.stages.render import RenderParams, rendering, tables
from scrubin.stages.render.plan import Redaction
from scrubin.stages.render.rendering import FileToRender

NO_CLOCK = ClockParams("", "none")
PARAMS = RenderParams("smart", 18, "ultrafast", 0.0)
FRAMES_PARAMS = FramesParams(fps=Fraction(1), format="jpg", quality=90, height=None, shards="none")


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def joined(raw, paths, clock=NO_CLOCK) -> joining.Joined:
    rows = tuple(
        ManifestRow(n, "r", "p", "", "", "T", "mono", path.relative_to(raw).as_posix(), None, None, "", n)
        for n, path in enumerate(paths, start=1)
    )
    return joining.read(raw, joining.CameraRecording(rows), clock)


def rendered(raw, source, start_s, end_s, redactions=(), params=PARAMS):
    file = FileToRender("r", "mono", source, "T", "id", start_s, end_s, "25", False, tuple(redactions))
    done = rendering.render(raw, file, params)
    return done, numbers_of(done.entry.folder / rendering.FILE_NAME)


def expected(numbers, start_s, end_s, hidden=()):
    kept = [(place, number) for place, number in enumerate(numbers) if start_s <= place / FPS < end_s]
    return [None if any(a <= place / FPS < b for a, b in hidden) else number for place, number in kept]


WAYS = {
    "copies of one recorder": [("1.mp4", {}), ("2.mp4", {}), ("3.mp4", {})],
    "a clock that goes on": [("1.ts", {}), ("2.ts", {"start": 60}), ("3.ts", {"start": 120})],
    "other parameter sets": [("1.mp4", {}), ("2.mp4", {"profile": "baseline", "bf": "0", "coder": "0"}), ("3.mp4", {})],
    "another codec in the middle": [("1.mp4", {}), ("2.ts", {"codec": "mpeg2video"}), ("3.mkv", {})],
    "another codec first": [("1.avi", {"codec": "mpeg4"}), ("2.mp4", {}), ("3.mp4", {})],
    "nothing that can be copied": [("1.avi", {"codec": "mpeg4"}), ("2.ts", {"codec": "mpeg2video"}), ("3.avi", {"codec": "mpeg4"})],
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_every_released_frame_is_the_right_one_across_seams(way, tmp_path):
    raw = tmp_path / "raw"
    paths = [film(raw / "videos" / name, range(60 * n, 60 * (n + 1)), **options) for n, (name, options) in enumerate(WAYS[way])]
    source = joined(raw, paths).source
    assert source.probe(raw).frame_count == 180
    hidden = [(2.2, 2.6), (4.72, 4.8)]
    done, numbers = rendered(raw, source, 0.52, 6.48, [Redaction(a, b, None) for a, b in hidden])
    assert numbers == expected(range(180), 0.52, 6.48, hidden)
    assert done.mode == ("reencode" if way == "nothing that can be copied" else "smart")
    if done.mode == "smart":
        assert done.copied_frames >= 40


def test_parts_of_one_recorder_are_copied_across_seams(tmp_path):
    raw = tmp_path / "raw"
    paths = [film(raw / f"videos/{n}.mp4", range(60 * n, 60 * (n + 1))) for n in range(3)]
    done, numbers = rendered(raw, joined(raw, paths).source, 0.0, 7.2)
    assert (done.copied_frames, numbers) == (180, list(range(180)))


@pytest.mark.parametrize("doubled", [1, 7, 25])
def test_frames_that_stand_in_two_files_are_released_once(doubled, tmp_path):
    raw = tmp_path / "raw"
    second = film(raw / "videos/2.mp4", range(60 - doubled, 120), crf="26", preset="veryfast")
    read = joined(raw, [film(raw / "videos/1.mp4", range(60)), second])
    assert [part["first_frame"] for part in read.parts] == [0, doubled]
    _, numbers = rendered(raw, read.source, 1.0, 4.0)
    assert numbers == list(range(25, 100))


def test_a_still_scene_loses_no_frame(tmp_path):
    raw = tmp_path / "raw"
    read = joined(raw, [film(raw / "videos/1.mp4", [7] * 40), film(raw / "videos/2.mp4", [7] * 40)])
    assert [part["frame_count"] for part in read.parts] == [40, 40]


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """A raw folder and three films of two seconds; by the clock of the recorder six seconds are missing before the last."""
    raw = tmp_path_factory.mktemp("raw")
    return raw, [film(raw / f"videos/op_2024013114{at}.mp4", range(50 * n, 50 * (n + 1))) for n, at in enumerate(("0500", "0502", "0510"))]


CLOCK = ClockParams("%Y%m%d%H%M%S", "file_name")


def test_what_the_recorders_clock_says_is_missing_stays_missing(interrupted):
    raw, paths = interrupted
    read = joined(raw, paths, CLOCK)
    assert [part["gap_s"] for part in read.parts] == ["0", "0", "6"]
    assert (float(read.media.end_s), read.media.variable_rate) == (12.0, True)
    # The last frame before the gap is on screen until it ends.
    _, numbers = rendered(raw, read.source, 1.0, 11.0, [Redaction(5.0, 5.1, None)])
    assert numbers == [*range(25, 99), None, *range(100, 125)]
    with pytest.raises(VideoError, match="its name holds no time"):
        joined(raw, paths, ClockParams("%d.%m.%Y", "file_name"))
    with pytest.raises(VideoError, match="by its clock it began 2 s before"):
        joined(raw, [paths[1], paths[0]], CLOCK)


def test_a_gap_stands_in_a_table_and_nothing_is_extracted_from_it(interrupted):
    raw, paths = interrupted
    read = joined(raw, paths, CLOCK)
    done, _ = rendered(raw, read.source, 1.0, 11.0)
    rows = tables.gap_rows([done], joining.parts_table([read]))
    assert rows == [{"id": "id", "camera": "mono", "last_frame": 74, "gap_s": 6.0}]
    path = done.entry.folder / rendering.FILE_NAME
    video = frame_store.ReleasedVideo("id", "T", "mono", path.name, sha256_of(path))
    gaps = frame_store.frames_after_gaps(io.frame_of(GAPS, rows))
    extracted = frame_store.extract_stored(path.parent, video, FRAMES_PARAMS, {}, gaps)
    assert [row["frame"] for row in extracted.rows if row["dropped"]] == [3, 4, 5, 6, 7, 8]
    assert [row["source_frame"] for row in extracted.rows if not row["dropped"]] == [0, 25, 50, 75]


@pytest.mark.parametrize(("start_s", "end_s"), [(0.0, 4.0), (10.0, 11.0)])
def test_a_gap_at_the_edge_of_what_is_kept_is_none(start_s, end_s, interrupted):
    raw, paths = interrupted
    read = joined(raw, paths, CLOCK)
    done, _ = rendered(raw, read.source, start_s, end_s)
    assert tables.gap_rows([done], joining.parts_table([read])) == []


def test_any_frame_of_several_files_is_read_by_its_number(tmp_path):
    raw = tmp_path / "raw"
    paths = [film(raw / "videos/1.mp4", range(50)), film(raw / "videos/2.avi", range(45, 90), codec="mpeg4")]
    source = joined(raw, paths).source
    reader, frames = source.reader(raw), [frame.to_ndarray(format="bgr24") for frame in source.decoded(raw)]
    assert len(frames) == 90
    for number in (0, 49, 50, 89, 3):
        assert np.array_equal(reader.picture(number), frames[number])
    with pytest.raises(ValueError, match="has frames 0 to 89, not 90"):
        reader.picture(90)
    reader.close()


RANGES = {
    "full range in the middle": ("yuv420p", (1,), "yuvj420p"),
    "full range first": ("yuv420p", (0,), "yuvj422p"),
    "copied pictures of full range": ("yuvj420p", (2,), "yuvj422p"),
    "the other one of limited range": ("yuvj420p", (1,), "yuv420p"),
    "nothing that can be copied": ("yuv420p", (0, 1, 2), "yuvj420p"),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", [next(iter(RANGES)), *(pytest.param(way, marks=pytest.mark.slow) for way in list(RANGES)[1:])])
def test_a_part_of_another_range_keeps_its_brightness(way, tmp_path):
    raw = tmp_path / "raw"
    pixels, others, other_pixels = RANGES[way]
    paths = []
    for n in range(3):
        plain, suffix = film(tmp_path / f"{n}.mkv", range(30 * n, 30 * (n + 1)), crf="12"), "mp4"
        options = ("-c:v", "libx264", "-crf", 12, "-g", 20, "-pix_fmt", pixels)
        if n in others:
            mjpeg, suffix = other_pixels.startswith("yuvj"), "mov"
            options = ("-c:v", "mjpeg" if mjpeg else "mpeg2video", "-q:v", 2, "-pix_fmt", other_pixels)
        paths.append(raw / f"videos/{n}.{suffix}")
        paths[-1].parent.mkdir(parents=True, exist_ok=True)
        clips.ffmpeg("-i", plain, *options, paths[-1])
    source = joined(raw, paths).source
    done, numbers = rendered(raw, source, 0.0, 3.6, [Redaction(1.4, 1.48, None)])
    assert numbers == expected(range(90), 0.0, 3.6, [(1.4, 1.48)])
    assert done.mode == ("reencode" if len(others) == 3 else "smart")
    with av.open(str(done.entry.folder / rendering.FILE_NAME)) as video:
        for frame, own in zip(video.decode(video=0), source.decoded(raw), strict=True):
            shown, wanted = (one.to_ndarray(format="rgb24").astype(int) for one in (frame, own))
            assert shown.max() == 0 or (abs(shown.mean() - wanted.mean()) < 2 and abs(shown.max() - wanted.max()) < 9)


def test_what_is_kept_and_not_in_quarantine_is_rendered_with_all_that_was_accepted_to_be_hidden():
    of = pd.DataFrame({"recording": ["a", "a", "b", "c"], "camera": ["left", "right", "mono", "mono"]})
    rates = ["25", "24", "25", "25"]  # of a pair the average of rates that vary
    times = {"start_s": 0.0, "end_s": 2.0, "fps": rates, "variable_rate": True}
    recordings = of.assign(task="T", status=["kept", "kept", "kept", "excluded"], **times)
    parts = of.assign(part=1, path=of.camera + ".mkv", sha256=of.camera, first_frame=0, gap_s="0", x=None)
    linkage = pd.DataFrame({"recording": ["a", "b", "c"], "id": ["gaelo", "bivu", "domi"], "draw": 2**62})
    spans = pd.DataFrame({"start_s": [0.5, 1.0], "end_s": [0.75, 1.5], "accepted": [True, False]})
    redactions = of[of.camera != "right"].merge(spans, how="cross").assign(x=None, y=None, w=None, h=None)
    left, right = rendering.to_render(recordings, parts, linkage, redactions, ["b"], 0.5)
    assert (left.id, left.redactions, right.redactions) == ("gaelo", (Redaction(0.5, 0.75, None),), ())
    assert (left.partner, right.partner, left.end_s) == (right.source, left.source, right.end_s)
