"""Pictures that cannot be shown, and answers that break off or never come, in a real browser: each is told, and there is a way on."""

from __future__ import annotations

import re

import pytest

import keyboard
import review_study
from held_requests import Held, wait_until_routed
from keyboard import says
from page_client import spans

pytestmark = pytest.mark.slow
STILLS = re.compile("/stills/")
POLL_MS = 2000
SOON_LATE = """() => {
  const wait = window.setTimeout;
  window.setTimeout = (run, ms, ...more) => wait(run, ms === 60_000 ? ms / 20 : ms, ...more);
}"""


@pytest.fixture
def page(come_in, folder):
    """The single recording, with one span of the frames 10 to 14."""
    review_study.propose(folder, [review_study.proposal("single", "mono", 10, 14)])
    return come_in("--at", "single:0")


def routed(page, answer):
    page.route(STILLS, answer)
    wait_until_routed(page)
    page.reload()
    page.locator("#todo li").first.wait_for()


@pytest.mark.parametrize("gone", [["7"], None])
def test_a_span_whose_lens_cannot_be_shown_says_which_frame_and_why_at_once_and_is_decided_at_full_size(page, folder, gone):
    reason = "the file is missing; put it there" if gone is None else "it cannot be decoded"

    def answer(route):
        frames = re.search(r"frames=([\d,]+)", route.request.url)[1].split(",")
        if gone is None or set(gone) & set(frames):
            route.fulfill(status=410, json={"error": reason})
        else:
            route.continue_()

    routed(page, answer)
    keyboard.opened(page)
    keyboard.press(page, "j")
    page.locator("#lens .cell.failed").first.wait_for()
    keyboard.press(page, "r")
    first, mend = ("7", "F shows") if gone else ("5", "nor can those beside it")
    says(page, f"not taken, for frame {first} cannot be shown: {reason}; {mend}")
    assert spans(folder) == []
    if gone:
        keyboard.full_size(page, "f")
        keyboard.press(page, "r")
        page.locator("#full-status", has_text="shown. U undoes").wait_for()
        assert spans(folder) == [("reject", 10, 14)]


def test_a_picture_that_arrives_broken_is_asked_for_again_and_the_page_says_so(page):
    asked, held, is_said = [], [], []

    def answer(route):
        asked.append(route.request.url)
        if len(asked) == 1:
            route.fulfill(status=200, content_type="image/jpeg", body=b"\xff\xd8\xff")
        elif route.request.url == asked[0] and not is_said:
            held.append(route)  # once it is answered, the page says nothing any more
        else:
            route.continue_()

    routed(page, answer)
    page.locator("#banner", has_text="not to the end; trying again").wait_for()
    is_said.append(True)
    for route in held:
        route.continue_()
    page.wait_for_function("() => [...document.querySelectorAll('#sheet .block')].every((one) => one.classList.contains('loaded'))")
    page.locator("#banner").wait_for(state="hidden")
    assert asked.count(asked[0]) > 1


def test_what_is_never_answered_is_said_again_and_written_once(page, folder):
    keyboard.next_span(page)
    held = Held(page, "/api/decide$")
    page.evaluate(SOON_LATE)
    keyboard.press(page, "a")
    held.come()
    # It is written, but the answer is lost.
    held.routes[0].fetch()
    page.locator("#banner", has_text="The server does not answer").wait_for()
    held.come(2)
    held.let_go()
    says(page, "hidden. U undoes")
    assert spans(folder) == [("accept", 10, 14)]


PROBE = """async (answers) => {
  const { get } = await import("/static/api.js");
  const [wait, began] = [window.setTimeout, performance.now()];
  window.setTimeout = (run, ms, ...more) => wait(run, ms >= 60_000 ? ms / 100 : ms, ...more);
  const never = new Promise((resolve) => wait(resolve, 20_000, "never"));
  window.fetch = (path, { signal } = {}) => new Promise((resolve, reject) => {
    if (!path.includes("probe")) return;
    const { afterMs, status } = answers.length > 1 ? answers.shift() : answers[0];
    if (!status) reject(new TypeError("Failed to fetch"));
    wait(() => resolve(Response.json({ error: "no" }, { status })), afterMs);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  const said = await Promise.race([get("/api/changes?head=probe").then(() => "answered", (error) => error.message), never]);
  return [said, document.getElementById("banner").hidden];
}"""
"""What comes of a request in which all other requests wait, and a minute is 0.6 s; and whether no trouble is told any more."""


