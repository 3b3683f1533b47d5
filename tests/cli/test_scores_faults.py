"""What `scrubin scores` must not accept in silence, each found by trying to break it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from scrubin.base import statistics
from scrubin.cli import main

pytestmark = pytest.mark.usefixtures("agreement_once")
HEADER = "id;rater;depth_perception;efficiency;bimanual_dexterity;tissue_handling;GRS"
ONE = [HEADER, "a;1;1;2;3;4;10", "b;1;2;3;4;5;14", "c;1;5;4;3;2;14"]
TWO = [HEADER, "a;2;2;2;3;3;10", "b;2;1;1;1;1;4", "c;2;3;4;5;5;17"]


@pytest.fixture
def scores(tmp_path, monkeypatch, capsys):
    """Run the command on files (lists of lines by name); return exit code, stdout, stderr, and the folder written to."""
    monkeypatch.chdir(tmp_path)

    def run(*more, **files):
        folder = tmp_path / "in"
        folder.mkdir(exist_ok=True)
        for name, rows in files.items():
            (folder / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        code = main(["scores", "in", "--out", "out", *more])
        said = capsys.readouterr()
        return code, said.out, said.err, tmp_path / "out"

    return run


@pytest.fixture
def refused(scores):
    """What stderr says of files with a fault."""

    def refused(*more, **files):
        code, _, error, _ = scores(*more, **files)
        assert code == 1
        return error

    return refused


@pytest.fixture
def with_params(tmp_path):
    """The option that names the shipped parameters with changes."""

    def with_params(*changes):
        text = (Path(__file__).parents[2] / "params.yaml").read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "changed.yaml").write_text(text, encoding="utf-8")
        return "--params", "changed.yaml"

    return with_params


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.csv"))


MAIN = "id;GRS;depth_perception;efficiency;bimanual_dexterity;tissue_handling"
UNRATED = [MAIN, "a;;;;;", "b;;;;;", "c;;;;;"]
"""A main file with no scores."""
LONG = "id,task,rater,depth_perception,efficiency,bimanual_dexterity,tissue_handling"
MARKS = "id,task,rater,error,marked"


def long_rows(task, prefix=""):
    """The rows of both raters in a long table."""
    return [",".join([prefix + row.split(";")[0], task, *row.split(";")[1:6]]) for row in (*ONE[1:], *TWO[1:])]


@pytest.mark.slow
def test_a_task_may_have_rater_in_its_name(scores):
    code, _, _, out = scores(T_rater1=ONE, T_rater2=TWO, T_rater_rater1=ONE, T_rater_rater2=[*TWO[:2], TWO[3]])
    assert code == 0
    assert {"T.csv", "T_rater.csv", "T_rater1.csv", "T_rater_rater1.csv"} <= set(names(out))
    assert (out / "T_rater2.csv").read_text().count("\n") == 4
    assert (out / "T_rater_rater2.csv").read_text().count("\n") == 3


def test_raters_are_said_to_be_joined_only_where_they_are(scores):
    """Raters 0 and 2 are LASANA's who shared the recordings; here they rated the same."""
    code, told, _, _ = scores(Peg_rater0=[row.replace(";1;", ";0;", 1) for row in ONE], Peg_rater2=TWO)
    assert code == 0
    assert "(mean of 1 pair of raters, failed recordings included" in told


@pytest.mark.parametrize("second", ["Peg_rater01", "Peg_rater001"])
def test_two_files_of_one_rater_are_refused(refused, second):
    assert "is of the same rater as" in refused(Peg_rater1=ONE, Peg_rater2=TWO, **{second: [HEADER, "d;1;1;2;3;4;10"]})


def test_a_constant_total_on_a_fine_scale_is_constant(scores, with_params):
    fine = with_params(("  lowest: 1 ", "  lowest: 0 "), ("  highest: 5", "  highest: 1"), ("  step: 1 ", "  step: 0.1 "))
    points = [(0.1, 0.2, 0.3, 0), (0.3, 0.2, 0.1, 0), (0.2, 0.1, 0.3, 0), (0.6, 0, 0, 0), (0.4, 0.1, 0.1, 0)]
    head = HEADER.removesuffix(";GRS")
    first = [head, *(f"r{i};1;{';'.join(map(str, some))}" for i, some in enumerate(points))]
    second = [head, *(f"r{i};2;{i / 10};0.{i};0.1;{(i % 2) / 10}" for i in range(5))]
    code, _, error, _ = scores(*fine, Peg_rater1=first, Peg_rater2=second)
    assert code == 0
    assert "rater 1: all 5 scores are the same (GRS 0.6, tissue_handling 0)" in error


