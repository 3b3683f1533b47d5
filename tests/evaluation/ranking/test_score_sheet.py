"""Values by video from a CSV: what is read, what is missing, what is refused."""

from __future__ import annotations

import json

import pytest

from scrubin import cli
from scrubin.base.errors import MetricsError
from scrubin.evaluate.ranking import leaderboard, ranking_document, ranking_text, score_sheet
from scrubin.evaluate.ranking.contest import RankingSettings

TEXT = "team,video,value\nA,v1,0.9\nA,v2,0.5\nB,v1,0.8\nB,v2,\nC,v1,0.4\nC,v2,0.7\nA,v3,\n"


def ranked(tmp_path, text=TEXT, components=(), **rules):
    path = tmp_path / "values.csv"
    path.write_text(text)
    contest, teams = score_sheet.contest_of(score_sheet.read(path), components, **rules)
    return ranking_document.of_evaluations(contest, teams, [], RankingSettings(resamples=20))


def scored(document):
    return {team["team"]: (team["rank"], team["score"]) for team in document["teams"]}


def test_a_missing_value_gets_the_worst_of_all_and_the_last_rank_of_its_video(tmp_path):
    found = ranked(tmp_path)
    assert found["ground_truth"]["videos"] == ["v1", "v2"]
    assert scored(found) == {"A": (1, pytest.approx(0.7)), "B": (2, pytest.approx(0.6)), "C": (3, pytest.approx(0.55))}
    assert [team["videos_missing"] for team in found["teams"]] == [[], ["v2"], []]
    # Ranks by video: A 1 and 2, B 2 and 3, C 3 and 1.
    assert [team["methods"]["rank_then_mean"]["value"] for team in found["teams"]] == [1.5, 2.5, 2]
    assert found["notes"][0].startswith("no team has a value of value for v3")
    assert found["notes"][1].startswith("1 value of value missing: the team gets the worst value of any team on any video")


@pytest.mark.parametrize("components", [["x", "y"], ["y", "x"]])
def test_what_is_filled_in_is_noted_of_every_metric_that_counts(tmp_path, components):
    text = "team,video,metric,value\nA,v1,x,1\nB,v1,x,2\nA,v1,y,1\nA,v2,x,1\nB,v2,x,1\n"
    notes = ranked(tmp_path, text, components)["notes"]
    last = " and ranks after all others on that video" if components[0] == "y" else ""
    assert f"1 value of y missing: the team gets the worst value of any team on any video{last}" in notes
    assert "no team has a value of y for v2, which therefore does not count" + ("" if components[0] == "y" else " for y") in notes
    assert len(notes) == 2


def test_what_a_missing_value_gets_can_be_named(tmp_path):
    assert scored(ranked(tmp_path, missing=0.0)) == {"A": (1, 0.7), "C": (2, 0.55), "B": (3, 0.4)}


def test_what_a_missing_value_gets_can_be_large_and_leaves_the_ranks_of_the_other_teams(tmp_path):
    rows = [f"{team},v{at},{first + at}e-2" for team, first in (("A", 10), ("B", 15), ("C", 20)) for at in range(8)]
    rows.remove("C,v5,25e-2")
    found = ranked(tmp_path, "\n".join(["team,video,value", *rows, ""]), missing=1e11, lower_is_better=True)
    teams = {team["team"]: (team["rank"], len(team["better_than"])) for team in found["teams"]}
    assert teams == {"A": (1, 2), "B": (2, 1), "C": (3, 0)}
    assert {way["rank"] for way in found["teams"][0]["methods"].values()} == {1}
    assert not any(one["moved"] for one in found["leave_one_out"])


def test_lower_values_can_be_better(tmp_path):
    found = ranked(tmp_path, lower_is_better=True)
    assert scored(found) == {"C": (1, 0.55), "A": (2, 0.7), "B": (3, pytest.approx(0.85))}
    assert [team["score"] for team in found["teams"]] == sorted(team["score"] for team in found["teams"])


