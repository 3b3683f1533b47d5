"""Spans as a file: what is read, what is refused with which lines, what is written; to triplets per frame and back they are the same."""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fault_lines import sentences
from label_examples import read_files, write_files
from scrubin.base.errors import AnnotationError
from scrubin.base.vocabulary import vocabulary
from scrubin.cli import main
from scrubin.labels import instance_spans, label_map
from scrubin.labels.files import loss
from scrubin.labels.files.loss import Fit
from scrubin.labels.files.output import render, writer_of
from scrubin.labels.instance_spans import Row, expanded, instance_numbers
from scrubin.labels.model import SOURCE_FRAMES, Clock, Collection, Labels, Layer, instance_rows, span_rows
from scrubin.labels.rates import NANOSECONDS, NS, Numbering, instant, written
from scrubin.labels.rows import triplets_table
from scrubin.stages.annotations.span_places import place

WORDS = vocabulary.load("prostatd")
HEADER = "instrument,instance,start_s,end_s,verb,target"


def read(*lines, header=HEADER, **options):
    (labels,) = read_files("spans", {"s/v1.csv": "".join(f"{line}\n" for line in (header, *lines)).encode()}, **options).recordings
    return labels


def rows(labels):
    table = labels.spans.astype(object).where(labels.spans.notna(), None)
    return list(zip(table["instrument_id"], table["instance"], table["start"], table["end"], table["triplet_id"], strict=True))


def frames(labels, *, to="tables", source_fps=Fraction(1), to_fps=Fraction(1), first=0):
    """(frame, instrument, number, triplet) of every instance, and the labelled frames."""
    kept, losses = loss.fitted(Collection((labels,)), writer_of(to), Fit("spans", source_fps, to_fps, first=first))
    layer = kept.recordings[0].instances
    table = layer.rows.astype(object).where(layer.rows.notna(), None)
    return (
        list(zip(table["position"], table["instrument_id"], table["number"], table["triplet_id"], strict=True)),
        layer.positions.tolist(),
        dict(losses),
    )


def test_seconds_milliseconds_and_frames_are_said_by_the_names_of_the_columns():
    for unit, start, end, clock, expected in (
        ("s", "0.48", "2", NANOSECONDS, (480 * 10**6, 2 * NS)),
        ("ms", "480", "2000", NANOSECONDS, (480 * 10**6, 2 * NS)),
        ("ms", "33.366667", "40", NANOSECONDS, (33366667, 40 * 10**6)),
        ("frame", "12", "50", SOURCE_FRAMES, (12, 50)),
    ):
        labels = read(f"scissors,0,{start},{end},cut,thread", header=f"instrument,instance,start_{unit},end_{unit},verb,target")
        assert labels.clock == clock
        assert rows(labels) == [(0, 0, *expected, WORDS.triplet_of("scissors,cut,thread"))]


def test_decimal_commas_are_read_where_they_can_mean_one_thing_only():
    labels = read("scissors;0;0,48;2;cut;thread", header=HEADER.replace(",", ";"))
    assert rows(labels) == [(0, 0, 480 * 10**6, 2 * NS, WORDS.triplet_of("scissors,cut,thread"))]


def test_action_is_another_name_of_verb_and_spellings_separators_and_order_of_columns_do_not_matter():
    text = "\ufeffTarget;Action;end_ms;start_ms;Instrument;note\r\nfascia;Dissect;40;0;Scissors;x\r\n\r\n"
    (labels,) = read_files("spans", {"s/v1.csv": text.encode()}).recordings
    assert rows(labels) == [(0, 0, 0, 40 * 10**6, WORDS.triplet_of("scissors,dissect,fascias"))]
    assert sentences(labels.faults, "warning") == ("s/v1.csv: not kept: note",)


