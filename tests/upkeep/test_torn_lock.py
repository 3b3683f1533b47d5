"""A lock file that was cut anywhere is set aside, or DVC can begin with it."""

from pathlib import Path

import pytest
from dvc.schema import COMPILED_LOCKFILE_SCHEMA as SCHEMA  # what DVC itself asks
from dvc.utils.serialize import load_yaml
from hypothesis import given
from hypothesis import strategies as st

from scrubin.curate.project import outputs

LOCK = Path(__file__).parents[2] / "dvc.lock"
TEXT = LOCK.read_bytes()


def test_a_finished_lock_stays(tmp_path):
    assert outputs.is_whole(LOCK)
    assert not outputs.set_torn_lock_aside(tmp_path / "dvc.lock")


def test_an_empty_lock_is_set_aside(tmp_path):
    lock = tmp_path / "dvc.lock"
    lock.touch()
    assert outputs.set_torn_lock_aside(lock, tmp_path / "cache" / "torn")
    assert not lock.exists()
    assert (tmp_path / "cache" / "torn").exists()


@pytest.mark.slow
@given(end=st.integers(0, len(TEXT) - 1))
def test_wherever_a_lock_is_cut_dvc_can_begin_afterwards(tmp_path_factory, end):
    folder = tmp_path_factory.mktemp("cut")
    lock = folder / "dvc.lock"
    lock.write_bytes(TEXT[:end])
    if not outputs.set_torn_lock_aside(lock, folder / "torn"):
        SCHEMA(load_yaml(str(lock)))


def test_a_conflict_of_git_stays_for_people(tmp_path):
    lock = tmp_path / "dvc.lock"
    lock.write_text("schema: '2.0'\n<<<<<<< ours\nstages: {}\n=======\nstages: {a: 1}\n>>>>>>> theirs\n")
    assert not outputs.set_torn_lock_aside(lock, tmp_path / "torn")
    assert lock.exists()


@pytest.mark.parametrize(
    "text",
    [
        "schema: '2.0'\nstages:\n",
        "schema: '2.0'\nstages:\n  demo:\n",
        "schema: '2.0'\nstages:\n  demo:\n    cmd: x\n    params:\n",
        "schema: '2.0'\nstages:\n  demo:\n    cmd: x\n    params:\n      params.yaml:\n",
        "schema: '2.0'",
    ],
)
def test_a_lock_that_stops_behind_a_name_is_set_aside(tmp_path, text):
    lock = tmp_path / "dvc.lock"
    lock.write_text(text)
    assert outputs.set_torn_lock_aside(lock, tmp_path / "torn")
