"""Names of variants: whatever changes the number is in the name, and results of different names are not compared."""

from itertools import product

import numpy as np
import pytest

import declared_metrics
import detection_cases
import draws
from scrubin.base.errors import MetricsError
from scrubin.base.statistics import FORMS
from scrubin.evaluate.computation import chosen
from scrubin.evaluate.metrics import error_recognition, result, skill
from scrubin.evaluate.metrics import result as metrics_result
from scrubin.evaluate.metrics.detection import checked, compat_ivtdmetrics, compat_ivtmetrics
from scrubin.evaluate.metrics.detection.association import association
from scrubin.evaluate.metrics.detection.average_precision import at_best_confidence, average_precision, average_precision_range
from scrubin.evaluate.metrics.phases import PhaseVideo, confusions_of_videos, rates, relaxed
from scrubin.evaluate.metrics.phases import compat as phase_compat
from scrubin.evaluate.metrics.phases.averaging import mean, spread
from scrubin.evaluate.metrics.phases.compat import CHOLEC80, M2CAI
from scrubin.evaluate.metrics.phases.relaxed import Tolerance, cholec80, from_transitions
from scrubin.evaluate.metrics.recognition import TripletVideo, compat, top_k, triplet_map
from scrubin.evaluate.metrics.recognition.average_precision import pooled, video_wise
from scrubin.evaluate.metrics.result import difference
from scrubin.evaluate.metrics.variants import AVERAGING_ORDERS, COMPONENTS, INTERPOLATIONS, METRICS, STRATEGIES

# The last three look the same with six digits.
THRESHOLDS = (0.5, 0.3, 1 / 3, 0.333333, 0.33333300000000005)


def recognition():
    rng = np.random.default_rng(0)
    ids = [[number % 3, number % 4, number] for number in range(8)]
    videos = [TripletVideo("v", rng.random((30, 8)) < 0.3, rng.random((30, 8)))]
    everything = []
    for null in ([6, 7], [0, 1]):
        triplets = triplet_map(ids, null=null)
        for compute in (video_wise, pooled):
            everything.append(compute(videos, triplets, "ivt", ignore_null=True)["ivt"])
    for compute in (video_wise, pooled):
        everything += compute(videos, triplets).values()
    tops = [top_k.top_k(videos, triplets, k, name) for name in COMPONENTS for k in (1, 2)]
    everything += [one.result for one in tops]
    for release in ("<=1.5", ">=1.6"):
        published = compat.of_videos(videos, triplets, scikit_learn=release)
        for name in COMPONENTS:
            everything += [published.compute_video_ap(name), published.compute_global_ap(name)]
        everything += [published.compute_video_ap("ivt", True), published.compute_global_ap("ivt", True)]
    return [*everything, published.top_k(1), published.top_k(2)]


def detection():
    scene = checked(detection_cases.study_of(detection_cases.golden("order_a")["videos"]))
    everything = []
    for name, scope in product(detection_cases.SIZES, ("global", "video-wise")):
        for threshold in THRESHOLDS:
            everything += [average_precision(scene, name, threshold=threshold, interpolation=area, scope=scope) for area in INTERPOLATIONS]
            best = at_best_confidence(scene, name, threshold=threshold, scope=scope)
            everything += [best.precision, best.recall, best.f1]
        for low, step in ((50, 5), (50, 15), (65, 5)):
            everything.append(average_precision_range(scene, name, low=low, step=step, scope=scope))
    for threshold, scope in product(THRESHOLDS, ("global", "video-wise")):
        everything += association(scene, threshold=threshold, scope=scope).values()
    for threshold, program, in_place in product(THRESHOLDS, ("0.1.5", "0.1.2"), (True, False)):
        older = compat_ivtmetrics.of_videos(scene, threshold, program=program, in_place=in_place)
        for name in ("ivt", "i", "v"):
            everything += [*older.compute_video_ap(name).values(), *older.compute_ap(name).values()]
        everything += older.compute_global_ap().values() if program == "0.1.2" else ()
    for threshold, in_order in product(THRESHOLDS, (True, False)):
        newer = compat_ivtdmetrics.of_videos(scene, threshold, sorted_confidence=in_order)
        for name in ("ivt", "v"):
            for found in (newer.compute_video_ap(name), newer.compute_global_ap(name), newer.compute_ap(name)):
                # The axis of confidences is that of precision, recall and F1 only.
                everything += [one for key, one in found.items() if in_order or key in ("Rec", "Pre", "F1")]
    return everything


