"""DVC remotes: what is public goes there and comes back byte for byte, and nothing private ever does."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
import yaml

import doc_blocks
import kept_project
import made_once
import remote_servers
import small_study
from scrubin.curate.project import outputs
from scrubin.load import Release

pytestmark = pytest.mark.slow
TAG = "v1.1.0"
RELEASE = "data/release"
# What small_study calls its recordings and its videos.
RAW_NAMES = (b"peg_0", b"operation_0")


def run(folder: Path, program: str, *arguments: str | Path) -> None:
    if program == "dvc":
        assert kept_project.dvc(*map(str, arguments), folder=folder) == 0
    else:
        subprocess.run([program, *arguments], cwd=folder, check=True)


def commit(folder: Path, message: str) -> None:
    run(folder, "git", "add", ".")
    run(folder, "git", *small_study.CURATOR, "commit", "--quiet", "--message", message)


def tree(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder; DVC puts a .gitignore beside its outputs."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".gitignore")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def public_bytes(study: Path) -> set[bytes]:
    return set(tree(study / RELEASE).values())


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study whose outputs DVC has, in git."""
    return small_study.recorded(tmp_path_factory)


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
    made_once.copy(study, source)
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
    kept = {next(iter(out)) for stage in declared.values() for out in stage["outs"]} - {RELEASE}
    return sorted(out["md5"] for stage in stages.values() for out in stage["outs"] if out["path"] in kept)


def test_a_fresh_clone_pulls_the_release_byte_for_byte(study, remote, tmp_path):
    clone = tmp_path / "clone"
    run(tmp_path, "git", "clone", "--quiet", "--branch", TAG, remote.repository, clone)
    assert not (clone / ".dvc/cache").exists()
    run(clone, "dvc", "pull", "--quiet", "--allow-missing")
    assert tree(clone / RELEASE) == tree(study / RELEASE)
    # What is public has bytes that a private file may have as well, such as an empty list: a cache knows only bytes.
    assert set(tree(clone / "data").values()) <= public_bytes(study)


def test_nothing_private_is_in_a_remote(study, remote):
    there = remote.place.objects()
    assert len(there) > 50
    cached = {path.parent.name + path.name: path.read_bytes() for path in (study / ".dvc/cache/files/md5").glob("??/*")}
    public = public_bytes(study)
    private = [cached[md5] for md5 in private_outputs(study) if md5 in cached and cached[md5] not in public]
    assert len(private) > 15
    assert not set(private) & set(there)
    assert any(name in data for name in RAW_NAMES for data in private), "the search finds nothing anywhere"
    assert not [data[:80] for name in RAW_NAMES for data in there if name in data]


def test_a_push_uploads_exactly_the_public_outputs(study, remote):
    """Neither the synthetic study and its truth, nor what a stage keeps to itself."""
    said, public = outputs.read_outputs(study), set(outputs.pushed(study))
    listed = yaml.safe_load((study / "dvc.lock").read_text())["stages"]
    wanted = {out["md5"] for stage in listed.values() for out in stage["outs"] if out["path"] in public}
    wanted |= {md5 for path, md5 in said.files.items() if any(path == out or path.startswith(f"{out}/") for out in public)}
    assert public == {RELEASE}
    there = [hashlib.md5(data, usedforsecurity=False).hexdigest() for data in remote.place.objects()]
    assert sorted(there) == sorted(md5.removesuffix(".dir") for md5 in wanted)
    assert not [data for data in remote.place.objects() if small_study.SYNTHETIC in data]


def test_no_table_in_a_remote_names_a_recording(remote, tmp_path):
    for number, data in enumerate(data for data in remote.place.objects() if data.startswith(b"PAR1")):
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(data)
        text = pd.read_parquet(path).to_csv()
        assert not [name for name in RAW_NAMES if name.decode() in text]


def parts(study: Path) -> dict[str, str]:
    """What somebody may take: a folder of the release, one subset, one file; by what the page calls them."""
    video = sorted((study / RELEASE / "videos/PegTransfer/left").glob("*.mkv"))[0]
    return {
        "release": RELEASE,
        "splits": f"{RELEASE}/splits",
        "ground truth": f"{RELEASE}/groundtruth",
        "one subset": f"{RELEASE}/groundtruth/splits/balanced/0/test",
        "one video": f"{RELEASE}/videos/PegTransfer/left/{video.name}",
        "one table": f"{RELEASE}/tables/splits.parquet",
    }


def bytes_of(path: Path) -> dict[str, bytes] | bytes:
    return tree(path) if path.is_dir() else path.read_bytes()


# That each kind of remote gives what it has been sent is shown above; what is taken of a release, and how, is the same for all of them.
ONE_KIND = pytest.mark.parametrize("remote", ["s3"], indirect=True)


@ONE_KIND
def test_a_release_is_loaded_from_a_remote_file_by_file(study, remote, tmp_path):
    options = {"url": str(remote.repository), "rev": TAG}
    release = Release(f"dvc://{RELEASE}", cache=tmp_path / "cache", storage_options=options, errata="ignore")
    here = Release(study / RELEASE, errata="ignore")
    assert release.recordings.equals(here.recordings)
    fetched = tree(release.folder)
    assert 4 < len(fetched) < 20
    assert fetched.items() <= tree(study / RELEASE).items()


@ONE_KIND
def test_the_page_for_researchers_takes_parts_as_it_says(study, remote, tmp_path):
    """Its own lines, with the address of a repository, a tag and the name of a recording that there are."""
    page = Path(__file__).parents[2] / "docs/researcher.md"
    blocks = [block for block in doc_blocks.blocks(page) if block.text.startswith("dvc ")]
    one_video = parts(study)["one video"]
    taken = {}
    for number, block in enumerate(blocks):
        folder = tmp_path / str(number)
        folder.mkdir()
        run(folder, "git", "init", "--quiet", ".")
        run(folder, "dvc", "init", "--quiet")
        for line in block.text.splitlines():
            said = line.partition("#")[0].replace("REPOSITORY", str(remote.repository)).replace("v1.0.0", TAG)
            run(folder, *said.replace("ID.mkv", Path(one_video).name).split())
        taken[number] = {path.name: bytes_of(path) for path in folder.iterdir() if not path.name.startswith(".")}
    wanted = [parts(study)[name] for name in ("splits", "ground truth", "one subset", "one video")]
    assert taken[0] == {Path(part).name: bytes_of(study / part) for part in wanted}
    assert taken[1].pop("splits.dvc").count(TAG.encode()) == 1
    assert taken[1] == {"splits": bytes_of(study / RELEASE / "splits")}
    assert len(blocks) == 2
