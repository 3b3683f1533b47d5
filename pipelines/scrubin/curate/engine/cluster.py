"""The workers of an existing Dask scheduler: whether each gives the same bytes as this machine, before work starts on them.

Plain futures of `distributed`, one per recording, each waited for by a task of Prefect: its own task runner for Dask
does finished tasks again when a worker dies, and hides that one was killed too often.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import os
import pickle
import platform
import queue
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
from distributed import Client, Security, get_worker, rpc
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from scrubin.base import private_paths
from scrubin.base.disks import type_of
from scrubin.base.errors import ScrubinError, StageError
from scrubin.base.files import sha256_of
from scrubin.base.machine import DECODER_THREADS
from scrubin.base.store import store
from scrubin.base.store.code_of import code_of_library
from scrubin.curate.engine import Piece, portable
from scrubin.curate.engine.locked import other_packages
from scrubin.curate.engine.run import shares_read
from scrubin.media.networks.weights import NETWORKS, weights

LOG = logging.getLogger("scrubin")
LOCK = "requirements.lock"
SLACK_S = 5.0


@dataclass(frozen=True)
class WorkerState:
    """What must be equal on all machines, or possible on each, and what is only said.

    Parameters
    ----------
    lock
        SHA-256 of ``requirements.lock``, as it is seen there.
    packages
        Of the locked packages, those that are there in another version, or are missing.
    library
        SHA-256 of the sources of the library that is run.
    networks
        SHA-256 of every network, by name; what is wrong with it where it cannot be used.
    python
        Major and minor version: others pickle otherwise.
    sees
        Whether it sees, in the store, the file that was just written for it.
    writes
        The name of the file that it wrote into the store; empty when it could not, and then ``why``.
    clock_s
        Its clock, in seconds since 1970.
    file_system
        On which the project lies there.
    """

    lock: str
    packages: tuple[str, ...]
    library: str
    networks: tuple[tuple[str, str], ...]
    python: str
    sees: bool
    writes: str
    why: str
    clock_s: float
    file_system: str


def look_at_worker(root: Path, seen: str) -> WorkerState:
    """Return the state of this machine for a project at an absolute path; ``seen`` is a file's name in its store."""
    folder = root / store.STORE_PATH
    written, why = f"{seen}-{uuid.uuid4().hex}", ""
    try:
        (folder / written).write_text("", encoding="ascii")
    except OSError as error:
        written, why = "", f"{error.strerror}"
    lock = root / LOCK
    return WorkerState(
        lock=sha256_of(lock) if lock.is_file() else "missing",
        packages=other_packages(lock),
        library=code_of_library(),
        networks=tuple((name, _network(name)) for name in sorted(NETWORKS)),
        python=".".join(platform.python_version_tuple()[:2]),
        sees=(folder / seen).is_file(),
        writes=written,
        why=why,
        clock_s=time.time(),
        file_system=type_of(root if root.exists() else Path("/")),
    )


def compare(ours: WorkerState, theirs: Mapping[str, WorkerState | BaseException], root: Path, answered_s: float | None = None) -> list[str]:
    """Return what may be said of each worker that can be used: clock, file system.

    Parameters
    ----------
    answered_s
        Our clock when all had answered, which on a busy machine is long after they were asked.

    Raises
    ------
    StageError
        Names every worker that differs, and in what.
    """
    faults = [f"{worker}: {fault}" for worker in sorted(theirs) for fault in faults_of(ours, theirs[worker], root)]
    if faults:
        lines = "\n  ".join(faults)
        raise StageError(f"the cluster cannot be used as it is; correct these workers, or leave them out:\n  {lines}")
    states = {worker: state for worker, state in theirs.items() if isinstance(state, WorkerState)}
    last_s = ours.clock_s if answered_s is None else answered_s
    apart_s = {worker: state.clock_s - min(max(state.clock_s, ours.clock_s), last_s) for worker, state in states.items()}
    return [
        f"{worker}: clock {apart_s[worker]:+.1f} s, project on {state.file_system or 'an unknown file system'}"
        for worker, state in sorted(states.items())
        if abs(apart_s[worker]) > SLACK_S or state.file_system != ours.file_system
    ]


