"""ELAN: ``<recording>.eaf``, XML with tiers of labels in milliseconds, as of the EAF schema 2.x and 3.0.

``named_spans`` says what a tier has, by its name or that of its linguistic type. Times are those of the media: ``TIME_ORIGIN``, where a
medium was synchronised, is added. An instant without a time lies evenly between its neighbours on its tier, as ELAN shows it; a label that
refers to another one has its time, several of them share it evenly. An empty value with a ``CVE_REF`` is that of the controlled vocabulary.
Tiers of one kind that differ in annotator are of several people, and so are those of all but instruments that differ in participant or
behind the ``@`` of their name, also under one annotator, which may be the lab. Of instruments these are hands, and who operates, unless one
instrument is on two of them at once and they share no annotator, or are no ``HOLDER``. Two tiers of steps, gestures or marks may be those
of both ``HANDS``: what both have counts once, and that the hand is not kept is said. ELAN exports those of one, and others are refused.
Written files name their vocabulary in a ``PROPERTY`` of the header; where spans overlap they have several tiers. Their date is fixed, so
that same labels are the same bytes.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults, count_text
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import Naming, Vocabulary, fold
from scrubin.labels import registry
from scrubin.labels.formats.programs import named_spans
from scrubin.labels.formats.programs.named_spans import INSTRUMENT, KINDS, NamedSpan, kind_of, nanoseconds, shown_s
from scrubin.labels.model import Collection, LabelFiles, Labels
from scrubin.labels.parse import documents, xml_documents
from scrubin.labels.parse.fields import Where
from scrubin.labels.rates import NS
from scrubin.labels.registry import ByHand, Output, label_format, writes

NAME = "elan"
SUFFIX = ".eaf"
ROOT = "ANNOTATION_DOCUMENT"
VOCABULARY = "scrubin:vocabulary"
"""A property of the header: the name of the vocabulary in quotes, or its lists as JSON."""
SCHEMA = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
DATE = "1980-01-01T00:00:00+00:00"
ONE_AT_A_TIME = KINDS
"""Kinds of which an operation has one list, whoever operates."""
OF_A_HAND = frozenset(KINDS) - {"phase"}
HANDS = dict.fromkeys(("left", "lefthand", "lh"), "left") | dict.fromkeys(("right", "righthand", "rh"), "right")
"""How a hand is written, folded, and which one it is; ``L`` and ``R`` may be initials."""
HOLDER = re.compile("(?:(?:left|right)(?:hand|arm)?|(?:hand|arm|psm)[0-9]?|lh|rh|surgeon|assistant|nurse|operator|resident)?")
"""Who may hold an instrument of their own, folded, or nobody named; numbered people may be raters."""
KINDS_ALIGNED, KINDS_REFERRING = "ALIGNABLE_ANNOTATION", "REF_ANNOTATION"
Times = tuple[Fraction, Fraction]


@dataclass
class _Tier:
    name: str
    type_name: str
    annotator: str
    participant: str
    annotations: list[ElementTree.Element]

    @property
    def place(self) -> str:
        return f"tier '{self.name}'"

    @property
    def behind_at(self) -> str:
        """Whom the name says that it is of, as in ``phase@AB``."""
        return self.name.partition("@")[2].strip()

    @property
    def person(self) -> tuple[str, str]:
        """Whom the tier says that it is of: a rater, a hand, or who operates."""
        return self.participant, self.behind_at


@dataclass
class _Document:
    where: Where
    root: ElementTree.Element
    recording: str
    slots: dict[str, Fraction | None] = field(default_factory=dict)
    times: dict[str, Times] = field(default_factory=dict)
    guessed: int = 0

    def at(self, tier: _Tier, annotation: ElementTree.Element) -> Where:
        return self.where.at(f"{tier.place}, annotation {annotation.get('ANNOTATION_ID', 'without an id')}")


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the vocabulary that the header names, else the one that has the labels of tiers which say what they have."""
    ((file, data),) = files.items()
    try:
        root = xml_documents.root(file, data, ROOT)
    except AnnotationError:
        return None  # reading says why
    named = next((one.text for one in root.iter("PROPERTY") if one.get("NAME") == VOCABULARY), None)
    if named is not None:
        return own_categories.of_reference(file, documents.json_value(file, named.encode()))
    return named_spans.vocabulary_of(file, _spans(_Document(Where(Faults(), file), root, "")))


def _is_document(path: Path) -> bool:
    return f"<{ROOT}" in registry.head(path)


