"""The stereo recordings of a release: each with its rig, checked once as it is released, the result kept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.pixels import Box
from scrubin.base.store import store
from scrubin.base.store.code_of import code_of
from scrubin.base.tables.io import records
from scrubin.media.rigs import written_rig
from scrubin.media.rigs.rig import Rig, apart
from scrubin.media.source import Source
from scrubin.stages.stereo.check import check, check_alone
from scrubin.stages.stereo.findings import Finding, Severity, of_instants
from scrubin.stages.stereo.footage import source_footage, two_instants
from scrubin.stages.stereo.samples import Choice

STRETCHES = 3
"""Of frames, per recording: half of what `scrubin stereo check` looks at."""
SIDES = ("left", "right")


@dataclass(frozen=True)
class ReleasedPair:
    """Both videos of a released recording.

    Parameters
    ----------
    id
        Of the recording.
    left, right
        The videos, relative to the release.
    choice
        Which frames are looked at.
    rig
        For pictures of the released size; None where nobody knows it.
    """

    id: str
    left: Source
    right: Source
    choice: Choice
    rig: Rig | None = None


def pairs_of(videos: pd.DataFrame, hidden: pd.DataFrame) -> dict[str, ReleasedPair]:
    """Return the stereo recordings among the tables `videos` and `hidden`, by id, without rigs."""
    files: dict[str, dict[str, Source]] = {}
    for row in records(videos[videos.camera.isin(SIDES)]):
        files.setdefault(row["id"], {})[row["camera"]] = Source.of_file(row["path"], row["sha256"])
    black: dict[str, set[tuple[int, int]]] = {}
    boxes: dict[tuple[str, str], set[Box]] = {}
    for row in records(hidden):
        if row["x"] is None:
            black.setdefault(row["id"], set()).add((row["first_frame"], row["last_frame"]))
        else:
            boxes.setdefault((row["id"], row["camera"]), set()).add((row["x"], row["y"], row["w"], row["h"]))
    return {
        id_: ReleasedPair(
            id_,
            both["left"],
            both["right"],
            Choice(
                STRETCHES,
                tuple(sorted(black.get(id_, ()))),
                (tuple(sorted(boxes.get((id_, "left"), ()))), tuple(sorted(boxes.get((id_, "right"), ())))),
            ),
        )
        for id_, both in sorted(files.items())
        if both.keys() == set(SIDES)
    }


def check_stored(release: Path, pair: ReleasedPair) -> dict[str, Any]:
    """Return what is said of a pair, see `Checked.as_json`, now or from an earlier run.

    Raises
    ------
    VideoError
        When a video cannot be read.
    """
    rig = None if pair.rig is None else replace(pair.rig, date="", recordings=())
    inputs = {
        "left": pair.left.sha256,
        "right": pair.right.sha256,
        "rig": None if rig is None else written_rig.text(rig),
        "choice": [pair.choice.stretches, pair.choice.hidden, pair.choice.boxes],
    }
    key = store.key_of("stereo", code_of(__name__), inputs)
    entry, _ = store.make(key, lambda _: _checked(release, pair, rig))
    value: dict[str, Any] = entry.value
    return value


def _checked(release: Path, pair: ReleasedPair, rig: Rig | None) -> dict[str, Any]:
    with ExitStack() as opened:
        left, right = (opened.enter_context(source_footage(release, source)) for source in (pair.left, pair.right))
        done = check_alone(left, right, "", pair.choice) if rig is None else check(rig, left, right, "", "", pair.choice)
    return done.as_json()


def instants(frames: pd.DataFrame, cuts: pd.DataFrame, videos: pd.DataFrame) -> dict[str, Finding]:
    """Return what is to be said of recordings with released pairs of two instants, by id; parameters are the tables of these names.

    That is an error where the first released frames are of two instants already: who loads the release has only times from these.
    """
    starts_s = {(row["id"], row["camera"]): float(Fraction(row["offset_s"])) for row in records(cuts)}
    rates: dict[str, float] = {}
    for row in records(videos[videos.camera.isin(SIDES)]):
        rates[row["id"]] = min(rates.get(row["id"], math.inf), float(Fraction(row["fps"])))
    shown = frames[frames["path"].notna()]
    left, right = (shown.loc[shown.camera == side, ["id", "frame", "time_s"]] for side in SIDES)
    found = {}
    for id_, pairs in left.merge(right, on=["id", "frame"], suffixes=SIDES).groupby("id"):
        own = str(id_)
        left_s, right_s = (pairs[f"time_s{side}"].to_numpy(np.float64) + starts_s[own, side] for side in SIDES)
        what = two_instants(left_s, right_s, rates[own])
        if what is not None:
            left_s, right_s = (np.array([starts_s[own, side]]) for side in SIDES)
            severity: Severity = "error" if apart(left_s, right_s, rates[own]).any() else "warning"
            found[own] = replace(of_instants(what), severity=severity)
    return found


def row(id_: str, said: Mapping[str, Any], rig: str | None, more: Sequence[str] = (), odd: Finding | None = None) -> dict[str, Any]:
    """Return the row of the table `stereo` of a recording.

    Parameters
    ----------
    id_
        Of the recording.
    said
        See `check_stored`.
    rig
        Name of its calibration; None where it has none.
    more
        Errors that are known without looking at pictures.
    odd
        What `instants` found.
    """
    measured, findings = said["measured"], [*said["findings"], *([odd.as_json()] if odd else [])]
    of = {
        severity: [f"{one['what']}; {one['fix']}" for one in findings if one["severity"] == severity] for severity in ("error", "warning")
    }
    return {
        "id": id_,
        "rig": rig,
        "matches": int(measured["match_count"] or 0),
        "offset_px": measured["offset_px"],
        "p95_px": measured["p95_px"],
        "lag_frames": measured["lag_frames"],
        "lag_error_frames": measured["lag_error"],
        "depth_mm": measured["depth_mm"],
        "error": _joined([*more, *of["error"]]),
        "warning": _joined(of["warning"]),
        "undecided": _joined([one["what"] for one in findings if one["severity"] == "undecided"]),
    }


def _joined(sentences: Iterable[str]) -> str | None:
    return ". ".join(sentences) or None
