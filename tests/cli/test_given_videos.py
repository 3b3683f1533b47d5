"""A command is given the address of a video: the same answer as of the file, of one copy that is here for so long."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import fsspec
import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

import clips
from scrubin import cli
from scrubin.base import object_store
from scrubin.base.errors import ScrubinError, StageError
from scrubin.base.files import sha256_of
from scrubin.cli.video import given_video as given


@pytest.fixture(autouse=True)
def quick(monkeypatch, tmp_path):
    """Nobody waits, and a file has several pieces; copies lie where a test sees them."""
    monkeypatch.setattr(object_store, "WAITS_S", (0, 0, 0))
    monkeypatch.setattr(object_store, "PIECE_BYTES", 1000)
    (tmp_path / "copies").mkdir()
    monkeypatch.setattr(given.tempfile, "tempdir", str(tmp_path / "copies"))


@pytest.fixture
def video(tmp_path):
    path = tmp_path / "raw/one.mkv"
    path.parent.mkdir()
    clips.numbered(path, 40, fps=20)
    return path


def asked(capsys, *words):
    code = cli.main([*map(str, words)])
    return code, capsys.readouterr()


def test_probe_render_and_frames_answer_as_of_the_file(video, tmp_path, capsys):
    address = f"file://{video}"
    of_file = asked(capsys, "probe", video)
    assert asked(capsys, "probe", address)[1].out.replace(address, str(video)) == of_file[1].out
    for name, source in (("file", video), ("address", address)):
        assert asked(capsys, "render", source, tmp_path / f"{name}.mkv", "--start", "0.5", "--redact", "1-1.2")[0] == 0
        assert asked(capsys, "frames", source, tmp_path / name, "--fps", "5")[0] == 0
    assert sha256_of(tmp_path / "file.mkv") == sha256_of(tmp_path / "address.mkv")
    pictures = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("file", "address")]
    assert pictures[0] == pictures[1]
    assert list((tmp_path / "copies").iterdir()) == []


def test_the_copy_is_closed_to_others_read_once_and_gone_at_the_end(video, monkeypatch):
    seen, really = [], LocalFileSystem.cat_file

    def noted(self, path, start=None, end=None, **more):
        seen.append((start, end))
        return really(self, path, start=start, end=end, **more)

    monkeypatch.setattr(LocalFileSystem, "cat_file", noted)
    with given.given_video(f"file://{video}") as path:
        assert path.read_bytes() == video.read_bytes()
        assert path.suffix == ".mkv"
        assert path.parent.stat().st_mode & 0o077 == 0
    assert not path.parent.exists()
    assert [start for start, _ in seen] == list(range(0, video.stat().st_size, 1000))


def test_a_file_is_taken_as_it_is(video):
    with given.given_video(str(video)) as path:
        assert path == video


def test_what_changes_while_it_is_read_is_refused(video, memory, monkeypatch):
    really = MemoryFileSystem.cat_file
    memory.pipe_file("/raw/one.mkv", video.read_bytes())

    def changing(self, path, start=None, end=None, **more):
        data = really(self, path, start=start, end=end, **more)
        if start == 1000:
            memory.pipe_file("/raw/one.mkv", b"x" * video.stat().st_size)
        return data

    monkeypatch.setattr(MemoryFileSystem, "cat_file", changing)
    said = r"^memory://raw/one.mkv: it was changed while it was read; wait until"
    with pytest.raises(StageError, match=said), given.given_video("memory://raw/one.mkv"):
        pass


def test_no_room_for_the_copy_is_said_before_a_byte_is_read(video, monkeypatch):
    monkeypatch.setattr(given.shutil, "disk_usage", lambda _: SimpleNamespace(free=10))
    monkeypatch.setattr(LocalFileSystem, "cat_file", lambda *_, **__: pytest.fail("it was read"))
    with pytest.raises(
        StageError, match=r"it has [\d,]+ bytes, for which there is no room in .*; make room, or name another folder as TMPDIR"
    ):
        Path(given.given_video(f"file://{video}").__enter__())


@pytest.fixture
def memory():
    """What is in a store, which the next test does not see."""
    store = fsspec.filesystem("memory")
    yield store
    store.rm("/raw", recursive=True)


def test_an_address_without_a_video_says_so_in_one_line(video, capsys):
    code, said = asked(capsys, "probe", f"file://{video.parent}/other.mkv")
    assert (code, said.err) == (1, f"scrubin probe: file://{video.parent}/other.mkv: it is not there\n")
    (video.parent / "text.mkv").write_text("no video")
    code, said = asked(capsys, "probe", f"file://{video.parent}/text.mkv")
    assert code == 1
    assert said.err.startswith(f"scrubin probe: file://{video.parent}/text.mkv: ")


@pytest.mark.parametrize("name", ["memory://raw/empty.mkv", "memory://raw/day", "memory://raw/day/"])
def test_an_empty_object_and_the_beginning_of_names_are_named_by_their_address(video, memory, name):
    memory.pipe_file("/raw/empty.mkv", b"")
    memory.pipe_file("/raw/day/one.mkv", video.read_bytes())
    with pytest.raises(ScrubinError) as told, given.given_video(name):
        pass
    assert str(told.value).startswith(f"{name}: ")
    assert "copies" not in str(told.value)


@pytest.mark.parametrize(
    ("last", "suffix"),
    [("one.mkv", ".mkv"), ("one.mkv?a=1.b", ".mkv"), ("one", ""), ("one." + "x" * 300, ""), ("one.mkv?sig=" + "y" * 300, ".mkv")],
)
def test_the_copy_has_the_ending_of_the_name_alone(video, memory, last, suffix):
    """Memory takes a name of any length, as object stores do."""
    memory.pipe_file(f"/raw/{last}", video.read_bytes())
    with given.given_video(f"memory://raw/{last}") as path:
        assert path.name == f"video{suffix}"


def test_what_probe_tells_of_a_signed_address_has_no_signature(video, memory, capsys):
    memory.pipe_file("/raw/one.mkv?sig=secret", video.read_bytes())
    code, said = asked(capsys, "probe", "memory://raw/one.mkv?sig=secret")
    assert code == 0
    assert "secret" not in said.out + said.err


@pytest.mark.parametrize(
    ("out", "says"),
    [([], "name the file to write"), (["out.mp4"], "let its name end with .mkv"), (["nowhere/out.mkv"], "its folder does not exist")],
)
def test_render_refuses_a_name_that_is_none_before_it_fetches_the_video(video, tmp_path, monkeypatch, capsys, out, says):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(LocalFileSystem, "cat_file", lambda *_, **__: pytest.fail("it was read"))
    code, said = asked(capsys, "render", f"file://{video}", *out)
    assert code == (1 if "folder does not exist" in says else cli.USAGE)
    assert says in said.err
