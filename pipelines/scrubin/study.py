"""An empty raw study: the folders and headers that a curator fills."""

from __future__ import annotations

from pathlib import Path

from scrubin.core.errors import ManifestError
from scrubin.core.files import write_text
from scrubin.ingest import manifest
from scrubin.review import sheet

FOLDERS = ("videos", "ratings", "annotations", "splits")
# The synthetic study, an output of the pipeline.
DEMO = Path("data/demo")


def require(folder: Path) -> None:
    """Refuse to start on a raw study of which something is missing.

    Raises
    ------
    ManifestError
        Names what is missing; DVC itself would only name a path.
    """
    if folder == DEMO:
        return  # the pipeline makes it
    missing = [name for name in (*FOLDERS, manifest.NAME, sheet.NAME) if not (folder / name).exists()]
    if missing:
        msg = f"'raw' in params.yaml is {folder}, but there is no {', '.join(missing)} in it; run: .venv/bin/scrubin new-study {folder}"
        raise ManifestError(msg)


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
    created = []
    for name in FOLDERS:
        if not (folder / name).exists():
            (folder / name).mkdir(parents=True)
            created.append(folder / name)
    for name, columns in ((manifest.NAME, manifest.COLUMNS), (sheet.NAME, sheet.COLUMNS)):
        if not (folder / name).exists():
            write_text(folder / name, ",".join(columns) + "\n")
            created.append(folder / name)
    return created
