"""In which subset everybody was when somebody withdrew, so that nobody else moves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.core import params
from scrubin.core.errors import TableError
from scrubin.tables import io
from scrubin.tables.splits import SPLITS
from scrubin.withdrawal.memory import Memory

RELEASED, TABLE = Path("data/private/released.json"), Path("data/tables/splits.parquet")


def placed(splits: pd.DataFrame, section: Mapping[str, Any]) -> dict[str, Any]:
    """Return a study's splits as a JSON value.

    Parameters
    ----------
    splits
        The table of this name.
    section
        The section ``splits`` of ``params.yaml``: a scheme that it describes in another way later is made anew.
    """
    rows = splits.sort_values(["scheme", "fold", "id"])
    return {
        "seed": section["seed"],
        "schemes": section["schemes"],
        "places": {
            str(scheme): [[int(fold), str(subset), str(id_)] for fold, subset, id_ in zip(of.fold, of.subset, of.id, strict=True)]
            for scheme, of in rows.groupby("scheme")
        },
    }


def with_splits(now: Memory, before: Memory, folder: Path) -> Memory:
    """Return the memory with the splits of the last release, without those who withdrew."""
    if now.recordings.keys() == before.recordings.keys():
        return replace(now, splits=before.splits)
    last = _released(folder) or before.splits
    if not last:
        return now
    places = {scheme: [row for row in rows if row[2] not in now] for scheme, rows in last["places"].items()}
    return replace(now, splits={**last, "places": places})


def _released(folder: Path) -> dict[str, Any]:
    """Return the splits of the last release, or of the last run where an earlier edition kept none; nothing before a release."""
    try:
        said = json.loads((folder / RELEASED).read_text(encoding="utf-8"))
        if "splits" in said or not said["recordings"]:
            return dict(said.get("splits", {}))
        return placed(io.read(SPLITS, folder / TABLE), params.read(folder / params.PARAMS_PATH)["splits"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError, TableError):
        return {}
