"""What of a raw study DVC could not read, or would not look into: it stops there, or never notices a change."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from scrubin.base.faults import Fault, error
from scrubin.curate.lists import empty_study
from scrubin.stages import recordings_list

KINDS = {
    "shut folder": ("folders in it that this user cannot enter", "let their owner correct that (chmod u+rx)"),
    "shut file": ("files in it that this user cannot read", "let their owner correct that (chmod u+r)"),
    "dead link": ("links in it that lead nowhere, and DVC stops there", "put back what they lead to, or remove them"),
    "linked folder": (
        "links in it that lead to folders, into which DVC does not look: nobody would notice a change there",
        "put the folder itself in its place, or link its files one by one",
    ),
    "no file": ("what is neither a file nor a folder, and DVC may wait there without end", "move it out of the raw study"),
    "name": ("names in it that are not UTF-8, and DVC stops there", "rename these files"),
}
"""What is said of each kind, and the mend."""


def faults(raw: Path) -> Iterator[Fault]:
    """Yield a fault for each folder of a raw study and kind of what DVC cannot read in it.

    Parameters
    ----------
    raw
        It may be a link itself, as may the folders in it that stages depend on.
    """
    for top in (*empty_study.FOLDERS, empty_study.CALIBRATION):
        if (kind := _kind(raw / top)) in KINDS and (raw / top).exists() and kind != "linked folder":
            what, fix = KINDS[kind]
            yield error(raw.as_posix(), "raw-unread", f"{what}: 1, such as '{top}'", fix)
            continue
        for folder, folders, files in os.walk(raw / top):
            place, names = Path(folder), defaultdict(list)
            for name in (*folders, *files):
                if kind := _kind(place / name):
                    names[kind].append(name)
            for kind, of_kind in sorted(names.items()):
                what, fix = KINDS[kind]
                example = recordings_list.shown(min(of_kind))
                yield error(place.as_posix(), "raw-unread", f"{what}: {len(of_kind):,}, such as '{example}'", fix)


def _kind(path: Path) -> str | None:
    """Return what is wrong with a file or folder."""
    try:
        path.name.encode()
    except UnicodeEncodeError:
        return "name"
    if path.is_symlink() and not path.exists():
        return "dead link"
    if path.is_symlink() and path.is_dir():
        return "linked folder"
    if path.is_dir():
        return None if os.access(path, os.R_OK | os.X_OK) else "shut folder"
    if not path.is_file():
        return "no file"
    return None if os.access(path, os.R_OK) else "shut file"
