"""One flipped byte anywhere: it is named, the sound copies are too, and what is restored is the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
import yaml

from scrubin import cli
from scrubin.core import store
from scrubin.upkeep import verification

OURS = ("beat", "manifest.json")
NAMES = ("a/0.mkv", "a/1.mkv", "b/0.mkv")


def md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def keep(project: Path, digest: str, data: bytes) -> None:
    path = project / ".dvc/cache/files/md5" / digest[:2] / digest[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(0o444)


@pytest.fixture
def project(tmp_path) -> Path:
    """Three videos and a table, each as an output, in the cache, and (the videos) in the store."""
    listed = []
    for number, name in enumerate(NAMES):
        data = bytes([number]) * 1000
        entry, _ = store.make(
            store.key_of("render", "code", {"n": number}),
            lambda folder, data=data: (folder / "video.mkv").write_bytes(data) and {"n": 1},
            tmp_path / store.STORE_PATH,
        )
        entry.copy_into(tmp_path / "data/release/videos" / Path(name).parent, lambda _, name=name: Path(name).name)
        keep(tmp_path, md5(data), data)
        listed.append({"md5": md5(data), "relpath": name})
    text = json.dumps(listed).encode()
    keep(tmp_path, f"{md5(text)}.dir", text)
    table = b"a table"
    (tmp_path / "data/tables").mkdir()
    (tmp_path / "data/tables/videos.parquet").write_bytes(table)
    keep(tmp_path, md5(table), table)
    outs = [{"path": "data/release/videos", "md5": f"{md5(text)}.dir"}, {"path": "data/tables/videos.parquet", "md5": md5(table)}]
    (tmp_path / "dvc.lock").write_text(yaml.safe_dump({"schema": "2.0", "stages": {"render": {"cmd": "x", "outs": outs}}}))
    return tmp_path


def all_bytes(project: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(project)): path.read_bytes()
        for path in sorted(project.rglob("*"))
        if path.is_file() and path.name not in ("beat", "repro.lock")
    }


def flip(path: Path) -> None:
    """Change one byte behind the file system's back: neither size nor time changes."""
    times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    mode = path.stat().st_mode
    path.chmod(0o644)
    with path.open("r+b") as file:
        file.seek(5)
        byte = file.read(1)
        file.seek(5)
        file.write(bytes([byte[0] ^ 1]))
    path.chmod(mode)
    os.utime(path, ns=times)


def files(project: Path, place: str) -> list[Path]:
    roots = {"output": "data", "cache": ".dvc/cache", "store": ".cache/store"}
    return sorted(path for path in (project / roots[place]).rglob("*") if path.is_file() and path.name not in ("beat", "manifest.json"))


def test_a_sound_project_is_sound_and_nothing_is_written(project, capsys):
    before = all_bytes(project)
    assert cli.main(["verify", str(project)]) == 0
    assert "every copy is sound" in capsys.readouterr().out
    assert all_bytes(project) == before


@pytest.mark.parametrize("place", ["output", "cache", "store"])
@pytest.mark.parametrize("number", range(5))
def test_a_flipped_byte_is_named_and_restored_from_a_sound_copy(project, place, number, capsys):
    there = files(project, place)
    if number >= len(there):
        pytest.skip("fewer files there")
    before, target = all_bytes(project), there[number]
    flip(target)
    assert cli.main(["verify", str(project)]) == 1
    said = capsys.readouterr().out
    assert str(target.relative_to(project)) in said or target.name.removesuffix(".dir") in said
    assert all_bytes(project)[str(target.relative_to(project))] != before[str(target.relative_to(project))]  # looking changes nothing
    assert cli.main(["verify", str(project), "--fix"]) == 0
    assert all_bytes(project) == before


def test_restoring_writes_another_file_so_that_no_copy_shares_the_damage(project):
    target = files(project, "output")[0]
    other = target.with_name("linked-by-somebody.mkv")
    flip(target)
    os.link(target, other)
    damaged = other.read_bytes()
    list(verification.restore(project, verification.verify(project)))
    assert other.read_bytes() == damaged != target.read_bytes()


def test_what_no_copy_is_sound_of_is_removed_so_that_nobody_checks_it_out(project, capsys):
    for place in ("output", "cache", "store"):
        for path in files(project, place):
            if path.suffix != ".dir":
                flip(path)
    assert cli.main(["verify", str(project), "--fix"]) == 1
    assert "removed, no copy of it is sound" in capsys.readouterr().out
    assert [path for place in ("output", "cache", "store") for path in files(project, place) if not path.name.endswith(".dir")] == []


def test_a_missing_output_comes_back_from_the_cache_and_a_missing_object_is_no_fault(project):
    before = all_bytes(project)
    files(project, "output")[0].unlink()
    assert cli.main(["verify", str(project), "--fix"]) == 0
    assert all_bytes(project) == before


def test_a_damaged_manifest_of_the_store_loses_its_result_alone(project):
    manifest = next((project / ".cache/store").rglob("manifest.json"))
    manifest.chmod(0o644)
    manifest.write_text("{}")
    assert cli.main(["verify", str(project)]) == 1
    assert cli.main(["verify", str(project), "--fix"]) == 0
    assert len(files(project, "store")) == 2
