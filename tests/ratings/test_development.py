"""Development over trials: numbers for the curator, in a private file and nowhere else."""

import json
import math
from pathlib import Path

import pandas as pd
import pytest
import yaml

from scrubin.stages.scores import development

ROOT = Path(__file__).parents[2]


def study(rows):
    """Skill, recordings and linkage from rows of id, task, trial and GRS."""
    skill = pd.DataFrame([(id_, task, grs) for id_, task, _, grs in rows], columns=["id", "task", "GRS"]).astype({"GRS": float})
    both = [(f"raw {id_}", trial, camera) for id_, _, trial, _ in rows for camera in ("left", "right")]
    linkage = pd.DataFrame({"recording": [f"raw {row[0]}" for row in rows], "id": [row[0] for row in rows]})
    return skill, pd.DataFrame(both, columns=["recording", "trial", "camera"]), linkage


ROWS = [("a", "Knot", "2", 1.0), ("b", "Knot", "10", 3.0), ("c", "Knot", "10", 4.0), ("d", "Knot", "10", 8.0), ("e", "Knot", "2", math.nan)]


def test_each_trial_has_its_count_mean_spread_and_quartiles_in_order():
    found = development(*study(ROWS))["tasks"]["Knot"]
    assert [tuple(row) for row in found] == [("trial", "recordings", "n", "mean", "sd", "lower_quartile", "median", "upper_quartile")] * 2
    assert [tuple(row.values()) for row in found] == [
        ("2", 2, 1, 1.0, None, 1.0, 1.0, 1.0),
        ("10", 3, 3, 5.0, pytest.approx(7**0.5), 3.5, 4.0, 6.0),
    ]


def test_recordings_without_a_trial_come_last_and_are_not_dropped():
    found = development(*study([*ROWS, ("f", "Knot", None, -1.0), ("g", "Peg", None, math.nan)]))["tasks"]
    assert [(row["trial"], row["n"]) for row in found["Knot"]] == [("2", 1), ("10", 3), (None, 1)]
    assert found["Peg"] == [
        {"trial": None, "recordings": 1, "n": 0, **dict.fromkeys(("mean", "sd", "lower_quartile", "median", "upper_quartile"))}
    ]


def test_names_of_trials_need_be_no_numbers():
    rows = [(f"v{i}", "Knot", trial, 0.0) for i, trial in enumerate(["post", "T10", "T9", "pre"])]
    assert [row["trial"] for row in development(*study(rows))["tasks"]["Knot"]] == ["T9", "T10", "post", "pre"]


def test_a_study_without_ratings_has_no_development():
    assert development(*study([]))["tasks"] == {}


def test_the_order_of_rows_is_irrelevant():
    skill, recordings, linkage = study(ROWS)
    mixed = [frame.sample(frac=1, random_state=3) for frame in (skill, recordings, linkage)]
    assert json.dumps(development(*mixed)) == json.dumps(development(skill, recordings, linkage))


def test_the_file_is_private_and_never_pushed():
    assert development(*study([]))["audience"].startswith("private")
    outs = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]["scores"]["outs"]
    assert {"data/private/development.json": {"push": False}} in outs
