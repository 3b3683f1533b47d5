"""The same pipeline on a Dask scheduler with separate worker processes, while workers and the scheduler are killed.

    .venv/bin/python benchmarks/cluster_kills.py --folder FOLDER [--workers 2] [--worker-kills 20] [--scheduler-kills 5]
        [--strangers 2] [--memory 1GB] [--participants 14 | --recordings 40 | --project FINISHED [--stages render frames]]

The folder gets a clone of this checkout. First the study is made with the processes of this machine, then without outputs, store
and cache on the cluster; the hashes must be the same, and so must the names of all files: what one has more is left over, what it has
less is lost. A run that ends because the scheduler is gone is started again. Strangers are workers with another version of the library:
they join while a stage is at work, and leave some seconds later. If the next stage begins before that, it is refused.

With ``--project``, only the work that stages do for recordings of a finished project is done, without DVC and Prefect, into two stores
in the folder: one of this process and one of the cluster. A worker is killed whenever one more recording is done, and what the stores hold
is compared to the byte. Nothing in the project is changed.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import scale_table
from kill_and_resume import MADE, ROOT, clear, hashes, prepare, stage_of
from workers import stages

from scrubin.base.files import sha256_of
from scrubin.base.store import store
from scrubin.curate.engine import Piece
from scrubin.curate.engine.cluster import Cluster

KEY = Path("data/private/pseudonym.key")
BEAT, USES = "beat", ".uses"
"""Of the store: signs of life, and which result was used by which run."""
SAID = ("gets no work", "the cluster cannot be used as it is", "is gone; start it again", "no scheduler answers", "killed again and again")
"""What a run says of workers and schedulers, by what it is counted."""


class Machines:
    """A scheduler and a number of workers; either is started again when it is gone."""

    def __init__(self, folder: Path, workers: int, memory: str) -> None:
        self.elsewhere, self.file = folder.parent / "elsewhere", folder.parent / "scheduler.json"
        self.elsewhere.mkdir(exist_ok=True)
        self.options = ["--nworkers", str(workers), "--nthreads", "1", "--memory-limit", memory, "--local-directory", str(self.elsewhere)]
        self.code, self.other = folder / "pipelines", folder.parent / "other_version"
        self.scheduler = self.workers = None
        self.start()

    def start(self) -> None:
        """Start a scheduler, then its workers."""
        self.file.unlink(missing_ok=True)
        at = ["--no-dashboard", "--scheduler-file", str(self.file)]
        self.scheduler = self._run("scheduler", "--port", "0", *at)
        while not (self.file.exists() and self.file.stat().st_size):
            time.sleep(0.1)
        self.workers = self._run("worker", *at, *self.options)

    def visit(self, seconds: float) -> None:
        """Let a worker of another version join, and leave after so long."""
        if not self.other.exists():
            shutil.copytree(self.code, self.other)
            with (self.other / "scrubin/__init__.py").open("a", encoding="utf-8") as file:
                file.write("# changed\n")
        options = ["--no-nanny", "--nthreads", "4", "--local-directory", str(self.elsewhere), "--no-dashboard"]
        stranger = self._run("worker", "--scheduler-file", str(self.file), *options, library=self.other)
        time.sleep(seconds)
        stranger.kill()
        stranger.wait()

    def _run(self, *arguments: str, library: Path | None = None) -> subprocess.Popen[bytes]:
        path = {"PYTHONPATH": str(library)} if library else {}
        return subprocess.Popen(
            [Path(sys.executable).with_name("dask"), *arguments],
            cwd=self.elsewhere,
            env={**os.environ, **path},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kept_workers(self) -> list[int]:
        """Return the processes that work; their keeper starts another one for each that dies."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == self.workers.pid and b"spawn_main" in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
        return sorted(found)

    def stop(self) -> None:
        """End everything."""
        kept = self.kept_workers()
        for process in (self.workers, self.scheduler):
            process.kill()
            process.wait()
        for pid in kept:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def files(folder: Path) -> set[str]:
    """Return every file that a run has made, but for DVC's own, and for what the store writes under names that are drawn."""
    made = (folder / name for name in (*MADE, "reports") if not name.startswith(".dvc"))
    kept = (path for one in made for path in one.rglob("*") if path.is_file() and path.name != BEAT and USES not in path.parts)
    return {str(path.relative_to(folder)) for path in kept}


