"""Every picture and video in any folder is planned, folders hold something, and ids stand in their own order."""

import gzip
import json
import os

import cv2
import numpy as np
import pytest

from scrubin.audit.expected.media_types import is_media
from toy_release import IDS, TASK, breaking


def test_a_picture_or_video_in_any_folder_and_under_any_name_is_planned(release):
    film, still = release.video.read_bytes(), release.path(f"frames/{TASK}/mono/{IDS[0]}/000000.jpg").read_bytes()
    files = dict.fromkeys(("groundtruth/more.mkv", "more.MKV", "tables/more.mp4", "more.avi"), film)
    files |= dict.fromkeys(("cover.jpg", "groundtruth/cover.jpeg", "cover.txt", "cover"), still)
    found = release.rules_by_file({**files, "more.mkv.gz": gzip.compress(film, mtime=0)})
    assert found.pop("more.mkv.gz") == {"layout"}
    assert {name for name, rules in found.items() if "layout" in rules} == files.keys() == found.keys()


@pytest.mark.parametrize("suffix", [".png", ".bmp", ".tiff", ".webp"])
def test_pictures_are_known_by_their_first_bytes(suffix):
    encoded = bytes(cv2.imencode(suffix, np.zeros((8, 8, 3), np.uint8))[1])
    assert is_media("notes", encoded[:400])


def test_videos_are_known_by_their_first_bytes_or_their_ending_and_texts_are_none():
    heads = (b"\x1a\x45\xdf\xa3", b"\0\0\0\x18ftypisom", b"RIFF....AVI LIST", b"\0\0\x01\xba", (b"G" + bytes(187)) * 3)
    assert all(is_media("notes", head) for head in heads)
    texts = (b"", b"BM;id\nx;y\nabcdef", b"GRS;id\n" * 90, b"MM;II\n", b"PAR1", b"PK\x03\x04")
    assert not any(is_media("notes.csv", text) for text in texts)
    assert [is_media(name, b"") for name in ("notes/CASE.MP4", "notes/mp4")] == [True, False]


def test_extended_attributes_are_found(release):
    try:
        os.setxattr(release.video, "user.xdg.origin.url", b"https://recorder.example/schmidt.mp4")
    except (OSError, AttributeError):
        pytest.skip("the file system has no extended attributes")
    assert release.rules() == {"layout"}


def test_an_empty_folder_is_refused_and_its_name_searched_but_for_those_that_a_study_may_leave_empty(release):
    refused = ("extra", "videos/extra", "frames/a/b", "splits/a/b")
    for name in (*refused, "Grünwaldner", "groundtruth", "splits"):
        release.path(name).mkdir(parents=True, exist_ok=True)
    assert release.broken() == {**breaking(refused, "layout"), "Grünwaldner": {"layout", "private-string"}}


# --- order


WRONG = (
    ("csv", "id;x\n{2};1\n{0};2\n{3};3\n{1};4\n"),
    ("csv", "number;id\n1;{2}\n2;{0}\n3;{3}\n4;{1}\n"),
    ("csv", "video;x\n{2};1\n{0};2\n{3};3\n{1};4\n"),
    ("csv", "x,name\n1,{2}.mkv\n2,{0}.mkv\n3,{3}.mkv\n4,{1}.mkv\n"),
    ("txt", "{2}\n{0}\n{3}\n{1}\n"),
    ("txt", "seen:\n- {2}\n- {0}\n- {1}\n"),
    ("txt", "1. {3}\n2. {2}\n3. {0}\n"),
    ("txt", "of {2}, {0} and\n{1}, {3}, {0}\n"),
    ("json", '["{2}", "{0}", "{1}"]'),
    ("json", '{{"{2}": 1, "{0}": 2, "{1}": 3}}'),
    ("json", '[{{"id": "{3}"}}, {{"id": "{2}"}}, {{"id": "{1}"}}, {{"id": "{0}"}}]'),
    ("json", '[["{2}", 1], ["{0}", 2], ["{1}", 3]]'),
    ("json", '[{{"who": "{2}"}}, {{"who": "{0}"}}, {{"who": "{1}"}}]'),
)
RIGHT = (
    ("csv", "fold,id\n0,{1}\n0,{3}\n1,{0}\n1,{2}\n"),
    ("csv", "fold,subset,id\n0,train,{1}\n0,train,{3}\n0,test,{0}\n0,test,{2}\n"),
    ("csv", "id,frame\n{0},0\n{0},1\n{1},0\n{1},1\n{2},0\n{3},0\n"),
    ("csv", "video;x\n{0};1\n{1};2\n{2};3\n{3};4\n"),
    ("csv", "id;next\n{0};{2}\n{1};{3}\n{2};{0}\n{3};{1}\n"),  # sorted by one column of ids is sorted
    ("csv", "fold,video\n0,{1}\n0,{3}\n1,{0}\n1,{2}\n"),
    ("txt", "{0}\n{1}\n{2}\n{3}\n\nFirst {2} was good, then {0} was better, at last {1}.\n"),
)


def test_ids_stand_in_their_own_order_in_rows_lists_keys_and_lines_at_least_within_a_subset(release):
    wrong, right = (
        {f"splits/{name}{number}.{suffix}": text.format(*IDS) for number, (suffix, text) in enumerate(texts)}
        for name, texts in (("wrong", WRONG), ("right", RIGHT))
    )
    assert all(json.loads(text) for name, text in wrong.items() if name.endswith("json"))
    assert release.rules_by_file(wrong | right) == breaking(wrong, "order")


def test_checksums_are_sorted_by_name(release):
    path = release.path("SHA256SUMS")
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    assert release.rules() == {"order"}
