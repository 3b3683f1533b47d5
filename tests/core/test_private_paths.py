"""What is private is closed to the other users of a machine, and whoever cannot close it says so."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import another_user
import repro
from scrubin.base import private_paths
from scrubin.base.errors import StageError
from scrubin.cli import main


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in which everything is open to everybody, as a shell with umask 000 makes it."""
    for name in (*private_paths.PRIVATE, "data/release", ".cache/dvc", ".cache/store/ab", ".dvc/cache/files/md5/00"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    for name in ("data/private/linkage.parquet", "data/interim/people.parquet", "reports/index.html", ".cache/dvc/cache.db"):
        (tmp_path / name).write_text("P01")
    (tmp_path / ".cache/store/ab/reel.bin").write_text("a reel")
    (tmp_path / "data/tables/videos.parquet").write_text("x")
    (tmp_path / "data/unreleased/a.mp4").write_text("x")
    (tmp_path / ".dvc/cache/files/md5/00/11").write_text("P01")
    (tmp_path / "data/release/README.md").write_text("public")
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    return tmp_path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@another_user.needs_root
def test_another_user_reads_everything_before_and_nothing_private_afterwards(project):
    assert len(another_user.below(another_user.reaches(project), *private_paths.PRIVATE)) > 8
    private_paths.close(project, all_files=True)
    reached = another_user.reaches(project)
    assert another_user.below(reached, *private_paths.PRIVATE) == set()
    assert "data/release/README.md" in reached


def test_folders_get_0700_and_files_that_may_name_people_0600(project):
    private_paths.close(project, all_files=True)
    assert {mode(project / name) for name in private_paths.PRIVATE} == {0o700}
    assert mode(project / ".cache/dvc") == 0o700
    assert mode(project / "data/private/linkage.parquet") == mode(project / "data/interim/people.parquet") == 0o600


def test_an_object_of_dvc_that_has_another_name_keeps_its_mode(project):
    object_ = project / ".dvc/cache/files/md5/00/11"
    os.link(object_, project / "data/interim/linked.parquet")
    object_.chmod(0o444)
    private_paths.close(project, all_files=True)
    assert mode(object_) == 0o444


def test_what_others_can_enter_is_named_with_its_mend(project):
    noted = {fault.file: fault for fault in private_paths.faults(project)}
    assert set(noted) == set(private_paths.PRIVATE) - {".dvc/tmp"}  # there is nothing in it
    assert noted["data/interim"].severity == "error"
    assert "other users of this machine can enter it (mode 0777)" in noted["data/interim"].what
    assert "'make repro' closes it; or run: chmod -R go-rwx data/interim" in noted["data/interim"].fix
    private_paths.close(project, all_files=False)
    assert private_paths.faults(project) == []


def test_a_fresh_checkout_has_nothing_to_hide(tmp_path):
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports").chmod(0o755)
    for name in ("README.md", "README.png"):
        (tmp_path / "reports" / name).touch()
    assert private_paths.faults(tmp_path) == []


def test_a_file_system_that_keeps_no_permissions_is_a_warning(project, monkeypatch):
    # None that does so can be mounted wherever the tests run: there chmod does nothing, and new folders are open.
    monkeypatch.setattr(os, "chmod", lambda *_, **__: None)
    monkeypatch.setattr(private_paths, "_mode", lambda path: 0o777)
    private_paths.close(project, all_files=True)
    fault = next(fault for fault in private_paths.faults(project) if fault.file == "data/private")
    assert fault.severity == "warning"
    assert "its file system keeps no permissions" in fault.what


@another_user.needs_root
def test_what_belongs_to_another_user_is_theirs_to_close(project, monkeypatch):
    monkeypatch.chdir(project)
    os.seteuid(another_user.NOBODY)
    try:
        private_paths.close(all_files=True)
        fault = next(fault for fault in private_paths.faults() if fault.file == "data/private")
    finally:
        os.seteuid(0)
    assert fault.severity == "error"
    assert fault.fix == "it belongs to user 0, who must run: chmod -R go-rwx data/private"


def test_the_group_keeps_its_access_where_dvcs_cache_is_shared_with_it(project):
    (project / ".dvc/config.local").write_text('[cache]\n    shared = "group"\n')
    private_paths.close(project, all_files=True)
    assert mode(project / "data/private") == 0o770
    assert mode(project / "data/interim/people.parquet") == 0o660
    assert private_paths.faults(project) == []
    (project / "data/private").chmod(0o775)
    (fault,) = private_paths.faults(project)
    assert "users outside of its group can enter it" in fault.what
    assert "chmod -R o-rwx data/private" in fault.fix


def test_a_cache_elsewhere_that_others_can_enter_is_said_and_left_alone(project):
    private_paths.close(project, all_files=False)
    (project / "elsewhere").mkdir()
    (project / "elsewhere").chmod(0o755)
    (project / ".dvc/config").write_text("[cache]\n    dir = ../elsewhere\n")
    private_paths.close(project, all_files=True)
    assert mode(project / "elsewhere") == 0o755
    (fault,) = private_paths.faults(project)
    assert "DVC's cache (cache.dir) holds private files" in fault.what


@pytest.mark.parametrize(
    ("said", "there"), [("~/cache", "{home}/cache"), ("../cache", ".dvc/../cache"), ("~nobody at all/x", ".dvc/~nobody at all/x")]
)
def test_a_cache_is_looked_for_where_dvc_has_it(project, monkeypatch, said, there):
    monkeypatch.setenv("HOME", str(project / "home"))
    (project / ".dvc/config").write_text(f"[cache]\n    dir = {said}\n")
    assert private_paths.sharing(project).cache == project / there.format(home=project / "home")


def test_what_a_process_writes_from_now_on_is_its_users_alone(tmp_path):
    script = "from scrubin.base import private_paths as p; import pathlib; p.write_privately(); pathlib.Path('a').mkdir(); open('b', 'w')"
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, umask=0o022, check=True)
    assert (mode(tmp_path / "a"), mode(tmp_path / "b")) == (0o700, 0o600)


