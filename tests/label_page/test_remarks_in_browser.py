"""Remarks of ratings, which are typed: each is kept, of its recording, or the page says so; also beside other tabs of one person."""

from __future__ import annotations

import pytest

import labelled_study
from held_requests import Held
from labelled_study import PAIR

pytestmark = pytest.mark.slow
REMARK = "#panel input[type=text]"
A_WHILE_MS = 500


@pytest.fixture
def number(bench):
    """Of somebody who labels both recordings."""
    assigned = bench.standing().assigned
    return min(set(assigned["single"]) & set(assigned["pair"]))


def sheets(folder):
    """Return by recording the remark and the scores that stand."""
    labels = labelled_study.opened(folder).standing().labels
    return {about.recording: (sheet.remark, dict(sheet.scores)) for (about, _), of in labels.items() if (sheet := of.sheet())}


def score(ann, aspect, points):
    ann.page.locator(f"#panel input[name={aspect}][value='{points}']").click()


@pytest.fixture
def rating(ann):
    ann.page.locator("#layers button", has_text="ratings").click()
    ann.page.locator("#panel form.sheet").wait_for()
    return ann


@pytest.fixture
def typing(rating):
    """Somebody who types a remark, and is still in its field."""
    rating.page.locator(REMARK).click()
    rating.page.keyboard.type("of single")
    return rating


def test_a_remark_is_of_the_recording_of_whose_it_was_typed_whenever_the_mouse_is_let_go(typing, folder):
    typing.page.locator("#name").hover()
    typing.page.mouse.down(button="right")
    typing.press("o")
    typing.says(f"{PAIR} is open.")
    typing.page.mouse.up(button="right")
    typing.page.wait_for_timeout(A_WHILE_MS)
    typing.kept()
    assert sheets(folder) == {"single": ("of single", {})}


def test_a_remark_is_kept_by_whoever_opens_another_recording(typing, folder):
    typing.page.locator("#list button", has_text=PAIR).click()
    typing.says(f"{PAIR} is open.")
    typing.kept()
    assert sheets(folder) == {"single": ("of single", {})}
    assert typing.page.input_value(REMARK) == ""


def test_an_undo_by_mouse_takes_back_the_remark_which_was_said_last(rating, folder):
    score(rating, "efficiency", 3)
    rating.kept()
    rating.page.locator(REMARK).click()
    rating.page.keyboard.type("of single")
    rating.page.locator("#undo").click()
    rating.says("The last change is taken back.")
    rating.kept()
    assert sheets(folder) == {"single": ("", {"efficiency": 3})}
    assert rating.page.input_value(REMARK) == ""


def test_a_mark_that_is_clicked_out_of_the_remark_is_kept_with_it(typing, folder):
    score(typing, "efficiency", 3)
    typing.page.wait_for_selector("#panel input[name=efficiency][value='3']:checked")
    typing.kept()
    assert sheets(folder) == {"single": ("of single", {"efficiency": 3})}


def test_the_browser_asks_before_a_page_is_closed_whose_remark_is_still_typed(typing):
    asked = []
    typing.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    typing.page.close(run_before_unload=True)
    typing.page.wait_for_timeout(A_WHILE_MS)
    assert asked == ["beforeunload"]
    typing.press("Enter")
    typing.kept()
    typing.page.close(run_before_unload=True)
    assert asked == ["beforeunload"]


@pytest.fixture
def another_tab(come_in, number):
    """Let another tab of the same person come in, which does not see by itself what the first one says."""
    others = []

    def another_tab():
        others.append(come_in(number))
        others[-1].page.route("**/api/changes*", lambda route: route.abort())
        return others[-1]

    yield another_tab
    for other in others:
        other.troubles[:] = [one for one in other.troubles if "Failed to load resource" not in one]


@pytest.fixture
def tab(rating, another_tab):
    other = another_tab()
    other.page.locator("#layers button", has_text="ratings").click()
    return other


def test_two_tabs_of_a_person_rate_together(rating, tab, folder):
    score(rating, "efficiency", 3)
    rating.kept()
    score(tab, "depth_perception", 4)
    tab.page.wait_for_selector("#panel input[name=efficiency][value='3']:checked")
    tab.kept()
    assert sheets(folder) == {"single": ("", {"efficiency": 3, "depth_perception": 4})}


def test_of_two_remarks_of_one_person_the_second_stays_typed_until_they_have_seen_the_first(typing, tab, folder):
    typing.press("Enter")
    typing.kept()
    tab.page.locator(REMARK).click()
    tab.page.keyboard.type("of another tab")
    score(tab, "efficiency", 3)
    tab.page.locator("#panel", has_text="kept is: of single").wait_for()
    assert tab.page.input_value(REMARK) == "of another tab"
    assert tab.page.get_attribute("body", "data-kept") == "no"
    assert sheets(folder)["single"][0] == "of single"
    tab.page.locator(REMARK).focus()
    tab.press("Tab")
    tab.kept()
    assert sheets(folder)["single"][0] == "of another tab"


