"""What the manifest of a ground truth says of it: that it is not the released one any more, and its rate."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

import hidden_releases
from score_runs import fault, good, put, sides
from scrubin import cli
from scrubin.base.errors import FileError
from scrubin.base.files import sha256_of
from scrubin.evaluate import released_truth
from scrubin.evaluate.challenge import evalai
from scrubin.evaluate.ranking import leaderboard, ranking_text
from scrubin.evaluate.tasks import scoring


def sentence_on_changed_truth(truth):
    return released_truth.sentence_on_changed(truth, released_truth.look(truth))


@pytest.fixture
def release(tmp_path):
    """A release whose manifest lists its ground truth."""
    release = hidden_releases.release(tmp_path / "release")
    folder = release / "groundtruth"
    files = {path.relative_to(folder).as_posix(): sha256_of(path) for path in sorted(folder.rglob("*")) if path.is_file()}
    files.pop("manifest.json", None)
    state(release, {"files": files, "recordings": dict.fromkeys(hidden_releases.FRAMES)})
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


def test_every_row_of_a_table_of_scores_says_of_which_release_the_labels_are(release, of_test, tmp_path):
    (release / "croissant.json").write_text(json.dumps({"name": "toy", "version": "1.2.0"}))
    team = hidden_releases.submission(tmp_path / "team", "phases")
    order = ["score", "phases", "--ground-truth", str(release), "--predictions", str(team), *of_test]
    assert cli.main([*order, "--out", str(tmp_path / "scores.csv")]) == 0
    with (tmp_path / "scores.csv").open() as file:
        rows = list(csv.DictReader(file))
    manifest = sha256_of(release / "groundtruth/manifest.json")[:12]
    assert {row["release"] for row in rows} == {f"toy 1.2.0, manifest {manifest}"}
    assert len({row["level"] for row in rows}) > 1


def test_changed_labels_are_named_and_only_where_they_are_used(release, of_test, tmp_path, capsys):
    team = hidden_releases.submission(tmp_path / "team", "phases")
    home = release / "groundtruth/cholect50"
    assert sentence_on_changed_truth(release) is None
    change(release)
    said = f"{SAID}, such as cholect50/phases/bleecauls.csv"
    for truth in (release, release / "groundtruth", home, home / "phases"):
        assert str(sentence_on_changed_truth(truth)).startswith(said)
        link = tmp_path / f"link{len(truth.parts)}"
        link.symlink_to(truth)
        assert str(sentence_on_changed_truth(link)).startswith(said)
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


def test_removed_labels_are_named_and_put_to_no_team(release, of_test, tmp_path, capsys):
    team = hidden_releases.submission(tmp_path / "team", "phases")
    (release / PHASES).unlink()
    said = "1 file of the ground truth is missing, such as cholect50/phases/bleecauls.csv: the numbers are not those of others"
    mend = f"run: scrubin ground-truth-check {release / 'groundtruth'}"
    home = release / "groundtruth/cholect50"
    for truth in (release, home, home / "phases"):
        assert sentence_on_changed_truth(truth) == f"{said}; {mend}"
    assert sentence_on_changed_truth(home / "recognition") is None
    run = ("--ground-truth", str(release), *of_test)
    for command in (
        ["score", "phases", *run, "--predictions", str(team)],
        ["submission", "check", str(team), *run, "--task", "phases"],
        ["rank", str(team), "--metric", "phases", *run],
    ):
        cli.main(command)
        assert said in capsys.readouterr().err
    # Refused for a third video, which the team does not have.
    told = fault(capsys, "phases", "--ground-truth", release, "--predictions", team)
    assert "bleecauls.csv: its labels are missing from the ground truth, so it does not count; get the ground truth again" in told
    assert said in told
    assert "leave it out" not in told
    change_other = release / PHASES.replace("bleecauls", "kliawnimp")
    change_other.write_bytes(change_other.read_bytes() + b"\n")
    assert f"{SAID}, such as cholect50/phases/kliawnimp.csv, and 1 is missing, such as" in sentence_on_changed_truth(release)


def test_a_file_that_cannot_be_used_beside_removed_labels_is_said(release, tmp_path, capsys, monkeypatch):
    def refused(*_):
        raise FileError("team/a.csv", "it is a pipe")

    (release / PHASES).unlink()
    monkeypatch.setattr(scoring, "computed", refused)
    told = fault(capsys, "phases", "--ground-truth", release, "--predictions", hidden_releases.submission(tmp_path / "team", "phases"))
    assert "team/a.csv: it is a pipe" in told
    assert "1 file of the ground truth is missing" in told


def test_who_took_whole_folders_alone_is_not_warned_of_the_rest(release):
    home = release / "groundtruth/cholect50"
    for part in ("recognition", "detection"):
        shutil.rmtree(home / part)
    assert sentence_on_changed_truth(release) is None


def test_single_files_beside_each_other_are_of_different_tasks_and_none_misses_another(release):
    single = [f"cholect50/{name}" for name in ("coco.json", "masks.json", "recognition.parquet", "skill/a.csv", "skill/b.csv")]
    for name in single[::3]:
        (release / "groundtruth" / name).parent.mkdir(exist_ok=True)
        (release / "groundtruth" / name).write_text("{}")
    hashes = dict.fromkeys(single, sha256_of(release / "groundtruth" / single[0]))
    state(release, {"files": hashes, "recordings": dict.fromkeys(hidden_releases.FRAMES)})
    assert sentence_on_changed_truth(release) is None


def test_of_tracks_the_folder_of_a_whole_recording_is_named(release):
    folder = release / "groundtruth"
    tracks = {f"cholect50/tracks/track/{name}/gt/gt.txt": "0" * 64 for name in hidden_releases.FRAMES}
    state(release, {"files": tracks, "recordings": dict.fromkeys(hidden_releases.FRAMES)})
    for name in list(tracks)[1:]:
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("")
    assert released_truth.look(release).missing == (next(iter(tracks)),)


def test_scores_and_leaderboards_say_of_which_release_they_are(release, of_test, tmp_path, capsys):
    (release / "croissant.json").write_text(json.dumps({"name": "puppet", "version": "1.2.0"}))
    team = hidden_releases.submission(tmp_path / "team", "phases")
    manifest = sha256_of(release / "groundtruth/manifest.json")
    stated = {"name": "puppet", "version": "1.2.0", "manifest_sha256": manifest, "changed": 0, "missing": 0}
    said = f"puppet 1.2.0, manifest {manifest[:12]}"
    page, board = tmp_path / "page.html", tmp_path / "board"
    scored = good(
        capsys, "phases", "--ground-truth", release, "--predictions", team, *of_test, "--out", tmp_path / "s.json", "--html", page
    )
    assert json.loads((tmp_path / "s.json").read_text())["ground_truth"]["release"] == stated
    assert f"ground truth: {said}\n" in scored.err
    assert said in page.read_text()
    assert cli.main(["rank", str(team), "--metric", "phases", "--ground-truth", str(release), *of_test, "--out", str(board)]) == 0
    assert f"ground truth: {said}\n" in capsys.readouterr().out
    ranking = json.loads((board / "ranking.json").read_text())
    assert ranking["ground_truth"]["release"] == stated
    assert said in (board / "index.html").read_text()
    # As earlier versions wrote it.
    del ranking["ground_truth"]["release"]
    assert "ground truth:" not in "".join(ranking_text.lines(ranking))
    assert said not in leaderboard.page(ranking)


def test_a_ground_truth_alone_has_a_manifest_and_no_version_and_labels_of_no_release_have_nothing(release, tmp_path):
    for part in (release, release / "groundtruth/cholect50/phases/bleecauls.csv"):
        found = released_truth.look(part)
        assert (found.name, found.version, len(found.manifest_sha256)) == (None, None, 64)
    shutil.copytree(release / "groundtruth/cholect50/phases", tmp_path / "mine")
    assert released_truth.look(tmp_path / "mine") is None
    (release / "croissant.json").write_text(json.dumps({"name": "puppet", "version": "1.2.0"}))
    (release / "Annotation").mkdir()
    assert released_truth.look(release / "Annotation").as_json()["version"] == "1.2.0"


def test_a_ranking_of_files_says_its_release_too(release, tmp_path):
    (release / "croissant.json").write_text(json.dumps({"name": "puppet", "version": "1.2.0"}))
    marks = release / "groundtruth/marks/bleecauls.csv"
    marks.parent.mkdir()
    marks.write_text("frame,mark,rater,value\n" + "".join(f"{frame},blurred,0,{frame % 2}\n" for frame in range(6)))
    shutil.copytree(marks.parent, tmp_path / "team")
    out = tmp_path / "board"
    run = ["rank", str(tmp_path / "team"), "--metric", "criteria", "--ground-truth", str(release), "--out", str(out)]
    assert cli.main(run) == 0
    assert json.loads((out / "ranking.json").read_text())["ground_truth"]["release"]["version"] == "1.2.0"


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
    assert "spans of phases are taken at 5/2 frames per second, as the other side has" in said.err
    assert json.loads(said.out)["results"][0]["overall"]["value"] == 1.0