def test_the_release_is_open_to_everybody_and_nothing_else_is(project):
    private_paths.close(project, all_files=True)
    for path in (project / "data/release", project / "data/release/README.md"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    private_paths.open_release(project)
    assert mode(project / "data/release") == 0o755
    assert mode(project / "data/release/README.md") == 0o644
    assert private_paths.faults(project) == []


def test_a_raw_study_that_others_can_enter_is_said(tmp_path):
    raw = tmp_path / "raw"
    raw.mkdir()
    raw.chmod(0o755)
    fault = private_paths.raw_fault(raw)
    assert fault is not None
    assert fault.severity == "warning"
    assert "chmod go-rwx" in fault.fix
    raw.chmod(0o700)
    assert private_paths.raw_fault(raw) is None


@pytest.mark.parametrize(("settings", "expected"), [("", 0o700), ("[cache]\n    shared = group\n", 0o770)])
def test_folders_of_caches_are_private_before_dvc_makes_its_own_under_no_umask(tmp_path, settings, expected):
    dvc = Path(sys.executable).with_name("dvc")
    (tmp_path / ".dvc").mkdir()
    (tmp_path / ".dvc/config").write_text(f"[core]\n    analytics = false\n    no_scm = true\n    site_cache_dir = .cache/dvc\n{settings}")
    before = os.umask(0o022)
    try:
        private_paths.write_privately(tmp_path)
        private_paths.make_caches(tmp_path)
        subprocess.run([dvc, "status"], cwd=tmp_path, check=True, capture_output=True)
    finally:
        os.umask(before)
    assert (tmp_path / ".cache/dvc/repo").is_dir()
    assert {mode(tmp_path / name) for name in private_paths.CACHES} == {expected}
    assert private_paths.faults(tmp_path) == []


def test_no_folder_of_caches_is_made_outside_of_a_project(tmp_path):
    private_paths.make_caches(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [["preflight"], ["screen", "nothing.mp4"], ["new-study", "study"], ["check-params"]])
def test_no_folder_of_caches_is_made_where_somebody_else_works_with_dvc(tmp_path, monkeypatch, command):
    (tmp_path / ".dvc").mkdir()
    monkeypatch.chdir(tmp_path)
    before = os.umask(0o022)
    try:
        main(command)
    finally:
        os.umask(before)
    assert not [name for name in private_paths.CACHES if (tmp_path / name).exists()]


def stopped() -> None:
    """Stand for what a run does next."""
    msg = "another run is going on"
    raise StageError(msg)


@pytest.mark.parametrize(
    "first_command",
    [lambda: private_paths.close(all_files=False), lambda: main(["store"]), repro.main],
    ids=["close", "a command of the project", "make repro"],
)
def test_folders_of_caches_stay_with_the_group_of_a_shared_project(tmp_path, monkeypatch, first_command):
    (tmp_path / ".dvc").mkdir()
    (tmp_path / ".dvc/config").write_text("[cache]\n    shared = group\n")
    (tmp_path / "params.yaml").touch()
    for path in (tmp_path, tmp_path / ".dvc"):
        path.chmod(0o2770)
    monkeypatch.chdir(tmp_path)
    for signals in ("end_in_order", "end_at_once"):
        monkeypatch.setattr(repro.interrupts, signals, lambda: None)
    monkeypatch.setattr(repro, "die_with_parent", lambda: None)
    monkeypatch.setattr(repro, "only_run", stopped)
    before = os.umask(0o022)
    try:
        first_command()
    finally:
        os.umask(before)
    assert {mode(tmp_path / name) for name in private_paths.CACHES} == {0o2770}
