"""Pixels that are not counted: panoptic quality of its authors' program, pixels of classes by scikit-learn, mask AP by pycocotools."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.metrics import f1_score, jaccard_score

from mask_cases import CLASSES, HEIGHT, LENGTHS, WIDTH, Instance, by_hand, drawn, published, shape, study, with_void
from scrubin.evaluate.metrics.masks import average_precision, panoptic, pixels
from scrubin.labels.masks import rle

SMALL = (40, 50)
GOLDEN = json.loads((Path(__file__).parents[1] / "data/metrics/panoptic_void.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("one", GOLDEN["cases"], ids=lambda one: str(one["seed"]))
def test_panoptic_quality_with_void_is_that_of_its_authors_program(one):
    truth, found, void = with_void(one["seed"], SMALL)
    results = panoptic.counted(study(truth, found, sized=SMALL, void=void), "i", 0.3).results()
    ours = np.array([[of.classes[str(class_)].value for of in results] for class_ in range(CLASSES)])
    assert np.nan_to_num(ours) == pytest.approx(np.array(one["values"]), abs=1e-12)


def pixels_apart(seed):
    """The largest difference of Dice and IoU to scikit-learn's on the counted pixels, of surface distances to what is written out."""
    truth, found, void = with_void(seed, SMALL)
    measured = pixels.measured(study(truth, found, sized=SMALL, void=void), "i", tolerance_px=2.0, confidence=0.0, empty="left-out")
    apart = 0.0
    for place in range(sum(LENGTHS)):
        for class_ in range(CLASSES):
            sides = [
                np.any([np.zeros(SMALL, bool), *(one.pixels for one in side if (one.place, one.class_) == (place, class_))], axis=0)
                for side in (truth, found)
            ]
            own, counted = measured.values[:, place, class_], ~void[place]
            ours, expected = own[2:], by_hand(*(side & counted for side in sides), 2.0)[2:]
            apart = max(apart, 0 if np.isnan([*ours, *expected]).all() else float(np.abs(ours - expected).max()))
            flat = [side[counted] for side in sides]
            if not any(one.any() for one in flat):
                assert np.isnan(own).all()
                continue
            apart = max(apart, abs(own[0] - f1_score(*flat)), abs(own[1] - jaccard_score(*flat)))
    return apart


@pytest.mark.parametrize("seeds", [[1], pytest.param(range(100, 160), marks=pytest.mark.slow)], ids=["few", "many"])
def test_pixels_are_those_of_scikit_learn_on_what_is_counted(seeds):
    assert max(pixels_apart(seed) for seed in seeds) < 1e-12


def precision_apart(seed):
    truth, found = drawn(seed)
    rng = np.random.default_rng(seed)
    void = [shape(rng, HEIGHT, WIDTH) if rng.random() < 0.6 else np.zeros((HEIGHT, WIDTH), bool) for _ in range(sum(LENGTHS))]
    crowds = [Instance(place, class_, 1.0, of, crowd=True) for place, of in enumerate(void) for class_ in range(CLASSES) if of.any()]
    values = average_precision.results(average_precision.matched(study(truth, found, void=void), "i"))
    ours = np.nan_to_num([one.overall.value for one in values], nan=-1)
    return float(np.abs(ours - published([*truth, *crowds], found)).max())


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(100, 250), marks=pytest.mark.slow)], ids=["few", "many"])
def test_for_average_precision_it_is_a_crowd_of_every_class(seeds):
    assert max(precision_apart(seed) for seed in seeds) < 1e-12


def test_a_picture_that_is_not_counted_at_all_says_nothing_of_anybody():
    truth, found = drawn(5, sized=SMALL, lengths=(1,))
    everything = np.ones((1, *SMALL), bool)
    one = study(truth, found, lengths=(1,), sized=SMALL, void=everything)
    measured = pixels.measured(one, "i", tolerance_px=2.0, confidence=0.0, empty="left-out")
    assert np.isnan(measured.values).all()
    counted = panoptic.counted(one, "i", 0.0)
    assert not counted.missed.any()
    assert not counted.false.any()


@given(st.data())
def test_what_is_taken_out_of_a_mask_is_the_difference_of_pixels(data):
    size = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    one, other = (data.draw(arrays.arrays(bool, size)) for _ in range(2))
    left = rle.without(rle.runs_of_picture(one), rle.runs_of_picture(other))
    assert (rle.picture(left, *size) == (one & ~other)).all()
    assert int(left.sum()) == size[0] * size[1]
