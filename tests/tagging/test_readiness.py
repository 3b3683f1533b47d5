"""A version is tagged only when whoever takes it finds what is here."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import kept_project
import labelled_study
import made_once
import small_study
from scrubin import cli
from scrubin.audit.expected import withdrawal_memory
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import error
from scrubin.base.files import sha256_of
from scrubin.curate.project import readiness
from scrubin.stages.withdrawals import releases

ROOT = Path(__file__).parents[2]
VERSION = "1.0.0"
PIPELINE = """
stages:
  release:
    cmd: mkdir -p data/release/splits data/private && cp source.csv data/release/splits/balanced.csv
      && cp source.csv data/private/linkage.csv && (cd data/release && sha256sum splits/balanced.csv > SHA256SUMS)
    deps: [source.csv]
    outs:
      - data/release
      - data/private/linkage.csv: {push: false}
"""
IGNORED = "/.cache\n/data/*\n"


def run(folder: Path, *command: str | Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def commit(folder: Path) -> None:
    run(folder, "git", "add", ".")
    run(folder, "git", "commit", "--quiet", "--message", "A change")


def rules(folder: Path, version: str = VERSION, *, but: str = "dvc status") -> set[str]:
    return {fault.rule for name, check in readiness.CHECKS.items() if name != but for fault in check(folder, version)}


def make_project(folder: Path) -> None:
    (folder / ".dvc").mkdir(parents=True)
    (folder / ".dvc/config").write_text(
        (ROOT / ".dvc/config").read_text().replace("[core]", "[core]\n    remote = lab") + "['remote \"lab\"']\n    url = ../remote\n"
    )
    (folder / ".dvc/.gitignore").write_text("/cache\n/tmp\n/config.local\n")
    shutil.copy(ROOT / "params.yaml", folder)
    (folder / "dvc.yaml").write_text(PIPELINE)
    (folder / ".gitignore").write_text(IGNORED)
    (folder / "source.csv").write_text("id,task,subset\nabelo,PegTransfer,train\n")
    run(folder, "git", "init", "--quiet", ".")
    assert kept_project.dvc("repro", "--quiet", folder=folder) == 0
    name, value = small_study.CURATOR[1], small_study.CURATOR[3]
    for setting in (name, value):
        run(folder, "git", "config", *setting.split("="))
    commit(folder)


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Path:
    """A project as `make repro` and a commit leave it: one stage, its outputs as DVC's cache would hold them, a remote."""
    return made_once.folder(tmp_path_factory, "tagged_project", make_project)


@pytest.fixture
def project(kept, tmp_path) -> Path:
    return made_once.copy(kept, tmp_path / "project")


@pytest.mark.slow
def test_a_project_in_order_is_tagged_once_and_told_what_to_push(project, capsys):
    for _ in range(2):
        assert cli.main(["tag", VERSION, str(project)]) == 0
    said = capsys.readouterr().out
    assert "v1.0.0 is tagged" in said
    assert "stands at this commit already" in said
    assert said.index("dvc push") < said.index("git push ") < said.index("git push --tags")
    assert run(project, "git", "rev-parse", "v1.0.0^{commit}") == run(project, "git", "rev-parse", "HEAD")
    assert run(project, "git", "status", "--porcelain") == ""


def change_source_and_release(project: Path) -> None:
    (project / "source.csv").write_text("id,task,subset\nabelo,PegTransfer,test\n")
    (project / "data/release/splits/balanced.csv").write_text("other bytes\n")


def test_everything_that_is_wrong_is_said_at_once_and_nothing_is_tagged(project, capsys, monkeypatch):
    change_source_and_release(project)
    outdated = error("dvc.lock", "dvc status", "a stage is not up to date", "run it")
    monkeypatch.setattr(readiness, "CHECKS", {**readiness.CHECKS, "dvc status": lambda *_: iter([outdated])})
    assert cli.main(["tag", "1.0.1", str(project)]) == 1
    said = capsys.readouterr().err
    for part in (
        "release.version is 1.0.0",
        "source.csv: it is not as the last commit has it",
        "a stage is not up to date",
        "data/release/splits/balanced.csv: its SHA-256 is not the one in SHA256SUMS",
    ):
        assert part in said
    assert run(project, "git", "tag") == ""


