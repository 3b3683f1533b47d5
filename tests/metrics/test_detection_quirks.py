"""Each known difference from the definition on a minimal example."""

import numpy as np
import pytest

import detection_cases as cases
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.detection import compat_ivtdmetrics, compat_ivtmetrics
from scrubin.evaluate.metrics.detection.association import SCORES, association, counts
from scrubin.evaluate.metrics.detection.average_precision import at_best_confidence, average_precision, average_precision_range, thresholds
from scrubin.evaluate.metrics.detection.compat_common import QUIRKS

CORNER = [0.0, 0.0, 0.5, 0.25]
NEAR, FAR, ELSEWHERE = [0.25, 0.25, 0.5, 0.25], [0.0, 0.75, 0.125, 0.125], [0.75, 0.0, 0.125, 0.125]


def row(class_, box, score=1.0):
    """A box of a triplet whose instrument, verb and target have small ids of their own."""
    return [class_, class_ % 6, score, class_ % 10, class_ % 15, *box]


def frame(gt, pd):
    return {"gt": gt, "pd": pd}


def study(*frames):
    return cases.study_of([list(frames)])


def ap(published, component="ivt", **options):
    return published.compute_video_ap(component, **options)["AP"].overall.value


def value(given, **options):
    return average_precision(given, **options).overall.value


def in_one_frame(gt, pd):
    """Counts of the paper and of both programs."""
    given = study(frame(gt, pd))
    published = [module.of_videos(given).association_counts()[0] for module in (compat_ivtmetrics, compat_ivtdmetrics)]
    return dict(zip(cases.ASSOCIATION, counts(given)[0].tolist(), strict=True)), *published


def some(**numbers):
    return {name: numbers.get(name, 0) for name in cases.ASSOCIATION}


def boxes_in_place():
    # Boxes at the origin do not grow. The last given is tried first.
    both = [row(17, CORNER), row(17, FAR)]
    for first, second, expected in ((0.9, 0.8, 6 / 11), (0.8, 0.9, 1)):
        given = study(frame(both, [row(17, CORNER, first), row(17, FAR, second)]))
        assert ap(compat_ivtmetrics.of_videos(given)) == pytest.approx(expected)
        assert ap(compat_ivtmetrics.of_videos(given, in_place=False)) == pytest.approx(1)
        assert ap(compat_ivtdmetrics.of_videos(given)) == pytest.approx(0.995)
        assert value(given) == 1


def ranked_within_frames():
    hit, miss = frame([row(17, NEAR)], [row(17, NEAR, 0.9)]), frame([], [row(17, FAR, 0.1)])
    assert [ap(compat_ivtmetrics.of_videos(study(*order))) for order in ((hit, miss), (miss, hit))] == pytest.approx([1, 0.5])
    assert [value(study(*order)) for order in ((hit, miss), (miss, hit))] == [1, 1]


def interpolation():
    given = study(frame([row(17, FAR), row(17, NEAR)], [row(17, NEAR, 0.9)]))
    assert ap(compat_ivtmetrics.of_videos(given)) == pytest.approx(6 / 11)
    assert value(given) == 0.5
    assert value(given, interpolation="11-point") == pytest.approx(6 / 11)
    assert value(given, interpolation="101-point") == pytest.approx(51 / 101)


def best_precision():
    given = study(frame([row(17, NEAR)], [row(17, NEAR, 0.9), row(17, FAR, 0.8), row(17, ELSEWHERE, 0.7)]))
    assert compat_ivtmetrics.of_videos(given).compute_video_ap()["Pre"].overall.value == 1
    # The lowest of equally good confidences lies where the window still covers the single hit.
    assert at_best_confidence(given).precision.overall.value < 1


def detected_not_annotated():
    given = study(frame([row(17, NEAR)], [row(17, NEAR, 0.9), row(18, FAR, 0.8)]))
    published = compat_ivtmetrics.of_videos(given).compute_video_ap()["AP"]
    assert (published.overall.value, published.overall.n, published.classes["18"].value) == (pytest.approx(0.5), 2, 0)
    paper = average_precision(given)
    assert (paper.overall.value, paper.overall.n, paper.classes["18"].n) == (1, 1, 0)
    assert np.isnan(paper.classes["18"].value)


