"""``reports/release.json``: what was released and what the audit proved, without a private name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from scrubin.release import gate
from scrubin.release.audit.strings.private_strings import Private
from scrubin.release.params import ReleaseParams


def summarise(
    params: ReleaseParams,
    tables: Mapping[str, pd.DataFrame],
    quarantine: pd.DataFrame,
    private: Private,
    sizes: Mapping[str, int],
    reidentification: Mapping[str, Any],
    pictures: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the summary of a release that passed its audit, as a JSON value.

    Parameters
    ----------
    params
        Name and version.
    tables
        The public tables by name.
    quarantine
        Of all stages; only its counts get into the summary.
    private
        What was searched.
    sizes
        Bytes of every released file, by relative name.
    reidentification
        See ``linking.note``.
    pictures
        How many pictures the audit looked at, see ``Pictures.counts``.
    """
    videos = tables["videos"]
    return {
        "name": params.name,
        "version": params.version,
        "files": len(sizes),
        "bytes": sum(sizes.values()),
        "recordings": int(videos["id"].nunique()),
        "videos": {str(task): len(rows) for task, rows in videos.groupby("task", sort=True)},
        "frames": len(tables["frames"]),
        "rows": {name: len(table) for name, table in sorted(tables.items())},
        "quarantined": {"files": len(quarantine), "by_stage": gate.counts(quarantine)},
        "audit": {
            "passed": True,
            "findings": 0,
            "private_strings": len(private.needles),
            "skipped_as_public": private.skipped,
            "pictures": dict(pictures),
        },
        "reidentification": dict(reidentification),
    }
