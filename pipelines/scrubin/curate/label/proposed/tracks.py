"""Boxes and points that a program predicts, frame by frame, as tracks with key frames.

Boxes of one id are one track. Those without an id are one track as long as one lies where the one of the predicted frame before did: of one
instrument, with an IoU of at least one half; points within 5 % of the picture. Key frames are where a straight line would leave what is
predicted by more than `WITHIN`; a predicted frame that lacks the track ends it there, until it is back.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from scrubin.curate.label.events import MOST_CHANGES
from scrubin.curate.label.params import LabelParams
from scrubin.curate.label.proposed.clock import LEAST_SCORE, Times, frames_of, named, step_of
from scrubin.curate.label.several.matching import closeness_of
from scrubin.labels import boxes, keyframes, tracks
from scrubin.labels.keyframes import HIDDEN, OUTSIDE, SEEN, KeyFrame, Track
from scrubin.labels.model import BOX, Labels
from scrubin.labels.points import HIDDEN as NOT_SEEN
from scrubin.labels.points import POINTS, Point

WITHIN = 0.005
"""No edge of a proposed box, and no proposed point, is further from the predicted one than this share of that side of the picture."""
TIP = "tip"


@dataclass(frozen=True)
class Seen:
    """What is predicted of one thing in one frame; ``step`` counts predicted positions."""

    step: int
    frame: int
    place: tuple[float, ...]
    state: str = SEEN


def of_labels(layer: str, labels: Labels, p: LabelParams, times_s: Times) -> Iterator[Track]:
    """Yield the tracks of ``boxes`` or ``points``, without a name."""
    if labels.instances is None:
        return
    rows = labels.instances.rows
    rows = rows[rows["instrument_id"].notna() & ~(rows["score"] < LEAST_SCORE)]
    rows = _boxed(rows) if layer == "boxes" else _pointed(rows)
    positions = labels.instances.positions
    frames, step = frames_of(positions, labels.clock, times_s), step_of(positions)
    by_thing: dict[tuple[int, int], list[Seen]] = {}
    loose: dict[int, list[Seen]] = {}
    ids = _ids(rows)
    columns = (rows[name].tolist() for name in ("position", "instrument_id", "place", "state"))
    known: set[tuple[Any, ...]] = set()
    for position, instrument, place, state, id_ in zip(*columns, ids, strict=True):
        if position not in frames:
            continue
        seen = Seen(position, frames[position], place, state)
        # An instrument that does two things at once is one box; of two of one id in a frame, the first counts.
        twice = (seen.frame, instrument, place) if id_ is None else (seen.frame, instrument, id_)
        if twice not in known:
            known.add(twice)
            (loose.setdefault(instrument, []) if id_ is None else by_thing.setdefault((id_, instrument), [])).append(seen)
    for (_, instrument), seen_of in sorted(by_thing.items()):
        yield from _tracks(named(labels, p, {"instrument": instrument})[0], seen_of, step)
    for instrument, seen_of in sorted(loose.items()):
        for linked in _linked(layer, seen_of, step):
            yield from _tracks(named(labels, p, {"instrument": instrument})[0], linked, step)


def _boxed(rows: pd.DataFrame) -> pd.DataFrame:
    rows = boxes.inside(rows[rows["x"].notna()])
    places = [keyframes.rounded(place) for place in rows[[*BOX]].to_numpy(np.float64).tolist()]
    rows = rows.assign(place=pd.Series(places, index=rows.index, dtype=object), state=SEEN)
    # An empty list would choose columns.
    return rows[np.array([place[2] > 0 and place[3] > 0 for place in places], bool)]


def _pointed(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with a tip, or with the point where there is one name only."""
    if POINTS not in rows:
        return rows.iloc[:0].assign(place=None, state=SEEN)
    stated: list[Sequence[Point]] = [value if isinstance(value, tuple) else () for value in rows[POINTS]]
    names = {point.name for of in stated for point in of}
    wanted = TIP if len(names) != 1 else next(iter(names))
    found = [next((one for one in of if one.name.lower() == wanted.lower() and one.labelled), None) for of in stated]
    places = [() if one is None else keyframes.rounded(np.clip((one.x, one.y), 0, 1).tolist()) for one in found]
    states = [HIDDEN if one is not None and one.visibility == NOT_SEEN else SEEN for one in found]
    rows = rows.assign(place=pd.Series(places, index=rows.index, dtype=object), state=states)
    return rows[np.array([bool(place) for place in places], bool)]