@label_format(
    NAME,
    pattern=r"(?P<recording>[^/]+)\.eaf",
    expected="<recording>.eaf",
    title="ELAN: tiers of phases, steps and instruments in milliseconds; a file per recording",
    by_hand=ByHand(vocabulary=named_spans.PREFERRED, vocabulary_of=vocabulary_of, evidence=_is_document),
)
def read(source: LabelFiles) -> Labels:
    """Return the labels of a recording.

    Raises
    ------
    AnnotationError
        With every fault, each with its tier and annotation.
    """
    ((file, data),) = source.files.items()
    document = _Document(Where(Faults(), file), xml_documents.root(file, data, ROOT), source.recording)
    spans = _spans(document)
    if document.guessed:
        what = f"{count_text(document.guessed, 'label')} with an instant that has no time: it is set evenly between its neighbours"
        document.where.warning("time-missing", what)
    tiers = _by_kind(document, spans, source.vocabulary)
    _refuse_several(document, spans, tiers, source.vocabulary)
    for kind in sorted(OF_A_HAND):
        if _are_hands(kind, tiers[kind]):
            spans = _without_hands(document, spans, kind, tiers[kind], source.vocabulary)
    labels = named_spans.labels_of(document.where, NAME, source.recording, source.vocabulary, spans, "tier")
    AnnotationError.raise_any(document.where.faults)
    return replace(labels, faults=document.where.faults.all())


def _spans(document: _Document) -> list[NamedSpan]:
    """Return the labels of all tiers, in the order of the file; what is wrong is noted."""
    header = document.root.find("HEADER")
    units = "milliseconds" if header is None else header.get("TIME_UNITS", "milliseconds")
    if units != "milliseconds":
        document.where.at("HEADER").error("time-units", f"times are in '{units[:40]}'", "save it by a current ELAN, in milliseconds")
    _read_slots(document)
    tiers = [_tier(one) for one in document.root.findall("TIER")]
    for tier in tiers:
        _place_aligned(document, tier)
    _place_referring(document, tiers)
    origin_s = Fraction(_origin_ms(document, header), 1000)
    entries = _entries(document.root)
    return [span for tier in tiers for span in _spans_of_tier(document, tier, origin_s, entries)]


def _tier(element: ElementTree.Element) -> _Tier:
    annotations = [one for of in element.findall("ANNOTATION") for one in of if one.tag in (KINDS_ALIGNED, KINDS_REFERRING)]
    name, type_name = element.get("TIER_ID", ""), element.get("LINGUISTIC_TYPE_REF", "")
    return _Tier(name, type_name, element.get("ANNOTATOR", "").strip(), element.get("PARTICIPANT", "").strip(), annotations)


def _whole(text: str) -> int | None:
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    number = documents.frame_number(digits)
    return None if number is None else sign * number


def _read_slots(document: _Document) -> None:
    for slot in document.root.iterfind("TIME_ORDER/TIME_SLOT"):
        name, text = slot.get("TIME_SLOT_ID", ""), slot.get("TIME_VALUE")
        value = None if text is None else _whole(text.strip())
        where = document.where.at(f"time slot {name[:40] or 'without an id'}")
        if name in document.slots:
            where.error("id-repeated", "the id stands twice", "export the file again")
        elif text is not None and value is None:
            where.error("instant", f"TIME_VALUE is '{text[:40]}', expected whole milliseconds", "correct it")
        document.slots.setdefault(name, None if value is None else Fraction(value, 1000))


def _origin_ms(document: _Document, header: ElementTree.Element | None) -> int:
    """Return the time of the media at which the times of the file begin: of the medium of the recording's name, else the first."""
    media = [] if header is None else header.findall("MEDIA_DESCRIPTOR")
    origins: dict[int, int] = {}
    for number, medium in enumerate(media):
        value = _whole(medium.get("TIME_ORIGIN", "0").strip() or "0")
        if value is None:
            what = f"TIME_ORIGIN is '{medium.get('TIME_ORIGIN', '')[:40]}', expected whole milliseconds"
            document.where.at(f"medium {number}").error("instant", what, "correct it")
        origins[number] = value or 0
    stems = [Path(medium.get("RELATIVE_MEDIA_URL") or medium.get("MEDIA_URL") or "").stem for medium in media]
    at = stems.index(document.recording) if document.recording in stems else 0
    if len(set(origins.values())) > 1:
        what = f"its media begin at different times; those of medium {at}, '{stems[at][:60]}', are taken"
        document.where.at("HEADER").warning("media-several", what)
    return origins.get(at, 0)


