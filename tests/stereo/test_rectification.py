from __future__ import annotations

import numpy as np
import pytest

from scrubin.media.rigs.rig import rectification, rectified, seen
from stereo_rigs import seen as projected

POINTS = np.random.default_rng(1).uniform([-15, -8, 60], [15, 8, 110], (60, 3))


@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0])
def test_a_point_lies_in_one_row_and_its_disparity_is_its_depth(rig, alpha):
    way = rectification(rig, alpha)
    left, right = (way.points(projected(rig, side, POINTS), side) for side in ("left", "right"))
    assert np.abs(left[:, 1] - right[:, 1]).max() < 1e-4
    disparity = left[:, 0] - right[:, 0]
    assert disparity.min() > 0
    homogeneous = np.column_stack([left, disparity, np.ones(len(left))]) @ way.depth.T
    recovered = homogeneous[:, :3] / homogeneous[:, 3:]
    assert np.abs(recovered @ way.turns["left"] - POINTS).max() < 1e-3


def test_alpha_0_has_no_black_and_alpha_1_loses_nothing(rig):
    for side in ("left", "right"):
        assert seen(rectification(rig, 0.0).maps(side)).mean() > 0.99
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
