"""A study of a pair and a single recording, a copy of it per test, and pages that show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

import browser
import keyboard
import page_client
import review_server
from page_client import PORT, Clock, Page
from scrubin.curate.page.app import ReviewApp
from scrubin.curate.page.open_study import StudyNow
from scrubin.curate.page.server import Session


@pytest.fixture
def folder(study_to_review: Path, enter: Callable[[Path], Path]) -> Path:
    return enter(study_to_review)


@pytest.fixture
def portal() -> Iterator[BlockingPortal]:
    """An event loop in a thread, where the application runs."""
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def study(folder: Path, clock: Clock) -> Iterator[StudyNow]:
    now = page_client.opened(folder, clock=clock)
    yield now
    now.close()


@pytest.fixture
def client(portal: BlockingPortal) -> Callable[..., Page]:
    """Show a study to a browser that has no cookie."""

    def client(study: StudyNow, session: Session | None = None, **options: object) -> Page:
        return Page(ReviewApp(study, session or Session(PORT), **options), portal)

    return client


@pytest.fixture
def inside(client: Callable[..., Page]) -> Callable[..., Page]:
    """Show a study to a browser that has the cookie and knows the edition."""

    def inside(study: StudyNow, **options: object) -> Page:
        page = client(study, **options)
        page.cookies.set(page.session.cookie, page.session.token)
        page.edition = page.get("/api/study").json()["edition"]
        return page

    return inside


@pytest.fixture
def page(study: StudyNow, client: Callable[..., Page]) -> Page:
    """The page of a person who entered by the doorway."""
    page = client(study)
    assert page.enter(page.session.token).status_code == 200
    page.edition = page.get("/api/study").json()["edition"]
    return page


@pytest.fixture
def serve(folder: Path) -> Iterator[Callable[..., review_server.Server]]:
    """Serve the study as a process of its own, after what a test has prepared; who asks again gets the same server."""
    with ExitStack() as stack:
        started: list[review_server.Server] = []

        def serve(*options: str) -> review_server.Server:
            if not started:
                started.append(stack.enter_context(review_server.running(folder, "--by", "ann", *options)))
            return started[0]

        yield serve


@pytest.fixture
def come_in(chromium: Any, serve: Callable[..., review_server.Server]) -> Callable[..., Any]:
    """Open the page of ann in the browser, after what a test has prepared."""

    def come_in(*options: str, before: Callable[[Any], object] = lambda _: None, **of_browser: Any) -> Any:
        server = serve(*options)
        page = chromium.new_context(viewport=browser.SIZE, **of_browser).new_page()
        page.server = server
        before(page)
        keyboard.come_in(page, server.address)
        keyboard.says(page, "is open")
        return page

    return come_in
