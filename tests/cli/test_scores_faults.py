"""What `scrubin scores` must not accept in silence, each found by trying to break it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scrubin.cli import main
from scrubin.statistics import association

HEADER = "id;rater;depth_perception;efficiency;bimanual_dexterity;tissue_handling;GRS"
ONE = [HEADER, "a;1;1;2;3;4;10", "b;1;2;3;4;5;14", "c;1;5;4;3;2;14"]
TWO = [HEADER, "a;2;2;2;3;3;10", "b;2;1;1;1;1;4", "c;2;3;4;5;5;17"]


@pytest.fixture
def scores(tmp_path, monkeypatch, capsys):
    """Run the command on files (lists of lines by name); return exit code, stdout, stderr, and the folder written to."""
    monkeypatch.chdir(tmp_path)

    def run(*more, **files):
        folder = tmp_path / "in"
        folder.mkdir()
        for name, rows in files.items():
            (folder / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        code = main(["scores", "in", "--out", "out", *more])
        said = capsys.readouterr()
        return code, said.out, said.err, tmp_path / "out"

    return run


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.csv"))


def test_a_task_may_have_rater_in_its_name(scores):
    code, _, _, out = scores(T_rater1=ONE, T_rater2=TWO, T_rater_rater1=ONE, T_rater_rater2=[*TWO[:2], TWO[3]])
    assert code == 0
    assert {"T.csv", "T_rater.csv", "T_rater1.csv", "T_rater_rater1.csv"} <= set(names(out))
    assert (out / "T_rater2.csv").read_text().count("\n") == 4
    assert (out / "T_rater_rater2.csv").read_text().count("\n") == 3


@pytest.mark.parametrize("second", ["Peg_rater01", "Peg_rater001"])
def test_two_files_of_one_rater_are_refused(scores, second):
    code, _, error, _ = scores(Peg_rater1=ONE, Peg_rater2=TWO, **{second: [HEADER, "d;1;1;2;3;4;10"]})
    assert code == 1
    assert "is of the same rater as" in error


def test_a_constant_total_on_a_fine_scale_is_constant(scores, tmp_path):
    fine = (Path(__file__).parents[2] / "params.yaml").read_text(encoding="utf-8")
    for old, new in (("  lowest: 1 ", "  lowest: 0 "), ("  highest: 5", "  highest: 1"), ("  step: 1 ", "  step: 0.1 ")):
        assert old in fine
        fine = fine.replace(old, new)
    (tmp_path / "fine.yaml").write_text(fine, encoding="utf-8")
    points = [(0.1, 0.2, 0.3, 0), (0.3, 0.2, 0.1, 0), (0.2, 0.1, 0.3, 0), (0.6, 0, 0, 0), (0.4, 0.1, 0.1, 0)]
    rows = ["id;rater;depth_perception;efficiency;bimanual_dexterity;tissue_handling"]
    first = [*rows, *(f"r{i};1;{';'.join(map(str, some))}" for i, some in enumerate(points))]
    second = [*rows, *(f"r{i};2;{i / 10};0.{i};0.1;{(i % 2) / 10}" for i in range(5))]
    code, _, error, _ = scores("--params", "fine.yaml", Peg_rater1=first, Peg_rater2=second)
    assert code == 1
    assert "GRS: all 5 scores are 0.6" in error


def test_equal_constant_vectors_have_no_concordance():
    for form in association.FORMS:
        assert association.concordance([0.1] * 3, [0.1] * 3, form) != association.concordance([0.1] * 3, [0.1] * 3, form)
        assert str(association.concordance([0.1 + 0.2] * 3, [0.3] * 3, form)) == "nan"
    assert str(association.concordance([2.0], [2.0], "lin1989")) == "nan"
    assert association.concordance([1.0] * 3, [2.0] * 3) == 0.0
    assert str(association.correlation([0.3, 0.1 + 0.2, 0.3], [1, 2, 3])) == "nan"
    assert association.spearman([0.1 + 0.2, 0.3, 1], [5, 4, 6]) == association.spearman([0.3, 0.3, 1], [5, 4, 6])


@pytest.mark.parametrize("task", ["../evil", "A/B", "T_split", "T_errors", "T_rater1", "x_agreement", "differences", ".hidden"])
def test_a_task_that_makes_no_file_name_of_its_own_is_refused(scores, task, tmp_path):
    rows = [f"{row[0]},{task},{row[2]},1,2,3,{i % 4 + 1}" for i, row in enumerate(("a;1", "b;1", "a;2", "b;2"))]
    code, _, error, out = scores(ratings=["id,task,rater,depth_perception,efficiency,bimanual_dexterity,tissue_handling", *rows])
    assert code == 1
    assert f"ratings.csv, row 2: task '{task}' cannot be part of a file name" in error
    assert not out.exists()
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", ["GRS", "efficiency", "duration", "frame_count"])
def test_an_error_named_like_another_column_is_refused(scores, name):
    code, _, error, _ = scores(New_rater1=ONE, New_rater2=TWO, New_rater1_errors=[f"id;{name}", "a;True"])
    assert code == 1
    assert name in error


def test_an_error_named_twice_in_params_is_refused(scores, tmp_path):
    text = (Path(__file__).parents[2] / "params.yaml").read_text(encoding="utf-8")
    bad = text.replace("PegTransfer: [object_dropped_within_fov, object_dropped_outside_of_fov]", "PegTransfer: [lost, lost]")
    assert bad != text
    (tmp_path / "bad.yaml").write_text(bad, encoding="utf-8")
    code, _, error, _ = scores("--params", "bad.yaml", Peg_rater1=ONE)
    assert code == 1
    assert "'scores.errors.PegTransfer': 'lost' stands twice" in error


@pytest.mark.parametrize("cell", ["1e30", "1e2000000000", "9" * 400])
def test_absurd_numbers_are_refused_in_a_short_sentence(scores, cell):
    main_file = ["id;GRS;depth_perception;efficiency;bimanual_dexterity;tissue_handling;duration;frame_count", f"a;;;;;;0:00:10;{cell}"]
    code, _, error, _ = scores(Peg=main_file, Peg_rater1=ONE, Peg_rater2=TWO)
    assert code == 1
    assert "frame_count" in error
    assert len(error) < 500


@pytest.mark.parametrize("cell", ["1e2000000000", "1" + "0" * 300])
def test_absurd_scores_are_refused_in_a_short_sentence(scores, cell):
    code, _, error, _ = scores(Peg_rater1=[*ONE, f"d;1;{cell};1;1;1;3"], Peg_rater2=TWO)
    assert code == 1
    assert "Peg_rater1.csv, row 5: depth_perception" in error
    assert len(error) < 500


def test_a_published_main_file_with_a_long_table_comes_with_sheets_that_can_be_read_again(scores, tmp_path, capsys):
    head = "id,task,rater,depth_perception,efficiency,bimanual_dexterity,tissue_handling"
    rows = [",".join([row.split(";")[0], "Peg", *row.split(";")[1:6]]) for row in (*ONE[1:], *TWO[1:])]
    main_file = ["id;GRS;depth_perception;efficiency;bimanual_dexterity;tissue_handling", "a;;;;;", "b;;;;;", "c;;;;;"]
    _, _, _, out = scores(Peg=main_file, ratings=[head, *rows])
    assert {"Peg_rater1.csv", "Peg_rater2.csv"} <= set(names(out))
    assert main(["scores", "out", "--out", "again"]) == 0
    assert (tmp_path / "again/Peg.csv").read_bytes() == (out / "Peg.csv").read_bytes()


def test_marks_that_are_overruled_and_contradictions_are_told(scores):
    marks = {f"Peg_rater{k}_errors": ["id;lost", f"a;{'True' if k == 1 else 'False'}", "b;False", "c;False"] for k in (1, 2)}
    third = [HEADER, *(row.replace(";2;", ";3;", 1) for row in TWO[1:])]
    code, told, _, out = scores(Peg_rater1=ONE, Peg_rater2=TWO, Peg_rater3=third, Peg_rater3_errors=marks["Peg_rater2_errors"], **marks)
    assert code == 0
    assert "1 overruled, in harmonised.csv: a" in told
    assert json.loads((out / "statistics.json").read_text())["tasks"]["Peg"]["harmonised"]
