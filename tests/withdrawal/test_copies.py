"""What no run can remove of somebody who withdrew is named by its place, and what removes it takes nobody else's release."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kept_project
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.curate.project import copies, outputs
from scrubin.curate.project.copies import Tags

NONE = Tags()
DVC = Path(sys.executable).with_name("dvc")
ANN = Memory("0" * 64, frozenset({"Ann"}), {}).with_recording("a1", "consent", {"id": frozenset({"glimst"})}, frozenset({"a1", "glimst"}))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with a git repository of its own."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "c")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "c@x.org")
    monkeypatch.setenv("DVC_SITE_CACHE_DIR", str(tmp_path / "site"))
    git("init", "-q", ".")
    return tmp_path / "project"


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True)


def said(tagged: Tags = NONE, *, previous: Path | None = None) -> list[str]:
    return [*copies.places(Path(), Path("data/raw"), ANN, tagged, released="1.0.0", previous=previous)]


def named(lines: list[str], place: str) -> list[str]:
    return [line for line in lines if line.startswith(place)]


def with_remote(url: str) -> None:
    Path(".dvc").mkdir(exist_ok=True)
    Path(".dvc/config").write_text(f"['remote \"lab\"']\n    url = {url}\n")


@pytest.mark.parametrize("file", ["videos/T/mono/{}.mkv", "frames/T/mono/{}/0.png", "groundtruth/cholect50/phases/{}.csv"])
def test_the_folder_of_the_release_before_is_named_where_it_holds_them(project, file):
    """It may have been kept without its videos."""
    before = Path("../release-1.0.0")
    for id_ in ("glimst", "blivka"):
        path = before / id_ / file.format(id_)
        path.parent.mkdir(parents=True)
        path.touch()
    assert named(
        said(previous=before / "glimst"), "../release-1.0.0/glimst: the release before, as 'release.previous' in params.yaml names it"
    )
    assert not named(said(previous=before / "blivka"), "../release-1.0.0")
    assert not named(said(previous=before / "gone"), "../release-1.0.0")


@pytest.mark.parametrize(
    ("text", "rows"), [("id,subset\nglimst,train\nblivka,test\n", 1), ('recording;video\n"a1";VID01\n', 1), ("id\nblivka\n", 0)]
)
def test_a_list_of_splits_that_has_their_rows_is_named(project, text, rows):
    path = Path("data/raw/splits/old.csv")
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8-sig")
    found = named(said(), "data/raw/splits/old.csv: 1 row of theirs; it is passed over, and yours to delete")
    assert len(found) == rows


def test_what_this_clone_keeps_of_other_clones_is_named_where_it_has_their_ids(project):
    path = Path("data/private/this_clone.json")
    path.parent.mkdir(parents=True)
    for id_, count in (("glimst", 1), ("blivka", 0)):
        path.write_text(json.dumps({"made": [], "other_clones": [{"version": "1.0.0", "ids": [id_], "withdrawn": []}]}))
        assert len(named(said(), "data/private/this_clone.json: it keeps ids of theirs")) == count


def test_without_a_tag_that_is_to_stay_the_workspace_alone_is_kept_and_others_push_and_git_pulls_first(project):
    with_remote("ssh://lab/data")
    (line,) = named(said(Tags(holding=("v1.0.0",))), "DVC remote 'lab' (ssh://lab/data)")
    assert (
        "After the next run, its push, the push of all other clones and 'git pull --tags': dvc gc --workspace --cloud --remote lab;" in line
    )


def test_a_tag_of_which_nobody_can_tell_is_named_and_stays(project):
    with_remote("ssh://lab/data")
    (line,) = named(said(Tags(unknown=("v1.0.0",))), "DVC remote 'lab'")
    assert "dvc remote modify --local lab url ssh://lab/data && dvc gc --workspace --all-tags --cloud --remote lab; " in line
    assert "whether they are in v1.0.0 nobody can tell here: where they are, delete that tag first, too" in line


def released(version: str, *ids: str) -> None:
    """Release, commit, tag and push."""
    release = Path("data/release")
    shutil.rmtree(release, ignore_errors=True)
    for name in sorted(outputs.RELEASE_FILES):
        (release / name).parent.mkdir(parents=True, exist_ok=True)
        (release / name).write_text(f"of {version}: {name}")
    for id_ in ids:
        (release / f"videos/{id_}.mkv").parent.mkdir(exist_ok=True)
        (release / f"videos/{id_}.mkv").write_text(f"a film of {id_}")
    assert kept_project.dvc("commit", "-q", "-f") == 0
    git("add", "-A")
    git("commit", "-q", "-m", version)
    git("tag", f"v{version}")
    assert kept_project.dvc("push", "-q", "-r", "lab") == 0


LOCKS = {
    "none": (None, Tags()),
    "of no stage": ("stages: {}\n", Tags()),
    "of other stages": ("stages: {frames: {cmd: x}}\n", Tags()),
    "of another release": (f"stages: {{release: {{outs: [{{path: data/release, md5: {'0' * 32}.dir}}]}}}}\n", Tags(unknown=("draft",))),
    "of a release in parts": ("stages: {render: {outs: [{path: data/release/videos, md5: 0}]}}\n", Tags(unknown=("draft",))),
    "that is no YAML of today": ("stages: {release: {cmd: 2020-13-45}}\n", Tags(unknown=("draft",))),
    "of all data": ("stages: {all: {outs: [{path: data, md5: 0}]}}\n", Tags(unknown=("draft",))),
    "in conflict": ("<<<<<<< HEAD\nstages: {}\n=======\n", Tags(unknown=("draft",))),
}


@pytest.mark.parametrize(("lock", "expected"), LOCKS.values(), ids=LOCKS)
def test_a_tag_that_names_no_release_is_not_one_of_which_nobody_can_tell(project, lock, expected):
    Path("params.yaml").write_text("")
    if lock is not None:
        Path("dvc.lock").write_text(lock)
    git("add", "-A")
    git("commit", "-q", "-m", "a draft")
    git("tag", "draft")
    assert copies.tags(Path(), ANN) == expected
    Path("moved").mkdir()
    elsewhere = Tags() if lock is None else Tags(unknown=("draft",))
    assert copies.tags(Path("moved"), ANN) == elsewhere, "a project may have been moved within its repository"


def test_a_tag_from_before_a_project_was_moved_is_one_of_which_nobody_can_tell_whatever_its_folder_was_called(project):
    for folder, tag in (("Prüfung", "before"), ("neu", "after")):
        if tag == "before":
            Path(folder).mkdir()
            (Path(folder) / "dvc.lock").write_text(LOCKS["of another release"][0])
        else:
            git("mv", "Prüfung", folder)
        git("add", "-A")
        git("commit", "-q", "-m", tag)
        git("tag", tag)
    assert copies.tags(Path("neu"), ANN) == Tags(unknown=("after", "before"))


@pytest.mark.slow
@pytest.mark.parametrize("address", ["relative", "absolute", "moved"])
def test_what_removes_them_from_a_remote_leaves_every_release_that_never_held_them(project, address):
    assert kept_project.dvc("init", "-q") == 0
    remote, config = project.parent / "remote", "[core]\n    remote = lab\n['remote \"lab\"']\n    url = {}\n"
    url = {"relative": "../../remote", "absolute": remote, "moved": project.parent / "older"}[address]
    Path(".dvc/config").write_text(config.format(url))
    stages = {"release": {"cmd": "x", "outs": [{"data/release": {"persist": True}}]}}
    Path("dvc.yaml").write_text(json.dumps({"stages": stages}))
    git("add", "-A")
    git("commit", "-q", "-m", "a draft")
    git("tag", "before-all")
    released("1.0.0", "blivka")
    released("1.1.0", "blivka", "glimst")
    tagged = copies.tags(Path(), ANN)
    assert tagged == Tags(holding=("v1.1.0",), others=("v1.0.0",))
    if address == "moved":
        Path(url).rename(remote)
        Path(".dvc/config").write_text(config.format(remote))
    assert outputs.forget_releases(Path(), frozenset({"blivka"})) == ""
    assert copies.tags(Path(), ANN) == Tags(unknown=("v1.0.0", "v1.1.0"))
    released("2.0.0", "blivka", "cruie")
    (line,) = named(said(tagged), "DVC remote 'lab'")
    commands = re.search("'git pull --tags': ([^;]*);", line)[1]
    subprocess.run(commands.replace("dvc ", f"{DVC} ").replace("--cloud", "--cloud --force"), shell=True, check=True)
    assert "a film of glimst" not in {path.read_text() for path in remote.rglob("*") if path.is_file()}
    for version in ("1.0.0", "2.0.0"):
        assert kept_project.dvc("get", "-q", ".", "data/release", "--rev", f"v{version}", "--out", f"../{version}") == 0
        assert Path(f"../{version}/videos/blivka.mkv").read_text() == "a film of blivka"
