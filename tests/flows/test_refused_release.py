"""Whatever refuses a release, nothing can be pushed afterwards; a good one is pushed, that and nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml
from dvc.repo import Repo

import kept_project
import made_once
import review_study
import small_study
from scrubin import cli
from scrubin.base.errors import ScrubinError
from scrubin.cli import review
from scrubin.curate.project import readiness
from scrubin.stages.review import LEDGER_PATH
from scrubin.stages.review.events import FINDING
from scrubin.stages.withdrawals import releases

pytestmark = pytest.mark.slow
RELEASE, BESIDE = "data/release", "data/unreleased/release"
BIN = Path(sys.prefix) / "bin"
PATIENCE_S = 300
PICTURES = (b"\x1a\x45\xdf\xa3", b"\xff\xd8\xff", b"\x89PNG")
"""How Matroska files, JPEGs and PNGs begin."""


def run(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def release(folder: Path) -> subprocess.CompletedProcess[str]:
    return run(folder, BIN / "dvc", "repro", "--single-item", "--force", "release")


def run_again(folder: Path, *stages: str) -> None:
    """Run stages, and let DVC take what they have written."""
    small_study.regenerate(folder, stages)
    with Repo(str(folder)) as repo:
        for stage in stages:
            repo.commit(stage, force=True)


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def pushed(folder: Path) -> list[bytes]:
    """Push as `dvc push` does, and return everything that then lies in the remote."""
    with Repo(str(folder)) as repo:
        sent = repo.push()
    there = [*tree(folder.parent / "remote").values()]
    assert sent == len(there)
    return there


def is_published(folder: Path) -> bool:
    # What is left aside for the next one are copies of what waits, and archives of them.
    aside = {path.relative_to(folder / BESIDE).as_posix() for path in (folder / BESIDE).rglob("*") if path.is_file()}
    waits = {name for name in aside if name.startswith("archives/") or (folder / "data/unreleased" / name).is_file()}
    return releases.names_release(folder) or (folder / RELEASE).exists() or aside != waits


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with a release that could be pushed: each test takes a copy."""
    folder = made_once.copy(small_study.recorded(tmp_path_factory), tmp_path_factory.mktemp("study") / "project")
    assert run(folder, BIN / "dvc", "remote", "add", "--default", "lab", "../remote").returncode == 0
    assert releases.names_release(folder)
    return folder


