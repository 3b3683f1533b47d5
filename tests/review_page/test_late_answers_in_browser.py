"""Keys that come before an answer: they are about the recording that was seen, and no late answer takes back what was chosen."""

from __future__ import annotations

import pytest

import keyboard
from held_requests import Held, refuse
from keyboard import says
from page_client import facts

pytestmark = pytest.mark.slow
A_WHILE_MS, POLL_MS = 500, 2000
NO_TIMER = "() => { const every = window.setInterval; window.setInterval = (run, ms) => ms === 2000 ? 0 : every(run, ms); }"
"""What was looked at is sent by nothing but what a test does."""
CHECK = """([how, isLate]) => {
  const real = window.fetch;
  window.seen = [];
  const timeout = AbortSignal.timeout;
  AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 100);
  const late = isLate ? new Promise((resolve) => { window.letGo = resolve; }) : null;
  window.fetch = async (path, options) => {
    if (path.startsWith("/check/")) return real(path.replace("check", "still"), options);
    if (path !== "/api/seen") return real(path, options);
    const body = JSON.parse(options.body);
    window.seen.push([body.nonce, options.keepalive, body.stills]);
    const first = window.seen.length === 1 ? how : "";
    if (first === "breaks off") throw new TypeError("Failed to fetch");
    if (first === "comes again") return Response.json({ error: "the pipeline is running", again: true }, { status: 503 });
    if (first === "never comes") return new Promise((_, reject) => options.signal?.addEventListener("abort", reject));
    const answer = await (await real(`/api/recordings/${body.number}`)).json();
    const [frame] = body.stills.left;
    if (window.seen.length === 1) await late;
    const checks = [{ camera: "left", frame, kind: "person", outcome: "missed" }];
    return Response.json({ ...answer, line: null, checks, settled: [["left", frame]] });
  };
}"""
"""Stills that are sent are not noted, and the first one was a check."""
FORGOTTEN = """async () => {
  const { Watch } = await import("/static/seen.js");
  const { state } = await import("/static/state.js");
  const watch = new Watch();
  const real = window.fetch;
  const said = [];
  window.fetch = async (path, options) => {
    if (path !== "/api/seen") return real(path, options);
    const { view, stills } = JSON.parse(options.body);
    said.push([view, stills.mono]);
    if (said.length > 1) return Response.json({ recording: { summary: { number: 99 } }, checks: [] });
    watch.forget("mono", 5, 99);
    return Response.json({ error: "the pipeline is running", again: true }, { status: 503 });
  };
  for (const [view, frame] of [["sheet", 5], ["sheet", 6], ["sheet", 7], ["full", 5]]) {
    watch.passed.add({ name: `99/${view}/mono/${frame}`, number: 99, view, camera: "mono", frame, spent: 2, height: 200 });
  }
  watch.forget("mono", 7, 99);
  await watch.send();
  return [...said, state.problem ?? null];
}"""
"""What is said of stills of which one is forgotten before it is sent, and one between two tries; and of what the page complains."""
SLEPT = """async (sleptMs) => {
  const { Watch } = await import("/static/seen.js");
  const { state } = await import("/static/state.js");
  const watch = new Watch();
  const pause = () => new Promise((resolve) => setTimeout(resolve, 200));
  const real = performance.now.bind(performance);
  watch.touched = real();
  watch.show({ number: state.number, view: "full", camera: state.camera, frame: state.frame, height: 500 });
  while (!watch.largeS) await pause();
  const [looked, passed] = [watch.largeS, real()];
  performance.now = () => real() + sleptMs;
  await pause();
  return [watch.largeS - looked, (real() - passed) / 1000];
}"""
"""For how long a picture is looked at, and how much time passes, in seconds, while the clock goes on by some more."""
SETTLED = """() => {
  const real = window.fetch;
  window.fetch = async (path, options) => {
    const answer = await real(path, options);
    if (path.startsWith("/api/changes")) return Response.json({ ...(await answer.json()), changed: true });
    return /recordings.[0-9]+$/.test(path) ? Response.json({ ...(await answer.json()), settled: [["left", 0]] }) : answer;
  };
}"""
"""From now on a check was settled, of which another page was told."""
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
    keyboard.until(page, lambda: facts(folder, "decided"))
    ((recording, camera),) = [(one["recording"], one["camera"]) for one in facts(folder, "decided")]
    assert (recording, camera) == ("pair", "left")
    # Nothing of the next one is chosen by that.
    assert page.locator("#span-text", has_text="J selects").count() == 1


