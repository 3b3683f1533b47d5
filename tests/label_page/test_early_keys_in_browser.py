"""Keys that come before a picture or an answer: they mean what is seen, or nothing; and no late answer takes back what somebody did."""

from __future__ import annotations

import re

import pytest

import labelled_study
import review_study
import sampled_release
from held_requests import Held, refuse
from keyboard import until
from labelled_study import PAIR, SINGLE

pytestmark = pytest.mark.slow
FIRST, FPS, FRAMES = sampled_release.FIRST, sampled_release.FPS, sampled_release.SINGLE_FRAMES
A_WHILE_MS = 500
"""After what could have gone wrong came: what goes wrong then does so in a moment."""
ACTIONS = (
    "instrument,instance,start_frame,end_frame,verb,target\n"
    f"grasper,,0,{2 * FPS},grasp,gallbladder\nclipper,,{3 * FPS},{4 * FPS},clip,cystic_duct\n"
)


def spans_in(folder, layer="phases"):
    """Return what stands in the ledger, in frames of the released video."""
    standing = labelled_study.opened(folder).standing()
    found = [standing.of(about, person).spans(layer) for about, person in standing.labels]
    return [(span.first - FIRST, span.end - FIRST, span.label) for spans in found for span in spans]


@pytest.fixture
def number(bench):
    """Of somebody who labels both recordings."""
    assigned = bench.standing().assigned
    return min(set(assigned["single"]) & set(assigned["pair"]))


def two_phases(ann):
    """Say two phases, the second from frame 20 on."""
    ann.press("1")
    ann.written(1)
    ann.go(FPS, "Shift+ArrowRight")
    ann.press("2")
    ann.written(2)


def test_a_key_that_is_held_writes_once_and_undoes_once(ann, folder):
    two_phases(ann)
    for _ in range(5):
        ann.page.keyboard.down("u")
        ann.page.wait_for_timeout(100)
    ann.page.keyboard.up("u")
    ann.kept()
    assert len(spans_in(folder)) == 1


def test_a_key_that_comes_while_the_next_recording_opens_labels_neither(ann, folder):
    ann.go(FPS, "Shift+ArrowRight")
    times = Held(ann.page, "/api/recordings/.*/times$")
    ann.press("o")
    times.come()
    ann.press("1")
    ann.says("still opening")
    ann.page.locator("#panel button", has_text="preparation").click()
    ann.says("nothing was labelled")
    times.let_go()
    ann.says(f"{PAIR} is open.")
    ann.page.wait_for_timeout(A_WHILE_MS)
    assert spans_in(folder) == []
    assert ann.frame() == 0


def test_of_two_recordings_that_are_opened_the_last_one_is_open_whatever_comes_first(ann):
    slow = Held(ann.page, f"/api/recordings/{PAIR}$")
    ann.page.locator("#list button", has_text=PAIR).click()
    slow.come()
    ann.page.locator("#list button", has_text=SINGLE).click()
    ann.says(f"{SINGLE} is open.")
    slow.let_go()
    ann.page.wait_for_timeout(A_WHILE_MS)
    assert ann.page.inner_text("#name") == SINGLE
    assert ann.page.inner_text("#status") == f"{SINGLE} is open."


def test_what_somebody_else_changed_does_not_bring_back_the_recording_before(ann, bench, folder, number):
    told = Held(ann.page, f"/api/recordings/{SINGLE}$")
    me = labelled_study.person(folder, number)
    bench.label(me, SINGLE, [labelled_study.put("a", 0, 30, "preparation")], "nonce-of-another-page")
    told.come()
    ann.press("o")
    ann.says(f"{PAIR} is open.")
    told.let_go()
    ann.page.wait_for_timeout(A_WHILE_MS)
    ann.press("2")
    ann.written(1)
    assert ann.page.inner_text("#name") == PAIR
    assert spans_in(folder)[-1][2] == "calot-triangle-dissection"
    assert len(spans_in(folder)) == 2
    labels = labelled_study.opened(folder).standing().labels
    assert len({about for about, _ in labels}) == 2


def test_what_was_asked_before_a_label_was_said_does_not_take_it_back(ann, bench, folder, number):
    told = Held(ann.page, f"/api/recordings/{SINGLE}$")
    me = labelled_study.person(folder, number)
    bench.label(me, SINGLE, [labelled_study.put("a", 300, 310, "smoke", "quality")], "nonce-of-another-page")
    told.come()
    # The answer is of before.
    answer = told.routes[0].fetch()
    ann.press("2")
    ann.written(1)
    told.routes.pop(0).fulfill(response=answer)
    ann.page.wait_for_timeout(A_WHILE_MS)
    assert ann.page.locator(".lane:first-child .span").count() == 1
    assert [span[2] for span in spans_in(folder)] == ["calot-triangle-dissection"]
    told.let_go()


