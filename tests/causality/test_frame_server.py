"""The frame server: programs that keep to the protocol, and programs that do not."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import doc_blocks
from scrubin.evaluate.causality.clips import read
from scrubin.evaluate.causality.runs import MalformedError, serve
from scrubin.evaluate.causality.sandbox import Limits, Sandbox

PAGE = Path(__file__).parents[2] / "docs/causality.md"
START = "import json, sys, time\nvideo = json.loads(sys.stdin.buffer.readline())\n"
ANSWER = "frame = json.loads(sys.stdin.buffer.readline()); sys.stdin.buffer.read(frame['bytes'])\n"


@pytest.fixture
def client():
    """The example of the page."""
    (block,) = [block for block in doc_blocks.blocks(PAGE) if block.mark == "file" and block.reason == "client.py"]
    return block.text


@pytest.fixture
def serve_to(videos, tmp_path):
    """Hand a tiny video to a program, without the sandbox: what is tried here is the protocol."""
    clip = read("video0", videos / "video0", tmp_path / "clip", most=6, fps=Fraction(25), rng=np.random.default_rng(0))

    def of(program, wall_s=60.0):
        sandbox = Sandbox("none", tmp_path, (), Limits(wall_s=wall_s))
        return serve(sandbox, tmp_path / "run", (sys.executable, "-S", "-E", "-c", program), clip, [clip.path(k) for k in range(6)])

    return of


def test_the_example_of_the_page_answers_frame_by_frame_and_its_latency_is_measured(serve_to, client):
    served = serve_to(client)
    assert not served.ending.trouble, served.ending.log
    lines = served.files[".csv"].decode().splitlines()
    assert lines[0] == "frame,phase_id"
    assert [line.split(",")[0] for line in lines[1:]] == [str(frame) for frame in range(6)]
    assert len(served.seconds) == 6


def test_neither_the_length_nor_a_later_frame_is_known_before_the_answer(serve_to):
    look = "import os; os.set_blocking(0, False); time.sleep(0.2); sys.stderr.write(f'{video} {sys.stdin.buffer.peek()}')"
    served = serve_to(START + ANSWER + look)
    assert served.ending.trouble == "ended after 0 of 6 frames"
    assert served.ending.log == "{'protocol': 'scrubin-frames-1', 'width': 6, 'height': 4, 'fps': 25.0} b''"


@pytest.mark.slow
def test_a_program_that_waits_for_the_next_frame_before_it_answers_is_stopped(serve_to):
    served = serve_to(START + ANSWER + "sys.stdin.buffer.read(1)", wall_s=0.7)
    assert served.ending.trouble == "gave no answer for frame 0, without which it gets no further one, within 0.7 s and was stopped"


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (START + ANSWER + "print('loading weights', flush=True); time.sleep(9)", 'no JSON: "loading weights"'),
        (START + ANSWER + "print('{\"frame\": 1}', flush=True); time.sleep(9)", "the answer for frame 0 says that it is for frame 1"),
        (START + "for k in range(6):\n " + ANSWER + " print(json.dumps({'frame': k}), flush=True)\n", "no answer has a prediction"),
        (
            START + "for k in range(6):\n " + ANSWER + " print(json.dumps({'frame': k, 'phase_id': 0}), flush=True)\nprint('bye')",
            "more than",
        ),
    ],
)
def test_what_breaks_the_protocol_is_malformed_and_says_where(serve_to, program, why):
    with pytest.raises(MalformedError, match=why):
        serve_to(program)


def test_a_program_that_stops_in_the_middle_is_noticed(serve_to):
    program = START + ANSWER + "print(json.dumps({'frame': 0, 'phase_id': 0}), flush=True)"
    assert serve_to(program).ending.trouble == "ended after 1 of 6 frames"


@pytest.mark.slow
def test_the_example_of_the_page_is_causal_and_a_program_that_knows_its_answers_is_not_judged(trial, client):
    outcome = trial("", way="server", runs=4, command=(sys.executable, "-S", "-E", "-c", client))
    assert outcome.verdict.ruling == "causal"
    assert outcome.measured["latency"]["frames"] > 100
    stored = client.replace("int(sum(picture) / len(picture) / 256 * 7)", "len(picture) % 7")
    assert trial("", way="server", runs=4, command=(sys.executable, "-S", "-E", "-c", stored)).verdict.ruling == "not judged"
