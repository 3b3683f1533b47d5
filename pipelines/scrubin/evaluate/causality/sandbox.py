"""Programs that are not trusted: no network, nothing to write to but one folder, limits, nothing left for the next run.

The kernel's own means are used, in this order: user namespaces, namespaces of root, bubblewrap (``bwrap``). None is believed: a
probe inside tries what a cheat would try, and only what it could not do is claimed.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from scrubin.base import posix
from scrubin.base.errors import MetricsError
from scrubin.base.faults import error

Means = Literal["user namespaces", "namespaces of root", "bubblewrap", "none"]
MEANS: tuple[Means, ...] = get_args(Means)
INSIDE = Path(__file__).with_name("inside.py")
PROBE = Path(__file__).with_name("probe.py")
TEMPORARY = ("/tmp", "/var/tmp")
KEPT_LOG = 4000
PROBE_S = 60.0
CLAIMS: Mapping[str, str] = {
    "no_network": "no network",
    "input_read_only": "the input cannot be written to",
    "others_hidden": "other runs and the originals are out of sight",
    "mounts_fixed": "what is mounted cannot be undone",
    "nothing_stays": "nothing that a run writes or starts is there in the next one",
}
"""What is claimed, by the name of its probe."""


@dataclass(frozen=True)
class Limits:
    """What a run may use.

    Parameters
    ----------
    wall_s
        Seconds by the clock of a wall.
    cpu_s
        Seconds of computing, per process.
    memory_bytes
        Address space, per process.
    file_bytes
        The largest file that it may write.
    """

    wall_s: float = 600.0
    cpu_s: int = 3600
    memory_bytes: int = 32 << 30
    file_bytes: int = 1 << 30

    def resources(self) -> dict[str, int]:
        """Return the limits of setrlimit(2) by their names."""
        return {"RLIMIT_CPU": self.cpu_s, "RLIMIT_AS": self.memory_bytes, "RLIMIT_FSIZE": self.file_bytes, "RLIMIT_CORE": 0}


@dataclass(frozen=True)
class Ending:
    """How a run ended; ``trouble`` is empty when the program ended by itself with exit code 0."""

    trouble: str
    log: str = ""


@dataclass(frozen=True)
class Sandbox:
    """Where and how programs run.

    Parameters
    ----------
    means
        What isolates; ``none``: nothing but limits.
    root
        Folder of ours: ``store`` has the runs, ``box`` is where a program sees its own.
    hidden
        Files and folders that no program may see.
    limits
        See `Limits`.
    scratch
        Folders that a program may write to, where the kernel can make that vanish after the run.
    """

    means: Means
    root: Path
    hidden: tuple[Path, ...]
    limits: Limits
    scratch: tuple[Path, ...] = ()

    @property
    def store(self) -> Path:
        """Folder with a folder per run, each with ``input`` and ``output``."""
        return self.root / "store"

    def seen(self, run: Path) -> Path:
        """Return where the program of a run sees its folder."""
        return run if self.means == "none" else self.root / "box"

    def run(self, run: Path, command: Sequence[str]) -> Ending:
        """Run a program to its end.

        Parameters
        ----------
        run
            Folder of the run, below ``store``.
        command
            With paths as the program sees them.

        Raises
        ------
        MetricsError
            When the sandbox cannot be made.
        """
        log = run / "log"
        run.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as written, self.started(run, command, stdin=subprocess.DEVNULL, stdout=written, stderr=written) as started:
            trouble = started.wait()
        return Ending(trouble, tail(log, self.seen(run)))

    @contextmanager
    def started(self, run: Path, command: Sequence[str], *, stdin: Any, stdout: Any, stderr: Any) -> Iterator[Started]:
        """Start a program; it is killed with everything that it started when the block ends."""
        reading, writing = os.pipe()
        spec = self._spec(run, command, writing)
        inner = [sys.executable, "-I", "-S", str(INSIDE), json.dumps(spec)]
        outer = [*self._bubblewrap(run), *inner] if self.means == "bubblewrap" else inner
        process = subprocess.Popen(
            outer,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=environment(self.seen(run)),
            pass_fds=(writing,),
            start_new_session=True,
        )
        os.close(writing)
        started = Started(process, reading, self.limits)
        try:
            yield started
        finally:
            started.kill()
            os.close(reading)

    def _spec(self, run: Path, command: Sequence[str], report: int) -> dict[str, Any]:
        for name in ("input", "output", "home", "tmp"):
            (run / name).mkdir(parents=True, exist_ok=True)
        return {
            "means": self.means,
            "box": str(self.root / "box"),
            "run": str(run),
            "hidden": [str(path) for path in (self.store, *self.hidden)],
            "overlays": [str(path) for path in self.scratch],
            "memory_bytes": self.limits.memory_bytes,
            "limits": self.limits.resources(),
            "cwd": str(Path.cwd()),
            "command": list(command),
            "report_fd": report,
        }

    def _bubblewrap(self, run: Path) -> list[str]:
        box = self.root / "box"
        words = [
            "bwrap",
            "--unshare-all",
            "--die-with-parent",
            "--cap-drop",
            "ALL",
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
        ]
        words += ["--tmpfs", str(box), "--dir", str(box / "home"), "--dir", str(box / "tmp")]
        words += ["--ro-bind", str(run / "input"), str(box / "input"), "--bind", str(run / "output"), str(box / "output")]
        for hidden in (self.store, *self.hidden):
            words += ["--tmpfs", str(hidden)] if hidden.is_dir() else ["--ro-bind", "/dev/null", str(hidden)]
        return [*words, "--"]


class Started:
    """A running program.

    Parameters
    ----------
    process
        The first program of the sandbox.
    report
        Where it says how the submission's program ended.
    limits
        Of the run.
    """

    def __init__(self, process: subprocess.Popen[bytes], report: int, limits: Limits) -> None:
        self.process, self.report, self.limits = process, report, limits

    def wait(self) -> str:
        """Wait for the end and return what was wrong, "" for nothing."""
        try:
            self.process.wait(self.limits.wall_s)
        except subprocess.TimeoutExpired:
            self.kill()
            return f"did not end within {self.limits.wall_s:g} s and was stopped"
        return self._trouble()

    def kill(self) -> None:
        """Stop the program and everything that it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def _trouble(self) -> str:
        said = os.read(self.report, 1 << 16)
        if not said:
            return f"was stopped from outside (exit code {self.process.returncode})"
        told = json.loads(said)
        if "refused" in told:
            raise MetricsError([error("", "sandbox", f"the sandbox cannot be made: {told['refused']}", "run it with --without-isolation")])
        code = int(told["ended"])
        if code == 0:
            return ""
        if code > 0:
            return f"ended with exit code {code}"
        why = {signal.SIGXCPU: f", more than {self.limits.cpu_s} s of computing", signal.SIGXFSZ: ", a file that is too large"}
        return f"was stopped by {signal.Signals(-code).name}{why.get(signal.Signals(-code), '')}"


