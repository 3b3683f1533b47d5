"""The audit proves nothing if it trusts the code that made the files."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import scrubin

LIBRARY = Path(scrubin.__file__).parent
MAKERS = ("render", "frames", "screen", "video")


def imported(path: Path) -> set[str]:
    """The modules of our own that a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in names if name.startswith("scrubin.")}


def file_of(module: str) -> Path | None:
    path = LIBRARY.joinpath(*module.split(".")[1:])
    return next((found for found in (path.with_suffix(".py"), path / "__init__.py") if found.is_file()), None)


@pytest.mark.slow
def test_the_audit_shares_no_code_with_how_the_files_were_made():
    waiting, seen = [LIBRARY / "release/audit/proof.py", LIBRARY / "release/audit/videos/stored.py"], set()
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += [found for module in imported(path) if (found := file_of(module))]
    folders = {path.relative_to(LIBRARY).parts[0] for path in seen}
    assert {"release", "core", "tables"} <= folders
    assert not folders & set(MAKERS)


def test_a_change_of_any_code_that_examines_videos_examines_them_again():
    """What was found is kept by a hash of the code that found it."""
    from scrubin.release.audit.videos.stored import CODE

    waiting, seen = [LIBRARY / "release/audit/videos/decoding.py"], set()
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += [found for module in imported(path) if (found := file_of(module)) and "release" in found.parts]
    names = {path.relative_to(LIBRARY).as_posix() for path in seen if path.name != "__init__.py"}
    # What a plan may hold beside numbers and boxes plays no part in it.
    beside = {"release/audit/stated.py", "release/audit/strings/private_columns.py", "release/audit/strings/spelling.py"}
    assert "networks" in CODE
    assert names - beside == set(CODE) - {"networks"}
