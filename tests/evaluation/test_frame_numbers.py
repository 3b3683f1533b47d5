"""Frame numbers of predictions against those of the labels: what is missing, further, shifted or at another rate."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.evaluate import series
from scrubin.evaluate.series import Series
from scrubin.labels.rates import Numbering


@given(st.sets(st.integers(0, 3000), min_size=30, max_size=120), st.integers(1, 30), st.sampled_from([-1, 1]))
def test_a_shift_of_sparse_frames_is_found_when_no_other_fits_better(frames, size, sign):
    expected = np.array(sorted(frames))
    given = expected + sign * size
    found = series.shift(given, expected)
    assert found is not None
    assert len(set((given - found).tolist()) & frames) == len(frames)


@given(st.integers(2, 500), st.integers(1, 40))
def test_frames_that_are_only_missing_are_no_shift(frames, missing):
    expected = np.arange(frames)
    assert series.shift(expected[: max(1, frames - missing)], expected) is None


def test_one_stray_frame_is_no_shift():
    expected = np.arange(100)
    assert series.shift(np.append(np.delete(expected, 50), 5000), expected) is None


def test_a_shift_is_found_although_frames_are_missing():
    assert series.shift(np.delete(np.arange(1, 101), [10, 40, 41]), np.arange(100)) == 1


def said_of_boxes(*videos):
    """What is said of the first of some videos, where a frame without a box need not be predicted: errors, and everything."""
    labelled, predicted = (
        {f"v{at}": Series(np.array(of, np.int64), np.zeros(len(of))) for at, of in enumerate(side)} for side in zip(*videos, strict=True)
    )
    found = [fault for fault in series.faults_of(labelled, predicted, every_frame=False) if fault.file == "v0"]
    return "".join(fault.sentence for fault in found if fault.severity == "error"), "".join(fault.sentence for fault in found)


WHOLE, HUNDREDS = range(60), set(range(50, 1000, 100))


def but(gaps, *of):
    return [frame for frame in range(*of) if frame not in gaps]


@pytest.mark.parametrize(
    ("labelled", "predicted", "said"),
    [
        (range(12), range(1, 13), "shifted by +1, as if frames were counted from 1; subtract 1 from every frame number"),
        (range(1, 13), range(12), "shifted by -1; add 1 to every frame number"),
        (range(12), range(100, 112), "shifted by +100; subtract 100 from every frame number"),
        (range(12), [100, 117], "no labelled frame is predicted: labels are numbered 0 to 11, predictions 100 to 117"),
        (range(0, 300, 25), range(12), "the labels go on 25 times as far as the predictions"),
        (range(12), range(300), "the predictions go on 25 times as far as the labels"),
        ([*WHOLE, *range(100, 160)], [*range(2, 62), *range(102, 162)], "shifted by +2; subtract 2"),  # gaps that have moved
        # Nothing tells who begins late and goes on as much longer from a shift.
        (range(1, 61), range(3, 63), "subtract 2 from every frame number; if they are right, leave out the frames"),
    ],
)
def test_boxes_at_other_frames_are_refused(labelled, predicted, said):
    assert said in said_of_boxes((labelled, predicted))[0]


@pytest.mark.parametrize(
    ("by", "begin", "end", "gaps"),
    [
        (1, 0, 60, ()),
        (1, 0, 60, (20, 33)),
        (1, 1, 60, ()),  # nothing is found in the first frame
        (1, 2, 60, (20, 33)),
        (5, 0, 60, ()),
        (5, 0, 60, (20, 33)),
        (5, 1, 60, ()),
        (-2, 0, 60, ()),
        (-2, 0, 59, ()),
    ],
)
def test_boxes_that_a_shift_explains_are_refused_and_how_to_go_on_is_told(by, begin, end, gaps):
    labelled, found = range(5, 65), [frame + 5 + by for frame in but(gaps, begin, end)]
    # Where nothing is found in the first frames, or in the last ones, the shift may be greater.
    more = ", or as much as it is," if (begin, end) != (0, 60) else ""
    said, _ = said_of_boxes((labelled, found))
    assert f"shifted by {more and 'at least '}{by:+d}" in said
    fix = f"{f'subtract {by}{more} from' if by > 0 else f'add {-by}{more} to'} every frame number"
    assert f"{fix}; if they are right, leave out the frames" in said
    for mended in ([frame for frame in found if frame in labelled], [frame - by for frame in found]):
        assert said_of_boxes((labelled, mended))[0] == ""


@pytest.mark.parametrize("predicted", [range(2, 63), range(2, 65), but(range(20, 25), 2, 64), range(-3, 58), range(1, 62)])
def test_boxes_that_begin_late_and_go_on_for_longer_are_scored_as_they_are(predicted):
    error, said = said_of_boxes((range(5, 65), [frame + 5 for frame in predicted]))
    assert error == ""
    assert "only the ends differ (labels are numbered 5 to 64, predictions" in said
    assert "every frame number" in said


@pytest.mark.parametrize(
    ("by", "gaps", "count"),
    # The last: a shift by 3 explains all but where the gap stands, and no end is off by it.
    [((5, 5), {20}, 60), ((30, 30), HUNDREDS, 1000), ((5, 1), {58}, 60)],
)
def test_boxes_whose_gaps_stand_where_those_of_the_labels_do_are_not_shifted(by, gaps, count):
    error, said = said_of_boxes((but(gaps, count), but(gaps, by[0], count + by[1])))
    assert (error, "only the ends differ" in said) == ("", True)


@pytest.mark.parametrize("others", [[WHOLE], [range(4), WHOLE]])
def test_a_video_of_which_only_an_end_is_off_is_no_shift_where_another_stands_as_it_is(others):
    error, said = said_of_boxes(*((WHOLE, found) for found in (range(5, 61), *others)))
    assert error == ""
    assert "if all are shifted by at least +1, subtract 1, or as much as it is, from every" in said


@pytest.mark.parametrize("further", [0, 1])
def test_a_video_stands_only_if_no_shift_between_the_two_ends_explains_it(further):
    # All predictions are 5 too far; the first video looks shifted by 4 at its end, by 8 at its beginning. One more frame, and 5 is not it.
    gap = but({3}, 20)
    error, said = said_of_boxes((WHOLE, range(8, 64)), (gap, sorted([*(frame + 5 for frame in gap if frame < 15), *[0] * further])))
    assert ("shifted by at least +4;" in error) is not bool(further)
    assert ("only the ends differ" in said) is bool(further)


@pytest.mark.parametrize(("found", "other"), [(range(5, 61), range(3, 40)), (range(5, 61), []), (range(1, 61), WHOLE)])
def test_a_video_that_another_one_says_nothing_of_is_still_shifted(found, other):
    # Frames in the middle fit as they are and shifted; where both ends are off by as much, the video itself says enough.
    much = "+1" if found == range(1, 61) else "at least +1"
    assert f"the numbers look shifted by {much}, as if" in said_of_boxes((WHOLE, found), (WHOLE, other))[0]


RATES = "or say to 'scrubin score' the rate that files do not state: --fps for labels, --predictions-fps"


@pytest.mark.parametrize(
    ("predicted", "said"),
    [
        (range(0, 1000, 25), f"the numbers look like frames of a 25 fps video; divide every frame number by 25, {RATES}"),
        (range(5, 45), "the numbers look shifted by +5; subtract 5 from every frame number"),
        (range(1, 41), "counted from 1; subtract 1 from every frame number; if they are right, predict frame 0 too"),
        (range(3, 60), "labelled, but not predicted: labels are numbered 0 to 39, predictions 3 to 59 (3 frames)"),
        (range(0, 40, 2), "only about one frame in 2 is predicted: labels are numbered 0 to 39"),
        (
            range(30),
            "labelled, but not predicted: labels are numbered 0 to 39, predictions 0 to 29 (10 frames); predict every labelled frame",
        ),
        (
            range(1000),
            "the predictions go on 25 times as far as the labels (labels are numbered 0 to 39, predictions 0 to 999), and nothing says "
            "that both count alike; say both rates, --fps of labels and --predictions-fps, the same one if they do",
        ),
    ],
)
def test_frames_that_must_be_predicted_and_are_numbered_otherwise_get_advice(predicted, said):
    sides = ({"v": Series(np.array(frames), np.zeros(len(frames)))} for frames in (range(40), predicted))
    errors = [fault.sentence for fault in series.faults_of(*sides) if fault.severity == "error"]
    assert any(said in one for one in errors), errors
    # Who begins late and goes on for longer, or leaves frames out, is not shifted.
    assert any("shifted" in one for one in errors) is ("every frame number" in said and "divide" not in said)


def errors_of(*videos, truth=None, predictions=None, severity="error", film=None):
    """What is wrong with videos of which every labelled frame must be predicted: labels and predictions of each, and how both count."""
    sides = (
        {f"v{at}": Series(np.array(of), np.zeros(len(of)), counted, film=film) for at, of in enumerate(side)}
        for side, counted in zip(zip(*videos, strict=True), (truth, predictions), strict=True)
    )
    return [fault.what for fault in series.faults_of(*sides) if fault.severity == severity]


LATE = range(16, 1500, 7)  # as CholecT50 labels its videos, by seconds


def test_a_side_that_goes_on_farther_is_refused_in_plain_words():
    (told,) = errors_of((LATE, range(25 * 1494)))
    assert told.startswith("the predictions go on 24.9 times as far as the labels (labels are numbered 16 to 1493, predictions 0 to 37349)")
    assert told.endswith(", and nothing says that both count alike")
    (told,) = errors_of((range(8, 1500), range(44970)))
    assert told.startswith("the predictions go on 29.98 times as far as the labels")


def films(per_second, *lengths):
    return [(range(length), range(per_second * length + per_second // 3)) for length in lengths]


@pytest.mark.parametrize(
    ("videos", "refused"),
    [
        ([(range(401), range(10010))], 1),
        ([(range(401), range(10000))], 1),  # the last label is at the very end
        (films(25, 400, 300), 2),
        (films(2, 301), 1),
        ([(range(1500), range(22477))], 1),  # 15000/1001 per second
        ([(range(1500), range(18750))], 1),
        ([(range(400), range(6929))], 1),  # any rate
        ([(range(301), range(602)), (range(222), range(444)), (range(411), range(822))], 3),
        ([(LATE, range(25 * 1494)), *[(range(16, 400), range(25 * 1494))] * 2], 3),  # labels of two end early
        ([*films(24, 200, 210), *films(25, 200, 210), *films(30, 200, 210)], 6),
        ([*films(25, 200, 300), *films(1, 200, 210)], 2),
        ([*films(25, 200, 300), *films(1, 200, 210, 220)], 0),  # most end alike
        ([(range(30, 80), range(20 * 80))], 1),  # perhaps labels of a part
        ([(range(44, 74), range(1775))], 1),
        ([(range(16, 300), range(1700))], 1),
        ([(range(500, 600), range(2900))], 1),
    ],
)
def test_what_may_be_another_rate_is_refused_unless_both_are_stated_or_most_videos_end_alike(videos, refused):
    assert len(errors_of(*videos)) == refused
    of_part = Numbering(Fraction(1))
    assert errors_of(*videos, truth=of_part, predictions=of_part) == []


def test_two_videos_that_go_on_farther_are_warned_of_where_most_end_alike():
    said = errors_of(*films(25, 200, 300), *films(1, 200, 210, 220), severity="warning")
    assert [one.startswith("the predictions go on 25.0") for one in said] == [True, True]


@pytest.mark.parametrize(
    ("labels", "predictions", "told"),
    [
        (range(2500), range(3000), "the predictions go on 1.2 times"),
        (range(3000), range(1510), "the labels go on 1.987 times"),
        (range(60), range(100), "the predictions go on 1.667 times"),
        (range(2400), range(2500), ""),
        (range(95), range(100), ""),
        (range(9), range(11), ""),  # two frames
        (range(0, 750, 150), range(900), ""),  # judged every few seconds
    ],
)
def test_a_side_that_goes_on_less_than_twice_as_far_is_a_warning(labels, predictions, told):
    said = errors_of((labels, predictions), severity="warning")
    assert [one.partition(" as far")[0] for one in said] == [told] * bool(told)
    assert not [one for one in errors_of((labels, predictions)) if "as far as" in one]
    assert errors_of((labels, predictions), *[(labels, labels)] * 2, severity="warning") == []


@pytest.mark.parametrize(
    ("labelled", "predicted", "said"),
    [
        (range(20), range(100), ""),
        (range(3, 100), range(100), ""),
        (range(40, 50), range(90), ""),
        (range(101), range(101), ""),  # labels of another film
        (range(20), range(2500), "frames 100-2499: cannot exist: the released film has 100 frames (2400 frames)"),
        (range(100), range(104), "frames 100-103: cannot exist"),  # cut at 25 per second instead of 24
        (range(3), range(101), "frame 100: cannot exist"),
        (range(10), range(1, 101), "counted from 1: frame 100 cannot exist, the released film has 100 frames; subtract 1"),
        (range(3, 100), range(1, 101), "subtract 1 from every frame number"),
        (range(100), range(5, 105), "shifted by +5: frame 104 cannot exist, the released film has 100 frames; subtract 5"),
    ],
)
@pytest.mark.parametrize("every_frame", [True, False])
def test_a_prediction_beyond_the_end_of_the_released_film_is_refused(labelled, predicted, said, every_frame):
    truth, team = ({"v": Series(np.array(of), np.zeros(len(of)), film=100)} for of in (labelled, predicted))
    found = series.faults_of(truth, team, every_frame=every_frame)
    told = [fault.sentence for fault in found if fault.severity != "deviation"]
    assert (bool(told), said in "".join(told)) == (bool(said), True)
    # Such frames are not to be left out.
    assert all(max(fault.frames) < 100 for fault in found if fault.rule == "frames-extra")


@pytest.mark.parametrize(("first", "said"), [(1, "subtract 1 from"), (15, "if only this frame is too many, leave it out")])
def test_one_frame_beyond_the_film_is_a_shift_only_where_frames_begin_so(first, said):
    truth, team = ({"v": Series(np.array(of), np.zeros(len(of)), film=100)} for of in (range(100), range(first, 101)))
    (error,) = [fault for fault in series.faults_of(truth, team, every_frame=False) if fault.severity == "error"]
    assert said in error.fix


@pytest.mark.parametrize(
    ("rates", "film", "predicted", "said"),
    [
        ((25, 1), 3000, range(125), "frames 120-124: cannot exist: the released film has 120 frames at 1 per second"),
        ((25, 1), 3001, range(121), ""),
        ((1, 25), 120, range(1, 3001), "from 1: frame 3000 cannot exist, the released film has 3000 frames at 25 per second; subtract 1"),
        ((1, 25), 120, range(3010), "frames 3000-3009: cannot exist"),
        ((1, 25), 1, range(1, 26), "frame 25 cannot exist, the released film has 25 frames at 25 per second"),
    ],
)
def test_predictions_at_another_rate_are_held_to_the_film_by_their_own_numbers(rates, film, predicted, said):
    truth, team = (
        {"v": Series(np.arange(film) if side else np.array(predicted), np.zeros(1), Numbering(Fraction(rates[1 - side])), film=film)}
        for side in (1, 0)
    )
    told = "".join(fault.sentence for fault in series.faults_of(truth, team) if fault.severity == "error")
    assert (bool(told), said in told) == (bool(said), True)


@pytest.mark.parametrize(("begins", "end", "refused"), [(Fraction(111, 2), 60, False), (Fraction(58), 60, True), (Fraction(30), 61, True)])
def test_a_last_span_that_ends_just_behind_the_film_is_no_error_and_one_that_goes_on_or_begins_there_is(begins, end, refused):
    truth = {"v": Series(np.arange(58), np.zeros(58), film=58)}
    found = series.faults_of(truth, {"v": Series(np.arange(end), np.zeros(end), last_begins=begins)})
    (told,) = [one.what for one in found]
    assert ("the last span ends behind the film" in told, "cannot exist" in told) == (not refused, refused)


@pytest.mark.parametrize(
    ("objects", "found", "said"),
    [
        (range(1500), range(0, 1500, 25), "one frame in 25 is"),
        (range(1800), [*range(0, 1800, 30), 1799], "one frame in 30 is"),
        (range(1800), [round(at * 29.97) for at in range(60)], "one frame in 30 is"),
        (range(1800), np.linspace(0, 1799, 64).astype(int), "one frame in 29 is"),
        (range(225), range(0, 225, 25), "one frame in 25 is"),
        (range(0, 1500, 5), range(10, 1500, 25), "one frame in 25 is"),
        (range(1500), [at for at in range(0, 1500, 25) if at % 4 or at % 3], "one frame in 25 is"),
        (range(0, 1500, 25), range(0, 1500, 25), ""),
        (range(0, 1500, 25), range(0, 500, 25), ""),  # a run of what is labelled
        ([2, 44, 90, 310, 500, 502, 700, 1500, 1502, 1900, 2000], [2, 44, 90, 310, 500, 502, 700, 1500, 1502, 2000], ""),
        (range(1500), range(0, 150, 25), ""),  # few detections
        (range(100), but(range(20, 90), 100), ""),
    ],
)
@pytest.mark.parametrize("lists_all", [True, False])
def test_boxes_in_a_sample_of_the_film_are_no_frames_without_a_detection(objects, found, said, lists_all):
    # A format that lists frames without an object says no more than one that leaves them out.
    truth = {"v": Series(np.arange(2001), np.zeros(2001), found=np.array(objects))}
    team = {"v": Series(np.arange(2001) if lists_all else np.array(found), np.zeros(2001), found=np.array(found))}
    errors = "".join(one.sentence for one in series.faults_of(truth, team, every_frame=False) if one.rule == "frames-missing")
    assert ("only about one frame" in errors, said in errors) == (bool(said), True)


@pytest.mark.parametrize(
    ("videos", "rates", "film", "told"),
    [
        ([(range(120), range(3000))], (1, 25), None, ""),
        ([(range(120), range(1, 3001))], (1, 25), None, "warning"),
        ([(range(250, 1000), range(1, 1001))], (1, 1), None, "error"),  # labels begin late
        ([(range(250, 900), range(1, 1001)), (range(9, 50), range(1, 1001))], None, 1000, "error"),
        ([(range(0, 1000, 25), range(1, 1001))], None, None, "warning"),
        ([(range(40), range(1, 60))], None, None, "warning"),
        ([(range(250, 1000), range(1, 1001)), (range(9, 50), range(51))], None, None, ""),  # one begins with 0
        ([(range(25, 1001, 25), range(1, 1001))], None, None, ""),  # labels from 1, too
        ([(range(0, 1000, 25), but({9}, 1, 1001))], None, None, ""),
    ],
)
@pytest.mark.parametrize("every_frame", [True, False])
def test_films_that_all_run_from_1_without_a_gap_are_counted_from_1(videos, rates, film, told, every_frame):
    counted = [Numbering(Fraction(rate)) for rate in rates] if rates else [None, None]
    truth, team = (
        {f"v{at}": Series(np.array(of), np.zeros(len(of)), by, film=film) for at, of in enumerate(side)}
        for side, by in zip(zip(*videos, strict=True), counted, strict=True)
    )
    said = [one for one in series.faults_of(truth, team, every_frame=every_frame) if one.rule == "frames-shifted"]
    assert {one.severity for one in said} == ({told} if told else set())
    assert all("subtract 1 from every frame number" in one.fix for one in said)


@pytest.mark.parametrize(("others", "severity"), [([], "error"), ([(range(0, 250, 25), range(20, 60))], "warning")])
def test_boxes_between_labelled_frames_are_refused_only_where_no_video_joins(others, severity):
    truth, team = (
        {f"v{at}": Series(np.array(of), np.zeros(len(of))) for at, of in enumerate(side)}
        for side in zip((range(0, 250, 25), [30, 31, 210]), *others, strict=True)
    )
    assert [one.severity for one in series.faults_of(truth, team, every_frame=False) if one.rule == "frames-elsewhere"] == [severity]


def test_a_video_in_which_nothing_is_found_can_be_listed_without_objects():
    sides = ({name: Series(np.arange(9), np.zeros(9)) for name in names} for names in (("a", "b"), ("a",)))
    (told,) = series.faults_of(*sides, every_frame=False)
    assert "list its frames without objects, as COCO lists images without annotations" in told.fix


def test_images_listed_at_a_step_are_a_sample_although_few_videos_have_an_object_there():
    truth = {f"v{at}": Series(np.arange(60), np.zeros(60), found=np.arange(30)) for at in range(3)}
    listed = np.array([*range(0, 60, 10), 59])
    team = {name: Series(listed, np.zeros(7), found=listed[:1]) for name in truth}
    errors = [one for one in series.faults_of(truth, team, every_frame=False) if one.severity == "error"]
    assert len(errors) == 3
    assert all("only about one frame in 10 is predicted" in one.what for one in errors)


@pytest.mark.parametrize(("lengths", "warned"), [([60, 90, 120], 3), ([60], 0)])
def test_a_stated_rate_by_which_all_videos_end_too_far_alike_is_warned_of(lengths, warned):
    rates = {"truth": Numbering(Fraction(1)), "predictions": Numbering(Fraction(20))}
    told = errors_of(*((range(count), range(25 * count)) for count in lengths), severity="warning", **rates)
    assert ["as if a rate that is stated were wrong" in one for one in told] == [True] * warned


def test_teams_who_can_say_no_rate_can_leave_out_what_goes_on_farther():
    truth = {"a": Series(np.arange(400), np.zeros(400))}
    told = [
        [fault for fault in series.faults_of(truth, {"a": Series(np.arange(count), np.zeros(count), by_contract=True)}) if fault.fix]
        for count in (10000, 400)
    ]
    (refused,) = [one for one in told[0] if one.severity == "error"]
    assert refused.fix == "number frames as in the ground truth; if they are, leave out those behind its last one, which do not count"
    assert told[1] == []


@pytest.mark.parametrize(
    ("labelled", "predicted"),
    [
        (range(0, 37500, 25), range(37500)),  # both by the frames of the film
        (range(400, 37500, 25), range(37500)),
        (LATE, range(1494)),
        (LATE, range(1700)),
        (range(400, 36000, 25), range(400, 36000, 25)),
        (range(20), [*range(20), 99]),  # a single frame beyond
    ],
)
def test_predictions_of_more_frames_than_are_labelled_are_at_no_other_rate(labelled, predicted):
    assert errors_of((labelled, predicted)) == []


@pytest.mark.parametrize(("last", "refused"), [(140, False), (70, True)])
def test_predictions_that_end_with_the_last_object_are_at_no_other_rate(last, refused):
    labels, found = Series(np.arange(300), np.zeros(300), found=np.arange(140)), np.arange(last)
    told = series.faults_of({"v": labels}, {"v": Series(found, np.zeros(last), found=found)}, every_frame=False)
    assert ("frames-rate" in {one.rule for one in told if one.severity == "error"}) is refused


def test_a_side_that_is_numbered_at_the_stated_rate_of_the_other_is_refused():
    rates = {"truth": Numbering(Fraction(30)), "predictions": Numbering(Fraction(1))}
    (told,) = errors_of((range(0, 2700, 150), range(2700)), **rates)
    assert told.startswith(
        "labels have 30 frames per second and predictions 1, but both end as if they had one rate (labels are numbered 0"
    )
    assert errors_of((range(0, 2700, 150), range(900)), **rates) == []


@pytest.mark.parametrize(
    ("labels", "predictions", "film", "refused"),
    [
        ([range(0, 600, 30)], [range(20)], 600, True),
        ([range(0, 600, 30)], [range(20)], None, True),
        ([range(120)], [range(50)], None, False),
        ([range(600)], [range(200)], None, False),
        ([range(15000)], [range(600)], None, True),
        ([range(600)], [range(24)], 600, False),  # its end is known
        ([range(600), range(800)], [range(150), range(200)], 600, True),  # at one rate
        ([range(600), range(800)], [range(150), range(300)], 600, False),
    ],
)
def test_detections_of_teams_may_end_early_unless_all_do_alike_or_number_what_is_labelled(labels, predictions, film, refused):
    truth, team = (
        {f"v{at}": Series(np.array(of), np.zeros(len(of)), film=film, by_contract=side is predictions) for at, of in enumerate(side)}
        for side in (labels, predictions)
    )
    of_rates = [one for one in series.faults_of(truth, team, every_frame=False) if one.rule == "frames-rate"]
    assert {(one.severity, one.fix) for one in of_rates} == {("error" if refused else "warning", "number frames as in the ground truth")}
    by_option = {name: replace(one, by_contract=False) for name, one in team.items()}
    assert "error" in {one.severity for one in series.faults_of(truth, by_option, every_frame=False)}


def taken_at(fps, duration_s, objects_s, *, are_found_alone):
    """Return a side of a film at a rate, with objects up to a second, and either all of its frames or those alone."""
    frames = np.arange(int(duration_s * fps))
    found = frames[: int(objects_s * fps)]
    frames = found if are_found_alone else frames
    return Series(frames, np.zeros(len(frames)), Numbering(fps), found=found)


def test_whether_two_near_rates_are_one_is_decided_once_for_all_videos_and_said_where_no_end_tells():
    ntsc, whole = Fraction(30000, 1001), Fraction(30)
    truth = {name: taken_at(ntsc, 1200, end_s, are_found_alone=False) for name, end_s in (("to the end", 1200), ("early", 1140))}
    team = {name: taken_at(whole, 1200, end_s, are_found_alone=True) for name, end_s in (("to the end", 1200), ("early", 1140))}
    for pair in series.paired(truth, team, every_frame=False).pairs.values():
        at = pair.prediction >= 0
        assert np.array_equal(pair.prediction[at], -(-pair.frames[at] * 1001 // 1000))
    unclear = {"early": taken_at(whole, 1200, 600, are_found_alone=True)}
    (fault,) = (one for one in series.faults_of({"early": truth["early"]}, unclear, every_frame=False) if one.rule == "frames-rate")
    assert (fault.severity, fault.what) == ("warning", "labels have 29.97 frames per second and predictions 30: taken for one rate")


def test_one_video_of_nearly_equal_rates_whose_last_objects_are_missed_is_warned_of_and_two_are_refused():
    truth = {name: taken_at(Fraction(25), 10, 10, are_found_alone=False) for name in "ab"}
    # What is found until 8.3 s at 30 frames ends at the number of 10 s at 25.
    team = {name: taken_at(Fraction(30), 10, 8.3, are_found_alone=True) for name in "ab"}
    for names, severity in (("a", "warning"), ("ab", "error")):
        sides = ({name: side[name] for name in names} for side in (truth, team))
        assert {one.severity for one in series.faults_of(*sides, every_frame=False) if one.rule == "frames-rate"} == {severity}
