"""CholecTriplet2022 submissions: ``VIDNN.json``, frame to ``recognition`` or ``detection``; read only.

``recognition`` is a probability per triplet; ``[[...]]`` (nested once), frames that are bare lists and frame keys padded with
zeros are what public sample code writes, and are deviations. ``detection`` is a list of
``{"triplet": id, "instrument": [id, probability, x, y, w, h]}``. `scrubin submission check` and `rank` read the same files by
the same `parse`, and add what only a ground truth can tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import registry
from scrubin.labels.formats.submission import documents
from scrubin.labels.formats.submission.content import KEYS, Content, parse
from scrubin.labels.formats.submission.detections import TOLERANCE, Boxes
from scrubin.labels.model import (
    BOX,
    INSTANCE_COLUMNS,
    INSTANCE_DTYPES,
    Clock,
    Collection,
    LabelFiles,
    Labels,
    Layer,
    Recognition,
    instance_rows,
)
from scrubin.labels.parse import fields
from scrubin.labels.registry import ByHand, dataset_format


def _has_predictions(path: Path) -> bool:
    document = registry.document(path)
    if not isinstance(document, Mapping):
        return False
    frames = [value for key, value in document.items() if documents.number(key) is not None]
    return any(isinstance(one, Mapping) and set(KEYS) & set(one) for one in frames) or (bool(frames) and all(map(_is_bare, frames)))


def _is_bare(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(fields.is_number, value))


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
        Names file, frames and values of every fault.
    """
    faults = Faults()
    recordings: list[Labels] = []
    files: dict[str, str] = {}
    for file, data in sorted(source.files.items()):
        video = PurePosixPath(file).stem
        if files.setdefault(video, file) != file:
            faults.error(file, "video-repeated", f"the video is also in {files[video]}", "keep one of them")
            continue
        own = Faults()
        # Whatever tolerance predictions have elsewhere: a submission is held to the layout of the challenge by every command.
        content = parse(file, data, source.vocabulary, own, min(source.box_tolerance, TOLERANCE), source.tasks)
        faults.extend(own.all())
        if content is not None:
            recordings.append(replace(labels_of(file, content, source.vocabulary), faults=own.all()))
    AnnotationError.raise_any(faults)
    return Collection(tuple(sorted(recordings, key=lambda labels: labels.recording)))


def labels_of(file: str, content: Content, vocabulary: Vocabulary) -> Labels:
    """Return what a submission says of one video as labels: every frame is labelled, also as "nothing detected"."""
    recognition = None if content.recognition is None else Recognition(file, content.frames, content.recognition)
    rows = instance_rows([]) if content.boxes is None else _instances(content.boxes, vocabulary)
    return Labels(
        recording=PurePosixPath(file).stem,
        format="cholectriplet2022",
        vocabulary=vocabulary,
        clock=Clock(Fraction(1)),
        instances=Layer(file, content.frames, rows),
        recognition=recognition,
    )


def _instances(boxes: Boxes, vocabulary: Vocabulary) -> pd.DataFrame:
    parts = np.array(vocabulary.triplets, np.int64).reshape(-1, 3)[boxes.triplets]
    columns = {
        "position": boxes.frames,
        "instrument_id": boxes.instruments,
        "verb_id": parts[:, 1],
        "target_id": parts[:, 2],
        "triplet_id": boxes.triplets,
        **dict(zip(BOX, boxes.boxes_xywh.T, strict=True)),
        "score": boxes.scores,
    }
    return pd.DataFrame(columns)[list(INSTANCE_COLUMNS)].astype(INSTANCE_DTYPES)
