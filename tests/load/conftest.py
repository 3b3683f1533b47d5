"""A release in every storage of pictures, made once."""

from __future__ import annotations

import pytest

import loadable_release
import made_once
from scrubin.load import Release


@pytest.fixture(scope="session")
def storages(tmp_path_factory):
    """The same release with loose JPEG, shards, PNG, and PNG of half the height."""

    def make(folder):
        made = []
        for name, params in loadable_release.STORAGES.items():
            made.append(loadable_release.build(folder / name, params, made[0] if made else None))

    folder = made_once.folder(tmp_path_factory, "storages", make)
    return {name: folder / name for name in loadable_release.STORAGES}


@pytest.fixture(scope="session")
def release(storages):
    """The release with loose files, for tests that only read."""
    return Release(storages["loose"])


@pytest.fixture
def changed(storages, tmp_path):
    """A copy of it that a test may change."""
    return loadable_release.copy(storages["loose"], tmp_path / "release")
