"""The page as an adjudicator sees it, in a real browser: their own help and keys, and what a settled place says."""

from __future__ import annotations

import pytest

import axe
import label_server
import labelled_study
import sampled_release
from label_annotator import Annotator
from labelled_tracks import at, put_key
from scrubin.curate.label.events import Span

pytestmark = pytest.mark.slow
SINGLE = sampled_release.IDS["single"]
FIRST = sampled_release.FIRST


def layers(folder, names):
    params = folder / "params.yaml"
    text = params.read_text(encoding="utf-8")
    params.write_text(text.replace("layers: [phases, actions, quality, ratings]", f"layers: [{names}]"), encoding="utf-8")


def finished(bench, folder, *said):
    for number, changes in zip(bench.standing().assigned["single"], said, strict=True):
        who = labelled_study.person(folder, number)
        bench.label(who, SINGLE, changes, f"nonce-label-{number}")
        bench.say_done(who, SINGLE, f"nonce-done-{number}", done=True)


def phases(*spans):
    return [labelled_study.put(str(at), *span) for at, span in enumerate(spans)]


@pytest.fixture
def chief(chromium, bench, folder, tokens):
    """An adjudicator of two places in the phases."""
    one = phases((0, 30, "preparation"), (50, 60, "clipping-and-cutting"))
    finished(bench, folder, one, phases((0, 30, "clipping-and-cutting"), (50, 60, "preparation")))
    with label_server.running(folder) as address:
        adjudicator = Annotator(chromium, address, tokens[4])
        # A key that is pressed before the places are there goes to none.
        adjudicator.page.locator(".dispute").first.wait_for()
        yield adjudicator


def test_by_keys_an_adjudicator_goes_from_place_to_place_and_each_settled_one_says_what_was_taken(chief, bench):
    chief.press("d")
    chief.page.locator("#status", has_text="1 of 2: phases").wait_for()
    assert chief.page.evaluate("() => document.activeElement.textContent").startswith("A: ")
    taken = chief.page.evaluate("() => document.activeElement.textContent").removeprefix("A: ").split(" ")[0]
    chief.press("Enter")
    chief.page.locator("#status", has_text="Settled; 1 place left").wait_for()
    first = chief.page.locator(".dispute").first
    assert "settled as A" in first.inner_text()
    assert first.locator(".taken").inner_text() == f"taken: {taken} 0:00.00 to 0:01.50"
    assert first.locator("button[aria-pressed=true]").inner_text().startswith("✓ A: ")
    assert first.locator("button[aria-pressed=false]").count() == 2
    chief.press("d")
    chief.at(50)
    chief.press("Tab", "Tab", "Enter")
    chief.page.locator("#disputes h2", has_text="all is settled").wait_for()
    second = chief.page.locator(".dispute").nth(1)
    assert second.locator(".taken").inner_text() == "taken: nothing"
    chief.press("d")
    chief.page.locator("#status", has_text="All is settled").wait_for()
    stands = bench.settlement(bench.recordings[SINGLE]).outcomes["phases"].spans
    assert stands == (Span(FIRST, FIRST + 30, taken),)
    assert chief.troubles == []


def test_the_help_of_an_adjudicator_is_of_settling_and_that_of_an_annotator_of_labelling(chief, chromium, tokens, bench):
    chief.press("?")
    help_ = chief.page.locator("#help-dialog")
    text = help_.inner_text()
    assert "to be settled" in text
    assert "press Enter" in text
    assert "done with a recording" not in text
    assert "done with this recording" not in text
    assert axe.findings(chief.page, axe.source()) == []
    address = f"{chief.page.url}enter"
    ann = Annotator(chromium, address, tokens[bench.standing().assigned["single"][0]])
    ann.press("?")
    text = ann.page.locator("#help-dialog").inner_text()
    assert "done with this recording" in text
    assert "settled" not in text
    assert chief.troubles == ann.troubles == []


def test_boxes_of_a_settled_place_stay_in_the_picture_as_what_stands(chromium, bench, folder, tokens):
    layers(folder, "boxes, points, phases")
    bench = labelled_study.opened(folder)
    finished(bench, folder, *([put_key(at(frame, x, 0.2, 0.2, 0.3)) for frame in (0, 9)] for x in (0.1, 0.6)))
    with label_server.running(folder) as address:
        chief = Annotator(chromium, address, tokens[4])
        others = chief.page.locator("#overlay .mark.other")
        others.nth(1).wait_for()
        chief.page.locator(".answers button", has_text="A: grasper").click()
        chief.page.locator("#disputes h2", has_text="all is settled").wait_for()
        chief.page.locator("#overlay .mark.other[aria-label='stands: grasper']").wait_for()
        assert others.count() == 1
        assert "settled as A" in chief.page.locator(".dispute").inner_text()
        assert chief.troubles == []
