"""The page as a person uses it, in a real browser: every key, what is drawn, and what is written of it."""

from __future__ import annotations

import contextlib
import datetime
import re

import pytest

import browser
import keyboard
import made_once
import review_server
import review_study
from held_requests import Held
from page_client import HOSTILE, facts, lines
from scrubin.cli import review
from scrubin.stages.review import LEDGER_PATH, Ledger

pytestmark = pytest.mark.slow
PATIENCE_MS = 180_000
FAILED = "0:01.0, left: outside the body, not decided; right: outside the body, not decided: cannot be shown: frame 20 cannot be decoded"


class Reviewer:
    """A person at the page: presses keys, and reads what it says."""

    def __init__(self, chromium, server, before=None, waits=True, **options):
        context = chromium.new_context(viewport=browser.SIZE, **options)
        context.set_default_timeout(PATIENCE_MS)
        self.page = context.new_page()
        self.asked, self.troubles = [], []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: message.type == "error" and self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", lambda dialog: self.troubles.append(dialog.message) or dialog.dismiss())
        if before:
            before(self.page)
        if waits:
            keyboard.come_in(self.page, server.address)
        else:
            self.page.goto(server.address)

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def says(self, text, place="#status"):
        """Wait until the page says something."""
        keyboard.says(self.page, text, place)

    def opened(self):
        """Wait until a recording is open and what is on screen was seen."""
        self.page.locator("#todo li").first.wait_for()
        self.page.locator("#sheet .block.loaded").first.wait_for()

    def go_on(self):
        """Open the next recording, which is the single one."""
        self.press("n")
        # A key to go on that was pressed before may say something after it.
        self.says("single", "#name")
        self.opened()

    def drag(self, *points):
        """Press the mouse at the first point, go by all others, and let it go."""
        self.page.mouse.move(*points[0])
        self.page.mouse.down()
        for point in points[1:]:
            self.page.mouse.move(*point, steps=4)
        self.page.mouse.up()

    def tell_kind(self, *keys):
        """Answer what it is that is to be hidden."""
        self.page.locator("#kind-dialog[open]").wait_for()
        self.press(*keys)

    def text(self, place):
        return self.page.locator(place).inner_text()

    def cell(self, place):
        return self.page.locator("#sheet .cell").nth(place)

    def names(self, place):
        return [one.get_attribute("aria-label") for one in self.page.locator(place).all()]


def middle(place):
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.fixture
def server(serve):
    return serve()


@pytest.fixture
def ann(chromium, server):
    return Reviewer(chromium, server)


def decided(folder):
    """What was decided: camera, kind, and of every span what and its frames."""
    return [
        (said["camera"], said["kind"], *(((span["what"], span["first"], span["last"])) for span in said["spans"]))
        for said in facts(folder, "decided")
    ]


def test_a_whole_review_by_keyboard_alone(ann, folder):
    ann.press("j")
    ann.says("Span 1 of 2")
    assert "not decided" in ann.text("#span-text")
    ann.press("a")
    ann.says("hidden")
    # What one camera hides is proposed in the other, and selected by itself.
    ann.says("because the other camera hides it", "#span-text")
    ann.page.wait_for_timeout(keyboard.CAME_MS)
    ann.press("a")
    # What came of it is said with what is left.
    ann.says("hidden. U undoes. Every span is decided. Space goes on")
    keyboard.look(ann.page)
    ann.go_on()
    keyboard.look(ann.page)
    ann.press("j")
    ann.says("Span 1 of 1")
    ann.press("r")
    ann.page.locator("#overview-title", has_text="Everything is reviewed").wait_for()
    assert "2\ndone" in ann.text(".figures").replace(" ", "")
    assert decided(folder) == [
        ("left", "out_of_body", ("accept", 20, 29)),
        ("right", "out_of_body", ("accept", 20, 29)),
        ("mono", "text", ("reject", 40, 49)),
    ]
    with review_study.desk(folder) as desk:
        assert all(one.done for one in desk.recordings())
    assert not ann.troubles


def test_opening_a_recording_counts_nothing_and_neither_does_waiting(ann, folder):
    ann.page.wait_for_timeout(4000)
    assert not facts(folder, "seen")
    assert ann.text("#todo").startswith("Space 6 s not seen")
    # Whoever is there and looks, but goes on to nothing, has not said so.
    ann.press("ArrowRight")
    ann.page.locator(".looking", has_text="looked at: Space goes on").first.wait_for()
    ann.page.wait_for_timeout(2500)
    assert not facts(folder, "seen")
    ann.press(" ")
    ann.page.locator("#todo li.done", has_text="all seen").wait_for()
    seen = facts(folder, "seen")
    assert [(one["camera"], one["sheet"]) for one in seen] == [("left", True), ("right", False)]
    assert sum(one["looked_s"] for one in seen) >= 6 * 0.25
    assert all(one["inputs"] >= 1 and one["height_px"] >= 90 for one in seen)


def test_whoever_goes_on_too_early_is_told_how_long_it_takes_and_nothing_counts(ann, folder):
    # So many stills take longer than a slow machine between two keys.
    ann.press("+", "+")
    ann.opened()
    ann.press(" ")
    ann.says(re.compile("s more for these [2-9][0-9] stills"))
    ann.press("PageDown")
    ann.says("They do not count yet")
    ann.page.wait_for_timeout(200)
    assert not facts(folder, "seen")


def test_stills_that_are_made_small_do_not_count_however_long_they_stand_there(ann, folder):
    ann.press("[", "[", "[")
    for _ in range(30):
        ann.press(" ")
        ann.page.wait_for_timeout(100)
    ann.says("too small to count")
    assert not facts(folder, "seen")
    ann.press("]", "]", "]")
    keyboard.look(ann.page)
    assert all(line["height_px"] >= 90 for line in facts(folder, "seen"))


CLOSE_AT_ONCE = """() => {
  const { dataset } = document.getElementById("full-canvas");
  new MutationObserver((_, observer) => {
    observer.disconnect();
    document.getElementById("full").close();
    document.body.dataset.closed = dataset.frame;
  }).observe(document.getElementById("full-canvas"), { attributeFilter: ["data-frame"] });
}"""
"""The first picture at full size is closed as soon as it is there."""


