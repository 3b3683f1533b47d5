"""The audit: re-reads a finished release and proves that nothing private is in it.

It knows nothing about how the files were made. Each kind of file has a reader that walks
through all of it; a file that no reader knows, or that a reader cannot read, is a finding too,
because what cannot be read cannot be proven clean.
"""

from __future__ import annotations

import gzip
import hashlib
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pyarrow as pa

from scrubin.core.files import FIXED_TIME_S, sha256_of
from scrubin.errors import PrivacyError
from scrubin.release import checksums, pictures
from scrubin.release.containers import documents, ebml, images, mp4, parquet, zipped
from scrubin.release.findings import Contents, Fault, Finding, Text
from scrubin.release.plan import Plan, VideoPlan
from scrubin.release.private_strings import Needle, Private
from scrubin.release.search import Search, chunks_of

Examine = Callable[[Path, VideoPlan | None], list[Fault]]
VIDEO_SUFFIXES = (".mkv", ".mp4", ".mov")
IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png")
MEDIA_FOLDERS = ("videos", "frames")
STRUCTURED_SUFFIXES = (".csv", ".json", ".parquet", ".npy", ".npz")
TEXT_SUFFIXES = (".md", ".txt", ".yaml", ".yml", ".tsv")
TEXT_NAMES = (checksums.NAME, "LICENSE", "README")
MEMBER_LIMIT = 1 << 30
# What the readers and their libraries raise on damaged files; NotImplementedError (zip) is a RuntimeError.
READER_ERRORS = (ValueError, LookupError, OSError, EOFError, RuntimeError, struct.error, zlib.error, zipfile.BadZipFile, pa.ArrowException)


@dataclass(frozen=True)
class _Release:
    """What the checks of one file need to know about all of them."""

    folder: Path
    plan: Plan
    search: Search
    sha256: Mapping[str, str]


def audit(folder: Path, private: Private, plan: Plan | None = None, examine: Examine = pictures.video_faults) -> list[Finding]:
    """Return everything in a release that must not be there, sorted; an empty list is the proof.

    Parameters
    ----------
    folder
        The finished release.
    private
        What must not occur in it; see ``private_strings.of_tables``.
    plan
        What it must hold; without, media are only held to the rules that need no plan.
    examine
        Decodes one video file and returns its faults; a caller may hand in results that it has.
    """
    files = sorted(path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())
    regular = [path for path in files if path.is_file() and not path.is_symlink()]
    names = [path.relative_to(folder).as_posix() for path in files]
    release = _Release(
        folder,
        plan or Plan(),
        Search(private, sum(path.stat().st_size for path in regular)),
        {path.relative_to(folder).as_posix(): sha256_of(path) for path in regular},
    )
    findings = [
        Finding(name, "", "layout", "links and special files may not be in a release; put the file itself there")
        for path, name in zip(files, names, strict=True)
        if path not in regular
    ]
    findings += _names(names, release)
    if plan is not None:
        findings += _media(release)
    findings += checksums.findings(folder, release.sha256)
    videos = {video.path: video for video in release.plan.videos}
    frames = {frame.path: frame for frame in release.plan.frames}
    for path in regular:
        name = path.relative_to(folder).as_posix()
        faults = [*_file(path, name, release), *_file_time(path)]
        if path.suffix.lower() in VIDEO_SUFFIXES:
            faults += examine(path, videos.get(name))
        elif name in frames:
            faults += pictures.frame_faults(path, frames[name])
        findings += [Finding(name, fault.place, fault.rule, fault.message) for fault in faults]
    return sorted(set(findings))


def _names(names: Iterable[str], release: _Release) -> Iterator[Finding]:
    """Search file and folder names; names of planned frames are numbers that the plan accounts for."""
    planned = {frame.path for frame in release.plan.frames}
    texts: dict[str, str] = {}
    for name in names:
        parts = PurePosixPath(name)
        texts[parts.parent.as_posix() if name in planned else name] = name
    if not any(release.search.in_text(Text("", "\n".join(texts)))):
        return
    for text, name in texts.items():
        for needle in sorted(release.search.in_text(Text("", text))):
            yield Finding(name, "name", "private-string", _told(needle))


def _media(release: _Release) -> Iterator[Finding]:
    """Compare the media files that are there with those that must be, and with their checksums."""
    planned = {video.path: video.sha256 for video in release.plan.videos} | {frame.path: "" for frame in release.plan.frames}
    there = {name for name in release.sha256 if name.split("/")[0] in MEDIA_FOLDERS}
    for name in sorted(planned.keys() - there):
        yield Finding(name, "", "layout", "the file is missing; run 'dvc repro' again")
    for name in sorted(there - planned.keys()):
        yield Finding(name, "", "layout", "no table names this file; take it out")
    for name in sorted(there & planned.keys()):
        if planned[name] and release.sha256[name] != planned[name]:
            yield Finding(name, "", "checksum", "its SHA-256 is not the one in the table 'videos'; run 'dvc repro render' again")


