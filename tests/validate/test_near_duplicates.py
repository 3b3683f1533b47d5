"""Recordings that show the same are found; those of the same place are not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubin.validate.near_duplicates import COLUMNS, Film, Limits, near_duplicates, pairs

LIMITS = Limits(min_frames=20, contrast=0.5)


def walk(seed, n, moving=0.04, fixed=0):
    """Hashes of a film in which so many of 64 bits never change and the others flip now and then.

    The bits that never change are the same in every film: a box trainer from a fixed camera.
    """
    rng = np.random.default_rng(seed)
    start = rng.integers(0, 2, 64)
    bits = (start + np.cumsum(rng.random((n, 64)) < moving, axis=0)) % 2
    bits[:, :fixed] = np.random.default_rng(99).integers(0, 2, fixed)
    return np.packbits(bits.astype(np.uint8), axis=1).view(np.uint64).ravel()


def noisy(hashes, seed, share=0.02):
    """Every bit flips with some probability, as by encoding again."""
    rng = np.random.default_rng(seed)
    flips = np.packbits((rng.random((len(hashes), 64)) < share).astype(np.uint8), axis=1).view(np.uint64).ravel()
    return hashes ^ flips


def film(name, hashes, usable=None):
    return Film(name, "left", hashes, np.ones(len(hashes), dtype=bool) if usable is None else usable)


def study(n=30, frames=120, fixed=0):
    return [film(f"film{i:02d}", walk(i, frames, fixed=fixed)) for i in range(n)]


def found(films, limits=LIMITS):
    shortest_first = sorted(films, key=lambda one: (len(one.hashes), one.id))
    return pairs(shortest_first, limits)


@given(st.integers(0, 10**6), st.integers(0, 60), st.sampled_from([0, 20, 40]))
@settings(max_examples=25, deadline=None)
def test_a_shifted_noisy_excerpt_is_found_with_its_shift_and_nothing_else(seed, start, fixed):
    films = study(12, fixed=fixed)
    source = films[seed % 12]
    copy = film("copy", noisy(source.hashes[start : start + 50], seed))
    rows = found([*films, copy])
    assert rows[["one", "other"]].to_numpy().tolist() == [["copy", source.id]]
    assert abs(rows.shift_frames[0] - start) <= 1  # found between two frames, it is the one before
    assert rows.matching_frames[0] >= 20
    assert rows.compared_frames[0] in (49, 50)


@given(st.integers(0, 10**6), st.sampled_from([0, 30, 48]))
@settings(max_examples=10, deadline=None)
def test_films_of_the_same_place_are_no_near_duplicates(seed, fixed):
    films = [film(f"film{i}", walk(seed * 100 + i, 100, fixed=fixed)) for i in range(20)]
    assert found(films).empty


def test_films_that_stand_still_for_long_are_no_near_duplicates():
    films = []
    for i in range(15):
        moving = walk(i, 60, fixed=40)
        still = np.full(40, walk(7, 1, fixed=64)[0])
        films.append(film(f"film{i}", np.concatenate([noisy(still, i), moving, noisy(still, 50 + i)])))
    assert found(films).empty


def test_a_copy_within_a_longer_film_of_something_else_is_found():
    films = study(10)
    spliced = film("spliced", np.concatenate([walk(100, 80), noisy(films[4].hashes[30:75], 1), walk(101, 40)]))
    rows = found([*films, spliced])
    assert rows[["one", "other", "shift_frames"]].to_numpy().tolist() == [["film04", "spliced", 50]]
    assert 35 <= rows.matching_frames[0] <= 55


@pytest.mark.parametrize("part", [0.3, 0.5])
def test_frames_between_the_frames_of_the_other_are_found(part):
    films = study(10)
    source = films[6].hashes
    rng = np.random.default_rng(3)
    # A bit that flips between two frames has flipped already at this part of the way, or not yet.
    flipped = np.packbits((rng.random((119, 64)) < part).astype(np.uint8), axis=1).view(np.uint64).ravel()
    between = (source[:-1] & ~flipped) | (source[1:] & flipped)
    rows = found([*films, film("copy", noisy(between, 1))])
    assert rows[["one", "other"]].to_numpy().tolist() == [["copy", "film06"]]
    assert rows.shift_frames[0] in (0, 1)


def test_hidden_frames_are_no_evidence_and_do_not_hide_the_rest():
    films = study(10)
    usable = np.arange(120) % 5 != 0
    copy = film("copy", np.where(usable, noisy(films[2].hashes, 1), 0).astype(np.uint64), usable)
    rows = found([*films, copy])
    assert rows[["one", "other", "compared_frames"]].to_numpy().tolist() == [["copy", "film02", 96]]
    hidden = film("hidden", films[3].hashes, np.zeros(120, dtype=bool))
    assert found([*films, hidden]).empty


def test_recordings_too_short_for_runs_are_compared_as_a_whole():
    films = study(10, frames=7)
    copy = film("copy", noisy(films[5].hashes[2:], 1))
    rows = found([*films, copy])
    assert rows.to_dict("records") == [
        {"one": "copy", "other": "film05", "camera": "left", "shift_frames": 2, "matching_frames": 5, "compared_frames": 5}
    ]
    assert found([*films, film("tiny", films[5].hashes[:3])]).empty


@given(st.randoms())
@settings(max_examples=5, deadline=None)
def test_the_order_of_rows_is_irrelevant_and_pairs_are_named_alphabetically(random):
    films = study(6)
    rows = [
        {"id": one.id, "camera": camera, "frame": k, "redacted": False, "contrast": 40.0, "perceptual_hash": f"{int(value):016x}"}
        for one in [*films, film("a copy", noisy(films[3].hashes[20:90], 1)), film("z copy", noisy(films[3].hashes, 2))]
        for camera in ("left", "right")
        for k, value in enumerate(one.hashes)
    ]
    table = pd.DataFrame(rows)
    first = near_duplicates(table, LIMITS)
    shuffled = table.iloc[random.sample(range(len(table)), len(table))]
    pd.testing.assert_frame_equal(first, near_duplicates(shuffled, LIMITS))
    assert first[["one", "other", "shift_frames"]].to_numpy().tolist() == [
        ["a copy", "film03", 20],
        ["a copy", "z copy", 20],
        ["film03", "z copy", 0],
    ]


@pytest.mark.parametrize("rows", [0, 1])
def test_nothing_to_compare_gives_no_pairs(rows):
    row = {"id": "a", "camera": "left", "frame": 0, "redacted": False, "contrast": 40.0, "perceptual_hash": "0" * 16}
    table = pd.DataFrame([row] * rows, columns=list(row)).astype({"redacted": bool, "contrast": float})
    assert near_duplicates(table, LIMITS).columns.tolist() == COLUMNS
    assert near_duplicates(table, LIMITS).empty
