"""A command over one file, watched while it runs: what it says, takes, writes and leaks."""

from __future__ import annotations

import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hostile.commands import CANARY, CANARY_BGR, LOAD, Slot
from hostile.kinds import KINDS, SOUND, Place
from hostile.material import first_videos

MEMORY_BYTES = 8 << 30


class Listener:
    """Somebody whom no file may let us call."""

    def __init__(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]

    def close(self) -> bool:
        """Return whether somebody called."""
        self.server.settimeout(0.01)
        try:
            self.server.accept()[0].close()
        except TimeoutError:
            return False
        else:
            return True
        finally:
            self.server.close()


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Return what lies in a folder, with size and time of change."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            path = Path(root, name)
            state = path.lstat()
            folder_here = name in folders
            found[str(path.relative_to(folder))] = (0, 0) if folder_here else (state.st_size, state.st_mtime_ns)
    return found


def limit(pid: int) -> None:
    """Let a process have no more memory than this, no gigantic files and no core files."""
    for what, most in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_FSIZE, 2 << 30), (resource.RLIMIT_CORE, 0)):
        resource.prlimit(pid, what, (most, most))


class Watch:
    """Looks at a process while it runs: its peak memory, and whether it gets anywhere.

    It hangs when it has used so many seconds of processor, or when so many have gone by and it has used none for ten of them: on a
    busy machine a slow process is none that hangs.
    """

    def __init__(self, pid: int, limit_s: float) -> None:
        self.pid, self.limit_s, self.began = pid, limit_s, time.monotonic()
        self.most_mb, self.cpu_s, self.moved, self.hung = 0, 0.0, self.began, False

    def hangs(self) -> bool:
        """Return whether it hangs now."""
        try:
            status = Path(f"/proc/{self.pid}/status").read_text()
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return False
        # Not that of getrusage: there our own memory counts, too, because the process began as a copy of us.
        if found := re.search(r"VmHWM:\s+(\d+)", status):
            self.most_mb = max(self.most_mb, int(found.group(1)) >> 10)
        cpu_s, now = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK"), time.monotonic()
        if cpu_s > self.cpu_s:
            self.cpu_s, self.moved = cpu_s, now
        idle = now - self.began > self.limit_s and now - self.moved > min(10, self.limit_s)
        self.hung = idle or cpu_s > self.limit_s or now - self.began > 10 * self.limit_s
        return self.hung


@dataclass(frozen=True)
class Case:
    """A copy of the sound files of a command, of which one is about to be replaced."""

    folder: Path
    path: Path
    sound: bytes

    @property
    def work(self) -> Path:
        """Where the sound files lie."""
        return self.folder / "work"

    @property
    def outside(self) -> Path:
        """What nothing names but a hostile file."""
        return self.folder / "outside"


