"""Arguments of another kind or size than meant: a sentence, or the number that was meant, but nothing else in silence."""

import warnings

import numpy as np
import pytest

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics import ensembles, skill
from scrubin.evaluate.metrics.criteria import Criteria, CriteriaVideo
from scrubin.evaluate.metrics.detection import BoxRows, BoxStudy
from scrubin.evaluate.metrics.detection.average_precision import average_precision
from scrubin.evaluate.metrics.detection.matching import iou
from scrubin.evaluate.metrics.phases import PhaseVideo, confusions_of_videos
from scrubin.evaluate.metrics.recognition import TripletVideo, triplet_map
from scrubin.evaluate.metrics.recognition.average_precision import average_precision as of_classes
from scrubin.evaluate.metrics.recognition.average_precision import per_video, pooled, tables, video_wise

TRIPLETS = triplet_map([[0, 0, 0], [0, 1, 0], [1, 1, 1]], null=[2])
VIDEO = TripletVideo("a", [[1, 0, 0], [0, 1, 1]], [[0.9, 0.5, 0.1], [0.2, 0.3, 0.8]])
PHASES = [PhaseVideo("a", [0, 1], [0, 0])]


@pytest.mark.parametrize("compute", [video_wise, pooled, per_video, tables])
def test_the_name_of_one_component_is_not_taken_for_its_letters(compute):
    assert list(compute([VIDEO], TRIPLETS, "ivt")) == ["ivt"]
    assert list(compute([VIDEO], TRIPLETS, "iv")) == ["iv"]
    with pytest.raises(MetricsError, match="there is no component 'tv'"):
        compute([VIDEO], TRIPLETS, "tv")


def one_box(box, **further):
    rows = BoxRows([0], [0], {"i": [0]}, [box], [0.5])
    return BoxStudy(["a"], [1], {"i": 1}, rows, BoxRows([0], [0], {"i": [0]}, [further.get("found", box)], [0.5]))


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
