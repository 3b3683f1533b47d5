"""Spans to triplets per frame and back are the same spans, by hand and through the stage's own functions."""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from label_examples import read_files, write_files
from scrubin.base.vocabulary import vocabulary
from scrubin.labels import instance_spans
from scrubin.labels.instance_spans import Row, expanded, instance_numbers
from scrubin.labels.model import SOURCE_FRAMES, Collection, Labels, span_rows
from scrubin.labels.rates import NANOSECONDS, NS, Numbering, instant, written
from scrubin.labels.rows import triplets_table
from scrubin.stages.annotations.span_places import place

WORDS = vocabulary.load("prostatd")
RATES = st.sampled_from([Fraction(1), Fraction(25), Fraction(30000, 1001), Fraction(24000, 1001), Fraction(1, 2), Fraction(60)])
ACTIONS = {i: [k for k, triplet in enumerate(WORDS.triplets) if triplet[0] == i][:4] for i in (0, 1)}


@st.composite
def tables(draw, latest=60):
    """Spans of two classes with two instances each, by frame; neighbours that touch do something else."""
    rows = []
    for instrument in ACTIONS:
        for instance in draw(st.sampled_from([(), (0,), (1,), (0, 1), (2, 5)])):
            edges = sorted(draw(st.lists(st.integers(0, latest), unique=True, max_size=10)))
            last = (-1, -1)
            for start, end in itertools.pairwise(edges):
                triplet = draw(st.sampled_from([None, *ACTIONS[instrument]]))
                if triplet is None or (last == (start, triplet)):
                    continue
                last = (end, triplet)
                ids = dict(zip(("verb_id", "target_id"), WORDS.triplets[triplet][1:], strict=True))
                rows.append({"instrument_id": instrument, "instance": instance, "start": start, "end": end, "triplet_id": triplet, **ids})
    return span_rows(sorted(rows, key=lambda row: (row["start"], row["instrument_id"], row["instance"])))


def labels_of(table, clock=SOURCE_FRAMES):
    return Labels("v1", "spans", WORDS, clock, spans=table)


@pytest.mark.slow
@given(tables(), RATES)
def test_frames_and_back_are_the_same_spans(table, rate):
    made, missed = expanded(labels_of(table), Numbering(rate), Numbering(rate))
    assert missed == 0
    pd.testing.assert_frame_equal(instance_spans.of_layer(made.instances), table)


@pytest.mark.slow
@given(tables())
def test_the_table_spans_has_the_numbers_that_were_given(table):
    made, _ = expanded(labels_of(table), Numbering(Fraction(1)), Numbering(Fraction(1)))
    found = instance_spans.from_triplets(triplets_table([made]), instance_numbers([made]))
    names = [tuple(row) for row in found[["instance", "start_frame", "end_frame", "instrument", "verb", "target"]].itertuples(index=False)]
    wanted = [(row.instance, row.start, row.end, *WORDS.triplet_name(row.triplet_id).split(",")) for row in table.itertuples(index=False)]
    assert sorted(names) == sorted(wanted)


@pytest.mark.slow
@given(tables(), RATES, RATES)
def test_a_number_is_labelled_exactly_when_its_instant_is_inside_a_span(table, of, to):
    made, missed = expanded(labels_of(table), Numbering(of), Numbering(to))
    bounds = [
        (Fraction(start) / of, Fraction(end) / of, i) for i, (start, end) in enumerate(zip(table["start"], table["end"], strict=True))
    ]
    numbers = range(int(60 / of * to) + 2)
    wanted = sorted((k, i) for k in numbers for start, end, i in bounds if start <= Fraction(k) / to < end)
    keys = {(row.instrument_id, row.instance): [] for row in table.itertuples(index=False)}
    for i, row in enumerate(table.itertuples(index=False)):
        keys[row.instrument_id, row.instance].append((row.start, row.end, i))
    found = []
    for row in made.instances.rows.itertuples(index=False):
        at = Fraction(row.position) / to * of
        found += [(row.position, i) for start, end, i in keys[row.instrument_id, row.number] if start <= at < end]
    assert sorted(found) == wanted
    assert len(made.instances.rows) == len(wanted)
    assert made.instances.positions.tolist() == sorted({k for k, _ in wanted})
    assert missed == len(table) - len({i for _, i in wanted})


