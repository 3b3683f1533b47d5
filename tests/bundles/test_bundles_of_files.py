"""Bundles of masks, pixels, tracks and criteria: each platform gives the numbers of `scrubin score`, and shows no label."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contest_bundles import HIDDEN, OF_IMAGES, PROGRAM, bundle, columns, hidden_part, on_codabench, on_every_platform, split
from contest_cases import CASES, CLASSES, SCORE, TASKS, VIDEOS, WORSE, contest, dumps, put
from scrubin import cli
from scrubin.base.errors import MetricsError
from scrubin.evaluate import challenge as challenges
from scrubin.evaluate.challenge import evaluation
from scrubin.evaluate.contest_tasks import CONTESTS


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Labels, submissions and every bundle, when somebody asks for it."""

    class Home(dict):
        def __missing__(self, key):
            platform, task = key
            folder = tmp_path_factory.getbasetemp() / "of_files" / task
            if not folder.exists():
                contest(folder, task)
            self[key] = bundle(folder / f"for_{platform}", folder / "truth", platform, task)
            return self[key]

    return Home()


def by_video(task: str, files) -> dict[str, object]:
    """The same as one JSON value per video."""
    if task in OF_IMAGES:
        document = json.loads(CASES[task]()[0]["labels.json"])
        of = {one["id"]: one["recording"] for one in document["images"]}
        found = json.loads(files["results.json"])
        return {video: [one for one in found if of[one["image_id"]] == video] for video in HIDDEN}
    if task == "criteria":
        names, *rows = (line.split(",") for line in files["found.csv"].decode().splitlines())
        return {
            video: {row[1]: dict(zip(names[2:], map(float, row[2:]), strict=True)) for row in rows if row[0] == video} for video in HIDDEN
        }
    # The frames alone number classes as the labels do.
    return {video: [json.loads(f"[{line}]") for line in files[f"{video}.txt"].decode().splitlines()] for video in HIDDEN}


def by_command(task: str, folder: Path, submitted: Path, capsys) -> list[float]:
    metric, *variant = SCORE[task]
    sides = ["--ground-truth", str(folder / "truth"), "--predictions", str(submitted), "--videos", str(split(folder)), "--subset", "test"]
    capsys.readouterr()
    assert cli.main(["score", metric, *sides, "--json", *variant]) == 0
    values = [one["overall"]["value"] for one in json.loads(capsys.readouterr().out)["results"]]
    return sorted(value for value in values if value is not None)


@pytest.mark.slow
@pytest.mark.cases(1)
@pytest.mark.parametrize("task", TASKS)
def test_every_platform_gives_the_numbers_of_the_command_line(task, home, tmp_path, capsys):
    worse = WORSE[task](CASES[task]()[1])
    submitted = put(tmp_path / "worse", hidden_part(task, worse))
    expected = by_command(task, home["codabench", task].parents[1], submitted, capsys)
    of_platforms = {platform: home[platform, task] for platform in PROGRAM}
    scores = on_every_platform(of_platforms, submitted, tmp_path, by_video(task, worse))
    assert sorted(scores.values()) == expected
    ranked = columns(home["codabench", task])
    assert len(ranked) == len(CONTESTS[task].parts)
    assert all(0 < scores[key] < 1 for key in ranked)


@pytest.mark.cases(1)
@pytest.mark.parametrize("task", TASKS)
def test_labels_handed_in_are_perfect_and_the_sample_is_scored(task, home, tmp_path):
    bundled = home["codabench", task]
    scores = on_codabench(bundled, put(tmp_path / "team", hidden_part(task, CASES[task]()[1])), tmp_path / "perfect")
    ranked = columns(bundled)
    assert [scores[key] for key in ranked] == pytest.approx([1] * len(ranked), abs=1e-12)
    sample = on_codabench(bundled, bundled / "public/starting_kit/sample_submission", tmp_path / "sample")
    assert sample[ranked[0]] < 1


