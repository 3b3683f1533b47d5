"""The reading of a release: all files, each once, in pieces of work that any number of processes share.

Archives are read last, because what they hold are files of the release.
"""

from __future__ import annotations

import hashlib
import pickle
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Protocol

from scrubin.audit.expected import media_types
from scrubin.audit.expected.plan import Plan, VideoPlan
from scrubin.audit.expected.search import Search
from scrubin.audit.pictures.decoding import Examination
from scrubin.audit.readers import ARCHIVE_SUFFIXES, STRUCTURED_SUFFIXES, FileRead, Reader, Released

PIECE_BYTES, PIECE_FILES, PIECE_VIDEOS = 1 << 26, 500, 20


class Examine(Protocol):
    """Examines a video of a release."""

    def __call__(self, path: Path, plan: VideoPlan | None, sha256: Mapping[str, str], /) -> Examination:
        """Return the examination of a file with its plan; the hashes are those that are known, by name."""


@dataclass(frozen=True)
class Part:
    """Some files of a release, which are read one after the other.

    Parameters
    ----------
    names
        Of the files.
    videos
        What the videos among them must be.
    members
        The extracted frames in each archive of frames among them.
    """

    names: tuple[str, ...]
    videos: Mapping[str, VideoPlan] = field(default_factory=dict)
    members: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return what a message says of it."""
        return self.names[0] if len(self.names) == 1 else f"{self.names[0]} and {len(self.names) - 1} more"

    __repr__ = __str__


@dataclass(frozen=True)
class Reading:
    """What came of reading files and examining videos, by name."""

    files: Mapping[str, FileRead] = field(default_factory=dict)
    videos: Mapping[str, Examination] = field(default_factory=dict)


Over = Callable[[Callable[[Part], Reading], Sequence[Part]], Iterable[Reading]]
"""Does the work for each part, in any number of processes; results come in the order of the parts."""


class Shared:
    """A reader for all parts: where it is sent to other processes, they load it once from a file.

    Parameters
    ----------
    reader
        What is sent.
    folder
        Absolute path of a private folder that the others see; None when nothing is sent.
    """

    def __init__(self, reader: Reader, folder: Path | None) -> None:
        self.reader = reader
        self._folder = folder
        self._written: tuple[str, str] | None = None
        self._guard = threading.Lock()

    def __reduce__(self) -> tuple[Callable[..., Shared], tuple[str, str]]:
        """Send the path and hash of the file in the place of what it holds."""
        with self._guard:
            self._written = self._written or _write(self.reader, self._folder)
        return _loaded, self._written


def _write(reader: Reader, folder: Path | None) -> tuple[str, str]:
    if folder is None:
        raise ValueError("a reader without a folder cannot be sent to another process")
    data = pickle.dumps(reader, pickle.HIGHEST_PROTOCOL)
    sha256 = hashlib.sha256(data).hexdigest()
    path = folder / f"reader-{sha256}"
    path.touch(mode=0o600)
    path.write_bytes(data)
    return str(path), sha256


# One process reads for one release at a time; its archives have a reader of their own.
@lru_cache(maxsize=1)
def _loaded(path: str, sha256: str) -> Shared:
    data = Path(path).read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise OSError(f"{path}: it was changed while the release was read; run again")
    reader: Reader = pickle.loads(data)
    return Shared(reader, Path(path).parent)


def read(
    folder: Path,
    files: Mapping[str, Path],
    plan: Plan,
    search: Search,
    examine: Examine,
    over: Over,
    shared: Path | None = None,
) -> Reading:
    """Read all files of a release once, and examine its videos.

    Parameters
    ----------
    folder, files
        The release, and its regular files by name.
    plan
        What it must be.
    search
        What must not be in it.
    examine, over
        See there; when ``over`` sends work to other processes, both paths are absolute.
    shared
        A folder for what is sent, if anything is.
    """
    # What only the comparison of extracted frames needs goes with each part.
    slim = replace(plan, videos=tuple(replace(video, hidden=(), stills=(), rejected=()) for video in plan.videos))
    archives = [name for name, path in files.items() if path.suffix.lower() in ARCHIVE_SUFFIXES]
    first = partial(read_part, Shared(Reader(slim, search), shared), folder, examine)
    reading = _joined(over(first, [*_parts(files, plan)]))
    if not archives:
        return reading
    then = partial(read_part, Shared(Reader(slim, search, _released(reading, files, archives)), shared), folder, examine)
    return _joined([reading, *over(then, [Part((name,)) for name in archives])])


def read_part(shared: Shared, folder: Path, examine: Examine, part: Part) -> Reading:
    """Read some files of a release, then examine the videos among them."""
    files = {name: shared.reader.read(folder / name, name, part.members.get(name, frozenset())) for name in part.names}
    sha256 = {name: file.sha256 for name, file in files.items()}
    videos = [name for name in part.names if (folder / name).suffix.lower() in media_types.VIDEO_SUFFIXES]
    return Reading(files, {name: examine(folder / name, part.videos.get(name), sha256) for name in videos})


def serially(work: Callable[[Part], Reading], parts: Sequence[Part]) -> Iterator[Reading]:
    """Do all work in this process, one part after the other."""
    return map(work, parts)


def _parts(files: Mapping[str, Path], plan: Plan) -> Iterator[Part]:
    """Yield videos with the frames that were extracted from them, then all other files but archives; small ones some at a time."""
    left = {name: path for name, path in files.items() if path.suffix.lower() not in ARCHIVE_SUFFIXES}
    together: list[list[str]] = []
    for name in [name for name, path in left.items() if path.suffix.lower() in media_types.VIDEO_SUFFIXES]:
        video = plan.video_at.get(name)
        stills = sorted(({still.file for still in video.stills} - {name}) & left.keys()) if video else []
        together.append([name, *stills])
        for one in (name, *stills):
            left.pop(one, None)
    for names in (*_pieces(together, files, PIECE_VIDEOS), *_pieces([[name] for name in left], files, PIECE_FILES)):
        yield _part(names, plan)


def _pieces(together: Iterable[list[str]], files: Mapping[str, Path], most: int) -> Iterator[list[str]]:
    """Yield the names of groups, several groups at a time while they are small; at most so many."""
    names: list[str] = []
    size = count = 0
    for group in together:
        names += group
        size += sum(files[name].stat().st_size for name in group)
        count += 1
        if size > PIECE_BYTES or count == most:
            yield names
            names, size, count = [], 0, 0
    if names:
        yield names


def _part(names: Sequence[str], plan: Plan) -> Part:
    videos = {name: plan.video_at[name] for name in names if name in plan.video_at}
    return Part(tuple(names), videos, {name: plan.members[name] for name in names if name in plan.members})


def _released(reading: Reading, files: Mapping[str, Path], archives: Sequence[str]) -> Released:
    by_size: dict[int, tuple[Path, ...]] = {}
    for name in archives:
        size = files[name].stat().st_size
        by_size[size] = (*by_size.get(size, ()), files[name].absolute())
    # Tables are searched in another way than a zip that holds them.
    raw = {one.sha256: one.raw for name, one in reading.files.items() if files[name].suffix.lower() not in STRUCTURED_SUFFIXES}
    return Released(frozenset(one.sha256 for one in reading.files.values()), raw, by_size)


def _joined(readings: Iterable[Reading]) -> Reading:
    files: dict[str, FileRead] = {}
    videos: dict[str, Examination] = {}
    for reading in readings:
        files |= reading.files
        videos |= reading.videos
    return Reading(files, videos)
