"""`scrubin splits make` and `extend`, as somebody with a CSV uses them."""

import csv
import json
import os

import numpy as np
import pandas as pd
import pytest

from each import each
from scrubin import cli
from scrubin.base.naming import SPELT
from scrubin.curate.by_hand import own_split


@pytest.fixture
def table(tmp_path):
    """60 recordings of 20 participants; recording k of participant p is named p-k."""
    rng = np.random.default_rng(0)
    rows = [
        (f"v{p:02d}-{k}", f"p{p}", round(rng.normal(), 3), bool(rng.random() < 0.3), bool(rng.random() < 0.1), 100 + p, p == 3 and k == 0)
        for p in range(20)
        for k in range(3)
    ]
    path = tmp_path / "table.csv"
    pd.DataFrame(rows, columns=["id", "participant", "GRS", "error_a", "error_b", "duration", "strong"]).to_csv(path, index=False)
    return path


def run(*arguments):
    return cli.main(["splits", *map(str, arguments)])


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_make_writes_a_sound_split_and_prints_imbalance_and_gap(table, tmp_path, capsys):
    out = tmp_path / "split.csv"
    assert run("make", table, "--out", out, "--scheme", "balanced", "--group", "participant", "--pin-train", "strong") == 0
    rows = rows_of(out)
    assert list(rows[0]) == ["id", "subset"]
    assert [row["id"] for row in rows] == sorted(f"v{p:02d}-{k}" for p in range(20) for k in range(3))
    subset = {row["id"]: row["subset"] for row in rows}
    assert all(len({subset[f"v{p:02d}-{k}"] for k in range(3)}) == 1 for p in range(20))
    assert subset["v03-0"] == "train"
    printed = capsys.readouterr().out
    assert "60 recordings of 20 participants" in printed
    assert "error_a" in printed
    assert "GRS mean" in printed
    assert "duration" not in printed
    assert "proven gap" in printed


@pytest.mark.slow
def test_make_prints_json_for_machines_and_is_the_same_again_from_shuffled_rows(table, tmp_path, capsys):
    arguments = [
        "--group",
        "participant",
        "--balance",
        "GRS,error_a,error_b,duration",
        "--subsets",
        "train=0.7,test=0.3",
        "--seed",
        "3",
        "--json",
    ]
    assert run("make", table, "--out", tmp_path / "one.csv", *arguments) == 0
    first = capsys.readouterr().out
    pd.read_csv(table).sample(frac=1, random_state=1).to_csv(tmp_path / "shuffled.csv", index=False, sep=";")
    assert run("make", tmp_path / "shuffled.csv", "--out", tmp_path / "two.csv", *arguments) == 0
    assert capsys.readouterr().out == first
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    value = json.loads(first)
    assert value["subsets"] == ["train", "test"]
    assert value["proofs"][0]["gap"] >= 0
    assert {row["measure"] for row in value["imbalance"]["measures"]} >= {"recordings", "GRS mean", "error_a", "error_b", "duration mean"}
    assert value["imbalance"]["mean"] <= value["imbalance"]["worst"]


@pytest.mark.parametrize(("scheme", "folds"), [("k_fold", 5), ("difficulty_folds", 5), ("leave_n_participants_out", 20)])
def test_folds_test_every_recording_once(table, tmp_path, capsys, scheme, folds):
    out = tmp_path / "folds.csv"
    number = ["--leave-out", 1] if scheme == "leave_n_participants_out" else ["--folds", 5]
    assert run("make", table, "--out", out, "--scheme", scheme, "--group", "participant", *number, "--work-limit", 0.1) == 0
    rows = rows_of(out)
    assert list(rows[0]) == ["fold", "id", "subset"]
    assert {row["fold"] for row in rows} == {str(fold) for fold in range(folds)}
    tested = [row["id"] for row in rows if row["subset"] == "test"]
    assert len(tested) == len(set(tested)) == 60
    assert "note: each fold tests a single participant" in capsys.readouterr().out or scheme != "leave_n_participants_out"


