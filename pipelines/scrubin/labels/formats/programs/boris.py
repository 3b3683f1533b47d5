"""BORIS: a project, ``<name>.boris``, JSON with observations whose states have a start and a stop in seconds.

An observation is a recording, by its id. ``named_spans`` says what a behaviour is, by the category that it has in the ethogram, else by the
vocabulary alone. A state lasts from one event to the next of the same subject, code and modifiers, as BORIS pairs them; one that is left
over is an error. Modifiers of an instrument are its verb and target; others, subjects, comments, points in time and estimated numbers of
frames are not kept, which is said. Phases are of the operation: those of several subjects that overlap, who would be its annotators, are
refused. The ``time offset`` of an observation is taken away. Where ``media_info`` states the rate of its only video, times are those of
frames. Live observations have no video and are not read. Written projects name their vocabulary under a key of their own, and the video
``<recording>.mp4``; same names of a phase and a step are told apart by `` (step)``.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, Faults, count_text
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import Naming, Vocabulary
from scrubin.labels import registry
from scrubin.labels.formats.programs import named_spans
from scrubin.labels.formats.programs.named_spans import INSTRUMENT, NamedSpan, kind_of, nanoseconds, shown_s, written_s
from scrubin.labels.model import Collection, LabelFiles
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

NAME = "boris"
FILE = "observations.boris"
ETHOGRAM, OBSERVATIONS = "behaviors_conf", "observations"
VOCABULARY = "scrubin_vocabulary"
DATE = "1980-01-01T00:00:00"
OVERLAP = "overlap"
"""The subject of a state that overlaps another one of the same code and modifiers."""
TIME, SUBJECT, CODE, MODIFIERS, COMMENT = range(5)
"""The places of an event."""
NO_MODIFIER = ("", "none")
OF_TABLE = b"Observation id"
"""So begins a table of events."""
Behaviours = Mapping[str, tuple[bool, str]]
"""Whether it is a state, and its category, by code."""


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the vocabulary that the first project names; else the one that has the labels of categories which say what they have."""
    found = [(file, documents.peek(data)) for file, data in sorted(files.items())]
    named = next(((file, one[VOCABULARY]) for file, one in found if one.get(VOCABULARY) is not None), None)
    if named is not None:
        return own_categories.of_reference(*named)
    spans: list[NamedSpan] = []
    for file, document in found:
        observations = document.get(OBSERVATIONS)
        behaviours = _behaviours(Where(Faults(), file), document)
        for name, one in observations.items() if isinstance(observations, Mapping) else ():
            spans += _spans(Where(Faults(), file), name, one, behaviours) if isinstance(one, Mapping) else []
    return named_spans.vocabulary_of(min(files), spans)


@dataset_format(
    NAME,
    pattern=r"[^/]+\.boris",
    expected="<name>.boris, the project that BORIS saves and no table that it exports",
    title="BORIS: states with a start and a stop in seconds; a project of several recordings",
    by_hand=ByHand(vocabulary=named_spans.PREFERRED, vocabulary_of=vocabulary_of, evidence=registry.named),
)
def read(source: LabelFiles) -> Collection:
    """Return the observations without an error; all faults are in ``Collection.faults``."""
    faults, recordings, first = Faults(), {}, dict[str, str]()
    for file, data in sorted(source.files.items()):
        of_file = Faults()
        document = documents.opened(_project, file, data, of_file)
        behaviours = {} if document is None else _behaviours(Where(of_file, file), document)
        observations = {} if document is None else document.get(OBSERVATIONS)
        if not isinstance(observations, Mapping) or (document is not None and not observations):
            Where(of_file, file).error("no-labels", f"'{OBSERVATIONS}' has none", "label something, or save the project again")
            observations = {}
        for name, one in observations.items():
            of_one = Faults()
            where = Where(of_one, file).at(f"observation '{name}'")
            if first.setdefault(name, file) != file:
                where.error("file-repeated", f"there is another one in {first[name]}", "keep one of them")
            spans = _spans(where, name, one, behaviours) if isinstance(one, Mapping) else []
            if not isinstance(one, Mapping):
                where.error("value-type", f"it is {documents.shown(one)}, expected an object", "save the project again")
            if spans:
                _refuse_several(where, spans, source.vocabulary)
                labels = named_spans.labels_of(where, NAME, name, source.vocabulary, spans, "category")
                recordings[name] = replace(labels, faults=())
            if of_one.errors():
                recordings.pop(name, None)
            of_file.extend(of_one.all())
        faults.extend(of_file.all())
    if not recordings and not faults.errors():
        Where(faults, min(source.files)).error("no-labels", "no observation of a video has a state", "label something")
    return Collection(tuple(labels for _, labels in sorted(recordings.items())), faults=faults.all())


