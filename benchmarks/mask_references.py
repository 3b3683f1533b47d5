"""Dice, IoU, surface distance and HD95 of random masks against MONAI and surface-distance, which need not be installed here.

python benchmarks/mask_references.py [cases] [golden.json]

Needs monai, torch, scipy and surface-distance, in a folder of their own with this checkout's `pipelines` on the path. MONAI has the same
definitions: the greatest difference is printed, and some cases with its numbers are written to the golden file. surface-distance weighs the
pieces of an outline that runs between pixels: it is printed how far that is from ours, not whether.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from scrubin.evaluate.metrics.masks import pixels
from scrubin.labels.masks import polygons, rle

CASES, KEPT, TIMED = 300, 24, 30
NAMES = ("Dice", "IoU", "NSD", "HD95")


def main() -> None:
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else CASES
    warnings.simplefilter("ignore")
    kept, apart = [], {"monai": np.zeros(4), "surface-distance": np.zeros(4)}
    for number in range(cases):
        truth, found, tolerance_px = drawn(np.random.default_rng(number))
        height, width = truth.shape
        sides = rle.runs_of_picture(truth), rle.runs_of_picture(found)
        ours = np.array(by_ours(truth, found, tolerance_px))
        published = by_monai(truth, found, tolerance_px)
        apart["monai"] = np.maximum(apart["monai"], np.abs(ours - published))
        apart["surface-distance"] = np.maximum(apart["surface-distance"], np.abs(ours - by_surface_distance(truth, found, tolerance_px)))
        if number < KEPT:
            texts = [rle.text_of_runs(runs) for runs in sides]
            kept.append(
                {"height": height, "width": width, "truth": texts[0], "found": texts[1], "tolerance_px": tolerance_px, "values": published}
            )
    for program, differences in apart.items():
        listed = ", ".join(f"{name} {value:.2g}" for name, value in zip(NAMES, differences.tolist(), strict=True))
        print(f"{program} {version(program)}, {cases} cases, greatest difference: {listed}")
    timed = [drawn(np.random.default_rng(number), (480, 854)) for number in range(TIMED)]
    print(f"processor time of all four, 854 x 480 px: ours {cpu_ms(by_ours, timed):.1f} ms, monai {cpu_ms(by_monai, timed):.1f} ms a mask")
    if len(sys.argv) > 2:
        source = f"monai {version('monai')}, torch {version('torch')}, by benchmarks/mask_references.py"
        rows = ",\n".join(f"  {json.dumps(case)}" for case in kept)
        text = f'{{\n "source": {json.dumps(source)},\n "values": {json.dumps(NAMES)},\n "cases": [\n{rows}\n ]\n}}\n'
        Path(sys.argv[2]).write_text(text)


def drawn(rng: np.random.Generator, size: tuple[int, int] | None = None) -> tuple[Any, Any, float]:
    """Return two masks with some foreground, and a tolerance: polygons near each other, over the edge or not, or noise."""
    height, width = size or (int(side) for side in rng.integers(12, 90, 2))
    if rng.random() < 0.2 and size is None:
        noise = [rng.random((height, width)) < rng.uniform(0.02, 0.6) for _ in range(2)]
        sides = [one | (np.arange(height * width).reshape(height, width) == 5) for one in noise]
    else:
        corners = rng.uniform(-5, 1.1 * min(height, width), (int(rng.integers(3, 9)), 2))
        outlines = [corners, corners + rng.uniform(-6, 6, corners.shape)]
        sides = [rle.picture(polygons.runs_of_polygons([one], height, width), height, width) for one in outlines]
        if not all(side.any() for side in sides):
            return drawn(rng, size)
    return sides[0], sides[1], float(rng.choice([0, 1, 2, 3.5]))


def cpu_ms(program: Any, cases: list[Any]) -> float:
    started = time.process_time()
    for case in cases:
        program(*case)
    return 1000 * (time.process_time() - started) / len(cases)


def by_ours(truth: Any, found: Any, tolerance_px: float) -> list[float]:
    return list(pixels.of_class(rle.runs_of_picture(truth), rle.runs_of_picture(found), *truth.shape, tolerance_px))


def by_monai(truth: Any, found: Any, tolerance_px: float) -> list[float]:
    import torch
    from monai.metrics import compute_dice, compute_hausdorff_distance, compute_iou, compute_surface_dice

    one, other = (torch.from_numpy(np.ascontiguousarray(side))[None, None].float() for side in (truth, found))
    return [
        float(compute_dice(other.double(), one.double())),
        float(compute_iou(other.double(), one.double())),
        float(compute_surface_dice(other, one, [tolerance_px], include_background=True)),
        float(compute_hausdorff_distance(other, one, include_background=True, percentile=95)),
    ]


def by_surface_distance(truth: Any, found: Any, tolerance_px: float) -> list[float]:
    import surface_distance as published

    distances = published.compute_surface_distances(truth, found, (1.0, 1.0))
    dice = published.compute_dice_coefficient(truth, found)
    near = published.compute_surface_dice_at_tolerance(distances, tolerance_px)
    return [dice, dice / (2 - dice), near, published.compute_robust_hausdorff(distances, 95)]


if __name__ == "__main__":
    main()
