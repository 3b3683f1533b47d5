"""The one rule of alignment against a slow, plain reading of it: odd rates, variable rates, cuts, tiny videos."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.labels.model import SOURCE_FRAMES, Clock
from scrubin.labels.rates import CHOLEC80_PNG, NONE, SECONDS, Numbering, covered, renumber
from scrubin.stages.annotations.placing import NS, TIE_NS, UNUSED, align, timeline

RATES = [Fraction(25), Fraction(30000, 1001), Fraction(24000, 1001), Fraction(20), Fraction(60000, 1001), Fraction(7)]


def video(times_s, offset_s, frame_fps, first_source_frame=0):
    """The timeline of a video by the frame contract: frame k is the first decoded frame at or after k / frame_fps."""
    times = [time for time in times_s if time >= offset_s]
    end = (times[-1] - offset_s + Fraction(1, 25)) if times else Fraction(0)
    frames, numbers = [], []
    for number, time in enumerate(times):
        while time - offset_s >= Fraction(len(frames)) / frame_fps:
            frames.append(len(frames))
            numbers.append(number)
    return timeline(
        np.array(frames, np.int64),
        np.array([float(times[n] - offset_s) for n in numbers], np.float64),
        np.array(numbers, np.int64),
        offset_s=Fraction(offset_s),
        duration_s=float(end),
        first_source_frame=len(times_s) - len(times) + first_source_frame,
        frame_count=len(times),
    )


@st.composite
def lines(draw):
    fps = draw(st.sampled_from(RATES))
    count = draw(st.integers(1, 150))
    if draw(st.booleans()):
        times = [Fraction(n) / fps for n in range(count)]
    else:  # variable: each frame lasts one to six times 1/fps
        steps = draw(st.lists(st.integers(1, 6), min_size=count - 1, max_size=count - 1))
        times = [Fraction(0)]
        for step in steps:
            times.append(times[-1] + step / fps)
    offset_s = draw(st.sampled_from([Fraction(0), Fraction(2, 5), Fraction(1), Fraction(59, 25)]))
    return video(times, min(offset_s, times[-1]), draw(st.sampled_from([Fraction(1), Fraction(2), Fraction(5)])))


def slow(positions, times_ns, period_ns, line, usable):
    """Points 2 and 3 of the rule, read out loud."""
    wants = {}
    for label, (time, use) in enumerate(zip(times_ns, usable, strict=True)):
        if not use or not len(line.times_ns):
            continue
        near = min(abs(int(t) - time) for t in line.times_ns)
        tied = max(int(t) for t in line.times_ns if abs(int(t) - time) <= near + TIE_NS)
        frame = line.times_ns.tolist().index(tied)  # from a tie the later one; of a still picture the first
        if 2 * abs(int(line.times_ns[frame]) - time) <= period_ns + TIE_NS:
            wants.setdefault(frame, []).append((abs(int(line.times_ns[frame]) - time), label))
    frames = [UNUSED] * len(positions)
    for frame, labels in wants.items():
        nearest = min(distance for distance, _ in labels)
        frames[min(label for distance, label in labels if distance <= nearest + TIE_NS)] = int(line.frames[frame])
    return frames


@given(lines(), st.sampled_from([Fraction(1), Fraction(25), Fraction(1000, 333), Fraction(30000, 1001), Fraction(1, 2)]), st.data())
def test_labels_by_time_go_where_the_rule_says(line, per_second, data):
    last = int(line.end_ns * per_second / NS) + 3
    positions = sorted(data.draw(st.sets(st.integers(0, last), max_size=60)))
    found = align(np.array(positions, np.int64), Clock(1 / per_second), line)
    times_ns = [round(position / per_second * NS) for position in positions]
    assert found.frames.tolist() == slow(positions, times_ns, round(NS / per_second), line, [True] * len(positions))
    unused = int((found.frames == UNUSED).sum())
    assert found.before + found.after + found.between == unused


@given(lines(), st.data())
def test_a_label_of_an_extracted_picture_goes_to_its_frame_whatever_the_rate(line, data):
    last = line.end_source_frame + 5
    others = data.draw(st.sets(st.integers(0, last), max_size=60))
    positions = sorted({*others, *line.source_frames.tolist()})
    found = align(np.array(positions, np.int64), SOURCE_FRAMES, line)
    # A picture that stands for several frames is labelled once here, and repeated when it is placed.
    at = {position: frame for position, frame in zip(positions, found.frames.tolist(), strict=True) if frame != UNUSED}
    for picture in set(line.source_frames.tolist()):
        assert at[picture] in line.frames[line.source_frames == picture].tolist()
    assert all(line.start_source_frame <= position < line.end_source_frame for position in at)
    assert len(set(at.values())) == len(at)


def test_three_hours_at_29_97_do_not_drift(make):
    n = 3 * 3600
    line = make.line(n, Fraction(30000, 1001))
    assert align(np.arange(n), Clock(Fraction(1)), line).frames.tolist() == list(range(n))
    found = align(line.source_frames, SOURCE_FRAMES, line)
    assert found.frames.tolist() == list(range(n))
    assert np.abs(found.shifts_ns).max() == 0


def test_sparse_source_frames_go_to_the_nearest_frame_within_half_a_second(make):
    line = make.line(4, Fraction(25), Fraction(2))  # source frames 50, 75, 100, 125 of a cut 50..149
    found = align(np.array([49, 62, 63, 99, 137, 138, 150]), SOURCE_FRAMES, line)
    # 62 is nearer to 50, 63 to 75; 137 is 0.48 s after the last frame, 138 is 0.52 s; 49 and 150 are cut off, however near.
    assert found.frames.tolist() == [-1, 0, 1, 2, 3, -1, -1]
    assert (found.before, found.after, found.between) == (1, 1, 1)


def test_of_two_labels_near_a_frame_the_nearest_counts_and_from_a_tie_the_later_frame(make):
    line = make.line(3, Fraction(25))
    assert align(np.array([23, 24, 27]), SOURCE_FRAMES, line).frames.tolist() == [-1, 1, -1]
    assert align(np.array([24, 25, 26]), SOURCE_FRAMES, line).frames.tolist() == [-1, 1, -1]
    tied = make.line(3, Fraction(20), Fraction(1, 2))
    assert align(np.arange(5), Clock(Fraction(1)), tied).frames.tolist() == [0, 1, 2, -1, -1]


def test_png_numbers_start_at_one_and_are_25_frames_apart():
    numbers = np.arange(1, 6)
    at = renumber(numbers, CHOLEC80_PNG, SECONDS)
    line = video([Fraction(n, 25) for n in range(125)], Fraction(0), Fraction(1))
    assert align(at, Clock(Fraction(1)), line).frames.tolist() == [0, 1, 2, 3, 4]
    by_frame = renumber(numbers, CHOLEC80_PNG, Numbering(Fraction(25)))
    assert align(by_frame, SOURCE_FRAMES, line).frames.tolist() == [0, 1, 2, 3, 4]


def test_milliseconds_of_frames_that_are_not_whole_milliseconds():
    fps = Fraction(30000, 1001)
    line = video([Fraction(n) / fps for n in range(300)], Fraction(0), Fraction(1))
    stamps = np.array([round(n / fps * 1000) for n in range(300)])
    found = align(stamps, Clock(Fraction(1, 1000)), line)
    assert [int(k) for k in np.flatnonzero(found.frames != UNUSED)] == line.source_frames.tolist()


def test_one_label_beyond_the_end_has_no_frame_and_is_counted():
    line = video([Fraction(n, 25) for n in range(75)], Fraction(0), Fraction(1))
    found = align(np.arange(4), Clock(Fraction(1)), line)
    assert found.frames.tolist() == [0, 1, 2, UNUSED]
    assert (found.before, found.after, found.between) == (0, 1, 0)
    found = align(np.array([0, 74, 75]), SOURCE_FRAMES, line)
    assert (found.frames.tolist(), found.after) == ([0, UNUSED, UNUSED], 1)


@pytest.mark.parametrize("clock", [SOURCE_FRAMES, Clock(Fraction(1)), Clock(Fraction(1, 25)), Clock(Fraction(1, 1000))])
def test_a_video_of_one_frame_takes_its_first_label_and_one_without_frames_none(clock):
    one = video([Fraction(0)], Fraction(0), Fraction(1))
    assert align(np.array([0]), clock, one).frames.tolist() == [0]
    none = timeline(
        np.empty(0, np.int64),
        np.empty(0, np.float64),
        np.empty(0, np.int64),
        offset_s=Fraction(0),
        duration_s=0.0,
        first_source_frame=0,
        frame_count=0,
    )
    found = align(np.array([0, 5]), clock, none)
    assert found.frames.tolist() == [UNUSED, UNUSED]
    assert found.before + found.after + found.between == 2
    assert len(align(np.empty(0, np.int64), clock, one).frames) == 0


@pytest.mark.slow
@given(st.integers(0, 10**6), st.integers(1, 10**5), st.sampled_from(RATES), st.sampled_from(RATES), st.integers(0, 1), st.integers(0, 1))
def test_a_span_covers_the_numbers_whose_instants_are_inside(start, length, of, to, first, to_first):
    counted, wanted = Numbering(of, first), Numbering(to, to_first)
    low, high = covered(start + first, start + first + length, counted, wanted)
    begin, end = Fraction(start) / of, Fraction(start + length) / of
    for number in {low - 1, low, high - 1, high}:
        assert (low <= number < high) == (begin <= Fraction(number - to_first) / to < end)


@given(st.integers(1, 500), st.sampled_from(RATES), st.sampled_from([Fraction(1), Fraction(5)]))
def test_of_gapless_labels_the_rate_contract_takes_the_first_at_or_after(count, of, to):
    found = renumber(np.arange(count), Numbering(of), Numbering(to))
    for number in range(int((count - 1) / of * to) + 1):
        (at,) = np.flatnonzero(found == number).tolist()
        assert Fraction(at) / of >= Fraction(number) / to
        assert at == 0 or Fraction(at - 1) / of < Fraction(number) / to
    assert set(found[found != NONE].tolist()) == set(range(int((count - 1) / of * to) + 1))
