"""The answer key: every planted identifier with its kind, its place, what is needed to look for it.

A key is a folder: ``key.json``; ``planted/NAME.mkv``, the pictures of each recording as handed out;
``clean/NAME.mkv``, the same without anything planted, frame by frame; ``pictures/``, covers and
pictures of second streams. It stands beside ``raw/``, the recordings that a tool gets.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from scrubin.base import strangers
from scrubin.base.errors import MetricsError
from scrubin.base.faults import Fault, error
from scrubin.base.files import sha256_of, write_json
from scrubin.base.pixels import Box

Carrier = Literal["picture", "sound", "file"]


@dataclass(frozen=True)
class IdentifierKind:
    """One kind of planted identifier.

    Parameters
    ----------
    name
        As in the key and in every report.
    carrier
        What carries it: pictures, sound, or the file around them.
    planted
        What is planted.
    action
        What must be done about it.
    """

    name: str
    carrier: Carrier
    planted: str
    action: str


_KINDS = (
    IdentifierKind("outside", "picture", "frames of a room with people instead of the operation", "no frame of it is shown"),
    IdentifierKind("face", "picture", "the face of a person in such a room", "the face is not shown"),
    IdentifierKind("reflection", "picture", "a face reflected in the monitor, over the operation", "the face is not shown"),
    IdentifierKind("text", "picture", "a name, date, number or clock burned in over the operation", "the text is not shown"),
    IdentifierKind("speech", "sound", "a voice that says a name", "no sound is left"),
    IdentifierKind("container_tag", "file", "a tag of the file", "the tag is gone"),
    IdentifierKind("stream_tag", "file", "a tag of a stream", "the tag is gone"),
    IdentifierKind("creation_time", "file", "the time of recording, as a tag of file and streams", "the time is gone"),
    IdentifierKind("chapter", "file", "the title of a chapter", "the title is gone"),
    IdentifierKind("sei", "file", "a message inside the video stream (SEI, unregistered user data)", "the message is gone"),
    IdentifierKind("user_data", "file", "bytes in an unused part of the file", "the bytes are gone"),
    IdentifierKind("timecode", "file", "the time of day as a timecode", "the timecode is gone"),
    IdentifierKind("attachment", "file", "a document attached to the file", "the document is gone"),
    IdentifierKind("cover", "file", "a cover picture that shows the room, with a comment", "the picture and the comment are gone"),
    IdentifierKind("second_stream", "file", "a second video stream: the camera of the room", "the stream is gone"),
    IdentifierKind("subtitle", "file", "a stream of subtitles", "the text is gone"),
    IdentifierKind("file_name", "file", "name, place and date in the path of the file", "none of them is in the path"),
    IdentifierKind("file_time", "file", "the time of recording as the time of the file", "the file has another time"),
)
KINDS: Mapping[str, IdentifierKind] = {kind.name: kind for kind in _KINDS}
"""Every kind by name, in the order of reports."""

FORMAT, VERSION = "scrubin-deid-key", 1
FILE = "key.json"
FIX = "make it again with `scrubin deid make`, or copy the whole folder"


@dataclass(frozen=True)
class Item:
    """One planted identifier.

    Parameters
    ----------
    item
        Its id, unique in the key.
    recording, kind
        Where and what, see `scrubin.evaluate.deid.key`.
    carried_by
        The place in file or picture, for reading.
    frames
        Half-open ranges of source frames; empty for what is in no picture.
    interval_s
        From its first instant to its end, in seconds of the source; None for what stands outside of time.
    boxes
        (frame, x, y, w, h): the rectangle from that frame on, in pixels; empty for the whole picture.
    text
        What it says.
    needles
        Strings of which none may be in the output: as bytes, in tags, or in the path.
    picture
        The picture that must not be shown, as a file of the key.
    traits
        What results are broken down by, such as the height of a text in px.
    """

    item: str
    recording: str
    kind: str
    carried_by: str
    frames: tuple[tuple[int, int], ...] = ()
    interval_s: tuple[float, float] | None = None
    boxes: tuple[tuple[int, int, int, int, int], ...] = ()
    text: str = ""
    needles: tuple[str, ...] = ()
    picture: str = ""
    traits: Mapping[str, str | int | float] = field(default_factory=dict)

    @property
    def frame_numbers(self) -> list[int]:
        """Every frame that it is in, in order."""
        return [number for first, end in self.frames for number in range(first, end)]

    def box_at(self, frame: int) -> Box | None:
        """Return its rectangle in a frame; None is the whole picture."""
        if not self.boxes:
            return None
        place = bisect_right(self.boxes, frame, key=lambda box: box[0])
        return self.boxes[max(place - 1, 0)][1:]


@dataclass(frozen=True)
class RecordingKey:
    """One recording of the benchmark; ``file`` is relative to ``raw/``, ``planted`` and ``clean`` to the key's folder."""

    name: str
    file: str
    sha256: str
    planted: str
    planted_sha256: str
    clean: str
    clean_sha256: str
    fps: str
    frame_count: int
    width: int
    height: int
    pair: str = ""

    @property
    def rate(self) -> Fraction:
        """Frames per second."""
        return Fraction(self.fps)


