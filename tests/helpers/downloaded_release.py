"""A small release as somebody downloads it, without a real picture in it, and sixty ways in which a copy goes wrong."""

from __future__ import annotations

import hashlib
import io as bytes_io
import os
import shutil
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from scrubin.base import file_lists
from scrubin.base.files import write_json, write_text
from scrubin.base.tables import io
from scrubin.base.tables.public import public_tables
from scrubin.stages.release import added_files, assembly
from scrubin.stages.release.release_params import ReleaseParams

IDS = ("abelo", "borunga", "cimeto", "dovanu", "fespila", "gorantu")
TASKS = {"abelo": "Peg", "borunga": "Peg", "cimeto": "Peg", "dovanu": "Näht", "fespila": "Näht", "gorantu": "Näht"}
CAMERAS = {"Peg": ("left", "right"), "Näht": ("mono",)}
FRAMES = 6
PARAMS = ReleaseParams("toy-study", "A toy study", "1.1.0", "CC-BY-4.0", archives=True, on_quarantine="continue", review="required")
VIDEO, OTHER = "videos/Peg/left/abelo.mkv", "videos/Peg/left/borunga.mkv"
PICTURES, OTHERS = "frames/Peg/left/abelo", "frames/Peg/left/borunga"


def build(folder: Path, *, shards: bool = False, params: ReleaseParams = PARAMS, seed: int = 0, plain: bool = False) -> Path:
    """Write a release; with ``plain`` one as version 0.1 wrote it, without a list of sizes."""
    rng = np.random.default_rng(seed)
    declared = {name: table for name, table in public_tables(()).items() if name in ("videos", "frames", "splits", "labelled")}
    videos, frames = [], []
    for id_ in IDS:
        for camera in CAMERAS[TASKS[id_]]:
            path = f"videos/{TASKS[id_]}/{camera}/{id_}.mkv"
            data = b"\x1a\x45\xdf\xa3\x80" + rng.bytes(4000 + 100 * len(videos))
            write(folder / path, data)
            row = {"id": id_, "task": TASKS[id_], "camera": camera, "path": path, "width": 96, "height": 64, "fps": "20"}
            row |= {"variable_rate": False, "frame_count": 100, "duration_s": 5.0, "sha256": hashlib.sha256(data).hexdigest()}
            videos.append(row)
            frames += _frames(folder, id_, camera, rng, shards=shards)
    splits = [{"scheme": "balanced", "fold": 0, "subset": "train" if i % 2 else "test", "id": id_} for i, id_ in enumerate(IDS)]
    labelled = [{"id": IDS[0], "layer": "phases", "frame": 0, "vocabulary": "cholec80", "detail": None}]
    rows = {"videos": videos, "frames": frames, "splits": splits, "labelled": labelled}
    tables = {name: io.frame_of(table, rows[name]) for name, table in declared.items()}
    text = "".join(f"{row['id']},{TASKS[row['id']]},{row['subset']}\n" for row in sorted(splits, key=lambda row: row["id"]))
    write_text(folder / "splits/balanced.csv", f"id,task,subset\n{text}")
    for id_ in IDS:
        write(folder / f"groundtruth/cholec80/phases/{id_}.csv", f"frame,phase_id,phase\n0,{rng.integers(7)},x\n".encode())
        write(folder / f"groundtruth/cholec80/yolo/{id_}.txt", b"")
    annotation = {"Peg.csv": "id;GRS\n" + "".join(f"{id_};0.5\n" for id_ in IDS[:3])}
    certificate = {"CERTIFICATE.md": "What was done.\n", "certificate.json": "{}\n"}
    assembly.complete(folder, params, declared, tables, annotation, Fraction(1), "Nobody looked.", certificate)
    withdrawn = {"withdrawn": [{"version": "1.1.0", "recordings": 2, "reason": "consent"}]}
    write_json(folder / "metadata/withdrawn.json", withdrawn)
    if plain:
        shutil.rmtree(folder / "metadata")
    seal(folder)
    return folder


