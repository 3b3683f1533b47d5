"""What the manifest of a ground truth says of it: that it is not the released one any more, and its rate."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import hidden_releases
from score_runs import fault, good, put, sides
from scrubin import cli
from scrubin.base.files import sha256_of
from scrubin.evaluate.challenge import evalai
from scrubin.evaluate.side import sentence_on_changed_truth


@pytest.fixture
def release(tmp_path):
    """A release whose manifest lists its ground truth."""
    release = hidden_releases.release(tmp_path / "release")
    folder = release / "groundtruth"
    files = {path.relative_to(folder).as_posix(): sha256_of(path) for path in sorted(folder.rglob("*")) if path.is_file()}
    files.pop("manifest.json", None)
    state(release, {"files": files})
    return release


def state(release, more):
    (release / "groundtruth/manifest.json").write_text(json.dumps({"frame_contract": "", "files": {}, **more}))


@pytest.fixture
def of_test(release):
    """The options that name the videos of the subset for tests."""
    return "--videos", str(release / "splits/balanced.csv"), "--subset", "test"


PHASES = "groundtruth/cholect50/phases/bleecauls.csv"
SAID = "1 file of the ground truth changed since the release"


def change(release):
    (release / PHASES).write_bytes((release / PHASES).read_bytes() + b"\n")


def test_changed_labels_are_named_and_only_where_they_are_used(release, of_test, tmp_path, capsys):
    team = hidden_releases.submission(tmp_path / "team", "phases")
    home = release / "groundtruth/cholect50"
    assert sentence_on_changed_truth(release) is None
    change(release)
    said = f"{SAID}, such as cholect50/phases/bleecauls.csv"
    for truth in (release, release / "groundtruth", home, home / "phases"):
        assert str(sentence_on_changed_truth(truth)).startswith(said)
    assert sentence_on_changed_truth(home / "recognition") is None
    assert cli.main(["score", "phases", "--ground-truth", str(release), "--predictions", str(team), *of_test]) == 0
    assert said in "".join(capsys.readouterr())


def test_a_ranking_and_a_bundle_say_that_labels_changed(release, of_test, tmp_path, capsys):
    team = hidden_releases.submission(tmp_path / "team", "phases")
    change(release)
    of_split = ["--split", "balanced", "--subset", "test", "--out", str(tmp_path / "bundle")]
    for command in (
        ["rank", str(team), "--metric", "phases", "--ground-truth", str(release), *of_test],
        ["challenge", "bundle", str(release), "--for", "evalai", "--task", "phases", *of_split],
    ):
        assert cli.main(command) == 0
        assert SAID in capsys.readouterr().err


def test_a_manifest_of_another_program_says_nothing(tmp_path):
    (tmp_path / "a.csv").write_text("frame,phase_id\n0,0\n")
    for text in ("[1, 2]", "{", '{"files": {"a.csv": "0"}}', '{"files": ["a.csv"], "name": "web"}'):
        (tmp_path / "manifest.json").write_text(text)
        assert sentence_on_changed_truth(tmp_path) is None


def test_frames_from_one_on_both_sides_are_no_fault_of_a_score(tmp_path, capsys):
    table = {"a.csv": "frame,phase_id\n" + "".join(f"{frame},{frame // 10}\n" for frame in range(1, 31))}
    run = sides(put(tmp_path, truth=table, found=table), "phases", "--vocabulary", "cholec80", "--fps", "1")
    assert "first-frame" not in "".join(good(capsys, *run))


def test_predictions_of_another_task_are_called_so(release, tmp_path, capsys):
    team = hidden_releases.submission(tmp_path / "team", "recognition")
    said = fault(capsys, "phases", "--ground-truth", release, "--predictions", team)
    assert "the predictions hold recognition, but no phases; name those of this task" in said


def test_seconds_are_frames_of_the_rate_that_the_release_states_also_in_a_bundle(release, of_test, tmp_path, capsys):
    team = hidden_releases.submission(tmp_path / "team", "phases")
    run = ("phases", "--ground-truth", release, "--predictions", team, *of_test)

    def scored(*more):
        said = good(capsys, *run, "--json", *more)
        return [one["overall"]["value"] for one in json.loads(said.out)["results"]], said.err

    (of_one, _), (of_tenth, _) = scored(), scored("--fps", "1/10")
    assert of_one != of_tenth
    for rate, wanted in (("1", of_one), ("1/10", of_tenth)):
        state(release, {"frames_per_second": rate})
        found, said = scored()
        assert found == wanted
        assert "no file states a rate" not in said
    assert "the release has 1/10 extracted frames per second, not 1; leave --fps out" in fault(capsys, *run, "--fps", "1")
    of_split = ["--split", "balanced", "--subset", "test", "--out", str(tmp_path / "bundle")]
    assert cli.main(["challenge", "bundle", str(release), "--for", "evalai", "--task", "phases", *of_split]) == 0
    script, annotations = tmp_path / "bundle/challenge/evaluation_script", tmp_path / "bundle/challenge" / evalai.ANNOTATIONS
    submission = Path(shutil.make_archive(str(tmp_path / "submission"), "zip", team))
    scores = evalai.scored(script, annotations, submission, "test")["submission_result"]["scores"]
    assert sorted(value for value in scores.values() if value is not None) == sorted(value for value in of_tenth if value is not None)


def test_spans_of_time_are_taken_at_the_rate_that_the_release_states(release, tmp_path, capsys):
    state(release, {"frames_per_second": "5/2"})
    written = ["--to", "elan", "--fps", "5/2", "--vocabulary", "cholect50", "--out", str(tmp_path / "spans")]
    assert cli.main(["convert", str(release / "groundtruth/cholect50/phases"), *written]) == 0
    capsys.readouterr()
    run = ("phases", "--ground-truth", release, "--predictions", tmp_path / "spans", "--vocabulary", "cholect50", "--json")
    said = good(capsys, *run)
    assert "spans of phases are taken at 5/2 frames per second, as the release has" in said.err
    assert json.loads(said.out)["results"][0]["overall"]["value"] == 1.0
