from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clips
import review_study
from screen_params import SCREEN
from scrubin.base.files import sha256_of
from scrubin.base.tables import io
from scrubin.base.tables.private import PARTS, PROPOSALS, RECORDINGS, STOPS
from scrubin.media import source
from scrubin.media.source import Source
from scrubin.stages.review import study
from scrubin.stages.screen import screening
from scrubin.stages.screen.proposals import SAME_S
from scrubin.stages.screen.unlikeness import EVERY_S, stops

FPS = 25


def film(*scenes):
    """Histograms and times of scenes: which picture, and for how many frames; a picture is one cell of each group."""
    rng = np.random.default_rng(3)
    rows = []
    for picture, frames in scenes:
        row = np.zeros(88)
        row[[picture, 64 + picture, 80 + picture % 8]] = 900
        rows += [row + rng.integers(0, 4, 88) for _ in range(frames)]
    return np.array(rows).astype(np.uint16), np.arange(len(rows)) / FPS


def of(*scenes, **trims):
    histograms, times_s = film(*scenes)
    return [(one.frame, one.kind) for one in stops(histograms, times_s, **trims)]


def test_every_scene_has_a_still_and_one_that_comes_again_soon_needs_no_second():
    found = of((1, 100), (2, 100), (1, 100))
    assert [kind for _, kind in found] == ["scene", "scene"]
    assert 0 <= found[0][0] < 100 <= found[1][0] < 200


def test_a_long_scene_has_one_every_five_minutes():
    assert len(of((1, 11 * 60 * FPS))) == 3


@pytest.mark.parametrize(("first", "frames", "kinds"), [(130, 15, ["scene", "jump"]), (120, 15, ["scene"]), (130, 1, ["scene", "jump"])])
def test_what_lies_between_two_jumps_and_has_no_still_of_its_second_gets_one(first, frames, kinds):
    found = of((1, first), (2, frames), (1, 200))
    assert [kind for _, kind in found] == kinds
    if "jump" in kinds:
        (frame,) = [frame for frame, kind in found if kind == "jump"]
        assert first <= frame < first + frames


def faded(first, shares):
    """A scene, and a picture that fades in and out over it: of each frame from ``first`` on, how much of it is there."""
    (own, times_s), (other, _) = film((1, 400)), film((2, 400))
    histograms = own.astype(float)
    for number, share in enumerate(shares):
        histograms[first + number] = (1 - share) * own[first + number] + share * other[first + number]
    return histograms.astype(np.uint16), times_s


@pytest.mark.slow
@given(first=st.integers(26, 300), rise=st.integers(1, 8), stay=st.integers(1, 12), fall=st.integers(1, 8))
def test_what_comes_and_goes_is_on_the_screen_however_it_comes(first, rise, stay, fall):
    shares = [*np.linspace(0, 1, rise, endpoint=False), *[1.0] * stay, *np.linspace(1, 0, fall, endpoint=False)]
    histograms, times_s = faded(first, shares)
    shown = {*range(0, 400, FPS), *(one.frame for one in stops(histograms, times_s))}
    assert shown & {first + number for number, share in enumerate(shares) if share > 0.3}


def test_a_restless_scene_does_not_make_every_second_a_stop():
    rng = np.random.default_rng(5)
    histograms, times_s = film((1, 1000))
    # Each frame has some of another picture: stills and what lies between them are unlike each other alike.
    for number, share in enumerate(np.repeat(rng.uniform(0, 1, 200), 5)):
        histograms[number, 2] += int(share * 900)
        histograms[number, 66] += int(share * 900)
    assert [one.kind for one in stops(histograms, times_s)].count("jump") <= 8


def test_a_film_of_one_frame_and_one_of_none_are_no_trouble():
    assert [kind for _, kind in of((1, 1))] == ["scene"]
    assert of() == []


@pytest.mark.parametrize(("start_s", "frame"), [(0.0, 13), (0.4, 13), (0.52, 13), (0.56, 27), (1.5, 51), (7.0, 188)])
def test_a_recording_trimmed_at_the_start_has_its_stop_in_what_is_kept_and_keeps_that_where_it_can(start_s, frame):
    assert of((1, 17 * FPS), kept_s=(start_s, 17.0)) == [(frame, "scene")]