def test_parameters_with_which_nothing_would_run_are_not_tagged_also_where_no_stage_reads_them(project, capsys, monkeypatch):
    with (project / "params.yaml").open("a") as params:
        params.write(labelled_study.SECTION.replace("vocabulary: cholect50", "vocabulary: cholect5"))
    commit(project)
    monkeypatch.setattr(readiness, "CHECKS", {"git": readiness.CHECKS["git"]})
    assert cli.main(["tag", VERSION, str(project)]) == 1
    assert "'label.vocabulary' 'cholect5' is no vocabulary" in capsys.readouterr().err
    assert run(project, "git", "tag") == ""


@pytest.mark.slow
def test_a_stage_that_is_not_up_to_date_is_named_with_what_changed(project):
    change_source_and_release(project)
    (fault,) = readiness.CHECKS["dvc status"](project, VERSION)
    assert "1 stages are not up to date: release; changed or missing: data/release, source.csv" in fault.sentence


def test_make_release_is_the_same_and_needs_a_version(project):
    recipe = run(ROOT, "make", "--dry-run", "--no-print-directory", "release", "VERSION=1.0.0").splitlines()[-1]
    assert recipe == '.venv/bin/scrubin tag "1.0.0"'
    assert rules(project, "") == {"version"}


def test_a_project_in_order_has_no_fault(project):
    assert rules(project) == set()


@pytest.mark.slow
def test_whatever_dvc_would_push_besides_the_release_is_named_with_its_mend(project):
    """By hand, in the project or in a folder of it, or by a stage: nobody else's raw files may go where the release goes."""
    for name in ("study_raw", "more/raw"):
        (project / name).mkdir(parents=True)
        (project / name / "a1.mkv").write_bytes(b"a raw film " + name.encode())
    assert kept_project.dvc("add", "--quiet", "study_raw", "more/raw", folder=project) == 0
    (project / "more/dvc.yaml").write_text("stages:\n  sums:\n    cmd: x\n    outs: [sums.csv]\n")
    commit(project)
    assert rules(project) == {"pushed"}
    said = {fault.file: fault.sentence for fault in readiness.release_alone(project, VERSION)}
    assert set(said) == {"study_raw.dvc", "more/raw.dvc", "more/dvc.yaml"}
    assert said["study_raw.dvc"] == (
        "study_raw.dvc: 'dvc push' would send 'study_raw', too, and it is not the release; "
        "write 'push: false', or 'remote: NAME' of a remote that is yours, below its path in study_raw.dvc, or keep it outside of DVC: "
        "dvc remove study_raw.dvc"
    )
    assert said["more/dvc.yaml"].endswith("; give it '{push: false}' in more/dvc.yaml, as all others have it")
    assert kept_project.dvc("remote", "add", "own", str(project.parent / "own"), folder=project) == 0
    for name, says in (("study_raw.dvc", "push: false"), ("more/raw.dvc", "remote: own")):
        path = project / name
        path.write_text(path.read_text() + f"  {says}\n")
    (project / "more/dvc.yaml").write_text("stages:\n  sums:\n    cmd: x\n    outs: [{sums.csv: {push: false}}]\n")
    commit(project)
    assert rules(project) == set()
    assert kept_project.dvc("push", "--quiet", folder=project) == 0
    assert not [path for path in (project.parent / "remote").rglob("*") if path.is_file() and b"a raw film" in path.read_bytes()]


def test_a_tag_never_moves(project):
    run(project, "git", "tag", "v1.0.0")
    assert rules(project) == set()
    (project / "notes.txt").write_text("more\n")
    commit(project)
    assert rules(project) == {"tag"}


@pytest.mark.slow
def test_what_was_taken_back_is_not_tagged(project, capsys):
    assert releases.withhold(project)
    commit(project)
    assert rules(project) == {"release"}
    assert cli.main(["tag", VERSION, str(project)]) == 1
    assert "dvc.lock: it names no release: the last one was refused or taken back" in capsys.readouterr().err
    assert run(project, "git", "tag") == ""