def test_equal_constant_vectors_have_no_concordance():
    for form in statistics.FORMS:
        assert statistics.concordance([0.1] * 3, [0.1] * 3, form) != statistics.concordance([0.1] * 3, [0.1] * 3, form)
        assert str(statistics.concordance([0.1 + 0.2] * 3, [0.3] * 3, form)) == "nan"
    assert str(statistics.concordance([2.0], [2.0], "lin1989")) == "nan"
    assert statistics.concordance([1.0] * 3, [2.0] * 3) == 0.0
    assert str(statistics.correlation([0.3, 0.1 + 0.2, 0.3], [1, 2, 3])) == "nan"
    assert statistics.spearman([0.1 + 0.2, 0.3, 1], [5, 4, 6]) == statistics.spearman([0.3, 0.3, 1], [5, 4, 6])


@pytest.mark.parametrize("task", ["../evil", "A/B", "T_split", "T_errors", "T_rater1", "x_agreement", "differences", ".hidden"])
def test_a_task_that_makes_no_file_name_of_its_own_is_refused(refused, task, tmp_path):
    rows = [f"{row[0]},{task},{row[2]},1,2,3,{i % 4 + 1}" for i, row in enumerate(("a;1", "b;1", "a;2", "b;2"))]
    assert f"ratings.csv, line 2: task '{task}' cannot be part of a file name" in refused(ratings=[LONG, *rows])
    assert not (tmp_path / "out").exists()
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("file", "name", "is_named"),
    [
        *itertools.product(["New_rater1_errors"], ["GRS", "efficiency", "duration", "frame_count"], [False]),
        *itertools.product(["New_rater1_errors", "New_errors"], ["GRS", "efficiency", "duration"], [True]),
    ],
)
def test_an_error_named_like_another_column_is_refused_also_where_params_name_others(refused, with_params, file, name, is_named):
    more = with_params(("PegTransfer: [", "New: [")) if is_named else ()
    error = refused(*more, New_rater1=ONE, New_rater2=TWO, **{file: [f"id;{name}", "a;True"]})
    own = f"'scores.errors.New': '{name}' is the name of another column; name the error otherwise"
    assert (f"{file}.csv: an error is named '{name}' like another column of New.csv" if is_named else own) in error


PEG = "[object_dropped_within_fov, object_dropped_outside_of_fov]"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (f"PegTransfer: {PEG}", "PegTransfer: [lost, lost]", "'scores.errors.PegTransfer': 'lost' stands twice"),
        *(
            ("tissue_handling]", f"{name}]", "'scores.aspects' must name different aspects")
            for name in ("duration", "frame_count", "disagreement")
        ),
    ],
)
def test_errors_named_twice_and_aspects_named_like_a_column_of_the_output_are_refused(refused, with_params, old, new, said):
    assert said in refused(*with_params((old, new)), Peg_rater1=ONE)


@pytest.mark.parametrize("cell", ["1e30", "1e2000000000", "9" * 400])
def test_absurd_numbers_are_refused_in_a_short_sentence(refused, cell):
    error = refused(Peg=[f"{MAIN};duration;frame_count", f"a;;;;;;0:00:10;{cell}"], Peg_rater1=ONE, Peg_rater2=TWO)
    assert "frame_count" in error
    assert len(error) < 500


@pytest.mark.parametrize("cell", ["1e2000000000", "1" + "0" * 300])
def test_absurd_scores_are_refused_in_a_short_sentence(refused, cell):
    error = refused(Peg_rater1=[*ONE, f"d;1;{cell};1;1;1;3"], Peg_rater2=TWO)
    assert "Peg_rater1.csv, line 5: depth_perception" in error
    assert len(error) < 500