@each(
    "scheme, more",
    [
        ("balanced", ["--repeats", 1, "--folds", 5, "--leave-out", 1, "--difficulty", "duration"]),
        ("k_fold", ["--subsets", "train=0.75,val=0.10,test=0.15", "--leave-out", 1]),
    ],
)
def test_a_default_that_is_given_changes_nothing_where_the_scheme_has_no_such_option(table, tmp_path, scheme, more):
    asked = ["--scheme", scheme, "--group", "participant", "--work-limit", 0.1]
    assert run("make", table, "--out", tmp_path / "one.csv", *asked) == 0
    assert run("make", table, "--out", tmp_path / "two.csv", *asked, *more) == 0
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


@pytest.mark.slow
def test_per_task_splits_each_task_by_itself(table, tmp_path, capsys):
    frame = pd.read_csv(table)
    frame["task"] = np.where(frame.id.str.endswith("0"), "Peg", "Knot")
    frame.to_csv(table, index=False)
    out = tmp_path / "split.csv"
    assert run("make", table, "--out", out, "--group", "participant", "--per-task") == 0
    assert len(rows_of(out)) == 60
    assert {row["scheme"] for row in rows_of(out)} == {"balanced.Knot", "balanced.Peg"}
    assert run("check", out, "--table", table, "--group", "participant") == 0
    printed = capsys.readouterr().out
    assert "balanced.Knot: 40 recordings" in printed
    assert "balanced.Peg: 20 recordings" in printed


@pytest.mark.slow
def test_extend_moves_nobody(table, tmp_path, capsys):
    old, out = tmp_path / "old.csv", tmp_path / "new.csv"
    frame = pd.read_csv(table)
    frame[frame.id < "v12"].to_csv(tmp_path / "first.csv", index=False)
    assert run("make", tmp_path / "first.csv", "--out", old, "--group", "participant") == 0
    assert run("extend", old, table, "--out", out, "--group", "participant") == 0
    before, after = ({row["id"]: row["subset"] for row in rows_of(path)} for path in (old, out))
    assert len(after) == 60
    assert {id_: after[id_] for id_ in before} == before


def test_extend_needs_every_released_recording_in_the_table(table, tmp_path, capsys):
    (tmp_path / "old.csv").write_text("id,subset\nv00-0,train\nv99-9,test\n")
    assert run("extend", tmp_path / "old.csv", table, "--out", tmp_path / "new.csv", "--group", "participant") == 1
    said = capsys.readouterr().err
    assert "recording 'v99-9' of the released split is missing" in said
    assert "if somebody withdrew, take their rows out of " in said
    assert not (tmp_path / "new.csv").exists()


def test_groups_that_make_balance_impossible_are_named(tmp_path, capsys):
    who = ["giant"] * 50 + ["big"] * 40 + ["a", "b", "c"]
    pd.DataFrame({"id": [f"v{i}" for i in range(len(who))], "participant": who}).to_csv(tmp_path / "t.csv", index=False)
    assert run("make", tmp_path / "t.csv", "--out", tmp_path / "s.csv", "--group", "participant", "--subsets", "train=0.54,test=0.46") == 0
    assert "cannot be balanced" not in capsys.readouterr().out
    assert run("make", tmp_path / "t.csv", "--out", tmp_path / "s.csv", "--group", "participant", "--subsets", "train=0.75,test=0.25") == 0
    printed = capsys.readouterr().out
    assert "cannot be balanced: recordings in test: 23.2 wanted, 40 is the nearest that whole participants reach" in printed
    assert "cannot be balanced: recordings in train: 69.8 wanted" in printed
    assert "giant 50, big 40" in printed


HEAD = "id,participant,GRS,error_a,pin\n"