def test_a_release_with_somebody_who_withdrew_is_not_tagged(project):
    withdrawal_memory.write(Memory().with_recording("peg 7", "consent", {"id": ["glimst"]}, []), project)
    assert rules(project) == set()
    withdrawal_memory.write(Memory().with_recording("peg 7", "consent", {"id": ["balanced"]}, []), project)
    assert rules(project) == {"withdrawn"}


def test_where_nobody_can_tell_who_withdrew_all_else_is_named_too(project):
    (project / withdrawal_memory.PATH).write_text("{")
    (project / "new.py").write_text("")
    assert rules(project) == {"withdrawn", "uncommitted"}


def test_what_git_does_not_have_is_named(project):
    (project / "new.py").write_text("")
    assert [fault.file for fault in readiness.clean_tree(project, VERSION)] == ["new.py"]


def test_a_lock_that_git_ignores_is_named(project):
    (project / ".gitignore").write_text(IGNORED + "/dvc.lock\n")
    run(project, "git", "rm", "--quiet", "--cached", "dvc.lock")
    commit(project)
    (fault,) = readiness.clean_tree(project, VERSION)
    assert "git add --force dvc.lock" in fault.sentence


@pytest.mark.parametrize("place", [".dvc/config.local", None])
def test_a_remote_that_only_this_machine_knows_is_none(project, place):
    config = project / ".dvc/config"
    text = config.read_text()
    if place:
        (project / place).write_text(text)
    config.write_text((ROOT / ".dvc/config").read_text())
    commit(project)
    assert rules(project) == {"remote"}


def test_an_address_without_default_is_no_remote(project):
    config = project / ".dvc/config"
    config.write_text(config.read_text().replace("    remote = lab\n", ""))
    assert readiness.remote_of(project) is None


def test_a_public_output_that_the_cache_lost_is_named_and_a_private_one_is_not(project):
    objects = {sha256_of(path): path for path in (project / ".dvc/cache/files/md5").glob("??/*")}
    for lost in ("data/release/SHA256SUMS", "data/release/splits/balanced.csv"):
        objects[sha256_of(project / lost)].unlink()
    (fault,) = readiness.in_cache(project, VERSION)
    # linkage.csv has the same bytes as the split, so its object is lost as well.
    assert "2 of its public outputs are not there, such as data/release/SHA256SUMS" in fault.sentence


def test_a_copy_in_the_cache_with_other_bytes_is_named_before_dvc_pushes_it(project):
    """Of the same size and time, as a failing disk leaves it: DVC reads nothing before it sends it."""
    objects = {sha256_of(path): path for path in (project / ".dvc/cache/files/md5").glob("??/*")}
    copy = objects[sha256_of(project / "data/release/SHA256SUMS")]
    before, data = copy.stat(), copy.read_bytes()
    copy.chmod(0o644)
    copy.write_bytes(b"x" + data[1:])
    os.utime(copy, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert rules(project) == {"cache"}
    (fault,) = readiness.in_cache(project, VERSION)
    assert "its copies of 1 public file are damaged, and 'dvc push' would send them: data/release/SHA256SUMS" in fault.sentence
    assert cli.main(["verify", "--fix", str(project)]) == 0
    assert rules(project) == set()


def test_a_file_too_many_and_a_file_too_few_are_named(project):
    (project / "data/release/splits/balanced.csv").rename(project / "data/release/splits/other.csv")
    named = {fault.file: fault.what for fault in readiness.whole_release(project, VERSION)}
    assert named["data/release/splits/balanced.csv"].startswith("SHA256SUMS lists it")
    assert named["data/release/splits/other.csv"].startswith("SHA256SUMS does not list it")


def test_outside_of_git_it_says_so(tmp_path):
    with pytest.raises(ReleaseError, match=r"git status: .*not a git repository"):
        list(readiness.clean_tree(tmp_path, VERSION))
