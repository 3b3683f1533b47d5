"""A release at an address: behind the gate, whole or not a release at all, and never over another one."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from fsspec.implementations.local import LocalFileSystem

import downloaded_release
from scrubin import cli
from scrubin.base import object_store
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import error
from scrubin.base.object_store import ObjectFolder
from scrubin.curate.project import pushing
from scrubin.load import Release


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Nobody waits."""
    monkeypatch.setattr(object_store, "WAITS_S", (0, 0, 0))


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return downloaded_release.build(tmp_path_factory.mktemp("release") / "data/release")


@pytest.fixture
def store(tmp_path):
    return ObjectFolder(f"file://{tmp_path}/there")


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def watch(monkeypatch, before=lambda _: None, after=lambda _: None):
    """Let something happen before or after each file is put there; returns the names of all that were."""
    names, really = [], LocalFileSystem.put_file

    def put(self, source, target, **more):
        before(target)
        really(self, source, target, **more)
        names.append(target.partition("/there/")[2])
        after(target)

    monkeypatch.setattr(LocalFileSystem, "put_file", put)
    monkeypatch.setattr(pushing, "AT_ONCE", 1)
    return names


def push_and_die(count, release, store):
    """Let the process be killed when so many files were put there."""
    left = [count]

    def put(_):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        watch(patch, put)
        with pytest.raises(KeyboardInterrupt):
            pushing.push(release, store)


def test_what_is_put_there_is_the_release_and_its_list_comes_last(release, store, tmp_path, monkeypatch):
    names = watch(monkeypatch)
    done = pushing.push(release, store)
    assert tree(tmp_path / "there") == tree(release)
    assert names[0] == pushing.MARK
    assert names[-1] == "SHA256SUMS"
    assert (done.files, done.bytes, done.there) == (len(tree(release)), sum(map(len, tree(release).values())), 0)
    assert pushing.push(release, store) == pushing.Pushed(0, 0, len(names) - 1)
    assert len(names) == len(tree(release)) + 1


def test_a_folder_named_by_an_address_is_made(release, tmp_path):
    for scheme in ("file", "local"):
        pushing.push(release, ObjectFolder(f"{scheme}://{tmp_path}/not/yet/{scheme}"))
        assert tree(tmp_path / "not/yet" / scheme) == tree(release)


@pytest.mark.parametrize("count", [0, 1, 2, 20])
def test_a_push_that_was_killed_shows_no_release_and_goes_on_with_the_same_bytes(release, store, tmp_path, monkeypatch, count):
    push_and_die(count, release, store)
    with pytest.raises(ReleaseError, match="this is no release: it has no SHA256SUMS, which is put there last"):
        Release(store.address, cache=tmp_path / "cache")
    names = watch(monkeypatch)
    done = pushing.push(release, store)
    assert tree(tmp_path / "there") == tree(release)
    assert done.there == max(0, count - 1)
    assert names[-1] == "SHA256SUMS"
    assert Release(store.address, cache=tmp_path / "cache").name == "toy-study"


