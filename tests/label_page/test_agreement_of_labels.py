"""How far people agree, against scikit-learn and against counts by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from scrubin.curate.label.events import Sheet, Span
from scrubin.curate.label.several import agreement
from scrubin.curate.label.several.agreement import TwiceSpanned

FRAMES = 30
BOUNDARIES_S = np.arange(FRAMES + 1) / 10
LABELS = ("a", "b", "c")


def spans_of(classes):
    """Return the spans of a list of labels, one per frame, None for none."""
    edges = [0, *(at for at in range(1, len(classes)) if classes[at] != classes[at - 1]), len(classes)]
    return [Span(first, end, classes[first]) for first, end in itertools.pairwise(edges) if classes[first]]


frames = st.lists(st.sampled_from((None, *LABELS)), min_size=FRAMES, max_size=FRAMES)


@pytest.mark.slow
@settings(max_examples=10)
@given(pairs=st.lists(st.tuples(frames, frames), min_size=1, max_size=3))
def test_kappa_of_all_recordings_together_is_that_of_scikit_learn(pairs):
    twice = [TwiceSpanned(f"r{at}", spans_of(one), spans_of(other), BOUNDARIES_S) for at, (one, other) in enumerate(pairs)]
    found = agreement.of_spans({(1, 2): twice})["all"]["kappa"]["value"]
    one, other = ([str(label) for pair in pairs for label in pair[side]] for side in (0, 1))
    if len({*one, *other}) < 2:
        assert found is None
    else:
        expected = cohen_kappa_score(one, other)
        assert found is None if np.isnan(expected) else found == pytest.approx(expected, abs=1e-12)


flags = st.lists(st.booleans(), min_size=FRAMES, max_size=FRAMES)
meeting = st.fixed_dictionaries(dict.fromkeys(LABELS, flags))


def meeting_spans(by_label):
    return [span for label, there in by_label.items() for span in spans_of([label if one else None for one in there])]


@given(one=meeting, other=meeting)
def test_of_labels_that_meet_kappa_is_that_of_their_sets_and_of_each_label_that_of_its_being_there(one, other):
    found = agreement.of_spans({(1, 2): [TwiceSpanned("r", meeting_spans(one), meeting_spans(other), BOUNDARIES_S)]})
    for label in LABELS:
        if any(one[label]) or any(other[label]):
            assert_same(found["classes"][label]["kappa"]["value"], one[label], other[label])
    sets = [["".join(label for label in LABELS if side[label][frame]) for frame in range(FRAMES)] for side in (one, other)]
    assert_same(found["all"]["kappa"]["value"], *sets)


def assert_same(value, one, other):
    expected = cohen_kappa_score(one, other) if len({*one, *other}) > 1 else np.nan
    assert value is None if np.isnan(expected) else value == pytest.approx(expected, abs=1e-12)


@given(labels=frames)
def test_whoever_agrees_with_themselves_agrees_wholly(labels):
    spans = spans_of(labels)
    found = agreement.of_spans({(1, 2): [TwiceSpanned("r", spans, spans, BOUNDARIES_S)]})
    for name in ("f1_at_10", "f1_at_50"):
        assert found["all"][name]["value"] == (1.0 if spans else None)
    assert found["all"]["edge_s"]["value"] == (0.0 if spans else None)


def test_edges_are_apart_by_seconds_of_the_film_whatever_its_rate():
    uneven_s = np.array([0, 1, 2, 4, 8, 16, 32.0])
    twice = TwiceSpanned("r", [Span(0, 3, "a")], [Span(0, 4, "a")], uneven_s)
    found = agreement.of_spans({(1, 2): [twice]})["all"]
    assert found["edge_s"]["value"] == (0 + 4) / 2
    assert found["f1_at_50"]["value"] == 1.0


def test_a_class_is_told_by_itself_and_a_single_recording_has_no_interval():
    one, other = [Span(0, 10, "a"), Span(10, 20, "b")], [Span(0, 10, "a"), Span(10, 20, "c")]
    found = agreement.of_spans({(1, 2): [TwiceSpanned("r", one, other, BOUNDARIES_S)]})
    assert found["classes"]["a"]["kappa"]["value"] == 1.0
    assert found["classes"]["b"]["kappa"]["value"] == 0.0
    assert found["classes"]["b"]["f1_at_10"]["value"] == 0.0
    assert found["all"]["kappa"]["low"] is found["all"]["kappa"]["high"] is None


@pytest.mark.slow
def test_intervals_come_from_recordings_drawn_again_and_hold_the_value():
    good, bad = [Span(0, 15, "a"), Span(15, 30, "b")], [Span(0, 20, "b"), Span(20, 30, "a")]
    twice = [TwiceSpanned(f"r{at}", good, good if at % 3 else bad, BOUNDARIES_S) for at in range(12)]
    found = agreement.of_spans({(1, 2): twice})["all"]["kappa"]
    assert -1 <= found["low"] < found["value"] < found["high"] <= 1
    assert agreement.of_spans({(1, 2): twice}) == agreement.of_spans({(1, 2): list(twice)})


def test_pairs_are_told_one_by_one_and_together():
    same, other = [Span(0, 15, "a"), Span(15, 30, "b")], [Span(0, 30, "b")]
    found = agreement.of_spans(
        {(1, 2): [TwiceSpanned("r", same, same, BOUNDARIES_S)], (1, 3): [TwiceSpanned("r", same, other, BOUNDARIES_S)]}
    )
    assert set(found["pairs"]) == {"1-2", "1-3"}
    assert found["pairs"]["1-2"]["kappa"]["value"] == 1.0 > found["all"]["kappa"]["value"] > found["pairs"]["1-3"]["kappa"]["value"]
    assert found["recordings"] == 1


def test_ratings_are_told_by_aspect_and_error():
    scores = {("r1", 1): 1.0, ("r1", 2): 1.0, ("r2", 1): 3.0, ("r2", 2): 4.0, ("r3", 1): 5.0, ("r3", 2): 5.0}
    sheets = {key: Sheet({"depth": score}, False, {"dropped": key[0] == "r1"}) for key, score in scores.items()}
    found = agreement.of_sheets(sheets)
    assert found["recordings"] == 3
    assert 0.9 < found["aspects"]["depth"]["icc"]["ICC(2,1)"]["value"] < 1
    assert found["errors"]["dropped"]["kappa"]["mean"]["plain"] == 1.0
    assert found["errors"]["failed"]["kappa"]["mean"]["plain"] is None