def environment(seen: Path) -> dict[str, str]:
    """Return the environment of a run: that of the command, but a home and a temporary folder of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    own = {"HOME": str(seen / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
    return {**kept, **own, **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(seen / "tmp"))}


def isolated(
    root: Path, hidden: Sequence[Path], limits: Limits, command: Sequence[str], *, without: bool
) -> tuple[Sandbox, dict[str, Any]]:
    """Return a sandbox by the first means that keeps what it promises, and what was tried.

    Parameters
    ----------
    root
        Folder of ours, empty.
    hidden
        What no program may see.
    limits, command
        Of the program.
    without
        Whether to run without isolation where no means works.

    Raises
    ------
    MetricsError
        When this is not Linux, no means works and that is not allowed, or what must be seen is hidden.
    """
    if not posix.is_linux():
        what = "programs are isolated, stopped and limited by what the kernel of Linux alone has"
        raise MetricsError([error("", "sandbox", what, posix.ELSEWHERE)])
    hidden = tuple(path.resolve() for path in hidden)
    named = _named(command)
    for path in named:
        if inside := next((one for one in hidden if path.is_relative_to(one)), None):
            what = f"it lies in {inside}, which no program may see: it has the videos as they are"
            raise MetricsError([error(str(path), "sandbox", what, "move the program, or start from another folder")])
    for name in ("store", "box"):
        (root / name).mkdir(parents=True, exist_ok=True)
    scratch = _topmost([*(Path(one) for one in TEMPORARY), *(path if path.is_dir() else path.parent for path in named)])
    tried: list[dict[str, Any]] = []
    for means in MEANS[:-1]:
        if (means == "bubblewrap" and not shutil.which("bwrap")) or (means == "namespaces of root" and os.geteuid()):
            continue
        sandbox = Sandbox(means, root, hidden, limits, scratch)
        outcome = probed(replace(sandbox, limits=Limits(wall_s=PROBE_S)))
        tried.append({"means": means, **outcome})
        if all(outcome.get(claim) is True for claim in CLAIMS):
            return sandbox, {"means": means, "claims": dict(CLAIMS), "tried": tried}
    if not without:
        what = f"nothing here isolates a program from the machine (tried: {_told(tried) or 'nothing is there to try'})"
        fix = "allow user namespaces, install bubblewrap, or use --without-isolation: then nothing is called causal"
        raise MetricsError([error("", "sandbox", what, fix)])
    return Sandbox("none", root, hidden, limits), {"means": "none", "claims": {}, "tried": tried}


def probed(sandbox: Sandbox) -> dict[str, Any]:
    """Return by claim whether a probe inside could not break it; ``refused`` says why the sandbox cannot be made."""
    outcomes: list[dict[str, Any]] = []
    mark = sandbox.root / "store/other/mark"
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.write_text("other run", encoding="ascii")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        for number in range(2):
            run = sandbox.store / f"probe{number}"
            shutil.rmtree(run, ignore_errors=True)
            (run / "input").mkdir(parents=True)
            (run / "input/frame").write_text("as it is", encoding="ascii")
            box = sandbox.seen(run)
            asked = {"port": listener.getsockname()[1], "box": str(box), "hidden": [str(mark), *map(str, sandbox.hidden)]}
            asked["folders"] = [str(path) for path in sandbox.scratch]
            command = [sys.executable, "-I", "-S", str(PROBE), json.dumps(asked)]
            try:
                ending = sandbox.run(run, command)
            except MetricsError as refused:
                return {"refused": refused.faults[0].what.replace(str(sandbox.root), "{root}")}
            answer = run / "output/answer.json"
            if ending.trouble or not answer.is_file():
                return {"refused": f"a probe {ending.trouble or 'gave no answer'}: {ending.log.strip()[-200:]}"}
            outcomes.append(json.loads(answer.read_text(encoding="utf-8")))
            outcomes[-1]["input_read_only"] &= (run / "input/frame").read_text(encoding="ascii") == "as it is"
    shutil.rmtree(mark.parent)
    both = {claim: all(outcome[claim] for outcome in outcomes) for claim in CLAIMS if claim != "nothing_stays"}
    return {**both, "nothing_stays": bool(outcomes[1]["nothing_stays"])}


def _named(command: Sequence[str]) -> list[Path]:
    """Return the files and folders that a command names, and where it is started."""
    words = [Path(word) for word in (shutil.which(command[0]) or command[0], *command) if "{" not in word]
    there = [word.absolute() for word in words if word.name and word.exists()]
    return [Path.cwd(), *there, *(path.resolve() for path in there)]


def _topmost(folders: Sequence[Path]) -> tuple[Path, ...]:
    """Return the folders that lie in no other one; the root is none."""
    there = sorted({folder.resolve() for folder in folders if folder.is_dir()} - {Path("/")})
    return tuple(one for one in there if not any(one != other and one.is_relative_to(other) for other in there))


def _told(tried: Sequence[Mapping[str, Any]]) -> str:
    def of(one: Mapping[str, Any]) -> str:
        broken = [does for claim, does in CLAIMS.items() if one.get(claim) is False]
        return f"{one['means']}: {one.get('refused') or 'not kept: ' + ', '.join(broken)}"

    return "; ".join(map(of, tried))


def tail(log: Path, seen: Path) -> str:
    """Return the end of what a program said, without the names of our folders."""
    with log.open("rb") as file:
        file.seek(max(log.stat().st_size - KEPT_LOG, 0))
        return file.read().decode("utf-8", "replace").replace(str(seen), "{run}")
