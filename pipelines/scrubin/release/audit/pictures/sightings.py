"""What was seen in the pictures that were looked at, and how many those were."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from scrubin.core.pixels import Box

RULE = (
    "each scene at its 1st picture, as far as there is time for it at its 3rd, 9th and 27th, and every 30 s; "
    "read as a whole at its 8th, 64th ..., as far as there is time for it, and every 2 min; "
    "parts where something like text stands still for half a second; extracted frames that differ from their video"
)
EVERY_FRAME_RULE = "every picture"


@dataclass(frozen=True, order=True)
class Sighting:
    """A line of text or a face, in one picture.

    Parameters
    ----------
    still
        Path of the extracted frame; "" in the video itself.
    frame, time_s
        Number of the picture in its video, and its time there.
    box_xywh
        In px of the picture.
    confidence
        0 to 1.
    text
        What was read; None for a face.
    """

    still: str
    frame: int
    time_s: float
    box_xywh: Box
    confidence: float
    text: str | None = None


@dataclass(frozen=True)
class Counts:
    """How much was looked at.

    Parameters
    ----------
    faces_looked_for
        Pictures that were looked at for faces.
    read, parts_read
        Pictures in all of which, and rectangles in which, text was looked for.
    stills_compared, stills_unlike
        Extracted frames that were compared with their picture of the video; those that differ were looked at by themselves.
    """

    faces_looked_for: int = 0
    read: int = 0
    parts_read: int = 0
    stills_compared: int = 0
    stills_unlike: int = 0

    def __add__(self, other: Counts) -> Counts:
        """Return the sums."""
        return Counts(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Counts)))


@dataclass(frozen=True)
class Looked:
    """Sightings, in the order of the pictures, and what they were looked for in.

    Parameters
    ----------
    faces_at, read_at
        Numbers of the pictures of a video that were looked at for faces, and that were read as a whole; increasing.
    """

    sightings: tuple[Sighting, ...] = ()
    counts: Counts = Counts()
    faces_at: tuple[int, ...] = ()
    read_at: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        sightings = [asdict(one) for one in self.sightings]
        return {"sightings": sightings, "counts": asdict(self.counts), "faces_at": self.faces_at, "read_at": self.read_at}


def of_json(value: dict[str, Any]) -> Looked:
    """Return what ``Looked.as_json`` wrote."""
    seen = [{**one, "box_xywh": tuple(one["box_xywh"])} for one in value["sightings"]]
    at = (tuple(value[name]) for name in ("faces_at", "read_at"))
    return Looked(tuple(Sighting(**one) for one in seen), Counts(**value["counts"]), *at)


def total(counts: Iterable[Counts]) -> Counts:
    """Return the sums over files."""
    return sum(counts, Counts())
