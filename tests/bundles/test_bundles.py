"""Bundles of the platforms: run by each platform's own layout, with the numbers of the command line, and no label in public."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

import hidden_releases
from contest_bundles import (
    PROGRAM,
    codabench_run,
    columns,
    grand_challenge_run,
    jobs,
    on_codabench,
    on_evalai,
    on_every_platform,
    on_grand_challenge,
    zipped,
)
from contest_cases import dumps, put
from scrubin import cli
from scrubin.base.errors import MetricsError
from scrubin.evaluate import challenge as challenges
from scrubin.evaluate import choices
from scrubin.evaluate.challenge import Column, bundle, bundle_parts, codabench, evalai, evaluation, hidden_truth
from scrubin.evaluate.challenge.evaluation import ScoredSubmission

TASKS = ("recognition", "detection", "phases")
TRUTH = {"codabench": "competition/reference_data", "grand-challenge": "evaluation/ground_truth"}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("challenge")
    hidden_releases.release(folder / "release")
    for task in TASKS:
        hidden_releases.submission(folder / f"team_{task}", task)
    return folder


def made(release: Path, out: Path, platform: str, task: str = "recognition", *more: str) -> Path:
    order = ["--for", platform, "--task", task, "--split", "balanced", "--subset", "test", "--out", str(out)]
    assert cli.main(["challenge", "bundle", str(release), *order, *more]) == 0
    return out


@pytest.fixture(scope="module")
def bundles(home):
    """Every bundle once, when somebody asks for it."""

    class Bundles(dict):
        def __missing__(self, key):
            platform, task = key
            self[key] = made(home / "release", home / f"{platform}_{task}", platform, task)
            return self[key]

    return Bundles()


def by_command(home: Path, task: str, submitted: Path, split: Path | None = None) -> list[float]:
    """What `scrubin score` says of a submission: every defined number."""
    out = submitted.with_suffix(".json")
    sides = ["--ground-truth", str(home / "release"), "--predictions", str(submitted)]
    videos = ["--videos", str(split or home / "release/splits/balanced.csv"), "--subset", "test"]
    assert cli.main(["score", task, *sides, *videos, "--out", str(out)]) == 0
    values = [result["overall"]["value"] for result in json.loads(out.read_text())["results"]]
    return sorted(value for value in values if value is not None)


def documents_of(submitted: Path) -> dict[str, object]:
    def phases(text):
        return dict(line.split(",") for line in text.splitlines()[1:])

    return {
        one.stem: json.loads(one.read_text()) if one.suffix == ".json" else phases(one.read_text()) for one in sorted(submitted.iterdir())
    }


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_every_platform_gives_the_numbers_of_the_command_line_whatever_form_it_is_handed(task, home, bundles, tmp_path, capsys):
    team = home / f"team_{task}"
    expected = by_command(home, task, team)
    of_platforms = {platform: bundles[platform, task] for platform in PROGRAM}
    capsys.readouterr()
    scores = on_every_platform(of_platforms, team, tmp_path, documents_of(team))
    assert capsys.readouterr().err == ""
    assert sorted(scores.values()) == expected
    assert "accepted" in (tmp_path / "codabench/output/detailed_results.html").read_text()
    competition, config = (
        yaml.safe_load((of_platforms[platform] / name).read_text())
        for platform, name in (("codabench", "competition/competition.yaml"), ("evalai", "challenge/challenge_config.yaml"))
    )
    assert {column["key"] for column in competition["leaderboards"][0]["columns"]} <= scores.keys()
    assert config["leaderboard"][0]["schema"]["labels"] == columns(of_platforms["codabench"])
    assert config["dataset_splits"][0]["codename"] == "test_split"


@pytest.mark.parametrize("task", ["recognition", "phases"])
def test_one_hidden_video_gives_every_submission_the_numbers_of_the_command_line(task, home, tmp_path):
    split = tmp_path / "one.csv"
    split.write_text("id,subset\nbleecauls,test\n")
    out = made(home / "release", tmp_path / "out", "evalai", task, "--split", str(split))
    perfect = hidden_releases.submission(tmp_path / "team", task)
    for file in perfect.iterdir():
        if file.stem != "bleecauls":
            file.unlink()
        elif task == "phases":
            lines = [f"{frame},{phase}" for frame, phase in enumerate(hidden_releases.phases()["bleecauls"])]
            file.write_text("\n".join(["frame,phase_id", *lines]) + "\n")
    known = by_command(home, task, perfect, split)
    of_sample, of_team = (
        on_evalai(out, one)["result"][0]["test_split"] for one in (out / "public/starting_kit/sample_submission", perfect)
    )
    assert of_team.keys() == of_sample.keys()
    assert None not in of_team.values()
    assert set(of_team.values()) <= set(known)


def test_a_column_that_a_score_lacks_is_no_empty_cell(home, bundles, tmp_path):
    challenge = replace(challenges.read(bundles["evalai", "phases"] / PROGRAM["evalai"]), columns=(Column("no_such_number", "none"),))
    hidden = tmp_path / "truth"
    hidden_truth.copy(hidden_truth.of_release(home / "release", "phases", "balanced", "test"), hidden)
    outcome = evaluation.evaluate(challenge, hidden, home / "team_phases")
    assert (outcome.accepted, outcome.messages[-1]) == (False, evaluation.NOT_SCORED)


@pytest.mark.parametrize("name", ["submission.zip", "submission.json"])
def test_grand_challenge_takes_the_one_file_that_was_handed_in_whatever_it_is_called(name, home, bundles, tmp_path):
    (tmp_path / "in").mkdir()
    if name.endswith(".json"):
        put(tmp_path / "in", {name: dumps(documents_of(home / "team_phases"))})
    else:
        shutil.move(zipped(shutil.copytree(home / "team_phases", tmp_path / "team")), tmp_path / "in" / name)
    on_grand_challenge(bundles["grand-challenge", "phases"], tmp_path / "in", tmp_path / "out")


def test_the_example_input_of_grand_challenge_can_be_scored(bundles, tmp_path):
    bundled = bundles["grand-challenge", "phases"]
    on_grand_challenge(bundled, bundled / "evaluation/test/input", tmp_path)


def public(folder: Path, platform: str) -> dict[str, bytes]:
    """Every byte that somebody else may see, members of zips included, by name."""
    private = [one.strip("`- ") for one in (folder / "README.md").read_text().splitlines() if one.startswith("- `")]
    seen: dict[str, bytes] = {}
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        name = path.relative_to(folder).as_posix()
        if any(name == one or (one.endswith("/") and name.startswith(one)) for one in private):
            continue
        seen[name] = path.read_bytes()
    # The archive that is uploaded is private; what the platform shows of it is all but the labels.
    for uploaded in ("competition.zip", "challenge_config.zip"):
        if (folder / uploaded).exists():
            seen |= _members((folder / uploaded).read_bytes(), uploaded)
    assert len(seen) > 5, platform
    return seen


def _members(data: bytes, name: str) -> dict[str, bytes]:
    seen = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.namelist():
            if member.startswith("reference_data/") or member == evalai.ANNOTATIONS:
                continue
            content = archive.read(member)
            seen[f"{name}/{member}"] = content
            if member.endswith(".zip"):
                seen |= _members(content, f"{name}/{member}")
    return seen


@pytest.mark.slow
@pytest.mark.parametrize(("platform", "task"), list(zip(PROGRAM, TASKS, strict=True)))
def test_other_hidden_labels_change_no_byte_that_participants_see(platform, task, home, bundles, tmp_path):
    other = made(hidden_releases.release(tmp_path / "release", seed=50), tmp_path / "other", platform, task)
    assert public(other, platform) == public(bundles[platform, task], platform)
    ours, theirs = (
        bundles[platform, task] / TRUTH.get(platform, "challenge/annotations"),
        other / TRUTH.get(platform, "challenge/annotations"),
    )
    assert [one.read_bytes() for one in _files(ours)] != [one.read_bytes() for one in _files(theirs)]


@pytest.mark.parametrize("platform", PROGRAM)
def test_a_bundle_and_its_answers_say_of_which_release_the_labels_are_and_its_manifest_stays_private(platform, home, tmp_path, capsys):
    release = shutil.copytree(home / "release", tmp_path / "release")
    (release / "croissant.json").write_text(json.dumps({"name": "toy", "version": "2.0.0"}))
    stated = {"frame_contract": "", "files": {"cholect50/phases/thitsaisp.csv": "0" * 64}, "recordings": {"thitsaisp": None}}
    (release / "groundtruth/manifest.json").write_text(json.dumps(stated))
    folder = made(release, tmp_path / "bundle", platform, "phases")
    capsys.readouterr()
    seen = public(folder, platform)
    says = [name for name, data in seen.items() if b"toy 2.0.0" in data]
    assert {"README.md", f"{PROGRAM[platform]}/challenge.json", "public/starting_kit/README.md"} <= set(says)
    assert any("overview" in name or "description" in name for name in says)
    manifest = hashlib.sha256((release / "groundtruth/manifest.json").read_bytes()).hexdigest()
    assert not [name for name, data in seen.items() if manifest[:12].encode() in data or b"1 file changed" in data]
    if platform == "evalai":
        answer = on_evalai(folder, zipped(shutil.copytree(home / "team_phases", tmp_path / "team")))
        assert answer["submission_metadata"]["release"] == answer["submission_result"]["release"] == "toy 2.0.0"
        with zipfile.ZipFile(folder / "challenge" / evalai.ANNOTATIONS) as archive:
            private = archive.read("README.md").decode()
    else:
        private = (folder / TRUTH[platform] / "README.md").read_text()
    assert f"toy 2.0.0, manifest {manifest[:12]}, but 1 file changed" in private
    assert manifest in private
    if platform == "codabench":
        on_codabench(folder, home / "team_phases", tmp_path)
        assert "toy 2.0.0" in (tmp_path / "output/detailed_results.html").read_text()
    if platform == "grand-challenge":
        on_grand_challenge(folder, home / "team_phases", tmp_path / "metrics")
        assert json.loads((tmp_path / "metrics/metrics.json").read_text())["release"] == "toy 2.0.0"


def _files(folder: Path) -> list[Path]:
    return sorted(one for one in folder.rglob("*") if one.is_file())


@pytest.mark.parametrize("platform", PROGRAM)
def test_no_byte_or_hash_of_a_label_file_is_public_and_no_label_of_other_videos_is_there_at_all(platform, home, bundles):
    for task in ("recognition", "phases"):
        folder = bundles[platform, task]
        everything = b"\n".join(public(folder, platform).values())
        for label_file in _files(home / "release/groundtruth"):
            content = label_file.read_bytes()
            assert hashlib.sha256(content).hexdigest().encode() not in everything
            assert len(content) < 10 or content not in everything
        assert not [one for one in folder.rglob("*") if "kliawnimp" in one.name]


def test_messages_are_the_same_whatever_the_hidden_labels_are(home, bundles, tmp_path, capsys):
    """Also those on submissions with everything wrong: messages are made of the list of frames."""
    other = made(hidden_releases.release(tmp_path / "release", seed=9), tmp_path / "other", "codabench")
    bad = hidden_releases.submission(tmp_path / "bad", "recognition")
    document = json.loads((bad / "thitsaisp.json").read_text())
    document["3"]["recognition"][5] = 2
    del document["4"]
    (bad / "thitsaisp.json").write_text(json.dumps(document))
    (bad / "bleecauls.json").write_text("{")
    (bad / "kliawnimp.json").write_text("{}")
    both = bundles["codabench", "recognition"], other
    told = []
    capsys.readouterr()
    for number, one in enumerate(both):
        assert codabench_run(one, bad, tmp_path / str(number)) == 1
        assert not (tmp_path / str(number) / "output/scores.json").exists()
        told.append((capsys.readouterr(), (tmp_path / str(number) / "output/detailed_results.html").read_text()))
    assert told[0] == told[1]
    assert "frame 3" in told[0][0].err
    assert "frame 4" in told[0][0].err
    assert "bleecauls.json" in told[0][1]


def test_the_reason_why_a_well_formed_submission_cannot_be_scored_is_not_told(home, bundles, tmp_path, capsys):
    shutil.copytree(home / "team_recognition", tmp_path / "input/res")
    (tmp_path / "input/ref").mkdir()
    assert (
        codabench.run(str(bundles["codabench", "recognition"] / PROGRAM["codabench"]), str(tmp_path / "input"), str(tmp_path / "out")) == 1
    )
    assert "tell the organiser" in capsys.readouterr().err


def test_a_link_to_the_labels_is_no_submission(home, bundles, tmp_path, capsys):
    (tmp_path / "team").mkdir()
    for name in hidden_releases.HIDDEN:
        (tmp_path / "team" / f"{name}.csv").symlink_to(home / f"release/groundtruth/cholect50/phases/{name}.csv")
    assert codabench_run(bundles["codabench", "phases"], tmp_path / "team", tmp_path) == 1
    assert "is a link" in capsys.readouterr().err
    assert grand_challenge_run(bundles["grand-challenge", "phases"], tmp_path / "team", tmp_path / "out") == 1


def test_an_extension_in_capitals_is_scored_and_refused_beside_the_same_name(home, bundles, tmp_path, capsys):
    for number, name in enumerate(("alone", "both")):
        team = shutil.copytree(home / "team_phases", tmp_path / name)
        shutil.copyfile(team / "thitsaisp.csv", team / "thitsaisp.CSV")
        if name == "alone":
            (team / "thitsaisp.csv").unlink()
        assert codabench_run(bundles["codabench", "phases"], team, tmp_path / f"run_{name}") == number
    assert "thitsaisp.csv: there is thitsaisp.CSV as well, which is the same name; keep one of them" in capsys.readouterr().err


@pytest.fixture
def zip_with(home, tmp_path):
    """Add a file to the zip of a submission."""

    def added(member, data=b"frame,phase_id\n0,0\n"):
        archive = zipped(shutil.copytree(home / "team_phases", tmp_path / "team"))
        with zipfile.ZipFile(archive, "a") as opened:
            opened.writestr(zipfile.ZipInfo(member), data)
        return archive

    return added


@pytest.fixture
def unpacked(bundles, tmp_path):
    """Unpack what was handed in for phases, as all platforms do."""

    def of(given):
        (tmp_path / "place").mkdir()
        return evaluation.folder_of(given, tmp_path / "place", challenges.read(bundles["evalai", "phases"] / PROGRAM["evalai"]))

    return of


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("member", "says"),
    [
        ("../../ref/a.csv", "is a link, or lies outside of the zip"),
        ("/etc/a.csv", "is a link, or lies outside of the zip"),
        ("a/../../b.csv", "is a link, or lies outside of the zip"),
        ("thitsaisp.csv", "thitsaisp.csv: stands twice in the zip; zip it once"),
        ("./thitsaisp.csv", "thitsaisp.csv: stands twice in the zip; zip it once"),
        ("thitsaisp.CSV", "thitsaisp.CSV: there is thitsaisp.csv as well in the zip, which is the same name; keep one of them"),
        ("Thitsaisp.csv", "Thitsaisp.csv: there is thitsaisp.csv as well in the zip, which is the same name; keep one of them"),
        ("", "the zip has a file whose name, '', is empty or too long"),
        (".", "the zip has a file whose name, '.', is empty or too long"),
        ("x" * 300 + ".csv", f"the zip has a file whose name, '{'x' * 60}...', is empty or too long"),
    ],
)
def test_a_zip_with_a_name_twice_or_that_is_none_is_refused_before_anything_is_unpacked(member, says, zip_with, unpacked, tmp_path):
    with pytest.raises(MetricsError, match=re.escape(says)) as refused:
        unpacked(zip_with(member))
    assert len(str(refused.value)) < 200
    assert not list((tmp_path / "place").iterdir())


@pytest.mark.parametrize("name", ["submission.zip", "input"])
def test_a_zip_that_was_cut_off_in_the_upload_is_called_so(name, home, bundles, tmp_path):
    """EvalAI gives an upload any name: without the end by which a zip is known, its first bytes tell it."""
    whole = zipped(shutil.copytree(home / "team_phases", tmp_path / "team")).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    said = on_evalai(bundles["evalai", "phases"], tmp_path / name)["submission_result"]["messages"]
    assert said == [f"{name}: the zip is cut off or damaged; zip the files and upload it again"]


def test_why_a_zip_cannot_be_unpacked_is_told_on_platforms_without_a_place_of_the_machine(zip_with, bundles, tmp_path, capsys):
    archive = zip_with("thitsaisp.csv/a.csv")
    says = "the zip cannot be unpacked (File exists); zip the files again, without a password"
    assert on_evalai(bundles["evalai", "phases"], archive)["submission_result"] == {"accepted": False, "messages": [says]}
    (tmp_path / "input").mkdir()
    archive.rename(tmp_path / "input/team.zip")
    capsys.readouterr()
    assert grand_challenge_run(bundles["grand-challenge", "phases"], tmp_path / "input", tmp_path / "out") == 1
    assert capsys.readouterr().err == f"{says}\n"


@pytest.mark.parametrize("letters", [241, 255])
def test_a_zip_with_names_as_long_as_a_file_system_takes_them_is_unpacked(letters, zip_with, unpacked):
    name = "x" * (letters - 4) + ".txt"
    assert (unpacked(zip_with(name)) / name).is_file()


def test_a_zip_that_is_far_too_large_is_refused_while_it_is_unpacked(unpacked, tmp_path, monkeypatch):
    monkeypatch.setattr(evaluation, "SPARE_BYTES", 0)
    monkeypatch.setattr("scrubin.labels.formats.submission.documents.BASE_BYTES", 1000)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("thitsaisp.csv", b"0" * 10_000_000)
    with pytest.raises(MetricsError, match="more than the frames"):
        unpacked(tmp_path / "a.zip")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[", "cannot be read as JSON"),
        ("[1]", "one entry per video"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"../a": {}}', "no name of a video"),
        (f'{{"{"x" * 300}": {{}}}}', f"'{'x' * 60}...' is no name of a video"),
        (r'{"thitsaisp": {"0": "\ud800"}}', "half a character"),
        (r'{"thitsaisp": {"\uDC00": {}}}', "half a character"),
    ],
)
def test_a_document_that_cannot_be_used_is_told_and_not_scored(content, says, bundles, tmp_path):
    (tmp_path / "submission.json").write_text(content)
    output = on_evalai(bundles["evalai", "recognition"], tmp_path / "submission.json")
    assert "result" not in output
    said = " ".join(output["submission_result"]["messages"])
    assert says in said
    assert "/tmp" not in said
    assert len(said) < 300


def test_the_last_line_on_stderr_says_what_is_wrong_as_grand_challenge_shows_only_that(bundles, tmp_path, capsys):
    inputs = jobs(tmp_path / "input", {"thitsaisp": {"0": {"recognition": [2] * 100}}})
    capsys.readouterr()
    assert grand_challenge_run(bundles["grand-challenge", "recognition"], inputs, tmp_path / "out") == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert "thitsaisp.json" in last
    assert "above 1" in last
    assert not (tmp_path / "out/metrics.json").exists()


def linked(job, output):
    output.rename(output.parents[2] / "elsewhere")
    output.symlink_to(output.parents[2] / "elsewhere")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda job, _: job.update(status="Failed"), "thitsaisp: the job is 'Failed', and only what succeeded is scored; run the"),
        (lambda job, _: job.update(status="Cancelled"), "the job is 'Cancelled'"),
        (lambda job, _: job.update(pk="../a"), "its pk is '../a', which is no name of a folder; expected it as Grand Challenge writes it"),
        (lambda job, _: job.update(outputs=[]), "expected one output that is a JSON file, but there are 0"),
        (lambda job, _: job["outputs"][0]["interface"].update(relative_path="../../../a.json"), "the output lies outside of the job"),
        (linked, "a folder of its output is a link; hand in the folder itself"),
        (lambda _, output: (output / "predictions.json").write_text("{"), 'write {"<frame>": ...}\n'),
    ],
)
def test_a_job_that_cannot_be_scored_is_named_with_the_reason(change, says, home, bundles, tmp_path, capsys):
    inputs = jobs(tmp_path / "input", documents_of(home / "team_phases"))
    listed = json.loads((inputs / "predictions.json").read_text())
    (number,) = (k for k, one in enumerate(listed) if "thitsaisp" in one["inputs"][0]["file"])
    for one in listed:
        one["status"] = "Succeeded"
    change(listed[number], inputs / f"pk-{number}/output")
    (inputs / "predictions.json").write_text(json.dumps(listed))
    capsys.readouterr()
    assert grand_challenge_run(bundles["grand-challenge", "phases"], inputs, tmp_path / "out") == 1
    said = capsys.readouterr().err
    assert said.startswith(f"predictions.json, job {number}")
    assert says in f"{said}\n"
    assert not (tmp_path / "out/metrics.json").exists()


def test_jobs_with_a_key_twice_are_refused(home, bundles, tmp_path, capsys):
    inputs = jobs(tmp_path / "input", documents_of(home / "team_phases"))
    text = (inputs / "predictions.json").read_text()
    (inputs / "predictions.json").write_text(text.replace('"file"', '"file": "other.mp4", "file"', 1))
    assert grand_challenge_run(bundles["grand-challenge", "phases"], inputs, tmp_path / "out") == 1
    assert "predictions.json: cannot be read as JSON (it is not JSON (a key stands twice in one object)" in capsys.readouterr().err


@pytest.mark.slow
def test_scores_by_video_are_shown_only_where_the_organiser_says_so(home, bundles, tmp_path):
    for show, has_values, has_videos in (("overall", True, False), ("videos", True, True), ("nothing", False, False)):
        out = made(home / "release", tmp_path / show, "codabench", "phases", "--show", show, "--digits", "3")
        assert codabench_run(out, home / "team_phases", tmp_path / f"run_{show}") == 0
        page = (tmp_path / f"run_{show}/output/detailed_results.html").read_text()
        assert ("jaccard" in page, "thitsaisp" in page) == (has_values, has_videos)
        competition = yaml.safe_load((out / "competition/competition.yaml").read_text())
        assert competition["phases"][0]["hide_score_output"] is competition["leaderboards"][0]["hidden"] is (show == "nothing")
        scores = json.loads((tmp_path / f"run_{show}/output/scores.json").read_text())
        assert all(value == round(value, 3) for value in scores.values())


def test_a_bundle_is_the_same_bytes_each_time(home, bundles, tmp_path):
    for platform in ("codabench", "grand-challenge"):
        again = made(home / "release", tmp_path / platform, platform, "phases")
        first = bundles[platform, "phases"]
        assert {one.relative_to(again): one.read_bytes() for one in _files(again)} == {
            one.relative_to(first): one.read_bytes() for one in _files(first)
        }


def test_participants_can_check_with_what_they_get(home, bundles, capsys):
    kit = bundles["codabench", "phases"] / "public/starting_kit"
    check = ["--ground-truth", str(kit / "frames.csv"), "--vocabulary", "cholect50", "--task", "phases"]
    assert cli.main(["submission", "check", str(home / "team_phases"), *check]) == 0
    assert cli.main(["submission", "check", str(kit / "sample_submission"), *check]) == 0


@pytest.mark.parametrize(
    ("code", "more", "says"),
    [
        (1, ["--split", "balance"], "did you mean 'balanced'"),
        (1, ["--subset", "hidden"], "no video is listed in the subset 'hidden'"),
        (1, ["--rank-by", "map"], "it is no column"),
        (2, ["--digits", "99"], "give 0 to 15"),
        (2, ["--starts", "2027-05-01", "--ends", "2027-04-01"], "name a later one by --ends"),
        (2, ["--test", "cholec8"], "did you mean"),
        (1, ["--vocabulary", "prostatd"], "no ground truth for phases in the vocabulary prostatd"),
    ],
)
def test_what_cannot_be_bundled_is_said_and_nothing_is_written(code, more, says, home, tmp_path, capsys):
    order = ["--for", "evalai", "--task", "phases", "--split", "balanced", "--subset", "test", "--out", str(tmp_path / "out")]
    assert cli.main(["challenge", "bundle", str(home / "release"), *order, *more]) == code
    assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_configuration_has_what_evalai_asks_for(bundles):
    config = yaml.safe_load((bundles["evalai", "phases"] / "challenge/challenge_config.yaml").read_text())
    with zipfile.ZipFile(bundles["evalai", "phases"] / "challenge_config.zip") as archive:
        names = set(archive.namelist())
    (phase,) = config["challenge_phases"]
    for key in ("description", "evaluation_details", "terms_and_conditions", "submission_guidelines", "evaluation_script", "image"):
        assert config[key] in names
    assert {phase["test_annotation_file"], phase["description"], "challenge_config.yaml"} <= names
    assert not [name for name in names if name.startswith("evaluation_script/")]


@pytest.mark.cases(1)
@pytest.mark.parametrize(("kind", "order"), [("calibration", "asc"), ("precision", "desc")])
def test_a_leaderboard_has_the_best_first_whether_less_or_more_is_better(kind, order, home, tmp_path):
    more = ["--variant", f"kind={kind}"]
    with zipfile.ZipFile(made(home / "release", tmp_path / "codabench", "codabench", "recognition", *more) / "competition.zip") as archive:
        competition = yaml.safe_load(archive.read("competition.yaml"))
    assert {column["sorting"] for board in competition["leaderboards"] for column in board["columns"]} == {order}
    evalai = made(home / "release", tmp_path / "evalai", "evalai", "recognition", *more)
    config = yaml.safe_load((evalai / "challenge/challenge_config.yaml").read_text())
    assert config["challenge_phase_splits"][0]["is_leaderboard_order_descending"] is (order == "desc")
    assert {one["sort_ascending"] for board in config["leaderboard"] for one in board["schema"]["metadata"].values()} == {order == "asc"}
    steps = (made(home / "release", tmp_path / "grand", "grand-challenge", "recognition", *more) / "README.md").read_text()
    assert f"{'less' if order == 'asc' else 'more'} is better" in steps


def test_the_competition_has_what_codabench_asks_for(bundles):
    with zipfile.ZipFile(bundles["codabench", "phases"] / "competition.zip") as archive:
        names = archive.namelist()
        competition = yaml.safe_load(archive.read("competition.yaml"))
    (task,) = competition["tasks"]
    folders = (task["scoring_program"], task["reference_data"], competition["phases"][0]["starting_kit"])
    assert all(any(name.startswith(f"{one}/") for name in names) for one in folders)
    assert {competition["image"], competition["terms"], *(page["file"] for page in competition["pages"])} <= set(names)
    assert "scoring_program/metadata.yaml" in names


@pytest.mark.slow
@pytest.mark.parametrize("platform", PROGRAM)
def test_the_programs_run_from_the_bundle_alone_without_this_checkout(platform, home, tmp_path, monkeypatch):
    monkeypatch.undo()
    order = ["--for", platform, "--task", "phases", "--split", "balanced", "--subset", "test", "--out", str(tmp_path / "out")]
    scrubin = [sys.executable, "-m", "scrubin", "challenge", "bundle", str(home / "release"), *order]
    subprocess.run(scrubin, check=True, capture_output=True)
    program = tmp_path / "out" / PROGRAM[platform]
    assert (program / "scrubin/base/vocabulary/lists/cholect50.json").is_file()
    # -I leaves out this checkout's folder and the user's; the program must find its own copy.
    if platform == "evalai":
        spec = importlib.util.spec_from_file_location(
            "evaluation_script", program / "__init__.py", submodule_search_locations=[str(program)]
        )
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "evaluation_script", module)
        spec.loader.exec_module(module)
        shutil.copytree(home / "team_phases", tmp_path / "team")
        output = module.evaluate(
            str(tmp_path / "out/challenge" / evalai.ANNOTATIONS), str(zipped(tmp_path / "team")), "test", submission_metadata={}
        )
        numbers = list(output["result"][0]["test_split"].values())
    elif platform == "codabench":
        shutil.copytree(tmp_path / "out" / TRUTH[platform], tmp_path / "input/ref")
        shutil.copytree(home / "team_phases", tmp_path / "input/res")
        command = [sys.executable, "-B", "-I", str(program / "score.py"), str(tmp_path / "input"), str(tmp_path / "output")]
        subprocess.run(command, check=True, env={"PATH": os.environ["PATH"]})
        numbers = list(json.loads((tmp_path / "output/scores.json").read_text()).values())
    else:
        inputs = jobs(tmp_path / "input", documents_of(home / "team_phases"))
        places = [str(inputs), str(tmp_path / "output"), str(program / "ground_truth")]
        subprocess.run([sys.executable, "-B", "-I", str(program / "process.py"), *places], check=False)
        subprocess.run([sys.executable, "-B", "-I", str(program / "evaluate.py"), *places], check=True)
        numbers = [one for one in json.loads((tmp_path / "output/metrics.json").read_text())["aggregates"].values() if one is not None]
    assert numbers
    assert set(numbers) <= set(by_command(home, "phases", home / "team_phases"))


def test_every_platform_has_its_module():
    assert [one.__name__.rpartition(".")[2] for one in bundle.MODULES.values()] == [name.replace("-", "_") for name in choices.PLATFORMS]


BARE = """
import importlib.metadata as m, sys
allowed = set(sys.argv[5].split(","))
barred = {name for name, of in m.packages_distributions().items() if not allowed & {d.lower() for d in of}}
class Barrier:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in barred:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Barrier())
from scrubin.evaluate.challenge import grand_challenge as g
sys.exit(g.run(*sys.argv[1:5]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_a_container_needs_no_other_package_than_its_requirements_name(task, home, bundles, tmp_path):
    folder = bundles["grand-challenge", task] / "evaluation"
    places = [str(folder), str(home / f"team_{task}"), str(tmp_path / task), str(folder / "ground_truth")]
    # What numpy, pandas and the others bring themselves.
    allowed = ",".join([*bundle_parts.NEEDED, "python-dateutil", "pytz", "six", "tzdata", "scrubin"])
    done = subprocess.run([sys.executable, "-c", BARE, *places, allowed], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_page_shows_no_more_than_the_organiser_wants(bundles):
    challenge = challenges.read(bundles["codabench", "phases"] / PROGRAM["codabench"])
    key = challenge.columns[0].key
    evaluation = ScoredSubmission(True, ("a <b>",), {key: 0.25}, {"thitsaisp": {key: 0.5}})
    whole = bundle_parts.result(replace(challenge, show="videos"), evaluation)
    assert "0.2500" in whole
    assert "0.5000" in whole
    assert "a &lt;b&gt;" in whole
    assert "0.2500" not in bundle_parts.result(replace(challenge, show="nothing"), replace(evaluation, videos={}))
    assert "undefined" in bundle_parts.result(challenge, replace(evaluation, scores={key: None}))


def test_a_declaration_of_training_data_is_told_and_the_submission_is_scored(home, tmp_path, capsys):
    out = made(home / "release", tmp_path / "out", "codabench", "phases", "--test", "cholect50/rdv:test")
    shutil.copytree(home / "team_phases", tmp_path / "team")
    (tmp_path / "team/training_data.yaml").write_text(
        "version: 1\ncomplete: yes\ntrained_until: unknown\ndatasets:\n- {name: cholec80/40-40, videos: train}\nweights: []\nown_data: []\n"
    )
    capsys.readouterr()
    assert codabench_run(out, tmp_path / "team", tmp_path / "run") == 0
    assert "line 5: cholec80/40-40: train: overlap (4 shared operations" in capsys.readouterr().out
    assert "--test cholect50/rdv:test" in (out / "public/starting_kit/training_data.yaml").read_text()


@pytest.mark.parametrize("task", ["recognition", "detection"])
def test_a_hidden_video_with_instruments_alone_is_not_asked_for_beside_those_with_triplets(task, tmp_path):
    hidden_releases.only_instruments(hidden_releases.release(tmp_path / "release"), hidden_releases.HIDDEN[1])
    bundled = made(tmp_path / "release", tmp_path / "bundle", "codabench", task)
    listed = (bundled / "public/starting_kit/frames.csv").read_text()
    assert hidden_releases.HIDDEN[0] in listed
    assert hidden_releases.HIDDEN[1] not in listed
    submitted = hidden_releases.submission(tmp_path / "team", task)
    (submitted / f"{hidden_releases.HIDDEN[1]}.json").unlink()
    on_codabench(bundled, submitted, tmp_path / "app")


@pytest.mark.parametrize("platform", ["codabench", "evalai"])
def test_a_file_of_another_task_is_told_at_home_as_on_a_platform_and_refuses_nothing(platform, home, bundles, tmp_path, capsys):
    submitted = tmp_path / "team"
    shutil.copytree(home / "team_phases", submitted)
    (submitted / f"{hidden_releases.HIDDEN[0]}.json").write_text("{}")
    challenge = challenges.read(bundles[platform, "phases"] / PROGRAM[platform])
    capsys.readouterr()
    faults = evaluation.checked(challenge, submitted).faults
    for truth in (home / "release", bundles[platform, "phases"] / "public/starting_kit/frames.csv"):
        more = ["--videos", ",".join(hidden_releases.HIDDEN), "--task", "phases", "--json"]
        assert cli.main(["submission", "check", str(submitted), "--ground-truth", str(truth), *more]) == 0
        assert json.loads(capsys.readouterr().out)["problems"] == [one.as_json() for one in faults]
    assert [(one.rule, one.severity) for one in faults] == [("task-other", "warning")]
    if platform == "codabench":
        on_codabench(bundles[platform, "phases"], submitted, tmp_path / "app")