def run(folder: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start a run that writes what it says to the end of a file."""
    with log.open("ab") as out:
        command = [".venv/bin/python", "pipelines/flows/repro.py"]
        return subprocess.Popen(command, cwd=folder, stdout=out, stderr=out, stdin=subprocess.DEVNULL)


def on_cluster(folder: Path, machines: Machines, args: argparse.Namespace, rng: random.Random) -> tuple[Counter[str], int]:
    """Run to the end; return what was killed, or came to visit, and how often the run was started again."""
    happened, restarts, stop = Counter(worker=0, scheduler=0, stranger=0), 0, threading.Event()
    mapped = ("ingest", "screen", "render", "frames")

    def kill() -> None:
        while not stop.wait(rng.uniform(1, 5)):
            if not any(stage in stage_of(folder) for stage in mapped):
                continue
            chance = rng.random()
            if happened["scheduler"] < args.scheduler_kills and chance < 0.15:
                machines.scheduler.kill()
                happened["scheduler"] += 1
                stop.wait(60)
            elif happened["stranger"] < args.strangers and chance < 0.4:
                happened["stranger"] += 1
                machines.visit(10)
            elif happened["worker"] < args.worker_kills:
                for pid in machines.kept_workers()[:1]:
                    os.kill(pid, signal.SIGKILL)
                    happened["worker"] += 1

    killer = threading.Thread(target=kill)
    killer.start()
    while run(folder, folder.parent / "cluster.log").wait():
        restarts += 1
        print(f"  the run ended with an error after {dict(happened)}; started again", flush=True)
        if machines.scheduler.poll() is not None:
            machines.stop()
            machines.start()
        if restarts > 20:
            break
    stop.set()
    killer.join()
    return happened, restarts


def contents(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of a store, but for the signs of life of those who write into it."""
    return {str(path.relative_to(folder)): sha256_of(path) for path in sorted(folder.rglob("*")) if path.is_file() and path.name != BEAT}


def work_alone(folder: Path, args: argparse.Namespace) -> int:
    """Do the work of a finished project here and on the cluster, of which workers are lost, and compare."""
    root = args.project.resolve()
    pieces = [(do, item) for name, (do, items) in stages(root).items() if name in args.stages for item in items]
    os.chdir(root)
    here, there = folder / "here" / store.STORE_PATH, folder / "cluster" / store.STORE_PATH
    for do, item in pieces:
        Piece(do, item, here, None).do()
    print(f"this process: {len(pieces)} pieces of {', '.join(args.stages)}, {len(contents(here))} files", flush=True)
    (folder / "study").mkdir(parents=True, exist_ok=True)
    machines = Machines(folder / "study", args.workers, args.memory)
    machines.code = ROOT / "pipelines"
    killed, done, stop = [0], [0], threading.Event()
    visit = threading.Thread(target=machines.visit, args=(20,))

    def kill() -> None:
        seen, visited = 0, False
        while not stop.wait(0.2) and killed[0] < args.worker_kills:
            if done[0] > seen:
                seen = done[0]
                if args.strangers and not visited and seen >= len(pieces) // 3:
                    visit.start()
                    visited = True
                    print(f"  a worker of another version came after {seen} pieces", flush=True)
                for pid in machines.kept_workers()[-1:]:
                    os.kill(pid, signal.SIGKILL)
                    killed[0] += 1

    began = time.monotonic()
    try:
        engine = Cluster(str(machines.file), root)

        def work(one: tuple[Any, Any]) -> None:
            engine.do(Piece(*one, there, None))
            done[0] += 1

        killer = threading.Thread(target=kill)
        killer.start()
        with ThreadPoolExecutor(engine.lanes) as threads:
            list(threads.map(work, pieces))
        stop.set()
        killer.join()
        if visit.ident:
            visit.join()
        engine.close()
    finally:
        stop.set()
        machines.stop()
    ours, theirs = contents(here), contents(there)
    other = [path for path in ours if path in theirs and ours[path] != theirs[path]]
    lost, left = len(ours.keys() - theirs.keys()), len(theirs.keys() - ours.keys())
    print(f"cluster: {time.monotonic() - began:.0f} s, {killed[0]} workers killed, {done[0]} of {len(pieces)} pieces done")
    print(f"  files: {len(theirs)}; other bytes: {len(other)}, lost: {lost}, left over: {left}")
    for path in sorted(ours.keys() ^ theirs.keys())[:20]:
        print(f"  {path}")
    return 1 if other or lost or left else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--worker-kills", type=int, default=20)
    parser.add_argument("--scheduler-kills", type=int, default=5)
    parser.add_argument("--strangers", type=int, default=2)
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--participants", type=int, default=14)
    parser.add_argument("--recordings", type=int, help="a study of so many tiny recordings (scale_study.py) instead of the synthetic one")
    parser.add_argument("--project", type=Path)
    parser.add_argument("--stages", nargs="+", default=["screen", "render", "frames"])
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    folder = args.folder.resolve()
    if args.project:
        return work_alone(folder, args)
    os.environ["PYTHONPATH"] = str(folder / "pipelines")
    if args.recordings:
        scale_table.prepare(folder, args.recordings)
    else:
        prepare(folder, args.participants)
    clear(folder)
    began = time.monotonic()
    if run(folder, folder.parent / "one_machine.log").wait():
        return 1
    print(f"this machine: {time.monotonic() - began:.0f} s", flush=True)
    expected, there = hashes(folder), files(folder)
    key = (folder / KEY).read_bytes() if (folder / KEY).is_file() else None
    clear(folder)
    if key:  # another one gives other names to everything
        (folder / KEY).parent.mkdir(parents=True, mode=0o700)
        (folder / KEY).write_bytes(key)
        (folder / KEY).chmod(0o600)
    machines = Machines(folder, args.workers, args.memory)
    text = (folder / "params.yaml").read_text(encoding="utf-8")
    (folder / "params.yaml").write_text(re.sub(r"dask: null", f"dask: {machines.file}", text), encoding="utf-8")
    (folder.parent / "cluster.log").unlink(missing_ok=True)
    try:
        began = time.monotonic()
        happened, restarts = on_cluster(folder, machines, args, random.Random(args.seed))
        took_s = time.monotonic() - began
    finally:
        machines.stop()
        shutil.rmtree(machines.elsewhere, ignore_errors=True)
    now, here = hashes(folder), files(folder)
    other = [name for name in {**expected, **now} if expected.get(name) != now.get(name)]
    said = (folder.parent / "cluster.log").read_text(encoding="utf-8", errors="replace")
    print(f"cluster: {took_s:.0f} s, {happened['worker']} workers and {happened['scheduler']} schedulers killed,")
    print(f"  {happened['stranger']} workers of another version came, started again {restarts} times,")
    print(f"  the runs said: {', '.join(f'{word} ({said.count(word)})' for word in SAID)}")
    print(f"  stages with other hashes: {len(other)} {' '.join(other)}; lost files: {len(there - here)}; left over: {len(here - there)}")
    for path in sorted(there ^ here)[:20]:
        print(f"    {'left over' if path in here else 'lost'}: {path}")
    return 1 if other or there ^ here else 0


if __name__ == "__main__":
    sys.exit(main())
