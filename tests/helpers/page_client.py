"""A browser without a page: it keeps cookies and asks the application of the review as the server would."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
from anyio.from_thread import BlockingPortal

from scrubin.audit.expected import withdrawal_memory
from scrubin.curate.page.app import ReviewApp
from scrubin.curate.page.open_study import TABLES, OpenStudy, StudyNow, open_source
from scrubin.stages.review import LEDGER_PATH, attention
from scrubin.stages.review.questions import QUESTIONS_PATH

PAIR, SINGLE = 0, 1
PORT = 8123
OWN = f"http://127.0.0.1:{PORT}"
POST = {"Origin": OWN, "X-Scrubin": "1", "Content-Type": "application/json"}
HOSTILE = "<img src=x onerror=alert(1)>"
NONCE = "0123456789abcdef"


class Page:
    """Requests to an application; ``edition`` is that of the study that the page shows."""

    def __init__(self, app: ReviewApp, portal: BlockingPortal) -> None:
        self.edition = ""
        self.session = app.session
        self._portal = portal
        # Without the environment's proxies, whose certificates take 0.1 s to load.
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app.asgi()), base_url=OWN, trust_env=False)
        self.cookies = self._client.cookies

    def request(self, method: str, path: str, headers: dict[str, str] | None = None, content: Any = None) -> httpx.Response:
        async def ask() -> httpx.Response:
            return await self._client.request(method, path, headers=headers, content=content)

        return self._portal.call(ask)

    def get(self, path: str, headers: dict[str, str] | None = None) -> httpx.Response:
        return self.request("GET", path, headers)

    def post(self, path: str, content: Any, headers: dict[str, str]) -> httpx.Response:
        return self.request("POST", path, headers, content)

    def enter(self, token: str) -> httpx.Response:
        """Hand in a token, as the page of the doorway does."""
        return self.post("/enter", content=json.dumps({"token": token}), headers=POST)


class Clock:
    """A clock that only goes on when a test says so."""

    def __init__(self) -> None:
        self.s = 1000.0

    def __call__(self) -> float:
        return self.s


def opened(folder: Path, by: str = "ann", clock: Clock | None = None) -> StudyNow:
    def opener(generation: int) -> OpenStudy:
        return open_source(folder, by, generation, now_s=clock or time.monotonic)

    return StudyNow(opener, tuple(folder / path for path in TABLES), folder / QUESTIONS_PATH, folder / withdrawal_memory.PATH)


def post(page: Page, path: str, **body: Any) -> httpx.Response:
    headers = {**POST, "X-Scrubin-Study": page.edition}
    return page.post(path, content=json.dumps({"nonce": NONCE, **body}), headers=headers)


def decide(page: Page, **says: Any) -> httpx.Response:
    body = {"number": SINGLE, "camera": "mono", "what": "add", "kind": "other", "first": 3, "last": 9, "box_xywh": None}
    return post(page, "/api/decide", **body | {"to_first": None, "to_last": None, "proposal": "", "why": ""} | says)


def looked(
    page: Page, view: str, stills: dict[str, list[int]], *, number: int = SINGLE, clock: Clock | None = None, **says: Any
) -> httpx.Response:
    """Look at stills for as long as they need, and say so; a clock goes on by that time."""
    needed_s = attention.needed_s(view, sum(map(len, stills.values())))
    if clock is not None:
        clock.s += needed_s
    measured = {"looked_s": needed_s, "inputs": 1, "height_px": attention.LEAST_HEIGHT_PX[view]}
    nonce = f"nonce-{view}-{min(map(min, stills.values())):06d}"
    return post(page, "/api/seen", **{"number": number, "view": view, "stills": stills, "folding": {}, "nonce": nonce, **measured, **says})


def lines(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of the ledger of a folder."""
    path = folder / LEDGER_PATH
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def facts(folder: Path, *events: str) -> list[dict[str, Any]]:
    """Return what the lines of some events say, in their order."""
    return [line["facts"] for line in lines(folder) if line["event"] in events]


def spans(folder: Path) -> list[tuple[str, int, int]]:
    """Return what was decided of which frames."""
    return [(span["what"], span["first"], span["last"]) for said in facts(folder, "decided") for span in said["spans"]]


def picture(answer: httpx.Response) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
