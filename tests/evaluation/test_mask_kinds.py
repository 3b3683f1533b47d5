"""kind=masks and kind=pixels of both sides: which frames count, what is refused and with which words."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from declared_metrics import FRAMES, boxes
from scrubin.base.errors import MetricsError
from scrubin.evaluate.computation import chosen
from scrubin.evaluate.metrics.variants import METRICS
from scrubin.evaluate.tasks import detection
from scrubin.labels.model import MASK


@pytest.fixture
def truth():
    return boxes(np.random.default_rng(1), scored=False)


@pytest.fixture
def found():
    return boxes(np.random.default_rng(2), scored=True)


def scoring(truth, found, *variant, semantics="paper"):
    return detection.computed(truth, found, semantics, chosen(METRICS["detection"].choices[semantics], variant, "detection"))


def values(scored):
    return {one.variant.name: one.overall.value for one in scored.parts[0].results(None)}


def changed(side, video, **columns):
    rows = side.rows[video].assign(**columns)
    return replace(side, rows={**side.rows, video: rows})


def without_mask(side, video, *at):
    return changed(side, video, **{MASK: [None if row in at else mask for row, mask in enumerate(side.rows[video][MASK])]})


def test_a_choice_that_is_given_twice_is_refused(truth, found):
    with pytest.raises(MetricsError, match="'kind' stands twice of detection"):
        scoring(truth, found, "kind=masks", "kind=pixels")


@pytest.mark.parametrize("kind", ["masks", "pixels"])
def test_a_frame_in_which_an_instance_has_no_mask_does_not_count(truth, found, kind):
    some = scoring(without_mask(truth, "a", 3), found, f"kind={kind}", "component=i")
    assert [fault.what for fault in some.faults if fault.rule == "mask-missing"] == [
        "1 frame of the ground truth left out: an instance has no mask"
    ]
    assert some.parts[0].frames == {"a": 11, "b": 12}
    kept = truth.rows["a"]["position"] != 1
    fewer = replace(truth, rows={**truth.rows, "a": truth.rows["a"][kept]})
    fewer = replace(fewer, series={**truth.series, "a": replace(truth.series["a"], frames=FRAMES[FRAMES != 1], values=FRAMES[FRAMES != 1])})
    assert values(some) == pytest.approx(values(scoring(fewer, found, f"kind={kind}", "component=i")), nan_ok=True)


def test_a_video_without_masks_does_not_count_and_one_without_instances_does(truth, found):
    boxed = changed(truth, "a", **{MASK: None})
    said = scoring(boxed, found, "kind=pixels", "component=i")
    assert set(said.parts[0].frames) == {"b"}
    assert "1 video of the ground truth left out: nothing in it has a mask" in {fault.what for fault in said.faults}
    nothing = replace(truth, rows={**truth.rows, "a": truth.rows["a"][:0]})
    assert set(scoring(nothing, found, "kind=pixels", "component=i").parts[0].frames) == {"a", "b"}


def test_masks_are_asked_for_on_both_sides(truth, found):
    bare = {name: rows.drop(columns=MASK) for name, rows in truth.rows.items()}
    with pytest.raises(MetricsError, match="no instance of the ground truth has a mask; draw the mask of every instance"):
        scoring(replace(truth, rows=bare), found, "kind=masks")
    with pytest.raises(MetricsError, match="2 predicted instances of b without mask; predict the mask of every instance"):
        scoring(truth, without_mask(found, "b", 0, 5), "kind=masks")


def test_predictions_of_another_size_are_refused_with_the_frame(truth, found):
    other = {"b": pd.DataFrame({"position": FRAMES, "width": [40] * 3 + [30] * 9, "height": [30] * 3 + [40] * 9})}
    with pytest.raises(MetricsError, match="b, frame 3: masks of 30 x 40 px are predicted, the picture has 40 x 30 px"):
        scoring(truth, replace(found, images=other), "kind=masks")
    with pytest.raises(MetricsError, match="a, frame 0 of the ground truth: the runs of a mask cover 1200 px, its picture of 41 x 30"):
        scoring(replace(truth, images={}), found, "kind=masks", "image=41x30")


def test_sizes_are_asked_for_where_no_file_states_them(truth, found):
    with pytest.raises(MetricsError, match="no file of the ground truth states the size of the images of a, b"):
        scoring(replace(truth, images={}), found, "kind=pixels")
    assert values(scoring(replace(truth, images={}), found, "kind=pixels", "image=40x30")) == values(scoring(truth, found, "kind=pixels"))


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        (("kind=masks", "confidence=2"), "--variant confidence=2: give a number from 0 to 1"),
        (("kind=pixels", "tolerance=-1"), "--variant tolerance=-1: give a number from 0 on"),
        (("kind=pixels", "tolerance=wide"), "--variant tolerance=wide: give a number from 0 on"),
        (("kind=masks", "tolerance=3"), "--variant tolerance=3 says nothing of kind=masks; it belongs to kind=pixels"),
        (("kind=pixels", "iou=0.3"), "--variant iou=0.3 says nothing of kind=pixels"),
        (("program=ISINet", "confidence=2"), "--variant confidence=2: give a number from 0 to 1"),
        (("program=ivtdmetrics-0.1", "confidence=0.9"), "says nothing of program=ivtdmetrics-0.1; it belongs to program=SAR_RARP50-eval"),
    ],
)
def test_a_choice_that_is_none_is_refused(truth, found, variant, message):
    with pytest.raises(MetricsError, match=message):
        scoring(truth, found, *variant, semantics="compat" if "program" in variant[0] else "paper")


def test_the_scopes_and_programs_that_are_chosen_are_computed(truth, found):
    assert {name.split("scope=")[1].split(";")[0] for name in values(scoring(truth, found, "kind=pixels", "scope=global"))} == {"global"}
    names = values(scoring(truth, found, "program=SAR_RARP50-evaluation", "component=i", semantics="compat"))
    assert [name.split(";")[0] for name in names] == ["pixels IoU", "pixels NSD", "SAR-RARP50 segmentation score"]


def test_a_frame_that_is_not_predicted_is_0_by_the_program_of_sar_rarp50(truth, found):
    kept = FRAMES[FRAMES != 2]
    fewer = {name: replace(of, frames=kept, values=kept) for name, of in found.series.items()}
    rows = {name: of[of["position"] != 2] for name, of in found.rows.items()}
    variant = ("program=SAR_RARP50-evaluation", "component=i")
    whole, lacking = (scoring(truth, of, *variant, semantics="compat") for of in (found, replace(found, series=fewer, rows=rows)))
    assert next(iter(values(lacking).values())) < next(iter(values(whole).values()))
