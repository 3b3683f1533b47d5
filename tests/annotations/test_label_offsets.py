"""Labels and video of different length: both lengths, and a likely offset only with its reason."""

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary import vocabulary
from scrubin.labels.model import SOURCE_FRAMES, Clock, Labels, Layer, phase_rows, segment_rows, span_rows
from scrubin.labels.rates import NANOSECONDS, NS
from scrubin.stages.annotations import lengths
from scrubin.stages.annotations.lengths import explained

WORDS = vocabulary.load("cholect50")
PAL = Fraction(25)
NTSC = Fraction(30000, 1001)


def labelled(positions, clock=SOURCE_FRAMES, *, every_frame=False, **more):
    at = list(positions)
    layer = Layer("a/v1.txt", np.array(at, np.int64), phase_rows(at, [0] * len(at)), every_frame)
    return Labels("v1", "x", WORDS, clock, phases=layer if at else None, **more)


def problems_of(labels, seconds, fps=PAL, tolerance_s=1.0, first=0):
    faults = Faults()
    frames = round(seconds * fps)
    length = {"source_frames": frames, "source_s": float(Fraction(frames) / fps), "source_size": (320, 240)}
    lengths.check(labels, **length, tolerance_s=tolerance_s, faults=faults, first=first)
    try:
        AnnotationError.raise_any(faults)
    except AnnotationError as error:
        return str(error)
    return ""


PER_SECOND = Clock(Fraction(1))


@pytest.mark.parametrize(
    ("labels", "seconds", "message"),
    [
        # Numbered by source frames, but read per second: the reason is that they fit.
        (
            labelled(range(500), PER_SECOND),
            20,
            r"end at 500 s, the video at 20 s; they are as long as the video at its own 25 frames per second",
        ),
        # Labels of every millisecond's frame, read as frames.
        (labelled(range(0, 20000, 40)), 20, r"have 19961 frames, the video 500 \(20 s\); they are as long as the video in milliseconds"),
        # One label per second, read by source frame.
        (
            labelled(range(20), every_frame=True),
            20,
            r"have 20 frames, the video 500 .*; 480 frames \(19.2 s\) are not labelled: .* at 1 per second",
        ),
        # Begin as late as they end too late: the video lacks its beginning.
        (
            labelled(range(30, 90), PER_SECOND),
            60,
            "end at 90 s, the video at 60 s; they begin at 30 s and run about as long .* likely offset is 30 s",
        ),
        (labelled(range(30, 91), PER_SECOND), 60, "they begin at 30 s and run about as long .* likely offset is 31 s"),
        (labelled(range(50, 70), PER_SECOND), 60, "they begin at 50 s, so any offset from 10 to 50 s makes them fit"),
        # From the start to beyond the end: both are possible, and nothing says which.
        (
            labelled(range(90), PER_SECOND),
            60,
            "so no offset makes all of them fit; if .* beginning, the offset is 30 s; if it lacks its end, it is 0 s",
        ),
        (labelled(range(1000)), 30, r"have 1000 frames, the video 750 \(30 s\); .* the offset is 10 s"),
        (
            labelled(range(700), every_frame=True),
            40,
            r"300 frames \(12 s\) are not labelled: if the labels are of a copy that lacks its beginning, the offset is 12 s",
        ),
        (
            labelled(range(30), PER_SECOND, every_frame=True),
            60,
            "the labels end at 30 s, the video at 60 s; 30 s are not labelled: if .* the offset is 30 s",
        ),
    ],
)
def test_both_lengths_and_the_offset_with_its_reason(labels, seconds, message):
    assert re.search(f"v1.txt.*{message}", problems_of(labels, seconds))


def test_labels_of_a_copy_at_another_rate_are_named():
    message = problems_of(labelled(range(25 * 600), every_frame=True), 600, NTSC)
    assert "the labels have 15000 frames, the video 17982" in message
    assert "they are as long as the video at 25 per second: likely they are numbered at this rate" in message


