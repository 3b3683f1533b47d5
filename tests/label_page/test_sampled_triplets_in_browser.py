"""Triplets of sampled frames as an annotator labels them, in a real browser: five seconds by keys, and five by mouse."""

from __future__ import annotations

import pytest

import axe
import labelled_study
import sampled_release
from labelled_study import SINGLE
from scrubin.curate.label.events import Change, Instant

LAYERS = "[triplets, phases]\n  every_s: 1"
pytestmark = pytest.mark.slow
FIRST, FPS = sampled_release.FIRST, sampled_release.FPS
GRASP, CLIP = ("grasper", "grasp", "gallbladder"), ("clipper", "clip", "cystic_duct")


def sets_in(folder):
    """Return what stands in the ledger, by second of the released video."""
    bench = labelled_study.opened(folder)
    ((about, person),) = bench.standing().labels
    return {(one.frame - FIRST) / FPS: one.triplets for one in bench.standing().of(about, person).instants("triplets")}


def type_triplet(ann, text):
    ann.press("a")
    ann.page.keyboard.type(text)
    ann.press("Enter")


def on(ann, second):
    ann.go(second * FPS, "ArrowRight")


def test_five_seconds_are_labelled_by_keys(ann, folder):
    ann.selected("Not labelled yet; 16 sampled frames not labelled")
    type_triplet(ann, "grasper, grasp, gallbladder")
    ann.selected("grasper, grasp, gallbladder; 15")
    on(ann, 1)
    ann.press("r")
    ann.selected("grasper, grasp, gallbladder; 14")
    on(ann, 2)
    type_triplet(ann, "clipper, clip, cystic_duct")
    ann.selected("clipper, clip, cystic_duct; 13")
    ann.press("1")
    ann.selected("clipper, clip, cystic_duct + grasper, grasp, gallbladder")
    on(ann, 3)
    ann.press("n")
    ann.selected("nothing in view; 12")
    on(ann, 4)
    ann.press("2")
    ann.selected("clipper, clip, cystic_duct; 11")
    ann.go(2 * FPS, "ArrowLeft", "ArrowLeft")
    ann.press("1")
    ann.selected("clipper, clip, cystic_duct; 11")
    ann.press("2")
    ann.selected("Not labelled yet; 12")
    ann.press("u")
    ann.selected("clipper, clip, cystic_duct; 11")
    ann.go(5 * FPS, "PageDown")
    expected = {0: (GRASP,), 1: (GRASP,), 2: (CLIP,), 3: (), 4: (CLIP,)}
    ann.kept()
    assert sets_in(folder) == expected
    lane = ann.page.locator('.lane[data-layer="triplets"] .span')
    assert [lane.nth(at).get_attribute("title") for at in range(lane.count())] == [
        "grasper, grasp, gallbladder",
        "clipper, clip, cystic_duct",
        "nothing in view",
        "clipper, clip, cystic_duct",
    ]
    assert "11 sampled frames are not labelled" in ann.page.inner_text("#findings")
    # Between two of them nothing can be said.
    ann.press("Delete")
    ann.says("not labelled")
    ann.kept()
    assert sets_in(folder) == expected


def test_five_seconds_are_labelled_by_mouse(ann, folder):
    ann.page.click("#action")
    ann.page.keyboard.type("grasper, grasp, gallbladder\n")
    ann.selected("grasper, grasp, gallbladder; 15")
    click = ann.page.click
    for second, button in ((1, '[data-do="repeat"]'), (2, '[data-do="nothing"]'), (3, '[data-do="nothing"]')):
        click("#forth")
        ann.at(second * FPS)
        click(f"#instant-buttons {button}")
        ann.selected(f"; {15 - second} sampled")
    click('#instant-buttons [data-do="clear"]')
    ann.selected("Not labelled yet; 13")
    click("#later")
    ann.at(4 * FPS)
    click("#back")
    ann.at(3 * FPS)
    ann.page.locator("#panel .label-name", has_text="grasper").click()
    ann.selected("grasper, grasp, gallbladder; 12")
    assert ann.page.locator("#panel .label-name").get_attribute("aria-pressed") == "true"
    click("#later")
    ann.at(4 * FPS)
    click('#instant-buttons [data-do="repeat"]')
    ann.selected("; 11 sampled")
    click("#undo")
    ann.selected("Not labelled yet; 12")
    click('#instant-buttons [data-do="repeat"]')
    ann.selected("; 11 sampled")
    ann.kept()
    assert sets_in(folder) == {0: (GRASP,), 1: (GRASP,), 2: (), 3: (GRASP,), 4: (GRASP,)}


def test_quick_keys_label_the_frame_that_is_seen(ann, folder):
    type_triplet(ann, "grasper, grasp, gallbladder")
    ann.selected("; 15 sampled")
    for second in range(1, 16):
        ann.go(second * FPS, "ArrowRight", "r")
        ann.selected(f"grasper, grasp, gallbladder; {15 - second} sampled" if second < 15 else "all sampled frames are labelled")
    ann.kept()
    assert sets_in(folder) == dict.fromkeys(range(16), (GRASP,))


def test_an_adjudicator_takes_a_set(come_in, bench):
    labelled_study.done(bench, *([Change("triplets", str(frame), Instant(frame, (of,))) for frame in (0, 20)] for of in (GRASP, CLIP)))
    chief = come_in(4)
    chief.page.locator(".answers button", has_text=": grasper, grasp, gallbladder").click()
    chief.page.locator("#disputes h2", has_text="all is settled").wait_for()
    stands = bench.settlement(bench.recordings[SINGLE]).outcomes["triplets"].instants
    assert stands == (Instant(FIRST, (GRASP,)), Instant(FIRST + 20, (GRASP,)))


def test_nobody_is_shut_out_of_sampled_frames(ann):
    script = axe.source()
    type_triplet(ann, "grasper, grasp, gallbladder")
    ann.selected("; 15 sampled")
    on(ann, 1)
    ann.press("n")
    ann.selected("nothing in view")
    assert axe.in_light_and_dark(ann.page, script) == []
