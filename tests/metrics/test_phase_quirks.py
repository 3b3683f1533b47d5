"""Each known difference between published phase metrics and their definition on a minimal example."""

import math

import numpy as np
import pytest

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.phases import PhaseVideo, compat, confusions_of_videos, rates, relaxed
from scrubin.evaluate.metrics.phases.averaging import mean, spread
from scrubin.evaluate.metrics.phases.compat import QUIRKS
from scrubin.evaluate.metrics.phases.relaxed import cholec80


def by_definition(annotation, prediction, omega, **options):
    return relaxed.accepted(np.array(annotation), np.array([prediction]), options.pop("tolerance", cholec80()), omega, **options)[
        0
    ].tolist()


def by_script(annotation, prediction, omega):
    return compat.evaluate(annotation, prediction, omega).correct.tolist()


def value(rate, annotation, prediction, omega, **options):
    counted = relaxed.count([PhaseVideo("v", annotation, prediction)], omega)
    return relaxed.elements(counted, rate, **options).values[0, 0]


def tail_mask_on_head():
    annotation, prediction = [1] * 6 + [2] * 4, [6, 1, 1, 1, 1, 2, 2, 2, 2, 2]
    assert by_definition(annotation, prediction, 1) == [False] + [True] * 9
    assert by_script(annotation, prediction, 1) == [True] * 5 + [False] + [True] * 4


def short_segments():
    annotation, prediction = [1] * 4 + [2] * 2 + [3] * 4, [1, 1, 1, 1, 3, 3, 1, 3, 3, 3]
    # Frame 6 lies 2 after the start of phase 2, where 1 is a late transition to it, but it is annotated as 3.
    assert by_definition(annotation, prediction, 3) == [True] * 6 + [False] + [True] * 3
    assert all(by_definition(annotation, prediction, 3, window="literal"))
    assert by_script(annotation, prediction, 3) == by_definition(annotation, prediction, 3)
    assert compat.evaluate(annotation, prediction, 3).short_segments == (2,)


def x_cells():
    for truth, guess, at_start in ((4, 5, True), (5, 6, True), (5, 4, False), (6, 5, False)):
        annotation = [truth] * 6
        prediction = [guess] + [truth] * 5 if at_start else [truth] * 5 + [guess]
        assert not all(by_definition(annotation, prediction, 1))
        assert all(by_definition(annotation, prediction, 1, tolerance=cholec80("accepted")))
        assert not all(by_script(annotation, prediction, 1))


def above_one():
    annotation, prediction = [1] * 4 + [2] * 4, [1] * 5 + [2] * 3
    assert value("recall", annotation, prediction, 2)[1] == 5 / 4
    assert value("recall", annotation, prediction, 2, counted="own")[1] == 1
    assert value("jaccard", annotation, prediction, 2)[1] == 1
    assert compat.evaluate(annotation, prediction, 2).recall[1] == 125


def infinite_precision():
    annotation = [1] * 4 + [2] * 2 + [3] * 4
    excused, not_excused = [1] * 5 + [3] * 5, [1] * 4 + [6] * 2 + [3] * 4
    for prediction, expected in ((excused, math.inf), (not_excused, math.nan)):
        assert value("precision", annotation, prediction, 2)[2] == pytest.approx(expected, nan_ok=True)
        assert compat.evaluate(annotation, prediction, 2).precision[2] == pytest.approx(expected, nan_ok=True)
    assert math.isnan(value("precision", annotation, excused, 2, counted="own")[2])


def clipped_before_averaging():
    videos = [PhaseVideo("a", [1] * 4 + [2] * 4, [1] * 5 + [2] * 3), PhaseVideo("b", [1] * 4 + [2] * 4, [1] * 2 + [6] * 2 + [2] * 4)]
    counted = relaxed.count(videos, 1)
    assert mean(relaxed.elements(counted, "recall")).classes["1"].value == (5 / 4 + 2 / 4) / 2
    assert mean(relaxed.elements(counted, "recall", above_one="clipped")).classes["1"].value == (1 + 2 / 4) / 2
    assert compat.main(videos, 1).recall.per_phase[1] == (100 + 50) / 2


def phases_not_annotated():
    annotation, prediction = [1, 1, 1, 2], [1, 1, 3, 2]
    confusions = confusions_of_videos([PhaseVideo("v", annotation, prediction)], 7)
    assert rates.rate_elements(confusions, "jaccard").values[0, 0, 3] == 0
    assert math.isnan(rates.rate_elements(confusions, "jaccard", "B").values[0, 0, 3])
    assert math.isnan(value("jaccard", annotation, prediction, 0)[3])
    assert math.isnan(compat.evaluate(annotation, prediction, 0).jaccard[3])