def looked(page):
    """Look at what is on the sheet for as long as it needs."""
    page.locator("#sheet .block.loaded").first.wait_for()
    page.locator(".looking", has_text="looked at: Space goes on").first.wait_for()


def looked_and_hidden(page, *, how="", is_late=False):
    """Look at the sheet, go on from it, and hide the page."""
    page.add_init_script(f"({NO_TIMER})()")
    page.reload()
    says(page, "is open")
    page.evaluate(CHECK, [how, is_late])
    # Who touches nothing is not there.
    keyboard.press(page, "Home")
    looked(page)
    keyboard.press(page, "PageDown")
    page.evaluate(HIDE, True)
    page.wait_for_function("() => window.seen.length > 0")
    page.evaluate(HIDE, False)


@pytest.mark.parametrize("how", ["", "breaks off", "never comes", "comes again"])
def test_what_came_of_a_check_is_told_also_to_a_page_that_was_hidden_before_the_answer(page, how):
    looked_and_hidden(page, how=how)
    says(page, "a check showed a person, and you went on")
    seen = page.evaluate("window.seen")
    assert [keepalive for _, keepalive, _ in seen] == [True, False][: 1 + bool(how)]
    assert len({nonce for nonce, _, _ in seen}) == 1


def test_the_picture_of_a_check_is_shown_in_its_own_recording_alone(page):
    pictures = Held(page, "/still/")
    looked_and_hidden(page)
    pictures.come()
    keyboard.press(page, "n")
    says(page, "single is open")
    pictures.let_go()
    page.wait_for_timeout(A_WHILE_MS)
    assert page.locator("#check-dialog[open]").count() == 0


def test_a_check_whose_picture_is_refused_is_told_with_the_reason(page):
    refuse(page, "/still/", "the file is gone")
    looked_and_hidden(page)
    says(page, "Its true still follows: look at it. What was shown cannot be shown again: the file is gone")


def test_a_page_shows_the_true_still_of_a_check_of_which_another_page_was_told_once(page):
    asked = []
    # While it opens, the sheet is laid out anew and asks again.
    page.wait_for_load_state("networkidle")
    page.on("request", lambda request: "/stills/0/left?frames=0," in request.url and asked.append(request.url))
    page.evaluate(SETTLED)
    keyboard.until(page, lambda: len(asked) >= 2)
    page.wait_for_timeout(2 * POLL_MS)
    # On the sheet, and in the lens.
    assert len(asked) == len({*asked}) == 2


def test_no_try_tells_a_look_at_what_was_forgotten_since(page):
    assert page.evaluate(FORGOTTEN) == [["sheet", [5, 6]], ["sheet", [6]], None]


def test_time_in_which_the_machine_slept_is_no_look(page):
    keyboard.press(page, "f")
    page.locator("#full-canvas[data-frame]").wait_for()
    looked_s, passed_s = page.evaluate(SLEPT, 3000)
    assert looked_s <= passed_s + 0.05
    # One that is so slow that it seems to sleep may try again.
    assert any(page.evaluate(SLEPT, 1200)[0] >= 1 for _ in range(3)), "on a machine that is slow a second counts"


