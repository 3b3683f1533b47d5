"""Calibrations are compared by recording and by their numbers: what a rig is called says nothing."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import version_pairs
from scrubin.base.files import write_text
from scrubin.data.diff import Step
from scrubin.data.diff.comparison import compare
from scrubin.media.rigs import written_rig
from scrubin.stages.stereo import drawing

RIGS = {name: drawing.rig(np.random.default_rng(seed)) for seed, name in enumerate(("one", "other", "third"))}


@pytest.fixture
def pair(old, tmp_path):
    """Two releases of the same recordings, whose rigs are given by the curator's names of them."""

    def build(before, after, rigs=RIGS):
        folders = []
        for name, rig_of in (("before", before), ("after", after)):
            folder = Path(shutil.copytree(old, tmp_path / name))
            for path, text in written_rig.documents(RIGS if name == "before" else rigs, rig_of).items():
                write_text(folder / path, text)
            folders.append(version_pairs.seal(folder))
        return [(one.what, one.change, one.count, one.step) for one in compare(*folders).differences]

    return build


def test_a_recording_more_is_an_addition_also_where_rigs_get_other_numbers(pair):
    more = pair({"abelo": "one"}, {"abelo": "one", "borunga": "one", "cimeto": "other", "dovanu": "third"})
    assert more == [("calibration/", "added", 3, Step.MINOR)]


def test_other_numbers_and_a_calibration_that_is_gone_are_changes_of_their_recordings(pair):
    turned = {**RIGS, "one": replace(RIGS["one"], translation=RIGS["one"].translation * 1.001)}
    assert pair({"abelo": "one", "borunga": "one", "cimeto": "other"}, {"abelo": "one", "borunga": "one"}, turned) == [
        ("calibration/", "changed", 2, Step.MAJOR),
        ("calibration/", "removed", 1, Step.MAJOR),
    ]