def test_stills_at_full_size_are_stops_of_their_own_with_their_corners(ann, folder):
    review_study.stop(folder, ("pair", "left", 30, "scene"), ("pair", "right", 44, "jump"))
    ann.page.locator("#list", has_text="2 at full size").wait_for()
    # Who closes it before they looked at it is shown it again.
    ann.page.evaluate(CLOSE_AT_ONCE)
    while not ann.page.locator("body[data-closed='30'] #full[open]").count():
        ann.press(" ")
        ann.page.wait_for_timeout(100)
    ann.page.locator("#full-canvas[aria-label^='left, frame 30 ']").wait_for()
    ann.page.locator("#full-corners canvas").first.wait_for()
    keyboard.look(ann.page)
    full = [line for line in facts(folder, "seen") if line["view"] == "full"]
    assert [(one["camera"], one["stills"]) for one in full] == [("left", [[30, 1, 1]]), ("right", [[44, 1, 1]])]
    assert all(one["looked_s"] >= 1.499 for one in full)
    assert not ann.troubles


def test_a_screen_of_many_stills_is_accepted_as_soon_as_the_page_says_that_it_was_looked_at(chromium, server, folder):
    refused = []
    ann = Reviewer(chromium, server)
    ann.page.on("response", lambda answer: "/api/seen" in answer.url and answer.status >= 400 and refused.append(answer.text()))
    ann.page.set_viewport_size({"width": 1920, "height": 1080})
    # By no hand, so that nothing is looked at before all are there.
    ann.page.evaluate(
        "() => [1, 2, 3, 4].forEach(() => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true })))"
    )
    ann.opened()
    shown = ann.page.locator("#sheet .cell").count()
    assert shown > 30
    keyboard.look(ann.page)
    assert not refused
    (first, *_) = [line for line in facts(folder, "seen") if line["view"] == "sheet" and line["camera"] == "left"]
    assert sum(count for _, _, count in first["stills"]) > 20


def test_the_next_span_is_one_that_is_still_to_be_decided(ann):
    ann.press("j", "a")
    ann.says("hidden")
    ann.says("because the other camera hides it", "#span-text")
    ann.press("j")
    ann.says("Span 2 of 2, 1 left")
    ann.press("j")
    ann.says("Span 2 of 2, 1 left")


def test_with_two_reviewers_what_stays_hidden_is_not_said_to_be_shown(chromium, serve, folder):
    review_study.two_reviewers(folder)
    with review_study.desk(folder, by="bo") as bo:
        (text,) = bo.recording(1).proposals
        bo.decide(1, "mono", "accept", "text", text.first, text.last, box_xywh=text.box_xywh, proposal_key=text.key)
    ann = Reviewer(chromium, serve())
    ann.press("j")
    ann.says("not decided: hidden unless 2 people show it", "#span-text")
    ann.press("r")
    ann.says("outside the body at 0:01.0: hidden until a second person shows it too. U undoes.")
    left = ann.page.locator("#timeline [aria-label*='left, score 0.40, you show it; hidden until']")
    left.click()
    ann.says("you show it; hidden until a second person shows it too", "#span-text")
    with review_study.desk(folder, by="bo") as bo:
        (left,) = [one for one in bo.recording(0).proposals if one.camera == "left"]
        bo.decide(0, "left", "reject", "out_of_body", left.first, left.last, proposal_key=left.key)
    ann.says("— shown", "#span-text")
    # What somebody hid is hidden, and whoever shows it all the same disagrees.
    ann.page.locator("#list button", has_text="single").click()
    ann.says("single is open")
    ann.press("j")
    ann.says("— hidden", "#span-text")
    ann.press("r")
    ann.says("you show it; people disagree: hidden", "#span-text")
    assert not ann.troubles


OF_SPANS = """async ([proposals, decided]) => {
  const [{ state, spanId }, { standsAs }] = await Promise.all([import("./static/state.js"), import("./static/spans.js")]);
  const own = { camera: "left", kind: "text", source: "text", score: null, disputed: false, inside: [], lens_seen: true };
  const spans = proposals.map((one, place) => ({ ...own, key: `k${place}`, first: 20 * one.start_s, last: 20 * one.end_s - 1, ...one }));
  const { view, mine, times } = state;
  state.view = { ...view, proposals: spans, drawn: [] };
  state.mine = { ...mine, decided: Object.fromEntries(decided.map((place) => [`left:k${place}`, "rejected"])) };
  state.times = {};
  const begun = performance.now();
  const said = state.spans.map((span) => standsAs(span));
  const took = performance.now() - begun;
  Object.assign(state, { view, mine, times });
  return [said, took];
}"""
"""What the page says of spans, as they are or might be, and how many milliseconds that takes; the page itself stays as it is."""


def span(*parts, box=None, decision="mixed", **facts):
    """A proposal as the server tells it, of parts in a row: end in seconds, decision; it begins at 0, or at ``start_s``."""
    ends = [facts.pop("start_s", 0), *(end for end, _ in parts)]
    pieces = [[start, end, what] for start, (end, what) in zip(ends, parts, strict=False)]
    said = parts[0][1] if len(parts) == 1 else decision
    return {"start_s": ends[0], "end_s": ends[-1], "parts": pieces, "decision": said, "box_xywh": box} | facts


NOT_DECIDED = "not decided: hidden unless you show it"
SHOWN, HIDDEN = "rejected", "accepted"


def test_the_reason_for_what_stays_hidden_of_a_span_is_true_of_every_part_of_it(ann):
    spans = [
        span((2, HIDDEN), (4, SHOWN), (10, "unreviewed")),
        span((22, SHOWN), (24, "unreviewed"), start_s=20),
        span((32, HIDDEN), (34, "unreviewed"), start_s=30),
        span((42, HIDDEN), (44, SHOWN), (46, SHOWN), start_s=40),
        span((46, HIDDEN), start_s=45),
        span((51, HIDDEN), (52, HIDDEN), (53, SHOWN), start_s=50, disputed=True),
        span((61, SHOWN), (66, "unreviewed"), start_s=60, inside=["k7"]),
        span((63, "unreviewed"), start_s=62),
        span((72, "unreviewed"), start_s=70),
    ]
    said, _ = ann.page.evaluate(OF_SPANS, [spans, [6]])
    assert said == [
        f"shown but for 0:00.00 to 0:02.00: hidden; 0:04.00 to 0:10.00: {NOT_DECIDED}",
        f"shown but for 0:22.00 to 0:24.00: {NOT_DECIDED}",
        f"0:30.00 to 0:32.00: hidden; 0:32.00 to 0:34.00: {NOT_DECIDED}",
        "shown but for 0:40.00 to 0:42.00: hidden; 0:45.00 to 0:46.00: another span hides it",
        "hidden",
        "shown but for 0:50.00 to 0:52.00: people disagree about a part of it: hidden",
        f"shown but for 1:01.00 to 1:02.00 and 1:03.00 to 1:06.00: {NOT_DECIDED}; "
        "1:02.00 to 1:03.00: another span there is not decided, and hides it",
        NOT_DECIDED,
        NOT_DECIDED,
    ]


