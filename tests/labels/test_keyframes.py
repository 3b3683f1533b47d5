"""Tracks at key frames: what somebody said comes out as it was, what lies between is a straight line and says so."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelled_tracks import FRAMES, at, track, tracks
from scrubin.labels.keyframes import DIGITS, HIDDEN, OUTSIDE, cut, expanded


def exact(one, frame):
    """Return the place of a track by fractions: None where it has none."""
    before = [key for key in one.keys if key.frame <= frame]
    after = [key for key in one.keys if key.frame > frame]
    if not before or before[-1].state == OUTSIDE or (not after and before[-1].frame != frame):
        return None
    start = [Fraction(round(side * 10**DIGITS), 10**DIGITS) for side in before[-1].place]
    if not after or after[0].state == OUTSIDE:
        return [float(side) for side in start]
    end = [Fraction(round(side * 10**DIGITS), 10**DIGITS) for side in after[0].place]
    share = Fraction(frame - before[-1].frame, after[0].frame - before[-1].frame)
    return [float(a + share * (b - a)) for a, b in zip(start, end, strict=True)]


def shown(one):
    places = expanded(one)
    return dict(zip(places.frames.tolist(), places.places.tolist(), strict=True))


@pytest.mark.slow
@given(said=tracks())
def test_every_frame_has_the_place_that_fractions_give_to_the_last_bit(said):
    for one in said:
        found = shown(one)
        assert found == {frame: place for frame in range(FRAMES) if (place := exact(one, frame)) is not None}


@given(said=tracks())
def test_a_key_frame_comes_out_as_it_was_said_and_nothing_else_counts_as_said(said):
    for one in said:
        places = expanded(one)
        of_keys = {key.frame: list(key.place) for key in one.keys if key.place}
        assert {frame: shown(one)[frame] for frame in of_keys} == of_keys
        assert places.frames[places.is_said].tolist() == sorted(of_keys)


@given(said=tracks(), first=st.integers(0, FRAMES), length=st.integers(1, FRAMES))
def test_a_track_that_is_cut_is_where_it_was_and_only_said_key_frames_stay_said(said, first, length):
    for one in said:
        part = cut(one, first, first + length)
        whole = {frame: place for frame, place in shown(one).items() if first <= frame < first + length}
        if part is None:
            assert not whole
            continue
        now = shown(part)
        assert set(now) == set(whole)
        # What is cut between two key frames is a place to a millionth.
        assert all(abs(a - b) <= 1e-6 for frame in now for a, b in zip(now[frame], whole[frame], strict=True))
        assert {key.frame for key in part.keys if key.place and not key.computed} <= {key.frame for key in one.keys if key.place}


def test_a_hidden_point_is_hidden_until_the_next_key_frame():
    places = expanded(track(at(0, 0.1, 0.1, state=HIDDEN), at(2, 0.1, 0.3), at(3, 0.1, 0.3)))
    assert places.is_hidden.tolist() == [True, True, False, False]
    assert places.is_said.tolist() == [True, False, True, True]


def test_a_track_without_any_place_has_no_frame():
    assert len(expanded(track(at(3))).frames) == 0
