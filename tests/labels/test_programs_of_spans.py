"""Programs in which people label spans of time: no frame moves, whatever the rate; what VIA and Vidat say, and what is refused."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each import each
from label_examples import EXAMPLES, faults_of, read_files, write_files
from scrubin.base.errors import AnnotationError
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels.files import loss
from scrubin.labels.files.loss import Fit
from scrubin.labels.files.output import writer_of
from scrubin.labels.model import Clock, Collection, Labels, segment_rows, span_rows
from scrubin.labels.rates import NS, Numbering, covered, of_clock

PROGRAMS = ("boris", "elan", "via3", "vidat")
RATES = (Fraction(25), Fraction(30000, 1001), Fraction(30))
WORDS = load("cholect50")
SPANS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 400_000), st.integers(1, 5000)), min_size=1, max_size=6)


def labels_of(phases, tools, fps):
    segments = segment_rows([("phase", start, start + length, id_) for id_, start, length in phases])
    rows = [{"instrument_id": id_, "instance": at, "start": start, "end": start + length} for at, (id_, start, length) in enumerate(tools)]
    return Labels("op", "made", WORDS, Clock(1 / fps), segments=segments, spans=span_rows(rows), detail="instrument")


def in_frames(table, clock, fps, *columns):
    of, to = of_clock(clock, None), Numbering(fps)
    rows = table.astype(object).to_dict("records")
    return sorted((*covered(row["start"], row["end"], of, to), *(row[column] for column in columns)) for row in rows)


@pytest.mark.slow
@each("name", PROGRAMS)
@each("fps", RATES, say=str)
def test_a_span_of_frames_is_written_at_times_that_are_read_as_the_same_frames(name, fps):
    @settings(max_examples=10)
    @given(phases=SPANS, tools=SPANS)
    def check(phases, tools):
        labels = labels_of(phases, tools, fps)
        kept, losses = loss.fitted(Collection((labels,)), writer_of(name), Fit("made"))
        (again,) = read_files(name, {f"x/{file}": data for file, data in write_files(name, kept).files.items()}).recordings
        assert not losses
        for one, other, columns in (
            (labels.segments, again.segments, ("label_id",)),
            (labels.spans, again.spans, ("instrument_id", "instance")),
        ):
            assert in_frames(one, labels.clock, fps, *columns) == in_frames(other, again.clock, fps, *columns)

    check()


def test_phases_of_two_rates_in_one_file_of_labels_keep_their_frames_beside_spans():
    phases = [{"first": 0, "end": 50, "label": "preparation"}, {"first": 50, "end": 75, "label": "calot-triangle-dissection"}]
    document = json.loads(next(iter(EXAMPLES["scrubin-labels"].values())))
    document |= {"phases": phases, "actions": [{"first": 25, "end": 60, "label": "grasper"}]}
    collection = read_files("scrubin-labels", {"a/op.labels.json": json.dumps(document).encode()})
    kept, _ = loss.fitted(collection, writer_of("tables"), Fit("scrubin-labels", source_fps=Fraction(25), to_fps=Fraction(1)))
    assert kept.recordings[0].phases.rows["phase_id"].tolist() == [0, 0, 1]
    assert kept.recordings[0].instances.positions.tolist() == [1, 2]
    written, losses = loss.fitted(collection, writer_of("elan"), Fit("scrubin-labels", source_fps=Fraction(25)))
    (again,) = read_files("elan", write_files("elan", written).files).recordings
    assert not losses
    assert again.segments[["start", "end"]].to_numpy().tolist() == [[0, 2 * NS], [2 * NS, 3 * NS]]
    assert again.spans[["start", "end"]].to_numpy().tolist() == [[NS, 12 * NS // 5]]


def test_a_format_of_spans_of_instruments_alone_counts_the_phases_that_it_loses():
    _, losses = loss.fitted(read_files("elan", EXAMPLES["elan"]), writer_of("spans"), Fit("elan"))
    assert losses == {"spans of phases, steps or gestures": 2}


def via(**changes):
    ((file, data),) = EXAMPLES["via3"].items()
    return {file: json.dumps({**json.loads(data), **changes}).encode()}


CSV = """# Exported using VGG Image Annotator (http://www.robots.ox.ac.uk/~vgg/software/via)
# ATTRIBUTE = {"1":{"aname":"Phase","anchor_id":"FILE1_Z2_XY0","type":4,"desc":"","options":{"7":"preparation"},"default_option_id":""}}
# CSV_HEADER = metadata_id,file_list,flags,temporal_coordinates,spatial_coordinates,metadata
"1_a","[""file:///x/op%201.mp4""]",0,"[0.5,2.125]","[]","{""1"":""7""}"
"2_b","[""op2.mp4""]",0,"[1,2]","[]","{""1"":""7""}"
"2_c","[""op2.mp4""]",0,"[1]","[2,10,20,30,40]","{""1"":""7""}"
"""


def test_the_csv_of_via_has_several_videos():
    files = {"a/export.csv": CSV.encode()}
    one, two = read_files("via3", files).recordings
    assert (one.recording, one.segments[["start", "end"]].to_numpy().tolist()) == ("op 1", [[NS // 2, 17 * NS // 8]])
    assert (two.recording, len(two.segments)) == ("op2", 1)
    assert [fault.sentence for fault in faults_of("via3", files)] == ["a/export.csv: not kept: regions (1)"]


def test_boxes_that_are_ticked_are_a_label_each():
    attribute = {"0": {"aname": "tools", "type": 2, "options": {"0": "hook", "1": "grasper"}}}
    (labels,) = read_files(
        "via3", via(attribute=attribute, metadata={"m": {"vid": "1", "z": [0, 1], "xy": [], "av": {"0": "0,1"}}})
    ).recordings
    assert sorted(labels.spans["instrument_id"]) == [0, 2]


@each(
    "changes, said",
    [
        ({"metadata": {"m": {"vid": "1", "z": [3, 1], "xy": [], "av": {"0": "0"}}}}, "metadata m: it ends at 1 s, but starts at 3 s"),
        ({"metadata": {"m": {"vid": "1", "z": [0, 1], "xy": [], "av": {"0": "9"}}}}, "metadata m: '9' is no option of 'phase'"),
        ({"metadata": {"m": {"vid": "7", "z": [0, 1], "xy": [], "av": {"0": "0"}}}}, 'metadata m: view "7" shows null, expected one file'),
        ({"metadata": {"m": {"vid": "1", "z": [0, 1], "xy": [], "av": {"8": "0"}}}}, "metadata m: attribute '8'"),
        ({"metadata": {}}, "no video has a segment with a label"),
    ],
)
def test_a_fault_of_via_names_its_place(changes, said):
    with pytest.raises(AnnotationError, match=said):
        read_files("via3", via(**changes))


def vidat(fps, actions, **more):
    ((file, data),) = EXAMPLES["vidat"].items()
    document = json.loads(data)
    document["annotation"]["video"]["fps"] = fps
    document["annotation"] |= {
        "actionAnnotationList": [{"start": a, "end": b, "action": id_, "object": 0} for a, b, id_ in actions],
        **more,
    }
    return {file: json.dumps(document).encode()}


def test_a_time_of_vidat_is_that_of_its_frame():
    # Vidat rounds frames 1 and 2 of 30000/1001 per second to the millisecond, the second one up.
    (labels,) = read_files("vidat", vidat(29.97, [(0.033, 0.067, 1)])).recordings
    assert in_frames(labels.segments, labels.clock, Fraction(30000, 1001)) == [(1, 2)]


def test_what_vidat_has_beside_actions_is_named_as_not_kept():
    files = vidat(10, [(0, 1, 1), (0, 1, 0)], objectAnnotationListMap={"0": [{"x": 1}], "3": [{"x": 2}]})
    assert [fault.sentence for fault in faults_of("vidat", files)] == ["vidat/op 1.json: not kept: actions 'default' (1), boxes (2)"]


@each(
    "files, said",
    [
        (vidat(10, [(2, 1, 1)]), "actionAnnotationList 0: it ends at 1 s, but starts at 2 s"),
        (vidat(10, [(0, 1, 9)]), "actionAnnotationList 0: there is no action 9 in the configuration"),
        (vidat(0, [(0, 1, 1)]), "video: 'fps' is no rate"),
        (vidat(10, [(0, "x", 1)]), "actionAnnotationList 0: 'end' is \"x\", expected seconds"),
    ],
    say=lambda value: value if isinstance(value, str) else "file",
)
def test_a_fault_of_vidat_names_its_place(files, said):
    with pytest.raises(AnnotationError, match=said):
        read_files("vidat", files)
