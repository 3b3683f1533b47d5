"""Recordings that can be shown no longer, or cannot be opened, in a browser: they leave the screen, and keep nobody from others."""

from __future__ import annotations

import json
import re

import pytest

import review_study
from held_requests import wait_until_routed
from label_annotator import Annotator
from labelled_study import SINGLE
from scrubin.curate.label import people

pytestmark = pytest.mark.slow
POLL_MS = 3000
NOTHING = """() => {
  const picture = document.getElementById("picture");
  return picture.width === 1 && getComputedStyle(picture).visibility === "hidden";
}"""


def test_who_withdraws_while_their_recording_is_open_leaves_the_screen_also_while_it_plays(chromium, server, token, folder):
    ann = Annotator(chromium, server, token)
    ann.press("Space")
    ann.past(0)
    review_study.withdraw(folder, "single", id_=SINGLE)
    ann.page.locator("#status", has_text=f"{SINGLE} is no longer yours to label and is not shown any more").wait_for()
    ann.page.wait_for_function(NOTHING)
    ann.page.locator("#list button", has_text=SINGLE).wait_for(state="detached")
    ann.press("1")
    ann.page.locator("#status", has_text="Nothing is open").wait_for()
    assert not [one for one in ann.troubles if "409" not in one]


def test_who_is_shut_out_sees_no_picture_any_more_and_is_told(chromium, server, token, folder):
    ann = Annotator(chromium, server, token)
    path = folder / people.PATH
    people.shut_out(people.of_token(people.load(path), token).name, path)
    ann.page.locator("#status", has_text="your token counts no longer").wait_for()
    ann.page.wait_for_function(NOTHING)


def test_one_that_cannot_be_opened_keeps_nobody_from_those_behind_it(chromium, server, token):
    ann = Annotator(chromium, server, token)
    opened = []

    def work(route):
        answer = route.fetch()
        body = answer.json()
        one = next(one for one in body["recordings"] if one["id"] == SINGLE)
        others = [{**one, "id": id_, "closed": why} for id_, why in (("closed", "its film is another one"), ("gone", ""), ("lost", ""))]
        body["recordings"] = [others[0], one, *others[1:]]
        route.fulfill(response=answer, body=json.dumps(body))

    ann.page.route(re.compile("/api/work$"), work)
    wait_until_routed(ann.page)
    ann.page.on("request", lambda asked: opened.extend(re.findall(r"/api/recordings/([\w-]+)/proposals$", asked.url)))
    ann.page.reload()
    ann.page.locator("#status", has_text=f"{SINGLE} is open.").wait_for()
    for _ in range(2):
        ann.press("o")
        ann.page.locator("#status", has_text="not yours to label").wait_for()
        ann.press("Home")
        ann.page.evaluate("() => { document.getElementById('status').textContent = '' }")
    ann.press("o")
    ann.page.locator("#status", has_text=f"{SINGLE} is open.").wait_for()
    assert [id_ for id_ in opened if id_ != SINGLE] == ["gone", "lost"]


def refusing(page, pattern, status, error):
    page.route(re.compile(pattern), lambda route: route.fulfill(status=status, json={"error": error}))
    wait_until_routed(page)


def test_where_no_picture_of_a_recording_can_be_shown_that_is_said_and_none_of_before_stays(chromium, server, token):
    ann = Annotator(chromium, server, token)
    refusing(ann.page, "/pictures/", 410, "frame 0 cannot be decoded")
    ann.page.locator("#list button", has_text=SINGLE).click()
    ann.page.locator("#status", has_text=f"{SINGLE} is open. Its picture cannot be shown: frame 0 cannot be decoded.").wait_for()
    assert ann.page.locator("#picture").evaluate("(picture) => picture.width") == 1


def test_what_is_refused_again_and_again_is_said_once(chromium, server, token):
    ann = Annotator(chromium, server, token)
    refusing(ann.page, "/api/changes", 409, "the chain is broken")
    ann.page.locator("#status", has_text="the chain is broken").wait_for()
    ann.page.evaluate("() => { document.getElementById('status').textContent = 'something else' }")
    ann.page.wait_for_timeout(2 * POLL_MS)
    assert ann.page.locator("#status").inner_text() == "something else"
