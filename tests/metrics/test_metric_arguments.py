"""Arguments of another kind or size than meant: a sentence, or the number that was meant, but nothing else in silence."""

import math
import warnings

import numpy as np
import pytest

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics import ensembles, skill
from scrubin.evaluate.metrics.criteria import Criteria, CriteriaVideo
from scrubin.evaluate.metrics.detection import BoxRows, BoxStudy
from scrubin.evaluate.metrics.detection.average_precision import average_precision
from scrubin.evaluate.metrics.detection.matching import iou
from scrubin.evaluate.metrics.phases import PhaseVideo, confusions_of_videos, relaxed
from scrubin.evaluate.metrics.recognition import TripletVideo, triplet_map
from scrubin.evaluate.metrics.recognition.average_precision import average_precision as of_classes
from scrubin.evaluate.metrics.recognition.average_precision import per_video, pooled, tables, video_wise
from scrubin.evaluate.metrics.recognition.top_k import top_classes, top_k

TRIPLETS = triplet_map([[0, 0, 0], [0, 1, 0], [1, 1, 1]], null=[2])
VIDEO = TripletVideo("a", [[1, 0, 0], [0, 1, 1]], [[0.9, 0.5, 0.1], [0.2, 0.3, 0.8]])
PHASES = [PhaseVideo("a", [0, 1], [0, 0])]


@pytest.mark.parametrize("compute", [video_wise, pooled, per_video, tables])
def test_the_name_of_one_component_is_not_taken_for_its_letters(compute):
    assert list(compute([VIDEO], TRIPLETS, "ivt")) == ["ivt"]
    assert list(compute([VIDEO], TRIPLETS, "iv")) == ["iv"]
    with pytest.raises(MetricsError, match="there is no component 'tv'"):
        compute([VIDEO], TRIPLETS, "tv")


@pytest.mark.parametrize("k", [True, 2.5, "5", None, math.nan, np.float64(2)])
def test_k_is_a_whole_number(k):
    with pytest.raises(MetricsError, match="a whole number"):
        top_k([VIDEO], TRIPLETS, k)
    with pytest.raises(MetricsError, match="a whole number"):
        top_classes(pooled([VIDEO], TRIPLETS, "ivt")["ivt"], k)
    assert top_k([VIDEO], TRIPLETS, np.int64(1)).result.variant == top_k([VIDEO], TRIPLETS, 1).result.variant


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"ids": [[0, 0, 0], [1, 1]]}, "rows of the map of triplets are of different lengths"),
        ({"ids": [[0, 0, 0], [1, 1, 1]], "null": ["x"]}, "null triplets .* are not all among the 2"),
        ({"ids": [[0, 0, 0], [1, 1, 1]], "null": [0.5]}, "null triplets .* are not all among the 2"),
        ({"ids": [[0, 0, 0], [1, 1, 1]], "null": [2]}, "null triplets .* are not all among the 2"),
    ],
)
def test_maps_of_another_kind_are_refused(given, sentence):
    with pytest.raises(MetricsError, match=sentence):
        triplet_map(**given)


def one_box(box, **further):
    rows = BoxRows([0], [0], {"i": [0]}, [box], [0.5])
    return BoxStudy(["a"], [1], {"i": 1}, rows, BoxRows([0], [0], {"i": [0]}, [further.get("found", box)], [0.5]))


@pytest.mark.parametrize("threshold", [True, "0.5", None, math.nan, 0, 1.1])
def test_an_iou_is_a_number_above_0(threshold):
    with pytest.raises(MetricsError, match="must be above 0 and at most 1"):
        average_precision(one_box([0, 0, 1, 1]), "i", threshold=threshold)


def test_a_threshold_of_float32_is_another_one_than_its_decimal_number():
    study = one_box([0, 0, 10, 1], found=[0, 0, 3, 1])
    assert average_precision(study, "i", threshold=0.3).overall.value == 1
    assert average_precision(study, "i", threshold=np.float32(0.3)).overall.value == 0


def test_boxes_too_large_for_an_area_are_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert average_precision(one_box([0, 0, 1e99, 1e99]), "i").overall.value == 1
        for box in ([0, 0, 1e100, 1], [0, 0, 1e200, 1e200], [-1e300, 0, 1, 1]):
            with pytest.raises(MetricsError, match=r"the box of row 0 of the annotations is .*; it must be finite, below 1e\+100"):
                average_precision(one_box(box), "i")


@pytest.mark.parametrize("weights", [[1e308, 1e308], [5e-324, 5e-324], [[1e308, 5e-324], [1e308, 5e-324]]])
def test_weights_of_any_size_are_ratios(weights):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ensembles.weighted([[[0.25, 0.5]], [[0.75, 0.25]]], weights)
    assert found.tolist() == [[0.5, 0.375]]


def test_the_number_of_phases_is_whole():
    assert confusions_of_videos(PHASES, np.int64(2)).phases == ("0", "1")
    for phases in (True, 2.0, math.nan):
        with pytest.raises(MetricsError, match="give a whole number from 1, or the names"):
            confusions_of_videos(PHASES, phases)


@pytest.mark.parametrize("omega", [True, "10", None, math.nan, math.inf, -1, 0.5])
def test_omega_is_whole(omega):
    with pytest.raises(MetricsError, match="give a whole number of frames"):
        relaxed.count(PHASES, omega)


MASKED = np.ma.array([[0.9, 0.5, 0.1], [0.2, 0.3, 0.8]], mask=[[0, 0, 1], [0, 0, 0]])
MASKED_BOX = BoxRows([0], [0], {"i": [0]}, np.ma.array([[0, 0, 1, 1]], mask=[[0, 0, 0, 1]]))
MASKED_IDS = np.ma.array([0, 1], mask=[0, 1])


@pytest.mark.parametrize(
    "compute",
    [
        lambda: pooled([TripletVideo("a", VIDEO.targets, MASKED)], TRIPLETS, "ivt"),
        lambda: of_classes(np.ma.array([[1], [0]], mask=[[1], [0]]), [[0.5], [0.6]]),
        lambda: confusions_of_videos([PhaseVideo("a", MASKED_IDS, [1, 1])], 2),
        lambda: confusions_of_videos([PhaseVideo("a", [1, 1], MASKED_IDS)], 2),
        lambda: ensembles.mean([MASKED, MASKED]),
        lambda: average_precision(BoxStudy(["a"], [1], {"i": 1}, MASKED_BOX, MASKED_BOX), "i"),
        lambda: iou(np.ma.array([0, 0, 1, 1], mask=[0, 0, 0, 1]), [0, 0, 1, 1]),
        lambda: skill.score("mae", np.ma.array([1, 2], mask=[0, 1]), [1, 2]),
        lambda: Criteria([CriteriaVideo("a", np.ma.array([[[1.0]]], mask=[[[1]]]), np.array([[0.5]]))], ["C1"]),
    ],
)
def test_what_a_mask_hides_is_not_counted_in_silence(compute):
    with pytest.raises(MetricsError, match="some values are masked, which no metric knows"):
        compute()


def test_an_array_that_masks_nothing_is_an_array():
    plain = pooled([VIDEO], TRIPLETS, "ivt")["ivt"]
    whole = pooled([TripletVideo("a", VIDEO.targets, np.ma.array(VIDEO.scores))], TRIPLETS, "ivt")["ivt"]
    assert whole.overall == plain.overall
