"""Known errors of a release: what is wrong, where, since when, what to do about it; they travel with it.

The curator writes them in YAML. In a release they are JSON, which is YAML as well, so that nothing needs to be installed to read them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base import strangers
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import Fault, hint, near
from scrubin.base.files import json_text
from scrubin.base.text import repeated_keys
from scrubin.data.diff import VERSION, is_below

NAME = "errata.yaml"
RELEASED = "metadata/errata.yaml"
SEVERITIES = ("note", "warning", "error")
REQUIRED = ("id", "since", "severity", "what", "advice")
SIMILARITY = 0.75
"""Ids are alike: what is called a near miss must be near."""


@dataclass(frozen=True)
class Erratum:
    """One known error.

    Parameters
    ----------
    id
        What it is called, such as E1; it stays the same in later versions.
    since
        The version that had it first.
    severity
        ``note``: nothing changes; ``warning``: some numbers change; ``error``: what it touches should not be used as it is.
    what, advice
        What is wrong, and what a user should do.
    recordings
        Released ids that it touches; None: the release as a whole.
    frames
        Spans of extracted frames of these recordings, each the first one and the first one behind it; None: all.
    fixed_in
        The version in which it is put right; None: not yet.
    """

    id: str
    since: str
    severity: str
    what: str
    advice: str
    recordings: tuple[str, ...] | None = None
    frames: tuple[tuple[int, int], ...] | None = None
    fixed_in: str | None = None

    def touches(self, version: str) -> bool:
        """Whether a version has the error."""
        return not is_below(version, self.since) and (self.fixed_in is None or is_below(version, self.fixed_in))


FIELDS = tuple(field.name for field in fields(Erratum))


def read(path: Path) -> tuple[Erratum, ...]:
    """Read the known errors of a release.

    Raises
    ------
    ReleaseError
        When the file cannot be read, or what it holds is no list of errors.
    """
    try:
        entries = strangers.read_json(path)
    except (OSError, ValueError) as error:
        raise ReleaseError(f"{path}: it cannot be read ({error}); 'scrubin verify' says what is wrong with the copy") from error
    return checked(entries, str(path))


def curated(path: Path, version: str, frames: pd.DataFrame) -> tuple[Erratum, ...]:
    """Read the curator's list and hold it to the release that it goes with.

    Parameters
    ----------
    path
        ``errata.yaml`` of the raw folder.
    version
        Of the release.
    frames
        The table ``frames``: which recordings there are, and which frames they have.

    Returns
    -------
    tuple of Erratum
        Where an error is put right, without recordings that are no longer there: its history stays.

    Raises
    ------
    ReleaseError
        For what cannot be read, keys that stand twice, recordings and frames that are not in the release, and versions that it does not
        have yet.
    """
    try:
        entries = strangers.read_yaml(path)
    except OSError as error:
        raise ReleaseError(f"{path}: it cannot be read as YAML ({' '.join(str(error).split())}); an empty list is []") from error
    ReleaseError.raise_any(repeated_keys.of_file(path))
    errata = checked([] if entries is None else entries, str(path))
    ends = {str(id_): int(last) + 1 for id_, last in frames.groupby("id")["frame"].max().items()}
    wrong, kept = list[Fault](), list[Erratum]()
    for one in errata:
        with ReleaseError.noted(wrong):
            kept.append(_of_release(one, path, version, ends))
    ReleaseError.raise_any(wrong)
    return tuple(kept)


def checked(entries: Any, place: str) -> tuple[Erratum, ...]:
    """Return a list of known errors, each with all that it must say.

    Raises
    ------
    ReleaseError
        Names file, entry and field.
    """
    if not isinstance(entries, list):
        raise ReleaseError(f"{place}: expected a list of known errors, [] when there are none, but got {type(entries).__name__}")
    wrong, errata = list[Fault](), list[Erratum]()
    for number, entry in enumerate(entries, start=1):
        with ReleaseError.noted(wrong):
            errata.append(_entry(entry, f"{place}, entry {number}"))
    for id_ in sorted(id_ for id_, count in Counter(one.id for one in errata).items() if count > 1):
        with ReleaseError.noted(wrong):
            raise ReleaseError(f"{place}: two entries are called {id_!r}; give each an id of its own")
    ReleaseError.raise_any(wrong)
    return tuple(errata)


def text(errata: Iterable[Erratum]) -> str:
    r"""Return the list as it travels with a release, sorted by id.

    >>> text([])
    '[]\n'
    """
    return json_text([asdict(one) for one in sorted(errata, key=lambda one: one.id)])


def _entry(entry: Any, place: str) -> Erratum:
    if not isinstance(entry, dict):
        raise ReleaseError(f"{place}: expected the fields {', '.join(FIELDS)}, but got {entry!r}")
    for name in entry:
        if name not in FIELDS:
            raise ReleaseError(f"{place}: {name!r} is no field of it; {hint(str(name), FIELDS)}")
    for name in REQUIRED:
        if not isinstance(entry.get(name), str) or not entry[name].strip():
            _wrong(place, name, entry.get(name), "text")
    if entry["severity"] not in SEVERITIES:
        _wrong(place, "severity", entry["severity"], f"one of {', '.join(SEVERITIES)}")
    for name in ("since", "fixed_in"):
        if entry.get(name) is not None and not (isinstance(entry[name], str) and VERSION.fullmatch(entry[name])):
            _wrong(place, name, entry[name], "a version x.y.z, such as 1.0.0")
    if entry.get("fixed_in") is not None and not is_below(entry["since"], entry["fixed_in"]):
        _wrong(place, "fixed_in", entry["fixed_in"], f"a version after {entry['since']}, which had it first")
    return Erratum(**{**entry, "recordings": _recordings(entry, place), "frames": _frames(entry, place)})


def _recordings(entry: Mapping[str, Any], place: str) -> tuple[str, ...] | None:
    names = entry.get("recordings")
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        _wrong(place, "recordings", names, "a list of released ids, or null for the release as a whole")
    return tuple(sorted(set(names)))


def _frames(entry: Mapping[str, Any], place: str) -> tuple[tuple[int, int], ...] | None:
    spans = entry.get("frames")
    if spans is None:
        return None
    if entry.get("recordings") is None:
        _wrong(place, "frames", spans, "null, as it names no recordings")
    if not isinstance(spans, list) or not spans or not all(_is_span(one) for one in spans):
        _wrong(place, "frames", spans, "a list of spans, each the first frame and the first one behind it, such as [[12, 40]]")
    return tuple(sorted((first, end) for first, end in spans))


def _is_span(one: Any) -> bool:
    return isinstance(one, list) and len(one) == 2 and all(type(part) is int for part in one) and 0 <= one[0] < one[1]


def _wrong(place: str, name: str, value: Any, expected: str) -> None:
    raise ReleaseError(f"{place}: {name!r} must be {expected}, but is {value!r}")


def _of_release(one: Erratum, path: Path, version: str, ends: Mapping[str, int]) -> Erratum:
    """Hold an error to the recordings of a release, each with the number behind its last frame."""
    place = f"{path}, {one.id}"
    if is_below(version, one.since):
        raise ReleaseError(f"{place}: it is since {one.since}, but this release is {version}; correct one of them")
    if not one.touches(version):
        return one if one.recordings is None else replace(one, recordings=tuple(id_ for id_ in one.recordings if id_ in ends))
    for id_ in one.recordings or ():
        if id_ not in ends:
            close = near(id_, ends, SIMILARITY)
            what = f"did you mean {close!r}?" if close else "write released ids, as the tables have them, or take it out"
            raise ReleaseError(f"{place}: no released recording has the id {id_!r}; {what}")
        for first, end in one.frames or ():
            if end > ends[id_]:
                msg = f"{place}: it names the frames {first} to {end - 1} of {id_!r}, whose last one is {ends[id_] - 1}; correct 'frames'"
                raise ReleaseError(msg)
    return one
