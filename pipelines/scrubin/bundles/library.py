"""The library itself as plain files, so that it runs where it cannot be installed; and the packages that it needs there."""

from __future__ import annotations

import importlib.metadata
import shutil
from pathlib import Path

import scrubin

SUFFIXES = (".py", ".json", ".csv")
"""Of what scoring reads; networks, pages and scripts for browsers stay behind."""
NEEDED = ("numpy", "pandas", "pyarrow", "pyyaml")
PYTHON = "3.11"


def copy(folder: Path) -> None:
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