def first_fit():
    # The last given is tried first: IoU 0.6 with it, 1 with the other.
    lower = [0.25, 0.3125, 0.5, 0.25]
    given = study(frame([row(17, NEAR), row(17, lower)], [row(17, NEAR, 0.9), row(17, [0.25, 0.1875, 0.5, 0.25], 0.8)]))
    assert ap(compat_ivtdmetrics.of_videos(given)) == pytest.approx(0.995)
    assert ap(compat_ivtmetrics.of_videos(given, in_place=False)) == pytest.approx(1)
    assert value(given) == pytest.approx(0.5)


def order_of_ties():
    hit, miss = frame([row(17, NEAR)], [row(17, NEAR, 0.5)]), frame([], [row(17, FAR, 0.5)])
    assert {value(study(*order)) for order in ((hit, miss), (miss, hit))} == {0.5}
    pair = [row(17, CORNER, 0.5), row(17, FAR, 0.5)]
    orders = [study(frame([row(17, CORNER)], order)) for order in (pair, pair[::-1])]
    assert [value(given) for given in orders] == [0.5, 0.5]
    assert [ap(compat_ivtmetrics.of_videos(given)) for given in orders] == pytest.approx([0.5, 1])


def empty_frames():
    given = study(frame([row(99, NEAR)], [row(99, NEAR, 0.9)]), frame([], []))
    later = compat_ivtmetrics.of_videos(given, program="0.1.2").compute_video_ap()
    assert later["Rec"].classes["99"].value == 0.5
    assert compat_ivtmetrics.of_videos(given).compute_video_ap()["Rec"].classes["99"].value == 1
    assert value(given) == 1


def global_fails():
    given = study(frame([row(17, NEAR)], [row(17, NEAR, 0.9)]))
    with pytest.raises(MetricsError, match="KeyError: 'fp'"):
        compat_ivtmetrics.of_videos(given).compute_global_ap()
    assert compat_ivtmetrics.of_videos(given, program="0.1.2").compute_global_ap()["AP"].overall.value == pytest.approx(1)
    assert value(given, scope="global") == 1


def other_components():
    given = study(frame([row(17, NEAR)], [row(23, NEAR, 0.9)]))
    published = compat_ivtmetrics.of_videos(given)
    for component in ("v", "t", "iv", "it", "anything"):
        assert ap(published, component) == ap(published, "i") == pytest.approx(1)
        assert published.compute_video_ap(component)["AP"].variant.options["component"] == f"{component} (as i)"
    assert value(given, component="v") == 0
    with pytest.raises(MetricsError, match="no component 'iv'"):
        value(given, component="iv")
    with pytest.raises(MetricsError, match="no component 'iv'"):
        compat_ivtdmetrics.of_videos(given).compute_video_ap("iv")


def reset_keeps_videos():
    hit, miss = study(frame([row(17, NEAR)], [row(17, NEAR, 0.9)])), study(frame([row(17, NEAR)], []))
    for published in (compat_ivtmetrics.Detection(cases.SIZES, program="0.1.2"), compat_ivtdmetrics.Detection(cases.SIZES)):
        for one in (miss, miss):
            published.update(one)
            published.video_end()
        published.reset_global()
        published.update(hit)
        assert published.accumulators == [1, 2, 3]
        assert ap(published) > 0.99
        assert published.compute_global_ap()["AP"].classes["17"].n == 2


def nothing_yet():
    for published in (compat_ivtmetrics.Detection(cases.SIZES), compat_ivtdmetrics.Detection(cases.SIZES)):
        with pytest.raises(MetricsError, match="KeyError: 0"):
            published.compute_ap()


