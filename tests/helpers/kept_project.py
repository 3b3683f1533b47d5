"""A small project as DVC and the store leave it: three videos and a table as outputs, in the cache, and the videos in the store."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from pathlib import Path

import pytest
import yaml
from dvc import cli

from scrubin.base.store import store, uses

NAMES = ("a/0.mkv", "a/1.mkv", "b/0.mkv")
KEYS = [store.key_of("render", "code", {"n": number}) for number in range(len(NAMES))]


def dvc(*arguments: str, folder: Path = Path()) -> int:
    """Run a command of DVC in this process, as to import it takes longer than most of them; return its exit code."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those are of DVC's own code
        patch.setenv("DVC_NO_ANALYTICS", "1")
        patch.chdir(folder)
        return cli.main([*arguments])


def md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def keep(project: Path, digest: str, data: bytes) -> None:
    path = object_path(project, digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(0o444)


def object_path(project: Path, digest: str) -> Path:
    return project / ".dvc/cache/files/md5" / digest[:2] / digest[2:]


def video(number: int) -> bytes:
    return bytes([number]) * 1000


def make(project: Path) -> Path:
    listed = []
    root = project / store.STORE_PATH
    with uses.of_stage("render", root):
        for number, name in enumerate(NAMES):
            data = video(number)
            entry, _ = store.make(KEYS[number], lambda folder, data=data: (folder / "video.mkv").write_bytes(data) and {"n": 1}, root)
            entry.copy({"video.mkv": project / "data/unreleased/videos" / name})
            keep(project, md5(data), data)
            listed.append({"md5": md5(data), "relpath": name})
    text = json.dumps(listed).encode()
    keep(project, f"{md5(text)}.dir", text)
    table = b"a table"
    (project / "data/tables").mkdir()
    (project / "data/tables/videos.parquet").write_bytes(table)
    keep(project, md5(table), table)
    outs = [{"path": "data/unreleased/videos", "md5": f"{md5(text)}.dir"}, {"path": "data/tables/videos.parquet", "md5": md5(table)}]
    (project / "dvc.lock").write_text(yaml.safe_dump({"schema": "2.0", "stages": {"render": {"cmd": "x", "outs": outs}}}))
    stages = {"render": {"cmd": "x", "outs": [one["path"] for one in outs]}}
    (project / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}))
    return project


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
