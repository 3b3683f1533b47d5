"""Faults are data; sentences are views of them."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.errors import AnnotationError, ScrubinError
from scrubin.base.faults import SHOWN, Fault, Faults, summary

TEXT = st.text(max_size=12)


def test_a_sentence_has_file_frames_place_what_and_fix():
    fault = Fault("a.json", "id-range", "id 9 is too high", "correct it", "vector 2", frames=(3, 4, 9))
    assert fault.sentence == "a.json, frames 3-4, 9, vector 2: id 9 is too high (3 frames); correct it"


def test_a_video_stands_before_its_frames():
    fault = Fault("s.json", "extra", "not labelled", "leave it out", place="video b", frames=(8,))
    assert fault.sentence == "s.json, video b, frame 8: not labelled; leave it out"


def test_what_is_the_same_but_for_its_frame_is_one_fault():
    faults = Faults()
    for frame in (5, 3, 4):
        faults.error("a.json", "r", "no score", "give one", frames=[frame])
    (one,) = faults.all()
    assert (one.frames, one.count) == ((3, 4, 5), 3)


def test_the_same_at_one_place_is_said_once_and_without_place_it_is_counted():
    faults = Faults()
    for _ in range(2):
        faults.error("a", "r", "broken", "mend", place="line 1")
        faults.error("b", "r", "broken", "mend")
    assert [fault.count for fault in faults.all()] == [1, 2]


def test_faults_of_one_cause_are_one_line_with_a_count_and_the_other_files():
    faults = [Fault(f"{name}.json", "id", f"id '{i}' is no number", "give numbers", f"image {i}") for name in "ab" for i in range(18)]
    (line,) = summary(faults)
    assert line == "a.json, image 0: id '0' is no number; give numbers (and at 35 more places, also in b.json)"


def test_causes_beyond_the_shown_ones_are_counted_and_their_files_named():
    faults = [Fault(f"{i}.json", f"rule-{i}", "wrong", "correct it") for i in range(SHOWN + 2)]
    lines = summary(faults)
    assert len(lines) == SHOWN + 1
    assert lines[-1] == f"... and 2 more causes, 2 faults, also in {SHOWN}.json, {SHOWN + 1}.json"


def test_only_errors_are_raised_but_all_faults_are_in_the_error():
    faults = Faults()
    faults.warning("a", "w", "odd", "look")
    AnnotationError.raise_any(faults)
    faults.deviation("a", "d", "padded", "write 12")
    AnnotationError.raise_any(faults)
    faults.error("a", "e", "broken", "mend")
    with pytest.raises(AnnotationError, match="3 faults:\n  a: odd; look\n  a: padded; write 12\n  a: broken; mend") as caught:
        AnnotationError.raise_any(faults)
    assert [fault.severity for fault in caught.value.faults] == ["warning", "deviation", "error"]


def test_a_plain_sentence_is_a_fault_too():
    assert [fault.sentence for fault in ScrubinError("there is no such file").faults] == ["there is no such file"]


@given(st.lists(st.builds(Fault, TEXT, TEXT, TEXT, TEXT, TEXT, st.sampled_from(["error", "deviation", "warning"])), min_size=1, max_size=5))
def test_faults_survive_a_process_boundary_and_print_on_one_line_each(faults):
    error = pickle.loads(pickle.dumps(AnnotationError(faults)))
    assert error.faults == tuple(faults)
    collected = Faults()
    collected.extend(faults)
    assert all(fault.sentence.isprintable() for fault in collected.all())
