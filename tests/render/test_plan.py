from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrubin.stages.render.plan import Hidden, Redaction, clock_s, plan, trimmed_end_s

MS = Fraction(1, 1000)
PTS = [n * 50 for n in range(60)]  # 3 s at 20 fps


def planned(interval=(0.0, 3.0), redactions=(), pts=PTS, size=(96, 64)):
    return plan(pts, MS, (pts[-1] - pts[0] + 50) * MS, interval, redactions, size)


def test_the_interval_is_half_open_and_time_starts_at_zero():
    found = planned((0.1, 0.3))
    assert (found.first_source_frame, found.frame_count, found.offset_s) == (2, 4, Fraction(1, 10))
    assert found.times_s == tuple(Fraction(n, 20) for n in range(4))
    assert found.duration_s == Fraction(1, 5)


def test_a_start_between_two_frames_keeps_the_first_frame_after_it():
    assert planned((0.11, 3.0)).offset_s == Fraction(3, 20)


def test_the_end_of_the_video_is_the_end_of_its_last_frame():
    found = planned((2.0, 3.0))
    assert (found.frame_count, found.duration_s) == (20, 1)


def test_an_interval_without_frame_is_an_error():
    with pytest.raises(ValueError, match=r"no frame lies between 0.11 and 0.14 s"):
        planned((0.11, 0.14))


@given(
    start=st.integers(0, 50),
    length=st.integers(1, 60),
    a=st.floats(0, 4, allow_nan=False),
    b=st.floats(0, 4, allow_nan=False),
    jitter=st.lists(st.integers(1, 90), min_size=59, max_size=59),
)
def test_a_frame_is_hidden_exactly_when_it_is_on_screen_in_a_redacted_time(start, length, a, b, jitter):
    pts = [7]
    for step in jitter:
        pts.append(pts[-1] + step)
    source_s = [float((tick - 7) * MS) for tick in pts]
    interval = (source_s[start], source_s[min(start + length, 59)] if start + length < 60 else 99.0)
    if interval[0] >= interval[1]:
        return
    found = planned(interval, [Redaction(min(a, b), max(a, b), None)], pts)
    kept = [time for time in source_s if interval[0] <= time < interval[1]]
    assert found.frame_count == len(kept)
    black = {n for item in found.hidden for n in range(item.first, item.last + 1)}
    begin, end = min(a, b), max(a, b)
    if any(abs(time - edge) < 1e-5 for time in source_s for edge in (begin, end)):
        return  # the same time to the microsecond
    shown_until = [*source_s[1:], float("inf")]
    seen = {time for time, until in zip(source_s, shown_until, strict=True) if begin < end and time < end and until > begin}
    assert black == {n for n, time in enumerate(kept) if time in seen}


def test_redactions_outside_the_interval_do_not_matter():
    assert planned((1.0, 2.0), [Redaction(0.0, 1.0, None), Redaction(2.0, 3.0, None)]).hidden == ()


def test_overlapping_and_touching_spans_become_one():
    spans = [Redaction(0.0, 0.5, None), Redaction(0.5, 1.0, None), Redaction(0.2, 0.7, None), Redaction(2.0, 2.1, None)]
    assert planned(redactions=spans).hidden == (Hidden(0, 19, None), Hidden(40, 41, None))


def test_a_rectangle_grows_to_whole_colour_samples_inside_the_picture():
    assert planned(redactions=[Redaction(0, 3, (11, 7, 9, 5))]).hidden == (Hidden(0, 59, (10, 6, 10, 6)),)
    assert planned(redactions=[Redaction(0, 3, (90, 60, 7, 5))], size=(97, 65)).hidden == (Hidden(0, 59, (90, 60, 6, 4)),)


def test_an_odd_size_loses_its_last_column_and_row():
    found = planned(size=(97, 65))
    assert (found.width, found.height) == (96, 64)


def test_a_frame_that_stays_on_screen_into_a_redaction_is_hidden():
    pts = [0, 500, 1000, 5000, 5500]
    found = plan(pts, MS, Fraction(6), (0.0, 6.0), [Redaction(2.0, 3.0, None)], (96, 64))
    assert found.hidden == (Hidden(2, 2, None),)


