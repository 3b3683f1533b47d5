"""DVC remotes: what is public goes there and comes back byte for byte, and nothing private ever does."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
import yaml

import doc_blocks
import remote_servers
import small_study

pytestmark = pytest.mark.slow
TAG = "v1.1.0"
RELEASE = "data/release"
# What small_study calls its recordings and its videos.
RAW_NAMES = (b"peg_0", b"operation_0")


def run(folder: Path, *command: str | Path) -> str:
    done = subprocess.run(command, cwd=folder, env=doc_blocks.environment(folder), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def commit(folder: Path, message: str) -> None:
    run(folder, "git", "add", ".")
    run(folder, "git", *small_study.CURATOR, "commit", "--quiet", "--message", message)


def tree(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder; DVC puts a .gitignore beside its outputs."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".gitignore")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study whose outputs DVC has, in git."""
    folder = small_study.project(tmp_path_factory.mktemp("study") / "project")
    small_study.regenerate(folder)
    small_study.record(folder)
    return folder


@dataclass(frozen=True)
class Remote:
    """A remote after `dvc push`, and the repository that names it."""

    repository: Path
    place: remote_servers.Place


@pytest.fixture(scope="module", params=sorted(remote_servers.PLACES))
def remote(study: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Remote]:
    """The study pushed to a remote, of each kind."""
    folder = tmp_path_factory.mktemp(request.param)
    source = folder / "study"
    shutil.copytree(study, source, symlinks=True)
    with remote_servers.PLACES[request.param](folder) as place, pytest.MonkeyPatch.context() as patch:
        # Where a person's keys are looked for.
        patch.setenv("HOME", str(folder / "home"))
        run(source, "dvc", "remote", "add", "--quiet", "--default", "lab", place.address)
        for name, value in place.settings.items():
            run(source, "dvc", "remote", "modify", "lab", name, value)
        commit(source, "A release")
        run(source, "git", "tag", TAG)
        run(source, "dvc", "push", "--quiet")
        repository = folder / "study.git"
        run(folder, "git", "clone", "--quiet", "--bare", source, repository)
        # Later work must not change what the tag gives.
        (source / "params.yaml").write_text("raw: elsewhere\n")
        commit(source, "Work on the next release")
        run(source, "git", "push", "--quiet", repository, "HEAD")
        yield Remote(repository, place)


def private_outputs(project: Path) -> list[str]:
    stages = yaml.safe_load((project / "dvc.lock").read_text())["stages"]
    declared = yaml.safe_load((project / "dvc.yaml").read_text())["stages"]
    kept = {path for stage in declared.values() for out in stage["outs"] if isinstance(out, dict) for path, how in out.items()}
    return sorted(out["md5"] for stage in stages.values() for out in stage["outs"] if out["path"] in kept)


def test_a_fresh_clone_pulls_the_release_byte_for_byte(study, remote, tmp_path):
    clone = tmp_path / "clone"
    run(tmp_path, "git", "clone", "--quiet", "--branch", TAG, remote.repository, clone)
    assert not (clone / ".dvc/cache").exists()
    run(clone, "dvc", "pull", "--quiet", "--allow-missing")
    assert tree(clone / RELEASE) == tree(study / RELEASE)
    assert tree(clone / "data/tables") == tree(study / "data/tables")
    assert tree(clone / "data/interim") == {}
    assert tree(clone / "data/private") == {}


def test_nothing_private_is_in_a_remote(study, remote):
    there = remote.place.objects()
    assert len(there) > 50
    cached = {path.parent.name + path.name: path.read_bytes() for path in (study / ".dvc/cache/files/md5").glob("??/*")}
    private = [cached[md5] for md5 in private_outputs(study) if md5 in cached]
    assert len(private) > 15
    assert not set(private) & set(there)
    assert any(name in data for name in RAW_NAMES for data in private), "the search finds nothing anywhere"
    assert not [data[:80] for name in RAW_NAMES for data in there if name in data]


def test_no_table_in_a_remote_names_a_recording(remote, tmp_path):
    for number, data in enumerate(data for data in remote.place.objects() if data.startswith(b"PAR1")):
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(data)
        text = pd.read_parquet(path).to_csv()
        assert not [name for name in RAW_NAMES if name.decode() in text]


@pytest.mark.parametrize("part", [RELEASE, f"{RELEASE}/splits"])
def test_a_part_is_taken_at_a_tag(study, remote, part, tmp_path):
    run(tmp_path, "dvc", "get", "--quiet", remote.repository, part, "--rev", TAG, "--out", "got")
    assert tree(tmp_path / "got") == tree(study / part)


@pytest.mark.parametrize("part", [RELEASE, f"{RELEASE}/splits"])
def test_a_part_is_imported_at_a_tag_and_its_origin_stands_beside_it(study, remote, part, tmp_path):
    run(tmp_path, "git", "init", "--quiet", ".")
    run(tmp_path, "dvc", "init", "--quiet")
    run(tmp_path, "dvc", "import", "--quiet", remote.repository, part, "--rev", TAG, "--out", "taken")
    assert tree(tmp_path / "taken") == tree(study / part)
    origin = yaml.safe_load((tmp_path / "taken.dvc").read_text())["deps"][0]["repo"]
    assert origin["rev"] == TAG
