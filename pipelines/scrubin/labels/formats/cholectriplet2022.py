"""CholecTriplet2022 submissions: ``VIDNN.json``, frame to ``recognition`` and ``detection``; read only.

``recognition`` is a probability per triplet; ``[[...]]`` (nested once) and frame keys padded with
zeros are what public sample code writes and are accepted with a warning. ``detection`` is a list of
``{"triplet": id, "instrument": [id, probability, x, y, w, h]}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from scrubin.core.faults import Faults, warning
from scrubin.errors import AnnotationError
from scrubin.labels import documents, evidence, fields
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, Layer, Recognition, instance_rows
from scrubin.labels.registry import ByHand, dataset_format
from scrubin.vocabulary.vocabulary import Vocabulary

KEYS = {"recognition", "detection"}


FEW = 10
"""So many detections fit the wrong numbering by chance."""


@dataclass
class _Reading:
    """One file so far."""

    file: str
    source: LabelFiles
    faults: Faults
    scores: dict[int, list[float] | None] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    nested: int = 0
    padded: int = 0
    apart: list[str] = field(default_factory=list)
    triplet_from_one: int = 0
    both_from_one: int = 0
    unkept: set[str] = field(default_factory=set)

    @property
    def words(self) -> Vocabulary:
        return self.source.vocabulary


def _has_predictions(path: Path) -> bool:
    document = evidence.document(path)
    if not isinstance(document, Mapping) or not document:
        return False
    frames = [value for key, value in document.items() if documents.frame_number(key) is not None]
    return bool(frames) and all(isinstance(value, Mapping) and {"recognition", "detection"} & set(value) for value in frames)


@dataset_format(
    "cholectriplet2022",
    pattern=r"[^/]+\.json",
    expected="<video>.json, frame to recognition and detection",
    title="CholecTriplet2022 submission: probabilities and boxes of triplets; read only",
    by_hand=ByHand(
        vocabulary="cholect50",
        fps=Fraction(1),
        fps_unstated=True,
        evidence=_has_predictions,
        holds=("instances", "boxes", "scores", "recognition"),
    ),
)
def read(source: LabelFiles) -> Collection:
    """Return the predictions of all videos.

    Raises
    ------
    AnnotationError
        Names file, frame and value of every fault.
    """
    faults = Faults()
    found = []
    files: dict[str, str] = {}
    for file, data in sorted(source.files.items()):
        if files.setdefault(PurePosixPath(file).stem, file) != file:
            faults.error(file, "format", f"the video is also in {files[PurePosixPath(file).stem]}", "keep one of them")
            continue
        document = documents.opened(documents.json_object, file, data, faults)
        if document is None:
            continue
        reading = _Reading(file, source, faults)
        if not document:
            faults.error(file, "format", "has no frames", "predict every frame of the video")
        for key, value in document.items():
            _read_frame(reading, key, value)
        _check_numbering(reading)
        found.append(_labels(reading))
    AnnotationError.raise_any(faults)
    return Collection(tuple(sorted(found, key=lambda labels: labels.recording)))


def _read_frame(reading: _Reading, key: str, value: Any) -> None:
    if documents.frame_number(key) is None:
        reading.faults.error(reading.file, "format", "the key is no frame number", "keys are whole numbers from 0", place=f"frame '{key}'")
        return
    frame = int(key)
    reading.padded += str(frame) != key
    if frame in reading.scores or not isinstance(value, Mapping):
        fault = "the frame stands twice" if frame in reading.scores else f"expected an object, but got {documents.shown(value)}"
        reading.faults.error(reading.file, "format", fault, "give recognition and detection once per frame", place=f"frame {key}")
        return
    if not KEYS & value.keys():
        reading.faults.error(
            reading.file, "format", f"it has neither recognition nor detection, only {sorted(value)[:5]}", "give one", place=f"frame {key}"
        )
        return
    reading.unkept |= {f"'{name}' of frames" for name in value.keys() - KEYS}
    reading.scores[frame] = _recognition(reading, frame, value["recognition"]) if "recognition" in value else None
    detection = value.get("detection", [])
    if not isinstance(detection, list):
        reading.faults.error(
            reading.file, "format", f"'detection' is {documents.shown(detection)}", "write [] for none", place=f"frame {key}"
        )
        return
    for i, one in enumerate(detection):
        _detection(reading, frame, f"frame {key}, detection {i}", one)


def _recognition(reading: _Reading, frame: int, value: Any) -> list[float] | None:
    wanted = len(reading.words.triplets)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        reading.nested += 1
        value = value[0]
    place = f"frame {frame}, recognition"
    if not isinstance(value, list) or len(value) != wanted:
        got = f"{len(value)} values" if isinstance(value, list) else documents.shown(value)
        reading.faults.error(reading.file, "format", f"{got}, expected {wanted} probabilities", "give one per triplet", place=place)
        return None
    for i, one in enumerate(value):
        if not fields.is_number(one) or not 0 <= one <= 1:
            reading.faults.error(
                reading.file, "format", f"triplet {i} is {documents.shown(one)}", "probabilities are numbers in 0..1", place=place
            )
            return None
    return [float(one) for one in value]


def _detection(reading: _Reading, frame: int, place: str, one: Any) -> None:
    tool = one.get("instrument") if isinstance(one, Mapping) else None
    if not isinstance(tool, list) or len(tool) != 6:
        fault = f"expected triplet and instrument [id, probability, x, y, w, h], but got {documents.shown(one)}"
        reading.faults.error(reading.file, "format", fault, "give all six", place=place)
        return
    words, faults = reading.words, reading.faults
    triplet = fields.whole(reading.file, place, one, "triplet", faults, high=len(words.triplets) - 1)
    instrument = fields.whole(reading.file, place, {"instrument": tool[0]}, "instrument", faults, high=len(words.instruments) - 1)
    source = reading.source
    box = fields.share_box(reading.file, place, tool[2:], source.box_tolerance, cut=source.cut_boxes, faults=faults)
    if not fields.is_number(tool[1]) or not 0 <= tool[1] <= 1:
        faults.error(reading.file, "format", f"probability {documents.shown(tool[1])} is not in 0..1", "correct it", place=place)
        return
    if triplet is None or instrument is None or box is None:
        return
    wanted, verb, target = words.triplets[triplet]
    before = words.triplets[triplet - 1][0] if triplet else None
    reading.triplet_from_one += before == instrument
    reading.both_from_one += before == instrument - 1
    if instrument != wanted:
        # A model may predict them apart; ivtmetrics counts each by itself.
        reading.apart.append(f"{place}: {triplet} is {words.triplet_name(triplet)}, but the instrument is {instrument}")
    ids = {"instrument_id": instrument, "verb_id": verb, "target_id": target, "triplet_id": triplet}
    reading.rows.append({"position": frame, **ids, **dict(zip("xywh", box, strict=True)), "score": float(tool[1])})


def _check_numbering(reading: _Reading) -> None:
    """Refuse triplets that disagree with their instruments, where all of them would agree if they were numbered from 1."""
    count = len(reading.rows)
    if reading.apart and (reading.triplet_from_one == count or reading.both_from_one == count >= FEW):
        fault = f"{len(reading.apart)} of {len(reading.rows)} detections have another instrument than their triplet ({reading.apart[0]})"
        reading.faults.error(reading.file, "format", fault, "the ids may be numbered from 1 instead of 0: subtract 1")


def _labels(reading: _Reading) -> Labels:
    positions = np.array(sorted(reading.scores), np.int64)
    n = len(reading.words.triplets)
    empty = [float("nan")] * n
    matrix = np.array([reading.scores[frame] or empty for frame in positions.tolist()], np.float64).reshape(len(positions), n)
    warnings = [warning(reading.file, "nested", f"{reading.nested} frames have their probabilities nested once")] * bool(reading.nested)
    warnings += [warning(reading.file, "key-padded", f"{reading.padded} frame keys are padded with zeros")] * bool(reading.padded)
    warnings += [
        warning(
            reading.file,
            "instrument-of-triplet",
            f"{len(reading.apart)} of {len(reading.rows)} detections have another instrument than their triplet ({one})",
        )
        for one in reading.apart[:1]
    ]
    rows = instance_rows(sorted(reading.rows, key=lambda row: int(row["position"])))
    return Labels(
        recording=PurePosixPath(reading.file).stem,
        format="cholectriplet2022",
        vocabulary=reading.words,
        clock=Clock(Fraction(1)),
        instances=Layer(reading.file, positions, rows),
        faults=(*warnings, *fields.unkept(reading.file, reading.unkept)),
        recognition=None if bool(np.isnan(matrix).all()) else Recognition(reading.file, positions, matrix),
    )
