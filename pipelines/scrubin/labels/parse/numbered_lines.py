"""Lines of whole numbers, separated by one character, without a header: a frame with the id of its class."""

from __future__ import annotations

import numpy as np

from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.model import Layer, phase_rows
from scrubin.labels.parse import documents
from scrubin.labels.parse.fields import Where

Pair = tuple[int, int, int]  # line number from 1, frame, id


def pairs(where: Where, data: bytes, example: str) -> list[Pair]:
    """Return the frame and the id in each line, frames increasing; lines that are none are noted.

    Parameters
    ----------
    where
        Of the file.
    example
        A line as it should be, for messages.
    """
    text = documents.opened(documents.text, where.file, data, where.faults)
    if text is None:
        return []
    found: list[Pair] = []
    for number, line in enumerate(text.splitlines(), start=1):
        cells, at = [cell.strip() for cell in line.split(",")], where.at(f"line {number}")
        if cells == [""]:
            continue
        values = [documents.frame_number(cell) for cell in cells]
        if len(values) != 2 or values[0] is None or values[1] is None:
            at.error("row-length", f"{documents.shown(line.strip()[:60])} is no frame with an id", f"write lines such as {example}")
        elif found and values[0] <= found[-1][1]:
            at.error("frame-order", "the frame does not follow the one before", "sort the rows by frame, each once")
        else:
            found.append((number, values[0], values[1]))
    if not found and not where.faults.errors():
        where.error("no-labels", "has no rows", "remove the file, or export it again")
    return found


def phase_layer(where: Where, data: bytes, vocabulary: Vocabulary, example: str, *, every_frame: bool) -> Layer:
    """Return the lines as phases; an id that the vocabulary does not have is noted with its line.

    Parameters
    ----------
    every_frame
        As of `Layer`: whether each frame of the video should have a line.
    """
    rows = pairs(where, data, example)
    for number, _, id_ in rows:
        if id_ >= len(vocabulary.phases):
            fix = "are they numbered from 1? Ids are from 0" if id_ == len(vocabulary.phases) else "correct it"
            where.at(f"line {number}").error("id-range", f"class {id_} is not in 0..{len(vocabulary.phases) - 1}", fix)
    frames = [frame for _, frame, _ in rows]
    if every_frame and frames and frames[-1] - frames[0] + 1 != len(frames):
        gaps = frames[-1] - frames[0] + 1 - len(frames)
        where.warning("frame-gap", f"{gaps} frames have no row, where every one should be labelled", "label every frame")
    return Layer(where.file, np.array(frames, np.int64), phase_rows(frames, [id_ for *_, id_ in rows]), every_frame=every_frame)
