"""Kill runs that are still going, at random moments, run on, and compare every hash with an undisturbed run.

    .venv/bin/python benchmarks/kill_and_resume.py --folder FOLDER --kills 100 [--each 10] [--participants 6] [--seed 0]

The folder gets a clone of this checkout. Each round starts without outputs, store and DVC cache. DVC, the stage, the fork that
works for it, a worker, the Prefect server or everything is killed with SIGKILL, SIGTERM or SIGINT, and the run is started again, some
ten times; then it may end.
Two seconds after each kill nothing that the run started may be left.
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
import time
from pathlib import Path
from typing import Any

import yaml

WHOM = ("dvc", "stage", "fork", "worker", "server", "everything")
WARM = "flows/warm.py"
"""The process from which stages are forked; the last of its name is the fork that works now."""
# A run outlives a worker, and the stage in which the server died may take half a minute to notice.
PATIENCE_S = {"worker": 5, "server": 60}
ROOT = Path(__file__).resolve().parents[1]
MADE = (
    "data/demo",
    "data/demo_truth",
    "data/interim",
    "data/private",
    "data/release",
    "data/tables",
    "data/unreleased",
    ".cache/store",
    ".dvc/cache",
    ".dvc/tmp",
)


def prepare(folder: Path, participants: int) -> None:
    subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    (folder / ".venv").symlink_to(sys.prefix)
    text = (folder / "params.yaml").read_text(encoding="utf-8")
    (folder / "params.yaml").write_text(re.sub(r"participants: \d+", f"participants: {participants}", text), encoding="utf-8")


def clear(folder: Path) -> None:
    for name in MADE:
        shutil.rmtree(folder / name, ignore_errors=True)
    subprocess.run(["git", "clean", "-fdxq", "reports"], cwd=folder, check=True)
    (folder / "dvc.lock").unlink(missing_ok=True)


def start(folder: Path) -> subprocess.Popen[bytes]:
    command = [".venv/bin/python", "pipelines/flows/repro.py"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


def finish(folder: Path) -> int:
    """Run on to the end, and show the last lines of what did not end well."""
    command = [".venv/bin/python", "pipelines/flows/repro.py"]
    run = subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, text=True, check=False)
    if run.returncode:
        print("\n".join(f"     {line}" for line in (run.stdout + run.stderr).splitlines()[-40:]), flush=True)
    return run.returncode


def living(folder: Path) -> dict[int, str]:
    """Return the processes that work in the folder, by id."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if (entry / "cwd").readlink() == folder and "State:\tZ" not in (entry / "status").read_text():
                    found[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
    return found


def hashes(folder: Path) -> dict[str, Any]:
    """Return what stands in ``dvc.lock`` of each stage; their order is that in which they were first done."""
    stages: dict[str, Any] = yaml.safe_load((folder / "dvc.lock").read_text(encoding="utf-8"))["stages"]
    return stages


def victims(folder: Path, whom: str) -> list[int]:
    """Return the processes of one kind; of the helpers of a stage one is enough."""
    there = living(folder)
    names = {
        "dvc": "quiet_dvc.py",
        "stage": " pipelines/flows/",
        "fork": WARM,
        "worker": "scrubin.curate.engine.worker",
        "server": "prefect server",
    }
    if whom == "everything":
        return sorted(there)
    fitting = sorted(pid for pid, command in there.items() if names[whom] in command and "repro.py" not in command)
    return fitting[-1:] if whom == "fork" else fitting[:1]


def stage_of(folder: Path) -> str:
    """Return the stage that runs now."""
    commands = (command for command in living(folder).values() if " pipelines/flows/" in command and "repro" not in command)
    running = (command.split("flows/")[1].strip() for command in commands)
    return next(running, "between stages")


def killed_run(folder: Path, rng: random.Random, longest_s: float, whom: str, number: int) -> tuple[str, str, dict[int, str]] | None:
    """Start a run and kill in it; return at which stage, how it ended, and the processes that were left. None: it had ended before."""
    run = start(folder)
    time.sleep(rng.uniform(0.5, longest_s))
    while not (chosen := victims(folder, whom)) and run.poll() is None:
        time.sleep(0.1)
    if run.poll() is not None:
        return None
    at = stage_of(folder)
    for pid in chosen:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue
    try:
        how = f"exit {run.wait(PATIENCE_S.get(whom, 30))}"
    except subprocess.TimeoutExpired:
        run.kill()
        run.wait()
        how = "went on, killed"
    time.sleep(2)
    return at, how, living(folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--each", type=int, default=10, help="so many kills before a run may end (default: %(default)s)")
    parser.add_argument("--participants", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    folder = args.folder.resolve()
    # The environment is this checkout's, the code must be the clone's: this one may be worked on meanwhile.
    os.environ["PYTHONPATH"] = str(folder / "pipelines")
    prepare(folder, args.participants)
    clear(folder)
    began = time.monotonic()
    if start(folder).wait():
        return 1
    whole_s = time.monotonic() - began
    expected = hashes(folder)
    print(f"undisturbed run: {whole_s:.0f} s", flush=True)
    rng = random.Random(args.seed)
    kills = same = rounds = left_over = 0
    while kills < args.kills:
        clear(folder)
        for _ in range(args.each):
            whom, number = rng.choice(WHOM), rng.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
            outcome = killed_run(folder, rng, whole_s * 1.5 / args.each, whom, number)
            if outcome is None:
                break  # the run is through; the next round begins anew
            kills += 1
            at, how, left = outcome
            left_over += len(left)
            print(f"{kills:3d}: {whom:10s} {number.name:8s} in {at:18s} {how}, left running: {len(left)}", flush=True)
            for pid, command in sorted(left.items()):
                print(f"     {pid} {command[:200]}", flush=True)
        done = finish(folder)
        now = hashes(folder)
        equal = done == 0 and now == expected
        rounds += 1
        same += equal
        other = [name for name in {**expected, **now} if expected.get(name) != now.get(name)]
        print(f"round {rounds}: exit {done}, same hashes: {equal} {' '.join(other)}", flush=True)
    print(f"{kills} kills in {rounds} rounds; {same} of {rounds} rounds ended with the same hashes; processes left running: {left_over}")
    return 0 if same == rounds and not left_over else 1


if __name__ == "__main__":
    sys.exit(main())
