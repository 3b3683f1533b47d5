"""Every picture and video in any folder is planned, folders hold something, and ids stand in their own order."""

import gzip
import os

import cv2
import numpy as np
import pytest

from scrubin.audit.expected.media_types import is_media
from toy_release import IDS, TASK

FRAME = f"frames/{TASK}/mono/{IDS[0]}/000000.jpg"


@pytest.mark.parametrize("name", ["groundtruth/more.mkv", "more.MKV", "tables/more.mp4", "more.avi"])
def test_a_video_in_any_folder_is_planned(release, name):
    path = release.path(name)
    path.parent.mkdir(exist_ok=True)
    assert "layout" in release.rules_after(lambda: path.write_bytes(release.video.read_bytes()))


@pytest.mark.parametrize("name", ["cover.jpg", "groundtruth/cover.jpeg", "cover.txt", "cover"])
def test_a_picture_in_any_folder_and_under_any_name_is_planned(release, name):
    path = release.path(name)
    path.parent.mkdir(exist_ok=True)
    assert "layout" in release.rules_after(lambda: path.write_bytes(release.path(FRAME).read_bytes()))


def test_a_video_in_a_gzip_is_refused(release):
    path = release.path("more.mkv.gz")
    assert release.rules_after(lambda: path.write_bytes(gzip.compress(release.video.read_bytes(), mtime=0))) == {"layout"}


@pytest.mark.parametrize("suffix", [".png", ".bmp", ".tiff", ".webp"])
def test_pictures_are_known_by_their_first_bytes(suffix):
    encoded = bytes(cv2.imencode(suffix, np.zeros((8, 8, 3), np.uint8))[1])
    assert is_media("notes", encoded[:400])


def test_videos_are_known_by_their_first_bytes_and_texts_are_none():
    heads = (b"\x1a\x45\xdf\xa3", b"\0\0\0\x18ftypisom", b"RIFF....AVI LIST", b"\0\0\x01\xba", (b"G" + bytes(187)) * 3)
    assert all(is_media("notes", head) for head in heads)
    assert not any(
        is_media("notes.csv", text) for text in (b"", b"BM;id\nx;y\nabcdef", b"GRS;id\n" * 90, b"MM;II\n", b"PAR1", b"PK\x03\x04")
    )


def test_extended_attributes_are_found(release):
    try:
        os.setxattr(release.video, "user.xdg.origin.url", b"https://recorder.example/schmidt.mp4")
    except (OSError, AttributeError):
        pytest.skip("the file system has no extended attributes")
    assert release.rules() == {"layout"}


@pytest.mark.parametrize("name", ["extra", "videos/extra", "splits/a/b"])
def test_an_empty_folder_is_refused(release, name):
    assert release.rules_after(lambda: release.path(name).mkdir(parents=True)) == {"layout"}


def test_the_name_of_an_empty_folder_is_searched(release):
    assert release.rules_after(lambda: release.path("Grünwaldner").mkdir()) == {"layout", "private-string"}


def test_folders_that_a_study_may_leave_empty_are_none(release):
    for name in ("groundtruth", "splits"):
        release.path(name).mkdir()
    assert release.rules() == set()


# --- order


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("video;x\n{2};1\n{0};2\n{3};3\n{1};4\n", {"order"}),
        ("x,name\n1,{2}.mkv\n2,{0}.mkv\n3,{3}.mkv\n4,{1}.mkv\n", {"order"}),
        ("video;x\n{0};1\n{1};2\n{2};3\n{3};4\n", set()),
        ("id;next\n{0};{2}\n{1};{3}\n{2};{0}\n{3};{1}\n", set()),  # sorted by one column of ids is sorted
        ("fold,video\n0,{1}\n0,{3}\n1,{0}\n1,{2}\n", set()),
    ],
)
def test_any_column_of_ids_is_sorted(release, text, expected):
    assert release.rules_after(lambda: release.path("more.csv").write_text(text.format(*IDS))) == expected


@pytest.mark.parametrize(
    "text", ["{2}\n{0}\n{3}\n{1}\n", "seen:\n- {2}\n- {0}\n- {1}\n", "1. {3}\n2. {2}\n3. {0}\n", "of {2}, {0} and\n{1}, {3}, {0}\n"]
)
def test_ids_in_a_text_are_sorted(release, text):
    assert release.rules_after(lambda: release.path("more.txt").write_text(text.format(*IDS))) == {"order"}


def test_sorted_ids_and_ids_in_sentences_are_no_fault(release):
    text = "{0}\n{1}\n{2}\n{3}\n\nFirst {2} was good, then {0} was better, at last {1}.\n"
    assert release.rules_after(lambda: release.path("more.txt").write_text(text.format(*IDS))) == set()


@pytest.mark.parametrize("value", ['[["{2}", 1], ["{0}", 2], ["{1}", 3]]', '[{{"who": "{2}"}}, {{"who": "{0}"}}, {{"who": "{1}"}}]'])
def test_ids_in_rows_of_json_are_sorted(release, value):
    assert release.rules_after(lambda: release.path("x.json").write_text(value.format(*IDS))) == {"order"}


def test_checksums_are_sorted_by_name(release):
    path = release.path("SHA256SUMS")
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    assert release.rules() == {"order"}


def test_a_video_is_one_however_its_ending_is_written():
    assert is_media("notes/CASE.MP4", b"")
    assert not is_media("notes/mp4", b"")
