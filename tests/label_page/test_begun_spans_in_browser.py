"""Spans of actions and quality that are begun and not ended: nothing loses them without a word, and U lets them go first."""

from __future__ import annotations

import copy
import re

import pytest

import labelled_study
import sampled_release
from held_requests import refuse
from labelled_study import PAIR, SINGLE

pytestmark = pytest.mark.slow
FIRST, FPS = sampled_release.FIRST, sampled_release.FPS


@pytest.fixture
def number(bench):
    """Of somebody who labels both recordings."""
    assigned = bench.standing().assigned
    return min(set(assigned["single"]) & set(assigned["pair"]))


@pytest.fixture
def ann(come_in, number):
    """At the layer quality, where smoke is begun at frame 20."""
    annotator = come_in(number)
    annotator.page.locator("#layers button", has_text="quality").click()
    annotator.go(FPS, "Shift+ArrowRight")
    begin(annotator)
    return annotator


def begin(ann):
    ann.press("1")
    ann.says("smoke begins at")
    begun(ann, 1)


def begun(ann, count):
    """Wait until so many spans are shown as begun."""
    ann.page.wait_for_function("(count) => document.querySelectorAll('#lanes .span.open').length === count", arg=count)


def ends_at(ann, frame):
    """End smoke by its key at a frame."""
    ann.page.locator("#layers button", has_text="quality").click()
    while ann.frame() < frame:
        now = ann.frame()
        ann.go(now + 1, "ArrowRight")
    ann.press("1")
    begun(ann, 0)
    ann.kept()


def quality_in(folder):
    """Return what stands in the ledger of the layer quality, in frames of the released video."""
    standing = labelled_study.opened(folder).standing()
    found = [standing.of(about, person).spans("quality") for about, person in standing.labels]
    return [(span.first - FIRST, span.end - FIRST, span.label) for spans in found for span in spans]


def test_a_begun_span_is_there_after_another_recording_and_says_where_it_waits(ann, folder):
    ann.page.locator("#list button", has_text=PAIR).click()
    ann.says(f"{PAIR} is open. Begun and not ended in {SINGLE}: smoke.")
    begun(ann, 0)
    ann.page.locator("#list button", has_text=SINGLE).click()
    ann.says(f"{SINGLE} is open. Begun and not ended here: smoke.")
    begun(ann, 1)
    ann.go(FPS, "Shift+ArrowRight")
    ends_at(ann, FPS + 2)
    assert quality_in(folder) == [(FPS, FPS + 3, "smoke")]


def test_the_browser_asks_before_a_begun_span_is_left_and_a_reload_keeps_it(ann, folder):
    asked = []
    ann.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    assert ann.page.get_attribute("body", "data-kept") == "no"
    ann.page.reload()
    assert asked == ["beforeunload"]
    begun_or_open(ann)
    ann.go(2 * FPS, "Shift+ArrowRight", "Shift+ArrowRight")
    ends_at(ann, 2 * FPS)
    assert quality_in(folder) == [(FPS, 2 * FPS + 1, "smoke")]
    ann.page.reload()
    assert asked == ["beforeunload"]


def begun_or_open(ann):
    """Wait until the page has opened a recording again, and go to the one whose span is begun."""
    ann.says("is open.")
    if ann.page.inner_text("#name") != SINGLE:
        ann.page.locator("#list button", has_text=SINGLE).click()
        ann.says(f"{SINGLE} is open.")
    begun(ann, 1)


def test_an_action_that_is_begun_has_its_key_again_after_a_reload(ann):
    ann.press("u")
    begun(ann, 0)
    ann.page.locator("#layers button", has_text="actions").click()
    ann.press("a")
    ann.page.keyboard.type("hook, dissect, gallbladder")
    ann.press("Enter")
    ann.says("hook, dissect, gallbladder begins")
    ann.page.reload()
    begun_or_open(ann)
    ann.page.locator("#layers button", has_text="actions").click()
    ann.page.locator("#panel .label-name", has_text="hook, dissect, gallbladder").wait_for()
    ann.press("1")
    begun(ann, 0)
    ann.kept()


def type_action(ann, text):
    ann.press("a")
    ann.page.keyboard.type(text)
    ann.press("Enter")


def test_a_mistyped_action_is_refused_before_it_begins_with_the_near_miss(ann):
    ann.page.locator("#layers button", has_text="actions").click()
    type_action(ann, "hook, dissect, galbladder")
    ann.says(re.compile("'galbladder'.*gallbladder"))
    type_action(ann, "hook, dissect")
    ann.says("an action is instrument, verb and target")
    begun(ann, 1)  # smoke
    assert ann.page.locator("#panel .label-name").count() == 0
    # Any known spelling is the same action.
    type_action(ann, "Hook, Dissect, gallbladder")
    ann.says("hook, dissect, gallbladder begins at")
    begun(ann, 2)
    ann.troubles[:] = [one for one in ann.troubles if "409" not in one]


