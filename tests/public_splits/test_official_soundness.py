"""A split file is sound, or every fault of it is named with its row."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.errors import SplitError
from scrubin.base.text import csv_text
from scrubin.public_splits.sheet import People, SplitRow, SplitSheet, from_sheet, from_table, read
from scrubin.public_splits.soundness import Question, faults_of, question_of, sizes


def sheet_of(rows, folds=False, schemes=False, **cells):
    """A sheet of (video, subset) or (fold, video, subset); ``cells`` are further columns."""
    columns = {"video": "id", "subset": "subset"} | ({"fold": "fold"} if folds else {}) | ({"scheme": "scheme"} if schemes else {})
    found = []
    for i, values in enumerate(rows):
        row = dict(zip([*(["scheme"] if schemes else []), *(["fold"] if folds else []), "id", "subset"], values, strict=True))
        row |= {name: column[i] for name, column in cells.items()}
        found.append(SplitRow(i + 2, row["id"], row["subset"], row.get("fold", ""), row.get("scheme", ""), row))
    return SplitSheet("s.csv", tuple(found), columns)


def faults(sheet, people=None, repeats=1):
    question = Question(sheet, lambda row: row.video, people, repeats)
    return [(line, f"{fault.what}; {fault.fix}") for line, fault in faults_of(question)]


def people_of(groups=None, pinned=(), table=None, listed=None):
    groups = groups or {}
    return People(table, "participant" if groups else None, "pin" if pinned else None, listed or {}, groups, frozenset(pinned))


GOOD = [("a", "train"), ("b", "train"), ("c", "val"), ("d", "test")]
CROSS = [(str(k), v, "test" if i % 2 == k else "train") for k in range(2) for i, v in enumerate("abcd")]


def test_a_sound_file_has_no_fault():
    assert faults(sheet_of(GOOD)) == []
    assert faults(sheet_of(CROSS, folds=True)) == []
    assert faults(sheet_of([("x", *row) for row in GOOD] + [("y", *row) for row in GOOD], schemes=True)) == []


def test_sizes_by_scheme_and_fold():
    assert sizes(Question(sheet_of(CROSS, folds=True), lambda row: row.video)) == {
        ("", "0"): {"train": 2, "test": 2},
        ("", "1"): {"train": 2, "test": 2},
    }


def test_a_video_twice():
    assert faults(sheet_of([*GOOD, ("a", "test")])) == [
        (6, "video 'a' stands already in line 2, there 'train', here 'test'; place it once")
    ]
    assert faults(sheet_of([*CROSS, ("1", "d", "test")], folds=True)) == [
        (10, "video 'd' stands already in fold 1 in line 9, there 'test', here 'test'; place it once")
    ]


@pytest.fixture
def found(tmp_path):
    """The faults of a file with this text, with the number of their rows."""

    def found(text, *table):
        (tmp_path / "s.csv").write_text(text)
        return faults_of(question_of(read(tmp_path / "s.csv", "s.csv"), *table))

    return found


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("mine,7,train\nmine,7.0,test\n", 3),
        ("mine,P1,train\nMine,p01,test\n", 3),
        (",op7,train\n,op07,test\n", 3),
        ("mine,7,train\n,7.0,test\n", None),
        ("mine,7,train\nyours,7.0,test\n", None),
        ("mine,7,train\nmine,7.5,test\n", None),
    ],
)
def test_a_video_in_two_spellings_is_one_within_its_data_set(found, rows, line):
    spelt = [at for at, fault in found(f"dataset,video,subset\n{rows}") if fault.rule == "video-spelt"]
    assert spelt == ([line] if line else [])


def test_a_data_set_in_two_spellings_is_named_with_its_video(found):
    (spelt,) = (fault for _, fault in found("dataset,video,subset\n1,7,train\n1.0,7,test\n") if fault.rule == "video-spelt")
    assert spelt.what.startswith("video '7' of '1.0' in 'test' differs from '7' of '1' in 'train' (line 2) in ")


@pytest.mark.parametrize(
    ("rows", "is_one"),
    [
        ('cholec80,video01,train\n"Cholec80 ",1,test\n', True),
        (",video01,train\n,1,test\n", True),
        ("m,video01,train\nm,1,test\n", False),
        ("cholec80,video01,train\n,1,test\n", False),
        (",video01,train\n,1,test\n,mine,test\n", False),
        ("Cholec 80,video01,train\ncholec-80,1,test\n", True),
        ("cholec80,video01,train\ncholec80-cvs,1,test\n", False),
    ],
)
def test_videos_of_a_public_data_set_are_known_in_every_spelling(found, rows, is_one):
    whats = [fault.what for _, fault in found(f"dataset,video,subset\n{rows}")]
    assert whats == ["video '1' stands already in line 2 as 'video01', there 'train', here 'test'"] * is_one


@pytest.mark.parametrize("of", ["", ","])
@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("siteA/01", "siteB/01", False),
        ("PegTransfer\\01.mkv", "CircleCutting\\01.mkv", False),
        ("siteA/01", "sitea/1.mkv", True),
        ("01", "siteB/01", True),
        ("cholec80/01", "backup/01", True),
        ("videos/Cholec 80/01", "backup/01", True),
        ("train/01", "test/01", True),
        ("train_a/01", "test1/01", True),
        ("val 2/01", "training_videos/01", True),
        ("valencia/01", "bonn/01", False),
        ("cholec80-frames/01", "Cholec80_v1/01", True),
        ("disk1/VID03", "disk2/VID03", True),
        ("videos/01", "frames/01", True),
        ("rgb_frames/01", "flow/01", True),
        ("v1/01", "v2/01", True),
        ("C:\\data\\01", "D:\\data\\01", True),
        ("video01/1", "video02/1", False),
        ("clips/Video 12/3", "clips/Video 13/3", False),
        ("batch1/01", "batch2/01", False),
        ("video01_v2/1", "video02_v2/1", False),
        ("video01_25fps/1", "video02_25fps/1", False),
        ("mov2/1", "mov3/1", False),
        ("mp4/01", "frames_25 fps/01", True),
        ("Backup_2024-01-05/01", "copy (2)/01", True),
        ("Bern:/01", "Lund:/01", False),
        ("Experts/01", "Trainees/01", False),
        ("testis/01", "kidney/01", False),
        ("trainA/01", "testset2/01", True),
        ("testvideos/01", "tests/01", True),
        ("TrainSetA/01", "TestSetA/01", True),
        ("traincases/01", "testcases/01", True),
        ("trainlist01/1", "testlist01/1", True),
        ("traineesA/01", "trainers/01", False),
        ("trainerA/01", "trainerB/01", False),
        ("trainedA/01", "untrained/01", False),
        ("trainERCP/01", "valERCP/01", True),
        ("trainERC/01", "testERC/01", True),
        ("trainERa/01", "testERa/01", True),
        ("trainers/01", "testIST/01", True),
        ("testESD/01", "testESG/01", True),
        ("testisA/01", "testisB/01", False),
        ("tester1/01", "testersB/01", False),
        ("view1/01", "view2/01", True),
        ("fold1/train/01", "fold2/test/01", True),
        ("frames_fps1/01", "frames_fps25/01", True),
        ("../../op1", "op1", False),
        ("../../a/01", "../b/../../a/01", True),
        ("y/x/../01", "y/01", True),
        ("Bern/01", "Lund/01", False),
        ("C:\\data\\video03", "D:\\backup\\video03", True),
        ("Suturing/Suturing_B001", "video/Suturing_B001", True),
        ("a/Hei-Chole1", "b/Hei-Chole1", True),
        ("Cholec80:video01", "Cholec80: 1", True),
        ("./01", "01", True),
        ("x//01", "./x/01", True),
        ("site A/01", "siteA/01", True),
        ("/data/siteA/01", "siteA/01", True),
        ("x/op1", "./x/op1", True),
    ],
)
def test_a_folder_tells_videos_apart_unless_it_is_that_of_a_public_data_set_or_of_a_subset(found, of, one, other, is_one):
    header = "dataset,video,subset" if of else "video,subset"
    whats = [fault.what for _, fault in found(f"{header}\n{of}{one},train\n{of}{other},test\n")]
    assert whats == [f"video '{other}' stands already in line 2 as '{one}', there 'train', here 'test'"] * is_one


def test_a_folder_tells_only_the_videos_of_its_own_number_apart(found):
    whats = [fault.what[:33] for _, fault in found("video,subset\nsiteA/1,train\nsiteB/1,test\nsiteA/2,train\n2,val\nsiteB/2,test\n")]
    assert whats == ["video '2' stands already in line ", "video 'siteB/2' stands already in"]


def test_folders_of_a_table_tell_videos_apart_of_which_the_file_places_one(found, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("video,participant\nsiteA/01,P1\nsiteB/01,P2\nsiteB/02,P3\n")
    whats = [fault.what for _, fault in found("video,subset\nsiteA/01,train\nsiteB/02,test\n", "t.csv")]
    assert whats == ["video 'siteB/01' (t.csv, line 3) is not placed"]


def test_who_has_two_videos_in_folders_that_tell_nothing_learns_the_way_out(found):
    fixes = [fault.fix for _, fault in found("video,subset\nv1/01,train\nv2/01,test\nv2/1,test\n")]
    assert fixes == ["if they are one, place it once; if not, use names that differ in more than their folder"] * 2


def test_a_stated_public_data_set_has_its_videos_whatever_their_folder(found):
    rows = "cholec80,a/video01,train\ncholec80,b/video01,test\nmine,a/1,train\nmine,b/1,test\n"
    ((_, fault),) = found(f"dataset,video,subset\n{rows}")
    assert fault.what.startswith("video 'b/video01' stands already in line 2 as 'a/video01'")


def test_empty_cells():
    assert faults(sheet_of([*GOOD, ("", "test"), ("e", "")])) == [
        (6, "'id' is empty; fill it in or remove the row"),
        (7, "'subset' is empty (video 'e'); fill it in or remove the row"),
    ]


def test_one_subset_is_no_split():
    assert faults(sheet_of([("a", "train"), ("b", "train")])) == [
        (0, "all videos are in the subset 'train'; a split has two subsets or more")
    ]


def test_an_empty_subset_of_a_fold():
    rows = [("0", "a", "train"), ("0", "b", "test"), ("1", "a", "train"), ("1", "b", "train")]
    assert (0, "the subset 'test' is empty in fold 1; every fold needs a video in it") in faults(sheet_of(rows, folds=True))


def test_folds_with_other_videos():
    rows = [row for row in CROSS if row[:2] != ("1", "b")] + [("1", "e", "test")]
    found = faults(sheet_of(rows, folds=True))
    assert (3, "video 'b' is not placed in fold 1, but in fold 0; place it in every fold") in found
    assert (9, "video 'e' is not placed in fold 0, but in fold 1; place it in every fold") in found


def test_a_video_that_is_never_or_twice_tested():
    rows = [("0", "a", "test"), ("0", "b", "train"), ("0", "c", "train"), ("1", "a", "test"), ("1", "b", "train"), ("1", "c", "test")]
    mend = "not of 1; in a cross-validation each is held out equally often"
    assert faults(sheet_of(rows, folds=True)) == [
        (2, f"video 'a' is in 'test' of 2 of 2 folds (0, 1), {mend}"),
        (3, f"video 'b' is in 'test' of 0 of 2 folds, {mend}"),
    ]


def test_a_repeated_cross_validation_is_sound_when_it_says_so():
    rows = CROSS + [(str(int(k) + 2), v, p) for k, v, p in CROSS]
    assert len(faults(sheet_of(rows, folds=True))) == 4
    assert faults(sheet_of(rows, folds=True), repeats=2) == []


def test_a_cross_validation_without_test_holds_out_val():
    rows = [(k, v, "val" if p == "test" else p) for k, v, p in CROSS]
    assert faults(sheet_of(rows, folds=True)) == []
    assert len(faults(sheet_of([*rows[:4], *[("1", *row[1:]) for row in rows[:4]]], folds=True))) == 4


def test_a_misspelt_subset_is_found_and_an_own_name_is_not():
    assert faults(sheet_of([*GOOD, ("e", "trian")])) == [(6, "the subset 'trian' of video 'e' is no usual name; did you mean 'train'?")]
    assert faults(sheet_of([*GOOD, ("e", "test2"), ("f", "holdout")])) == []


def test_a_group_on_two_sides():
    sheet = sheet_of(GOOD)
    said = "video 'd' of participant 'P2' is in 'test', but video 'b' (line 3) of the same participant is in 'train'; "
    on_two_sides = people_of({"a": "P1", "b": "P2", "c": "P3", "d": "P2"})
    assert faults(sheet, on_two_sides) == [(5, f"{said}keep a participant in one subset")]
    assert faults(sheet, people_of({"a": "P1", "b": "P1", "c": "P3", "d": "P2"})) == []


def test_forgotten_and_unknown_videos():
    people = people_of(table="t.csv", listed={"a": (2, "a"), "b": (3, "b"), "c": (4, "c"), "z": (9, "z")})
    assert faults(sheet_of(GOOD), people) == [
        (5, "video 'd' is not in t.csv; correct it or add it there"),
        (0, "video 'z' (t.csv, line 9) is not placed; add a row for it"),
    ]


def test_pinned_videos_are_in_train_and_need_no_test():
    assert faults(sheet_of(GOOD), people_of(pinned=["a", "d"])) == [
        (5, "video 'd' is marked in 'pin' and must be in 'train', but is in 'test'; move it")
    ]
    rows = [row if row[1] != "a" else (row[0], "a", "train") for row in CROSS]
    assert faults(sheet_of(rows, folds=True), people_of(pinned=["a"])) == []
    assert len(faults(sheet_of(rows, folds=True))) == 1


@pytest.mark.slow
@given(st.permutations(CROSS))
def test_the_order_of_rows_is_irrelevant(rows):
    assert faults(sheet_of(rows, folds=True)) == []


@given(st.lists(st.tuples(st.sampled_from("01"), st.sampled_from("abc"), st.sampled_from(["train", "test"])), min_size=1, max_size=8))
def test_no_fault_means_that_every_promise_holds(rows):
    if faults(sheet_of(rows, folds=True)):
        return
    folds = {k for k, _, _ in rows}
    for k in folds:
        here = [v for fold, v, _ in rows if fold == k]
        assert len(here) == len(set(here))
        assert set(here) == {v for _, v, _ in rows}
        assert {p for fold, _, p in rows if fold == k} == {"train", "test"}
    if len(folds) > 1:
        assert sorted(v for _, v, p in rows if p == "test") == sorted({v for _, v, _ in rows})


# --- who is in which video ---

HEADER = "ID;Participant;strong\n"
TABLE = csv_text.read("t.csv", (HEADER + "a;P1;True\nb;P2;0\na;P1;yes\n").encode())


def test_a_table_tells_groups_and_pins():
    people = from_table(TABLE, sheet_of(GOOD), str, None, "Strong")
    assert (people.table, people.group, people.groups) == ("t.csv", "Participant", {"a": "P1", "b": "P2"})
    assert (people.pinned, people.faults, people.listed) == ({"a"}, (), {"a": (2, "a"), "b": (3, "b")})


def test_faults_of_a_table_are_named():
    table = csv_text.read("t.csv", (HEADER + "a;P1;maybe\na;P2;1\na;P1;0\nb;;0\n;P3;0\n").encode())
    people = from_table(table, sheet_of(GOOD), str, None, "strong")
    assert [fault.sentence for _, fault in people.faults] == [
        "t.csv, line 2: 'maybe' in 'strong' of video 'a' is neither true nor false; correct it",
        "t.csv, line 3: video 'a' has Participant 'P2', but 'P1' before; correct one",
        "t.csv, line 4: video 'a' is both true and false in 'strong'; correct one",
        "t.csv, line 5: video 'b' has no Participant; fill it in",
        "t.csv, line 6: the video is empty; fill it in or remove the row",
    ]
    question = Question(sheet_of(GOOD), lambda row: row.video, people)
    assert {fault for _, fault in faults_of(question)} >= {fault for _, fault in people.faults}


@pytest.mark.parametrize("nobody", ["NA", "n/a", "-", "?", "none", "NULL", "unknown"])
def test_what_names_nobody_is_no_participant(nobody):
    table = csv_text.read("t.csv", f"id,Participant\na,{nobody}\n".encode())
    ((_, fault),) = from_table(table, sheet_of(GOOD), str, None, None).faults
    assert fault.sentence == f"t.csv, line 2: video 'a' has no Participant: '{nobody}' names nobody; fill it in"


def test_a_missing_column_is_named_with_the_nearest():
    with pytest.raises(SplitError, match=r"t\.csv: there is no column 'participants'; did you mean 'Participant'\?"):
        from_table(TABLE, sheet_of(GOOD), str, "participants", None)
    with pytest.raises(SplitError, match=r"u\.csv: there is no column 'id' for the videos; add it; there are 'name'"):
        from_table(csv_text.read("u.csv", b"name\n"), sheet_of(GOOD), str, None, None)


def test_the_split_file_itself_may_tell():
    sheet = replace(sheet_of(GOOD, participant=["P1", "P1", "P2", ""]), headers=("id", "subset", "participant"))
    people = from_sheet(sheet, lambda row: row.video, None, None)
    assert faults(sheet, people) == [(5, "video 'd' has no participant; fill it in")]
    assert from_sheet(sheet_of(GOOD), lambda row: row.video, None, None) is None


def test_a_subset_that_is_written_in_several_ways_is_told_with_every_other_spelling(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("id,subset\na,train\nb,Train\nc,train \ne,train\nd,test\n")
    fix = "write it alike; other programs take it for another subset"
    assert faults(read(path, "s.csv")) == [
        (line, f"the subset of video '{video}' is written '{written}', of others 'train'; {fix}")
        for line, video, written in ((3, "b", "Train"), (4, "c", "train "))
    ]
    path.write_text("id,subset\na,Train\nb,Train\nd,Test\n")
    assert faults(read(path, "s.csv")) == []
