"""Whether the tests see a fault: places of the library broken on purpose, one at a time, and the test that says so.

    python benchmarks/broken_places.py --check
    python benchmarks/broken_places.py --out before.csv [--jobs 2] [--workers 2] [--only 7 12]
    python benchmarks/broken_places.py --table before.csv [after.csv]
    python benchmarks/broken_places.py --draw 60 --seed 30

The faults stand in broken_places.yaml. A place is a definition, a text in it, and what stands there instead; it is looked for in
the whole library, so that it is found again after the definition has moved to another module. What is broken is a clone of the
last commit. First, for each fault alone, the nearest files of tests are run (near): the examples of docstrings where the module has
one, files that import it, and those that share rare words with its path. What these pass over is broken at once for all others that
reach it (far), then for the slow tests of the near ones (slow); what fails then is run for each fault alone. What is in the file
of results already is not tried again.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import itertools
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from nearest_tests import STAGES, selections
from places_in_code import ROOT, Fault, Place, draw, faults_of, places

LIST = Path(__file__).with_suffix(".yaml")
PATIENCE_S = 900
"""For the tests of one fault; ten times as long for those of all."""
PASSED, NOTHING_RUN = 0, 5
PAST, NEVER, ENDLESS = "past ", "never", "(no end)"
VERDICT = re.compile(r"^(?:FAILED|ERROR) (\S+::.*?|\S+\.py)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """What the tests said of a fault."""

    number: int
    module: str
    definition: str
    says: str
    stage: str
    caught_by: str
    seconds: float


def judged(fault: Fault, place: Place, clone: Path) -> Outcome:
    """Return what the near tests say of one fault."""
    began = time.monotonic()
    with broken([place], clone):
        paths = selections(place)[STAGES[0]]
        caught_by = first_failing(["-m", "not slow", *paths], clone) if paths else ""
    stage = STAGES[0] if caught_by else PAST + STAGES[0]
    return Outcome(fault.number, place.module, fault.definition, fault.says, stage, caught_by, round(time.monotonic() - began, 1))


def judged_together(stage: str, opened: list[Outcome], found: Mapping[int, Place], clone: Path, workers: int) -> Iterator[Outcome]:
    """Yield what further tests say of faults that the near ones passed over: all are broken at once, then each alone for what failed."""
    marks = ["-m", "slow" if stage == "slow" else "not slow"]
    began = time.monotonic()
    # Of two faults in one file the second waits.
    once = list({found[one.number].path: one for one in reversed(opened)}.values())[::-1]
    paths = dict.fromkeys(path for one in once for path in selections(found[one.number])[stage])
    with broken([found[one.number] for one in once], clone):
        suspects = failing([*marks, "-n", str(workers), *paths], clone) if paths else []
    each_s = (time.monotonic() - began) / max(1, len(once))
    for one in once:
        began = time.monotonic()
        with broken([found[one.number]], clone):
            caught_by = first_failing(suspects, clone) if suspects else ""
        passed = NEVER if stage == STAGES[-1] else PAST + stage
        seconds = round(one.seconds + each_s + time.monotonic() - began, 1)
        yield replace(one, stage=stage if caught_by else passed, caught_by=caught_by, seconds=seconds)


@contextlib.contextmanager
def broken(at: Iterable[Place], clone: Path) -> Iterator[None]:
    """Let places of a clone be broken for a while."""
    sound = {clone / place.path: (clone / place.path).read_text(encoding="utf-8") for place in at}
    try:
        for place in at:
            _write(clone / place.path, place.text)
        yield
    finally:
        for file, text in sound.items():
            _write(file, text)
        # Examples that failed would be tried again on the next fault.
        shutil.rmtree(clone / ".hypothesis", ignore_errors=True)


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    # Bytecode is known by second and size: two faults of one length would be one.
    for stale in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        stale.unlink()


def first_failing(arguments: list[str], clone: Path) -> str:
    """Return the first test that fails, and fails again; "" when there is none."""
    unsteady: list[str] = []
    while failed := failing(["-x", *arguments, *(f"--deselect={one}" for one in unsteady)], clone):
        # On a busy machine a test that waits for something may fail once, and has seen nothing.
        if failed[0] == ENDLESS or failing(["-x", failed[0]], clone):
            return failed[0]
        unsteady.append(failed[0])
    return ""


def failing(arguments: list[str], clone: Path) -> list[str]:
    """Return the tests that fail; `ENDLESS` when they did not end.

    Raises
    ------
    RuntimeError
        When they could not be run.
    """
    code, text = run_tests(["-p", "no:cacheprovider", "--hypothesis-seed=0", *arguments], clone)
    failed = VERDICT.findall(text)
    if code is None:
        return [ENDLESS]
    if code not in {PASSED, NOTHING_RUN} and not failed:
        msg = f"the tests could not be run ({code}):\n{text[-3000:]}"
        raise RuntimeError(msg)
    return failed


def run_tests(arguments: list[str], clone: Path) -> tuple[int | None, str]:
    """Run tests in a clone; return the exit code, None when they did not end, and what they said."""
    variables = {**os.environ, "PYTHONPATH": str(clone / "pipelines")}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "pytest", "--tb=no", *arguments]
    with subprocess.Popen(
        command, cwd=clone, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as tests:
        try:
            text, _ = tests.communicate(timeout=PATIENCE_S if "-x" in arguments else 10 * PATIENCE_S)
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(tests.pid, signal.SIGKILL)
    return tests.returncode, text


def run(faults: list[Fault], out: Path, *, jobs: int, workers: int, until: str) -> int:
    """Judge what is not judged yet; say which of the tests that caught something fail also where nothing is broken."""
    done = {one.number: one for one in outcomes(out)} if out.exists() else {}
    found = places(faults)

    def keep(one: Outcome) -> None:
        done[one.number] = one
        _write_outcomes(out, done)
        sys.stdout.write(f"{one.number:>3} {one.stage:<9} {one.seconds:>6} s {one.module} {one.caught_by}\n")
        sys.stdout.flush()

    with tempfile.TemporaryDirectory(prefix="broken-") as folder, ThreadPoolExecutor(jobs) as pool:
        free: queue.Queue[Path] = queue.Queue()
        for job in range(jobs):
            free.put(_cloned(Path(folder) / str(job)))

        def judge(fault: Fault) -> Outcome:
            clone = free.get()
            try:
                return judged(fault, found[fault.number], clone)
            finally:
                free.put(clone)

        for judging in as_completed([pool.submit(judge, fault) for fault in faults if fault.number not in done]):
            keep(judging.result())
        clone = free.get()
        for before, stage in itertools.pairwise(STAGES[: STAGES.index(until) + 1]):
            while opened := [done[fault.number] for fault in faults if done[fault.number].stage == PAST + before]:
                for outcome in judged_together(stage, opened, found, clone, workers):
                    keep(outcome)
        # A test that fails anyway has seen nothing.
        anyway = failing(["-n", "0", *sorted({one.caught_by for one in done.values()} - {"", ENDLESS})], clone)
    if anyway:
        sys.stdout.write(f"these fail also where nothing is broken; take their rows out of {out}, and mend them first: {anyway}\n")
    return 1 if anyway else 0


def _cloned(folder: Path) -> Path:
    subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, folder], check=True)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder


def outcomes(path: Path) -> list[Outcome]:
    """Return what stands in a file of results."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Outcome(**{**row, "number": int(row["number"]), "seconds": float(row["seconds"])})  # type: ignore[arg-type]  # all others are text
            for row in csv.DictReader(file)
        ]


