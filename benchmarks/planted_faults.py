"""Faults that a release must not have, each planted in a copy of a finished one: `FAULTS`, by name with the rule that finds it."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import re
import struct
import subprocess
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import cv2
import imageio_ffmpeg
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.audit.expected.plan import Plan
from scrubin.audit.expected.spelling import without_accents, written_out
from scrubin.base import file_lists
from scrubin.base.files import FIXED_TIME_S, set_fixed_time, sha256_of, write_text
from scrubin.base.tables.private import LINKAGE
from scrubin.stages.release import added_files

BARE = ("-map_metadata", "-1", "-map_chapters", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact")
SEI_FREE = ("-bsf:v", "filter_units=remove_types=6")
IDENTITY = "086f3693-b7b3-4f2c-9653-21492feee5b8"
ZIP_TIME = (1980, 1, 1, 0, 0, 0)
ZipChange = Callable[[zipfile.ZipInfo, zipfile.ZipFile], object]


@dataclass
class Copy:
    """A copy of a release, with what is still free of faults in it.

    Parameters
    ----------
    folder
        Of the copy.
    plan
        What it must be.
    first, last, site, day
        Names of a participant, one of the sites, and a day (2023-03-06), all private.
    """

    folder: Path
    plan: Plan
    first: str
    last: str
    site: str
    day: str
    late: list[Callable[[], object]] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._videos = iter(video for video in self.plan.videos if not video.hidden)
        self._black = iter(video for video in self.plan.videos if any(span.box_xywh is None for span in video.hidden))
        self._stills = iter([still for video in self.plan.videos[::-1] for still in islice(video.stills, 3) if not still.redacted])

    def path(self, name: str) -> Path:
        """Return the path of a file, whose folder is there."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name: str, data: bytes | str) -> str:
        """Write a file and return its name."""
        self.path(name).write_bytes(data.encode() if isinstance(data, str) else data)
        return name

    def video(self, make: Callable[[Path, Path], object], *, black: bool = False) -> str:
        """Put ``make(source, target)`` in the place of a video, one with hidden pictures when it matters."""
        video = next(self._black if black else self._videos)
        source = self.path(video.path).with_name("before.mkv")
        self.path(video.path).rename(source)
        make(source, self.path(video.path))
        source.unlink()
        self.changed.add(video.path)
        return video.path

    def copied(self, *more: object, keep: tuple[object, ...] = BARE) -> str:
        """Copy a video's stream with something added."""
        return self.video(lambda source, target: ffmpeg("-i", source, *more, "-c:v", "copy", *keep, target))

    def still(self, change: Callable[[bytes], bytes]) -> str:
        """Change the bytes of an extracted frame."""
        name = next(self._stills).path
        return self.write(name, change(self.path(name).read_bytes()))

    def other_still(self) -> bytes:
        """Return the bytes of one more extracted frame."""
        return self.path(next(self._stills).path).read_bytes()

    def parquet(self, name: str, columns: object, **metadata: str) -> str:
        """Write a table, with metadata of its schema."""
        table = pa.table(columns)
        pq.write_table(table.replace_schema_metadata(dict(metadata) or None), self.path(name))
        return name

    def zip(self, name: str, change: ZipChange, member: str = "a.csv", data: str = "x\n1\n") -> str:
        """Write a zip of one member."""
        with zipfile.ZipFile(self.path(name), "w") as archive:
            entry = zipfile.ZipInfo(member, ZIP_TIME)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            change(entry, archive)
            archive.writestr(entry, data)
        return name

    def tar(self, name: str, member: str, data: bytes, time_s: int = 0, owner: str = "") -> str:
        """Write a tar of one member."""
        with tarfile.open(self.path(name), "w", format=tarfile.USTAR_FORMAT) as archive:
            info = tarfile.TarInfo(member)
            info.size, info.mtime, info.uname = len(data), time_s, owner
            archive.addfile(info, io.BytesIO(data))
        return name

    def seal(self) -> None:
        """Put right what is not the fault: file times, planned hashes and checksums; then plant what concerns these."""
        for path in self.folder.rglob("*"):
            if path.is_file() and not path.is_symlink() and int(path.stat().st_mtime) != FIXED_TIME_S:
                set_fixed_time(path, sha256_of(path))
        videos = tuple(replace(one, sha256=sha256_of(self.path(one.path))) if one.path in self.changed else one for one in self.plan.videos)
        self.plan = replace(self.plan, videos=videos)
        write_text(self.path(file_lists.CHECKSUMS), file_lists.checksums_text(added_files.hashes(self.folder)))
        for change in self.late:
            change()

    def later(self, change: Callable[[], object], name: str) -> str:
        """Plant a fault when everything else is put right."""
        self.late.append(change)
        return name


