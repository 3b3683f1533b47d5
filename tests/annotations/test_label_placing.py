from fractions import Fraction

import numpy as np
import pandas as pd

from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels.model import Clock, Labels, Layer
from scrubin.stages.annotations.placing import place, timeline


def test_frames_that_are_the_same_picture_have_the_same_label():
    # Nothing was recorded between 29.005 and 31.304 s: frames 30 and 31 are one picture.
    times = np.array([29.005, 31.304, 31.304, 32.002, 33.002])
    line = timeline(
        np.arange(29, 34), times, np.array([870, 900, 900, 914, 944]), offset_s=Fraction(0), duration_s=34.0,
        first_source_frame=0, frame_count=970,
    )  # fmt: skip
    seconds = np.arange(29, 34)
    layer = Layer("a.json", seconds, pd.DataFrame({"position": seconds, "phase_id": [0, 1, 2, 3, 4]}))
    labels = Labels("r", "cholect50", load("cholect50"), Clock(Fraction(1)), phases=layer)
    found = place(labels, layer, line)
    assert found.frames.tolist() == [29, 30, 31, 32, 33]
    assert dict(zip(found.rows["frame"], found.rows["phase_id"], strict=True)) == {29: 0, 30: 2, 31: 2, 32: 3, 33: 4}


def test_each_frame_has_its_own_label_where_nothing_repeats():
    line = timeline(
        np.arange(3), np.arange(3.0), np.arange(3) * 25, offset_s=Fraction(0), duration_s=3.0, first_source_frame=0, frame_count=75
    )
    layer = Layer("a.json", np.arange(3), pd.DataFrame({"position": [0, 2], "phase_id": [5, 6]}))
    labels = Labels("r", "cholect50", load("cholect50"), Clock(Fraction(1)), phases=layer)
    found = place(labels, layer, line)
    assert found.frames.tolist() == [0, 1, 2]
    assert found.rows["frame"].tolist() == [0, 2]
