"""A file is compared with an official split by content, whatever its columns, folds and spellings are called."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.errors import SplitError
from scrubin.public_splits import catalogue
from scrubin.public_splits.compare import agree, compare
from scrubin.public_splits.sheet import SplitRow, SplitSheet, fold, read, subset


def sheet_of(rows, folds=True):
    """A sheet of (fold, video, subset)."""
    columns = {"video": "video", "subset": "subset", **({"fold": "fold"} if folds else {})}
    return SplitSheet(
        "s.csv", tuple(SplitRow(i, video, part, str(label) if folds else "") for i, (label, video, part) in enumerate(rows, 2)), columns
    )


def rows_of(name):
    return [tuple(row) for row in catalogue.load(name).rows[["fold", "video", "subset"]].itertuples(index=False)]


@pytest.mark.parametrize("name", catalogue.available())
def test_every_split_equals_itself_in_any_order_of_rows(name):
    split, rows = catalogue.load(name), rows_of(name)
    assert compare(split, sheet_of(reversed(rows), folds=len(split.folds) > 1)).equal


@given(st.permutations(range(5)), st.integers(0, 1))
def test_folds_are_matched_by_content_whatever_their_numbers(order, first):
    rows = [(order[label - 1] + first, video, part) for label, video, part in rows_of("cholect50/cv")]
    found = compare(catalogue.load("cholect50/cv"), sheet_of(rows))
    assert found.equal
    assert {diff.official: int(diff.file) - first for diff in found.folds} == {number + 1: order[number] for number in range(5)}


@given(st.data())
def test_the_matching_has_the_fewest_differences_of_all(data):
    subsets = [
        data.draw(st.lists(st.sampled_from(["train", "test"]), min_size=21, max_size=21)) for _ in range(data.draw(st.integers(2, 6)))
    ]
    split = catalogue.load("prostatd/5fold")
    rows = [(i, video, part) for i, parts in enumerate(subsets) for video, part in zip(split.videos, parts, strict=True)]
    found = compare(split, sheet_of(rows))
    costs = [[sum(split.subset_of(k)[v] != p for v, p in zip(split.videos, parts, strict=True)) for k in split.folds] for parts in subsets]
    if len(subsets) <= 5:
        best = min(sum(costs[i][k] for i, k in enumerate(chosen)) for chosen in itertools.permutations(range(5), len(subsets)))
    else:
        best = min(sum(costs[i][k] for k, i in enumerate(chosen)) for chosen in itertools.permutations(range(len(subsets)), 5))
    assert sum(diff.count for diff in found.folds) == best
    assert len(found.folds) == min(5, len(subsets))
    assert len(found.only_official) == max(0, 5 - len(subsets))
    assert len(found.only_file) == max(0, len(subsets) - 5)


@given(st.sampled_from(catalogue.available()), st.data())
def test_every_moved_and_every_missing_video_is_named_and_no_other(name, data):
    split = catalogue.load(name)
    number = data.draw(st.sampled_from(split.folds))
    placed = split.subset_of(number)
    moved = data.draw(st.sets(st.sampled_from(sorted(placed)), max_size=4))
    gone = data.draw(st.sets(st.sampled_from(sorted(set(placed) - moved)), max_size=4))
    other = {"train": "test", "val": "train", "test": "train"}
    rows = [(0, video, other[part] if video in moved else part) for video, part in placed.items() if video not in gone]
    found = compare(split, sheet_of(rows, folds=False), number)
    assert {video.video for video in found.folds[0].elsewhere} == moved
    assert {video for video, _ in found.folds[0].missing} == gone
    assert found.equal == (not moved and not gone)
    assert all(rows[video.line - 2][1] == video.video and video.file == other[video.official] for video in found.folds[0].elsewhere)


def test_one_fold_is_no_cross_validation_and_the_nearest_is_named():
    rows = [row for row in rows_of("cholect50/cv") if row[0] == 3]
    found = compare(catalogue.load("cholect50/cv"), sheet_of(rows, folds=False))
    assert not found.equal
    assert found.nearest.official == 3
    assert found.nearest.count == 0
    assert [diff.official for diff in found.folds] == [1, 2, 3, 4, 5]
    assert compare(catalogue.load("cholect50/cv"), sheet_of(rows, folds=False), 3).equal
    assert not compare(catalogue.load("cholect50/cv"), sheet_of(rows, folds=False), 2).equal


def test_several_folds_are_not_a_split_without_folds():
    rows = [(i, video, part) for i in range(2) for _, video, part in rows_of("cholec80/40-40")]
    found = compare(catalogue.load("cholec80/40-40"), sheet_of(rows))
    assert not found.equal
    assert found.nearest.file == "0"
    single = compare(catalogue.load("cholec80/40-40"), sheet_of(rows[:80]))
    assert single.equal


def test_trainval_agrees_with_train_and_val_but_val_is_not_train():
    rows = [(0, video, "trainval" if part != "test" else part) for _, video, part in rows_of("cholect50/challenge")]
    assert compare(catalogue.load("cholect50/challenge"), sheet_of(rows, folds=False)).equal
    assert not compare(
        catalogue.load("cholect50/challenge"), sheet_of([(0, v, p.replace("trainval", "train")) for _, v, p in rows], folds=False)
    ).equal
    assert not agree("test", "trainval")
    assert not agree("val", "train")


def test_double_unknown_and_incomplete_rows_are_named():
    rows = [(0, "VID01", "train"), (0, "1", "test"), (0, "VID03", "val"), (0, "who", "train"), (0, "", "train"), (0, "2", "")]
    found = compare(catalogue.load("cholect50/rdv"), sheet_of(rows, folds=False))
    assert [(line, fault.what) for line, fault in found.wrong] == [
        (3, "'1' stands already in line 2 as 'VID01', there train, here test"),
        (4, "'VID03' is no video of cholect50"),
        (5, "'who' is no video of cholect50"),
        (6, "'video' is empty"),
        (7, "'subset' is empty"),
    ]
    rows = [(0, "40", "train")]
    sentence = "'40' is a video of cholec80, but not in cholec80/4fold"
    assert (
        compare(catalogue.load("cholec80/4fold"), sheet_of(rows, folds=False)).wrong[0][1].sentence
        == f"s.csv, line 2: {sentence}; correct it or remove the row"
    )


def test_a_row_without_a_fold_is_named_and_makes_no_fold():
    rows = [*rows_of("prostatd/5fold"), ("", "psiv7", "train")]
    found = compare(catalogue.load("prostatd/5fold"), sheet_of(rows))
    assert [fault.sentence for _, fault in found.wrong] == [f"s.csv, line {len(rows) + 1}: 'fold' is empty; fill it in or remove the row"]
    assert found.only_file == ()


def test_several_schemes_are_refused():
    sheet = SplitSheet(
        "s.csv",
        (SplitRow(2, "1", "train", scheme="a"), SplitRow(3, "1", "train", scheme="b")),
        {"video": "id", "subset": "subset", "scheme": "scheme"},
    )
    with pytest.raises(SplitError, match=r"s\.csv: it holds several schemes \('a', 'b'\); keep the rows of the one to compare"):
        compare(catalogue.load("cholec80/40-40"), sheet)


# --- reading ---


@pytest.fixture
def sheet(tmp_path):
    """The sheet of a file of these bytes or text."""

    def sheet(content):
        (tmp_path / "s.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
        return read(tmp_path / "s.csv", "s.csv")

    return sheet


@pytest.mark.parametrize(
    "text",
    [
        "id,subset\n1,train\n2,Testing\n",
        "id;split\n1;train\n2;test\n",
        "\ufeffVideo ID\tSPLIT\r\n1\tTraining\r\n2\ttest\r\n",
        'task;participant;"video";"subset"\n"a,b";7;1;train\n"c;d";8;2;TEST\n',
        "n, video, subset\n\n1, 1, train \n2, 2, test\n\n",
        "id,subset,,\n1,train,,\n2,test,,\n",
    ],
)
def test_any_delimiter_header_and_line_end_is_read(sheet, text):
    of_text = sheet(text)
    assert [(row.video, row.subset) for row in of_text.rows] == [("1", "train"), ("2", "test")]
    assert of_text.folds == ("",)


def test_a_list_of_test_folds_is_a_cross_validation(sheet):
    tested = sheet("video,fold\n" + "".join(f"{v},{k}\n" for k, v, p in rows_of("cholect45/cv") if p == "test"))
    assert compare(catalogue.load("cholect45/cv"), tested).equal
    assert tested.notes == ("there is no column for the subset: a video is taken as tested in its fold and trained on in the others",)


def test_a_second_column_of_a_role_is_ignored_aloud(sheet):
    both = sheet("id,video,subset\na,1,train\nb,2,test\n")
    assert [row.video for row in both.rows] == ["1", "2"]
    assert both.notes == ("column 'video' is taken for the video; 'id' ignored",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"s\.csv: it is empty; write a header"),
        (b"id,subset\n", r"s\.csv: it has a header but no rows; give one row per video"),
        (
            b"1,train\n2,test\n",
            r"s\.csv, line 1: expected a column 'id' or 'video' and a column 'subset' or 'split', but its columns are '1', 'train'",
        ),
        (b"id,name\n1,a\n", r"its columns are 'id', 'name'; add or rename them"),
        (b"id,subset\n1,train\n2\n", r"s\.csv, line 3: expected 2 cells, but got 1: '2'; give one cell per column"),
        (b"id,subset\n1,train,x\n", r"s\.csv, line 2: expected 2 cells, but got 3"),
        (b"id,subset,subset\n1,train,x\n", r"s\.csv, line 1: column 'subset' stands twice; rename or remove one"),
        (b"id,subset,Sub set\n1,train,x\n", r"line 1: the columns 'subset' and 'Sub set' have the same name; rename or remove one"),
        (b"id,subset\n\xff\xfe,train\n", r"s\.csv, line 2: byte 0xff at position 10 is not UTF-8; save it again as CSV UTF-8"),
    ],
)
def test_a_bad_file_is_one_clear_sentence(sheet, content, message):
    with pytest.raises(SplitError, match=message):
        sheet(content)


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(SplitError, match=r"none\.csv: there is no such file; name a CSV file"):
        read(tmp_path / "none.csv", "none.csv")
    with pytest.raises(SplitError, match="here: it is a folder; name a CSV file"):
        read(tmp_path, "here")


def test_names_of_subsets_and_folds():
    assert [subset(text) for text in ("Train", "VALID", "validation", "dev", "Testing", "train+val", "holdout")] == [
        "train", "val", "val", "val", "test", "trainval", "holdout",
    ]  # fmt: skip
    assert [fold(text) for text in ("1", "01", "1.0", "fold 1", "Fold_1", "A", "")] == ["1", "1", "1", "1", "1", "A", ""]
