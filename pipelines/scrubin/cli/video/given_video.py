"""The video that a command was given: a file, or an address in an object store, of which a copy lies here for so long."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scrubin.base.errors import StageError, VideoError
from scrubin.base.files import disk_of
from scrubin.base.strangers import existing_video

SUFFIX = re.compile(r"\.\w{1,8}\Z")
"""What a copy keeps of a name: only this tells a kind of file, and a name may be longer than a disk takes."""


def called(name: str) -> str:
    """Return how people are told of a video: an address may hold a signature behind its question mark."""
    from scrubin.base.object_store import plain

    return plain(name)


@contextmanager
def given_video(name: str) -> Iterator[Path]:
    """Yield the file of a name, or of an address such as ``s3://bucket/raw/one.mp4``.

    What is at an address is read once, whole: a decoder goes back and forth, and ffmpeg needs a file. The copy lies in a folder that
    others cannot read, below that of ``TMPDIR``, and is removed at the end; so the disk holds one recording at a time.

    Raises
    ------
    VideoError
        When there is no such file, or nothing is in it.
    StageError
        When there is no room for the copy, or what lies at the address changes while it is read.
    ReleaseError
        When it cannot be had.
    """
    if "://" not in name:
        yield existing_video(name)
        return
    from scrubin.base.object_store import ObjectFolder

    shown = called(name)
    parent, _, last = name.rpartition("/")
    store = ObjectFolder(parent)
    with tempfile.TemporaryDirectory(prefix="scrubin-") as folder:
        version, size = store.version(last), store.size(last)
        if size is not None and size > shutil.disk_usage(folder).free:
            msg = f"{shown}: it has {size:,} bytes, for which there is no room in {folder}; make room, or name another folder as TMPDIR"
            raise StageError(msg)
        suffix = SUFFIX.search(called(name))
        copy = Path(folder) / f"video{suffix[0] if suffix else ''}"
        with disk_of(copy), copy.open("wb") as file:
            file.writelines(store.pieces(last, size))
        if store.version(last) != version:
            raise StageError(f"{shown}: it was changed while it was read; wait until it is copied there completely, then run again")
        if not copy.stat().st_size:
            raise VideoError(shown, "there are no bytes: it is empty, or the beginning of other names", "name a video")
        yield copy
