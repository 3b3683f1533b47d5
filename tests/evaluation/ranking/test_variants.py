"""Ranks by other variants of the metric: the numbers are those of `scrubin score`."""

from __future__ import annotations

import json

import pytest

from challenge_cases import detected, document, labels, scores, write, write_labels
from score_runs import put, results
from scrubin import cli
from scrubin.evaluate import released_truth, submission_truth
from scrubin.evaluate.metrics.variants import ONLY_INSTRUMENTS
from verdict_cases import write_files

TRUTH = {"VID01": labels(1, 40, classes=4), "VID02": labels(2, 40, classes=4)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("variants")
    write_labels(path / "gt", TRUTH)
    for at, team in enumerate(("one", "two")):
        write(path / team, {name: document(scores(at, of, 1 + at)) for name, of in TRUTH.items()})
    return path


def ranked(folder, capsys, *teams, more=()):
    given = [str(folder / team) for team in teams]
    cli.main(["rank", *given, "--ground-truth", str(folder / "gt"), "--resamples", "5", "--variants", "--json", *more])
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_recognition_is_ranked_by_the_numbers_of_score(folder, capsys):
    found = ranked(folder, capsys, "one", "two")
    assert len(found["variants"]) == 8
    by_name = {one["variant"]: one for one in found["variants"]}
    for at, team in enumerate(found["teams"]):
        call = ["score", "recognition", "--ground-truth", str(folder / "gt"), "--predictions", str(folder / team["team"])]
        cli.main([*call, "--variant", "component=ivt", "--json"])
        text = capsys.readouterr().out
        own = next(one for name, one in by_name.items() if "paper" in name and "left out" in name and "video-wise" in name)
        assert own["scores"][at] == pytest.approx(team["score"], abs=1e-11)
        wanted = next(one for name, one in by_name.items() if "paper" in name and "null=counted" in name and "scope=global" in name)
        assert repr(wanted["scores"][at])[:8] in text
    assert {tuple(one["ranks"]) for one in found["variants"]} == {(1, 2)}
    assert all(one["kendall_tau"] == 1 and one["moved"] == [] for one in found["variants"])
    assert len({one["label"] for one in found["variants"]}) == 8


def test_where_only_instruments_are_labelled_score_check_and_rank_say_so_in_the_same_words(folder, tmp_path, capsys):
    for path in write_labels(tmp_path / "gt", TRUTH).glob("*.json"):
        content = json.loads(path.read_text())
        for row in (one for rows in content["annotations"].values() for one in rows if one[0] >= 0):
            row[0] = row[7] = row[8] = -1
        path.write_text(json.dumps(content))
    truth, team = ["--ground-truth", str(tmp_path / "gt")], str(folder / "one")
    asked = {
        1: ["score", "recognition", *truth, "--predictions", team, "--variant", "component=ivt"],
        0: ["submission", "check", team, *truth, "--task", "recognition"],
    }
    for code, typed in (*asked.items(), (1, ["rank", team, *truth, "--metric", "recognition"])):
        assert cli.main(typed) == code
        assert ONLY_INSTRUMENTS in capsys.readouterr().err


@pytest.mark.slow
def test_files_of_the_labels_are_held_against_their_hashes_once_not_for_each_way_and_team(folder, capsys, monkeypatch):
    asked = []
    monkeypatch.setattr(released_truth, "look", asked.append)
    ranked(folder, capsys, "one", "two")
    assert len(asked) == 1


@pytest.mark.slow
def test_boxes_that_are_near_are_equal_at_one_threshold_and_not_at_another(folder, capsys):
    for team, shift in (("near", 0.02), ("far", 0.06)):
        write(folder / team, {name: detected(of, shift) for name, of in TRUTH.items()})
    found = ranked(folder, capsys, "near", "far", more=("--metric", "detection"))
    assert found["ties"] == [["far", "near"]]
    moved = {one["label"]: one["moved"] for one in found["variants"]}
    assert moved["paper, interpolation step, iou 0.75, scope global"] == [{"team": "far", "from": 1, "to": 2}]
    assert moved["paper, interpolation step, iou 0.3, scope global"] == []


def table(phases):
    return "frame,phase_id\n" + "".join(f"{at},{one}\n" for at, one in enumerate(phases))


def write_phases(folder, team, wrong=0):
    """Predict the phases of all videos, of which so many first frames are wrong."""
    videos = submission_truth.read(folder / "gt").videos.items()
    put(folder, **{team: {f"{name}.csv": table([6] * wrong + video.phases[wrong:].tolist()) for name, video in videos}})


def test_a_spread_is_no_variant_and_what_cannot_be_computed_is_noted(folder, capsys):
    write_phases(folder, "good", 2)
    write_phases(folder, "bad", 10)
    found = ranked(folder, capsys, "good", "bad", more=("--metric", "phases", "--component", "jaccard"))
    names = [one["variant"] for one in found["variants"]]
    assert len(names) >= 3
    assert not [name for name in names if "SD" in name or "jaccard" not in name.lower()]
    assert found["notes"] == []
    # The page of ranking promises both rules for phases that are never predicted, or nowhere labelled.
    rules = {rule for rule in ("A", "B", "zero") for name in names if f"; undefined={rule}" in name and "relaxed" not in name}
    assert rules == {"A", "B", "zero"}


@pytest.mark.parametrize(("rate", "other"), [("precision", "F1"), ("recall", "F1"), ("f1", "relaxed")])
def test_f1_that_is_made_of_precision_and_recall_is_a_variant_of_f1_alone(folder, capsys, rate, other):
    write_phases(folder, "own")
    found = ranked(folder, capsys, "own", more=("--metric", "phases", "--component", rate))
    names = [one["variant"] for one in found["variants"]]
    assert not [name for name in names if other in name]
    assert any("harmonic" in name for name in names) == (rate == "f1")


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_an_infinite_value_of_a_variant_is_ranked_and_written_as_scores_write_it(tmp_path, capsys):
    # Phase 2 lasts 5 s and is never predicted by "one", but all of it is excused: its relaxed precision is infinite.
    annotated = [1] * 30 + [2] * 5 + [3] * 30
    for side_, phases in (("gt", annotated), ("one", [1] * 33 + [3] * 32), ("two", annotated), ("three", annotated)):
        rows = "".join(f"{frame},{phase}\n" for frame, phase in enumerate(phases))
        write_files(tmp_path / side_, {f"{name}.csv": f"frame,phase_id\n{rows}".encode() for name in ("video41", "video42")})
    more = ("--metric", "phases", "--component", "precision", "--vocabulary", "cholec80", "--out", str(tmp_path / "out"))
    found = ranked(tmp_path, capsys, "one", "two", "three", more=more)
    teams = [team["team"] for team in found["teams"]]
    assert teams[-1] == "one"
    infinite = [one for one in found["variants"] if "Infinity" in one["scores"]]
    assert [(one["scores"][-1], one["ranks"], one["kendall_tau"]) for one in infinite] == [("Infinity", [2, 2, 1], -1.0)] * len(infinite)
    assert infinite
    assert (tmp_path / "out" / "index.html").is_file()
    cli.main(["score", "phases", "--ground-truth", str(tmp_path / "gt"), "--predictions", str(tmp_path / "one"), *more[4:6], "--json"])
    results = {one["variant"]: one["overall"]["value"] for one in json.loads(capsys.readouterr().out)["results"]}
    assert {name for name, value in results.items() if value == "Infinity"} >= {
        one["variant"] for one in infinite if "frame-wise" not in one
    }


def test_the_rate_of_the_labels_counts_for_the_variants_too(tmp_path, capsys):
    names = ["Preparation", "CalotTriangleDissection", "ClippingCutting"]
    for side_, header, number in (("gt", "frame", str), ("one", "time_s", lambda frame: f"{frame / 30:.3f}")):
        rows = "".join(f"{number(frame)},{names[frame // 20]}\n" for frame in range(60))
        write_files(tmp_path / side_, {f"{name}.csv": f"{header},phase\n{rows}".encode() for name in ("v1", "v2")})
    found = ranked(tmp_path, capsys, "one", more=("--metric", "phases", "--vocabulary", "cholec80", "--fps", "30"))
    assert found["variants"]
    assert not [note for note in found["notes"] if "are not computed: " in note and "numbered by time" in note]


def test_phases_of_a_found_vocabulary_are_ranked_by_the_numbers_of_score(tmp_path, capsys):
    names = ["Preparation"] * 10 + ["CalotTriangleDissection"] * 10 + ["ClippingCutting"] * 10
    for side_, phases in (("truth", names), ("found", names[1:] + names[-1:]), ("two", names[3:] + names[-3:])):
        put(tmp_path, **{side_: dict.fromkeys(("v1.csv", "v2.csv"), table(phases).replace("phase_id", "phase"))})
    (tmp_path / "gt").symlink_to("truth")

    def both(*more):
        found = ranked(tmp_path, capsys, "found", "two", more=("--metric", "phases", "--component", "jaccard", *more))
        by_name = {one["variant"]: one["scores"] for one in found["variants"]}
        scored, _ = results(capsys, tmp_path, "phases", "undefined=zero", more=more)
        own = next(one for one in scored if one["metric"] == "phase recognition jaccard" and one["options"]["statistic"] == "mean")
        (ranked_by,) = (value for name, value in by_name.items() if "relaxed" not in name and "undefined=zero" in name)
        assert ranked_by[0] == pytest.approx(own["overall"]["value"], abs=1e-11)
        return own["options"]["phases"], own["overall"]["value"]

    (three, scored), (seven, whole) = both(), both("--vocabulary", "cholec80")
    assert (three, seven) == ("3", "7")
    assert whole < scored
