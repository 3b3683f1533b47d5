from __future__ import annotations

import json

import pytest

from scrubin import cli


def leaks(train, test, *more):
    return cli.main(
        ["splits", "leaks", *(word for one in train for word in ("--train", one)), *(w for one in test for w in ("--test", one)), *more]
    )


def test_the_example(capsys):
    assert leaks(["cholec80/40-40:train"], ["cholect50/rdv:test"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "train: cholec80/40-40:train, 40 videos",
        "test: cholect50/rdv:test, 10 videos",
        "verdict: overlap",
        "shared operations: 4",
        "  cholec80 6 (train) = cholect50 6 (test)",
        "  cholec80 10 (train) = cholect50 10 (test)",
        "  cholec80 14 (train) = cholect50 14 (test)",
        "  cholec80 32 (train) = cholect50 32 (test)",
        "smallest fix: leave out 4 videos of train: cholec80 6 10 14 32; then clean",
        "from train alone: 4 videos: cholec80 6 10 14 32",
        "from test alone: 4 videos: cholect50 6 10 14 32",
    ]


def test_clean_is_the_only_good_end(capsys):
    assert leaks(["cholec80/40-40:train"], ["cholect50/challenge:test"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "verdict: clean"
    assert leaks(["lemon"], ["cholec80/40-40:test"]) == 1
    out = capsys.readouterr().out
    assert "train: lemon, an unknown list of videos" in out
    assert "verdict: unverified\nunverified: lemon videos without a known list (train) and cholec80 41-80 (test): LEMON is of public" in out


def test_several_datasets_on_a_side(capsys):
    assert leaks(["cholec80/40-40:train", "cholectrack20"], ["cholect50/challenge:test"], "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "overlap"
    assert found["fix"]["smallest"] == {"count": 5, "train": {"cholectrack20": ["92", "96", "103", "110", "111"]}, "test": {}}
    assert found["fix"]["from_test"]["count"] == 5
    assert found["fix"]["then"] == "clean"
    assert [shared["test"] for shared in found["shared"]] == [{"cholect50": [number]} for number in ("92", "96", "103", "110", "111")]
    assert found["train"][0]["videos"]["cholec80"] == [str(number) for number in range(1, 41)]


def test_an_overlap_with_doubts_says_both(capsys):
    assert leaks(["endoscapes"], ["cholec80"]) == 1
    out = capsys.readouterr().out
    assert "verdict: overlap" in out
    # 10, 33 and 127 are the operations of CholecT50 96, 110 and 103, which are known not to be in Cholec80.
    doubt = "unverified: endoscapes 5 6 8 9 11-32 34-120 122-126 128-201 (train) and cholec80 1-65 69 73-80 (test): the pairs known for "
    assert f"{doubt}Endoscapes are not stated to be all" in out
    assert "smallest fix: leave out 6 videos of train: endoscapes 1-4 7 121; then unverified" in out


def test_sets_and_an_interpretation_are_told(capsys):
    assert leaks(["cholec80/4fold@4:test"], ["m2cai16-tool"]) == 1
    out = capsys.readouterr().out
    assert "(Which ten videos make a fold is not stated" in out
    assert "pairing is not published: at least 6 of cholec80 71-76 (train) and m2cai16-tool 1-10 (test)" in out


def test_nothing_left_is_told(capsys):
    assert leaks(["cholec80:1,2"], ["cholec80"]) == 1
    assert capsys.readouterr().out.endswith("after the smallest fix nothing is left to train on\n")


def test_a_wrong_name_is_one_sentence(capsys):
    assert leaks(["cholec80/40-40:tran"], ["cholect50/rdv:test"]) == 2
    assert capsys.readouterr().err == "scrubin splits: 'cholec80/40-40:tran': 'tran' is no subset; did you mean 'train'?\n"


@pytest.mark.parametrize("side", ["--train", "--test"])
def test_both_sides_are_needed(side):
    with pytest.raises(SystemExit) as stop:
        cli.main(["splits", "leaks", side, "cholec80"])
    assert stop.value.code == 2


def test_operations_that_differ_do_not_hide_that_the_people_are_the_same(capsys):
    assert leaks(["jigsaws/suturing-loso@1:train"], ["jigsaws/suturing-loso@1:test"]) == 0
    assert capsys.readouterr().out.count("Every user is on both sides of every fold") == 2
    assert leaks(["jigsaws/suturing-louo@1:train"], ["jigsaws/suturing-louo@1:test"]) == 0
    assert "on both sides" not in capsys.readouterr().out
