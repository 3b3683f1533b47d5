from __future__ import annotations

import hashlib
import json
from importlib.resources import files

import pytest

from scrubin import cli
from scrubin.cli.splits import SUBCOMMANDS
from scrubin.public_splits import catalogue


def test_without_a_subcommand_the_help_is_printed(capsys):
    assert cli.main(["splits"]) == 2
    out = capsys.readouterr().out
    assert all(name in out for name in SUBCOMMANDS)


def test_all_splits_are_listed(capsys):
    assert cli.main(["splits", "show"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert cli.main(["splits", "show", "--json"]) == 0
    of_json = [split["name"] for split in json.loads(capsys.readouterr().out)]
    assert [line.split()[0] for line in lines] == of_json == list(catalogue.available())
    assert "cholect50/cv                 50 videos of cholect50: 5 folds, train 40, test 10" in lines


def test_a_split_is_shown_with_its_source_and_every_video(capsys):
    assert cli.main(["splits", "show", "cholect50/rdv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "cholect50/rdv"
    assert any(line.startswith("source: Nwoye and Padoy") and "Table 2" in line for line in lines)
    assert "val (5): 8 12 29 50 78" in lines
    assert "test (10): 6 10 14 32 42 51 73 74 80 111" in lines
    assert cli.main(["splits", "show", "cholec80/4fold"]) == 0
    assert "interpretation: Which ten videos make a fold is not stated" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", [["show", "{}"], ["leaks", "--train", "{}:train", "--test", "cholec80/40-40:test"], ["diff", "{}", "none.csv"]]
)
def test_every_command_knows_one_fold_of_a_split_by_the_same_name(command, capsys):
    for name, known in (("cholect45/cv@1", True), ("cholect45/cv@6", False)):
        cli.main(["splits", *(word.format(name) for word in command)])
        said = capsys.readouterr()
        assert ("'6' is no fold of 'cholect45/cv'; its folds are 1 to 5" in said.err) is not known
        assert "is no official split" not in said.err
    assert cli.main(["splits", "show", "cholect45/cv@2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("fold")] == ["fold 2"]


@pytest.mark.parametrize("name", catalogue.available())
def test_json_holds_the_whole_split(name, capsys):
    assert cli.main(["splits", "show", name, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    split = catalogue.load(name)
    assert {fold["fold"]: {part: tuple(videos) for part, videos in fold["subsets"].items()} for fold in shown["folds"]} == split.placed
    data = files("scrubin.public_splits") / "lists" / f"{name.replace('/', '_')}.json"
    assert shown["sha256"] == hashlib.sha256(data.read_bytes()).hexdigest()
    assert shown["source"]


def test_an_unknown_name_has_a_near_miss_or_the_list(capsys):
    assert cli.main(["splits", "show", "cholect50/chalenge"]) == cli.USAGE
    assert capsys.readouterr().err == "scrubin splits: 'cholect50/chalenge' is no official split; did you mean 'cholect50/challenge'?\n"
    assert cli.main(["splits", "show", "zzz"]) == cli.USAGE
    assert "known are autolaparo, cholec80-cvs, cholec80/32-8-40" in capsys.readouterr().err