def test_given_numbers_are_kept_and_missing_ones_are_the_lowest_free_ones():
    labels = read(
        "forceps,,5,9,null,null",
        "forceps,1,0,10,retract,prostate",
        "forceps,,0,6,retract,prostate",
        "forceps,,9,10,retract,prostate",
        "scissors,7,0,1,cut,thread",
        "scissors,,0,1,cut,thread",
    )
    assert [(instance, start // NS) for _, instance, start, _, _ in rows(labels)] == [(2, 5), (1, 0), (0, 0), (0, 9), (7, 0), (0, 0)]


def test_a_row_may_say_that_an_instrument_is_there_or_that_nothing_is():
    labels = read("scissors,0,0,2,,", ",,2,4,,")
    assert labels.detail == "instrument"
    assert frames(labels) == ([(0, 0, 0, None), (1, 0, 0, None)], [0, 1, 2, 3], {})


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["scissors,0,0,5,cut,thread", "scissors,0,4.5,6,cut,thread"], r"lines 2 and 3: scissors 0 is labelled twice from 4.5 to 5 s"),
        (
            ["scissors,0,0,5,cut,thread", ",,4,6,,"],
            "lines 2 and 3: from 4 to 5 s one says that nothing is in view, the other",
        ),
        (["scissors,0,5,5,cut,thread"], "line 2: it ends at 5, but starts at 5; give the end after the start"),
        (["scissors,0,6,5,cut,thread"], "line 2: it ends at 5, but starts at 6"),
        (["scissor,0,0,5,cut,thread"], "line 2: 'scissor' is no instrument .* did you mean 'scissors'"),
        (["scissors,0,0,5,cutt,thread"], "line 2: 'cutt' is no verb .* did you mean 'cut'"),
        (["scissors,0,0,5,cut,tread"], "line 2: 'tread' is no target .* did you mean 'thread'"),
        (["scissors,0,0,5,suck,thread"], "line 2: 'scissors,suck,thread' is no triplet of 'prostatd'"),
        (["scissors,0,0,5,cut,"], "line 2: there is no target; name it, or leave verb and target empty"),
        ([",0,0,5,cut,thread"], "line 2: verb, target or instance without an instrument"),
        (["scissors,-1,0,5,cut,thread"], "line 2: instance is '-1', expected a whole number from 0"),
        (["scissors,0,-1,5,cut,thread"], "line 2: start_s: '-1' is not seconds from 0, such as 12.48"),
        (["scissors,0,0:05,5,cut,thread"], "line 2: start_s: '0:05' is not seconds"),
        (["scissors,0,0,1e3,cut,thread"], "line 2: end_s: '1e3' is not seconds"),
        (["scissors,0,0,nan,cut,thread"], "line 2: end_s: 'nan' is not seconds"),
        (["scissors,0,0,0.0000000001,cut,thread"], "line 2: it ends at 0.0000000001, but starts at 0"),
        (["scissors,0,0,99999999,cut,thread"], "line 2: end_s: '99999999' is later than any video ends"),
        (["scissors,0,0,5,cut"], "line 2: expected 6 cells, but got 5"),
        ([], "v1.csv: has no rows"),
        (['scissors,0,0,5,cut,"thread'], "line 2: a quotation mark is opened but never closed"),
    ],
)
def test_a_broken_row_is_refused_by_its_line(lines, message):
    with pytest.raises(AnnotationError, match=message):
        read(*lines)


OF_ALL = "id,vocabulary,instrument,start_s,end_s"


@pytest.mark.parametrize(
    ("header", "lines", "message"),
    [
        (
            "instrument,instance,start,end,verb,target",
            [""],
            "there is no column start_s, but 'start'; expected instrument,instance,start_s",
        ),
        ("instrument,instance,start_s,end_ms,verb,target", [""], "there is no column end_s"),
        ("instrument,start_s,end_s,start_ms,end_ms", [""], "instants of two kinds"),
        ("instrument,start_s,end_s,verb,traget", [""], "there is no column target, but 'traget'"),
        ("instrument,start_s,end_s,verb,action,target", [""], "the column verb stands twice"),
        (
            HEADER.replace(",", ";"),
            ["scissors;0;1,500;2;cut;thread"],
            r"line 2: start_s is '1,500': a decimal separator, or one of thousands\?",
        ),
        (HEADER.replace("_s", "_frame"), ["scissors,0,0.5,5,cut,thread"], "line 2: start_frame: '0.5' is not a frame number from 0"),
        (OF_ALL, ["other,prostatd,scissors,0,1"], "line 2: id is 'other', but the file is read as 'v1'; write one file per recording"),
        (OF_ALL, ["v1,prostatd,scissors,0,1", "v1,cholect50,scissors,2,3"], "line 3: vocabulary is 'cholect50', but the file is read as"),
        (OF_ALL, ["v1,cholec50,hook,0,1"], r"v1\.csv: 'cholec50' is no vocabulary; did you mean 'cholect50'"),
    ],
)
def test_a_table_with_another_header_is_refused_where_it_cannot_be_read(header, lines, message):
    with pytest.raises(AnnotationError, match=message):
        read(*lines, header=header)


@pytest.mark.parametrize(
    ("line", "header", "vocabulary", "message"),
    [
        ("v1,cholect50,scissors,0,1", OF_ALL, "prostatd", "line 2: vocabulary is 'cholect50', but the file is read as 'prostatd'"),
        ("needle driver,0,0,1,null,null", HEADER, "cholect50", "vocabulary 'cholect50'"),
    ],
)
def test_a_table_of_another_vocabulary_than_is_said_is_refused(line, header, vocabulary, message):
    with pytest.raises(AnnotationError, match=message):
        read(line, header=header, vocabulary=vocabulary)


def test_times_with_all_decimals_of_a_float_are_the_frames_that_a_program_wrote():
    edges = [0, 149, 200, 259, 260, 300]
    lines = [f"scissors,0,{start / 30!r},{end / 30!r},cut,thread" for start, end in itertools.pairwise(edges)]
    assert any(len(cell.partition(".")[2]) > 12 for cell in ",".join(lines).split(","))
    made, _ = expanded(read(*lines), Numbering(Fraction(NS)), Numbering(Fraction(30)))
    assert made.instances.rows["position"].tolist() == list(range(300))