def _frames(folder: Path, id_: str, camera: str, rng: np.random.Generator, *, shards: bool) -> list[dict[str, object]]:
    place = f"frames/{TASKS[id_]}/{camera}/{id_}"
    rows, pictures = [], {}
    for number in range(FRAMES):
        dropped, black = (id_, number) == ("cimeto", 2), number == 3
        name = f"{number:06d}.jpg"
        if not dropped:
            inside = b"black" if black else rng.bytes(500 + 7 * number + len(id_))
            pictures[name] = b"\xff\xd8\xff" + inside + b"\xff\xd9"
        row = {"id": id_, "camera": camera, "frame": number, "source_frame": 20 * number, "time_s": float(number)}
        row |= {"path": None if dropped else f"{place}{'.tar' if shards else ''}/{name}", "width": 96, "height": 64, "redacted": black}
        row |= {"dropped": dropped, "dropped_why": "sharpness 3.1 below 5" if dropped else None, "sharpness": 1.0, "brightness": 1.0}
        row |= {"contrast": 1.0, "saturated_share": 0.0, "difference": None if not number else 1.0, "perceptual_hash": "0123456789abcdef"}
        rows.append(row)
    if shards:
        write(folder / f"{place}.tar", tar_of(pictures))
    else:
        for name, data in pictures.items():
            write(folder / place / name, data)
    return rows


def tar_of(members: dict[str, bytes]) -> bytes:
    packed = bytes_io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, bytes_io.BytesIO(data))
    return packed.getvalue()


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def seal(folder: Path) -> None:
    """Make the lists those of the files as they are now."""
    sha256 = added_files.hashes(folder)
    if (folder / "metadata").is_dir():
        write_text(folder / file_lists.FILE_LIST, file_lists.file_list_text(sha256, added_files.sizes_of_files(folder, sha256)))
    write_text(folder / file_lists.CHECKSUMS, file_lists.checksums_text(added_files.hashes(folder)))


@dataclass(frozen=True)
class Copy:
    """A copy to damage, with releases of other versions to mix it with."""

    folder: Path
    older: Path

    def path(self, name: str) -> Path:
        return self.folder / name

    def edit(self, name: str, change: Callable[[bytes], bytes]) -> None:
        self.path(name).write_bytes(change(self.path(name).read_bytes()))

    def exchange(self, one: str, other: str) -> None:
        self.path(one).rename(self.folder / "between")
        self.path(other).rename(self.path(one))
        (self.folder / "between").rename(self.path(other))

    def rename(self, one: str, other: str) -> None:
        self.path(other).parent.mkdir(parents=True, exist_ok=True)
        self.path(one).rename(self.path(other))

    def take_older(self, name: str) -> None:
        shutil.copyfile(self.older / name, self.path(name))

    def table(self, name: str, change: Callable[[pa.Table], pa.Table]) -> None:
        pq.write_table(change(pq.read_table(self.path(name))), self.path(name))


@dataclass(frozen=True)
class Damage:
    """One way in which a copy goes wrong.

    Parameters
    ----------
    does
        Does it.
    named
        Every one of these texts must stand in one finding, together with the file.
    quick
        Whether names, sizes and counts are enough to see it.
    """

    does: Callable[[Copy], object]
    named: tuple[str, ...]
    quick: bool = True


def _flip(data: bytes) -> bytes:
    return data[:200] + bytes([data[200] ^ 1]) + data[201:]