def test_a_label_per_second_that_begins_a_whole_tolerance_behind_the_end_is_beyond_it():
    assert problems_of(labelled(range(2, 13), PER_SECOND), 11.04) == ""
    assert problems_of(labelled(range(2, 12), PER_SECOND), 10) != ""
    assert problems_of(labelled(range(2, 11), PER_SECOND), 10) == ""


@pytest.mark.parametrize("fps", [PAL, NTSC, Fraction(24000, 1001)])
def test_one_label_beyond_the_end_is_within_the_tolerance_and_not_without(fps):
    frames = round(20 * fps)
    assert problems_of(labelled(range(frames + 1), every_frame=True), 20, fps) == ""
    assert f"the labels have {frames + 1} frames, the video {frames}" in problems_of(labelled(range(frames + 1)), 20, fps, tolerance_s=0)
    assert problems_of(labelled(range(frames), every_frame=True), 20, fps, tolerance_s=0) == ""
    assert f"the labels have {frames - 1} frames" in problems_of(labelled(range(frames - 1), every_frame=True), 20, fps, tolerance_s=0)


@pytest.mark.slow
def test_spans_that_end_with_the_video_fit_without_any_tolerance():
    """In floating point 15,000,000,000 times a billionth is a bit more than 15."""
    for tenths in range(10, 400):
        end, length = tenths * NS // 10, Fraction(tenths, 10)
        fits, beyond = (segment_rows([("step", 0, until, 0)]) for until in (end, end + 1))
        assert problems_of(labelled([], NANOSECONDS, segments=fits), length, Fraction(50), tolerance_s=0) == ""
        assert "the offset is 1e-09 s" in problems_of(labelled([], NANOSECONDS, segments=beyond), length, Fraction(50), tolerance_s=0)


def test_numbers_from_one_are_as_long_as_numbers_from_zero():
    labels = labelled(range(1, 501), every_frame=True)
    assert problems_of(labels, 20, tolerance_s=0, first=1) == ""
    assert problems_of(labelled(range(1, 500)), 20) == ""  # frame 0 may have no label


@pytest.mark.parametrize(
    ("labels", "seconds"),
    [
        (labelled(range(1, 501)), 20),
        (labelled(range(1, 501), every_frame=True), 20),
        (labelled(range(1, 21), PER_SECOND), 20),
        (labelled(range(1, 22), PER_SECOND), Fraction(41, 2)),
    ],
)
def test_a_shift_by_one_is_within_no_tolerance(labels, seconds):
    message = problems_of(labels, seconds, tolerance_s=5)
    assert "the labels run from 1 to" in message
    assert "likely they are numbered from 1: number them from 0" in message


def test_labels_of_a_format_that_counts_from_1_are_told_in_its_numbers_and_nobody_is_to_take_one_off_again():
    message = problems_of(replace(labelled(range(1, 501)), format="mot"), 20)
    assert "the labels run from 2 to 501" in message
    assert "likely they are numbered from 2: mot numbers frames from 1" in message
    assert "--first-frame" not in message