def test_what_another_tab_said_is_not_taken_back_before_it_is_seen(ann, another_tab):
    tab = another_tab()
    ann.press("1")
    ann.written(1)
    tab.press("u")
    tab.says("another page of yours changed this recording after what you see here, so nothing was taken back")
    tab.written(1)
    tab.press("u")
    tab.says("The last change is taken back.")


def test_an_edge_that_another_tab_moved_is_not_moved_back(ann, another_tab, folder):
    ann.press("1")
    ann.written(1)
    tab = another_tab()
    for one in (ann, tab):
        one.page.locator(".lane:first-child .span").click()
        one.selected("preparation")
    ann.press("Home")
    ann.go(20, "Shift+ArrowRight")
    ann.press("[")
    ann.selected("frames 20 to")
    ann.kept()
    tab.press("Home")
    tab.go(20, "Shift+ArrowRight")
    tab.go(40, "Shift+ArrowRight")
    tab.press("]")
    tab.says("another page of yours changed this")
    tab.selected("frames 20 to")
    tab.press("]")
    tab.selected("frames 20 to 40")
    tab.kept()
    (of,) = labelled_study.opened(folder).standing().labels.values()
    assert [span.end - span.first for span in of.spans("phases")] == [21]


def test_a_click_is_not_lost_where_an_answer_comes_before_the_mouse_is_let_go(rating, folder):
    held = Held(rating.page, "/api/label$")
    score(rating, "efficiency", 3)
    held.come()
    rating.page.locator("#panel input[name=depth_perception][value='4']").hover()
    rating.page.mouse.down()
    held.let_go()
    rating.page.wait_for_timeout(A_WHILE_MS)
    rating.page.mouse.up()
    rating.page.wait_for_selector("#panel input[name=depth_perception][value='4']:checked")
    rating.kept()
    assert sheets(folder) == {"single": ("", {"efficiency": 3, "depth_perception": 4})}


@pytest.fixture
def leaving(rating):
    """Somebody who gave a score, and opens another recording, which takes its time: what waits."""
    score(rating, "efficiency", 2)
    rating.kept()
    held = Held(rating.page, f"/api/recordings/{PAIR}$")
    rating.page.locator("#list button", has_text=PAIR).click()
    held.come()
    return held


def opened(ann, held):
    held.let_go()
    ann.says(f"{PAIR} is open.")


def test_a_score_that_is_given_while_another_recording_opens_is_of_none(rating, leaving, folder):
    score(rating, "efficiency", 4)
    rating.says("The recording is still opening: nothing was labelled.")
    assert rating.page.is_checked("#panel input[name=efficiency][value='2']")
    opened(rating, leaving)
    rating.kept()
    assert sheets(folder) == {"single": ("", {"efficiency": 2})}


@pytest.mark.parametrize(("layer", "what"), [("ratings", "input[name=efficiency][value='4']"), ("phases", "button")])
def test_a_click_is_of_no_recording_where_another_one_opens_before_the_mouse_is_let_go(ann, folder, layer, what):
    ann.page.locator("#layers button", has_text=layer).click()
    held = Held(ann.page, f"/api/recordings/{PAIR}$")
    ann.page.locator(f"#panel {what}").first.hover()
    ann.press("o")
    held.come()
    ann.page.mouse.down()
    opened(ann, held)
    ann.page.mouse.up()
    ann.says("Another recording has opened since you pressed: nothing was labelled.")
    ann.page.wait_for_timeout(A_WHILE_MS)
    ann.kept()
    assert not labelled_study.opened(folder).standing().labels


@pytest.mark.parametrize("early", ["", "pair is ", "one\n"])
def test_a_remark_that_is_typed_while_another_recording_opens_is_never_of_the_one_that_was_left(rating, leaving, folder, early):
    rating.page.locator(REMARK).click()
    rating.page.keyboard.type(early)
    opened(rating, leaving)
    rating.page.keyboard.type("blurred")
    rating.press("Enter")
    rating.kept()
    score(rating, "efficiency", 4)
    rating.kept()
    assert sheets(folder) == {"single": ("", {"efficiency": 2}), "pair": ("blurred", {"efficiency": 4})}


@pytest.mark.parametrize(("undos", "stands"), [(1, ("of single", {"efficiency": 4})), (2, ("", {"efficiency": 4}))])
def test_what_is_rated_before_an_undo_is_answered_rests_on_its_answer_and_is_undone_after_it(rating, folder, undos, stands):
    score(rating, "efficiency", 3)
    rating.kept()
    undo = Held(rating.page, "/api/undo$")
    rating.page.locator("#undo").click()
    undo.come()
    score(rating, "efficiency", 4)
    rating.page.locator(REMARK).click()
    rating.page.keyboard.type("of single")
    for _ in range(1, undos):
        rating.page.locator("#undo").click()
    rating.page.locator("#list button", has_text=PAIR).click()
    opened(rating, undo)
    rating.kept()
    assert sheets(folder) == {"single": stands}
