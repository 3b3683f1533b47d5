"""Folded stills at the real page: how many there are, what a key unfolds, what is written, and the unusual first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import browser
import keyboard
import review_server
import review_study
from scrubin.base.tables import io
from scrubin.base.tables.private import RECORDINGS
from scrubin.media.decode import boundaries_s
from scrubin.media.source import Source
from scrubin.stages.review import LEDGER_PATH
from scrubin.stages.screen import features
from scrubin.stages.screen.pass_over_file import observe_stored

pytestmark = pytest.mark.slow
SECONDS = 60
THUMBNAIL_PX = 36


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A recording of a minute whose grey grows so slowly that some seconds in a row look alike."""
    folder = review_study.project(tmp_path / "study", single_frames=SECONDS, single_fps=1)
    path = folder / "params.yaml"
    text = path.read_text(encoding="utf-8").replace("checks: 0.02", "checks: 0").replace("folds: 0 ", "folds: 0.1 ")
    path.write_text(text, encoding="utf-8")
    review_study.propose(folder, [])
    monkeypatch.chdir(folder)
    for row in io.records(io.read(RECORDINGS, Path("data/interim/recordings.parquet"))):
        source = Source.of_file(row["path"], row["sha256"])
        times_s = boundaries_s(source.probe(Path("data/raw")))[:-1]
        observe_stored(Path("data/raw"), source, [features.observer(THUMBNAIL_PX)], times_s)
    with review_server.running(folder, "--by", "ann", "--at", "single:0") as running:
        yield running


@pytest.fixture
def page(chromium, server):
    context = chromium.new_context(viewport=browser.SIZE)
    page = context.new_page()
    keyboard.come_in(page, server.address)
    yield page
    context.close()


def cells(page) -> list[str]:
    return [one.get_attribute("aria-label") for one in page.locator("#sheet .cell").all()]


def test_folded_stills_say_for_how_many_they_stand_and_unfold_by_a_key(page):
    folded = cells(page)
    stands = [int(label.split("one still for ")[1].split(" ")[0]) for label in folded if "one still for" in label]
    assert stands
    assert len(folded) + sum(stands) - len(stands) == SECONDS
    assert page.locator("#sheet .count").first.inner_text() == f"×{stands[0]}"
    keyboard.press(page, "Shift+Z")
    page.locator("#status", has_text="Unfolded").wait_for()
    assert len(cells(page)) == SECONDS
    keyboard.press(page, "Shift+Z")
    page.locator("#status", has_text="Folded again").wait_for()
    assert cells(page) == folded


def test_a_folded_recording_is_done_and_the_ledger_says_what_nobody_looked_at(page):
    shown = len(cells(page))
    keyboard.look(page)
    page.locator("#todo li", has_text=f"{SECONDS - shown} s folded, not looked at").wait_for()
    lines = [json.loads(line) for line in LEDGER_PATH.read_text(encoding="utf-8").splitlines()]
    count = {
        event: sum(last - first + 1 for line in lines if line["event"] == event for first, last in line["facts"]["seconds"])
        for event in ("seen", "folded")
    }
    assert count == {"seen": shown, "folded": SECONDS - shown}
    # What was folded can be looked at after all.
    keyboard.press(page, "Home", "Shift+Z")
    page.locator(".looking", has_text="more for").first.wait_for()


def test_the_unusual_come_first_by_a_key_and_all_are_looked_at(chromium, server):
    def reversed_order(route):
        # In a film whose grey only grows no still is more unusual than another; which are is tested at the server.
        answer = route.fetch().json()
        route.fulfill(json={**answer, "order": answer["order"][::-1]})

    page = chromium.new_context(viewport=browser.SIZE).new_page()
    page.route("**/looks", reversed_order)
    keyboard.come_in(page, server.address)
    by_time = cells(page)
    keyboard.press(page, "t")
    page.locator("#status", has_text="unusual").wait_for()
    assert cells(page) == by_time[::-1]
    keyboard.look(page)
    page.locator("#todo li", has_text="folded, not looked at").wait_for()
    keyboard.press(page, "t")
    page.locator("#status", has_text="In order of time").wait_for()
    assert cells(page) == by_time
    page.context.close()
