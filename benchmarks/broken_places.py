"""Whether the tests see a fault: places of the library broken on purpose, one at a time, and the test that says so.

    python benchmarks/broken_places.py --check
    python benchmarks/broken_places.py --out before.csv [--jobs 2] [--workers 2] [--only 7 12]
    python benchmarks/broken_places.py --table before.csv [after.csv]
    python benchmarks/broken_places.py --draw 60 --seed 30

The faults stand in broken_places.yaml. A place is a definition, a text in it, and what stands there instead; it is looked for in
the whole library, so that it is found again after the definition has moved to another module. What is broken is a clone of the
last commit. First, for each fault alone, the examples of the changed module and the nearest files of tests are run: those that
import it, and those that share rare words with its path (near). What these pass over is broken at once for all others that
reach it (far), then for the slow tests of the near ones (slow); what fails then is run for each fault alone. What is in the file
of results already is not tried again.
"""

from __future__ import annotations

import argparse
import ast
import bisect
import contextlib
import csv
import itertools
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path

import yaml
from house import modules_of

from scrubin.core.code_of import closure

ROOT = Path(__file__).resolve().parents[1]
Function = ast.FunctionDef | ast.AsyncFunctionDef
LIST = Path(__file__).with_suffix(".yaml")
PACKAGE, LIBRARY = "scrubin", Path("pipelines/scrubin")
HELPERS = ("tests/helpers", "pipelines/flows", "docs", "benchmarks")
"""Where tests find modules that are not of the library."""
PATIENCE_S = 900
"""For the tests of one fault; ten times as long for those of all."""
PASSED, NOTHING_RUN = 0, 5
NEAR_FILES = 6
STAGES = ("near", "far", "slow")
PAST, NEVER, ENDLESS = "past ", "never", "(no end)"
TOKEN = re.compile(r"\w+|[^\w\s]")
VERDICT = re.compile(r"^(?:FAILED|ERROR) (\S+::.*?|\S+\.py)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """One entry of the list: in a definition, another text for one that stands there, and what goes wrong then."""

    number: int
    definition: str
    old: str
    new: str
    says: str


@dataclass(frozen=True)
class Place:
    """Where a fault goes: the module, its file below the root, and the file's whole text afterwards."""

    module: str
    path: Path
    text: str


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


@dataclass(frozen=True)
class TestFile:
    """A file of tests, with the modules that it imports itself, and all that it reaches through others."""

    path: str
    imports: frozenset[str]
    reaches: frozenset[str]


def faults_of(path: Path) -> list[Fault]:
    """Return the list of faults."""
    return [Fault(**one) for one in yaml.safe_load(path.read_text(encoding="utf-8"))]


def definitions(inside: ast.Module | ast.ClassDef, above: str = "") -> Iterator[tuple[str, Function]]:
    """Yield the functions of a module in their order, methods as ``Class.method``."""
    for node in inside.body:
        if isinstance(node, ast.ClassDef):
            yield from definitions(node, f"{above}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield above + node.name, node


def loosely(text: str) -> re.Pattern[str]:
    """Return a pattern of a text that may be broken into lines elsewhere, as a formatter does after a name has changed."""
    tokens = TOKEN.findall(text)
    between = (
        r"\s+" if re.search(r"\w$", a) and re.match(r"\w", b) else r",?\s*" if b in ")]}" else r"\s*" for a, b in itertools.pairwise(tokens)
    )
    return re.compile("".join(re.escape(token) + gap for token, gap in zip(tokens, [*between, ""], strict=True)))


def place_of(fault: Fault, sources: Mapping[str, tuple[Path, str]]) -> Place:
    """Return the only place that fits: in the definition of that name, or, where it was renamed, in any.

    Raises
    ------
    ValueError
        When no place fits, or several.
    """
    pattern = loosely(fault.old)
    found = []
    for module, (_, text) in sources.items():
        if pattern.search(text):
            starts = [0, *itertools.accumulate(map(len, text.splitlines(keepends=True)))]
            for name, node in definitions(ast.parse(text)):
                matches = pattern.finditer(text, starts[node.lineno - 1], starts[node.end_lineno or node.lineno])
                found += [(name, module, match.start(), match.end()) for match in matches]
    fitting = [one for one in found if one[0] == fault.definition] or found
    if len(fitting) != 1:
        shown = ", ".join(f"{module}:{name}" for name, module, *_ in fitting) or "nowhere"
        msg = f"fault {fault.number}, {fault.definition}: '{fault.old}' must stand in one place, but stands {shown}"
        raise ValueError(msg)
    ((_, module, first, last),) = fitting
    path, text = sources[module]
    changed = text[:first] + fault.new + text[last:]
    if ast.dump(ast.parse(changed)) == ast.dump(ast.parse(text)):
        msg = f"fault {fault.number}, {fault.definition}: it changes nothing"
        raise ValueError(msg)
    return Place(f"{PACKAGE}.{module}".rstrip("."), path, changed)


def places(faults: Iterable[Fault], root: Path = ROOT) -> dict[int, Place]:
    """Return the place of every fault by its number.

    Raises
    ------
    ValueError
        With all faults that have no place.
    """
    sources = {name: (path.relative_to(root), path.read_text(encoding="utf-8")) for name, path in modules_of(root / LIBRARY).items()}
    found, wrong = {}, []
    for fault in faults:
        try:
            found[fault.number] = place_of(fault, sources)
        except (ValueError, SyntaxError) as error:
            wrong.append(str(error))
    if wrong:
        raise ValueError("\n".join(wrong))
    return found


@cache
def test_files() -> tuple[TestFile, ...]:
    """Return all files of tests."""
    found = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        above = [folder / "conftest.py" for folder in path.parents if folder.is_relative_to(ROOT / "tests")]
        through = frozenset[str]().union(*(closure(module) for module in _reached([path, *filter(Path.is_file, above)])))
        found.append(TestFile(path.relative_to(ROOT).as_posix(), _imported(path)[0], through))
    return tuple(found)


def _reached(scripts: Iterable[Path]) -> set[str]:
    """Return the modules of the library that scripts import, also by helpers of tests."""
    waiting, seen, modules = [*scripts], set[Path](), set[str]()
    while waiting:
        script = waiting.pop()
        if script not in seen:
            seen.add(script)
            ours, others = _imported(script)
            modules |= ours
            waiting += others
    return modules


@cache
def library_modules() -> frozenset[str]:
    """Return the full names of the modules of the library."""
    return frozenset(f"{PACKAGE}.{name}".rstrip(".") for name in modules_of(ROOT / LIBRARY))


@cache
def _imported(script: Path) -> tuple[frozenset[str], frozenset[Path]]:
    """Return the modules of the library that a script imports itself, and the helpers."""
    modules = library_modules()
    names: set[str] = set()
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= inner & modules if inner & modules else {node.module}
    helpers = (ROOT / folder / f"{name}.py" for folder in HELPERS for name in names)
    return frozenset(names & modules), frozenset(filter(Path.is_file, helpers))


def selections(place: Place) -> dict[str, list[str]]:
    """Return by stage the files whose tests may see a change of a place.

    Those first that import its module themselves, then those whose path or text has rare words of its path.
    """
    reaching = [one for one in test_files() if place.module in one.reaches]
    words, stem = _words(place.path.as_posix()), place.path.stem
    counts = Counter(word for one in test_files() for word in _words(one.path))
    telling = {one.path for one in reaching if stem in (ROOT / one.path).read_text(encoding="utf-8")}
    nearness = {
        one.path: (
            place.module in one.imports,
            sum(1 / counts[word] for word in words & _words(one.path)) + (1 / len(telling) if one.path in telling else 0),
        )
        for one in reaching
    }
    ordered = sorted(nearness, key=lambda path: (nearness[path], path), reverse=True)
    examples = [place.path.as_posix()] if ">>>" in place.text else []
    # Slow tests of the same rooms: whole pipelines for each fault would take days.
    slow = [path for path in ordered if nearness[path][0] or words & _words(path)]
    near = [path for path in ordered[:NEAR_FILES] if any(nearness[path])]
    return {"near": [*examples, *near], "far": ordered[len(near) :], "slow": slow}


def _words(path: str) -> set[str]:
    """Return what the names of a path say, in the singular."""
    return {word.removesuffix("s") for word in re.findall(r"[a-z0-9]+", path.removesuffix(".py"))} - {"test", "pipeline", PACKAGE}


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
            Outcome(**{**row, "number": int(row["number"]), "seconds": float(row["seconds"])})  # type: ignore[arg-type]
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


def draw(count: int, seed: int) -> Iterator[str]:
    """Yield functions by lot, in proportion to their lines of code: one from each of so many equal stretches of the library."""
    names, ends = [], [0]
    for module, path in modules_of(ROOT / LIBRARY).items():
        lines = [line.strip() for line in path.read_text(encoding="utf-8").split("\n")]
        for name, node in definitions(ast.parse(path.read_bytes())):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            size = (
                sum(line != "" and line[0] != "#" for line in lines[body[0].lineno - 1 : node.end_lineno])
                if body and isinstance(node, ast.FunctionDef)
                else 0
            )
            names.append(f"{module}:{name}")
            ends.append(ends[-1] + size)
    rng = random.Random(seed)
    for stretch in range(count):
        yield names[bisect.bisect_right(ends, (stretch + rng.random()) * ends[-1] / count) - 1]


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
