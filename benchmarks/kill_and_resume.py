"""Kill the run at random moments, run it again, and compare every hash with an undisturbed run.

    .venv/bin/python benchmarks/kill_and_resume.py --folder FOLDER --times 20 [--participants 14] [--seed 0]

The folder gets a clone of this checkout. Each trial starts without outputs, store and DVC cache,
kills DVC with SIGKILL at a random moment of the run, checks that nothing it started is
left two seconds later, and runs `dvc repro` to the end.
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

ROOT = Path(__file__).resolve().parents[1]
MADE = (
    "data/demo",
    "data/demo_truth",
    "data/interim",
    "data/private",
    "data/release",
    "data/tables",
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


def hashes(folder: Path) -> str:
    return (folder / "dvc.lock").read_text(encoding="utf-8")


def trial(folder: Path, moment_s: float) -> tuple[str, dict[int, str]] | None:
    """Return at which stage the run was killed, and what was left of it; None when it had ended before."""
    clear(folder)
    run = start(folder)
    time.sleep(moment_s)
    if run.poll() is not None:
        return None
    dvc = [pid for pid, command in living(folder).items() if "dvc repro" in command]
    at = next(
        (command.split("flows/")[1].strip() for command in living(folder).values() if "flows/" in command and "repro" not in command),
        "between",
    )
    for pid in dvc:
        os.kill(pid, signal.SIGKILL)
    run.wait(60)
    time.sleep(2)
    left = living(folder)
    subprocess.run([".venv/bin/dvc", "repro", "--quiet"], cwd=folder, check=True, capture_output=True)
    return at, left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--participants", type=int, default=14)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    folder = given.folder.resolve()
    # The environment is this checkout's, the code must be the clone's: this one may be worked on meanwhile.
    os.environ["PYTHONPATH"] = str(folder / "pipelines")
    prepare(folder, given.participants)
    clear(folder)
    began = time.monotonic()
    if start(folder).wait():
        return 1
    whole_s = time.monotonic() - began
    expected = hashes(folder)
    print(f"undisturbed run: {whole_s:.0f} s", flush=True)
    rng = random.Random(given.seed)
    same = 0
    for number in range(given.times):
        killed = None
        while killed is None:  # a run may be faster than the first one was
            moment_s = rng.uniform(0.5, whole_s)
            killed = trial(folder, moment_s)
        at, left = killed
        equal = hashes(folder) == expected
        same += equal
        print(f"{number + 1:2d}: killed after {moment_s:5.1f} s in {at:18s} left running: {len(left)}  same hashes: {equal}", flush=True)
    print(f"{same} of {given.times} ended with the same hashes")
    return 0 if same == given.times else 1


if __name__ == "__main__":
    sys.exit(main())
