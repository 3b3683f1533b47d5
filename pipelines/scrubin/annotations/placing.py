"""Labels on our frames, and which source counts where several label the same recording.

The first source in the order of ``params.yaml`` counts; one that labels whole triplets comes
before one that only says which instruments are present. The others are compared with it and
their differences counted: nothing is mixed, so a row always comes from one file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from scrubin.annotations.alignment import UNUSED, Alignment, Timeline, align
from scrubin.labels.model import Clock, Detail, IntArray, Labels, Layer
from scrubin.vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True)
class PlacedLayer:
    """One layer of labels on the frames of a recording.

    Parameters
    ----------
    format, vocabulary, detail, clock
        Where the labels come from.
    frames
        Labelled frames, increasing, shape (n,).
    rows
        As in the layer, with ``frame`` instead of ``position``.
    alignment
        What went where.
    """

    format: str
    vocabulary: Vocabulary
    detail: Detail
    clock: Clock
    frames: IntArray
    rows: pd.DataFrame
    alignment: Alignment


def place(labels: Labels, layer: Layer, line: Timeline) -> PlacedLayer:
    """Return a layer on the frames of its recording; labels without a frame are left out."""
    alignment = align(layer.positions, labels.clock, line)
    pairs = _with_repeats(layer.positions, alignment.frames, line)
    rows = layer.rows.merge(pairs, on="position", how="inner").drop(columns="position")
    rows = rows.sort_values("frame", kind="stable", ignore_index=True)
    frames = np.sort(pairs["frame"].to_numpy(dtype=np.int64))
    return PlacedLayer(labels.format, labels.vocabulary, labels.detail, labels.clock, frames, rows, alignment)


def _with_repeats(positions: IntArray, frames: IntArray, line: Timeline) -> pd.DataFrame:
    """Return position and frame of every use of a label.

    Where a video stands still for longer than a period, several extracted frames are the same
    picture, and what holds for one of them holds for all.
    """
    used = frames != UNUSED
    pairs = pd.DataFrame({"position": positions[used], "frame": frames[used]})
    pictures = pd.DataFrame({"frame": line.frames, "picture": line.source_frames})
    same = pairs.merge(pictures, on="frame").merge(pictures, on="picture", suffixes=("_labelled", ""))
    repeats = same.loc[~same["frame"].isin(pairs["frame"]), ["position", "frame"]].drop_duplicates("frame", keep="last")
    return pd.concat([pairs, repeats], ignore_index=True)


def choose_phases(placed: Sequence[PlacedLayer]) -> tuple[PlacedLayer | None, list[str]]:
    """Return the phases that count, and how the other sources differ from them."""
    if not placed:
        return None, []
    first, *others = placed
    return first, [_compare("phases", first, other, _phase_names) for other in others]


def choose_instances(placed: Sequence[PlacedLayer]) -> tuple[PlacedLayer | None, list[str]]:
    """Return the instances that count, and how the instruments of the other sources differ."""
    if not placed:
        return None, []
    first, *others = sorted(placed, key=lambda one: one.detail != "triplet")
    return first, [_compare("instruments", first, other, _instrument_names) for other in others]


_Names = Callable[[PlacedLayer, IntArray], dict[int, tuple[str, ...]]]


def _compare(what: str, first: PlacedLayer, other: PlacedLayer, names: _Names) -> str:
    shared = np.intersect1d(first.frames, other.frames)
    ours, theirs = names(first, shared), names(other, shared)
    differing = [frame for frame in shared.tolist() if ours.get(frame, ()) != theirs.get(frame, ())]
    where = f" (first: frame {differing[0]})" if differing else ""
    return f"{what}: {first.format} counts; {other.format} differs in {len(differing)} of {len(shared)} shared frames{where}"


def _phase_names(placed: PlacedLayer, frames: IntArray) -> dict[int, tuple[str, ...]]:
    rows = placed.rows[placed.rows["frame"].isin(frames)]
    pairs = zip(rows["frame"].tolist(), rows["phase_id"].tolist(), strict=True)
    return {frame: (placed.vocabulary.phases[phase],) for frame, phase in pairs}


def _instrument_names(placed: PlacedLayer, frames: IntArray) -> dict[int, tuple[str, ...]]:
    # Presence does not count instances, so neither does the comparison.
    rows = placed.rows[placed.rows["frame"].isin(frames)].drop_duplicates(["frame", "instrument_id"])
    names: dict[int, list[str]] = {}
    for frame, instrument in zip(rows["frame"].tolist(), rows["instrument_id"].tolist(), strict=True):
        names.setdefault(frame, []).append(placed.vocabulary.instruments[instrument])
    return {frame: tuple(sorted(instruments)) for frame, instruments in names.items()}
