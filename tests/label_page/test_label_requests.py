"""Who may ask the label page what, which requests it refuses, and which frame a picture shows."""

from __future__ import annotations

import io
from dataclasses import replace
from fractions import Fraction

import av
import cv2
import numpy as np
import pytest
from anyio.from_thread import start_blocking_portal

import label_client
import labelled_study
import review_study
import sampled_release
from each import each
from label_client import Labeller, change
from labelled_study import SINGLE
from page_client import OWN, POST
from scrubin.base.layout import RELEASE
from scrubin.curate.label import people

PATHS = ["/", "/api/work", "/api/changes?head=x", f"/api/recordings/{SINGLE}", f"/api/recordings/{SINGLE}/mono/times"]
PATHS += [f"/pictures/{SINGLE}/mono?frames=0&height=64&columns=1", "/nothing"]


@pytest.fixture
def portal():
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture
def app(bench):
    app = label_client.app_of(bench)
    yield app
    app.stills.close()


@pytest.fixture
def mine(bench):
    return bench.standing().assigned["single"]


@pytest.fixture
def ann(app, portal, tokens, mine):
    return Labeller(app, portal, tokens[mine[0]])


@each("path", PATHS)
def test_without_a_token_nothing_is_answered(app, portal, path):
    answer = Labeller(app, portal).get(path)
    assert answer.status_code == 403
    assert set(answer.json()) == {"error"}


def test_a_token_becomes_a_cookie_that_no_script_and_no_other_site_has(app, portal, tokens):
    page = Labeller(app, portal)
    assert page.post("/enter", {"token": "x" * 32}).status_code == 403
    cookie = page.post("/enter", {"token": tokens[1]}).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    assert page.get("/api/work").json()["you"] == 1


def test_who_is_shut_out_is_out_at_once(ann, folder, mine):
    assert ann.get("/api/work").status_code == 200
    people.shut_out(next(one.name for one in people.load(folder / people.PATH) if one.number == mine[0]), folder / people.PATH)
    refused = ann.get("/api/work")
    assert refused.status_code == 403
    # The address stays the same, and the start of the server has nothing to do with it.
    assert refused.json()["error"].startswith("your token counts no longer; what you labelled is kept; ask whoever leads the study for")
    assert ann.label(SINGLE, change("phases", "a", 0, 9, "preparation")).status_code == 403


def test_who_brings_no_token_is_told_where_to_come_in(app, portal):
    refused = Labeller(app, portal).get("/api/work")
    assert (refused.status_code, "token first, at /enter" in refused.json()["error"]) == (403, True)


@each("headers", [{**POST, "Origin": "http://evil.example"}, {**POST, "X-Scrubin": "0"}, {"Origin": OWN, "X-Scrubin": "1"}])
def test_other_pages_cannot_label(ann, headers):
    body = {"id": SINGLE, "film": ann.film(SINGLE), "changes": [change("phases", "a", 0, 9, "preparation")], "nonce": "0123456789"}
    assert ann.post("/api/label", body, headers).status_code == 403
    assert ann.get(f"/api/recordings/{SINGLE}").json()["items"] == {}


CHANGES = [
    None,
    [None],
    [{"layer": "phases"}],
    [{"layer": "secrets", "key": "a", "value": None}],
    [{"layer": "phases", "key": 7, "value": None}],
    [{"layer": "phases", "key": "../a", "value": {"first": 0, "end": 9, "label": "preparation"}}],
    [change("phases", "a", 0, 9, "")],
    [{"layer": "phases", "key": "a", "value": {"first": 0.5, "end": 9, "label": "preparation"}}],
    [{"layer": "phases", "key": "a", "value": {"first": True, "end": 9, "label": "preparation"}}],
    [{"layer": "phases", "key": "a", "value": {"first": 0, "end": 9, "label": "preparation", "by": "2"}}],
    [{"layer": "ratings", "key": "sheet", "value": {"scores": {"efficiency": "3"}, "failed": False, "errors": {}, "remark": ""}}],
    [change("ratings", "sheet", 0, 9, "preparation")],
    [change("phases", "a", 0, 9, "preparation"), change("phases", "a", 9, 12, "preparation")],
    [],
    [change("phases", f"k{number}", number, number + 1, "preparation") for number in range(501)],
    [{"layer": "triplets", "key": "0", "value": {"frame": 0, "triplets": []}}],
    *(
        [{"layer": "ratings", "key": "sheet", "value": {"scores": {"efficiency": points}, "failed": False, "errors": {}, "remark": ""}}]
        for points in (float("nan"), float("inf"), 10**400)
    ),
    [{"layer": "ratings", "key": "other", "value": {"scores": {"efficiency": 3}, "failed": False, "errors": {}, "remark": ""}}],
]


