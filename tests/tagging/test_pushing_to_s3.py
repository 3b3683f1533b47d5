"""A release pushed to a real object store, moto's S3 in another process: requests, kills, and loading from there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import downloaded_release
import object_store
from scrubin.base.errors import ReleaseError
from scrubin.base.object_store import ObjectFolder
from scrubin.curate.project import pushing
from scrubin.load import Release

pytestmark = pytest.mark.slow
PUSH = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1]]
import object_store
from scrubin.base.object_store import ObjectFolder
from scrubin.curate.project import pushing
pushing.push(Path(sys.argv[3]), ObjectFolder(sys.argv[4], object_store.Store(sys.argv[2]).options))
"""


@pytest.fixture(scope="module")
def store():
    with object_store.running() as running:
        yield running


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return downloaded_release.build(tmp_path_factory.mktemp("release") / "data/release")


def folder(store, name):
    return ObjectFolder(f"s3://{object_store.BUCKET}/{name}", store.options)


def lying(store, name):
    return {one.removeprefix(f"{name}/"): store.get(one) for one in store.names(f"{name}/")}


def tree(place: Path) -> dict[str, bytes]:
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def test_one_request_puts_a_file_and_a_second_push_asks_twice(release, store, tmp_path):
    store.log()
    done = pushing.push(release, folder(store, "whole"))
    asked = store.log()
    put = Counter(one["path"].partition("/whole/")[2] for one in asked if one["method"] == "PUT")
    assert set(put.values()) == {1}
    assert set(put) == {*tree(release), pushing.MARK}
    assert Counter(one["method"] for one in asked)["GET"] <= 6  # three times what lies there, twice the mark
    assert lying(store, "whole") == tree(release)
    assert done.bytes == sum(map(len, tree(release).values()))
    again = pushing.push(release, folder(store, "whole"))
    assert again.files == 0
    assert not [one for one in store.log() if one["method"] in ("PUT", "DELETE", "POST")]
    loaded = Release(f"s3://{object_store.BUCKET}/whole", cache=tmp_path / "cache", storage_options=store.options)
    assert loaded.tables["videos"].equals(Release(release).tables["videos"])


def test_a_push_that_is_killed_any_number_of_times_ends_with_the_same_bytes(release, store, tmp_path):
    """Until the last one nobody finds a release there."""
    arguments = [Path(object_store.__file__).parent, store.url, release, f"s3://{object_store.BUCKET}/killed"]
    there = []
    for more in (3, 20, 30):
        begun = len(store.names("killed/"))
        process = subprocess.Popen([sys.executable, "-c", PUSH, *map(str, arguments)])
        ends_s = time.monotonic() + 120
        while len(store.names("killed/")) < begun + more and process.poll() is None and time.monotonic() < ends_s:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        there.append(len(store.names("killed/")))
        with pytest.raises(ReleaseError, match="it has no SHA256SUMS, which is put there last"):
            Release(arguments[-1], cache=tmp_path / "cache", storage_options=store.options)
    assert sorted(set(there)) == there
    done = pushing.push(release, folder(store, "killed"))
    assert done.there >= there[-1] - 1
    assert lying(store, "killed") == tree(release)


def test_what_fails_on_the_way_is_tried_again_and_then_said(release, store):
    store.fail(times=2, path="splits/balanced.csv", method="PUT")
    pushing.push(release, folder(store, "shaky"))
    assert lying(store, "shaky") == tree(release)
    store.fail(times=10_000, path="splits/balanced.csv", method="PUT")
    with pytest.raises(ReleaseError, match=r"splits/balanced.csv: it failed 4 times .*; check the network and the address, then try again"):
        pushing.push(release, folder(store, "broken"))
    assert "SHA256SUMS" not in lying(store, "broken")
    store.fail(times=0)
    pushing.push(release, folder(store, "broken"))
    assert lying(store, "broken") == tree(release)


def test_the_empty_object_of_a_folder_that_a_console_made_is_nothing_that_lies_there(release, store):
    system, root = folder(store, "console")._system()
    system.touch(f"{root}/")
    assert store.names("console/") == ["console/"]
    pushing.push(release, folder(store, "console"))
    assert pushing.push(release, folder(store, "console")).files == 0


def test_a_bucket_that_is_not_there_is_named(release, store):
    with pytest.raises(ReleaseError, match=r"^s3://nobodys/1.0.0"):
        pushing.push(release, ObjectFolder("s3://nobodys/1.0.0", store.options))
