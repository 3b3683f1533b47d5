"""What `scrubin score` and `convert` print for programs."""

import json

import numpy as np
import pytest

from score_runs import fault, good, sides
from scrubin import cli


@pytest.fixture
def study(tmp_path):
    """Three videos of phases, and predictions with a few wrong frames."""
    rng = np.random.default_rng(4)
    for video in ("VID01", "VID02", "VID03"):
        truth = np.repeat(np.arange(7), 4)
        wrong = np.where(rng.random(len(truth)) < 0.2, rng.integers(0, 7, len(truth)), truth)
        for folder, phases in (("truth", truth), ("found", wrong)):
            rows = [f"{frame},{phase}\n" for frame, phase in enumerate(phases.tolist())]
            path = tmp_path / folder / f"{video}.csv"
            path.parent.mkdir(exist_ok=True)
            path.write_text("frame,phase_id\n" + "".join(rows))
    return tmp_path


def test_what_is_printed_as_json_is_what_is_written(study, capsys):
    said = good(capsys, *sides(study, "phases", "--bootstrap", "3", "--json", "--out", study / "scores.json"))
    assert said.out == (study / "scores.json").read_text()
    assert json.loads(said.out)["metric"] == "phases"
    assert "scrubin score: " in said.err


def test_json_alone_is_the_same_and_everything_else_goes_to_stderr(study, capsys):
    good(capsys, *sides(study, "phases", "--out", study / "scores.json"))
    assert good(capsys, *sides(study, "phases", "--json")).out == (study / "scores.json").read_text()


def test_two_files_of_scores_and_known_differences_as_json(study, capsys):
    good(capsys, *sides(study, "phases", "--out", study / "one.json"))
    good(capsys, *sides(study, "phases", "--variant", "undefined=B", "--out", study / "other.json"))
    document = json.loads(good(capsys, "compare", study / "one.json", study / "other.json", "--json").out)
    assert (document["one"], document["other"]) == ("one.json", "other.json")
    assert any("undefined=B" in sentence for sentence in document["apart"])
    assert all(row["difference"] == 0 for row in document["results"] if row["one"] is not None)
    known = json.loads(good(capsys, "differences", "--json").out)["differences"]
    assert {one["metric"] for one in known} >= {"recognition", "detection", "phases"}


def test_known_differences_are_those_of_the_metrics_that_are_named(capsys):
    known = json.loads(good(capsys, "differences", "tracks", "errors", "--json").out)["differences"]
    assert {one["metric"] for one in known} == {"tracks", "errors"}
    assert good(capsys, "differences", "points").out == "points: no difference is known\n"
    assert "'track' is no metric; known are recognition, detection, tracks, points" in fault(capsys, "differences", "track", code=2)


def test_a_conversion_tells_as_json_what_was_written_and_lost(study, tmp_path, capsys):
    arguments = ["convert", study / "truth", "--to", "cholec80", "--out", tmp_path / "out", "--vocabulary", "cholec80", "--json"]
    assert cli.main([*map(str, arguments)]) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert sorted(document) == ["merged", "not_written", "read", "written"]
    # Cholec80 has a phase in every frame of its video, 25 per second.
    assert document["written"]["rows"]["phase"] == 25 * 84
    assert document["written"]["files"] == sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*"))
    assert document["read"]["files"] == 3
