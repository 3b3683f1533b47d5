"""The locks hold what pyproject.toml asks for, on every system that they serve, in one version."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = ("requirements.lock", "tests/requirements.lock", "docs/requirements.lock")
SYSTEMS = {
    "Linux x86-64": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64"},
    "Linux ARM64": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "aarch64"},
    "macOS Intel": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix", "platform_machine": "x86_64"},
    "macOS ARM64": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix", "platform_machine": "arm64"},
    "Windows": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt", "platform_machine": "AMD64"},
}
PYTHONS = ("3.11", "3.12", "3.13")
GROUPS = {"tests/requirements.lock": "test", "docs/requirements.lock": "docs"}
UNREAD = {"coloredlogs", "sympy", "humanfriendly", "mpmath", "pywin32", "pendulum", "whenever", "tzdata", "async-timeout"}
"""What this system may do without: nobody here can say what it needs in turn."""
ELSEWHERE = {"s3"}
"""Extras that the pipeline does without, so that its lock, on which all stages depend, does not hold them: that of the tests does."""
NEVER = {Requirement(line).name for line in PYPROJECT["tool"]["uv"]["override-dependencies"]}


@cache
def entries(lock: str) -> tuple[tuple[Requirement, int], ...]:
    """Return what a lock pins, each with the number of its hashes."""
    found = []
    for block in re.split(r"\n(?=[a-z0-9])", (ROOT / lock).read_text(encoding="utf-8")):
        found.append((Requirement(block.partition("\\\n")[0]), len(re.findall(r"--hash=sha256:[0-9a-f]{64}\b", block))))
    return tuple(found)


def environment(system: str, python: str) -> dict[str, str]:
    """Return what markers are compared with."""
    of_python = {"python_version": python, "python_full_version": f"{python}.9", "extra": ""}
    return SYSTEMS[system] | of_python | {"implementation_name": "cpython", "platform_python_implementation": "CPython"}


def pins(lock: str, there: dict[str, str]) -> list[tuple[str, str]]:
    """Return name and version of what a lock installs there."""
    return [
        (one.name, str(one.specifier).removeprefix("==")) for one, _ in entries(lock) if one.marker is None or one.marker.evaluate(there)
    ]


def wanted(there: dict[str, str], lines: list[str], extras: set[str]) -> Iterator[Requirement]:
    """Yield the requirements that hold there."""
    for one in map(Requirement, lines):
        ways = [there | {"extra": extra} for extra in ("", *sorted(extras))]
        if one.name not in NEVER and (one.marker is None or any(one.marker.evaluate(way) for way in ways)):
            yield one


def first_of(lock: str) -> list[str]:
    """Return what pyproject.toml asks of a lock."""
    groups, extras = PYPROJECT["dependency-groups"], PYPROJECT["project"]["optional-dependencies"]
    if lock in GROUPS:
        return list(groups[GROUPS[lock]])
    of_pipeline = (one for name, of in extras.items() if name not in ELSEWHERE for one in of)
    return [*PYPROJECT["project"]["dependencies"], *of_pipeline, *groups["weights"]]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_everything_by_hash_and_names_no_host(lock):
    assert all(str(one.specifier).startswith("==") and hashes for one, hashes in entries(lock))
    assert "://" not in (ROOT / lock).read_text(encoding="utf-8")


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_each_system_gets_every_package_once_and_in_the_same_version_from_every_lock(system, python):
    version: dict[str, str] = {}
    for lock in LOCKS:
        here = pins(lock, environment(system, python))
        assert len(here) == len(dict(here)), lock
        for name, of_lock in here:
            assert version.setdefault(name, of_lock) == of_lock, (lock, name)
    assert sum("opencv" in name for name in version) == 1
    assert not NEVER & set(version)


@pytest.mark.cases(9)
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_all_that_its_packages_need_on_each_system(lock, system, python):
    if lock == "docs/requirements.lock" and find_spec("sphinx") is None:
        pytest.skip("what its packages need is told by those that are installed: `make docs` installs them")
    there = environment(system, python)
    here = dict(pins(lock, there))
    todo, seen = [(one, lock) for one in wanted(there, first_of(lock), set())], set()
    while todo:
        one, asked_by = todo.pop()
        name = canonicalize_name(one.name)
        assert name in here, f"{asked_by} needs {one}"
        # There some are older, and need in turn what only their own metadata tell.
        assert here[name] in one.specifier or system == "macOS Intel", f"{asked_by} needs {one}"
        if (key := (name, frozenset(one.extras))) in seen:
            continue
        seen.add(key)
        try:
            lines = requires(name) or []
        except PackageNotFoundError:
            assert name in UNREAD
            continue
        todo += [(further, name) for further in wanted(there, lines, one.extras)]
    assert set(here) - {name for name, _ in seen} <= UNREAD, "nobody needs these"


@pytest.mark.parametrize("extra", sorted(ELSEWHERE))
def test_an_extra_that_the_pipeline_does_without_is_in_the_lock_of_the_tests(extra):
    assert set(PYPROJECT["project"]["optional-dependencies"][extra]) <= {one.name for one, _ in entries("tests/requirements.lock")}


def test_the_lock_of_the_pipeline_is_the_one_that_stages_depend_on():
    assert "requirements.lock" in (ROOT / "dvc.yaml").read_text(encoding="utf-8")
    assert "/requirements.lock" not in (ROOT / "dvc.yaml").read_text(encoding="utf-8")
