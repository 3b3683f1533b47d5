"""VIA 3: a project, ``<name>.json``, or its export as CSV: segments of time of videos, labelled by attributes, in seconds.

A file of the project is a recording, by its name without the ending; two files of one name are refused, unless they are of one address, as
one that was added twice, and do not contradict each other: what both say alike counts once. ``named_spans`` says what an
attribute has, by its name. A segment has a label of each of its attributes: an option by its id, several with commas for a list of boxes to
tick, else what was typed. Regions, single instants and labels of a whole file are not kept, which is said. Views of several files at once
are refused. Written projects name their vocabulary under ``config``; the video is ``<recording>.mp4``. Written is the project, not the CSV.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from scrubin.base.faults import Faults
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import registry
from scrubin.labels.formats.programs import named_spans
from scrubin.labels.formats.programs.named_spans import INSTRUMENT, NamedSpan, kind_of, written_s
from scrubin.labels.model import Collection, LabelFiles
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

NAME = "via3"
FILE = "via_project.json"
VOCABULARY = "scrubin_vocabulary"
SEGMENT = "FILE1_Z2_XY0"
"""What VIA calls an attribute of segments of time."""
CHECKBOX, SELECT, VIDEO, LOCAL = 2, 4, 4, 1
CSV_HEADER = "metadata_id,file_list,flags,temporal_coordinates,spatial_coordinates,metadata"
SAID_BY_CSV = {"# ATTRIBUTE = ", "# ATTRIBUTES = "}
_Project = Mapping[str, Any]


def _document(file: str, data: bytes) -> _Project:
    """Return a project; that of a CSV is made of its lines."""
    if not file.lower().endswith(".csv"):
        return documents.json_object(file, data)
    metadata: dict[str, Any] = {}
    files: dict[str, dict[str, Any]] = {}
    attribute: Any = {}
    lines = documents.text(file, data).splitlines()
    for line in lines:
        said = next((mark for mark in SAID_BY_CSV if line.startswith(mark)), None)
        attribute = attribute if said is None else documents.json_value(file, line[len(said) :].encode())
    if isinstance(attribute, Mapping):
        # An older edition has the names alone.
        attribute = {key: {"aname": one} if isinstance(one, str) else one for key, one in attribute.items()}
    rows = csv.reader(io.StringIO("\n".join(line for line in lines if line and not line.startswith("#"))))
    for number, row in enumerate(rows):
        cells = [_cell(file, cell) for cell in row]
        name, listed, _, z, xy, av = cells if len(cells) == len(CSV_HEADER.split(",")) else (f"row {number}", *[None] * 5)
        view = files.setdefault(json.dumps(listed), {"fid_list": listed if isinstance(listed, list) else None})
        key = str(name) if str(name) not in metadata else f"{name}, again in row {number}"
        metadata[key] = {"vid": json.dumps(listed), "z": z, "xy": xy, "av": av, "view": view}
    names = {fid for view in files.values() for fid in view["fid_list"] or () if isinstance(fid, str)}
    return {"attribute": attribute, "file": {name: {"fname": name} for name in names}, "metadata": metadata, "view": files}


def _cell(file: str, cell: str) -> Any:
    return documents.json_value(file, cell.encode()) if cell[:1] in ("[", "{") else cell


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the vocabulary that the first project names; else the one that has the labels of attributes which say what they have."""
    spans: list[NamedSpan] = []
    for file, data in sorted(files.items()):
        document = documents.opened(_document, file, data, Faults()) or {}
        config = document.get("config")
        named = config.get(VOCABULARY) if isinstance(config, Mapping) else None
        if named is not None:
            return own_categories.of_reference(file, named)
        spans += [span for of in _spans(Where(Faults(), file), document, {}).values() for span in of]
    return named_spans.vocabulary_of(min(files), spans)


def _is_project(path: Path) -> bool:
    if path.suffix.lower() == ".csv":
        return CSV_HEADER in registry.head(path)
    return registry.keys(attribute=dict, metadata=dict, view=dict)(path)


@dataset_format(
    NAME,
    pattern=r"[^/]+\.(?:json|csv)",
    expected="<name>.json, or its export <name>.csv",
    title="VIA 3: segments of time with attributes in seconds; a project of several videos",
    by_hand=ByHand(vocabulary=named_spans.PREFERRED, vocabulary_of=vocabulary_of, evidence=_is_project),
)
def read(source: LabelFiles) -> Collection:
    """Return the segments of the videos, none of a file with an error; all faults are in ``Collection.faults``."""
    faults, found, places = Faults(), dict[str, list[NamedSpan]](), dict[str, Where]()
    for file, data in sorted(source.files.items()):
        of_file = Faults()
        document = documents.opened(_document, file, data, of_file)
        spans = {} if document is None else _spans(Where(of_file, file), document, source.files)
        if not spans and not of_file.errors():
            Where(of_file, file).error("no-labels", "no video has a segment with a label", "label something, or save the project again")
        for name, of in spans.items():
            if name in found:
                Where(of_file, file).error("file-repeated", f"{name} is also in {places[name].file}", "convert the projects one by one")
            elif not of_file.errors():
                found[name], places[name] = of, Where(faults, file)
        faults.extend(of_file.all())
    recordings = []
    for name, of in sorted(found.items()):
        of_one = Faults()
        labels = named_spans.labels_of(Where(of_one, places[name].file), NAME, name, source.vocabulary, of, "attribute")
        recordings += [] if of_one.errors() else [labels]
        faults.extend(of_one.all())
    return Collection(tuple(recordings), faults=faults.all())


