"""One video file through the detectors and the curator's decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scrubin.screen import features
from scrubin.screen.decisions import Decision, Decisions
from scrubin.screen.detectors import registry
from scrubin.screen.detectors.detector import ObservedFile
from scrubin.screen.face_scores import with_faces
from scrubin.screen.params import ScreenParams
from scrubin.screen.pass_over_file import Observed, Observer, observe, observe_stored
from scrubin.screen.proposals import Numbers, Proposal
from scrubin.screen.redactions import redactions, without
from scrubin.tables.io import records
from scrubin.tables.private.redactions import REDACTIONS, shown_unreviewed
from scrubin.video.probe import Probe, probe
from scrubin.video.probe_cache import stored_probe


@dataclass(frozen=True)
class FileToScreen:
    """A video file that is to be screened."""

    recording: str
    camera: str
    path: str
    sha256: str


def cameras(recordings: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """Return the cameras of every recording in the table `recordings`."""
    return {str(name): tuple(sorted(rows.camera)) for name, rows in recordings.groupby("recording")}


def to_screen(recordings: pd.DataFrame) -> list[FileToScreen]:
    """Return the files of the kept recordings."""
    kept = recordings.loc[recordings.status == "kept", ["recording", "camera", "path", "sha256"]]
    return [FileToScreen(**row) for row in records(kept)]


def screen(raw: Path, file: FileToScreen, decided: Decisions, observers: Sequence[Observer], params: ScreenParams) -> list[dict[str, Any]]:
    """Return the rows of the table `redactions` for one file.

    Parameters
    ----------
    raw
        Folder of the raw study.
    file
        Which file.
    decided
        The curator's decisions about all recordings.
    observers
        What `registry.observers` returns for these parameters.
    params
        The limits.

    Raises
    ------
    RecordingError
        When the file cannot be decoded, or a decision about it cannot be carried out.
    """
    if file.recording in decided.errors:
        raise decided.errors[file.recording]
    path = raw / file.path
    probed = stored_probe(path, file.path, file.sha256)
    mine = [row for row in decided.rows if (row.recording, row.camera) == (file.recording, file.camera)]
    observed = observe_stored(path, file.path, file.sha256, observers, boundaries_s(probed)[:-1])
    return redactions(
        file.recording,
        file.camera,
        _proposals(probed, observed, mine, params),
        mine,
        (probed.width, probed.height),
        float(probed.end_s),
        params,
    )


def proposals(path: Path, params: ScreenParams) -> list[Proposal]:
    """Return what the detectors propose for one file that belongs to no study, in order of time.

    Raises
    ------
    VideoError
        When the file cannot be decoded.
    """
    probed = probe(path, path.name)
    observed = observe(path, path.name, registry.observers(params), boundaries_s(probed)[:-1])
    return _proposals(probed, observed, (), params)


def boundaries_s(probed: Probe) -> Numbers:
    """Return the presentation time of every frame in source seconds, then the end of the last; shape (n + 1,).

    These are the probe's times: a decoder's guesses for AVI are not even in order.
    """
    ticks = np.array(probed.pts, dtype=np.int64) - probed.pts[0]
    # One division of whole numbers: the same as the nearest float to the exact time.
    return np.append(ticks * probed.time_base.numerator / probed.time_base.denominator, float(probed.end_s))


def _proposals(probed: Probe, observed: Mapping[str, Observed], mine: Sequence[Decision], params: ScreenParams) -> list[Proposal]:
    seen = ObservedFile(boundaries_s(probed), (probed.width, probed.height), observed, mine)
    proposed = [proposal for detector in registry.chosen(params).values() for proposal in detector.propose(seen, params)]
    looks = features.looks(observed[features.NAME]) if features.NAME in observed else []
    return sorted(with_faces(proposed, looks), key=lambda one: (one.interval_s, one.kind, one.source, one.box_xywh or ()))


def in_step(
    rows: Iterable[dict[str, Any]], cameras_of: Mapping[str, tuple[str, ...]], decided: Iterable[Decision] = ()
) -> list[dict[str, Any]]:
    """Return the rows with every detected out-of-body span that is hidden for all cameras of its recording.

    What one camera of a pair sees, the other sees as well, even when it looks less striking there;
    except where the curator has rejected it for the other. Text stands where its own recorder wrote it.
    """
    rejected: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for one in decided:
        if (one.decision, one.kind) == ("reject", "out_of_body"):
            rejected.setdefault((one.recording, one.camera), []).append(one.interval_s(float("inf")))
    copied, own = [], list(rows)
    for row in own:
        if row["source"] == "curator" or row["kind"] != "out_of_body" or not row["accepted"]:
            continue
        for camera in cameras_of[row["recording"]]:
            if camera != row["camera"]:
                parts = without((row["start_s"], row["end_s"]), rejected.get((row["recording"], camera), []))
                copied += [{**row, "camera": camera, "start_s": start, "end_s": end} for start, end in parts]
    # What a camera shows itself stands after what the other one shows: of equal spans its own counts.
    return distinct([*copied, *own])


def distinct(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows without repetitions: a curator may add the same span twice."""
    return list({tuple(row[name] for name in REDACTIONS.key): row for row in rows}.values())


def unreviewed(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return one sentence per recording of which something is shown that a detector proposed and nobody looked at."""
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        if shown_unreviewed(row["accepted"], row["decision"], row["kind"]):
            key = row["recording"], row["kind"]
            counts[key] = counts.get(key, 0) + 1
    return [f"'{recording}': {count} of kind {kind}" for (recording, kind), count in sorted(counts.items())]