def faults_of(ours: WorkerState, one: WorkerState | BaseException, root: Path) -> list[str]:
    """Return what makes a worker one that cannot be used, or would not give the same bytes."""
    if isinstance(one, CommClosedError | TimeoutError):
        return ["it does not answer any more; start it again"]
    if isinstance(one, BaseException):
        return [f"it cannot run the library ({type(one).__name__}: {one}); start it with the project's own .venv"]
    faults = []
    if one.lock == "missing":
        return [f"it does not see the project at {root}; start it where the same folder is mounted under the same path"]
    if one.lock != ours.lock:
        faults.append(f"its {LOCK} is another one; it sees another folder at {root}")
    if one.python != ours.python:
        faults.append(f"it runs Python {one.python}, and we {ours.python}; start it with the project's own .venv")
    if one.packages:
        faults.append(f"its packages are not those of {LOCK}: {', '.join(one.packages)}; run 'make setup' there")
    if one.library != ours.library:
        faults.append("its scrubin is another version than ours; start it with the project's own .venv, and again after an update")
    faults += [
        f"network '{name}' is not ours there: {dict(one.networks).get(name, 'missing')}; run 'make setup' there"
        for name, sha256 in ours.networks
        if dict(one.networks).get(name) != sha256
    ]
    if not one.sees:
        faults.append(f"it does not see what we write to {root / store.STORE_PATH}; the folder must be shared")
    if not one.writes:
        faults.append(f"it cannot write to {root / store.STORE_PATH} ({one.why})")
    return faults


def _network(name: str) -> str:
    try:
        return hashlib.sha256(weights(name)).hexdigest()
    except ScrubinError as error:
        return str(error)


TOKEN, OLD_S = "preflight-", 86400
CONNECT_S = 30
ASK_S = 2
ANSWER_S = 10.0
UNREADABLE = (ImportError, AttributeError, TypeError, pickle.UnpicklingError)
"""What a worker of another version fails with."""
ALIVE = ("running", "connecting", "newly-created")
ATTEMPTS = 4
"""Dask itself gives a piece to four workers before it calls it a killer, and counts also those that were killed for another reason."""
FEWEST_LANES, MOST_LANES = 8, 256