@pytest.mark.slow
def test_a_published_main_file_with_a_long_table_comes_with_sheets_that_can_be_read_again(scores, tmp_path):
    _, _, _, out = scores(Peg=UNRATED, ratings=[LONG, *long_rows("Peg")])
    assert {"Peg_rater1.csv", "Peg_rater2.csv"} <= set(names(out))
    assert main(["scores", "out", "--out", "again"]) == 0
    assert (tmp_path / "again/Peg.csv").read_bytes() == (out / "Peg.csv").read_bytes()


@pytest.mark.slow
def test_marks_that_are_overruled_and_contradictions_are_told(scores):
    marks = {f"Peg_rater{k}_errors": ["id;lost", f"a;{'True' if k == 1 else 'False'}", "b;False", "c;False"] for k in (1, 2)}
    third = [HEADER, *(row.replace(";2;", ";3;", 1) for row in TWO[1:])]
    code, told, _, out = scores(Peg_rater1=ONE, Peg_rater2=TWO, Peg_rater3=third, Peg_rater3_errors=marks["Peg_rater2_errors"], **marks)
    assert code == 0
    assert "1 overruled, in harmonised.csv: a" in told
    assert json.loads((out / "statistics.json").read_text())["tasks"]["Peg"]["harmonised"]


def test_a_score_that_misses_a_point_by_rounding_is_that_point(scores):
    code, _, _, out = scores(Peg_rater1=[*ONE, "d;1;3.0000000001;2;3;4;12"], Peg_rater2=TWO)
    assert code == 0
    assert "d;1;3;2;3;4;12" in (out / "Peg_rater1.csv").read_text().splitlines()


@pytest.mark.cases(3)
@pytest.mark.parametrize("task", ["Peg_split", "Peg_errors", "Peg_rater1", "x_agreement", "statistics", "ratings", "a" * 201])
def test_a_file_of_a_task_that_is_named_like_another_file_is_refused(scores, task):
    code, _, error, out = scores(Knot_rater1=ONE, **{f"{task}_rater1": ONE})
    assert code == 1
    assert f"{task}_rater1.csv: task '{task[:60]}" in error
    assert "Knot.csv" in names(out)
    assert not [name for name in names(out) if name.startswith(task)]


@pytest.mark.parametrize("cell", ["1e99999999999999999999", "x" * 5000, "0" * 5000])
def test_no_message_repeats_a_long_cell(refused, cell):
    bad = {"Peg_rater1": [*ONE, f"d;1;{cell};1;1;1;3"], "Knot_rater1": [*ONE, f"{cell};{cell};1;1;1;1;4"]}
    bad |= {"Loop_rater1": [*ONE, f"d;1;1;1;1;1;{cell}"], "Loop_rater2": [*TWO, cell], "ratings": [LONG, f"e,Knot,{cell},1,1,1,1"]}
    bad |= {"Cut": [f"{MAIN};duration", f"a;;;;;;{cell}:00:00"]}
    lines = refused(Cut_rater1=ONE, **bad).splitlines()
    assert len(lines) >= 5
    assert max(map(len, lines)) < 400


def test_a_long_table_and_a_sheet_of_one_rater_are_refused(refused):
    error = refused(ratings=[LONG, *long_rows("Peg", "x")], Peg_rater1=ONE)
    assert "ratings.csv: task Peg, rater 1 is also in Peg_rater1.csv" in error


def test_a_mark_for_failed_that_no_sheet_has_is_told_where_a_main_file_excuses_it(scores, with_params):
    marked = with_params(("failed_mark: null", 'failed_mark: {column: failed, value: "True"}'))
    _, told, _, _ = scores(*marked, Peg=UNRATED, Peg_rater1=ONE, Peg_rater2=TWO)
    assert "no sheet has the column 'failed' that the parameters name, so empty scores count as failed" in told


