"""Tracks of instruments: boxes of both sides with the ids of one kind of track, and HOTA, CLEAR MOT and identity scores of them.

The three kinds say for how long two boxes are one instrument: as long as it is in view, in the body, or in the operation (Nwoye et al.,
"CholecTrack20: a multi-perspective tracking dataset for surgical tools", CVPR 2025). Their ids are the details ``visibility_track``,
``intracorporeal_track`` and ``intraoperative_track``, or ``track`` where a format knows one kind only. Ids are names: those of the two
sides need not be the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import pandas as pd

from scrubin.base.errors import MetricsError
from scrubin.base.faults import Fault, Faults, error, warning
from scrubin.evaluate import side
from scrubin.evaluate.computation import Computed, Scoring, drawn_videos, with_alone
from scrubin.evaluate.metrics.bootstrap import Draw
from scrubin.evaluate.metrics.detection import in_px
from scrubin.evaluate.metrics.result import Result, Semantics
from scrubin.evaluate.metrics.tracks import FloatArray, TrackRows, TrackVideo
from scrubin.evaluate.metrics.tracks.combined import counted, results
from scrubin.evaluate.metrics.variants import CLASSES_TOGETHER
from scrubin.evaluate.score_document import class_names as of_vocabulary
from scrubin.evaluate.series import IntArray, paired, stated_sizes
from scrubin.evaluate.side import Source
from scrubin.evaluate.tasks import detection
from scrubin.evaluate.tasks.detection import Boxes, Role
from scrubin.labels.model import BOX
from scrubin.labels.tracks import ONE_BOX, ONLY, ids_of, repeated, without_track

CLASS = "instrument_id"


def truth_of(source: Source, choice: Mapping[str, str]) -> Boxes:
    """Return the annotated boxes, whose rows have the column ``track``: the ids of a kind, from 0, each once in a frame.

    Parameters
    ----------
    choice
        The value of every choice.

    Raises
    ------
    ScrubinError
        For files that cannot be used, without boxes, without such tracks, or with a track that has two boxes in a frame.
    """
    return _tracked(source, detection.truth_of(source, "i", without_class=True), "ground truth", choice)


def predictions_of(source: Source, truth: Boxes, truth_source: Source, choice: Mapping[str, str]) -> Boxes:
    """Return the predicted boxes with their ids; errors as of `truth_of`, and for other classes than those of the truth."""
    boxes = detection.predictions_of(source, truth, truth_source, "i", without_class=True)
    return _tracked(source, boxes, "predictions", choice)


def _tracked(source: Source, boxes: Boxes, role: Role, choice: Mapping[str, str]) -> Boxes:
    file, faults, kind = str(source.path), Faults(), choice["kind"]
    own = f"{kind}_track"
    columns = [column for column in (own, ONLY) if any(column in rows for rows in boxes.rows.values())]
    has_rows = any(len(rows) for rows in boxes.rows.values())
    if not columns and has_rows:
        others = sorted({str(one) for rows in boxes.rows.values() for one in rows if str(one).endswith("_track")})
        there = f", only {', '.join(others)}" if others else ""
        what = f"the boxes of the {role} have no ids of the kind '{kind}'{there}"
        raise MetricsError([error(file, "no-tracks", what, f"give {own} or {ONLY}, or choose another kind=..."), *boxes.faults])
    column = columns[0] if columns else ONLY
    rows = {name: _with_ids(name, of, column, faults) for name, of in boxes.rows.items()}
    if choice["classes"] != CLASSES_TOGETHER[0]:
        for name, of in rows.items():
            _note_classless(name, of, faults)
    MetricsError.raise_any(faults)
    notes: tuple[Fault, ...] = ()
    if columns == [ONLY]:
        notes = (warning(file, "track-kind", f"boxes of the {role} have one id each, of no stated kind; taken as '{kind}'"),)
    return replace(boxes, rows=rows, faults=(*notes, *boxes.faults))


def _with_ids(name: str, rows: pd.DataFrame, column: str, faults: Faults) -> pd.DataFrame:
    """Return the rows with the column ``track``; boxes without an id, and ids that are twice in a frame, are noted."""
    frames = without_track(rows, column)
    if len(frames):
        what, fix = f"boxes have no id in {column}", "give every box the id of its track, a whole number from 0"
        faults.error(name, "track-missing", what, fix, frames=frames.tolist(), count=len(frames))
    for id_, at in repeated(rows, column):
        faults.error(name, "track-repeated", f"{column} {id_} stands twice in a frame", ONE_BOX, frames=at)
    return rows.assign(track=ids_of(rows, column))


def _note_classless(name: str, rows: pd.DataFrame, faults: Faults) -> None:
    frames = rows["position"][rows[CLASS].isna()].tolist()
    if frames:
        fix = f"name it, or score all instruments as one: --variant classes={CLASSES_TOGETHER[0]}"
        faults.error(name, "class-missing", "boxes have no instrument", fix, frames=frames, count=len(frames))


def computed(truth: Boxes, predictions: Boxes, semantics: str, choice: Mapping[str, str]) -> Scoring:
    """Return what is to be computed of truth and predictions.

    Raises
    ------
    MetricsError
        When they do not fit each other, or a choice cannot be used.
    """
    joined = paired(truth.series, predictions.series, every_frame=predictions.every_frame)
    names = tuple(joined.pairs)
    videos = []
    for name in names:
        pair = joined.pairs[name]
        at_truth = truth.series[name].frames[pair.truth]
        known = np.flatnonzero(pair.prediction >= 0)
        at_prediction = predictions.series[name].frames[pair.prediction[known]]
        sizes = stated_sizes(at_truth, truth.images.get(name))
        sides = (
            _rows(truth.rows[name], at_truth, np.arange(len(at_truth)), sizes),
            _rows(predictions.rows[name], at_prediction, known, sizes),
        )
        videos.append(TrackVideo(name, len(pair.frames), *sides))
    classes = len(truth.vocabulary.instruments)
    labelled, predicted = (
        {id_ for video in videos for id_ in np.asarray(getattr(video, of).classes).tolist()} for of in ("truth", "predictions")
    )
    there = side.taking_part(truth.whole_lists, truth.vocabulary, "i", labelled, classes)
    sums = counted(videos, classes, detection.iou_of(choice["iou"]), there)
    options = {"component": "i", "kind": choice["kind"]}

    def computation(draw: Draw | None) -> list[Result]:
        return results(sums, choice["classes"], cast("Semantics", semantics), options, draw)

    every = with_alone(computation, "tracks", choice, lambda draw: (drawn_videos(videos, draw), classes))
    class_names = of_vocabulary(truth.vocabulary)
    part = Computed(names, every if semantics == "paper" else computation, class_names, joined.frames, truth.vocabulary.name)
    of_classes = choice["classes"] != CLASSES_TOGETHER[0]
    alone = f"the published program does not see what is predicted of them, except with classes={CLASSES_TOGETHER[0]}"
    so = {"so": alone} if semantics == "compat" else {}
    further = side.only_predicted({"i": predicted.difference(there)} if of_classes else {}, class_names, **so)
    return Scoring([part], (*further, *joined.faults))


def _rows(rows: pd.DataFrame, frames: IntArray, places: Sequence[int] | IntArray, sizes: FloatArray) -> TrackRows:
    """Return the boxes in frames that count, by the places of these frames.

    Boxes are in px where the size of the images is known, as TrackEval has them.

    Parameters
    ----------
    frames, places
        (n,) each: how the side numbers a frame, and the place of the frame among those that count.
    sizes
        (frames that count, 2), width and height in px; NaN where they are not known.
    """
    place_of = dict(zip(frames.tolist(), np.asarray(places).tolist(), strict=True))
    kept = rows[rows["position"].isin(list(place_of))]
    at = np.array([place_of[position] for position in kept["position"].tolist()], np.int64)
    # A box without an instrument is only there where all are scored as one.
    ids, classes = (kept[column].fillna(0).to_numpy(np.int64) for column in ("track", CLASS))
    return TrackRows(at, ids, classes, in_px(kept[list(BOX)].to_numpy(np.float64), sizes[at]))