def _place_aligned(document: _Document, tier: _Tier) -> None:
    """Set the times of the labels that have instants, those without a time evenly between their neighbours."""
    pairs = []
    for one in tier.annotations:
        if one.tag != KINDS_ALIGNED:
            continue
        slots = [one.get(f"TIME_SLOT_REF{edge}", "") for edge in (1, 2)]
        unknown = [slot for slot in slots if slot not in document.slots]
        if unknown:
            document.at(tier, one).error("id-unknown", f"there is no time slot '{unknown[0][:40]}'", "export the file again")
        else:
            pairs.append((one, slots[0], slots[1]))
    between = _between(document.slots, [(start, end) for _, start, end in pairs])
    for one, start, end in pairs:
        found = [document.slots[slot] if document.slots[slot] is not None else between.get(slot) for slot in (start, end)]
        document.guessed += any(document.slots[slot] is None for slot in (start, end))
        if found[0] is None or found[1] is None:
            what = "an instant has no time, and none of its neighbours on the tier"
            document.at(tier, one).error("time-missing", what, "align it in ELAN")
        else:
            document.times[one.get("ANNOTATION_ID", "")] = (found[0], found[1])


def _between(slots: Mapping[str, Fraction | None], pairs: list[tuple[str, str]]) -> dict[str, Fraction]:
    """Return the times of instants without one: of a run of labels that touch, evenly between the ends that have a time."""
    found: dict[str, Fraction] = {}
    follows, ends = dict(pairs), {end for _, end in pairs}
    firsts = [start for start, _ in pairs if slots[start] is not None or start not in ends]
    for first in firsts:
        run, at, seen = [first], first, {first}
        while at in follows and follows[at] not in seen:
            at = follows[at]
            seen.add(at)
            run.append(at)
            if slots[at] is not None:
                break
        begin, end = slots[run[0]], slots[run[-1]]
        if begin is not None and end is not None:
            found |= {slot: begin + (end - begin) * Fraction(i, len(run) - 1) for i, slot in enumerate(run) if slots[slot] is None}
    return found


def _place_referring(document: _Document, tiers: list[_Tier]) -> None:
    """Set the times of the labels that refer to others: all those of one tier that refer to the same one share its time evenly."""
    sharing: dict[str, list[str]] = {}
    parents: dict[str, str] = {}
    for tier in tiers:
        of_parent: dict[str, list[ElementTree.Element]] = defaultdict(list)
        for one in tier.annotations:
            if one.tag == KINDS_REFERRING:
                of_parent[one.get("ANNOTATION_REF", "")].append(one)
        for parent, group in of_parent.items():
            names = _in_order(group)
            sharing |= dict.fromkeys(names, names)
            parents |= dict.fromkeys(names, parent)
    for name in parents:
        chain = [name]
        while chain[-1] in parents and chain[-1] not in document.times and parents[chain[-1]] not in chain:
            chain.append(parents[chain[-1]])
        for child in reversed(chain):
            whole = document.times.get(parents.get(child, ""))
            if child in document.times or whole is None:
                continue
            start, share = whole[0], (whole[1] - whole[0]) / len(sharing[child])
            number = sharing[child].index(child)
            document.times[child] = (start + number * share, start + (number + 1) * share)
    for tier in tiers:
        for one in tier.annotations:
            if one.tag == KINDS_REFERRING and one.get("ANNOTATION_ID", "") not in document.times:
                what = f"it refers to '{one.get('ANNOTATION_REF', '')[:40]}', which has no time"
                document.at(tier, one).error("id-unknown", what, "export the file again")


def _in_order(group: list[ElementTree.Element]) -> list[str]:
    """Return the ids of labels that share a time, each behind the one that it names before it."""
    after = {one.get("PREVIOUS_ANNOTATION", ""): one.get("ANNOTATION_ID", "") for one in group}
    names = [one.get("ANNOTATION_ID", "") for one in group]
    ordered, at = [], ""
    while at in after and after[at] not in ordered:
        at = after[at]
        ordered.append(at)
    return ordered if len(ordered) == len(set(names)) else list(dict.fromkeys(names))


def _by_kind(document: _Document, spans: list[NamedSpan], vocabulary: Vocabulary) -> dict[Naming, list[_Tier]]:
    """Return the tiers with labels of each kind, in the order of the file."""
    kinds = named_spans.kinds_of(spans, vocabulary)
    tiers = [_tier(one) for one in document.root.findall("TIER")]
    return {kind: [tier for tier in tiers if kinds.get(tier.name) == kind] for kind in (*KINDS, INSTRUMENT)}


