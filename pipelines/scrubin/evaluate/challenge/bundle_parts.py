"""What every platform's bundle has in common: the library itself as plain files, archives, configuration as YAML."""

from __future__ import annotations

import gzip
import importlib.metadata
import io
import shutil
import tarfile
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Protocol

import scrubin
from scrubin.base import machine
from scrubin.base.files import whole
from scrubin.evaluate.challenge.challenge import Challenge
from scrubin.evaluate.challenge.hidden_truth import HiddenTruth
from scrubin.stages.release import added_files


@dataclass(frozen=True)
class Opening:
    """When a challenge is open, and the container image in which it is scored."""

    starts: date
    ends: date
    image: str


@dataclass(frozen=True)
class Layout:
    """What was written.

    Parameters
    ----------
    upload
        What the organiser uploads, or builds from.
    private
        Files and folders that have hidden labels, relative to the bundle; a trailing ``/`` is a folder.
    steps
        What the organiser does next.
    """

    upload: str
    private: tuple[str, ...]
    steps: tuple[str, ...]


class Platform(Protocol):
    """What the module of a platform has."""

    def write(self, challenge: Challenge, truth: HiddenTruth, kit: Path, opening: Opening, folder: Path, /) -> Layout:
        """Write what the platform takes into a folder, and what only its participants need into the starting kit."""


SUFFIXES = (".py", ".json", ".csv")
"""Of what scoring reads; networks, pages and scripts for browsers stay behind."""
NEEDED = ("numpy", "pandas", "pyarrow", "pyyaml")
PYTHON = "3.11"


def copy_library(folder: Path) -> None:
    """Write the library into ``folder/scrubin``."""
    source = Path(scrubin.__file__).resolve().parent
    for path in sorted(source.rglob("*")):
        if path.suffix in SUFFIXES and "__pycache__" not in path.parts and path.is_file():
            target = folder / "scrubin" / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def requirements(*, marker: str = "") -> str:
    """Return what has to be installed beside it: the versions that are installed here."""
    return "".join(f"{name}=={importlib.metadata.version(name)}{marker}\n" for name in NEEDED)


MODE, PROGRAM_MODE = 0o644, 0o755


def zip_folder(path: Path, folder: Path, *, without: Collection[str] = ()) -> None:
    """Write a zip of what a folder holds, named from the folder on; ``without`` are names of members and folders to leave out."""
    members = {one.relative_to(folder).as_posix(): one for one in sorted(folder.rglob("*")) if one.is_file()}
    chosen = {name: file for name, file in members.items() if not any(name == out or name.startswith(f"{out}/") for out in without)}
    added_files.write_archive(path, chosen)


def tar_folder(path: Path, folder: Path) -> None:
    """Write a ``.tar.gz`` of what a folder holds, without times, owners or compression."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for one in sorted(file for file in folder.rglob("*") if file.is_file()):
            entry = tarfile.TarInfo(one.relative_to(folder).as_posix())
            entry.size, entry.mode = one.stat().st_size, MODE
            with one.open("rb") as source:
                archive.addfile(entry, source)
    content.seek(0)
    with whole(path) as part, part.open("wb") as file, gzip.GzipFile("", "wb", compresslevel=0, fileobj=file, mtime=0) as zipped:
        shutil.copyfileobj(content, zipped)


def yaml_text(value: Any) -> str:
    """Return YAML text; the keys keep their order.

    Raises
    ------
    MissingPackageError
        Where PyYAML is not installed.
    """
    machine.require_package("yaml", "a bundle")
    import yaml

    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=140))
