"""`scrubin scores` as a curator types it."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

import annotation_folder
from annotation_folder import ASPECTS, SCORES, contents
from scrubin.cli import main

pytestmark = pytest.mark.usefixtures("agreement_once")
ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests/data/ratings"
GOLDEN = json.loads((DATA / "ratings_main.json").read_text(encoding="utf-8"))
TASKS = {task["task"]: task for task in GOLDEN["tasks"]}
REPORTS = {"statistics.json", "harmonised.csv", "contradictions.csv", "differences.csv"}
HEADER = "id;rater;depth_perception;efficiency;bimanual_dexterity;tissue_handling;GRS"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """A working folder without params.yaml."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def sheets(tmp_path):
    """The golden rater files, and the golden labels as harmonised ones."""
    folder = shutil.copytree(DATA / "sheets", tmp_path / "sheets")
    for name, task in TASKS.items():
        pd.DataFrame(task["errors"]).rename_axis("id").reset_index().to_csv(folder / f"{name}_errors.csv", sep=";", index=False)
    return folder


@pytest.fixture
def two_tasks(sheets):
    """The golden rater files of two tasks; in one of them a recording is rated by nobody."""
    for name in TASKS.keys() - {"PegTransfer", "SutureAndKnot"}:
        for path in sheets.glob(f"{name}_*"):
            path.unlink()
    return sheets


@pytest.fixture
def small(tmp_path):
    """Three recordings and two raters; ``write`` changes or adds files."""
    folder = tmp_path / "small"
    folder.mkdir()

    def write(**files):
        default = {
            "Peg_rater1": [HEADER, "a;1;1;2;3;4;10", "b;1;2;3;4;5;14", "c;1;5;4;3;2;14"],
            "Peg_rater2": [HEADER, "a;2;2;2;3;3;10", "b;2;;;;;", "c;2;3;4;5;5;17"],
        }
        for name, rows in {**default, **files}.items():
            (folder / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        return folder

    return write


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def close(text, expected):
    return text == "" if expected is None else float(text) == pytest.approx(expected, abs=1e-9, rel=0)


def scored(source, out="out", *more, code=0):
    assert main(["scores", str(source), "--out", out, *more]) == code
    return Path(out)


@pytest.mark.slow
def test_golden_sheets_give_golden_annotations(sheets, capsys):
    assert main(["scores", str(sheets), "--out", "out"]) == 0
    for name, task in TASKS.items():
        rows = rows_of(Path("out") / f"{name}.csv")
        assert list(rows[0]) == ["id", *task["errors"], *SCORES]
        # One golden recording is rated by nobody: here it is known by its error labels.
        assert [row["id"] for row in rows] == sorted(task["ids"])
        for row in rows:
            assert all(close(row[aspect], task["expected"]["aggregated"][aspect][row["id"]]) for aspect in SCORES)
            assert all(row[error] == str(marks[row["id"]]) for error, marks in task["errors"].items())
        agreement = rows_of(Path("out") / f"{name}_agreement.csv")
        assert all(close(row["disagreement"], task["expected"]["disagreement"][row["id"]]) for row in agreement)
        strong = {row["id"] for row in agreement if row["strong_disagreement"] == "True"}
        assert strong == set(task["expected"]["strong_disagreement"]["linear"])
    told = capsys.readouterr().out
    assert "no duration and frame_count, as no PegTransfer.csv was given" in told
    assert "Lin's concordance 0.844 (mean of 3 pairs of raters, complementary ones joined, failed recordings included" in told
    assert "0: 30 recordings, 5 failed" in told


@pytest.mark.slow
def test_golden_concordance_comes_with_the_statistics(sheets, capsys):
    out = scored(sheets, "out", "--json")
    text = capsys.readouterr().out
    assert text == (out / "statistics.json").read_text(encoding="utf-8")
    told = json.loads(text)
    for name, task in TASKS.items():
        found = told["tasks"][name]["agreement"]["GRS"]["failed_included"]["pooled"]["mean"]["bessel"]
        assert found == pytest.approx(task["expected"]["ccc"]["GRS"]["failed_included"]["mean_over_pooled_pairs_bessel"], abs=1e-9)
        assert told["tasks"][name]["duration_and_GRS"] == {"n": 0, "spearman": None}
    assert set(told["files"]) == set(contents(out))
    assert str(Path.cwd()) not in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spelling", "names"),
    [
        ({}, TASKS.keys()),
        ({"as_float": True}, {"PegTransfer"}),
        ({"lineterminator": "\r\n", "encoding": "utf-8-sig"}, {"CircleCutting"}),
        ({"quoting": 1, "na_rep": "NaN"}, {"SutureAndKnot"}),
    ],
)
def test_a_published_folder_passes_through_byte_for_byte(spelling, names, elsewhere, capsys):
    published = annotation_folder.write(elsewhere / "Annotation", [TASKS[name] for name in TASKS if name in names], **spelling)
    before = contents(published)
    assert main(["scores", "Annotation", "--out", "out"]) == 0
    after = contents(elsewhere / "out")
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == REPORTS | {f"{name}_agreement.csv" for name in names}
    assert contents(published) == before
    told = capsys.readouterr().out
    assert told.count("no difference above 1e-06") == len(names)
    assert "Spearman with GRS" in told


