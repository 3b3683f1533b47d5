"""Sheets of the synthetic study as people would write them: manifest, decisions, calibrations, ratings.

Both cameras are parallel and have no distortion: what lies d px further left in the right picture is focal length times
baseline / d away.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from scrubin.base.text.csv_rows import csv_of
from scrubin.stages.demo import footage
from scrubin.stages.demo.canvas import bell, generator
from scrubin.stages.demo.course import HEIGHT, TASKS, WIDTH
from scrubin.stages.demo.plan import MS, SITES, Recording, Span

FOCAL_PX, BASELINE_MM = (300.0, 307.0, 292.0), (4.0, 4.3, 3.8)
"""By site."""
CALIBRATION_DATES = ("2023-02-27", "2023-02-28", "2023-03-01")
RIG_TEXT = """\
%YAML:1.0
---
image_width: {width}
image_height: {height}
unit: mm
convention: "X_right = R X_left + t"
date: "{date}"
"""
MATRIX_TEXT = "{name}: !!opencv-matrix\n   rows: {rows}\n   cols: {columns}\n   dt: d\n   data: [ {data} ]\n"


def rig_name(recording: Recording) -> str:
    """Return with which rig it was recorded; "" for the experts, whose rig nobody noted, and for one camera."""
    return f"{recording.site} Turm 2" if recording.trial and "right" in recording.paths else ""


def calibrations(recordings: Iterable[Recording]) -> dict[str, str]:
    """Return the calibration of each rig that is named, by its name."""
    sites = {name: SITES.index(one.site) for one in recordings if (name := rig_name(one))}
    return {name: _text(number) for name, number in sorted(sites.items())}


def _text(number: int) -> str:
    focal = FOCAL_PX[number]
    matrix = f"{focal}, 0., {(WIDTH - 1) / 2}, 0., {focal}, {(HEIGHT - 1) / 2}, 0., 0., 1."
    cameras = [one for side in (1, 2) for one in ((f"K{side}", 3, 3, matrix), (f"D{side}", 1, 5, "0., 0., 0., 0., 0."))]
    motion = [("R", 3, 3, "1., 0., 0., 0., 1., 0., 0., 0., 1."), ("T", 3, 1, f"{-BASELINE_MM[number]}, 0., 0.")]
    head = RIG_TEXT.format(width=WIDTH, height=HEIGHT, date=CALIBRATION_DATES[number])
    return head + "".join(MATRIX_TEXT.format(name=name, rows=h, columns=w, data=data) for name, h, w, data in (*cameras, *motion))


MANIFEST_COLUMNS = ("recording", "participant", "trial", "site", "task", "camera", "path", "start_s", "end_s", "exclude", "rig")
REDACTION_COLUMNS = ("recording", "camera", "kind", "start_s", "end_s", "x", "y", "w", "h", "decision")
# This study has nobody who withdrew, no known error, and its curator says nothing.
EMPTY = {"withdrawn.csv": "participant,recording,date,reason\n", "datasheet.yaml": "{}\n", "errata.yaml": "[]\n"}
REDACTED_AS = {"drape": "out_of_body"}
# A curator stops a clock by hand: the end of a span is known to a tenth of a second.
HAND_MS = 100


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], delimiter: str = ",") -> str:
    """Return rows as CSV text with a header and line feeds."""
    return csv_of([columns, *rows], delimiter)


def manifest(recordings: Sequence[Recording]) -> str:
    """Return ``recordings.csv``: one row per video file."""
    rows = [
        (
            *(one.name, one.participant, one.trial or "", one.site, one.task, camera, one.paths[camera]),
            *(_seconds(one.start_ms), _seconds(one.end_ms), one.exclude, rig_name(one)),
        )
        for one in recordings
        for camera in sorted(one.paths)
    ]
    return table(MANIFEST_COLUMNS, rows)


def redactions(recordings: Sequence[Recording]) -> str:
    """Return ``redactions.csv``: what the curator decided by eye."""
    rows: list[tuple[object, ...]] = []
    for one in recordings:
        rows += [_span_row(one, span) for span in one.spans if span.decision]
        for text in one.texts:
            cameras = ("",) if set(text.cameras) == set(one.paths) else text.cameras
            times = _seconds(text.start_ms), _seconds(text.end_ms)
            rows += [(one.name, camera, "text", *times, *footage.text_box(text), "add") for camera in cameras]
    return table(REDACTION_COLUMNS, rows)


def _span_row(recording: Recording, span: Span) -> tuple[object, ...]:
    frames = recording.frames_of(span)
    first, end = recording.time_of(frames.start), recording.time_of(frames.stop)
    start_ms = int(first * MS) // HAND_MS * HAND_MS
    end_ms = -(-Fraction(end * MS) // HAND_MS) * HAND_MS
    kind = REDACTED_AS.get(span.kind, span.kind)
    return recording.name, "", kind, _seconds(start_ms), _seconds(int(end_ms)), "", "", "", "", span.decision


def _seconds(time_ms: int | None) -> str:
    """Return ms as seconds with three decimals, and nothing for None.

    >>> _seconds(2360), _seconds(None)
    ('2.360', '')
    """
    return "" if time_ms is None else f"{time_ms // MS}.{time_ms % MS:03d}"


ASPECTS = ("depth_perception", "efficiency", "bimanual_dexterity", "tissue_handling")
COLUMNS = ("id", "rater", *ASPECTS, "GRS")
LOWEST, HIGHEST = 1, 5
# In hundredths of a point: how much kinder than the middle, and how far apart for one standard deviation of skill.
KINDNESS, SPREAD = (-35, 20, 50, -10), (85, 105, 75, 115)
MEAN_SKILL, SKILL_SD = 480, 215
RATER_SD, ASPECT_SD = 46, 38
ALL_RATERS = (1, 3)
RATED_ONCE = (1, 2, "SutureAndKnot")
SEES_FAILURE_PERCENT = 94
MISTAKEN_PERMILLE = 30
# How often each error occurs in the least skilled recording, in 1000.
ERRORS: dict[str, dict[str, int]] = {
    "PegTransfer": {"object_dropped_within_fov": 0, "object_dropped_outside_of_fov": 160},
    "SutureAndKnot": {
        "needle_dropped": 420,
        "suture_imprecise": 620,
        "fewer_than_three_throws": 0,
        "slit_not_closed": 300,
        "knot_comes_apart": 220,
        "drain_detached": 260,
    },
}


@dataclass(frozen=True)
class Rating:
    """What one rater made of one recording; no scores where it was marked as failed."""

    recording: str
    task: str
    rater: int
    scores: tuple[int, ...] | None
    errors: dict[str, bool]


def rate(recordings: Sequence[Recording]) -> list[Rating]:
    """Return all ratings: raters 1 and 3 rate everything, 0 and 2 complementary halves."""
    return [_rating(one, rater) for one in recordings if one.rated for rater in _raters(one)]


def sheets(ratings: Sequence[Rating]) -> dict[str, str]:
    """Return the text of each rater's sheets by file name."""
    files = {}
    for task in TASKS:
        errors = tuple(ERRORS[task])
        for rater in range(len(KINDNESS)):
            own = [rating for rating in ratings if (rating.task, rating.rater) == (task, rater)]
            scores = [(one.recording, rater, *(one.scores or [""] * len(ASPECTS)), sum(one.scores) if one.scores else "") for one in own]
            marks = [(one.recording, *(one.errors[error] for error in errors)) for one in own]
            files[f"{task}_rater{rater}.csv"] = table(COLUMNS, scores, ";")
            files[f"{task}_rater{rater}_errors.csv"] = table(("id", *errors), marks, ";")
    return files