def test_the_raters_of_a_long_table_get_sheets_beside_those_of_others(scores):
    _, _, _, out = scores(Peg=UNRATED, Peg_rater1=ONE, ratings=[LONG, *long_rows("Peg")[3:]])
    assert {"Peg_rater1.csv", "Peg_rater2.csv"} <= set(names(out))
    assert (out / "Peg_rater2.csv").read_text().splitlines() == TWO


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("e,Knot,Anna,1,1,1,1", "line 14: rater is 'Anna', not a number"),
        ("e,Knot,1,1", "line 14: expected 7 cells, but got 4"),
        (",Knot,1,1,1,1,1", "line 14: id is empty"),
        ("e,Knot,1,9,1,1,1", "line 14: depth_perception is 9, not on the scale"),
        ("e,../Knot,1,1,1,1,1", "line 14: task '../Knot' cannot be part of a file name"),
        ("e,,1,1,1,1,1", "line 14: task is empty"),
    ],
)
def test_a_bad_row_of_a_long_table_stops_its_own_task_only(scores, row, said):
    code, _, error, out = scores(ratings=[LONG, *long_rows("Peg"), *long_rows("Knot"), row])
    assert code == 1
    assert error.startswith(f"scrubin scores: ratings.csv, {said}")
    assert "Peg.csv" in names(out)
    assert ("Knot.csv" in names(out)) is (",Knot," not in row)


@pytest.mark.parametrize("bad", ["e,Knot,1,,True", "a,Knot,1,lost,True", "a,Knot,1"])
def test_a_bad_row_of_marks_stops_its_own_task_only(scores, bad):
    code, _, error, out = scores(Peg_rater1=ONE, Peg_rater2=TWO, Knot_rater1=ONE, errors=[MARKS, "a,Knot,1,lost,True", bad])
    assert code == 1
    assert "errors.csv, line 3" in error
    assert "Peg.csv" in names(out)
    assert "Knot.csv" not in names(out)


@pytest.mark.parametrize("content", [["id;task"], [MARKS.replace("marked", "mark"), "a,Peg,1,lost,True"]])
def test_marks_that_cannot_be_read_do_not_stop_tasks_with_files_of_their_own(scores, content):
    code, told, error, out = scores(Peg_rater1=ONE, Peg_rater2=TWO, errors=content)
    assert code == 1
    assert error.startswith("scrubin scores: errors.csv, line 1: column")
    assert "errors.csv: not all of it could be read" in told
    assert "Peg.csv" in names(out)


@pytest.mark.parametrize(("name", "header"), [("ratings", LONG), ("ratings", "id,task,rater,aspect,score"), ("errors", MARKS)])
def test_a_long_table_without_rows_is_named(refused, name, header):
    assert f"{name}.csv: it has names of columns, but no row" in refused(**{name: [header]})


def test_an_unknown_column_of_a_long_table_is_said_once_and_of_no_manifest(refused):
    rows = [f"{row},1" for row in (*long_rows("Peg"), *long_rows("Knot"))]
    error = refused(ratings=[f"{LONG},note", *rows, "e,,1,1,1,1,1,1"])
    assert (error.count("column 'note' is unknown"), "manifest" in error) == (1, False)


def test_marks_of_a_task_that_nobody_rated_are_refused_with_a_near_name(scores):
    code, _, error, out = scores(PegTransfer_rater1=ONE, PegTransfer_rater2=TWO, errors=[MARKS, "a,PegTranfser,1,lost,True"])
    assert code == 1
    assert "errors.csv, line 2: there are marks of task 'PegTranfser', but no ratings; did you mean 'PegTransfer'?" in error
    assert "PegTransfer.csv" in names(out)


@pytest.mark.parametrize("file", ["Peg_rater1_errors", "Peg_errors"])
def test_marks_of_a_recording_that_nobody_rated_are_listed(scores, file):
    longer = [row.replace("a;", "recording one;", 1) for row in ONE]
    code, told, _, out = scores(Peg_rater1=longer, Peg_rater2=TWO, **{file: ["id;lost", "recording onf;True", "b;False"]})
    assert code == 0
    assert "id 'recording onf': its errors are marked, but no rater rated it; did you mean 'recording one'?" in told
    assert "marked_but_not_rated;warning" in (out / "differences.csv").read_text()


def test_overruled_marks_without_scores_are_told(scores):
    marks = {f"Peg_rater{k}_errors": ["id;lost", f"a;{k == 1}"] for k in (1, 2)}
    _, told, _, _ = scores(**marks)
    assert "1 overruled, in harmonised.csv: a" in told