def test_every_overlap_is_named_with_both_lines():
    lines = ("forceps,0,0,9,null,null", "scissors,0,0,1,cut,thread", "forceps,0,8,9,null,null", "forceps,0,1,2,null,null")
    with pytest.raises(AnnotationError) as caught:
        read(*lines)
    assert [(fault.place, fault.what) for fault in caught.value.faults] == [
        ("lines 2 and 4", "forceps 0 is labelled twice from 8 to 9 s"),
        ("lines 2 and 5", "forceps 0 is labelled twice from 1 to 2 s"),
    ]


def test_a_file_may_name_its_recording_and_vocabulary():
    assert len(read("v1,prostatd,scissors,0,1", header=OF_ALL).spans) == 1
    assert read("cholect50,hook,0,1", header="vocabulary,instrument,start_s,end_s").vocabulary.name == "cholect50"


def test_a_label_map_merges_spans_and_counts_them():
    mapped = label_map.load("prostatd")
    labels = read("scissors,0,0,5,dissect,fat", "scissors,0,5,6,dissect,Lymph-Node", label_map=mapped)
    assert set(labels.spans["triplet_id"]) == {WORDS.triplet_of("scissors,dissect,fascias")}
    assert sum(labels.merged.values()) == len(labels.spans)


def test_a_frame_has_a_span_when_its_instant_is_inside():
    labels = read("scissors,0,0.4,0.9,cut,thread", "scissors,0,1,2.04,dissect,prostate")
    missed = {"spans between two frames of the other rate": 1, "exact start or end of spans, which is between two frames here": 2}
    cut, dissect = (WORDS.triplet_of(f"scissors,{name}") for name in ("cut,thread", "dissect,prostate"))
    assert frames(labels) == ([(1, 0, 0, dissect), (2, 0, 0, dissect)], [1, 2], missed)
    at_25, _, _ = frames(labels, to_fps=Fraction(25))
    assert [frame for frame, *_, triplet in at_25 if triplet == cut] == list(range(10, 23))  # 0.40 ... 0.88 s
    assert [frame for frame, *_, triplet in at_25 if triplet == dissect] == list(range(25, 51))


def test_frames_of_the_source_have_its_rate_and_may_start_at_one():
    header = "instrument,instance,start_frame,end_frame,verb,target"
    labels = read("scissors,0,25,51,cut,thread", header=header)
    assert frames(labels, source_fps=Fraction(25))[1] == [1, 2]
    assert frames(labels, source_fps=Fraction(25), first=1)[1] == [1]
    assert frames(labels, source_fps=Fraction(30000, 1001))[1] == [1]
    assert frames(read("scissors,0,1,2,cut,thread"), first=1)[1] == [1]  # seconds have no first number


def test_a_rate_that_is_written_in_seconds_reads_back_at_the_same_frames():
    labels = read("scissors,0,100,101,cut,thread", "scissors,0,201,999,dissect,prostate", header=HEADER.replace("_s", "_frame"))
    rate = Numbering(Fraction(30000, 1001))
    by_frame, _ = expanded(labels, rate, rate)
    assert by_frame.instances.positions.tolist() == [100, *range(201, 999)]
    written = write_files("spans", Collection((by_frame,))).files
    (again,) = read_files("spans", {f"s/{name}": data for name, data in written.items()}).recordings
    assert again.clock == NANOSECONDS
    back, _ = expanded(again, Numbering(1 / NANOSECONDS.period_s), rate)
    pd.testing.assert_frame_equal(back.instances.rows, by_frame.instances.rows)


def test_instances_without_instrument_are_no_spans_and_not_taken_for_nothing():
    rows_ = [{"position": 0, "instrument_id": 0}, {"position": 1, "verb_id": 1}]
    layer = Layer("v1", np.array([0, 1, 2]), instance_rows(rows_))
    out = render(Collection((Labels("v1", "x", WORDS, Clock(Fraction(1)), instances=layer),)), writer_of("spans"))
    assert out.losses == {"instances without an instrument": 1}
    assert out.files["v1.csv"].decode().splitlines()[1:] == ["scissors,0,0,1,,", ",,2,3,,"]


def test_given_numbers_stand_in_the_table_spans_and_seconds_have_no_rate_to_give(tmp_path):
    lines = ["forceps,3,0,4,retract,prostate", "forceps,1,1,3,null,null"]
    (tmp_path / "v1.csv").write_text("\n".join([HEADER, *lines]) + "\n")
    told = ["--from", "spans", "--to", "tables-csv", "--fps", "25", "--out", str(tmp_path / "out")]
    assert main(["convert", str(tmp_path / "v1.csv"), *told]) == 0
    table = pd.read_csv(tmp_path / "out" / "spans.csv")
    assert table[["instance", "start_frame", "end_frame"]].to_numpy().tolist() == [[1, 1, 3], [3, 0, 4]]


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
