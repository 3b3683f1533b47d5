"""`scrubin splits make` and `extend`, as somebody with a CSV uses them."""

import csv
import json
import os

import numpy as np
import pandas as pd
import pytest

from each import each
from scrubin import cli
from scrubin.base.text.naming import SPELT
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


@pytest.fixture
def make(tmp_path, capsys):
    """Divide a table, given as its text or its path, by participants, with an exit code that must be; return what is printed."""

    def make(table, *more, group="participant", out="s.csv", code=0):
        if isinstance(table, str):
            (tmp_path / "t.csv").write_text(table)
        path = tmp_path / "t.csv" if isinstance(table, str) else table
        assert run("make", path, "--out", tmp_path / out, "--group", group, *more) == code
        assert code == 0 or not (tmp_path / out).exists()
        return capsys.readouterr()

    return make


def test_make_writes_a_sound_split_and_prints_imbalance_and_gap(table, make, tmp_path):
    printed = make(table, "--scheme", "balanced", "--pin-train", "strong").out
    rows = rows_of(tmp_path / "s.csv")
    assert list(rows[0]) == ["id", "subset"]
    assert [row["id"] for row in rows] == sorted(f"v{p:02d}-{k}" for p in range(20) for k in range(3))
    subset = {row["id"]: row["subset"] for row in rows}
    assert all(len({subset[f"v{p:02d}-{k}"] for k in range(3)}) == 1 for p in range(20))
    assert subset["v03-0"] == "train"
    assert [word for word in ("60 recordings of 20 participants", "error_a", "GRS mean", "proven gap") if word not in printed] == []
    assert "duration" not in printed


@pytest.mark.slow
def test_make_prints_json_for_machines_and_is_the_same_again_from_shuffled_rows(table, make, tmp_path):
    more = ("--balance", "GRS,error_a,error_b,duration", "--subsets", "train=0.7,test=0.3", "--seed", "3", "--json")
    first = make(table, *more, out="one.csv").out
    pd.read_csv(table).sample(frac=1, random_state=1).to_csv(tmp_path / "shuffled.csv", index=False, sep=";")
    assert make(tmp_path / "shuffled.csv", *more, out="two.csv").out == first
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    value = json.loads(first)
    assert value["subsets"] == ["train", "test"]
    assert value["proofs"][0]["gap"] >= 0
    assert {row["measure"] for row in value["imbalance"]["measures"]} >= {"recordings", "GRS mean", "error_a", "error_b", "duration mean"}
    assert value["imbalance"]["mean"] <= value["imbalance"]["worst"]


@pytest.mark.parametrize(("scheme", "folds"), [("k_fold", 5), ("difficulty_folds", 5), ("leave_n_participants_out", 20)])
def test_folds_test_every_recording_once(table, make, tmp_path, scheme, folds):
    number = ["--leave-out", 1] if scheme == "leave_n_participants_out" else ["--folds", 5]
    printed = make(table, "--scheme", scheme, *number, "--work-limit", 0.1).out
    rows = rows_of(tmp_path / "s.csv")
    assert list(rows[0]) == ["fold", "id", "subset"]
    assert {row["fold"] for row in rows} == {str(fold) for fold in range(folds)}
    tested = [row["id"] for row in rows if row["subset"] == "test"]
    assert len(tested) == len(set(tested)) == 60
    assert "note: each fold tests a single participant" in printed or scheme != "leave_n_participants_out"


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
def test_per_task_splits_each_task_by_itself(table, make, tmp_path):
    frame = pd.read_csv(table)
    frame["task"] = np.where(frame.id.str.endswith("0"), "Peg", "Knot")
    frame.to_csv(table, index=False)
    printed = make(table, "--per-task").out
    assert len(rows_of(tmp_path / "s.csv")) == 60
    assert {row["scheme"] for row in rows_of(tmp_path / "s.csv")} == {"balanced.Knot", "balanced.Peg"}
    assert run("check", tmp_path / "s.csv", "--table", table, "--group", "participant") == 0
    assert "balanced.Knot: 40 recordings" in printed
    assert "balanced.Peg: 20 recordings" in printed


