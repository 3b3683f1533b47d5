"""Calibrations of stereo rigs in a release: what may stand in them, and where they are explained."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd

from scrubin.audit.expected import private_strings
from scrubin.base.files import write_text
from scrubin.base.tables.public import public_tables
from scrubin.media.rigs import written_rig
from scrubin.stages.release.metadata import readme, record_sets
from scrubin.stages.stereo import drawing
from toy_release import IDS, PARAMS

RIG = replace(drawing.rig(np.random.default_rng(1)), date="2023-04-17")


def test_a_calibration_is_no_finding_and_one_with_a_day_is(release):
    (path,) = documents = written_rig.documents({"UniKlinikum Nordstadt 2": RIG}, dict.fromkeys(IDS, "UniKlinikum Nordstadt 2"))
    assert release.rules_after(lambda: write_text(release.folder / path, documents[path])) == set()
    raw = written_rig.text(RIG)
    assert release.rules_after(lambda: write_text(release.folder / path, raw)) == {"private-string"}


def test_of_a_rigs_name_the_whole_is_private_and_its_words_are_not():
    rigs = pd.DataFrame({"rig": ["Laparoskop Haus B", "endoscope 2"]})
    needles = {one.text for one in private_strings.of_tables([rigs], [], []).needles}
    assert needles == {"Laparoskop Haus B", "endoscope 2"}


def test_a_release_without_calibrations_says_nothing_of_them_and_one_with_them_explains_every_key():
    videos = pd.DataFrame({"id": ["a"], "task": ["Peg"], "duration_s": [1.0]})
    frames = pd.DataFrame({"path": ["frames/Peg/left/a/000000.jpg"], "dropped": [False]})
    text = readme.readme_text(PARAMS, videos, frames, Fraction(1), "Nobody.")
    assert "calibration" not in text + readme.dictionary_text(public_tables(()))
    assert "`calibration/rig_<n>.yaml`" in readme.readme_text(PARAMS, videos, frames, Fraction(1), "Nobody.", calibrated=True)
    said = readme.dictionary_text(public_tables(()), calibrated=True)
    keys = {line.partition(":")[0] for line in written_rig.text(replace(RIG, recordings=("a",))).splitlines()[3:] if line[0].isalpha()}
    assert len(keys) == 13
    assert all(f"`{key}`" in said for key in keys)
    (files,) = record_sets.file_sets({"calibration/rig_1.yaml": "0"})
    assert files["includes"] == "calibration/*.yaml"
