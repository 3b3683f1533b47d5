"""Programs in which people label spans of time: no frame moves, whatever the rate; what each says, and what is refused."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each import each
from label_examples import EXAMPLES, changed, faults_of, read_files, write_files
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels.files import loss
from scrubin.labels.files.loss import Fit
from scrubin.labels.files.output import writer_of
from scrubin.labels.formats.programs import named_spans
from scrubin.labels.formats.programs.elan import SUFFIX
from scrubin.labels.model import Clock, Collection, Labels, segment_rows, span_rows
from scrubin.labels.parse.fields import Where
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


TWO_FILES = {
    "attribute": {"0": {"aname": "phase", "type": 1}},
    "file": {fid: {"fid": fid, "fname": f"{folder}/endoscope.mp4"} for fid, folder in (("1", "P01"), ("2", "P02"))},
    "view": {fid: {"fid_list": [fid]} for fid in "12"},
    "metadata": {f"m{fid}": {"vid": fid, "z": [0, int(fid)], "xy": [], "av": {"0": "preparation"}} for fid in "12"},
}
ONE_TWICE = TWO_FILES | {"file": {fid: {"fid": fid, "fname": "endoscope.mp4", "src": "/P01/endoscope.mp4"} for fid in "12"}}
LIKE_IT = '"3_d",["file:///y/op%201.mp4"],0,"[1,2]","[]","{""1"":""7""}"'.replace('["', '"[""').replace('"]', '""]"')


def test_a_video_that_was_added_twice_is_one():
    (labels,) = read_files("via3", via(**ONE_TWICE)).recordings
    assert labels.segments["end"].tolist() == [NS, 2 * NS]


BOXES = {"0": {"aname": "phase", "type": 2, "options": {"0": "preparation", "1": "gallbladder-dissection"}}}
TOOLS = {"0": {"aname": "instrument", "type": 1}}


@each(
    "attribute, value, expected",
    [
        (TWO_FILES["attribute"], "preparation", 1),
        (BOXES, "0,1", 2),
        (TOOLS, "grasper", 1),
    ],
    say=lambda attribute, value, expected: value,
)
def test_what_a_video_that_was_added_twice_says_twice_counts_once(attribute, value, expected):
    metadata = {f"m{fid}": {"vid": fid, "z": [0, 5], "xy": [], "av": {"0": value}} for fid in "12"}
    files = via(**ONE_TWICE | {"attribute": attribute, "metadata": metadata})
    (labels,) = read_files("via3", files).recordings
    assert len(labels.spans if attribute is TOOLS else labels.segments) == expected
    assert not faults_of("via3", files)


def test_what_one_file_of_a_video_says_twice_is_kept_twice():
    metadata = {f"m{at}": {"vid": fid, "z": [0, 5], "xy": [], "av": {"0": "grasper"}} for at, fid in enumerate("112")}
    (labels,) = read_files("via3", via(**ONE_TWICE | {"attribute": TOOLS, "metadata": metadata})).recordings
    assert labels.spans["instance"].tolist() == [0, 1]


def test_all_boxes_that_are_ticked_otherwise_are_named():
    metadata = {f"m{fid}": {"vid": fid, "z": [0, 5], "xy": [], "av": {"0": ticked}} for fid, ticked in (("1", "0,1"), ("2", "0"))}
    said = "'endoscope', and say 'gallbladder-dissection, preparation' and 'preparation' at once; keep"
    with pytest.raises(AnnotationError, match=said):
        read_files("via3", via(**ONE_TWICE | {"attribute": BOXES, "metadata": metadata}))


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


FILE = "states/project.boris"


def project(events, fps=None, **more):
    """Return the example with these events."""
    document = json.loads(EXAMPLES["boris"][FILE])
    one = document["observations"]["op 1"]
    one["events"] = events
    one["media_info"]["fps"] = {"op 1.mp4": fps}
    one |= more
    return {FILE: json.dumps(document).encode()}


def segments(files, **options):
    (labels,) = read_files("boris", files, **options).recordings
    return labels.segments[["start", "end"]].to_numpy().tolist()


def event(time, code="preparation", subject="", modifiers="", comment=""):
    return [time, subject, code, modifiers, comment]


def test_states_are_paired_by_subject_code_and_modifiers():
    tools = [(1, "verb|x"), (2, "retract|gallbladder"), (3, "retract|gallbladder"), (4, "verb|x")]
    files = project([event(time, "grasper", modifiers=modifiers) for time, modifiers in tools])
    with pytest.raises(AnnotationError, match="'verb' is no verb"):
        read_files("boris", files, vocabulary="cholect50")
    files = project([event(at, "hook", subject=who) for at, who in enumerate("abba")])
    (labels,) = read_files("boris", files).recordings
    assert sorted(labels.spans[["start", "end"]].to_numpy().tolist()) == [[0, 3 * NS], [NS, 2 * NS]]
    assert "subjects of 'op 1' (4)" in faults_of("boris", files)[0].sentence


def test_phases_of_two_subjects_are_those_of_two_annotators_and_refused():
    events = [event(at, subject=who) for at, who in enumerate(("R1", "R2", "R2", "R1"))]
    with pytest.raises(AnnotationError, match="'op 1': 2 subjects have phases at the same time: 'R1', 'R2'; give an observation"):
        read_files("boris", project(events))
    assert segments(project([[at, "R1", *rest] for at, _, *rest in events[::2]])) == [[0, 2 * NS]]


def test_phases_of_subjects_who_operate_one_after_the_other_are_those_of_the_operation():
    events = [event(at, subject=who) for at, who in ((0, "surgeon"), (2, "surgeon"), (2, "assistant"), (5, "assistant"))]
    assert segments(project(events)) == [[0, 2 * NS], [2 * NS, 5 * NS]]


def test_the_time_offset_is_taken_away():
    assert segments(project([event(100.5), event(101)], **{"time offset": 100.0})) == [[NS // 2, NS]]


def test_a_time_is_that_of_its_frame_where_the_rate_is_stated():
    # Frames 1 and 2 of 30000/1001 per second: BORIS rounds them to 0.033 and 0.067 s.
    start, end = segments(project([event(0.033), event(0.067)], fps=29.97))[0]
    assert (start, end) == (NS * 1001 // 30000, 2 * NS * 1001 // 30000)
    assert segments(project([event(0.033), event(0.067)])) == [[33 * NS // 1000, 67 * NS // 1000]]


def test_points_in_time_comments_and_live_observations_are_named_as_not_kept():
    document = json.loads(project([event(0), event(1, comment="x"), event(3, "look")])[FILE])
    document["behaviors_conf"]["9"] = {"type": "Point event", "code": "look", "category": ""}
    document["observations"]["live"] = {"type": "LIVE", "file": [], "events": [event(1)], "time offset": 0}
    said = " ".join(fault.sentence for fault in faults_of("boris", {FILE: json.dumps(document).encode()}))
    assert "comments of 'op 1' (1), points in time of 'op 1' (1)" in said
    assert "observation 'live': not kept: 1 event of no video" in said


def test_what_overlaps_itself_is_written_with_a_subject_of_its_own():
    words = named_spans.vocabulary_of(
        "x", [named_spans.NamedSpan("phase", "phase", "a", 0, 1), named_spans.NamedSpan("s", "step", "a", 0, 1)]
    )
    spans = [
        named_spans.NamedSpan(kind, kind, "a", start, end) for kind, start, end in (("phase", 0, NS), ("phase", 5, 2 * NS), ("step", 0, 7))
    ]
    labels = named_spans.labels_of(Where(Faults(), "x"), "boris", "op", words, spans, "category")
    out = write_files("boris", Collection((labels,)))
    (again,) = read_files("boris", out.files).recordings
    assert sorted(again.segments.itertuples(index=False)) == sorted(labels.segments.itertuples(index=False))
    assert {event[2] for event in json.loads(out.files["observations.boris"])["observations"]["op"]["events"]} == {"a", "a (step)"}
    assert {event[1] for event in json.loads(out.files["observations.boris"])["observations"]["op"]["events"]} == {"", "overlap 1"}


MS = NS // 1000


def eaf(tiers, slots, header="", tail=""):
    """Return a document of tiers: name with attributes -> annotations, each of attributes and a value."""
    order = "".join(f'<TIME_SLOT TIME_SLOT_ID="{name}"{"" if at is None else f" TIME_VALUE={str(at)!r}"}/>' for name, at in slots.items())
    text = ""
    for attributes, annotations in tiers.items():
        inner = "".join(
            f"<ANNOTATION><{'REF' if 'ANNOTATION_REF' in of else 'ALIGNABLE'}_ANNOTATION {of}><ANNOTATION_VALUE>{value}</ANNOTATION_VALUE>"
            f"</{'REF' if 'ANNOTATION_REF' in of else 'ALIGNABLE'}_ANNOTATION></ANNOTATION>"
            for of, value in annotations
        )
        text += f"<TIER {attributes}>{inner}</TIER>"
    head = f'<HEADER TIME_UNITS="milliseconds">{header}</HEADER><TIME_ORDER>{order}</TIME_ORDER>'
    return {f"a/op{SUFFIX}": f'<?xml version="1.0"?><ANNOTATION_DOCUMENT>{head}{text}{tail}</ANNOTATION_DOCUMENT>'.encode()}


def aligned(name, start, end):
    return f'ANNOTATION_ID="{name}" TIME_SLOT_REF1="{start}" TIME_SLOT_REF2="{end}"'


def spans_ms(files, **options):
    """Return the segments of a file: label, start and end in milliseconds."""
    (labels,) = read_files("elan", files, **options).recordings
    rows = labels.segments.itertuples(index=False)
    return [(labels.vocabulary.names(kind)[id_], Fraction(start, MS), Fraction(end, MS)) for kind, start, end, id_ in rows]


TIER = 'TIER_ID="Phases@AB" LINGUISTIC_TYPE_REF="t"'


def test_an_instant_without_a_time_lies_evenly_between_its_neighbours():
    slots = {"t1": 0, "t2": None, "t3": None, "t4": 900, "other": 100}
    files = eaf({TIER: [(aligned(f"a{i}", f"t{i}", f"t{i + 1}"), "preparation") for i in (1, 2, 3)]}, slots)
    assert [span[1:] for span in spans_ms(files)] == [(0, 300), (300, 600), (600, 900)]
    assert "3 labels with an instant that has no time" in faults_of("elan", files)[0].sentence


def test_labels_that_refer_to_one_label_share_its_time():
    of = 'TIER_ID="steps" PARENT_REF="Phases@AB" LINGUISTIC_TYPE_REF="t"'
    shared = [('ANNOTATION_ID="b2" ANNOTATION_REF="a1" PREVIOUS_ANNOTATION="b1"', "two"), ('ANNOTATION_ID="b1" ANNOTATION_REF="a1"', "one")]
    files = eaf({TIER: [(aligned("a1", "t1", "t2"), "main")], of: shared}, {"t1": 100, "t2": 300})
    assert sorted(spans_ms(files)) == [("main", 100, 300), ("one", 100, 200), ("two", 200, 300)]


def test_the_offset_of_the_medium_of_the_recording_is_added():
    media = "".join(f'<MEDIA_DESCRIPTOR MEDIA_URL="file:///x/{name}.mp4" TIME_ORIGIN="{ms}"/>' for name, ms in (("room", 7), ("op", 250)))
    files = eaf({TIER: [(aligned("a1", "t1", "t2"), "preparation")]}, {"t1": 100, "t2": 300}, media)
    assert spans_ms(files) == [("preparation", 350, 550)]
    assert "those of medium 1, 'op'" in faults_of("elan", files)[0].sentence


def test_the_entry_of_a_controlled_vocabulary_counts():
    entry = '<CV_ENTRY_ML CVE_ID="c1"><CVE_VALUE LANG_REF="en">preparation</CVE_VALUE></CV_ENTRY_ML>'
    tail = f'<CONTROLLED_VOCABULARY CV_ID="v">{entry}</CONTROLLED_VOCABULARY>'
    named = [(f'{aligned("a1", "t1", "t2")} CVE_REF="c1"', ""), (f'{aligned("a2", "t2", "t3")} CVE_REF="c1"', "prep")]
    files = eaf({TIER: named}, {"t1": 0, "t2": 40, "t3": 80}, tail=tail)
    assert [span[0] for span in spans_ms(files)] == ["preparation", "preparation"]
    assert "annotation a2: it says 'prep'" in faults_of("elan", files)[0].sentence


def test_a_tier_of_another_name_is_what_the_vocabulary_says_or_is_named_as_not_kept():
    tiers = {
        'TIER_ID="Ablauf"': [(aligned("a1", "t1", "t2"), "preparation")],
        'TIER_ID="remarks"': [(aligned("a2", "t1", "t2"), "blurred")],
    }
    files = eaf(tiers, {"t1": 0, "t2": 40})
    assert spans_ms(files) == [("preparation", 0, 40)]
    assert [fault.sentence for fault in faults_of("elan", files)] == [f"a/op{SUFFIX}: not kept: tier 'remarks' (1 label)"]


@each(
    "tiers",
    [
        ('TIER_ID="instrument left" PARTICIPANT="surgeon"', 'TIER_ID="instrument right" PARTICIPANT="assistant"'),
        ('TIER_ID="instrument@left"', 'TIER_ID="instrument@right"'),
        ('TIER_ID="Grasper" PARTICIPANT="left hand"', 'TIER_ID="Hook" PARTICIPANT="right hand"'),
    ],
    say=lambda tiers: tiers[0].partition('"')[2],
)
def test_instruments_of_hands_and_of_those_who_operate_are_of_one_annotator(tiers):
    of = {tier: [(aligned(f"a{at}", "t1", "t2"), ("grasper", "hook")[at])] for at, tier in enumerate(tiers)}
    (labels,) = read_files("elan", eaf(of, {"t1": 0, "t2": 40})).recordings
    assert sorted(labels.spans["instrument_id"]) == [0, 2]
    both = {f'{tier} ANNOTATOR="{at}"': of[tier] for at, tier in enumerate(tiers)}
    with pytest.raises(AnnotationError, match="2 annotators have tiers of instruments"):
        read_files("elan", eaf(both, {"t1": 0, "t2": 40}))


@each(
    "second, is_read", [("t1 t2 grasper", False), ("t2 t3 grasper", True), ("t1 t2 grasper #2", True), ("t1 t3 grasper,grasp,gut", False)]
)
def test_an_instrument_that_two_people_saw_at_once_is_refused(second, is_read):
    start, end, label = second.split(maxsplit=2)
    of = {
        'TIER_ID="instrument@AB"': [(aligned("a0", "t1", "t2"), "grasper")],
        'TIER_ID="instrument@CD"': [(aligned("a1", start, end), label)],
    }
    files = eaf(of, {"t1": 0, "t2": 40, "t3": 80})
    said = "'grasper' is on the tiers 'instrument@AB' and 'instrument@CD' at once"
    assert is_read == (said not in " ".join(fault.sentence for fault in faults_of("elan", files)))
    assert not is_read or len(read_files("elan", files).recordings[0].spans) == 2


def of_two(tiers):
    """Return a document of two tiers that both have G2 at the end, and before it G1, which ends 2 s later on the second."""
    of = {
        tier: [(aligned(f"a{at}", "t1", f"t{at}"), "G1"), (aligned(f"b{at}", "t3", "t4"), "G2")] for at, tier in enumerate(tiers, start=2)
    }
    return eaf(of, {"t1": 0, "t2": 5000, "t3": 7000, "t4": 9000})


@each(
    "tiers, said",
    [
        (('TIER_ID="gesture@left"', 'TIER_ID="gesture@RH"'), "gestures on 'gesture@left' and 'gesture@RH'"),
        (('TIER_ID="steps" PARTICIPANT="Left_hand"', 'TIER_ID="steps 2" PARTICIPANT="right"'), "steps on 'steps' and 'steps 2'"),
        (('TIER_ID="mark@R1" PARTICIPANT="LH"', 'TIER_ID="marks@R1" PARTICIPANT="RH"'), "marks on 'mark@R1' and 'marks@R1'"),
    ],
    say=lambda tiers, said: said,
)
@each("annotator", ["", ' ANNOTATOR="lab"'], say=lambda annotator: annotator or "nobody named")
def test_what_both_hands_do_counts_once_and_that_the_hand_is_not_kept_is_said(tiers, said, annotator):
    files = of_two([tier + annotator for tier in tiers])
    assert sorted(spans_ms(files)) == [("G1", 0, 5000), ("G1", 0, 7000), ("G2", 7000, 9000)]
    (told,) = faults_of("elan", files)
    assert told.sentence == f"a/op{SUFFIX}: not kept: the hand of {said}; 1 label that both have counts once"


@each(
    "tiers",
    [
        ('TIER_ID="gesture@R1"', 'TIER_ID="gesture@R2"'),
        ('TIER_ID="gesture@left"', 'TIER_ID="gesture@R2"'),
        ('TIER_ID="gesture@left"', 'TIER_ID="gesture"'),
        ('TIER_ID="gesture@left"', 'TIER_ID="gesture@LH"'),
        ('TIER_ID="step@R1" PARTICIPANT="left"', 'TIER_ID="step@R2" PARTICIPANT="right"'),
        ('TIER_ID="mark" PARTICIPANT="R1"', 'TIER_ID="mark 2" PARTICIPANT="R2"'),
        # Each hand of both raters.
        tuple(
            f'TIER_ID="{rater} {hand}" LINGUISTIC_TYPE_REF="gesture" PARTICIPANT="{hand}"' for rater in "AB" for hand in ("left", "right")
        ),
        ('TIER_ID="phase@R1"', 'TIER_ID="phase@R2"'),
        ('TIER_ID="phase@left"', 'TIER_ID="phase@right"'),
        ('TIER_ID="phase" PARTICIPANT="left"', 'TIER_ID="phase 2" PARTICIPANT="right"'),
    ],
    say=" and ".join,
)
def test_two_people_are_not_one_because_an_annotator_stands_on_all_tiers(tiers):
    of = {f'{tier} ANNOTATOR="lab"': [(aligned(f"a{at}", "t1", "t2"), "G1")] for at, tier in enumerate(tiers)}
    with pytest.raises(AnnotationError, match=r"(2 participants|2 names behind '@'|several people) have tiers of"):
        read_files("elan", eaf(of, {"t1": 0, "t2": 40}))


@each(
    "names",
    [
        ("left", "right"),
        ("LH", "Right hand"),
        ("surgeon", "Nurse"),
        ("PSM1", "PSM2"),
        ("", "right arm"),
        ("AB", "CD"),
        ("left", "AB"),
        ("left", "LH"),
        ("surgeon 1", "surgeon 2"),
    ],
    say=" and ".join,
)
def test_instruments_at_once_are_all_kept_where_one_annotator_says_that_two_hands_or_people_hold_them(names):
    files = of_two([f'TIER_ID="instrument@{name}" ANNOTATOR="lab"' for name in names])
    files = {name: data.replace(b"G1", b"hook").replace(b"G2", b"grasper") for name, data in files.items()}
    if names[1] in {"CD", "AB", "LH", "surgeon 2"}:
        with pytest.raises(AnnotationError, match="at once, as if two people had seen it"):
            read_files("elan", files)
    else:
        assert len(read_files("elan", files).recordings[0].spans) == 4


def test_tiers_of_one_person_and_those_that_are_not_kept_are_no_fault():
    tier = 'TIER_ID="{}" PARTICIPANT="{}"'
    of = [(tier.format("phase@R1", "R1"), "preparation"), (tier.format("more phases@R1", "R1"), "preparation")]
    of += [(tier.format("remarks@R2", "R2"), "blurred"), ('TIER_ID="phase 3"', "preparation")]
    files = eaf({name: [(aligned(f"a{at}", "t1", "t2"), label)] for at, (name, label) in enumerate(of)}, {"t1": 0, "t2": 40})
    assert spans_ms(files) == [("preparation", 0, 40)] * 3


def test_two_of_a_class_keep_their_numbers_and_get_two_tiers():
    tool = 'TIER_ID="tools left" LINGUISTIC_TYPE_REF="t"'
    named = [(aligned("a1", "t1", "t3"), "grasper #1"), (aligned("a2", "t2", "t4"), "grasper,retract,gallbladder")]
    files = eaf({tool: [*named, (aligned("a3", "t4", "t5"), "nothing in view")]}, {f"t{i}": 10 * i for i in range(1, 6)})
    first = read_files("elan", files)
    out = write_files("elan", first)
    (again,) = read_files("elan", out.files).recordings
    assert first.recordings[0].spans["instance"].tolist()[:2] == [1, 0]
    assert again.spans.equals(first.recordings[0].spans)
    assert b'TIER_ID="instrument grasper 2"' in out.files[f"op{SUFFIX}"]


OF_TWO_PEOPLE = [
    (('TIER_ID="phase@A" ANNOTATOR="A"', 'TIER_ID="phase@B" ANNOTATOR="B"'), "2 annotators have tiers of phases: 'phase@A', 'phase@B'"),
    (('TIER_ID="phase 1" PARTICIPANT="R1"', 'TIER_ID="phase 2" PARTICIPANT="R2"'), "2 participants have tiers of phases"),
    (('TIER_ID="phase@R1"', 'TIER_ID="phases@R2"'), "2 names behind '@' have tiers of phases"),
    (('TIER_ID="gesture@R1"', 'TIER_ID="gesture@R2"'), "2 names behind '@' have tiers of gestures"),
    (('TIER_ID="mark" PARTICIPANT="R1"', 'TIER_ID="mark 2" PARTICIPANT="R2"'), "2 participants have tiers of marks"),
    (('TIER_ID="phase"', 'TIER_ID="phase@R2"'), "several people have tiers of phases: 'phase', 'phase@R2'"),
    # What such a tier has the vocabulary says.
    (('TIER_ID="Ablauf@R1"', 'TIER_ID="Ablauf@R2"'), "2 names behind '@' have tiers of phases.*; export the tiers of one annotator"),
    (('TIER_ID="Ablauf" ANNOTATOR="A"', 'TIER_ID="Verlauf" ANNOTATOR="B"'), "2 annotators have tiers of phases"),
]
BOMB = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><ANNOTATION_DOCUMENT>&b;</ANNOTATION_DOCUMENT>'
NO_DOCUMENTS = [
    (BOMB, r"declares a document type \(DOCTYPE\)"),
    (BOMB.decode().encode("utf-16"), r"declares a document type \(DOCTYPE\)"),
    (b"<ANNOTATION_DOCUMENT>\n<TIER>", "line 2: not XML: no element found"),
    (b'<?xml version="1.0" encoding="x"?><a/>', "not XML: unknown encoding"),
    (b"<annotations/>", "outermost element is <annotations>"),
]
OF_ELAN = [
    ('TIME_VALUE="31500"', 'TIME_VALUE="1"', "tier 'phase', annotation a2: it ends at 0.001 s, but starts at 12.04 s"),
    ('TIME_VALUE="31500"', 'TIME_VALUE="soon"', "time slot ts3: TIME_VALUE is 'soon', expected whole milliseconds"),
    ('TIME_SLOT_REF2="ts3"', 'TIME_SLOT_REF2="ts99"', "annotation a2: there is no time slot 'ts99'"),
    (">hook<", ">hok<", "annotation a4: 'hok' is no instrument of the vocabulary"),
    (">grasper,retract,gallbladder<", ">grasper,retract<", "is no instrument, and no instrument,verb,target"),
    ('TIME_UNITS="milliseconds"', 'TIME_UNITS="PAL-frames"', "HEADER: times are in 'PAL-frames'"),
]
OTHERWISE = ONE_TWICE["metadata"] | {"m2": {**ONE_TWICE["metadata"]["m2"], "av": {"0": "gallbladder-dissection"}}}
SEVERAL = r"files '.*', '.*' are several videos of the name '(endoscope|op 1)'; give each video"
FAULTS = [
    ("via3", via(metadata={"m": {"vid": "1", "z": [3, 1], "xy": [], "av": {"0": "0"}}}), "metadata m: it ends at 1 s, but starts at 3 s"),
    ("via3", via(metadata={"m": {"vid": "1", "z": [0, 1], "xy": [], "av": {"0": "9"}}}), "metadata m: '9' is no option of 'phase'"),
    ("via3", via(metadata={"m": {"vid": "7", "z": [0, 1], "xy": [], "av": {"0": "0"}}}), 'metadata m: view "7" shows null, expected one'),
    ("via3", via(metadata={"m": {"vid": "1", "z": [0, 1], "xy": [], "av": {"8": "0"}}}), "metadata m: attribute '8'"),
    ("via3", via(metadata={}), "no video has a segment with a label"),
    ("via3", via(**TWO_FILES), SEVERAL),
    ("via3", {"a/export.csv": (CSV + LIKE_IT).encode()}, SEVERAL),
    (
        "via3",
        via(**ONE_TWICE | {"metadata": OTHERWISE}),
        "files '1' and '2' are both 'endoscope', and say 'preparation' and 'gallbladder-dissection' at once; keep the labels of one",
    ),
    ("vidat", vidat(10, [(2, 1, 1)]), "actionAnnotationList 0: it ends at 1 s, but starts at 2 s"),
    ("vidat", vidat(10, [(0, 1, 9)]), "actionAnnotationList 0: there is no action 9 in the configuration"),
    ("vidat", vidat(0, [(0, 1, 1)]), "video: 'fps' is no rate"),
    ("vidat", vidat(10, [(0, "x", 1)]), "actionAnnotationList 0: 'end' is \"x\", expected seconds"),
    ("boris", project([event(0), event(2), event(7.5)]), "observation 'op 1', event 2: 'preparation' starts at 7.5 s, and never stops"),
    ("boris", {FILE: b"\xef\xbb\xbfObservation id,Behavior,Start (s)\n"}, "it is a table that BORIS exported; give the project that BORIS"),
    ("boris", project([event(0), event(1, "prep")]), "event 1: 'prep' is no behaviour of the ethogram"),
    (
        "elan",
        eaf({TIER: [(aligned("a1", "t1", "t2"), "preparation")]}, {"t1": 0, "t2": None}),
        "tier 'Phases@AB', annotation a1: an instant has no time",
    ),
    (
        "elan",
        eaf({'TIER_ID="K-Spch"': [(aligned("a1", "t1", "t2"), "so you go")]}, {"t1": 0, "t2": 40}),
        "no tier has phases, steps.*name one 'phase'",
    ),
    *(
        ("elan", eaf({tier: [(aligned(f"a{at}", "t1", "t2"), "preparation")] for at, tier in enumerate(tiers)}, {"t1": 0, "t2": 40}), said)
        for tiers, said in OF_TWO_PEOPLE
    ),
    *(("elan", {f"a/op{SUFFIX}": data}, rf"a/op\.eaf.*{said}") for data, said in NO_DOCUMENTS),
]


@each("name, files, said", FAULTS, say=lambda name, files, said: f"{name}: {said}")
def test_a_fault_names_its_place(name, files, said):
    with pytest.raises(AnnotationError, match=said):
        read_files(name, files)


def test_names_that_a_point_between_digits_tells_apart_are_two_and_those_that_could_be_two_are_refused():
    def steps(*names):
        tier = [(aligned(f"a{at}", f"t{at}", f"t{at + 1}"), name) for at, name in enumerate(names)]
        return eaf({'TIER_ID="step"': tier}, {f"t{at}": 1000 * at for at in range(len(names) + 1)})

    (labels,) = read_files("elan", steps("Step 1.1", "Step 11", "step-11")).recordings
    assert labels.vocabulary.steps == ("Step 1.1", "Step 11")
    with pytest.raises(AnnotationError, match="the steps 'Step 1/a' and 'Step 1a' would be one name"):
        read_files("elan", steps("Step 1/a", "Step 1a"))


@each("old, new, said", OF_ELAN, say=lambda old, new, said: said)
def test_a_fault_of_elan_names_its_place_also_by_a_vocabulary(old, new, said):
    with pytest.raises(AnnotationError, match=said):
        read_files("elan", changed("elan", SUFFIX, old, new), vocabulary="cholect50")
