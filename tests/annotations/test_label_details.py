"""Masks, tracks, points and marks on the frames of a release, and never of what a released picture hides."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotated_tables import tables_of
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels.masks import rle
from scrubin.labels.model import SOURCE_FRAMES, Clock, Labels, Layer, instance_rows, mark_rows
from scrubin.labels.points import Point, unlabelled
from scrubin.stages.annotations import label_tables
from scrubin.stages.annotations.details import HiddenAreas, cleared, is_inside

WORDS = load("cholect50")
SIZE = (32, 24)
"""Of the labelled pictures; the video has ten times as many pixels each way."""
ALL = rle.text_of_runs([0, 32 * 24])
SECONDS = Clock(Fraction(1))


def labels_of(positions=(0,), *, clock=SECONDS, size=SIZE, mask=ALL, points=None, **details):
    """One instance at each position, with a mask and more."""
    rows = instance_rows([{"position": position, "instrument_id": 0} for position in positions])
    extra = {"mask": [mask] * len(rows), "points": pd.Series([points] * len(rows), dtype=object), **details}
    frames = pd.DataFrame({"position": list(positions), "width": size[0], "height": size[1]})
    layer = Layer("annotations/a.json", np.array(positions), rows.assign(**extra))
    return Labels("case one", "coco", WORDS, clock, instances=layer, detail="instrument", frames=frames)


def made(*labels, **changes):
    return label_tables.tables(labels, label_tables.released(*tables_of(**changes)), (), 1.0, Faults())


def pictures(tables):
    """By frame the pixels that any mask has."""
    return {
        row.frame: rle.picture(rle.runs_of_text(row.counts, row.height, row.width), row.height, row.width)
        for row in tables.masks.itertuples()
    }


def test_a_mask_is_released_as_it_was_labelled_in_the_size_of_its_picture():
    drawn = np.zeros(SIZE[::-1], bool)
    drawn[3:9, 10:20] = True
    tables = made(labels_of((0, 6), mask=rle.text_of_runs(rle.runs_of_picture(drawn))), offset_s=Fraction(6))
    assert tables.masks[["id", "frame", "instance", "width", "height"]].to_numpy().tolist() == [["mabolu", 0, 0, *SIZE]]
    assert (pictures(tables)[0] == drawn).all()
    assert tables.report["ids"]["mabolu"]["details"] == {"masks": 1}
    assert tables.report["totals"]["masks"] == 1


def test_equal_masks_have_equal_text_however_the_file_wrote_them():
    padded = rle.text_of_runs([0, 2, 0, 3, 32 * 24 - 5])
    tables = made(labels_of(mask=padded))
    assert tables.masks["counts"].tolist() == [rle.text_of_runs([0, 5, 32 * 24 - 5])]


def test_a_frame_that_is_hidden_as_a_whole_has_no_mask_and_no_point_but_its_instance():
    whole = {"first_frame": 60, "last_frame": 80}
    tables = made(labels_of((1, 2, 3, 4), points=(Point("tip", 0.5, 0.5, 2),)), hidden=[whole])
    # The table of frames says that frame 1 is black; that of hidden spans, that frame 3 is (source frame 75).
    assert tables.triplets["frame"].tolist() == [1, 2, 3, 4]
    assert tables.masks["frame"].tolist() == tables.points["frame"].tolist() == [2, 4]
    entry = tables.report["ids"]["mabolu"]
    assert entry["details"] == {"masks": 2, "points": 2, "masks_hidden": 2, "points_hidden": 2}
    assert "coco: hidden in the release: 2 masks as a whole, a part of 0" in entry["warnings"]


def test_a_hidden_rectangle_is_cleared_with_every_pixel_that_it_touches():
    tables = made(labels_of((0, 2)), hidden=[{"first_frame": 40, "last_frame": 60, "x": 38, "y": 22, "w": 40, "h": 60}])
    expected = np.ones(SIZE[::-1], bool)
    expected[2:9, 3:8] = False
    assert (pictures(tables)[2] == expected).all()
    assert pictures(tables)[0].all()
    assert tables.report["ids"]["mabolu"]["details"] == {"masks": 2, "masks_cut": 1}


def test_a_mask_of_which_nothing_is_left_has_no_row():
    drawn = np.zeros(SIZE[::-1], bool)
    drawn[3:9, 4:6] = True
    mask = rle.text_of_runs(rle.runs_of_picture(drawn))
    tables = made(labels_of(mask=mask), hidden=[{"first_frame": 0, "last_frame": 0, "x": 40, "y": 30, "w": 20, "h": 60}])
    assert len(tables.masks) == 0
    assert tables.report["ids"]["mabolu"]["details"] == {"masks_hidden": 1}


def test_only_what_is_hidden_for_the_camera_of_the_labels_counts():
    right = {"camera": "right", "first_frame": 0, "last_frame": 9}
    tables = made(labels_of(), cameras=("left", "right"), hidden=[right])
    assert len(tables.masks) == 1
    tables = made(labels_of(), cameras=("left", "right"), hidden=[right, {**right, "camera": "left"}])
    assert len(tables.masks) == 0


def test_what_is_hidden_in_the_picture_that_was_labelled_is_cleared_though_the_frame_shows_it():
    # Source frame 30 is nearest to our frame 1 (source frame 25), which is not black in this study.
    shown = made(labels_of((55,), clock=SOURCE_FRAMES), hidden=[{"first_frame": 56, "last_frame": 74}])
    assert shown.masks["frame"].tolist() == [2]
    for first, last in ((55, 55), (50, 50), (52, 53)):
        assert not len(made(labels_of((55,), clock=SOURCE_FRAMES), hidden=[{"first_frame": first, "last_frame": last}]).masks)


def test_a_label_between_two_frames_is_cleared_of_what_is_hidden_anywhere_between_them():
    # The cut starts 0.4 s after a label, so that labels are 0.4 s before their frames.
    for hidden, masks in (((30, 45), 0), ((51, 52), 1), ((20, 24), 1)):
        tables = made(labels_of((8,)), offset_s=Fraction(32, 5), hidden=[{"first_frame": hidden[0], "last_frame": hidden[1]}])
        assert tables.triplets["frame"].tolist() == [2]
        assert len(tables.masks) == masks, hidden


def test_a_point_in_a_hidden_rectangle_or_on_its_edge_has_no_place():
    rectangle = {"first_frame": 0, "last_frame": 0, "x": 80, "y": 60, "w": 80, "h": 60}
    points = (Point("in", 0.3, 0.3, 2), Point("edge", 0.5, 0.5, 1), Point("out", 0.6, 0.3, 1), unlabelled("none"))
    tables = made(labels_of(points=points), hidden=[rectangle])
    assert tables.points[["point", "visibility"]].to_numpy().tolist() == [["edge", 0], ["in", 0], ["none", 0], ["out", 1]]
    assert tables.points["x"].isna().tolist() == tables.points["y"].isna().tolist() == [True, True, True, False]
    assert tables.report["ids"]["mabolu"]["details"]["points_hidden"] == 2


def test_tracks_keep_their_kinds_and_the_number_of_their_instance():
    rows = {"track": pd.array([7, None, 7], "Int64"), "intraoperative_track": pd.array([1, 2, 1], "Int64")}
    tables = made(labels_of((0, 0, 2), mask=None, **rows))
    assert tables.tracks[["frame", "instance", "kind", "track"]].to_numpy().tolist() == [
        [0, 0, "intraoperative_track", 1],
        [0, 0, "track", 7],
        [0, 1, "intraoperative_track", 2],
        [2, 0, "intraoperative_track", 1],
        [2, 0, "track", 7],
    ]
    assert tables.report["ids"]["mabolu"]["details"] == {"tracks": 5}


def marked(rows, name="endoscapescvs"):
    layer = Layer("f", np.array(sorted({row[0] for row in rows})), mark_rows(rows))
    return Labels("case one", name, WORDS, SECONDS, marks=layer)


def test_marks_are_those_of_the_first_source_and_tell_no_name_of_an_annotator():
    first = marked([(0, "C1", "Dr. Who", 1.0), (0, "C1", "Ann", 0.0), (3, "C2", "Ann", 1.0), (4, "C1", "", 0.25)])
    tables = made(first, marked([(0, "C1", "x", 1.0), (9, "C1", "x", 1.0)], "other"))
    assert tables.marks["frame"].tolist() == [0, 0, 3, 4]
    assert set(tables.marks["rater"].dropna()) == {"1", "2"}
    assert tables.marks["rater"].isna().tolist() == [False, False, False, True]
    of_ann = {row.rater for row in tables.marks.itertuples() if (row.frame, row.value) in ((0, 0.0), (3, 1.0))}
    assert len(of_ann) == 1
    labelled = tables.labelled
    assert labelled.loc[labelled["layer"] == "marks", "frame"].tolist() == [0, 3, 4]
    entry = tables.report["ids"]["mabolu"]
    assert entry["comparisons"] == ["marks: endoscapescvs counts; other differs in 1 of 1 shared frames (first: frame 0)"]
    assert (entry["marks"]["rows"], entry["marks"]["labelled_hidden_frames"]) == (4, 0)


def test_marks_of_different_names_stand_side_by_side_and_of_each_name_the_first_source_counts():
    criteria = marked([(0, "C1", "Ann", 1.0), (3, "C1", "Ann", 0.0)])
    quality = marked([(0, "smoke", "", 1.0), (3, "smoke", "", 0.0), (3, "C1", "", 1.0), (4, "smoke", "", 1.0)], "scrubin-labels")
    tables = made(criteria, quality)
    rows = tables.marks[["frame", "mark", "value"]].to_numpy().tolist()
    assert rows == [[0, "C1", 1.0], [0, "smoke", 1.0], [3, "C1", 0.0], [3, "smoke", 0.0], [4, "smoke", 1.0]]
    labelled = tables.labelled[tables.labelled["layer"] == "marks"]
    assert labelled["frame"].tolist() == [0, 3, 4]
    entry = tables.report["ids"]["mabolu"]
    assert (entry["marks"]["rows"], [one["rows"] for one in entry["marks_beside"]]) == (2, [3])
    assert tables.report["totals"]["marks"] == 5
    assert entry["comparisons"] == ["marks: endoscapescvs counts; scrubin-labels differs in 2 of 2 shared frames (first: frame 0)"]
    # In the other order the other one counts where both have a name.
    assert made(quality, criteria).marks.set_index(["frame", "mark"])["value"][3, "C1"] == 1.0


def test_numbers_of_annotators_keep_their_order():
    tables = made(marked([(0, "C1", "10", 1.0), (0, "C1", "9", 0.5)]))
    assert tables.marks[["rater", "value"]].to_numpy().tolist() == [["1", 0.5], ["2", 1.0]]


def test_marks_beyond_the_end_of_the_video_are_refused():
    with pytest.raises(AnnotationError, match="the labels end at 31 s, the video at 20 s"):
        made(marked([(30, "C1", "1", 1.0)]))


def test_a_study_without_them_says_nothing_of_them():
    tables = made(replace(labels_of(mask=None), frames=None))
    assert [len(rows) for rows in (tables.masks, tables.tracks, tables.points, tables.marks)] == [0, 0, 0, 0]
    assert not {"details", "marks", "masks"} & {*tables.report["ids"]["mabolu"], *tables.report["totals"]}


@pytest.mark.parametrize(
    ("size", "shape"),
    [((32, 18), "the labelled image is 32x18, the video 320x240: another shape"), ((64, 24), "the labelled image is 64x24")],
)
def test_a_mask_of_a_picture_of_another_shape_is_an_error_with_its_place(size, shape):
    with pytest.raises(AnnotationError, match=rf"a\.json, frame 3: {shape}.*check that the labels are of this video and of whole frames"):
        made(labels_of((3,), size=size, mask=rle.text_of_runs([0, size[0] * size[1]])))


def test_a_mask_whose_picture_has_no_size_is_an_error_with_its_place():
    with pytest.raises(AnnotationError, match=r"a\.json.*masks have no picture whose size is known.*state width and height"):
        made(replace(labels_of((3,)), frames=None))


sides = st.integers(1, 40)


@st.composite
def areas(draw):
    """A video, a labelled picture, and a rectangle of the video."""
    source, labelled = draw(st.tuples(sides, sides)), draw(st.tuples(sides, sides))
    video = tuple(max(side - side % 2, 1) for side in source)
    left, top = (draw(st.integers(0, side - 1)) for side in video)
    right, bottom = draw(st.integers(left + 1, video[0])), draw(st.integers(top + 1, video[1]))
    return HiddenAreas(source, video), labelled, (left, top, right, bottom)


@given(areas())
@example((HiddenAreas((3, 3), (2, 2)), (7, 7), (1, 1, 2, 2)))
def test_a_labelled_pixel_of_which_any_part_is_hidden_is_hidden_and_no_other(given_areas):
    hidden, size, rectangle = given_areas
    shown = rle.picture(cleared(np.array([0, size[0] * size[1]]), size, [hidden.scaled(rectangle, size)]), size[1], size[0])
    for axis, pixels in ((0, shown.all(axis=0)), (1, shown.all(axis=1))):
        low, high = rectangle[axis], rectangle[axis + 2]
        # What the video lacks at its end is hidden with what touches that end.
        high = hidden.source_size[axis] if high >= hidden.video_size[axis] else high
        for k, is_shown in enumerate(pixels.tolist()):
            begins, ends = (Fraction((k + step) * hidden.source_size[axis], size[axis]) for step in (0, 1))
            assert (begins < high and ends > low) == (not shown[:, k].all() if axis == 0 else not shown[k].all())
            assert is_shown == (not (begins < high and ends > low))


@given(areas(), st.floats(0, 1), st.floats(0, 1))
def test_a_point_that_lies_in_a_hidden_rectangle_is_hidden(given_areas, x, y):
    hidden, size, rectangle = given_areas
    at = (Fraction(x) * hidden.source_size[0], Fraction(y) * hidden.source_size[1])
    if all(low <= one <= high for one, low, high in zip(at, rectangle[:2], rectangle[2:], strict=True)):
        assert is_inside(x, y, size, [hidden.scaled(rectangle, size)])


@pytest.mark.parametrize(
    ("spans", "seconds"), [(((24, 0), (49, 1), (76, 23), (100, 25), (151, 0)), range(20)), ((), (5, 7, 14, 19)), (((0, 249),), (5, 9))]
)
def test_no_released_frame_has_a_mask_or_a_point_where_its_own_picture_is_hidden(spans, seconds):
    hidden = [{"first_frame": first, "last_frame": first + more} for first, more in spans]
    tables = made(labels_of(sorted(seconds), points=(Point("tip", 0.5, 0.5, 2),)), offset_s=Fraction(5), hidden=hidden)
    black = {frame for frame in range(10) for first, more in spans if first <= 25 * frame <= first + more} | {1}
    assert not black & {*tables.masks["frame"], *tables.points["frame"]}
    there = {second - 5 for second in seconds if 5 <= second < 15} - black
    assert set(tables.masks["frame"]) == set(tables.points["frame"]) == there
