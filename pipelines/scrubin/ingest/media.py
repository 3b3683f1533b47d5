"""What one file of the manifest holds, as far as it decides what is kept; the time of every frame stays in the store."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from scrubin.ingest.manifest import Row
from scrubin.video.probe import Probe
from scrubin.video.probe_cache import stored_probe
from scrubin.video.raw_file import stored_sha256


@dataclass(frozen=True)
class Media:
    """One video file that could be read; see `scrubin.video.probe.Probe`."""

    sha256: str
    container: str
    codec: str
    width: int
    height: int
    rotation_deg: int
    fps: Fraction
    variable_rate: bool
    frame_count: int
    end_s: Fraction
    has_audio: bool


def read_media(raw: Path, row: Row) -> Media:
    """Return what a file of the raw study holds.

    Raises
    ------
    VideoError
        When its content cannot be used.
    StageError
        When it cannot be read now.
    """
    sha256 = stored_sha256(raw / row.path, row.path)
    probe = stored_probe(raw / row.path, row.path, sha256)
    return media_of(sha256, probe)


def media_of(sha256: str, probe: Probe) -> Media:
    """Return what a probe says of a file, or of several that are joined."""
    return Media(
        sha256=sha256,
        container=probe.container,
        codec=probe.codec,
        width=probe.width,
        height=probe.height,
        rotation_deg=probe.rotation_deg,
        fps=probe.fps,
        variable_rate=probe.variable_rate,
        frame_count=probe.frame_count,
        end_s=probe.end_s,
        has_audio=probe.has_audio,
    )
