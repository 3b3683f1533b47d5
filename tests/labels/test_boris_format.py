"""BORIS: states become spans; what has no partner, no video or no place is said."""

import json

import pytest

from label_examples import EXAMPLES, faults_of, read_files, write_files
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.labels.formats.programs import named_spans
from scrubin.labels.model import Collection
from scrubin.labels.parse.fields import Where
from scrubin.labels.rates import NS

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
    files = project([event(0, subject="a"), event(1, subject="b"), event(2, subject="b"), event(3, subject="a")])
    assert segments(files) == [[0, 3 * NS], [NS, 2 * NS]]
    assert "subjects of 'op 1' (4)" in faults_of("boris", files)[0].sentence


def test_a_state_without_a_stop_is_an_error_with_its_place():
    with pytest.raises(AnnotationError, match=r"observation 'op 1', event 2: 'preparation' starts at 7.5 s, and never stops"):
        read_files("boris", project([event(0), event(2), event(7.5)]))


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


def test_a_behaviour_that_the_ethogram_lacks_is_an_error():
    with pytest.raises(AnnotationError, match="event 1: 'prep' is no behaviour of the ethogram"):
        read_files("boris", project([event(0), event(1, "prep")]))


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
