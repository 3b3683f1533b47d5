"""Windows of actions: ProstaTD section 3.4 as written-out examples in seconds, and as properties."""

import itertools

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base.errors import AnnotationError
from scrubin.base.vocabulary import vocabulary
from scrubin.labels.model import span_rows
from scrubin.stages.annotations import span_places
from scrubin.stages.annotations.windows import Contact, Windows, of_contacts

PAPER = Windows(2, 2, 2)
VIDEO = (0, 100)
WORDS = vocabulary.load("prostatd")


def found(contacts, in_view=(VIDEO,), video=VIDEO):
    """Contacts as (start, end, action), of which a lower-case action is continuous and an upper-case one momentary."""
    given_contacts = [Contact(a, b, ord(name), "momentary" if name.isupper() else "continuous") for a, b, name in contacts]
    windows = of_contacts(given_contacts, in_view, video, PAPER)
    return [(window.start, window.end, "null" if window.action is None else chr(window.action)) for window in windows]


@pytest.mark.parametrize(
    ("contacts", "expected"),
    [
        # Continuous: from the contact until 2 s after it.
        ([(10, 20, "a")], [(0, 10, "null"), (10, 22, "a"), (22, 100, "null")]),
        # Momentary: 2 s before and after.
        ([(10, 11, "M")], [(0, 8, "null"), (8, 13, "M"), (13, 100, "null")]),
        # Away for exactly 2 s is not "more than 2 s": one action; for 3 s it is two.
        ([(10, 20, "a"), (22, 30, "a")], [(0, 10, "null"), (10, 32, "a"), (32, 100, "null")]),
        ([(10, 20, "a"), (23, 30, "a")], [(0, 10, "null"), (10, 22, "a"), (22, 23, "null"), (23, 32, "a"), (32, 100, "null")]),
        # Another contact ends a window; it is never shortened itself.
        ([(10, 20, "a"), (21, 30, "b")], [(0, 10, "null"), (10, 21, "a"), (21, 32, "b"), (32, 100, "null")]),
        # Contacts may touch.
        ([(10, 20, "a"), (20, 30, "b")], [(0, 10, "null"), (10, 20, "a"), (20, 32, "b"), (32, 100, "null")]),
        # A continuous window keeps its 2 s, the momentary one gets the rest of its "up to 2 s".
        ([(10, 20, "a"), (23, 24, "M")], [(0, 10, "null"), (10, 22, "a"), (22, 26, "M"), (26, 100, "null")]),
        ([(10, 20, "a"), (21, 24, "M")], [(0, 10, "null"), (10, 21, "a"), (21, 26, "M"), (26, 100, "null")]),
        ([(10, 11, "M"), (12, 24, "a")], [(0, 8, "null"), (8, 12, "M"), (12, 26, "a"), (26, 100, "null")]),
        # Two momentary windows meet in the middle of what both reach, rounded down; the same action is one window.
        ([(10, 11, "M"), (13, 14, "N")], [(0, 8, "null"), (8, 12, "M"), (12, 16, "N"), (16, 100, "null")]),
        ([(10, 11, "M"), (14, 15, "N")], [(0, 8, "null"), (8, 12, "M"), (12, 17, "N"), (17, 100, "null")]),
        ([(10, 11, "M"), (15, 16, "M")], [(0, 8, "null"), (8, 18, "M"), (18, 100, "null")]),
        ([(10, 11, "M"), (16, 17, "M")], [(0, 8, "null"), (8, 13, "M"), (13, 14, "null"), (14, 19, "M"), (19, 100, "null")]),
        # Nothing leaves the video.
        ([(1, 3, "M"), (99, 120, "a")], [(0, 5, "M"), (5, 99, "null"), (99, 100, "a")]),
        ([], [(0, 100, "null")]),
    ],
)
def test_the_definitions_by_example(contacts, expected):
    assert found(contacts) == expected


def test_a_window_ends_with_the_view_and_another_appearance_is_another_action():
    # In view until 21 and again from 21.5 (in tenths): the instrument left, so nothing is bridged.
    assert found([(10, 20, "a"), (22, 30, "a")], in_view=[(8, 21), (22, 31)]) == [(8, 10, "null"), (10, 21, "a"), (22, 31, "a")]
    assert found([(10, 20, "M")], in_view=[]) == [(10, 20, "M")]


def test_without_knowing_the_view_no_time_is_null_action():
    assert found([(10, 20, "a"), (50, 51, "M")], in_view=None) == [(10, 22, "a"), (48, 53, "M")]


