from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from scrubin.base.errors import VideoError
from scrubin.stages.ingest.decide import Media, decide, decisions, problems, recordings_table
from scrubin.stages.ingest.manifest import ClockParams, IngestParams, ManifestRow, TaskParams

TASK = TaskParams(("left", "right"), 360, "exclude")
PARAMS = IngestParams(
    {"Peg": TASK, "Knot": replace(TASK, time_limit_s=600, over_limit="truncate"), "Free": replace(TASK, time_limit_s=None)},
    ClockParams("", "none"),
    0.1,
)
LEFT = ManifestRow(2, "r", "p", "1", "", "Peg", "left", "videos/l", None, None, "")
RIGHT = replace(LEFT, line=3, camera="right", path="videos/r")


def media(seconds: float, sha256: str, fps: int = 20, size: tuple[int, int] = (96, 64)) -> Media:
    count = int(seconds * fps)
    return Media(sha256, "matroska", "h264", *size, 0, Fraction(fps), False, count, Fraction(count, fps), False)


def decided(left, right, task="Peg", start_s=None, end_s=None, exclude=""):
    rows = [replace(row, task=task, start_s=start_s, end_s=end_s, exclude=exclude) for row in (LEFT, RIGHT)]
    return decide(rows, {"videos/l": left, "videos/r": right}, PARAMS)


def test_without_interval_all_is_kept():
    found = decided(media(10, "a"), media(10, "b"))
    assert (found.status, found.start_s, found.end_s, found.reason) == ("kept", 0.0, 10.0, None)


def test_the_shorter_camera_ends_the_pair():
    assert decided(media(10, "a"), media(9.95, "b")).end_s == 9.95


def test_cameras_that_differ_in_length_rate_or_size_are_quarantined():
    assert "left lasts 10.000 s, right 9.500 s" in str(decided(media(10, "a"), media(9.5, "b")).error)
    assert "left has 20 frames per second, right 25" in str(decided(media(10, "a"), media(10, "b", fps=25)).error)
    assert "left is 96x64, right 64x96" in str(decided(media(10, "a"), media(10, "b", size=(64, 96))).error)


def test_a_rate_that_a_container_rounded_is_no_other_rate():
    rounded = replace(media(6, "b", fps=15), fps=Fraction(89000, 5933))
    both = media(6, "a", fps=15), rounded
    assert decided(*both).status == "kept"
    files = {"videos/l": both[0], "videos/r": both[1]}
    table = recordings_table({"r": [LEFT, RIGHT]}, files, decisions({"r": [LEFT, RIGHT]}, files, {}, {}, PARAMS))
    # Both are trimmed by one rate.
    assert table["fps"].tolist() == ["15", "15"]
    # Over an hour they drift by three frames.
    apart = [replace(one, frame_count=54_000) for one in both]
    assert "left has 15 frames per second, right 89000/5933" in str(decided(*apart).error)


@pytest.mark.parametrize(("spelt", "exact"), [("29.97", "30000/1001"), ("59.94", "60000/1001"), ("23.976", "24000/1001")])
def test_two_spellings_of_one_rate_are_one_for_an_hour_and_more(spelt, exact):
    rates = Fraction(spelt), Fraction(exact)
    both = [
        replace(media(1, sha256), fps=fps, frame_count=int(3900 * fps), end_s=Fraction(3900))
        for sha256, fps in zip("ab", rates, strict=True)
    ]
    assert decided(*both, task="Free").status == "kept"
    # Once frames of one number are no longer clearly of one instant they are two.
    apart = [replace(one, frame_count=300_000) for one in both]
    assert f"left has {rates[0]} frames per second, right {rates[1]}" in str(decided(*apart).error)


@pytest.mark.parametrize(
    ("left", "right", "count"),
    [
        (Fraction(30), Fraction(30000, 1001), 600),
        (Fraction(30), Fraction(30000, 1001), 90),
        (Fraction(25), Fraction(127, 5), 60),
        (Fraction(25), Fraction(30), 4),
    ],
)
def test_rates_that_no_container_rounds_to_one_another_stay_two_although_they_drift_by_less_than_a_frame(left, right, count):
    both = [replace(media(1, sha256), fps=fps, frame_count=count, end_s=count / left) for sha256, fps in (("a", left), ("b", right))]
    assert f"left has {left} frames per second, right {right}" in str(decided(*both).error)
    files = {"videos/l": both[0], "videos/r": both[1]}
    table = recordings_table({"r": [LEFT, RIGHT]}, files, decisions({"r": [LEFT, RIGHT]}, files, {}, {}, PARAMS))
    assert table["fps"].tolist() == [str(left), str(right)]


