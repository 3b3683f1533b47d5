from __future__ import annotations

import errno
import os
import shutil

import av.error
import numpy as np
import pytest

import clips
from scrubin.core.errors import StageError, VideoError
from scrubin.screen.pass_over_file import Observed, Observer, noted, observe_stored
from scrubin.video.probe_cache import stored_probe
from scrubin.video.raw_file import proven, stored_sha256
from scrubin.video.source import Source

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


BRIGHTNESS = Observer("brightness", "scrubin.screen.pass_over_file", {}, _Brightness)


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


def failing(number):
    raise VideoError("a.mkv", "it cannot be decoded", "export it again") from av.error.OSError(number, "Input/output error")


def test_a_disk_that_fails_fails_the_stage_and_content_that_fails_sets_the_recording_aside(ingested, monkeypatch):
    path, sha256, _ = ingested
    with pytest.raises(VideoError, match="it cannot be decoded"), proven(path, "a.mkv", sha256):
        failing(errno.EIO)  # all of it can be read: the demuxer says so of what it holds

    def broken(_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("scrubin.video.raw_file.sha256_of", broken)
    with pytest.raises(StageError, match=r"a.mkv cannot be read \(Input/output error\); check its disk"), proven(path, "a.mkv", sha256):
        failing(errno.EIO)


def test_a_file_that_cannot_be_read_now_is_no_bad_recording(tmp_path, monkeypatch):
    (tmp_path / "a.mkv").write_bytes(b"x")

    def away(_):
        raise OSError(errno.ESTALE, "Stale file handle")

    monkeypatch.setattr("scrubin.video.raw_file.sha256_of", away)
    with pytest.raises(StageError, match=r"a.mkv cannot be read \(Stale file handle\); .* run again"):
        stored_sha256(tmp_path / "a.mkv", "a.mkv")
