"""A small study to put faults into: its undisturbed run, copies of it, programs that run in them, and how a trial is judged."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import process_cost
import scale_table
import yaml

sys.path.insert(0, str(scale_table.ROOT / "pipelines/flows"))

RECORDINGS, GROWN = 20, "4g"
STORE, CACHE, RELEASE, RAW, MANIFEST = ".cache/store", ".dvc/cache", "data/release", "data/raw", "manifest.json"
RESULTS = (
    "data/interim",
    "data/tables",
    "data/unreleased",
    RELEASE,
    "data/private/decisions.jsonl",
    "data/private/released.json",
    "data/private/linkage.parquet",
)
TIDY = ("data/private/obstacles.json", "data/private/development.json", "dvc.lock", ".dvc/tmp", CACHE)
FULL, READ_ONLY = r"No space left on device|disk is full|disk I/O error|this run may need about", r"[Rr]ead-only"
EARLY = "frames"  # the last stage that reads videos: what comes after it is left out where it plays no part
FAILED, INTERRUPTED, PATIENCE_S = 255, 130, 400
Trial = tuple[str, list[str]]


@dataclass(frozen=True)
class Run:
    """How one `make repro` ended."""

    code: int
    text: str
    wall_s: float


@dataclass(frozen=True)
class Bench:
    """The undisturbed project, the folder of the copies, and random numbers."""

    base: Path
    copies: Path
    rng: random.Random
    server: str

    @property
    def expected(self) -> dict[str, Any]:
        """What ``dvc.lock`` says of the outputs after an undisturbed run."""
        return outputs(self.base)

    def copy(self, name: str, *, cold: bool = False, warm: bool = False) -> Path:
        """Return a copy of the project: whole, without results but with the store (warm), or without both (cold)."""
        folder = self.copies / name
        remove(folder)
        subprocess.run(["cp", "-a", self.base, folder], check=True)
        if cold or warm:
            for one in (*RESULTS, *TIDY, *([STORE] if cold else [])):
                remove(folder / one)
            subprocess.run(["git", "clean", "-fdxq", "reports"], cwd=folder, check=True)
        return folder

    def stage(self, folder: Path, name: str, **variables: str) -> subprocess.Popen[str]:
        """Start one stage by itself; all share one Prefect server, whose start takes longer than many a stage."""
        return start(folder, f"{name}.py", PREFECT_API_URL=self.server, **variables)

    def stage_afterwards(self, folder: Path, *names: str) -> list[str]:
        """Run stages again without the fault, and compare the bytes of what they write."""
        wrong = []
        for name in names:
            again = finish(self.stage(folder, name), folder)
            if again.code:
                wrong.append(f"the next run of {name} ended with {again.code}: {last(again)}")
            outs = yaml.safe_load((self.base / "dvc.lock").read_text(encoding="utf-8"))["stages"][name]["outs"]
            wrong += [f"differs afterwards: {out['path']}" for out in outs if tree(folder / out["path"]) != tree(self.base / out["path"])]
        return wrong

    def afterwards(self, folder: Path, *targets: str) -> list[str]:
        """Run again without the fault, and compare: of some stages or of all."""
        again = repro(folder, *targets)
        wrong = [] if again.code == 0 else [f"the next run ended with {again.code}: {last(again)}"]
        return wrong + self.differences(folder, *targets)

    def differences(self, folder: Path, *targets: str) -> list[str]:
        """Return the outputs that differ from those of the undisturbed run, up to some stages or to the last one."""
        now, expected = outputs(folder), self.expected
        stages = targets or sorted({name.partition(":")[0] for name in expected})
        needed = [name for name in expected if name.partition(":")[0] in stages]
        return [f"differs afterwards: {name}" for name in sorted({*now, *needed}) if now.get(name) != expected.get(name)]


def prepare(folder: Path) -> Path:
    """Return the undisturbed project; it is made when it is not there."""
    base = folder / "base"
    if not (base / "dvc.lock").is_file():
        scale_table.prepare(base, RECORDINGS)
        undisturbed = repro(base)
        if undisturbed.code:
            sys.exit(f"the undisturbed run ended with {undisturbed.code}: {last(undisturbed)}")
    return base


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def tree(path: Path) -> dict[str, bytes]:
    """Return the bytes of a file, or of all files of a folder."""
    files = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
    return {one.relative_to(path).as_posix(): one.read_bytes() for one in files}


def log_of(folder: Path) -> Path:
    """Return where the last run of a project wrote."""
    return folder.parent / f"{folder.name}.log"


def start(folder: Path, program: str = "repro.py", *targets: str, **variables: str) -> subprocess.Popen[str]:
    """Start `make repro`, or the program of one stage, in a session of its own, where Ctrl-C has its usual effect."""
    return subprocess.Popen(
        [".venv/bin/python", f"pipelines/flows/{program}", *targets],
        cwd=folder,
        env={**process_cost.environment(folder), **variables},
        stdin=subprocess.DEVNULL,
        stdout=log_of(folder).open("w"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no thread of ours runs; a shell's background jobs ignore it
        text=True,
    )


def finish(process: subprocess.Popen[str], folder: Path) -> Run:
    """Wait for the end of a run."""
    began = time.monotonic()
    try:
        code = process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        code = -1
    return Run(code, log_of(folder).read_text(encoding="utf-8", errors="replace"), time.monotonic() - began)


def repro(folder: Path, *targets: str, **variables: str) -> Run:
    """Run `make repro` to its end."""
    return finish(start(folder, "repro.py", *targets, **variables), folder)


def last(run: Run) -> str:
    """Return what a run said that is not a stage's usual noise."""
    noise = re.compile(r"Running stage|^> exec|Updating lock|Generating lock|^$|didn't change|^WARNING: '.*' is empty|is cached")
    return " / ".join([line for line in run.text.splitlines() if not noise.search(line)][-6:])[:900]


def outputs(folder: Path) -> dict[str, Any]:
    """Return hash and size of every output, by stage and path."""
    try:
        stages = yaml.safe_load((folder / "dvc.lock").read_text(encoding="utf-8"))["stages"]
    except OSError:
        return {}
    return {f"{stage}: {out['path']}": out["md5"] for stage, what in stages.items() for out in what.get("outs", ())}


def set_aside(folder: Path) -> set[str]:
    """Return the recordings that any stage has quarantined."""
    tables = [pd.read_parquet(path) for path in sorted((folder / "data/interim").glob("quarantine_*.parquet"))]
    return {str(name) for table in tables for name in table["recording"]}


def complaints(folder: Path, run: Run, says: str, code: int = FAILED) -> list[str]:
    """Return what is wrong with how a disturbed run ended."""
    wrong = []
    if run.code != code:
        wrong.append(f"exit code {run.code}, not {code}")
    if "Traceback" in run.text:
        wrong.append("a traceback")
    if not re.search(says, run.text):
        wrong.append(f"does not say {says!r}")
    if aside := set_aside(folder):
        wrong.append(f"set aside: {sorted(aside)}")
    if wrong:
        wrong.append(f"said: {last(run)}")
    return wrong


@contextlib.contextmanager
def mounted(*options: str | Path, at: Path) -> Iterator[None]:
    """Mount something for as long as the block lasts; what lies on it stays behind below the place."""
    at.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", *options, at], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", at], check=True)


def used_kb(folder: Path) -> int:
    """Return the room that files take in pages of memory."""
    return sum(-(-path.stat().st_size // 4096) * 4 + 4 for path in folder.rglob("*") if path.is_file())
