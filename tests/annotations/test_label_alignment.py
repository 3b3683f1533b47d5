from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrubin.labels.model import SOURCE_FRAMES, Clock
from scrubin.stages.annotations.placing import align, timeline

SECONDS = Clock(Fraction(1))
RATES = st.sampled_from([Fraction(25), Fraction(20), Fraction(30), Fraction(50), Fraction(30000, 1001), Fraction(24000, 1001)])


def to_seconds(line, seconds):
    return align(np.arange(seconds), SECONDS, line).frames.tolist()


@given(RATES, st.integers(1, 400))
def test_label_second_k_of_an_uncut_video_is_frame_k(make, fps, n):
    assert to_seconds(make.line(n, fps), n) == list(range(n))


def test_three_hours_at_29_97_do_not_drift(make):
    n = 3 * 3600
    line = make.line(n, Fraction(30000, 1001))
    assert to_seconds(line, n) == list(range(n))
    found = align(line.source_frames, SOURCE_FRAMES, line)
    assert found.frames.tolist() == list(range(n))
    assert np.abs(found.shifts_ns).max() == 0


@given(RATES, st.integers(1, 60), st.integers(0, 30))
def test_a_start_at_a_whole_second_takes_as_many_labels_off(make, fps, n, start):
    line = make.line(n, fps, Fraction(start))
    found = align(np.arange(start + n + 5), SECONDS, line)
    assert found.frames.tolist() == [-1] * start + list(range(n)) + [-1] * 5
    assert (found.before, found.after, found.between) == (start, 5, 0)


@given(st.sampled_from([20, 25, 30, 50]), st.integers(1, 40), st.fractions(0, 20, max_denominator=50))
def test_at_a_whole_rate_all_labels_move_by_the_same_at_most_half_a_period(make, fps, n, offset_s):
    offset_s = Fraction(round(offset_s * fps), fps)
    found = align(np.arange(n + 25), SECONDS, make.line(n, Fraction(fps), offset_s))
    used = found.frames >= 0
    assert len(set(found.shifts_ns[used].tolist())) <= 1
    assert np.abs(found.shifts_ns).max() <= 5 * 10**8
    # Consecutive labels on consecutive frames: nothing is skipped and nothing used twice.
    assert found.frames[used].tolist() == list(range(n))[-used.sum() :] == sorted(set(found.frames[used].tolist()))
    assert used.sum() >= n - 1


def test_from_a_tie_every_label_goes_to_the_later_frame(make):
    assert to_seconds(make.line(3, Fraction(20), Fraction(1, 2)), 5) == [0, 1, 2, -1, -1]


@given(st.data())
def test_whatever_the_rate_a_label_has_one_frame_at_most_and_a_frame_one_label(make, data):
    n = data.draw(st.integers(1, 30))
    gaps = data.draw(st.lists(st.floats(0.001, 3), min_size=n, max_size=n))
    times = np.cumsum(gaps)
    offset = data.draw(st.fractions(0, 20, max_denominator=1001))
    period = data.draw(st.sampled_from([Fraction(1), Fraction(1, 5), Fraction(2)]))
    line = timeline(
        np.arange(n),
        times,
        np.arange(n) * 10,
        offset_s=offset,
        duration_s=float(times[-1]) + 0.1,
        first_source_frame=0,
        frame_count=10 * n,
    )
    positions = np.array(sorted(data.draw(st.sets(st.integers(0, 200), max_size=60))), np.int64)
    found = align(positions, Clock(period), line)
    used = found.frames >= 0
    assert len(set(found.frames[used].tolist())) == used.sum()
    assert found.before + found.after + found.between + used.sum() == len(positions)
    for position, frame in zip(positions[used].tolist(), found.frames[used].tolist(), strict=True):
        distances = [abs(float(offset) + t - float(position * period)) for t in times]
        assert distances[frame] <= min(distances) + 2e-6
        assert distances[frame] <= float(period) / 2 + 2e-6


@given(st.data())
def test_labels_at_every_source_frame_are_exact_also_at_a_variable_rate(make, data):
    steps = data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=40))
    numbers = np.cumsum([0, *steps])
    times = np.cumsum([0.0, *data.draw(st.lists(st.floats(0.5, 1.5), min_size=len(steps), max_size=len(steps)))])
    first = data.draw(st.integers(0, 500))
    count = int(numbers[-1]) + data.draw(st.integers(1, 40))
    line = timeline(
        np.arange(len(numbers)),
        times,
        numbers,
        offset_s=Fraction(7, 3),
        duration_s=float(times[-1]) + 0.5,
        first_source_frame=first,
        frame_count=count,
    )
    found = align(np.arange(first + count + 30), SOURCE_FRAMES, line)
    labels_of_frames = np.flatnonzero(found.frames >= 0)
    assert labels_of_frames.tolist() == (first + numbers).tolist()
    assert found.frames[labels_of_frames].tolist() == list(range(len(numbers)))
    assert (found.before, found.after) == (first, 30)


def test_sparse_source_frames_go_to_the_nearest_frame_within_half_a_second(make):
    line = make.line(4, Fraction(25), Fraction(2))  # source frames 50, 75, 100, 125 of a cut 50..149
    found = align(np.array([49, 62, 63, 99, 137, 138, 150]), SOURCE_FRAMES, line)
    # 62 is nearer to 50, 63 to 75; 137 is 0.48 s after the last frame, 138 is 0.52 s; 49 and 150 are cut off, however near.
    assert found.frames.tolist() == [-1, 0, 1, 2, 3, -1, -1]
    assert (found.before, found.after, found.between) == (1, 1, 1)


def test_of_two_labels_near_a_frame_the_nearest_counts(make):
    line = make.line(3, Fraction(25))
    assert align(np.array([23, 24, 27]), SOURCE_FRAMES, line).frames.tolist() == [-1, 1, -1]
    assert align(np.array([24, 25, 26]), SOURCE_FRAMES, line).frames.tolist() == [-1, 1, -1]


def test_labels_five_times_a_second_give_every_fifth(make):
    found = align(np.arange(15), Clock(Fraction(1, 5)), make.line(3))
    assert np.flatnonzero(found.frames >= 0).tolist() == [0, 5, 10]
    assert found.between == 12


def test_a_frame_long_after_its_second_gets_no_label_rather_than_a_wrong_one():
    line = timeline(
        np.arange(3),
        np.array([0.0, 1.7, 2.0]),
        np.array([0, 1, 2]),
        offset_s=Fraction(0),
        duration_s=3,
        first_source_frame=0,
        frame_count=3,
    )
    # Frame 1 is at 1.7 s: label 1 is 0.7 s away, and label 2 belongs to frame 2.
    assert to_seconds(line, 3) == [0, -1, 2]


def test_a_recording_without_frames_or_labels_uses_nothing(make):
    assert to_seconds(make.line(0), 3) == [-1, -1, -1]
    assert align(np.arange(3), SOURCE_FRAMES, make.line(1)).frames.tolist() == [0, -1, -1]
    assert align(np.zeros(0, np.int64), SECONDS, make.line(3)).frames.tolist() == []