Plant = Callable[[Copy], str]
"""Plants a fault and returns the name of the file that a finding must name."""


def ffmpeg(*arguments: object) -> None:
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", *map(str, arguments)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def jpeg_segment(marker: int, body: bytes) -> Callable[[bytes], bytes]:
    segment = bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body
    return lambda data: data[:2] + segment + data[2:]


def thumbnail(data: bytes) -> bytes:
    """Put a small copy of a picture into its Exif, as cameras do."""
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    small = cv2.imencode(".jpg", cv2.resize(picture, (80, 45)))[1].tobytes()
    return jpeg_segment(0xE1, b"Exif\0\0MM\0*\0\0\0\x08" + small)(data)


def png(text: str) -> bytes:
    plain = cv2.imencode(".png", np.zeros((36, 64, 3), np.uint8))[1].tobytes()
    body = b"tEXtAuthor\0" + text.encode("latin-1", "replace")
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return plain[:33] + chunk + plain[33:]


def with_void(source: Path, target: Path) -> None:
    """Write into the unused space of a Matroska file, or behind its end where there is none."""
    data = bytearray(source.read_bytes())
    at = data.find(b"\xec\x01\x00\x00\x00\x00\x00\x00")
    if at < 0:
        data += b"\xec\x85hello"
    else:
        data[at + 20 : at + 25] = b"hello"
    target.write_bytes(data)


def audio(copy: Copy) -> str:
    return copy.copied("-f", "lavfi", "-i", "sine=duration=1", "-map", "0:v", "-map", "1:a", "-c:a", "flac")


def beside(copy: Copy, name: str, text: str) -> Path:
    """Write a file beside the copy, for the encoder to take."""
    path = copy.folder.parent / name
    path.write_text(text)
    return path


def attachment(copy: Copy) -> str:
    return copy.copied("-attach", beside(copy, "note.txt", "hello"), "-metadata:s:t", "mimetype=text/plain")


def chapters(copy: Copy) -> str:
    text = f";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle={copy.last}\n"
    source = beside(copy, "chapters.txt", text)
    return copy.copied("-f", "ffmetadata", "-i", source, "-map", "0:v", "-map_chapters", "1", keep=("-fflags", "+bitexact"))


def subtitles(copy: Copy) -> str:
    return copy.copied("-i", beside(copy, "a.srt", f"1\n00:00:00,000 --> 00:00:01,000\n{copy.last}\n"), "-map", "0:v", "-map", "1:s")


def second_video(copy: Copy) -> str:
    return copy.copied("-map", "0:v", "-map", "0:v")


def user_data(copy: Copy) -> str:
    return copy.copied("-bsf:v", f"h264_metadata=sei_user_data={IDENTITY}+{without_accents(copy.last)}")


def encoded_again(copy: Copy) -> str:
    """Leave the settings of the encoder in the stream."""
    return copy.video(lambda source, target: ffmpeg("-i", source, "-c:v", "libx264", "-crf", "18", *BARE, target))


def shown_again(copy: Copy) -> str:
    """Make what is hidden grey instead of black."""
    brighter = ("-vf", "lutyuv=y=val+40", "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p")

    def make(source: Path, target: Path) -> None:
        ffmpeg("-i", source, *brighter, *BARE, *SEI_FREE, target.with_name("part.mkv"))
        ffmpeg("-i", target.with_name("part.mkv"), "-c", "copy", *BARE, *SEI_FREE, target)
        target.with_name("part.mkv").unlink()

    return copy.video(make, black=True)


def shorter(copy: Copy) -> str:
    return copy.video(lambda source, target: ffmpeg("-i", source, "-c", "copy", "-frames:v", "40", *BARE, target))


