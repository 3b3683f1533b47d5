"""The files that a tool wrote: which recording each shows, which identifiers are still around its pictures."""

from __future__ import annotations

import base64
import mmap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from scrubin.base import pixels, strangers
from scrubin.base.errors import MetricsError
from scrubin.base.faults import Fault, error
from scrubin.base.text import csv_text
from scrubin.evaluate.deid.key import Item, Key, RecordingKey
from scrubin.evaluate.deid.reading import FINGERPRINT, Fingerprints, PictureStream, fingerprint, is_heard, picture_streams, pictures, tags

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
    if not faults and not table.rows:
        fix = "add a row for each output, or leave --map out: then files are known by their pictures"
        faults.append(error(str(path), "deid-map", "it has no row below its header", fix))
    MetricsError.raise_any(faults)
    return mapped


def of_recording(outputs: Sequence[Output], recording: RecordingKey) -> list[Output]:
    """Return the outputs that show a recording."""
    return [one for one in outputs if one.recording == recording.name]


ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")
SAME_PICTURE = 0.7
"""A picture of another stream is the planted one from this likeness of their fingerprints on."""
SAME_WEEK_S = 7 * 24 * 3600
"""A time of the file that is no further from that of the recording still tells the week."""
LONGEST_SPELLED = 2**26
"""Larger files are looked through for strings as they are, not for their other spellings."""
IMAGES = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp")
BY_BYTES = ("container_tag", "stream_tag", "chapter", "sei", "user_data", "attachment", "subtitle", "cover")
BY_TAGS = ("container_tag", "stream_tag", "chapter", "creation_time", "timecode")


@dataclass(frozen=True)
class Evidence:
    """What is known of all files of an output.

    Parameters
    ----------
    in_bytes
        Every needle of the key that is in a file's bytes, to the names of the files.
    tags
        Name of a file to the values of its tags.
    images
        Fingerprints of pictures that are files of their own, by name.
    """

    in_bytes: Mapping[str, tuple[str, ...]]
    tags: Mapping[str, tuple[str, ...]]
    images: Mapping[str, Fingerprints]


def gather(key: Key, folder: Path, paths: Sequence[Path], outputs: Sequence[Output]) -> Evidence:
    """Read every file once."""
    names = {path: path.relative_to(folder).as_posix() for path in paths}
    recordings = {one.name: one.recording for one in outputs}
    in_bytes: dict[str, list[str]] = {}
    images: dict[str, Fingerprints] = {}
    for path, name in names.items():
        for needle in needles_in(path, _needles(key, recordings.get(name, ""))):
            in_bytes.setdefault(needle, []).append(name)
        picture = pixels.read_picture(path) if path.suffix.lower() in IMAGES else None
        if picture is not None:
            images[name] = fingerprint(np.asarray(picture, np.uint8))[None]
    by_file = {one.name: tuple(value for _, value in tags(one.path)) for one in outputs}
    return Evidence({needle: tuple(files) for needle, files in in_bytes.items()}, by_file, images)


def _needles(key: Key, recording: str) -> list[str]:
    """Return what to look for in a file that shows a recording; a file that shows none may hold anything."""
    items = [item for item in key.items if item.kind in BY_BYTES and recording in ("", item.recording)]
    return sorted({needle for item in items for needle in item.needles})


def needles_in(path: Path, needles: Iterable[str]) -> set[str]:
    """Return the strings that are in a file's bytes, in any of their `spellings`."""
    if path.stat().st_size == 0:
        return set()
    with strangers.opened(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        every = path.stat().st_size <= LONGEST_SPELLED
        return {needle for needle in needles if any(content.find(one) >= 0 for one in (spellings(needle) if every else _encoded(needle)))}


def _encoded(text: str) -> list[bytes]:
    return [text.encode(encoding) for encoding in ENCODINGS]


def spellings(text: str) -> list[bytes]:
    """Return the bytes in which a text may stand so that anybody reads it again.

    As it is, in capitals, in small letters, without accents and backwards, each in UTF-8 and UTF-16; in hexadecimal digits; and in
    base64, at each of its three offsets.

    >>> b"nneS" in spellings("Senn"), b"U2Vub" in spellings("Senn")
    (True, True)
    """
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    raw = text.encode()
    # Behind an offset the first letters, and before the end the last ones, depend on what stands beside them.
    base64_ = [base64.b64encode(bytes(offset) + raw)[start : (offset + len(raw)) * 8 // 6] for offset, start in ((0, 0), (1, 2), (2, 3))]
    forms = dict.fromkeys((text, text.upper(), text.lower(), plain, text[::-1]))
    return [*(one for form in forms for one in _encoded(form)), raw.hex().encode(), raw.hex().upper().encode(), *base64_]


def still_there(item: Item, key: Key, outputs: Sequence[Output], every: Sequence[Output], evidence: Evidence) -> str:
    """Return where an identifier still is, as a phrase; empty when it is gone.

    Parameters
    ----------
    outputs
        The files that show the item's recording.
    every
        All files with pictures.
    """
    if item.kind == "speech":
        return next((f"{one.name} has sound" for one in outputs if is_heard(one.path)), "")
    if item.kind == "file_name":
        return _in_names(item, outputs)
    if item.kind == "file_time":
        wanted = float(item.traits["time_s"])
        near = [one.name for one in outputs if abs(one.path.stat().st_mtime - wanted) <= SAME_WEEK_S]
        return f"{near[0]} has a time in the week of the recording" if near else ""
    if item.kind in BY_TAGS:
        for one in outputs:
            if any(_bare(needle) in _bare(value) for needle in item.needles for value in evidence.tags[one.name]):
                return f"a tag of {one.name}"
    if item.kind in BY_BYTES:
        file = next((files[0] for needle in item.needles if (files := evidence.in_bytes.get(needle))), "")
        if file:
            return f"the bytes of {file}"
    return _in_pictures(key, item, every, evidence) if item.picture else ""


def _in_names(item: Item, outputs: Sequence[Output]) -> str:
    for one in outputs:
        needle = next((needle for needle in item.needles if _bare(needle) in _bare(one.name)), "")
        if needle:
            return f"'{needle}' in the path {one.name}"
    return ""


def _bare(text: str) -> str:
    return "".join(letter for letter in folded(text) if letter.isalnum())


def _in_pictures(key: Key, item: Item, every: Sequence[Output], evidence: Evidence) -> str:
    """Return where the planted picture is shown: in a stream that is not the recording's own, or in an image."""
    picture = pixels.read_picture(key.folder / item.picture, inside=key.folder)
    wanted = fingerprint(np.asarray(picture, np.uint8))
    for one in every:
        for further in one.further:
            if len(further.fingerprints) and float((further.fingerprints @ wanted).max()) >= SAME_PICTURE:
                return f"stream {further.stream.index} of {one.name}"
    return next((name for name, image in evidence.images.items() if float((image @ wanted).max()) >= SAME_PICTURE), "")


def folded(text: str) -> str:
    """Return a text for comparing, without case and accents.

    >>> folded("Weißgerber, Ayşegül")
    'weissgerber, aysegul'
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))
