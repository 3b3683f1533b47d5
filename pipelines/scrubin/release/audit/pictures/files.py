"""Pictures that no video stands for: single files and archives of pictures, of which no table names a video."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import cv2
import numpy as np

from scrubin.release.audit import media
from scrubin.release.audit.pictures.looks import Picture, Sampling, is_power, look_at
from scrubin.release.audit.pictures.scenes import Scenes
from scrubin.release.audit.pictures.sightings import Counts, Looked, Sighting
from scrubin.release.containers import tar

EVERY = 10
"""Beside the first ones of each scene, every so manieth picture of a folder or archive is looked at."""
SMALL_PX = (64, 36)


class PictureFiles:
    """Looks at pictures, folder by folder, each folder as if it were a video.

    Parameters
    ----------
    sampling
        As of ``looks.Looks``.
    """

    def __init__(self, sampling: Sampling) -> None:
        self._sampling = sampling
        self._folders: dict[str, tuple[Scenes, list[int]]] = {}

    def looked(self, path: Path, name: str) -> Looked:
        """Return what is seen in a picture, or in the pictures of an archive; nothing in any other file.

        A picture that cannot be decoded is not looked at: its reader says that it is damaged.
        """
        sightings: list[Sighting] = []
        count = 0
        for member, data in _pictures(path, name) if self._sampling != "none" else ():
            picture = _decoded(data)
            if picture is not None and self._is_worth_it(str(PurePosixPath(member).parent), picture):
                sightings += look_at(picture, member)
                count += 1
        return Looked(tuple(sightings), Counts(faces_looked_for=count, read=count))

    def _is_worth_it(self, folder: str, picture: Picture) -> bool:
        scenes, seen = self._folders.setdefault(folder, (Scenes(), [0]))
        luma, red, blue = cv2.split(cv2.cvtColor(cv2.resize(picture, SMALL_PX), cv2.COLOR_BGR2YCrCb).astype(np.uint8, copy=False))
        count = scenes.count(luma.astype(np.uint8), blue.astype(np.uint8), red.astype(np.uint8))
        seen[0] += 1
        return self._sampling == "every" or is_power(count, 2) or seen[0] % EVERY == 0


def _pictures(path: Path, name: str) -> Iterator[tuple[str, bytes]]:
    if path.suffix.lower() in media.IMAGE_SUFFIXES:
        yield name, path.read_bytes()
    elif path.suffix.lower() == ".tar":
        with path.open("rb") as file:
            try:
                members = [*tar.members(file)]
            except ValueError:  # the reader of archives says what is wrong with it
                return
            for member in members:
                if PurePosixPath(member.name).suffix.lower() in media.IMAGE_SUFFIXES:
                    yield f"{name}/{member.name}", tar.read_member(file, member)


def _decoded(data: bytes) -> Picture | None:
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # an empty file, or impossible sizes
        return None
    return None if picture is None else picture.astype(np.uint8, copy=False)
