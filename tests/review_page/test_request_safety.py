"""Who may ask the application, and which requests it refuses: token, hosts, origins, headers, paths, bodies."""

from __future__ import annotations

import json
import logging
import socket
from urllib.parse import unquote

import pytest

import made_once
import page_client
import review_study
from each import each
from page_client import HOSTILE, PORT, POST, decide, lines
from scrubin.curate.page import server
from scrubin.curate.page.app import ReviewApp
from scrubin.curate.page.server import HEADERS, Session


@pytest.fixture(scope="module")
def one_folder(study_to_review, tmp_path_factory):
    """One study for all tests: what is refused writes nothing."""
    copy = made_once.copy(study_to_review, tmp_path_factory.mktemp("safety") / "study")
    yield copy
    assert not lines(copy)


@pytest.fixture(scope="module")
def study(one_folder):
    now = page_client.opened(one_folder)
    yield now
    now.close()


@pytest.fixture
def folder(one_folder, monkeypatch):
    monkeypatch.chdir(one_folder)
    return one_folder


PATHS = ["/", "/api/study", "/api/changes?head=x", "/api/recordings/0", "/api/files/0/left/times", "/still/0/left/0"]
PATHS += ["/stills/0/left?frames=0&height=64&columns=1", "/nothing", "/api/decide"]


@each("path", PATHS)
def test_without_the_token_nothing_is_answered(study, client, path):
    answer = client(study).get(path)
    assert answer.status_code == 403
    assert set(answer.json()) == {"error"}


def test_a_wrong_token_opens_nothing_and_the_right_one_becomes_a_cookie_that_no_script_and_no_other_site_has(study, client):
    page = client(study)
    assert page.enter(page.session.token[:-1]).status_code == 403
    assert not page.cookies
    cookie = page.enter(page.session.token).headers["set-cookie"]
    assert cookie.startswith(f"scrubin-{PORT}=")
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    page.cookies.set(page.session.cookie, "x" + page.session.token)
    page.cookies.delete(page.session.cookie, domain="127.0.0.1")
    assert page.get("/api/study").status_code == 403


def test_the_cookie_of_one_session_does_not_open_another(study, client):
    first, second = client(study), client(study)
    assert first.enter(first.session.token).status_code == 200
    second.cookies.set(second.session.cookie, first.session.token)
    assert first.get("/api/study").status_code == 200
    assert second.get("/api/study").status_code == 403


@each("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil.example:{PORT}", ""])
def test_another_host_is_refused_also_with_the_token(page, host):
    assert page.get("/api/study", headers={"Host": host}).status_code == 421


@each("host", [f"localhost:{PORT}", f"[::1]:{PORT}", f"LOCALHOST:{PORT}"])
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


@each("wrong", WRONG.values())
def test_what_another_page_could_send_decides_nothing(page, folder, wrong):
    headers = {name: value for name, value in {**POST, "X-Scrubin-Study": page.edition, **wrong}.items() if value is not None}
    for path in ("/api/decide", "/api/undo", "/api/exclude", "/api/seen", "/enter"):
        assert page.post(path, content="{}", headers=headers).status_code == 403
    assert not lines(folder)


@each("headers", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}])
def test_what_another_page_could_read_is_refused(page, headers):
    assert page.get("/still/0/left/0", headers=headers).status_code == 403


