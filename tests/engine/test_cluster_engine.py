"""A real Dask scheduler with real worker processes: kills of either lose nothing, and a worker that differs is named."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import dask
import pytest

from pieces import doubled, half_read, piece, refused, stored, written
from scrubin.base.errors import StageError, VideoError
from scrubin.base.store import store
from scrubin.curate.engine import cluster
from scrubin.curate.engine.cluster import Cluster

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
PATIENCE_S = 180


def start(*arguments: str, folder: Path, library: Path = ROOT / "pipelines", **variables: str) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(ROOT / "tests/helpers"), str(library)])
    command = [Path(sys.executable).with_name("dask"), *arguments]
    return subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": path, **variables}, stderr=subprocess.DEVNULL)


@pytest.fixture
def machines(tmp_path):
    """A scheduler file and the processes: the scheduler, and two workers with one thread each in another working folder."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "project/requirements.lock").write_bytes((ROOT / "requirements.lock").read_bytes())
    file = tmp_path / "scheduler.json"
    at = ["--no-dashboard"]
    scheduler = start("scheduler", "--scheduler-file", str(file), "--port", "0", *at, folder=tmp_path / "elsewhere")
    options = ["--nworkers", "2", "--nthreads", "1", "--local-directory", str(tmp_path / "elsewhere"), *at]
    workers = start("worker", "--scheduler-file", str(file), *options, folder=tmp_path / "elsewhere")
    yield tmp_path / "project", str(file), scheduler, workers
    kept = children(workers.pid)
    for process in (workers, scheduler):
        process.kill()
        process.wait()
    for pid in kept:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_for(file: Path) -> None:
    """Wait until the scheduler has written its file; for a moment it is there and empty."""
    deadline = time.monotonic() + PATIENCE_S
    while not (file.exists() and file.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.1)


def connected(root: Path, file: str) -> Cluster:
    """Wait until both workers are there."""
    wait_for(Path(file))
    joined = Cluster(file, root)
    joined._client.wait_for_workers(2, timeout=PATIENCE_S)
    return joined


