"""Answers to the CVS Challenge: JSON with ``overall_outputs``, a list per second of three probabilities, C1 to C3; read only.

The challenge's example program writes ``cvs-criteria.json`` for a clip of 90 s at one frame per second: frame k of the answer is second k,
which is frame 30 k of the labels. A file of that name is of the video that its folder is called like, any other is called like its video.
Source: SAIIL/CVS_challenge_code of 2025, the example of a submission.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from pathlib import PurePosixPath

import numpy as np

from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import registry
from scrubin.labels.marks import VIEW_OF_SAFETY
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, Layer, mark_rows
from scrubin.labels.parse import documents, fields, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, dataset_format

NAME = "cvschallenge-outputs"
KEY = "overall_outputs"
STEM = "cvs-criteria"


@dataset_format(
    NAME,
    pattern=r"(?:[^/]+/)?[^/]+\.json",
    expected=f"<video>/{STEM}.json, or <video>.json",
    title="answers to the CVS Challenge: probabilities of three criteria per second; read only",
    by_hand=ByHand(vocabulary="endoscapes", fps=Fraction(1), evidence=registry.keys(KEY), holds=("marks",)),
)
def read(source: LabelFiles) -> Collection:
    """Return the probabilities of the videos in files without an error; all faults are in ``Collection.faults``."""
    paths = {file: PurePosixPath(file) for file in source.files}
    names = {file: path.parent.name if path.stem == STEM and path.parent.name else path.stem for file, path in paths.items()}
    return video_files.collection_of(source, names, partial(_labels, source.vocabulary))


def _labels(vocabulary: Vocabulary, where: Where, name: str, data: bytes) -> Labels:
    document = documents.opened(documents.json_object, where.file, data, where.faults)
    every = None if document is None else document.get(KEY)
    if document is not None and not isinstance(every, list):
        where.error("layout", f"'{KEY}' is {documents.shown(every)}", "give a list with the three probabilities of each second")
    rows: list[tuple[int, str, str, float]] = []
    for second, values in enumerate(every if isinstance(every, list) else ()):
        at = where.at_frame(second)
        if not isinstance(values, list) or len(values) != len(VIEW_OF_SAFETY):
            what = f"expected {len(VIEW_OF_SAFETY)} probabilities, but got {documents.shown(values)}"
            at.error("row-length", what, f"give one for each of {', '.join(VIEW_OF_SAFETY)}")
        elif wrong := [one for one in values if not fields.is_number(one) or not 0 <= one <= 1]:
            at.error(
                "score-range", f"{documents.shown(wrong[0])} is no probability", "give numbers in 0..1; apply a sigmoid to logits first"
            )
        else:
            rows += [(second, name, "", float(value)) for name, value in zip(VIEW_OF_SAFETY, values, strict=True)]
    if isinstance(every, list) and not every:
        where.error("no-labels", "has no second", "export it again")
    where.faults.extend(fields.unkept(where.file, [f"'{name}' of the file" for name in document or () if name != KEY]))
    layer = Layer(where.file, np.arange(len(rows) // len(VIEW_OF_SAFETY)), mark_rows(rows))
    return Labels(name, NAME, vocabulary, Clock(Fraction(1)), marks=layer)
