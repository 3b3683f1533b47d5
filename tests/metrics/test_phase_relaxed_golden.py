"""Every number of the golden files of relaxed phase metrics: the definition in its readings, and the published script."""

import numpy as np
import pytest

import phase_cases as cases
from each import each
from scrubin.evaluate.metrics.phases import compat, relaxed
from scrubin.evaluate.metrics.phases.averaging import mean, spread
from scrubin.evaluate.metrics.phases.relaxed import cholec80

PERCENT = 1e-7
READINGS = {
    "paper_R": ("left out", "segment"),
    "paper_R_x_cells_accepted": ("accepted", "segment"),
    "paper_R_window_not_clipped_to_segment": ("left out", "literal"),
}
EDGE = cases.golden("relaxed_edge")["cases"]
FORTY = cases.golden("relaxed40")
ALL = [*({**one, "id": one["name"]} for one in EDGE), *({**one, "fps": FORTY["fps"]} for one in FORTY["videos"])]


def close(got, expected):
    np.testing.assert_allclose(np.asarray(got, dtype=float), cases.numbers(expected), rtol=0, atol=PERCENT)


def text(correct):
    return "".join("FT"[int(value)] for value in correct)


@each("reading", READINGS)
@each("case", ALL, say=lambda case: case["id"])
def test_the_definition_is_golden_in_every_reading(case, reading):
    expected, (x_cells, window) = case["expected"][reading], READINGS[reading]
    omega, allowed = round(10 * case["fps"]), cholec80(x_cells)
    [video] = cases.golden_videos([case])
    assert (
        text(relaxed.accepted(np.array(video.annotation), np.array([video.predictions]), allowed, omega, window)[0]) == expected["correct"]
    )
    counted = relaxed.count([video], omega, allowed, window=window)
    annotated = counted.annotated[0, 0] > 0
    close(np.where(annotated, counted.relaxed_true[0, 0], np.nan), expected["rtp"])
    close(100 * relaxed.accuracy(counted).values[0, 0, 0:1], [expected["accuracy"]])
    for rate in relaxed.RELAXED_RATES:
        close(100 * relaxed.elements(counted, rate).values[0, 0], expected[rate])
    for rate in ("precision", "recall"):
        close(100 * relaxed.elements(counted, rate, counted="own").values[0, 0], expected[f"suggested_{rate}"])


@each("case", ALL, say=lambda case: case["id"])
def test_the_script_is_golden(case):
    expected = case["expected"]["octave_script"]
    found = compat.evaluate(cases.ids(case["gt"]), cases.ids(case["pred"]), 10 * case["fps"])
    assert text(found.correct) == case["expected"]["correct_script"]
    for rate in relaxed.RELAXED_RATES:
        close(found.rate(rate), expected[rate])
    close([found.accuracy], [expected["accuracy"]])


@each("case", cases.golden("relaxed_m2cai")["cases"], say=lambda case: case["name"])
def test_the_script_for_m2cai_is_golden(case):
    found = compat.evaluate(cases.ids(case["gt"]), cases.ids(case["pred"]), 10 * case["fps"], compat.M2CAI)
    for rate in relaxed.RELAXED_RATES:
        close(found.rate(rate), case["octave_script"][rate])
    close([found.accuracy], [case["octave_script"]["accuracy"]])


def test_main_is_golden():
    expected = FORTY["aggregate"]["octave_Main"]
    found = compat.main(cases.golden_videos(FORTY["videos"]), FORTY["omega"])
    for summary, short, lower in ((found.jaccard, "Jacc", "jacc"), (found.precision, "Prec", "prec"), (found.recall, "Rec", "rec")):
        close(summary.per_phase, expected[f"mean{short}PerPhase"])
        close(summary.per_video, expected[f"mean{short}PerVideo"])
        close(summary.sd_per_phase, expected[f"std{lower}phase"])
        close([summary.mean, summary.sd], [expected[f"mean{short}"], expected[f"std{short}"]])
    close(found.accuracy, expected["accPerVideo"])
    close([found.mean_accuracy, found.sd_accuracy], [expected["meanAcc"], expected["stdAcc"]])
    assert found.short_segments == FORTY["aggregate"]["very_short_segments_reported_by_script"]
    named = {result.variant.name: result for result in compat.results(found)}
    printed = [
        f"Mean {rate}: {one(named, rate, 'mean').overall.value:5.2f} +- {one(named, rate, 'SD').overall.value:5.2f}"
        for rate in ("jaccard", "accuracy", "precision", "recall")
    ]
    assert printed == expected["printed"]


def one(named, rate, statistic):
    [found] = [result for name, result in named.items() if f"relaxed {rate};" in name and f"statistic={statistic} " in name]
    return found


@pytest.mark.parametrize("reading", READINGS)
def test_the_definition_averaged_as_the_script_does_is_golden(reading):
    expected, (x_cells, window) = FORTY["aggregate"][reading], READINGS[reading]
    counted = relaxed.count(cases.golden_videos(FORTY["videos"]), FORTY["omega"], cholec80(x_cells), window=window)
    for rate, short in (("jaccard", "Jacc"), ("precision", "Prec"), ("recall", "Rec")):
        elements = relaxed.elements(counted, rate, above_one="clipped")
        averaged = mean(elements, "by-phase")
        close([100 * value.value for value in averaged.classes.values()], expected[f"mean{short}PerPhase"])
        close(
            [100 * averaged.overall.value, 100 * spread(elements, "phases").overall.value],
            [expected[f"mean{short}"], expected[f"std{short}"]],
        )
    accuracy = relaxed.accuracy(counted)
    close([100 * mean(accuracy).overall.value, 100 * spread(accuracy, "videos").overall.value], [expected["meanAcc"], expected["stdAcc"]])


def test_figure_4():
    expected = cases.golden("worked_examples")["figure4"]
    [video] = cases.golden_videos([{**expected, "id": "figure 4"}])
    counted = relaxed.count([video], expected["omega"])
    phase, four = expected["phase4"], (0, 0, 4)
    assert [counted.relaxed_true[four], counted.union[four], counted.predicted[four], counted.annotated[four]] == [
        phase["relaxed_tp"],
        phase["union"],
        phase["predicted"],
        phase["annotated"],
    ]
    for rate in relaxed.RELAXED_RATES:
        assert relaxed.elements(counted, rate).values[four] == pytest.approx(phase[rate], abs=1e-12)
    assert text(relaxed.accepted(np.array(video.annotation), np.array([video.predictions]), cholec80(), 2)[0]) == expected["correct"]


def test_39_of_40_videos_differ_between_script_and_definition():
    differing = [one for one in FORTY["videos"] if one["expected"]["correct_script"] != one["expected"]["paper_R"]["correct"]]
    videos = cases.golden_videos(FORTY["videos"])
    ours = [
        video
        for video in videos
        if text(compat.evaluate(video.annotation, video.predictions, 10).correct)
        != text(relaxed.accepted(np.array(video.annotation), np.array([video.predictions]), cholec80(), 10)[0])
    ]
    assert len(ours) == len(differing) == 39
