"""The label page as an annotator uses it, in a real browser: keys while it plays, what is written of it, kills in the middle."""

from __future__ import annotations

import json
import re
import time

import pytest

import axe
import browser
import labelled_study
import sampled_release
from label_annotator import PATIENCE_MS, Annotator
from label_server import served
from labelled_study import SINGLE
from scrubin.curate.label import events

pytestmark = pytest.mark.slow
KILLS = 4
ENOUGH = 40
FIRST = sampled_release.FIRST


def spans_in(folder, layer="phases"):
    """Return what stands in the ledger of the only annotator who said anything."""
    bench = labelled_study.opened(folder)
    (person,) = {person for _, person in bench.standing().labels}
    about = next(about for about, _ in bench.standing().labels)
    return [(span.first, span.end, span.label) for span in bench.standing().of(about, person).spans(layer)]


def test_phases_are_labelled_by_key_step_by_step_and_while_it_plays(ann, folder):
    ann.press("1")
    ann.written(1)
    ann.go(3, "ArrowRight", "ArrowRight", "ArrowRight")
    ann.go(3 + sampled_release.FPS, "Shift+ArrowRight")
    ann.press("2")
    ann.written(2)
    ann.press("Space")
    ann.page.wait_for_selector("#play[aria-pressed=true]")
    # By the frames that are shown: a busy machine plays slowly.
    ann.past(3 + sampled_release.FPS)
    ann.press("3")
    ann.written(3)
    ann.press("Space")
    said = re.search(r"From (\d+):(\d+\.\d+) on", ann.page.inner_text("#status"))
    ann.kept()
    change = spans_in(folder)[2][0]
    assert abs(60 * int(said[1]) + float(said[2]) - (change - FIRST) / sampled_release.FPS) < 0.01
    frames = 3 + sampled_release.FPS
    assert spans_in(folder)[:2] == [(FIRST, FIRST + frames, "preparation"), (FIRST + frames, change, "calot-triangle-dissection")]
    assert spans_in(folder)[2][1] == FIRST + sampled_release.SINGLE_FRAMES
    ann.press("u", "u")
    ann.page.wait_for_selector(".lane:first-child .track:not(:has(.span:nth-child(2)))")
    ann.kept()
    assert spans_in(folder) == [(FIRST, FIRST + sampled_release.SINGLE_FRAMES, "preparation")]


def test_edges_move_spans_split_and_merge_and_an_action_is_opened_and_ended(ann, folder):
    ann.press("1")
    ann.written(1)
    ann.go(20, "Shift+ArrowRight")
    ann.press("2")
    ann.written(2)
    ann.go(22, "ArrowRight", "ArrowRight")
    # The selected second phase starts later, and the first gives way.
    ann.press("[")
    ann.selected("frames 22 to")
    ann.kept()
    assert [span[:2] for span in spans_in(folder)] == [(FIRST, FIRST + 22), (FIRST + 22, FIRST + 320)]
    ann.go(42, "Shift+ArrowRight")
    ann.press("s")
    ann.written(3)
    ann.press("m")
    ann.page.wait_for_selector(".lane:first-child .track:not(:has(.span:nth-child(3)))")
    ann.press("l", "a")
    ann.page.keyboard.type("grasper, grasp, gallbladder")
    ann.go(43, "Enter", "ArrowRight")
    ann.press("1")
    ann.page.wait_for_selector(".lane:nth-child(2) .span:not(.open)")
    ann.kept()
    assert spans_in(folder, "actions") == [(FIRST + 42, FIRST + 44, "grasper")]


