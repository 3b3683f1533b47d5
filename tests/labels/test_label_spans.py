import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.tables import io
from scrubin.base.tables.public import TRIPLETS
from scrubin.labels import instance_spans


def triplets(rows):
    """Rows of (frame, instrument, verb, target, x or None)."""
    frame = pd.DataFrame(rows, columns=["frame", "instrument", "verb", "target", "x"])
    frame["x"] = frame["x"].astype(float)
    boxed = frame["x"].notna()
    nothing = dict.fromkeys(("triplet", "instrument_id", "verb_id", "target_id", "triplet_id"))
    frame = frame.assign(
        id="mabolu",
        vocabulary="cholect50",
        instance=frame.groupby("frame").cumcount(),
        y=np.where(boxed, 0.1, np.nan),
        w=np.where(boxed, 0.1, np.nan),
        h=np.where(boxed, 0.1, np.nan),
        score=1.0,
        **nothing,
    )
    return io.conform(TRIPLETS, frame)


def found(rows):
    table = instance_spans.from_triplets(triplets(rows))
    return [tuple(None if pd.isna(value) else value for value in row) for row in table.itertuples(index=False)]


def test_a_run_of_frames_is_one_half_open_span():
    rows = [(k, "hook", "dissect", "liver", None) for k in (3, 4, 5)]
    assert found(rows) == [("mabolu", 0, 3, 6, "cholect50", "hook", "dissect", "liver")]


@pytest.mark.parametrize("change", [("hook", "cut", "liver"), ("hook", "dissect", "gut")])
def test_another_verb_or_target_starts_a_new_span_of_the_same_instance(change):
    rows = [(0, "hook", "dissect", "liver", None), (1, *change, None)]
    assert [(row[1], row[2], row[3]) for row in found(rows)] == [(0, 0, 1), (0, 1, 2)]


def test_a_frame_without_label_ends_the_span():
    rows = [(k, "hook", "dissect", "liver", None) for k in (0, 1, 3)]
    assert [(row[2], row[3]) for row in found(rows)] == [(0, 2), (3, 4)]


def test_two_graspers_keep_their_numbers_where_their_boxes_stay_whatever_their_order_in_the_file():
    rows = [
        (0, "grasper", "grasp", "gut", 0.1),
        (0, "grasper", "retract", "liver", 0.8),
        (1, "grasper", "retract", "liver", 0.82),
        (1, "grasper", "grasp", "gut", 0.12),
        (2, "grasper", "grasp", "gut", 0.8),  # the right one changes what it does
        (2, "grasper", "grasp", "gut", 0.1),
    ]
    assert [(row[1], row[2], row[3], row[6]) for row in found(rows)] == [(0, 0, 3, "grasp"), (1, 0, 2, "retract"), (1, 2, 3, "grasp")]


def test_without_boxes_the_same_action_keeps_its_number():
    rows = [
        (0, "grasper", "grasp", "gut", None),
        (0, "grasper", "retract", "liver", None),
        (1, "grasper", "retract", "liver", None),
        (2, "grasper", "grasp", "gut", None),
        (2, "grasper", "retract", "liver", None),
    ]
    assert [(row[1], row[2], row[3], row[6]) for row in found(rows)] == [(0, 0, 1, "grasp"), (0, 2, 3, "grasp"), (1, 0, 3, "retract")]


def test_presence_without_verb_and_target_gives_spans_with_nulls():
    assert found([(0, "hook", None, None, None), (1, "hook", None, None, None)]) == [("mabolu", 0, 0, 2, "cholect50", "hook", None, None)]


def test_a_study_without_labels_has_no_spans():
    assert len(instance_spans.from_triplets(io.frame_of(TRIPLETS, []))) == 0


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.integers(0, 8),
            st.sampled_from(["hook", "grasper"]),
            st.sampled_from(["grasp", "cut", None]),
            st.sampled_from(["gut", "liver"]),
            st.sampled_from([None, 0.1, 0.5, 0.85]),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_spans_hold_every_labelled_frame_once_and_no_other(rows):
    spans_ = found(rows)
    expanded = sorted(((frame, row[5], row[6], row[7]) for row in spans_ for frame in range(row[2], row[3])), key=str)
    assert expanded == sorted((row[:4] for row in rows), key=str)
    per_frame = [(row[5], row[1], frame) for row in spans_ for frame in range(row[2], row[3])]
    assert len(set(per_frame)) == len(per_frame)
