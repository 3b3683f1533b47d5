"""Vidat: ``<recording>.json``, the actions of one video in seconds, with the configuration that names them.

``<kind>: <label>`` is how an action says what it is, such as ``phase: preparation``; without a kind the vocabulary says it (as
``named_spans`` has it). Vidat rounds the time of a frame to the millisecond, by the ``fps`` at which it shows the video: times are those of
these frames. Boxes, regions, skeletons, objects of actions and descriptions are not kept, which is said, nor are actions without a name
(``default``). Written files say their rate where labels have one, else 1000 per second, and name their vocabulary in ``config``.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import registry
from scrubin.labels.formats.programs import named_spans
from scrubin.labels.formats.programs.named_spans import INSTRUMENT, NamedSpan, kind_of, written_s
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.fields import Where
from scrubin.labels.rates import NS
from scrubin.labels.registry import ByHand, Output, label_format, writes

NAME = "vidat"
VOCABULARY = "scrubin_vocabulary"
VERSION = "2.1.0"
UNNAMED = "default"
COLOURS = ("#0000ff", "#ff0000", "#ad7f1c", "#00a0a0", "#a000a0", "#808000")
DRAWN = {"object": "boxes", "region": "regions", "skeleton": "skeletons"}


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the vocabulary that the configuration names; else the one that has the labels of actions which say what they are."""
    ((file, data),) = files.items()
    document = documents.peek(data)
    config = document.get("config")
    named = config.get(VOCABULARY) if isinstance(config, Mapping) else None
    if named is not None:
        return own_categories.of_reference(file, named)
    return named_spans.vocabulary_of(file, _spans(Where(Faults(), file), document))


def _is_vidat(path: Path) -> bool:
    document = registry.document(path)
    annotation = document.get("annotation") if isinstance(document, Mapping) else None
    return isinstance(annotation, Mapping) and "actionAnnotationList" in annotation


@label_format(
    NAME,
    pattern=r"(?P<recording>[^/]+)\.json",
    expected="<recording>.json",
    title="Vidat: actions of a video in seconds; a file per recording",
    by_hand=ByHand(vocabulary=named_spans.PREFERRED, vocabulary_of=vocabulary_of, evidence=_is_vidat),
)
def read(source: LabelFiles) -> Labels:
    """Return the actions of a recording.

    Raises
    ------
    AnnotationError
        With every fault, each with its place.
    """
    ((file, data),) = source.files.items()
    where = Where(Faults(), file)
    spans = _spans(where, documents.json_object(file, data))
    labels = named_spans.labels_of(where, NAME, source.recording, source.vocabulary, spans, "action")
    AnnotationError.raise_any(where.faults)
    return replace(labels, faults=where.faults.all())


def _spans(where: Where, document: Mapping[str, Any]) -> list[NamedSpan]:
    parts = [document.get("annotation"), document.get("config")]
    for part, name in zip(parts, ("annotation", "config"), strict=True):
        if not isinstance(part, Mapping):
            where.at(name).error("value-type", f"it is {documents.shown(part)}, expected an object", "save the annotation again")
    annotation, config = (part if isinstance(part, Mapping) else {} for part in parts)
    if where.faults.errors():
        return []
    video = annotation.get("video")
    fps = fields.rate(video.get("fps")) if isinstance(video, Mapping) else None
    if fps is None:
        where.at("video").error("rate-unknown", "'fps' is no rate from 0 to 1000", "save the annotation again with its video")
    names: dict[Any, str] = {}
    for at, one in enumerate(fields.list_of_objects(where, config, "actionLabelData")):
        if not isinstance(one.get("name"), str) or not fields.is_whole(one.get("id")):
            where.at(f"actionLabelData {at}").error("value-type", "it needs a whole 'id' and a 'name'", "save the annotation again")
        else:
            names[one["id"]] = one["name"].strip()
    unkept: Counter[str] = Counter()
    for kind, what in DRAWN.items():
        frames = annotation.get(f"{kind}AnnotationListMap")
        unkept[what] += sum(len(of) for of in frames.values() if isinstance(of, list)) if isinstance(frames, Mapping) else 0
    spans: list[NamedSpan] = []
    for number, action in enumerate(fields.list_of_objects(where, annotation, "actionAnnotationList")):
        at_action = where.at(f"actionAnnotationList {number}")
        spans += _span(at_action, action, names, fps, unkept)
    where.faults.extend(fields.unkept(where.file, [f"{what} ({count})" for what, count in unkept.items() if count]))
    return spans