def test_a_rectangle_under_a_larger_hidden_one_is_not_said_to_be_shown(ann):
    spans = [
        span((9, HIDDEN), box=[10, 10, 40, 20]),
        span((2, SHOWN), box=[12, 12, 8, 8], start_s=1),
        span((10, SHOWN), box=[10, 10, 40, 20], start_s=3),
        span((10, SHOWN), box=[45, 12, 20, 8], start_s=4),
        span((8, SHOWN), box=[60, 12, 20, 8], start_s=5),
        span((8, SHOWN), start_s=6),
        span((12, "unreviewed"), box=[0, 0, 96, 64], start_s=11),
        span((13, SHOWN), start_s=11.5),
    ]
    said, _ = ann.page.evaluate(OF_SPANS, [spans, [1, 2, 3, 4, 5, 7]])
    assert said == [
        "hidden",
        "shown, but another span hides all of it",
        "shown but for 0:03.00 to 0:09.00: another span hides it",
        "shown but for a part of the picture at 0:04.00 to 0:09.00: another span hides it",
        "shown",
        "shown but for a part of the picture at 0:06.00 to 0:08.00: another span hides it",
        NOT_DECIDED,
        "shown but for 0:11.50 to 0:12.00: another span hides it",
    ]


def test_thousands_of_spans_are_said_without_making_a_person_wait(ann):
    """To look through all of them for each took seconds, at every event."""
    for box in (None, [8, 8, 24, 8]):
        spans = [span((place + 1, SHOWN if place % 2 else HIDDEN), start_s=place, box=box) for place in range(8000)]
        spans.append(span((8000, SHOWN), box=[0, 0, 4, 4]))
        said, took_ms = ann.page.evaluate(OF_SPANS, [spans, list(range(len(spans)))])
        assert sorted(set(said)) == ["hidden", "shown"] if box else len(set(said)) == 3
        assert took_ms < 1500


EDGE = {"x": 2, "y": 4}
"""Of a span in its lane, where none lies over it."""


def propose_one_in_another(folder):
    inner, outer = review_study.proposal("pair", "left", 22, 27), review_study.proposal("pair", "left", 20, 29)
    review_study.propose(folder, [outer, inner])


def test_a_span_that_another_one_inside_it_holds_is_not_said_to_be_shown(chromium, serve, folder):
    propose_one_in_another(folder)
    held = "shown but for 0:01.10 to 0:01.40: another span there is not decided, and hides it"
    ann = Reviewer(chromium, serve())
    ann.press("j", "r")
    ann.says(f"outside the body at 0:01.0: {held}. U undoes.")
    ann.page.locator(f"#timeline [aria-label*='{held}']").click(position=EDGE)
    ann.says(f"— {held}", "#span-text")
    # The inner one is decided by itself; then all of both is shown.
    ann.press("j", "r")
    ann.says("— shown", "#span-text")
    assert ann.page.locator("#timeline [aria-label*='score 0.40, shown']").count() == 2
    # What somebody draws over it hides it all the same.
    with review_study.desk(folder, by="bo") as bo:
        bo.decide(0, "left", "add", "out_of_body", 24, 25)
    ann.page.locator("#timeline [aria-label*='1.5, left'][aria-label*='but for 0:01.20 to 0:01.30: another span hides it']").wait_for()
    assert ann.page.locator("#timeline [aria-label*='another span hides it']").count() == 2
    assert not ann.troubles


def test_with_two_reviewers_is_said_what_each_has_shown_and_what_holds_the_rest(chromium, serve, folder):
    review_study.two_reviewers(folder)
    propose_one_in_another(folder)
    ann = Reviewer(chromium, serve())
    ann.press("j", "r")
    inner = "another span in it, 0:01.10 to 0:01.40, must be decided as well"
    ann.says(f"outside the body at 0:01.0: hidden until a second person shows it too; {inner}. U undoes.")
    with review_study.desk(folder, by="bo") as bo:
        outer, first = [one for one in bo.recording(0).proposals if one.camera == "left"]
        bo.decide(0, "left", "reject", "out_of_body", outer.first, outer.last, proposal_key=outer.key)
        assert [part[2] for part in bo.recording(0).proposals[0].parts] == ["rejected", "unreviewed", "rejected"]
    # Two people have shown it: what is still hidden is hidden for another reason.
    ann.page.locator("#timeline [aria-label*='shown but for 0:01.10 to 0:01.40: another span there']").click(position=EDGE)
    ann.says("and hides it", "#span-text")
    ann.press("j", "r")
    ann.says("outside the body at 0:01.1: hidden until a second person shows it too. U undoes.")
    ann.page.locator("#timeline [aria-label*='shown but for 0:01.10 to 0:01.40: hidden until a second person']").wait_for()
    with review_study.desk(folder, by="bo") as bo:
        bo.decide(0, "left", "accept", "out_of_body", first.first, first.last, proposal_key=first.key)
    ann.page.locator("#timeline [aria-label*='shown but for 0:01.10 to 0:01.40: people disagree: hidden']").wait_for()
    assert not ann.troubles


def test_what_a_person_decides_follows_what_they_saw_of_it(ann, folder):
    ann.press("j", "a")
    ann.says("hidden")
    every = lines(folder)
    # What they look at afterwards is noted as well.
    (decision,) = [number for number, line in enumerate(every) if line["event"] == "decided"]
    seen = [line["facts"] for line in every[:decision] if line["event"] == "seen"]
    stills = [run for facts in seen if (facts["view"], facts["camera"]) == ("lens", "left") for run in facts["stills"]]
    frames = {first + step * place for first, step, count in stills for place in range(count)}
    assert set(range(15, 35)) <= frames


