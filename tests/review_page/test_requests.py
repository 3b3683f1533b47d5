"""Every request to the real application: who may ask, what may be asked, and that what was seen was sent."""

from __future__ import annotations

import errno
import http.client
import json
import os
import secrets
import shutil
import socket
import subprocess
from contextlib import closing
from urllib.parse import unquote

import cv2
import httpx
import numpy as np
import pytest
from anyio.from_thread import start_blocking_portal

import clips
import review_server
import review_study
import sampled_release
from scrubin.cli import review_sample
from scrubin.core.errors import ReviewError
from scrubin.core.files import sha256_of
from scrubin.review.ledger import LEDGER_PATH
from scrubin.review_page import released_study, sampled_study, security, server
from scrubin.review_page.app import Place, ReviewApp
from scrubin.review_page.open_study import open_source
from scrubin.review_page.security import HEADERS, Session
from scrubin.review_page.study_now import RELEASED_TABLES, TABLES, StudyNow

PAIR, SINGLE = 0, 1
PORT = 8123
OWN = f"http://127.0.0.1:{PORT}"
POST = {"Origin": OWN, "X-Scrubin": "1", "Content-Type": "application/json"}
HOSTILE = "<img src=x onerror=alert(1)>"
NONCE = "0123456789abcdef"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return review_study.project(tmp_path_factory.mktemp("study"))


@pytest.fixture
def folder(shared, tmp_path, monkeypatch):
    copy = shutil.copytree(shared, tmp_path / "study")
    monkeypatch.chdir(copy)
    return copy


def opened(folder, by="ann"):
    return StudyNow(lambda generation: open_source(folder, by, generation), tuple(folder / path for path in TABLES))


@pytest.fixture
def study(folder):
    now = opened(folder)
    yield now
    now.close()


class Page:
    """A browser without a page: it keeps cookies, and asks the application as the server would."""

    def __init__(self, app):
        self.edition = ""
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=OWN)
        self.cookies = self._client.cookies

    def request(self, method, path, headers=None, content=None):
        async def ask():
            return await self._client.request(method, path, headers=headers, content=content)

        return PORTAL[0].call(ask)

    def get(self, path, headers=None):
        return self.request("GET", path, headers)

    def post(self, path, content, headers):
        return self.request("POST", path, headers, content)


PORTAL = []


@pytest.fixture(autouse=True)
def event_loop_in_a_thread():
    with start_blocking_portal() as portal:
        PORTAL[:] = [portal]
        yield


def client(study, session=None, **options):
    app = ReviewApp(study, session or Session(PORT), **options)
    return Page(app.asgi()), app.session


@pytest.fixture
def outsider(study):
    return client(study)[0]


@pytest.fixture
def page(study):
    inside, session = client(study)
    answer = inside.post("/enter", content=json.dumps({"token": session.token}), headers=POST)
    assert answer.status_code == 200
    inside.edition = inside.get("/api/study").json()["edition"]
    return inside


def post(page, path, **body):
    headers = {**POST, "X-Scrubin-Study": page.edition}
    return page.post(path, content=json.dumps({"nonce": NONCE, **body}), headers=headers)


def decide(page, **says):
    body = {"number": SINGLE, "camera": "mono", "what": "add", "kind": "other", "first": 3, "last": 9, "box_xywh": None}
    return post(page, "/api/decide", **body | {"to_first": None, "to_last": None, "proposal": "", "why": ""} | says)


def lines(folder):
    path = folder / LEDGER_PATH
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def picture(answer):
    return cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)


PATHS = ["/", "/api/study", "/api/changes?head=x", "/api/recordings/0", "/api/files/0/left/times", "/still/0/left/0"]
PATHS += ["/stills/0/left?frames=0&height=64&columns=1", "/nothing", "/api/decide"]


@pytest.mark.parametrize("path", PATHS)
def test_without_the_token_nothing_is_answered(outsider, path):
    answer = outsider.get(path)
    assert answer.status_code == 403
    assert set(answer.json()) == {"error"}


def test_a_wrong_token_opens_nothing_and_the_right_one_becomes_a_cookie_that_no_script_and_no_other_site_has(study):
    inside, session = client(study)
    assert inside.post("/enter", content=json.dumps({"token": session.token[:-1]}), headers=POST).status_code == 403
    assert not inside.cookies
    cookie = inside.post("/enter", content=json.dumps({"token": session.token}), headers=POST).headers["set-cookie"]
    assert cookie.startswith(f"scrubin-{PORT}=")
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    inside.cookies.set(session.cookie, "x" + session.token)
    inside.cookies.delete(session.cookie, domain="127.0.0.1")
    assert inside.get("/api/study").status_code == 403


