"""JIGSAWS: ``meta_file_<Task>.txt`` with skill and ratings, ``transcriptions/<trial>.txt`` with gestures at 30 Hz.

A row of the meta file is trial, level of skill (N, I, E), GRS and six items, separated by irregular
tabs, without a header. A row of a transcription is ``start end Gn``; both frames belong to the gesture,
so that our half-open span ends one later. The rating of the one rater is the trial's.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from pathlib import PurePosixPath

import pandas as pd

from scrubin.core.faults import Fault, Faults, warning
from scrubin.errors import AnnotationError
from scrubin.labels import documents, evidence
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, Scores, rating_rows, segment_rows
from scrubin.labels.registry import ByHand, Output, dataset_format, writes
from scrubin.vocabulary import vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary

CLOCK = Clock(Fraction(1, 30))
META = re.compile(r"meta_file_(?P<task>[A-Za-z0-9_]+)\.txt")
FACTS = vocabulary.facts("jigsaws")
LEVELS: tuple[str, ...] = tuple(FACTS["levels"])
ASPECTS: tuple[str, ...] = tuple(FACTS["aspects"])
TOTAL = "GRS"
RATER = "0"
Rating = tuple[str, str, str, str, float | None, bool]


@dataset_format(
    "jigsaws",
    pattern=r"(?:meta_file_[A-Za-z0-9_]+\.txt|transcriptions/[^/]+\.txt)",
    expected="meta_file_<Task>.txt, and transcriptions/<trial>.txt",
    title="JIGSAWS: skill ratings of trials, and gestures at 30 Hz",
    by_hand=ByHand(vocabulary="jigsaws", evidence=evidence.named),
)
def read(source: LabelFiles) -> Collection:
    """Return ratings, levels of skill and gestures of all trials.

    Raises
    ------
    AnnotationError
        Names file, line and value of every fault.
    """
    faults = Faults()
    ratings: list[Rating] = []
    facts: list[tuple[str, str, str]] = []
    recordings: list[Labels] = []
    warnings: list[Fault] = []
    trials: dict[str, str] = {}
    for file, data in sorted(source.files.items()):
        name, text = PurePosixPath(file).name, documents.opened(documents.text, file, data, faults)
        match = META.fullmatch(name)
        if text is None:
            continue
        if match:
            _meta(file, match["task"], text, ratings, facts, warnings, faults)
        elif trials.setdefault(name, file) != file:
            faults.error(file, "format", f"the trial is also in {trials[name]}", "keep one of them")
        else:
            recordings.append(_transcription(file, text, source.vocabulary, faults))
    AnnotationError.raise_any(faults)
    frame = pd.DataFrame(facts, columns=["id", "task", "skill_level"]).astype("str")
    recordings.sort(key=lambda labels: labels.recording)
    return Collection(tuple(recordings), Scores(rating_rows(ratings), frame) if facts else None, tuple(warnings))


def _meta(
    file: str,
    task: str,
    text: str,
    ratings: list[Rating],
    facts: list[tuple[str, str, str]],
    warnings: list[Fault],
    faults: Faults,
) -> None:
    before, faults_before = len(facts), len(faults)
    known = {id_ for id_, _, _ in facts}
    for number, line in enumerate(text.splitlines(), start=1):
        cells = line.split()
        place = f"line {number}"
        if not cells:
            continue
        if len(cells) != 3 + len(ASPECTS):
            faults.error(
                file, "format", f"{len(cells)} fields, expected {3 + len(ASPECTS)}", "trial, level, GRS and six items", place=place
            )
        elif cells[1] not in LEVELS:
            faults.error(file, "format", f"level of skill '{cells[1]}' is none of {', '.join(LEVELS)}", "correct it", place=place)
        elif not all(_is_points(cell) for cell in cells[2:]):
            wrong = next(cell for cell in cells[2:] if not _is_points(cell))
            faults.error(file, "format", f"'{wrong}' is no whole number of points", "correct it", place=place)
        elif cells[0] in known:
            faults.error(file, "format", f"trial '{cells[0]}' stands twice", "keep one of the rows", place=place)
        else:
            known.add(cells[0])
            facts.append((cells[0], task, cells[1]))
            points = [float(cell) for cell in cells[2:]]
            if points[0] != math.fsum(points[1:]):
                what = f"GRS {cells[2]} is not the sum of its items, {math.fsum(points[1:]):g}"
                warnings.append(warning(file, "sum-of-items", what, "correct one of them", place=place))
            ratings += [(cells[0], task, RATER, aspect, value, False) for aspect, value in zip((TOTAL, *ASPECTS), points, strict=True)]
    if len(facts) == before and len(faults) == faults_before:
        faults.error(file, "format", "has no trials", "remove the file, or export it again")


def _is_points(cell: str) -> bool:
    return documents.frame_number(cell) is not None


def _transcription(file: str, text: str, words: Vocabulary, faults: Faults) -> Labels:
    rows: list[tuple[str, int, int, int]] = []
    before = len(faults)
    for number, line in enumerate(text.splitlines(), start=1):
        cells = line.split()
        if not cells:
            continue
        place = f"line {number}"
        if len(cells) != 3 or not (_is_points(cells[0]) and _is_points(cells[1])):
            faults.error(
                file, "format", f"'{line.strip()[:60]}' is not start, end and gesture", "give two frames and the gesture", place=place
            )
            continue
        start, end = int(cells[0]), int(cells[1])
        if end < start or (rows and start < rows[-1][2]):
            fault = f"frames {start} to {end} do not follow those before"
            faults.error(file, "format", fault, "sort the gestures by frame, without overlap", place=place)
            continue
        try:
            rows.append(("gesture", start, end + 1, words.id_of("gesture", cells[2])))
        except AnnotationError as error:
            faults.error(file, "format", str(error), "correct it", place=place)
    if not rows and len(faults) == before:
        faults.error(file, "format", "has no gestures", "remove the file, or export it again")
    return Labels(PurePosixPath(file).stem, "jigsaws", words, CLOCK, segments=segment_rows(rows))


@writes("jigsaws", holds=("segments", "ratings", "facts"), fps=Fraction(30), takes=lambda words: bool(words.gestures))
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
        out.lose("spans of another kind than gestures", len(labels.segments) - len(gestures))
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
                what = missing[0] if missing else "its level of skill (N, I or E)"
                msg = f"'{trial}' of {task} has no {what}, which jigsaws needs; formats with ratings of any kind are lasana and tables"
                raise AnnotationError(msg)
            out.lose("ratings of further raters", rows["rater"].nunique() - 1)
            cells = [str(trial), levels[str(trial)], *(f"{points[name]:g}" for name in (TOTAL, *ASPECTS))]
            lines.append("\t".join(cells) + "\n")
        out.files[f"meta_file_{task}.txt"] = "".join(lines).encode()
