from __future__ import annotations

import shutil
from dataclasses import replace
from types import SimpleNamespace

import av
import numpy as np
import pytest

import clips
from screen_params import SCREEN
from scrubin.base.errors import StageError, VideoError
from scrubin.base.files import sha256_of
from scrubin.media import source
from scrubin.media.containers.pieces import UnreadableError
from scrubin.media.decode import boundaries_s, decoded
from scrubin.media.probe import probe
from scrubin.media.source import Source
from scrubin.stages.screen import all_detectors, features, pass_over_file, screening
from scrubin.stages.screen.features import GROUPS, Thumbnailer
from scrubin.stages.screen.pass_over_file import Observed, Observer, observe_stored


def counting(name: str, calls: list[str], value: int = 0) -> Observer:
    """Counts frames, and notes every file that it begins."""

    class Counting:
        def __init__(self, times_s) -> None:
            calls.append(name)
            self.count = 0

        def see(self, number, decoded) -> None:
            assert number == self.count
            self.count += 1

        def finish(self) -> Observed:
            return Observed({"count": np.array([self.count], np.uint32)}, {"value": value})

    return Observer(name, pass_over_file.__name__, {"value": value}, Counting)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = clips.clip(tmp_path / "a.mkv", seconds=1.0)
    return path, sha256_of(path), boundaries_s(probe(path, "a.mkv"))[:-1]


def test_all_observers_share_one_decode_and_each_keeps_its_notes(file, monkeypatch):
    path, sha256, times_s = file
    passes = []
    monkeypatch.setattr(source, "decoded", lambda *given: passes.append(given) or decoded(*given))
    calls: list[str] = []
    both = [counting("one", calls), counting("two", calls)]
    first = observe_stored(path.parent, Source.of_file(path.name, sha256), both, times_s)
    assert [int(first[name].arrays["count"][0]) for name in ("one", "two")] == [25, 25]
    again = observe_stored(path.parent, Source.of_file(path.name, sha256), both, times_s)
    assert (len(passes), calls) == (1, ["one", "two"])
    assert again["two"].value == {"value": 0}
    observe_stored(path.parent, Source.of_file(path.name, sha256), [both[0], counting("two", calls, value=7)], times_s)
    assert (len(passes), calls) == (2, ["one", "two", "two"])


def test_a_broken_file_is_decoded_once_and_named_each_time(file):
    path, _, times_s = file
    path.write_bytes(path.read_bytes()[:3000])
    calls: list[str] = []
    shutil.copy2(path, path.with_name("b.mkv"))
    for name in ("a.mkv", "b.mkv"):
        with pytest.raises(VideoError, match=name):
            observe_stored(path.parent, Source.of_file(name, sha256_of(path)), [counting("one", calls)], times_s)
    assert calls == ["one"]


def test_a_file_for_which_memory_was_short_is_looked_at_again(file):
    path, sha256, times_s = file
    calls: list[str] = []

    def short(_):
        calls.append("begun")
        try:
            raise UnreadableError("its raw stream cannot be timed", "export it") from MemoryError()
        except UnreadableError as error:
            raise VideoError("a.mkv", error.reason, error.fix) from error

    for _ in range(2):
        with pytest.raises(VideoError, match="cannot be timed"):
            observe_stored(path.parent, Source.of_file(path.name, sha256), [replace(counting("one", []), start=short)], times_s)
    assert len(calls) == 2


def test_a_disk_that_is_full_of_notes_is_named(file, small_disk):
    path, sha256, times_s = file
    whole = replace(counting("one", []), start=lambda _: SimpleNamespace(see=lambda *_: None, finish=lambda: noted))
    noted = Observed({"reel": np.arange(100_000, dtype=np.uint32)})
    with small_disk(20_000), pytest.raises(StageError, match=r"store: cannot be written \(File too large\); make room on its disk"):
        observe_stored(path.parent, Source.of_file(path.name, sha256), [whole], times_s)
    kept = observe_stored(path.parent, Source.of_file(path.name, sha256), [whole], times_s)
    assert (kept["one"].arrays["reel"] == noted.arrays["reel"]).all()


def test_changing_a_limit_decodes_nothing_and_changing_the_thumbnail_only_that(file):
    keys = {}
    for name, params in {
        "as is": SCREEN,
        "limit": replace(SCREEN, outside_score=0.9, frozen_s=9.0),
        "size": replace(SCREEN, thumbnail_height=48),
    }.items():
        keys[name] = {one.name: pass_over_file._key(one, "0" * 64) for one in all_detectors.observers(params)}
    assert keys["limit"] == keys["as is"]
    assert {name for name in keys["size"] if keys["size"][name] != keys["as is"][name]} == {"features"}


def test_the_times_are_the_nearest_to_the_exact_ones():
    for name in clips.REAL:
        found = probe(clips.REAL[name], name)
        assert boundaries_s(found).tolist() == [float(time) for time in (*found.times_s, found.end_s)]


@pytest.mark.parametrize("pixels", ["yuv420p", "yuvj420p", "yuv422p", "yuv444p", "yuv420p10le", "gray", "rgb24", "nv12"])
def test_thumbnails_of_every_pixel_format_show_the_same_colours_in_full_range(pixels):
    picture = np.zeros((90, 160, 3), np.uint8)
    picture[:, :80], picture[:45, 80:], picture[45:, 80:] = (255, 255, 255), (200, 40, 40), (0, 0, 0)
    frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format=pixels)
    seen = Thumbnailer(36).of(frame)
    assert seen.y.shape == seen.u.shape == (36, 64)
    assert int(seen.y[18, 10]) >= 252
    assert int(seen.y[30, 50]) <= 3
    if pixels != "gray":
        assert int(seen.v[9, 50]) > 180
        assert abs(int(seen.u[18, 10]) - 128) <= 2


def test_a_thumbnail_that_is_wider_than_a_colour_plane_still_has_its_size():
    frame = av.VideoFrame.from_ndarray(np.full((20, 24, 3), 90, np.uint8), format="rgb24").reformat(format="yuv420p")
    assert Thumbnailer(36).of(frame).u.shape == (36, 43)


def test_large_thumbnails_are_counted_without_overflow(tmp_path):
    path = clips.film(tmp_path / "a.mkv", [np.full((256, 512, 3), 255, np.uint8)] * 3, 25)
    observed = pass_over_file.observe(path, "a", [features.observer(256)], np.arange(3) / 25)
    histograms = features.features(observed["features"]).histograms
    assert [int(histograms[0, group].sum()) for group in GROUPS] == [256 * 512, 256 * 512, 256 * 511]


def test_screening_twice_gives_the_same_rows_and_the_same_file_by_hand(file):
    path, sha256, _ = file
    file_ = screening.FileToScreen("r", "mono", Source.of_file(path.name, sha256), "task")
    rows = [screening.screen(path.parent, file_, SCREEN) for _ in range(2)]
    assert rows[0] == rows[1]
    by_hand = screening.proposals(path, SCREEN)
    assert [(row["kind"], row["start_s"], row["end_s"], row["score"]) for row in rows[0]] == [
        (one.kind, *one.interval_s, one.score) for one in by_hand
    ]
