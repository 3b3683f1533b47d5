"""The files of one camera put in a row: which frames stand in two of them, and what they hold together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.ingest.clock import gaps_s
from scrubin.ingest.manifest import Row
from scrubin.ingest.media import Media, media_of, read_media
from scrubin.ingest.params import ClockParams
from scrubin.ingest.part_names import doubtful
from scrubin.ingest.seam import SHOWN_S, Doubt, around, seams
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
    gaps = gaps_s(raw, plain.paths, plain.joined_parts(raw), clock)
    seen = seams(raw, plain.parts, gaps)
    parts = tuple(replace(part, first=first, gap_s=gap_s) for part, first, gap_s in zip(plain.parts, seen.doubled, gaps, strict=True))
    source = Source(parts, view)
    probed = source.probe(raw)
    doubts = (*seen.doubts, *_of_names(raw, source))
    of_headers = (f"'{path}': {sentence}" for path in plain.paths for sentence in contradictions(raw / path))
    told = (*(one.sentence for one in doubts), *of_headers)
    return Joined(source, media_of(source.sha256, probed), tuple(_rows(raw, camera, source, doubts)), told)


def sha256_by_path(joined: Iterable[Joined]) -> dict[str, str]:
    """Return the hash of every file."""
    return {part.path: part.sha256 for one in joined for part in one.source.parts}


def parts_table(joined: Iterable[Joined]) -> pd.DataFrame:
    """Return the table `parts`."""
    return io.frame_of(PARTS, (row for one in joined for row in one.parts))


def _of_names(raw: Path, source: Source) -> Iterator[Doubt]:
    """Yield what the names of the files say against their order, unless a clock says how much is missing there."""
    parts = source.joined_parts(raw)
    counts = [part.probe.frame_count for part in parts]
    for place, sentence in doubtful(source.paths).items():
        if not parts[place].gap_s:
            frames = max(1, round(SHOWN_S * parts[place].probe.fps))
            yield Doubt(place, sentence, *around(place, counts, parts[place].first, frames))


def _rows(raw: Path, camera: CameraRecording, source: Source, doubts: Sequence[Doubt]) -> Iterable[Mapping[str, Any]]:
    parts = source.joined_parts(raw)
    begins = [0, *accumulate(part.probe.frame_count - part.first for part in parts)]
    starts = start_times_s(parts)
    for place, (row, part, of_file, start_s) in enumerate(zip(camera.rows, source.parts, parts, starts, strict=True)):
        mine = [doubt for doubt in doubts if doubt.part == place]
        numbers = [begins[at] + max(0, frame - parts[at].first) for doubt in mine for at, frame in doubt.stretch]
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
            "doubt": "; ".join(doubt.sentence for doubt in mine) or None,
            "doubtful_first": min(numbers) if numbers else None,
            "doubtful_last": max(numbers) - 1 if numbers else None,
        }
