"""What the release must be: every file of it, and what is black in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from scrubin.errors import ReleaseError
from scrubin.release.declared import Public
from scrubin.tables.declare import Table
from scrubin.tables.io import records

Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Hidden:
    """Frames ``first`` to ``last`` (both included) that are black, inside ``box_xywh`` in px or (None) as a whole."""

    first: int
    last: int
    box_xywh: Box | None


@dataclass(frozen=True)
class VideoPlan:
    """One released video file; ``path`` is relative to the release folder, ``sha256`` of its bytes."""

    path: str
    id: str
    camera: str
    frame_count: int
    sha256: str
    hidden: tuple[Hidden, ...]


@dataclass(frozen=True)
class FramePlan:
    """One extracted frame; ``boxes`` are black, and all of it where ``redacted``."""

    path: str
    redacted: bool
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True)
class Plan:
    """All media of the release, the tables it may hold, and the released ids.

    ``columns`` are names of columns beside those of the tables, such as one per task-specific error.
    """

    videos: tuple[VideoPlan, ...] = ()
    frames: tuple[FramePlan, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    columns: frozenset[str] = frozenset()

    @cached_property
    def ids(self) -> frozenset[str]:
        """All released ids."""
        return frozenset(video.id for video in self.videos)

    @cached_property
    def frame_names(self) -> frozenset[str]:
        """The paths of all frames."""
        return frozenset(frame.path for frame in self.frames)

    @cached_property
    def public(self) -> Public:
        """What readers need to know: the released ids and the columns that are public by declaration."""
        declared = {name for table in self.tables.values() for name in table.column_names}
        return Public(self.ids, frozenset(declared | self.columns))


def of_tables(
    videos: pd.DataFrame,
    frames: pd.DataFrame,
    cuts: pd.DataFrame,
    hidden: pd.DataFrame,
    tables: Mapping[str, Table],
    columns: Iterable[str] = (),
) -> Plan:
    """Return the plan that the tables ``videos``, ``frames``, ``cuts`` and ``hidden`` state.

    The number of frames comes from ``cuts``, because ``videos`` describes what was written.

    Parameters
    ----------
    videos, frames, cuts, hidden
        The tables of these names.
    tables
        Declarations of the public tables, by name.
    columns
        Columns of sheets that stand in no table, such as the names of errors.

    Raises
    ------
    ReleaseError
        Names every video that is in only one of ``videos`` and ``cuts``.
    """
    counts = {(row["id"], row["camera"]): int(row["frame_count"]) for row in records(cuts)}
    released = {(row["id"], row["camera"]) for row in records(videos)}
    if released ^ counts.keys():
        names = ", ".join(" ".join(key) for key in sorted(released ^ counts.keys()))
        msg = f"tables 'videos' and 'cuts' do not name the same videos: {names}; run 'dvc repro render' again"
        raise ReleaseError(msg)
    spans: dict[tuple[str, str], list[Hidden]] = {}
    for row in records(hidden):
        box = None if row["x"] is None else (row["x"], row["y"], row["w"], row["h"])
        spans.setdefault((row["id"], row["camera"]), []).append(Hidden(row["first_frame"], row["last_frame"], box))
    return Plan(
        tuple(_video(row, counts, spans) for row in records(videos)),
        tuple(_frame(row, spans.get((row["id"], row["camera"]), [])) for row in records(frames)),
        dict(tables),
        frozenset(columns),
    )


def _video(row: dict[str, Any], counts: Mapping[tuple[str, str], int], spans: Mapping[tuple[str, str], list[Hidden]]) -> VideoPlan:
    key = (row["id"], row["camera"])
    return VideoPlan(row["path"], *key, counts[key], row["sha256"], tuple(spans.get(key, ())))


def _frame(row: dict[str, Any], spans: list[Hidden]) -> FramePlan:
    frame = row["source_frame"]
    boxes = tuple(span.box_xywh for span in spans if span.box_xywh is not None and span.first <= frame <= span.last)
    return FramePlan(row["path"], row["redacted"], boxes)