@each("changes", CHANGES)
def test_what_the_page_never_sends_is_refused_with_a_sentence_and_nothing_is_written(ann, bench, changes):
    head = bench.head
    answer = ann.say("/api/label", id=SINGLE, changes=changes)
    assert answer.status_code in (400, 409)
    assert answer.json()["error"]
    assert bench.head == head


@each("path", ["/api/label", "/api/settle", "/api/take", "/api/refuse"])
def test_a_page_of_another_cut_labels_nothing_because_its_frame_numbers_mean_other_pictures(ann, bench, path):
    """A tab stays open while the recording is released anew with another trim, and the server is started again."""
    more = {
        "/api/label": {"changes": [change("phases", "a", 0, 9, "preparation")]},
        "/api/settle": {"layer": "phases", "first": 0, "end": 9, "spans": [], "seen": ""},
        "/api/take": {"picks": [{"proposal": "a", "part": None}]},
        "/api/refuse": {"picks": [{"proposal": "a", "part": None}], "refused": True},
    }[path]
    head = bench.head
    answer = ann.say(path, id=SINGLE, film="0" * 16, **more)
    assert (answer.status_code, "cut otherwise than on your page: nothing was labelled" in answer.json()["error"]) == (409, True)
    assert bench.head == head
    one = bench.recordings[SINGLE].pictures
    assert one.film == replace(one, sampled=()).film
    assert len({one.film, replace(one, first=one.first + 1).film, replace(one, end=one.end + 1).film}) == 3


@each("field, value, status", [("seen", "0" * 64, 409), ("seen", None, 400), ("layer", "phases", 200)])
def test_an_answer_is_to_what_the_page_showed_or_nothing_is_settled(app, portal, tokens, bench, mine, field, value, status):
    one, other, chief = (Labeller(app, portal, tokens[number]) for number in (*mine, 4))
    for who, label in ((one, "preparation"), (other, "clipping-and-cutting")):
        who.label(SINGLE, change("phases", "a", 0, 90, label))
        who.say("/api/done", id=SINGLE, done=True)
    (dispute,) = chief.get(f"/api/recordings/{SINGLE}").json()["disputes"]
    head, body = bench.head, {key: dispute[key] for key in ("layer", "first", "end", "seen")}
    answer = chief.say("/api/settle", id=SINGLE, spans=[], **body | {field: value})
    assert (answer.status_code, bench.head == head) == (status, status != 200)


def test_a_typed_action_is_spelt_or_refused_with_the_near_miss(ann, bench):
    head = bench.head
    assert ann.named("Hook", "dissect", "GALLBLADDER").json() == {"label": "hook", "verb": "dissect", "target": "gallbladder"}
    assert ann.named("hook").json() == {"label": "hook", "verb": "", "target": ""}
    refused = ann.named("hook", "dissect", "galbladder")
    assert (refused.status_code, "did you mean 'gallbladder'?" in refused.json()["error"]) == (409, True)
    assert ann.named("hook", "dissect").json()["error"].startswith("an action is instrument, verb and target")
    assert ann.named("hook", layer="phases").status_code == 400
    assert bench.head == head


def test_a_layer_that_the_study_does_not_label_is_refused_by_the_names_of_those_that_it_does(ann):
    for layer in ("triplets", "boxes"):
        for answer in (
            ann.say("/api/label", id=SINGLE, changes=[{"layer": layer, "key": "0", "value": None}]),
            ann.say("/api/settle", id=SINGLE, layer=layer, first=0, end=9, spans=[], seen=""),
        ):
            assert answer.status_code == 400
            assert "'layer' must be one of phases, actions, quality, ratings" in answer.json()["error"]


HALF = "\ud800"
"""Half of a surrogate pair, which is no character."""


@each(
    "path, body",
    [
        ("/api/label", {"id": SINGLE, "changes": [change("phases", HALF, 0, 9, "preparation")]}),
        ("/api/label", {"id": SINGLE, "changes": [change("phases", "a", 0, 9, HALF)]}),
        ("/api/label", {"id": SINGLE, "changes": [change("phases", "a", 0, 9, "preparation", **{HALF: ""})]}),
        ("/api/done", {"id": HALF, "done": True}),
        ("/api/refuse", {"id": SINGLE, "picks": [{"proposal": HALF, "part": None}], "refused": True}),
        ("/enter", {"token": HALF}),
    ],
)
def test_a_text_that_cannot_be_written_is_refused_with_a_sentence(ann, bench, path, body):
    head = bench.head
    answer = ann.post(path, body) if path == "/enter" else ann.say(path, **body)
    assert answer.status_code == 400
    assert "half a character" in answer.json()["error"]
    assert bench.head == head


