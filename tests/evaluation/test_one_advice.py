"""Frames that are numbered otherwise than in the ground truth get the same advice from every command."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from challenge_cases import WORDS, labels, scores, write, write_labels
from scrubin.cli import main

FRAMES = 40
RATES = "or say to 'scrubin score' the rate that files do not state: --fps for labels, --predictions-fps"
ADVICE = {
    "x 25": (lambda frame: 25 * frame, f"the numbers look like frames of a 25 fps video; divide every frame number by 25, {RATES}"),
    "+ 5": (lambda frame: frame + 5, "the numbers look shifted by +5; subtract 5 from every frame number"),
    "+ 1": (
        lambda frame: frame + 1,
        "the numbers look shifted by +1, as if frames were counted from 1; subtract 1 from every frame number",
    ),
    "missing": (
        lambda frame: frame if frame < 30 else None,
        "labelled, but not predicted: labels are numbered 0 to 39, predictions 0 to 29 (10 frames); predict every labelled frame",
    ),
    "at 25 fps": (
        lambda frame: range(25 * frame, 25 * frame + 25),
        "the predictions are numbered 25 times as far as the labels in every video (labels are numbered 0 to 39, predictions 0 to 999); "
        f"they seem to count at another rate: number frames as in the ground truth, {RATES}",
    ),
}


@pytest.fixture
def challenge(tmp_path):
    """Write labels, and predictions of all tasks at frames that a function changes."""
    truth = {"VID01": labels(1, FRAMES), "VID02": labels(2, FRAMES)}
    write_labels(tmp_path / "gt", truth)

    def made(change):
        documents, sheets = {}, {}
        for name, of in truth.items():
            values = scores(3, of, 1)
            frames = {at: np.atleast_1d(change(at)).tolist() for at in range(FRAMES) if change(at) is not None}
            documents[name] = {str(number): frame(values[at], of[at]) for at, numbers in frames.items() for number in numbers}
            sheets[name] = "".join(f"{number},{7 * at // FRAMES}\n" for at, numbers in frames.items() for number in numbers)
        write(tmp_path / "json", documents)
        (tmp_path / "csv").mkdir()
        for name, rows in sheets.items():
            (tmp_path / "csv" / f"{name}.csv").write_text("frame,phase_id\n" + rows)
        return tmp_path

    def frame(row, of):
        found = [{"triplet": int(one), "instrument": [WORDS.triplets[one][0], 0.9, 0.1, 0.2, 0.3, 0.4]} for one in np.flatnonzero(of)]
        return {"recognition": row.tolist(), "detection": found}

    return made


def said(capsys, *arguments):
    """Everything that a command prints, which must fail."""
    assert main([str(one) for one in arguments]) == 1
    printed = capsys.readouterr()
    return printed.out + printed.err


@pytest.mark.slow
@pytest.mark.parametrize("case", ADVICE)
def test_every_command_gives_the_same_advice(challenge, capsys, case):
    change, advice = ADVICE[case]
    folder = challenge(change)
    truth = ("--ground-truth", folder / "gt", "--from", "cholect50")
    for task, kind in (("recognition", "json"), ("detection", "json"), ("phases", "csv")):
        assert advice in said(capsys, "score", task, *truth, "--predictions", folder / kind)
        assert advice in said(capsys, "submission", "check", folder / kind, *truth)
        assert advice in said(capsys, "rank", folder / kind, *truth, "--metric", task)


def test_frames_without_a_label_stop_no_command(challenge, capsys):
    folder = challenge(lambda frame: [frame, 60] if frame == 39 else frame)
    truth, extra = ("--ground-truth", folder / "gt", "--from", "cholect50"), "frame 60: not labelled, so not counted; leave them out"
    for task, kind in (("recognition", "json"), ("detection", "json"), ("phases", "csv")):
        assert main(["score", task, *map(str, truth), "--predictions", str(folder / kind)]) == 0
        assert main(["rank", str(folder / kind), *map(str, truth), "--metric", task, "--resamples", "10"]) == 0
        printed = capsys.readouterr()
        assert extra in printed.err
        assert extra in printed.out
        assert f"deviation: VID01.{kind}, {extra}" in said(capsys, "submission", "check", folder / kind, *truth)


def test_an_instrument_that_is_not_that_of_its_triplet_is_told_by_every_command(challenge, capsys):
    folder = challenge(lambda frame: frame)
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
    folder = challenge(lambda frame: frame)
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
