"""A labelled study, made once, and a copy of it per test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import label_server
import labelled_study
import made_once
from rating_fixtures import make_params, make_roster, make_tables
from scrubin.curate.label.workbench import Workbench

__all__ = ["make_params", "make_roster", "make_tables"]


@pytest.fixture(scope="session")
def made_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return labelled_study.project(tmp_path_factory.mktemp("labelled") / "study")


@pytest.fixture
def folder(made_study: Path, tmp_path: Path) -> Path:
    return made_once.copy(made_study, tmp_path / "study")


@pytest.fixture
def tokens(folder: Path) -> dict[int, str]:
    return labelled_study.staffed(folder)


@pytest.fixture
def bench(folder: Path, tokens: dict[int, str]) -> Workbench:
    opened = labelled_study.opened(folder)
    opened.assign()
    return opened


@pytest.fixture
def server(bench: Workbench, folder: Path) -> Iterator[str]:
    """The page of a study as a process of its own: its address."""
    with label_server.running(folder) as address:
        yield address


@pytest.fixture
def token(bench: Workbench, tokens: dict[int, str]) -> str:
    """Of the first person who labels the single recording."""
    return tokens[bench.standing().assigned["single"][0]]
