"""A release at an address: fetched file by file when it is needed, each once, proven, whole or not at all."""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import fsspec
import numpy as np
import pytest
from fsspec.implementations.local import LocalFileSystem

import downloaded_release
import loadable_release
from scrubin.base import machine, object_store
from scrubin.base.errors import ReleaseError
from scrubin.data.load import place
from scrubin.load import Release

CUT = OSError("the line is cut")
TABLES = {"croissant.json", "SHA256SUMS", "metadata/files.csv", "tables/frames.parquet", "tables/videos.parquet"}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Nobody waits, and a file has several pieces."""
    monkeypatch.setattr(object_store, "WAITS_S", (0, 0, 0))
    monkeypatch.setattr(object_store, "PIECE_BYTES", 2000)


@pytest.fixture
def asked(monkeypatch):
    """The names of the files of which pieces were asked for, once for each piece."""
    names, really = [], LocalFileSystem.cat_file

    def noted(self, path, start=None, end=None, **more):
        names.append(path.partition("/release/")[2])
        return really(self, path, start=start, end=end, **more)

    monkeypatch.setattr(LocalFileSystem, "cat_file", noted)
    return names


@pytest.fixture
def kept(changed):
    """A release as it is kept somewhere, with its lists."""
    (changed / "metadata").mkdir()
    (changed / "SHA256SUMS").unlink()
    downloaded_release.seal(changed)
    return changed


@pytest.fixture
def opened(kept, tmp_path):
    """Opens it by its address."""
    return lambda: Release(f"file://{kept}", cache=tmp_path / "cache")


@pytest.fixture
def video(opened):
    """The release as it is opened, and the name of a video that is not here yet."""
    release = opened()
    return release, release.place.names("videos/")[0]


def together(count, work, *arguments):
    """Let threads do the same at once."""
    threads = [threading.Thread(target=work, args=arguments) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def exchange(path, data):
    """Put other bytes there: the file is a link to that of other tests."""
    path.unlink()
    path.write_bytes(data)


def lies_in(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def same(one, other):
    return all(
        np.array_equal(value, other[name], equal_nan=name != "id") if isinstance(value, np.ndarray) else True for name, value in one.items()
    )


def failing(monkeypatch, times, path=".mkv", error=CUT, short=False):
    """Let so many requests for a file fail."""
    left, really = [times], LocalFileSystem.cat_file

    def fails(self, name, start=None, end=None, **more):
        if path in name and left[0]:
            left[0] -= 1
            if short:
                return really(self, name, start=start, end=end, **more)[:-1]
            raise error
        return really(self, name, start=start, end=end, **more)

    monkeypatch.setattr(LocalFileSystem, "cat_file", fails)
    return left


@pytest.mark.slow
def test_what_is_loaded_from_an_address_is_what_the_folder_has(kept, opened):
    here, there = Release(kept), opened()
    assert there.splits == here.splits
    assert there.recordings.equals(here.recordings)
    for labels in (["triplets", "phases", "boxes"], ["skill", "errors"]):
        ours, theirs = there.frames(labels=labels), here.frames(labels=labels)
        assert len(ours) == len(theirs) > 10
        assert all(same(one, other) for one, other in zip(ours, theirs, strict=True))
    clips = there.clips(1, 1, 4)
    assert all(same(one, other) for one, other in zip(clips, here.clips(1, 1, 4), strict=True))
    assert str(there.place.address) in repr(there)


def test_only_what_is_needed_is_fetched_and_each_file_once(opened, asked, tmp_path):
    release = opened()
    assert lies_in(release.folder) == TABLES
    frames = release.frames()
    first = frames[0]
    assert lies_in(release.folder) == TABLES | {frames.rows.path[0].as_py()}
    pieces = len(asked)
    again = opened().frames()
    assert same(first, again[0])
    # The list of hashes tells whether it is still the same version.
    assert asked[pieces:] == ["SHA256SUMS"]


def test_videos_shards_and_ground_truth_are_fetched_when_they_are_wanted(storages, tmp_path):
    kept = loadable_release.copy(storages["shards"], tmp_path / "release")
    (kept / "SHA256SUMS").unlink()
    downloaded_release.seal(kept)  # as releases were before they had a list of sizes
    release = Release(f"file://{kept}", cache=tmp_path / "cache")
    assert release.frames()[0]["image"].shape == (64, 96, 3)
    assert {name for name in lies_in(release.folder) if name.endswith(".tar")} == {"frames/Cholecystectomy/mono/abelo.tar"}
    truth = release.ground_truth("balanced/test")
    assert lies_in(kept / "groundtruth") == lies_in(release.folder / "groundtruth")
    assert all(path.is_file() for files in truth.files.values() for path in files)
    assert not list(release.folder.rglob("*.mkv"))


def test_a_data_set_goes_to_other_processes(opened):
    frames = pickle.loads(pickle.dumps(opened().frames()))
    assert frames[3]["image"].shape == (64, 96, 3)


def test_a_file_that_was_cut_in_the_middle_is_never_taken_for_whole(video, monkeypatch):
    release, name = video
    really = LocalFileSystem.cat_file
    seen = []

    def killed(self, path, start=None, end=None, **more):
        if path.endswith(".mkv") and start:
            seen.append(start)
            raise KeyboardInterrupt
        return really(self, path, start=start, end=end, **more)

    with monkeypatch.context() as patch:
        patch.setattr(LocalFileSystem, "cat_file", killed)
        with pytest.raises(KeyboardInterrupt):
            release.place.hold(name)
    assert seen == [2000]
    assert not (release.folder / name).exists()
    # What a killed process left is written over.
    (release.folder.parent / "fetching" / hashlib.sha256(b"").hexdigest()).write_bytes(b"x")
    release.place.hold(name)
    assert (release.folder / name).stat().st_size > 2000


def test_a_file_of_the_cache_that_lost_its_end_is_fetched_again(kept, video):
    release, name = video
    release.place.hold(name)
    (release.folder / name).write_bytes(b"half")
    release.place.hold(name)
    assert (release.folder / name).read_bytes() == (kept / name).read_bytes()


@pytest.mark.parametrize("change", [lambda data: data[:-1] + bytes([data[-1] ^ 1]), lambda data: b"x" + data])
def test_a_file_that_was_changed_there_is_named_with_its_address(kept, video, change):
    release, name = video
    exchange(kept / name, change((kept / name).read_bytes()))
    with pytest.raises(ReleaseError, match=rf"{name}: it is another file than SHA256SUMS lists: .* open the release again") as told:
        release.place.hold(name)
    assert str(told.value).startswith("file://")
    assert not (release.folder / name).exists()


def test_a_file_that_is_shorter_or_gone_there_is_named(kept, opened):
    release = opened()
    shorter, gone = release.place.names("videos/")[:2]
    exchange(kept / shorter, (kept / shorter).read_bytes()[:-5])
    with pytest.raises(ReleaseError, match=rf"{shorter}: it failed 4 times \(bytes .* were asked for, and .* came\); check the network"):
        release.place.hold(shorter)
    (kept / gone).unlink()
    with pytest.raises(ReleaseError, match=rf"{gone}: SHA256SUMS lists it, and it is not there; tell who keeps the release"):
        release.place.hold(gone)


@pytest.mark.parametrize("short", [False, True])
def test_what_fails_three_times_is_tried_again_and_what_goes_on_failing_is_said(opened, monkeypatch, short):
    release = opened()
    first, second = release.place.names("videos/")[:2]
    left = failing(monkeypatch, 3, short=short)
    release.place.hold(first)
    assert left == [0]
    left = failing(monkeypatch, 50, short=short)
    with pytest.raises(ReleaseError, match=rf"{second}: it failed 4 times .*; check the network and the address, then try again"):
        release.place.hold(second)
    assert left == [46]


def test_what_the_store_refuses_is_not_asked_for_again(opened, monkeypatch):
    release = opened()
    left = failing(monkeypatch, 50, error=PermissionError("Forbidden"))
    with pytest.raises(ReleaseError, match=r"the store refuses it \(Forbidden\); check the address and your credentials"):
        release.place.hold(release.place.names("videos/")[0])
    assert left == [49]


def test_threads_that_want_one_file_fetch_it_once(video, asked):
    release, name = video
    del asked[:]
    together(8, release.place.hold, name)
    assert len(asked) == -(-(release.folder / name).stat().st_size // 2000)


def test_without_locks_threads_write_to_parts_of_their_own(kept, video, monkeypatch):
    """One that has begun anew would else leave a hole in what the other one is about to give its name."""
    monkeypatch.setattr(place.posix, "fcntl", None)
    release, name = video
    parts, both, really = [], threading.Barrier(2), place.InStore._fetch

    def noted(self, name, sha256, size, part):
        parts.append(part)
        both.wait(120)
        really(self, name, sha256, size, part)

    monkeypatch.setattr(place.InStore, "_fetch", noted)
    together(2, release.place.hold, name)
    assert len(set(parts)) == 2
    assert (release.folder / name).read_bytes() == (kept / name).read_bytes()
    assert not [path for path in (release.folder.parent / "fetching").iterdir() if path.suffix != ".lock"]


def test_a_process_that_is_forked_while_a_file_is_fetched_does_not_keep_its_lock(opened, monkeypatch):
    release = opened()
    first, really, children = release.place.names("videos/")[0], place.InStore._fetch, []

    def forking(*arguments):
        if not children:
            read, write = os.pipe()
            children.append((os.fork(), write))
            if children[0][0] == 0:  # lives until the test has ended, as a worker of a loader does
                os.close(write)
                os.read(read, 1)
                os._exit(0)
            os.close(read)
        really(*arguments)

    monkeypatch.setattr(place.InStore, "_fetch", forking)
    release.place.hold(first)
    (release.folder / first).unlink()
    again = threading.Thread(target=release.place.hold, args=(first,), daemon=True)
    again.start()
    again.join(60)
    is_waiting = again.is_alive()
    os.close(children[0][1])
    os.waitpid(children[0][0], 0)
    again.join(60)
    assert not is_waiting
    assert (release.folder / first).is_file()


def test_threads_that_open_one_address_at_once_never_see_half_a_list(opened, monkeypatch):
    """Every one writes the list under a name of its own before it gets the right one."""
    really, both = place.Path.write_bytes, threading.Barrier(6)

    def slowly(self, data):
        if "SHA256SUMS" in self.name:
            both.wait(120)
        return really(self, data)

    monkeypatch.setattr(place.Path, "write_bytes", slowly)
    counts, wrong = [], []

    def work():
        try:
            counts.append(len(opened().place.names("")))
        except Exception as error:
            wrong.append(error)

    together(6, work)
    assert wrong == []
    assert len(set(counts)) == 1


def test_another_version_at_the_same_address_has_a_cache_of_its_own(kept, opened):
    old = opened()
    old_folder = old.folder
    (kept / "groundtruth/new.txt").write_text("more\n")
    downloaded_release.seal(kept)
    assert opened().folder != old_folder
    assert Release(f"file://{kept}", cache=old_folder.parents[1]).folder.parents[1] == old_folder.parents[1]


def test_an_address_without_a_release_says_so(kept, tmp_path):
    for address in (f"file://{kept}/tables", f"file://{tmp_path}/nothing"):
        with pytest.raises(ReleaseError, match=rf"^{address}: this is no release: it has no SHA256SUMS"):
            Release(address, cache=tmp_path / "cache")
    with pytest.raises(ReleaseError, match=r"^x9://a/b: it cannot be reached \(Protocol not known: x9\); correct the address"):
        Release("x9://a/b", cache=tmp_path / "cache")


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), FileNotFoundError(2, "No such file or directory")])
def test_a_cache_that_cannot_be_used_says_what_to_name(kept, tmp_path, monkeypatch, error):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ReleaseError, match=r"it cannot be written to \(Not a directory\); name another folder as cache="):
        Release(f"file://{kept}", cache=tmp_path / "file")
    release = Release(f"file://{kept}", cache=tmp_path / "cache")
    monkeypatch.setattr(place.os, "open", lambda *_: (_ for _ in ()).throw(error))
    with pytest.raises(ReleaseError, match=rf"it cannot be written to \({error.strerror}\); name another folder as cache="):
        release.place.hold(release.place.names("videos/")[0])


@pytest.mark.parametrize("name", ["../outside.txt", r"..\outside.txt", r"videos\..\..\outside.txt", r"videos/..\..\outside.txt"])
def test_a_list_that_leads_out_of_the_release_is_refused(kept, opened, name):
    """On Windows a backslash does so as well."""
    with (kept / "SHA256SUMS").open("a") as file:
        file.write(f"{'0' * 64}  {name}\n")
    with pytest.raises(ReleaseError, match=r"leads out of the release"):
        opened()


def test_nothing_is_written_outside_of_the_cache_even_when_a_list_says_so(kept, opened, monkeypatch):
    monkeypatch.setattr(place.lists, "_is_unsafe", lambda _: False)
    (kept.parent / "outside.txt").write_bytes(b"x")
    sums = kept / "SHA256SUMS"
    sums.write_text(f"{hashlib.sha256(b'x').hexdigest()}  ../outside.txt\n{sums.read_text()}")
    release = opened()
    with pytest.raises(ReleaseError, match=r"/../outside.txt: its name leads out of the release, so it is not fetched"):
        release.place.hold("../outside.txt")
    assert not (release.folder.parent / "outside.txt").exists()


def test_what_is_not_installed_is_named_with_its_extra(kept, tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "is_installed", lambda module: module != "s3fs")
    with pytest.raises(ReleaseError, match=r"^s3://b/r: it needs s3fs, which is not installed: pip install 'scrubin\[s3\]'$"):
        Release("s3://b/r", cache=tmp_path / "cache")
    assert fsspec


def test_any_address_of_fsspec_will_do(kept, tmp_path):
    memory = fsspec.filesystem("memory")
    for name in sorted(lies_in(kept)):
        memory.pipe_file(f"/study/1.2.0/{name}", (kept / name).read_bytes())
    release = Release("memory://study/1.2.0", cache=tmp_path / "cache")
    assert release.frames()[0]["image"].shape == (64, 96, 3)
    shutil.rmtree(release.folder)
    memory.rm("/study", recursive=True)


@pytest.fixture
def answering():
    """A web server that answers everything with this status; an address of it."""

    class Answers(BaseHTTPRequestHandler):
        status = 200
        asked = 0

        def do_GET(self):
            type(self).asked += 1
            self.send_response(self.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_HEAD = do_GET

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield Answers, f"http://127.0.0.1:{server.server_port}/raw"
    server.shutdown()
    server.server_close()


@pytest.mark.cases(3)
@pytest.mark.parametrize("ask", ["size", "read"])
@pytest.mark.parametrize(
    ("status", "says"),
    [
        (404, "it is not there"),
        (410, "it is not there"),
        (403, "the store refuses it (403, "),
        (401, "the store refuses it (401, "),
        (503, "it failed 4 times (503, "),
    ],
)
def test_only_what_a_web_server_does_not_have_is_not_there_and_no_signature_is_shown(answering, ask, status, says):
    answers, address = answering
    answers.status = status
    with pytest.raises(ReleaseError) as told:
        getattr(object_store.ObjectFolder(address), ask)("one.mp4?sig=secret")
    assert str(told.value).startswith(f"{address}/one.mp4: {says}")
    assert isinstance(told.value, object_store.MissingObjectError) == (says == "it is not there")
    assert "secret" not in str(told.value)
    assert "?" not in str(told.value)


def test_a_web_server_that_does_not_answer_is_no_missing_file():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/raw"
        with pytest.raises(ReleaseError, match=r"/raw/one.mp4: it failed 4 times \(Cannot connect to host") as told:
            object_store.ObjectFolder(address).size("one.mp4?sig=secret")
    assert "secret" not in str(told.value)