def test_a_span_is_drawn_by_keys_and_undone(ann, folder):
    ann.press("l", "Home", "ArrowRight", "ArrowRight", "ArrowRight", "i")
    ann.says("In at frame")
    first = int(ann.text("#status").rstrip(".").split()[-1])
    ann.press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "o")
    ann.says(f"frames {first} to {first + 4}", "#span-text")
    ann.press("d")
    ann.tell_kind("5", "Enter")
    ann.says("something else")
    assert decided(folder) == [("left", "other", ("add", first, first + 4))]
    # Drawn in one camera, proposed in the other.
    assert any("right" in name and "not decided" in name for name in ann.names("#timeline .proposal"))
    ann.press("u")
    ann.says("Undone")
    assert [line["event"] for line in lines(folder)][-1] == "withdrawn"
    assert not any("something else" in name for name in ann.names("#timeline .proposal"))
    assert not ann.troubles


def test_a_span_is_drawn_by_dragging_over_the_sheet(ann, folder):
    start, end = (ann.cell(place).bounding_box() for place in (1, 2))
    # The left half of a cell is the left camera.
    ann.drag(*((cell["x"] + cell["width"] / 4, cell["y"] + 20) for cell in (start, end)))
    ann.page.locator("#kind-dialog").wait_for()
    assert "frames 20 to 59" in ann.text("#kind-about")
    ann.press("Enter")
    ann.says("is hidden")
    assert decided(folder) == [("left", "out_of_body", ("add", 20, 59))]


def test_a_click_moves_the_cursor_only_also_of_a_hand_that_trembles_and_a_drag_that_comes_back_is_one(ann, folder):
    def marked():
        return ann.page.locator("#sheet .cell.marked").count()

    ann.go_on()
    ann.press("i", "ArrowRight", "o")
    ann.says("Out at frame 20")
    assert marked() == 2
    for place, to in ((3, 3), (3, 2)):
        cell, other = (ann.cell(one).bounding_box() for one in (place, to))
        beside, there = ((one["x"] + 12, one["y"] + 21) for one in (cell, other))
        ann.drag((cell["x"] + 10, cell["y"] + 20), beside, there, beside)
    edge = ann.cell(3).bounding_box()
    ann.drag((edge["x"] + 1, edge["y"] + 20), (edge["x"] - 2, edge["y"] + 21))
    ann.page.wait_for_timeout(300)
    assert ann.page.locator("#kind-dialog[open]").count() == 0
    assert marked() == 2
    assert "cursor" in ann.cell(3).get_attribute("class")
    # What I and O marked is still what D hides.
    ann.press("d")
    ann.page.locator("#kind-dialog[open]").wait_for()
    assert "frames 0 to 20" in ann.text("#kind-about")
    assert not facts(folder, "decided")


def test_a_key_that_is_held_decides_once_and_arrows_go_on(ann, folder):
    ann.go_on()
    for _ in range(3):
        ann.press("i", "o", "d")
        ann.tell_kind("Enter")
        ann.says("is hidden. U undoes")
        ann.press("ArrowRight")
    for _ in range(6):
        ann.page.keyboard.down("u")
        ann.page.wait_for_timeout(100)
    ann.page.keyboard.up("u")
    ann.says("Undone.")
    assert len(facts(folder, "withdrawn")) == 1
    ann.press("Home")
    for _ in range(3):
        ann.page.keyboard.down("ArrowRight")
    ann.page.keyboard.up("ArrowRight")
    ann.page.locator("#sheet .cell.cursor[aria-label^='0:03']").wait_for()
    # The question that a held key opens is not answered by it.
    ann.press("f", "b")
    ann.page.locator("#full-canvas[data-frame]").wait_for()
    for _ in range(3):
        ann.page.keyboard.down("Enter")
        ann.page.wait_for_timeout(100)
    ann.page.keyboard.up("Enter")
    ann.page.locator("#kind-dialog[open]").wait_for()
    assert len(facts(folder, "decided")) == 3
    assert not ann.troubles


def test_new_ends_and_what_was_taken_away_are_undone_to_what_was_hidden(ann, folder):
    ann.go_on()
    ann.press("i", "ArrowRight", "o", "d")
    ann.tell_kind("Enter")
    ann.says("is hidden. U undoes")
    drawn = ann.page.locator("#timeline .proposal[aria-label*='outside the body']")
    drawn.click()
    ann.says("to 0:01.05", "#span-text")
    ann.press("ArrowRight", "ArrowRight", "o", "e")
    ann.says("new ends")
    ann.press("u")
    ann.says("Undone.")
    drawn.click()
    ann.says("to 0:01.05", "#span-text")
    ann.press("r")
    ann.says("taken away")
    assert drawn.count() == 0
    ann.press("u")
    ann.says("Undone.")
    drawn.wait_for()
    ann.press("p")
    ann.says("pair is open")
    ann.press("u")
    ann.says("your last decision is about 'single', mono, frames 0 to 20: open it to undo that")
    with review_study.desk(folder) as desk:
        assert [(one.first, one.last) for one in desk.recording(1).drawn] == [(0, 20)]


def test_a_rectangle_is_drawn_by_keys_and_by_dragging_and_shown_black(ann, folder):
    ann.go_on()
    ann.press("f")
    ann.page.locator("#full-canvas[data-frame]").wait_for()
    ann.press("b", "ArrowRight", "ArrowDown", "Shift+ArrowLeft", "Control+ArrowLeft")
    ann.page.locator("#rectangle").wait_for()
    ann.press("Enter")
    ann.tell_kind("Enter")
    ann.says("the rectangle is hidden")
    # 96 x 64 pixels: steps of 2, from the middle.
    assert facts(folder, "decided")[0]["box_xywh"] == [30, 28, 36, 13]
    assert decided(folder)[0] == ("mono", "text", ("add", 0, 69))
    area = ann.page.locator("#full-canvas").bounding_box()
    scale = area["width"] / 96
    ann.drag(*((area["x"] + x * scale, area["y"] + y * scale) for x, y in ((2, 4), (22, 14))))
    ann.tell_kind("5", "Enter")
    ann.says("something else: the rectangle is hidden")
    assert facts(folder, "decided")[1]["box_xywh"] == [2, 4, 20, 10]
    ann.press("v")
    ann.page.locator("#full-text", has_text="as released").wait_for()
    # The text is there before the picture.
    ann.page.wait_for_function("""() => {
        const context = document.getElementById("full-canvas").getContext("2d");
        return [[40, 33], [12, 8]].every(([x, y]) => context.getImageData(x, y, 1, 1).data[1] < 25);
    }""")
    assert not ann.troubles


