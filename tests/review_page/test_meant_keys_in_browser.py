"""Keys are about what was on the screen when they were pressed, and what comes of them is said where the person looks."""

from __future__ import annotations

import functools
import shutil

import pytest

import browser
import keyboard
import review_study
from held_requests import Held
from keyboard import says
from page_client import facts, lines, spans
from scrubin.base.files import sha256_of
from scrubin.stages.review import questions
from scrubin.stages.review.questions import Question, Sight

pytestmark = pytest.mark.slow
A_WHILE_MS = 500
"""What would be decided after all is so in a moment."""
# The clock of the page says that so many milliseconds have passed, however slow the machine is.
PRESS_AFTER_SPAN_CAME = """([every, before]) => {
  const text = document.getElementById("span-text");
  const time = /\\d+:\\d\\d\\.\\d+/;
  const was = time.exec(before)[0];
  new MutationObserver((_, observer) => {
    if ((time.exec(text.textContent) ?? [was])[0] === was) return;
    observer.disconnect();
    const came = performance.now();
    setTimeout(() => {
      for (const ms of every) {
        performance.now = () => came + ms;
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "r", bubbles: true }));
        delete performance.now;
      }
    });
  }).observe(text, { childList: true, characterData: true, subtree: true });
}"""
IS_ON_TOP = """(id) => {
  const area = document.getElementById(id).getBoundingClientRect();
  return area.height > 0 && document.elementFromPoint(area.left + 20, area.top + area.height - 4)?.id === id;
}"""
MAKES_ROOM = """() => {
  const [picture, status] = ["full-canvas", "full-status"].map((id) => document.getElementById(id).getBoundingClientRect());
  return picture.bottom <= status.top + 1;
}"""


@pytest.fixture
def folder(folder):
    """The single recording has three proposals and two questions of the audit; the pair has none."""
    review_study.propose(folder, [review_study.proposal("single", "mono", first, first + 4) for first in (10, 30, 50)])
    return folder


def ask(folder):
    review_study.propose(folder, [])
    sha256 = sha256_of(folder / "data/raw/videos/2_mono.mp4")
    sights = Sight("face", 10, 11, (8, 8, 20, 20)), Sight("text", 40, 42, (4, 4, 30, 10), "Smith")
    questions.write([Question("single", "mono", sha256, one, "id1", one.first, one.last, 0.5, 0.6, 0.9, None) for one in sights], folder)


@pytest.fixture
def come_in(come_in):
    return functools.partial(come_in, "--at", "single:0")


def test_an_answer_at_full_size_needs_one_look_and_is_said_there_and_a_repeated_key_is_none(come_in, folder):
    ask(folder)
    page = come_in()
    # A picture that is not there yet needs a look, however late the key comes.
    pictures = Held(page, "/still/")
    keyboard.press(page, "j", "f", "r")
    says(page, "a moment more", "#full-status")
    assert page.locator("#full-canvas").get_attribute("aria-label").startswith("frame 10 of 70, 0:00.500")
    assert page.evaluate(IS_ON_TOP, "full-status")
    pictures.come()
    pictures.let_one_go()
    # The lens, which cannot be seen, is not waited for.
    says(page, "a face at 0:00.5: it may be seen. U undoes.", "#full-status")
    pictures.come()
    page.wait_for_timeout(keyboard.CAME_MS)
    keyboard.press(page, "r")
    says(page, "a moment more", "#full-status")
    assert spans(folder) == [("reject", 10, 11)]
    pictures.let_go()
    page.locator("#full-canvas[data-frame='40']").wait_for()
    says(page, "a private word at 0:02.0: it may be seen", "#full-status")
    assert spans(folder) == [("reject", 10, 11), ("reject", 40, 42)]


def test_a_picture_at_full_size_is_not_looked_at_while_the_page_is_hidden(come_in, folder):
    page = come_in()
    keyboard.press(page, "j")
    says(page, "Span 1")
    keyboard.away(page)
    keyboard.full_size(page, "f", frame=10)
    keyboard.press(page, "r")
    says(page, "not taken, for its picture was not on the screen for long enough", "#full-status")
    assert not spans(folder)
    keyboard.back(page)
    keyboard.press(page, "r")
    says(page, "shown. U undoes", "#full-status")
    assert spans(folder) == [("reject", 10, 14)]


