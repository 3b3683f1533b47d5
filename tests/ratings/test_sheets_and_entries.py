"""Every row of a rater sheet is checked; what is wrong is named by file, row and value."""

import math
import random
import re
import unicodedata

import pytest

from scrubin.base.errors import RatingsError
from scrubin.base.tables.io import conform
from scrubin.base.tables.public import RATINGS
from scrubin.ratings.entries import read_entries
from scrubin.ratings.rater_files import look_folder, read_folder, unread_tables

TASKS = {"papepu": "Knot", "nonidu": "Knot", "golaso": "Knot", "tiridi": "Peg", "fipupa": "Peg"}
GOOD = ["raw papepu;1;3;3;4;5;15", "nonidu;1;1;2;3;4;10", "golaso;1;;;;;"]
MARKS = "id;needle_dropped;fewer_than_three_throws"


@pytest.fixture
def read(make_roster, make_params):
    def read(folder, hidden=(), **changes):
        roster = make_roster(TASKS, hidden)
        return read_entries(read_folder(folder, roster.tasks), roster, make_params(**changes))

    return read


def test_a_sheet_becomes_rows_of_the_declared_table(write_sheet, read):
    entries = read(write_sheet("Knot_rater1.csv", GOOD))
    ratings = conform(RATINGS, entries.ratings)
    assert len(ratings) == 15
    scores = {(row.id, row.aspect): row.score for row in ratings.itertuples()}
    assert scores["papepu", "GRS"] == 15
    assert scores["nonidu", "tissue_handling"] == 4
    assert set(ratings.rater) == {"1"}


def test_all_scores_empty_marks_the_recording_as_failed(write_sheet, read):
    ratings = read(write_sheet("Knot_rater1.csv", GOOD)).ratings
    failed = ratings[ratings.failed]
    assert set(failed.id) == {"golaso"}
    assert len(failed) == 5
    assert failed.score.isna().all()
    assert ratings[~ratings.failed].score.notna().all()


def test_the_order_of_rows_and_columns_is_irrelevant(write_sheet, read):
    first = read(write_sheet("Knot_rater1.csv", GOOD)).ratings
    names = ["tissue_handling", "GRS", "id", "efficiency", "rater", "bimanual_dexterity", "depth_perception"]
    rows = ["5;15;papepu;3;1;4;3", "4;10;nonidu;2;1;3;1", ";;golaso;;1;;"]
    random.Random(3).shuffle(rows)
    second = read(write_sheet("Knot_rater1.csv", rows, header=";".join(names))).ratings
    assert first.equals(second)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("missing", ["", "NaN", "N/A", "-", "null"])
def test_missing_scores_are_spelled_in_any_way_with_any_delimiter(missing, delimiter, write_sheet, read):
    header = delimiter.join(["id", "rater", "depth_perception", "efficiency", "bimanual_dexterity", "tissue_handling", "GRS"])
    rows = [["papepu", "1", "3", "3", "4", "5", "15"], ["golaso", "1", *[missing] * 5]]
    ratings = read(write_sheet("Knot_rater1.csv", [delimiter.join(row) for row in rows], header=header)).ratings
    assert set(ratings.id[ratings.failed]) == {"golaso"}
    assert ratings.score.notna().sum() == 5


def test_every_wrong_row_is_named_at_once(write_sheet, read):
    write_sheet("Peg_rater1.csv", ["tiridi;1;9;3;4;5;21"])
    with pytest.raises(RatingsError) as refused:
        read(write_sheet("Knot_rater1.csv", ["papepu;1;3;3;4;6;16", "nonidu;1;1;2;3;4;10", "golaso;1;1;1;1;1;5"]))
    found = [(fault.file.rsplit("/", 1)[-1], fault.place, fault.rule) for fault in refused.value.faults]
    assert found == [
        ("Knot_rater1.csv", "line 2", "score-scale"),
        ("Knot_rater1.csv", "line 4", "score-sum"),
        ("Peg_rater1.csv", "line 2", "score-scale"),
    ]