def test_one_finger_draws_a_rectangle_and_two_or_one_that_is_taken_away_draw_nothing(chromium, server, folder):
    ann = Reviewer(chromium, server, has_touch=True)
    ann.go_on()
    ann.page.mouse.move(*middle(ann.cell(1)))
    ann.page.mouse.down()
    ann.page.mouse.move(*middle(ann.cell(2)))
    # As where the browser takes a pointer away to scroll.
    ann.page.dispatch_event("#sheet-cells", "pointercancel")
    ann.page.mouse.up()
    assert ann.page.locator("#sheet .cell.marked, #kind-dialog[open]").count() == 0
    ann.press("f")
    ann.page.locator("#full-canvas[data-frame]").wait_for()
    area = ann.page.locator("#full-canvas").bounding_box()
    fingers = browser.fingers(ann.page)
    start, end, other = ((area["x"] + x * area["width"] / 96, area["y"] + y * area["width"] / 96) for x, y in ((2, 4), (22, 14), (60, 40)))
    fingers("touchStart", other)
    fingers("touchStart", other, start)
    fingers("touchMove", end, other)
    fingers("touchEnd")
    assert ann.page.locator("#rectangle:visible, #kind-dialog[open]").count() == 0
    fingers("touchStart", start)
    fingers("touchMove", end)
    fingers("touchEnd")
    ann.tell_kind("Enter")
    ann.says("the rectangle is hidden")
    assert [said["box_xywh"] for said in facts(folder, "decided")] == [[2, 4, 20, 10]]


@pytest.mark.parametrize("is_left", [True, False])
def test_a_rectangle_is_forgotten_where_full_size_is_left_or_a_key_pressed_in_the_middle_of_it(ann, is_left):
    ann.go_on()
    ann.press("f")
    ann.page.locator("#full-canvas[data-frame]").wait_for()
    x, y = middle(ann.page.locator("#full-canvas"))
    ann.page.mouse.move(x, y)
    ann.page.mouse.down()
    # So near that there is no rectangle yet.
    ann.page.mouse.move(x + 2, y + 2)
    if is_left:
        ann.page.evaluate("document.getElementById('full').close()")
    else:
        ann.press("f")
    assert ann.page.locator("#full[open]").count() == (not is_left)
    ann.page.mouse.move(x + 90, y + 60, steps=4)
    ann.page.mouse.up()
    ann.says("No rectangle was drawn")
    ann.press("End", *"f" * is_left)
    ann.page.locator("#full-canvas[data-frame]").wait_for()
    assert ann.page.locator("#rectangle:visible, #kind-dialog[open]").count() == 0
    assert not ann.troubles


@pytest.mark.parametrize("key", ["Escape", "d", None])
def test_what_is_drawn_on_the_sheet_ends_with_any_key_which_is_said_or_another_recording(ann, key):
    ann.go_on()
    ann.press("i")
    ann.page.mouse.move(*middle(ann.cell(1)))
    ann.page.mouse.down()
    ann.page.mouse.move(*middle(ann.cell(2)), steps=4)
    assert ann.page.locator("#sheet .cell.marked").count() == 2
    if key:
        ann.press(key)
        ann.says("Nothing was marked")
    else:
        ann.page.dispatch_event("#list button", "click")
        ann.says("pair is open")
    ann.page.mouse.move(*middle(ann.cell(1)))
    ann.page.mouse.up()
    ann.page.dispatch_event("#sheet-cells", "contextmenu")
    assert ann.page.locator("#kind-dialog[open]").count() == 0
    assert ann.page.locator("#sheet .cell.marked").count() == (key is not None)
    assert not ann.troubles


def test_new_ends_of_a_span_are_kept(ann, folder):
    ann.go_on()
    ann.press("j")
    ann.says("Span 1 of 1")
    ann.press("l", "ArrowRight", "ArrowRight", "i", "e")
    ann.says("new ends")
    assert decided(folder) == [("mono", "text", ("reject", 40, 41), ("accept", 42, 49))]


def test_a_reload_in_the_middle_keeps_the_place_and_what_was_decided(ann, folder):
    ann.press("j", "a")
    ann.says("hidden")
    ann.says("because the other camera hides it", "#span-text")
    place = ann.page.evaluate("location.hash")
    ann.page.reload()
    ann.opened()
    assert place.startswith("#0/")
    assert ann.page.evaluate("location.hash") == place
    assert any("left" in name and "hidden" in name for name in ann.names("#timeline .proposal"))
    ann.press("n")
    ann.says("single is open")
    ann.page.reload()
    ann.says("single is open")
    assert len(facts(folder, "decided")) == 1


def test_a_recording_is_excluded_with_a_reason_and_taken_back(ann, folder):
    ann.press("x")
    ann.page.locator("#reason-dialog").wait_for()
    ann.page.keyboard.type("consent withdrawn")
    ann.press("Enter")
    ann.says("The recording is excluded")
    assert facts(folder, "excluded")[0]["why"] == "consent withdrawn"
    ann.page.locator("#todo", has_text="consent withdrawn").wait_for()
    ann.press("x")
    ann.says("no longer excluded")
    assert lines(folder)[-1]["event"] == "withdrawn"


def test_what_was_acknowledged_until_a_day_that_is_over_is_asked_again(chromium, serve, folder):
    review_study.set_aside(folder, "broken")
    says = {"subject": "quarantine", "key": "broken", "why": "comes again", "until": "2026-01-31"}
    then = Ledger(folder / LEDGER_PATH, clock=lambda: datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC))
    then.append("acknowledged", says, by="bo", session="s")
    ann = Reviewer(chromium, serve())
    ann.press("q")
    chosen = ann.page.locator("#reason-dialog select[name=which] option")
    assert chosen.inner_text().startswith("quarantined: broken")
    assert "what bo acknowledged ended on 2026-01-31" in chosen.inner_text()
    ann.page.fill("#reason-dialog input[name=why]", "known")
    ann.page.fill("#reason-dialog input[name=until]", "2026-01-31")
    ann.press("Enter")
    assert ann.page.locator("#reason-dialog input[name=until]:invalid").count() == 1
    assert len(lines(folder)) == 1
    ann.page.fill("#reason-dialog input[name=until]", "2096-01-31")
    ann.press("Enter")
    ann.says("Acknowledged.")
    ann.press("q")
    assert chosen.inner_text().startswith("✓ quarantined: broken")
    assert not ann.troubles