def test_several_metrics_are_named_and_the_first_decides(tmp_path):
    lines = ["team,video,metric,value"]
    lines += [f"{team},v{at},{metric},{value}" for team, of in (("A", (0.9, 0.1)), ("B", (0.5, 0.3))) for at in (1, 2)
              for metric, value in zip(("f1", "iou"), of, strict=True)]  # fmt: skip
    text = "\n".join(lines) + "\n"
    with pytest.raises(MetricsError, match="it has several metrics; name those that count by --component"):
        ranked(tmp_path, text)
    with pytest.raises(MetricsError, match=r"there is no metric 'f2'.* there are f1, iou"):
        ranked(tmp_path, text, ["f2"])
    found = ranked(tmp_path, text, ["iou", "f1"])
    assert scored(found) == {"B": (1, 0.3), "A": (2, pytest.approx(0.1))}
    both = {row["team"]: (row["rank_by_mean_score"], row["rank_by_mean_rank"]) for row in found["several"]["teams"]}
    assert both == {"A": (1, 1), "B": (2, 1)}
    assert found["several"]["differ"] == ["B"]
    assert "Several metrics together" in leaderboard.page(found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("team,video\nA,v1\n", "value"),
        ("team,video,value\nA,v1,0.5\nA,v1,0.6\n", "line 3: team 'A' has video 'v1' twice, first in line 2"),
        ("team,video,value\nA,v1,good\nB,v1,inf\n", "line 2: the value is 'good'"),
        ("team,video,value\nA,v1,1\nA,v2,1e308\n", r"line 3: the value is '1e308'; give a number within -1e\+100 and 1e\+100"),
        ("team,video,value\nA,v1,1_000\nB,v1,0_5\n", "line 2: the value is '1_000'"),
        ("team,video,value\nA,v1,\N{ARABIC-INDIC DIGIT FIVE}\nB,v1,1\n", "line 2: the value is '\N{ARABIC-INDIC DIGIT FIVE}'"),
        ("team,video,value\nA,v1,\n", "has no value at all"),
        ("team,video,value\n", "there is no row below the header"),
        ("team,video,value\n,v1,0.5\n", "line 2: the team is empty"),
        ("team,video,value\nA,#REF!,0.5\n", "line 2: the video is '#REF!', an error or a formula of a spreadsheet"),
        ("team,video,value\nA,01,0.5\nB,1,0.6\n", "line 3: video '1' differs from '01' in line 2 in .*zeros of numbers.* only"),
        ("team,video,value\nA,01,0.5\nB,1.0,0.6\n", "line 3: video '1.0' differs from '01' in line 2"),
        ("team,video,value\nA,1,0.5\nA,01,0.6\nB,001,0.7\n", "line 3: video '01' differs from '1' in line 2"),
        ("team,video,value\nB,v1,0.5\nb,v2,0.6\n", "line 3: team 'b' differs from 'B' in line 2"),
        ("team,video,value\nB,v1,0.5\nB\u200b,v1,0.6\n", "line 3: .*team is empty or cannot be printed"),
        ("team,video,metric,value\nB,v1,F1,0.5\nC,v1,f1,0.6\n", "line 3: metric 'f1' differs from 'F1' in line 2"),
    ],
)
def test_what_is_no_table_of_values_is_refused_with_its_place(tmp_path, text, words):
    with pytest.raises(MetricsError, match=words):
        ranked(tmp_path, text)


def test_two_videos_of_one_team_are_never_taken_for_one(tmp_path):
    found = ranked(tmp_path, "team,video,value\nA,V1,0.5\nA,v1,0.7\nB,V1,0.4\nB,v1,0.6\n")
    assert found["ground_truth"]["videos"] == ["V1", "v1"]


def test_a_value_that_is_the_same_for_all_teams_leaves_no_test(tmp_path):
    found = ranked(tmp_path, "team,video,value\n" + "".join(f"{team},v{at},0.5\n" for team in "AB" for at in range(8)))
    assert found["ties"] == [["A", "B"]]
    assert found["groups"] == [{"letter": "a", "teams": ["A", "B"], "neighbours": True}]
    assert found["significance"]["comparisons"] == 0
    assert found["significance"]["p_adjusted"] == [[None, None], [None, None]]
    leaderboard.page(found)


def test_negative_values_have_a_page_without_bars(tmp_path):
    found = ranked(
        tmp_path, "team,video,value\n" + "".join(f"{team},v{at},{sign}{at}\n" for team, sign in (("A", ""), ("B", "-")) for at in range(4))
    )
    assert leaderboard.bars(found["teams"]) == [None, None]
    page = leaderboard.page(found)
    assert 'class="bar"' not in page
    assert 'width="-' not in page


def test_names_are_escaped_and_what_is_undefined_is_a_dash_in_latex(tmp_path):
    found = ranked(tmp_path, TEXT.replace("A,", "R&D_50%--{x}\\,"))
    found["teams"][1]["score_low"] = None
    found["teams"][1]["rank"] = None
    text = ranking_text.latex_tables(found)
    assert r"R\&D\_50\%-{}-\{x\}\textbackslash{}" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == text.count(r"\toprule") == 2
    row = next(line for line in text.splitlines() if line.startswith("-- & B"))
    assert row.split(" & ")[3] == "--"
    for table in text.split(r"\begin{table}")[1:]:
        body = [line for line in table.splitlines() if line.endswith(r"\\")]
        assert len({line.replace(r"\&", "").count("&") for line in body}) == 1


