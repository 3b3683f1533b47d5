"""A release, and versions of it that tests edit."""

from collections.abc import Callable
from pathlib import Path

import pytest

import version_pairs
from scrubin.data.diff.comparison import Comparison, compare


@pytest.fixture(scope="session")
def old(tmp_path_factory) -> Path:
    return version_pairs.build(tmp_path_factory.mktemp("old") / "release")


@pytest.fixture
def after(old, tmp_path) -> Callable[..., Comparison]:
    """Return what differs after an edit."""

    def compared(edit: Callable[[Path], None] = lambda _: None, version: str = "1.0.0") -> Comparison:
        return compare(old, version_pairs.edited(old, tmp_path / "new", edit, version))

    return compared