def late_start(copy: Copy) -> str:
    return copy.copied("-output_ts_offset", "1")


def truncated(copy: Copy) -> str:
    return copy.video(lambda source, target: target.write_bytes(source.read_bytes()[: source.stat().st_size * 2 // 3]))


def more_bytes(copy: Copy) -> str:
    return copy.video(lambda source, target: target.write_bytes(source.read_bytes() + copy.last.encode()))


def reordered(copy: Copy) -> str:
    path = copy.path("tables/skill.parquet")
    table = pq.read_table(path)
    pq.write_table(table.take(list(range(table.num_rows))[::-1]), path)
    return "tables/skill.parquet"


def linkage(copy: Copy) -> str:
    rows = pd.DataFrame([{"recording": f"x{number}", "id": video.id, "draw": number} for number, video in enumerate(copy.plan.videos[:3])])
    assert set(rows) <= set(LINKAGE.column_names)
    return copy.parquet("groundtruth/more.parquet", rows, table="linkage")


def table_metadata(copy: Copy) -> str:
    path = copy.path("tables/errors.parquet")
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({**table.schema.metadata, b"note": b"hello"}), path)
    return "tables/errors.parquet"


def column_metadata(copy: Copy) -> str:
    path = copy.path("tables/phases.parquet")
    table = pq.read_table(path)
    first = table.schema.field(0)
    pq.write_table(table.cast(table.schema.set(0, first.with_metadata({**first.metadata, b"from": b"hello"}))), path)
    return "tables/phases.parquet"


def array(values: np.ndarray) -> bytes:
    data = io.BytesIO()
    np.save(data, values)
    return data.getvalue()


def packed(copy: Copy, name: str, inner: str, time_s: int, data: bytes) -> str:
    with copy.path(name).open("wb") as raw, gzip.GzipFile(inner, "wb", mtime=time_s, fileobj=raw) as file:
        file.write(data)
    return name


def moved_frame(copy: Copy) -> str:
    other = copy.other_still()
    return copy.still(lambda _: other)


def gone(copy: Copy) -> str:
    name = next(copy._stills).path
    return copy.later(copy.path(name).unlink, name)


def touched(copy: Copy) -> str:
    video = next(copy._videos).path
    return copy.later(lambda: os.utime(copy.path(video), (1_681_732_800, 1_681_732_800)), video)


def other_bytes(copy: Copy) -> str:
    """Change a file after its checksum was listed."""
    path = copy.path("data_dictionary.md")
    return copy.later(lambda: path.write_text(path.read_text() + "\n"), "data_dictionary.md")


def unlisted(copy: Copy) -> str:
    return copy.later(lambda: copy.write("more.txt", "hello\n"), "more.txt")


def linked(copy: Copy) -> str:
    return copy.later(lambda: copy.path("videos/more.mkv").symlink_to(copy.path(copy.plan.videos[0].path)), "videos/more.mkv")


def attribute(copy: Copy) -> str:
    return copy.later(lambda: os.setxattr(copy.path("croissant.json"), "user.xdg.origin.url", b"https://example.org"), "croissant.json")


def empty_folder(copy: Copy) -> str:
    return copy.later(lambda: copy.path("notes/new/x").parent.mkdir(exist_ok=True), "notes/new")


def left_over(copy: Copy) -> str:
    video = copy.plan.videos[0]
    return copy.write(str(Path(video.path).with_name("leftover.mkv")), copy.path(video.path).read_bytes())


def long_day(copy: Copy) -> str:
    return f"{int(copy.day[8:])}th of {pd.Timestamp(copy.day).month_name()} {copy.day[:4]}"


def appended(copy: Copy, name: str, text: str) -> str:
    return copy.write(name, copy.path(name).read_bytes() + text.encode())


def quoted(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in text)


def setting(**values: object) -> Callable[[zipfile.ZipInfo, zipfile.ZipFile], None]:
    def change(entry: zipfile.ZipInfo, _: zipfile.ZipFile) -> None:
        for name, value in values.items():
            setattr(entry, name, value)

    return change


STRING, COLUMN = "private-string", "private-column"
TEXTS: dict[str, tuple[str, Plant]] = {
    "a name in a document": (STRING, lambda c: c.write("a1.md", f"Thanks to {c.last}.\n")),
    "a name in the README": (STRING, lambda c: appended(c, "README.md", f"\nContact: {c.first}\n")),
    "a name with its case reversed": (STRING, lambda c: c.write("a2.txt", c.last.swapcase())),
    "a name without its accents": (STRING, lambda c: c.write("a3.txt", without_accents(c.last))),
    "a name with its umlauts written out": (STRING, lambda c: c.write("a4.txt", written_out(c.last))),
    "a name with soft hyphens": (STRING, lambda c: c.write("a5.txt", "\u00ad".join(c.last))),
    "a name with its letters spaced": (STRING, lambda c: c.write("a6.txt", " ".join(without_accents(c.last)))),
    "a name with dots between its letters": (STRING, lambda c: c.write("a7.md", "By " + ".".join(c.last) + ".\n")),
    "a name as an HTML escape": (STRING, lambda c: c.write("a9.md", "".join(f"&#{ord(letter)};" for letter in c.last))),
    "a name in a link": (
        STRING,
        lambda c: c.write("b1.md", "https://example.org/?q=" + quoted(c.last)),
    ),
    "a name in base64": (STRING, lambda c: c.write("b2.txt", base64.b64encode(f"{c.last} {c.first}".encode()))),
    "a name in hexadecimal": (STRING, lambda c: c.write("b3.txt", f"{c.last} {c.first}".encode().hex())),
    "a name in UTF-16": (STRING, lambda c: c.write("b4.txt", c.last.encode("utf-16"))),
    "a name in Latin-1": (STRING, lambda c: c.write("b5.txt", c.first.encode("latin-1", "replace"))),
    "a site in a YAML file": (STRING, lambda c: c.write("b6.yaml", f"where: {c.site}\n")),
    "a site with other separators": (STRING, lambda c: c.write("b7.txt", re.sub(r"[\W_]+", "_", c.site))),
    "a day in words": (STRING, lambda c: c.write("b8.md", f"Recorded on the {long_day(c)}.\n")),
    "a day as a number": (STRING, lambda c: c.write("b9.txt", c.day.replace("-", ""))),
    "a name in a CSV cell": (STRING, lambda c: c.write("c1.csv", f"id,who\nx,{c.last}\n")),
    "a column of sites in a CSV": (COLUMN, lambda c: c.write("c2.csv", "id,site\nx,1\n")),
    "a comment above a CSV header": ("unreadable", lambda c: c.write("c3.csv", "# by hand\nid,value\nx,1\n")),
    "a name in JSON escapes": (STRING, lambda c: c.write("c4.json", '{"note": "' + escaped(c.last) + '"}')),
    "a key of patients in JSON": (COLUMN, lambda c: c.write("c5.json", '{"patient_id": 17}')),
    "a day as a JSON number": (STRING, lambda c: c.write("c6.json", '{"made": ' + c.day.replace("-", "") + "}")),
    "ids in another order in JSON": ("order", lambda c: c.write("c7.json", json.dumps(sorted(c.plan.ids)[::-1]))),
    "a name in a parquet cell": (STRING, lambda c: c.parquet("groundtruth/d1.parquet", {"note": [c.first]})),
    "a name of a parquet column": (STRING, lambda c: c.parquet("groundtruth/d2.parquet", {c.last: [1]})),
    "a private parquet column": (COLUMN, lambda c: c.parquet("groundtruth/d3.parquet", {"participant": [1]})),
    "a table's metadata": ("parquet-metadata", table_metadata),
    "a name in parquet metadata": (STRING, lambda c: c.parquet("groundtruth/d4.parquet", {"value": [1]}, note=c.last)),
    "a column's metadata": ("parquet-metadata", column_metadata),
    "a parquet timestamp": ("unreadable", lambda c: c.parquet("groundtruth/d5.parquet", {"t": pa.array([pd.Timestamp(c.day)])})),
    "a private table": ("private-table", linkage),
    "rows in another order": ("order", reordered),
    "a name in an array": (STRING, lambda c: c.write("e1.npy", array(np.array([c.last])))),
    "bytes behind an array": ("unreadable", lambda c: c.write("e2.npy", array(np.arange(3)) + b"hello")),
}
FILES: dict[str, tuple[str, Plant]] = {
    "a zip's comment": ("zip", lambda c: c.zip("f1.zip", lambda _, archive: setattr(archive, "comment", b"hello"))),
    "a zip member's time": ("zip", lambda c: c.zip("f2.zip", setting(date_time=(2023, 4, 17, 12, 0, 0)))),
    "a name in a zip member's name": (STRING, lambda c: c.zip("f3.zip", setting(), f"{c.last}.csv")),
    "a name in a zip member": (STRING, lambda c: c.zip("f4.zip", setting(), data=f"x\n{c.first}\n")),
    "a gzip's name and time": ("gzip", lambda c: packed(c, "f5.csv.gz", "raw.csv", 1_681_732_800, b"x\n1\n")),
    "a name in a gzip": (STRING, lambda c: packed(c, "f6.csv.gz", "", 0, f"x\n{c.last}\n".encode())),
    "a tar member's time": ("tar", lambda c: c.tar("f7.tar", "a.json", b"{}", 1_681_732_800)),
    "a tar member's owner": ("tar", lambda c: c.tar("f8.tar", "a.json", b"{}", owner="anna")),
    "a name in a tar member's name": (STRING, lambda c: c.tar("f9.tar", f"{without_accents(c.last)}.json", b"{}")),
    "Exif in a frame": ("image-metadata", lambda c: c.still(jpeg_segment(0xE1, b"Exif\0\0hello"))),
    "an ICC profile in a frame": ("image-metadata", lambda c: c.still(jpeg_segment(0xE2, b"ICC_PROFILE\0\1\1x"))),
    "a comment in a frame": ("image-metadata", lambda c: c.still(jpeg_segment(0xFE, b"hello"))),
    "a thumbnail in a frame": ("image-metadata", lambda c: c.still(thumbnail)),
    "bytes behind a frame": ("image-metadata", lambda c: c.still(lambda data: data + b"hello")),
    "text in a PNG": ("image-metadata", lambda c: c.write("g1.png", png("hello"))),
    "a picture that no table names": ("layout", lambda c: c.write("frames/more.png", png(""))),
    "a frame of another video": ("frame-picture", moved_frame),
    "a missing frame": ("layout", gone),
    "a file of an unknown type": ("unreadable", lambda c: c.write("g2.bin", b"hello")),
    "a hidden file": ("unreadable", lambda c: c.write("tables/.DS_Store", b"hello")),
    "a name of a file": (STRING, lambda c: c.write(f"g3-{without_accents(c.last)}.txt", "hello\n")),
    "a name of a folder": (STRING, lambda c: c.write(f"{c.first}/g4.txt", "hello\n")),
    "a link": ("layout", linked),
    "an empty folder": ("layout", empty_folder),
    "an extended attribute": ("layout", attribute),
    "a file's time": ("file-time", touched),
    "other bytes than the checksum": ("checksum", other_bytes),
    "a file without a checksum": ("checksum", unlisted),
    "a video that no table names": ("layout", left_over),
}
VIDEOS: dict[str, tuple[str, Plant]] = {
    "a title": ("container", lambda c: c.copied("-metadata", f"title={c.last}")),
    "a time of making": ("container", lambda c: c.copied("-metadata", "creation_time=2023-04-17T12:00:00Z")),
    "a timecode": ("container", lambda c: c.copied("-metadata", "timecode=01:02:03:04")),
    "a stream's tag": ("container", lambda c: c.copied("-metadata:s:v:0", "handler=Endo 3")),
    "chapters": ("container", chapters),
    "an attachment": ("streams", attachment),
    "sound": ("streams", audio),
    "subtitles": ("streams", subtitles),
    "a second picture stream": ("streams", second_video),
    "user data in the stream": ("sei", user_data),
    "settings of the encoder": ("sei", encoded_again),
    "bytes in unused space": ("container", lambda c: c.video(with_void)),
    "bytes behind the end": ("container", more_bytes),
    "fewer pictures": ("frame-count", shorter),
    "pictures that begin late": ("timestamps", late_start),
    "hidden pictures that show": ("not-black", shown_again),
    "a truncated video": ("container", truncated),
}
FAULTS = {**TEXTS, **FILES, **VIDEOS}
