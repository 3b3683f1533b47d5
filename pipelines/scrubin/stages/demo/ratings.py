"""Rater sheets: four raters see the same skill through different eyes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrubin.stages.demo.canvas import bell, generator
from scrubin.stages.demo.course import TASKS
from scrubin.stages.demo.plan import Recording
from scrubin.stages.demo.sheets import table

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
