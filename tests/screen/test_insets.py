"""Pictures inside the picture, found by their standing edges; test_scene.py judges what they show."""

from __future__ import annotations

import numpy as np
import pytest

from scrubin.stages.screen import insets

WIDTH, HEIGHT = 320, 180


def tissue(rng: np.random.Generator) -> np.ndarray:
    """Luma of soft blobs that lie elsewhere in every picture."""
    rough = rng.integers(40, 200, (6, 10)).astype(np.float64)
    rows, columns = np.linspace(0, 4.99, HEIGHT), np.linspace(0, 8.99, WIDTH)
    above, left = rows.astype(int), columns.astype(int)
    down, across = (rows - above)[:, None], (columns - left)[None]
    upper = rough[above][:, left] * (1 - across) + rough[above][:, left + 1] * across
    lower = rough[above + 1][:, left] * (1 - across) + rough[above + 1][:, left + 1] * across
    return (upper * (1 - down) + lower * down).astype(np.uint8)


def standing(box: tuple[int, int, int, int] | None) -> list[tuple[int, int, int, int]]:
    """The rectangles in six pictures of tissue, with another one that moves in a box."""
    rng = np.random.default_rng(0)
    masks = []
    for number in range(insets.SAMPLES):
        luma = tissue(rng)
        if box is not None:
            x, y, w, h = box
            luma[y : y + h, x : x + w] = tissue(rng)[:h, :w] // 2 + (0, 127)[number % 2]
        masks.append(insets.edges(luma))
    upright, level = (np.sum(side, axis=0) >= insets.STANDING for side in zip(*masks, strict=True))
    return insets.rectangles(upright, level)


@pytest.mark.parametrize("box", [(0, 0, 80, 44), (240, 135, 80, 45), (230, 8, 80, 45), (8, 120, 96, 54), (120, 66, 64, 36)])
def test_a_picture_in_a_corner_or_in_the_middle_is_found_by_its_standing_edges(box):
    (best, *_) = standing(box)
    assert all(abs(side - wanted) <= 4 for side, wanted in zip(best, box, strict=True))


def test_tissue_that_moves_has_no_standing_rectangle():
    assert standing(None) == []


def test_a_still_picture_full_of_edges_has_no_rectangle():
    rng = np.random.default_rng(1)
    upright, level = (rng.random((HEIGHT, WIDTH)) < 0.45 for _ in range(2))
    assert insets.rectangles(upright, level) == []


def test_a_thin_strip_and_half_of_the_picture_are_no_inset():
    assert standing((0, 0, 20, 180)) == []
    assert all(w <= insets.MOST_SHARE * WIDTH for _, _, w, _ in standing((0, 0, 250, 100)))
