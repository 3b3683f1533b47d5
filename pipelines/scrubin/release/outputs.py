"""The files that the release stage itself adds to the release folder."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from scrubin.core import checksum_list
from scrubin.core.files import FIXED_TIME_S, set_fixed_time, sha256_of

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


def fix_times_again(folder: Path) -> None:
    """Give the files that a finished release lists the fixed time once more, whoever has moved or copied them since.

    A list without its files, or a file that is not listed, is the audit's business.
    """
    listed = folder / checksum_list.NAME
    if listed.is_file():
        sha256, _ = checksum_list.read(listed.read_text(encoding="utf-8", errors="replace"))
        there = {name: value for name, value in sha256.items() if (folder / name).is_file()}
        fix_times(folder, there | {checksum_list.NAME: sha256_of(listed)})


def sizes(folder: Path, sha256: Mapping[str, str]) -> dict[str, int]:
    """Return the bytes of every file, by relative name."""
    return {name: (folder / name).stat().st_size for name in sorted(sha256)}
