"""Keys that come before an answer: they are about the recording that was seen, and no late answer takes back what was chosen."""

from __future__ import annotations

import json

import pytest

import browser
import keyboard
import review_server
from held_requests import PATIENCE_MS, Held
from scrubin.stages.review import LEDGER_PATH

pytestmark = pytest.mark.slow
A_WHILE_MS = 500


@pytest.fixture
def server(folder):
    with review_server.running(folder, "--by", "ann") as running:
        yield running


@pytest.fixture
def come_in(chromium, server):
    contexts = []

    def come_in():
        contexts.append(chromium.new_context(viewport=browser.SIZE))
        page = contexts[-1].new_page()
        keyboard.come_in(page, server.address)
        says(page, "is open")
        return page

    yield come_in
    for context in contexts:
        context.close()


@pytest.fixture
def page(come_in):
    return come_in()


def says(page, text):
    page.locator("#status", has_text=text).wait_for()


def lines(folder, event):
    path = folder / LEDGER_PATH
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
    return [line["facts"] for line in read if line["event"] == event]


def test_a_decision_is_about_the_recording_in_which_it_was_made_also_if_the_next_is_open_before_it_is_sent(page, folder):
    keyboard.press(page, "j")
    says(page, "Span 1")
    page.wait_for_timeout(keyboard.LONG_ENOUGH_MS)
    keyboard.press(page, "a", "n")
    page.locator("#name", has_text="single").wait_for()
    for _ in range(PATIENCE_MS // 100):
        if lines(folder, "decided"):
            break
        page.wait_for_timeout(100)
    ((recording, camera),) = [(one["recording"], one["camera"]) for one in lines(folder, "decided")]
    assert (recording, camera) == ("pair", "left")
    # Nothing of the next one is chosen by that.
    assert page.locator("#span-text", has_text="J selects").count() == 1


def exclude(page):
    keyboard.press(page, "x")
    page.locator("#reason-dialog").wait_for()
    page.keyboard.type("no consent")
    keyboard.press(page, "Enter")
    says(page, "The recording is excluded")


def test_while_the_next_recording_opens_nothing_is_decided_about_any(page, folder):
    opening = Held(page, "/api/recordings/[0-9]+$")
    keyboard.press(page, "n")
    opening.come()
    keyboard.press(page, "x")
    says(page, "still opening")
    assert page.locator("#reason-dialog[open]").count() == 0
    opening.let_go()
    says(page, "single is open")
    exclude(page)
    assert [one["recording"] for one in lines(folder, "excluded")] == ["single"]


def test_who_chose_something_else_before_the_answer_keeps_it(page):
    keyboard.press(page, "j")
    says(page, "Span 1")
    answers = Held(page, "/api/decide$")
    keyboard.press(page, "a")
    answers.come()
    keyboard.press(page, "Escape")
    answers.let_go()
    says(page, "hidden. U undoes")
    assert page.locator("#span-text", has_text="J selects").count() == 1


def test_what_was_asked_before_a_decision_does_not_take_it_back(page, come_in):
    told = Held(page, "/api/recordings/[0-9]+$")
    other = come_in()
    keyboard.press(other, "n")
    says(other, "single is open")
    exclude(other)
    told.come()
    # The answer is of before.
    answer = told.routes[0].fetch()
    keyboard.press(page, "j", "a")
    says(page, "hidden. U undoes")
    decided = page.locator("#timeline .proposal[aria-label*='left'][aria-label*='hidden']")
    decided.first.wait_for()
    told.routes.pop(0).fulfill(response=answer)
    page.wait_for_timeout(A_WHILE_MS)
    assert decided.count() == 1