@given(tables(), st.sampled_from(["frame", "s", "ms"]))
def test_a_file_and_back_has_the_same_spans_and_bytes(table, unit):
    clock = SOURCE_FRAMES if unit == "frame" else NANOSECONDS
    scale = 1 if unit == "frame" else 40 * 10**6
    timed = table.assign(start=table["start"] * scale, end=table["end"] * scale)
    given_labels = Labels("v1", "spans", WORDS, clock, spans=timed, about={"spans": {"unit": unit}})
    out = write_files("spans", Collection((given_labels,)))
    if not len(table):
        assert not out.files
        return
    (again,) = read_files("spans", {f"s/{name}": data for name, data in out.files.items()}).recordings
    pd.testing.assert_frame_equal(again.spans, timed)
    assert again.clock == clock
    assert write_files("spans", Collection((again,))).files == out.files


@pytest.mark.slow
@given(tables(latest=500), st.sampled_from([Fraction(25), Fraction(30000, 1001), Fraction(24000, 1001)]), st.integers(0, 5))
def test_on_the_released_frames_spans_by_frame_and_by_time_are_the_same(make, table, fps, offset_s):
    line = make.line(n=12, fps=fps, offset_s=Fraction(offset_s), first_source_frame=-(-offset_s * fps.numerator // fps.denominator))
    # Time 0 of the source is frame 0, so a released frame's own number says its time but for the cut between frames.
    edges = table[["start", "end"]].to_numpy().tolist()
    exact = [line.frames[(line.source_frames >= a) & (line.source_frames < b)].tolist() for a, b in edges]
    placed = place(labels_of(table), table, line, source_ns=60 * NS, windows=None)
    assert placed.frames.tolist() == sorted({frame for frames in exact for frame in frames})
    assert len(placed.rows) == sum(map(len, exact))
    counted = placed.alignment
    assert counted.before + counted.after + counted.between == sum(not frames for frames in exact)
    by_time = table.assign(start=[round(n / fps * NS) for n in table["start"]], end=[round(n / fps * NS) for n in table["end"]])
    times = (line.times_ns - line.start_ns) + round(Fraction(int(line.start_source_frame)) / fps * NS)
    shifted = type(line)(line.frames, line.source_frames, times, line.start_ns, line.end_ns, line.start_source_frame, line.end_source_frame)
    again = place(labels_of(by_time, NANOSECONDS), by_time, shifted, source_ns=60 * NS, windows=None)
    assert again.frames.tolist() == placed.frames.tolist()
    pd.testing.assert_frame_equal(again.rows, placed.rows)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 8), st.integers(0, 1), st.sampled_from([None, None, 0, 1])), max_size=12))
def test_no_number_does_two_things_at_once_unless_the_file_says_so(given_rows):
    rows = [Row(i, start, start + length, instrument, instance, {}) for i, (start, length, instrument, instance) in enumerate(given_rows)]
    given_twice = {
        (a.line, b.line)
        for a in rows
        for b in rows
        if a.line < b.line and a.instance is not None and (a.instrument, a.instance) == (b.instrument, b.instance)
        if a.start < b.end and b.start < a.end
    }
    found = {(a.line, b.line) for a, b in instance_spans.overlaps([row for row in rows if row.instance is not None])}
    assert found <= given_twice
    assert bool(found) == bool(given_twice)
    if not found:
        numbered = instance_spans.numbered(rows)
        assert [(a.line, a.start, a.end, a.instrument) for a in rows] == [(b.line, b.start, b.end, b.instrument) for b in numbered]
        assert all(a.instance in (None, b.instance) for a, b in zip(rows, numbered, strict=True))
        assert instance_spans.overlaps(numbered) == []


@given(st.integers(0, 10**14), st.sampled_from(["frame", "s", "ms"]))
def test_an_instant_is_written_as_it_is_read(position, unit):
    position = position % 10**9 if unit == "frame" else position
    assert instant(written(position, unit), unit) == position


def test_spans_of_a_video_without_frames_are_counted_and_nowhere(make):
    line = make.line(n=0)
    table = span_rows([{"instrument_id": 0, "instance": 0, "start": 0, "end": 5}])
    placed = place(labels_of(table), table, line, source_ns=0, windows=None)
    assert len(placed.rows) == len(placed.frames) == 0
    assert placed.alignment.before + placed.alignment.after + placed.alignment.between == 1
    assert np.issubdtype(placed.frames.dtype, np.integer)
