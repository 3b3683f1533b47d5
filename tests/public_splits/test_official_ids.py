"""One video is written in many ways; none of them may mean another video."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.errors import SplitError
from scrubin.base.faults import natural
from scrubin.public_splits import catalogue
from scrubin.public_splits.datasets import dataset, listed, name_of, number_of, ranges, shown, whole_number

USUAL = (
    "68 068 VID68 VID068 vid_68 video68 video-68 68.json labels/VID68.json labels\\VID68.json VID68.mp4.json 68.0 6.8e+01 "
    "6.800000000000000000e+01 video68-phase.txt video68-tool.txt"
)
UNCLEAR = "VID video 68-70 68_2 -68 68.5 6.85e+01 VIDEO_VID68 x68 68a 0 ３ 1e99 nan"


@pytest.mark.parametrize("text", [*USUAL.split(), "Video 68", " 68 "])
def test_every_usual_spelling_is_understood(text):
    assert dataset("cholect50").video(text) == "68"
    assert dataset("cholec80").video(text) == "68"


@pytest.mark.parametrize("text", [*UNCLEAR.split(), "", "6 8", "9" * 5000])
def test_what_could_be_several_videos_or_none_is_not_guessed(text):
    assert dataset("cholec80").video(text) is None


def test_a_number_that_the_dataset_lacks_is_no_video():
    assert dataset("cholect50").video("3") is None
    assert dataset("cholec80").video("3") == "3"
    assert dataset("cholec80").video("81") is None
    assert dataset("endoscapes").video("1.620000000000000000e+02") == "162"
    assert dataset("m2cai16-workflow").video("1") is None


@pytest.mark.parametrize(
    ("name", "text", "video"),
    [
        ("jigsaws", "Suturing_B001", "Suturing_B001"),
        ("jigsaws", "kinematics/Knot_Tying_B001.txt", "Knot_Tying_B001"),
        ("jigsaws", "needle passing i2", "Needle_Passing_I002"),
        ("jigsaws", "Suturing_H002", None),
        ("jigsaws", "B001", None),
        ("jigsaws", "1", None),
        ("m2cai16-workflow", "workflow_video_01.mp4", "workflow_video_01"),
        ("m2cai16-workflow", "test_workflow_video_01.txt", "test_workflow_video_01"),
        ("m2cai16-workflow", "video_01", None),
        ("m2cai16-workflow", "test_workflow_video_15", None),
        ("m2cai16-tool", "tool_video_11", "11"),
        ("psi-ava", "CASE007", "psiv7"),
        ("psi-ava", "case_14", "psiv14"),
        ("psi-ava", "CASE041", None),
        ("psi-ava", "7", None),
        ("grasp", "CASE041", "41"),
        ("heichole", "Hei-Chole24.mp4", "24"),
        ("sar-rarp50", "video_41", "41"),
        ("sar-rarp50", "video_11_1", None),
    ],
)
def test_a_dataset_understands_the_names_of_its_own_files(name, text, video):
    assert dataset(name).video(text) == video


@pytest.mark.parametrize(
    ("text", "video"), [("psiv7", "psiv7"), ("PSIV07", "psiv7"), ("psiv 14.json", "psiv14"), ("psiv5", None), ("7", None)]
)
def test_named_videos_of_prostatd(text, video):
    assert dataset("prostatd").video(text) == video


@given(
    st.integers(1, 80),
    st.sampled_from(["", "VID", "vid_", "video", "Video ", "VIDEO-"]),
    st.integers(0, 3),
    st.sampled_from(["", ".json", ".mp4"]),
)
def test_a_spelling_never_changes_the_number(number, prefix, zeros, ending):
    assert dataset("cholec80").video(f"{prefix}{'0' * zeros}{number}{ending}") == str(number)


@given(st.text(max_size=12))
def test_any_text_gives_a_video_of_the_dataset_or_none(text):
    for name in ("cholec80", "prostatd"):
        assert dataset(name).video(text) in {None, *dataset(name).videos}


@given(st.lists(st.integers(0, 99), unique=True))
def test_ranges_are_the_same_list(numbers):
    videos = [str(number) for number in sorted(numbers)]
    assert list(listed(ranges(videos, videos))) == videos
    assert shown(reversed(videos)).split() == videos


def test_lists_and_their_faults():
    assert listed("1-3, 8 esadv1") == ("1", "2", "3", "8", "esadv1")
    for wrong in ("5-2", "1-99999999999"):
        with pytest.raises(ValueError, match="is no range such as 41-80"):
            listed(wrong)


def test_numbers_sort_by_value():
    assert sorted(["10", "2", "psiv14", "psiv7", ""], key=natural) == ["", "2", "10", "psiv7", "psiv14"]
    assert whole_number("1.5") == ""
    assert number_of("12", ()) == "12"
    assert name_of("a1", ["a1"]) == "a1"


def test_an_official_split_becomes_rows_of_a_study():
    rows = catalogue.rows("cholect50/cv", {"quiet-otter": "VID68", "calm-heron": "video 1"})
    assert list(rows.columns) == ["scheme", "fold", "subset", "id"]
    assert rows.dtypes.astype(str).to_dict() == {"scheme": "str", "fold": "int64", "subset": "str", "id": "str"}
    tested = rows[rows.subset == "test"].set_index("id").fold.to_dict()
    # The table numbers folds from 0: 68 is tested in the paper's fold 3, 1 in its fold 5.
    assert tested == {"quiet-otter": 2, "calm-heron": 4}
    assert len(rows) == 10


def test_several_recordings_of_one_video_stay_together():
    rows = catalogue.rows("cholec80/40-40", {"left": "7", "right": "video07", "other": "77"})
    assert rows.set_index("id").subset.to_dict() == {"left": "train", "right": "train", "other": "test"}
    assert set(rows.fold) == {0}


def test_missing_videos_are_listed_and_unknown_ones_refused():
    assert catalogue.missing("cholect50/challenge", {"a": "92", "b": "96"})[-3:] == ("103", "110", "111")
    assert len(catalogue.missing("cholect50/challenge", {})) == 50
    with pytest.raises(SplitError, match=r"cholect50/rdv: 'b' is of 'VID03', which is no video of this split; correct it, or leave it out"):
        catalogue.rows("cholect50/rdv", {"a": "1", "b": "VID03"})
    with pytest.raises(SplitError, match="'x' is of '40'"):
        catalogue.rows("cholec80/4fold", {"x": "40"})


def test_a_study_without_recordings_has_no_rows():
    rows = catalogue.rows("cholec80/40-40", {})
    pd.testing.assert_series_equal(rows.dtypes, catalogue.rows("cholec80/40-40", {"a": "1"}).dtypes)
    assert rows.empty
