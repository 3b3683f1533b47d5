"""JIGSAWS: ``meta_file_<Task>.txt`` with skill or ratings, ``transcriptions/<trial>.txt`` with gestures at 30 Hz.

A row of the meta file is trial, level of skill (N, I, E), GRS and six items, separated by irregular
tabs, without a header. A row of a transcription is ``start end Gn``; both frames belong to the gesture,
so that our half-open span ends one later. The rating of the one rater is the trial's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import PurePosixPath

import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault, Faults
from scrubin.base.text import csv_text
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import registry
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, Scores, rating_rows, segment_rows
from scrubin.labels.parse import documents
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

CLOCK = Clock(Fraction(1, 30))
META = re.compile(r"meta_file_(?P<task>[A-Za-z0-9_]+)\.txt")
FACTS = vocabulary.facts("jigsaws")
LEVELS: tuple[str, ...] = tuple(FACTS["levels"])
ASPECTS: tuple[str, ...] = tuple(FACTS["aspects"])
TOTAL = "GRS"
POINTS = range(1, 6)
"""Of an item."""
RATER = "0"
Rating = tuple[str, str, str, str, float | None, bool]


@dataset_format(
    "jigsaws",
    pattern=r"(?:meta_file_[A-Za-z0-9_]+\.txt|transcriptions/[^/]+\.txt)",
    expected="meta_file_<Task>.txt, and transcriptions/<trial>.txt",
    title="JIGSAWS: skill ratings of trials, and gestures at 30 Hz",
    by_hand=ByHand(vocabulary="jigsaws", evidence=registry.named, beside=r"AllGestures/[^/]+\.txt"),
)
def read(source: LabelFiles) -> Collection:
    """Return ratings, levels of skill and gestures of the trials in files without an error; all faults are in ``Collection.faults``."""
    faults = Faults()
    sheet = _Sheet()
    recordings: list[Labels] = []
    trials: dict[str, str] = {}
    for file, data in sorted(source.files.items()):
        of_file = Faults()
        where, name = Where(of_file, file), PurePosixPath(file).name
        text = documents.opened(documents.text, file, data, of_file)
        match = META.fullmatch(name)
        if text is not None and match:
            _read_meta(where, match["task"], text, sheet)
        elif text is not None:
            if trials.setdefault(name, file) != file:
                where.error("file-repeated", f"the trial is also in {trials[name]}", "keep one of them")
            labels = _transcription(where, text, source.vocabulary)
            recordings += [] if of_file.errors() else [labels]
        faults.extend(of_file.all())
    frame = pd.DataFrame(sheet.facts, columns=["id", "task", "skill_level"]).astype("str")
    recordings.sort(key=lambda labels: labels.recording)
    return Collection(tuple(recordings), Scores(rating_rows(sheet.ratings), frame) if sheet.facts else None, faults.all())


@dataclass
class _Sheet:
    """Ratings and levels of skill of all tasks so far; rows with an error are left out."""

    ratings: list[Rating] = field(default_factory=list)
    facts: list[tuple[str, str, str]] = field(default_factory=list)


def _read_meta(where: Where, task: str, text: str, sheet: _Sheet) -> None:
    trials = {trial for trial, _, _ in sheet.facts}
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not lines:
        where.error("no-labels", "has no trials", "remove the file, or export it again")
    for number, cells in lines:
        at = where.at(f"line {number}")
        if not _is_trial(at, cells, trials):
            continue
        trials.add(cells[0])
        sheet.facts.append((cells[0], task, cells[1]))
        points = [float(cell) for cell in cells[2:]]
        if points[0] != math.fsum(points[1:]):
            what = f"GRS {cells[2]} is not the sum of its items, {math.fsum(points[1:]):g}"
            at.warning("sum-of-items", what, "correct one of them")
        rows = zip((TOTAL, *ASPECTS), points, strict=True)
        sheet.ratings += [(cells[0], task, RATER, aspect, value, False) for aspect, value in rows]


def _is_trial(where: Where, cells: Sequence[str], before: Container[str]) -> bool:
    """Return whether a row is a new trial with its level and points."""
    if len(cells) != 3 + len(ASPECTS):
        where.error("row-length", f"{len(cells)} fields, expected {3 + len(ASPECTS)}", "trial, level, GRS and six items")
    elif cells[1] not in LEVELS:
        where.error("level-unknown", f"level of skill '{cells[1]}' is none of {', '.join(LEVELS)}", "correct it")
    elif not all(_is_points(cell) for cell in cells[2:]):
        wrong = next(cell for cell in cells[2:] if not _is_points(cell))
        where.error("value-type", f"'{wrong}' is no whole number of points", "correct it")
    elif beyond := [cell for cell in cells[3:] if int(cell) not in POINTS]:
        what = f"an item has {csv_text.shown(beyond[0])} points, not {POINTS[0]} to {POINTS[-1]}"
        where.error("score-range", what, "correct it; the order is trial, level, GRS and six items")
    elif cells[0] in before:
        where.error("id-repeated", f"trial '{cells[0]}' stands twice", "keep one of the rows")
    else:
        return True
    return False


def _is_points(cell: str) -> bool:
    return documents.frame_number(cell) is not None


def _transcription(where: Where, text: str, vocabulary: Vocabulary) -> Labels:
    rows: list[tuple[str, int, int, int]] = []
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not lines:
        where.error("no-labels", "has no gestures", "remove the file, or export it again")
    for number, line in lines:
        cells, at = line.split(), where.at(f"line {number}")
        if len(cells) != 3 or not (_is_points(cells[0]) and _is_points(cells[1])):
            what = f"'{line.strip()[:60]}' is not start, end and gesture"
            at.error("row-length", what, "give two frames and the gesture")
            continue
        start, end = int(cells[0]), int(cells[1])
        if end < start or (rows and start < rows[-1][2]):
            fix = "sort the gestures by frame, without overlap"
            at.error("span-order", f"frames {start} to {end} do not follow those before", fix)
            continue
        gesture = at.id_of(vocabulary, "gesture", cells[2])
        if gesture is not None:
            rows.append(("gesture", start, end + 1, gesture))
    return Labels(PurePosixPath(where.file).stem, "jigsaws", vocabulary, CLOCK, segments=segment_rows(rows))


@writes(
    "jigsaws",
    holds=("segments", "ratings", "facts"),
    fps=Fraction(30),
    takes=lambda vocabulary: bool(vocabulary.gestures),
    phases_as_spans=True,
)
def write(collection: Collection, out: Output) -> None:
    """Write ``meta_file_<Task>.txt`` per task and ``transcriptions/<trial>.txt`` per trial.

    Raises
    ------
    AnnotationError
        When a trial lacks its level of skill or one of the ratings.
    """
    for labels in collection.recordings:
        if labels.segments is None:
            continue
        gestures = labels.segments[labels.segments["kind"] == "gesture"]
        out.lose("spans of another kind than gestures", len(labels.segments) - len(gestures), rows_of="span")
        lines = [f"{start} {end - 1} {labels.vocabulary.gestures[label]} \n" for _, start, end, label in gestures.itertuples(index=False)]
        out.files[f"transcriptions/{labels.recording}.txt"] = "".join(lines).encode()
    if collection.scores is not None:
        _write_meta(collection.scores, out)


def _write_meta(scores: Scores, out: Output) -> None:
    known = scores.facts if "skill_level" in scores.facts else scores.facts.assign(skill_level="")
    for name in sorted(set(map(str, known.columns)) - {"id", "task", "rater", "skill_level"}):
        out.lose(f"'{name}' of recordings", int(known[name].notna().sum()))
    levels = dict(zip(known["id"].tolist(), known["skill_level"].tolist(), strict=True))
    for task, of_task in scores.ratings.groupby("task", sort=True):
        lines = []
        for trial, rows in of_task.groupby("id", sort=True):
            points = rows.drop_duplicates("aspect").set_index("aspect")["score"].to_dict()
            missing = [name for name in (TOTAL, *ASPECTS) if pd.isna(points.get(name))]
            if missing or levels.get(str(trial)) not in LEVELS:
                lacks = f"rating of {missing[0]}" if missing else "level of skill (N, I or E)"
                what = f"'{trial}' has no {lacks}, which jigsaws needs"
                raise AnnotationError([Fault(str(task), "part-missing", what, "formats with ratings of any kind are lasana and tables")])
            out.lose("ratings of further raters", rows["rater"].nunique() - 1)
            out.unwritten["rating"] += len(rows) - len((TOTAL, *ASPECTS))
            cells = [str(trial), levels[str(trial)], *(f"{points[name]:g}" for name in (TOTAL, *ASPECTS))]
            lines.append("\t".join(cells) + "\n")
        out.files[f"meta_file_{task}.txt"] = "".join(lines).encode()
