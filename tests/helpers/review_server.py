"""`scrubin review` as a process of its own, on any free port."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import scrubin

COMMAND = [sys.executable, "-c", "from scrubin.cli import main; raise SystemExit(main())", "review", "--no-browser"]
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/enter#(\S+)")
START_S, END_S = 300, 60


@dataclass
class Server:
    """A running server."""

    process: subprocess.Popen[bytes]
    address: str
    port: int
    token: str
    printed: Path

    @property
    def output(self) -> str:
        return self.printed.read_text(encoding="utf-8")

    def interrupt(self) -> int:
        """Press Ctrl-C, and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(END_S)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(scrubin.__file__).parents[1])}


@contextmanager
def running(folder: Path, *options: str) -> Iterator[Server]:
    """Serve the study of a folder."""
    printed = folder / "printed.txt"
    with printed.open("wb") as out:
        process = subprocess.Popen([*COMMAND, *options], cwd=folder, stdout=out, stderr=subprocess.STDOUT, env=environment())
    try:
        yield Server(process, *_address(process, printed), printed)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(END_S)


def _address(process: subprocess.Popen[bytes], printed: Path) -> tuple[str, int, str]:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        found = ADDRESS.search(printed.read_text(encoding="utf-8"))
        if found:
            return found.group(), int(found[1]), found[2]
        assert process.poll() is None, printed.read_text(encoding="utf-8")
        time.sleep(0.05)
    raise AssertionError(printed.read_text(encoding="utf-8"))
