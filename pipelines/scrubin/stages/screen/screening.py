"""One video file through the detectors.

A "YES" covers the whole recording, since no header says where. A "NO" is not believed: the detectors look all the same.
DICOM PS3.3, C.7.6.1 (BurnedInAnnotation, RecognizableVisualFeatures).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.tables.io import records
from scrubin.media.decode import boundaries_s
from scrubin.media.networks.misreadings import WordFinder
from scrubin.media.opening import is_dicom
from scrubin.media.probe import Probe, probe
from scrubin.media.source import Source, sources
from scrubin.stages.screen import all_detectors, face_looks, features, reel
from scrubin.stages.screen import unlikeness as stops_of_file
from scrubin.stages.screen.detector import ObservedFile, ScreenParams
from scrubin.stages.screen.face_looks import Look
from scrubin.stages.screen.pass_over_file import Observed, Observer, observe, observe_stored
from scrubin.stages.screen.proposals import SAME_S, Interval, Numbers, Proposal, frames_s, merged

NO_WORDS = WordFinder(())


@dataclass(frozen=True)
class FileToScreen:
    """A camera's recording that is to be screened."""

    recording: str
    camera: str
    source: Source
    task: str
    doubtful: tuple[tuple[int, int], ...] = ()
    """First and last frame of every stretch of which ingest doubts that it stands where it is."""
    kept_s: Interval = (0.0, math.inf)
    """What is kept of it, in source seconds from the first frame; all of it is looked at."""


def to_screen(recordings: pd.DataFrame, parts: pd.DataFrame) -> list[FileToScreen]:
    """Return what is to be screened of the kept recordings; parameters are the tables of these names."""
    kept = recordings.loc[recordings.status == "kept", ["recording", "camera", "task", "start_s", "end_s"]]
    files = sources(parts)
    doubtful: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for row in records(parts[parts.doubtful_first.notna()]):
        doubtful.setdefault((row["recording"], row["camera"]), []).append((row["doubtful_first"], row["doubtful_last"]))
    return [
        FileToScreen(*key, files[key], row["task"], tuple(doubtful.get(key, ())), (row["start_s"], row["end_s"]))
        for key, row in (((row["recording"], row["camera"]), row) for row in records(kept))
    ]