def test_an_undo_says_whether_something_was_taken_back(ann):
    assert ann.say("/api/undo", id=SINGLE).json()["taken_back"] is False
    ann.label(SINGLE, change("phases", "a", 0, 9, "preparation"))
    ann.say("/api/done", id=SINGLE, done=True)
    assert "another page of yours" in ann.say("/api/undo", id=SINGLE, last=0).json()["error"]
    assert [ann.say("/api/undo", id=SINGLE).json()["taken_back"] for _ in range(2)] == [True, False]


def test_two_tabs_of_a_person_and_two_people_label_at_the_same_time(app, portal, tokens, mine):
    one, tab, other = (Labeller(app, portal, tokens[number]) for number in (mine[0], mine[0], mine[1]))
    assert one.label(SINGLE, change("phases", "a", 0, 9, "preparation")).status_code == 200
    refused = tab.label(SINGLE, change("phases", "b", 5, 20, "clipping-and-cutting"))
    assert refused.status_code == 409
    assert "at the same time" in refused.json()["error"]
    assert other.label(SINGLE, change("phases", "b", 5, 20, "clipping-and-cutting")).status_code == 200
    assert list(tab.get(f"/api/recordings/{SINGLE}").json()["items"]["phases"]) == ["a"]
    changed = tab.get("/api/changes?head=0").json()
    assert changed["changed"]


def sheet(remark="", *, failed=False, errors=None, **scores):
    return {"scores": scores, "failed": failed, "errors": errors or {}, "remark": remark}


@each(
    "before, elsewhere, said, stands",
    [
        (None, sheet(efficiency=3), sheet(depth_perception=4), sheet(efficiency=3, depth_perception=4)),
        (sheet(efficiency=3), None, sheet("smoke", efficiency=3), sheet("smoke")),
        (sheet(efficiency=3), sheet("smoke", efficiency=2), sheet(efficiency=3, errors={"object_dropped": True}), "both"),
        (sheet(efficiency=3), sheet(efficiency=2), sheet(efficiency=5), "efficiency: another page of yours changed this"),
        (sheet("a"), sheet("b"), sheet("c"), "remark: another page of yours changed this"),
        (sheet(), sheet(efficiency=2), sheet(failed=True), "a failed recording has no scores"),
        (sheet(), sheet("c"), sheet("c"), sheet("c")),
    ],
)
def test_of_a_sheet_that_another_tab_changed_only_what_is_changed_here_is_said(ann, before, elsewhere, said, stands):
    if before:
        ann.label(SINGLE, {"layer": "ratings", "key": "sheet", "value": before})
    ann.label(SINGLE, {"layer": "ratings", "key": "sheet", "value": elsewhere})
    answer = ann.label(SINGLE, {"layer": "ratings", "key": "sheet", "value": said, "before": before})
    if isinstance(stands, str) and stands != "both":
        assert (answer.status_code, stands in answer.json()["error"]) == (409, True)
        stands = elsewhere
    both = sheet("smoke", efficiency=2, errors={"object_dropped": True})
    assert ann.get(f"/api/recordings/{SINGLE}").json()["items"]["ratings"]["sheet"] == (both if stands == "both" else stands)


def test_a_label_that_another_tab_changed_is_refused_and_what_a_lost_answer_said_is_not(ann, bench):
    first, other, said = (change("phases", "a", 0, end, "preparation", verb="", target="") for end in (9, 20, 30))
    ann.label(SINGLE, first)
    ann.label(SINGLE, other)
    head = bench.head
    for before in (first["value"], None, 7, {"triplets": 3}):
        answer = ann.label(SINGLE, {**said, "before": before})
        assert (answer.status_code, "phases: another page of yours changed this" in answer.json()["error"]) == (409, True)
        assert ann.label(SINGLE, {**said, "value": None, "before": before}).status_code == 409
    assert bench.head == head
    assert ann.label(SINGLE, {**said, "before": other["value"]}).status_code == 200
    assert ann.label(SINGLE, {**said, "before": other["value"]}).status_code == 200


def test_an_open_page_learns_when_its_recording_is_somebodys_who_withdrew(ann, folder):
    asked = f"/api/changes?head={ann.get('/api/work').json()['head']}&id={SINGLE}"
    assert ann.get(asked).json()["gone"] is False
    review_study.withdraw(folder, "single", id_=SINGLE)
    assert ann.get(asked).json()["gone"] is True
    assert ann.get("/api/changes?head=0").json()["gone"] is False


