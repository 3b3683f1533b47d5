"""Recordings, cameras and parts of what recorders and people leave in folders."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recorded import FULL_BYTES, damaged, recorded
from scrubin.curate.draft import RecordedFile
from scrubin.curate.draft.draft import draft, text
from scrubin.curate.draft.grouping import recordings
from scrubin.stages.ingest.manifest import TaskParams, parse


def grouped(*files: RecordedFile) -> dict[str, list[tuple[str, int | None, str]]]:
    return {one.name: [(file.camera, file.part, file.file.path.as_posix()) for file in one.files] for one in recordings(files)}


def doubts(*files: RecordedFile) -> str:
    return "\n".join(sorted({doubt for one in recordings(files) for file in one.files for doubt in file.doubts}))


FAMILIES = {
    "GoPro": (
        [recorded("GX010123.MP4"), recorded("GX020123.MP4"), recorded("GX010124.MP4")],
        {"GX0123": [("mono", 1, "GX010123.MP4"), ("mono", 2, "GX020123.MP4")], "GX010124": [("mono", None, "GX010124.MP4")]},
    ),
    "older GoPro": (
        [recorded("GP010123.MP4"), recorded("GOPR0123.MP4")],
        {"GOPR0123": [("mono", 1, "GOPR0123.MP4"), ("mono", 2, "GP010123.MP4")]},
    ),
    "AVCHD, by size": (
        [recorded("s/00001.MTS", 1913, size_bytes=FULL_BYTES), recorded("s/00002.MTS", 99), recorded("s/00003.MTS", 7)],
        {"s 00001": [("mono", 1, "s/00001.MTS"), ("mono", 2, "s/00002.MTS")], "s 00003": [("mono", None, "s/00003.MTS")]},
    ),
    "DVD recorder": (
        [recorded("case 4/VTS_01_1.VOB"), recorded("case 4/VTS_01_2.VOB")],
        {"case 4": [("mono", 1, "case 4/VTS_01_1.VOB"), ("mono", 2, "case 4/VTS_01_2.VOB")]},
    ),
    "camera, by creation time": (
        [recorded("C0001.MP4", at_s=1e9), recorded("C0002.MP4", at_s=1e9 + 301), recorded("C0003.MP4", at_s=1e9 + 4000)],
        {"C0001": [("mono", 1, "C0001.MP4"), ("mono", 2, "C0002.MP4")], "C0003": [("mono", None, "C0003.MP4")]},
    ),
    "camera that notes when it closed a file": (
        [recorded("C0001.MP4", 600, at_s=1e9), recorded("C0002.MP4", 100, at_s=1e9 + 100)],
        {"C0001": [("mono", 1, "C0001.MP4"), ("mono", 2, "C0002.MP4")]},
    ),
    "screen capture, by the time in its name": (
        [recorded("2026-01-14 09-30-00.mkv", 60), recorded("2026-01-14 09-31-01.mkv"), recorded("2026-01-14 12-00-00.mkv")],
        {
            "2026-01-14 09-30-00": [("mono", 1, "2026-01-14 09-30-00.mkv"), ("mono", 2, "2026-01-14 09-31-01.mkv")],
            "2026-01-14 12-00-00": [("mono", None, "2026-01-14 12-00-00.mkv")],
        },
    ),
    "tower that begins a file every ten minutes": (
        [recorded(f"op_{n:03d}.mpg", length) for n, length in enumerate((600.2, 600.0, 233.0, 600.1, 20.0), start=1)],
        {
            "op_001": [("mono", n, f"op_{n:03d}.mpg") for n in (1, 2, 3)],
            "op_004": [("mono", n, f"op_{n + 3:03d}.mpg") for n in (1, 2)],
        },
    ),
    "two cameras in folders, in parts": (
        [recorded(f"case 9/{side}/op part {n}.mkv") for side in ("left", "right") for n in (1, 2)],
        {"op": [(side, n, f"case 9/{side}/op part {n}.mkv") for side in ("left", "right") for n in (1, 2)]},
    ),
    "a second file of a case": (
        [recorded("case12.mp4"), recorded("case12-2.mp4"), recorded("case13.mp4")],
        {"case12": [("mono", 1, "case12.mp4"), ("mono", 2, "case12-2.mp4")], "case13": [("mono", None, "case13.mp4")]},
    ),
    "a folder per case with numbers in it": (
        [recorded(f"case {case}/00{n}.mp4") for case in "ab" for n in (1, 2)],
        {f"case {case}": [("mono", n, f"case {case}/00{n}.mp4") for n in (1, 2)] for case in "ab"},
    ),
    "trials of a course": (
        [recorded(f"peg_{n}_{side}.mp4", 100 + n) for n in (1, 2) for side in ("links", "rechts")],
        {f"peg_{n}": [("left", None, f"peg_{n}_links.mp4"), ("right", None, f"peg_{n}_rechts.mp4")] for n in (1, 2)},
    ),
    "letters for cameras": (
        [recorded("case7L.mp4"), recorded("case7R.mp4"), recorded("Meyer_L.mp4")],
        {"Meyer_L": [("mono", None, "Meyer_L.mp4")], "case7": [("left", None, "case7L.mp4"), ("right", None, "case7R.mp4")]},
    ),
    "the same names in two folders": (
        [recorded("a/op.mp4"), recorded("b/op.mp4")],
        {"a op": [("mono", None, "a/op.mp4")], "b op": [("mono", None, "b/op.mp4")]},
    ),
    "numbered cameras": (
        [recorded("op cam1.mp4"), recorded("op cam2.mp4")],
        {"op": [("left", None, "op cam1.mp4"), ("right", None, "op cam2.mp4")]},
    ),
    "a transport stream whose clock goes on": (
        [recorded("s/00007.MTS", 41, stream_s=1.4), recorded("s/00008.MTS", 33, stream_s=42.4), recorded("s/00009.MTS", 9, stream_s=1.4)],
        {"s 00007": [("mono", 1, "s/00007.MTS"), ("mono", 2, "s/00008.MTS")], "s 00009": [("mono", None, "s/00009.MTS")]},
    ),
    "a timecode that goes on over midnight": (
        [recorded("C0001.MP4", 41, timecode_s=86_370), recorded("C0002.MP4", 33, timecode_s=11), recorded("C0003.MP4", 9, timecode_s=9999)],
        {"C0001": [("mono", 1, "C0001.MP4"), ("mono", 2, "C0002.MP4")], "C0003": [("mono", None, "C0003.MP4")]},
    ),
    "a timecode without drop-frame, whose day is longer": (
        [recorded(f"C000{n}.MP4", 41, timecode_s=code, day_s=86_486.4) for n, code in ((1, 86_470.4), (2, 25), (3, 9999))],
        {"C0001": [("mono", 1, "C0001.MP4"), ("mono", 2, "C0002.MP4")], "C0003": [("mono", None, "C0003.MP4")]},
    ),
    "a counter that begins anew": (
        [recorded(f"REC_{n:03d}.mp4", length) for n, length in ((998, 600), (999, 600), (1, 77))],
        {"REC_998": [("mono", 1, "REC_998.mp4"), ("mono", 2, "REC_999.mp4"), ("mono", 3, "REC_001.mp4")]},
    ),
    "a counter behind letters": (
        [recorded("A001.mp4", 20, at_s=1e9), recorded("A002.mp4", 14, at_s=1e9 + 20), recorded("A003.mp4", 9, at_s=1e9 + 7000)],
        {"A001": [("mono", 1, "A001.mp4"), ("mono", 2, "A002.mp4")], "A003": [("mono", None, "A003.mp4")]},
    ),
    "letters behind a time, two operations": (
        [recorded(f"2024013{day}_140500_{letter}.mp4") for day in (0, 1) for letter in "abc"],
        {
            f"2024013{day}_140500_a": [("mono", part, f"2024013{day}_140500_{letter}.mp4") for part, letter in enumerate("abc", start=1)]
            for day in (0, 1)
        },
    ),
    "Roman numbers": (
        [recorded(f"sleeve {n}.mp4") for n in ("I", "II", "III", "IV")],
        {"sleeve": [("mono", part, f"sleeve {n}.mp4") for part, n in enumerate(("I", "II", "III", "IV"), start=1)]},
    ),
    "letters that begin in the middle": (
        [recorded("case7_B.mp4"), recorded("case7_C.mp4")],
        {f"case7_{letter}": [("mono", None, f"case7_{letter}.mp4")] for letter in "BC"},
    ),
    "three cameras": (
        [recorded(f"op cam{n}.mp4") for n in (1, 2, 3)],
        {f"op cam{n}": [("mono", None, f"op cam{n}.mp4")] for n in (1, 2, 3)},
    ),
    "left and right of a body": (
        [recorded("hernia left.mp4", 1200), recorded("hernia right.mp4", 700)],
        {f"hernia {side}": [("mono", None, f"hernia {side}.mp4")] for side in ("left", "right")},
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_files_of_a_recorder_become_its_recordings(family):
    files, expected = FAMILIES[family]
    assert grouped(*files) == expected
    assert grouped(*reversed(files)) == expected


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([recorded(f"op part {n}.mp4") for n in (1, 3)], "no file with number 2"),
        ([recorded("op part 2.mp4")], "no file with number 1"),
        ([recorded("op 1of3.mp4"), recorded("op 2of3.mp4")], "no file with number 3"),
        (
            [recorded("op_left part 1.mp4"), recorded("op_left part 2.mp4"), recorded("op_right part 1.mp4")],
            "left has 2 files, right 1\nno file with number 2 of camera right",
        ),
        (
            [recorded("op part 1.mp4"), damaged("op part 2.mp4")],
            "'op part 2.mp4' belongs here by its name and cannot be used: it is damaged",
        ),
        ([recorded("op part 1.mp4"), recorded("op part 2.mp4", codec="hevc")], "its codec, size or rate is another"),
        ([recorded("op part 1.mp4", at_s=1e9), recorded("op part 2.mp4", at_s=1e9 + 3900)], "it begins 1:00:00 after the file before ends"),
        ([recorded("op part 1.mp4", at_s=1e9), recorded("op part 2.mp4", at_s=1e9 + 290)], "it begins 0:10 before the file before ends"),
        ([recorded("case12.mp4"), recorded("case12-2.mp4")], "nothing but the names says that it continues"),
        ([recorded("op_left.mp4")], "no file of the right camera"),
        ([recorded("op cam1.mp4"), recorded("op cam2.mp4")], "which camera is the left one is not known"),
        ([recorded("op cam1.mp4"), recorded("op cam2.mp4", size_px=(720, 576))], "have pictures of different sizes"),
        ([recorded("hernia left.mp4", 1200), recorded("hernia right.mp4", 700)], "could be a pair, but differ in length by 500 s"),
        ([recorded("a/x.mp4", at_s=1e9), recorded("b/y.mp4", at_s=1e9)], "'a/x.mp4' began at the same time and is as long"),
        ([recorded("hernia left.mp4", 700), recorded("hernia right.mp4", 704)], "left and right differ in length by 4.0 s"),
        ([recorded("STREAM/00001.MTS", 90), recorded("STREAM/00002.MTS", 200)], "it is no part of the recording of '00001.MTS'"),
        ([recorded(f"case7_{letter}.mp4") for letter in "AB"], "nothing but its letter or word says that it continues"),
        ([recorded(f"op_{n}.mp4", 600) for n in (1, 2, 3)], "nothing but equal lengths says that it continues"),
        ([recorded(f"op_{n}.mp4", length) for n, length in ((999, 600), (1, 9))], "it may be a part of the recording of 'op_999.mp4'"),
        ([recorded(f"op_{n}.mp4", 600) for n in (998, 999, 1)], "its counter began anew"),
        ([recorded("hernia_1.mp4", 41), recorded("hernia_2.mp4", 12)], "it may be a part of the recording of 'hernia_1.mp4'"),
        ([recorded(f"B00{n}.mp4", 43 - n, at_s=1e9) for n in (1, 2)], "it may be a part of the recording of 'B001.mp4'"),
        ([recorded("x.mp4", 60, at_s=1e9), recorded("y.mp4", 20, at_s=1e9 + 61)], "it begins when 'x.mp4' ends, by its creation time"),
        ([recorded("op.mp4", size_px=(3840, 1080))], "perhaps both cameras side by side"),
        ([recorded("op.mp4", size_px=(1920, 2160))], "perhaps upright, or both cameras one above the other"),
    ],
)
def test_what_is_not_sure_is_in_doubt(files, said):
    assert all(line in doubts(*files) for line in said.splitlines()), doubts(*files)


@pytest.mark.parametrize(
    "files",
    [
        [recorded("hernia left.mp4", 700), recorded("hernia right.mp4", 700.2)],
        [recorded("case 1.mp4", 90), recorded("case 2.mp4", 200)],
        [recorded("00001.MTS", 90), recorded("00003.MTS", 200)],
        [recorded("C0001.MP4", 90, at_s=1e9), recorded("C0002.MP4", 200, at_s=1e9 + 4000)],
    ],
)
def test_what_is_sure_enough_is_in_no_doubt(files):
    assert doubts(*files) == ""


def test_a_missing_part_leaves_a_gap_so_that_the_list_cannot_be_used():
    assert grouped(*(recorded(f"op part {n}.mp4") for n in (1, 3)))["op"] == [("mono", 1, "op part 1.mp4"), ("mono", 3, "op part 3.mp4")]
    left = [recorded(f"op_left_{n}.mkv", size_bytes=FULL_BYTES) for n in (1, 2, 3)]
    right = [recorded(f"op_right_{n}.mkv", size_bytes=FULL_BYTES) for n in (2, 3)]
    parts = [(camera, part) for camera, part, _ in grouped(*left, *right)["op"]]
    assert parts == [("left", 1), ("left", 2), ("left", 3), ("right", 2), ("right", 3)]


WORDS = st.sampled_from(
    ["op", "case 7", "00001", "GX010123", "GX020123", "left", "rechts", "L", "R", "cam1", "cam2", "part 2", "1of2", "2", "003", "(2)"]
)
PATHS = st.builds(
    lambda folders, words, suffix: "/".join([*folders, " ".join(words) + suffix]),
    st.lists(st.sampled_from(["a", "left", "right", "case 1", "part 1", "cam 2"]), max_size=2),
    st.lists(WORDS, min_size=1, max_size=3),
    st.sampled_from([".mp4", ".MTS", " 2026-01-14 09-30-12.mkv", "_20260114_093512.mp4"]),
)
FILES = st.builds(
    lambda path, length_s, at_s, size_bytes, sample, usable: (
        recorded(path, length_s, at_s=at_s, size_bytes=size_bytes, sample=sample) if usable else damaged(path)
    ),
    PATHS,
    st.sampled_from([None, 300.0, 600.0, 17.0]),
    st.sampled_from([None, 1e9, 1e9 + 300, 1e9 + 600]),
    st.sampled_from([10**8, FULL_BYTES]),
    st.sampled_from(["", "same", "other"]),
    st.integers(0, 5).map(bool),
)


@given(st.lists(FILES, max_size=14, unique_by=lambda file: file.path), st.randoms(use_true_random=False))
def test_every_file_stands_in_exactly_one_place_of_one_camera_whatever_their_order(files, chance):
    drafted = draft(files, {})
    places = [row.path.as_posix() for row in drafted.rows] + [left.path for left in drafted.left_out]
    assert sorted(places) == sorted(file.path.as_posix() for file in files)
    rows = [(row.recording, row.camera, row.part) for row in drafted.rows]
    assert len(set(rows)) == len(rows)
    for _, of_camera in itertools.groupby(rows, key=lambda row: row[:2]):
        parts = [part for *_, part in of_camera]
        assert parts in ([None], [1]) or (None not in parts and parts == sorted(set(parts)) and parts[0] >= 1)
    for _, of_recording in itertools.groupby(rows, key=lambda row: row[0]):
        assert {camera for _, camera, _ in of_recording} in ({"mono"}, {"left"}, {"right"}, {"left", "right"})
    shuffled = list(files)
    chance.shuffle(shuffled)
    assert draft(shuffled, {}) == drafted
    assert [left.path for left in drafted.left_out] == sorted(left.path for left in drafted.left_out)


@given(st.lists(FILES, max_size=14, unique_by=lambda file: file.path))
def test_the_list_reads_a_confirmed_draft_and_finds_only_what_is_missing(files):
    rows = [
        replace(row, task="Stereo" if row.camera in ("left", "right") else "Mono", guesses=(), doubts=()) for row in draft(files, {}).rows
    ]
    data = text(rows, "videos").replace(",confirm\n", "\n").replace(",\n", "\n")
    lines = [line.replace(",,", ",P1,", 1) if number else line for number, line in enumerate(data.splitlines())]
    tasks = {"Mono": TaskParams(("mono",), None, "exclude"), "Stereo": TaskParams(("left", "right"), None, "exclude")}
    read = parse("\n".join(lines).encode(), tasks)
    assert all(problem.error.fix.startswith("add ") for problem in read.problems), read.problems


def test_cameras_that_the_pipeline_would_set_aside_are_in_doubt():
    left, right = recorded("case left.mkv", 300.0), recorded("case right.mkv", 299.7)

    def doubts_of(*files, tolerance_s=0.1):
        return {doubt for row in draft(files, {}, tolerance_s).rows for doubt in row.doubts}

    assert doubts_of(left, right) == {
        "left and right differ in length by 0.30 s, more than ingest.stereo_tolerance_s (0.1 s): they would be set aside"
    }
    assert doubts_of(left, right, tolerance_s=0.5) == set()
    other = replace(left.content, fps=Fraction(30))
    assert doubts_of(left, replace(right, content=replace(other, duration_s=300.0))) == {
        "left has 25 frames per second, right 30: unless they vary, they would be set aside"
    }
    short = [
        replace(one, content=replace(left.content, fps=fps, duration_s=10.0))
        for one, fps in ((left, Fraction(30)), (right, Fraction(30000, 1001)))
    ]
    assert doubts_of(*short) == {"left has 30 frames per second, right 29.97: unless they vary, they would be set aside"}
    # A container that rounds times tells another rate of the same camera.
    near = replace(left.content, fps=Fraction(2500, 100) + Fraction(1, 10_000))
    assert doubts_of(left, replace(right, content=near)) == set()
    spelt = [replace(left, content=replace(left.content, fps=Fraction("29.97"), duration_s=3600.0))]
    assert doubts_of(*spelt, replace(right, content=replace(spelt[0].content, fps=Fraction(30000, 1001)))) == set()
