"""A release in a real object store, moto's S3 in another process: what is asked for, how often, what failures in the middle do."""

from __future__ import annotations

import multiprocessing
from collections import Counter

import pytest

import downloaded_release
import loadable_release
import object_store
from scrubin.base.errors import ReleaseError
from scrubin.load import Release

pytestmark = pytest.mark.slow
ADDRESS = f"s3://{object_store.BUCKET}/toy/1.2.0"


@pytest.fixture(scope="module")
def store():
    with object_store.running() as running:
        yield running


@pytest.fixture(scope="module")
def kept(storages, store, tmp_path_factory):
    """A release in shards, put into the store."""
    folder = loadable_release.copy(storages["shards"], tmp_path_factory.mktemp("kept") / "release")
    (folder / "metadata").mkdir()
    (folder / "SHA256SUMS").unlink()
    downloaded_release.seal(folder)
    store.put_folder(folder, "toy/1.2.0")
    return folder


@pytest.fixture
def opened(store, kept, tmp_path):
    store.fail(times=0)
    store.log()
    return lambda: Release(ADDRESS, cache=tmp_path / "cache", storage_options=store.options)


def sums(release_of, indices):
    """What a worker sees."""
    frames = Release(ADDRESS, **release_of).frames()
    return [int(frames[k]["image"].sum()) for k in indices]


def pictures(frames, indices):
    return [int(frames[k]["image"].sum()) for k in indices]


def test_everything_is_asked_for_once(opened, kept, store):
    """One request a file, one more where no list tells its size; a picture of a shard costs none once the shard is here."""
    here = Release(kept).frames()
    there = opened().frames()
    assert pictures(there, range(len(there))) == pictures(here, range(len(here)))
    asked = store.log()
    read = Counter(one["path"] for one in asked if one["method"] == "GET")
    shards = sorted(path for path in read if path.endswith(".tar"))
    # Of a pair, one camera was asked for.
    assert len(shards) == 4 < len(list((kept / "frames").rglob("*.tar")))
    assert set(read.values()) == {1}
    assert Counter(one["method"] for one in asked) == {"GET": len(read), "HEAD": 3}
    sizes = {f"/{object_store.BUCKET}/toy/1.2.0/{path.relative_to(kept).as_posix()}": path.stat().st_size for path in kept.rglob("*")}
    assert {one["path"]: one["bytes"] for one in asked if one["method"] == "GET"} == {path: sizes[path] for path in read}
    again = opened().frames()
    assert pictures(again, range(len(again))) == pictures(here, range(len(here)))
    assert [(one["method"], one["path"].rpartition("/")[2]) for one in store.log()] == [("HEAD", "SHA256SUMS"), ("GET", "SHA256SUMS")]


@pytest.mark.parametrize("how", ["503", "cut"])
def test_failures_in_the_middle_are_tried_again_and_then_said(opened, kept, store, how):
    release = opened()
    first, second = release.place.names("videos/")[:2]
    store.log()
    store.fail(times=2, how=how, path=first)
    release.place.hold(first)
    assert (release.folder / first).read_bytes() == (kept / first).read_bytes()
    assert [one["failed"] for one in store.log() if one["method"] == "GET"] == [how, how, ""]
    store.fail(times=1000, how=how, path=second)
    with pytest.raises(ReleaseError, match=rf"^{ADDRESS}/{second}: it failed 4 times \(.*\); check the network"):
        release.place.hold(second)
    assert len(store.log()) == 4
    assert not (release.folder / second).exists()


def test_what_the_store_refuses_is_said_at_once(opened, store):
    release = opened()
    store.log()
    store.fail(times=1000, how="403", path="videos/")
    with pytest.raises(ReleaseError, match=r"the store refuses it .*; check the address and your credentials"):
        release.place.hold(release.place.names("videos/")[0])
    assert len(store.log()) == 1


def test_a_store_that_is_not_there_is_an_error_after_some_seconds(tmp_path):
    options = object_store.Store("http://127.0.0.1:9").options
    with pytest.raises(ReleaseError, match=rf"^{ADDRESS}/SHA256SUMS: it failed 4 times \(.*127.0.0.1:9.*\); check the network"):
        Release(ADDRESS, cache=tmp_path / "cache", storage_options=options)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_share_a_cache_and_fetch_each_file_once(opened, kept, store, tmp_path, method):
    """The parent has a connection already, which no fork takes along."""
    opened()
    store.log()
    given = {"cache": tmp_path / "cache", "storage_options": store.options}
    here = Release(kept).frames()
    with multiprocessing.get_context(method).Pool(3) as pool:
        seen = pool.starmap_async(sums, [(given, range(len(here)))] * 3).get(timeout=300)
    assert seen == [pictures(here, range(len(here)))] * 3
    read = Counter(one["path"] for one in store.log() if one["method"] == "GET" and not one["path"].endswith("SHA256SUMS"))
    assert len(read) > 3
    assert set(read.values()) == {1}
