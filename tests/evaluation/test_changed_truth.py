"""What the manifest of a ground truth says of it: that it is not the released one any more, and its rate."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import hidden_releases
from scrubin import cli
from scrubin.evaluate.challenge import evalai
from scrubin.evaluate.side import sentence_on_changed_truth


def with_manifest(release):
    folder = release / "groundtruth"
    files = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }
    (folder / "manifest.json").write_text(json.dumps({"frame_contract": "", "files": files}))
    return release


def test_changed_labels_are_named_and_only_where_they_are_used(tmp_path, capsys):
    release = with_manifest(hidden_releases.release(tmp_path / "release"))
    team = hidden_releases.submission(tmp_path / "team", "phases")
    home = release / "groundtruth/cholect50"
    assert sentence_on_changed_truth(release) is None
    with (home / "phases/bleecauls.csv").open("a") as file:
        file.write("\n")
    said = "1 file of the ground truth changed since the release, such as cholect50/phases/bleecauls.csv"
    for truth in (release, release / "groundtruth", home, home / "phases"):
        assert str(sentence_on_changed_truth(truth)).startswith(said)
    assert sentence_on_changed_truth(home / "recognition") is None
    videos = ["--videos", str(release / "splits/balanced.csv"), "--subset", "test"]
    assert cli.main(["score", "phases", "--ground-truth", str(release), "--predictions", str(team), *videos]) == 0
    assert said in "".join(capsys.readouterr())


def test_a_ranking_and_a_bundle_say_that_labels_changed(tmp_path, capsys):
    release = with_manifest(hidden_releases.release(tmp_path / "release"))
    team = hidden_releases.submission(tmp_path / "team", "phases")
    with (release / "groundtruth/cholect50/phases/bleecauls.csv").open("a") as file:
        file.write("\n")
    of_split = ["--split", "balanced", "--subset", "test", "--out", str(tmp_path / "bundle")]
    videos = ["--videos", str(release / "splits/balanced.csv"), "--subset", "test"]
    for command in (
        ["rank", str(team), "--metric", "phases", "--ground-truth", str(release), *videos],
        ["challenge", "bundle", str(release), "--for", "evalai", "--task", "phases", *of_split],
    ):
        assert cli.main(command) == 0
        assert "1 file of the ground truth changed since the release" in capsys.readouterr().err


def test_a_manifest_of_another_program_says_nothing(tmp_path):
    (tmp_path / "a.csv").write_text("frame,phase_id\n0,0\n")
    for text in ("[1, 2]", "{", '{"files": {"a.csv": "0"}}', '{"files": ["a.csv"], "name": "web"}'):
        (tmp_path / "manifest.json").write_text(text)
        assert sentence_on_changed_truth(tmp_path) is None


def test_frames_from_one_on_both_sides_are_no_fault_of_a_score(tmp_path, capsys):
    for side in ("truth", "team"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.csv").write_text("frame,phase_id\n" + "".join(f"{frame},{frame // 10}\n" for frame in range(1, 31)))
    order = ["--ground-truth", str(tmp_path / "truth"), "--predictions", str(tmp_path / "team"), "--vocabulary", "cholec80"]
    assert cli.main(["score", "phases", *order, "--fps", "1"]) == 0
    assert "first-frame" not in "".join(capsys.readouterr())


def test_predictions_of_another_task_are_called_so(tmp_path, capsys):
    release = hidden_releases.release(tmp_path / "release")
    team = hidden_releases.submission(tmp_path / "team", "recognition")
    assert cli.main(["score", "phases", "--ground-truth", str(release), "--predictions", str(team)]) == 1
    assert "the predictions hold recognition, but no phases; name those of this task" in capsys.readouterr().err


def test_seconds_are_frames_of_the_rate_that_the_release_states_also_in_a_bundle(tmp_path, capsys):
    release, team = hidden_releases.release(tmp_path / "release"), hidden_releases.submission(tmp_path / "team", "phases")
    videos = ["--videos", str(release / "splits/balanced.csv"), "--subset", "test"]

    def scored(name, *more, code=0):
        out = tmp_path / f"{name}.json"
        assert (
            cli.main(["score", "phases", "--ground-truth", str(release), "--predictions", str(team), *videos, *more, "--out", str(out)])
            == code
        )
        return [one["overall"]["value"] for one in json.loads(out.read_text())["results"]] if code == 0 else capsys.readouterr().err

    of_one, of_tenth = scored("unsaid"), scored("tenth", "--fps", "1/10")
    assert of_one != of_tenth
    capsys.readouterr()
    for rate, wanted in (("1", of_one), ("1/10", of_tenth)):
        (release / "groundtruth/manifest.json").write_text(json.dumps({"frame_contract": "", "files": {}, "frames_per_second": rate}))
        assert scored("stated") == wanted
        assert "no file states a rate" not in capsys.readouterr().err
    assert "the release has 1/10 extracted frames per second, not 1; leave --fps out" in scored("other", "--fps", "1", code=1)
    of_split = ["--split", "balanced", "--subset", "test", "--out", str(tmp_path / "bundle")]
    assert cli.main(["challenge", "bundle", str(release), "--for", "evalai", "--task", "phases", *of_split]) == 0
    script, annotations = tmp_path / "bundle/challenge/evaluation_script", tmp_path / "bundle/challenge" / evalai.ANNOTATIONS
    (tmp_path / "submission.zip").write_bytes(Path(shutil.make_archive(str(tmp_path / "zipped"), "zip", team)).read_bytes())
    scores = evalai.scored(script, annotations, tmp_path / "submission.zip", "test")["submission_result"]["scores"]
    assert sorted(value for value in scores.values() if value is not None) == sorted(value for value in of_tenth if value is not None)


def test_spans_of_time_are_taken_at_the_rate_that_the_release_states(tmp_path, capsys):
    release = hidden_releases.release(tmp_path / "release")
    (release / "groundtruth/manifest.json").write_text(json.dumps({"frame_contract": "", "files": {}, "frames_per_second": "5/2"}))
    written = ["--to", "elan", "--fps", "5/2", "--vocabulary", "cholect50", "--out", str(tmp_path / "spans")]
    assert cli.main(["convert", str(release / "groundtruth/cholect50/phases"), *written]) == 0
    sides = ["--ground-truth", str(release), "--predictions", str(tmp_path / "spans"), "--vocabulary", "cholect50"]
    assert cli.main(["score", "phases", *sides, "--out", str(tmp_path / "out.json")]) == 0
    assert "spans of phases are taken at 5/2 frames per second, as the release has" in capsys.readouterr().err
    assert json.loads((tmp_path / "out.json").read_text())["results"][0]["overall"]["value"] == 1.0