def test_what_is_begun_stays_so_when_its_end_is_refused(ann, folder):
    refuse(ann.page, "/api/label$", "not now")
    ann.go(FPS + 1, "ArrowRight")
    ann.press("1")
    ann.says("not now")
    begun(ann, 1)
    ann.page.route("**/api/label", lambda route: route.continue_())
    ends_at(ann, FPS + 2)
    assert quality_in(folder) == [(FPS, FPS + 3, "smoke")]
    ann.troubles[:] = [one for one in ann.troubles if "409" not in one]


def test_what_was_begun_before_a_tab_was_duplicated_is_ended_in_both_by_either(ann, folder):
    with ann.page.context.expect_page() as opened:
        ann.page.evaluate("() => void window.open(location.href)")
    other = copy.copy(ann)
    other.page = opened.value
    begun_or_open(other)
    ends_at(ann, FPS + 2)
    begun(other, 0)
    other.page.locator("#layers button", has_text="quality").click()
    begin(other)
    assert quality_in(folder) == [(FPS, FPS + 3, "smoke")]


def test_what_was_begun_in_another_cut_of_the_film_is_let_go_with_a_word(ann):
    ann.page.evaluate("() => sessionStorage.setItem('begun', sessionStorage.getItem('begun').replace(/.film.:.\\w+./, '\"film\":\"0\"'))")
    ann.page.reload()
    ann.says("is open.")
    if ann.page.inner_text("#name") != SINGLE:
        ann.page.locator("#list button", has_text=SINGLE).click()
    ann.says(f"{SINGLE} is open. Its film is cut otherwise than before: smoke is no longer begun.")
    begun(ann, 0)
    ann.kept()


def test_a_tab_of_another_cut_labels_nothing_and_opens_the_film_anew(ann, folder):
    """As where the recording was released with another trim and the server started again, while the tab stayed open."""

    def otherwise(route):
        answer = route.fetch()
        body = answer.json()
        route.fulfill(response=answer, json={**body, "film": "0" * 16} if "film" in body else body)

    ann.page.route(f"**/api/recordings/{SINGLE}", otherwise)
    ann.page.evaluate("() => { window.isOldTab = true; }")
    ann.page.evaluate("() => import('/static/store.js').then(({ store }) => { store.view.film = 'f'.repeat(16); })")
    ann.go(FPS + 1, "ArrowRight")
    ann.press("1")
    ann.page.wait_for_function("() => window.isOldTab === undefined")
    ann.says("Its film is cut otherwise than before: smoke is no longer begun.")
    assert quality_in(folder) == []
    ann.troubles[:] = [one for one in ann.troubles if "409" not in one]


def test_an_address_of_the_same_recording_keeps_a_begun_span(ann, folder):
    ann.page.evaluate(f"location.hash = '#{SINGLE}/45'")
    ann.at(45)
    ann.says("is open.")
    begun(ann, 1)
    ends_at(ann, 45)
    assert quality_in(folder) == [(FPS, 46, "smoke")]


def test_done_with_a_begun_span_says_so_first_and_lists_it(ann, bench, number):
    ann.page.locator("#findings button", has_text="smoke is begun and not ended").wait_for()
    listed = ann.page.locator("#findings li").count()
    assert ann.page.inner_text("#findings h2").startswith(f"{listed} to look at")
    ann.go(FPS + 1, "ArrowRight")
    ann.press("d")
    ann.says("Not done yet: smoke is begun and not ended.")
    # Its key ends it where the person is, so that nothing goes away from there.
    ann.at(FPS + 1)
    ann.press("d")
    ann.says("Not done yet: nothing is rated yet")
    assert "single" not in bench.standing().done.get(number, set())
    ann.press("d")
    ann.says(f"You are done with it; {listed} things still look wrong")
    assert "single" in bench.standing().done[number]
    ann.press("n")
    ann.says("smoke is begun and not ended")
    ann.at(FPS)


def test_an_undo_lets_a_begun_span_go_before_it_takes_back_what_is_saved_and_says_what_it_did(ann, folder):
    ann.go(FPS + 1, "ArrowRight")
    ends_at(ann, FPS + 1)
    saved = [(FPS, FPS + 2, "smoke")]
    assert quality_in(folder) == saved
    begin(ann)
    ann.press("u")
    ann.says(re.compile(r"smoke, begun at 0:01\.\d+, is let go; nothing that is kept was taken back"))
    begun(ann, 0)
    ann.kept()
    assert quality_in(folder) == saved
    ann.press("u")
    ann.says("The last change is taken back.")
    assert quality_in(folder) == []
    ann.press("u")
    ann.says("There is nothing to take back")


def test_the_button_of_an_undo_lets_go_what_is_begun_where_nothing_is_kept(ann):
    ann.page.locator("#undo:enabled").click()
    ann.says("is let go")
    begun(ann, 0)
    ann.page.locator("#undo:disabled").wait_for()


def test_after_done_an_undo_says_that_done_stays(ann, bench, number):
    ends_at(ann, FPS)
    ann.press("d", "d")
    ann.says("You are done with it")
    ann.press("u")
    ann.says("The last change is taken back. You are still done with this recording; D takes that back.")
    ann.press("u")
    ann.says("There is nothing to take back. You are still done with this recording; D takes that back.")
    assert "single" in bench.standing().done[number]
