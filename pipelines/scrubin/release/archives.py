"""Zips as LASANA has them: one per task and camera, and one for the annotations.

Equal files give equal bytes: nothing is compressed (videos are already), members are sorted, and
every header that could tell who packed it when has a fixed value.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

from scrubin.core.files import CHUNK_BYTES, whole

ANNOTATION = "Annotation"
FIXED_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can hold
UNIX = 3
FILE_MODE = 0o100644 << 16


def contents(folder: Path) -> dict[str, dict[str, Path]]:
    """Return the archives of a release: file name to member name to file.

    ``videos/<task>/<camera>/<id>.mkv`` becomes ``<task>/<camera>/<id>.mkv`` in ``<task>_<camera>.zip``.
    """
    archives: dict[str, dict[str, Path]] = {}
    for path in sorted((folder / "videos").glob("*/*/*")):
        task, camera, _ = path.relative_to(folder / "videos").parts
        archives.setdefault(f"{task}_{camera}.zip", {})[f"{task}/{camera}/{path.name}"] = path
    annotation = {path.relative_to(folder).as_posix(): path for path in sorted((folder / ANNOTATION).glob("*"))}
    return archives | ({f"{ANNOTATION}.zip": annotation} if annotation else {})


def write(path: Path, members: Mapping[str, Path]) -> None:
    """Write one archive, whole or not at all."""
    with whole(path) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            entry = zipfile.ZipInfo(name, FIXED_DATE)
            entry.create_system = UNIX
            entry.external_attr = FILE_MODE
            entry.file_size = members[name].stat().st_size  # decides on large-file headers
            with members[name].open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target, CHUNK_BYTES)