def _are_hands(kind: Naming, tiers: list[_Tier]) -> bool:
    """Return whether tiers of a kind are one of each hand: two of a hand may be those of two people."""
    if kind not in OF_A_HAND or len({tier.name for tier in tiers}) != 2 or len({tier.annotator for tier in tiers} - {""}) > 1:
        return False
    both = [sorted(HANDS.get(name, "") for name in names) for names in _differing(tiers)]
    return bool(both) and all(hands == ["left", "right"] for hands in both)


def _differing(tiers: list[_Tier]) -> list[list[str]]:
    """Return the participants of tiers, and the names behind their ``@``, folded, where they differ."""
    return [[fold(name) for name in names] for names in zip(*(tier.person for tier in tiers), strict=True) if len(set(names)) > 1]


def _are_holders(tiers: list[_Tier]) -> bool:
    """Return whether tiers are of hands, arms or people in the operation, not twice of one."""
    differing = _differing(tiers)
    hands = [{HANDS.get(name, name) for name in names} for names in differing]
    return all(map(HOLDER.fullmatch, itertools.chain(*differing))) and any(len(names) > 1 for names in hands)


def _without_hands(
    document: _Document, spans: list[NamedSpan], kind: Naming, tiers: list[_Tier], vocabulary: Vocabulary
) -> list[NamedSpan]:
    """Return the spans with those that both hands have once, after noting that the hand is not kept."""
    first, second = (tier.name for tier in tiers)
    ids = [vocabulary.find(kind, span.label.strip()) for span in spans]
    of_first = {(id_, span.start, span.end) for id_, span in zip(ids, spans, strict=True) if span.of == first and id_ is not None}
    kept = [one for id_, one in zip(ids, spans, strict=True) if one.of != second or (id_, one.start, one.end) not in of_first]
    both = len(spans) - len(kept)
    once = f"{count_text(both, 'label')} that both have count{'s' * (both == 1)} once" if both else ""
    document.where.warning("not-kept", f"not kept: the hand of {kind}s on '{first}' and '{second}'", once)
    return kept


def _refuse_several(document: _Document, spans: list[NamedSpan], tiers: Mapping[Naming, list[_Tier]], vocabulary: Vocabulary) -> None:
    """Note kinds of which several people have tiers: their labels would become those of one."""
    for kind, of_kind in tiers.items():
        of_whom = {"annotators": {tier.annotator for tier in of_kind} - {""}}
        names = Counter[str]()
        if kind in ONE_AT_A_TIME and not _are_hands(kind, of_kind):
            of_whom["participants"] = {tier.participant for tier in of_kind} - {""}
            of_whom["names behind '@'"] = {tier.behind_at for tier in of_kind} - {""}
            # "phase" beside "phase@AB" is another person's, too.
            names.update(tier.name.partition("@")[0].strip().casefold() for tier in of_kind)
        several = next((f"{len(people)} {what}" for what, people in of_whom.items() if len(people) > 1), "")
        if several or max(names.values(), default=1) > 1:
            listed = ", ".join(repr(tier.name) for tier in of_kind)[:120]
            what = f"{several or 'several people'} have tiers of {kind}s: {listed}"
            fix = "export the tiers of one annotator, or of what was settled; where all are of one, give them the same name there, or none"
            document.where.error("annotators-several", what, fix)
    _refuse_seen_twice(document, spans, {tier.name: tier for tier in tiers[INSTRUMENT]}, vocabulary)


def _refuse_seen_twice(document: _Document, spans: list[NamedSpan], tiers: Mapping[str, _Tier], vocabulary: Vocabulary) -> None:
    """Note the first instrument that is on tiers of two people at once, as where both watched: hands hold one each."""
    by_instrument: dict[tuple[int | None, int | None], list[NamedSpan]] = defaultdict(list)
    for span in spans:
        names, number = named_spans.parts_of(span.label)
        if span.of in tiers and names:
            by_instrument[vocabulary.find(INSTRUMENT, names[0]), number].append(span)
    for of in by_instrument.values():
        ordered = sorted(of, key=lambda span: span.start)
        for at, one in enumerate(ordered):
            for other in itertools.islice(ordered, at + 1, None):
                if other.start >= one.end:
                    break
                both = [tiers[one.of], tiers[other.of]]
                if both[0].person != both[1].person and not (both[0].annotator == both[1].annotator != "" and _are_holders(both)):
                    what = f"'{one.label[:60]}' is on the tiers '{one.of}' and '{other.of}' at once, as if two people had seen it"
                    fix = "export the tiers of one annotator; where there are two of it, number them, such as grasper #1 and grasper #2"
                    document.where.at(other.place).error("annotators-several", what, fix)
                    return