@given(st.integers(2, 400), st.sampled_from([PAL, NTSC, Fraction(24000, 1001)]), st.sampled_from([None, 1, 5, 25]))
def test_labels_of_every_instant_are_fine_from_zero_and_refused_from_one(frames, fps, per_second):
    seconds = Fraction(frames) / fps
    clock = SOURCE_FRAMES if per_second is None else Clock(Fraction(1, per_second))
    count = frames if per_second is None else -(-seconds * per_second // 1)
    if per_second is not None and per_second > fps:
        return
    assert problems_of(labelled(range(int(count)), clock, every_frame=True), seconds, fps) == ""
    shifted = labelled(range(1, int(count) + 1), clock)
    assert ("numbered from 1" in problems_of(shifted, seconds, fps)) == (count > 1)
    assert problems_of(shifted, seconds, fps, first=1) == ""


def test_rows_every_so_many_frames_cover_the_frames_between():
    assert problems_of(labelled(range(0, 500, 25), every_frame=True), 20, tolerance_s=0) == ""
    assert "50 frames" not in problems_of(labelled(range(0, 450, 25), every_frame=True), 20, tolerance_s=2)
    assert "(4 s) are not labelled" in problems_of(labelled(range(0, 400, 25), every_frame=True), 20)


def test_a_single_frame_and_no_label_at_all():
    assert problems_of(labelled([0], every_frame=True), Fraction(1, 25)) == ""
    assert problems_of(labelled([0], PER_SECOND), Fraction(1, 25)) == ""
    assert problems_of(labelled([]), 20) == ""
    assert problems_of(labelled([]), 0) == ""


def test_a_video_without_frames_is_named_and_never_divided_by():
    faults = Faults()
    labels = labelled([0, 1], every_frame=True)
    lengths.check(labels, source_frames=0, source_s=0.0, source_size=(320, 240), tolerance_s=1.0, faults=faults)
    with pytest.raises(AnnotationError, match=r"v1.txt: the video has 0 frames and 0 s; bring the video that was labelled"):
        AnnotationError.raise_any(faults)


def test_spans_beyond_the_end_are_refused_too():
    table = span_rows([{"instrument_id": 0, "instance": 0, "start": 0, "end": 30 * NS}])
    for unit, said in (("s", "no offset makes"), ("ms", "no offset makes")):
        labels = labelled([], NANOSECONDS, spans=table, about={"spans": {"unit": unit}})
        assert re.search(f"v1, last of the spans: the labels end at 30 s, the video at 20 s; .*{said}", problems_of(labels, 20))
    seconds_for_ms = span_rows([{"instrument_id": 0, "instance": 0, "start": 0, "end": 20_000 * NS}])
    labels = labelled([], NANOSECONDS, spans=seconds_for_ms, about={"spans": {"unit": "s"}})
    assert "in milliseconds: likely they are counted in milliseconds" in problems_of(labels, 20)
    by_frame = span_rows([{"instrument_id": 0, "instance": 0, "start": 0, "end": 500}])
    assert problems_of(labelled([], spans=by_frame), 20, tolerance_s=0) == ""
    assert "the labels have 500 frames, the video 450" in problems_of(labelled([], spans=by_frame), 18)


def test_segments_with_a_unit_of_their_own_are_held_to_the_length_by_it():
    """As in the table `segments`, which counts nanoseconds beside phases by second."""
    for end_s, says in ((17, ""), (60, "the labels end at 60 s, the video at 18 s")):
        segments = segment_rows([("step", 0, end_s * NS, 0)])
        labels = labelled([0, 1], Clock(Fraction(1)), segments=segments, segments_clock=Clock(Fraction(1, NS)))
        assert says in problems_of(labels, 18)
        assert bool(says) == bool(problems_of(labels, 18))


def test_segments_in_milliseconds_beyond_the_end_are_refused_too():
    labels = labelled([], Clock(Fraction(1, 1000)), segments=segment_rows([("phase", 0, 60_000, 0)]))
    assert problems_of(labels, 60, tolerance_s=0) == ""
    assert "the labels end at 60 s, the video at 40 s" in problems_of(labels, 40)


@given(st.floats(0, 5000), st.floats(1, 5000), st.floats(1, 5000), st.sampled_from([1.0, 25.0, 1000.0]), st.sampled_from([25.0, 29.97]))
def test_an_offset_that_is_said_to_fit_does_fit(first_s, run_s, source_s, rate, source_fps):
    end_s = first_s + run_s
    text = explained(first_s, end_s, source_s, 1.0, rate, source_fps)
    likely = re.search(r"the likely offset is ([0-9.e+-]+) s", text)
    if likely:
        offset_s = float(likely[1])
        assert first_s - offset_s >= -1.01 - 1e-5 * end_s
        assert end_s - offset_s <= source_s + 1e-5 * end_s + 0.01
    if "no offset makes" in text:
        assert run_s > source_s - 1
    if "at its own" in text:
        assert abs(rate * end_s / source_fps - source_s) <= 0.021 * source_s