@pytest.mark.parametrize(
    ("text", "more", "says"),
    [
        (HEAD + "a,p,1,True,\na,q,1,True,\n", [], "line 3: recording 'a' (column 'id') stands twice, first in line 2"),
        (HEAD + "a,p,1,True,\nb,,1,True,\n", [], "line 3: the cell 'participant' is empty"),
        (HEAD + "a,NA,1,True,\n", [], "line 2: the cell 'participant' is empty: 'NA' names nobody; fill it in"),
        (HEAD + "a,p,1,True,\nb,unknown,1,True,\n", [], "line 3: the cell 'participant' is 'unknown', which names nobody; fill it in"),
        (HEAD.replace(",", ";") + "a;p;1,5;True;\nb;q;2;True;\n", [], "line 2: 'GRS' is '1,5'; write numbers with a decimal point"),
        (HEAD + ",p,1,True,\n", [], "line 2: the cell 'id' is empty"),
        (HEAD + "a,p,1,True\n", [], "line 2: expected 5 cells, but got 4"),
        (HEAD, [], "it has a header but no rows"),
        (HEAD + "a,p,1,True,\nb,q,2,False,\n", [], "2 participants cannot fill 3 subsets (train, val, test)"),
        (HEAD + "a,p,1,True,\n", ["--balance", "weight"], "there is no column 'weight'; known are id, participant"),
        (HEAD + "a,p,x1,True,\n", ["--balance", "GRS:number"], "column 'GRS' holds 'x1', which is no number"),
        (HEAD + "a,p,1_000,True,\nb,q,1,True,\nc,r,2,True,\n", [], "line 2: 'GRS' is '1_000', not a number as most are"),
        (HEAD + "a,p,1,True,perhaps\n", ["--pin-train", "pin"], "line 2: 'pin' is 'perhaps'; --pin-train needs a column of True and False"),
        (
            HEAD + "a,Ann Lee,1,True,\nb,q,1,True,\nc,ann\N{NO-BREAK SPACE}lee,1,True,\n",
            [],
            rf"line 4: participant 'ann\xa0lee' differs from 'Ann Lee' in line 2 in {SPELT} only",
        ),
        (
            HEAD + "a,P01,1,True,\nb,P01\u200b,1,True,\n",
            [],
            rf"line 3: participant 'P01\u200b' differs from 'P01' in line 2 in {SPELT} only",
        ),
        (HEAD + "a,O'Hara,1,True,\nb,O\u2019Hara,1,True,\n", [], r"line 3: participant 'O\u2019Hara' differs from"),
        (
            HEAD + "op_1,p,1,True,\nOP_1,q,1,True,\n",
            [],
            "recording 'OP_1' of participant 'q' differs from 'op_1' in line 2 of 'p'",
        ),
        (HEAD + "x/op1,p,1,True,\n./x/op1,q,1,True,\n", [], "differs from 'x/op1' in line 2 of 'p' in how its path is written only;"),
        (
            HEAD + "video01,p,1,True,\n1,q,1,True,\n",
            [],
            "recording '1' of participant 'q' differs from 'video01' in line 2 of 'p' in how a video of a public data set, cholec80, "
            "is called only; if they are one, give it one participant and one row; if not, use names that differ in more\n",
        ),
        (
            HEAD.replace("id,", "dataset,id,", 1) + "cholec80,a/video01,p,1,True,\nCholec 80,b/video01,q,1,True,\n",
            [],
            "in how a video of a public data set, cholec80, is called only; if they are one, give it one participant and one row; if not, "
            "use names that differ in more than their folder\n",
        ),
        (
            HEAD.replace("id,", "Dataset,id,", 1) + "cholec80,video01,p,1,True,\nmine,a,r,1,True,\nCholec80,1,q,1,True,\n",
            [],
            "line 4: recording '1' of participant 'q' differs from 'video01' in line 2 of 'p' in how",
        ),
        (HEAD + "a,#N/A,1,True,\nb,p,1,True,\n", [], "line 2: the cell 'participant' is '#N/A', of a spreadsheet and no name; fill it in"),
        (HEAD + "#REF!,p,1,True,\n", [], "line 2: the cell 'id' is '#REF!', an error or a formula of a spreadsheet"),
        (HEAD + "a,p,1,True,\n", ["--scheme", "k_fold"], "1 participants cannot fill 5 folds"),
        (HEAD + "a,p,1,True,\n", ["--scheme", "difficulty_folds"], "there is no column 'duration'"),
        (HEAD + "a,p,1,True,\n", ["--per-task"], "--per-task needs a column 'task'"),
    ],
)
def test_bad_input_gives_one_clear_sentence_and_no_file(tmp_path, capsys, text, more, says):
    path, out = tmp_path / "table.csv", tmp_path / "split.csv"
    path.write_text(text)
    assert run("make", path, "--out", out, "--group", "participant", *more) == 1
    error = capsys.readouterr().err
    assert says in error
    assert error.startswith("scrubin splits")
    assert error.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize("ending", ["", ".mkv"])