@pytest.mark.slow
def test_a_wrong_published_value_is_listed_and_only_its_cell_is_mended(elsewhere, capsys):
    published = annotation_folder.write(elsewhere / "Annotation", [TASKS["PegTransfer"], TASKS["CircleCutting"]])
    path = published / "PegTransfer.csv"
    right = path.read_text()
    value = TASKS["PegTransfer"]["expected"]["aggregated"]["GRS"]["fasavu"]
    path.write_text(right.replace(repr(value), "1.5"))
    assert main(["scores", "Annotation", "--out", "out"]) == 1
    mended = Path("out/PegTransfer.csv").read_text().splitlines()
    assert sum(a != b for a, b in zip(mended, right.splitlines(), strict=True)) <= 1
    cells = next(line.split(";") for line in mended if line.startswith("fasavu"))
    assert float(cells[3]) == pytest.approx(value, abs=1e-12)
    rows = rows_of(Path("out/differences.csv"))
    wrong = [row for row in rows if row["severity"] == "error"]
    assert [(row["task"], row["id"], row["column"], row["published"]) for row in wrong] == [("PegTransfer", "fasavu", "GRS", "1.5")]
    assert float(wrong[0]["difference"]) == pytest.approx(1.5 - value)
    assert "PegTransfer.csv, line 4: id 'fasavu': GRS is 1.5, recomputed " in capsys.readouterr().out


def test_an_unrated_recording_and_a_task_with_a_split_only_are_no_faults(small, capsys):
    folder = small(Peg_split=["id;split", "a;val", "b;train", "c;test"], Knot_split=["id;split", "x;train"])
    out = scored(folder)
    for name in ("Knot_split.csv", "Peg_split.csv"):
        assert (out / name).read_bytes() == (folder / name).read_bytes()
    assert "none, as there is no rater's sheet" in capsys.readouterr().out


@pytest.mark.slow
def test_what_the_command_wrote_passes_through_it(two_tasks):
    once, twice = contents(scored(two_tasks, "once")), contents(scored("once", "twice"))
    assert {name: twice[name] for name in once if name not in REPORTS} == {name: once[name] for name in once if name not in REPORTS}


@pytest.mark.slow
def test_the_order_of_rows_and_columns_makes_no_difference(two_tasks, elsewhere):
    shuffled = elsewhere / "shuffled"
    shuffled.mkdir()
    for path in two_tasks.iterdir():
        frame = pd.read_csv(path, sep=";", dtype=str, keep_default_na=False).sample(frac=1, random_state=3)
        columns = ["id", *sorted(frame.columns.drop("id"), reverse=True)] if "rater" in frame else list(frame.columns)
        frame[columns].to_csv(shuffled / path.name, sep=";", index=False, lineterminator="\r\n")
    assert contents(scored(two_tasks, "a")) == contents(scored("shuffled", "b"))


