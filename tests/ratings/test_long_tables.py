"""One long table instead of a sheet per task and rater: the same ratings, the same checks."""

import random

import pytest

from scrubin.base.errors import RatingsError
from scrubin.ratings.entries import read_entries
from scrubin.ratings.rater_files import read_folder

TASKS = {"papepu": "Knot", "nonidu": "Knot", "golaso": "Knot", "tiridi": "Peg", "fipupa": "Peg"}
ASPECTS = ("depth_perception", "efficiency", "bimanual_dexterity", "tissue_handling")
WIDE = "id,task,rater,depth_perception,efficiency,bimanual_dexterity,tissue_handling,GRS"
MOLTEN = "id,task,rater,aspect,score"
MARKS = "id,task,rater,error,marked"
GOOD = [
    "raw papepu,Knot,1,3,3,4,5,15",
    "nonidu,Knot,1,1,2,3,4,10",
    "golaso,Knot,1,,,,,",
    "papepu,Knot,2,2,2,2,2,8",
    "tiridi,Peg,1,5,5,5,5,20",
]
SHEETS = {
    "Knot_rater1.csv": ["raw papepu;1;3;3;4;5;15", "nonidu;1;1;2;3;4;10", "golaso;1;;;;;"],
    "Knot_rater2.csv": ["papepu;2;2;2;2;2;8"],
    "Peg_rater1.csv": ["tiridi;1;5;5;5;5;20"],
}


def molten(rows, total=True):
    """The rows of a wide table with one row per aspect."""
    found = []
    for row in rows:
        id_, task, rater, *scores = row.split(",")
        names = [*ASPECTS, "GRS"] if total else ASPECTS
        found += [f"{id_},{task},{rater},{name},{score}" for name, score in zip(names, scores, strict=False)]
    return found


@pytest.fixture
def read(make_roster, make_params):
    def read(folder, **changes):
        roster = make_roster(TASKS)
        return read_entries(read_folder(folder, roster.tasks), roster, make_params(**changes))

    return read


@pytest.fixture
def from_sheets(tmp_path, read):
    header = "id;rater;depth_perception;efficiency;bimanual_dexterity;tissue_handling;GRS"
    folder = tmp_path / "sheets"
    folder.mkdir()
    for name, rows in SHEETS.items():
        (folder / name).write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return read(folder).ratings


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("form", ["wide", "wide without total", "molten", "molten without total"])
def test_every_form_of_a_long_table_gives_the_ratings_of_the_sheets(form, delimiter, write_sheet, read, from_sheets):
    header, rows = WIDE, GOOD
    if form == "wide without total":
        header, rows = WIDE.removesuffix(",GRS"), [row.rsplit(",", 1)[0] for row in GOOD]
    elif form.startswith("molten"):
        header, rows = MOLTEN, molten(GOOD, total=form == "molten")
    mixed = random.Random(5).sample(rows, len(rows))
    folder = write_sheet("ratings.csv", [row.replace(",", delimiter) for row in mixed], header=header.replace(",", delimiter))
    assert read(folder).ratings.equals(from_sheets)


def test_a_table_as_pandas_and_spreadsheets_write_it_is_read(write_sheet, read, from_sheets):
    rows = ['"raw papepu ", Knot,1.0,3.0,3,4.0,5,15.0', "nonidu,Knot,01,1,2,3,4,10", "golaso,Knot,1,NaN,nan,NA,,", *GOOD[3:], ",,,,,,,"]
    folder = write_sheet("ratings.csv", [*(f"{row},," for row in rows), ""], header=f"{WIDE},,")
    path = folder / "ratings.csv"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert read(folder).ratings.equals(from_sheets)


def test_a_long_table_and_sheets_add_up(write_sheet, read, from_sheets):
    write_sheet("ratings.csv", GOOD[:3], header=WIDE)
    write_sheet("Knot_rater2.csv", SHEETS["Knot_rater2.csv"])
    assert read(write_sheet("Peg_rater1.csv", SHEETS["Peg_rater1.csv"])).ratings.equals(from_sheets)


