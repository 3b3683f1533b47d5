"""Keys that come before an answer: they are about the recording that was seen, and no late answer takes back what was chosen."""

from __future__ import annotations

import pytest

import keyboard
from held_requests import PATIENCE_MS, Held
from keyboard import says
from page_client import facts

pytestmark = pytest.mark.slow
A_WHILE_MS = 500
NO_TIMER = "() => { const every = window.setInterval; window.setInterval = (run, ms) => ms === 2000 ? 0 : every(run, ms); }"
"""What was looked at is sent by nothing but what a test does."""
CHECK = """([breaksOff, isLate]) => {
  const real = window.fetch;
  window.seen = [];
  const late = isLate ? new Promise((resolve) => { window.letGo = resolve; }) : null;
  window.fetch = async (path, options) => {
    if (path.startsWith("/check/")) return real(path.replace("check", "still"), options);
    if (path !== "/api/seen") return real(path, options);
    const body = JSON.parse(options.body);
    window.seen.push([body.nonce, options.keepalive, body.stills]);
    if (breaksOff && window.seen.length === 1) throw new TypeError("Failed to fetch");
    const answer = await (await real(`/api/recordings/${body.number}`)).json();
    const [frame] = body.stills.left;
    if (window.seen.length === 1) await late;
    return Response.json({ ...answer, line: null, checks: [{ camera: "left", frame, kind: "person", outcome: "missed" }] });
  };
}"""
"""Stills that are sent are not noted, and the first one was a check."""
IS_BLACK = """(isBlack) => {
  const canvas = document.getElementById("full-canvas");
  const name = canvas.getAttribute("aria-label") ?? "";
  if (!canvas.dataset.frame || !name.includes("as released")) return false;
  const { data } = canvas.getContext("2d").getImageData(canvas.width / 2, canvas.height / 2, 1, 1);
  return (Math.max(data[0], data[1], data[2]) < 8) === isBlack;
}"""
HIDE = """(isHidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def page(come_in):
    return come_in()


def test_a_decision_is_about_the_recording_in_which_it_was_made_also_if_the_next_is_open_before_it_is_sent(page, folder):
    keyboard.next_span(page)
    keyboard.press(page, "a", "n")
    page.locator("#name", has_text="single").wait_for()
    for _ in range(PATIENCE_MS // 100):
        if facts(folder, "decided"):
            break
        page.wait_for_timeout(100)
    ((recording, camera),) = [(one["recording"], one["camera"]) for one in facts(folder, "decided")]
    assert (recording, camera) == ("pair", "left")
    # Nothing of the next one is chosen by that.
    assert page.locator("#span-text", has_text="J selects").count() == 1


def looked_and_hidden(page, *, breaks_off=False, is_late=False):
    """Look at the sheet, go on from it, and hide the page."""
    page.add_init_script(f"({NO_TIMER})()")
    page.reload()
    says(page, "is open")
    page.evaluate(CHECK, [breaks_off, is_late])
    # Who touches nothing is not there.
    keyboard.press(page, "Home")
    page.wait_for_timeout(keyboard.LONG_ENOUGH_MS)
    keyboard.press(page, "PageDown")
    page.evaluate(HIDE, True)
    page.wait_for_function("() => window.seen.length > 0")
    page.evaluate(HIDE, False)


@pytest.mark.parametrize("breaks_off", [False, True])
def test_what_came_of_a_check_is_told_also_to_a_page_that_was_hidden_before_the_answer(page, breaks_off):
    looked_and_hidden(page, breaks_off=breaks_off)
    says(page, "a check showed a person, and you went on")
    seen = page.evaluate("window.seen")
    assert [keepalive for _, keepalive, _ in seen] == [True, False][: 1 + breaks_off]
    assert len({nonce for nonce, _, _ in seen}) == 1


def test_the_true_still_of_a_check_that_is_told_when_another_recording_is_open_is_looked_at_later(page):
    looked_and_hidden(page, is_late=True)
    keyboard.press(page, "n")
    says(page, "single is open")
    page.evaluate("window.letGo()")
    says(page, "In pair a check showed what is not in the recording, and you went on")
    keyboard.press(page, "p")
    says(page, "pair is open")
    page.wait_for_timeout(keyboard.LONG_ENOUGH_MS)
    keyboard.press(page, "Space")
    page.wait_for_function("() => window.seen.length === 2")
    first, second = (stills for _, _, stills in page.evaluate("window.seen"))
    assert second == {"left": first["left"][:1]}


def test_a_preview_shows_what_was_decided_while_it_is_seen(page):
    keyboard.next_span(page)
    keyboard.press(page, "r")
    says(page, "U undoes")
    keyboard.press(page, "k", "f", "v")
    page.wait_for_function(IS_BLACK, arg=False)
    stills = []
    page.on("request", lambda asked: "/stills/" in asked.url and stills.append(asked.url))
    keyboard.press(page, "u")
    page.wait_for_function(IS_BLACK, arg=True)
    # So do the sheet and the lens behind it.
    page.wait_for_timeout(A_WHILE_MS)
    assert stills


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
    assert [one["recording"] for one in facts(folder, "excluded")] == ["single"]


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
