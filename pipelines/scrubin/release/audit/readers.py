"""One reader per kind of file; what no reader knows cannot be proven clean."""

from __future__ import annotations

import gzip
import hashlib
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pyarrow as pa

from scrubin.release import checksums
from scrubin.release.audit import media
from scrubin.release.audit.findings import Contents, Fault, Text
from scrubin.release.audit.plan import Plan
from scrubin.release.audit.strings.search import Search, chunks_of
from scrubin.release.containers import arrays, documents, ebml, images, mp4, parquet, tar, tree, zipped

TEXT_SUFFIXES = (".md", ".txt", ".yaml", ".yml")
TEXT_NAMES = (checksums.NAME, "LICENSE", "README")
STRUCTURED_SUFFIXES = (".csv", ".tsv", ".json", ".parquet", ".npy", ".npz")
IMAGES = {".jpg": images.read_jpeg, ".jpeg": images.read_jpeg, ".png": images.read_png}
MEMBER_LIMIT = 1 << 30
# What the readers and their libraries raise on damaged files; NotImplementedError (zip) is a RuntimeError.
ERRORS = (ValueError, LookupError, OSError, EOFError, RuntimeError, struct.error, zlib.error, zipfile.BadZipFile, pa.ArrowException)
UNKNOWN = "no reader knows this kind of file, so it cannot be proven clean; take it out"


@dataclass(frozen=True)
class Reader:
    """Reads files of one release.

    Parameters
    ----------
    plan
        What the release must be.
    search
        Searches the bytes of what is packed.
    sha256
        Hashes of all its files: a member of an archive that is one of them is audited by itself.
    """

    plan: Plan
    search: Search
    sha256: AbstractSet[str]

    def read(self, path: Path, name: str) -> Contents:
        """Return the faults and texts of a file; one that cannot be read has the fault that it cannot."""
        try:
            return self._contents(path, name)
        except ERRORS as error:
            return Contents([Fault("unreadable", "", f"it cannot be read, so it cannot be proven clean: {error}")])

    def _contents(self, path: Path, name: str) -> Contents:
        suffix = path.suffix.lower()
        if suffix in (".mkv", ".mp4", ".mov"):
            return self._video(ebml.read(path) if suffix == ".mkv" else mp4.read(path), name)
        if suffix in IMAGES:
            return IMAGES[suffix](path.read_bytes())
        if suffix == ".tar":
            return self._tar(path, name)
        if suffix == ".parquet":
            at_home = PurePosixPath(name).parent.name == "tables"
            return parquet.read(path, self.plan.tables.get(path.stem) if at_home else None, self.plan.public)
        if suffix in (".zip", ".npz"):
            return self._zip(path)
        if suffix == ".gz":
            return self._gzip(path)
        return self._document(PurePosixPath(name).name, path.read_bytes())

    def _video(self, contents: Contents, name: str) -> Contents:
        """Hold the number of pictures that a container has to the plan: some may be out of reach of every player."""
        video = self.plan.video_at.get(name)
        if video is None or contents.pictures == video.frame_count:
            return contents
        message = f"expected {video.frame_count} pictures, but the container holds {contents.pictures}; render it again"
        return Contents([*contents.faults, Fault("frame-count", "container", message)], contents.texts)

    def _tar(self, path: Path, name: str) -> Contents:
        """Read an archive of extracted frames: each member is one of the plan's, or tells of the one beside it."""
        contents, planned, there = tar.read(path), self.plan.members.get(name, frozenset()), tar.members(path)
        beside = {PurePosixPath(member).stem: member for member in planned}
        faults, texts = [*contents.faults], [*contents.texts]
        for member in there:
            place, member_type = f"member {member.name!r}", PurePosixPath(member.name)
            # As the table names it, so that the frame's number is known to be one.
            texts.append(Text(place, f"{name}/{beside.get(member_type.stem, member.name)}"))
            if self.plan.videos and member.name not in planned and not (member_type.suffix == ".json" and member_type.stem in beside):
                faults.append(Fault("layout", place, "no table names this member; take it out"))
            inner = self._member(member.name, tar.read_member(path, member))
            faults += [Fault(fault.rule, f"{place} {fault.place}".strip(), fault.message) for fault in inner.faults]
            texts += [Text(f"{place} {text.place}".strip(), text.text, text.structured) for text in inner.texts]
        missing = sorted(planned - {member.name for member in there})
        faults += [Fault("layout", f"member {member!r}", "it is missing; run 'dvc repro frames' again") for member in missing]
        return Contents(faults, texts)

    def _member(self, name: str, data: bytes) -> Contents:
        suffix = PurePosixPath(name).suffix.lower()
        return IMAGES[suffix](data) if suffix in IMAGES else self._document(name, data)

    def _document(self, name: str, data: bytes) -> Contents:
        suffix = PurePosixPath(name).suffix.lower()
        if suffix in (".csv", ".tsv"):
            return documents.read_csv(data, self.plan.public)
        if suffix == ".json":
            return tree.read_json(data, self.plan.public)
        if suffix == ".npy":
            return arrays.read_array(data)
        if suffix in TEXT_SUFFIXES or name in TEXT_NAMES:
            return documents.read_text(data, self.plan.ids)
        return Contents([Fault("unreadable", "", UNKNOWN)])

    def _zip(self, path: Path) -> Contents:
        """Read a zip; a member is clean when it is a file of the release, which is audited itself, or a clean document."""
        contents = zipped.read_zip(path)
        faults, texts = [*contents.faults], [*contents.texts]
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                place = f"member {entry.filename!r}"
                with archive.open(entry) as member:
                    if hashlib.file_digest(member, "sha256").hexdigest() in self.sha256:  # type: ignore[arg-type]
                        continue
                if entry.file_size > MEMBER_LIMIT:
                    faults.append(Fault("unreadable", place, "it is no file of the release and too large to be read"))
                    continue
                inner = self._document(PurePosixPath(entry.filename).name, archive.read(entry))
                faults += [Fault(fault.rule, f"{place} {fault.place}".strip(), fault.message) for fault in inner.faults]
                texts += [Text(f"{place} {text.place}".strip(), text.text, text.structured) for text in inner.texts]
        return Contents(faults, texts)

    def _gzip(self, path: Path) -> Contents:
        """Read a gzip file and, as a file of its own, what it holds."""
        header = zipped.read_gzip(path)
        with tempfile.TemporaryDirectory() as folder, gzip.open(path) as packed:
            inner = Path(folder) / path.stem
            with inner.open("wb") as file:
                while chunk := packed.read(MEMBER_LIMIT >> 8):
                    file.write(chunk)
            if media.is_media(inner.name, media.head_of(inner)):
                return Contents([*header.faults, Fault("layout", "packed file", "no table names this picture or video; take it out")])
            contents = self._contents(inner, path.stem)
            raw = [Fault("private-string", "packed bytes", needle.message) for needle in self.search.in_bytes(chunks_of(inner))]
        return Contents([*header.faults, *contents.faults, *raw], [*header.texts, *contents.texts])
