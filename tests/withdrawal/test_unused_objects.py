"""After a withdrawal DVC's cache holds what the outputs use now, and nothing else; before it nothing is removed there."""

import hashlib
import json

import pytest
import yaml

import kept_project
from scrubin import cli
from scrubin.audit.expected import withdrawal_memory
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.store import uses
from scrubin.base.tables import io
from scrubin.base.tables.private import LINKAGE
from scrubin.curate.project.room import STAGES

OLD = b"a frame of somebody who withdrew"
RAW = b"a raw file that the curator tracks"


@pytest.fixture
def project(tmp_path):
    made = kept_project.make(tmp_path)
    kept_project.keep(made, kept_project.md5(OLD), OLD)
    (made / "params.yaml").write_text("raw: data/raw\n")
    (made / "data/raw").mkdir()
    (made / "data/raw/recordings.csv").write_text("recording,participant,path\nb1,Ben,videos/b1.mkv\n")
    link(made, "b1")
    for stage in STAGES:
        (made / ".cache/store" / uses.FOLDER / stage).mkdir(parents=True, exist_ok=True)
    runs = made / ".dvc/cache/runs/aa/aa11"
    runs.mkdir(parents=True)
    used = next(iter(yaml.safe_load((made / "dvc.lock").read_text())["stages"]["render"]["outs"]))
    (runs / "now").write_text(yaml.safe_dump({"cmd": "x", "outs": [used]}))
    (runs / "then").write_text(yaml.safe_dump({"cmd": "x", "outs": [{"path": "data/tables", "md5": kept_project.md5(OLD)}]}))
    (made / ".cache/dvc/repo").mkdir(parents=True)
    (made / ".cache/dvc/repo/cache.db").write_bytes(b"data/release/frames/blorkfamp/1.jpg")
    (made / ".cache/prefect").mkdir()
    (made / ".cache/prefect/prefect.db").write_bytes(b"StageError: here blorkfamp is 'a1'")
    return made


def link(project, *recordings):
    rows = [{"recording": name, "id": f"id{name}", "draw": 1} for name in recordings]
    io.write(LINKAGE, io.frame_of(LINKAGE, rows), project / "data/private/linkage.parquet")


def forget(project):
    withdrawal_memory.write(Memory().with_recording("a1", "consent", {}, []), project)


def prune(project, capsys) -> str:
    assert cli.main(["store", "--prune", str(project)]) == 0
    return capsys.readouterr().out


def objects(project) -> set[str]:
    return {path.parent.name + path.name for path in (project / ".dvc/cache/files/md5").glob("??/*")}


def test_what_no_output_uses_goes_and_everything_else_stays(project, capsys):
    before = objects(project)
    forget(project)
    assert "1 objects" in prune(project, capsys)
    assert before - objects(project) == {kept_project.md5(OLD)}
    assert [path.name for path in (project / ".dvc/cache/runs/aa/aa11").iterdir()] == ["now"]
    assert not (project / ".cache/dvc").exists()
    assert not (project / ".cache/prefect").exists()
    assert cli.main(["verify", str(project)]) == 0


def test_lists_of_folders_that_runs_read_go_too_because_they_name_raw_files(project, capsys):
    # DVC 3.67 keeps the list of a folder of dependencies where its second edition kept everything.
    text = json.dumps([{"md5": kept_project.md5(RAW), "relpath": "Ann Other.mp4"}]).encode()
    listed = project / ".dvc/cache/df" / f"{hashlib.md5(text, usedforsecurity=False).hexdigest()[2:]}.dir"
    listed.parent.mkdir(parents=True)
    listed.write_bytes(text)
    assert "withdrew" not in prune(project, capsys)
    assert listed.exists()
    forget(project)
    assert "2 objects" in prune(project, capsys)
    assert not listed.exists()
    assert cli.main(["verify", str(project)]) == 0


def test_where_nobody_withdrew_dvcs_cache_is_left_alone(project, capsys):
    before = objects(project)
    assert "withdrew" not in prune(project, capsys)
    assert objects(project) == before
    assert (project / ".cache/dvc").exists()
    assert (project / ".cache/prefect").exists()


def test_what_the_curator_tracks_by_hand_stays(project, capsys):
    md5 = kept_project.md5(RAW)
    kept_project.keep(project, md5, RAW)
    text = json.dumps([{"md5": md5, "relpath": "a.mkv"}]).encode()
    listed = f"{hashlib.md5(text, usedforsecurity=False).hexdigest()}.dir"
    kept_project.keep(project, listed, text)
    (project / "data/raw.dvc").write_text(yaml.safe_dump({"outs": [{"md5": listed, "path": "raw"}]}))
    forget(project)
    prune(project, capsys)
    assert {md5, listed} <= objects(project)
    kept_project.object_path(project, listed).unlink()
    assert cli.main(["store", "--prune", str(project)]) == 1
    assert "lacks the list of files of" in capsys.readouterr().err
    assert md5 in objects(project)


def refused(project, capsys, says: str) -> None:
    before = objects(project)
    assert cli.main(["store", "--prune", str(project)]) == 1
    assert says in capsys.readouterr().err
    assert objects(project) == before


def test_somebody_who_is_still_in_the_outputs_must_go_from_there_first(project, capsys):
    forget(project)
    link(project, "a1", "b1")
    refused(project, capsys, "somebody who withdrew is still in the outputs: run 'make repro', then 'scrubin store --prune' again")


def test_a_row_that_no_run_has_read_yet_is_noticed(project, capsys):
    (project / "data/raw/withdrawn.csv").write_text("participant,recording,date,reason\n,b1,2026-01-31,consent\n")
    refused(project, capsys, "still in the outputs")


def test_a_cache_that_other_projects_share_is_not_touched(project, capsys):
    forget(project)
    (project / ".dvc/config.local").write_text("[cache]\n    dir = /shared\n")
    refused(project, capsys, "DVC's cache is in /shared, where other projects may have theirs; there 'dvc gc' must do it")
