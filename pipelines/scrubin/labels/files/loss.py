"""What a format cannot hold is taken out of the canonical form, counted, so that a writer gets only what it can write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, within
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import Naming, Vocabulary, fold, related
from scrubin.labels import boxes
from scrubin.labels.instance_spans import NUMBER, with_frames
from scrubin.labels.model import BOX, IDS, IGNORED, MASK, Collection, Labels, Layer, details_of
from scrubin.labels.points import POINTS, box_around, have_places
from scrubin.labels.rates import NANOSECONDS
from scrubin.labels.registry import WRITERS, Content, Writer
from scrubin.labels.timing import add, from_first, retimed
from scrubin.labels.tracks import ONLY


def translate(labels: Labels, to: Vocabulary, losses: Counter[str]) -> Labels:
    """Return labels in another vocabulary; what it has no name for is left out and counted.

    A frame keeps its other instances: of the classes of the vocabulary, they are all that is there.
    """
    if labels.vocabulary.name == to.name:
        return labels
    return replace(
        labels,
        vocabulary=to,
        phases=_phases(labels, to, losses),
        instances=_instances(labels, to, losses),
        segments=_segments(labels, to, losses),
        recognition=None,
        about={},
    )


def _ids(of: Vocabulary, to: Vocabulary, kind: Naming) -> dict[int, int]:
    spellings = to.spellings[kind]
    return {i: spellings[fold(name)] for i, name in enumerate(of.names(kind)) if fold(name) in spellings}


def _phases(labels: Labels, to: Vocabulary, losses: Counter[str]) -> Layer | None:
    if labels.phases is None:
        return None
    known = _ids(labels.vocabulary, to, "phase")
    rows = labels.phases.rows
    kept = rows[rows["phase_id"].isin(list(known))]
    _note(losses, "phases", labels.vocabulary.phases, rows.loc[~rows["phase_id"].isin(list(known)), "phase_id"], to)
    if not len(kept):
        return None
    positions = kept["position"].to_numpy(np.int64)
    return replace(labels.phases, positions=positions, rows=kept.assign(phase_id=kept["phase_id"].map(known)).reset_index(drop=True))


def _segments(labels: Labels, to: Vocabulary, losses: Counter[str]) -> pd.DataFrame | None:
    if labels.segments is None:
        return None
    parts = []
    kinds: tuple[Naming, ...] = ("phase", "step", "gesture", "mark")
    for kind in kinds:
        rows = labels.segments[labels.segments["kind"] == kind]
        known = _ids(labels.vocabulary, to, kind)
        inside = rows["label_id"].isin(list(known))
        _note(losses, f"spans of {kind}s", labels.vocabulary.names(kind), rows.loc[~inside, "label_id"], to)
        parts.append(rows[inside].assign(label_id=rows.loc[inside, "label_id"].map(known)))
    joined = pd.concat(parts).sort_index()
    return joined.reset_index(drop=True) if len(joined) else None


def _instances(labels: Labels, to: Vocabulary, losses: Counter[str]) -> Layer | None:
    if labels.instances is None:
        return None
    layer, of = labels.instances, labels.vocabulary
    kinds: tuple[Naming, ...] = ("instrument", "verb", "target")
    rows = layer.rows.copy()
    unknown = pd.Series(data=False, index=rows.index)
    for kind, column in zip(kinds, IDS[:3], strict=True):
        known = _ids(of, to, kind)
        foreign = rows[column].notna() & ~rows[column].isin(list(known))
        _note(losses, f"{kind}s of instances", of.names(kind), rows.loc[foreign & ~unknown, column], to)
        unknown |= foreign
        rows[column] = rows[column].map(known).astype("Int64")
    rows = rows[~unknown].reset_index(drop=True)
    index = {parts: i for i, parts in enumerate(to.triplets)}
    keys = zip(*(rows[column].astype(object).where(rows[column].notna(), None) for column in IDS[:3]), strict=True)
    rows["triplet_id"] = pd.array([index.get(key) for key in keys], dtype="Int64")
    return replace(layer, rows=rows)


def _note(losses: Counter[str], what: str, names: tuple[str, ...], ids: pd.Series[int], to: Vocabulary) -> None:
    for id_, count in sorted(Counter(int(id_) for id_ in ids).items()):
        losses[f"{what} without a name in '{to.name}': {names[id_]}"] += count


OWN_DETAILS = ("target_score", "target_x", "target_y", "target_w", "target_h")
"""Of CholecT50: the score is 1 and the box -1 in its ground truth."""

OF_MASK = "area"
"""A detail that follows from the mask: who writes masks counts it again."""

DRAWN: Mapping[str, Content] = {MASK: "masks", POINTS: "points"}
"""Details of instances that are contents of their own."""

ROUNDING = 1e-5


@dataclass(frozen=True)
class Fit:
    """What a writer needs to know to leave out what it cannot hold.

    Parameters
    ----------
    source
        Name of the format that was read.
    source_fps
        Frames per second of the source, where labels are numbered by its frames.
    to_fps
        Wanted rate; None for that of the format or of the labels.
    image_size
        Width and height in px of images whose size is not known.
    first
        The number of the first frame in what was read.
    only_instruments
        Whether instances are taken as instruments, without verb and target.
    """

    source: str
    source_fps: Fraction | None = None
    to_fps: Fraction | None = None
    image_size: tuple[int, int] | None = None
    only_instruments: bool = False
    first: int = 0


def fitted(collection: Collection, writer: Writer, fit: Fit) -> tuple[Collection, Counter[str]]:
    """Return what a format can hold of a collection, and what it cannot, counted.

    Raises
    ------
    AnnotationError
        When nothing is left, with the formats that could hold something; or when the size of images is needed.
    """
    losses: Counter[str] = Counter()
    recordings = tuple(_fitted(labels, writer, fit, losses) for labels in collection.recordings)
    kept = tuple(labels for labels in recordings if _content(labels))
    empty = [labels.recording for labels in recordings if not _content(labels)]
    if kept and empty:
        losses["recordings of which nothing is left"] += len(empty)
    scores = _fitted_scores(collection, writer, losses)
    if scores.scores is None and (not kept or _only_emptied(collection, kept)):
        _refuse(collection, writer, fit, losses)
    return replace(scores, recordings=kept), losses


def _only_emptied(collection: Collection, kept: Sequence[Labels]) -> bool:
    """Return whether all that is left are frames without instances, though there were some."""
    instances = [labels.instances for labels in collection.recordings if labels.instances is not None]
    left = any(len(labels.instances.rows) for labels in kept if labels.instances is not None)
    other = any(_content(labels) - {"instances"} for labels in kept)
    return any(len(layer.rows) for layer in instances) and not left and not other


def sensible(collection: Collection) -> list[str]:
    """Return the formats that can hold something of a collection."""
    content: set[Content] = set()
    for labels in collection.recordings:
        content |= _content(labels)
    if collection.scores is not None:
        content |= {"ratings"} if len(collection.scores.ratings) else set()
        content |= {"skill"} if len(collection.scores.skill) else set()
        content |= {"errors"} if len(collection.scores.errors) else set()
    vocabularies = [labels.vocabulary for labels in collection.recordings]
    layers = [labels.instances.rows for labels in collection.recordings if labels.instances is not None]
    boxless = all(rows["x"].isna().all() for rows in layers) and any(len(rows) for rows in layers)
    return sorted(
        name
        for name, writer in WRITERS.items()
        if content & (set(writer.holds) - ({"instances"} if boxless and "boxless" not in writer.holds else set()))
        and (not vocabularies or any(writer.is_for(one) or related(one.name, writer.vocabulary) for one in vocabularies))
    )


def _content(labels: Labels) -> set[Content]:
    content: set[Content] = set()
    if labels.phases is not None:
        content.add("phases")
    if labels.segments is not None and len(labels.segments):
        content |= {"segments", "phases"} if (labels.segments["kind"] == "phase").any() else {"segments"}
    if labels.instances is not None or labels.spans is not None:
        content.add("instances")
    return content | ({"marks"} if labels.marks is not None else set())


def _is_labelled(labels: Labels) -> bool:
    spans = any(rows is not None and len(rows) > 0 for rows in (labels.segments, labels.spans))
    return spans or any(_positions(layer) for layer in (labels.instances, labels.phases, labels.marks))


def _refuse(collection: Collection, writer: Writer, fit: Fit, losses: Mapping[str, int]) -> None:
    if collection.scores is None and not any(_is_labelled(labels) for labels in collection.recordings):
        what = f"these {fit.source} files hold no label: no frame or span of {len(collection.recordings)} recordings is labelled"
        raise AnnotationError([Fault("", "no-labels", what, "label something, or export the files again")])
    others = [name for name in sensible(collection) if name != writer.name]
    why = "; ".join(f"{what} ({count})" for what, count in sorted(losses.items()))
    tail = f"what it cannot hold: {why}" if why else "it holds nothing of this kind"
    what = f"nothing of these {fit.source} files can be written as {writer.name}: {tail}"
    raise AnnotationError([Fault("", "nothing-left", what, f"formats that make sense: {', '.join(others)}")])


def _fitted(labels: Labels, writer: Writer, fit: Fit, losses: Counter[str]) -> Labels:
    if labels.spans is not None and "instances" not in writer.holds:
        add(losses, "spans of instances", len(labels.spans))
        labels = replace(labels, spans=None)
    if labels.spans is not None:
        if "spans" in writer.holds and fit.to_fps is None and not fit.only_instruments:
            return _with_spans(labels, writer, fit, losses)
        labels, fit = with_frames(labels, writer, fit.source_fps, fit.to_fps, fit.first, losses), replace(fit, first=0)
    labels = _without_details(labels, writer, losses)
    labels = _without_actions(labels, writer, fit, losses)
    if not writer.is_for(labels.vocabulary):
        if not writer.vocabulary or not related(labels.vocabulary.name, writer.vocabulary):
            losses[f"labels in the vocabulary '{labels.vocabulary.name}'"] += _count(labels)
            return replace(labels, phases=None, instances=None, segments=None)
        labels = translate(labels, vocabulary.load(writer.vocabulary), losses)
    labels = _without_layers(labels, writer, losses)
    try:
        labels = retimed(labels, writer, fit.source_fps, fit.to_fps, losses, fit.first)
    except AnnotationError as error:
        raise AnnotationError(within(error.faults, labels.recording)) from error
    if labels.instances is not None:
        labels = _fitted_instances(labels, labels.instances, writer, fit, losses)
    if writer.pixels:
        labels = _sized(labels, fit.image_size)
    return labels


def _with_spans(labels: Labels, writer: Writer, fit: Fit, losses: Counter[str]) -> Labels:
    """Return labels whose spans of instances stay as they are, but for counting frames from 0, with what else the format holds of them."""
    assert labels.spans is not None
    if labels.clock != NANOSECONDS:
        labels = replace(labels, spans=from_first(labels.spans, fit.first))
    if not writer.phases_as_spans:
        return _without_layers(_without_details(labels, writer, losses), writer, losses)
    rest = _fitted(replace(labels, spans=None), writer, fit, losses)
    # At the rate of the labels themselves, which such a writer keeps, a number counts the same.
    return replace(rest, spans=labels.spans, detail=labels.detail)


def _count(labels: Labels) -> int:
    layers = [layer.rows for layer in (labels.phases, labels.instances) if layer is not None]
    return len(labels.segments if labels.segments is not None else ()) + len(pd.concat(layers) if layers else ())


def _without_layers(labels: Labels, writer: Writer, losses: Counter[str]) -> Labels:
    if labels.phases is not None and "phases" not in writer.holds:
        losses["phases"] += len(labels.phases.rows)
        labels = replace(labels, phases=None)
    if labels.segments is not None and not {"phases", "segments"} & set(writer.holds):
        losses["spans of phases, steps or gestures"] += len(labels.segments)
        labels = replace(labels, segments=None)
    if labels.instances is not None and "instances" not in writer.holds:
        losses["instances"] += len(labels.instances.rows)
        labels = replace(labels, instances=None)
    return labels


def _without_details(labels: Labels, writer: Writer, losses: Counter[str]) -> Labels:
    """Return labels without what the format has no place for beside labels; what is lost with other vocabularies or rates, too."""
    if labels.recognition is not None and "recognition" not in writer.holds:
        losses["frames with a probability per triplet"] += int((~np.isnan(labels.recognition.scores).all(axis=1)).sum())
        labels = replace(labels, recognition=None)
    if labels.marks is not None and "marks" not in writer.holds:
        add(losses, "marks of annotators", len(labels.marks.rows))
        labels = replace(labels, marks=None)
    if labels.frames is not None and IGNORED in labels.frames and "ignored" not in writer.holds:
        add(losses, "regions of pixels that are not counted", int(labels.frames[IGNORED].notna().sum()))
        labels = replace(labels, frames=labels.frames.drop(columns=IGNORED))
    if labels.frames is not None:
        for name in labels.frames.columns.difference(["position", "width", "height", IGNORED, *writer.frames]):
            add(losses, f"'{name}' of frames", int((labels.frames[name].notna() & (labels.frames[name] != "")).sum()))
    if writer.name != labels.format:
        add(losses, "the subset of recordings", int(bool(labels.about.get(labels.format, {}).get("subset"))))
    return labels


def _without_actions(labels: Labels, writer: Writer, fit: Fit, losses: Counter[str]) -> Labels:
    layer = labels.instances
    if layer is None or "instances" not in writer.holds or ("actions" in writer.holds and not fit.only_instruments):
        return labels
    rows = layer.rows
    add(losses, "verbs and targets of instances", int(rows[list(IDS[1:])].notna().any(axis=1).sum()))
    nothing = dict.fromkeys(IDS[1:], pd.array([pd.NA] * len(rows), dtype="Int64"))
    return replace(labels, instances=replace(layer, rows=rows.assign(**nothing)), detail="instrument")


def _fitted_instances(labels: Labels, layer: Layer, writer: Writer, fit: Fit, losses: Counter[str]) -> Labels:
    rows, holds = _with_parts_of_triplets(labels, layer.rows, losses), writer.holds
    detail = labels.detail
    if "boxes" not in holds:
        add(losses, "boxes", int(rows["x"].notna().sum()))
        rows = rows.assign(**dict.fromkeys(BOX, np.nan))
    elif fit.source != writer.name:
        rows = _cut(rows, losses)
    if "scores" not in holds:
        add(losses, "confidences of instances", int((rows["score"].notna() & (rows["score"] != 1)).sum()))
    for name, content in DRAWN.items():
        if name in rows and content not in holds:
            add(losses, f"{content} of instances", int(rows[name].notna().sum()))
            rows = rows.drop(columns=name)
    if "details" not in holds:
        held = {*([NUMBER] if "numbers" in holds else []), *(_tracks_of(rows) if "tracks" in holds else [])}
        dropped = [name for name in details_of(rows) if name not in held]
        for name in dropped:
            standard = rows[name].isna() if name not in OWN_DETAILS else rows[name].isna() | (rows[name] == 1)
            standard |= rows[MASK].notna() if name == OF_MASK and MASK in rows else False
            add(losses, f"'{name}' of instances", int((~standard).sum()))
        rows = rows.drop(columns=dropped)
    if "boxless" not in holds and POINTS in rows:
        rows = _boxed_by_points(rows, losses)
    positions = layer.positions
    maskless = rows[MASK].isna() if MASK in rows else pd.Series(data=True, index=rows.index)
    rows, positions = _without(rows, positions, writer.only_masks, maskless, "instances without a mask", losses)
    rows, positions = _without(rows, positions, "boxless" not in holds, rows["x"].isna(), "instances without a box", losses)
    nowhere = rows["x"].isna() & ~have_places(rows)
    rows, positions = _without(rows, positions, writer.placed, nowhere, "instances without a box or a point", losses)
    needed = writer.needs or (IDS[3:] if detail == "triplet" else IDS[:1])
    partial = rows[list(needed)].isna().any(axis=1)
    rows, positions = _without(rows, positions, "partial" not in holds, partial, "instances without a whole triplet", losses)
    nameless = rows["instrument_id"].isna()
    rows, positions = _without(rows, positions, not writer.nameless, nameless, "instances without an instrument", losses)
    # A picture of classes has all instances of a class as one; its writer joins them.
    if "repeats" not in holds and not writer.only_masks:
        twice = rows.duplicated(["position", *IDS[:3]])
        add(losses, "instances that repeat a class of their frame", int(twice.sum()))
        rows = rows[~twice].reset_index(drop=True)
    kept = replace(layer, positions=positions, rows=rows) if len(positions) else None
    return replace(labels, instances=kept, detail=detail)


def _tracks_of(rows: pd.DataFrame) -> list[str]:
    return [name for name in details_of(rows) if name.endswith(ONLY)]


def _boxed_by_points(rows: pd.DataFrame, losses: Counter[str]) -> pd.DataFrame:
    """Return instances that have points, but no box, with the smallest one around them."""
    without = rows.index[rows["x"].isna() & rows[POINTS].notna()]
    around = {at: box for at in without if (box := box_around(rows.loc[at, POINTS])) is not None}
    add(losses, "that instances have points but no box: they get the smallest around the points", len(around))
    boxed = rows.copy()
    boxed.loc[list(around), list(BOX)] = np.array(list(around.values())).reshape(-1, len(BOX))
    return boxed


def _with_parts_of_triplets(labels: Labels, rows: pd.DataFrame, losses: Counter[str]) -> pd.DataFrame:
    """Return instances with the instrument, verb and target of their triplet: only submissions may say others, and are not written."""
    triplets = np.array(labels.vocabulary.triplets, np.int64).reshape(-1, 3)
    named = rows["triplet_id"].notna().to_numpy()
    stated = rows.loc[named, list(IDS[:3])]
    parts = triplets[rows.loc[named, "triplet_id"].to_numpy(np.int64)]
    differs = (stated.notna() & (stated.fillna(-1).to_numpy(np.int64) != parts)).any(axis=1).to_numpy()
    if not differs.any():
        return rows
    add(losses, "instruments, verbs or targets that are not those of their triplet", int(differs.sum()))
    changed = rows.copy()
    at = rows.index[named][differs]
    for place, column in enumerate(IDS[:3]):
        changed.loc[at, column] = pd.array(parts[differs, place], dtype="Int64")
    return changed


def _without(
    rows: pd.DataFrame, positions: Any, refuse: bool, these: pd.Series[bool], what: str, losses: Counter[str]
) -> tuple[pd.DataFrame, Any]:
    """Return rows and positions without frames that have a refused row: they must not look as if nothing were there."""
    if not refuse or not these.any():
        return rows, positions
    frames = set(rows.loc[these, "position"])
    losses[what] += int(these.sum())
    losses[f"frames left out because of {what}"] += len(frames)
    return rows[~rows["position"].isin(frames)].reset_index(drop=True), positions[~np.isin(positions, sorted(frames))]


def _cut(rows: pd.DataFrame, losses: Counter[str]) -> pd.DataFrame:
    """Return boxes cut to the image."""
    # Sums of shares that round to just above 1 are no loss.
    add(losses, "boxes cut to the image", int((boxes.outside(rows) > ROUNDING).sum()))
    return boxes.inside(rows)


def _sized(labels: Labels, image_size: tuple[int, int] | None) -> Labels:
    """Return labels with the size of every labelled frame's image."""
    positions = sorted({*_positions(labels.instances), *_positions(labels.phases), *_positions(labels.marks)})
    known = pd.DataFrame({"position": np.array(positions, np.int64)})
    if labels.frames is not None and len(labels.frames):
        known = known.merge(labels.frames, on="position", how="left")
        sized = {"width", "height"} <= set(labels.frames.columns)
        if sized and labels.frames[["width", "height"]].notna().all(axis=None) and labels.frames[["width", "height"]].nunique().max() == 1:
            known[["width", "height"]] = known[["width", "height"]].fillna(labels.frames.iloc[0][["width", "height"]].to_dict())
    for name, side in zip(("width", "height"), image_size or (None, None), strict=True):
        if name not in known:
            known[name] = None
        if side is not None:
            known[name] = known[name].fillna(side)
    if len(known) and known[["width", "height"]].isna().any(axis=None):
        what = "the size of its images is not known, and the format needs it"
        raise AnnotationError([Fault(labels.recording, "image-size", what, "give --image-size WIDTHxHEIGHT in px")])
    return replace(labels, frames=known)


def _positions(layer: Layer | None) -> list[int]:
    return [] if layer is None else layer.positions.tolist()


def _fitted_scores(collection: Collection, writer: Writer, losses: Counter[str]) -> Collection:
    scores = collection.scores
    if scores is None:
        return collection
    parts: dict[Content, pd.DataFrame] = {"ratings": scores.ratings, "skill": scores.skill, "errors": scores.errors}
    facts = scores.facts.columns.difference(["id", "task", "rater"])
    if len(facts) and "facts" not in writer.holds:
        losses[f"facts of recordings: {', '.join(sorted(facts))}"] += len(scores.facts)
    for name, frame in parts.items():
        if name not in writer.holds:
            add(losses, f"rows of {name}", len(frame))
    if not any(len(frame) for name, frame in parts.items() if name in writer.holds):
        return replace(collection, scores=None)
    kept = {name: frame if name in writer.holds else frame.iloc[:0] for name, frame in parts.items()}
    return replace(collection, scores=replace(scores, ratings=kept["ratings"], skill=kept["skill"], errors=kept["errors"]))