def test_who_stands_in_the_list_stays_there_when_a_decision_changes_it(ann):
    ann.press("j")
    ann.says("Span 1 of 2")
    # What the list will say comes only when somebody stands in it.
    study = Held(ann.page, "/api/study$")
    ann.press("a")
    ann.says("hidden")
    entry = ann.page.locator("#list button", has_text="single")
    entry.focus()
    ann.page.evaluate("[...document.querySelectorAll('#list button')].forEach((button) => (button.dataset.old = 'yes'))")
    study.come()
    study.let_go()
    ann.page.locator("#list button:not([data-old])").first.wait_for()
    ann.press("Enter")
    ann.says("single is open")


def test_a_hostile_name_stays_text(chromium, tmp_path):
    folder = review_study.project(tmp_path / "study", single=HOSTILE)
    with review_server.running(folder) as running:
        ann = Reviewer(chromium, running)
        ann.page.locator("#list button", has_text="onerror").click()
        ann.page.locator("#name", has_text="onerror").wait_for()
        ann.opened()
        ann.press("j", "m")
        ann.page.locator("#overview-dialog").wait_for()
        assert ann.text("#name") == HOSTILE
        assert ann.page.locator("img").count() == 0
        assert not ann.troubles


def test_nothing_is_loaded_from_elsewhere_and_no_address_or_title_names_a_recording(ann, server):
    ann.press("n")
    ann.says("single is open")
    ann.press("j", "f")
    ann.page.locator("#full-canvas[data-frame]").wait_for()
    own = f"http://127.0.0.1:{server.port}/"
    assert all(url.startswith(own) for url in ann.asked)
    assert not any(name in text for name in ("single", "pair", server.token) for text in (*ann.asked[1:], ann.page.url, ann.page.title()))
    assert ann.page.evaluate("document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)") == "{}{}"


def test_two_pages_see_each_others_decisions(chromium, ann, server, folder):
    other = Reviewer(chromium, server)
    ann.press("j", "a")
    ann.says("hidden")
    other.page.locator("#timeline .proposal[aria-label*='left'][aria-label*='hidden']").wait_for()
    other.page.context.close()


def test_a_low_window_has_room_for_stills_and_scrolls_to_the_lens(chromium, server):
    ann = Reviewer(chromium, server, waits=False)
    ann.page.set_viewport_size({"width": 640, "height": 360})
    ann.opened()
    assert ann.page.locator("#sheet").bounding_box()["height"] >= 190
    ann.press("j")
    ann.says("Span 1")
    (main, footer) = (ann.page.locator(name).bounding_box() for name in ("main", "footer"))
    assert main["y"] + main["height"] <= footer["y"]
    for pane in ("#lens", "#sheet"):
        ann.page.locator(pane).scroll_into_view_if_needed()
        area = ann.page.locator(pane).bounding_box()
        assert main["y"] <= area["y"] + 1, pane
        assert area["y"] + area["height"] <= footer["y"] + 1, pane
    assert ann.page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]") == [360, 640]
    assert ann.troubles == []


WATCH = """() => {
    window.whole = new Set();
    setInterval(() => {
        const room = document.getElementById("sheet-scroll").getBoundingClientRect();
        for (const button of document.querySelectorAll("#sheet .cell")) {
            const at = button.getBoundingClientRect();
            const isWhole = at.top >= room.top - 1 && at.bottom <= Math.min(room.bottom, innerHeight) + 1;
            if (isWhole) for (const one of button.cell.stills) if (one) window.whole.add(`${one.camera} ${one.frame}`);
        }
    }, 20);
}"""


@pytest.mark.parametrize("size", [(1093, 512), (1366, 600), (1280, 720)])
def test_a_still_is_seen_only_when_all_of_it_was_on_the_screen_however_large_it_is_made(chromium, server, folder, size):
    """What a low window cuts off may be where a name is burned in."""
    ann = Reviewer(chromium, server, waits=False)
    ann.page.set_viewport_size({"width": size[0], "height": size[1]})
    ann.opened()
    ann.page.evaluate(WATCH)
    for _ in range(8):
        ann.press("]")
    keyboard.look(ann.page)
    seen = {
        f"{line['camera']} {first + step * number}"
        for line in facts(folder, "seen")
        if line["view"] == "sheet"
        for first, step, count in line["stills"]
        for number in range(count)
    }
    assert len(seen) >= 6
    assert seen <= set(ann.page.evaluate("[...window.whole]"))
    assert ann.troubles == []


def test_everything_fits_a_small_screen_and_has_a_name(ann):
    ann.press("j")
    ann.says("Span 1")
    ann.page.locator("#lens .block.loaded").first.wait_for()
    fits = ann.page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]")
    assert fits == [browser.SIZE["height"], browser.SIZE["width"]]
    unnamed = ann.page.evaluate("""() => {
        const named = (one) => one.ariaLabel || one.title || one.textContent.trim();
        const every = document.querySelectorAll("button, canvas + button, section, nav, dialog, [role=img]");
        return [...every].filter((one) => !named(one)).length;
    }""")
    assert unnamed == 0
    # The footer is on the screen, the lens above it, and the focus on a still.
    bottom = ann.page.locator("#lens").bounding_box()
    assert bottom["y"] + bottom["height"] <= ann.page.locator("footer").bounding_box()["y"] + 1
    assert ann.page.evaluate("document.activeElement.className").startswith("cell")


SPACED = "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }"
"""What a reader may ask of every text (WCAG 1.4.12)."""
IS_CUT = """() => {
    const one = document.getElementById("span-text");
    const text = document.createRange();
    text.selectNodeContents(one);
    const isOver = text.getBoundingClientRect().bottom > document.getElementById("span").getBoundingClientRect().bottom + 1;
    return isOver || one.scrollHeight > one.clientHeight + 1;
}"""


