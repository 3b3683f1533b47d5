"""Folded stills at the real page: how many there are, what a key unfolds, what is written, and the unusual first."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import clips
import keyboard
import review_study
from keyboard import says
from page_client import lines
from scrubin.base.tables import io
from scrubin.base.tables.private import RECORDINGS
from scrubin.media.decode import boundaries_s
from scrubin.media.source import Source
from scrubin.stages.screen import features
from scrubin.stages.screen.pass_over_file import observe_stored

pytestmark = pytest.mark.slow
SECONDS = 60
THUMBNAIL_PX = 36
LATE_FPS = 2


@pytest.fixture
def fps():
    """Frames a second of the recording."""
    return 1


@pytest.fixture
def folder(tmp_path, monkeypatch, fps):
    """A recording of a minute whose grey grows so slowly that some seconds in a row look alike."""
    folder = review_study.project(tmp_path / "study", single_frames=SECONDS * fps, single_fps=fps)
    review_study.change_params(folder, "checks: 0.02", "checks: 0")
    review_study.change_params(folder, "folds: 0 ", "folds: 0.1 ")
    review_study.propose(folder, [])
    monkeypatch.chdir(folder)
    for row in io.records(io.read(RECORDINGS, Path("data/interim/recordings.parquet"))):
        source = Source.of_file(row["path"], row["sha256"])
        times_s = boundaries_s(source.probe(Path("data/raw")))[:-1]
        observe_stored(Path("data/raw"), source, [features.observer(THUMBNAIL_PX)], times_s)
    return folder


@pytest.fixture
def late(monkeypatch):
    """Clips of two frames a second that are late by a thousandth: as at 29.97 fps, no second but the first begins with a frame."""
    numbered = clips.numbered

    def late_ones(path, count, *, fps, **more):
        pts = [math.ceil(n * 500.5) for n in range(count)] if fps == LATE_FPS else None
        return numbered(path, count, fps=fps, pts=pts, **more)

    monkeypatch.setattr(clips, "numbered", late_ones)


@pytest.fixture
def page(come_in):
    return come_in("--at", "single:0")


def cells(page) -> list[str]:
    return [one.get_attribute("aria-label") for one in page.locator("#sheet .cell").all()]


def test_folded_stills_say_for_how_many_they_stand_and_unfold_by_a_key(page):
    folded = cells(page)
    stands = [int(label.split("one still for ")[1].split(" ")[0]) for label in folded if "one still for" in label]
    assert stands
    assert len(folded) + sum(stands) - len(stands) == SECONDS
    assert page.locator("#sheet .count").first.inner_text() == f"×{stands[0]}"
    keyboard.press(page, "Shift+Z")
    says(page, "Unfolded")
    assert len(cells(page)) == SECONDS
    keyboard.press(page, "Shift+Z")
    says(page, "Folded again")
    assert cells(page) == folded


def test_a_folded_recording_is_done_and_the_ledger_says_what_nobody_looked_at(page, folder):
    shown = len(cells(page))
    keyboard.look(page)
    page.locator("#todo li", has_text=f"{SECONDS - shown} s folded, not looked at").wait_for()
    # Nothing on the page calls them seen.
    assert page.locator("#todo li.done").first.inner_text().endswith("nothing left to see")
    assert page.locator("#timeline .coverage .unseen").count() == 0
    parts = page.locator("#timeline .coverage .folded")
    share = sum(parts.evaluate_all("(parts) => parts.map((part) => parseFloat(part.style.width))")) / 100
    assert share == pytest.approx((SECONDS - shown) / SECONDS, abs=0.01)
    assert "folded, not looked at" in parts.first.get_attribute("title")
    count = {
        event: sum(last - first + 1 for line in lines(folder) if line["event"] == event for first, last in line["facts"]["seconds"])
        for event in ("seen", "folded")
    }
    assert count == {"seen": shown, "folded": SECONDS - shown}
    # What was folded can be looked at after all.
    keyboard.press(page, "Home", "Shift+Z")
    page.locator(".looking", has_text="more for").first.wait_for()


def test_the_unusual_come_first_by_a_key_and_all_are_looked_at(come_in):
    def reversed_order(route):
        # In a film whose grey only grows no still is more unusual than another; which are is tested at the server.
        answer = route.fetch().json()
        route.fulfill(json={**answer, "order": answer["order"][::-1]})

    page = come_in("--at", "single:0", before=lambda page: page.route("**/looks", reversed_order))
    by_time = cells(page)
    keyboard.press(page, "t")
    says(page, "unusual")
    assert cells(page) == by_time[::-1]
    keyboard.look(page)
    page.locator("#todo li", has_text="folded, not looked at").wait_for()
    keyboard.press(page, "t")
    says(page, "In order of time")
    assert cells(page) == by_time


@pytest.mark.usefixtures("late")
@pytest.mark.parametrize("fps", [LATE_FPS])
def test_space_finds_a_second_without_a_frame_at_its_beginning_wherever_its_cell_is(come_in):
    def mixed_order(route):
        answer = route.fetch().json()
        route.fulfill(json={**answer, "order": sorted(answer["order"], key=lambda second: second * 37 % SECONDS)})

    page = come_in("--at", "single:0", before=lambda page: page.route("**/looks", mixed_order))
    # So large that a screen holds a few of them only.
    keyboard.press(page, "]", "]", "]", "]", "t")
    says(page, "unusual")
    keyboard.look(page)
    page.locator("#todo li", has_text="folded, not looked at").wait_for()


def test_t_and_z_speak_of_one_still_a_second_only_and_all_unfold_before_all_fold(page):
    keyboard.press(page, "+", "t")
    says(page, "in order of time")
    keyboard.press(page, "z")
    says(page, "Nothing is folded here")
    keyboard.press(page, "-", "Home")
    page.locator("#sheet .cell .count").first.wait_for()
    page.locator("#sheet .cell:has(.count)").first.click()
    keyboard.press(page, "z")
    says(page, "Unfolded")
    assert len(cells(page)) < SECONDS
    keyboard.press(page, "Shift+Z")
    page.wait_for_function("(all) => document.querySelectorAll('#sheet .cell').length === all", arg=SECONDS)


def test_folds_are_fetched_anew_when_an_answer_comes_from_renewed_tables_before_the_poll_does(page, folder):
    # The poll hears nothing until a look was written.
    page.route("**/api/changes*", lambda route: route.fulfill(json={"head": "", "changed": False}))
    review_study.propose(folder, [])
    with page.expect_request("**/api/recordings/*/looks"):
        keyboard.look(page)
    page.locator("#todo li", has_text="folded, not looked at").wait_for()
