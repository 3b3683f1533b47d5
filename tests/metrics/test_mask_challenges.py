"""Scores of challenges on pixels, against both programs written out on pictures of class numbers; each difference on an example."""

import math

import numpy as np
import pytest

from mask_cases import CLASSES, LENGTHS, Instance, by_hand, drawn, study
from scrubin.evaluate.metrics.masks import compat_challenges, pixels
from scrubin.evaluate.metrics.masks.compat_challenges import QUIRKS

SMALL = (40, 50)
FRAMES = sum(LENGTHS)


def pictures(side):
    """Class numbers from 1 by frame, 0 where there is none; the most confident is on top, and what is hardly seen is left out."""
    every = np.zeros((FRAMES, *SMALL), int)
    for one in sorted(side, key=lambda one: one.score):
        every[one.place][one.pixels & (one.score >= 0.5)] = one.class_ + 1
    return every


def sar_rarp50(truth, found, lacking=()):
    videos = np.repeat(range(len(LENGTHS)), LENGTHS)
    rows = {"iou": [], "nsd": []}
    for place in range(FRAMES):
        values = [by_hand(truth[place] == class_, found[place] == class_, 10) for class_ in range(1, CLASSES + 1)]
        for name, at in (("iou", 1), ("nsd", 2)):
            row = [1 if math.isnan(value[at]) else value[at] for value in values]
            rows[name].append(0 if place in lacking else sum(row) / CLASSES)
    iou, nsd = (np.mean([np.mean(np.array(of)[videos == video]) for video in range(len(LENGTHS))]) for of in rows.values())
    return [iou, nsd, math.sqrt(iou * nsd)]


def isinet(truth, found):
    challenge, either, together, by_class = [], [], [0, 0], {class_: [] for class_ in range(1, CLASSES + 1)}
    for true, guess in zip(truth, found, strict=True):
        annotated = sorted(set(true[true > 0].tolist()))
        if not guess.any():
            if annotated:
                challenge.append(0)
                either.append(0)
                for class_ in annotated:
                    by_class[class_].append(0)
            continue
        own = {}
        for class_ in sorted({*annotated, *guess[guess > 0].tolist()}):
            shared, whole = int(((true == class_) & (guess == class_)).sum()), int(((true == class_) | (guess == class_)).sum())
            own[class_] = shared / whole
            together[0] += shared
            together[1] += whole
            by_class[class_].append(shared / whole)
        either.append(np.mean(list(own.values())))
        if annotated:
            challenge.append(np.mean([own[class_] for class_ in annotated]))
    return [np.mean(challenge), np.mean(either), np.mean([np.mean(of) for of in by_class.values() if of]), together[0] / together[1]]


def ours(truth, found, program, lacking=()):
    of = study(truth, found, sized=SMALL)
    at = np.isin(np.arange(FRAMES), list(lacking))
    of = type(of)(**{**vars(of), "unpredicted": at})
    return [one.overall.value for one in compat_challenges.frames_by_program(of, "i", program, 0.5).results()]


def largest_difference(cases, seed):
    apart = 0.0
    for case in range(cases):
        truth, found = drawn(seed + case, crowds=False, sized=SMALL)
        found = [one for one in found if one.place % 4]
        both = pictures(truth), pictures(found)
        for program, expected in (("SAR_RARP50-evaluation", sar_rarp50(*both, {8})), ("ISINet", isinet(*both))):
            apart = max(apart, float(np.abs(np.array(ours(truth, found, program, {8})) - expected).max()))
    return apart


@pytest.mark.parametrize(("cases", "seed"), [(3, 50), pytest.param(60, 5000, marks=pytest.mark.slow)])
def test_scores_are_those_of_the_programs_written_out(cases, seed):
    assert largest_difference(cases, seed) < 1e-12


def test_a_draw_of_every_video_once_is_no_draw():
    of = study(*drawn(9, sized=SMALL), sized=SMALL)
    for program in ("SAR_RARP50-evaluation", "ISINet"):
        published = compat_challenges.frames_by_program(of, "i", program, 0.0)
        values = [[one.overall.value for one in published.results(draw)] for draw in (None, np.array([2, 0, 1]))]
        assert values[0] == pytest.approx(values[1])


def square(class_, place=0, left=5):
    mask = np.zeros(SMALL, bool)
    mask[5:15, left : left + 10] = True
    return Instance(place, class_, 1.0, mask)


def paper(truth, found):
    measured = pixels.measured(study(truth, found, sized=SMALL), "i", tolerance_px=10, confidence=0.5, empty="left-out")
    return measured.results(["global"])[1].overall


def absent_classes_are_perfect():
    truth, found = [square(0)], [square(0, left=15)]
    assert paper(truth, found).value == 0
    assert ours(truth, found, "SAR_RARP50-evaluation")[0] > 0.9


def only_annotated_classes():
    truth, found = [square(0)], [square(0), square(1, left=30)]
    assert paper(truth, found).value == 0.5
    assert ours(truth, found, "ISINet")[:2] == [1, 0.5]


def unpredicted_frames_not_pooled():
    truth, found = [square(0), square(0, place=1)], [square(0)]
    assert paper(truth, found).value == 0.5
    assert ours(truth, found, "ISINet") == [0.5, 0.5, 0.5, 1]


@pytest.mark.parametrize("name", [one.name for one in QUIRKS])
def test_a_difference_shows_on_a_minimal_example(name):
    globals()[name.replace("-", "_")]()
