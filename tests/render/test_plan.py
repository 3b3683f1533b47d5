from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
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


def test_a_start_on_a_frame_does_not_hide_the_frame_before():
    assert planned(redactions=[Redaction(0.1, 0.2, None)]).hidden == (Hidden(2, 3, None),)


RATES = [Fraction(24), Fraction(25), Fraction(30000, 1001), Fraction(30), Fraction(50), Fraction(60000, 1001)]
TIMES = st.one_of(
    st.floats(0, 4).map(lambda time_s: lambda _: time_s),
    st.tuples(st.integers(0, 120), st.integers(2, 6)).map(lambda typed: lambda fps: round(float(typed[0] / fps), typed[1])),
)


def black_of(found) -> set[int]:
    return {found.first_source_frame + n for item in found.hidden for n in range(item.first, item.last + 1)}


@given(
    fps=st.sampled_from(RATES),
    counts=st.tuples(st.integers(20, 120), st.integers(-3, 3)),
    kept=st.tuples(TIMES, TIMES),
    black=st.tuples(TIMES, TIMES),
    draw=st.integers(0, 2**63 - 1),
    jitter_s=st.sampled_from([0.0, 2.0]),
)
def test_both_cameras_of_a_pair_keep_and_hide_the_same_frames_however_their_containers_round_times(
    fps, counts, kept, black, draw, jitter_s
):
    """Milliseconds and exact times of one rate, of which one may end some frames earlier."""
    exact, rounded = range(counts[0]), [round(1000 * n / fps) for n in range(counts[0] + counts[1])]
    clocks = [(exact, 1 / fps), (rounded, MS)]
    ends_s = [len(exact) / fps, rounded[-1] * MS + 1 / fps]
    start_s, end_s = sorted(time_s(fps) for time_s in kept)
    end_s = min(end_s, *map(float, ends_s))
    if start_s >= end_s:
        return
    interval_s = (start_s, trimmed_end_s((start_s, end_s), fps, draw, jitter_s))
    redactions = [Redaction(*sorted(time_s(fps) for time_s in black), None)]

    def cut(side, partner_s=()):
        return plan(*clocks[side], ends_s[side], interval_s, redactions, (96, 64), partner_s)

    try:
        alone = [cut(side) for side in (0, 1)]
        found = [cut(side, clock_s(*clocks[1 - side])) for side in (0, 1)]
    except ValueError:
        return  # no frame lies in so short an interval
    runs = [range(one.first_source_frame, one.first_source_frame + one.frame_count) for one in found]
    assert runs[0] == runs[1]
    if redactions[0].start_s < min(ends_s) - 2 * MS:  # behind its end the last frame of a camera stays on screen
        assert black_of(found[0]) == black_of(found[1])
    for one, run, by_itself in zip(found, runs, alone, strict=True):
        assert run[0] >= by_itself.first_source_frame
        assert run[-1] < by_itself.first_source_frame + by_itself.frame_count
        assert black_of(one) >= black_of(by_itself) & set(run)
        assert len(run) >= by_itself.frame_count - 2
    assert cut(0, clock_s(*clocks[0])) == alone[0]


@pytest.mark.parametrize(("lost", "interval_s"), [((70, None), (0.0, 1.6667)), ((20, 41), (0.0, 2.6667)), ((None, 4), (0.3333, 2.0))])
def test_a_frame_that_one_camera_lost_does_not_part_the_others(lost, interval_s):
    rounded = [round(1000 * n / 30) for n in range(81) if n != lost[0]]
    exact = [n for n in range(80) if n != lost[1]]
    clocks, ends_s = [(rounded, MS), (exact, Fraction(1, 30))], [rounded[-1] * MS + Fraction(1, 30), Fraction(80, 30)]
    redactions = [Redaction(1.0, 1.3333, None)]
    left, right = (plan(*clocks[side], ends_s[side], interval_s, redactions, (96, 64), clock_s(*clocks[1 - side])) for side in (0, 1))
    assert left.frame_count == right.frame_count
    for at in (0, -1):
        assert abs(left.offset_s + left.times_s[at] - right.offset_s - right.times_s[at]) <= MS
    assert len(black_of(left)) == len(black_of(right))