def test_killed_before_the_list_or_before_the_mark_goes(release, store, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(LocalFileSystem, "rm_file", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        watch(patch)
        with pytest.raises(KeyboardInterrupt):
            pushing.push(release, store)
    # The list is there: it is a release. The mark is not of its list, and nobody asks for it.
    assert Release(store.address, cache=tmp_path / "cache").name == "toy-study"
    assert pushing.push(release, store).files == 0
    assert tree(tmp_path / "there") == tree(release)


def test_nothing_is_put_over_another_release_or_into_what_is_somebody_elses(release, store, tmp_path, monkeypatch):
    there, other = tmp_path / "there", downloaded_release.build(tmp_path / "other", seed=1)
    push_and_die(5, other, store)
    for what in ("a part of another release lies there, which was never finished", "another release lies there"):
        before = tree(there)
        with pytest.raises(ReleaseError, match=f"^{re.escape(store.address)}: {what}; name an address where nothing lies"):
            pushing.push(release, store)
        assert tree(there) == before
        watch(monkeypatch)
        pushing.push(other, store)
    shutil.rmtree(there)
    there.mkdir()
    (there / "holiday.jpg").write_bytes(b"x")
    with pytest.raises(ReleaseError, match=r"something lies there, such as holiday.jpg; name an address"):
        pushing.push(release, store)


def test_a_file_that_fell_out_of_a_release_is_put_back(release, store, tmp_path, monkeypatch):
    watch(monkeypatch)
    pushing.push(release, store)
    (tmp_path / "there" / downloaded_release.VIDEO).unlink()
    assert pushing.push(release, store).files == 1
    assert tree(tmp_path / "there") == tree(release)


@pytest.mark.parametrize("moment", ["before", "during"])
def test_a_file_that_is_no_longer_the_checked_one_is_refused_and_the_list_is_never_sent(release, store, tmp_path, monkeypatch, moment):
    """Of the same size, so that only its bytes tell."""
    project = tmp_path / "project"
    own = shutil.copytree(release, project / "data/release")
    victim = sorted(name for name in tree(own) if name != "SHA256SUMS")[3]
    other = b"x" * (own / victim).stat().st_size

    def rewrite(*_):
        (own / victim).write_bytes(other)
        return iter([])

    told = rf"{re.escape(victim)}, line \d+ of SHA256SUMS: it is no longer the file that was checked: .*; wait until no run writes there"
    with monkeypatch.context() as patch:
        names = watch(patch, lambda target: rewrite() if moment == "during" and target.endswith(f"/{victim}") else None)
        patch.setattr(pushing, "GATE", {"checksums": rewrite} if moment == "before" else {})
        with pytest.raises(ReleaseError, match=told):
            pushing.push_project(project, store)
    assert victim not in tree(tmp_path / "there")
    assert len(names) <= 5
    assert "SHA256SUMS" not in names
    shutil.copy(release / victim, own / victim)
    monkeypatch.setattr(pushing, "GATE", {})
    pushing.push_project(project, store)
    assert tree(tmp_path / "there") == tree(release)


def test_a_whole_new_release_that_comes_after_the_gate_is_not_sent(release, store, tmp_path, monkeypatch):
    project = tmp_path / "project"
    own = shutil.copytree(release, project / "data/release")
    watch(monkeypatch)

    def replacing(*_):
        shutil.rmtree(own)
        downloaded_release.build(own, seed=1)
        return iter([])

    monkeypatch.setattr(pushing, "GATE", {"checksums": replacing})
    with pytest.raises(ReleaseError, match=r"it is no longer the file that was checked"):
        pushing.push_project(project, store)
    assert "SHA256SUMS" not in tree(tmp_path / "there")


def test_the_list_that_is_sent_is_the_one_that_was_checked_whatever_lies_there_by_then(release, store, tmp_path, monkeypatch):
    own = shutil.copytree(release, tmp_path / "project/data/release")
    last = max(name for name in tree(own) if name != "SHA256SUMS")
    other = b"another list\n"
    watch(monkeypatch, after=lambda target: (own / "SHA256SUMS").write_bytes(other) if target.endswith(f"/{last}") else None)
    pushing.push(own, store)
    assert (own / "SHA256SUMS").read_bytes() == other
    assert tree(tmp_path / "there") == tree(release)


@pytest.mark.parametrize("moment", ["at the mark", "in the middle"])
def test_two_releases_that_are_pushed_to_one_address_at_once_are_never_both_there(release, store, tmp_path, monkeypatch, moment):
    """The second one begins when the first one has looked, or is in the middle; it saw an empty address."""
    other = downloaded_release.build(tmp_path / "other", seed=1)
    looked, begun, ends = ObjectFolder.sizes, [], {}
    place = pushing.MARK if moment == "at the mark" else sorted(name for name in tree(release) if name != "SHA256SUMS")[5]

    def once_empty(self):
        monkeypatch.setattr(ObjectFolder, "sizes", looked)
        return {}

    def pushed(who, what):
        try:
            pushing.push(what, store)
        except ReleaseError as error:
            ends[who] = str(error)

    def begin_other(target):
        if target.endswith(f"/{place}") and not begun:
            begun.append(target)
            monkeypatch.setattr(pushing, "_refuse_others", lambda *_: None)
            monkeypatch.setattr(ObjectFolder, "sizes", once_empty)
            pushed("other", other)

    watch(monkeypatch, begin_other)
    pushed("one", release)
    assert all("somebody else put or removed something there meanwhile; name an address" in told for told in ends.values())
    assert ends
    there = tree(tmp_path / "there")
    # Either nothing that is taken for a release, and to which nobody adds, or one of them whole.
    if "SHA256SUMS" in there:
        assert there["SHA256SUMS"] == (other / "SHA256SUMS").read_bytes()
    else:
        assert pushing.MARK not in there


def test_what_somebody_else_removed_while_it_was_pushed_is_missed_before_the_list(release, store, tmp_path, monkeypatch):
    names = watch(monkeypatch, after=lambda _: (tmp_path / "there" / names[5]).unlink() if len(names) == 9 else None)
    with pytest.raises(ReleaseError, match="somebody else put or removed something there meanwhile"):
        pushing.push(release, store)
    assert "SHA256SUMS" not in tree(tmp_path / "there")


def answering(faults):
    return lambda *_: iter(faults)


def test_the_gate_is_that_of_a_version(release, store, tmp_path, monkeypatch):
    assert list(pushing.GATE) == ["release", "dvc status", "checksums"]
    project = release.parents[1]
    for closed in pushing.GATE:
        answers = {name: answering([error("dvc.lock", name, "no", "mend")] if name == closed else []) for name in pushing.GATE}
        monkeypatch.setattr(pushing, "GATE", answers)
        with pytest.raises(ReleaseError, match=r"dvc.lock"):
            pushing.push_project(project, store)
        assert not (tmp_path / "there").exists()


def test_an_address_that_is_a_folder_is_refused(capsys, tmp_path):
    (tmp_path / "params.yaml").touch()
    assert cli.main(["push", "there", str(tmp_path)]) == cli.USAGE
    assert "there: this is no address; write one such as s3://bucket/study/1.0.0" in capsys.readouterr().err
