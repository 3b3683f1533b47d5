import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.vocabulary import vocabulary
from scrubin.labels import timing
from scrubin.labels.files.output import writer_of
from scrubin.labels.model import Clock, Labels, segment_rows
from scrubin.labels.timing import of_phases, to_phases

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
