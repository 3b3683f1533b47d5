"""Withdrawals that another clone has released: what the releases here say of them is held against what this clone knows.

A release says how many recordings were withdrawn, and never which. So who may be meant follows from what this clone would release
and that release does not hold.
"""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from scrubin.audit.expected import withdrawal_memory
from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import count_text
from scrubin.base.files import json_text, whole
from scrubin.base.layout import RELEASE
from scrubin.data.diff import withdrawn_notes
from scrubin.data.diff.snapshot import Released
from scrubin.data.diff.withdrawn_notes import Notes
from scrubin.stages import withdrawals
from scrubin.stages.release.gates import LAST_RELEASE_PATH, last_tombstones
from scrubin.stages.release.release_params import Previous

KEPT = "other_clone"
"""Where the record of the last release keeps what a release of another clone said, until this clone has released."""
SHOWN = 10


@dataclass(frozen=True)
class Earlier:
    """A release that lies here, whoever made it.

    Parameters
    ----------
    where
        Its folder.
    version
        Its number.
    ids
        Of its recordings.
    notes
        How many were withdrawn, by version and reason.
    """

    where: str
    version: str
    ids: frozenset[str]
    notes: Notes

    def unknown(self, last: Mapping[str, Any]) -> Notes:
        """Return the notes that the last release of this clone did not carry."""
        return self.notes - withdrawn_notes.of_rows(last_tombstones(last))


def releases_here(name: str, last: Mapping[str, Any], previous: Previous | None, folder: Path = RELEASE) -> list[Earlier]:
    """Return the releases that lie here and note a withdrawal that the last release of this clone did not carry.

    Parameters
    ----------
    name, last
        What the data set is called, and what is kept of its last release, see `gates.last_release`.
    previous
        The release before, as parameters name it; it may have another name.
    folder
        Of the release that lies in its place, such as one that `dvc pull` has brought. What is damaged says nothing: it is made anew.

    Raises
    ------
    ReleaseError
        When what was kept of one cannot be read.
    """
    found = [*_kept(name), *_opened(folder, name), *(() if previous is None else _opened(Path(previous.path)))]
    return [one for one in found if one.unknown(last)]


def _opened(folder: Path, name: str | None = None) -> Iterator[Earlier]:
    """Yield the release in a folder, if there is a sound one, and it is called so."""
    with contextlib.suppress(ReleaseError):
        released = Released.open(folder)
        if name in (None, released.name):
            videos = (PurePosixPath(path) for path in released.sha256 if path.startswith("videos/"))
            ids = frozenset(path.name.partition(".")[0] for path in videos)
            yield Earlier(str(folder), released.version, ids, withdrawn_notes.read(released))


def _kept(name: str, path: Path = LAST_RELEASE_PATH) -> Iterator[Earlier]:
    """Yield what `keep` has kept."""
    if not path.is_file():
        return
    try:
        said = json.loads(path.read_text(encoding="utf-8")).get(KEPT)
        if said is not None and said["name"] == name:
            yield Earlier(str(path), str(said["version"]), frozenset(said["ids"]), withdrawn_notes.of_rows(said["withdrawn"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"{path}: it does not say what the last release held ({type(error).__name__}); restore it, or remove it to begin anew"
        raise ReleaseError(msg) from error


def keep(name: str, earlier: Sequence[Earlier], path: Path = LAST_RELEASE_PATH) -> None:
    """Keep what a release in its place says, before that is taken out of it: a run that is refused must not forget it."""
    for one in earlier:
        if one.where == str(RELEASE):
            said: dict[str, Any] = {"name": "", "version": "", "recordings": {}}
            if path.is_file():
                said = json.loads(path.read_text(encoding="utf-8"))
            rows = withdrawn_notes.rows(one.notes)
            said[KEPT] = {"name": name, "version": one.version, "ids": sorted(one.ids), "withdrawn": rows}
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with whole(path) as part:
                part.touch(mode=0o600)
                part.write_text(json_text(said), encoding="utf-8")


def refuse_return(
    earlier: Iterable[Earlier], last: Mapping[str, Any], now: Mapping[str, str], withdrawn: Memory, raw: Path, version: str
) -> None:
    """Refuse to release again who was withdrawn in another clone.

    Parameters
    ----------
    earlier
        As `releases_here` returns them.
    last
        What is kept of the last release of this clone.
    now
        Released id by recording, of what would be released.
    withdrawn
        Who withdrew, as far as this clone knows.
    raw
        Folder of the raw study.
    version
        Of the release that is to be made.

    Raises
    ------
    ReleaseError
        Names the ids, and which files to bring.
    """
    for one in _of_these(earlier, now):
        more = {name: id_ for name, id_ in now.items() if id_ not in one.ids}
        again = {name: id_ for name, id_ in more.items() if last["recordings"].get(name) == id_}
        suspects = again or (more if len(withdrawn.recordings) < one.notes.total() else {})
        if suspects:
            count = count_text(one.unknown(last).total(), "recording")
            listed = ", ".join(f"'{name}' ({id_})" for name, id_ in sorted(suspects.items())[:SHOWN])
            listed += f" and {len(suspects) - SHOWN} more" if len(suspects) > SHOWN else ""
            msg = (
                f"{one.where}: version {one.version} says that {count} withdrew of which this clone does not know, and {version} would "
                f"hold what that version does not hold{' any more' if again else ''}: {listed}; bring from the clone that released "
                f"{one.version} the rows of {raw / withdrawals.NAME}, {withdrawal_memory.PATH} and {LAST_RELEASE_PATH}, then run again"
            )
            raise ReleaseError(msg)


def _of_these(earlier: Iterable[Earlier], now: Mapping[str, str]) -> list[Earlier]:
    """Return the releases of which a recording is released again; the others are of other people, or of all under other ids."""
    return [one for one in earlier if not one.ids.isdisjoint(now.values())]


def carried(
    earlier: Iterable[Earlier], last: Mapping[str, Any], now: Mapping[str, str], gone: Mapping[str, str]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the notes that a release carries on, and of those who are gone the reasons of whom none of these notes counts.

    Parameters
    ----------
    earlier, last, now
        As in `refuse_return`.
    gone
        Of the recordings of the last release that were withdrawn, with their reasons.
    """
    notes, counted = Counter(withdrawn_notes.of_rows(last_tombstones(last))), set[str]()
    for one in _of_these(earlier, now):
        notes |= one.notes
        if _number(one.version) > _number(last["version"]):
            counted |= {name for name in gone if last["recordings"][name] not in one.ids}
    return withdrawn_notes.rows(notes), {name: reason for name, reason in gone.items() if name not in counted}


def _number(version: str) -> tuple[int, ...]:
    """Return a version as numbers; one that is not x.y.z comes before all others."""
    parts = version.split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()
