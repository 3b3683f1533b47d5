"""The page as an adjudicator sees it, in a real browser: their own help and keys, and what a settled place says."""

from __future__ import annotations

import pytest

import axe
import labelled_study
import sampled_release
from labelled_study import SINGLE
from labelled_tracks import at, put_key
from scrubin.curate.label.events import Span

pytestmark = pytest.mark.slow
FIRST = sampled_release.FIRST


def phases(*spans):
    return [labelled_study.put(str(at), *span) for at, span in enumerate(spans)]


@pytest.fixture
def chief(bench, come_in):
    """An adjudicator of two places in the phases."""
    one = phases((0, 30, "preparation"), (50, 60, "clipping-and-cutting"))
    labelled_study.done(bench, one, phases((0, 30, "clipping-and-cutting"), (50, 60, "preparation")))
    adjudicator = come_in(4)
    # A key that is pressed before the places are there goes to none.
    adjudicator.page.locator(".dispute").first.wait_for()
    return adjudicator


def test_by_keys_an_adjudicator_goes_from_place_to_place_and_each_settled_one_says_what_was_taken(chief, bench):
    chief.press("d")
    chief.says("1 of 2: phases")
    assert chief.page.evaluate("() => document.activeElement.textContent").startswith("A: ")
    taken = chief.page.evaluate("() => document.activeElement.textContent").removeprefix("A: ").split(" ")[0]
    chief.press("Enter")
    chief.says("Settled; 1 place left")
    first = chief.page.locator(".dispute").first
    assert "settled as A" in first.inner_text()
    assert first.locator(".taken").inner_text() == f"taken: {taken} 0:00.00 to 0:01.50"
    assert first.locator("button[aria-pressed=true]").inner_text().startswith("✓ A: ")
    assert first.locator("button[aria-pressed=false]").count() == 2
    chief.go(50, "d")
    chief.press("Tab", "Tab", "Enter")
    chief.page.locator("#disputes h2", has_text="all is settled").wait_for()
    second = chief.page.locator(".dispute").nth(1)
    assert second.locator(".taken").inner_text() == "taken: nothing"
    chief.press("d")
    chief.says("All is settled")
    stands = bench.settlement(bench.recordings[SINGLE]).outcomes["phases"].spans
    assert stands == (Span(FIRST, FIRST + 30, taken),)


def test_space_plays_where_an_answer_has_the_focus_and_settles_nothing(chief, bench):
    for key in ("d", "Tab"):
        chief.press(key)
        chief.says("1 of 2: phases")
        chief.press("Space")
        chief.page.wait_for_selector("#play[aria-pressed=true]")
        chief.press("Space")
        chief.page.wait_for_selector("#play[aria-pressed=false]")
    assert chief.page.locator("#disputes h2", has_text="2 to settle").count() == 1
    assert not bench.settlement(bench.recordings[SINGLE]).outcomes["phases"].spans
    chief.press("Enter")
    chief.says("Settled; 1 place left")
    # Who came there by keys is where they were; an undo says that it is of labels alone.
    chief.page.wait_for_function("() => document.activeElement.textContent.startsWith('✓ B: ')")
    chief.press("u")
    chief.says("There is no label to take back: take another answer to change one.")


def test_the_help_of_an_adjudicator_is_of_settling_and_that_of_an_annotator_of_labelling(chief, come_in, number):
    chief.press("?")
    help_ = chief.page.locator("#help-dialog")
    text = help_.inner_text()
    assert "to be settled" in text
    assert "press Enter" in text
    assert "done with a recording" not in text
    assert "done with this recording" not in text
    assert axe.findings(chief.page, axe.source()) == []
    ann = come_in(number)
    ann.press("?")
    text = ann.page.locator("#help-dialog").inner_text()
    assert "done with this recording" in text
    assert "settled" not in text


@pytest.fixture
def boxes(folder):
    labelled_study.layers(folder, "[boxes, points, phases]")


@pytest.mark.usefixtures("boxes")
def test_boxes_of_both_are_in_the_picture_and_of_a_settled_place_those_that_stand(bench, come_in):
    labelled_study.done(bench, *([put_key(at(frame, x, 0.2, 0.2, 0.3)) for frame in (0, 9)] for x in (0.1, 0.6)))
    chief = come_in(4)
    others = chief.page.locator("#overlay .mark.other")
    others.nth(1).wait_for()
    chief.page.locator(".answers button", has_text="A: grasper").click()
    chief.page.locator("#disputes h2", has_text="all is settled").wait_for()
    chief.page.locator("#overlay .mark.other[aria-label='stands: grasper']").wait_for()
    assert others.count() == 1
    assert "settled as A" in chief.page.locator(".dispute").inner_text()
    (stands,) = bench.settlement(bench.recordings[SINGLE]).outcomes["boxes"].tracks
    assert [key.frame for key in stands.keys] == [FIRST, FIRST + 9]
