"""A study of a pair and a single recording, a copy of it per test, and pages that show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

import made_once
import page_client
from page_client import PORT, Clock, Page
from scrubin.curate.page.app import ReviewApp
from scrubin.curate.page.open_study import StudyNow
from scrubin.curate.page.server import Session


@pytest.fixture
def folder(study_to_review: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy = made_once.copy(study_to_review, tmp_path / "study")
    monkeypatch.chdir(copy)
    return copy


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