def test_a_picture_is_the_frame_of_its_number(ann, folder):
    frames = [0, 1, 2, 17, 63, 64, 200, 319]
    answer = ann.get(f"/pictures/{SINGLE}/mono?frames={','.join(map(str, frames))}&height=64&columns=4")
    sheet = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_GRAYSCALE)
    with av.open(str(next((folder / RELEASE).rglob(f"mono/{SINGLE}.mkv")))) as film:
        expected = {number: frame.to_ndarray(format="gray") for number, frame in enumerate(film.decode(video=0)) if number in frames}
    for place, number in enumerate(frames):
        row, column = divmod(place, 4)
        cell = sheet[64 * row : 64 * (row + 1), 96 * column : 96 * (column + 1)]
        assert np.abs(cell.astype(int) - expected[number]).mean() < 6, number
    times_s = np.load(io.BytesIO(_npy(ann.get(f"/api/recordings/{SINGLE}/mono/times").content)))
    assert len(times_s) == sampled_release.SINGLE_FRAMES + 1


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("pixel_aspect", "width"),
    [(Fraction(1), 96), (Fraction(4, 3), 128), (Fraction(12, 11), 105), (Fraction(2, 3), 64), (Fraction(100), 96)],
    ids=str,
)
def test_a_picture_is_as_wide_as_players_show_it_but_where_no_film_is_so(folder, tokens, portal, pixel_aspect, width):
    labelled_study.widen(folder, pixel_aspect)
    bench = labelled_study.opened(folder)
    app = label_client.app_of(bench)
    one = Labeller(app, portal, tokens[bench.standing().assigned["single"][0]])
    answer = one.get(f"/pictures/{SINGLE}/mono?frames=1,2&height=64&columns=2")
    app.stills.close()
    sheet = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert sheet.shape == (64, 2 * width)


def _npy(content: bytes) -> bytes:
    out = io.BytesIO()
    np.save(out, np.frombuffer(content, "<f8"))
    return out.getvalue()


def test_a_picture_that_there_is_not_and_a_camera_that_there_is_not_are_said(ann):
    assert ann.get(f"/pictures/{SINGLE}/mono?frames=320&height=64&columns=1").status_code == 404
    assert ann.get(f"/pictures/{SINGLE}/left?frames=0&height=64&columns=1").status_code == 404
    assert ann.get(f"/pictures/{SINGLE}/mono?frames=x&height=64&columns=1").status_code == 400
    assert ann.get("/api/recordings/nobody").status_code == 409


def test_done_and_undo_answer_with_what_stands(ann):
    ann.label(SINGLE, change("phases", "a", 0, 9, "preparation"))
    assert ann.say("/api/done", id=SINGLE, done=True).json()["recording"]["done"] is True
    undone = ann.say("/api/undo", id=SINGLE).json()
    assert undone["items"]["phases"] == {}
    assert undone["undo"] == 0
    assert ann.say("/api/worked", id=SINGLE, seconds=30).status_code == 200
    assert ann.get("/api/work").json()["recordings"][0]["id"]


def test_pictures_of_a_video_that_was_released_anew_say_that_the_page_must_be_started_again(ann, bench):
    video = bench.folder / RELEASE / bench.recordings[SINGLE].videos["mono"].path
    video.write_bytes(video.read_bytes() + b"0")
    answer = ann.get(f"/pictures/{SINGLE}/mono?frames=0&height=64&columns=1")
    assert "it was released anew since this page was started; whoever started 'scrubin label' ends it" in answer.json()["error"]


def test_an_adjudicator_is_told_that_somebody_goes_on_and_others_that_it_is_not_theirs(app, portal, bench, tokens, mine):
    people_ = {number: Labeller(app, portal, tokens[number]) for number in (1, 2, 3, 4)}
    for number in mine:
        assert people_[number].say("/api/done", id=SINGLE, done=True).status_code == 200
    head = people_[4].get(f"/api/recordings/{SINGLE}").json()["head"]

    def told(number):
        return {name: people_[number].get(f"/api/changes?head={head}&id={SINGLE}").json()[name] for name in ("gone", "waits")}

    assert told(4) == {"gone": False, "waits": False}
    assert people_[mine[0]].say("/api/done", id=SINGLE, done=False).status_code == 200
    assert told(4) == {"gone": True, "waits": True}
    assert "somebody goes on with this recording" in people_[4].get(f"/api/recordings/{SINGLE}").json()["error"]
    (other,) = {1, 2, 3} - set(mine)
    assert told(other) == {"gone": True, "waits": False}
    assert people_[other].get(f"/api/recordings/{SINGLE}").json()["error"] == "this recording is not yours to label"
    review_study.withdraw(bench.folder, "single", id_=SINGLE)
    assert told(4) == {"gone": True, "waits": False}
