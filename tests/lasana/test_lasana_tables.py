"""What published files say, in the spelling of any program."""

from __future__ import annotations

import math

import pytest

from annotation_folder import ASPECTS, SCORES, frames_of, main_frame
from scrubin.base.errors import RatingsError
from scrubin.ratings.lasana.annotation_text import parse
from scrubin.ratings.lasana.tables import labels_of, main_of, sheet_of, split_of

HEADER = "id;dropped;GRS;depth_perception;efficiency;bimanual_dexterity;tissue_handling;duration;frame_count"


def main(*rows, header=HEADER, errors=("dropped",)):
    return main_of(parse("Peg.csv", "\n".join([header, *rows]).encode()), "Peg", ASPECTS, errors)


@pytest.mark.parametrize(
    "spelling", [{}, {"na_rep": "NaN"}, {"float_format": "%.17e"}, {"lineterminator": "\r\n"}, {"quoting": 1}, {"encoding": "utf-8-sig"}]
)
def test_golden_tables_come_back_from_whatever_pandas_writes(golden, spelling, tmp_path):
    for task in golden["tasks"]:
        frame = main_frame(task)
        path = tmp_path / "Peg.csv"
        frame.to_csv(path, sep=";", index=False, **spelling)
        found = main_of(parse("Peg.csv", path.read_bytes()), "Peg", ASPECTS, ())
        assert found.skill.id.tolist() == task["ids"]
        assert found.skill[list(SCORES)].equals(frame[list(SCORES)])
        assert set(found.error_names) == set(task["errors"])
        assert {(row.id, row.error): row.occurred for row in found.errors.itertuples()} == {
            (id_, name): mark for name, marks in task["errors"].items() for id_, mark in marks.items()
        }
        assert found.recordings.frame_count.tolist() == frame.frame_count.tolist()
        assert found.recordings.duration_s[7] == 60 * 1 + 17


def test_missing_values_are_undefined_and_never_zero():
    found = main("a;;;;;;;;", "b;True;NaN;nan;None;<NA>;NA;;104.0")
    assert found.skill[list(SCORES)].isna().all(axis=None)
    assert found.errors.id.tolist() == ["b"]
    assert math.isnan(found.recordings.duration_s[0])
    assert found.recordings.frame_count.tolist()[1] == 104


def test_an_id_may_look_like_a_missing_value():
    assert main("nan;True;0;0;0;0;0;0:00:01;1", "none;True;0;0;0;0;0;0:00:01;1").skill.id.tolist() == ["nan", "none"]


def test_columns_that_are_none_of_lasanas_are_told_apart():
    row = "a;True;0;0;0;0;0;0:00:01;1;nice video;False"
    found = main(row, header=HEADER + ";remark;gauze_detached", errors=())
    assert found.error_names == ("dropped", "gauze_detached")
    assert found.others == ("remark",)


def test_durations_may_be_those_of_any_program():
    durations = ["0:02:03", "00:02:03", "0 days 00:02:03", "0:02:03.000000", "1 day, 0:00:00", "1:00:00.5"]
    found = main(*(f"v{k};False;0;0;0;0;0;{text};1" for k, text in enumerate(durations)))
    assert found.recordings.duration_s.tolist() == [123.0, 123.0, 123.0, 123.0, 86400.0, 3600.5]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["a;maybe;0;0;0;0;0;0:00:01;1"], "Peg.csv, line 2: dropped is 'maybe'; it should be True or False"),
        (["a;True;0,5;0;0;0;0;0:00:01;1"], "Peg.csv, line 2: GRS is '0,5'; it should be a number"),
        (["a;True;inf;0;0;0;0;0:00:01;1"], "Peg.csv, line 2: GRS is 'inf'"),
        (["a;True;1_0;0;0;0;0;0:00:01;1"], "Peg.csv, line 2: GRS is '1_0'"),
        (["a;True;0;0;0;0;0;123;1"], "Peg.csv, line 2: duration is '123'; it should be a duration such as 0:02:03"),
        (["a;True;0;0;0;0;0;0:00:01;1.5"], "Peg.csv, line 2: frame_count is '1.5'; it should be a whole number"),
        (["a;True;0;0;0;0;0;0:00:01;1", "", "a;True;0;0;0;0;0;0:00:01;1"], "Peg.csv, line 4: id 'a' stands twice, first in line 2"),
    ],
)
def test_a_cell_that_cannot_be_is_named_with_row_and_value(rows, message):
    with pytest.raises(RatingsError) as caught:
        main(*rows)
    assert message in str(caught.value)


def test_a_missing_column_is_named_with_what_it_may_be_called():
    with pytest.raises(RatingsError, match=r"Peg\.csv, line 1: column 'efficiency' is missing; did you mean 'efficency'\?"):
        main(header=HEADER.replace("efficiency", "efficency"))


def test_a_sheet_reads_as_the_rater_wrote_it(golden):
    task = golden["tasks"][2]
    frame = frames_of(task)["BalloonResection_rater3.csv"].astype(dict.fromkeys(SCORES, "float64")).assign(rater=3.0)
    text = frame.to_csv(sep=";", float_format="%.3e", na_rep="nan")
    rows = sheet_of(parse("B.csv", text.encode()), "B", "03", marks_errors=False).rows
    assert {row.cells["rater"] for row in rows} == {"3"}
    for row in rows:
        points = task["ratings"]["3"][row.cells["id"]]
        given = [row.cells[name] for name in ASPECTS]
        assert given == [""] * 4 if points is None else [float(text) for text in given] == points
        assert "" not in row.cells


def test_decimal_commas_of_a_rater_are_read_where_no_comma_separates_cells():
    rows = sheet_of(parse("B.csv", b"id;depth_perception;efficiency\na;1,0;2\nb;2,5;\n"), "B", "3", marks_errors=False).rows
    assert [(row.cells["depth_perception"], row.cells["efficiency"]) for row in rows] == [("1.0", "2"), ("2.5", "")]
    with pytest.raises(RatingsError, match="line 2: depth_perception is '1,000': a decimal separator, or one of thousands"):
        sheet_of(parse("B.csv", b"id;depth_perception\na;1,000\n"), "B", "3", marks_errors=False)


def test_a_rater_of_another_number_stays_another():
    rows = sheet_of(parse("B_rater3.csv", b"id;rater\na;1\nb;r3\nc;anna\n"), "B", "3", marks_errors=False).rows
    assert [row.cells["rater"] for row in rows] == ["1", "3", "anna"]


def test_labels_and_splits_are_tables():
    labels = labels_of(parse("Peg_errors.csv", b"id;dropped;lost\nb;TRUE;\na;false;True\n"), "Peg")
    assert labels[["id", "error", "occurred"]].to_numpy().tolist() == [["a", "dropped", False], ["a", "lost", True], ["b", "dropped", True]]
    split = split_of(parse("Peg_split.csv", b"split;id\nval;b\ntrain;a\nval;b\n"), "Peg")
    assert split[["id", "subset", "place"]].to_numpy().tolist()[2] == ["b", "val", "Peg_split.csv, line 4"]
