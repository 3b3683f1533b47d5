"""The re-identification note: which recordings their length gives away, and how far a trim hides them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from scrubin.stages.release import linking

LENGTHS = st.lists(st.integers(min_value=0, max_value=200), min_size=1, max_size=30)


def videos(rows: list[tuple[str, str, str, int, str]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["id", "camera", "task", "frame_count", "fps"])
    return table.assign(duration_s=[count / float(fps) for count, fps in zip(table.frame_count, table.fps, strict=True)])


ROWS = [
    ("a", "left", "Peg", 100, "20"),
    ("a", "right", "Peg", 100, "20"),
    ("b", "left", "Peg", 100, "20"),
    ("c", "mono", "Peg", 125, "25"),  # as long as a and b, but of another rate
    ("d", "mono", "Peg", 130, "20"),
    ("e", "mono", "Knot", 100, "20"),  # another task
]


def noted(rows=ROWS, jitter_s=0.0, kept_s=None):
    table = videos(rows)
    return linking.note(table, kept_s or dict(zip(table.id, table.duration_s, strict=True)), jitter_s)


def test_a_recording_counts_once_and_only_against_its_task():
    found = noted()
    assert (found["recordings"], found["unique_to_the_frame"], found["duration_jitter_s"]) == (5, 3, 0.0)
    assert list(found["tasks"]) == ["Knot", "Peg"]
    assert found["tasks"]["Peg"] == {
        "recordings": 4,
        "unique_to_the_frame": 2,
        "smallest_group_in_a_log": 1,
        "smallest_group_within_s": {"1": 1, "10": 4, "60": 4},
    }
    assert found["tasks"]["Knot"]["smallest_group_within_s"] == {"1": 1, "10": 1, "60": 1}


def test_the_trim_gets_a_window_of_its_own():
    found = noted(jitter_s=1.5)
    assert found["tasks"]["Peg"]["smallest_group_within_s"] == {"1": 1, "1.5": 4, "10": 4, "60": 4}


def test_a_log_of_untrimmed_lengths_leaves_those_that_could_have_been_trimmed_to_what_is_released():
    """Released 5, 5, 5 and 6.5 s; kept 5, 5.8, 6.2 and 6.9 s. Only 6.5 s is too long for 5, 5.8 and 6.2 s."""
    kept_s = {"a": 5.0, "b": 5.8, "c": 6.2, "d": 6.9, "e": 5.0}
    assert noted(jitter_s=2.0, kept_s=kept_s)["tasks"]["Peg"]["smallest_group_in_a_log"] == 3
    # Trimmed by at most 1.2 s, 6.9 s can only be 6.5 s.
    assert noted(jitter_s=1.2, kept_s=kept_s)["tasks"]["Peg"]["smallest_group_in_a_log"] == 1


def test_the_sentence_says_whether_a_trim_is_on():
    assert linking.sentence(noted()).startswith("3 of 5 recordings have a number of frames that no other of their task has")
    assert linking.sentence(noted()).endswith("render.duration_jitter_s is off")
    assert linking.sentence(noted(jitter_s=1.5)).endswith("render.duration_jitter_s is 1.5, which leaves groups of 1 or more")


def test_no_recordings_give_an_empty_note():
    found = linking.note(videos([]), {}, 0.0)
    assert (found["recordings"], found["tasks"]) == (0, {})
    assert linking.sentence(found)


@given(lengths=LENGTHS, window=st.integers(min_value=0, max_value=50))
def test_the_smallest_group_is_that_of_counting(lengths, window):
    values = np.array(lengths, dtype=float)
    counted = min(sum(abs(other - length) <= window for other in lengths) for length in lengths)
    assert linking.smallest_group(values, values - window, values + window) == counted