def _spans(where: Where, document: _Project, files: Mapping[str, bytes]) -> dict[str, list[NamedSpan]]:
    """Return the labels of segments by recording; what is wrong or not kept is noted."""
    parts = {key: document.get(key) for key in ("attribute", "file", "metadata", "view")}
    for key, part in parts.items():
        if not isinstance(part, Mapping):
            where.at(key).error("value-type", f"it is {documents.shown(part)}, expected an object", "save the project again")
    if where.faults.errors():
        return {}
    found: dict[str, list[NamedSpan]] = defaultdict(list)
    of_file: dict[str, list[tuple[str, NamedSpan]]] = defaultdict(list)
    file_of, repeated = dict[str, str](), dict[str, list[str]]()
    unkept: Counter[str] = Counter()
    said, kept = Counter[tuple[str, str, NamedSpan]](), Counter[tuple[str, NamedSpan]]()
    for name, one in (parts["metadata"] or {}).items():
        at = where.at(f"metadata {name}")
        if not isinstance(one, Mapping) or not isinstance(one.get("z"), list) or not isinstance(one.get("av"), Mapping):
            at.error("value-type", f"it is {documents.shown(one)}, expected an object with vid, z, xy and av", "save the project again")
            continue
        if one.get("xy") or len(one["z"]) != 2:
            unkept["regions" if one.get("xy") else "labels of a file" if not one["z"] else "instants"] += 1
            continue
        fid = _file(at, one, parts["view"] or {})
        edges = named_spans.edges_of(at, dict(zip(("the start", "the end"), one["z"], strict=True)), "segment")
        recording = None if fid is None else _recording(at, fid, parts["file"] or {})
        if fid is None or recording is None or edges is None:
            continue
        first = file_of.setdefault(recording, fid)
        if first != fid and not _is_same(parts["file"] or {}, first, fid):
            repeated.setdefault(recording, [first])
            repeated[recording] += [fid] * (fid not in repeated[recording])
        for attribute, value in one["av"].items():
            labels = _labels(at, (parts["attribute"] or {}).get(attribute), attribute, value)
            spans = [NamedSpan(of, kind_of(of), label, *edges, place=at.place) for of, label in labels]
            for span in spans:
                # A file that was added twice says again what the first one did; what one says twice is two.
                alike = replace(span, place="")
                said[fid, recording, alike] += 1
                if said[fid, recording, alike] > kept[recording, alike]:
                    kept[recording, alike] += 1
                    found[recording].append(span)
            of_file[recording] += [(fid, span) for span in spans if span.kind != INSTRUMENT]
    for recording, fids in repeated.items():
        what = f"files {', '.join(repr(fid[:60]) for fid in fids)} are several videos of the name '{recording}'"
        where.error("file-repeated", what, "give each video a name of its own, also in the project, or export a project of each")
    for recording in sorted(found.keys() - repeated.keys()):
        _refuse_contradictions(where, recording, of_file[recording])
    where.faults.extend(fields.unkept(where.file, [f"{what} ({count})" for what, count in unkept.items()]))
    return dict(found)


def _refuse_contradictions(where: Where, recording: str, spans: list[tuple[str, NamedSpan]]) -> None:
    """Note where two files that are one video have other labels of one attribute at once, as those of two people."""
    ordered = sorted(spans, key=lambda one: (one[1].of, one[1].start))
    # Of a checkbox several hold at once.
    labels = defaultdict[tuple[str, str, int, int], set[str]](set)
    for fid, one in ordered:
        labels[fid, one.of, one.start, one.end].add(one.label)
    for number, (fid, one) in enumerate(ordered):
        for other_fid, other in itertools.islice(ordered, number + 1, None):
            if other.of != one.of or other.start >= one.end:
                break
            said, otherwise = labels[fid, one.of, one.start, one.end], labels[other_fid, other.of, other.start, other.end]
            if other_fid != fid and said != otherwise:
                both = f"files '{fid[:60]}' and '{other_fid[:60]}' are both '{recording}'"
                shown = [", ".join(label[:60] for label in sorted(ticked)) for ticked in (said, otherwise)]
                what = f"{both}, and say '{shown[0]}' and '{shown[1]}' at once"
                where.at(other.place).error("file-repeated", what, "keep the labels of one of them, or what was settled")
                return