def _project(file: str, data: bytes) -> dict[str, Any]:
    """Return the project in a file; a table of events that BORIS exports is no project that was cut off."""
    if data.removeprefix(BOM_UTF8).lstrip(b'"').startswith(OF_TABLE):
        raise AnnotationError(
            [Fault(file, "layout", "it is a table that BORIS exported", "give the project that BORIS saves, <name>.boris")]
        )
    return documents.json_object(file, data)


def _behaviours(where: Where, document: Mapping[str, Any]) -> Behaviours:
    """Return what the ethogram says of each code."""
    listed = document.get(ETHOGRAM)
    if not isinstance(listed, Mapping):
        where.error("layout", f"'{ETHOGRAM}' is {documents.shown(listed)}, expected an object", "save the project again")
        return {}
    known = [one for one in listed.values() if isinstance(one, Mapping) and isinstance(one.get("code"), str)]
    return {one["code"]: (str(one.get("type")).startswith("State"), str(one.get("category") or "").strip()) for one in known}


def _spans(where: Where, name: str, observation: Mapping[str, Any], behaviours: Behaviours) -> list[NamedSpan]:
    """Return the states of an observation, in the order of their starts; what is wrong or not kept is noted."""
    events = observation.get("events")
    if not isinstance(events, list):
        where.error("value-type", f"'events' is {documents.shown(events)}, expected a list", "save the project again")
        return []
    if observation.get("type") != "MEDIA":
        what = f"{count_text(len(events), 'event')} of no video: type {documents.shown(observation.get('type'))}"
        where.warning("not-kept", f"not kept: {what}")
        return []
    if not events:
        where.warning("no-labels", "it has no event, and is not read")
        return []
    offset_s = named_spans.seconds(where, observation.get("time offset", 0), "'time offset'") or Fraction(0)
    fps, unkept = _rate(observation), Counter[str]()
    started: dict[tuple[str, ...], tuple[int, Where, Fraction]] = {}
    spans: list[tuple[int, NamedSpan]] = []
    for number, (at, time_s, texts) in enumerate(_timed(where, name, events, unkept)):
        subject, code, modifiers = texts
        if code not in behaviours:
            at.error("name-unknown", f"'{code}' is no behaviour of the ethogram", "add it there, or correct the event")
        elif not behaviours[code][0]:
            unkept["points in time"] += 1
        elif texts not in started:
            started[texts] = number, at, time_s
        else:
            place, since, start_s = started.pop(texts)
            edges = [nanoseconds(since, one - offset_s, "the time", fps) for one in (start_s, time_s)]
            if edges[0] is not None and edges[1] is not None and edges[0] < edges[1]:
                one = _span(since, code, behaviours[code][1], modifiers, (edges[0], edges[1]), unkept)
                spans.append((place, replace(one, by="" if subject.startswith(OVERLAP) else subject)))
            elif None not in edges:
                at.error("span-order", f"'{code}' stops when it starts, at {shown_s(time_s)} s", "remove both events")
    for (_, code, _), (_, at, time_s) in started.items():
        at.error("state-unpaired", f"'{code}' starts at {shown_s(time_s)} s, and never stops", "add the stop, or remove the start")
    where.faults.extend(fields.unkept(where.file, [f"{what} of '{name}' ({count})" for what, count in unkept.items() if count]))
    return [span for _, span in sorted(spans, key=lambda one: one[0])]