class Cluster:
    """Does pieces of work on all workers of a scheduler, those that join later included.

    Parameters
    ----------
    address
        Such as ``tcp://host:8786``, or a scheduler file.
    root
        Absolute path of the project, the same on all machines.

    Raises
    ------
    StageError
        When the scheduler does not answer, or a worker cannot be used.
    """

    def __init__(self, address: str, root: Path) -> None:
        self._address, self._root = address, root
        self._unfit: dict[str, str] = {}
        self._failed_once: set[str] = set()
        self._until_closed = contextlib.ExitStack()
        try:
            at = address if "://" in address else str(json.loads(Path(address).read_text(encoding="utf-8"))["address"])
            # Dask's client would wait for ever for one that is connected and silent.
            with ThreadPoolExecutor(1) as aside:
                aside.submit(asyncio.run, _greeted(at)).result()
            self._client: Any = Client(at, timeout=CONNECT_S, set_as_default=False, name="scrubin")
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:  # the last: no certificate where one must be
            why = f" ({error})" if str(error) else ""
            raise StageError(f"flows.dask: no scheduler answers at {address}{why}; start it, or set flows.dask to null") from error
        # A worker that joins later must see it as well.
        self._seen = self._until_closed.enter_context(_tokens(root))
        self._ours = look_at_worker(root, self._seen)
        try:
            # It unpacks what it passes on.
            self._client.run_on_scheduler(faults_of, self._ours, self._ours, root)
            theirs = self._client.run(look_at_worker, root, self._seen, on_error="return")
            self.notes = compare(self._ours, theirs, root, time.time())
        except StageError:
            self.close()
            raise
        except Exception as error:
            # Once Dask has given it up, its client fails with errors of its own.
            is_gone = isinstance(error, CommClosedError | CancelledError | TimeoutError) or self._client.status not in ALIVE
            self.close()
            if is_gone:
                msg = f"flows.dask: the scheduler at {address} does not answer any more; start it again, or set flows.dask to null"
                raise StageError(msg) from error
            why = f"{type(error).__name__}: {error}"
            msg = f"the Dask scheduler at {address} cannot run the library ({why}); start it with the project's own .venv"
            raise StageError(msg) from error
        threads = sum(self._client.nthreads().values())
        # More than there are threads, so that none waits and those that join have work.
        self.lanes = min(max(2 * threads, FEWEST_LANES), MOST_LANES)

    def do(self, piece: Piece) -> Any:
        """Return what comes of a piece of work.

        Raises
        ------
        StageError
            When its workers are killed again and again, or the scheduler is gone.
        Exception
            Whatever the work raises.
        """
        failed = 0
        while True:
            try:
                outcome = self._outcome(piece)
            except StageError:
                raise
            except Exception as error:
                if isinstance(error, CancelledError | CommClosedError) or self._client.status not in ALIVE:
                    msg = f"the Dask scheduler at {self._address} is gone; start it again, then run again: what was finished is kept"
                    raise StageError(msg) from error
                # Dask fails in many ways with a worker that is just ending; none of them is of the work.
                failed += 1
                if failed < ATTEMPTS:
                    continue
                if isinstance(error, KilledWorker):
                    msg = f"its workers were killed again and again ({error}); give them more memory, then run again"
                else:
                    msg = f"its workers failed again and again ({type(error).__name__}: {error}); look at their logs, then run again"
                raise StageError(msg) from error
            if outcome is None:
                continue
            if isinstance(outcome, _Unfit):
                self._leave_out(outcome)
            elif outcome.error is not None:
                raise outcome.error
            else:
                return outcome.value

    def _outcome(self, piece: Piece) -> _Done | _Unfit | None:
        """Return what came of a piece; None when all workers that it may be done by are gone, so that nobody has it."""
        key, workers = f"scrubin-{uuid.uuid4().hex}", self._fit_workers()
        task = (self._ours, self._root, self._seen, piece)
        future = self._client.submit(_do, *task, key=key, pure=False, workers=workers)
        try:
            outcome: _Done | _Unfit | None = self._result(future, workers)
            if outcome is None or isinstance(outcome, _Done | _Unfit):
                return outcome
            raise TypeError(f"an answer of another version, {type(outcome).__name__}")
        except UNREADABLE as error:
            # What the work raises comes as an outcome; so this worker could not even read what it was sent, or is another version,
            # or is just ending: that it does only once.
            failed = self._client.run_on_scheduler(_workers_of, key=key)
            if not failed or failed[0] not in self._failed_once:
                self._failed_once.update(failed)
                raise
            return _Unfit(failed[0], "; ".join(faults_of(self._ours, error, self._root)))

    def _fit_workers(self) -> list[str] | None:
        """Return who may be given a piece, None for everybody: who cannot be used refuses at once, and would get all that is left."""
        if not self._unfit:
            return None
        until_s = time.monotonic() + CONNECT_S
        while not (fit := sorted(set(self._client.nthreads()) - self._unfit.keys())):
            if time.monotonic() > until_s:
                lines = "\n  ".join(f"worker {worker} cannot be used: {why}" for worker, why in sorted(self._unfit.items()))
                raise StageError(f"no worker is left that can be used; correct these, then run again:\n  {lines}")
            time.sleep(ASK_S)
        return fit

    def _leave_out(self, unfit: _Unfit) -> None:
        if self._unfit.setdefault(unfit.worker, unfit.why) is unfit.why:
            LOG.warning("cluster: worker %s cannot be used and gets no more work: %s", unfit.worker, unfit.why)

    def _result(self, future: Any, workers: Sequence[str] | None) -> Any:
        """Wait for a future; of a scheduler that is gone, or of workers that all are, it would be waited for for ever."""
        while True:
            try:
                return future.result(timeout=ASK_S)
            except TimeoutError:
                if future.done():
                    raise  # it is what the worker failed with
                if self._client.status not in ALIVE:
                    raise CommClosedError from None
                if workers is not None and not set(workers) & set(self._client.nthreads()):
                    future.cancel()
                    return None

    def shares(self) -> dict[str, float]:
        """Return how far the workers have read their large files; empty when they do not say so at once."""
        said: queue.SimpleQueue[Mapping[str, Mapping[str, float]]] = queue.SimpleQueue()

        def ask() -> None:
            with contextlib.suppress(Exception):  # whatever it is, the work itself will say it
                said.put(self._client.run(shares_read, on_error="ignore"))

        # Dask's client would wait for a worker that is silent for as long as it is, and the line a minute with it.
        threading.Thread(target=ask, daemon=True).start()
        try:
            of_workers = said.get(timeout=ANSWER_S)
        except queue.Empty:
            return {}
        shares: dict[str, float] = {}
        for name, share in (one for of_worker in of_workers.values() for one in of_worker.items()):
            shares[name] = max(share, shares.get(name, 0.0))
        return dict(sorted(shares.items()))

    def close(self) -> None:
        """Leave the cluster as it is."""
        self._until_closed.close()
        self._client.close(timeout=1)


