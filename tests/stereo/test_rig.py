from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.media.rigs.rig import MODELS, Camera, rectification, rectified
from scrubin.media.rigs.rig import seen as shown
from stereo_rigs import seen

POINTS = np.random.default_rng(0).uniform([-20, -12, 60], [20, 12, 110], (40, 3))


@given(scale=st.fractions(min_value=0.25, max_value=3).map(float), box=st.tuples(st.integers(0, 200), st.integers(0, 100)))
def test_a_crop_then_a_resize_moves_projected_points_as_it_moves_pixels(rig, scale, box):
    left, top = box
    cropped = rig.cropped((left, top, 400, 240))
    width, height = round(400 * scale), round(240 * scale)
    changed = cropped.scaled(width, height)
    x, y = width / 400, height / 240
    for side in ("left", "right"):
        expected = ((seen(rig, side, POINTS) - [left, top]) + 0.5) * [x, y] - 0.5
        assert np.allclose(seen(changed, side, POINTS), expected, atol=1e-6)
    assert changed.size == (width, height)


def test_a_resized_picture_shows_its_corners_where_the_resized_camera_has_them():
    camera = Camera(np.array([[300.0, 0, 161.3], [0, 300.0, 118.7], [0, 0, 1]]), np.zeros(5))
    picture = np.zeros((240, 320), np.uint8)
    picture[40:80, 60:120] = 255  # the outer edge of its first corner is at 59.5, 39.5
    small = cv2.resize(picture, (160, 120), interpolation=cv2.INTER_AREA)
    corner = np.linalg.inv(camera.matrix) @ [59.5, 39.5, 1]
    moved = camera.scaled(0.5, 0.5).matrix @ corner
    assert moved[:2] == pytest.approx([29.5, 19.5])
    assert small[20, 30] == 255
    assert small[19, 29] == 0


def test_other_shapes_and_rectangles_beyond_the_picture_are_refused(rig):
    with pytest.raises(ValueError, match="640x360 resized to 640x480 would be of another shape; crop first"):
        rig.scaled(640, 480)
    with pytest.raises(ValueError, match="reaches beyond pictures of 640x360"):
        rig.cropped((600, 0, 100, 100))
    assert rig.scaled(321, 181).size == (321, 181)


def test_a_crop_without_the_optical_centre_and_a_size_of_nothing_are_refused(rig):
    with pytest.raises(ValueError, match=r"0,0,200,120 does not hold the left optical centre \(\d+, \d+\); crop around it"):
        rig.cropped((0, 0, 200, 120))
    with pytest.raises(ValueError, match="pictures of 1x1 are too small to be rectified: each side has 16 pixels or more"):
        rig.scaled(1, 1)


# Of real endoscopes, and of lenses that see an angle of so many degrees from corner to corner, all of it evenly.
SOUND = {
    "Hamlyn 320x240": ((320, 240), (391.66, 426.84, 165.96, 154.5), (-0.196312, 0.12954, 0.004356, 0.006236)),
    "Hamlyn 640x480": ((640, 480), (751.7, 766.3, 317.7, 235.9), (-0.328424, 0.856059, 0.00343, 0.000248, 0)),
    "wide": ((960, 540), (620, 622, 482, 268), (-0.33, 0.1, 0, 0, 0)),
    "wider": ((720, 576), (380, 410, 360, 288), (-0.3, 0.06, 0, 0, 0)),
    "100 degrees": ((1280, 1024), (939.2, 939.2, 640, 512), (-0.292, 0.075, 0, 0, 0)),
    "110 degrees": ((1280, 1024), (853.8, 853.8, 640, 512), (-0.31, 0.115, 0, 0, -0.021)),
    "120 degrees": ((1280, 1024), (782.7, 782.7, 640, 512), (0.952, 0.183, 0, 0, 0.004, 1.285, 0.412, 0.026)),
    "no lens": ((1920, 1080), (300, 300, 960, 540), (0, 0, 0, 0)),
    # There the iteration of OpenCV does not arrive.
    "Kodak 1440x1440": ((1440, 1440), (559.777, 537.9, 654.689, 757.537), (-0.171034, 0.015623, -0.006842, 0.00588, 0)),
    "pincushion": ((1280, 1024), (1150, 1150, 640, 512), (1, 0, 0, 0, 0)),
}
IN_THE_LAST_CORNERS = ((1920, 1080), (1726.6, 1737.36, 904.98, 529.12), (0.169978, -0.697303, -0.002944, -0.004961, 0))
FOLDING = {
    "at the border": ((960, 540), (528, 530, 482, 268), (-0.33, 0.016, 0, 0, 0)),
    "in the corners": ((960, 540), (768, 768, 480, 270), (-0.35, 0.3 * 0.35**2, 0, 0, 0)),
    "of too few pairs": ((480, 270), (470.105, 470.657, 237.036, 123.878), (-0.212, 1.588, -0.0007, -0.001, -8.317)),
    "inside, and not at the border": ((960, 540), (600, 600, 480, 270), (-1.2, 0.6, 0, 0, 0)),
}


