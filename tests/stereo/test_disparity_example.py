from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from scrubin.media.rigs import written_rig
from scrubin.media.rigs.rig import rectification
from scrubin.stages.stereo import drawing
from scrubin.stages.stereo.samples import features, matches

EXAMPLE = Path(__file__).parents[2] / "examples/disparity.py"


@pytest.mark.slow
def test_what_the_example_believes_agrees_with_single_points(tmp_path):
    rng = np.random.default_rng(21)
    rig = drawing.rig(rng, (320, 180))
    scene = drawing.Scene.by_lot(rng, rig)
    pictures = [drawing.noisy(drawing.picture(drawing.view(rig, side), scene.sheets(0.5)), 2.0, rng) for side in ("left", "right")]
    written_rig.write(tmp_path / "rig.yaml", rig)
    names = [str(tmp_path / f"{side}.png") for side in ("left", "right")]
    for name, picture in zip(names, pictures, strict=True):
        cv2.imwrite(name, picture)
    arguments = [sys.executable, str(EXAMPLE), str(tmp_path / "rig.yaml"), *names, str(tmp_path / "out.npz")]
    said = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert "% of the pixels believed" in said.stdout
    made = np.load(tmp_path / "out.npz")
    way, points = rectification(rig, 0.0), matches(*(features(one) for one in pictures))
    left, right = way.points(points.left, "left"), way.points(points.right, "right")
    columns, rows = np.round(left).astype(int).T
    kept = (np.abs(left[:, 1] - right[:, 1]) < 1) & (columns >= 0) & (columns < 320) & (rows >= 0) & (rows < 180)
    columns, rows, true = columns[kept], rows[kept], (left - right)[kept, 0]
    believed = made["believed"][rows, columns]
    off = np.abs(made["disparity_px"][rows, columns] - true)
    assert believed.mean() > 0.6
    assert np.median(off[believed]) < 0.5
    assert np.mean(off[believed] > 2) < 0.05
    assert np.isnan(made["depth_mm"][~made["believed"]]).all()