def test_recordings_that_are_not_released_are_left_out_and_counted(write_sheet, read):
    folder = write_sheet("Knot_rater1.csv", GOOD)
    write_sheet("Knot_rater1_errors.csv", ["papepu;True;False", "nonidu;False;False"], header=MARKS)
    entries = read(folder, hidden=("papepu", "golaso"))
    assert set(entries.ratings.id) == {"nonidu"}
    assert set(entries.marks.id) == {"nonidu"}
    assert entries.left_out == {"scores": 2, "errors": 1}


def test_no_sheets_give_empty_tables(tmp_path, read):
    entries = read(tmp_path)
    assert len(conform(RATINGS, entries.ratings)) == 0
    assert len(entries.marks) == 0


def test_a_missing_folder_is_an_error(tmp_path, read):
    with pytest.raises(RatingsError, match=r"ratings: there is no such folder; make it"):
        read(tmp_path / "ratings")


BAD_ROWS = {
    "out of scale": ("papepu;1;3;3;4;6;16", r"Knot_rater1.csv, line 3: tissue_handling is 6, not on the scale from 1 to 5"),
    "below the scale": ("papepu;1;0;3;4;5;12", r"line 3: depth_perception is 0, not on the scale"),
    "between two points": ("papepu;1;2.5;3;4;5;14.5", r"depth_perception is 2.5, not on the scale from 1 to 5 in steps of 1"),
    "half filled": ("papepu;1;3;;4;5;12", r"line 3: efficiency empty beside given scores; fill in all, or none"),
    "total without aspects": ("papepu;1;;;;;12", r"depth_perception, efficiency, .* empty beside given scores"),
    "aspects without total": ("papepu;1;3;3;4;5;", r"line 3: GRS empty beside given scores"),
    "wrong sum": ("papepu;1;3;3;4;5;16", r"line 3: GRS is 16, but the aspects add up to 15"),
    "thousands": ("papepu;1;3,000;3;4;5;15", r"line 3: depth_perception is '3,000': a decimal separator, or one of thousands\?"),
    "not a number": ("papepu;1;nan;3;4;5;15", r"depth_perception is 'nan', not a number"),
    "another rater": ("papepu;2;3;3;4;5;15", r"line 3: rater is '2', but the file name says '1'"),
    "unknown id": ("papepo;1;3;3;4;5;15", r"line 3: id 'papepo' is neither .* did you mean 'papepu'"),
    "another task": ("tiridi;1;3;3;4;5;15", r"line 3: id 'tiridi' is a recording of Peg, not of Knot"),
    "twice": ("nonidu;1;3;3;4;5;15", r"line 3: id 'nonidu' stands twice, first in line 2"),
    "twice under both names": ("raw nonidu;1;3;3;4;5;15", r"line 3: id 'raw nonidu' stands twice, first in line 2"),
    "too few cells": ("papepu;1;3;3;4;5", r"line 3: expected 7 cells, but got 6"),
    "empty id": (";1;3;3;4;5;15", r"line 3: id '' is neither"),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_a_bad_row_is_named_with_file_row_and_value(case, write_sheet, read):
    row, message = BAD_ROWS[case]
    with pytest.raises(RatingsError, match=message):
        read(write_sheet("Knot_rater1.csv", ["nonidu;1;1;2;3;4;10", row]))


@pytest.mark.parametrize(("listed", "written"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_an_id_that_only_looks_like_a_recording_says_so(make_roster, listed, written):
    name = unicodedata.normalize(listed, "Ö")
    with pytest.raises(RatingsError, match=f"'{name}' looks the same and is not: one of them writes letters and their marks apart"):
        make_roster({name: "Knot"}).find("Knot", unicodedata.normalize(written, "Ö"))


def test_a_bad_row_of_an_unreleased_recording_is_an_error_too(write_sheet, read):
    with pytest.raises(RatingsError, match="not on the scale"):
        read(write_sheet("Knot_rater1.csv", ["papepu;1;3;3;4;6;16"]), hidden=("papepu",))


BAD_HEADERS = {
    "id;rater;depth_perception;efficiency;bimanual;tissue_handling;GRS": r"line 1: column 'bimanual' is unknown",
    "id;rater;depth_perception;eficiency;bimanual_dexterity;tissue_handling;GRS": r"'eficiency' is unknown; did you mean 'efficiency'",
    "id;rater;depth_perception;efficiency;bimanual_dexterity;GRS": r"line 1: column 'tissue_handling' is missing",
    "id,rater,depth_perception,efficiency": r"line 1: columns 'bimanual_dexterity', 'tissue_handling' are missing",
}


@pytest.mark.parametrize("header", BAD_HEADERS)
def test_a_bad_header_is_named(header, write_sheet, read):
    with pytest.raises(RatingsError, match=BAD_HEADERS[header]):
        read(write_sheet("Knot_rater1.csv", [], header=header))


BAD_NAMES = {
    "Knot_rater.csv": "expected a name such as",
    "Knot_errors.csv": "expected a name such as",
    "Knot_rater_errors.csv": "expected a name such as",
    "Knot_raterSchmidt.csv": "the name of a rater would be published; number the raters",
    "Knot_raterSchmidt_errors.csv": "number the raters, as in PegTransfer_rater1.csv",
    "Knot_rater1b.csv": "number the raters",
    "Knot_rater1 (1).csv": r"after '_rater' stands '1 \(1\)', no number",
    "Knot_Rater1.csv": "'_rater' and '.csv' in small letters",
    "Knott_rater1.csv": "no recording of task 'Knott'; did you mean 'Knot'",
}


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_file_name_is_an_error_because_a_typo_would_lose_ratings(name, write_sheet, read):
    with pytest.raises(RatingsError, match=BAD_NAMES[name]):
        read(write_sheet(name, GOOD))


def test_error_marks_are_read_per_rater(write_sheet, read):
    folder = write_sheet("Knot_rater1_errors.csv", ["papepu;True;False", "raw nonidu;FALSE;true"], header=MARKS)
    marks = read(folder).marks
    found = {(row.id, row.error): row.marked for row in marks.itertuples()}
    assert found == {
        ("papepu", "needle_dropped"): True,
        ("papepu", "fewer_than_three_throws"): False,
        ("nonidu", "needle_dropped"): False,
        ("nonidu", "fewer_than_three_throws"): True,
    }


BAD_MARKS = {
    "empty cell": ("papepu;True;", MARKS, r"Knot_rater1_errors.csv, line 2: fewer_than_three_throws is ''; write True or False"),
    "a number": ("papepu;1;0", MARKS, r"needle_dropped is '1'"),
    "unknown error": ("papepu;True;False", "id;needle_dropped;knot", r"column 'knot' is unknown"),
    "missing error": ("papepu;True", "id;needle_dropped", r"column 'fewer_than_three_throws' is missing"),
}


@pytest.mark.parametrize("case", BAD_MARKS)
def test_a_bad_error_mark_is_named(case, write_sheet, read):
    row, header, message = BAD_MARKS[case]
    with pytest.raises(RatingsError, match=message):
        read(write_sheet("Knot_rater1_errors.csv", [row], header=header))


def test_marks_of_a_task_without_declared_errors_are_an_error(write_sheet, read):
    with pytest.raises(RatingsError, match=r"names no errors of Peg; add 'scores.errors.Peg'"):
        read(write_sheet("Peg_rater1_errors.csv", ["tiridi;True"], header="id;dropped"), errors={}, failure_rules={})


def test_a_name_that_means_two_recordings_is_an_error(make_tables, make_params, write_sheet):
    from scrubin.ratings.rater_sheet import roster_of

    recordings, linkage, videos = make_tables({"papepu": "Knot", "nonidu": "Knot"})
    renamed = recordings.replace({"recording": {"raw nonidu": "papepu"}})
    linkage = linkage.replace({"recording": {"raw nonidu": "papepu"}})
    roster = roster_of(renamed, linkage, videos)
    folder = write_sheet("Knot_rater1.csv", ["papepu;1;3;3;4;5;15"])
    with pytest.raises(RatingsError, match="'papepu' is the name of one recording and the released id of another"):
        read_entries(read_folder(folder, roster.tasks), roster, make_params())


def test_a_total_column_may_be_missing(write_sheet, read):
    header = "id;depth_perception;efficiency;bimanual_dexterity;tissue_handling"
    ratings = read(write_sheet("Knot_rater1.csv", ["papepu;3;3;4;5", "golaso;;;;"], header=header)).ratings
    totals = ratings[ratings.aspect == "GRS"].set_index("id").score
    assert totals["papepu"] == 15
    assert math.isnan(totals["golaso"])


@pytest.mark.parametrize("second", ["Knot_rater01.csv", "ratings.csv"])
def test_two_files_of_one_rater_are_an_error_although_they_share_no_recording(second, write_sheet, read):
    write_sheet("Knot_rater1.csv", ["papepu;1;3;3;4;5;15"])
    folder = write_sheet("Knot_rater01.csv", ["nonidu;1;1;2;3;4;10"])
    if second == "ratings.csv":
        (folder / "Knot_rater01.csv").unlink()
        header = "id,task,rater,depth_perception,efficiency,bimanual_dexterity,tissue_handling"
        write_sheet("ratings.csv", ["nonidu,Knot,1,1,2,3,4"], header=header)
    with pytest.raises(RatingsError, match=r"task Knot, rater 1 is also in .*Knot_rater0?1\.csv; join the two"):
        read(folder)


@pytest.mark.parametrize("task", ["Knot_split", "Knot_errors", "differences", "x_agreement"])
@pytest.mark.parametrize("long", [True, False])
def test_a_task_named_like_a_file_of_ours_is_an_error(task, long, write_sheet, make_roster, make_params):
    roster = make_roster({"papepu": task, "nonidu": task})
    header = "id,task,rater,depth_perception,efficiency,bimanual_dexterity,tissue_handling"
    if long:
        folder = write_sheet("ratings.csv", [f"papepu,{task},1,1,2,3,4"], header=header)
    else:
        folder = write_sheet(f"{task}_rater1.csv", ["papepu;1;1;2;3;4;10"])
    with pytest.raises(RatingsError, match=rf"\.csv(, line 2)?: task '{task}' cannot be part of a file name"):
        read_entries(read_folder(folder, roster.tasks), roster, make_params())


SHEET = ["papepu;1;3;3;4;5;15"]
NOT_CSV = r"its name does not end in \.csv, and no row of it is read; save it as CSV UTF-8, with a name such as PegTransfer_rater1\.csv"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Knot_rater3.tsv", NOT_CSV),
        ("Knot_rater3.csv.txt", NOT_CSV),
        ("Knot_rater3_errors.csv.txt", NOT_CSV),
        ("Knot_rater_3.tsv", NOT_CSV),
        ("Knot_rater3.csv.dvc", NOT_CSV),
        ("St. Knot_rater3.tab", NOT_CSV),
        ("Knot_raterAnna.tsv", NOT_CSV),
        ("Knot_rater_A.tsv", NOT_CSV),
        ("ratings.tsv", NOT_CSV),
        ("errors.csv.txt", NOT_CSV),
        ("Knot_rater3.XLSX", r"it is a spreadsheet \(\.xlsx\), and no row of it is read; save it as CSV"),
        ("Knot_rater3.CSV", "expected a name such as PegTransfer_rater1.csv: the task, '_rater' and '.csv' in small letters"),
        ("Knot/Knot_rater3.csv", "it lies in a folder below the rater sheets, and no row of it is read; move it into .*, as CSV"),
        ("Knot/more/Knot_rater3.CSV", "it lies in a folder below the rater sheets"),
        ("Knot/rater3.csv", "it lies in a folder below the rater sheets"),
        ("raters of 2024/ratings.csv", "it lies in a folder below the rater sheets"),
    ],
)
def test_a_rater_sheet_that_nothing_reads_is_an_error_and_never_one_rater_fewer(name, says, write_sheet):
    folder = write_sheet("Knot_rater1.csv", SHEET)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("\n".join(SHEET))
    with pytest.raises(RatingsError, match=rf"{re.escape(name)}: {says}"):
        read_folder(folder, ["Knot"])


@pytest.mark.parametrize(
    "name",
    [
        *("~$Knot_rater3.xlsx", "._Knot_rater3.csv", ".old/Knot_rater3.csv", "__MACOSX/Knot_rater3.csv"),
        *("README", "ratings", "rater3.docx", "ratings.pdf", "scans/Knot_rater3.pdf", "errors.txt", "Knot_rater3.txt", "notes_rater3.txt"),
        *("Knot_rater3_notes.txt", "Knot_rater3 (1).csv.txt", "Knot_rater1_comments.csv.txt", "Knot_rater3_comments.xlsx"),
        *("Knot_raters.xlsx", "Knot_rater_comments.xlsx", "inter_rater_agreement.xlsx", "stats/errors.xlsx", "the form.tsv", "forms/a.csv"),
        # The sheet of this name is there.
        *("Knot_rater1.xlsx", "Knot_rater1.csv.dvc", "Knot_rater1.csv~", "old/Knot_rater1.csv", "Knot_rater1.tsv"),
    ],
)
def test_what_is_no_rater_sheet_or_stands_beside_one_of_its_name_is_let_be(name, write_sheet):
    folder = write_sheet("Knot_rater1.csv", SHEET)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("x")
    assert [sheet.rater for sheet in read_folder(folder, ["Knot"])] == ["1"]


def test_originals_and_scans_beside_a_long_table_with_their_task_and_rater_stop_nothing(tmp_path):
    (tmp_path / "ratings.csv").write_text("id,task,rater,a,b,c,d,GRS\npapepu,Knot,1,3,3,4,5,15\npapepu,Knot,2,3,3,4,5,15\n")
    for name in ("scans/Knot_rater1.pdf", "originals/Knot_rater1.xlsx", "Knot_rater02.xlsx", "Knot/rater2.ods"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    sheets = read_folder(tmp_path, ["Knot"])
    assert [sheet.rater for sheet in sheets] == ["1", "2"]
    assert [(unread.fault.file, unread.is_meant) for unread in unread_tables(tmp_path, sheets)] == [
        (str(tmp_path / name), False) for name in ("Knot/rater2.ods", "originals/Knot_rater1.xlsx")
    ]
    for name in ("Knot_rater3.xlsx", "originals/Knot_rater1_errors.xlsx"):
        (tmp_path / name).write_text("x")
        with pytest.raises(RatingsError, match=re.escape(f"{name}: it ")):
            read_folder(tmp_path, ["Knot"])
        (tmp_path / name).unlink()
    (tmp_path / "ratings.csv").write_text("id,task\n")
    assert {fault.file for fault in look_folder(tmp_path, ["Knot"])[1]} == {str(tmp_path / "ratings.csv")}


def test_a_table_that_may_have_ratings_of_its_own_is_said_and_a_copy_or_document_is_not(write_sheet):
    folder = write_sheet("Knot_rater1.csv", SHEET)
    said = [
        "Knot_rater3.txt",
        "Nord/Knot_rater1.csv",
        "Nord/Knot_rater1.txt",
        "Nord/Knot_rater1.xlsx",
        "Sued/KNOT_rater01.tsv",
        "forms/a.csv",
    ]
    for name in (*said, "old/Knot_rater1.csv", "Knot_rater1.xlsx", "originals/Knot_rater1.xlsx", "Knot_rater3.pdf", "Knot_rater3.mp4"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("an original" if name.startswith(("Knot_rater1.", "originals")) else "x")
    (folder / "old/Knot_rater1.csv").write_bytes((folder / "Knot_rater1.csv").read_bytes())
    found = unread_tables(folder, read_folder(folder, ["Knot"]))
    assert [(unread.fault.file, unread.is_meant) for unread in found] == [(str(folder / name), False) for name in said]
    assert all(unread.fault.fix.endswith("; leave it if it has no ratings of its own") for unread in found)