def _ids(rows: pd.DataFrame) -> list[int | None]:
    """Return the id of the track of each row; of several kinds that which ends soonest, where something leaves the view."""
    kinds = [str(name) for name in rows.columns if str(name).endswith(tracks.ONLY)]
    kind = min(kinds, key=lambda name: (name != tracks.ONLY, not name.startswith("visib"), name), default="")
    return [None if pd.isna(one) or one < 0 else int(one) for one in tracks.ids_of(rows, kind)]


def _linked(layer: str, seen: Sequence[Seen], step: int) -> list[list[Seen]]:
    """Return what has no id as tracks: each goes on with what is closest in the predicted frame after."""
    found: list[list[Seen]] = []
    last: list[list[Seen]] = []
    for _, of in itertools.groupby(sorted(seen, key=lambda one: one.step), key=lambda one: one.step):
        now = list(of)
        last = [one for one in last if now[0].step - one[-1].step == step]
        pairs = list(itertools.product(range(len(last)), range(len(now))))
        followed: dict[int, list[Seen]] = {}
        if pairs:
            before = np.array([last[a][-1].place for a, _ in pairs])
            closeness, fits = closeness_of(layer, before, np.array([now[b].place for _, b in pairs]))
            for at in np.argsort(-closeness, kind="stable").tolist():
                a, b = pairs[at]
                if fits[at] and b not in followed and not any(one is last[a] for one in followed.values()):
                    followed[b] = last[a]
        for b, one in enumerate(now):
            track = followed.get(b)
            if track is None:
                track = followed[b] = []
                found.append(track)
            track.append(one)
        last = list(followed.values())
    return found


def _tracks(label: str, seen: Sequence[Seen], step: int) -> Iterator[Track]:
    """Yield a track, in parts where it has more key frames than can be said at once."""
    ordered = sorted(seen, key=lambda one: (one.step, one.frame))
    ordered = [one for at, one in enumerate(ordered) if not at or one.frame > ordered[at - 1].frame]
    keys = _keys(label, ordered, step)
    if len(keys) <= MOST_CHANGES:
        yield Track(tuple(keys), "")
        return
    middle = len(ordered) // 2
    yield from _tracks(label, ordered[:middle], step)
    yield from _tracks(label, ordered[middle:], step)


def _keys(label: str, seen: Sequence[Seen], step: int) -> list[KeyFrame]:
    """Return the key frames: of each run in one state those that are needed, and where it is gone."""
    breaks = [at for at in range(1, len(seen)) if seen[at].step - seen[at - 1].step != step]
    turns = [at for at in range(1, len(seen)) if seen[at].state != seen[at - 1].state]
    keys: list[KeyFrame] = []
    for first, end in itertools.pairwise(sorted({0, *breaks, *turns, len(seen)})):
        run = seen[first:end]
        places = np.array([one.place for one in run], np.float64)
        kept = keyframes.fewest(np.array([one.frame for one in run], np.int64), places, WITHIN)
        if first in breaks and run[0].frame > seen[first - 1].frame + 1:
            keys.append(KeyFrame(seen[first - 1].frame + 1, label, (), OUTSIDE))
        keys += [KeyFrame(run[at].frame, label, run[at].place, run[at].state) for at in kept]
    return keys


def at_frame(track: Track, frame: int) -> KeyFrame | None:
    """Return what a track is in a frame as a key frame; None where it says nothing."""
    said = next((key for key in track.keys if key.frame == frame), None)
    if said is not None:
        return said
    inside = keyframes.cut(track, frame, frame + 1)
    return None if inside is None else KeyFrame(frame, track.label, inside.keys[0].place, inside.keys[0].state)