def shorter_list():
    given = cases.one_frame([row(17, NEAR)], [])
    longer = cases.flat([[frame([], []), frame([], [row(17, NEAR)])]], "pd")
    cut = type(given)(given.names, given.lengths, given.sizes, given.truth, longer)
    with pytest.raises(MetricsError, match="frame of the predictions is 1, but there are 1 frames"):
        value(cut)


def unsorted_axis():
    scores = ((NEAR, 0.9), (NEAR, 0.7), (NEAR, 0.4), (FAR, 0.2))
    falling = [frame([row(17, NEAR)], [row(17, box, score)]) for box, score in scores]
    orders = [study(*falling), study(*falling[2:], *falling[:2])]
    published = [
        [compat_ivtdmetrics.of_videos(given, sorted_confidence=as_meant).compute_video_ap()["F1"].overall.value for given in orders]
        for as_meant in (False, True)
    ]
    # All three are found and the false alarm is not from 0.4 up to where the window begins to see it.
    assert published[0][0] == published[1][0] == published[1][1] == pytest.approx(0.75 * 2 / 1.75, abs=0.01)
    assert published[0][1] < published[0][0] - 0.1
    assert [at_best_confidence(given).f1.overall.value for given in orders] == pytest.approx(published[1])


def linear_envelope():
    annotated = [row(17, [0.1 * at, 0.1, 0.08, 0.1]) for at in range(10)]
    for found, expected in ((annotated, 0.995), (annotated[:1], 0.55)):
        given = study(frame(annotated, found))
        assert ap(compat_ivtdmetrics.of_videos(given)) == pytest.approx(expected)
        assert value(given, interpolation="101-point linear") == pytest.approx(expected)
        assert value(given, interpolation="101-point") == pytest.approx(1 if len(found) > 1 else 11 / 101)


def eleven_points_fail():
    good, bad = study(frame([row(17, NEAR)], [row(17, NEAR, 0.9)])), study(frame([row(17, NEAR)], [row(18, NEAR, 0.9)]))
    with pytest.raises(MetricsError, match="ValueError: object of too small depth"):
        compat_ivtdmetrics.of_videos(bad).compute_global_ap("ivt", "11point")
    got = compat_ivtdmetrics.of_videos(good).compute_global_ap("i", "11point")
    assert (got["AP"].overall.value, got["AP"].overall.n) == (pytest.approx(1), 1)
    assert (got["F1"].overall.value, got["F1"].overall.n) == (pytest.approx(1 / 6), 6)
    assert at_best_confidence(good, "i").f1.overall.value == pytest.approx(1)


def open_video_counts():
    published = compat_ivtdmetrics.Detection(cases.SIZES)
    published.update(study(frame([row(17, NEAR)], [row(17, NEAR, 0.9)])))
    before = published.compute_video_ap("ivt", "11point")
    published.video_end()
    after = published.compute_video_ap("ivt", "11point")
    assert after["F1"].classes["17"].value == pytest.approx(before["F1"].classes["17"].value / 2)
    assert after["AP"].overall == before["AP"].overall
    assert published.compute_video_ap()["F1"].overall.value == pytest.approx(1)


def matched_once():
    # IoU 0.76 is tried first and taken; matched anew, the other one is found at higher thresholds.
    box, loose, tight = [0.0, 0.0, 0.5, 0.5], [0.0, 0.0, 0.5, 0.38], [0.0, 0.0, 0.5, 0.5]
    given = study(frame([row(17, box)], [row(17, loose, 0.9), row(17, tight, 0.8)]))
    published = compat_ivtdmetrics.of_videos(given).compute_video_ap()
    assert published["AR_5095"].overall.value == pytest.approx(0.6)
    assert published["AR_5095"].variant.options["iou"] == "0.5:0.95:0.05 of pairs at 0.5"
    assert average_precision_range(given).overall.value == pytest.approx((6 * 1 + 4 * 0.5) / 10)


def raw_thresholds():
    given = study(frame([row(17, [0.0, 0.0, 0.625, 0.5])], [row(17, [0.0, 0.0, 0.375, 0.5], 0.9)]))
    assert compat_ivtdmetrics.of_videos(given).compute_video_ap()["AR_5095"].overall.value == pytest.approx(0.2)
    assert average_precision_range(given).overall.value == pytest.approx(0.3)
    assert thresholds() == [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]