def test_a_trim_of_which_one_frame_is_left_has_that_and_one_of_which_none_is_left_has_nothing():
    assert of((1, 400), kept_s=(15.96, 16.0)) == [(399, "scene")]
    assert of((1, 400), kept_s=(5.001, 5.03)) == []


def test_a_trim_moves_no_stop_that_is_kept():
    scenes = [(number % 5 + 1, frames) for number, frames in enumerate((200, 15, 330, 26, 400, 900, 7, 60))]
    whole = of(*scenes)
    for start_s in np.arange(0, 60, 1.3):
        kept = [one for one in whole if start_s * FPS <= one[0] < 1700]
        assert set(kept) <= set(of(*scenes, kept_s=(start_s, 1700 / FPS)))


def test_what_looks_like_a_scene_whose_stop_was_trimmed_away_has_its_own():
    scenes = (1, 200), (2, 100), (1, 200)
    assert of(*scenes) == [(13, "scene"), (213, "scene")]
    assert of(*scenes, kept_s=(9.0, 20.0)) == [(238, "scene"), (313, "scene")]


def test_where_footage_is_missing_both_sides_of_it_have_a_stop():
    histograms, times_s = film((1, 5 * FPS))
    times_s[5:] += 400.0
    assert [one.frame for one in stops(histograms, times_s)] == [2, 5]
    assert [one.frame for one in stops(histograms, times_s, kept_s=(0.1, 500.0))] == [4, 5]


def test_the_rest_of_a_scene_at_an_end_has_a_stop_of_its_own():
    assert of((1, 200), (2, 200), kept_s=(7.8, 16.0)) == [(197, "scene"), (213, "scene")]
    assert of((1, 200), (2, 200), kept_s=(0.0, 8.08)) == [(13, "scene"), (201, "scene")]


def test_of_a_flash_the_part_that_is_kept_has_a_still_or_a_stop():
    scenes = (1, 120), (2, 15), (1, 200)
    # The still of the flash, its frame at 5 s, is trimmed away, and the second begins with the first frame that is kept.
    assert of(*scenes, kept_s=(5.04, 13.0)) == [(148, "scene")]
    # The last second shows the last frame that is kept, and not that at 5 s.
    assert of(*scenes, kept_s=(0.0, 5.84)) == [(13, "scene"), (127, "jump")]
    assert of((1, 130), (2, 15), (1, 200), kept_s=(0.0, 5.56)) == [(13, "scene"), (137, "jump")]


def test_a_fade_that_the_sheet_shows_only_while_a_later_second_is_kept_is_a_stop_without_it():
    histograms, times_s = faded(247, [0.1, 0.2, 0.3, 0.4, 0.3, 0.2, 0.1])
    assert [one.frame for one in stops(histograms, times_s, kept_s=(0.0, 12.0))] == [13]
    # Of the last second the sheet shows the last frame, and not the first one.
    assert [one.frame for one in stops(histograms, times_s, kept_s=(0.0, 10.4))] == [13, 249, 250]


def test_the_half_of_a_scene_that_is_shown_has_a_stop_and_a_hidden_one_keeps_its_own():
    assert of((1, 400), hidden_s=[(0.0, 6.0)]) == [(13, "scene"), (163, "scene")]
    assert of((1, 400), hidden_s=[(0.2, 6.0), (9.0, 12.0)]) == [(13, "scene"), (313, "scene")]
    # What hides all is rejected, or nothing is shown.
    assert of((1, 400), hidden_s=[(0.0, 16.0)]) == [(13, "scene")]
    assert of((1, 400), hidden_s=[(0.0, 16.0), (0.0, 6.0)]) == [(13, "scene"), (163, "scene")]
    assert of((1, 400), (2, 100), hidden_s=[(16.0, 20.0)]) == [(13, "scene"), (413, "scene")]


@pytest.fixture
def pair(tmp_path, monkeypatch):
    """A pair of cameras of one scene each, 3 s long: the folder of the study, and the rows of its table of recordings."""
    monkeypatch.chdir(tmp_path)
    rows = []
    for number, camera in enumerate(("left", "right")):
        row = review_study.recording(tmp_path, number, "pair", camera, 75, FPS)
        path = clips.clip(tmp_path / "data/raw" / str(row["path"]), seconds=3.0, source="testsrc" if number else "testsrc2")
        rows.append({**row, "sha256": sha256_of(path)})
    return tmp_path, rows