def children(pid: int) -> list[int]:
    """The processes of the two workers, which their keepers start again when they die."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid and b"spawn_main" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def test_what_a_worker_writes_is_its_users_alone_whatever_its_umask_was(machines):
    root, file, *_ = machines
    joined = connected(root, file)
    try:
        path = root / "written"
        joined.do(piece(written, path, root))
        assert path.stat().st_mode & 0o077 == 0
    finally:
        joined.close()


def test_kills_of_workers_lose_nothing_and_errors_arrive_whole(machines):
    root, file, _, workers = machines
    joined = connected(root, file)
    assert joined.notes == []
    with pytest.raises(VideoError, match=r"a\.mkv"):
        joined.do(piece(refused, "a.mkv", root))
    stop, kills = threading.Event(), []

    def kill() -> None:
        while not stop.wait(0.5 if not kills else 4):
            for pid in children(workers.pid)[:1]:
                os.kill(pid, signal.SIGKILL)
                kills.append(pid)

    killer = threading.Thread(target=kill)
    killer.start()
    with ThreadPoolExecutor(joined.lanes) as threads:
        outcomes = list(threads.map(lambda number: joined.do(piece(stored, number, root)), range(60)))
        outcomes += list(threads.map(lambda number: joined.do(piece(doubled, number, root)), range(150)))
    stop.set()
    killer.join()
    assert outcomes == [*range(60), *(2 * number for number in range(150))]
    assert kills
    assert all(store.lookup(store.key_of("pieces", "code", {"n": number}), root / store.STORE_PATH) for number in range(60))
    # By one file workers that join later see that they share the disk; it goes with the run, and so do their answers.
    assert (root / store.STORE_PATH / joined._seen).is_file()
    joined.close()
    assert list((root / store.STORE_PATH).glob("*preflight*")) == list((root / store.STORE_PATH).glob("-*")) == []


def test_what_workers_are_reading_is_seen_from_here_and_a_worker_that_is_silent_only_leaves_that_out(machines, monkeypatch):
    root, file, _, workers = machines
    joined = connected(root, file)
    with (root / "long.mkv").open("wb") as film:
        film.truncate(16 << 20)
    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(joined.do, piece(half_read, root / "long.mkv", root))
        deadline = time.monotonic() + PATIENCE_S
        while not (shares := joined.shares()) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert shares == {"long.mkv": 0.5}
        usually = cluster.ANSWER_S
        monkeypatch.setattr(cluster, "ANSWER_S", 0.5)
        kept = children(workers.pid)
        for pid in kept:
            os.kill(pid, signal.SIGSTOP)
        begin = time.monotonic()
        assert joined.shares() == {}
        assert time.monotonic() - begin < usually
        for pid in kept:
            os.kill(pid, signal.SIGCONT)
        (root / "go on").touch()
        reading.result(PATIENCE_S)
    assert joined.shares() == {}
    joined.close()


def test_a_scheduler_that_is_gone_ends_the_work_with_a_clear_word(machines, monkeypatch):
    root, file, scheduler, _ = machines
    # So long does Dask hope that it comes back; usually half a minute.
    with dask.config.set({"distributed.comm.timeouts.connect": "8s"}):
        joined = connected(root, file)
        threading.Timer(0.5, scheduler.kill).start()
        with pytest.raises(StageError, match=r"the Dask scheduler at .* is gone; start it again"), ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda number: joined.do(piece(doubled, number, root)), range(2000)))
        joined.close()


def test_without_a_scheduler_nothing_begins(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_S", 1)
    with pytest.raises(StageError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9.*set flows\.dask to null"):
        Cluster("tcp://127.0.0.1:9", tmp_path)
    with pytest.raises(StageError, match=r"no scheduler answers at .*none\.json"):
        Cluster(str(tmp_path / "none.json"), tmp_path)


def test_a_scheduler_that_is_silent_or_dies_while_it_is_asked_is_said_to_be(machines, tmp_path, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as silent, monkeypatch.context() as patch:  # Dask's client would wait for ever
        patch.setattr(cluster, "CONNECT_S", 2)
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(StageError, match=rf"no scheduler answers at {address}; start it, or set flows\.dask to null"):
            Cluster(address, tmp_path)
    root, file, scheduler, _ = machines
    connected(root, file).close()
    client = cluster.Client

    def then_killed(*where, **how):
        made = client(*where, **how)
        scheduler.kill()
        scheduler.wait()
        return made

    monkeypatch.setattr(cluster, "Client", then_killed)
    with dask.config.set({"distributed.comm.timeouts.connect": "8s"}), pytest.raises(StageError, match="does not answer any more"):
        Cluster(file, root)


def other_version(pipelines: Path) -> Path:
    """A copy of the library that gives other bytes, for all that anybody knows."""
    shutil.copytree(ROOT / "pipelines/scrubin", pipelines / "scrubin", ignore=shutil.ignore_patterns("__pycache__"))
    with (pipelines / "scrubin/__init__.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    return pipelines


def earlier_edition(pipelines: Path) -> Path:
    """A copy of the library that answers in its own way."""
    with (other_version(pipelines) / "scrubin/curate/engine/cluster.py").open("a", encoding="utf-8") as file:
        file.write("\n\ndef _do(ours, root, seen, piece):\n    return True, None\n")
    return pipelines


@pytest.mark.parametrize(
    ("library", "word"), [(other_version, "its scrubin is another version"), (earlier_edition, "an answer of another version")]
)
def test_a_worker_that_joins_later_and_differs_gets_no_work_and_the_others_do_all(machines, caplog, library, word):
    root, file, _, _ = machines
    joined = connected(root, file)
    options = ["--nworkers", "1", "--no-nanny", "--nthreads", "4", "--local-directory", str(root.parent / "late"), "--no-dashboard"]
    late = start("worker", "--scheduler-file", file, *options, folder=root.parent, library=library(root.parent / "other"))
    try:
        joined._client.wait_for_workers(3, timeout=PATIENCE_S)
        with caplog.at_level("WARNING", logger="scrubin"), ThreadPoolExecutor(joined.lanes) as threads:
            outcomes = list(threads.map(lambda number: joined.do(piece(doubled, number, root)), range(60)))
        assert outcomes == [2 * number for number in range(60)]
        (said,) = [record.getMessage() for record in caplog.records if "gets no more work" in record.getMessage()]
        assert said.startswith("cluster: worker tcp://")
        assert word in said
    finally:
        joined.close()
        late.kill()
        late.wait()


def test_what_dask_fails_with_when_a_worker_ends_is_no_fault_of_the_worker(tmp_path, monkeypatch):
    joined = cluster.Cluster.__new__(cluster.Cluster)
    joined._client = SimpleNamespace(status="running")
    joined._unfit, failures = {}, [UnboundLocalError("result"), RuntimeError("shut down")]

    def outcome(_: object) -> object:
        if failures:
            raise failures.pop()
        return cluster._Done(42)

    monkeypatch.setattr(joined, "_outcome", outcome)
    assert joined.do(piece(doubled, 21, tmp_path)) == 42
    assert joined._unfit == {}
    failures += [UnboundLocalError("result")] * cluster.ATTEMPTS
    with pytest.raises(StageError, match=r"failed again and again \(UnboundLocalError"):
        joined.do(piece(doubled, 21, tmp_path))


class Waiting:
    """A future of which nothing comes, or what its worker failed with."""

    def __init__(self, *, failed: bool = False) -> None:
        self.failed, self.cancelled = failed, False

    def result(self, timeout: float) -> None:
        raise TimeoutError

    def done(self) -> bool:
        return self.failed

    def cancel(self) -> None:
        self.cancelled = True


def test_a_piece_whose_workers_are_all_gone_is_taken_back_and_one_that_failed_with_a_timeout_has_failed():
    joined = cluster.Cluster.__new__(cluster.Cluster)
    joined._client = SimpleNamespace(status="running", nthreads=lambda: {"tcp://another": 1})
    future = Waiting()
    assert joined._result(future, ["tcp://gone"]) is None
    assert future.cancelled
    with pytest.raises(TimeoutError):
        joined._result(Waiting(failed=True), None)


def test_an_error_of_a_scheduler_that_is_gone_is_not_laid_on_its_workers(tmp_path, monkeypatch):
    joined = cluster.Cluster.__new__(cluster.Cluster)
    joined._address, joined._client = "tcp://gone", SimpleNamespace(status="closed")
    monkeypatch.setattr(joined, "_outcome", lambda _: 1 / 0)
    with pytest.raises(StageError, match="scheduler at tcp://gone is gone"):
        joined.do(piece(doubled, 21, tmp_path))


def test_when_no_worker_is_left_that_can_be_used_all_are_named(machines, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_S", 1)
    root, file, _, _ = machines
    joined = connected(root, file)
    joined._ours = dataclasses.replace(joined._ours, library="0" * 64)
    with pytest.raises(StageError, match=r"no worker is left.*(\n  worker tcp://.* cannot be used: its scrubin is another version.*){2}"):
        joined.do(piece(doubled, 1, root))
    joined.close()


def test_every_difference_is_named_with_its_worker_and_the_fix(tmp_path):
    (tmp_path / "requirements.lock").write_bytes((ROOT / "requirements.lock").read_bytes())
    (tmp_path / store.STORE_PATH).mkdir(parents=True)
    (tmp_path / store.STORE_PATH / "seen").write_text("")
    ours = cluster.look_at_worker(tmp_path, "seen")
    assert cluster.faults_of(ours, ours, tmp_path) == []
    changed = {
        "lock": ("0" * 64, "requirements.lock is another one"),
        "python": ("3.99", "it runs Python 3.99"),
        "packages": (("numpy is 1.0 instead of 2.5.3",), "numpy is 1.0"),
        "library": ("0" * 64, "its scrubin is another version"),
        "networks": (ours.networks[1:], f"network '{ours.networks[0][0]}' is not ours there: missing"),
        "sees": (False, "does not see what we write"),
        "writes": ("", "cannot write"),
    }
    workers = {name: dataclasses.replace(ours, **{name: value}) for name, (value, _) in changed.items()}
    workers["gone"] = ModuleNotFoundError("No module named 'scrubin'")
    with pytest.raises(StageError) as caught:
        cluster.compare(ours, workers, tmp_path)
    lines = str(caught.value).splitlines()[1:]
    for name, (_, message) in changed.items():
        assert [line for line in lines if line.strip().startswith(f"{name}: ") and message in line], name
    assert [line for line in lines if "gone: it cannot run the library" in line]
    late = dataclasses.replace(ours, clock_s=ours.clock_s + 60, file_system="nfs4")
    assert cluster.compare(ours, {"tcp://a": ours, "tcp://b": late}, tmp_path) == ["tcp://b: clock +60.0 s, project on nfs4"]
    asked_s = ours.clock_s
    slow = {str(seconds): dataclasses.replace(ours, clock_s=asked_s + seconds) for seconds in (-40, 30, 100)}
    said = cluster.compare(ours, slow, tmp_path, answered_s=asked_s + 60)
    assert [line.partition(",")[0] for line in said] == ["-40: clock -40.0 s", "100: clock +40.0 s"]