@pytest.mark.slow
def test_extend_moves_nobody(table, make, tmp_path):
    frame = pd.read_csv(table)
    make(frame[frame.id < "v12"].to_csv(index=False), out="old.csv")
    assert run("extend", tmp_path / "old.csv", table, "--out", tmp_path / "new.csv", "--group", "participant") == 0
    before, after = ({row["id"]: row["subset"] for row in rows_of(tmp_path / name)} for name in ("old.csv", "new.csv"))
    assert len(after) == 60
    assert {id_: after[id_] for id_ in before} == before


def test_extend_tells_as_make_does_of_how_many_people_the_split_tells(table, make, tmp_path, capsys):
    frame = pd.read_csv(table)
    small = frame[frame.id < "v04"].to_csv(index=False)
    told = "note: the subsets tell which recordings are of one participant, for "
    assert told in make(small, "--work-limit", "0").out
    (tmp_path / "old.csv").write_text("id,subset\n" + "".join(f"v00-{k},test\n" for k in range(3)))
    assert run("extend", tmp_path / "old.csv", tmp_path / "t.csv", "--out", tmp_path / "n.csv", "--group", "participant") == 0
    assert told in capsys.readouterr().out


def test_extend_needs_every_released_recording_in_the_table(table, tmp_path, capsys):
    (tmp_path / "old.csv").write_text("id,subset\nv00-0,train\nv99-9,test\n")
    assert run("extend", tmp_path / "old.csv", table, "--out", tmp_path / "new.csv", "--group", "participant") == 1
    said = capsys.readouterr().err
    assert "recording 'v99-9' of the released split is missing" in said
    assert "if somebody withdrew, take their rows out of " in said
    assert not (tmp_path / "new.csv").exists()


def test_groups_that_make_balance_impossible_are_named(make):
    who = ["giant"] * 50 + ["big"] * 40 + ["a", "b", "c"]
    text = "id,participant\n" + "".join(f"v{i},{one}\n" for i, one in enumerate(who))
    assert "cannot be balanced" not in make(text, "--subsets", "train=0.54,test=0.46").out
    printed = make(text, "--subsets", "train=0.75,test=0.25").out
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
        (HEAD + "a,p,1,True,\nb\0,q,1,False,\n", [], "t.csv, line 3: holds a NUL byte"),
        # Their squares do not fit.
        (HEAD + "a,p,1e308,True,\nb,q,1,False,\nc,r,2,True,\n", ["--balance", "GRS"], "'GRS' holds '1e308', which is no number"),
        (HEAD + "a,p,-1e200,True,\nb,q,1,False,\nc,r,2,True,\n", ["--balance", "GRS"], "'GRS' holds '-1e200', which is no number"),
    ],
)
def test_bad_input_gives_one_clear_sentence_and_no_file(make, text, more, says):
    error = make(text, *more, code=1).err
    assert says in error
    assert error.startswith("scrubin splits")
    assert error.count("\n") == 1


