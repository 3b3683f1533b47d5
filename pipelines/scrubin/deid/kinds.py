"""The kinds of planted identifiers: what each one is, and what a tool must do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Carrier = Literal["picture", "sound", "file"]


@dataclass(frozen=True)
class Kind:
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
    Kind("outside", "picture", "frames of a room with people instead of the operation", "no frame of it is shown"),
    Kind("face", "picture", "the face of a person in such a room", "the face is not shown"),
    Kind("reflection", "picture", "a face reflected in the monitor, over the operation", "the face is not shown"),
    Kind("text", "picture", "a name, date, number or clock burned in over the operation", "the text is not shown"),
    Kind("speech", "sound", "a voice that says a name", "no sound is left"),
    Kind("container_tag", "file", "a tag of the file", "the tag is gone"),
    Kind("stream_tag", "file", "a tag of a stream", "the tag is gone"),
    Kind("creation_time", "file", "the time of recording, as a tag of file and streams", "the time is gone"),
    Kind("chapter", "file", "the title of a chapter", "the title is gone"),
    Kind("sei", "file", "a message inside the video stream (SEI, unregistered user data)", "the message is gone"),
    Kind("user_data", "file", "bytes in an unused part of the file", "the bytes are gone"),
    Kind("timecode", "file", "the time of day as a timecode", "the timecode is gone"),
    Kind("attachment", "file", "a document attached to the file", "the document is gone"),
    Kind("cover", "file", "a cover picture that shows the room, with a comment", "the picture and the comment are gone"),
    Kind("second_stream", "file", "a second video stream: the camera of the room", "the stream is gone"),
    Kind("subtitle", "file", "a stream of subtitles", "the text is gone"),
    Kind("file_name", "file", "name, place and date in the path of the file", "none of them is in the path"),
    Kind("file_time", "file", "the time of recording as the time of the file", "the file has another time"),
)
KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _KINDS}
"""Every kind by name, in the order of reports."""
