"""What all pictures of a release show: videos, single files, archives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import cv2
import numpy as np

from scrubin.audit import media_types
from scrubin.audit.containers import archives
from scrubin.audit.findings import Fault
from scrubin.audit.pictures.eyes import NETWORKS
from scrubin.audit.pictures.judgement import Judge
from scrubin.audit.pictures.looks import EVERY_FRAME_RULE, RULE, Counts, Looked, Picture, Sampling, Sighting, is_power, look_at
from scrubin.audit.pictures.signs import Scenes
from scrubin.audit.plan import VideoPlan
from scrubin.audit.private_strings import Private
from scrubin.base.faults import count_text
from scrubin.media.networks import weights

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
    if path.suffix.lower() in media_types.IMAGE_SUFFIXES:
        yield name, path.read_bytes()
    elif path.suffix.lower() == ".tar":
        with path.open("rb") as file:
            try:
                members = [*archives.members(file)]
            except ValueError:  # the reader of archives says what is wrong with it
                return
            for member in members:
                if PurePosixPath(member.name).suffix.lower() in media_types.IMAGE_SUFFIXES:
                    yield f"{name}/{member.name}", archives.read_member(file, member)


def _decoded(data: bytes) -> Picture | None:
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # an empty file, or impossible sizes
        return None
    return None if picture is None else picture.astype(np.uint8, copy=False)


RULES = {"sampled": RULE, "every": EVERY_FRAME_RULE, "none": "no picture"}


class Pictures:
    """Looks at the pictures of one release and judges what they show.

    Parameters
    ----------
    private
        What must not be shown.
    sampling
        Which pictures are looked at: ``sampled``, ``every`` or ``none``.

    Raises
    ------
    StageError
        When a network that looks is missing or holds other bytes: nothing seen would look like nothing there.
    """

    def __init__(self, private: Private, sampling: Sampling = "sampled") -> None:
        self.sampling: Sampling = sampling
        for name in NETWORKS if sampling != "none" else ():
            weights.weights(name)
        self._files = PictureFiles(sampling)
        self.judge = Judge(private)

    def of_file(self, path: Path, name: str) -> list[tuple[str, Fault]]:
        """Return what a picture, or an archive of pictures, shows and may not, with the file or member that shows it."""
        return self.judge.faults(name, self._files.looked(path, name))

    def of_video(self, name: str, looked: Looked, plan: VideoPlan | None) -> list[tuple[str, Fault]]:
        """Return what a video shows and may not, with the file or extracted frame that shows it."""
        return self.judge.faults(name, looked, plan.rejected, plan.answered) if plan else self.judge.faults(name, looked)

    def as_json(self) -> dict[str, Any]:
        """Return what was looked at, by which rule, and the text that is no finding, as JSON values."""
        return {"sampling": self.sampling, "rule": RULES[self.sampling], **self.judge.as_json()}

    def counts(self) -> dict[str, Any]:
        """Return the same without the texts, of which only the number."""
        return {**self.as_json(), "text_read": len(self.judge.texts())}

    def _private(self) -> str:
        """Return how many private texts people let through; "" for none, as nearly always."""
        count = self.judge.texts_let_through
        return f"{count_text(count, 'text')} like a private word let through by people, " if count else ""

    def sentence(self) -> str:
        """Return in one line what was looked at."""
        if self.sampling == "none":
            return "no picture was looked at for text or faces"
        counts = self.judge.counts
        parts = count_text(counts.parts_read, "part")
        return (
            f"{count_text(counts.faces_looked_for, 'picture')} looked at for faces, {counts.read:,} of them read, and {parts} of others; "
            f"{count_text(self.judge.faces, 'face')} seen ({self.judge.faces_let_through:,} let through by people), {self._private()}"
            f"{count_text(len(self.judge.texts()), 'text')} that {'is' if len(self.judge.texts()) == 1 else 'are'} no finding"
        )
