"""What is known of a file before it is rendered: nothing is decoded or written for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scrubin.core.errors import VideoError
from scrubin.render.file_parts import parts_of_files
from scrubin.render.params import RenderParams
from scrubin.render.parts import Parts
from scrubin.render.plan import Plan, Redaction, plan
from scrubin.render.source_file import SourceFile, files_of
from scrubin.video.probe import Probe
from scrubin.video.source import Source


@dataclass(frozen=True)
class FileToRender:
    """A camera's recording that is to be rendered; times are source seconds."""

    recording: str
    camera: str
    source: Source
    task: str
    id: str
    start_s: float
    end_s: float
    fps: str
    variable_rate: bool
    redactions: tuple[Redaction, ...]

    @property
    def path(self) -> str:
        """The first file, by which messages name it."""
        return self.source.path


@dataclass(frozen=True)
class Prepared:
    """What is known before a recording is rendered: what its files hold together, and each of them."""

    probe: Probe
    files: tuple[SourceFile, ...]
    plan: Plan
    parts: Parts


def prepare(raw: Path, file: FileToRender, params: RenderParams) -> Prepared:
    """Return the plan of one file.

    Raises
    ------
    VideoError
        When it cannot be read, or no frame of it is kept.
    """
    probed = file.source.probe(raw)
    try:
        size_px = (probed.width, probed.height)
        planned = plan(probed.pts, probed.time_base, probed.end_s, (file.start_s, file.end_s), file.redactions, size_px)
    except ValueError as error:
        raise VideoError(file.path, str(error), "correct start_s and end_s in recordings.csv") from error
    paths = [(raw / path, path) for path in file.source.paths]
    firsts = [part.first for part in file.source.parts]
    files = files_of(paths, file.source.probes(raw), file.source.structures(raw), firsts, file.source.view)
    return Prepared(probed, files, planned, parts_of_files(planned, files, params.mode))
