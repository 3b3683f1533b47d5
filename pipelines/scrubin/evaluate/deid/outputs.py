"""The files that a tool wrote, each with the recording that it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from scrubin.base import csv_text, strangers
from scrubin.base.errors import MetricsError
from scrubin.base.faults import Fault, error
from scrubin.evaluate.deid.key import Key, RecordingKey
from scrubin.evaluate.deid.reading import FINGERPRINT, Fingerprints, PictureStream, fingerprint, picture_streams, pictures

SAMPLED, DECIDING = 40, 4
"""Of so many pictures of an output the best quarter decides which recording it shows: others may be hidden in any way."""
ALIKE = 0.5
"""Mean likeness of these pictures to the most alike ones of a recording, below which an output shows no recording."""
NEARLY = 0.05
"""Two recordings whose likeness differs by no more may both be meant: the two cameras of one operation."""


@dataclass(frozen=True)
class Watched:
    """One stream of pictures, watched once: a fingerprint and a time in s for every picture."""

    stream: PictureStream
    fingerprints: Fingerprints
    times_s: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Output:
    """One file of a tool's output that has pictures.

    Parameters
    ----------
    name
        Its path below the folder, with ``/``.
    recording
        The recording that it shows; empty: none.
    matched_by
        ``map``, ``content`` or empty.
    main
        The stream that shows the recording.
    further
        All other streams, covers included.
    hides_frames
        Whether an edit list hides pictures from players that are in the file all the same.
    """

    path: Path
    name: str
    recording: str
    matched_by: str
    main: Watched | None
    further: tuple[Watched, ...]
    hides_frames: bool


def source_fingerprints(key: Key) -> dict[str, Fingerprints]:
    """Return the fingerprints of every frame of every recording as planted."""
    return {one.name: watched(key.folder / one.planted, PictureStream(0, False)).fingerprints for one in key.recordings}


def watched(path: Path, stream: PictureStream, *, ignore_edit_list: bool = False) -> Watched:
    """Decode a stream once and keep what finding its frames again needs."""
    times, rows = [], []
    for time_s, bgr in pictures(path, stream.index, ignore_edit_list=ignore_edit_list):
        times.append(time_s)
        rows.append(fingerprint(bgr))
    empty = np.zeros((0, FINGERPRINT[0] * FINGERPRINT[1]), np.float32)
    return Watched(stream, np.stack(rows) if rows else empty, np.array(times, np.float64))


def read(folder: Path, key: Key, sources: Mapping[str, Fingerprints], mapped: Mapping[str, str]) -> list[Output]:
    """Return every file below a folder that has pictures, in the order of their names.

    Parameters
    ----------
    mapped
        Name of an output to recording, as of `read_map`; other files are known by what they show.
    """
    candidates = []
    for path in files(folder):
        streams = picture_streams(path)
        if streams:
            name = path.relative_to(folder).as_posix()
            candidates.append(_Candidate(path, name, tuple(watched(path, stream) for stream in streams), mapped.get(name)))
    return _placed(candidates, sources)


def files(folder: Path) -> list[Path]:
    """Return every file below a folder, in the order of their paths."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


@dataclass(frozen=True)
class _Candidate:
    """A file before it is known what it shows; ``mapped`` is the recording that a map says."""

    path: Path
    name: str
    seen: tuple[Watched, ...]
    mapped: str | None

    def likenesses(self, sources: Mapping[str, Fingerprints]) -> dict[tuple[int, str], float]:
        """Return how alike each moving stream, by its place, is to each recording that it may be."""
        names = [self.mapped] if self.mapped else list(sources)
        moving = [place for place, one in enumerate(self.seen) if not one.stream.is_cover and len(one.fingerprints)]
        return {(place, name): _likeness(self.seen[place].fingerprints, sources[name]) for place in moving for name in names}

    def as_output(self, place: int | None, recording: str) -> Output:
        """Return the file as an output whose stream at a place shows a recording."""
        main = None if place is None else self.seen[place]
        further = tuple(one for one in self.seen if one is not main)
        by = "map" if self.mapped else "content" if main else ""
        hides = main is not None and _hides_frames(self.path, main.stream.index)
        return Output(self.path, self.name, recording, by, main, further, hides)


def _placed(candidates: Sequence[_Candidate], sources: Mapping[str, Fingerprints]) -> list[Output]:
    """Decide which recording each file shows: the surest first, and of two cameras the one that no other file shows."""
    scored = {one.name: one.likenesses(sources) for one in candidates}
    best = {name: max(likenesses.values(), default=0.0) for name, likenesses in scored.items()}
    ways = [(-value, name, place, recording) for name, one in scored.items() for (place, recording), value in one.items()]
    chosen: dict[str, tuple[int, str]] = {}
    for value, name, place, recording in sorted(ways):
        free = recording not in {taken for _, taken in chosen.values()}
        if name not in chosen and free and -value >= max(best[name] - NEARLY, ALIKE):
            chosen[name] = place, recording
    for value, name, place, recording in sorted(ways):
        if name not in chosen and -value >= ALIKE:
            chosen[name] = place, recording
    mapped = {one.name: one.mapped or "" for one in candidates}
    return [one.as_output(*chosen.get(one.name, (_first(one) if one.mapped else None, mapped[one.name]))) for one in candidates]


def _first(one: _Candidate) -> int | None:
    """Return the first moving stream: what a map names is its recording, whatever it shows."""
    return next((place for place, seen in enumerate(one.seen) if not seen.stream.is_cover and len(seen.fingerprints)), None)


def _likeness(released: Fingerprints, source: Fingerprints) -> float:
    """Return how alike sampled pictures are to the most alike ones of a source; those that show nothing do not count."""
    showing = released[np.abs(released).sum(axis=1) > 0]
    if not len(showing):
        return 0.0
    sampled = showing[np.linspace(0, len(showing) - 1, min(SAMPLED, len(showing))).astype(int)]
    best = np.sort((sampled @ source.T).max(axis=1))
    return float(best[-max(1, len(best) // DECIDING) :].mean())


def _hides_frames(path: Path, stream: int) -> bool:
    try:
        with strangers.opened_video(path) as container:
            return any(packet.is_discard for packet in container.demux(container.streams[stream]) if packet.size)
    except (FFmpegError, IndexError, OSError):
        return False


def read_map(path: Path, key: Key, folder: Path) -> dict[str, str]:
    """Return output to recording of a CSV with the columns ``raw`` and ``output``, both relative paths.

    Raises
    ------
    MetricsError
        When a column, a recording or a file is not there.
    """
    raws = {one.file: one for one in key.recordings}
    table = csv_text.read_path(path, str(path), ("raw", "output"))
    faults: list[Fault] = list(table.faults)
    mapped: dict[str, str] = {}
    for row in table.rows:
        raw, output = row.cells["raw"], row.cells["output"]
        recording = raws.get(raw)
        if recording is None:
            faults.append(error(str(path), "deid-map", f"'{raw}' is no recording of the key", "write it as below raw/", place=row.place))
        elif not (folder / output).is_file():
            faults.append(error(str(path), "deid-map", f"there is no '{output}'", f"write it as below {folder}", place=row.place))
        else:
            mapped[output] = recording.name
    MetricsError.raise_any(faults)
    return mapped


def of_recording(outputs: Sequence[Output], recording: RecordingKey) -> list[Output]:
    """Return the outputs that show a recording."""
    return [one for one in outputs if one.recording == recording.name]
