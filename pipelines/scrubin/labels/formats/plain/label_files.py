"""Labels that were made on the page of `scrubin label`: ``<recording>.labels.json``, spans of source frames, half open, with names.

Each file says which file of the recording it was made on (``source_sha256``, ``frames``, and ``fps``, an exact fraction such as
30000/1001, where its rate is constant), by how many people, whether they were blind, how much was settled, and how much a program had
proposed. ``phases`` and ``steps`` have one label at a time; ``actions`` are spans of an
instrument, with verb and target where these are labelled; ``quality`` says what is wrong with the picture; ``boxes`` and ``points`` are
key frames of tracks, as `label_tracks` says; ``triplets`` are sets of sampled frames: each item has ``frame``, of the source, and its own
``triplets``, all that is in view there, with ``label`` (the instrument), and ``verb`` and ``target`` where these are labelled. An empty
list says that nothing is in view; a frame that is not there was not labelled.
A list that is not there was not labelled; frames that no span of a list covers have no such label.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import Naming, Vocabulary
from scrubin.labels import instance_spans, registry
from scrubin.labels.formats.plain import label_tracks
from scrubin.labels.instance_spans import Row
from scrubin.labels.model import (
    BOX,
    INSTANCE_COLUMNS,
    INSTANCE_DTYPES,
    SOURCE_FRAMES,
    Detail,
    LabelFiles,
    Labels,
    Layer,
    layer_of_phases,
    mark_rows,
    segment_rows,
)
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.fields import Where
from scrubin.labels.rates import LATEST_FRAME
from scrubin.labels.registry import ByHand, label_format

NAME = "scrubin-labels"
SUFFIX = ".labels.json"
EDITION = 1
EDITION_KEY = "scrubin_labels"
DEFAULT = "cholect50"
PROVENANCE = "provenance"
SOURCE_SHA256 = "source_sha256"
FPS = "fps"
RATE = re.compile(r"[1-9][0-9]{0,8}(/[1-9][0-9]{0,8})?")
LISTS: Mapping[str, Naming] = {"phases": "phase", "steps": "step"}
SPANS = (*LISTS, "actions", "quality")
INSTANTS = "triplets"
BESIDE_INSTANTS = ("actions", "boxes", "points")
"""Lists of the instances of all frames: one file has them or sampled frames."""
WRITTEN = (*SPANS, *label_tracks.LISTS, INSTANTS)
KEYS = {EDITION_KEY, "vocabulary", "camera", SOURCE_SHA256, "frames", FPS, PROVENANCE, *SPANS, *label_tracks.KEYS, INSTANTS}
Numbered = tuple[int, int, int, Mapping[str, Any]]
"""First frame, end, place in the list, and what the span says."""


@dataclass(frozen=True)
class Provenance:
    """Who labelled a recording, and with which help.

    Parameters
    ----------
    annotators
        Their numbers.
    blind
        Whether they saw neither names nor dates nor what others had labelled.
    settled
        Places of which they differed and somebody else decided.
    labels, proposed
        How many labels they gave, and how many of these a program had proposed. Of tracks each key frame is one.
    changed
        How many of the proposed ones are no longer as they were proposed; None where the file does not say it.
    refused
        How many proposals, or parts of them, they did not take; None where the file does not say it.
    """

    annotators: tuple[int, ...]
    blind: bool
    settled: int
    labels: int
    proposed: int
    changed: int | None = None
    refused: int | None = None


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the vocabulary that the file names; None where it names none."""
    ((file, data),) = files.items()
    named = documents.peek(data).get("vocabulary")
    return None if named is None else own_categories.of_reference(file, named)


