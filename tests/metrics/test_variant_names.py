"""Names of variants: whatever changes the number is in the name, and results of different names are not compared."""

from itertools import product

import pytest

import detection_cases
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics import result as metrics_result
from scrubin.evaluate.metrics import skill
from scrubin.evaluate.metrics.detection import checked, compat_ivtdmetrics, compat_ivtmetrics
from scrubin.evaluate.metrics.detection.average_precision import average_precision, average_precision_range
from scrubin.evaluate.metrics.phases import PhaseVideo, relaxed
from scrubin.evaluate.metrics.phases import compat as phase_compat
from scrubin.evaluate.metrics.phases.averaging import mean
from scrubin.evaluate.metrics.phases.compat import CHOLEC80, M2CAI
from scrubin.evaluate.metrics.phases.relaxed import Tolerance, cholec80, from_transitions
from scrubin.evaluate.metrics.recognition import TripletVideo, compat, triplet_map
from scrubin.evaluate.metrics.recognition.average_precision import pooled, video_wise
from scrubin.evaluate.metrics.result import difference


def test_thresholds_that_look_the_same_are_not_compared():
    scene = checked(detection_cases.study_of(detection_cases.golden("order_a")["videos"]))
    one, other = (average_precision(scene, threshold=threshold) for threshold in (1 / 3, 0.333333))
    with pytest.raises(MetricsError, match=r"iou=0\.3333333333333333; .*iou=0\.333333; "):
        difference(one, other)
    assert difference(one, one) == 0


def test_what_no_option_of_the_command_line_says_is_in_the_name_too():
    scene = checked(detection_cases.study_of(detection_cases.golden("order_a")["videos"]))
    videos = [PhaseVideo("v", [1, 1, 2], [1, 2, 2])]
    named = [
        *(
            compat_ivtmetrics.of_videos(scene, threshold, program=program, in_place=in_place).compute_video_ap()["AP"]
            for threshold, program, in_place in product((0.5, 0.3), ("0.1.5", "0.1.2"), (True, False))
        ),
        *(compat_ivtdmetrics.of_videos(scene, sorted_confidence=in_order).compute_video_ap()["F1"] for in_order in (True, False)),
        *(average_precision_range(scene, low=low, step=step) for low, step in ((50, 5), (50, 15), (65, 5))),
        *(phase_compat.results(phase_compat.main(videos, omega, rules))[0] for omega, rules in product((2, 3), (CHOLEC80, M2CAI))),
    ]
    assert len({one.variant.name for one in named}) == len(named)


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
