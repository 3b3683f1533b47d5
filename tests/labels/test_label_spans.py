"""Spans of phases and instances by frames: what a frame has, how instances are numbered, and back."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.tables import io
from scrubin.base.tables.public import TRIPLETS
from scrubin.base.vocabulary import vocabulary
from scrubin.labels import instance_spans, timing
from scrubin.labels.files.output import writer_of
from scrubin.labels.model import Clock, Labels, segment_rows
from scrubin.labels.timing import of_phases, to_phases


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


@pytest.mark.parametrize("fps", [Fraction(30), Fraction(30000, 1001), Fraction(24)])
@pytest.mark.parametrize("rounded", [math.floor, round])
def test_times_of_spans_that_were_rounded_are_those_of_their_frames(fps, rounded):
    edges = [0, 7, 1484, 1500, 1501, 2999]
    times = [rounded(edge * 1000 / fps) for edge in edges]
    spans = segment_rows([("phase", *span, at) for at, span in enumerate(itertools.pairwise(times))])
    rows, _ = to_phases(spans, MS, fps)
    assert rows["position"].tolist() == list(range(edges[-1]))
    assert np.flatnonzero(np.diff(rows["phase_id"])).tolist() == [edge - 1 for edge in edges[1:-1]]


def test_rounded_times_of_phases_are_their_frames_also_beside_steps_between_frames():
    rows = [("phase", 0, 667, 0), ("phase", 667, 1367, 1), ("step", 210, 890, 0)]
    assert timing._scaled(segment_rows(rows), Fraction(1000), Fraction(30))["start"].tolist() == [0, 20, 7]


def test_times_of_spans_between_frames_are_taken_as_they_are():
    rows, _ = to_phases(segment_rows([("phase", 0, 49467, 0), ("phase", 49467, 49511, 1), ("phase", 49511, 50000, 2)]), MS, Fraction(30))
    assert np.flatnonzero(np.diff(rows["phase_id"])).tolist() == [1484, 1485]


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


MS = Fraction(1, 1000)


def test_a_frame_has_the_phase_of_its_instant_and_spans_are_half_open():
    rows, contested = to_phases(segment_rows([("phase", 0, 2000, 3), ("phase", 2000, 3500, 4), ("step", 0, 9000, 1)]), MS, Fraction(1))
    assert rows["position"].tolist() == [0, 1, 2, 3]
    assert rows["phase_id"].tolist() == [3, 3, 4, 4]
    assert contested == 0


def test_at_the_end_of_its_period_a_frame_has_the_phase_of_the_last_unit():
    spans = segment_rows([("phase", 0, 1000, 3), ("phase", 1000, 2999, 4), ("phase", 2999, 4999, 5)])
    rows, _ = to_phases(spans, MS, Fraction(1), instant="end")
    # Frame k is at k x 1000 + 999 ms; of the last second only 999 ms are labelled, so that it has no phase.
    assert dict(zip(rows["position"].tolist(), rows["phase_id"].tolist(), strict=True)) == {0: 3, 1: 4, 2: 5, 3: 5}


@pytest.mark.slow
@given(
    st.lists(st.integers(0, 300), min_size=2, max_size=2, unique=True).map(sorted), st.sampled_from([1, 2, 5, 25, Fraction(30000, 1001)])
)
def test_frames_at_the_end_are_those_of_the_formula(edges, fps):
    start, end = edges
    rows, _ = to_phases(segment_rows([("phase", 100 * start, 100 * end, 1)]), MS, Fraction(fps), instant="end")
    instants = {k: 1000 * (k + 1) / Fraction(fps) - 1 for k in range(1000)}
    assert rows["position"].tolist() == [k for k, at in instants.items() if 100 * start <= at < 100 * end]


def test_a_span_that_misses_every_frame_has_none():
    rows, _ = to_phases(segment_rows([("phase", 1, 999, 3)]), MS, Fraction(1))
    assert len(rows) == 0


def test_what_is_laid_over_counts_and_marks_do_not():
    spans = segment_rows([("phase", 1000, 3000, 12), ("phase", 0, 5000, 0), ("mark", 2000, 5000, 0)])
    rows, contested = to_phases(spans, MS, Fraction(1), over=[12])
    assert rows["phase_id"].tolist() == [0, 12, 12, 0, 0]
    assert contested == 0


def test_competing_phases_are_counted_and_the_later_counts():
    rows, contested = to_phases(segment_rows([("phase", 0, 3000, 0), ("phase", 2000, 4000, 1)]), MS, Fraction(1))
    assert rows["phase_id"].tolist() == [0, 0, 1, 1]
    assert contested == 1


@given(st.dictionaries(st.integers(0, 200), st.integers(0, 6), max_size=60))
def test_phases_to_spans_and_back_are_the_same(phases):
    positions = np.array(sorted(phases), np.int64)
    ids = np.array([phases[position] for position in positions.tolist()], np.int64)
    spans = of_phases(positions, ids)
    rows, contested = to_phases(spans, Fraction(1), Fraction(1))
    assert rows["position"].tolist() == positions.tolist()
    assert rows["phase_id"].tolist() == ids.tolist()
    assert contested == 0
    assert (spans["start"] < spans["end"]).all()


@pytest.mark.slow
@given(
    edges=st.lists(st.integers(0, 10**6), min_size=2, max_size=8, unique=True).map(sorted),
    rate=st.sampled_from([Fraction(24000, 1001), Fraction(25), Fraction(30000, 1001), Fraction(60000, 1001)]),
)
def test_spans_of_frames_come_back_from_milliseconds_as_they_were(edges, rate):
    spans = [("phase", first, end, 0) for first, end in itertools.pairwise(edges)]
    labels = Labels("a", "spans", vocabulary.load("cholec80"), Clock(1 / rate), segments=segment_rows(spans))
    in_ms = timing.retimed(labels, writer_of("elan"), None, Fraction(1000), Counter())
    again = timing.retimed(in_ms, writer_of("elan"), None, rate, Counter())
    assert [tuple(row) for row in again.segments.itertuples(index=False)] == spans
