"""One flipped byte anywhere: it is named, the sound copies are too, and what is restored is the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest
import yaml

import kept_project
from kept_project import all_bytes, flip
from scrubin import cli
from scrubin.curate.project import room, verification


@pytest.fixture
def project(tmp_path) -> Path:
    return kept_project.make(tmp_path)


def files(project: Path, place: str) -> list[Path]:
    roots = {"output": "data", "cache": ".dvc/cache", "store": ".cache/store"}
    return sorted(
        path
        for path in (project / roots[place]).rglob("*")
        if path.is_file() and path.name not in ("beat", "manifest.json") and ".uses" not in path.parts
    )


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


def test_a_damaged_object_that_the_store_relies_on_is_restored_from_the_output(project):
    room.share_with_cache(project)
    before = all_bytes(project)
    for path in files(project, "cache"):
        flip(path)
    assert cli.main(["verify", str(project), "--fix"]) == 0
    assert all_bytes(project) == before


def test_what_people_go_on_writing_is_neither_read_nor_removed(project, capsys):
    """DVC keeps no copy of a ledger: decisions after the last run are no damage, and nothing could bring them back."""
    ledger = project / "data/private/decisions.jsonl"
    ledger.parent.mkdir()
    ledger.write_text("{}\n")
    for name, out in (
        ("dvc.yaml", {"data/private/decisions.jsonl": {"cache": False, "persist": True}}),
        ("dvc.lock", {"path": "data/private/decisions.jsonl", "md5": "0" * 32}),
    ):
        said = yaml.safe_load((project / name).read_text())
        said["stages"]["decisions"] = {"cmd": "x", "outs": [out]}
        (project / name).write_text(yaml.safe_dump(said))
    assert cli.main(["verify", str(project), "--fix"]) == 0
    assert ledger.read_text() == "{}\n"
    assert "decisions" not in capsys.readouterr().out


def test_nothing_is_written_behind_a_link_inside_an_output_but_a_whole_output_may_lie_elsewhere(project, tmp_path_factory, capsys):
    """Somebody's own files may lie there, under the same names."""
    folder = project / "data/unreleased/videos/a"
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "0.mkv").write_bytes(b"mine")
    shutil.rmtree(folder)
    folder.symlink_to(elsewhere)
    assert cli.main(["verify", str(project), "--fix"]) == 1
    assert "lies behind the link data/unreleased/videos/a; remove the link" in capsys.readouterr().out
    assert {path.name: path.read_bytes() for path in elsewhere.iterdir()} == {"0.mkv": b"mine"}
    folder.unlink()
    moved = elsewhere / "data"
    (project / "data/unreleased").rename(moved)
    (project / "data/unreleased").symlink_to(moved)
    assert cli.main(["verify", str(project), "--fix"]) == 0
    assert (moved / "videos/a/0.mkv").read_bytes() == kept_project.video(0)


def with_release(project, files: dict[str, str]) -> Path:
    """Have DVC keep a release, and return its folder with it."""
    release = project / "data/release"
    release.mkdir()
    for name, text in files.items():
        (release / name).write_text(text)
        kept_project.keep(project, kept_project.md5(text.encode()), text.encode())
    listed = json.dumps([{"md5": kept_project.md5(text.encode()), "relpath": name} for name, text in sorted(files.items())]).encode()
    kept_project.keep(project, f"{kept_project.md5(listed)}.dir", listed)
    for name, out in (("dvc.yaml", "data/release"), ("dvc.lock", {"path": "data/release", "md5": f"{kept_project.md5(listed)}.dir"})):
        said = yaml.safe_load((project / name).read_text())
        said["stages"]["release"] = {"cmd": "x", "outs": [out]}
        (project / name).write_text(yaml.safe_dump(said))
    return release


def of_version(number: int) -> dict[str, str]:
    certificate = f"of {number}"
    return {"SHA256SUMS": f"{hashlib.sha256(certificate.encode()).hexdigest()}  certificate.json\n", "certificate.json": certificate}


@pytest.mark.parametrize("has_list", [True, False])
def test_a_release_that_the_lock_of_git_does_not_name_is_said_to_be_another_and_left(project, capsys, has_list):
    release = with_release(project, of_version(2))
    if not has_list:
        (listed,) = (path for path in files(project, "cache") if path.suffix == ".dir" and b"certificate.json" in path.read_bytes())
        listed.unlink()
    for name, text in {**of_version(1), "older.txt": "a"}.items():
        (release / name).write_text(text)
    before = all_bytes(project)
    assert cli.main(["verify", str(project), "--fix"]) == 1
    said = capsys.readouterr().out
    pull = "'dvc pull --allow-missing --force data/release'"
    without = (
        f"the list of data/release is missing or damaged, so its files cannot be checked; where git brought another dvc.lock, {pull}; then"
    )
    assert (f"data/release is not the release that dvc.lock names: {pull}\n" if has_list else without) in said
    assert said.count("data/release") == 2
    assert all_bytes(project) == before


def test_a_damaged_list_of_files_makes_no_other_release(project):
    before = all_bytes(project) | {f"data/release/{name}": text.encode() for name, text in of_version(2).items()}
    flip(with_release(project, of_version(2)) / "SHA256SUMS")
    assert cli.main(["verify", str(project), "--fix"]) == 0
    assert before.items() >= {name: data for name, data in all_bytes(project).items() if name.startswith("data/")}.items()


def test_what_is_foreign_in_the_release_is_named_and_left(project, capsys):
    """Elsewhere nobody takes it along, and what systems leave there by themselves is passed over."""
    release = with_release(project, {"SHA256SUMS": "sums"})
    (project / "data/unreleased/videos/mine.txt").touch()
    for name in (".DS_Store", ".gitignore"):
        (release / name).touch()
    assert cli.main(["verify", str(project)]) == 0
    (release / "notes of mine.txt").touch()
    (release / "link").symlink_to("nowhere")
    capsys.readouterr()
    assert cli.main(["verify", str(project), "--fix"]) == 1
    said = capsys.readouterr().out
    for name in ("link", "notes of mine.txt"):
        assert f"output data/release/{name}: no list of the release names it; remove it, or 'make repro' does" in said
    assert sorted(path.name for path in release.iterdir()) == [".DS_Store", ".gitignore", "SHA256SUMS", "link", "notes of mine.txt"]