def test_nothing_is_decided_at_full_size_of_a_span_that_is_not_on_the_screen(come_in, folder):
    page = come_in()
    keyboard.press(page, "j", "f", "ArrowDown")
    page.locator("#full-canvas[data-frame='30']").wait_for()
    keyboard.press(page, "r")
    says(page, "Not taken: the picture on the screen is none of the selected span", "#full-status")
    assert not spans(folder)


def test_at_full_size_it_is_said_when_the_server_refuses_or_has_gone(come_in, folder):
    page = come_in()
    keyboard.full_size(page, "f")
    shutil.move(folder / "data/raw/videos/2_mono.mp4", folder / "gone.mp4")
    keyboard.press(page, "b", "Enter")
    page.locator("#kind-dialog[open]").wait_for()
    keyboard.press(page, "Enter")
    says(page, "the file is gone", "#full-status.problem")
    assert page.evaluate(IS_ON_TOP, "full-status")
    assert not facts(folder, "decided")
    page.server.process.kill()
    says(page, "The server does not answer", "#full-banner")
    assert page.evaluate(IS_ON_TOP, "full-banner")
    # The picture makes room for what is said, as soon as the page is laid out anew.
    page.wait_for_function(MAKES_ROOM)


@pytest.mark.parametrize("view", ["lens", "full"])
def test_undo_takes_back_what_waits_to_be_looked_at(come_in, folder, view):
    page = come_in()
    keyboard.away(page)
    keyboard.press(page, "j", *(["f"] if view == "full" else []), "r")
    says(page, "U takes it back")
    keyboard.press(page, "u")
    says(page, "outside the body at 0:00.5: taken back before it was written. Nothing was decided.")
    keyboard.back(page)
    page.wait_for_timeout(A_WHILE_MS)
    assert not facts(folder, "decided", "withdrawn")
    keyboard.press(page, "r")
    says(page, "shown. U undoes")
    assert spans(folder) == [("reject", 10, 14)]


def test_undo_of_what_is_on_its_way_undoes_that_and_nothing_before_it(come_in, folder):
    page = come_in()
    keyboard.press(page, "j", "a")
    says(page, "hidden. U undoes")
    page.wait_for_timeout(keyboard.CAME_MS)
    answers = Held(page, "/api/decide$")
    keyboard.press(page, "r")
    answers.come()
    keyboard.press(page, "u")
    answers.let_go()
    says(page, "Undone.")
    # What lies between two hidden spans is asked as well.
    assert spans(folder) == [("accept", 10, 14), ("reject", 15, 29)]
    _, rejected = [line["number"] for line in lines(folder) if line["event"] == "decided"]
    assert [one["line"] for one in facts(folder, "withdrawn")] == [rejected]


def seen_before(come_in, folder):
    """Open the page on three spans between which nothing is asked, look at the lens of each, and come back to the first."""
    review_study.propose(folder, [review_study.proposal("single", "mono", first, first + 4) for first in (4, 32, 60)])
    page = come_in()
    for _ in range(3):
        keyboard.next_span(page)
    keyboard.press(page, "j")
    says(page, "Span 1 of 3")
    return page


def test_a_key_that_is_pressed_twice_decides_about_one_span_and_a_later_one_about_the_next(come_in, folder):
    page = seen_before(come_in, folder)
    for after_ms, sentence, decided in (((0, 250), "this span came only now", [4]), ((350,), "0:03.0: shown", [4, 32, 60])):
        page.evaluate(PRESS_AFTER_SPAN_CAME, [after_ms, page.locator("#span-text").inner_text()])
        keyboard.press(page, "r")
        says(page, sentence)
        page.wait_for_timeout(keyboard.CAME_MS)
        assert spans(folder) == [("reject", first, first + 4) for first in decided]