def test_a_video_without_length_has_no_window():
    assert found([(0, 5, "a")], video=(0, 0)) == []


@pytest.mark.parametrize("contacts", [[(0, 5, "a"), (4, 6, "b")], [(5, 5, "a")], [(5, 4, "a")]])
def test_contacts_that_overlap_or_have_no_length_are_refused(contacts):
    with pytest.raises(ValueError, match="do not overlap"):
        found(contacts)


@st.composite
def cases(draw):
    edges = sorted(draw(st.lists(st.integers(-5, 105), unique=True, max_size=16)))
    names = st.sampled_from("abMN")
    contacts = [(a, b, draw(names)) for a, b in zip(edges[::2], edges[1::2], strict=False)]
    view_edges = sorted(draw(st.lists(st.integers(0, 100), unique=True, max_size=8)))
    view = draw(st.sampled_from([None, [VIDEO], list(zip(view_edges[::2], view_edges[1::2], strict=False))]))
    return contacts, view


@given(cases())
def test_every_instant_follows_the_definitions(case):
    contacts, view = case
    windows = found(contacts, view)
    at = {}
    for start, end, name in windows:
        assert 0 <= start < end <= 100
        for instant in range(start, end):
            assert instant not in at
            at[instant] = name
    for (_, end, name), (start, _, following) in itertools.pairwise(windows):
        assert end <= start
        assert end < start or name != following
    touched = {instant: name for a, b, name in contacts for instant in range(max(a, 0), min(b, 100))}
    visible = None if view is None else {instant for a, b in view for instant in range(a, b)} | set(touched)
    for instant in range(100):
        name = at.get(instant)
        if instant in touched:
            assert name == touched[instant]
        elif name in (None, "null"):
            assert (name == "null") == (visible is not None and instant in visible)
        else:
            after = any(of == name and b <= instant < b + 2 for _, b, of in contacts if b > 0)
            before = any(of == name and of.isupper() and a - 2 <= instant < a for a, _, of in contacts if a < 100)
            assert after or before
            assert visible is None or instant in visible


def spans(rows):
    """Rows of (instance, start, end, triplet or None), of scissors."""
    named = []
    for instance, start, end, name in rows:
        triplet = None if name is None else WORDS.triplet_of(f"scissors,{name}")
        ids = (
            {}
            if triplet is None
            else {"verb_id": WORDS.triplets[triplet][1], "target_id": WORDS.triplets[triplet][2], "triplet_id": triplet}
        )
        named.append({"instrument_id": 0, "instance": instance, "start": start, "end": end, "triplet_id": triplet, **ids})
    return span_rows(named)


def applied(table, momentary=("scissors,cut,thread",)):
    made = span_places.apply(table, WORDS, Windows(2, 2, 2, momentary), 100)
    names = [None if pd.isna(triplet) else WORDS.triplet_name(int(triplet)) for triplet in made["triplet_id"]]
    return list(zip(made["instance"].tolist(), made["start"].tolist(), made["end"].tolist(), names, strict=True))


def test_null_actions_and_bare_presence_say_when_an_instance_is_in_view():
    rows = [(0, 5, 10, "null,null"), (0, 10, 12, "cut,thread"), (0, 12, 13, None), (1, 50, 60, "dissect,prostate")]
    assert applied(spans(rows)) == [
        (0, 5, 8, "scissors,null,null"),
        (0, 8, 13, "scissors,cut,thread"),
        (1, 50, 62, "scissors,dissect,prostate"),
    ]


def test_a_verb_alone_is_momentary_for_every_target():
    assert applied(spans([(0, 10, 12, "cut,prostate")]), ("cut",)) == [(0, 8, 14, "scissors,cut,prostate")]
    assert applied(spans([(0, 10, 12, "cut,prostate")]), ("scissors,cut,thread",)) == [(0, 10, 14, "scissors,cut,prostate")]
    with pytest.raises(AnnotationError, match=r"'annotations.windows.momentary': 'cutt' is no verb .* did you mean 'cut'"):
        applied(spans([]), ("cutt",))


def test_windows_do_not_reach_into_time_where_nothing_is_in_view():
    nothing = span_rows([{"start": 13, "end": 20}])
    made = applied(pd.concat([spans([(0, 10, 12, "dissect,prostate"), (0, 20, 22, "cut,thread")]), nothing], ignore_index=True))
    assert [(start, end) for _, start, end, _ in made] == [(10, 13), (13, 20), (20, 24)]
