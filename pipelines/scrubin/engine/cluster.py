"""The workers of an existing Dask scheduler.

Plain futures of `distributed`, one per recording, each waited for by a task of Prefect: its own task runner for Dask
does finished tasks again when a worker dies, and hides that one was killed too often.
"""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
from distributed import Client, get_worker, rpc
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from scrubin.core import private_paths, store
from scrubin.core.cores import DECODER_THREADS
from scrubin.core.errors import StageError
from scrubin.engine.piece import Piece, portable
from scrubin.engine.preflight import State, compare, faults_of, look

CONNECT_S = 30
ASK_S = 2
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
        try:
            at = address if "://" in address else str(json.loads(Path(address).read_text(encoding="utf-8"))["address"])
            # Dask's client would wait for ever for one that is connected and silent.
            with ThreadPoolExecutor(1) as aside:
                aside.submit(asyncio.run, _greeted(at)).result()
            self._client: Any = Client(at, timeout=CONNECT_S, set_as_default=False, name="scrubin")
        except (OSError, ValueError, KeyError, TypeError) as error:
            why = f" ({error})" if str(error) else ""
            msg = f"flows.dask: no scheduler answers at {address}{why}; start it, or set flows.dask to null"
            raise StageError(msg) from error
        with _tokens(root) as seen:
            self._ours = look(root, seen)
            try:
                # It unpacks what it passes on.
                self._client.run_on_scheduler(faults_of, self._ours, self._ours, root)
                self.notes = compare(self._ours, self._client.run(look, root, seen, on_error="return"), root)
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
        for attempt in range(ATTEMPTS):
            future = self._client.submit(_do, self._ours, self._root, piece, key=f"scrubin-{uuid.uuid4().hex}", pure=False)
            try:
                succeeded, outcome = self._result(future)
            except KilledWorker as error:
                if attempt + 1 < ATTEMPTS:
                    continue
                msg = f"its workers were killed again and again ({error}); give them more memory, then run again"
                raise StageError(msg) from error
            except (CancelledError, CommClosedError, OSError) as error:
                msg = f"the Dask scheduler at {self._address} is gone; start it again, then run again: what was finished is kept"
                raise StageError(msg) from error
            if succeeded:
                return outcome
            raise outcome
        raise AssertionError  # pragma: no cover - the last attempt returns or raises

    def _result(self, future: Any) -> tuple[bool, Any]:
        """Wait for a future; one of a scheduler that is gone would be waited for for ever."""
        while True:
            try:
                succeeded, outcome = future.result(timeout=ASK_S)
            except TimeoutError:
                if self._client.status not in ALIVE:
                    raise CommClosedError from None
                continue
            return succeeded, outcome

    def close(self) -> None:
        """Leave the cluster as it is."""
        self._client.close(timeout=1)


async def _greeted(address: str) -> None:
    async with rpc(address) as scheduler:
        await asyncio.wait_for(scheduler.identity(), CONNECT_S)


_FIT: set[tuple[str, State]] = set()


def _do(ours: State, root: Path, piece: Piece) -> tuple[bool, Any]:
    """Do a piece of work on a worker, which may have joined after the others were looked at."""
    try:
        _require_fit(ours, root)
        return True, piece.do()
    except Exception as error:
        return False, portable(error)


def _require_fit(ours: State, root: Path) -> None:
    if (str(root), ours) in _FIT:
        return
    private_paths.write_privately(root)  # whoever started the worker may have let others read what it writes
    os.environ.setdefault(DECODER_THREADS, "1")  # one thread of a worker is one core
    cv2.setNumThreads(1)
    with _tokens(root) as seen:
        faults = faults_of(ours, look(root, seen), root)
    if faults:
        msg = f"worker {get_worker().address} cannot be used: {'; '.join(faults)}"
        raise StageError(msg)
    _FIT.add((str(root), ours))


@contextmanager
def _tokens(root: Path) -> Iterator[str]:
    """Write a file into the store that others must see, and remove what they write in answer."""
    folder = root / store.STORE_PATH
    name = f"preflight-{uuid.uuid4().hex}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("", encoding="ascii")
    except OSError:
        pass  # whoever looks says that it cannot write
    try:
        yield name
    finally:
        for path in folder.glob(f"{name}*"):
            path.unlink(missing_ok=True)