@each("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(page, method):
    assert page.request(method, "/api/study", headers=POST).status_code == 405


BAD_PATHS = ["/../params.yaml", "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/%2e%2e%2fsecurity.py"]
BAD_PATHS += ["/static//etc/passwd", "/static/%00", "/static\\..\\app.py", "//static/app.js", "/still/0/left/0%2f1", "/still/0/..%2f/0"]
BAD_PATHS += ["/static/app.py", "/static/nothing.js", "/templates/page.html.j2", "/still/-1/left/0", "/still/0/top/0", "/" + "a" * 5000]


@each("path", BAD_PATHS)
def test_a_path_that_is_none_of_ours_leads_nowhere(study, portal, path):
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

    portal.call(ask)
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


@each("path", ANSWERS)
def test_every_answer_has_the_headers_also_an_error(page, path):
    answer = page.get(path)
    assert {name: answer.headers.get_list(name) for name in HEADERS} == {name: [value] for name, value in HEADERS.items()}
    assert "server" not in answer.headers
    assert "'unsafe" not in HEADERS["Content-Security-Policy"]


def test_a_failure_has_the_headers_and_the_terminal_names_no_recording(study, inside, monkeypatch, capsys):
    page = inside(study)
    shown = study.get()

    def fail(*_):
        raise RuntimeError("/home/somebody/single.mp4")

    monkeypatch.setattr(type(shown.stills), "full", fail)
    answer = page.get("/still/1/mono/0")
    assert (answer.status_code, answer.headers["cache-control"]) == (500, "no-store")
    printed = capsys.readouterr()
    assert "RuntimeError at test_request_safety.py" in printed.err
    assert "single" not in printed.err + printed.out + answer.text


UNKNOWN = ["/api/recordings/2", "/api/files/0/mono/times", "/api/files/9/left/times", "/still/1/mono/70", "/still/0/mono/0"]
UNKNOWN += ["/stills/1/mono?frames=0,70&height=64&columns=2", "/api/recordings/99999999999999999999", "/still/1/mono/1e3"]


@each("path", UNKNOWN)
def test_unknown_numbers_are_said_to_be_unknown(page, path):
    answer = page.get(path)
    assert answer.status_code == 404
    assert "there is no" in answer.json()["error"]


QUERIES = ["", "frames=&height=64&columns=1", "frames=0", "frames=0&height=8&columns=1", "frames=0&height=99999&columns=1"]
QUERIES += ["frames=0&height=64&columns=0", "frames=-1&height=64&columns=1", "frames=0;1&height=64&columns=1"]
QUERIES += ["frames=" + "0," * 300 + "0&height=64&columns=1", "frames=0&height=６４&columns=1", "frames=0&height=64&columns=" + "9" * 100]


@each("query", QUERIES)
def test_a_question_for_stills_that_the_page_never_asks_is_refused(page, query):
    assert page.get(f"/stills/1/mono?{query}").status_code == 400


def test_a_very_long_question_is_refused(page):
    assert page.get("/stills/1/mono?frames=" + "0," * 20_000).status_code == 404


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
    "half of a character": {"why": "\ud800"},
    "half of a character in a key": {"proposal": "text:\udfff"},
    "a line that is no number": {"what": "reject", "proposal": "line:x:0"},
    "no line at all": {"what": "reject", "proposal": "line:"},
    "a digit of another kind": {"what": "reject", "proposal": "line:²:0"},
    "a digit of another script": {"what": "reject", "proposal": "line:٣"},
    "a line below the first": {"what": "reject", "proposal": "line:-1"},
    "no nonce": {"nonce": ""},
    "a field too many": {"file": "/etc/passwd"},
}


@each("says", BAD_SAYS.values())
def test_what_the_page_never_says_is_refused_and_nothing_is_written(page, folder, says):
    assert decide(page, **says).status_code == 400
    assert not lines(folder)


@each("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(page, body):
    answer = page.post("/api/undo", content=body, headers={**POST, "X-Scrubin-Study": page.edition})
    assert answer.status_code == 400


def test_a_large_body_is_refused_without_reading_it_all(page):
    answer = page.post("/api/seen", content=b"x" * (server.BODY_BYTES + 1), headers=POST)
    assert (answer.status_code, answer.headers["cache-control"]) == (413, "no-store")


def test_a_hostile_name_reaches_the_page_only_as_json(tmp_path, inside, monkeypatch):
    folder = review_study.project(tmp_path, single=HOSTILE)
    monkeypatch.chdir(folder)
    study = page_client.opened(folder)
    page = inside(study)
    names = [one["name"] for one in page.get("/api/study").json()["recordings"]]
    assert HOSTILE in names
    answer = page.get(f"/api/recordings/{names.index(HOSTILE)}")
    assert answer.headers["content-type"] == "application/json"
    assert all(HOSTILE not in page.get(path).text for path in ("/", "/enter", "/static/app.js"))
    study.close()


def test_no_log_names_what_a_request_failed_on(monkeypatch, caplog):
    loggers = [logging.getLogger(name) for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi")]
    for one in loggers:
        monkeypatch.setattr(one, "disabled", False)
    monkeypatch.setattr(server._Server, "run", lambda *_, **__: None)
    with socket.socket() as opened:
        server.serve(ReviewApp, opened, lambda: None)
    for one in loggers:
        one.error("peg 1")
    assert not caplog.records