def test_the_cookie_of_one_session_does_not_open_another(study):
    first, second = Session(PORT), Session(PORT)
    inside, _ = client(study, first)
    assert inside.post("/enter", content=json.dumps({"token": first.token}), headers=POST).status_code == 200
    other, _ = client(study, second)
    other.cookies.set(second.cookie, first.token)
    assert inside.get("/api/study").status_code == 200
    assert other.get("/api/study").status_code == 403


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil.example:{PORT}", ""])
def test_another_host_is_refused_also_with_the_token(page, host):
    assert page.get("/api/study", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", [f"localhost:{PORT}", f"[::1]:{PORT}", f"LOCALHOST:{PORT}"])
def test_this_machine_has_several_names(page, host):
    assert page.get("/enter", headers={"Host": host}).status_code == 200


WRONG = {
    "another origin": {"Origin": "http://evil.example"},
    "another port": {"Origin": "http://127.0.0.1:1"},
    "no origin": {"Origin": None},
    "an origin of null": {"Origin": "null"},
    "no header of ours": {"X-Scrubin": None},
    "a form": {"Content-Type": "application/x-www-form-urlencoded"},
    "plain text": {"Content-Type": "text/plain"},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_another_page_could_send_decides_nothing(page, folder, wrong):
    headers = {name: value for name, value in {**POST, "X-Scrubin-Study": page.edition, **wrong}.items() if value is not None}
    for path in ("/api/decide", "/api/undo", "/api/exclude", "/api/seen", "/enter"):
        assert page.post(path, content="{}", headers=headers).status_code == 403
    assert not lines(folder)


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}])
def test_what_another_page_could_read_is_refused(page, headers):
    assert page.get("/still/0/left/0", headers=headers).status_code == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(page, method):
    assert page.request(method, "/api/study", headers=POST).status_code == 405


BAD_PATHS = ["/../params.yaml", "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/%2e%2e%2fsecurity.py"]
BAD_PATHS += ["/static//etc/passwd", "/static/%00", "/static\\..\\app.py", "//static/app.js", "/still/0/left/0%2f1", "/still/0/..%2f/0"]
BAD_PATHS += ["/static/app.py", "/static/nothing.js", "/templates/page.html.j2", "/still/-1/left/0", "/still/0/top/0", "/" + "a" * 5000]


@pytest.mark.parametrize("path", BAD_PATHS)
def test_a_path_that_is_none_of_ours_leads_nowhere(study, path):
    session = Session(PORT)
    # As it came over the wire: clients tidy paths up before they send them.
    headers = [(b"host", f"127.0.0.1:{PORT}".encode()), (b"cookie", f"{session.cookie}={session.token}".encode())]
    scope = {"type": "http", "method": "GET", "path": unquote(path), "raw_path": path.encode(), "query_string": b"", "headers": headers}
    sent = []

    async def ask():
        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            sent.append(message)

        await ReviewApp(study, session).asgi()(scope, receive, send)

    PORTAL[0].call(ask)
    assert sent[0]["status"] == 404
    assert set(json.loads(sent[1]["body"])) == {"error"}


ANSWERS = [
    "/",
    "/enter",
    "/static/app.js",
    "/static/page.css",
    "/static/icon.svg",
    "/api/study",
    "/api/changes?head=x",
    "/api/recordings/0",
]
ANSWERS += ["/api/files/0/left/times", "/stills/0/left?frames=0,9&height=64&columns=2", "/still/0/left/3", "/nothing", "/api/recordings/99"]
ANSWERS += ["/still/0/left/99999", "/stills/0/left?frames=x", "/still/7/mono/0"]


@pytest.mark.parametrize("path", ANSWERS)
def test_every_answer_has_the_headers_also_an_error(page, path):
    answer = page.get(path)
    assert {name: answer.headers.get_list(name) for name in HEADERS} == {name: [value] for name, value in HEADERS.items()}
    assert "server" not in answer.headers
    assert "'unsafe" not in HEADERS["Content-Security-Policy"]