def test_a_label_waits_for_the_picture_that_is_meant(ann, folder):
    pictures = Held(ann.page, "/pictures/")
    ann.press("Shift+ArrowRight", "ArrowRight")
    pictures.come(2)
    ann.press("1")
    ann.page.wait_for_timeout(A_WHILE_MS)
    pictures.let_go()
    ann.at(FPS + 1)
    ann.written(1)
    assert spans_in(folder) == [(FPS + 1, FRAMES, "preparation")]


def test_an_edge_is_moved_to_the_picture_that_is_meant_and_by_nobody_who_went_on(ann, folder):
    two_phases(ann)
    pictures = Held(ann.page, "/pictures/")
    ann.press("ArrowRight", "[", "ArrowRight")
    pictures.come(2)
    pictures.let_go()
    ann.at(FPS + 2)
    ann.says("nothing was labelled")
    assert [span[:2] for span in spans_in(folder)] == [(0, FPS), (FPS, FRAMES)]
    ann.press("[")
    ann.selected(f"frames {FPS + 2} to")
    ann.kept()
    assert [span[:2] for span in spans_in(folder)] == [(0, FPS + 2), (FPS + 2, FRAMES)]


def test_a_key_after_an_undo_is_about_what_stands_then(ann, folder):
    two_phases(ann)
    ann.go(FPS + 1, "ArrowRight")
    undo = Held(ann.page, "/api/undo$")
    ann.press("u", "3")
    undo.come()
    undo.let_go()
    ann.says("From 0:01.05 on")
    ann.page.wait_for_timeout(A_WHILE_MS)
    ann.kept()
    assert [span[:2] for span in spans_in(folder)] == [(0, FPS + 1), (FPS + 1, FRAMES)]
    assert ann.page.get_attribute("#status", "class") == ""


def test_an_undo_does_not_take_back_what_was_said_before_a_label_that_waits_for_its_picture(ann, folder):
    two_phases(ann)
    pictures = Held(ann.page, "/pictures/")
    ann.press("ArrowRight", "3", "u")
    ann.says("waits for its picture: nothing was taken back")
    pictures.let_go()
    ann.written(3)
    assert [span[:2] for span in spans_in(folder)] == [(0, FPS), (FPS, FPS + 1), (FPS + 1, FRAMES)]
    ann.press("u")
    ann.says("The last change is taken back.")
    assert [span[:2] for span in spans_in(folder)] == [(0, FPS), (FPS, FRAMES)]


@pytest.mark.parametrize("is_answered", [False, True])
def test_an_undo_of_a_label_on_its_way_takes_back_nothing_else_where_that_is_refused(ann, folder, is_answered):
    two_phases(ann)
    ann.go(FPS + 1, "ArrowRight")
    answers = Held(ann.page, "/api/label$")
    stands = Held(ann.page, f"/api/recordings/{SINGLE}$")
    ann.press("3")
    answers.come()
    if not is_answered:
        ann.press("u")
    answers.routes.pop(0).fulfill(status=409, json={"error": "not now"})
    stands.come()
    if is_answered:
        ann.press("u")
    stands.let_go()
    ann.says("not now")
    ann.page.wait_for_timeout(A_WHILE_MS)
    ann.kept()
    assert ann.page.inner_text("#status") == "not now"
    ann.press("3", "u")
    answers.come()
    answers.let_go()
    ann.says("The last change is taken back.")
    assert [span[:2] for span in spans_in(folder)] == [(0, FPS), (FPS, FRAMES)]
    ann.troubles[:] = [one for one in ann.troubles if "409" not in one]


def test_a_rating_after_an_undo_does_not_bring_back_the_rating_that_was_undone(ann, bench, number):
    ann.page.locator("#layers button", has_text="ratings").click()
    ann.page.locator("#panel input[name=efficiency][value='3']").click()
    ann.kept()
    undo = Held(ann.page, "/api/undo$")
    ann.page.locator("#undo").click()
    undo.come()
    ann.page.locator("#panel input[name=depth_perception][value='4']").click()
    undo.let_go()
    ann.page.locator("#findings", has_text="not rated: efficiency").wait_for()
    ann.kept()
    ((about, _),) = bench.standing().labels
    assert bench.standing().of(about, number).sheet().scores == {"depth_perception": 4}


