"""One local Prefect server for a run: started, used and stopped here, whatever happens.

Prefect's own ephemeral server takes three times as long to start and outlives a killed
stage. This one dies with the process that started it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

HOME = Path(".cache/prefect")
START_SECONDS = 300  # a first start on a busy machine took more than two minutes
STOP_SECONDS = 10
ANSWER_SECONDS = 5
ASK_SECONDS = 0.1
DOOR = "SCRUBIN_SERVER_DOOR"
"""Where a stage asks for the server of the run: a port of this machine."""
END = b"end\n"
"""What a stage hears there when the run was interrupted."""
PR_SET_PDEATHSIG = 1
QUIET = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "GX_ANALYTICS_ENABLED": "false",
    "DVC_NO_ANALYTICS": "1",
    # Flows say what went wrong in one sentence of their own; Prefect would add four tracebacks.
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
}


class ServerError(Exception):
    """The local Prefect server does not run."""


def die_with_parent() -> None:
    """Ask the kernel to end this process when its parent ends, however that happens."""
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended while we asked
            os._exit(1)


@contextlib.contextmanager
def prefect_server() -> Iterator[str]:
    """Yield the address of a running server: the one in ``PREFECT_API_URL``, the one of the run, or a new one."""
    running = os.environ.get("PREFECT_API_URL") or of_the_run()
    if running:
        os.environ["PREFECT_API_URL"] = running
        yield running
        return
    with _own_server() as url:
        yield url


@contextlib.contextmanager
def _own_server() -> Iterator[str]:
    os.environ.pop("PREFECT_API_URL", None)  # an empty value breaks Prefect
    HOME.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    process = subprocess.Popen(
        [Path(sys.executable).with_name("prefect"), "server", "start", "--no-ui", "--no-services", "--port", str(port)],
        env={**os.environ, **QUIET, "PREFECT_HOME": str(HOME.resolve())},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,  # Ctrl-C stops the stages first, then we stop the server
        preexec_fn=die_with_parent,  # noqa: PLW1509 - no thread of ours runs yet
    )
    url = f"http://127.0.0.1:{port}/api"
    try:
        _wait_until_up(process, url)
        os.environ["PREFECT_API_URL"] = url
        yield url
    finally:
        os.environ.pop("PREFECT_API_URL", None)
        _stop(process)


def run_with_server(command: Sequence[str | Path], beside: contextlib.AbstractContextManager[Any] | None = None) -> int:
    """Run a command and return its exit code; its stages share one server, which starts when the first of them asks.

    Parameters
    ----------
    beside
        What else is entered when the first stage asks, and left at the end.
    """
    if os.environ.get("PREFECT_API_URL"):
        return subprocess.run(command, check=False, preexec_fn=die_with_parent).returncode
    with contextlib.ExitStack() as opened, socket.create_server(("127.0.0.1", 0)) as door:
        door.settimeout(ASK_SECONDS)
        environment = {**os.environ, DOOR: str(door.getsockname()[1])}
        process = subprocess.Popen(command, env=environment, preexec_fn=die_with_parent)  # noqa: PLW1509 - no thread of ours runs
        url, is_late = "", False
        try:
            while process.poll() is None:
                with contextlib.suppress(TimeoutError):
                    stage, _ = door.accept()
                    with stage:
                        if beside is not None and not url and not is_late:
                            opened.enter_context(beside)
                        if not is_late and not _answers(url):
                            try:
                                url = opened.enter_context(_own_server())
                            except ServerError as error:
                                url, is_late = "", True
                                sys.stderr.write(f"{error}; the stages of this run start a server each\n")
                        stage.sendall(f"{url}\n".encode())
        except KeyboardInterrupt:
            _end_after_stage(process, door)
            raise
        finally:
            process.wait()
        return process.returncode


def _end_after_stage(dvc: subprocess.Popen[bytes], door: socket.socket) -> None:
    """End DVC after Ctrl-C: its stage has got it as well, but DVC itself would go on with stages that need nothing of that one."""
    while dvc.poll() is None:
        with contextlib.suppress(TimeoutError):
            stage, _ = door.accept()
            with stage:
                stage.sendall(END)
            dvc.terminate()


def of_the_run() -> str:
    """Ask `run_with_server` for the address, when it is what started us; empty when it is not, or cannot start one."""
    port = os.environ.get(DOOR, "")
    try:
        with socket.create_connection(("127.0.0.1", int(port)), timeout=START_SECONDS) as door, door.makefile("rb") as answer:
            line = answer.readline()
    except (OSError, ValueError):
        return ""
    if line == END:
        raise KeyboardInterrupt
    return line.decode().strip()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_up(process: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise ServerError(f"the local Prefect server ended with exit code {process.returncode}; delete {HOME} and run again")
        if _answers(url):
            return
        time.sleep(0.05)
    raise ServerError(f"the local Prefect server did not answer within {START_SECONDS} s; delete {HOME} and run again")


def _answers(url: str) -> bool:
    if not url:
        return False
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=ANSWER_SECONDS):
            return True
    except OSError:
        return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    for stop_signal in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, stop_signal)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_SECONDS)
            return
