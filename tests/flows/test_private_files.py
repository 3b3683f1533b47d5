"""A real run under the usual umask, and what another user of the machine can read of it: the release, and nothing private."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import another_user
import made_once
import small_study
from scrubin.base import private_paths

pytestmark = [pytest.mark.slow, another_user.needs_root]


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, umask=0o022, capture_output=True, text=True, check=False)


def test_after_a_bare_dvc_repro_another_user_reads_nothing_private(project, prefect_address):
    for number in range(2):
        project.add(f"peg {number}", participant=f"Dr. Strange {number}", left=f"{number}l.mkv", right=f"{number}r.mkv")
    project.write()
    project.folder.chmod(0o755)
    done = run(project.folder, ".venv/bin/dvc", "repro", "ingest")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project.folder / "data/interim/recordings.parquet").is_file()
    assert any((project.folder / ".dvc/cache").rglob("*"))
    assert another_user.below(another_user.reaches(project.folder), *private_paths.PRIVATE) == set()


def test_make_repro_closes_what_an_earlier_version_left_open_and_opens_the_release(tmp_path, tmp_path_factory):
    folder = made_once.copy(small_study.recorded(tmp_path_factory), tmp_path / "study")
    for name in (".", ".cache", ".dvc", "data"):
        (folder / name).chmod(0o755)
    for name in (*private_paths.PRIVATE, "data/release"):
        for path in ((folder / name), *(folder / name).rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
    opened = another_user.below(another_user.reaches(folder), *private_paths.PRIVATE)
    assert {"data/private/linkage.parquet", "data/interim/people.parquet"} <= opened
    assert any(path.startswith(".cache/store/") for path in opened)
    assert any(path.startswith(".dvc/cache/") for path in opened)
    done = run(folder, sys.executable, "pipelines/flows/repro.py")
    assert done.returncode == 0, done.stdout + done.stderr
    reached = another_user.reaches(folder)
    assert another_user.below(reached, *private_paths.PRIVATE) == set()
    released = {path.relative_to(folder).as_posix() for path in (folder / "data/release").rglob("*") if path.is_file()}
    assert released
    assert released <= reached