def test_the_true_still_of_a_check_that_is_told_when_another_recording_is_open_is_looked_at_later(page):
    looked_and_hidden(page, is_late=True)
    # Nothing of the other one is looked at, however long it is open.
    keyboard.away(page)
    keyboard.press(page, "n")
    says(page, "single is open")
    page.evaluate("window.letGo()")
    says(page, "In pair a check showed what is not in the recording, and you went on")
    keyboard.press(page, "p")
    says(page, "pair is open")
    keyboard.back(page)
    looked(page)
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
    keyboard.until(page, lambda: stills)


@pytest.mark.parametrize(("is_gone", "says_of_it"), [(False, "not taken"), (True, "not confirmed, so see whether it stands")])
def test_a_decision_that_is_refused_is_named_and_where_a_try_had_no_answer_it_may_stand(page, is_gone, says_of_it):
    keyboard.press(page, "j")
    says(page, "Span 1")
    answers = Held(page, "/api/decide$")
    keyboard.press(page, "a")
    answers.come()
    if is_gone:
        answers.routes.pop(0).abort()
        answers.come()
    answers.routes.pop(0).fulfill(status=403, json={"error": "this address belongs to another start"})
    says(page, f"outside the body at 0:01.0: {says_of_it}: this address belongs to another start")


def exclude(page):
    keyboard.press(page, "x")
    page.locator("#reason-dialog").wait_for()
    page.keyboard.type("no consent")
    keyboard.press(page, "Enter")
    says(page, "The recording is excluded")


def drag(page):
    area = page.locator("#full-canvas").bounding_box()
    x, y = area["x"] + area["width"] / 2, area["y"] + area["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 90, y + 60, steps=4)
    page.mouse.up()


def test_while_the_next_recording_opens_nothing_is_decided_or_drawn_about_any(page, folder):
    keyboard.full_size(page, "f")
    opening = Held(page, "/api/recordings/[0-9]+$")
    keyboard.press(page, "n")
    opening.come()
    drag(page)
    says(page, "not on the screen: no rectangle", "#full-status")
    assert page.locator("#rectangle:visible, #kind-dialog[open]").count() == 0
    keyboard.press(page, "f")
    keyboard.press(page, "x")
    says(page, "still opening")
    assert page.locator("#reason-dialog[open]").count() == 0
    opening.let_go()
    says(page, "single is open")
    exclude(page)
    assert [one["recording"] for one in facts(folder, "excluded")] == ["single"]


@pytest.mark.parametrize("key", ["ArrowDown", "n"])
def test_a_rectangle_is_drawn_and_kept_on_the_picture_that_is_open_alone(page, folder, key):
    keyboard.full_size(page, "f")
    pictures = Held(page, "/still/")
    keyboard.press(page, key)
    pictures.come()
    drag(page)
    says(page, "not on the screen: no rectangle", "#full-status")
    keyboard.press(page, "b", "Enter")
    page.wait_for_timeout(A_WHILE_MS)
    assert page.locator("#kind-dialog[open]").count() == 0
    pictures.let_go()
    page.locator("#full-canvas[data-frame]").wait_for()
    keyboard.press(page, "Enter")
    page.locator("#kind-dialog[open]").wait_for()
    assert not facts(folder, "decided")


def test_a_rectangle_is_forgotten_by_esc_before_full_size_closes_and_with_a_word_by_the_other_camera(page):
    keyboard.full_size(page, "f")
    rectangle, full = page.locator("#rectangle"), page.locator("#full[open]")
    keyboard.press(page, "b", "Escape")
    assert (full.count(), rectangle.is_visible()) == (1, False)
    keyboard.press(page, "b")
    assert rectangle.is_visible()
    keyboard.press(page, "c")
    says(page, "The rectangle was of the camera left, so it is forgotten", "#full-status")
    assert (full.count(), rectangle.is_visible()) == (1, False)
    keyboard.press(page, "Escape")
    assert full.count() == 0


def test_a_study_that_is_refused_after_a_decision_is_said(page):
    troubles = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    refuse(page, "/api/study$", "this address belongs to another start")
    keyboard.press(page, "j", "a")
    says(page, "this address belongs to another start")
    page.wait_for_timeout(A_WHILE_MS)
    assert troubles == []


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
