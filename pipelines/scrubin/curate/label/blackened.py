"""Where the released videos are black, by frame: the page says so at the place, so that nobody takes it for a fault of the picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scrubin.base.errors import ReviewError, TableError
from scrubin.base.layout import HIDDEN_PATH
from scrubin.base.tables import io
from scrubin.base.tables.private import HIDDEN
from scrubin.curate.label.several.disputes import runs


@dataclass(frozen=True)
class Blackened:
    """Frames ``[first, end)`` of a released video in which something is hidden: ``is_whole`` says whether it is the whole picture."""

    first: int
    end: int
    is_whole: bool


def load(folder: Path) -> Mapping[tuple[str, str], tuple[Blackened, ...]]:
    """Return what is hidden in each released video, by released id and camera, in order of time.

    Raises
    ------
    ReviewError
        When the table of what is hidden is missing.
    """
    try:
        rows = io.records(io.read(HIDDEN, folder / HIDDEN_PATH))
    except TableError as error:
        raise ReviewError(str(error)) from error
    spans: dict[tuple[str, str], list[Blackened]] = {}
    for row in rows:
        one = Blackened(row["first_frame"], row["last_frame"] + 1, row["x"] is None)
        spans.setdefault((row["id"], row["camera"]), []).append(one)
    return {video: _joined(of) for video, of in spans.items()}


def _joined(spans: list[Blackened]) -> tuple[Blackened, ...]:
    """Return runs of frames; where a whole picture is hidden, no part of it is told."""
    whole, part = (np.zeros(max(one.end for one in spans), np.bool_) for _ in range(2))
    for one in spans:
        (whole if one.is_whole else part)[one.first : one.end] = True
    of_both = [(whole, True), (part & ~whole, False)]
    found = [Blackened(first, end, is_whole) for flags, is_whole in of_both for first, end in runs(flags)]
    return tuple(sorted(found, key=lambda one: one.first))
