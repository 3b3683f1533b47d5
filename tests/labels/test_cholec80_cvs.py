"""Cholec80-CVS: points by intervals become marks by seconds as its authors' program has them, faults with their row."""

import pytest

from fault_lines import sentences
from label_examples import EXAMPLES, faults_of, read_files
from scrubin import cli
from scrubin.labels import marks
from scrubin.labels.files import detect
from scrubin.labels.parse import sheet_xml
from verdict_cases import write_files as put

FILE = "cholec80-CVS.xlsx"
HEADER = ["video", "initial_minute", "initial_second", "final_minute", "final_second", *("two_structures", "cystic_plate")]
HEADER = [*HEADER, "hepatocystic_triangle", "Total", "critical_view"]


def sheet(*rows, header=HEADER):
    return {FILE: sheet_xml.workbook([header, *rows])}


def seconds_of(*rows):
    """Return the three values of each second of the one video: C1, C2, C3."""
    (labels,) = read_files("cholec80cvs", sheet(*rows)).recordings
    values = marks.means(labels.marks, marks.VIEW_OF_SAFETY).tolist()
    return dict(zip(labels.marks.positions.tolist(), values, strict=True))


def told(severity, *rows, header=HEADER):
    return "\n".join(sentences(faults_of("cholec80cvs", sheet(*rows, header=header)), severity))


def test_both_ends_belong_to_an_interval_and_points_are_halves():
    assert seconds_of([7, 0, 59, 1, 1, 2, 1, 0, 3, 0]) == {second: [1.0, 0.0, 0.5] for second in (59, 60, 61)}


def test_videos_are_called_as_in_cholec80_and_seconds_are_counted():
    two, eighty = read_files("cholec80cvs", EXAMPLES["cholec80cvs"]).recordings
    assert (two.recording, eighty.recording) == ("video02", "video80")
    assert two.clock.period_s == 1
    assert two.marks.positions.tolist() == [0, 1, 2, 3, *range(20 * 60 + 26, 20 * 60 + 30)]
    assert marks.raters_of(two.marks) == [""]


def test_where_rows_overlap_the_last_one_with_a_point_counts_and_it_is_said():
    rows = [[6, 0, 0, 0, 4, 1, 0, 0, 1, 0], [6, 0, 2, 0, 3, 2, 0, 0, 2, 0], [6, 0, 3, 0, 6, 0, 0, 0, 0, 0]]
    assert [values[0] for values in seconds_of(*rows).values()] == [0.5, 0.5, 1.0, 1.0, 0.5, 0.0, 0.0]
    what = "cholec80-CVS.xlsx: rows 2-4 give 3 seconds (2-4) of video06 different points; the last of them with any point counts"
    assert what in told("warning", *rows)
    assert "rows" not in told("warning", rows[0], [6, 0, 4, 0, 5, 1, 0, 0, 1, 0])


def test_a_row_that_ends_before_it_starts_says_nothing_and_that_is_said():
    rows = [[6, 15, 21, 14, 33, 1, 0, 1, 2, 0], [6, 0, 0, 0, 1, 0, 0, 0, 0, 0]]
    assert seconds_of(*rows) == {second: [0.0, 0.0, 0.0] for second in (0, 1)}
    assert "row 2: it ends at 14:33, before it starts at 15:21; it is left out, as by the data set's authors" in told("warning", *rows)


def test_what_the_points_mean_is_said_at_every_reading():
    what = "0, 1 and 2 points are read as 0, 0.5 and 1; seconds that are in no row are not labelled"
    assert what in "\n".join(sentences(faults_of("cholec80cvs", EXAMPLES["cholec80cvs"]), "warning"))


