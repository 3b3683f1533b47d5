"""DVC says what a curator can use, and nothing of its own affairs; a stopped run says how to go on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from dvc.utils.serialize import _yaml as yaml_files
from hypothesis import given
from hypothesis import strategies as st

import quiet_dvc

FLOWS = Path(__file__).parents[2] / "pipelines/flows"
YAML = """
stages:
  first:
    cmd: 'true'
    deps: [nothing]
  second:
    cmd: exec sh wrong.sh
    deps: [nothing]
    outs: [never]
  third:
    cmd: 'true'
    deps: [never]
"""


@pytest.fixture
def project(tmp_path) -> Path:
    subprocess.run(["git", "init", "--quiet", "."], cwd=tmp_path, check=True)
    (tmp_path / ".dvc/tmp").mkdir(parents=True)
    (tmp_path / ".dvc/config").write_text("[core]\n    analytics = false\n    check_update = false\n    site_cache_dir = .cache/dvc\n")
    (tmp_path / "dvc.yaml").write_text(YAML)
    (tmp_path / "nothing").mkdir()
    (tmp_path / "wrong.sh").write_text("echo the sheet is wrong >&2; exit 1\n")
    # A killed run leaves such a note: no process has this number.
    note = f'{{"read": {{"{tmp_path}/nothing": [{{"pid": 999999999, "cmd": "dvc repro"}}]}}, "write": {{}}}}'
    (tmp_path / ".dvc/tmp/rwlock").write_text(note)
    return tmp_path


def run(folder: Path, *command: str | Path) -> str:
    done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.slow
def test_its_own_affairs_are_not_said_and_what_failed_is_noted(project):
    said = run(project, FLOWS / "quiet_dvc.py", "repro", "--keep-going")
    assert "Running stage 'second'" in said
    assert said.count("the sheet is wrong") == 1
    for unwanted in (
        "is empty",
        "RWLock",
        "auto staging",
        "git add",
        "lock file",
        "failed to reproduce",
        "failed to run",
        "> exec",
        "skipped",
    ):
        assert unwanted not in said, unwanted
    notes = json.loads((project / ".cache/stopped.json").read_text())
    assert notes == {"failed": {"second": ""}, "waiting": ["third"], "stages": 3}


@pytest.mark.slow
def test_a_run_that_ends_well_gives_no_advice_of_dvc(project):
    (project / "wrong.sh").write_text("touch never")
    assert "dvc push" not in run(project, FLOWS / "quiet_dvc.py", "repro")
    (project / "wrong.sh").write_text("touch never other")
    assert "dvc push" in run(project, "-m", "dvc", "repro", "--force")


@pytest.mark.slow
def test_bare_dvc_says_all_that(project):
    said = run(project, "-m", "dvc", "repro", "--keep-going")
    for unwanted in ("'nothing' is empty", "failed to reproduce", "failed to run"):
        assert unwanted in said, "else the test above proves nothing"


@pytest.mark.slow
def test_another_fault_of_dvc_is_said(project):
    (project / "nothing").rmdir()
    assert "nothing" in run(project, FLOWS / "quiet_dvc.py", "repro", "--keep-going").replace("'true'", "")


# YAML itself loses line breaks other than \n, however it is read.
TEXT = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")))
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT
SPECIAL = st.sampled_from(["yes", "12:30", "0o7", "1e3", "2024-01-01", "~"])
VALUES = st.recursive(PLAIN | SPECIAL, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=12)


@pytest.mark.slow
@given(st.dictionaries(TEXT.filter(bool), VALUES))
def test_a_lock_that_is_read_for_its_values_is_written_as_it_was(params):
    """Else a run would change lines of stages that it did not run."""
    text = yaml_files.dumps_yaml({"schema": "2.0", "stages": {"one": {"cmd": "a", "params": {"params.yaml": params}}}})
    assert yaml_files.dumps_yaml(yaml_files.parse_yaml(text, "dvc.lock")) == text


STAGE_DATA = st.dictionaries(TEXT.filter(bool), VALUES, max_size=3)


@pytest.mark.slow
@given(st.lists(st.dictionaries(st.sampled_from("abc"), STAGE_DATA, max_size=3), min_size=1, max_size=4), st.booleans())
def test_a_lock_that_is_written_stage_by_stage_is_that_of_dvc_to_the_byte(locks, has_more):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(yaml_files, "_dump", yaml_files._dump)  # put back afterwards
        whole = yaml_files.dumps_yaml
        more = {"datasets": []} if has_more else {}
        documents = [{"schema": "2.0", "stages": {"always": {"cmd": "a"}, **stages}, **more} for stages in locks]
        # Equal for Python, and not for who reads the lock.
        documents += [{"schema": "2.0", "stages": {"one": {"params": value}}} for value in ({"x": 1, "y": 2}, {"y": 2, "x": True}, {})]
        documents += [{"schema": "2.0", "stages": {}}, {"schema": "2.0"}, {"stages": {"one": {}}}]
        wanted = [whole(document) for document in documents]
        quiet_dvc.write_lock_stage_by_stage()
        assert [whole(document) for document in documents] == wanted
