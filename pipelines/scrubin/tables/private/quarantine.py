"""The table ``quarantine``: recordings that a stage could not use, each with the fix."""

import pandas as pd

from scrubin.core.errors import RecordingError
from scrubin.tables.declare import Column, Table

QUARANTINE = Table(
    "quarantine",
    "what went wrong with which file, and how to mend it",
    private=True,
    key=("recording", "camera", "stage", "path", "reason"),
    columns=(
        Column("recording", "str", "", "the curator's name of the recording"),
        Column("camera", "str", "", "left or right of a stereo pair, or mono; empty where the manifest does not tell"),
        Column("stage", "str", "", "the stage that could not use it"),
        Column("path", "str", "", "file, or place in the manifest"),
        Column("reason", "str", "", "what is wrong"),
        Column("mend", "str", "", "what the curator can do"),
    ),
)


def quarantine_row(recording: str, camera: str, stage: str, error: RecordingError) -> dict[str, str]:
    """Return the row that an error gives."""
    return {
        "recording": recording,
        "camera": camera,
        "stage": stage,
        "path": error.where,
        "reason": error.reason,
        "mend": error.fix,
    }


def of_recordings(quarantine: pd.DataFrame) -> pd.DataFrame:
    """Return the rows about recordings: a file that no row of the manifest names is called by its own path, and is none."""
    return quarantine[quarantine["recording"] != quarantine["path"]]