SHALLOW = {
    "0.77 %": (
        ((960, 540), (738.2344765220575, 733.546506866972, 457.29904932801594, 323.6982966175048)),
        (0.10075648795650885, 0.3205370269883727, -0.001170548699550427, 0.0005089419301680812),
        (0.17334261353478023, 0.04424081390302624, 0.6727330341707893, 0.4566256210499462),
    ),
    "1.10 %": (((1920, 1080), (1865.63, 1865.63, 960, 540)), (-0.12887, -0.2843, 0, 0), (-0.00163, 0.03211, 0.14054, 0.39661)),
}
"""Of these lenses the area is negative by a few hundredths, and positive again behind that."""


def camera_of(lens):
    fx, fy, cx, cy = lens[1]
    return Camera(np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1.0]]), np.array(lens[2], float))


@pytest.mark.parametrize(("folds", "lens"), [(False, name) for name in SOUND] + [(True, name) for name in FOLDING])
def test_a_lens_that_folds_inside_the_picture_is_told_from_a_wide_one(folds, lens):
    size, *_ = own = (FOLDING if folds else SOUND)[lens]
    assert (camera_of(own).folded_share(size) > 0) is folds


@pytest.mark.parametrize("share", SHALLOW)
def test_a_place_behind_a_shallow_fold_has_no_ray(share):
    size_and_matrix, *coefficients = SHALLOW[share]
    size, camera = size_and_matrix[0], camera_of((*size_and_matrix, sum(coefficients, ())))
    assert f"{camera.folded_share(size):.2%}".replace("%", " %") == share
    assert np.isnan(camera.rays(np.array([[size[0] - 0.5, -0.5], [size[0] - 10.0, 2.0]]))).all()


def test_how_much_of_a_picture_is_folded_is_told_and_rays_and_places_are_those_of_opencv():
    assert camera_of(IN_THE_LAST_CORNERS).folded_share((1920, 1080)) == pytest.approx(0.0015, abs=0.0007)
    rays = np.random.default_rng(0).uniform(-0.3, 0.3, (40, 2))
    for count in MODELS:
        camera = Camera(np.array([[500, 0, 320], [0, 510, 240], [0, 0, 1.0]]), np.random.default_rng(count).normal(0, 0.02, count))
        places, _ = cv2.projectPoints(np.column_stack([rays, np.ones(40)]), np.zeros(3), np.zeros(3), camera.matrix, camera.distortion)
        assert np.abs(camera.recorded(rays) - places.reshape(-1, 2)).max() < 1e-9
        assert np.abs(camera.rays(places.reshape(-1, 2)) - rays).max() < 1e-9


