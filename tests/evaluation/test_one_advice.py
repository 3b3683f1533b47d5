"""Frames that are numbered otherwise than in the ground truth get the same advice from every command."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

from challenge_cases import detected, document, labels, scores, write, write_labels
from scrubin.cli import main

FRAMES = 40
COMMANDS = (("recognition", "json"), ("detection", "json"), ("phases", "csv"))


@pytest.fixture
def challenge(tmp_path):
    """Write labels, and predictions of all tasks, in which a function of a frame says as which frames it is predicted."""
    truth = {"VID01": labels(1, FRAMES), "VID02": labels(2, FRAMES)}
    write_labels(tmp_path / "gt", truth)

    def made(as_frames=lambda frame: [frame]):
        (tmp_path / "csv").mkdir()
        for name, of in truth.items():
            values, boxes = document(scores(3, of, 1)), detected(of)
            at_frames = [(number, at) for at in range(FRAMES) for number in as_frames(at)]
            write(tmp_path / "json", {name: {str(number): values[str(at)] | boxes[str(at)] for number, at in at_frames}})
            rows = "".join(f"{number},{7 * at // FRAMES}\n" for number, at in at_frames)
            (tmp_path / "csv" / f"{name}.csv").write_text(f"frame,phase_id\n{rows}")
        return tmp_path

    return made


def said(capsys, *arguments):
    """Everything that a command prints, which must fail."""
    assert main([str(one) for one in arguments]) == 1
    printed = capsys.readouterr()
    return printed.out + printed.err


@pytest.mark.slow
def test_every_command_gives_the_same_advice(challenge, capsys):
    folder = challenge(lambda frame: [25 * frame])
    truth = ("--ground-truth", folder / "gt", "--from", "cholect50")
    advice = (
        "the numbers look like frames of a 25 fps video; divide every frame number by 25, "
        "or say to 'scrubin score' the rate that files do not state: --fps for labels, --predictions-fps"
    )
    for task, kind in COMMANDS:
        assert advice in said(capsys, "score", task, *truth, "--predictions", folder / kind)
        assert advice in said(capsys, "submission", "check", folder / kind, *truth)
        assert advice in said(capsys, "rank", folder / kind, *truth, "--metric", task)


def test_predictions_beyond_the_labels_are_held_to_the_length_of_the_released_film(tmp_path, capsys):
    home, team = tmp_path / "release", tmp_path / "team"
    for folder in (home / "groundtruth/cholect50/phases", home / "tables", team):
        folder.mkdir(parents=True)
    for path, count in ((home / "groundtruth/cholect50/phases/VID01.csv", 30), (team / "VID01.csv", 100)):
        path.write_text("frame,phase_id\n" + "".join(f"{frame},{7 * frame // 100}\n" for frame in range(count)))
    (home / "groundtruth/manifest.json").write_text('{"frame_contract": "", "frames_per_second": "1", "files": {}}')
    typed = ["submission", "check", str(team), "--ground-truth", str(home), "--task", "phases"]
    asks = (
        "go on 3.333 times as far as the labels (labels are numbered 0 to 29, predictions 0 to 99), and nothing says that both count alike"
    )
    assert f"{asks}; number frames as in the ground truth; if they are, leave out those behind" in said(capsys, *typed)
    for film, told in ((100, ""), (50, "frames 50-99: cannot exist: the released film has 50 frames")):
        pd.DataFrame({"id": "VID01", "frame": range(film)}).to_parquet(home / "tables/frames.parquet")
        printed = said(capsys, *typed)  # what is not labelled is told
        assert ("cannot exist" in printed, told in printed) == (bool(told), True)
        assert ("0 errors" in printed) is not bool(told)
    score = ["score", "phases", "--ground-truth", str(home), "--predictions", str(team)]
    assert told in said(capsys, *score)
    pd.DataFrame({"id": "VID01", "frame": range(100)}).to_parquet(home / "tables/frames.parquet")
    assert main(score) == 0


def test_frames_without_a_label_stop_no_command(challenge, capsys):
    folder = challenge(lambda frame: [frame, 60] if frame == 39 else [frame])
    truth, extra = ("--ground-truth", folder / "gt", "--from", "cholect50"), "frame 60: not labelled, so not counted; leave them out"
    for task, kind in COMMANDS:
        assert main(["score", task, *map(str, truth), "--predictions", str(folder / kind)]) == 0
        assert main(["rank", str(folder / kind), *map(str, truth), "--metric", task, "--resamples", "10"]) == 0
        printed = capsys.readouterr()
        assert extra in printed.err
        assert extra in printed.out
        assert f"deviation: VID01.{kind}, {extra}" in said(capsys, "submission", "check", folder / kind, *truth)


def test_an_instrument_that_is_not_that_of_its_triplet_is_told_by_every_command(challenge, capsys):
    folder = challenge()
    name = folder / "json/VID01.json"
    document = json.loads(name.read_text())
    apart = next(one for frame in document.values() for one in frame["detection"])
    apart["instrument"][0] = (apart["instrument"][0] + 1) % 6
    name.write_text(json.dumps(document))
    truth, told = ("--ground-truth", str(folder / "gt")), "the instrument is not that of the triplet, which is read as written"
    assert main(["score", "detection", *truth, "--predictions", str(folder / "json")]) == 0
    assert told in capsys.readouterr().err
    assert re.search(f"deviation: VID01.json, frame [0-9]+: {told}", said(capsys, "submission", "check", folder / "json", *truth))
    assert main(["rank", str(folder / "json"), *truth, "--metric", "detection", "--resamples", "10"]) == 0
    assert told in "".join(capsys.readouterr())


def test_a_video_without_ground_truth_does_not_count_in_any_command(challenge, capsys):
    folder = challenge()
    (folder / "json/VID07.json").write_bytes((folder / "json/VID01.json").read_bytes())
    extra = "VID07.json: the video has no ground truth, so it does not count; leave it out"
    assert main(["submission", "check", str(folder / "json"), "--ground-truth", str(folder / "gt"), "--json"]) == 1
    checked = json.loads(capsys.readouterr().out)
    assert checked["scorable"]
    (problem,) = [one for one in checked["problems"] if one["severity"] != "warning"]
    assert (problem["rule"], problem["severity"], problem["file"]) == ("video-extra", "deviation", "VID07.json")
    arguments = ["score", "recognition", "--ground-truth", str(folder / "gt"), "--predictions", str(folder / "json")]
    assert main([*arguments, "--out", str(folder / "out.json")]) == 0
    assert extra in capsys.readouterr().err
    (fault,) = [one for one in json.loads((folder / "out.json").read_text())["faults"] if one["rule"] == "video-extra"]
    shared = ("rule", "severity", "file", "what")
    assert [fault[key] for key in shared] == [problem[key] for key in shared]
    assert main(["rank", str(folder / "json"), "--ground-truth", str(folder / "gt")]) == 0
    assert "the video has no ground truth, so it does not count" in "".join(capsys.readouterr())
