"""The video that a command was given: a file, or an address in an object store, of which a copy lies here for so long."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from scrubin.base.errors import StageError
from scrubin.base.files import disk_of
from scrubin.base.strangers import existing_video


@contextmanager
def given_video(name: str) -> Iterator[Path]:
    """Yield the file of a name, or of an address such as ``s3://bucket/raw/one.mp4``.

    What is at an address is read once, whole: a decoder goes back and forth, and ffmpeg needs a file. The copy lies in a folder that
    others cannot read, below that of ``TMPDIR``, and is removed at the end; so the disk holds one recording at a time.

    Raises
    ------
    VideoError
        When there is no such file.
    StageError
        When there is no room for the copy, or what lies at the address changes while it is read.
    ReleaseError
        When it cannot be had.
    """
    if "://" not in name:
        yield existing_video(name)
        return
    from scrubin.base.object_store import ObjectFolder

    parent, _, last = name.rpartition("/")
    store = ObjectFolder(parent)
    with tempfile.TemporaryDirectory(prefix="scrubin-") as folder:
        version, size = store.version(last), store.size(last)
        if size is not None and size > shutil.disk_usage(folder).free:
            msg = f"{name}: it has {size:,} bytes, for which there is no room in {folder}; make room, or name another folder as TMPDIR"
            raise StageError(msg)
        copy = Path(folder) / f"video{PurePosixPath(last).suffix}"
        with disk_of(copy), copy.open("wb") as file:
            file.writelines(store.pieces(last, size))
        if store.version(last) != version:
            msg = f"{name}: it was changed while it was read; wait until it is copied there completely, then run again"
            raise StageError(msg)
        yield existing_video(str(copy))
