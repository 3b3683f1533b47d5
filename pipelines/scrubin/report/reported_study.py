"""The tables of a study and the other stages' reports: all that the report is made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.core.errors import StageError
from scrubin.release.params import ReleaseParams
from scrubin.report.raw_files import SourceFrames
from scrubin.tables import io
from scrubin.tables.private.stereo import STEREO


@dataclass(frozen=True)
class ReportedStudy:
    """The tables and the other stages' reports, each by its name.

    Parameters
    ----------
    recordings, redactions, quarantine, linkage, cuts
        The private tables; ``quarantine`` is that of all stages.
    videos, frames, skill, labelled, triplets, phases
        The public tables.
    review, scores, annotations, splits, validation
        What these stages say beyond their tables.
    development
        How the GRS develops over trials, as the stage scores tells it in private.
    release
        The section of ``params.yaml``, for what must have been seen.
    sources
        Frames of the raw files.
    stereo
        The private table of this name.
    """

    recordings: pd.DataFrame
    redactions: pd.DataFrame
    quarantine: pd.DataFrame
    linkage: pd.DataFrame
    cuts: pd.DataFrame
    videos: pd.DataFrame
    frames: pd.DataFrame
    skill: pd.DataFrame
    labelled: pd.DataFrame
    triplets: pd.DataFrame
    phases: pd.DataFrame
    review: Mapping[str, Any]
    scores: Mapping[str, Any]
    annotations: Mapping[str, Any]
    splits: Mapping[str, Any]
    validation: Mapping[str, Any]
    development: Mapping[str, Any]
    release: ReleaseParams
    sources: SourceFrames
    stereo: pd.DataFrame = field(default_factory=lambda: io.frame_of(STEREO, []))

    def names(self) -> dict[str, str]:
        """Return the curator's name of each recording by its released id."""
        return dict(zip(self.linkage["id"], self.linkage["recording"], strict=True))


def read_json(path: Path) -> dict[str, Any]:
    """Return what another stage says beyond its tables.

    Raises
    ------
    StageError
        When the file is not there or no JSON object.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"{path}: cannot be read as JSON: {error}; run 'dvc repro' to make it again"
        raise StageError(msg) from error
    if not isinstance(value, dict):
        msg = f"{path}: expected an object, but got {type(value).__name__}; run 'dvc repro' to make it again"
        raise StageError(msg)
    return value


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows as plain values; missing ones are None."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [{str(name): value.item() if hasattr(value, "item") else value for name, value in row.items()} for row in rows]
