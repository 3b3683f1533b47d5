"""All engines by what ``params.yaml`` asks for: processes of this machine, or a cluster.

Threads do not do: a fifth to a third of the time of a screen is Python's own, so that five threads wait for
each other where five processes do not. And concurrent.futures gives up all its work when one process dies; here
only the piece that it had is tried again, because the kernel ends whoever needs too much memory.
"""

from __future__ import annotations

import contextlib
import os
import queue
import socket
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

from scrubin.base.errors import StageError
from scrubin.base.machine import DECODER_THREADS, cores
from scrubin.curate.engine import Piece
from scrubin.curate.engine.run import shares_read
from scrubin.stages.flow_params import FlowsParams

ATTEMPTS = 3
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
GRACE_S = 10.0
BUSY_S = 1.5
"""So long after it was asked first an engine starts no second process; the first needs about half of it to begin."""


class Here:
    """Does everything in this process."""

    lanes = 1

    def do(self, piece: Piece) -> Any:
        """Return what comes of a piece of work."""
        return piece.do()

    def shares(self) -> dict[str, float]:
        """Return how far this process has read its large files."""
        return shares_read()

    def halt(self) -> None:
        """Nothing runs beside the one who asks."""

    def close(self) -> None:
        """Nothing is open."""


class Processes:
    """A number of processes, for as many threads that wait for them.

    The first is started when it is first needed, others a while later, when somebody waits: to start one takes longer than to look up
    hundreds of results that are stored.
    """

    def __init__(self, count: int) -> None:
        self.lanes = count
        self._threads = max(1, cores() // count)
        self._idle: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        self._idle.put(None)
        self._not_yet = queue.SimpleQueue[None]()
        for _ in range(count - 1):
            self._not_yet.put(None)
        self._started: list[_Worker] = []
        self._asked_at_s: float | None = None
        self._is_halted = False

    def do(self, piece: Piece) -> Any:
        """Return what comes of a piece of work.

        Raises
        ------
        StageError
            When three processes died with it, or all have been halted.
        Exception
            Whatever the work raises.
        """
        worker = self._free()
        try:
            for _ in range(ATTEMPTS):
                worker = worker or self._start()
                try:
                    succeeded, outcome = worker.ask(piece)
                except (EOFError, ConnectionError):
                    how = worker.end()
                    self._started.remove(worker)
                    worker = None
                    continue
                if succeeded:
                    return outcome
                raise outcome
        finally:
            self._idle.put(worker)
        msg = f"{ATTEMPTS} processes in a row ended with it ({how}); give them more memory, or set flows.workers to fewer, then run again"
        raise StageError(msg)

    def _free(self) -> _Worker | None:
        """Return a process that is free, or None for one that is to be started; whoever asks gives it back."""
        now_s = time.monotonic()
        if self._asked_at_s is None:
            self._asked_at_s = now_s
        try:
            return self._idle.get(timeout=max(0.0, self._asked_at_s + BUSY_S - now_s))
        except queue.Empty:
            pass
        try:
            return self._not_yet.get_nowait()
        except queue.Empty:
            return self._idle.get()

    def shares(self) -> dict[str, float]:
        """Return how far the processes, which are our children, have read their large files."""
        return shares_read()

    def halt(self) -> None:
        """End all processes in the middle of what they do, and start no more: nobody wants what comes of it."""
        self._is_halted = True
        for worker in tuple(self._started):
            worker.stop()

    def _start(self) -> _Worker:
        if self._is_halted:
            raise StageError("the work was ended before it was done; run it again")
        worker = _Worker(self._threads)
        self._started.append(worker)
        if self._is_halted:  # in the meantime
            worker.stop()
        return worker

    def close(self) -> None:
        """End all processes."""
        for _ in range(self.lanes):
            with contextlib.suppress(queue.Empty):
                worker = self._idle.get_nowait()
                if worker is not None:
                    worker.end()


class _Worker:
    """One process and the line to it; it ends when the line does."""

    def __init__(self, threads: int) -> None:
        ours, theirs = socket.socketpair()
        life, lifeline = os.pipe()
        environment = {**os.environ, DECODER_THREADS: str(threads), **dict.fromkeys(ONE_THREAD, "1")}
        with theirs:
            command = [sys.executable, "-m", "scrubin.curate.engine.worker", str(theirs.fileno()), str(life)]
            self._process = subprocess.Popen(command, env=environment, pass_fds=(theirs.fileno(), life), stdin=subprocess.DEVNULL)
        os.close(life)
        self._lifeline: int | None = lifeline
        self._line = Connection(ours.detach())

    def ask(self, piece: Piece) -> tuple[bool, Any]:
        self._line.send(piece)
        succeeded, outcome = self._line.recv()
        return succeeded, outcome

    def stop(self) -> None:
        """End the process at once; whoever waits for an answer sees the line end."""
        self._process.kill()

    def end(self) -> str:
        """End the process; return how it ended."""
        self._line.close()
        try:
            # Without work it ends by itself, and takes its folder in the store along.
            code = self._process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None
        return f"signal {-code}" if code < 0 else f"exit code {code}"


class Engine(Protocol):
    """Does pieces of work for as many threads as it has lanes; each waits for its own."""

    lanes: int

    def do(self, piece: Piece) -> Any:
        """Return what comes of a piece of work, or raise what it raises."""

    def shares(self) -> dict[str, float]:
        """Return by file that is being read how much of it has been, 0 to 1; empty where nobody knows."""

    def close(self) -> None:
        """End what was started."""


def engine(params: FlowsParams, root: Path) -> Engine:
    """Return the engine of a project at an absolute path.

    Raises
    ------
    StageError
        When a cluster is asked for that cannot be used.
    """
    if params.dask is not None:
        # Only now: importing it takes a second, and it is an extra of its own.
        from scrubin.curate.engine.cluster import Cluster

        return Cluster(params.dask, root)
    count = params.worker_count()
    return Processes(count) if count > 1 else Here()
