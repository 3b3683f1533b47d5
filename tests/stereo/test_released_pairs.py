"""The pairs of a release: with which rig each is checked, which frames are looked at, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import clips
from scrubin.base.errors import CalibrationError
from scrubin.base.files import sha256_of
from scrubin.media.rigs import written_rig
from scrubin.stages.stereo import drawing, released_check
from scrubin.stages.stereo.recordings import assignment
from scrubin.stages.stereo.samples import Choice, Matches, _outside, spans

UNMEASURED = dict.fromkeys(("match_count", "offset_px", "p95_px", "lag_frames", "lag_error", "depth_mm"))
HIDDEN = ["id", "camera", "first_frame", "last_frame", "x", "y", "w", "h"]


def test_frames_in_which_a_camera_is_black_are_not_looked_at():
    choice = Choice(3, hidden=((0, 99), (150, 169), (300, 399)))
    chosen = spans(400, choice)
    assert len(chosen) == 3
    seen = {number for start, end in chosen for number in range(start, end)}
    assert not seen & {*range(100), *range(150, 170), *range(300, 400)}
    assert spans(40, Choice(hidden=((10, 30),))) == [(0, 10)]


def test_points_at_the_edge_of_a_black_rectangle_are_none_of_the_scene():
    own = Matches(np.array([[50.0, 50.0], [200.0, 90.0], [101.0, 60.0]]), np.array([[48.0, 50.0], [190.0, 90.0], [99.0, 60.0]]))
    kept = _outside(own, Choice(boxes=(((100, 40, 30, 30),), ())))
    assert kept.left.tolist() == [[50.0, 50.0], [200.0, 90.0]]
    assert len(_outside(own, Choice(boxes=((), ((180, 80, 5, 5),))))) == 2


@pytest.fixture
def study(tmp_path):
    """Three recordings of 101 x 81 pixels, of which a column and a row are cut off: two rigs, one of another size."""
    fine = drawing.rig(np.random.default_rng(1), (101, 81))
    written_rig.write(tmp_path / "calibration/tower 2.yaml", replace(fine, date="2024-03-18"))
    written_rig.write(tmp_path / "calibration/old.yaml", drawing.rig(np.random.default_rng(2), (202, 162)))
    rigs = {"a": "tower 2", "b": "old", "c": ""}
    lines = ["recording,camera,path,rig", *(f"{name},{side},x,{rig}" for name, rig in rigs.items() for side in ("left", "right"))]
    (tmp_path / "recordings.csv").write_text("\n".join(lines) + "\n")
    ids = {"a": "abelo", "b": "borunga", "c": "cimeto"}
    both = [(name, id_, side) for name, id_ in ids.items() for side in ("left", "right")]
    cuts = pd.DataFrame([{"recording": n, "id": i, "camera": s, "source_width": 101, "source_height": 81} for n, i, s in both])
    videos = pd.DataFrame([{"id": i, "camera": s, "width": 100, "height": 80, "path": f"{i}_{s}", "sha256": i + s} for _, i, s in both])
    return tmp_path, cuts, videos, fine


def test_a_rig_is_cut_as_its_pictures_are_and_one_of_another_size_is_an_error_of_its_recordings(study):
    folder, cuts, videos, fine = study
    assigned = assignment(folder, cuts, videos)
    assert assigned.rig_of == {"abelo": "tower 2"}
    assert assigned.rigs["tower 2"].size == (100, 80)
    assert np.array_equal(assigned.rigs["tower 2"].left.matrix, fine.left.matrix)
    assert "calibrated with pictures of 202x162 pixels, but it is 101x81" in assigned.unfit["borunga"]
    assert "--scale-to 101x81" in assigned.unfit["borunga"]
    said = {"measured": {"match_count": 0, "offset_px": None, "p95_px": None, "lag_frames": None, "lag_error": None, "depth_mm": None}}
    row = released_check.row("borunga", {**said, "findings": []}, None, [assigned.unfit["borunga"]])
    assert row["error"] == assigned.unfit["borunga"]
    assert row["warning"] is None


def test_every_calibration_that_is_missing_or_unreadable_is_named_at_once(study):
    folder, cuts, videos, _ = study
    (folder / "calibration/old.yaml").write_text("K1: 3\n")
    (folder / "calibration/tower 2.yaml").unlink()
    with pytest.raises(CalibrationError) as raised:
        assignment(folder, cuts, videos)
    assert "there is no calibration/tower 2.yaml" in str(raised.value)
    assert "calibration/old.yaml" in str(raised.value)


def test_cameras_of_which_both_are_released_are_a_pair_with_what_is_hidden_in_either(study):
    _, _, videos, _ = study
    hidden = pd.DataFrame([("abelo", "left", 3, 9, None, None, None, None), ("abelo", "right", 0, 50, 8, 4, 20, 10)], columns=HIDDEN)
    pairs = released_check.pairs_of(videos[(videos.id != "cimeto") | (videos.camera == "left")], hidden.astype(object))
    assert sorted(pairs) == ["abelo", "borunga"]
    assert pairs["abelo"].choice.hidden == ((3, 9),)
    assert pairs["abelo"].choice.boxes == ((), ((8, 4, 20, 10),))


def test_a_pair_is_checked_once_and_one_that_shows_nothing_is_undecided_and_no_fault(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = []
    for side, level in (("left", 60), ("right", 61)):
        clips.film(tmp_path / f"{side}.mkv", [np.full((80, 100, 3), level, np.uint8)] * 40, 20)
        rows.append({"id": "abelo", "camera": side, "path": f"{side}.mkv", "sha256": sha256_of(tmp_path / f"{side}.mkv")})
    (pair,) = released_check.pairs_of(pd.DataFrame(rows), pd.DataFrame(columns=HIDDEN)).values()
    for one in (pair, replace(pair, rig=drawing.rig(np.random.default_rng(1), (100, 80)))):
        said = released_check.check_stored(tmp_path, one)
        row = released_check.row("abelo", said, None)
        assert (row["error"], row["warning"]) == (None, None)
        assert "points are seen by both cameras" in row["undecided"]
    (tmp_path / "left.mkv").unlink()
    assert released_check.check_stored(tmp_path, pair) == released_check.check_stored(tmp_path, pair)


def released(right_s, offset_s="0"):
    """What is found of a released pair at 15 frames a second whose right frames were taken at these times, whose left ones each second."""
    times = {"left": range(len(right_s)), "right": right_s}
    frames = [
        {"id": "abelo", "camera": side, "frame": k, "time_s": float(t), "path": "x"}
        for side, own in times.items()
        for k, t in enumerate(own)
    ]
    frames += [{"id": "borunga", "camera": "mono", "frame": 0, "time_s": 0.0, "path": "x"}]
    cuts = [{"id": "abelo", "camera": side, "offset_s": at} for side, at in (("left", "0"), ("right", offset_s))]
    videos = [{"id": "abelo", "camera": side, "fps": fps} for side, fps in (("left", "30"), ("right", "15"))]
    return released_check.instants(pd.DataFrame(frames), pd.DataFrame(cuts), pd.DataFrame(videos))


def test_released_pairs_of_two_instants_are_counted_with_the_largest_difference():
    assert released([0.0, 1.033, 1.967, 3.0]) == {}
    found = released([0.0, 1.062, 1.967, 2.955])["abelo"]
    assert (found.rule, found.severity, found.what) == ("instants", "warning", "2 of 4 pairs are of two instants, up to 62 ms apart")
    frames = released_check.row("abelo", {"measured": UNMEASURED, "findings": []}, "rig_1", odd=found)
    assert frames["warning"].startswith("2 of 4 pairs are of two instants, up to 62 ms apart; export both cameras again with one clock")
    assert frames["error"] is None


def test_first_frames_of_two_instants_are_an_error_since_no_loader_can_see_it():
    found = released([0.0, 1.0, 2.0], "1/15")["abelo"]
    assert (found.severity, found.what) == ("error", "3 of 3 pairs are of two instants, up to 67 ms apart")
    assert released([0.0, 1.0, 2.0], "1/60") == {}
