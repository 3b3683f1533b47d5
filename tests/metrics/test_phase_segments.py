"""Segmental edit score and F1, events and the spread over videos: against plain implementations, on random sequences."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.bootstrap import intervals
from scrubin.evaluate.metrics.phases import PhaseVideo, confusions_of_videos, rates, segments


def runs_of(sequence, background):
    """Segments as plain tuples, each with its set of frames."""
    found, at = [], 0
    for phase, group in itertools.groupby(sequence):
        length = len(list(group))
        if phase != background:
            found.append((phase, frozenset(range(at, at + length))))
        at += length
    return found


def plain_distance(one, other):
    if not one or not other:
        return len(one) + len(other)
    if one[0] == other[0]:
        return plain_distance(one[1:], other[1:])
    return 1 + min(plain_distance(one[1:], other), plain_distance(one, other[1:]), plain_distance(one[1:], other[1:]))


def plain_counts(truth, predicted, percent):
    free, hits = set(range(len(truth))), 0
    for phase, frames in predicted:
        ious = [
            (Fraction(len(frames & own), len(frames | own)), -at) for at, (name, own) in enumerate(truth) if name == phase and frames & own
        ]
        if ious and max(ious)[0] >= Fraction(percent, 100) and -max(ious)[1] in free:
            free.discard(-max(ious)[1])
            hits += 1
    return hits, len(predicted) - hits, len(free)


def plain_pairs(truth, predicted):
    pairs = []
    free_true, free_predicted = set(range(len(truth))), set(range(len(predicted)))
    while True:
        open_pairs = [
            (-Fraction(len(truth[one][1] & predicted[other][1]), len(truth[one][1] | predicted[other][1])), one, other)
            for one in free_true
            for other in free_predicted
            if truth[one][0] == predicted[other][0] and truth[one][1] & predicted[other][1]
        ]
        if not open_pairs:
            return sorted(pairs)
        _, one, other = min(open_pairs)
        pairs.append((one, other))
        free_true.discard(one)
        free_predicted.discard(other)


def sequence(rng, phases, length):
    return np.repeat(rng.integers(0, phases, length), rng.integers(1, 6, length))[:length]


@pytest.fixture(scope="module")
def random_pairs():
    rng = np.random.default_rng(7)
    drawn = []
    for _ in range(120):
        length, phases = int(rng.integers(1, 22)), int(rng.integers(1, 5))
        truth = sequence(rng, phases, length)
        predicted = truth.copy() if rng.random() < 0.3 else sequence(rng, phases, length)
        drawn.append((truth, predicted, phases, int(rng.integers(-1, phases))))
    return drawn


def test_edit_score_and_f1_are_those_of_plain_implementations(random_pairs):
    for truth, predicted, phases, background in random_pairs:
        name = "" if background < 0 else str(background)
        counted = segments.count([PhaseVideo("v", truth, predicted)], phases, (10, 25, 50, 100), name)
        ones, others = runs_of(truth.tolist(), background), runs_of(predicted.tolist(), background)
        longest = max(len(ones), len(others))
        distance = plain_distance([phase for phase, _ in ones], [phase for phase, _ in others])
        assert counted.edit[0, 0] == pytest.approx(1 - distance / longest if longest else math.nan, abs=1e-15, nan_ok=True)
        for at, percent in enumerate((10, 25, 50, 100)):
            assert tuple(counted.counts[at, 0, 0].sum(axis=0)) == plain_counts(ones, others, percent)


def test_events_are_matched_as_by_a_plain_search(random_pairs):
    for truth, predicted, _, background in random_pairs:
        left_out = None if background < 0 else background
        found = segments.matched_pairs(segments.segments_of(truth, left_out), segments.segments_of(predicted, left_out))
        assert found == plain_pairs(runs_of(truth.tolist(), background), runs_of(predicted.tolist(), background))


def by_name(results):
    return {(one.variant.metric, one.variant.options["statistic"]): one for one in results}


def test_segments_cut_in_pieces_cost_edit_score_and_f1_but_hardly_accuracy():
    truth = [0] * 10 + [1] * 10
    pieces = [0] * 4 + [1] + [0] * 5 + [1] * 10
    found = by_name(segments.segment_results(segments.count([PhaseVideo("v", truth, pieces)], ["a", "b"])))
    assert found["phase segments edit score", "mean"].overall.value == 0.5
    # The longer piece of the first phase is the hit at 50 %, the other one and the flicker are not.
    f1 = found["phase segments F1@50", "pooled"]
    assert (f1.overall.value, f1.overall.n) == (2 * 2 / (4 + 2), 2)
    assert f1.classes["a"].value == pytest.approx(2 / 3)


def test_the_mean_of_videos_is_not_the_f1_of_all_segments():
    videos = [PhaseVideo("long", [0, 1, 0, 1], [0, 1, 0, 1]), PhaseVideo("short", [0, 0, 0, 0], [1, 1, 1, 1])]
    found = by_name(segments.segment_results(segments.count(videos, 2)))
    assert found["phase segments F1@10", "mean"].overall.value == 0.5
    assert found["phase segments F1@10", "pooled"].overall.value == 8 / 10
    assert found["phase segments F1@10", "mean"].videos["short"].value == 0


def test_where_only_predictions_have_segments_they_are_what_is_counted():
    counted = segments.count([PhaseVideo("v", [1, 1, 1, 1], [[0, 1, 0, 1], [1, 1, 1, 0]])], ["a", "rest"], (50,), "rest")
    pooled = by_name(segments.segment_results(counted))["phase segments F1@50", "pooled"]
    assert (pooled.overall.value, pooled.overall.n) == (0, 3)
    assert (pooled.classes["a"].value, pooled.classes["a"].n) == (0, 3)
    assert pooled.classes["rest"].n == 0


def test_a_video_of_background_only_is_undefined():
    counted = segments.count([PhaseVideo("v", [1, 1], [1, 1]), PhaseVideo("w", [0, 1], [1, 1])], ["a", "rest"], (50,), "rest")
    found = by_name(segments.segment_results(counted))
    assert found["phase segments edit score", "mean"].videos["v"].n == 0
    assert found["phase segments edit score", "mean"].overall == found["phase segments F1@50", "mean"].overall
    assert found["phase segments edit score", "mean"].overall.value == 0
    assert found["phase segments edit score", "mean"].overall.n == 1


def test_errors_of_onsets_are_in_seconds_and_late_is_positive():
    truth, predicted = [0] * 10 + [1] * 10 + [2] * 5, [0] * 12 + [1] * 5 + [2] * 8
    times = {"v": np.arange(25) / 2}
    found = by_name(segments.event_results(segments.events_of_videos([PhaseVideo("v", truth, predicted)], 3, times)))
    onset, offset = (found[f"phase {edge} error", "mean"] for edge in ("onset", "offset"))
    # Phase 0 begins with the video and phase 2 ends with it: there is nothing to find.
    assert {name: value.value for name, value in onset.classes.items() if value.n} == {"1": 1.0, "2": -1.5}
    assert {name: value.value for name, value in offset.classes.items() if value.n} == {"0": 1.0, "1": -1.5}
    assert found["phase onset error", "median absolute"].overall.value == 1.25
    assert (onset.overall.value, onset.overall.n) == (-0.25, 2)


def test_segments_without_a_partner_are_counted_and_have_no_error():
    truth, predicted = [0] * 4 + [1] * 4 + [0] * 4, [0] * 6 + [2] * 2 + [0] * 2 + [2] * 2
    found = by_name(segments.event_results(segments.events_of_videos([PhaseVideo("v", truth, predicted)], 3, {"v": np.arange(12.0)})))
    counts = {name: found["phase segments", name] for name in ("matched", "missed", "extra")}
    assert {name: one.overall.value for name, one in counts.items()} == {"matched": 2, "missed": 1, "extra": 2}
    assert counts["missed"].classes["1"].value == 1
    assert counts["extra"].classes["2"].value == 2


def test_the_spread_over_videos_is_that_of_numpy():
    rng = np.random.default_rng(3)
    videos = [PhaseVideo(f"v{at}", rng.integers(0, 3, 30), rng.integers(0, 3, 30)) for at in range(7)]
    accuracy = [float(np.mean(np.asarray(one.annotation) == one.predictions)) for one in videos]
    found = {key: one.overall.value for key, one in by_name(rates.spread_results(confusions_of_videos(videos, 3))).items()}
    name = "phase recognition accuracy"
    assert found[name, "median over videos"] == pytest.approx(np.median(accuracy), abs=1e-15)
    assert found[name, "lower quartile over videos"] == pytest.approx(np.quantile(accuracy, 0.25), abs=1e-15)
    assert found[name, "SD over videos"] == pytest.approx(np.std(accuracy, ddof=1), abs=1e-15)
    assert found[name, "least over videos"] == min(accuracy)


@pytest.mark.parametrize("kind", ["segments", "events", "videos"])
def test_a_draw_of_all_videos_is_the_whole(kind):
    rng = np.random.default_rng(5)
    videos = [PhaseVideo(f"v{at}", sequence(rng, 3, 40), sequence(rng, 3, 40)) for at in range(5)]
    if kind == "segments":
        whole, results = segments.count(videos, 3), segments.segment_results
    elif kind == "events":
        whole, results = segments.events_of_videos(videos, 3, {one.name: np.arange(40.0) for one in videos}), segments.event_results
    else:
        whole, results = confusions_of_videos(videos, 3), rates.spread_results
    drawn = results(whole.take(np.array([4, 2, 0, 1, 3])))
    assert [one.overall.value for one in drawn] == pytest.approx([one.overall.value for one in results(whole)], abs=1e-12, nan_ok=True)
    for interval in intervals(lambda draw: results(whole.take(draw)), [one.name for one in videos], resamples=20):
        assert math.isnan(interval.low.value) or interval.low.value <= interval.high.value


@pytest.mark.parametrize(("overlaps", "background"), [((0,), ""), ((101,), ""), ((), ""), ((10,), "nothing")])
def test_overlaps_and_backgrounds_that_there_are_not_are_refused(overlaps, background):
    with pytest.raises(MetricsError, match="overlaps are percent"):
        segments.count([PhaseVideo("v", [0], [0])], 1, overlaps, background)
