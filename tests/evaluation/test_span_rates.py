"""Spans of time become frames at a rate: score, submission check and rank say which one they take where nobody named one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from label_examples import EXAMPLES
from score_runs import good, sides
from scrubin import cli
from verdict_cases import write_files

SAID = "spans of phases are taken at 1 frame per second, as no rate is named"


@pytest.fixture
def study(tmp_path):
    """Spans of 60 s, and a submission of two phases a second."""
    write_files(tmp_path / "truth", EXAMPLES["multibypass140"])
    rows = "".join(f"{frame},{'preparation' if frame < 107 else 'gastric pouch creation'}\n" for frame in range(120))
    write_files(tmp_path / "team", {"BBP01.csv": f"frame,phase\n{rows}".encode()})
    return tmp_path


def commands(study: Path, *more: str) -> dict[str, list[str]]:
    truth = ["--ground-truth", str(study / "truth"), *more]
    return {
        "score": ["score", "phases", *truth, "--predictions", str(study / "truth")],
        "submission check": ["submission", "check", str(study / "team"), *truth, "--task", "phases"],
        "rank": ["rank", str(study / "team"), *truth, "--metric", "phases"],
    }


def test_the_rate_that_nobody_named_is_said_by_all_three_in_the_same_words(study, capsys):
    for command, typed in commands(study).items():
        cli.main(typed)
        assert f"{SAID} (--fps)" in capsys.readouterr().err, command
    cli.main([*commands(study)["submission check"], "--json"])
    assert json.loads(capsys.readouterr().out)["ground_truth"]["notes"] == [f"{SAID} (--fps)"]


def test_a_rate_that_is_named_is_taken_and_nothing_is_said(study, capsys):
    for command, typed in commands(study, "--fps", "2").items():
        cli.main(typed)
        said = capsys.readouterr()
        assert f"{SAID} (--fps)" not in said.err, command
    cli.main([*commands(study, "--fps", "2")["submission check"], "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["frames"], found["problems"]) == (120, [])
    assert found["ground_truth"]["notes"] == []


def test_a_rate_that_contradicts_the_file_is_refused_by_all_three_in_the_same_words(tmp_path, capsys):
    label = {
        "scrubin_labels": 1,
        "vocabulary": "cholec80",
        "frames": 9,
        "fps": "25",
        "phases": [{"first": 0, "end": 9, "label": "Preparation"}],
    }
    write_files(tmp_path / "truth", {"a.labels.json": json.dumps(label).encode()})
    write_files(tmp_path / "team", {"a.csv": ("frame,phase_id\n" + "".join(f"{frame},0\n" for frame in range(9))).encode()})
    for command, typed in commands(tmp_path, "--fps", "5").items():
        assert cli.main(typed) == 1
        assert "the file of a states 25 frames per second, not 5; leave --fps" in capsys.readouterr().err, command
    for command, typed in commands(tmp_path).items():
        assert cli.main(typed) == 0, command


def test_predictions_in_spans_are_told_apart_from_labels(study, capsys):
    assert cli.main(commands(study, "--fps", "1")["score"]) == 0
    said = capsys.readouterr().err
    assert f"{SAID} (--predictions-fps)" in said
    assert f"{SAID} (--fps)" not in said


TWO_TIERS = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT FORMAT="3.0" VERSION="3.0"><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="s0" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="s1" TIME_VALUE="10000"/>
<TIME_SLOT TIME_SLOT_ID="s2" TIME_VALUE="20000"/><TIME_SLOT TIME_SLOT_ID="s3" TIME_VALUE="20200"/>
<TIME_SLOT TIME_SLOT_ID="s4" TIME_VALUE="20900"/></TIME_ORDER>{}</ANNOTATION_DOCUMENT>"""
TIER = (
    '<TIER TIER_ID="phase@{}"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="{}" TIME_SLOT_REF1="{}" TIME_SLOT_REF2="{}">'
    "<ANNOTATION_VALUE>{}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>"
)


@pytest.mark.slow
def test_what_spans_have_and_no_frame_has_is_said_by_score_and_by_validate(tmp_path, capsys):
    tiers = [
        ("A", "a1", "s0", "s1", "preparation"),
        ("B", "b1", "s0", "s2", "gallbladder dissection"),
        ("A2", "a2", "s3", "s4", "preparation"),
    ]
    for side in ("truth", "found"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.eaf").write_text(TWO_TIERS.format("".join(TIER.format(*tier) for tier in tiers)))
    overlap = "frames in which two phases overlap, of which the later counts: 10"
    between = "spans between two frames of the other rate: 1"
    told = good(capsys, *sides(tmp_path, "phases")).err
    for lost in (overlap, between):
        assert f"{tmp_path}/truth/a.eaf: ground truth: {lost}\n" in told
        assert f"{tmp_path}/found/a.eaf: predictions: {lost}\n" in told
    assert cli.main(["validate", str(tmp_path / "truth")]) == 0
    told = capsys.readouterr().out
    assert f"warning: a: {overlap}" in told
    assert f"warning: a: {between}" in told


def test_an_instrument_between_two_frames_is_said_too(tmp_path, capsys):
    for side in ("truth", "found"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "v1.csv").write_text("vocabulary,instrument,start_s,end_s\ncholect50,hook,0.2,0.9\ncholect50,grasper,1,4\n")
    told = good(capsys, *sides(tmp_path, "recognition", "--predictions-from", "spans")).err
    assert f"{tmp_path}/truth/v1.csv: ground truth: spans between two frames of the other rate: 1\n" in told
    (tmp_path / "found/v1.csv").write_text("vocabulary,instrument,start_s,end_s\ncholect50,grasper,1,4\n")
    told = good(capsys, *sides(tmp_path, "recognition", "--predictions-from", "spans")).err
    assert f"{tmp_path}/truth/v1.csv: spans between two frames of the other rate: 1\n" in told
    assert cli.main(["validate", str(tmp_path / "truth")]) == 0
    assert "warning: v1: spans between two frames of the other rate: 1" in capsys.readouterr().out