def test_however_far_somebody_zooms_in_how_a_span_stands_is_read_to_its_end(ann):
    ann.press("j")
    ann.says("Span 1")
    for size in ((853, 480), (640, 360), (320, 640), (1280, 720)):
        ann.page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        ann.page.wait_for_selector(f"#fold[aria-expanded={str(size[0] == 1280).lower()}]")
        assert not ann.page.evaluate(IS_CUT), size
        assert browser.overflow_px(ann.page) == 0
    ann.page.evaluate(
        "(rules) => { const sheet = new CSSStyleSheet(); sheet.replaceSync(rules); document.adoptedStyleSheets = [sheet]; }", SPACED
    )
    assert not ann.page.evaluate(IS_CUT)


def test_after_a_choice_the_keys_are_the_pages_and_who_came_by_keys_to_what_is_left_stays_there(ann, folder):
    ann.page.locator("#filter").focus()
    ann.press("ArrowDown")
    assert ann.page.evaluate("document.activeElement.id") == "filter"
    ann.page.locator("#filter").click()
    ann.page.locator("#filter").select_option("left")
    ann.press("j")
    ann.says("Span 1")
    ann.press("a")
    ann.says("hidden. U undoes")
    ann.page.locator("#todo button", has_text="next recording").focus()
    ann.press("u")
    ann.says("Undone.")
    assert ann.page.evaluate("document.activeElement.dataset.key") == "N"
    assert ann.page.locator("#filter").input_value() == "left"
    # Nor does a button that was clicked take the next key; so soon after the span came, it would not count.
    ann.page.wait_for_timeout(keyboard.CAME_MS)
    ann.page.locator("#reject").click()
    assert ann.page.evaluate("document.activeElement.id") != "reject"
    ann.says("U undoes")
    assert len(decided(folder)) == 2


def test_a_very_narrow_window_needs_no_scrolling_to_the_side(chromium, tmp_path):
    folder = review_study.project(tmp_path / "study", single="W" * 140)
    with review_server.running(folder, "--by", "ann") as server:
        ann = Reviewer(chromium, server)
        ann.press("j")
        ann.says("Span 1")
        for width, height in ((390, 700), (320, 500)):
            ann.page.set_viewport_size({"width": width, "height": height})
            ann.page.wait_for_selector("#fold[aria-expanded=false]")
            for _ in range(2):
                ann.page.click("#fold")
                assert browser.overflow_px(ann.page) == 0
                foot = ann.page.locator("footer").bounding_box()
                assert foot["y"] + foot["height"] <= height + 1
                assert ann.page.locator("#sheet").bounding_box()["height"] >= 150


def test_a_narrow_window_squeezes_no_pane_over_another_one(chromium, server):
    ann = Reviewer(chromium, server, waits=False)
    ann.page.set_viewport_size({"width": 400, "height": 720})
    ann.opened()
    if ann.page.get_attribute("#fold", "aria-expanded") == "false":
        ann.page.click("#fold")  # with the list there is least room
    ann.press("j")
    ann.says("Span 1")
    assert (
        ann.page.evaluate("""() => ["timeline", "span"].filter((name) => {
        const one = document.getElementById(name);
        return one.scrollHeight > one.clientHeight + 1;
    })""")
        == []
    )
    ann.page.locator("#full-button").scroll_into_view_if_needed()
    ann.page.locator("#full-button").click(timeout=30_000)
    ann.page.locator("#full[open]").wait_for()
    assert ann.troubles == []


def test_on_paper_a_window_of_usual_width_is_not_cut(chromium, server):
    """Stills and spans stay as wide on paper as they were on the screen, as no program of the page runs while it is printed."""
    ann = Reviewer(chromium, server, waits=False)
    ann.page.set_viewport_size({"width": 1920, "height": 1080})
    ann.opened()
    right_px = ann.page.evaluate(
        "Math.max(...[...document.querySelectorAll('.cell, .proposal')].map((one) => one.getBoundingClientRect().right))"
    )
    widths = [set(re.findall(rb"/MediaBox \[0 0 ([0-9.]+)", ann.page.pdf(format=paper))) for paper in ("A4", "Letter")]
    ann.page.emulate_media(media="print")
    zoom = float(browser.style(ann.page.locator("body"), "zoom"))
    margins_px = 2 * 38
    assert right_px > 1500
    for (width,) in widths:
        assert right_px * zoom <= float(width) / 72 * 96 - margins_px


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_with_few_colours_of_the_reader_every_state_can_still_be_told(chromium, server, folder, scheme):
    with review_study.desk(folder, by="ann") as desk:
        review_study.see(desk, 0, "left", "sheet", [0])
        review_study.see(desk, 0, "right", "sheet", [0])
    ann = Reviewer(chromium, server, color_scheme=scheme, forced_colors="active")
    ann.press("j", "a")
    accepted, undecided = ann.page.locator(".proposal:has(.accepted)"), ann.page.locator(".proposal:has(.unreviewed)")
    accepted.wait_for()
    ground, ink = (browser.style(ann.page.locator("#timeline"), name) for name in ("backgroundColor", "color"))
    assert browser.style(accepted.locator(".part"), "backgroundColor") == ink != ground
    assert "repeating-linear-gradient" in browser.style(undecided.locator(".part"), "backgroundImage")
    seen, unseen = ann.page.locator(".coverage"), ann.page.locator(".coverage .unseen").first
    assert browser.style(seen, "backgroundColor") == ink
    assert browser.style(unseen, "backgroundColor") == ground
    assert len(browser.colours(seen)) >= 2
    assert ann.text(".lane-names span:last-child") == "seen (empty: not yet)"
    assert browser.style(ann.page.locator(".cursor-line"), "backgroundColor") not in (ground, ink)
    assert "inset" in browser.style(ann.page.locator(".cell.cursor").first, "boxShadow")
    here, other = ann.page.locator("#list [aria-current]"), ann.page.locator("#list button:not([aria-current])")
    assert browser.style(other, "borderLeftColor") == ground != browser.style(here, "borderLeftColor")


def test_when_the_server_has_gone_the_page_says_so_and_claims_nothing(ann, server, folder):
    ann.press("j")
    ann.says("Span 1")
    server.process.kill()
    ann.press("a")
    ann.page.locator("#banner", has_text="The server does not answer").wait_for()
    assert "hidden. U undoes" not in ann.text("#status")
    assert not facts(folder, "decided")


