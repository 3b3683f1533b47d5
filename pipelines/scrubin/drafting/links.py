"""Files of a folder as links below ``videos/`` of a study: nothing is copied, moved or changed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from scrubin.core import strangers
from scrubin.core.errors import ManifestError

VIDEOS = "videos"


def place_below(study: Path, folder: Path) -> str | None:
    """Return where a folder lies from the raw folder of a study, when it lies in its ``videos``: then nothing has to be linked."""
    videos = strangers.real(study / VIDEOS)
    inside = strangers.real(folder)
    if inside != videos and videos not in inside.parents:
        return None
    return PurePosixPath(VIDEOS, *inside.relative_to(videos).parts).as_posix()


def link(study: Path, folder: Path, paths: Sequence[PurePosixPath]) -> int:
    """Link files below ``videos/`` under the same names; return how many links are new.

    Raises
    ------
    ManifestError
        When another file lies there already, or the disk has no links. Nothing is linked then that was not before.
    """
    wanted = [(study / VIDEOS / path, strangers.real(folder / path)) for path in paths]
    taken = [target for target, source in wanted if os.path.lexists(target) and not _leads_to(target, source)]
    if taken:
        msg = f"{taken[0]} is there already and is another file; move it away, or name another folder for the study"
        raise ManifestError(msg)
    new_links: list[Path] = []
    try:
        for target, source in wanted:
            if not os.path.lexists(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(source)
                new_links.append(target)
    except OSError as error:
        for target in new_links:
            target.unlink()
        msg = (
            f"{study / VIDEOS}: no link can be made ({error.strerror}); copy the recordings there yourself and name that folder with --from"
        )
        raise ManifestError(msg) from error
    return len(new_links)


def _leads_to(target: Path, source: Path) -> bool:
    try:
        return target.samefile(source)
    except OSError:
        return False
