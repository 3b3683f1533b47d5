"""Is there room for what a run will write? Asked before the first video is rendered, not when the disk is full."""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from pathlib import Path

from scrubin.core.errors import StageError
from scrubin.core.store import STORE_PATH
from scrubin.core.unreleased import UNRELEASED

DVC_CACHE = Path(".dvc/cache")
# Frames, tables and ground truth come on top of the videos.
BESIDE_VIDEOS = 1.2
GIGABYTE = 10**9


def require(new_bytes: int, release: Path, *, archives: bool, kept_bytes: int = 0) -> str:
    """Return in one sentence what the run will need at most, and what is free.

    Parameters
    ----------
    new_bytes
        Size of the videos that are rendered now.
    release
        The release folder.
    archives
        Whether all videos are also put into zips.
    kept_bytes
        Size of the videos that earlier runs have rendered: where there is no release, they are copied into it as well.

    Raises
    ------
    StageError
        When a disk has less room than is needed.
    """
    new = new_bytes * BESIDE_VIDEOS
    zips = size_of(release / "videos") + new_bytes if archives and new_bytes else 0
    copied = new_bytes if (release / "videos").is_dir() else new_bytes + kept_bytes
    whole = copied * BESIDE_VIDEOS + (copied if archives else 0)
    needs: dict[int, float] = defaultdict(float)
    places: dict[int, list[Path]] = defaultdict(list)
    # The zips of the last release are replaced, but stay in DVC's cache.
    for place, size in ((STORE_PATH, new), (DVC_CACHE, new + zips), (UNRELEASED, new), (release, whole)):
        at = _existing(place)
        needs[at.stat().st_dev] += size
        places[at.stat().st_dev].append(place)
    said = []
    for device, size in sorted(needs.items(), key=lambda item: str(places[item[0]])):
        free = shutil.disk_usage(_existing(places[device][0])).free
        where = ", ".join(map(str, places[device]))
        said.append(f"about {size / GIGABYTE:.1f} GB more on the disk of {where}, where {free / GIGABYTE:.1f} GB are free")
        if size > free:
            msg = (
                f"this run may need {said[-1]}; make room: .venv/bin/scrubin store --prune removes what no output uses, "
                "dvc gc --workspace what DVC keeps of earlier versions, and release.archives: false leaves out the zips"
            )
            raise StageError(msg)
    return f"at most {'; '.join(said)}"


def _existing(path: Path) -> Path:
    return next(one for one in (path, *path.resolve().parents) if one.exists())


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder; 0 when there is none."""
    return sum(entry.stat().st_size for at, _, names in os.walk(folder) for entry in (Path(at, name) for name in names))