def _span(where: Where, action: Mapping[str, Any], names: Mapping[Any, str], fps: Fraction | None, unkept: Counter[str]) -> list[NamedSpan]:
    edges = named_spans.edges_of(where, {f"'{edge}'": action.get(edge) for edge in ("start", "end")}, "action", fps)
    id_ = action.get("action")
    name = names.get(id_) if fields.is_whole(id_) else None
    if name is None:
        where.error("id-unknown", f"there is no action {documents.shown(id_)} in the configuration", "save the annotation again")
    unkept["objects of actions"] += action.get("object") not in (None, 0)
    unkept["descriptions"] += bool(action.get("description"))
    if name is None or edges is None:
        return []
    if name == UNNAMED:
        unkept[f"actions '{UNNAMED}'"] += 1
        return []
    said, mark, label = name.partition(":")
    kind = kind_of(said) if mark else None
    return [NamedSpan(said.strip() if kind else name, kind, label.strip() if kind else name, *edges, where.place)]


@writes(NAME, holds=named_spans.HOLDS, phases_as_spans=True)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>.json`` per recording."""
    for labels in collection.recordings:
        if spans := named_spans.in_milliseconds(labels, out):
            out.files[f"{labels.recording}.json"] = _document(labels, spans)


def _rate(clock: Clock) -> Fraction:
    """Return the rate of frames, or 1000 per second where labels count time: so no time is moved."""
    fps = Fraction(1) if clock.period_s is None else 1 / clock.period_s
    return min(fps, Fraction(1000))


def _document(labels: Labels, spans: Sequence[NamedSpan]) -> bytes:
    names = list(dict.fromkeys(f"{span.kind or INSTRUMENT}: {span.label}" for span in spans))
    fps, last_s = _rate(labels.segments_clock or labels.clock), Fraction(max(span.end for span in spans), NS)
    listed = [{"id": 0, "name": UNNAMED, "color": "#00ff00", "objects": [0]}]
    listed += [{"id": i, "name": name, "color": COLOURS[i % len(COLOURS)], "objects": [0]} for i, name in enumerate(names, start=1)]
    actions = []
    for span in spans:
        id_ = names.index(f"{span.kind or INSTRUMENT}: {span.label}") + 1
        times = {"start": written_s(span.start), "end": written_s(span.end)}
        actions.append({**times, "action": id_, "object": 0, "color": COLOURS[id_ % len(COLOURS)], "description": ""})
    shown = int(fps) if fps.denominator == 1 else float(fps)
    size = {"height": 0, "width": 0}
    video = {"src": f"{labels.recording}.mp4", "fps": shown, "frames": math.ceil(last_s * fps), "duration": float(last_s), **size}
    document = {
        "version": VERSION,
        "annotation": {
            "video": video,
            "keyframeList": [],
            **{f"{kind}AnnotationListMap": {} for kind in DRAWN},
            "actionAnnotationList": actions,
        },
        "config": {
            "objectLabelData": [{"id": 0, "name": UNNAMED, "color": "#00ff00"}],
            "actionLabelData": listed,
            "skeletonTypeData": [],
            VOCABULARY: own_categories.reference(labels.vocabulary),
        },
    }
    return (json.dumps(document, ensure_ascii=False) + "\n").encode()
