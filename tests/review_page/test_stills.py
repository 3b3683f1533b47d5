from __future__ import annotations

import os
import shutil
import threading
import time

import cv2
import numpy as np
import pytest

import clips
from scrubin.base.errors import VideoError
from scrubin.base.files import sha256_of
from scrubin.curate.page import stills as stills_module
from scrubin.curate.page.stills import Stills
from scrubin.media import frame_reader
from scrubin.media.decode import boundaries_s, decoded
from scrubin.media.frame_reader import FrameReader
from scrubin.media.probe import probe
from scrubin.media.source import Source
from scrubin.stages.screen import pass_over_file, reel
from scrubin.stages.screen.pass_over_file import observe_stored
from source_clips import SOURCES

LEFT, RIGHT = (1, "left"), (1, "right")


@pytest.fixture
def raw(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "raw"


def study(raw, **sources: str) -> Stills:
    files = {}
    for camera, source in sources.items():
        (raw / camera).mkdir(parents=True)
        path = SOURCES[source](raw / camera)
        files[1, camera] = Source.of_file(path.relative_to(raw).as_posix(), sha256_of(path))
    return Stills(raw, files)


def screen(stills: Stills, file) -> None:
    """What the stage screen does for the reel."""
    source = stills._files[file]
    path = stills._raw / source.path
    observe_stored(stills._raw, source, [reel.OBSERVER], boundaries_s(probe(path, "a"))[:-1])


def path_of(stills: Stills, file):
    return stills._raw / stills._files[file].path


def opened(jpeg: bytes) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).astype(np.int16)


def whole(path) -> list[np.ndarray]:
    return [np.ascontiguousarray(np.rot90(frame.to_ndarray(format="bgr24"), round(frame.rotation / 90))) for frame in decoded(path, "a")]


def nearest(picture: np.ndarray, frames: list[np.ndarray]) -> int:
    size = picture.shape[1::-1]
    return int(np.argmin([np.abs(cv2.resize(one, size, interpolation=cv2.INTER_AREA).astype(np.int16) - picture).mean() for one in frames]))


@pytest.mark.cases(3)
@pytest.mark.parametrize("screened", [False, True])
@pytest.mark.parametrize("source", ["mp4, open groups", "varying mkv", "MPEG-4 avi, B-frames", "rotated", "odd size"])
def test_a_sprite_holds_the_frames_in_the_order_asked_for_row_by_row(raw, source, screened):
    stills = study(raw, left=source)
    if screened:
        screen(stills, LEFT)
    frames = [30, 3, 44, 3, 12]
    expected = whole(path_of(stills, LEFT))
    height, width = 48, round(expected[0].shape[1] * 48 / expected[0].shape[0])
    sheet = opened(stills.sprite(LEFT, frames, height=48, columns=2))
    assert sheet.shape == (3 * height, 2 * width, 3)
    cells = [sheet[row * height : (row + 1) * height, column * width : (column + 1) * width] for row in range(3) for column in range(2)]
    assert [nearest(cell, expected) for cell in cells[:5]] == frames
    assert cells[5][8:, 8:].max() < 16  # JPEG halves the colours, so they run over the edge


@pytest.mark.cases(2)
@pytest.mark.parametrize("screened", [False, True])
@pytest.mark.parametrize("source", ["mp4", "MPEG-2 ps", "10 bit"])
def test_a_full_still_is_the_frame_itself(raw, source, screened):
    stills = study(raw, left=source)
    if screened:
        screen(stills, LEFT)
    expected = whole(path_of(stills, LEFT))
    for frame in (41, 7, 8):
        again = cv2.imdecode(cv2.imencode(".jpg", expected[frame], [cv2.IMWRITE_JPEG_QUALITY, 92])[1], cv2.IMREAD_COLOR)
        assert np.array_equal(opened(stills.full(LEFT, frame)), again)


def test_rectangles_are_black_as_released(raw):
    stills = study(raw, left="mp4")
    plain, hidden = opened(stills.full(LEFT, 20)), opened(stills.full(LEFT, 20, [(16, 16, 32, 16), (80, 48, 100, 100)]))
    assert hidden[24:28, 24:40].max() < 16
    assert hidden[56:, 88:].max() < 16
    assert np.array_equal(hidden[:8], plain[:8])
    assert opened(stills.full(LEFT, 20, [None])).max() == 0


def test_small_stills_come_from_the_reel_where_it_is_prepared(raw, monkeypatch):
    stills = study(raw, left="mp4")
    screen(stills, LEFT)
    monkeypatch.setattr(FrameReader, "picture", None)
    assert stills.prepared(LEFT) == 1.0
    assert opened(stills.sprite(LEFT, [1, 2, 3], 64, 3)).shape == (64, 3 * 96, 3)


def test_a_picture_that_is_not_that_of_its_number_is_counted_anew(raw, monkeypatch):
    stills = study(raw, left="mp4")
    screen(stills, LEFT)
    expected = opened(stills.full(LEFT, 40))
    for shift in (1, -2, 20):
        real = frame_reader._ByTime.frames_from

        def shifted(way, start, shift=shift, real=real):
            for number, frame in real(way, start):
                yield number + shift, frame

        with monkeypatch.context() as patched:
            patched.setattr(frame_reader._ByTime, "frames_from", shifted)
            other = Stills(raw, stills._files)
            assert np.array_equal(opened(other.full(LEFT, 40)), expected), shift


