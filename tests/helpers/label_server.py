"""`scrubin label` as a process of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from server_process import ServerProcess

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/enter")


def served(folder: Path, port: int = 0) -> tuple[ServerProcess, str, int]:
    """Start the server; return its process, its address and its port."""
    process = ServerProcess(folder, "label", "--port", str(port))
    said = process.address(ADDRESS)
    return process, said.group(), int(said[1])


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Serve the study of a folder; the address is given."""
    process, address, _ = served(folder)
    try:
        yield address
    finally:
        process.interrupt()