def screened(folder, rows, **trims):
    """Write the tables of a study that is trimmed so; return the stops that its review asks for of each camera."""
    review_study.write_recordings(folder, [{**row, **trims} for row in rows])
    tables = {table.name: io.read(table, folder / f"data/interim/{table.name}.parquet") for table in (RECORDINGS, PARTS)}
    files = screening.to_screen(tables["recordings"], tables["parts"])
    found = [screening.rows(folder / "data/raw", file, replace(SCREEN, detectors=("black",))) for file in files]
    stops_of_all = io.frame_of(STOPS, [row for _, rows in found for row in rows])
    asked = study.of_tables(*tables.values(), io.frame_of(PROPOSALS, []), stops_of_all, (), 1, 0.0, b"recording\n").stops
    assert len(stops_of_all) == sum(map(len, asked.values()))
    return [[(one.frame, one.kind) for one in of_file] for of_file in asked.values()]


def test_the_review_asks_for_a_still_of_what_is_kept_of_each_camera_and_another_trim_decodes_nothing(pair, monkeypatch):
    assert screened(*pair) == [[(13, "scene")]] * 2
    monkeypatch.setattr(source, "decoded", lambda *_: pytest.fail("it was decoded again"))
    assert screened(*pair, start_s=0.4, end_s=2.0) == [[(13, "scene")]] * 2
    assert screened(*pair, start_s=1.5, end_s=3.0) == [[(51, "scene")]] * 2
    # A trim that was read off a player is rounded: it keeps the last frame, at 2.96 s.
    assert screened(*pair, start_s=2.9600005, end_s=3.0) == [[(74, "scene")]] * 2


def test_what_is_in_doubt_leaves_the_shown_half_of_a_scene_its_stop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = clips.clip(tmp_path / "a.mkv", seconds=3.0)
    file = screening.FileToScreen("r", "mono", Source.of_file(path.name, sha256_of(path)), "T", ((0, 24),))
    _, found = screening.rows(tmp_path, file, replace(SCREEN, detectors=("black",)))
    assert [(row["frame"], row["kind"]) for row in found] == [(13, "scene"), (38, "scene")]


SLOW_FPS = 4


@given(
    scenes=st.lists(st.tuples(st.integers(1, 4), st.integers(SLOW_FPS + 1, 700 * SLOW_FPS)), min_size=1, max_size=6),
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    gap_s=st.sampled_from([0.0, 0.0, 40.0, 500.0]),
    hidden=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=2),
)
@settings(max_examples=40)
def test_every_second_that_is_kept_is_of_a_scene_that_has_a_stop_there_or_looks_like_one_of_five_minutes_before(
    scenes, ends, gap_s, hidden
):
    histograms, _ = film(*scenes)
    pictures = np.repeat([picture for picture, _ in scenes], [frames for _, frames in scenes])
    times_s = np.arange(len(pictures)) / SLOW_FPS
    # What is missing between two files of a recording.
    times_s[len(times_s) // 3 :] += gap_s
    kept_s = tuple(sorted(share * (times_s[-1] + 1) for share in ends))
    hidden_s = [tuple(sorted(share * times_s[-1] for share in span)) for span in hidden]
    kept = (times_s >= kept_s[0] - SAME_S) & (times_s < kept_s[1] - SAME_S)
    shown = kept.copy()
    for start_s, end_s in hidden_s:
        hides = (np.append(times_s[1:], np.inf) > start_s + SAME_S) & (times_s < end_s - SAME_S)
        shown &= ~hides | hides[kept].all()
    found = np.array([one.frame for one in stops(histograms, times_s, kept_s, hidden_s) if one.kind == "scene"], dtype=np.int64)
    assert kept[found].all()
    for first, end in pairwise([0, *(np.flatnonzero(np.diff(pictures)) + 1), len(pictures)]):
        for begins_s in np.arange(times_s[first], times_s[end - 1] + 1 / SLOW_FPS, EVERY_S):
            part = first + np.flatnonzero((times_s[first:end] >= begins_s) & (times_s[first:end] < begins_s + EVERY_S))
            for asked in (kept, shown):
                there = found[asked[found]]
                looks_alike = (pictures[there] == pictures[first]) & (times_s[there] > begins_s - EVERY_S) & (times_s[there] <= begins_s)
                assert not asked[part].any() or np.isin(there, part).any() or looks_alike.any(), (first, end, begins_s)