def _write_outcomes(path: Path, done: Mapping[int, Outcome]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Outcome)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(one) for _, one in sorted(done.items()))


def table(runs: list[list[Outcome]]) -> int:
    """Print when how many faults were caught, in one or two runs; return 1 when the second missed what the first caught."""
    for stage in dict.fromkeys((*STAGES, *sorted({one.stage for one in itertools.chain(*runs)}))):
        counts = "".join(f"{sum(one.stage == stage for one in outcomes_):>8}" for outcomes_ in runs)
        sys.stdout.write(f"{stage:<8}{counts}\n")
    late = [one for one in runs[-1] if one.caught_by == "" or one.stage == "slow"]
    caught = {one.number for one in runs[-1] if one.caught_by}
    lost = [one for one in runs[0] if one.caught_by and one.number not in caught] if len(runs) > 1 else []
    for how, ones in (("caught late", late), ("no longer caught", lost)):
        for one in ones:
            sys.stdout.write(f"{how} ({one.stage}): {one.number} {one.module}:{one.definition}: {one.says}\n")
    return 1 if lost else 0


def main() -> int:
    """Check, run, compare or draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--list", type=Path, default=LIST, help="the faults (default: %(default)s)")
    parser.add_argument("--only", type=int, nargs="+", help="numbers of faults")
    parser.add_argument("--jobs", type=int, default=1, help="faults at a time")
    parser.add_argument("--workers", type=int, default=0, help="processes of pytest where many files are run")
    parser.add_argument("--until", choices=STAGES, default=STAGES[-1], help="the last tests that are run (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of --draw")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help="only look for the places")
    what.add_argument("--out", type=Path, help="file of results; what is there already is kept")
    what.add_argument("--table", type=Path, nargs="+", help="print results, of one run or of two")
    what.add_argument("--draw", type=int, help="print so many definitions, drawn by lot: for a new list")
    args = parser.parse_args()
    if args.table:
        return table([outcomes(path) for path in args.table])
    if args.draw:
        sys.stdout.write("".join(f"{name}\n" for name in draw(args.draw, args.seed)))
        return 0
    # A shell lets what it starts in the background ignore Ctrl-C, and tests that send it inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    faults = [fault for fault in faults_of(args.list) if not args.only or fault.number in args.only]
    if args.out:
        return run(faults, args.out, jobs=args.jobs, workers=args.workers, until=args.until)
    for number, place in places(faults).items():
        sys.stdout.write(f"{number:>3} {place.module}: {', '.join(selections(place)['near'])}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
