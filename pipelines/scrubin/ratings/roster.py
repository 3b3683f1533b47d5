"""Which released recording a name in a rater sheet stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from scrubin.core import faults
from scrubin.core.csvtext import shown
from scrubin.core.errors import RatingsError
from scrubin.core.faults import Fault
from scrubin.core.suggest import near


@dataclass(frozen=True)
class RosterEntry:
    """A recording of the manifest; ``id`` is None when it is not released."""

    recording: str
    task: str
    id: str | None


@dataclass(frozen=True)
class Roster:
    """All recordings of the study by each of their names: the curator's and the released id."""

    by_name: Mapping[str, tuple[RosterEntry, ...]]
    tasks: tuple[str, ...]
    released: pd.DataFrame
    """One row per released recording, sorted: task, id, duration_s, frame_count."""
    set_aside: frozenset[str] = frozenset()
    """Recordings whose rows in the manifest cannot be used, so that their task may be unknown."""

    def find(self, task: str, name: str) -> RosterEntry:
        """Return the recording of a task that a rater calls ``name``.

        Raises
        ------
        RatingsError
            When there is none, when it belongs to another task, or when the name of one
            recording is the released id of another.
        """
        named = self.by_name.get(name, ())
        if not named and name in self.set_aside:
            return RosterEntry(name, task, None)
        if not named:
            close = near(name, self.by_name)
            fix = f"did you mean '{close}'?" if close else "correct the id, or remove the row"
            raise RatingsError([_fault("id-unknown", f"id '{shown(name)}' is neither a recording of the manifest nor a released id", fix)])
        if len(named) > 1:
            what = f"id '{shown(name)}' is the name of one recording and the released id of another"
            raise RatingsError([_fault("id-ambiguous", what, "use the released ids in this sheet")])
        if named[0].task != task:
            what = f"id '{shown(name)}' is a recording of {named[0].task}, not of {task}"
            raise RatingsError([_fault("id-task", what, "move the row to the sheet of its task")])
        return named[0]


def roster_of(recordings: pd.DataFrame, linkage: pd.DataFrame, videos: pd.DataFrame, set_aside: Iterable[str] = ()) -> Roster:
    """Return the roster of a study from its tables ``recordings``, ``linkage`` and ``videos``, and the names set aside by ingest."""
    id_of = dict(zip(linkage.recording, linkage.id, strict=True))
    released = set(videos.id)
    names: dict[str, set[RosterEntry]] = {}
    for recording, task in recordings.drop_duplicates("recording").set_index("recording").task.items():
        id_ = id_of.get(recording)
        entry = RosterEntry(str(recording), task, id_ if id_ in released else None)
        for name in {str(recording), id_} - {None}:
            names.setdefault(str(name), set()).add(entry)
    by_name = {name: tuple(sorted(named, key=lambda entry: entry.recording)) for name, named in sorted(names.items())}
    return Roster(by_name, tuple(sorted(set(recordings.task))), released_recordings(videos), frozenset(set_aside))


def released_recordings(videos: pd.DataFrame) -> pd.DataFrame:
    """Return one row per released recording: task, id, duration_s, frame_count, sorted by task and id.

    The cameras of a recording are cut at the same instants; the first by name speaks for all.
    """
    first = videos.sort_values(["task", "id", "camera"]).drop_duplicates(["task", "id"])
    return first[["task", "id", "duration_s", "frame_count"]].reset_index(drop=True)


def _fault(rule: str, what: str, fix: str) -> Fault:
    """Return a fault without file and place, which are the caller's to know."""
    return faults.error("", rule, what, fix)
