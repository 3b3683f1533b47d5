"""Ranking: scores, clips, tests and stability against calculations by hand."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from challenge_cases import WORDS, detected, document, labels, scores, write, write_labels
from recognition_cases import cholect50, literal_ap
from scrubin import cli
from scrubin.base.errors import MetricsError
from scrubin.evaluate import submission_truth
from scrubin.evaluate.metrics.recognition import TripletVideo, average_precision
from scrubin.evaluate.ranking import contest, measures, ranking_document
from scrubin.evaluate.ranking.contest import RankingSettings

FRAMES = {"VID01": 70, "VID02": 50, "VID03": 60}
NOISE = {"a": 0.8, "b": 1.0, "c": 2.5}
QUICK = RankingSettings(resamples=60)
CLIPS = RankingSettings(clips=12, clip_frames=20, resamples=60, test="clips", correction="none")
NULL = list(WORDS.null_triplets)


@pytest.fixture(scope="module")
def challenge(tmp_path_factory):
    """Labels, probabilities and folders of three teams."""
    folder = tmp_path_factory.mktemp("challenge")
    truth = {name: labels(at, frames) for at, (name, frames) in enumerate(FRAMES.items())}
    given = {
        team: {name: scores(at + 10 * len(team), truth[name], noise) for name in truth} for at, (team, noise) in enumerate(NOISE.items())
    }
    write_labels(folder / "gt", truth)
    for team, of in given.items():
        write(folder / team, {name: document(one) for name, one in of.items()})
    return folder, truth, given


FOUND = {}


def ranked(challenge, *, task="recognition", component=None, count_null=False, settings=QUICK, teams=NOISE):
    """The ranking of these teams, made once."""
    folder, asked = challenge[0], (task, component, count_null, settings, tuple(teams))
    if asked not in FOUND:
        truth = submission_truth.read(folder / "gt")
        measure = measures.measure(task, component, truth, count_null=count_null)
        FOUND[asked] = ranking_document.rank({team: folder / team for team in teams}, truth, measure, settings)
    return FOUND[asked]


def literal_map(truth, given):
    """Equation 1 per class, mean over videos, mean over classes, the null triplets left out."""
    kept = [triplet for triplet in range(100) if triplet not in NULL]
    per_class = [[literal_ap(truth[name][:, triplet], given[name][:, triplet]) for name in truth] for triplet in kept]
    means = [np.nanmean(one) for one in per_class if not np.isnan(one).all()]
    return float(np.mean(means))


def test_scores_and_order_are_those_of_the_definition(challenge):
    _, truth, given = challenge
    found = ranked(challenge)["teams"]
    assert [row["team"] for row in found] == ["a", "b", "c"]
    for row in found:
        assert row["score"] == pytest.approx(literal_map(truth, given[row["team"]]), abs=1e-9)


@pytest.mark.parametrize("count_null", [False, True])
def test_components_are_those_of_the_metric(challenge, count_null):
    _, truth, given = challenge
    for row in ranked(challenge, count_null=count_null)["teams"]:
        videos = [TripletVideo(name, truth[name], given[row["team"]][name]) for name in truth]
        wanted = average_precision.video_wise(videos, cholect50(), ignore_null=not count_null)
        assert row["components"] == {name: pytest.approx(one.overall.value, abs=1e-11) for name, one in wanted.items()}
        assert row["score"] == row["components"]["ivt"]


def test_p_values_are_those_of_the_clips_scored_by_hand(challenge):
    _, truth, given = challenge
    found = ranked(challenge, settings=CLIPS)
    tests = found["significance"]
    assert (tests["unit"], tests["units"], tests["clips"]["drawn"], len(tests["clips"]["list"])) == ("clip", 12, 12, 12)
    by_team = {}
    for row in found["teams"]:
        values = []
        for clip in tests["clips"]["list"]:
            own = slice(clip["first_frame"], clip["last_frame"] + 1)
            assert own.stop - own.start == 20
            values.append(literal_map({"clip": truth[clip["video"]][own]}, {"clip": given[row["team"]][clip["video"]][own]}))
        assert row["clip_scores"] == pytest.approx(values, abs=1e-9)
        by_team[row["team"]] = np.array(values)
    wanted = stats.wilcoxon(np.round(by_team["a"] - by_team["c"], 12), method="exact").pvalue
    assert tests["p"][0][2] == pytest.approx(wanted, abs=1e-12)
    assert tests["p_adjusted"] == tests["p"]
    assert tests["better"][0][2] is bool(wanted <= 0.05)
    assert found["teams"][0]["better_than"] == [team for team, better in zip("abc", tests["better"][0], strict=True) if better]


def test_by_default_teams_are_compared_over_videos_and_corrected(challenge):
    _, truth, given = challenge
    found = ranked(challenge)
    for row in found["teams"]:
        own = [literal_map({name: truth[name]}, {name: given[row["team"]][name]}) for name in truth]
        assert row["video_scores"] == pytest.approx(own, abs=1e-9)
    tests = found["significance"]
    assert (tests["unit"], tests["units"], tests["comparisons"], tests["clips"]) == ("video", 3, 3, None)
    # Three videos: the smallest p-value is 2 / 2**3, and nothing can be shown.
    assert (tests["smallest_p"], tests["smallest_p_adjusted"], tests["can_be_significant"], tests["units_needed"]) == (0.25, 0.75, False, 7)
    assert not np.array(tests["better"], object)[~np.eye(3, dtype=bool)].any()
    assert [group["teams"] for group in found["groups"]] == [["a", "b", "c"]]


def test_components_are_ranked_together_in_two_ways(challenge):
    folder, _, _ = challenge
    truth = submission_truth.read(folder / "gt")
    found = ranking_document.rank(
        {team: folder / team for team in NOISE}, truth, measures.measure("recognition", "i", truth), QUICK, ["i", "ivt"]
    )
    both = found["several"]
    assert both["components"] == ["i", "ivt"]
    for row, team in zip(both["teams"], found["teams"], strict=True):
        assert row["scores"] == {"i": team["components"]["i"], "ivt": team["components"]["ivt"]}
        assert row["mean_score"] == pytest.approx((team["score"] + team["components"]["ivt"]) / 2)
        assert row["ranks"]["i"] == team["rank"]
    assert ranked(challenge)["several"] is None


@pytest.mark.slow
def test_the_interval_is_that_of_scores_of_drawn_videos(challenge):
    from scrubin.evaluate.metrics import bootstrap

    _, truth, given = challenge
    row = ranked(challenge)["teams"][0]
    names = sorted(FRAMES)
    drawn = [[names[at] for at in draw] for draw in bootstrap.draws(3, 60, 0)]
    values = []
    for draw in drawn:
        own = {f"{name}{at}": truth[name] for at, name in enumerate(draw)}
        values.append(literal_map(own, {f"{name}{at}": given["a"][name] for at, name in enumerate(draw)}))
    assert [row["score_low"], row["score_high"]] == pytest.approx(np.quantile(values, [0.025, 0.975]).tolist(), abs=1e-9)


def test_who_is_worse_is_who_others_are_better_than(challenge):
    found = ranked(challenge, settings=replace(CLIPS, clips=30, resamples=10))["teams"]
    pairs = {(row["team"], other) for row in found for other in row["better_than"]}
    assert ("a", "c") in pairs
    assert pairs == {(other, row["team"]) for row in found for other in row["worse_than"]}


def test_clips_are_whole_distinct_and_defined(challenge):
    folder, truth, _ = challenge
    held = submission_truth.read(folder / "gt")
    measure = measures.measure("recognition", None, held)
    found = contest.draw(held, measure, clips=40, length=20, seed=3)
    assert len(set(found)) == 40
    assert list(found) == sorted(found)
    for clip in found:
        assert 0 <= clip.start < clip.stop <= FRAMES[clip.video]
        counted = np.delete(truth[clip.video], NULL, axis=1)
        assert counted[clip.start : clip.stop].any()
    assert found != contest.draw(held, measure, clips=40, length=20, seed=4)
    assert set(found[:0]) <= set(contest.draw(held, measure, clips=10, length=20, seed=3)) <= set(found)


def test_a_clip_without_anything_that_counts_is_never_drawn(tmp_path):
    made = np.zeros((60, 100), bool)
    made[:, NULL[0]] = True
    made[59, 17] = True
    truth = submission_truth.read(write_labels(tmp_path / "gt", {"VID01": made}))
    found = contest.draw(truth, measures.measure("recognition", None, truth), clips=30, length=20)
    assert [(clip.start, clip.stop) for clip in found] == [(40, 60)]


def test_videos_shorter_than_a_clip_give_no_test(challenge):
    found = ranked(challenge, settings=replace(CLIPS, clip_frames=71, resamples=10))
    assert found["significance"]["clips"]["drawn"] == 0
    assert found["significance"]["units"] == 0
    assert found["significance"]["p"][0][1] is None
    assert found["significance"]["better"][0][1] is False
    assert found["teams"][0]["rank"] == 1


def test_equal_teams_share_a_rank_and_none_is_better(challenge):
    folder, _, given = challenge
    write(folder / "a2", {name: document(one) for name, one in given["a"].items()})
    found = ranked(challenge, teams=["a", "a2", "c"])
    assert [(row["team"], row["rank"]) for row in found["teams"]] == [("a", 1), ("a2", 1), ("c", 3)]
    assert found["significance"]["p"][0][1] is None
    assert found["significance"]["differences"][0][1] == 0
    assert found["teams"][0]["share_of_ranks"] == found["teams"][1]["share_of_ranks"]


def test_one_bad_submission_never_stops_the_others(challenge):
    folder, _, given = challenge
    bad = {name: document(one) for name, one in given["a"].items()}
    bad["VID02"]["3"]["recognition"][0] = float("nan")
    bad["VID03"]["3"]["recognition"][0] = float("inf")
    write(folder / "bad", bad)
    found = ranked(challenge, teams=["bad", "nothing", *NOISE])
    assert [row["team"] for row in found["teams"]] == ["a", "b", "c"]
    assert [(one["team"], one["problems"]) for one in found["not_ranked"]] == [("bad", 2), ("nothing", 1)]
    assert found["not_ranked"][0]["reasons"][0].startswith("VID02.json, frame 3: a probability is NaN")
    # The folder's place is no business of a leaderboard.
    assert found["not_ranked"][1]["reasons"] == ["there is no such folder"]
    assert found["teams"] == ranked(challenge)["teams"]


def test_what_is_only_a_deviation_is_ranked_with_a_warning(challenge):
    folder, _, given = challenge
    padded = {
        name: {f"{int(key):05}": {"recognition": [one["recognition"]]} for key, one in document(of).items()}
        for name, of in given["a"].items()
    }
    write(folder / "padded", padded)
    found = ranked(challenge, teams=["a", "padded"])
    assert [row["rank"] for row in found["teams"]] == [1, 1]
    assert len(found["teams"][1]["warnings"]) == 6
    assert found["teams"][0]["warnings"] == []


def test_frames_beside_sparse_labels_change_nothing(tmp_path):
    made = labels(3, 40)
    numbers = list(range(5, 85, 2))
    truth = submission_truth.read(write_labels(tmp_path / "gt", {"VID01": made}, {"VID01": numbers}))
    whole = np.random.default_rng(1).random((100, 100)).round(6)
    write(tmp_path / "whole", {"VID01": document(whole)})
    write(tmp_path / "labelled", {"VID01": document(whole[numbers], numbers)})
    found = ranking_document.rank(
        {name: tmp_path / name for name in ("whole", "labelled")}, truth, measures.measure("recognition", None, truth), QUICK
    )["teams"]
    assert found[0]["components"] == found[1]["components"]
    assert found[0]["video_scores"] == found[1]["video_scores"]
    assert [bool(row["warnings"]) for row in found] == [False, True]


def test_the_order_of_teams_and_a_second_run_change_nothing(challenge):
    first = json.dumps(ranked(challenge))
    assert json.dumps(ranked(challenge, teams=["c", "a", "b"])) == first
    assert json.dumps(ranked(challenge, settings=replace(QUICK, seed=1))) != first


def test_truth_in_which_nothing_counts_gives_no_rank(tmp_path):
    made = np.zeros((30, 100), bool)
    made[:, NULL[0]] = True
    truth = submission_truth.read(write_labels(tmp_path / "gt", {"VID01": made}))
    write(tmp_path / "a", {"VID01": document(np.full((30, 100), 0.5))})
    found = ranking_document.rank({"a": tmp_path / "a"}, truth, measures.measure("recognition", None, truth), QUICK)
    row = found["teams"][0]
    assert (row["rank"], row["score"], row["score_low"], row["components"]["i"]) == (None, None, None, 1.0)
    assert found["stability"]["defined"] == 0
    json.dumps(found, allow_nan=False)


def test_detection_is_ranked_by_boxes(tmp_path):
    truth = submission_truth.read(write_labels(tmp_path / "gt", {"VID01": labels(1, 40, classes=4), "VID02": labels(2, 40, classes=4)}))
    for team, shift in (("exact", 0.0), ("near", 0.05), ("far", 0.5)):
        write(tmp_path / team, {name: detected(video.targets, shift) for name, video in truth.videos.items()})
    teams = {team: tmp_path / team for team in ("exact", "near", "far")}
    found = ranking_document.rank(teams, truth, measures.measure("detection", None, truth), QUICK)
    # Boxes of 0.3 that are 0.05 aside still overlap by 5/7, those 0.5 aside not at all.
    assert [(row["team"], row["rank"], row["score"]) for row in found["teams"]] == [("exact", 1, 1.0), ("near", 1, 1.0), ("far", 3, 0.0)]
    assert found["teams"][0]["components"] == {"i": 1.0, "v": 1.0, "t": 1.0, "ivt": 1.0}


def test_boxes_are_compared_in_px_as_by_score_where_labels_state_the_size_of_images(tmp_path, capsys):
    # 30 px wide and 10 px aside: an IoU of just 0.5, which in shares of 854 px is rounded below it.
    width, height, placed = 854, 480, [[1, 10, 30, 40], [2, 10, 30, 40]]
    images = [{"id": at, "file_name": f"VID0{1 + at}_000000.jpg", "width": width, "height": height} for at in range(2)]
    annotations = [{"id": 1 + at, "image_id": at, "category_id": 1, "bbox": box} for at, box in enumerate(placed)]
    category = {"id": 1, "name": "grasper,retract,gallbladder"}
    (tmp_path / "gt.json").write_text(json.dumps({"images": images, "annotations": annotations, "categories": [category]}))
    shifted = {f"VID0{1 + at}": [(x + 10) / width, y / height, w / width, h / height] for at, (x, y, w, h) in enumerate(placed)}
    one = {name: {"0": {"detection": [{"triplet": 17, "instrument": [0, 0.9, *box]}]}} for name, box in shifted.items()}
    write(tmp_path / "team", one)
    truth = ["--ground-truth", str(tmp_path / "gt.json"), "--vocabulary", "cholect50"]
    assert cli.main(["rank", str(tmp_path / "team"), *truth, "--metric", "detection", "--resamples", "5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["teams"][0]["video_scores"] == [1.0, 1.0]
    assert cli.main(["score", "detection", *truth, "--predictions", str(tmp_path / "team"), "--json"]) == 0
    found = [one for one in json.loads(capsys.readouterr().out)["results"] if one["metric"].endswith(" AP")]
    assert {one["overall"]["value"] for one in found if one["options"]["iou"] == "0.5"} == {1.0}


def test_phases_are_ranked_by_accuracy(tmp_path):
    truth = submission_truth.read(write_labels(tmp_path / "gt", {"VID01": labels(1, 40), "VID02": labels(2, 20)}))
    for team, wrong in (("good", 2), ("bad", 10)):
        (tmp_path / team).mkdir()
        for name, video in truth.videos.items():
            given = video.phases.copy()
            given[:wrong] = 6
            text = "".join(f"{frame},{phase}\n" for frame, phase in enumerate(given))
            (tmp_path / team / f"{name}.csv").write_text("frame,phase_id\n" + text)
    teams = {team: tmp_path / team for team in ("bad", "good")}
    found = ranking_document.rank(teams, truth, measures.measure("phases", None, truth), QUICK)["teams"]
    assert [(row["team"], row["score"]) for row in found] == [("good", (38 / 40 + 18 / 20) / 2), ("bad", (30 / 40 + 10 / 20) / 2)]
    assert set(found[0]["components"]) == {"accuracy", "precision", "recall", "f1", "jaccard"}


def test_a_truth_without_labels_ranks_nothing(tmp_path):
    (tmp_path / "frames.csv").write_text("video,frame\nVID01,0\n")
    truth = submission_truth.read(tmp_path / "frames.csv")
    with pytest.raises(MetricsError, match="no labels for recognition"):
        ranking_document.rank({}, truth, measures.measure("recognition", None, truth), QUICK)


def test_an_unknown_component_is_refused_with_the_known_ones(challenge):
    with pytest.raises(MetricsError, match="no component 'vt' of recognition; there are i, v, t, iv, it, ivt"):
        ranked(challenge, component="vt")


def test_a_mean_of_nothing_is_undefined():
    assert math.isnan(measures.score(np.full((2, 3), np.nan), by_class=True))