def test_who_is_refused_to_be_done_is_not_said_to_go_on(ann):
    refuse(ann.page, "/api/done$", "the disk is full")
    ann.press("d")
    ann.says("Not done yet")
    ann.press("d")
    ann.says("the disk is full")
    ann.page.wait_for_timeout(A_WHILE_MS)
    assert "the disk is full" in ann.page.inner_text("#status")
    ann.troubles.clear()


def test_a_picture_that_cannot_be_read_is_the_reason_why_nothing_was_labelled(ann, folder):
    refuse(ann.page, "/pictures/", "the video is damaged")
    ann.press("ArrowRight", "1")
    ann.says("Nothing was labelled: the video is damaged")
    assert spans_in(folder) == []
    ann.troubles.clear()


def test_the_browser_asks_before_a_page_is_closed_whose_label_is_on_its_way(ann):
    asked = []
    ann.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    sent = Held(ann.page, "/api/label$")
    ann.press("1")
    sent.come()
    ann.page.close(run_before_unload=True)
    until(ann.page, lambda: asked)
    sent.let_go()
    ann.written(1)
    with ann.page.expect_event("close"):
        ann.page.close(run_before_unload=True)
    assert asked == ["beforeunload"]


def test_an_answer_to_an_earlier_key_does_not_take_back_a_later_one(ann, folder):
    sent = Held(ann.page, "/api/label$")
    spans = ann.page.locator(".lane:first-child .span")
    ann.press("1")
    ann.go(FPS, "Shift+ArrowRight")
    ann.press("2")
    sent.come()
    sent.let_one_go()
    sent.come()
    assert spans.count() == 2
    ann.go(FPS + 1, "ArrowRight")
    ann.press("3")
    sent.let_go()
    ann.written(3)
    ann.selected(f"frames {FPS + 1} to")
    ann.page.locator("#list button", has_text="3 labels").wait_for()
    assert [span[:2] for span in spans_in(folder)] == [(0, FPS), (FPS, FPS + 1), (FPS + 1, FRAMES)]


def test_while_it_plays_a_jump_is_from_the_frame_that_is_seen(ann):
    ann.go(FPS, "Shift+ArrowRight")
    ann.press("Space")
    ann.past(2 * FPS)
    ann.press("Shift+ArrowLeft")
    ann.page.wait_for_selector("#play[aria-pressed=false]")
    ann.page.wait_for_timeout(A_WHILE_MS)
    assert ann.frame() >= FPS


def test_a_remark_and_a_rating_after_it_are_both_kept(ann, bench, number):
    ann.page.locator("#layers button", has_text="ratings").click()
    ann.page.locator("#panel input[type=text]").focus()
    ann.page.keyboard.type("smoke")
    answers = Held(ann.page, "/api/label$")
    ann.page.locator("#panel input[name=efficiency][value='3']").evaluate("(one) => one.click()")
    answers.come()
    answers.let_go()
    ann.page.locator("#panel input[type=text]").blur()
    ann.page.locator("#findings", has_text="not rated: depth_perception").wait_for()
    ann.kept()
    ((about, _),) = bench.standing().labels
    sheet = bench.standing().of(about, number).sheet()
    assert (sheet.remark, sheet.scores) == ("smoke", {"efficiency": 3})


@pytest.fixture
def proposed(folder):
    """Two actions are proposed, one after the other."""
    labelled_study.layers(folder, "[actions]")
    labelled_study.proposing(folder, {f"{SINGLE}.csv": ACTIONS})


@pytest.fixture
def overlapping(proposed, folder):
    """Three actions are proposed at once."""
    rows = [f"{name},,0,{2 * FPS},{act}" for name, act in (("grasper", "grasp,gallbladder"), ("hook", "dissect,gallbladder"))]
    text = "\n".join([ACTIONS.splitlines()[0], *rows, f"clipper,,0,{2 * FPS},clip,cystic_duct", ""])
    (folder / f"predictions/{SINGLE}.csv").write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("proposed")
def test_who_went_on_before_the_answer_stays_where_they_went(ann, folder):
    answers = Held(ann.page, "/api/label$")
    ann.press("p")
    answers.come()
    ann.go(FRAMES - 1, "End")
    answers.let_go()
    ann.page.locator("#list button", has_text="1 labels").wait_for()
    ann.page.wait_for_timeout(A_WHILE_MS)
    assert ann.frame() == FRAMES - 1
    assert [span[2] for span in spans_in(folder, "actions")] == ["grasper"]