def _refuse_several(where: Where, spans: Sequence[NamedSpan], vocabulary: Vocabulary) -> None:
    """Note overlapping phases of several subjects: these may be those who operate, of whom one does, but the operation has one phase."""
    kinds = named_spans.kinds_of(spans, vocabulary)
    phases = sorted((span for span in spans if kinds[span.of] == "phase" and span.by), key=lambda span: span.start)
    subjects, latest = set[str](), dict[str, int]()
    for span in phases:
        beside = {by for by, end in latest.items() if by != span.by and end > span.start}
        subjects |= beside and {*beside, span.by}
        latest[span.by] = max(span.end, latest.get(span.by, 0))
    if subjects:
        what = f"{len(subjects)} subjects have phases at the same time: {', '.join(map(repr, sorted(subjects)))[:120]}"
        where.error(
            "annotators-several", what, "give an observation those of one annotator, or of what was settled, under one subject or none"
        )


def _timed(where: Where, name: str, events: Sequence[Any], unkept: Counter[str]) -> Iterator[tuple[Where, Fraction, tuple[str, str, str]]]:
    """Yield the events in order: their place, time, and subject, code and modifiers."""
    timed = []
    for number, event in enumerate(events):
        at = where.at(f"observation '{name}', event {number}")
        if (
            not isinstance(event, list)
            or len(event) <= MODIFIERS
            or not all(isinstance(one, str) for one in event[SUBJECT : MODIFIERS + 1])
        ):
            at.error("value-type", f"it is {documents.shown(event)}", "expected time, subject, code, modifiers, comment")
            continue
        time_s = named_spans.seconds(at, event[TIME], "the time")
        if time_s is None:
            continue
        unkept["comments"] += len(event) > COMMENT and bool(event[COMMENT])
        unkept["subjects"] += bool(event[SUBJECT]) and not event[SUBJECT].startswith(OVERLAP)
        timed.append((at, time_s, (event[SUBJECT], event[CODE], event[MODIFIERS])))
    yield from sorted(timed, key=lambda one: one[1])


def _rate(observation: Mapping[str, Any]) -> Fraction | None:
    """Return the rate of the only video of an observation; None where it has several, or none is stated."""
    media, info = observation.get("file"), observation.get("media_info")
    files = media.get("1") if isinstance(media, Mapping) else None
    rates = info.get("fps") if isinstance(info, Mapping) else None
    if not isinstance(files, list) or len(files) != 1 or not isinstance(rates, Mapping):
        return None
    return fields.rate(rates.get(files[0])) if isinstance(files[0], str) else None


def _span(where: Where, code: str, category: str, modifiers: str, edges: tuple[int, int], unkept: Counter[str]) -> NamedSpan:
    kind = kind_of(category) if category else None
    named = [one.strip() for one in modifiers.split("|") if one.strip().casefold() not in NO_MODIFIER]
    label = code.removesuffix(f" ({kind})")
    if kind in (None, INSTRUMENT) and len(named) == 2:
        name, mark, number = label.partition(" #")
        label = f"{name},{named[0]},{named[1]}{mark}{number}"
    else:
        unkept["modifiers"] += len(named) > 0
    return NamedSpan(category or code, kind, label, *edges, place=where.place)