@dataclass(frozen=True)
class Key:
    """An answer key, and the folder that it was read from."""

    folder: Path
    origin: Mapping[str, Any]
    recordings: tuple[RecordingKey, ...]
    items: tuple[Item, ...]

    def items_of(self, recording: str) -> list[Item]:
        """Return the items of one recording, in order."""
        return [item for item in self.items if item.recording == recording]


def write(key: Key) -> None:
    """Write a key's ``key.json`` into its folder."""
    items = [{name: value for name, value in asdict(item).items() if value not in ((), "", None, {})} for item in key.items]
    document = {"format": FORMAT, "version": VERSION, "origin": dict(key.origin), "recordings": [asdict(one) for one in key.recordings]}
    write_json(key.folder / FILE, {**document, "items": items})


def found(path: Path) -> Path | None:
    """Return the ``key.json`` that is meant by a path, as of `read`; None where there is none."""
    return next((one for one in (path / "key" / FILE, path / FILE, path) if one.is_file()), None)


def read(path: Path) -> Key:
    """Read a key and prove that its videos are the ones that it was written with.

    Parameters
    ----------
    path
        The folder that ``scrubin deid make`` wrote, its folder ``key``, or the ``key.json`` in there.

    Raises
    ------
    MetricsError
        When it is no key, or a video of it is missing or another one.
    """
    file = found(path)
    if file is None:
        raise MetricsError([error(str(path), "deid-key", f"there is no {FILE}", "name the folder that `scrubin deid make` wrote")])
    try:
        key = _parsed(strangers.read_json(file), file.parent)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as problem:
        raise MetricsError([error(str(file), "deid-key", f"it is no answer key ({problem!r})", FIX)]) from problem
    MetricsError.raise_any(_damaged(key))
    return key


def _parsed(document: Any, folder: Path) -> Key:
    if (document["format"], document["version"]) != (FORMAT, VERSION):
        raise ValueError(f"format {document['format']} {document['version']}, not {FORMAT} {VERSION}")
    recordings = tuple(RecordingKey(**one) for one in document["recordings"])
    items = tuple(_item(one) for one in document["items"])
    parsed: list[RecordingKey | Item] = [*recordings, *items]
    for one in parsed:
        _refuse_other_types(one)
    strange = sorted({item.kind for item in items} - KINDS.keys())
    if strange:
        raise ValueError(f"unknown kinds {strange}")
    return Key(folder, document["origin"], recordings, items)


def _refuse_other_types(one: RecordingKey | Item) -> None:
    """Raise what `read` says when a value is of another type than its field: a text for a width is found here, not by OpenCV."""
    for of in fields(one):
        value = getattr(one, of.name)
        # Annotations are texts.
        if (of.type == "str" and not isinstance(value, str)) or (of.type == "int" and not (type(value) is int and value > 0)):
            raise TypeError(f"{of.name} is {value!r}")
    if isinstance(one, RecordingKey):
        Fraction(one.fps)
        return
    whole = [*((2, row) for row in one.frames), *((5, row) for row in one.boxes)]
    seconds = one.interval_s or (0.0, 0.0)
    if not all(len(row) == count and all(type(number) is int for number in row) for count, row in whole):
        raise TypeError("a row of frames or boxes has other numbers than it should")
    are_texts = all(isinstance(needle, str) for needle in one.needles)
    if len(seconds) != 2 or not all(isinstance(second, int | float) for second in seconds) or not are_texts:
        raise TypeError("interval_s or needles are of another type")


def _item(values: Mapping[str, Any]) -> Item:
    lists = {"frames": tuple(map(tuple, values.get("frames", ()))), "boxes": tuple(map(tuple, values.get("boxes", ())))}
    interval = values.get("interval_s")
    return Item(
        **{**values, **lists, "needles": tuple(values.get("needles", ())), "interval_s": None if interval is None else tuple(interval)}
    )


def _damaged(key: Key) -> list[Fault]:
    faults = []
    for one in key.recordings:
        for name, sha256 in ((one.planted, one.planted_sha256), (one.clean, one.clean_sha256)):
            path = key.folder / name
            if not path.is_file():
                faults.append(error(str(path), "deid-key", "the video is missing", FIX))
            elif sha256_of(path) != sha256:
                faults.append(error(str(path), "deid-key", "the video is not the one that the key was written with", FIX))
    return faults