def phases():
    rng = np.random.default_rng(0)
    videos = [PhaseVideo(f"v{number}", rng.integers(0, 7, 40), rng.integers(0, 7, 40)) for number in range(3)]
    everything = list(rates.results_of_every_choice(confusions_of_videos(videos, 7)))
    for omega, x_cells, window in product((2, 3), ("left out", "accepted"), ("segment", "literal")):
        counted = relaxed.count(videos, omega, cholec80(x_cells), window=window)
        for rate, strategy, own, above in product(relaxed.RELAXED_RATES, STRATEGIES, ("either", "own"), ("kept", "clipped")):
            elements = relaxed.elements(counted, rate, strategy, counted=own, above_one=above)
            everything += [mean(elements, order) for order in AVERAGING_ORDERS]
            everything += [spread(elements, source, bessel=bessel) for source in ("videos", "phases") for bessel in (True, False)]
        everything.append(mean(relaxed.accuracy(counted)))
    for rules, omega in product((CHOLEC80, M2CAI), (2, 3)):
        everything += phase_compat.results(phase_compat.main(videos, omega, rules))
    return everything


def others():
    found = [skill.score("ccc", [1.0, 2.0], [1.0, 3.0], form=form) for form in FORMS]
    found += [skill.score(metric, [1.0, 2.0], [1.0, 3.0]) for metric in ("mae", "spearman")]
    found += [
        error_recognition.score(metric, {"a": [0, 1]}, {"a": [1, 1]}, semantics=semantics)
        for metric, semantics in product(error_recognition.METRICS, ("paper", "compat"))
    ]
    repeated = [result.over_runs(found[:1] * 2, bessel=bessel) for bessel in (True, False)]
    summaries = [repeated[0].mean, repeated[0].sd, repeated[1].sd]
    bounds = [
        draws.interval(lambda _, number=number: found[number], ["a"], level=level, resamples=resamples, seed=seed)
        for number, level, resamples, seed in (
            (0, 0.9, 5, 0),
            (0, 0.9000001, 5, 0),
            (0, 0.9, 6, 0),
            (0, 0.9, 5, 1),
            (1, 0.9, 5, 0),
        )
    ]
    return [*found, *summaries, *bounds]


@pytest.mark.slow
@pytest.mark.parametrize("compute", [recognition, detection, phases, others])
def test_every_option_is_in_the_name(compute):
    names = [one.variant.name for one in compute()]
    again = sorted({name for name in names if names.count(name) > 1})
    assert len(names) > 15
    assert again == []


def test_thresholds_that_look_the_same_are_not_compared():
    scene = checked(detection_cases.study_of(detection_cases.golden("order_a")["videos"]))
    one, other = (average_precision(scene, threshold=threshold) for threshold in (1 / 3, 0.333333))
    with pytest.raises(MetricsError, match=r"iou=0\.3333333333333333; .*iou=0\.333333; "):
        difference(one, other)
    assert difference(one, one) == 0


def test_the_null_triplets_that_are_left_out_are_named():
    triplets = triplet_map([[0, 0, 0], [0, 1, 0], [0, 2, 0]], null=[2, 1])
    videos = [TripletVideo("v", [[1, 0, 0]], [[0.5, 0.5, 0.5]])]
    for compute in (video_wise, pooled):
        assert compute(videos, triplets, "ivt", ignore_null=True)["ivt"].variant.options["null"] == "left out (1, 2)"
        assert compute(videos, triplets, "ivt")["ivt"].variant.options["null"] == "counted"
    published = compat.of_videos([TripletVideo("v", [[1] * 8], [[0.5] * 8])], triplet_map([[0, 0, number] for number in range(8)]))
    assert published.compute_video_ap("ivt", ignore_null=True).variant.options["null"] == "left out (2, 3, 4, 5, 6, 7)"


