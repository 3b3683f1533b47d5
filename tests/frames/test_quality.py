from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scrubin.stages.frames.extract import EXACT_COUNT, Quality, histogram, perceptual_hash, quality

SHAPES = st.tuples(st.integers(16, 70), st.integers(16, 90))


def exact(grey: np.ndarray, previous: np.ndarray) -> Quality:
    """The definitions in 64-bit whole numbers, without OpenCV but for the Laplacian's definition by hand."""
    values = grey.astype(np.int64)
    padded = np.pad(values, 1, mode="reflect")
    edges = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:] - 4 * values

    def variance(of: np.ndarray) -> float:
        total, squares = int(of.sum()), int((of * of).sum())
        return (squares * of.size - total * total) / (of.size * of.size)

    rows, columns = (np.arange(n) * side // n for n, side in ((8, grey.shape[0]), (9, grey.shape[1])))
    sums = np.add.reduceat(np.add.reduceat(values, rows, axis=0), columns, axis=1)
    widths = np.diff(np.append(columns, grey.shape[1]))
    darker = sums[:, :-1] * widths[1:] < sums[:, 1:] * widths[:-1]
    return Quality(
        sharpness=variance(edges),
        brightness=int(values.sum()) / values.size,
        contrast=variance(values) ** 0.5,
        saturated_share=int(((values <= 5) | (values >= 250)).sum()) / values.size,
        difference=int(np.abs(values - previous).sum()) / values.size,
        perceptual_hash=np.packbits(darker.ravel()).tobytes().hex(),
    )


@given(data=st.data(), shape=SHAPES)
def test_quality_is_exact_to_the_last_bit(data, shape):
    grey, previous = (data.draw(hnp.arrays(np.uint8, shape)) for _ in range(2))
    assert quality(grey, previous) == exact(grey, previous)


@pytest.mark.parametrize("shape", [(540, 960), (1081, 1923)])
def test_quality_is_exact_for_whole_pictures_of_noise_and_extremes(shape):
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 256, shape, dtype=np.uint8)
    checks = (np.indices(shape).sum(axis=0) % 2 * 255).astype(np.uint8)
    assert quality(noise, checks) == exact(noise, checks)
    assert quality(checks, noise) == exact(checks, noise)


def test_more_pixels_than_a_32_bit_float_can_count_are_counted():
    side = 4100
    assert side * side > EXACT_COUNT
    grey = np.full((side, side), 7, np.uint8)
    grey[0, 0] = 8
    assert histogram(grey)[7:9].tolist() == [side * side - 1, 1]


def test_quality_agrees_with_floating_point_references():
    rng = np.random.default_rng(0)
    grey, before = (rng.integers(0, 256, (60, 100), dtype=np.uint8) for _ in range(2))
    found = quality(grey, before)
    assert found.brightness == pytest.approx(grey.mean())
    assert found.contrast == pytest.approx(grey.std())
    assert found.sharpness == pytest.approx(cv2.Laplacian(grey, cv2.CV_64F).var())
    assert found.difference == pytest.approx(np.abs(grey.astype(float) - before).mean())
    assert found.saturated_share == pytest.approx(((grey <= 5) | (grey >= 250)).mean())


def test_blur_lowers_sharpness_and_a_flat_frame_has_none():
    rng = np.random.default_rng(0)
    grey = rng.integers(0, 256, (60, 100), dtype=np.uint8)
    assert quality(cv2.GaussianBlur(grey, (5, 5), 0), None).sharpness < quality(grey, None).sharpness / 4
    flat = quality(np.zeros((60, 100), np.uint8), None)
    assert (flat.sharpness, flat.contrast, flat.saturated_share, flat.difference) == (0.0, 0.0, 1.0, None)


def test_the_hash_survives_scaling_and_noise_and_tells_pictures_apart():
    rng = np.random.default_rng(0)
    grey = cv2.resize(rng.integers(0, 256, (8, 12), dtype=np.uint8), (300, 200), interpolation=cv2.INTER_CUBIC)
    other = cv2.resize(rng.integers(0, 256, (8, 12), dtype=np.uint8), (300, 200), interpolation=cv2.INTER_CUBIC)
    noisy = np.clip(cv2.resize(grey, (150, 100)) + rng.normal(0, 3, (100, 150)), 0, 255).astype(np.uint8)

    def distance(a, b) -> int:
        return (int(perceptual_hash(a), 16) ^ int(perceptual_hash(b), 16)).bit_count()

    assert distance(grey, noisy) <= 6
    assert distance(grey, other) > 16