def sets_in(folder):
    """Return the sampled frames that are labelled, in frames of the released video, and how many triplets each has."""
    standing = labelled_study.opened(folder).standing()
    found = [standing.of(about, person).instants("triplets") for about, person in standing.labels]
    return {one.frame - FIRST: len(one.triplets) for sets in found for one in sets}


@pytest.fixture
def sampled(proposed, folder):
    """The same, as triplets of sampled frames."""
    review_study.change_params(folder, "[actions]", "[triplets]\n  every_s: 1")


@pytest.mark.usefixtures("sampled")
@pytest.mark.parametrize("gap_ms", [0, 60, 300])
def test_a_key_after_a_set_was_taken_is_of_the_frame_in_which_it_was_taken(ann, folder, gap_ms):
    ann.page.locator("#proposals-title", has_text="1 proposed here").wait_for()
    ann.press("f")
    ann.page.wait_for_timeout(gap_ms)
    ann.press("n")
    ann.page.wait_for_timeout(A_WHILE_MS)
    ann.kept()
    assert sets_in(folder) == {0: 0}
    assert ann.frame() == 0


@pytest.mark.usefixtures("proposed")
def test_what_is_proposed_later_is_gone_to_and_not_taken_before_it_is_seen(ann, folder):
    ann.page.locator("#proposals-title", has_text="1 proposed here").wait_for()
    ann.press("p")
    ann.page.locator("#proposals-title", has_text="nothing proposed here; 1 proposal left").wait_for()
    assert ann.frame() == 0
    ann.press("]")
    ann.selected("frames 0 to 0")
    ann.press("u", "p")
    ann.says("Proposed: clipper")
    ann.at(3 * FPS)
    ann.page.wait_for_timeout(A_WHILE_MS)
    assert [span[2] for span in spans_in(folder, "actions")] == ["grasper"]
    ann.press("p")
    ann.page.locator("#proposals").wait_for(state="hidden")
    ann.kept()
    assert [span[2] for span in spans_in(folder, "actions")] == ["grasper", "clipper"]


@pytest.mark.usefixtures("overlapping")
def test_what_was_chosen_before_the_answer_stays_chosen(ann, folder):
    ann.page.locator("#proposals-title", has_text="3 proposed here").wait_for()
    answers = Held(ann.page, "/api/label$")
    first = ann.page.locator("#proposals-here [aria-pressed=true]").inner_text()
    ann.press("p")
    answers.come()
    ann.page.locator("#proposals-here button").nth(2).click()
    last = ann.page.locator("#proposals-here [aria-pressed=true]").inner_text()
    answers.let_go()
    ann.page.locator("#list button", has_text="1 labels").wait_for()
    ann.page.wait_for_timeout(A_WHILE_MS)
    assert ann.page.locator("#proposals-here [aria-pressed=true]").inner_text() == last
    ann.press("p")
    ann.page.locator("#list button", has_text="2 labels").wait_for()
    ann.kept()
    assert {span[2] for span in spans_in(folder, "actions")} == {one.partition(",")[0] for one in (first, last)}


@pytest.fixture
def chief(bench, come_in):
    """An adjudicator of two places."""
    said = ("preparation", "clipping-and-cutting")
    labelled_study.done(bench, *([labelled_study.put(str(at), at, at + 10, of[at > 0]) for at in (0, 50)] for of in (said, said[::-1])))
    return come_in(4)


def test_a_place_that_is_settled_anew_and_refused_is_not_said_to_be_settled(chief):
    chief.press("d")
    chief.says("1 of 2")
    chief.press("Enter")
    chief.says("1 place left")
    refuse(chief.page, "/api/settle$", "the disk is full")
    chief.page.locator(".dispute").first.locator(".answers button[aria-pressed=false]").first.click()
    chief.says("the disk is full")
    chief.page.wait_for_timeout(A_WHILE_MS)
    assert chief.page.inner_text("#status") == "the disk is full"
    chief.troubles.clear()


def test_enter_before_the_next_place_is_there_settles_none(chief):
    chief.page.locator("#disputes h2", has_text="2 to settle").wait_for()
    chief.press("d")
    chief.says("1 of 2")
    pictures = Held(chief.page, "/pictures/")
    chief.press("d")
    pictures.come()
    chief.press("Enter")
    pictures.let_go()
    chief.says("2 of 2")
    chief.page.wait_for_timeout(A_WHILE_MS)
    assert re.match("2 to settle", chief.page.inner_text("#disputes h2"))
