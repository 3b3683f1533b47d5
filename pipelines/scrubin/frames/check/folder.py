"""An existing folder of frames: which pictures it has, how they are numbered, and their thumbnails."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from scrubin.core import strangers, unpacking
from scrubin.core.errors import FileError, ReleaseError
from scrubin.frames import reading
from scrubin.frames.check.thumbnails import Thumbnails, thumbnail

SUFFIXES = (".jpg", ".jpeg", ".png")
NUMBER = re.compile(r"\d+(?=\D*$)")


@dataclass(frozen=True)
class Pictures:
    """The pictures of a folder or a shard, by number.

    Parameters
    ----------
    names, numbers
        Of the files, increasing by the last number in the name.
    thumbnails
        Shape (n, 576).
    width, height
        Of the first picture, in px.
    others
        How many files are no pictures.
    """

    names: list[str]
    numbers: list[int]
    thumbnails: Thumbnails
    width: int
    height: int
    others: int

    @property
    def step(self) -> int:
        """The distance of the numbers: 1, or for example 25 where files are named by frames of the video."""
        return math.gcd(*(number - self.numbers[0] for number in self.numbers)) or 1

    @property
    def places(self) -> list[int]:
        """The place of each picture in the numbering, from 0."""
        return [(number - self.numbers[0]) // self.step for number in self.numbers]


def read(folder: Path, name: str) -> Pictures:
    """Read a folder of JPEG or PNG files, or a tar of them.

    Raises
    ------
    ReleaseError
        When it has no pictures, or a picture cannot be read or has no number of its own.
    """
    files = _members(folder, name) if folder.is_file() else _loose(folder, name)
    kept = {file: load for file, load in files.items() if Path(file).suffix.lower() in SUFFIXES}
    if not kept:
        msg = f"{name}: it holds no .jpg or .png file; name the folder with the frames of one video"
        raise ReleaseError(msg)
    numbers: dict[int, str] = {}
    for file in sorted(kept):
        match = NUMBER.search(Path(file).stem)
        if match is None or int(match[0]) in numbers:
            fault = "no number" if match is None else f"the same number as {numbers[int(match[0])]}"
            msg = f"{name}/{file}: its name has {fault}; a folder must hold the frames of one video only"
            raise ReleaseError(msg)
        numbers[int(match[0])] = file
    ordered = [numbers[number] for number in sorted(numbers)]
    thumbnails, sizes = [], []
    for file in ordered:
        try:
            data = kept[file]()
            unpacking.refuse_huge_picture(data, f"{name}/{file}")
        except OSError as error:
            msg = str(error) if isinstance(error, FileError) else f"{name}/{file}: it cannot be read ({error.strerror}); take it out"
            raise ReleaseError(msg) from error
        grey = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
        if grey is None:
            msg = f"{name}/{file}: it cannot be decoded; take it out, or make it again"
            raise ReleaseError(msg)
        thumbnails.append(thumbnail(grey.astype(np.uint8, copy=False)))
        sizes.append((grey.shape[1], grey.shape[0]))
    return Pictures(ordered, sorted(numbers), np.stack(thumbnails), *sizes[0], len(files) - len(kept))


def _loose(folder: Path, name: str) -> dict[str, Callable[[], bytes]]:
    if not folder.is_dir():
        msg = f"{name}: it is no folder; name the folder with the frames, or their tar"
        raise ReleaseError(msg)
    return {path.name: partial(strangers.read_bytes, path) for path in sorted(folder.iterdir()) if path.is_file()}


def _members(shard: Path, name: str) -> dict[str, Callable[[], bytes]]:
    try:
        members = reading.index(shard)
    except ValueError as error:
        msg = f"{name}: {error}; name a folder of frames, or their tar"
        raise ReleaseError(msg) from error
    return {member: partial(_slice, shard, start, size) for member, (start, size) in sorted(members.items())}


def _slice(shard: Path, start: int, size: int) -> bytes:
    with strangers.opened(shard) as file:
        file.seek(start)
        return file.read(size)