def test_the_command_prints_json_or_latex_alone_and_writes_the_same_json(tmp_path, capsys):
    (tmp_path / "values.csv").write_text(TEXT)
    call = ["rank", "--from-scores", str(tmp_path / "values.csv"), "--resamples", "20", "--out", str(tmp_path / "out")]
    assert cli.main([*call, "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.out == (tmp_path / "out/ranking.json").read_text()
    assert json.loads(printed.out)["teams"][0]["team"] == "A"
    assert "ranking.csv" in printed.err
    assert cli.main([*call, "--paper"]) == 0
    assert capsys.readouterr().out.startswith(r"\begin{table}")
    assert cli.main(call) == 0
    assert "no difference can ever be significant at 0.05; it takes at least 7 videos" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["team_a"], "it takes no submissions"),
        (["--test", "clips"], "no --test clips"),
        (["--missing", "bad"], "--missing bad: give a number within -1e+100 and 1e+100, or 'worst'"),
        (["--metric", "recognition"], "--metric does nothing with --from-scores: a sheet has the values of any metric; name those"),
        (["--count-null"], "--count-null does nothing with --from-scores"),
        (["--from", "coco"], "--from does nothing with --from-scores"),
        (["--vocabulary", "cholect50"], "--vocabulary does nothing with --from-scores"),
        (["--fps", "25"], "--fps does nothing with --from-scores"),
    ],
)
def test_options_that_do_not_fit_values_are_refused(tmp_path, capsys, more, words):
    (tmp_path / "values.csv").write_text(TEXT)
    assert cli.main(["rank", "--from-scores", str(tmp_path / "values.csv"), *more]) == cli.USAGE
    assert words in capsys.readouterr().err


def test_a_fault_names_the_sheet_with_its_folder(tmp_path, capsys):
    (tmp_path / "values.csv").write_text("team,video,value\na,1,x\n")
    assert cli.main(["rank", "--from-scores", str(tmp_path / "values.csv")]) == 1
    assert f"{tmp_path / 'values.csv'}, line 2: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "teams", "told"),
    [
        (["--videos", "v1"], {"A": 0.9, "B": 0.8, "C": 0.4}, ""),
        (["--videos", "SPLIT", "--subset", "Test"], {"A": 0.5, "B": 0.5, "C": 0.7}, "values.csv; not scored: v9"),
    ],
)
def test_only_the_named_videos_of_a_sheet_are_ranked(tmp_path, capsys, more, teams, told):
    (tmp_path / "values.csv").write_text(TEXT)
    (tmp_path / "split.csv").write_text("id,split\nv1,train\nv2,test\nv9,test\n")
    more = [str(tmp_path / "split.csv") if one == "SPLIT" else one for one in more]
    assert cli.main(["rank", "--from-scores", str(tmp_path / "values.csv"), "--resamples", "20", "--json", *more]) == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert {team["team"]: team["score"] for team in document["teams"]} == teams
    assert told in printed.err
    assert document["ground_truth"]["videos_not_scored"] == (["v9"] if told else [])
    assert "ground truth" not in printed.err
    text = "\n".join(ranking_text.lines(document))
    assert ("warning: not scored, as no team has a value of them: v9" in text) == bool(told)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--videos", "v1,v7"], "values.csv: there is no video v7 in it; there are v1, v2, v3"),
        (["--videos", "SPLIT", "--subset", "val"], "split.csv: none of the listed videos has a value in "),
        (["--videos", "SPLIT"], "split.csv: lists the subsets test, val; name one by --subset"),
        (["--subset", "test"], "--subset test: of which split?; name the file of a split by --videos"),
    ],
)
def test_videos_that_a_sheet_does_not_have_are_refused_by_name(tmp_path, capsys, more, words):
    (tmp_path / "values.csv").write_text(TEXT)
    (tmp_path / "split.csv").write_text("id,split\nv9,val\nv2,test\n")
    more = [str(tmp_path / "split.csv") if one == "SPLIT" else one for one in more]
    assert cli.main(["rank", "--from-scores", str(tmp_path / "values.csv"), *more]) != 0
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("column", ["version", "release"])
def test_values_against_two_versions_of_the_labels_are_no_ranking(tmp_path, column):
    rows = [f"team,video,value,{column}", "A,v1,0.9,1.0.0", "A,v2,0.5,1.0.0", "B,v1,0.8,{0}", "B,v2,0.4,{0}", ""]
    assert scored(ranked(tmp_path, "\n".join(rows).format("1.0.0")))["A"] == (1, pytest.approx(0.7))
    for other, words in (("2.0.0", f"line 4: the {column} is '2.0.0', and '1.0.0' in line 2"), ("", f"line 4: the {column} is nothing")):
        with pytest.raises(MetricsError, match=words):
            ranked(tmp_path, "\n".join(rows).format(other))


def test_columns_that_are_not_read_are_named(tmp_path, capsys):
    (tmp_path / "values.csv").write_text("team,video,value,hospital,version\nA,v1,0.9,x,1.0.0\nB,v1,0.8,y,1.0.0\n")
    assert cli.main(["rank", "--from-scores", str(tmp_path / "values.csv"), "--resamples", "20"]) == 0
    assert "values.csv: not read: the columns hospital\n" in capsys.readouterr().err
