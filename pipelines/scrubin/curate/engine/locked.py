"""Which of the locked packages are here in another version."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from packaging.requirements import Requirement


def other_packages(lock: Path) -> tuple[str, ...]:
    """Return which packages of a lock are here in another version, or are missing; none where there is no lock."""
    others = []
    for line in lock.read_text(encoding="utf-8").splitlines() if lock.is_file() else ():
        if not line[:1].isalnum():
            continue  # a hash, or who wants the package
        wanted = Requirement(line.removesuffix("\\"))
        if wanted.marker is not None and not wanted.marker.evaluate():
            continue  # for other machines
        try:
            there = version(wanted.name)
        except PackageNotFoundError:
            others.append(f"{wanted.name} is missing")
            continue
        if there not in wanted.specifier:
            others.append(f"{wanted.name} is {there} instead of {str(wanted.specifier).removeprefix('==')}")
    return tuple(others)
