"""The calibrations of stereo rigs go with every export, as they are: each file says to which recordings it belongs."""

from __future__ import annotations

import shutil
from pathlib import Path

from scrubin.exports.contents import Contents
from scrubin.stereo.released import FOLDER


def copy(contents: Contents, folder: Path) -> int:
    """Copy the calibrations of a release into an export, and return how many there are."""
    files = [contents.stated(f"{FOLDER}/{file.name}") for file in sorted((contents.release / FOLDER).glob("*.yaml"))]
    for file in files:
        target = folder / FOLDER / file.name
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(file, target)
    return len(files)