@pytest.mark.slow
def test_a_rater_files_scores_are_in_lasanas_spelling(small):
    assert main(["scores", str(small()), "--out", "out"]) == 0
    assert Path("out/Peg_rater2.csv").read_text() == "\n".join([HEADER, "a;2;2;2;3;3;10", "b;2;;;;;", "c;2;3;4;5;5;17"]) + "\n"
    rows = rows_of(Path("out/Peg.csv"))
    assert [row["id"] for row in rows] == ["a", "b", "c"]
    # Rater 2 failed b: -2.5 counts for the total, but one aspect's score alone is not enough.
    z = (14 - 38 / 3) / (16 / 3) ** 0.5
    assert float(rows[1]["GRS"]) == pytest.approx((z - 2.5) / 2, abs=1e-12)
    assert [rows[1][aspect] for aspect in ASPECTS] == [""] * 4


def test_a_recording_with_one_rating_has_no_score(small):
    out = scored(small(Peg_rater2=[HEADER, "a;2;2;2;3;3;10", "c;2;3;4;5;5;17"]))
    assert [row["GRS"] == "" for row in rows_of(out / "Peg.csv")] == [False, True, False]
    assert (out / "Peg_agreement.csv").read_text().splitlines()[2] == "b;1;;"


@pytest.mark.slow
def test_error_marks_of_an_unknown_task_are_harmonised(small):
    one, other = (["id;dropped;lost", f"a;{dropped};False", "b;False;False"] for dropped in (True, False))
    out = scored(small(Peg_rater1_errors=one, Peg_rater2_errors=other))
    found = [(row["dropped"], row["lost"]) for row in rows_of(out / "Peg.csv")]
    assert found == [("True", "False"), ("False", "False"), ("", "")]
    assert (out / "harmonised.csv").read_text().splitlines()[1:] == ["a;Peg;dropped;2;False;True"]


def test_error_marks_without_scores_become_labels(elsewhere):
    folder = elsewhere / "marks"
    folder.mkdir()
    (folder / "Peg_rater1_errors.csv").write_text("id;lost;dropped\nb;False;False\na;True;False\n")
    (folder / "Peg_rater2_errors.csv").write_text("id;lost;dropped\na;False;False\n")
    assert main(["scores", "marks", "--out", "out"]) == 0
    assert Path("out/Peg_errors.csv").read_text() == "id;lost;dropped\na;True;False\nb;False;False\n"
    assert Path("out/Peg_rater1_errors.csv").read_bytes() == (folder / "Peg_rater1_errors.csv").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("column", [True, False])
def test_an_explicit_mark_for_failed_must_be_a_column_of_the_sheets(column, small, elsewhere, capsys):
    shipped = (ROOT / "params.yaml").read_text(encoding="utf-8")
    marked = shipped.replace("failed_mark: null", 'failed_mark: {column: failed, value: "True"}')
    assert marked != shipped
    (elsewhere / "params.yaml").write_text(marked, encoding="utf-8")
    folder = small()
    if not column:
        scored(folder, code=1)
        assert "column 'failed' is missing" in capsys.readouterr().err
        return
    for path in folder.iterdir():
        rows = path.read_text().splitlines()
        path.write_text("\n".join([rows[0] + ";failed", *(row + (";True" if ";;" in row else ";") for row in rows[1:])]))
    out = scored(folder)
    assert (out / "Peg_rater2.csv").read_text().splitlines()[2] == "b;2;;;;;"
    assert float(rows_of(out / "Peg.csv")[1]["GRS"]) == pytest.approx(-0.96, abs=0.01)


