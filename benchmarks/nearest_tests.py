"""The files of tests that may see a change of a module, nearest first."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from house import modules_of
from places_in_code import LIBRARY, PACKAGE, ROOT, Place

from scrubin.base.store.code_of import closure

HELPERS = ("tests/helpers", "pipelines/flows", "docs", "benchmarks")
"""Where tests find modules that are not of the library."""
NEAR_FILES = 6
EXAMPLES = "tests/test_docstrings.py"
"""Runs the examples of every docstring."""
STAGES = ("near", "far", "slow")


@dataclass(frozen=True)
class TestFile:
    """A file of tests, with the modules that it imports itself, and all that it reaches through others."""

    path: str
    imports: frozenset[str]
    reaches: frozenset[str]


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
    examples = [EXAMPLES] if ">>>" in place.text else []
    # Slow tests of the same rooms: whole pipelines for each fault would take days.
    slow = [path for path in ordered if nearness[path][0] or words & _words(path)]
    near = [path for path in ordered[:NEAR_FILES] if any(nearness[path]) and path not in examples]
    far = [path for path in ordered if path not in (*near, *examples)]
    return {"near": [*examples, *near], "far": far, "slow": slow}


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


def _words(path: str) -> set[str]:
    """Return what the names of a path say, in the singular."""
    return {word.removesuffix("s") for word in re.findall(r"[a-z0-9]+", path.removesuffix(".py"))} - {"test", "pipeline", PACKAGE}