@pytest.mark.slow
def test_right_pictures_are_never_doubted(raw, monkeypatch):
    stills = study(raw, left="MPEG-4 avi", right="odd size")
    monkeypatch.setattr(FrameReader, "count_from_now_on", None)
    for file in (LEFT, RIGHT):
        screen(stills, file)
        for frame in range(0, 60, 3):
            stills.full(file, frame)


@pytest.mark.parametrize("screened", [False, True])
@pytest.mark.parametrize("change", ["replaced", "deleted"])
def test_a_file_that_changes_gives_no_more_pictures(raw, screened, change):
    stills = study(raw, left="mp4", right="mkv")
    if screened:
        screen(stills, LEFT)
    stills.sprite(LEFT, [4, 5], 64, 2)
    stills.full(LEFT, 5)
    if change == "deleted":
        path_of(stills, LEFT).unlink()
    else:
        clips.clip(raw / "other.mp4", seconds=2.4, source="testsrc").replace(path_of(stills, LEFT))
    reason = "it is not the file that was screened" if change == "replaced" else "the file is missing"
    for _ in range(2):
        with pytest.raises(VideoError, match=reason):
            stills.sprite(LEFT, [4], 64, 1)
        with pytest.raises(VideoError, match=reason):
            stills.full(LEFT, 5)
    stills.full(RIGHT, 5)


def test_a_file_that_was_only_touched_or_copied_is_the_same(raw):
    stills = study(raw, left="mp4")
    before = stills.full(LEFT, 5)
    shutil.copy(path_of(stills, LEFT), raw / "copy")
    (raw / "copy").replace(path_of(stills, LEFT))
    os.utime(path_of(stills, LEFT))
    assert stills.full(LEFT, 5) == before


def test_stills_come_up_to_where_a_file_cannot_be_decoded(raw):
    stills = study(raw, left="HEVC mp4")
    path = path_of(stills, LEFT)
    expected = whole(path)
    data = bytearray(path.read_bytes())
    behind = len(data) * 3 // 5  # the first frames are decoded by ingest
    data[behind : behind + 400] = bytes(400)
    path.write_bytes(data)
    stills = Stills(raw, {LEFT: Source.of_file(stills._files[LEFT].path, sha256_of(path))})
    stills.prepare_in_background()
    stills._preparation._thread.join()
    assert stills.prepared(LEFT) == 0.0
    assert [nearest(opened(stills.full(LEFT, frame)), expected) for frame in (23, 4, 24)] == [23, 4, 24]
    for ask in (lambda: stills.full(LEFT, 42), lambda: stills.sprite(LEFT, [4, 42], 64, 2)):
        with pytest.raises(VideoError, match=r"^left/a.mp4: (frame 4\d is damaged|it cannot be decoded after frame 4\d)"):
            ask()
    assert nearest(opened(stills.full(LEFT, 5)), expected) == 5


def test_reels_are_prepared_in_the_background_first_the_one_that_is_looked_at(raw, monkeypatch):
    stills = study(raw, left="mp4", right="mkv", mono="flv")
    prepared, wait = [], threading.Event()
    real = pass_over_file.observe_stored

    def noting(raw, source, *rest):
        prepared.append(source.path)
        assert wait.wait(120)
        return real(raw, source, *rest)

    monkeypatch.setattr(stills_module, "observe_stored", noting)
    assert [stills.prepared((1, camera)) for camera in ("left", "right", "mono")] == [0.0, 0.0, 0.0]
    stills.sprite(RIGHT, [2], 64, 1)
    stills.prepare_in_background()
    wait.set()
    while stills._preparation._thread.is_alive():
        time.sleep(0.01)
    assert [name.split("/")[0] for name in prepared] == ["right", "left", "mono"]
    assert [stills.prepared((1, camera)) for camera in ("left", "right", "mono")] == [1.0, 1.0, 1.0]
    stills.close()


def test_preparing_says_how_far_it_is_and_stops_when_it_is_told_to(raw, monkeypatch):
    stills = study(raw, left="mp4")
    reached, go_on = threading.Event(), threading.Event()

    def slow(self, number, frame) -> None:
        if number == 30:
            reached.set()
            assert go_on.wait(120)

    monkeypatch.setattr(reel._Encoding, "see", slow)
    stills.prepare_in_background()
    assert reached.wait(120)
    assert stills.prepared(LEFT) == 0.5
    threading.Timer(0.1, go_on.set).start()
    stills.close()
    assert not stills._preparation._thread.is_alive()
    assert reel.Reel.open("a", stills._files[LEFT].sha256) is None


def test_no_more_readers_are_open_than_a_pair_of_cameras_needs(raw):
    stills = study(raw, left="mp4", right="mkv", mono="flv")
    for camera in ("left", "right", "mono", "left"):
        stills.full((1, camera), 3)
    assert list(stills._readers) == [(1, "mono"), (1, "left")]
