"""Identifiers in the file around the pictures: what goes into it, and the items of the key for it."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scrubin.core.files import write_text
from scrubin.deid.key import Item
from scrubin.deid.making.containers import Contents
from scrubin.deid.making.plan import SECOND_OF_DAY, RecordingPlan

MS = 1000


@dataclass(frozen=True)
class Beside:
    """Files that go into a recording beside its pictures, and what of them is already known.

    Parameters
    ----------
    sound, second, cover
        Files; None: the recording has none.
    voices
        What is said, with start and end in s.
    """

    sound: Path | None
    voices: tuple[tuple[str, float, float], ...]
    second: Path | None
    second_picture: str
    cover: Path | None
    cover_picture: str
    cover_says: str


def recorded_at_s(one: RecordingPlan) -> int:
    """Return when a recording began, in seconds since 1970."""
    return calendar.timegm(one.who.day.timetuple()) + SECOND_OF_DAY + 777 * one.index


def cover_text(one: RecordingPlan) -> str:
    """Return the comment in the cover picture."""
    return f"{one.who.patient.surname} {one.who.number(20)}"


def around(one: RecordingPlan, beside: Beside, scratch: Path) -> tuple[Contents, list[Item]]:
    """Return what is put around a recording's pictures, and its items; attachments are written into ``scratch``."""
    note = _Notes(one)
    matroska = one.container == "mkv"
    timecode = one.index % 3 != 1 and one.container != "mkv"
    contents = Contents(
        tags=_tags(one, note),
        stream_tags=note.tags(
            "stream_tag", "tag of the video stream", {"title" if matroska else "handler_name": f"OR 3 {_person(one)} {{number}}"}
        ),
        chapters=_chapters(one, note) if one.index % 2 == 0 else (),
        sound=beside.sound,
        second=beside.second,
        subtitles=_subtitles(one, note) if one.index % 3 == 0 else "",
        timecode=note.timecode() if timecode else "",
        sei=note.one("sei", "SEI message, unregistered user data", f"Patient {one.who.patient.surname} {{number}}")
        if one.index % 2 == 0
        else "",
        user_data=note.one("user_data", "free box behind the media", f"{_person(one)} {{number}}") if not matroska else "",
        attachments=_attachments(one, note, scratch) if matroska else (),
        cover=beside.cover,
    )
    note.pictures(beside)
    note.sounds(beside.voices)
    note.file()
    return contents, note.items


class _Notes:
    """The items so far; each gets a number that stands nowhere else."""

    def __init__(self, one: RecordingPlan) -> None:
        self._one = one
        self.items: list[Item] = []

    def one(self, kind: str, carried_by: str, text: str, interval_s: tuple[float, float] | None = None) -> str:
        number = self._one.who.number(30 + len(self.items))
        said = text.format(number=number)
        self._add(kind, carried_by, text=said, needles=(number, said), interval_s=interval_s)
        return said

    def tags(self, kind: str, carried_by: str, texts: Mapping[str, str]) -> dict[str, str]:
        return {name: self.one(kind, f"{carried_by}: {name}", text) for name, text in texts.items()}

    def timecode(self) -> str:
        second = SECOND_OF_DAY + 777 * self._one.index
        code = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}:00"
        self._add("timecode", "timecode of the video stream", text=code, needles=(code,))
        return code

    def time(self) -> str:
        second = SECOND_OF_DAY + 777 * self._one.index
        day = self._one.who.day.isoformat()
        time = f"{day}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        self._add("creation_time", "tag: creation_time", text=time, needles=(time,))
        return f"{time}Z"

    def pictures(self, beside: Beside) -> None:
        if beside.second is not None:
            self._add("second_stream", "second video stream", picture=beside.second_picture)
        if beside.cover is not None:
            self._add("cover", "cover picture", text=beside.cover_says, needles=(beside.cover_says,), picture=beside.cover_picture)

    def sounds(self, voices: tuple[tuple[str, float, float], ...]) -> None:
        for text, start_s, end_s in voices:
            self._add("speech", "sound", text=text, interval_s=(start_s, end_s))

    def file(self) -> None:
        one = self._one
        needles = (one.who.patient.surname, one.who.patient.first_name, f"{one.who.day:%Y%m%d}", one.who.site)
        self._add("file_name", "path of the file", text=one.file, needles=needles)
        self._add("file_time", "time of the file", traits={"time_s": recorded_at_s(one)})

    def _add(self, kind: str, carried_by: str, **values: object) -> None:
        make: Callable[..., Item] = Item
        self.items.append(make(f"{self._one.name}-f{len(self.items) + 1:02d}", self._one.name, kind, carried_by, **values))


def _person(one: RecordingPlan) -> str:
    return f"{one.who.patient.surname} {one.who.patient.first_name}"


def _tags(one: RecordingPlan, note: _Notes) -> dict[str, str]:
    texts = {
        "title": f"{_person(one)} {{number}}",
        "artist": f"Dr. {one.who.surgeon.surname} {{number}}",
        "comment": f"{one.who.site}, {one.who.day:%d.%m.%Y}, {{number}}",
    }
    if one.container == "mkv":
        texts["PATIENT_ID"] = "{number}"
    return {**note.tags("container_tag", "tag of the file", texts), "creation_time": note.time()}


def _chapters(one: RecordingPlan, note: _Notes) -> tuple[tuple[str, int, int], ...]:
    half_ms = int(one.frame_count / one.fps * MS) // 2
    titles = [note.one("chapter", "title of a chapter", f"{one.who.patient.surname} {part} {{number}}") for part in ("begin", "end")]
    return tuple((title, number * half_ms, (number + 1) * half_ms) for number, title in enumerate(titles))


def _subtitles(one: RecordingPlan, note: _Notes) -> str:
    said = note.one("subtitle", "subtitles", f"Patient {_person(one)} {{number}}", interval_s=(1.0, 3.0))
    return f"1\n00:00:01,000 --> 00:00:03,000\n{said}\n"


def _attachments(one: RecordingPlan, note: _Notes, scratch: Path) -> tuple[tuple[Path, str], ...]:
    said = note.one("attachment", "attached text file", f"Report of {_person(one)}, {{number}}")
    path = scratch / "report.txt"
    write_text(path, said + "\n")
    return ((path, "text/plain"),)
