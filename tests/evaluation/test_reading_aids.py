"""Odd numbers among scores are explained where they are printed."""

from __future__ import annotations

import json
import re

import pytest

from score_runs import good, sides

HEAD = "frame,phase_id\n"


@pytest.fixture
def one_video(tmp_path):
    """A phase that is labelled for two frames at a border, and predicted as its neighbour: excused, and never predicted."""
    for folder, phases in (("truth", [0] * 20 + [1] * 2 + [2] * 20), ("found", [0] * 21 + [2] * 21)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.csv").write_text(HEAD + "".join(f"{frame},{phase}\n" for frame, phase in enumerate(phases)))
    return tmp_path


def test_infinite_relaxed_precision_is_explained_with_the_alternatives(one_video, capsys):
    said = good(capsys, *sides(one_video, "phases", "--vocabulary", "cholec80", "--fps", "1"))
    assert "inf" in said.out
    assert re.search(r"relaxed precision( and recall)? above 1: by definition", said.err)
    calm = good(capsys, *sides(one_video, "phases", "--vocabulary", "cholec80", "--fps", "1", "--variant", "counted=own"))
    assert "above 1" not in calm.err


def test_deviations_of_one_value_are_counted_and_written_but_not_printed(one_video, capsys):
    out = one_video / "scores.json"
    said = good(capsys, *sides(one_video, "phases", "--vocabulary", "cholec80", "--out", out))
    assert "statistic=SD over videos" not in said.out
    assert "standard deviations of one video or one run: undefined, so not shown; --out has them as null" in said.err
    written = [one for one in json.loads(out.read_text())["results"] if one["options"].get("statistic") == "SD over videos"]
    assert written
    assert all(one["overall"] == {"value": None, "n": 1} for one in written)