def test_recordings_that_their_folders_tell_apart_are_divided_and_the_split_is_sound(tmp_path, capsys, ending):
    rows = [f"site{site}/{number:02}{ending},P{site}{number}" for site in "AB" for number in range(1, 7)]
    (tmp_path / "t.csv").write_text("\n".join(["id,participant", *rows]) + "\n")
    assert run("make", tmp_path / "t.csv", "--out", tmp_path / "s.csv", "--group", "participant") == 0
    assert run("check", tmp_path / "s.csv", "--table", tmp_path / "t.csv") == 0, capsys.readouterr().err


def test_a_table_that_is_missing_is_an_error(tmp_path, capsys):
    assert run("make", tmp_path / "none.csv", "--out", tmp_path / "s.csv", "--group", "participant") == 1
    assert "none.csv: there is no such file; name a CSV file" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["table.csv", "../{here}/table.csv", ".", "table.csv/x.csv", "link.csv", "/", "{long}", "pipe"])
def test_nothing_that_must_not_be_is_written_over(table, tmp_path, capsys, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to(tmp_path / "kept.csv")
    os.mkfifo(tmp_path / "pipe")
    before = table.read_bytes()
    name = out.format(here=tmp_path.name, long="a" * 300)
    assert run("make", "table.csv", "--out", name, "--group", "participant") == 1
    error = capsys.readouterr().err
    assert error.startswith("scrubin splits: --out ")
    assert error.count("\n") == 1
    assert table.read_bytes() == before
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "pipe").is_fifo()
    assert not (tmp_path / "kept.csv").exists()


def test_a_released_split_is_never_written_over(table, tmp_path, capsys):
    old = tmp_path / "old.csv"
    old.write_text("id,subset\nv00-0,train\n")
    assert run("extend", old, table, "--out", old, "--group", "participant") == 1
    assert "is the same file as" in capsys.readouterr().err
    assert run("extend", old, table, "--out", tmp_path / "new.csv", "--group", "participant", "--seed", "-5") == 2
    assert "--seed must be at least 0" in capsys.readouterr().err


