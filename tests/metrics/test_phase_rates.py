"""Rates and undefined values against scikit-learn, summaries against literal means, and bad input."""

import itertools
import math
import warnings
from statistics import fmean, pstdev, stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.phases import PhaseVideo, averaging, confusions_of_videos, pooled_confusions, rates
from scrubin.evaluate.metrics.phases.averaging import Elements, mean, mean_of, means, sd_of, spread
from scrubin.evaluate.metrics.phases.rates import PhaseChoice, settled
from scrubin.evaluate.metrics.phases.relaxed import segments
from scrubin.evaluate.metrics.result import difference
from scrubin.evaluate.metrics.variants import AVERAGING_ORDERS

PHASES = 4


@st.composite
def studies(draw):
    """Videos of several runs, with phases missing here and there."""
    runs = draw(st.integers(1, 3))
    ids = st.integers(0, PHASES - 1)

    def sequence(frames):
        return draw(st.lists(ids, min_size=frames, max_size=frames))

    out = []
    for number in range(draw(st.integers(1, 4))):
        frames = draw(st.integers(1, 12))
        out.append(PhaseVideo(f"v{number}", sequence(frames), [sequence(frames) for _ in range(runs)]))
    return out


SCIKIT = {
    "precision": reference.precision_score,
    "recall": reference.recall_score,
    "f1": reference.f1_score,
    "jaccard": reference.jaccard_score,
}


@pytest.mark.slow
@settings(max_examples=25)
@given(studies())
def test_filled_rates_accuracy_and_matrices_are_those_of_scikit_learn(videos):
    confusions = confusions_of_videos(videos, PHASES)
    labels = range(PHASES)
    for at, video in enumerate(videos):
        for run, prediction in enumerate(video.predictions):
            assert confusions.counts[run, at].tolist() == reference.confusion_matrix(video.annotation, prediction, labels=labels).tolist()
            assert rates.accuracy(confusions).values[run, at, 0] == pytest.approx(reference.accuracy_score(video.annotation, prediction))
            for rate, fill in itertools.product(rates.RATES, (0, 1)):
                expected = SCIKIT[rate](video.annotation, prediction, labels=labels, average=None, zero_division=fill)
                found = rates.rate_elements(confusions, rate, "one" if fill else "zero").values[run, at]
                np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.slow
@given(studies(), st.randoms(use_true_random=False))
def test_the_order_of_videos_and_runs_changes_no_bit(videos, random):
    order = list(range(len(videos)))
    random.shuffle(order)
    runs = len(videos[0].predictions)
    turned = [PhaseVideo(videos[at].name, videos[at].annotation, videos[at].predictions[::-1]) for at in order]
    one, other = confusions_of_videos(videos, PHASES), confusions_of_videos(turned, PHASES)
    for choice in (rates.RECOMMENDED, PhaseChoice(undefined="B", averaged="macro-first"), PhaseChoice("frame-wise", bessel=runs > 1)):
        first, second = rates.results_of_choice(one, choice), rates.results_of_choice(other, choice)
        assert [repr(result.overall) for result in first] == [repr(result.overall) for result in second]
        assert [result.classes.keys() for result in first] == [result.classes.keys() for result in second]


def defined(values):
    return [value for value in np.ravel(values).tolist() if not math.isnan(value)]


def literal_mean(values, order):
    runs, videos, phases = values.shape
    groups = {
        "all": [values],
        "macro-first": [values[r, v] for r in range(runs) for v in range(videos)],
        "by-phase": [values[:, :, p] for p in range(phases)],
        "by-video": [values[:, v] for v in range(videos)],
    }[order]
    within = [fmean(defined(group)) for group in groups if defined(group)]
    return fmean(within) if within else math.nan


cells = st.one_of(st.just(math.nan), st.floats(0, 1))


@settings(max_examples=80)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.data())
def test_means_and_deviations_are_the_literal_ones(runs, videos, phases, data):
    size = runs * videos * phases
    values = np.array(data.draw(st.lists(cells, min_size=size, max_size=size))).reshape(runs, videos, phases)
    elements = Elements("m", "paper", {}, values, tuple(f"v{v}" for v in range(videos)), tuple(f"p{p}" for p in range(phases)))
    for order in AVERAGING_ORDERS:
        assert mean(elements, order).overall.value == pytest.approx(literal_mean(values, order), abs=1e-12, nan_ok=True)
    for axis, source in enumerate(("runs", "videos", "phases")):
        within = [fmean(defined(group)) for group in np.moveaxis(values, axis, 0) if defined(group)]
        corrected, uncorrected = (spread(elements, source, bessel=bessel).overall for bessel in (True, False))
        assert corrected.value == pytest.approx(stdev(within) if len(within) > 1 else math.nan, abs=1e-9, nan_ok=True)
        assert uncorrected.value == pytest.approx(pstdev(within) if within else math.nan, abs=1e-9, nan_ok=True)
        assert corrected.n == uncorrected.n == len(within)


