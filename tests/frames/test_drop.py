from __future__ import annotations

from dataclasses import fields, replace
from fractions import Fraction

import pandas as pd
import pytest

from scrubin.base import params
from scrubin.base.errors import ParamsError
from scrubin.stages.frames.frame_params import NOTHING, DropParams, FramesParams
from scrubin.stages.frames.frame_store import frames_after_gaps, judged, why_dropped

GOOD = {"brightness": 100.0, "saturated_share": 0.1, "contrast": 40.0, "sharpness": 200.0}
LIMITS = DropParams(min_brightness=10.0, max_brightness=240.0, max_saturated_share=0.5, min_contrast=8.0, min_sharpness=50.0)
EVERY_SECOND = FramesParams(fps=Fraction(1), format="jpg", quality=90, height=None, shards="none", drop=LIMITS)


def test_nothing_is_dropped_without_a_threshold():
    assert why_dropped(dict.fromkeys(GOOD, 0.0), NOTHING) is None


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("brightness", 9.99, "brightness 9.99 is below 10"),
        ("brightness", 240.5, "brightness 240.5 is above 240"),
        ("saturated_share", 0.75, "saturated_share 0.75 is above 0.5"),
        ("contrast", 3.25, "contrast 3.25 is below 8"),
        ("sharpness", 0.0, "sharpness 0 is below 50"),
    ],
)
def test_each_threshold_drops_and_says_its_value(column, value, why):
    assert why_dropped(GOOD, LIMITS) is None
    assert why_dropped(GOOD | {column: value}, LIMITS) == why


@pytest.mark.parametrize("limit", [field.name for field in fields(DropParams)])
def test_a_value_on_its_threshold_is_kept_and_every_threshold_counts_alone(limit):
    end, _, column = limit.partition("_")
    value = getattr(LIMITS, limit)
    alone = replace(NOTHING, **{limit: value})
    assert why_dropped(GOOD | {column: value}, alone) is None
    assert why_dropped(GOOD | {column: value + (-1e-6 if end == "min" else 1e-6)}, alone) is not None


def test_a_hidden_frame_is_never_dropped():
    black = {**dict.fromkeys(GOOD, 0.0), "saturated_share": 1.0}
    place = {"frame": 3, "source_frame": 75, "time_s": 3.0}
    hidden = {**place, **black, "redacted": True}
    assert judged(hidden, EVERY_SECOND) == {**hidden, "dropped": False, "dropped_why": None}
    assert judged({**hidden, "redacted": False}, EVERY_SECOND)["dropped_why"] == "brightness 0 is below 10"


def test_a_frame_whose_time_falls_into_a_gap_is_dropped_and_the_first_one_after_it_is_not():
    rows = [{**GOOD, "frame": frame, "source_frame": 30, "time_s": 5.0, "redacted": False} for frame in (3, 4, 5)]
    gaps = pd.DataFrame({"id": ["a", "a", "b"], "camera": "mono", "last_frame": [29, 60, 30], "gap_s": 3.0})
    after = frames_after_gaps(gaps)
    assert after == {("a", "mono"): {30, 61}, ("b", "mono"): {31}}
    assert [judged(row, EVERY_SECOND, after["a", "mono"])["dropped"] for row in rows] == [True, True, False]
    assert not any(judged(row, EVERY_SECOND, after["b", "mono"])["dropped"] for row in rows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_saturated_share: 1.5", r"'frames.drop.max_saturated_share' must lie in \[0, 1\], but is 1.5"),
        ("min_contrst: 3", "'frames.drop.min_contrst' is not a parameter; did you mean 'min_contrast'?"),
    ],
)
def test_a_wrong_threshold_is_named(tmp_path, text, message):
    names = [field.name for field in fields(DropParams)]
    lines = [f"    {name}: null" for name in names if not text.startswith(name)]
    path = tmp_path / "params.yaml"
    head = "frames:\n  fps: 1\n  format: jpg\n  quality: 95\n  height: null\n  shards: none\n  drop:\n"
    path.write_text(head + "\n".join([*lines, f"    {text}"]) + "\n")
    with pytest.raises(ParamsError, match=message.replace("?", r"\?")):
        params.load("frames", FramesParams, path)
