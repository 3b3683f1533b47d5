"""Outputs that look de-identified to a careless score: what anybody can bring back is not done, and what is lost is not done either."""

from __future__ import annotations

import base64
import itertools
import math
import os
import shutil
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

import deid_outputs
from scrubin.cli import main
from scrubin.evaluate.choices import SMALLEST_HEIGHT_PX
from scrubin.evaluate.deid import key as keys
from scrubin.evaluate.deid.reading import align
from scrubin.evaluate.deid.score import harmonic, joined, score, wilson
from scrubin.evaluate.deid.search import Planted, Sought, field, oriented
from scrubin.evaluate.deid.tool_files import needles_in, spellings

WAYS = {
    "mirrored": lambda picture: picture[:, ::-1],
    "negative": lambda picture: 255 - picture,
    "low contrast": lambda picture: np.rint(0.18 * picture),
    "upside down": lambda picture: picture[::-1],
    "one channel": lambda picture: picture * np.array([0, 0, 1], np.uint8),
}


@pytest.fixture(scope="module")
def single(key):
    """The first recording, as if there were no other."""
    return replace(key, recordings=key.recordings[:1], items=tuple(key.items_of("r01")))


def shown_as(key, names):
    """Make the edit that shows each item of a kind in the next one of several ways."""
    items = [item for item in key.items_of("r01") if item.kind in ("outside", "reflection", "text")]
    changes = itertools.cycle(lambda planted, box, way=WAYS[name]: way(deid_outputs.cut(planted, box)) for name in names)
    return deid_outputs.showing(key, key.recordings[0], list(zip(items, changes, strict=False)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [("negative", "low contrast", "mirrored", "upside down", "one channel"), ("mirrored", "upside down", "negative", "low contrast")],
    ids=("a", "b"),
)
def test_other_levels_and_orientations_are_not_done(single, tmp_path, names):
    deid_outputs.release(single, single.recordings[0], tmp_path / "a.mp4", shown_as(single, names))
    one = score(single, tmp_path, {})
    assert {kind: tallied.done for kind, tallied in one.kinds.items() if kind in ("outside", "reflection", "text", "face")} == {
        "outside": 0,
        "face": 0,
        "reflection": 0,
        "text": 0,
    }
    assert one.joined.value == 0
    assert one.losses[0].lost_s == 0


@pytest.mark.slow
def test_black_everywhere_is_nothing_done_whatever_a_map_says(single, tmp_path):
    deid_outputs.release(single, single.recordings[0], tmp_path / "a.mp4", lambda n, planted, clean: np.zeros_like(planted))
    one = score(single, tmp_path, {"a.mp4": "r01"})
    assert one.total.done == 0
    assert one.total.lost == len(single.items)
    assert (one.joined.value, one.joined.kept) == (0, 0)


@pytest.mark.slow
def test_what_is_perfect_is_joined_to_about_1_and_a_copy_to_0(single, benchmark, tmp_path):
    deid_outputs.release(single, single.recordings[0], tmp_path / "perfect" / "a.mp4", deid_outputs.hidden(single, single.recordings[0]))
    perfect = score(single, tmp_path / "perfect", {})
    assert perfect.joined.done == 1
    assert perfect.joined.value > 0.98
    copied = score(single, benchmark / "raw", {})
    assert (copied.joined.value, copied.joined.kept) == (0, 1)


@pytest.mark.slow
def test_a_room_at_another_time_or_in_a_further_file_is_found(single, tmp_path):
    recording = single.recordings[0]
    room = max((item for item in single.items if item.kind == "outside"), key=lambda item: len(item.frame_numbers))
    pictures = deid_outputs.pictures(single.folder / recording.planted)
    inside = sorted(set(range(recording.frame_count)) - {n for item in single.items if not item.boxes for n in item.frame_numbers})
    there = inside[len(inside) // 2]
    hidden = deid_outputs.hidden(single, recording)
    turned = np.ascontiguousarray(255 - pictures[room.frame_numbers[3]][:, ::-1])
    edit = lambda n, planted, clean: turned if n == there else hidden(n, planted, clean)  # noqa: E731
    deid_outputs.release(single, recording, tmp_path / "time" / "a.mp4", edit)
    assert [one.state for one in score(single, tmp_path / "time", {}).verdicts if one.item.item == room.item] == ["left"]
    deid_outputs.release(single, recording, tmp_path / "file" / "a.mp4", hidden)
    cv2.imwrite(str(tmp_path / "file" / "more.png"), turned)
    verdict = next(one for one in score(single, tmp_path / "file", {}).verdicts if one.item.item == room.item)
    assert verdict.state == "left"
    assert "more.png: " in verdict.where


@pytest.mark.slow
def test_a_day_with_dashes_in_a_path_and_an_hour_later_are_not_done(single, tmp_path):
    recording = single.recordings[0]
    items = {item.kind: item for item in single.items}
    day = items["file_name"].needles[2]
    path = tmp_path / f"{day[:4]}-{day[4:6]}-{day[6:]}.mp4"
    deid_outputs.release(single, recording, path, deid_outputs.hidden(single, recording))
    os.utime(path, (items["file_time"].traits["time_s"] + 3600,) * 2)
    assert {one.item.kind for one in score(single, tmp_path, {}).verdicts if one.state == "left"} == {"file_name", "file_time"}


@pytest.mark.slow
def test_a_new_benchmark_has_a_seed_that_nobody_knows_and_says_it(tmp_path, capsys):
    seeds = []
    for name in ("one", "two"):
        assert main(["deid", "make", str(tmp_path / name), "--recordings", "1", "--length-s", "8", "--height", "180"]) == 0
        seeds.append(keys.read(tmp_path / name).origin["seed"])
        assert f"--seed {seeds[-1]} " in capsys.readouterr().out
    assert seeds[0] != seeds[1]


def test_the_joined_number_is_0_when_anything_is_0_and_undefined_without_anything():
    assert harmonic([1.0, 1.0]) == 1
    assert harmonic([1.0, 0.0]) == 0
    assert math.isnan(harmonic([]))
    assert math.isnan(harmonic([1.0, math.nan]))
    nothing = joined({}, 1.0, 0, 100)
    assert math.isnan(nothing.value)
    assert (nothing.items, nothing.useful_frames) == (0, 100)
    assert math.isnan(joined({"text": 1.0}, math.nan, 1, 0).value)
    # What is done in the file cannot pay for pictures.
    assert joined({"outside": 0.0, "text": 0.0, "container_tag": 1.0, "speech": 1.0}, 1.0, 4, 1).value == 0
    half = joined({"outside": 1.0, "text": 0.0, "container_tag": 1.0}, 1.0, 3, 1)
    assert half.carriers == {"picture": 0.5, "file": 1.0}
    assert half.done == pytest.approx(2 / 3)
    assert half.value == pytest.approx(0.8)


@pytest.mark.parametrize("before", [b"", b"x", b"xy", b"xyz"])
def test_strings_are_found_in_other_spellings(tmp_path, before):
    text = "Weißgerber Ayşe 2000123"
    for place, content in enumerate(
        (base64.b64encode(before + text.encode() + b"!"), text.encode().hex().encode(), text[::-1].encode(), text.upper().encode())
    ):
        path = tmp_path / f"{place}.bin"
        path.write_bytes(before + content)
        assert needles_in(path, [text, "somebody else"]) == {text}
    assert len(set(spellings(text))) == len(spellings(text))


def picture(seed):
    noise = np.random.default_rng(seed).integers(0, 256, (18, 32, 3), np.uint8)
    return cv2.resize(noise, (320, 180), interpolation=cv2.INTER_CUBIC)


@pytest.mark.slow
@pytest.mark.parametrize("orientation", range(8))
def test_a_planted_picture_is_found_in_every_orientation_at_any_level_and_shift_and_others_are_not(key, orientation):
    item = key.items[0]
    sought = Sought([Planted(item, 7, picture(0))])
    turned = np.roll(oriented(255 - 0.1 * picture(0), orientation), (9, 20), axis=(0, 1))
    match = sought.best(field(np.rint(turned).astype(np.uint8)))
    assert match is not None
    assert (match.item, match.frame) == (item, 7)
    assert all(sought.best(field(picture(seed))) is None for seed in range(1, 6))
    assert sought.best(field(np.zeros((180, 320, 3), np.uint8))) is None


@pytest.mark.parametrize(
    ("option", "says"), [("--length-s", "no whole number from 8"), ("--height", f"no whole number from {SMALLEST_HEIGHT_PX}")]
)
def test_the_command_refuses_a_benchmark_that_is_too_small(tmp_path, capsys, option, says):
    (tmp_path / "mine.txt").touch()
    with pytest.raises(SystemExit):
        main(["deid", "make", str(tmp_path), option, "1"])
    assert says in capsys.readouterr().err


def test_a_way_through_jumps_back_where_a_tool_repeats_frames():
    rng = np.random.default_rng(0)
    source = rng.normal(size=(60, 40)).astype(np.float32)
    source /= np.linalg.norm(source, axis=1, keepdims=True)
    shown = np.array([*range(20), *range(10, 30), *range(40, 60)])
    times = np.arange(len(shown)) / 25
    assert align(source[shown], times, source, 25.0).tolist() == shown.tolist()
    black = source[shown].copy()
    black[25:30] = 0
    assert align(black, times, source, 25.0).tolist() == shown.tolist()


def test_wilsons_interval_is_that_of_the_textbook():
    # 81 of 263: the example of Newcombe 1998, table I, method 3.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)


def test_a_score_is_not_written_among_the_files_that_it_is_of(tmp_path, capsys, monkeypatch):
    for name in ("key", "raw", "outputs", "outputs beside", "own"):
        (tmp_path / name).mkdir()
    (tmp_path / "own/key.json").write_text("{}")  # beside a folder that is called raw, and is none of it
    (tmp_path / "key/key.json").write_text("{}")
    (tmp_path / "link").symlink_to(tmp_path / "outputs")
    for key, out in itertools.product((".", "key", "key/key.json"), ("outputs", "outputs/s", "link/s", "key/s", "raw/s")):
        assert main(["deid", "score", str(tmp_path / key), str(tmp_path / "outputs"), "--out", str(tmp_path / out)]) == 2
        assert "which is never changed; name a folder elsewhere" in capsys.readouterr().err
    for key, out in (*itertools.product((".", "key", "key/key.json"), ("outputs beside/s", "score")), ("own", "raw/s")):
        assert main(["deid", "score", str(tmp_path / key), str(tmp_path / "outputs"), "--out", str(tmp_path / out)]) == 1
        assert "it is no answer key" in capsys.readouterr().err
    for folder, real, out in (("links/of the key", "key", "raw/s"), ("linked/key", "own", "linked/raw/s")):
        (tmp_path / folder).parent.joinpath("raw").mkdir(parents=True, exist_ok=True)
        (tmp_path / folder).symlink_to(tmp_path / real)
        assert main(["deid", "score", str(tmp_path / folder), str(tmp_path / "outputs"), "--out", str(tmp_path / out)]) == 2
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "key/key.json").rename(tmp_path / "elsewhere/k")
    (tmp_path / "key/key.json").symlink_to(tmp_path / "elsewhere/k")
    monkeypatch.chdir(tmp_path / "key")
    for key in ("..", ".", "key.json"):
        assert main(["deid", "score", key, str(tmp_path / "outputs"), "--out", "../raw/s"]) == 2
    assert not list((tmp_path / "outputs").iterdir())
    monkeypatch.setattr(keys, "found", lambda path: Path("/key.json"))
    assert main(["deid", "score", "/key.json", str(tmp_path / "outputs"), "--out", str(tmp_path / "s")]) == 2


def test_recordings_are_known_by_what_the_key_lists_where_its_folder_has_another_name(benchmark, tmp_path, capsys):
    shutil.copytree(benchmark / "key", tmp_path / "answers")
    shutil.copytree(benchmark / "raw", tmp_path / "raw")
    (tmp_path / "outputs").mkdir()
    arguments = ["deid", "score", str(tmp_path / "answers"), str(tmp_path / "outputs"), "--out", str(tmp_path / "raw/s")]
    assert main(arguments) == 2
    assert "which is never changed; name a folder elsewhere" in capsys.readouterr().err
    shutil.rmtree(tmp_path / "raw")
    (tmp_path / "raw").mkdir()  # of somebody's own
    assert main(arguments) == 1
    assert "outputs: there is no file below it" in capsys.readouterr().err