def _file(at: Where, one: Mapping[str, Any], views: Mapping[str, Any]) -> str | None:
    """Return the id of the file of a segment."""
    vid = one.get("vid")
    view = views.get(vid) if isinstance(vid, str) else None
    listed = view.get("fid_list") if isinstance(view, Mapping) else None
    if not isinstance(listed, list) or len(listed) != 1 or not isinstance(listed[0], str):
        at.error("view", f"view {documents.shown(vid)} shows {documents.shown(listed)}, expected one file", "give each file a view")
        return None
    return listed[0]


def _is_same(files: Mapping[str, Any], one: str, other: str) -> bool:
    """Return whether two files are one that was added twice; a local one has no address, and its name may be that of another folder."""
    src = files[one].get("src")
    return bool(src) and src == files[other].get("src")


def _recording(at: Where, fid: str, files: Mapping[str, Any]) -> str | None:
    """Return the name of a file."""
    of = files.get(fid)
    name = of.get("fname") or of.get("src") if isinstance(of, Mapping) else None
    stem = PurePosixPath(unquote(name).replace("\\", "/")).stem if isinstance(name, str) else ""
    if not stem:
        at.error("id-unknown", f"file '{fid[:60]}' has no name", "save the project again")
    return stem or None


def _labels(at: Where, attribute: Any, name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the attribute's name and each label that a segment has of it."""
    if not isinstance(attribute, Mapping) or not isinstance(attribute.get("aname"), str) or not isinstance(value, str):
        what = f"attribute '{name[:40]}' is {documents.shown(value)}, expected a text for an attribute of the project"
        at.error("id-unknown", what, "save the project again")
        return
    options = attribute.get("options")
    options = {key: one for key, one in options.items() if isinstance(one, str)} if isinstance(options, Mapping) else {}
    several = attribute.get("type") == CHECKBOX and options and value not in options
    for one in [part for part in value.split(",") if part] if several else [value]:
        if not options or one in options or one in options.values() or not one:
            yield attribute["aname"], options.get(one, one)
        elif attribute.get("type") in (CHECKBOX, SELECT, SELECT - 1):
            at.error("id-unknown", f"'{one[:60]}' is no option of '{attribute['aname'][:40]}'", "choose one of its options")
        else:
            yield attribute["aname"], one


@writes(NAME, holds=named_spans.HOLDS, phases_as_spans=True)
def write(collection: Collection, out: Output) -> None:
    """Write ``via_project.json``: a file and a view per recording; raises `AnnotationError` where recordings have several vocabularies."""
    spans = {labels.recording: of for labels in collection.recordings if (of := named_spans.spans_of(labels, out))}
    if not spans:
        return
    kinds = list(dict.fromkeys(span.kind or INSTRUMENT for of in spans.values() for span in of))
    labels_of = {kind: list(dict.fromkeys(span.label for of in spans.values() for span in of if span.kind == kind)) for kind in kinds}
    vids = {name: str(number) for number, name in enumerate(spans, start=1)}
    metadata: dict[str, Any] = {}
    for name, of in spans.items():
        for number, span in enumerate(of, start=1):
            kind = span.kind or INSTRUMENT
            av = {str(kinds.index(kind) + 1): str(labels_of[kind].index(span.label) + 1)}
            z = [written_s(span.start), written_s(span.end)]
            metadata[f"{vids[name]}_{number:08d}"] = {"vid": vids[name], "flg": 0, "z": z, "xy": [], "av": av}
    vocabulary = own_categories.reference(named_spans.shared_vocabulary(collection.recordings, NAME))
    document = {
        "project": {
            "pid": "__VIA_PROJECT_ID__",
            "rev": "__VIA_PROJECT_REV_ID__",
            "rev_timestamp": "__VIA_PROJECT_REV_TIMESTAMP__",
            "pname": "",
            "creator": "",
            "created": 0,
            "vid_list": list(vids.values()),
        },
        "config": {"file": {"loc_prefix": {str(loc): "" for loc in range(1, 5)}}, VOCABULARY: vocabulary},
        "attribute": {str(i): _attribute(kind, labels_of[kind]) for i, kind in enumerate(kinds, start=1)},
        "file": {vid: {"fid": vid, "fname": f"{name}.mp4", "type": VIDEO, "loc": LOCAL, "src": ""} for name, vid in vids.items()},
        "metadata": metadata,
        "view": {vid: {"fid_list": [vid]} for vid in vids.values()},
    }
    out.files[FILE] = (json.dumps(document, ensure_ascii=False) + "\n").encode()


def _attribute(name: str, labels: Sequence[str]) -> dict[str, Any]:
    options = {str(i): label for i, label in enumerate(labels, start=1)}
    return {"aname": name, "anchor_id": SEGMENT, "type": SELECT, "desc": "", "options": options, "default_option_id": ""}
