from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from scrubin.base.errors import CalibrationError
from scrubin.stages.stereo import drawing
from scrubin.stages.stereo.board import Board, Corners
from scrubin.stages.stereo.calibration import BoardPair, calibrate
from stereo_rigs import BOARD, board_pairs


def mirrored(pair, sides, width=640):
    changed = {side: getattr(pair, side).mirrored(width, BOARD.columns) for side in sides}
    return replace(pair, **changed)


def test_the_rig_is_recovered_with_the_error_of_every_pair(rig):
    calibration = calibrate(BOARD, board_pairs(rig), rig.size)
    assert calibration.rig.left.matrix[0, 0] == pytest.approx(rig.left.matrix[0, 0], rel=0.004)
    assert np.allclose(calibration.rig.right_centre, rig.right_centre, atol=0.15)
    assert calibration.rms_px == pytest.approx(0.05 * 2**0.5, rel=0.3)
    assert [one.name for one in calibration.errors] == [f"{n:02}" for n in range(16)]
    assert not any(one.left_out for one in calibration.errors)


@pytest.mark.slow
def test_pairs_that_do_not_fit_are_named_and_left_out(rig):
    pairs = board_pairs(rig)
    pairs[4] = replace(pairs[4], right=pairs[5].right)
    calibration = calibrate(BOARD, pairs, rig.size)
    assert [one.name for one in calibration.errors if one.left_out] == ["04"]
    assert calibration.errors[4].worst_px > 3
    assert calibration.rms_px < 0.1
    wrong = [replace(pair, right=other.right) for pair, other in zip(pairs, pairs[::-1], strict=True)][:6]
    with pytest.raises(CalibrationError, match="pairs do not fit one another: half of them are more than"):
        calibrate(BOARD, wrong, rig.size)


def test_more_outliers_than_a_quarter_are_refused_by_name(rig):
    pairs = board_pairs(rig, 8)
    noise = np.random.default_rng(0).normal(0, 1.2, (3, len(BOARD.points_mm), 2))
    for number, of_pair in enumerate(noise):
        right = pairs[number].right
        pairs[number] = replace(pairs[number], right=replace(right, points=right.points + of_pair))
    with pytest.raises(CalibrationError, match=r"more than a quarter of the pairs do not fit the others \((0[012](, )?){3}\)"):
        calibrate(BOARD, pairs, rig.size)


def test_a_lens_that_folds_with_five_coefficients_where_no_corner_was_seen_has_four_and_a_warning(rig):
    calibration = calibrate(BOARD, board_pairs(rig, 6, spread=0.5), rig.size)
    cameras = {"left": calibration.rig.left, "right": calibration.rig.right}
    four = [fault.what for fault in calibration.warnings if fault.rule == "distortion"]
    assert four == [
        f"with five coefficients the {side} lens model folds inside the picture, where no corner is seen: it has four, and k3 is 0"
        for side, camera in cameras.items()
        if camera.distortion[4] == 0
    ]
    assert four
    assert not any(camera.folded_share(rig.size) for camera in cameras.values())
    enough = calibrate(BOARD, board_pairs(rig, 25, spread=0.8), rig.size).rig
    assert enough.left.distortion.all()
    assert enough.right.distortion.all()


def test_a_lens_that_folds_with_four_coefficients_too_is_refused(rig):
    with pytest.raises(CalibrationError, match=r"lens model folds inside the picture, also with four coefficients: .*; add pictures with"):
        calibrate(BOARD, board_pairs(rig, 5, noise_px=0.3, seed=6, spread=0.1), rig.size)


def test_few_pairs_are_a_warning_with_what_they_cost_and_fewer_are_refused(rig):
    calibration = calibrate(BOARD, board_pairs(rig, 7), rig.size)
    assert any("only 7 pairs were used: left focal length" in fault.what for fault in calibration.warnings)
    with pytest.raises(CalibrationError, match="the board is seen in only 4 pairs of pictures; take at least 5"):
        calibrate(BOARD, board_pairs(rig, 4), rig.size)


@pytest.mark.slow
def test_boards_in_the_middle_only_are_a_warning(rig):
    assert any(fault.rule == "coverage" for fault in calibrate(BOARD, board_pairs(rig, spread=0.05), rig.size).warnings)
    assert not any(fault.rule == "coverage" for fault in calibrate(BOARD, board_pairs(rig, 25), rig.size).warnings)


@pytest.mark.slow
@pytest.mark.parametrize("side", ["left", "right"])
def test_mirrored_pictures_of_one_camera_are_found(rig, side):
    pairs = [mirrored(pair, [side]) for pair in board_pairs(rig)]
    with pytest.raises(CalibrationError, match=f"the pictures of the {side} camera are mirrored"):
        calibrate(BOARD, pairs, rig.size)


@pytest.mark.slow
def test_exchanged_folders_or_two_mirrored_cameras_are_found(rig):
    pairs = board_pairs(rig)
    for wrong in ([BoardPair(one.name, one.right, one.left) for one in pairs], [mirrored(one, ["left", "right"]) for one in pairs]):
        with pytest.raises(CalibrationError, match=r"mm left of the left one; exchange both folders; if they are right, .* mirrored"):
            calibrate(BOARD, wrong, rig.size)


def test_a_chessboard_that_one_camera_reads_from_its_other_end_is_turned(rig):
    pairs = board_pairs(rig)
    pairs[3] = replace(pairs[3], right=pairs[3].right.half_turned())
    calibration = calibrate(BOARD, pairs, rig.size)
    assert not any(one.left_out for one in calibration.errors)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"rows": 9}, "can be read in four ways"),
        ({"square_mm": 0.0}, "is too small"),
        ({"kind": "charuco", "marker_mm": 5.0}, "a marker .5 mm. lies within a square .4 mm."),
        ({"kind": "charuco", "marker_mm": 3.0, "dictionary": "5x5"}, "'5x5' is no list of markers: use one of 4X4_100"),
    ],
)
def test_impossible_boards_are_refused(changes, says):
    with pytest.raises(ValueError, match=says):
        replace(BOARD, **changes)


def test_corners_of_drawn_boards_lie_where_they_were_drawn(rig):
    charuco = Board("charuco", 10, 7, 4.0, 3.0, "5X5_100")
    textures = [drawing.chessboard(9, 6), drawing.charuco(10, 7, cv2.aruco.DICT_5X5_100)]
    view = drawing.view(rig, "left")
    for board, texture, border in ((BOARD, textures[0], 2), (charuco, textures[1], 2)):
        (sheet,) = drawing.board_sheets(texture, texture.shape[1] / 40 * 4.0, rig, 1, np.random.default_rng(2))
        grey = cv2.cvtColor(drawing.picture(view, [sheet]), cv2.COLOR_BGR2GRAY)
        corners = board.corners(grey)
        points = (board.points_mm + np.array([4.0 * border, 4.0 * border, 0])) @ sheet.rotation.T + sheet.translation
        true = cv2.projectPoints(points, np.zeros(3), np.zeros(3), rig.left.matrix, rig.left.distortion)[0].reshape(-1, 2)
        chosen = true[corners.numbers]
        off = min(np.abs(corners.points - one).max() for one in (chosen, chosen[::-1]))
        assert off < 0.3
        back = board.corners(np.ascontiguousarray(grey[:, ::-1]))
        assert (back is None) == (board.kind == "charuco")
    assert board.corners(np.zeros((360, 640), np.uint8)) is None
    assert isinstance(corners, Corners)
