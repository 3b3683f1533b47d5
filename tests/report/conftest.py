"""The synthetic study as the report takes it, with its released frames: made once in a process, and changed by no test."""

from __future__ import annotations

from pathlib import Path

import pytest

import reported_study
from scrubin.stages.report import ReportedStudy


@pytest.fixture(scope="session")
def study() -> ReportedStudy:
    return reported_study.study()


@pytest.fixture(scope="session")
def release(study: ReportedStudy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return reported_study.write_frames(study, tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="session")
def plain_page(study: ReportedStudy, release: Path) -> str:
    """The page of the study as it is, without its figures."""
    return reported_study.page_without_pictures(study, release)
