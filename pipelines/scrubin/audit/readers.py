"""One reader per kind of file; what no reader knows cannot be proven clean."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import struct
import tempfile
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

import pyarrow as pa

from scrubin.audit.containers import archives, binary_tables, documents, images, matroska, mp4
from scrubin.audit.expected import Contents, Fault, Text, media_types, plan
from scrubin.audit.expected.plan import Plan
from scrubin.audit.expected.private_strings import Needle
from scrubin.audit.expected.search import Search
from scrubin.base import disks, file_lists
from scrubin.base.files import sha256_of

CHUNK_BYTES = 1 << 22
CHUNKS_KEPT = 2


class OnePass(io.RawIOBase):
    """A file for readers that jump in it, while all of its bytes go by others once and in order.

    Chunks are read one after the other and the last two are kept, so that a reader which walks forward is served from
    what is read anyway, however large the file is. What lies behind, or far ahead, is read by itself.

    Parameters
    ----------
    path
        The file.
    watchers
        Each gets every chunk, once and in order, when ``finish`` has been called.
    """

    def __init__(self, path: Path, watchers: Sequence[Callable[[bytes], object]]) -> None:
        super().__init__()
        self._file = path.open("rb", buffering=0)
        self._watchers = watchers
        self.size = os.fstat(self._file.fileno()).st_size
        self._at = self._passed = 0
        self._kept: deque[tuple[int, bytes]] = deque(maxlen=CHUNKS_KEPT)

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def seekable(self) -> bool:
        """Whether a reader may jump in it."""
        return True

    def tell(self) -> int:
        """Return where the reader is."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Jump, as in any file."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        if start + offset < 0:
            raise ValueError(f"there is no byte {start + offset}")
        self._at = start + offset
        return self._at

    def read(self, size: int | None = -1, /) -> bytes:
        """Return so many bytes, fewer only at the end; without a number all that are left."""
        end = self.size if size is None or size < 0 else min(self._at + size, self.size)
        data = self._between(self._at, end)
        self._at += len(data)
        return data

    def readall(self) -> bytes:
        """Return all that is left."""
        return self.read()

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Read into a buffer; return how many bytes."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def finish(self) -> None:
        """Let those bytes go by that no reader wanted."""
        while self._pull():
            pass

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def _between(self, start: int, end: int) -> bytes:
        parts = []
        while start < end:
            kept = next((one for one in self._kept if one[0] <= start < one[0] + len(one[1])), None)
            if kept is not None:
                part = kept[1][start - kept[0] : end - kept[0]]
            elif self._passed <= start < self._passed + CHUNKS_KEPT * CHUNK_BYTES:
                if not self._pull():
                    break
                continue
            else:
                part = os.pread(self._file.fileno(), min(end - start, CHUNK_BYTES), start)
                if not part:
                    break
            parts.append(part)
            start += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _pull(self) -> bool:
        self._file.seek(self._passed)
        chunk = self._file.read(CHUNK_BYTES)
        if not chunk:
            return False
        self._kept.append((self._passed, chunk))
        self._passed += len(chunk)
        for watch in self._watchers:
            watch(chunk)
        return True


TEXT_SUFFIXES = (".bib", ".ini", ".md", ".txt", ".yaml", ".yml")
TEXT_NAMES = (file_lists.CHECKSUMS, "LICENSE", "README")
STRUCTURED_SUFFIXES = (".csv", ".tsv", ".json", ".parquet", ".npy", ".npz")
IMAGES = {".jpg": images.read_jpeg, ".jpeg": images.read_jpeg, ".png": images.read_png}
ARCHIVE_SUFFIXES = (".zip", ".npz", ".gz")
"""They are read last: what they hold may be files of the release."""
TABLE_LIMIT = 1 << 28
"""A larger table is read by its own library, once more."""
MEMBER_LIMIT = 1 << 30
# What the readers and their libraries raise on damaged files; NotImplementedError (zip) is a RuntimeError.
ERRORS = (ValueError, LookupError, OSError, EOFError, RuntimeError, struct.error, zlib.error, zipfile.BadZipFile, pa.ArrowException)
UNKNOWN = "no reader knows this kind of file, so it cannot be proven clean; take it out"


