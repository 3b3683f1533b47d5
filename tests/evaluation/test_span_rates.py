"""Spans of time become frames at a rate: score, submission check and rank say which one they take where nobody named one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from label_examples import EXAMPLES
from score_runs import good, put, sides
from scrubin import cli

pytestmark = pytest.mark.usefixtures("own_judge")
SAID = "spans of phases are taken at 1 frame per second, as no rate is named"


@pytest.fixture
def study(tmp_path):
    """Spans of 60 s, and a submission of two phases a second."""
    rows = "".join(f"{frame},{'preparation' if frame < 107 else 'gastric pouch creation'}\n" for frame in range(120))
    return put(tmp_path, truth=EXAMPLES["multibypass140"], team={"BBP01.csv": f"frame,phase\n{rows}"})


def commands(study: Path, *more: str) -> dict[str, list[str]]:
    truth = ["--ground-truth", str(study / "truth"), *more]
    return {
        "score": ["score", "phases", *truth, "--predictions", str(study / "truth")],
        "submission check": ["submission", "check", str(study / "team"), *truth, "--task", "phases"],
        "rank": ["rank", str(study / "team"), *truth, "--metric", "phases"],
    }


@pytest.mark.parametrize("rate", [(), ("--fps", "2")])
def test_a_rate_that_nobody_named_is_said_by_all_three_in_the_same_words_and_one_that_is_named_is_taken(study, capsys, rate):
    for command, typed in commands(study, *rate).items():
        cli.main(typed)
        assert (f"{SAID} (--fps)" in capsys.readouterr().err) is not bool(rate), command
    cli.main([*commands(study, *rate)["submission check"], "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["ground_truth"]["notes"] == ([] if rate else [f"{SAID} (--fps)"])
    assert not rate or (found["frames"], found["problems"]) == (120, [])


def test_a_rate_that_contradicts_the_file_is_refused_by_all_three_in_the_same_words(tmp_path, capsys):
    phases = [{"first": 0, "end": 9, "label": "Preparation"}]
    label = {"scrubin_labels": 1, "vocabulary": "cholec80", "frames": 9, "fps": "25", "phases": phases}
    rows = "frame,phase_id\n" + "".join(f"{frame},0\n" for frame in range(9))
    put(tmp_path, truth={"a.labels.json": label}, team={"a.csv": rows})
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


def test_spans_beside_frames_of_a_rate_that_is_no_whole_number_are_taken_at_these_frames(tmp_path, capsys):
    edges, ends = (0, 90, 180, 210, 270, 360), "start_s,end_s,phase\n"
    spans = ends + "".join(f"{edges[at] * 1.001 / 30:.3f},{edges[at + 1] * 1.001 / 30:.3f},{name}\n" for at, name in enumerate("abcde"))
    frames = "frame,phase\n" + "".join(f"{frame},{'abcde'[sum(frame >= edge for edge in edges[1:])]}\n" for frame in range(360))
    for truth, found, option in ((spans, frames, "--predictions-fps"), (frames, spans, "--fps")):
        put(tmp_path, truth={"v.csv": truth}, found={"v.csv": found})
        said = good(capsys, *sides(tmp_path, "phases", option, "30000/1001", "--json"))
        assert json.loads(said.out)["results"][0]["overall"]["value"] == 1.0
        assert "spans of phases are taken at 30000/1001 frames per second, as the other side has" in said.err


TWO_TIERS = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT FORMAT="3.0" VERSION="3.0"><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="s0" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="s1" TIME_VALUE="10000"/>
<TIME_SLOT TIME_SLOT_ID="s2" TIME_VALUE="20000"/><TIME_SLOT TIME_SLOT_ID="s3" TIME_VALUE="20200"/>
<TIME_SLOT TIME_SLOT_ID="s4" TIME_VALUE="20900"/></TIME_ORDER>{}</ANNOTATION_DOCUMENT>"""
TIER = (
    '<TIER TIER_ID="phase {}"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="{}" TIME_SLOT_REF1="{}" TIME_SLOT_REF2="{}">'
    "<ANNOTATION_VALUE>{}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>"
)


@pytest.mark.slow
def test_what_spans_have_and_no_frame_has_is_said_by_score_and_by_validate(tmp_path, capsys):
    tiers = [
        ("A", "a1", "s0", "s1", "preparation"),
        ("B", "b1", "s0", "s2", "gallbladder dissection"),
        ("A2", "a2", "s3", "s4", "preparation"),
    ]
    of_side = {"a.eaf": TWO_TIERS.format("".join(TIER.format(*tier) for tier in tiers))}
    told = good(capsys, *sides(put(tmp_path, truth=of_side, found=of_side), "phases")).err
    assert cli.main(["validate", str(tmp_path / "truth")]) == 0
    by_validate = capsys.readouterr().out
    for lost in ("frames in which two phases overlap, of which the later counts: 10", "spans between two frames of the other rate: 1"):
        assert f"{tmp_path}/truth/a.eaf: ground truth: {lost}\n" in told
        assert f"{tmp_path}/found/a.eaf: predictions: {lost}\n" in told
        assert f"warning: a: {lost}" in by_validate


def test_an_instrument_between_two_frames_is_said_too(tmp_path, capsys):
    head, hook, grasper = "vocabulary,instrument,start_s,end_s\n", "cholect50,hook,0.2,0.9\n", "cholect50,grasper,1,4\n"
    run = sides(tmp_path, "recognition", "--predictions-from", "spans")
    for found, of in ((head + hook + grasper, "ground truth: "), (head + grasper, "")):
        put(tmp_path, truth={"v1.csv": head + hook + grasper}, found={"v1.csv": found})
        assert f"{tmp_path}/truth/v1.csv: {of}spans between two frames of the other rate: 1\n" in good(capsys, *run).err
    assert cli.main(["validate", str(tmp_path / "truth")]) == 0
    assert "warning: v1: spans between two frames of the other rate: 1" in capsys.readouterr().out