def test_who_has_looked_at_the_lenses_before_decides_as_fast_as_they_press(come_in, folder):
    page = seen_before(come_in, folder)
    page.evaluate(keyboard.SAID)
    for time in ("0:00.2", "0:01.6", "0:03.0"):
        keyboard.press(page, "a")
        says(page, f"{time}: hidden")
        page.wait_for_timeout(keyboard.CAME_MS)
    assert [one[:2] for one in spans(folder)] == [("accept", 4), ("accept", 32), ("accept", 60)]
    assert len(page.evaluate("window.said")) == 3


def test_a_key_for_a_span_that_came_a_moment_ago_waits_for_its_lens_and_can_be_taken_back(come_in, folder):
    page = come_in()
    keyboard.next_span(page)
    keyboard.press(page, "r")
    says(page, "shown. U undoes")
    keyboard.away(page)
    page.wait_for_timeout(keyboard.CAME_MS)
    keyboard.press(page, "r")
    says(page, "Look at both ends of it in the lens: a moment more. U takes it back.")
    # What is said next is taken at once.
    keyboard.press(page, "u", "a")
    keyboard.back(page)
    says(page, "outside the body at 0:01.5: hidden. U undoes")
    assert [one[:2] for one in spans(folder)] == [("reject", 10), ("accept", 30)]


def test_undo_twice_takes_back_what_waits_and_then_what_was_decided_before(come_in, folder):
    page = come_in()
    keyboard.next_span(page)
    keyboard.press(page, "r")
    says(page, "shown. U undoes")
    keyboard.away(page)
    keyboard.press(page, "j", "r")
    says(page, "a moment more")
    keyboard.press(page, "u", "u")
    says(page, "Undone.")
    assert spans(folder) == [("reject", 10, 14)]
    assert len(facts(folder, "withdrawn")) == 1


def test_who_chooses_the_one_span_that_is_left_means_it(come_in, folder):
    page = seen_before(come_in, folder)
    keyboard.press(page, "a")
    says(page, "0:00.2: hidden")
    page.wait_for_timeout(keyboard.CAME_MS)
    keyboard.press(page, "a")
    says(page, "0:01.6: hidden")
    keyboard.press(page, "j", "a")
    says(page, "0:03.0: hidden")


def test_a_picture_that_is_moved_away_at_full_size_takes_the_decision_with_it(come_in, folder):
    page = come_in()
    keyboard.away(page)
    keyboard.full_size(page, "j", "f", frame=10)
    keyboard.press(page, "r", "ArrowDown")
    says(
        page, "not taken, for another picture came on the screen before you had looked at it. Nothing was decided.", "#full-status.problem"
    )
    # As does one that covers the lens.
    keyboard.press(page, "Escape", "j", "k")
    keyboard.press(page, "g")
    page.keyboard.type("#65")
    keyboard.press(page, "Enter", "r")
    says(page, "a moment more")
    keyboard.press(page, "f")
    says(page, "not taken, for another picture", "#full-status.problem")
    keyboard.back(page)
    page.wait_for_timeout(A_WHILE_MS)
    assert not facts(folder, "decided")


@pytest.mark.parametrize("view", ["lens", "full"])
@pytest.mark.parametrize("key", ["j", "n", "Escape"])
def test_who_goes_on_before_the_look_decides_nothing_and_is_told(come_in, folder, view, key):
    page = come_in()
    keyboard.away(page)
    keyboard.press(page, "j", *(["f"] if view == "full" else []))
    if view == "full":
        page.locator("#full-canvas[data-frame='10']").wait_for()
    keyboard.press(page, "r", key)
    keyboard.back(page)
    if (view, key) == ("full", "Escape"):
        # What was asked for at full size is looked at in the lens then.
        says(page, "0:00.5: shown")
        return
    text = "outside the body at 0:00.5: not taken, for you went on before you had looked at it. Nothing was decided."
    says(page, text, "#full-status" if view == "full" and key == "j" else "#status")
    page.wait_for_timeout(A_WHILE_MS)
    assert not facts(folder, "decided")


