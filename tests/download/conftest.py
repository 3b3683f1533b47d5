"""A small release and an older version of it, built once; each test damages a copy."""

from __future__ import annotations

from pathlib import Path

import pytest

import downloaded_release
from downloaded_release import Copy


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def released(tmp_path_factory) -> Path:
    return downloaded_release.build(tmp_path_factory.mktemp("released") / "release")


@pytest.fixture(scope="session")
def older(tmp_path_factory) -> Path:
    return downloaded_release.build(tmp_path_factory.mktemp("older") / "release", params=downloaded_release.older(), seed=1)


@pytest.fixture(scope="session")
def plain(tmp_path_factory) -> Path:
    return downloaded_release.build(tmp_path_factory.mktemp("plain") / "release", plain=True)


@pytest.fixture(scope="session")
def sharded(tmp_path_factory) -> Path:
    return downloaded_release.build(tmp_path_factory.mktemp("sharded") / "release", shards=True)


@pytest.fixture
def copy(released, older, tmp_path) -> Copy:
    return Copy(downloaded_release.copy_of(released, tmp_path / "copy"), older)