def test_behind_the_end_of_the_film_its_last_frame_stays_on_screen():
    assert planned(redactions=[Redaction(3.0, 4.0, None)]).hidden == (Hidden(59, 59, None),)


def test_a_start_on_a_frame_does_not_hide_the_frame_before():
    assert planned(redactions=[Redaction(0.1, 0.2, None)]).hidden == (Hidden(2, 3, None),)


def at(time_s):
    return lambda _: time_s


RATES = [Fraction(24), Fraction(25), Fraction(30000, 1001), Fraction(30), Fraction(50), Fraction(60000, 1001)]
TIMES = st.one_of(
    st.floats(0, 4).map(at),
    st.tuples(st.integers(0, 120), st.integers(2, 6)).map(lambda typed: lambda fps: round(float(typed[0] / fps), typed[1])),
)


LOST = st.sets(st.integers(1, 60), max_size=3)
NONE: set[int] = set()


@given(
    fps=st.sampled_from(RATES),
    counts=st.tuples(st.integers(40, 120), st.integers(-3, 3)),
    lost=st.tuples(LOST, LOST, LOST),
    kept=st.tuples(TIMES, TIMES),
    black=st.tuples(TIMES, TIMES),
    draw=st.integers(0, 2**63 - 1),
    jitter_s=st.sampled_from([0.0, 2.0]),
)
@example(Fraction(20), (80, 0), (NONE, {20, 21}, {60, 61}), (at(0.0), at(4.0)), (at(1.05), at(1.1)), 0, 0.0).via("a frame before a gap")
@example(Fraction(30), (90, -1), ({87, 88}, NONE, NONE), (at(0.0), at(3.0)), (at(1.0), at(1.1)), 0, 0.0).via("a long last frame")
@example(Fraction(20), (80, 0), (NONE, {20, 21}, {60, 61}), (at(1.02), at(3.07)), (at(2.0), at(2.1)), 0, 0.0).via("ends in gaps")
@example(Fraction(25), (100, -2), (NONE, NONE, NONE), (at(0.0), at(4.0)), (at(3.93), at(4.0)), 0, 0.0).via("black behind one camera")
def test_both_cameras_of_a_pair_begin_end_and_hide_alike_however_they_round_times_and_whatever_they_lost(
    fps, counts, lost, kept, black, draw, jitter_s
):
    """Exact times and milliseconds; frames that neither camera has, or only one, of which one may end earlier."""
    taken = [[n for n in range(count) if n not in lost[0] | gone] for count, gone in zip((counts[0], sum(counts)), lost[1:], strict=True)]
    clocks = [(taken[0], 1 / fps), ([round(1000 * n / fps) for n in taken[1]], MS)]
    ends_s = [counts[0] / fps, round(1000 * sum(counts) / fps) * MS]
    start_s, end_s = sorted(time_s(fps) for time_s in kept)
    end_s = min(end_s, *map(float, ends_s))
    if start_s >= end_s:
        return
    interval_s = (start_s, trimmed_end_s((start_s, end_s), fps, draw, jitter_s))
    redactions = [Redaction(*sorted(time_s(fps) for time_s in black), None)]

    def cut(side, *partners):
        shown_s = [time_s for other in partners for time_s in (*clock_s(*clocks[other]), float(ends_s[other]))]
        found = plan(*clocks[side], ends_s[side], interval_s, redactions, (96, 64), shown_s)
        run = taken[side][found.first_source_frame :][: found.frame_count]
        return run, {run[n] for item in found.hidden for n in range(item.first, item.last + 1)}

    try:
        alone = [cut(side) for side in (0, 1)]
        runs, hidden = zip(cut(0, 1), cut(1, 0), strict=True)
    except ValueError:
        return  # no frame lies in so short an interval
    both = set(runs[0]) & set(runs[1])
    assert {runs[0][0], runs[0][-1], runs[1][0], runs[1][-1]} <= both
    assert hidden[0] & both == hidden[1] & both
    for run, black_of, (own, black_alone), gone in zip(runs, hidden, alone, lost[:0:-1], strict=True):
        assert set(run) <= set(own) <= set(run) | gone | set(own[:1]) | set(own[-4:])
        assert black_of >= black_alone & set(run) or redactions[0].start_s >= min(ends_s) - 2 * MS
    assert cut(0, 0) == alone[0]
