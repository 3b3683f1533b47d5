"""What a program answers for one video, frame by frame, in a form in which two answers can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scrubin.base import strangers
from scrubin.base.errors import FileError
from scrubin.base.faults import Faults, count_text, summary
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.formats.plain import phase_cells, phase_tables
from scrubin.labels.formats.submission import documents
from scrubin.labels.formats.submission.content import Content, parse
from scrubin.labels.parse.fields import Where

FloatArray = npt.NDArray[np.float64]
SHOWN_FAULTS = 3


class MalformedError(ValueError):
    """What a program wrote is no submission; the message says why."""


@dataclass(frozen=True, eq=False)
class Answer:
    """One frame: what is equal or not, and numbers that can differ by little.

    Parameters
    ----------
    signs
        Phase, and triplet and instrument of each box; which tasks there are.
    numbers
        Probabilities, corners, sides and confidences, all in 0..1.
    """

    signs: tuple[Any, ...]
    numbers: FloatArray

    def distance(self, other: Answer) -> float:
        """Return the largest difference of a number; infinite when a sign differs."""
        if self.signs != other.signs or self.numbers.shape != other.numbers.shape:
            return float("inf")
        return float(np.max(np.abs(self.numbers - other.numbers), initial=0.0))


Answers = Mapping[int, Answer]
"""By frame."""


def distance(one: Answers, other: Answers, frame: int) -> float:
    """Return how far two answers for a frame are apart; infinite when only one of them has it."""
    if frame in one and frame in other:
        return one[frame].distance(other[frame])
    return 0.0 if frame not in one and frame not in other else float("inf")


def read(folder: Path, video: str, count: int, vocabulary: Vocabulary) -> Answers:
    """Return what a program wrote for a video: ``<video>.json``, ``<video>.csv`` or both.

    Raises
    ------
    MalformedError
        When there is nothing, or what there is breaks the format of a submission.
    """
    files = {suffix: folder / f"{video}{suffix}" for suffix in (".json", ".csv")}
    most = documents.most_bytes(count * max(1, len(vocabulary.triplets)))
    data: dict[str, bytes] = {}
    for suffix, path in files.items():
        if path.is_file():
            if path.stat().st_size > most:
                msg = f"<video>{suffix} is larger than {most >> 20} MiB"
                raise MalformedError(msg)
            try:
                data[suffix] = strangers.read_bytes(path, inside=folder)
            except FileError as error:
                msg = f"<video>{suffix}: {error.strerror}"
                raise MalformedError(msg) from error
    if not data:
        written = sorted(path.name.replace(video, "<video>") for path in folder.iterdir())
        there = f"it wrote {', '.join(written[:SHOWN_FAULTS])}" if written else "it wrote nothing"
        msg = f"there is no <video>.json or <video>.csv in {{output}}: {there}"
        raise MalformedError(msg)
    return of(data, count, vocabulary)


def of(data: Mapping[str, bytes], count: int, vocabulary: Vocabulary) -> Answers:
    """Return the answers of one video from the bytes of its files, by suffix.

    Raises
    ------
    MalformedError
        When they break the format of a submission, or have frames that the video has not.
    """
    faults = Faults()
    contents = [_content(f"<video>{suffix}", bytes_, vocabulary, faults) for suffix, bytes_ in sorted(data.items())]
    if faults.errors():
        msg = f"{'; '.join(summary(faults.errors(), SHOWN_FAULTS))} (--vocabulary {vocabulary.name})"
        raise MalformedError(msg)
    answers: dict[int, Answer] = {}
    for content in contents:
        if content is not None:
            for frame, answer in _by_frame(content).items():
                first = answers.get(frame)
                both = Answer((*first.signs, *answer.signs), np.concatenate([first.numbers, answer.numbers])) if first else answer
                answers[frame] = both
    beyond = [frame for frame in answers if frame >= count]
    if beyond:
        msg = f"it answers for frame {max(beyond)} of a video of {count_text(count, 'frame')}; frames count from 0"
        raise MalformedError(msg)
    return dict(sorted(answers.items()))


def _content(file: str, data: bytes, vocabulary: Vocabulary, faults: Faults) -> Content | None:
    if file.endswith(".json"):
        return parse(file, data, vocabulary, faults)
    where = Where(faults, file)
    cells = phase_cells.cells_of(where, data, None)
    if cells is None:
        return None
    return Content(cells.frames, phases=np.array(phase_tables.ids_of(where, cells, vocabulary), np.int64))


def _by_frame(content: Content) -> dict[int, Answer]:
    rows: dict[int, list[tuple[Any, ...]]] = {int(frame): [] for frame in content.frames}
    if content.boxes is not None:
        boxes = content.boxes
        for row in range(len(boxes.frames)):
            sign = (int(boxes.triplets[row]), int(boxes.instruments[row]))
            rows[int(boxes.frames[row])].append((sign, (*boxes.boxes_xywh[row].tolist(), float(boxes.scores[row]))))
    answers = {}
    for place, frame in enumerate(content.frames.tolist()):
        signs: list[Any] = []
        numbers: list[float] = []
        if content.recognition is not None:
            row_of = content.recognition[place]
            signs.append(("recognition", not np.isnan(row_of).any()))
            numbers += [] if np.isnan(row_of).any() else row_of.tolist()
        if content.boxes is not None:
            ordered = sorted(rows[frame])
            signs.append(("detection", *(sign for sign, _ in ordered)))
            numbers += [number for _, values in ordered for number in values]
        if content.phases is not None:
            signs.append(("phase", int(content.phases[place])))
        answers[int(frame)] = Answer(tuple(signs), np.array(numbers, np.float64))
    return answers