@pytest.mark.parametrize(
    ("task", "seconds", "status", "end_s"),
    [("Peg", 360, "kept", 360.0), ("Peg", 360.05, "excluded", 360.05), ("Knot", 600.05, "kept", 600.0), ("Free", 4000, "kept", 4000.0)],
)
def test_the_time_limit_excludes_or_truncates_as_the_task_says(task, seconds, status, end_s):
    found = decided(media(seconds, "a"), media(seconds, "b"), task=task)
    assert (found.status, found.end_s) == (status, end_s)


def test_the_limit_holds_for_the_kept_interval_and_the_reason_says_what_was_done():
    assert decided(media(400, "a"), media(400, "b"), start_s=20.0, end_s=380.0).status == "kept"
    found = decided(media(700, "a"), media(700, "b"), task="Knot", start_s=10.0)
    assert (found.start_s, found.end_s, found.reason) == (10.0, 610.0, "truncated: it lasts 690.0 s, the limit of Knot is 600 s")


@pytest.mark.parametrize(
    ("start_s", "end_s", "message"), [(0.0, 10.03, "end_s 10.03 lies outside"), (10.0, None, "start_s 10 lies outside")]
)
def test_an_interval_outside_the_video_is_quarantined(start_s, end_s, message):
    assert message in str(decided(media(10, "a"), media(10, "b"), start_s=start_s, end_s=end_s).error)


def test_an_end_that_rounds_past_the_last_frame_is_the_end():
    assert decided(media(10, "a"), media(10, "b"), end_s=10.02).end_s == 10.0


def test_an_excluded_recording_needs_no_readable_file():
    found = decide([replace(LEFT, exclude="wrong gauze")], {}, PARAMS)
    assert (found.status, found.reason) == ("excluded", "the curator: wrong gauze")


def test_a_camera_that_cannot_be_read_takes_the_pair_out():
    error = VideoError("videos/r", "the file is missing", "put it there")
    assert decided(media(10, "a"), error).error is error


def test_the_same_bytes_twice_take_both_recordings_out_and_no_other():
    other = [replace(row, recording="s", path=row.path + "2") for row in (LEFT, RIGHT)]
    third = [replace(row, recording="t", path=row.path + "3") for row in (LEFT, RIGHT)]
    rows = {"r": [LEFT, RIGHT], "s": other, "t": third}
    shas = {"videos/l": "a", "videos/r": "b", "videos/l2": "c", "videos/r2": "a", "videos/l3": "d", "videos/r3": "e"}
    files = {path: media(10, sha256) for path, sha256 in shas.items()}
    found = decisions(rows, files, shas, {}, PARAMS)
    assert {name: item.status for name, item in found.items()} == {"r": "quarantined", "s": "quarantined", "t": "kept"}
    assert "'videos/l' and 'videos/r2' have the same bytes" in str(problems(rows, found)[0].error)
    table = recordings_table(rows, files, found)
    assert table.set_index(["recording", "camera"]).loc[("t", "left"), "fps"] == "20"
    assert len(table) == 6


def test_the_camera_whose_file_is_bad_is_the_one_that_is_named():
    error = VideoError("videos/r", "the file is missing", "put it there")
    files = {"videos/l": media(10, "a"), "videos/r": error}
    found = decisions({"r": [LEFT, RIGHT]}, files, {"videos/l": "a"}, {}, PARAMS)
    assert [problem.camera for problem in problems({"r": [LEFT, RIGHT]}, found)] == ["right"]


def test_what_is_doubtful_about_a_recording_stands_beside_it_and_stops_nothing():
    files = {"videos/l": media(10, "a"), "videos/r": media(10, "b")}
    kept = decisions({"r": [LEFT, RIGHT]}, files, {}, {LEFT.path: ("it jumps",), RIGHT.path: ("it jumps, too",)}, PARAMS)
    assert (kept["r"].status, kept["r"].reason) == ("kept", "it jumps; it jumps, too")
