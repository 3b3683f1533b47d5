"""A study that waits for a review, a copy of it per test, and somebody at the desk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import made_once
import review_study
from scrubin.stages.review.desk import Desk


@pytest.fixture
def folder(study_to_review: Path, tmp_path: Path) -> Path:
    return made_once.copy(study_to_review, tmp_path / "study")


@pytest.fixture
def desk(folder: Path) -> Iterator[Desk]:
    with review_study.desk(folder) as opened:
        yield opened
