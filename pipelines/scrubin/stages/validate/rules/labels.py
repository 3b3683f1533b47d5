"""Rules about what is labelled, each once: frames, boxes, spans, instances with what they have beyond a box.

Of masks, tracks, points and marks nothing shows what is hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.tables.public import LayerName, of_reference_camera
from scrubin.labels.masks import rle
from scrubin.stages.validate.near_duplicates import FLAT_CONTRAST
from scrubin.stages.validate.registry import rule
from scrubin.stages.validate.rules.videos import labelled_frames
from scrubin.stages.validate.study_tables import Study, among, looked_up, sizes

BOX = ("x", "y", "w", "h")
ROUNDING = 1e-6
"""A box that ends this far outside (share of the image) still ends at the edge: label files round to six digits."""


@rule("error", "every box lies inside the image", triplets=BOX)
def box_inside_image(study: Study, table: str) -> pd.Series[bool]:
    """Find boxes that begin or end outside the image."""
    box = study.columns(table, *BOX)
    right, bottom = box["x"] + box["w"], box["y"] + box["h"]
    return (box["x"] < 0) | (box["y"] < 0) | (right > 1 + ROUNDING) | (bottom > 1 + ROUNDING)


@rule("error", "every box has four numbers, a width and a height", triplets=BOX)
def box_not_degenerate(study: Study, table: str) -> pd.Series[bool]:
    """Find boxes of no area and boxes of which a number is missing."""
    box = study.columns(table, *BOX)
    there = box.notna()
    return (there.any(axis=1) & ~there.all(axis=1)) | (box["w"] <= 0) | (box["h"] <= 0)


@rule("error", "every span ends after it starts", spans=("start_frame", "end_frame"))
def span_in_order(study: Study, table: str) -> pd.Series[bool]:
    """Find spans without a frame."""
    spans = study.columns(table, "start_frame", "end_frame")
    return spans["end_frame"] <= spans["start_frame"]


LAYER_OF: Mapping[str, LayerName] = {"triplets": "instances", "spans": "instances", "phases": "phases"}


@rule(
    "error",
    "every label lies on a labelled frame, and is of its vocabulary",
    triplets=("frame", "vocabulary"),
    phases=("frame", "vocabulary"),
    spans=("start_frame", "end_frame", "vocabulary"),
)
def label_in_labelled_frame(study: Study, table: str) -> pd.Series[bool]:
    """Find labels of frames that nobody labelled, or not in this vocabulary; for spans, of their first or their last frame."""
    labelled = study.columns("labelled", "id", "layer", "frame", "vocabulary")
    known = labelled.loc[labelled["layer"] == LAYER_OF[table], ["id", "frame", "vocabulary"]]
    if table != "spans":
        return ~among(study.columns(table, *known.columns), known)
    spans = study.columns(table, "id", "start_frame", "end_frame", "vocabulary")
    first, last = (spans[["id", "vocabulary"]].assign(frame=frame) for frame in (spans["start_frame"], spans["end_frame"] - 1))
    return ~(among(first[known.columns], known) & among(last[known.columns], known))


@rule("error", "every frame of which the phase was labelled has a phase", labelled=("layer", "frame"))
def labelled_frame_has_phase(study: Study, table: str) -> pd.Series[bool]:
    """Find frames whose phase was labelled and is missing: unlike instruments, there always is one."""
    rows = study.columns(table, "id", "layer", "frame")
    return (rows["layer"] == "phases") & ~among(rows[["id", "frame"]], study.columns("phases", "id", "frame"))


@rule("error", "the vocabulary of a labelled frame is a known one, and the only one of its recording and layer", labelled=("vocabulary",))
def one_vocabulary_per_layer(study: Study, table: str) -> pd.Series[bool]:
    """Find labelled frames of layers that have several vocabularies, or one that nobody knows."""
    rows = study.columns(table, "id", "layer", "vocabulary")
    return (sizes(rows, ["id", "layer"], "vocabulary") > 1) | ~rows["vocabulary"].isin(list(study.vocabularies))


@rule(
    "error",
    "labelled frames say what was labelled of an instance, the same in a recording; of phases there is no detail",
    labelled=("detail",),
)
def one_detail_per_recording(study: Study, table: str) -> pd.Series[bool]:
    """Find labelled instances without a detail, or with several in a recording, and phases with one."""
    rows = study.columns(table, "id", "layer", "detail")
    return (rows["detail"].notna() != (rows["layer"] == "instances")) | (sizes(rows, ["id", "layer"], "detail") > 1)


PICTURE = ["perceptual_hash", "sharpness", "brightness", "contrast", "saturated_share"]
"""What is measured of a picture, to the last digit: two pictures that agree in all of it are one."""


INSTANCE = ["id", "frame", "instrument", "verb", "target", *BOX]

VIDEO = ["id", "camera"]
TWIN = ["same_as", "its_camera", "its_frame"]


def _pictures(study: Study, table: str) -> pd.DataFrame:
    """Return the frames that can be told apart, in order, by column ``picture``: which of the different pictures each one is."""
    rows = study.columns(table, *VIDEO, "frame", "source_frame", "redacted", *PICTURE).sort_values([*VIDEO, "frame"], kind="stable")
    shown = rows[~rows["redacted"].fillna(value=True).astype(bool) & (rows["contrast"] >= FLAT_CONTRAST)]
    # Where a video pauses, the frame contract takes one source frame several times.
    shown = shown.drop_duplicates([*VIDEO, "source_frame"])
    shown = shown[shown.duplicated(PICTURE, keep=False)]
    return shown.assign(picture=shown.groupby(PICTURE, sort=False).ngroup())


def _twins(study: Study, table: str, pictures: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Return for each frame the next one of its group, the last names the first; missing where it is alone."""
    several = pictures[pictures.duplicated(key, keep=False)]
    named = several.rename(columns=dict(zip([*VIDEO, "frame"], TWIN, strict=True)))[TWIN].astype({"its_frame": "Int64"})
    groups = named.groupby([several[name] for name in key], sort=False)
    return groups.shift(-1).fillna(groups.transform("first")).reindex(study.tables[table].rows.index)