def test_what_is_in_no_lens_or_behind_a_preview_is_not_decided_however_long_somebody_waits(come_in, folder):
    page = come_in()
    keyboard.press(page, "j", "g")
    page.keyboard.type("#65")
    keyboard.press(page, "Enter", "r")
    says(page, "0:00.5: not taken, for its ends were not in the lens for long enough: K and J bring them there. Nothing was decided.")
    keyboard.press(page, "k", "j", "v", "r")
    says(page, "0:00.5: not taken, for V hides it: press V again, then look at it. Nothing was decided.")
    assert not facts(folder, "decided")
    # Also who looked at the sheet in between looks at the lens now.
    keyboard.press(page, "v")
    page.locator("#sheet").hover()
    page.mouse.wheel(0, 40)
    keyboard.press(page, "r")
    says(page, "0:00.5: shown")


def test_who_looked_at_a_lens_in_an_earlier_session_need_not_do_so_again_where_a_second_person_must(come_in, folder):
    review_study.two_reviewers(folder)
    page = come_in()
    keyboard.next_span(page)
    with page.expect_response("**/api/seen"):
        keyboard.press(page, "j")
    page.reload()
    says(page, "single is open")
    keyboard.press(page, "j")
    says(page, "Span 1")
    page.evaluate(keyboard.SAID)
    keyboard.press(page, "r")
    says(page, "outside the body at 0:00.5: hidden until a second person")
    assert len(page.evaluate("window.said")) == 1


def test_the_picture_of_somebody_who_withdraws_goes_from_the_screen_and_the_page_says_why(come_in, folder):
    page = come_in()
    keyboard.full_size(page, "f")
    review_study.withdraw(folder, "single")
    says(page, "single is not released: nothing is written about it any more, and nothing of it is shown")
    page.wait_for_function("() => !document.querySelector('#full[open], #sheet .cell, #lens .cell')")


def test_what_is_taken_back_leaves_nothing_behind_and_what_is_said_next_is_one_thing(come_in, folder):
    page = come_in()
    keyboard.next_span(page)
    seen = Held(page, "/api/seen$")
    keyboard.press(page, "j", "r")
    seen.come()
    keyboard.press(page, "u")
    says(page, "taken back before it was written")
    asked = []
    page.on("dialog", lambda dialog: asked.append(dialog.type) or dialog.accept())
    # Nothing waits any more, although its work has not ended.
    page.evaluate("window.dispatchEvent(new Event('beforeunload', { cancelable: true })) || document.body.append('asked')")
    assert page.locator("body", has_text="asked").count() == 0
    answers = Held(page, "/api/decide$")
    keyboard.press(page, "a")
    seen.let_go()
    answers.come()
    keyboard.press(page, "r")
    says(page, "What you decided before is not written yet")
    answers.let_go()
    says(page, "hidden. U undoes")
    assert [one[:2] for one in spans(folder)] == [("accept", 15)]


def test_what_waits_when_the_page_is_left_is_asked_about_and_said_afterwards(come_in, folder):
    page = come_in()
    keyboard.away(page)
    keyboard.press(page, "j", "r")
    says(page, "a moment more")
    asked = []
    page.on("dialog", lambda dialog: asked.append(dialog.type) or dialog.accept())
    page.reload()
    says(page, "The page was left before this was confirmed: outside the body at 0:00.5.")
    assert asked == ["beforeunload"]
    assert not facts(folder, "decided")
    # Nobody is asked when nothing waits, and it is said once.
    page.reload()
    says(page, "single is open")
    assert asked == ["beforeunload"]


def test_a_second_reviewer_is_told_that_one_of_two_has_answered_and_not_what(come_in, folder):
    review_study.two_reviewers(folder)
    ask(folder)
    with review_study.desk(folder, by="bo") as bo:
        (face, _) = bo.recording(1).proposals
        bo.decide(1, "mono", "reject", "out_of_body", face.first, face.last, box_xywh=face.box_xywh, proposal_key=face.key)
    page = come_in()
    keyboard.press(page, "j")
    says(page, "not answered by you: 1 of 2 people answered, and nothing is released before both have", "#span-text")
    keyboard.press(page, "j")
    says(page, "not answered: nothing is released before somebody answers", "#span-text")


