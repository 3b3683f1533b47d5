"""A release in every storage of pictures, each made once, when the first test asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import loadable_release
import made_once
from scrubin.load import Release


class Storages(Mapping[str, Path]):
    """The same release with loose JPEG, shards, PNG, and PNG of half the height."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self.factory = factory

    def __getitem__(self, name: str) -> Path:
        first = None if name == "loose" else self["loose"]
        params = loadable_release.STORAGES[name]
        return made_once.folder(self.factory, f"storage_{name}", lambda folder: loadable_release.build(folder, params, first))

    def __iter__(self) -> Iterator[str]:
        return iter(loadable_release.STORAGES)

    def __len__(self) -> int:
        return len(loadable_release.STORAGES)


@pytest.fixture(scope="session")
def storages(tmp_path_factory):
    return Storages(tmp_path_factory)


@pytest.fixture(scope="session")
def release(storages):
    """The release with loose files, for tests that only read."""
    return Release(storages["loose"])


@pytest.fixture
def changed(storages, tmp_path):
    """A copy of it that a test may change."""
    return loadable_release.copy(storages["loose"], tmp_path / "release")
