from __future__ import annotations

import errno
import os
import shutil

import av.error
import numpy as np
import pytest

import clips
from scrubin.base.errors import StageError, VideoError
from scrubin.base.store import store
from scrubin.media import raw_file
from scrubin.media.decode import decoded
from scrubin.media.frame_reader import FrameReader
from scrubin.media.probe import probe, unreadable
from scrubin.media.raw_file import proven, stored_probe, stored_sha256
from scrubin.media.source import Source
from scrubin.stages.screen.pass_over_file import Observed, Observer, noted, observe_stored

ANOTHER = "a.mkv is another file than the one that was ingested; run again"


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def ingested(tmp_path):
    """A raw file with its hash, and another one of its length beside it."""
    path = clips.clip(tmp_path / "a.mkv", size="64x64", seconds=1)
    data = bytearray(path.read_bytes())
    data[-200] ^= 1
    (tmp_path / "b.mkv").write_bytes(data)
    return path, stored_sha256(path, "a.mkv"), tmp_path / "b.mkv"


def replaced(path, other):
    """Write another file over it, and give it the times of the first."""
    before = path.stat()
    path.write_bytes(other.read_bytes())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_another_file_under_the_name_is_never_kept_under_the_hash_of_the_first(ingested, tmp_path):
    path, sha256, other = ingested
    shutil.copy(path, tmp_path / "kept.mkv")
    replaced(path, other)
    with pytest.raises(StageError, match=ANOTHER):
        stored_probe(path, "a.mkv", sha256)
    with pytest.raises(StageError, match=ANOTHER):
        observe_stored(path.parent, Source.of_file("a.mkv", sha256), [BRIGHTNESS], np.arange(25) / 25)
    replaced(path, tmp_path / "kept.mkv")
    assert noted("a.mkv", sha256, BRIGHTNESS) is None
    assert len(observe_stored(path.parent, Source.of_file("a.mkv", sha256), [BRIGHTNESS], np.arange(25) / 25)["brightness"].value) == 25


class _Brightness:
    """Notes the mean luma of every frame; ``between`` is called after the tenth."""

    between = staticmethod(lambda: None)

    def __init__(self, times_s):
        self._luma: list[int] = []

    def see(self, number, decoded):
        self._luma.append(int(np.frombuffer(memoryview(decoded.frame.planes[0]), np.uint8).mean()))
        if number == 10:
            type(self).between()

    def finish(self):
        return Observed({}, self._luma)


BRIGHTNESS = Observer("brightness", "scrubin.stages.screen.pass_over_file", {}, _Brightness)


def test_what_was_seen_of_a_file_that_was_replaced_meanwhile_is_not_kept(ingested, monkeypatch):
    path, sha256, other = ingested
    monkeypatch.setattr(_Brightness, "between", staticmethod(lambda: replaced(path, other)))
    with pytest.raises(StageError, match=ANOTHER):
        observe_stored(path.parent, Source.of_file("a.mkv", sha256), [BRIGHTNESS], np.arange(25) / 25)
    assert noted("a.mkv", sha256, BRIGHTNESS) is None


def test_a_file_that_is_away_after_it_was_ingested_fails_the_stage_not_the_recording(ingested):
    path, sha256, _ = ingested
    path.rename(path.with_name("away.mkv"))
    with pytest.raises(StageError, match="was ingested, and now the file is missing; put it back"):
        stored_probe(path, "a.mkv", sha256)


def test_a_file_that_was_away_for_a_while_is_not_trusted_though_it_is_the_same_again(ingested):
    path, sha256, other = ingested
    reader = FrameReader(path, "a.mkv", probe(path, "a.mkv"))
    with pytest.raises(StageError, match=r"a.mkv was moved, replaced or changed while it was read"), proven(path, "a.mkv", sha256):
        swapped_away_and_back(path, other)
    with pytest.raises(VideoError, match="changed or replaced while it was read"):
        reader.picture(3)


@pytest.mark.parametrize("kind", [av.error.MemoryError, av.error.InvalidDataError])
def test_a_refusal_is_kept_but_for_lack_of_memory(ingested, kind):
    path, sha256, _ = ingested
    key, seen = store.key_of("probe", "code", {}), []

    def work():
        seen.append(path)
        raise unreadable(path, "a.mkv", kind(errno.ENOMEM, "Cannot allocate memory")) from kind(errno.ENOMEM, "Cannot allocate memory")

    for _ in range(2):
        with pytest.raises(VideoError, match="Cannot allocate memory"):
            raw_file.stored(key, work, path, "a.mkv", sha256)
    assert len(seen) == (2 if kind is av.error.MemoryError else 1)


def swapped_away_and_back(path, other):
    kept = path.with_name("kept.mkv")
    for old, new in ((path, kept), (other, path), (path, other), (kept, path)):
        old.rename(new)


@pytest.fixture
def disk(monkeypatch):
    """A disk that fails with one number of an error at some of the reads of raw files, counted from 0."""
    real, calls = os.read, []

    def install(number, fails):
        def read(descriptor, count):
            calls.append(count)
            if fails(len(calls) - 1):
                raise OSError(number, os.strerror(number))
            return real(descriptor, min(count, 1 << 12))  # many reads of a small file

        calls.clear()
        monkeypatch.setattr(os, "read", read)
        return calls

    monkeypatch.setattr("scrubin.media.containers.pieces.WAITS_S", (0, 0))
    return install


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.ETIMEDOUT])
def test_a_disk_that_fails_once_changes_nothing_at_whatever_read_it_is(ingested, disk, number):
    path = ingested[0]
    expected = probe(path, "a.mkv")
    calls = disk(number, lambda _: False)
    probe(path, "a.mkv")
    for place in range(len(calls)):
        disk(number, lambda call, place=place: call == place)
        assert probe(path, "a.mkv") == expected
        assert sum(1 for _ in decoded(path, "a.mkv")) == 25
    assert len(calls) > 5


@pytest.mark.parametrize("suffix", ["mkv", "ts", "mp4", "avi"])
def test_a_disk_that_goes_on_failing_fails_the_stage_and_never_a_recording(tmp_path, disk, suffix):
    path = clips.clip(tmp_path / f"a.{suffix}", size="64x64", seconds=1, more=("-bf", "0"))
    sha256 = stored_sha256(path, path.name)
    calls = disk(errno.EIO, lambda _: False)
    probe(path, path.name)
    for start in range(len(calls)):
        disk(errno.EIO, lambda call, start=start: call >= start)
        with pytest.raises(StageError, match=rf"{path.name} cannot be read \(Input/output error\); check its disk"):
            stored_probe(path, path.name, sha256)
    disk(errno.EIO, lambda _: False)
    assert stored_probe(path, path.name, sha256).frame_count == 25


def test_a_file_that_cannot_be_read_now_is_no_bad_recording(tmp_path, disk):
    (tmp_path / "a.mkv").write_bytes(b"x")
    disk(errno.ESTALE, lambda _: True)
    with pytest.raises(StageError, match=r"a.mkv cannot be read \(Stale file handle\); .* run again"):
        stored_sha256(tmp_path / "a.mkv", "a.mkv")