@pytest.mark.cases(1)
@pytest.mark.parametrize("task", TASKS)
def test_participants_check_at_home_with_what_they_get(task, home, tmp_path, capsys):
    kit = home["evalai", task] / "public/starting_kit"
    check = ["--ground-truth", str(kit / "frames"), "--task", task]
    team = put(tmp_path / "team", hidden_part(task, CASES[task]()[1]))
    for submitted in (team, kit / "sample_submission"):
        assert cli.main(["submission", "check", str(submitted), *check]) == 0
    every = put(tmp_path / "every", CASES[task]()[1])
    code = cli.main(["submission", "check", str(every), *check])
    # Images of other videos are no images of the frames; other videos are shown, and do not count.
    assert ("cannot be scored" if task in OF_IMAGES else "it can be scored as it is") in capsys.readouterr().out
    assert code == 1


def everything(folder: Path, *, private: str) -> dict[str, bytes]:
    every = {one.relative_to(folder).as_posix(): one for one in sorted(folder.rglob("*")) if one.is_file()}
    return {name: one.read_bytes() for name, one in every.items() if private not in name}


OTHER = {
    "masks": lambda files: {"labels.json": files["labels.json"].replace(b'"category_id": 2', b'"category_id": 1')},
    "pixels": lambda files: {"labels.json": files["labels.json"].replace(b'"category_id": 2', b'"category_id": 1')},
    "points": lambda files: {"labels.json": files["labels.json"].replace(b", 2, ", b", 1, ")},
    "tracks": lambda files: {name: data.replace(b".5,", b".25,") for name, data in files.items()},
    "criteria": lambda files: {name: data.replace(b",1,1\n", b",0,1\n") for name, data in files.items()},
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("task", TASKS)
def test_other_hidden_labels_change_no_byte_that_participants_see(task, home, tmp_path):
    truth = CASES[task]()[0]
    other = OTHER[task](truth)
    assert other != truth
    bundled = bundle(tmp_path, put(tmp_path / "truth", other), "grand-challenge", task)
    first = home["grand-challenge", task]
    assert everything(bundled, private="ground_truth") == everything(first, private="ground_truth")
    assert everything(bundled / "evaluation/ground_truth", private="/no") != everything(first / "evaluation/ground_truth", private="/no")


@pytest.mark.cases(1)
@pytest.mark.parametrize("task", TASKS)
def test_hidden_labels_are_of_the_hidden_videos_alone(task, home):
    truth = everything(home["grand-challenge", task] / "evaluation/ground_truth", private="/no")
    assert truth
    named = [name for name, data in truth.items() if VIDEOS[0] in name or VIDEOS[0].encode() in data]
    # What says the size of pictures is no label.
    assert named == ([f"{VIDEOS[0]}/seqinfo.ini"] if task == "tracks" else [])


@pytest.mark.slow
def test_masks_of_another_format_become_one_coco_file_with_the_same_numbers(home, tmp_path, capsys):
    folder = home["codabench", "masks"].parents[1]
    assert cli.main(["convert", str(folder / "truth"), "--to", "labelme", "--out", str(tmp_path / "labelme")]) == 0
    bundled = bundle(tmp_path, tmp_path / "labelme", "codabench", "masks")
    frames = json.loads((bundled / "public/starting_kit/frames/annotations.json").read_text())
    ids = {(one["recording"], one["frame"]): one["id"] for one in frames["images"]}
    classes = {CLASSES.index(one["name"]) + 1: one["id"] for one in frames["categories"] if one["name"] in CLASSES}
    of = {one["id"]: (one["recording"], one["frame"]) for one in json.loads(CASES["masks"]()[0]["labels.json"])["images"]}
    worse = hidden_part("masks", WORSE["masks"](CASES["masks"]()[1]))
    expected = by_command("masks", folder, put(tmp_path / "team", worse), capsys)
    renumbered = [
        {**one, "image_id": ids[of[one["image_id"]]], "category_id": classes[one["category_id"]]}
        for one in json.loads(worse["results.json"])
    ]
    scores = on_codabench(bundled, put(tmp_path / "renumbered", {"results.json": dumps(renumbered)}), tmp_path / "run")
    assert sorted(scores.values()) == expected


@pytest.mark.parametrize(
    ("task", "value", "says"),
    [
        ("masks", {"0": 1}, "expected a list of COCO results, but got dict"),
        ("tracks", [1], "expected a list of \\[frame, id, left"),
        ("criteria", {"0": 0.5}, 'expected {"<frame>": {"<criterion>": probability}}'),
        ("criteria", {"0": {"C9": 0.5}}, "frame 0: 'C9' is no criterion; give C1, C2, C3"),
    ],
)
def test_a_value_of_another_form_is_told(task, value, says, home, tmp_path):
    challenge = challenges.read(home["evalai", task] / PROGRAM["evalai"])
    put(tmp_path, {"submission.json": dumps({HIDDEN[0]: value})})
    (tmp_path / "place").mkdir()
    with pytest.raises(MetricsError, match=says):
        evaluation.folder_of(tmp_path / "submission.json", tmp_path / "place", challenge)


def test_answers_to_the_cvs_challenge_are_taken_as_they_are(home, tmp_path):
    challenge = challenges.read(home["evalai", "criteria"] / PROGRAM["evalai"])
    answers = {video: {"overall_outputs": [[0.5, 0.25, 0.125]] * 26} for video in HIDDEN}
    put(tmp_path, {"submission.json": dumps(answers)})
    (tmp_path / "place").mkdir()
    folder = evaluation.folder_of(tmp_path / "submission.json", tmp_path / "place", challenge)
    assert not evaluation.checked(challenge, folder).errors


def test_a_published_program_is_no_semantics_of_a_bundle_of_masks(tmp_path, capsys):
    truth = put(tmp_path / "truth", CASES["masks"]()[0])
    order = ["--for", "codabench", "--task", "masks", "--split", str(split(tmp_path)), "--subset", "test", "--semantics", "compat"]
    assert cli.main(["challenge", "bundle", str(truth), *order, "--out", str(tmp_path / "out")]) == 1
    assert "bundles of masks are scored by 'paper'" in capsys.readouterr().err


def test_the_container_of_grand_challenge_is_built_without_what_is_hidden(home):
    place = home["grand-challenge", TASKS[0]] / "evaluation"
    ignored = (place / ".dockerignore").read_text().splitlines()
    assert not {path.name for path in place.iterdir() if path.name.startswith("ground_truth")} - set(ignored)


def counted_from_1(files):
    """Tracks as CVAT writes them: classes are counted from 1, in the order of a ``labels.txt`` beside each file."""
    done = {name: b"".join(row for row in data.splitlines(True) if b"classes=" not in row) for name, data in files.items() if "/" in name}
    for name, data in files.items():
        if "/" not in name:
            rows = [row.split(",") for row in data.decode().splitlines()]
            folder = f"{name.removesuffix('.txt')}/gt"
            done[f"{folder}/gt.txt"] = "".join(",".join([*row[:7], str(int(row[7]) + 1), *row[8:]]) + "\n" for row in rows).encode()
            done[f"{folder}/labels.txt"] = b"grasper\nhook\n"
    return done


@pytest.mark.cases(1)
def test_tracks_whose_classes_are_counted_from_1_are_bundled_as_participants_see_them(tmp_path):
    truth, perfect = CASES["tracks"]()
    bundled = bundle(tmp_path, put(tmp_path / "truth", counted_from_1(truth)), "codabench", "tracks")
    hidden = sorted(path.name for path in (bundled / "competition/reference_data").rglob("*.txt"))
    assert hidden == [f"{video}.txt" for video in HIDDEN]
    scores = on_codabench(bundled, put(tmp_path / "team", hidden_part("tracks", perfect)), tmp_path / "perfect")
    assert (scores["tracks_hota"], scores["tracks_hota_classes_averaged"]) == (1, 1)


def test_a_choice_with_which_no_number_would_rank_is_refused(tmp_path, capsys):
    truth = put(tmp_path / "truth", CASES["tracks"]()[0])
    with pytest.raises(AssertionError):
        bundle(tmp_path, truth, "codabench", "tracks", "--variant", "classes=averaged")
    assert "'classes=averaged': tracks are ranked by numbers with classes=one; leave it out" in capsys.readouterr().err