def test_other_matrices_of_accepted_predictions_are_another_variant():
    videos = [PhaseVideo("v", [0, 0, 1], [0, 1, 1])]
    names = {
        mean(relaxed.accuracy(relaxed.count(videos, 1, from_transitions("ours", phases, allowed)))).variant.options["tolerance"]
        for phases, allowed in ((2, [(0, 1)]), (2, [(1, 0)]), (7, [(0, 1)]))
    }
    assert names == {"ours (start 1:0, end 0:1; 2 phases)", "ours (start 0:1, end 1:0; 2 phases)", "ours (start 1:0, end 0:1; 7 phases)"}
    renamed = from_transitions("Cholec80, x cells accepted", 7, [(0, 1)])
    assert renamed.described == "Cholec80, x cells accepted (start 1:0, end 0:1; 7 phases)"
    known = cholec80()
    assert Tolerance(known.name, known.start, known.start).described.startswith("Cholec80, x cells left out (start 1:0 ")
    assert Tolerance("ours", known.start, known.end).described.startswith("ours (start 1:0 2:1 ")
    assert [cholec80(x_cells).described for x_cells in ("left out", "accepted")] == [
        "Cholec80, x cells left out",
        "Cholec80, x cells accepted",
    ]


def test_summaries_over_runs_are_not_summarised_again():
    one = metrics_result.over_runs([skill.score("mae", [1.0], [2.0])] * 3)
    for one_result in (one.mean, one.sd):
        with pytest.raises(MetricsError, match="run 0 is a mean or deviation over runs already"):
            metrics_result.over_runs([one_result, one_result])


NUMBERS = {
    "k": ["3"],
    "bins": ["4"],
    "iou": ["0.3"],
    "image": ["854x480", "80x60"],
    "confidence": ["0.2"],
    "tolerance": ["2"],
    "overlap": ["30,60"],
    "background": ["1"],
    "omega": ["2s", "3"],
    "order": [],
    "threshold": ["0.9"],
    "sigma": ["0.03", "tip=0.03,hinge=0.2"],
    "within": ["0.07,0.3"],
}
"""What else is chosen where a choice is no word."""


def every_choice(task):
    """Semantics, choice and numbers by name and what is stated, of all kinds, each with one other choice at a time."""
    for semantics, choices in METRICS[task].choices.items():
        if (task, semantics) in (("skill", "compat"), ("criteria", "compat"), ("points", "compat")):
            continue
        first = next((name for name in ("kind", "program") if name in choices), None)
        for kind in choices[first].values if first else ("",):
            base = [f"{first}={kind}"] * bool(first) + ["image=640x360"] * (kind == "sizes")
            others = [
                f"{name}={value}"
                for name, one in choices.items()
                for value in one.values or NUMBERS[name]
                if name != first and value != one.default
            ]
            for given in ([], *([one] for one in others)):
                of_both = [one for one in base if not given or one.split("=")[0] != given[0].split("=")[0]]
                if (task, kind) == ("skill", "raters"):
                    continue  # it reads the ratings beside the files
                try:
                    scoring = declared_metrics.SCORINGS[task](semantics, chosen(choices, [*of_both, *given], task))
                    found = [one for part in scoring.parts for one in part.results(None)]
                except MetricsError:
                    continue  # it says nothing of this kind, or does not fit the study
                names = [(one.variant.name, *sorted(one.variant.stated.items())) for one in found]
                assert len(set(names)) == len(names), [semantics, *of_both, *given]
                yield (
                    [semantics, *of_both, *given],
                    {name: (repr(one.overall.value), one.overall.n) for name, one in zip(names, found, strict=True)},
                )


@pytest.mark.parametrize("task", [pytest.param(one, marks=pytest.mark.slow) if one == "detection" else one for one in METRICS])
def test_whatever_is_chosen_and_changes_a_number_is_in_its_name_or_stated(task):
    known, seen = {}, 0
    for choice, numbers in every_choice(task):
        seen += 1
        for name, number in numbers.items():
            before, first = known.setdefault(name, (number, choice))
            assert number == before, (name, choice, first)
    assert seen >= (2 if task == "errors" else 3)