def test_a_recording_rated_in_a_table_and_in_a_sheet_is_an_error_that_names_both_places(write_sheet, read):
    folder = write_sheet("ratings.csv", GOOD, header=WIDE)
    write_sheet("Knot_rater01.csv", ["golaso;1;2;2;2;2;8", "papepu;1;3;3;4;5;15"])
    # Sheets are read in the order of their names.
    with pytest.raises(
        RatingsError, match=r"ratings\.csv, line 2: id 'raw papepu' stands twice, first in .*Knot_rater01\.csv, line 3; remove"
    ):
        read(folder)


def test_marks_in_a_table_and_in_a_sheet_are_an_error_too(write_sheet, read):
    folder = write_sheet("errors.csv", ["tiridi,Peg,1,dropped,True"], header=MARKS)
    write_sheet("Peg_rater1_errors.csv", ["raw tiridi;False"], header="id;dropped")
    with pytest.raises(RatingsError, match=r"errors\.csv, line 2: id 'tiridi' stands twice, first in .*Peg_rater1_errors\.csv, line 2"):
        read(folder)


def test_marks_of_all_tasks_stand_in_one_table(write_sheet, read):
    rows = ["papepu,Knot,1,fewer_than_three_throws,FALSE", "tiridi,Peg,2,dropped,true", "raw papepu,Knot,2,needle_dropped,True"]
    rows += ["papepu,Knot,1,needle_dropped,True", "raw papepu,Knot,2,fewer_than_three_throws,False"]
    marks = read(write_sheet("errors.csv", rows, header=MARKS)).marks
    assert {(row.id, row.rater, row.error): row.marked for row in marks.itertuples()} == {
        ("papepu", "1", "needle_dropped"): True,
        ("papepu", "1", "fewer_than_three_throws"): False,
        ("papepu", "2", "needle_dropped"): True,
        ("papepu", "2", "fewer_than_three_throws"): False,
        ("tiridi", "2", "dropped"): True,
    }


