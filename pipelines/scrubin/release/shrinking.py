"""A release never shrinks silently: what the one before had and this one lacks is named, until somebody says that it may."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.core.errors import ReleaseError
from scrubin.core.ranges import count_text
from scrubin.release.params import ReleaseParams
from scrubin.tables.io import records

PATH = Path("data/private/released.json")
SHOWN = 20


def released(params: ReleaseParams, linkage: pd.DataFrame, videos: pd.DataFrame) -> dict[str, Any]:
    """Return what is kept of a release for the next one, as a JSON value: its name, version, and recordings with their ids."""
    there = linkage[linkage["id"].isin(set(videos["id"]))].sort_values("recording")
    ids = dict(zip(there["recording"], there["id"], strict=True))
    return {"name": params.name, "version": params.version, "recordings": ids}


def withdrawn(last: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tombstones that the last release carried."""
    return list(last.get("withdrawn", ()))


def before(name: str, path: Path = PATH) -> dict[str, Any]:
    """Return what was kept of the last release of a name; without recordings where there was none.

    Raises
    ------
    ReleaseError
        When the file cannot be read: then nobody knows what is missing.
    """
    none = {"name": name, "version": "", "recordings": {}}
    if not path.is_file():
        return none
    try:
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return kept if kept["name"] == name and dict(kept["recordings"]) and str(kept["version"]) else none
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"{path}: it does not say what the last release held ({type(error).__name__}); restore it, or remove it to begin anew"
        raise ReleaseError(msg) from error


def lost(last: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, str]:
    """Return the recordings of the last release that are missing now, with their ids, sorted."""
    return {name: last["recordings"][name] for name in sorted(last["recordings"].keys() - now["recordings"].keys())}


def reasons(recordings: pd.DataFrame, quarantine: pd.DataFrame, excluded: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return by recording why it is not released."""
    why = {row["recording"]: row["reason"] for row in records(recordings) if row["status"] != "kept" and row["reason"]}
    why |= {row["recording"]: f"{row['path']}: {row['reason']}; {row['mend']}" for row in records(quarantine)}
    return why | {one["recording"]: "a reviewer excluded it" for one in excluded}


def refuse(last: Mapping[str, Any], missing: Mapping[str, str], why: Mapping[str, str], *, may_shrink: bool) -> None:
    """Refuse a release that lacks recordings of the last one.

    Raises
    ------
    ReleaseError
        Names them, with the reasons.
    """
    if may_shrink or not missing:
        return
    lines = [f"'{name}' ({id_}): {why.get(name, 'recordings.csv does not list it any more')}" for name, id_ in missing.items()]
    more = [f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    listed = "\n  ".join(" ".join(line.splitlines()) for line in [*lines[:SHOWN], *more])
    msg = (
        f"version {last['version']} had {count_text(len(missing), 'recording')} that this release lacks:\n  {listed}\n"
        "put them right; or, if they may go, set release.may_shrink to true and run again"
    )
    raise ReleaseError(msg)


def warning(missing: Mapping[str, str], *, may_shrink: bool) -> str | None:
    """Return what to say of a release that may shrink; None when it may not."""
    if not may_shrink:
        return None
    count = count_text(len(missing), "recording")
    gone = f"gone from the last release: {count}, {', '.join(map(repr, missing))}" if missing else "nothing is gone"
    return f"release.may_shrink is true: {gone}; set it to false again, or the next loss stops nobody"
