"""Spans as annotation programs have them: labels with a start and an end, in lists whose names say what the labels are.

A list is a tier, an attribute or a category. The first word of its name says what it has: ``phase``, ``step``, ``gesture`` or ``mark``,
in any case and number; ``instrument``, ``tool``, ``action`` or ``triplet`` for what instruments do. A list with another name has what the
vocabulary says, where all its labels are names of one kind; else it is not kept, which is said. Two lists may have the same kind.

A label of an instrument is its name, or ``instrument,verb,target``; `` #1`` behind it is its number among those of its class, from 0, and
``nothing in view`` says that nobody works. A list of phases or steps may hold what overlaps: where frames need one, the later counts.

A time belongs to the frame that begins at it, else to the next one, by the rule of ``labels.rates``; so a frame's time is written rounded
down to the millisecond, and is read as the same frame at any rate below 1000. Where a program states the rate of a video, a time within
half a millisecond of a frame is that frame's: so much do programs round. Times are fractions, kept to the nanosecond, rounded down.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import count_text
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import NAMINGS, PARTS, Naming, Vocabulary, fold, known, load
from scrubin.labels import instance_spans
from scrubin.labels.instance_spans import Row, detail_of
from scrubin.labels.model import Clock, Labels, segment_rows
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.fields import Where
from scrubin.labels.rates import LATEST_NS, NANOSECONDS, NS
from scrubin.labels.registry import Content, Output

HOLDS: tuple[Content, ...] = (
    "phases",
    "segments",
    "instances",
    "actions",
    "boxless",
    "partial",
    "repeats",
    "numbers",
    "empty frames",
    "spans",
)
"""What a format of such spans can hold."""
KINDS: tuple[Naming, ...] = ("phase", "step", "gesture", "mark")
INSTRUMENT: Naming = "instrument"
_WORDS: Mapping[str, Naming] = {kind: kind for kind in KINDS} | dict.fromkeys((INSTRUMENT, "tool", "action", "triplet"), INSTRUMENT)
NOTHING = "nothing in view"
PREFERRED = "cholect50"
"""The vocabulary of names that several have."""
NS_OF_MS = NS // 1000
HALF_MS = Fraction(1, 2000)
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_LABEL = re.compile(r"(?P<names>.*?)(?: *#(?P<number>[0-9]{1,4}))?")


@dataclass(frozen=True)
class NamedSpan:
    """A span of a list, in nanoseconds of the source, half open.

    Parameters
    ----------
    of
        The name of the list.
    kind
        What the name says that its labels are; None where it says nothing.
    place
        Where it stands, for messages.
    by
        Who or what it is said to be of.
    """

    of: str
    kind: Naming | None
    label: str
    start: int
    end: int
    place: str = ""
    by: str = ""


def kind_of(*names: str) -> Naming | None:
    """Return what the first of these names of a list that says it says that its labels are.

    >>> kind_of("Phases@AB"), kind_of("tool_left"), kind_of("remarks")
    ('phase', 'instrument', None)
    """
    first = (match[0] for name in names if (match := _FIRST_WORD.match(name.strip().casefold())))
    return next((_WORDS[word] for one in first for word in (one, one.removesuffix("s")) if word in _WORDS), None)


def seconds(where: Where, value: Any, what: str) -> Fraction | None:
    """Return a number of JSON as seconds, as it is written; None after noting what is none."""
    if not fields.is_number(value):
        where.error("instant", f"{what} is {documents.shown(value)}, expected seconds", "correct it")
        return None
    return Fraction(str(value))


def nanoseconds(where: Where, time_s: Fraction, what: str, fps: Fraction | None = None) -> int | None:
    """Return a time in nanoseconds; None after noting one that no video has.

    Parameters
    ----------
    fps
        Frames per second of the video, where the file states it.
    """
    if not 0 <= time_s * NS <= LATEST_NS:
        where.error("instant", f"{what} is {shown_s(time_s)} s", "give a time in the video")
        return None
    frame = None if fps is None else round(time_s * fps)
    if fps is not None and frame is not None and abs(time_s - frame / fps) <= HALF_MS:
        time_s = frame / fps
    return math.floor(time_s * NS)


def edges_of(where: Where, stated: Mapping[str, Any], span: str, fps: Fraction | None = None) -> tuple[int, int] | None:
    """Return start and end of a span in nanoseconds, of numbers of JSON in seconds; None after noting what is wrong.

    Parameters
    ----------
    stated
        Both, the start first, by what messages call them.
    span
        What the program calls such a span.
    fps
        As of `nanoseconds`.
    """
    times = {what: seconds(where, value, what) for what, value in stated.items()}
    known = {what: time_s for what, time_s in times.items() if time_s is not None}
    edges = [nanoseconds(where, time_s, what, fps) for what, time_s in known.items()] if len(known) == len(times) else [None]
    if None in edges:
        return None
    start, end = (edge for edge in edges if edge is not None)
    if end <= start:
        start_s, end_s = map(shown_s, known.values())
        where.error("span-order", f"it ends at {end_s} s, but starts at {start_s} s", f"give the end after the start, or remove the {span}")
        return None
    return start, end


def shown_s(time_s: Fraction) -> str:
    """Return seconds for a message.

    >>> shown_s(Fraction(-1, 8))
    '-0.125'
    """
    return f"{float(time_s):.9f}".rstrip("0").rstrip(".")


def vocabulary_of(file: str, spans: Sequence[NamedSpan]) -> Vocabulary | None:
    """Return the vocabulary that has all names of lists that say what they have, else one of these names; None without such a list."""
    written: dict[Naming, dict[str, str]] = {kind: {} for kind in NAMINGS}
    triplets: dict[tuple[str, ...], str] = {}
    for span in spans:
        if span.kind == INSTRUMENT and span.label:
            parts = parts_of(span.label)[0]
            for part, name in zip(PARTS, parts, strict=False):
                written[part].setdefault(name, file)
            if len(parts) == len(PARTS):
                triplets.setdefault(tuple(map(fold, parts)), ",".join(parts))
        elif span.kind is not None and span.label:
            written[span.kind].setdefault(span.label, file)
    if not any(written.values()):
        return None
    for one in map(load, (PREFERRED, *known())):
        if all(one.find(kind, name) is not None for kind, of_kind in written.items() for name in of_kind) and all(
            one.find_triplet(name) is not None for name in triplets.values()
        ):
            return one
    lists: dict[Naming | str, Sequence[str]] = {kind: own_categories.one_each(kind, of_kind.items()) for kind, of_kind in written.items()}
    return own_categories.of_categories(file, {**lists, "triplet": list(triplets.values())})


def parts_of(label: str) -> tuple[list[str], int | None]:
    """Return the names of a label of an instrument, and its number; no name where nothing is in view."""
    match = _LABEL.fullmatch(label.strip())
    text, number = (label, None) if match is None else (match["names"], match["number"])
    names = [] if fold(text) == fold(NOTHING) else [part.strip() for part in text.split(",")]
    return names, None if number is None else int(number)


def labels_of(where: Where, form: str, recording: str, vocabulary: Vocabulary, spans: Sequence[NamedSpan], lists: str) -> Labels:
    """Return the labels of a recording; what is wrong is noted, and so are lists that are not kept.

    Parameters
    ----------
    where
        Of the file.
    form
        Name of the format.
    spans
        Each ends after its start, in the order of the file.
    lists
        How the program calls lists, such as ``tier``.
    """
    kinds = kinds_of(spans, vocabulary)
    counts = Counter(span.of for span in spans)
    other = [f"{lists} '{name}' ({count_text(counts[name], 'label')})" for name, kind in kinds.items() if kind is None]
    where.faults.extend(fields.unkept(where.file, other))
    unnamed = Counter(span.of for span in spans if kinds[span.of] is not None and not span.label.strip())
    for name, count in sorted(unnamed.items()):
        where.at(f"{lists} '{name}'").warning("label-missing", f"{count_text(count, 'span')} without a label not read")
    kept = [span for span in spans if kinds[span.of] is not None and span.label.strip()]
    if not kept and not where.faults.errors():
        what = f"no {lists} has phases, steps, gestures, marks or instruments" if not unnamed else "no span has a label"
        fix = "name one 'phase', 'step' or 'instrument', or choose the vocabulary that has its labels (--vocabulary)"
        where.error("no-labels", what, fix)
    segments: list[tuple[str, int, int, int]] = []
    rows: list[Row] = []
    for line, span in enumerate(kept):
        kind, at = kinds[span.of] or "phase", where.at(span.place)
        if kind == INSTRUMENT:
            rows += _row(at, line, span, vocabulary)
        elif (id_ := at.id_of(vocabulary, kind, span.label.strip(), "choose another vocabulary")) is not None:
            segments.append((kind, span.start, span.end, id_))
    table = _actions(where, rows, kept) if rows else None
    return Labels(
        recording,
        form,
        vocabulary,
        NANOSECONDS,
        segments=segment_rows(segments) if segments else None,
        spans=table,
        detail="triplet" if table is None else detail_of(table),
        file=where.file,
    )


def kinds_of(spans: Sequence[NamedSpan], vocabulary: Vocabulary) -> dict[str, Naming | None]:
    """Return what each list has, by its name: as it says itself, else as the vocabulary does."""
    labels: dict[str, dict[str, None]] = defaultdict(dict)
    said: dict[str, Naming | None] = {}
    for span in spans:
        said.setdefault(span.of, span.kind)
        labels[span.of].update({span.label.strip(): None} if span.label.strip() else {})

    def fits(kind: Naming, name: str) -> bool:
        names = [] if not labels[name] else list(labels[name])
        if kind == INSTRUMENT:
            parts = [parts_of(label)[0] for label in names]
            return bool(names) and all(not one or vocabulary.find(INSTRUMENT, one[0]) is not None for one in parts) and any(parts)
        return bool(names) and all(vocabulary.find(kind, label) is not None for label in names)

    found: dict[str, Naming | None] = {}
    for name, kind in said.items():
        fitting = [one for one in (*KINDS, INSTRUMENT) if fits(one, name)] if kind is None else [kind]
        found[name] = fitting[0] if len(fitting) == 1 else None
    return found


def _row(where: Where, line: int, span: NamedSpan, vocabulary: Vocabulary) -> list[Row]:
    """Return the row of a span of an instrument; none after noting a fault."""
    names, number = parts_of(span.label)
    if not names:
        return [Row(line, span.start, span.end, None, None, {})]
    if len(names) not in (1, len(PARTS)):
        where.error("label-form", f"'{span.label}' is no instrument, and no instrument,verb,target", "correct the label")
        return []
    of_instance = where.ids_of_names(vocabulary, names, "choose another vocabulary")
    if of_instance is None:
        return []
    return [Row(line, span.start, span.end, of_instance.pop("instrument_id"), number, of_instance)]


def _actions(where: Where, rows: list[Row], spans: Sequence[NamedSpan]) -> pd.DataFrame:
    table, overlapping = instance_spans.numbered_table(rows)
    for a, b in overlapping:
        since, until = (shown_s(Fraction(at, NS)) for at in (max(a.start, b.start), min(a.end, b.end)))
        labels = f"'{spans[a.line].label}' and '{spans[b.line].label}'"
        what = f"{labels} contradict each other from {since} to {until} s"
        where.at(f"{spans[a.line].place} and {spans[b.line].place}").error("span-overlap", what, "end one before the other")
    return table


def spans_of(labels: Labels, out: Output) -> list[NamedSpan]:
    """Return all spans of labels as a writer needs them, in order: phases and other segments, then instruments.

    ``of`` is the kind, for an instrument with its name. Verbs and targets that are no triplet are counted as lost.
    """
    spans = [] if labels.segments is None else list(_segments(labels))
    table = labels.spans if labels.spans is not None or labels.instances is None else instance_spans.of_layer(labels.instances)
    return [*spans, *([] if table is None else _instruments(labels, table, out))]


def shared_vocabulary(labels: Sequence[Labels], form: str) -> Vocabulary:
    """Return the vocabulary of all recordings of a project.

    Raises
    ------
    AnnotationError
        When they have several.
    """
    first = labels[0].vocabulary
    if any(one.vocabulary.name != first.name for one in labels):
        raise AnnotationError(f"a project of {form} needs one vocabulary, these recordings have several; convert them one by one")
    return first


def _segments(labels: Labels) -> Iterator[NamedSpan]:
    assert labels.segments is not None
    clock = labels.segments_clock or labels.clock
    for kind, start, end, id_ in labels.segments.itertuples(index=False):
        yield NamedSpan(kind, kind, labels.vocabulary.names(kind)[id_], _written_ns(start, clock), _written_ns(end, clock))


def _instruments(labels: Labels, table: pd.DataFrame, out: Output) -> Iterator[NamedSpan]:
    words, halves = labels.vocabulary, 0
    for row in table.astype(object).where(table.notna(), None).to_dict("records"):
        start, end = (_written_ns(int(row[edge]), labels.clock) for edge in ("start", "end"))
        if row["instrument_id"] is None:
            yield NamedSpan(INSTRUMENT, INSTRUMENT, NOTHING, start, end)
            continue
        name = words.instruments[row["instrument_id"]]
        is_triplet = row["triplet_id"] is not None
        halves += not is_triplet and (row["verb_id"] is not None or row["target_id"] is not None)
        number = f" #{row['instance']}" if row["instance"] else ""
        label = words.triplet_name(row["triplet_id"]) if is_triplet else name
        yield NamedSpan(f"{INSTRUMENT} {name}", INSTRUMENT, label + number, start, end)
    out.lose("verbs and targets that are no triplet", halves)


def written_s(time_ns: int) -> float | int:
    """Return seconds as JSON has them: 12.48, or 12."""
    return time_ns // NS if time_ns % NS == 0 else float(Fraction(time_ns, NS))


def _written_ns(position: int, clock: Clock) -> int:
    """Return an instant as it is written: a frame's is rounded down to the millisecond, so that it is read as the same frame."""
    time_s = position * (clock.period_s or Fraction(1))
    if clock.period_s is not None and clock.period_s < Fraction(1, 1000):
        return math.floor(time_s * NS)
    return math.floor(time_s * 1000) * NS_OF_MS


def in_milliseconds(labels: Labels, out: Output) -> list[NamedSpan]:
    """Return `spans_of` labels in whole milliseconds, rounded down; what is finer is counted as lost, and so are spans that are shorter."""
    spans = spans_of(labels, out)
    finer = sum(edge % NS_OF_MS > 0 for span in spans for edge in (span.start, span.end))
    out.lose("parts of a millisecond of a start or an end", finer)
    rounded = [replace(span, start=span.start - span.start % NS_OF_MS, end=span.end - span.end % NS_OF_MS) for span in spans]
    for span in rounded:
        # What instances do from frame to frame is no row of spans.
        is_row = span.kind != INSTRUMENT or labels.spans is not None
        out.lose("spans within a millisecond", int(span.start >= span.end), rows_of="span" if is_row else "")
    return [span for span in rounded if span.start < span.end]


def in_lanes(spans: Sequence[NamedSpan]) -> list[int]:
    """Return in which lane each span is, from 0, so that in none two overlap: behind all before it that it overlaps."""
    ends: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    lanes = []
    for span in spans:
        lane = max((at + 1 for at, start, end in ends[span.of] if start < span.end and span.start < end), default=0)
        ends[span.of].append((lane, span.start, span.end))
        lanes.append(lane)
    return lanes
