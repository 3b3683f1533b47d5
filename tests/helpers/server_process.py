"""A command that serves a page as a process of its own, forked of one that has imported it: else that takes longer than most tests."""

from __future__ import annotations

import functools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import scrubin

START_S, END_S = 300, 60


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(scrubin.__file__).parents[1])}


@functools.cache
def _forking() -> subprocess.Popen[str]:
    command = [sys.executable, str(Path(__file__).with_name("forking.py"))]
    return subprocess.Popen(command, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _ask(*says: object) -> Any:
    process = _forking()
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{json.dumps(says)}\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


class ServerProcess:
    """A process that runs a command in a folder; what it prints is in a file there."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.printed = folder / "printed.txt"
        self.printed.unlink(missing_ok=True)
        self.code: int | None = None
        self.pid: int = _ask(0, str(folder.absolute()), words, str(self.printed.absolute()), environment())

    @property
    def output(self) -> str:
        return self.printed.read_text(encoding="utf-8") if self.printed.exists() else ""

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        if self.code is None:
            self.code = _ask(self.pid)
        return self.code

    def address(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """Wait until it says where it serves."""
        _until(lambda: pattern.search(self.output) or self.poll() is not None, START_S)
        said = pattern.search(self.output)
        assert said, self.output
        return said

    def end(self, how: int) -> int:
        """Send a signal if it still runs, wait until it has ended, and return the exit code."""
        if self.poll() is None:
            os.kill(self.pid, how)
        _until(lambda: self.poll() is not None, END_S)
        assert self.code is not None, f"{self.printed}: the server does not end"
        return self.code

    def kill(self) -> None:
        self.end(signal.SIGKILL)

    def interrupt(self) -> int:
        """Press Ctrl-C, and return the exit code."""
        return self.end(signal.SIGINT)


def _until(is_so: Callable[[], object], limit_s: float) -> None:
    until = time.monotonic() + limit_s
    while not is_so() and time.monotonic() < until:
        time.sleep(0.02)
