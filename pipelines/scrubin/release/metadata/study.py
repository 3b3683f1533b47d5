"""What the other stages know of a study beside its tables, read for the facts: counts only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.core.errors import ReleaseError
from scrubin.release.metadata.facts import Study, left_out
from scrubin.tables import io
from scrubin.tables.private.cuts import CUTS
from scrubin.tables.private.recordings import RECORDINGS

INTERIM = Path("data/interim")


def load(quarantine: pd.DataFrame, certificate: Mapping[str, Any], *, synthetic: bool, folder: Path = INTERIM) -> Study:
    """Return what is known.

    Parameters
    ----------
    quarantine
        Of all stages.
    certificate
        The certificate's public form.
    synthetic
        Whether the study is a synthetic one.
    folder
        Where the stages leave their documents.

    Raises
    ------
    ReleaseError
        For a document that cannot be read.
    """
    recordings = io.read(RECORDINGS, folder / "recordings.parquet")
    released = recordings[recordings["recording"].isin(set(io.read(CUTS, folder / "cuts.parquet")["recording"]))]
    return Study(
        certificate=certificate,
        scores=_document(folder / "scores.json"),
        splits=_document(folder / "splits.json"),
        validation=_document(folder / "validation.json"),
        left_out=left_out(recordings, quarantine, len(_document(folder / "excluded.json"))),
        people=int(released["participant"].nunique()),
        synthetic=synthetic,
    )


def _document(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"{path}: it cannot be read ({type(error).__name__}: {error}); run 'dvc repro' again"
        raise ReleaseError(msg) from error
