"""Environments as `pip install scrubin` and its extras make them, offline: the built wheel, and links to what is installed here."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from email import message_from_bytes
from importlib.metadata import Distribution, distribution
from pathlib import Path, PurePosixPath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
RUN = """
import contextlib, io, json, sys, traceback
from scrubin import cli
ends = []
for command in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = cli.main(command)
        except SystemExit as end:
            code = end.code
        except BaseException:
            code = traceback.format_exc()
    ends.append((code, out.getvalue(), err.getvalue()))
json.dump(ends, sys.stdout)
"""


def wheel(folder: Path) -> Path:
    """Build the wheel of this checkout."""
    source = folder / "source"
    shutil.copytree(ROOT / "pipelines/scrubin", source / "pipelines/scrubin", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(ROOT / name, source / name)
    build = f"from setuptools import build_meta; build_meta.build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def environment(folder: Path, built: Path, *extras: str) -> Path:
    """Make an environment with a wheel and what it asks for with these extras; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    with zipfile.ZipFile(built) as archive:
        archive.extractall(packages)
        metadata = message_from_bytes(archive.read(next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))))
    for one in _closure(metadata.get_all("Requires-Dist", []), extras).values():
        for name in {PurePosixPath(file).parts[0] for file in one.files or ()} - {"..", "__pycache__"}:
            (packages / name).symlink_to(str(one.locate_file(name)))
    return folder / "bin/python"


def _closure(requires: list[str], extras: tuple[str, ...]) -> dict[str, Distribution]:
    """Return everything that is asked for, directly or not."""
    found: dict[str, Distribution] = {}
    wanted = [(requires, extras)]
    while wanted:
        lines, chosen = wanted.pop()
        for requirement in map(Requirement, lines):
            name = canonicalize_name(requirement.name)
            applies = requirement.marker is None or any(requirement.marker.evaluate({"extra": one}) for one in ("", *chosen))
            if applies and name not in found:
                found[name] = distribution(name)
                wanted.append((found[name].requires or [], tuple(requirement.extras)))
    return found


def run(python: Path | str, commands: list[list[str]], folder: Path) -> list[tuple[int | str, str, str]]:
    """Run commands one after another in a folder; return exit code (or traceback), output and messages of each."""
    done = subprocess.run([str(python), "-c", RUN], input=json.dumps(commands), text=True, capture_output=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return [tuple(end) for end in json.loads(done.stdout)]