@pytest.fixture
def folder(study: Path, tmp_path: Path, prefect_address: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PREFECT_API_URL", prefect_address)
    (tmp_path / "remote").mkdir()
    copy = made_once.copy(study, tmp_path / "project")
    monkeypatch.chdir(copy)
    return copy


def edit_json(path: Path, change: Callable[[dict[str, object]], None]) -> None:
    said = json.loads(path.read_text())
    change(said)
    path.write_text(json.dumps(said))


def unseen(folder: Path) -> None:
    """Nobody has seen anything yet."""
    (folder / LEDGER_PATH).write_bytes(b"")
    small_study.regenerate(folder, ["review"], look=False)


def partly_seen(folder: Path) -> None:
    """What the last one saw is not seen."""
    lines = (folder / LEDGER_PATH).read_bytes().splitlines(keepends=True)
    (folder / LEDGER_PATH).write_bytes(b"".join(lines[:-1]))
    small_study.regenerate(folder, ["review"], look=False)


def decided_meanwhile(folder: Path) -> None:
    with review_study.desk(folder) as desk:
        desk.exclude(0, "no consent")


def acknowledged_until_yesterday(folder: Path) -> None:
    with review_study.desk(folder) as desk:
        desk.acknowledge("quarantine", desk.quarantined()[0]["recording"], "it is damaged", "2030-01-01")
    small_study.regenerate(folder, ["review"], look=False)
    edit_json(folder / "data/interim/review.json", lambda said: said["acknowledged"][0].update(until="2001-01-01"))


def seen_in_a_sample(folder: Path) -> None:
    drawn = review.draw_clips(2, 0, "ann", folder)
    with review_study.desk(folder) as desk:
        desk.check(drawn.videos, drawn.clips[0], FINDING, "a face in a mirror")


def invalid(folder: Path) -> None:
    edit_json(folder / "data/interim/validation.json", lambda said: said.update(verdict="failed"))


def quarantined(folder: Path) -> None:
    path = folder / "params.yaml"
    path.write_text(path.read_text().replace("on_quarantine: continue", "on_quarantine: stop"))


def shrunk(folder: Path) -> None:
    edit_json(folder / "data/private/released.json", lambda said: said["recordings"].update(gone_01="bliv"))


def private_word(folder: Path) -> None:
    """The audit finds it in the assembled folder."""
    (folder / "data/unreleased/splits/peg_00.csv").write_text("id\n")


def flipped_byte(folder: Path) -> None:
    """No sound copy of it lies in a release."""
    shutil.rmtree(folder / RELEASE)
    path = next((folder / "data/unreleased/videos").rglob("*.mkv"))
    path.write_bytes(path.read_bytes()[:-1] + b"?")


def flipped_frame(folder: Path) -> None:
    """No sound copy of it lies in a release, and nothing tells by its time that the disk has damaged it."""
    shutil.rmtree(folder / RELEASE)
    kept_project.flip(next((folder / "data/unreleased/frames").rglob("*.jpg")))


def unstated(folder: Path) -> None:
    """A frame that is in no list of its stage."""
    frame = next((folder / "data/unreleased/frames").rglob("*.jpg"))
    shutil.copy(frame, frame.with_name("999999.jpg"))


# What nobody decided, and what people disagree about, is hidden, and refuses nothing.
REFUSALS: Mapping[Callable[[Path], None], str] = {
    unseen: "have not been seen by a person",
    partly_seen: "1 of 9 recordings has not been seen",
    decided_meanwhile: "people decided while the pipeline ran",
    acknowledged_until_yesterday: "ended on 2001-01-01",
    seen_in_a_sample: "a face in a mirror",
    invalid: "the tables did not pass validation",
    quarantined: "files are quarantined and release.on_quarantine is 'stop'",
    shrunk: "had 1 recording that this release lacks",
    private_word: "the release is refused",
    flipped_byte: "its bytes have changed since it was written",
    flipped_frame: "its bytes have changed since it was written",
    unstated: "no stage states that it has written this",
}


# The last one goes through DVC below: the stage refuses there when all is copied.
@pytest.mark.parametrize("spoil", [spoil for spoil in REFUSALS if spoil is not private_word], ids=lambda spoil: spoil.__name__)
def test_after_a_refusal_no_release_lies_here_and_none_is_named(folder, spoil):
    spoil(folder)
    with pytest.raises(ScrubinError, match=re.escape(REFUSALS[spoil])):
        small_study.regenerate(folder, ["release"])
    assert not is_published(folder)
    assert [fault.rule for fault in readiness.released(folder, "1.0.0")] == ["release"]


# Behind the refusal DVC and the stage do the same whatever the reason is.
def test_after_a_refusal_nothing_is_pushed(folder):
    private_word(folder)
    refused = release(folder)
    assert refused.returncode != 0
    assert REFUSALS[private_word] in refused.stdout + refused.stderr
    assert not is_published(folder)
    # Also what the stages before have written, and DVC takes as it is.
    with Repo(str(folder)) as repo:
        for stage in ("render", "frames", "splits", "groundtruth"):
            repo.commit(stage, force=True)
    assert pushed(folder) == []
    assert [fault.rule for fault in readiness.released(folder, "1.0.0")] == ["release"]


def test_a_good_release_is_pushed_and_nothing_else_and_its_parts_are_taken(study, folder, tmp_path):
    before = tree(folder / RELEASE)
    (folder / RELEASE / "notes.txt").write_text("of a program that wrote here\n")
    assert release(folder).returncode == 0
    assert tree(folder / RELEASE) == before == tree(study / RELEASE)
    assert not (folder / BESIDE).exists()
    copies = [name for name in before if (folder / "data/unreleased" / name).is_file()]
    assert len(copies) > 50
    assert not [name for name in copies if (folder / RELEASE / name).samefile(folder / "data/unreleased" / name)]
    there = pushed(folder)
    (list_of_files,) = set(there) - set(before.values())
    assert {one["relpath"] for one in json.loads(list_of_files)} == set(before)
    assert set(there) - {list_of_files} == set(before.values())
    assert any(data.startswith(PICTURES[0]) for data in there)
    assert any(data.startswith(PICTURES[1]) for data in there)
    for command in (("add", "--all"), (*small_study.CURATOR, "commit", "--quiet", "--message", "A release")):
        assert run(folder, "git", *command).returncode == 0
    taken = run(tmp_path, BIN / "dvc", "get", "--quiet", folder, f"{RELEASE}/splits")
    assert taken.returncode == 0, taken.stderr
    assert tree(tmp_path / "splits") == tree(folder / RELEASE / "splits")


def test_that_people_changed_sides_since_the_last_release_is_said_once(folder, caplog):
    def swap(said):
        for rows in said["splits"]["places"].values():
            for row in rows:
                row[1] = {"train": "test", "test": "train"}.get(row[1], row[1])

    edit_json(folder / "data/private/released.json", swap)
    for _ in range(2):
        small_study.regenerate(folder, ["release"])
    assert " moved from one subset to another, as from train to test or back; 'extends' of a scheme" in caplog.text
    assert caplog.text.count("split 'balanced': ") == 1


def test_what_is_released_again_stays_where_it_lies(folder):
    """One more run copies nothing, and DVC knows by inode and time that it need not hash: all but what the stage release writes anew."""
    folders = ("data/unreleased/videos", "data/unreleased/frames", RELEASE)

    def inodes() -> dict[str, tuple[int, int]]:
        names = [f"{place}/{name}" for place in folders for name in tree(folder / place)]
        return {name: (state.st_ino, state.st_mtime_ns) for name in names for state in [(folder / name).stat()]}

    run_again(folder, "release")
    before = inodes()
    run_again(folder, "render", "frames", "release")
    moved = {name.removeprefix(f"{RELEASE}/").partition("/")[0] for name, state in inodes().items() if state != before[name]}
    assert not moved & {"frames", "videos", "data"}
    archives = {name for name in before if name.endswith("_mono.zip")}
    assert archives
    assert [name for name in archives if inodes()[name] != before[name]] == []


def test_a_stage_that_is_killed_leaves_nothing_to_push_and_the_next_one_ends_with_the_same_bytes(study, folder):
    with subprocess.Popen([BIN / "python", "pipelines/flows/release.py"], cwd=folder, stderr=subprocess.DEVNULL) as stage:
        until = time.monotonic() + PATIENCE_S
        while not (folder / BESIDE / "SHA256SUMS").exists():
            assert stage.poll() is None
            assert time.monotonic() < until
            time.sleep(0.002)
        stage.kill()
    assert (folder / BESIDE / "SHA256SUMS").exists()
    assert (folder / BESIDE).parent.stat().st_mode & 0o077 == 0
    assert not (folder / RELEASE).exists()
    assert not releases.names_release(folder)
    assert pushed(folder) == []
    small_study.regenerate(folder, ["release"])
    assert tree(folder / RELEASE) == tree(study / RELEASE)
    assert not (folder / BESIDE).exists()


def test_whoever_withdraws_is_pushed_no_more_from_that_moment(folder, capsys):
    assert cli.main(["withdraw", "--participant", "P02", "--reason", "consent"]) == 0
    assert "'dvc push' sends nothing" in capsys.readouterr().out
    assert not is_published(folder)
    assert pushed(folder) == []


def test_a_row_of_a_withdrawal_counts_as_soon_as_a_run_reads_it(folder):
    (folder / "data/raw/withdrawn.csv").write_text("participant,recording,date,reason\nP02,,2026-01-31,consent\n")
    run_again(folder, "withdrawals")
    assert not releases.names_release(folder)
    assert pushed(folder) == []


def test_a_row_of_a_withdrawal_counts_although_nothing_could_be_started(folder):
    (folder / "data/raw/withdrawn.csv").write_text("participant,recording,date,reason\nP02,,2026-01-31,consent\n")
    dead_link = folder / "data/unreleased/frames/dead.jpg"
    dead_link.symlink_to("/nowhere/at/all")
    (folder / "data/raw/recordings.csv").write_text((folder / "data/raw/recordings.csv").read_text().replace("mono", "monno"))
    (folder / BESIDE / "videos").mkdir(parents=True)
    for name in ("SHA256SUMS", "README.md", "videos/gone.mkv"):
        (folder / BESIDE / name).write_text("of a run that was killed")
    refused = run(folder, BIN / "python", "pipelines/flows/repro.py")
    assert refused.returncode == 2
    assert tree(folder / BESIDE) == {}
    assert not dead_link.is_symlink()
    assert "nothing was started" in refused.stderr
    assert "it names no release any more" in refused.stderr
    assert pushed(folder) == []


def test_a_run_that_stops_before_the_release_takes_the_last_one_back(folder):
    (folder / "pipelines/flows/splits.py").write_text("raise SystemExit('splits: no')\n")
    stopped = run(folder, BIN / "python", "pipelines/flows/repro.py")
    assert stopped.returncode == 1
    assert "stopped in stage splits" in stopped.stderr
    assert "it names no release any more" in stopped.stderr
    assert pushed(folder) == []


def test_a_run_that_is_killed_in_a_stage_before_the_release_leaves_none_named(folder):
    """The study may just have hidden what the last release shows; nobody is there any more to say so."""
    (folder / "pipelines/flows/splits.py").write_text("import os, signal\n\nos.kill(os.getppid(), signal.SIGKILL)\n")
    assert run(folder, BIN / "python", "pipelines/flows/repro.py").returncode != 0
    assert (folder / RELEASE).is_dir()
    assert not releases.names_release(folder)
    assert pushed(folder) == []


def test_a_stage_that_changes_nothing_leaves_the_release_named_as_it_was(folder):
    lock, before = (folder / "dvc.lock").read_text(), tree(folder / RELEASE)
    with (folder / "pipelines/flows/splits.py").open("a") as flow:
        flow.write("# Another word.\n")
    done = run(folder, BIN / "python", "pipelines/flows/repro.py")
    assert done.returncode == 0, done.stderr
    assert "Running stage 'splits'" in done.stdout + done.stderr
    assert "Running stage 'release'" not in done.stdout + done.stderr
    now = (folder / "dvc.lock").read_text()
    assert len(set(lock.splitlines()) ^ set(now.splitlines())) <= 4, "the code of one stage, and its size"
    assert yaml.safe_load(now)["stages"]["release"] == yaml.safe_load(lock)["stages"]["release"]
    assert tree(folder / RELEASE) == before


def test_a_stage_that_the_release_does_not_need_takes_nothing_back(study):
    """Only the report comes behind nothing that is released."""
    stages = yaml.safe_load((study / "dvc.yaml").read_text())["stages"]
    assert set(stages) - releases.needed(study) == {"report", "demo"}
