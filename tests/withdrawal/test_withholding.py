"""The entry of the release goes out of DVC's lock file, whole or not at all, and everything else stays."""

from __future__ import annotations

import subprocess
import sys

import pytest
import yaml

from scrubin.audit.expected.withdrawal_memory import Gone, Memory
from scrubin.base.errors import ReleaseError, StageError
from scrubin.stages.withdrawals import notice, releases

LOCK = """schema: '2.0'
stages:
  frames:
    cmd: exec frames
    params:
      params.yaml:
        frames.note: "of the stage\\n  release:\\n"
    outs:
    - path: data/unreleased/frames
      md5: 0123456789abcdef0123456789abcdef.dir
  release:
    cmd: exec release
    params:
      params.yaml:
        release:
          version: 1.0.0
    outs:
    - path: data/release
      md5: fedcba9876543210fedcba9876543210.dir
  report:
    cmd: exec report
"""
BY_HAND = "{schema: '2.0', stages: {frames: {cmd: a}, release: {cmd: b}}}\n"
QUOTED = LOCK.replace("  release:\n    cmd", '  "release":\n    cmd')
DEEPER = "schema: '2.0'\nstages:\n    frames:\n        cmd: a\n    release:\n        cmd: b\n"


@pytest.mark.parametrize("text", [LOCK, BY_HAND, QUOTED, DEEPER])
def test_only_the_entry_goes_however_the_file_is_laid_out(tmp_path, text):
    (tmp_path / "dvc.lock").write_text(text)
    before = yaml.safe_load(text)
    assert releases.names_release(tmp_path)
    assert releases.withhold(tmp_path)
    assert not releases.names_release(tmp_path)
    del before["stages"]["release"]
    assert yaml.safe_load((tmp_path / "dvc.lock").read_text()) == before
    assert not releases.withhold(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["dvc.lock"]


@pytest.mark.parametrize("text", [LOCK, BY_HAND, QUOTED, DEEPER, LOCK + "datasets: []\n", LOCK + "...\n", LOCK.replace("\n", "\r\n")])
def test_an_entry_that_was_held_back_is_put_back_with_what_others_wrote_meanwhile(tmp_path, text):
    path = tmp_path / "dvc.lock"
    path.write_text(text)
    held = releases.HeldBack(path)
    assert held.take()
    assert not held.take()
    path.write_text(path.read_text().replace("cmd: exec frames", "cmd: exec other frames").replace("cmd: a", "cmd: c"))
    held.put_back()
    before, now = yaml.safe_load(text), yaml.safe_load(path.read_text())
    assert now["stages"].pop("frames") != before["stages"].pop("frames")
    assert now == before
    held.put_back()
    assert releases.names_release(tmp_path)


def test_where_nothing_was_held_back_nothing_is_put_back(tmp_path):
    held = releases.HeldBack(tmp_path / "dvc.lock")
    assert not held.take()
    held.put_back()
    assert [*tmp_path.iterdir()] == []


def test_what_dvc_has_written_keeps_its_lines():
    first, _, rest = LOCK.partition("  release:\n    cmd")
    assert releases.without(LOCK, "release", releases.LOCK) == first + rest[rest.index("  report:") :]


def test_a_file_that_names_the_release_alone_is_still_one_for_dvc(tmp_path):
    (tmp_path / "dvc.lock").write_text("schema: '2.0'\nstages:\n  release:\n    cmd: b\n")
    releases.withhold(tmp_path)
    assert yaml.safe_load((tmp_path / "dvc.lock").read_text()) == {"schema": "2.0", "stages": {}}


def test_without_a_lock_file_nothing_is_named(tmp_path):
    assert not releases.withhold(tmp_path)
    assert not releases.names_release(tmp_path)


@pytest.mark.parametrize("text", ["schema: '2.0'\nstages:\n  release: [\n", "- a list\n", "stages: 7\n"])
def test_a_file_that_cannot_be_read_is_left_alone_and_named(tmp_path, text):
    (tmp_path / "dvc.lock").write_text(text)
    with pytest.raises(ReleaseError, match=r"dvc\.lock: it cannot be read"):
        releases.withhold(tmp_path)
    assert (tmp_path / "dvc.lock").read_text() == text


@pytest.mark.slow
def test_while_dvc_pushes_nothing_is_taken_out_from_under_it(tmp_path, monkeypatch):
    monkeypatch.setattr("dvc.lock.DEFAULT_TIMEOUT", 0.06)  # it asks six times
    (tmp_path / "dvc.lock").write_text(LOCK)
    (tmp_path / ".dvc/tmp").mkdir(parents=True)
    holder = "import sys, zc.lockfile; lock = zc.lockfile.LockFile(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", holder, tmp_path / ".dvc/tmp/lock"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as dvc:
        assert dvc.stdout.readline() == "held\n"
        with pytest.raises(StageError, match="another command of DVC works in this project"):
            releases.withhold(tmp_path)
        dvc.stdin.close()
    assert (tmp_path / "dvc.lock").read_text() == LOCK
    assert releases.withhold(tmp_path)


def test_only_somebody_new_is_news():
    one = Memory("0" * 64, frozenset({"a"}), {"r": Gone("consent", frozenset({"x"}))})
    more_known = Memory(one.salt, one.participants, {"r": Gone("consent", frozenset({"x", "y"}))})
    two = Memory(one.salt, one.participants, {**one.recordings, "s": Gone("request", frozenset())})
    assert notice.is_news(one, Memory())
    assert notice.is_news(two, one)
    assert not notice.is_news(more_known, one)
    assert not notice.is_news(Memory(), one)
