"""Relaxed metrics against literal evaluations, and bad input."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phase_cases as cases
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.phases import PhaseVideo, compat, confusions_of_videos, rates, relaxed
from scrubin.evaluate.metrics.phases.averaging import mean
from scrubin.evaluate.metrics.phases.relaxed import CHOLEC80_CONSIDERED, CHOLEC80_CROSSES, Tolerance, cholec80, from_transitions
from scrubin.evaluate.metrics.result import difference

# Figure 3 as printed, by row; x are its crosses.
START = ["0000000", "1000000", "0100000", "0010000", "00010x0", "000110x", "0000110"]
END = ["0100000", "0010000", "0001000", "0000110", "0000011", "0000x01", "00000x0"]


@st.composite
def stretches(draw, phases=7):
    """An annotation in segments and a prediction that mostly follows it."""
    annotation = [
        phase
        for phase, length in draw(st.lists(st.tuples(st.integers(0, phases - 1), st.integers(1, 7)), min_size=1, max_size=8))
        for _ in range(length)
    ]
    steps = draw(st.lists(st.sampled_from([0, 0, 0, -2, -1, 1, 2, 3]), min_size=len(annotation), max_size=len(annotation)))
    return annotation, [min(max(truth + step, 0), phases - 1) for truth, step in zip(annotation, steps, strict=True)]


def test_the_matrices_are_those_of_figure_3():
    for x_cells, accepted in (("left out", "1"), ("accepted", "1x")):
        for matrix, printed in ((cholec80(x_cells).start, START), (cholec80(x_cells).end, END)):
            assert matrix.tolist() == [[cell in accepted for cell in row] for row in printed]
    workflow = from_transitions("workflow", 7, [*CHOLEC80_CONSIDERED, *CHOLEC80_CROSSES])
    assert (workflow.start == workflow.end.T).all()


@pytest.mark.slow
@settings(max_examples=150)
@given(stretches(), st.integers(0, 9), st.sampled_from(["left out", "accepted"]), st.sampled_from(["segment", "literal"]))
def test_acceptance_is_the_literal_one(pair, omega, x_cells, window):
    annotation, prediction = pair
    allowed = cholec80(x_cells)
    found = relaxed.accepted(np.array(annotation), np.array([prediction, annotation]), allowed, omega, window)
    assert found[0].tolist() == cases.literal_acceptance(annotation, prediction, allowed.start, allowed.end, omega, window)
    assert found[1].all()


@pytest.mark.slow
@settings(max_examples=100)
@given(stretches(), st.integers(0, 9))
def test_rates_are_the_literal_ones(pair, omega):
    annotation, prediction = np.array(pair[0]), np.array(pair[1])
    counted = relaxed.count([PhaseVideo("v", annotation, [prediction, annotation])], omega)
    right = relaxed.accepted(annotation, prediction[np.newaxis], cholec80(), omega)[0]
    assert relaxed.accuracy(counted).values[:, 0, 0].tolist() == [np.mean(right), 1]
    for phase in set(annotation.tolist()):
        a, p = annotation == phase, prediction == phase
        hits = int(np.sum((a | p) & right))
        assert counted.relaxed_true[0, 0, phase] == hits
        assert relaxed.elements(counted, "jaccard").values[0, 0, phase] == hits / np.sum(a | p)
        assert relaxed.elements(counted, "recall").values[0, 0, phase] == hits / np.sum(a)
        assert relaxed.elements(counted, "recall", counted="own").values[0, 0, phase] == np.mean(right[a])
        if p.any():
            assert relaxed.elements(counted, "precision").values[0, 0, phase] == hits / np.sum(p)
            assert relaxed.elements(counted, "precision", counted="own").values[0, 0, phase] == np.mean(right[p])
    assert np.nanmax(relaxed.elements(counted, "jaccard").values) <= 1


@pytest.mark.slow
@settings(max_examples=150)
@given(stretches(8), st.integers(0, 9), st.booleans())
def test_the_script_is_its_literal_model(pair, omega, m2cai):
    rules = compat.M2CAI if m2cai else compat.CHOLEC80
    annotation, prediction = ([min(phase, rules.phases - 1) for phase in one] for one in pair)
    found = compat.evaluate(annotation, prediction, omega, rules)
    right = cases.literal_script(annotation, prediction, omega, rules.late, rules.early)
    assert found.correct.tolist() == right
    assert found.accuracy == pytest.approx(100 * np.mean(right))
    for phase in set(annotation):
        union = [ok for truth, guess, ok in zip(annotation, prediction, right, strict=True) if phase in (truth, guess)]
        assert found.jaccard[phase] == pytest.approx(100 * np.mean(union))
        assert found.recall[phase] == pytest.approx(100 * sum(union) / annotation.count(phase))


@given(stretches())
def test_omega_0_is_the_regular_metric(pair):
    video = PhaseVideo("v", *pair)
    counted, confusions = relaxed.count([video], 0), confusions_of_videos([video], 7)
    for rate in relaxed.RELAXED_RATES:
        for strategy in ("A", "B", "zero", "one"):
            np.testing.assert_array_equal(
                relaxed.elements(counted, rate, strategy).values, rates.rate_elements(confusions, rate, strategy).values
            )
    found = compat.evaluate(*pair, 0)
    np.testing.assert_allclose(found.jaccard, 100 * rates.rate_elements(confusions, "jaccard", "B").values[0, 0], atol=1e-9)


@given(stretches(), st.integers(0, 6))
def test_a_wider_window_never_takes_an_acceptance_back(pair, omega):
    annotation, predictions = np.array(pair[0]), np.array([pair[1]])
    narrow, wide = (relaxed.accepted(annotation, predictions, cholec80(), width) for width in (omega, omega + 1))
    assert (wide >= narrow).all()


@pytest.mark.parametrize("window", ["segment", "literal"])
@given(pair=stretches(), omega=st.integers(0, 9), every=st.integers(2, 60), first=st.integers(0, 100))
def test_windows_are_as_long_where_only_some_frames_are_annotated(pair, omega, every, first, window):
    annotation, predictions = np.array(pair[0]), np.array([pair[1]])
    dense = relaxed.accepted(annotation, predictions, cholec80(), omega, window)
    numbers = first + every * np.arange(len(annotation))
    # A single frame does not tell how far frames are apart.
    if len(annotation) > 1:
        assert (relaxed.accepted(annotation, predictions, cholec80(), omega * every, window, numbers) == dense).all()


def test_a_window_does_not_reach_over_frames_that_nobody_annotated():
    """Frames 0 to 2, then 100 to 102: half of them are of the phase before, and late."""
    annotation, predictions, numbers = np.array([1, 1, 1, 1, 2, 2]), np.array([[0, 0, 0, 0, 2, 2]]), np.array([0, 1, 2, 100, 101, 102])
    assert relaxed.accepted(annotation, predictions, cholec80(), 10, numbers=numbers)[0].tolist() == [True, True, True, False, True, True]


@pytest.mark.parametrize("numbers", [[0, 1], [0, 2, 1], [0, 1, 1]])
def test_numbers_of_frames_that_do_not_fit_are_refused(numbers):
    with pytest.raises(MetricsError, match="give the number of every annotated frame, increasing"):
        relaxed.count([PhaseVideo("v", [1, 1, 2], [1, 1, 2], numbers)], 10)


def test_the_script_returns_percent_and_the_definition_fractions_so_they_are_not_compared():
    videos = [PhaseVideo("v", [1] * 20 + [2] * 20, [1] * 18 + [2] * 22)]
    published = compat.results(compat.main(videos, 10))[0]
    ours = mean(relaxed.elements(relaxed.count(videos, 10), "jaccard"), "by-phase")
    with pytest.raises(MetricsError, match=r"cannot be compared.*paper.*compat.*unit=percent"):
        difference(ours, published)
    with pytest.raises(MetricsError, match=r"omega=10 frames.*omega=5 frames"):
        difference(ours, mean(relaxed.elements(relaxed.count(videos, 5), "jaccard"), "by-phase"))


def test_bad_input_is_refused_with_a_sentence():
    one, two_runs = PhaseVideo("v", [1, 2], [1, 2]), PhaseVideo("v", [1, 2], [[1, 2], [1, 2]])
    counted = relaxed.count([one], 1)
    refused = {
        "omega is 2.5; give a whole number of frames": lambda: relaxed.count([one], 2.5),
        "omega is -1": lambda: compat.evaluate([1], [1], -1),
        "omega is nan": lambda: compat.main([one], math.nan),
        "omega is inf": lambda: compat.main([one], math.inf),
        "video v: predictions of 2 runs; the script evaluates one run": lambda: compat.main([two_runs], 1),
        "predictions of 2 runs are given": lambda: compat.evaluate([1], [[1], [1]], 1),
        "a window is 'segment' or 'literal'": lambda: relaxed.count([one], 1, window="frame"),
        "2 phases, window 'segment'; the tolerance Cholec80": lambda: relaxed.count([one], 1, phases=("a", "b")),
        "there is no relaxed 'f1'": lambda: relaxed.elements(counted, "f1"),
        "'left out' or 'accepted', not 'maybe'": lambda: cholec80("maybe"),
        "the transition from 1 to 7 is none": lambda: from_transitions("t", 7, [(1, 7)]),
        "the transition from 1 to 1 is none": lambda: from_transitions("t", 7, [(1, 1)]),
        "give two of phases by phases, of bool": lambda: Tolerance("t", np.zeros((2, 2)), np.zeros((2, 2))),
        "1 names of phases for the 7 of Cholec80": lambda: compat.results(compat.main([one], 1), ("a",)),
        "no video is given": lambda: compat.main([], 1),
    }
    for sentence, call in refused.items():
        with pytest.raises(MetricsError, match=sentence):
            call()


def test_several_runs_are_counted_apart():
    counted = relaxed.count([PhaseVideo("v", [1] * 4 + [2] * 4, [[1] * 4 + [2] * 4, [2] * 8])], 1, phases=tuple("abcdefg"))
    assert counted.correct[:, 0].tolist() == [8, 5]
    found = mean(relaxed.elements(counted, "jaccard"))
    assert list(found.classes) == list("abcdefg")
    assert found.classes["b"].n == 2
