"""An empty raw study: the folders, the headers that a curator fills."""

from __future__ import annotations

from pathlib import Path

from scrubin.base.errors import ManifestError
from scrubin.base.files import write_text
from scrubin.base.layout import DEMO
from scrubin.stages import recordings_list, withdrawals
from scrubin.stages.release.metadata.curator_words import datasheet_template
from scrubin.stages.review import redaction_sheet

DATASHEET, ERRATA = "datasheet.yaml", "errata.yaml"
LISTS = {
    recordings_list.NAME: ",".join(recordings_list.COLUMNS) + "\n",
    redaction_sheet.NAME: ",".join(redaction_sheet.COLUMNS) + "\n",
    withdrawals.NAME: ",".join(withdrawals.COLUMNS) + "\n",
    DATASHEET: datasheet_template(),
    ERRATA: "[]\n",
}
"""Files that a curator fills, each as it begins: who withdrew, what the curator says of the data set, its known errors."""
LATER = (withdrawals.NAME, DATASHEET, ERRATA)
"""Of these a study may have none: they are made when they are missing."""
FOLDERS = ("videos", "ratings", "annotations", "splits")
CALIBRATION = "calibration"
"""The folder of the calibrations of stereo rigs; a study begun earlier has none, and it is made when it is missing."""


def require(folder: Path) -> None:
    """Refuse to start on a raw study of which something is missing.

    Raises
    ------
    ManifestError
        Names what is missing; DVC itself would only name a path.
    """
    if folder == DEMO:
        return  # the pipeline makes it
    needed = [name for name in LISTS if name not in LATER]
    missing = [name for name in (*FOLDERS, *needed) if not (folder / name).exists()]
    if missing:
        msg = f"'raw' in params.yaml is {folder}, but there is no {', '.join(missing)} in it; run: .venv/bin/scrubin new-study {folder}"
        raise ManifestError(msg)


def refuse_demo(folder: Path) -> None:
    """Refuse to change the lists of the synthetic study.

    Raises
    ------
    ManifestError
        When the folder is that of the synthetic study.
    """
    if folder == DEMO:
        msg = f"{folder}: every run makes the synthetic study anew; copy it to data/raw, and set 'raw' and 'release.name' in params.yaml"
        raise ManifestError(msg)


def create(folder: Path) -> list[Path]:
    """Make what is missing of a raw study and return it; nothing that exists is touched.

    Raises
    ------
    ManifestError
        When the folder's name belongs to a file.
    """
    if folder.exists() and not folder.is_dir():
        raise ManifestError(f"{folder}: it is a file; name a folder, such as data/raw")
    created = []
    for name in (*FOLDERS, CALIBRATION):
        if not (folder / name).exists():
            (folder / name).mkdir(parents=True)
            created.append(folder / name)
    return created + _create(folder, tuple(LISTS))


def complete(folder: Path) -> list[Path]:
    """Make what a study begun earlier may lack, and return it; rows of withdrawals that people typed get something random."""
    if folder == DEMO:
        return []
    withdrawals.hide_hash(folder)
    made = [] if (folder / CALIBRATION).exists() else [folder / CALIBRATION]
    for path in made:
        path.mkdir()
    return made + _create(folder, LATER)


def _create(folder: Path, names: tuple[str, ...]) -> list[Path]:
    missing = [name for name in names if not (folder / name).exists()]
    for name in missing:
        write_text(folder / name, LISTS[name])
    return [folder / name for name in missing]
