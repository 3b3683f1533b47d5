"""Lines of whole numbers, separated by commas, without a header: a frame with the id of its class, or with other numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.model import Layer, phase_rows
from scrubin.labels.parse import documents
from scrubin.labels.parse.fields import Where

Row = tuple[int, list[int]]


def rows(where: Where, data: bytes, example: str, count: int) -> list[Row]:
    """Return the line number, from 1, and the frame with its numbers in each line, frames increasing; lines that are none are noted.

    Parameters
    ----------
    where
        Of the file.
    example
        A line as it should be, for messages.
    count
        How many numbers follow the frame.
    """
    text = documents.opened(documents.text, where.file, data, where.faults)
    if text is None:
        return []
    found: list[Row] = []
    for number, line in enumerate(text.splitlines(), start=1):
        cells, at = [cell.strip() for cell in line.split(",")], where.at(f"line {number}")
        if cells == [""]:
            continue
        values = [value for cell in cells if (value := documents.frame_number(cell)) is not None]
        if len(cells) != 1 + count or len(values) < len(cells):
            expected = "an id" if count == 1 else f"{count} numbers"
            at.error("row-length", f"{documents.shown(line.strip()[:60])} is no frame with {expected}", f"write lines such as {example}")
        elif found and values[0] <= found[-1][1][0]:
            at.error("frame-order", "the frame does not follow the one before", "sort the rows by frame, each once")
        else:
            found.append((number, values))
    if not found and not where.faults.errors():
        where.error("no-labels", "has no rows", "remove the file, or export it again")
    return found


def note_gaps(where: Where, frames: Sequence[int]) -> None:
    """Note increasing frames that lack some between the first and the last."""
    if frames and (gaps := frames[-1] - frames[0] + 1 - len(frames)):
        where.warning("frame-gap", f"{gaps} frames have no row, where every one should be labelled", "label every frame")


def phase_layer(where: Where, data: bytes, vocabulary: Vocabulary, example: str, *, every_frame: bool) -> Layer:
    """Return the lines as phases; an id that the vocabulary does not have is noted with its line.

    Parameters
    ----------
    every_frame
        As of `Layer`: whether each frame of the video should have a line.
    """
    pairs = [(number, frame, id_) for number, (frame, id_) in rows(where, data, example, 1)]
    for number, _, id_ in pairs:
        if id_ >= len(vocabulary.phases):
            fix = "are they numbered from 1? Ids are from 0" if id_ == len(vocabulary.phases) else "correct it"
            where.at(f"line {number}").error("id-range", f"class {id_} is not in 0..{len(vocabulary.phases) - 1}", fix)
    frames = [frame for _, frame, _ in pairs]
    if every_frame:
        note_gaps(where, frames)
    return Layer(where.file, np.array(frames, np.int64), phase_rows(frames, [id_ for *_, id_ in pairs]), every_frame=every_frame)
