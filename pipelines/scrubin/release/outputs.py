"""The files that the release stage itself adds to the release folder."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from scrubin.core.files import FIXED_TIME_S, set_fixed_time

NAMES = (
    "Annotation",
    "CERTIFICATE.md",
    "README.md",
    "SHA256SUMS",
    "archives",
    "certificate.json",
    "croissant.json",
    "data_dictionary.md",
    "metadata",
    "tables",
)


def discard(folder: Path) -> None:
    """Remove what the stage has written: a refused release must not look finished."""
    for name in NAMES:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def fix_times(folder: Path, sha256: Mapping[str, str]) -> None:
    """Give every file of a release the fixed time, also those that DVC or a copy has made anew."""
    for name, value in sha256.items():
        if int((folder / name).stat().st_mtime) != FIXED_TIME_S:
            set_fixed_time(folder / name, value)


def sizes(folder: Path, sha256: Mapping[str, str]) -> dict[str, int]:
    """Return the bytes of every file, by relative name."""
    return {name: (folder / name).stat().st_size for name in sorted(sha256)}