@pytest.mark.parametrize("clock", ["0:{m:02}:{s:02}", "{m}:{s:02}", "0:{m:02}:{s:02}.0"])
def test_a_difficulty_written_as_a_time_sorts_as_its_seconds_do(tmp_path, clock):
    seconds = [59, 3000, 61, 599, 600, 601, 3599, 60]
    files = {}
    for name, cells in {"numbers": seconds, "times": [clock.format(m=s // 60, s=s % 60) for s in seconds]}.items():
        (tmp_path / f"{name}.csv").write_text("id,who,duration\n" + "".join(f"v{i},p{i},{cell}\n" for i, cell in enumerate(cells)))
        arguments = ("--group", "who", "--scheme", "difficulty_folds", "--folds", "2")
        assert run("make", tmp_path / f"{name}.csv", "--out", tmp_path / f"{name}_split.csv", *arguments) == 0
        files[name] = (tmp_path / f"{name}_split.csv").read_text()
    assert files["numbers"] == files["times"]


@pytest.mark.parametrize(
    ("cell", "what"), [("", "the cell 'duration' is empty"), *((cell, f"'duration' is '{cell}'") for cell in ("1h", "0:61:00"))]
)
@pytest.mark.parametrize("more", [(), ("--balance", "duration")])
def test_a_difficulty_that_cannot_be_sorted_is_named_by_its_line_and_nobody_is_told_to_leave_it_empty(tmp_path, capsys, cell, what, more):
    (tmp_path / "t.csv").write_text(f"id,who,duration\na,p,0:01:05\nb,q,{cell}\nc,r,12\n")
    arguments = ("--group", "who", "--scheme", "difficulty_folds", "--folds", "2", *more)
    assert run("make", tmp_path / "t.csv", "--out", tmp_path / "s.csv", *arguments) == 1
    mend = "write a number such as 65.0, or a time such as 0:01:05, or name another column with --difficulty\n"
    assert capsys.readouterr().err.endswith(f"t.csv, line 3: {what}; every recording is sorted by it: {mend}")


@pytest.mark.parametrize("cell", ["S1; S3", "S1/S3", "S3 + S9", '"S1, S3"', "s3 & S1"])
def test_a_cell_that_names_several_people_is_refused_because_either_could_be_in_two_subsets(tmp_path, capsys, cell):
    rows = "".join(f"v{i},S{i},{i}\n" for i in range(2, 8))
    (tmp_path / "t.csv").write_text(f"id,who,GRS\n{rows}both,{cell},1\nteam,A/B team,2\n")
    (tmp_path / "old.csv").write_text("id,subset\nv2,train\nv3,test\n")
    for command in (("make", tmp_path / "t.csv"), ("extend", tmp_path / "old.csv", tmp_path / "t.csv")):
        assert run(*command, "--out", tmp_path / "s.csv", "--group", "who", "--balance", "GRS") == 1
        said = capsys.readouterr().err
        assert f"t.csv, line 8: who '{cell.strip(chr(34))}' names several: " in said
        assert "' stands in line 3, too; write one person, whom subsets keep apart" in said
        assert "A/B team" not in said


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--balance", "GRS:flavour"], "'flavour' of 'GRS:flavour' is no kind"),
        (["--balance", "GRS,GRS"], "--balance names 'GRS' twice"),
        (["--subsets", "train=0.8,test=0.3"], "must be shares that add up to 1, but they add up to 1.1"),
        (["--subsets", "train"], "'train' is not NAME=SHARE"),
        (["--subsets", "train=0.5,train=0.5"], "'train' stands twice"),
        (["--scheme", "k_fold", "--folds", "1"], "--folds must be at least 2, but is 1"),
        (["--work-limit", "-1"], "--work-limit must lie in [0, 10000], but is -1"),
        (["--scheme", "k_fold", "--pin-train", "pin"], "--pin-train is of balanced"),
        (["--folds", "3"], "--folds is of difficulty_folds and k_fold, but the scheme is balanced; name it by --scheme"),
        (["--leave-out", "2"], "--leave-out is of leave_n_participants_out, but the scheme is balanced"),
        (["--repeats", "2"], "is of difficulty_folds, k_fold and leave_n_participants_out, but the scheme is balanced"),
        (["--validation"], "--validation is of difficulty_folds and k_fold"),
        (["--difficulty", "GRS"], "--difficulty is of difficulty_folds"),
        (["--scheme", "k_fold", "--subsets", "train=0.5,test=0.5"], "--subsets is of balanced, but the scheme is k_fold"),
    ],
)
def test_options_that_no_table_could_make_right_are_refused(tmp_path, capsys, more, says):
    path, out = tmp_path / "table.csv", tmp_path / "split.csv"
    path.write_text(HEAD + "a,p,1,True,\n")
    assert run("make", path, "--out", out, "--group", "participant", *more) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.startswith("scrubin splits")
    assert error.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize("cell", ["1e308", "-1e200"])
def test_numbers_whose_squares_do_not_fit_are_refused(tmp_path, capsys, cell):
    (tmp_path / "t.csv").write_text(HEAD + f"a,p,{cell},True,\nb,q,1,False,\nc,r,2,True,\nd,s,3,False,\n")
    assert run("make", tmp_path / "t.csv", "--out", tmp_path / "s.csv", "--group", "participant", "--balance", "GRS") == 1
    assert f"'GRS' holds '{cell}', which is no number" in capsys.readouterr().err


def test_a_nul_byte_is_refused_with_its_row(tmp_path, capsys):
    (tmp_path / "t.csv").write_text(HEAD + "a,p,1,True,\nb\0,q,1,False,\n")
    assert run("make", tmp_path / "t.csv", "--out", tmp_path / "s.csv", "--group", "participant") == 1
    assert "t.csv, line 3: holds a NUL byte" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("column", "cells", "says"),
    [
        ("torn", ["True", "False", "Ture", "False"], "line 4: 'torn' is 'Ture', not True or False as most are"),
        ("GRS", ["1.5", "N A", "2", "3"], "line 3: 'GRS' is 'N A', not a number as most are"),
        ("GRS", ["10", "1O", "12", "9"], "line 3: 'GRS' is '1O', not a number as most are"),
    ],
)
def test_a_typo_does_not_turn_a_column_into_words(tmp_path, capsys, column, cells, says):
    rows = "".join(f"v{i},p{i},{cell}\n" for i, cell in enumerate(cells))
    (tmp_path / "t.csv").write_text(f"id,participant,{column}\n{rows}")
    for more in ([], ["--balance", column]):
        assert run("make", tmp_path / "t.csv", "--out", tmp_path / "s.csv", "--group", "participant", *more) == 1
        assert says in capsys.readouterr().err


