"""What must hold of any tracks: perfect is 1, names of ids and order do not matter, boxes are matched as SciPy assigns them."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import track_cases as cases
from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.tracks import TrackRows, TrackVideo, hota
from scrubin.evaluate.metrics.tracks.assignment import assigned
from scrubin.evaluate.metrics.tracks.combined import Sums, counted, results

SHARES = ("HOTA", "HOTA(0)", "DetA", "AssA", "LocA", "DetRe", "DetPr", "AssRe", "AssPr", "MOTP", "IDF1", "IDP", "IDR")
SCORES = st.integers(1, 6).flatmap(
    lambda columns: st.lists(st.lists(st.sampled_from([0, 0, 0.25, 0.5, 1]), min_size=columns, max_size=columns), min_size=1, max_size=6)
)
BOX = [0.1, 0.1, 0.2, 0.2]


@given(SCORES)
def test_an_assignment_is_that_of_scipy_also_where_several_are_best(scores):
    rows, columns = linear_sum_assignment(-np.array(scores))
    assert assigned(scores) == list(zip(rows.tolist(), columns.tolist(), strict=True))


@pytest.mark.slow
@given(cases.VIDEOS)
def test_predictions_that_are_the_truth_are_perfect(drawn):
    videos = cases.drawn_videos([[(truth, truth) for truth, _ in frames] for frames in drawn])
    videos = [TrackVideo(one.name, one.length, one.truth, _renamed(one.truth)) for one in videos]
    for (name, way), value in cases.numbers(videos).items():
        if name in (*SHARES, "MOTA") and value.defined:
            assert value.value == pytest.approx(1)
        elif name in ("IDSW", "FP", "FN", "PT", "ML") and value.defined:
            assert value.value == 0, (name, way)


def _renamed(rows):
    """Ids are names: others mean the same."""
    return TrackRows(rows.frames, 100 - np.asarray(rows.ids), rows.classes, rows.boxes)


@pytest.mark.slow
@given(cases.VIDEOS)
def test_shares_lie_in_0_to_1_and_whole_is_made_of_parts(drawn):
    for way in ("one", "pooled"):
        of = {name: value for (name, _), value in cases.numbers(cases.drawn_videos(drawn), way=way).items()}
        assert all(0 <= of[name].value <= 1 + 1e-12 for name in SHARES if of[name].defined)
        if of["HOTA"].defined:
            assert of["HOTA"].value <= np.sqrt(of["DetA"].value) + 1e-12
        if of["MT"].defined:
            assert of["MT"].value + of["PT"].value + of["ML"].value == of["MT"].n


@pytest.mark.slow
@given(cases.VIDEOS)
def test_videos_drawn_again_are_the_same_as_given_again(drawn):
    videos = cases.drawn_videos(drawn)
    draw = np.array([len(videos) - 1, 0, 0])
    given_again = [
        TrackVideo(f"{at}", *(getattr(videos[of], name) for name in ("length", "truth", "predictions"))) for at, of in enumerate(draw)
    ]
    one = results(counted(videos, cases.CLASSES, 0.5), "all", "paper", {}, draw)
    other = results(counted(given_again, cases.CLASSES, 0.5), "all", "paper", {})
    assert [(result.variant.name, result.overall.n) for result in one] == [(result.variant.name, result.overall.n) for result in other]
    np.testing.assert_allclose([result.overall.value for result in one], [result.overall.value for result in other], atol=1e-12)


def test_the_order_of_rows_in_a_file_changes_no_bit():
    # Eight instruments beside each other in 12 frames, each found a little aside.
    rng = np.random.default_rng(2)
    frames, ids = (of.ravel() for of in np.meshgrid(np.arange(12), np.arange(8), indexing="ij"))
    boxes = np.stack([ids * 0.11, frames * 0.01, np.full(96, 0.1), np.full(96, 0.2)], axis=1)
    found = boxes + rng.uniform(0, 0.04, boxes.shape)
    shuffled = rng.permutation(96)
    sides = [TrackRows(frames[at], ids[at], ids[at] % 2, of[at]) for of in (boxes, found) for at in (np.arange(96), shuffled)]
    one, other = (
        results(counted([TrackVideo("v", 12, *both)], 2, 0.5), "all", "paper", {}) for both in ((sides[0], sides[2]), (sides[1], sides[3]))
    )
    assert [(result.variant.name, result.overall) for result in one] == [(result.variant.name, result.overall) for result in other]


def test_a_track_that_is_cut_in_two_keeps_its_boxes_and_loses_its_identity():
    frames = range(10)
    truth = cases.rows_of([[at, 0, 0, *BOX] for at in frames])
    cut = cases.rows_of([[at, int(at >= 4), 0, *BOX] for at in frames])
    of = {name: value.value for (name, _), value in cases.numbers([TrackVideo("a", 10, truth, cut)], way="one").items()}
    # 4 boxes share 4 of 10 with their track, 6 share 6 of 10.
    assert of["AssA"] == pytest.approx((4 * 0.4 + 6 * 0.6) / 10)
    assert (of["DetA"], of["IDF1"], of["IDSW"], of["MOTA"], of["Frag"]) == (1, 0.6, 1, 0.9, 0)


HOOK, CLIP = [0, 0, *BOX], [1, 0, 0.6, 0.6, 0.2, 0.2]


@pytest.mark.parametrize(
    ("hook_annotated", "hook_found", "clip_found", "fragments"),
    [
        pytest.param({0, 2}, {0, 2}, {0, 1, 2}, (0, 1), id="out of view"),
        pytest.param({0, 1, 2}, {0, 2}, {0, 1, 2}, (1, 1), id="missed"),
        pytest.param({0, 1, 2}, {0, 2}, {0, 2}, (1, 0), id="missed in a frame without any prediction"),
        pytest.param({0, 1, 2}, {0}, {0, 1, 2}, (0, 0), id="missed and never found again"),
        pytest.param({0, 1, 2}, {1, 2}, {0, 1, 2}, (0, 0), id="missed at first"),
    ],
)
def test_a_fragment_is_a_track_that_was_missed_and_for_trackeval_also_one_that_left_the_view(
    hook_annotated, hook_found, clip_found, fragments
):
    truth = cases.rows_of([*([at, *HOOK] for at in hook_annotated), *([at, *CLIP] for at in range(3))])
    found = cases.rows_of([*([at, *HOOK] for at in hook_found), *([at, *CLIP] for at in clip_found)])
    video = TrackVideo("a", 3, truth, found)
    both = [cases.numbers([video], 1, way="one", semantics=semantics)["Frag", "one"].value for semantics in ("paper", "compat")]
    # The clip is missed in the frame without any prediction, too.
    assert both == [fragments[0] + (clip_found == {0, 2}), fragments[1]]


def test_a_box_in_the_frame_before_stays_with_its_track_though_another_lies_nearer():
    truth = cases.rows_of([[0, 0, 0, 0, 0, 1, 1], [1, 0, 0, 0, 0, 1, 1]])
    near = cases.rows_of([[0, 5, 0, 0, 0, 1, 1], [1, 5, 0, 0.2, 0, 1, 1], [1, 6, 0, 0, 0, 1, 1]])
    assert cases.numbers([TrackVideo("a", 2, truth, near)], way="one")["IDSW", "one"].value == 0
    without = cases.rows_of([[0, 5, 0, 0, 0, 1, 1], [1, 5, 0, 0.9, 0, 1, 1], [1, 6, 0, 0, 0, 1, 1]])
    assert cases.numbers([TrackVideo("a", 2, truth, without)], way="one")["IDSW", "one"].value == 1


def test_boxes_of_other_classes_are_matched_only_where_classes_are_one():
    truth, other = cases.rows_of([[0, 0, 0, *BOX]]), cases.rows_of([[0, 0, 1, *BOX]])
    of = cases.numbers([TrackVideo("a", 1, truth, other)])
    assert (of["HOTA", "one"].value, of["HOTA", "pooled"].value) == (1, 0)
    assert of["IDF1", "averaged"].n == 2


def test_nothing_on_either_side_is_undefined_by_definition_and_0_as_published():
    nothing = [TrackVideo("a", 3, cases.rows_of([]), cases.rows_of([]))]
    assert all((not value.defined, value.n) == (True, 0) for value in cases.numbers(nothing).values())
    published = cases.numbers(nothing, semantics="compat")
    assert {name for (name, _), value in published.items() if value.value} == {"LocA"}


def test_thresholds_are_those_of_trackeval_to_the_last_bit():
    assert hota.ALPHAS.tolist() == np.arange(0.05, 0.99, 0.05).tolist()
    assert len(hota.ALPHAS) == 19


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([[0, 7, 0, *BOX], [0, 7, 1, *BOX]], "the annotations of a have the id 7 twice in frame 0; a track has one box in a frame"),
        ([[3, 7, 0, *BOX]], "is in no frame of 0 to 2"),
        ([[0, -1, 0, *BOX]], "ids of the annotations of a are not one whole number from 0 per row"),
        ([[0, 1, 0, 0, 0, np.nan, 1]], "a box that is not finite"),
    ],
)
def test_tracks_that_are_none_are_refused(rows, said):
    with pytest.raises(MetricsError, match=said):
        counted([TrackVideo("a", 3, cases.rows_of(rows), cases.rows_of([]))], 2, 0.5)


def test_videos_are_given_once_each():
    one = TrackVideo("a", 1, cases.rows_of([]), cases.rows_of([]))
    for videos, said in (([], "no video is given"), ([one, one], "video a is given twice")):
        with pytest.raises(MetricsError, match=said):
            counted(videos, 1, 0.5)


def test_single_videos_of_a_draw_are_not_measured():
    row = TrackRows([0], [1], [0], [BOX])
    sums = counted([TrackVideo("a", 1, row, row)], 1, 0.5)
    with mock.patch.object(Sums, "measures", autospec=True, side_effect=Sums.measures) as measures:
        results(sums, "all", "paper", {}, np.array([0, 0]))
    assert all(call.kwargs["added"] for call in measures.call_args_list)


@pytest.mark.parametrize("semantics", ["paper", "compat"])
def test_a_class_that_the_labels_do_not_have_is_in_no_mean_and_added_but_by_trackeval(semantics):
    right, false = TrackRows([0, 1], [1, 1], [0, 0], [BOX, BOX]), TrackRows([0, 1], [1, 2], [0, 1], [BOX, BOX])

    def means(predictions, there, way="averaged"):
        every = results(counted([TrackVideo("a", 2, right, predictions)], 3, 0.5, there), way, semantics, {})
        assert way != "averaged" or {tuple(one.classes) for one in every} == {("0", "1", "2")}
        return {one.variant.metric.removeprefix("tracks "): one.overall for one in every}

    honest, invents = means(TrackRows([0], [1], [0], [BOX]), [0]), means(false, [0])
    # As TrackEval has it of the class alone: who predicts another one has the same classes.
    assert all(invents[name] == honest[name] for name in ("HOTA", "LocA", "IDF1", "MOTP", "MOTA"))
    assert (invents["MOTA"].value, invents["MOTA"].n) == (0.5, 1)
    pooled = means(false, [0], "pooled")
    assert (honest["FP"].value, means(false, None)["FP"].value, means(false, None, "pooled")["FP"].value) == (0, 1, 1)
    assert means(false, None)["LocA"].n == (1 if semantics == "paper" else 3)
    # TrackEval, of the list of the labels' classes: FP 0 by its two ways, MOTA pooled 0.5.
    expected = (1, 2, 1, 0) if semantics == "paper" else (0, 1, 0, 0.5)
    assert (invents["FP"].value, invents["FP"].n, pooled["FP"].value, pooled["MOTA"].value) == expected


@pytest.mark.parametrize(("semantics", "value", "n"), [("paper", 3, 1), ("compat", 0, 1)])
def test_false_boxes_of_a_video_without_a_class_of_the_labels_are_counted(semantics, value, n):
    right, false = TrackRows([0], [1], [0], [BOX]), TrackRows([0, 1, 2], [7, 7, 7], [1, 1, 1], [BOX] * 3)
    videos = [TrackVideo("a", 1, right, right), TrackVideo("b", 3, TrackRows([], [], [], np.zeros((0, 4))), false)]
    every = results(counted(videos, 2, 0.5, [0]), "averaged", semantics, {})
    (found,) = [one.videos["b"] for one in every if one.variant.metric == "tracks FP"]
    assert (found.value, found.n) == (value, n)


def test_a_class_without_labels_that_takes_part_is_0_where_it_is_predicted():
    right, false = TrackRows([0], [1], [0], [BOX]), TrackRows([0, 0], [1, 2], [0, 1], [BOX, BOX])
    every = results(counted([TrackVideo("a", 1, right, false)], 2, 0.5), "averaged", "paper", {})
    (found,) = [one.overall for one in every if one.variant.metric == "tracks HOTA"]
    assert (found.value, found.n) == (0.5, 2)
