"""The house stands as `[tool.importlinter]` in pyproject.toml says: each kind of forbidden import is seen, and rooms form no circle."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "pipelines/scrubin"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
OF_EVERYBODY = {"numpy", "pandas", "pyarrow"}
STILL_CIRCLES: list[list[str]] = []
"""Circles of a wing's own files, taken as one room, with its rooms: a list to be shortened."""
POSIX_ONLY = {"crypt", "fcntl", "grp", "nis", "ossaudiodev", "posix", "pty", "pwd", "resource", "spwd", "syslog", "termios", "tty"}
NAMES = "fork|getuid|geteuid|getgid|setsid|killpg|sched_getaffinity|pread|pwrite|register_at_fork|mkfifo|statvfs|chown|fchmod|waitpid|wait"
POSIX_NAME = re.compile(
    rf"\bos\.({NAMES})\b|\bsignal\.SIG(KILL|XFSZ|XCPU|HUP|ALRM|CHLD)\b|\berrno\.EREMOTEIO\b|\b(preexec_fn|process_group)="
)
NAMED = {
    "audit/readers.py": "the audit is the curator's",
    "base/machine.py": "where it is missing, all cores are counted",
    "base/private_paths.py": "refuses first",
    "data/load/place.py": "asks whether it is there",
    "data/load/sources.py": "asks whether it is there",
    "evaluate/causality/inside.py": "started on Linux alone",
    "evaluate/causality/probe.py": "started on Linux alone",
    "evaluate/causality/sandbox.py": "refuses first",
}
"""Files with names that Windows lacks, and why that harms nobody there."""
PLANTED = {
    "labels/files/reader.py": "from scrubin.curate.preflight import preflight as settings",
    "ratings/agreement.py": "from scrubin.public_splits import catalogue",
    "audit/run.py": "from scrubin.media import decode",
    "media/networks/faces.py": "from scrubin.media import frame_reader",
    "curate/engine/__init__.py": "import prefect",
    "stages/pseudonymize.py": "import plumbing",
    "evaluate/metrics/__init__.py": "import cv2",
    "labels/rows.py": "import av",
    "data/diff/__init__.py": "import yaml",
    "evaluate/ranking/__init__.py": "from scipy import stats",
    "data/verify/__init__.py": "import jinja2",
    "cli/project.py": "import dvc.repo",
}
"""By file, an import that no wing of its kind may have; each inside a function, where it is seen as well."""
A_CIRCLE = {
    "stages/frames/__init__.py": "from scrubin.stages import render",
    "stages/render/__init__.py": "from scrubin.stages import frames",
}


@pytest.mark.slow
def test_every_kind_of_forbidden_import_is_seen(tmp_path):
    shutil.copytree(LIBRARY, tmp_path / "scrubin", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    assert lint(tmp_path).returncode == 0
    for name, line in (PLANTED | A_CIRCLE).items():
        with (tmp_path / "scrubin" / name).open("a", encoding="utf-8") as file:
            file.write(f"\n\ndef _planted():\n    {line}\n")
    done = lint(tmp_path)
    assert done.returncode == 1
    for name in PLANTED:
        place = ".".join(("scrubin", *Path(name).with_suffix("").parts)).removesuffix(".__init__")
        assert re.search(rf"^- +{re.escape(place)} -> ", done.stdout, re.MULTILINE), done.stdout
    broken = set(re.findall(r"^(.+) BROKEN", done.stdout, re.MULTILINE))
    assert {contract["type"] for contract in CONTRACTS if contract["name"] in broken} == {contract["type"] for contract in CONTRACTS}


def lint(folder):
    program = Path(sys.executable).with_name("lint-imports")
    return subprocess.run([program, "--no-cache", "--no-logo"], cwd=folder, text=True, capture_output=True)


def test_every_package_that_is_imported_stands_in_the_contract(graph):
    imported = {name for name in graph.modules if graph.is_module_squashed(name)} - sys.stdlib_module_names - OF_EVERYBODY
    named = {name for contract in CONTRACTS if contract["type"] == "protected" for name in contract["protected_modules"]}
    assert imported == named


def test_what_windows_lacks_is_imported_by_one_file_and_by_a_script_of_the_sandbox(graph):
    importers = {who for name in POSIX_ONLY & graph.modules for who in graph.find_modules_that_directly_import(name)}
    script = "scrubin.evaluate.causality.inside"
    assert importers == {"scrubin.base.posix", script}
    assert not graph.find_modules_that_directly_import(script)


def test_what_windows_lacks_is_named_by_few_files_that_do_without():
    found = {path.relative_to(LIBRARY).as_posix() for path in LIBRARY.rglob("*.py") if POSIX_NAME.search(path.read_text(encoding="utf-8"))}
    assert found == set(NAMED)


def test_wings_form_no_circle_and_rooms_none_but_those_that_are_known(graph):
    spec = importlib.util.spec_from_file_location("house", ROOT / "benchmarks/house.py")
    house = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(house)
    folders = {".".join(path.parent.relative_to(LIBRARY).parts) for path in LIBRARY.rglob("__init__.py")}
    own = {name for name in graph.modules if name.startswith("scrubin.")}
    imports = {of(name): {of(other) for other in graph.find_modules_directly_imported_by(name) if other in own} for name in own}
    assert sorted(house.circles(house.between(imports, 2, folders))) == STILL_CIRCLES
    assert not house.circles(house.between(imports, 1, folders))


def of(name):
    return name.removeprefix("scrubin.")


@pytest.fixture(scope="module")
def graph():
    """All imports of the library, also those in functions."""
    return grimp.build_graph("scrubin", include_external_packages=True, exclude_type_checking_imports=True, cache_dir=None)