@settings(max_examples=100)
@given(studies())
def test_f1_scores_keep_their_order_when_everything_is_defined(videos):
    # Every phase annotated and predicted in every video and run.
    full = list(range(PHASES))
    whole = [PhaseVideo(v.name, [*v.annotation, *full], [[*run, *full[::-1]] for run in v.predictions]) for v in videos]
    confusions = confusions_of_videos(whole, PHASES)
    precision, recall = rates.rate_elements(confusions, "precision"), rates.rate_elements(confusions, "recall")
    assert not np.isnan(precision.values).any()
    of_phases = mean(rates.rate_elements(confusions, "f1")).overall.value
    if np.all(precision.macro() + recall.macro() > 0):
        bold = mean(rates.f1_of_macro_averages(precision, recall)).overall.value
        assert bold >= of_phases - 1e-12
        assert rates.f1_of_overall_means(precision, recall).overall.value >= bold - 1e-12


def test_a_perfect_prediction_scores_1_and_a_wrong_one_0():
    perfect = confusions_of_videos([PhaseVideo("v", [0, 1, 2], [0, 1, 2])], 3)
    wrong = confusions_of_videos([PhaseVideo("v", [0, 1, 2], [1, 2, 0])], 3)
    for rate in rates.RATES:
        assert mean(rates.rate_elements(perfect, rate)).overall == mean_of([1.0, 1.0, 1.0])
        assert mean(rates.rate_elements(wrong, rate)).overall.value == 0
    precision, recall = rates.rate_elements(wrong, "precision"), rates.rate_elements(wrong, "recall")
    assert math.isnan(mean(rates.f1_of_macro_averages(precision, recall)).overall.value)
    assert math.isnan(rates.f1_of_overall_means(precision, recall).overall.value)


def test_one_frame_is_enough_and_names_are_kept():
    confusions = confusions_of_videos([PhaseVideo("only", [1], [1])], ["cut", "clip"])
    found = mean(rates.rate_elements(confusions, "recall"))
    assert (found.overall.value, found.overall.n) == (1, 1)
    assert math.isnan(found.classes["cut"].value)
    assert found.classes["cut"].n == 0
    assert found.classes["clip"].n == found.videos["only"].n == 1


def test_nothing_defined_gives_nan_with_n_0():
    elements = Elements("m", "paper", {}, np.full((2, 2, 2), np.nan), ("a", "b"), ("0", "1"))
    for order in AVERAGING_ORDERS:
        assert repr(mean(elements, order).overall) == "Value(value=nan, n=0)"
    assert repr(spread(elements, "runs", bessel=False).overall) == "Value(value=nan, n=0)"


def test_infinite_values_have_no_deviation():
    assert math.isnan(sd_of([math.inf, math.inf], True).value)
    assert mean_of([1.0, math.inf]).value == math.inf


def test_means_keep_the_shape():
    assert means(np.array([[[1.0, 3.0]], [[math.nan, math.nan]]])).tolist()[0] == [2.0]


def test_variants_are_distinct_and_comparing_two_is_refused():
    confusions = confusions_of_videos(
        [PhaseVideo("a", [0, 0, 1], [[0, 1, 1], [0, 0, 1]]), PhaseVideo("b", [0, 2, 2], [[0, 2, 0], [2, 2, 2]])], 3
    )
    found = list(rates.results_of_every_choice(confusions))
    assert len({result.variant.name for result in found}) == len(found) > 250
    recommended = {result.variant.name: result for result in rates.results_of_choice(confusions)}
    other = {result.variant.name: result for result in rates.results_of_choice(confusions, PhaseChoice(undefined="B"))}
    name = "phase recognition f1; paper; averaged=all; phases=3; scope=video-wise; statistic=mean; undefined={}"
    one, two = recommended[name.format("A")], other[name.format("B")]
    assert difference(one, one) == 0
    with pytest.raises(MetricsError, match=r"different metrics and cannot be compared.*undefined=A.*undefined=B"):
        difference(one, two)