def test_a_frame_that_cannot_be_decoded_takes_no_other_with_it_and_is_not_seen(chromium, server, folder):
    def answer(route):
        frames = route.request.url.partition("frames=")[2].partition("&")[0].split(",")
        if "20" in frames and "/left?" in route.request.url:
            route.fulfill(status=410, content_type="application/json", body='{"error": "frame 20 cannot be decoded"}')
        else:
            route.continue_()

    ann = Reviewer(chromium, server, before=lambda page: page.route("**/stills/**", answer))
    ann.page.locator("#sheet .cell.failed").wait_for()
    assert ann.names("#sheet .cell.failed") == [FAILED]
    for _ in range(keyboard.MOST_KEYS):
        if ann.page.locator("#todo", has_text="2 s not seen").count():
            break
        ann.press(" ")
        ann.page.wait_for_timeout(100)
    # The other camera's still is hatched as well, so it does not count either, however often somebody goes on.
    for _ in range(10):
        ann.press(" ")
        ann.page.wait_for_timeout(100)
    assert "2 s not seen" in ann.text("#todo")
    sheet = [line for line in facts(folder, "seen") if line["view"] == "sheet" and line["camera"] == "left"]
    assert [one["seconds"] for one in sheet] == [[[0, 0], [2, 2]]]


def test_while_the_pipeline_writes_tables_the_page_waits_and_goes_on(ann, folder):
    path = folder / "data/interim/proposals.parquet"
    table = path.read_bytes()
    path.unlink()
    ann.page.locator("#banner", has_text="the pipeline is running").wait_for()
    path.write_bytes(table)
    ann.page.locator("#banner").wait_for(state="hidden")
    ann.press("j", "a")
    ann.says("hidden")
    assert decided(folder) == [("left", "out_of_body", ("accept", 20, 29))]


@pytest.mark.parametrize(("before", "after"), [("?", "Escape"), ("v", "v")])
def test_what_is_behind_a_dialog_or_blackened_is_not_seen(chromium, server, folder, before, after):
    held = []

    def hold(route):
        held.append(route)

    ann = Reviewer(chromium, server, before=lambda page: page.route("**/stills/**", hold), waits=False)
    ann.says("pair is open")
    ann.press(before)
    ann.page.wait_for_timeout(500)
    ann.page.route("**/stills/**", lambda route: route.continue_())
    for route in held:
        with contextlib.suppress(Exception):
            route.continue_()  # those of before the preview are no longer wanted
    ann.page.locator("#sheet .block.loaded").first.wait_for()
    ann.page.wait_for_timeout(3000)
    assert not facts(folder, "seen")
    ann.press(after)
    keyboard.look(ann.page)


def test_what_is_still_on_screen_of_the_recording_before_is_not_seen_of_the_next(ann, server, folder):
    for _ in range(4):
        ann.press("Shift+N")
        ann.says("single is open")
        ann.page.wait_for_timeout(150)
        ann.press("p")
        ann.says("pair is open")
        ann.page.wait_for_timeout(150)
    ann.page.wait_for_timeout(2500)
    assert not ann.troubles
    assert {(line["recording"], line["camera"]) for line in facts(folder, "seen")} <= set(review_study.FILES)


def test_a_sample_is_looked_at_by_keyboard_alone_and_its_outcomes_stand_in_the_ledger(chromium, study_released, tmp_path):
    folder = made_once.copy(study_released, tmp_path / "study")
    with review_server.running(folder, "--sample", "4", "--by", "ann") as server:
        ann = Reviewer(chromium, server)
        assert "5 stills a second" in ann.text("#view-state")
        names = [one.inner_text() for one in ann.page.locator("#list .name").all()]
        for place, name in enumerate(names):
            ann.page.locator("#name", has_text=name).wait_for()
            keyboard.look(ann.page)
            if place == 2:
                ann.press("x")
                ann.page.locator("#reason-dialog").wait_for()
                ann.page.keyboard.type(HOSTILE)
                ann.press("Enter")
                ann.says(".venv/bin/scrubin review --at ")
                ann.press("n")
            else:
                ann.press("y")
        ann.page.locator("#overview-title", has_text="Every clip was looked at").wait_for()
        assert "1 finding" in ann.text("#overview")
        assert not ann.troubles
        ann.page.context.close()
        assert server.interrupt() == 1
        assert "4 of 4 clips were drawn at random (seed 0) and looked at: 1 finding" in server.output
    checked = facts(folder, "checked")
    assert [(one["outcome"], one["why"]) for one in checked] == [("clean", ""), ("clean", ""), ("finding", HOSTILE), ("clean", "")]


def test_a_sample_goes_on_where_it_stopped(chromium, study_released, tmp_path):
    folder = made_once.copy(study_released, tmp_path / "study")
    for left in (2, 1):
        with review_server.running(folder, "--sample", "2", "--by", "ann") as server:
            ann = Reviewer(chromium, server)
            ann.page.locator("#pace", has_text=f"{2 - left} of 2 done").wait_for()
            keyboard.look(ann.page)
            ann.press("y")
            ann.page.locator("#pace", has_text=f"{3 - left} of 2 done").wait_for()
            ann.page.context.close()
            assert server.interrupt() == 0
    assert len(facts(folder, "sampled")) == 1
    assert "2 of 4 clips were drawn at random (seed 0) and looked at: 0 findings" in server.output


def test_a_sample_of_which_somebody_withdrew_says_on_the_page_what_the_terminal_says(chromium, study_released, tmp_path, monkeypatch):
    folder = made_once.copy(study_released, tmp_path / "study")
    monkeypatch.chdir(folder)
    drawn = review.draw_clips(4, 0, "ann")
    with review_study.desk(folder, "ann") as desk:
        for clip in drawn.clips:
            desk.check(drawn.videos, clip, "clean", "")
    with review_server.running(folder, "--sample", "4", "--by", "ann") as server:
        ann = Reviewer(chromium, server)
        review_study.withdraw(folder, "pair")
        ann.page.locator("#list li.not-kept").wait_for()
        ann.press("m")
        assert "You looked at 3 clips: 0 findings. Somebody withdrew of whom 1 clip was drawn" in ann.text("#overview")
        ann.page.context.close()
        assert server.interrupt() == 0
        assert "run the same command again" in server.output
