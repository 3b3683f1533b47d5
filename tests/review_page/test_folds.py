"""Stills that stand for others: which seconds fold, what the page is told, what the ledger says, what counts."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import page_client
import review_study
from page_client import SINGLE, lines, looked
from scrubin.curate.page.folds import MOST_S, Fold, Looks, folds, seconds_of_file, unusual_first
from scrubin.curate.page.planted import Plants
from scrubin.stages.screen.features import CELLS, GROUPS

FPS = 4


def film(shades: list[int], fps: int = FPS) -> tuple[np.ndarray, np.ndarray]:
    """Return histograms and times of a film whose frames each have a shade; two that differ are far from each other."""
    histograms = np.zeros((len(shades), CELLS), np.uint16)
    for frame, shade in enumerate(shades):
        for group in GROUPS:
            histograms[frame, group.start + shade % 8] += 300
            histograms[frame, group.start + (shade + 1) % 8] += 700
    return histograms, np.arange(len(shades)) / fps


def seconds_of(shades: list[int], fps: int = FPS):
    histograms, times_s = film(shades, fps)
    return seconds_of_file(histograms, np.zeros(len(shades), bool), times_s)


def test_seconds_that_look_alike_are_one_still_but_for_the_first_and_the_last():
    of = seconds_of([0] * FPS * 6)
    assert folds([of], 0.1, (0.0, 6.0)) == [Fold(1, 4, 1)]
    assert folds([of], 0.1, (0.0, 6.0), alone={3}) == [Fold(1, 2, 1)]
    assert folds([of], 0.0, (0.0, 6.0)) == []


def test_what_comes_and_goes_between_two_stills_keeps_its_second_apart():
    shades = [0] * FPS * 8
    shades[FPS * 4 + 2] = 5
    found = folds([seconds_of(shades)], 0.2, (0.0, 8.0))
    assert found == [Fold(1, 3, 1), Fold(5, 6, 5)]


def test_the_still_that_is_shown_is_the_least_usual_of_its_run():
    histograms, times_s = film([0] * FPS * 60)
    # A little more of another colour in one second, too little to be a view of its own.
    histograms[FPS * 5 : FPS * 6, 7] += 25
    of = seconds_of_file(histograms, np.zeros(len(times_s), bool), times_s)
    (fold,) = [one for one in folds([of], 0.2, (0.0, 60.0)) if one.first <= 5 <= one.last]
    assert fold.shown == 5
    assert unusual_first([of])[0] == 5
    assert fold.others == [(1, 4), (6, MOST_S)]


def test_both_cameras_must_look_alike():
    still, moving = seconds_of([0] * FPS * 6), seconds_of([shade for shade in (0, 0, 0, 4, 4, 4) for _ in range(FPS)])
    assert folds([still, moving], 0.2, (0.0, 6.0)) == [Fold(1, 2, 1), Fold(3, 4, 3)]


def drifting(amounts: list[int]):
    """Histograms of one picture in which a colour has more and more, or less: the amounts move it by 0 to 0.3."""
    histograms, times_s = film([0] * len(amounts))
    histograms[:, 7] += np.array(amounts, np.uint16) ** 2
    return histograms, times_s


def roots_of(histograms):
    """Square roots of shares, each group of cells alike, so that the distance of two pictures is the root of 1 - their product."""
    return np.concatenate(
        [np.sqrt(histograms[:, of] / histograms[:, of].sum(axis=1, keepdims=True) / len(GROUPS)) for of in GROUPS], axis=1
    )


def test_a_drift_folds_as_far_as_the_limit_goes():
    histograms, times_s = drifting([2 * (frame // FPS) for frame in range(FPS * 12)])
    of = seconds_of_file(histograms, np.zeros(len(times_s), bool), times_s)
    counts = [len(folds([of], limit, (0.0, 12.0))) for limit in (0.05, 0.1, 0.2)]
    longest = [max(one.last - one.first + 1 for one in folds([of], limit, (0.0, 12.0))) for limit in (0.05, 0.1, 0.2)]
    assert longest == sorted(longest)
    assert longest[0] < longest[-1]
    assert min(counts) >= 1


@given(st.lists(st.integers(0, 30), min_size=FPS, max_size=FPS * 30), st.sampled_from([0.05, 0.1, 0.2]))
def test_every_frame_of_a_fold_is_as_near_to_the_shown_still_as_the_limit_says(amounts, limit):
    histograms, times_s = drifting(amounts)
    end_s = len(amounts) / FPS
    roots = roots_of(histograms)
    found = folds([seconds_of_file(histograms, np.zeros(len(times_s), bool), times_s)], limit, (0.0, end_s))
    for fold in found:
        assert 0 < fold.first <= fold.shown <= fold.last < np.ceil(end_s) - 1
        assert fold.first < fold.last < fold.first + MOST_S
        frames = np.flatnonzero((times_s >= fold.first) & (times_s < fold.last + 1))
        apart = np.sqrt(np.maximum(1 - roots[frames] @ roots[fold.shown * FPS], 0))
        assert apart.max() <= limit + 0.01
    assert all(one.last < other.first for one, other in pairwise(found))


@pytest.fixture
def alike(folder, clock, monkeypatch):
    """A study of which the seconds 0 to 2 of the single recording fold under second 1."""
    review_study.change_params(folder, "checks: 0.02", "checks: 0")
    review_study.change_params(folder, "folds: 0 ", "folds: 0.1 ")
    review_study.propose(folder, [review_study.proposal("pair", "left", 20, 29)])
    looks = Looks((Fold(0, 2, 1),), (3, 1, 0, 2), {"mono": np.array([0, 20, 40, 60])})
    monkeypatch.setattr("scrubin.curate.page.folds.Likeness.of", lambda self, number: looks if number == SINGLE else Looks())
    study = page_client.opened(folder, clock=clock)
    yield study
    study.close()


@pytest.fixture
def folded(alike, inside):
    return inside(alike)


def unseen(page) -> list[list[int]]:
    return page.get(f"/api/recordings/{SINGLE}").json()["mine"]["unseen"]["mono"]


def test_what_was_folded_needs_no_still_and_is_never_said_to_be_seen(folded, folder, clock):
    assert folded.get(f"/api/recordings/{SINGLE}/looks").json() == {"folds": [[0, 2, 1]], "order": [3, 1, 0, 2]}
    folded.get("/stills/1/mono?frames=20,60&height=90&columns=2")
    answer = looked(folded, "sheet", {"mono": [20, 60]}, folding={"mono": [20]}, clock=clock)
    assert answer.json()["line"]["event"] == "folded"
    seen, fold = [line["facts"] for line in lines(folder)]
    assert seen["seconds"] == [[1, 1], [3, 3]]
    assert (fold["stills"], fold["seconds"], fold["limit"]) == ([[20, 1, 1]], [[0, 0], [2, 2]], 0.1)
    mine = answer.json()["mine"]
    assert (mine["unseen"]["mono"], mine["folded"]["mono"]) == ([], [[0, 0], [2, 2]])


def test_a_still_that_stood_for_none_folds_nothing(folded, folder, clock):
    folded.get("/stills/1/mono?frames=20,60&height=90&columns=2")
    looked(folded, "sheet", {"mono": [20]}, clock=clock)
    assert unseen(folded) == [[0, 0], [2, 3]]
    refused = looked(folded, "sheet", {"mono": [60]}, folding={"mono": [60]}, clock=clock, nonce="f" * 16)
    assert (refused.status_code, refused.json()["error"]) == (409, "frame 60 stands for no others")
    # Only the sheet folds, and only what was looked at now.
    for view, stills in (("lens", [20]), ("sheet", [60])):
        assert looked(folded, view, {"mono": stills}, folding={"mono": [20]}, clock=clock, nonce="e" * 16).status_code == 409
    assert [line["event"] for line in lines(folder)] == ["seen"]


def test_what_was_folded_less_strictly_than_now_counts_no_longer(folded, folder, clock, inside):
    folded.get("/stills/1/mono?frames=20,60&height=90&columns=2")
    looked(folded, "sheet", {"mono": [20, 60]}, folding={"mono": [20]}, clock=clock)
    for before, limit, left in (("0.1", "0.05", [[0, 0], [2, 2]]), ("0.05", "0.15", [])):
        review_study.change_params(folder, f"folds: {before} ", f"folds: {limit} ")
        study = page_client.opened(folder, clock=clock)
        assert unseen(inside(study)) == left
        study.close()


def test_what_is_looked_at_after_all_is_seen(folded, folder, clock):
    folded.get("/stills/1/mono?frames=0,20,40,60&height=90&columns=4")
    looked(folded, "sheet", {"mono": [20, 60]}, folding={"mono": [20]}, clock=clock)
    answer = looked(folded, "sheet", {"mono": [0, 40]}, clock=clock, nonce="d" * 16)
    assert answer.json()["mine"]["folded"]["mono"] == []


def test_a_check_on_a_still_that_stands_for_others_folds_nothing_before_its_true_still_was_seen(alike, folded, folder, clock):
    plants = Plants(0.1)
    plants.choose((SINGLE, "mono"), [20], [], 60.0)
    alike._study = replace(alike.get(), plants=plants)
    folded.get("/stills/1/mono?frames=20,60&height=90&columns=2")
    answer = looked(folded, "sheet", {"mono": [20, 60]}, folding={"mono": [20]}, clock=clock)
    assert [(one["frame"], one["outcome"]) for one in answer.json()["checks"]] == [(20, "missed")]
    assert unseen(folded) == [[0, 2]]
    folded.get("/stills/1/mono?frames=20&height=90&columns=1")
    looked(folded, "sheet", {"mono": [20]}, folding={"mono": [20]}, clock=clock, nonce="c" * 16)
    assert [line["event"] for line in lines(folder)] == ["planted", "seen", "seen", "folded"]
    assert unseen(folded) == []


def test_without_what_screening_stored_nothing_folds_and_nothing_is_ordered(page):
    assert page.get(f"/api/recordings/{SINGLE}/looks").json() == {"folds": [], "order": None}
