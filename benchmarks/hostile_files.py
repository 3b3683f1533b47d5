"""1,000 hostile files of 40 kinds, through every command that opens a stranger's file: what falls over, hangs, eats memory or leaks.

    python benchmarks/hostile_files.py FOLDER [--seed 1] [--count 25] [--only KIND ...] [--command WORD ...] [--jobs 1] [--table]

A small release, submissions, labels, a raw study, a rig, DICOM and a benchmark of de-identification are made once. Each file of each
kind takes the place of one of their files, and the commands that read this file run in a process of their own: every file through one
command, every second one through another one as well. Beside them lies a folder that nothing names but the hostile file; what of it
appears in an output is a leak. Of each run stands in ``runs.jsonl``: exit code, seconds, CPU seconds, peak memory, tracebacks, number
and length of lines, leaks, and what was written where nothing should be. The same command goes on where it was stopped.

    python benchmarks/hostile_files.py FOLDER --damaged 300 [--before FOLDER_OF_ANOTHER_EDITION]

These are not hostile but damaged, as disks and people damage them: files of labels (every format), rater sheets, tables and videos, drawn
by the seed. Every command that reads the file says what it thinks of it: rule, place, mend. A traceback, a hang or a crash is a failure.
To hold two editions against each other, run this script with the python of each, in two folders that hold a copy of the same ``base``.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from hostile import archives, media, paths, texts  # noqa: F401 - each adds its kinds to the list
from hostile.commands import slots
from hostile.damaged import Damaged, compare, damaged_files, verdict, verdicts
from hostile.kinds import KINDS, SOUND
from hostile.material import EXAMPLES, make_base, make_examples
from hostile.watched import attempt

LIMIT_S = 60
MANY_LINES, LONG_LINE = 40, 4000
T = TypeVar("T")


@dataclass(frozen=True)
class Run:
    """A hostile file and a command."""

    kind: str
    number: int
    slot: int


def runs(seed: int, count: int, only: list[str], words: list[str]) -> Iterator[Run]:
    """Return which file goes through which commands: through one, and every second one through another one as well."""
    every = slots()
    for name, (families, _) in KINDS.items():
        if only and not any(word.lower() in name.lower() for word in only):
            continue
        fitting = [number for number, slot in enumerate(every) if slot.family in families]
        random.Random(f"{seed} {name}").shuffle(fitting)
        for number in range(count):
            first = number + number // 2  # each takes the next ones, so that all are taken in turn
            for step in range(1 + number % 2):
                slot = fitting[(first + step) % len(fitting)]
                if not words or any(word in every[slot].name for word in words):
                    yield Run(name, number, slot)


def wordy(one: dict[str, Any]) -> bool:
    """Return whether more is said than somebody reads."""
    return one["lines"] > MANY_LINES or one["longest"] > LONG_LINE


FAULTS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "traceback": lambda one: bool(one["traceback"]),
    "hang": lambda one: bool(one["hung"]),
    "killed": lambda one: one["code"] < 0 and not one["hung"],
    # Whoever names a link on the command line wants what it leads to.
    "leak": lambda one: bool(one["leaked"]) and not (one.get("named") and one["kind"] == "link out of the folder"),
    "wrote": lambda one: bool(one["wrote"]),
    "called": lambda one: bool(one["called"]),
    "wordy": wordy,
    "> 1 GB": lambda one: one["mb"] > 1024,
}


def table(done: list[dict[str, Any]]) -> None:
    """Print what happened, by kind and by command, and every fault."""
    for title, key in (("kind", "kind"), ("command", "command")):
        groups = defaultdict(list)
        for one in done:
            groups[one[key]].append(one)
        print(
            f"\n{title:<40}{'runs':>6}{'exit 0':>8}" + "".join(f"{name:>10}" for name in FAULTS) + f"{'max s':>8}{'CPU s':>8}{'max MB':>8}"
        )
        for name, own in [*(groups.items() if key == "kind" else sorted(groups.items())), ("all", done)]:
            counts = "".join(f"{sum(map(test, own)):>10}" for test in FAULTS.values())
            most = [max((one[figure] for one in own), default=0) for figure in ("wall_s", "cpu_s", "mb")]
            print(f"{name:<40}{len(own):>6}{sum(one['code'] == 0 for one in own):>8}{counts}{most[0]:>8.1f}{most[1]:>8.1f}{most[2]:>8}")
    for name, test in FAULTS.items():
        for one in filter(test, done):
            more = f" {one['leaked']}" if name == "leak" else f" {one['wrote']}" if name == "wrote" else ""
            where = f"{one['kind']} {one['number']}, {one['command']}, {one['file']}"
            print(f"{name}: {where}: exit {one['code']}, {one['wall_s']} s, {one['mb']} MB{more}: {one['last'][:160]}")
    files = len({(one["kind"], one["number"], one["seed"]) for one in done})
    print(
        f"{files} files of {len({one['kind'] for one in done})} kinds, {len(done)} runs, {sum(one['cpu_s'] for one in done):.0f} s of CPU"
    )


def hostile(folder: Path, arguments: argparse.Namespace) -> None:
    """Make hostile files, run the commands over them, and print the tables."""
    every, wanted = slots(), list(runs(arguments.seed, arguments.count, arguments.only, arguments.command))[:: arguments.every]
    if arguments.sound:
        named = [number for number, slot in enumerate(every) if not arguments.command or any(w in slot.name for w in arguments.command)]
        wanted = [Run(SOUND, 0, number) for number in named]

    def one(run: Run) -> dict[str, Any]:
        name = f"{arguments.seed}_{run.kind}_{run.number}_{run.slot}".replace(" ", "_").replace(",", "")
        options = {"seed": arguments.seed, "limit_s": arguments.limit_s, "keep": arguments.keep}
        return {"slot": run.slot, **attempt(folder, every[run.slot], run.kind, run.number, name, **options)}

    def told(found: dict[str, Any]) -> str:
        marks = " ".join(name for name, test in FAULTS.items() if test(found))
        return f"{found['kind']} {found['number']}, {found['command']}: exit {found['code']} {found['wall_s']} s {marks}"

    table(kept(folder / "runs.jsonl", [(asdict(run) | {"seed": arguments.seed}, run) for run in wanted], one, told, arguments))


def damaged(folder: Path, arguments: argparse.Namespace) -> int:
    """Damage files as disks and people do, and print what each command says of them."""

    def one(case: Damaged) -> dict[str, Any]:
        return verdict(folder, case, limit_s=arguments.limit_s, keep=arguments.keep)

    def told(found: dict[str, Any]) -> str:
        return f"{found['number']:03} {found['file']}, {found['command']}: exit {found['code']}"

    wanted = [(case.key, case) for case in damaged_files(folder / "base", arguments.damaged, arguments.seed)]
    return verdicts(kept(folder / "damaged.jsonl", wanted, one, told, arguments))


def kept(
    path: Path,
    wanted: list[tuple[dict[str, Any], T]],
    one: Callable[[T], dict[str, Any]],
    told: Callable[[dict[str, Any]], str],
    arguments: argparse.Namespace,
) -> list[dict[str, Any]]:
    """Return what earlier runs found and what those that are wanted find; each is kept in a line as soon as it ends."""
    done = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    lock = threading.Lock()

    def run(thing: T) -> None:
        try:
            result = one(thing)
        except Exception as error:
            print(f"not made: {thing}: {type(error).__name__}: {error}", flush=True)
            return
        with lock, path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
            done.append(result)
            print(f"{len(done):5} {told(result)}", flush=True)

    missing = [thing for key, thing in wanted if not any(key.items() <= found.items() for found in done)]
    if not arguments.table:
        with ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(run, missing))
    return done


def main() -> int:
    """Make, run, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=25, help="files of each kind")
    parser.add_argument("--only", nargs="+", default=[], metavar="KIND", help="kinds with one of these words in them")
    parser.add_argument("--command", nargs="+", default=[], metavar="WORD", help="commands with one of these words in them")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit-s", type=float, default=LIMIT_S)
    parser.add_argument("--every", type=int, default=1, help="only every so many-th run")
    parser.add_argument("--sound", action="store_true", help="the sound files instead: what does not work with them tests nothing")
    parser.add_argument("--damaged", type=int, default=0, metavar="N", help="instead, N damaged files of labels, sheets, tables and videos")
    parser.add_argument("--before", type=Path, help="with --damaged, the folder of another edition: what it said otherwise")
    parser.add_argument("--keep", action="store_true", help="keep the cases")
    parser.add_argument("--table", action="store_true", help="print what earlier runs found")
    parser.add_argument("--make-base", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    folder = arguments.folder.absolute()
    if arguments.make_base:
        make_base(folder)
        return 0
    assert len(KINDS) == 40, len(KINDS)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "base").exists():
        spare = folder / "base.part"
        shutil.rmtree(spare, ignore_errors=True)
        spare.mkdir()
        subprocess.run([sys.executable, str(Path(__file__).absolute()), str(spare), "--make-base"], check=True)
        spare.rename(folder / "base")
    if not arguments.damaged:
        hostile(folder, arguments)
        return 0
    if not (folder / "base" / EXAMPLES).exists():
        make_examples(folder / "base")
    failed = damaged(folder, arguments)
    return max(failed, compare(arguments.before / "damaged.jsonl", folder / "damaged.jsonl") if arguments.before else 0)


if __name__ == "__main__":
    sys.exit(main())