def test_points_are_rectified_where_the_lens_model_has_an_inverse_that_opencv_does_not_reach(rig):
    size, *_ = SOUND["Kodak 1440x1440"]
    camera = camera_of(SOUND["Kodak 1440x1440"])
    grid = np.stack(np.meshgrid(*2 * [np.linspace(0, 1439, 30)]), axis=-1).reshape(-1, 2)
    way = rectification(replace(rig, left=camera, right=camera, width=size[0], height=size[1]), 0.0)
    moved = way.points(grid, "left")
    rays = np.column_stack([moved, np.ones(len(moved))]) @ np.linalg.inv(way.projections["left"][:, :3]).T @ way.turns["left"]
    assert np.abs(camera.recorded(rays[:, :2] / rays[:, 2:]) - grid).max() < 0.5


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_points_have_a_place_in_the_rectified_picture_only_where_it_shows_them(rig, alpha):
    size, *_ = FOLDING["of too few pairs"]
    camera = camera_of(FOLDING["of too few pairs"])
    way = rectification(replace(rig, left=camera, right=camera, width=size[0], height=size[1]), alpha)
    grid = np.stack(np.meshgrid(np.linspace(0, 479, 60), np.linspace(0, 269, 40)), axis=-1).reshape(-1, 2)
    moved = way.points(grid, "left")
    known = np.isfinite(moved).all(axis=1)
    assert 0.8 < known.mean() < 1
    rays = np.column_stack([moved[known], np.ones(known.sum())]) @ np.linalg.inv(way.projections["left"][:, :3]).T @ way.turns["left"]
    back, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), camera.matrix, camera.distortion)
    assert np.abs(back.reshape(-1, 2) - grid[known]).max() < 0.5
    sound = rectification(rig, alpha).points(np.random.default_rng(0).uniform(-0.5, (639.5, 359.5), (500, 2)), "left")
    assert np.isfinite(sound).all()


def test_a_motion_stated_the_other_way_round_is_the_same_rig(rig):
    back = rig.inverse_motion().inverse_motion()
    assert np.allclose(back.rotation, rig.rotation)
    assert np.allclose(back.translation, rig.translation)
    assert rig.swapped().right_centre[0] < 0
    assert rig.swapped().baseline_mm == pytest.approx(rig.baseline_mm)


@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0])
def test_a_point_lies_in_one_row_and_its_disparity_is_its_depth(rig, alpha):
    way = rectification(rig, alpha)
    left, right = (way.points(seen(rig, side, POINTS), side) for side in ("left", "right"))
    assert np.abs(left[:, 1] - right[:, 1]).max() < 1e-4
    disparity = left[:, 0] - right[:, 0]
    assert disparity.min() > 0
    homogeneous = np.column_stack([left, disparity, np.ones(len(left))]) @ way.depth.T
    recovered = homogeneous[:, :3] / homogeneous[:, 3:]
    assert np.abs(recovered @ way.turns["left"] - POINTS).max() < 1e-3


def test_alpha_0_has_no_black_and_alpha_1_loses_nothing(rig):
    for side in ("left", "right"):
        assert shown(rectification(rig, 0.0).maps(side)).mean() > 0.99
    wide = rectification(rig, 1.0)
    corners = np.array([[0, 0], [639, 0], [0, 359], [639, 359]], dtype=float)
    for side in ("left", "right"):
        moved = wide.points(corners, side)
        assert moved.min() > -2
        assert (moved < np.array(rig.size) + 2).all()


def test_alpha_outside_of_0_to_1_is_refused(rig):
    with pytest.raises(ValueError, match="alpha is from 0"):
        rectification(rig, -1)


def test_a_grey_and_a_coloured_picture_are_moved_alike(rig):
    maps = rectification(rig, 0.0).maps("left")
    grey = np.random.default_rng(0).integers(0, 256, (360, 640), dtype=np.uint8)
    assert np.array_equal(rectified(np.dstack([grey] * 3), maps)[..., 1], rectified(grey, maps))
