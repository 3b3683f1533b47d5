"""`scrubin review` as a process of its own, on any free port."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from server_process import ServerProcess

WORDS = ["review", "--no-browser"]
COMMAND = [sys.executable, "-c", "from scrubin.cli import main; raise SystemExit(main())", *WORDS]
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/enter#(\S+)")


@dataclass
class Server:
    """A running server."""

    process: ServerProcess
    address: str
    port: int
    token: str

    @property
    def output(self) -> str:
        return self.process.output

    def interrupt(self) -> int:
        """Press Ctrl-C, and return the exit code."""
        return self.process.interrupt()


@contextmanager
def running(folder: Path, *options: str) -> Iterator[Server]:
    """Serve the study of a folder."""
    process = ServerProcess(folder, *WORDS, *options)
    try:
        said = process.address(ADDRESS)
        yield Server(process, said.group(), int(said[1]), said[2])
    finally:
        process.end(signal.SIGTERM)