@pytest.mark.parametrize("ending", ["", ".mkv"])
def test_recordings_that_their_folders_tell_apart_are_divided_and_the_split_is_sound(make, tmp_path, ending):
    make("id,participant\n" + "".join(f"site{site}/{number:02}{ending},P{site}{number}\n" for site in "AB" for number in range(1, 7)))
    assert run("check", tmp_path / "s.csv", "--table", tmp_path / "t.csv") == 0


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
def test_a_difficulty_written_as_a_time_sorts_as_its_seconds_do(make, tmp_path, clock):
    seconds = [59, 3000, 61, 599, 600, 601, 3599, 60]
    for name, cells in {"numbers": seconds, "times": [clock.format(m=s // 60, s=s % 60) for s in seconds]}.items():
        text = "id,who,duration\n" + "".join(f"v{i},p{i},{cell}\n" for i, cell in enumerate(cells))
        make(text, "--scheme", "difficulty_folds", "--folds", "2", group="who", out=name)
    assert (tmp_path / "numbers").read_text() == (tmp_path / "times").read_text()


@pytest.mark.parametrize(
    ("cell", "what"), [("", "the cell 'duration' is empty"), *((cell, f"'duration' is '{cell}'") for cell in ("1h", "0:61:00"))]
)
@pytest.mark.parametrize("more", [(), ("--balance", "duration")])
def test_a_difficulty_that_cannot_be_sorted_is_named_by_its_line_and_nobody_is_told_to_leave_it_empty(make, cell, what, more):
    text = f"id,who,duration\na,p,0:01:05\nb,q,{cell}\nc,r,12\n"
    error = make(text, "--scheme", "difficulty_folds", "--folds", "2", *more, group="who", code=1).err
    mend = "write a number such as 65.0, or a time such as 0:01:05, or name another column with --difficulty\n"
    assert error.endswith(f"t.csv, line 3: {what}; every recording is sorted by it: {mend}")


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
def test_options_that_no_table_could_make_right_are_refused(make, more, says):
    error = make(HEAD + "a,p,1,True,\n", *more, code=2).err
    assert says in error
    assert error.startswith("scrubin splits")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("column", "cells", "says"),
    [
        ("torn", ["True", "False", "Ture", "False"], "line 4: 'torn' is 'Ture', not True or False as most are"),
        ("GRS", ["1.5", "N A", "2", "3"], "line 3: 'GRS' is 'N A', not a number as most are"),
        ("GRS", ["10", "1O", "12", "9"], "line 3: 'GRS' is '1O', not a number as most are"),
    ],
)
def test_a_typo_does_not_turn_a_column_into_words(make, column, cells, says):
    text = f"id,participant,{column}\n" + "".join(f"v{i},p{i},{cell}\n" for i, cell in enumerate(cells))
    for more in ([], ["--balance", column]):
        assert says in make(text, *more, code=1).err


@pytest.mark.cases(4)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("missing", ["", "NA", "N/A", "nan", "-"])
def test_a_missing_score_is_spelled_in_any_way_with_any_delimiter(make, tmp_path, delimiter, missing):
    rows = "".join(f"v{i},p{i},{score}\n" for i, score in enumerate(["1.5", missing, "2", "3", "2.5"]))
    make(f"id,participant,GRS\n{rows}".replace(",", delimiter), "--json")
    assert run("check", tmp_path / "s.csv") == 0


def test_a_grs_with_a_zero_is_still_a_measurement(make):
    assert "GRS mean" in make("id,participant,GRS\n" + "".join(f"v{i},p{i},{i}\n" for i in range(11)), "--work-limit", "1").out


@pytest.mark.parametrize("column", ["fold", "scheme"])
def test_several_folds_or_schemes_cannot_be_extended(table, tmp_path, capsys, column):
    (tmp_path / "old.csv").write_text(f"{column},id,subset\n0,v00-0,test\n1,v01-0,test\n")
    assert run("extend", tmp_path / "old.csv", table, "--out", tmp_path / "new.csv", "--group", "participant") == 1
    assert f"column '{column}' has 2 different values" in capsys.readouterr().err


def test_a_user_of_a_table_is_told_of_pins_and_not_of_raters_alone(table, make):
    error = make(pd.read_csv(table).assign(strong=True).to_csv(index=False), "--pin-train", "strong", code=1).err
    assert "because one of their recordings is pinned to it" in error
    assert "pin fewer recordings" in error


@pytest.mark.parametrize(("value", "begins"), [(-1.388e-16, "         0 of "), (-123456.7, " -1.235e+05 of "), (0.5, "       0.5 of ")])
def test_cells_of_the_printed_table_stand_apart_and_what_rounding_leaves_is_0(value, begins):
    assert own_split._cell({"value": value, "wanted": 0.0, "imbalance": 1.0}).startswith(begins)
