"""Files and videos of releases, read once: the audit of a copy in which one file was changed need not read all others again."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from scrubin.audit.expected.private_strings import Labelled
from scrubin.audit.expected.search import Search
from scrubin.audit.pictures import decoding, looks
from scrubin.audit.pictures.decoding import Examination
from scrubin.audit.readers import FileRead, Reader, Released
from scrubin.base.files import sha256_of

BUILT_LATE = {name for name, value in vars(Search).items() if isinstance(value, cached_property)}


def needles(search: Search) -> dict[str, object]:
    """What a search looks for, as values that are equal where it is the same."""
    values = {name: value for name, value in vars(search).items() if name not in BUILT_LATE}
    return values | {name: vars(value) for name, value in values.items() if isinstance(value, Labelled)}


def remembering_files(read: Callable[..., FileRead]) -> Callable[..., FileRead]:
    """Return a method of `Reader` that says of the same bytes, plan and needles what it said before; archives are read again."""
    told: list[tuple[tuple[object, ...], dict[tuple[object, ...], FileRead]]] = []

    def read_once(self: Reader, path: Path, name: str, members: frozenset[str] = frozenset()) -> FileRead:
        if self.released != Released():
            return read(self, path, name, members)
        asks = self.plan, needles(self.search)
        by_file = next((by_file for asked, by_file in told if asked == asks), None)
        if by_file is None:
            by_file = {}
            told.insert(0, (asks, by_file))
        file = path.name, name, members, sha256_of(path)
        if file not in by_file:
            by_file[file] = read(self, path, name, members)
        return by_file[file]

    return read_once


def remembering_videos(examine: Callable[..., Examination]) -> Callable[..., Examination]:
    """Return an examination that says of the same bytes, plan, frames and eyes what it said before."""
    told: dict[tuple[object, ...], Examination] = {}

    def examine_once(path: Path, plan: Any = None, folder: Path | None = None, sampling: str = "sampled") -> Examination:
        stills = sorted({still.file for still in plan.stills}) if plan and folder else []
        shown = tuple(sha256_of(folder / still) if (folder / still).is_file() else "" for still in stills)
        asks = sha256_of(path), path.suffix, plan, folder is None, sampling, shown, looks.faces, looks.read
        if asks not in told:
            told[asks] = examine(path, plan, folder, sampling)
        return copy.deepcopy(told[asks])

    return examine_once


read, examine = remembering_files(Reader.read), remembering_videos(decoding.examine)
