"""Archives that are the same bytes on every machine and every day."""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
from collections.abc import Collection
from pathlib import Path

from scrubin.core.files import whole
from scrubin.release import archives

MODE, PROGRAM_MODE = 0o644, 0o755


def zip_folder(path: Path, folder: Path, *, without: Collection[str] = ()) -> None:
    """Write a zip of what a folder holds, named from the folder on; ``without`` are names of members and folders to leave out."""
    members = {one.relative_to(folder).as_posix(): one for one in sorted(folder.rglob("*")) if one.is_file()}
    chosen = {name: file for name, file in members.items() if not any(name == out or name.startswith(f"{out}/") for out in without)}
    archives.write(path, chosen)


def tar_folder(path: Path, folder: Path) -> None:
    """Write a ``.tar.gz`` of what a folder holds, without times, owners or compression."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for one in sorted(file for file in folder.rglob("*") if file.is_file()):
            entry = tarfile.TarInfo(one.relative_to(folder).as_posix())
            entry.size, entry.mode = one.stat().st_size, MODE
            with one.open("rb") as source:
                archive.addfile(entry, source)
    content.seek(0)
    with whole(path) as part, part.open("wb") as file, gzip.GzipFile("", "wb", compresslevel=0, fileobj=file, mtime=0) as zipped:
        shutil.copyfileobj(content, zipped)
