"""What a program proposes, in a real browser: boxes, points and sets taken, moved, refused and undone, by keys and by mouse."""

from __future__ import annotations

import json
import re

import pytest

import axe
import labelled_study
import sampled_release
from label_annotator import Annotator

pytestmark = pytest.mark.slow
SINGLE = sampled_release.IDS["single"]
FIRST, FPS = sampled_release.FIRST, sampled_release.FPS
LAST = 99
"""The last predicted frame."""
BOXES = {"grasper": (0.1, 0.1, 0.2, 0.2), "hook": (0.5, 0.5, 0.2, 0.3)}
DRIFT = 0.002
BY_LAYER = {"boxes": "[boxes, points]", "triplets": "[triplets]\n  every_s: 1", "actions": "[actions]"}


def predictions():
    """Two instruments that move to the right, each with a tip, by frame of the released video."""
    size = {"width": 1000, "height": 1000, "recording": SINGLE}
    images = [{"id": at + 1, "file_name": f"{SINGLE}/{at:06d}.png", "frame": at, **size} for at in range(LAST + 1)]
    annotations = []
    for track, (x, y, w, h) in enumerate(BOXES.values(), start=1):
        for at in range(LAST + 1):
            box = [round(1000 * side, 1) for side in (x + DRIFT * at, y, w, h)]
            tip = [box[0] + 50, box[1] + 50, 2]
            own = {"bbox": box, "area": box[2] * box[3], "iscrowd": 0, "track_id": track, "keypoints": tip, "num_keypoints": 1}
            annotations.append({"id": len(annotations) + 1, "image_id": at + 1, "category_id": track, **own})
    categories = [{"id": at, "name": name, "keypoints": ["tip"], "skeleton": []} for at, name in enumerate(BOXES, start=1)]
    return json.dumps({"images": images, "annotations": annotations, "categories": categories})


SPANS = (
    "instrument,instance,start_frame,end_frame,verb,target\n"
    f"grasper,,0,{2 * FPS},grasp,gallbladder\nclipper,,{FPS},{FPS + 9},clip,cystic_duct\n"
)


@pytest.fixture
def layer(request):
    return getattr(request, "param", "boxes")


@pytest.fixture
def folder(folder, layer):
    labelled_study.layers(folder, BY_LAYER[layer])
    if layer == "boxes":
        labelled_study.proposing(folder, {"predictions.json": predictions()}, "format: coco, fps: video")
    else:
        labelled_study.proposing(folder, {f"{SINGLE}.csv": SPANS})
    return folder


def mine(folder):
    bench = labelled_study.opened(folder)
    ((about, person),) = bench.standing().labels
    return bench.standing().of(about, person)


def keys_in(folder, layer="boxes"):
    """Frames with a key frame by label, as the ledger has them."""
    return {track.label: [key.frame - FIRST for key in track.keys] for track in mine(folder).tracks(layer)}


def proposed(ann, count):
    """Wait until so many proposals are in the picture; return what a screen reader says of them."""
    marks = ann.page.locator("#overlay .mark.proposal")
    ann.page.wait_for_function("count => document.querySelectorAll('#overlay .mark.proposal').length === count", arg=count)
    return sorted(one.get_attribute("aria-label") for one in marks.all())


def is_chosen(ann, name):
    """Wait until this one is: what a click changes is drawn when the mouse is let go."""
    ann.page.locator(f'#overlay .mark.proposal.chosen[aria-label="{name}"]').wait_for(state="attached")


def title(ann, text):
    ann.page.locator("#proposals-title", has_text=text).wait_for()


def button(ann, name):
    ann.page.locator("#proposal-buttons button", has_text=name).click()


def place(ann, x, y):
    """Return where a share of the picture is on the screen; the picture is 3 by 2."""
    box = ann.page.locator("#picture").bounding_box()
    width = min(box["width"], box["height"] * 1.5)
    left, top = box["x"] + (box["width"] - width) / 2, box["y"] + (box["height"] - width / 1.5) / 2
    return left + x * width, top + y * width / 1.5


def click(ann, x, y):
    ann.page.mouse.click(*place(ann, x, y))


def test_a_box_is_taken_by_a_key_moved_and_then_changed_and_both_are_undone(ann, folder):
    assert proposed(ann, 2) == ["grasper, proposed", "hook, proposed"]
    title(ann, "2 proposed here; 2 proposals left")
    ann.press("e")
    is_chosen(ann, "hook, proposed")
    ann.press("p")
    assert proposed(ann, 1) == ["grasper, proposed"]
    ann.page.locator("#overlay .mark.selected").wait_for()
    ann.kept()
    assert keys_in(folder) == {"hook": [0]}
    assert not mine(folder).changed
    ann.press("Control+ArrowRight")
    ann.kept()
    assert len(mine(folder).changed) == 1
    assert mine(folder).tracks("boxes")[0].keys[0].place[0] == pytest.approx(0.505)
    ann.press("u", "u")
    assert proposed(ann, 2) == ["grasper, proposed", "hook, proposed"]
    ann.kept()
    assert keys_in(folder) == {}


def test_the_next_proposal_is_chosen_by_a_key_also_where_one_has_the_focus(ann):
    proposed(ann, 2)
    ann.page.locator("#overlay .mark.proposal", has_text="hook").focus()
    is_chosen(ann, "hook, proposed")
    ann.press("e")
    is_chosen(ann, "grasper, proposed")
    ann.press("e")
    is_chosen(ann, "hook, proposed")