def test_an_edge_is_drawn_in_the_lanes_and_a_click_on_a_label_only_chooses_it(ann, folder):
    ann.press("1")
    ann.written(1)
    ann.go(60, "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
    ann.press("2")
    ann.written(2)
    first = ann.page.locator(".lane:first-child .span").first
    first.click(position={"x": 30, "y": 10})
    ann.selected("preparation")
    box = first.bounding_box()
    ann.kept()
    assert [span[:2] for span in spans_in(folder)] == [(FIRST, FIRST + 60), (FIRST + 60, FIRST + 320)]
    ann.page.mouse.move(box["x"] + box["width"] - 3, box["y"] + 8)
    ann.page.mouse.down()
    ann.page.mouse.move(box["x"] + 2 * box["width"], box["y"] + 8, steps=5)
    ann.page.mouse.up()
    ann.selected(re.compile("frames 0 to 1[12]"))
    ann.kept()
    drawn = [span[:2] for span in spans_in(folder)]
    assert drawn[0][1] == drawn[1][0]
    assert abs(drawn[0][1] - FIRST - 120) <= 1


def test_an_edge_is_drawn_by_a_finger_and_not_by_one_that_is_taken_away_nor_by_the_right_button(come_in, number, folder):
    ann = come_in(number, has_touch=True)
    ann.press("1")
    ann.written(1)
    ann.go(60, "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
    ann.press("2")
    ann.written(2)
    before = spans_in(folder)
    box = ann.page.locator(".lane:first-child .span").nth(1).bounding_box()
    edge, there = ((box["x"] + x, box["y"] + 8) for x in (3, 63))
    for release in ("right", "left"):
        # Where a menu takes the release of the right button, the next one is of the left.
        ann.page.mouse.move(*edge)
        ann.page.mouse.down(button="right")
        ann.page.mouse.move(*there)
        ann.page.mouse.up(button=release)
    fingers = browser.fingers(ann.page)
    fingers("touchStart", edge)
    fingers("touchMove", there)
    fingers("touchCancel")
    ann.page.locator("#about").tap()
    fingers("touchStart", edge)
    for share in (0.3, 0.6, 1):
        fingers("touchMove", (edge[0] + share * 60, edge[1]))
    fingers("touchEnd")
    ann.says(re.compile("calot-triangle-dissection starts at frame (7|8)"))
    ann.kept()
    assert spans_in(folder)[1][0] > FIRST + 70
    # It was the only change.
    ann.press("u")
    ann.says("is taken back")
    assert spans_in(folder) == before


def test_r_is_the_last_label_of_the_layer_that_is_open_and_rates_nothing(ann, folder):
    ann.press("1")
    ann.written(1)
    ann.page.click("#layers [data-key=quality]")
    ann.press("2")
    ann.says("begins at")
    ann.page.click("#layers [data-key=ratings]")
    ann.press("r")
    ann.page.click("#layers [data-key=phases]")
    ann.press("r")
    ann.says("It is preparation here already")
    ann.page.click("#layers [data-key=quality]")
    ann.go(1, "ArrowRight")
    ann.press("r")
    # Nothing is begun any more, in no layer.
    ann.kept()
    assert [len(spans_in(folder, layer)) for layer in ("phases", "quality")] == [1, 1]


def test_after_a_click_on_a_rating_the_keys_are_the_players_again(ann, folder):
    ann.page.locator("#layers button", has_text="ratings").click()
    ann.page.locator("#panel input[name=efficiency][value='3']").click()
    ann.page.wait_for_selector("#panel input[name=efficiency][value='3']:checked")
    # The answer draws the sheet anew.
    ann.kept()
    # On a busy machine keys come before what was to be done at once.
    ann.page.evaluate("() => { const later = setTimeout; window.setTimeout = (run, ms) => (ms ? later(run, ms) : 0); }")
    ann.page.locator("#panel label", has_text="4").first.click()
    ann.go(2, "ArrowRight", "ArrowRight")
    ann.kept()
    bench = labelled_study.opened(folder)
    (about,) = {about for about, _ in bench.standing().labels}
    assert bench.standing().of(about, bench.standing().assigned["single"][0]).sheet().scores == {"efficiency": 3, "depth_perception": 4}


def plays(ann, *, does=True):
    ann.press("Space")
    ann.page.wait_for_selector(f"#play[aria-pressed={str(does).lower()}]")


def test_after_a_click_on_a_button_space_plays_and_repeats_nothing(ann, folder):
    ann.press("1")
    ann.written(1)
    ann.go(20, "Shift+ArrowRight")
    ann.press("2")
    ann.written(2)
    ann.go(22, "ArrowRight", "ArrowRight")
    ann.page.locator("#selected-buttons [data-do=start]").click()
    ann.says("calot-triangle-dissection starts at frame 22, 0:01.10.")
    ann.go(24, "ArrowRight", "ArrowRight")
    plays(ann)
    plays(ann, does=False)
    ann.kept()
    moved = [(FIRST, FIRST + 22), (FIRST + 22, FIRST + 320)]
    assert [span[:2] for span in spans_in(folder)] == moved
    ann.page.locator("#undo").click()
    ann.says("The last change is taken back")
    plays(ann)
    ann.kept()
    assert [span[:2] for span in spans_in(folder)] == [(FIRST, FIRST + 20), (FIRST + 20, FIRST + 320)]


FOCUSED = "() => document.activeElement.dataset.key"


def test_who_came_to_a_mark_or_a_name_by_keys_stays_there_when_it_is_drawn_anew(ann, folder):
    ann.page.locator("#layers button", has_text="ratings").focus()
    ann.press("Enter")
    assert ann.page.evaluate(FOCUSED) == "ratings"
    failed = ann.page.locator("#panel label", has_text="failed").locator("input")
    failed.focus()
    for is_marked in (True, False):
        ann.press("Space")
        ann.page.wait_for_function("(on) => document.querySelector('[data-key^=failed]').checked === on", arg=is_marked)
        ann.kept()
        assert failed.evaluate("(one) => one === document.activeElement")
    remark = ann.page.locator("#panel input[type=text]")
    for text, keys, then in (
        ("slow", ["Enter", "Tab"], "finding"),
        ("slower", ["Tab"], "finding"),
        ("slowest", ["Shift+Tab"], "object dropped"),
    ):
        remark.fill(text)
        ann.press(*keys)
        ann.kept()
        assert then in ann.page.evaluate("() => `${document.activeElement.className} ${document.activeElement.dataset.key}`")
        assert remark.input_value() == text
    # Nor does a remark that is kept take what is pressed by mouse meanwhile from under it.
    remark.fill("as slow")
    point = ann.page.locator("#panel input[type=radio]").nth(1)
    point.hover()
    ann.page.mouse.down()
    ann.page.wait_for_timeout(150)
    ann.page.mouse.up()
    ann.page.wait_for_function("() => document.querySelectorAll('#panel input[type=radio]')[1].checked")
    ann.kept()
    assert point.is_checked()
    assert remark.input_value() == "as slow"
    ann.page.locator("#layers button", has_text="phases").click()
    ann.page.locator("#panel button", has_text="preparation").focus()
    ann.press("Enter")
    ann.written(1)
    assert ann.page.evaluate(FOCUSED) == "preparation"
    assert ann.page.get_attribute("#play", "aria-pressed") == "false"


PRESS = "(on) => document.body.dispatchEvent(new KeyboardEvent('keydown', { ...on, bubbles: true, cancelable: true }))"


def test_keys_of_other_scripts_are_those_of_their_places(ann, folder):
    # A digit is the number that it says: Thai ones lie on other keys.
    taken_back = ("г", "KeyU")
    digits = [
        ("۱", "Digit1"),
        ("๑", "Digit2"),
        ("١", "Numpad1"),
        ("\U0001e951", "Digit1"),
        ("𝟣", "Digit4"),
        ("ๅ", "Digit1"),
        ("1", "Digit1"),
    ]
    for name, code in [key for digit in digits for key in (digit, taken_back)][:-1]:
        ann.page.evaluate(PRESS, {"key": name, "code": code})
        if name == "г":
            ann.says("The last change is taken back")
        else:
            ann.written(1)
    ann.go(2, "ArrowRight", "ArrowRight")
    ann.page.evaluate(PRESS, {"key": "х", "code": "BracketLeft"})
    ann.says("preparation starts at frame 2")
    # A letter that is Latin is what it says, wherever it lies.
    ann.page.evaluate(PRESS, {"key": "é", "code": "KeyU"})
    ann.kept()
    assert spans_in(folder) == [(FIRST + 2, FIRST + sampled_release.SINGLE_FRAMES, "preparation")]


def test_letters_can_be_switched_off_and_stay_so(ann, folder):
    ann.press("?")
    ann.page.locator("#letters").uncheck()
    ann.press("Escape")
    ann.page.reload()
    ann.says("is open.")
    ann.press("1", "d", "?", "[")
    plays(ann)
    plays(ann, does=False)
    assert ann.page.locator("#help-dialog[open], .span").count() == 0
    ann.page.locator("#help-button").click()
    ann.page.locator("#letters").check()
    ann.press("Escape")
    ann.go(0, "Home")
    ann.press("1")
    ann.written(1)
    assert len(spans_in(folder)) == 1


def test_playing_shows_every_picture_of_the_film_in_its_order(ann):
    ann.page.evaluate(
        """() => {
          window.seen = [];
          const where = document.getElementById("where");
          const note = () => window.seen.push(Number(where.textContent.split(" ").at(-1)));
          new MutationObserver(note).observe(where, { childList: true });
        }"""
    )
    ann.press("Space")
    # Not by a text that is evaluated: the page lets no such script in.
    until = time.monotonic() + PATIENCE_MS / 1000
    while time.monotonic() < until and ann.page.evaluate("() => window.seen.length") < ENOUGH:
        ann.page.wait_for_timeout(100)
    shown = ann.page.evaluate("() => window.seen")
    assert len(shown) >= ENOUGH
    assert shown == list(range(shown[0], shown[0] + len(shown)))


def test_a_killed_server_loses_nothing_that_was_confirmed(chromium, bench, token, folder):
    """Killed again and again while somebody labels; what the page was answered is in the ledger, and its chain is whole."""
    process, address, port = served(folder)
    ann = Annotator(chromium, address, token)
    confirmed = ann.page.evaluate("() => (window.confirmed = [])")
    ann.page.on("response", lambda answer: confirmed.append(answer.request.post_data) if _is_label(answer) else None)
    for number in range(KILLS):
        frame = ann.frame()
        ann.go(frame + 1, "ArrowRight")
        with ann.page.expect_response(_is_label):
            ann.press(str(number % 7 + 1))
            time.sleep(0.02 * number)
            process.kill()
            ann.press("ArrowRight", str((number + 3) % 7 + 1))
            process, _, _ = served(folder, port)
        ann.at(frame + 2)
        ann.kept()
        ann.page.locator("#banner").wait_for(state="hidden")
    process.interrupt()
    text = (folder / events.LEDGER_PATH).read_text(encoding="utf-8")
    nonces = {json.loads(line)["nonce"] for line in text.splitlines() if line.endswith("}")}
    labelled_study.opened(folder).standing()
    assert confirmed
    assert {json.loads(one)["nonce"] for one in confirmed} <= nonces


def _is_label(answer):
    return answer.url.endswith("/api/label") and answer.status == 200


@pytest.fixture
def proposed(folder):
    rows = "".join(f"{second},{'preparation' if second < 3 else 'clipping-and-cutting'}\n" for second in range(5))
    labelled_study.proposing(folder, {f"{SINGLE}.csv": f"seconds,phase\n{rows}"})


@pytest.mark.usefixtures("proposed")
def test_a_proposal_is_taken_or_not_by_a_key_and_stretched_as_any_label(ann, folder):
    ann.page.wait_for_selector(".lane:first-child .ghost:nth-child(2)")
    ann.press("p")
    ann.page.wait_for_selector(".lane:first-child .track:has(.span):not(:has(.ghost ~ .ghost))")
    ann.go(3 * sampled_release.FPS, "g")
    ann.press("x")
    ann.page.wait_for_selector(".lane:first-child .track:not(:has(.ghost))")
    ann.go(1, "Home", "ArrowRight")
    ann.page.locator(".lane:first-child .span").click(position={"x": 30, "y": 10})
    ann.go(2, "Home", "ArrowRight", "ArrowRight")
    ann.press("[")
    ann.selected("frames 2 to")
    ann.kept()
    assert spans_in(folder) == [(FIRST + 2, FIRST + 3 * sampled_release.FPS, "preparation")]


def test_nobody_is_shut_out_by_how_the_page_is_made(ann):
    script = axe.source()
    ann.press("1")
    ann.written(1)
    found = axe.in_light_and_dark(ann.page, script)
    for _ in range(3):
        ann.press("l")
        found += axe.in_light_and_dark(ann.page, script)
    ann.press("?")
    ann.page.wait_for_selector("#help-dialog[open]")
    found += axe.in_light_and_dark(ann.page, script)
    assert found == []


def test_the_page_that_asks_for_the_token_has_its_landmark(chromium, server):
    page = chromium.new_context(viewport=browser.SIZE).new_page()
    page.goto(f"{server.rstrip('/').removesuffix('/enter')}/enter")
    assert axe.findings(page, axe.source(), ("moderate", *axe.GRAVE)) == []
    box = page.locator("#enter-form").bounding_box()
    assert abs(box["x"] + box["width"] / 2 - browser.SIZE["width"] / 2) < 2
    page.context.close()


def test_on_paper_what_is_said_covers_nothing(ann):
    ann.page.emulate_media(media="print")
    for width in (717, 739):
        ann.page.set_viewport_size({"width": width, "height": 980})
        places = {name: ann.page.locator(name).bounding_box() for name in ("main", "aside", "nav", "footer")}
        foot = places.pop("footer")
        assert [name for name, at in places.items() if at["y"] + at["height"] > foot["y"] + 1] == []
        assert browser.overflow_px(ann.page) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_with_few_colours_of_the_reader_every_state_can_still_be_told(come_in, number, scheme):
    ann = come_in(number, color_scheme=scheme, forced_colors="active")
    ground, ink = (browser.style(ann.page.locator("#lanes"), name) for name in ("backgroundColor", "color"))
    assert browser.style(ann.page.locator("#cursor"), "backgroundColor") not in (ground, ink)
    assert len(browser.colours(ann.page.locator(".lane:first-child .black"))) >= 2
    here, other = (ann.page.locator(f"#layers [aria-selected={is_here}]").first for is_here in ("true", "false"))
    assert browser.style(here, "backgroundColor") != browser.style(other, "backgroundColor")
    assert axe.findings(ann.page, axe.source()) == []
    # The only recording of this person is the open one; any other has no bar.
    listed = ann.page.locator("#list button")
    assert browser.style(listed, "borderLeftColor") != ground
    listed.evaluate("(one) => one.removeAttribute('aria-current')")
    assert browser.style(listed, "borderLeftColor") == ground


def test_a_stretch_that_is_hidden_in_the_release_says_so_at_its_place(ann):
    first, last = sampled_release.BLACK
    note, picture = ann.page.locator("#hidden-note"), ann.page.locator("#picture")
    assert note.inner_text() == ""
    assert note.get_attribute("role") == "status"
    for second in range(first // sampled_release.FPS):
        ann.go((second + 1) * sampled_release.FPS, "Shift+ArrowRight")
    assert note.inner_text() == "hidden in the release"
    assert picture.get_attribute("aria-label").endswith("; hidden in the release")
    assert axe.findings(ann.page, axe.source()) == []
    ann.go(first - 1, "ArrowLeft")
    assert note.inner_text() == ""
    assert "hidden" not in picture.get_attribute("aria-label")
    black, track = ann.page.locator(".lane:first-child .black").bounding_box(), ann.page.locator(".lane:first-child .track").bounding_box()
    share = (last + 1 - first) / sampled_release.SINGLE_FRAMES
    assert black["width"] / track["width"] == pytest.approx(share, abs=0.01)


def test_done_without_ratings_says_what_is_missing_and_goes_there_and_is_done_the_second_time(ann, bench, number):
    ann.press("d")
    ann.says("Not done yet: nothing is rated yet")
    ann.page.wait_for_selector("#layers [aria-selected=true] >> text=ratings")
    assert "single" not in bench.standing().done.get(number, set())
    # Another thing is missing then, so that it is said again.
    ann.page.locator("#panel input[name=efficiency][value='3']").click()
    ann.page.locator("#findings", has_text="not rated: depth_perception").wait_for()
    ann.press("d")
    ann.says("Not done yet: not rated: depth_perception")
    ann.press("d")
    ann.says("You are done with it")
    assert "single" in bench.standing().done[number]
    ann.press("d")
    ann.says("You go on")
    assert "single" not in bench.standing().done[number]