def _file_time(path: Path) -> Iterator[Fault]:
    if path.suffix.lower() in (*VIDEO_SUFFIXES, *IMAGE_SUFFIXES) and int(path.stat().st_mtime) != FIXED_TIME_S:
        yield Fault("file-time", "", "its time is not 2000-01-01 and can tell when it was made; run the release stage again")


def _file(path: Path, name: str, release: _Release) -> Iterator[Fault]:
    structured = path.suffix.lower() in STRUCTURED_SUFFIXES
    found = {needle: "bytes" for needle in release.search.in_bytes(chunks_of(path), structured=structured)}
    try:
        contents = _contents(path, name, release)
    except READER_ERRORS as error:
        contents = Contents([Fault("unreadable", "", f"it cannot be read, so it cannot be proven clean: {error}")])
    yield from contents.faults
    for text in contents.texts:
        found.update(dict.fromkeys(release.search.in_text(text), text.place))
    for needle, place in sorted(found.items()):
        yield Fault("private-string", place, _told(needle))


def _contents(path: Path, name: str, release: _Release) -> Contents:
    """Return what the reader for a kind of file makes of it."""
    suffix = path.suffix.lower()
    ids = release.plan.ids
    if suffix == ".mkv":
        return ebml.read(path)
    if suffix in (".mp4", ".mov"):
        return mp4.read(path)
    if suffix in (".jpg", ".jpeg"):
        return images.read_jpeg(path)
    if suffix == ".png":
        return images.read_png(path)
    if suffix == ".parquet":
        at_home = PurePosixPath(name).parent.name == "tables"
        return parquet.read(path, release.plan.tables.get(path.stem) if at_home else None, ids)
    if suffix in (".zip", ".npz"):
        return _zip(path, release)
    if suffix == ".gz":
        return _gzip(path, release)
    return _document(PurePosixPath(name).name, path.read_bytes(), ids)


def _document(name: str, data: bytes, ids: frozenset[str]) -> Contents:
    suffix = PurePosixPath(name).suffix.lower()
    if suffix == ".csv":
        return documents.read_csv(data, ids)
    if suffix == ".json":
        return documents.read_json(data, ids)
    if suffix == ".npy":
        return documents.read_array(data)
    if suffix in TEXT_SUFFIXES or name in TEXT_NAMES:
        return documents.read_text(data)
    return Contents([Fault("unreadable", "", "no reader knows this kind of file, so it cannot be proven clean; take it out")])


def _zip(path: Path, release: _Release) -> Contents:
    """Read a zip; a member is clean when it is a file of the release, which is audited itself, or a clean document."""
    contents = zipped.read_zip(path)
    faults, texts = [*contents.faults], [*contents.texts]
    known = set(release.sha256.values())
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            place = f"member {entry.filename!r}"
            with archive.open(entry) as member:
                if hashlib.file_digest(member, "sha256").hexdigest() in known:  # type: ignore[arg-type]
                    continue
            if entry.file_size > MEMBER_LIMIT:
                faults.append(Fault("unreadable", place, "it is no file of the release and too large to be read"))
                continue
            inner = _document(PurePosixPath(entry.filename).name, archive.read(entry), release.plan.ids)
            faults += [Fault(fault.rule, f"{place} {fault.place}".strip(), fault.message) for fault in inner.faults]
            texts += [Text(f"{place} {text.place}".strip(), text.text, text.structured) for text in inner.texts]
    return Contents(faults, texts)


def _gzip(path: Path, release: _Release) -> Contents:
    """Read a gzip file and, as a file of its own, what it holds."""
    header = zipped.read_gzip(path)
    with tempfile.TemporaryDirectory() as folder, gzip.open(path) as packed:
        inner = Path(folder) / path.stem
        with inner.open("wb") as file:
            while chunk := packed.read(MEMBER_LIMIT >> 8):
                file.write(chunk)
        contents = _contents(inner, path.stem, release)
        raw = [Fault("private-string", "packed bytes", _told(needle)) for needle in release.search.in_bytes(chunks_of(inner))]
    return Contents([*header.faults, *contents.faults, *raw], [*header.texts, *contents.texts])


def _told(needle: Needle) -> str:
    return f"it holds {needle.text!r}, which tells the {needle.kind}; take it out, or list it in release.public_words if it is harmless"


def prove(folder: Path, private: Private, plan: Plan, examine: Examine = pictures.video_faults) -> None:
    """Raise when the audit finds anything.

    Raises
    ------
    PrivacyError
        Lists all findings.
    """
    findings = audit(folder, private, plan, examine)
    if findings:
        lines = "\n  ".join(map(str, findings))
        msg = f"the release is refused, {len(findings)} finding{'s' if len(findings) > 1 else ''}:\n  {lines}"
        raise PrivacyError(msg)
