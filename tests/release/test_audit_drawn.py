"""The audit proves by itself that no mask and no point of a release shows what is hidden in its picture."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toy_release
from scrubin.audit import drawn
from scrubin.audit.expected.plan import Hidden, Plan, StillPlan, VideoPlan
from scrubin.base.tables import io
from scrubin.base.tables.public import MASKS, POINTS
from scrubin.labels.masks import rle
from scrubin.stages.annotations.details import HiddenAreas, cleared

VIDEO = (100, 80)
HIDDEN = (Hidden(25, 30, (20, 10, 40, 30)), Hidden(50, 50, None))
BLACK = "where the released picture is black; make it again with the stage annotations, which takes out what is hidden"


def plan(hidden=HIDDEN, size=VIDEO, cameras=("mono",)):
    stills = [StillPlan(f"frames/a/{frame}.jpg", f"frames/a/{frame}.jpg", "", 25 * frame, frame == 2) for frame in range(4)]
    return Plan(tuple(VideoPlan(f"{one}.mp4", "a", one, 100, "", hidden, size, tuple(stills)) for one in cameras))


def mask_of(pixels, frame=1, instance=0):
    height, width = pixels.shape
    text = rle.text_of_runs(rle.runs_of_picture(pixels))
    return {"id": "a", "frame": frame, "instance": instance, "width": width, "height": height, "counts": text}


def drawn_at(x, y, size=VIDEO):
    pixels = np.zeros(size[::-1], bool)
    pixels[y, x] = pixels[0, 0] = True
    return pixels


def point_of(x, y, frame=1):
    return {"id": "a", "frame": frame, "instance": 0, "point": "tip", "x": x, "y": y, "visibility": 2}


def found(folder, masks=(), points=(), planned=None, **changed):
    row = {"id": "a", "camera": "mono"}
    frames = [{**row, "frame": frame, "source_frame": 25 * frame, "path": f"frames/a/{frame}.jpg", **changed} for frame in range(4)]
    pq.write_table(pa.Table.from_pylist(frames), folder / "frames.parquet")
    for table, rows in ((MASKS, masks), (POINTS, points)):
        io.write(table, io.frame_of(table, rows), folder / f"{table.name}.parquet")
    files = {f"tables/{name}.parquet": folder / f"{name}.parquet" for name in ("frames", "masks", "points")}
    return [str(one) for one in drawn.findings(files, planned or plan())]


def test_what_ends_at_the_edge_of_a_rectangle_is_clean(tmp_path):
    around = np.ones(VIDEO[::-1], bool)
    around[10:40, 20:60] = False
    others = [mask_of(np.ones(VIDEO[::-1], bool), frame) for frame in (0, 3)]
    assert found(tmp_path, [mask_of(around), *others], [point_of(0.7, 0.3), point_of(0.3, 0.3, 0), point_of(None, None, 2)]) == []


def test_a_planted_pixel_is_found_with_file_row_and_mend(tmp_path):
    masks = [mask_of(np.ones((40, 50), bool), 0), mask_of(drawn_at(21, 11), 1, 0), mask_of(drawn_at(80, 60), 1, 1)]
    (said,) = found(tmp_path, masks)
    assert said == f"tables/masks.parquet, row 2, a, frame 1, instance 0: [label-shows-hidden] 1 px of the mask lie {BLACK}"


@pytest.mark.parametrize("size", [(50, 40), (200, 160), (33, 27)])
def test_a_pixel_is_found_in_a_mask_of_any_size(size, tmp_path):
    assert len(found(tmp_path, [mask_of(drawn_at(2 * size[0] // 5, 3 * size[1] // 10, size))])) == 1


def test_a_planted_point_and_all_that_is_drawn_on_a_black_frame_is_found(tmp_path):
    said = found(tmp_path, [mask_of(drawn_at(90, 70), 2)], [point_of(0.4, 0.3), point_of(0.9, 0.9, 2)])
    assert said == [
        f"tables/{table}.parquet, row {row}, a, frame {frame}, instance 0: [label-shows-hidden] {what} {BLACK}"
        for table, row, frame, what in (
            ("masks", 1, 2, "2 px of the mask lie"),
            ("points", 1, 1, "the point 'tip' lies"),
            ("points", 2, 2, "the point 'tip' lies"),
        )
    ]


def test_the_number_of_a_picture_is_that_of_the_plan_and_not_of_the_released_table(tmp_path):
    assert len(found(tmp_path, [mask_of(drawn_at(30, 20))], source_frame=0)) == 1
    # A frame that has no file has no other number than the table's.
    assert found(tmp_path, [mask_of(drawn_at(30, 20))], source_frame=0, path=None) == []


def test_of_a_pair_the_camera_that_labels_refer_to_counts(tmp_path):
    pair = Plan((*plan((), cameras=("left",)).videos, *plan(cameras=("right",)).videos))
    assert found(tmp_path, [mask_of(drawn_at(30, 20))], planned=pair, camera="left") == []
    assert len(found(tmp_path, [mask_of(drawn_at(30, 20))], planned=plan(cameras=("left", "right")), camera="left")) == 1


def test_a_mask_whose_frame_is_not_there_is_not_proven(tmp_path):
    (said,) = found(tmp_path, [mask_of(drawn_at(30, 20), 7)])
    assert "tables/masks.parquet, row 1, a, frame 7, instance 0: [label-unproven]" in said


def test_a_release_with_a_planted_pixel_and_a_planted_point_is_refused(release):
    width, height = 96, 64
    x, y, w, h = toy_release.BOX
    around = np.ones((height, width), bool)
    around[y : y + h, x : x + w] = False
    first, second = (release.tables["frames"]["id"].unique().tolist())[:2]
    clean = [{**mask_of(around, 0), "id": id_} for id_ in (first, second)]
    place = {**point_of(0.9, 0.9, 0), "id": first}

    def broken(masks, points):
        for table, rows in ((MASKS, masks), (POINTS, points)):
            io.write(table, io.frame_of(table, rows), release.path(f"tables/{table.name}.parquet"))
        release.seal()
        return [(one.file, one.place) for one in release.findings() if one.rule.startswith("label-")]

    assert broken(clean, [place]) == []
    around[y + 5, x + 5] = True
    planted = [clean[0], {**mask_of(around, 0), "id": second}]
    assert broken(planted, [place, {**place, "x": 0.4, "y": 0.5, "id": second}]) == [
        ("tables/masks.parquet", f"row 2, {second}, frame 0, instance 0"),
        ("tables/points.parquet", f"row 2, {second}, frame 0, instance 0"),
    ]
    assert len(broken([{**mask_of(around, 1), "id": first}], [{**place, "frame": 1}])) == 2


@st.composite
def released(draw):
    """A source, its video with even sides, a hidden rectangle, and the size of the pictures that were labelled."""
    source, labelled = draw(st.tuples(*[st.tuples(*[st.integers(2, 40)] * 2)] * 2))
    video = tuple(side - side % 2 for side in source)
    x, y = (draw(st.integers(0, side - 1)) for side in video)
    return source, video, labelled, (x, y, draw(st.integers(1, video[0] - x)), draw(st.integers(1, video[1] - y)))


@given(released())
def test_what_the_stage_releases_is_always_clean(case):
    source, video, labelled, (x, y, w, h) = case
    areas = HiddenAreas(source, video)
    runs = cleared(np.array([0, labelled[0] * labelled[1]]), labelled, [areas.scaled((x, y, x + w, y + h), labelled)])
    shown = drawn.Shown(video, ((x, y, w, h),), whole=False)
    row = {"width": labelled[0], "height": labelled[1], "counts": rle.text_of_runs(runs)}
    assert drawn._of_mask(row, shown) == ""
