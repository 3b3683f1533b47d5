"""The machine: networks, folders that can be written, and room for what a run will write."""

from __future__ import annotations

import os
from pathlib import Path

from scrubin.core import private_paths
from scrubin.core.errors import StageError, TableError
from scrubin.core.unreleased import UNRELEASED
from scrubin.networks import endoscopy, weights
from scrubin.preflight.findings import Findings
from scrubin.preflight.listed_study import ListedStudy
from scrubin.release.params import ReleaseParams
from scrubin.render import room
from scrubin.screen.detectors import onnx
from scrubin.screen.params import ScreenParams
from scrubin.tables import io
from scrubin.tables.private.linkage import LINKAGE
from scrubin.tables.videos import VIDEOS

WRITTEN = ("data", "reports", ".cache", ".dvc")
RELEASE = Path("data/release")
SMALLEST = 4
"""Encoded videos may be so many times smaller than the raw ones: less room than for these cannot be enough."""


def look(screen: ScreenParams | None, noted: Findings) -> None:
    """Note networks that are missing or other ones, folders that nobody can write to, and private ones that others can enter."""
    for name in sorted(weights.NETWORKS):
        with noted.noting():
            weights.weights(name)
    with noted.noting():
        endoscopy.weights()
    if screen is not None and screen.model is not None:
        with noted.noting():
            onnx.Network(screen.model)
    for name in WRITTEN:
        if Path(name).exists() and not os.access(name, os.W_OK | os.X_OK):
            with noted.noting():
                msg = f"{name}: nothing can be written there; correct its permissions, or its disk"
                raise StageError(msg)
    for fault in private_paths.faults():
        (noted.errors if fault.severity == "error" else noted.remarks).append(fault)


def look_for_room(study: ListedStudy, release: ReleaseParams, noted: Findings) -> None:
    """Note when what is new will hardly fit: nothing is known yet of what encoding makes of it, so raw sizes count."""
    sizes = {row.path: study.raw / row.path for name in _new(study) for row in study.recordings[name]}
    raw_bytes = sum(path.stat().st_size for path in sizes.values() if path.is_file())
    kept_bytes = room.size_of(UNRELEASED / "videos")
    with noted.noting():
        room.require(raw_bytes // SMALLEST, RELEASE, archives=release.archives, kept_bytes=kept_bytes)
        try:
            room.require(raw_bytes, RELEASE, archives=release.archives, kept_bytes=kept_bytes)
        except StageError as error:
            noted.remarks += error.faults


def _new(study: ListedStudy) -> list[str]:
    """Return the recordings that the last run did not render."""
    try:
        linkage = io.read(LINKAGE, Path("data/private/linkage.parquet"))
        videos = set(io.read(VIDEOS, Path("data/tables/videos.parquet")).id)
    except TableError:
        return study.kept
    rendered = set(linkage.recording[linkage.id.isin(videos)])
    return [name for name in study.kept if name not in rendered]