def rows(
    raw: Path, file: FileToScreen, params: ScreenParams, private_words: WordFinder = NO_WORDS
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of the tables `proposals` and `stops` for one file.

    Parameters
    ----------
    raw
        Folder of the raw study.
    file
        Which file.
    params
        The limits.
    private_words
        Finds the study's private words in text.

    Raises
    ------
    RecordingError
        When the file cannot be decoded.
    """
    probed = file.source.probe(raw)
    boundaries = boundaries_s(probed)
    observed = observe_stored(raw, file.source, _observers(params), boundaries[:-1])
    version = all_detectors.version(params)
    with file.source.proven(raw):
        hinted = header_proposals([raw / path for path in file.source.paths], boundaries)
    seams = [Proposal("other", frames_s(first, last, boundaries), 1.0, "seam") for first, last in sorted(set(file.doubtful))]
    proposed = _in_order([*hinted, *seams, *_proposals(probed, observed, params, file.task, private_words)])
    hidden = [one.interval_s for one in proposed if one.box_xywh is None]
    stops = _stops(file, observed[features.NAME], boundaries[:-1], hidden)
    return [_row(file, proposal, boundaries, version) for proposal in proposed], stops


def screen(raw: Path, file: FileToScreen, params: ScreenParams, private_words: WordFinder = NO_WORDS) -> list[dict[str, Any]]:
    """Return the rows of the table `proposals` for one file, see `rows`."""
    return rows(raw, file, params, private_words)[0]


def _stops(file: FileToScreen, noted: Observed, times_s: Numbers, hidden_s: Sequence[Interval]) -> list[dict[str, Any]]:
    return [
        {"recording": file.recording, "camera": file.camera, "frame": one.frame, "time_s": float(times_s[one.frame]), "kind": one.kind}
        for one in stops_of_file.stops(features.features(noted).histograms, times_s, file.kept_s, hidden_s)
    ]


def _row(file: FileToScreen, proposal: Proposal, boundaries: Numbers, version: str) -> dict[str, Any]:
    x, y, w, h = proposal.box_xywh or (None, None, None, None)
    start_s, end_s = proposal.interval_s
    return {
        "recording": file.recording,
        "camera": file.camera,
        "kind": proposal.kind,
        "first_frame": int(np.searchsorted(boundaries, start_s + SAME_S, side="right")) - 1,
        "last_frame": int(np.searchsorted(boundaries, end_s - SAME_S, side="left")) - 1,
        "start_s": start_s,
        "end_s": end_s,
        "x": x,
        "y": y,
        "w": w,
        "h": h,
        "score": proposal.score,
        "faces": proposal.faces,
        "text": proposal.text,
        "source": proposal.source,
        "detectors": version,
    }


def _observers(params: ScreenParams) -> list[Observer]:
    """Return what must look at every frame, each once: for the detectors, for the stops, and for those who review."""
    every = [*all_detectors.observers(params), features.observer(params.thumbnail_height), reel.OBSERVER]
    return list({observer.name: observer for observer in every}.values())


def proposals(path: Path, params: ScreenParams) -> list[Proposal]:
    """Return what the detectors propose for one file that belongs to no study, in order of time.

    Raises
    ------
    VideoError
        When the file cannot be decoded.
    """
    probed = probe(path, path.name)
    observed = observe(path, path.name, all_detectors.observers(params), boundaries_s(probed)[:-1])
    hinted = header_proposals([path], boundaries_s(probed))
    return _in_order([*hinted, *_proposals(probed, observed, params, None, NO_WORDS)])


def _proposals(
    probed: Probe, observed: Mapping[str, Observed], params: ScreenParams, task: str | None, private_words: WordFinder
) -> list[Proposal]:
    seen = ObservedFile(boundaries_s(probed), (probed.width, probed.height), observed, params.scene_of(task), private_words)
    proposed = [proposal for detector in all_detectors.chosen(params).values() for proposal in detector.propose(seen, params)]
    looks = face_looks.looks(observed[face_looks.NAME]) if face_looks.NAME in observed else []
    return merged(with_faces(proposed, looks))


def _in_order(proposed: list[Proposal]) -> list[Proposal]:
    return sorted(proposed, key=lambda one: (one.interval_s, one.kind, one.source, one.box_xywh or ()))


HEADER_SOURCE = "header"
HEADER_KINDS = {"BurnedInAnnotation": "text", "RecognizableVisualFeatures": "out_of_body"}


def header_proposals(paths: Sequence[Path], boundaries_s: Numbers) -> list[Proposal]:
    """Return what the headers of a recording's files say must be looked at; nothing for files without one.

    Parameters
    ----------
    paths
        All files of the recording: what one of them says covers all.
    boundaries_s
        Presentation time of every frame in source seconds, then the end of the last; shape (n + 1,).
    """
    with_header = [path for path in paths if is_dicom(path)]
    if not with_header:
        return []
    from scrubin.media.containers import dicom_recording as recording

    stated = {name for path in with_header for name, value in recording.stream_of(path).header.hints if value == "YES"}
    whole = (float(boundaries_s[0]), float(boundaries_s[-1]))
    frames = (0, len(boundaries_s) - 2)
    return [
        Proposal(kind, whole, 1.0, HEADER_SOURCE, core=frames if kind == "out_of_body" else None)
        for name, kind in HEADER_KINDS.items()
        if name in stated
    ]


def with_faces(proposals: Sequence[Proposal], looks: Iterable[Look]) -> list[Proposal]:
    """Return the proposals with the faces in their out-of-body spans counted, and the scores of those raised.

    A span of which no picture was looked at stays as it is: its faces are undefined.
    """
    looks = list(looks)
    raised = []
    for proposal in proposals:
        core = proposal.core
        mine = [look for look in looks if core is not None and core[0] <= look.number <= core[1]]
        if not mine:
            raised.append(proposal)
            continue
        # Either of two independent witnesses may be right: 1 - (1 - a)(1 - b).
        score = round(1 - (1 - proposal.score) * (1 - max(look.sure for look in mine)), 6)
        raised.append(replace(proposal, faces=max(look.faces for look in mine), score=score))
    return raised