def test_a_failure_has_the_headers_and_the_terminal_names_no_recording(study, monkeypatch, capsys):
    inside, session = client(study)
    inside.cookies.set(session.cookie, session.token)
    shown = study.get()

    def fail(*_):
        raise RuntimeError("/home/somebody/single.mp4")

    monkeypatch.setattr(type(shown.stills), "full", fail)
    answer = inside.get("/still/1/mono/0")
    assert (answer.status_code, answer.headers["cache-control"]) == (500, "no-store")
    printed = capsys.readouterr()
    assert "RuntimeError at test_requests.py" in printed.err
    assert "single" not in printed.err + printed.out + answer.text


UNKNOWN = ["/api/recordings/2", "/api/files/0/mono/times", "/api/files/9/left/times", "/still/1/mono/70", "/still/0/mono/0"]
UNKNOWN += ["/stills/1/mono?frames=0,70&height=64&columns=2", "/api/recordings/99999999999999999999", "/still/1/mono/1e3"]


@pytest.mark.parametrize("path", UNKNOWN)
def test_unknown_numbers_are_said_to_be_unknown(page, path):
    answer = page.get(path)
    assert answer.status_code == 404
    assert "there is no" in answer.json()["error"]


QUERIES = ["", "frames=&height=64&columns=1", "frames=0", "frames=0&height=8&columns=1", "frames=0&height=99999&columns=1"]
QUERIES += ["frames=0&height=64&columns=0", "frames=-1&height=64&columns=1", "frames=0;1&height=64&columns=1"]
QUERIES += ["frames=" + "0," * 300 + "0&height=64&columns=1", "frames=0&height=６４&columns=1", "frames=0&height=64&columns=" + "9" * 100]


@pytest.mark.parametrize("query", QUERIES)
def test_a_question_for_stills_that_the_page_never_asks_is_refused(page, query):
    assert page.get(f"/stills/1/mono?{query}").status_code == 400


def test_a_very_long_question_is_refused(page):
    assert page.get("/stills/1/mono?frames=" + "0," * 20_000).status_code == 404


def test_stills_come_by_their_numbers_in_rows(page):
    answer = page.get("/stills/1/mono?frames=0,30,60&height=64&columns=2")
    assert answer.headers["content-type"] == "image/jpeg"
    sheet = picture(answer).astype(float)
    assert sheet.shape == (128, 192, 3)
    # Frame n has the luma 16 + 3 n; the fourth place has no still.
    cells = [sheet[y : y + 64, x : x + 96].mean() for y, x in ((0, 0), (0, 96), (64, 0), (64, 96))]
    assert cells[3] < 2
    assert cells[0] + 80 < cells[1] < cells[2] - 80


def test_the_times_of_a_file_are_its_boundaries(page):
    times_s = np.frombuffer(page.get("/api/files/1/mono/times").content, "<f8")
    np.testing.assert_allclose(times_s, np.arange(71) / 20)


def test_a_preview_is_black_where_the_release_will_be_and_does_not_count_as_seen(page):
    shown = picture(page.get("/still/1/mono/45")).astype(int)
    preview = picture(page.get("/still/1/mono/45?preview=1")).astype(int)
    assert shown[8:16, 8:32].min() > 100
    assert preview[9:15, 9:31].max() < 40
    assert preview[30:, 40:].min() > 100
    assert picture(page.get("/still/0/right/25?preview=1")).max() == 0
    answer = post(page, "/api/seen", number=PAIR, camera="right", view="full", frames=[25])
    assert answer.status_code == 409


def test_what_was_never_sent_was_never_seen(page, folder):
    def seen(frames, view="sheet"):
        return post(page, "/api/seen", number=SINGLE, camera="mono", view=view, frames=frames, nonce=f"nonce-{view}-{frames[0]}")

    assert seen([0, 20]).status_code == 409
    page.get("/stills/1/mono?frames=0,20&height=32&columns=2")
    assert seen([0, 20, 40]).status_code == 409
    assert not lines(folder)
    assert seen([0, 20]).json()["line"] == {"number": 1, "event": "seen"}
    # What is so small shows no face.
    assert seen([0, 20], "lens").status_code == 409
    page.get("/stills/1/mono?frames=0,20&height=64&columns=2")
    assert seen([0, 20], "lens").status_code == 200
    assert seen([0], "full").status_code == 409
    page.get("/still/1/mono/0")
    assert seen([0], "full").status_code == 200
    assert [line["facts"]["view"] for line in lines(folder)] == ["sheet", "lens", "full"]