# What is wrong with the scores themselves is found as in a sheet.
BAD_ROWS = {
    "half filled by pandas": ("papepu,Knot,1,3,NaN,4,5,12", r"line 3: efficiency is 'NaN', not a number, beside given scores"),
    "decimal comma": ('papepu,Knot,1,"3,0",3,4,5,15', r"line 3: depth_perception is '3,0', not a number"),
    "decimal comma without quotes": ("papepu,Knot,1,3,0,3,4,5,15", r"line 3: expected 8 cells, but got 9: 'papepu,Knot,1,3,0,"),
    "digits of another script": ("papepu,Knot,1,٣,3,4,5,15", r"depth_perception is '٣', not a number"),
    "unknown task": ("papepu,Knott,1,3,3,4,5,15", r"line 3: the manifest has no recording of task 'Knott'; did you mean 'Knot'"),
    "no task": ("papepu,,1,3,3,4,5,15", r"line 3: the manifest has no recording of task ''"),
    "twice": ("nonidu,Knot,01,3,3,4,5,15", r"line 3: id 'nonidu' stands twice, first in line 2"),
    "named rater": ("papepu,Knot,Schmidt,3,3,4,5,15", r"line 3: rater is 'Schmidt', not a number; the name of a rater would be published"),
    "no rater": ("papepu,Knot,,3,3,4,5,15", r"line 3: rater is empty"),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_a_bad_row_is_named_with_file_row_and_value(case, write_sheet, read):
    row, message = BAD_ROWS[case]
    with pytest.raises(RatingsError, match=message):
        read(write_sheet("ratings.csv", ["nonidu,Knot,1,1,2,3,4,10", row], header=WIDE))


ONE = molten(["papepu,Knot,1,1,2,3,4,10"])
BAD_MOLTEN = {
    "out of scale": ([*ONE[:3], "papepu,Knot,1,tissue_handling,7"], r"ratings\.csv, line 5: tissue_handling is 7, not on the scale"),
    "wrong sum": ([*ONE[:4], "papepu,Knot,1,GRS,11"], r"line 6: GRS is 11, but the aspects add up to 10"),
    "half filled": ([ONE[0], "papepu,Knot,1,efficiency,", *ONE[2:]], r"line 3: efficiency empty beside given scores"),
    "a missing row": (ONE[:3], r"line 2: there is no row about tissue_handling of id 'papepu'"),
    "only an empty total": (["papepu,Knot,1,GRS,"], r"there is no row about depth_perception, efficiency, .* of id 'papepu'"),
    "unknown aspect": ([*ONE, "papepu,Knot,1,eficiency,3"], r"line 7: aspect 'eficiency' is unknown; did you mean 'efficiency'"),
    "aspect twice": ([*ONE, "papepu,Knot,1,efficiency,2"], r"line 7: aspect 'efficiency' of id 'papepu' stands twice, first in line 3"),
    "recording twice under both names": (
        [*ONE, *molten(["raw papepu,Knot,1,1,2,3,4,10"])],
        r"line 7: id 'raw papepu' stands twice, first in line 2",
    ),
    "no aspect": ([*ONE, "papepu,Knot,1,,3"], r"line 7: aspect is empty"),
    "aspect named like a column": ([*ONE, "papepu,Knot,1,id,3"], r"line 7: aspect is 'id', which is a column of the table"),
}


@pytest.mark.parametrize("case", BAD_MOLTEN)
def test_a_bad_row_about_one_aspect_is_named_by_its_own_row(case, write_sheet, read):
    rows, message = BAD_MOLTEN[case]
    with pytest.raises(RatingsError, match=message):
        read(write_sheet("ratings.csv", rows, header=MOLTEN))


BAD_MARKS = {
    "a number": (["tiridi,Peg,1,dropped,1"], r"errors\.csv, line 2: dropped is '1'; write True or False"),
    "a missing row": (
        ["papepu,Knot,1,needle_dropped,True"],
        r"line 2: there is no row about error 'fewer_than_three_throws' of id 'papepu'",
    ),
    "unknown error": (["tiridi,Peg,1,droped,True"], r"line 2: error 'droped' is unknown; did you mean 'dropped'"),
    "twice": (
        ["tiridi,Peg,1,dropped,True", "tiridi,Peg,1,dropped,True"],
        r"line 3: error 'dropped' of id 'tiridi' stands twice, first in line 2",
    ),
}


@pytest.mark.parametrize("case", BAD_MARKS)
def test_a_bad_mark_is_named(case, write_sheet, read):
    rows, message = BAD_MARKS[case]
    with pytest.raises(RatingsError, match=message):
        read(write_sheet("errors.csv", rows, header=MARKS))


BAD_HEADERS = {
    "": r"ratings\.csv: it is empty",
    "id|task|rater": r"line 1: columns 'id', 'task', 'rater' are missing; add them; there are id\|task\|rater",
    "id,Task,rater,aspect,score": r"line 1: column 'task' is missing; did you mean 'Task'\?",
    "id,task,rater,aspect,value": r"line 1: column 'score' is missing",
    "id,task,rater,depth_perception,efficiency,bimanual_dexterity,GRS": r"line 1: column 'tissue_handling' is missing",
}


@pytest.mark.parametrize("header", BAD_HEADERS)
def test_a_bad_header_is_named_even_without_rows(header, write_sheet, read):
    with pytest.raises(RatingsError, match=BAD_HEADERS[header]):
        read(write_sheet("ratings.csv", [], header=header))


@pytest.mark.parametrize(
    ("name", "header"), [("ratings.csv", WIDE), ("ratings.csv", MOLTEN), ("errors.csv", MARKS), ("Knot_rater1.csv", None)]
)
def test_a_sheet_with_a_header_and_nothing_else_rates_nothing(name, header, write_sheet, read):
    entries = read(write_sheet(name, [], **({"header": header} if header else {})))
    assert len(entries.ratings) == len(entries.marks) == 0


def test_leading_zeros_make_no_other_rater(write_sheet, read):
    write_sheet("Knot_rater01.csv", ["papepu;01;3;3;4;5;15", "nonidu;1;1;2;3;4;10"])
    assert set(read(write_sheet("Knot_rater002.csv", ["papepu;2;3;3;4;5;15"])).ratings.rater) == {"1", "2"}