def phase_missing_everywhere():
    video = PhaseVideo("v", [1, 1, 2], [1, 1, 2])
    found = compat.main([video], 0)
    assert math.isnan(found.jaccard.mean)
    assert math.isnan(found.recall.sd)
    assert (found.precision.mean, found.precision.sd) == (100, 0)
    overall = mean(relaxed.elements(relaxed.count([video], 0), "jaccard"), "by-phase").overall
    assert (overall.value, overall.n) == (1, 2)


def deviation_over_what():
    found = compat.results(compat.main([PhaseVideo("v", [1, 2], [1, 2])], 0))
    assert [result.variant.options["statistic"] for result in found] == ["mean over phases", "SD over phases"] * 3 + [
        "mean over videos",
        "SD over videos",
    ]
    jaccard = rates.rate_elements(confusions_of_videos([PhaseVideo("v", [1, 2], [1, 2])], 3), "jaccard")
    assert [spread(jaccard, source).variant.options["statistic"] for source in ("videos", "phases")] == ["SD over videos", "SD over phases"]


def deviation_of_one_value():
    assert compat.main([PhaseVideo("v", [1, 2], [1, 2])], 0).sd_accuracy == 0
    accuracy = rates.accuracy(confusions_of_videos([PhaseVideo("v", [1, 2], [1, 2])], 3))
    assert math.isnan(spread(accuracy, "videos").overall.value)
    assert spread(accuracy, "videos", bessel=False).overall.value == 0


def order_of_averaging():
    videos = [PhaseVideo("a", [0, 0, 1, 1], [0, 0, 1, 0]), PhaseVideo("b", [0, 0, 0, 0], [0, 0, 0, 0])]
    recall = rates.rate_elements(confusions_of_videos(videos, 2), "recall")
    found = {order: mean(recall, order).overall.value for order in ("all", "macro-first", "by-phase", "by-video")}
    assert found == {"all": 2.5 / 3, "macro-first": 1.75 / 2, "by-phase": 1.5 / 2, "by-video": 1.75 / 2}


def three_f1_scores():
    videos = [PhaseVideo("a", [0, 0, 0, 1], [0, 1, 1, 1]), PhaseVideo("b", [0, 1, 1, 1], [0, 0, 1, 1])]
    confusions = confusions_of_videos(videos, 2)
    precision, recall = rates.rate_elements(confusions, "precision"), rates.rate_elements(confusions, "recall")
    of_phases = mean(rates.rate_elements(confusions, "f1"))
    bold = mean(rates.f1_of_macro_averages(precision, recall))
    italic = rates.f1_of_overall_means(precision, recall)
    assert of_phases.overall.value < bold.overall.value <= italic.overall.value
    assert len({result.variant.metric for result in (of_phases, bold, italic)}) == 3


def unknown_ids():
    for refused in (compat.evaluate, lambda *given: relaxed.count([PhaseVideo("v", *given[:2])], given[2])):
        with pytest.raises(MetricsError, match=r"7 at frame 1; ids are whole numbers from 0 to 6 \(subtract 1"):
            refused([0, 7], [0, 1], 0)


def names_without_order():
    annotation, prediction = [0] * 6 + [1] * 6, [0] * 8 + [1] * 4
    in_order, by_alphabet = np.array([0, 1]), np.array([5, 1])
    found = [compat.evaluate(ids[annotation], ids[prediction], 3).accuracy for ids in (in_order, by_alphabet)]
    assert found[0] == 100
    assert found[1] < 100
    regular = [
        rates.rate_elements(confusions_of_videos([PhaseVideo("v", ids[annotation], ids[prediction])], 7), "jaccard")
        for ids in (in_order, by_alphabet)
    ]
    assert len({mean(one).overall for one in regular}) == 1


@pytest.mark.parametrize("name", [one.name for one in QUIRKS])
def test_the_quirk_shows_on_a_minimal_example(name):
    globals()[name.replace("-", "_")]()


def test_every_quirk_says_what_both_semantics_do():
    assert len({one.name for one in QUIRKS}) == len(QUIRKS)
    assert all(one.published and one.paper and one.compat for one in QUIRKS)
    assert [one.origin for one in QUIRKS if one.name == "tail-mask-on-head"] == ["bug"]