def _elsewhere(study: Study, table: str) -> pd.DataFrame:
    # The first of each picture per video: the rest of a video is the other rule's.
    return _twins(study, table, _pictures(study, table).drop_duplicates([*VIDEO, "picture"]), ["picture"])


def _again(study: Study, table: str) -> pd.DataFrame:
    return _twins(study, table, _pictures(study, table), [*VIDEO, "picture"])


@rule("warning", "no picture of a video is also one of another video", _elsewhere, frames=("perceptual_hash",))
def frame_twice(study: Study, table: str) -> pd.Series[bool]:
    """Find frames whose picture is also in another recording, or seen by the other camera: a copy."""
    return _elsewhere(study, table)["same_as"].notna()


@rule("note", "no picture comes again within its video", _again, frames=("perceptual_hash",))
def frame_repeated(study: Study, table: str) -> pd.Series[bool]:
    """Find frames whose picture is also that of another source frame of their video: it stood still, or was looped."""
    return _again(study, table)["same_as"].notna()


@rule("error", "no instance with a box is there twice in a frame", triplets=("instrument", "verb", "target", *BOX))
def instance_twice(study: Study, table: str) -> pd.Series[bool]:
    """Find instances that agree with another one of their frame in everything, box included.

    Without boxes, two graspers that do the same are two equal rows, and right.
    """
    left = study.columns(table, *BOX)["x"]
    # Few boxes start at the same place, so that only those are compared in full.
    same = left.notna() & left.duplicated(keep=False)
    few = study.columns(table, *INSTANCE)[same]
    return few.duplicated(keep=False).reindex(left.index, fill_value=False)


Rectangle = tuple[int, int, int, int]
"""Left, top, right and bottom in px."""
INSTANCE_KEY = ("id", "frame", "instance")
SLACK_PX = 1
"""Of a hidden rectangle so much at each side is not asked about: a source with an odd side has a pixel more than its video."""


@rule("error", "every mask, track and point is of an instance of its frame", masks=INSTANCE_KEY, tracks=INSTANCE_KEY, points=INSTANCE_KEY)
def detail_has_instance(study: Study, table: str) -> pd.Series[bool]:
    """Find masks, tracks and points of instances that the table ``triplets`` does not have."""
    return ~among(study.columns(table, *INSTANCE_KEY), study.columns("triplets", *INSTANCE_KEY))


@rule("error", "every mark lies on a frame of which marks were labelled", marks=("frame",))
def mark_in_labelled_frame(study: Study, table: str) -> pd.Series[bool]:
    """Find marks of frames that nobody judged."""
    labelled = study.columns("labelled", "id", "layer", "frame")
    return ~among(study.columns(table, "id", "frame"), labelled.loc[labelled["layer"] == "marks", ["id", "frame"]])


@rule("error", "the runs of a mask cover its picture, have a pixel of the instance, and are written in one way", masks=("width", "height"))
def mask_fits_picture(study: Study, table: str) -> pd.Series[bool]:
    """Find masks whose counts are none, of another size, empty, or not as they are written from their pixels."""
    rows = study.columns(table, "width", "height", "counts")
    fits = [_fits(*row) for row in zip(rows["counts"].tolist(), rows["width"].tolist(), rows["height"].tolist(), strict=True)]
    return ~pd.Series(fits, index=rows.index, dtype=bool)


def _fits(text: object, width: float, height: float) -> bool:
    try:
        runs = rle.runs_of_text(str(text), int(height), int(width))
    except (AnnotationError, ValueError):  # a missing size is no whole number
        return False
    return bool(runs[1:].all()) and rle.area(runs) > 0 and rle.text_of_runs(runs) == text


@rule("error", "the masks of a frame are of one picture", masks=("width", "height"))
def one_size_per_frame(study: Study, table: str) -> pd.Series[bool]:
    """Find masks of frames whose masks have several sizes."""
    rows = study.columns(table, "id", "frame", "width", "height")
    return (sizes(rows, ["id", "frame"], "width") > 1) | (sizes(rows, ["id", "frame"], "height") > 1)