@label_format(
    NAME,
    pattern=r"(?P<recording>[^/]+)\.labels\.json",
    expected=f"<recording>{SUFFIX}",
    title="labels of the page of `scrubin label`: spans of source frames with names, tracks at key frames; a file per recording",
    by_hand=ByHand(
        vocabulary=DEFAULT,
        vocabulary_of=vocabulary_of,
        fps=Fraction(1),
        fps_unstated=True,
        first=0,
        evidence=registry.keys(EDITION_KEY),
        precedence=0,
        holds=("phases", "segments", "instances", "actions", "boxes", "boxless", "points", "partial", "repeats", "spans", "marks"),
    ),
)
def read(source: LabelFiles) -> Labels:
    """Return the labels of a recording.

    Raises
    ------
    AnnotationError
        With every fault, each with its place.
    """
    ((file, data),) = source.files.items()
    where = Where(Faults(), file)
    document = documents.json_object(file, data)
    if document.get(EDITION_KEY) != EDITION:
        what = f"'{EDITION_KEY}' is {documents.shown(document.get(EDITION_KEY))}, this version reads {EDITION}"
        where.error("layout", what, "export the labels with this version")
    named = document.get("vocabulary")
    if named is not None and own_categories.of_reference(file, named).name != source.vocabulary.name:
        what = f"it names another vocabulary than '{source.vocabulary.name}'"
        where.error("vocabularies-differ", what, "read it with the vocabulary that it names")
    frames = fields.whole(where, document, "frames", low=1, high=LATEST_FRAME)
    fps = _fps(where, document[FPS]) if FPS in document else None
    if not {*WRITTEN} & document.keys():
        where.error("no-labels", "it has none of phases, steps, actions, quality, boxes, points and triplets", "export the labels again")
    provenance = _provenance(where, document) if PROVENANCE in document else None
    AnnotationError.raise_any(where.faults)
    assert frames is not None
    spans = {key: _spans(where, document, key, frames) for key in SPANS if key in document}
    for key in LISTS:
        _refuse_overlaps(where, key, spans.get(key, []))
    segments: list[tuple[str, int, int, int]] = [
        (LISTS[key], first, end, id_)
        for key in LISTS
        for first, end, at, span in spans.get(key, [])
        if (id_ := where.at(f"{key} {at}").id_of(source.vocabulary, LISTS[key], str(span.get("label")))) is not None
    ]
    actions = _actions(where, spans["actions"], source.vocabulary) if "actions" in spans else None
    instances = None
    if any(key in document for key in label_tracks.LISTS):
        instances = label_tracks.instances(where, document, frames, source.vocabulary, source.box_tolerance, actions)
        actions = None
    if INSTANTS in document:
        instances = _sampled_instances(where, document, frames, source.vocabulary)
    where.faults.extend(fields.unkept(file, [f"'{key}' of the file" for key in document.keys() - KEYS]))
    AnnotationError.raise_any(where.faults)
    return Labels(
        source.recording,
        NAME,
        source.vocabulary,
        SOURCE_FRAMES,
        phases=_phases(file, segments) if "phases" in spans else None,
        instances=instances,
        segments=segment_rows([one for one in segments if one[0] != "phase"]) if "steps" in spans else None,
        spans=actions,
        detail=_detail(actions, instances, is_sampled=INSTANTS in document),
        marks=_marks(file, spans["quality"], frames) if "quality" in spans else None,
        source_fps=fps,
        faults=where.faults.all(),
        about={NAME: {key: document.get(key) for key in ("camera", SOURCE_SHA256, "frames")} | {PROVENANCE: provenance}},
    )


def provenance_of(labels: Labels) -> Provenance | None:
    """Return who made labels; None where their file does not say so."""
    said: Provenance | None = labels.about.get(NAME, {}).get(PROVENANCE)
    return said


def source_sha256_of(labels: Labels) -> str | None:
    """Return the SHA-256 of the video file that labels were made on; None where their file does not say so."""
    said: str | None = labels.about.get(NAME, {}).get(SOURCE_SHA256)
    return said


def written(document: Mapping[str, Any]) -> bytes:
    """Return a file as the page exports it: one span, key frame or sampled frame per line, so that differences can be read."""
    lists = {key: document[key] for key in WRITTEN if key in document}
    head = {key: asdict(value) if isinstance(value, Provenance) else value for key, value in document.items() if key not in lists}
    parts = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False, sort_keys=True)}" for key, value in head.items()]
    for key, spans in lists.items():
        rows = ",\n".join(f"    {json.dumps(span, ensure_ascii=False)}" for span in spans)
        parts.append(f"  {json.dumps(key)}: [\n{rows}\n  ]" if spans else f"  {json.dumps(key)}: []")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def instant_item(frame: int, triplets: Sequence[tuple[str, str, str]]) -> dict[str, object]:
    """Return what a file says of a frame.

    >>> instant_item(25, [("grasper", "grasp", "gallbladder"), ("hook", "", "")])["triplets"]
    [{'label': 'grasper', 'verb': 'grasp', 'target': 'gallbladder'}, {'label': 'hook'}]
    """
    listed = [{"label": label, **({"verb": verb, "target": target} if verb else {})} for label, verb, target in triplets]
    return {"frame": frame, INSTANTS: listed}


def _detail(actions: pd.DataFrame | None, instances: Layer | None, *, is_sampled: bool) -> Detail:
    if instances is not None:
        is_unsaid = is_sampled and instances.rows.empty
        return "triplet" if is_unsaid or instances.rows["verb_id"].notna().any() else "instrument"
    return "triplet" if actions is None else instance_spans.detail_of(actions)


def _fps(where: Where, stated: Any) -> Fraction | None:
    fps = Fraction(stated) if isinstance(stated, str) and RATE.fullmatch(stated) else None
    if fps is None:
        what = f"'{FPS}' is {documents.shown(stated)}, expected frames per second as a text, such as 25 or 30000/1001"
        where.error("value-type", what, "export the labels again")
    return fps


def _provenance(where: Where, document: Mapping[str, Any]) -> Provenance | None:
    said = document[PROVENANCE]
    numbers = said.get("annotators") if isinstance(said, dict) else None
    if (
        not isinstance(numbers, list)
        or not all(fields.is_whole(one) and one >= 1 for one in numbers)
        or type(said.get("blind")) is not bool
    ):
        what = f"'{PROVENANCE}' is {documents.shown(said)}, expected annotators by number, blind, settled, labels and proposed"
        where.error("layout", what, "export the labels again")
        return None
    settled, labels = (fields.whole(where, said, key) for key in ("settled", "labels"))
    proposed = fields.whole(where, said, "proposed", high=labels)
    changed = fields.whole(where, said, "changed", high=proposed) if said.get("changed") is not None else None
    refused = fields.whole(where, said, "refused") if said.get("refused") is not None else None
    if settled is None or labels is None or proposed is None:
        return None
    return Provenance(tuple(numbers), said["blind"], settled, labels, proposed, changed, refused)


