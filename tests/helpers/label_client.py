"""Browsers without a page at the label page: each has the cookie of one person."""

from __future__ import annotations

import json
from typing import Any

import httpx
from anyio.from_thread import BlockingPortal

from page_client import OWN, PORT, POST
from scrubin.curate.label import people
from scrubin.curate.label.app import LabelApp, LabelSession
from scrubin.curate.label.workbench import Workbench

OF_A_FILM = ("/api/label", "/api/take", "/api/refuse", "/api/settle", "/api/done")


class Labeller:
    """One person's requests."""

    def __init__(self, app: LabelApp, portal: BlockingPortal, token: str | None = None) -> None:
        self.app = app
        self._portal = portal
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app.asgi()), base_url=OWN, trust_env=False)
        self._count = 0
        if token is not None:
            self._client.cookies.set(app.session.cookie, token)

    def get(self, path: str, headers: dict[str, str] | None = None) -> httpx.Response:
        async def ask() -> httpx.Response:
            return await self._client.get(path, headers=headers)

        return self._portal.call(ask)

    def post(self, path: str, body: Any, headers: dict[str, str] | None = None) -> httpx.Response:
        async def ask() -> httpx.Response:
            return await self._client.post(path, content=json.dumps(body), headers=POST if headers is None else headers)

        return self._portal.call(ask)

    def say(self, path: str, **body: Any) -> httpx.Response:
        """Send a wish with a nonce of its own, as a page that was opened just now."""
        self._count += 1
        if path in OF_A_FILM and "film" not in body:
            id_ = body.get("id", "")
            body["film"] = self.film(id_) if id_.isascii() else ""
        if path == "/api/undo" and "last" not in body:
            body["last"] = self.get(f"/api/recordings/{body['id']}").json().get("undo", 0)
        return self.post(path, {"nonce": f"{id(self)}-{self._count:06d}", **body})

    def film(self, id_: str) -> str:
        """Return what the page sends along with frames of a recording."""
        film: str = self.get(f"/api/recordings/{id_}").json().get("film", "")
        return film

    def label(self, id_: str, *changes: dict[str, Any]) -> httpx.Response:
        """Send changes of labels."""
        return self.say("/api/label", id=id_, changes=list(changes))

    def named(self, label: str, verb: str = "", target: str = "", layer: str = "actions") -> httpx.Response:
        """Ask how a typed action is spelt."""
        return self.post("/api/named", {"layer": layer, "label": label, "verb": verb, "target": target})


def app_of(bench: Workbench) -> LabelApp:
    """Return the application of a study."""
    return LabelApp(bench, LabelSession(PORT, people=bench.folder / people.PATH))


def change(layer: str, key: str, first: int, end: int, label: str, **more: str) -> dict[str, Any]:
    """Return a change as the page sends it."""
    return {"layer": layer, "key": key, "value": {"first": first, "end": end, "label": label, **more}}
