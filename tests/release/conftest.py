"""A small clean release, and a copy of it per test."""

import shutil
from functools import lru_cache

import pytest

import remembered_readings
import toy_release
from scrubin.audit.expected.search import Search
from scrubin.audit.pictures import decoding, looks, shown
from scrubin.audit.readers import Reader
from scrubin.media.networks.misreadings import WordFinder

search_for = lru_cache(maxsize=8)(Search)


@lru_cache(maxsize=8)
def finder_of(names: tuple[str, ...]) -> WordFinder:
    return WordFinder(names)


def nothing(_: object) -> list[object]:
    """What a network that is blind sees."""
    return []


@pytest.fixture(scope="session")
def clean(tmp_path_factory) -> toy_release.Release:
    return toy_release.build(tmp_path_factory.mktemp("clean") / "release")


@pytest.fixture
def release(clean, tmp_path) -> toy_release.Release:
    shutil.copytree(clean.folder, tmp_path / "release", copy_function=shutil.copy2)
    for path in (tmp_path / "release").rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return toy_release.Release(tmp_path / "release", clean.plan, clean.private, dict(clean.tables))


@pytest.fixture(autouse=True)
def _blind(request, monkeypatch):
    """Networks see nothing, at no cost, but in tests that take ``eyes``.

    Their files are not hashed, and what searches their texts for the same names is built once: every audit has a judge.
    """
    if "eyes" not in request.fixturenames:
        monkeypatch.setattr(shown, "NETWORKS", ())
        monkeypatch.setattr(shown, "Search", search_for)
        monkeypatch.setattr(shown, "WordFinder", lambda names: finder_of(tuple(names)))
        monkeypatch.setattr(looks, "faces", nothing)
        monkeypatch.setattr(looks, "read", nothing)


@pytest.fixture(autouse=True)
def _read_once(request, monkeypatch):
    """What a test left as it was is read once in a process, but in tests that take ``eyes``, or change the library themselves."""
    if not {"eyes", "monkeypatch"} & set(request.node._fixtureinfo.argnames):
        monkeypatch.setattr(Reader, "read", remembered_readings.read)
        monkeypatch.setattr(decoding, "examine", remembered_readings.examine)


@pytest.fixture
def eyes() -> None:
    """The networks as they are."""
