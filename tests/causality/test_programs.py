"""Programs that are really run: honest ones pass, what looks ahead is seen, and what cannot be judged is not."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from scrubin.base.errors import MetricsError
from scrubin.cli import main
from scrubin.evaluate.causality.clips import write

PROGRAM = Path(__file__).parent / "programs/program.py"


@pytest.mark.slow
def test_a_look_ahead_of_one_frame_is_seen_in_one_run_and_told_in_seconds(trial, videos):
    cheat = trial("off-by-one", runs=1, folder=videos / "video0", fps=Fraction(2))
    assert cheat.verdict.ruling == "not causal"
    assert cheat.document["look_ahead"] == {"frames": 1, "seconds": 0.5, "lower_bound": True, "whole_video": False, "length_only": False}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("crash", "ended with exit code 1"),
        ("hang", "did not end within 0.5 s"),
        ("malformed", "no submission: <video>.json: is cut off"),
        ("write-to-input", "ended with exit code 1"),
    ],
)
def test_a_program_that_fails_is_not_judged_and_says_why(trial, videos, kind, why):
    outcome = trial(kind, folder=videos / "video1", wall_s=0.5 if kind == "hang" else 60)
    assert outcome.verdict.ruling == "not judged"
    assert why in outcome.verdict.reason
    assert outcome.document["failures"]


@pytest.mark.slow
def test_the_network_cannot_be_reached(trial, videos, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setenv("ANSWERS_PORT", str(listener.getsockname()[1]))
        outcome = trial("networked", folder=videos / "video0")
    assert "no answers without the network" in outcome.measured["last_words"][0]


def test_a_command_without_its_placeholders_is_refused(trial):
    with pytest.raises(MetricsError, match=r"write \{input\} and \{output\}"):
        trial("", command=(sys.executable, "{input}"))
    with pytest.raises(MetricsError, match="hands frames to the program itself"):
        trial("", command=(sys.executable, "{input}"), way="server")
    with pytest.raises(MetricsError, match="no such program"):
        trial("", command=("predict-phases", "{input}", "{output}"))


def test_a_program_among_the_videos_is_refused_because_they_are_hidden(trial, tmp_path, videos):
    (tmp_path / "frames").symlink_to(videos / "video0")
    program = tmp_path / "predict.py"
    program.write_text("")
    with pytest.raises(MetricsError, match="move the program"):
        trial("", folder=tmp_path, command=(sys.executable, str(program), "{input}", "{output}"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["per-frame", "smoothed", "running-normalised", "float-noise", "length-counted", "cheat-on-input"])
def test_honest_programs_are_not_accused(trial, kind):
    outcome = trial(kind)
    assert outcome.verdict.ruling == "causal", outcome.verdict.reason
    assert outcome.document["isolation"]["means"] != "none"


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "ahead"), [("ahead-by-5", 5), ("centred", 2)])
def test_a_look_ahead_is_measured_in_frames(trial, kind, ahead):
    outcome = trial(kind)
    assert outcome.verdict.ruling == "not causal"
    assert outcome.verdict.look_ahead == ahead
    assert all(of["look_ahead_frames"] in (ahead, None) for of in outcome.document["kinds"].values())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["whole-normalised", "remembered-by-content", "remembered-by-name"])
def test_what_needs_the_whole_video_is_seen_also_when_it_would_remember(trial, kind):
    outcome = trial(kind, runs=12)
    assert outcome.verdict.ruling == "not causal"
    assert outcome.verdict.whole_video
    assert not list(PROGRAM.parent.glob("*.json"))


@pytest.mark.slow
def test_the_length_of_a_video_is_future_knowledge(trial):
    outcome = trial("length-used", runs=16)
    assert (outcome.verdict.ruling, outcome.verdict.length_only) == ("not causal", True)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "ruling"), [("by-chance", "not repeatable"), ("constant", "not judged")])
def test_what_cannot_be_judged_is_neither_passed_nor_accused(trial, kind, ruling):
    assert trial(kind).verdict.ruling == ruling


@pytest.mark.slow
def test_videos_are_handed_out_as_files_too(trial, tmp_path):
    program = tmp_path / "predict.py"
    program.write_text(
        "import sys, pathlib, cv2\n"
        "source, target = map(pathlib.Path, sys.argv[1:])\n"
        "video, rows = cv2.VideoCapture(str(source)), ['frame,phase_id']\n"
        "while (read := video.read())[0]: rows.append(f'{len(rows) - 1},{int(read[1].mean() / 40)}')\n"
        "(target / f'{source.stem}.csv').write_text('\\n'.join(rows) + '\\n')\n"
    )
    outcome = trial("", runs=4, way="video", command=(sys.executable, str(program), "{input}", "{output}"), vocabulary_name="cholec80")
    assert outcome.verdict.ruling == "causal", outcome


@pytest.mark.slow
def test_the_command_prints_writes_and_ends_with_its_verdict(videos, tmp_path, capsys):
    def end(kind, *options):
        program = [sys.executable, "-S", "-E", str(PROGRAM), kind, "{input}", "{output}"]
        return main(["submission", "causality", str(videos), "--fps", "25", "--runs", "4", *options, "--", *program])

    assert end("per-frame") == 0
    assert capsys.readouterr().out.startswith("causal: no answer before a change moved, in 4 runs")
    documents = [tmp_path / name for name in ("one.json", "two.json")]
    for path in documents:
        assert end("ahead-by-5", "--out", str(path)) == 1
    assert "smallest look-ahead that explains what was seen: 5 frames, 0.2 s" in capsys.readouterr().out
    assert documents[0].read_bytes() == documents[1].read_bytes()
    assert json.loads((tmp_path / "one.measured.json").read_text())["latency"] is None
    assert end("crash", "--json") == 1
    assert json.loads(capsys.readouterr().out)["measured"]["last_words"] == ["out of memory, or so\n"]


@pytest.mark.slow
def test_where_nothing_isolates_it_refuses_and_without_isolation_calls_nothing_causal(videos):
    """The kernel is asked to refuse namespaces, in a namespace of our own."""
    limits = "for kind in user mnt; do echo 0 > /proc/sys/user/max_${kind}_namespaces; done"
    command = [sys.executable, "-m", "scrubin", "submission", "causality", str(videos / "video0"), "--runs", "4"]
    program = ["--", sys.executable, "-S", "-E", str(PROGRAM), "per-frame", "{input}", "{output}"]

    def end(*options):
        shell = ["unshare", "-r", "sh", "-c", f'{limits}; exec "$@"', "sh", *command, *options, *program]
        return subprocess.run(shell, capture_output=True, text=True, check=False, timeout=100)

    refused = end()
    assert refused.returncode == 1
    assert "nothing here isolates a program" in refused.stderr
    without = end("--without-isolation")
    assert without.returncode == 1
    assert without.stdout.startswith("not judged: it ran without isolation")
    assert "isolation: NONE" in without.stdout


@pytest.mark.slow
def test_frames_of_two_sizes_and_videos_that_are_too_short_are_refused(trial, tmp_path):
    for frame, side in enumerate((4, 4, 5)):
        write(tmp_path / f"{frame}.png", np.zeros((side, 4, 3), np.uint8))
    with pytest.raises(MetricsError, match="frame 2 has 4 x 5 pixels"):
        trial("per-frame", folder=tmp_path)
    (tmp_path / "2.png").unlink()
    with pytest.raises(MetricsError, match="2 frames: too few"):
        trial("per-frame", folder=tmp_path)


@pytest.mark.slow
def test_videos_that_are_links_are_hidden_where_they_really_lie(trial, videos, tmp_path):
    (tmp_path / "links").mkdir()
    (tmp_path / "links/video").symlink_to(videos / "video0")
    peeking = f'ls "{videos / "video0"}" >&2; exit 1 {{input}} {{output}}'
    outcome = trial("", folder=tmp_path / "links", command=("sh", "-c", peeking))
    assert "exit code 1" in outcome.verdict.reason
    assert not outcome.measured["last_words"]


def test_what_is_to_be_hidden_must_be_there(trial, tmp_path):
    with pytest.raises(MetricsError, match="correct --hide"):
        trial("per-frame", hidden=(tmp_path / "labels",))