def _sub(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data.replace(old, new, 1)


def _zip_to(copy: Copy, place: str) -> None:
    with zipfile.ZipFile(copy.path("archives/Peg_left.zip")) as archive:
        archive.extractall(copy.path(place))
    first = next(path for path in sorted(copy.path(place).rglob("abelo.mkv")))
    first.write_bytes(_flip(first.read_bytes()))


def _line_twice(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join([*lines[:5], lines[4], *lines[5:]])


def _shift(copy: Copy) -> None:
    """Number the frames of a recording from 1 on instead of 0, and leave the first one out."""
    for number in range(FRAMES - 1):
        shutil.copyfile(copy.path(f"{PICTURES}/{number + 1:06d}.jpg"), copy.path(f"{PICTURES}/{number:06d}.jpg"))


JPG, MKV, ZIP, SUMS, PARQUET = f"{PICTURES}/000004.jpg", VIDEO, "archives/Peg_left.zip", "SHA256SUMS", "tables/frames.parquet"
GT, NFD = "groundtruth/cholec80/phases/abelo.csv", unicodedata.normalize("NFD", "Näht")

DAMAGES: dict[str, Damage] = {
    "a missing video": Damage(lambda c: c.path(MKV).unlink(), (MKV, "missing")),
    "a missing frame": Damage(lambda c: c.path(JPG).unlink(), (JPG, "missing")),
    "a missing table": Damage(lambda c: c.path(PARQUET).unlink(), (PARQUET, "missing")),
    "a missing archive": Damage(lambda c: c.path(ZIP).unlink(), (ZIP, "missing")),
    "a missing README": Damage(lambda c: c.path("README.md").unlink(), ("README.md", "missing")),
    "a missing list of checksums": Damage(lambda c: c.path(SUMS).unlink(), (SUMS, "missing")),
    "a missing list of sizes": Damage(lambda c: c.path("metadata/files.csv").unlink(), ("metadata/files.csv", "missing")),
    "a missing description": Damage(lambda c: c.path("croissant.json").unlink(), ("croissant.json", "missing")),
    "a missing folder of frames": Damage(lambda c: shutil.rmtree(c.path(PICTURES)), (PICTURES, "whole folder", "6 files")),
    "a missing camera": Damage(lambda c: shutil.rmtree(c.path("videos/Peg/right")), ("videos/Peg/right", "whole folder", "3 files")),
    "all videos missing": Damage(lambda c: shutil.rmtree(c.path("videos")), ("videos", "whole folder", "--partial")),
    "a truncated video": Damage(lambda c: c.edit(MKV, lambda d: d[:1234]), (MKV, "1,234 of", "cut off")),
    "a truncated frame": Damage(lambda c: c.edit(JPG, lambda d: d[:100]), (JPG, "100 of", "cut off")),
    "a truncated archive": Damage(lambda c: c.edit(ZIP, lambda d: d[:-50]), (ZIP, "cut off")),
    "a truncated table": Damage(lambda c: c.edit(PARQUET, lambda d: d[: len(d) // 2]), (PARQUET, "cut off")),
    "an empty file": Damage(lambda c: c.edit(JPG, lambda _: b""), (JPG, "empty (0 bytes)")),
    "zeros at the end": Damage(lambda c: c.edit(MKV, lambda d: d[:1000] + bytes(len(d) - 1000)), (MKV, "zero bytes"), quick=False),
    "a flipped bit in a video": Damage(lambda c: c.edit(MKV, _flip), (MKV, "not those that were released"), quick=False),
    "a flipped bit in a frame": Damage(lambda c: c.edit(JPG, _flip), (JPG, "not those that were released"), quick=False),
    "a flipped bit in an archive": Damage(lambda c: c.edit(ZIP, _flip), (ZIP, "not those that were released"), quick=False),
    "more bytes at the end": Damage(lambda c: c.edit(MKV, lambda d: d + b"more"), (MKV, "4 more than")),
    "a page in the place of a file": Damage(lambda c: c.edit(MKV, lambda _: b"<!DOCTYPE html><html>Log in</html>"), (MKV, "web page")),
    "an error message of a server": Damage(
        lambda c: c.edit(JPG, lambda _: b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>"),
        (JPG, "error message of a server"),
    ),
    "a pointer of git": Damage(
        lambda c: c.edit(MKV, lambda _: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"),
        (MKV, "pointer", "git lfs pull"),
    ),
    "two videos exchanged": Damage(lambda c: c.exchange(MKV, OTHER), (MKV, OTHER, "exchanged")),
    "two frames exchanged": Damage(
        lambda c: c.exchange(JPG, f"{OTHERS}/000001.jpg"), (JPG, f"{OTHERS}/000001.jpg", "exchanged"), quick=False
    ),
    "two folders of frames exchanged": Damage(lambda c: c.exchange(PICTURES, OTHERS), (PICTURES, OTHERS, "exchanged"), quick=False),
    "frames numbered otherwise": Damage(_shift, (PICTURES, "numbered"), quick=False),
    "a copy in the place of another": Damage(
        lambda c: shutil.copyfile(c.path(OTHER), c.path(MKV)), (MKV, OTHER, "its own are lost"), quick=False
    ),
    "a renamed video": Damage(lambda c: c.rename(MKV, "videos/Peg/left/video 1.mkv"), (MKV, "video 1.mkv", "rename")),
    "a renamed folder": Damage(lambda c: c.rename(PICTURES, "frames/Peg/left/abelo (1)"), (PICTURES, "abelo (1)", "rename"), quick=False),
    "a name in other case": Damage(lambda c: c.rename(MKV, "videos/Peg/left/Abelo.MKV"), (MKV, "Abelo.MKV", "capital")),
    "a folder in other case": Damage(lambda c: c.rename("videos", "Videos"), ("videos", "Videos", "capital")),
    "a name in another Unicode form": Damage(lambda c: c.rename("videos/Näht", f"videos/{NFD}"), ("videos/Näht", "Unicode form")),
    "names with backslashes": Damage(lambda c: c.rename(MKV, MKV.replace("/", "\\")), (MKV, "backslashes")),
    "a frame in another folder": Damage(lambda c: c.rename(JPG, f"{OTHERS}/000077.jpg"), (JPG, "000077.jpg"), quick=False),
    "everything one folder deeper": Damage(
        lambda c: [c.rename(one, f"toy/{one}") for one in ("videos", "frames", "tables")], ("toy", "too deep")
    ),
    "a download that was interrupted": Damage(lambda c: c.rename(MKV, f"{MKV}.crdownload"), (MKV, "crdownload"), quick=False),
    "the rest of a download": Damage(lambda c: write(c.path(f"{MKV}.part"), b"begun"), (f"{MKV}.part", "unfinished download")),
    "a begun download": Damage(
        lambda c: (c.edit(MKV, lambda d: d[:99]), c.rename(MKV, f"{MKV}.part")), (MKV, ".part", "unfinished download")
    ),
    "an extra video": Damage(
        lambda c: write(c.path("videos/Peg/left/zzz.mkv"), b"\x1a\x45\xdf\xa3more"), ("videos/Peg/left/zzz.mkv", "no file of")
    ),
    "an extra folder": Damage(
        lambda c: [write(c.path(f"frames/Peg/left/old/{n}.jpg"), b"%d" % n) for n in range(4)], ("frames/Peg/left/old", "4 files")
    ),
    "a second copy of a frame": Damage(
        lambda c: shutil.copyfile(c.path(JPG), c.path(JPG.replace("4.jpg", "4 (1).jpg"))), ("4 (1).jpg", "second copy", JPG), quick=False
    ),
    "line ends of Windows in a table": Damage(
        lambda c: c.edit("splits/balanced.csv", lambda d: d.replace(b"\n", b"\r\n")), ("splits/balanced.csv", "line ends"), quick=False
    ),
    "line ends of Windows in the list": Damage(lambda c: c.edit(SUMS, lambda d: d.replace(b"\n", b"\r\n")), (SUMS, "line ends")),
    "a byte order mark": Damage(
        lambda c: c.edit("splits/balanced.csv", lambda d: b"\xef\xbb\xbf" + d), ("splits/balanced.csv", "byte order mark"), quick=False
    ),
    "a list that was cut off": Damage(lambda c: c.edit(SUMS, lambda d: d[:-1000]), (SUMS, "cut off")),
    "a list that lacks lines": Damage(lambda c: c.edit(SUMS, lambda d: b"".join(d.splitlines(keepends=True)[:20])), (SUMS, "lacks")),
    "a damaged line of the list": Damage(lambda c: c.edit(SUMS, lambda d: b"x" + d[1:]), (SUMS, "line 1", "expected a SHA-256")),
    "a changed hash in the list": Damage(
        lambda c: c.edit(SUMS, lambda d: (b"0" if d[:1] != b"0" else b"1") + d[1:]), (SUMS, "line 1", "not the released one")
    ),
    "a line twice": Damage(lambda c: c.edit(SUMS, _line_twice), (SUMS, "line 6", "second time")),
    "a name that leads out": Damage(lambda c: c.edit(SUMS, lambda d: d + b"0" * 64 + b"  ../../secret\n"), (SUMS, "leads out")),
    "the list of another version": Damage(lambda c: c.take_older(SUMS), (SUMS, "another version")),
    "the sizes of another version": Damage(
        lambda c: c.take_older("metadata/files.csv"), ("metadata/files.csv", "another version"), quick=False
    ),
    "the description of another version": Damage(lambda c: c.take_older("croissant.json"), ("croissant.json", "1.0.0", "1.1.0")),
    "the README of another version": Damage(lambda c: c.take_older("README.md"), ("README.md", "1.0.0", "1.1.0")),
    "a table of another version": Damage(lambda c: c.take_older("tables/videos.parquet"), ("tables/videos.parquet",)),
    "a video of another version": Damage(lambda c: c.take_older(MKV), (MKV, "not those that were released"), quick=False),
    "a table that was replaced": Damage(
        lambda c: shutil.copyfile(c.path("tables/splits.parquet"), c.path("tables/labelled.parquet")),
        ("tables/labelled.parquet", "tables/splits.parquet"),
    ),
    "a row less in a table": Damage(lambda c: c.table(PARQUET, lambda t: t.slice(1)), (PARQUET,)),
    "a link that leads nowhere": Damage(lambda c: (c.path(MKV).unlink(), c.path(MKV).symlink_to("/nowhere/a.mkv")), (MKV, "leads nowhere")),
    "a pipe in the place of a file": Damage(lambda c: (c.path(MKV).unlink(), os.mkfifo(c.path(MKV))), (MKV, "neither a file")),
    "a folder in the place of a file": Damage(lambda c: (c.path(MKV).unlink(), c.path(MKV).mkdir()), (MKV, "missing")),
    "an archive unpacked with other bytes": Damage(
        lambda c: _zip_to(c, "archives"), ("archives/Peg/left/abelo.mkv", "Peg_left.zip"), quick=False
    ),
    "a split that was edited": Damage(
        lambda c: (c.edit("splits/balanced.csv", _sub(b"abelo,Peg,test", b"abelo,Peg,train")), seal(c.folder)),
        ("splits/balanced.csv", "abelo", "elsewhere"),
    ),
    "a row less, with lists made again": Damage(
        lambda c: (c.table(PARQUET, lambda t: t.slice(1)), seal(c.folder)), (PARQUET, "abelo, left", "rows are missing")
    ),
    "a video replaced, with lists made again": Damage(
        lambda c: (c.edit(MKV, _flip), seal(c.folder)), ("tables/videos.parquet", MKV, "not the released one"), quick=False
    ),
    "ground truth that was edited": Damage(lambda c: c.edit(GT, _sub(b"0,", b"1,")), (GT, "not those that were released"), quick=False),
}

SHARD = "frames/Peg/left/abelo.tar"


def older(params: ReleaseParams = PARAMS) -> ReleaseParams:
    return replace(params, version="1.0.0")


def copy_of(release: Path, folder: Path) -> Path:
    shutil.copytree(release, folder, copy_function=shutil.copyfile, symlinks=True)
    return folder