def test_a_decision_is_written_before_it_is_confirmed_and_its_repetition_is_the_same_line(page, folder):
    answer = decide(page)
    (line,) = lines(folder)
    assert (line["event"], line["by"], line["number"]) == ("decided", "ann", answer.json()["line"]["number"])
    assert decide(page).json()["line"] == answer.json()["line"]
    assert len(lines(folder)) == 1
    (drawn,) = answer.json()["recording"]["drawn"]
    assert (drawn["first"], drawn["last"], drawn["kind"]) == (3, 9, "other")
    undone = post(page, "/api/undo", number=SINGLE, nonce="another-nonce").json()
    assert undone["recording"]["drawn"] == []


BAD_SAYS = {
    "a frame that is none": {"first": -1},
    "a frame with a point": {"first": 1.5},
    "a truth for a frame": {"first": True},
    "an unknown kind": {"kind": "person"},
    "an unknown camera": {"camera": "../left"},
    "an unknown wish": {"what": "drop"},
    "half a rectangle": {"box_xywh": [1, 2]},
    "a rectangle of texts": {"box_xywh": ["1", "2", "3", "4"]},
    "a long text": {"why": "x" * 5000},
    "control characters": {"why": "\u0000"},
    "no nonce": {"nonce": ""},
    "a field too many": {"file": "/etc/passwd"},
}


@pytest.mark.parametrize("says", BAD_SAYS.values(), ids=BAD_SAYS)
def test_what_the_page_never_says_is_refused_and_nothing_is_written(page, folder, says):
    assert decide(page, **says).status_code == 400
    assert not lines(folder)


@pytest.mark.parametrize(
    ("says", "sentence"), [({"last": 70}, "no span"), ({"box_xywh": [90, 0, 20, 20]}, "not inside"), ({"what": "accept"}, "no longer")]
)
def test_what_is_not_possible_is_answered_with_the_desks_sentence(page, folder, says, sentence):
    answer = decide(page, **says)
    assert answer.status_code == 409
    assert sentence in answer.json()["error"]
    assert not lines(folder)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(page, body):
    answer = page.post("/api/undo", content=body, headers={**POST, "X-Scrubin-Study": page.edition})
    assert answer.status_code == 400


def test_a_large_body_is_refused_without_reading_it_all(page):
    answer = page.post("/api/seen", content=b"x" * (security.BODY_BYTES + 1), headers=POST)
    assert (answer.status_code, answer.headers["cache-control"]) == (413, "no-store")


def test_a_hostile_name_reaches_the_page_only_as_json(tmp_path, monkeypatch):
    folder = review_study.project(tmp_path, single=HOSTILE)
    monkeypatch.chdir(folder)
    study = opened(folder)
    inside, session = client(study)
    inside.cookies.set(session.cookie, session.token)
    names = [one["name"] for one in inside.get("/api/study").json()["recordings"]]
    assert HOSTILE in names
    answer = inside.get(f"/api/recordings/{names.index(HOSTILE)}")
    assert answer.headers["content-type"] == "application/json"
    assert all(HOSTILE not in inside.get(path).text for path in ("/", "/enter", "/static/app.js"))
    study.close()


def test_a_chain_that_breaks_while_the_page_is_open_is_said_and_nothing_is_written_behind_it(page, folder):
    assert decide(page).status_code == 200
    assert decide(page, nonce="f" * 16).status_code == 200
    path = folder / LEDGER_PATH
    broken = path.read_bytes().replace(b'"other"', b'"black"', 1)
    path.unlink()
    path.write_bytes(broken)
    for answer in (page.get("/api/study"), page.get(f"/api/recordings/{SINGLE}"), decide(page, nonce="e" * 16)):
        assert answer.status_code in (404, 409)
        assert "line 2: the chain of decisions is broken here" in answer.json()["error"]
    assert path.read_bytes() == broken


