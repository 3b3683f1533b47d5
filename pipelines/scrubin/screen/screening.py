"""One video file through the detectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scrubin.networks.misreadings import WordFinder
from scrubin.screen import face_looks, features, header_hints, reel
from scrubin.screen import stops as stops_of_file
from scrubin.screen.detectors import registry
from scrubin.screen.detectors.detector import ObservedFile
from scrubin.screen.face_scores import with_faces
from scrubin.screen.params import ScreenParams
from scrubin.screen.pass_over_file import Observed, Observer, observe, observe_stored
from scrubin.screen.proposals import SAME_S, Numbers, Proposal, frames_s, merged
from scrubin.tables.io import records
from scrubin.video.frame_times import boundaries_s
from scrubin.video.probe import Probe, probe
from scrubin.video.source import Source
from scrubin.video.sources import sources

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


def to_screen(recordings: pd.DataFrame, parts: pd.DataFrame) -> list[FileToScreen]:
    """Return what is to be screened of the kept recordings; parameters are the tables of these names."""
    kept = recordings.loc[recordings.status == "kept", ["recording", "camera", "task"]]
    files = sources(parts)
    doubtful: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for row in records(parts[parts.doubtful_first.notna()]):
        doubtful.setdefault((row["recording"], row["camera"]), []).append((row["doubtful_first"], row["doubtful_last"]))
    keys = {(row["recording"], row["camera"]): row for row in records(kept)}
    return [FileToScreen(**row, source=files[key], doubtful=tuple(doubtful.get(key, ()))) for key, row in keys.items()]


def rows(
    raw: Path, file: FileToScreen, params: ScreenParams, private_words: WordFinder = NO_WORDS
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of the tables `proposals` and `stops` for a file, as `screen` and `stops` do."""
    return screen(raw, file, params, private_words), stops(raw, file, params)


def screen(raw: Path, file: FileToScreen, params: ScreenParams, private_words: WordFinder = NO_WORDS) -> list[dict[str, Any]]:
    """Return the rows of the table `proposals` for one file.

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
    version = registry.version(params)
    with file.source.proven(raw):
        hinted = header_hints.proposals([raw / path for path in file.source.paths], boundaries)
    seams = [Proposal("other", frames_s(first, last, boundaries), 1.0, "seam") for first, last in sorted(set(file.doubtful))]
    proposed = _in_order([*hinted, *seams, *_proposals(probed, observed, params, file.task, private_words)])
    return [_row(file, proposal, boundaries, version) for proposal in proposed]


def stops(raw: Path, file: FileToScreen, params: ScreenParams) -> list[dict[str, Any]]:
    """Return the rows of the table `stops` for one file, from what was noted while it was screened.

    Raises
    ------
    RecordingError
        When the file cannot be decoded.
    """
    times_s = boundaries_s(file.source.probe(raw))[:-1]
    measured = features.features(observe_stored(raw, file.source, [features.observer(params.thumbnail_height)], times_s)[features.NAME])
    return [
        {"recording": file.recording, "camera": file.camera, "frame": one.frame, "time_s": float(times_s[one.frame]), "kind": one.kind}
        for one in stops_of_file.stops(measured.histograms, times_s)
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
    every = [*registry.observers(params), features.observer(params.thumbnail_height), reel.OBSERVER]
    return list({observer.name: observer for observer in every}.values())


def proposals(path: Path, params: ScreenParams) -> list[Proposal]:
    """Return what the detectors propose for one file that belongs to no study, in order of time.

    Raises
    ------
    VideoError
        When the file cannot be decoded.
    """
    probed = probe(path, path.name)
    observed = observe(path, path.name, registry.observers(params), boundaries_s(probed)[:-1])
    hinted = header_hints.proposals([path], boundaries_s(probed))
    return _in_order([*hinted, *_proposals(probed, observed, params, None, NO_WORDS)])


def _proposals(
    probed: Probe, observed: Mapping[str, Observed], params: ScreenParams, task: str | None, private_words: WordFinder
) -> list[Proposal]:
    seen = ObservedFile(boundaries_s(probed), (probed.width, probed.height), observed, params.scene_of(task), private_words)
    proposed = [proposal for detector in registry.chosen(params).values() for proposal in detector.propose(seen, params)]
    looks = face_looks.looks(observed[face_looks.NAME]) if face_looks.NAME in observed else []
    return merged(with_faces(proposed, looks))


def _in_order(proposed: list[Proposal]) -> list[Proposal]:
    return sorted(proposed, key=lambda one: (one.interval_s, one.kind, one.source, one.box_xywh or ()))