def case_of(slot: Slot, base: Path, folder: Path) -> Case:
    """Copy what a command needs; the file that will be replaced is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "work/out").mkdir(parents=True)
    (folder / "home").mkdir()
    for name in slot.base:
        shutil.copytree(base / name, folder / "work" / name, symlinks=True)
    shutil.copytree(base / "outside", folder / "outside")
    videos = first_videos(base)
    path = folder / "work" / slot.path.replace("@VIDEO@", str(videos[0].relative_to(base / "deid/raw")) if videos else "x.mp4")
    sound = path.read_bytes()
    path.unlink()
    return Case(folder, path, sound)


def watched(command: list[str], case: Case, inside: str, limit_s: float) -> tuple[int, Watch, float]:
    """Run a command in a case until it ends or hangs; return its exit code, who watched, and the seconds of processor."""
    home = str(case.folder / "home")
    environment = os.environ | {"HOME": home, "XDG_CACHE_HOME": f"{home}/cache", "TMPDIR": home, "COLUMNS": "120"}
    with (case.folder / "stdout").open("wb") as out, (case.folder / "stderr").open("wb") as err:
        child = subprocess.Popen(
            command,
            cwd=case.work / inside,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=environment,
            start_new_session=True,
        )
        limit(child.pid)
        watch = Watch(child.pid, limit_s)
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if watch.hangs():
                os.killpg(child.pid, signal.SIGKILL)
                _, status, usage = os.wait4(child.pid, 0)
                break
            time.sleep(0.01)
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, watch, usage.ru_utime + usage.ru_stime


def attempt(folder: Path, slot: Slot, kind: str, number: int, name: str, *, seed: int, limit_s: float, keep: bool) -> dict[str, Any]:
    """Make a case, run the command over it, and return what happened."""
    listener = Listener()
    case = case_of(slot, folder / "base", folder / "cases" / name)
    rng = random.Random(f"{seed} {kind} {number} {slot.family}")
    place = Place(case.path, slot.family, case.sound, case.outside, folder / "base/plain", listener.port, rng, case.work)
    made = case.sound if kind == SOUND else KINDS[kind][1](place)
    if made is not None:
        case.path.write_bytes(made)
    before = {"work": snapshot(case.work), "outside": snapshot(case.outside)}
    if slot.command[0] == "LOAD":
        command = [sys.executable, "-c", LOAD, *slot.command[1:]]
    else:
        command = [str(Path(sys.executable).parent / "scrubin"), *slot.command]
    began = time.monotonic()
    code, watch, cpu_s = watched(command, case, slot.inside, limit_s)
    result = {
        "kind": kind,
        "number": number,
        "command": slot.name,
        "file": slot.path,
        "seed": seed,
        "named": slot.path in slot.command or Path(slot.path).name in slot.command,
        "code": code,
        "wall_s": round(time.monotonic() - began, 2),
        "cpu_s": round(cpu_s, 2),
        "mb": watch.most_mb,
        "hung": watch.hung,
        **looked_at(case.folder, case.work, case.outside, before),
        "called": listener.close(),
    }
    if not keep:
        shutil.rmtree(case.folder, ignore_errors=True)
    return result


def looked_at(case: Path, work: Path, outside: Path, before: dict[str, dict[str, tuple[int, int]]]) -> dict[str, Any]:
    """Return what a run said, leaked and wrote."""
    err, out = ((case / name).read_bytes()[: 5 << 20].decode("utf-8", "replace") for name in ("stderr", "stdout"))
    lines = err.splitlines()
    first = next((line for line in reversed(lines) if line.strip()), "")
    mark, leaked = CANARY.encode(), []
    if CANARY in err or CANARY in out:
        leaked.append("said")
    pixels = [tuple(map(int, line.split()[1:4])) for line in out.splitlines() if line.startswith("PIXEL ")]
    if any(all(abs(a - b) <= 4 for a, b in zip(one, CANARY_BGR, strict=True)) for one in pixels):
        leaked.append("shown")
    secrets = {path.read_bytes() for path in outside.iterdir() if path.is_file() and path.stat().st_size < 1 << 20}
    for path in [*(work / "out").rglob("*"), *(case / "home").rglob("*")]:
        if path.is_file() and not path.is_symlink() and path.stat().st_size < 64 << 20:
            data = path.read_bytes()
            if mark in data or any(one in data for one in secrets if len(one) > 200):
                leaked.append(str(path.relative_to(case)))
    after = {"work": snapshot(work), "outside": snapshot(outside)}
    allowed = re.compile(r"^(out|(project|reviewed)/(data|reports|\.cache|\.dvc))(/|$)|__pycache__")
    wrote = [f"work/{name}" for name, state in after["work"].items() if before["work"].get(name) != state and not allowed.match(name)]
    wrote += [f"outside/{name}" for name, state in after["outside"].items() if before["outside"].get(name) != state]
    wrote += ["/tmp/pwned_by_archive"] if Path("/tmp/pwned_by_archive").exists() else []
    return {
        "traceback": "Traceback (most recent call last)" in err + out,
        "lines": len(lines),
        "longest": max(map(len, lines), default=0),
        "last": first[:300],
        "leaked": leaked,
        "wrote": wrote[:5],
    }