def test_parameters_are_those_of_the_working_folder_or_as_given(small, elsewhere):
    shipped = (ROOT / "params.yaml").read_text(encoding="utf-8")
    (elsewhere / "params.yaml").write_text(shipped.replace("failed_grs: -2.5", "failed_grs: -9"), encoding="utf-8")
    (elsewhere / "other.yaml").write_text(shipped.replace("min_ratings: 2", "min_ratings: 3"), encoding="utf-8")
    assert float(rows_of(scored(small(), "here") / "Peg.csv")[1]["GRS"]) == pytest.approx(-4.21, abs=0.01)
    assert [row["GRS"] for row in rows_of(scored("small", "given", "--params", "other.yaml") / "Peg.csv")] == [""] * 3


def test_long_tables_are_taken_as_well(small, elsewhere):
    frames = [pd.read_csv(small() / f"Peg_rater{rater}.csv", sep=";", dtype=str, keep_default_na=False) for rater in "12"]
    long = elsewhere / "long"
    long.mkdir()
    pd.concat(frames).assign(task="Peg").to_csv(long / "ratings.csv", index=False)
    assert contents(scored("small", "a")) == contents(scored("long", "b"))


@pytest.mark.cases(4)
@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        ("Peg_rater2", [HEADER, "a;2;6;2;3;3;14"], ", line 2: depth_perception is 6, not on the scale from 1 to 5"),
        ("Peg_rater2", [HEADER, "a;2;;2;3;3;"], ", line 2: depth_perception, GRS empty beside given scores"),
        ("Peg_rater2", [HEADER, "a;2;2;2;3;3;11"], ", line 2: GRS is 11, but the aspects add up to 10"),
        ("Peg_rater2", [HEADER, "a;2;2;2;3;3;10", "", "a;2;2;2;3;3;10"], ", line 4: id 'a' stands twice, first in line 2"),
        ("Peg_rater2", [HEADER], ": the rater rated no recording"),
        ("Peg_rater2", [HEADER, "a;3;2;2;3;3;10"], ", line 2: rater is '3', but the file name says '2'"),
        ("Peg_rater2", [HEADER.replace(";", ","), "a;2;2;2;3;3;10"], ", line 2: expected 7 cells, but got 1"),
        ("Peg_rateranna", [HEADER], ": the name of a rater would be published"),
        ("Peg_rater1_errors", ["id;dropped", "a;1"], ", line 2: dropped is '1'; write True or False"),
        ("Peg_errors", ["id;dropped", "a;1"], ", line 2: dropped is '1'; it should be True or False"),
        ("Peg", ["id;GRS", "a;0"], f", line 1: columns {', '.join(map(repr, ASPECTS))} are missing"),
        ("Peg_split", ["id;subset", "a;train"], ", line 1: column 'split' is missing"),
    ],
)
def test_a_fault_stops_its_own_task_only_and_is_named(name, rows, message, small, capsys):
    out = scored(small(**{name: rows}, Knot_rater1=[HEADER, "x;1;1;2;3;4;10", "y;1;2;3;4;5;14"]), code=1)
    told, message = capsys.readouterr(), f"{name}.csv{message}"
    assert f"scrubin scores: {message}" in told.err
    assert "Peg: not scored, nothing is written of it" in told.out
    assert {path.name for path in out.iterdir()} - REPORTS == {"Knot.csv", "Knot_rater1.csv", "Knot_agreement.csv"}
    assert message in json.loads((out / "statistics.json").read_text())["not_scored"]["Peg"][0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ["a;2;2;2;3;3;10", "b;2;2;2;3;3;10"],
            "all 2 scores are the same (GRS 10, bimanual_dexterity 3, depth_perception 2, efficiency 2, tissue_handling 3)",
        ),
        (["a;2;2;2;3;3;10", "b;2;3;2;3;3;11"], "all 2 scores are the same (bimanual_dexterity 3, efficiency 2, tissue_handling 3)"),
        (["a;2;2;2;3;3;10"], "1 scored recording, and normalising needs 2"),
        (["a;2;;;;;"], "0 scored recordings, and normalising needs 2"),
    ],
)
def test_a_rater_without_a_scale_is_named_and_the_task_is_scored(rows, message, small, capsys):
    out = scored(small(Peg_rater2=[HEADER, *rows]))
    assert f"scrubin scores: Peg_rater2.csv, task Peg, rater 2: {message}" in capsys.readouterr().err
    task = json.loads((out / "statistics.json").read_text())["tasks"]["Peg"]
    assert {one["rater"] for one in task["not_normalised"]} == {"2"}
    assert [row["tissue_handling"] for row in rows_of(out / "Peg.csv")] == [""] * 3