@pytest.mark.parametrize("size", [(320, 256), (320, 180), (480, 270), (320, 400)])
def test_at_400_percent_everything_can_be_looked_at_by_keys(come_in, folder, size):
    page = come_in()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    keyboard.opened(page)
    keyboard.look(page)
    assert facts(folder, "seen")
    assert browser.overflow_px(page) == 0
    footer = page.locator("footer").bounding_box()
    assert footer["y"] + footer["height"] <= size[1] + 1
    assert footer["y"] <= page.locator("#status").bounding_box()["y"] + 1
    keyboard.full_size(page, "f")
    # No ring around what is said, and no dash before keys that are not named.
    assert page.evaluate("document.activeElement.id") == "full-picture"
    assert not page.locator("#full-text").inner_text().strip().endswith("—")
    page.wait_for_function(MAKES_ROOM)
    picture = page.locator("#full-canvas").bounding_box()
    assert picture["height"] >= 90
    assert picture["y"] >= 0


@pytest.mark.parametrize("size", [(427, 240), (455, 216), (320, 256)])
def test_at_400_percent_the_rows_of_the_lens_come_on_the_screen_in_turn_for_a_key_that_waits_for_them(come_in, folder, size):
    page = come_in()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    keyboard.opened(page)
    keyboard.press(page, "j", "r")
    says(page, "0:00.5: shown")
    assert spans(folder) == [("reject", 10, 14)]


AT_ONCE = """() => {
    document.getElementById("full").close();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "b", bubbles: true }));
}"""


def test_a_rectangle_that_is_begun_the_moment_full_size_is_left_stays(come_in):
    page = come_in()
    keyboard.full_size(page, "f")
    page.evaluate(AT_ONCE)
    page.wait_for_timeout(200)  # the event that it was closed comes later, and a look at the page after it
    assert page.locator("#rectangle").is_visible()
    page.locator("#full-canvas[data-frame]").wait_for()
    keyboard.press(page, "Enter")
    page.locator("#kind-dialog[open]").wait_for()


def test_a_span_that_is_drawn_around_a_check_is_said_to_be_hidden_and_the_check_as_well(come_in, folder):
    review_study.change_params(folder, "checks: 0.02", "checks: 0.2")
    review_study.propose(folder, [])
    review_study.stop(folder, *(("single", "mono", frame, "scene") for frame in range(5, 65, 5)))
    page = come_in()
    for frame in range(5, 65, 5):
        keyboard.press(page, "g")
        page.keyboard.type(f"#{frame}")
        keyboard.press(page, "Enter", "f")
        page.locator(f"#full-canvas[data-frame='{frame}']").wait_for()
        keyboard.press(page, "Escape")
    keyboard.press(page, "b")
    for key in ("ArrowLeft", "ArrowUp"):
        keyboard.press(page, *[key] * 45)
    for key in ("Shift+ArrowRight", "Shift+ArrowDown"):
        keyboard.press(page, *[key] * 45)
    keyboard.press(page, "Enter")
    page.locator("#kind-dialog[open]").wait_for()
    keyboard.press(page, "Enter")
    says(page, "the rectangle is hidden during the whole recording. A name at", "#full-status")
    said = page.locator("#full-status").inner_text()
    assert said.startswith("A check was in it: noticed. U, if that was all you meant. ")
    # Each has its line in the ledger; the sentence stays one that is read.
    assert said.count("a name at") <= 3
    assert len(spans(folder)) == 1
    assert facts(folder, "planted")


def test_the_browser_asks_before_a_reason_that_is_still_typed_is_lost(come_in):
    page = come_in()
    asked = []
    page.on("dialog", lambda dialog: asked.append(dialog.type) or dialog.accept())
    keyboard.press(page, "x")
    page.locator("#reason-dialog[open]").wait_for()
    page.keyboard.type("the wrong operation")
    page.reload()
    says(page, "single is open")
    assert asked == ["beforeunload"]
    keyboard.press(page, "x")
    page.locator("#reason-dialog[open]").wait_for()
    page.reload()
    says(page, "single is open")
    assert asked == ["beforeunload"]
