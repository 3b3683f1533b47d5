"""`scrubin rank`: files, exit codes and refusals."""

from __future__ import annotations

import json

import pytest

from challenge_cases import document, labels, scores, write, write_labels
from scrubin import cli

QUICK = ("--clips", "12", "--clip-frames", "20", "--resamples", "40")


@pytest.fixture
def folder(tmp_path):
    truth = {"VID01": labels(1, 40), "VID02": labels(2, 40)}
    write_labels(tmp_path / "gt", truth)
    for at, team in enumerate(("one", "two")):
        write(tmp_path / team, {name: document(scores(at, of, 1 + at)) for name, of in truth.items()})
    return tmp_path


@pytest.fixture
def rank(folder, capsys):
    """Rank teams into a folder, with an exit code that must be; return what is printed."""

    def rank(*teams, more=(), out="out", code=0):
        given = [one if "=" in one else str(folder / one) for one in teams]
        assert cli.main(["rank", *given, "--ground-truth", str(folder / "gt"), "--out", str(folder / out), *QUICK, *more]) == code
        return capsys.readouterr()

    return rank


def teams_of(folder):
    return [team["team"] for team in json.loads((folder / "out/ranking.json").read_text())["teams"]]


def test_a_ranking_is_written_three_ways_and_twice_the_same(folder, rank):
    assert "2 teams ranked, 0 not ranked" in rank("one", "two").out
    names = ["index.html", "ranking.csv", "ranking.json"]
    assert sorted(path.name for path in (folder / "out").iterdir()) == names
    rank("two", "one", out="again")
    for name in names:
        content = (folder / "out" / name).read_bytes()
        assert content == (folder / "again" / name).read_bytes()
        assert str(folder).encode() not in content


def test_a_team_that_fails_is_listed_and_the_exit_code_is_1(folder, rank):
    (folder / "two/VID02.json").unlink()
    assert "not ranked: two: 1 error" in rank("one", "two", code=1).out
    assert teams_of(folder) == ["one"]
    (other,) = json.loads((folder / "out/ranking.json").read_text())["not_ranked"]
    assert other["reasons"] == ["VID02.json: the video is not predicted; add it; predicted are VID01"]


def test_nothing_is_written_when_no_team_can_be_ranked(folder, rank):
    assert "nothing is written" in rank("nobody", code=1).err
    assert not (folder / "out").exists()


def test_names_may_be_given(folder, rank):
    rank(f"Team A={folder / 'one'}", f"B=b={folder}/two", code=1)
    assert teams_of(folder) == ["Team A"]
    (folder / "x=y").mkdir()
    rank(f"Team A={folder / 'one'}", str(folder / "two"))


def test_a_folder_whose_name_has_an_equals_sign_is_a_folder(folder, rank):
    (folder / "one").rename(folder / "x=1")
    rank(str(folder / "x=1"), "two")
    assert sorted(teams_of(folder)) == ["two", "x=1"]


@pytest.mark.parametrize(
    ("teams", "more", "out", "code", "words"),
    [
        (("one", "one"), (), "out", 2, "two teams are called 'one'"),
        (("a=x", "A=y"), (), "out", 2, "team 'A' differs from 'a' in case, spaces"),
        (("a1=x", "a01=y"), (), "out", 2, "zeros of numbers or what does not show only: x and y; name them with NAME=DIR"),
        (("=x",), (), "out", 2, "give a team as DIR or NAME=DIR"),
        (("a\nb=x",), (), "out", 2, "a name that can be printed"),
        (("one",), (), "gt", 1, "never changed"),
        (("one",), (), "one/board", 1, "never changed"),
        (("one",), ("--alpha", "nan"), "out", 2, "--alpha nan: give a number in 0..1"),
        (("one",), ("--clips", "0"), "out", 2, "--clips 0: give a number in 1.."),
        (("one",), ("--component", "vt"), "out", 1, "no component 'vt'"),
        (("one",), ("--videos", "VID09"), "out", 1, "no video VID09"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(rank, teams, more, out, code, words):
    error = rank(*teams, more=more, out=out, code=code).err
    assert words in error
    assert error.startswith("scrubin rank: ")


def test_without_a_folder_the_ranking_is_only_told(folder, capsys):
    before = sorted(folder.rglob("*"))
    given = [str(folder / team) for team in ("one", "two")]
    assert cli.main(["rank", *given, "--ground-truth", str(folder / "gt"), *QUICK]) == 0
    assert "2 teams ranked, 0 not ranked" in capsys.readouterr().out
    assert sorted(folder.rglob("*")) == before


def test_json_is_printed_also_when_a_team_or_all_teams_fail(folder, capsys):
    (folder / "two/VID02.json").unlink()
    given = [str(folder / team) for team in ("one", "two")]
    call = ["--ground-truth", str(folder / "gt"), "--resamples", "20", "--json"]
    assert cli.main(["rank", *given, *call]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [[one["team"] for one in told[key]] for key in ("teams", "not_ranked")] == [["one"], ["two"]]
    assert cli.main(["rank", given[1], *call]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["teams"] == []
    assert "no submission can be ranked" in printed.err


def test_the_clip_test_of_the_challenge_is_a_choice_and_says_what_it_is(rank):
    printed = rank("one", "two", more=("--test", "clips", "--correction", "none")).out
    assert "12 of 12 clips of 20 consecutive frames" in printed
    assert "not corrected for the number of comparisons" in printed
    assert "clips of one video are not independent of each other" in printed
    printed = rank("one", "two", more=("--component", "i,v", "--component", "ivt"))
    assert "--clips and --clip-frames count for --test clips only" in printed.err
    assert "several metrics (i, v, ivt)" in printed.out


@pytest.mark.parametrize(
    ("more", "words"), [(("--lower-is-better",), "--lower-is-better is of --from-scores"), (("--missing", "0"), "--missing is of")]
)
def test_rules_for_missing_values_are_not_for_submissions(rank, more, words):
    assert words in rank("one", more=more, code=cli.USAGE).err
