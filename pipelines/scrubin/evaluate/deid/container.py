"""The file around the pictures: sound, spoken names, tags, chapters, attachments, with the identifiers planted in them.

No voice of a person is used. What matters to the key is when somebody speaks, and that it is heard.
Formant frequencies: Peterson and Barney 1952, table II, men, rounded.
"""

from __future__ import annotations

import calendar
import math
import os
import struct
import subprocess
import tempfile
import unicodedata
import wave
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import imageio_ffmpeg
import numpy as np
from numpy.typing import NDArray

from scrubin.base.errors import StageError
from scrubin.base.files import whole, write_text
from scrubin.evaluate.deid.key import Item
from scrubin.evaluate.deid.plan import SECOND_OF_DAY, RecordingPlan

RATE_HZ = 16_000
LETTER_S = 0.09
PITCH_HZ = 118
HUM_HZ, HUM_LEVEL = 50, 0.004
LEVEL = 0.3
FORMANTS_HZ: Mapping[str, tuple[int, int, int]] = {
    "a": (730, 1090, 2440),
    "e": (530, 1840, 2480),
    "i": (270, 2290, 3010),
    "o": (570, 840, 2410),
    "u": (300, 870, 2240),
    "y": (300, 1700, 2300),
}
VOICED = {"b": 400, "d": 1700, "g": 1200, "j": 2000, "l": 1100, "m": 250, "n": 300, "r": 1300, "v": 600, "w": 500}
HISS_HZ = {"s": 6000, "z": 5200, "f": 4200, "c": 5000, "x": 3800, "h": 1500, "t": 3500, "k": 2200, "p": 900, "q": 2000}
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
BANDWIDTH_HZ = 90

Samples = NDArray[np.float64]


