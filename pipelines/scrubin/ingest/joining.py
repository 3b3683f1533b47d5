"""The files of one camera put in a row: which frames stand in two of them, and what they hold together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.ingest.clock import gaps_s
from scrubin.ingest.manifest import Row
from scrubin.ingest.media import Media, media_of, read_media
from scrubin.ingest.params import ClockParams
from scrubin.ingest.seam import stored_seam
from scrubin.tables import io
from scrubin.tables.private.parts import PARTS
from scrubin.video.joining import start_times_s
from scrubin.video.opening import contradictions
from scrubin.video.source import FilePart, Source


@dataclass(frozen=True)
class CameraRecording:
    """All files of one camera of a recording, in order."""

    rows: tuple[Row, ...]

    @property
    def path(self) -> str:
        """The first file, by which messages name it."""
        return self.rows[0].path

    @property
    def pictures(self) -> str:
        """What stands for its pictures, see `Row.pictures`."""
        return self.rows[0].pictures


@dataclass(frozen=True)
class Joined:
    """What the files of one camera are together.

    Parameters
    ----------
    source
        How they follow each other.
    media
        What they hold together.
    parts
        Rows of the table `parts`.
    doubts
        What a person should look at, a sentence each.
    """

    source: Source
    media: Media
    parts: tuple[Mapping[str, Any], ...]
    doubts: tuple[str, ...] = ()


def by_camera(rows: Iterable[Row]) -> list[CameraRecording]:
    """Return the files of each camera; rows are sorted by recording, camera and part."""
    cameras: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        cameras.setdefault((row.recording, row.camera), []).append(row)
    return [CameraRecording(tuple(members)) for members in cameras.values()]


def read(raw: Path, camera: CameraRecording, clock: ClockParams) -> Joined:
    """Return what the files of a camera are together.

    Parameters
    ----------
    clock
        That of all recordings for which the list says none.

    Raises
    ------
    VideoError
        When the content of a part cannot be used, or parts do not belong together.
    StageError
        When a file cannot be read now.
    """
    view = camera.rows[0].view
    plain = Source(tuple(FilePart(row.path, read_media(raw, row).sha256) for row in camera.rows), view)
    clock = replace(clock, source=camera.rows[0].clock or clock.source)
    plain.probe(raw)  # refuses what does not belong together before anything is decoded
    parts, doubts = _placed(raw, plain.parts, gaps_s(raw, plain.paths, plain.joined_parts(raw), clock))
    doubts += tuple(f"'{path}': {sentence}" for path in plain.paths for sentence in contradictions(raw / path))
    source = Source(parts, view)
    return Joined(source, media_of(source.sha256, source.probe(raw)), tuple(_rows(raw, camera, source)), doubts)


def sha256_by_path(joined: Iterable[Joined]) -> dict[str, str]:
    """Return the hash of every file."""
    return {part.path: part.sha256 for one in joined for part in one.source.parts}


def parts_table(joined: Iterable[Joined]) -> pd.DataFrame:
    """Return the table `parts`."""
    return io.frame_of(PARTS, (row for one in joined for row in one.parts))


def _placed(raw: Path, parts: Sequence[FilePart], gaps: Sequence[Fraction]) -> tuple[tuple[FilePart, ...], tuple[str, ...]]:
    """Return the parts as they follow each other, and what is doubtful about that."""
    placed, doubts = [parts[0]], []
    for before, part, gap_s in zip(parts, parts[1:], gaps[1:], strict=False):
        if gap_s:
            # What is missing between two files cannot stand in both, and the scene may have changed in the meantime.
            placed.append(replace(part, gap_s=gap_s))
            continue
        seam = stored_seam(raw, before, part)
        placed.append(replace(part, first=seam.doubled))
        if seam.changes_scene:
            doubts.append(f"the picture jumps between '{before.path}' and '{part.path}': is time missing, or are they of two recordings?")
    return tuple(placed), tuple(doubts)


def _rows(raw: Path, camera: CameraRecording, source: Source) -> Iterable[Mapping[str, Any]]:
    parts = source.joined_parts(raw)
    for row, part, of_file, start_s in zip(camera.rows, source.parts, parts, start_times_s(parts), strict=True):
        yield {
            "recording": row.recording,
            "camera": row.camera,
            "part": row.part,
            "path": part.path,
            "sha256": part.sha256,
            "first_frame": part.first,
            "frame_count": of_file.probe.frame_count - part.first,
            "start_s": str(start_s),
            **dict(zip("xywh", (None,) * 4 if source.view is None else astuple(source.view), strict=True)),
            "gap_s": str(part.gap_s),
        }