def test_every_variant_runs_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(
            result.variant.semantics == "paper"
            for result in rates.results_of_every_choice(confusions_of_videos([PhaseVideo("v", [0], [1])], 2))
        )


def test_segments():
    assert segments(np.array([2])) == [(2, 0, 1)]
    assert segments(np.array([0, 0, 1, 0])) == [(0, 0, 2), (1, 2, 3), (0, 3, 4)]


BAD = {
    "no video is given": [],
    "video a is given twice": [PhaseVideo("a", [0], [0]), PhaseVideo("a", [0], [0])],
    "video a has no annotated frame": [PhaseVideo("a", [], [])],
    "3 frames are annotated but 2 predicted": [PhaseVideo("a", [0, 0, 1], [0, 1])],
    "the annotation is 3 at frame 1; ids are whole numbers from 0 to 2": [PhaseVideo("a", [0, 3], [0, 1])],
    "the prediction of run 1 is -1 at frame 0": [PhaseVideo("a", [0, 1], [[0, 1], [-1, 0]])],
    "the prediction is nan at frame 1": [PhaseVideo("a", [0, 1], [0, math.nan])],
    "the annotation is 0.5 at frame 0": [PhaseVideo("a", [0.5, 1], [0, 1])],
    "the annotation is of type": [PhaseVideo("a", ["cut"], [0])],
    "the annotation is of type bool": [PhaseVideo("a", [True], [0])],
    "has rows of different lengths": [PhaseVideo("a", [0, 1], [[0, 1], [0]])],
    "give one id per frame": [PhaseVideo("a", [[0, 1]], [0, 1])],
    "predictions of at least one run": [PhaseVideo("a", [0, 1], np.zeros((0, 2)))],
    "video b has predictions of 1 runs, the videos before have 2": [PhaseVideo("a", [0], [[0], [0]]), PhaseVideo("b", [0], [0])],
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_videos_are_refused_with_a_sentence(sentence):
    with pytest.raises(MetricsError, match=sentence):
        confusions_of_videos(BAD[sentence], 3)


def test_whole_numbers_in_floats_and_small_types_are_taken():
    for kind in (np.float64, np.uint8, np.int16):
        assert confusions_of_videos([PhaseVideo("a", np.array([0, 1], kind), np.array([1, 1], kind))], 2).counts[0, 0].tolist() == [
            [0, 1],
            [0, 1],
        ]


def test_impossible_choices_are_refused():
    confusions = confusions_of_videos([PhaseVideo("a", [0, 1], [0, 1])], 2)
    elements, pooled = rates.rate_elements(confusions, "f1"), pooled_confusions(confusions)
    refused = {
        "give at least one, each with a name of its own": lambda: confusions_of_videos([PhaseVideo("a", [0], [0])], ["x", "x"]),
        "no order of averaging 'random'": lambda: mean(elements, "random"),
        "no strategy 'C' for undefined values": lambda: settled(elements.values, np.array(True), "C"),
        "undefined is 'C'; choose one of A, B, zero, one": lambda: PhaseChoice(undefined="C"),
        "scope is 'phase-wise'": lambda: PhaseChoice(scope="phase-wise"),
        "frame-wise: the frames of all videos are pooled": lambda: spread(rates.rate_elements(pooled, "f1"), "videos"),
        "one value per video here": lambda: spread(rates.accuracy(confusions), "phases"),
        "no deviation over 'raters'": lambda: spread(elements, "raters"),
        "these confusion matrices are pooled already": lambda: rates.results_of_choice(pooled),
        "give those of the videos": lambda: list(rates.results_of_every_choice(pooled)),
        "precision and recall must be of the same videos": lambda: rates.f1_of_overall_means(
            elements, rates.rate_elements(pooled, "recall")
        ),
        "compute both from the same": lambda: rates.f1_of_macro_averages(elements, rates.rate_elements(confusions, "recall", "B")),
    }
    for sentence, call in refused.items():
        with pytest.raises(MetricsError, match=sentence):
            call()


def test_no_mean_is_taken_of_single_values(monkeypatch):
    values = np.array([[0.25, np.nan, np.inf, -0.0, 0.1]])
    wanted = np.array([[averaging.mean_of([value]).value for value in values[0]]])
    taken, mean_of = [], averaging.mean_of
    monkeypatch.setattr(averaging, "mean_of", lambda of: taken.append(of) or mean_of(of))
    assert averaging.means(values[..., np.newaxis]).tobytes() == wanted.tobytes()
    assert not taken
    averaging.means(values)
    assert len(taken) == 1
