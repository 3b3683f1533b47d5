"""Refusals before anything is released: failed validation, quarantined recordings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path

import pandas as pd

from scrubin.core.errors import ReleaseError
from scrubin.tables.io import records


def require_valid(path: Path) -> None:
    """Refuse a release whose tables did not pass.

    Raises
    ------
    ReleaseError
        When ``validation.json`` is missing, cannot be read or its verdict is not ``passed``.
    """
    try:
        verdict = json.loads(path.read_text(encoding="utf-8"))["verdict"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"{path}: it does not say whether the tables passed ({type(error).__name__}: {error}); run 'dvc repro validate'"
        raise ReleaseError(msg) from error
    if verdict != "passed":
        msg = f"{path}: the tables did not pass validation; fix what it lists and run 'dvc repro' again"
        raise ReleaseError(msg)


def joined(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the quarantine tables of all stages as one, sorted by recording, camera and stage."""
    filled = [table for table in tables if len(table)]
    every = (
        pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=["recording", "camera", "stage", "path", "reason", "mend"])
    )
    return every.sort_values(["recording", "camera", "stage"], kind="stable", ignore_index=True)


def lines(quarantine: pd.DataFrame) -> list[str]:
    """Return one line per quarantined file: which recording, which file, why and the fix."""
    # A file name may hold line breaks.
    return [" ".join(f"'{row['recording']}': {row['path']}: {row['reason']}; {row['mend']}".splitlines()) for row in records(quarantine)]


def refuse_quarantined(quarantine: pd.DataFrame, on_quarantine: str, acknowledged: Collection[str] = ()) -> None:
    """Refuse a release of an incomplete study where the curator wants none.

    Raises
    ------
    ReleaseError
        Lists every quarantined file that nobody acknowledged, when ``on_quarantine`` is ``stop``.
    """
    waiting = quarantine[~quarantine["recording"].isin(set(acknowledged))]
    if on_quarantine == "stop" and len(waiting):
        listed = "\n  ".join(lines(waiting))
        msg = f"{len(waiting)} files are quarantined and release.on_quarantine is 'stop':\n  {listed}"
        raise ReleaseError(msg)


def counts(quarantine: pd.DataFrame) -> dict[str, int]:
    """Return the number of quarantined files by stage; names and reasons are the curator's own."""
    return dict(sorted(Counter(map(str, quarantine["stage"])).items()))