@writes(NAME, holds=named_spans.HOLDS, phases_as_spans=True)
def write(collection: Collection, out: Output) -> None:
    """Write ``observations.boris``: an observation per recording; raises `AnnotationError` where recordings have several vocabularies."""
    spans = {labels.recording: named_spans.spans_of(labels, out) for labels in collection.recordings}
    if not any(spans.values()):
        return
    codes = _codes([span for of in spans.values() for span in of])
    out.lose("that of two overlapping spans the one that starts first counts", sum(map(_reversed, spans.values())))
    lanes = {name: named_spans.in_lanes([replace(span, of=f"{span.kind} {span.label}") for span in of]) for name, of in spans.items()}
    subjects = [f"{OVERLAP} {number}" for number in range(1, max((lane for of in lanes.values() for lane in of), default=0) + 1)]
    document = {
        "time_format": "hh:mm:ss",
        "project_date": DATE,
        "project_name": "",
        "project_description": "",
        "project_format_version": "7.0",
        VOCABULARY: own_categories.reference(named_spans.shared_vocabulary(collection.recordings, NAME)),
        "subjects_conf": {str(i): {"key": "", "name": name, "description": ""} for i, name in enumerate(subjects)},
        ETHOGRAM: {str(i): one for i, one in enumerate(_ethogram(codes, spans))},
        OBSERVATIONS: {name: _observation(name, of, lanes[name], codes) for name, of in spans.items() if of},
        "behavioral_categories": list(dict.fromkeys(kind for kind, _ in codes)),
        "independent_variables": {},
        "coding_map": {},
        "behaviors_coding_map": [],
        "converters": {},
    }
    out.files[FILE] = (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _reversed(spans: Sequence[NamedSpan]) -> int:
    """Return how many spans of phases and the like overlap a later one of the list that starts before them: events are in order of time."""
    those = [span for span in spans if span.kind != INSTRUMENT]
    return sum(
        any(other.kind == span.kind and other.start < span.start < other.end for other in those[at + 1 :]) for at, span in enumerate(those)
    )


def _code_of(span: NamedSpan) -> tuple[Naming, str, str]:
    """Return kind, code and modifiers of a span."""
    kind = span.kind or INSTRUMENT
    if kind != INSTRUMENT:
        return kind, span.label, ""
    text, mark, number = span.label.partition(" #")
    name, *action = text.split(",")
    return kind, f"{name}{mark}{number}", "|".join(action)


def _codes(spans: Sequence[NamedSpan]) -> dict[tuple[Naming, str], str]:
    """Return the code of each kind and name: the name, with the kind where another kind has the same."""
    kinds: dict[str, Naming] = {}
    codes = {}
    for kind, name, _ in map(_code_of, spans):
        codes[kind, name] = name if kinds.setdefault(name, kind) == kind else f"{name} ({kind})"
    return codes


def _ethogram(codes: Mapping[tuple[Naming, str], str], spans: Mapping[str, Sequence[NamedSpan]]) -> Iterator[dict[str, Any]]:
    values: dict[tuple[str, str], list[list[str]]] = defaultdict(list)
    for kind, name, modifiers in (_code_of(span) for of in spans.values() for span in of):
        values[kind, name] += [modifiers.split("|")] if modifiers else []
    for (kind, name), code in codes.items():
        columns = list(zip(*values[kind, name], strict=True))
        named = zip(("verb", "target"), columns, strict=False)
        sets = {str(i): {"name": part, "type": 0, "values": sorted(set(column))} for i, (part, column) in enumerate(named)}
        shared = {"key": "", "description": "", "excluded": "", "coding map": ""}
        yield {"type": "State event", "code": code, "category": kind, "modifiers": sets, **shared}


def _observation(name: str, spans: Sequence[NamedSpan], lanes: Sequence[int], codes: Mapping[tuple[Naming, str], str]) -> dict[str, Any]:
    events = []
    for place, (span, lane) in enumerate(zip(spans, lanes, strict=True)):
        kind, label, modifiers = _code_of(span)
        told = [f"{OVERLAP} {lane}" if lane else "", codes[kind, label], modifiers, ""]
        # What ends is written before what begins at the same time.
        events += [(span.start, 1, place, told), (span.end, 0, place, told)]
    return {
        "file": {"1": [f"{name}.mp4"]},
        "type": "MEDIA",
        "date": DATE,
        "description": "",
        "time offset": 0.0,
        "events": [[written_s(time_ns), *told] for time_ns, _, _, told in sorted(events)],
        "independent_variables": {},
        "visualize_spectrogram": False,
        "close_behaviors_between_videos": False,
        "media_info": {"length": {}, "fps": {}, "hasVideo": {}, "hasAudio": {}, "offset": {"1": 0.0}},
    }
