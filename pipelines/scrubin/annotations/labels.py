"""What label files say, whatever their format: the labels of one recording, in source time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.vocabulary.vocabulary import Vocabulary

IntArray = npt.NDArray[np.int64]
Detail = Literal["triplet", "instrument"]
IDS = ("instrument_id", "verb_id", "target_id", "triplet_id")
BOX = ("x", "y", "w", "h")
INSTANCE_COLUMNS = ("position", *IDS, *BOX, "score")
PHASE_COLUMNS = ("position", "phase_id")


@dataclass(frozen=True)
class LabelFiles:
    """The files of one recording in one format, and how to read them.

    Parameters
    ----------
    recording
        The curator's name of the recording.
    files
        Content by name, relative to the raw folder.
    vocabulary
        Names and ids.
    box_tolerance
        A box may leave the image by this share of its side; it is then cut to the image.
    """

    recording: str
    files: Mapping[str, bytes]
    vocabulary: Vocabulary
    box_tolerance: float


@dataclass(frozen=True)
class Clock:
    """What a label's position counts: periods of source time, or source frames.

    Parameters
    ----------
    period_s
        Position k is source second ``k * period_s``; None: position k is source frame k. Both
        start at 0 with the first frame of the source.
    """

    period_s: Fraction | None


SOURCE_FRAMES = Clock(None)


@dataclass(frozen=True)
class Layer:
    """Labels of one kind.

    Parameters
    ----------
    file
        Where they stand, for messages.
    positions
        Every labelled position, increasing, shape (n,). It may have no row: labelled as "nothing there".
    rows
        A data frame with ``position`` and ids; undefined is null. Rows of a position keep the order of the file.
    every_frame
        Whether the format labels every frame of the source, so that the length must be that of the video.
    """

    file: str
    positions: IntArray
    rows: pd.DataFrame
    every_frame: bool = False


@dataclass(frozen=True)
class Labels:
    """All that one format says about one recording.

    Parameters
    ----------
    recording, format, vocabulary
        Whose labels, read by which format, in which vocabulary.
    clock
        What a position counts.
    phases, instances
        The labels; None when the format, or the recording, has none of that kind.
    detail
        What is labelled of an instance: the whole triplet, or the instrument only.
    image_sizes
        ``(width, height)`` in px of the labelled images, by file, where the format states them.
    warnings
        What a curator should know. They are published: no names of recordings or files.
    """

    recording: str
    format: str
    vocabulary: Vocabulary
    clock: Clock
    phases: Layer | None = None
    instances: Layer | None = None
    detail: Detail = "triplet"
    image_sizes: Mapping[str, tuple[int, int]] | None = None
    warnings: tuple[str, ...] = ()


def instance_rows(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return instances as a data frame; missing ids and boxes are null."""
    frame = pd.DataFrame(list(rows), columns=list(INSTANCE_COLUMNS), dtype=object)
    dtypes = {"position": "int64", **dict.fromkeys(IDS, "Int64"), **dict.fromkeys((*BOX, "score"), "float64")}
    return frame.astype(dtypes)


def phase_rows(positions: Sequence[int], phase_ids: Sequence[int]) -> pd.DataFrame:
    """Return phases as a data frame, one row per position."""
    return pd.DataFrame({"position": np.array(positions, np.int64), "phase_id": np.array(phase_ids, np.int64)})