@pytest.mark.parametrize(
    ("total", "achieved", "what"),
    [(4, 1, "row 2: Total is 4, by the points 5; the points count"), (5, 0, "row 2: critical_view is 0, by the points 1")],
)
def test_sums_that_are_not_those_of_the_points_are_told(total, achieved, what):
    assert what in told("warning", [1, 0, 0, 0, 1, 2, 2, 1, total, achieved])


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ([1, 0, 0, 0, 1, 3, 0, 0], "cholec80-CVS.xlsx, row 2: two_structures is '3', expected a whole number in 0..2; correct it"),
        ([1, 0, 0, 0, 60, 0, 0, 0], "row 2: final_second is '60', expected a whole number in 0..59"),
        ([1, 0, 0, 10**9, 1, 0, 0, 0], "row 2: final_minute is '1000000000', expected a whole number in 0..1440"),
        ([1, 0, 0.5, 0, 1, 0, 0, 0], "row 2: initial_second is '0.5', expected a whole number in 0..59"),
        ([1, 0, 0, 0, 1, 0, None, 0], "row 2: cystic_plate is '', expected a whole number in 0..2"),
        (["two", 0, 0, 0, 1, 0, 0, 0], "row 2: video is 'two', expected the number of a video of Cholec80"),
    ],
)
def test_a_cell_that_cannot_be_used_is_refused_with_its_row(row, what):
    assert what in told("error", row)
    assert not read_faulty(row)


@pytest.mark.parametrize(
    ("row", "of"),
    [(["mean of both"], " of 'mean of both'"), (["mean of both", *[None] * 7], " of 'mean of both'"), ([*[None] * 8, 15], "")],
)
def test_a_note_or_a_sum_below_the_rows_is_one_fault(row, of):
    said = told("error", [1, 0, 0, 0, 1, 0, 0, 0], row)
    assert said == f"{FILE}, row 3: it has none of the times and points{of}; remove the row if it is a note or a sum, else fill it in"


@pytest.mark.parametrize(
    "line", [["max", *[None] * 4, 2, 2, 2, 6], [*["Cholec80 CVS"], *[None] * 4, "v", 2], [*HEADER[:1], "start", None, "end"]]
)
def test_a_line_of_maxima_a_title_and_one_of_groups_above_the_header_are_passed_over(line):
    files = {FILE: sheet_xml.workbook([line, HEADER, [1, 0, 0, 0, 1, 2, 2, 1]])}
    assert not sentences(faults_of("cholec80cvs", files), "error")
    assert "row 1: it stands above the header (row 2): not read" in "\n".join(sentences(faults_of("cholec80cvs", files), "warning"))


def read_faulty(row):
    return [one for one in faults_of("cholec80cvs", sheet(row)) if one.rule == "read-as"]


def test_a_header_without_the_columns_is_refused():
    assert "row 1: column hepatocystic_triangle missing; expected video, initial_minute" in told("error", header=HEADER[:7])
    assert "row 1: column Total stands twice; rename or remove one" in told("error", header=[*HEADER, "Total"])
    assert "has no rows below its header" in told("error")


def test_a_column_that_is_not_kept_is_named():
    assert "not kept: column 'surgeon'" in told("warning", [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, "A"], header=[*HEADER, "surgeon"])


def test_workbooks_of_ratings_and_of_criteria_are_told_apart_by_their_columns(tmp_path):
    for name in ("aixsuture", "cholec80cvs"):
        (file,) = EXAMPLES[name].values()
        path = tmp_path / name / "table.xlsx"
        path.parent.mkdir()
        path.write_bytes(file)
        assert detect.detected(path).name == name


def test_criteria_of_cholec80_are_scored_and_become_tables(tmp_path, capsys):
    path = str(put(tmp_path / "in", EXAMPLES["cholec80cvs"]))
    assert cli.main(["score", "criteria", "--ground-truth", path, "--predictions", path, "--json", "--bootstrap", "0"]) == 0
    assert "C3" in capsys.readouterr().out
    assert cli.main(["convert", path, "--to", "tables", "--out", str(tmp_path / "tables")]) == 0
    assert "frames that count: 11 for criteria" in capsys.readouterr().out