@rule("error", "a point that is labelled has a place, and no other has", points=("x", "y", "visibility"))
def point_has_place(study: Study, table: str) -> pd.Series[bool]:
    """Find points with half a place, labelled ones without, and others with one."""
    rows = study.columns(table, "x", "y", "visibility")
    return (rows["x"].notna() != rows["y"].notna()) | (rows["x"].notna() != (rows["visibility"] > 0))


@rule("error", "a track has one instance in a frame", tracks=("kind", "track"))
def track_once(study: Study, table: str) -> pd.Series[bool]:
    """Find instances of a frame that have the same number in the same kind of track."""
    return study.columns(table, "id", "frame", "kind", "track").duplicated(keep=False)


@rule("error", "no mask and no point lies on a frame that is hidden", masks=("frame",), points=("frame",))
def detail_in_redacted_frame(study: Study, table: str) -> pd.Series[bool]:
    """Find masks and points of frames that are black in the release: they would show what nobody may see."""
    frames = labelled_frames(study, "redacted")
    return among(study.columns(table, "id", "frame"), frames.loc[frames["redacted"], ["id", "frame"]])


@rule("error", "no mask and no point shows what is hidden in its frame", masks=("frame",), points=("frame",))
def detail_shows_hidden(study: Study, table: str) -> pd.Series[bool]:
    """Find masks with a pixel, and points with a place, in a rectangle that is black in the released picture, or in a black picture."""
    columns = ("width", "height", "counts") if table == "masks" else ("x", "y")
    rows = study.columns(table, "id", "frame", *columns)
    there = rows.to_dict("records")
    shows = np.zeros(len(rows), np.bool_)
    for at, areas, size in _hidden_at(study, rows[["id", "frame"]].reset_index(drop=True)):
        shows[at] = _shows(there[at], areas, size) if table == "masks" else _lies_in(there[at], areas, size)
    return pd.Series(shows, index=rows.index)


def _hidden_at(study: Study, rows: pd.DataFrame) -> Iterator[tuple[int, list[Rectangle], tuple[int, int]]]:
    """Yield the number of each row in whose frame anything is hidden, with its rectangles and the size of the video in px."""
    hidden = study.private("hidden")
    frames = of_reference_camera(labelled_frames(study, "camera", "source_frame"))
    videos = study.columns("videos", "id", "camera", "width", "height")
    known = looked_up(rows, frames, ["id", "frame"])
    known = known.join(looked_up(known.assign(id=rows["id"]), videos, ["id", "camera"])).assign(id=rows["id"])
    known = known[known["width"].notna()]
    places = known.groupby(["id", "camera"]).indices
    for video, spans in hidden.groupby(["id", "camera"]):
        if video not in places:
            continue
        mine = known.iloc[places[video]]
        boxes = spans[list("xywh")].astype("float64").to_numpy()
        first, last = spans["first_frame"].to_numpy(), spans["last_frame"].to_numpy()
        numbers = mine[["source_frame", "width", "height"]].astype(np.int64)
        for at, (source_frame, width, height) in zip(mine.index.tolist(), numbers.to_numpy().tolist(), strict=True):
            is_now = (first <= source_frame) & (last >= source_frame)
            if is_now.any():
                whole = (-SLACK_PX, -SLACK_PX, width + SLACK_PX, height + SLACK_PX)
                yield (
                    at,
                    [whole if np.isnan(x) else (int(x), int(y), int(x + w), int(y + h)) for x, y, w, h in boxes[is_now].tolist()],
                    (width, height),
                )


def _shows(mask: Mapping[Any, Any], areas: list[Rectangle], video_size: tuple[int, int]) -> bool:
    if not _fits(mask["counts"], mask["width"], mask["height"]):
        return False  # another rule says so
    size = int(mask["width"]), int(mask["height"])
    pixels = rle.picture(rle.runs_of_text(mask["counts"], size[1], size[0]), size[1], size[0])
    for left, top, right, bottom in areas:
        columns, rows = _touched(left, right, size[0], video_size[0]), _touched(top, bottom, size[1], video_size[1])
        if pixels[rows, columns].any():
            return True
    return False


def _touched(low: int, high: int, side: int, video_side: int) -> slice:
    """Return the pixels of a side that the inner part of a rectangle touches."""
    low, high = low + SLACK_PX, high - SLACK_PX
    return slice(low * side // video_side, -(-high * side // video_side) if low < high else 0)


def _lies_in(point: Mapping[Any, Any], areas: list[Rectangle], video_size: tuple[int, int]) -> bool:
    if pd.isna(point["x"]) or pd.isna(point["y"]):
        return False
    x, y = point["x"] * video_size[0], point["y"] * video_size[1]
    return any(left + SLACK_PX <= x <= right - SLACK_PX and top + SLACK_PX <= y <= bottom - SLACK_PX for left, top, right, bottom in areas)