def _entries(root: ElementTree.Element) -> dict[str, list[str]]:
    """Return the values of the entries of controlled vocabularies by their id, the first one first."""
    entries = {one.get("CVE_ID", ""): [value.text or "" for value in one.iter("CVE_VALUE")] for one in root.iter("CV_ENTRY_ML")}
    return {name: values for name, values in entries.items() if name and values}


def _spans_of_tier(document: _Document, tier: _Tier, origin_s: Fraction, entries: Mapping[str, list[str]]) -> Iterator[NamedSpan]:
    for one in tier.annotations:
        times = document.times.get(one.get("ANNOTATION_ID", ""))
        if times is None:
            continue  # which is noted
        at = document.at(tier, one)
        label = (one.findtext("ANNOTATION_VALUE") or "").strip()
        listed = entries.get(one.get("CVE_REF", ""), [])
        if listed and label not in [value.strip() for value in listed]:
            if label:
                what = f"it says '{label[:60]}', but its entry of the controlled vocabulary '{listed[0][:60]}', which counts"
                at.warning("label-of-entry", what)
            label = listed[0].strip()
        if times[1] <= times[0]:
            what = f"it ends at {shown_s(times[1])} s, but starts at {shown_s(times[0])} s"
            at.error("span-order", what, "give the end after the start, or remove the label")
            continue
        start, end = (nanoseconds(at, origin_s + time_s, edge) for time_s, edge in zip(times, ("the start", "the end"), strict=True))
        if start is not None and end is not None:
            yield NamedSpan(tier.name, kind_of(tier.name, tier.type_name), label, start, end, at.place)


@writes(NAME, holds=named_spans.HOLDS, phases_as_spans=True)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>.eaf``: a tier per kind of spans and per instrument, and one more wherever spans overlap."""
    for labels in collection.recordings:
        spans = named_spans.in_milliseconds(labels, out)
        if spans:
            out.files[f"{labels.recording}{SUFFIX}"] = _document_of(labels, spans)


def _document_of(labels: Labels, spans: list[NamedSpan]) -> bytes:
    root = ElementTree.Element(ROOT, {"AUTHOR": "", "DATE": DATE, "FORMAT": "3.0", "VERSION": "3.0"})
    root.set("xmlns:xsi", XSI)
    root.set("xsi:noNamespaceSchemaLocation", SCHEMA)
    header = ElementTree.SubElement(root, "HEADER", {"MEDIA_FILE": "", "TIME_UNITS": "milliseconds"})
    named = json.dumps(own_categories.reference(labels.vocabulary), ensure_ascii=False)
    ElementTree.SubElement(header, "PROPERTY", {"NAME": VOCABULARY}).text = named
    tiers: dict[str, list[NamedSpan]] = defaultdict(list)
    for span, lane in zip(spans, named_spans.in_lanes(spans), strict=True):
        tiers[span.of if lane == 0 else f"{span.of} {lane + 1}"].append(span)
    edges_ms = [math.floor(Fraction(edge, NS) * 1000) for of in tiers.values() for span in of for edge in (span.start, span.end)]
    order = ElementTree.SubElement(root, "TIME_ORDER")
    slot_of = {at: f"ts{number}" for number, at in enumerate(sorted(range(len(edges_ms)), key=lambda at: (edges_ms[at], at)), start=1)}
    for at, slot in slot_of.items():
        ElementTree.SubElement(order, "TIME_SLOT", {"TIME_SLOT_ID": slot, "TIME_VALUE": str(edges_ms[at])})
    number = 0
    for name, of in tiers.items():
        kind = of[0].kind or INSTRUMENT
        tier = ElementTree.SubElement(root, "TIER", {"LINGUISTIC_TYPE_REF": kind, "TIER_ID": name})
        for span in of:
            refs = {f"TIME_SLOT_REF{edge + 1}": slot_of[2 * number + edge] for edge in (0, 1)}
            number += 1
            holder = ElementTree.SubElement(tier, "ANNOTATION")
            one = ElementTree.SubElement(holder, KINDS_ALIGNED, {"ANNOTATION_ID": f"a{number}", **refs})
            ElementTree.SubElement(one, "ANNOTATION_VALUE").text = span.label
    for kind in dict.fromkeys(span.kind or INSTRUMENT for span in spans):
        about = {"GRAPHIC_REFERENCES": "false", "LINGUISTIC_TYPE_ID": kind, "TIME_ALIGNABLE": "true"}
        ElementTree.SubElement(root, "LINGUISTIC_TYPE", about)
    ElementTree.indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode").encode() + b"\n"