def _raters(recording: Recording) -> tuple[int, ...]:
    place = (recording.key[1], recording.trial, recording.task)
    if place == RATED_ONCE:
        return (ALL_RATERS[0],)
    half = 0 if (recording.key[1] + (recording.trial or 0)) % 2 == 0 else 2
    return tuple(sorted((half, *ALL_RATERS)))


def _rating(recording: Recording, rater: int) -> Rating:
    rng = generator(*recording.key, 6, rater)
    failed = recording.throws < 3 and int(rng.integers(0, 100)) < SEES_FAILURE_PERCENT
    errors = {error: _marked(recording, error, rng) for error in ERRORS[recording.task]}
    if "fewer_than_three_throws" in errors:
        errors["fewer_than_three_throws"] = failed
    mood = bell(rng, RATER_SD)
    scores = tuple(_score(recording.skill, rater, mood + bell(rng, ASPECT_SD)) for _ in ASPECTS)
    return Rating(recording.name, recording.task, rater, None if failed else scores, errors)


def _score(skill: int, rater: int, deviation: int) -> int:
    hundredths = 100 * (skill - MEAN_SKILL) // SKILL_SD + deviation
    value = 300 + KINDNESS[rater] + SPREAD[rater] * hundredths // 100
    return min(max((value + 50) // 100, LOWEST), HIGHEST)


def _marked(recording: Recording, error: str, rng: np.random.Generator) -> bool:
    mistaken = int(rng.integers(0, 1000)) < MISTAKEN_PERMILLE
    return occurred(recording, error) != mistaken


def occurred(recording: Recording, error: str) -> bool:
    """Return whether an error really happened, which raters see nearly always."""
    if error == "object_dropped_within_fov":
        return recording.drops
    if error == "fewer_than_three_throws":
        return recording.throws < 3
    position = list(ERRORS[recording.task]).index(error)
    chance = ERRORS[recording.task][error] * (1000 - recording.skill) // 1000
    return int(generator(*recording.key, 7, position).integers(0, 1000)) < chance
