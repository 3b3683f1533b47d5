"""The label page as an annotator uses it, in a real browser: keys while it plays, what is written of it, kills in the middle."""

from __future__ import annotations

import json
import os
import re
import signal
import time

import pytest

import axe
import browser
import label_server
import labelled_study
import sampled_release
from label_annotator import PATIENCE_MS, Annotator
from label_server import ended, served
from scrubin.curate.label import events

pytestmark = pytest.mark.slow
KILLS = 4
ENOUGH = 40
FIRST = sampled_release.FIRST
SINGLE = sampled_release.IDS["single"]


@pytest.fixture
def server(bench, folder):
    with label_server.running(folder) as address:
        yield address


def spans_in(folder, layer="phases"):
    """Return what stands in the ledger of the only annotator who said anything."""
    bench = labelled_study.opened(folder)
    (person,) = {person for _, person in bench.standing().labels}
    about = next(about for about, _ in bench.standing().labels)
    return [(span.first, span.end, span.label) for span in bench.standing().of(about, person).spans(layer)]


@pytest.fixture
def token(bench, tokens):
    return tokens[bench.standing().assigned["single"][0]]


def test_phases_are_labelled_by_key_step_by_step_and_while_it_plays(chromium, server, token, folder):
    ann = Annotator(chromium, server, token)
    ann.press("1")
    ann.written(1)
    ann.press("ArrowRight", "ArrowRight", "ArrowRight")
    ann.at(3)
    ann.press("Shift+ArrowRight")
    ann.at(3 + sampled_release.FPS)
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
    assert ann.troubles == []


def test_edges_move_spans_split_and_merge_and_an_action_is_opened_and_ended(chromium, server, token, folder):
    ann = Annotator(chromium, server, token)
    ann.press("1")
    ann.written(1)
    ann.press("Shift+ArrowRight")
    ann.at(20)
    ann.press("2")
    ann.written(2)
    ann.press("ArrowRight", "ArrowRight")
    ann.at(22)
    # The selected second phase starts later, and the first gives way.
    ann.press("[")
    ann.page.locator("#selected-text", has_text="frames 22 to").wait_for()
    ann.kept()
    assert [span[:2] for span in spans_in(folder)] == [(FIRST, FIRST + 22), (FIRST + 22, FIRST + 320)]
    ann.press("Shift+ArrowRight")
    ann.at(42)
    ann.press("s")
    ann.written(3)
    ann.press("m")
    ann.page.wait_for_selector(".lane:first-child .track:not(:has(.span:nth-child(3)))")
    ann.press("l", "a")
    ann.page.keyboard.type("grasper, grasp, gallbladder")
    ann.press("Enter", "ArrowRight")
    ann.at(43)
    ann.press("1")
    ann.page.wait_for_selector(".lane:nth-child(2) .span:not(.open)")
    ann.kept()
    assert spans_in(folder, "actions") == [(FIRST + 42, FIRST + 44, "grasper")]
    assert ann.troubles == []


