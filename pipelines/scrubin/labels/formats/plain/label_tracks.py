"""Boxes and points of the files of `scrubin label`: key frames in, one instance per frame out, those between computed and said so.

``boxes`` has ``track``, ``frame``, ``label`` and ``box`` (left, top, width and height as shares of the picture), ``points`` has ``point``
(its name) and ``at`` instead; ``outside`` says that the track has left the picture, ``hidden`` that nobody sees the point, ``computed``
that nobody said this place, as in the mean of several people. Between key frames places are on a straight line, frame by frame. ``shown``
are the frames, half open, that people saw: in all of them instruments are labelled, or there is none.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import instance_spans, keyframes, tracks
from scrubin.labels.keyframes import HIDDEN, OUTSIDE, SEEN, KeyFrame, Track
from scrubin.labels.model import BOX, INSTANCE_COLUMNS, INSTANCE_DTYPES, Layer
from scrubin.labels.parse import documents, fields, points
from scrubin.labels.parse.fields import Where
from scrubin.labels.points import HIDDEN as NOT_SEEN
from scrubin.labels.points import POINTS, VISIBLE, Point, have_points

LISTS = ("boxes", "points")
SHOWN, BETWEEN, LINEAR = "shown", "interpolation", "linear"
KEYS = (SHOWN, BETWEEN, *LISTS)
TIP = "tip"
INTERPOLATED = "interpolated"
"""A detail of instances: 1 where nobody said the place of the box, else of the point; 0 where somebody did."""
POINT_INTERPOLATED = "point_interpolated"
"""The same of the point of an instance, which may be said where its box is not; null where there is no point."""
DETAILS = {tracks.ONLY: "Int64", INTERPOLATED: "Int64"}
PLACES = {"boxes": "box", "points": "at"}


def place_of(layer: str, key: KeyFrame) -> dict[str, object]:
    """Return what a file says of the place of a key frame."""
    said: dict[str, object] = {"point": TIP} if layer == "points" else {}
    said |= {"outside": True} if key.state == OUTSIDE else {PLACES[layer]: list(key.place)}
    return said | ({"hidden": True} if key.state == HIDDEN else {}) | ({"computed": True} if key.computed else {})


def instances(
    where: Where, document: Mapping[str, Any], frames: int, vocabulary: Vocabulary, tolerance: float, actions: pd.DataFrame | None
) -> Layer | None:
    """Return boxes and points of every frame that was shown, with what their instruments do; None after noting what is wrong.

    A point is of the box of its instrument in which it lies, where there is one such box and one such point. An action is of the box of
    its instrument, where a frame has one box and one action of it. All others are instances of their own.

    Parameters
    ----------
    frames
        Of the source.
    tolerance
        A place may leave the picture by this share of its side.
    actions
        Spans of source frames in the same file; None where there are none.
    """
    errors = len(where.faults.errors())
    shown = _shown(where, document, frames)
    if document.get(BETWEEN) != LINEAR:
        what = f"'{BETWEEN}' is {documents.shown(document.get(BETWEEN))}, this version knows '{LINEAR}'"
        where.error("layout", what, "export the labels with this version")
    of_layer = {layer: _tracks(where, document, layer, shown, vocabulary, tolerance) for layer in LISTS if layer in document}
    if len(where.faults.errors()) > errors:
        return None
    boxed = _rows(of_layer.get("boxes", {}), BOX, 0, vocabulary)
    pointed = _rows(of_layer.get("points", {}), BOX[:2], len(of_layer.get("boxes", {})), vocabulary)
    rows = _with_points(boxed, pointed)
    unsaid, count = places_of(rows)
    if unsaid:
        what = f"{unsaid:,} of {count:,} places of tracks were said by nobody: they lie between key frames, or are means"
        where.warning("interpolated", what)
    positions = np.arange(*shown)
    if actions is not None:
        doing = actions[actions["instrument_id"].notna()]
        ranges = doing[["start", "end"]].to_numpy(np.int64).reshape(-1, 2)
        at, acting = instance_spans.instances(doing, ranges)
        positions, rows = np.union1d(positions, at), _with_actions(rows, acting)
    rows = rows.sort_values(["position", tracks.ONLY], kind="stable", ignore_index=True)
    return Layer(where.file, positions.astype(np.int64), rows, boxless="boxes" not in document)


def places_of(rows: pd.DataFrame) -> tuple[int, int]:
    """Return how many places of boxes and points nobody said, and how many there are; a box and its point are two."""
    has_box, has_point = rows["x"].notna(), have_points(rows)
    # Labels of other programs tell of boxes only, or of an instance as a whole.
    of_point = rows[POINT_INTERPOLATED] if POINT_INTERPOLATED in rows else rows[INTERPOLATED].mask(has_box)
    unsaid = (has_box & (rows[INTERPOLATED] == 1).fillna(value=False)).sum() + (has_point & (of_point == 1).fillna(value=False)).sum()
    return int(unsaid), int(has_box.sum() + has_point.sum())


def _shown(where: Where, document: Mapping[str, Any], frames: int) -> tuple[int, int]:
    stated = document.get(SHOWN, [0, frames])
    if isinstance(stated, list) and len(stated) == 2 and all(map(fields.is_whole, stated)) and 0 <= stated[0] < stated[1] <= frames:
        return stated[0], stated[1]
    where.at(SHOWN).error("value-type", f"expected two frames in 0..{frames}, but got {documents.shown(stated)}", "export the file again")
    return 0, frames


def _tracks(
    where: Where, document: Mapping[str, Any], layer: str, shown: tuple[int, int], vocabulary: Vocabulary, tolerance: float
) -> dict[int, Track]:
    keys: dict[int, list[KeyFrame]] = {}
    for at, one in enumerate(fields.list_of_objects(where, document, layer)):
        place = where.at(f"{layer} {at}")
        number = fields.whole(place, one, "track", low=1)
        frame = fields.whole(place, one, "frame", low=shown[0], high=shown[1] - 1)
        label = one.get("label")
        if not isinstance(label, str) or place.id_of(vocabulary, "instrument", label) is None:
            if not isinstance(label, str):
                place.error("value-type", f"'label' is {documents.shown(label)}, expected a name", "name it")
            continue
        said = () if one.get("outside") is True else _place(place, layer, one, tolerance)
        if number is None or frame is None or said is None:
            continue
        state = OUTSIDE if one.get("outside") is True else HIDDEN if one.get("hidden") is True else SEEN
        keys.setdefault(number, []).append(KeyFrame(frame, label, keyframes.rounded(said), state, one.get("computed") is True))
    found = {}
    for number, of in sorted(keys.items()):
        ordered, place = sorted(of), where.at(f"{layer}, track {number}")
        repeated = [one.frame for one, other in itertools.pairwise(ordered) if one.frame == other.frame]
        if repeated:
            place.error("frame-repeated", f"it has two key frames at frame {repeated[0]}", "keep one of them")
        if len({vocabulary.find("instrument", key.label) for key in ordered}) > 1:
            place.error("track-class", "its key frames are of several instruments", "give another instrument another track")
        found[number] = Track(tuple(ordered), str(number))
    return found


def _place(where: Where, layer: str, one: Mapping[str, Any], tolerance: float) -> tuple[float, ...] | None:
    stated = one.get(PLACES[layer])
    if layer == "boxes":
        return fields.share_box(where, stated, tolerance)
    if one.get("point") != TIP:
        where.error("points-names", f"'point' is {documents.shown(one.get('point'))}, this version knows '{TIP}'", "name it so")
        return None
    if not isinstance(stated, list) or len(stated) != 2 or not all(map(fields.is_number, stated)):
        where.error("points-form", f"'at' is {documents.shown(stated)}", "give x and y in 0..1")
        return None
    place = points.checked(where, (float(stated[0]), float(stated[1])), VISIBLE, tolerance)
    return None if place is None else place[:2]


def _rows(found: Mapping[int, Track], sides: Sequence[str], before: int, vocabulary: Vocabulary) -> pd.DataFrame:
    """Return a row per track and frame in which it has a place, tracks numbered from ``before`` on; ``hidden`` says whether it is."""
    parts = []
    for number, track in enumerate(found.values(), start=before + 1):
        places = keyframes.expanded(track)
        sided = {side: places.places[:, at] for at, side in enumerate(sides)} if len(places.frames) else {}
        ids = {"instrument_id": vocabulary.find("instrument", track.label), tracks.ONLY: number}
        columns = {"position": places.frames, **sided, INTERPOLATED: ~places.is_said, "hidden": places.is_hidden}
        parts.append(pd.DataFrame(columns).assign(**ids))
    rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"position": [], "hidden": []})
    rows = rows.reindex(columns=[*INSTANCE_COLUMNS, *DETAILS, "hidden"]).assign(score=1.0)
    return rows.astype({**INSTANCE_DTYPES, **DETAILS, "hidden": "bool"})


def _with_points(boxed: pd.DataFrame, pointed: pd.DataFrame) -> pd.DataFrame:
    """Return the boxes, each with its point where there is one, and the points that are of no box."""
    if pointed.empty:
        return boxed.drop(columns="hidden")
    places = zip(pointed["x"].tolist(), pointed["y"].tolist(), pointed["hidden"].tolist(), strict=True)
    labelled = [(Point(TIP, x, y, NOT_SEEN if is_hidden else VISIBLE),) for x, y, is_hidden in places]
    pairs = _pairs(boxed, pointed)
    x, y = (pointed[side].to_numpy()[pairs["of_other"]] for side in ("x", "y"))
    box = {side: boxed[side].to_numpy()[pairs["of_box"]] for side in BOX}
    is_in = (x >= box["x"]) & (x <= box["x"] + box["w"]) & (y >= box["y"]) & (y <= box["y"] + box["h"])
    pairs = _only(pairs[is_in])
    of_box: list[Any] = [None] * len(boxed)
    unsaid: list[Any] = [None] * len(boxed)
    for at, other in zip(pairs["of_box"].tolist(), pairs["of_other"].tolist(), strict=True):
        of_box[at], unsaid[at] = labelled[other], pointed[INTERPOLATED].iloc[other]
    alone = pointed.assign(**dict.fromkeys(BOX, np.nan), **{POINTS: pd.Series(labelled, index=pointed.index, dtype=object)})
    alone = alone.assign(**{POINT_INTERPOLATED: pointed[INTERPOLATED]}).drop(index=pairs["of_other"].tolist())
    of_points = {POINTS: pd.Series(of_box, index=boxed.index, dtype=object)}
    of_points |= {POINT_INTERPOLATED: pd.Series(unsaid, index=boxed.index, dtype="Int64")}
    both = [boxed.assign(**of_points), alone]
    return pd.concat(both, ignore_index=True).drop(columns="hidden")


def _with_actions(rows: pd.DataFrame, acting: pd.DataFrame) -> pd.DataFrame:
    """Return the rows, each with the verb and target of its action where there is one, and the actions that are of none."""
    acting = acting.drop(columns=instance_spans.NUMBER)
    pairs = _only(_pairs(rows, acting))
    done = rows.copy()
    for column in ("verb_id", "target_id", "triplet_id"):
        values = done[column].array.copy()
        values[pairs["of_box"].to_numpy()] = acting[column].array[pairs["of_other"].to_numpy()]
        done[column] = values
    alone = acting.drop(index=pairs["of_other"].tolist())
    return pd.concat([done, alone], ignore_index=True).astype({**INSTANCE_DTYPES, **DETAILS})


def _pairs(rows: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Return the places in both, ``of_box`` and ``of_other``, of rows that are of the same instrument in the same frame."""
    keys = ["position", "instrument_id"]
    one = rows[keys].assign(of_box=np.arange(len(rows)))
    return one.merge(others[keys].assign(of_other=np.arange(len(others))), on=keys)


def _only(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of which neither stands in another pair."""
    is_only = ~pairs["of_box"].duplicated(keep=False) & ~pairs["of_other"].duplicated(keep=False)
    return pairs[is_only]
