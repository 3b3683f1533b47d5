"""A labelled study, made once, a copy of it per test, and people who open its page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import label_server
import labelled_study
import made_once
from label_annotator import Annotator
from rating_fixtures import make_params, make_roster, make_tables
from scrubin.curate.label.people import Person
from scrubin.curate.label.workbench import Workbench

__all__ = ["make_params", "make_roster", "make_tables"]


@pytest.fixture(scope="session")
def made_study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, str]]:
    """The study, in which everybody may come in and has recordings to label, and the tokens by number."""
    folder = labelled_study.project(tmp_path_factory.mktemp("labelled") / "study")
    tokens = labelled_study.staffed(folder)
    labelled_study.opened(folder).assign()
    return folder, tokens


@pytest.fixture
def folder(made_study: tuple[Path, dict[int, str]], tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of the study, with the layers that the tests of a file are about."""
    copy = made_once.copy(made_study[0], tmp_path / "study")
    if layers := getattr(request.module, "LAYERS", ""):
        labelled_study.layers(copy, layers)
    return copy


@pytest.fixture
def tokens(made_study: tuple[Path, dict[int, str]]) -> dict[int, str]:
    return made_study[1]


@pytest.fixture
def bench(folder: Path) -> Workbench:
    return labelled_study.opened(folder)


@pytest.fixture
def both(bench: Workbench, folder: Path) -> list[Person]:
    """Both who label the single recording."""
    return [labelled_study.person(folder, number) for number in bench.standing().assigned["single"]]


@pytest.fixture
def server(folder: Path) -> Iterator[str]:
    """The page of a study as a process of its own: its address."""
    with label_server.running(folder) as address:
        yield address


@pytest.fixture
def number(bench: Workbench) -> int:
    """Of the first person who labels the single recording."""
    return bench.standing().assigned["single"][0]


@pytest.fixture
def token(number: int, tokens: dict[int, str]) -> str:
    return tokens[number]


@pytest.fixture
def come_in(chromium: Any, server: str, tokens: dict[int, str]) -> Iterator[Callable[..., Annotator]]:
    """Let somebody come in by their number; nothing goes wrong at their page but what a test forgives."""
    there: list[Annotator] = []

    def come_in(number: int, **options: Any) -> Annotator:
        there.append(Annotator(chromium, server, tokens[number], **options))
        return there[-1]

    yield come_in
    assert [trouble for one in there for trouble in one.troubles] == []


@pytest.fixture
def ann(come_in: Callable[..., Annotator], number: int) -> Annotator:
    return come_in(number)
