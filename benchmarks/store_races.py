"""Processes that race for the same results of the store, also while some of them are killed: everybody gets the sound one, nothing is left.

    .venv/bin/python benchmarks/store_races.py [--trials 120] [--keys 1000] [--seed 0]

In each trial two or four processes make the results of the same keys at the same time, in nearly the same order; in every other trial
processes are killed at random moments and started again. Afterwards every key must have exactly one sound result, and no
folder of a half-made one may be left.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scrubin.base.store import store, workspaces

RACER = """
import hashlib, random, sys
from pathlib import Path
from scrubin.base.store import store

root, keys, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
order, rng = list(range(keys)), random.Random(seed)
for _ in range(keys // 20):  # almost the same order, so that they meet
    i = rng.randrange(keys - 1)
    order[i], order[i + 1] = order[i + 1], order[i]
for number in order:
    key = hashlib.sha256(str(number).encode()).hexdigest()
    def work(folder, number=number):
        (folder / "a.bin").write_bytes(str(number).encode() * 50)
        return {"number": number}
    entry, _ = store.make(key, work, root)
    assert entry.value == {"number": number}, (entry.value, number)
    assert (entry.folder / "a.bin").read_bytes() == str(number).encode() * 50
print("done")
"""


def race(root: Path, processes: int, keys: int, rng: random.Random, *, kills: int) -> tuple[int, list[str]]:
    """Let processes race; return how many were killed, and what went wrong."""

    def begin() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", RACER, str(root), str(keys), str(rng.randrange(1 << 30))]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    running = [begin() for _ in range(processes)]
    killed = 0
    for _ in range(kills):
        time.sleep(rng.uniform(0.2, 0.9))
        place = rng.randrange(processes)
        if running[place].poll() is None:
            running[place].kill()
            running[place].communicate()
            running[place] = begin()
            killed += 1
    wrong = []
    for one in running:
        out, err = one.communicate(timeout=600)
        if one.returncode or out != "done\n":
            wrong.append(f"exit {one.returncode}: {err.strip().splitlines()[-1:]}")
    return killed, wrong


def left(root: Path, keys: int) -> list[str]:
    """Return what is wrong with the store when all is over."""
    workspaces.remove_leftovers(root)
    wrong = [f"left: {path.name}" for path in (root / workspaces.FOLDER).glob("*")]
    folders = sorted(root.glob("[0-9a-f][0-9a-f]/*"))
    if len(folders) != keys:
        wrong.append(f"{len(folders)} results of {keys} keys")
    unsound = [folder for folder in folders if (entry := store.read_entry(folder)) is None or not entry.is_sound(read=True)]
    return wrong + [f"not sound: {folder}" for folder in unsound]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=120)
    parser.add_argument("--keys", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    passed = kills = 0
    for trial in range(args.trials):
        root = Path(tempfile.mkdtemp(prefix="store-race-"))
        killed, wrong = race(root, (2, 4)[trial // 2 % 2], args.keys, rng, kills=3 * (trial % 2))
        wrong += left(root, args.keys)
        shutil.rmtree(root)
        kills += killed
        passed += not wrong
        if wrong:
            print(f"trial {trial}: {wrong[:5]}", flush=True)
    print(f"{passed} of {args.trials} trials with {args.keys} keys passed; {kills} processes were killed and started again")
    return 0 if passed == args.trials else 1


if __name__ == "__main__":
    sys.exit(main())