@dataclass(frozen=True)
class FileRead:
    """What came of reading one file.

    Parameters
    ----------
    sha256, size
        Of its bytes.
    faults
        What its reader finds wrong with it, and every private string in its bytes and texts.
    raw
        The private strings in its bytes.
    """

    sha256: str
    size: int
    faults: tuple[Fault, ...]
    raw: frozenset[Needle]


@dataclass(frozen=True)
class Released:
    """The other files of a release, for those that pack some of them.

    Parameters
    ----------
    sha256
        Of all that are no archives: a member of an archive that is one of them is read by itself.
    raw
        The private strings in the bytes of those of them that are searched as an archive is.
    archives
        All archives, by size; they are hashed when a member of another has that size.
    """

    sha256: AbstractSet[str] = frozenset()
    raw: Mapping[str, frozenset[Needle]] = field(default_factory=dict)
    archives: Mapping[int, tuple[Path, ...]] = field(default_factory=dict)

    def holds(self, sha256: str, size: int) -> bool:
        """Whether some bytes are those of a file of the release."""
        return sha256 in self.sha256 or any(sha256_of(path) == sha256 for path in self.archives.get(size, ()))


@dataclass(frozen=True)
class Reader:
    """Reads files of one release.

    Parameters
    ----------
    plan
        What the release must be.
    search
        Searches bytes and texts.
    released
        What an archive may hold.
    """

    plan: Plan
    search: Search
    released: Released = field(default_factory=Released)

    def read(self, path: Path, name: str, members: AbstractSet[str] = frozenset()) -> FileRead:
        """Return what is in a file, whose bytes are read once.

        Parameters
        ----------
        path, name
            The file, and how the release calls it.
        members
            The extracted frames that an archive of pictures must hold.
        """
        suffix, digest = path.suffix.lower(), hashlib.sha256()
        if name in plan.FILES:
            return self._document_about(path, name)
        if suffix in (".zip", ".npz"):
            with OnePass(path, [digest.update]) as file:
                contents, raw = self._safely(lambda: self._zip(path, file), lambda: self._searched(path))
                file.finish()
        else:
            passing = self.search.passing(structured=suffix in STRUCTURED_SUFFIXES)
            with OnePass(path, [digest.update, passing.see]) as file:
                contents, _ = self._safely(lambda: (self._contents(path, file, name, members), set()), set)
                file.finish()
            raw = passing.hits()
        return self._read(contents, raw, digest.hexdigest(), file.size)

    def _document_about(self, path: Path, name: str) -> FileRead:
        """Read a document about the release: what may stand in it is no finding."""
        data, stated = path.read_bytes(), self.plan.stated
        contents, _ = self._safely(lambda: (self._document(PurePosixPath(name).name, data), set()), set)
        texts = [replace(text, text=plan.without(stated, text.text)) for text in contents.texts]
        # What is no UTF-8 is a fault by itself, and is searched as it is.
        rest = plan.without(stated, data.decode(errors="surrogateescape")).encode(errors="surrogateescape")
        raw = self.search.in_bytes([rest], structured=path.suffix.lower() in STRUCTURED_SUFFIXES)
        return self._read(Contents(contents.faults, texts), raw, hashlib.sha256(data).hexdigest(), len(data))

    def _read(self, contents: Contents, raw: set[Needle], sha256: str, size: int) -> FileRead:
        places = dict.fromkeys(raw, "bytes")
        for text in contents.texts:
            places.update(dict.fromkeys(self.search.in_text(text), text.place))
        private = (Fault("private-string", place, needle.message) for needle, place in sorted(places.items()))
        return FileRead(sha256, size, (*contents.faults, *private), frozenset(raw))

    def _safely(self, read: Callable[[], tuple[Contents, set[Needle]]], search: Callable[[], set[Needle]]) -> tuple[Contents, set[Needle]]:
        """Read; a file that cannot be read has the fault that it cannot, and is searched nevertheless."""
        try:
            return read()
        except ERRORS as error:
            return Contents([Fault("unreadable", "", f"it cannot be read, so it cannot be proven clean: {error}")]), search()

    def _contents(self, path: Path, file: OnePass, name: str, members: AbstractSet[str] = frozenset()) -> Contents:
        suffix, data = path.suffix.lower(), cast(BinaryIO, file)
        if suffix in (".mkv", ".mp4", ".mov"):
            return self._video(matroska.read(data) if suffix == ".mkv" else mp4.read(data), name)
        if suffix in IMAGES:
            return IMAGES[suffix](file.read())
        if suffix == ".tar":
            return self._tar(data, name, members)
        if suffix == ".parquet":
            at_home = PurePosixPath(name).parent.name == "tables"
            table = path if file.size > TABLE_LIMIT else pa.py_buffer(file.read())
            return binary_tables.read(table, self.plan.tables.get(path.stem) if at_home else None, self.plan.public)
        if suffix in (".zip", ".npz"):
            return self._zip(path, file)[0]
        if suffix == ".gz":
            return self._gzip(path, data)
        return self._document(PurePosixPath(name).name, file.read())

    def _video(self, contents: Contents, name: str) -> Contents:
        """Hold the number of pictures that a container has to the plan: some may be out of reach of every player."""
        video = self.plan.video_at.get(name)
        if video is None or contents.pictures == video.frame_count:
            return contents
        message = f"expected {video.frame_count} pictures, but the container holds {contents.pictures}; render it again"
        return Contents([*contents.faults, Fault("frame-count", "container", message)], contents.texts)

    def _tar(self, file: BinaryIO, name: str, planned: AbstractSet[str]) -> Contents:
        """Read an archive of extracted frames: each member is one of the plan's, or tells of the one beside it."""
        there: list[tuple[archives.TarMember, Contents | Exception]] = []
        contents = archives.read(file, lambda member: there.append((member, self._packed(file, member))))
        beside = {PurePosixPath(member).stem: member for member in planned}
        faults, texts = [*contents.faults], [*contents.texts]
        for member, inner in there:
            if isinstance(inner, Exception):
                raise inner
            place, member_type = f"member {member.name!r}", PurePosixPath(member.name)
            # As the table names it, so that the frame's number is known to be one.
            texts.append(Text(place, f"{name}/{beside.get(member_type.stem, member.name)}"))
            if self.plan.videos and member.name not in planned and not (member_type.suffix == ".json" and member_type.stem in beside):
                faults.append(Fault("layout", place, "no table names this member; take it out"))
            _join(faults, texts, place, inner)
        missing = sorted(planned - {member.name for member, _ in there})
        faults += [Fault("layout", f"member {member!r}", "it is missing; run 'dvc repro frames' again") for member in missing]
        return Contents(faults, texts)

    def _packed(self, file: BinaryIO, member: archives.TarMember) -> Contents | Exception:
        """Return what is in a member of a tar, or why it cannot be read: a damaged header behind it comes first."""
        try:
            data, suffix = archives.read_member(file, member), PurePosixPath(member.name).suffix.lower()
            return IMAGES[suffix](data) if suffix in IMAGES else self._document(member.name, data)
        except ERRORS as error:
            return error

    def _document(self, name: str, data: bytes) -> Contents:
        suffix = PurePosixPath(name).suffix.lower()
        if suffix in (".csv", ".tsv"):
            return documents.read_csv(data, self.plan.public)
        if suffix == ".json":
            return documents.read_json(data, self.plan.public)
        if suffix == ".npy":
            return binary_tables.read_array(data)
        if suffix in TEXT_SUFFIXES or name in TEXT_NAMES:
            return documents.read_text(data, self.plan.ids)
        return Contents([Fault("unreadable", "", UNKNOWN)])

    def _zip(self, path: Path, file: OnePass) -> tuple[Contents, set[Needle]]:
        """Read a zip and search its bytes; a member is clean when it is a file of the release, read by itself, or a clean document.

        What is known of the bytes of a released file is not searched again where a zip holds them as they are.
        """
        proven: dict[tuple[int, int], frozenset[Needle]] = {}
        with zipfile.ZipFile(cast(BinaryIO, file)) as archive:
            # Beside the members only little is read, and out of order.
            with path.open("rb", buffering=0) as beside:
                contents, members = archives.read_zip(archive, beside)
            faults, texts = [*contents.faults], [*contents.texts]
            for member in members:
                entry, place = member.entry, f"member {member.entry.filename!r}"
                with archive.open(entry) as packed:
                    sha256 = hashlib.file_digest(packed, "sha256").hexdigest()  # type: ignore[arg-type]
                if member.is_plain and sha256 in self.released.raw:
                    proven[member.start, member.end] = self.released.raw[sha256]
                if self.released.holds(sha256, entry.file_size):
                    continue
                if entry.file_size > MEMBER_LIMIT:
                    faults.append(Fault("unreadable", place, "it is no file of the release and too large to be read"))
                    continue
                _join(faults, texts, place, self._document(PurePosixPath(entry.filename).name, archive.read(entry)))
        return Contents(faults, texts), self._searched(path, proven)

    def _searched(self, path: Path, proven: Mapping[tuple[int, int], frozenset[Needle]] | None = None) -> set[Needle]:
        """Return the private strings in the bytes of a zip, where those in some of its bytes are known."""
        known = proven or {}
        hits, structured = set().union(*known.values()), path.suffix.lower() in STRUCTURED_SUFFIXES
        with path.open("rb", buffering=0) as file:
            size = file.seek(0, 2)
            for first, end in _gaps(sorted(known), size):
                start = max(0, first - self.search.reach)
                passing = self.search.passing(structured=structured, within=(first - start, end - start))
                for chunk in _chunks(file, start, min(size, end + self.search.reach)):
                    passing.see(chunk)
                hits |= passing.hits()
        return hits

    def _gzip(self, path: Path, file: BinaryIO) -> Contents:
        """Read a gzip file and, as a file of its own, what it holds."""
        header = archives.read_gzip(file)
        file.seek(0)
        with disks.of_scratch(), tempfile.TemporaryDirectory() as folder, gzip.open(file) as packed:
            inner, passing = Path(folder) / path.stem, self.search.passing()
            with inner.open("wb") as unpacked:
                while chunk := packed.read(CHUNK_BYTES):
                    unpacked.write(chunk)
                    passing.see(chunk)
            if media_types.is_media(inner.name, media_types.head_of(inner)):
                return Contents([*header.faults, Fault("layout", "packed file", "no table names this picture or video; take it out")])
            with OnePass(inner, []) as file_in_it:
                contents = self._contents(inner, file_in_it, path.stem)
            raw = [Fault("private-string", "packed bytes", needle.message) for needle in passing.hits()]
        return Contents([*header.faults, *contents.faults, *raw], [*header.texts, *contents.texts])


def _join(faults: list[Fault], texts: list[Text], place: str, inner: Contents) -> None:
    """Add the faults and texts of a member."""
    faults += [Fault(fault.rule, f"{place} {fault.place}".strip(), fault.message) for fault in inner.faults]
    texts += [Text(f"{place} {text.place}".strip(), text.text, text.structured) for text in inner.texts]


def _gaps(ranges: list[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    """Yield first and end byte of what lies between ranges of a file."""
    position = 0
    for first, end in [*ranges, (size, size)]:
        if first > position:
            yield position, first
        position = max(position, end)


def _chunks(file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    file.seek(start)
    while start < end and (chunk := file.read(min(CHUNK_BYTES, end - start))):
        yield chunk
        start += len(chunk)