def test_a_server_that_always_takes_longer_than_a_minute_is_waited_for(page):
    assert page.evaluate(PROBE, [{"afterMs": 1000, "status": 200}]) == ["answered", True]


def test_a_server_that_answers_again_is_not_said_to_be_silent_though_it_refuses(page):
    assert page.evaluate(PROBE, [{"afterMs": 0, "status": 0}, {"afterMs": 0, "status": 403}]) == ["no", True]


def test_what_is_answered_does_not_hide_that_another_answer_is_still_missing(page):
    waiting = """async () => {
      const { get } = await import("/static/api.js");
      window.fetch = async (path) => {
        if (path.includes("lost")) throw new TypeError("Failed to fetch");
        return Response.json({});
      };
      const giveUp = new AbortController();
      const lost = get("/api/changes?lost", giveUp.signal).catch(() => {});
      const banner = document.getElementById("banner");
      while (banner.hidden) await new Promise((resolve) => setTimeout(resolve, 10));
      await get("/api/changes?answered");
      const whileOneWaits = banner.hidden;
      giveUp.abort();
      await lost;
      return [whileOneWaits, banner.hidden];
    }"""
    assert page.evaluate(waiting) == [False, True]


REFRESHED = """async () => {
  const { Block } = await import("/static/cells.js");
  const coloured = async (colour) => {
    const canvas = new OffscreenCanvas(100, 50);
    const context = canvas.getContext("2d");
    context.fillStyle = colour;
    context.fillRect(0, 0, 100, 50);
    return new Response(await canvas.convertToBlob({ type: "image/png" }));
  };
  const asked = [];
  const pause = () => new Promise((resolve) => setTimeout(resolve, 300));
  window.fetch = (path) => new Promise((resolve) => path.includes("/stills/99/") && asked.push(resolve));
  const cells = [{ stills: [{ camera: "mono", frame: 5 }], label: "5" }];
  const block = new Block({ number: 99, cells, columns: 1, width: 100, height: 50, view: "lens", hides: () => [] });
  block.load();
  await pause();
  block.refresh("mono", 5);
  await pause();
  asked[1](await coloured("#0000ff"));
  while (!block.loaded) await pause();
  asked[0](await coloured("#ff0000"));
  await pause();
  return [[...block.canvas.getContext("2d").getImageData(50, 25, 1, 1).data], block.loaded];
}"""


def test_a_picture_that_is_asked_for_anew_is_not_overdrawn_by_the_one_before_which_comes_late(page):
    assert page.evaluate(REFRESHED) == [[0, 0, 255, 255], True]


def test_at_full_size_nothing_of_the_frame_before_stays_where_one_cannot_be_shown(page):
    page.route(re.compile("/still/1/mono/11[?]"), lambda route: route.fulfill(status=410, json={"error": "it cannot be decoded"}))
    wait_until_routed(page)
    keyboard.full_size(page, "j", "f", frame=10)
    keyboard.press(page, "ArrowRight")
    page.locator("#full-text", has_text="it cannot be decoded").wait_for()
    is_empty = "(canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.every((value) => value === 0)"
    assert page.locator("#full-canvas:not([data-frame])").evaluate(is_empty)


def test_what_is_refused_again_and_again_is_said_once(page):
    page.route(re.compile("/api/changes"), lambda route: route.fulfill(status=409, json={"error": "the chain is broken"}))
    wait_until_routed(page)
    says(page, "the chain is broken")
    keyboard.press(page, "j")
    says(page, "Span 1")
    page.wait_for_timeout(2 * POLL_MS)
    says(page, "Span 1")
    assert page.locator("#status", has_text="the chain is broken").count() == 0