def test_every_faulty_file_is_named_at_once(small, capsys):
    out = scored(small(Peg_rater1=[HEADER, "a;1;9;2;3;4;18"], Peg_rater2=[HEADER, "b;2;x;2;3;4;18"]), code=1)
    told = capsys.readouterr().err
    assert "Peg_rater1.csv, line 2: depth_perception is 9" in told
    assert "Peg_rater2.csv, line 2: depth_perception is 'x'" in told
    assert not out.exists()


def test_published_scores_without_rater_files_are_not_taken_on_trust(elsewhere, capsys):
    annotation_folder.write(elsewhere / "Annotation", [TASKS["PegTransfer"], TASKS["CircleCutting"]])
    for path in (elsewhere / "Annotation").glob("PegTransfer_rater*.csv"):
        path.unlink()
    assert main(["scores", "Annotation", "--out", "out"]) == 1
    assert "PegTransfer.csv: its scores cannot be recomputed without rater files" in capsys.readouterr().err
    assert not Path("out/PegTransfer.csv").exists()


def test_the_folder_of_the_rater_files_is_never_written_to(small, elsewhere, capsys):
    folder = small()
    before = contents(folder)
    (elsewhere / "link").symlink_to(folder)
    for out in ("small", "small/../small", "link"):
        assert main(["scores", "small", "--out", out]) == 1
        assert "which are never overwritten" in capsys.readouterr().err
    assert contents(folder) == before


@pytest.mark.slow
def test_files_of_an_earlier_run_are_replaced_or_removed_and_others_stay(small):
    folder = small()
    (scored(folder) / "mine.csv").write_text("mine")
    for path in folder.iterdir():
        path.rename(folder / path.name.replace("Peg", "Knot"))
    names = {path.name for path in scored(folder).iterdir()} - REPORTS
    assert names == {"mine.csv", "Knot.csv", "Knot_rater1.csv", "Knot_rater2.csv", "Knot_agreement.csv"}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nowhere", "nowhere: there is no such folder"),
        ("empty", "empty: there is no CSV of scores in it; it should hold files such as PegTransfer_rater1.csv"),
        ("dataset", "dataset: there is no CSV of scores in it; did you mean dataset/Annotation?"),
    ],
)
def test_a_wrong_folder_is_named(source, message, elsewhere, capsys):
    (elsewhere / "empty").mkdir()
    (elsewhere / "dataset/Annotation").mkdir(parents=True)
    assert main(["scores", source, "--out", "out"]) == 1
    assert message in capsys.readouterr().err
    assert not Path("out").exists()


@pytest.mark.parametrize("blocked", ["out", "out/Peg.csv"])
def test_what_is_in_the_way_is_named_and_nothing_is_half_written(blocked, small, elsewhere, capsys):
    folder = small()
    if blocked == "out":
        (elsewhere / "out").touch()
    else:
        (elsewhere / blocked).mkdir(parents=True)
    assert main(["scores", str(folder), "--out", "out"]) == 1
    assert capsys.readouterr().err.startswith("scrubin scores: out: ")
    assert not list(elsewhere.glob("out/*rater*"))
    assert not list(elsewhere.glob("out/.part*"))
