"""The container for curators: what its start does to a volume, and what its image may not hold."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILE = (ROOT / "Containerfile").read_text(encoding="utf-8")
MADE_OF = ("requirements.lock", "pyproject.toml", ".bootstrap/uv.txt")


def git(folder, *words):
    names = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    return subprocess.run(["git", *names, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def start(tmp_path):
    """Run the start of the container with its two folders elsewhere."""
    program, study = tmp_path / "program", tmp_path / "study"
    for name in (*MADE_OF, "dvc.yaml"):
        (program / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, program / name)
    shutil.copyfile(ROOT / ".gitignore", program / ".gitignore")
    git(program, "init", "--quiet")
    git(program, "add", "--all")
    git(program, "commit", "--quiet", "--message", "x")
    (program / ".venv").mkdir()
    study.mkdir()
    script = (ROOT / ".container/start").read_text(encoding="utf-8").replace("/opt/scrubin", str(program)).replace("/study", str(study))

    def started(*command):
        return subprocess.run(["sh", "-c", script, "study", *command], capture_output=True, text=True, umask=0o022)

    started.study, started.program = study, program
    return started


def test_an_empty_volume_becomes_a_study_that_others_cannot_read_and_make_installs_nothing(start):
    assert start("true").returncode == 0
    assert (start.study / ".venv").readlink() == start.program / ".venv"
    assert git(start.study, "status", "--porcelain") == ""
    assert not (start.study / "dvc.yaml").stat().st_mode & 0o077
    stamp = (start.program / ".venv").stat().st_mtime
    assert all((start.study / name).stat().st_mtime < stamp for name in MADE_OF)
    (start.study / "dvc.yaml").write_text("mine")
    assert start("true").stderr == ""
    assert (start.study / "dvc.yaml").read_text() == "mine"


def test_a_folder_of_something_else_is_not_touched(start):
    (start.study / "thesis.txt").write_text("mine")
    done = start("true")
    assert (done.returncode, done.stdout) == (1, "")
    assert "holds files, but no study" in done.stderr
    assert [path.name for path in start.study.iterdir()] == ["thesis.txt"]


def test_a_study_of_another_version_than_the_image_is_told(start):
    start("true")
    (start.program / "requirements.lock").write_text("other\n")
    done = start("echo", "done")
    assert done.stdout == "done\n"
    assert "another version than the image" in done.stderr


def test_the_image_is_not_run_by_root_and_names_no_index():
    assert re.findall(r"^USER (.+)$", FILE, re.MULTILINE) == ["1000:1000"]
    assert not re.search(r"https?://|index-url|find-links|proxy=", FILE + (ROOT / ".container/start").read_text(encoding="utf-8"))


def test_nothing_that_git_ignores_gets_into_the_image():
    ours = set((ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n"))
    for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines():
        name = line.strip("/")
        if line and not line.startswith(("#", "!")) and name != "docs/api":
            assert ours & {name, f"**/{name}", ".*_cache" if name.endswith("_cache") else name}, line
    assert {".dvc/cache", ".dvc/tmp", ".dvc/config.local"} <= ours
