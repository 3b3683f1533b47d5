"""The file around the pictures: sound, tags, chapters, further streams, attachments, messages, times."""

from __future__ import annotations

import os
import struct
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import imageio_ffmpeg

from scrubin.core.errors import StageError
from scrubin.core.files import whole, write_text

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
            msg = f"{target.name}: the multiplexer failed with exit code {done.returncode}: {done.stderr.strip()[:SHOWN]}"
            raise StageError(msg)
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
