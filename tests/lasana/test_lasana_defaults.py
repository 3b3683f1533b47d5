from __future__ import annotations

from pathlib import Path

from scrubin.base import params
from scrubin.ratings.params import LASANA, ScoresParams


def test_the_defaults_of_the_command_are_the_shipped_parameters():
    assert params.load("scores", ScoresParams, Path(__file__).parents[2] / "params.yaml") == LASANA
