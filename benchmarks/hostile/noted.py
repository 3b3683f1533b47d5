"""A command of any edition over one file: how it ended, what it printed, and every fault that it put into words.

The library is loaded once, by a process that forks for each command: to load it takes longer than most commands.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pkgutil
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hostile.commands import LOAD, Slot
from hostile.watched import MEMORY_BYTES, Case

LOADS = ("great_expectations", "cv2", "av", "scipy.optimize", "scipy.stats", "jinja2", "yaml")
"""What takes long to load; of the library everything is loaded."""
SERVERS = threading.local()


def noted(case: Case, slot: Slot, limit_s: float) -> dict[str, Any]:
    """Run a command in a case, and return exit code, faults and lines."""
    if not hasattr(SERVERS, "one"):
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "COLUMNS": "120"}
        SERVERS.one = subprocess.Popen(
            [sys.executable, "-m", "hostile.noted"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
    asked = {"folder": str(case.folder), "cwd": str(case.work / slot.inside), "command": list(slot.command), "limit_s": limit_s}
    SERVERS.one.stdin.write(json.dumps(asked) + "\n")
    SERVERS.one.stdin.flush()
    code = int(SERVERS.one.stdout.readline())
    out, err = ((case.folder / stream).read_text(encoding="utf-8", errors="replace") for stream in ("stdout", "stderr"))
    faults = case.folder / "faults.json"
    return {
        "code": code,
        "hung": -code in (signal.SIGXCPU, signal.SIGALRM),
        "traceback": "Traceback (most recent call last)" in out + err,
        "faults": sorted(json.loads(faults.read_text(encoding="utf-8"))) if faults.exists() else [],
        "text": [line[:400].replace(str(case.folder), "") for line in (err or out).splitlines()[:30]],
    }


def module(name: str) -> Any:
    """Return a module that stood elsewhere in an earlier edition."""
    for place in ("base", "core"):
        try:
            return importlib.import_module(f"scrubin.{place}.{name}")
        except ModuleNotFoundError:
            continue
    sys.exit(f"scrubin has no module {name}")


def run(asked: dict[str, Any]) -> int:
    """Run a command in this process, and write down each fault of which a line or JSON is made."""
    fault_of, said = module("faults").Fault, {}

    def noting(make: Callable[..., Any]) -> Callable[..., Any]:
        def noted_and_made(self: Any, *args: Any, **options: Any) -> Any:
            said[self.rule, self.file, self.place, self.fix, self.severity] = self.what
            return make(self, *args, **options)

        return noted_and_made

    fault_of.line, fault_of.as_json = noting(fault_of.line), noting(fault_of.as_json)
    try:
        if asked["command"][0] == "LOAD":
            sys.argv = ["-c", *asked["command"][1:]]
            exec(LOAD, {"__name__": "__main__"})
            return 0
        from scrubin import cli

        return int(cli.main(asked["command"]) or 0)
    finally:
        Path(asked["folder"], "faults.json").write_text(json.dumps([[*key, what] for key, what in said.items()]), encoding="utf-8")


def child(asked: dict[str, Any]) -> None:
    """Be the process of one command: its folder, its streams, its limits."""
    home = f"{asked['folder']}/home"
    os.setsid()
    os.environ |= {"HOME": home, "XDG_CACHE_HOME": f"{home}/cache", "TMPDIR": home}
    tempfile.tempdir = None
    os.chdir(asked["cwd"])
    for number, stream in ((0, "/dev/null"), (1, f"{asked['folder']}/stdout"), (2, f"{asked['folder']}/stderr")):
        os.dup2(os.open(stream, os.O_RDWR | (os.O_CREAT if number else 0)), number)
    seconds = int(asked["limit_s"])
    for what, most in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_FSIZE, 2 << 30), (resource.RLIMIT_CPU, seconds)):
        resource.setrlimit(what, (most, most))
    signal.alarm(10 * seconds)
    code = 1
    try:
        code = run(asked)
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def serve() -> None:
    """Fork for each line that asks for a command, and answer with its exit code."""
    import scrubin

    for name in (*LOADS, *(one.name for one in pkgutil.walk_packages(scrubin.__path__, "scrubin."))):
        # A script of a sandbox runs where it is imported; a module may need what is not installed.
        if not name.endswith(("__main__", "inside", "probe", "worker")):
            with contextlib.suppress(Exception):
                importlib.import_module(name)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            child(json.loads(line))
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
