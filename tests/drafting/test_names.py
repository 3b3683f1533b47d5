"""What names of files say, as recorders, phones and people write them."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.stages.ingest import file_names

NAMES = {
    # name: key, side of the camera, number, whether it is said to be a part
    "GX010123.MP4": ("gx0123", None, 1, True),  # GoPro: chapter, recording
    "GH020123.MP4": ("gh0123", None, 2, True),
    "GOPR0123.MP4": ("gopr0123", None, 1, True),  # older GoPro
    "GP010123.MP4": ("gopr0123", None, 2, True),
    "00003.MTS": ("", None, 3, False),  # AVCHD
    "VTS_02_1.VOB": ("vts 02", None, 1, True),  # DVD recorders
    "MVI_0012.MOV": ("mvi", None, 12, False),  # cameras
    "C0007.MP4": ("c", None, 7, False),
    "DJI_0044.MP4": ("dji", None, 44, False),
    "2026-01-14 09-30-12.mkv": ("", None, None, False),  # screen captures
    "VID_20260114_093012.mp4": ("vid", None, None, False),  # phones
    "Zoom 2026-01-14 um 09.30.12.mov": ("zoom", None, None, False),
    "CAP_20260114_093012_002.mpg": ("cap", None, 2, False),  # recorders of endoscopy towers
    "case12.mp4": ("case12", None, None, False),
    "case12-2.mp4": ("case12", None, 2, False),
    "peg_07_left.mp4": ("peg", "left", 7, False),
    "Op 3 rechts.avi": ("op", "right", 3, False),
    "Op Teil 2 links.mpg": ("op", "left", 2, True),
    "op_part03.ts": ("op", None, 3, True),
    "op 2of5.mov": ("op", None, 2, True),
    "op_camL.mkv": ("op", "left", None, False),
    "op_R.mkv": ("op", "right", None, False),
    "case7L.mp4": ("case7", "left", None, False),
    "caseRight.mov": ("case", "right", None, False),
    "stereo_left_002.mkv": ("", "left", 2, False),
    "op cam2.mp4": ("op", "2", None, False),
    "links/op_002.mp4": ("op", "left", 2, False),
    "case 3/Cam 1/00001.MTS": ("", "1", 1, False),
    "case 3/Teil 2/video.mpg": ("video", None, 2, True),
    "20230314 Meyer.mkv": ("20230314 meyer", None, None, False),  # a date without a time counts nothing
    "Meyer Versuch 1 (10.03.2023).mkv": ("meyer versuch 1 (10 03 2023)", None, None, False),
    "2023-03-06_Meyer_T2_right.mkv": ("2023 03 06 meyer t2", "right", None, False),
    "Müller\u0308 süß (2).mp4": ("mü\u0308ller süß".replace("mü\u0308ller", "müller\u0308"), None, 2, False),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_read(name):
    read = file_names.read(PurePosixPath(name))
    key, side, number, is_part = NAMES[name]
    assert read.key[1] == file_names.key_of(key)
    assert (read.camera and read.camera.side) == side
    assert (read.count and read.count.number) == number
    assert (read.count is not None and read.count.is_part) == is_part


def test_folders_of_cameras_and_parts_are_none_of_a_recording():
    assert file_names.read(PurePosixPath("Study/Case 3/left/part 2/a.mp4")).folder == "Study/Case 3"


@pytest.mark.parametrize(("name", "seconds"), [("VID_20260114_093012.mp4", 1768383012), ("2026-01-14 09-30-12.mkv", 1768383012)])
def test_a_date_with_a_time_is_read(name, seconds):
    assert file_names.read(PurePosixPath(name)).recorded_s == seconds


@pytest.mark.parametrize("name", ["VID_20260230_093012.mp4", "20260114.mp4", "12345678901234567890.mp4"])
def test_what_is_no_date_with_a_time_is_none(name):
    assert file_names.read(PurePosixPath(name)).recorded_s is None


@given(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1).filter(lambda text: text not in (".", "..")))
def test_any_name_is_read_and_its_kind_of_blank_does_not_matter(name):
    read = file_names.read(PurePosixPath("folder", name))
    assert file_names.key_of(read.key[1]) == read.key[1]