@pytest.mark.cases(4)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("missing", ["", "NA", "N/A", "nan", "-"])
def test_a_missing_score_is_spelled_in_any_way_with_any_delimiter(tmp_path, capsys, delimiter, missing):
    rows = "".join(f"v{i},p{i},{score}\n" for i, score in enumerate(["1.5", missing, "2", "3", "2.5"]))
    (tmp_path / "t.csv").write_text(f"id,participant,GRS\n{rows}".replace(",", delimiter))
    assert run("make", tmp_path / "t.csv", "--out", tmp_path / "s.csv", "--group", "participant", "--json") == 0
    assert run("check", tmp_path / "s.csv") == 0


def test_a_grs_with_a_zero_is_still_a_measurement(tmp_path, capsys):
    rows = "".join(f"v{i},p{i},{i}\n" for i in range(11))
    (tmp_path / "t.csv").write_text(f"id,participant,GRS\n{rows}")
    assert run("make", tmp_path / "t.csv", "--out", tmp_path / "s.csv", "--group", "participant", "--work-limit", "1") == 0
    assert "GRS mean" in capsys.readouterr().out


@pytest.mark.parametrize("column", ["fold", "scheme"])
def test_several_folds_or_schemes_cannot_be_extended(table, tmp_path, capsys, column):
    (tmp_path / "old.csv").write_text(f"{column},id,subset\n0,v00-0,test\n1,v01-0,test\n")
    assert run("extend", tmp_path / "old.csv", table, "--out", tmp_path / "new.csv", "--group", "participant") == 1
    assert f"column '{column}' has 2 different values" in capsys.readouterr().err


def test_a_user_of_a_table_is_told_of_pins_and_not_of_raters_alone(table, tmp_path, capsys):
    rows = pd.read_csv(table).assign(strong=True)
    rows.to_csv(table, index=False)
    assert run("make", table, "--out", tmp_path / "split.csv", "--group", "participant", "--pin-train", "strong") == 1
    assert "because one of their recordings is pinned to it" in (said := capsys.readouterr().err)
    assert "pin fewer recordings" in said


@pytest.mark.parametrize(("value", "begins"), [(-1.388e-16, "         0 of "), (-123456.7, " -1.235e+05 of "), (0.5, "       0.5 of ")])
def test_cells_of_the_printed_table_stand_apart_and_what_rounding_leaves_is_0(value, begins):
    assert own_split._cell({"value": value, "wanted": 0.0, "imbalance": 1.0}).startswith(begins)
