"""What is known of a file before it is rendered: nothing is decoded or written for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scrubin.core.errors import VideoError
from scrubin.render.params import RenderParams
from scrubin.render.parts import Parts, parts
from scrubin.render.plan import Plan, Redaction, plan
from scrubin.video.probe import Probe
from scrubin.video.probe_cache import stored_probe, stored_structure
from scrubin.video.structure import Structure


@dataclass(frozen=True)
class FileToRender:
    """A video file that is to be rendered; times are source seconds."""

    recording: str
    camera: str
    path: str
    sha256: str
    task: str
    id: str
    start_s: float
    end_s: float
    fps: str
    variable_rate: bool
    redactions: tuple[Redaction, ...]


@dataclass(frozen=True)
class Prepared:
    """What is known before a file is rendered."""

    probe: Probe
    structure: Structure
    plan: Plan
    parts: Parts


def prepare(raw: Path, file: FileToRender, params: RenderParams) -> Prepared:
    """Return the plan of one file.

    Raises
    ------
    VideoError
        When it cannot be read, or no frame of it is kept.
    """
    probed = stored_probe(raw / file.path, file.path, file.sha256)
    try:
        size_px = (probed.width, probed.height)
        planned = plan(probed.pts, probed.time_base, probed.end_s, (file.start_s, file.end_s), file.redactions, size_px)
    except ValueError as error:
        raise VideoError(file.path, str(error), "correct start_s and end_s in recordings.csv") from error
    structure = stored_structure(raw / file.path, file.path, file.sha256)
    return Prepared(probed, structure, planned, parts(planned, structure, params.mode, probed.rotation_deg))
