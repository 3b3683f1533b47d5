"""Both cameras in one picture: each is released as a video of its own, frame for frame."""

from __future__ import annotations

import numpy as np
import pytest

import clips
from scrubin.base.errors import VideoError
from scrubin.base.tables.io import records
from scrubin.media.decode import decoded
from scrubin.media.source import View, sources
from scrubin.stages.ingest import joining
from scrubin.stages.ingest.manifest import ClockParams, ManifestRow
from scrubin.stages.render import RenderParams, rendering
from scrubin.stages.render.plan import Redaction
from scrubin.stages.render.rendering import FileToRender

NO_CLOCK = ClockParams("", "none")
LEFT, RIGHT = View(0, 0, 96, 64), View(96, 0, 96, 64)
BELOW = View(0, 64, 192, 64)


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    (folder / "videos").mkdir()
    for part in (1, 2):
        noise = f"testsrc2=d=2:s=192x128:r=25,hue=h={90 * part}+20*t"
        clips.ffmpeg("-f", "lavfi", "-i", noise, "-c:v", "libx264", "-crf", "10", "-pix_fmt", "yuv420p", folder / f"videos/{part}.mp4")
    return folder


def read(raw, view: View | None, *parts: int) -> joining.Joined:
    rows = tuple(ManifestRow(n, "r", "p", "", "", "T", "left", f"videos/{n}.mp4", None, None, "", n, view=view) for n in parts)
    return joining.read(raw, joining.CameraRecording(rows), NO_CLOCK)


def whole(raw, *parts: int) -> list[np.ndarray]:
    return [frame.to_ndarray(format="bgr24") for n in parts for frame in decoded(raw / f"videos/{n}.mp4", "x")]


@pytest.mark.slow
@pytest.mark.parametrize("view", [LEFT, RIGHT, BELOW])
def test_every_way_of_reading_sees_the_view_and_nothing_else(raw, view):
    source = read(raw, view, 1, 2).source
    expected = [picture[view.y : view.y + view.h, view.x : view.x + view.w] for picture in whole(raw, 1, 2)]
    assert (source.probe(raw).width, source.probe(raw).height) == (view.w, view.h)
    frames = list(source.decoded(raw))
    assert len(frames) == len(expected) == 100
    assert all(np.array_equal(frame.to_ndarray(format="bgr24"), picture) for frame, picture in zip(frames, expected, strict=True))
    reader = source.reader(raw)
    assert all(np.array_equal(reader.picture(number), expected[number]) for number in (0, 30, 49, 50, 99, 7))
    reader.close()


@pytest.mark.cases(1)
@pytest.mark.parametrize("view", [LEFT, RIGHT, BELOW])
def test_the_released_video_is_the_view(raw, view, tmp_path):
    source = read(raw, view, 1).source
    file = FileToRender(
        "r", "left", source, "T", "id", 0.4, 1.6, "25", False, (Redaction(1.0, 1.2, None), Redaction(0.4, 1.6, (0, 0, 16, 16)))
    )
    done = rendering.render(raw, file, RenderParams("smart", 12, "ultrafast", 0.0))
    assert (done.mode, done.why) == ("reencode", "its picture holds the views of several cameras")
    released = [frame.to_ndarray(format="bgr24") for frame in decoded(done.entry.folder / rendering.FILE_NAME, "r")]
    expected = [picture[view.y : view.y + view.h, view.x : view.x + view.w].astype(int) for picture in whole(raw, 1)[10:40]]
    assert len(released) == 30
    for number, (picture, wanted) in enumerate(zip(released, expected, strict=True)):
        assert picture.shape == wanted.shape
        if 15 <= number < 20:
            assert picture.max() < 6
        else:
            assert picture[:16, :16].max() < 6
            assert np.abs(picture[24:] - wanted[24:]).mean() < 6


def test_the_views_of_one_file_are_two_recordings_for_whoever_keeps_results(raw):
    one, other, all_of_it = (read(raw, view, 1).source for view in (LEFT, RIGHT, None))
    assert len({one.sha256, other.sha256, all_of_it.sha256, all_of_it.parts[0].sha256}) == 3


def test_the_table_of_parts_keeps_the_view(raw):
    joined = read(raw, RIGHT, 1, 2)
    table = joining.parts_table([joined])
    assert [row["x"] for row in records(table)] == [96, 96]
    assert sources(table) == {("r", "left"): joined.source}
    assert sources(joining.parts_table([read(raw, None, 1)]))["r", "left"].view is None


@pytest.mark.parametrize(
    ("view", "says"),
    [
        (View(100, 0, 96, 64), "its picture is 192x128, the view 96x64 at 100,0 does not lie in it; correct the rectangle"),
        (View(0, 0, 95, 64), "the view 95x64 at 0,0 has odd numbers"),
        (View(0, 0, 8, 64), "the view 8x64 at 0,0 is smaller than 16 px"),
    ],
)
def test_a_view_that_cannot_be_is_named(raw, view, says):
    with pytest.raises(VideoError, match=says):
        read(raw, view, 1)
