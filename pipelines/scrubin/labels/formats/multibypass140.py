"""MultiBypass140 JSON: ``<video>.mp4.json`` with phases and steps as spans of milliseconds.

Spans are half open and keep the order of the file. ``out_of_body`` (12) and ``severe_index`` (13) are
laid over the phases and overlap them: as one phase per frame the first counts, the second is left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from scrubin.core.faults import Fault, Faults
from scrubin.errors import AnnotationError
from scrubin.labels import documents, evidence, fields
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, segment_rows
from scrubin.labels.registry import ByHand, Output, dataset_format, writes
from scrubin.vocabulary.vocabulary import Vocabulary

MILLISECOND = Clock(Fraction(1, 1000))
LONGEST_MS = 100 * 3600 * 1000  # no operation takes longer
SPAN_KEYS = {"start", "end", "label_name", "label_id"}
SUFFIX = ".mp4.json"
LISTS: Mapping[Literal["phase", "step"], str] = {"phase": "phases", "step": "steps"}


def _has_spans_of_time(path: Path) -> bool:
    return evidence.keys(phases=list)(path) or evidence.keys(steps=list)(path)


@dataset_format(
    "multibypass140",
    pattern=r"[^/]+\.json",
    expected="<video>.mp4.json",
    title="MultiBypass140 JSON: phases and steps in milliseconds; a file per video",
    by_hand=ByHand(vocabulary="multibypass140", evidence=_has_spans_of_time),
)
def read(source: LabelFiles) -> Collection:
    """Return the phases and steps of all videos.

    Raises
    ------
    AnnotationError
        Names file, span and value of every fault.
    """
    faults = Faults()
    found: dict[str, Labels] = {}
    for file, data in sorted(source.files.items()):
        name = PurePosixPath(file).name
        recording = name.removesuffix(SUFFIX) if name.endswith(SUFFIX) else name.removesuffix(".json")
        if recording in found:
            faults.error(file, "format", f"{recording} has two files", "keep one of them")
            continue
        document = documents.opened(documents.json_object, file, data, faults)
        if document is None:
            continue
        rows: list[tuple[str, int, int, int]] = []
        if not set(LISTS.values()) & set(document):
            faults.error(file, "format", "it has neither phases nor steps", "give a list of either, or name the format that the file has")
        for kind, key in LISTS.items():
            if key in document:
                rows += _spans(file, document, kind, key, source.vocabulary, faults)
        found[recording] = Labels(
            recording, "multibypass140", source.vocabulary, MILLISECOND, segments=segment_rows(rows), faults=_unkept(file, document)
        )
    AnnotationError.raise_any(faults)
    return Collection(tuple(labels for _, labels in sorted(found.items())))


def _unkept(file: str, document: Mapping[str, Any]) -> tuple[Fault, ...]:
    names = {f"'{key}' of the file" for key in document.keys() - set(LISTS.values())}
    for key in LISTS.values():
        listed = document.get(key)
        for span in listed if isinstance(listed, list) else []:
            names |= {f"'{name}' of {key}" for name in span.keys() - SPAN_KEYS} if isinstance(span, Mapping) else set()
    return fields.unkept(file, names)


def _spans(
    file: str, document: Mapping[str, Any], kind: Literal["phase", "step"], key: str, words: Vocabulary, faults: Faults
) -> list[tuple[str, int, int, int]]:
    rows = []
    for i, span in enumerate(fields.list_of_objects(file, document, key, faults)):
        place = f"{key} {i}"
        start = fields.whole(file, place, span, "start", faults, high=LONGEST_MS)
        end = fields.whole(file, place, span, "end", faults, high=LONGEST_MS)
        label = fields.whole(file, place, span, "label_id", faults, high=len(words.names(kind)) - 1)
        if start is None or end is None or label is None:
            continue
        if end <= start:
            faults.error(
                file, "format", f"it ends at {end} ms, but starts at {start} ms", "give milliseconds, the end after the start", place=place
            )
            continue
        name = span.get("label_name")
        try:
            named = words.id_of(kind, str(name))
        except AnnotationError as error:
            faults.error(file, "format", str(error), "correct it, or choose another vocabulary", place=place)
            continue
        if named != label:
            mend = fields.FROM_ZERO if label == named + 1 else "correct one of them"
            faults.error(file, "format", f"label_id {label} is '{words.names(kind)[label]}', but label_name is '{name}'", mend, place=place)
            continue
        rows.append((str(kind), start, end, label))
    return rows


@writes(
    "multibypass140",
    holds=("phases", "segments"),
    fps=Fraction(1000),
    takes=lambda words: bool(words.phases or words.steps),
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>.mp4.json`` per recording, as Python's ``json`` spells it."""
    for labels in collection.recordings:
        if labels.segments is None:
            continue
        lists: dict[str, list[dict[str, Any]]] = {key: [] for key in LISTS.values()}
        for kind, start, end, label in labels.segments.itertuples(index=False):
            if kind in LISTS:
                named = {"label_name": labels.vocabulary.names(kind)[label], "label_id": label}
                lists[LISTS[kind]].append({"start": start, "end": end, **named})
            else:
                out.lose(f"spans of another kind: {kind}")
        out.files[f"{labels.recording}{SUFFIX}"] = json.dumps(lists).encode()
