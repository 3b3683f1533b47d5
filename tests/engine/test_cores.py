"""What a container allows counts, not what the machine has."""

from __future__ import annotations

import os

import pytest

from scrubin.base import machine
from scrubin.base.disks import type_of
from scrubin.base.errors import ParamsError
from scrubin.stages import flow_params
from scrubin.stages.flow_params import FlowsParams


@pytest.fixture
def group(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "_groups", lambda: iter([tmp_path]))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)))
    return tmp_path


@pytest.mark.parametrize(
    ("text", "expected"), [("max 100000", 64), ("200000 100000", 2), ("250000 100000", 3), ("10000 100000", 1), ("odd", 64)]
)
def test_cores_are_those_of_the_quota(group, text, expected):
    (group / "cpu.max").write_text(text)
    assert machine.cores() == expected


def test_the_first_version_of_control_groups_counts_too(group):
    (group / "cpu.cfs_quota_us").write_text("400000")
    (group / "cpu.cfs_period_us").write_text("100000")
    assert machine.cores() == 4
    (group / "cpu.cfs_quota_us").write_text("-1")
    assert machine.cores() == 64


def test_memory_is_what_the_group_has_left(group):
    (group / "memory.max").write_text(str(1 << 20))
    (group / "memory.current").write_text(str(1 << 18))
    assert machine.memory_bytes() == (1 << 20) - (1 << 18)
    (group / "memory.max").write_text("max")
    assert (machine.memory_bytes() or 0) > 1 << 20


@pytest.mark.parametrize(("memory", "expected"), [(None, 64), (5 << 30, 5), (100 << 20, 1), (1 << 40, 64)])
def test_there_are_no_more_workers_than_memory_allows(monkeypatch, memory, expected):
    monkeypatch.setattr(flow_params, "cores", lambda: 64)
    monkeypatch.setattr(flow_params, "memory_bytes", lambda: memory)
    assert FlowsParams("auto", None, None).worker_count() == expected


@pytest.mark.parametrize("workers", ["0", "-1", "two", "1.5", ""])
def test_another_number_of_workers_is_refused(workers):
    with pytest.raises(ParamsError, match=r"flows\.workers"):
        FlowsParams(workers, None, None)


def test_a_decoder_takes_the_share_of_its_worker(monkeypatch):
    monkeypatch.setenv(machine.DECODER_THREADS, "3")
    assert machine.decoder_threads() == 3
    monkeypatch.setenv(machine.DECODER_THREADS, "none")
    assert machine.decoder_threads() == machine.cores()


def test_the_file_system_is_the_one_that_was_mounted_deepest_and_last(tmp_path):
    (tmp_path / "deep/er").mkdir(parents=True)
    mounts = tmp_path / "mounts"
    lines = [
        "/dev/a / ext4 rw 0 0",
        f"server:/x {tmp_path} nfs4 rw 0 0",
        f"/dev/b {tmp_path}/deep xfs rw 0 0",
        f"/dev/c {tmp_path}/deep btrfs rw 0 0",
    ]
    mounts.write_text("\n".join(lines))
    assert [type_of(path, mounts) for path in (tmp_path, tmp_path / "deep/er", tmp_path.parent)] == ["nfs4", "btrfs", "ext4"]
    assert type_of(tmp_path, tmp_path / "none") == ""