def test_empty_and_unknown_error_columns_of_a_main_file_are_listed(scores):
    errors = "object_droped_within_fov;object_dropped_outside_of_fov"
    main_file = [MAIN.replace("id;", f"id;{errors};"), *(f"{i};True;;;;;;" for i in "abc")]
    _, told, _, out = scores(PegTransfer=main_file, PegTransfer_rater1=ONE, PegTransfer_rater2=TWO)
    listed = [line.split(";")[2:5] for line in (out / "differences.csv").read_text().splitlines() if ";warning;" in line]
    assert listed == [
        ["object_dropped_outside_of_fov", "no_label_at_all", "warning"],
        ["object_droped_within_fov", "error_not_in_parameters", "warning"],
        ["object_dropped_within_fov", "error_without_column", "warning"],
    ]
    text = "the parameters name no error object_droped_within_fov of PegTransfer; did you mean 'object_dropped_within_fov'?"
    assert f"PegTransfer.csv, line 1: {text}" in told


@pytest.mark.parametrize("name", ["Peg_rater3.xlsx", "Peg_rater3.txt", "ratings.tsv"])
def test_a_sheet_that_is_no_csv_is_told(scores, refused, tmp_path, name):
    (tmp_path / "in").mkdir()
    for file in (name, "README.txt"):
        (tmp_path / "in" / file).write_text("x", encoding="utf-8")
    assert f"save {name} as CSV" in refused()
    code, told, _, out = scores(Peg_rater1=ONE, Peg_rater2=TWO)
    assert code == 0
    assert f"{name}: not read, as it is no CSV" in told
    assert "README" not in told
    assert json.loads((out / "statistics.json").read_text())["not_read"] == [name]


@pytest.mark.parametrize("name", ["Peg_rater1 (1)", "Peg_rater1b", "Peg_rater-1", "Peg_rater1 copy"])
def test_a_copy_of_a_sheet_is_no_name_of_a_person(refused, name):
    error = refused(Knot_rater1=ONE, Peg_rater1=ONE, Peg_rater2=TWO, **{name: ONE})
    assert f"{name}.csv: after '_rater' stands '{name[9:]}', no number" in error
    assert "published" not in error


@pytest.mark.slow
def test_what_is_written_of_a_task_with_rater_in_its_name_can_be_read_again(scores, tmp_path):
    split = ["id;split", "a;train", "b;train", "c;train"]
    code, _, _, out = scores(Peg_rater1=ONE, Peg_rater2=TWO, Peg_rater_v2_rater1=ONE, Peg_rater_v2_rater2=TWO, Peg_rater_v2_split=split)
    assert code == 0
    assert main(["scores", "out", "--out", "again"]) == 0
    assert (tmp_path / "again/Peg_rater_v2.csv").read_bytes() == (out / "Peg_rater_v2.csv").read_bytes()


@pytest.mark.parametrize(("one", "other"), [("0{}", "{}"), ("A{}", "a{}")])
def test_recordings_whose_ids_a_program_wrote_otherwise_are_named_and_not_scored_as_two(scores, one, other):
    first = [HEADER, *(f"{one.format(k)};0;{k};2;3;4;{9 + k}" for k in range(1, 5))]
    second = [HEADER, *(f"{other.format(k)};1;{k};2;3;4;{9 + k}" for k in range(1, 5))]
    code, _, error, out = scores(Peg_rater0=first, Peg_rater1=second)
    assert code == 1
    assert (
        f"Peg_rater1.csv, line 2: id '{other.format(1)}' differs from '{one.format(1)}' in Peg_rater0.csv, line 2 in case, spaces," in error
    )
    assert not out.exists()
    code, *_ = scores(Peg_rater0=[*first, *(row.replace(";1;", ";0;", 1) for row in second[1:])], Peg_rater1=second)
    assert code == 0  # one sheet has both: they are two


def test_recordings_without_enough_scores_are_counted(scores):
    rows = [f"d{k};2;2;2;3;3;10" for k in range(3)]
    code, _, error, _ = scores(Peg_rater1=ONE, Peg_rater2=[*TWO, *rows])
    assert code == 0
    assert "Peg_rater1.csv and Peg_rater2.csv, task Peg: 3 recordings of 6 with fewer than 2 scores that count, and so without GRS" in error
    _, _, error, _ = scores(Peg_rater1=ONE, Peg_rater2=TWO)
    assert not error
