"""Boxes and points as an annotator draws them, in a real browser: by mouse and by keys, undone, settled."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

import axe
import browser
import label_server
import labelled_study
import sampled_release
from held_requests import refuse
from label_annotator import Annotator

LAYERS = "[boxes, points, phases]"
pytestmark = pytest.mark.slow
FIRST = sampled_release.FIRST
NEAR = 0.012
"""A pixel of the page is about so much of the picture."""
A_WHILE_MS = 500


def keys_in(folder, layer="boxes"):
    """Return what stands in the ledger, by track in the order in which they begin: frame, label, place, state."""
    bench = labelled_study.opened(folder)
    ((about, person),) = bench.standing().labels
    tracks = sorted(bench.standing().of(about, person).tracks(layer), key=lambda track: track.keys[0].frame)
    return [[(one.frame - FIRST, one.label, one.place, one.state) for one in track.keys] for track in tracks]


def place(ann, x, y, aspect=1.5):
    """Return where a share of the picture is on the screen; ``aspect`` is how wide the picture is to its height."""
    box = ann.page.locator("#picture").bounding_box()
    width = min(box["width"], box["height"] * aspect)
    height = width / aspect
    left, top = box["x"] + (box["width"] - width) / 2, box["y"] + (box["height"] - height) / 2
    return left + x * width, top + y * height


def draw(ann, start, end, aspect=1.5):
    ann.page.mouse.move(*place(ann, *start, aspect))
    ann.page.mouse.down()
    ann.page.mouse.move(*place(ann, *end, aspect), steps=4)
    ann.page.mouse.up()


def marks(ann, kind):
    return ann.page.locator(f"#overlay .mark{kind}")


def test_a_box_is_drawn_moved_at_another_frame_and_dashed_between(ann, folder):
    ann.press("3")
    draw(ann, (0.1, 0.2), (0.3, 0.6))
    marks(ann, ".selected").wait_for()
    ann.go(20, "Shift+ArrowRight")
    # It has one key frame, so that it is not here; its last place is offered, and moved.
    marks(ann, ".last").wait_for()
    draw(ann, (0.2, 0.4), (0.6, 0.4))
    ann.selected("2 key frames")
    ann.go(19, "ArrowLeft")
    marks(ann, ".interpolated").wait_for()
    assert "nobody said it" in ann.page.inner_text("#selected-text")
    ann.go(319, "End")
    ann.go(20, "PageUp")
    ann.go(21, "ArrowRight")
    ann.press("o")
    ann.selected("3 key frames")
    ann.kept()
    ((one, other, last),) = keys_in(folder)
    assert (one[0], other[0], last) == (0, 20, (21, one[1], (), "outside"))
    assert one[2] == pytest.approx((0.1, 0.2, 0.2, 0.4), abs=NEAR)
    assert other[2] == pytest.approx((0.5, 0.2, 0.2, 0.4), abs=2 * NEAR)
    ann.press("u", "u")
    ann.selected("1 key frame")
    ann.kept()
    assert [len(track) for track in keys_in(folder)] == [1]


def test_a_film_of_wide_pixels_is_shown_as_players_show_it_and_places_stay_shares_of_its_own_pixels(chromium, bench, token, folder):
    labelled_study.widen(folder, Fraction(4, 3))
    with label_server.running(folder) as address:
        ann = Annotator(chromium, address, token)
        assert ann.page.evaluate("(({width, height}) => width / height)(document.getElementById('picture'))") == pytest.approx(2, abs=0.01)
        draw(ann, (0.25, 0.25), (0.75, 0.5), aspect=2)
        box = marks(ann, ".selected rect").bounding_box()
        assert box["width"] / box["height"] == pytest.approx(4, rel=0.05)
        ann.press("l")
        ann.page.mouse.click(*place(ann, 0.9, 0.1, aspect=2))
        ann.selected("key frame here")
        ann.kept()
        assert ann.troubles == []
    ((drawn,),), ((point,),) = keys_in(folder), keys_in(folder, "points")
    assert drawn[2] == pytest.approx((0.25, 0.25, 0.5, 0.25), abs=NEAR)
    assert point[2] == pytest.approx((0.9, 0.1), abs=NEAR)


def test_an_end_that_is_set_later_is_moved_and_that_is_said(ann, folder):
    draw(ann, (0.1, 0.2), (0.3, 0.6))
    marks(ann, ".selected").wait_for()
    for step in (1, 2):
        ann.go(20 * step, "Shift+ArrowRight")
        ann.press("o")
        ann.selected("2 key frames")
        ann.says(f"frame {20 * step}")
    assert "its end is moved from frame 20 to frame 40" in ann.page.inner_text("#status")
    ann.kept()
    ((begin, end),) = keys_in(folder)
    assert (begin[0], end[0], end[3]) == (0, 40, "outside")
    # Set earlier than an end, it ends there; what came later stays out of the picture.
    ann.go(20, "Shift+ArrowLeft")
    ann.press("o")
    ann.selected("3 key frames")
    ann.press("u", "u")
    ann.selected("2 key frames")
    ann.kept()
    ((_, end),) = keys_in(folder)
    assert end[0] == 20


def test_without_a_mouse_a_box_is_begun_moved_stretched_named_and_removed(ann, folder):
    ann.press("b")
    ann.selected("key frame here")
    ann.press("Control+ArrowRight")
    ann.kept()
    ann.press("Control+Shift+ArrowDown")
    ann.kept()
    ann.press("2", "c")
    ann.kept()
    ((one,),) = keys_in(folder)
    assert one[2] == pytest.approx((0.405, 0.4, 0.2, 0.205), abs=1e-6)
    names = ann.page.locator("#panel .names").first.locator("li")
    assert one[1] in names.nth(1).inner_text()
    assert ann.page.locator("#overlay [role=button]").get_attribute("aria-label") == f"{one[1]}, key frame"
    ann.press("Delete")
    ann.selected("No track is chosen")
    ann.kept()
    assert keys_in(folder) == []


def test_a_corner_stretches_a_box_and_another_place_begins_another_track(ann, folder):
    draw(ann, (0.1, 0.1), (0.3, 0.3))
    marks(ann, ".selected").wait_for()
    draw(ann, (0.3, 0.3), (0.5, 0.4))
    ann.kept()
    draw(ann, (0.7, 0.7), (0.9, 0.9))
    ann.page.locator("#panel h2", has_text="2 tracks").wait_for()
    ann.kept()
    places = sorted(track[0][2] for track in keys_in(folder))
    assert places[0] == pytest.approx((0.1, 0.1, 0.4, 0.3), abs=2 * NEAR)
    assert places[1] == pytest.approx((0.7, 0.7, 0.2, 0.2), abs=2 * NEAR)


def test_the_chosen_box_is_drawn_again_anywhere_at_another_frame_and_a_label_begins_the_next_also_over_it(ann, folder):
    ann.press("1")
    draw(ann, (0.1, 0.1), (0.4, 0.4))
    marks(ann, ".selected").wait_for()
    ann.go(20, "Shift+ArrowRight")
    draw(ann, (0.6, 0.6), (0.8, 0.9))
    ann.selected("2 key frames")
    ann.press("3")
    draw(ann, (0.65, 0.65), (0.75, 0.95))
    ann.page.locator("#panel h2", has_text="2 tracks").wait_for()
    ann.kept()
    first, second = sorted(keys_in(folder), key=len, reverse=True)
    assert [(frame, label) for frame, label, *_ in first] == [(0, first[0][1]), (20, first[0][1])]
    assert first[1][2] == pytest.approx((0.6, 0.6, 0.2, 0.3), abs=2 * NEAR)
    assert second[0][1] != first[0][1]
    assert second[0][2] == pytest.approx((0.65, 0.65, 0.1, 0.3), abs=2 * NEAR)
    # A click chooses the one below it, and moves nothing.
    ann.page.mouse.click(*place(ann, 0.62, 0.62))
    ann.selected("2 key frames")
    ann.kept()
    assert sorted(map(len, keys_in(folder))) == [1, 2]


@pytest.mark.parametrize("by", ["T", "list"])
def test_what_is_chosen_after_a_label_is_what_moves_and_the_panel_shows_the_label_that_is_written(ann, folder, by):
    def shows(label):
        ann.page.locator(f"#panel .names:first-child [aria-pressed=true][data-key={label}]").wait_for()

    draw(ann, (0.1, 0.2), (0.3, 0.6))
    ann.selected("grasper")
    ann.press("3")
    shows("hook")
    if by == "T":
        ann.press("t")
    else:
        ann.page.click("#panel [aria-label=Tracks] button")
    shows("grasper")
    draw(ann, (0.2, 0.4), (0.5, 0.5))
    ann.kept()
    ((moved,),) = keys_in(folder)
    assert moved[2] == pytest.approx((0.4, 0.3, 0.2, 0.4), abs=2 * NEAR)
    # Beside it in its frame the next one has its label, as the panel shows.
    draw(ann, (0.7, 0.7), (0.9, 0.9))
    ann.page.locator("#panel h2", has_text="2 tracks").wait_for()
    ann.kept()
    assert [label for ((_, label, *_),) in keys_in(folder)] == ["grasper", "grasper"]


def test_a_point_takes_one_click_a_frame_and_may_be_hidden_until_it_is_said_to_be_seen(ann, folder):
    ann.press("l")
    ann.page.mouse.click(*place(ann, 0.5, 0.5))
    ann.selected("1 key frame")
    ann.go(1, "ArrowRight")
    ann.page.mouse.click(*place(ann, 0.25, 0.75))
    ann.selected("2 key frames")
    ann.press("h")
    ann.selected("hidden")
    for start, to in (((0.25, 0.75), (0.4, 0.6)), ((0.7, 0.3), (0.7, 0.3))):
        draw(ann, start, to)
        ann.says("key frame at frame 1, hidden")
        ann.kept()
        ((one, other),) = keys_in(folder, "points")
        assert (other[0], other[3]) == (1, "hidden")
        assert other[2] == pytest.approx(to, abs=NEAR)
    assert (one[2], one[3]) == (pytest.approx((0.5, 0.5), abs=NEAR), "seen")


@pytest.mark.parametrize("layer", ["boxes", "points"])
def test_one_finger_draws_and_two_or_one_that_is_taken_away_do_not(come_in, number, folder, layer):
    ann = come_in(number, has_touch=True)
    ann.page.click(f"#layers [data-key={layer}]")
    ann.press("1")
    start, other, end, far = (place(ann, *at) for at in ((0.3, 0.3), (0.6, 0.6), (0.5, 0.5), (0.8, 0.9)))
    fingers = browser.fingers(ann.page)
    fingers("touchStart", other)
    fingers("touchStart", other, start)
    fingers("touchMove", far, end)
    fingers("touchEnd")
    fingers("touchStart", other)
    fingers("touchMove", far)
    fingers("touchCancel")
    ann.page.locator("#about").tap()
    fingers("touchStart", start)
    fingers("touchMove", end)
    fingers("touchEnd")
    ann.selected("1 key frame")
    ann.kept()
    ((key,),) = keys_in(folder, layer)
    assert key[2][:2] == pytest.approx((0.3, 0.3), abs=NEAR)


@pytest.mark.parametrize("layer", ["boxes", "points"])
def test_a_key_between_press_and_release_drops_what_is_drawn_says_so_and_does_nothing_else(ann, folder, layer):
    start, end, far = (place(ann, *at) for at in ((0.3, 0.3), (0.5, 0.5), (0.8, 0.8)))
    for key in ("ArrowRight", "2", "Delete", "l"):
        ann.page.click(f"#layers [data-key={layer}]")
        ann.press("1")
        ann.page.mouse.move(*start)
        ann.page.mouse.down()
        ann.page.mouse.move(*end)
        ann.press(key)
        ann.says("Nothing was drawn")
        ann.page.mouse.move(*far)
        ann.page.mouse.up()
    draw(ann, (0.3, 0.3), (0.5, 0.5))
    ann.selected("1 key frame")
    ann.kept()
    assert [(frame, label) for ((frame, label, *_),) in keys_in(folder, layer)] == [(0, "grasper")]
    assert not ann.troubles


def test_a_point_whose_hiding_is_refused_is_not_said_to_be_hidden(ann):
    ann.press("l")
    ann.page.mouse.click(*place(ann, 0.5, 0.5))
    ann.selected("1 key frame")
    ann.kept()
    refuse(ann.page, "/api/label$", "the disk is full")
    ann.press("h")
    ann.says("the disk is full")
    ann.kept()
    ann.page.wait_for_timeout(A_WHILE_MS)
    assert ann.page.inner_text("#status") == "the disk is full"
    assert "hidden" not in ann.page.inner_text("#selected-text")
    ann.troubles.clear()


COVERED = """() => {
  const middle = "#picture, #overlay, #controls > *, #lanes, #lanes .lane, #selected button";
  const shown = [...document.querySelectorAll(`${middle}, #panel button, header button, #status`)];
  return shown.filter((one) => one.getClientRects().length).flatMap((one) => {
    one.scrollIntoView({ block: "center", inline: "center" });
    const { left, top, width, height } = one.getBoundingClientRect();
    const wrong = [[0.01, 0.5], [0.5, 0.5], [0.99, 0.5], [0.5, 0.05], [0.5, 0.95]].filter(([x, y]) => {
      const there = document.elementFromPoint(left + x * width, top + y * height);
      const isStage = one.id === "picture" || one.id === "overlay";
      return !there || !(isStage ? there.closest("#stage") : one.contains(there) || there.contains(one));
    });
    return wrong.length ? [`${one.id || one.className || one.textContent} ${JSON.stringify(wrong)}`] : [];
  });
}"""
"""What is under something else, or off the screen, wherever one scrolls."""
SIZES = ((1024, 768), (1100, 768), (1280, 720), (1366, 768), (1920, 1080), (640, 360))
"""The last is 1280x720 at 200 %."""


def test_nothing_is_covered_and_the_whole_film_can_be_drawn_on_at_every_size(ann):
    found = {}
    for count, (width, height) in enumerate(SIZES, start=1):
        ann.page.set_viewport_size({"width": width, "height": height})
        covered = ann.page.evaluate(COVERED)
        sides = ann.page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
        ann.page.locator("#picture").scroll_into_view_if_needed()
        size = ann.page.locator("#picture").bounding_box()
        if covered or sides[0] > sides[1] or min(size["width"], size["height"]) < 150:
            found[width, height] = covered, sides, size
        ann.press(str(count))
        draw(ann, (0.97, 0.3), (0.9, 0.6))
        ann.page.locator("#panel h2", has_text=re.compile(rf"^{count} tracks?$")).wait_for(timeout=60_000)
        ann.kept()
    assert found == {}


def test_nobody_is_shut_out_of_boxes_and_points(ann):
    script = axe.source()
    draw(ann, (0.1, 0.2), (0.3, 0.6))
    marks(ann, ".selected").wait_for()
    found = axe.in_light_and_dark(ann.page, script)
    ann.press("l", "b")
    marks(ann, ".selected").wait_for()
    found += axe.in_light_and_dark(ann.page, script)
    assert found == []
