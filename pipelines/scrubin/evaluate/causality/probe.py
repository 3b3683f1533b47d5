"""What a cheat would try inside a sandbox; it writes what it could not do to ``output/answer.json``.

It is run as a script by ``sandbox.py``, twice: the second time it looks for what the first one left.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import socket
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

MARK = ".scrubin-probe"
NOWHERE = ("192.0.2.1", 9)
"""An address that is kept for examples (RFC 5737)."""
UNMOUNT_LAZILY = 2
REMOUNT, BIND = 32, 4096
NEW_USER, NEW_MOUNTS = 0x10000000, 0x20000


def refused(attempt: Callable[[], object]) -> bool:
    """Return whether an attempt was refused by the system."""
    try:
        attempt()
    except OSError:
        return True
    return False


def main() -> None:
    """Try, and say what was not possible."""
    asked = json.loads(sys.argv[1])
    box = Path(asked["box"])
    folders = [Path(folder) for folder in (*asked["folders"], "/dev/shm", Path.home(), os.environ["TMPDIR"])]
    answer = {
        "nothing_stays": not any((folder / MARK).exists() for folder in folders) and not _left_over(),
        "no_network": all(refused(partial(_connect, address)) for address in (("127.0.0.1", asked["port"]), NOWHERE)),
        "input_read_only": all(map(refused, _writes(box / "input"))),
        "mounts_fixed": _mounts_fixed([box / "input", *map(Path, asked["hidden"])]),
        "others_hidden": not any(_readable(Path(path)) for path in asked["hidden"]),
    }
    for folder in folders:
        with contextlib.suppress(OSError):
            (folder / MARK).write_text("left", encoding="ascii")
    (box / "output/answer.json").write_text(json.dumps(answer), encoding="ascii")
    if os.fork() == 0:
        os.setsid()
        os.execv(sys.executable, [MARK, "-I", "-S", "-c", "import time; time.sleep(20)", MARK])


def _connect(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=2):
        pass


def _writes(folder: Path) -> list[Callable[[], object]]:
    return [
        lambda: (folder / "frame").write_text("changed", encoding="ascii"),
        lambda: (folder / "more").write_text("more", encoding="ascii"),
        (folder / "frame").unlink,
        lambda: (folder / "frame").chmod(0o777),
        lambda: os.utime(folder / "frame", (0, 0)),
    ]


def _mounts_fixed(points: list[Path]) -> bool:
    """Return whether nothing that is mounted can be taken away or made writable, also from namespaces of its own."""
    libc = ctypes.CDLL(None)

    def undone() -> bool:
        return any(
            libc.umount2(os.fsencode(point), UNMOUNT_LAZILY) == 0 or libc.mount(None, os.fsencode(point), None, REMOUNT | BIND, None) == 0
            for point in points
        )

    if undone():
        return False
    child = os.fork()
    if child == 0:
        libc.unshare(NEW_USER | NEW_MOUNTS)
        os._exit(int(undone()))
    return os.waitpid(child, 0)[1] == 0


def _readable(path: Path) -> bool:
    """Return whether something of a hidden file or folder can be seen."""
    try:
        return any(path.iterdir()) if path.is_dir() else path.stat().st_size > 0
    except OSError:
        return False


def _left_over() -> bool:
    """Return whether a process of an earlier run is alive."""
    own = str(os.getpid())
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if process.parent.name != own and process.read_bytes().split(b"\0")[0] == MARK.encode():
                return True
    return False


if __name__ == "__main__":
    main()
