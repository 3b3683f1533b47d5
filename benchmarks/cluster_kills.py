"""The same pipeline on a Dask scheduler with separate worker processes, while workers and the scheduler are killed.

    .venv/bin/python benchmarks/cluster_kills.py --folder FOLDER [--workers 2] [--worker-kills 20] [--scheduler-kills 5]
        [--memory 1GB] [--participants 14]

The folder gets a clone of this checkout. First the study is made with the processes of this machine, then without outputs, store
and cache on the cluster; the hashes must be the same. A run that ends because the scheduler is gone is started again.
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
from pathlib import Path

from kill_and_resume import clear, hashes, prepare, stage_of, start


class Machines:
    """A scheduler and a number of workers; either is started again when it is gone."""

    def __init__(self, folder: Path, workers: int, memory: str) -> None:
        self.elsewhere, self.file = folder.parent / "elsewhere", folder.parent / "scheduler.json"
        self.elsewhere.mkdir(exist_ok=True)
        self.options = ["--nworkers", str(workers), "--nthreads", "1", "--memory-limit", memory, "--local-directory", str(self.elsewhere)]
        self.scheduler = self.workers = None
        self.start()

    def start(self) -> None:
        """Start a scheduler, then its workers."""
        self.file.unlink(missing_ok=True)
        at = ["--no-dashboard", "--scheduler-file", str(self.file)]
        self.scheduler = self._run("scheduler", "--port", "0", *at)
        while not self.file.exists():
            time.sleep(0.1)
        self.workers = self._run("worker", *at, *self.options)

    def _run(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [Path(sys.executable).with_name("dask"), *arguments], cwd=self.elsewhere, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
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


def on_cluster(folder: Path, machines: Machines, args: argparse.Namespace, rng: random.Random) -> tuple[int, int, int]:
    """Run to the end; return how many workers and schedulers were killed and how often the run was started again."""
    kills, restarts, stop = {"worker": 0, "scheduler": 0}, 0, threading.Event()
    mapped = ("screen", "render", "frames")

    def kill() -> None:
        while not stop.wait(rng.uniform(1, 5)):
            if not any(stage in stage_of(folder) for stage in mapped):
                continue
            if kills["scheduler"] < args.scheduler_kills and rng.random() < 0.15:
                machines.scheduler.kill()
                kills["scheduler"] += 1
                stop.wait(60)
            elif kills["worker"] < args.worker_kills:
                for pid in machines.kept_workers()[:1]:
                    os.kill(pid, signal.SIGKILL)
                    kills["worker"] += 1

    killer = threading.Thread(target=kill)
    killer.start()
    while start(folder).wait():
        restarts += 1
        print(f"  the run ended with an error after {kills}; started again", flush=True)
        if machines.scheduler.poll() is not None:
            machines.stop()
            machines.start()
        if restarts > 20:
            break
    stop.set()
    killer.join()
    return kills["worker"], kills["scheduler"], restarts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--worker-kills", type=int, default=20)
    parser.add_argument("--scheduler-kills", type=int, default=5)
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--participants", type=int, default=14)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    folder = args.folder.resolve()
    os.environ["PYTHONPATH"] = str(folder / "pipelines")
    prepare(folder, args.participants)
    clear(folder)
    began = time.monotonic()
    if start(folder).wait():
        return 1
    print(f"this machine: {time.monotonic() - began:.0f} s", flush=True)
    expected = hashes(folder)
    clear(folder)
    machines = Machines(folder, args.workers, args.memory)
    text = (folder / "params.yaml").read_text(encoding="utf-8")
    (folder / "params.yaml").write_text(re.sub(r"dask: null", f"dask: {machines.file}", text), encoding="utf-8")
    try:
        began = time.monotonic()
        kills = on_cluster(folder, machines, args, random.Random(args.seed))
        took_s = time.monotonic() - began
    finally:
        machines.stop()
        shutil.rmtree(machines.elsewhere, ignore_errors=True)
    same = hashes(folder) == expected
    print(
        f"cluster: {took_s:.0f} s, {kills[0]} workers and {kills[1]} schedulers killed, started again {kills[2]} times, same hashes: {same}"
    )
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
