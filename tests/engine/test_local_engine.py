"""Processes of this machine: the same results, errors that arrive whole, and deaths that cost one piece."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pieces import dies, dies_once, doubled, meets_another, odd, piece, process, process_after, refused, slow, stored
from scrubin.base.errors import StageError, VideoError
from scrubin.base.machine import cores
from scrubin.base.store import store
from scrubin.curate.by_hand import audit
from scrubin.curate.engine import engines
from scrubin.curate.engine.engines import Here, Processes, engine
from scrubin.stages.flow_params import FlowsParams

HELPERS = os.pathsep.join([str(Path(__file__).parents[1] / "helpers"), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.fixture(scope="module")
def two():
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTHONPATH", HELPERS)
        processes = Processes(2)
        yield processes
        processes.close()


@pytest.mark.slow
def test_results_are_those_of_this_process(two):
    with ThreadPoolExecutor(6) as threads:
        there = list(threads.map(lambda number: two.do(piece(doubled, number)), range(30)))
    assert there == [Here().do(piece(doubled, number)) for number in range(30)]


def test_there_are_as_many_processes_as_are_wanted_and_each_has_its_share_of_the_threads(two):
    with ThreadPoolExecutor(8) as threads:
        seen = list(threads.map(lambda _: two.do(piece(process, None)), range(16)))
    assert 1 <= len({pid for pid, _, _ in seen}) <= 2
    assert os.getpid() not in {pid for pid, _, _ in seen}
    assert {share for _, share, _ in seen} == {max(1, cores() // 2)}
    assert {text for _, _, text in seen} == {"1"}


def test_quick_work_is_done_by_one_process(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", HELPERS)
    monkeypatch.setattr(engines, "BUSY_S", 60.0)
    three = Processes(3)
    with ThreadPoolExecutor(3) as threads:
        seen = {pid for pid, _, _ in threads.map(lambda _: three.do(piece(process, None)), range(12))}
    three.close()
    assert len(seen) == 1


def test_work_that_takes_long_is_done_by_as_many_processes_as_are_wanted(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", HELPERS)
    monkeypatch.setattr(engines, "BUSY_S", 0.01)
    two = Processes(2)
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda _: two.do(piece(meets_another, tmp_path)), range(2))) == [2, 2]
    two.close()


def test_pieces_that_follow_each_other_quickly_are_long_work_too(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", HELPERS)
    monkeypatch.setattr(engines, "BUSY_S", 1.0)
    two = Processes(2)

    def done(_):
        pid = two.do(piece(process_after, 0.2))
        time.sleep(0.05)  # who waited has the process now
        return pid

    with ThreadPoolExecutor(2) as threads:
        seen = set(threads.map(done, range(30)))
    two.close()
    assert len(seen) == 2, "no wait for a process is as long as a second"


def test_an_error_arrives_with_all_that_it_says(two):
    with pytest.raises(VideoError) as caught:
        two.do(piece(refused, "a.mkv"))
    assert (caught.value.file, caught.value.reason, caught.value.fix, caught.value.place) == (
        "a.mkv",
        "it is no video",
        "export it again",
        "line 3",
    )


def test_an_error_that_cannot_be_sent_arrives_in_words(two):
    with pytest.raises(RuntimeError, match="Odd: of a class that nobody else knows"):
        two.do(piece(odd, None))


def test_a_process_that_is_killed_costs_a_second_try_and_nothing_else(two, tmp_path):
    assert two.do(piece(dies_once, tmp_path / "marker")) == "done"
    assert two.do(piece(doubled, 4)) == 8


def test_work_that_always_ends_its_process_is_an_error_with_the_signal_and_the_others_go_on(two):
    with pytest.raises(StageError, match=r"3 processes in a row ended with it \(signal 9\).*flows\.workers"):
        two.do(piece(dies, None))
    assert two.do(piece(doubled, 5)) == 10


def test_what_a_process_keeps_lies_in_the_store_of_the_project(two, tmp_path):
    assert two.do(piece(stored, 3, tmp_path)) == 3
    assert store.lookup(store.key_of("pieces", "code", {"n": 3}), tmp_path / store.STORE_PATH) is not None


STARTS = """
import sys
from pathlib import Path
from pieces import piece, slow
from scrubin.curate.engine.engines import Processes
Processes(1).do(piece(slow, Path(sys.argv[1])))
"""


@pytest.mark.slow
def test_a_worker_ends_with_the_one_who_started_it_also_in_the_middle_of_a_piece(tmp_path):
    path = os.pathsep.join([str(Path(__file__).parents[1] / "helpers"), *sys.path])
    run = subprocess.Popen([sys.executable, "-c", STARTS, str(tmp_path)], env={**os.environ, "PYTHONPATH": path})
    started = tmp_path / "started"
    while not (started.exists() and started.read_text()):
        time.sleep(0.01)
    worker = Path("/proc", started.read_text())
    assert worker.exists()
    run.kill()
    run.wait()
    deadline = time.monotonic() + 60
    while worker.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not worker.exists()


def test_processes_that_are_halted_end_in_the_middle_of_a_piece_and_no_other_begins(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", HELPERS)
    processes, started = Processes(1), tmp_path / "started"
    with ThreadPoolExecutor(2) as threads:
        asked = [threads.submit(processes.do, piece(slow, tmp_path)) for _ in range(2)]
        while not (started.exists() and started.read_text()):
            time.sleep(0.01)
        processes.halt()
        for one in asked:
            with pytest.raises(StageError, match="ended before it was done"):
                one.result(timeout=30)
    processes.close()
    assert not Path("/proc", started.read_text()).exists()


def test_an_audit_that_is_stopped_does_not_wait_for_what_it_reads(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", HELPERS)
    monkeypatch.setattr(audit, "SMALL_BYTES", -1)
    monkeypatch.setattr(FlowsParams, "worker_count", lambda _: 2)
    started = tmp_path / "started"

    def stop(readings, count):
        while not (started.exists() and started.read_text()):
            time.sleep(0.01)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), audit._everywhere(tmp_path, tmp_path / "store", stop) as over:
        list(over(slow, [tmp_path]))
    assert not Path("/proc", started.read_text()).exists()


def test_one_worker_is_this_process(tmp_path):
    assert isinstance(engine(FlowsParams("1", None, None), tmp_path), Here)
    assert engine(FlowsParams("3", None, None), tmp_path).lanes == 3
