"""`scrubin label` as a process of its own."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from review_server import END_S, START_S, environment

COMMAND = [sys.executable, "-c", "from scrubin.cli import main; raise SystemExit(main())", "label", "--port"]
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/enter")


def served(folder: Path, port: int = 0) -> tuple[subprocess.Popen[bytes], str, int]:
    """Start the server; return its process, its address and its port."""
    printed = folder / "printed.txt"
    with printed.open("wb") as out:
        process = subprocess.Popen([*COMMAND, str(port)], cwd=folder, stdout=out, stderr=subprocess.STDOUT, env=environment())
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        found = ADDRESS.search(printed.read_text(encoding="utf-8"))
        if found:
            return process, found.group(), int(found[1])
        assert process.poll() is None, printed.read_text(encoding="utf-8")
        time.sleep(0.05)
    raise AssertionError(printed.read_text(encoding="utf-8"))


def ended(process: subprocess.Popen[bytes]) -> None:
    """Press Ctrl-C, and wait."""
    process.send_signal(signal.SIGINT)
    process.wait(END_S)


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Serve the study of a folder; the address is given."""
    process, address, _ = served(folder)
    try:
        yield address
    finally:
        ended(process)
