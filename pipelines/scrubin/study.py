"""An empty raw study: the folders and headers that a curator fills."""

from __future__ import annotations

from pathlib import Path

from scrubin.core.files import write_text
from scrubin.errors import ManifestError
from scrubin.ingest import manifest
from scrubin.screen import decisions

FOLDERS = ("videos", "ratings", "annotations")


def create(folder: Path) -> list[Path]:
    """Make what is missing of a raw study and return it; nothing that exists is touched.

    Raises
    ------
    ManifestError
        When the folder's name belongs to a file.
    """
    if folder.exists() and not folder.is_dir():
        msg = f"{folder}: it is a file; name a folder, such as data/raw"
        raise ManifestError(msg)
    made = []
    for name in FOLDERS:
        if not (folder / name).exists():
            (folder / name).mkdir(parents=True)
            made.append(folder / name)
    for name, columns in ((manifest.NAME, manifest.COLUMNS), (decisions.NAME, decisions.COLUMNS)):
        if not (folder / name).exists():
            write_text(folder / name, ",".join(columns) + "\n")
            made.append(folder / name)
    return made