def _spans(where: Where, document: Mapping[str, Any], key: str, frames: int) -> list[Numbered]:
    found: list[Numbered] = []
    for at, span in enumerate(fields.list_of_objects(where, document, key)):
        place = where.at(f"{key} {at}")
        first, end = (fields.whole(place, span, edge, high=frames) for edge in ("first", "end"))
        if not isinstance(span.get("label"), str) or not span["label"]:
            place.error("value-type", f"'label' is {documents.shown(span.get('label'))}, expected a name", "name it")
        elif first is not None and end is not None and end <= first:
            place.error(
                "span-order", f"it ends at frame {end}, but starts at {first}", "give the end after the start; it is outside of the span"
            )
        elif first is not None and end is not None:
            found.append((first, end, at, span))
    return found


def _refuse_overlaps(where: Where, key: str, spans: list[Numbered]) -> None:
    ordered = sorted(spans, key=lambda span: span[:2])
    for one, other in itertools.pairwise(ordered):
        if other[0] < one[1]:
            what = f"frames {other[0]} to {min(one[1], other[1])} are in two spans"
            where.at(f"{key} {one[2]} and {other[2]}").error("span-overlap", what, "end one before the other")


def _phases(file: str, segments: list[tuple[str, int, int, int]]) -> Layer:
    return layer_of_phases(file, {frame: id_ for kind, first, end, id_ in segments if kind == "phase" for frame in range(first, end)})


def _actions(where: Where, spans: list[Numbered], vocabulary: Vocabulary) -> pd.DataFrame:
    rows = []
    for first, end, at, span in spans:
        ids = _ids_of(where.at(f"actions {at}"), span, vocabulary)
        if ids is not None:
            rows.append(Row(at, first, end, ids.pop("instrument_id"), None, ids))
    return instance_spans.numbered_table(rows)[0]


def _marks(file: str, spans: list[Numbered], frames: int) -> Layer:
    names = sorted({str(span["label"]) for _, _, _, span in spans})
    values = {name: np.zeros(frames) for name in names}
    for first, end, _, span in spans:
        values[str(span["label"])][first:end] = 1
    rows = [(frame, name, "", value) for name in names for frame, value in enumerate(values[name].tolist())]
    return Layer(file, np.arange(frames), mark_rows(sorted(rows)))


def _sampled_instances(where: Where, document: Mapping[str, Any], frames: int, vocabulary: Vocabulary) -> Layer:
    """Return the instances of the labelled frames, and of no other.

    Parameters
    ----------
    where
        Takes what is wrong.
    frames
        Of the source.
    """
    for key in BESIDE_INSTANTS:
        if key in document:
            what = f"it has '{INSTANTS}', which says what is in view in sampled frames, and '{key}', which says it of all"
            where.error("lists-differ", what, "keep one of the two, or make two files")
    found: dict[int, list[dict[str, Any]]] = {}
    for at, item in enumerate(fields.list_of_objects(where, document, INSTANTS)):
        place = where.at(f"{INSTANTS} {at}")
        frame = fields.whole(place, item, "frame", high=frames - 1)
        rows = [ids for one in fields.list_of_objects(place, item, INSTANTS) if (ids := _ids_of(place, one, vocabulary)) is not None]
        if frame is None:
            continue
        if frame in found:
            place.error("frame-repeated", f"frame {frame} is there twice", "keep one of them")
        if len({tuple(sorted(ids.items())) for ids in rows}) < len(rows):
            place.error("triplet-repeated", f"frame {frame} has one triplet twice", "say it once")
        found[frame] = rows
    rows_of = [{"position": frame, **ids, "score": 1.0} for frame, rows in sorted(found.items()) for ids in rows]
    table = pd.DataFrame(rows_of, columns=list(INSTANCE_COLUMNS)).assign(**dict.fromkeys(BOX, np.nan))
    return Layer(where.file, np.array(sorted(found), np.int64), table[list(INSTANCE_COLUMNS)].astype(INSTANCE_DTYPES), boxless=True)


def _ids_of(where: Where, one: Mapping[str, Any], vocabulary: Vocabulary) -> dict[str, int] | None:
    """Return the columns of an instance by its label, verb and target; None after noting what is wrong."""
    stated = ["" if one.get(key) is None else one[key] for key in ("label", "verb", "target")]
    if not all(isinstance(name, str) for name in stated) or not stated[0]:
        where.error("value-type", f"it is {documents.shown(one)}, expected label, verb and target as names", "name them")
        return None
    if bool(stated[1]) != bool(stated[2]):
        where.error("cell-empty", f"there is no {'verb' if stated[2] else 'target'}", "name it, or leave verb and target out")
        return None
    return where.ids_of_names(vocabulary, stated if stated[1] else stated[:1])
