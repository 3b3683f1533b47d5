"""One process of a run that has Prefect loaded, from which each stage is forked: to load it takes two seconds, and a run has many stages.

A stage that DVC starts hands itself over: its arguments, environment and open streams. It waits, and ends as its fork ended.
Where there is no such process, as with a bare ``dvc repro``, a stage loads Prefect itself and does the same.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import random
import runpy
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import interrupts
import server
from scrubin.base import private_paths

VARIABLE = "SCRUBIN_WARM"
"""Names the socket of the process that has Prefect loaded."""
STREAMS = (0, 1, 2)
LENGTH_BYTES = 8


def hand_over() -> None:
    """Let the process that has Prefect loaded do this stage, and end as it ended; return where there is none."""
    path = os.environ.get(VARIABLE, "")
    if not path or not interrupts.is_ours():
        return
    request = json.dumps({"argv": sys.argv, "environment": dict(os.environ), "group": os.getpgrp()}).encode()
    with socket.socket(socket.AF_UNIX) as door:
        try:
            server.of_the_run()  # who starts the server starts that process as well
            door.connect(path)
            socket.send_fds(door, [len(request).to_bytes(LENGTH_BYTES)], STREAMS)
            door.sendall(request)
        except KeyboardInterrupt:
            os._exit(interrupts.INTERRUPTED)
        except OSError:
            return  # what has not got all of the request forks nothing
        # The fork is of this stage's group: it hears Ctrl-C, and says what comes of it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        said = b""
        with contextlib.suppress(OSError), door.makefile("rb") as answer:
            said = answer.readline()
    if not said:
        sys.exit(f"{Path(sys.argv[0]).stem}: the process that it ran in was ended; what was finished is kept, run again")
    code = int(said)
    if code < 0:
        with contextlib.suppress(OSError):  # what nobody can catch needs no default
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def started() -> contextlib.AbstractContextManager[None] | None:
    """Let the stages of this run look for the process; return what has it for as long as it lasts, None on a system without forks."""
    if sys.platform != "linux":  # elsewhere a fork of a process with frameworks loaded is not safe
        return None
    os.environ[VARIABLE] = str(server.HOME / f"warm-{os.getpid()}")
    return _process(Path(os.environ[VARIABLE]))


@contextlib.contextmanager
def _process(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, __file__, path],
        env={name: value for name, value in os.environ.items() if name != VARIABLE},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,  # Ctrl-C is for the stages
        preexec_fn=server.die_with_parent,  # noqa: PLW1509 - no thread of ours runs yet
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()
        path.unlink(missing_ok=True)


def main() -> None:
    """Load Prefect, then fork a stage whenever one asks, until the run ends."""
    private_paths.write_privately()
    private_paths.make_caches()
    with socket.socket(socket.AF_UNIX) as door:
        Path(sys.argv[1]).unlink(missing_ok=True)
        door.bind(sys.argv[1])
        door.listen()
        # Prefect, and what every table needs. No thread of Python's runs yet, and those of NumPy know of forks.
        import plumbing  # noqa: F401

        import pandas  # noqa: F401
        import pyarrow.parquet  # noqa: F401

        gc.freeze()  # what is loaded stays
        while not _is_fork(door):
            pass
    # Only a fork comes here: it goes on as the stage would. To take apart all that is loaded would be half a second for nothing.
    code = _run(sys.argv[0])
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def _run(program: str) -> int:
    """Run a program and return its exit code; what it says when it stops is written, as Python does."""
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        sys.stderr.write(f"{end.code}\n")
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _is_fork(door: socket.socket) -> bool:
    """Fork one stage, and tell it how its fork ended; return True in the fork, at once."""
    stage, _ = door.accept()
    with stage:
        try:
            head, streams, _, _ = socket.recv_fds(stage, LENGTH_BYTES, len(STREAMS))
            with stage.makefile("rb") as rest:
                asked = json.loads(rest.read(int.from_bytes(head)))
        except (OSError, ValueError):
            return False  # it was ended meanwhile
        fork = os.fork()
        if fork == 0:
            _become(stage.dup(), streams, asked)
            return True
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(fork, 0)
        with contextlib.suppress(OSError):
            stage.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    return False


def _become(stage: socket.socket, streams: list[int], asked: Mapping[str, Any]) -> None:
    """Take over group, streams, environment and arguments of the stage."""
    server.die_with_parent()
    with contextlib.suppress(OSError):  # it was ended meanwhile
        os.setpgid(0, asked["group"])
    for stream, number in zip(streams, STREAMS, strict=True):
        os.dup2(stream, number)
        os.close(stream)
    for out in (sys.stdout, sys.stderr):
        out.reconfigure(line_buffering=out is sys.stderr or out.isatty())
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = asked["argv"]
    random.seed()
    threading.Thread(target=_end_with, args=(stage,), daemon=True).start()


def _end_with(stage: socket.socket) -> None:
    """End when the stage that handed itself over has ended: DVC knows of that process alone."""
    with contextlib.suppress(OSError):
        stage.recv(1)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