def test_a_whole_track_is_taken_with_few_key_frames_that_pass_each_predicted_box_and_refused_as_a_whole(ann, folder):
    ann.press("Shift+P")
    assert proposed(ann, 1) == ["hook, proposed"]
    ann.selected("2 key frames")
    ann.kept()
    assert keys_in(folder) == {"grasper": [0, LAST]}
    ann.go(1, "ArrowRight")
    assert proposed(ann, 1) == ["hook, proposed"]
    ann.press("Shift+X")
    assert proposed(ann, 0) == []
    ann.kept()
    assert len(mine(folder).refused) == 1
    ann.page.locator("#proposals").wait_for(state="hidden")
    ann.press("u")
    assert proposed(ann, 1) == ["hook, proposed"]
    ann.press("x")
    assert proposed(ann, 0) == []
    ann.go(2, "ArrowRight")
    assert proposed(ann, 1) == ["hook, proposed"]


def test_all_of_a_frame_is_taken_or_refused_at_once_and_the_next_is_gone_to(ann, folder):
    ann.press("f")
    assert proposed(ann, 0) == []
    ann.kept()
    assert keys_in(folder) == {"grasper": [0], "hook": [0]}
    ann.go(1, "g")
    assert len(proposed(ann, 2)) == 2
    ann.press("Shift+F")
    assert proposed(ann, 0) == []
    ann.kept()
    assert len(mine(folder).refused) == 2
    ann.press("u", "u")
    ann.kept()
    assert (keys_in(folder), mine(folder).refused) == ({}, set())


def test_by_mouse_a_proposal_is_chosen_taken_and_refused(ann, folder):
    proposed(ann, 2)
    click(ann, 0.6, 0.65)
    is_chosen(ann, "hook, proposed")
    button(ann, "All of its track")
    assert proposed(ann, 1) == ["grasper, proposed"]
    ann.kept()
    assert keys_in(folder) == {"hook": [0, LAST]}
    ann.page.locator("#proposals-here button", has_text="grasper").click()
    button(ann, "Not")
    assert proposed(ann, 0) == []
    button(ann, "Next")
    ann.at(1)
    button(ann, "All here")
    assert proposed(ann, 0) == []
    ann.kept()
    assert keys_in(folder) == {"hook": [0, LAST], "grasper": [1]}


def test_a_point_is_chosen_by_a_click_and_taken_and_beside_it_another_is_placed(ann, folder):
    ann.press("l")
    assert proposed(ann, 2) == ["grasper, proposed", "hook, proposed"]
    click(ann, 0.55, 0.55)
    is_chosen(ann, "hook, proposed")
    assert not labelled_study.opened(folder).standing().labels
    ann.press("p")
    assert proposed(ann, 1) == ["grasper, proposed"]
    ann.kept()
    assert keys_in(folder, "points") == {"hook": [0]}


@pytest.mark.parametrize("layer", ["triplets"], indirect=True)
def test_triplets_of_sampled_frames_are_taken_one_by_one_or_all_at_once(ann, folder):
    title(ann, "1 proposed here; 2 proposals left")
    ann.press("p")
    title(ann, "nothing proposed here; 1 proposal left")
    ann.go(FPS, "g")
    title(ann, "2 proposed here; 1 proposal left")
    ann.press("p")
    title(ann, "1 proposed here")
    ann.press("x")
    ann.page.locator("#proposals").wait_for(state="hidden")
    ann.kept()
    sets = {one.frame - FIRST: one.triplets for one in mine(folder).instants("triplets")}
    assert sets == {0: (("grasper", "grasp", "gallbladder"),), FPS: (("clipper", "clip", "cystic_duct"),)}
    assert (len(mine(folder).changed), len(mine(folder).refused)) == (1, 1)
    ann.press("u", "u")
    title(ann, "2 proposed here")
    button(ann, "All here")
    ann.page.locator("#proposals").wait_for(state="hidden")
    ann.kept()
    assert len(mine(folder).instants("triplets")[1].triplets) == 2
    assert not mine(folder).changed


@pytest.mark.parametrize("layer", ["actions"], indirect=True)
def test_a_key_that_is_pressed_twice_before_the_answer_takes_one_label(ann, folder):
    title(ann, "1 proposed here; 2 proposals left")
    sent = []
    ann.page.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    press = "dispatchEvent(new KeyboardEvent('keydown', {key: 'p', bubbles: true}));"
    ann.page.evaluate(f"document.body.{press} document.body.{press}")
    title(ann, "1 proposal left")
    ann.kept()
    assert [url.rpartition("/")[2] for url in sent] == ["label"]
    ann.kept()
    assert [span.label for span in mine(folder).spans("actions")] == ["grasper"]


def test_an_address_with_a_recording_and_a_frame_opens_there(chromium, server, token):
    ann = Annotator(chromium, f"{server}#{SINGLE}/60", token, id_=None)
    ann.page.locator("#name", has_text=SINGLE).wait_for()
    ann.at(60)
    ann.page.evaluate(f"location.hash = '#{SINGLE}/7'")
    ann.at(7)
    ann.page.evaluate("location.hash = '#nobody/7'")
    ann.says("nobody is no recording of yours")


def test_an_address_that_is_nobodys_says_so_beside_the_first_recording(chromium, server, token):
    ann = Annotator(chromium, f"{server}#nobody/7", token, id_=None)
    ann.page.locator("#name", has_text=re.compile(".")).wait_for()
    ann.page.locator("#where", has_text="frame 0").wait_for()
    ann.says("nobody is no recording")
    # What is opened says its own sentence before that, and not after it.
    ann.page.wait_for_timeout(300)
    assert ann.page.inner_text("#status") == "nobody is no recording of yours."


def test_nobody_is_shut_out_of_proposals(ann):
    script = axe.source()
    proposed(ann, 2)
    found = axe.in_light_and_dark(ann.page, script)
    ann.press("p")
    proposed(ann, 1)
    found += axe.in_light_and_dark(ann.page, script)
    assert found == []