def test_a_full_disk_is_said_and_what_was_confirmed_stays(page, folder, monkeypatch):
    assert decide(page).status_code == 200
    before = (folder / LEDGER_PATH).read_bytes()

    def full(file, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("scrubin.review.ledger.os.write", full)
    answer = decide(page, nonce="f" * 16)
    monkeypatch.undo()
    assert answer.status_code == 409
    assert "nothing was written (No space left on device)" in answer.json()["error"]
    assert (folder / LEDGER_PATH).read_bytes() == before
    assert decide(page, nonce="e" * 16).status_code == 200


@pytest.mark.slow
def test_four_hours_are_reviewed_as_a_minute_is(tmp_path, monkeypatch):
    folder = review_study.project(tmp_path / "study", single_frames=4 * 3600 + 10, single_fps=1)
    monkeypatch.chdir(folder)
    study = opened(folder)
    try:
        inside, session = client(study)
        inside.post("/enter", content=json.dumps({"token": session.token}), headers=POST)
        inside.edition = inside.get("/api/study").json()["edition"]
        times_s = np.frombuffer(inside.get(f"/api/files/{SINGLE}/mono/times").content, "<f8")
        assert len(times_s) == 4 * 3600 + 11
        last = len(times_s) - 2
        frames = range(last - 59, last + 1)
        wanted = ",".join(map(str, frames))
        sprite = picture(inside.get(f"/stills/{SINGLE}/mono?frames={wanted}&height=32&columns=60"))
        for place, frame in enumerate(frames):
            middle = sprite[16, place * sprite.shape[1] // 60 + 24]
            assert abs(int(middle[1]) - grey(frame % review_study.LEVELS)) <= 6, frame
        answer = post(inside, "/api/seen", number=SINGLE, camera="mono", view="sheet", frames=list(frames))
        assert answer.status_code == 200
        summary = answer.json()["recording"]["summary"]
        assert summary["unseen_s"] == 4 * 3600 + 10 - 60
    finally:
        study.close()


def grey(level):
    """What a display shows of the luma of a frame of this level."""
    return round((16 + 3 * level - 16) * 255 / 219)


def test_two_pages_lose_nothing_and_see_each_other(folder):
    pages = []
    for by in ("ann", "bo"):
        study = opened(folder, by)
        inside, session = client(study)
        inside.cookies.set(session.cookie, session.token)
        inside.edition = inside.get("/api/study").json()["edition"]
        pages.append(inside)
    ann, bo = pages
    head = bo.get("/api/study").json()["head"]
    assert bo.get(f"/api/changes?head={head}").json()["changed"] is False
    assert decide(ann).status_code == 200
    assert bo.get(f"/api/changes?head={head}").json()["changed"] is True
    assert decide(bo, first=20, last=30, nonce="nonce-of-bo").status_code == 200
    assert [line["by"] for line in lines(folder)] == ["ann", "bo"]
    assert len(ann.get("/api/recordings/1").json()["recording"]["drawn"]) == 2


def test_with_two_reviewers_each_is_asked_for_their_own_part(folder):
    path = folder / "params.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("reviewers: 1", "reviewers: 2"), encoding="utf-8")
    study = opened(folder)
    inside, session = client(study)
    inside.cookies.set(session.cookie, session.token)
    inside.edition = inside.get("/api/study").json()["edition"]
    assert inside.get("/api/recordings/1").json()["mine"] == {"unseen": {"mono": [[0, 3]]}, "seen": [], "decided": []}
    frames = list(range(70))
    inside.get(f"/stills/1/mono?frames={','.join(map(str, frames))}&height=64&columns=10")
    post(inside, "/api/seen", number=SINGLE, camera="mono", view="lens", frames=frames)
    (proposal,) = inside.get("/api/recordings/1").json()["recording"]["proposals"]
    says = {"what": "reject", "kind": "text", "first": 40, "last": 49, "box_xywh": [8, 8, 24, 8], "proposal": proposal["key"]}
    answer = decide(inside, **says, nonce="another-nonce").json()
    name = f"mono:{proposal['key']}"
    assert answer["mine"] == {"unseen": {"mono": []}, "seen": [name], "decided": [name]}
    # One of two is not enough.
    assert answer["recording"]["files"][0]["unseen"] == [[0, 3]]
    assert answer["recording"]["proposals"][0]["decision"] == "unreviewed"
    study.close()


def test_while_tables_are_rewritten_the_page_is_asked_to_come_again(page, folder):
    path = folder / "data/interim/proposals.parquet"
    whole = path.read_bytes()
    path.unlink()
    answer = page.get("/api/study")
    assert (answer.status_code, answer.json()["again"]) == (503, True)
    path.write_bytes(whole[:100])
    answer = decide(page)
    assert (answer.status_code, answer.json()["again"]) == (503, True)
    assert not lines(folder)
    head = "0-before"
    path.write_bytes(whole)
    assert page.get(f"/api/changes?head={head}").json()["changed"] is True
    assert decide(page).status_code == 200


def test_what_was_sent_before_the_pipeline_ran_again_was_seen(page, folder):
    page.get("/stills/1/mono?frames=0,20&height=32&columns=2")
    path = folder / "data/interim/proposals.parquet"
    path.write_bytes(path.read_bytes())
    assert post(page, "/api/seen", number=SINGLE, camera="mono", view="sheet", frames=[0, 20]).status_code == 200
    assert page.get("/api/study").json()["head"].startswith("1-")


def test_other_files_under_the_same_numbers_start_the_page_anew(page, folder):
    path, tables, recordings = folder / "data/interim/recordings.parquet", review_study.io, review_study.RECORDINGS
    rows = [review_study.recording(folder, 9, "another", "mono", 30), *tables.records(tables.read(recordings, path))]
    tables.write(recordings, tables.frame_of(recordings, rows), path)
    answer = decide(page)
    assert (answer.status_code, answer.json()["reload"]) == (409, True)
    assert not lines(folder)
    assert page.get("/api/recordings/1", headers={"X-Scrubin-Study": page.edition}).status_code == 409
    page.edition = page.get("/api/study").json()["edition"]
    answer = decide(page, number=2)
    assert answer.status_code == 200, answer.text


def test_a_video_that_was_replaced_or_is_gone_says_so(page, folder):
    path = next((folder / "data/raw/videos").glob("*mono.mp4"))
    whole = path.read_bytes()
    path.unlink()
    answer = page.get("/still/1/mono/0")
    assert answer.status_code == 410
    assert "error" in answer.json()
    assert decide(page).status_code == 409
    path.write_bytes(whole + b"x")
    assert page.get("/still/1/mono/0").status_code == 410
    assert decide(page).status_code == 409
    assert not lines(folder)


@pytest.fixture
def released(folder, monkeypatch):
    """Frames 20 to 59 of the single recording are released, and nothing of the pair."""
    path = clips.numbered(folder / "data/release/videos/quiet-otter.mp4", 40, fps=20)
    video = released_study.ReleasedVideo("quiet", "videos/quiet-otter.mp4", sha256_of(path), 20, 40)
    monkeypatch.setattr(released_study.released, "load", lambda folder: {("single", "mono"): video})
    now = StudyNow(lambda generation: released_study.open_released(folder, "ann", generation), tuple(folder / path for path in TABLES))
    inside, session = client(now, released=True)
    inside.cookies.set(session.cookie, session.token)
    inside.edition = inside.get("/api/study").json()["edition"]
    yield inside
    now.close()


def test_released_files_are_shown_by_their_own_frames_and_noted_by_those_of_the_source(released, folder):
    pair, single = released.get("/api/study").json()["recordings"]
    assert (pair["status"], pair["reason"], pair["done"]) == ("excluded", "it is not in the release", True)
    assert (single["unseen_s"], single["duration_s"], single["undecided"]) == (2, 2.0, 0)
    (file,) = released.get("/api/recordings/1").json()["recording"]["files"]
    assert (file["frame_count"], file["unseen"]) == (40, [[0, 1]])
    assert released.get("/stills/1/mono?frames=40&height=64&columns=1").status_code == 404
    assert released.get("/still/0/left/0").status_code == 404
    released.get("/stills/1/mono?frames=3,24&height=64&columns=2")
    answer = post(released, "/api/seen", number=SINGLE, camera="mono", view="sheet", frames=[3, 24])
    assert answer.json()["recording"]["files"][0]["unseen"] == []
    (line,) = lines(folder)
    assert (line["facts"]["view"], line["facts"]["stills"]) == ("released", [[23, 21, 2]])


def test_released_files_can_be_looked_at_but_not_decided(released, folder):
    assert decide(released).status_code in (404, 405)
    assert post(released, "/api/undo", number=SINGLE).status_code in (404, 405)
    assert not lines(folder)


@pytest.fixture
def sampled(tmp_path, monkeypatch):
    """All four clips of a finished release, drawn with seed 0; what people do is written into its ``folder``."""
    folder = sampled_release.project(tmp_path / "released")
    monkeypatch.chdir(folder)
    drawn = review_sample.drawn(9, 0, "ann")
    now = StudyNow(
        lambda generation: sampled_study.open_sampled(folder, "ann", generation, drawn), tuple(folder / path for path in RELEASED_TABLES)
    )
    inside, session = client(now, sampled=True)
    inside.cookies.set(session.cookie, session.token)
    inside.edition = inside.get("/api/study").json()["edition"]
    inside.drawn = drawn
    inside.number = {(clip.id, clip.start_s): number for number, clip in enumerate(drawn.clips)}
    inside.folder = folder
    yield inside
    now.close()


def look(page, number, camera, frames):
    """Have stills sent and in view."""
    named = ",".join(map(str, frames))
    assert page.get(f"/stills/{number}/{camera}?frames={named}&height=64&columns=8").status_code == 200
    answer = post(page, "/api/seen", number=number, camera=camera, view="sheet", frames=list(frames), nonce=secrets.token_hex(8))
    assert answer.status_code == 200, answer.text


def judge(page, number, outcome="clean", why=""):
    return post(page, "/api/check", number=number, outcome=outcome, why=why, nonce=secrets.token_hex(8))


def test_the_list_of_a_sample_is_its_clips_in_the_order_of_the_draw(sampled):
    entries = sampled.get("/api/study").json()["recordings"]
    assert [entry["number"] for entry in entries] == [0, 1, 2, 3]
    assert {entry["name"].partition(": ")[2] for entry in entries} == {"pair, 0:00", "single, 0:00", "single, 0:10", "single, 0:15"}
    number = sampled.number["borunga", 10.0]
    (file,) = sampled.get(f"/api/recordings/{number}").json()["recording"]["files"]
    assert (file["interval_s"], file["duration_s"], file["unseen"]) == ([10, 15], 16.0, [[10, 14]])


def test_a_clip_is_clean_only_after_a_still_of_every_fifth_of_a_second_of_every_camera(sampled):
    number = sampled.number["abelo", 0.0]
    assert "left: look at all of the clip first" in judge(sampled, number).json()["error"]
    look(sampled, number, "left", range(0, 60, 4))
    assert "right: look at all of the clip first" in judge(sampled, number).json()["error"]
    look(sampled, number, "right", [*range(0, 24, 4), *range(28, 60, 4)])
    refused = judge(sampled, number)
    assert refused.status_code == 409
    assert "nothing was seen of 0:01.2" in refused.json()["error"]
    look(sampled, number, "right", [27])
    answer = judge(sampled, number)
    assert answer.status_code == 200, answer.text
    assert answer.json()["mine"]["judged"] == {"outcome": "clean", "why": ""}
    facts = lines(sampled.folder)[-1]["facts"]
    assert (facts["outcome"], facts["clip"]["recording"], facts["videos"]) == ("clean", "pair", sampled.drawn.videos)


def test_stills_of_other_seconds_are_no_look_at_a_clip(sampled):
    number = sampled.number["borunga", 10.0]
    look(sampled, number, "mono", range(0, 200, 4))
    assert judge(sampled, number).status_code == 409
    look(sampled, number, "mono", range(200, 300, 4))
    assert judge(sampled, number).status_code == 200
    seen = [line["facts"] for line in lines(sampled.folder) if line["event"] == "seen"]
    assert (seen[-1]["view"], seen[-1]["stills"]) == ("released", [[220, 4, 25]])


def test_a_finding_needs_no_full_look_but_says_what_and_names_the_place_in_the_raw_review(sampled):
    number = sampled.number["borunga", 10.0]
    assert "say what there is to see" in judge(sampled, number, "finding").json()["error"]
    answer = judge(sampled, number, "finding", "a name on the screen")
    assert answer.json()["mine"]["raw"] == ".venv/bin/scrubin review --at single:11"
    assert answer.json()["recording"]["summary"]["reason"] == "finding"
    assert judge(sampled, 4, "finding", "x").status_code in (404, 409)
    assert judge(sampled, number, "dirty").status_code == 400


def test_people_share_a_sample_and_what_anybody_saw_stands_in_the_list_of_all(sampled):
    number = sampled.number["borunga", 10.0]
    clip = sampled.drawn.clips[number]
    with review_study.desk(sampled.folder, "bea") as desk:
        desk.check(sampled.drawn.videos, clip, "finding", "a face")
    look(sampled, number, "mono", range(200, 300, 4))
    assert judge(sampled, number).json()["mine"]["judged"]["outcome"] == "clean"
    entry = sampled.get("/api/study").json()["recordings"][number]
    assert (entry["done"], entry["reason"]) == (True, "finding")
    other = sampled.number["abelo", 0.0]
    with review_study.desk(sampled.folder, "bea") as desk:
        desk.check(sampled.drawn.videos, sampled.drawn.clips[other], "clean", "")
    answer = sampled.get(f"/api/recordings/{other}").json()
    assert (answer["recording"]["summary"]["done"], answer["mine"]["judged"]) == (True, None)
    assert sampled.get("/api/study").json()["progress"]["done"] == 2


def test_outcomes_are_taken_in_a_sample_alone_and_decisions_never(sampled, page):
    assert judge(page, 0).status_code in (404, 405)
    assert decide(sampled).status_code in (404, 405)


def test_a_sample_of_videos_that_were_rendered_anew_is_over(sampled):
    sampled_release.release(sampled.folder, levels=47)
    answer = sampled.get("/api/study")
    assert answer.status_code == 503
    assert "start 'scrubin review --sample' again" in answer.json()["error"]


def test_the_place_where_the_page_opens_is_a_number(study):
    inside, session = client(study, place=Place(1, 2.5))
    inside.cookies.set(session.cookie, session.token)
    assert inside.get("/api/study").json()["place"] == {"recording": 1, "time_s": 2.5}


def test_a_day_is_a_day(page, folder):
    says = {"number": PAIR, "subject": "quarantine", "key": "single", "why": "known"}
    assert post(page, "/api/acknowledge", **says, until="tomorrow").status_code == 400
    assert post(page, "/api/acknowledge", **says, until="2027-01-31").status_code == 200
    assert lines(folder)[0]["facts"]["until"] == "2027-01-31"


def test_the_doorway_is_a_file_that_only_its_owner_can_read(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    doorway = server.Doorway(tmp_path / "private/open.html")
    assert doorway.open("http://127.0.0.1:1/enter#token")
    assert "token" not in opened[0]
    assert doorway.path.stat().st_mode & 0o777 == 0o600
    assert "/enter#token" in doorway.path.read_text(encoding="utf-8")
    doorway.close()
    doorway.close()
    assert not doorway.path.exists()


def test_a_taken_port_is_said_in_a_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ReviewError, match=f"port {port} is taken"), server.listening("127.0.0.1", port):
            pass


@pytest.mark.parametrize(
    ("host", "port", "says"),
    [("0.0.0.0", 0, "name the one address"), ("127.0.0.1", 70000, "0 to 65535"), ("192.0.2.1", 0, "cannot listen there")],
)
def test_an_address_that_cannot_be_served_is_refused(host, port, says):
    with pytest.raises(ReviewError, match=says), server.listening(host, port):
        pass


@pytest.mark.slow
def test_the_command_serves_ends_with_ctrl_c_and_prints_no_name(folder):
    with review_server.running(folder, "--at", "single:2.5") as running:
        for path in ("/../../params.yaml", "/static/%2e%2e/app.py", "/still/1/mono/0", "/nothing"):
            with closing(http.client.HTTPConnection("127.0.0.1", running.port, timeout=10)) as connection:
                connection.putrequest("GET", path, skip_host=True)
                connection.putheader("Host", f"127.0.0.1:{running.port}")
                connection.endheaders()
                with connection.getresponse() as answer:
                    assert answer.status in (403, 404)
                    assert "server" not in {name.lower() for name, _ in answer.getheaders()}
                    assert "error" in json.loads(answer.read())
        taken = subprocess.run(
            [*review_server.COMMAND, f"--port={running.port}"],
            cwd=folder,
            env=review_server.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert taken.returncode == 1
        assert f"scrubin review: port {running.port} is taken" in taken.stderr
        assert running.interrupt() == 0
        assert "single" not in running.output
        assert "Traceback" not in running.output
    assert not (folder / "data/private/review/open.html").exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--host", "10.0.0.1"], "--reachable-from-elsewhere"),
        (["--at", "singel:3"], "did you mean 'single'"),
        (["--at", "single:x"], "is no time"),
    ],
)
def test_the_command_refuses_before_it_serves(folder, options, says, capsys):
    from scrubin import cli

    assert cli.main(["review", "--no-browser", *options]) == 1
    assert says in capsys.readouterr().err


def test_without_tables_the_command_says_what_to_run(tmp_path, monkeypatch, capsys):
    from scrubin import cli

    shutil.copy(review_study.ROOT / "params.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["review", "--no-browser"]) == 1
    assert "dvc repro screen" in capsys.readouterr().err
