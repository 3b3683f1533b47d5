"""CholecTrack20 JSON: one file per video; annotations by 25 fps frame, one object per tool.

A tool has ``instrument``, ``verb``, ``target``, ``triplet`` and ``phase`` (-1 is null, -2 occurs and is
null too), ``tool_bbox`` as top-left corner and size in 0..1, ``operator``, three track ids and flags of
visibility. What our tables do not have is a detail of the instance and written back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from scrubin.core.faults import Fault, Faults
from scrubin.errors import AnnotationError
from scrubin.labels import documents, evidence, fields
from scrubin.labels.model import BOX, SOURCE_FRAMES, Collection, LabelFiles, Labels, Layer, by_position, detailed_rows, phase_of, phase_rows
from scrubin.labels.registry import ByHand, Output, dataset_format, writes
from scrubin.vocabulary import own
from scrubin.vocabulary.vocabulary import Vocabulary

NULLS = (-1, -2)
IDS = ("instrument", "verb", "target", "triplet")
TRACKS = ("visibility_track", "intracorporeal_track", "intraoperative_track")
FLAGS = ("visibility", "crowded", "visible", "occluded", "bleeding", "smoke", "blurred", "undercoverage", "reflection", "stainedlens")
WHOLE = ("operator", *TRACKS, *FLAGS, "iscrowd")
DETAILS = {**dict.fromkeys(WHOLE, "Int64"), "area": "float64", **{f"raw_{kind}": "Int64" for kind in (*IDS, "phase")}}
SHARES = ("area", "score")
KNOWN = {*IDS, *DETAILS, "phase", "tool_bbox", "score"}


@dataset_format(
    "cholectrack20",
    pattern=r"[^/]+\.json",
    expected="<video>.json with annotations by frame",
    title="CholecTrack20 JSON: boxes, tracks, operators, triplets; a file per video, frames at 25 fps",
    by_hand=ByHand(vocabulary="cholectrack20", fps=Fraction(25), evidence=evidence.objects_by_frame),
)
def read(source: LabelFiles) -> Collection:
    """Return the labels of all videos.

    Raises
    ------
    AnnotationError
        Names file, frame and value of every fault.
    """
    faults = Faults()
    found: dict[str, Labels] = {}
    for file, data in sorted(source.files.items()):
        recording = PurePosixPath(file).stem
        if recording in found:
            faults.error(file, "format", f"{recording} has two files", "keep one of them")
            continue
        try:
            found[recording] = _read_one(recording, file, documents.json_object(file, data), source, faults)
        except AnnotationError as error:
            faults.extend(error.faults)
    AnnotationError.raise_any(faults)
    return Collection(tuple(labels for _, labels in sorted(found.items())))


def _read_one(recording: str, file: str, document: Mapping[str, Any], source: LabelFiles, faults: Faults) -> Labels:
    annotations = document.get("annotations")
    if not isinstance(annotations, Mapping):
        raise AnnotationError(
            [Fault(file, "format", "expected an object, frame to list of tools", "export the file again", place="annotations")]
        )
    rows: list[dict[str, Any]] = []
    phases: dict[int, int] = {}
    positions: set[int] = set()
    unknown: set[str] = set()
    for key, tools in annotations.items():
        if documents.frame_number(key) is None:
            faults.error(file, "format", "the key is no frame number", "keys are whole numbers from 0", place=f"frame '{key}'")
            continue
        frame = int(key)
        if not isinstance(tools, list) or frame in positions:
            fault = "the frame stands twice" if frame in positions else f"expected a list of tools, but got {documents.shown(tools)}"
            faults.error(file, "format", fault, "give one list per frame, [] for none", place=f"frame {key}")
            continue
        positions.add(frame)
        for i, tool in enumerate(tools):
            if not isinstance(tool, Mapping):
                faults.error(
                    file,
                    "format",
                    f"expected an object, but got {documents.shown(tool)}",
                    "export the file again",
                    place=f"frame {key}, tool {i}",
                )
                continue
            unknown |= set(tool) - KNOWN
            row = _tool(file, f"frame {key}, tool {i}", tool, source, faults)
            if row is not None:
                phase = row.pop("phase")
                _note_phase(file, frame, phase, phases, faults)
                rows.append({"position": frame, **row})
    at = sorted(phases)
    layer = Layer(file, np.array(sorted(positions), np.int64), detailed_rows(sorted(rows, key=lambda row: int(row["position"])), DETAILS))
    return Labels(
        recording,
        "cholectrack20",
        source.vocabulary,
        SOURCE_FRAMES,
        Layer(file, np.array(at, np.int64), phase_rows(at, [phases[frame] for frame in at])) if at else None,
        layer,
        faults=fields.unkept(file, unknown),
        frames=_sizes(document.get("video"), sorted(positions)),
        about={"cholectrack20": {key: value for key, value in document.items() if key != "annotations"}},
    )


def _sizes(video: Any, positions: list[int]) -> pd.DataFrame | None:
    sides = [video.get(name) for name in ("width", "height")] if isinstance(video, Mapping) else []
    known = [side for side in sides if isinstance(side, int) and fields.is_whole(side) and 0 < side < fields.LARGEST]
    return pd.DataFrame({"position": positions, "width": known[0], "height": known[1]}) if len(known) == 2 else None


def _note_phase(file: str, frame: int, phase: int | None, phases: dict[int, int], faults: Faults) -> None:
    if phase is not None and phases.setdefault(frame, phase) != phase:
        faults.error(
            file, "format", f"its tools have the phases {phases[frame]} and {phase}", "a frame has one phase", place=f"frame {frame}"
        )


def _tool(file: str, place: str, tool: Mapping[str, Any], source: LabelFiles, faults: Faults) -> dict[str, Any] | None:
    before, words = len(faults), source.vocabulary
    sizes = {
        "instrument": len(words.instruments),
        "verb": len(words.verbs),
        "target": len(words.targets),
        "triplet": len(words.triplets),
        "phase": len(words.phases),
    }
    ids: dict[str, int | None] = {}
    row: dict[str, Any] = {}
    for kind, size in sizes.items():
        value = tool.get(kind, -1) if kind != "instrument" else tool.get(kind)
        if fields.is_whole(value) and value in NULLS:
            ids[kind] = None
            row[f"raw_{kind}"] = value if value != -1 else None
        else:
            ids[kind] = fields.whole(file, place, {kind: value}, kind, faults, high=size - 1)
    row |= _parts(file, place, ids, words, faults)
    box = tool.get("tool_bbox")
    if box is not None and list(box if isinstance(box, list) else [0]) != [-1] * 4:
        shares = fields.share_box(file, place, box, source.box_tolerance, cut=source.cut_boxes, faults=faults)
        row |= {} if shares is None else dict(zip(BOX, shares, strict=True))
    for key in (*WHOLE, "area", "score"):
        value = tool.get(key)
        if value is not None and not (fields.is_number(value) if key in SHARES else fields.is_whole(value)):
            faults.error(
                file,
                "format",
                f"'{key}' is {documents.shown(value)}, expected a {'' if key in SHARES else 'whole '}number",
                "export it again",
                place=place,
            )
        row[key] = None if key == "score" and value == -1 else value
    if row["score"] is not None and fields.is_number(row["score"]) and not 0 <= row["score"] <= 1:
        faults.error(file, "format", f"score {row['score']} is not in 0..1", "ground truth has 1", place=place)
    return {**row, "phase": ids["phase"]} if len(faults) == before else None


def _parts(file: str, place: str, ids: Mapping[str, int | None], words: Vocabulary, faults: Faults) -> dict[str, int | None]:
    triplet, parts = ids["triplet"], [ids["instrument"], ids["verb"], ids["target"]]
    row: dict[str, int | None] = {}
    if triplet is not None:
        wanted = words.triplets[triplet]
        if any(got is not None and got != want for got, want in zip(parts, wanted, strict=True)):
            fault = f"triplet {triplet} is {words.triplet_name(triplet)}, ids {wanted}, but the tool has {tuple(parts)}"
            faults.error(file, "format", fault, fields.shift_mend(words.triplets, triplet - 1, parts), place=place)
        parts = list(wanted)
    elif all(part is not None for part in parts):
        triplet = words.triplet_id(*(part or 0 for part in parts))
        if triplet is not None:
            row["raw_triplet"] = -1  # ours names it, so that ids and names agree; the file did not
    return {**row, "instrument_id": parts[0], "verb_id": parts[1], "target_id": parts[2], "triplet_id": triplet}


@writes(
    "cholectrack20",
    holds=(
        "phases",
        "instances",
        "actions",
        "boxes",
        "boxless",
        "partial",
        "repeats",
        "scores",
        "details",
        "empty frames",
    ),
    fps=Fraction(25),
    vocabulary="cholectrack20",
    takes=lambda words: False,
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>.json`` per recording, as Python's ``json`` spells it; a phase needs a tool in its frame."""
    for labels in collection.recordings:
        phases, instances = phase_of(labels.phases), by_position(labels.instances)
        if labels.instances is None:
            out.lose("phases of recordings without tools", len(phases))
            continue
        out.lose("phases of frames without a tool", len([frame for frame in phases if not instances.get(frame)]))
        annotations = {str(frame): [_object(row, phases.get(frame)) for row in instances[frame]] for frame in sorted(instances)}
        about = dict(labels.about.get("cholectrack20", {})) or _about(labels, len(annotations))
        out.files[f"{labels.recording}.json"] = json.dumps({**about, "annotations": annotations}, allow_nan=False).encode()


def _about(labels: Labels, n_frames: int) -> dict[str, Any]:
    lists = own.as_categories(labels.vocabulary)
    keys = {"instrument": "tools", "verb": "verbs", "target": "targets", "triplet": "triplets", "phase": "phases"}
    categories = {key: [{"id": i, "name": name} for i, name in enumerate(lists.get(kind, []))] for kind, key in keys.items()}
    size = {} if labels.frames is None or not len(labels.frames) else labels.frames.iloc[0][["width", "height"]].astype(int).to_dict()
    return {"video": {"name": labels.recording, "num_frames": n_frames, **size}, "categories": categories}


def _object(row: Mapping[str, Any], phase: int | None) -> dict[str, Any]:
    ids = {kind: row[f"{kind}_id"] for kind in IDS} | {"phase": phase}
    for kind in ids:
        raw = row.get(f"raw_{kind}")
        ids[kind] = raw if raw is not None else (-1 if ids[kind] is None else ids[kind])
    box = [-1.0] * 4 if row["x"] is None else [row[side] for side in BOX]
    details = {key: row[key] for key in (*WHOLE, "area") if row.get(key) is not None}
    score = {} if row["score"] is None else {"score": row["score"]}
    return {**ids, "tool_bbox": box, **score, **details}
