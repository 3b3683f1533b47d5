"""MultiBypass140 JSON: ``<video>.mp4.json`` with phases or steps as spans of milliseconds.

Spans are half open and keep the order of the file. ``out_of_body`` (12) is laid over the phases and overlaps them: as
one phase per frame it counts. ``severe_index`` (13) stands in the list of phases and is none: a mark, whose ids follow
those of the phases. Files with other labels name their vocabulary.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import Naming, Vocabulary
from scrubin.labels import registry
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, segment_rows
from scrubin.labels.parse import documents, fields, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

MILLISECOND = Clock(Fraction(1, 1000))
LONGEST_MS = 100 * 3600 * 1000  # no operation takes longer
SPAN_KEYS = {"start", "end", "label_name", "label_id"}
SUFFIX = ".mp4.json"
DEFAULT = "multibypass140"
LISTS: Mapping[str, tuple[Naming, ...]] = {"phases": ("phase", "mark"), "steps": ("step",)}
"""What stands in each list; ids go on from one to the next."""


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the vocabulary that the first file names which names one."""
    named = ((file, documents.peek(data).get("vocabulary")) for file, data in sorted(files.items()))
    return next((own_categories.of_reference(file, reference) for file, reference in named if reference is not None), None)


def _has_spans_of_time(path: Path) -> bool:
    return registry.keys(phases=list)(path) or registry.keys(steps=list)(path)


@dataset_format(
    "multibypass140",
    pattern=r"[^/]+\.json",
    expected="<video>.mp4.json",
    title="MultiBypass140 JSON: phases and steps in milliseconds; a file per video",
    by_hand=ByHand(vocabulary=DEFAULT, vocabulary_of=vocabulary_of, evidence=_has_spans_of_time),
)
def read(source: LabelFiles) -> Collection:
    """Return the phases and steps of the videos without an error; all faults are in ``Collection.faults``."""
    names = {file: PurePosixPath(file).name.removesuffix(".json").removesuffix(".mp4") for file in source.files}
    return video_files.collection_of(source, names, partial(_labels, source.vocabulary))


def _labels(vocabulary: Vocabulary, where: Where, recording: str, data: bytes) -> Labels | None:
    document = documents.opened(documents.json_object, where.file, data, where.faults)
    if document is None:
        return None
    segments = segment_rows(_rows(where, document, vocabulary))
    beyond = fields.keys_beyond(document, {*LISTS, "vocabulary"}, dict.fromkeys(LISTS, SPAN_KEYS))
    where.faults.extend(fields.unkept(where.file, beyond))
    return Labels(recording, "multibypass140", vocabulary, MILLISECOND, segments=segments)


def _rows(where: Where, document: Mapping[str, Any], vocabulary: Vocabulary) -> list[tuple[str, int, int, int]]:
    named = document.get("vocabulary")
    if named is not None and own_categories.of_reference(where.file, named).name != vocabulary.name:
        where.error("vocabularies-differ", f"it names another vocabulary than '{vocabulary.name}'", "read the file by itself")
    if not LISTS.keys() & document.keys():
        what = "it has neither phases nor steps"
        where.error("layout", what, "give a list of either, or name the format that the file has")
    return [row for key in LISTS if key in document for row in _spans(where, document, key, vocabulary)]


def _spans(where: Where, document: Mapping[str, Any], key: str, vocabulary: Vocabulary) -> list[tuple[str, int, int, int]]:
    labels = [(naming, id_) for naming in LISTS[key] for id_ in range(len(vocabulary.names(naming)))]
    rows: list[tuple[str, int, int, int]] = []
    for i, span in enumerate(fields.list_of_objects(where, document, key)):
        at = where.at(f"{key} {i}")
        start, end = (fields.whole(at, span, edge, high=LONGEST_MS) for edge in ("start", "end"))
        label = fields.whole(at, span, "label_id", high=len(labels) - 1)
        if start is None or end is None or label is None:
            continue
        if end <= start:
            at.error("span-order", f"it ends at {end} ms, but starts at {start} ms", "give milliseconds, the end after the start")
        elif _is_named(at, str(span.get("label_name")), label, key, vocabulary):
            naming, id_ = labels[label]
            rows.append((naming, start, end, id_))
    return rows


def _is_named(where: Where, name: str, label: int, key: str, vocabulary: Vocabulary) -> bool:
    """Return whether a name is that of an id of a list."""
    first = 0
    for naming in LISTS[key]:
        id_ = vocabulary.find(naming, name)
        if id_ is not None:
            if first + id_ == label:
                return True
            rule, fix = ("id-from-one", fields.FROM_ZERO) if label == first + id_ + 1 else ("name-of-id", "correct one of them")
            names = [one for of_list in LISTS[key] for one in vocabulary.names(of_list)]
            where.error(rule, f"label_id {label} is '{names[label]}', but label_name is '{name}'", fix)
            return False
        first += len(vocabulary.names(naming))
    unknown = vocabulary.unknown(LISTS[key][0], name)
    where.error(unknown.rule, unknown.what, f"{unknown.fix} (or choose another vocabulary)")
    return False


@writes(
    "multibypass140",
    holds=("phases", "segments"),
    fps=Fraction(1000),
    takes=lambda vocabulary: bool(vocabulary.phases or vocabulary.steps),
    phases_as_spans=True,
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>.mp4.json`` per recording, as Python's ``json`` spells it."""
    for labels in collection.recordings:
        if labels.segments is None:
            continue
        vocabulary = labels.vocabulary
        first_id = {"phase": 0, "mark": len(vocabulary.phases), "step": 0}
        list_of = {naming: key for key, namings in LISTS.items() for naming in namings}
        lists: dict[str, list[dict[str, Any]]] = {key: [] for key in LISTS}
        for kind, start, end, label in labels.segments.itertuples(index=False):
            if kind in list_of:
                named = {"label_name": vocabulary.names(kind)[label], "label_id": first_id[kind] + label}
                lists[list_of[kind]].append({"start": start, "end": end, **named})
            else:
                out.lose(f"spans of another kind: {kind}", rows_of="span")
        head = {} if vocabulary.name == DEFAULT else {"vocabulary": own_categories.reference(vocabulary)}
        out.files[f"{labels.recording}{SUFFIX}"] = json.dumps({**head, **lists}).encode()
