"""Dense disparity of one rectified pair, with a mask of what can be believed.

    python examples/disparity.py rig.yaml left.png right.png out.npz

Semi-global matching (OpenCV) of both pictures, left to right and right to left. A pixel is believed when both ways agree to
one pixel, when its surroundings have texture, and when both cameras saw it. Limits: glare differs between the cameras and is
matched wrongly or not at all; smoke and smooth tissue have no texture and stay empty; the edges of instruments bleed by half a
block; next to them one camera sees what the other does not. The error of depth grows with its square: 1 px of disparity is
depth^2 / (focal length x baseline).
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np

from scrubin.media.rigs.rig import Rectification, rectification, rectified, seen
from scrubin.media.rigs.rig_file import read

BLOCK, AGREE_PX, LEAST_TEXTURE = 5, 1.0, 2.0


def disparity(way: Rectification, left: np.ndarray, right: np.ndarray, most_px: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Return disparity in pixels and whether it is believed, both of the left rectified picture, from two recorded pictures."""
    maps = way.maps("left"), way.maps("right")
    greys = [cv2.cvtColor(rectified(one, own), cv2.COLOR_BGR2GRAY) for one, own in zip((left, right), maps, strict=True)]
    most_px = -(-most_px // 16) * 16
    forward = matched(greys[0], greys[1], most_px)
    # Mirrored and exchanged, the right picture is a left one.
    backward = matched(greys[1][:, ::-1].copy(), greys[0][:, ::-1].copy(), most_px)[:, ::-1]
    columns = np.arange(forward.shape[1]) - np.round(forward).astype(int)
    inside = (columns >= 0) & (forward >= 0)
    columns = np.clip(columns, 0, forward.shape[1] - 1)
    other = np.take_along_axis(backward, columns, axis=1)
    mean, square = (cv2.blur(one, (9, 9)) for one in (greys[0].astype(np.float32), greys[0].astype(np.float32) ** 2))
    texture = np.sqrt(np.maximum(square - mean**2, 0))
    seen_right = np.take_along_axis(seen(maps[1]), columns, axis=1)
    believed = inside & (np.abs(forward - other) <= AGREE_PX) & (texture >= LEAST_TEXTURE) & seen(maps[0]) & seen_right
    return forward, believed


def matched(left: np.ndarray, right: np.ndarray, most_px: int) -> np.ndarray:
    """Return the disparity of the left picture in pixels; negative where there is none."""
    smooth = {"P1": 8 * BLOCK**2, "P2": 32 * BLOCK**2, "uniquenessRatio": 8, "speckleWindowSize": 60, "speckleRange": 1}
    finder = cv2.StereoSGBM_create(minDisparity=0, numDisparities=most_px, blockSize=BLOCK, mode=cv2.STEREO_SGBM_MODE_SGBM_3WAY, **smooth)
    # Without a border the first columns, whose points the other picture may have, could not be looked for.
    wide = [cv2.copyMakeBorder(one, 0, 0, most_px, 0, cv2.BORDER_REPLICATE) for one in (left, right)]
    return finder.compute(*wide)[:, most_px:].astype(np.float32) / 16


def main() -> None:
    """Write disparity, mask and depth of one pair."""
    rig_name, left_name, right_name, out = sys.argv[1:]
    way = rectification(read(Path(rig_name), rig_name), 0.0)
    values, believed = disparity(way, cv2.imread(left_name), cv2.imread(right_name))
    depth = np.where(believed & (values > 0), way.focal_px * way.rig.baseline_mm / np.maximum(values, 1e-6), np.nan)
    np.savez_compressed(out, disparity_px=values, believed=believed, depth_mm=depth.astype(np.float32), alpha=0.0)
    print(f"{100 * believed.mean():.0f} % of the pixels believed, median depth {np.nanmedian(depth):.1f} mm")


if __name__ == "__main__":
    main()