async def _greeted(address: str) -> None:
    # As the client does: certificates are named in Dask's own configuration.
    async with rpc(address, connection_args=Security().get_connection_args("client")) as scheduler:
        await asyncio.wait_for(scheduler.identity(), CONNECT_S)


_FIT: set[tuple[str, WorkerState]] = set()


@dataclass(frozen=True)
class _Done:
    """What came of a piece of work: a value, or the error that it raised."""

    value: Any = None
    error: BaseException | None = None


@dataclass(frozen=True)
class _Unfit:
    """A worker that did nothing, because it would not give the same bytes, and why."""

    worker: str
    why: str


def _do(ours: WorkerState, root: Path, seen: str, piece: Piece) -> _Done | _Unfit:
    """Do a piece of work on a worker, which may have joined after the others were looked at."""
    try:
        faults = _faults_here(ours, root, seen)
    except Exception as error:
        faults = faults_of(ours, error, root)
    if faults:
        return _Unfit(get_worker().address, "; ".join(faults))
    try:
        return _Done(piece.do())
    except Exception as error:
        return _Done(error=portable(error))


def _faults_here(ours: WorkerState, root: Path, seen: str) -> list[str]:
    if (str(root), ours) in _FIT:
        return []
    private_paths.write_privately(root)  # whoever started the worker may have let others read what it writes
    os.environ.setdefault(DECODER_THREADS, "1")  # one thread of a worker is one core
    cv2.setNumThreads(1)
    faults = faults_of(ours, look_at_worker(root, seen), root)
    if not faults:
        _FIT.add((str(root), ours))
    return faults


def _workers_of(key: str, dask_scheduler: Any = None) -> list[str]:
    """Return, on the scheduler, which workers failed with a task, or hold what came of it."""
    task = dask_scheduler.tasks.get(key)
    return sorted(task.erred_on or {worker.address for worker in task.who_has or ()}) if task else []


@contextlib.contextmanager
def _tokens(root: Path) -> Iterator[str]:
    """Write a file into the store that others must see, and remove what they write in answer, at last also what a killed run left."""
    folder = root / store.STORE_PATH
    name = f"{TOKEN}{uuid.uuid4().hex}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("", encoding="ascii")
        # By the clock of the file system that wrote both.
        today_s = (folder / name).stat().st_mtime
        old = [path for path in folder.glob(f"{TOKEN}*") if path.stat().st_mtime < today_s - OLD_S]
    except OSError:
        old = []  # whoever looks says that it cannot write
    try:
        yield name
    finally:
        for path in [*folder.glob(f"{name}*"), *old]:
            path.unlink(missing_ok=True)