def test_an_edge_is_drawn_in_the_lanes_and_a_click_on_a_label_only_chooses_it(chromium, server, token, folder):
    ann = Annotator(chromium, server, token)
    ann.press("1")
    ann.written(1)
    ann.press("Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
    ann.at(60)
    ann.press("2")
    ann.written(2)
    first = ann.page.locator(".lane:first-child .span").first
    first.click(position={"x": 30, "y": 10})
    ann.page.locator("#selected-text", has_text="preparation").wait_for()
    box = first.bounding_box()
    ann.kept()
    assert [span[:2] for span in spans_in(folder)] == [(FIRST, FIRST + 60), (FIRST + 60, FIRST + 320)]
    ann.page.mouse.move(box["x"] + box["width"] - 3, box["y"] + 8)
    ann.page.mouse.down()
    ann.page.mouse.move(box["x"] + 2 * box["width"], box["y"] + 8, steps=5)
    ann.page.mouse.up()
    ann.page.locator("#selected-text", has_text=re.compile("frames 0 to 1[12]")).wait_for()
    ann.kept()
    drawn = [span[:2] for span in spans_in(folder)]
    assert drawn[0][1] == drawn[1][0]
    assert abs(drawn[0][1] - FIRST - 120) <= 1
    assert ann.troubles == []


def test_after_a_click_on_a_rating_the_keys_are_the_players_again(chromium, server, token, folder):
    ann = Annotator(chromium, server, token)
    ann.page.locator("#layers button", has_text="ratings").click()
    ann.page.locator("#panel input[name=efficiency][value='3']").click()
    ann.page.wait_for_selector("#panel input[name=efficiency][value='3']:checked")
    # The answer draws the sheet anew.
    ann.kept()
    # On a busy machine keys come before what was to be done at once.
    ann.page.evaluate("() => { const later = setTimeout; window.setTimeout = (run, ms) => (ms ? later(run, ms) : 0); }")
    ann.page.locator("#panel label", has_text="4").first.click()
    ann.press("ArrowRight", "ArrowRight")
    ann.at(2)
    ann.kept()
    bench = labelled_study.opened(folder)
    (about,) = {about for about, _ in bench.standing().labels}
    assert bench.standing().of(about, bench.standing().assigned["single"][0]).sheet().scores == {"efficiency": 3, "depth_perception": 4}
    assert ann.troubles == []


def test_playing_shows_every_picture_of_the_film_in_its_order(chromium, server, token):
    ann = Annotator(chromium, server, token)
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
        frame, said = ann.frame(), len(confirmed)
        ann.press("ArrowRight")
        ann.at(frame + 1)
        ann.press(str(number % 7 + 1))
        time.sleep(0.02 * number)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        ann.press("ArrowRight", str((number + 3) % 7 + 1))
        process, _, _ = served(folder, port)
        ann.at(frame + 2)
        ann.kept()
        ann.page.locator("#banner").wait_for(state="hidden")
        assert len(confirmed) > said
    ended(process)
    text = (folder / events.LEDGER_PATH).read_text(encoding="utf-8")
    nonces = {json.loads(line)["nonce"] for line in text.splitlines() if line.endswith("}")}
    labelled_study.opened(folder).standing()
    assert confirmed
    assert {json.loads(one)["nonce"] for one in confirmed} <= nonces


def _is_label(answer):
    return answer.url.endswith("/api/label") and answer.status == 200


def test_an_adjudicator_settles_by_a_click(chromium, server, bench, folder, tokens):
    said = (labelled_study.put("a", 0, 30, "preparation"), labelled_study.put("a", 0, 30, "clipping-and-cutting"))
    for number, change in zip(bench.standing().assigned["single"], said, strict=True):
        person = labelled_study.person(folder, number)
        bench.label(person, SINGLE, [change], f"nonce-label-{number}")
        bench.say_done(person, SINGLE, f"nonce-done-{number}", done=True)
    chief = Annotator(chromium, server, tokens[4])
    answer = chief.page.locator(".answers button", has_text="clipping-and-cutting")
    answer.click()
    chief.page.locator("#disputes h2", has_text="all is settled").wait_for()
    assert not bench.settlement(bench.recordings[SINGLE]).open
    assert chief.troubles == []


def test_a_proposal_is_taken_or_not_by_a_key_and_stretched_as_any_label(chromium, bench, folder, token):
    rows = "".join(f"{second},{'preparation' if second < 3 else 'clipping-and-cutting'}\n" for second in range(5))
    (folder / "predictions").mkdir()
    (folder / f"predictions/{SINGLE}.csv").write_text(f"seconds,phase\n{rows}", encoding="utf-8")
    params = folder / "params.yaml"
    text = params.read_text(encoding="utf-8").replace("proposals: null", "proposals: {path: predictions, format: null}")
    params.write_text(text, encoding="utf-8")
    process, address, _ = served(folder)
    ann = Annotator(chromium, address, token)
    ann.page.wait_for_selector(".lane:first-child .ghost:nth-child(2)")
    ann.press("p")
    ann.page.wait_for_selector(".lane:first-child .track:has(.span):not(:has(.ghost ~ .ghost))")
    ann.press("g")
    ann.at(3 * sampled_release.FPS)
    ann.press("x")
    ann.page.wait_for_selector(".lane:first-child .track:not(:has(.ghost))")
    ann.press("Home", "ArrowRight")
    ann.at(1)
    ann.page.locator(".lane:first-child .span").click(position={"x": 30, "y": 10})
    ann.press("Home", "ArrowRight", "ArrowRight")
    ann.at(2)
    ann.press("[")
    ann.page.locator("#selected-text", has_text="frames 2 to").wait_for()
    ann.kept()
    ended(process)
    assert spans_in(folder) == [(FIRST + 2, FIRST + 3 * sampled_release.FPS, "preparation")]
    assert ann.troubles == []


@pytest.mark.parametrize("scheme", axe.SCHEMES)
def test_nobody_is_shut_out_by_how_the_page_is_made(chromium, server, token, scheme):
    ann = Annotator(chromium, server, token, color_scheme=scheme)
    script = axe.source()
    ann.press("1")
    ann.written(1)
    found = axe.findings(ann.page, script)
    for _ in range(3):
        ann.press("l")
        found += axe.findings(ann.page, script)
    ann.press("?")
    ann.page.wait_for_selector("#help-dialog[open]")
    found += axe.findings(ann.page, script)
    assert found == []


def test_the_page_that_asks_for_the_token_has_its_landmark(chromium, server):
    page = chromium.new_context(viewport=browser.SIZE).new_page()
    page.goto(f"{server.rstrip('/').removesuffix('/enter')}/enter")
    assert axe.findings(page, axe.source(), ("moderate", *axe.GRAVE)) == []
    box = page.locator("#enter-form").bounding_box()
    assert abs(box["x"] + box["width"] / 2 - browser.SIZE["width"] / 2) < 2
    page.context.close()


@pytest.mark.parametrize("scheme", axe.SCHEMES)
def test_with_few_colours_of_the_reader_every_state_can_still_be_told(chromium, server, token, scheme):
    ann = Annotator(chromium, server, token, color_scheme=scheme, forced_colors="active")
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
    assert ann.troubles == []


def test_a_stretch_that_is_hidden_in_the_release_says_so_at_its_place(chromium, server, token):
    ann = Annotator(chromium, server, token)
    first, last = sampled_release.BLACK
    note, picture = ann.page.locator("#hidden-note"), ann.page.locator("#picture")
    assert note.inner_text() == ""
    assert note.get_attribute("role") == "status"
    for second in range(first // sampled_release.FPS):
        ann.press("Shift+ArrowRight")
        ann.at((second + 1) * sampled_release.FPS)
    assert note.inner_text() == "hidden in the release"
    assert picture.get_attribute("aria-label").endswith("; hidden in the release")
    assert axe.findings(ann.page, axe.source()) == []
    ann.press("ArrowLeft")
    ann.at(first - 1)
    assert note.inner_text() == ""
    assert "hidden" not in picture.get_attribute("aria-label")
    black, track = ann.page.locator(".lane:first-child .black").bounding_box(), ann.page.locator(".lane:first-child .track").bounding_box()
    share = (last + 1 - first) / sampled_release.SINGLE_FRAMES
    assert black["width"] / track["width"] == pytest.approx(share, abs=0.01)
    assert ann.troubles == []


def test_done_without_ratings_says_what_is_missing_and_goes_there_and_is_done_the_second_time(chromium, server, token, bench):
    ann = Annotator(chromium, server, token)
    ann.press("d")
    ann.page.locator("#status", has_text="Not done yet: nothing is rated yet").wait_for()
    ann.page.wait_for_selector("#layers [aria-selected=true] >> text=ratings")
    number = bench.standing().assigned["single"][0]
    assert "single" not in bench.standing().done.get(number, set())
    # Another thing is missing then, so that it is said again.
    ann.page.locator("#panel input[name=efficiency][value='3']").click()
    ann.page.locator("#findings", has_text="not rated: depth_perception").wait_for()
    ann.press("d")
    ann.page.locator("#status", has_text="Not done yet: not rated: depth_perception").wait_for()
    ann.press("d")
    ann.page.locator("#status", has_text="You are done with it").wait_for()
    assert "single" in bench.standing().done[number]
    ann.press("d")
    ann.page.locator("#status", has_text="You go on").wait_for()
    assert "single" not in bench.standing().done[number]
    assert ann.troubles == []
