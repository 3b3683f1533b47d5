"""Submissions of masks, tracks and criteria: checked with the verdict of `scrubin score`, ranked by its numbers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from contest_cases import CASES, SCORE, TASKS, VIDEOS, coco_truth, dumps, put
from scrubin import cli
from scrubin.base.faults import error
from scrubin.evaluate import side as of_side
from scrubin.evaluate import training_data
from scrubin.evaluate.challenge.handed_in import HANDED_IN
from scrubin.evaluate.contest_tasks import CONTESTS
from scrubin.evaluate.ranking import entry_scores
from scrubin.evaluate.ranking.contest import TeamScores
from scrubin.evaluate.side import Source
from scrubin.evaluate.tasks import entries


def run(capsys, *arguments):
    code = cli.main(list(map(str, arguments)))
    said = capsys.readouterr()
    return code, said.out, said.err


def checked(capsys, task, truth, submission):
    """Exit code and document of a check."""
    code, out, _ = run(capsys, "submission", "check", submission, "--ground-truth", truth, "--task", task, "--json")
    return code, json.loads(out)


def ranked(capsys, home, task, *teams, more=(), truth=None):
    """Exit code and document of a ranking of teams of a task."""
    given = [home / task / team for team in teams]
    options = ("--ground-truth", truth or home / task / "truth", "--metric", task, "--json", "--resamples", "5")
    code, out, _ = run(capsys, "rank", *given, *options, *more)
    return code, json.loads(out)


def scored(capsys, home, task, team):
    """Results of `scrubin score` of a submission of a task."""
    sides = ("--ground-truth", home / task / "truth", "--predictions", home / task / team, "--json")
    return json.loads(run(capsys, "score", *SCORE[task][:1], *sides, *SCORE[task][1:])[1])["results"]


def test_the_tasks_of_files_are_declared_once_with_numbers_that_score_has():
    of_files = [one for one in CONTESTS.values() if not one.has_file_per_video]
    assert {one.name for one in of_files} >= set(TASKS)
    assert all(one.primary in one.parts for one in CONTESTS.values())
    assert HANDED_IN.keys() == CONTESTS.keys()
    assert all(bool(one.truth_parts) is one.has_file_per_video is not bool(one.numbers) for one in CONTESTS.values())


@pytest.mark.cases(2)
@pytest.mark.parametrize("task", TASKS)
def test_labels_submitted_are_perfect_and_planted_mistakes_are_worse(task, home, capsys):
    code, found = ranked(capsys, home, task, "worse", "perfect")
    assert code == 0
    assert [team["team"] for team in found["teams"]] == ["perfect", "worse"]
    first, second = (team["components"] for team in found["teams"])
    assert set(first) == set(CONTESTS[task].parts)
    assert all(value == pytest.approx(1, abs=1e-12) for value in first.values())
    assert all(value < 1 for value in second.values())
    assert found["ground_truth"]["videos"] == list(VIDEOS)


@pytest.mark.parametrize("task", ["pixels", "criteria"])
def test_a_rank_has_the_number_by_video_that_score_has_and_says_nothing_of_another(task, home, capsys):
    _, document = ranked(capsys, home, task, "worse")
    (team,) = document["teams"]
    results = scored(capsys, home, task, "worse")
    for part, number in CONTESTS[task].numbers.items():
        (result,) = [one for one in results if one["metric"] == number.metric and one["options"]["scope"] == "video-wise"]
        assert team["components"][part] == pytest.approx(result["overall"]["value"], abs=1e-12)
    assert (document["together"], document["notes"]) == (None, [])


@pytest.mark.slow
@pytest.mark.parametrize("task", ["masks", "points", "tracks"])
def test_a_rank_by_video_says_what_score_and_bundles_give_for_all_videos_together(task, home, capsys):
    number = CONTESTS[task].numbers[CONTESTS[task].primary]
    together = {}
    for team in ("perfect", "worse"):
        results = scored(capsys, home, task, team)
        # The first one is of every size.
        found = next(one for one in results if one["metric"] == number.metric and number.options.items() <= one["options"].items())
        together[team] = found["overall"]["value"]
    _, document = ranked(capsys, home, task, "perfect", "worse")
    assert {one["team"]: one["score"] for one in document["together"]} == pytest.approx(together, abs=1e-12)
    assert [one["rank"] for one in document["together"]] == [1, 2]
    averaged = {one["team"]: one["score"] for one in document["teams"]}
    assert averaged["worse"] != pytest.approx(together["worse"], abs=1e-6)
    assert [note for note in document["notes"] if "together" in note] == [
        "the score is the mean over videos, each scored alone; 'scrubin score' and challenge bundles put all frames together, which "
        f"gives perfect 100.0 (here 100.0), worse {100 * together['worse']:.1f} (here {100 * averaged['worse']:.1f}): same ranks"
    ]


def test_a_video_with_nothing_annotated_is_no_unit_of_a_test_where_a_team_invents_something_there(tmp_path, capsys):
    def instances(videos, shift=0):
        x = 10 + shift
        one = {"category_id": 1, "bbox": [x, 10, 20, 20], "segmentation": [[x, 10, x + 20, 10, x + 20, 30, x, 30]], "score": 0.9}
        return [{"image_id": at, **one} for at in videos]

    images = [{"id": at, "recording": f"v{at}", "frame": 0, "file_name": f"{at}.png", "width": 64, "height": 48} for at in range(4)]
    labels = [{"id": at, **one} for at, one in enumerate(instances(range(3)))]
    for one in labels:
        del one["score"]
    (tmp_path / "labels.json").write_text(json.dumps({"images": images, "annotations": labels, "categories": [{"id": 1, "name": "one"}]}))
    for team, found in (("right", instances(range(3), 1)), ("invents", instances(range(4), 2))):
        (tmp_path / f"{team}.json").write_text(json.dumps(found))
    teams = [tmp_path / "right.json", tmp_path / "invents.json"]
    order = ("rank", *teams, "--ground-truth", tmp_path / "labels.json", "--metric", "pixels", "--json", "--resamples", "5")
    document = json.loads(run(capsys, *order)[1])
    tests = document["significance"]
    assert (tests["units"], tests["differences"][0][1], tests["smallest_p"], tests["p"][0][1]) == (3, 3, 0.25, 0.25)
    # The labels say what is annotated, not who enters: where every team invents something, nobody is ranked either.
    (tmp_path / "right.json").write_text(json.dumps([*instances(range(3), 1), *instances([3], 3)]))
    both = json.loads(run(capsys, *order)[1])
    assert (both["significance"]["units"], both["significance"]["smallest_p"]) == (3, 0.25)
    assert [one["methods"]["rank_then_mean"]["value"] for one in both["teams"]] == [1, 2]
    assert [(one["team"], one["video_scores"][3], one["methods"]["rank_then_mean"]["value"]) for one in document["teams"]] == [
        ("right", None, 1),
        ("invents", 0, 2),
    ]


def test_who_has_another_rank_by_all_videos_together_is_named():
    def team(name, values, together):
        return TeamScores(name, np.array(values)[:, np.newaxis], np.zeros(0), {}, by_class=True, together=together)

    teams = [team("a", [0.9, 0.1], 0.3), team("b", [0.4, 0.4], 0.4), team("c", [np.nan, np.nan], float("nan"))]
    assert entry_scores.sentence_on(teams).endswith("gives a 30.0 (here 50.0), b 40.0 (here 40.0), c - (here -): a 1 to 2, b 2 to 1")


def test_the_score_of_a_video_is_that_of_the_video_alone(home, tmp_path, capsys):
    folder = home / "tracks"
    held_against = entries.held_against("tracks", Source(folder / "truth"))
    team = entry_scores.evaluated("worse", folder / "worse", held_against, "hota")
    # In the first an id changes, in the second a box is missing.
    for at, video in enumerate(VIDEOS[:2]):
        alone = tmp_path / video
        for side in ("truth", "worse"):
            put(alone / side, {name: (folder / side / name).read_bytes() for name in (f"{video}.txt", f"{video}/seqinfo.ini")})
        sides = ("--ground-truth", alone / "truth", "--predictions", alone / "worse", "--variant", "classes=one", "--json")
        (hota,) = [one for one in json.loads(run(capsys, "score", "tracks", *sides)[1])["results"] if one["metric"] == "tracks HOTA"]
        assert team.values[at].tolist() == [hota["overall"]["value"]]
    assert team.score == pytest.approx(np.mean(team.values))


@pytest.mark.slow
def test_ranks_by_other_variants_are_those_of_the_metric(home, capsys):
    code, found = ranked(capsys, home, "tracks", "perfect", "worse", more=["--variants"])
    assert code == 0
    assert [one["label"] for one in found["variants"]] == [f"paper, classes {classes}" for classes in ("one", "averaged", "pooled")]


def test_labels_are_read_once_for_all_teams_and_once_more_for_each_other_way(home, capsys, monkeypatch):
    read, read_truth = [], of_side.read_truth
    monkeypatch.setattr(of_side, "read_truth", lambda source, wanted: read.append(source) or read_truth(source, wanted))
    code, _ = ranked(capsys, home, "pixels", "perfect", "worse", more=["--variants"])
    assert (code, len(read), len(CONTESTS["pixels"].ways)) == (0, 3, 2)


def changed_results(files, at, **more):
    found = json.loads(files["results.json"])
    found[at] |= more
    return {"results.json": dumps([{key: value for key, value in one.items() if value is not None} for one in found])}


def segmentation(files, **more):
    return json.loads(files["results.json"])[2]["segmentation"] | more


def line_added(name, line):
    return lambda files: {**files, name: files[name] + f"{line}\n".encode()}


def replaced(name, old, new):
    return lambda files: {**files, name: files[name].replace(old, new, 1)}


FAULTS = {
    "a mask of another length": (
        "masks",
        lambda of: changed_results(of, 2, segmentation=segmentation(of, counts="05")),
        "the runs of a mask",
    ),
    "a mask of another picture": (
        "pixels",
        lambda of: changed_results(of, 2, segmentation=segmentation(of, size=[48, 32])),
        "annotation 3",
    ),
    "no mask": ("masks", lambda of: changed_results(of, 2, segmentation=None, bbox=[1, 1, 4, 4]), "without mask"),
    "an image that there is not": ("masks", lambda of: changed_results(of, 2, image_id=7), "id-unknown"),
    "a class that there is not": ("pixels", lambda of: changed_results(of, 2, category_id=9), "id-unknown"),
    "points in another number": ("points", lambda of: changed_results(of, 2, keypoints=[1, 2, 2]), "points-number"),
    "a score above 1": ("masks", lambda of: changed_results(of, 2, score=1.5), "1.5"),
    "an id twice in a frame": ("tracks", line_added(f"{VIDEOS[0]}.txt", "1,1,40,30,5,5,0.5,1,1"), "stands twice in a frame"),
    "a class number too high": ("tracks", line_added(f"{VIDEOS[0]}.txt", "1,9,40,30,5,5,0.5,7,1"), "line 11"),
    "a class of another name": (
        "tracks",
        lambda of: {name: data.replace(b"hook", b"hooks") for name, data in of.items()},
        "hooks is not among them",
    ),
    "a confidence above 1": ("tracks", line_added(f"{VIDEOS[0]}.txt", "1,9,40,30,5,5,1.5,1,1"), "confidence 1.5 is not in 0..1"),
    "a frame beyond the end": ("tracks", line_added(f"{VIDEOS[0]}.txt", "9,9,40,30,5,5,0.5,1,1"), "frame 9 is beyond the 5"),
    "a video missing": (
        "tracks",
        lambda of: {name: data for name, data in of.items() if VIDEOS[1] not in name},
        "the video is not predicted",
    ),
    "a criterion of another name": ("criteria", replaced("found.csv", b"C2", b"C5"), "the labels have no criterion 'C5'"),
    "a frame missing": ("criteria", replaced("found.csv", f"{VIDEOS[1]},150,".encode(), f"{VIDEOS[1]},151,".encode()), "not predicted"),
    "a probability above 1": ("criteria", replaced("found.csv", b"0.000", b"1.5"), "is '1.5'"),
    "an empty cell": ("criteria", replaced("found.csv", b",0.000", b","), "have no prediction of"),
}


@pytest.mark.cases(5)
@pytest.mark.parametrize("case", FAULTS)
def test_what_score_refuses_check_and_rank_refuse_in_the_same_words(case, home, tmp_path, capsys):
    task, change, says = FAULTS[case]
    truth, team = home / task / "truth", put(tmp_path / "team", change(CASES[task]()[1]))
    code, found = checked(capsys, task, truth, team)
    errors = [one for one in found["problems"] if one["severity"] == "error"]
    assert code == 1
    assert any(says in json.dumps(one) for one in errors), errors
    metric, *variant = SCORE[task]
    code, _, err = run(capsys, "score", metric, "--ground-truth", truth, "--predictions", team, *variant)
    assert code == 1
    assert all(one["what"] in err for one in errors), (errors, err)
    code, document = ranked(capsys, home, task, team)
    assert code == 1
    assert [len(one["reasons"]) for one in document["not_ranked"]] == [len(errors)]


def test_a_frame_or_video_without_labels_is_shown_and_does_not_count(home, tmp_path, capsys):
    perfect = CASES["criteria"]()[1]
    team = put(tmp_path / "team", {"found.csv": perfect["found.csv"] + f"{VIDEOS[0]},9,0,0,0\nzz,0,1,1,1\n".encode()})
    code, found = checked(capsys, "criteria", home / "criteria/truth", team)
    assert code == 1
    assert found["scorable"]
    assert {(one["rule"], one["severity"]) for one in found["problems"]} == {("frames-extra", "deviation"), ("video-extra", "deviation")}


def test_files_are_named_within_the_submission_or_the_labels_also_where_one_is_called_like_the_beginning_of_the_other(
    home, tmp_path, monkeypatch
):
    team, truth = (put(tmp_path / name, CASES["criteria"]()[0]) for name in ("team", "team_gt"))
    of = entries.held_against("criteria", Source(truth))
    of = replace(of, faults=(error(str(truth / "c.csv"), "rule", "", ""),))
    files = {team: "", team / "a/b.csv": "a/b.csv", truth: "labels: team_gt", truth / "a/c.csv": "labels: a/c.csv"}
    files["VID68/1.txt"] = "VID68/1.txt"
    found = entries.placed([error(str(file), "rule", f"as in {truth}/d.csv", "") for file in files], team, of)
    assert {fault.file: fault.what for fault in found} == dict.fromkeys(files.values(), "as in d.csv")
    said = of.as_json()
    assert said["problems"][0]["file"] == "c.csv"
    assert said["read"].startswith("team_gt: ")
    monkeypatch.chdir(tmp_path)
    here = replace(of, order=replace(of.order, truth=replace(of.order.truth, path=Path("truth.json"))))
    files = {"": "", "video01": "video01", "truth.json": "labels: truth.json", "team/c.csv": "c.csv"}
    found = entries.placed([error(file, "rule", "", "") for file in files], Path("team"), here)
    assert [fault.file for fault in found] == [*files.values()]


def test_a_file_that_is_handed_in_alone_is_named_with_its_video(home, tmp_path, capsys):
    rows = CASES["criteria"]()[1]["found.csv"] + f"{VIDEOS[0]},9,0,0,0\n".encode()
    put(tmp_path, {"found.csv": rows, "found.json": dumps(coco_with_a_frame_more())})
    for task, file, frame in (("criteria", "found.csv", 9), ("masks", "found.json", 5)):
        _, found = checked(capsys, task, home / task / "truth", tmp_path / file)
        (found,) = found["problems"]
        assert [found[key] for key in ("rule", "file", "place", "frames")] == ["frames-extra", file, f"video {VIDEOS[0]}", [[frame, frame]]]


def coco_with_a_frame_more():
    truth = coco_truth()
    annotations = [{**one, "score": 0.9} for one in truth["annotations"]]
    more = {**truth["images"][0], "id": 1, "file_name": f"{VIDEOS[0]}_000005.png", "frame": 5}
    return {**truth, "images": [*truth["images"], more], "annotations": annotations}


def test_a_file_is_as_good_as_a_folder_and_videos_are_chosen_as_elsewhere(home, tmp_path, capsys):
    folder = home / "masks"
    one = run(capsys, "submission", "check", folder / "perfect/results.json", "--ground-truth", folder / "truth", "--task", "masks")
    assert one[:2] == (0, "results.json (masks): 4 of 4 videos, 20 frames looked at; no problem\n")
    rows = "".join(f"{video},{'test' if at else 'train'}\n" for at, video in enumerate(VIDEOS))
    (tmp_path / "split.csv").write_text(f"id,subset\n{rows}")
    _, document = ranked(capsys, home, "masks", "perfect", more=("--videos", tmp_path / "split.csv", "--subset", "test"))
    assert document["ground_truth"]["videos"] == list(VIDEOS[1:])


def test_frames_alone_are_enough_for_a_check_and_nothing_to_score(home, tmp_path, capsys):
    document = json.loads((home / "masks/truth/labels.json").read_bytes()) | {"annotations": []}
    frames = put(tmp_path / "frames", {"frames.json": dumps(document)})
    assert checked(capsys, "masks", frames, home / "masks/perfect")[0] == 0
    for kind in ("masks", "pixels", "boxes"):
        scored = run(
            capsys, "score", "detection", "--ground-truth", frames, "--predictions", home / "masks/perfect", "--variant", f"kind={kind}"
        )
        assert scored[0] == 1
        assert "the ground truth has frames, but no instance in any of them; give labels with instances" in scored[2]


@pytest.mark.parametrize(("task", "place"), [("masks", "cholect50/masks.json"), ("points", "cholect50/points.json")])
def test_labels_are_found_in_a_release(task, place, home, tmp_path, capsys):
    put(tmp_path / "release/groundtruth", {"manifest.json": b"{}", place: CASES[task]()[0]["labels.json"]})
    assert ranked(capsys, home, task, "worse", truth=tmp_path / "release") == ranked(capsys, home, task, "worse")
    put(tmp_path / "release/groundtruth", {place.replace("50", "45"): CASES[task]()[0]["labels.json"]})
    code, _, err = run(capsys, "submission", "check", home / task / "worse", "--ground-truth", tmp_path / "release", "--task", task)
    assert (code, f"there are several labels for {task}" in err) == (1, True)


@pytest.mark.parametrize(
    ("task", "more", "says"),
    [
        ("tracks", ("--component", "dice"), "there is no component 'dice' of tracks; there are hota, idf1, mota"),
        (
            "masks",
            ("--test", "clips"),
            "--test clips: masks are compared over videos; clips are drawn of recognition, detection, phases, of which "
            "CholecTriplet2021 did so: a clip cuts tracks, and has too few instances of a class",
        ),
    ],
)
def test_what_a_task_cannot_be_ranked_by_is_said(task, more, says, home, capsys):
    folder = home / task
    code, _, err = run(capsys, "rank", folder / "perfect", "--ground-truth", folder / "truth", "--metric", task, *more)
    assert (code, says in err) == (1, True), err


def test_tasks_of_files_are_checked_one_by_one(home, capsys):
    folder = home / "masks"
    tasks = ("--task", "masks", "--task", "phases")
    code, _, err = run(capsys, "submission", "check", folder / "perfect", "--ground-truth", folder / "truth", *tasks)
    assert code == 2
    assert "files of masks hold nothing else; check them one by one" in err


def test_a_folder_that_is_not_there_is_an_error_of_the_check(home, tmp_path, capsys):
    code, found = checked(capsys, "masks", home / "masks/truth", tmp_path / "nothing")
    assert code == 1
    assert "there is no such file or folder" in json.dumps(found)
    assert str(tmp_path) not in json.dumps(found)


BESIDE = {
    "training_data.yaml": training_data.text(""),
    "args.yaml": "task: segment\nclasses: null\nval: true\n",
    "settings.yaml": "lr: 0.1\nmodel:\n  name: unet\n",
    "seed.yaml": "seed: 0\n",
    "deep.yaml": "lr: 0.1\ntrainer:\n  devices: 1\n  fold: 0\n",
    "hydra.yaml": "defaults:\n- _self_\n- model: unet\n",
    "environment.yml": "name: seg\ndependencies:\n- python=3.11\n- pip:\n  - torch\n",
    "detectron.yaml": "DATASETS:\n  TRAIN: ['x']\nIN_FEATURES: [res4]\n",
    "tagged.yaml": "a: !!python/object:os.x {b: 1}\n",
    "two.yaml": "a: 1\n---\nb: 2\n",
    "data.yaml": "names: [grasper, hook]\n",
    "classes.txt": "grasper\nhook\n",
    "broken.yaml": "names: [grasper, hook\n",
    "package.json": '{"name": "x", "version": "1", "dependencies": {"a": "1"}}',
    "metrics.json": '{"AP": 0.5, "bbox_mAP": 0.25, "of": {"best": 3, "betas": [0.9, 0.999]}}',
    "log.json": '{"epoch": 1, "loss": 0.5, "step": 3}\n{"epoch": 2, "loss": 0.25, "step": 6}\n',
    "notes.txt": "our method\nin two lines, with a comma; not of xgh04 or gh04b\n",
    "requirements.txt": "torch==2.0\nnumpy>=1.2\n",
    "metrics.csv": "epoch,loss,step\n1,0.5,2\n2,0.25,4\n",
    "results.csv": "epoch,time,train/box_loss,metrics/mAP50(B)\n1,2.5,3,0.5\n",
}
OF_FORMAT = {"masks": ".json", "tracks": ".txt", "criteria": ".csv"}


@pytest.mark.parametrize("task", OF_FORMAT)
def test_what_cannot_be_labels_is_left_out_of_a_submission_and_named(task, home, tmp_path, capsys):
    files = {**CASES[task]()[1], **{name: text.encode() for name, text in BESIDE.items()}, "latin.yaml": b"by: \xe9t\xe9\n"}
    code, found = checked(capsys, task, home / task / "truth", put(tmp_path / "team", files))
    assert (found["scorable"], {one["severity"] for one in found["problems"]} - {"warning"}) == (True, set()), found["problems"]
    wanted = {name for name in {*files} - {*CASES[task]()[1]} if name.endswith((".yaml", ".yml", OF_FORMAT[task]))}
    named = {one["file"] for one in found["problems"]}
    assert named >= wanted - {"training_data.yaml"}
    assert "training_data.yaml" not in named
    assert code in (0, 1)


@pytest.mark.parametrize(("task", "name"), [("masks", "settings.yaml"), ("masks", "data.yaml"), ("tracks", "classes.txt")])
def test_yaml_beside_labels_of_another_format_is_left_out_and_named(name, task, home, tmp_path, capsys):
    truth = put(tmp_path / "truth", {**CASES[task]()[0], name: BESIDE[name].encode()})
    code, _, err = run(capsys, "score", *SCORE[task], "--ground-truth", truth, "--predictions", home / task / "perfect")
    assert (code, re.search(f"{name}: is not of the format.*: no names of classes are taken from it", err) is not None) == (0, True), err


MAY_BE_LABELS = {
    ("masks", "more.json", "several files of COCO results"): [b'[{"image_id": 100, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 1}]'],
    ("tracks", "ab-99.txt", "ab-99.txt"): [b"1 2 3 of another kind\n"],
    ("tracks", "gh04.txt", "gh04"): [b"frame;id;left;top\n1;2;3;4\n"],
    **{
        ("tracks", name, f"{name} the first line"): [b"nothing was\nfound here\n"]
        for name in ("gh04.txt", "gh04/det/det.txt", "xy/notes.txt", "xy.txt")
    },
    ("tracks", "notes.txt", "notes.txt"): [
        b"gh04 had no box\nand the others some\n",
        b"GH04 had no box\nand the others some\n",
        b"hook 1 2 3 4\n",
        b"nothing at all, \xff\nin two lines\n",
        b"our boxes\n1,9,40,30,5,5,0.5,1,1\n",
        b"# a\n# b\n# c\n1,9,40,30,5,5,0.5,1,1\n",
        b'{"frame": 1, "id": 2, "bbox": [1, 2, 3, 4]}\n',
        b"Team A\n2 models\nsee the paper\n",
        b"1. train\n2. test\n",
    ],
    ("criteria", "found2.csv", "found2.csv"): [b"video,frame,score\ngh04,0,1\n"],
    ("criteria", "metrics.csv", "metrics.csv"): [b"\xff\xfe\x00", b"video,frame,score\n"],
    ("masks", "hook.json", "hook.json"): [
        b"{}",
        b'{"annotations": [{"image_id": 100}]}',
        b'[{"image_id": 100, "category": 2, "segmentation": {}}]',
        b'[{"image_id": 100, "category_id": 2}]',
        b'{"image_id": 100, "hook": 2}\n{"image_id": 101, "hook": 2}\n',
        b'{"hook": "PPYo1"',
        b'{"image_id": 100, "bbox": [1, 2, 3, 4]}',
        b'{"phases": ["cut", "cut", "cut"]}',
        b'{"f0": [[1, 2, 3, 4]], "f1": [[1, 2, 3, 4]]}',
        b'{"by": "%s"}' % (b"x" * (1 << 20)),
    ],
}


@pytest.mark.cases(8)
@pytest.mark.parametrize(
    ("task", "name", "says", "content"), [(*of, content) for of, contents in MAY_BE_LABELS.items() for content in contents]
)
def test_what_may_be_labels_is_still_refused_in_a_submission(task, name, content, says, home, tmp_path, capsys):
    files = {**CASES[task]()[1], name: content} | ({"xy/seqinfo.ini": b"[Sequence]\nimWidth=64\nimHeight=48\n"} if "xy" in name else {})
    code, found = checked(capsys, task, home / task / "truth", put(tmp_path / "team", files))
    assert (code, found["scorable"]) == (1, False)
    assert any(says in f"{one['file']} {one['what']}" for one in found["problems"] if one["severity"] == "error"), found["problems"]


def with_floats(task, files):
    """The same submission as a program writes it that knows floats alone."""
    if task == "criteria":
        head, *rows = files["found.csv"].decode().splitlines()
        cells = [row.split(",") for row in rows]
        return {"found.csv": "\n".join([head, *(",".join([row[0], f"{int(row[1]):e}", *row[2:]]) for row in cells)]).encode()}
    if task == "tracks":
        return {
            name: b"".join(b",".join(b"%e" % float(cell) for cell in row.split(b",")) + b"\n" for row in data.splitlines())
            if name.endswith(".txt")
            else data
            for name, data in files.items()
        }
    results = json.loads(files["results.json"])
    return {"results.json": dumps([{**one, **{key: float(one[key]) for key in ("image_id", "category_id")}} for one in results])}


@pytest.mark.cases(3)
@pytest.mark.parametrize("task", TASKS)
def test_whole_numbers_written_as_floats_are_the_same_numbers(task, home, tmp_path, capsys):
    truth, files = home / task / "truth", CASES[task]()[1]
    _, plain = checked(capsys, task, truth, put(tmp_path / "plain", files))
    _, floats = checked(capsys, task, truth, put(tmp_path / "floats", with_floats(task, files)))
    assert floats["scorable"]
    assert floats == {**plain, "submission": "floats"}


@pytest.mark.parametrize(("key", "says"), [("image_id", "image_id 100.5 is no image"), ("category_id", "category_id 1.5 is no category")])
def test_numbers_that_are_not_whole_are_no_ids(key, says, home, tmp_path, capsys):
    results = json.loads(CASES["masks"]()[1]["results.json"])
    team = put(tmp_path / "team", {"results.json": dumps([{**one, key: one[key] + 0.5} for one in results])})
    code, found = checked(capsys, "masks", home / "masks/truth", team)
    assert code == 1
    assert any(says in one["what"] for one in found["problems"])


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("model", "ours", "not read, as it is no criterion: model"),
        ("time_ms", "40", "not read, as it is no criterion: time_ms"),
        ("note", "", "not read, as it is no criterion: note"),
        ("C4b", "0.5", "the labels have no criterion 'C4b'"),
    ],
)
def test_a_column_beside_criteria_is_left_out_and_named_where_it_can_be_none(name, value, said, home, tmp_path, capsys):
    head, *rows = CASES["criteria"]()[1]["found.csv"].decode().splitlines()
    text = "\n".join([f"{head},{name}", *(f"{row},{value}" for row in rows)])
    _, found = checked(capsys, "criteria", home / "criteria/truth", put(tmp_path / "team", {"found.csv": text.encode()}))
    whats = [one["what"] for one in found["problems"]]
    assert found["scorable"] is (name != "C4b"), whats
    assert said in whats
    assert name != "C4b" or len(whats) == 1


@pytest.mark.parametrize("task", ["masks", "tracks", "criteria"])
def test_who_hands_in_no_known_format_is_told_which_files_are_wanted(task, home, tmp_path, capsys):
    _, found = checked(capsys, task, home / task / "truth", put(tmp_path / "team", {"found.md": b"# Results"}))
    (problem,) = found["problems"]
    assert "--from" not in problem["fix"]
    assert problem["fix"].startswith("hand in ")


def numbered_otherwise(files, change):
    """Tracks without a list of classes of their own, whose classes are other numbers."""
    found = {}
    for name, data in files.items():
        if name.endswith(".txt"):
            rows = [line.split(",") for line in data.decode().splitlines()]
            found[name] = "".join(",".join([*row[:7], str(change(int(row[7]))), row[8]]) + "\n" for row in rows).encode()
        else:
            found[name] = b"".join(line for line in data.splitlines(True) if b"classes=" not in line)
    return found


@pytest.mark.parametrize(("change", "is_said"), [(lambda class_: 1, True), (lambda class_: class_, False), (lambda class_: 0, False)])
def test_classes_of_tracks_none_of_which_is_0_may_be_ids_of_categories(change, is_said, home, tmp_path, capsys):
    team = put(tmp_path / "team", numbered_otherwise(CASES["tracks"]()[1], change))
    _, found = checked(capsys, "tracks", home / "tracks/truth", team)
    said = "no box has class 0, grasper: classes are counted from 0, so 1 is read as hook"
    assert found["scorable"]
    assert (said in [one["what"] for one in found["problems"]]) is is_said


def test_messages_name_files_without_the_folders_that_they_lie_in(home, tmp_path, capsys):
    team = put(tmp_path / "team", numbered_otherwise(CASES["tracks"]()[1], lambda class_: 99))
    first = next(iter(VIDEOS))
    for folder in "uv":
        put(team, {f"{folder}/det/det.txt": (team / f"{first}.txt").read_bytes()})
    _, found = checked(capsys, "tracks", home / "tracks/truth", team)
    problems = found["problems"]
    assert problems
    assert not any(str(place) in text for one in problems for text in map(str, one.values()) for place in (tmp_path, home))


@pytest.mark.parametrize("rows", [b"frame,id,bb_left,bb_top,bb_width,bb_height,conf,class,visibility\n", b"\n", b""])
def test_tracks_of_a_video_in_which_nothing_was_found_are_scored(rows, home, tmp_path, capsys):
    _, found = checked(capsys, "tracks", home / "tracks/truth", put(tmp_path / "team", {**CASES["tracks"]()[1], "gh04.txt": rows}))
    assert found["scorable"], found["problems"]
    assert not [one for one in found["problems"] if one["file"] == "gh04.txt"]


def test_a_message_keeps_its_words_where_the_labels_lie_in_a_folder_of_that_name(home, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "frames", CASES["tracks"]()[0])
    rows = CASES["tracks"]()[1]["gh04.txt"]
    files = {**CASES["tracks"]()[1], "u/frames/det/det.txt": rows, "v/frames/det/det.txt": rows}
    _, found = checked(capsys, "tracks", Path("frames"), put(tmp_path / "team", files).relative_to(tmp_path))
    assert "u/frames/det/det.txt" in json.dumps(found)


def test_a_rank_names_what_was_not_read_of_a_team(home, tmp_path, capsys):
    team = put(tmp_path / "team", {**CASES["masks"]()[1], "notes.json": b'{"by": "us"}'})
    assert cli.main(["rank", str(team), "--ground-truth", str(home / "masks/truth"), "--metric", "masks", "--resamples", "5"]) == 0
    assert "warning: team: notes.json: is not of the format coco-results" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("label", "column", "predicted", "said"),
    [
        # Whatever the criterion of the labels is called, and where they have the criterion of the predictions.
        ("2", "", "", "all.csv, line 3: tension is '2'; give a share of annotators or a probability in 0..1"),
        ("1", ",Tension", ",1.5", "all.csv, line 3: Tension is '1.5'"),
    ],
)
def test_a_value_of_a_criterion_out_of_range_is_an_error(label, column, predicted, said, tmp_path, capsys):
    truth = put(tmp_path / "truth", {"all.csv": f"video,frame,C1,tension\na,0,1,0\na,1,0,{label}\n".encode()})
    team = put(tmp_path / "team", {"all.csv": f"video,frame,C1{column}\na,0,1{',0' * bool(column)}\na,1,0{predicted}\n".encode()})
    named = ["--from", "mark-tables", "--predictions-from", "mark-tables"]
    code, _, err = run(capsys, "score", "criteria", "--ground-truth", truth, "--predictions", team, *named)
    assert (code, said in err) == (1, True), err


@pytest.mark.parametrize(("name", "values"), [("model", ("ours", "ours")), ("time_ms", ("0", "40"))])
def test_a_column_of_labels_that_can_be_no_criterion_is_left_out_and_named(name, values, tmp_path, capsys):
    truth = put(tmp_path / "truth", criteria_in_two(name, values[: len(values) // 2], values[len(values) // 2 :]))
    team = put(tmp_path / "team", {"all.csv": b"video,frame,C1\na,0,1\na,1,0\nb,0,1\nb,1,0\n"})
    code, _, err = run(capsys, "score", "criteria", "--ground-truth", truth, "--predictions", team)
    assert (code, f"not read, as it is no criterion: {name}" in err) == (0, True), err


@pytest.mark.parametrize("value", ["yes", "2", "0,5"])
def test_a_criterion_of_one_table_is_one_in_all_and_its_values_out_of_range_are_errors(value, tmp_path, capsys):
    truth = put(tmp_path / "truth", criteria_in_two("tension", ("0", "1"), (f'"{value}"', f'"{value}"')))
    team = put(tmp_path / "team", criteria_in_two("tension", ("0", "1"), ("0", "1")))
    code, _, err = run(capsys, "score", "criteria", "--ground-truth", truth, "--predictions", team)
    assert (code, f"b.csv, line 2: tension is '{value}'" in err) == (1, True), err


def criteria_in_two(name, first, second):
    """A table per video, each of two frames, with one more column."""
    cells = {"a": (*first, first[-1])[:2], "b": (*second, second[-1])[:2]}
    return {
        f"{video}.csv": f"video,frame,C1,{name}\n{video},0,1,{values[0]}\n{video},1,0,{values[1]}\n".encode()
        for video, values in cells.items()
    }
