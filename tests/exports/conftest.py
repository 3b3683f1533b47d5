"""A small release with everything that an export must not lose, read once for all tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import exported_release


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release; nobody writes to it."""
    return exported_release.write(tmp_path_factory.mktemp("release") / "release", exported_release.rows())


@pytest.fixture
def own(release: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(release, tmp_path / "release"))