def write_sound(path: Path, length_s: Fraction, utterances: Iterable[tuple[Fraction, str]], rng: np.random.Generator) -> list[float]:
    """Write a WAV file of a humming room in which somebody speaks at times; return the end of each utterance in s."""
    total = int(length_s * RATE_HZ)
    sound = HUM_LEVEL * np.sin(2 * np.pi * HUM_HZ * np.arange(total) / RATE_HZ)
    ends = []
    for start_s, text in utterances:
        voice = spoken(text, rng)
        start = int(start_s * RATE_HZ)
        voice = voice[: max(total - start, 0)]
        sound[start : start + len(voice)] += voice
        ends.append((start + len(voice)) / RATE_HZ)
    with whole(path) as part, wave.open(str(part), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes((np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())
    return ends


def spoken(text: str, rng: np.random.Generator) -> Samples:
    """Return a text letter by letter as sound between -1 and 1."""
    parts = [_letter(letter, rng) for letter in _letters(text)]
    sound = np.concatenate(parts) if parts else np.zeros(0)
    loudest = float(np.abs(sound).max(initial=0.0))
    return sound * LEVEL / loudest if loudest else sound


def _letters(text: str) -> str:
    named = "".join(f" {DIGITS[int(letter)]} " if letter.isascii() and letter.isdigit() else letter for letter in text)
    return "".join(letter for letter in unicodedata.normalize("NFKD", named.lower()) if letter.isascii())


def _letter(letter: str, rng: np.random.Generator) -> Samples:
    count = int(LETTER_S * RATE_HZ)
    time_s = np.arange(count) / RATE_HZ
    fade = np.minimum(1.0, np.minimum(np.arange(count), np.arange(count)[::-1]) / (0.15 * count))
    if letter in FORMANTS_HZ:
        return fade * _voice(time_s, FORMANTS_HZ[letter])
    if letter in VOICED:
        return 0.5 * fade * _voice(time_s, (VOICED[letter],))
    if letter in HISS_HZ:
        noise = rng.integers(-1000, 1001, count) / 1000
        return 0.4 * fade * noise * np.cos(2 * np.pi * HISS_HZ[letter] * time_s)
    return np.zeros(count // 2)


def _voice(time_s: Samples, formants_hz: tuple[int, ...]) -> Samples:
    """Return the harmonics of a pitch, each as loud as its nearest formants make it."""
    sound = np.zeros(len(time_s))
    for harmonic in range(PITCH_HZ, RATE_HZ // 2, PITCH_HZ):
        gain = math.fsum(1 / (1 + ((harmonic - formant) / BANDWIDTH_HZ) ** 2) for formant in formants_hz)
        sound += gain * np.sin(2 * np.pi * harmonic * time_s)
    return sound


BITEXACT = ("-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact")
SEI_ID = "7c3f9a1e-52b4-4d08-9e61-0d8a6b27f4c5"
SHOWN = 600


@dataclass(frozen=True)
class Contents:
    """What goes into one file beside its pictures.

    Parameters
    ----------
    tags, stream_tags
        Of the file, and of its video stream.
    chapters
        Title, start and end in ms.
    subtitles
        As SubRip; empty: none.
    timecode
        hh:mm:ss:ff; empty: none.
    sei
        Text of a message in the video stream.
    user_data
        Text in a ``free`` box behind everything (mp4 and mov).
    attachments
        Files for Matroska, with their types.
    cover
        A JPEG; an attached picture in mp4 and mov, an attachment in Matroska.
    """

    tags: Mapping[str, str] = field(default_factory=dict)
    stream_tags: Mapping[str, str] = field(default_factory=dict)
    chapters: Sequence[tuple[str, int, int]] = ()
    sound: Path | None = None
    second: Path | None = None
    subtitles: str = ""
    timecode: str = ""
    sei: str = ""
    user_data: str = ""
    attachments: Sequence[tuple[Path, str]] = ()
    cover: Path | None = None


def mux(video: Path, target: Path, contents: Contents, time_s: int) -> None:
    """Write a video's pictures, copied, and everything around them into one file.

    Parameters
    ----------
    time_s
        The file's time, in seconds since 1970.

    Raises
    ------
    StageError
        The multiplexer failed; what it said is in the message.
    """
    with tempfile.TemporaryDirectory() as scratch, whole(target) as part:
        command = [imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-loglevel", "error", "-nostdin", "-y"]
        command += _arguments(video, part, contents, Path(scratch))
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            raise StageError(f"{target.name}: the multiplexer failed with exit code {done.returncode}: {done.stderr.strip()[:SHOWN]}")
        if contents.user_data:
            _append_free_box(part, contents.user_data)
    os.utime(target, (time_s, time_s))


def _arguments(video: Path, part: Path, contents: Contents, scratch: Path) -> list[str]:
    matroska = part.suffix == ".mkv"
    inputs, maps, options = ["-i", str(video)], ["-map", "0:v"], ["-c", "copy"]
    count = 1
    for path, chosen in ((contents.second, "v"), (contents.sound, "a")):
        if path is not None:
            inputs, maps, count = [*inputs, "-i", str(path)], [*maps, "-map", f"{count}:{chosen}"], count + 1
    if contents.sound is not None:
        options += ["-c:a", "aac", "-b:a", "64k"]
    if contents.subtitles:
        write_text(scratch / "subtitles.srt", contents.subtitles)
        inputs, maps, count = [*inputs, "-i", str(scratch / "subtitles.srt")], [*maps, "-map", f"{count}:s"], count + 1
        options += ["-c:s", "srt" if matroska else "mov_text"]
    if contents.cover is not None and not matroska:
        inputs, maps, count = [*inputs, "-i", str(contents.cover)], [*maps, "-map", f"{count}:v"], count + 1
        options += [f"-disposition:v:{1 if contents.second is None else 2}", "attached_pic"]
    if contents.chapters:
        write_text(scratch / "chapters.txt", _chapter_text(contents.chapters))
        inputs += ["-f", "ffmetadata", "-i", str(scratch / "chapters.txt")]
        options += ["-map_chapters", str(count)]
    for path, mime in [*contents.attachments, *([(contents.cover, "image/jpeg")] if contents.cover is not None and matroska else [])]:
        options += ["-attach", str(path)]
        number = options.count("-attach") - 1
        options += [f"-metadata:s:t:{number}", f"mimetype={mime}", f"-metadata:s:t:{number}", f"filename={path.name}"]
    options += [option for name in sorted(contents.tags) for option in ("-metadata", f"{name}={contents.tags[name]}")]
    options += [option for name in sorted(contents.stream_tags) for option in ("-metadata:s:v:0", f"{name}={contents.stream_tags[name]}")]
    if contents.timecode:
        options += ["-metadata:s:v:0", f"timecode={contents.timecode}"] if matroska else ["-timecode", contents.timecode]
    if contents.sei:
        # The filter reads '+' between id and text, and ':' and ',' end its options.
        options += ["-bsf:v:0", f"h264_metadata=sei_user_data={SEI_ID}+{contents.sei}"]
    return [*inputs, *maps, *options, *BITEXACT, str(part)]


def _chapter_text(chapters: Sequence[tuple[str, int, int]]) -> str:
    lines = [";FFMETADATA1"]
    for title, start_ms, end_ms in chapters:
        lines += ["[CHAPTER]", "TIMEBASE=1/1000", f"START={start_ms}", f"END={end_ms}", f"title={title}"]
    return "\n".join(lines) + "\n"


def _append_free_box(path: Path, text: str) -> None:
    """Append a box that players pass over (ISO/IEC 14496-12, 8.1.2)."""
    content = text.encode()
    with path.open("ab") as file:
        file.write(struct.pack(">I4s", 8 + len(content), b"free") + content)


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