def f1_of_classes():
    given = study(
        frame([row(17, NEAR), row(18, FAR)], [row(17, NEAR, 0.9), row(18, FAR, 0.9), row(18, ELSEWHERE, 0.9), row(18, NEAR, 0.9)]),
        frame([row(17, NEAR)], []),
    )
    for got in (at_best_confidence(given), None):
        if got is None:
            published = compat_ivtdmetrics.of_videos(given, sorted_confidence=True).compute_video_ap()
            p, r, f1 = (published[name].overall.value for name in ("Pre", "Rec", "F1"))
        else:
            p, r, f1 = (result.overall.value for result in (got.precision, got.recall, got.f1))
        assert f1 == pytest.approx((2 / 3 + 1 / 2) / 2)
        assert f1 != pytest.approx(2 * p * r / (p + r))


def first_row_lost():
    paper, *published = in_one_frame([row(17, NEAR)], [row(17, ELSEWHERE, 0.9)])
    assert paper == some(mil=1)
    assert published == [some(fp=1, fn=1)] * 2
    paper, *published = in_one_frame([row(17, NEAR), row(60, FAR)], [row(17, FAR, 0.9), row(60, NEAR, 0.8)])
    assert paper == some(ids=2)
    assert published[1] == some(ids=1, fp=1, fn=1)


def unknown_vanish():
    paper, *published = in_one_frame([row(17, NEAR)], [row(17, NEAR, 0.9), row(60, FAR, 0.8)])
    assert paper == some(lm=1, fp=1)
    assert published == [some(lm=1)] * 2
    paper, *published = in_one_frame([row(17, NEAR)], [row(60, NEAR, 0.8)])
    assert paper == some(idm=1)
    assert published == [some(fn=1)] * 2


def idm_takes_nothing():
    paper, *published = in_one_frame([row(17, FAR), row(60, NEAR)], [row(17, ELSEWHERE, 0.9), row(7, NEAR, 0.8), row(8, NEAR, 0.7)])
    assert paper == some(mil=1, idm=1, fp=1)
    assert published[1] == some(mil=1, idm=2, fn=1)


def exclusive_theta():
    # IoU exactly 0.5 in both.
    half = [0.25, 0.25, 0.25, 0.25]
    paper, *published = in_one_frame([row(17, NEAR)], [row(17, half, 0.9)])
    assert [paper, *published] == [some(lm=1)] * 3
    paper, *published = in_one_frame([row(17, FAR), row(60, NEAR)], [row(17, ELSEWHERE, 0.9), row(7, half, 0.8)])
    assert paper == some(mil=1, idm=1)
    assert published[1] == some(mil=1, fp=1, fn=1)
    paper, *published = in_one_frame([row(17, FAR), row(60, NEAR)], [row(17, half, 0.9)])
    assert paper == some(ids=1, fn=1)
    assert published[1] == some(mil=1, fn=1)


def no_association():
    given = study(frame([row(17, NEAR)], [row(17, NEAR, 0.9)]))
    assert set(compat_ivtmetrics.of_videos(given, program="0.1.2").compute_video_ap()) == {"AP", "Rec", "Pre"}
    shares = [compat_ivtmetrics.of_videos(given).compute_video_ap(name)["lm"].overall.value for name in ("i", "ivt")]
    assert shares == [association(given)["LM"].overall.value] * 2 == [1, 1]
    assert tuple(association(given)) == SCORES


EXAMPLES = {
    name.replace("_", "-"): example for name, example in list(globals().items()) if name.replace("_", "-") in {one.name for one in QUIRKS}
}


@pytest.mark.parametrize("name", [one.name for one in QUIRKS])
def test_the_difference_is_as_described(name):
    EXAMPLES[name]()


def test_names_are_unique():
    assert len({one.name for one in QUIRKS}) == len(QUIRKS)
