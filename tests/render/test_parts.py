"""Which frames are copied: a pure function of the plan and the groups of pictures."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.media.structure import Group, Structure
from scrubin.stages.render import RenderParams
from scrubin.stages.render.effort import Effort, document, summary
from scrubin.stages.render.parts import REENCODE, SMART, parts
from scrubin.stages.render.plan import Redaction, plan


def group(first: int, count: int, every: int = 1, packets: int | None = None) -> Group:
    """A group that can be cut off at every so-manieth frame, as B-frames make it."""
    breaks = sorted({*range(first, first + count, every), first + count})
    return Group(first, first + count, count if packets is None else packets, tuple(breaks))


def cut(count, start, end, redactions=()):
    return plan(range(count), Fraction(1), Fraction(count), (start, end), redactions, (64, 64))


TWO = Structure((group(0, 50, 4), group(50, 50, 4)), "")


def test_an_untouched_video_is_copied_whole():
    how = parts(cut(100, 0, 100), TWO, SMART)
    assert [(part.first, part.last, part.copied) for part in how.parts] == [(0, 99, True)]


def test_a_cut_at_a_group_encodes_nothing():
    how = parts(cut(100, 50, 100), TWO, SMART)
    assert how.encoded_count == 0


def test_a_cut_inside_a_group_encodes_up_to_the_next():
    how = parts(cut(100, 10, 100), TWO, SMART)
    assert [(part.first, part.last, part.why) for part in how.parts] == [(0, 39, "cut at the start"), (40, 89, "")]


def test_a_cut_at_the_end_encodes_only_what_refers_to_frames_behind_it():
    how = parts(cut(100, 0, 72), TWO, SMART)
    # Frames 50, 54, ... 66, 70 are places to cut; 70 and 71 may refer to later ones.
    assert [(part.first, part.last, part.why) for part in how.parts] == [(0, 69, ""), (70, 71, "cut at the end")]


def test_a_redaction_is_encoded_to_the_end_of_its_group():
    how = parts(cut(100, 0, 100, [Redaction(23, 25, None)]), TWO, SMART)
    assert [(part.first, part.last, part.copied) for part in how.parts] == [(0, 19, True), (20, 49, False), (50, 99, True)]


def test_an_overlay_over_everything_means_a_full_encode_and_the_plan_says_so_with_the_time():
    overlay = cut(100, 0, 100, [Redaction(0, 100, (0, 0, 8, 8))])
    how = parts(overlay, TWO, SMART)
    assert (how.mode, how.why) == (REENCODE, "a rectangle is hidden in every frame")
    slow, quick = (document(overlay, how, RenderParams("smart", 18, preset, 0.0))["estimate_s"] for preset in ("veryslow", "ultrafast"))
    assert slow > quick > 0
    sentences = summary([Effort(0, 100, 3.0, how.why), Effort(90, 10, 1.0, "")])
    assert sentences == [
        "90 frames can be copied bit for bit, 110 must be encoded: at most about 4 s on two cores",
        "1 video encoded as a whole: a rectangle is hidden in every frame",
    ]


def test_packets_that_no_player_shows_are_never_copied():
    hiding = Structure((group(0, 50, packets=55), group(50, 50)), "")
    how = parts(cut(100, 0, 100), hiding, SMART)
    assert [(part.first, part.last, part.why) for part in how.parts] == [(0, 49, "an edit list hides packets"), (50, 99, "")]


@pytest.mark.parametrize(
    ("structure", "mode", "rotation_deg", "why"),
    [
        (TWO, REENCODE, 0, "render.mode is reencode"),
        (Structure((), "its codec is hevc"), SMART, 0, "its codec is hevc"),
        (TWO, SMART, 90, "players rotate it by 90 degrees"),
        (Structure((group(0, 50),), ""), SMART, 0, "its groups of pictures hold 50 frames of 100"),
    ],
)
def test_whatever_is_not_sure_is_encoded_again(structure, mode, rotation_deg, why):
    how = parts(cut(100, 0, 100), structure, mode, rotation_deg)
    assert (how.mode, how.why, how.encoded_count) == (REENCODE, why, 100)


@given(
    lengths=st.lists(st.tuples(st.integers(1, 30), st.integers(1, 7)), min_size=1, max_size=8),
    ends=st.tuples(st.integers(0, 200), st.integers(0, 200)),
    spans=st.lists(st.tuples(st.integers(0, 240), st.integers(1, 20), st.booleans()), max_size=4),
)
def test_every_frame_is_in_one_part_and_no_touched_frame_is_copied(lengths, ends, spans):
    groups, first = [], 0
    for count, every in lengths:
        groups.append(group(first, count, every))
        first += count
    start, end = sorted(min(value, first) for value in ends)
    if start == end:
        start, end = 0, first
    redactions = [Redaction(a, a + size, (0, 0, 8, 8) if box else None) for a, size, box in spans]
    planned = cut(first, start, end, redactions)
    how = parts(planned, Structure(tuple(groups), ""), SMART)
    assert [n for part in how.parts for n in range(part.first, part.last + 1)] == list(range(planned.frame_count))
    hidden = {n for item in planned.hidden for n in range(item.first, item.last + 1)}
    for part in how.parts:
        if not part.copied:
            continue
        assert not hidden & set(range(part.first, part.last + 1))
        # A copied part starts with a group and ends where one can be cut off.
        assert part.first + start in {item.first for item in groups}
        assert part.last + 1 + start in {place for item in groups for place in item.breaks}
